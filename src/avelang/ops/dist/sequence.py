"""Attention over a sequence that ranks share: each has some of its rows, and sees the keys and values of the others as
they come by."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.bridge import Array, op
from avelang.dist.axes import OnAxis
from avelang.ops.dist.members import agree, here, member_of
from avelang_kernels.arrays import named
from avelang_kernels.attention.problem import Problem
from avelang_kernels.attention.table import BACKWARD, FORWARD, NAMES, described, entry_for, problem_of
from avelang_kernels.dist import ring_attention as ring

DEFAULT = "gfx942"  # the chip whose kernels the CPU runs


def _problem(query: Any, key: Any, value: Any, layout: str, left: int | None, right: int | None,
             scale: float | None, softcap: float, gqa: bool, invariant: bool | None) -> Problem:  # fmt: skip
    """The attention to one shard. Raises L066."""
    arrays = (query, key, value, *(None,) * (len(NAMES) - 3))
    p = problem_of(arrays, scale, softcap, left, right, False, gqa, (0, 0), invariant)
    if (left is not None or right is not None) and p.queries != p.keys:
        raise argument_error(
            f"query has {p.queries} rows and key {p.keys}: where a mask goes by place, each rank has as many of both"
        )
    if layout == "zigzag" and p.queries % 2:
        raise argument_error(
            f"query has {p.queries} rows: a zigzag gives each rank two chunks of one length, so it must be even"
        )
    return p


def _shapes(
    query: Array, key: Array, value: Array, *, layout: str, left: int | None, right: int | None, scale: float | None,
    softcap: float, gqa: bool, invariant: bool | None, target: str | None,
) -> tuple[Array, Array]:  # fmt: skip
    p = _problem(query, key, value, layout, left, right, scale, softcap, gqa, invariant)
    entry_for(FORWARD, p, target or (DEFAULT if query.chip == "cpu" else query.chip))
    out = tuple(query.shape[:-1])
    return Array((*out, p.dv), query.dtype), Array(out, "float32")


def _ring(query: Any, key: Any, value: Any, layout: str, target: str | None, *options: Any) -> ring.Ring:
    q, k, v = (described(x) for x in (query, key, value))
    return ring.Ring(_problem(q, k, v, layout, *options), layout, target)


@op(_shapes, autocast="lower")
def ring_attended(
    query: Any, key: Any, value: Any, out: Any, lse: Any, *, group: str, layout: str = "contiguous",
    left: int | None = None, right: int | None = None, scale: float | None = None, softcap: float = 0.0,
    gqa: bool = False, invariant: bool | None = None, target: str | None = None,
) -> None:  # fmt: skip
    """The operation of `ring_attention`. left, right: a query of the whole sequence sees so many keys before and behind
    its own place."""
    made = _ring(query, key, value, layout, target, left, right, scale, softcap, gqa, invariant)
    ring.forward(here(group), made, query, key, value, out, lse)


@op(_shapes, returns=2, autocast="lower")
def ring_attended_and_lse(
    query: Any, key: Any, value: Any, out: Any, lse: Any, *, group: str, layout: str = "contiguous",
    left: int | None = None, right: int | None = None, scale: float | None = None, softcap: float = 0.0,
    gqa: bool = False, invariant: bool | None = None, target: str | None = None,
) -> None:  # fmt: skip
    """The same with the logarithms of the rows' sums."""
    made = _ring(query, key, value, layout, target, left, right, scale, softcap, gqa, invariant)
    ring.forward(here(group), made, query, key, value, out, lse)


def _gradient_shapes(
    grad: Array, query: Array, key: Array, value: Array, made: Array, lse: Array, grad_lse: Array | None = None, *,
    layout: str, left: int | None, right: int | None, scale: float | None, softcap: float, gqa: bool,
    invariant: bool | None, target: str | None,
) -> tuple[Array, ...]:  # fmt: skip
    p = _problem(query, key, value, layout, left, right, scale, softcap, gqa, invariant)
    entry_for(BACKWARD, p, target or (DEFAULT if query.chip == "cpu" else query.chip))
    return tuple(Array(x.shape, x.dtype) for x in (query, key, value))


@op(_gradient_shapes, returns=3)
def ring_attention_gradients(
    grad: Any, query: Any, key: Any, value: Any, made: Any, lse: Any, grad_lse: Any, dquery: Any, dkey: Any,
    dvalue: Any, *, group: str, layout: str = "contiguous", left: int | None = None, right: int | None = None,
    scale: float | None = None, softcap: float = 0.0, gqa: bool = False, invariant: bool | None = None,
    target: str | None = None,
) -> None:  # fmt: skip
    """Gradients of the rank's own query, key and value: the same bits in every run."""
    found = _ring(query, key, value, layout, target, left, right, scale, softcap, gqa, invariant)
    ring.backward(here(group), found, query, key, value, made, lse, grad, grad_lse, dquery, dkey, dvalue)


@ring_attended.backward
def _(grads, inputs, outputs, *, needs, **options):
    return ring_attention_gradients(grads[0], *inputs, *outputs, None, **options)


@ring_attended_and_lse.backward
def _(grads, inputs, outputs, *, needs, **options):
    return ring_attention_gradients(grads[0], *inputs, *outputs, grads[1], **options)


def _layout(layout: str, length: int, window: bool = False) -> str:
    """The layout. Raises L066."""
    if layout not in ring.LAYOUTS:
        raise argument_error(f"layout is {layout!r}: it must be one of {', '.join(ring.LAYOUTS)}")
    if layout == "zigzag" and window:
        raise argument_error("layout is 'zigzag', and there is a window: use 'contiguous' or 'striped' with one")
    if layout == "zigzag" and length % 2:
        raise argument_error(f"each rank has {length} rows: a zigzag gives it two chunks of one length, so an even "
                             f"number")  # fmt: skip
    return layout


def ring_positions(length: int, group: Any = None, layout: str = "contiguous") -> Any:
    """The places in the whole sequence of this rank's `length` rows, in their order: NumPy int64 (length,). What a
    rotary embedding needs, and what divides a sequence: `x[..., ring_positions(n, group, layout), :]`. On an axis of a
    mesh an array of JAX, i32. Raises L066."""
    import numpy as np  # takes longer to import than this takes

    member = member_of(group)
    ranks = member.ranks
    table = np.array([ring.positions(_layout(layout, length), r, ranks, length) for r in range(ranks)], np.int64)
    return member.mine(table) if isinstance(member, OnAxis) else table[member.rank]


def _ends(window: Any, causal: bool) -> tuple[int | None, int | None]:
    """How many keys before and behind a query it sees. Raises L066."""
    found: list[int | None] = []
    for x in (None, None) if window is None else window if isinstance(window, (tuple, list)) else (window,):
        if not (x is None or isinstance(x, int)):
            break
        found.append(None if x is None or x < 0 else x)
    if len(found) != 2:
        raise argument_error(f"window is {window!r}: it must be (left, right), numbers of keys, or None for no end")
    return found[0], 0 if causal else found[1]


def ring_attention(
    query: Any, key: Any, value: Any, group: Any = None, *, is_causal: bool = False, scale: float | None = None,
    enable_gqa: bool = False, layout: str = "contiguous", window: Any = None, softcap: float = 0.0,
    return_lse: bool = False, invariant: bool | None = None, target: str | None = None,
) -> Any:  # fmt: skip
    """softmax(scale query key^T) value, where ranks have the rows of the sequence: each its own rows of query, key and
    value, and of the result.

    query: (..., heads, n, d); key: (..., heads, n, d); value: (..., heads, n, dv), of bf16, f16 or f32 (AMD and the
    CPU), n the same on all ranks (L081): pad the last one on the right and leave its rows out, which a causal mask
    allows. Without a mask key and value may be of another length than query. With `enable_gqa` heads of query share
    those of key and value.

    layout: which rows of the whole sequence of R n rows rank r has. "contiguous": r n to (r + 1) n. "zigzag": of 2 R
    chunks number r and 2 R - 1 - r, so that with a causal mask all ranks have the same to do. "striped": r, r + R, ...
    `ring_positions` gives them. is_causal: a query sees keys up to its own place in the whole sequence. window: (left,
    right): so many keys before and behind its place, None without an end; not with a zigzag. scale: 1/sqrt(d) if None.
    softcap: c above 0, scores become c tanh(score / c).

    In each step a rank attends to one rank's keys and values, its own first, then those of the ranks behind it one
    after another; what comes next is fetched meanwhile (on a GPU, on a second stream). Each step's result is rounded to
    the dtype, merged in f32, and rounded once more. Returns the result, (..., heads, n, dv), and with return_lse the
    logarithms of the rows' sums as well, f32 (..., heads, n). Gradients are sums in f32 of the steps, at the rank that
    owns the keys in the order of steps: the same bits in every run. invariant: the bits of a row do not depend on the
    batch; None for what `ops.invariant` says. Raises L066, L080 to L083."""
    length = query.shape[-2] if len(getattr(query, "shape", ())) > 1 else 0
    left, right = _ends(window, is_causal)
    layout = _layout(layout, length, left is not None or right not in (None, 0) or (right == 0 and not is_causal))
    member = member_of(group)
    keys = {"key": tuple(key.shape), "value": tuple(value.shape)}
    agree(member, "ring_attention", query, **keys, left=left, right=right, layout=layout, scale=scale, softcap=softcap,
          dtypes=(named(key), named(value)))  # fmt: skip
    run = ring_attended_and_lse if return_lse else ring_attended
    return run(
        query, key, value, group=member.name, layout=layout, left=left, right=right, scale=scale, softcap=softcap,
        gqa=enable_gqa, invariant=invariant, target=target,
    )  # fmt: skip
