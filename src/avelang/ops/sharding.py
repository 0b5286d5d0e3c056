"""How calls of operations may be split over the devices of torch's DTensor: rules for `avelang.op(sharding=)`. Shapes
come in; ways go out, each with the dimension along which outputs and inputs are split, None (all of it everywhere) or
"sum" (each device has a part of the sum). Where all devices have all is always a way, and is not named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from avelang.bridge import Array, evenly

Way = tuple[list[Any], list[Any]]
ROWS, SUM, WHOLE = "rows", "sum", None  # what an array is in a way of `along_rows`


def in_shards(x: Any) -> bool:
    """True for a DTensor, whose dimensions cannot be made one where they are split unevenly."""
    return hasattr(x, "device_mesh")


def along_rows(outputs: Sequence[Any], inputs: Sequence[Any], last: bool = False) -> Callable[..., list[Way]]:
    """The rule of what works on rows, the last dimension: outputs and inputs are ROWS, WHOLE, or SUM. `last`: elements
    of a row do not depend on one another, either."""

    def rule(*arrays: Array | None, **options: Any) -> list[Way]:
        first = next(x for x, kind in zip(arrays, inputs, strict=True) if kind == ROWS and x is not None)

        def at(kinds: Sequence[Any], d: int) -> list[Any]:
            return [d if kind == ROWS else kind for kind in kinds]

        return [(at(outputs, d), at(inputs, d)) for d in range(first.ndim - (not last))]

    return rule


def of_product(a: Array, b: Array, bias: Array | None = None, *, activation: Any, **options: Any) -> list[Way]:
    """The rule of a product (..., m, k) @ (..., k, n): leading dimensions, rows, columns, and, where nothing comes
    after the sum, K."""
    count = max(a.ndim, b.ndim)
    found: list[Way] = []
    for d in range(-count, -2):
        whole = max(x.shape[d] for x in (a, b) if x.ndim >= -d)
        split = [x.ndim + d if x.ndim >= -d and x.shape[d] == whole else None for x in (a, b)]
        found.append(([count + d], [*split, None]))
    found.append(([count - 2], [a.ndim - 2, None, None]))
    found.append(([count - 1], [None, b.ndim - 1, 0]))
    if bias is None and activation is None:
        found.append((["sum"], [a.ndim - 1, b.ndim - 2, None]))
    return found


def of_scaled_product(
    a: Array, b: Array, scale_a: Array | None = None, scale_b: Array | None = None, bias: Array | None = None,
    **options: Any,
) -> list[Way]:  # fmt: skip
    """The rule of a product of scaled operands: rows and columns, where each has a scale of its own, or all have
    one."""
    (m, _), n = a.shape, b.shape[1]
    rows = None if scale_a is None or scale_a.size == 1 else 0 if scale_a.shape[0] == m else "blocks"
    cols = None if scale_b is None or scale_b.size == 1 else scale_b.ndim - 1 if scale_b.shape[-1] == n else "blocks"
    found: list[Way] = []
    if rows != "blocks":
        found.append(([0], [0, None, rows, None, None]))
    if cols != "blocks":
        found.append(([1], [None, 1, None, cols, 0]))
    return found


def of_quantized(x: Array, *, block: str, **options: Any) -> list[Way]:
    """The rule of `quantize_fp8`: rows, where no scale is for several."""
    ways: dict[str, Way] = {"1x0": ([0, 0, None], [0]), "1x128": ([0, 1, None], [0])}
    return [ways[block]] if block in ways else []


@evenly
def of_losses(logits: Array, target: Array, *, reduction: str, **options: Any) -> list[Way]:
    """The rule of losses of rows: one for each, or their sum. A mean counts all rows."""
    losses = {"none": [0, 0, None, None], "sum": ["sum", 0, None, 0]}
    return [(losses[reduction], [0, 0])] if reduction in losses and logits.ndim > 1 else []


@evenly
def of_loss_gradients(logits: Array, target: Array, lse: Array, grad: Array, *more: Any, **options: Any) -> list[Way]:
    """The rule of gradients of such losses, of which there is one for each row, or one for all."""
    return [([0], [0, 0, 0, 0 if grad.ndim else None, None])] if logits.ndim > 1 else []


@evenly
def of_linear_losses(
    x: Array, weight: Array, target: Array, bias: Any = None, *, reduction: str, wanted: Any, **options: Any
) -> list[Way]:
    """The rule of losses with the linear layer before them: rows; gradients of weights are sums over them."""
    kinds = {"none": (0, None), "sum": ("sum", 0)}
    if reduction not in kinds or x.ndim < 2:
        return []
    loss, losses = kinds[reduction]
    grads = [kind if w else None for kind, w in zip((0, "sum", "sum"), wanted, strict=True)]
    return [([loss, None, *grads, losses], [0, None, 0, None])]


def of_grouped(a: Array, b: Array, offs: Array | None = None, bias: Array | None = None, **options: Any) -> list[Way]:
    """The rule of grouped products: columns of all groups, and, of products that have no offsets, the groups. Where
    groups are columns of b, offsets say where they are in the whole."""
    if b.ndim < a.ndim:
        return []
    found: list[Way] = [([2 if a.ndim == b.ndim else 1], [None, b.ndim - 1, None, 1])]
    return [*found, ([0], [0, 0, None, None])] if offs is None else found


# -- rotary embedding --------------------------------------------------------------------------------------------------


def of_rotary(single: bool) -> Callable[..., list[Way]]:
    """The rule of rotary embedding: heads, leading dimensions, and positions that are given."""

    def rule(q: Array, *arrays: Any, seq_dim: int, offset: int, **options: Any) -> list[Way]:
        cos, _, positions = arrays[-3:]
        both, heads, place = [q] if single else [q, arrays[0]], q.ndim - 5 - seq_dim, q.ndim + seq_dim

        def way(d: int, tables: int | None, at: int | None) -> Way:
            return [d] * len(both), [d] * len(both) + [tables, tables, at]

        found = [way(heads, None, None)] if q.ndim > 2 else []
        if q.ndim > 3:  # sequences
            several = cos.ndim == 3 and cos.shape[0] > 1
            found.append(way(0, 0 if several else None, 0 if positions is not None and positions.ndim == 2 else None))
        if positions is not None:
            found.append(way(place, None, positions.ndim - 1))
        elif not offset and cos.shape[-2] == q.shape[place]:
            found.append(way(place, cos.ndim - 2, None))
        return found

    return evenly(rule)


# -- attention ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class _Split:
    """One way to split an attention: along a leading dimension, `at` from the end, or along heads (`heads`)."""

    at: int
    heads: bool

    def mask(self, x: Array | None) -> int | None:
        """The dimension of a mask (..., heads, queries, keys), which may be broadcast."""
        return None if x is None or x.ndim < -self.at or x.shape[self.at] == 1 else x.ndim + self.at

    def gradient_of_mask(self, x: Array | None) -> Any:
        """That of its gradient: a sum where all devices have the same mask."""
        found = self.mask(x)
        return "sum" if found is None else found


def _splits(query: Array, packed: Any, table: Any, dropout: float, lengths: Any) -> list[_Split]:
    """Sequences and heads. Dropout draws by the place in the whole, which a device does not know."""
    if dropout or table is not None:
        return []
    if packed is not None:
        return [_Split(-2, True)]
    leading = range(-query.ndim, -3 if lengths is None else min(-query.ndim + 1, -3))
    return [_Split(d, False) for d in leading] + ([_Split(-3, True)] if query.ndim > 2 else [])


def _turned(d: int, rows_first: bool) -> int:
    """A dimension from the end, of (..., length, heads, d) instead of (..., heads, length, d)."""
    return {-3: -2}.get(d, d) if rows_first else d


@evenly
def of_attention(
    query: Array, key: Array, value: Array, attn_mask: Any = None, cu_q: Any = None, cu_k: Any = None,
    table: Any = None, cache_lengths: Any = None, sinks: Any = None, seed: Any = None, *, dropout: float,
    rows_first: bool, **options: Any,
) -> list[Way]:  # fmt: skip
    """The rule of attention: sequences and heads."""
    packed, found = cu_q if cu_q is not None else cu_k, []
    for s in _splits(query, packed, table, dropout, cache_lengths):
        d = query.ndim + s.at
        ins = [d, d, d, s.mask(attn_mask), None, None, None, None if s.heads else 0, 0 if s.heads else None, None]
        logs = 0 if packed is not None else d
        found.append(([query.ndim + _turned(s.at, rows_first), logs], ins))
    return found


@evenly
def of_attention_gradients(
    grad: Array, query: Array, key: Array, value: Array, made: Array, lse: Array, attn_mask: Any = None,
    cu_q: Any = None, cu_k: Any = None, sinks: Any = None, grad_lse: Any = None, seed: Any = None,
    cache_lengths: Any = None, *, dropout: float, rows_first: bool, **options: Any,
) -> list[Way]:  # fmt: skip
    """The rule of its gradients; those of what all devices have are sums."""
    packed, found = cu_q if cu_q is not None else cu_k, []
    for s in _splits(query, packed, None, dropout, cache_lengths):
        d, turned = query.ndim + s.at, query.ndim + _turned(s.at, rows_first)
        logs, heads = 0 if packed is not None else d, 0 if s.heads else None
        ins = [turned, d, d, d, turned, logs, s.mask(attn_mask), None, None, heads, logs, None,
               None if s.heads else 0]  # fmt: skip
        sums = "sum" if heads is None else heads
        found.append(([turned] * 3 + [s.gradient_of_mask(attn_mask), sums], ins))
    return found
