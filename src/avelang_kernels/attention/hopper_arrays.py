"""What Hopper's attention asks of arrays: whether TMA reaches them."""

from __future__ import annotations

from typing import Any

from avelang_kernels.arrays import address, copied, strides_of


def reachable(x: Any) -> bool:
    """True where TMA can copy from an array of 16 bits: d side by side, all else in steps of 16 bytes, and not of 0, as
    the heads of an expanded array have."""
    steps = strides_of(x)
    whole = (steps[-1] == 1 or x.shape[-1] == 1) and all(s > 0 and s % 8 == 0 for s in steps[:-1])
    return whole and address(x) % 16 == 0


def dense(x: Any) -> Any:
    """The array, or a copy where TMA cannot reach it."""
    return x if reachable(x) else copied(x)
