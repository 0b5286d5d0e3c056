"""Control flow: divergence is masks. Each op with regions becomes a generator that narrows the wave's mask, runs its
regions and merges."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from avelang.ir.core import OPS, Op, walk
from avelang.ir.types import GLOBAL, LOCAL, PtrType, TensorType, dtype_of
from avelang.isa.wave_protocol import SYSTEM, polls, scope
from avelang.sim.address_space import Mask
from avelang.sim.barriers import Ready, Waiting
from avelang.sim.memory_ops import merge
from avelang.sim.reference_program import Env, ReferenceProgram, Step, StepRuns, Waits
from avelang.sim.wave import ReferenceWave


def _merged(mask: np.ndarray, new: list[Any], old: list[Any]) -> list[Any]:
    return [merge(mask, a, b) for a, b in zip(new, old, strict=True)]


def _get(env: Env, slots: list[int]) -> list[Any]:
    return [env[s] for s in slots]


def _set(env: Env, slots: list[int], values: list[Any]) -> None:
    for s, v in zip(slots, values, strict=True):
        env[s] = v


def barrier(p: ReferenceProgram, op: Op) -> Waits:
    """The wave waits until every wave of the block has come."""

    def run(wave: ReferenceWave, env: Env) -> Waiting:
        wave.op = op
        number = int(env[named][wave.mask.first]) if named is not None else 0
        yield from wave.barrier(number, threads, wait)

    named = p.slot(op.operands[0]) if op.operands else None
    threads, wait = op.attrs.get("threads", 0), op.attrs.get("wait", 1) == 1
    return Waits(run)


def pause(p: ReferenceProgram, op: Op) -> Waits:
    """The other waves have a turn."""

    def run(wave: ReferenceWave, env: Env) -> Waiting:
        wave.op = op
        if not op.attrs.get("done"):
            yield None

    return Waits(run)


def fence(p: ReferenceProgram, op: Op) -> Step:
    """The wave's accesses before it come before those behind it."""

    def step(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        wave.fence_memory(scope(op.name, op.attrs) == SYSTEM)

    return step


def cluster_arrive(p: ReferenceProgram, op: Op) -> Step:
    """The wave arrives at the barrier of its cluster."""

    def step(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        wave.cluster_arrive()

    return step


def cluster_wait(p: ReferenceProgram, op: Op) -> Waits:
    """The wave waits until all waves of the cluster have come."""

    def run(wave: ReferenceWave, env: Env) -> Waiting:
        wave.op = op
        yield from wave.cluster_wait()

    return Waits(run)


def if_(p: ReferenceProgram, op: Op) -> Waits:
    """Both regions, each where its lanes are; the results are merged lane by lane."""
    cond = p.slot(op.operands[0])
    then, other = (p.code(r) for r in op.regions)
    results = [p.slot(r) for r in op.results]
    ends = [region for i, region in enumerate((then, other)) if op.attrs.get("returned", 0) >> i & 1]

    def branch(code: StepRuns, mask: Mask, wave: ReferenceWave, env: Env) -> Generator[Ready | None, None, list[Any]]:
        wave.mask = mask
        yield from code.run(wave, env)
        if code in ends:
            wave.gone = wave.gone | mask.active
        return _get(env, code.outs)

    def run(wave: ReferenceWave, env: Env) -> Waiting:
        outer, c = wave.mask, env[cond]
        taken = Mask(c & outer.active)
        if taken.count == outer.count:
            values = yield from branch(then, outer, wave, env)
        elif taken.count == 0:
            values = yield from branch(other, outer, wave, env)
        else:
            values = yield from branch(then, taken, wave, env)
            values = _merged(c, values, (yield from branch(other, Mask(outer.active & ~c), wave, env)))
        wave.mask = outer
        _set(env, results, values)

    return Waits(run)


def trips(start: int, stop: int, step: int) -> int:
    """The number of trips of Python's range; none for a step of 0."""
    if step == 0:
        return 0
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


def for_(p: ReferenceProgram, op: Op) -> Waits:
    """Bounds are read once. Where they agree in all active lanes the loop is Python's; else each lane counts its own
    trips."""
    bounds = [p.slot(v) for v in op.operands[:3]]
    initial = [p.slot(v) for v in op.operands[3:]]
    (body,) = (p.code(r) for r in op.regions)
    index, *carried = body.args
    results = [p.slot(r) for r in op.results]
    np_type, lanes = dtype_of(op.operands[0].type).np, p.lanes

    def uniform(n: int, first: int, step: int, values: list[Any], wave: ReferenceWave,
                env: Env) -> Generator[Ready | None, None, list[Any]]:
        for i in range(n):
            env[index] = np.full(lanes, first + i * step, np_type)
            _set(env, carried, values)
            yield from body.run(wave, env)
            values = _get(env, body.outs)
        return values

    def divergent(
        n: np.ndarray, start: np.ndarray, step: np.ndarray, values: list[Any], wave: ReferenceWave, env: Env
    ) -> Generator[Ready | None, None, list[Any]]:
        outer, at = wave.mask, start
        for i in range(int(n[outer.active].max())):
            wave.mask = Mask(outer.active & (i < n))
            env[index] = at
            _set(env, carried, values)
            yield from body.run(wave, env)
            values = _merged(wave.mask.active, _get(env, body.outs), values)
            at = at + step
        wave.mask = outer
        return values

    def run(wave: ReferenceWave, env: Env) -> Waiting:
        start, stop, step = _get(env, bounds)
        triples = list(zip(*(x[wave.mask.active].tolist() for x in (start, stop, step)), strict=True))
        values = _get(env, initial)
        if all(t == triples[0] for t in triples):
            first, _, by = triples[0]
            values = yield from uniform(trips(*triples[0]), first, by, values, wave, env)
        else:
            n = np.zeros(lanes, object)
            n[wave.mask.active] = [trips(*t) for t in triples]
            values = yield from divergent(n, start, step, values, wave, env)
        _set(env, results, values)

    return Waits(run)


def _same(a: Any, b: Any) -> bool:
    """Whether a value is what it was, bit for bit, as far as that is cheap to see."""
    return a is b or (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.tobytes() == b.tobytes())


def _looks(op: Op) -> tuple[bool, bool, bool]:
    """Of a loop: whether it reads memory that others write, whether that is global memory, and whether it may come to
    nothing new: it neither prints nor meets others."""
    ops = [x for region in op.regions for x in walk(region)]
    spaces = {
        v.type.space
        for x in ops
        if "read" in OPS[x.name].effects
        for v in x.operands
        if isinstance(v.type, (TensorType, PtrType))
    } - {LOCAL}
    still = not any("io" in OPS[x.name].effects or ("sync" in OPS[x.name].effects and not polls(x.name)) for x in ops)
    return bool(spaces), GLOBAL in spaces, still


def while_(p: ReferenceProgram, op: Op) -> Waits:
    """A lane leaves when its condition fails, with what `condition` passed then. A trip that reads memory gives the
    others a turn: they may write what it waits for. One after which all is as before says so (None)."""
    initial = [p.slot(v) for v in op.operands]
    before, body = (p.code(r) for r in op.regions)
    results = [p.slot(r) for r in op.results]
    reads, wide, still = _looks(op)

    def turn(wave: ReferenceWave, idle: bool) -> Waiting:
        if idle:
            wave.op, wave.awaits = op, wide
            yield None
        elif reads:
            yield _at_once

    def run(wave: ReferenceWave, env: Env) -> Waiting:
        outer, values = wave.mask, _get(env, initial)
        left = values
        while wave.mask.count:
            old, changes, lanes = values, wave.changes, wave.mask.count
            _set(env, before.args, values)
            yield from before.run(wave, env)
            cond, *values = _get(env, before.outs)
            left = values if wave.mask is outer else _merged(wave.mask.active, values, left)
            if not cond[wave.mask.active].all():
                wave.mask = Mask(wave.mask.active & cond)
                if not wave.mask.count:
                    break
            _set(env, body.args, values)
            yield from body.run(wave, env)
            values = _get(env, body.outs)
            unchanged = still and changes == wave.changes and lanes == wave.mask.count and all(map(_same, values, old))
            yield from turn(wave, unchanged)
        wave.mask = outer
        _set(env, results, left)

    return Waits(run)


def _at_once() -> bool:
    return True
