"""`ops.linear`, and the gradients of `ops.matmul`, against torch in float64."""

from __future__ import annotations

import numpy as np
import pytest

from avelang import ops

torch = pytest.importorskip("torch")
ACT = {
    None: lambda x: x,
    "relu": torch.relu,
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
}


def close(got, want, least):
    assert got.shape == want.shape and got.dtype == torch.float32 or got.dtype == torch.bfloat16
    size = want.abs().max().item() + 1e-9
    assert (got.double() - want).abs().max().item() <= least * size


@pytest.mark.parametrize("activation", [*ACT])
def test_linear_and_its_gradients(activation):
    torch.manual_seed(0)
    x, w, b = (torch.randn(s, requires_grad=True) for s in ((2, 9, 24), (40, 24), (40,)))
    g = torch.randn(2, 9, 40)
    y = ops.linear(x, w, b, activation=activation)
    mine = torch.autograd.grad(y, (x, w, b), g)
    copies = [v.detach().double().requires_grad_() for v in (x, w, b)]
    want = ACT[activation](torch.nn.functional.linear(*copies))
    close(y, want, 2e-6)
    for one, two in zip(mine, torch.autograd.grad(want, copies, g.double())):
        close(one, two, 2e-5)


@pytest.mark.parametrize("shapes", [((2, 1, 9, 24), (3, 24, 16)), ((9, 24), (2, 24, 16)), ((24,), (24, 8)), ((9, 24), (24,))])
def test_gradients_of_broadcast_matmul(shapes):
    torch.manual_seed(1)
    a, b = (torch.randn(s, dtype=torch.bfloat16, requires_grad=True) for s in shapes)
    y = ops.matmul(a, b)
    x, z = (v.detach().double().requires_grad_() for v in (a, b))
    want = torch.matmul(x, z)
    g = torch.randn_like(y)
    for one, two in zip(torch.autograd.grad(y, (a, b), g), torch.autograd.grad(want, (x, z), g.double())):
        close(one, two, 2**-6)


def test_compiled_without_a_break():
    torch.manual_seed(2)
    x, w = torch.randn(9, 24, requires_grad=True), torch.randn(16, 24, requires_grad=True)
    f = lambda x, w: ops.linear(x, w, activation="silu").sum()
    one = torch.autograd.grad(torch.compile(f, fullgraph=True, backend="aot_eager")(x, w), (x, w))
    for a, b in zip(one, torch.autograd.grad(f(x, w), (x, w))):
        assert torch.equal(a, b)


def test_a_weight_keeps_its_layout():
    x, w = torch.randn(9, 24), torch.randn(16, 24, requires_grad=True)
    ops.linear(x, w).sum().backward()
    assert w.grad.is_contiguous()


def test_of_numpy_into_out_and_refused():
    rng = np.random.default_rng(3)
    x, w, b = (rng.standard_normal(s).astype(np.float32) for s in ((5, 24), (16, 24), (16,)))
    out = np.full((5, 16), np.nan, np.float32)
    assert ops.linear(x, w, b, out=out) is out
    np.testing.assert_allclose(out, x.astype(np.float64) @ w.T + b, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="weight is of 3 dimensions"):
        ops.linear(x, w[None])
