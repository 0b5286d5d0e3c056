"""What stands around the products of a mixture of experts: logits come in, and the weights and experts of each token go
out; rows of tokens go into the order of their experts, and back, in sums of a fixed order."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, filled, named

THREADS = 128
MOST = float("inf")
WORDS: Any = al.Pointer(al.i32)
FLOATS: Any = al.Pointer(al.f32)


@functools.cache
def build_route(dtype: al.DType, k: int, normalize: bool) -> Any:
    """The kernel that finds the k experts with the greatest logits, the first of equal ones, and their weights: the
    softmax of these, or of all logits. NaN is greater than all, as for torch's `topk`, so that all weights become NaN.
    A thread for each token."""

    @avelang.jit
    def route(
        logits: al.Pointer[dtype], weights: Annotated[Any, FLOATS], ids: Annotated[Any, WORDS], tokens: al.u32,
        experts: al.u32,
    ):  # fmt: skip
        token = al.block_id(0) * THREADS + al.thread_id(0)
        if token < tokens:
            L = al.make_tensor(logits, dtype, al.make_layout((tokens, experts)))
            found, at = al.make_local((k,), al.f32), al.make_local((k,), al.u32)
            for i in range(k):
                best, where = al.convert(0.0, al.f32), experts  # none so far
                for e in al.range(experts):
                    x = al.convert(L[token, e], al.f32)
                    x = al.select(x == x, x, MOST)
                    later = True
                    if i > 0:
                        later = (x < found[i - 1]) | ((x == found[i - 1]) & (e > at[i - 1]))
                    better = later & ((where == experts) | (x > best))
                    best, where = al.select(better, x, best), al.select(better, e, where)
                found[i], at[i] = best, where
            sum = al.convert(0.0, al.f32)
            if normalize:
                for i in range(k):
                    sum += al.exp(found[i] - found[0])
            else:
                for e in al.range(experts):
                    sum += al.exp(al.convert(L[token, e], al.f32) - found[0])
            for i in range(k):
                weights[token * k + i] = al.exp(found[i] - found[0]) / sum
                ids[token * k + i] = al.convert(at[i], al.i32)

    return route


@functools.cache
def build_route_gradient(dtype: al.DType, k: int, normalize: bool) -> Any:
    """The kernel of the gradient of logits: of a softmax, of which weights are parts."""

    @avelang.jit
    def route_gradient(
        logits: al.Pointer[dtype], weights: Annotated[Any, FLOATS], ids: Annotated[Any, WORDS],
        g: Annotated[Any, FLOATS], out: al.Pointer[dtype], tokens: al.u32, experts: al.u32,
    ):  # fmt: skip
        token = al.block_id(0) * THREADS + al.thread_id(0)
        if token < tokens:
            layout = al.make_layout((tokens, experts))
            L, OUT = al.make_tensor(logits, dtype, layout), al.make_tensor(out, dtype, layout)
            mean, first = al.convert(0.0, al.f32), al.convert(ids[token * k], al.u32)
            for i in range(k):
                mean += g[token * k + i] * weights[token * k + i]
            # The softmax of any logit, by that of the greatest.
            top, of_top = al.convert(L[token, first], al.f32), weights[token * k]
            for e in al.range(experts):
                share, given = al.convert(0.0, al.f32), al.convert(0.0, al.f32)
                if not normalize:
                    share = al.exp(al.convert(L[token, e], al.f32) - top) * of_top
                for i in range(k):
                    own = al.convert(ids[token * k + i], al.u32) == e
                    given = al.select(own, g[token * k + i], given)
                    share = al.select(own, weights[token * k + i], share)
                OUT[token, e] = al.convert(share * (given - mean), dtype)

    return route_gradient


@functools.cache
def build_spread(dtype: al.DType, weighted: bool) -> Any:
    """The kernel that copies rows of tokens into the order of their experts, times their weights or as they are."""

    @avelang.jit
    def spread(
        x: al.Pointer[dtype], order: Annotated[Any, WORDS], out: al.Pointer[dtype], weights: Annotated[Any, FLOATS],
        rows: al.u32, tokens: al.u32, n: al.u32, K: al.constexpr,
    ):  # fmt: skip
        X, OUT = (al.make_tensor(p, dtype, al.make_layout((r, n))) for p, r in ((x, tokens), (out, rows)))
        place = al.convert(order[al.block_id(0)], al.u32)
        for col in al.range(al.thread_id(0), n, THREADS):
            value = X[place // K, col]
            if weighted:
                value = al.convert(al.convert(value, al.f32) * weights[place], dtype)
            OUT[al.block_id(0), col] = value

    return spread


@functools.cache
def build_combine(dtype: al.DType, weighted: bool) -> Any:
    """The kernel that adds up a token's rows, times their weights or as they are, in the order of its experts."""

    @avelang.jit
    def combine(
        y: al.Pointer[dtype], places: Annotated[Any, WORDS], out: al.Pointer[dtype], weights: Annotated[Any, FLOATS],
        rows: al.u32, tokens: al.u32, n: al.u32, K: al.constexpr,
    ):  # fmt: skip
        Y, OUT = (al.make_tensor(p, dtype, al.make_layout((r, n))) for p, r in ((y, rows), (out, tokens)))
        token = al.block_id(0)
        for col in al.range(al.thread_id(0), n, THREADS):
            total = al.convert(0.0, al.f32)
            for i in range(K):
                value = al.convert(Y[al.convert(places[token * K + i], al.u32), col], al.f32)
                total += value * weights[token * K + i] if weighted else value
            OUT[token, col] = al.convert(total, dtype)

    return combine


@functools.cache
def build_dots(dtype: al.DType) -> Any:
    """The kernel of the gradients of weights: products of a token's rows with its gradient."""

    @avelang.jit
    def dots(
        y: al.Pointer[dtype], places: Annotated[Any, WORDS], g: al.Pointer[dtype], out: Annotated[Any, FLOATS],
        rows: al.u32, tokens: al.u32, n: al.u32, K: al.constexpr,
    ):  # fmt: skip
        Y, G = (al.make_tensor(p, dtype, al.make_layout((r, n))) for p, r in ((y, rows), (g, tokens)))
        sums = al.make_shared((THREADS,), al.f32)
        row, total = al.convert(places[al.block_id(0)], al.u32), al.convert(0.0, al.f32)
        for col in al.range(al.thread_id(0), n, THREADS):
            total += al.convert(Y[row, col], al.f32) * al.convert(G[al.block_id(0) // K, col], al.f32)
        sums[al.thread_id(0)] = total
        al.syncthreads()
        for d in (64, 32, 16, 8, 4, 2, 1):
            if al.thread_id(0) < d:
                sums[al.thread_id(0)] = sums[al.thread_id(0)] + sums[al.thread_id(0) + d]
            al.syncthreads()
        if al.thread_id(0) == 0:
            out[al.block_id(0)] = sums[0]

    return dots


# -- calls -------------------------------------------------------------------------------------------------------------


def route(logits: Any, weights: Any, ids: Any, normalize: bool, **options: Any) -> None:
    """Weights (f32) and experts (int32) of each token, (tokens, k), by its logits (tokens, experts)."""
    (tokens, experts), k = logits.shape, ids.shape[1]
    if tokens:
        kernel = build_route(DTYPES[named(logits)], k, normalize)
        kernel[-(-tokens // THREADS), THREADS](logits, weights, ids, tokens, experts, **options)


def route_gradient(logits: Any, weights: Any, ids: Any, g: Any, out: Any, normalize: bool, **options: Any) -> None:
    """The gradient of logits, by that of the weights."""
    (tokens, experts), k = logits.shape, ids.shape[1]
    if tokens:
        kernel = build_route_gradient(DTYPES[named(logits)], k, normalize)
        kernel[-(-tokens // THREADS), THREADS](logits, weights, ids, g, out, tokens, experts, **options)


def spread(x: Any, order: Any, weights: Any, out: Any, **options: Any) -> None:
    """out[i] = x[order[i] // k] (* weights.flat[order[i]]); weights: (tokens, k) of f32; None for as they are."""
    (rows, n), tokens = out.shape, x.shape[0]
    if math.prod(out.shape):
        kernel = build_spread(DTYPES[named(x)], weights is not None)
        given = filled(x, (1,), 0, "float32") if weights is None else weights
        kernel[rows, THREADS](x, order, out, given, rows, tokens, n, rows // tokens, **options)


def combine(y: Any, places: Any, weights: Any, out: Any, **options: Any) -> None:
    """out[t] = the sum over i of (weights[t, i] *) y[places[t, i]], in f32, in the order of i."""
    (tokens, n), k = out.shape, places.shape[1]
    if math.prod(out.shape):
        kernel = build_combine(DTYPES[named(y)], weights is not None)
        given = filled(y, (1,), 0, "float32") if weights is None else weights
        kernel[tokens, THREADS](y, places, out, given, y.shape[0], tokens, n, k, **options)


def dots(y: Any, places: Any, g: Any, out: Any, **options: Any) -> None:
    """out[t, i] = y[places[t, i]] . g[t], in f32."""
    (tokens, n), k = g.shape, places.shape[1]
    if tokens:
        build_dots(DTYPES[named(y)])[tokens * k, THREADS](y, places, g, out, y.shape[0], tokens, n, k, **options)
