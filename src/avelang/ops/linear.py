"""`ops.linear`: torch's `linear`, a product with a transposed weight, on `ops.matmul`."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge.relaunched import relaunched
from avelang.ops.matmul import check_array, matmul


@relaunched
@counted
def linear(
    x: Any, weight: Any, bias: Any = None, *, activation: str | None = None, out: Any = None, target: str | None = None,
    invariant: bool | None = None,
) -> Any:  # fmt: skip
    """activation(x @ weight^T + bias), as torch's `linear` means it, with gradients of x, weight and bias.

    x: (..., k); weight: (n, k) or (k,); bias: (n,) of their dtype or f32; bf16, f16 or f32, any strides. activation:
    "relu", "silu", "gelu" or "gelu_tanh", in the kernel's epilogue; its backward computes the sums before it again.
    out, target, invariant: as of `matmul`. Raises L066 (a ValueError) for shapes that do not fit, and dtypes and chips
    without a kernel."""
    check_array("weight", weight, False)
    dims = len(weight.shape)
    if dims not in (1, 2):
        raise argument_error(f"weight is of {dims} dimensions: it must be (n, k), or (k,)")
    return matmul(
        x, weight.T if dims == 2 else weight, bias=bias, activation=activation, out=out, target=target,
        invariant=invariant,
    )  # fmt: skip
