"""`ops.grouped_matmul` against NumPy in float64: all four forms, drawn sizes with empty groups, strides, chips, gradients."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang import ops

BF16 = ml_dtypes.bfloat16


def drawn(rng, shape, dtype):
    """Random numbers, with the last two dimensions in either order in memory."""
    if rng.integers(2):
        return rng.standard_normal(shape).astype(dtype)
    return np.swapaxes(rng.standard_normal((*shape[:-2], shape[-1], shape[-2])).astype(dtype), -1, -2)


def ends(rng, groups):
    """Ends of groups, some of them empty."""
    sizes = rng.integers(0, 40, groups) * (rng.random(groups) < 0.7)
    return np.cumsum(sizes).astype(np.int32)


def form(rng, kind, dtype):
    """a, b, offs and what is wanted, in float64."""
    groups, m, n, k = (int(x) for x in rng.integers((1, 1, 1, 1), (6, 70, 90, 100)))
    if rng.integers(4):
        n, k = n // 8 * 8 + 8, k // 8 * 8 + 8
    offs = ends(rng, groups)
    total, bounds = int(offs[-1]) + int(rng.integers(3)), [0, *offs]
    f = lambda x: x.astype(np.float64)
    spans = list(zip(bounds, bounds[1:]))
    if kind == "rows":
        a, b = drawn(rng, (total, k), dtype), drawn(rng, (groups, k, n), dtype)
        want = np.zeros((total, n))
        for g, (i, j) in enumerate(spans):
            want[i:j] = f(a[i:j]) @ f(b[g])
    elif kind == "depth":
        a, b = drawn(rng, (m, total), dtype), drawn(rng, (total, n), dtype)
        want = np.stack([f(a[:, i:j]) @ f(b[i:j]) for i, j in spans])
    elif kind == "columns":
        a, b = drawn(rng, (groups, m, k), dtype), drawn(rng, (k, total), dtype)
        want = np.zeros((m, total))
        for g, (i, j) in enumerate(spans):
            want[:, i:j] = f(a[g]) @ f(b[:, i:j])
    else:
        a, b, offs = drawn(rng, (groups, m, k), dtype), drawn(rng, (groups, k, n), dtype), None
        want = f(a) @ f(b)
    return a, b, offs, want


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["rows", "depth", "columns", "batch"])
def test_drawn(kind, seed):
    rng = np.random.default_rng((seed, len(kind)))
    a, b, offs, want = form(rng, kind, BF16)
    got = ops.grouped_matmul(a, b, offs, out_dtype="float32")
    assert got.shape == want.shape and got.dtype == np.float32
    assert np.abs(got - want).max(initial=0) < 1e-4


def test_parts_of_k_by_tma():
    rng = np.random.default_rng(9)
    offs = np.int32([3, 3, 68, 200])
    x, g = rng.standard_normal((203, 72)).astype(BF16), rng.standard_normal((203, 136)).astype(BF16)
    got = ops.grouped_matmul(x.T, g, offs, out_dtype="float32", target="sm_90a")
    want = np.stack([x[i:j].astype(np.float64).T @ g[i:j].astype(np.float64) for i, j in zip([0, *offs], offs)])
    assert np.abs(got - want).max() < 1e-4


def test_bias_and_rounding():
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((50, 64)).astype(BF16), rng.standard_normal((3, 64, 48)).astype(BF16)
    bias, offs = rng.standard_normal((3, 48)).astype(BF16), np.int32([10, 10, 45])
    got = ops.grouped_matmul(a, b, offs, bias=bias)
    f = lambda x: x.astype(np.float64)
    want = np.zeros((50, 48))
    for g, (i, j) in enumerate(((0, 10), (10, 10), (10, 45))):
        want[i:j] = f(a[i:j]) @ f(b[g]) + f(bias[g])
    assert got.dtype == BF16 and (np.abs(f(got) - want) <= 2**-8 * np.abs(want) + 1e-5).all()


def test_by_tma():
    rng = np.random.default_rng(8)
    a, w = rng.standard_normal((70, 64)).astype(BF16), rng.standard_normal((4, 72, 64)).astype(BF16)
    offs = np.int32([3, 3, 40, 66])
    got = ops.grouped_matmul(a, w.swapaxes(1, 2), offs, out_dtype="float32", target="sm_90a")
    other = ops.grouped_matmul(a, np.ascontiguousarray(w.swapaxes(1, 2)), offs, out_dtype="float32", target="sm_90a")
    assert (got == other).all()
    want = ops.grouped_matmul(a, w.swapaxes(1, 2), offs, out_dtype="float32")
    assert np.abs(got - want).max() < 1e-4 and not got[66:].any()


def test_gradients():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    for shapes, offs in ((((30, 16), (3, 16, 24)), [10, 10, 30]), (((16, 30), (30, 24)), [4, 29, 30])):
        a, b = (torch.randn(s, dtype=torch.bfloat16, requires_grad=True) for s in shapes)
        bias = torch.randn(3, 24, dtype=torch.bfloat16, requires_grad=True) if len(shapes[1]) == 3 else None
        ends = torch.tensor(offs, dtype=torch.int32)
        got = ops.grouped_matmul(a, b, ends, bias=bias)
        g = torch.randn_like(got)
        given = [x for x in (a, b, bias) if x is not None]
        mine = torch.autograd.grad(got, given, g)
        copies = [x.detach().double().requires_grad_() for x in given]
        x, y = copies[:2]
        spans = list(zip([0, *offs], offs))
        if len(shapes[1]) == 3:
            want = torch.cat([x[i:j] @ y[e] + copies[2][e] for e, (i, j) in enumerate(spans)])
        else:
            want = torch.stack([x[:, i:j] @ y[i:j] for i, j in spans])
        for one, two in zip(mine, torch.autograd.grad(want, copies, g.double())):
            assert (one.double() - two).abs().max() <= 2**-7 * two.abs().max()


def test_an_infinite_gradient_is_of_its_column_alone():
    torch = pytest.importorskip("torch")
    a, b, g, bias = (torch.ones(s, dtype=torch.bfloat16) for s in ((30, 16), (3, 16, 24), (30, 24), (3, 24)))
    ends, want = torch.tensor([10, 10, 30], dtype=torch.int32), [[10.0] * 24, [0.0] * 24, [20.0] * 24]
    g[3, 0] = want[0][0] = float("inf")
    ops.grouped_matmul(a, b, ends, bias=bias.requires_grad_()).backward(g)
    assert bias.grad.tolist() == want


def test_gradients_of_biases_in_jax():
    jax = pytest.importorskip("jax")
    a, b, bias = (jax.numpy.ones(s, jax.numpy.bfloat16) for s in ((30, 16), (3, 16, 24), (3, 24)))
    found = jax.grad(lambda bias: ops.grouped_matmul(a, b, np.int32([10, 10, 30]), bias=bias).sum())(bias)
    np.testing.assert_array_equal(np.asarray(found, np.float32), [[10] * 24, [0] * 24, [20] * 24])


A, B, OFFS = np.zeros((8, 16), BF16), np.zeros((2, 16, 8), BF16), np.int32([4, 8])


@pytest.mark.parametrize(
    ("args", "more", "words"),
    [
        ((A, B), {}, r"offs is None: it must be int32, \(2,\)"),
        ((A, B, OFFS.astype(np.int64)), {}, "of int64: it must be int32"),
        ((A, B, np.int32([1, 2, 3])), {}, r"offs is \(3,\)"),
        ((A, B[:, :8], OFFS), {}, "K is 16 in a and 8 in b"),
        ((A, B.astype(np.float16), OFFS), {}, "a is of bfloat16 and b of float16"),
        ((A, B, OFFS), {"out_dtype": "float16"}, "out_dtype is float16"),
        ((A, B, OFFS), {"bias": np.zeros(8, BF16)}, "bias is"),
        ((A, B, OFFS), {"target": "sm_75"}, "no kernel of grouped_matmul for bfloat16 on sm_75.*float16 on sm_75"),
        ((B, B.swapaxes(1, 2), OFFS), {}, "no offs"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(args, more, words):
    with pytest.raises(ValueError, match=words):
        ops.grouped_matmul(*args, **more)


def test_offsets_and_biases_with_strides():
    rng = np.random.default_rng(8)
    a, b = rng.standard_normal((20, 16)).astype(BF16), rng.standard_normal((2, 16, 24)).astype(BF16)
    bias, offs = rng.standard_normal((2, 48)).astype(BF16)[:, ::2], np.int32([10, 99, 18, 99])[::2]
    want = ops.grouped_matmul(a, b, offs.copy(), bias=bias.copy())
    np.testing.assert_array_equal(ops.grouped_matmul(a, b, offs, bias=bias), want)


def test_without_groups_all_is_behind_the_last():
    a, none = np.ones((8, 16), BF16), np.zeros(0, np.int32)
    assert not ops.grouped_matmul(a, np.ones((0, 16, 24), BF16), none).any()
    assert not ops.grouped_matmul(np.ones((0, 8, 16), BF16), np.ones((16, 24), BF16), none).any()


def test_products_of_nothing_are_the_bias():
    rng = np.random.default_rng(10)
    bias, offs = rng.standard_normal((3, 48)).astype(BF16), np.int32([2, 2, 7])
    got = ops.grouped_matmul(np.ones((9, 0), BF16), np.ones((3, 0, 48), BF16), offs, bias=bias)
    assert (got[:2] == bias[0]).all() and (got[2:7] == bias[2]).all() and not got[7:].any()
