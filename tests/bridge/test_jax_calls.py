"""`avelang.op` in JAX: jit, grad, vmap, shard_map, export; all through XLA's foreign functions."""

from __future__ import annotations

import math
import os
import pathlib
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
from tests.bridge.operations import SEEN, scaled

from avelang.base.errors import ArgumentError, AveError
from avelang.bridge import Array, invariant, jax_calls, no_kernel, op

jax = pytest.importorskip("jax")
jnp = jax.numpy
RNG = np.random.default_rng(7)
ROOT = pathlib.Path(__file__).parents[2]


def drawn(*shape):
    return jnp.asarray(RNG.standard_normal(shape, np.float32))


def judge(x, w, factor=2.0):
    return factor * x * w


def close(one, two):
    return all(np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(one, two, strict=True))


def test_values_and_gradients_eager_and_under_jit():
    x, w = drawn(4, 5, 7), drawn(7)
    assert close([scaled(x, w), jax.jit(scaled)(x, w)], [judge(x, w)] * 2) and isinstance(scaled(x, w), jax.Array)
    mine, theirs = (lambda x, w, f=f: (f(x, w, factor=3.0) ** 2).sum() for f in (scaled, judge))
    want = jax.grad(theirs, (0, 1))(x, w)
    for way in (lambda f: f, jax.jit):
        assert close(way(jax.grad(mine, (0, 1)))(x, w), want)


def test_options_go_into_the_program():
    x, w = drawn(4, 7), drawn(7)
    with invariant():
        jax.jit(lambda x, w: scaled(x, w, mode=(1, ("a", None)), factor=-1.0))(x, w)
    assert SEEN[-1] == {"x": "numpy", "mode": (1, ("a", None)), "invariant": True}
    assert close([scaled(x, w, factor=np.float64(0.5))], [scaled(x, w, factor=0.5)])


@op(lambda x, *, k: Array(x.shape, x.dtype))
def kept_option(x, out, *, k=None):
    KEPT.append(k)
    out[...] = x


KEPT: list = []


def test_options_come_exactly_as_they_are_given():
    """Also those that are equal, one after another: 1 and True, 0.0 and -0.0."""
    given = (True, 1, 1.0, 0.0, -0.0, 0, (True, (1.0, -0.0)), (1, (1, 0.0)), math.inf, -math.inf, (math.nan,), "inf")
    x = jnp.zeros(1)
    for way in (lambda f: f, jax.jit):
        KEPT.clear()
        for k in given:
            jax.block_until_ready(way(lambda x, k=k: kept_option(x, k=k))(x))
        assert [repr(k) for k in KEPT] == [repr(k) for k in given]
    KEPT.clear()
    for k in (np.float32(0.5), np.True_, (np.int64(3), (np.float64(-0.0),))):
        jax.block_until_ready(kept_option(x, k=k))
    assert [repr(k) for k in KEPT] == ["0.5", "True", "(3, (-0.0,))"]


@pytest.mark.parametrize("value", [1j, (1, 2j), np.complex64(1), {}, {1}, b"a", ..., (object(),), np.zeros(2)])
def test_an_option_of_another_kind_is_refused(value):
    with pytest.raises(ArgumentError, match=r"(?s)L066.*k is .*an int, a float, a string, a bool, None or a tuple"):
        kept_option(jnp.zeros(1), k=value)


def test_a_batch_is_one_call_where_it_is_a_dimension():
    x, w, many = drawn(4, 5, 7), drawn(7), drawn(4, 7)
    for axes, given, want, calls in (((0, None), (x, w), judge(x, w), 1), ((1, None), (x, w), judge(x, w).swapaxes(0, 1), 1),
                                     ((0, 0), (x, many), judge(x, many[:, None]), 4), ((None, 0), (x, many), judge(x, many[:, None, None]), 4)):  # fmt: skip
        SEEN.clear()
        assert close([jax.vmap(scaled, axes)(*given)], [want]) and len(SEEN) == calls
    mine, theirs = (lambda x, w, f=f: (f(x, w) ** 2).sum() for f in (scaled, judge))
    got, want = (jax.vmap(jax.vmap(jax.grad(f, (0, 1)), (0, None)), (0, None))(x, w) for f in (mine, theirs))
    assert close(got, want)


@op(lambda x, w: (Array(x.shape, x.dtype), Array(x.shape, x.dtype)))
def product(x, w, out, kept):
    out[...], kept[...] = x * w, w


@product.backward(saves=("x", "w"))
def _(grads, inputs, outputs):
    (g,), (x, w) = grads, inputs
    return product(g, w), product(g, x)


def test_derivatives_of_derivatives():
    """A backward that is made of operations has them, to any order."""
    x, w = drawn(5), drawn(5)
    mine, theirs = (lambda x, w, f=f: (f(f(x, w), x) ** 2).sum() for f in (product, lambda x, w: x * w))

    def again(f):
        return jax.grad(lambda x, w: sum((g**2).sum() for g in jax.grad(f, (0, 1))(x, w)), (0, 1))

    for way in (lambda f: f, jax.jit):
        assert close(way(again(mine))(x, w), again(theirs)(x, w))
        third, want = (again(lambda *a, f=f: again(f)(*a)[1].sum()) for f in (mine, theirs))
        assert close(way(third)(x, w), want(x, w))
    rows = drawn(3, 5)
    got, want = (jax.vmap(again(f), (0, None))(rows, w) for f in (mine, theirs))
    assert close(got, want)


def test_derivatives_of_derivatives_of_our_operations():
    from avelang import ops

    def again(f, x):
        return jax.grad(lambda x: (jax.grad(lambda x: (f(x) ** 2).sum())(x) ** 2).sum())(x)

    x, cos, sin = drawn(3, 4), drawn(3, 2), drawn(3, 2)
    turned = ops.rotary(jnp.eye(4)[:, None].repeat(3, 1), None, cos, sin)  # a linear map, as matrices
    assert close([again(lambda x: ops.matmul(x, x.T), x)], [again(lambda x: x @ x.T, x)])
    got = again(lambda x: ops.rotary(x[None], None, cos, sin)[0], x)
    assert close([got], [again(lambda x: jnp.einsum("rd,drk->rk", x, turned), x)])
    for f in (ops.softmax, lambda x: ops.rms_norm(x, cos[0].repeat(2))):
        with pytest.raises(AveError, match="L069.*has no gradient: it has no backward"):
            again(f, x)


def test_what_is_kept_alone_has_no_second_derivative():
    """What callers do not get comes to the backward, and nothing says how it depends on the inputs."""
    x, w = drawn(4, 7), drawn(7)
    with pytest.raises(AveError, match="L069.*`scaled` has no second derivative: .*`kept`"):
        jax.grad(lambda w: (jax.grad(lambda x: (scaled(x, w) ** 2).sum())(x) ** 2).sum())(w)


def test_all_dtypes_reach_the_host_function():
    import ml_dtypes

    @op(lambda x: Array(x.shape, x.dtype))
    def same(x, out):
        out[...] = x

    kinds = [bool, np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.float16, np.float32,
             ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz,
             ml_dtypes.float8_e5m2fnuz]  # fmt: skip
    for kind in kinds:
        x = jnp.asarray(RNG.integers(0, 3, (3, 4)).astype(kind))
        y = same(x)
        assert y.dtype == kind and (np.asarray(y) == np.asarray(x)).all()
    assert same(jnp.zeros((3, 0))).shape == (3, 0) and same(jnp.float32(3)).shape == ()


@op(lambda x, order=None: (Array(x.shape, x.dtype), Array(x.shape, "int32")), returns=2)
def ordered(x, order, out, places):
    places[...] = np.arange(x.size).reshape(x.shape) if order is None else order
    out[...] = x[places]


@ordered.backward(saves=("places",))
def _(grads, inputs, outputs):
    assert grads[1] is None and inputs == (None, None)
    return jnp.zeros_like(grads[0]).at[outputs[1]].set(grads[0]), None


def test_optional_inputs_and_integers():
    x, order = drawn(5), jnp.asarray([4, 2, 0, 1, 3], jnp.int32)
    assert close(ordered(x), (x, np.arange(5))) and close(ordered(x, order), (x[order], order))
    scale = jnp.arange(5.0)
    found = jax.jit(jax.grad(lambda x: (ordered(x, order)[0] * scale).sum()))(x)
    assert close([found], [jax.grad(lambda x: (x[order] * scale).sum())(x)])
    assert close([jax.grad(lambda x: (ordered(x)[0] * scale).sum())(x)], [scale])


@op(lambda x: Array(x.shape, x.dtype))
def forward_only(x, out):
    if x.shape == (13,):
        raise RuntimeError("thirteen")
    out[...] = x


def test_errors():
    x, w = drawn(4, 7), drawn(7)
    with pytest.raises(ArgumentError, match="w is \\(3,\\)") as e:
        jax.jit(scaled)(x, w[:3])
    assert e.value.span.file.endswith(".py")
    with pytest.raises(ArgumentError, match="out= writes"):
        scaled(x, w, out=x)
    with pytest.raises(ArgumentError, match="factor is an array of JAX"):
        jax.jit(lambda x, w, f: scaled(x, w, factor=f))(x, w, 2.0)
    with pytest.raises(ArgumentError, match="w is list"):
        scaled(x, [1.0])
    with pytest.raises(AveError, match="L069"):
        jax.grad(lambda x: forward_only(x).sum())(w)
    with pytest.raises(TypeError, match="jvp"):
        jax.jvp(scaled, (x, w), (x, w))
    with pytest.raises(Exception, match="thirteen"):
        jax.block_until_ready(forward_only(jnp.zeros(13)))
    wide = scaled(x.astype(jnp.float16), w, fallback=True)
    assert wide.dtype == jnp.float32 and np.allclose(wide, judge(x, w), atol=0.1)


@pytest.mark.parametrize("seed", [7, 2**31, 2**40 + 5, -3, 2**63 + 1, np.int64(2**40), np.array([-(2**40)]),
                                  np.array(2**32 - 1, np.uint32)])  # fmt: skip
def test_the_same_weights_are_left_out(seed):
    """By seeds of more than 32 bits also where JAX has no integers of 64."""
    from avelang import ops

    q = RNG.standard_normal((1, 2, 4, 8), np.float32)

    def left(q, seed):
        return ops.attention(q, q, q, dropout_p=0.5, dropout_seed=seed)

    number = int(np.reshape(seed, -1)[0]) if isinstance(seed, np.ndarray) else int(seed)
    words = np.array([number % 2**32, (number >> 32) % 2**32], np.uint32)
    want = left(q, seed)
    assert close([left(jnp.asarray(q), seed), jax.jit(left)(q, jnp.asarray(words)), left(q, words)], [want] * 3)
    got = jax.grad(lambda q: (jax.jit(lambda q: left(q, seed))(q) ** 2).sum())(jnp.asarray(q))
    assert close([got], [jax.grad(lambda q: (left(q, jnp.asarray(words)) ** 2).sum())(jnp.asarray(q))])


def test_views_of_a_gpu_as_another_dtype():
    from avelang.bridge.device_views import DeviceView

    view = DeviceView(4096, (4, 2), np.dtype(np.uint32), "cuda:0")[1].view("int64")
    assert (view.address, view.shape, view.dtype, view.strides) == (4104, (1,), np.int64, (8,))


def test_a_seed_that_numpy_refuses():
    from avelang import ops

    q = np.zeros((1, 1, 2, 8), np.float32)
    for x in (q, jnp.asarray(q)):
        for seed in (np.array([1], np.uint64), np.zeros(3, np.uint32), np.zeros(2, np.int32)):
            with pytest.raises(ArgumentError, match="dropout_seed is"):
                ops.attention(x, x, x, dropout_p=0.5, dropout_seed=seed)


def test_shape_rules_get_the_kind_of_gpu(monkeypatch):
    """JAX calls CUDA's and ROCm's devices "gpu"; a default device is asked first."""
    cpu = jax.devices("cpu")[0]
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    for version, name in (("PJRT C API\ncuda 13010", "cuda"), ("PJRT C API\nrocm 70000", "rocm")):
        client = types.SimpleNamespace(platform_version=version)
        monkeypatch.setattr(jax, "devices", lambda platform, c=client: [types.SimpleNamespace(client=c)])
        assert jax_calls._described(jax, jnp.zeros(2)).device == name
    for chosen in (cpu, "cpu"):
        with jax.default_device(chosen):
            assert jax_calls._described(jax, jnp.zeros(2)).chip == "cpu"


SCRIPT = """
import sys, jax, jax.numpy as jnp, numpy as np
from jax import export
from jax.sharding import Mesh, PartitionSpec as P
from tests.bridge.operations import scaled

x, w = jnp.asarray(np.random.default_rng(1).standard_normal((4, 5, 7), np.float32)), jnp.arange(7.0)
mesh = Mesh(np.array(jax.devices()), ("rows",))
split = lambda f: jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(P("rows"), P()), out_specs=P("rows")))
for f, g in ((split(scaled), lambda x, w: 2 * x * w),):
    assert np.allclose(f(x, w), g(x, w))
    got, want = (jax.grad(lambda x, w: (h(x, w) ** 2).sum(), (0, 1))(x, w) for h in (f, g))
    assert all(np.allclose(a, b, rtol=1e-5, atol=1e-4) for a, b in zip(got, want))
allowed = [export.DisabledSafetyCheck.custom_call("avelang")]
rows, = export.symbolic_shape("rows")
kept = export.export(jax.jit(lambda x, w: scaled(x, w, factor=3.0)), disabled_checks=allowed)(
    jax.ShapeDtypeStruct((rows, 7), jnp.float32), w)
for n in (2, 5):
    assert np.allclose(kept.call(jnp.ones((n, 7)), w), 3 * w)
try:
    import flatbuffers
except ImportError:
    sys.exit()
open(sys.argv[1], "wb").write(kept.serialize())
"""
OTHER = """
import sys, jax, jax.numpy as jnp, numpy as np, avelang.bridge
from jax import export
avelang.bridge.register_jax()
kept = export.deserialize(open(sys.argv[1], "rb").read())
assert np.allclose(kept.call(jnp.ones((3, 7)), jnp.arange(7.0)), 3 * np.arange(7.0))
"""


def test_shards_and_exported_programs(tmp_path):
    """In processes of their own: two devices are asked for before JAX starts, and a program outlives its process."""
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(ROOT)])
    for code in (SCRIPT, OTHER):
        done = subprocess.run([sys.executable, "-c", code, tmp_path / "kept"], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
        if not (tmp_path / "kept").exists():
            return  # jax.export writes with `flatbuffers`, which is not here


def plans(x, y, *, invariant: bool | None = None):
    """Writes which plan it took."""
    y[...] = 1 + bool(invariant)


def test_invariance_is_part_of_what_jit_keeps():
    """A traced function is traced again inside of `ops.invariant()`, and not a third time outside; for all threads."""
    which = op(lambda x: Array(x.shape, x.dtype))(plans)
    x = drawn(3)
    for f in (jax.jit(which), jax.jit(lambda x: which(x) * 1), jax.vmap(jax.jit(which)), jax.jit(jax.jit(which))):
        said = lambda f=f: float(f(x)[0])
        assert said() == 1
        with invariant():
            found = []
            thread = threading.Thread(target=lambda: found.append(said()))
            thread.start()
            thread.join()
            assert [said(), *found] == [2, 2]
            with invariant(False):
                assert said() == 1
            assert said() == 2
        assert said() == 1
    f = jax.jit(lambda x: which(x) + 0)  # what is traced for other threads is not counted
    for on in (False, True, False, True):
        with invariant(on):
            f(x)
    assert f._cache_size() == 2


def test_the_backward_has_the_invariance_of_its_forward():
    seen = []

    def shapes(x):
        return Array(x.shape, x.dtype)

    @op(shapes)
    def chosen(x, y, *, invariant: bool | None = None):
        y[...] = x

    @chosen.backward(saves=())
    def _(grads, inputs, outputs, *, invariant):
        seen.append(invariant)
        return grads[0]

    f = jax.jit(jax.grad(lambda x: chosen(x).sum()))
    f(drawn(3))
    with invariant():
        f(drawn(3))
    f(drawn(3))
    assert seen == [False, True]


def test_a_host_function_without_a_kernel_falls_back():
    """An eager call does; a program has begun by then, and names the operation."""
    def shapes(x):
        return Array(x.shape, x.dtype)

    @op(shapes)
    def refusing(x, y):
        if x.shape[0] > 2:
            raise no_kernel(f"x has {x.shape[0]} elements")
        y[...] = x

    @refusing.fallback
    def _(x):
        return 9 * x

    short, long = drawn(2), drawn(3)
    assert np.array_equal(refusing(short, fallback=True), short) and np.array_equal(refusing(long, fallback=True), 9 * long)
    for call in (lambda: refusing(long), lambda: jax.jit(lambda x: refusing(x, fallback=True))(long)):
        with pytest.raises(Exception, match=r"L066\] `refusing`: x has 3 elements"):
            jax.block_until_ready(call())
    refusing(short)
