"""Handlers of cvt and its like: all types, roundings and saturations. PTX ISA 9.0, 9.7.9.21, cvt, and 9.7.9.22,
cvt.pack."""

from __future__ import annotations

import dataclasses

from avelang.ir.dtypes import BY_NAME
from avelang.llvm.narrow_floats import narrow, round_to_odd, widen
from avelang.llvm.vectors import Bool, Ops, function
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import BITS, Instr, PtxReg
from avelang.sim.ptx.float_formats import FORMATS, MODES, FloatFormat, Floats, rounded, strict
from avelang.sim.ptx.integers import halves, paired
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.narrow_converts import PAIRS, narrow_pair
from avelang.sim.ptx.translator import Handler, PtxTranslator

INTEGRAL = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
FP8 = {"e4m3": "f8e4m3fn", "e5m2": "f8e5m2"}
TF32 = FloatFormat("tf32", 8, 10, 0x7FFFFFFF)


@dataclasses.dataclass(slots=True)
class Conversion:
    """The modifiers of a cvt."""

    to: str
    source: str
    mode: str
    integral: str
    ftz: bool
    sat: bool
    finite: bool
    relu: bool


def _is_int(kind: str) -> bool:
    return kind[0] in "us"


def _read(t: PtxTranslator, o: object, kind: str) -> str:
    """A source operand: a wider register is cut; a constant is a pattern of the type."""
    if isinstance(o, n.Float) and kind not in ("f32", "f64"):
        raise NotExecuted("a float constant where another type is needed")
    return t.get(o, BITS[kind], wider=True, kind="f" if kind in ("f32", "f64") else "b")  # type: ignore[arg-type]


def _write(t: PtxTranslator, o: object, value: str, kind: str) -> None:
    """A destination, which may be wider: signed results are extended by their sign."""
    if isinstance(o, PtxReg) and o.bits > BITS[kind] and not _is_int(kind):
        raise NotExecuted(f"{o} is wider than .{kind}")
    t.set(o, value, BITS[kind], wider="s" if kind[0] == "s" else "z")  # type: ignore[arg-type]


def _int_to_int(t: PtxTranslator, c: Conversion, x: str) -> str:
    have, want = BITS[c.source], BITS[c.to]
    o, result = Ops(t, f"i{have}"), Ops(t, f"i{want}")
    if c.sat:
        wide = Ops(t, "i128" if max(have, want) == 64 else "i64")
        value = o.to(wide.e, "sext" if c.source[0] == "s" else "zext", x)
        low, high = (-(1 << want - 1), (1 << want - 1) - 1) if c.to[0] == "s" else (0, (1 << want) - 1)
        return wide.to(result.e, "trunc", wide.fn("smin", wide.fn("smax", value, low), high))
    if have >= want:
        return o.to(result.e, "trunc", x)
    return o.to(result.e, "sext" if c.source[0] == "s" else "zext", x)


def _int_to_float(t: PtxTranslator, c: Conversion, x: str) -> str:
    o, how = Ops(t, f"i{BITS[c.source]}"), "sitofp" if c.source[0] == "s" else "uitofp"
    mode = c.mode or "rn"
    if c.to in ("f32", "f64"):
        f = Floats(t, c.to)
        if mode == "rn":
            value = o.to(f.e, how, x)
        else:
            wide = x if o.bits >= 32 else o.to("i32", "sext" if c.source[0] == "s" else "zext", x)
            value = strict(t, how, mode, o.e if o.bits >= 32 else "i32", [wide], f.e)
        made = f.pattern(value, f.e)
        if mode != "rn" and how == "uitofp":
            # A CPU without AVX-512 makes it of a difference, which is -0 of 0 where it is rounded down.
            made = f.o.select(o.cmp("eq", x, 0), 0, made)
        return f.saturated(made) if c.sat else made
    # What is beyond 2**24 only has to stay beyond the greatest f16, or, for bf16, to keep its first bits: through a
    # double, rounded to odd.
    wide = Ops(t, "i64")
    if o.bits == 64:
        # A long that a double does not hold: its lower bits are put together into one.
        low = wide("and", x, 0xFFF)
        short = wide("or", wide("and", x, -0x1000), wide.select(wide.cmp("eq", low, 0), 0, 0x800))
        signed = c.source[0] == "s"
        large = wide.cmp("uge", wide("add", x, 1 << 53), 1 << 54) if signed else wide.cmp("uge", x, 1 << 53)
        kept = wide.select(large, short, x)
        value = wide.to("double", how, kept)
    else:
        value = o.to("double", how, x)
    return _narrowed(t, c, round_to_odd(t, True, value))


def _narrowed(t: PtxTranslator, c: Conversion, x: str) -> str:
    """A float, which may have been rounded to odd, as f16 or bf16."""
    f, w = Floats(t, c.to), Ops(t, "i32")
    bits = Ops(t, "float").pattern(x)
    if (c.mode or "rn") == "rn" and not c.finite:
        out = narrow(t, BY_NAME[c.to], True, x)
    else:
        out = w.to(f.o.e, "trunc", rounded(t, f.format, c.mode or "rn", bits, c.finite))
    out = f.o.select(Ops(t, "float").cmp("uno", x, x), f.format.nan, out)
    if c.sat:
        return f.saturated(out)
    return f.relu(out) if c.relu else out


def _float_to_int(t: PtxTranslator, c: Conversion, x: str) -> str:
    """Rounded to an integer, then brought into range. NaN is 0; of f64, or for 64 bits, the integer with the top bit
    alone."""
    f = Floats(t, c.source)
    if c.ftz:
        x = f.flushed(x)
    e = "double" if c.source == "f64" else "float"
    bits, o = BITS[c.to], Ops(t, e)
    signed = c.to[0] == "s"

    def convert(x: str) -> str:
        whole = o.fn(INTEGRAL[c.integral], x)
        work = Ops(t, f"i{max(bits, 32)}")
        value = t.call(
            f"llvm.fpto{'s' if signed else 'u'}i.sat.v{t.W}{work.e}.v{t.W}{'f64' if e == 'double' else 'f32'}", work.v,
            (o.v, whole))
        if bits < 32:
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            value = work.fn("smin", work.fn("smax", value, low), high) if signed else work.fn("umin", value, high)
        nan = 1 << max(bits, 32) - 1 if c.source == "f64" or bits == 64 else 0
        if bits < 32:
            nan = 0 if c.source != "f64" else 1 << bits - 1
        value = work.select(o.cmp("uno", x, x), nan, value)
        return work.to(f"i{bits}", "trunc", value)

    name = f"ave_cvt_{c.integral}_{c.to}_{e}"
    return function(t, name, f"i{bits}", convert, (e, f.number(x, e)))


def _float_to_float(t: PtxTranslator, c: Conversion, x: str) -> str:
    source = Floats(t, c.source)
    if c.ftz and c.source == "f32":
        x = source.flushed(x)
    if c.source == c.to or c.integral:
        return _same(t, c, source, x)
    mode = c.mode or "rn"
    if BITS[c.to] > BITS[c.source]:
        to = Floats(t, c.to)
        e = to.e
        value = to.pattern(source.number(x, e), e)
    elif c.to == "f32":
        to = Floats(t, "f32")
        number = source.number(x, "double")
        narrowed = (Ops(t, "double").to("float", "fptrunc", number) if mode == "rn"
            else strict(t, "fptrunc", mode, "double", [number], "float"))
        value = to.pattern(narrowed, "float")
    else:
        number = source.number(x, "double") if c.source == "f64" else source.number(x, "float")
        return _narrowed(t, c, round_to_odd(t, True, number) if c.source == "f64" else number)
    to = Floats(t, c.to)
    if c.ftz and c.to == "f32":
        value = to.flushed(value)
    value = to.canonical(value) if c.to != "f64" else value
    return to.saturated(value) if c.sat else value


def _same(t: PtxTranslator, c: Conversion, f: Floats, x: str) -> str:
    """A float in its own format, perhaps rounded to an integer."""
    if c.integral:
        e = "double" if c.to == "f64" else "float"
        x = f.pattern(Ops(t, e).fn(INTEGRAL[c.integral], f.number(x, e)), e)
    if c.ftz:
        x = f.flushed(x)
    if c.to != "f64":
        x = f.canonical(x)
    return f.saturated(x) if c.sat else x


# -- tf32, fp8, pairs --------------------------------------------------------------------------------------------------


def _to_tf32(t: PtxTranslator, c: Conversion, x: str) -> str:
    """f32 with 10 bits of mantissa, the others 0 (PTX ISA 9.0, 9.7.9.21)."""
    f, w = Floats(t, "f32"), Ops(t, "i32")
    value = w("shl", rounded(t, dataclasses.replace(TF32, name="tf32x"), c.mode, x, c.finite), 13)
    value = w("or", w("and", value, 0x7FFFFFFF), w("and", x, -(1 << 31)))
    value = w.select(f.is_nan(x), TF32.nan, value)
    return f.relu(value) if c.relu else value


def _fp8(t: PtxTranslator, kind: str, c: Conversion, x: str) -> str:
    """An f32 number (LLVM float) as an 8-bit code; too large ones are the greatest number."""
    b, o = Bool(t), Ops(t, "i8")
    w = Ops(t, "i32")
    code = narrow(t, BY_NAME[FP8[kind]], True, x)
    greatest = {"e4m3": 0x7E, "e5m2": 0x7B}[kind]
    magnitude = o("and", code, 0x7F)
    nan = Ops(t, "float").cmp("uno", x, x)
    over = b("and", o.cmp("ugt", magnitude, greatest), b.no(nan))
    code = o.select(over, o("or", o("and", code, -128), greatest), code)
    code = o.select(nan, 0x7F, code)
    if c.relu:
        negative = w.cmp("slt", Ops(t, "float").pattern(x), 0)
        code = o.select(b("and", negative, b.no(nan)), 0, code)
    return code


def _pair(t: PtxTranslator, i: Instr, c: Conversion) -> None:
    """cvt of two sources into a pair: the first is the upper one."""
    part = c.to.removesuffix("x2")
    sources = i.operands[1:]
    if c.source == "f32":
        if len(sources) != 2:
            raise NotExecuted("two sources are needed")
        numbers = [Ops(t, "float").number(_read(t, o, "f32")) for o in sources]
    else:  # f16x2, bf16x2
        f = Floats(t, c.source.removesuffix("x2"))
        low, high = halves(t, _read(t, sources[0], c.source))
        numbers = [f.number(high, "float"), f.number(low, "float")]
    if part in FP8:
        high, low = (_fp8(t, part, c, x) for x in numbers)
        o, w = Ops(t, "i8"), Ops(t, "i16")
        value = w("or", w("shl", o.to("i16", "zext", high), 8), o.to("i16", "zext", low))
        return t.set(i.operands[0], value, 16)
    one = dataclasses.replace(c, to=part)
    high, low = (_narrowed(t, one, x) for x in numbers)
    return t.set(i.operands[0], paired(t, low, high), 32)


def _from_fp8(t: PtxTranslator, i: Instr, c: Conversion) -> None:
    part, source = c.to.removesuffix("x2"), c.source.removesuffix("x2")
    word = t.get(i.operands[1], 16)
    o = Ops(t, "i16")
    f = Floats(t, part)
    out = []
    for x in (word, o("lshr", word, 8)):
        number = widen(t, BY_NAME[FP8[source]], True, o.to("i8", "trunc", x))
        value = f.canonical(f.pattern(number, "float"))
        out.append(f.relu(value) if c.relu else value)
    t.set(i.operands[0], paired(t, *out), 32)


def _cvt(t: PtxTranslator, i: Instr) -> None:
    m = Mods(i)
    mode, integral = m.take(*MODES, "rna"), m.take(*INTEGRAL)
    ftz, sat, finite, relu = m.has("ftz"), m.has("sat"), m.has("satfinite"), m.has("relu")
    types = m.types()
    m.done()
    if any(kind in PAIRS for kind in types):
        return narrow_pair(t, i, types[0], types[1], mode, finite, relu)
    c = Conversion(types[0], types[1], mode, integral, ftz, sat, finite, relu)
    source = c.source.removesuffix("x2")
    if source in FP8:
        return _from_fp8(t, i, c)
    if c.to.endswith("x2"):
        return _pair(t, i, c)
    if c.to == "tf32":
        return t.set(i.operands[0], _to_tf32(t, c, _read(t, i.operands[1], "f32")), 32)
    for kind in types:
        if not _is_int(kind) and kind not in FORMATS:
            raise NotExecuted(f".{kind} is not executed here")
    rule = {(True, True): _int_to_int, (True, False): _int_to_float, (False, True): _float_to_int,
        (False, False): _float_to_float}
    value = rule[_is_int(c.source), _is_int(c.to)](t, c, _read(t, i.operands[1], c.source))
    _write(t, i.operands[0], value, c.to)
    return None


def _pack(t: PtxTranslator, i: Instr) -> None:
    """cvt.pack.sat: two s32 saturated to 16 bits, or to 8, 4 or 2 and put before those of c."""
    kind = i.parts[3]
    width, signed = int(kind[1:]), kind[0] == "s"
    o = Ops(t, "i32")
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    a, b = (o("and", o.fn("smin", o.fn("smax", t.get(x, 32), low), high), (1 << width) - 1) for x in i.operands[1:3])
    value = o("or", o("shl", a, width), b)
    if width < 16:
        value = o("or", o("shl", t.get(i.operands[3], 32), 2 * width), value)
    t.set(i.operands[0], value, 32)


TABLE: dict[str, Handler] = {"cvt": _cvt, "cvt.pack": _pack}
