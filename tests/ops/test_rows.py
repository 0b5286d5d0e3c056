"""Row operations on NumPy's arrays: values against float64, any leading dimensions and strides, and their errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.ops import rows_reference as reference
from tests.ops.rows_reference import close

from avelang import ops
from avelang.base.errors import AveError
from avelang.ops.norm import norm_gradients
from avelang.ops.softmax import softmax_gradient

BF16, F16, F32, F64 = (np.dtype(t) for t in (ml_dtypes.bfloat16, np.float16, np.float32, np.float64))


def drawn(seed: int, *shape: int, dtype: Any = np.float64) -> np.ndarray:
    """Random normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def gaps(x: np.ndarray, how: str) -> np.ndarray:
    """The same numbers in memory that is laid out otherwise."""
    if how == "rows":
        out = np.zeros((*x.shape[:-1], x.shape[-1] + 8), x.dtype)[..., : x.shape[-1]]
    elif how == "turned":
        out = np.zeros(x.shape[::-1], x.dtype).T
    elif how == "leading":
        out = np.zeros((x.shape[1], x.shape[0], *x.shape[2:]), x.dtype).swapaxes(0, 1)
    elif how == "backward":
        out = np.zeros(x.shape, x.dtype)[::-1]
    else:
        return x
    out[...] = x
    return out


LAYOUTS = [((37, 72), "", BF16), ((3, 5, 264), "leading", BF16), ((6, 33), "turned", F16), ((2, 9, 40), "rows", F32),
           ((4, 17), "backward", F32), ((2, 3, 2, 2, 16), "leading", F16), ((1, 1), "", F32),
           ((2, 40001), "", BF16)]  # fmt: skip


@pytest.mark.parametrize(("shape", "how", "dtype"), LAYOUTS)
def test_rms_norm_takes_rows_of_any_layout(shape: Any, how: str, dtype: Any) -> None:
    x, w = gaps(drawn(1, *shape, dtype=dtype), how), drawn(2, shape[-1], dtype=dtype)
    want = reference.norm(x, w, None, 1e-5, 1, False)[0]
    close(ops.rms_norm(x, w, eps=1e-5, offset=1), want, dtype)
    out = np.full(shape, np.nan, dtype)
    out = gaps(out, how)
    assert ops.rms_norm(x, w, eps=1e-5, offset=1, out=out) is out
    close(out, want, dtype)


@pytest.mark.parametrize(("shape", "how", "dtype", "center"), [
    (*LAYOUTS[0], False), (*LAYOUTS[1], True), (*LAYOUTS[2], False), (*LAYOUTS[3], True), (*LAYOUTS[7], False),
    ((11, 16384), "", BF16, True),  # a row for a block, and no row for some in the last round
])  # fmt: skip
def test_gradients_of_norms_add_up_all_rows(shape: Any, how: str, dtype: Any, center: bool) -> None:
    x, dy, w = gaps(drawn(1, *shape, dtype=dtype), how), drawn(2, *shape, dtype=dtype), drawn(3, shape[-1], dtype=dtype)
    y, _, rstd = reference.norm(x, w, w, 1e-5, 0, center)
    if center:
        close(ops.layer_norm(x, w, w, eps=1e-5), y, dtype, 2)
    mean = x.astype(F32).mean(-1) if center else None
    rstd = np.asarray(rstd[..., 0], F32, order="C")
    dx, dw, db = norm_gradients(x, dy, rstd, w, None, mean, weighted=True, biased=center)
    want = reference.norm_gradients(x, w, dy, 1e-5, 0, center)
    close(dx, want[0], dtype, 2)
    close(dw, want[1], dtype, 4)
    if center:
        close(db, want[2], dtype, 4)


def test_a_residual_is_added_rounded_and_returned() -> None:
    x, r = drawn(1, 5, 2, 48, dtype=BF16), gaps(drawn(2, 5, 2, 48, dtype=BF16), "leading")
    y, total = ops.rms_norm(x, None, residual=r)
    want = (x.astype(F32) + r.astype(F32)).astype(BF16)  # type: ignore
    np.testing.assert_array_equal(total, want)
    close(y, reference.norm(want, None, None, 1e-6, 0, False)[0], BF16)


@pytest.mark.parametrize(("shape", "how", "dtype", "log"), [(*LAYOUTS[0], False), (*LAYOUTS[2], True),
                                                            (*LAYOUTS[7], False)])  # fmt: skip
def test_softmax_and_its_gradient(shape: Any, how: str, dtype: Any, log: bool) -> None:
    x, dy = gaps(drawn(1, *shape, dtype=dtype) * dtype.type(3), how), drawn(2, *shape, dtype=dtype)
    y = (ops.log_softmax if log else ops.softmax)(x)
    close(y, reference.softmax(x, log), dtype, 2)
    close(softmax_gradient(y, dy, dtype=str(dtype), log=log), reference.softmax_gradient(y, dy, log), dtype, 2)


def test_softmax_of_any_dimension_and_of_infinities() -> None:
    x = drawn(1, 4, 5, 6, dtype=F32)
    for dim in (0, 1, -2):
        close(ops.softmax(x, dim), reference.softmax(x.swapaxes(dim, -1)).swapaxes(dim, -1), F32)
    x = np.array([[-np.inf] * 3, [0, -np.inf, 1], [0, np.inf, 1], [np.nan, 0, 1]], np.float32)
    close(ops.softmax(x, dtype="float64"), reference.softmax(x), F32)
    assert ops.softmax(x, dtype=np.float64).dtype == np.float64
    least = np.full((2, 5), np.finfo(np.float32).min)  # as masks have it
    np.testing.assert_allclose(ops.softmax(least), 0.2, rtol=1e-6)


@pytest.mark.parametrize("act", ["silu", "gelu", "gelu_tanh"])
def test_gated_activations_of_two_arrays_and_of_one(act: str) -> None:
    x = drawn(1, 3, 5, 48, dtype=BF16)
    gate, up = x[..., :24].astype(F64), x[..., 24:].astype(F64)
    erf = np.vectorize(__import__("math").erf)
    tanh = np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3))  # type: ignore
    want = {"silu": gate / (1 + np.exp(-gate)), "gelu": gate * (1 + erf(gate / np.sqrt(2))) / 2,  # type: ignore
            "gelu_tanh": gate * (1 + tanh) / 2}[act] * up  # fmt: skip
    if act == "silu":
        close(ops.swiglu(x), want, BF16)
        close(ops.swiglu(x[..., :24], x[..., 24:]), want, BF16)
        out = np.empty((5, 3, 24), BF16).swapaxes(0, 1)
        close(ops.swiglu(x, out=out), want, BF16)
    else:
        close(ops.geglu(x, approximate="tanh" if act == "gelu_tanh" else "none"), want, BF16)


@pytest.mark.parametrize(("interleaved", "d", "dims", "seq_dim", "dtype"), [
    (False, 64, 64, -2, BF16), (True, 48, 32, -3, BF16), (True, 10, 6, -2, F32), (False, 18, 18, -3, F16),
])  # fmt: skip
def test_rotary_turns_pairs_by_their_positions(interleaved: bool, d: int, dims: int, seq_dim: int, dtype: Any) -> None:
    shape = (2, 3, 5) if seq_dim == -2 else (2, 5, 3)
    q, k = drawn(1, *shape, d, dtype=dtype), drawn(2, *(1 if n == 3 else n for n in shape), d, dtype=dtype)
    angle, rng = drawn(3, 9, dims // 2), np.random.default_rng(0)
    cos, sin = np.cos(angle).astype(F32), np.sin(angle).astype(F32)
    wide = [np.repeat(t, 2, -1) if interleaved else np.concatenate([t, t], -1) for t in (cos, sin)]
    many = [np.stack([t, t[::-1]]) for t in (cos, sin)]
    for tables, positions, offset in (((cos, sin), None, 2), (wide, rng.integers(0, 9, 5), 0),
                                      (many, rng.integers(0, 9, (2, 5)).astype(np.int32), 0)):  # fmt: skip
        full = [np.broadcast_to(t, (2, 9, dims // 2)) for t in (many if tables is many else (cos, sin))]
        at = np.broadcast_to(np.arange(5) + offset if positions is None else positions, (2, 5))
        out = ops.rotary(q, k, *tables, positions=positions, offset=offset, interleaved=interleaved, dims=dims,
                         seq_dim=seq_dim)  # fmt: skip
        for x, y in zip((q, k), out, strict=True):
            turned = (lambda t: t.swapaxes(1, 2)) if seq_dim == -3 else lambda t: t
            close(turned(y), reference.rotary(turned(x), *full, at, interleaved, dims), dtype)  # type: ignore
    if 2 * dims > d:  # then it need not be said
        plain = [ops.rotary(q, k, *wide, interleaved=interleaved, seq_dim=seq_dim, dims=n) for n in (0, dims)]
        np.testing.assert_array_equal(plain[0][0], plain[1][0])
    said = {"offset": 2, "interleaved": interleaved, "dims": dims, "seq_dim": seq_dim}
    np.testing.assert_array_equal(ops.rotary(q, None, cos, sin, **said), ops.rotary(q, k, cos, sin, **said)[0])


@pytest.mark.parametrize(("shape", "dtype", "index", "smoothing", "z", "cap"), [
    ((9, 200), BF16, np.int64, 0.0, 0.0, 0.0), ((2, 3, 77), F32, np.int32, 0.1, 1e-3, 5.0),
    ((2, 70001), BF16, np.int64, 0.0, 0.0, 0.0),
])  # fmt: skip
def test_cross_entropy(shape: Any, dtype: Any, index: Any, smoothing: float, z: float, cap: float) -> None:
    x = (4 * drawn(1, *shape)).astype(dtype)
    t = np.random.default_rng(2).integers(0, shape[-1], shape[:-1]).astype(index)
    t.flat[1] = -1
    said = {"ignore_index": -1, "label_smoothing": smoothing, "z_loss": z, "softcap": cap}
    want, _ = reference.losses(x, t, -1, smoothing, z, cap)
    close(ops.cross_entropy(x, t, reduction="none", **said), want, F32)
    close(ops.cross_entropy(x, t, reduction="sum", **said), want.sum(), F32)
    close(ops.cross_entropy(x, t, **said), want.sum() / (t != -1).sum(), F32)


def test_rotary_takes_rows_as_arrays_are_indexed_and_no_others() -> None:
    q, angles, places = drawn(1, 1, 1, 6, 8), drawn(2, 9, 4), np.array([-1, -9, 3, 9, 1 << 32, -(1 << 40)])
    same = np.array([8, 0, 3, 8, 8, 0])
    cos, sin = np.cos(angles), np.sin(angles)
    want = ops.rotary(q, None, cos, sin, positions=same)
    np.testing.assert_array_equal(ops.rotary(q, None, cos, sin, positions=places), want)
    want = ops.rotary(q, None, cos, sin, positions=np.array([7, 8, 0, 1, 2, 3]))
    np.testing.assert_array_equal(ops.rotary(q, None, cos, sin, offset=-2), want)
    for given in (([1.0], None, cos, sin), (q, None, None, sin), (np.float32(1), None, cos, sin)):
        with pytest.raises(AveError, match="L066.*`rotary`: (q|cos|seq_dim) is"):
            ops.rotary(*given)


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_losses_of_logits_far_from_zero_keep_their_bits(smoothing: float) -> None:
    x, target = (drawn(3, 5, 40) + 3e4).astype(F32), np.array([0, 39, 7, 7, 20])
    wide = x.astype(F64)
    logs = wide - wide.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    want = -(1 - smoothing) * logs[np.arange(5), target] - smoothing * logs.mean(1)
    got = ops.cross_entropy(x, target, reduction="none", label_smoothing=smoothing)
    np.testing.assert_allclose(got, want, atol=4e-3 if smoothing else 1e-5)


@pytest.mark.parametrize("cap", [float("inf"), float("nan"), -1.0])
def test_a_cap_is_finite(cap: float) -> None:
    with pytest.raises(AveError, match="L066.*softcap is"):
        ops.cross_entropy(drawn(4, 3, 8), np.array([0, 1, 2]), softcap=cap)


def test_a_row_has_the_same_bits_whatever_comes_with_it() -> None:
    x, w, t = drawn(1, 19, 72, dtype=BF16), drawn(2, 72, dtype=BF16), np.arange(19)
    for call in (lambda x, _: ops.rms_norm(x, w, offset=1), lambda x, _: ops.softmax(x), lambda x, _: ops.swiglu(x),
                 lambda x, t: ops.cross_entropy(x, t, reduction="none")):  # fmt: skip
        whole = call(x, t)
        for rows in (slice(3, 4), slice(7, 19), [5, 18, 0]):
            np.testing.assert_array_equal(call(x[rows], t[rows]), whole[rows])


X = np.zeros((2, 8), np.float32)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: ops.rms_norm(X, np.zeros(4, np.float32)), "rows of x, (2, 8), have 8 elements"),
    (lambda: ops.rms_norm(X.astype(np.int32)), "there are kernels for bfloat16"),
    (lambda: ops.rms_norm(X, offset=2), "offset is 2: it must be 0, or 1"),
    (lambda: ops.rms_norm(X, residual=X[:1]), "both need the same shape and dtype"),
    (lambda: ops.layer_norm(X, None, X[0]), "a bias goes with a weight"),
    (lambda: ops.softmax(X, 2), "dim is 2, but x has 2 dimensions"),
    (lambda: ops.swiglu(X, X[:1]), "both need the same shape and dtype"),
    (lambda: ops.swiglu(X[:, :7]), "must be even"),
    (lambda: ops.geglu(X, approximate="erf"), "`geglu`: approximate is 'erf': it must be one of none, tanh"),
    (lambda: ops.rotary(X, None, X[:, :3], X[:, :3], dims=4), "say dims= where"),
    (lambda: ops.rotary(X, None, X[:1, :4], X[:1, :4]), "cos has 1 positions, q has 2"),
    (lambda: ops.rotary(X, None, X[:, :4], X[:, :4], positions=np.zeros(3, np.int64)), "positions is"),
    (lambda: ops.rotary(X[None], X[None, :1], X[:, :4], X[:, :4]), "they are alike"),
    (lambda: ops.cross_entropy(X, np.zeros((2, 1), np.int64)), "a class for each row"),
    (lambda: ops.cross_entropy(X, np.zeros(2, np.float32)), "it holds numbers of classes"),
    (lambda: ops.cross_entropy(X, np.zeros(2, np.int64), reduction="avg"), "reduction is 'avg'"),
    (lambda: ops.cross_entropy(X, np.zeros(2, np.int64), label_smoothing=2), "from 0 to 1"),
    (lambda: ops.linear_cross_entropy(X, X, np.zeros(2, np.int64), chunk=-1), "chunk is -1"),
    # Options of another kind, which fail inside: the option is named.
    (lambda: ops.cross_entropy(X, np.zeros(2, np.int64), softcap="x"), "softcap must be a number, not 'x'"),
    (lambda: ops.cross_entropy(X, np.zeros(2, np.int64), z_loss=None), "z_loss must be a number, not None"),
    (lambda: ops.rotary(X, None, X[:, :4], X[:, :4], interleaved=X), "interleaved must be True or False, not a"),
    (lambda: ops.rotary(X, None, X[:, :4], X[:, :4], seq_dim=None), "seq_dim must be an int, not None"),
    (lambda: ops.rms_norm(X, offset=np.ones(1)), "offset must be an int, not a"),
    (lambda: ops.softmax(X, dtype=[1]), "dtype must be a dtype, or its name"),
    (lambda: ops.softmax(np.float32), "x is of type"),
    (lambda: ops.softmax(X, out=np.float32), "out is"),
    (lambda: ops.geglu(X, approximate=["tanh"]), "approximate must be a str"),
    (lambda: ops.attention(None, X, X), "query is of"),
    (lambda: ops.attention(X, X, X, is_causal=X), "is_causal must be True or False"),
    (lambda: ops.attention(X, X, X, softcap=X), "softcap must be a number"),
    (lambda: ops.linear(X, np.float32), "weight is of"),
    (lambda: ops.scaled_matmul(None, X), "a is of"),
    (lambda: ops.quantize_fp8(X, np.ones(())), "block is"),
])  # fmt: skip
def test_errors_say_what_came_and_what_is_wanted(call: Any, words: str) -> None:
    with pytest.raises(AveError) as e:
        call()
    assert e.value.code == "L066" and words in str(e.value)


def test_nothing_comes_of_nothing() -> None:
    none = np.zeros((0, 8), np.float32)
    assert ops.rms_norm(none).shape == ops.softmax(none).shape == ops.layer_norm(none).shape == (0, 8)
    assert ops.swiglu(none).shape == (0, 4)
    assert np.isnan(ops.cross_entropy(none, np.zeros(0, np.int64)))
    assert ops.cross_entropy(none, np.zeros(0, np.int64), reduction="sum") == 0
