"""Ends of Hopper's GEMM: sums come in; what is rounded goes out, multiplied by a number or given to an activation."""

from __future__ import annotations

from typing import Any

import avelang
import avelang.language as al


@avelang.jit
def relu(x):
    """max(x, 0)."""
    return al.max(x, 0.0)


@avelang.jit
def silu(x):
    """x / (1 + e^-x)."""
    return x / (1.0 + al.exp(0.0 - x))


@avelang.jit
def gelu_tanh(x):
    """x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): torch's `gelu` with approximate="tanh"."""
    return 0.5 * x * (1.0 + al.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


ACTIVATIONS: dict[Any, Any] = {None: None, "relu": relu, "silu": silu, "gelu_tanh": gelu_tanh}


@avelang.jit
def scale_of(factor, one, two):
    """The number by which sums are multiplied: `factor`, and those that pointers lead to."""
    if one is not None:
        factor = factor * al.make_tensor(one, al.f32, al.make_layout((1,)))[0]
    if two is not None:
        factor = factor * al.make_tensor(two, al.f32, al.make_layout((1,)))[0]
    return factor


@avelang.struct
class Scaling:
    """The activation of an epilogue that multiplies sums, of f32 or i32, by a number of f32."""

    factor: ...

    def __call__(self, acc):
        return al.convert(acc, al.f32) * self.factor
