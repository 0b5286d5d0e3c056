"""Tensors that begin off 16 bytes: operations run on aligned copies, where the CPU stands for a GPU."""

from __future__ import annotations

import pytest

from avelang import ops

torch = pytest.importorskip("torch")

from avelang.bridge import alignment  # noqa: E402
from avelang.ops.softmax import softmax_rows  # noqa: E402


@pytest.fixture
def seen(monkeypatch):
    """Places, by 16, of all arrays that `softmax_rows` launches with, on what is taken for a GPU."""
    found = []
    launches = softmax_rows.host.__globals__["launches"]
    make = launches.make_softmax

    def watch(x, y, **options):
        found.extend(a.data_ptr() % 16 for a in (x, y))
        return make(x, y, **options)

    monkeypatch.setattr(launches, "make_softmax", watch)
    monkeypatch.setattr(alignment, "on_gpu", lambda x: True)
    return found


@pytest.mark.parametrize("grad", [False, True])
def test_inputs_and_outputs_are_copied(seen, grad):
    memory = torch.randn(4 * 33 + 1)
    x = memory[1:].view(4, 33).requires_grad_(grad)
    for _ in range(3):  # the general way, and the direct one
        y = ops.softmax(x)
    torch.testing.assert_close(y, torch.softmax(x, -1))
    if grad:
        (mine,), (theirs,) = (torch.autograd.grad(z.square().sum(), [x]) for z in (y, torch.softmax(x, -1)))
        torch.testing.assert_close(mine, theirs)
    else:
        out = torch.full((133,), float("nan"))
        ops.softmax(x, out=out[1:].view(4, 33)[:, :])
        torch.testing.assert_close(out[1:].view(4, 33), y)
        assert out[0].isnan()
    assert seen and not any(seen)


def test_a_compiled_function_copies_too(seen):
    x = torch.randn(70)[1:65].view(2, 32)
    got = torch.compile(lambda x: ops.softmax(x) + 1, backend="aot_eager", fullgraph=True)(x)
    torch.testing.assert_close(got, torch.softmax(x, -1) + 1)
    assert seen and not any(seen)


def test_the_cpu_reads_them_as_they_are(seen, monkeypatch):
    monkeypatch.setattr(alignment, "on_gpu", lambda x: x.is_cuda)
    ops.softmax(torch.randn(65)[1:].view(2, 32))
    assert any(seen)


def test_parts_of_a_product_are_copied(monkeypatch):
    """Of a batch, by `matmul` itself."""
    from avelang_kernels import arrays
    from avelang_kernels.matmul import choice

    def off(*tensors):
        return any(x.data_ptr() % 16 for x in tensors)

    places, product = [], choice.plan_of
    monkeypatch.setattr(choice, "off_16", off)
    monkeypatch.setattr(arrays, "off_16", off)
    monkeypatch.setattr(choice, "plan_of", lambda a, b, out, q: places.extend(x.data_ptr() % 16 for x in (a, b, out)) or product(a, b, out, q))
    a, b = torch.randn(3, 3, 5).bfloat16(), torch.randn(3, 5, 7).bfloat16()
    torch.testing.assert_close(ops.matmul(a, b), a @ b, rtol=0.02, atol=0.02)
    assert places and not any(places)
