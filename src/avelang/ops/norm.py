"""`rms_norm` and `layer_norm`: rows of any array of NumPy, torch or JAX come in; the same divided by their root mean
square, or by their standard deviation, times a weight, go out. One kernel for AMD, NVIDIA and the CPU."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.bridge.relaunched import relaunched
from avelang.ops.sharding import ROWS, SUM, WHOLE, along_rows
from avelang_kernels.norm import launches
from avelang_kernels.norm.lines import through
from avelang_kernels.norm.row_plans import DTYPES


def floats(name: str, x: Array) -> str:
    """The name of the dtype of sums of x. Raises L066 where there is no kernel for its dtype."""
    if x.dtype not in DTYPES:
        raise no_kernel(f"{name} is of {x.dtype}: there are kernels for {', '.join(DTYPES)}")
    return "float64" if x.dtype == "float64" else "float32"


def check_rows(x: Array, **vectors: Array | None) -> None:
    """Checks that x has rows, and that vectors have a number for each of their elements. Raises L066."""
    # An extent that `torch.compile` does not know yet is no int. The call itself knows it, and checks again.
    if not x.shape or (isinstance(x.shape[-1], int) and x.shape[-1] < 1):
        raise argument_error(f"x is {x.shape}: it needs a last dimension of 1 or more")
    for name, v in vectors.items():
        if v is not None and v.shape != (x.shape[-1],):
            raise argument_error(f"{name} is {v.shape}, but rows of x, {x.shape}, have {x.shape[-1]} elements: it must "
                                 f"be ({x.shape[-1]},)")  # fmt: skip
        if v is not None:
            floats(name, v)


def on(target: str | None) -> dict[str, Any]:
    """Options of a launch."""
    return {} if target is None else {"target": target}


def _rms_shapes(x: Array, weight: Array | None = None, *, offset: int) -> tuple[Array, Array]:
    acc = floats("x", x)
    check_rows(x, weight=weight)
    if offset not in (0, 1):
        raise argument_error(f"offset is {offset!r}: it must be 0, or 1 for weights that are kept as w - 1")
    return Array(x.shape, x.dtype), Array(x.shape[:-1], acc)


@op(_rms_shapes, autocast="float32", batched=("x",), contiguous=("weight",), inplace={"y": ("x",)},
    strided={"x": "matrix"})  # fmt: skip
def rms_norm_rows(
    x: Any, weight: Any, y: Any, rstd: Any, *, eps: float = 1e-6, offset: int = 0, target: str | None = None
) -> None:
    """`rms_norm` without a residual."""

    def make(y: Any) -> None:
        launches.forward(x, weight, None, None, y, None, None, rstd, eps=eps, offset=offset, **on(target))

    through(make, y)


def _sum_shapes(x: Array, residual: Array, weight: Array | None = None, *, offset: int) -> tuple[Array, Array, Array]:
    if residual != x:
        raise argument_error(f"residual is {residual}, and x is {x}: both need the same shape and dtype")
    y, rstd = _rms_shapes(x, weight, offset=offset)
    return y, Array(x.shape, x.dtype), rstd


@op(_sum_shapes, returns=2, batched=("x", "residual"), contiguous=("weight",),
    strided={"x": "matrix", "residual": "matrix"})  # fmt: skip
def rms_norm_of_sum(
    x: Any, residual: Any, weight: Any, y: Any, total: Any, rstd: Any, *, eps: float = 1e-6, offset: int = 0,
    target: str | None = None,
) -> None:  # fmt: skip
    """`rms_norm` of a sum, which is returned too."""

    def make(y: Any, total: Any) -> None:
        launches.forward(x, weight, None, residual, y, total, None, rstd, eps=eps, offset=offset, **on(target))

    through(make, y, total)


def _gradient_shapes(x: Array, dy: Array, rstd: Array, weight: Array | None = None, more: Array | None = None,
                     mean: Array | None = None, *, weighted: bool, biased: bool):  # fmt: skip
    none = Array((0,), x.dtype)
    like = none if weight is None else Array(weight.shape, weight.dtype)
    return Array(x.shape, x.dtype), like if weighted else none, like if biased else none


@op(_gradient_shapes, returns=3, contiguous=("rstd", "weight", "mean"), strided={"x": "matrix", "dy": "matrix"},
    sharding=along_rows([ROWS, SUM, SUM], [ROWS, ROWS, ROWS, WHOLE, ROWS, ROWS]))  # fmt: skip
def norm_gradients(
    x: Any, dy: Any, rstd: Any, weight: Any, more: Any, mean: Any, dx: Any, dw: Any, db: Any, *, weighted: bool,
    biased: bool, offset: int = 0, target: str | None = None, invariant: bool | None = None,
) -> None:  # fmt: skip
    """Gradients of `rms_norm`, or of `layer_norm` where there is a mean: of x, plus `more`, of the weight and of the
    bias (of no elements where they are not wanted). The gradients of weights are sums over rows, in an order that
    depends on the GPU's multiprocessors, or is fixed where `invariant`."""
    launches.backward(x, dy, more, weight, mean, rstd, dx, dw if weighted else None, db if biased else None,
                      offset=offset, fixed=bool(invariant), **on(target))  # fmt: skip


@rms_norm_rows.backward(saves=("x", "weight", "rstd"))
def _(grads: Any, inputs: Any, outputs: Any, *, offset: int, target: str | None, needs: Any) -> Any:
    (dy,), (x, weight), (_, rstd) = grads, inputs, outputs
    weighted = weight is not None and needs[1]
    dx, dw, _ = norm_gradients(x, dy, rstd, weight, weighted=weighted, biased=False, offset=offset, target=target)
    return dx, dw if weighted else None


@rms_norm_of_sum.backward(saves=("weight", "total", "rstd"))
def _(grads: Any, inputs: Any, outputs: Any, *, offset: int, target: str | None, needs: Any) -> Any:
    (dy, more), (_, _, weight), (_, total, rstd) = grads, inputs, outputs
    weighted = weight is not None and needs[2]
    dx, dw, _ = norm_gradients(
        total, dy, rstd, weight, more, weighted=weighted, biased=False, offset=offset, target=target
    )
    return dx, dx, dw if weighted else None


@relaunched
@counted
def rms_norm(
    x: Any, weight: Any = None, *, residual: Any = None, eps: float = 1e-6, offset: int = 0, out: Any = None,
    target: str | None = None,
) -> Any:  # fmt: skip
    """x / sqrt(mean(x^2) + eps) * (offset + weight), by rows: the last dimension. Computed in f32 (f64 of f64) and
    rounded once.

    x: (..., n) of bf16, f16, f32 or f64, any strides. weight: (n,), of any of these dtypes. eps: in units of x squared.
    offset: 1 for weights that are kept as w - 1, as Gemma's. residual: like x; then x + residual, rounded to the dtype
    of x, is normed. out: as what is returned; no gradients then. target: of arrays on the CPU, the chip whose waves are
    meant. Returns an array like x; with a residual that and the sum. Differentiable in x, residual and weight; under
    torch's autocast in f32, as torch's own, but for a residual. Raises L066 (a ValueError) for shapes that do not fit
    and dtypes without a kernel."""
    if residual is None:
        return rms_norm_rows(x, weight, eps=eps, offset=offset, target=target, out=out)
    return rms_norm_of_sum(x, residual, weight, eps=eps, offset=offset, target=target, out=out)


def _layer_shapes(x: Array, weight: Array | None = None, bias: Array | None = None) -> tuple[Array, Array, Array]:
    acc = floats("x", x)
    check_rows(x, weight=weight, bias=bias)
    if bias is not None and (weight is None or weight.dtype != bias.dtype):
        raise argument_error(f"bias is {bias}, and weight is {weight}: a bias goes with a weight of its dtype")
    return Array(x.shape, x.dtype), Array(x.shape[:-1], acc), Array(x.shape[:-1], acc)


@op(_layer_shapes, autocast="float32", batched=("x",), contiguous=("weight", "bias"), launches_only=True,
    strided={"x": "matrix"},
    inplace={"y": ("x",)})  # fmt: skip
@counted
def layer_norm(
    x: Any, weight: Any, bias: Any, y: Any, mean: Any, rstd: Any, *, eps: float = 1e-5, target: str | None = None
) -> None:
    """(x - mean(x)) / sqrt(var(x) + eps) * weight + bias, by rows: the last dimension. Computed in f32 (f64 of f64) and
    rounded once.

    x: (..., n) of bf16, f16, f32 or f64, any strides. weight, bias: (n,), both of one of these dtypes; either may be
    left out, but no bias is without a weight. eps: in units of x squared. target: of arrays on the CPU, the chip whose
    waves are meant. Returns an array like x, or `out`. Differentiable in x, weight and bias; under torch's autocast in
    f32, as torch's own. Raises L066 (a ValueError) for shapes that do not fit and dtypes without a kernel."""

    def make(y: Any) -> None:
        launches.forward(x, weight, bias, None, y, None, mean, rstd, eps=eps, **on(target))

    through(make, y)


@layer_norm.backward(saves=("x", "weight", "mean", "rstd"))
def _(grads: Any, inputs: Any, outputs: Any, *, target: str | None, needs: Any) -> Any:
    (dy,), (x, weight, _), (_, mean, rstd) = grads, inputs, outputs
    weighted, biased = weight is not None and needs[1], needs[2]
    dx, dw, db = norm_gradients(
        x, dy, rstd, weight, None, mean, weighted=weighted, biased=biased, target=target
    )
    return dx, dw if weighted else None, db if biased else None
