"""Mixtures of experts over several ranks, of which each has as many experts: `moe_dispatch` brings tokens to the ranks
of their experts, `moe_combine` brings what these made of them back, `moe` is the layer.

What others call it: `ids` and `weights` are `topk_idx` and `topk_weights` of DeepEP, whose `dispatch` and `combine`
these are, `max_tokens` is `num_max_dispatch_tokens_per_rank`. Nobody waits for the host: extents are bounds, and how
many rows there are is on the device."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.bridge import invariant as invariant_region
from avelang.dist.axes import OnAxis
from avelang.dist.memory import Member
from avelang.ops.dist.members import DTYPES, agree, here, member_of
from avelang.ops.grouped import grouped
from avelang.ops.matmul import check_array
from avelang.ops.moe import ACTIVATIONS, fitted, moe_dots, moe_order, on_chip, routed
from avelang.ops.moe import moe_combine as summed
from avelang.ops.swiglu import gated_packed
from avelang_kernels.arrays import named
from avelang_kernels.dist import experts as kernels
from avelang_kernels.dist import gated_experts
from avelang_kernels.moe import routing


class Handle(NamedTuple):
    """The record of a `moe_dispatch` that its `moe_combine` takes. order, places: as of `ops.moe.moe_order`; layout:
    (3, ranks, experts) of int32: rows of each rank for each expert, and where they begin at home and at the expert's
    rank; max_tokens: what no rank has more of."""

    order: Any
    places: Any
    layout: Any
    max_tokens: int


class Dispatched(NamedTuple):
    """rows: (ranks * max_tokens * top_k, hidden), by expert, then by rank and token, behind the last one zeros. ends:
    int32, (experts / ranks,), where the rows of each of this rank's experts end: `offs` of `ops.grouped_matmul`."""

    rows: Any
    ends: Any
    handle: Handle


def _layout_shapes(ends: Array, *, group: str) -> tuple[Array, Array]:
    ranks = here(group).ranks
    if ends.ndim != 1 or ends.dtype != "int32" or not ends.shape[0] or ends.shape[0] % ranks:
        raise argument_error(f"ends is {ends}: int32, (experts,), as many for each of {ranks} ranks")
    return Array((3, ranks, ends.shape[0]), "int32"), Array((ends.shape[0] // ranks,), "int32")


@op(_layout_shapes, returns=2, contiguous=True)
def expert_layout(ends: Any, layout: Any, ends_here: Any, *, group: str) -> None:
    """The tables of `Handle.layout`, and the ends of this rank's experts, by the ends of experts in the order of each
    rank's own tokens."""
    kernels.layout(here(group), ends, layout, ends_here)


def _moved_shapes(
    x: Array, layout: Array, order: Array | None = None, places: Array | None = None, weights: Array | None = None, *,
    group: str, rows: int, most: int, back: bool,
) -> Array:  # fmt: skip
    if x.ndim != 2 or x.dtype not in DTYPES:
        raise argument_error(f"x is {x}: a matrix of one of {DTYPES}")
    return Array((rows, x.shape[1]), x.dtype)


@op(_moved_shapes, contiguous=True)
def rows_moved(
    x: Any, layout: Any, order: Any, places: Any, weights: Any, out: Any, *, group: str, rows: int, most: int,
    back: bool = False,
) -> None:  # fmt: skip
    """Rows to the ranks of their experts, or `back`; `rows` of them go out, at the most `most` on any rank. With
    `order` and `places` x has a row for each token, which goes to each rank once and gives rows times its weights, or
    as it is; without them one for each of its experts, in their order."""
    kernels.move(here(group), x, order, places, weights, layout, out, most, back)


@rows_moved.backward(saves=("x", "layout", "order", "places", "out"))
def _(grads: Any, inputs: Any, outputs: Any, *, group: str, rows: int, most: int, back: bool, needs: Any) -> Any:
    (g,), (x, layout, order, places, _) = grads, inputs
    count = x.shape[0] if order is None else places.shape[0] * places.shape[1]
    ranks = here(group).ranks
    made = rows_moved(g, layout, None, None, group=group, rows=count, most=most * ranks if back else most // ranks,
                      back=not back)  # fmt: skip
    return made if order is None else summed(made, order, places), None, None, None, None


def _combined_shapes(
    y: Array, layout: Array, order: Array, places: Array, weights: Array | None = None, *, group: str, most: int
) -> tuple[Array, Array]:
    return Array((places.shape[0], y.shape[1]), y.dtype), Array((order.shape[0], y.shape[1]), y.dtype)


@op(_combined_shapes, returns=1, contiguous=True)
def rows_combined(
    y: Any, layout: Any, order: Any, places: Any, weights: Any, out: Any, back: Any, *, group: str, most: int,
    target: str | None = None,
) -> None:  # fmt: skip
    """The sum of each token's rows, times their weights or as they are, when these have come back; and those rows."""
    kernels.move(here(group), y, None, None, None, layout, back, most, True)
    routing.combine(back, places, weights, out, **on_chip(y, target))


@rows_combined.backward(saves=("layout", "order", "places", "weights", "back"))
def _(grads: Any, inputs: Any, outputs: Any, *, group: str, most: int, target: str | None, needs: Any) -> Any:
    # A token's gradient goes once to each rank, with the weights of its rows there.
    (g,), (_, layout, order, places, weights), (_, back) = grads, inputs, outputs
    dy = dw = None
    count = most * here(group).ranks
    if needs[0]:
        dy = rows_moved(g, layout, order, places, weights, group=group, rows=count, most=count)
    if weights is not None and needs[4]:
        dw = moe_dots(back, places, g, target=target)
    return dy, None, None, None, dw


def _product_shapes(
    x: Array, w: Array, layout: Array, ends: Array, order: Array, places: Array, *, group: str, most: int
) -> Array:
    if x.dtype not in DTYPES[:2] or x.dtype != w.dtype:
        raise no_kernel(f"x is of {x.dtype} and the weights of {w.dtype}: both must be of one of {DTYPES[:2]}")
    return Array((most, w.shape[1]), x.dtype)


@op(_product_shapes, autocast="lower", contiguous=True)
def experts_product(
    x: Any, w: Any, layout: Any, ends: Any, order: Any, places: Any, out: Any, *, group: str, most: int,
    target: str | None = None, invariant: bool | None = None,
) -> None:  # fmt: skip
    """The rows of tokens, as they come from ranks, by the matrices (n, k) of this rank's experts."""
    gated_experts.product(here(group), x, order, places, layout, ends, w, out, target, invariant)


@experts_product.backward(saves=("x", "w", "layout", "ends", "order", "places"))
def _(grads: Any, inputs: Any, outputs: Any, *, group: str, most: int, target: str | None, invariant: bool | None,
      needs: Any) -> Any:  # fmt: skip
    # Rows come once more where they are needed: they were read where they arrived.
    (g,), (x, w, layout, ends, order, places) = grads, inputs
    dx = dw = None
    if needs[0]:
        rows, slots = grouped(g, w, ends, target=target, invariant=invariant), places.shape[0] * places.shape[1]
        back = rows_moved(rows, layout, None, None, group=group, rows=slots, most=most // here(group).ranks, back=True)
        dx = summed(back, order, places, target=target)
    if needs[1]:
        rows = rows_moved(x, layout, order, places, group=group, rows=most, most=most)
        dw = grouped(g.swapaxes(0, 1), rows, ends, target=target, invariant=invariant)
    return dx, dw, None, None, None, None


def _layer_shapes(
    x: Array, w_gate_up: Array, w_down: Array, layout: Array, ends: Array, order: Array, places: Array, *, group: str,
    most: int,
) -> Array:  # fmt: skip
    _product_shapes(x, w_gate_up, layout, ends, order, places, group=group, most=most)
    return Array((places.shape[0] * places.shape[1], x.shape[1]), x.dtype)


@op(_layer_shapes, autocast="lower", contiguous=True)
def experts_layer(
    x: Any, w_gate_up: Any, w_down: Any, layout: Any, ends: Any, order: Any, places: Any, out: Any, *, group: str,
    most: int, act: str = "silu", target: str | None = None, invariant: bool | None = None,
) -> None:  # fmt: skip
    """The rows that experts make of each token, in their order: a step of `moe` where no gradients are recorded."""
    gated_experts.layer(here(group), x, order, places, layout, ends, w_gate_up, w_down, out, most, act, target,
                        invariant)  # fmt: skip


def _recorded(*arrays: Any) -> bool:
    """True where torch records what gradients of these arrays need."""
    torch = sys.modules.get("torch")
    graded = any(getattr(a, "requires_grad", False) for a in arrays)
    return torch is not None and torch.is_grad_enabled() and graded


# Ranks of which each gets half of its rows from itself: taking the others out first was faster for two H100 and H200,
# slower for four (`benchmarks/dist.py`, 2026-11-27 to 29).
FEW = 2


def _fused(
    fuse: bool | None, member: Member, x: Any, w: Any, most: int, invariant: bool | None, recorded: bool
) -> bool:
    """The choice whether the first product reads rows where they arrive. Raises L066 where it must and cannot."""
    if fuse not in (None, True, False):
        raise argument_error(f"fuse is {fuse!r}: True, False, or None for the rule")
    if isinstance(member, OnAxis):  # how much memory ranks have is not known while JAX traces
        if fuse:
            raise argument_error("fuse=True: along an axis of a mesh rows are taken out before the first product")
        return False
    why = gated_experts.why_not(member, x, w, most) if fuse is not False else ""
    if fuse is None:
        held = invariant_region.on() if invariant is None else invariant
        return not (why or recorded or held) and member.ranks > FEW
    if why:
        raise argument_error(f"fuse=True: {why}")
    return fuse


def _bound(function: str, member: Member, x: Any, max_tokens: int | None, **what: Any) -> int:
    """Tokens that no rank has more of, when ranks agree on a call. Raises L066, L081."""
    tokens = 1
    for n in x.shape[:-1]:
        tokens *= n
    if max_tokens is None:
        agree(member, function, x, shape=x.shape[-1],
              **{"tokens (max_tokens= is for ranks with different ones)": tokens}, **what)  # fmt: skip
        return tokens
    if not hasattr(max_tokens, "__index__") or max_tokens < 0:
        raise argument_error(f"max_tokens is {max_tokens!r}: an int, tokens that no rank has more of")
    if tokens > max_tokens:
        raise argument_error(f"x is {tuple(x.shape)}, {tokens} tokens: max_tokens is {max_tokens}")
    agree(member, function, x, shape=x.shape[-1], max_tokens=max_tokens, **what)
    return int(max_tokens)


@counted
def moe_dispatch(x: Any, ids: Any, group: Any = None, *, experts: int, max_tokens: int | None = None) -> Dispatched:
    """Brings each token's row to the ranks that have its experts.

    x: (tokens, hidden), of bf16, f16, f32 or f64. ids: (tokens, top_k), of int32 or int64: the experts of each token,
    of which rank r has r * experts / R and those that follow; ids outside of them stand for none, and an expert that
    comes twice gets the row twice. max_tokens: tokens that no rank has more of; None where all have as many. No token
    is dropped, whatever the routing. Differentiable in x. Returns `Dispatched`. Raises L066, L080 to L083."""
    member = member_of(group)
    for name, a in (("x", x), ("ids", ids)):
        check_array(name, a, False)
        if len(a.shape) != 2 or a.shape[0] != x.shape[0]:
            raise argument_error(f"x is {tuple(x.shape)} and ids are {tuple(ids.shape)}: they must be (tokens, hidden) "
                                 f"and (tokens, top_k)")  # fmt: skip
    _check_experts(experts, member)
    top_k = ids.shape[1]
    most = _bound("moe_dispatch", member, x, max_tokens, experts=experts, top_k=top_k)
    order, ends, places = moe_order(ids, experts=experts)
    layout, ends_here = expert_layout(ends, group=member.name)
    count = member.ranks * most * top_k
    rows = rows_moved(x, layout, order, places, group=member.name, rows=count, most=count)
    return Dispatched(rows, ends_here, Handle(order, places, layout, most))


def _check_experts(experts: Any, member: Member) -> None:
    if not hasattr(experts, "__index__") or experts < 1 or experts % member.ranks:
        raise argument_error(f"experts is {experts!r}: an int, as many for each of {member.ranks} ranks")


def _combined(y: Any, weights: Any, handle: Handle, member: Member, target: str | None) -> Any:
    """The sums of a token's rows, when the experts' rows have come back."""
    most = handle.max_tokens * handle.places.shape[1]
    return rows_combined(y, handle.layout, handle.order, handle.places, weights, group=member.name, most=most,
                         target=target)  # fmt: skip


@counted
def moe_combine(y: Any, weights: Any, handle: Handle, group: Any = None, *, target: str | None = None) -> Any:
    """out[t] = the sum over i of weights[t, i] * the row that came back of token t's expert i, in f32, in the order of
    i, rounded once.

    y: (rows, hidden), of the shape and in the order of `Dispatched.rows`, bf16, f16 or f32. weights: f32, (tokens,
    top_k), or None for the sum of rows. handle: of `moe_dispatch`. Differentiable in y and weights. Returns (tokens,
    hidden). Raises L066, L080 to L083."""
    member = member_of(group)
    if not isinstance(handle, Handle):
        raise argument_error(f"handle is of {type(handle).__name__}: it must be that of moe_dispatch(...)")
    check_array("y", y, False)
    check_array("weights", weights, True)
    (tokens, top_k), rows = handle.places.shape, member.ranks * handle.max_tokens * handle.places.shape[1]
    if len(y.shape) != 2 or y.shape[0] != rows or named(y) not in DTYPES[:3]:
        raise argument_error(f"y is {tuple(y.shape)} of {named(y)}: it must be ({rows}, hidden), of one of "
                             f"{DTYPES[:3]}")  # fmt: skip
    if weights is not None and (tuple(weights.shape) != (tokens, top_k) or named(weights) != "float32"):
        raise argument_error(f"weights is {tuple(weights.shape)} of {named(weights)}: it must be {(tokens, top_k)} of "
                             f"float32")  # fmt: skip
    agree(member, "moe_combine", y, layout=tuple(handle.layout.shape))
    return _combined(y, weights, handle, member, target)


@counted
def moe(
    x: Any, router: Any, w_gate_up: Any, w_down: Any, group: Any = None, *, top_k: int | None = None,
    activation: str = "silu", normalize: bool = True, max_tokens: int | None = None, fuse: bool | None = None,
    target: str | None = None, invariant: bool | None = None,
) -> Any:  # fmt: skip
    """`ops.moe` with experts spread over ranks: rank r has r * experts / R and those that follow.

    x: (..., hidden), bf16 or f16, the rank's own tokens. router: logits (..., experts) of all experts, with `top_k`, or
    a pair (weights, ids), (..., top_k), as of `ops.moe`. w_gate_up: (experts / R, 2 * inner, hidden); w_down: (experts
    / R, hidden, inner), those of the rank's own experts. max_tokens: tokens that no rank has more of; None where all
    have as many. No token is dropped, nobody waits for the device, and sums have a fixed order: bits are the same in
    every run, and with `invariant` those of `ops.moe` with all experts on one rank. Memory is for the worst routing:
    R * max_tokens * top_k rows. fuse: True for a first product that reads rows where they arrive, each tile when its
    rows are there; False for rows that are taken out before; None for the first from three ranks on, where rows fit
    symmetric memory, no gradients are recorded (they would need the rows once more) and not with `invariant`.
    Differentiable in x, router and both weights. Raises L066, L080 to L083."""
    member = member_of(group)
    experts = member.ranks * fitted(x, router, w_gate_up, w_down, top_k, activation)
    lead, hidden = tuple(x.shape[:-1]), x.shape[-1]
    rows, weights, ids = routed(x, router, experts, top_k, normalize, target)
    most = _bound("moe", member, x, max_tokens, experts=experts, top_k=ids.shape[1], inner=w_down.shape[2],
                  activation=activation, fuse=fuse)  # fmt: skip
    order, ends, places = moe_order(ids, experts=experts)
    layout, ends_here = expert_layout(ends, group=member.name)
    handle, count = Handle(order, places, layout, most), member.ranks * most * ids.shape[1]
    recorded = _recorded(rows, w_gate_up, w_down)
    fused = _fused(fuse, member, rows, w_gate_up, count, invariant, recorded)
    if fused and not recorded:
        back = experts_layer(rows, w_gate_up, w_down, layout, ends_here, order, places, group=member.name, most=count,
                             act=ACTIVATIONS[activation], target=target, invariant=invariant)  # fmt: skip
        return summed(back, order, places, weights, target=target).reshape(*lead, hidden)
    if fused:
        both = experts_product(rows, w_gate_up, layout, ends_here, order, places, group=member.name, most=count,
                               target=target, invariant=invariant)  # fmt: skip
    else:
        sent = rows_moved(rows, layout, order, places, group=member.name, rows=count, most=count)
        both = grouped(sent, w_gate_up.swapaxes(-2, -1), ends_here, target=target, invariant=invariant)
    inside = gated_packed(both, act=ACTIVATIONS[activation], target=target)
    made = grouped(inside, w_down.swapaxes(-2, -1), ends_here, target=target, invariant=invariant)
    return _combined(made, weights, handle, member, target).reshape(*lead, hidden)
