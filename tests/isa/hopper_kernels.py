"""Kernels around the asynchronous rows of Ampere and Hopper, with arguments and what must come out, computed here in NumPy.

They run on the reference, on the CPU and, by `tests/gpu/nvptx_check.py`, on a GPU. No `from __future__ import annotations`: the
annotations name variables of the functions around them.
"""

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al
from avelang.ir.dtypes import BY_NAME

Three = tuple[int, int, int]


@dataclasses.dataclass
class Trial:
    """A launch: `want` are the arguments behind it. `chip`: the oldest that has the rows."""

    name: str
    kernel: Any
    args: list[Any]
    want: list[Any]
    block: Three = (32, 1, 1)
    grid: Three = (1, 1, 1)
    cluster: Three = (1, 1, 1)
    chip: str = "sm_90a"


def _words(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-1 << 30, 1 << 30, shape).astype(np.int32)


# -- cp.async --------------------------------------------------------------------------------------------------------------------------------


def cp_async(words: int, l1: int = 0) -> Trial:
    """Copies with zero fill; each lane says how many bytes it reads."""
    copy = getattr(al.nvvm, f"cp_async_x{4 * words}")
    wide = words == 4

    @avelang.jit
    def kernel(A: al.Tensor((64, words), al.i32), N: al.Tensor((64,), al.u32), B: al.Tensor((64, words), al.i32)):
        t = al.thread_id(0)
        s = al.make_shared((64, words), al.i32, 16)
        if wide:
            copy(s[t], A[t], N[t], 0, 128, l1)
        else:
            copy(s[t], A[t], N[t], 0, 0)
        al.nvvm.cp_async_commit_group()
        al.nvvm.cp_async_wait_group(0)
        al.syncthreads()
        B[63 - t] = s[t]

    rng = np.random.default_rng(words)
    a, n = _words(rng, 64, words), rng.integers(0, 4 * words + 1, 64).astype(np.uint32)
    n[:8] = 4 * words
    raw = a.view(np.uint8).reshape(64, -1).copy()
    raw[np.arange(4 * words)[None] >= n[:, None]] = 0
    out = np.zeros_like(a)
    return Trial(f"cp_async_x{4 * words}_{l1}", kernel, [a, n, out], [a, n, raw.view(np.int32)[::-1]], (64, 1, 1), chip="sm_80")


@avelang.jit
def _pipeline(A: al.Tensor((8, 32, 4), al.i32), B: al.Tensor((8, 32, 4), al.i32)):
    """Three stages in flight."""
    t = al.thread_id(0)
    s = al.make_shared((4, 32, 4), al.i32, 16)
    for i in range(3):
        al.nvvm.cp_async_x16(s[i, t], A[i, t])
        al.nvvm.cp_async_commit_group()
    for i in al.range(8):
        al.nvvm.cp_async_wait_group(2)
        al.syncthreads()
        B[i, t] = s[i % 4, t ^ 1]
        if i + 3 < 8:
            al.nvvm.cp_async_x16(s[(i + 3) % 4, t], A[i + 3, t])
        al.nvvm.cp_async_commit_group()
    al.nvvm.cp_async_wait_all()


@avelang.jit
def _copies_on_mbarrier(A: al.Tensor((2, 32), al.i32), B: al.Tensor((2, 32), al.i32)):
    t = al.thread_id(0)
    s = al.make_shared((2, 32), al.i32, 16)
    bar = al.make_shared((2, 1), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar[0], 32)
        al.nvvm.mbarrier_init(bar[1], 64)
    al.syncthreads()
    al.nvvm.cp_async_x4(al.subview(s, (0, t), (1, 1), (1, 1)), al.subview(A, (0, t), (1, 1), (1, 1)))
    al.nvvm.cp_async_mbarrier_arrive_noinc(bar[0])
    al.nvvm.mbarrier_wait(bar[0], 0)
    al.nvvm.cp_async_x4(al.subview(s, (1, t), (1, 1), (1, 1)), al.subview(A, (1, t), (1, 1), (1, 1)))
    al.nvvm.cp_async_mbarrier_arrive(bar[1])
    al.nvvm.mbarrier_arrive(bar[1])
    al.nvvm.mbarrier_arrive(bar[1])
    al.nvvm.mbarrier_wait(bar[1], 0)
    B[0, t] = s[1, 31 - t]
    B[1, t] = s[0, 31 - t]


# -- barriers --------------------------------------------------------------------------------------------------------------------------------


@avelang.jit
def _roles(A: al.Tensor((8, 32), al.i32), B: al.Tensor((8, 32), al.i32)):
    """Warp 0 produces, warp 1 consumes, through two stages guarded by mbarriers."""
    t = al.thread_id(0)
    lane = t % 32
    s = al.make_shared((2, 32), al.i32, 16)
    full = al.make_shared((2, 1), al.u64)
    empty = al.make_shared((2, 1), al.u64)
    if t == 0:
        for i in range(2):
            al.nvvm.mbarrier_init(full[i], 32)
            al.nvvm.mbarrier_init(empty[i], 32)
    al.syncthreads()
    if t < 32:
        for i in al.range(8):
            stage = i % 2
            al.nvvm.mbarrier_wait(empty[stage], (i // 2 & 1) ^ 1)
            s[stage, lane] = A[i, lane] + 1
            al.nvvm.mbarrier_arrive(full[stage])
    else:
        for i in al.range(8):
            stage = i % 2
            if i % 2 == 0:
                while not al.nvvm.mbarrier_test_wait(full[stage], i // 2 & 1):
                    pass
            else:
                while not al.nvvm.mbarrier_try_wait(full[stage], i // 2 & 1):
                    pass
            B[i, lane] = s[stage, 31 - lane]
            al.nvvm.mbarrier_arrive(empty[stage])


@avelang.jit
def _named(A: al.Tensor((8, 32), al.i32), B: al.Tensor((8, 32), al.i32)):
    """The same with named barriers."""
    t = al.thread_id(0)
    lane = t % 32
    s = al.make_shared((2, 32), al.i32, 16)
    if t < 32:
        for i in al.range(8):
            stage = al.convert(i % 2, al.u32)
            if i >= 2:
                al.nvvm.barrier_sync(3 + stage, 64)
            s[stage, lane] = A[i, lane] + 1
            al.nvvm.barrier_arrive(1 + stage, 64)
    else:
        for i in al.range(8):
            stage = al.convert(i % 2, al.u32)
            al.nvvm.barrier_sync(1 + stage, 64)
            B[i, lane] = s[stage, 31 - lane]
            if i < 6:
                al.nvvm.barrier_arrive(3 + stage, 64)


@avelang.jit
def _elected(B: al.Tensor((3, 64), al.i32)):
    """One lane of each warp; fences, hints and register counts around it compute nothing."""
    t = al.thread_id(0)
    al.nvvm.griddepcontrol_wait()
    al.nvvm.prefetch_l2(B)
    if al.nvvm.elect_sync():
        B[0, t] = 1
    al.nvvm.fence_proxy_async()
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.fence_gpu()
    al.nvvm.griddepcontrol_launch_dependents()
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if t == 33:
        al.nvvm.mbarrier_expect_tx(bar, 0)
        al.nvvm.mbarrier_arrive(bar)
    al.nvvm.mbarrier_wait(bar, 0)
    al.syncthreads()
    if t == 0:
        al.nvvm.mbarrier_inval(bar)
    B[1, t] = t


def barriers() -> Iterator[Trial]:
    rng = np.random.default_rng(3)
    a = _words(rng, 8, 32, 4)
    yield Trial("cp_async_pipeline", _pipeline, [a, np.zeros_like(a)], [a, a[:, np.arange(32) ^ 1]], chip="sm_80")
    a = _words(rng, 2, 32)
    yield Trial("cp_async_mbarrier", _copies_on_mbarrier, [a, np.zeros_like(a)], [a, a[::-1, ::-1]], chip="sm_90")
    a = _words(rng, 8, 32)
    yield Trial("mbarrier_roles", _roles, [a, np.zeros_like(a)], [a, a[:, ::-1] + 1], (64, 1, 1), chip="sm_90")
    yield Trial("named_barriers", _named, [a, np.zeros_like(a)], [a, a[:, ::-1] + 1], (64, 1, 1), chip="sm_75")
    out = np.zeros((3, 64), np.int32)
    want = out.copy()
    want[0, [0, 32]], want[1] = 1, np.arange(64)
    yield Trial("elect_and_fences", _elected, [out], [want], (64, 1, 1), chip="sm_90")


# -- boxes -----------------------------------------------------------------------------------------------------------------------------------


def _swizzle(byte: np.ndarray, pattern: int) -> np.ndarray:
    return byte ^ ((byte >> 7 & {0: 0, 32: 1, 64: 3, 128: 7}[pattern]) << 4)


def _image(x: np.ndarray, box: tuple[int, ...], at: tuple[int, ...], pattern: int, fill: Any = 0) -> np.ndarray:
    """Shared memory, in bytes, behind the copy of a box. The hardware's NaN is 0x7FF7, again and again."""
    part = np.zeros(box, x.dtype)
    if fill == "nan":
        part.reshape(-1).view(np.uint16)[:] = 0x7FF7
    for i in itertools.product(*map(range, box[:-1])):
        row = tuple(a + k for a, k in zip(at[:-1], i, strict=True))
        if all(0 <= r < n for r, n in zip(row, x.shape[:-1], strict=True)):
            low, high = max(0, -at[-1]), min(box[-1], x.shape[-1] - at[-1])
            if high > low:
                part[i][low:high] = x[row][at[-1] + low : at[-1] + high]
    raw = part.reshape(-1).view(np.uint8)
    out = np.zeros_like(raw)
    out[_swizzle(np.arange(len(raw)), pattern)] = raw
    return out


def tma_load(dtype: str, shape: tuple[int, ...], box: tuple[int, ...], at: tuple[int, ...], pattern: int, fill: Any = 0, hint: int = 0) -> Trial:
    """One box into shared memory, and shared memory out."""
    d, rank = BY_NAME[dtype], len(shape)
    size = int(np.prod(box)) * d.bytes
    load, prefetch = getattr(al.nvvm, f"tma_load_{rank}d"), getattr(al.nvvm, f"tma_prefetch_{rank}d")

    @avelang.jit
    def kernel(A: al.TensorMap(d, rank, box, swizzle=pattern, fill=fill), C: al.Tensor((5,), al.i32), B: al.Tensor((size // 4,), al.u32)):
        t = al.thread_id(0)
        tile = al.make_shared((size // 4,), al.u32, 1024)
        bar = al.make_shared((1,), al.u64)
        if t == 0:
            al.nvvm.prefetch_tensormap(A)
            al.nvvm.mbarrier_init(bar, 1)
            al.nvvm.fence_mbarrier_init()
            al.nvvm.mbarrier_arrive_expect_tx(bar, size)
            if rank == 1:
                prefetch(A, C[0])
                load(tile, A, C[0], bar, hint)
            elif rank == 2:
                prefetch(A, C[0], C[1])
                load(tile, A, C[0], C[1], bar, hint)
            elif rank == 3:
                prefetch(A, C[0], C[1], C[2])
                load(tile, A, C[0], C[1], C[2], bar, hint)
            elif rank == 4:
                prefetch(A, C[0], C[1], C[2], C[3])
                load(tile, A, C[0], C[1], C[2], C[3], bar, hint)
            else:
                prefetch(A, C[0], C[1], C[2], C[3], C[4])
                load(tile, A, C[0], C[1], C[2], C[3], C[4], bar, hint)
        al.syncthreads()
        al.nvvm.mbarrier_wait(bar, 0)
        for i in al.range(t, size // 4, 32):
            B[i] = tile[i]

    x = np.random.default_rng(7).integers(-9, 10, shape).astype(d.np)
    coords = np.array([*at, *(0,) * (5 - rank)], np.int32)
    out = np.zeros(size // 4, np.uint32)
    want = _image(x, box, at, pattern, fill).view(np.uint32)
    name = f"tma_load_{rank}d_{dtype}_s{pattern}_{'x'.join(map(str, at))}{'_nan' * (fill == 'nan')}"
    return Trial(name, kernel, [x, coords, out], [x, coords, want], chip="sm_90")


def tma_store(dtype: str, shape: tuple[int, ...], box: tuple[int, ...], at: tuple[int, ...], pattern: int, add: bool = False) -> Trial:
    """Shared memory in, one box of it out."""
    d, rank = BY_NAME[dtype], len(shape)
    size = int(np.prod(box)) * d.bytes
    store = getattr(al.nvvm, f"tma_{'reduce_add' if add else 'store'}_{rank}d")

    @avelang.jit
    def kernel(A: al.TensorMap(d, rank, box, swizzle=pattern), C: al.Tensor((5,), al.i32), B: al.Tensor((size // 4,), al.u32)):
        t = al.thread_id(0)
        tile = al.make_shared((size // 4,), al.u32, 1024)
        for i in al.range(t, size // 4, 32):
            tile[i] = B[i]
        al.nvvm.fence_proxy_async_shared()
        al.syncthreads()
        if t == 0:
            if rank == 1:
                store(A, C[0], tile)
            elif rank == 2:
                store(A, C[0], C[1], tile)
            elif rank == 3:
                store(A, C[0], C[1], C[2], tile)
            elif rank == 4:
                store(A, C[0], C[1], C[2], C[3], tile)
            else:
                store(A, C[0], C[1], C[2], C[3], C[4], tile)
            al.nvvm.cp_async_bulk_commit_group()
            al.nvvm.cp_async_bulk_wait_group_read(0)
            al.nvvm.cp_async_bulk_wait_group(0)

    rng = np.random.default_rng(8)
    x, part = (rng.integers(-9, 10, s).astype(d.np) for s in (shape, box))
    raw = part.reshape(-1).view(np.uint8)
    image = np.zeros_like(raw)
    image[_swizzle(np.arange(len(raw)), pattern)] = raw
    want = x.copy()
    for i in itertools.product(*map(range, box)):
        to = tuple(a + k for a, k in zip(at, i, strict=True))
        if all(0 <= r < n for r, n in zip(to, shape, strict=True)):
            want[to] = x[to] + part[i] if add else part[i]
    coords = np.array([*at, *(0,) * (5 - rank)], np.int32)
    name = f"tma_{'add' if add else 'store'}_{rank}d_{dtype}_s{pattern}"
    return Trial(name, kernel, [x, coords, image.view(np.uint32)], [want, coords, image.view(np.uint32)], chip="sm_90")


BOXES: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], int], ...] = (
    ("f32", (100,), (64,), (52,), 0),
    ("u8", (5, 208), (4, 128), (3, 96), 128),
    ("bf16", (40, 104), (16, 64), (8, 40), 128),
    ("bf16", (40, 104), (16, 64), (30, 96), 128),
    ("f16", (40, 104), (16, 32), (30, 88), 64),
    ("f32", (24, 20), (16, 8), (4, 16), 32),
    ("i32", (24, 20), (24, 16), (24, 8), 0),
    ("f64", (3, 10, 6), (2, 8, 4), (1, 4, 2), 32),
    ("i64", (2, 3, 10, 8), (2, 2, 4, 8), (1, 1, 7, 0), 64),
    ("bf16", (2, 3, 4, 5, 72), (1, 2, 2, 4, 64), (1, 2, 1, 2, 8), 128),
)


def boxes() -> Iterator[Trial]:
    for box in BOXES:
        yield tma_load(*box, hint=2)
    yield tma_load("bf16", (40, 104), (16, 64), (30, 72), 128, fill="nan", hint=1)
    yield tma_load("f32", (40, 104), (16, 32), (30, 88), 0, fill="nan")
    yield tma_load("f64", (40, 104), (16, 16), (30, 96), 128, fill="nan")
    yield tma_load("bf16", (40, 104), (16, 64), (-3, -8), 128)
    yield tma_load("f32", (100,), (64,), (-68,), 0, hint=3)
    for dtype, shape, box, at, pattern in BOXES:
        yield tma_store(dtype, shape, box, at, pattern)
    for dtype, shape, box, at, pattern in (*BOXES[:1], *BOXES[2:5], *BOXES[6:7]):
        yield tma_store(dtype, shape, box, at, pattern, add=True)


@avelang.jit
def _runs(A: al.Tensor((512,), al.i32), B: al.Tensor((512,), al.i32), n: al.u32):
    """A straight run in and out again."""
    t = al.thread_id(0)
    s = al.make_shared((512,), al.i32, 128)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.cp_async_bulk_prefetch(A, n)
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
        al.nvvm.mbarrier_arrive_expect_tx(bar, n)
        al.nvvm.cp_async_bulk_load(s, A, n, bar, 1)
    al.syncthreads()
    al.nvvm.mbarrier_wait(bar, 0)
    s[t] = s[t] + 1
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.cp_async_bulk_store(B, s, n)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


def runs() -> Iterator[Trial]:
    a = _words(np.random.default_rng(5), 512)
    want = np.zeros_like(a)
    want[:400] = a[:400]
    want[:32] += 1
    yield Trial("bulk_runs", _runs, [a, np.zeros_like(a), 1600], [a, want, 1600], chip="sm_90")


# -- clusters --------------------------------------------------------------------------------------------------------------------------------


@avelang.jit
def _places(B: al.Tensor((8, 16), al.u32)):
    if al.thread_id(0) == 0:
        b = al.block_id(0) + 4 * al.block_id(1)
        for d in range(3):
            B[b, d] = al.nvvm.cluster_id(d)
            B[b, 3 + d] = al.nvvm.cluster_count(d)
            B[b, 6 + d] = al.nvvm.cluster_block_id(d)
            B[b, 9 + d] = al.nvvm.cluster_dim(d)
        B[b, 12] = al.nvvm.cluster_rank()
        B[b, 13] = al.nvvm.cluster_size()
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()


@avelang.jit
def _neighbors(A: al.Tensor((4, 32, 4), al.i32), B: al.Tensor((4, 3, 32, 4), al.i32)):
    """Each block reads from the next one, writes into it, and sends to it."""
    t = al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    there = (rank + 1) % al.nvvm.cluster_size()
    own = al.make_shared((32, 4), al.i32, 16)
    got = al.make_shared((32, 4), al.i32, 16)
    sent = al.make_shared((32, 4), al.i32, 16)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 33)
        al.nvvm.fence_mbarrier_init()
        al.nvvm.mbarrier_arrive_expect_tx(bar, 512)
    own[t] = A[rank, t]
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    B[rank, 0, t] = al.nvvm.ld_cluster_x4(own[t], there)
    mine = A[rank, t]
    al.nvvm.st_cluster_x2(got[t], there, (al.view(mine, al.i32, al.make_layout((2, 2), (2, 1))))[0])
    al.nvvm.st_cluster_x1(al.subview(got, (t, 2), (1, 1), (1, 1)), there, mine[2])
    al.nvvm.st_cluster_x1(al.subview(got, (t, 3), (1, 1), (1, 1)), there, mine[3])
    al.nvvm.st_async_x4(sent[t], there, mine, bar)
    al.nvvm.mbarrier_arrive_cluster(bar, there)
    al.nvvm.mbarrier_wait(bar, 0)
    B[rank, 2, t] = sent[t]
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    B[rank, 1, t] = got[t]


@avelang.jit
def _multicast(A: al.TensorMap(al.i32, 2, (8, 32), swizzle=128), B: al.Tensor((4, 8, 32), al.i32)):
    """Block 1 sends a box to blocks 0, 1 and 3; block 2 has one of its own."""
    t = al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    tile = al.make_shared((8, 32), al.i32, 1024)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
        al.nvvm.mbarrier_arrive_expect_tx(bar, 1024)
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    if t == 0:
        if rank == 1:
            al.nvvm.tma_load_2d_multicast(tile, A, 8, 0, bar, 11, 2)
        elif rank == 2:
            al.nvvm.tma_load_2d(tile, A, 0, 0, bar)
    al.nvvm.mbarrier_wait(bar, 0)
    for i in range(8):
        B[rank, i, t] = tile[i, t]
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()


def clusters() -> Iterator[Trial]:
    out = np.zeros((8, 16), np.uint32)
    want = out.copy()
    for y, x in itertools.product(range(2), range(4)):
        want[x + 4 * y, :14] = [x // 2, y // 2, 0, 2, 1, 1, x % 2, y % 2, 0, 2, 2, 1, x % 2 + 2 * (y % 2), 4]
    yield Trial("cluster_places", _places, [out], [want], grid=(4, 2, 1), cluster=(2, 2, 1), chip="sm_90")
    a = _words(np.random.default_rng(6), 4, 32, 4)
    want = np.stack([np.roll(a, -1, 0), np.roll(a, 1, 0), np.roll(a, 1, 0)], 1)
    yield Trial("cluster_neighbors", _neighbors, [a, np.zeros_like(want)], [a, want], grid=(4, 1, 1), cluster=(4, 1, 1), chip="sm_90")
    a = _words(np.random.default_rng(7), 16, 32)
    parts = [_image(a, (8, 32), (at, 0), 128).view(np.int32).reshape(8, 32) for at in (8, 8, 0, 8)]
    yield Trial("cluster_multicast", _multicast, [a, np.zeros((4, 8, 32), np.int32)], [a, np.stack(parts)], grid=(4, 1, 1), cluster=(4, 1, 1))


# -- all together ----------------------------------------------------------------------------------------------------------------------------

BM, BN, BK, STAGES, DEPTH = 128, 64, 64, 3, 512


@avelang.jit
def _gemm(
    A: al.TensorMap(al.bf16, 2, (BM, BK), swizzle=128), B: al.TensorMap(al.bf16, 2, (BN, BK), swizzle=128), C: al.Tensor((2 * BM, 2 * BN), al.f32),
):  # fmt: skip
    """C = A @ B^T for one tile of a block: a producer warpgroup brings tiles, two consumers multiply them."""
    t = al.thread_id(0)
    group = t // 128
    a = al.make_shared((STAGES, BM * BK), al.bf16, 1024)
    b = al.make_shared((STAGES, BN * BK), al.bf16, 1024)
    full = al.make_shared((STAGES, 1), al.u64)
    empty = al.make_shared((STAGES, 1), al.u64)
    row = al.convert(al.block_id(0), al.i32) * BM
    col = al.convert(al.block_id(1), al.i32) * BN
    if t == 0:
        for i in range(STAGES):
            al.nvvm.mbarrier_init(full[i], 1)
            al.nvvm.mbarrier_init(empty[i], 2)
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if group == 0:
        al.nvvm.setmaxnreg_dec(40)
        if t == 0:
            for k in al.range(DEPTH // BK):
                s = k % STAGES
                al.nvvm.mbarrier_wait(empty[s], (k // STAGES & 1) ^ 1)
                al.nvvm.mbarrier_arrive_expect_tx(full[s], (BM + BN) * BK * 2)
                al.nvvm.tma_load_2d(a[s], A, row, k * BK, full[s])
                al.nvvm.tma_load_2d(b[s], B, col, k * BK, full[s])
    else:
        al.nvvm.setmaxnreg_inc(232)
        acc = al.full((BN // 2,), 0.0, al.f32)
        for k in al.range(DEPTH // BK):
            s = k % STAGES
            al.nvvm.mbarrier_wait(full[s], k // STAGES & 1)
            half = al.subview(a, (s, (group - 1) * 64 * BK), (1, 64 * BK), (1, 1))
            da = al.nvvm.wgmma_descriptor(half)
            db = al.nvvm.wgmma_descriptor(b[s])
            acc = al.nvvm.wgmma_fence_acc(acc)
            for i in range(BK // 16):
                acc = al.nvvm.wgmma_bf16_f32(da + 2 * i, db + 2 * i, acc)
            al.nvvm.wgmma_commit_group()
            acc = al.nvvm.wgmma_wait_acc(acc, 0)
            if t % 128 == 0:
                al.nvvm.mbarrier_arrive(empty[s])
        lane = t % 32
        top = al.block_id(0) * BM + (group - 1) * 64 + t % 128 // 32 * 16 + lane // 4
        left = al.block_id(1) * BN + 2 * (lane % 4)
        for i in range(BN // 2):
            C[top + 8 * (i // 2 % 2), left + 8 * (i // 4) + i % 2] = acc[i]


def gemm() -> Trial:
    rng = np.random.default_rng(9)
    a, b = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((2 * BM, DEPTH), (2 * BN, DEPTH)))
    c = np.full((2 * BM, 2 * BN), np.nan, np.float32)
    want = a.astype(np.float32) @ b.astype(np.float32).T
    return Trial("warp_specialized_gemm", _gemm, [a, b, c], [a, b, want], (384, 1, 1), (2, 2, 1))


def trials() -> list[Trial]:
    """All of them."""
    copies = [cp_async(1), cp_async(2), cp_async(4), cp_async(4, 1)]
    return [*copies, *barriers(), *boxes(), *runs(), *clusters(), gemm()]
