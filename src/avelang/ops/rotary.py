"""`rotary`: queries and keys, arrays of NumPy, torch or JAX, come in; the same turned by the angles of their positions
go out. One kernel for AMD, NVIDIA and the CPU."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge import Array, op
from avelang.bridge.relaunched import relaunched
from avelang.ops.norm import floats, on
from avelang.ops.sharding import of_rotary
from avelang_kernels.norm.lines import through
from avelang_kernels.rotary.rotary import rotate


def _check(x: Array, cos: Array, sin: Array, positions: Array | None, dims: int, seq_dim: int) -> None:
    floats("q", x)
    floats("cos", cos)
    if seq_dim not in (-2, -3) or len(x.shape) < -seq_dim:
        raise argument_error(f"seq_dim is {seq_dim}, q is {x.shape}: positions are the dimension -2 or -3")
    if cos != sin or len(cos.shape) not in (2, 3):
        raise argument_error(f"cos is {cos}, sin is {sin}: both are (positions, r / 2) or (batches, positions, r / 2), "
                             f"or r wide, of one dtype")  # fmt: skip
    wide, n, batches = cos.shape[-1], x.shape[-1], 1
    for size in x.shape[:-3]:
        batches *= size
    if dims < 0 or dims % 2 or max(dims, wide) > n or (dims and wide not in (dims, dims // 2)) or (
        not dims and 2 * wide > n
    ):
        raise argument_error(
            f"heads have {n} elements, cos and sin {wide}, dims is {dims}: dims, which are turned, are even "
            f"and {n} at the most, and cos and sin have dims / 2 or dims",
            "say dims= where cos and sin are as wide as what they turn",
        )
    if len(cos.shape) == 3 and cos.shape[0] not in (1, batches):
        raise argument_error(f"cos has {cos.shape[0]} batches, q is {x.shape}: it must have {batches}, or 1")
    length = x.shape[seq_dim]
    if positions is None:
        if cos.shape[-2] < length:
            raise argument_error(f"cos has {cos.shape[-2]} positions, q has {length}: it must have as many or more")
    elif positions.dtype not in ("int64", "int32") or positions.shape not in ((length,), (batches, length)):
        wanted = f"({length},) or {(batches, length)}, of int64 or int32"
        raise argument_error(f"positions is {positions}: it must be {wanted}")


def _pair_shapes(q: Array, k: Array, cos: Array, sin: Array, positions: Array | None = None, *,
                 dims: int, seq_dim: int) -> tuple[Array, Array]:  # fmt: skip
    heads = -5 - seq_dim
    for x in (q, k):
        _check(x, cos, sin, positions, dims, seq_dim)
    fixed = [tuple(n for i, n in enumerate(x.shape) if i - len(x.shape) != heads) for x in (q, k)]
    if q.dtype != k.dtype or fixed[0] != fixed[1] or len(q.shape) != len(k.shape):
        raise argument_error(f"q is {q}, and k is {k}: but for heads, dimension {heads}, they are alike")
    return Array(q.shape, q.dtype), Array(k.shape, k.dtype)


def _turned(q: Any, k: Any, cos: Any, sin: Any, positions: Any, yq: Any, yk: Any, seq_dim: int, offset: int,
            options: dict[str, Any]) -> None:  # fmt: skip
    """Calls the kernel; offsets are made a part of cosines and sines."""

    def seen(x: Any) -> Any:
        return x.swapaxes(-2, -3) if x is not None and seq_dim == -3 else x

    if len(cos.shape) == 3 and cos.shape[0] == 1:
        cos, sin = cos[0], sin[0]
    rotate(seen(q), seen(k), cos, sin, positions, seen(yq), seen(yk), offset=offset, **options)


@op(_pair_shapes, returns=2, inplace={"yq": ("q",), "yk": ("k",)}, sharding=of_rotary(single=False),
    strided={"q": "rows", "k": "rows"}, follows={"yq": "q", "yk": "k"})  # fmt: skip
def rotary_pair(
    q: Any, k: Any, cos: Any, sin: Any, positions: Any, yq: Any, yk: Any, *, interleaved: bool = False, dims: int = 0,
    seq_dim: int = -2, offset: int = 0, inverse: bool = False, target: str | None = None,
) -> None:  # fmt: skip
    """`rotary` of queries and keys; `inverse`: turned back."""
    options = {"interleaved": interleaved, "dims": dims, "inverse": inverse, **on(target)}
    through(lambda yq, yk: _turned(q, k, cos, sin, positions, yq, yk, seq_dim, offset, options), yq, yk)


def _single_shapes(q: Array, cos: Array, sin: Array, positions: Array | None = None, *, dims: int,
                   seq_dim: int) -> Array:  # fmt: skip
    _check(q, cos, sin, positions, dims, seq_dim)
    return Array(q.shape, q.dtype)


@op(_single_shapes, inplace={"yq": ("q",)}, sharding=of_rotary(single=True), strided={"q": "rows"},
    follows={"yq": "q"})  # fmt: skip
def rotary_single(
    q: Any, cos: Any, sin: Any, positions: Any, yq: Any, *, interleaved: bool = False, dims: int = 0,
    seq_dim: int = -2, offset: int = 0, inverse: bool = False, target: str | None = None,
) -> None:  # fmt: skip
    """`rotary` of queries alone; `inverse`: turned back."""
    options = {"interleaved": interleaved, "dims": dims, "inverse": inverse, **on(target)}
    through(lambda yq: _turned(q, None, cos, sin, positions, yq, None, seq_dim, offset, options), yq)


@rotary_pair.backward(saves=("cos", "sin", "positions"))
def _(grads: Any, inputs: Any, outputs: Any, *, inverse: bool, **options: Any) -> Any:
    _, _, cos, sin, positions = inputs
    options.pop("needs", None)
    dq, dk = rotary_pair(*grads, cos, sin, positions, inverse=not inverse, **options)
    return dq, dk, None, None, None


@rotary_single.backward(saves=("cos", "sin", "positions"))
def _(grads: Any, inputs: Any, outputs: Any, *, inverse: bool, **options: Any) -> Any:
    _, cos, sin, positions = inputs
    options.pop("needs", None)
    return rotary_single(grads[0], cos, sin, positions, inverse=not inverse, **options), None, None, None


@relaunched
@counted
def rotary(
    q: Any, k: Any, cos: Any, sin: Any, *, positions: Any = None, offset: int = 0, interleaved: bool = False,
    dims: int = 0, seq_dim: int = -2, out: Any = None, target: str | None = None,
) -> Any:  # fmt: skip
    """Rotary position embedding: pairs of elements of q and k turned by the angle of their position, computed in f32
    (f64 of f64) and rounded once.

    q, k: (..., heads, positions, d), or with `seq_dim` -3 (..., positions, heads, d), of one dtype, any strides, with
    their own number of heads; k may be None. cos, sin: (most, r / 2) or (batches, most, r / 2), of f32 or any other
    float, where r <= d elements of a head are turned and the others are kept; or r wide, as Hugging Face's are (`dims`
    says r then, where r is no more than half of d). positions: (positions,) or (batches, positions) of int64 or int32,
    rows of cos and sin; without it row s + `offset`. Rows below 0 count from the end, and rows that there are not are
    the nearest ones. interleaved: pairs are (x[2 i], x[2 i + 1]), as GPT-J's, instead of (x[i], x[i + r / 2]), as
    Llama's. out: (like q, like k), or like q; no gradients then. target: of arrays on the CPU, the chip whose waves are
    meant.

    Returns (q, k) turned, or q where k is None. Differentiable in q and k, not in cos and sin. Raises L066 (a
    ValueError) for shapes that do not fit and dtypes without a kernel."""
    arrays = all(getattr(x, "shape", ()) for x in (q, cos))  # else the rule says what is wrong
    if not dims and arrays and 2 * cos.shape[-1] > q.shape[-1]:  # halves of them would be more than there is
        dims = cos.shape[-1]
    options = {"interleaved": interleaved, "dims": dims, "seq_dim": seq_dim, "offset": offset, "target": target}
    if k is None:
        return rotary_single(q, cos, sin, positions, out=out, **options)
    return rotary_pair(q, k, cos, sin, positions, out=out, **options)
