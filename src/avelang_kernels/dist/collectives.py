"""All-gather, reduce-scatter and all-reduce among ranks that reach one another's memory: each rank puts its part into
symmetric memory, says so, and takes what it needs from the others.

Sums are of all ranks' values in the order of ranks, in f32 (f64 of f64), rounded once: all ranks get the same bits, in
each run. Block b of a rank has to do with blocks b of the others only. Buffers are two, in turn: a rank that has heard
of call e of another one knows that it has read what was there in call e - 2. The number of a call is kept in memory, so
that a launch can be recorded once and run again."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al

THREADS = 256
F32: Any = al.f32
WORDS: Any = al.Pointer(al.u32)


@avelang.jit
def chunk_of(count: Any, block: Any, blocks: Any):
    """First and end of a block's part of `count` vectors."""
    each = (count + blocks - 1) // blocks
    return min(block * each, count), min(block * each + each, count)


@avelang.jit
def publish(signals: Any, epoch: Any, phase: Any, R: Any, t: Any, b: Any, blocks: Any):
    """The block's stores are there: it tells all ranks, and waits until all have told. All threads call it."""
    al.syncthreads()
    if t < R:
        me = al.rank()
        al.signal(al.peer(al.subview(signals, ((phase * R + me) * blocks + b,), (1,)), t), epoch)
        al.wait(al.subview(signals, ((phase * R + t) * blocks + b,), (1,)), epoch, t)
    al.syncthreads()


def sums_of(dtype: al.DType) -> Any:
    """The dtype in which values are added up."""
    return al.f64 if dtype == al.f64 else al.f32


@functools.cache
def parts(dtype: al.DType, ranks: int, vec: int) -> Any:
    """Two functions of kernels: memory as vectors, and the sum of what all ranks have at a place."""
    R, VEC, ACC = ranks, vec, sums_of(dtype)

    @avelang.jit
    def vectors(p: Any, count: Any):
        return al.make_tensor(p, dtype, al.make_layout((count, VEC)))

    @avelang.jit
    def total(box: Any, first: Any, i: Any, length: Any):
        acc = al.full((VEC,), 0.0, ACC)
        for r in range(R):
            acc = acc + al.convert(vectors(al.peer(box, r), length)[first + i], ACC)
        return al.convert(acc, dtype)

    return vectors, total


def build(kind: str, dtype: al.DType, ranks: int, vec: int) -> Any:
    """A kernel by its name, for a dtype, a number of ranks and vectors of so many elements. Each takes x, out, the
    symmetric box (two-shot: and one for the sums), signals and counts of calls (a word for each block), the vectors of
    a rank's part, how many lie from one rank's part to the next in x or out, the vectors of one of the two boxes, and
    the team."""
    made = {
        "all_gather": _all_gather,
        "reduce_scatter": _reduce_scatter,
        "one_shot": _one_shot,
        "two_shot": _two_shot,
    }
    return made[kind](dtype, ranks, vec)


@functools.cache
def _all_gather(dtype: al.DType, ranks: int, vec: int) -> Any:
    ELEMENTS: Any = al.Pointer(dtype)
    R, (vectors, _) = ranks, parts(dtype, ranks, vec)

    @avelang.jit
    def all_gather(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32, apart: al.u32, room: al.u32,
        team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks = al.thread_id(0), al.block_id(0), al.grid_dim(0)
        epoch, first, end, words = begun(counts, signals, n, R)
        half = (epoch % 2) * room
        X, MINE, OUT = vectors(x, n), vectors(box, 2 * room), vectors(out, R * apart)
        for i in al.range(first + t, end, THREADS):
            MINE[half + i] = X[i]
        publish(words, epoch, 0, R, t, b, blocks)
        for r in range(R):
            theirs = vectors(al.peer(box, r), 2 * room)
            for i in al.range(first + t, end, THREADS):
                OUT[r * apart + i] = theirs[half + i]
        ended(counts, epoch)

    return all_gather


@functools.cache
def _reduce_scatter(dtype: al.DType, ranks: int, vec: int) -> Any:
    ELEMENTS: Any = al.Pointer(dtype)
    R, (vectors, total) = ranks, parts(dtype, ranks, vec)

    @avelang.jit
    def reduce_scatter(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32, apart: al.u32, room: al.u32,
        team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        epoch, first, end, words = begun(counts, signals, n, R)
        half = (epoch % 2) * room
        X, MINE, OUT = vectors(x, R * apart), vectors(box, 2 * room), vectors(out, n)
        for r in range(R):
            for i in al.range(first + t, end, THREADS):
                MINE[half + r * n + i] = X[r * apart + i]
        publish(words, epoch, 0, R, t, b, blocks)
        for i in al.range(first + t, end, THREADS):
            OUT[i] = total(box, half + me * n, i, 2 * room)
        ended(counts, epoch)

    return reduce_scatter


@functools.cache
def build_offer(dtype: al.DType, ranks: int, vec: int, count: int) -> Any:
    """The kernel that puts `count` parts of x, of `n` vectors, `apart` from one to the next, into the own box, for
    others to copy them, and counts there in `ready`, at all ranks."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, PARTS, (vectors, _) = ranks, count, parts(dtype, ranks, vec)

    @avelang.jit
    def offer(
        x: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS], ready: Annotated[Any, WORDS], n: al.u32,
        apart: al.u32, start: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t = al.thread_id(0)
        first, end = chunk_of(n, al.block_id(0), al.grid_dim(0))
        X, MINE = vectors(x, PARTS * apart), vectors(box, start + PARTS * n)
        for p in range(PARTS):
            for i in al.range(first + t, end, THREADS):
                MINE[start + p * n + i] = X[p * apart + i]
        al.syncthreads()
        if t < R:
            words = al.make_tensor(ready, al.u32, al.make_layout((R,)))
            al.atomic_add(al.peer(words, t), al.rank(), 1, scope="system", order="release")

    return offer


@functools.cache
def build_sum(dtype: al.DType, ranks: int, vec: int) -> Any:
    """The kernel that adds up what was copied from all ranks: parts of `n` vectors, in the order of ranks."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, VEC, (vectors, _), ACC = ranks, vec, parts(dtype, ranks, vec), sums_of(dtype)

    @avelang.jit
    def sum_copies(landed: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], n: al.u32):
        first, end = chunk_of(n, al.block_id(0), al.grid_dim(0))
        COPIES, OUT = vectors(landed, R * n), vectors(out, n)
        for i in al.range(first + al.thread_id(0), end, THREADS):
            acc = al.full((VEC,), 0.0, ACC)
            for r in range(R):
                acc = acc + al.convert(COPIES[r * n + i], ACC)
            OUT[i] = al.convert(acc, dtype)

    return sum_copies


@functools.cache
def _one_shot(dtype: al.DType, ranks: int, vec: int) -> Any:
    ELEMENTS: Any = al.Pointer(dtype)
    R, (vectors, total) = ranks, parts(dtype, ranks, vec)

    @avelang.jit
    def one_shot(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32, apart: al.u32, room: al.u32,
        team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks = al.thread_id(0), al.block_id(0), al.grid_dim(0)
        epoch, first, end, words = begun(counts, signals, n, R)
        half = (epoch % 2) * room
        X, MINE, OUT = vectors(x, n), vectors(box, 2 * room), vectors(out, n)
        for i in al.range(first + t, end, THREADS):
            MINE[half + i] = X[i]
        publish(words, epoch, 0, R, t, b, blocks)
        for i in al.range(first + t, end, THREADS):
            OUT[i] = total(box, half, i, 2 * room)
        ended(counts, epoch)

    return one_shot


@functools.cache
def _two_shot(dtype: al.DType, ranks: int, vec: int) -> Any:
    ELEMENTS: Any = al.Pointer(dtype)
    R, (vectors, total) = ranks, parts(dtype, ranks, vec)

    @avelang.jit
    def two_shot(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS],
        sums: Annotated[Any, ELEMENTS], signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32,
        apart: al.u32, room: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        epoch, first, end, words = begun(counts, signals, n, R)
        half, part = (epoch % 2) * room, (epoch % 2) * (room // R)
        X, MINE, SUMS, OUT = (
            vectors(x, R * apart),
            vectors(box, 2 * room),
            vectors(sums, 2 * room),
            vectors(out, R * apart),
        )
        for r in range(R):
            for i in al.range(first + t, end, THREADS):
                MINE[half + r * n + i] = X[r * apart + i]
        publish(words, epoch, 0, R, t, b, blocks)
        for i in al.range(first + t, end, THREADS):
            SUMS[part + i] = total(box, half + me * n, i, 2 * room)
        publish(words, epoch, 1, R, t, b, blocks)
        for r in range(R):
            theirs = vectors(al.peer(sums, r), 2 * room)
            for i in al.range(first + t, end, THREADS):
                OUT[r * apart + i] = theirs[part + i]
        ended(counts, epoch)

    return two_shot


@avelang.jit
def begun(counts: Any, signals: Any, n: Any, R: Any):
    """The number of this call, first and end of the block's vectors, and the signals."""
    b, blocks = al.block_id(0), al.grid_dim(0)
    first, end = chunk_of(n, b, blocks)
    epoch = al.make_tensor(counts, al.u32, al.make_layout((blocks,)))[b] + 1
    return epoch, first, end, al.make_tensor(signals, al.u32, al.make_layout((2 * R * blocks,)))


@avelang.jit
def ended(counts: Any, epoch: Any):
    """Notes that the block has made this call."""
    b, blocks = al.block_id(0), al.grid_dim(0)
    al.syncthreads()
    if al.thread_id(0) == 0:
        al.make_tensor(counts, al.u32, al.make_layout((blocks,)))[b] = epoch
