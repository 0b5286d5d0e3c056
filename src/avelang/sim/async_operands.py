"""Where values stand that asynchronous matrix instructions use: a kernel comes in; what its ops must mind that look at
such values goes out.

Kernels without such instructions have no plan, and run as if there were none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.types import LOCAL, PtrType, TensorType, VecType
from avelang.isa.row import ROWS
from avelang.isa.wave_protocol import PRODUCTS
from avelang.sim.barriers import Waiting
from avelang.sim.registers import Held, HeldOperand
from avelang.sim.wave import ReferenceWave

if TYPE_CHECKING:
    from avelang.sim.reference_program import Env, ReferenceProgram, Step, Waits

# Ops that only say which registers of their operands are meant: those operands of them.
PARTS: dict[str, slice] = {"bitcast": slice(1), "slice": slice(1), "extract": slice(1), "insert": slice(2),
                           "vec": slice(None)}
ACCESSES = {"load": 0, "ld": 0, "store": 1, "st": 1}  # which operand the memory is


def _held(op: Op) -> list[tuple[Value, bool]]:
    """The operands of a row that it goes on using, and whether it only reads them."""
    row = ROWS.get(op.name)
    return [(v, row.result != p.name)
            for p, v in zip(row.operands, op.operands, strict=True) if p.held] if row is not None else []


def _in_local(op: Op) -> bool:
    if op.name not in ACCESSES:
        return False
    t = op.operands[ACCESSES[op.name]].type
    return isinstance(t, (TensorType, PtrType)) and t.space == LOCAL


def _passed(block: Block) -> list[Value]:
    """What the terminator of a region passes on."""
    last = block.ops[-1] if block.ops else None
    if last is None or last.name not in ("yield", "condition"):
        return []
    return list(last.operands[1:] if last.name == "condition" else last.operands)


def _flows(op: Op) -> Iterator[tuple[Value, Value]]:
    """(from, to) for values that an op with regions passes on."""
    if op.name == "if":
        for region in op.regions:
            yield from zip(_passed(region), op.results, strict=False)
    elif op.name == "for":
        (body,) = op.regions
        for source in (op.operands[3:], _passed(body)):
            yield from zip(source, body.args[1:], strict=False)
            yield from zip(source, op.results, strict=False)
    elif op.name == "while":
        before, body = op.regions
        for source in (op.operands, _passed(body)):
            yield from zip(source, before.args, strict=False)
        for to in (body.args, op.results):
            yield from zip(_passed(before), to, strict=False)


class AsyncOperandPlan:
    """`maybe`: values that can be a `Held`; `parts`: those that name registers of others for such an instruction;
    `seen`: values in whose places its operands may stand before it; `read`: those that stay in use as operands that are
    only read."""

    def __init__(self, kernel: Kernel):
        ops = list(walk(kernel.body))
        self.flows = [pair for op in ops if op.regions for pair in _flows(op)]
        self.maybe = {op.results[0] for op in ops if op.results and _held(op)}
        self.maybe |= {
            op.results[0]
            for op in ops
            if op.name in ("load", "ld") and _in_local(op) and isinstance(op.result.type, VecType)
        }
        self._close(self.maybe, self.flows)
        self.parts: set[Value] = set()
        self.seen: set[Value] = set()
        self.read: set[Value] = set()
        for op in ops:
            for v, only_read in _held(op):
                roots = self.roots(v)
                self.seen |= set(roots)
                if only_read:
                    self.read |= {r for r in roots if r.op is not None}
        before = -1
        while before != len(self.seen):
            before = len(self.seen)
            self._close(self.seen, [(b, a) for a, b in self.flows])
            self.seen |= {r for v in list(self.seen) for r in self.roots(v)}

    @staticmethod
    def _close(values: set[Value], along: list[tuple[Value, Value]]) -> None:
        more = True
        while more:
            reached = {b for a, b in along if a in values} - values
            values |= reached
            more = bool(reached)

    def roots(self, v: Value) -> list[Value]:
        """The values of whose registers a value is made."""
        if v.op is None or v.op.name not in PARTS:
            return [v]
        self.parts.add(v)
        return [r for x in v.op.operands[PARTS[v.op.name]] for r in self.roots(x)]

    # -- steps ---

    def operand(self, p: ReferenceProgram, v: Value) -> Callable[[Env], HeldOperand]:
        """From an `env` to what the meaning of a row gets for an operand that it goes on using."""
        at, slots = p.slot(v), [p.slot(r) for r in self.roots(v)]
        return lambda env: HeldOperand(env[at], [env[s] for s in slots], slots)

    def wrapped(self, p: ReferenceProgram, op: Op, step: Step | Waits) -> Step | Waits:
        """The step of an op, with what it must mind."""
        if op.regions:
            return step
        if op.name in ("store", "st") and _in_local(op) and op.operands[0] in self.maybe:
            assert callable(step)
            return self._storing(p, op, step)
        out = step
        if op.name in ("load", "ld") and op.results[0] in self.maybe:
            assert callable(step)
            out = self._loading(p, op, step)
        mine = [v for v, _ in _held(op)]
        slots = [p.slot(v) for v in op.operands if v in self.maybe and v not in mine]
        if slots:
            out = self._reading(op, slots, out,
                                bool(op.results) and op.results[0] in self.parts and op.name != "extract")
        if op.results and op.results[0] in self.read:
            out = self._writing(op, p.slot(op.results[0]), out)
        return out

    @staticmethod
    def _around(step: Step | Waits, before: Callable[[ReferenceWave, Env], list[tuple[int, Held]]]) -> Step | Waits:
        """A step behind `before`, and the slots behind it as `before` says."""
        if callable(step):

            def plain(wave: ReferenceWave, env: Env) -> None:
                back = before(wave, env)
                step(wave, env)
                for slot, held in back:
                    env[slot] = held

            return plain
        run = step.run

        def waits(wave: ReferenceWave, env: Env) -> Waiting:
            back = before(wave, env)
            yield from run(wave, env)
            for slot, held in back:
                env[slot] = held

        return type(step)(waits)

    def _reading(self, op: Op, slots: list[int], step: Step | Waits, named: bool) -> Step | Waits:
        """Ordinary code reads the values; where they are only `named`, that is no access."""

        def before(wave: ReferenceWave, env: Env) -> list[tuple[int, Held]]:
            back = [(s, env[s]) for s in slots if isinstance(env[s], Held)]
            for slot, held in back:
                wave.op = op
                if named:
                    held.home.complete(held)
                env[slot] = held.data if named else held.read(op)
            return back

        return self._around(step, before)

    def _writing(self, op: Op, slot: int, step: Step | Waits) -> Step | Waits:
        def before(wave: ReferenceWave, env: Env) -> list[tuple[int, Held]]:
            assert wave.products is not None
            if wave.products.reading.get(slot, 0) > wave.products.done:
                wave.op = op
                wave.products.overwritten(slot)
            return []

        return self._around(step, before)

    @staticmethod
    def _storing(p: ReferenceProgram, op: Op, step: Step) -> Step:
        """Local memory is registers: a value stays what it is there."""
        slot = p.slot(op.operands[0])

        def store(wave: ReferenceWave, env: Env) -> None:
            value = env[slot]
            if not isinstance(value, Held):
                step(wave, env)
                return
            assert wave.products is not None
            env[slot] = value.data
            step(wave, env)
            env[slot] = value
            wave.products.keep(value)

        return store

    @staticmethod
    def _loading(p: ReferenceProgram, op: Op, step: Step) -> Step:
        out = p.slot(op.results[0])

        def load(wave: ReferenceWave, env: Env) -> None:
            step(wave, env)
            assert wave.products is not None
            env[out] = wave.products.found or wave.products.taken(env[out])

        return load


def plan_of(kernel: Kernel) -> AsyncOperandPlan | None:
    """The plan of a kernel; None where it has no such instructions."""
    return AsyncOperandPlan(kernel) if any(op.name.startswith(PRODUCTS) for op in walk(kernel.body)) else None
