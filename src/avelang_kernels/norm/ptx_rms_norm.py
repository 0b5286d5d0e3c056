"""A matrix of bf16, f16 or f32 and a weight for each column come in; x * w / sqrt(mean(x^2) + eps), the mean that of
the row, goes out: an instruction at a time (sm_80).

Memory is read once and written once; between, a row is in registers. The weights are loaded together with the row, so
that nobody waits for them later; blocks of one multiprocessor find them in its L1."""

from __future__ import annotations

import functools
from typing import Any

from avelang import argument_error, takes
from avelang.ptx import Kernel, Reg, Tile, kernel, ptx, reg
from avelang.ptx.types import Type, f32
from avelang_kernels.arrays import Matrix, Vector
from avelang_kernels.norm.ptx_rows import Rows, RowsPlan, checked, plan_of


def squares(values: list[Reg]) -> Reg:
    """The sum of squares."""
    total = values[0] * values[0]
    for value in values[1:]:
        ptx.inst.fma.rn.f32(total, value, value, total)
    return total


@functools.cache
def build(plan: RowsPlan, dtype: Type) -> Kernel:
    """The kernel of a plan: `k(x, weight, eps)` for x (M, plan.n) and weight (plan.n) of `dtype` gives the like of
    x."""

    @kernel(
        in_specs=(Tile("M", plan.n, dtype), Tile(plan.n, dtype), f32), out_specs=Tile("M", plan.n, dtype),
        grid=lambda M: -(-M // plan.rows),
        block=plan.block, arch="auto",
    )  # fmt: skip
    def rms_norm(x: Any, weight: Any, eps: Any, out: Any, *, M: Any):
        px, pw, po = ptx.global_ptrs(x, weight, out)
        rows = Rows(plan, dtype, M)
        words, weights = rows.load(px), rows.load(pw, row=False)
        values = rows.values(words)
        (total,) = rows.combined([squares(values)], lambda a, b: [a[0] + b[0]])
        scale = reg.scalar(f32)
        ptx.inst.fma.rn.f32(scale, total, 1 / plan.n, ptx.param(eps))
        ptx.inst.rsqrt.approx.ftz.f32(scale, scale)
        rows.store(po, [value * scale * w for value, w in zip(values, rows.values(weights), strict=True)])
        ptx.ret()

    return rms_norm


@takes()
def rms_norm(
    x: Matrix, weight: Vector, eps: float = 1e-6, out: Matrix | None = None, plan: RowsPlan | None = None
) -> Any:
    """Each row divided by the root of the mean of its squares, times the weights; computed in f32.

    x: (m, n), weight: (n), both bf16, f16 or f32, row-major without gaps, n from 1 to 32768: torch's, JAX's or NumPy's,
    on a GPU of sm_80 or newer, or on the CPU. eps: what is added to the mean, in units of x squared. out: like x, or x
    itself; made when it is None. `plan`: chosen by n when it is None. Returns the output. Raises ValueError for other
    shapes, TypeError for other types, and the errors of a launch."""
    dtype = checked(x, out)
    if tuple(weight.shape) != (x.shape[1],):
        raise argument_error(
            f"weight is {tuple(weight.shape)}, but rows have {x.shape[1]} elements: it must be ({x.shape[1]},)"
        )
    if weight.dtype != x.dtype:
        raise argument_error(f"weight is of {weight.dtype}, x is of {x.dtype}: both need the same type")
    k = build(plan or plan_of(x.shape[1], dtype), dtype)
    return k(x, weight, eps) if out is None else k(x, weight, eps, out=out)
