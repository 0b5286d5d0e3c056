"""Few queries and long keys come in; O = softmax(scale Q K^T) V goes out, on NVIDIA's Hopper (sm_90a), at the speed of
memory: what generates text one token at a time.

All heads of Q that share a head of K and V are rows of one matrix tile, so K and V are read once. Tiles of keys of all
sequences and heads stand in one line, of which each block of the grid takes an equal part (stream K): whatever the
lengths, all multiprocessors read to the end. One thread of a block has TMA fill a ring of tiles; four warps have a
quarter of each tile's keys, with `mma.sync`, and sums and greatest scores of their own, which meet at the end of a
sequence's part. Parts of one sequence are left in a workspace; the last block to come adds them up, in the order of
keys: the same bits in every run."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import mbarrier_ring
from avelang_kernels.arrays import DTYPES, address, flattened, new, strided, strides_of
from avelang_kernels.attention.hopper_arrays import dense, reachable
from avelang_kernels.attention.hopper_decode_sums import DecodeOutput, Strided, meet
from avelang_kernels.attention.hopper_decode_work import (
    CHUNK,
    GROUP,
    LEAST_PAGE,
    MEET,
    MOST_ROWS,
    ROOM,
    STEP,
    WARP,
    WARPS,
    WHOLE,
    DecodeWork,
    HopperDecode,
)
from avelang_kernels.attention.problem import FAR
from avelang_kernels.attention.tile_attention_rows import HOPPER, LOG2E, NEVER, saturated
from avelang_kernels.workspaces import workspace_for

LEFT_OUT = 24  # one of so many blocks may be left out


@avelang.jit
def part_of(F: Any, stages: Any, stage: Any, box: Any, chunk: Any, COUNT: Any):
    """Memory of so many pieces of d of a box of keys."""
    return al.subview(stages, (stage, box, chunk, 0, 0, 0), (1, 1, COUNT, F.box, 8, 8), (1, 1, 1, 1, 1, 1))


@avelang.jit
def produce(F: Any, K: Any, V: Any, k: Any, v: Any, ring: Any, work: Any, row_tiles: Any):
    """One thread's part: fills stages."""
    state = ring.producer()
    while work.at < work.stop:
        work.find()
        head, begin, end, units, _ = work.piece()
        for tile in al.range(begin, end):
            ring.acquire(state, F.stage_bytes)
            for x, stages in ((K, k), (V, v)):
                for c in range(F.chunks):
                    box = part_of(F, stages, state.stage, 0, c, 1)
                    al.nvvm.tma_load_4d(
                        box, x, work.batch, tile * F.n, head // row_tiles, c * CHUNK, ring.full[state.stage], F.hint
                    )
            state.advance()
        work.at += units


@avelang.jit
def numbers_of(F: Any, table: Any, row: Any, pages: Any, page: Any, length: Any, tile: Any):
    """Pages of the boxes from a tile on, one a lane."""
    key = min(tile * F.n + al.lane_id() * F.box, al.select(length == 0, 0, length - 1))
    number = table[row + min(key // page, pages - 1)]
    return al.convert(al.select(length == 0, 0, number), al.u32)


@avelang.jit
def produce_pages(
    F: Any, K: Any, V: Any, k: Any, v: Any, ring: Any, table: Any, pages: Any, page: Any, work: Any, row_tiles: Any
):
    """One warp's part where keys come in pages: fills stages, each box by a lane of its own. Numbers of pages are
    loaded before they are needed, one a lane."""
    state, lane = ring.producer(), al.lane_id()
    AHEAD = WARP // F.boxes  # tiles whose pages are loaded together
    mine = lane % F.boxes
    while work.at < work.stop:
        work.find()
        head, begin, end, units, _ = work.piece()
        own, length, row = head // row_tiles, work.length(work.batch), work.batch * pages
        numbers = al.convert(0, al.u32)
        ahead = numbers_of(F, table, row, pages, page, length, begin)
        for tile in al.range(begin, end):
            turn = (tile - begin) % AHEAD
            if turn == 0:
                numbers = ahead
                ahead = numbers_of(F, table, row, pages, page, length, tile + AHEAD)
            number = al.shuffle(numbers, turn * F.boxes + mine)
            key = min(tile * F.n + mine * F.box, al.select(length == 0, 0, (length - 1) // F.box * F.box))
            ring.acquire(state)
            if lane == 0:
                al.nvvm.mbarrier_arrive_expect_tx(ring.full[state.stage], F.stage_bytes)
            if lane < F.boxes:
                for x, stages in ((K, k), (V, v)):
                    if F.merged:
                        box = part_of(F, stages, state.stage, mine, 0, F.chunks)
                        al.nvvm.tma_load_5d(
                            box, x, number, own, 0, key % page, 0, ring.full[state.stage], F.hint
                        )
                    else:
                        for c in range(F.chunks):
                            box = part_of(F, stages, state.stage, mine, c, 1)
                            al.nvvm.tma_load_4d(
                                box, x, number, key % page, own, c * CHUNK, ring.full[state.stage], F.hint
                            )
            state.advance()
        work.at += units


@avelang.jit
def mma(F: Any, a: Any, b: Any, c: Any):
    """One instruction."""
    return al.nvvm.mma_16x8x16_bf16_f32(a, b, c) if F.dtype == al.bf16 else al.nvvm.mma_16x8x16_f16_f32(a, b, c)


@avelang.struct
class DecodeRows:
    """A lane's part of the rows of Q: `q`, operands (tiles, steps of d, 4 words); sums of O (tiles, d / 8, 4); greatest
    scores and sums of weights of two rows each tile; where each row's keys begin and end; all of one warp's keys."""

    q: ...
    o: ...
    most: ...
    total: ...
    low: ...
    high: ...
    F: al.constexpr

    def reset(self, Q: Any, first: Any, rows: Any, group: Any, work: Any, length: Any):
        """Begins a sequence and head: rows from `first` on."""
        F, lane = self.F, al.lane_id()
        for m in range(F.tiles):
            for half in range(2):
                row = first + m * STEP + half * 8 + lane // 4
                there, token = row < rows, min(row, rows - 1) // group
                stand = al.convert(token, al.i32) + work.shift(length)
                self.high[m, half] = min(al.convert(length, al.i32), stand + al.convert(work.right, al.i32) + 1)
                self.low[m, half] = stand - al.convert(work.left, al.i32)
                for i in range(F.d // STEP):
                    for side in range(2):
                        column = i * STEP + side * 8 + lane % 4 * 2
                        word = al.convert(0, al.i32)
                        if there and column < F.width:
                            two = al.subview(Q, (token, row % group, column), (1, 1, 2), (1, 1, 1))
                            word = al.view(two, al.Tensor((1, 1), al.i32))[0, 0]
                        self.q[m, i, half + 2 * side] = word
                self.most[m, half] = NEVER
                self.total[m, half] = 0.0
            for j in range(F.d // 8):
                for e in range(4):
                    self.o[m, j, e] = 0.0

    def scores(self, k: Any, stage: Any, warp: Any):
        """Scores of a warp's keys: (tiles, 2 own, 4)."""
        F, lane = self.F, al.lane_id()
        s = al.full((F.tiles, 2 * F.own, 4), 0.0, al.f32)
        for u in range(F.own):
            row = (warp * F.own + u) * STEP + lane // 16 * 8 + lane % 8
            for i in range(F.d // STEP):
                chunk = i % 4 * 2 + lane // 8 % 2
                b = al.nvvm.ldmatrix_m8n8_x4_b16(k[stage, row // F.box, i // 4, row % F.box, chunk ^ (row % 8)])
                two = al.view(b, al.Tensor((2, 2), al.i32))
                for m in range(F.tiles):
                    for j in range(2):
                        s[m, 2 * u + j] = mma(F, self.q[m, i], two[j], s[m, 2 * u + j])
        return s

    def weigh(self, s: Any, key: Any, scale: Any, cap: Any, MASKED: Any):
        """Makes weights of scores, and shrinks what was summed before. `key`: the warp's first one."""
        F, lane = self.F, al.convert(al.lane_id(), al.i32)
        COUNT = 2 * F.own
        for m in range(F.tiles):
            for half in range(2):
                most = self.most[m, half]
                for j in range(COUNT):
                    for e in range(2):
                        x = s[m, j, 2 * half + e]
                        if F.softcap:
                            x = saturated(x * cap)
                        if MASKED:
                            at = key + 8 * j + lane % 4 * 2 + e
                            seen = at < self.high[m, half]
                            if F.window:
                                seen = seen and at >= self.low[m, half]
                            x = al.select(seen, x, NEVER)
                        s[m, j, 2 * half + e] = x
                        most = max(most, x)
                for i in range(2):
                    most = max(most, al.shuffle_xor(most, 1 << i))
                shift = al.select(most == NEVER, 0.0, most * scale)
                shrink = al.nvvm.exp2(al.fma(self.most[m, half], scale, 0.0 - shift))
                sums = self.total[m, half] * shrink
                for j in range(COUNT):
                    for e in range(2):
                        p = al.nvvm.exp2(al.fma(s[m, j, 2 * half + e], scale, 0.0 - shift))
                        s[m, j, 2 * half + e] = p
                        sums += p
                self.total[m, half] = sums
                self.most[m, half] = most
                for j in range(F.d // 8):
                    for e in range(2):
                        self.o[m, j, 2 * half + e] *= shrink

    def add(self, s: Any, v: Any, stage: Any, warp: Any, key: Any, length: Any, MASKED: Any):
        """Adds weights times V. Behind the end of the sequence V may be anything, NaN too: it counts as 0."""
        F, lane = self.F, al.lane_id()
        for u in range(F.own):
            row = (warp * F.own + u) * STEP + lane // 8 % 2 * 8 + lane % 8
            keep = al.full((2,), -1, al.i32)
            if MASKED:
                for side in range(2):
                    at = key + u * STEP + side * 8 + al.convert(lane % 4 * 2, al.i32)
                    left = al.convert(length, al.i32) - at
                    keep[side] = al.select(left >= 2, -1, al.select(left == 1, 0xFFFF, 0))
            weights = al.make_local((F.tiles, 4), al.i32)
            for m in range(F.tiles):
                both = al.view(al.subview(s, (m, 2 * u, 0), (1, 2, 4), (1, 1, 1)), al.Tensor((8,), al.f32))
                weights[m] = al.view(al.convert(both, F.dtype), al.Tensor((4,), al.i32))
            for j in range(F.d // STEP):
                chunk = j % 4 * 2 + lane // 16
                b = al.nvvm.ldmatrix_m8n8_x4_b16_trans(v[stage, row // F.box, j // 4, row % F.box, chunk ^ (row % 8)])
                two = al.view(b, al.Tensor((2, 2), al.i32))
                for h in range(2):
                    word = al.make_local((2,), al.i32)
                    for side in range(2):
                        word[side] = two[h, side] & keep[side] if MASKED else two[h, side]
                    for m in range(F.tiles):
                        self.o[m, 2 * j + h] = mma(F, weights[m], word, self.o[m, 2 * j + h])

    def tile(self, k: Any, v: Any, stage: Any, warp: Any, tile: Any, scale: Any, cap: Any, length: Any, MASKED: Any):
        """One tile of keys."""
        key = al.convert(tile * self.F.n + warp * (self.F.own * STEP), al.i32)
        s = self.scores(k, stage, warp)
        self.weigh(s, key, scale, cap, MASKED)
        self.add(s, v, stage, warp, key, length, MASKED)


@avelang.jit
def consume(
    F: Any,
    k: Any,
    v: Any,
    ring: Any,
    sums: Any,
    stats: Any,
    final: Any,
    ticket: Any,
    work: Any,
    Q: Any,
    out: Any,
    row_tiles: Any,
    group: Any,
    scale: Any,
    cap: Any,
):
    """The part of the four warps."""
    t, state = al.thread_id(0), ring.consumer()
    warp, lane, queries = t // WARP, al.lane_id(), work.queries
    rows = DecodeRows(
        al.make_local((F.tiles, F.d // STEP, 4), al.i32),
        al.make_local((F.tiles, F.d // 8, 4), al.f32),
        al.make_local((F.tiles, 2), al.f32),
        al.make_local((F.tiles, 2), al.f32),
        al.make_local((F.tiles, 2), al.i32),
        al.make_local((F.tiles, 2), al.i32),
        F,
    )
    while work.at < work.stop:
        work.find()
        piece = work.piece()
        both, begin, end, units, _ = piece
        head, first, length = both // row_tiles, both % row_tiles * F.rows, work.length(work.batch)
        rows.reset(Q.at(work.batch, head * group), first, queries * group, group, work, length)
        shift = work.shift(length)
        # Tiles that every row sees whole lie from `low` to `high`.
        high = al.convert(max(0, min(al.convert(length, al.i32), shift + al.convert(work.right, al.i32) + 1)), al.u32)
        high = max(begin, min(end, high // F.n))
        low = begin
        if F.window:
            last = max(0, shift + al.convert(queries, al.i32) - 1 - al.convert(work.left, al.i32))
            low = max(begin, min(high, (al.convert(last, al.u32) + (F.n - 1)) // F.n))
        for tile in al.range(begin, end):
            ring.wait(state)
            if tile >= low and tile < high:
                rows.tile(k, v, state.stage, warp, tile, scale, cap, length, False)
            else:
                rows.tile(k, v, state.stage, warp, tile, scale, cap, length, True)
            ring.release(state.stage, lane)
            state.advance()
        meet(F, rows, sums, stats, final, scale, warp, queries * group - first)
        out.finish(F, work, sums, final, ticket, piece, first, queries * group, group, head, scale, t)
        al.nvvm.barrier_sync(MEET, GROUP)
        work.at += units


def copied(F: HopperDecode) -> Any:
    """The type of tensor maps of K and V: how much TMA copies at once."""
    if F.merged:
        return al.TensorMap(F.dtype, 5, (1, 1, F.chunks, F.box, CHUNK), swizzle=128)
    return al.TensorMap(F.dtype, 4, (1, F.box, 1, CHUNK), swizzle=128)


@functools.cache
def build(F: HopperDecode) -> Any:
    """The kernel of a form. What TMA copies at once is part of its tensor map's type: hence a function for each."""
    KV: Any = copied(F)
    X: Any = al.Pointer(F.dtype)
    I: Any = al.Pointer(al.i32)
    N: Any = al.u32

    @avelang.jit
    def decode(
        q: Annotated[Any, X], k: Annotated[Any, KV], v: Annotated[Any, KV], o: Annotated[Any, X],
        lse: al.Pointer[al.f32], lengths: Annotated[Any, I], table: Annotated[Any, I], sinks: al.Pointer[al.f32],
        partials: al.Pointer[al.f32], counters: al.Pointer[al.u32], parts: Annotated[Any, N],
        batches: Annotated[Any, N], kv_heads: Annotated[Any, N], group: Annotated[Any, N],
        queries: Annotated[Any, N], keys: Annotated[Any, N], left: Annotated[Any, N], right: Annotated[Any, N],
        diagonal: Annotated[Any, N], pages: Annotated[Any, N], page: Annotated[Any, N], q_batch: Annotated[Any, N],
        q_head: Annotated[Any, N], q_token: Annotated[Any, N], o_batch: Annotated[Any, N], o_head: Annotated[Any, N],
        o_token: Annotated[Any, N], q_size: al.u64, o_size: al.u64, scale: al.f32, cap: al.f32,
    ):  # fmt: skip
        """`parts`: room for so many in `partials`. `scale`: in base 2; of capped scores, of tanh(x * cap)."""
        t = al.thread_id(0)
        ks = al.make_shared((F.stages, F.boxes, F.chunks, F.box, 8, 8), F.dtype, 1024)
        vs = al.make_shared((F.stages, F.boxes, F.chunks, F.box, 8, 8), F.dtype, 1024)
        sums = al.make_shared((F.rows, F.d // 2, 2), al.f32, 16)
        stats, final = al.make_shared((WARPS, 2, F.rows), al.f32), al.make_shared((2, F.rows), al.f32)
        ticket, ring = al.make_shared((1,), al.u32), mbarrier_ring(F.stages, WARPS)
        if t == 0:
            ring.init()
            al.nvvm.fence_mbarrier_init()
        al.syncthreads()
        row_tiles = (group * queries + (F.rows - 1)) // F.rows
        several = al.make_tensor(lengths, al.i32, al.make_layout((batches,)))
        where = al.make_tensor(table, al.i32, al.make_layout((batches * pages,)))
        work = DecodeWork(several, batches, kv_heads * row_tiles, keys, queries, left, right, diagonal, F)
        work.begin()
        if t >= GROUP:
            if t == GROUP:
                al.nvvm.prefetch_tensormap(k)
                al.nvvm.prefetch_tensormap(v)
            if F.paged:
                produce_pages(F, k, v, ks, vs, ring, where, pages, page, work, row_tiles)
            elif t == GROUP:
                produce(F, k, v, ks, vs, ring, work, row_tiles)
        else:
            heads = group * kv_heads
            Q = al.make_tensor(q, F.dtype, al.make_layout((q_size,)))
            O = al.make_tensor(o, F.dtype, al.make_layout((o_size,)))
            size = al.convert(batches * heads, al.u64) * queries
            L = al.make_tensor(lse, al.f32, al.make_layout((size,)))
            out = DecodeOutput(
                Strided(O, o_batch, o_head, o_token, queries, group, o_size, F.width),
                Strided(L, heads * queries, queries, 1, queries, group, size, 0),
                al.make_tensor(sinks, al.f32, al.make_layout((heads,))),
                al.make_tensor(partials, al.f32, al.make_layout((parts, F.part // 4, 4))),
                al.make_tensor(counters, al.u32, al.make_layout((parts, 1))),
            )
            mine = Strided(Q, q_batch, q_head, q_token, queries, group, q_size, F.width)
            consume(F, ks, vs, ring, sums, stats, final, ticket, work, mine, out, row_tiles, group, scale, cap)

    return decode


# -- on the host -------------------------------------------------------------------------------------------------------


@functools.lru_cache(256)
def form_of(problem: Any) -> HopperDecode:
    """The form for a problem: two blocks on a multiprocessor where registers allow."""
    rows, d = problem.queries * problem.group, -(-problem.d // CHUNK) * CHUNK
    tiles = 1 if rows <= STEP or d > 2 * CHUNK else 2
    box = math.gcd(problem.page, CHUNK) if problem.page else CHUNK
    F = HopperDecode(
        DTYPES[problem.dtype], d, problem.d, tiles, 64, 1, box, bool(problem.page), problem.lengths,
        bool(problem.softcap), problem.sinks, problem.left is not None,
    )  # fmt: skip
    left = (ROOM if F.blocks_each == 2 else WHOLE) - dataclasses.replace(F, stages=0).shared
    return dataclasses.replace(F, stages=min(8, left // (F.stage_bytes + 16)))


def fits(problem: Any) -> bool:
    """True for what this kernel takes: up to 64 queries times heads that share keys, d up to 256, K and V dense with
    the same length for all, or with lengths, or paged with pages of a multiple of 8 keys; all masks by place, caps and
    sinks; no bias, no packed sequences, no dropout; not where rows must have the same bits whatever comes with them,
    since more queries go to another kernel, and parts depend on all sequences."""
    p = problem
    return (
        p.dtype in ("bfloat16", "float16")
        and p.scale > 0
        and not p.rows_alike
        and p.queries * p.group <= MOST_ROWS
        and p.d == p.dv
        and p.d % 8 == 0
        and p.d <= 4 * CHUNK
        and not (p.bias or p.packed_q or p.packed_k or p.dropout)
        and p.page % LEAST_PAGE == 0
        and (not p.page or p.lengths)
        and p.keys < FAR // 2
        and (p.left is None or p.left >= 0)
        and (p.right is None or p.right >= 0)
        and p.batch * p.kv_heads * (-(-p.keys // CHUNK)) < 1 << 22
    )


def even(blocks: int, heads: int) -> int:
    """So many blocks, or a few less with which each has a whole number of sequences and heads, or all have as many
    blocks: then fewer parts are to be added up."""
    for fewer in range(blocks, blocks - blocks // LEFT_OUT, -1):
        if heads % fewer == 0 or fewer % heads == 0:
            return fewer
    return blocks


@functools.lru_cache(1024)
def planned(problem: Any, units: int, form: HopperDecode | None) -> tuple[Any, HopperDecode, int, int]:
    """Kernel, form, blocks of the grid and parts of the workspace for a problem."""
    F, p = form or form_of(problem), problem
    heads = p.kv_heads * -(-p.queries * p.group // F.rows)
    each = -(-p.keys // F.n) if p.left is None else -(-(min(p.left, p.keys) + p.queries) // F.n) + 1
    total = p.batch * heads * max(1, each)
    blocks = even(min(total, F.blocks_each * units), p.batch * heads)
    return build(F), F, blocks, 2 * blocks


def mappable(x: Any) -> bool:
    """True for keys or values that TMA reads where they lie."""
    strides = strides_of(x)
    return address(x) % 16 == 0 and strides[-1] == 1 and not any(s <= 0 or s % 8 for s in strides[:-1])


def mapped(x: Any, dtype: str) -> Any:
    """Keys or values as TMA reads them: others are copied."""
    if mappable(x):
        return x
    made = new(x, tuple(x.shape), dtype)
    made[...] = x
    return made


def pieces_of(x: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Extents and strides of pages (pages, keys, heads, d) as (pages, heads, pieces of d, keys, CHUNK)."""
    (pages, keys, heads, d), (page, key, head, _) = x.shape, strides_of(x)
    return (pages, heads, d // CHUNK, keys, CHUNK), (page, head, CHUNK, key, 1)


def in_pieces(x: Any) -> Any:
    """Pages as TMA reads them with all pieces of d at once."""
    shape, strides = pieces_of(x)
    return strided(x, shape, strides)


def launch(
    problem: Any, operands: Any, out: Any, lse: Any, *, target: str = HOPPER, units: int = 0,
    form: HopperDecode | None = None, **options: Any,
) -> Any:  # fmt: skip
    """O and the logarithms for a problem that `fits`; q and out (batch, heads, queries, d), k and v the same or paged.
    `units`: multiprocessors; `form`: chosen by the problem if left out."""
    p, (kernel, F, blocks, parts) = problem, planned(problem, units or 4, form)
    q, result = dense(operands.q), out if reachable(out) else new(out, tuple(out.shape), p.dtype)
    k, v = operands.k, operands.v
    if not p.page:
        k, v = k.swapaxes(1, 2), v.swapaxes(1, 2)
    k, v = mapped(k, p.dtype), mapped(v, p.dtype)
    if F.merged:
        k, v = (in_pieces(a) for a in (k, v))
    partials, counters = workspace_for(q, parts, parts * F.part)
    lengths = operands.lengths if F.lengths else counters  # what is not there is not read
    table = operands.table if F.paged else counters
    flat = flattened(q), flattened(result)
    scale, cap = (p.softcap, p.scale / p.softcap) if F.softcap else (p.scale, 0.0)
    kernel[blocks, GROUP + WARP](
        flat[0], k, v, flat[1], lse, lengths, table if table.ndim == 1 else table.reshape(-1),
        operands.sinks if F.sinks else lse, partials, counters, parts,
        p.batch, p.kv_heads, p.group, p.queries, p.keys,
        FAR if p.left is None else min(p.left, FAR), FAR if p.right is None else min(p.right, FAR),
        int(p.bottom_right), table.shape[1] if F.paged else 1, p.page or 1,
        *strides_of(q)[:3], *strides_of(result)[:3], len(flat[0]), len(flat[1]), scale * LOG2E, cap,
        target=target, **options,
    )  # fmt: skip
    if result is not out:
        out[...] = result
    return out
