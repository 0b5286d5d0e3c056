"""Every kernel of the package and of the examples, at small and odd shapes: `PROGRAMS` by name, each launched for a chip and held against float64.

A program is right, so that no engine may report anything of it: `test_alarms` runs some, `./dev alarms` all.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import avelang.language as al
from avelang.tile import Block
from avelang_kernels.activation import gated
from avelang_kernels.attention import tile_attention, tile_attention_hopper
from avelang_kernels.loss import launches as row_losses
from avelang_kernels.loss import linear
from avelang_kernels.matmul import (
    hopper_gemm,
    hopper_skinny,
    mfma_gemm,
    mi300_gemm,
    ptx_ampere_gemm,
    ptx_hopper_gemm,
    skinny_quantized,
    tile_gemm,
    tile_inference,
    tile_skinny,
    tile_split_gemm,
    tutorial_gemm,
)
from avelang_kernels.moe import tile_grouped_gemm, tile_moe
from avelang_kernels.norm import launches as row_norms
from avelang_kernels.norm import ptx_rms_norm, ptx_softmax
from avelang_kernels.rotary import rotary

BF16, F16, F32 = ml_dtypes.bfloat16, np.float16, np.float32
ALL = "gfx90a gfx942 gfx950 sm_80 sm_90a"
AMD, NVIDIA, HOPPER = "gfx942 gfx950", "sm_80 sm_90a", "sm_90a"
ALONE = "alone"  # programs of the instruction level: the executor of PTX is all that runs them


@dataclasses.dataclass(frozen=True)
class Work:
    """`run(**launch options)`, with a target among them; `chips`: those that it is for, with spaces between. `part`: rows of an output are left as
    they are."""

    run: Callable[..., Any]
    chips: str
    part: bool = False


PROGRAMS: dict[str, Work] = {}


def add(name: str, chips: str, run: Callable[..., Any], part: bool = False) -> None:
    assert name not in PROGRAMS, name
    PROGRAMS[name] = Work(run, chips, part)


def small(seed: int, dtype: Any, *shape: int) -> np.ndarray:
    """Integers from -3 to 3: all sums are exact."""
    return np.random.default_rng((seed, *shape)).integers(-3, 4, shape).astype(dtype)


def same(got: np.ndarray, want: np.ndarray) -> None:
    """But for one rounding."""
    np.testing.assert_array_equal(got.astype(np.float64), want.astype(F32).astype(got.dtype).astype(np.float64))


def product(call: Callable[..., Any], m: int, n: int, k: int, dtype: Any = BF16, out: Any = F32, pad: int = 1) -> None:
    """`call(a, b, c)` for A @ B^T. Rows of C begin a multiple of `pad` elements apart."""
    a, b = small(1, dtype, m, k), small(2, dtype, n, k)
    c = np.full((m, -(-n // pad) * pad), np.nan if np.dtype(out).kind not in "iu" else 77, out)[:, :n]
    call(a, b, c)
    same(c, a.astype(np.float64) @ b.astype(np.float64).T)


# -- products --------------------------------------------------------------------------------------------------------------------------------


def products() -> None:
    """Kernels for A @ B^T, however they go about it."""
    T = hopper_gemm.GemmTile
    for tile, dtype, out, blocks, split, *shape in (
        (T(64, 64, 2), BF16, F32, 2, 1, 70, 72, 136), (T(128, 64, 3), F16, F16, 3, 1, 130, 40, 200),
        (T(64, 64, 3, 2), BF16, BF16, 4, 1, 200, 90, 200), (T(64, 64, 2, 2, 2), F16, F32, 4, 1, 130, 130, 72),
        (T(64, 64, 2, 1, 2), BF16, BF16, 2, 1, 1, 1, 8), (T(64, 64, 4, 4), BF16, BF16, 8, 1, 520, 64, 64),
        (T(64, 64, 3), BF16, F32, 4, "stream", 130, 100, 328), (T(128, 64, 2, 2), F16, F32, 4, "stream", 140, 136, 584),
        (T(64, 64, 2), BF16, BF16, 4, 3, 130, 72, 400), (T(64, 64, 2, 1, 2), F16, F32, 4, 2, 100, 200, 136),
    ):  # fmt: skip
        run = functools.partial(product, m=shape[0], n=shape[1], k=shape[2], dtype=dtype, out=out, pad=8)
        add(f"hopper_gemm {tuple(tile)} {split} {shape}", HOPPER, lambda run=run, tile=tile, blocks=blocks, split=split, **o: run(
            lambda a, b, c: hopper_gemm.gemm(a, b, c, tile, blocks, split, **o)), part=split != 1 or shape[1] % 8 != 0)  # fmt: skip
    add("hopper_f32 (70, 72, 41)", HOPPER, lambda **o: product(
        lambda a, b, c: hopper_gemm.gemm(a, b, c, T(64, 64, 2), 4, **o), 70, 72, 41, F32, F32, 8))  # fmt: skip
    P = hopper_skinny.Plan
    for plan, *shape in (
        (P(64, 2, 3, 3), 5, 200, 400), (P(64, 1, 3, 5), 8, 50, 1000), (P(64, 1, 2, 3), 9, 130, 72), (P(128, 1, 2, 4), 33, 300, 136),
        (P(64, 4, 2, 9), 1, 66, 264), (P(64, 1, 2, 0, 3), 17, 100, 456), (P(64, 2, 2, 0, 4), 2, 64, 200), (P(64, 1, 2, 4, 1, 2), 16, 330, 136),
        (P(64, 1, 2, 8, 1, 4), 41, 280, 72),
    ):  # fmt: skip
        run = functools.partial(product, m=shape[0], n=shape[1], k=shape[2])
        add(f"hopper_skinny {tuple(plan)} {shape}", HOPPER, lambda run=run, plan=plan, **o: run(lambda a, b, c: hopper_skinny.launch(a, b, c, plan, **o)))
    for m, n, k in ((40, 36, 48), (33, 17, 16)):
        add(f"mfma_gemm {(m, n, k)}", "gfx90a gfx942 gfx950", lambda m=m, n=n, k=k, **o: product(lambda a, b, c: mfma_gemm.gemm(a, b, c, **o), m, n, k))
    for m, n, k, out in ((130, 140, 136, F32), (3, 5, 66, BF16), (129, 131, 97, F32)):
        add(f"mi300_gemm small {(m, n, k)}", AMD, lambda m=m, n=n, k=k, out=out, **o: product(
            lambda a, b, c: mi300_gemm.gemm(a, b, c, mi300_gemm.SMALL, **o), m, n, k, BF16, out))  # fmt: skip
    narrow = mi300_gemm.SMALL._replace(m=64, n=64, early=1)
    for split in (3, "stream"):
        add(f"mi300_gemm split {split}", AMD, lambda split=split, **o: product(
            lambda a, b, c: mi300_gemm.gemm(a, b, c, narrow, split, **o), 70, 132, 264))  # fmt: skip
    add("mi300_gemm turned", AMD, lambda **o: product(
        lambda a, b, c: mi300_gemm.gemm(a.T.copy().T, b.T.copy().T, c, narrow, 1, **o), 72, 64, 88))  # fmt: skip
    add("mi300_gemm large", AMD, lambda **o: product(lambda a, b, c: mi300_gemm.gemm(a, b, c, mi300_gemm.LARGE, **o), 257, 12, 136))
    for step, chips in (("naive", ALL), ("tiled", ALL), ("matrix", ALL), ("wide", AMD), ("double-buffer", "sm_90a"), ("tma", HOPPER)):
        for chip in chips.split():
            if step in tutorial_gemm.steps(chip):
                add(f"tutorial_gemm {step} {chip}", chip, lambda step=step, target="", **o: product(
                    lambda a, b, c: tutorial_gemm.gemm(step, a, b, c, target, 4, **o), 40, 72, 40, BF16, BF16))  # fmt: skip


def tiles() -> None:
    """`tile_gemm` by its pipelines and what it chooses; `tile_skinny`, `tile_inference`."""
    B = Block
    for T, chips, shape in (
        (B(32, 32, 32, pipeline="single"), ALL, (40, 72, 40)), (B(32, 32, 64, pipeline="double-buffer"), ALL, (33, 37, 67)), (B(64, 64, 64), AMD, (70, 40, 72)),
        (B(64, 64, 64, pipeline="direct-to-lds"), AMD, (70, 72, 136)),
        (B(64, 64, 32, pipeline="cp-async"), NVIDIA, (70, 72, 104)), (B(64, 64, 64, pipeline="tma"), HOPPER, (70, 72, 136)),
        (B(64, 64, 64, pipeline="tma", stages=2, cluster=(2, 1)), HOPPER, (200, 72, 200)),
        (B(64, 64, 64, pipeline="tma", stages=2, cluster=(1, 2)), HOPPER, (70, 200, 72)),
        (B(64, 64, 64, pipeline="tma", stages=2, cluster=(2, 2)), HOPPER, (130, 136, 72)),
    ):  # fmt: skip
        add(f"tile_gemm {T.pipeline} {T.cluster} {shape}", chips, lambda T=T, shape=shape, target="", **o: product(
            lambda a, b, c: tile_gemm.gemm(a, b, c, T, target, units=4, **o), *shape, BF16, BF16, 8 if T.pipeline == "tma" else 1))  # fmt: skip
    for split in (2, "stream"):
        add(f"tile_split_gemm {split}", AMD, lambda split=split, target="gfx942", **o: product(
            lambda a, b, c: tile_split_gemm.gemm(a, b, c, B(32, 64, 64), target, 5, split, **o), 40, 72, 264, BF16, BF16))  # fmt: skip
    for shape, dtype in (((40, 72, 40), F16), ((7, 33, 77), F16), ((130, 64, 64), BF16)):
        add(f"tile_gemm as it chooses {shape}", ALL, lambda shape=shape, dtype=dtype, target="", **o: product(
            lambda a, b, c: tile_gemm.gemm(a, b, c, target=target, **o), *shape, dtype))  # fmt: skip
    for shape, dtype in (((8, 64, 512), F16), ((5, 37, 130), F16), ((1, 65, 77), BF16), ((16, 40, 256), F16)):
        add(f"tile_skinny {shape}", ALL, lambda shape=shape, dtype=dtype, **o: product(
            lambda a, b, c: tile_skinny.gemm(a, b, c, **o), *shape, dtype))  # fmt: skip
    paired, dense = B(8, 32, 64, (1, 2), "streamed", mma="VDMFMA_F32_8x16x64x2_F16_PAIRED"), B(8, 32, 64, (1, 2), "streamed", mma="VMMA_SYNC_F32_8x16x16_F16")
    for T, chips in ((paired, "gfx942"), (dense, NVIDIA)):
        for parts in (1, 3, 16):
            add(f"tile_skinny {chips} {parts} parts", chips, lambda T=T, parts=parts, target="", **o: product(
                lambda a, b, c: tile_skinny.launch(a, b, c, T, parts, target, **o), 8, 36, 1000, F16))  # fmt: skip
    for bits, shape in ((4, (3, 20, 1120)), (8, (9, 140, 272))):
        add(f"skinny_quantized {bits} bits {shape}", NVIDIA, lambda bits=bits, shape=shape, **o: quantized(bits, shape, **o))
    for T in (B(32, 64, 64, (1, 4), "preshuffled"), tile_inference.FEW[16]):
        for shape in ((40, 77, 104), (3, 64, 37)):
            add(f"tile_inference {T.m} {shape}", "gfx942 gfx950 sm_80", lambda T=T, shape=shape, **o: inference(T, shape, **o))


def quantized(bits: int, shape: tuple[int, int, int], **options: Any) -> None:
    """4-bit weights with groups of 32 and zero points, or fp8 with a scale a row."""
    m, n, k = shape
    a, random = small(1, BF16, m, k), np.random.default_rng(5)
    if bits == 4:
        q, scales = random.integers(0, 16, (n, k)), small(2, BF16, n, -(-k // 32))
        zeros = random.integers(0, 16, scales.shape).astype(np.uint8)
        less, factors = (np.repeat(x.astype(np.float64), 32, 1)[:, :k] for x in (zeros, scales))
        weights, dense = skinny_quantized.pack_int4(q), (q - less) * factors
    else:
        weights, scales, zeros = small(3, ml_dtypes.float8_e4m3fn, n, k), small(2, F32, n), None
        dense = weights.astype(np.float64) * scales.astype(np.float64)[:, None]
    out = np.full((m, n), np.nan, F32)
    skinny_quantized.skinny_quantized(a, weights, scales, zeros, out, **options)
    same(out, a.astype(np.float64) @ dense.T)


def inference(T: Block, shape: tuple[int, int, int], target: str = "", **options: Any) -> None:
    m, n, k = shape
    a, b, bias, out = small(1, BF16, m, k), small(2, BF16, n, k), small(3, BF16, n), np.full((m, n), np.nan, F32)
    tile_inference.gemm(a, tile_inference.preshuffle(b, T, target), out, bias, tile_inference.relu, block=T, **options)
    same(out, np.maximum(a.astype(np.float64) @ b.astype(np.float64).T + bias.astype(np.float64), 0))


# -- groups of rows --------------------------------------------------------------------------------------------------------------------------


def grouped(T: Block, target: str = "", n: int = 72, taken: bool = False, scaled: bool = False, sizes: tuple[int, ...] = (5, 0, 66, 1), **options: Any) -> None:
    """Some rows before the first group and behind the last are of none."""
    k, E, bounds, rows = 72, len(sizes), np.cumsum((1, *sizes)), sum(sizes) + 4
    a, b = small(1, BF16, 40 if taken else rows, k), small(2, BF16, E, n, k)
    index = np.random.default_rng(3).integers(0, 40, rows).astype(np.int32) if taken else None
    factors = small(4, F32, rows) if scaled else None
    out = np.full((rows, n), np.nan, BF16)
    given = T.on(target, al.bf16).preshuffle(b.reshape(E * n, k)) if T.pipeline == "preshuffled" else b
    tile_grouped_gemm.grouped_gemm(a, given, bounds.astype(np.int32), out, T, target, index=index, factors=factors, units=4, **options)
    A = a.astype(np.float64) if index is None else a.astype(np.float64)[index]
    for g in range(E):
        mine = slice(int(bounds[g]), int(bounds[g + 1]))
        x = A[mine] @ b[g].astype(np.float64).T
        same(out[mine], x if factors is None else x * factors[mine, None])


def moe(T: Block, target: str = "", **options: Any) -> None:
    E, tokens, k, hidden, inner = 3, 15, 2, 64, 64
    x, w2 = small(1, BF16, tokens, hidden) / BF16(8), small(2, BF16, E, hidden, inner)
    w13 = tile_moe.striped(small(3, BF16, E, inner, hidden) / BF16(8), small(4, BF16, E, inner, hidden))
    rng = np.random.default_rng(5)
    ids, weights = rng.integers(-1, E + 1, (tokens, k)).astype(np.int32), rng.random((tokens, k)).astype(F32)
    out = np.full((tokens, hidden), np.nan, BF16)
    tile_moe.moe(x, w13, w2, ids, weights, out, (T, T), target, units=3, **options)
    assert np.isfinite(out.astype(F32)).all()


def add_up(n: int, dtype: Any, target: str = "", groups: int = 0, **options: Any) -> None:
    y, at = small(1, dtype, 4, n), np.array([[0, 3], [-1, 2], [4, -1]], np.int32)
    offsets = np.array([*[0] * groups, 4], np.int32) if groups else None
    out = tile_moe.add_up(y, at, np.full((3, n), np.nan, dtype), target, offsets=offsets, **options)
    same(out, np.stack([y[0].astype(F32) + y[3], y[2].astype(F32), np.zeros(n)]))


def groups() -> None:
    for T, chips, more in (
        (Block(32, 64, 64), AMD, {"taken": True}), (Block(32, 32, 64, pipeline="preshuffled", stages=2), AMD, {"taken": True, "n": 48}),
        (Block(32, 32, 64, pipeline="direct-to-lds", stages=2), AMD, {"taken": True, "n": 48}), (Block(32, 64, 64), "gfx942", {"n": 35}),
        (Block(32, 32, 32, pipeline="cp-async", stages=2), NVIDIA, {"taken": True}),
        (Block(64, 64, 64, pipeline="tma", stages=2), HOPPER, {"scaled": True}), (Block(64, 64, 64, pipeline="tma", stages=2), HOPPER, {"n": 75}),
        (Block(64, 64, 64, pipeline="tma", stages=2, cluster=(1, 2)), HOPPER, {}), (Block(64, 64, 64, pipeline="tma", stages=2, cluster=(2, 1)), HOPPER, {}),
    ):  # fmt: skip
        add(f"grouped_gemm {T.pipeline} {T.cluster} {more}", chips, lambda T=T, more=more, **o: grouped(T, **more, **o), part=True)
    for T, chips in ((Block(64, 64, 64, (4, 1)), AMD), (Block(64, 64, 32, (4, 1), "cp-async", stages=2), NVIDIA), (Block(64, 64, 64, pipeline="tma", stages=2), HOPPER)):
        add(f"moe {T.pipeline}", chips, lambda T=T, **o: moe(T, **o), part=True)
    for n, dtype in ((10, F32), (64, BF16), (12, F32), (7, BF16), (6, F16)):
        add(f"moe add_up {n} {np.dtype(dtype).name}", ALL, lambda n=n, dtype=dtype, **o: add_up(n, dtype, **o))
    # LLVM loads the first and the last of three bounds as parts of a vector of four.
    add("moe add_up two groups", ALL, lambda **o: add_up(8, F32, groups=2, **o))


# -- attention -------------------------------------------------------------------------------------------------------------------------------


def attend(call: Callable[..., Any], heads: int, kv: int, queries: int, keys: int, d: int, causal: bool, dtype: Any = BF16, **options: Any) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, n, h, d), F32).astype(dtype) for n, h in ((queries, heads), (keys, kv), (keys, kv)))
    out, lse = np.full(q.shape, np.nan, dtype), np.full((1, heads, queries), np.nan, F32)
    call(q, k, v, out, lse=lse, causal=causal, **options)
    Q, K, V = (np.repeat(x.astype(np.float64).swapaxes(1, 2), 1 if x is q else heads // kv, 1) for x in (q, k, v))
    s = Q @ K.swapaxes(2, 3) * d**-0.5
    if causal:
        s = np.where(np.arange(keys)[None] <= np.arange(queries)[:, None] + keys - queries, s, -np.inf)
    p = np.exp(s - np.maximum(s.max(3, keepdims=True), -1e300))
    total = p.sum(3, keepdims=True)
    want = p / np.where(total == 0, 1, total) @ V
    np.testing.assert_allclose(out.astype(np.float64).swapaxes(1, 2), want, rtol=0.02, atol=0.02)


def attention() -> None:
    A, F = tile_attention.Block, tile_attention_hopper.HopperAttention
    for name, T, case in (
        ("gqa", A(32, 32, 2), (2, 1, 50, 75, 32, False)), ("causal", A(32, 32, 2), (3, 1, 70, 41, 40, True)), ("shared", A(32, 32, 2, False), (2, 1, 40, 70, 40, True)),
    ):  # fmt: skip
        chips = ALL if name == "gqa" else "gfx942 gfx950 sm_80"
        add(f"tile_attention {name}", chips, lambda T=T, case=case, **o: attend(functools.partial(tile_attention.attention, T=T), *case, **o))
    for form, case in ((F(m=128, n=64), (2, 1, 140, 170, 64, True)), (F(m=64, n=32), (3, 1, 90, 50, 72, True)), (F(m=64, n=64, near=2), (3, 3, 100, 100, 64, True)), (F(m=64, n=64), (1, 1, 3, 5, 64, False))):
        add(f"tile_attention_hopper {form.name} {case}", HOPPER, lambda form=form, case=case, target="", **o: attend(
            functools.partial(tile_attention_hopper.attention, form=form, units=2), *case, **o))  # fmt: skip


# -- the instruction level -------------------------------------------------------------------------------------------------------------------


def rows(call: Callable[..., Any], want: Callable[..., Any], m: int, n: int, dtype: Any) -> None:
    x, w = small(1, dtype, m, n), small(2, dtype, n)
    np.testing.assert_allclose(call(x, w).astype(np.float64), want(x.astype(np.float64), w.astype(np.float64)), rtol=0.02, atol=1e-6)


def instructions() -> None:
    P, H = ptx_ampere_gemm.Plan, ptx_hopper_gemm.Plan
    for plan, dtype, out, shape in (
        (P(64, 64), BF16, BF16, (70, 72, 72)), (P(64, 64, 64, 3), F16, F16, (66, 74, 200)), (P(64, 128), BF16, F32, (33, 139, 8)),
        (P(128, 64, together=1), BF16, BF16, (129, 37, 40)), (P(64, 64), F16, F32, (1, 2, 104)),
    ):  # fmt: skip
        add(f"ptx_ampere_gemm {tuple(plan)} {shape}", ALONE, lambda plan=plan, dtype=dtype, out=out, shape=shape: product(
            lambda a, b, c: ptx_ampere_gemm.gemm(a, b, c, plan=plan), *shape, dtype, out))  # fmt: skip
    for plan, dtype, out, blocks, shape in (
        (H(64, 64, 3, 2), BF16, BF16, 2, (140, 72, 200)), (H(128, 64, 2, group_m=2), F16, F32, 1, (130, 68, 72)), (H(64, 96, 2), BF16, F32, 2, (70, 100, 8)),
        (H(64, 64, 2, 2), BF16, BF16, 2, (100, 37, 72)),
    ):  # fmt: skip
        add(f"ptx_hopper_gemm {tuple(plan)} {shape}", ALONE, lambda plan=plan, dtype=dtype, out=out, blocks=blocks, shape=shape: product(
            lambda a, b, c: ptx_hopper_gemm.gemm(a, b, c, plan=plan, blocks=blocks), *shape, dtype, out))  # fmt: skip
    for m, n, dtype in ((3, 64, BF16), (5, 37, F32), (33, 8, F32), (5, 1, F16), (3, 18, F16), (2, 1000, BF16), (3, 771, BF16), (1, 2056, BF16)):
        add(f"ptx_softmax {m} {n}", ALONE, lambda m=m, n=n, dtype=dtype: rows(
            lambda x, _: ptx_softmax.softmax(x), lambda x, _: np.exp(x) / np.exp(x).sum(1, keepdims=True), m, n, dtype))  # fmt: skip
        add(f"ptx_rms_norm {m} {n}", ALONE, lambda m=m, n=n, dtype=dtype: rows(
            lambda x, w: ptx_rms_norm.rms_norm(x, w, 0.5), lambda x, w: x * w / np.sqrt((x * x).mean(1, keepdims=True) + 0.5), m, n, dtype))  # fmt: skip


def row_operations() -> None:
    """Norms, softmax, gated activations, rotary embedding and losses: rows that threads share, hold, and go through in chunks."""

    def about(got: Any, want: Any) -> None:
        np.testing.assert_allclose(np.asarray(got, np.float64), want, rtol=2e-5, atol=2e-5 * float(np.abs(want).max(initial=1e-3)))

    def made(*shape: int) -> np.ndarray:
        return np.full(shape, np.nan, F32)

    def norm(m: int, n: int, **o: Any) -> None:
        x, w, y, rstd = small(1, F32, m, n), small(2, F32, n), made(m, n), made(m)
        row_norms.forward(x, w, None, None, y, None, None, rstd, eps=0.5, **o)
        spread = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 0.5)
        about(y, x * spread * w)
        dy, dx, dw = small(3, F32, m, n), made(m, n), made(n)
        row_norms.backward(x, dy, None, w, None, rstd, dx, dw, None, **o)
        g, v = dy * w, x * spread
        about(dx, spread * (g - v * (g * v).mean(1, keepdims=True)))
        about(dw, (dy * v).sum(0))

    def softmax(m: int, n: int, **o: Any) -> None:
        x, y, dx = small(1, F32, m, n), made(m, n), made(m, n)
        row_norms.make_softmax(x, y, **o)
        want = np.exp(x.astype(np.float64))
        about(y, want / want.sum(1, keepdims=True))
        row_norms.softmax_gradient(y, x, dx, **o)
        about(dx, y * (x - (y * x).sum(1, keepdims=True)))

    def gates(m: int, n: int, **o: Any) -> None:
        x, y, dx = small(1, F32, m, 2 * n), made(m, n), made(m, 2 * n)
        gated.make_gated(x[:, :n], x[:, n:], y, act="relu", **o)
        about(y, np.maximum(x[:, :n], 0) * x[:, n:])
        gated.gated_gradients(x[:, :n], x[:, n:], x[:, :n], dx[:, :n], dx[:, n:], act="relu", **o)
        about(dx[:, n:], x[:, :n] * np.maximum(x[:, :n], 0))

    def turns(m: int, n: int, **o: Any) -> None:
        x, c, s, y = small(1, F32, 2, 3, m, n), small(2, F32, m, n // 2), small(3, F32, m, n // 2), made(2, 3, m, n)
        rotary.rotate(x, None, c, s, None, y, None, **o)
        low, high = x[..., : n // 2], x[..., n // 2 :]
        about(y, np.concatenate([low * c - high * s, high * c + low * s], -1))

    def losses(m: int, n: int, **o: Any) -> None:
        x, t, loss, lse, out, one = small(1, F32, m, n), np.arange(m) % n, made(m), made(m, 2), made(), made()
        row_losses.make_losses(x, t, loss, lse, **o)
        total = np.log(np.exp(x.astype(np.float64)).sum(1))
        about(loss, total - x[np.arange(m), t])
        row_losses.add_losses(loss, t, out, one, **o)
        dx, want = made(m, n), np.exp(x - total[:, None])
        row_losses.gradients(x, t, lse, np.ones((), F32), one, dx, **o)
        want[np.arange(m), t] -= 1
        about(dx, want / m)
        linear.multiply_by(dx, np.full(1, 2, F32), dx, **o)
        about(dx, 2 * want / m)

    for m, n in ((5, 36), (2, 4100), (17, 3)):
        for name, run in (("norms", norm), ("softmax", softmax), ("gated", gates), ("cross_entropy", losses)):
            add(f"{name} {(m, n)}", ALL, functools.partial(run, m, n))
    for m, n in ((5, 20), (3, 6)):
        add(f"rotary {(m, n)}", ALL, functools.partial(turns, m, n))


for section in (products, tiles, groups, attention, instructions, row_operations):
    section()
