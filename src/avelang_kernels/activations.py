"""Activations for the ends of products: an f32 element (or a vector of them) comes in, another goes out."""

from __future__ import annotations

from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import Want


@avelang.jit
def relu(x: Any):
    """max(x, 0), and NaN of NaN: `al.max` would give 0."""
    return al.select(x < 0.0, 0.0, x)


@avelang.jit
def silu(x: Any):
    """x / (1 + exp(-x))."""
    return x / (1.0 + al.exp(0.0 - x))


@avelang.jit
def gelu_tanh(x: Any):
    """x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2: torch's `gelu` with approximate="tanh"."""
    return x / (1.0 + al.exp(x * (-1.5957691216057308 - 0.07135481282052302 * x * x)))


@avelang.jit
def gelu(x: Any):
    """x (1 + erf(x / sqrt(2))) / 2: torch's `gelu`."""
    return 0.5 * x * (1.0 + al.erf(x * 0.7071067811865476))


ACTIVATIONS: dict[Any, Any] = {None: None, "relu": relu, "silu": silu, "gelu": gelu, "gelu_tanh": gelu_tanh}
# What wrappers say of a parameter, for `avelang.takes`.
Activation = Annotated[Any, Want(lambda x: x in ACTIVATIONS and x is not None, "relu, silu, gelu or gelu_tanh")]
