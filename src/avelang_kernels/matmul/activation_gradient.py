"""Sums before an activation and the gradient behind it come in; the gradient before it goes out: for ends of products
(`avelang_kernels.activations`)."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, named

THREADS, EACH = 256, 4


@avelang.jit
def relu_gradient(z: Any):
    """0 where z <= 0, else 1; 1 for NaN, too, as in torch."""
    return al.select(z <= 0.0, 0.0, 1.0)


@avelang.jit
def silu_gradient(z: Any):
    """s (1 + z (1 - s)), s = 1 / (1 + e^-z)."""
    s = 1.0 / (1.0 + al.exp(0.0 - z))
    return s * (1.0 + z * (1.0 - s))


@avelang.jit
def gelu_tanh_gradient(z: Any):
    """s + z s (1 - s) u', where gelu(z) = z s and s = 1 / (1 + e^-u), u = 2 sqrt(2 / pi) (z + 0.044715 z^3)."""
    s = 1.0 / (1.0 + al.exp(z * (-1.5957691216057308 - 0.07135481282052302 * z * z)))
    return s + z * s * (1.0 - s) * (1.5957691216057308 + 0.21406443846156906 * z * z)


@avelang.jit
def gelu_gradient(z: Any):
    """Phi(z) + z phi(z), of the normal distribution."""
    return 0.5 + 0.5 * al.erf(z * 0.7071067811865476) + z * 0.3989422804014327 * al.exp(-0.5 * z * z)


GRADIENTS: dict[Any, Any] = {"relu": relu_gradient, "silu": silu_gradient, "gelu": gelu_gradient,
                             "gelu_tanh": gelu_tanh_gradient}  # fmt: skip


@functools.cache
def build(dtype: al.DType, other: al.DType, activation: str) -> Any:
    """The kernel for a dtype of gradients and one of sums."""
    gradient = GRADIENTS[activation]

    @avelang.jit
    def activation_gradient(
        g: al.Pointer[dtype], z: al.Pointer[other], out: al.Pointer[dtype], count: al.u32
    ):
        layout = al.make_layout((count,))
        G, Z = al.make_tensor(g, dtype, layout), al.make_tensor(z, other, layout)
        OUT = al.make_tensor(out, dtype, layout)
        for i in range(EACH):
            at = (al.block_id(0) * EACH + i) * THREADS + al.thread_id(0)
            if at < count:
                given, slope = al.convert(G[at], al.f32), gradient(al.convert(Z[at], al.f32))
                if activation == "relu":  # 0 of infinity, too
                    OUT[at] = al.convert(al.select(slope == 0.0, 0.0, given), dtype)
                else:
                    OUT[at] = al.convert(given * slope, dtype)

    return activation_gradient


def launch(g: Any, z: Any, out: Any, activation: str, **options: Any) -> None:
    """out = g * activation'(z), in f32; all of one shape, without gaps; g and out of one dtype."""
    count = math.prod(g.shape)
    if count:
        kernel = build(DTYPES[named(g)], DTYPES[named(z)], activation)
        kernel[-(-count // (THREADS * EACH)), THREADS](g, z, out, count, **options)
