"""Two matrices of bf16 or f16 come in; C = A @ B^T in their type or in f32 goes out: a persistent, warp-specialized
product for NVIDIA's Hopper (sm_90a).

A block stays on its multiprocessor and makes one tile of C after another: `warp_specialized.run` with a ring of stages
filled by TMA, two consumer warpgroups, and an epilogue that TMA stores. The two blocks of a cluster make tiles below
one another, with the same columns of B: each copies half of them, for both. Edges cost nothing: TMA reads zeros past
the end of a matrix, and does not write there."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import Want, argument_error, takes
from avelang.pipelines.epilogue import STORE_BARRIER, TmaEpilogue, staging
from avelang.pipelines.fixup import FixupEpilogue, workspace
from avelang.pipelines.ring import cluster_sync, mbarrier_ring
from avelang.pipelines.scheduler import SplitKScheduler, StreamKScheduler, TileScheduler
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT, WarpSpecialized, run
from avelang_kernels.arrays import Matrix, Positive, empty, multiprocessors
from avelang_kernels.workspaces import workspace_for

STEP = 64  # elements of K in a stage: 128 bytes, one row of the swizzle
SMS = 132  # multiprocessors of an H100 or H200 (SXM)


class GemmTile(NamedTuple):
    """Shape of a block: rows and columns of its tile of C, stages of its ring, blocks of its cluster along rows and
    columns of C, and how many rows of clusters are gone through together."""

    m: int
    n: int
    stages: int
    cluster_m: int = 1
    cluster_n: int = 1
    group_m: int = 8

    @property
    def cluster(self) -> int:
        """Blocks of a cluster."""
        return self.cluster_m * self.cluster_n


def Tile(m: int, n: int, stages: int, below: int = 1, beside: int = 1, together: int = 8) -> GemmTile:
    """`GemmTile` by the words of before."""
    return GemmTile(m, n, stages, below, beside, together)


STREAM = "stream"
Split = Annotated[Any, Want(lambda x: x == STREAM or type(x) is int and x > 0, f'an int from 1 on, or "{STREAM}"')]


@functools.cache
def build(tile: GemmTile, dtype: al.DType, out: al.DType, split: Any = 1) -> Any:
    """The kernel for a tile, the type of A and B, that of C, and how K is split: in so many parts, or "stream". What
    TMA copies at once is part of its map's type: hence a function for each. A split K takes a workspace: f32 sums and
    u32 counters, 0."""
    SUMS: Any = al.Pointer(al.f32) if split != 1 else al.constexpr  # type: ignore
    COUNTERS: Any = al.Pointer(al.u32) if split != 1 else al.constexpr  # type: ignore
    G = WarpSpecialized(tile.m, tile.n, tile.stages, dtype, tile.cluster_m, tile.cluster_n)

    @avelang.jit
    def gemm(
        A: al.TensorMap(dtype, 2, (G.m // G.cluster_n, STEP), swizzle=PATTERN),  # type: ignore
        B: al.TensorMap(dtype, 2, (G.n // G.cluster_m, STEP), swizzle=PATTERN),  # type: ignore
        C: al.TensorMap(out, 2, (ROWS, PATTERN // out.bytes), swizzle=PATTERN), m: al.u32, n: al.u32,  # type: ignore
        k: al.u32, partials: SUMS = None, counters: COUNTERS = None,  # type: ignore
    ):  # fmt: skip
        a, b = al.make_shared((G.stages, G.m * STEP), dtype, 1024), al.make_shared((G.stages, G.n * STEP), dtype, 1024)
        epilogue = TmaEpilogue(C, staging(G.consumers, G.n, out))
        ring = mbarrier_ring(G.stages, G.consumers, G.cluster_m, G.cluster_n)
        if al.thread_id(0) == 0:
            al.nvvm.prefetch_tensormap(A)
            al.nvvm.prefetch_tensormap(B)
            al.nvvm.prefetch_tensormap(C)
            ring.init()
            al.nvvm.fence_mbarrier_init()
        cluster_sync(G.cluster)
        scheduler = TileScheduler(m, n, k, G.m, G.n, G.cluster_m, G.cluster_n, tile.group_m)
        if split == STREAM:
            scheduler = StreamKScheduler(scheduler, al.grid_dim(0) // G.cluster, (k + STEP - 1) // STEP, STEP)
        elif split > 1:
            scheduler = SplitKScheduler(scheduler, split, STEP)
        if split != 1:
            sizes = G.cluster, G.consumers, G.n // 8
            epilogue = FixupEpilogue(workspace(scheduler, partials, counters, sizes, STORE_BARRIER), epilogue)
        wgmma = al.nvvm.wgmma_bf16_f32 if dtype == al.bf16 else al.nvvm.wgmma_f16_f32
        run(G, A, B, a, b, ring, scheduler, lambda: al.full((G.n // 2,), 0.0, al.f32), wgmma, epilogue)

    return gemm


def threads(tile: GemmTile) -> int:
    """Of a block."""
    return GROUP * (1 + tile.m // ROWS)


# Tiles to choose from, and the part of the speed of the first that they reach where all multiprocessors are busy
# (`benchmarks/tune_hopper_gemm.py`): smaller ones wait for L2.
TILES = {GemmTile(128, 256, 4, 2): 1.0, GemmTile(128, 128, 6, 2): 0.97, GemmTile(64, 128, 6): 0.56}


def best_tile(m: int, n: int, sms: int = SMS) -> GemmTile:
    """The tile with which a GPU of so many multiprocessors is through soonest: by rounds of its blocks, and the time
    that each tile takes."""

    def time(tile: GemmTile) -> float:
        return math.ceil(clusters(m, n, tile) / max(1, sms // tile.cluster)) * tile.m * tile.n / TILES[tile]

    return min(TILES, key=time)


def clusters(m: int, n: int, tile: GemmTile) -> int:
    """Number of clusters' tiles of a product."""
    return math.ceil(m / (tile.m * tile.cluster_m)) * math.ceil(n / (tile.n * tile.cluster_n))


def units_of(m: int, n: int, k: int, tile: GemmTile, split: int | str) -> tuple[int | str, int]:
    """The split, with no more parts than steps along K, and how many units of work for clusters that makes, for
    "stream" at the most."""
    tiles, steps = clusters(m, n, tile), -(-k // STEP)
    if split == STREAM:
        return split, tiles * steps
    parts = min(int(split), steps)
    return parts, tiles * parts


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, tile: GemmTile | None = None, blocks: Positive | None = None,
    split: Split = 1, **options: Any) -> Any:  # fmt: skip
    """C = A @ B^T, accumulated in f32.

    a: (m, k), b: (n, k), both bf16 or both f16; elements of a row are neighbors, and rows a multiple of 16 bytes apart,
    as TMA wants them. out: (m, n), of the type of a and b or f32; made when it is None, in the type of a and b. All are
    on a GPU of sm_90a, or on the CPU. `tile`: chosen by shape when it is None; `blocks`: as many as there are
    multiprocessors. `split`: parts of K that different blocks multiply, or "stream": every block gets an equal share of
    all steps along K (stream-K); sums of parts are added in the order of K, in f32, the same bits in every run.
    Launches of one stream share a workspace. `options` are those of a launch, such as `backend="reference"`. Returns
    `out`. An `out` whose rows are no multiple of 16 bytes, in length or apart, is filled by a copy. Raises ValueError
    for shapes that do not fit one another or TMA, TypeError for other types."""
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    dtype = element("a", a, (al.bf16, al.f16))
    element("b", b, (dtype,))
    to = dtype if out is None else element("out", out, (dtype, al.f32))
    if out is not None and tuple(out.shape) != (m, n):
        raise argument_error(f"out is {tuple(out.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    for name, x in (("a", a), ("b", b)):
        if 0 not in (m, n, k) and misplaced(x):
            raise argument_error(f"{name}: {misplaced(x)} (pad the rows, and pass a view of the first {k} columns)")
    sms = blocks or multiprocessors(a)
    tile = tile or best_tile(m, n, sms)
    # TMA stores whole pieces of 16 bytes.
    direct = out is not None and n * to.bytes % UNIT == 0 and not misplaced(out)
    result: Any = out if direct else empty(a if out is None else out, m, -(-n * to.bytes // UNIT) * UNIT // to.bytes)
    if 0 in (m, n, k):
        result[...] = 0
    else:
        split, units = units_of(m, n, k, tile, split)
        runs = min(units, max(1, sms // tile.cluster))
        extra: tuple[Any, ...] = ()
        if split != 1:
            slots = (2 * runs if split == STREAM else units) * tile.cluster
            extra = workspace_for(a, slots * tile.m // ROWS, slots * tile.m * tile.n)
        kernel = build(tile, dtype, to, split)[runs * tile.cluster, threads(tile)]
        kernel(a, b, result, m, n, k, *extra, cluster=(tile.cluster, 1, 1), **options)
    if out is None:
        return result[:, :n]
    if not direct:
        out[...] = result[:, :n]
    return out


def element(name: str, x: Any, wanted: tuple[Any, ...]) -> Any:
    """The type of an array's elements. Raises TypeError where it is none of `wanted`."""
    found = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}.get(str(x.dtype).split(".")[-1])
    if found not in wanted:
        raise argument_error(f"{name} is of {x.dtype}; here it must be of {' or '.join(map(str, wanted))}")
    return found


def misplaced(x: Any) -> str:
    """Why TMA cannot work on a matrix, or ""."""
    size = x.dtype.itemsize
    row, col = x.stride() if hasattr(x, "stride") else (s // size for s in x.strides)
    if col != 1 and x.shape[1] > 1:
        return f"elements of a row must be neighbors, and are {col} elements apart"
    if x.shape[0] > 1 and row * size % UNIT:
        return f"rows must be a multiple of {UNIT // size} elements apart, and are {row} apart"
    return ""
