"""Gradients of O = softmax(scale Q K^T) V: dQ, dK and dV from Q, K, V, dO, the logarithms of the rows' sums and delta =
the sums of dO * O over rows, on NVIDIA's Hopper (sm_90a), with TMA and `wgmma`. The same bits in every run.

A block has 128 keys of one head of Q and goes through its queries, from the first that sees one of them on. Two
consumers with 64 keys each compute S^T and dP^T; weights and their gradients never leave registers as the operands A
of dV and dK. Both leave dS in shared memory, for dQ, of which each makes one half. Two warps bring those to memory by
turns: TMA adds them to sums in f32. Blocks that share a query add in a fixed order, told by counters in memory. Where
there is a mask, that is keys from the last on: a block begins where its first query is, so in step with the others it
comes after those of later keys by itself. Else blocks go around the queries, each from one of its own, and add in the
order in which they come by. Where heads of Q share keys, dK and dV are added up in the same way, in the order of heads.
Blocks take numbers as they start and, but for those that go around, wait for lower numbers only: they end whatever
order they start in."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import stage_epilogue
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT
from avelang_kernels.arrays import DTYPES
from avelang_kernels.attention.hopper_backward_work import BackwardWork

CHUNK = 64  # elements of d side by side: 128 bytes, one row of the swizzle
INNER = 16  # elements of K that one wgmma multiplies
BYTES, F32 = 2, 4  # of an element, of a sum
WARP = 32
BOX = PATTERN // F32  # columns of sums that TMA adds at once
CONSUMERS = 2
FEW, MANY = 24, 240  # registers of a thread of the producer, and of a consumer
WRITERS = 2  # warps that bring dQ to memory, in turns
# Named barriers: of EMPTY and ENDED one for each consumer, of FULL one for each consumer and writer.
SHARED_DS, ENDED, EMPTY, FULL = 1, 2, 4, 6


@avelang.constant
@dataclasses.dataclass(frozen=True)
class HopperBackward:
    """Shape of a block: `stages` of Q. `dtype` of arrays; `d`, as it is padded: 64, 128 or 256. `shared_keys`: heads of
    Q share keys, dK and dV are sums in f32. `window`: queries see no keys further back than `left`; `bounded`: nor such
    as are further ahead than `right`."""

    dtype: Any
    d: int
    shared_keys: bool = False
    bounded: bool = True
    window: bool = False
    stages: int = 2

    @property
    def m(self) -> int:
        """Queries at a time."""
        return 128 if self.d == 64 else 64

    @property
    def wide(self) -> bool:
        """True where consumers share the block's keys: each has half of the queries of S^T, and half of d of all else,
        and weights go through shared memory."""
        return self.d > 128

    @property
    def n(self) -> int:
        """Keys of a block."""
        return ROWS if self.wide else CONSUMERS * ROWS

    @property
    def columns(self) -> int:
        """Queries of a consumer's S^T."""
        return self.m // CONSUMERS if self.wide else self.m

    @property
    def own(self) -> int:
        """Pieces of d of a consumer's dK and dV."""
        return self.chunks // CONSUMERS if self.wide else self.chunks

    @property
    def rounds(self) -> int:
        """Pieces of a consumer's part of dQ, 64 columns each."""
        return self.own if self.wide else 1

    @property
    def do_stages(self) -> int:
        """Stages of dO."""
        return 1 if self.wide else self.stages

    @property
    def atoms(self) -> int:
        """Pieces of them, 64 each."""
        return self.m // ROWS

    @property
    def chunks(self) -> int:
        """Pieces of d."""
        return self.d // CHUNK

    @property
    def threads(self) -> int:
        """Of the block."""
        return GROUP * (1 + CONSUMERS)


@avelang.jit
def wgmma(F: Any, a: Any, b: Any, sums: Any, ADD: Any, TRANS_A: Any = 0, TRANS_B: Any = 0):
    """One instruction, both operands by descriptors; ADD of 0: sums begin."""
    if F.dtype == al.bf16:
        return al.nvvm.wgmma_bf16_f32(a, b, sums, ADD, trans_a=TRANS_A, trans_b=TRANS_B)
    return al.nvvm.wgmma_f16_f32(a, b, sums, ADD, trans_a=TRANS_A, trans_b=TRANS_B)


@avelang.jit
def wgmma_rs(F: Any, a: Any, b: Any, sums: Any):
    """One instruction, A from registers, B the other way round."""
    return (
        al.nvvm.wgmma_bf16_f32_rs(a, b, sums, trans_b=1)
        if F.dtype == al.bf16
        else al.nvvm.wgmma_f16_f32_rs(a, b, sums, trans_b=1)
    )


@avelang.jit
def scores(F: Any, keys: Any, rows: Any, stage: Any, consumer: Any):
    """Begins a consumer's keys (64, d) times its rows of a stage, transposed."""
    sums = al.nvvm.wgmma_fence_acc(al.full((F.columns // 2,), 0.0, al.f32))
    KEY, ROW = (0, F.columns * CHUNK) if F.wide else (ROWS * CHUNK, 0)
    for c in range(F.chunks):
        a = al.nvvm.wgmma_descriptor(al.subview(keys, (c, consumer * KEY), (1, ROWS * CHUNK), (1, 1)))
        b = al.nvvm.wgmma_descriptor(
            al.subview(rows, (stage, c * F.m * CHUNK + consumer * ROW), (1, F.columns * CHUNK), (1, 1))
        )
        for i in range(CHUNK // INNER):
            offset = i * INNER * BYTES // UNIT
            sums = wgmma(F, a + offset, b + offset, sums, int(c + i > 0))
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def accumulate(F: Any, weights: Any, rows: Any, stage: Any, sums: Any):
    """Begins sums (64, d) += weights (64, m), in registers, times rows (m, d) of a stage."""
    sums = al.nvvm.wgmma_fence_acc(sums)
    held = ()
    for t in range(F.m // INNER):
        one = al.make_local((8,), F.dtype)
        for i in range(8):
            one[i] = weights[8 * t + i]
        held = held + (al.nvvm.wgmma_fence_acc(one),)
    b = al.nvvm.wgmma_descriptor(rows[stage], leading=F.m * PATTERN, stride=8 * PATTERN)
    for t in range(F.m // INNER):
        sums = wgmma_rs(F, held[t], b + t * INNER * PATTERN // UNIT, sums)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def accumulate_shared(F: Any, weights: Any, buffer: Any, rows: Any, stage: Any, sums: Any, consumer: Any):
    """The same for half of d, with weights of all queries from shared memory."""
    sums = al.nvvm.wgmma_fence_acc(sums)
    a = al.nvvm.wgmma_descriptor(al.subview(weights, (buffer, 0, 0), (1, 1, F.n * CHUNK), (1, 1, 1)))
    SIZE = F.own * F.m * CHUNK
    b = al.nvvm.wgmma_descriptor(
        al.subview(rows, (stage, consumer * SIZE), (1, SIZE), (1, 1)), leading=F.m * PATTERN, stride=8 * PATTERN
    )
    for t in range(F.m // INNER):
        sums = wgmma(F, a + t * INNER * BYTES // UNIT, b + t * INNER * PATTERN // UNIT, sums, 1, 0, 1)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def query_gradient(F: Any, ds: Any, buffer: Any, keys: Any, consumer: Any):
    """Begins a consumer's half of dQ: 64 queries, and 64 of d, or half of it."""
    sums = al.nvvm.wgmma_fence_acc(al.full((F.rounds * CHUNK // 2,), 0.0, al.f32))
    ATOM, PIECE = (0, F.rounds) if F.atoms == 1 else (1, 0)
    a = al.nvvm.wgmma_descriptor(
        al.subview(ds, (buffer, consumer * ATOM, 0), (1, 1, F.n * CHUNK), (1, 1, 1)), stride=8 * PATTERN
    )
    b = al.nvvm.wgmma_descriptor(
        al.subview(keys, (consumer * PIECE, 0), (F.rounds, F.n * CHUNK), (1, 1)), leading=F.n * PATTERN,
        stride=8 * PATTERN,
    )  # fmt: skip
    for t in range(F.n // INNER):
        offset = t * INNER * PATTERN // UNIT
        sums = wgmma(F, a + offset, b + offset, sums, int(t > 0), 1, 1)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def weights_of(F: Any, s: Any, lse: Any, stage: Any, scale: Any, work: Any, n: Any, m: Any, consumer: Any, t: Any):
    """Weights of scores: 2 to the score * scale - lse; 0 for what is not seen."""
    warp, lane = t // WARP, t % WARP
    first = consumer * (F.columns // 2) if F.wide else 0
    p = al.make_local((F.columns // 2,), al.f32)
    for j in range(F.columns // 8):
        two = al.subview(lse, (stage, first + j * 4 + lane % 4, 0), (1, 1, 2), (1, 1, 1))
        less = al.view(two, al.Tensor((1, 2), al.f32))[0]
        for e in range(4):
            p[4 * j + e] = al.nvvm.exp2(al.fma(s[4 * j + e], scale, 0.0 - less[e % 2]))
    if not work.whole(n, m):
        key = al.convert(n * F.n + (0 if F.wide else consumer * ROWS) + warp * 16 + lane // 4, al.i32)
        query = al.convert(m * F.m + 2 * first + lane % 4 * 2, al.i32) + work.shift
        for j in range(F.columns // 8):
            for e in range(4):
                mine, at = key + e // 2 * 8, query + (j * 8 + e % 2)
                seen = mine < al.convert(work.keys, al.i32)
                if F.bounded:
                    seen = seen and mine <= at + work.right
                if F.window:
                    seen = seen and mine >= at - work.left
                p[4 * j + e] = al.select(seen, p[4 * j + e], 0.0)
    return p


@avelang.jit
def score_gradients(F: Any, p: Any, dp: Any, delta: Any, stage: Any, consumer: Any, t: Any):
    """dS = P * (dP - delta), in the dtype of operands."""
    first = consumer * (F.columns // 2) if F.wide else 0
    lane, ds = t % WARP, al.make_local((F.columns // 2,), al.f32)
    for j in range(F.columns // 8):
        two = al.subview(delta, (stage, first + j * 4 + lane % 4, 0), (1, 1, 2), (1, 1, 1))
        less = al.view(two, al.Tensor((1, 2), al.f32))[0]
        for e in range(4):
            ds[4 * j + e] = p[4 * j + e] * (dp[4 * j + e] - less[e % 2])
    return al.convert(ds, F.dtype)


@avelang.jit
def share(F: Any, room: Any, buffer: Any, held: Any, consumer: Any, t: Any):
    """Leaves a consumer's part of dS^T, or of the weights, in shared memory: 64 keys, or half of the queries."""
    row, LEFT = t // WARP * 16 + t % 16, F.columns // 8
    if not F.wide:
        row = consumer * ROWS + row
    for i in range(F.columns // 16):
        chunk = 2 * (i % 4) + t % WARP // 16
        if F.wide:
            chunk = chunk + consumer * LEFT
        place = al.subview(room, (buffer, i // 4, row * CHUNK + (chunk ^ (row % 8)) * 8), (1, 1, 8), (1, 1, 1))
        words = al.view(al.subview(held, (8 * i,), (8,), (1,)), al.Tensor((4,), al.i32))
        al.nvvm.stmatrix_m8n8_x4_b16(place, words)
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)


@avelang.struct
class BackwardStages:
    """Shared memory of a block: K, V, stages of Q and dO with lse and delta, two buffers of dS (and of
    the weights, where they are shared), and dQ on its way."""

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


@avelang.struct
class Gradients:
    """A consumer's sums of dK and dV."""

    dk: ...
    dv: ...


@avelang.jit
def step(
    F: Any, g: Any, x: Any, q: Any, do: Any, work: Any, n: Any, m: Any, buffer: Any, scale: Any, consumer: Any, t: Any
):
    """One tile of queries. Products that are under way while numbers are computed: dP with the weights, dV with dS, dK
    with dQ's way to shared memory."""
    x.q_ring.wait(q)
    s = scores(F, x.k, x.q, q.stage, consumer)
    x.do_ring.wait(do)
    dp = scores(F, x.v, x.do, do.stage, consumer)
    s = al.nvvm.wgmma_wait_acc(s, 1)
    p = weights_of(F, s, x.lse, q.stage, scale, work, n, m, consumer, t)
    if F.wide:
        share(F, x.p, buffer, al.convert(p, F.dtype), consumer, t)
        dv = accumulate_shared(F, x.p, buffer, x.do, do.stage, g.dv, consumer)
    else:
        dv = accumulate(F, al.convert(p, F.dtype), x.do, do.stage, g.dv)
    dp = al.nvvm.wgmma_wait_acc(dp, 1)
    held = score_gradients(F, p, dp, x.delta, do.stage, consumer, t)
    share(F, x.ds, buffer, held, consumer, t)
    dq = query_gradient(F, x.ds, buffer, x.k, consumer)
    if F.wide:
        dk = accumulate_shared(F, x.ds, buffer, x.q, q.stage, g.dk, consumer)
    else:
        dk = accumulate(F, held, x.q, q.stage, g.dk)
    dq = al.nvvm.wgmma_wait_acc(dq, 1)
    g.dv = al.nvvm.wgmma_wait_acc(dv, 1)
    x.do_ring.release(do.stage, t)
    do.advance()
    for r in range(F.rounds):
        al.nvvm.barrier_sync(EMPTY + consumer, GROUP + WARP)
        for i in range(CHUNK // BOX):
            room = al.subview(x.dq, (consumer, i, 0, 0, 0), (1, 1, ROWS, 8, 4), (1, 1, 1, 1, 1))
            mine = al.subview(dq, (r * CHUNK // 2 + i * BOX // 2,), (BOX // 2,), (1,))
            stage_epilogue(al.view(room, al.Tensor((ROWS, 8, 4), al.f32)), mine, t // WARP, t % WARP)
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_arrive(FULL + CONSUMERS * buffer + consumer, GROUP + WARP)
    g.dk = al.nvvm.wgmma_wait_acc(dk, 0)
    x.q_ring.release(q.stage, t)
    q.advance()


@avelang.jit
def spin(counter: Any, value: Any):
    """Waits until a counter in memory has a value; what was written before it is seen then, by copies too."""
    now = al.nvvm.ld_acquire_u32(counter)
    while now != value:
        now = al.nvvm.ld_acquire_u32(counter)
    al.nvvm.fence_proxy_async()


@avelang.jit
def add_queries(F: Any, DQ: Any, counters: Any, x: Any, work: Any, n: Any, head: Any, writer: Any, lane: Any):
    """A warp's part: brings dQ of every other tile of queries to memory, in its turn. While one warp waits until its
    sums have arrived, the other one sends the next."""
    if writer == 0:
        for piece in range(CONSUMERS):
            al.nvvm.barrier_arrive(EMPTY + piece, GROUP + WARP)
    for i in al.range(writer, work.steps(n), WRITERS):
        m = work.tile(n, i)
        turn, counter = work.turn(n, m), al.subview(counters, (head * work.query_tiles() + m, 0), (1, 1), (1, 1))
        for r in range(F.rounds):
            for piece in range(CONSUMERS):
                al.nvvm.barrier_sync(FULL + CONSUMERS * writer + piece, GROUP + WARP)
                if lane == 0:
                    if r + piece == 0 and turn > 0:
                        spin(counter, turn)
                    send_queries(F, DQ, x, m, head, turn, piece, r)
                al.nvvm.barrier_arrive(EMPTY + piece, GROUP + WARP)
        if lane == 0:
            al.nvvm.cp_async_bulk_wait_group(0)
            al.nvvm.fence_gpu()
            al.nvvm.st_release(counter, turn + 1)


@avelang.jit
def send_queries(F: Any, DQ: Any, x: Any, m: Any, head: Any, turn: Any, piece: Any, r: Any):
    """Has TMA store a part of dQ, or add it to what is there, and waits until it has been read."""
    row = m * F.m + (piece * ROWS if F.atoms == 2 else 0)
    for i in range(CHUNK // BOX):
        column = i * BOX + (0 if F.atoms == 2 else (piece * F.rounds + r) * CHUNK)
        room = al.subview(x.dq, (piece, i, 0, 0, 0), (1, 1, ROWS, 8, 4), (1, 1, 1, 1, 1))
        if turn > 0:
            al.nvvm.tma_reduce_add_3d(DQ, head, row, column, room)
        else:
            al.nvvm.tma_store_3d(DQ, head, row, column, room)
    al.nvvm.cp_async_bulk_commit_group()
    al.nvvm.cp_async_bulk_wait_group_read(0)


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
        al.nvvm.tma_load_4d(x.k[c], K, batch, n * F.n, head, c * CHUNK, x.kv_full[0])
    q, do = x.q_ring.producer(), x.do_ring.producer()
    for step in al.range(work.steps(n)):
        m = work.tile(n, step)
        for A, data, numbers, source, ring, state in (
            (Q, x.q, x.lse, lse, x.q_ring, q), (DO, x.do, x.delta, delta, x.do_ring, do),
        ):  # fmt: skip
            ring.acquire(state, F.m * (F.d * BYTES + F32))
            for c in range(F.chunks):
                place = al.subview(data, (state.stage, c * F.m * CHUNK), (1, F.m * CHUNK), (1, 1))
                al.nvvm.tma_load_4d(place, A, batch, m * F.m, own, c * CHUNK, ring.full[state.stage])
            al.nvvm.cp_async_bulk_load(
                numbers[state.stage], al.subview(source, (mine * rows + m * F.m,), (F.m,), (1,)), F.m * F32,
                ring.full[state.stage],
            )  # fmt: skip
            state.advance()
        if step == 0:
            for c in range(F.chunks):
                al.nvvm.tma_load_4d(x.v[c], V, batch, n * F.n, head, c * CHUNK, x.kv_full[0])
    if work.steps(n) == 0:
        for c in range(F.chunks):
            al.nvvm.tma_load_4d(x.v[c], V, batch, n * F.n, head, c * CHUNK, x.kv_full[0])


@avelang.jit
def own_rows(F: Any, room: Any, c: Any, consumer: Any):
    """Memory of a consumer's piece c of dK or dV in that of K or V."""
    if F.wide:
        return al.subview(room, (consumer * F.own + c, 0), (1, ROWS * CHUNK), (1, 1))
    return al.subview(room, (c, consumer * (ROWS * CHUNK)), (1, ROWS * CHUNK), (1, 1))


@avelang.jit
def store_keys(F: Any, OUT: Any, room: Any, sums: Any, batch: Any, row: Any, head: Any, consumer: Any, t: Any):
    """Rounds a consumer's part of dK or dV and hands it to TMA. `room`: memory of K or V."""
    for c in range(F.own):
        mine = al.view(own_rows(F, room, c, consumer), al.Tensor((ROWS, 8, 8), F.dtype))
        stage_epilogue(mine, al.subview(sums, (c * CHUNK // 2,), (CHUNK // 2,), (1,)), t // WARP, t % WARP)
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_sync(ENDED + consumer, GROUP)
    if t == 0:
        for c in range(F.own):
            column = (c + consumer * F.own if F.wide else c) * CHUNK
            al.nvvm.tma_store_4d(OUT, batch, row, head, column, own_rows(F, room, c, consumer))
        al.nvvm.cp_async_bulk_commit_group()


@avelang.jit
def add_keys(F: Any, OUT: Any, x: Any, sums: Any, head: Any, row: Any, turn: Any, consumer: Any, t: Any):
    """Hands a consumer's part of dK or dV in f32 to TMA, which stores that of the first head that shares the keys, and
    adds the others'."""
    PIECES = F.own * CHUNK // BOX
    for i in range(PIECES):
        mine = own_rows(F, x.k if i < F.own else x.v, i % F.own, consumer)
        stage_epilogue(
            al.view(mine, al.Tensor((ROWS, 8, 4), al.f32)), al.subview(sums, (i * BOX // 2,), (BOX // 2,), (1,)),
            t // WARP, t % WARP,
        )  # fmt: skip
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_sync(ENDED + consumer, GROUP)
    if t == 0:
        for i in range(PIECES):
            mine = own_rows(F, x.k if i < F.own else x.v, i % F.own, consumer)
            four, column = al.view(mine, al.Tensor((ROWS, BOX), al.f32)), i * BOX
            if F.wide:
                column = column + consumer * (F.own * CHUNK)
            if turn > 0:
                al.nvvm.tma_reduce_add_3d(OUT, head, row, column, four)
            else:
                al.nvvm.tma_store_3d(OUT, head, row, column, four)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group_read(0)
    al.nvvm.barrier_sync(ENDED + consumer, GROUP)


@avelang.jit
def consume(
    F: Any,
    DK: Any,
    DV: Any,
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
    SIZE = F.own * CHUNK // 2
    g = Gradients(al.full((SIZE,), 0.0, al.f32), al.full((SIZE,), 0.0, al.f32))
    al.nvvm.mbarrier_wait(x.kv_full[0], 0)
    q, do = x.q_ring.consumer(), x.do_ring.consumer()
    for i in al.range(work.steps(n)):
        step(F, g, x, q, do, work, n, work.tile(n, i), i % 2, scale, consumer, t)
    g.dk = g.dk * by
    al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)  # nobody reads K any more
    row = n * F.n
    if not F.wide:
        row = row + consumer * ROWS
    if F.shared_keys:
        group = work.heads // work.kv_heads
        turn, mine = own % group, batch * work.kv_heads + head
        counter = al.subview(counters, ((mine * work.key_tiles() + n) * 2 + consumer, 0), (1, 1), (1, 1))
        if t == 0 and turn > 0:
            spin(counter, turn)
        add_keys(F, DV, x, g.dv, mine, row, turn, consumer, t)
        add_keys(F, DK, x, g.dk, mine, row, turn, consumer, t)
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group(0)
            al.nvvm.fence_gpu()
            al.nvvm.st_release(counter, turn + 1)
    else:
        store_keys(F, DV, x.v, g.dv, batch, row, head, consumer, t)
        store_keys(F, DK, x.k, g.dk, batch, row, head, consumer, t)
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


@avelang.jit
def backward_stages(F: Any):
    """Shared memory, and mbarriers that are ready behind a barrier of the block."""
    x = BackwardStages(
        al.make_shared((F.chunks, F.n * CHUNK), F.dtype, 1024),
        al.make_shared((F.chunks, F.n * CHUNK), F.dtype, 1024),
        al.make_shared((F.stages, F.chunks * F.m * CHUNK), F.dtype, 1024),
        al.make_shared((F.do_stages, F.chunks * F.m * CHUNK), F.dtype, 1024),
        al.make_shared((F.stages, F.m // 2, 2), al.f32),
        al.make_shared((F.do_stages, F.m // 2, 2), al.f32),
        al.make_shared((2, F.atoms, F.n * CHUNK), F.dtype, 1024),
        al.make_shared((2, F.atoms, F.n * CHUNK), F.dtype, 1024) if F.wide else None,
        al.make_shared((CONSUMERS, CHUNK // BOX, ROWS, 8, 4), al.f32, 1024),
        mbarrier_ring(F.stages, CONSUMERS),
        mbarrier_ring(F.do_stages, CONSUMERS),
        al.make_shared((1, 1), al.u64),
    )
    if al.thread_id(0) == 0:
        x.q_ring.init()
        x.do_ring.init()
        al.nvvm.mbarrier_init(x.kv_full[0], 1)
        al.nvvm.fence_mbarrier_init()
    return x


@functools.cache
def build(F: HopperBackward) -> Any:
    """The kernel of a form. What TMA copies at once is part of its tensor map's type: hence a function for each."""
    X: Any = al.TensorMap(F.dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN)
    KV: Any = al.TensorMap(F.dtype, 4, (1, F.n, 1, CHUNK), swizzle=PATTERN)
    SUMS: Any = al.TensorMap(DTYPES["float32"], 3, (1, ROWS, BOX), swizzle=PATTERN)
    OUT: Any = SUMS if F.shared_keys else al.TensorMap(F.dtype, 4, (1, ROWS, 1, CHUNK), swizzle=PATTERN)
    N: Any = al.u32
    I: Any = al.i32
    R: Any = al.Pointer(al.f32)
    C: Any = al.Pointer(al.u32)

    @avelang.jit
    def attention_backward(
        q: Annotated[Any, X], k: Annotated[Any, KV], v: Annotated[Any, KV], do: Annotated[Any, X],
        dq: Annotated[Any, SUMS], dk: Annotated[Any, OUT], dv: Annotated[Any, OUT], lse: Annotated[Any, R],
        delta: Annotated[Any, R], counters: Annotated[Any, C], batches: Annotated[Any, N], heads: Annotated[Any, N],
        queries: Annotated[Any, N], kv_heads: Annotated[Any, N], keys: Annotated[Any, N], left: Annotated[Any, I],
        right: Annotated[Any, I], shift: Annotated[Any, I], rows: Annotated[Any, N], cycle: Annotated[Any, N],
        scale: al.f32, by: al.f32,
    ):  # fmt: skip
        """`rows`: queries, as lse and delta have them, a multiple of `m`. `scale` in base 2; dK is what is summed up
        times `by`. `counters`, all 0: numbers of blocks, of additions to tiles of dQ, of additions to tiles of dK."""
        t = al.thread_id(0)
        work = BackwardWork(heads, kv_heads, queries, keys, left, right, shift, cycle, F)
        x = backward_stages(F)
        place = al.make_shared((1,), al.u32)
        tiles = work.query_tiles() * heads * batches
        counts = al.make_tensor(
            counters, al.u32, al.make_layout((1 + tiles + work.key_tiles() * heads * batches * 2, 1))
        )
        if t == 0:
            place[0] = al.nvvm.atomic_add(counts[0], al.convert(1, al.u32))
        al.syncthreads()
        number = place[0]
        n = work.key_tiles() - 1 - number % work.key_tiles()
        own, batch = number // work.key_tiles() % heads, number // work.key_tiles() // heads
        head = own // (heads // kv_heads)
        if t < GROUP:
            al.nvvm.setmaxnreg_dec(FEW)
            if t == 0:
                LSE = al.make_tensor(lse, al.f32, al.make_layout((batches * heads * rows,)))
                DELTA = al.make_tensor(delta, al.f32, al.make_layout((batches * heads * rows,)))
                produce(F, q, k, v, do, LSE, DELTA, x, work, n, head, batch, own, rows)
            if t >= WARP and t < 3 * WARP:
                added = al.subview(counts, (1, 0), (tiles, 1), (1, 1))
                add_queries(F, dq, added, x, work, n, batch * heads + own, t // WARP - 1, t % WARP)
        else:
            al.nvvm.setmaxnreg_inc(MANY)
            added = al.subview(counts, (1 + tiles, 0), (work.key_tiles() * heads * batches * 2, 1), (1, 1))
            consume(F, dk, dv, added, x, work, n, head, batch, own, scale, by, t // GROUP - 1, t % GROUP)

    return attention_backward
