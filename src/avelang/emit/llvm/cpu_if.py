"""`if` comes in; a branch goes out where all lanes agree, both sides under masks and a blend of their results where
they do not.

Where lanes may differ, agreement is still looked for as the code runs: a side that no lane takes is jumped over, and a
short side that touches memory gets a second version for when all lanes take it, in which accesses need no mask. (A
range check fails at an edge only.) """

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from avelang.emit.llvm.cpu_parts import is_big, parts, unparts
from avelang.emit.llvm.cpu_values import Aos, Bools, Mask, Rep, S, Scalar, StackVector
from avelang.emit.llvm.cpu_vectors import REGISTER, pow2, rechunk, slot_load, slot_store, to_aos, to_slot
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Block, Op, Value
from avelang.ir.dtypes import u1
from avelang.ir.types import VecType

Run = Callable[[WaveWriter, Block], None]
Parts = list[tuple[str, str]]
SHORT = 12  # ops of a side that is worth two versions


def emit_if(w: WaveWriter, op: Op, run: Run) -> None:
    """An `if` of any kind of condition."""
    cond = w.scalar(op.operands[0])
    if isinstance(cond, Bools) and not isinstance(w.mask, str):
        sides = [w.narrow(w.mask, cond, negate) for negate in (False, True)]
        alive = [not (isinstance(m, np.ndarray) and not m.any()) for m in sides]
        if not all(alive):
            block = op.regions[0 if alive[0] else 1]
            with w.region(block, w.mask):
                run(w, block)
            for r, v in zip(op.results, block.terminator.operands, strict=True):
                w.bind(r, w.env[v])
            return
    if isinstance(cond, S):
        _Uniform(w, op, cond, run).emit()
    else:
        _Divergent(w, op, cond, run).emit()


class _StackResult:
    """Stack memory through which a big result passes: as a slot, or lane after lane if that is the form in which the
    first side gives it."""

    def __init__(self, w: WaveWriter, t: VecType):
        self.w, self.t = w, t
        self.slot = w.new_slot(t)
        self.aos: bool | None = None

    def put(self, rep: Rep) -> None:
        w, t = self.w, self.t
        if self.aos is None:
            self.aos = isinstance(rep, Aos) and pow2(t.n) and t.bits <= REGISTER
        if not self.aos:
            to_slot(w, rep, t, self.slot)
            return
        for i, chunk in enumerate(self._whole(to_aos(w, rep, t)).chunks):
            w.do(f"store {self._type()} {chunk}, ptr {self._place(i)}, align 64")

    def get(self) -> Rep:
        if not self.aos:
            return StackVector(self.slot.ptr, self.slot.n, self.slot.elem)
        chunks = tuple(
            self.w.op(f"load {self._type()}, ptr {self._place(i)}, align 64")
            for i in range(self.w.W * self.t.bits // REGISTER)
        )
        return Aos(self.t.dtype.bits, self.t.n, 0, self.t.n, chunks, REGISTER // self.t.bits)

    def _whole(self, a: Aos) -> Aos:
        return rechunk(self.w, a, REGISTER // self.t.bits)

    def _type(self) -> str:
        return f"<{REGISTER // self.t.dtype.bits} x i{self.t.dtype.bits}>"

    def _place(self, i: int) -> str:
        return self.w.op(f"getelementptr i8, ptr {self.slot.ptr}, i64 {i * REGISTER // 8}")


class _Results:
    """The results of an `if` as they come from each block that jumps to the join."""

    def __init__(self, w: WaveWriter, op: Op):
        self.w, self.op = w, op
        self.memory = [
            _StackResult(w, r.type) if isinstance(r.type, VecType) and is_big(w, r.type) else None for r in op.results
        ]
        self.wide = [not r.uniform for r in op.results]
        self.sources: list[tuple[str, list[Parts]]] = []

    def leave(self, reps: list[Rep], label: str) -> None:
        """Writes what the current block gives, and the jump to the join."""
        w, out = self.w, []
        for rep, r, memory, wide in zip(reps, self.op.results, self.memory, self.wide, strict=True):
            if memory is not None:
                memory.put(rep)
            out.append([] if memory is not None else parts(w, rep, r.type, wide))
        self.sources.append((w.body.label, out))
        w.do(f"br label %{label}")

    def join(self, label: str) -> None:
        """Starts the join and binds the results."""
        w = self.w
        w.body.start(label)
        bound: list[Rep | list[str]] = []
        for i, memory in enumerate(self.memory):
            columns = zip(*(source[i] for _, source in self.sources), strict=True) if memory is None else ()
            bound.append([self._phi(column) for column in columns])
        for i, (r, memory, wide) in enumerate(zip(self.op.results, self.memory, self.wide, strict=True)):
            texts = bound[i]
            assert isinstance(texts, list)
            w.bind(r, memory.get() if memory is not None else unparts(w, texts, r.type, wide))

    def _phi(self, column: tuple[tuple[str, str], ...]) -> str:
        incoming = ", ".join(f"[ {x}, %{label} ]" for (_, x), (label, _) in zip(column, self.sources, strict=True))
        return self.w.op(f"phi {column[0][0]} {incoming}")


class _Uniform:
    """All active lanes take the same side."""

    def __init__(self, w: WaveWriter, op: Op, cond: S, run: Run):
        self.w, self.op, self.cond, self.run = w, op, cond, run

    def emit(self) -> None:
        w, body = self.w, self.w.body
        results = _Results(w, self.op)
        labels, join = [body.fresh("then"), body.fresh("else")], body.fresh("join")
        body.do(f"br i1 {self.cond.text}, label %{labels[0]}, label %{labels[1]}")
        for label, block in zip(labels, self.op.regions, strict=True):
            body.start(label)
            with w.region(block, w.mask):
                self.run(w, block)
                results.leave([w.env[v] for v in block.terminator.operands], join)
        results.join(join)


@dataclasses.dataclass(slots=True)
class _SideResults:
    """Results of a side that may have been jumped over: parts, or vectors on the stack."""

    parts: list[Parts]
    slots: list[StackVector | None]


class _Divergent:
    """Lanes may take different sides."""

    def __init__(self, w: WaveWriter, op: Op, cond: Scalar, run: Run):
        self.w, self.op, self.cond, self.run = w, op, cond, run

    def emit(self) -> None:
        w, body, op = self.w, self.w.body, self.op
        taken, other = (w.narrow(w.mask, self.cond, negate) for negate in (False, True))
        if not self._twice(other):
            self._both(taken, other)
            return
        results = _Results(w, op)
        every, some, join = (body.fresh(x) for x in ("every", "some", "join"))
        body.do(f"br i1 {w.any(other)}, label %{some}, label %{every}")
        body.start(every)
        block = op.regions[0]
        with w.region(block, w.mask):
            self.run(w, block)
            results.leave([w.env[v] for v in block.terminator.operands], join)
        body.start(some)
        with w.region(w.here, w.mask):
            results.leave(self._both(taken, other), join)
        results.join(join)

    def _twice(self, other: Mask) -> bool:
        ops = self.op.regions[0].ops
        touches = any(x.name in ("ld", "st") for x in ops)
        # Within divergent code, which is rare to run, one version is enough.
        return (
            isinstance(other, str)
            and not isinstance(self.w.mask, str)
            and touches
            and len(ops) <= SHORT
            and not any(x.regions for x in ops)
        )

    def _both(self, taken: Mask, other: Mask) -> list[Rep]:
        """Both sides under their masks; binds the results and gives their forms."""
        w = self.w
        sides = [self._side(block, mask) for block, mask in zip(self.op.regions, (taken, other), strict=True)]
        cond, i1 = w.vec(self.cond, u1), w.t("i1")
        out: list[Rep] = []
        for i, r in enumerate(self.op.results):
            a, b = (s.slots[i] for s in sides)
            if a is not None and b is not None:
                for e in range(a.n):
                    x, y = (slot_load(w, s, str(e)) for s in (a, b))
                    slot_store(w, a, str(e), w.op(f"select {i1} {cond}, {w.t(a.elem)} {x}, {w.t(a.elem)} {y}"))
                out.append(a)
            else:
                pairs = zip(sides[0].parts[i], sides[1].parts[i], strict=True)
                texts = [w.op(f"select {i1} {cond}, {t} {x}, {t} {y}") for (t, x), (_, y) in pairs]
                out.append(unparts(w, texts, r.type, True))
            w.bind(r, out[-1])
        return out

    def _side(self, block: Block, mask: Mask) -> _SideResults:
        w, body = self.w, self.w.body
        values = block.terminator.operands
        slots = [w.new_slot(v.type) if isinstance(v.type, VecType) and is_big(w, v.type) else None for v in values]
        if len(block.ops) == 1:
            # Nothing to run: what it yields was made outside.
            return _SideResults(self._leave(values, slots), slots)
        enter, end, before = body.fresh("side"), body.fresh("beside"), body.label
        body.do(f"br i1 {w.any(mask)}, label %{enter}, label %{end}")
        body.start(enter)
        with w.region(block, mask):
            self.run(w, block)
            left = self._leave(values, slots)
        last = body.label
        body.do(f"br label %{end}")
        body.start(end)
        merged = [[(t, w.op(f"phi {t} [ {x}, %{last} ], [ {_zero(t)}, %{before} ]")) for t, x in p] for p in left]
        return _SideResults(merged, slots)

    def _leave(self, values: list[Value], slots: list[StackVector | None]) -> list[Parts]:
        w, out = self.w, []
        for v, slot in zip(values, slots, strict=True):
            if slot is not None:
                assert isinstance(v.type, VecType)
                to_slot(w, w.env[v], v.type, slot)
            out.append([] if slot is not None else parts(w, w.env[v], v.type, True))
        return out


def _zero(t: str) -> str:
    return "zeroinitializer" if t.startswith("<") else {"float": "0.0", "double": "0.0", "i1": "false"}.get(t, "0")
