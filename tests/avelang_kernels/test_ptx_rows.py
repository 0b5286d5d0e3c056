"""Plans for rows: every element has a thread, few threads have none, and a block is one that a GPU takes."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.ptx.types import bf16, f16, f32
from avelang_kernels.norm.ptx_rows import LONGEST, VALUES, checked, plan_of


@pytest.mark.parametrize("dtype", [bf16, f32], ids=str)
@pytest.mark.parametrize("n", [1, 2, 7, 8, 63, 64, 1000, 1001, 1024, 4096, 5120, 16384, 16383, 30000, LONGEST])
def test_a_plan_covers_its_rows(n, dtype):
    p = plan_of(n, dtype)
    assert p.threads & (p.threads - 1) == 0 and 32 <= p.block <= 1024 and p.threads <= 1024
    assert n % p.vector == 0 and p.vector * dtype.bytes <= 16 and (n * dtype.bytes % 16 or p.vector * dtype.bytes == 16)
    held = p.threads * p.vector * p.loads
    assert held - p.threads * p.vector < n <= held
    assert p.vector * p.loads <= VALUES


def test_types_and_shapes_are_checked():
    assert checked(np.zeros((2, 3), np.float16), None) is f16
    for x, out, kind, words in (
        (np.zeros((2, 0), np.float32), None, ValueError, "rows of 0 elements"),
        (np.zeros((2, LONGEST + 1), np.float16), None, ValueError, f"1 to {LONGEST}"),
        (np.zeros((2, 3)), None, TypeError, "x is of float64"),
        (np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32), ValueError, "same shape"),
        (np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float16), TypeError, "same type"),
    ):
        with pytest.raises(kind, match=words):
            checked(x, out)
