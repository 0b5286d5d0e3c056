"""`avelang.op` in JAX: jit, grad, vmap, shard_map, export; all through XLA's foreign functions."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from tests.bridge.operations import SEEN, scaled

from avelang.base.errors import ArgumentError, AveError
from avelang.bridge import Array, invariant, op

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


def test_a_batch_is_one_call_where_it_is_a_dimension():
    x, w, many = drawn(4, 5, 7), drawn(7), drawn(4, 7)
    for axes, given, want, calls in (((0, None), (x, w), judge(x, w), 1), ((1, None), (x, w), judge(x, w).swapaxes(0, 1), 1),
                                     ((0, 0), (x, many), judge(x, many[:, None]), 4), ((None, 0), (x, many), judge(x, many[:, None, None]), 4)):  # fmt: skip
        SEEN.clear()
        assert close([jax.vmap(scaled, axes)(*given)], [want]) and len(SEEN) == calls
    mine, theirs = (lambda x, w, f=f: (f(x, w) ** 2).sum() for f in (scaled, judge))
    got, want = (jax.vmap(jax.vmap(jax.grad(f, (0, 1)), (0, None)), (0, None))(x, w) for f in (mine, theirs))
    assert close(got, want)


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
