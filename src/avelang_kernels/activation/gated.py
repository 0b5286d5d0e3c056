"""A gate and what passes through it come in; act(gate) * up goes out, and of gradients of that the gradients of both:
one source for AMD, NVIDIA and the CPU. `act` is silu (SwiGLU), gelu by tanh or by erf (GeGLU), relu (ReGLU) or the
sigmoid (GLU)."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.norm.launches import accumulator, dtype_of, of, places
from avelang_kernels.norm.lines import RowsOf, dense, dense_rows, rows_of
from avelang_kernels.norm.norms import steps
from avelang_kernels.norm.row_plans import Lines, RowPlan, column, plan_rows

ACTIVATIONS = ("silu", "gelu", "gelu_tanh", "relu", "sigmoid")
SQRT_HALF, CUBIC, TANH = math.sqrt(0.5), 0.044715, math.sqrt(2 / math.pi)
DENSITY = 1 / math.sqrt(2 * math.pi)  # of the normal distribution, at 0


@avelang.jit
def sigmoid(x: Any):
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + al.exp(0.0 - x))


@avelang.jit
def activated(x: Any, ACT: Any):
    """(act(x), its derivative)."""
    if ACT == "silu":
        s = sigmoid(x)
        return x * s, s * (1.0 + x * (1.0 - s))
    if ACT == "sigmoid":
        s = sigmoid(x)
        return s, s * (1.0 - s)
    if ACT == "relu":
        return al.select(x < 0.0, 0.0, x), al.select(x <= 0.0, 0.0, al.full(x.shape, 1.0, x.dtype))
    if ACT == "gelu":
        half = 0.5 + 0.5 * al.erf(x * SQRT_HALF)
        return x * half, half + x * DENSITY * al.exp(-0.5 * x * x)
    t = al.tanh(TANH * (x + CUBIC * x * x * x))
    return 0.5 * x * (1.0 + t), 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * (TANH * (1.0 + 3.0 * CUBIC * x * x))


@functools.cache
def build_gated(P: RowPlan, dtype: Any, acc: Any, act: str, strided: tuple[bool, bool], lead: bool) -> Any:
    """The kernel of a plan and a dtype: a group of threads makes a chunk of a row."""
    S, T, E = *map(steps, strided), al.u32 if lead else al.constexpr

    @avelang.jit
    def gated(
        gate: al.Pointer[dtype], up: al.Pointer[dtype], y: al.Pointer[dtype], rows: al.u32, vectors: al.u32,
        chunks: al.u32, e1: Annotated[Any, E] = None, e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None,
        x1: Annotated[Any, S] = None, x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None,
        u0: Annotated[Any, T] = None, u1: Annotated[Any, T] = None, u2: Annotated[Any, T] = None,
        u3: Annotated[Any, T] = None,
    ):  # fmt: skip
        G = Lines(gate, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        U, Y = Lines(up, rows, vectors, P.vec, e1, e2, u0, u1, u2, u3), Lines(y, rows, vectors, P.vec)
        at = al.block_id(0) // chunks * P.rows + al.thread_id(0) // P.threads
        row, first = min(at, rows - 1), al.block_id(0) % chunks * (P.threads * P.loads)
        g, u = G.load(row, first, P), U.load(row, first, P)
        if at < rows:
            for i in range(P.loads):
                c = first + column(P, i)
                if P.full or c < vectors:
                    Y.put(row, c, activated(al.convert(g[i], acc), act)[0] * al.convert(u[i], acc))

    return gated


@functools.cache
def build_gradients(P: RowPlan, dtype: Any, acc: Any, act: str, strided: tuple[bool, ...], lead: bool) -> Any:
    """The kernel of gradients, whose outputs may have gaps: parts of one array."""
    (S, T, U, V, Z), E = map(steps, strided), al.u32 if lead else al.constexpr

    @avelang.jit
    def gated_backward(
        gate: al.Pointer[dtype], up: al.Pointer[dtype], dy: al.Pointer[dtype], dg: al.Pointer[dtype],
        du: al.Pointer[dtype], rows: al.u32, vectors: al.u32, chunks: al.u32, e1: Annotated[Any, E] = None,
        e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None,
        x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None, u0: Annotated[Any, T] = None,
        u1: Annotated[Any, T] = None, u2: Annotated[Any, T] = None, u3: Annotated[Any, T] = None,
        d0: Annotated[Any, U] = None, d1: Annotated[Any, U] = None, d2: Annotated[Any, U] = None,
        d3: Annotated[Any, U] = None, g0: Annotated[Any, V] = None, g1: Annotated[Any, V] = None,
        g2: Annotated[Any, V] = None, g3: Annotated[Any, V] = None, h0: Annotated[Any, Z] = None,
        h1: Annotated[Any, Z] = None, h2: Annotated[Any, Z] = None, h3: Annotated[Any, Z] = None,
    ):  # fmt: skip
        G = Lines(gate, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        U = Lines(up, rows, vectors, P.vec, e1, e2, u0, u1, u2, u3)
        D = Lines(dy, rows, vectors, P.vec, e1, e2, d0, d1, d2, d3)
        DG = Lines(dg, rows, vectors, P.vec, e1, e2, g0, g1, g2, g3)
        DU = Lines(du, rows, vectors, P.vec, e1, e2, h0, h1, h2, h3)
        at = al.block_id(0) // chunks * P.rows + al.thread_id(0) // P.threads
        row, first = min(at, rows - 1), al.block_id(0) % chunks * (P.threads * P.loads)
        g, u, d = G.load(row, first, P), U.load(row, first, P), D.load(row, first, P)
        if at < rows:
            for i in range(P.loads):
                c = first + column(P, i)
                if P.full or c < vectors:
                    value, slope = activated(al.convert(g[i], acc), act)
                    of_y = al.convert(d[i], acc)
                    DG.put(row, c, of_y * al.convert(u[i], acc) * slope)
                    DU.put(row, c, of_y * value)

    return gated_backward


# -- on the host -------------------------------------------------------------------------------------------------------


def plan_of(R: RowsOf, size: int) -> tuple[RowPlan, int, int]:
    """The plan of rows in chunks, chunks of a row, and blocks."""
    P = plan_rows(R.n, R.vec, size, 256, 8)
    chunks = 1 if P.held else -(-(R.n // R.vec) // P.chunk)
    return P, chunks, chunks * -(-R.rows // P.rows)


def make_gated(gate: Any, up: Any, y: Any, *, act: str = "silu", **options: Any) -> None:
    """Fills y with act(gate) * up; all of one shape and dtype."""
    if dense(gate, up):
        known = _dense(gate.shape, gate.dtype, act)
        if known is not None:
            known[0](gate, up, y, *known[1], **options)
        return
    R = rows_of(gate, up)
    if 0 in (R.rows, R.n):
        return
    launch, numbers = _prepared(R, of(gate), gate.dtype.itemsize, act)
    launch(*R.data, y, *numbers, **places(R, "x", "u"), **options)


def _prepared(R: RowsOf, dtype: Any, size: int, act: str) -> tuple[Any, tuple[int, ...]]:
    """The launch for rows of elements of `size` bytes, and its numbers behind the arrays."""
    P, chunks, blocks = plan_of(R, size)
    kernel = build_gated(P, dtype, accumulator(dtype), act, tuple(s is not None for s in R.strides), R.lead is not None)
    return kernel[blocks, P.block], (R.rows, R.n // R.vec, chunks)


@functools.lru_cache(1024)
def _dense(shape: Any, dtype: Any, act: str) -> tuple[Any, tuple[int, ...]] | None:
    """`_prepared` for tensors that are `dense`; None where there is nothing to do."""
    R = dense_rows(shape, dtype.itemsize, dtype.itemsize)
    return None if 0 in (R.rows, R.n) else _prepared(R, dtype_of(dtype), dtype.itemsize, act)


def gated_gradients(gate: Any, up: Any, dy: Any, dg: Any, du: Any, *, act: str = "silu", **options: Any) -> None:
    """Fills dg and du, which may have gaps, by gradients dy of what `make_gated` made."""
    R, dtype = rows_of(gate, up, dy, dg, du), of(gate)
    if 0 in (R.rows, R.n):
        return
    P, chunks, blocks = plan_of(R, gate.dtype.itemsize)
    strided = tuple(s is not None for s in R.strides)
    kernel = build_gradients(P, dtype, accumulator(dtype), act, strided, R.lead is not None)
    said = places(R, "x", "u", "d", "g", "h")
    kernel[blocks, P.block](*R.data, R.rows, R.n // R.vec, chunks, **said, **options)
