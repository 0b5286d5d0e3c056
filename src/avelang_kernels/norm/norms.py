"""Rows come in; what RMS norm or layer norm makes of them goes out: one source for AMD, NVIDIA and the CPU, a thread's
part at a time. A row is read once where its threads can hold it."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.norm.row_plans import Lines, RowPlan, combined, exchange, inside, over, plus


def maybe(dtype: Any, present: bool = True) -> Any:
    """The annotation of a pointer, or of a parameter that a kernel has not."""
    return al.Pointer(dtype) if present else al.constexpr


def steps(strided: bool) -> Any:
    """The annotation of a stride, of an array that has gaps or has none."""
    return al.i64 if strided else al.constexpr


@avelang.jit
def summed(X: Any, R: Any, r: Any, first: Any, P: Any):
    """A chunk of row r of X, or of X + R, rounded to the dtype of X."""
    x = X.load(r, first, P)
    if R is None:
        return x
    ACC, other = al.f64 if x.dtype == al.f64 else al.f32, R.load(r, first, P)
    return al.convert(al.convert(x, ACC) + al.convert(other, ACC), x.dtype)


@avelang.jit
def weight_of(W: Any, first: Any, OFFSET: Any, P: Any, ACC: Any):
    """OFFSET + weight of a chunk, or 1."""
    if W is None:
        return al.full((P.loads, P.vec), 1.0, ACC)
    return al.convert(W.load(0, first, P), ACC) + OFFSET


@avelang.jit
def total(P: Any, vectors: Any, shared: Any, turn: Any, part: Any, ACC: Any):
    """The sum over a row of `part(first, i)`, a vector of the i-th access of a chunk."""

    def chunk(acc: Any, first: Any):
        for i in range(P.loads):
            value = part(first, i)
            zero = al.full((P.vec,), 0.0, ACC)
            acc = acc + (value if P.full else al.select(inside(P, vectors, first, i), value, zero))
        return acc

    acc = over(P, vectors, al.full((P.vec,), 0.0, ACC), chunk)
    return combined(al.full((1,), sum(acc), ACC), plus, P, shared, turn)[0]


@avelang.jit
def norm_row(
    X: Any,
    R: Any,
    Y: Any,
    S: Any,
    W: Any,
    B: Any,
    row: Any,
    alive: Any,
    means: Any,
    rstds: Any,
    each: Any,
    eps: Any,
    shared: Any,
    turn: Any,
    P: Any,
    OFFSET: Any,
    CENTER: Any,
    ACC: Any,
):
    """Norms a row of X, or of X + R, which is then stored in S. `each`: one by the length of a
    row."""
    vectors = X.vectors
    held = summed(X, R, row, 0, P) if P.held else None

    def values(first: Any):
        return al.convert(held if P.held else summed(X, R, row, first, P), ACC)

    def value(first: Any, i: Any):
        return values(first)[i]

    mean = total(P, vectors, shared, turn, value, ACC) * each if CENTER else 0

    def square(first: Any, i: Any):
        v = values(first)[i] - mean if CENTER else values(first)[i]
        return v * v

    # Layer norm has two sums: the buffers take turns by themselves.
    rstd = al.rsqrt(total(P, vectors, shared, turn ^ 1 if CENTER else turn, square, ACC) * each + eps)

    def finish(state: Any, first: Any):
        v, factor = values(first), weight_of(W, first, OFFSET, P, ACC)
        out = ((v - mean) if CENTER else v) * rstd * factor
        Y.store(row, first, out if B is None else out + al.convert(B.load(0, first, P), ACC), P)
        if S is not None:
            S.store(row, first, v, P)
        return state

    if alive:
        over(P, vectors, 0, finish)
        if al.thread_id(0) % P.threads == 0:
            rstds[row] = rstd
            if CENTER:
                means[row] = mean


@functools.cache
def build_forward(
    P: RowPlan, offset: int, dtype: Any, weight: Any, bias: Any, *, residual: bool, center: bool, acc: Any,
    strided: tuple[bool, bool], lead: bool,
) -> Any:  # fmt: skip
    """The kernel of a plan, for the dtypes of the rows, of the weight and of the bias (None: there is none).
    `residual`: rows are sums of two arrays, which are stored too; `center`: layer norm. `strided`: whether the arrays
    have gaps."""
    S, T, E = steps(strided[0]), steps(strided[1]), al.u32 if lead else al.constexpr
    WEIGHT, BIAS, MEAN = maybe(weight, weight is not None), maybe(bias, bias is not None), maybe(acc, center)
    OTHER = maybe(dtype, residual)

    @avelang.jit
    def norm(
        x: al.Pointer[dtype], y: al.Pointer[dtype], rstd_of: al.Pointer[acc], rows: al.u32, vectors: al.u32,
        eps: Annotated[Any, acc], w: Annotated[Any, WEIGHT] = None, b: Annotated[Any, BIAS] = None,
        mean_of: Annotated[Any, MEAN] = None, r: Annotated[Any, OTHER] = None, s: Annotated[Any, OTHER] = None,
        e1: Annotated[Any, E] = None, e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None,
        x1: Annotated[Any, S] = None, x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None,
        r0: Annotated[Any, T] = None, r1: Annotated[Any, T] = None, r2: Annotated[Any, T] = None,
        r3: Annotated[Any, T] = None,
    ):  # fmt: skip
        X, shared = Lines(x, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3), exchange(P, 1, acc)
        R = Lines(r, rows, vectors, P.vec, e1, e2, r0, r1, r2, r3) if residual else None
        Y, S = Lines(y, rows, vectors, P.vec), Lines(s, rows, vectors, P.vec) if residual else None
        W = None if w is None else Lines(w, 1, vectors, P.vec)
        B = None if b is None else Lines(b, 1, vectors, P.vec)
        rstds, turn = al.make_tensor(rstd_of, acc, al.make_layout((rows,))), al.convert(0, al.u32)
        means = al.make_tensor(mean_of, acc, al.make_layout((rows,))) if center else rstds
        each = 1.0 / al.convert(vectors * P.vec, acc)
        for step in al.range(al.block_id(0), (rows + (P.rows - 1)) // P.rows, al.grid_dim(0)):
            at = step * P.rows + al.thread_id(0) // P.threads
            alive, row = P.rows == 1 or at < rows, min(at, rows - 1)
            norm_row(X, R, Y, S, W, B, row, alive, means, rstds, each, eps, shared, turn, P, offset, center, acc)
            turn = turn if center else turn ^ 1

    return norm
