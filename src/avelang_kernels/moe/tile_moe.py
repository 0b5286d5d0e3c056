"""A layer of a mixture of experts around the grouped GEMM: tokens and what the router said about them come in, their
new values go out.

order, offsets = sort_by_expert(ids, experts)   # tokens by expert, on the device
h = swiglu(x[order // k] @ w13[e]^T)            # grouped, tokens taken through an index, gated in its epilogue
y = weight * (h @ w2[e]^T)                      # grouped, the router's weights in its epilogue
out[token] = the sum of its rows of y
"""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
import sys
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.tile.windows import load_vector, subvector
from avelang_kernels.arrays import DTYPES, Count, Cube, Matrix, Vector, is_torch, named
from avelang_kernels.moe.tile_grouped_gemm import STRIPE, WORDS, best_block, grouped_gemm

THREADS = 256
EACH = 8  # columns of a thread, at most


def _library(x: Any) -> Any:
    """NumPy or torch, whichever the array is of."""
    return sys.modules["torch" if is_torch(x) else "numpy"]


def sort_by_expert(ids: Any, experts: int) -> tuple[Any, Any]:
    """ids: integers, (tokens, k), the experts of each token; NumPy or torch, on any device. Two int32 arrays on the
    same device, without waiting for it: the places of `ids`, counted row by row, in the order of their experts, (tokens
    * k,) (the token is the place // k); and where experts begin among them, (experts + 1,). Tokens without an expert
    have an id below 0, or `experts`: they come before the first group, and behind the last."""
    lib, flat = _library(ids), ids.reshape(-1)
    if lib.__name__ == "numpy":
        order = lib.argsort(flat, stable=True)
        offsets = lib.searchsorted(flat[order], lib.arange(experts + 1, dtype=flat.dtype))
    else:
        there, order = lib.sort(flat, stable=True)
        offsets = lib.searchsorted(there, lib.arange(experts + 1, dtype=flat.dtype, device=ids.device))
    return _words(order), _words(offsets)


def _words(x: Any) -> Any:
    """As int32."""
    lib = _library(x)
    return x.astype(lib.int32) if lib.__name__ == "numpy" else x.to(lib.int32)


@takes()
def striped(gate: Cube, up: Cube) -> Any:
    """Two (E, n, k) as one (E, 2 * n, k), in stripes of 32 rows by turns: the B of a gated `grouped_gemm`. Raises
    ValueError for other shapes."""
    E, n, k = gate.shape
    if tuple(up.shape) != (E, n, k) or n % STRIPE:
        raise argument_error(
            f"gate is {tuple(gate.shape)}, up is {tuple(up.shape)}: both are (E, n, k), n a multiple of {STRIPE}"
        )
    both = _library(gate).stack([x.reshape(E, n // STRIPE, STRIPE, k) for x in (gate, up)], 2)
    return both.reshape(E, 2 * n, k)


@functools.cache
def build(dtype: al.DType, bounded: bool = False) -> Any:
    """The kernel that adds up the rows of a token: a block for a token and `THREADS * EACH` columns. `bounded`: only
    rows of some groups."""
    BOUNDS: Any = WORDS if bounded else al.constexpr

    @avelang.jit
    def add_up(
        y: al.Pointer[dtype], at: al.Pointer[al.i32], out: al.Pointer[dtype], rows: al.u32,
        tokens: al.u32, n: al.u32,
        K: al.constexpr, EACH: al.constexpr, E: al.constexpr = 0, bounds: Annotated[Any, BOUNDS] = None,
    ):  # fmt: skip
        Y, OUT = tile.view(y, (rows, n), EACH).data, tile.view(out, (tokens, n), EACH).data
        al.expect_threads(THREADS, exact=True)
        al.expect(al.grid_dim(0) == tokens, "a block along x for each token, no more and no less", tokens)
        al.expect(al.grid_dim(1) * (THREADS * EACH) >= n, "blocks along y for all columns", n)
        token, col = al.block_id(0), (al.block_id(1) * THREADS + al.thread_id(0)) * EACH
        if col < n:
            total = al.full((EACH,), 0.0, al.f32)
            begin, end = (
                (al.convert(bounds[0], al.u32), min(al.convert(bounds[E], al.u32), rows)) if bounded else (0, rows)
            )
            for i in range(K):
                row = al.convert(at[token * K + i], al.u32)
                if row >= begin and row < end:
                    total = total + al.convert(load_vector(Y, (row, col), EACH), al.f32)
            al.view(subvector(OUT, (token, col), EACH), al.Tensor((1, EACH), dtype))[0] = al.convert(total, dtype)

    return add_up


@takes()
def add_up(
    y: Matrix, at: Matrix, out: Matrix, target: str | None = None, *, offsets: Vector | None = None, **options: Any
) -> Any:
    """out[t] = the sum of y[at[t, i]] over i, in f32, where `at` is a row of y. y: (rows, n), out: (tokens, n), of one
    dtype; at: int32, (tokens, k). `offsets`: int32, bounds of groups; then only rows of groups count. Raises ValueError
    for other shapes."""
    (tokens, k), n = at.shape, y.shape[1]
    if tuple(out.shape) != (tokens, n):
        raise argument_error(
            f"y is {tuple(y.shape)}, at is {tuple(at.shape)}, out is {tuple(out.shape)}: out should be {(tokens, n)}"
        )
    each = math.gcd(n, EACH)
    if tokens and n:
        kernel, last = build(DTYPES[named(out)], offsets is not None), 0 if offsets is None else offsets.shape[0] - 1
        grid = (tokens, -(-n // (THREADS * each))), THREADS
        kernel[grid](y, at.reshape(-1), out, y.shape[0], tokens, n, k, each, last, offsets, target=target, **options)
    return out


@takes()
def moe(
    x: Matrix, w13: Cube, w2: Cube, ids: Matrix, weights: Matrix, out: Matrix, blocks: tuple[tile.Block | None,
        tile.Block | None] = (None, None),
    target: str | None = None, units: Count = 0, **options: Any,
) -> Any:  # fmt: skip
    """The layer: out[t] = the sum over i of weights[t, i] * expert ids[t, i] of x[t], an expert being w2 @ swiglu(w13 @
    x).

    x, out: (tokens, hidden); w13: (E, 2 * inner, hidden), gates and what they let through in stripes (`striped`); w2:
    (E, hidden, inner); all bf16 or f16. ids: (tokens, k), integers, those outside of 0 to E - 1 for none; weights: f32,
    (tokens, k). `blocks`: of the two products (None: recommended ones); with the pipeline "tma" the first copies tokens
    into the order of their experts. Nothing waits for the device. Returns `out`; raises ValueError for shapes that do
    not fit."""
    lib, (tokens, k), (E, hidden, inner) = _library(x), ids.shape, w2.shape
    want = (tokens, hidden), (E, 2 * inner, hidden), (tokens, k), (tokens, hidden)
    if tuple(tuple(v.shape) for v in (x, w13, weights, out)) != want:
        raise argument_error(
            f"x is {tuple(x.shape)}, w13 {tuple(w13.shape)}, weights {tuple(weights.shape)}, out {tuple(out.shape)}: "
            f"with w2 "
            f"of {(E, hidden, inner)} and ids of {(tokens, k)} they are {want[0]}, {want[1]}, {want[2]} and {want[3]}"
        )
    if target is None and tile.on_cpu(x):
        options.setdefault("backend", "cpu")
    target = tile.device_of(x, target)[0]
    order, offsets = sort_by_expert(ids, E)
    at = {} if lib.__name__ == "numpy" else {"device": x.device}
    h, y = (lib.empty((tokens * k, n), dtype=x.dtype, **at) for n in (inner, hidden))
    T, index = blocks[0] or best_block(target, tokens * k, E), order // k
    if T.pipeline == "tma":
        grouped_gemm(x[index], w13, offsets, h, T, target, gated=True, units=units, **options)
    else:
        grouped_gemm(x, w13, offsets, h, T, target, index=index, gated=True, units=units, **options)
    grouped_gemm(h, w2, offsets, y, blocks[1], target, factors=weights.reshape(-1)[order], units=units, **options)
    rows = lib.empty((tokens * k,), dtype=lib.int32, **at)
    rows[order] = lib.arange(tokens * k, dtype=lib.int32, **at)
    # Rows of no group were left as they were: they do not count.
    return add_up(y, rows.reshape(tokens, k), out, target, offsets=offsets, **options)
