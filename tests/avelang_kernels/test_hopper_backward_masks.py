"""Attention's gradients on Hopper with boolean masks, on the reference, which checks races on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.avelang_kernels.attended_gradients import check

import avelang.language as al
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.problem import Problem
from tools import need


def drawn(*shape: int, seed: int = 1) -> Any:
    """A mask; the first row sees nothing."""
    mask = np.random.default_rng(seed).random(shape) < 0.4
    mask[..., :1, :] = False
    return mask


@pytest.mark.parametrize(("d", "shape"), [(64, (2, 1, 140, 150)), (200, (1, 2, 70, 90))])
def test_a_mask_for_each_sequence_or_head(d: int, shape: tuple[int, ...]):
    heads, (queries, keys) = shape[1], shape[2:]
    check(Problem(shape[0], heads, 1, queries, keys, d, d, "float16", 2 / d, bias="bool"), bias=drawn(*shape))


def test_columns_apart_and_a_causal_mask_too():
    """Rows lie side by side; what both masks say counts. Scores are capped."""
    mask = drawn(1, 1, 70, 100)
    p = Problem(1, 1, 1, 70, 100, 72, 72, "float16", 0.2, right=0, bottom_right=True, softcap=1.0, bias="bool")
    check(p, bias=np.ascontiguousarray(mask.swapaxes(2, 3)).swapaxes(2, 3))


@pytest.mark.parametrize("shape", [(1, 1, 1, 150), (1, 1, 70, 1)])
def test_masks_that_are_broadcast(shape: tuple[int, ...]):
    """Of keys, as padding is; of queries."""
    mask = np.random.default_rng(2).random(shape) < 0.5
    check(Problem(1, 1, 1, 70, 150, 64, 64, "bfloat16", 0.1, bias="bool"), bias=mask)


@pytest.mark.parametrize("d", [64, 128, 256])
def test_nothing_is_spilled(d: int):
    need("ptxas")
    F = HopperBackward(al.bf16, d, bounded=False, mask=True)
    found = build(F).report("sm_90a", (F.threads, 1, 1))
    assert found.stored + found.loaded <= (400 if d == 256 else 0) and found.remarks == ()
