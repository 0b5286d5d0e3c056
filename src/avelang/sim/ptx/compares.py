"""Handlers of set and setp. PTX ISA 9.0, 9.7.6, "Comparison and selection instructions", and 9.7.7 for half
precision."""

from __future__ import annotations

from avelang.llvm.vectors import Bool, Ops
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import BITS, Instr
from avelang.sim.ptx.float_formats import FORMATS, Floats, operand, part_of
from avelang.sim.ptx.floats import ONE
from avelang.sim.ptx.integers import halves, paired
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.translator import Handler, PtxTranslator

ORDERED = {"eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
UNORDERED = {"equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge", "num": "ord",
    "nan": "uno"}
SIGNS = {"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
COMPARISONS = (*ORDERED, *UNORDERED, *SIGNS)


def _compare(t: PtxTranslator, kind: str, op: str, x: str, y: str, ftz: bool) -> str:
    """One bit a lane, of two patterns of one element type."""
    if kind in FORMATS:
        f = Floats(t, kind)
        if ftz:
            x, y = f.flushed(x), f.flushed(y)
        e = "double" if kind == "f64" else "float"
        return Ops(t, e).cmp((ORDERED | UNORDERED)[op], f.number(x, e), f.number(y, e))
    if op in SIGNS:
        pred = SIGNS[op]
    elif op in ("eq", "ne"):
        pred = op
    else:
        pred = ("s" if kind[0] == "s" else "u") + op
    return Ops(t, f"i{BITS[kind]}").cmp(pred, x, y)


class _Test:
    """The modifiers that set and setp share, and the comparisons of all parts."""

    def __init__(self, t: PtxTranslator, i: Instr):
        self.t, self.m, self.joined = t, Mods(i), ""
        self.op = self.m.take(*COMPARISONS)
        self.joined = self.m.take("and", "or", "xor")
        self.ftz = self.m.has("ftz")
        self.types = self.m.types()
        self.m.done()
        self.kind = self.types[-1]

    def parts(self, i: Instr) -> list[str]:
        """The comparison, or those of both halves."""
        x, y = (operand(self.t, o, self.kind) for o in i.operands[1:3])
        part = part_of(self.kind)
        pairs = zip(halves(self.t, x), halves(self.t, y), strict=True) if part != self.kind else [(x, y)]
        return [_compare(self.t, part, self.op, a, b, self.ftz) for a, b in pairs]

    def with_third(self, i: Instr, value: str) -> str:
        if not self.joined:
            return value
        return Bool(self.t)(self.joined, value, self.t.pred(i.operands[3]))


def _setp(t: PtxTranslator, i: Instr) -> None:
    test = _Test(t, i)
    found = test.parts(i)
    d = i.operands[0]
    first, second = (d.first, d.second) if isinstance(d, n.Pair) else (d, n.Sink())
    if len(found) == 1:
        found.append(Bool(t).no(found[0]))
    elif not isinstance(d, n.Pair):
        raise NotExecuted("a comparison of pairs has two destinations")
    values = [test.with_third(i, x) for x in found]
    for where, x in zip((first, second), values, strict=True):
        t.set(where, x, 1)  # type: ignore[arg-type]


def _set(t: PtxTranslator, i: Instr) -> None:
    """All ones or 1.0 where the comparison holds, else 0."""
    test = _Test(t, i)
    to = test.types[0]
    values = [test.with_third(i, x) for x in test.parts(i)]
    part = part_of(to)
    if len(values) == 2 and part == to:
        # A pair of comparisons into one word: all ones in each half (set.f16x2 with .u32 and .s32).
        part, bits = "u16", 16
    else:
        bits = BITS[part]
    o = Ops(t, f"i{bits}")
    yes = ONE[part] if part in FORMATS else -1
    out = [o.select(x, yes, 0) for x in values]
    t.set(i.operands[0], out[0] if len(out) == 1 else paired(t, out[0], out[1]), BITS[to])


TABLE: dict[str, Handler] = {"setp": _setp, "set": _set}
