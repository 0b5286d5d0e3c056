"""Bare launches under torch.compile: one graph, no break, and only what a kernel writes is changed."""

from __future__ import annotations

import warnings

import pytest

import avelang
import avelang.language as al
from avelang.bridge import bare

torch = pytest.importorskip("torch")


@avelang.jit
def axpy(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, factor: al.f32, UNROLL: al.constexpr = 1):
    i, T = al.block_id(0) * 64 + al.thread_id(0), al.Tensor((n,), al.f32)
    if i < n:
        out = al.make_tensor(y, T)
        out[i] = out[i] + factor * al.make_tensor(x, T)[i] * UNROLL


@avelang.jit
def fill(y: al.Pointer(al.f32), n: al.i32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    if i < n:
        out = al.make_tensor(y, al.Tensor((n,), al.f32))
        out[i] = 7.0


def compiled(f, backend="aot_eager"):
    return torch.compile(f, fullgraph=True, backend=backend)


@pytest.mark.parametrize("first", [False, True], ids=["compiled first", "launched first"])
def test_one_graph(first):
    @avelang.jit
    def twice(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32):
        i, T = al.block_id(0) * 64 + al.thread_id(0), al.Tensor((n,), al.f32)
        if i < n:
            out = al.make_tensor(y, T)
            out[i] = 2.0 * al.make_tensor(x, T)[i]

    if first:
        twice[1, 64](torch.ones(4), torch.ones(4), 4)

    def f(x):
        y = torch.empty_like(x)
        twice[lambda: ((-(-x.numel() // 64),), (64,))](x * 1.0, y, x.numel())
        return y + 1

    g = compiled(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (4, 100, 130):
            assert torch.equal(g(torch.ones(n)), torch.full((n,), 3.0))
    assert bare.written(twice._facts()[0], "()") == ("y",)


def test_arguments_by_name_and_what_the_caller_gave_is_changed():
    def f(x, y, weight):
        axpy[1, 64](weight, y, n=x.shape[0], factor=2.0, UNROLL=3)
        fill[(1,), (64,)](x, x.shape[0])
        return (x * weight).sum() + y.sum()

    for way in (f, compiled(f)):
        weight = torch.nn.Parameter(torch.ones(8))
        with torch.no_grad():
            x, y = torch.ones(8), torch.ones(8)
            assert way(x, y, weight).item() == 8 * 7 + 8 * 7
        assert torch.equal(x, torch.full((8,), 7.0)) and torch.equal(y, torch.full((8,), 7.0))


def test_changes_keep_their_order():
    def f(x):
        y = torch.zeros_like(x)
        axpy[1, 64](x.sin(), y, x.shape[0], 2.0)
        z = y.clone()
        axpy[1, 64](x.sin(), y, x.shape[0], 1.0)
        return y - z

    x = torch.randn(16)
    assert torch.allclose(compiled(f, "aot_eager_decomp_partition")(x), x.sin(), atol=1e-6)


def test_kernels_of_one_name_are_told_apart():
    def maker(value):
        @avelang.jit
        def same(y: al.Pointer(al.f32)):
            out = al.make_tensor(y, al.Tensor((1,), al.f32))
            out[0] = value

        return same

    made = [maker(1.0), maker(2.0)]

    def f(y):
        made[0][1, 1](y[:1])
        made[1][1, 1](y[1:])
        return y * 1

    assert compiled(f)(torch.zeros(2)).tolist() == [1.0, 2.0]
