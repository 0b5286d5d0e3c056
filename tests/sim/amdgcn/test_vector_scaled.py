"""gfx950's scaled conversions and stochastic roundings against exact fractions: formats by their definitions (OCP MX
1.0), all forms, drawn numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.vector_cases import assembles

from avelang.sim.amdgcn.vector_scaled import TABLE

LANES = 64
MASK = 0xFFFFFF0FFFFFFFFE
ON = np.array([bool(MASK >> n & 1) for n in range(LANES)])
# Bits, bits of the significand, bias, greatest finite code, code of what overflows, of NaN.
SMALL = {
    "fp8": (8, 3, 7, 0x7E, 0x7F, 0x7F), "bf8": (8, 2, 15, 0x7B, 0x7C, 0x7E), "fp6": (6, 3, 1, 0x1F, 0x1F, 0x1F),
    "bf6": (6, 2, 3, 0x1F, 0x1F, 0x1F),
    "fp4": (4, 1, 1, 7, 7, 7), "f16": (16, 10, 15, 0x7BFF, 0x7C00, 0x7E00),
    "bf16": (16, 7, 127, 0x7F7F, 0x7F80, 0x7FC0),
    "f32": (32, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FC00000),
}  # fmt: skip
TYPES = {
    "fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2, "fp6": ml_dtypes.float6_e2m3fn,
    "bf6": ml_dtypes.float6_e3m2fn,
    "fp4": ml_dtypes.float4_e2m1fn,
}  # fmt: skip


def number(code: int, kind: str) -> float:
    """What a code says; NaN and infinities where the format has them."""
    bits, mantissa, bias, greatest, overflow, nan = SMALL[kind]
    magnitude, sign = code & (1 << bits - 1) - 1, -1.0 if code >> bits - 1 & 1 else 1.0
    if magnitude > greatest:
        return math.copysign(math.inf, sign) if magnitude == overflow and overflow != nan else math.nan
    e = magnitude >> mantissa
    value = Fraction((magnitude & (1 << mantissa) - 1) + ((1 << mantissa) if e else 0)) * Fraction(2) ** (max(e,
        1) - bias - mantissa)
    return sign * float(value)


def code_of(x: float, by: Fraction | None, kind: str, noise: int | None = None, source: int = 23) -> int:
    """The code of x * by, rounded to nearest even, or stochastically with the upper bits of `noise`. `by` None: the
    scale is NaN."""
    bits, mantissa, bias, greatest, overflow, nan = SMALL[kind]
    top = (1 << bits - 1) if math.copysign(1.0, x) < 0 else 0
    if by is None or math.isnan(x):
        return nan | top
    if math.isinf(x):
        return overflow | top
    q = abs(Fraction(x)) * by
    if q == 0:
        return top
    e = q.numerator.bit_length() - q.denominator.bit_length()
    e -= q < Fraction(2) ** e
    low = 1 - bias
    steps = q / Fraction(2) ** (max(e, low) - mantissa)
    if noise is None:
        n = round(steps)
    else:
        taken = source - mantissa
        n = (math.floor(steps * (1 << taken)) + (noise >> 32 - taken)) >> taken
    found = n + ((max(e, low) - low) << mantissa)
    return (found if found <= greatest else overflow) | top


def power(word: int, down: bool) -> Fraction | None:
    e = word >> 23 & 255
    return None if e == 255 else Fraction(2) ** ((127 - e) if down else (e - 127))


def drawn(rng: np.random.Generator, kind: str, n: int) -> np.ndarray:
    """Codes of a kind: near 1, any, edges."""
    bits = SMALL[kind][0]
    any_ = rng.integers(0, 1 << bits, n, np.uint64)
    if bits < 16:
        return any_.astype(np.uint32)
    near = np.array([code_of(float(v), Fraction(1), kind) for v in rng.standard_normal(n) * np.exp2(rng.integers(-12, 9,
        n))], np.uint64)
    edge = rng.choice(np.array([0, SMALL[kind][3], SMALL[kind][4], SMALL[kind][5], 1, 1 << SMALL[kind][1]], np.uint64),
        n)
    edge |= rng.integers(0, 2, n, np.uint64) << np.uint64(bits - 1)
    which = rng.random(n)
    return np.where(which < 0.75, near, np.where(which < 0.9, any_, edge)).astype(np.uint32)


def scales(rng: np.random.Generator) -> np.ndarray:
    e = np.where(rng.random(LANES) < 0.8, rng.integers(118, 137, LANES),
        rng.choice([0, 1, 2, 127, 250, 254, 255], LANES)).astype(np.uint32)
    return rng.integers(0, 1 << 23, LANES, np.uint32) | e << np.uint32(23) | rng.integers(0, 2, LANES,
        np.uint32) << np.uint32(31)


def words(codes: np.ndarray, bits: int) -> np.ndarray:
    """Codes (n, 64) packed in (n * bits / 32, 64), the first lowest."""
    flat = (codes[:, None] >> np.arange(bits, dtype=np.uint32)[None, :, None] & 1).reshape(-1, LANES)
    return (flat.reshape(-1, 32, LANES).astype(np.uint64) << np.arange(32, dtype=np.uint64)[None, :,
        None]).sum(1).astype(np.uint32)


def codes(held: np.ndarray, bits: int) -> np.ndarray:
    flat = (held[:, None] >> np.arange(32, dtype=np.uint32)[None, :, None] & 1).reshape(-1, bits, LANES)
    return (flat.astype(np.uint64) << np.arange(bits, dtype=np.uint64)[None, :, None]).sum(1).astype(np.uint32)


def same(got: int, want: int, kind: str) -> bool:
    return got == want or math.isnan(number(got, kind)) and math.isnan(number(want, kind))


def ranged(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def shape(name: str) -> tuple[str, str, int, bool, str]:
    """Result, source, number of elements, whether random, and the form of a mnemonic."""
    parts = name.removeprefix("v_cvt_").removeprefix("scalef32_").split("_")
    source, result, head = parts[-1], parts[-2], parts[:-2]
    count = 32 if {"pk32", "2xpk16"} & set(head) else 2 if "pk" in head else 1
    return result, source, count, "sr" in head, "_".join(head)


def test_the_formats_are_those_of_ml_dtypes():
    for kind, t in TYPES.items():
        bits = SMALL[kind][0]
        every = np.arange(1 << bits, dtype=np.uint8)
        for c, v in zip(every, every.view(t).astype(np.float64), strict=True):
            assert number(int(c), kind) == v or math.isnan(number(int(c), kind)) and math.isnan(v)


def source_registers(rng, source: str, count: int, both: bool) -> tuple[np.ndarray, list[np.ndarray], str]:
    """Elements (count, 64), the registers that hold them, and the operands; v40 and on."""
    bits = SMALL[source][0]
    x = np.stack([drawn(rng, source, LANES) for _ in range(count)])
    if both:
        return x, [*x[::2], *x[1::2]], "v[40:55], v[56:71]"
    if bits == 32 and count == 2:  # one register each, or a pair where it is stochastic
        return x, list(x), ""
    if bits < 16 and count < 32:
        return x, [], ""
    held = words(x, bits) if count > 1 else x
    return x, list(held), ranged(40, len(held))


@pytest.mark.parametrize("name", TABLE)
def test_scaled(name):
    result, source, count, random, form = shape(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    x, held, operands = source_registers(rng, source, count, "2xpk16" in form)
    scale, noise, old = scales(rng), rng.integers(0, 1 << 32, LANES, np.uint32), rng.integers(0, 1 << 32, (32, LANES),
        np.uint32)
    scaled = "scalef32" in name
    bits, below = SMALL[result][0], SMALL[source][0]
    pick = int(rng.integers(0, 4))  # a byte, or with its upper bit a half
    op_sel, first, place = "", 0, 0
    if count == 2 and source == "f32":
        operands = "v[40:41]" if random else "v40, v41"
    if below < 16 and count < 32:  # codes in a part of a word
        part = 8 if below * count == 8 else 16
        place = (pick & (32 // part - 1)) * part
        word = rng.integers(0, 1 << 32, LANES, np.uint32) & np.uint32(~(((1 << part) - 1) << place) & 0xFFFFFFFF)
        for k in range(count):
            word |= x[k] << np.uint32(place + below * k)
        held, operands = [word], "v40"
        low = [pick & 1, pick >> 1 & 1] if part == 8 else [pick & 1, 0]
        op_sel = f"op_sel:[{low[0]},{low[1]},0]"
    to = bits * count if count < 32 else 0
    if (to in (8, 16) and bits < 16) or result == "f16" and count == 1 and scaled or not scaled:
        sources = 2 if below == 16 and count == 2 and not random or not scaled or result == "f16" else 3
        if to == 8:
            first, op_sel = 8 * pick, f"op_sel:[0,0,{pick & 1},{pick >> 1}]"
        else:
            first = 16 * (pick & 1)
            low = [int(place // 8 & 1), int(place // 16)] if result == "f16" and scaled else [0, 0]
            op_sel = f"op_sel:[{low[0]},{low[1]}{',0' * (sources - 2)},{pick & 1}]"
    destination = ranged(0, max(1, bits * count // 32))
    tail = ", v38" * random + ", v39" * scaled
    text = f"{name} {destination}, {operands}{tail} {op_sel}"
    assert not assembles(text, "gfx950")
    inputs = {f"v{40 + k}": v for k, v in enumerate(held)} | {"v38": noise,
        "v39": scale} | {f"v{k}": old[k] for k in range(32)}
    r = run_program(text, inputs, exec_mask=MASK, chip="gfx950")
    got = np.stack([np.asarray(r[f"v{k}"]) for k in range(32)])
    n = max(1, bits * count // 32)
    assert (got[n:] == old[n:]).all() and (got[:, ~ON] == old[:, ~ON]).all()
    if to and to < 32:
        kept = np.uint32(~(((1 << to) - 1) << first) & 0xFFFFFFFF)
        assert (got[0] & kept == old[0] & kept).all()
    found = codes(got[:n],
        bits) if count == 32 or to == 64 else np.stack(
            [got[0] >> np.uint32(first + bits * k) & np.uint32((1 << bits) - 1) for k in range(count)])
    if bits == 32:
        found = got[:count]
    digits = {"f32": 23, "f16": 10, "bf16": 7}.get(source, 0)
    for lane in np.flatnonzero(ON):
        by = power(int(scale[lane]), bits < 16) if scaled else Fraction(1)
        for k in range(count):
            v = number(int(x[k, lane]), source)
            if math.isnan(v):
                v = math.copysign(v, -1.0 if x[k, lane] >> (below - 1) & 1 else 1.0)
            want = code_of(v, by, result, int(noise[lane]) if random else None, digits)
            assert same(int(found[k, lane]), want, result), (text, lane, k, v, hex(int(scale[lane])),
                int(found[k, lane]), want)


def test_signs_and_magnitudes_of_operands():
    x = np.linspace(-5, 5, LANES).astype(np.float32)
    given = {"v1": x.view(np.uint32), "v2": (x + 1).view(np.uint32), "v0": 0}
    r = run_program("v_cvt_scalef32_pk_fp8_f32 v0, -v1, |v2|, 1.0", given, chip="gfx950")
    low, high = (y.astype(TYPES["fp8"]).view(np.uint8).astype(np.uint32) for y in (-x, np.abs(x + 1)))
    want = low | high << 8
    assert (r["v0"] == want).all()


def test_random_rounding_has_the_right_mean():
    """Over many random words, the mean of what comes out is the number that went in, denormals of the result
    included."""
    rng = np.random.default_rng(0)
    for name, kind in (("v_cvt_scalef32_sr_fp8_f32", "fp8"), ("v_cvt_scalef32_sr_bf8_f32", "bf8")):
        x, n = np.float32(2.0**-8 * 1.3 if kind == "fp8" else 2.0**-15 * 1.3), 2048
        total = 0.0
        body = "\n".join(f"{name} v{k}, v1, v{40 + k}, 1.0" for k in range(2, 34))
        noise = {f"v{40 + k}": rng.integers(0, 1 << 32, LANES, np.uint32) for k in range(2, 34)}
        r = run_program(body, {**noise, **{f"v{k}": 0 for k in range(34)}, "v1": np.full(LANES, x)}, chip="gfx950")
        for k in range(2, 34):
            total += sum(number(int(c) & 255, kind) for c in r[f"v{k}"])
        step = 2.0**-9 if kind == "fp8" else 2.0**-16
        assert abs(total / n - float(x)) < 5 * step / math.sqrt(n)
