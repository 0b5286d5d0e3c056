"""Operands that are views under JAX: no copy of XLA's, and the same numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.bridge.jax_chains import chained

import avelang
from avelang import ops
from avelang.base.errors import AveError
from avelang.bridge import Array, jax_calls, jax_views, op
from avelang.bridge.device_views import DeviceView

jax = pytest.importorskip("jax")
pytest.importorskip("jax.export")
jnp = jax.numpy
pytestmark = pytest.mark.skipif(not jax_views.sees(jax), reason="this JAX is older than 0.10, and makes copies")
RNG = np.random.default_rng(3)
CAME: list[tuple[int, ...]] = []  # strides, in elements


def copying(mode: str):
    @op(lambda x: Array(x.shape, x.dtype), strided={"x": mode}, follows={"out": "x"}, namespace=f"views_{mode}")
    def copied(x, out):
        CAME.append(tuple(s // x.itemsize for s in x.strides))
        out[...] = x

    return copied


COPIED = {mode: copying(mode) for mode in jax_views.MODES}


@op(lambda x: Array(x.shape, x.dtype))
def packed_copy(x, out):
    CAME.append(tuple(s // x.itemsize for s in x.strides))
    out[...] = x


def drawn(*shape):
    return RNG.standard_normal(shape, np.float32)


def by_xla(f, *arrays) -> int:
    """How many copies, transpositions and computations of its own a program has."""
    text = jax.jit(f).lower(*arrays).compile().as_text()
    assert "custom-call(" in text
    return len(re.findall(r"= \S+ (?:copy|transpose|fusion)\(", text))


def seen_by(f, *arrays):
    CAME.clear()
    made = jax.block_until_ready(jax.jit(f)(*arrays))
    return made, CAME[-1]


@pytest.mark.parametrize("seed", range(60))
def test_drawn_chains(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice((1, 2, 3, 4, 8, 16), int(rng.integers(1, 5))))
    base, f = chained(rng, rng.standard_normal(shape, np.float32))
    want = np.asarray(f(base))
    for mode, copied in COPIED.items():
        got, strides = seen_by(lambda x, copied=copied: copied(f(x)), base)
        assert np.array_equal(got, want), (mode, base.shape)
        beside = [s == 1 or n == 1 for n, s in zip(want.shape, strides, strict=True)]
        assert any(beside[-2:]) if mode == "any" else beside[-1]
        moved = np.asarray(jax.jit(lambda x, copied=copied: jnp.transpose(copied(f(x))) + 1)(base))
        assert np.array_equal(moved, want.T + 1)


@pytest.mark.parametrize(
    "f, shape, strides",
    [
        (lambda x: x.transpose(0, 2, 1, 3), (2, 3, 4, 8), (96, 8, 32, 1)),
        (lambda x: x.reshape(2, 3, 4, 8).swapaxes(1, 2), (6, 32), (96, 8, 32, 1)),
        (lambda x: x[:, 4:8], (5, 16), (16, 1)),
        (lambda x: x[1:, ::2, :8], (5, 6, 16), (96, 32, 1)),
        (lambda x: jnp.split(x, 3, -1)[2].reshape(2, 5, 2, 4).swapaxes(1, 2), (2, 5, 24), (120, 4, 24, 1)),
        (lambda x: jnp.broadcast_to(x[:, None], (4, 3, 8)), (4, 8), (8, 0, 1)),
        (lambda x: jnp.repeat(x[:, :, None], 2, 2, total_repeat_length=2), (4, 3, 8), None),
    ],
)
def test_views_come_as_they_lie(f, shape, strides):
    x = drawn(*shape)
    got, came = seen_by(lambda x: COPIED["rows"](f(x)), x)
    assert np.array_equal(got, f(x)) and (strides is None or came == strides)


def test_what_is_no_view_comes_row_major():
    """Another innermost dimension, a beginning off 16 bytes, parts of what XLA need not write, other operations."""
    x = drawn(6, 8)
    rows, some, matrix = COPIED["rows"], COPIED["any"], COPIED["matrix"]
    for f, want in (
        (lambda x: rows(x.T), (6, 1)), (lambda x: some(x.T), (1, 8)), (lambda x: rows(x[:, 1:5]), (4, 1)),
        (lambda x: rows((x * 2)[:, :4]), (4, 1)), (lambda x: rows(x[:, :4] * 2), (4, 1)),
        (lambda x: packed_copy(x.T), (6, 1)), (lambda x: matrix(x[:, :4]), (8, 1)),
    ):  # fmt: skip
        assert seen_by(f, x)[1] == want
    y = drawn(2, 3, 4, 8)
    assert seen_by(lambda y: matrix(y.swapaxes(1, 2)), y)[1] == (96, 24, 8, 1)


def test_what_a_transformation_makes_is_seen_too():
    x = drawn(4, 6, 8)
    some = COPIED["any"]
    got, came = seen_by(lambda x: jax.lax.scan(lambda c, y: (c, some(y.T)), 0, x)[1], x)
    assert np.array_equal(got, x.swapaxes(1, 2)) and came == (1, 8)
    got, _ = seen_by(lambda x: jax.vmap(lambda y: some(y.T))(x), x)
    assert np.array_equal(got, x.swapaxes(1, 2))
    got, _ = seen_by(lambda x: jax.vmap(jax.vmap(some), (1,), 1)(x), x)
    assert np.array_equal(got, x)
    inner = jax.jit(lambda y: some(y[:, :4]))
    assert np.array_equal(seen_by(lambda x: inner(x[0]), x)[0], x[0][:, :4])


def test_a_result_lies_as_its_operand_and_is_read_so():
    x = drawn(2, 3, 4, 8)
    rows = COPIED["rows"]
    turned = lambda x: x.swapaxes(1, 2)  # noqa: E731
    assert by_xla(lambda x: turned(rows(turned(x))), x) == 0
    assert by_xla(lambda x: turned(rows(rows(turned(x)))), x) == 0  # a result that another call reads
    got, came = seen_by(lambda x: turned(rows(rows(turned(x)))), x)
    assert np.array_equal(got, x) and came == (96, 8, 32, 1)
    assert np.array_equal(jax.jit(lambda x: packed_copy(rows(turned(x))))(x), turned(x))


def test_eager_calls_alike_are_traced_once(monkeypatch):
    x = jnp.asarray(drawn(5, 7))
    COPIED["rows"](x)
    monkeypatch.setattr(jax, "make_jaxpr", None)
    assert np.array_equal(COPIED["rows"](x + 1), x + 1)


def test_extents_of_several_programs_that_are_symbols():
    copied = COPIED["rows"]
    unchecked = [jax.export.DisabledSafetyCheck.custom_call("avelang")]
    for _ in range(2):
        (n,) = jax.export.symbolic_shape("n")
        given = jax.ShapeDtypeStruct((n, 3, 8), jnp.float32)
        program = jax.export.export(jax.jit(lambda x: copied(x.swapaxes(0, 1))), disabled_checks=unchecked)(given)
        x = drawn(5, 3, 8)
        assert np.array_equal(program.call(x), x.swapaxes(0, 1))


def test_a_result_of_other_dimensions_is_row_major():
    """Though it follows a view: there is no order of its dimensions in that."""

    @op(lambda x: (Array(x.shape[:-1], x.dtype), Array((2, *x.shape), x.dtype)), returns=2, strided={"x": "rows"},
        follows={"sums": "x", "twice": "x"}, namespace="views_other")  # fmt: skip
    def reduced(x, sums, twice):
        sums[...], twice[...] = x.sum(-1), x

    x = drawn(2, 3, 4, 8)
    sums, twice = jax.jit(lambda x: reduced(x.swapaxes(1, 2)))(x)
    assert np.allclose(sums, x.swapaxes(1, 2).sum(-1), atol=1e-5)
    assert np.array_equal(twice, np.stack([x.swapaxes(1, 2)] * 2))


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn", "bfloat16", "float16", "int8", "bool"])
def test_views_of_narrow_dtypes(dtype):
    """NumPy's array interface has no word for float8_e5m2."""
    x = jnp.asarray(drawn(32, 64)).astype(dtype)
    for f, came in ((lambda x: x.T, (1, 64)), (lambda x: x[:, 16:48], (64, 1)), (lambda x: x[::2].T, (1, 128))):
        got, strides = seen_by(lambda x, f=f: COPIED["any"](f(x)), x)
        assert strides == came and got.dtype == x.dtype and np.array_equal(np.asarray(got), np.asarray(f(x)))


def test_a_product_with_a_transposed_weight_and_its_gradients_copy_nothing():
    x, w = jnp.asarray(drawn(48, 64)), jnp.asarray(drawn(80, 64))
    product = lambda x, w: ops.matmul(x, w.T)  # noqa: E731
    assert by_xla(product, x, w) == 0
    assert np.allclose(jax.jit(product)(x, w), np.asarray(x) @ np.asarray(w).T, atol=1e-4)
    g = jnp.asarray(drawn(48, 80))
    by_rows = jax.grad(lambda x, w, g: (ops.matmul(x, w) * g).sum(), (0, 1))
    with jax.default_matmul_precision("highest"):
        want = jax.grad(lambda x, w, g: ((x @ w) * g).sum(), (0, 1))(x, w.T, g)
    got = jax.jit(by_rows)(x, w.T, g)
    assert all(np.allclose(a, b, atol=1e-4) for a, b in zip(got, want, strict=True))
    assert by_xla(by_rows, x, w.T, g) <= 1  # the gradient of the sum


@pytest.mark.parametrize("packed", [True, False])
def test_attention_of_heads_behind_positions_copies_nothing(packed):
    """As models of JAX have them: (batch, length, heads, d)."""
    b, n, h, d = 2, 32, 4, 16
    x = jnp.asarray(drawn(b, n, 3 * h * d)) if packed else jnp.asarray(drawn(3, b, n, h, d))

    def parts(x):
        return [t.reshape(b, n, h, d) for t in jnp.split(x, 3, -1)] if packed else [x[0], x[1], x[2]]

    def ours(x):
        q, k, v = (t.swapaxes(1, 2) for t in parts(x))
        return ops.attention(q, k, v, is_causal=True).swapaxes(1, 2)

    def theirs(x):
        return jax.nn.dot_product_attention(*parts(x), is_causal=True)

    assert by_xla(ours, x) == 0
    with jax.default_matmul_precision("highest"):
        want, grads = theirs(x), jax.grad(lambda x: (theirs(x) ** 2).sum())(x)
    assert np.allclose(jax.jit(ours)(x), want, atol=1e-5)
    assert np.allclose(jax.jit(jax.grad(lambda x: (ours(x) ** 2).sum()))(x), grads, atol=1e-4)


def test_views_of_a_gpu_s_memory():
    """Addresses, in bytes."""
    x = DeviceView(1 << 20, (4, 6), np.dtype(np.float32), "cuda:0")
    y = jax_calls._seen_so(x, ((2, 3, 4), (0, 4, 1), 8))
    assert (y.address, y.shape, y.strides) == ((1 << 20) + 32, (2, 3, 4), (0, 16, 4))
    z = jax_calls._ordered(DeviceView(1 << 20, (2, 4, 3, 8), np.dtype(np.float32), "cuda:0"), (0, 2, 1, 3))
    assert (z.address, z.shape, z.strides) == (1 << 20, (2, 3, 4, 8), (384, 32, 96, 4))


@pytest.mark.parametrize(
    "named, why",
    [
        ({"strided": {"z": "any"}}, "'z'"), ({"strided": {"x": "some"}}, "'some' for x"),
        ({"strided": {"x": "any"}, "contiguous": ("x",)}, "not contiguous"),
        ({"strided": {"x": "any"}, "follows": {"z": "x"}}, "'z'"), ({"follows": {"out": "x"}}, "'x' for 'out'"),
    ],
)  # fmt: skip
def test_wrong_names_are_refused(named, why):
    with pytest.raises(AveError, match=why) as found:

        @avelang.op(lambda x: x, **named)
        def wrong(x, out): ...

    assert found.value.code == "L068"
