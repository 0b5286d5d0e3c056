"""Outputs that are NaN among NaN, and what they must be once a kernel has run: shared by the tests of kernels of "
"the instruction level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

BF16 = ml_dtypes.bfloat16
# Of an output's type: half a unit in the last place, relative, and half the smallest number.
ROUNDING = {
    np.dtype(np.float32): (0.0, 0.0),
    np.dtype(np.float16): (2.0**-11, 2.0**-25),
    np.dtype(BF16): (2.0**-8, 0.0),
}
MARGIN = 32  # elements on either side
ONE = np.zeros((16, 16), BF16)


def check(call: Callable[[np.ndarray], Any], want: np.ndarray, dtype: Any, bound: np.ndarray) -> None:
    """`call` writes to its argument, and returns it: float64 `want`, rounded, but for `bound`, and nothing beside "
    "it."""
    room = np.full(want.size + 2 * MARGIN, np.nan, dtype)
    out = room[MARGIN:-MARGIN].reshape(want.shape)
    assert call(out) is out
    relative, smallest = ROUNDING[out.dtype]
    error = np.abs(out.astype(np.float64) - want)
    assert (error <= bound + relative * np.abs(want) + smallest).all(), error.max()
    assert np.isnan(np.concatenate([room[:MARGIN], room[-MARGIN:]]).astype(np.float32)).all(), (
        "written beside the output"
    )


def check_product(gemm: Callable[..., Any], m: int, n: int, k: int, dtype: Any, out: Any, **options: Any) -> None:
    """`gemm` on fresh random numbers."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal(s).astype(dtype) for s in ((m, k), (n, k)))
    x, y = a.astype(np.float64), b.astype(np.float64).T
    check(lambda c: gemm(a, b, c, **options), x @ y, out, 2e-6 * (np.abs(x) @ np.abs(y)))
