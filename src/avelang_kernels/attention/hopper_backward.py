"""Gradients of O = softmax(scale Q K^T) V: dQ, dK and dV from Q, K, V, dO, the logarithms of the rows' sums and delta =
the sums of dO * O over rows, on NVIDIA's Hopper (sm_90a), with TMA and `wgmma`. The same bits in every run.

A block has 128 keys of one head of Q and goes through its queries, from the first that sees one of them on; for d
above 128 it has 64 (`hopper_backward_wide`). Two consumers with 64 keys each compute S^T and dP^T; weights and their
gradients never leave registers as the operands A of dV and dK. Both leave dS in shared memory, for dQ, of which each
makes one half. Two warps bring those to memory by turns: TMA adds them to sums in f32. Blocks that share a query add
in a fixed order, told by counters in memory. Where there is a mask, that is keys from the last on: a block begins
where its first query is, so in step with the others it comes after those of later keys by itself (blocks of the last
heads come in the other order: `hopper_backward_work`). Else blocks go around the queries, each from one of its own,
and add in the order in which they come by. Where heads of Q share keys, dK and dV are added up in the same way, in the
order of heads. Blocks take numbers as they start and, but for those that go around, wait for lower numbers only: they
end whatever order they start in."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS
from avelang_kernels.arrays import DTYPES
from avelang_kernels.attention.hopper_backward_bias import BackwardBias, bias_types
from avelang_kernels.attention.hopper_backward_lengths import await_other, clear_both, clear_keys, packed_rows
from avelang_kernels.attention.hopper_backward_masks import edits_of, mask_words
from avelang_kernels.attention.hopper_backward_products import (
    BOX,
    BYTES,
    CHUNK,
    CONSUMERS,
    F32,
    FEW,
    MANY,
    SHARED_DS,
    WARP,
    HopperBackward,
    accumulate,
    query_gradient,
    score_gradients,
    scores,
    share,
    weights_of,
)
from avelang_kernels.attention.hopper_backward_sums import (
    add_keys,
    add_queries,
    await_turn,
    end_turn,
    hand_over,
    store_keys,
)
from avelang_kernels.attention.hopper_backward_wide import KEYS, VALUES, finish, make_keys, make_values
from avelang_kernels.attention.hopper_backward_work import BackwardWork, Sequences


@avelang.struct
class BackwardStages:
    """Shared memory of a block: K, V, stages of Q and dO with lse and delta, two buffers of dS, weights on their way
    from one consumer to the other, and dQ on its way."""

    k: ...
    v: ...
    q: ...
    do: ...
    lse: ...
    delta: ...
    ds: ...
    p: ...
    dq: ...
    q_ring: ...
    do_ring: ...
    kv_full: ...
    bias: ... = None


@avelang.struct
class Gradients:
    """A consumer's sums of dK and dV."""

    dk: ...
    dv: ...


@avelang.jit
def step(
    F: Any, g: Any, x: Any, q: Any, do: Any, more: Any, work: Any, place: Any, m: Any, buffer: Any, scale: Any,
    consumer: Any, t: Any,
):  # fmt: skip
    """One tile of queries. `place`: the tile of keys, the head and the batch; `more`: the bias's stages. Products that
    are under way while numbers are computed: dP with the weights, dV with dS, dK with dQ's way to shared memory."""
    n, own, batch = place
    words = mask_words(F, scale, work, n, m, consumer, t) if F.mask else None
    x.q_ring.wait(q)
    if F.packed:
        clear_both(F, x, q, do, work, m, consumer, t)
    s = scores(F, x.k, x.q, q.stage, consumer)
    if F.packed:
        await_other(F, x, do, work, m)
    else:
        x.do_ring.wait(do)
    dp = scores(F, x.v, x.do, do.stage, consumer)
    added = x.bias.take(F, more, consumer, t) if F.bias else None
    s = al.nvvm.wgmma_wait_acc(s, 1)
    p, moved = weights_of(F, s, x.lse, q.stage, scale, words, added, work, n, m, consumer, t)
    dv = accumulate(F, al.convert(p, F.dtype), x.do, do.stage, g.dv)
    dp = al.nvvm.wgmma_wait_acc(dp, 1)
    held = score_gradients(F, moved, dp, x.delta, do.stage, t)
    share(F, x.ds, buffer, held, consumer, t)
    if F.bias_gradient and t == 0:
        al.nvvm.cp_async_bulk_wait_group_read(0)  # the other buffer, which is written behind this barrier
    al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)
    if F.bias_gradient and t == 0 and consumer == 0:
        x.bias.store(F, x.ds, buffer, work, n, m, own, batch)
    dq = query_gradient(F, x.ds, buffer, x.k, consumer, 0)
    dk = accumulate(F, held, x.q, q.stage, g.dk)
    dq = al.nvvm.wgmma_wait_acc(dq, 1)
    g.dv = al.nvvm.wgmma_wait_acc(dv, 1)
    x.do_ring.release(do.stage, t)
    do.advance()
    hand_over(F, x, dq, buffer, consumer, t)
    g.dk = al.nvvm.wgmma_wait_acc(dk, 0)
    x.q_ring.release(q.stage, t)
    q.advance()


@avelang.jit
def produce(
    F: Any,
    Q: Any,
    K: Any,
    V: Any,
    DO: Any,
    lse: Any,
    delta: Any,
    x: Any,
    work: Any,
    n: Any,
    head: Any,
    batch: Any,
    own: Any,
    rows: Any,
):
    """One thread's part: K and V once, then Q and dO, tile after tile. `rows`: of lse and delta of a head."""
    mine = batch * work.heads + own
    al.nvvm.mbarrier_arrive_expect_tx(x.kv_full[0], 2 * F.n * F.d * BYTES)
    for c in range(F.chunks):
        al.nvvm.tma_load_4d(x.k[c], K, batch, work.key_row(n), head, c * CHUNK, x.kv_full[0])
    q, do = x.q_ring.producer(), x.do_ring.producer()
    more = x.bias.ring.producer() if F.bias else None
    for step in al.range(work.steps(n)):
        m = work.tile(n, step)
        # The bias comes last, but where its memory is free long before that of dO.
        for A, data, numbers, source, ring, state, NEXT in (
            (Q, x.q, x.lse, lse, x.q_ring, q, F.wide), (DO, x.do, x.delta, delta, x.do_ring, do, not F.wide),
        ):  # fmt: skip
            ring.acquire(state, F.m * (F.d * BYTES + F32))
            for c in range(F.chunks):
                place = al.subview(data, (state.stage, c * F.m * CHUNK), (1, F.m * CHUNK), (1, 1))
                al.nvvm.tma_load_4d(place, A, batch, work.query_row(m), own, c * CHUNK, ring.full[state.stage])
            al.nvvm.cp_async_bulk_load(
                numbers[state.stage],
                al.subview(source, (mine * rows + work.query_slot(m) * F.m,), (F.m,), (1,)), F.m * F32,
                ring.full[state.stage],
            )  # fmt: skip
            state.advance()
            if F.bias and NEXT:
                x.bias.fill(F, more, work, n, m, own, batch)
        if step == 0:
            for c in range(F.chunks):
                al.nvvm.tma_load_4d(x.v[c], V, batch, work.key_row(n), head, c * CHUNK, x.kv_full[0])
    if work.steps(n) == 0:
        for c in range(F.chunks):
            al.nvvm.tma_load_4d(x.v[c], V, batch, work.key_row(n), head, c * CHUNK, x.kv_full[0])


@avelang.jit
def consume(
    F: Any,
    outs: Any,
    counters: Any,
    x: Any,
    work: Any,
    n: Any,
    head: Any,
    batch: Any,
    own: Any,
    scale: Any,
    by: Any,
    consumer: Any,
    t: Any,
):
    """A consumer's part: 64 keys."""
    (DK, DV), packed = outs
    SIZE = F.d // 2
    g = Gradients(al.full((SIZE,), 0.0, al.f32), al.full((SIZE,), 0.0, al.f32))
    q, do = x.q_ring.consumer(), x.do_ring.consumer()
    more = x.bias.ring.consumer() if F.bias else None
    for i in al.range(work.steps(n)):
        step(F, g, x, q, do, more, work, (n, own, batch), work.tile(n, i), i % 2, scale, consumer, t)
    if F.bias_gradient and t == 0:
        al.nvvm.cp_async_bulk_wait_group(0)
    g.dk = g.dk * by
    al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)  # nobody reads K any more
    if F.shared_keys:
        row = work.key_slot(n) * F.n + consumer * ROWS
        group = work.heads // work.kv_heads
        turn, mine = own % group, batch * work.kv_heads + head
        counter = al.subview(counters, ((mine * work.key_slots() + work.key_slot(n)) * 2 + consumer, 0), (1, 1), (1, 1))
        await_turn(counter, turn, t)
        add_keys(F, DV, (x.k, x.v), g.dv, mine, row, turn, consumer, t)
        add_keys(F, DK, (x.k, x.v), g.dk, mine, row, turn, consumer, t)
        end_turn(counter, turn, t)
    else:
        row = n * F.n + consumer * ROWS
        store_keys(F, DV, packed and packed[1], x.v, g.dv, work, batch, row, head, consumer, t)
        store_keys(F, DK, packed and packed[0], x.k, g.dk, work, batch, row, head, consumer, t)
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


@avelang.jit
def backward_stages(F: Any, bias: Any):
    """Shared memory, and mbarriers that are ready behind a barrier of the block. `bias`: a map, steps and a map of
    dS^T."""
    weights = tiles = None
    if F.wide:
        weights = al.make_shared((F.m // 8, GROUP, 4), al.f32, 1024 if F.bias else 16)
        tiles = al.view(weights, al.Tensor((2, F.m * F.n), F.dtype)) if F.bias else None
    elif F.bias:
        tiles = al.make_shared((F.bias_stages, F.m * F.n), F.dtype, 1024)
    x = BackwardStages(
        al.make_shared((F.chunks, F.n * CHUNK), F.dtype, 1024),
        al.make_shared((F.chunks, F.n * CHUNK), F.dtype, 1024),
        al.make_shared((F.stages, F.chunks * F.m * CHUNK), F.dtype, 1024),
        al.make_shared((F.do_stages, F.chunks * F.m * CHUNK), F.dtype, 1024),
        al.make_shared((F.stages, F.m // 2, 2), al.f32),
        al.make_shared((F.do_stages, F.m // 2, 2), al.f32),
        al.make_shared((2, F.atoms, F.n * CHUNK), F.dtype, 1024),
        weights,
        al.make_shared((CONSUMERS, CHUNK // BOX, ROWS, 8, 4), al.f32, 1024),
        mbarrier_ring(F.stages, CONSUMERS),
        mbarrier_ring(F.do_stages, CONSUMERS),
        al.make_shared((1, 1), al.u64),
    )
    if F.bias:
        readers = 1 if F.wide else CONSUMERS * (GROUP // WARP)
        x.bias = BackwardBias(tiles, mbarrier_ring(F.bias_stages, readers), *bias)
    if al.thread_id(0) == 0:
        x.q_ring.init()
        x.do_ring.init()
        if F.bias:
            x.bias.ring.init()
        al.nvvm.mbarrier_init(x.kv_full[0], 1)
        al.nvvm.fence_mbarrier_init()
    return x


@avelang.jit
def share_work(
    F: Any, arrays: Any, packed: Any, numbers: Any, sums: Any, x: Any, work: Any, n: Any, own: Any, batch: Any,
    rows: Any, edits: Any, t: Any,
):  # fmt: skip
    """The parts of a block's warps. `arrays`: q, k, v, do, dq, dk, dv; `packed`: memory of the last two, if sequences
    are packed and share no keys. `numbers`: lse, delta, their size; `sums`: counters, how many are of dQ, of dK;
    `edits`: `scale` and `by` of the kernel."""
    q, k, v, do, dq, dk, dv = arrays
    counts, tiles, key_tiles = sums
    scale, by = edits
    if packed is not None:
        packed = tuple([packed_rows(F, one, packed[1]) for one in packed[0]])
    head = own // (work.heads // work.kv_heads)
    if t < GROUP:
        al.nvvm.setmaxnreg_dec(FEW)
        if t == 0:
            LSE = al.make_tensor(numbers[0], al.f32, al.make_layout((numbers[2],)))
            DELTA = al.make_tensor(numbers[1], al.f32, al.make_layout((numbers[2],)))
            produce(F, q, k, v, do, LSE, DELTA, x, work, n, head, batch, own, rows)
        if t >= WARP and t < 3 * WARP:
            added = al.subview(counts, (1, 0), (tiles, 1), (1, 1))
            add_queries(F, dq, added, x, work, n, batch * work.heads + own, t // WARP - 1, t % WARP)
    else:
        al.nvvm.setmaxnreg_inc(MANY)
        added = al.subview(counts, (1 + tiles, 0), (key_tiles, 1), (1, 1))
        al.nvvm.mbarrier_wait(x.kv_full[0], 0)
        if F.apart:
            clear_keys(F, x, work, n, t - GROUP)
        if F.wide:
            if t < 2 * GROUP:
                total = make_values(F, x, work, n, scale, t % GROUP)
                finish(F, dv, packed and packed[1], added, x.v, total, work, n, head, batch, own, VALUES, t % GROUP)
            else:
                total = make_keys(F, x, work, (n, own, batch), t % GROUP)
                finish(F, dk, packed and packed[0], added, x.k, total * by, work, n, head, batch, own, KEYS, t % GROUP)
        else:
            outs = (dk, dv), packed
            consume(F, outs, added, x, work, n, head, batch, own, scale, by, t // GROUP - 1, t % GROUP)


@avelang.jit
def share_existing(
    F: Any, arrays: Any, packed: Any, numbers: Any, sums: Any, x: Any, work: Any, n: Any, own: Any, batch: Any,
    rows: Any, edits: Any, t: Any,
):  # fmt: skip
    """`share_work`, if there is such a tile of keys: packed sequences may have fewer than there is room for."""
    if F.packed:
        if n < work.key_tiles():
            share_work(F, arrays, packed, numbers, sums, x, work, n, own, batch, rows, edits, t)
    else:
        share_work(F, arrays, packed, numbers, sums, x, work, n, own, batch, rows, edits, t)


def types_of(F: HopperBackward) -> tuple[Any, ...]:
    """Types of what a kernel gets for some forms only, in the order of its arguments."""
    packed = F.packed and not F.shared_keys
    there = (F.apart, F.packed, F.packed, F.lengths, F.cap, F.mask, F.mask, F.mask, packed, packed, packed, F.listed)
    N, I, C = al.u32, al.Pointer(al.i32), al.Pointer(al.u32)
    types = (N, N, I, I, al.f32, C, al.u64, N, al.Pointer(F.dtype), al.u64, N, C)
    return tuple(x if y else al.constexpr for x, y in zip(types, there, strict=True))


SCALARS: tuple[Any, ...] = al.u32, al.i32, al.Pointer(al.f32), al.Pointer(al.u32)


@functools.cache
def build(F: HopperBackward) -> Any:
    """The kernel of a form. What TMA copies at once is part of its tensor map's type: hence a function for each."""
    X: Any = al.TensorMap(F.dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN)
    KV: Any = al.TensorMap(F.dtype, 4, (1, F.n, 1, CHUNK), swizzle=PATTERN)
    SUMS: Any = al.TensorMap(DTYPES["float32"], 3, (1, ROWS, BOX), swizzle=PATTERN)
    OUT: Any = SUMS if F.shared_keys else al.TensorMap(F.dtype, 4, (1, ROWS, 1, CHUNK), swizzle=PATTERN)
    N, I, R, C = SCALARS
    BIAS, MADE, AT = bias_types(F)
    MANY_KEYS, COUNT, CU, LENGTHS, CAP, BITS, COUNTS, PLANES, ROW, SIZE, STEP, LISTS = types_of(F)

    @avelang.jit
    def attention_backward(
        q: Annotated[Any, X], k: Annotated[Any, KV], v: Annotated[Any, KV], do: Annotated[Any, X],
        dq: Annotated[Any, SUMS], dk: Annotated[Any, OUT], dv: Annotated[Any, OUT], lse: Annotated[Any, R],
        delta: Annotated[Any, R], counters: Annotated[Any, C], batches: Annotated[Any, N], heads: Annotated[Any, N],
        queries: Annotated[Any, N], kv_heads: Annotated[Any, N], keys: Annotated[Any, N], left: Annotated[Any, I],
        right: Annotated[Any, I], shift: Annotated[Any, I], rows: Annotated[Any, N], cycle: Annotated[Any, N],
        together: Annotated[Any, N], scale: al.f32, by: al.f32, key_tiles: Annotated[Any, MANY_KEYS] = None,
        sequences: Annotated[Any, COUNT] = None, cu_q: Annotated[Any, CU] = None, cu_k: Annotated[Any, CU] = None,
        lengths: Annotated[Any, LENGTHS] = None, dk_rows: Annotated[Any, ROW] = None,
        dv_rows: Annotated[Any, ROW] = None, dk_size: Annotated[Any, SIZE] = None,
        dv_size: Annotated[Any, SIZE] = None, dk_head: Annotated[Any, STEP] = None,
        dk_row: Annotated[Any, STEP] = None, dv_head: Annotated[Any, STEP] = None, dv_row: Annotated[Any, STEP] = None,
        d: Annotated[Any, STEP] = None, top: Annotated[Any, CAP] = None, mask_lists: Annotated[Any, LISTS] = None,
        mask: Annotated[Any, BITS] = None, mask_size: Annotated[Any, COUNTS] = None,
        mask_batch: Annotated[Any, PLANES] = None, mask_head: Annotated[Any, PLANES] = None,
        bias: Annotated[Any, BIAS] = None, bias_batch: Annotated[Any, AT] = None, bias_head: Annotated[Any, AT] = None,
        dbias: Annotated[Any, MADE] = None,
    ):  # fmt: skip
        """`rows`: queries, as lse and delta have them, a multiple of `m`. `scale` in base 2; dK is what is summed up
        times `by`. `counters`, all 0: numbers of blocks, of additions to tiles of dQ, of additions to tiles of dK.
        `key_tiles`: of a head in memory. `sequences`: how many are packed; `dk_rows` to `d`: where dK and dV lie, as
        `PackedRows` has it. `top`: a cap, in base 2; `scale` is then what `capped` has it. `mask`:
        bits, and how far apart planes of batches and heads are; `mask_lists`: `tile_lists`; `bias`: `BackwardBias`."""
        t = al.thread_id(0)
        work = BackwardWork(heads, kv_heads, queries, keys, left, right, shift, cycle, together, F)
        each = 1 if F.packed else batches
        if F.apart:
            work.q_tiles, work.k_tiles = rows // F.m, key_tiles
        x = backward_stages(F, (bias, (bias_batch, bias_head), dbias))
        place = al.make_shared((1,), al.u32)
        tiles, pairs = work.query_slots() * heads * each, work.key_slots() * heads * each * 2
        counts = al.make_tensor(counters, al.u32, al.make_layout((1 + tiles + pairs, 1)))
        if t == 0:
            place[0] = al.nvvm.atomic_add(counts[0], al.convert(1, al.u32))
        al.syncthreads()
        n, own, batch = work.place(place[0], each)
        arrays, numbers = (q, k, v, do, dq, dk, dv), (lse, delta, batches * heads * rows)
        edits = scale
        if F.edited:
            edits = edits_of(F, scale, top, (mask, mask_size, mask_batch, mask_head, mask_lists), work, n, batch, own)
        if F.apart:
            n, batch = work.enter(Sequences(sequences, cu_q, cu_k, lengths), n, batch)
            numbers = lse, delta, heads * rows * each
        more = None
        if F.packed and not F.shared_keys:
            more = ((dk_rows, dk_size, dk_head, dk_row), (dv_rows, dv_size, dv_head, dv_row)), d
        share_existing(F, arrays, more, numbers, (counts, tiles, pairs), x, work, n, own, batch, rows, (edits, by), t)

    return attention_backward
