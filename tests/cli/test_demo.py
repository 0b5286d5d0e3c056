"""`ave demo`: it passes, it names the machine, and it notices a wrong product."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import avelang_kernels.matmul.mfma_gemm
from avelang.cli import demo, probes


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_passes(ave, backend):
    result = ave("demo", "--size", "64", "--backend", backend)
    assert result.exit_code == 0, result.output
    assert probes.cpu_name() in result.output and "gfx942" in result.output and "GFLOP/s" in result.output
    assert result.output.count("all elements within their bound") == 2


@pytest.mark.parametrize(
    "wrong", [lambda c: c.__setitem__((5, 7), c[5, 7] + 1e-2), lambda c: c.__setitem__((116, 120), np.nan)]
)
def test_notices_one_wrong_element(ave, monkeypatch, wrong):
    right = avelang_kernels.matmul.mfma_gemm.gemm

    def gemm(a, b, out, **options):
        right(a, b, out, **options)
        if out.shape == demo.ODD[:2]:
            wrong(out)

    monkeypatch.setattr(avelang_kernels.matmul.mfma_gemm, "gemm", gemm)
    result = ave("demo", "--size", "64")
    assert result.exit_code == 1 and "OUTSIDE THE BOUND" in result.output and "the product is wrong" in result.stderr


def test_size_must_suit_the_kernel(ave):
    assert ave("demo", "--size", "65").exit_code == 2


def test_bound_holds_for_a_chain_of_fused_steps_and_not_for_less():
    a, b = demo.operands(8, 8, 256)
    left, right = a.astype(np.float64), b.astype(np.float64)
    chain = np.zeros((8, 8), np.float32)
    for i in range(256):
        chain = (chain + left[:, i, None] * right[None, :, i]).astype(np.float32)
    assert demo.deviation(a, b, chain)[1] <= 1
    assert demo.deviation(a, b, chain.astype(ml_dtypes.bfloat16).astype(np.float32))[1] > 1


def test_gemm_refuses_shapes_that_do_not_fit():
    a = np.zeros((4, 32), ml_dtypes.bfloat16)
    for b in (np.zeros((4, 16), ml_dtypes.bfloat16), np.zeros((4, 32), ml_dtypes.bfloat16)[:, :8]):
        with pytest.raises(ValueError, match="columns"):
            avelang_kernels.matmul.mfma_gemm.gemm(a, b)
