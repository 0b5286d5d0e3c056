"""Attention's gradients on Hopper: right on the reference, which checks races on the way, for masks by place, heads
that share keys, and lengths that fill no tile; what the code takes."""

from __future__ import annotations

import pytest
from tests.avelang_kernels.attended_gradients import check

import avelang.language as al
from avelang_kernels.attention import hopper_backward_rows
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.problem import Problem
from tools import need


def test_heads_that_share_keys():
    """Causal, more keys than queries, of which the last ones see all."""
    check(Problem(1, 2, 1, 140, 170, 64, 64, "bfloat16", 0.125, right=0, bottom_right=True))


def test_windows_and_rows_that_see_nothing():
    """Fewer keys than queries: the first see none. d is padded, and the logarithms have gradients."""
    p = Problem(1, 1, 1, 210, 130, 72, 72, "float16", 0.2, left=60, right=0, bottom_right=True)
    check(p, with_dlse=True)


def test_sinks():
    """A row that sees nothing has the sink's logarithm."""
    check(Problem(1, 2, 1, 70, 40, 64, 64, "bfloat16", 0.3, right=0, bottom_right=True, sinks=True))


@pytest.mark.parametrize("d", [64, 200])
def test_caps(d: int):
    """Scores far above the cap and near 0."""
    check(Problem(1, 2, 1, 70, 100, d, d, "float16", 12 / d, right=0, bottom_right=True, softcap=2.0))


def test_all_keys():
    """Two tiles of keys go around three tiles of queries; or add one after the other."""
    p = Problem(1, 1, 1, 300, 200, 64, 64, "bfloat16", 0.125)
    check(p, cyclic=True)
    check(p)


@pytest.mark.parametrize("heads", [1, 2])
def test_wide_heads(heads: int):
    """d in four pieces: one consumer makes dV, the other one dK. Two heads share keys, or there is one."""
    check(Problem(1, heads, 1, 70, 100, 200, 200, "bfloat16", 0.07, right=0, bottom_right=True))


def test_wide_heads_and_all_keys():
    """Blocks go around."""
    check(Problem(1, 1, 1, 200, 100, 256, 256, "float16", 0.07), cyclic=True)


@pytest.mark.parametrize(("d", "heads", "kv_heads"), [(64, 5, 5), (256, 4, 2)])
def test_heads_that_take_turns(d: int, heads: int, kv_heads: int):
    """Two heads at a time, or the first alone where their count is odd; the last two begin with the last queries."""
    check(Problem(1, heads, kv_heads, 140, 140, d, d, "bfloat16", 0.1, right=0), together=2)


@pytest.mark.parametrize("cap", [False, True])
@pytest.mark.parametrize("d", [64, 128, 256])
def test_products_overlap(d: int, cap: bool):
    """ptxas has no remark on products that it would not run beside other code."""
    need("ptxas")
    F = HopperBackward(al.bf16, d, cap=cap)
    found = build(F).report("sm_90a", (F.threads, 1, 1))
    most = {64: 128 * cap, 128: 0, 256: 256}[d]
    assert found.stored + found.loaded <= most and found.remarks == ()


def test_what_is_left_to_others():
    p = Problem(1, 1, 1, 64, 64, 64, 64, "bfloat16", 0.125)
    refused = Problem(1, 1, 1, 64, 64, 264, 264, "bfloat16", 1.0), Problem(1, 1, 1, 8, 8, 64, 32, "bfloat16", 1.0)
    dropped = Problem(1, 1, 1, 64, 64, 64, 64, "bfloat16", 0.125, dropout=0.5)
    assert hopper_backward_rows.fits(p) and not any(map(hopper_backward_rows.fits, (*refused, dropped)))
