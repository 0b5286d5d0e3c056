"""From IR to Python callables: a kernel and its launch come in, a `ReferenceProgram` goes out whose steps run whole
waves.

Each value has a slot of the wave's `env`; each op becomes one step `(wave, env) -> None`, made by the handler for its
name. Ops that hold regions or wait become generator functions, which yield where the wave waits at a barrier."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TextIO

import numpy as np

from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.types import SHARED, TensorType, VecType, dtype_of
from avelang.isa.row import ROWS
from avelang.sim import stepping
from avelang.sim.address_space import Alloc, place
from avelang.sim.async_operands import plan_of
from avelang.sim.barriers import Waiting
from avelang.sim.ops import FACTORIES, Fn, from_const
from avelang.sim.wave import Dim3, ReferenceWave

Env = list[Any]
Step = Callable[[ReferenceWave, Env], None]
Wait = Callable[[ReferenceWave, Env], Waiting]


@dataclasses.dataclass(frozen=True, slots=True)
class Waits:
    """A step that may wait: it is run with `yield from`."""

    run: Wait


Handler = Callable[["ReferenceProgram", Op], "Step | Waits | None"]


class StepRuns:
    """A block of ops, ready to run: runs of plain steps, each followed by a step that may wait (or by none)."""

    __slots__ = ("args", "outs", "runs")

    def __init__(self, steps: list[Step | Waits], args: list[int], outs: list[int]):
        self.args = args
        self.outs = outs  # slots of the terminator's operands
        self.runs: list[tuple[tuple[Step, ...], Wait | None]] = []
        plain: list[Step] = []
        for step in steps:
            if isinstance(step, Waits):
                self.runs.append((tuple(plain), step.run))
                plain = []
            else:
                plain.append(step)
        if plain:
            self.runs.append((tuple(plain), None))

    def run(self, wave: ReferenceWave, env: Env) -> Waiting:
        """Executes the block for the active lanes of the wave; yields where the wave waits."""
        for plain, wait in self.runs:
            for step in plain:
                step(wave, env)
            if wait is not None:
                yield from wait(wave, env)


class ReferenceProgram:
    """A kernel ready to run for one grid and one extent of blocks.

    `template` is what a wave's `env` begins as: constants, and (once `run` has filled them in) the kernel's arguments.
    """

    def __init__(self, kernel: Kernel, grid: Dim3, block: Dim3, handlers: Mapping[str, Handler], stdout: TextIO | None):
        self.kernel, self.grid, self.block, self.stdout = kernel, grid, block, stdout
        self.lanes: int = kernel.attrs.get("wave", 64)
        self.handlers = handlers
        self.slots: dict[Value, int] = {}
        self.template: Env = []
        self.constants: set[int] = set()
        self.allocs: dict[Op, Alloc] = {}
        self.memory: dict[str, list[Alloc]] = {}
        self.stepped: list[Op] = []  # ops of which a debugger is told
        self.numbered = 0  # ops that have a step, in textual order
        self._place_allocs()
        for p in kernel.params:
            self.slot(p)
        self.ranks = 1  # how many take part in the launch
        self.plan = plan_of(kernel)
        self.body = self.code(kernel.body)

    def _place_allocs(self) -> None:
        for space in ("shared", "local"):
            ops = [op for op in walk(self.kernel.body) if op.name == "alloc" and dtype_space(op) == space]
            self.memory[space] = place(
                [
                    (op.attrs.get("name") or op.result.name or space, tensor_bytes(op), op.attrs.get("align", 16))
                    for op in ops
                ]
            )
            for op, memory in zip(ops, self.memory[space], strict=True):
                memory.undefined = op.attrs.get("undefined", False)
            self.allocs.update(zip(ops, self.memory[space], strict=True))

    def slot(self, value: Value) -> int:
        """The index of a value in `env`."""
        if value not in self.slots:
            self.slots[value] = len(self.template)
            self.template.append(None)
        return self.slots[value]

    def constant(self, value: Value, array: Any) -> None:
        """Gives a value once and for all, in all waves."""
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
        at = self.slot(value)
        self.template[at] = array
        self.constants.add(at)

    def known(self, value: Value) -> int | None:
        """The integer that a value is in every lane of every wave, where that is known."""
        at = self.slot(value)
        array = self.template[at] if at in self.constants else None
        uniform = (
            isinstance(array, np.ndarray)
            and array.ndim == 1
            and array.dtype.kind in "iu"
            and bool((array == array[0]).all())
        )
        return int(array[0]) if uniform and array is not None else None

    def code(self, block: Block) -> StepRuns:
        """Compiles a block and the regions inside."""
        args = [self.slot(a) for a in block.args]
        steps: list[Step | Waits] = []
        outs: list[int] = []
        for op in block.ops:
            if op.name in ("yield", "condition"):
                outs = [self.slot(v) for v in op.operands]
                break
            step = self.step(op)
            if step is not None:
                steps.append(step)
        return StepRuns(steps, args, outs)

    def step(self, op: Op) -> Step | Waits | None:
        """The step that runs one op; None where nothing is left to do at run time."""
        handler = self.handlers.get(op.name) or (self.handlers["row"] if op.name in ROWS else pure)
        number = self.numbered = self.numbered + 1
        step = handler(self, op)
        if step is not None and self.plan is not None:
            step = self.plan.wrapped(self, op, step)
        who = stepping.watcher()
        return step if step is None or who is None else stepping.wrapped(who, self, op, step, number)


def dtype_space(op: Op) -> str:
    """The space in which an `alloc` makes its tensor."""
    t = op.result.type
    return t.space if isinstance(t, TensorType) else SHARED


def tensor_bytes(op: Op) -> int:
    """Bytes that an `alloc` takes: up to the last element of its static layout."""
    t = op.result.type
    assert isinstance(t, TensorType)
    last = sum(((n or 0) - 1) * (s or 0) for n, s in zip(t.shape, t.strides, strict=True))
    return 0 if 0 in t.shape else (last + 1) * t.dtype.bytes


def pure(p: ReferenceProgram, op: Op) -> Step | None:
    """The step of an op without effects, from its function in `ops.FACTORIES`; run at once where all operands are
    constants."""
    fn = FACTORIES[op.name](op)
    ins = [p.slot(v) for v in op.operands]
    if p.constants.issuperset(ins):
        p.constant(op.result, fn(*[p.template[i] for i in ins]))
        return None
    return apply(fn, ins, p.slot(op.result))


def apply(fn: Fn, ins: list[int], out: int) -> Step:
    """`env[out] = fn(*env[ins])`, spelled out for the usual numbers of operands because this is the inner loop of
    everything."""
    if len(ins) == 1:
        (a,) = ins

        def one(wave: ReferenceWave, env: Env) -> None:
            env[out] = fn(env[a])

        return one
    if len(ins) == 2:
        a, b = ins

        def two(wave: ReferenceWave, env: Env) -> None:
            env[out] = fn(env[a], env[b])

        return two

    def many(wave: ReferenceWave, env: Env) -> None:
        env[out] = fn(*[env[i] for i in ins])

    return many


def const(p: ReferenceProgram, op: Op) -> None:
    """`const`: known before anything runs."""
    t = op.result.type
    p.constant(op.result, from_const(op.attrs["value"], dtype_of(t), p.lanes, t.n if isinstance(t, VecType) else None))
