"""The cross entropy of a linear layer in chunks of rows: values and gradients against float64, and its errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.ops import rows_reference as reference
from tests.ops.rows_reference import close

from avelang import ops
from avelang.base.errors import AveError
from avelang_kernels.loss.linear import UNIT, chunk_of, linear_losses
from avelang_kernels.matmul.hopper_gemm import gemm


def problem(rows: int, n: int, classes: int, dtype: Any) -> tuple[Any, Any, Any]:
    """x, weight and target, one of which is ignored."""
    rng = np.random.default_rng(rows)
    x, w = rng.standard_normal((rows, n)).astype(dtype), (rng.standard_normal((classes, n)) / 4).astype(dtype)
    target = rng.integers(0, classes, rows)
    target[2] = -100
    return x, w, target


def test_products_are_added_on_their_way_to_memory() -> None:
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((72, 40), (136, 40), (72, 136)))
    want = c.astype(float) + a.astype(float) @ b.astype(float).T
    gemm(a, b, c, accumulate=True, target="sm_90a")
    np.testing.assert_array_equal(c.astype(float), want)
    with pytest.raises(AveError, match="rows are multiples of 16 bytes"):
        gemm(a, b[:3], np.zeros((72, 3), np.float32), accumulate=True, target="sm_90a")


def test_losses_of_rows_and_the_gradient_of_the_bias() -> None:
    x, w, t = problem(150, 32, 50, np.float32)
    b = np.linspace(-1, 1, 50, dtype=np.float32)
    loss, losses, db = (np.full(shape, np.nan, np.float32) for shape in ((), 150, 50))
    linear_losses(x, w, t, b, loss, losses, smoothing=0.1, gradients=(None, None, db), chunk=64)
    logits = x.astype(float) @ w.astype(float).T + b.astype(float)
    want, slope = reference.losses(logits, t, -100, 0.1, 0, 0)
    close(losses, want, np.float32, 2)
    close(loss, want.sum() / (t != -100).sum(), np.float32)
    close(db, (slope / (t != -100).sum()).sum(0), np.float32, 4)


def test_torch_gets_loss_and_gradients_once() -> None:
    torch = pytest.importorskip("torch")
    x, w, t = problem(150, 32, 50, np.float32)
    x, w, t = torch.tensor(x).reshape(3, 50, 32).requires_grad_(), torch.tensor(w).requires_grad_(), torch.tensor(t)
    t = t.reshape(3, 50)

    def call(x: Any, w: Any) -> Any:
        return 3 * ops.linear_cross_entropy(x, w, t, chunk=64)

    want = 3 * torch.nn.functional.cross_entropy((x @ w.T).flatten(0, 1), t.flatten())
    grads = torch.autograd.grad(want, [x, w])
    for one in (call, torch.compile(call, fullgraph=True, backend="aot_eager")):
        got = one(x, w)
        torch.testing.assert_close(got, want)
        for g, h in zip(torch.autograd.grad(got, [x, w]), grads, strict=True):
            torch.testing.assert_close(g, h)
    got = call(x, w)
    torch.autograd.grad(got, [x, w], retain_graph=True)
    with pytest.raises(RuntimeError, match=r"\[L069\].*no second backward"):
        torch.autograd.grad(got, [x, w])
    frozen = call(x, w.detach())
    torch.testing.assert_close(torch.autograd.grad(frozen, [x])[0], grads[0])


def small(torch: Any) -> tuple[Any, Any, Any, Any, Any]:
    """x of two batches, weight, bias, the loss of a batch, and torch's."""
    x, w, t = problem(4, 8, 5, np.float32)
    x, w, t, b = torch.tensor(np.stack([x, x[::-1]])), torch.tensor(w), torch.tensor(t), torch.linspace(-1, 1, 5)

    def ours(x: Any, w: Any, b: Any) -> Any:
        return ops.linear_cross_entropy(x, w, t, b)

    def theirs(x: Any, w: Any, b: Any) -> Any:
        return torch.nn.functional.cross_entropy(x @ w.T + b, t)

    return x, w, b, ours, theirs


@pytest.mark.parametrize("dims", [(0, None, None), (0, 0, None)])
def test_gradients_inside_of_vmap(dims: Any) -> None:
    """vmap's tensors do not say that a gradient is wanted."""
    torch = pytest.importorskip("torch")
    x, w, b, ours, theirs = small(torch)
    given = x, w if dims[1] is None else torch.stack([w, w.flip(0)]), b

    def total(f: Any, *args: Any) -> Any:
        return torch.vmap(f, dims)(*args).square().sum()

    def backward(f: Any) -> Any:
        args = [a.clone().requires_grad_() for a in given]
        return torch.autograd.grad(total(f, *args), args)

    for way in (
        lambda f: torch.func.grad(lambda *a: total(f, *a), (0, 1, 2))(*given),
        lambda f: torch.vmap(torch.func.grad(f, (0, 1, 2)), dims)(*given),
        backward,
    ):
        for got, want in zip(way(ours), way(theirs), strict=True):
            torch.testing.assert_close(got, want)
    compiled = torch.compile(lambda x: total(ours, x, *given[1:]), fullgraph=True, backend="aot_eager")
    got, want = (torch.autograd.grad(f(y), y)[0] for f in (compiled, lambda x: total(theirs, x, *given[1:]))
                 for y in [x.clone().requires_grad_()])  # fmt: skip
    torch.testing.assert_close(got, want)


def test_a_pullback_may_be_called_again_and_for_a_batch() -> None:
    torch = pytest.importorskip("torch")
    x, w, b, ours, theirs = small(torch)
    (_, mine), (_, want) = (torch.func.vjp(lambda x, f=f: f(x, w, b), x[0]) for f in (ours, theirs))
    for context in (torch.no_grad(), torch.enable_grad(), torch.no_grad()):
        with context:
            torch.testing.assert_close(mine(torch.tensor(2.0)), want(torch.tensor(2.0)))
    y, g = x[0].requires_grad_(), torch.tensor([1.0, 3.0])
    got, want = (torch.autograd.grad(f(y, w, b), y, g, is_grads_batched=True)[0] for f in (ours, theirs))
    torch.testing.assert_close(got, want)


def test_second_derivatives_are_refused() -> None:
    torch = pytest.importorskip("torch")
    x, w, b, ours, _ = small(torch)
    jacobian, y = torch.func.jacrev, x[0].clone().requires_grad_()
    (first,) = torch.autograd.grad(ours(y, w, b) + y.square().sum(), y, create_graph=True)
    for call in (
        lambda: torch.autograd.grad(first.square().sum(), y),
        lambda: jacobian(jacobian(ours))(x[0], w, b),
        lambda: jacobian(jacobian(ours, 1))(x[0], w, b),
    ):
        with pytest.raises(AveError, match="no second derivative") as e:
            call()
        assert e.value.code == "L069"


def test_losses_of_rows_in_jax_have_no_gradient() -> None:
    jax = pytest.importorskip("jax")
    x, w, t = problem(4, 8, 5, np.float32)
    with pytest.raises(AveError, match="gradients are made with the loss"):
        jax.grad(lambda x: ops.linear_cross_entropy(x, w, t, reduction="none").sum())(jax.numpy.asarray(x))


def test_chunks_fit_their_workspace_and_are_even() -> None:
    assert chunk_of(8192, 128256, 2) == 1024 and chunk_of(8200, 128256, 2) == 1024
    assert chunk_of(100, 128256, 2) == 100 and chunk_of(8192, 1 << 24, 2) == UNIT and chunk_of(7, 10, 4, 3) == 3


def test_errors() -> None:
    x, w, t = problem(8, 16, 10, np.float32)
    for call, words in (
        (lambda: ops.linear_cross_entropy(x, w[:, :8], t), "they must be (..., n) and (classes, n)"),
        (lambda: ops.linear_cross_entropy(x.astype(float), w.astype(float), t), "there are products of"),
        (lambda: ops.linear_cross_entropy(x, w, t, w[0]), "bias is"),
        (lambda: ops.linear_cross_entropy(x, w, t[:3]), "a class for each row"),
    ):
        with pytest.raises(AveError) as e:
            call()
        assert e.value.code == "L066" and words in str(e.value)
    torch = pytest.importorskip("torch")
    with pytest.raises(AveError, match="must be one number"):
        ops.linear_cross_entropy(torch.zeros(2, 8, requires_grad=True), torch.zeros(3, 8), torch.zeros(2).long(),
                                 reduction="none")  # fmt: skip


@pytest.mark.parametrize("chunk", [5, 8, 23])
def test_operands_that_tma_cannot_read_are_added_too(chunk: int) -> None:
    """x by columns, 23 apart, of which chunks begin anywhere; a weight with gaps."""
    torch = pytest.importorskip("torch")
    g = torch.Generator().manual_seed(chunk)
    x = torch.randn(64, 23, generator=g).bfloat16().T.requires_grad_()
    w = torch.randn(40, 192, generator=g).bfloat16()[:, ::3].requires_grad_()
    target = torch.randint(0, 40, (23,), generator=g)
    loss = ops.linear_cross_entropy(x, w, target, chunk=chunk, target_chip="sm_90a")
    want = torch.nn.functional.cross_entropy(x.double() @ w.double().T, target)
    assert abs(float(loss.detach() - want.detach())) < 0.02
    for got, wanted in zip(torch.autograd.grad(loss, (x, w)), torch.autograd.grad(want, (x, w)), strict=True):
        assert (got.double() - wanted.double()).norm() <= 2**-6 * wanted.double().norm()


def test_a_second_backward_says_why_there_is_none() -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.randn(3, 8, requires_grad=True), torch.randn(9, 8, requires_grad=True)
    loss = ops.linear_cross_entropy(x, w, torch.tensor([0, 1, 2]))
    loss.backward(retain_graph=True)
    with pytest.raises(AveError, match=r"L069.*`linear_cross_entropy` has no second backward"):
        loss.backward()
    y = x * 2
    loss = torch.nn.functional.mse_loss(y, ops.rms_norm(y))  # other operations go backward twice
    loss.backward(retain_graph=True)
    loss.backward()
