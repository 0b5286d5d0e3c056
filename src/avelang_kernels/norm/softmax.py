"""Rows come in; their softmax, or its logarithm, goes out, and of gradients of that the gradients of the rows: one
source for AMD, NVIDIA and the CPU, a thread's part at a time."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.norm.norm_backward import sums_of
from avelang_kernels.norm.norms import steps
from avelang_kernels.norm.row_plans import Lines, RowPlan, column, combined, exchange, inside, over, packed

LOG2_E = math.log2(math.e)
LEAST = -math.inf  # the maximum of no numbers


@avelang.jit
def power(x: Any, dtype: Any):
    """e^x, by the instruction that GPUs have for powers of 2 where f32 is enough."""
    if dtype == al.f64:
        return al.exp(x)
    if al.target().vendor == "nvidia" and len(x.shape) == 1:
        out = x * LOG2_E
        for e in range(x.shape[0]):
            out[e] = al.nvvm.exp2(out[e])
        return out
    return al.exp2(x * LOG2_E)


@avelang.jit
def power_of(x: Any, dtype: Any):
    """The same of a number."""
    return al.exp(x) if dtype == al.f64 else al.exp2(x * LOG2_E)


@avelang.jit
def finite(most: Any):
    """A maximum from which something can be taken away: 0 where it is that of no numbers, or of -inf alone."""
    return al.select(most == LEAST, 0.0, most)


@avelang.jit
def either(a: Any, b: Any):
    """(maximum, sum of powers relative to it) of two parts of a row. NaN is kept in the sum."""
    most = al.max(a[0], b[0])
    out, level = al.make_local((2,), a.dtype), finite(most)
    out[0], out[1] = most, a[1] * power_of(a[0] - level, a.dtype) + b[1] * power_of(b[0] - level, a.dtype)
    return out


@avelang.jit
def maximum_and_sum(P: Any, vectors: Any, shared: Any, turn: Any, part: Any, ACC: Any):
    """The maximum of a row of `part(first, i)`, the i-th access of a chunk as a vector, and the sum of the powers
    relative to it, of all its threads together."""

    def chunk(state: Any, first: Any):
        most = state[0]
        for i in range(P.loads):
            v = part(first, i)
            here = inside(P, vectors, first, i)
            for e in range(P.vec):
                most = al.max(most, v[e] if P.full else al.select(here, v[e], LEAST))
        level = finite(most)
        total = state[1] * power_of(state[0] - level, ACC)
        for i in range(P.loads):
            powers = power(part(first, i) - level, ACC)
            total = total + (sum(powers) if P.full else al.select(inside(P, vectors, first, i), sum(powers), 0.0))
        out = al.make_local((2,), ACC)
        out[0], out[1] = most, total
        return out

    begin = al.make_local((2,), ACC)
    begin[0], begin[1] = LEAST, 0.0
    return combined(over(P, vectors, begin, chunk), either, P, shared, turn)


@avelang.jit
def softmax_row(X: Any, Y: Any, row: Any, alive: Any, shared: Any, turn: Any, rows: Any, P: Any, LOG: Any, ACC: Any):
    """Writes the softmax of a row of X, or its logarithm, to Y."""
    held, vectors = X.load(row, 0, P) if P.held else None, X.vectors

    def access(values: Any, first: Any, i: Any):
        c = first + column(P, i)
        return al.convert(values[i] if P.held else X.get(row, c if P.full else min(c, vectors - 1)), ACC)

    def value(first: Any, i: Any):
        return access(held, first, i)

    found = maximum_and_sum(P, vectors, shared, turn, value, ACC)
    factor, again = al.log(found[1]) if LOG else 1.0 / found[1], packed(held, rows) if P.held else None

    def finish(state: Any, first: Any):
        for i in range(P.loads):
            v, c = access(again, first, i) - found[0], first + column(P, i)
            if P.full or c < vectors:
                Y.put(row, c, v - factor if LOG else power(v, ACC) * factor)
        return state

    if alive:
        over(P, vectors, 0, finish)


@functools.cache
def build_softmax(P: RowPlan, dtype: Any, out: Any, acc: Any, log: bool, strided: bool, lead: bool) -> Any:
    """The kernel of a plan, for the dtypes of rows and of results. `log`: the logarithm of softmax."""
    S, E = steps(strided), al.u32 if lead else al.constexpr

    @avelang.jit
    def softmax(
        x: al.Pointer[dtype], y: al.Pointer[out], rows: al.u32, vectors: al.u32, e1: Annotated[Any, E] = None,
        e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None,
        x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None,
    ):  # fmt: skip
        X = Lines(x, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        Y, shared, turn = Lines(y, rows, vectors, P.vec), exchange(P, 2, acc), al.convert(0, al.u32)
        for step in al.range(al.block_id(0), (rows + (P.rows - 1)) // P.rows, al.grid_dim(0)):
            at = step * P.rows + al.thread_id(0) // P.threads
            alive, row = P.rows == 1 or at < rows, min(at, rows - 1)
            softmax_row(X, Y, row, alive, shared, turn, rows, P, log, acc)
            turn = turn ^ 1

    return softmax


@avelang.jit
def gradient_row(
    Y: Any, D: Any, O: Any, row: Any, alive: Any, shared: Any, turn: Any, rows: Any, P: Any, LOG: Any, ACC: Any
):
    """Writes the gradient of a row to O, by its softmax in Y and gradients of that in D."""
    ys, ds, vectors = Y.load(row, 0, P) if P.held else None, D.load(row, 0, P) if P.held else None, Y.vectors

    def access(ys: Any, ds: Any, first: Any, i: Any):
        c = first + column(P, i)
        c = c if P.full else min(c, vectors - 1)
        v, d = (ys[i], ds[i]) if P.held else (Y.get(row, c), D.get(row, c))
        return al.convert(v, ACC), al.convert(d, ACC)

    def products(first: Any, i: Any):
        v, d = access(ys, ds, first, i)
        return ((d, None if LOG else v),)

    total = sums_of(P, vectors, shared, turn, products, 1, ACC)[0]
    y_again, d_again = packed(ys, rows) if P.held else None, packed(ds, rows) if P.held else None

    def finish(state: Any, first: Any):
        for i in range(P.loads):
            v, d = access(y_again, d_again, first, i)
            c = first + column(P, i)
            if P.full or c < vectors:
                O.put(row, c, d - power(v, ACC) * total if LOG else v * (d - total))
        return state

    if alive:
        over(P, vectors, 0, finish)


@functools.cache
def build_gradient(
    P: RowPlan, dtype: Any, out: Any, acc: Any, log: bool, strided: tuple[bool, bool], lead: bool
) -> Any:
    """The kernel of a plan, for the dtypes of the results (and their gradients) and of the rows' gradients."""
    S, T, E = *map(steps, strided), al.u32 if lead else al.constexpr

    @avelang.jit
    def softmax_backward(
        y: al.Pointer[dtype], dy: al.Pointer[dtype], dx: al.Pointer[out], rows: al.u32, vectors: al.u32,
        e1: Annotated[Any, E] = None, e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None,
        x1: Annotated[Any, S] = None, x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None,
        d0: Annotated[Any, T] = None, d1: Annotated[Any, T] = None, d2: Annotated[Any, T] = None,
        d3: Annotated[Any, T] = None,
    ):  # fmt: skip
        Y = Lines(y, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        D = Lines(dy, rows, vectors, P.vec, e1, e2, d0, d1, d2, d3)
        O, shared, turn = Lines(dx, rows, vectors, P.vec), exchange(P, 1, acc), al.convert(0, al.u32)
        for step in al.range(al.block_id(0), (rows + (P.rows - 1)) // P.rows, al.grid_dim(0)):
            at = step * P.rows + al.thread_id(0) // P.threads
            alive, row = P.rows == 1 or at < rows, min(at, rows - 1)
            gradient_row(Y, D, O, row, alive, shared, turn, rows, P, log, acc)
            turn = turn ^ 1

    return softmax_backward
