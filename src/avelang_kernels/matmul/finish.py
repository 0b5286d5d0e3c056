"""Sums of products come in; activation(sums + bias) goes out: the end of a product whose kernel has none."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.activations import ACTIVATIONS
from avelang_kernels.arrays import DTYPES, named, spanned, strides_of

THREADS, EACH = 256, 4


@functools.cache
def build(to: al.DType, of_bias: Any, activation: Any) -> Any:
    """The kernel for the dtypes of what it makes and of the bias, None without one."""
    BIAS: Any = al.constexpr if of_bias is None else al.Pointer(of_bias)
    STEP: Any = al.constexpr if of_bias is None else al.u32
    end = ACTIVATIONS[activation]

    @avelang.jit
    def finish(
        sums: al.Pointer[al.f32], out: al.Pointer[to], m: al.u32, n: al.u32, down: al.u64, across: al.u64,
        bias: Annotated[Any, BIAS] = None, apart: Annotated[Any, STEP] = None,
    ):  # fmt: skip
        for i in range(EACH):
            col = (al.block_id(0) * EACH + i) * THREADS + al.thread_id(0)
            row = al.block_id(1)
            if col < n:
                x = sums[al.convert(row, al.u64) * n + col]
                if of_bias is not None:
                    x = x + al.convert(bias[col * apart], al.f32)
                x = x if end is None else end(x)
                out[al.convert(row, al.u64) * down + al.convert(col, al.u64) * across] = al.convert(x, to)

    return finish


def launch(sums: Any, out: Any, bias: Any, activation: str | None, **options: Any) -> None:
    """out = activation(sums + bias). sums: f32, (m, n), without gaps; out: (m, n) of bf16, f16 or f32, any strides;
    bias: (n,), or None."""
    m, n = sums.shape
    if not math.prod(sums.shape):
        return
    kernel = build(DTYPES[named(out)], None if bias is None else DTYPES[named(bias)], activation)
    more = {} if bias is None else {"bias": spanned(bias), "apart": strides_of(bias)[0]}
    kernel[(-(-n // (THREADS * EACH)), m), THREADS](sums, spanned(out), m, n, *strides_of(out), **more, **options)
