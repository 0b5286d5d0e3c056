"""Gradients of rows that a norm made come in; those of its input, its weight and its bias go out: as `norm_backward`
computes them, for NVIDIA's Hopper (sm_90a), whose rows come by bulk copies.

A block has several groups of threads, each with rows of its own and a ring of stages in shared memory for them. While
a group computes a row, copies of its next ones are on their way: so many bytes are under way as shared memory holds,
whatever registers hold. A stage is free as soon as all threads of its group have read it, which the barrier in a
row's sums says."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang_kernels.norm.norm_backward import leave
from avelang_kernels.norm.norms import maybe, steps
from avelang_kernels.norm.row_plans import BARRIERS, Lines, RowPlan, column, combined, exchange, plus

SHARED = 220 * 1024  # bytes of a block's shared memory that are for stages
MOST_STAGES = 4  # more under way are no faster
# By accesses of a row, at the most: accesses of a thread, threads of a block, and of one of layer norm, which has twice
# as many sums in registers; the fastest on an H200 (2026-11-27).
PLANS = ((256, 1, 1024, 1024), (512, 2, 768, 768), (1024, 2, 1024, 512), (2048, 4, 512, 512))


@avelang.struct
class RowRing:
    """The ring of a group: stages of several rows of one place in several arrays. `staged`: (stages of all groups,
    arrays, accesses, elements); `full`: an mbarrier for each stage; `first`: the group's first one."""

    staged: ...
    full: ...
    first: ...
    arrays: ...
    stage: al.u32
    phase: al.u32
    STAGES: al.constexpr

    def fetch(self, row: Any, stage: Any):
        """Begins the copies of a row to a stage, by one thread."""
        at = self.first + stage
        COUNT, SIZE = self.staged.shape[1], self.staged.dtype.bytes
        width = self.arrays[0].vectors * (self.staged.shape[3] * SIZE)
        al.nvvm.mbarrier_arrive_expect_tx(self.full[at], width * COUNT)
        for i in range(COUNT):
            al.nvvm.cp_async_bulk_load(self.staged[at, i], self.arrays[i].tensor()[row], width, self.full[at])

    def get(self, WHICH: Any, i: Any, vectors: Any, P: Any):
        """The i-th access of a thread of the row that is there, of one of the arrays."""
        c = column(P, i)
        return self.staged[self.first + self.stage, WHICH, c if P.full else min(c, vectors - 1)]

    def advance(self):
        """Moves on to the next stage."""
        last = self.stage == self.STAGES - 1
        self.stage, self.phase = al.select(last, 0, self.stage + 1), al.select(last, self.phase ^ 1, self.phase)


@avelang.jit
def wide(values: Any):
    """An access in f32."""
    if values.dtype != al.bf16:
        return al.convert(values, al.f32)
    COUNT = values.shape[0] // 2
    words, out = al.view(values, al.Tensor((COUNT,), al.u32)), al.make_local((COUNT * 2,), al.u32)
    for i in range(COUNT):
        out[2 * i], out[2 * i + 1] = words[i] << 16, words[i] & 0xFFFF0000
    return al.view(out, al.Tensor((COUNT * 2,), al.f32))


@avelang.struct
class Weights:
    """The weight of a norm, in f32: held in registers, `held` (loads, vec), or read again for each row where that is
    None. W: Lines, or None where there is no weight."""

    W: ...
    held: ...
    vectors: ...
    P: al.constexpr
    OFFSET: al.constexpr

    def read(self, i: Any):
        """A thread's i-th access, from memory."""
        c = column(self.P, i)
        w = wide(self.W.get(0, c if self.P.full else min(c, self.vectors - 1)))
        return w if self.OFFSET == 0 else w + self.OFFSET

    def get(self, i: Any):
        """A thread's i-th access."""
        return self.read(i) if self.held is None else self.held[i]


@avelang.jit
def weights_of(W: Any, vectors: Any, P: Any, OFFSET: Any, HELD: Any):
    """The weights of a thread's columns."""
    weights = Weights(W, None, vectors, P, OFFSET)
    if not HELD or W is None:
        return weights
    held = al.make_local((P.loads, P.vec), al.f32)
    for i in range(P.loads):
        held[i] = weights.read(i)
    return Weights(W, held, vectors, P, OFFSET)


@avelang.jit
def sums_of_row(ring: Any, weights: Any, mean: Any, shared: Any, turn: Any, P: Any, CENTER: Any):
    """The sums over the row that is there of gradient times input, and, of layer norm, of gradients."""
    vectors, f32 = weights.vectors, al.f32
    dots, level = al.full((P.vec,), 0.0, f32), al.full((P.vec,), 0.0, f32)
    for i in range(P.loads):
        x, g = wide(ring.get(0, i, vectors, P)), wide(ring.get(1, i, vectors, P))
        if CENTER:
            x = x - mean
        if weights.W is not None:
            g = g * weights.get(i)
        if not P.full:
            g = al.select(column(P, i) < vectors, g, al.full((P.vec,), 0.0, f32))
        dots = al.fma(g, x, dots)
        if CENTER:
            level = level + g
    found = al.make_local((1 + CENTER,), f32)
    found[0] = sum(dots)
    if CENTER:
        found[1] = sum(level)
    return combined(found, plus, P, shared, turn)


@avelang.jit
def finish_row(
    ring: Any,
    weights: Any,
    mean: Any,
    rstd: Any,
    found: Any,
    row: Any,
    M: Any,
    O: Any,
    of_w: Any,
    of_b: Any,
    P: Any,
    CENTER: Any,
    WEIGHTED: Any,
    BIAS: Any,
):
    """Writes the gradient of the row that is there to O, and adds its part to those of weight and bias. M: Lines of
    what is added to the row's gradient, or None."""
    vectors, each = weights.vectors, 1.0 / al.convert(weights.vectors * P.vec, al.f32)
    along = al.full((P.vec,), 0.0 - found[0] * each * rstd * rstd * rstd, al.f32)
    base = 0.0 - found[1] * each * rstd if CENTER else 0.0
    for i in range(P.loads):
        c = column(P, i)
        x, d = wide(ring.get(0, i, vectors, P)), wide(ring.get(1, i, vectors, P))
        if CENTER:
            x = x - mean
        if BIAS:
            of_b[i] = of_b[i] + d
        d = d * rstd
        if WEIGHTED:
            of_w[i] = al.fma(d, x, of_w[i])
        if weights.W is None:
            g = d + base if CENTER else d
        else:
            w = weights.get(i)
            g = al.fma(d, w, al.full((P.vec,), base, al.f32)) if CENTER else d * w
        out = al.fma(x, along, g)
        if M is not None:
            out = out + wide(M.get(row, c if P.full else min(c, vectors - 1)))
        if P.full or c < vectors:
            O.put(row, c, out)


@avelang.jit
def row_ring(X: Any, D: Any, group: Any, P: Any, STAGES: Any):
    """The rings of a block's groups, behind a barrier of the block: that of this one."""
    staged = al.make_shared((P.rows * STAGES, 2, P.threads * P.loads, P.vec), X.memory.dtype, 128)
    full = al.make_shared((P.rows * STAGES, 1), al.u64)
    if al.thread_id(0) == 0:
        for s in range(P.rows * STAGES):
            al.nvvm.mbarrier_init(full[s], 1)
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    return RowRing(staged, full, group * STAGES, (X, D), 0, 0, STAGES)


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
    STAGES: Any,
    HELD: Any,
    OFFSET: Any,
    CENTER: Any,
    WEIGHTED: Any,
    BIAS: Any,
):
    """A block's part: the rows of its groups, and its partial sums. HELD: weights are held in registers."""
    shared, vectors, f32 = exchange(P, 1 + CENTER, al.f32), X.vectors, al.f32
    group, lane, turn = al.thread_id(0) // P.threads, al.thread_id(0) % P.threads, al.convert(0, al.u32)
    # Rows go to blocks in turn, and within a block to groups: no block has over one row more than another.
    first, apart, last = group * al.grid_dim(0) + al.block_id(0), al.grid_dim(0) * P.rows, rows - 1
    ring = row_ring(X, D, group, P, STAGES)
    if lane == 0:
        for s in range(STAGES):
            if first + s * apart < rows:
                ring.fetch(first + s * apart, s)
    al.nvvm.griddepcontrol_launch_dependents()  # they find room when this block ends
    weights = weights_of(W, vectors, P, OFFSET, HELD)
    of_w, of_b = al.full((P.loads, P.vec), 0.0, f32), al.full((P.loads, P.vec), 0.0, f32)
    rstd_next, mean_next = rstds[min(first, last)], means[min(first, last)] if CENTER else 0.0
    for row in al.range(first, rows, apart):
        rstd, mean, soon = rstd_next, mean_next, min(row + apart, last)
        rstd_next, mean_next = rstds[soon], means[soon] if CENTER else 0.0
        al.nvvm.mbarrier_wait(ring.full[ring.first + ring.stage], ring.phase)
        found = sums_of_row(ring, weights, mean, shared, turn, P, CENTER)
        turn = turn ^ 1
        if lane == 0:  # all threads of the group are done with the row before
            if row != first and row + (STAGES - 1) * apart < rows:
                ring.fetch(row + (STAGES - 1) * apart, al.select(ring.stage == 0, STAGES - 1, ring.stage - 1))
        finish_row(ring, weights, mean, rstd, found, row, M, O, of_w, of_b, P, CENTER, WEIGHTED, BIAS)
        ring.advance()
    if WEIGHTED or BIAS:
        al.syncthreads()
        WORDS = P.rows * STAGES * 2 * P.threads * P.loads * P.vec * X.memory.dtype.bytes // 4
        held = al.subview(al.view(ring.staged, al.Tensor((WORDS,), f32)), (0,), (P.rows * P.threads * P.vec,), (1,))
        held = al.view(held, al.Tensor((P.rows, P.threads, P.vec), f32))
        if WEIGHTED:
            leave(partials, 0, of_w, vectors, P, f32, held)
        if BIAS:
            leave(partials, WEIGHTED + 0, of_b, vectors, P, f32, held)


@functools.cache
def build_backward(
    P: RowPlan, stages: int, held: bool, offset: int, dtype: Any, weight: Any, *, weighted: bool, bias: bool,
    center: bool, more: bool, acc: Any, strided: tuple[bool, ...],
) -> Any:  # fmt: skip
    """The kernel of a plan, as of `norm_backward.build_backward`, with so many stages for each group."""
    S, T, U = map(steps, strided)
    WEIGHT, MEAN, SUMS = maybe(weight, weight is not None), maybe(acc, center), maybe(acc, weighted or bias)
    MORE = maybe(dtype, more)

    @avelang.jit
    def norm_backward(
        x: al.Pointer[dtype], dy: al.Pointer[dtype], dx: al.Pointer[dtype], rstd_of: al.Pointer[acc], rows: al.u32,
        vectors: al.u32, w: Annotated[Any, WEIGHT] = None, mean_of: Annotated[Any, MEAN] = None,
        partials: Annotated[Any, SUMS] = None, m: Annotated[Any, MORE] = None,
        x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None,
        x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None, d0: Annotated[Any, T] = None,
        d1: Annotated[Any, T] = None, d2: Annotated[Any, T] = None, d3: Annotated[Any, T] = None,
        m0: Annotated[Any, U] = None, m1: Annotated[Any, U] = None, m2: Annotated[Any, U] = None,
        m3: Annotated[Any, U] = None,
    ):  # fmt: skip
        X = Lines(x, rows, vectors, P.vec, None, None, x0, x1, x2, x3)
        D = Lines(dy, rows, vectors, P.vec, None, None, d0, d1, d2, d3)
        M = Lines(m, rows, vectors, P.vec, None, None, m0, m1, m2, m3) if more else None
        O, W = Lines(dx, rows, vectors, P.vec), Lines(w, 1, vectors, P.vec) if weight is not None else None
        rstds = al.make_tensor(rstd_of, acc, al.make_layout((rows,)))
        means = al.make_tensor(mean_of, acc, al.make_layout((rows,))) if center else rstds
        take_rows(X, D, M, O, W, rstds, means, partials, rows, P, stages, held, offset, center, weighted, bias)

    return norm_backward


class AheadPlan(NamedTuple):
    """A plan for rows, and how many stages a group has; `held`: weights are held in registers."""

    rows: RowPlan
    stages: int
    held: bool


def plan_ahead(n: int, vec: int, size: int, center: bool) -> AheadPlan | None:
    """The plan for rows of n elements of `size` bytes in accesses of `vec`; None where there is none. `center`: of
    layer norm."""
    vectors = n // vec
    found = next((plan for plan in PLANS if vectors <= plan[0]), None)
    if vec * size != 16 or size > 4 or found is None:
        return None
    loads, block = found[1], found[2 + center]
    threads = -(-vectors // (loads * 32)) * 32
    rows = max(1, min(BARRIERS if threads > 32 else block // 32, block // threads))
    P = RowPlan(threads, rows, vec, loads, True, vectors == threads * loads)
    stages = min(MOST_STAGES, SHARED // (rows * 2 * P.chunk * 16))
    return AheadPlan(P, stages, loads < 4) if stages > 1 else None
