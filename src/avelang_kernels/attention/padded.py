"""Attention of rows that are no whole words of 4 bytes: a `Problem` and its arrays come in; copies with rows of whole
16 bytes go out, with zeros at their ends, which change no sum.

NVIDIA's asynchronous copies take words. Without them every element has a load of its own: such code took half a minute
to compile, and more registers than there are."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from avelang_kernels.arrays import new
from avelang_kernels.attention.problem import Operands, Problem

UNIT = 8  # elements of 16 bits in 16 bytes


def unaligned(p: Problem, arrays: Sequence[Any], chip: str, options: Any) -> bool:
    """True where rows of arrays (..., d) are to be copied for a chip first. A cache in pages is not: it may be all of
    the memory."""
    from avelang_kernels.attention.tile_attention_views import vector_for

    if not chip.startswith("sm_") or options.get("backend") == "cpu" or p.page or p.dtype == "float32":
        return False
    return vector_for(2, math.gcd(p.d, p.dv), arrays) == 1


def padded(p: Problem) -> Problem:
    """The problem of the copies."""
    return dataclasses.replace(p, d=-(-p.d // UNIT) * UNIT, dv=-(-p.dv // UNIT) * UNIT)


def room_beside(x: Any) -> Any:
    """A new array for rows like those of `x`, and zeros at their ends."""
    return new(x, (*x.shape[:-1], -(-x.shape[-1] // UNIT) * UNIT))


def with_zeros(x: Any) -> Any:
    """A copy of `x`, and zeros at the ends of its rows."""
    out = room_beside(x)
    out[..., : x.shape[-1]] = x
    out[..., x.shape[-1] :] = 0
    return out


def padded_operands(x: Operands) -> Operands:
    """Operands whose rows are copies."""
    return dataclasses.replace(x, q=with_zeros(x.q), k=with_zeros(x.k), v=with_zeros(x.v))
