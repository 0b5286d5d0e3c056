"""Operations under torch's autocast: results and gradients have the dtypes of torch's own, whatever dtypes come."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch.nn import functional  # noqa: E402

from avelang import ops  # noqa: E402

MIXED = list(itertools.product((torch.float32, torch.bfloat16), repeat=2))
ENDS = torch.tensor([2, 6], dtype=torch.int32)


def groups(a, b):
    return torch.cat([a[:2] @ b[0], a[2:] @ b[1]])


def swiglu_experts(x, gate_up, down):
    """The first expert of each token, weight 1."""
    gate, up = functional.linear(x, gate_up[0]).chunk(2, -1)
    return functional.linear(functional.silu(gate) * up, down[0])


CASES = {
    "linear": (ops.linear, functional.linear, ((6, 32), (16, 32))),
    "vectors": (ops.matmul, torch.matmul, ((32,), (32, 8))),
    "batches": (ops.matmul, torch.matmul, ((2, 6, 32), (2, 32, 8))),
    "groups": (lambda a, b: ops.grouped_matmul(a, b, ENDS), groups, ((6, 32), (2, 32, 16))),
}  # fmt: skip


def leaves(shapes, dtypes):
    rng = torch.Generator().manual_seed(3)
    return [torch.randn(s, generator=rng).to(d).requires_grad_() for s, d in zip(shapes, dtypes, strict=True)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtypes", MIXED, ids=str)
def test_products_take_the_dtype_of_autocast(name, dtypes):
    ours, theirs, shapes = CASES[name]
    found = []
    for call in (ours, theirs):
        given = leaves(shapes, dtypes)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = call(*given)
        assert y.dtype == torch.bfloat16
        y.float().square().sum().backward()
        found.append([y.detach().float(), *(x.grad for x in given)])
        assert [x.grad.dtype for x in given] == list(dtypes)
    for mine, want in zip(*found, strict=True):
        torch.testing.assert_close(mine.float(), want.float(), rtol=0.03, atol=0.03 * float(want.float().abs().max()))


def test_a_bias_and_an_activation_are_cast_too():
    x, w, b = leaves(((6, 32), (16, 32), (16,)), (torch.bfloat16, torch.float32, torch.bfloat16))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = ops.linear(x, w, b, activation="silu")
        want = functional.silu(functional.linear(x, w, b))
    assert y.dtype == torch.bfloat16
    torch.testing.assert_close(y, want, rtol=0.02, atol=0.02)


def test_a_layer_of_experts():
    x, up, down = leaves(((6, 32), (2, 64, 32), (2, 32, 32)), (torch.bfloat16, torch.float32, torch.float32))
    chosen = torch.ones(6, 1), torch.zeros(6, 1, dtype=torch.int32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, want = ops.moe(x, chosen, up, down), swiglu_experts(x, up, down)
    assert y.dtype == torch.bfloat16
    torch.testing.assert_close(y, want, rtol=0.05, atol=0.05 * float(want.detach().abs().max()))


def test_calls_before_autocast_and_in_regions_without_it_keep_their_dtype():
    """A call like one before is repeated: not in another state of autocast."""
    x, w = (a.detach() for a in leaves(((6, 32), (16, 32)), MIXED[0]))
    for _ in range(4):
        assert ops.linear(x, w).dtype == torch.float32
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert ops.linear(x, w).dtype == torch.bfloat16
            with torch.autocast("cpu", enabled=False):
                assert ops.linear(x, w).dtype == torch.float32
        with torch.autocast("cpu", dtype=torch.float16):
            assert ops.linear(x, w).dtype == torch.float16
    with pytest.raises(ValueError, match="a is of bfloat16 and b of float32"):
        ops.linear(x.bfloat16(), w)


def test_what_autocast_leaves_alone():
    x, w = (a.detach() for a in leaves(((6, 32), (16, 32)), MIXED[0]))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert ops.matmul(np.ones((2, 8), np.float32), np.ones((8, 4), np.float32)).dtype == np.float32
        assert ops.linear(x.to("meta"), w.to("meta")).dtype == functional.linear(x.to("meta"), w.to("meta")).dtype
        with pytest.raises(ValueError, match="float64"):
            ops.linear(x.double(), w)


def test_it_is_compiled_without_a_break():
    x, w = leaves(((6, 32), (16, 32)), (torch.bfloat16, torch.float32))

    @torch.compile(fullgraph=True, backend="aot_eager")
    def step(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return ops.linear(x, w)

    y = step(x, w)
    y.float().sum().backward()
    assert y.dtype == torch.bfloat16 and (x.grad.dtype, w.grad.dtype) == (torch.bfloat16, torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.testing.assert_close(y, functional.linear(x, w), rtol=0.02, atol=0.02)
