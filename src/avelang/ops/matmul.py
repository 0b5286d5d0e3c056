"""`matmul`: products of matrices and of batches, by the kernel of the arrays' chip.

| arrays on | kernel | storage |
| --- | --- | --- |
| sm_90a | `hopper_gemm`, tile by `hopper_rule` | rows or columns 16 bytes or a multiple apart; else of a copy |
| gfx90a, gfx942, gfx950 | `mi300_gemm`, tile by `mi300_rule` | rows or columns side by side; else of a copy |
| the CPU | `mi300_gemm`, compiled for the CPU | as on AMD |
"""

from __future__ import annotations

import math
import sys
from typing import Any

from avelang import argument_error, tile
from avelang_kernels.activations import ACTIVATIONS as FUSED
from avelang_kernels.arrays import empty, is_torch, named
from avelang_kernels.matmul import hopper_gemm, mi300_gemm
from avelang_kernels.matmul.hopper_few import few_rows_gemm
from avelang_kernels.matmul.storage import misplaced, strides

DTYPES = ("bfloat16", "float16")
FEW = 64  # rows for which `hopper_few` chooses between two kernels
ACTIVATIONS = (None, *(name for name in FUSED if name))


def matmul(
    a: Any, b: Any, *, bias: Any = None, activation: str | None = None, out: Any = None, target: str | None = None
) -> Any:
    """activation(a @ b + bias), as torch's `matmul` means it: summed up in f32, rounded once.

    a: (m, k), (k,) or (..., m, k); b: (k, n), (k,) or (..., k, n); leading dimensions broadcast. Both bf16 or f16, of
    NumPy or torch, with any strides. bias: (n,), of that dtype or f32; activation: "relu", "silu" or "gelu_tanh". out:
    of the result's shape, of the dtype of a and b or f32; made when it is None, in the dtype of a and b. target: of
    arrays on the CPU, the chip whose kernel is run there. Returns `out`. Raises L066 (a ValueError) for shapes that do
    not fit, dtypes without a kernel and chips without one."""
    named_a, named_b = named(a), named(b)
    if named_a not in DTYPES or named_a != named_b:
        raise argument_error(f"a is of {named_a} and b of {named_b}: both must be of bf16, or both of f16")
    if activation not in ACTIVATIONS:
        raise argument_error(f"activation is {activation!r}: it must be one of {ACTIVATIONS}")
    if 0 in (len(a.shape), len(b.shape)):
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need a dimension or more")
    rows, columns = a[None] if len(a.shape) == 1 else a, b[:, None] if len(b.shape) == 1 else b
    (m, k), (depth, n) = rows.shape[-2:], columns.shape[-2:]
    if k != depth:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: K is {k} in a and {depth} in b")
    if bias is not None and tuple(bias.shape) != (n,):
        raise argument_error(f"bias is {tuple(bias.shape)}: it must be {(n,)}, a number for each column")
    leading = broadcast(tuple(rows.shape[:-2]), tuple(columns.shape[:-2]))
    shape = leading + (m,) * (len(a.shape) > 1) + (n,) * (len(b.shape) > 1)
    if out is None:
        out = empty(a, math.prod(leading) * m, n).reshape(shape)
    elif tuple(out.shape) != shape or named(out) not in (named_a, "float32"):
        raise argument_error(f"out is {tuple(out.shape)} of {named(out)}: it must be {shape}, of {named_a} or float32")
    done = out
    if len(a.shape) == 1:
        done = done[..., None, :] if len(b.shape) > 1 else done[..., None]
    if len(b.shape) == 1:
        done = done[..., None]
    batches(rows, columns, done, leading, bias, activation, target)
    return out


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


def batches(a: Any, b: Any, out: Any, leading: tuple[int, ...], bias: Any, activation: Any, target: Any) -> None:
    """One product where b is one matrix and rows of a lie at equal distances; else one for each pair."""
    if len(b.shape) == 2 and leading:
        one, made = flat(a), flat(out)
        if one is not None and made is not None:
            product(one, b, made, bias, activation, target)
            return
    if not leading:
        product(a, b, out, bias, activation, target)
        return
    for i in range(leading[0]):
        one, two = (x[i if x.shape[0] > 1 else 0] if len(x.shape) - 2 == len(leading) else x for x in (a, b))
        batches(one, two, out[i], leading[1:], bias, activation, target)


def flat(x: Any) -> Any:
    """(..., m, k) as (rows, k) without a copy, or None."""
    strides = x.stride() if is_torch(x) else tuple(s // x.itemsize for s in x.strides)
    row, rows = strides[-2], x.shape[-2]
    for size, stride in zip(x.shape[-3::-1], strides[-3::-1], strict=True):
        if size > 1 and rows > 1 and stride != row * rows:
            return None
        row = stride if rows <= 1 else row
        rows *= size
    if is_torch(x):
        return x.as_strided((rows, x.shape[-1]), (row, strides[-1]))
    import numpy as np

    return np.lib.stride_tricks.as_strided(x, (rows, x.shape[-1]), (row * x.itemsize, x.strides[-1]))


def product(a: Any, b: Any, out: Any, bias: Any, activation: Any, target: str | None) -> None:
    """One product of matrices."""
    if 0 in out.shape:
        return
    cpu = tile.on_cpu(a)
    chip = target or ("gfx942" if cpu else tile.device_of(a)[0])
    options: dict[str, Any] = {"target": chip, "backend": "cpu"} if cpu else {}
    if chip.startswith("sm_90") and a.shape[1]:
        x, y = readable(a), readable(b.T)
        if bias is None and activation is None and x.shape[0] <= FEW and in_lines(x, y) and whole(out):
            few_rows_gemm(x, y, out, **options)
            return
        hopper_gemm.gemm(x, y, out, bias=bias, activation=activation, **options)
    elif chip.startswith("gfx"):
        plain = bias is None and activation is None
        made = out if plain else empty(out, out.shape[0], out.shape[1], float_of(out))
        mi300_gemm.gemm(a, b.T, made, **options)
        if not plain:
            out[...] = finished(made, bias, activation)
    else:
        raise argument_error(
            f"there is no kernel of matmul for {chip}: it runs on sm_90a, gfx90a, gfx942, gfx950 and the CPU"
        )


def whole(x: Any) -> bool:
    """True where rows follow one another without gaps."""
    row, column = strides(x)
    return column == 1 and row == x.shape[1]


def in_lines(*matrices: Any) -> bool:
    """True where rows follow one another without gaps, and are a multiple of 16 bytes long."""
    return all(whole(x) and x.shape[1] * x.dtype.itemsize % 16 == 0 for x in matrices)


def readable(x: Any) -> Any:
    """The matrix, or a copy with rows a multiple of 16 bytes apart where TMA reads neither its rows nor its columns."""
    if not misplaced(x):
        return x
    rows, columns = x.shape
    made = empty(x, rows, -(-columns // 8) * 8)[:, :columns]
    made[...] = x
    return made


def float_of(x: Any) -> Any:
    """f32, in the words of an array's library."""
    return sys.modules["torch"].float32 if is_torch(x) else "float32"


def finished(x: Any, bias: Any, activation: Any) -> Any:
    """Bias and activation of f32, by the arrays' own library: where a kernel's epilogue has none."""
    if is_torch(x):
        torch = sys.modules["torch"]
        x = x if bias is None else x + bias.float()
        kinds = {"relu": torch.relu, "silu": torch.nn.functional.silu,
                 "gelu_tanh": lambda y: torch.nn.functional.gelu(y, approximate="tanh")}  # fmt: skip
        return kinds[activation](x) if activation else x
    import numpy as np

    x = x if bias is None else x + bias.astype(np.float32)
    if activation == "relu":
        return np.maximum(x, 0)
    if activation == "silu":
        return x / (1 + np.exp(-x))
    if activation == "gelu_tanh":
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))
    return x
