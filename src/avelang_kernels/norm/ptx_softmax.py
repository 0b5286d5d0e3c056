"""A matrix of bf16, f16 or f32 comes in; the softmax of each row, exp(x) / sum(exp(x)), goes out: an instruction at a
time (sm_80).

Memory is read once and written once; between, a row is in registers. Each thread takes its own maximum away first, so
that one trip through shared memory brings both, the row's maximum and its sum; powers of 2 (`ex2.approx`) come from the
special function unit."""

from __future__ import annotations

import functools
import math
from typing import Any

from avelang import takes
from avelang.ptx import Kernel, Reg, Tile, kernel, ptx, reg
from avelang.ptx.types import Type, f32
from avelang_kernels.arrays import Matrix
from avelang_kernels.norm.ptx_rows import Rows, RowsPlan, checked, larger, plan_of

LOG2_E = math.log2(math.e)
LOWEST = -float.fromhex(
    "0x1.fffffep127"
)  # of f32: the maximum where all is -inf, from which nothing could be taken away


def power(x: Reg, less: Reg) -> Reg:
    """exp(x - less)."""
    out = (x - less) * LOG2_E
    ptx.inst.ex2.approx.ftz.f32(out, out)
    return out


def merged(a: list[Reg], b: list[Reg]) -> list[Reg]:
    """(maximum, sum of the powers relative to it) of two parts of a row."""
    most = larger(a[0], b[0])
    total = a[1] * power(a[0], most)
    ptx.inst.fma.rn.f32(total, b[1], power(b[0], most), total)
    return [most, total]


@functools.cache
def build(plan: RowsPlan, dtype: Type) -> Kernel:
    """The kernel of a plan: `k(x)` for x (M, plan.n) of `dtype` gives its like."""

    @kernel(
        in_specs=Tile("M", plan.n, dtype),
        out_specs=Tile("M", plan.n, dtype),
        grid=lambda M: -(-M // plan.rows),
        block=plan.block,
        arch="auto",
    )
    def softmax(x: Any, out: Any, *, M: Any):
        px, po = ptx.global_ptrs(x, out)
        rows = Rows(plan, dtype, M)
        values = rows.values(rows.load(px, -math.inf))
        most = functools.reduce(larger, values, reg.scalar(f32, LOWEST))
        values = [power(value, most) for value in values]
        total = functools.reduce(lambda a, b: a + b, values)
        row_most, row_total = rows.combined([most, total], merged)
        scale = power(most, row_most)
        ptx.inst.rcp.approx.ftz.f32(row_total, row_total)
        scale *= row_total
        rows.store(po, [value * scale for value in values])
        ptx.ret()

    return softmax


@takes()
def softmax(x: Matrix, out: Matrix | None = None, plan: RowsPlan | None = None) -> Any:
    """The softmax of each row, computed in f32.

    x: (m, n) of bf16, f16 or f32, row-major without gaps, n from 1 to 32768: torch's, JAX's or NumPy's, on a GPU of
    sm_80 or newer, or on the CPU. out: like x, or x itself; made when it is None. `plan`: chosen by n when it is None.
    Returns the output. A row with a NaN becomes NaN, as does one of -inf alone. Raises ValueError for other shapes,
    TypeError for other types, and the errors of a launch."""
    dtype = checked(x, out)
    k = build(plan or plan_of(x.shape[1], dtype), dtype)
    return k(x) if out is None else k(x, out=out)
