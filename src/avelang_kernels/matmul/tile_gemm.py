"""Two matrices come in; C = A @ B^T goes out: one source for AMD's MFMA, NVIDIA's `mma.sync` and Hopper's `wgmma`."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import takes, tile
from avelang_kernels.arrays import Count, Matrix, check_gemm, named, product_dtypes
from avelang_kernels.matmul import tile_split_gemm


@functools.cache
def build(T: tile.Block, dtype: al.DType, out: al.DType) -> Any:
    """The kernel for a block's tile and pipeline, the dtype of A and B, and that of C."""
    IN_A, IN_B, OUT = T.operands(dtype, out)

    @avelang.jit
    def gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: Annotated[Any, OUT], m: al.u32, n: al.u32, k: al.u32,
        EACH: al.constexpr = 8, WIDE: al.constexpr = 8,
    ):  # fmt: skip
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH), tile.view(c, (m, n), WIDE)

        def finish(sums: Any, at: Any):
            C.store(sums, at)

        tile.multiply(T, A, B, (m, n, k), finish)

    return gemm


@takes()
def gemm(
    a: Matrix, b: Any, out: Matrix, T: tile.Block | None = None, target: str | None = None, units: Count = 0,
    **options: Any,
) -> Any:  # fmt: skip
    """C = A @ B^T. a: (m, k), b: (n, k), of one dtype; out: (m, n); contiguous. bf16, f16 and the chip's kinds of f8
    are summed up in f32, for an out of f32, bf16 or f16; i8 in i32, as out. `T`: the block, None for the choice of
    `tile.split_for`; for "preshuffled", b is what `T.on(target, dtype).preshuffle` made of it. `target`, `units`: chip
    and compute units, by default those of the arrays. Returns `out`; raises ValueError for shapes, TypeError."""
    m, n, k = check_gemm(a, b, out, T)
    dtype, to = product_dtypes(*(named(x) for x in (a, b, out)))
    if 0 in (m, n, k):
        out[...] = 0
        return out
    if target is None and tile.on_cpu(a):
        options.setdefault("backend", "cpu")
    target, count = tile.device_of(a, target)
    count, aligned = units or count, k * dtype.bytes % 16 == n * to.bytes % 16 == 0
    block, parts = (T, 1) if T else tile.split_for(m, n, k, dtype, target, count, aligned)
    if parts != 1 or block.pipeline == "streamed":
        return tile_split_gemm.launch(a, b, out, block, parts, target, count, **options)
    options |= {"cluster": (math.prod(block.cluster), 1, 1)} if block.cluster != (1, 1) else {}
    kernel = build(block, dtype, to)[block.grid(m, n, count), block.on(target, dtype).threads]
    kernel(a, b, out, m, n, k, math.gcd(k, 16), math.gcd(n, 8), target=target, **options)
    return out
