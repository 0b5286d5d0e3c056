"""`ops.moe` and its parts against torch in float64: routing, layers, gradients, tokens without experts, batches."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang import ops
from avelang.ops.moe import moe_order, moe_route

torch = pytest.importorskip("torch")
F = torch.nn.functional


def layer(x, weights, ids, w13, w2):
    """The layer, token by token."""
    out = []
    for t in range(x.shape[0]):
        total = torch.zeros(x.shape[1], dtype=x.dtype)
        for w, e in zip(weights[t], ids[t]):
            if 0 <= e < w13.shape[0]:
                gate, up = (w13[e] @ x[t]).chunk(2)
                total = total + w * (w2[e] @ (F.silu(gate) * up))
        out.append(total)
    return torch.stack(out)


def drawn(seed, tokens, experts, hidden=32, inner=24):
    torch.manual_seed(seed)
    x, logits = torch.randn(tokens, hidden), torch.randn(tokens, experts)
    w13, w2 = torch.randn(experts, 2 * inner, hidden) / 6, torch.randn(experts, hidden, inner) / 5
    return [v.bfloat16().requires_grad_() for v in (x, logits, w13, w2)]


@pytest.mark.parametrize("normalize", [True, False])
def test_layer_and_gradients(normalize):
    x, logits, w13, w2 = drawn(0, 21, 5)
    y = ops.moe(x, logits, w13, w2, top_k=2, normalize=normalize)
    g = torch.randn_like(y)
    mine = torch.autograd.grad(y, (x, logits, w13, w2), g)
    again = torch.autograd.grad(ops.moe(x, logits, w13, w2, top_k=2, normalize=normalize), (x, logits, w13, w2), g)
    assert all(torch.equal(a, b) for a, b in zip(mine, again))
    copies = [v.detach().double().requires_grad_() for v in (x, logits, w13, w2)]
    ids = copies[1].topk(2).indices
    weights = copies[1].softmax(-1).gather(1, ids)
    weights = weights / weights.sum(-1, keepdim=True) if normalize else weights
    want = layer(copies[0], weights, ids, *copies[2:])
    assert (y.double() - want).norm() <= 2**-7 * want.norm()
    for one, two in zip(mine, torch.autograd.grad(want, copies, g.double())):
        assert one.shape == two.shape and (one.double() - two).norm() <= 2**-6 * two.norm()


def test_given_weights_and_tokens_without_experts():
    x, _, w13, w2 = drawn(1, 12, 3)
    ids = torch.randint(-1, 5, (3, 4, 2))
    weights = torch.rand(3, 4, 2)
    y = ops.moe(x.reshape(3, 4, 32), (weights, ids), w13, w2)
    want = layer(x.double(), weights.reshape(12, 2).double(), ids.reshape(12, 2), w13.double(), w2.double())
    assert y.shape == (3, 4, 32) and (y.reshape(12, 32).double() - want).norm() <= 2**-7 * want.norm()


def test_gradients_of_a_gradient():
    """Of that of w_down, which depends on the weights and on the gradient of what comes out."""
    x, _, w13, w2 = drawn(2, 4, 3, 16, 8)
    ids, weights = torch.tensor([[0, 1], [2, 1], [1, 0], [0, 2]]), torch.rand(4, 2) + 0.1

    def second(f, *given):
        p, w2, v = (a.clone().requires_grad_() for a in given)
        (found,) = torch.autograd.grad(f(p, w2), w2, v, create_graph=True)
        return torch.autograd.grad(found.double().square().sum(), (v, p))

    x, w13, w2, v = x.detach(), w13.detach(), w2.detach(), torch.randn(4, 16).bfloat16()
    mine = second(lambda p, w2: ops.moe(x, (p, ids), w13, w2), weights, w2, v)
    wide = (a.double() for a in (weights, w2, v))
    theirs = second(lambda p, w2: layer(x.double(), p, ids, w13.double(), w2), *wide)
    for one, two in zip(mine, theirs):
        assert (one.double() - two).norm() <= 2**-6 * two.norm()


@pytest.mark.parametrize("seed", range(3))
def test_routes_and_orders(seed):
    rng = np.random.default_rng(seed)
    tokens, experts = int(rng.integers(1, 300)), int(rng.integers(4, 70))
    logits = rng.integers(-5, 5, (tokens, experts)).astype(np.float32)  # some are equal
    weights, ids = moe_route(logits, top_k=3, normalize=bool(seed % 2))
    want = np.argsort(-logits, axis=1, kind="stable")[:, :3]
    assert (ids == want).all()
    soft = np.exp(logits.astype(np.float64))
    soft /= soft.sum(1, keepdims=True)
    of = np.take_along_axis(soft, want, 1)
    np.testing.assert_allclose(weights, of / of.sum(1, keepdims=True) if seed % 2 else of, rtol=1e-5)
    order, ends, places = moe_order(ids, experts=experts)
    assert (order == np.argsort(ids.reshape(-1), kind="stable")).all()
    assert (ends == np.cumsum(np.bincount(ids.reshape(-1), minlength=experts))).all()
    assert (order[places.reshape(-1)] == np.arange(tokens * 3)).all()


def test_tokens_do_not_depend_on_others():
    x, logits, w13, w2 = (v.detach() for v in drawn(2, 21, 5))
    with ops.invariant():
        whole = ops.moe(x, logits, w13, w2, top_k=2)
        assert torch.equal(whole[4:7], ops.moe(x[4:7], logits[4:7], w13, w2, top_k=2))


def test_of_numpy():
    x, logits, w13, w2 = (v.detach() for v in drawn(3, 9, 4))
    given = [v.float().numpy().astype(ml_dtypes.bfloat16) for v in (x, logits, w13, w2)]
    got = ops.moe(*given, top_k=2)
    assert (got.astype(np.float32) == ops.moe(x, logits, w13, w2, top_k=2).float().numpy()).all()


def test_what_does_not_fit_is_refused():
    x, logits, w13, w2 = (v.detach() for v in drawn(4, 9, 4))
    for args, more, words in (
        ((x, logits, w13, w2), {}, "top_k is None"),
        ((x, logits, w13, w2), {"top_k": 5}, "top_k is 5: it must be 1 to 4"),
        ((x, logits[:, :3], w13, w2), {"top_k": 1}, r"router is \(9, 3\)"),
        ((x, logits, w2, w13), {"top_k": 1}, "w_gate_up is"),
        ((x, logits, w13, w2), {"top_k": 1, "activation": "tanh"}, "activation is 'tanh'"),
        ((x, (logits, logits[:3]), w13, w2), {}, "router is weights"),
    ):
        with pytest.raises(ValueError, match=words):
            ops.moe(*args, **more)


@pytest.mark.parametrize("normalize", [True, False])
def test_routes_of_experts_that_are_masked_and_of_what_is_no_number(normalize):
    inf, nan = float("inf"), float("nan")
    logits = torch.tensor([[-inf, 2, -inf, -inf], [-inf, -3.3e38, 1, -3.4e38], [-inf] * 4, [1, nan, 3, inf], [nan] * 4])
    weights, ids = moe_route(logits, top_k=3, normalize=normalize)
    of = logits.topk(3).values if normalize else logits
    assert torch.equal(weights.isnan(), logits.softmax(-1).isnan()[:, :3])
    assert torch.allclose(weights[:2], of.softmax(-1).topk(3).values[:2])
    assert ids.tolist() == [[1, 0, 2], [2, 1, 3], [0, 1, 2], [1, 3, 2], [0, 1, 2]]


def test_dtypes_are_said_by_the_names_of_the_call():
    x, _, w13, w2 = (v.detach() for v in drawn(5, 9, 4))
    weights, ids = torch.rand(9, 2), torch.zeros(9, 2, dtype=torch.int32)
    for given, words in (
        ((x.half(), (weights, ids), w13, w2), "x is of float16, w_gate_up of bfloat16 and w_down of bfloat16"),
        ((x.float(), (weights, ids), w13.float(), w2.float()), "x is of float32.*bfloat16 or of float16"),
        ((x, (weights.bfloat16(), ids), w13, w2), "weights are of bfloat16: they must be of float32"),
    ):
        with pytest.raises(ValueError, match=rf"L066.*{words}"):
            ops.moe(*given)
