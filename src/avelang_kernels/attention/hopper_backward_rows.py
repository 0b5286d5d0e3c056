"""What surrounds `hopper_backward`: rows of dO and O come in, their logarithms and delta go out; sums in f32 come in,
gradients in the dtype of the arrays go out."""

# No `from __future__ import annotations`: the annotations of the kernels name values of the functions around them.

import dataclasses
import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, flattened, multiprocessors, new, strides_of
from avelang_kernels.attention.hopper_arrays import dense, reachable
from avelang_kernels.attention.hopper_attention_work import sequence_of
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_bias import bias_features, sum_up, takes_bias
from avelang_kernels.attention.hopper_backward_masks import tile_lists
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.hopper_backward_work import BackwardWork, Sequences
from avelang_kernels.attention.hopper_masks import mask_bits
from avelang_kernels.attention.problem import FAR, Operands, Problem
from avelang_kernels.attention.tile_attention_rows import HOPPER, LOG2E, NEVER
from avelang_kernels.attention.tile_attention_views import span_of

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


@avelang.jit
def packed_rows(offsets: Any, sequences: Any, first: Any, tokens: Any, SIZE: Any):
    """Of packed sequences whose tiles of SIZE rows lie as `sequence_of` has it, that of row `first`: its number, where
    it begins in its arrays, how many rows it has, and the number of the row there."""
    number = sequence_of(offsets, sequences, first // SIZE, SIZE)
    begin, have = span_of(offsets, number, sequences, tokens, tokens)
    return number, begin, have, first - (begin // SIZE + number) * SIZE


@functools.cache
def before(dtype: Any, d: int, extra: bool, tile: int = 0) -> Any:
    """The kernel that makes logarithms in base 2 and delta of a block of rows, and sets counters to 0. `extra`: lse has
    a gradient. `tile`: sequences are packed, and begin with tiles of so many rows."""
    LANES, STEPS = (16, 4) if d <= 128 else (32, 5)  # of a row, and in which they add
    X: Any = al.Pointer(dtype)
    R: Any = al.Pointer(al.f32)
    N: Any = al.u32
    W: Any = al.u64
    CU, COUNT = (al.Pointer(al.i32), N) if tile else (al.constexpr, al.constexpr)

    @avelang.jit
    def attention_delta(
        o: Annotated[Any, X], do: Annotated[Any, X], lse: Annotated[Any, R], dlse: Annotated[Any, R],
        out: Annotated[Any, R], delta: Annotated[Any, R], counters: al.Pointer[al.u32], heads: Annotated[Any, N],
        queries: Annotated[Any, N], rows: Annotated[Any, N], count: Annotated[Any, N], o_size: Annotated[Any, W],
        do_size: Annotated[Any, W], o_batch: Annotated[Any, N], o_head: Annotated[Any, N], o_row: Annotated[Any, N],
        do_batch: Annotated[Any, N], do_head: Annotated[Any, N], do_row: Annotated[Any, N],
        cu: Annotated[Any, CU] = None, sequences: Annotated[Any, COUNT] = None,
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
        to, begin, have = both * rows + first, al.convert(0, al.u32), queries
        if tile:
            _, begin, have, first = packed_rows(cu, sequences, first, queries, tile)
        OUT, DELTA = (al.make_tensor(x, al.f32, al.make_layout((size,))) for x in (out, delta))
        C = al.make_tensor(counters, al.u32, al.make_layout((count,)))
        for i in al.range(al.block_id(0) * THREADS + t, count, al.grid_dim(0) * THREADS):
            C[i] = 0
        totals = al.make_local((ROWS * LANES // THREADS,), al.f32)
        for i in range(ROWS * LANES // THREADS):
            row, total = first + i * (THREADS // LANES) + t // LANES, 0.0
            if row < have and lane * EIGHT < d:
                x = al.convert(row_at(O, batch, head, begin + row, (o_batch, o_head, o_row), d)[lane], al.f32)
                y = al.convert(row_at(DO, batch, head, begin + row, (do_batch, do_head, do_row), d)[lane], al.f32)
                for e in range(EIGHT):
                    total = al.fma(x[e], y[e], total)
            totals[i] = total
        for i in range(ROWS * LANES // THREADS):
            place, total = i * (THREADS // LANES) + t // LANES, totals[i]
            for j in range(STEPS):
                total += al.shuffle_xor(total, 1 << j)
            if lane == 0:
                at, most = both * queries + begin + first + place, -NEVER
                if first + place < have:
                    most = al.select(L[at] == NEVER, -NEVER, L[at] * LOG2E)
                    if extra:
                        total -= DL[at]
                OUT[to + place], DELTA[to + place] = most, total

    return attention_delta


@functools.cache
def behind(dtype: Any, d: int, width: int, F: Any, tile: int = 0) -> Any:
    """The kernel that rounds sums (heads of all batches, rows, `width`) to gradients (batch, heads, rows, d). F: of dQ,
    whose tiles that see no key have no sums and are 0; None of dK and dV. `tile`: sequences are packed, and begin with
    tiles of so many rows."""
    EACH = width // FOUR  # pieces of a row
    PIECES = ROWS * EACH // THREADS  # of a thread
    X: Any = al.Pointer(dtype)
    R: Any = al.Pointer(al.f32)
    N: Any = al.u32
    I: Any = al.i32
    W: Any = al.u64
    CU, COUNT = (al.Pointer(al.i32), N) if tile else (al.constexpr, al.constexpr)
    OTHER, LENGTHS = (al.Pointer(al.i32) if F is not None and there else al.constexpr
                      for there in (F and F.packed, F and F.lengths))  # fmt: skip

    @avelang.jit
    def attention_round(
        sums: Annotated[Any, R], out: Annotated[Any, X], heads: Annotated[Any, N], rows: Annotated[Any, N],
        keys: Annotated[Any, N], left: Annotated[Any, I], right: Annotated[Any, I], shift: Annotated[Any, I],
        by: al.f32, size: Annotated[Any, W], out_size: Annotated[Any, W], out_batch: Annotated[Any, N],
        out_head: Annotated[Any, N], out_row: Annotated[Any, N], cu: Annotated[Any, CU] = None,
        sequences: Annotated[Any, COUNT] = None, room: Annotated[Any, COUNT] = None,
        cu_k: Annotated[Any, OTHER] = None, lengths: Annotated[Any, LENGTHS] = None,
    ):  # fmt: skip
        """`room`: rows of a head in `sums`, where sequences are packed; `cu`: their offsets in the gradient, `cu_k`
        those of keys."""
        source = al.make_tensor(sums, al.f32, al.make_layout((size,)))
        apart = room if tile else rows
        t, blocks = al.thread_id(0), (apart + (ROWS - 1)) // ROWS
        both, first = block_rows(al.block_id(0), heads, blocks)
        to = al.make_tensor(out, dtype, al.make_layout((out_size,)))
        some, begin, have, from_row, batch = True, al.convert(0, al.u32), rows, first, both // heads
        if tile:
            batch, begin, have, first = packed_rows(cu, sequences, first, rows, tile)
        if F is not None:
            work = BackwardWork(heads, heads, rows, keys, left, right, shift, 0, 1, F)
            if F.apart:
                work.take(Sequences(sequences, cu, cu_k, lengths), batch)
            some = work.last_keys(first // F.m) > work.first_keys(first // F.m)
            if tile:
                some = some and batch < sequences
        for part in range(PIECES // TOGETHER):
            held = al.full((TOGETHER, FOUR), 0.0, al.f32)  # all are loaded before the first is stored
            for i in range(TOGETHER):
                item = (part * TOGETHER + i) * THREADS + t
                row, column = item // EACH, item % EACH * FOUR
                if some and first + row < have and column < d:
                    at = (al.convert(both, al.u64) * apart + (from_row + row)) * width + column
                    mine = al.view(al.subview(source, (at,), (FOUR,), (1,)), al.f32, al.make_layout((1, FOUR)))
                    held[i] = mine[0] * by
            for i in range(TOGETHER):
                item = (part * TOGETHER + i) * THREADS + t
                row, column = first + item // EACH, item % EACH * FOUR
                if row < have and column < d:
                    place = row_at(to, both // heads, both % heads, begin + row, (out_batch, out_head, out_row), d)
                    al.view(place, dtype, al.make_layout((d // FOUR, FOUR)))[column // FOUR] = al.convert(
                        held[i], dtype
                    )

    return attention_round


# -- on the host -------------------------------------------------------------------------------------------------------


def fits(problem: Any) -> bool:
    """True for what this kernel takes: d up to 256 and the same of V, masks by place (causal, windows); dense arrays,
    with counts of keys or without, or packed sequences; caps, boolean masks, and some biases (`takes_bias`). Sinks
    change nothing but the logarithms."""
    p = problem
    return (
        p.packed_q == p.packed_k
        and not (p.page or p.dropout)
        and (p.bias in ("", "bool") or takes_bias(p))
        and p.dtype in ("bfloat16", "float16")
        and p.d == p.dv
        and p.d % 8 == 0
        and p.d <= 256
        and max(p.queries, p.keys) < FAR // 4
        and (p.right is None or p.right >= 0)
        and (p.packed_q or p.batch * p.heads * -(-max(p.queries, p.keys) // ROWS) < 1 << 24)
    )


@functools.lru_cache(256)
def planned(problem: Any, bias_gradient: bool = False) -> Any:
    """The form for a problem."""
    p = problem
    d = next(x for x in (64, 128, 256) if p.d <= x)
    return HopperBackward(
        DTYPES[p.dtype], d, p.group > 1, p.right is not None, p.left is not None, p.packed_q, p.lengths,
        bool(p.softcap), p.bias == "bool", p.bias not in ("", "bool"), bias_gradient,
    )  # fmt: skip


def turns(p: Any, F: HopperBackward) -> int:
    """Heads whose blocks take turns: as many as have room in L2 with all that blocks read and write of queries."""
    return max(1, min(MOST_TURNS, ROOM // max(1, p.queries * F.d * EACH)))


@dataclasses.dataclass(frozen=True)
class Extents:
    """Extents of a launch's memory: `queries` and `keys` of arrays, all tokens where sequences are packed; tiles of
    keys of a head; `rows` of sums of dQ of a head, and as many of lse and delta, a whole number of tiles; `key_rows` of
    sums of dK; all heads of Q, and of K."""

    queries: int
    keys: int
    tiles: int
    rows: int
    key_rows: int
    heads: int
    kv_heads: int

    @classmethod
    def of(cls, p: Problem, F: HopperBackward, q: Any, k: Any) -> Any:
        """Of a problem with these arrays."""
        if not p.packed_q:
            tiles = -(-p.keys // F.n)
            heads = p.batch * p.heads, p.batch * p.kv_heads
            return cls(p.queries, p.keys, tiles, -(-p.queries // F.m) * F.m, p.keys, *heads)
        queries, keys = q.shape[0], k.shape[0]
        slots, tiles = queries // F.m + p.batch + 1, keys // F.n + p.batch + 1  # see `sequence_of`
        return cls(queries, keys, tiles, slots * F.m, tiles * F.n, p.heads, p.kv_heads)


def steps_of(p: Problem, x: Any) -> tuple[int, int, int]:
    """Distances of sequences, heads and rows of an array."""
    s = strides_of(x)
    return (0, s[1], s[0]) if p.packed_q else (s[0], s[1], s[2])


def rows_first(p: Problem, x: Any) -> Any:
    """An array as TMA reads it, (batch, rows, heads, d)."""
    return x[None] if p.packed_q else x.swapaxes(1, 2)


def features_of(
    p: Problem, F: HopperBackward, x: Operands, room: Extents, grads: Any, lse: Any, masks: Any, cycle: int,
    options: Any,
) -> dict[str, Any]:  # fmt: skip
    """Arguments for caps, masks, and sequences with lengths of their own. `masks`, `cycle`: as of `BackwardWork`."""
    found: dict[str, Any] = {"top": p.softcap * LOG2E} if F.cap else {}
    if F.mask:
        mask = x.bias if min(strides_of(x.bias)) >= 0 else x.bias.copy()
        bits = mask_bits(mask.swapaxes(2, 3), p.keys, p.queries, F.n, F.m, lse, **options)
        words = bits.bits.reshape(-1)
        found |= {"mask": words, "mask_size": len(words), "mask_batch": bits.batch_step, "mask_head": bits.head_step}
        if F.listed:
            found["mask_lists"] = tile_lists(F, bits.states, p.queries, p.keys, masks, cycle, **options)
    if not F.apart:
        return found
    found["key_tiles"] = room.tiles
    if F.lengths:
        return {**found, "lengths": x.lengths}
    found |= {"sequences": p.batch, "cu_q": x.cu_q, "cu_k": x.cu_k}
    if not F.shared_keys:
        for name, g in zip(("dk", "dv"), grads, strict=True):
            rows, (_, head, row) = flattened(g), steps_of(p, g)
            found |= {f"{name}_rows": rows, f"{name}_size": len(rows), f"{name}_head": head, f"{name}_row": row}
        found["d"] = p.d
    return found


def finish(
    p: Problem, F: HopperBackward, x: Operands, room: Extents, sums: Any, grads: Any, masks: Any, launch: Any
) -> None:  # fmt: skip
    """Rounds sums of dQ and, where heads of Q share keys, of dK and dV, to gradients."""
    for i, (source, out) in enumerate(zip(sums, grads, strict=True)):
        of_q = i == 0
        form, heads, by = (F, p.heads, p.scale) if of_q else (None, p.kv_heads, 1.0)
        length, rows = (room.queries, room.rows) if of_q else (room.keys, room.key_rows)
        more: dict[str, Any] = {}
        if F.packed:
            more = {"cu": x.cu_q if of_q else x.cu_k, "sequences": p.batch, "room": rows}
            more |= {"cu_k": x.cu_k} if of_q else {}
        elif F.lengths and of_q:
            more = {"lengths": x.lengths}
        blocks = rows // ROWS if F.packed else -(-length // ROWS)
        to, tile = flattened(out), (F.m if of_q else F.n) if F.packed else 0
        behind(F.dtype, p.d, F.d, form, tile)[(1 if F.packed else p.batch) * heads * blocks, THREADS](
            source, to, heads, length, room.keys, *masks, by, math.prod(source.shape), len(to), *steps_of(p, out),
            **more, **launch,
        )  # fmt: skip


def backward(
    problem: Any, operands: Any, out: Any, lse: Any, dout: Any, dlse: Any, dq: Any, dk: Any, dv: Any, *,
    target: str = HOPPER, units: int = 0, cyclic: bool | None = None, together: int = 0, dbias: Any = None,
    **options: Any,
) -> None:  # fmt: skip
    """dQ, dK and dV of a problem that `fits`, the same bits in every run. All arrays (batch, heads, length, d), with
    any strides that keep d side by side, or packed (tokens, heads, d); lse and dlse (or None): f32 (batch, heads,
    queries), or (heads, tokens). `units`: multiprocessors. `cyclic`: where there is no mask, blocks wait for ones with
    higher numbers, so all of a head must be on the GPU at a time; by default where half of its multiprocessors are as
    many. `together`: heads whose blocks take turns; 0: chosen by the problem. `dbias`: the gradient of the bias, of
    its shape (batches or 1, heads or 1, queries, keys)."""
    p, F = problem, planned(problem, dbias is not None)
    q, k, v, out, dout = (dense(x) for x in (operands.q, operands.k, operands.v, out, dout))
    results = tuple(x if reachable(x) else new(x, tuple(x.shape), p.dtype) for x in (dq, dk, dv))
    room = Extents.of(p, F, q, k)
    rows, tiles, all = room.rows, room.tiles, room.heads
    numbers = new(lse, (2, all * rows), "float32")
    count = 1 + all * (rows // F.m + 2 * tiles)
    counters = new(lse, (count,), "uint32")
    o, do = flattened(out), flattened(dout)
    launch = {"target": target, **options}
    more = {"cu": operands.cu_q, "sequences": p.batch} if F.packed else {}
    before(F.dtype, p.d, dlse is not None, F.m if F.packed else 0)[all * rows // ROWS, THREADS](
        o, do, lse, lse if dlse is None else dlse, numbers[0], numbers[1], counters, p.heads,
        room.queries, rows, count, len(o), len(do), *steps_of(p, out), *steps_of(p, dout), **more, **launch,
    )  # fmt: skip
    far = (FAR if p.left is None else min(p.left, FAR)), (FAR if p.right is None else min(p.right, FAR))
    bottom = int(p.bottom_right) if F.apart else p.keys - p.queries if p.bottom_right else 0
    masks = *far, bottom
    sums = (new(lse, (all, rows if F.packed else p.queries, F.d), "float32"),)
    if F.shared_keys:
        sums += tuple(new(lse, (room.kv_heads, room.key_rows, F.d), "float32") for _ in range(2))
    outs = sums[1:] or tuple(rows_first(p, x) for x in results[1:])
    scale = p.scale * (2 / p.softcap if p.softcap else 1) * LOG2E
    cycle = around(F, room, q, units, cyclic)
    more = features_of(p, F, operands, room, results[1:], lse, masks, cycle, options)
    if F.bias:
        more |= bias_features(p, F, operands, dbias)
    build(F)[all * tiles, F.threads](
        *(rows_first(p, x) for x in (q, k, v, dout)), sums[0], *outs, numbers[0], numbers[1], counters,
        p.batch, p.heads, room.queries, p.kv_heads, room.keys, *masks, rows, cycle,
        together or turns(p, F), scale, p.scale, **more, **launch,
    )  # fmt: skip
    finish(p, F, operands, room, sums, results[: len(sums)], masks, launch)
    if dbias is not None:
        sum_up(p, more["dbias"], dbias, **launch)
    for x, y in zip(results, (dq, dk, dv), strict=True):
        if x is not y:
            y[...] = x


def around(F: HopperBackward, room: Extents, q: Any, units: int, cyclic: bool | None) -> int:
    """`cycle` of `BackwardWork`. Of a launch at most one head has started in part, since blocks take numbers in order:
    where that may be half of the multiprocessors and no more, two launches at a time never wait for one another."""
    if F.bounded or F.window or cyclic is False:
        return 0
    most = (units or multiprocessors(q, 0)) // 2
    if F.apart:
        return most if getattr(q, "is_cuda", False) else room.tiles * bool(cyclic)
    there = cyclic or room.tiles <= most and getattr(q, "is_cuda", False)
    return room.rows // F.m // room.tiles if there else 0
