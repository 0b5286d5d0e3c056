"""Two matrices of bf16 or f16 come in; C = A @ B^T in their type or in f32 goes out: a persistent, warp-specialized
product for NVIDIA's Hopper (sm_90a).

A block stays on its multiprocessor and makes one tile of C after another: `warp_specialized.run` with a ring of stages
filled by TMA, consumer warpgroups, and an epilogue that TMA stores. Blocks of a cluster make tiles below or beside one
another: what they share, each copies a part of, for all; or they share K of one tile. `hopper_tiles.GemmTile` has what
can be chosen. Edges cost nothing: TMA reads zeros past the end of a matrix, and does not write there."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import Want, argument_error, takes
from avelang.pipelines.epilogue import STORE_BARRIER, TmaEpilogue
from avelang.pipelines.fixup import ClusterScatter, FixupEpilogue, workspace
from avelang.pipelines.ring import cluster_sync, mbarrier_ring
from avelang.pipelines.scheduler import ClusterKScheduler, SplitKScheduler, StreamKScheduler, TileScheduler
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT, run
from avelang_kernels.arrays import Matrix, Positive, empty, multiprocessors
from avelang_kernels.matmul.hopper_rule import choose_tile
from avelang_kernels.matmul.hopper_tiles import STEP, STREAM, GemmTile, clusters
from avelang_kernels.workspaces import workspace_for

Split = Annotated[Any, Want(lambda x: x == STREAM or type(x) is int and x > 0, f'an int from 1 on, or "{STREAM}"')]


@avelang.jit
def scheduler_of(TILE, m, n, k):
    """The scheduler of a tile's blocks for a product."""
    rows, cols = (n, m) if TILE.transposed else (m, n)
    scheduler = TileScheduler(rows, cols, k, TILE.m, TILE.n, TILE.cluster_m, TILE.cluster_n, TILE.group_m)
    if TILE.split == STREAM:
        runs = al.grid_dim(0) // (TILE.cluster_m * TILE.cluster_n)
        scheduler = StreamKScheduler(scheduler, runs, (k + STEP - 1) // STEP, STEP, HYBRID=True)
    elif TILE.split > 1:
        scheduler = SplitKScheduler(scheduler, TILE.split, STEP)
    if TILE.cluster_k > 1:
        scheduler = ClusterKScheduler(scheduler, TILE.cluster_k, STEP, TILE.cluster_m * TILE.cluster_n)
    return scheduler


@functools.cache
def build(tile: GemmTile, dtype: al.DType, out: al.DType) -> Any:
    """The kernel for a tile, the type of A and B, and that of C. What TMA copies at once is part of its map's type:
    hence a function for each. A split K takes a workspace: f32 sums and u32 counters, 0."""
    split: Any = tile.split
    SUMS: Any = al.Pointer(al.f32) if split != 1 else al.constexpr  # type: ignore
    COUNTERS: Any = al.Pointer(al.u32) if split != 1 else al.constexpr  # type: ignore
    G = tile.block(dtype)
    PIECE, BUFFERS, PARTIALS = tile.piece(out.bytes), tile.buffers(out.bytes), tile.partials(out.bytes)
    BOX = (PIECE, ROWS) if tile.transposed else (ROWS, PIECE)
    SWIZZLE = PATTERN if tile.transposed else PIECE * out.bytes

    @avelang.jit
    def gemm(
        A: al.TensorMap(dtype, 2, (G.m // G.cluster_n, STEP), swizzle=PATTERN),  # type: ignore
        B: al.TensorMap(dtype, 2, (G.n // G.cluster_m, STEP), swizzle=PATTERN),  # type: ignore
        C: al.TensorMap(out, 2, BOX, swizzle=SWIZZLE),  # type: ignore
        m: al.u32,
        n: al.u32,
        k: al.u32,
        partials: SUMS = None,  # type: ignore
        counters: COUNTERS = None,  # type: ignore
    ):
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024)
        a = al.subview(stages, (0, 0), (G.stages * G.m, STEP), (1, 1))
        a = al.view(a, al.Tensor((G.stages, G.m * STEP), dtype))
        b = al.subview(stages, (G.stages * G.m, 0), (G.stages * G.n, STEP), (1, 1))
        b = al.view(b, al.Tensor((G.stages, G.n * STEP), dtype))
        staged = al.make_shared((G.consumers, BUFFERS, BOX[0], SWIZZLE // UNIT, UNIT // out.bytes), out, 1024)
        epilogue: Any = TmaEpilogue(C, staged, TRANSPOSED=tile.transposed, PINGPONG=tile.pingpong)
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n, CLUSTER_K=G.cluster_k)
        if G.cluster_k > 1:
            exchange = al.view(stages, al.f32, al.make_layout(PARTIALS))
            sums_came = al.make_shared((1,), al.u64)
            epilogue = ClusterScatter(exchange, sums_came, epilogue, G.n, G.cluster_k, G.cluster_m * G.cluster_n)
        if al.thread_id(0) == 0:
            al.nvvm.prefetch_tensormap(A)
            al.nvvm.prefetch_tensormap(B)
            al.nvvm.prefetch_tensormap(C)
            ring.init()
            if G.cluster_k > 1:
                epilogue.init()
            al.nvvm.fence_mbarrier_init()
            if G.cluster_k > 1:
                epilogue.expect()
        cluster_sync(G.cluster)
        scheduler = scheduler_of(tile, m, n, k)
        if split != 1:
            sizes = G.cluster, G.consumers, PARTIALS[3] if G.cluster_k > 1 else G.row_blocks * G.n // 8
            space = workspace(scheduler, partials, counters, sizes, STORE_BARRIER)
            if G.cluster_k > 1:
                epilogue.workspace = space
            else:
                epilogue = FixupEpilogue(space, epilogue)
        wgmma = al.nvvm.wgmma_bf16_f32 if dtype == al.bf16 else al.nvvm.wgmma_f16_f32
        run(G, A, B, a, b, ring, scheduler, lambda: al.full((G.n // 2,), 0.0, al.f32), wgmma, epilogue)

    return gemm


@functools.cache
def allowed(tile: GemmTile, k: int, out: al.DType) -> bool:
    """True. Raises ValueError where there is no kernel for a tile, or none that shares so long a K."""
    why = tile.fault(out.bytes)
    if not why and tile.cluster_k > max(1, -(-k // STEP)):
        why = f"K of {k} has fewer steps of {STEP} than cluster_k, {tile.cluster_k}"
    if why:
        raise argument_error(f"tile: {why}; it is {tuple(tile)}")
    return True


def threads(tile: GemmTile) -> int:
    """Of a block."""
    return GROUP * (1 + tile.consumers)


def units_of(m: int, n: int, k: int, tile: GemmTile) -> tuple[int | str, int]:
    """The split, with no more parts than steps along K, and how many units of work for clusters that makes, for
    "stream" at the most."""
    tiles, steps = clusters(m, n, tile), -(-k // STEP)
    if tile.split == STREAM:
        return STREAM, tiles * steps
    parts = max(1, min(int(tile.split), steps // tile.cluster_k))
    return parts, tiles * parts


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, tile: GemmTile | None = None, blocks: Positive | None = None,
    split: Split | None = None, **options: Any) -> Any:  # fmt: skip
    """C = A @ B^T, accumulated in f32.

    a: (m, k), b: (n, k), both bf16 or both f16; elements of a row are neighbors, and rows a multiple of 16 bytes apart,
    as TMA wants them. out: (m, n), of the type of a and b or f32; made when it is None, in the type of a and b. All are
    on a GPU of sm_90a, or on the CPU. `tile`: chosen by shape when it is None; `blocks`: as many as there are
    multiprocessors. `split`: in place of the tile's: parts of K that different blocks multiply, or "stream"; sums of
    parts are added in the order of K, in f32, the same bits in every run. Launches of one stream share a workspace.
    `options` are those of a launch, such as `backend="reference"`. Returns `out`. An `out` whose rows are no multiple
    of 16 bytes, in length or apart, is filled by a copy. Raises ValueError for shapes that do not fit one another or
    TMA, TypeError for other types."""
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
    tile = tile or choose_tile(max(m, 1), max(n, 1), max(k, 1), sms, to.bytes, alignment(a, b))
    if split is not None:
        tile = tile._replace(split=split)
    assert allowed(tile, k, to)
    # The copy engine stores whole pieces of 16 bytes.
    direct = out is not None and n * to.bytes % UNIT == 0 and not misplaced(out)
    result: Any = out if direct else empty(a if out is None else out, m, -(-n * to.bytes // UNIT) * UNIT // to.bytes)
    if 0 in (m, n, k):
        result[...] = 0
    else:
        split, units = units_of(m, n, k, tile)
        runs = units if tile.cluster_k > 1 else min(units, max(1, sms // tile.cluster))
        extra: tuple[Any, ...] = ()
        if split != 1:
            slots = (2 * runs if split == STREAM else units) * tile.cluster
            extra = workspace_for(a, slots * tile.m // ROWS, slots * tile.m * tile.n)
        kernel = build(tile._replace(split=split), dtype, to)[runs * tile.cluster, threads(tile)]
        x, y = (b, a) if tile.transposed else (a, b)
        kernel(x, y, result, m, n, k, *extra, cluster=(tile.cluster, 1, 1), **options)
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


def pitch(x: Any) -> int:
    """Bytes from row to row."""
    return x.stride(0) * x.element_size() if hasattr(x, "stride") else x.strides[0]


def alignment(a: Any, b: Any) -> int:
    """The greatest power of two, of 16 to 128, of which the bytes from row to row of both are a multiple."""
    return math.gcd(128, pitch(a), pitch(b))


def misplaced(x: Any) -> str:
    """Why TMA cannot work on a matrix, or ""."""
    size = x.dtype.itemsize
    row, col = x.stride() if hasattr(x, "stride") else (s // size for s in x.strides)
    if col != 1 and x.shape[1] > 1:
        return f"elements of a row must be neighbors, and are {col} elements apart"
    if x.shape[0] > 1 and row * size % UNIT:
        return f"rows must be a multiple of {UNIT // size} elements apart, and are {row} apart"
    return ""
