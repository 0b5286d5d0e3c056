"""Matrix rows with block scales: formats against published tables, the product against float64 NumPy, layouts against
the manual's tables, the expansion against the meaning."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang.isa.amdgpu.scaled import FORMATS, SCALED
from avelang.isa.row import ROWS
from isa.amdgpu_waves import LANES, lowered, semantics

BY_NAME = {d.name: d for d in SCALED}
# ml_dtypes has the formats of the OCP Microscaling specification 1.0.
PUBLISHED = {
    "fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2, "fp6": ml_dtypes.float6_e2m3fn,
    "bf6": ml_dtypes.float6_e3m2fn,
    "fp4": ml_dtypes.float4_e2m1fn,
}  # fmt: skip


def codes_of(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Codes of small whole or half numbers, whose sums are exact."""
    table = np.arange(1 << FORMATS[name].bits).astype(np.uint8).view(PUBLISHED[name]).astype(np.float64)
    with np.errstate(all="ignore"):
        good = np.flatnonzero((np.abs(table) <= 4) & (table * 2 == np.rint(table * 2)))
    return rng.choice(good, shape).astype(np.uint8)


def packed(name: str, codes: np.ndarray) -> np.ndarray:
    """(lanes, 32) codes as the registers of a lane."""
    f = FORMATS[name]
    if f.dtype:
        return codes.view(f.dtype.np)
    total = [sum(int(c) << (f.bits * i) for i, c in enumerate(row)) for row in codes]
    return np.array([[t >> (32 * w) & 0xFFFFFFFF for w in range(f.words)] for t in total], np.uint32)


def case(name: str, seed: int, parts: tuple[int, int]) -> tuple[np.ndarray, list]:
    """(D in float64, operands)."""
    d, rng = BY_NAME[name], np.random.default_rng(seed)
    mma = d.mma
    exponents = [rng.integers(124, 131, (d.m, d.k // 32)) for _ in "ab"]
    codes = [codes_of(rng, d.a, (d.m, d.k)), codes_of(rng, d.b, (d.k, d.m))]
    with np.errstate(all="ignore"):
        a, b = (c.view(PUBLISHED[f]).astype(np.float64) for c, f in zip(codes, (d.a, d.b), strict=True))
    c = rng.integers(-50, 50, (d.m, d.m)).astype(np.float32)
    powers = [np.repeat(2.0 ** (e - 127), 32, axis=1) for e in exponents]
    want = (a * powers[0]) @ (b * powers[1].T) + c
    held = [
        packed(f, np.ascontiguousarray(g.gather(x[None])))
        for f, g, x in ((d.a, mma.a, codes[0]), (d.b, mma.b, codes[1]))
    ]
    scales = []
    for e, part in zip(exponents, parts, strict=True):
        # Lane i + m kb: row (column) i, elements 32 kb and on; the other bytes do not matter.
        word = rng.integers(0, 256, (LANES, 4)).astype(np.uint8)
        word[:, part] = e.T.reshape(-1)
        scales.append(word.view(np.uint32)[:, 0])
    return want, [*held, mma.c.gather(c[None]), *scales]


@pytest.mark.parametrize("name", BY_NAME)
def test_product(name):
    parts = (len(name) % 4, (len(name) + 1) % 4)
    want, operands = case(name, 3, parts)
    got = BY_NAME[name].mma.c.scatter(semantics(name, *operands, *parts, chip="gfx950"))[0]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["16x16x128_fp4_fp4", "16x16x128_fp8_bf6", "16x16x128_fp6_bf8", "32x32x64_fp4_bf8"])
def test_expansion(name):
    name = f"mfma_scale_f32_{name}"
    _, operands = case(name, 4, (3, 1))
    np.testing.assert_array_equal(
        lowered(name, *operands, 3, 1, chip="gfx950"), semantics(name, *operands, 3, 1, chip="gfx950")
    )


def test_every_code():
    """Of all formats, subnormal numbers and zeros of both signs included."""
    for name, f in FORMATS.items():
        codes = np.resize(np.arange(1 << f.bits), LANES * 32).astype(np.uint8)
        got = f.numbers(packed(name, codes.reshape(LANES, 32))).reshape(-1)
        want = codes.view(PUBLISHED[name]).astype(np.float32)
        np.testing.assert_array_equal(got.view(np.uint32)[~np.isnan(want)], want.view(np.uint32)[~np.isnan(want)], name)
        assert (np.isnan(got) == np.isnan(want)).all()


def test_scales_at_the_ends():
    """0 is 2**-127, 254 is 2**127, 255 is NaN, in the reference and in the expansion."""
    name = "mfma_scale_f32_16x16x128_fp4_fp4"
    d = BY_NAME[name]
    ones = packed("fp4", np.full((LANES, 32), 2, np.uint8))
    for e, other, want in ((0, 127, 32 * 2.0**-127), (254, 0, 32.0), (255, 127, np.nan), (127, 127, 32.0)):
        # Of the four blocks along K the first three count nothing: their B is zero.
        right = ones.copy()
        right[:48] = 0
        scales = [np.full(LANES, v, np.uint32) for v in (e, other)]
        args = (ones, right, np.zeros((LANES, d.mma.c.slots), np.float32), *scales, 0, 0)
        for f in (semantics, lowered):
            np.testing.assert_array_equal(f(name, *args, chip="gfx950"), np.full((LANES, 4), want, np.float32))


@pytest.mark.parametrize("name", ["16x16x128_fp4_fp8", "16x16x128_bf8_bf6", "32x32x64_fp6_bf8"])
def test_far_scales(name):
    """An element times its scale may lie beyond f32 where its product with the other's does not: scales of rows near
    one end, of columns near the other."""
    d, rng = BY_NAME[f"mfma_scale_f32_{name}"], np.random.default_rng(11)
    _, (a, b, c, *_) = case(d.name, 5, (0, 0))
    left, right = (
        f.scatter(FORMATS[n].numbers(x))[0].astype(np.float64) for f, n, x in ((d.mma.a, d.a, a), (d.mma.b, d.b, b))
    )
    for base, total in ((2, 0), (252, 0), (252, 100), (4, -138)):
        rows = base + rng.integers(-2, 3, d.m)
        columns = 254 + total - base + rng.integers(-2, 3, d.m)
        words = [np.tile(e.astype(np.uint32), d.k // 32) for e in (rows, columns)]
        want = (left @ right) * 2.0 ** (rows[:, None] + columns - 254)  # sums of few bits: exact in f64 as in f32
        assert np.isfinite(want.astype(np.float32)).all() and (want == want.astype(np.float32)).all()
        for f in (semantics, lowered):
            np.testing.assert_array_equal(
                d.mma.c.scatter(f(d.name, a, b, np.zeros_like(c), *words, 0, 0, chip="gfx950"))[0], want
            )


# Of each group of lanes the places along K of its 32 elements (CDNA4 ISA guide, 7.1.5.1).
@pytest.mark.parametrize(("m", "k"), [(16, 128), (32, 64)])
def test_places_along_k_in_the_manual(m, k):
    for name, f in FORMATS.items():
        run, apart = (16, k // 2) if f.bits == 8 else (32, 0)
        want = [[run * g + s % run + apart * (s // run) for s in range(32)] for g in range(LANES // m)]
        mma = BY_NAME[f"mfma_scale_f32_{m}x{m}x{k}_{name}_{name}"].mma
        assert [[int(x) for x in mma.a.index[2][m * g]] for g in range(LANES // m)] == want, name
        assert [[int(x) for x in mma.b.index[1][m * g]] for g in range(LANES // m)] == want, name


def test_the_unscaled_rows_have_the_same_maps():
    for d in SCALED:
        plain = ROWS.get(f"amdgpu.mfma_f32_{d.m}x{d.m}x{d.k}_{d.a}_{d.b}")
        if plain is not None and plain.mma is not None:
            for ours, theirs in zip((d.mma.a, d.mma.b, d.mma.c), (plain.mma.a, plain.mma.b, plain.mma.c), strict=True):
                assert all((x == y).all() for x, y in zip(ours.index, theirs.index, strict=True))
