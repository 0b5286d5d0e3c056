"""Products on tensor cores, written as kernels for pyptx are: Hopper's with roles of warpgroups, clusters and copies to
both blocks, Blackwell's with tensor memory."""

from __future__ import annotations

from pyptx import Layout, Tile, kernel, ptx, reg, smem
from pyptx.types import b16, b32, bf16, f32, pred, u32

BM, BN, BK, STAGES = 64, 64, 64, 2
A_BYTES, B_BYTES = BM * BK * 2, BK * BN * 2
STAGE = A_BYTES + B_BYTES


OUT_AT = STAGES * STAGE
BARS_AT = OUT_AT + 72 * BM * 2
TOTAL = BARS_AT + 16 * STAGES


def hopper(m, n, k):
    """D = A Bᵀ in bf16: two blocks of a cluster share B's tile, half of which each loads for both. One warpgroup copies,
    one multiplies; shared memory is laid out by hand; D goes out through padded rows by one copy."""

    @kernel(
        in_specs=(Tile(m, k, bf16, Layout.TMA_128B, tma_box=(BM, BK), tma_rank=3),
                  Tile(n, k, bf16, Layout.TMA_128B, tma_box=(BN // 2, BK), tma_rank=3)),
        out_specs=(Tile(m, n, bf16, tma_box=(BM, BN), tma_rank=3, tma_padding=True),),
        grid=(m // BM, n // BN, 1), block=(256, 1, 1), cluster=(2, 1, 1), arch="sm_90a", smem=max(TOTAL, 50000),
        extern_smem=True, raw_directives=[("maxntid", (256, 1, 1)), ("explicitcluster", ()), ("reqnctapercluster", (2, 1, 1))],
    )  # fmt: skip
    def gemm(A, B, D):
        maps = A.tma_desc(), B.tma_desc()
        base = smem.base()
        full = ptx.mbarrier.array(base, BARS_AT, STAGES)
        empty = ptx.mbarrier.array(base, BARS_AT + 8 * STAGES, STAGES)
        tid = reg.from_(ptx.special.tid.x(), u32)
        with ptx.if_(tid == 0):
            full.init_all(1)
            empty.init_all(2)
            ptx.fence.mbarrier_init()
        ptx.cluster.sync(aligned=True)
        row, col = reg.from_(ptx.special.ctaid.x(), u32) * BM, reg.from_(ptx.special.ctaid.y(), u32) * BN
        ptx.bra("consumer", pred=(tid >= 128))
        ptx.setmaxnreg_dec(40)
        with ptx.if_(tid == 0):
            copies(maps, base, full, empty, row, col, k // BK)
        ptx.bra("done")
        ptx.label("consumer")
        ptx.setmaxnreg_inc(232)
        lane = tid & 127
        acc = products(base, full, empty, lane, k // BK)
        stored(acc, D.tma_desc(), base + OUT_AT, lane, row, col)
        ptx.label("done")
        ptx.cluster.sync()
        ptx.ret()

    return gemm


def copies(maps, base, full, empty, row, col, trips):
    """One thread of each block: A's tile for itself, half of B's for both."""
    rank, mask = reg.from_(ptx.sreg("%cluster_ctarank"), u32), reg.scalar(b16, init=3)
    state = ptx.pipeline(STAGES, phase=reg.scalar(u32, init=1))
    at, left = reg.scalar(u32, init=0), reg.scalar(u32, init=trips)
    more = reg.scalar(pred)
    with ptx.loop("copies", pred=more):
        stage, phase = state.advance()
        slot = full.at(stage)
        empty.at(stage).wait(phase)
        slot.arrive_expect_tx(STAGE)
        tile = base + stage * STAGE
        ptx.tma.load_3d(tile, maps[0], row, at, slot)
        half = tile + A_BYTES + rank * (B_BYTES // 2)
        ptx.tma.load_3d_multicast(half, maps[1], col + rank * (BN // 2), at, slot, mask)
        at += BK
        left -= 1
        ptx.inst.setp.ne.u32(more, left, 0)


def products(base, full, empty, lane, trips):
    """One warpgroup: the accumulator."""
    acc = reg.wgmma_frag(m=BM, n=BN, dtype=f32)
    state, first = ptx.pipeline(STAGES), reg.scalar(u32, init=0)

    def step():
        stage, phase = state.advance()
        full.at(stage).wait(phase)
        tile = base + stage * STAGE
        ptx.wgmma.fence()
        for kk in range(BK // 16):
            a = ptx.wgmma.masked_descriptor(tile, byte_offset=32 * kk, mask=0x3FFF0)
            b = ptx.wgmma.masked_descriptor(tile, byte_offset=A_BYTES + 32 * kk, mask=0x3FFF0)
            ptx.wgmma.mma_async(shape=(64, BN, 16), dtype_d=f32, dtype_a=bf16, dtype_b=bf16, d=acc, a=a, b=b,
                                scale_d=(first != 0) if kk == 0 else 1)  # fmt: skip
        ptx.wgmma.commit_group()
        ptx.wgmma.wait_group(0)
        ptx.inst.mov.u32(first, 1)
        freed = empty.at(stage)
        with ptx.if_(lane == 0):
            for other in range(2):
                freed.arrive_remote(other)

    ptx.kloop(trips, unroll=2, body=step)
    return acc


def stored(acc, out_map, out, lane, row, col):
    """The accumulator as bf16 into padded rows, and out by one copy."""
    four, pairs, in_warp = reg.array(b32, 4), reg.array(b16, 8), lane & 31
    place = out + (((lane >> 5) << 4) * 144) + (in_warp & 15) * 144 + ((in_warp >> 4) << 4)
    for group in range(BN // 16):
        for i in range(8):
            ptx.inst.cvt.rn.bf16.f32(pairs[i], acc[8 * group + i])
        for i in range(4):
            ptx.inst.mov.b32(four[i], [pairs[2 * i], pairs[2 * i + 1]])
        ptx.stmatrix(smem=ptx.addr(place, 32 * group), regs=four)
    ptx.fence.proxy_async_shared_cta()
    ptx.named_barrier(1, count=128).sync()
    with ptx.if_(lane == 0):
        ptx.tma.store_3d(out_map, out, row, col)
        ptx.cp.async_.bulk.commit_group()
        ptx.cp.async_.bulk.wait_group(0)


def blackwell(n, k):
    """D = A Bᵀ with A of 128 rows: one warp's thread copies and multiplies, four warps read tensor memory."""

    @kernel(in_specs=(Tile.wgmma_a(128, k, bf16, tile_m=128, tile_k=64), Tile.wgmma_a(n, k, bf16, tile_m=n, tile_k=64)),
            out_specs=(Tile(128, n, f32),), block=(128, 1, 1), arch="sm_100a", smem=49408)  # fmt: skip
    def product(A, B, D):
        t = ptx.tcgen05
        da, db = A.tma_desc(), B.tma_desc()
        a, b = smem.alloc(bf16, (128, 64), swizzle="128B"), smem.alloc(bf16, (n, 64), swizzle="128B")
        slot, bars = smem.alloc(b32, 1), smem.mbarrier(2)
        tid = reg.from_(ptx.special.tid.x(), u32)
        warp = tid >> 5
        with ptx.if_(warp == 0):
            t.alloc(slot, max(32, n))
            t.relinquish_alloc_permit()
        with ptx.if_(tid == 0):
            ptx.mbarrier.init(bars[0], 1)
            ptx.mbarrier.init(bars[1], 1)
            ptx.fence.mbarrier_init()
        t.fence_before_thread_sync()
        ptx.bar.sync()
        t.fence_after_thread_sync()
        tmem = smem.load(b32, ptx.addr(slot))
        idesc = t.make_instr_desc_f16bf16_f32(m=128, n=n)
        steps(n, k, (da, db), (a, b), bars, tid, tmem, idesc)
        t.fence_after_thread_sync()
        values = reg.array(b32, n)
        t.ld(values, tmem + (warp << 21), shape="32x32b", count=n)
        t.wait_ld()
        (pd,) = ptx.global_ptrs(D)
        pd += tid * (4 * n)
        for i in range(0, n, 4):
            ptx.inst.st.global_.v4.b32(ptx.addr(pd, 4 * i), [values[i + j] for j in range(4)])
        t.fence_before_thread_sync()
        ptx.bar.sync()
        with ptx.if_(warp == 0):
            t.dealloc(tmem, max(32, n))
        ptx.ret()

    return product


def steps(n, k, maps, tiles, bars, tid, tmem, idesc):
    """Copies and products of one thread, step after step; all threads wait for each."""
    t, phase = ptx.tcgen05, reg.scalar(u32, init=0)
    pa, pb = reg.from_(tiles[0].name, u32), reg.from_(tiles[1].name, u32)
    for step in range(k // 64):
        with ptx.if_(tid == 0):
            ptx.mbarrier.arrive_expect_tx(bars[0], (128 + n) * 128)
            ptx.cp.async_.bulk.tensor_2d(dst=tiles[0], src=maps[0], coord=(64 * step, 0), mbar=bars[0])
            ptx.cp.async_.bulk.tensor_2d(dst=tiles[1], src=maps[1], coord=(64 * step, 0), mbar=bars[0])
            ptx.mbarrier.wait(bars[0], phase)
            for kk in range(4):
                t.mma(tmem, t.masked_descriptor(pa, byte_offset=32 * kk), t.masked_descriptor(pb, byte_offset=32 * kk),
                      idesc, pred_operand=step + kk > 0)  # fmt: skip
            t.commit(bars[1])
        ptx.mbarrier.wait(bars[1], phase)
        ptx.bar.sync()  # nobody is a phase ahead of another
        phase ^= 1
