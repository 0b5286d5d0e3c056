"""Operations and bare launches under torch.compile: what is traced runs the operation that stands there, `out=` is
checked as in eager calls, errors keep their words, DTensor needs no eager call before."""

from __future__ import annotations

import subprocess
import sys

import pytest

import avelang
import avelang.language as al
from avelang import ops
from avelang.base.errors import AveError
from avelang.bridge import Array, op

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


def compiled(f, **named):
    return torch.compile(f, fullgraph=True, backend="aot_eager", **named)


def adding(number, name):
    """An operation that adds a number."""

    def host(x, out):
        out[...] = x + number

    host.__name__ = host.__qualname__ = name
    return op(lambda x: Array(x.shape, x.dtype))(host)


@avelang.jit
def add_one(x: al.Pointer(al.f32)):  # type: ignore
    al.make_tensor(x, al.Tensor((64,), al.f32))[al.thread_id(0)] += 1.0


@avelang.jit
def add_two(x: al.Pointer(al.f32)):  # type: ignore
    al.make_tensor(x, al.Tensor((64,), al.f32))[al.thread_id(0)] += 2.0




def of_kernels(x, kernel):
    y = x.clone()
    kernel[1, 64](y)
    return y


PAIRS = {
    "operations": (lambda x, f: f(x), adding(1, "plus_one"), adding(2, "plus_two")),
    "kernels": (of_kernels, add_one, add_two),
}
HELD = None


@pytest.mark.parametrize("kind", PAIRS)
def test_another_in_the_same_place_is_another(kind):
    """As an argument, in modules that are compiled one by one, and under a name that is bound anew."""
    global HELD
    call, one, two = PAIRS[kind]
    x = torch.zeros(64)

    class Module(torch.nn.Module):
        def __init__(self, f):
            super().__init__()
            self.f = f

        def forward(self, x):
            return call(x, self.f)

    f = compiled(call)
    assert [float(f(x, g)[0]) for g in (one, two, one)] == [1, 2, 1]
    modules = [Module(g) for g in (one, two, one)]
    for m in modules:
        m.compile(backend="aot_eager", fullgraph=True)
        x = m(x)
    assert float(x[0]) == 4
    g, found = compiled(lambda x: call(x, HELD)), []
    for HELD in (one, two):
        found.append(float(g(torch.zeros(64))[0]))
    assert found == [1, 2]


X = torch.randn(3, 8)
PARTS = X[None], X[None], torch.ones(3, 4), torch.ones(3, 4)
WRONG = {
    "dtype": (lambda out: ops.softmax(X, out=out), lambda: torch.zeros(3, 8, dtype=torch.int32)),
    "shape": (lambda out: ops.softmax(X, out=out), lambda: torch.zeros(2, 3, 8)),
    "number": (lambda out: ops.rotary(*PARTS, out=(out,)), lambda: torch.zeros(1, 3, 8)),
    "twice": (lambda out: ops.rms_norm(X, residual=X, out=(out, out)), lambda: torch.zeros(3, 8)),
    "stride": (lambda out: ops.softmax(X, out=out), lambda: torch.zeros(1, 8).expand(3, 8)),
    "gradient": (lambda out: ops.softmax(X, out=out), lambda: torch.zeros(3, 8, requires_grad=True)),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_out_that_does_not_fit_is_refused_as_in_eager(case):
    """Where a graph may break, the call runs as it is, and raises what it raises."""
    call, made = WRONG[case]
    for f in (call, torch.compile(call, backend="aot_eager")):
        with pytest.raises(AveError, match="L055" if case == "gradient" else "L066"):
            f(made())
    torch._dynamo.reset()
    with pytest.raises(Exception, match="L066"):
        compiled(call)(made())


def test_an_out_that_fits_is_filled():
    out = torch.full((3, 8), torch.nan)
    assert compiled(lambda out: ops.softmax(X, out=out))(out) is out
    assert torch.allclose(out, torch.softmax(X, -1), atol=1e-6)


@pytest.mark.parametrize(
    ("call", "said"),
    [(lambda x: ops.matmul(x, x), "rows"), (lambda x: ops.rms_norm(x, x[0, :5]), "weight is")],
    ids=["by the wrapper", "by the shape rule"],
)
def test_an_error_keeps_its_words(call, said):
    with pytest.raises(Exception, match=said) as e:
        compiled(call)(X)
    assert "_getframe" not in str(e.value) and "_fake" not in str(e.value)


@pytest.mark.parametrize("dynamic", [False, True])
def test_shards_of_dtensor_without_an_eager_call(dynamic):
    """Of a group of one process that says it is two: shapes and placements are those of the rules."""
    script = SCRIPT.replace("DYNAMIC", str(dynamic))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=170)
    assert done.returncode == 0 and done.stdout.split() == ["(4,", "6,", "8)"] * 3, done.stderr[-2000:]


SCRIPT = """
import torch, torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
from torch.distributed.tensor import DTensor, Replicate, Shard, init_device_mesh
from avelang import ops
from avelang.base.errors import AveError
mesh = init_device_mesh("cpu", (2,))
x = DTensor.from_local(torch.randn(2, 6, 8), mesh, [Shard(0)]).requires_grad_()
w = DTensor.from_local(torch.randn(8), mesh, [Replicate()])
for f in (lambda x: ops.rms_norm(x, w), ops.softmax, lambda x: ops.layer_norm(x, w, w)):
    y = torch.compile(f, backend="aot_eager", fullgraph=True, dynamic=DYNAMIC)(x)
    y.sum().backward()
    print(tuple(x.grad.shape))
"""
