"""Vector float instructions against exact fractions, rounded once; divisions as compilers write them against the
quotient."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.vector_cases import (
    FORMATS,
    Batch,
    Case,
    assembles,
    batches,
    is_nan,
    rounded,
    to_float,
    to_pattern,
)  # fmt: skip

from avelang.base.errors import AveError
from avelang.sim.amdgcn import vector_float

KINDS = ("f16", "f32", "f64")


def nan(kind):
    bits, mantissa, _, _ = FORMATS[kind]
    return ((1 << bits - mantissa) - 1) << mantissa - 1


def signaling(x, kind):
    return is_nan(x, kind) and not x >> FORMATS[kind][1] - 1 & 1


def quieted(x, kind):
    return x | 1 << FORMATS[kind][1] - 1


def of(meaning, kind):
    """A meaning on patterns, from one on floats that are no NaN and gives a float of the format."""

    def out(*patterns):
        if any(is_nan(p, kind) for p in patterns):
            return nan(kind)
        got = meaning(*(to_float(p, kind) for p in patterns))
        return nan(kind) if math.isnan(got) else to_pattern(got, kind)

    return out


def infinite(*xs):
    return any(math.isinf(x) for x in xs)


def exact(x):
    return Fraction(x)


def add(x, y, kind):
    return (
        x + y
        if infinite(x, y)
        else rounded(exact(x) + exact(y), kind, x == 0 and y == 0 and math.copysign(1, x) + math.copysign(1, y) < 0)
    )


def negative(x, y):
    return math.copysign(1, x) * math.copysign(1, y) < 0


def mul(x, y, kind):
    return (
        x * y
        if infinite(x, y)
        else rounded(exact(x) * exact(y), kind, negative(x, y))
        if x and y
        else math.copysign(0.0, -1 if negative(x, y) else 1)
    )


def fma(x, y, z, kind):
    if infinite(x, y, z):
        return x * y + z if infinite(x, y) else z
    q = exact(x) * exact(y) + exact(z)
    out = rounded(q, kind, (x == 0 or y == 0) and z == 0 and negative(x, y) and math.copysign(1, z) < 0)
    return -0.0 if out == 0 and q < 0 else out


def small(out, q):
    return -0.0 if out == 0 and q < 0 else out


def mul_(x, y, kind):
    out = mul(x, y, kind)
    return math.copysign(out, -1 if negative(x, y) else 1) if not math.isnan(out) else out


def legacy(x, y):
    return 0.0 if x == 0 or y == 0 else mul_(x, y, "f32")


def extreme(x, y, kind, least):
    """Patterns in, a pattern out: the words of IEEE 754-2008's minNum and maxNum, and the manual's on zeros."""
    for v in (x, y):
        if signaling(v, kind):
            return quieted(v, kind)
    if is_nan(x, kind):
        return y
    if is_nan(y, kind):
        return x
    key = lambda v: (to_float(v, kind), math.copysign(1, to_float(v, kind)))  # noqa: E731
    return min(x, y, key=key) if least else max(x, y, key=key)


def extreme3(x, y, z, kind, least):
    return extreme(extreme(x, y, kind, least), z, kind, least)


def median(x, y, z, kind):
    if any(is_nan(v, kind) for v in (x, y, z)):
        return extreme3(x, y, z, kind, True)
    top = to_float(extreme3(x, y, z, kind, False), kind)
    if top == to_float(x, kind):
        return extreme(y, z, kind, False)
    return extreme(x, z, kind, False) if top == to_float(y, kind) else extreme(x, y, kind, False)


def propagating(least):
    def meaning(x, y, z):
        key = lambda v: (v, math.copysign(1, v))  # noqa: E731
        return (min if least else max)(x, y, z, key=key)

    return meaning


def whole(how):
    def meaning(x):
        return x if math.isinf(x) or x == 0 else math.copysign(float(how(x)), x)

    return meaning


def fraction(kind):
    def meaning(x):
        if math.isinf(x):
            return math.nan
        below = 1 - 2.0 ** -(FORMATS[kind][1] + 1)
        return min(rounded(exact(x) - math.floor(x), kind), below)

    return meaning


def mantissa(x):
    return x if math.isinf(x) else math.copysign(math.frexp(x)[0], x)


def exponent(kind):
    def meaning(p):
        x = to_float(p, kind)
        return 0 if math.isnan(x) or math.isinf(x) else math.frexp(x)[1] & (0xFFFF if kind == "f16" else 0xFFFFFFFF)

    return meaning


def ldexp(kind):
    def meaning(p, n):
        x = to_float(p, kind)
        if math.isnan(x):
            return nan(kind)
        if math.isinf(x) or x == 0:
            return p
        return to_pattern(math.copysign(rounded(exact(x) * Fraction(2) ** max(-5000, min(5000, n)), kind), x), kind)

    return meaning


def fixup(q, d, n, kind):
    bits, m, _, _ = FORMATS[kind]
    sign = 1 << bits - 1
    if is_nan(n, kind) or is_nan(d, kind):
        return nan(kind)
    x, y = abs(to_float(d, kind)), abs(to_float(n, kind))
    out = q & sign - 1
    if kind != "f16":
        out = min(out, to_pattern(math.inf, kind))
    if kind != "f16" and ((n & sign - 1) >> m) - ((d & sign - 1) >> m) < (-150 if kind == "f32" else -1075):
        out = 0
    if x == y and (x == 0 or math.isinf(x)):
        return nan(kind)
    if x == 0 or math.isinf(y):
        out = to_pattern(math.inf, kind)
    elif math.isinf(x) or y == 0:
        out = 0
    return out | (d ^ n) & sign


def cube(name):
    def meaning(x, y, z):
        ax, ay, az = abs(x), abs(y), abs(z)
        axis = 2 if az >= ax and az >= ay else 1 if ay >= ax else 0
        minus = (x, y, z)[axis] < 0
        if name == "id":
            return 2.0 * axis + minus
        if name == "sc":
            return [z if minus else -z, x, -x if minus else x][axis]
        if name == "tc":
            return [-y, -z if minus else z, -y][axis]
        return mul_((x, y, z)[axis], 2.0, "f32")

    return meaning


def unfused(x, y, z):
    product = mul_(x, y, "f16")
    return product + z if infinite(product, z) or math.isnan(product) else add(product, z, "f16")


def _all(kind):
    two, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
    names = {"add": lambda x, y: small_sum(x, y, kind), "mul": lambda x, y: mul_(x, y, kind)}
    if kind != "f64":
        names |= {"sub": lambda x, y: small_sum(x, -y, kind), "subrev": lambda x, y: small_sum(y, -x, kind)}
    for name, f in names.items():
        yield Case(f"v_{name}_{kind}", two, kind, of(f, kind))
    for n, least in (("min", True), ("max", False)):
        yield Case(f"v_{n}_{kind}", two, kind, lambda x, y, least=least: extreme(x, y, kind, least))
    for n, f in (("trunc", math.trunc), ("floor", math.floor), ("ceil", math.ceil), ("rndne", round)):
        yield Case(f"v_{n}_{kind}", kind, kind, of(whole(f), kind))
    yield Case(f"v_fract_{kind}", kind, kind, of(fraction(kind), kind))
    yield Case(f"v_frexp_mant_{kind}", kind, kind, of(mantissa, kind))
    yield Case(f"v_frexp_exp_{'i16' if kind == 'f16' else 'i32'}_{kind}", kind, "u32", exponent(kind))
    yield Case(f"v_ldexp_{kind}", f"{kind} {'i16' if kind == 'f16' else 'i32'}", kind, ldexp(kind), draw="small")
    if kind != "f16":
        yield Case(f"v_fma_{kind}", three, kind, of(lambda x, y, z: fma(x, y, z, kind), kind))
        yield Case(f"v_div_fixup_{kind}", three, kind, lambda q, d, n: fixup(q, d, n, kind))


def small_sum(x, y, kind):
    return add(x, y, kind)


def _halves():
    k, three = "f16", "f16 f16 f16"
    fused = of(lambda x, y, z: fma(x, y, z, k), k)
    steps = of(unfused, k)
    kept = {
        "fma": fused, "mad": steps, "div_fixup": lambda q, d, n: fixup(q, d, n, k),
        "min3": lambda *v: extreme3(*v, k, True),
        "max3": lambda *v: extreme3(*v, k, False), "med3": lambda *v: median(*v, k),
    }  # fmt: skip
    for name, f in kept.items():
        yield Case(f"v_{name}_f16", three, "h16", f)
    yield Case(
        "v_fma_f16", "f16 h32 f16", "h16", lambda x, y, z: fused(x, y >> 16, z),
        "v_fma_f16 {d}, {a}, {b}, {c} op_sel:[0,1,0,0]",
    )  # fmt: skip
    yield Case("v_fma_legacy_f16", three, k, fused)
    yield Case("v_mad_legacy_f16", three, k, steps)
    yield Case("v_div_fixup_legacy_f16", three, k, lambda q, d, n: fixup(q, d, n, k))
    yield Case("v_madmk_f16", "f16 f16", "h16", lambda x, y: steps(x, 0x4248, y), "v_madmk_f16 {d}, {a}, 0x4248, {b}")
    yield Case("v_madak_f16", "f16 f16", "h16", lambda x, y: steps(x, y, 0x4248), "v_madak_f16 {d}, {a}, {b}, 0x4248")
    yield Case("v_mac_f16", "f16 f16", "h16", lambda x, y, old: steps(x, y, old & 0xFFFF), old=True)


def _others():
    k, three = "f32", "f32 f32 f32"
    fused = of(lambda x, y, z: fma(x, y, z, k), k)
    for n, least in (("min", True), ("max", False)):
        yield Case(f"v_{n}3_f32", three, k, lambda x, y, z, least=least: extreme3(x, y, z, k, least))
    yield Case("v_med3_f32", three, k, lambda x, y, z: median(x, y, z, k))
    yield Case(
        "v_mul_legacy_f32", "f32 f32", k,
        lambda x, y: 0 if x << 1 & 0xFFFFFFFF == 0 or y << 1 & 0xFFFFFFFF == 0 else of(legacy, k)(x, y),
    )  # fmt: skip
    yield Case("v_fmac_f32", "f32 f32", k, fused, old=True)
    yield Case("v_fmac_f64", "f64 f64", "f64", of(lambda x, y, z: fma(x, y, z, "f64"), "f64"), old=True)
    yield Case(
        "v_fmamk_f32", "f32 f32", k, lambda x, y: fused(x, 0x40490FDB, y), "v_fmamk_f32 {d}, {a}, 0x40490fdb, {b}"
    )
    yield Case(
        "v_fmaak_f32", "f32 f32", k, lambda x, y: fused(x, y, 0x40490FDB), "v_fmaak_f32 {d}, {a}, {b}, 0x40490fdb"
    )
    for name in ("id", "sc", "tc", "ma"):
        yield Case(f"v_cube{name}_f32", three, k, of(cube(name), k), draw="numbers")


def quotient(x, y, kind):
    if math.isinf(x) or math.isinf(y) or x == 0 or y == 0:
        if (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
            return math.nan
        out = 0.0 if x == 0 or math.isinf(y) else math.inf
    else:
        out = abs(rounded(exact(x) / exact(y), kind))
    return -out if negative(x, y) else out


# What LLVM makes of `fdiv`, with the registers of each width.
DIVIDE = """v_div_scale_{k} {t0}, s[10:11], {b}, {b}, {a}
v_rcp_{k} {t1}, {t0}
v_div_scale_{k} {t2}, vcc, {a}, {b}, {a}
v_fma_{k} {t3}, -{t0}, {t1}, 1.0
v_fma_{k} {t1}, {t3}, {t1}, {t1}
{more}v_mul_{k} {t3}, {t2}, {t1}
v_fma_{k} {t0}, -{t0}, {t3}, {t2}
{again}v_div_fmas_{k} {t3}, {t0}, {t1}, {t3}
v_div_fixup_{k} {{d}}, {t3}, {b}, {a}"""


def divide(kind):
    regs = {f"t{n}": f"v{230 + n}" if kind == "f32" else f"v[{230 + 2 * n}:{231 + 2 * n}]" for n in range(4)}
    # f32 corrects the quotient once more; f64 corrects the reciprocal once more.
    again = "v_fma_f32 {t3}, {t0}, {t1}, {t3}\nv_mov_b32 v235, {t0}\n" if kind == "f32" else ""
    more = "v_fma_f64 {t3}, -{t0}, {t1}, 1.0\nv_fma_f64 {t1}, {t3}, {t1}, {t1}\n" if kind == "f64" else ""
    text = DIVIDE
    if kind == "f32":  # the scaled denominator must outlive the first residue
        text = text.replace(
            "v_fma_{k} {t0}, -{t0}, {t3}, {t2}\n{again}",
            "v_fma_{k} v235, -{t0}, {t3}, {t2}\nv_fma_{k} {t3}, v235, {t1}, {t3}\nv_fma_{k} {t0}, -{t0}, {t3}, {t2}\n",
        )
    return (
        text.replace("{{d}}", "{d}")
        .replace("{more}", more)
        .replace("{again}", again if kind == "f64" else "")
        .replace("{k}", kind)
        .format_map(_Keep(regs))
    )


class _Keep(dict):
    def __missing__(self, key):
        return "{" + key + "}"


def _division():
    for k in ("f32", "f64"):
        yield Case(
            f"v_div_scale_{k}", f"{k} {k}", k, of(lambda x, y, k=k: quotient(x, y, k), k), divide(k), draw="division"
        )
        yield Case(f"v_div_fmas_{k}", f"{k} {k}", k, of(lambda x, y, k=k: quotient(x, y, k), k), divide(k))


CASES = [*_all("f16"), *_halves(), *_all("f32"), *_others(), *_all("f64"), *_division()]
LATER = [Case(f"v_{n}imum3_f32", "f32 f32 f32", "f32", of(propagating(n == "min"), "f32")) for n in ("min", "max")]


def test_every_instruction_has_a_case():
    older = {f"v_{name}_f32" for name in ("mad", "mac", "madmk", "madak", "mad_legacy")}  # gfx90a's: test_gfx90a
    assert {c.name for c in CASES + LATER} | older == vector_float.TABLE.keys()


@pytest.mark.parametrize("part", range(len(batches(CASES))))
def test_gfx942(part):
    assert Batch(batches(CASES)[part], "gfx942", part).check() == []


def test_gfx950():
    assert Batch(LATER, "gfx950", 7).check() == []


def test_the_programs_are_legal():
    assert assembles("\n".join(Batch(part, "gfx942", 0).text for part in batches(CASES)), "gfx942") == ""
    assert assembles(Batch(LATER, "gfx950", 0).text, "gfx950") == ""


def test_without_ieee_mode_a_signaling_nan_gives_way():
    cases = [
        Case(
            "v_min_f32",
            "f32 f32",
            "f32",
            lambda x, y: extreme(
                quieted(x, "f32") if signaling(x, "f32") else x,
                quieted(y, "f32") if signaling(y, "f32") else y,
                "f32",
                True,
            ),
        )
    ]
    assert Batch(cases, "gfx942", 3, ieee=0).check() == []


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (0x000FFFFFFFFFFFFF, 0x3FEFFFFFFFFFFFFF),
        (0x8010000000000001, 0xBFFA4A74E49547DD),
        (0x0000000000000001, 0x4000000000000000),
    ],
)
def test_quotients_between_two_denormals(x, y):
    """Quotients in, or next to, the middle of two denormals: rounding the scaled sum twice would miss them."""
    x, y = (np.full((2, 64), [[v & 0xFFFFFFFF], [v >> 32]], np.uint32) for v in (x, y))
    out = run_program(divide("f64").format(d="v[4:5]", a="v[0:1]", b="v[2:3]"), {"v[0:1]": x, "v[2:3]": y})["v[4:5]"]
    a, b = (v.T.copy().view(np.float64) for v in (x, y))
    assert (out.T.copy().view(np.float64) == a / b).all()


def test_flushed_denormals():
    """Where MODE says so for f32, denormal operands and results are zeros."""
    x = np.full(64, 0x00400000, np.uint32)  # 2 ** -127
    out = run_program(
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_mul_f32 v1, 2.0, v0\nv_mul_f32 v2, 0.5, v3\nv_add_f16 v4, "
        "v5, v5",
        {"v0": x, "v3": np.full(64, 0x00800000, np.uint32), "v5": np.full(64, 3, np.uint32)},
    )
    assert (out["v1"] == 0).all() and (out["v2"] == 0).all() and (out["v4"] == 6).all()


def test_quotients_by_zero_where_mode_clamps_f16_are_not_guessed():
    with pytest.raises(AveError, match=r"\[X021\].*MODE"):
        run_program("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\nv_div_fixup_f16 v0, v1, v2, v3")


def test_f16_that_overflows_is_the_greatest_number_where_mode_says_so():
    """FP16_OVFL; infinities that come of infinities stay."""
    h = np.array([300, 60000, -60000, 65504, np.inf, -np.inf, 1, 0.5, 1024, 65504], np.float16)
    x, y = (np.resize(np.repeat(h, n), 64) for n in (1, len(h)))
    wide = np.resize(np.array([65519, 65520, 1e10, -1e10, np.inf, -np.inf, 70000, 3], np.float32), 64)
    body = """
        v_cvt_f16_f32 v5, v4
        v_add_f16 v6, v2, v3
        v_mul_f16 v7, v2, -v3
        v_fma_f16 v8, v2, v3, v2
        v_pk_mul_f16 v9, v2, v3
        v_pk_fma_f16 v10, v2, v3, v2
        v_fma_mixlo_f16 v11, v4, 1.0, 0
        v_cvt_f16_f32 v12, v4 clamp
    """
    given = {
        "v2": x.view(np.uint16).astype(np.uint32), "v3": y.view(np.uint16).astype(np.uint32),
        "v4": wide.view(np.uint32), "v11": 0,
    }  # fmt: skip
    got = run_program(body, given, directives=".amdhsa_fp16_overflow 1\n.amdhsa_float_denorm_mode_32 3")
    a, b = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(all="ignore"):
        exact = {
            "v5": wide.astype(np.float64), "v6": a + b, "v7": -(a * b), "v8": a * b + a, "v9": a * b, "v10": a * b + a,
            "v11": wide.astype(np.float64),
        }  # fmt: skip
        for name, value in exact.items():
            rounded = value.astype(np.float16)
            want = np.where(np.isinf(rounded) & np.isfinite(value), np.copysign(65504.0, value), rounded).astype(
                np.float16
            )
            have = (got[name] & 0xFFFF).astype(np.uint16).view(np.float16)
            assert ((have == want) | (np.isnan(have) & np.isnan(want))).all(), name
    assert ((got["v12"] & 0xFFFF).astype(np.uint16).view(np.float16) == np.clip(wide, 0, 1)).all()
