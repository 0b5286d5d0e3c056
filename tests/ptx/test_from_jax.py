"""JAX: eager, under jit, vmap and shard_map, by XLA's foreign functions; on the CPU the handler executes the PTX, which
proves its reading of XLA's structs."""

from __future__ import annotations

import numpy as np
import pytest
from tests import tools
from tests.bridge.frames import Frames
from tests.ptx import programs
from tests.runtime import cuda

from avelang.base.errors import AveError
from avelang.bridge import jax_calls, xla
from avelang.ptx.operations import operation_of

jax = pytest.importorskip("jax")
jnp = jax.numpy


def test_eager_and_jit():
    k = programs.saxpy()
    x, y = jnp.arange(5.0), jnp.ones(5)
    for call in (k, jax.jit(k, static_argnums=2), jax.jit(lambda x, y, a: k(x, y, 2.0) + 0 * x)):
        out = call(x, y, 2.0)
        assert isinstance(out, jax.Array) and out.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


def test_sizes_are_those_of_each_trace():
    k = programs.saxpy()
    f = jax.jit(lambda x: k(x, x, 1.0))
    assert [f(jnp.ones(n)).shape for n in (3, 4, 3)] == [(3,), (4,), (3,)]


def test_bf16_and_two_dimensions():
    k, rng = programs.tiled_gemm(), np.random.default_rng(3)
    a, b = (jnp.asarray(rng.standard_normal((32, 32)), jnp.bfloat16) for _ in range(2))
    out = jax.jit(k)(a, b)
    assert np.allclose(out, a.astype(jnp.float32) @ b.astype(jnp.float32).T, atol=1e-3)


def test_vmap_calls_it_for_each_element():
    k = programs.saxpy()
    x = jnp.arange(12.0).reshape(3, 4)
    out = jax.jit(jax.vmap(lambda x: k(x, x, 3.0)))(x)
    assert np.array_equal(out, 4 * x)


def test_shard_map():
    from jax.sharding import Mesh, PartitionSpec

    k = programs.saxpy()
    mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
    f = jax.jit(
        jax.shard_map(lambda x: k(x, x, 3.0), mesh=mesh, in_specs=PartitionSpec("d"), out_specs=PartitionSpec("d"))
    )
    assert np.array_equal(f(jnp.arange(4.0)), 4 * jnp.arange(4.0))


@pytest.mark.parametrize(("code", "call"), [
    ("L041", lambda k, x: jax.jit(lambda x: k(x, x[:2], 1.0))(x)),
    ("L012", lambda k, x: jax.jit(lambda x: k(x, x.astype(jnp.int32), 1.0))(x)),
    ("L047", lambda k, x: jax.jit(k)(x, x, 2.0)),
    ("L010", lambda k, x: jax.jit(lambda x: k(x, 3, 1.0))(x)),
    ("L012", lambda k, x: k(x, x.astype(jnp.int32), 1.0)),
])  # fmt: skip
def test_what_does_not_fit_is_said_while_jax_traces(code, call):
    with pytest.raises(AveError) as caught:
        call(programs.saxpy(), jnp.ones(4))
    assert caught.value.code == code


def test_an_error_while_it_runs_passes_through_xla(monkeypatch):
    k = programs.saxpy()
    f = jax.jit(lambda x: k(x, x, 1.0))
    f.lower(jnp.ones(7))
    monkeypatch.setattr(type(k._caller), "run", lambda *args: 1 // 0)
    with pytest.raises(Exception, match="ZeroDivisionError"):
        jax.block_until_ready(f(jnp.ones(7)))


def test_on_cuda_it_goes_to_the_stream_that_xla_gives(monkeypatch):
    """XLA's structs are made here; the driver is a stub that records the launch."""
    tools.command("gcc", "cc")
    machine, k = cuda.Machine(monkeypatch), programs.saxpy()
    jax.jit(lambda x: k(x, x, 2.0)).lower(jnp.ones(8))
    operation = operation_of(k._caller)
    key = jax_calls._said(operation, (2.0,), (True, True))
    arrays = [machine.own(np.zeros(8, np.float32), 1) for _ in range(3)]
    buffers = [xla.Buffer(a.ctypes.data, (8,), "float32") for a in arrays]
    machine.lib.stub_stream(0x7700, 1)
    frames = Frames(lambda size: 0, 0x7700)
    assert not frames.call(xla._handlers[jax_calls.TARGET][1].slow, key, buffers[:2], buffers[2:])
    a, b, out = (x.ctypes.data for x in arrays)
    assert machine.values() == [a, b, 0x40000000, out]
    assert (machine.last.stream, machine.last.device, list(machine.last.grid)) == (0x7700, 1, [1, 1, 1])


def test_options_are_refused():
    with pytest.raises(AveError, match="L047"):
        programs.saxpy()(jnp.ones(4), jnp.ones(4), 1.0, stream=3)
