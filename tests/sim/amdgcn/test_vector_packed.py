"""Packed math and dot products against Python's integers and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.test_vector_float import extreme, fma, infinite, mul_, nan, of, propagating, small_sum
from tests.sim.amdgcn.test_vector_int import clamped, signed
from tests.sim.amdgcn.vector_cases import Batch, Case, assembles, batches, is_nan, rounded, to_float, to_pattern

from avelang.base.errors import AveError
from avelang.sim.amdgcn import vector_packed

M16 = 0xFFFF


def half(x, k):
    return x >> 16 * k & M16


def integers(f, kind):
    """f on the signed or unsigned halves."""

    def part(*xs):
        return f(*(signed(x, 16) if kind[0] == "i" else x for x in xs)) & M16

    return lambda *xs: part(*(half(x, 0) for x in xs)) | part(*(half(x, 1) for x in xs)) << 16


def _integers():
    add, sub, mad = (lambda x, y: x + y), (lambda x, y: x - y), (lambda x, y, z: x * y + z)
    for k in ("i16", "u16"):
        for name, f in (("add", add), ("sub", sub), ("mad", mad)):
            n = 3 if name == "mad" else 2
            sources, operands = " ".join(["u32"] * n), ", ".join(("{a}", "{b}", "{c}")[:n])
            yield Case(f"v_pk_{name}_{k}", sources, "u32", integers(f, k))
            yield Case(
                f"v_pk_{name}_{k}", sources, "u32", integers(lambda *v, f=f, k=k: clamped(f(*v), k), k),
                f"v_pk_{name}_{k} {{d}}, {operands} clamp",
            )  # fmt: skip
        for name, f in (("min", min), ("max", max)):
            yield Case(f"v_pk_{name}_{k}", "u32 u32", "u32", integers(f, k))
    crossed = "v_pk_add_u16 {d}, {a}, {b} op_sel:[1,0] op_sel_hi:[0,1]"
    yield Case(
        "v_pk_add_u16", "u32 u32", "u32", lambda x, y: integers(add, "u16")(x >> 16 | (x & M16) << 16, y), crossed
    )
    yield Case("v_pk_mul_lo_u16", "u32 u32", "u32", integers(lambda x, y: x * y, "u16"))
    yield Case("v_pk_lshlrev_b16", "u32 u32", "u32", integers(lambda n, x: x << n % 16, "u16"))
    yield Case("v_pk_lshrrev_b16", "u32 u32", "u32", integers(lambda n, x: x >> n % 16, "u16"))
    yield Case("v_pk_ashrrev_i16", "u32 u32", "u32", integers(lambda n, x: x >> n % 16, "i16"))


def dot(bits, s):
    def value(x):
        return signed(x, bits) if s == "i" else x & (1 << bits) - 1

    return lambda x, y, z: sum(value(x >> k) * value(y >> k) for k in range(0, 32, bits)) + z


def _dots():
    for bits, s in ((b, s) for b in (16, 8, 4) for s in "iu"):
        name, f = f"v_dot{32 // bits}_{s}32_{s}{bits}", dot(bits, s)
        yield Case(name, f"u32 u32 {s}32", "u32", f)
        yield Case(
            name, f"u32 u32 {s}32", "u32", lambda x, y, z, f=f, s=s: clamped(f(x, y, z), f"{s}32"),
            name + " {d}, {a}, {b}, {c} clamp",
        )  # fmt: skip
        if s == "i":
            yield Case(
                f"v_dot{32 // bits}c_i32_i{bits}", "u32 u32", "u32", lambda x, y, z, f=f: f(x, y, signed(z, 32)),
                old=True,
            )  # fmt: skip
    for name, old in (("v_dot2_f32_f16", False), ("v_dot2c_f32_f16", True)):
        yield Case(name, "h32 h32" + " f32" * (not old), "f32", lambda x, y, z: dot_f16(x, y, z), old=old)
    yield Case(
        "v_dot2_f32_f16", "h32 h32 f32", "f32", lambda x, y, z: dot_f16(x ^ 0x8000, y, z),
        "v_dot2_f32_f16 {d}, {a}, {b}, {c} neg_lo:[1,0,0]",
    )  # fmt: skip


def step(x, y, z, kind):
    """z + x * y in f32, the product exact."""
    if is_nan(z, "f32") or any(is_nan(v, kind) for v in (x, y)):
        return nan("f32")
    got = fma(to_float(x, kind), to_float(y, kind), to_float(z, "f32"), "f32")
    return nan("f32") if math.isnan(got) else to_pattern(got, "f32")


def dot_f16(x, y, z):
    for k in range(2):
        z = step(half(x, k), half(y, k), z, "f16")
    return z


def bf16(x, k):
    return half(x, k) << 16


def dot_bf16_after(x, y, z):
    total = step(bf16(x, 0), bf16(y, 0), 1 << 31, "f32")
    total = step(bf16(x, 1), bf16(y, 1), total, "f32")
    return step(0x3F800000, z, total, "f32")


def dot_bf16(x, y, z):
    for k in range(2):
        z = step(bf16(x, k), bf16(y, k), z, "f32")
    return z


def _halves():
    """Each half of the result by itself, in the lower half of the destination; the other half of v39 goes with it."""
    sum16, product = of(lambda x, y: small_sum(x, y, "f16"), "f16"), of(lambda x, y: mul_(x, y, "f16"), "f16")
    fused = of(lambda x, y, z: fma(x, y, z, "f16"), "f16")
    names = {
        "add": (2, sum16), "mul": (2, product), "fma": (3, fused), "min": (2, lambda x, y: extreme(x, y, "f16", True)),
        "max": (2, lambda x, y: extreme(x, y, "f16", False)),
    }  # fmt: skip
    for name, (n, f) in names.items():
        operands = ", ".join(("{a}", "{b}", "{c}")[:n])
        for k in range(2):
            text = (
                f"v_pk_{name}_f16 v39, {operands}\nv_lshrrev_b32 {{d}}, {16 * k}, v39\nv_and_b32 {{d}}, 0xffff, {{d}}"
            )
            yield Case(
                f"v_pk_{name}_f16", " ".join(["h32"] * n), "f16", lambda *v, f=f, k=k: f(*(half(x, k) for x in v)), text
            )
    for k in range(2):
        text = (
            f"v_mov_b32 v39, {{c}}\nv_pk_fmac_f16 v39, {{a}}, {{b}}\nv_lshrrev_b32 {{d}}, {16 * k}, v39\n"
            f"v_and_b32 {{d}}, 0xffff, {{d}}"
        )
        yield Case("v_pk_fmac_f16", "h32 h32 h32", "f16", lambda *v, k=k: fused(*(half(x, k) for x in v)), text)
        mods = " op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]"
        text = (
            f"v_pk_add_f16 v39, {{a}}, {{b}}{mods}\nv_lshrrev_b32 {{d}}, {16 * k}, v39\nv_and_b32 {{d}}, 0xffff, {{d}}"
        )
        meaning = (
            (lambda x, y: sum16(half(x, 1) ^ 0x8000, half(y, 0)))
            if k == 0
            else lambda x, y: sum16(half(x, 0), half(y, 1) ^ 0x8000)
        )
        yield Case("v_pk_add_f16", "h32 h32", "f16", meaning, text)
    yield Case(
        "v_fma_mixlo_f16", "f32 h32 f32", "h16", lambda x, y, z: mixed_half(x, half(y, 1), z),
        "v_fma_mixlo_f16 {d}, {a}, {b}, {c} op_sel:[0,1,0] op_sel_hi:[0,1,0]",
    )  # fmt: skip
    text = "v_mov_b32 v39, 0\nv_fma_mixhi_f16 v39, {a}, {b}, {c} op_sel_hi:[0,1,0]\nv_lshrrev_b32 {d}, 16, v39"
    yield Case("v_fma_mixhi_f16", "f32 h32 f32", "f16", lambda x, y, z: mixed_half(x, half(y, 0), z), text)
    text = "v_fma_mix_f32 {d}, {a}, -{b}, |{c}| op_sel:[0,1,0] op_sel_hi:[0,1,0]"
    yield Case(
        "v_fma_mix_f32", "f32 h32 f32", "f32", lambda x, y, z: mixed(x, half(y, 1) ^ 0x8000, z & 0x7FFFFFFF), text
    )


def mixed(x, y, z):
    if is_nan(x, "f32") or is_nan(y, "f16") or is_nan(z, "f32"):
        return nan("f32")
    got = fma(to_float(x, "f32"), to_float(y, "f16"), to_float(z, "f32"), "f32")
    return nan("f32") if math.isnan(got) else to_pattern(got, "f32")


def mixed_half(x, y, z):
    got = to_float(mixed(x, y, z), "f32")
    if math.isnan(got):
        return nan("f16")
    return to_pattern(got if infinite(got) or got == 0 else math.copysign(rounded(Fraction(got), "f16"), got), "f16")


def word(x, k):
    return x >> 32 * k & 0xFFFFFFFF


def _wide():
    """Pairs of f32: each register of the result by itself."""
    k = "f32"
    names = {
        "add": (2, of(lambda x, y: small_sum(x, y, k), k)), "mul": (2, of(lambda x, y: mul_(x, y, k), k)),
        "fma": (3, of(lambda x, y, z: fma(x, y, z, k), k)),
    }  # fmt: skip
    for name, (n, f) in names.items():
        operands = ", ".join(("{a}", "{b}", "{c}")[:n])
        for part in range(2):
            text = f"v_pk_{name}_f32 v[36:37], {operands}\nv_mov_b32 {{d}}, v{36 + part}"
            yield Case(
                f"v_pk_{name}_f32", " ".join(["p64"] * n), k, lambda *v, f=f, p=part: f(*(word(x, p) for x in v)), text
            )
    for part in range(2):
        text = (
            f"v_pk_mul_f32 v[36:37], {{a}}, {{b}} op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0]\n"
            f"v_mov_b32 {{d}}, v{36 + part}"
        )
        product = names["mul"][1]
        meaning = (
            (lambda x, y: product(word(x, 1) ^ 1 << 31, word(y, 0)))
            if part == 0
            else lambda x, y: product(word(x, 0), word(y, 1))
        )
        yield Case("v_pk_mul_f32", "p64 p64", k, meaning, text)
    yield Case(
        "v_pk_mov_b32", "u64 u64", "u64", lambda x, y: word(x, 1) | word(y, 0) << 32,
        "v_pk_mov_b32 {d}, {a}, {b} op_sel:[1,0]",
    )  # fmt: skip


def _gfx950():
    for name, least in (("min", True), ("max", False)):
        f = of(propagating(least), "f16")
        for k in range(2):
            text = (
                f"v_pk_{name}imum3_f16 v39, {{a}}, {{b}}, {{c}}\nv_lshrrev_b32 {{d}}, {16 * k}, v39\n"
                f"v_and_b32 {{d}}, 0xffff, {{d}}"
            )
            yield Case(
                f"v_pk_{name}imum3_f16", "h32 h32 h32", "f16", lambda *v, f=f, k=k: f(*(half(x, k) for x in v)), text
            )
    yield Case("v_dot2_f32_bf16", "n32 n32 f32", "f32", dot_bf16_after)
    yield Case("v_dot2c_f32_bf16", "n32 n32", "f32", dot_bf16, old=True)


CASES = [*_integers(), *_dots(), *_halves(), *_wide()]
LATER = [*_gfx950()]


def test_every_instruction_has_a_case():
    assert {c.name for c in CASES + LATER} == vector_packed.TABLE.keys()


@pytest.mark.parametrize("part", range(len(batches(CASES))))
def test_gfx942(part):
    assert Batch(batches(CASES)[part], "gfx942", part).check() == []


def test_gfx950():
    assert Batch(LATER, "gfx950", 7).check() == []


def test_the_programs_are_legal():
    assert assembles("\n".join(Batch(part, "gfx942", 0).text for part in batches(CASES)), "gfx942") == ""
    assert assembles(Batch(LATER, "gfx950", 0).text, "gfx950") == ""


def test_clamp_where_it_has_no_meaning_stops():
    with pytest.raises(AveError, match=r"\[X021\].*clamp"):
        run_program("v_pk_mul_lo_u16 v0, v1, v2 clamp")


def test_signs_of_bf16_halves():
    rng = np.random.default_rng(2)
    x, y = (rng.standard_normal((64, 2)).astype(ml_dtypes.bfloat16) for _ in range(2))
    z = rng.standard_normal(64).astype(np.float32)
    given = {"v0": x.view(np.uint32)[:, 0], "v1": y.view(np.uint32)[:, 0], "v2": z}
    r = run_program("v_dot2_f32_bf16 v3, v0, v1, v2 neg_lo:[1,0,0] neg_hi:[0,1,0]", given, chip="gfx950")
    a, b = x.astype(np.float64), y.astype(np.float64)
    want = -a[:, 0] * b[:, 0] - a[:, 1] * b[:, 1] + z
    assert np.allclose(r["v3"].view(np.float32), want, rtol=1e-6, atol=1e-6)


def test_constants_of_bf16():
    """LLVM writes <2.0, 0.0> as the constant 2.0."""
    x = np.array([3.0, 5.0], ml_dtypes.bfloat16).view(np.uint32)[0]
    given = {"v0": np.full(64, x), "v1": np.ones(64, np.float32), "v2": np.ones(64, np.float32)}
    text = """
    v_dot2c_f32_bf16 v1, 2.0, v0
    v_dot2_f32_bf16 v3, v0, -4.0, v2
    v_dot2_f32_bf16 v4, v0, -0.5, v2 neg_lo:[0,1,0]
    """
    assert assembles(text, "gfx950") == ""
    r = run_program(text, given, chip="gfx950")
    for name, want in (("v1", 7.0), ("v3", -11.0), ("v4", 2.5)):
        assert (r[name].view(np.float32) == want).all(), name


@pytest.mark.parametrize("mode,want", [(0, 0x00000000), (2, 0x00040004), (3, 0x04030403)])
def test_the_old_value_of_packed_sums_is_flushed(mode, want):
    """2 ** -22 and a denormal, which is 0 where MODE flushes operands."""
    given = {"v0": np.full(64, 0x10001000, np.uint32), "v1": np.full(64, 0x03FF03FF, np.uint32)}
    text = "v_pk_fma_f16 v2, v0, v0, v1\nv_pk_fmac_f16 v1, v0, v0"
    r = run_program(text, given, directives=f".amdhsa_float_denorm_mode_16_64 {mode}")
    assert (r["v1"] == want).all() and (r["v2"] == want).all()
