"""What wrappers of kernels ask of arrays: an array of NumPy, torch or JAX comes in, the name of its dtype and the language's own go out."""

from __future__ import annotations

from typing import Any

import avelang.language as al
from avelang import argument_error

DTYPES: dict[str, Any] = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}


def named(x: Any) -> str:
    """The name of an array's dtype, as NumPy and torch have it: "bfloat16"."""
    return str(x.dtype).split(".")[-1]


def check(**given: tuple[Any, int]) -> None:
    """Whether each argument, by its name, is an array of that many dimensions. Raises L066."""
    for name, (x, dimensions) in given.items():
        shape = getattr(x, "shape", None)
        if shape is None or not hasattr(x, "dtype"):
            raise argument_error(f"{name} must be an array of {dimensions} dimensions, of NumPy, torch or JAX, not {_said(x)}")
        if len(shape) != dimensions:
            hint = f"{name}.reshape(-1, {shape[-1]}) makes rows of all that is before the last dimension" if len(shape) > dimensions == 2 else ""
            raise argument_error(f"{name} must have {dimensions} dimension{'s' * (dimensions > 1)}, and is {tuple(shape)}", hint)


def check_block(name: str, x: Any, kind: type, example: str) -> None:
    """Whether a block or tile is one, or None: the kernel's own choice. Raises L066."""
    if x is not None and not isinstance(x, kind):
        raise argument_error(f"{name} must be a {kind.__name__} or None, not {_said(x)}", f"such as {example}; None takes what was measured best")


def check_gemm(a: Any, b: Any, out: Any, T: Any, units: Any, kind: type) -> tuple[int, int, int]:
    """m, n and k of C = A @ B^T, where all fits: b is (n, k), or for a block with the pipeline "preshuffled" what was made of it. Raises L066."""
    check_block("T", T, kind, 'tile.Block(128, 128, 64, (2, 2), "double-buffer")')
    check_count("units", units)
    arranged = T is not None and T.pipeline == "preshuffled"
    check(a=(a, 2), out=(out, 2), **({} if arranged else {"b": (b, 2)}))
    (m, k), n = a.shape, out.shape[1]
    if out.shape[0] != m or (tuple(b.shape) != (n, k) and not (arranged and len(b.shape) != 2)):
        raise argument_error(f"a is {tuple(a.shape)}, b is {tuple(b.shape)}, out is {tuple(out.shape)}: C = A @ B^T of (m, k) and (n, k) is (m, n)")
    return m, n, k


def check_count(name: str, x: Any, least: int = 0) -> None:
    """Whether an argument is a whole number from `least` on, or None. Raises L066."""
    if x is not None and (isinstance(x, bool) or not hasattr(x, "__index__") or x < least):
        raise argument_error(f"{name} must be an int from {least} on, not {_said(x)}")


def _said(x: Any) -> str:
    return repr(x) if x is None or isinstance(x, (str, int, float)) else f"a {type(x).__name__}"
