"""Control flow for lanes: `if`, `for` and `while` come in; basic blocks with phis go out. Where lanes part is LLVM's
and the machine's affair."""

from __future__ import annotations

from collections.abc import Callable

from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op, Value, walk
from avelang.ir.types import DType
from avelang.isa.lowering import AMONG, has_mark

_TOGETHER = frozenset({"shuffle", "ballot", "printf"})


def _parts(conds: list[Value]) -> bool:
    """True where lanes of a wave may part at these conditions or bounds."""
    return not all(c.uniform for c in conds)


def _splits(w: Simt, op: Op, conds: list[Value]) -> bool:
    """True where the lanes that enter the op's regions must be counted: some shuffle or vote inside wants to know, and
    lanes may part here."""
    if not w.target.split_members or not _parts(conds):
        return False
    inside = (inner for region in op.regions for inner in walk(region))
    return any(inner.name in _TOGETHER or has_mark(inner, "nvptx", AMONG) for inner in inside)


def emit_if(w: Simt, op: Op) -> None:
    """Two branches that meet; one where the other is empty."""
    cond, fresh = w.value(op.operands[0]), w.body.fresh
    then, other = op.regions
    counted = w.target.count(w, cond) if _splits(w, op, op.operands[:1]) else None
    members = [w.members, w.members]
    if counted is not None:
        rest = w.op(f"xor i32 {counted}, {w.members or '-1'}")
        members = [counted, rest]
    labels, join = [fresh("then"), fresh("else")], fresh("join")
    before = w.body.label
    empty = len(other.ops) == 1
    w.do(f"br i1 {cond}, label %{labels[0]}, label %{join if empty else labels[1]}")
    outs: list[tuple[list[str], str]] = []
    for region, label, lanes in zip((then, other), labels, members, strict=True):
        if region is other and empty:
            outs.append(([w.value(v) for v in other.terminator.operands], before))
            continue
        w.body.start(label)
        with w.among(lanes, _parts(op.operands[:1])):
            outs.append((w.run(region), w.body.label))
        w.do(f"br label %{join}")
    w.body.start(join)
    for i, r in enumerate(op.results):
        arms = ", ".join(f"[ {values[i]}, %{label} ]" for values, label in outs)
        w.env[r] = w.op(f"phi {w.type(r.type)} {arms}")


class _Phis:
    """The phis at the head of a loop: written when all that comes around is known."""

    def __init__(self, w: Simt):
        self.w = w
        self.at = len(w.body.lines)
        self.rows: list[tuple[str, str, str, str]] = []

    def add(self, type: str, first: str, label: str) -> str:
        name = "%" + self.w.body.fresh("p")
        self.rows.append((name, type, first, label))
        return name

    def close(self, around: list[str], label: str) -> None:
        """Writes the phis at the place where this was made."""
        lines = [
            f"  {name} = phi {t} [ {first}, %{start} ], [ {last}, %{label} ]"
            for (name, t, first, start), last in zip(self.rows, around, strict=True)
        ]
        self.w.body.lines[self.at : self.at] = lines


def _constant(v: Value) -> int | None:
    return v.op.attrs["value"] if v.op is not None and v.op.name == "const" else None


def _trips(w: Simt, op: Op, d: DType) -> str:
    """The number of trips of a loop with a step other than 1, counted as unsigned: nothing overflows on the way."""
    start, stop, step = (w.value(v) for v in op.operands[:3])
    t, sign = f"i{d.bits}", "s" if d.kind == "int" else "u"

    def count(low: str, high: str, by: str) -> str:
        any_ = w.op(f"icmp {sign}lt {t} {low}, {high}")
        span = w.op(f"sub {t} {high}, {low}")
        last = w.op(f"sub {t} {span}, 1")
        whole = w.op(f"udiv {t} {last}, {by}")
        return w.op(f"select i1 {any_}, {t} {w.op(f'add {t} {whole}, 1')}, {t} 0")

    known = _constant(op.operands[2])
    if known is not None:
        if known == 0:
            return "0"
        return count(start, stop, str(known)) if known > 0 else count(stop, start, str(-known))
    zero = w.op(f"icmp eq {t} {step}, 0")
    up = count(start, stop, w.op(f"select i1 {zero}, {t} 1, {t} {step}"))
    if d.kind == "int":
        negative = w.op(f"icmp slt {t} {step}, 0")
        back = w.op(f"select i1 {negative}, {t} {w.op(f'sub {t} 0, {step}')}, {t} 1")
        up = w.op(f"select i1 {negative}, {t} {count(stop, start, back)}, {t} {up}")
    return w.op(f"select i1 {zero}, {t} 0, {t} {up}")


def _firsts(w: Simt, parts: bool, firsts: list[tuple[str, str]]) -> list[str]:
    """The values carried into a loop at first, as (type, text); of a loop that lanes leave one after another, told to
    LLVM to differ."""
    return [w.target.own(w, t, x) if parts else x for t, x in firsts]


def emit_for(w: Simt, op: Op) -> None:
    """A guard, then a loop that tests at its end."""
    d, body = op.operands[0].type, op.regions[0]
    assert isinstance(d, DType)
    t, sign, parts = f"i{d.bits}", "s" if d.kind == "int" else "u", _parts(op.operands[:3])
    start, stop, step = (w.value(v) for v in op.operands[:3])
    one = _constant(op.operands[2]) == 1
    trips = "" if one else _trips(w, op, d)
    enter = w.op(f"icmp {sign}lt {t} {start}, {stop}") if one else w.op(f"icmp ne {t} {trips}, 0")
    counted = w.target.count(w, enter) if _splits(w, op, op.operands[:3]) else None
    firsts = _firsts(w, parts, [(t, start), *((w.type(v.type), w.value(v)) for v in op.operands[3:])])
    before, loop, done = w.body.label, w.body.fresh("loop"), w.body.fresh("done")
    w.do(f"br i1 {enter}, label %{loop}, label %{done}")
    w.body.start(loop)
    phis = _Phis(w)
    i = w.env[body.args[0]] = phis.add(t, firsts[0], before)
    for arg, first in zip(body.args[1:], firsts[1:], strict=True):
        w.env[arg] = phis.add(w.type(arg.type), first, before)
    left = "" if one else phis.add(t, trips, before)
    members = w.members if counted is None else phis.add("i32", counted, before)
    with w.among(members, parts):
        around = w.run(body)
        nxt = w.op(f"add {'nuw ' if sign == 'u' and one else 'nsw ' if one else ''}{t} {i}, {step}")
        passed = [nxt, *around]
        if one:
            again = w.op(f"icmp {sign}lt {t} {nxt}, {stop}")
        else:
            fewer = w.op(f"sub {t} {left}, 1")
            again = w.op(f"icmp ne {t} {fewer}, 0")
            passed.append(fewer)
        if counted is not None:
            passed.append(w.target.count(w, again))
    phis.close(passed, w.body.label)
    last = w.body.label
    w.do(f"br i1 {again}, label %{loop}, label %{done}")
    w.body.start(done)
    for r, first, end in zip(op.results, op.operands[3:], around, strict=True):
        w.env[r] = w.op(f"phi {w.type(r.type)} [ {w.value(first)}, %{before} ], [ {end}, %{last} ]")


def emit_while(w: Simt, op: Op) -> None:
    """The test at the head, the body behind it."""
    test, body = op.regions
    cond = test.terminator.operands[0]
    splits = _splits(w, op, [cond])
    firsts = _firsts(w, _parts([cond]), [(w.type(v.type), w.value(v)) for v in op.operands])
    before, head, inner, done = w.body.label, *(w.body.fresh(x) for x in ("test", "body", "done"))
    w.do(f"br label %{head}")
    w.body.start(head)
    phis = _Phis(w)
    for arg, first in zip(test.args, firsts, strict=True):
        w.env[arg] = phis.add(w.type(arg.type), first, before)
    members = phis.add("i32", w.members or "-1", before) if splits else w.members
    with w.among(members, _parts([cond])):
        holds, *passed = w.run(test)
        members = w.target.count(w, holds) if splits else members
    w.do(f"br i1 {holds}, label %{inner}, label %{done}")
    w.body.start(inner)
    for arg, x in zip(body.args, passed, strict=True):
        w.env[arg] = x
    with w.among(members, _parts([cond])):
        around = w.run(body)
    phis.close([*around, *([members or "-1"] if splits else [])], w.body.label)
    w.do(f"br label %{head}")
    w.body.start(done)
    for r, x in zip(op.results, passed, strict=True):
        w.env[r] = x


CONTROL: dict[str, Callable[[Simt, Op], None]] = {"if": emit_if, "for": emit_for, "while": emit_while}
