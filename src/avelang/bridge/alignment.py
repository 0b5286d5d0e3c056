"""Tensors that begin where a GPU's widest accesses, and TMA, must not, as x[1:] does: operations of this package run on
aligned copies of them. Operations of users get what was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

UNIT = 15  # bits of an address that a multiple of 16 bytes has not


def on_gpu(x: Any) -> bool:
    """True where kernels of a GPU read a tensor; the CPU reads elements at any of their own multiples."""
    return x.is_cuda


def aligned(x: Any) -> Any:
    """An input, or where it begins off 16 bytes on a GPU a copy."""
    return x.clone() if x is not None and x.data_ptr() & UNIT and on_gpu(x) else x


def with_aligned(host: Callable[..., Any], inputs: Sequence[Any], made: Sequence[Any], named: dict[str, Any]) -> None:
    """Calls a host function with aligned copies of inputs, and with outputs from which those that begin off 16 bytes
    are copied."""
    given = [y.new_empty(y.shape) if y.data_ptr() & UNIT and on_gpu(y) else y for y in made]
    host(*(aligned(x) for x in inputs), *given, **named)
    for y, z in zip(made, given, strict=True):
        if z is not y:
            y.copy_(z)
