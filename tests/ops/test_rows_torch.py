"""Row operations under torch: gradients against finite differences in f64, registered operators, autocast, compile."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from avelang import ops

torch = pytest.importorskip("torch")


def drawn(*shape: int) -> Any:
    """Random normal numbers in f64 that want a gradient."""
    seed = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True, generator=seed)


TABLES = torch.randn(2, 9, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
CLASSES = torch.tensor([[3, -100], [5, 0]])
CASES: list[tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = [
    (lambda x, w: ops.rms_norm(x, w, offset=1), ((2, 1, 12), (12,))),
    (lambda x, w, r: ops.rms_norm(x, w, residual=r), ((2, 1, 12), (12,), (2, 1, 12))),
    (ops.layer_norm, ((2, 1, 12), (12,), (12,))),
    (lambda x: ops.softmax(x, 1), ((2, 5, 3),)),
    (ops.log_softmax, ((3, 5),)),
    (ops.swiglu, ((2, 2, 6), (2, 2, 6))),
    (lambda x: ops.geglu(x, approximate="tanh"), ((3, 8),)),
    (lambda q, k: ops.rotary(q, k, *TABLES, positions=torch.tensor([3, 8])), ((1, 2, 2, 10), (1, 1, 2, 10))),
    (lambda x: ops.cross_entropy(x, CLASSES, label_smoothing=0.1, z_loss=0.1, softcap=3.0), ((2, 2, 7),)),
    (lambda x: ops.cross_entropy(x, CLASSES, reduction="none"), ((2, 2, 7),)),
]


@pytest.mark.parametrize(("call", "shapes"), CASES)
def test_gradients_are_those_of_finite_differences(call: Any, shapes: Any) -> None:
    assert torch.autograd.gradcheck(call, [drawn(*shape) for shape in shapes])


def test_operators_are_registered_as_torch_wants_them() -> None:
    x, w = torch.randn(3, 16, requires_grad=True), torch.randn(16, requires_grad=True)
    ops.rms_norm(x, w), ops.cross_entropy(x, torch.tensor([1, 2, 3]))
    said = "test_schema", "test_faketensor", "test_autograd_registration"
    torch.library.opcheck(torch.ops.avelang.rms_norm_rows.default, (x, w, 1e-6, 0, None), test_utils=said)


def test_torch_says_the_same() -> None:
    x, t = torch.randn(5, 33, requires_grad=True), torch.tensor([0, 7, -100, 3, 1])
    w = torch.randn(33, requires_grad=True)
    functional = torch.nn.functional
    for ours, theirs in (
        (ops.layer_norm(x, w, w), functional.layer_norm(x, (33,), w, w)),
        (ops.softmax(x), torch.softmax(x, -1)),
        (ops.cross_entropy(x, t, label_smoothing=0.2), functional.cross_entropy(x, t, label_smoothing=0.2)),
    ):
        torch.testing.assert_close(ours, theirs)
        got, want = (torch.autograd.grad(y.square().sum(), [x], retain_graph=True) for y in (ours, theirs))
        torch.testing.assert_close(got, want)


def test_a_function_of_several_operations_compiles_whole() -> None:
    x, w = torch.randn(6, 32, requires_grad=True), torch.randn(16, requires_grad=True)
    t = torch.tensor([0, 7, -100, 3, 1, 2])

    def model(x: Any, w: Any) -> Any:
        return ops.cross_entropy(ops.rms_norm(ops.swiglu(x), w, residual=x[:, :16])[0], t)

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        got = torch.compile(model, fullgraph=True, backend="aot_eager")(x, w)
    want = model(x, w)
    torch.testing.assert_close(got, want, rtol=0, atol=0)
    for one, two in zip(torch.autograd.grad(got, [x, w]), torch.autograd.grad(want, [x, w]), strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=0)


def test_outputs_that_begin_where_wide_accesses_must_not() -> None:
    """Memory without gaps that is not aligned, of inputs and of outputs; each layout has a launch of its own."""
    x, g = torch.randn(2 * 33 + 1), torch.randn(2 * 32)
    for at in (0, 1, 2, 0):
        one, out = x[at : at + 64].reshape(2, 32), torch.full((68,), float("nan"))
        to = out[at : at + 64].view(2, 32)
        for mine, theirs in (
            (lambda to=to, one=one: ops.softmax(one, out=to), torch.softmax(one, -1)),
            (lambda to=to, one=one: ops.swiglu(one, g.view(2, 32), out=to),
             torch.nn.functional.silu(one) * g.view(2, 32)),
            (lambda to=to, one=one: ops.rms_norm(one, out=to), torch.nn.functional.rms_norm(one, (32,), eps=1e-6)),
        ):  # fmt: skip
            mine()
            assert torch.allclose(to, theirs, atol=1e-6)
            assert out[:at].isnan().all() and out[at + 64 :].isnan().all()


def test_softmax_does_not_keep_what_it_is_given() -> None:
    """Its gradient is in the dtype of that all the same."""
    for dtype, made in ((torch.float32, None), (torch.bfloat16, torch.float32), (torch.float64, torch.float32)):
        x, g = torch.randn(3, 8).to(dtype).requires_grad_(), torch.randn(3, 8)
        given = x * 1
        y = ops.softmax(given, dtype=made)
        with torch.no_grad():
            given.zero_()
        kinds: list[Any] = []
        y.grad_fn.register_hook(lambda grads, _, kinds=kinds: kinds.append(grads[0].dtype))
        (got,), (want,) = (torch.autograd.grad(y, x, g) for y in (y, torch.softmax(x, -1, dtype=made)))
        torch.testing.assert_close(got, want)
        assert kinds == [dtype]


def test_softmax_along_an_extent_that_only_the_call_knows() -> None:
    x, call = torch.randn(9, 8), lambda x: ops.softmax(x[x[:, 0] > 0], 0)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        got = torch.compile(call, backend="aot_eager", fullgraph=True)(x)
    torch.testing.assert_close(got, call(x), rtol=0, atol=0)


@pytest.mark.parametrize("far", [0.0, 1e3, -1e5, 1e6])
@pytest.mark.parametrize("classes", [50, 5000])
def test_probabilities_of_logits_far_from_zero_sum_to_one(far: float, classes: int) -> None:
    """By f32, whatever number all logits of a row share, with smoothed labels as well."""
    seed = torch.Generator().manual_seed(classes)
    x, t = torch.randn(6, classes, generator=seed) * 3 + far, torch.arange(6) * 8
    for call in (ops.cross_entropy, lambda x, t: ops.cross_entropy(x, t, label_smoothing=0.2)):
        one, two = x.clone().requires_grad_(), x.double().requires_grad_()
        (got,), (want,) = (torch.autograd.grad(call(a, t), a) for a in (one, two))
        assert ((got.double() - want).norm() <= 1e-6 * want.norm()).item()
        assert got.double().sum(-1).abs().max() < 1e-7


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (3, 0, 4)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_no_elements(name: str, shape: tuple[int, ...]) -> None:
    for dim in range(len(shape)):
        x = torch.zeros(shape, requires_grad=True)
        got = getattr(ops, name)(x, dim)
        assert got.shape == getattr(torch, name)(x, dim).shape == getattr(ops, name)(x.detach().numpy(), dim).shape
        assert torch.autograd.grad(got.sum(), x)[0].shape == shape
    with pytest.raises(ValueError, match="L066"):
        ops.rms_norm(torch.zeros(3, 0))  # whose mean is of nothing


def test_forward_mode_through_gradients_is_refused() -> None:
    x = torch.randn(3, 7)
    for call in (lambda x: ops.softmax(x).sum(), lambda x: ops.rms_norm(x).sum(), lambda x: ops.matmul(x, x.T).sum()):
        for way in (lambda f: torch.func.hessian(f)(x), lambda f: torch.func.jvp(torch.func.grad(f), (x,), (x,))):
            with pytest.raises(Exception, match=r"L069.* no forward-mode derivative"):
                way(call)
    torch.func.grad(lambda x: ops.softmax(x).sum())(x)
