"""Loops: `for` and `while` come in; a branch back goes out, for all lanes alike or under a mask while any lane goes on.

A carried value is a phi for each of its parts; a big vector is a slot of stack memory instead, which the code in the
loop updates in place where nobody else reads it. """

from __future__ import annotations

from collections.abc import Callable, Sequence

from avelang.emit.llvm.cpu_check import emit_look
from avelang.emit.llvm.cpu_parts import is_big, parts, shape, unparts
from avelang.emit.llvm.cpu_values import Elems, Rep, S, Scalar, StackVector, V, elem
from avelang.emit.llvm.cpu_vectors import elements, slot_load, slot_store, to_slot
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Block, Op, Value
from avelang.ir.dtypes import DType, i64, u1
from avelang.ir.types import PtrType, Type, VecType

Run = Callable[[WaveWriter, Block], None]


class Carried:
    """The values that a loop carries: a phi for each part, or a slot."""

    def __init__(self, w: WaveWriter, inits: Sequence[Value], args: Sequence[Value], divergent: bool):
        self.w, self.args, self.divergent = w, args, divergent
        self.wide = [divergent or not a.uniform for a in args]
        self.slots: list[StackVector | None] = []
        self.init: list[list[tuple[str, str]]] = []
        for v, a, wide in zip(inits, args, self.wide, strict=True):
            if isinstance(a.type, VecType) and is_big(w, a.type):
                self.slots.append(self._adopt(v, a.type))
                self.init.append([])
            else:
                self.slots.append(None)
                self.init.append(parts(w, w.env[v], a.type, wide))
        self.names = [["%" + w.body.fresh("c") for _ in shape(w, a.type, wide)] if s is None else []
                      for a, wide, s in zip(args, self.wide, self.slots, strict=True)]  # fmt: skip

    def _adopt(self, v: Value, t: VecType) -> StackVector:
        """The initial value's own slot where nobody else needs it, else a copy."""
        rep = self.w.env[v]
        if isinstance(rep, StackVector) and rep.owned and self.w.dies(v) and not self.divergent:
            return rep
        return to_slot(self.w, rep, t)

    def phis(self, entry: str) -> None:
        """Writes the phis; the values of the back edge are added by `close`."""
        self.marks: list[tuple[int, int, str]] = []
        for i, (init, names) in enumerate(zip(self.init, self.names, strict=True)):
            for j, ((t, x), name) in enumerate(zip(init, names, strict=True)):
                self.marks.append((i, j, f"  {name} = phi {t} [ {x}, %{entry} ], "))
                self.w.body.lines.append("")
        self.at = len(self.w.body.lines) - len(self.marks)

    def close(self, texts: list[list[tuple[str, str]]], latch: str) -> None:
        """Completes the phis with what comes from the block `latch`."""
        for n, (i, j, text) in enumerate(self.marks):
            self.w.body.lines[self.at + n] = f"{text}[ {texts[i][j][1]}, %{latch} ]"

    def reps(self, owned: bool) -> list[Rep]:
        """The carried values' forms at the head of the loop."""
        out: list[Rep] = []
        for a, names, slot, wide in zip(self.args, self.names, self.slots, self.wide, strict=True):
            out.append(
                unparts(self.w, names, a.type, wide)
                if slot is None
                else StackVector(slot.ptr, slot.n, slot.elem, owned and not self.divergent)
            )
        return out

    def next(self, values: Sequence[Value], active: str | None) -> list[list[tuple[str, str]]]:
        """The values carried into the next trip: new values in active lanes, the old ones elsewhere. Slots are written
        here."""
        w, out = self.w, []
        pending: list[tuple[StackVector, VecType, tuple[Scalar, ...]]] = []
        for v, a, names, slot, wide in zip(values, self.args, self.names, self.slots, self.wide, strict=True):
            rep = w.env[v]
            if slot is None:
                new = parts(w, rep, a.type, wide)
                if active is not None:
                    new = [
                        (t, w.op(f"select {w.t('i1')} {active}, {t} {x}, {t} {old}"))
                        for (t, x), old in zip(new, names, strict=True)
                    ]
                out.append(new)
                continue
            out.append([])
            assert isinstance(a.type, VecType)
            if not (isinstance(rep, StackVector) and rep.ptr == slot.ptr):
                # All are read before any is written: a loop may swap two vectors.
                pending.append((slot, a.type, tuple(V(w.vec(x, a.type.dtype)) for x in elements(w, rep, a.type))))
        for slot, t, items in pending:
            if active is not None:
                items = tuple(self._keep(active, w.vec(x, t.dtype), slot, i) for i, x in enumerate(items))
            to_slot(w, Elems(items), t, slot)
        return out

    def _keep(self, active: str, new: str, slot: StackVector, i: int) -> V:
        w, t = self.w, self.w.t(slot.elem)
        return V(w.op(f"select {w.t('i1')} {active}, {t} {new}, {t} {slot_load(w, slot, str(i))}"))


LASTS = 1 << 14  # ops in all trips of a loop that may be left without a look at whether the launch is to stop


def _ops(block: Block) -> int:
    """Ops that run, loops of known length counted through; one that looks by itself counts once."""
    return sum(
        1 if op.name == "while" else _all_trips(op) or 1 if op.name == "for" else 1 + sum(map(_ops, op.regions))
        for op in block.ops
    )


def _known(op: Op, i: int) -> int | None:
    made = op.operands[i].op
    return made.attrs["value"] if made is not None and made.name == "const" else None


def _all_trips(op: Op) -> int | None:
    """Ops in all trips of a `for`; None where the number of trips is not known."""
    start, stop, step = (_known(op, i) for i in range(3))
    if start is None or stop is None or not step:
        return None
    return len(range(start, stop, step)) * _ops(op.regions[0])


def lasts(op: Op) -> bool:
    """True for a `for` that may take long."""
    total = _all_trips(op)
    return total is None or total > LASTS


def emit_for(w: WaveWriter, op: Op, run: Run) -> None:
    """A `for`: Python's range."""
    bounds = [w.scalar(v) for v in op.operands[:3]]
    if all(isinstance(x, S) for x in bounds):
        _Counted(w, op, [x for x in bounds if isinstance(x, S)], run).emit()
    else:
        _lanes_for(w, op, bounds, run)


class _Counted:
    """A `for` that all lanes run alike. It tests before the first trip and behind each, and never computes a number
    beyond the range."""

    def __init__(self, w: WaveWriter, op: Op, bounds: list[S], run: Run):
        self.w, self.op, self.run = w, op, run
        self.d = op.operands[0].type
        assert isinstance(self.d, DType)
        self.start, self.stop, self.step = bounds

    def _icmp(self, pred: str, a: str, b: str) -> str:
        assert isinstance(self.d, DType)
        sign = "s" if self.d.kind == "int" else "u"
        return self.w.op(f"icmp {sign}{pred} i{self.d.bits} {a}, {b}")

    def _first(self) -> str:
        """An i1: there is a trip at all."""
        up = self._icmp("lt", self.start.text, self.stop.text)
        if self._up():
            return up
        down = self._icmp("gt", self.start.text, self.stop.text)
        sign = self._icmp("gt", self.step.text, "0")
        assert isinstance(self.d, DType)
        if self.d.kind == "int":
            negative = self._icmp("lt", self.step.text, "0")
            down = self.w.op(f"and i1 {negative}, {down}")
            return self.w.op(f"or i1 {down}, {self.w.op(f'and i1 {sign}, {up}')}")
        return self.w.op(f"and i1 {sign}, {up}")

    def _up(self) -> bool:
        """True where the step is known to be positive."""
        return self.step.const is not None and self._number(self.step.const) > 0

    def _number(self, x: int) -> int:
        assert isinstance(self.d, DType)
        return x if self.d.kind == "int" else x & ((1 << self.d.bits) - 1)

    def _more(self, i: str, following: str) -> str:
        """An i1: another trip comes after the one with `i`."""
        assert isinstance(self.d, DType)
        t, w = f"i{self.d.bits}", self.w
        if self._up() and self.step.const == 1:
            return self._icmp("lt", following, self.stop.text)
        left = w.op(f"sub {t} {self.stop.text}, {i}")
        more = w.op(f"icmp ugt {t} {left}, {self.step.text}")
        if self._up() or self.d.kind == "uint":
            return more
        back, size = w.op(f"sub {t} {i}, {self.stop.text}"), w.op(f"sub {t} 0, {self.step.text}")
        fewer = w.op(f"icmp ugt {t} {back}, {size}")
        return w.op(f"select i1 {self._icmp('lt', self.step.text, '0')}, i1 {fewer}, i1 {more}")

    def emit(self) -> None:
        w, body, block = self.w, self.w.body, self.op.regions[0]
        assert isinstance(self.d, DType)
        t = f"i{self.d.bits}"
        carried = Carried(w, self.op.operands[3:], block.args[1:], False)
        head, done, i = body.fresh("loop"), body.fresh("done"), "%" + body.fresh("i")
        entry = body.label
        first = self._first()
        body.do(f"br i1 {first}, label %{head}, label %{done}")
        body.start(head)
        counter = len(body.lines)
        body.lines.append("")
        carried.phis(entry)
        # A start of 0 and a step of a power of two make the counter a multiple.
        tz = min(self.start.tz, self.step.tz)
        with w.region(block, w.mask):
            w.bind(block.args[0], S(i, tz))
            for a, rep in zip(block.args[1:], carried.reps(True), strict=True):
                w.bind(a, rep)
            self.run(w, block)
            out = carried.next(block.terminator.operands, None)
            following = w.op(f"add {t} {i}, {self.step.text}")
            more = self._more(i, following)
            if lasts(self.op):
                emit_look(w)
        latch = body.label
        body.do(f"br i1 {more}, label %{head}, label %{done}")
        body.lines[counter] = f"  {i} = phi {t} [ {self.start.text}, %{entry} ], [ {following}, %{latch} ]"
        carried.close(out, latch)
        body.start(done)
        for r, init, new, slot, wide in zip(
            self.op.results, carried.init, out, carried.slots, carried.wide, strict=True
        ):
            if slot is not None:
                w.bind(r, StackVector(slot.ptr, slot.n, slot.elem))
            else:
                texts = [
                    w.op(f"phi {t} [ {a}, %{entry} ], [ {b}, %{latch} ]")
                    for (t, a), (_, b) in zip(init, new, strict=True)
                ]
                w.bind(r, unparts(w, texts, r.type, wide))


class _Lanes:
    """A loop whose trips differ from lane to lane: it goes on while any lane is active."""

    def __init__(self, w: WaveWriter, inits: Sequence[Value], args: Sequence[Value]):
        self.w, self.outer = w, w.mask
        self.carried = Carried(w, inits, args, True)
        fresh = w.body.fresh
        self.head, self.enter, self.done = fresh("loop"), fresh("enter"), fresh("done")
        self.mask = "%" + fresh("mask")

    def open(self, first: str) -> None:
        """Starts the head with the mask `first`."""
        body = self.w.body
        self.entry = body.label
        body.do(f"br label %{self.head}")
        body.start(self.head)
        self.first, self.at = first, len(body.lines)
        body.lines.append("")
        self.carried.phis(self.entry)

    def close(self, out: list[list[tuple[str, str]]], following: str) -> None:
        """Back to the head with the mask `following`."""
        body, t = self.w.body, self.w.t("i1")
        latch = body.label
        body.do(f"br label %{self.head}")
        body.lines[self.at] = f"  {self.mask} = phi {t} [ {self.first}, %{self.entry} ], [ {following}, %{latch} ]"
        self.carried.close(out, latch)
        body.start(self.done)


def _lanes_for(w: WaveWriter, op: Op, bounds: list[Scalar], run: Run) -> None:
    block, d = op.regions[0], op.operands[0].type
    assert isinstance(d, DType)
    body, t, e, i1 = w.body, w.t(elem(d)), elem(d), w.t("i1")
    start, stop, step = (w.vec(x, d) for x in bounds)
    s = "s" if d.kind == "int" else "u"
    zero = w.splat("0", e)
    up = w.op(f"icmp {s}gt {t} {step}, {zero}")
    down = w.op(f"icmp {s}lt {t} {step}, {zero}")

    def either(a: str, b: str) -> str:
        return w.op(f"or {i1} {w.op(f'and {i1} {up}, {a}')}, {w.op(f'and {i1} {down}, {b}')}")

    first = either(w.op(f"icmp {s}lt {t} {start}, {stop}"), w.op(f"icmp {s}gt {t} {start}, {stop}"))
    first = w.op(f"and {i1} {w.mask_text(w.mask)}, {first}")
    loop = _Lanes(w, op.operands[3:], block.args[1:])
    i = "%" + body.fresh("i")
    loop.open(first)
    body.lines.insert(loop.at + 1, "")
    loop.carried.at += 1
    body.do(f"br i1 {w.any(loop.mask)}, label %{loop.enter}, label %{loop.done}")
    body.start(loop.enter)
    with w.region(block, loop.mask):
        w.bind(block.args[0], V(i))
        for a, rep in zip(block.args[1:], loop.carried.reps(False), strict=True):
            w.bind(a, rep)
        run(w, block)
        out = loop.carried.next(block.terminator.operands, loop.mask)
        left, back = w.op(f"sub {t} {stop}, {i}"), w.op(f"sub {t} {i}, {stop}")
        more = either(
            w.op(f"icmp ugt {t} {left}, {step}"), w.op(f"icmp ugt {t} {back}, {w.op(f'sub {t} {zero}, {step}')}")
        )
        following = w.op(f"and {i1} {loop.mask}, {more}")
        added = w.op(f"add {t} {i}, {step}")
        if lasts(op):
            emit_look(w)
    latch = body.label
    loop.close(out, following)
    body.lines[loop.at + 1] = f"  {i} = phi {t} [ {start}, %{loop.entry} ], [ {added}, %{latch} ]"
    for r, rep in zip(op.results, loop.carried.reps(True), strict=True):
        w.bind(r, StackVector(rep.ptr, rep.n, rep.elem) if isinstance(rep, StackVector) else rep)


def emit_while(w: WaveWriter, op: Op, run: Run) -> None:
    """A `while`: its first region decides, its second is the body."""
    if op.regions[0].terminator.operands[0].uniform:
        _uniform_while(w, op, run)
    else:
        _lanes_while(w, op, run)


def _uniform_while(w: WaveWriter, op: Op, run: Run) -> None:
    test, block = op.regions
    body = w.body
    carried = Carried(w, op.operands, test.args, False)
    head, enter, done = body.fresh("loop"), body.fresh("enter"), body.fresh("done")
    entry = body.label
    body.do(f"br label %{head}")
    body.start(head)
    carried.phis(entry)
    with w.region(test, w.mask):
        for a, rep in zip(test.args, carried.reps(True), strict=True):
            w.bind(a, rep)
        run(w, test)
        cond, *passed = test.terminator.operands
        go = w.one(w.env[cond], u1)
    body.do(f"br i1 {go.text}, label %{enter}, label %{done}")
    body.start(enter)
    with w.region(block, w.mask):
        for a, v in zip(block.args, passed, strict=True):
            w.bind(a, w.env[v])
        run(w, block)
        out = carried.next(block.terminator.operands, None)
        emit_look(w)
    latch = body.label
    body.do(f"br label %{head}")
    carried.close(out, latch)
    body.start(done)
    for r, v in zip(op.results, passed, strict=True):
        w.bind(r, w.env[v])


def _lanes_while(w: WaveWriter, op: Op, run: Run) -> None:
    test, block = op.regions
    body, i1 = w.body, w.t("i1")
    loop = _Lanes(w, op.operands, test.args)
    # The results: what each lane passed when it last ran the test.
    kept = [
        w.new_slot(r.type) if isinstance(r.type, VecType) else w.new_slot(VecType(_dtype(r.type), 1))
        for r in op.results
    ]
    loop.open(w.mask_text(w.mask))
    with w.region(test, loop.mask):
        for a, rep in zip(test.args, loop.carried.reps(False), strict=True):
            w.bind(a, rep)
        run(w, test)
        cond, *passed = test.terminator.operands
        for slot, v in zip(kept, passed, strict=True):
            for i, (t, x) in enumerate(parts(w, w.env[v], v.type, True)):
                merged = w.op(f"select {i1} {loop.mask}, {t} {x}, {t} {slot_load(w, slot, str(i))}")
                slot_store(w, slot, str(i), merged)
        going = w.narrow(loop.mask, w.env[cond])
        assert isinstance(going, str)
        body.do(f"br i1 {w.any(going)}, label %{loop.enter}, label %{loop.done}")
        body.start(loop.enter)
    with w.region(block, going):
        for a, v in zip(block.args, passed, strict=True):
            w.bind(a, w.env[v])
        run(w, block)
        out = loop.carried.next(block.terminator.operands, going)
        emit_look(w)
    loop.close(out, going)
    for r, slot in zip(op.results, kept, strict=True):
        texts = [slot_load(w, slot, str(i)) for i in range(slot.n)]
        w.bind(r, unparts(w, texts, r.type, True))


def _dtype(t: Type) -> DType:
    if isinstance(t, PtrType):
        return i64
    assert isinstance(t, DType)
    return t
