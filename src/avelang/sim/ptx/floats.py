"""Handlers of float arithmetic: f32, f64, f16, bf16 and their pairs. PTX ISA 9.0, 9.7.3 to 9.7.5.

Roundings are exact in every mode. The .approx and .full forms, whose last bits the ISA leaves open, are computed in f64
and rounded once to nearest. """

from __future__ import annotations

from avelang.llvm.vectors import Bool, Ops
from avelang.sim.ptx.code import BITS, Instr
from avelang.sim.ptx.float_formats import FORMATS, MODES, Floats, arithmetic, libm, odd_sum, operand, part_of
from avelang.sim.ptx.integers import each
from avelang.sim.ptx.modifiers import Mods, NotExecuted, only_type, words
from avelang.sim.ptx.translator import Handler, PtxTranslator


class _Form:
    """What the modifiers of an arithmetic instruction say."""

    def __init__(self, t: PtxTranslator, i: Instr):
        m = Mods(i)
        self.mode = m.take(*MODES)
        self.approx = m.take("approx", "full")
        self.ftz, self.sat, self.relu = m.has("ftz"), m.has("sat"), m.has("relu")
        self.kind, *self.sources = m.types()
        m.done()
        self.part = part_of(self.kind)
        self.f = Floats(t, self.part)

    def taken(self, x: str) -> str:
        return self.f.flushed(x) if self.ftz else x

    def given(self, x: str) -> str:
        """The result's pattern behind ftz, sat and relu; f32 and narrower NaN are the canonical one."""
        if self.ftz:
            x = self.f.flushed(x)
        if self.sat:
            return self.f.saturated(x)
        if self.relu:
            return self.f.relu(x)
        return x if self.part == "f64" else self.f.canonical(x)


def _rule(t: PtxTranslator, form: _Form, name: str):
    """The operation on patterns."""
    f, mode = form.f, form.mode or "rn"

    def rule(*args: str) -> str:
        args = tuple(map(form.taken, args))
        if form.part in ("f32", "f64"):
            e = f.e
            value = f.pattern(arithmetic(t, name, mode, e, [f.number(x, e) for x in args]), e)
        elif name == "fma":
            x, y, z = (f.number(a, "double") for a in args)
            value = f.pattern(odd_sum(t, Ops(t, "double")("fmul", x, y), z), "double")
        else:
            value = f.pattern(Ops(t, "float")(name, *(f.number(a, "float") for a in args)), "float")
        return form.given(value)

    return rule


def _arithmetic(name: str, operands: int) -> Handler:
    """add, sub, mul, fma: `name` is LLVM's."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        form = _Form(t, i)
        if form.sources:
            return _mixed(t, i, form, name, operands - 1)
        args = [operand(t, o, form.kind) for o in i.operands[1 : 1 + operands]]
        t.set(i.operands[0], each(t, form.kind, args, _rule(t, form, name)), BITS[form.kind])

    return handler


def _mixed(t: PtxTranslator, i: Instr, form: _Form, name: str, few: int) -> None:
    """add, sub, fma .f32.f16 and .f32.bf16: narrow operands a (and b of fma) meet an f32 (PTX ISA 9.0, 9.7.5, mixed
    precision)."""
    narrow = form.sources[0]
    g = Floats(t, narrow)
    args = [g.number(operand(t, o, narrow), "float") for o in i.operands[1 : 1 + few]]
    args.append(form.f.number(operand(t, i.operands[1 + few], "f32"), "float"))
    value = arithmetic(t, name, form.mode or "rn", "float", args)
    t.set(i.operands[0], form.given(form.f.pattern(value, "float")), 32)


# -- functions ---------------------------------------------------------------------------------------------------------


def _unary(t: PtxTranslator, i: Instr) -> tuple[_Form, str]:
    form = _Form(t, i)
    return form, form.taken(operand(t, i.operands[1], form.kind))


def _div(t: PtxTranslator, i: Instr) -> None:
    form = _Form(t, i)
    x, y = (form.taken(operand(t, o, form.kind)) for o in i.operands[1:3])
    e = form.f.e
    value = form.f.pattern(arithmetic(t, "fdiv", form.mode or "rn", e, [form.f.number(x, e), form.f.number(y, e)]), e)
    if form.approx == "approx":
        # Of y beyond 2**126, div.approx gives 0 (NaN for an infinite x); div.full scales (PTX ISA 9.0, 9.7.3.8).
        o = form.f.o
        large = o.cmp("ugt", form.f.magnitude(y), 0x7E800000)
        large = Bool(t)("and", large, o.cmp("ule", form.f.magnitude(y), 0x7F800000))
        zero = o("and", o("xor", x, y), -(1 << 31))
        value = o.select(large, o.select(o.cmp("uge", form.f.magnitude(x), 0x7F800000), form.f.format.nan, zero), value)
    t.set(i.operands[0], form.given(value), BITS[form.kind])


def _root(square: bool) -> Handler:
    """sqrt, or rcp: with a rounding mode or approximate (which is computed to nearest)."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        form, x = _unary(t, i)
        e, mode = form.f.e, form.mode or "rn"
        gross = form.kind == "f64" and form.approx
        number = form.f.number(_upper(t, x) if gross else x, e)
        args = [number] if square else [Ops(t, e).lit(1.0), number]
        out = form.f.pattern(arithmetic(t, "sqrt" if square else "fdiv", mode, e, args), e)
        t.set(i.operands[0], _gross(form, out) if gross else form.given(out), BITS[form.kind])

    return handler


def _upper(t: PtxTranslator, x: str) -> str:
    """An f64 without the lower word of its pattern."""
    return Ops(t, "i64")("and", x, -(1 << 32))


def _gross(form: _Form, x: str) -> str:
    """rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the upper word of the result, a NaN as 0x7fffffff00000000 (PTX ISA
    9.0, 9.7.3.14, 9.7.3.17). How exact it is, they leave open; here it is rounded to nearest."""
    o = form.f.o
    return o.select(form.f.is_nan(x), 0x7FFFFFFF << 32, form.f.flushed(o("and", o("add", x, 1 << 31), -(1 << 32))))


def _rsqrt(t: PtxTranslator, i: Instr) -> None:
    form, x = _unary(t, i)
    gross = form.kind == "f64" and form.ftz
    d = Ops(t, "double")
    value = form.f.pattern(d("fdiv", 1.0, d.fn("sqrt", form.f.number(_upper(t, x) if gross else x, "double"))),
        "double")
    t.set(i.operands[0], _gross(form, value) if gross else form.given(value), BITS[form.kind])


def _function(name: str) -> Handler:
    """sin, cos, lg2, ex2, tanh: computed in f64 by the C library, rounded once. f16 and bf16 of ex2 and tanh too."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        form = _Form(t, i)

        def rule(x: str) -> str:
            x = form.f.number(form.taken(x), "double")
            return form.given(form.f.pattern(libm(t, name, x), "double"))

        t.set(i.operands[0], each(t, form.kind, [operand(t, i.operands[1], form.kind)], rule), BITS[form.kind])

    return handler


# -- signs and extremes ------------------------------------------------------------------------------------------------


def _sign(name: str) -> Handler:
    """abs, neg: the sign bit alone. Subnormals vanish with .ftz; NaN stays one."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        form = _Form(t, i)

        def rule(x: str) -> str:
            x = form.taken(x)
            return form.f.magnitude(x) if name == "abs" else form.f.negated(x)

        t.set(i.operands[0], each(t, form.kind, [operand(t, i.operands[1], form.kind)], rule), BITS[form.kind])

    return handler


def _copysign(t: PtxTranslator, i: Instr) -> None:
    """The magnitude of b with the sign of a."""
    kind = only_type(i)
    f = Floats(t, kind)
    a, b = (operand(t, o, kind) for o in i.operands[1:3])
    t.set(i.operands[0], f.o("or", f.magnitude(b), f.o("and", a, -f.format.sign)), BITS[kind])


def _extreme(name: str) -> Handler:
    """min, max: -0 is less than +0; a NaN loses against a number, or wins with .NaN; .xorsign.abs compares
    magnitudes."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        m = Mods(i)
        ftz, nan, xorsign, absolute = m.has("ftz"), m.has("NaN"), m.has("xorsign"), m.has("abs")
        kind = m.type()
        m.done()
        f = Floats(t, part_of(kind))
        b = Bool(t)

        def two(x: str, y: str) -> str:
            pick = f.o.fn("smin" if name == "min" else "smax", f.key(x), f.key(y))
            value = f.key(pick)  # its own inverse
            if nan:
                return f.o.select(b("or", f.is_nan(x), f.is_nan(y)), f.format.nan, value)
            value = f.o.select(f.is_nan(y), x, value)
            value = f.o.select(f.is_nan(x), y, value)
            return f.canonical(value) if kind != "f64" else value

        def rule(x: str, y: str, *more: str) -> str:
            args = [f.flushed(a) if ftz else a for a in (x, y, *more)]
            sign = f.o("and", f.o("xor", args[0], args[1]), -f.format.sign) if xorsign else ""
            if absolute:  # of three operands also without .xorsign
                args = [f.magnitude(a) for a in args]
            value = two(args[0], args[1])
            for a in args[2:]:
                value = two(value, a)
            return f.o.select(f.is_nan(value), value, f.o("or", value, sign)) if xorsign else value

        args = [operand(t, o, kind) for o in i.operands[1:]]
        t.set(i.operands[0], each(t, kind, args, rule), BITS[kind])

    return handler


def _testp(t: PtxTranslator, i: Instr) -> None:
    kind, test = words(i, "finite infinite number notanumber normal subnormal")
    if not test:
        raise NotExecuted("a test is needed, such as .finite: what it is without one is not documented")
    f = Floats(t, kind)
    o, inf = f.o, f.format.infinity
    a = f.magnitude(operand(t, i.operands[1], kind))
    least = 1 << f.format.mantissa
    if test in ("normal", "subnormal"):
        low, high = (least, inf) if test == "normal" else (1, least)
        out = o.cmp("ult", o("sub", a, low), high - low)
        if test == "normal":
            out = Bool(t)("or", out, o.cmp("eq", a, 0))  # zeros count as normal (PTX ISA 9.0, 9.7.3.1)
    else:
        out = o.cmp({"finite": "ult", "infinite": "eq", "number": "ule", "notanumber": "ugt"}[test], a, inf)
    t.set(i.operands[0], out, 1)


ONE = {kind: f.bias << f.mantissa for kind, f in FORMATS.items()}

TABLE: dict[str, Handler] = {
    **{name: _arithmetic(name, 2) for name in ("fadd", "fsub", "fmul")},
    **dict.fromkeys(("fma", "fmad"), _arithmetic("fma", 3)),
    "fdiv": _div,
    "sqrt": _root(True),
    "rcp": _root(False),
    "rsqrt": _rsqrt,
    "sin": _function("sin"),
    "cos": _function("cos"),
    "lg2": _function("log2"),
    "ex2": _function("exp2"),
    "tanh": _function("tanh"),
    "fabs": _sign("abs"),
    "fneg": _sign("neg"),
    "copysign": _copysign,
    "fmin": _extreme("min"),
    "fmax": _extreme("max"),
    "testp": _testp,
}
