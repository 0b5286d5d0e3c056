"""Every operation under JAX, as it is, jitted and differentiated, against the same operation on NumPy's arrays and
against JAX's own gradients in f32."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang import ops

jax = pytest.importorskip("jax")
jnp = jax.numpy
BF16 = ml_dtypes.bfloat16
RNG = np.random.default_rng(17)


def normal(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


def experts(x, logits, w13, w2, top=2):
    """A layer of experts with so many for each token, in JAX's words."""
    weights, ids = jax.lax.top_k(logits, top)
    weights = jax.nn.softmax(weights, -1)
    gate, up = jnp.split(jnp.einsum("th,eih->tei", x, w13), 2, -1)
    every = jnp.einsum("tei,ehi->teh", jax.nn.silu(gate) * up, w2)
    return (jnp.take_along_axis(every, ids[..., None], 1) * weights[..., None]).sum(1)


def groups(a, b, ends):
    """Products of groups of rows, in JAX's words."""
    row = jnp.arange(a.shape[0])[:, None]
    of = jnp.minimum((row >= ends[None, :]).sum(1), b.shape[0] - 1)
    return jnp.einsum("mk,mkn->mn", a, b[of]) * (row[:, 0] < ends[-1])[:, None]


def softmax_attention(q, k, v):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
    s = jnp.where(np.tri(q.shape[2], k.shape[2], dtype=bool), s, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), v)


def norm(x, w):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w


ENDS = np.array([5, 5, 16], np.int32)
TARGETS = np.array([3, 0, 8, 2, 5], np.int32)
# Name: the operation, the same in JAX's words, differentiable arguments, others.
CASES = {
    "matmul": (ops.matmul, jnp.matmul, [normal(3, 5, 24, dtype=BF16), normal(24, 40, dtype=BF16)], []),
    "linear": (ops.linear, lambda x, w, b: x @ w.T + b,
               [normal(5, 24, dtype=BF16), normal(40, 24, dtype=BF16), normal(40, dtype=BF16)], []),
    "grouped_matmul": (ops.grouped_matmul, groups, [normal(18, 24, dtype=BF16), normal(3, 24, 16, dtype=BF16)], [ENDS]),
    "moe": (lambda *a: ops.moe(*a, top_k=2), experts, [normal(7, 32, dtype=BF16), normal(7, 4, dtype=BF16),
            normal(4, 48, 32, dtype=BF16) / BF16(6), normal(4, 32, 24, dtype=BF16) / BF16(5)], []),
    "attention": (lambda *a: ops.attention(*a, is_causal=True), softmax_attention,
                  [normal(1, 2, 9, 32, dtype=BF16) for _ in range(3)], []),
    "rms_norm": (lambda x, w: ops.rms_norm(x, w, eps=1e-6), norm, [normal(4, 48), normal(48)], []),
    "softmax": (ops.softmax, jax.nn.softmax, [normal(4, 33)], []),
    "swiglu": (ops.swiglu, lambda g, u: jax.nn.silu(g) * u, [normal(4, 32), normal(4, 32)], []),
    "cross_entropy": (ops.cross_entropy, lambda x, y: -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean(),
                      [normal(5, 9)], [TARGETS]),
    "linear_cross_entropy": (
        ops.linear_cross_entropy,
        lambda x, w, y: -jnp.take_along_axis(jax.nn.log_softmax(x @ w.T), y[:, None], 1).mean(),
        [normal(5, 32, dtype=BF16), normal(9, 32, dtype=BF16)], [TARGETS]),
}  # fmt: skip


def near(got, want, dtype) -> bool:
    """Equal up to the rounding of a dtype and of sums in it."""
    got, want = (np.asarray(x, np.float64) for x in (got, want))
    rounding = 2.0**-6 if dtype == BF16 else 2.0**-17
    return got.shape == want.shape and np.linalg.norm(got - want) <= rounding * max(np.linalg.norm(want), 1e-9)


@pytest.mark.parametrize("name", CASES)
def test_an_operation_and_its_gradients(name):
    mine, theirs, arrays, rest = CASES[name]
    dtype, which = arrays[0].dtype, tuple(range(len(arrays)))
    given = [jnp.asarray(x) for x in (*arrays, *rest)]
    wide = [jnp.asarray(x, jnp.float32) for x in arrays] + given[len(arrays) :]
    y = mine(*given)
    assert isinstance(y, jax.Array) and y.dtype == (dtype if y.ndim else np.float32)  # losses are summed up
    np.testing.assert_array_equal(np.asarray(y), np.asarray(mine(*arrays, *rest)))  # NumPy's arrays, the same bits
    np.testing.assert_array_equal(np.asarray(y), np.asarray(jax.jit(mine)(*given)))
    assert near(y, theirs(*wide), dtype)
    factor = jnp.asarray(normal(*y.shape)) if y.ndim else 1.0
    got = jax.jit(jax.grad(lambda *a: (mine(*a).astype(jnp.float32) * factor).sum(), which))(*given)
    want = jax.grad(lambda *a: (theirs(*a) * factor).sum(), which)(*wide)
    for g, w, x in zip(got, want, given):
        assert g.dtype == x.dtype and near(g, w, dtype)


@pytest.mark.parametrize("a, b", [((8, 16), (16, 24)), ((2, 8, 16), (16, 24)), ((16,), (2, 16, 24)), ((3, 8, 16), (16,))])
@pytest.mark.parametrize("axes", [(0, 0), (-1, None), (None, 1)])
def test_a_batch_of_products_is_one(a, b, axes):
    """Of each element's own leading dimensions, which are broadcast; what is not mapped is not repeated."""
    batch = lambda s, at: normal(*s) if at is None else np.moveaxis(normal(5, *s), 0, min(at, len(s)))  # noqa: E731
    given = [jnp.asarray(batch(s, at)) for s, at in zip((a, b), axes, strict=True)]
    axes = tuple(None if at is None else min(at, len(s)) for s, at in zip((a, b), axes, strict=True))

    def loss(product, *arrays):
        return (jax.vmap(product, axes)(*arrays) ** 2).sum()

    text = jax.jit(jax.vmap(ops.matmul, axes)).lower(*given).as_text()
    assert "while" not in text and text.count("custom_call @avelang") == 1
    with jax.default_matmul_precision("highest"):
        want = jax.value_and_grad(lambda *x: loss(jnp.matmul, *x), (0, 1))(*given)
    got = jax.jit(jax.value_and_grad(lambda *x: loss(ops.matmul, *x), (0, 1)))(*given)
    assert all(near(g, w, np.float32) for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True))


def test_products_with_scales():
    a, b = normal(6, 256, dtype=BF16), normal(24, 256, dtype=BF16)

    def product(a, b):
        (qa, sa), (qb, sb) = (ops.quantize_fp8(x) for x in (a, b))
        return ops.scaled_matmul(qa, qb.T, sa, sb.T, out_dtype="float32")

    exact = a.astype(np.float64) @ b.astype(np.float64).T
    want = product(a, b)
    assert np.linalg.norm(want - exact) < 0.06 * np.linalg.norm(exact)
    got = jax.jit(product)(jnp.asarray(a), jnp.asarray(b))
    assert isinstance(got, jax.Array)
    np.testing.assert_array_equal(np.asarray(got), want)
