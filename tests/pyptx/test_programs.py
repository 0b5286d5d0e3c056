"""Whole kernels for pyptx, as somebody writes them who knows its interface only: a pair of Blackwell's blocks, and Hopper's
warp-specialized product with multicast; against NumPy, with races and values that nothing wrote looked for."""

import ml_dtypes
import numpy as np
import pytest

from pyptx import Layout, Tile, kernel, ptx, reg, smem
from pyptx.types import b16, b32, bf16, f32, pred, u32

K_STEP, STAGES = 64, 3
t5, tensor_2d = ptx.tcgen05, ptx.cp.async_.bulk.tensor_2d


def tiles(rows: int, columns: int) -> tuple[Tile, Tile]:
    """A (M, K) and B (N, K), copied in boxes of so many rows."""
    return tuple(Tile(x, "K", bf16, Layout.TMA_128B, tma_box=(n, K_STEP)) for x, n in (("M", rows), ("N", columns)))


def pair(n: int):
    """256 x n of C by two blocks: each has 128 rows of A and half of B's columns."""
    a_bytes, b_bytes = 128 * K_STEP * 2, n // 2 * K_STEP * 2
    bars = STAGES * (a_bytes + b_bytes)
    slot = bars + 128

    @kernel(arch="sm_100a", in_specs=tiles(128, n // 2), out_specs=(Tile("M", "N", f32),), grid=lambda M, N, K: (2 * (M // 256), N // n),
            block=(192, 1, 1), cluster=(2, 1, 1), smem=slot + 1024, extern_smem=True)  # fmt: skip
    def product(A, B, C, *, N=None, K=None):
        da, db = A.tma_desc(), B.tma_desc()
        (to,) = ptx.global_ptrs(C)
        base = smem.base()
        full, empty = ptx.mbarrier.array(base, bars, STAGES), ptx.mbarrier.array(base, bars + 8 * STAGES, STAGES)
        done = ptx.mbarrier.array(base, bars + 16 * STAGES, 1)
        tid = reg.from_(ptx.special.tid.x(), u32)
        warp, rank = tid >> 5, reg.from_(ptx.sreg("%cluster_ctarank"), u32)
        m0 = (reg.from_(ptx.special.ctaid.x(), u32) >> 1) * 256 + rank * 128
        n0 = reg.from_(ptx.special.ctaid.y(), u32) * n
        with ptx.if_(tid == 0):
            for barriers in (full, empty, done):
                barriers.init_all(1)
            ptx.fence.mbarrier_init()
        with ptx.if_(warp == 0):
            t5.alloc(ptx.addr(base, slot), n, cta_group=2)
            t5.relinquish_alloc_permit(cta_group=2)
        meet()
        tensor = smem.load(b32, ptx.addr(base, slot))
        lead = rank == 0
        with ptx.if_(tid == 128):
            pipe = ptx.pipeline(STAGES)
            for k in ptx.range_(0, K, K_STEP):
                s, phase = pipe.advance()
                empty.at(s).wait(phase ^ 1)
                full.at(s).arrive_expect_tx(2 * (a_bytes + b_bytes), pred=lead)
                bar = ptx.cluster.map_shared_u32(full.at(s).addr_reg(), 0)
                for desc, at, row in ((da, base + s * a_bytes, m0), (db, base + STAGES * a_bytes + s * b_bytes, n0 + rank * (n // 2))):
                    tensor_2d.shared_cta_global_tile(dst=at, src=desc, coord=(k, row), mbar=bar, cta_group=2)
        with ptx.if_(tid == 160), ptx.if_(lead):
            multiply(base, full, empty, done, tensor, K, n, a_bytes, b_bytes)
        with ptx.if_(tid < 128):
            done[0].wait(0)
            t5.fence_after_thread_sync()
            for c in range(0, n, 16):
                r = reg.array(b32, 16)
                t5.ld(r, tensor + c + (warp << 21), shape="32x32b", count=16)
                t5.wait_ld()
                at = to + (((m0 + tid) * N + n0 + c) << 2)
                for j in range(0, 16, 4):
                    ptx.inst.st.global_.v4.b32(ptx.addr(at, j * 4), r.regs()[j : j + 4])
        meet()
        with ptx.if_(warp == 0):
            t5.dealloc(tensor, n, cta_group=2)
        ptx.ret()

    return product


def meet() -> None:
    """All threads of both blocks."""
    t5.fence_before_thread_sync()
    ptx.bar.sync(0)
    ptx.cluster.sync(aligned=True)
    t5.fence_after_thread_sync()


def multiply(base, full, empty, done, tensor, K, n, a_bytes, b_bytes) -> None:
    """One thread's products, for both blocks."""
    pipe, mask = ptx.pipeline(STAGES), reg.scalar(b16, init=3)
    word = reg.scalar(b32, init=t5.make_instr_desc_f16bf16_f32(m=256, n=n))
    for k in ptx.range_(0, K, K_STEP):
        s, phase = pipe.advance()
        full.at(s).wait(phase)
        t5.fence_after_thread_sync()
        a, b = t5.masked_descriptor(base + s * a_bytes), t5.masked_descriptor(base + STAGES * a_bytes + s * b_bytes)
        for j in range(4):
            t5.mma(tensor, a + 2 * j, b + 2 * j, word, cta_group=2, scale_d=(k != 0) if j == 0 else 1)
        t5.commit(empty.at(s), cta_group=2, multicast_mask=mask)
    t5.commit(done[0], cta_group=2, multicast_mask=mask)


def hopper(cluster: int):
    """64 x 64 of C a block; blocks of a cluster share B's tile, of which each copies a part for all."""
    tile = 64 * K_STEP * 2
    bars = 2 * STAGES * tile

    @kernel(arch="sm_90a", in_specs=tiles(64, 64 // cluster), out_specs=(Tile("M", "N", f32),), grid=lambda M, N, K: (M // 64, N // 64, 1),
            block=(256, 1, 1), cluster=(cluster, 1, 1), smem=bars + 1024, extern_smem=True, raw_params=[("u32", "N"), ("u32", "K")],
            raw_directives=[(".maxntid", (256, 1, 1)), (".explicitcluster", ()), (".reqnctapercluster", (cluster, 1, 1))])  # fmt: skip
    def product(A, B, C):
        columns, steps = ptx.param(u32, "N"), ptx.param(u32, "K") >> 6
        da, db = A.tma_desc(), B.tma_desc()
        (to,) = ptx.global_ptrs(C)
        base = smem.base()
        full, empty = ptx.mbarrier.array(base, bars, STAGES), ptx.mbarrier.array(base, bars + 8 * STAGES, STAGES)
        tid, rank = reg.from_(ptx.special.tid.x(), u32), reg.from_(ptx.sreg("%cluster_ctarank"), u32)
        m0, n0 = reg.from_(ptx.ctaid_x(), u32) << 6, reg.from_(ptx.ctaid_y(), u32) << 6
        with ptx.if_(tid == 0):
            full.init_all(1)
            empty.init_all(cluster)
            ptx.fence.mbarrier_init()
        ptx.bar.sync(0)
        ptx.cluster.sync()
        i, more, pipe = reg.scalar(u32, init=0), reg.scalar(pred), ptx.pipeline(STAGES)
        with ptx.if_((tid >> 7) == 1):
            ptx.setmaxnreg(40, inc=False)
            with ptx.if_(tid == 128), ptx.loop("copies", pred=more):
                s, phase = pipe.advance()
                empty.at(s).wait(phase ^ 1)
                full.at(s).arrive_expect_tx(2 * tile)
                tensor_2d(dst=base + s * tile, src=da, coord=(i << 6, m0), mbar=full.at(s))
                part, mask = base + STAGES * tile + s * tile + rank * (tile // cluster), reg.scalar(b16, init=(1 << cluster) - 1)
                tensor_2d(dst=part, src=db, coord=(i << 6, n0 + rank * (64 // cluster)), mbar=full.at(s), multicast_mask=mask)
                i += 1
                ptx.inst.setp.lt.u32(more, i, steps)
        with ptx.else_():
            ptx.setmaxnreg(232)
            acc = reg.wgmma_frag(m=64, n=64, dtype=f32)
            with ptx.loop("products", pred=more):
                s, phase = pipe.advance()
                full.at(s).wait(phase)
                step(acc, base + s * tile, base + STAGES * tile + s * tile, i != 0)
                ptx.named_barrier(1, count=128).sync()
                with ptx.if_(tid < cluster):
                    empty.at(s).arrive_remote(tid)
                i += 1
                ptx.inst.setp.lt.u32(more, i, steps)
            row, col = m0 + ((tid >> 5) << 4) + ((tid & 31) >> 2), n0 + ((tid & 3) << 1)
            for j in range(8):
                for h in range(2):
                    at = to + (((row + 8 * h) * columns + col + 8 * j) << 2)
                    ptx.inst.st.global_.v2.f32(ptx.addr(at), acc.regs()[4 * j + 2 * h : 4 * j + 2 * h + 2])
        ptx.cluster.sync()
        ptx.ret()

    return product


def step(acc, a, b, more) -> None:
    """The products of one stage."""
    ptx.wgmma.fence()
    da, db = ptx.wgmma.masked_descriptor(a), ptx.wgmma.masked_descriptor(b)
    for j in range(4):
        ptx.wgmma.mma_async(shape=(64, 64, 16), dtype_d=f32, dtype_a=bf16, dtype_b=bf16, d=acc, a=da + 2 * j, b=db + 2 * j,
            scale_d=more if j == 0 else True)  # fmt: skip
    ptx.wgmma.commit_group()
    ptx.wgmma.wait_group(0)


@pytest.mark.parametrize("words", ["", "races,init"])
@pytest.mark.parametrize(("made", "shape"), [(pair(64), (256, 128, 256)), (hopper(2), (128, 64, 320))], ids=["pair", "multicast"])
def test_a_product(monkeypatch, words, made, shape):
    monkeypatch.setenv("AVE_CHECK", words)
    m, n, k = shape
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    np.testing.assert_array_equal(made(a, b), a.astype(np.float32) @ b.astype(np.float32).T)
