"""`avelang.op` in torch: eager, autograd, torch.compile, opcheck."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.bridge.operations import SEEN, scaled

from avelang import ops
from avelang.base.errors import ArgumentError, AveError
from avelang.bridge import Array, invariant, op

torch = pytest.importorskip("torch")


def drawn(*shape, grad=False):
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))
    return x.requires_grad_(grad)


def test_eager_calls():
    x, w = drawn(3, 5, 7), drawn(7)
    out = torch.empty(3, 5, 7)
    assert torch.allclose(scaled(x, w), 2 * x * w) and torch.allclose(scaled(x, w, factor=3), 3 * x * w)
    assert scaled(x, w, out=out) is out and torch.allclose(out, 2 * x * w)
    assert SEEN[-1]["x"] == "torch"
    p = torch.nn.Parameter(w)
    with torch.no_grad():
        assert torch.allclose(scaled(x, p), 2 * x * w) and not scaled(x, p).requires_grad
    with torch.inference_mode():
        assert torch.allclose(scaled(x, p), 2 * x * w)


def times_shapes(x, w, *, by):
    return Array(x.shape, x.dtype)


@op(times_shapes)
def times(x, w, out, *, by: float = 1.0):
    """by * x * w."""
    out.copy_(by * x * w)


def test_a_call_like_one_before_into_an_array_of_the_caller_is_direct(monkeypatch):
    """What does not fit it goes the general way, which says why."""
    x, w, out, seen = drawn(3, 5, 7), drawn(7), torch.empty(3, 5, 7), []
    times(x, w, out=out)
    names = times._torch.call.__globals__
    general = names["general"]
    monkeypatch.setitem(names, "general", lambda *a: seen.append(0) or general(*a))
    for _ in range(2):
        out.fill_(torch.nan)
        assert times(x, w, out=out) is out and torch.equal(out, x * w)
    assert not seen
    with pytest.raises(ArgumentError, match="out is"):
        times(x, w, out=torch.empty(3, 5, 7, dtype=torch.float64))
    with pytest.raises(ArgumentError, match="out is"):
        times(x, w, out=x.numpy())
    with pytest.raises((ArgumentError, AveError)):
        times(x, drawn(7, grad=True), out=out)
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x, w: scaled(x, w[:3]), "w is (3,): it must be (7,)"),
        (lambda x, w: scaled(x, w.detach().numpy()), "w is of NumPy, and another array of torch"),
        (lambda x, w: scaled(x, w.detach(), out=torch.empty(3)), "out is (3,) of torch.float32 on cpu"),
        (lambda x, w: scaled(x, w, out=torch.empty(4, 7)), "out= makes no gradients"),
        (lambda x, w: scaled(x, w, factor=w.detach().numpy()), "an option is a number, a string, a bool, None or a tuple"),
    ],
)
def test_errors_are_told_at_the_line_of_the_call(call, said):
    for grad in (True, False):
        if "gradients" in said and not grad:
            continue
        with pytest.raises(ArgumentError) as e:
            call(drawn(4, 7), drawn(7, grad=grad))
        assert said in e.value.message and "`scaled`" in e.value.message and e.value.span.file == __file__


def test_gradients():
    x, w = drawn(4, 7, grad=True), drawn(7, grad=True)
    assert "scaledBackward" in repr(scaled(x, w).grad_fn)
    scaled(x, w, factor=3.0).mul(x.detach()).sum().backward()
    assert torch.allclose(x.grad, 3 * w * x) and torch.allclose(w.grad, (3 * x * x).sum(0))
    # Not for what wants none, and of one that nobody made: expanded, with steps of zero.
    only = drawn(4, 7, grad=True)
    scaled(only.T.contiguous().T, w.detach()).sum().backward()
    assert torch.allclose(only.grad, (2 * w).expand(4, 7))


def two_shapes(x):
    return Array(x.shape, x.dtype), Array(x.shape, x.dtype), Array(x.shape[:1], "int32")


@op(two_shapes, returns=3)
def two(x, once, twice, number):
    for out, by in ((once, 1), (twice, 2)):
        out[...] = x * by
    number[...] = 7


@two.backward(saves=())
def _(grads, inputs, outputs):
    assert grads[2] is None and all(g.is_contiguous() for g in grads[:2])
    return grads[0] + 2 * grads[1]


def test_outputs_that_nobody_used_have_gradients_of_zero():
    for use, want in ((0, 1), (1, 2)):
        x = drawn(4, 3, grad=True)
        made = two(x)
        assert not made[2].requires_grad and made[2].dtype == torch.int32
        made[use].sum().backward()
        assert torch.equal(x.grad, torch.full((4, 3), float(want)))


@op(lambda x: Array(x.shape, x.dtype))
def forward_only(x, out):
    out[...] = x


def test_an_operation_without_a_backward_says_so():
    y = forward_only(drawn(4, grad=True))
    with pytest.raises(AveError, match="L069"):
        y.sum().backward()


def test_a_backward_gives_a_gradient_for_each_input():
    @op(lambda x: Array(x.shape, x.dtype))
    def wrong(x, out):
        out[...] = x

    wrong.backward(lambda grads, inputs, outputs: (None, None))
    with pytest.raises(AveError, match="L069"):
        wrong(drawn(4, grad=True)).sum().backward()


def test_gradients_of_inputs_that_the_backward_does_not_read():
    def given(gradients):
        @op(lambda x, w=None: Array(x.shape, x.dtype))
        def doubled(x, w, out):
            torch.mul(x, 2, out=out)

        doubled.backward(gradients, saves=())
        return doubled

    x = drawn(4, grad=True)
    given(lambda grads, inputs, outputs: (2 * grads[0], grads[0]))(x).sum().backward()  # w, which is None, needs none
    assert x.grad.tolist() == [2.0] * 4
    for wrong, said in ((lambda g: g[:3], r"of shape \(3,\) for x"), (lambda g: g.numpy(), "ndarray .* for x: it must be a tensor"),
                        (lambda g: 2.0, "float 2.0 for x: it must be a tensor")):  # fmt: skip
        with pytest.raises(AveError, match=f"L069.*its backward gave {'one ' if 'shape' in said else ''}{said}"):
            given(lambda grads, inputs, outputs: (wrong(grads[0]), None))(x).sum().backward()  # noqa: B023


def test_a_compiled_graph_has_the_operator_and_its_options():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def f(x, w):
        y = scaled(x * 1.0, w, factor=3.0, mode=(3, "a"))
        with invariant():
            return y + scaled(x, w)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (4, 6, 9):
            x, w = drawn(n, 7, grad=True), drawn(7, grad=True)
            SEEN.clear()
            f(x, w).sum().backward()
            assert torch.allclose(x.grad, (5 * w).expand(n, 7)) and torch.allclose(w.grad, 5 * x.sum(0))
            assert [(s["mode"], s["invariant"]) for s in SEEN] == [((3, "a"), False), ((1, 2), True)]


def test_numbers_of_numpy_and_of_tensors_as_options():
    """1 / np.sqrt(d) is NumPy's, traced too; a tensor's number may change between two calls of one key."""
    q, step = drawn(1, 2, 5, 16), torch.tensor(0.25)
    want = torch.nn.functional.scaled_dot_product_attention(q, q, q)
    call = lambda q: ops.attention(q, q, q, scale=1 / np.sqrt(q.shape[-1]))  # noqa: E731
    for f in (call, torch.compile(call, fullgraph=True, backend="aot_eager"), torch.compile(call, fullgraph=True, backend="aot_eager", dynamic=True)):
        assert torch.allclose(f(q), want, atol=1e-5)
    for wrong in (lambda: ops.attention(q, q, q, scale=step), lambda: scaled(q[0, 0], q[0, 0, 0], factor=step)):
        with pytest.raises(ArgumentError, match=r"L066.* is Tensor tensor\(0.2500\): it must be a number"):
            wrong()


def test_classes_made_of_torch_s():
    """Not of a module of torch's: results are of the class, as torch's own functions' are."""

    class Named(torch.Tensor): ...

    x, w, q, angles = (drawn(*shape).as_subclass(Named) for shape in ((6, 16), (16, 24), (1, 2, 6, 16), (6, 8)))
    picked = torch.arange(6)
    for call in (lambda: ops.matmul(x, w), lambda: ops.softmax(x), lambda: ops.rotary(q, q, angles, angles)[0], lambda: ops.attention(q, q, q),
                 lambda: ops.linear_cross_entropy(x, w.T, picked), lambda: ops.rms_norm(x), lambda: scaled(x, x[0])):  # fmt: skip
        assert type(call()) is Named
    plain = [t.as_subclass(torch.Tensor) for t in (x, w, q)]
    assert torch.equal(ops.matmul(x, w).as_subclass(torch.Tensor), ops.matmul(*plain[:2]))
    assert torch.allclose(ops.attention(q, q, q).as_subclass(torch.Tensor), torch.nn.functional.scaled_dot_product_attention(*[plain[2]] * 3), atol=1e-5)


def test_jit_trace_is_refused():
    """It would keep what a call gave as a constant; also of calls that compiled code repeats."""
    calls = {"softmax": lambda x: ops.softmax(x) + x, "matmul": lambda x: ops.matmul(x, x.T), "scaled": lambda x: scaled(x, x[0]),
             "attention": lambda x: ops.attention(x[None, None], x[None, None], x[None, None])}  # fmt: skip
    x = drawn(6, 16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls.items():
            for _ in range(5):
                want = call(x)
            with pytest.raises(ArgumentError, match=f"L066.*`{name}`: torch.jit.trace cannot record it"):
                torch.jit.trace(call, (x,))
            assert torch.equal(call(x), want)


def test_opcheck():
    scaled(drawn(2, 7), drawn(7))
    operator = torch.ops.tests_bridge_operations.scaled.default
    for grad in (True, False):
        x, w = drawn(4, 7, grad=grad), drawn(7, grad=grad)
        found = torch.library.opcheck(operator, (x, w, 2.0, "(1, 2)", False))
        assert set(found.values()) == {"SUCCESS"}, found


def test_calls_are_kept_apart_by_options_and_dtypes():
    x, w = drawn(4, 7), drawn(7)
    for factor in np.random.default_rng(1).integers(-9, 9, 5):
        assert torch.allclose(scaled(x, w, factor=float(factor)), float(factor) * x * w)


def test_tensors_of_meta_describe_results():
    """Shapes and gradients of tensors without memory, as of torch's own operations; wrong ones are refused."""
    a, b = (torch.empty(3, 4, 5, device="meta", requires_grad=True), torch.empty(5, 6, device="meta"))
    out = ops.matmul(a, b)
    assert out.shape == (3, 4, 6) and out.device.type == "meta" and out.dtype == a.dtype
    out.sum().backward()
    assert a.grad is not None and a.grad.shape == a.shape
    with torch.no_grad():
        assert ops.softmax(a).shape == a.shape and ops.linear(a, torch.empty(7, 5, device="meta")).shape == (3, 4, 7)
    with pytest.raises(AveError, match="L066"):
        ops.matmul(b, b)
