"""`ops.scaled_matmul` and `ops.quantize_fp8` against NumPy in float64: drawn shapes, strides, layouts of scales, dtypes and chips."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang import ops

BF16, E4, E5 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
FNUZ = ml_dtypes.float8_e4m3fnuz


def whole(scale, rows, k, each, wide):
    """A scale for each element."""
    return np.repeat(np.repeat(scale.astype(np.float64), each, 0)[:rows], wide, 1)[:, :k]


def drawn_scale(rng, rows, k, kind):
    """Scales of a kind, as rows of an operand have them; rows and K that share one."""
    each, wide = {"tensor": (rows, k), "rows": (1, k), "1x128": (1, 128), "128x128": (128, 128)}[kind]
    return rng.random((-(-rows // each), -(-k // wide)), np.float32) + 0.5, each, wide


def strided(rng, x):
    """The same numbers with other strides."""
    way = rng.integers(3)
    if way == 0:
        return x
    if way == 1:
        return np.asfortranarray(x)
    big = np.zeros((x.shape[0] * 2, x.shape[1] * 3), x.dtype)
    big[::2, ::3] = x
    return big[::2, ::3]


def judged(rng, m, n, k, kinds, types=(E4, E4), bias=None, order=False, **options):
    a, b = (rng.standard_normal((r, k)).astype(t) for r, t in zip((m, n), types))
    (sa, *one), (sb, *two) = (drawn_scale(rng, r, k, kind) for r, kind in zip((m, n), kinds))
    want = (a.astype(np.float64) * whole(sa, m, k, *one)) @ (b.astype(np.float64) * whole(sb, n, k, *two)).T
    size = np.abs(want).max()
    if bias is not None:
        want = want + bias.astype(np.float64)
    if order:
        a, b = strided(rng, a), strided(rng, b)
    got = ops.scaled_matmul(a, b.T, strided(rng, sa), strided(rng, sb).T, bias=bias, out_dtype="float32", **options)
    assert got.shape == (m, n) and got.dtype == np.float32
    assert np.abs(got - want).max() <= 4e-6 * size + 1e-5


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("target", ["gfx942", "sm_90a"])
def test_drawn_blocks(target, seed):
    rng = np.random.default_rng((seed, 1))
    m, n, k = (int(x) for x in rng.integers((1, 1, 1), (150, 40, 30)) * (1, 4, 16))
    judged(rng, m, n, k, ("1x128", "128x128"), (FNUZ, FNUZ) if target == "gfx942" else (E4, E4), target=target)


@pytest.mark.parametrize("kinds", [("rows", "rows"), ("tensor", "rows"), ("rows", "tensor")], ids="-".join)
def test_rows(kinds):
    rng = np.random.default_rng(2)
    bias = rng.standard_normal(88).astype(np.float32)
    judged(rng, 70, 88, 208, kinds, target="gfx950", bias=bias)
    judged(rng, 70, 88, 208, kinds, target="sm_90a", bias=bias)


def test_a_bias_with_strides():
    rng = np.random.default_rng(2)
    judged(rng, 20, 24, 32, ("rows", "rows"), bias=rng.standard_normal(48).astype(np.float32)[::2])


def test_pairs_of_types_and_any_strides():
    judged(np.random.default_rng(3), 33, 50, 200, ("128x128", "rows"), (E5, E4), order=True)


@pytest.mark.parametrize("types", [(E4, E5), (E5, E4), (E5, E5)])
def test_every_order_of_rows_and_columns_in_memory(types):
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal((r, 48)).astype(t) for r, t in zip((20, 24), types))
    want = a.astype(np.float64) @ b.astype(np.float64).T
    for x in (a, np.asfortranarray(a)):
        for y in (b, np.asfortranarray(b)):
            got = ops.scaled_matmul(x, y.T, np.float32(1), np.float32(1), out_dtype="f32")
            assert np.abs(got - want).max() <= 1e-5 * np.abs(want).max()


def test_columns_of_their_own_scales():
    judged(np.random.default_rng(4), 40, 72, 272, ("1x128", "1x128"), target="sm_90a")


def test_numbers_and_leading_dimensions():
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 3, 64)).astype(E4), rng.standard_normal((24, 64)).astype(E4)
    want = a.astype(np.float64) @ b.astype(np.float64).T * 3.0
    for more in ({}, {"target": "sm_90a"}, {"target": "sm_90a", "use_fast_accum": False}):
        got = ops.scaled_matmul(a, b.T, 2.0, np.float32(1.5), **more)
        assert got.dtype == BF16 and got.shape == (2, 3, 24)
        assert np.abs(got.astype(np.float64) - want).max() <= 2**-8 * np.abs(want).max()


def test_integers():
    rng = np.random.default_rng(6)
    a, b = (rng.integers(-128, 128, (r, 96)).astype(np.int8) for r in (40, 48))
    sa, sb = rng.random((40, 1), np.float32), rng.random((48, 1), np.float32)
    want = a.astype(np.float64) @ b.astype(np.float64).T * sa * sb.T
    for target in ("gfx942", "sm_90a"):
        got = ops.scaled_matmul(a, b.T, sa, sb.T, out_dtype="float32", target=target)
        np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("bias", [None, np.float32], ids=["", "bias"])
@pytest.mark.parametrize("kinds", [("number", "rows"), ("rows", "number"), ("number", "number")], ids="-".join)
@pytest.mark.parametrize("dtype", [np.int8, E4])
def test_numbers_beside_scales_of_rows_on_hopper(dtype, kinds, bias):
    rng = np.random.default_rng(12)
    a, b = (rng.integers(-100, 100, (r, 32)).astype(dtype) for r in (20, 24))
    sa, sb = (1.5 if kind == "number" else rng.random((r, 1), np.float32) for kind, r in zip(kinds, (20, 24)))
    added = None if bias is None else rng.standard_normal(24).astype(bias)
    want = a.astype(np.float64) @ b.astype(np.float64).T * sa * np.transpose(sb) + (0 if bias is None else added)
    got = ops.scaled_matmul(a, b.T, sa, np.transpose(sb) if kinds[1] == "rows" else sb, bias=added, out_dtype="float32", target="sm_90a")
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-3 * np.abs(want).max())


def test_integers_of_which_128_rows_share_a_scale():
    rng = np.random.default_rng(11)
    a, b = (rng.integers(-128, 128, (r, 64)).astype(np.int8) for r in (140, 272))
    sa, sb = rng.random((2, 1), np.float32), rng.random((1, 3), np.float32)
    each = np.repeat(sa, 128, 0)[:140], np.repeat(sb, 128, 1)[:, :272]
    want = a.astype(np.float64) @ b.astype(np.float64).T * each[0] * each[1]
    for target in ("gfx942", "sm_90a"):
        got = ops.scaled_matmul(a, b.T, sa, sb, out_dtype="float32", target=target)
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_rows_do_not_depend_on_others():
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((70, 640)).astype(E4), rng.standard_normal((64, 640)).astype(E4)
    sa, sb = rng.random((70, 5), np.float32), rng.random((1, 5), np.float32)
    with ops.invariant():
        all_of = ops.scaled_matmul(a, b.T, sa, sb.T, target="sm_90a")
        some = ops.scaled_matmul(a[3:4], b.T, sa[3:4], sb.T, target="sm_90a")
    assert (all_of[3:4].view(np.uint16) == some.view(np.uint16)).all()


@pytest.mark.parametrize("dtype", [BF16, np.float32])
@pytest.mark.parametrize("block", [(1, 128), (128, 128), "rows", "tensor"], ids=str)
def test_quantized(block, dtype):
    rng = np.random.default_rng(8)
    for fp8, powers in ((E4, False), (E5, True)) if dtype == np.float32 else ((FNUZ, False),):
        x = (rng.standard_normal((140, 272)) * 10.0 ** rng.integers(-3, 3, (140, 1))).astype(dtype)
        x[5] = 0
        values, scales = ops.quantize_fp8(strided(rng, x), block, dtype=fp8, powers_of_two=powers)
        rows, wide = {"rows": (1, 272), "tensor": (140, 272)}.get(block) or block
        high, broad = -(-140 // rows), -(-272 // wide)
        padded = np.zeros((high * rows, broad * wide))
        padded[:140, :272] = np.abs(x.astype(np.float64))
        most = padded.reshape(high, rows, broad, wide).max((1, 3))
        want = np.where(most > 0, most / float(ml_dtypes.finfo(fp8).max), 1)
        want = 2.0 ** np.ceil(np.log2(want)) if powers else want
        assert scales.shape == (high, broad) and values.dtype == fp8
        np.testing.assert_allclose(scales, want, rtol=3e-7)
        exact = x.astype(np.float32) / np.repeat(np.repeat(scales, rows, 0)[:140], wide, 1)[:, :272]
        assert (values.view(np.uint8) == exact.astype(fp8).view(np.uint8)).all()


def test_quantized_is_multiplied_in_torch():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x, w = torch.randn(2, 20, 256, dtype=torch.bfloat16), torch.randn(128, 256)
    values, scales = ops.quantize_fp8(x)
    assert values.dtype == torch.float8_e4m3fn and values.shape == x.shape and scales.shape == (2, 20, 2)
    weight, of_weight = ops.quantize_fp8(w, (128, 128))
    y = ops.scaled_matmul(values, weight.T, scales, of_weight.T)
    want = x.float() @ w.T
    assert y.dtype == torch.bfloat16 and ((y.float() - want).norm() / want.norm()) < 0.05


ONE, SCALE = np.zeros((256, 256), E4), np.ones((256, 1), np.float32)


@pytest.mark.parametrize(
    ("args", "more", "words"),
    [
        ((ONE, ONE[:8]), {}, r"they must be \(m, k\) and \(k, n\)"),
        ((ONE, ONE.astype(FNUZ)), {}, "a is of float8_e4m3fn and b of float8_e4m3fnuz"),
        ((ONE, ONE, SCALE[:3]), {}, r"scale_a is \(3, 1\): .* \(256, 1\), \(256, 2\), \(2, 2\)"),
        ((ONE, ONE, None, SCALE), {}, r"scale_b is \(256, 1\): .* \(1, 256\), \(2, 256\), \(2, 2\)"),
        ((ONE, ONE, SCALE.astype(BF16)), {}, "scale_a is of bfloat16: it must be of float32"),
        ((ONE, ONE), {"out_dtype": "int32"}, "out_dtype is int32"),
        ((ONE, ONE), {"bias": np.zeros(3, np.float32)}, "bias is"),
        ((ONE, ONE), {"target": "gfx942"}, "no product of float8_e4m3fn on gfx942: .* use float8_e4m3fnuz"),
        ((ONE, ONE), {"target": "sm_80"}, "no product of float8_e4m3fn on sm_80"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(args, more, words):
    with pytest.raises(ValueError, match=words):
        ops.scaled_matmul(*args, **more)


@pytest.mark.parametrize(
    ("x", "block", "more", "words"),
    [
        (np.zeros((4, 4), np.float32), (64, 64), {}, r"block is \(64, 64\)"),
        (np.zeros((4, 4), np.float32), "rows", {"dtype": "float16"}, "dtype is 'float16'"),
        (np.zeros((4, 4), np.float64), "rows", {}, "x is of float64"),
        (np.zeros(4, np.float32), "rows", {}, "it must be a matrix"),
    ],
)  # fmt: skip
def test_what_is_not_quantized(x, block, more, words):
    with pytest.raises(ValueError, match=words):
        ops.quantize_fp8(x, block, **more)


def test_no_matrices():
    b = np.ones((33, 5)).astype(E4)
    assert ops.scaled_matmul(np.ones((0, 2, 33)).astype(E4), b).shape == (0, 2, 5)
    with pytest.raises(ValueError, match="L066.*scale_a is of builtins.list"):
        ops.scaled_matmul(np.ones((2, 2, 33)).astype(E4), b, [1.0, 2.0])


@pytest.mark.parametrize("block", [(1, 128), "rows"])
def test_what_is_no_number_stays_so(block):
    x = np.random.default_rng(0).standard_normal((3, 200)).astype(np.float32)
    x[0, 5], x[1, 7], x[2, 150] = np.nan, np.inf, -np.nan
    values, scales = ops.quantize_fp8(x, block)
    assert np.argwhere(np.isnan(values.astype(np.float32))).tolist() == [[0, 5], [1, 7], [2, 150]]
    assert np.isinf(scales[1]).any() and np.isfinite(scales[[0, 2]]).all()


def test_integers_whose_sums_wrap_are_refused():
    for k in (131071, 131072):
        a, b = np.full((1, k), -128, np.int8), np.full((k, 1), -128, np.int8)
        if k == 131071:
            assert ops.scaled_matmul(a, b, out_dtype="float32").item() == np.float32(k * 2**14)
        else:
            with pytest.raises(ValueError, match="L066.* k is 131072: sums of int8 are kept in i32"):
                ops.scaled_matmul(a, b, out_dtype="float32")
