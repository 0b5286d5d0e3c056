"""Arrays that a caller gives for results, `out=`, in any order and with gaps: they are written, and nothing beside."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from avelang import op, ops
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist

torch = pytest.importorskip("torch")
BF16, F8 = torch.bfloat16, torch.float8_e4m3fnuz


def ways(shape: tuple[int, ...], dtype: Any) -> Iterator[tuple[Any, Any]]:
    """An array of NaN that lies in each of several ways, and the memory that it is a part of."""
    whole = torch.full(shape, float("nan"), dtype=dtype)
    yield whole, whole
    turned = torch.full((*shape[:-2], shape[-1], shape[-2]), float("nan"), dtype=dtype)
    yield turned.transpose(-1, -2), turned
    large = torch.full([2 * n for n in shape], float("nan"), dtype=dtype)
    yield large[tuple(slice(None, None, 2) for _ in shape)], large
    off = torch.full((whole.numel() + 2,), float("nan"), dtype=dtype)
    yield off[1:-1].view(shape), off
    if len(shape) == 3:
        moved = torch.full((shape[1], shape[0], shape[2]), float("nan"), dtype=dtype)
        yield moved.transpose(0, 1), moved


A, B = torch.randn(2, 9, 16).to(BF16), torch.randn(2, 16, 8).to(BF16)
ENDS = {n: torch.tensor(n, dtype=torch.int32) for n in ((4, 9), (4, 16), (3, 8))}
X, Y = torch.randn(2, 9, 16).to(F8), torch.randn(16, 8).to(F8)
Q, COS, SIN = torch.randn(2, 3, 8), torch.rand(3, 4).cos(), torch.rand(3, 4).sin()
LOGITS, CLASSES = torch.randn(4, 3, 7), torch.randint(0, 7, (4, 3))


@pytest.mark.parametrize("call", [
    lambda **o: ops.grouped_matmul(A, B, **o),
    lambda **o: ops.grouped_matmul(A[0], B, ENDS[4, 9], **o),
    lambda **o: ops.grouped_matmul(A[0], B[0], ENDS[4, 16], **o),
    lambda **o: ops.grouped_matmul(A, B[0], ENDS[3, 8], **o),
    lambda **o: ops.scaled_matmul(X[0], Y, **o),
    lambda **o: ops.scaled_matmul(X, Y, **o),
    lambda **o: ops.matmul(A, B, **o),
    lambda **o: ops.rotary(Q, None, COS, SIN, **o),
    lambda **o: ops.cross_entropy(LOGITS, CLASSES, reduction="none", **o),
    lambda **o: ops.layer_norm(Q, **o),
])  # fmt: skip
def test_results_are_written_where_they_are_wanted(call: Callable[..., Any]) -> None:
    want = call()
    assert not want.isnan().any()
    for out, memory in ways(tuple(want.shape), want.dtype):
        assert call(out=out) is out
        assert torch.equal(out, want), (out.shape, out.stride())
        assert memory.isnan().sum() == memory.numel() - out.numel()


@op(lambda x: x, contiguous=True)
def doubled(x: Any, y: Any) -> None:
    """An operation whose host function flattens, as that of a kernel does."""
    flat, made = x.reshape(-1), y.reshape(-1)
    made[...] = flat + flat


@op(lambda x: x, contiguous=("y",))
def negated(x: Any, y: Any) -> None:
    """The same, with inputs as they lie."""
    y.reshape(-1)[...] = -x.reshape(-1)


@pytest.mark.parametrize("numpy", [False, True])
@pytest.mark.parametrize("call", [doubled, negated])
def test_own_operations_get_outputs_without_gaps(call: Callable[..., Any], numpy: bool) -> None:
    x = torch.randn(4, 6).T
    want = call(x)
    for _ in range(3):  # a plan is made, then found
        for out, memory in ways((6, 4), torch.float32):
            if numpy:
                given = out.numpy()
                assert call(x.numpy(), out=given) is given
            else:
                assert call(x, out=out) is out
            assert torch.equal(out, want) and memory.isnan().sum() == memory.numel() - out.numel()


def test_what_must_be_without_gaps_is_named() -> None:
    def refused(x: Any, y: Any) -> None: ...

    with pytest.raises(AveError, match="contiguous names .*inputs and outputs are .*'x', 'y'"):
        op(lambda x: x, contiguous=("z",))(refused)


@pytest.mark.parametrize("numpy", [False, True])
def test_collectives_and_products_write_where_they_are_wanted(numpy: bool) -> None:
    def program(m: Any) -> None:
        x, w = torch.arange(192.0).reshape(32, 6) + m.rank, torch.arange(30.0).reshape(5, 6).T
        for call in (
            lambda **o: dist.all_reduce(own(x), m, **o), lambda **o: dist.all_gather(own(x), m, **o),
            lambda **o: dist.reduce_scatter(own(x), m, **o),
            lambda **o: dist.all_gather_matmul(own(x), own(w), m, fuse=False, **o),
            lambda **o: dist.all_gather_matmul(own(x), own(w), m, fuse=True, **o),
            lambda **o: dist.matmul_reduce_scatter(own(x), own(w), m, fuse=False, **o),
            lambda **o: dist.matmul_reduce_scatter(own(x), own(w), m, fuse=True, **o),
        ):  # fmt: skip
            want = torch.as_tensor(call())
            for out, memory in ways(tuple(want.shape), want.dtype):
                call(out=own(out))
                assert torch.equal(out, want) and memory.isnan().sum() == memory.numel() - out.numel()

    def own(a: Any) -> Any:
        return a.numpy() if numpy else a

    World(2, bytes=1 << 20, limit=20).run(program)


@pytest.mark.parametrize("call", [
    lambda x, **o: ops.softmax(x, **o), lambda x, **o: ops.matmul(x, x.T, **o), lambda x, **o: ops.rms_norm(x, **o),
    lambda x, **o: ops.swiglu(x, x, **o), lambda x, **o: ops.attention(x, x, x, **o),
])  # fmt: skip
def test_results_are_of_the_library_of_the_other_arrays(call: Callable[..., Any]) -> None:
    x = np.ones((4, 4), np.float32)
    out = np.zeros((4, 4), np.float32)
    assert call(x, out=out) is out and out.any()
    others = [torch.zeros(4, 4)]
    if importlib.util.find_spec("jax"):
        others.append(importlib.import_module("jax").numpy.zeros((4, 4)))
    for other, whose in zip(others, ("torch", "JAX")):
        with pytest.raises(ValueError, match=rf"L066.* out is of {whose}, and the other arrays of NumPy"):
            call(x, out=other)


def test_nested_tensors_are_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for call in (ops.softmax, ops.rms_norm, lambda x: ops.linear(x, x), lambda x: ops.attention(x, x, x)):
        with pytest.raises(ValueError, match=r"L066.* is a nested tensor"):
            call(x)
