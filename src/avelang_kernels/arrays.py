"""What wrappers of kernels ask of arrays: an array of NumPy, torch or JAX comes in, the name of its dtype and the language's own go out."""

from __future__ import annotations

from typing import Any

import avelang.language as al

DTYPES: dict[str, Any] = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}


def named(x: Any) -> str:
    """The name of an array's dtype, as NumPy and torch have it: "bfloat16"."""
    return str(x.dtype).split(".")[-1]
