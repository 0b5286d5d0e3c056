"""The Ampere GEMM of the instruction level with no GPU: its numbers against float64 on the executor, at awkward shapes
and into NaN; what ptxas says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.avelang_kernels.guarded import BF16, ONE, check_product
from tests.tools import need

from avelang.ptx import machine_code
from avelang.ptx.types import bf16, f16, f32
from avelang_kernels.matmul.ptx_ampere_gemm import PLANS, Plan, best_plan, build, gemm


@pytest.mark.parametrize(
    ("plan", "dtype", "out", "m", "n", "k"),
    [
        (Plan(64, 64), BF16, BF16, 64, 64, 160),  # whole tiles, a ring that begins again
        (Plan(64, 64), BF16, BF16, 70, 72, 72),  # edges, 16 bytes at a time
        (Plan(64, 64, 64, 3), np.float16, np.float16, 66, 74, 200),  # pairs; pieces of a row in four places
        (Plan(64, 128), BF16, np.float32, 33, 139, 8),  # odd rows of f32; fewer steps than stages
        (Plan(128, 64, together=1), BF16, BF16, 129, 37, 40),  # odd rows of bf16
        (Plan(64, 64), np.float16, np.float32, 1, 2, 104),
    ],
)
def test_on_the_executor(plan, dtype, out, m, n, k):
    check_product(gemm, m, n, k, dtype, out, plan=plan)


def test_the_plan_is_chosen_and_an_output_made():
    a = np.eye(16, dtype=BF16)
    c = gemm(a, a)
    assert c.dtype == BF16
    np.testing.assert_array_equal(c, a)
    assert gemm(a, a, to=f32).dtype == np.float32


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    a, b = torch.randn(20, 24).bfloat16(), torch.randn(10, 24).bfloat16()
    c = gemm(a, b, to=f32, plan=Plan(64, 64))
    assert c.dtype == torch.float32
    torch.testing.assert_close(c.double(), a.double() @ b.double().T, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize(
    ("a", "b", "out", "kind", "words"),
    [
        (ONE, ONE[:, :8], None, ValueError, "same number of columns"),
        (ONE[:, :12], ONE[:, :12], None, ValueError, "12 columns.*multiple of 8"),
        (ONE[:0], ONE, None, ValueError, "nothing to multiply"),
        (ONE, ONE, np.zeros((16, 8), BF16), ValueError, r"the product of 16 and 16 rows is \(16, 16\)"),
        (ONE.astype(np.float32), ONE, None, TypeError, "a is of float32; here it must be of bf16 or f16"),
        (ONE, ONE.astype(np.float16), None, TypeError, "b is of float16; here it must be of bf16"),
        (ONE, ONE, np.zeros((16, 16), np.float64), TypeError, "out is of float64; here it must be of bf16 or f32"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(a, b, out, kind, words):
    with pytest.raises(kind, match=words):
        gemm(a, b, out)


def test_a_type_that_is_none():
    with pytest.raises(TypeError, match="to is f16; here it must be bf16 or f32"):
        gemm(ONE, ONE, to=f16)


@pytest.mark.parametrize(
    ("plan", "size"), [*((p, (4096, 4096, 4096)) for p in PLANS), (next(iter(PLANS)), (1001, 999, 200))], ids=str
)
def test_ptxas_keeps_all_in_registers(plan, size):
    need("ptxas")
    traced = build(plan, bf16, bf16).traced(size, "sm_80")
    _, said = machine_code.assembled(traced)
    blocks = PLANS[plan][1]
    assert said["spills"] == [0, 0] and said["registers"] * plan.threads * blocks <= 65536
    assert traced.dynamic_bytes == plan.shared and plan.shared * blocks <= 163 * 1024
    products = 32 * (plan.step // 16)
    # The loop, and the last step behind it: nothing but 8 loads of fragments for 32 products.
    assert traced.text.count("mma.sync") == 2 * products and traced.text.count("ldmatrix") == 8 + 2 * products // 4 - 8


@pytest.mark.parametrize("shape", [(1024, 1024), (512, 4096), (4096, 4096), (100000, 64), (1, 1)])
def test_the_best_plan_needs_no_longer_than_the_others(shape):
    def time(plan: Plan) -> float:
        tiles = math.ceil(shape[0] / plan.m) * math.ceil(shape[1] / plan.n)
        speed, blocks = PLANS[plan]
        return math.ceil(tiles / (132 * blocks)) * blocks * plan.m * plan.n / speed

    best = best_plan(shape[0], shape[1], 132)
    assert all(time(best) <= time(plan) for plan in PLANS)
