"""Handlers of v_cmp_* and v_cmpx_*: one bit for each lane, to VCC or a pair of scalar registers; v_cmpx_* makes it
EXEC, too."""

from __future__ import annotations

from avelang.amdgcn.asm import EXEC, MCInst
from avelang.llvm.vectors import FLOAT, Ops, function
from avelang.sim.amdgcn.translator import BlockTranslator, Handler
from avelang.sim.amdgcn.vector import raw
from avelang.sim.amdgcn.vector_float import FloatLayout

# Names of relations with LLVM's: of integers (with s or u before those that order), and of floats, where "n" is the
# negation: true with NaN.
INTEGERS = {"f": "", "lt": "lt", "eq": "eq", "le": "le", "gt": "gt", "ne": "ne", "ge": "ge", "t": ""}
FLOATS = {
    "f": "false", "lt": "olt", "eq": "oeq", "le": "ole", "gt": "ogt", "lg": "one", "ge": "oge", "o": "ord",
    "u": "uno", "nge": "ult", "nlg": "ueq", "ngt": "ule", "nle": "ugt", "neq": "une", "nlt": "uge", "tru": "true",
}  # fmt: skip


def _write(t: BlockTranslator, i: MCInst, lanes: str) -> None:
    t.mask_result_at(i, lanes, 0)
    if i.name.startswith("v_cmpx"):
        t.set_pair(EXEC, t.op(f"and i64 {t.word_of(lanes)}, {t.exec()}"))


def _integer(relation: str, kind: str) -> Handler:
    bits = int(kind[1:])

    def handler(t: BlockTranslator, i: MCInst) -> None:
        pred = INTEGERS[relation]
        if not pred:
            return _write(t, i, f"splat (i1 {'true' if relation == 't' else 'false'})")
        ordered = pred not in ("eq", "ne")
        pred = ("s" if kind[0] == "i" else "u") + pred if ordered else pred
        _write(t, i, Ops(t, f"i{bits}").cmp(pred, t.source_at(i, 1, bits), t.source_at(i, 2, bits)))

    return handler


def _float(relation: str, bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        o = Ops(t, FLOAT[bits])
        x, y = t.float_at(i, 1, bits), t.float_at(i, 2, bits)
        if bits == 16:
            x, y = (o.to("float", "fpext", v) for v in (x, y))
            o = o.at("float")
        _write(t, i, o.cmp(FLOATS[relation], x, y))

    return handler


def _class(b: Ops, x: str, mask: str) -> str:
    """1 where bit n of the mask is set, n being the class of a float's pattern: 0 signaling NaN, 1 quiet NaN, 2
    -infinity, 3 negative normal, 4 negative denormal, 5 -0, 6 to 9 the same of positive numbers, from 0 up."""
    f = FloatLayout(b.bits)
    m = b("and", x, f.magnitude)
    rank = b.select(b.cmp("eq", m, 0), 6, 7)
    rank = b.select(b.cmp("ugt", m, (1 << f.mantissa) - 1), 8, rank)
    rank = b.select(b.cmp("eq", m, f.infinity), 9, rank)
    rank = b.select(b.cmp("slt", x, 0), b("sub", 11, rank), rank)
    rank = b.select(b.cmp("ugt", m, f.infinity), b.select(b.cmp("ult", m, f.infinity | f.quiet), 0, 1), rank)
    return b("and", b("lshr", mask, rank), 1)


def _classes(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        b = Ops(t, f"i{bits}")
        x = raw(t, i, 1, bits)
        mask = t.source_at(i, 2, 16 if bits == 16 else 32)
        mask = b.at("i32").to(b.e, "zext", mask) if bits == 64 else mask
        found = function(t, f"ave_class_{bits}", b.e, lambda *v: _class(b, *v), (b.e, x), (b.e, mask))
        _write(t, i, b.cmp("ne", found, 0))

    return handler


def _all(handlers: dict[str, Handler]) -> dict[str, Handler]:
    return {f"{prefix}_{name}": h for name, h in handlers.items() for prefix in ("v_cmp", "v_cmpx")}


TABLE: dict[str, Handler] = {
    **_all({f"{r}_{s}{bits}": _integer(r, f"{s}{bits}") for r in INTEGERS for s in "iu" for bits in (16, 32, 64)}),
    **_all({f"{r}_f{bits}": _float(r, bits) for r in FLOATS for bits in (16, 32, 64)}),
    **_all({f"class_f{bits}": _classes(bits) for bits in (16, 32, 64)}),
}
