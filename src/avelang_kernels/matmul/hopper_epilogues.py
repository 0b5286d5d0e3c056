"""Ends of Hopper's GEMM with scales: sums come in; what is rounded goes out, multiplied by a number."""

from __future__ import annotations

from typing import Any

import avelang
import avelang.language as al


@avelang.jit
def scale_of(factor: Any, one: Any, two: Any):
    """The number by which sums are multiplied: `factor`, and those that pointers lead to."""
    if one is not None:
        factor = factor * al.make_tensor(one, al.f32, al.make_layout((1,)))[0]
    if two is not None:
        factor = factor * al.make_tensor(two, al.f32, al.make_layout((1,)))[0]
    return factor


@avelang.jit
def scale_vector(memory: Any, count: Any, step: Any, PAIRS: Any):
    """The scales of so many rows, `step` elements apart; PAIRS: an even number, side by side, as pairs."""
    if PAIRS:
        return al.make_tensor(memory, al.f32, al.make_layout((count // 2, 2)))
    return al.make_tensor(memory, al.f32, al.make_layout((count,), (step,)))


@avelang.struct
class Scaling:
    """The activation of an epilogue that multiplies sums, of f32 or i32, by a number of f32."""

    factor: ...

    def __call__(self, acc: Any):
        return al.convert(acc, al.f32) * self.factor
