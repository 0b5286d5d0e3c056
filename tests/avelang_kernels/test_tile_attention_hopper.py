"""Attention by the copy engine and wgmma: right on the reference, which checks races and registers under way; what its code takes."""

import functools

import numpy as np
import pytest
from tests.avelang_kernels.attended import BF16, F16, Case, check

from avelang_kernels.tile_attention_hopper import Form, attention, build
from tools import need

FORM = Form(m=128, n=64)


def call(form, backend="reference", **options):
    return functools.partial(attention, form=form, units=2, backend=backend, **options)


def test_two_consumers_take_turns():
    """Blocks of the grid make several blocks of rows; two heads share keys; causal, with more keys than queries."""
    check(call(FORM, causal=True), Case(1, 2, 1, 140, 170, 64, True))


def test_one_consumer_and_rows_that_see_nothing():
    """Strides instead of another layout; d in two pieces, of which the second is padded."""
    out = check(call(Form(m=64, n=32), causal=True, layout="bhsd"), Case(1, 3, 1, 90, 50, 72, True, "bhsd", F16))
    assert not out[:, :, :40].any()


def test_nothing_is_spilled_and_products_overlap():
    """ptxas has no remark on products that it would not run beside other code."""
    need("ptxas")
    F = Form()
    found = build(F).report("sm_90a", (F.threads, 1, 1), CAUSAL=True)
    assert found.stored == found.loaded == 0 and found.remarks == ()


def test_arguments_that_do_not_fit():
    x = np.zeros((1, 8, 1, 256), BF16)
    with pytest.raises(ValueError, match="d is 256: it must be 128 at most here"):
        attention(x, x, x, x)
    lse = np.zeros((1, 1, 8), np.float32)
    out = np.full((1, 8, 1, 64), np.nan, BF16)
    none = np.zeros((1, 0, 1, 64), BF16)
    assert not attention(out * 0, none, none, out, lse=lse).any() and (lse == -np.inf).all()
