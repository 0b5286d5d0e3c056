"""Programs of the kernels under `avelang.ops`: gradients of attention and decoding, products with scales, groups of rows and parts of K, routing; added to `PROGRAMS`."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import ml_dtypes
import numpy as np

from alarms.kernels import ALL, BF16, F16, F32, HOPPER, add, product, same, small
from avelang.tile import Block
from avelang_kernels.arrays import DTYPES
from avelang_kernels.attention import hopper_backward_rows, hopper_decode, sinks, tile_attention_backward, tile_attention_forward
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.matmul import activation_gradient, blackwell_gemm, finish, hopper_scaled, quantize, tile_scaled
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.matmul.tile_scaled import ScaleOperand
from avelang_kernels.moe import hopper_weights, ordering, routing, tile_grouped

E4, FNUZ = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz
TILES = "gfx942 gfx950 sm_80"  # of kernels of tiles, for which one of NVIDIA's chips says as much as two


def blank(dtype: Any, *shape: int) -> np.ndarray:
    return np.full(shape, np.nan, dtype)


# -- attention -------------------------------------------------------------------------------------------------------------------------------


def of_sinks(**options: Any) -> None:
    """Gradients of sinks, with a row that has no keys."""
    out, grad = (small(i, F32, 2, 3, 11, 40) for i in (1, 2))
    lse, sink, made = small(3, F32, 2, 3, 11), small(4, F32, 3), blank(F32, 3)
    lse[0, 1, 2] = -np.inf
    sinks.launch(sink, out, grad, lse, None, made, False, **options)
    share = np.where(np.isinf(lse), 0, np.exp(sink[:, None] - np.where(np.isinf(lse), 0, lse)))
    np.testing.assert_allclose(made, -(share * (out.astype(np.float64) * grad).sum(-1)).sum((0, 2)), rtol=1e-3, atol=1e-2)


def judged(p: Problem, x: Operands, dout: Any) -> tuple[np.ndarray, ...]:
    """O, the logarithms of the rows' sums, dQ, dK and dV in float64, for masks and lengths."""
    q, k, v, g = (y.astype(np.float64) for y in (x.q, x.k, x.v, dout))
    k, v = (np.repeat(y, p.group, 1) for y in (k, v))
    lengths = (np.full(p.batch, p.keys) if x.lengths is None else x.lengths)[:, None, None]
    at = np.arange(p.queries)[:, None] + (lengths - p.queries if p.bottom_right else 0)
    key = np.arange(p.keys)
    seen = (key < lengths) & (True if p.right is None else key <= at + p.right) & (True if p.left is None else key >= at - p.left)
    seen = np.broadcast_to(seen[:, None], (p.batch, 1, p.queries, p.keys)) & (True if x.bias is None else x.bias)
    s = np.where(seen, q @ k.swapaxes(2, 3) * p.scale, -np.inf)
    w = np.exp(s - np.maximum(s.max(3, keepdims=True), -1e300))
    total = w.sum(3, keepdims=True)
    w /= np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):
        lse = np.log(np.exp(s).sum(3))
    o = w @ v
    ds = w * (g @ v.swapaxes(2, 3) - (g * o).sum(3, keepdims=True)) * p.scale
    dk, dv = (y.reshape(p.batch, p.kv_heads, p.group, p.keys, -1).sum(2) for y in (ds.swapaxes(2, 3) @ q, w.swapaxes(2, 3) @ g))
    return o, lse, ds @ k, dk, dv


def near(got: Any, want: Any, bound: float = 0.03) -> None:
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=bound, atol=bound)


def operands(p: Problem, *lengths: int) -> tuple[Operands, np.ndarray]:
    """Random arrays, and dO; (batch, length, heads, d) in memory."""
    rng, dtype = np.random.default_rng(0), BF16 if p.dtype == "bfloat16" else F16
    q, k, v, g = (
        rng.standard_normal((p.batch, n, h, d), F32).astype(dtype).swapaxes(1, 2)
        for n, h, d in ((p.queries, p.heads, p.d), (p.keys, p.kv_heads, p.d), (p.keys, p.kv_heads, p.dv), (p.queries, p.heads, p.dv))
    )
    return Operands(q, k, v, lengths=np.array(lengths, np.int32) if lengths else None), g


def forward(launch: Any, p: Problem, *lengths: int, **options: Any) -> None:
    x, g = operands(p, *lengths)
    o, lse, *_ = judged(p, x, g)
    out, logs = np.full_like(g, np.nan), blank(F32, *lse.shape)
    launch(p, x, out, logs, units=2, **options)
    near(out, o)
    near(np.where(np.isneginf(lse), 0, logs), np.where(np.isneginf(lse), 0, lse), 1e-3)


def backward(launch: Any, p: Problem, mask: Any = None, **options: Any) -> None:
    x, g = operands(p)
    x = dataclasses.replace(x, bias=mask)
    o, lse, *want = judged(p, x, g)
    made = [np.full_like(y, np.nan) for y in (x.q, x.k, x.v)]
    launch(p, x, o.astype(g.dtype), lse.astype(F32), g, None, *made, **options)
    for y, z in zip(made, want, strict=True):
        near(y, z, 0.08)


def attention() -> None:
    add("sinks", ALL, of_sinks)
    shared = Problem(1, 2, 1, 40, 52, 32, 32, "bfloat16", 0.2, right=0, bottom_right=True)
    plain = Problem(1, 1, 1, 20, 35, 24, 40, "float16", 0.2)
    for name, p in (("causal", shared), ("two widths", plain)):
        add(f"tile_attention_backward {name}", TILES, lambda p=p, **o: backward(tile_attention_backward.launch, p, units=2, **o))
        add(f"tile_attention_forward {name}", TILES, lambda p=p, **o: forward(tile_attention_forward.launch, p, **o))
    few = Problem(2, 2, 1, 2, 300, 32, 32, "bfloat16", 0.2, right=0, bottom_right=True, lengths=True)
    add("tile_attention_forward parts", TILES, lambda **o: forward(functools.partial(tile_attention_forward.launch, splits=3), few, 300, 41, **o))
    for p in (
        Problem(1, 2, 1, 70, 100, 64, 64, "bfloat16", 0.125, right=0, bottom_right=True),
        Problem(1, 1, 1, 130, 90, 64, 64, "float16", 0.125), Problem(1, 1, 1, 90, 130, 72, 72, "bfloat16", 0.2, left=60, right=0, bottom_right=True),
    ):  # fmt: skip
        assert hopper_backward_rows.fits(p)
        add(f"hopper_backward {p.queries} {p.keys} {p.d}", HOPPER, lambda p=p, **o: backward(hopper_backward_rows.backward, p, units=2, **o))
        mask = np.arange(p.queries)[:, None] // 64 != np.arange(p.keys) // 40  # which leaves out whole tiles, and parts of others
        q = dataclasses.replace(p, bias="bool")
        add(f"hopper_backward mask {p.queries} {p.keys} {p.d}", HOPPER,
            lambda p=q, mask=mask[None, None], **o: backward(hopper_backward_rows.backward, p, mask, units=2, **o), part=True)  # fmt: skip
    for p, *lengths in (
        (Problem(1, 4, 1, 1, 200, 64, 64, "bfloat16", 0.125),), (Problem(2, 2, 1, 3, 90, 40, 40, "float16", 0.2, right=0, bottom_right=True, lengths=True), 90, 33),
    ):  # fmt: skip
        assert hopper_decode.fits(p)
        add(f"hopper_decode {p.queries} {p.keys} {p.d}", HOPPER, lambda p=p, lengths=lengths, **o: forward(hopper_decode.launch, p, *lengths, **o))


# -- products --------------------------------------------------------------------------------------------------------------------------------


def scaled(launch: Any, kinds: tuple[int, int], shape: tuple[int, int, int], dtype: Any) -> None:
    """`launch(a, b, out, left, right)`; kinds: how many rows share a scale for 128 of K."""
    (m, n, k), sides, dense = shape, [], []
    for seed, rows, each in ((1, m, kinds[0]), (2, n, kinds[1])):
        x, s = small(seed, dtype, rows, k), 2.0 ** small(seed + 2, F32, -(-rows // each), -(-k // 128))
        sides.append((x, ScaleOperand(s, s.shape[1], 1, each)))
        dense.append(x.astype(np.float64) * np.repeat(np.repeat(s, each, 0)[:rows], 128, 1)[:, :k])
    out = blank(F32, m, n)
    launch(sides[0][0], sides[1][0], out, sides[0][1], sides[1][1])
    np.testing.assert_allclose(out, dense[0] @ dense[1].T, rtol=1e-6)


def quantized(rows: int, columns: int, m: int, n: int, target: str = "", **options: Any) -> None:
    x, great = small(1, F32, m, n) * np.float32(3), quantize.GREATEST[np.dtype(E4).name]
    high, wide = rows or m, columns or n
    s, q = blank(F32, -(-m // high), -(-n // wide)), np.zeros((m, n), E4)
    quantize.launch(x, q, s, blank(F32, 0 if rows else m), rows, columns, False, target=target, **options)
    padded = np.zeros((s.shape[0] * high, s.shape[1] * wide))
    padded[:m, :n] = abs(x)
    most = padded.reshape(s.shape[0], high, s.shape[1], wide).max((1, 3))
    np.testing.assert_allclose(s, np.where(most == 0, 1, most / great), rtol=1e-6)
    dense = q.astype(np.float64) * np.repeat(np.repeat(s, high, 0)[:m], wide, 1)[:, :n]
    np.testing.assert_allclose(dense, x, rtol=2**-4, atol=1e-6)


def products() -> None:
    T = blackwell_gemm.BlackwellTile
    for tile, dtype, out, shape in ((T(128, 64, 2), BF16, BF16, (130, 40, 72)), (T(256, 64, 2), F16, F32, (140, 72, 136))):
        m, n, k = shape
        add(f"blackwell_gemm {tuple(tile)} {shape}", "sm_100a", lambda tile=tile, dtype=dtype, out=out, m=m, n=n, k=k, **o: product(
            lambda a, b, c: blackwell_gemm.gemm(a, b, c, tile, 3, **o), m, n, k, dtype, out))  # fmt: skip
    B = Block
    for kinds, shape, chips, dtype in (
        ((1, 128), (40, 72, 272), "gfx950 sm_90a", E4), ((128, 1), (5, 33, 130), "gfx942", FNUZ),
    ):  # fmt: skip
        add(f"tile_scaled {kinds} {shape}", chips, lambda kinds=kinds, shape=shape, dtype=dtype, target="", **o: scaled(
            lambda a, b, c, left, right: tile_scaled.launch(a, b, c, left, right, target, blocks=True, T=B(64, 64, 128, (2, 2), "prefetch"), **o), kinds, shape, dtype))  # fmt: skip
    single, pair, f32 = GemmTile(64, 64, 2), GemmTile(64, 64, 2, 2), DTYPES["float32"]
    for tile, kinds, shape in ((single, (1, 128), (70, 72, 272)), (single, (1, 1), (40, 68, 144)), (pair, (1, 128), (140, 72, 400))):
        add(f"hopper_scaled {tile.cluster} {kinds} {shape}", HOPPER, lambda tile=tile, kinds=kinds, shape=shape, **o: scaled(
            lambda a, b, c, left, right: hopper_scaled.launch(a, b, c, left, right, f32, tile=tile, blocks=2, **o), kinds, shape, E4))  # fmt: skip
    for rows, columns, m, n in ((1, 128, 5, 200), (128, 128, 130, 140), (1, 0, 5, 300), (0, 0, 6, 36)):
        add(f"quantize {rows} {columns}", "gfx950 sm_80", functools.partial(quantized, rows, columns, m, n))
    add("activation_gradient", ALL, gradient)
    add("finish", ALL, ended)


def ended(**options: Any) -> None:
    z, bias, out = small(1, F32, 5, 37), small(2, F32, 37), blank(F32, 37, 5).T
    finish.launch(z, out, bias, "relu", **options)
    same(out, np.maximum(z + bias, 0))


def gradient(**options: Any) -> None:
    for name, slope in (("relu", lambda z, s: z > 0), ("silu", lambda z, s: s * (1 + z * (1 - s)))):
        g, z, out = small(1, F32, 5, 37), small(2, F32, 5, 37), blank(F32, 5, 37)
        activation_gradient.launch(g, z, out, name, **options)
        np.testing.assert_allclose(out, g * slope(z.astype(np.float64), 1 / (1 + np.exp(-z.astype(np.float64)))), rtol=1e-5, atol=1e-6)


# -- mixtures of experts ---------------------------------------------------------------------------------------------------------------------


def of_rows(m: int, n: int, k: int, target: str = "", **options: Any) -> None:
    """A product for each group of rows, with a bias; rows behind the last group are zeros."""
    ends = np.array([3, 3, m - 2], np.int32)
    a, b, bias, out = small(1, BF16, m, k), small(2, BF16, 3, n, k), small(3, BF16, 3, n), blank(F32, m, n)
    tile_grouped.launch(a, b, ends, out, target, bias, Block(32, 32, 32, (1, 2), "single"), **options)
    want = np.zeros((m, n))
    for g, (i, j) in enumerate(zip((0, *ends), ends, strict=False)):
        want[i:j] = a[i:j].astype(np.float64) @ b[g].astype(np.float64).T + bias[g].astype(np.float64)
    same(out, want)


def of_depth(call: Any, m: int, n: int, k: int) -> None:
    """A product for each part of K."""
    ends = np.array([5, 5, k], np.int32)
    a, b, out = small(1, BF16, k, m).T, small(2, BF16, k, n).T, blank(F32, 3, m, n)
    call(a, b, ends, out)
    x, y = a.astype(np.float64), b.astype(np.float64)
    same(out, np.stack([x[:, i:j] @ y[:, i:j].T for i, j in zip((0, *ends), ends, strict=False)]))


def routed(**options: Any) -> None:
    """Weights of experts and their gradient; rows spread, combined and multiplied."""
    tokens, experts, k, n = 5, 7, 2, 20
    logits = np.random.default_rng(1).permuted(np.tile(np.arange(experts, dtype=F32), (tokens, 1)), axis=1) / F32(2)
    weights, ids = blank(F32, tokens, k), np.full((tokens, k), -1, np.int32)
    routing.route(logits, weights, ids, True, **options)
    row = np.arange(tokens)[:, None]
    order = np.argsort(-logits, 1)[:, :k]
    p = np.exp(logits[row, order].astype(np.float64))
    p /= p.sum(1, keepdims=True)
    assert (ids == order).all()
    np.testing.assert_allclose(weights, p, rtol=1e-5)
    g, out, want = small(2, F32, tokens, k), blank(F32, tokens, experts), np.zeros((tokens, experts))
    routing.route_gradient(logits, weights, ids, g, out, True, **options)
    want[row, order] = p * (g - (p * g).sum(1, keepdims=True))
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)
    x, rows = small(3, F32, tokens, n), tokens * k
    turned = np.random.default_rng(2).permutation(rows).astype(np.int32)
    places, spread, whole, dots = np.argsort(turned).astype(np.int32).reshape(tokens, k), blank(F32, rows, n), blank(F32, tokens, n), blank(F32, tokens, k)
    factors = small(4, F32, tokens, k)
    routing.spread(x, turned, factors, spread, **options)
    same(spread, x[turned // k] * factors.reshape(-1)[turned, None])
    routing.combine(spread, places, None, whole, **options)
    same(whole, x * factors.sum(1, keepdims=True))
    routing.dots(spread, places, x, dots, **options)
    same(dots, factors * (x * x).sum(1, keepdims=True))


def ordered(**options: Any) -> None:
    """Places in the order of experts, of which some ids are none."""
    ids = np.random.default_rng(3).integers(-1, 4, (150, 2)).astype(np.int64)
    order, ends, places = np.full(300, -1, np.int32), np.full(3, -1, np.int32), np.full((150, 2), -1, np.int32)
    ordering.launch(ids, order, ends, places, **options)
    flat = np.where((ids < 0) | (ids > 2), 3, ids).ravel()
    want = np.argsort(flat, kind="stable")
    assert (order == want).all() and (places.ravel()[want] == np.arange(300)).all()
    assert (ends == np.searchsorted(flat[want], np.arange(3), side="right")).all()


def experts() -> None:
    for m, n, k in ((45, 40, 72), (20, 33, 37)):
        add(f"tile_grouped rows {(m, n, k)}", TILES, functools.partial(of_rows, m, n, k), part=True)
        add(f"tile_grouped depth {(m, n, k)}", TILES, lambda m=m, n=n, k=k, target="", **o: of_depth(
            lambda a, b, ends, out: tile_grouped.launch(a, b, ends, out, target, None, Block(32, 32, 32, (1, 2), "single"), **o), m, n, k))  # fmt: skip
    add("hopper_weights", HOPPER, lambda target="", **o: of_depth(
        lambda a, b, ends, out: hopper_weights.launch(a, b, ends, out, target, Block(64, 64, 64, pipeline="tma", stages=2), **o), 72, 80, 90), part=True)  # fmt: skip
    add("routing", ALL, routed)
    add("ordering", ALL, ordered)


for section in (attention, products, experts):
    section()
