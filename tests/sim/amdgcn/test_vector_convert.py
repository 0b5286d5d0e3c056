"""Conversions against exact fractions, Python's integers, and ml_dtypes for the narrow floats."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.test_vector_float import nan
from tests.sim.amdgcn.vector_cases import Batch, Case, assembles, batches, is_nan, rounded, to_float, to_pattern

from avelang.base.errors import AveError
from avelang.sim.amdgcn import vector_convert

NARROW = {
    "gfx942": {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz},
    "gfx950": {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2},
}


def limits(kind):
    bits = int(kind[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)


def clamp(x, kind):
    low, high = limits(kind)
    return min(max(x, low), high)


def integer(kind, source, how=math.trunc):
    low, high = limits(kind)

    def meaning(p):
        x = to_float(p, source)
        if math.isnan(x):
            return 0
        return ((low if x < 0 else high) if math.isinf(x) else clamp(how(x), kind)) & (1 << max(16, int(kind[1:]))) - 1

    return meaning


def number(kind):
    return lambda x: to_pattern(rounded(Fraction(x), kind), kind)


def converted(source, result):
    def meaning(p):
        x = to_float(p, source)
        if math.isnan(x):
            return nan(result)
        out = x if math.isinf(x) or x == 0 else math.copysign(rounded(Fraction(x), result), x)
        return to_pattern(out, result)

    return meaning


def next_floor(x):
    return math.floor(rounded(Fraction(x) + Fraction(1, 2), "f32"))


def toward_zero(p):
    x = to_float(p, "f32")
    if math.isnan(x):
        return nan("f16")
    if math.isinf(x):
        return converted("f32", "f16")(p)
    near = abs(rounded(Fraction(x), "f16")) if x else 0.0
    pattern = to_pattern(near, "f16")
    return pattern - (near > abs(x)) | (p >> 31) << 15


def normalized(source, signed):
    low, scale = (-1, 32767) if signed else (0, 65535)

    def meaning(p):
        x = to_float(p, source)
        if math.isnan(x):
            return 0
        return round(Fraction(min(max(x, low), 1)) * scale) & 0xFFFF

    return meaning


def pair(f, bits=16):
    return lambda x, y: f(x) | f(y) << bits


def byte_of(p, place, into):
    shift = 8 * (place % 4)
    return into & ~(255 << shift) | (integer("u8", "f32")(p) & 255) << shift


def bytes_of(x):
    halves = [v - (v >> 15 << 16) for v in (x & 0xFFFF, x >> 16)]
    return clamp(halves[0], "u8") | clamp(halves[1], "u8") << 8


def widened(dtype):
    table = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32).view(np.uint32)
    return lambda code: int(table[code & 255])


def narrowed(dtype, code=np.uint8):
    def meaning(p):
        x = np.array([p], np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            return int(x.astype(dtype).view(code)[0])

    return meaning


def stochastic(dtype, mantissa):
    """The number cut off to the two codes around it: the one above in as many of 2 ** n equal parts of the noise as it
    is near to it."""
    codes = np.arange(256, dtype=np.uint8)
    values = codes.view(dtype).astype(np.float64)
    finite = sorted((float(v), int(c)) for v, c in zip(values, codes, strict=True) if np.isfinite(v) and c < 128)
    numbers = [v for v, _ in finite]

    def meaning(p, noise):
        x = abs(to_float(p, "f32"))
        if not x < math.inf:
            return narrowed(dtype)(p)
        magnitude = (p & 0x7FFFFFFF) + (noise >> 32 - (23 - mantissa))
        y = to_float(magnitude & 0xFFFFFFFF, "f32") if magnitude < 0x7F800000 else math.inf
        if y >= 2 * numbers[-1] - numbers[-2]:  # a step past the greatest
            return narrowed(dtype)(p & 1 << 31 | 0x7F7FFFFF)
        code = finite[int(np.searchsorted(numbers, y, "right")) - 1][1]
        negative = p >> 31 and (code or dtype not in (ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz))
        return code | 0x80 if negative else code

    return meaning


def _integers():
    for source, kind in (
        ("f32", "i32"), ("f32", "u32"), ("f64", "i32"), ("f64", "u32"), ("f16", "i16"), ("f16", "u16"),
    ):  # fmt: skip
        yield Case(f"v_cvt_{kind}_{source}", source, kind, integer(kind, source))
    yield Case("v_cvt_flr_i32_f32", "f32", "i32", integer("i32", "f32", math.floor))
    yield Case("v_cvt_rpi_i32_f32", "f32", "i32", integer("i32", "f32", next_floor))
    for kind in ("i32", "u32"):
        for result in ("f32", "f64"):
            yield Case(f"v_cvt_{result}_{kind}", kind, result, number(result))
    for kind in ("i16", "u16"):
        yield Case(f"v_cvt_f16_{kind}", kind, "f16", number("f16"))
    for n in range(4):
        yield Case(f"v_cvt_f32_ubyte{n}", "u32", "f32", lambda x, n=n: number("f32")(x >> 8 * n & 255))
    yield Case("v_cvt_off_f32_i4", "u32", "f32", lambda x: number("f32")(Fraction((x & 15) - (x & 8) * 2, 16)))


def _pairs():
    for kind in ("f32", "f16"):
        for r in "iu":
            yield Case(f"v_cvt_pknorm_{r}16_{kind}", f"{kind} {kind}", "u32", pair(normalized(kind, r == "i")))
    for r in "iu":
        yield Case(f"v_cvt_norm_{r}16_f16", "f16", "u32", normalized("f16", r == "i"))
    yield Case("v_cvt_pk_u16_u32", "u32 u32", "u32", lambda x, y: clamp(x, "u16") | clamp(y, "u16") << 16)
    yield Case(
        "v_cvt_pk_i16_i32", "i32 i32", "u32", lambda x, y: clamp(x, "i16") & 0xFFFF | (clamp(y, "i16") & 0xFFFF) << 16
    )
    yield Case("v_sat_pk_u8_i16", "u32", "u32", bytes_of)
    yield Case("v_cvt_pk_u8_f32", "f32 u32 u32", "u32", byte_of)
    yield Case("v_cvt_pkaccum_u8_f32", "f32 u32", "u32", byte_of, old=True)
    yield Case("v_pack_b32_f16", "u16 u16", "u32", lambda x, y: x | y << 16)
    yield Case(
        "v_pack_b32_f16", "u16 u32", "u32", lambda x, y: x ^ 0x8000 | (y >> 16 & 0x7FFF) << 16,
        "v_pack_b32_f16 {d}, -{a}, |{b}| op_sel:[0,1,0]",
    )  # fmt: skip
    for kinds in (("f32", "f16"), ("f16", "f32"), ("f64", "f32"), ("f32", "f64")):
        yield Case("v_cvt_{1}_{0}".format(*kinds), kinds[0], kinds[1], converted(*kinds))


def _fp8(chip):
    for name, dtype in NARROW[chip].items():
        mantissa = {"fp8": 3, "bf8": 2}[name]
        up, down, spread = widened(dtype), narrowed(dtype), stochastic(dtype, mantissa)
        yield Case(f"v_cvt_f32_{name}", "u32", "f32", up)
        yield Case(
            f"v_cvt_f32_{name}", "u32", "f32", lambda x, up=up: up(x >> 16),
            f"v_cvt_f32_{name}_sdwa {{d}}, {{a}} src0_sel:BYTE_2",
        )  # fmt: skip
        for text, shift in (("", 0), ("_sdwa", 16)):
            body = f"v_cvt_pk_f32_{name}{text} v[36:37], {{a}}" + " src0_sel:WORD_1" * bool(text)
            for k in range(2):
                yield Case(
                    f"v_cvt_pk_f32_{name}", "u32", "f32", lambda x, up=up, s=shift + 8 * k: up(x >> s),
                    f"{body}\nv_mov_b32 {{d}}, v{36 + k}",
                )  # fmt: skip
        for high in (0, 1):
            keep = (
                (lambda x, y, old, f=down: old & 0xFFFF | f(x) << 16 | f(y) << 24)
                if high
                else lambda x, y, old, f=down: old & 0xFFFF0000 | f(x) | f(y) << 8
            )
            yield Case(
                f"v_cvt_pk_{name}_f32", "f32 f32", "u32", keep,
                f"v_cvt_pk_{name}_f32 {{d}}, {{a}}, {{b}}" + " op_sel:[0,0,1]" * high, old=True,
            )  # fmt: skip
        for k in range(4):
            text = f"v_cvt_sr_{name}_f32 {{d}}, {{a}}, {{b}} op_sel:[0,0,{k & 1},{k >> 1}]"
            yield Case(
                f"v_cvt_sr_{name}_f32", "f32 u32", "u32",
                lambda x, r, old, f=spread, s=8 * k: old & ~(255 << s) | f(x, r) << s, text, old=True,
            )  # fmt: skip


CASES = [*_integers(), *_pairs(), *_fp8("gfx942")]
LATER = [*_fp8("gfx950"), Case("v_cvt_f32_bf16", "u16", "f32", lambda x: x << 16)]
# Pairs of floats, of which each half is read by itself.
HALVES = {
    "v_cvt_pkrtz_f16_f32": ("gfx942", toward_zero, "f16"),
    "v_cvt_pk_f16_f32": ("gfx950", converted("f32", "f16"), "f16"),
    "v_cvt_pk_bf16_f32": ("gfx950", lambda p: narrowed(ml_dtypes.bfloat16, np.uint16)(p), "bf16"),
}


def _halves(name):
    _, f, kind = HALVES[name]
    for k in range(2):
        text = f"{name} v39, {{a}}, {{b}}\n" + (
            f"v_lshrrev_b32 {{d}}, {16 * k}, v39\nv_and_b32 {{d}}, 0xffff, {{d}}"
            if kind == "f16"
            else f"v_lshlrev_b32 {{d}}, {16 - 16 * k}, v39\nv_and_b32 {{d}}, 0xffff0000, {{d}}"
        )
        yield Case(
            name, "f32 f32", "f16" if kind == "f16" else "f32",
            (lambda x, y, k=k: f((x, y)[k])) if kind == "f16" else lambda x, y, k=k: f((x, y)[k]) << 16, text,
        )  # fmt: skip


ALL = {
    chip: [*base, *(c for n in HALVES if HALVES[n][0] == chip for c in _halves(n))]
    for chip, base in (("gfx942", CASES), ("gfx950", LATER))
}


def test_every_instruction_has_a_case():
    assert {c.name for cases in ALL.values() for c in cases} == vector_convert.TABLE.keys()


@pytest.mark.parametrize("chip", ALL)
def test_conversions(chip):
    for seed, part in enumerate(batches(ALL[chip])):
        assert Batch(part, chip, seed).check() == []


@pytest.mark.parametrize("chip", ALL)
def test_the_programs_are_legal(chip):
    assert "\n".join(assembles(Batch(part, chip, 0).text, chip) for part in batches(ALL[chip])).strip() == ""


def test_stochastic_rounding_has_the_right_mean():
    noise = (np.arange(64, dtype=np.uint64) << np.uint64(26)).astype(np.uint32)
    for x in (1.03, 1.96, 7.99, 100.0):
        code = run_program(
            "v_cvt_sr_fp8_f32 v1, v0, v2",
            {"v0": np.full(64, x, np.float32), "v2": noise, "v1": np.zeros(64, np.uint32)},
        )["v1"]
        got = code.astype(np.uint8).view(ml_dtypes.float8_e4m3fnuz).astype(np.float64)
        step = 2.0 ** (math.floor(math.log2(x)) - 3)
        assert abs(got.mean() - x) <= step / 64 and set(got) <= {x // step * step, x // step * step + step}


@pytest.mark.parametrize("chip", NARROW)
def test_saturating_fp8(chip):
    """With FP16_OVFL, what is too great is the greatest number, NaN stays NaN, and the wave stops at infinities."""
    on = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n"
    x = np.resize(
        np.array([1e30, -1e30, 460, 464.5, 470, -500, 250, 57345, 65000, -70000, 1.25, 0, np.nan], np.float32), 64
    )
    noise = np.full(64, 0xFFFFFFFF, np.uint32)
    for kind, t in NARROW[chip].items():
        most = float(ml_dtypes.finfo(t).max)
        want = np.clip(x, -most, most).astype(t)
        r = run_program(
            f"{on}v_cvt_pk_{kind}_f32 v0, v1, v1\nv_cvt_sr_{kind}_f32 v2, v1, v3",
            {"v1": x, "v0": 0, "v2": 0, "v3": noise},
            chip=chip,
        )
        got = (np.asarray(r["v0"]) & 255).astype(np.uint8).view(t)
        assert np.array_equal(got.astype(np.float32), want.astype(np.float32), equal_nan=True)
        random = (np.asarray(r["v2"]) & 255).astype(np.uint8).view(t).astype(np.float32)
        assert (np.isnan(random) == np.isnan(x)).all() and (np.abs(random[~np.isnan(x)]) <= most).all()
        if chip == "gfx950":
            r = run_program(f"{on}v_cvt_scalef32_pk_{kind}_f32 v0, v1, v1, 2.0", {"v1": x, "v0": 0}, chip=chip)
            got = (np.asarray(r["v0"]) & 255).astype(np.uint8).view(t)
            want = np.clip(x / 2, -most, most).astype(t)
            assert np.array_equal(got.astype(np.float32), want.astype(np.float32), equal_nan=True)
        with pytest.raises(AveError, match=r"\[X021\].*infinity"):
            run_program(f"{on}v_cvt_pk_{kind}_f32 v0, v1, v1", {"v1": np.full(64, np.inf, np.float32)}, chip=chip)


def test_references_of_this_file():
    assert (
        is_nan(toward_zero(0x7FC00000), "f16")
        and toward_zero(0x477FEFFF) == 0x7BFF
        and toward_zero(0x7F7FFFFF) == 0x7BFF
    )
