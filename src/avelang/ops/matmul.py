"""`matmul`: products of matrices and of batches, by the kernel of the arrays' chip. `avelang_kernels.matmul.choice` has
the rule and the table of kernels; `ave explain matmul` says what it chooses."""

from __future__ import annotations

import math
import sys
from typing import Any

from avelang import argument_error, tile
from avelang.base.takes import counted
from avelang.bridge import Array, op
from avelang.bridge.autocast import lowered
from avelang.bridge.relaunched import relaunched
from avelang.ops.sharding import ROWS, along_rows, in_shards, of_product
from avelang_kernels.activations import ACTIVATIONS as FUSED
from avelang_kernels.arrays import cast, named, strided, strides_of
from avelang_kernels.matmul import activation_gradient
from avelang_kernels.matmul.choice import matrix_product
from avelang_kernels.matmul.hopper_batched import batched_product

DTYPES = ("bfloat16", "float16", "float32")
ACTIVATIONS = (None, *(name for name in FUSED if name))


@relaunched
@counted
def matmul(
    a: Any, b: Any, *, bias: Any = None, activation: str | None = None, out: Any = None, target: str | None = None,
    invariant: bool | None = None,
) -> Any:  # fmt: skip
    """activation(a @ b + bias), as torch's `matmul` means it: summed up in f32, rounded once.

    a: (m, k), (k,) or (..., m, k); b: (k, n), (k,) or (..., k, n); leading dimensions broadcast. Both bf16, f16 or f32,
    of NumPy, torch or JAX, with any strides; with gradients; on sm_75 f16. On other NVIDIA GPUs a product of f32 is
    three of bf16: its error is some 2^-16 of |a||b|. bias: (n,), of the dtype of a and b or f32; activation: "relu",
    "silu", "gelu" or "gelu_tanh". Both are part of the kernel's epilogue, before the one rounding; of f32 on AMD and
    the CPU, and on NVIDIA GPUs but Hopper, they are another pass, in f32. out: of the result's shape, of the dtype of a
    and b or f32; made when it is None, in the dtype of a and b. target: of arrays on the CPU, the chip whose kernel is
    run there.
    invariant: True for a plan that does not depend on the number of rows, so that the bits of a row do not; None for
    what `ops.invariant()` says. Returns `out`. Raises L066 (a ValueError) for shapes that do not fit, dtypes without a
    kernel and chips without one."""
    a, b, bias = lowered(a, b, bias)
    made = _repeated(a, b, bias, activation, target, invariant) if out is None else None
    if made is not None:
        return made
    for name, x in (("a", a), ("b", b), ("bias", bias), ("out", out)):
        check_array(name, x, name in ("bias", "out"))
    named_a, named_b = named(a), named(b)
    if named_a not in DTYPES or named_a != named_b:
        raise argument_error(
            f"a is of {named_a} and b of {named_b}: both must be of bf16, of f16 or of f32",
            "scaled_matmul multiplies fp8" if "float8" in named_a + named_b else "",
        )
    if activation not in ACTIVATIONS:
        raise argument_error(f"activation is {activation!r}: it must be one of {ACTIVATIONS}")
    if 0 in (len(a.shape), len(b.shape)):
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need a dimension or more")
    rows, columns = a[None] if len(a.shape) == 1 else a, b[:, None] if len(b.shape) == 1 else b
    (m, k), (depth, n) = rows.shape[-2:], columns.shape[-2:]
    if k != depth:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: K is {k} in a and {depth} in b")
    if bias is not None and (tuple(bias.shape) != (n,) or named(bias) not in (named_a, "float32")):
        raise argument_error(
            f"bias is {tuple(bias.shape)} of {named(bias)}: it must be {(n,)}, a number for each column, of {named_a} "
            f"or float32"
        )
    leading = broadcast(tuple(rows.shape[:-2]), tuple(columns.shape[:-2]))
    shape = leading + (m,) * (len(a.shape) > 1) + (n,) * (len(b.shape) > 1)
    if out is not None and (tuple(out.shape) != shape or named(out) not in (named_a, "float32")):
        raise argument_error(f"out is {tuple(out.shape)} of {named(out)}: it must be {shape}, of {named_a} or float32")
    done: Any = out
    if out is not None and len(a.shape) == 1:
        done = out[..., None, :] if len(b.shape) > 1 else out[..., None]
    if out is not None and len(b.shape) == 1:
        done = done[..., None]
    made = matrices(
        rows, columns, bias, activation=activation, target=target, invariant=invariant, out=done,
        out_dtype=named_a if out is None else named(out),
    )  # fmt: skip
    key = _key(a, b, bias, activation) if out is None else None
    if key is not None:
        if len(_CHECKED) >= MOST_CHECKED:
            _CHECKED.clear()
        _CHECKED[key] = named_a
    return out if out is not None else made if len(a.shape) > 1 < len(b.shape) else made.reshape(shape)


# The dtypes of results whose arguments were checked, by what the checks look at.
_CHECKED: dict[Any, str] = {}
MOST_CHECKED = 1 << 14


def _repeated(a: Any, b: Any, bias: Any, activation: Any, target: Any, invariant: Any) -> Any:
    """The product where one like it has run; else None."""
    torch = sys.modules.get("torch")
    if torch is None or torch.compiler.is_compiling() or not (activation is None or type(activation) is str):
        return None
    known = _CHECKED.get(_key(a, b, bias, activation))
    if known is None:
        return None
    return matrices(a, b, bias, activation=activation, target=target, invariant=invariant, out_dtype=known)


def _key(a: Any, b: Any, bias: Any, activation: Any) -> Any:
    """All that `matmul` checks of tensors; None for other arrays, vectors, and where torch traces the call."""
    torch = sys.modules.get("torch")
    if torch is None or torch.compiler.is_compiling() or not (activation is None or type(activation) is str):
        return None
    plain = torch.Tensor, torch.nn.Parameter
    if type(a) not in plain or type(b) not in plain or not (bias is None or type(bias) in plain):
        return None
    if len(a.shape) < 2 or len(b.shape) < 2:
        return None
    return a.shape, a.dtype, b.shape, b.dtype, activation, None if bias is None else (bias.shape, bias.dtype)


def _shapes(a: Array, b: Array, bias: Array | None = None, *, out_dtype: str = "") -> Array:
    return Array((*broadcast(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), out_dtype or a.dtype)


@op(_shapes, autocast="lower", sharding=of_product, strided={"a": "any", "b": "any"}, batched=("a", "b"),
    broadcasts=True)  # fmt: skip
def matrices(
    a: Any, b: Any, bias: Any, out: Any, *, out_dtype: str = "", activation: str | None = None,
    target: str | None = None, invariant: bool | None = None,
) -> None:  # fmt: skip
    """The operation of `matmul`, for what has two dimensions or more. out_dtype: that of the result; "": that of a."""
    if len(a.shape) == len(b.shape) == 2:
        matrix_product(a, b.T, out, bias, activation, target, bool(invariant))
        return
    leading = broadcast(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    batches(a, b, out, leading, (bias, activation, target, bool(invariant)))


@matrices.backward(saves=("a", "b", "bias"))
def _(grads: Any, inputs: Any, outputs: Any, *, activation: str | None, target: str | None, invariant: bool | None,
      needs: Any) -> Any:  # fmt: skip
    (g,), (a, b, bias) = grads, inputs
    if activation is not None:
        sums = matmul(a, b, bias=bias, target=target, invariant=invariant)
        g = before_activation(g, sums, activation=activation, target=target)
    g = g if named(g) == named(a) else cast(g, a.dtype)
    k, n = a.shape[-1], b.shape[-1]
    da = db = dbias = None
    if needs[0]:
        da = _summed(matmul(g, b.swapaxes(-2, -1), target=target, invariant=invariant), a.shape)
    if needs[1]:
        if len(b.shape) == 2 and not in_shards(a):
            count = math.prod(a.shape[:-1])
            rows, of_rows = a.reshape(count, k), g.reshape(count, n)
            # As the weight lies in memory: most are a transposed (n, k).
            if hasattr(b, "stride") and b.stride(0) == 1 and k > 1:
                db = matmul(of_rows.T, rows, target=target, invariant=invariant).T
            else:
                db = matmul(rows.T, of_rows, target=target, invariant=invariant)
        else:
            db = _summed(matmul(a.swapaxes(-2, -1), g, target=target, invariant=invariant), b.shape)
    if bias is not None and needs[2]:
        rows = g if in_shards(g) else g.reshape(math.prod(g.shape[:-1]), n)
        dbias = cast(cast(rows, "float32").sum(tuple(range(len(rows.shape) - 1))), bias.dtype)
    return da, db, dbias


def _summed(x: Any, shape: tuple[int, ...]) -> Any:
    """A gradient of broadcast leading dimensions, added up to a shape."""
    more = len(x.shape) - len(shape)
    if more:
        x = x.sum(tuple(range(more)))
    axes = tuple(i for i, (have, want) in enumerate(zip(x.shape, shape, strict=True)) if have != want)
    return x.sum(axes).reshape(shape) if axes else x


def _same(g: Array, z: Array) -> Array:
    return Array(g.shape, g.dtype)


@op(_same, contiguous=True, sharding=along_rows([ROWS], [ROWS, ROWS], last=True))
def before_activation(g: Any, z: Any, out: Any, *, activation: str, target: str | None = None) -> None:
    """The gradient before an activation, of that behind it and the sums: g * activation'(z)."""
    options = {"backend": "cpu"} if tile.on_cpu(g) else {}
    activation_gradient.launch(g, z, out, activation, target=target, **options)


def broadcast(one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
    """Leading dimensions of a result. Raises L066 where they do not fit one another."""
    size = max(len(one), len(two))
    pairs = zip((1,) * (size - len(one)) + one, (1,) * (size - len(two)) + two, strict=True)
    found = []
    for x, y in pairs:
        if x != y and 1 not in (x, y):
            raise argument_error(f"leading dimensions {one} of a and {two} of b do not broadcast")
        found.append(y if x == 1 else x)
    return tuple(found)


def check_array(name: str, x: Any, optional: bool) -> None:
    """Checks that an argument is an array. Raises L066."""
    if x is None and optional:
        return
    if not hasattr(x, "shape") or not hasattr(x, "dtype") or isinstance(x, type):
        kind = f"{type(x).__module__}.{type(x).__qualname__}"
        said = f"{name} is of {kind}: it must be an array of NumPy, torch or JAX"
        raise argument_error(said, "numpy.asarray makes one")


def batches(a: Any, b: Any, out: Any, leading: tuple[int, ...], more: tuple[Any, ...]) -> None:
    """One product where b is one matrix and rows of a lie at equal distances; else one launch for all pairs, where
    there is a kernel for that, or one for each. `more`: as of `matrix_product`, behind `out`."""
    if len(b.shape) == 2 and leading:
        one, made = flat(a), flat(out)
        if one is not None and made is not None:
            matrix_product(one, b.T, made, *more)
            return
    if not leading:
        matrix_product(a, b.T, out, *more)
        return
    if batched_product(a, b.swapaxes(-2, -1), out, leading, *more):
        return
    for i in range(leading[0]):
        one, two = (x[i if x.shape[0] > 1 else 0] if len(x.shape) - 2 == len(leading) else x for x in (a, b))
        batches(one, two, out[i], leading[1:], more)


def flat(x: Any) -> Any:
    """(..., m, k) as (rows, k) without a copy, or None."""
    strides = strides_of(x)
    row, rows = strides[-2], x.shape[-2]
    for size, stride in zip(x.shape[-3::-1], strides[-3::-1], strict=True):
        if size > 1 and rows > 1 and stride != row * rows:
            return None
        row = stride if rows <= 1 else row
        rows *= size
    return strided(x, (rows, x.shape[-1]), (row, strides[-1]))
