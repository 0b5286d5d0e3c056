"""Ops that are neither pure nor memory: ids, shuffles, dynamic vector elements, printf, and the rows of
`avelang.isa`."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from avelang.base.errors import error
from avelang.ir.core import Op, Value
from avelang.ir.elementwise import ATOMICS
from avelang.ir.printf import formatter
from avelang.ir.types import PtrType, TensorType, VecType, dtype_of
from avelang.isa.lowering import AMONG, has_mark
from avelang.isa.row import ROWS, Param, TensorRef
from avelang.isa.wave_protocol import SYSTEM, fences, scope
from avelang.sim.address_space import AccessFault
from avelang.sim.barriers import Waiting
from avelang.sim.fault_reports import where
from avelang.sim.memory_ops import at_lane, merge
from avelang.sim.ops import FACTORIES, unsigned
from avelang.sim.reference_program import Env, ReferenceProgram, Step, Waits, apply, pure
from avelang.sim.registers import Held
from avelang.sim.wave import PEERS, ReferenceWave

# -- where a lane is ---


def block_id(p: ReferenceProgram, op: Op) -> Step:
    """The block's place in the grid."""
    dim, out, lanes = op.attrs["dim"], p.slot(op.result), p.lanes

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = np.full(lanes, wave.block.index[dim], np.uint32)

    return step


def thread_id(p: ReferenceProgram, op: Op) -> Step:
    """The lane's place in the block."""
    dim, out = op.attrs["dim"], p.slot(op.result)

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = wave.shape.threads[dim]

    return step


def block_dim(p: ReferenceProgram, op: Op) -> None:
    """Known for a launch."""
    p.constant(op.result, np.full(p.lanes, p.block[op.attrs["dim"]], np.uint32))


def grid_dim(p: ReferenceProgram, op: Op) -> None:
    """Known for a launch."""
    p.constant(op.result, np.full(p.lanes, p.grid[op.attrs["dim"]], np.uint32))


def lane_id(p: ReferenceProgram, op: Op) -> None:
    """0, 1, 2, ..."""
    p.constant(op.result, np.arange(p.lanes, dtype=np.uint32))


# -- lanes together ---

SOURCES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "idx": lambda own, offset: offset,
    "up": lambda own, offset: own - offset,
    "down": lambda own, offset: own + offset,
    "xor": lambda own, offset: own ^ offset,
}


def shuffle(p: ReferenceProgram, op: Op) -> Step:
    """The value of another lane of the segment, or the own one. An inactive lane gives what it holds."""
    value, offset, out = p.slot(op.operands[0]), p.slot(op.operands[1]), p.slot(op.result)
    source, width, lane = SOURCES[op.attrs["kind"]], op.attrs["width"], np.arange(p.lanes)
    own, start = lane % width, lane - lane % width

    def step(wave: ReferenceWave, env: Env) -> None:
        src = source(own, env[offset].astype(np.int64))
        inside = (src >= 0) & (src < width) & (start + src < len(lane))
        if wave.grid is not None and not wave.mask.full:
            away = inside & wave.active & ~wave.active[np.where(inside, start + src, lane)]
            if away.any():
                wave.op, reader = op, int(away.argmax())
                raise AccessFault("inactive", reader, other=int((start + src)[reader]))
        env[out] = env[value][np.where(inside, start + src, lane)]

    return step


def ballot(p: ReferenceProgram, op: Op) -> Step:
    """One bit a lane, in every lane."""
    cond, out = p.slot(op.operands[0]), p.slot(op.result)

    def step(wave: ReferenceWave, env: Env) -> None:
        bits = np.zeros(64, bool)
        bits[: p.lanes] = wave.active & env[cond]
        env[out] = np.full(p.lanes, np.packbits(bits, bitorder="little").view(np.uint64)[0], np.uint64)

    return step


def atomic_add(p: ReferenceProgram, op: Op) -> Step:
    """Lane by lane: what stood there is the result, what is made of it and the values goes back."""
    *values, pointer, offset = (p.slot(v) for v in op.operands)
    t, out = op.operands[-2].type, p.slot(op.result)
    update = ATOMICS[op.attrs.get("kind", "add")]
    assert isinstance(t, PtrType)
    space = t.space

    def step(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        given, address = [env[v] for v in values], (env[pointer] + env[offset]).view(np.uint64)
        first = given[0]
        size = first.nbytes // p.lanes
        result = np.zeros_like(first)
        for lane in np.flatnonzero(wave.active):
            only = np.arange(p.lanes) == lane
            old = wave.read(space, address, size, only).view(first.dtype).reshape(first.shape)
            result[lane] = old[lane]
            with np.errstate(all="ignore"):
                total = np.ascontiguousarray(update(old, *given))
            wave.write(space, address, total.view(np.uint8).reshape(p.lanes, size), only)
        env[out] = result

    return step


atomic = atomic_add


# -- vectors, tensors as values ---


def element(p: ReferenceProgram, op: Op) -> Step | None:
    """`extract` and `insert`; an index of a register vector that comes at run time is checked in active lanes."""
    if "index" in op.attrs:
        return pure(p, op)
    index, vector = p.slot(op.operands[-1]), op.operands[0].type
    assert isinstance(vector, VecType)
    ins, n = [p.slot(v) for v in op.operands], vector.n
    inner = apply(FACTORIES[op.name](op), ins, p.slot(op.result))

    def step(wave: ReferenceWave, env: Env) -> None:
        i = env[index]
        wrong = (i.view(unsigned[i.dtype.itemsize]) >= n) & wave.mask.active
        if wrong.any():
            wave.op = op
            lane = int(wrong.argmax())
            raise AccessFault("register", lane, address=int(i[lane]), size=n)
        inner(wave, env)

    return step


def select(p: ReferenceProgram, op: Op) -> Step | None:
    """Of numbers a pure op; tensors and pointers are chosen lane by lane too."""
    if not isinstance(op.result.type, (TensorType, PtrType)):
        return pure(p, op)
    return apply(merge, [p.slot(v) for v in op.operands], p.slot(op.result))


# -- output ---


def expect(p: ReferenceProgram, op: Op) -> Step:
    """L050 where a promise of the kernel does not hold in an active lane."""
    slots = [p.slot(v) for v in op.operands]

    def step(wave: ReferenceWave, env: Env) -> None:
        broken = wave.mask.active & ~env[slots[0]]
        if broken.any():
            lane = int(broken.argmax())
            got = f", got {at_lane(env[slots[1]], lane)}" if len(slots) > 1 else ""
            launch = f"grid {p.grid}, and this is {where(p, wave, lane)}"
            raise error("L050", op.span, kernel=p.kernel.name, what=op.attrs["what"], got=got, launch=launch)

    return step


def printf(p: ReferenceProgram, op: Op) -> Step:
    """One text for each active lane, in lane order."""
    dtypes = [dtype_of(v.type) for v in op.operands]
    text, ins = formatter(op.attrs["format"], dtypes, op.span), [p.slot(v) for v in op.operands]

    def step(wave: ReferenceWave, env: Env) -> None:
        columns = [env[i][wave.mask.active].tolist() for i in ins]
        rows = zip(*columns, strict=True) if columns else itertools.repeat((), wave.mask.count)
        out = "".join(text(row) for row in rows)
        if p.stdout is not None:
            p.stdout.write(out)

    return step


# -- rows ---


def shared_base(p: ReferenceProgram, op: Op) -> None:
    """Addresses in shared memory begin at 0."""
    p.constant(op.result, np.zeros(p.lanes, np.int64))


def shared_peer(p: ReferenceProgram, op: Op) -> Step:
    """An address in the window of another block, as `ReferenceWave` takes it."""
    pointer, rank, out = p.slot(op.operands[0]), p.slot(op.operands[1]), p.slot(op.result)

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = env[pointer] + (env[rank] + 1 << PEERS)

    return step


def map_word(p: ReferenceProgram, op: Op) -> Step:
    """Of a tensor map, which is the same in all lanes."""
    at, out, index, lanes = p.slot(op.operands[0]), p.slot(op.result), op.attrs["index"], p.lanes

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = np.full(lanes, env[at].word(index), np.int64)

    return step


def _operand(p: ReferenceProgram, v: Value | int) -> Callable[[Env], Any]:
    """From an `env` to what a `semantics` gets."""
    if isinstance(v, int):
        return lambda env: v
    at, t = p.slot(v), v.type
    if isinstance(t, TensorType):
        return lambda env: TensorRef(t.space, env[at].address.view(np.uint64), t)
    if isinstance(t, PtrType):
        place = TensorType(t.dtype, (1,), (1,), t.space)
        return lambda env: TensorRef(t.space, env[at].view(np.uint64), place)
    return lambda env: env[at]


def _held_operand(p: ReferenceProgram, v: Value) -> Callable[[Env], Any]:
    """The same for a parameter that is `held`."""
    assert p.plan is not None
    return p.plan.operand(p, v)


def row(p: ReferenceProgram, op: Op) -> Step | Waits:
    """An intrinsic, by its row's meaning, which may wait. Raises V001 where a meaning gives another shape or dtype than
    its row says."""
    r = ROWS[op.name]
    args = [_operand(p, a) if not x.held else _held_operand(p, a)
            for x, a in zip(r.params, r.arguments(op, lambda v: v), strict=True)]
    keep = _result(p, op) if op.results else _nothing
    uniform = [(x, a) for x, a in zip(r.params, args, strict=True) if x.uniform]
    # PTX ISA, 9.7.14.5 and others: what has `.sync.aligned` is undefined where lanes of a warp do not execute it
    # together. Barriers say so themselves; votes name the lanes that take part.
    together = (
        r.namespace == "nvvm"
        and "convergent" in r.effects
        and ("sync" not in r.effects or r.name.startswith("nvvm.setmaxnreg"))
        and not has_mark(op, "nvptx", AMONG)
    )
    if inspect.isgeneratorfunction(r.semantics):

        def waits(wave: ReferenceWave, env: Env) -> Waiting:
            wave.op = op
            _alike(wave, env, uniform)
            if together:
                wave.together()
            keep(env, (yield from r.semantics(wave, *[a(env) for a in args])))  # type: ignore[misc]

        return Waits(waits)

    def step(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        _alike(wave, env, uniform)
        if together:
            wave.together()
        keep(env, r.semantics(wave, *[a(env) for a in args]))

    def fence(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        wave.fence_memory(scope(op.name, op.attrs) == SYSTEM)

    return fence if fences(op.name, op.attrs) else step


def _alike(wave: ReferenceWave, env: Env, uniform: list[tuple[Param, Callable[[Env], Any]]]) -> None:
    """Raises AccessFault where an operand that must be the same in all active lanes is not."""
    for param, get in uniform:
        given = get(env)[wave.mask.active]
        differs = (given != given[0]).reshape(len(given), -1).any(axis=1)
        if differs.any():
            lane = int(np.flatnonzero(wave.mask.active)[int(differs.argmax())])
            raise AccessFault("uniform", lane, other=(param, wave.mask.first))


def _nothing(env: Env, got: Any) -> None:
    """What a row without a result gives."""


def _result(p: ReferenceProgram, op: Op) -> Callable[[Env, Any], None]:
    """Puts what a meaning gave into the `env`."""
    t, out = op.result.type, p.slot(op.result)
    shape = (p.lanes, t.n) if isinstance(t, VecType) else (p.lanes,)
    np_type = dtype_of(t).np

    def keep(env: Env, got: Any) -> None:
        if isinstance(got, Held):
            env[out] = got
            got = got.data
            if got.shape == shape and got.dtype == np_type:
                return
        if not isinstance(got, np.ndarray) or got.shape != shape or got.dtype != np_type:
            what = f"{got.dtype} {got.shape}" if isinstance(got, np.ndarray) else repr(got)
            raise error("V001", op.span, op=op.name, why=f"the row's meaning gave {what}, not {np_type} {shape}")
        env[out] = np.ascontiguousarray(got)

    return keep
