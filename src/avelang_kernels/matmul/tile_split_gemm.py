"""Two matrices come in; C = A @ B^T goes out, by blocks that share tiles: the product of `tile_gemm` where whole tiles
do not fill the chip. K is split, or streamed on AMD; sums of parts are added in the order of K: the same bits in every
run."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import Want, argument_error, takes, tile
from avelang.pipelines.fixup import BlockWorkspace, block_fixup
from avelang.pipelines.scheduler import SplitKScheduler, StreamKScheduler, TileScheduler, xcd_remap
from avelang_kernels.arrays import Count, Matrix, check_gemm, named, product_dtypes
from avelang_kernels.matmul import tile_skinny
from avelang_kernels.workspaces import workspace_for

STREAM = "stream"
Split = Annotated[Any, Want(lambda x: x is None or x == STREAM or type(x) is int and x > 0,
                            f'None, an int from 1 on, or "{STREAM}"')]  # fmt: skip


@functools.cache
def build(T: tile.Block, dtype: al.DType, out: al.DType, split: int | str = 1) -> Any:
    """The kernel for a block's tile and pipeline, the dtype of A and B, and that of C, with K in one part, in several,
    or streamed; then it takes a workspace: sums of 4 bytes, and u32 counters, 0."""
    IN_A, IN_B, OUT = T.operands(dtype, out)
    SUMS: Any = al.Pointer(al.f32) if split != 1 else al.constexpr
    COUNTERS: Any = al.Pointer(al.u32) if split != 1 else al.constexpr

    @avelang.jit
    def gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: Annotated[Any, OUT], m: al.u32, n: al.u32, k: al.u32,
        partials: Annotated[Any, SUMS] = None, counters: Annotated[Any, COUNTERS] = None,
        EACH: al.constexpr = 8, WIDE: al.constexpr = 8,
    ):  # fmt: skip
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH), tile.view(c, (m, n), WIDE)

        def finish(sums: Any, at: Any):
            if split == 1:
                C.store(sums, at)
            elif complete(sums, at[2], partials, counters, split):
                C.store(sums, (at[0], at[1]))

        tile.multiply(T, A, B, sizes_of(T, m, n, k, split), finish)

    return gemm


@avelang.jit
def sizes_of(T: Any, m: Any, n: Any, k: Any, SPLIT: Any):
    """The extents of a product, or the scheduler of its parts."""
    if SPLIT == 1:
        return m, n, k
    tiles = TileScheduler(m, n, k, T.m, T.n, GROUP_M=T.group_m)
    if SPLIT == STREAM:
        run = xcd_remap(al.block_id(0), al.grid_dim(0), al.target().dies)
        return StreamKScheduler(tiles, al.grid_dim(0), (k + T.k - 1) // T.k, T.k, number=run)
    return SplitKScheduler(tiles, SPLIT, T.k)


@avelang.jit
def complete(sums: Any, peers: Any, partials: Any, counters: Any, SPLIT: Any):
    """True in the block that is to store a tile: `sums` are those of all its peers then."""
    THREADS = sums.dist.threads
    if SPLIT != STREAM:
        return block_fixup(sums.values, THREADS, partials, counters, peers, SPLIT)
    last = peers.first == peers.last
    if not last:
        WORDS = math.gcd(len(sums.values), 4)
        vectors = al.view(sums.values, al.Tensor((len(sums.values) // WORDS, WORDS), sums.dtype))
        last = BlockWorkspace(partials, counters, THREADS).fixup(vectors, peers)
    return last


@takes()
def gemm(
    a: Matrix, b: Any, out: Matrix, T: tile.Block | None = None, target: str | None = None, units: Count = 0,
    split: Split = None, **options: Any,
) -> Any:  # fmt: skip
    """C = A @ B^T. a: (m, k), b: (n, k), of one dtype; out: (m, n); contiguous. bf16, f16 and the chip's kinds of f8
    are summed up in f32, for an out of f32, bf16 or f16; i8 in i32, as out. `T`: the block, None for the one that
    `tile.split_for` chooses. `split`: parts of K that different blocks multiply, or, on AMD, "stream": every block gets
    an equal share of all steps along K; None for what `tile.split_for` chooses, or 1 where `T` is given. Launches of
    one stream share a workspace. `target`, `units`, `options`: as of `tile_gemm.gemm`. Returns `out`; raises ValueError
    for shapes that do not fit and for "tma", whose K `hopper_gemm` splits, TypeError for dtypes."""
    m, n, k = check_gemm(a, b, out, T)
    dtype, to = product_dtypes(*(named(x) for x in (a, b, out)))
    if 0 in (m, n, k):
        out[...] = 0
        return out
    if target is None and tile.on_cpu(a):
        options.setdefault("backend", "cpu")
    target, count = tile.device_of(a, target)
    count = units or count
    block, parts = chosen(T, (m, n, k), dtype, target, count, k * dtype.bytes % 16 == n * to.bytes % 16 == 0, split)
    return launch(a, b, out, block, parts, target, count, **options)


@takes()
def launch(a: Any, b: Any, out: Any, T: tile.Block, parts: Split, target: str, units: Count, **options: Any) -> Any:
    """The same with a block and parts of K that fit; a "streamed" one, of few rows, is `tile_skinny`'s."""
    if T.pipeline == "streamed" and parts != STREAM and a.shape[0] <= tile_skinny.MOST_ROWS:
        return tile_skinny.launch(a, b, out, T, parts, target, **options)
    (m, n), k = out.shape, a.shape[1]
    dtype, to = product_dtypes(*(named(x) for x in (a, b, out)))
    tiles, threads = T.grid(m, n, units), T.on(target, dtype).threads
    grid = min(units, tiles * -(-k // T.k)) if parts == STREAM else tiles * parts
    if parts != 1:
        slots = 2 * grid if parts == STREAM else grid
        options["partials"], options["counters"] = workspace_for(out, slots, slots * T.m * T.n)
    if T.cluster != (1, 1):
        options["cluster"] = (math.prod(T.cluster), 1, 1)
    build(T, dtype, to, parts)[grid, threads](
        a, b, out, m, n, k, EACH=math.gcd(k, 16), WIDE=math.gcd(n, 8), target=target, **options
    )
    return out


def chosen(T: tile.Block | None, sizes: tuple[int, int, int], dtype: al.DType, target: str, count: int, aligned: bool,
           split: Any) -> tuple[tile.Block, Any]:  # fmt: skip
    """The block and the parts of K: as given, or as the model has them. Raises ValueError for what "tma" does not
    split."""
    block, parts = T, split
    if block is None:
        found, most = tile.split_for(*sizes, dtype, target, count, aligned)
        if split is not None:
            found, most = tile.block_for(*sizes, dtype, target, count, aligned, whole=True), split
        block, parts = found, most
    if parts is None:
        parts = 1
    if parts != 1 and block.pipeline == "tma":
        raise argument_error('the pipeline "tma" has K in one part here: hopper_gemm splits it')
    return block, parts if parts == STREAM else min(parts, -(-sizes[2] // block.k))
