"""Two matrices come in; C = A @ B^T goes out: one source for AMD's matrix cores, NVIDIA's `mma.sync` and Hopper's `wgmma`, on the tile level."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang import tile

DTYPES: dict[str, Any] = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}


@functools.cache
def build(T: tile.Block, dtype: al.DType, out: al.DType) -> Any:
    """The kernel for a block's tile and pipeline, the dtype of A and B, and that of C."""
    IN_A, IN_B, OUT = T.operands(dtype, out)

    @avelang.jit
    def gemm(a: IN_A, b: IN_B, c: OUT, m: al.u32, n: al.u32, k: al.u32, EACH: al.constexpr = 8, WIDE: al.constexpr = 4):  # type: ignore
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH), tile.view(c, (m, n), WIDE)

        def finish(sums, at):
            C.store(sums, at)

        tile.multiply(T, A, B, (m, n, k), finish)

    return gemm


def gemm(a: Any, b: Any, out: Any, T: tile.Block, target: str, units: int = 132, **options: Any) -> Any:
    """C = A @ B^T, accumulated in f32. a: (m, k), b: (n, k), both bf16 or f16; out: (m, n), of their dtype or f32; contiguous. For the pipeline
    "preshuffled", b is what `T.on(target, dtype).preshuffle` made of it. `target`: the chip; `units`: how many compute units or multiprocessors it
    has. `options` are those of a launch. Returns `out`; raises ValueError for shapes that do not fit."""
    (m, k), n = a.shape, out.shape[1]
    dtype, to = (DTYPES[str(x.dtype).split(".")[-1]] for x in (a, out))
    if len(out) != m or (len(b.shape) == 2 and tuple(b.shape) != (n, k)):
        raise ValueError(f"a is {tuple(a.shape)}, b is {tuple(b.shape)}, out is {tuple(out.shape)}: C = A @ B^T of (m, k) and (n, k) is (m, n)")
    if T.cluster != (1, 1):
        options["cluster"] = (math.prod(T.cluster), 1, 1)
    kernel, threads = build(T, dtype, to), T.on(target, dtype).threads
    kernel[T.grid(m, n, units), threads](a, b, out, m, n, k, math.gcd(k, 8), math.gcd(n, 4), target=target, **options)
    return out
