"""Tensors that begin off 16 bytes: operations run on aligned copies, where the CPU stands for a GPU. Arrays of NumPy
whose elements lie as no kernel reads them."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from avelang import ops
from avelang.base.errors import ArgumentError

torch = pytest.importorskip("torch")

from avelang.bridge import alignment, op  # noqa: E402
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


def test_an_array_with_a_mask_is_refused():
    x = np.ma.masked_less(np.linspace(-1, 1, 64, dtype=np.float32).reshape(2, 32), 0)
    with pytest.raises(ArgumentError, match=r"L066.*`softmax`: x has a mask"):
        ops.softmax(x)
    with pytest.raises(ArgumentError, match=r"L066.*out has a mask"):
        ops.softmax(x.filled(0), out=x)


@st.composite
def memories(draw, rows, columns):
    """An array of float32 in memory of NaN: of either byte order, from any byte, with gaps of any number of bytes, and
    backwards."""
    kind = np.dtype("f4").newbyteorder(draw(st.sampled_from("<>")))
    inner = draw(st.sampled_from([4, 4, 5, 6, 7, 8, 12]))
    turned = draw(st.booleans())  # columns of the array lie side by side, not rows
    outer = inner * (rows if turned else columns) + draw(st.integers(0, 9))
    signs = [draw(st.sampled_from([1, 1, -1])) for _ in range(2)]
    strides = tuple(s * n for s, n in zip(signs, (inner, outer) if turned else (outer, inner), strict=True))
    size = sum(abs(s) * (n - 1) for s, n in zip(strides, (rows, columns), strict=True)) + 4
    first = sum(-s * (n - 1) for s, n in zip(strides, (rows, columns), strict=True) if s < 0)
    shift = draw(st.integers(0, 9))
    memory = np.full(size + shift + 9, 0xFF, np.uint8)
    return np.ndarray((rows, columns), kind, memory, shift + first, strides), memory


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_elements_of_numpy_anywhere(data):
    rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 40))
    numbers = np.random.default_rng(data.draw(st.integers(0, 99)))
    (x, _), (y, _), (out, memory) = (data.draw(memories(rows, columns)) for _ in range(3))
    x[...], y[...] = numbers.standard_normal((2, rows, columns))
    for array in (x, y):
        array.flags.writeable = data.draw(st.booleans())
    got = ops.swiglu(x, y, out=out)
    assert got is out
    gate, up = x.astype(np.float64), y.astype(np.float64)
    np.testing.assert_allclose(out.astype(np.float64), gate / (1 + np.exp(-gate)) * up, rtol=1e-5, atol=1e-6)
    out[...] = np.frombuffer(b"\xff" * 4, out.dtype)[0]
    assert (memory == 0xFF).all()


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_products_of_numpy_anywhere(data):
    m, n, k = (data.draw(st.integers(1, 20)) for _ in range(3))
    numbers = np.random.default_rng(data.draw(st.integers(0, 99)))
    (a, _), (b, _), (out, _) = (data.draw(memories(*shape)) for shape in ((m, k), (k, n), (m, n)))
    a[...], b[...] = numbers.standard_normal((m, k)), numbers.standard_normal((k, n))
    want = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(ops.matmul(a, b), want, rtol=1e-4, atol=1e-4)
    ops.matmul(a, b, out=out)
    np.testing.assert_allclose(out.astype(np.float64), want, rtol=1e-4, atol=1e-4)


def test_groups_of_numpy_that_run_backwards():
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 9, 24)).astype(np.float16), rng.standard_normal((2, 24, 10)).astype(np.float16)
    for flip in (np.s_[:, ::-1], np.s_[:, :, ::-1], np.s_[::-1]):
        want = a[flip].astype(np.float64) @ b[::-1].astype(np.float64)
        np.testing.assert_allclose(ops.grouped_matmul(a[flip], b[::-1]), want, rtol=2e-3, atol=2e-2)


def test_a_type_error_of_a_host_function_is_its_own():
    @op(lambda x, *, mode=(): x)
    def wrong(x, y, *, mode=()):
        len(3)

    with pytest.raises(TypeError, match="has no len"):
        wrong(np.ones(3, np.float32), mode=(2, 3))


LAYOUTS = {
    "torch.sparse_coo": lambda x: x.to_sparse(), "torch.sparse_csr": lambda x: x.to_sparse_csr(),
    "torch._mkldnn": lambda x: x.to_mkldnn(),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_tensor_without_strides_is_refused(layout):
    x, w = torch.randn(6, 32), torch.randn(16, 32)
    other = LAYOUTS[layout](x)
    for call, name in ((lambda: ops.linear(other, w), "a"), (lambda: ops.matmul(w, LAYOUTS[layout](x.T.contiguous())), "b"),
                       (lambda: ops.rms_norm(other, torch.ones(32)), "x")):  # fmt: skip
        with pytest.raises(ArgumentError, match=f"{name} is a tensor of layout {layout}: it must be in memory with strides"):
            call()


@pytest.mark.filterwarnings("ignore")
def test_a_nested_tensor_is_refused():
    x = torch.nested.nested_tensor([torch.randn(3, 8), torch.randn(2, 8)], layout=torch.jagged)
    with pytest.raises(ArgumentError, match="x is a nested tensor: it must be in memory with strides"):
        ops.softmax(x)


def test_a_runtime_error_of_a_host_function_is_its_own():
    @op(lambda x: x)
    def fails(x, y):
        raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="^out of luck$"):
        fails(torch.ones(4))
