"""PyTorch: eager, `torch.compile(fullgraph=True)` with fake tensors, gradients by a backward that the user gives,
opcheck."""

from __future__ import annotations

import pytest
from tests.ptx import programs

from avelang.base.errors import AveError
from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import f32

torch = pytest.importorskip("torch")


def square_maker():
    @kernel(
        in_specs=(Tile("N", f32), f32),
        out_specs=(Tile("N", f32), Tile("N", f32)),
        grid=1,
        block=lambda N: N,
        arch="sm_80",
    )
    def squares(x, a, out, twice):
        px, po, pt = ptx.global_ptrs(x, out, twice)
        i = ptx.special.tid.x() * 4
        value = reg.scalar(f32)
        ptx.inst.ld.global_.f32(value, ptx.addr(px + i))
        ptx.inst.st.global_.f32(ptx.addr(po + i), value * value * ptx.param(a))
        ptx.inst.st.global_.f32(ptx.addr(pt + i), value + value)

    return squares


def test_eager():
    x, y = torch.arange(5.0), torch.ones(5)
    out = programs.saxpy()(x, y, 2.0)
    assert isinstance(out, torch.Tensor) and out.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    with pytest.raises(AveError, match="L012"):
        programs.saxpy()(x.double(), y, 2.0)


def test_compiled_in_one_graph():
    k = programs.saxpy()

    @torch.compile(fullgraph=True, backend="aot_eager")
    def f(x, y):
        return k(x * 2, y, 3.0).sum()

    for n in (4, 6):
        assert f(torch.ones(n), torch.ones(n)).item() == 7 * n


def test_gradients_by_a_backward():
    k = square_maker()
    x = torch.arange(4.0, requires_grad=True)
    with pytest.raises(AveError) as e:
        k(x, 3.0)
    assert e.value.code == "L055" and "@kernel.backward" in e.value.hint, "without a backward there is no gradient"
    assert not k(x.detach(), 3.0)[0].requires_grad

    @k.backward
    def backward(inputs, outputs, gradients):
        (_, twice), (g, h) = outputs, gradients
        return 3.0 * twice * g + 2 * h

    wanted = 6 * x.detach() + 2 * 5
    for call in (k, torch.compile(lambda x, a: k(x, a), fullgraph=True, backend="aot_eager")):
        x.grad = None
        out, twice = call(x, 3.0)
        (out.sum() + 5 * twice.sum()).backward()
        assert torch.equal(x.grad, wanted)


def test_out_is_refused_where_a_gradient_is_wanted():
    k = square_maker()
    k.backward(lambda inputs, outputs, gradients: inputs)
    x = torch.arange(4.0, requires_grad=True)
    with pytest.raises(AveError, match="L047"):
        k(x, 3.0, out=(torch.empty(4), torch.empty(4)))


def test_a_backward_that_gives_too_few():
    k = square_maker()
    k.backward(lambda inputs, outputs, gradients: ())
    x = torch.arange(4.0, requires_grad=True)
    with pytest.raises(AveError, match="L047"):
        k(x, 3.0)[0].sum().backward()


def test_opcheck():
    from avelang.ptx import operations

    k = square_maker()
    k.backward(lambda inputs, outputs, gradients: 6 * inputs[0] * gradients[0] + 2 * gradients[1])
    name = operations.operation_of(k._caller).prepare().split("::")[1]
    op = getattr(torch.ops.avelang_ptx, name).default
    for wants in (False, True):
        torch.library.opcheck(op, (torch.arange(4.0, requires_grad=wants), 3.0))


def test_kernels_of_one_name_are_told_apart():
    from avelang.ptx.operations import operation_of

    a, b = square_maker(), square_maker()
    assert operation_of(a._caller).prepare() != operation_of(b._caller).prepare()
    assert operation_of(a._caller).prepare() == operation_of(a._caller).prepare()


def test_options_are_refused_under_compile():
    k, out = programs.saxpy(), torch.empty(4)
    f = torch.compile(lambda x: k(x, x, 1.0, out=out), fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match="not under torch.compile"):
        f(torch.ones(4))
