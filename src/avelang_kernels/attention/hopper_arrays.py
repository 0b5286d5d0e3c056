"""What Hopper's attention asks of arrays: whether TMA reaches them."""

from __future__ import annotations

from typing import Any

from avelang_kernels.arrays import address, copied, strided, strides_of
from avelang_kernels.attention.problem import Problem


def reachable(x: Any) -> bool:
    """True where TMA can copy from an array of 16 bits: d side by side, all else in steps of 16 bytes, and not of 0, as
    the heads of an expanded array have."""
    steps = strides_of(x)
    whole = (steps[-1] == 1 or x.shape[-1] == 1) and all(s > 0 and s % 8 == 0 for s in steps[:-1])
    return whole and address(x) % 16 == 0


def dense(x: Any) -> Any:
    """The array, or a copy where TMA cannot reach it."""
    return x if reachable(x) else copied(x)


def staged_bias(p: Problem, bias: Any) -> Any:
    """A bias (batches, heads, queries, keys) as (batches, queries, heads, keys), of which batches and heads that have
    one are one, if TMA reaches it; else None."""
    if bias is None or p.bias == "float32" or p.packed_q or tuple(bias.shape[2:]) != (p.queries, p.keys):
        return None
    strides = strides_of(bias)
    shape = tuple(1 if s == 0 else n for n, s in zip(bias.shape[:2], strides, strict=False))
    # A stride that is never taken, of a size that TMA allows.
    steps = tuple(8 * p.keys if n == 1 else s for n, s in zip(shape, strides, strict=False))
    found = strided(bias, (*shape, *bias.shape[2:]), (*steps, *strides[2:])).swapaxes(1, 2)
    return found if reachable(found) else None
