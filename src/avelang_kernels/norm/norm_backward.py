"""Gradients of rows that a norm made come in; those of its input, its weight and its bias go out.

A block takes many rows in turn, the next one already on its way, and keeps the sums for weight and bias in registers
(in memory, where rows are longer than registers): each block leaves one row of partial sums, which a second kernel adds
up in their order. So gradients have the same bits in every run."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.norm.norms import maybe, steps
from avelang_kernels.norm.row_plans import Lines, RowPlan, column, combined, exchange, inside, over, packed, plus

COLUMNS, TEAMS = 32, 32  # of a block that adds up partial sums: columns, and groups of rows
AT_ONCE = 5  # rows of a team that are loaded at a time: all of those that the blocks of 132 multiprocessors leave


@avelang.jit
def sums_of(P: Any, vectors: Any, shared: Any, turn: Any, part: Any, COUNT: Any, ACC: Any):
    """Sums over a row of what `part(first, i)` gives for the i-th access of a chunk: so many products, as pairs of
    vectors, or (vector, None)."""

    def chunk(acc: Any, first: Any):
        out = al.make_local((COUNT, P.vec), ACC)
        for k in range(COUNT):
            out[k] = acc[k]
        for i in range(P.loads):
            parts = part(first, i)
            for k in range(COUNT):
                a, b = parts[k]
                if not P.full:
                    a = al.select(inside(P, vectors, first, i), a, al.full((P.vec,), 0.0, ACC))
                out[k] = out[k] + a if b is None else al.fma(a, b, out[k])
        return out

    acc = over(P, vectors, al.full((COUNT, P.vec), 0.0, ACC), chunk)
    found = al.make_local((COUNT,), ACC)
    for k in range(COUNT):
        found[k] = sum(acc[k])
    return combined(found, plus, P, shared, turn)


@avelang.jit
def leave(partials: Any, which: Any, sums: Any, vectors: Any, P: Any, ACC: Any, held: Any = None):
    """Adds up the sums of the groups of a block, (loads, vec) of each thread, in their order, and writes them. `held`:
    shared memory for those of an access, (rows, threads, vec); new where there is none."""
    blocks, thread = al.grid_dim(0), al.thread_id(0)
    out = al.make_tensor(partials, ACC, al.make_layout((which + 1, blocks, vectors, P.vec)))
    if P.rows == 1:
        for i in range(P.loads):
            c = column(P, i)
            if P.full or c < vectors:
                out[which, al.block_id(0), c] = sums[i]
    else:
        if held is None:
            held = al.make_shared((P.rows, P.threads, P.vec), ACC)
        for i in range(P.loads):
            al.syncthreads()
            held[thread // P.threads, thread % P.threads] = sums[i]
            al.syncthreads()
            c = column(P, i)
            if thread < P.threads and (P.full or c < vectors):
                value = held[0, thread]
                for g in range(1, P.rows):
                    value = value + held[g, thread]
                out[which, al.block_id(0), c] = value


@avelang.jit
def add_to(partials: Any, which: Any, c: Any, value: Any, fresh: Any, vectors: Any, P: Any, ACC: Any):
    """Adds an access to the partial sums of the block in memory, or makes it their beginning."""
    out = al.make_tensor(partials, ACC, al.make_layout((which + 1, al.grid_dim(0), vectors, P.vec)))
    if not fresh:
        value = value + out[which, al.block_id(0), c]
    out[which, al.block_id(0), c] = value


@avelang.struct
class NormRow:
    """A row of a norm's input, X, with its gradient, D: what both need of the row. W: Lines of the weight, or None."""

    X: ...
    D: ...
    W: ...
    row: ...
    mean: ...
    rstd: ...
    vectors: ...
    P: al.constexpr
    OFFSET: al.constexpr
    CENTER: al.constexpr
    ACC: al.constexpr

    def given(self, xs: Any, ds: Any, first: Any, i: Any):
        """An access of the normed row, its gradient, and that times the weight. xs, ds: the row, where it is held."""
        c = first + column(self.P, i)
        at = c if self.P.full else min(c, self.vectors - 1)
        v = al.convert(xs[i] if self.P.held else self.X.get(self.row, at), self.ACC)
        d = al.convert(ds[i] if self.P.held else self.D.get(self.row, at), self.ACC)
        g = d
        if self.W is not None:
            w = al.convert(self.W.get(0, at), self.ACC)
            g = d * (w if self.OFFSET == 0 else w + self.OFFSET)  # w + 0 is an addition: it is not w where that is -0
        return ((v - self.mean) if self.CENTER else v) * self.rstd, d, g

    def sums(self, xs: Any, ds: Any, shared: Any, turn: Any):
        """The sums over the row of gradient times normed row, and, of layer norm, of gradients."""

        def products(first: Any, i: Any):
            v, _, g = self.given(xs, ds, first, i)
            return ((g, v), (g, None)) if self.CENTER else ((g, v),)

        return sums_of(self.P, self.vectors, shared, turn, products, 1 + self.CENTER, self.ACC)


@avelang.jit
def differentiate(
    N: Any,
    xs: Any,
    ds: Any,
    found: Any,
    each: Any,
    M: Any,
    O: Any,
    alive: Any,
    of_w: Any,
    of_b: Any,
    partials: Any,
    fresh: Any,
    WEIGHTED: Any,
    BIAS: Any,
):
    """Writes the gradient of a row to O, and adds its part to those of weight and bias. `each`: one by the length of a
    row; M: Lines of what is added to the row's gradient, or None."""
    P, ACC, vectors = N.P, N.ACC, N.vectors
    along, level = 0.0 - found[0] * each, found[1] * each if N.CENTER else 0

    def all(x: Any):
        return al.full((P.vec,), x, ACC)

    def finish(state: Any, first: Any):
        for i in range(P.loads):
            v, d, g = N.given(xs, ds, first, i)
            out = al.fma(v, all(along), g - level if N.CENTER else g) * N.rstd
            c = first + column(P, i)
            if M is not None:
                out = out + al.convert(M.get(N.row, c if P.full else min(c, vectors - 1)), ACC)
            if alive and (P.full or c < vectors):
                O.put(N.row, c, out)
            if P.held:
                if WEIGHTED:
                    of_w[i] = al.fma(d if P.rows == 1 else al.select(alive, d, all(0.0)), v, of_w[i])
                if BIAS:
                    of_b[i] = of_b[i] + (d if P.rows == 1 else al.select(alive, d, all(0.0)))
            elif alive and c < vectors:
                if WEIGHTED:
                    add_to(partials, 0, c, d * v, fresh, vectors, P, ACC)
                if BIAS:
                    add_to(partials, WEIGHTED + 0, c, d, fresh, vectors, P, ACC)
        return state

    over(P, vectors, 0, finish)


@avelang.jit
def take_rows(
    X: Any,
    D: Any,
    M: Any,
    O: Any,
    W: Any,
    rstds: Any,
    means: Any,
    partials: Any,
    rows: Any,
    P: Any,
    OFFSET: Any,
    CENTER: Any,
    WEIGHTED: Any,
    BIAS: Any,
    ACC: Any,
):
    """A block's part of `norm_backward`: its rows, one after another, and its partial sums. A row is not loaded while
    the one before is computed: that takes registers, and other groups of the block load meanwhile."""
    shared, vectors = exchange(P, 1 + CENTER, ACC), X.vectors
    group, last, turn = al.thread_id(0) // P.threads, rows - 1, al.convert(0, al.u32)
    each = 1.0 / al.convert(vectors * P.vec, ACC)
    of_w, of_b = al.full((P.loads, P.vec), 0.0, ACC), al.full((P.loads, P.vec), 0.0, ACC)
    xs, ds = al.full((P.loads, P.vec), 0.0, X.memory.dtype), al.full((P.loads, P.vec), 0.0, D.memory.dtype)
    apart = al.grid_dim(0) * P.rows
    # Rows go to blocks in turn, and within a block to groups: no block has over one row more than another.
    begin, by = (al.block_id(0), al.grid_dim(0)) if P.rows == 1 else (al.convert(0, al.u32), al.convert(1, al.u32))
    for step in al.range(begin, rows if P.rows == 1 else (rows + (apart - 1)) // apart, by):
        at = step if P.rows == 1 else (step * P.rows + group) * al.grid_dim(0) + al.block_id(0)
        row, alive = min(at, last), P.rows == 1 or at < rows
        rstd, mean = rstds[row], means[row] if CENTER else 0
        if P.held:
            xs, ds = X.load(row, 0, P), D.load(row, 0, P)
        N = NormRow(X, D, W, row, mean, rstd, vectors, P, OFFSET, CENTER, ACC)
        found = N.sums(xs, ds, shared, turn)
        turn = turn ^ 1
        x_again, d_again = packed(xs, rows), packed(ds, rows)
        fresh = step == begin
        differentiate(N, x_again, d_again, found, each, M, O, alive, of_w, of_b, partials, fresh, WEIGHTED, BIAS)
    if P.held:
        if WEIGHTED:
            leave(partials, 0, of_w, vectors, P, ACC)
        if BIAS:
            leave(partials, WEIGHTED + 0, of_b, vectors, P, ACC)


@functools.cache
def build_backward(
    P: RowPlan, offset: int, dtype: Any, weight: Any, *, weighted: bool, bias: bool, center: bool, more: bool,
    acc: Any, strided: tuple[bool, ...], lead: bool,
) -> Any:  # fmt: skip
    """The kernel of a plan, for the dtypes of the rows and of the weight (None: there is none). `weighted`, `bias`:
    these get gradients; `center`: layer norm; `more`: a gradient that is added to the rows'. `strided`: whether rows,
    their gradients and the added ones have gaps."""
    S, T, U, E = *map(steps, strided), al.u32 if lead else al.constexpr
    WEIGHT, MEAN, SUMS = maybe(weight, weight is not None), maybe(acc, center), maybe(acc, weighted or bias)
    MORE = maybe(dtype, more)

    @avelang.jit
    def norm_backward(
        x: al.Pointer[dtype], dy: al.Pointer[dtype], dx: al.Pointer[dtype], rstd_of: al.Pointer[acc], rows: al.u32,
        vectors: al.u32, w: Annotated[Any, WEIGHT] = None, mean_of: Annotated[Any, MEAN] = None,
        partials: Annotated[Any, SUMS] = None, m: Annotated[Any, MORE] = None, e1: Annotated[Any, E] = None,
        e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None,
        x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None, d0: Annotated[Any, T] = None,
        d1: Annotated[Any, T] = None, d2: Annotated[Any, T] = None, d3: Annotated[Any, T] = None,
        m0: Annotated[Any, U] = None, m1: Annotated[Any, U] = None, m2: Annotated[Any, U] = None,
        m3: Annotated[Any, U] = None,
    ):  # fmt: skip
        X = Lines(x, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        D = Lines(dy, rows, vectors, P.vec, e1, e2, d0, d1, d2, d3)
        M = Lines(m, rows, vectors, P.vec, e1, e2, m0, m1, m2, m3) if more else None
        O, W = Lines(dx, rows, vectors, P.vec), Lines(w, 1, vectors, P.vec) if weight is not None else None
        rstds = al.make_tensor(rstd_of, acc, al.make_layout((rows,)))
        means = al.make_tensor(mean_of, acc, al.make_layout((rows,))) if center else rstds
        take_rows(X, D, M, O, W, rstds, means, partials, rows, P, offset, center, weighted, bias, acc)

    return norm_backward


@functools.cache
def build_sums(acc: Any, one: Any, two: Any, V: int = 1) -> Any:
    """The kernel that adds up the rows of partial sums, (1 or 2, rows, n vectors of V), into vectors of one or two
    dtypes: a block for each `COLUMNS` vectors. Each of its `TEAMS` adds every so manyth row, and then their sums are
    added."""
    SECOND = maybe(two, two is not None)

    @avelang.jit
    def add_rows(
        partials: al.Pointer[acc], a: al.Pointer[one], rows: al.u32, n: al.u32, b: Annotated[Any, SECOND] = None,
    ):  # fmt: skip
        which, team, at = al.block_id(1), al.thread_id(0) // COLUMNS, al.thread_id(0) % COLUMNS
        held, col = al.make_shared((TEAMS, COLUMNS, V), acc), min(al.block_id(0) * COLUMNS + at, n - 1)
        given = al.make_tensor(partials, acc, al.make_layout((which + 1, rows, n, V)))
        if al.target().has("sm_90"):
            al.nvvm.griddepcontrol_wait()  # this block may be here before the last ones that leave partial sums
        total = al.full((V,), 0.0, acc)
        for r in al.range(team, rows, TEAMS * AT_ONCE):
            for u in range(AT_ONCE):
                row = r + u * TEAMS
                value = given[which, min(row, rows - 1), col]
                total = total + al.select(row < rows, value, al.full((V,), 0.0, acc))
        held[team, at] = total
        al.syncthreads()
        if team == 0:
            total = held[0, at]
            for i in range(1, TEAMS):
                total = total + held[i, at]
            if al.block_id(0) * COLUMNS + at < n:
                if which == 0:
                    al.make_tensor(a, one, al.make_layout((n, V)))[col] = al.convert(total, one)
                elif two is not None:
                    al.make_tensor(b, two, al.make_layout((n, V)))[col] = al.convert(total, two)

    return add_rows
