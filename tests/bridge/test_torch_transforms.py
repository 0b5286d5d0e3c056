"""`avelang.op` in torch beyond a plain call: autocast, torch.func, forward mode, DTensor, modes that watch."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from tests.bridge.operations import SEEN, scaled
from tests.bridge.test_torch_operator import drawn

from avelang.base.errors import AveError
from avelang.bridge import Array, op

torch = pytest.importorskip("torch")
ROOT = pathlib.Path(__file__).parents[2]


def judge(x, w, factor=2.0):
    return factor * x * w


def test_vmap_and_grad_of_torch_func():
    x, w, many = drawn(4, 5, 7), drawn(7), drawn(4, 7)
    for axes, given, want, calls in (((0, None), (x, w), judge(x, w), 1), ((1, None), (x, w), judge(x, w).movedim(1, 0), 1),
                                     ((0, 0), (x, many), judge(x, many[:, None]), 4), ((None, 0), (x, many), judge(x, many[:, None, None]), 4)):  # fmt: skip
        SEEN.clear()
        assert torch.allclose(torch.func.vmap(scaled, axes)(*given), want) and len(SEEN) == calls
    mine, theirs = (lambda x, w, f=f: (f(x, w) ** 2).sum() for f in (scaled, judge))
    got, want = (torch.func.vmap(torch.func.grad(f, (0, 1)), (0, None))(x, w) for f in (mine, theirs))
    assert all(torch.allclose(a, b, rtol=1e-4) for a, b in zip(got, want, strict=True))


def test_forward_mode_is_refused():
    x, w = drawn(4, 7), drawn(7)
    with torch.autograd.forward_ad.dual_level():
        assert torch.allclose(scaled(x, w), judge(x, w))  # no tangents, nothing lost
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        with pytest.raises(AveError, match="L069"):
            scaled(dual, w)
    with pytest.raises(AveError, match="L069"):
        torch.func.jvp(lambda x: scaled(x, w), (x,), (x,))


def test_forward_mode_of_elements_of_vmap():
    """A tangent inside of what vmap wraps is seen, and none is where there is none."""
    x, w = drawn(4, 5, 7), drawn(7)
    many = torch.func.vmap(lambda x: scaled(x, w))
    with pytest.raises(AveError, match="L069"):
        torch.func.jvp(many, (x,), (x,))
    got, tangent = torch.func.jvp(lambda y: y + many(x), (x,), (x,))
    assert torch.allclose(got, x + judge(x, w)) and torch.equal(tangent, x)


@op(lambda x, seed=None: Array(x.shape, x.dtype), batched=("x",), apart=("seed",))
def placed(x, seed, out):
    """x and, with a seed, the shape that came."""
    out[...] = x if seed is None else x + len(x.shape)
    CALLS.append(tuple(x.shape))


CALLS: list[tuple[int, ...]] = []


def test_what_depends_on_an_elements_place_is_called_apart():
    x, seed = drawn(3, 4, 7), torch.zeros(1)
    for given, calls in ((None, [(3, 4, 7)]), (seed, [(4, 7)] * 3)):
        CALLS.clear()
        assert torch.equal(torch.func.vmap(lambda x, s=given: placed(x, s))(x), torch.stack([placed(a, given) for a in x]))
        assert CALLS[: len(calls)] == calls


def test_vmap_over_nothing():
    x, w, many = drawn(0, 5, 7), drawn(7), drawn(0, 7)
    assert torch.func.vmap(lambda x: scaled(x, w))(x).shape == (0, 5, 7)
    assert torch.func.vmap(scaled)(x, many).shape == (0, 5, 7)


@op(lambda x: Array(x.shape, x.dtype))
def squared(x, out):
    """x ** 2, whose backward computes with what was saved."""
    out[...] = x * x


squared.backward(lambda grads, inputs, outputs: 2 * scaled(grads[0] * inputs[0], torch.ones(7), factor=1.0))


def test_gradients_after_vjp_returned_and_of_batches_of_grads():
    """What torch.func has saved is dead then, and autograd's own vmap wraps gradients: neither has memory."""
    x = drawn(3, 7)
    made, back = torch.func.vjp(squared, x)
    assert torch.allclose(back(torch.ones_like(made))[0], 2 * x)
    for f, want in ((squared, lambda x: x * x), (lambda x: scaled(x, torch.ones(7)), lambda x: 2 * x)):
        got, wanted = (torch.autograd.functional.jacobian(g, x, vectorize=True) for g in (f, want))
        assert torch.allclose(got, wanted)


def test_second_derivatives_through_what_a_call_does_not_return_are_refused():
    """The backward of `scaled` reads factor * w: of it torch knows nothing. By the gradient of the output, and without
    a second derivative, it is right."""
    x, w = drawn(4, 7, grad=True), drawn(7, grad=True)
    for first in (True, False):
        (g,) = torch.autograd.grad((scaled(x, w) ** 2).sum(), x, create_graph=True)
        assert torch.allclose(g, 8 * x * w * w, rtol=1e-4)
        with pytest.raises(AveError, match="L069.*second derivative"):
            (torch.autograd.grad((g**2).sum() + (w**2).sum(), w) if first else (g**2).sum().backward())
    given = torch.ones(4, 7, requires_grad=True)
    (g,) = torch.autograd.grad(scaled(x, w), x, given, create_graph=True)
    assert torch.allclose(torch.autograd.grad(g.sum(), given)[0], (2 * w).expand(4, 7))
    with pytest.raises(AveError, match="L069"):
        torch.func.grad(lambda w: torch.func.grad(lambda x: (scaled(x, w) ** 2).sum())(x).sum())(w)


def policy(name):
    @op(lambda x: Array(x.shape, x.dtype), autocast=name)
    def same(x, out):
        out[...] = x

    same.backward(lambda grads, inputs, outputs: grads[0])
    return same


def test_autocast_has_the_policies_of_torch():
    x = drawn(4, grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert policy("lower")(x).dtype == torch.bfloat16 and policy("float32")(x.bfloat16()).dtype == torch.float32
        assert policy(None)(x).dtype == torch.float32 and policy("lower")(x.double()).dtype == torch.float64
        policy("lower")(x).sum().backward()
    assert x.grad.dtype == torch.float32 and policy("lower")(x).dtype == torch.float32
    lower = policy("lower")

    @torch.compile(fullgraph=True, backend="aot_eager")
    def f(x):
        with torch.autocast("cpu", dtype=torch.float16):
            return lower(x)

    assert f(x.detach()).dtype == torch.float16


def test_modes_see_the_operator():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    names = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    x, w = drawn(4, 7), drawn(7)
    with Log():
        scaled(x, w)
    assert "tests_bridge_operations.scaled.default" in names
    with FakeTensorMode() as mode:
        SEEN.clear()
        made = scaled(mode.from_tensor(x), mode.from_tensor(w))
        assert made.shape == (4, 7) and not SEEN
    with torch.device("meta"):
        assert scaled(torch.empty(4, 7), torch.empty(7)).device.type == "meta"
    with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        y = drawn(4, 7, grad=True)
        torch.utils.checkpoint.checkpoint(scaled, y, w, use_reentrant=False).sum().backward()
        assert torch.allclose(y.grad, (2 * w).expand(4, 7))


def test_saved_tensors_that_were_changed_are_noticed():
    x, w = drawn(4, 7), drawn(7, grad=True)
    y = scaled(x, w)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_eager_torch_keeps_what_the_backward_reads():
    kept = []

    def pack(x):
        kept.append(tuple(x.shape))
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        scaled(drawn(4, 7), drawn(7, grad=True))
    assert kept == [(4, 7), (4, 7)]  # x and kept: neither w nor out


def test_results_are_of_their_own_memory_and_strides():
    x, w = drawn(6, 7).T.contiguous().T, drawn(7)
    assert not x.is_contiguous() and scaled(x, w).is_contiguous() and torch.allclose(scaled(x, w), judge(x, w))
    assert scaled(drawn(0, 7), w).shape == (0, 7)
    rng = np.random.default_rng(3)
    for _ in range(20):
        shape = tuple(int(n) for n in rng.integers(1, 5, rng.integers(1, 4)))
        x = drawn(*(2 * n for n in shape))[tuple(slice(None, None, 2) for _ in shape)]
        w = drawn(2 * shape[-1])[::2]
        assert torch.allclose(scaled(x, w, factor=-1.0), judge(x, w, -1.0))


SCRIPT = """
import torch, torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from tests.bridge.operations import scaled
mesh = init_device_mesh("cpu", (2,))
x, w = torch.randn(4, 6, 7), torch.randn(7)
for d in (0, 1):
    split = DTensor.from_local(x.chunk(2, d)[0], mesh, [Shard(d)])
    whole = DTensor.from_local(w.clone().requires_grad_(), mesh, [Replicate()])
    y = scaled(split, whole)
    assert y.placements == (Shard(d),) and y.shape == x.shape, y.placements
    assert torch.allclose(y.to_local(), 2 * x.chunk(2, d)[0] * w)
    y.sum().backward()
split = DTensor.from_local(x.chunk(2, 2)[0][..., :3], mesh, [Shard(2)])
assert scaled(split, DTensor.from_local(torch.randn(6), mesh, [Replicate()])).shape == (4, 6, 6)
"""


def test_shards_of_dtensor():
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
