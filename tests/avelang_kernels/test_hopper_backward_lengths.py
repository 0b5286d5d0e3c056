"""Attention's gradients on Hopper of sequences with lengths of their own, on the reference, which checks races on the
way: rows of other sequences, and behind the last one, may be NaN."""

from __future__ import annotations

from typing import Any

import pytest
from tests.avelang_kernels.attended_gradients import check_lengths, check_packed, packed

import avelang.language as al
from alarms.engines import Engine, on
from avelang.base import engines
from avelang_kernels.attention import hopper_backward_rows
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.problem import Problem
from tools import need

SEQUENCES = [(70, 60), (0, 9), (30, 130), (7, 0)]


def test_packed_causal():
    """The tokens in the middle, and those behind, are NaN."""
    sizes = [(70, 70), (30, 30), (140, 140)]
    check_packed(packed(1, 1, 64, sizes, right=0), sizes, (5, 5), poisoned=1)


def test_packed_heads_that_share_keys():
    """Sequences of no queries, and of no keys; rows that see nothing."""
    problem = packed(2, 1, 64, SEQUENCES, right=0, bottom_right=True)
    check_packed(problem, SEQUENCES, (5, 140), poisoned=1)


@pytest.mark.parametrize("heads", [1, 2])
def test_packed_wide_heads(heads: int):
    """The consumer that makes dK sets rows of dO to 0, the other one those of Q."""
    sizes = [(70, 60), (65, 70), (30, 30)]
    check_packed(packed(heads, 1, 200, sizes, "float16"), sizes, (5, 140), poisoned=2, cyclic=True)


@pytest.mark.parametrize("more", [{}, {"softcap": 1.5}])
def test_packed_windows(more: dict[str, Any]):
    sizes = [(150, 100), (64, 150)]
    check_packed(packed(1, 1, 64, sizes, "float16", left=40, right=20, bottom_right=True, **more), sizes, (3, 0))


def test_packed_sequences_go_around():
    """One has two tiles of keys for three of queries; the other one is short."""
    sizes = [(300, 200), (30, 40)]
    check_packed(packed(1, 1, 64, sizes), sizes, cyclic=True)


def test_packed_heads_take_turns():
    sizes = [(140, 140), (20, 20)]
    check_packed(packed(5, 5, 72, sizes, "float16", right=0), sizes, together=2)


@pytest.mark.parametrize(("d", "softcap"), [(128, 1.0), (200, 0.0)])
def test_in_executed_ptx(d: int, softcap: float, monkeypatch: Any):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    sizes = [(20, 20), (10, 30)]
    problem = packed(1, 1, d, sizes, right=0, softcap=softcap)
    with on(Engine(engines.PTX, "sm_90a")) as said:
        check_packed(problem, sizes, (5, 9), poisoned=0, cyclic=False, units=2, backend=None)
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize("right", [0, None])
def test_counts_of_keys(right: int | None):
    """All keys, some, none."""
    check_lengths(Problem(3, 2, 1, 70, 200, 64, 64, "float16", 0.125, right=right, bottom_right=True), [200, 50, 0])


@pytest.mark.parametrize("more", [{"packed": True}, {"lengths": True}])
@pytest.mark.parametrize("d", [64, 128, 256])
def test_nothing_is_spilled(d: int, more: dict[str, Any]):
    need("ptxas")
    F = HopperBackward(al.bf16, d, **more)
    found = build(F).report("sm_90a", (F.threads, 1, 1))
    assert found.stored + found.loaded <= (400 if d == 256 else 8) and found.remarks == ()


def test_offsets_of_one_side_are_left_to_others():
    """As pages are."""
    p = Problem(1, 1, 1, 8, 8, 64, 64, "bfloat16", 0.125, packed_q=True)
    assert not hopper_backward_rows.fits(p)
    assert hopper_backward_rows.fits(packed(1, 1, 64, [(8, 8)]))
