"""Kernels of the instruction level that several tests use, and what turns a few calls into the lines that they
write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avelang.ptx import Kernel, Tile, kernel, ptx, reg, smem
from avelang.ptx.types import b32, bf16, f32


def made(body: Callable[[], Any], arch: str = "auto", **options: Any) -> Kernel:
    """A kernel without arguments, of a body."""
    options = {"grid": 1, "block": 32, **options}

    @kernel(arch=arch, **options)
    def probe():
        body()

    return probe


def lines(body: Callable[[], Any], arch: str = "auto") -> list[str]:
    """The instructions and labels that a body writes, without semicolons."""
    text = made(body, arch).ptx()
    inner = text[text.rindex("\n{\n") + 3 : text.rindex("}")]
    return [line.strip().rstrip(";") for line in inner.splitlines() if not line.strip().startswith((".reg", ".shared"))]


def saxpy() -> Kernel:
    """y = a x + y, of any size."""

    @kernel(
        in_specs=(Tile("N", f32), Tile("N", f32), f32),
        out_specs=(Tile("N", f32),),
        grid=lambda N: (N + 127) // 128,
        block=128,
        arch="sm_80",
    )
    def saxpy(x, y, a, out, *, N):
        px, py, po = ptx.global_ptrs(x, y, out)
        i = ptx.special.ctaid.x() * 128 + ptx.special.tid.x()
        with ptx.if_(i < N):
            at = i * 4
            value, other = reg.array(f32, 2)
            ptx.inst.ld.global_.f32(value, ptx.addr(px + at))
            ptx.inst.ld.global_.f32(other, ptx.addr(py + at))
            ptx.inst.fma.rn.f32(other, value, ptx.param(a), other)
            ptx.inst.st.global_.f32(ptx.addr(po + at), other)
        ptx.ret()

    return saxpy


def tiled_gemm(BM: int = 32, BN: int = 32, BK: int = 32, stages: int = 2) -> Kernel:
    """D = A B^T in bf16, tiles of A and B in swizzled shared memory by cp.async, fragments by ldmatrix: one warp for
    each 16 x 16 of the tile."""
    rows, columns = BM // 16, BN // 16
    swizzle = min(128, BK * 2)

    @kernel(
        in_specs=(Tile("M", "K", bf16), Tile("N", "K", bf16)), out_specs=(Tile("M", "N", f32),),
        grid=lambda M, N: (N // BN, M // BM), block=32 * rows * columns, arch="sm_80",
    )  # fmt: skip
    def tiled(A, B, D, *, N, K):
        threads = 32 * rows * columns
        pa, pb, pd = ptx.global_ptrs(A, B, D)
        sa = smem.alloc(bf16, (stages, BM, BK), swizzle=swizzle)
        sb = smem.alloc(bf16, (stages, BN, BK), swizzle=swizzle)
        tid = reg.from_(ptx.special.tid.x())
        lane, warp = tid & 31, tid >> 5
        m0, n0 = ptx.special.ctaid.y() * BM, ptx.special.ctaid.x() * BN

        def load(tile: Any, start: Any, first: Any, extent: int, k0: int) -> None:
            per = BK // 8  # pieces of 16 bytes in a row
            for piece in range(0, extent * per, threads):
                at = tid + piece
                row, col = at // per, (at % per) * 8
                source = start + (((first + row) * K + col + k0) * 2)
                ptx.cp_async(tile.at(row, col), source, 16)

        acc = [reg.array(f32, 4, 0.0) for _ in range(2)]
        a, b = reg.array(b32, 4), reg.array(b32, 4)
        wm, wn = (warp // columns) * 16, (warp % columns) * 16
        for stage in range(stages - 1):
            load(sa[stage], pa, m0, BM, stage * BK)
            load(sb[stage], pb, n0, BN, stage * BK)
            ptx.cp_async.commit_group()
        for step in range(K // BK):
            ptx.cp_async.wait_group(stages - 2)
            ptx.syncthreads()
            ahead = step + stages - 1
            if ahead < K // BK:
                load(sa[ahead % stages], pa, m0, BM, ahead * BK)
                load(sb[ahead % stages], pb, n0, BN, ahead * BK)
            ptx.cp_async.commit_group()
            ta, tb = sa[step % stages], sb[step % stages]
            for k in range(0, BK, 16):
                ptx.ldmatrix(a, ta.at(wm + (lane & 15), ((lane >> 4) << 3) + k))
                ptx.ldmatrix(b, tb.at(wn + (lane & 7) + ((lane >> 4) << 3), (((lane >> 3) & 1) << 3) + k))
                for j in range(2):
                    ptx.mma.sync(shape=(16, 8, 16), dtype_a=bf16, d=acc[j], a=a, b=b[2 * j : 2 * j + 2], c=acc[j])
        row, col = m0 + wm + (lane >> 2), n0 + wn + ((lane & 3) << 1)
        for j in range(2):
            for half in range(2):
                to = pd + ((row + 8 * half) * N + col + 8 * j) * 4
                ptx.inst.st.global_.v2.f32(ptx.addr(to), acc[j][2 * half : 2 * half + 2])
        ptx.ret()

    return tiled


def hopper_gemm(BM: int = 128, BN: int = 128, BK: int = 64) -> Kernel:
    """D = A B^T in bf16: boxes by TMA, products by wgmma; two warpgroups, each 64 rows of the tile."""

    @kernel(
        in_specs=(Tile("M", "K", bf16, box=(BM, BK), swizzle=128), Tile("N", "K", bf16, box=(BN, BK), swizzle=128)),
        out_specs=(Tile("M", "N", f32),),
        grid=lambda M, N: (N // BN, M // BM), block=256, arch="sm_90a",
    )  # fmt: skip
    def hopper(A, B, D, *, N, K):
        sa = smem.alloc(bf16, (BM, BK), swizzle=128, dynamic=True)
        sb = smem.alloc(bf16, (BN, BK), swizzle=128, dynamic=True)
        bar = smem.barriers(1)
        tid = reg.from_(ptx.special.tid.x())
        first = tid == 0
        m0, n0 = ptx.special.ctaid.y() * BM, ptx.special.ctaid.x() * BN
        with ptx.when(first):
            ptx.mbarrier.init(bar, 1)
            ptx.fence.mbarrier_init()
        ptx.syncthreads()
        map_a, map_b = ptx.tma.map(A), ptx.tma.map(B)
        group = tid >> 7
        acc = reg.array(f32, BN // 2)
        da = ptx.wgmma.descriptor(sa.pointer() + group * (64 * BK * 2), swizzle=128)
        db = ptx.wgmma.descriptor(sb, swizzle=128)
        once = reg.pred(False)
        with ptx.loop(0, K, BK) as k:
            with ptx.if_(first):
                ptx.mbarrier.arrive_expect_tx(bar, sa.bytes + sb.bytes)
                ptx.tma.load_2d(sa, map_a, (m0, k), bar)
                ptx.tma.load_2d(sb, map_b, (n0, k), bar)
            ptx.mbarrier.wait(bar, (k // BK) & 1)
            ptx.wgmma.fence()
            for i in range(0, BK, 16):
                ptx.wgmma.mma_async(
                    shape=(64, BN, 16), dtype_a=bf16, d=acc, a=da + i * 2 // 16, b=db + i * 2 // 16, scale_d=once
                )
                if i == 0:
                    once.set(True)
            ptx.wgmma.commit_group()
            ptx.wgmma.wait_group(0)
            ptx.syncthreads()
        (pd,) = ptx.global_ptrs(D)
        lane, warp = tid & 31, (tid >> 5) & 3
        row, col = m0 + group * 64 + warp * 16 + (lane >> 2), n0 + ((lane & 3) << 1)
        for j in range(BN // 8):
            for half in range(2):
                to = pd + ((row + 8 * half) * N + col + 8 * j) * 4
                ptx.inst.st.global_.v2.f32(ptx.addr(to), acc[4 * j + 2 * half : 4 * j + 2 * half + 2])
        ptx.ret()

    return hopper
