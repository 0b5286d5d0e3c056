"""`ops.moe`: a layer of a mixture of experts, forward and backward, made of operations: routing, rows in the order of
their experts, grouped products, a gated activation between them, and sums in a fixed order."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.bridge.autocast import lowered
from avelang.ops.grouped import DTYPES as PRODUCTS
from avelang.ops.grouped import grouped
from avelang.ops.matmul import check_array
from avelang.ops.sharding import ROWS, along_rows
from avelang.ops.swiglu import gated_packed
from avelang_kernels.arrays import is_torch, named, on_chip
from avelang_kernels.moe import ordering, routing

DTYPES = ("bfloat16", "float16", "float32")
ACTIVATIONS = {"silu": "silu", "gelu": "gelu", "gelu_tanh": "gelu_tanh"}


# -- routing ---


def _route_shapes(logits: Array, *, top_k: int) -> tuple[Array, Array]:
    if logits.ndim != 2 or logits.dtype not in DTYPES:
        raise argument_error(f"router is {logits}: it must be (tokens, experts), of one of {DTYPES}")
    if not 1 <= top_k <= logits.shape[1]:
        raise argument_error(f"top_k is {top_k}: it must be 1 to {logits.shape[1]}, the number of experts")
    shape = logits.shape[0], top_k
    return Array(shape, "float32"), Array(shape, "int32")


@op(_route_shapes, returns=2, contiguous=True, sharding=along_rows([ROWS] * 2, [ROWS]))
def moe_route(
    logits: Any, weights: Any, ids: Any, *, top_k: int, normalize: bool = True, target: str | None = None
) -> None:
    """Weights (f32) and ids (int32) of each token's experts: those with the greatest logits; weights are their softmax
    (`normalize`), or parts of the softmax of all."""
    routing.route(logits, weights, ids, normalize, **on_chip(logits, target))


def _route_gradient_shapes(logits: Array, weights: Array, ids: Array, g: Array) -> Array:
    return Array(logits.shape, logits.dtype)


@op(_route_gradient_shapes, contiguous=True, sharding=along_rows([ROWS], [ROWS] * 4))
def moe_route_gradient(
    logits: Any, weights: Any, ids: Any, g: Any, out: Any, *, normalize: bool = True, target: str | None = None
) -> None:
    """The gradient of logits."""
    routing.route_gradient(logits, weights, ids, g, out, normalize, **on_chip(logits, target))


@moe_route.backward(saves=("logits", "weights", "ids"))
def _(grads: Any, inputs: Any, outputs: Any, *, normalize: bool, target: str | None) -> Any:
    return (moe_route_gradient(inputs[0], outputs[0], outputs[1], grads[0], normalize=normalize, target=target),)


# -- the order of experts ---


def _order_shapes(ids: Array, *, experts: int) -> tuple[Array, Array, Array]:
    if ids.ndim != 2 or ids.dtype not in ("int32", "int64"):
        raise argument_error(f"ids are {ids}: they must be (tokens, top_k), of int32 or int64")
    tokens, k = ids.shape
    return Array((tokens * k,), "int32"), Array((experts,), "int32"), Array((tokens, k), "int32")


@op(_order_shapes, returns=3)
def moe_order(ids: Any, order: Any, ends: Any, places: Any, *, experts: int) -> None:
    """The places of ids in the order of their experts (stable); where experts end among them; and where each place
    stands in that order. Ids outside of the experts stand behind all."""
    flat = ids.reshape(-1)
    if is_torch(ids):
        import sys

        torch = sys.modules["torch"]
        flat = torch.where((flat < 0) | (flat > experts), experts, flat)
        there, found = torch.sort(flat, stable=True)
        order.copy_(found)
        ends.copy_(torch.searchsorted(there, torch.arange(experts, device=ids.device, dtype=flat.dtype), right=True))
        places.view(-1)[found] = torch.arange(flat.shape[0], device=ids.device, dtype=torch.int32)
        return
    import numpy as np

    if not isinstance(ids, np.ndarray):
        ordering.launch(ids, order, ends, places, **on_chip(ids, None))
        return
    flat = np.where((flat < 0) | (flat > experts), experts, flat)
    found = np.argsort(flat, kind="stable")
    order[...] = found
    ends[...] = np.searchsorted(flat[found], np.arange(experts), side="right")
    places.reshape(-1)[found] = np.arange(flat.shape[0])


def _spread_shapes(x: Array, order: Array, places: Array) -> Array:
    return Array((order.shape[0], x.shape[1]), x.dtype)


@op(_spread_shapes, contiguous=True)
def moe_spread(x: Any, order: Any, places: Any, out: Any, *, target: str | None = None) -> None:
    """Rows of tokens in the order of their experts."""
    routing.spread(x, order, None, out, **on_chip(x, target))


@moe_spread.backward(saves=("order", "places"))
def _(grads: Any, inputs: Any, outputs: Any, *, target: str | None) -> Any:
    return moe_combine(grads[0], inputs[1], inputs[2], target=target), None, None


def _weighted_shapes(x: Array, order: Array, places: Array, weights: Array) -> Array:
    return Array((order.shape[0], x.shape[1]), x.dtype)


@op(_weighted_shapes, contiguous=True)
def moe_spread_weighted(
    x: Any, order: Any, places: Any, weights: Any, out: Any, *, target: str | None = None
) -> None:
    """`moe_spread`, times weights. It is an operation of its own since its gradient reads x, which that of `moe_spread`
    does not keep."""
    routing.spread(x, order, weights, out, **on_chip(x, target))


@moe_spread_weighted.backward(saves=("x", "order", "places", "weights"))
def _(grads: Any, inputs: Any, outputs: Any, *, target: str | None, needs: Any) -> Any:
    (g,), (x, order, places, weights) = grads, inputs
    dw = moe_dots(g, places, x, target=target) if needs[3] else None
    return moe_combine(g, order, places, weights, target=target), None, None, dw


def _combine_shapes(y: Array, order: Array, places: Array, weights: Array | None = None) -> Array:
    return Array((places.shape[0], y.shape[1]), y.dtype)


@op(_combine_shapes, contiguous=True)
def moe_combine(y: Any, order: Any, places: Any, weights: Any, out: Any, *, target: str | None = None) -> None:
    """The sum of each token's rows, times their weights or as they are, in f32 and in the order of its experts."""
    routing.combine(y, places, weights, out, **on_chip(y, target))


@moe_combine.backward(saves=("y", "order", "places", "weights"))
def _(grads: Any, inputs: Any, outputs: Any, *, target: str | None, needs: Any) -> Any:
    (g,), (y, order, places, weights) = grads, inputs
    dw = moe_dots(y, places, g, target=target) if weights is not None and needs[3] else None
    if weights is None:
        return moe_spread(g, order, places, target=target), None, None, None
    return moe_spread_weighted(g, order, places, weights, target=target), None, None, dw


def _dots_shapes(y: Array, places: Array, g: Array) -> Array:
    return Array(places.shape, "float32")


@op(_dots_shapes, contiguous=True)
def moe_dots(y: Any, places: Any, g: Any, out: Any, *, target: str | None = None) -> None:
    """The gradients of weights: products of a token's rows with its gradient."""
    routing.dots(y, places, g, out, **on_chip(y, target))


# -- the layer ---


def fitted(x: Any, router: Any, w_gate_up: Any, w_down: Any, top_k: Any, activation: str) -> int:
    """The number of experts that weights have, where x, the router's arrays and they fit one another. Raises
    L066."""
    if activation not in ACTIVATIONS:
        raise argument_error(f"activation is {activation!r}: it must be one of {', '.join(ACTIVATIONS)}")
    pair = isinstance(router, (tuple, list))
    if pair and len(router) != 2:
        raise argument_error(f"router is a tuple of {len(router)}: it must be logits, or a pair (weights, ids)")
    some = (("weights", router[0], None), ("ids", router[1], None)) if pair else (("router", router, None),)
    for name, given, dims in (("x", x, None), *some, ("w_gate_up", w_gate_up, 3), ("w_down", w_down, 3)):
        check_array(name, given, False)
        if len(given.shape) != dims if dims else not given.shape:
            raise argument_error(f"{name} is {tuple(given.shape)}: it must have {dims or 'one or more'} dimensions")
    if top_k is not None and not hasattr(top_k, "__index__"):
        raise argument_error(f"top_k is {top_k!r}: it must be an int, the number of experts of a token")
    kinds = [named(a) for a in (x, w_gate_up, w_down)]
    if kinds[0] not in PRODUCTS or len(set(kinds)) > 1:
        raise no_kernel(f"x is of {kinds[0]}, w_gate_up of {kinds[1]} and w_down of {kinds[2]}: all must be of "
                        f"{' or of '.join(PRODUCTS)}")  # fmt: skip
    hidden = x.shape[-1]
    experts = w_gate_up.shape[0]
    inner = w_gate_up.shape[1] // 2
    want = (experts, 2 * inner, hidden), (experts, hidden, inner)
    if (tuple(w_gate_up.shape), tuple(w_down.shape)) != want:
        raise argument_error(
            f"w_gate_up is {tuple(w_gate_up.shape)} and w_down is {tuple(w_down.shape)}: with x of {tuple(x.shape)} "
            f"they must be (experts, 2 * inner, {hidden}) and (experts, {hidden}, inner)"
        )
    return experts


def routed(
    x: Any, router: Any, experts: int, top_k: int | None, normalize: bool, target: str | None
) -> tuple[Any, Any, Any]:
    """Tokens as rows, and the weights and ids of each one's experts, of as many as there are. Raises L066."""
    hidden, lead = x.shape[-1], tuple(x.shape[:-1])
    rows = x.reshape(-1, hidden)
    tokens = rows.shape[0]
    if isinstance(router, (tuple, list)):
        weights, ids = router
        if tuple(weights.shape) != tuple(ids.shape) or tuple(ids.shape[:-1]) != lead:
            raise argument_error(
                f"router is weights {tuple(weights.shape)} and ids {tuple(ids.shape)}: both must be (*{lead}, top_k)"
            )
        if named(weights) != "float32":
            raise argument_error(f"weights are of {named(weights)}: they must be of float32")
        weights, ids = (a.reshape(tokens, ids.shape[-1]) for a in (weights, ids))
    else:
        if tuple(router.shape) != (*lead, experts):
            raise argument_error(f"router is {tuple(router.shape)}: it must be {(*lead, experts)}, logits of experts")
        if top_k is None:
            raise argument_error("top_k is None: it must be the number of experts of a token, where router is logits")
        weights, ids = moe_route(router.reshape(tokens, experts), top_k=top_k, normalize=normalize, target=target)
    return rows, weights, ids


@counted
def moe(
    x: Any, router: Any, w_gate_up: Any, w_down: Any, *, top_k: int | None = None, activation: str = "silu",
    normalize: bool = True, target: str | None = None, invariant: bool | None = None,
) -> Any:  # fmt: skip
    """out[t] = the sum over a token's experts e of weight[t, e] * w_down[e] @ (act(gate) * up), where gate and up are
    the halves of w_gate_up[e] @ x[t]; forward and backward, the same bits in every run.

    x: (..., hidden), bf16 or f16. router: logits (..., experts), of which the `top_k` greatest are taken, with weights
    by softmax, over them (`normalize`, as of Mixtral and Qwen3) or over all; or a pair (weights, ids), (..., top_k),
    f32 and int32 or int64, as they are; ids outside of the experts stand for none. w_gate_up: (experts, 2 * inner,
    hidden), the rows of the gate first; w_down: (experts, hidden, inner). activation: "silu", "gelu" or "gelu_tanh". No
    token is dropped, nobody waits for the device, and sums have a fixed order. target: of arrays on the CPU, the chip
    whose kernels run there; invariant: as of `matmul`. Raises L066 (a ValueError) for shapes that do not fit, and
    dtypes and chips without a kernel."""
    x, w_gate_up, w_down = lowered(x, w_gate_up, w_down)
    experts = fitted(x, router, w_gate_up, w_down, top_k, activation)
    lead, hidden = x.shape[:-1], x.shape[-1]
    rows, weights, ids = routed(x, router, experts, top_k, normalize, target)
    order, ends, places = moe_order(ids, experts=experts)
    sorted_rows = moe_spread(rows, order, places, target=target)
    both = grouped(sorted_rows, w_gate_up.swapaxes(-2, -1), ends, target=target, invariant=invariant)
    inside = gated_packed(both, act=ACTIVATIONS[activation], target=target)
    made = grouped(inside, w_down.swapaxes(-2, -1), ends, target=target, invariant=invariant)
    return moe_combine(made, order, places, weights, target=target).reshape(*lead, hidden)
