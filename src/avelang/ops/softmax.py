"""`softmax` and `log_softmax`: rows of any array of NumPy, torch or JAX come in; powers of e that sum up to 1, or their
logarithms, go out. One kernel for AMD, NVIDIA and the CPU."""

from __future__ import annotations

from typing import Annotated, Any

from avelang import argument_error
from avelang.base.takes import A_DTYPE, counted
from avelang.bridge import Array, op
from avelang.bridge.relaunched import relaunched
from avelang.ops.norm import check_rows, floats, on
from avelang.ops.sharding import ROWS, along_rows
from avelang_kernels.arrays import named
from avelang_kernels.norm import launches
from avelang_kernels.norm.lines import through


def _shapes(x: Array, *, dtype: str | None) -> Array:
    floats("x", x)
    if x.ndim < 1:
        check_rows(x)
    y = Array(x.shape, dtype or x.dtype)
    floats("the result", y)
    return y


@op(_shapes, autocast="float32", batched=("x",), inplace={"y": ("x",)}, strided={"x": "matrix"})
def softmax_rows(
    x: Any, y: Any, *, dtype: str | None = None, log: bool = False, target: str | None = None,
    given: str | None = None,
) -> None:  # fmt: skip
    """`softmax` along the last dimension. given: the dtype of x, where it may be another one than that of y: so the
    backward makes its gradient in it, and need not keep x."""
    through(lambda y: launches.make_softmax(x, y, log=log, **on(target)), y)


def _gradient_shapes(y: Array, dy: Array, *, dtype: str) -> Array:
    return Array(y.shape, dtype)


@op(_gradient_shapes, sharding=along_rows([ROWS], [ROWS, ROWS]))
def softmax_gradient(y: Any, dy: Any, dx: Any, *, dtype: str, log: bool = False, target: str | None = None) -> None:
    """Gradients of x, of a dtype, by what `softmax_rows` made of it and gradients of that."""
    launches.softmax_gradient(y, dy, dx, log=log, **on(target))


@softmax_rows.backward(saves=("y",))
def _(grads: Any, inputs: Any, outputs: Any, *, log: bool, target: str | None, given: str | None) -> Any:
    (dy,), (y,) = grads, outputs
    return (softmax_gradient(y, dy, dtype=given or named(y), log=log, target=target),)


def _along(x: Any, dim: int, dtype: Any, out: Any, target: str | None, log: bool) -> Any:
    """The rows of a dimension; any but the last is read, and written, by its stride."""
    said = None if dtype is None else Array((), dtype).dtype
    if not hasattr(x, "shape") or not hasattr(x, "dtype") or isinstance(x, type):
        raise argument_error(f"x is of {type(x).__name__}: it must be an array of NumPy, torch or JAX")
    given = None if said is None else Array((), x.dtype).dtype
    count = len(x.shape)
    if not hasattr(dim, "__index__"):
        raise argument_error(f"dim is {dim!r}: it must be an int, the number of a dimension of x")
    if not -count <= dim < count:
        raise argument_error(f"dim is {dim}, but x has {count} dimensions, {tuple(x.shape)}")
    if dim in (-1, count - 1):
        return softmax_rows(x, dtype=said, log=log, target=target, given=given, out=out)
    if out is not None:
        softmax_rows(x.swapaxes(dim, -1), dtype=said, log=log, target=target, out=out.swapaxes(dim, -1))
        return out
    return softmax_rows(x.swapaxes(dim, -1), dtype=said, log=log, target=target, given=given).swapaxes(dim, -1)


@relaunched
@counted
def softmax(
    x: Any, dim: int = -1, *, dtype: Annotated[Any, A_DTYPE] = None, out: Any = None, target: str | None = None
) -> Any:
    """exp(x) / sum(exp(x)) along a dimension, computed in f32 (f64 of f64) and rounded once.

    x: of bf16, f16, f32 or f64, any strides and dimensions. dim: the last one is read in wide accesses; another one
    element by element, by its stride. dtype: of the result; that of x when it is None. out: of that dtype; no gradients
    then. target: of arrays on the CPU, the chip whose waves are meant. A row with a NaN, or of -inf alone, becomes NaN.
    Differentiable; under torch's autocast in f32, as torch's own. Raises L066 (a ValueError) for a dim that x has not,
    and dtypes without a kernel."""
    return _along(x, dim, dtype, out, target, False)


@relaunched
@counted
def log_softmax(
    x: Any, dim: int = -1, *, dtype: Annotated[Any, A_DTYPE] = None, out: Any = None, target: str | None = None
) -> Any:
    """The logarithm of `softmax`, of the same arguments."""
    return _along(x, dim, dtype, out, target, True)
