"""Autograd: a gradient is never lost without a word, and what a kernel writes is known to torch as changed: by every way to launch."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

torch = pytest.importorskip("torch")
F = al.Tensor((8,), al.f32)


@avelang.jit
def double(a: F, out: F, by: al.f32 = 2.0):
    t = al.thread_id(0)
    out[t] = a[t] * by


@avelang.jit
def pointers(a: al.Pointer(al.f32), out: al.Pointer(al.f32)):
    t = al.thread_id(0)
    x, y = al.make_tensor(a, al.Tensor((8,), al.f32)), al.make_tensor(out, al.Tensor((8,), al.f32))
    y[t] = x[t] * 2.0


def refused(*args, kernel=double, **options):
    with pytest.raises(AveError) as e:
        kernel[1, 8](*args, **options)
    assert e.value.code == "L055" and "detach" in e.value.hint, e.value
    return e.value


class Sub(torch.Tensor):
    pass


def wanting():
    """Tensors that require a gradient, each in its way."""
    leaf = torch.ones(8, requires_grad=True)
    base, late = torch.zeros(16), torch.zeros(16)
    view = late[8:]
    late[:8].mul_(leaf)
    yield from (leaf, leaf * 2, torch.ones(16, requires_grad=True)[8:], torch.nn.Parameter(torch.ones(8)), view, base[8:].add(leaf))
    yield torch.ones(8, requires_grad=True).as_subclass(Sub)


@pytest.mark.parametrize("kernel", [double, pointers])
def test_a_tensor_that_requires_a_gradient_is_refused(kernel):
    x, out = torch.arange(8.0), torch.zeros(8)
    for _ in range(3):  # the host code serves by now
        kernel[1, 8](x, out)
    assert kernel.last.how == "hot"
    for w in wanting():
        for _ in range(2):
            e = refused(w, out, kernel=kernel)
            assert "'a'" in e.message
            refused(x, w, kernel=kernel)
        kernel[1, 8](w.detach(), out)
        assert out.tolist() == (w.detach() * 2).tolist()
        with torch.no_grad():
            for _ in range(2):
                kernel[1, 8](w, out)
            with torch.enable_grad():
                refused(w, out, kernel=kernel)
        with torch.inference_mode():
            kernel[1, 8](w, torch.zeros(8))
        refused(w, out, kernel=kernel)


@pytest.mark.parametrize("options", [{}, {"backend": "reference"}, {"backend": "gfx942-exec"}], ids=str)
def test_numbers_and_engines(options):
    x, out = torch.arange(8.0), torch.zeros(8)
    refused(torch.ones(8, requires_grad=True), out, **options)
    assert "'by'" in refused(x, out, torch.tensor(3.0, requires_grad=True), **options).message
    before = out._version, x._version
    double[1, 8](x, out, torch.tensor(3.0), **options)
    assert (out._version, x._version) == (before[0] + 1, before[1]) and out[2] == 6


def test_in_a_function_of_autograd():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            out = torch.empty_like(a)
            double[1, 8](a, out)
            return out

        @staticmethod
        def backward(ctx, g):
            out = torch.empty_like(g)
            double[1, 8](g.contiguous(), out)
            return out

    w = torch.arange(8.0, requires_grad=True)
    for _ in range(3):
        y = Double.apply(w)
        (grad,) = torch.autograd.grad((y * y).sum(), w)
        assert grad.tolist() == [8.0 * i for i in range(8)]


def test_what_was_saved_and_is_overwritten_is_found():
    x = torch.arange(8.0)
    for kernel in (double, pointers):
        for _ in range(3):
            kernel[1, 8](x, torch.zeros(8))
            for make in (lambda: torch.ones(8), lambda: torch.ones(16)[8:], lambda: torch.ones(8).as_subclass(Sub)):
                saved, w = make(), torch.ones(8, requires_grad=True)
                loss = (w * saved).sum()
                kernel[1, 8](x, saved)
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()


def test_only_what_is_written_changes():
    x, base = torch.arange(8.0), torch.zeros(24)
    for i in range(1, 4):
        double[1, 8](x, base[8:16])
        assert (x._version, base._version) == (0, i)
    with torch.inference_mode():
        made = torch.zeros(8)
        for _ in range(2):
            double[1, 8](x, made)  # it has no version
    assert made[1] == 2 and x._version == 0
    double[1, 8](np.arange(8, dtype=np.float32), out := torch.zeros(8))
    double[1, 8](np.arange(8, dtype=np.float32), out)
    assert out._version == 2
