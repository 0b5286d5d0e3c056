"""`ops.attention` and its gradients against float64: drawn problems, over all that it takes at once."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
from tests.ops.judge_attention import Words, judge, kept, within, within_lse

from avelang import ops
from avelang.ops.attention import scaled_attention, scaled_attention_gradients

BF16, F16 = ml_dtypes.bfloat16, np.float16
CHIPS = ["gfx942", "sm_80"]


def numbers(rng, shape, dtype, rows_first=False):
    """Random numbers of (..., heads, length, d), as they lie or as (..., length, heads, d)."""
    if rows_first:
        shape = (*shape[:-3], shape[-2], shape[-3], shape[-1])
    x = rng.standard_normal(shape, dtype=np.float32).astype(dtype)
    return x.swapaxes(-3, -2) if rows_first else x


def drawn_words(rng, d, left=False, cap=False):
    """Whatever does not make other code."""
    causal = rng.choice([None, "top_left", "bottom_right"])
    ends = [None if rng.random() < 0.3 else int(rng.integers(0, 60)) for _ in range(2)]
    window = (int(rng.integers(0, 60)), ends[1]) if left else (None, ends[1]) if rng.random() < 0.3 else None
    return Words(float(d**-0.5 * rng.uniform(0.5, 2)), causal, window, float(rng.uniform(0.5, 8)) if cap else 0.0)


def options_of(words):
    return {"scale": words.scale, "causal": words.causal, "window": words.window, "softcap": words.softcap}


def gradient_options(words):
    left, right = words.window or (None, None)
    bottom = words.causal == "bottom_right" or (words.window is not None and words.causal is None)
    return {"scale": words.scale, "left": left, "right": 0 if words.causal else right, "bottom_right": bottom,
            "softcap": words.softcap, "gqa": True}  # fmt: skip


def check_dense(
    seed, dtype, d, dv, *, left=False, cap=False, mask=None, sinks=False, target=None, longest=100, grads=True,
    dropout=0.0,
):  # fmt: skip
    """A drawn problem of (batch, heads, length, d)."""
    rng = np.random.default_rng(seed)
    words, name = drawn_words(rng, d, left, cap), np.dtype(dtype).name
    kv_heads, group, batch = (int(rng.integers(1, 3)) for _ in range(3))
    heads = kv_heads * group
    lengths = (
        rng.integers(65 if longest > 65 else 1, longest, 2) if rng.random() < 0.8 else (66, int(rng.integers(0, 3)))
    )
    queries, keys = (int(x) for x in lengths)
    keys = keys // 2 * 2 + 1 if mask and target is None else keys  # one kind of code
    q, k, v = (numbers(rng, (batch, h, n, w), dtype, rng.random() < 0.5)
               for h, n, w in ((heads, queries, d), (kv_heads, keys, d), (kv_heads, keys, dv)))  # fmt: skip
    sink = rng.standard_normal(heads).astype(np.float32) if sinks else None
    there = None
    if mask:
        shape = [n if rng.random() < 0.7 else 1 for n in (batch, heads, queries)] + [keys]
        there = rng.random(shape) < 0.6 if mask == "bool" else rng.standard_normal(shape).astype(mask)
    number = int(rng.integers(-(2**63), 2**63)) if dropout else None
    out, lse = ops.attention(
        q, k, v, there, dropout, enable_gqa=True, sinks=sink, return_lse=True, target=target, dropout_seed=number,
        **options_of(words),
    )  # fmt: skip
    g, g_lse = numbers(rng, out.shape, dtype), rng.standard_normal(lse.shape).astype(np.float32)
    found: tuple = scaled_attention_gradients(
        g, q, k, v, out, lse, there, None, None, sink, g_lse, None if number is None else np.array([number]),
        wants_mask=mask not in (None, "bool"), wants_sinks=sinks, target=target, dropout=dropout,
        **gradient_options(words),
    ) if grads else ()  # fmt: skip
    total: list = []
    for b in range(batch):
        one = None if there is None else np.broadcast_to(there, (batch, heads, queries, keys))[b]
        keep = kept(dropout, number, b, heads, queries, keys) if number is not None else 1.0
        want = judge(words, q[b], k[b], v[b], name, grad=g[b], grad_lse=g_lse[b], mask=one, sinks=sink, keep=keep)
        within(out[b], want.out, want.out_bound, "out")
        within_lse(lse[b], want)
        for what, x, y, bound in zip(("dq", "dk", "dv"), found, want.grads, want.grad_bounds, strict=False):
            within(x[b], y, bound, what)
        rest = [np.stack([x, y]) for x, y in zip(want.grads[3:], want.grad_bounds[3:], strict=True)]
        total = [[r] for r in rest] if not total else [[*t, r] for t, r in zip(total, rest, strict=True)]
    if there is not None and len(found) and mask != "bool":
        both = np.stack(total[0], 1)  # (value or bound, batch, heads, queries, keys)
        axes = tuple(i + 1 for i, n in enumerate(there.shape) if n == 1 and both.shape[i + 1] != 1)
        both = both.sum(axes, keepdims=True)
        within(found[3], both[0], both[1] + 1e-5 * np.abs(both[0]) + 1e-4, "dmask")
    if len(found) and sinks:
        both = np.sum(total[1], 0)
        within(found[4], both[0], both[1] + 1e-3, "dsinks")
    return q, k, v, out


@pytest.mark.parametrize("seed", range(6))
def test_dense(seed):
    """Grouped heads, both alignments, strides, any lengths; d and dv padded."""
    check_dense(seed, BF16, 40, 24)


@pytest.mark.parametrize("seed", range(5))
def test_all_edits_at_once(seed):
    """A window, a cap, an added mask of any broadcast shape and sinks, in f32."""
    check_dense(100 + seed, np.float32, 32, 20, left=True, cap=True, mask="float32", sinks=True)


def test_rows_that_masks_hide_with_sinks_of_nothing():
    """A sink of -inf is none: a row that sees nothing is 0, one whose mask is the least number everywhere, as models
    have it for padding, the mean of V; and where O has no gradient there, none is NaN."""
    rng, words = np.random.default_rng(7), Words(0.2, None, (200, None), 30.0)
    q, k, v = (numbers(rng, (1, 2, n, w), np.float32) for n, w in ((70, 32), (81, 32), (81, 20)))
    sink, mask = np.float32([-np.inf, 0.5]), rng.standard_normal((1, 2, 70, 81)).astype(np.float32)
    mask[0, :, 1], mask[0, :, 2] = -np.inf, np.finfo(np.float32).min
    out, lse = ops.attention(q, k, v, mask, sinks=sink, return_lse=True, enable_gqa=True, **options_of(words))
    assert not out[0, 0, 1].any() and lse[0, 0, 1] == -np.inf and not out[0, 1, 1:3].any()
    np.testing.assert_allclose(out[0, 0, 2], v[0, 0].mean(0), atol=1e-5)
    g, g_lse = numbers(rng, out.shape, np.float32), np.zeros(lse.shape, np.float32)
    g[0, :, 1:3] = 0
    found = scaled_attention_gradients(g, q, k, v, out, lse, mask, None, None, sink, g_lse, None, wants_mask=True,
                                       wants_sinks=True, **gradient_options(words))  # fmt: skip
    rows = np.delete(np.arange(70), [1, 2])
    sink[0], mask[0, :, 1:3] = -1e4, 0
    want = judge(words, q[0], k[0], v[0], "float32", grad=g[0], grad_lse=g_lse[0], mask=mask[0], sinks=sink)
    for got, y, bound in zip(found[:3], want.grads, want.grad_bounds, strict=False):
        within(got[0], y, bound, "a gradient")
    within(found[3][0, :, rows], want.grads[3].swapaxes(0, 1)[rows], 1e-4, "dmask")
    within(found[4], want.grads[4], want.grad_bounds[4] + 1e-3, "dsinks")
    assert not found[4][0] and np.isfinite(found[3]).all()


@pytest.mark.parametrize("seed", range(3))
def test_conditions(seed):
    check_dense(200 + seed, F16, 32, 32, mask="bool", grads=False)


@pytest.mark.parametrize("seed", range(3))
def test_weights_left_out(seed):
    """Dropout by Philox, of drawn problems with grouped heads: the same weights in the forward and in both kernels of
    the backward, whose blocks are others."""
    check_dense(400 + seed, BF16, 40, 24, dropout=0.3)


def test_weights_left_out_with_all_edits():
    check_dense(410, np.float32, 32, 20, left=True, cap=True, mask="float32", sinks=True, dropout=0.5)


def test_all_weights_left_out():
    q = numbers(np.random.default_rng(0), (1, 2, 5, 16), np.float32)
    assert not ops.attention(q, q, q, dropout_p=1.0, dropout_seed=np.int64(3)).any()


def test_weights_left_out_of_packed_sequences():
    """Sequence, head, query and key say which ones, wherever the sequence lies."""
    rng = np.random.default_rng(0)
    q, at = packed(rng, (3, 0, 20), 2, 16, np.float32)
    out = ops.attention(q, q, q, None, 0.4, cu_seqlens_q=at, cu_seqlens_k=at, dropout_seed=-5)
    for b, (begin, end) in enumerate(zip(at, at[1:], strict=False)):
        one = q[begin:end].swapaxes(0, 1)
        want = judge(Words(0.25), one, one, one, "float32", keep=kept(0.4, -5, b, 2, end - begin, end - begin))
        within(out[begin:end].swapaxes(0, 1), want.out, want.out_bound, "out")


@pytest.mark.parametrize("seed", range(3))
def test_gradients_where_sequences_have_lengths(seed):
    """Keys behind a length, which hold anything, get gradients of 0."""
    rng = np.random.default_rng(seed)
    words, heads, keys = drawn_words(rng, 40), int(rng.integers(1, 4)), int(rng.integers(1, 80))
    q, k, v, g = (numbers(rng, (3, heads, n, w), BF16) for n, w in ((33, 40), (keys, 40), (keys, 24), (33, 24)))
    lengths = rng.integers(0, keys + 1, 3).astype(np.int32)
    out, lse = ops.attention(q, k, v, cache_lengths=lengths, return_lse=True, **options_of(words))
    found = scaled_attention_gradients(
        g, q, k, v, out, lse, None, None, None, None, None, None, lengths, **gradient_options(words)
    )
    for b, n in enumerate(lengths):
        want = judge(words, q[b], k[b, :, :n], v[b, :, :n], "bfloat16", grad=g[b])
        within(found[0][b], want.grads[0], want.grad_bounds[0], "dq")
        for what, x, y, bound in zip(("dk", "dv"), found[1:], want.grads[1:], want.grad_bounds[1:], strict=False):
            within(x[b, :, :n], y, bound, what)
            assert not x[b, :, n:].any()


@pytest.mark.parametrize("target", CHIPS)
def test_machine_code(target):
    """AMD's code, executed; NVIDIA's form, by what its instructions mean, on the CPU."""
    amd = target == "gfx942"
    check_dense(300, BF16, 32, 32, left=amd, mask="bool" if amd else None, target=target, longest=30, grads=amd)


def packed(rng, lengths, heads, d, dtype, behind=0):
    at = np.cumsum([0, *lengths]).astype(np.int32)
    return rng.standard_normal((int(at[-1]) + behind, heads, d), dtype=np.float32).astype(dtype), at


@pytest.mark.parametrize("seed", range(4))
def test_packed_sequences(seed):
    """Lengths from 0; what is behind the last one gets 0; each has the bits that it has alone."""
    rng = np.random.default_rng(seed)
    words, count = drawn_words(rng, 32, True), int(rng.integers(1, 5))
    rows, cols = ([int(rng.choice([0, 1, int(rng.integers(2, 90))])) for _ in range(count)] for _ in range(2))
    kv_heads, group = (int(x) for x in rng.integers(1, 3, 2))
    (q, cu_q), (k, cu_k) = packed(rng, rows, kv_heads * group, 32, BF16, 3), packed(rng, cols, kv_heads, 32, BF16, 2)
    v, _ = packed(rng, cols, kv_heads, 32, BF16, 2)
    out, lse = ops.attention(q, k, v, cu_seqlens_q=cu_q, cu_seqlens_k=cu_k, return_lse=True, **options_of(words))
    g = rng.standard_normal(out.shape, dtype=np.float32).astype(BF16)
    grads = scaled_attention_gradients(g, q, k, v, out, lse, None, cu_q, cu_k, **gradient_options(words))
    assert not out[cu_q[-1] :].any() and np.isneginf(lse[:, cu_q[-1] :]).all()
    assert not any(x[at[-1] :].any() for x, at in zip(grads[:3], (cu_q, cu_k, cu_k), strict=True))
    for b in range(count):
        mine, theirs = slice(cu_q[b], cu_q[b + 1]), slice(cu_k[b], cu_k[b + 1])
        one = [x[at].swapaxes(0, 1) for x, at in ((q, mine), (k, theirs), (v, theirs), (g, mine))]
        want = judge(words, *one[:3], "bfloat16", grad=one[3])  # type: ignore
        within(out[mine].swapaxes(0, 1), want.out, want.out_bound, "out")
        within_lse(lse[:, mine], want)
        for x, at, y, bound in zip(grads, (mine, theirs, theirs), want.grads, want.grad_bounds, strict=False):
            within(x[at].swapaxes(0, 1), y, bound, "gradient")
    b = int(rng.integers(count))
    mine, theirs = slice(cu_q[b], cu_q[b + 1]), slice(cu_k[b], cu_k[b + 1])
    at = [np.array([0, n], np.int32) for n in (rows[b], cols[b])]
    alone = ops.attention(q[mine], k[theirs], v[theirs], cu_seqlens_q=at[0], cu_seqlens_k=at[1], return_lse=True,
                          **options_of(words))  # fmt: skip
    assert np.array_equal(alone[0], out[mine]) and np.array_equal(alone[1], lse[:, mine])
    again = scaled_attention_gradients(
        g[mine], q[mine], k[theirs], v[theirs], *alone, None, *at, **gradient_options(words)
    )
    assert all(np.array_equal(x, y[s]) for x, y, s in zip(again, grads, (mine, theirs, theirs), strict=False))


@pytest.mark.parametrize("seed", range(4))
def test_caches_in_pages(seed):
    """Few queries: heads of a group are rows of one block, and blocks share keys. Pages that are not a sequence's own
    hold NaN, and their numbers lead nowhere."""
    rng = np.random.default_rng(seed)
    batch, page, most = int(rng.integers(1, 4)), 16, 40
    lengths = rng.choice([0, 1, 15, 16, 17, 200, 500, 640], batch).astype(np.int32)
    words = drawn_words(rng, 48)
    k, v = (np.full((batch * most + 1, page, 2, n), np.nan, np.float32).astype(F16) for n in (48, 32))
    table = rng.permutation(batch * most).reshape(batch, most).astype(np.int32)
    table[np.arange(most)[None] >= -(-lengths // page)[:, None]] = -(1 << 20)
    q = rng.standard_normal((batch, 8, int(rng.integers(1, 4)), 48), dtype=np.float32).astype(F16)
    rows = [[rng.standard_normal((n, 2, x.shape[3]), dtype=np.float32).astype(F16) for n in lengths] for x in (k, v)]
    for x, mine in zip((k, v), rows, strict=True):
        for b, own in enumerate(mine):
            for i in range(0, len(own), page):
                x[table[b, i // page], : len(own) - i] = own[i : i + page]
    out, lse = ops.attention(q, k, v, block_table=table, cache_lengths=lengths, return_lse=True, **options_of(words))
    for b in range(batch):
        want = judge(words, q[b], rows[0][b].swapaxes(0, 1), rows[1][b].swapaxes(0, 1), "float16")
        within(out[b], want.out, want.out_bound, "out")
        within_lse(lse[b], want)


def test_not_a_number_in_v():
    """At a key that no query sees it does as in torch, where 0 times NaN is NaN, or less; behind a length and in
    another sequence it does nothing."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(11)
    q, k, v = (rng.standard_normal((1, 2, 90, 32), dtype=np.float32) for _ in range(3))
    holed = v.copy()
    holed[:, :, 70] = np.nan
    out = ops.attention(q, k, holed, is_causal=True)
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, holed)), is_causal=True)
    assert np.isnan(out[:, :, 70:]).all() and (np.isnan(theirs.numpy()) >= np.isnan(out)).all()
    lengths = np.array([70], np.int32)
    seen = [ops.attention(q, k, x, cache_lengths=lengths) for x in (holed, v)]
    assert np.array_equal(*seen)
    packed = [x[0].swapaxes(0, 1).copy() for x in (q, k, v, holed)]
    offsets = np.array([0, 70, 90], np.int32)
    found, want = (ops.attention(*packed[:2], x, cu_seqlens_q=offsets, cu_seqlens_k=offsets) for x in packed[:1:-1])
    assert np.array_equal(found[:70], want[:70]) and np.isnan(found[70:]).all() and not np.isnan(want).any()


@pytest.mark.parametrize(("d", "dv"), [(2, 129), (16, 160), (129, 2)])
def test_widths_that_lanes_do_not_share(d, dv):
    """V of 16 keys and a width that is no multiple of 64: 256 lanes have no pieces of it, so it is padded."""
    check_dense(500 + d, np.float32, d, dv, longest=40)


def test_small_arrays_may_lie_apart():
    """Offsets, lengths, tables and sinks with strides give what those without gaps give."""

    def apart(x):
        wide = np.full((*x.shape[:-1], x.shape[-1] * 3), 1 << 20, x.dtype)
        wide[..., ::3] = x
        return wide[..., ::3]

    rng = np.random.default_rng(0)
    q, at = packed(rng, (3, 20), 2, 16, np.float32)
    sinks = np.float32([0.5, -1.0])
    whole, far = (ops.attention(q, q, q, cu_seqlens_q=f(at), cu_seqlens_k=f(at), sinks=f(sinks)) for f in (np.copy, apart))
    assert np.array_equal(whole, far)
    k, q = numbers(rng, (4, 16, 2, 16), F16), numbers(rng, (2, 2, 1, 16), F16)
    table, lengths = np.int32([[2, 0], [1, 3]]), np.int32([20, 5])
    whole, far = (ops.attention(q, k, k, block_table=f(table), cache_lengths=f(lengths)) for f in (np.copy, apart))
    assert np.array_equal(whole, far)


ONE = np.zeros((2, 4, 8, 16), BF16)
FLAT, AT = np.zeros((8, 4, 16), BF16), np.array([0, 3, 8], np.int32)
PAGES, TABLE = np.zeros((6, 16, 4, 16), BF16), np.zeros((2, 3), np.int32)


@pytest.mark.parametrize(
    ("arrays", "options", "said"),
    [
        ((ONE, ONE, ONE.astype(F16)), {}, "query is of bfloat16 and value of float16"),
        ((ONE.astype(np.float64),) * 3, {}, "there are kernels of attention for bfloat16"),
        ((ONE, ONE[:, :2], ONE[:, :2]), {}, "enable_gqa=True"),
        ((ONE, ONE[:, :3], ONE[:, :3]), {"enable_gqa": True}, "must be a multiple"),
        ((ONE, ONE[:1], ONE[:1]), {}, "of one batch"),
        ((ONE, ONE[..., :8], ONE), {}, "last dimensions, d, differ"),
        ((ONE, ONE, ONE[0]), {}, "as many dimensions"),
        ((np.zeros((1, 1, 2, 264), BF16),) * 3, {}, "d is 264"),
        ((ONE, ONE, ONE, np.zeros((3, 8), bool)), {}, "attn_mask is (3, 8): it must broadcast"),
        ((ONE, ONE, ONE, np.zeros((8, 8), np.int32)), {}, "attn_mask is of int32"),
        ((ONE, ONE, ONE), {"dropout_p": 0.1}, "dropout_seed is None"),
        ((ONE, ONE, ONE), {"dropout_p": 1.1, "dropout_seed": 0}, "dropout_p is 1.1"),
        ((ONE, ONE, ONE), {"dropout_p": 0.1, "dropout_seed": np.zeros(2, np.int64)}, "dropout_seed is (2,) of int64"),
        ((ONE, ONE, ONE), {"dropout_p": 0.1, "dropout_seed": 1.5}, "dropout_seed is 1.5"),
        ((ONE, ONE, ONE), {"causal": "left"}, "causal is 'left'"),
        ((ONE, ONE, ONE), {"window": 3}, "window is 3"),
        ((ONE, ONE, ONE), {"softcap": -1.0}, "softcap is -1.0"),
        ((ONE, ONE, ONE), {"scale": float("nan")}, "scale is nan"),
        ((ONE, ONE, ONE), {"sinks": np.zeros(3, np.float32)}, "sinks is (3,)"),
        ((FLAT, FLAT, FLAT), {"cu_seqlens_q": AT}, "cu_seqlens_k None"),
        ((ONE, FLAT, FLAT), {"cu_seqlens_q": AT, "cu_seqlens_k": AT}, "packed sequences are"),
        ((FLAT, FLAT, FLAT), {"cu_seqlens_q": AT.astype(np.int64), "cu_seqlens_k": AT}, "must be of int32"),
        ((ONE, PAGES, PAGES), {"block_table": TABLE}, "cache_lengths is not"),
        ((ONE, FLAT, FLAT), {"block_table": TABLE, "cache_lengths": AT[:2]}, "keys of a page"),
        ((ONE[:1], PAGES, PAGES), {"block_table": TABLE, "cache_lengths": AT[:2]}, "block table of 2 sequences"),
        ((ONE, ONE, ONE), {"target": "sm_60"}, "no kernel of attention for bfloat16 on sm_60"),
        ((ONE.astype(np.float32),) * 3, {"target": "sm_75"}, "no kernel of attention for float32 on sm_75"),
        ((ONE, ONE, ONE), {"target": "sm_75"}, "no kernel of attention for bfloat16 on sm_75"),
    ],
)
def test_arguments_that_do_not_fit(arrays, options, said):
    with pytest.raises(ValueError, match=r"(?s)L066.*" + re.escape(said)):
        ops.attention(*arrays, **options)


def test_nothing_to_attend_to():
    """No keys, no queries, no sequences."""
    out, lse = ops.attention(ONE, ONE[:, :, :0], ONE[:, :, :0], return_lse=True)
    assert not out.any() and np.isneginf(lse).all()
    assert ops.attention(ONE[:, :, :0], ONE, ONE).shape == (2, 4, 0, 16)
    assert ops.attention(ONE[:0], ONE[:0], ONE[:0]).shape == (0, 4, 8, 16)
    for x in (ONE[0], ONE[None]):  # without a dimension in front of the heads, and with two
        none, mask = x[..., :0, :], np.ones((*x.shape[:-1], 0), bool)
        assert not ops.attention(x, none, none, mask).any()
        assert ops.attention(none, x, x, mask.swapaxes(-1, -2)).shape == none.shape


def test_bits_do_not_depend_on_the_batch():
    """Neither on what else is in it nor, where rows must be alike, on how many rows there are."""
    rng = np.random.default_rng(0)
    q, k, v = (numbers(rng, (3, h, n, w), BF16) for h, n, w in ((4, 70, 40), (2, 90, 40), (2, 90, 24)))
    given = {"enable_gqa": True, "causal": "bottom_right"}
    with ops.invariant():
        whole = ops.attention(q, k, v, **given)
        assert np.array_equal(ops.attention(q[1:2], k[1:2], v[1:2], **given)[0], whole[1])
        assert np.array_equal(ops.attention(q[:, :, -66:], k, v, **given), whole[:, :, -66:])
        assert np.array_equal(ops.attention(q[:, :, -2:], k, v, **given), whole[:, :, -2:])


def test_torch():
    """Autograd, a transposed view without a copy, torch.compile without a break, opcheck."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, n, 2, d).transpose(1, 2).requires_grad_() for n, d in ((7, 32), (9, 32), (9, 20)))
    mask = torch.randn(2, 7, 9, requires_grad=True)
    out = ops.attention(q, k, v, mask)
    want = torch.nn.functional.scaled_dot_product_attention(*(x.double() for x in (q, k, v, mask)))
    assert out.transpose(1, 2).is_contiguous() and torch.allclose(out.double(), want, atol=1e-5)
    g = torch.randn_like(out)
    mine, theirs = (torch.autograd.grad(x, (q, k, v, mask), g.to(x.dtype)) for x in (out, want))
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(mine, theirs, strict=True))
    compiled = torch.compile(lambda *x: ops.attention(*x) * 2, fullgraph=True, backend="aot_eager")
    again = torch.autograd.grad(compiled(q, k, v, mask), (q, k, v, mask), g / 2)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(again, mine, strict=True))
    scaled_attention(q, k, v, mask)  # registers it
    torch.library.opcheck(torch.ops.avelang.scaled_attention, (
        q, k, v, mask, None, None, None, None, None, None, None, 0.0, None, None, False, False, [], False, False, None,
        0.0,
    ))  # fmt: skip


def laid(rng, x):
    """The same numbers in memory that lies otherwise, of which the rest is NaN (or True)."""
    big = np.full([2 * n + 1 for n in x.shape], np.nan if x.dtype != bool else True, x.dtype)
    order, steps = rng.permutation(x.ndim), tuple(slice(1, None, 2) if rng.random() < 0.3 else slice(0, n)
                                                  for n in x.shape)  # fmt: skip
    turns = tuple(slice(None, None, -1) if rng.random() < 0.3 else slice(None) for _ in x.shape)
    view = big[steps][turns] if rng.random() < 0.5 else np.empty([x.shape[i] for i in order], x.dtype).transpose(
        np.argsort(order))[turns]  # fmt: skip
    view[...] = x
    return view


@pytest.mark.parametrize("seed", range(8))
def test_arrays_that_lie_in_any_way(seed):
    """Masks, outputs and logarithms in any order, with gaps, backward; and nothing is written beside the outputs."""
    rng = np.random.default_rng(seed)
    lead = (2, 2) if seed % 2 else (2,)
    q, k, v = (laid(rng, rng.standard_normal((*lead, 2, n, 16), dtype=np.float32)) for n in (5, 7, 7))
    mask = laid(rng, rng.standard_normal((*lead, 2, 5, 7), dtype=np.float32))
    mask = mask if seed < 4 else laid(rng, mask > 0)
    out, lse = (laid(rng, np.zeros((*lead, 2, *s), np.float32)) for s in ((5, 16), (5,)))
    ops.attention(q, k, v, mask, out=(out, lse), return_lse=True)
    for at in np.ndindex(*lead):
        want = judge(Words(0.25), q[at], k[at], v[at], "float32", mask=mask[at])
        within(out[at], want.out, want.out_bound, "out")
        within_lse(lse[at], want)
    for x in (out, lse):
        assert x.base is None or x.base.dtype == bool or np.isnan(x.base).sum() in (0, x.base.size - x.size)


def test_one_key_that_heads_share_by_a_stride_of_0():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 2, n, 16), dtype=np.float32) for n in (5, 1, 1))
    for shape in ((2, 1, 1, 16), (1, 2, 1, 16), (1, 1, 1, 16)):
        one = np.broadcast_to(v[: shape[0], : shape[1]], v.shape)
        assert np.allclose(ops.attention(q, k, one), np.broadcast_to(one, q.shape), atol=1e-6)


@pytest.mark.parametrize("lies", ["transposed", "one column", "stride 0"])
def test_gradients_of_masks_whose_columns_lie_otherwise(lies):
    torch = pytest.importorskip("torch")
    q, k, v = (torch.randn(1, 2, n, 16, requires_grad=True) for n in (5, 7, 7))
    masks = {"transposed": torch.randn(2, 7, 5).mT, "one column": torch.randn(2, 5, 1), "stride 0": torch.randn(2, 5, 1).expand(2, 5, 7)}
    mask = masks[lies].requires_grad_()
    given = q, k, v, mask
    want = torch.softmax(q @ k.mT * 0.25 + mask, -1) @ v
    out = ops.attention(*given)
    assert torch.allclose(out, want, atol=1e-5)
    mine, theirs = (torch.autograd.grad(x.square().sum(), given) for x in (out, want))
    assert all(torch.allclose(x, y, atol=1e-4) for x, y in zip(mine, theirs, strict=True))


def test_batches_of_masks_with_fewer_dimensions():
    """Under vmap a batch comes before all dimensions that a mask is broadcast to; gradients, too."""
    torch = pytest.importorskip("torch")
    q, k, v = (torch.randn(2, 2, 2, n, 16) for n in (5, 6, 6))

    def theirs(q, k, v, mask):
        return torch.softmax(q @ k.mT * 0.25 + mask, -1) @ v

    for mask in (torch.randn(2, 2, 5, 6), torch.randn(2, 5, 6)):
        given = q, k, v, mask
        want = torch.stack([theirs(*x) for x in zip(*given, strict=True)])
        assert torch.allclose(torch.vmap(ops.attention)(*given), want, atol=1e-5)
        mine, wants = (torch.vmap(torch.func.grad(lambda *x, f=f: f(*x).square().sum(), (0, 1, 2, 3)))(*given)
                       for f in (ops.attention, theirs))  # fmt: skip
        assert all(torch.allclose(x, y, atol=1e-4) for x, y in zip(mine, wants, strict=True))


def test_torch_with_dropout():
    """The seed is drawn by torch's generator; gradients are of the weights that were left out; one graph."""
    torch = pytest.importorskip("torch")
    q, k, v = (torch.randn(1, 2, 6, 32, requires_grad=True) for _ in "qkv")
    torch.manual_seed(1)
    out = ops.attention(q, k, v, dropout_p=0.4)
    torch.manual_seed(1)
    number = int(torch.randint(1 << 62, (1,)))
    keep = torch.from_numpy(kept(0.4, number, 0, 2, 6, 6))[None]
    a, b, c = (x.detach().double().requires_grad_() for x in (q, k, v))
    want = (torch.softmax(a @ b.mT * 32**-0.5, -1) * keep) @ c
    assert torch.allclose(out.double(), want, atol=1e-5)
    mine, theirs = (torch.autograd.grad(x.sum(), y) for x, y in ((out, (q, k, v)), (want, (a, b, c))))
    assert all(torch.allclose(x.double(), y, atol=1e-5) for x, y in zip(mine, theirs, strict=True))
    assert torch.equal(out, ops.attention(q, k, v, dropout_p=0.4, dropout_seed=number))
    compiled = torch.compile(lambda *x: ops.attention(*x, dropout_p=0.4), fullgraph=True, backend="aot_eager")
    again = compiled(q, k, v)
    assert not torch.equal(again, compiled(q, k, v)) and (again == 0).sum() < again.numel()


def test_elements_of_vmap_leave_out_what_they_do_by_themselves():
    """The same seed is the same weights, forward and backward."""
    torch = pytest.importorskip("torch")
    given = [torch.randn(3, 2, 6, 32) for _ in "qkv"]
    want = [torch.autograd.grad(ops.attention(*x, dropout_p=0.4, dropout_seed=7).square().sum(), x)
            for x in zip(*([t.requires_grad_() for t in a.clone()] for a in given), strict=True)]  # fmt: skip

    def call(*x):
        return ops.attention(*x, dropout_p=0.4, dropout_seed=7)

    def total(*x):
        out, _ = torch.vmap(lambda *x: ops.attention(*x, dropout_p=0.4, dropout_seed=7, return_lse=True))(*x)
        return out.square().sum()

    rows = torch.stack([call(*x) for x in zip(*given, strict=True)])
    assert torch.equal(torch.vmap(call)(*given), rows)
    assert torch.equal(torch.compile(torch.vmap(call), fullgraph=True, backend="aot_eager")(*given), rows)
    inside = torch.vmap(torch.func.grad(lambda *x: call(*x).square().sum(), (0, 1, 2)))(*given)
    for found in (torch.func.grad(total, (0, 1, 2))(*given), inside):
        for g, wants in zip(found, zip(*want, strict=True), strict=True):
            assert torch.allclose(g, torch.stack(wants), atol=1e-5)


def test_elements_of_vmap_in_jax_leave_out_what_they_do_by_themselves():
    jax = pytest.importorskip("jax")
    q = jax.numpy.asarray(np.random.default_rng(0).standard_normal((3, 2, 6, 32), dtype=np.float32))

    def call(q):
        return ops.attention(q, q, q, dropout_p=0.4, dropout_seed=7)

    def loss(q):
        return (call(q) ** 2).sum()

    np.testing.assert_array_equal(jax.vmap(call)(q), np.stack([call(x) for x in q]))
    found = jax.grad(lambda q: (jax.vmap(call)(q) ** 2).sum())(q)
    np.testing.assert_allclose(found, np.stack([jax.grad(loss)(x) for x in q]), atol=1e-5)


def test_jax():
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    q, k, v, g = (rng.standard_normal((1, 2, n, d), dtype=np.float32) for n, d in ((7, 32), (9, 32), (9, 20), (7, 20)))

    mask = rng.standard_normal((2, 7, 9)).astype(np.float32)

    def loss(q, k, v):
        return (ops.attention(q, k, v, mask, is_causal=True) * g).sum()

    want = judge(Words(32**-0.5, "top_left"), q[0], k[0], v[0], "float32", grad=g[0], mask=mask)
    found = jax.jit(jax.grad(loss, (0, 1, 2)))(q, k, v)
    for what, x, y, bound in zip("qkv", found, want.grads, want.grad_bounds, strict=False):
        within(np.asarray(x)[0], y, bound, what)


def test_a_table_longer_than_sequences():
    """Hopper's decode: the host knows the table, and not that there are fewer tiles of keys than blocks."""
    rng = np.random.default_rng(0)
    lengths, table = np.array([70, 3], np.int32), rng.permutation(40).reshape(2, 20).astype(np.int32)
    k, v = (numbers(rng, (40, 16, 1, 64), BF16) for _ in "kv")
    q = numbers(rng, (2, 4, 1, 64), BF16)
    out = ops.attention(q, k, v, block_table=table, cache_lengths=lengths, target="sm_90a")
    for b in range(2):
        one, two = (x[table[b]].reshape(-1, 1, 64)[: lengths[b]].swapaxes(0, 1) for x in (k, v))
        want = judge(Words(64**-0.5), q[b], one, two, "bfloat16")
        within(out[b], want.out, want.out_bound, "out")
