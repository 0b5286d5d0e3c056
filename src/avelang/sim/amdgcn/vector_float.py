"""Handlers of vector instructions on floats: arithmetic, extremes, rounding, parts of floats, and the steps of a
division.

f16 is computed in f32: sums, products, quotients and roots that are rounded twice that way are rounded right. Results
of several operations are what the manual's text says, step by step; where it leaves a result open (NaN's payload), the
host's is taken.
"""

from __future__ import annotations

from avelang.amdgcn.asm import VCC, MCInst
from avelang.llvm.vectors import FLOAT, Bool, Ops, function
from avelang.sim.amdgcn.translator import BlockTranslator, Handler
from avelang.sim.amdgcn.vector import Rule, binary, intrinsic, put, row

MANTISSA = {16: 10, 32: 23, 64: 52}


class FloatLayout:
    """Numbers of a float format: of its bits, and of its exponents."""

    def __init__(self, bits: int):
        self.bits, self.mantissa = bits, MANTISSA[bits]
        self.ones = (1 << bits - 1 - self.mantissa) - 1  # the greatest exponent field
        self.bias = self.ones >> 1
        self.infinity = self.ones << self.mantissa
        self.quiet = 1 << self.mantissa - 1
        self.sign = 1 << bits - 1
        self.magnitude = self.sign - 1


def exponent(o: Ops, x: str) -> str:
    """The exponent field, an integer as wide as the float."""
    f, b = FloatLayout(o.bits), o.ints
    return b("and", b("lshr", o.pattern(x), f.mantissa), f.ones)


def absolute(o: Ops, x: str) -> str:
    """The magnitude of floats."""
    return o.fn("fabs", x)


def fused(o: Ops, x: str, y: str, z: str) -> str:
    """x * y + z, rounded once."""
    if o.e != "half":
        return o.fn("fma", x, y, z)
    f = o.at("float")
    x, y, z = (o.to("float", "fpext", v) for v in (x, y, z))
    return function(o.t, "ave_fused_half", "half", lambda *v: f.to("half", "fptrunc", _odd_sum(f, f("fmul", v[0], v[1]),
        v[2])),
                    ("float", x), ("float", y), ("float", z))  # fmt: skip


def _odd_sum(o: Ops, x: str, y: str) -> str:
    """x + y rounded to odd, so that rounding it again to fewer bits is as if rounding the exact sum."""
    total = o("fadd", x, y)
    part = o("fsub", total, x)
    error = o("fadd", o("fsub", x, o("fsub", total, part)), o("fsub", y, part))
    return odd(o, total, error)


def odd(o: Ops, near: str, error: str) -> str:
    """Rounding to odd, from the value rounded to nearest and the sign of its error."""
    b, both = o.ints, Bool(o.t)
    inexact = o.cmp("one", error, 0.0)
    away = both("and", inexact, b.cmp("slt", b("xor", o.pattern(near), o.pattern(error)), 0))
    down = o.t.op(f"sext {both.v} {away} to {b.v}")
    lost = o.t.op(f"zext {both.v} {inexact} to {b.v}")
    return o.number(b("or", b("add", o.pattern(near), down), lost))


# -- extremes ----------------------------------------------------------------------------------------------------------


def _nans(o: Ops, x: str, ieee: bool) -> tuple[str, str]:
    """Of patterns: which are NaNs, and which of these signal."""
    f = FloatLayout(o.bits)
    nan = o.cmp("ugt", o("and", x, f.magnitude), f.infinity)
    signals = Bool(o.t)("and", nan, o.cmp("eq", o("and", x, f.quiet), 0)) if ieee else ""
    return nan, signals


def _extreme(b: Ops, x: str, y: str, least: bool, ieee: bool) -> str:
    """The smaller or greater of two patterns of floats: -0 is less than 0, a number wins over a quiet NaN, a signaling
    NaN over all."""
    f = FloatLayout(b.bits)
    keys = [b("xor", v, b("lshr", b("ashr", v, f.bits - 1), 1)) for v in (x, y)]
    out = b.select(b.cmp("slt" if least else "sgt", *keys), x, y)
    nans = [_nans(b, v, ieee) for v in (x, y)]
    out = b.select(nans[1][0], x, out)
    out = b.select(nans[0][0], y, out)
    if ieee:
        for v, (_, signals) in ((y, nans[1]), (x, nans[0])):
            out = b.select(signals, b("or", v, f.quiet), out)
    return out


def extreme(o: Ops, name: str, x: str, y: str) -> str:
    """v_min or v_max of two floats."""
    ieee = o.t.mode.ieee
    b = o.ints
    pairs = (b.e, o.pattern(x)), (b.e, o.pattern(y))
    return o.number(
        function(
            o.t,
            f"ave_{name}_{o.e}{'_ieee' if ieee else ''}",
            b.e,
            lambda p, q: _extreme(b, p, q, name == "min", ieee),
            *pairs,
        )
    )


def _extreme3(name: str) -> Rule:
    return lambda o, x, y, z: extreme(o, name, extreme(o, name, x, y), z)


def _median(o: Ops, x: str, y: str, z: str) -> str:
    """The middle one; with a NaN, the least."""
    top = _extreme3("max")(o, x, y, z)
    rest = {v: extreme(o, "max", *(u for u in (x, y, z) if u is not v)) for v in (x, y, z)}
    out = o.select(o.cmp("oeq", top, y), rest[y], rest[z])
    out = o.select(o.cmp("oeq", top, x), rest[x], out)
    nan = Bool(o.t)("or", o.cmp("uno", x, y), o.cmp("uno", z, z))
    return o.select(nan, _extreme3("min")(o, x, y, z), out)


def _extremes(bits: int) -> dict[str, Handler]:
    k, e = f"f{bits}", FLOAT[bits]
    found = {
        f"v_{m}_{k}": row(lambda o, x, y, m=m: extreme(o, m, x, y), f"{k} {k}", k, compute=e) for m in ("min", "max")
    }
    if bits < 64:
        found |= {f"v_{m}3_{k}": row(_extreme3(m), f"{k} {k} {k}", k, compute=e) for m in ("min", "max")}
        found[f"v_med3_{k}"] = row(_median, f"{k} {k} {k}", k, compute=e, far=True)
    return found


# -- parts of floats ---------------------------------------------------------------------------------------------------


def _fraction(bits: int) -> Rule:
    """x - floor(x), less than 1 even where that rounds up."""
    below = 1 - 2.0 ** -(MANTISSA[bits] + 1)

    def rule(o: Ops, x: str) -> str:
        part = o("fsub", x, o.fn("floor", x))
        return o.select(o.cmp("ogt", part, below), below, part)

    return rule


def _normal(o: Ops, x: str) -> tuple[str, str]:
    """Patterns of doubles with denormals made normal, and what that added to the exponent."""
    b = o.ints
    tiny = b.cmp("eq", exponent(o, x), 0)
    return o.pattern(o.select(tiny, o("fmul", x, 2.0**54), x)), b.select(tiny, 54, 0)


def _frexp_exponent(o: Ops, x: str) -> str:
    """The exponent of a number as C's frexp gives it: a fraction of 0.5 up to 1 times a power of 2; 0 for 0, infinities
    and NaN."""
    d, b = o.at("double"), o.at("i64")
    x = o.to("double", "fpext", x)
    pattern, up = _normal(d, x)
    value = b("sub", b("and", b("lshr", pattern, 52), 0x7FF), b("add", up, 1022))
    none = Bool(o.t)("or", d.cmp("ueq", absolute(d, x), float("inf")), d.cmp("oeq", x, 0.0))
    return b.select(none, 0, value)


def _frexp_mantissa(o: Ops, x: str) -> str:
    d, b = o.at("double"), o.at("i64")
    wide = o.to("double", "fpext", x)
    pattern, _ = _normal(d, wide)
    value = b("or", b("and", pattern, 0x800FFFFFFFFFFFFF - (1 << 64)), 1022 << 52)
    none = Bool(o.t)("or", d.cmp("ueq", absolute(d, wide), float("inf")), d.cmp("oeq", wide, 0.0))
    return d.to(o.e, "fptrunc", d.select(none, wide, d.number(value)))


def _frexp(bits: int) -> dict[str, Handler]:
    k, e = f"f{bits}", FLOAT[max(bits, 32)]
    kind = "i16" if bits == 16 else "i32"

    def handler(t: BlockTranslator, i: MCInst) -> None:
        x = Ops(t, FLOAT[bits]).to(e, "fpext", t.float_at(i, 1, bits))
        value = function(t, f"ave_frexp_exponent_{e}", "i64", lambda v: _frexp_exponent(Ops(t, e), v), (e, x))
        put(t, i, value, kind, "i64")

    return {f"v_frexp_exp_{kind}_{k}": handler, f"v_frexp_mant_{k}": row(_frexp_mantissa, k, k, compute=e, far=True)}


def power(o: Ops, n: str) -> str:
    """2 ** n as a float, from integers as wide as it, in the range of its normal numbers."""
    f, b = FloatLayout(o.bits), o.ints
    return o.number(b("shl", b("add", n, f.bias), f.mantissa))


def ldexp(bits: int) -> Rule:
    """x * 2 ** n, rounded once: f16 and f32 are scaled in a wider format, f64 in steps that stay clear of denormals up
    to the last."""
    limit, steps = {16: (120, 0), 32: (600, 0), 64: (2200, 2)}[bits]

    def rule(o: Ops, x: str, n: str) -> str:
        b, both = o.ints, Bool(o.t)
        n = o.at("i16" if bits == 16 else "i32").to(b.e, "sext", n)
        n = b.fn("smin", b.fn("smax", n, -limit), limit)
        for _ in range(steps):
            far = both("or", b.cmp("slt", n, -1022), b.cmp("sgt", n, 1023))
            step = b.select(far, b.fn("smin", b.fn("smax", n, -969), 1023), 0)
            x, n = o("fmul", x, power(o, step)), b("sub", n, step)
        n = b.fn("smin", b.fn("smax", n, -1022), 1023) if steps else n
        return o("fmul", x, power(o, n))

    return rule


# -- division ----------------------------------------------------------------------------------------------------------

# Of v_div_scale: the difference of exponents from which a quotient may overflow, the exponent of tiny numerators, and
# the scale's exponent.
SCALES = {32: (96, 23, 64), 64: (768, 53, 128)}


def _denormal(o: Ops, x: str) -> str:
    f, b = FloatLayout(o.bits), o.ints
    return b.cmp("ult", b("add", b("and", o.pattern(x), f.magnitude), -1), (1 << f.mantissa) - 1)


def _div_cases(o: Ops, denominator: str, numerator: str) -> dict[str, str]:
    big, tiny, _ = SCALES[o.bits]
    b, both = o.ints, Bool(o.t)
    e1, e2 = exponent(o, denominator), exponent(o, numerator)
    return {
        "zero": both("or", o.cmp("oeq", denominator, 0.0), o.cmp("oeq", numerator, 0.0)),
        "big": b.cmp("sge", b("sub", e2, e1), big), "denominator": _denormal(o, denominator),
        "inverse": _denormal(o, o("fdiv", 1.0, denominator)),
        "quotient": _denormal(o, o("fdiv", numerator, denominator)), "tiny": b.cmp("sle", e2, tiny),
    }  # fmt: skip


def _div_scale(o: Ops, x: str, denominator: str, numerator: str) -> str:
    """S0 scaled by 2 ** (64 or -64), or not. Where both 1 / S1 and S2 / S1 are denormal, the manual's text scales S1
    up, which overflows; S1 is scaled down here, as in the case without the denormal quotient: only so do v_div_fmas and
    v_div_fixup come to the quotient."""
    both, scale = Bool(o.t), SCALES[o.bits][2]
    c = _div_cases(o, denominator, numerator)
    up, down = 2.0**scale, 2.0**-scale
    is_denominator, is_numerator = o.cmp("oeq", x, denominator), o.cmp("oeq", x, numerator)
    factor = o.select(c["tiny"], up, 1.0)
    factor = o.select(c["quotient"], o.select(is_numerator, up, 1.0), factor)
    factor = o.select(c["inverse"], o.select(both("and", c["quotient"], both.no(is_denominator)), 1.0, down), factor)
    factor = o.select(c["denominator"], up, factor)
    factor = o.select(c["big"], o.select(is_denominator, up, 1.0), factor)
    return o.select(c["zero"], float("nan"), o("fmul", x, factor))


def _div_flag(o: Ops, denominator: str, numerator: str) -> str:
    """Which quotients v_div_fmas must scale back, as 0 or 1."""
    both = Bool(o.t)
    c = _div_cases(o, denominator, numerator)
    flag = both("or", c["big"], both("and", c["quotient"], both.no(c["denominator"])))
    return o.t.op(f"zext {both.v} {both('and', flag, both.no(c['zero']))} to {o.t.t('i8')}")


def _scaler(t: BlockTranslator, i: MCInst) -> None:
    bits = int(i.name[-2:])
    o = Ops(t, FLOAT[bits])
    x, y, z = (t.float_at(i, n, bits) for n in (2, 3, 4))
    value = function(t, f"ave_div_scale_{o.e}", o.e, lambda *v: _div_scale(o, *v), (o.e, x), (o.e, y), (o.e, z))
    flag = function(t, f"ave_div_flag_{o.e}", "i8", lambda *v: _div_flag(o, *v), (o.e, y), (o.e, z))
    t.float_result(i, value, bits)
    t.mask_result_at(i, o.at("i8").cmp("ne", flag, 0))


def _fmas32(o: Ops, x: str, y: str, z: str, scale: str) -> str:
    """(x * y + z) * scale in double, where the product is exact, rounded once."""
    d = o.at("double")
    x, y, z, scale = (o.to("double", "fpext", v) for v in (x, y, z, scale))
    return d.to("float", "fptrunc", d("fmul", _odd_sum(d, d("fmul", x, y), z), scale))


def _fmas64(o: Ops, x: str, y: str, z: str, scale: str) -> str:
    """The same in double. Scaling rounds only where its result is denormal; where the sum then stands in the middle of
    two results, the error that was made in it says which one is nearer. The error comes from exact sums."""
    both = Bool(o.t)
    near = o.fn("fma", x, y, z)
    high = o("fmul", x, y)
    low = o.fn("fma", x, y, o("fneg", high))

    def two(a: str, b: str) -> tuple[str, str]:
        total = o("fadd", a, b)
        part = o("fsub", total, a)
        return total, o("fadd", o("fsub", a, o("fsub", total, part)), o("fsub", b, part))

    u, rest = two(z, low)
    v, more = two(high, u)
    error = o("fadd", o("fadd", o("fsub", v, near), more), rest)
    scaled = o("fmul", near, scale)
    beyond = o("fsub", near, o("fdiv", scaled, scale))
    middle = o.cmp("oeq", absolute(o, beyond), 2.0 ** (SCALES[64][2] - 1075))
    further = both(
        "and", middle, o.cmp("one", error, 0.0),
        both.no(both("xor", o.cmp("olt", error, 0.0), o.cmp("olt", beyond, 0.0))),
    )  # fmt: skip
    return o.select(further, o("fadd", scaled, o.fn("copysign", 2.0**-1074, beyond)), scaled)


def _fmas(t: BlockTranslator, i: MCInst) -> None:
    """Fused multiply-add; in the lanes of VCC scaled by 2 ** 64 (f64: 128) or its inverse, as the quotient (S2) is at
    least 2 or not: the way that v_div_scale went, taken back."""
    bits = int(i.name[-2:])
    o, power_of = Ops(t, FLOAT[bits]), SCALES[bits][2]
    x, y, z = (t.float_at(i, n, bits) for n in (1, 2, 3))
    large = o.ints.cmp("ugt", exponent(o, z), FloatLayout(bits).bias)
    scale = o.select(t.lanes_of(t.pair(VCC)), o.select(large, 2.0**power_of, 2.0**-power_of), 1.0)
    rule = _fmas32 if bits == 32 else _fmas64
    t.float_result(
        i, function(t, f"ave_div_fmas_{o.e}", o.e, lambda *v: rule(o, *v), *((o.e, v) for v in (x, y, z, scale))), bits
    )


def _div_fixup(o: Ops, quotient: str, denominator: str, numerator: str) -> str:
    """The quotient S0 with the sign of S2 / S1, or what S2 / S1 is where it is no ordinary number. What overflowed on
    the way (S0 is infinite or NaN; the manual's text has S1 there, where no such number is left) is infinite."""
    f, b, both = FloatLayout(o.bits), o.ints, Bool(o.t)
    d, n = o.pattern(denominator), o.pattern(numerator)
    sign = b("and", b("xor", d, n), f.sign - (1 << o.bits))
    dm, nm = b("and", d, f.magnitude), b("and", n, f.magnitude)
    out = b("and", o.pattern(quotient), f.magnitude)
    if o.bits > 16:
        out = b.fn("umin", out, f.infinity)
        least = -150 if o.bits == 32 else -1075
        below = b.cmp("slt", b("sub", exponent(o, numerator), exponent(o, denominator)), least)
        out = b.select(below, 0, out)  # less than half of the least number: rounds to 0
    zero = both("or", b.cmp("eq", dm, f.infinity), b.cmp("eq", nm, 0))
    infinite = both("or", b.cmp("eq", dm, 0), b.cmp("eq", nm, f.infinity))
    out = b.select(infinite, f.infinity, b.select(zero, 0, out))
    out = b("or", out, sign)
    out = b.select(both("and", zero, infinite), f.infinity | f.quiet | f.sign, out)
    for x, m in ((d, dm), (n, nm)):
        out = b.select(b.cmp("ugt", m, f.infinity), b("or", x, f.quiet), out)
    return o.number(out)


# -- cube maps ---------------------------------------------------------------------------------------------------------


def _cube(name: str) -> Rule:
    """The face (id), coordinates (sc, tc) or twice the major axis (ma) of a direction (x, y, z)."""

    def rule(o: Ops, x: str, y: str, z: str) -> str:
        both = Bool(o.t)
        ax, ay, az = (absolute(o, v) for v in (x, y, z))
        on_z = both("and", o.cmp("oge", az, ax), o.cmp("oge", az, ay))
        on_y = o.cmp("oge", ay, ax)

        def pick(v: str, negative: str | float, positive: str | float) -> str:
            return o.select(o.cmp("olt", v, 0.0), negative, positive)

        nx, ny, nz = (o("fneg", v) for v in (x, y, z))
        faces = {
            "id": lambda: (pick(z, 5.0, 4.0), pick(y, 3.0, 2.0), pick(x, 1.0, 0.0)),
            "sc": lambda: (pick(z, nx, x), x, pick(x, z, nz)),
            "tc": lambda: (ny, pick(y, nz, z), ny),
            "ma": lambda: tuple(o("fmul", v, 2.0) for v in (z, y, x)),
        }[name]()
        return o.select(on_z, faces[0], o.select(on_y, faces[1], faces[2]))

    return rule


def _unfused(o: Ops, x: str, y: str, z: str) -> str:
    """x * y + z of f16 held in f32, rounded after each step."""
    half = o.at("half")
    product = half.to(o.e, "fpext", o.to("half", "fptrunc", o("fmul", x, y)))
    return o("fadd", product, z)


def _flushed(o: Ops, x: str) -> str:
    """Floats, denormals made zeros of the same sign."""
    f, b = FloatLayout(o.bits), o.ints
    pattern = o.pattern(x)
    tiny = b.cmp("eq", exponent(o, x), 0)
    return o.number(b.select(tiny, b("and", pattern, f.sign), pattern))


def _mad(o: Ops, x: str, y: str, z: str, legacy: bool = False) -> str:
    """gfx90a's x * y + z, rounded after each step, which knows no denormals whatever MODE says (CDNA1 ISA,
    V_MAD_F32)."""
    x, y, z = (_flushed(o, v) for v in (x, y, z))
    product = _legacy(o, x, y) if legacy else o("fmul", x, y)
    return _flushed(o, o("fadd", _flushed(o, product), z))


def _legacy(o: Ops, x: str, y: str) -> str:
    """A product in which 0 times anything is 0."""
    zero = Bool(o.t)("or", o.cmp("oeq", x, 0.0), o.cmp("oeq", y, 0.0))
    return o.select(zero, 0.0, o("fmul", x, y))


def _arithmetic(bits: int) -> dict[str, Handler]:
    k, e = f"f{bits}", FLOAT[max(bits, 32)]
    two, three = f"{k} {k}", f"{k} {k} {k}"
    names = {"add": binary("fadd"), "mul": binary("fmul")}
    if bits < 64:
        names |= {"sub": binary("fsub"), "subrev": binary("fsub", True)}
    return {
        **{f"v_{name}_{k}": row(rule, two, k, compute=e) for name, rule in names.items()},
        f"v_fma_{k}": row(fused, three, k, compute=FLOAT[bits]),
        f"v_div_fixup_{k}": row(_div_fixup, three, k, compute=FLOAT[bits], far=True),
        **{f"v_{name}_{k}": row(intrinsic(fn), k, k, compute=e) for name, fn in ROUNDINGS.items()},
        f"v_fract_{k}": row(_fraction(bits), k, k, compute=e), **_frexp(bits), **_extremes(bits),
    }  # fmt: skip


ROUNDINGS = {"trunc": "trunc", "ceil": "ceil", "floor": "floor", "rndne": "roundeven"}

TABLE: dict[str, Handler] = {
    **_arithmetic(16), **_arithmetic(32), **_arithmetic(64), "v_mul_legacy_f32": row(_legacy, "f32 f32", "f32"),
    "v_fmac_f32": row(fused, "f32 f32 f32", "f32", adds=True),
    "v_fmac_f64": row(fused, "f64 f64 f64", "f64", adds=True), "v_fmamk_f32": row(fused, "f32 f32 f32", "f32"),
    "v_fmaak_f32": row(fused, "f32 f32 f32", "f32"),
    **{f"v_{name}_f32": row(_mad, "f32 f32 f32", "f32", far=True) for name in ("mad", "madmk", "madak")},
    "v_mac_f32": row(_mad, "f32 f32 f32", "f32", far=True, adds=True),
    "v_mad_legacy_f32": row(lambda o, x, y, z: _mad(o, x, y, z, True), "f32 f32 f32", "f32", far=True),
    "v_mad_f16": row(_unfused, "f16 f16 f16", "f16", compute="float"),
    "v_mad_legacy_f16": row(_unfused, "f16 f16 f16", "f16", compute="float"),
    "v_madmk_f16": row(_unfused, "f16 f16 f16", "f16", compute="float"),
    "v_madak_f16": row(_unfused, "f16 f16 f16", "f16", compute="float"),
    "v_mac_f16": row(_unfused, "f16 f16 f16", "f16", compute="float", adds=True),
    "v_fma_legacy_f16": row(fused, "f16 f16 f16", "f16"),
    "v_div_fixup_legacy_f16": row(_div_fixup, "f16 f16 f16", "f16", far=True),
    "v_ldexp_f16": row(ldexp(16), "f16 i16", "f16", compute="float", far=True),
    "v_ldexp_f32": row(ldexp(32), "f32 i32", "f32", compute="double", far=True),
    "v_ldexp_f64": row(ldexp(64), "f64 i32", "f64", far=True), "v_div_scale_f32": _scaler, "v_div_scale_f64": _scaler,
    "v_div_fmas_f32": _fmas, "v_div_fmas_f64": _fmas,
    "v_minimum3_f32": row(intrinsic("minimum"), "f32 f32 f32", "f32", far=True),
    "v_maximum3_f32": row(intrinsic("maximum"), "f32 f32 f32", "f32", far=True),
    **{f"v_cube{name}_f32": row(_cube(name), "f32 f32 f32", "f32", far=True) for name in ("id", "sc", "tc", "ma")},
}  # fmt: skip
