"""NaN and infinities through the activations of products, forward and backward, on every chip's kernels: as in torch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from alarms.engines import engine, on
from avelang import ops
from avelang.base import engines
from avelang_kernels.activation import gated
from avelang_kernels.matmul import activation_gradient, blackwell_gemm, finish, hopper_gemm, mi300_gemm, tile_inference

torch = pytest.importorskip("torch")
SPECIAL = np.array([np.nan, np.inf, -np.inf, 2, -3, 0, 0.5, -0.25], np.float32)
ACT = {
    "relu": torch.relu, "silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
}  # fmt: skip
bf16 = ml_dtypes.bfloat16


def column(dtype: Any, m: int = 16, k: int = 64) -> tuple[Any, Any]:
    """(m, k) whose rows begin with the special numbers in turn, and are else 0, and (16, k), 1 where they begin."""
    a, b = np.zeros((m, k), dtype), np.zeros((16, k), dtype)
    a[:, 0], b[:, 0] = np.resize(SPECIAL, m), 1
    return a, b


def rectified(a: Any) -> np.ndarray:
    """What relu makes of products with that: an infinity times the zeros beside the 1 is not there."""
    return np.repeat(np.maximum(a[:, :1].astype(np.float32), 0), 16, 1)  # NumPy's maximum gives NaN of NaN


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("activation", ACT)
def test_products_as_in_torch(activation: str, dtype: Any) -> None:
    x = torch.from_numpy(SPECIAL[SPECIAL != -np.inf])[:, None].to(dtype)
    w, g = torch.ones(8, 1, dtype=dtype), torch.ones(len(x), 8, dtype=dtype)
    z = x.float().repeat(1, 8).requires_grad_()
    want = ACT[activation](z)
    for call in (lambda x: ops.linear(x, w, activation=activation), lambda x: ops.matmul(x, w.T, activation=activation)):
        given = x.clone().requires_grad_()
        got = call(given)
        finite = ~torch.isinf(x[:, 0].float())  # gelu by tanh and the gradients of silu: infinity times 0
        assert torch.allclose(got.float()[finite], want[finite], rtol=0.02, atol=1e-3, equal_nan=True)
        if activation == "relu":
            assert torch.equal(torch.isnan(got), torch.isnan(want)) and torch.isnan(got).any()
            (mine,), (theirs,) = torch.autograd.grad(got, given, g), torch.autograd.grad(want, z, g.float(), retain_graph=True)
            assert torch.equal(mine.float(), theirs.sum(1, keepdim=True))


def test_products_as_in_jax() -> None:
    jax = pytest.importorskip("jax")
    x, w = jax.numpy.asarray(SPECIAL[:, None]), jax.numpy.ones((1, 8))
    got = ops.matmul(x, w, activation="relu")
    np.testing.assert_array_equal(got, jax.nn.relu(x @ w))
    assert np.isnan(got).any()


CHIPS = [None, "gfx942", "gfx950", "sm_90a", "sm_80", "sm_100a", "sm_120a"]


@pytest.mark.parametrize(("dtype", "target"), [
    *((d, t) for d in (bf16, np.float16) for t in CHIPS), *((np.float32, t) for t in CHIPS[:4]),
])  # fmt: skip
def test_by_the_kernels_of_chips(dtype: Any, target: str | None) -> None:
    a, b = column(dtype)
    a[np.isinf(a.astype(np.float32))] = 1  # f32 by three products of bf16 has none
    with np.errstate(all="ignore"):
        got = ops.matmul(a, b.T, activation="relu", target=target)
    np.testing.assert_array_equal(got.astype(np.float32), rectified(a))
    assert np.isnan(got.astype(np.float32)).any()


ENGINES = ["reference gfx942", "cpu gfx942", f"{engines.GFX942} gfx942", f"{engines.PTX} sm_90a", f"{engines.PTX} sm_80"]


@pytest.mark.parametrize("name", ENGINES)
def test_ends_and_gradients_as_machine_code(name: str) -> None:
    with on(engine(name)):
        ends_and_gradients({**engine(name).options, "target": engine(name).chip})


def ends_and_gradients(options: dict[str, Any]) -> None:
    z, out = np.tile(SPECIAL, (3, 1)), np.zeros((3, 8), np.float32)
    finish.launch(z, out, None, "relu", **options)
    np.testing.assert_array_equal(out, np.maximum(z, 0))
    for given in (1.0, np.inf, np.nan):  # nothing goes back where the result is 0, whatever came
        activation_gradient.launch(np.full_like(z, given), z, out, "relu", **options)
        np.testing.assert_array_equal(out, np.where(z <= 0, np.float32(0), np.float32(given)))
    up, dg, du = np.full_like(z, 2), np.zeros_like(z), np.zeros_like(z)
    gated.make_gated(z, up, out, act="relu", **options)
    np.testing.assert_array_equal(out, 2 * np.maximum(z, 0))
    gated.gated_gradients(z, up, np.ones_like(z), dg, du, act="relu", **options)
    np.testing.assert_array_equal(dg, np.where(z <= 0, np.float32(0), np.float32(2)))
    np.testing.assert_array_equal(du, np.maximum(z, 0))


def test_ends_inside_of_kernels() -> None:
    """Each chip's product with an epilogue of its own, in the reference."""
    a, b = column(bf16, 128)
    a[np.isinf(a.astype(np.float32))] = 1
    made = np.zeros((128, 16), np.float32)
    mi300_gemm.gemm(a, b, made, activation="relu", backend="reference")
    wide = np.zeros((64, 64), bf16)
    wide[:16] = b
    found = [
        made,
        hopper_gemm.gemm(a, b, dtype=np.float32, activation="relu", target="sm_90a", backend="reference"),
        blackwell_gemm.gemm(a, wide, dtype=np.float32, activation="relu", target="sm_100a", backend="reference")[:, :16],
    ]
    out = np.zeros((128, 64), np.float32)
    tile_inference.gemm(a, tile_inference.preshuffle(wide), out, None, tile_inference.relu, backend="reference")
    for got in (*found, out[:, :16]):
        np.testing.assert_array_equal(got, rectified(a))
