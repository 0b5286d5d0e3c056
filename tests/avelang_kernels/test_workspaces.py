"""Workspaces of launches with torch's tensors."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from avelang import ops  # noqa: E402  (behind the module that may be missing)
from avelang_kernels import workspaces  # noqa: E402


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_the_default_dtype_is_the_users(dtype, monkeypatch):
    """Sums are of f32, whatever torch makes of what has no dtype: when models are loaded that is bf16."""
    monkeypatch.setattr(workspaces, "_workspaces", {})
    x = torch.randn(1, 2, 11, 64, requires_grad=True)
    want = torch.autograd.grad(torch.nn.functional.scaled_dot_product_attention(x, x, x).sum(), x)[0]
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        assert workspaces.workspace_of(x, 3, 8)[0].dtype == torch.float32
        got = torch.autograd.grad(ops.attention(x, x, x).sum(), x)[0]
    finally:
        torch.set_default_dtype(torch.float32)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def test_what_is_kept_is_zero_and_no_inference_tensor(monkeypatch):
    """Memory that is first asked for in inference mode is written to outside of it, too."""
    monkeypatch.setattr(workspaces, "_workspaces", {})
    with torch.inference_mode():
        sums, counters = workspaces.workspace_of(torch.empty(1), 5, 40)
    assert len(sums) == 40 and counters.dtype == torch.int32 and counters.tolist() == [0] * 5
    counters.zero_()
    again = workspaces.workspace_of(torch.empty(1), 3, 20)
    assert again[0] is sums and again[1] is counters
