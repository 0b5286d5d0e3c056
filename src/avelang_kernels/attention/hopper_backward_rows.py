"""What surrounds `hopper_backward`: rows of dO and O come in, their logarithms and delta go out; sums in f32 come in,
gradients in the dtype of the arrays go out."""

# No `from __future__ import annotations`: the annotations of the kernels name values of the functions around them.

import dataclasses
import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, multiprocessors
from avelang_kernels.attention.hopper_arrays import dense, empty_beside, flattened, reachable, strides_of
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.hopper_backward_work import BackwardWork
from avelang_kernels.attention.problem import FAR
from avelang_kernels.attention.tile_attention_rows import HOPPER, LOG2E, NEVER

ROOM, EACH, MOST_TURNS = 32 << 20, 8, 8  # bytes of L2; bytes of an element of Q, dO and dQ; heads
EIGHT, FOUR, ROWS, THREADS, TOGETHER = 8, 4, 64, 128, 8  # elements of a lane; rows of a block; loads at once


@avelang.jit
def row_at(x: Any, batch: Any, head: Any, row: Any, strides: Any, D: Any):
    """A view of a row of an array (batch, heads, rows, d), in vectors of eight."""
    first = (
        al.convert(batch, al.u64) * strides[0] + al.convert(head, al.u64) * strides[1]
        + al.convert(row, al.u64) * strides[2]
    )  # fmt: skip
    return al.view(al.subview(x, (first,), (D,), (1,)), x.dtype, al.make_layout((D // EIGHT, EIGHT)))


@avelang.jit
def block_rows(index: Any, heads: Any, blocks: Any):
    """Head of all batches, and first row, of a block: all heads have their turn before the next rows, since rows of
    heads are neighbors in memory."""
    rest = index // heads
    return rest // blocks * heads + index % heads, rest % blocks * ROWS


@functools.cache
def before(dtype: Any, d: int, extra: bool) -> Any:
    """The kernel that makes logarithms in base 2 and delta of a block of rows, and sets counters to 0. `extra`: lse has
    a gradient."""
    LANES, STEPS = (16, 4) if d <= 128 else (32, 5)  # of a row, and in which they add
    X: Any = al.Pointer(dtype)
    R: Any = al.Pointer(al.f32)
    N: Any = al.u32
    W: Any = al.u64

    @avelang.jit
    def attention_delta(
        o: Annotated[Any, X], do: Annotated[Any, X], lse: Annotated[Any, R], dlse: Annotated[Any, R],
        out: Annotated[Any, R], delta: Annotated[Any, R], counters: al.Pointer[al.u32], heads: Annotated[Any, N],
        queries: Annotated[Any, N], rows: Annotated[Any, N], count: Annotated[Any, N], o_size: Annotated[Any, W],
        do_size: Annotated[Any, W], o_batch: Annotated[Any, N], o_head: Annotated[Any, N], o_row: Annotated[Any, N],
        do_batch: Annotated[Any, N], do_head: Annotated[Any, N], do_row: Annotated[Any, N],
    ):  # fmt: skip
        """`rows`: of a head of `out` and `delta`, queries or more: those behind the last have a weight of 0. `count`:
        of the counters."""
        t, blocks = al.thread_id(0), rows // ROWS
        both, first = block_rows(al.block_id(0), heads, blocks)
        batch, head, lane = both // heads, both % heads, t % LANES
        O, DO = (
            al.make_tensor(o, dtype, al.make_layout((o_size,))),
            al.make_tensor(do, dtype, al.make_layout((do_size,))),
        )
        size = al.grid_dim(0) * ROWS
        L, DL = (al.make_tensor(x, al.f32, al.make_layout((size,))) for x in (lse, dlse))
        OUT, DELTA = (al.make_tensor(x, al.f32, al.make_layout((size,))) for x in (out, delta))
        C = al.make_tensor(counters, al.u32, al.make_layout((count,)))
        for i in al.range(al.block_id(0) * THREADS + t, count, al.grid_dim(0) * THREADS):
            C[i] = 0
        totals = al.make_local((ROWS * LANES // THREADS,), al.f32)
        for i in range(ROWS * LANES // THREADS):
            row, total = first + i * (THREADS // LANES) + t // LANES, 0.0
            if row < queries and lane * EIGHT < d:
                x = al.convert(row_at(O, batch, head, row, (o_batch, o_head, o_row), d)[lane], al.f32)
                y = al.convert(row_at(DO, batch, head, row, (do_batch, do_head, do_row), d)[lane], al.f32)
                for e in range(EIGHT):
                    total = al.fma(x[e], y[e], total)
            totals[i] = total
        for i in range(ROWS * LANES // THREADS):
            row, total = first + i * (THREADS // LANES) + t // LANES, totals[i]
            for j in range(STEPS):
                total += al.shuffle_xor(total, 1 << j)
            if lane == 0:
                at, most = both * rows + row, -NEVER
                if row < queries:
                    mine = L[both * queries + row]
                    most = al.select(mine == NEVER, -NEVER, mine * LOG2E)
                    if extra:
                        total -= DL[both * queries + row]
                OUT[at], DELTA[at] = most, total

    return attention_delta


@functools.cache
def behind(dtype: Any, d: int, width: int, F: Any) -> Any:
    """The kernel that rounds sums (heads of all batches, rows, `width`) to gradients (batch, heads, rows, d). F: of dQ,
    whose tiles that see no key have no sums and are 0; None of dK and dV."""
    EACH = width // FOUR  # pieces of a row
    PIECES = ROWS * EACH // THREADS  # of a thread
    X: Any = al.Pointer(dtype)
    R: Any = al.Pointer(al.f32)
    N: Any = al.u32
    I: Any = al.i32
    W: Any = al.u64

    @avelang.jit
    def attention_round(
        sums: Annotated[Any, R], out: Annotated[Any, X], heads: Annotated[Any, N], rows: Annotated[Any, N],
        keys: Annotated[Any, N], left: Annotated[Any, I], right: Annotated[Any, I], shift: Annotated[Any, I],
        by: al.f32, size: Annotated[Any, W], out_size: Annotated[Any, W], out_batch: Annotated[Any, N],
        out_head: Annotated[Any, N], out_row: Annotated[Any, N],
    ):  # fmt: skip
        source = al.make_tensor(sums, al.f32, al.make_layout((size,)))
        t, blocks = al.thread_id(0), (rows + (ROWS - 1)) // ROWS
        both, first = block_rows(al.block_id(0), heads, blocks)
        to = al.make_tensor(out, dtype, al.make_layout((out_size,)))
        some = True
        if F is not None:
            work = BackwardWork(heads, heads, rows, keys, left, right, shift, 0, 1, F)
            some = work.last_keys(first // F.m) > work.first_keys(first // F.m)
        for part in range(PIECES // TOGETHER):
            held = al.full((TOGETHER, FOUR), 0.0, al.f32)  # all are loaded before the first is stored
            for i in range(TOGETHER):
                item = (part * TOGETHER + i) * THREADS + t
                row, column = first + item // EACH, item % EACH * FOUR
                if some and row < rows and column < d:
                    at = (al.convert(both, al.u64) * rows + row) * width + column
                    mine = al.view(al.subview(source, (at,), (FOUR,), (1,)), al.f32, al.make_layout((1, FOUR)))
                    held[i] = mine[0] * by
            for i in range(TOGETHER):
                item = (part * TOGETHER + i) * THREADS + t
                row, column = first + item // EACH, item % EACH * FOUR
                if row < rows and column < d:
                    place = row_at(to, both // heads, both % heads, row, (out_batch, out_head, out_row), d)
                    al.view(place, dtype, al.make_layout((d // FOUR, FOUR)))[column // FOUR] = al.convert(
                        held[i], dtype
                    )

    return attention_round


# -- on the host -------------------------------------------------------------------------------------------------------


def fits(problem: Any) -> bool:
    """True for what this kernel takes: dense arrays of one length for all, d up to 256 and the same of V, masks by
    place (causal, windows); no caps or biases. Of sinks the logarithms tell all."""
    p = problem
    return (
        dataclasses.replace(p, sinks=False).plain
        and p.dtype in ("bfloat16", "float16")
        and p.d == p.dv
        and p.d % 8 == 0
        and p.d <= 256
        and max(p.queries, p.keys) < FAR // 4
        and (p.right is None or p.right >= 0)
        and p.batch * p.heads * -(-max(p.queries, p.keys) // ROWS) < 1 << 24
    )


@functools.lru_cache(256)
def planned(problem: Any) -> Any:
    """The form for a problem."""
    p = problem
    d = next(x for x in (64, 128, 256) if p.d <= x)
    return HopperBackward(DTYPES[p.dtype], d, p.group > 1, p.right is not None, p.left is not None)


def turns(p: Any, F: HopperBackward) -> int:
    """Heads whose blocks take turns: as many as have room in L2 with all that blocks read and write of queries."""
    return max(1, min(MOST_TURNS, ROOM // max(1, p.queries * F.d * EACH)))


def backward(
    problem: Any, operands: Any, out: Any, lse: Any, dout: Any, dlse: Any, dq: Any, dk: Any, dv: Any, *,
    target: str = HOPPER, units: int = 0, cyclic: bool | None = None, together: int = 0,
    **options: Any,
) -> None:  # fmt: skip
    """dQ, dK and dV of a problem that `fits`, the same bits in every run. All arrays (batch, heads, length, d), with
    any strides that keep d side by side; lse and dlse (or None): f32 (batch, heads, queries). `units`:
    multiprocessors. `cyclic`: where there is no mask, blocks wait for ones with higher numbers, so all of a head must
    be on the GPU at a time; by default where it has a multiprocessor for each. `together`: heads whose blocks
    take turns; 0: chosen by the problem."""
    p, F = problem, planned(problem)
    q, k, v, out, dout = (dense(x) for x in (operands.q, operands.k, operands.v, out, dout))
    results = tuple(x if reachable(x) else empty_beside(x, tuple(x.shape), p.dtype) for x in (dq, dk, dv))
    rows, tiles = -(-p.queries // F.m) * F.m, -(-p.keys // F.n)
    all = p.batch * p.heads
    numbers = empty_beside(lse, (2, all * rows), "float32")
    count = 1 + all * (rows // F.m + 2 * tiles)
    if cyclic is None:
        cyclic = tiles <= (units or multiprocessors(q, 0)) and getattr(q, "is_cuda", False)
    cycle = rows // F.m // tiles if cyclic and not (F.bounded or F.window) else 0
    counters, sums = empty_beside(lse, (count,), "uint32"), empty_beside(lse, (all, p.queries, F.d), "float32")
    o, do = flattened(out), flattened(dout)
    launch = {"target": target, **options}
    before(F.dtype, p.d, dlse is not None)[all * rows // ROWS, THREADS](
        o, do, lse, lse if dlse is None else dlse, numbers[0], numbers[1], counters, p.heads,
        p.queries, rows, count, len(o), len(do), *strides_of(out)[:3], *strides_of(dout)[:3], **launch,
    )  # fmt: skip
    far = (FAR if p.left is None else min(p.left, FAR)), (FAR if p.right is None else min(p.right, FAR))
    masks = *far, p.keys - p.queries if p.bottom_right else 0
    if F.shared_keys:
        shared = tuple(empty_beside(lse, (p.batch * p.kv_heads, p.keys, F.d), "float32") for _ in range(2))
    else:
        shared = tuple(x.swapaxes(1, 2) for x in results[1:])
    build(F)[all * tiles, F.threads](
        *(x.swapaxes(1, 2) for x in (q, k, v, dout)), sums, *shared, numbers[0], numbers[1], counters,
        p.batch, p.heads, p.queries, p.kv_heads, p.keys, *masks, rows, cycle,
        together or turns(p, F), p.scale * LOG2E, p.scale, **launch,
    )  # fmt: skip
    ends = [(sums, results[0], F, p.heads, p.queries, p.scale)]
    if F.shared_keys:
        ends += [(x, y, None, p.kv_heads, p.keys, 1.0) for x, y in zip(shared, results[1:], strict=True)]
    for x, y, form, heads, length, by in ends:
        to = flattened(y)
        behind(F.dtype, p.d, F.d, form)[p.batch * heads * -(-length // ROWS), THREADS](
            x, to, heads, length, p.keys, *masks, by, math.prod(x.shape), len(to), *strides_of(y)[:3], **launch
        )
    for x, y in zip(results, (dq, dk, dv), strict=True):
        if x is not y:
            y[...] = x
