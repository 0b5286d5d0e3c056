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
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(got, [x, w])
    frozen = call(x, w.detach())
    torch.testing.assert_close(torch.autograd.grad(frozen, [x])[0], grads[0])


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
