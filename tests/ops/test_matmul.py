"""`ops.matmul` against NumPy in float64: drawn shapes, strides, leading dimensions, dtypes and chips."""

from __future__ import annotations

import importlib
import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang import ops

bf16 = ml_dtypes.bfloat16
ACT = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / 2**0.5)) / 2,
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3))),
}


def stored(rng, shape, dtype, order):
    """Random numbers of a shape: rows side by side, columns side by side, with gaps, or every second element."""
    *lead, rows, cols = shape
    if order == "columns":
        return np.swapaxes(rng.standard_normal((*lead, cols, rows)).astype(dtype), -1, -2)
    if order == "gaps":
        return rng.standard_normal((*lead, rows, cols + 8 - cols % 8 + 8)).astype(dtype)[..., :cols]
    if order == "apart":
        return rng.standard_normal((*lead, 2 * rows, 2 * cols)).astype(dtype)[..., ::2, ::2]
    return rng.standard_normal(shape).astype(dtype)


def judged(a, b, got, bias=None, activation=None, rounding=2.0**-8):
    """Against float64, within roundings of f32 along K and one to the result's dtype."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    want, size = np.matmul(x, y), np.matmul(np.abs(x), np.abs(y))
    if bias is not None:
        want, size = want + bias.astype(np.float64), size + np.abs(bias.astype(np.float64))
    want = ACT[activation](want)
    assert got.shape == want.shape
    error = np.abs(got.astype(np.float64) - want)
    assert (error <= 4e-6 * size + rounding * np.abs(want) + 1e-6).all(), float(error.max())


ORDERS = st.sampled_from(("rows", "columns", "gaps", "apart"))


@pytest.mark.parametrize("target", [None, "sm_90a", "sm_100a", "sm_75"])
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_drawn_products(target, data):
    m, n, k = (data.draw(st.integers(1, 150), label=x) for x in "mnk")
    dtype = np.float16 if target == "sm_75" else data.draw(st.sampled_from((bf16, np.float16)))
    rng = np.random.default_rng((m, n, k))
    a = stored(rng, (m, k), dtype, data.draw(ORDERS, label="a"))
    b = stored(rng, (k, n), dtype, data.draw(ORDERS, label="b"))
    got = ops.matmul(a, b, target=target)
    assert got.dtype == dtype
    judged(a, b, got, rounding=2.0**-8 if dtype == bf16 else 2.0**-11)


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from((((), ()), ((3,), ()), ((2, 3), ()), ((3,), (3,)), ((2, 1), (3,)), ((), (2,)), ((1,), (1,)))),
    st.sampled_from((("rows", "columns"), ("gaps", "rows"))),
)  # fmt: skip
def test_leading_dimensions_broadcast(leading, orders):
    one, two = orders
    rng = np.random.default_rng(5)
    a, b = stored(rng, (*leading[0], 9, 24), bf16, one), stored(rng, (*leading[1], 24, 16), bf16, two)
    judged(a, b, ops.matmul(a, b))


@pytest.mark.parametrize("shapes", [((24,), (24, 9)), ((9, 24), (24,)), ((24,), (24,)), ((2, 9, 24), (24,))], ids=str)
def test_vectors(shapes):
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal(s).astype(np.float16) for s in shapes)
    got = ops.matmul(a, b)
    assert got.shape == np.matmul(a, b).shape
    judged(a, b, got, rounding=2.0**-11)


@pytest.mark.parametrize("target", ["gfx942", "sm_90a"])
@pytest.mark.parametrize(("activation", "kind"), [*zip(ACT, (bf16, np.float32, bf16, bf16, np.float32))])
def test_bias_and_activation(target, activation, kind):
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal(s).astype(bf16) for s in ((70, 40), (40, 72)))
    bias, out = rng.standard_normal(72).astype(kind), np.full((70, 72), np.nan, np.float32)
    assert ops.matmul(a, b, bias=bias, activation=activation, out=out, target=target) is out
    judged(a, b, out, bias, activation, rounding=1e-5)


@pytest.mark.parametrize("target", [None, "sm_90a", "sm_80", "sm_120a"])
def test_f32(target):
    """By f32 instructions, or by three products of bf16, with bias and activation."""
    rng = np.random.default_rng(8)
    a, b = rng.standard_normal((37, 75)).astype(np.float32), stored(rng, (75, 50), np.float32, "columns")
    bias = rng.standard_normal(50).astype(np.float32)
    got = ops.matmul(a, b, bias=bias, activation="silu", target=target)
    assert got.dtype == np.float32
    judged(a, b, got, bias, "silu", rounding=1e-6 if target is None else 2e-4)


@pytest.mark.parametrize("target", [None, "sm_90a", "sm_100a"])
def test_rows_have_the_same_bits_whatever_comes_with_them(target):
    """In invariant mode: drawn subsets of rows, from one on, have the bits that they have among all."""
    rng = np.random.default_rng(9)
    a, b = rng.standard_normal((140, 200)).astype(bf16), rng.standard_normal((64, 200)).astype(bf16).T
    with ops.invariant():
        whole = ops.matmul(a, b, target=target)
        for rows in (slice(7, 8), slice(0, 13), slice(60, 140)):
            some = ops.matmul(a[rows].copy(), b, target=target)
            np.testing.assert_array_equal(some.view(np.uint16), whole[rows].view(np.uint16))
    judged(a, b, whole)


@pytest.mark.parametrize("target", [None, "sm_90a", "sm_100a"])
def test_nothing_to_add_up_has_its_end(target):
    bias = np.linspace(-2, 2, 8).astype(np.float32)
    got = ops.matmul(np.empty((3, 0), bf16), np.empty((0, 8), bf16), bias=bias, activation="relu", target=target)
    np.testing.assert_array_equal(got.astype(np.float32), np.tile(np.maximum(bias, 0).astype(bf16), (3, 1)).astype(np.float32))
    assert not ops.matmul(np.empty((3, 0), bf16), np.empty((0, 8), bf16), target=target).any()


def test_nothing_to_add_up():
    assert not ops.matmul(np.empty((3, 0), bf16), np.empty((0, 8), bf16)).any()
    assert ops.matmul(np.empty((0, 8), bf16), np.empty((8, 8), bf16)).shape == (0, 8)


def test_a_batch_of_torch_s_vmap_with_one_matrix_is_one_product(monkeypatch):
    torch = pytest.importorskip("torch")
    module, made = importlib.import_module("avelang.ops.matmul"), []
    product = module.matrix_product
    monkeypatch.setattr(module, "matrix_product", lambda *x: (made.append(1), product(*x))[1])
    a, b, many = torch.randn(5, 8, 16), torch.randn(16, 24), torch.randn(5, 2, 16, 24)
    assert torch.allclose(torch.vmap(ops.matmul, (0, None))(a, b), a @ b, atol=1e-5) and len(made) == 1
    assert torch.allclose(torch.vmap(ops.matmul)(a, many), a[:, None] @ many, atol=1e-5)
    mine, theirs = (torch.func.grad(lambda a, b, f=f: (torch.vmap(f, (0, None))(a, b) ** 2).sum(), (0, 1))(a, b)
                    for f in (ops.matmul, torch.matmul))  # fmt: skip
    assert all(torch.allclose(g, w, rtol=1e-4, atol=1e-4) for g, w in zip(mine, theirs, strict=True))


ONE = np.zeros((16, 16), bf16)


@pytest.mark.parametrize(
    ("a", "b", "more", "words"),
    [
        (ONE, ONE[:8], {}, "K is 16 in a and 8 in b"),
        (ONE, ONE.astype(np.float16), {}, "a is of bfloat16 and b of float16"),
        (ONE, ONE, {"activation": "swish"}, "activation is 'swish': it must be one of"),
        (ONE, ONE, {"bias": np.zeros(8, bf16)}, r"bias is \(8,\) of bfloat16: it must be \(16,\)"),
        (ONE, ONE, {"bias": np.zeros(16, np.float16)}, "bias is .* of float16: it must be .* of bfloat16 or float32"),
        ([[1.0]], ONE, {}, "a is of builtins.list: it must be an array of NumPy, torch or JAX"),
        (ONE, ONE, {"out": "here"}, "out is of builtins.str"),
        (ONE.astype(np.float64), ONE.astype(np.float64), {}, "a is of float64 and b of float64: both must be"),
        (ONE, ONE, {"out": np.zeros((16, 8), bf16)}, r"out is \(16, 8\) of bfloat16: it must be \(16, 16\)"),
        (np.zeros((2, 4, 4), bf16), np.zeros((3, 4, 4), bf16), {}, "do not broadcast"),
        (ONE, ONE, {"target": "sm_75"}, "no kernel of matmul for bfloat16 on sm_75.*on sm_75 with float16"),
        (np.zeros((), bf16), ONE, {}, "both need a dimension"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(a, b, more, words):
    with pytest.raises(ValueError, match=words):
        ops.matmul(a, b, **more)
