"""Gradients of norms on Hopper against float64: stages that are used again, rows that end within an access of all
threads, gaps between rows, and no race."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.ops import rows_reference as reference
from tests.ops.rows_reference import close

from avelang_kernels.norm import launches
from avelang_kernels.norm.hopper_norm_backward import plan_ahead
from avelang_kernels.norm.lines import rows_of

BF16, F16, F32 = (np.dtype(t) for t in (ml_dtypes.bfloat16, np.float16, np.float32))


def gradients(rows: int, n: int, dtype: Any, center: bool, *, weighted: bool = True, more: bool = False, gap: int = 0,
              **options: Any) -> None:  # fmt: skip
    """Gradients of random rows, in outputs full of NaN, against float64."""
    rng = np.random.default_rng(rows)
    x, dy, added = (rng.standard_normal((rows, n + gap)).astype(dtype)[:, :n] for _ in range(3))
    w = rng.standard_normal(n).astype(dtype) if weighted else None
    mean = x.astype(F32).mean(-1)
    rstd = np.asarray(reference.norm(x, w, None, 1e-5, 0, center)[2][..., 0], F32, order="C")
    dx, dw, db = (np.full(s, np.nan, dtype) for s in ((rows, n), (n,), (n,)))
    launches.backward(x, dy, added if more else None, w, mean if center else None, rstd, dx, dw if weighted else None,
                      db if center else None, target="sm_90a", **options)  # fmt: skip
    want = reference.norm_gradients(x, w, dy, 1e-5, 0, center)
    close(dx, want[0] + (added.astype(np.float64) if more else 0), dtype, 2)
    if weighted:
        close(dw, want[1], dtype, 4)
    if center:
        close(db, want[2], dtype, 4)


def planned(rows: int, n: int, dtype: Any, gap: int = 0) -> bool:
    """True where the rows come by bulk copies."""
    x = np.zeros((rows, n + gap), dtype)[:, :n]
    return launches.ahead_plan(rows_of(x, x), x, False, "sm_90a") is not None


@pytest.mark.parametrize(("rows", "n", "dtype", "center", "more"), [
    (133, 4096, BF16, False, {}), (133, 4096, BF16, True, {}), (37, 8192, BF16, False, {"gap": 8}),
    (300, 520, F16, True, {}), (3, 200, F32, False, {}), (700, 128, BF16, False, {"more": True, "gap": 16}),
    (9, 16384, BF16, False, {"weighted": False}),
])  # fmt: skip
def test_gradients(rows: int, n: int, dtype: Any, center: bool, more: dict[str, Any]) -> None:
    assert planned(rows, n, dtype, more.get("gap", 0))
    gradients(rows, n, dtype, center, **more)


def test_what_has_no_bulk_copies_takes_the_other_kernel() -> None:
    assert not planned(3, 4097, BF16) and not planned(3, 1 << 17, BF16)
    assert plan_ahead(4096, 4, 2, False) is None
    gradients(5, 129, BF16, True)


@pytest.mark.parametrize("center", [False, True])
def test_no_race(center: bool, monkeypatch: Any) -> None:
    """Stages are filled again while other groups of the block still read theirs."""
    monkeypatch.setenv("AVE_CHECK", "all")
    gradients(150, 128, BF16, center, backend="reference")


def test_plans() -> None:
    """Threads of a row, rows of a block, accesses of a thread and stages, by the length of rows."""
    found = {(n, c): plan_ahead(n, 8, 2, c) for n in (1024, 4096, 5120, 8192, 16384) for c in (False, True)}
    said = {at: (*p.rows[:2], p.rows.loads, p.stages) for at, p in found.items() if p is not None}
    assert said == {
        (1024, False): (128, 8, 1, 4), (1024, True): (128, 8, 1, 4), (4096, False): (256, 3, 2, 4),
        (4096, True): (256, 3, 2, 4), (5120, False): (320, 3, 2, 3), (5120, True): (320, 1, 2, 4),
        (8192, False): (512, 2, 2, 3), (8192, True): (512, 1, 2, 4), (16384, False): (512, 1, 4, 3),
        (16384, True): (512, 1, 4, 3),
    }  # fmt: skip
