"""Values that know how CUDA C++ spells them and what NumPy says they are: straight lines of random operations come out,
as text and as results."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np

N = 64  # threads of a program

CTYPES = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int",
    "u32": "unsigned", "i64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double",
    "f16": "__half", "bf16": "__nv_bfloat16"}  # fmt: skip
DTYPES = ({t: np.dtype(t[0].replace("b", "u") + str(int(t.lstrip("iufb")) // 8)) for t in CTYPES if t != "bf16"}
    | {"bf16": np.dtype("u2")})
INTS = tuple(t for t in CTYPES if t[0] in "iu")
DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}  # of the significand, with the hidden one


def bits(t: str) -> int:
    return DTYPES[t].itemsize * 8


def wrapped(values, t: str) -> np.ndarray:
    """Integers of any size modulo 2**bits, as an array of the type."""
    width = bits(t)
    return np.array([int(v) & (1 << width) - 1 for v in values], f"u{width // 8}").view(DTYPES[t])


def drawn(rng: np.random.Generator, t: str, count: int = N) -> np.ndarray:
    """Inputs: integers of all magnitudes and the extremes; floats near 1, without zeros."""
    if t[0] in "iu":
        width = bits(t)
        raw = [int(rng.integers(0, 1 << 63)) * 2 + int(rng.integers(0, 2)) >> (64 - int(rng.integers(1, width + 1)))
            for _ in range(count)]
        signs = rng.integers(0, 2, count)
        values = [-v if s and t[0] == "i" else v for v, s in zip(raw, signs, strict=True)]
        values[:4] = [0, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1]
        return wrapped(values, t)
    near = rng.uniform(0.5, 2.0, count) * 2.0 ** rng.integers(-3, 4, count) * rng.choice([-1.0, 1.0], count)
    return exact([rounded(Fraction(x), t, "rn") for x in near], t)


def exact(values, t: str) -> np.ndarray:
    """Floats that the type holds exactly, as an array of it; bf16 as its bits."""
    if t == "bf16":
        return (np.array(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.array(values, DTYPES[t])


def rounded(x: Fraction, t: str, mode: str) -> float:
    """The float of the type's precision that a rounding mode gives for an exact number (IEEE 754, section 4.3); no
    underflow or overflow."""
    if x == 0:
        return 0.0
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    unit = Fraction(2) ** (exponent - DIGITS[t] + 1)
    return float(whole(x / unit, mode) * unit)


def whole(x: Fraction, mode: str) -> int:
    """The integer that a rounding mode gives."""
    return {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[mode](x)


def root(x: float, t: str, mode: str) -> float:
    """The square root, rounded: of enough digits, with one more that says that the rest is not zero."""
    scaled = Fraction(x) * 4**120
    low = math.isqrt(int(scaled))
    sticky = Fraction(0) if low * low == scaled else Fraction(1, 2)
    return rounded((low + sticky) / 2**120, t, mode)


@dataclasses.dataclass(frozen=True)
class Value:
    """`text` in C++, `v` (N,) in NumPy; floats are float64 that the type holds exactly."""

    text: str
    v: np.ndarray
    t: str


class Lines:
    """Statements of a kernel, each with the value that it gives."""

    def __init__(self, rng: np.random.Generator):
        self.rng, self.lines, self.values = rng, [], []

    def let(self, t: str, text: str, v: np.ndarray) -> Value:
        name = f"t{len(self.values)}"
        self.lines.append(f"{CTYPES[t]} {name} = {text};")
        value = Value(name, v, t)
        self.values.append(value)
        return value

    def pick(self, t: str) -> Value:
        """A value of the type, a late one more often."""
        of = [v for v in self.values if v.t == t]
        return of[-1 - min(int(self.rng.geometric(0.4)) - 1, len(of) - 1)]

    def below(self, n: int) -> int:
        return int(self.rng.integers(0, n))


# -- integers ----------------------------------------------------------------------------------------------------------


def constant(t: str, value: int) -> str:
    if t[0] == "u":
        return f"{value}{'ull' if bits(t) == 64 else 'u'}"
    if value == -(1 << bits(t) - 1):
        return f"({value + 1}{'ll' if bits(t) == 64 else ''} - 1)"
    return f"({value}{'ll' if bits(t) == 64 else ''})"


def quotient(a, b) -> list[int]:
    """C's: towards zero."""
    return [abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b, strict=True)]


def divided(s: Lines, t: str, rem: bool) -> Value:
    """Division or remainder, by a constant or by a variable that is not 0. -1 divides nothing that has no negative."""
    a, sign = s.pick(t), "%" if rem else "/"
    if s.below(2):
        top = min(1 << bits(t) - 1, 1 << int(s.rng.integers(2, 64)))
        d = int(s.rng.integers(2, top)) * (-1 if t[0] == "i" and s.below(3) == 0 else 1)
        by, divisor = constant(t, d), [d] * N
    else:
        b = s.pick(t)
        a = s.let(t, f"({CTYPES[t]})({a.text} >> 1)", a.v >> 1)
        b = s.let(t, f"({CTYPES[t]})({b.text} | 1)", b.v | 1)
        by, divisor = b.text, list(b.v)
    q = quotient(a.v, divisor)
    v = [int(x) - int(y) * z for x, y, z in zip(a.v, divisor, q, strict=True)] if rem else q
    return s.let(t, f"({CTYPES[t]})({a.text} {sign} {by})", wrapped(v, t))


def integer(s: Lines, t: str, op: str) -> Value:
    """A random value of an operation."""
    a, b, c = s.pick(t), s.pick(t), CTYPES[t]
    wide, last = "unsigned long long" if bits(t) == 64 else "unsigned", bits(t) - 1
    if op in "+-*&|^":
        if s.below(3) == 0:
            k = b.v[s.below(N)]
            b = Value(constant(t, int(k)), np.full(N, k), t)
        made = {"+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or,
            "^": np.bitwise_xor}[op](a.v, b.v)
        return s.let(t, f"({c})(({wide}){a.text} {op} ({wide}){b.text})", made)
    if op in ("<<", ">>"):
        if s.below(2):
            k = s.below(last + 1)
            by, count = str(k), np.full(N, k, b.v.dtype)
        else:
            by, count = f"((unsigned){b.text} & {last})", b.v & b.v.dtype.type(last)
        of = f"({wide}){a.text}" if op == "<<" else a.text
        return s.let(t, f"({c})({of} {op} {by})", (np.left_shift if op == "<<" else np.right_shift)(a.v, count))
    if op in "/%":
        return divided(s, t, op == "%")
    if op == "~":
        return s.let(t, f"({c})~{a.text}", ~a.v)
    if op in ("min", "max"):
        sign = "<" if op == "min" else ">"
        return s.let(t, f"{a.text} {sign} {b.text} ? {a.text} : {b.text}",
            (np.minimum if op == "min" else np.maximum)(a.v, b.v))
    if op == "abs":
        return s.let(t, f"({c})({a.text} < {b.text} ? 0 - ({wide}){a.text} : ({wide}){a.text})",
            np.where(a.v < b.v, np.negative(a.v), a.v))
    if op == "?":
        x, y = s.pick(t), s.pick(t)
        sign = ("<", "<=", "==", "!=", ">", ">=")[s.below(6)]
        how = {"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal, ">": np.greater,
            ">=": np.greater_equal}[sign]
        return s.let(t, f"{a.text} {sign} {b.text} ? {x.text} : {y.text}", np.where(how(a.v, b.v), x.v, y.v))
    other = INTS[s.below(len(INTS))]  # a cast there and back
    return s.let(t, f"({c})({CTYPES[other]}){a.text}", a.v.astype(DTYPES[other]).astype(DTYPES[t]))


OPS = ("+", "-", "*", "&", "|", "^", "<<", ">>", "<<", ">>", "/", "%", "~", "min", "max", "abs", "?", "cast")


# -- bits --------------------------------------------------------------------------------------------------------------


def _prmt(x: int, y: int, s: int) -> int:
    both = (y << 32 | x).to_bytes(8, "little")
    return int.from_bytes(bytes(both[s >> 4 * k & 7] for k in range(4)), "little")


def _signed(x: int, width: int = 32) -> int:
    return (x & (1 << width) - 1) - ((x >> width - 1 & 1) << width)


def _dots(x: int, y: int, z: int, signed: bool) -> int:
    return (z + sum((_signed(x >> k, 8) * _signed(y >> k, 8)) if signed else (x >> k & 255) * (y >> k & 255)
        for k in (0, 8, 16, 24)))


# name: (C++ of u32 x, y, z; plain Python of the same). CUDA C++ Programming Guide and CUDA Math API, "Integer
# Intrinsics".
BITS32 = {
    "popc": ("__popc({x})", lambda x, y, z: x.bit_count()),
    "clz": ("__clz({x})", lambda x, y, z: 32 - x.bit_length()),
    "ffs": ("__ffs({x})", lambda x, y, z: (x & -x).bit_length()),
    "brev": ("__brev({x})", lambda x, y, z: int(f"{x:032b}"[::-1], 2)),
    "perm": ("__byte_perm({x}, {y}, {z} & 0x7777)", lambda x, y, z: _prmt(x, y, z & 0x7777)),
    "perm2": ("__byte_perm({x}, {y}, 0x1476)", lambda x, y, z: _prmt(x, y, 0x1476)),
    "shl": ("__funnelshift_l({x}, {y}, {z})", lambda x, y, z: (y << 32 | x) << (z & 31) >> 32),
    "shr": ("__funnelshift_r({x}, {y}, {z})", lambda x, y, z: (y << 32 | x) >> (z & 31)),
    "shlc": ("__funnelshift_lc({x}, {y}, {z} & 63)", lambda x, y, z: (y << 32 | x) << min(z & 63, 32) >> 32),
    "shrc": ("__funnelshift_rc({x}, {y}, {z} & 63)", lambda x, y, z: (y << 32 | x) >> min(z & 63, 32)),
    "umulhi": ("__umulhi({x}, {y})", lambda x, y, z: x * y >> 32),
    "mulhi": ("__mulhi((int){x}, (int){y})", lambda x, y, z: _signed(x) * _signed(y) >> 32),
    "mul24": ("__mul24((int){x}, (int){y})", lambda x, y, z: _signed(x, 24) * _signed(y, 24)),
    "umul24": ("__umul24({x}, {y})", lambda x, y, z: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
    "sad": ("__usad({x}, {y}, {z})", lambda x, y, z: abs(x - y) + z),
    "rot": ("{x} << 13 | {x} >> 19", lambda x, y, z: x << 13 | x >> 19),
    "dp4a": ("__dp4a((int){x}, (int){y}, (int){z})", lambda x, y, z: _dots(x, y, z, True)),
    "udp4a": ("__dp4a({x}, {y}, {z})", lambda x, y, z: _dots(x, y, z, False)),
    "hadd": ("__uhadd({x}, {y})", lambda x, y, z: x + y >> 1),
    "rhadd": ("__urhadd({x}, {y})", lambda x, y, z: x + y + 1 >> 1),
    "lop": ("({x} & {y}) ^ (~{x} & {z})", lambda x, y, z: x & y ^ ~x & z),
    "field": ("{x} >> 7 & 0x1ff", lambda x, y, z: x >> 7 & 0x1FF),
}
BITS64 = {"popc": ("__popcll({x})", lambda x, y, z: x.bit_count()),
    "clz": ("__clzll({x})", lambda x, y, z: 64 - x.bit_length()),
    "ffs": ("__ffsll({x})", lambda x, y, z: (x & -x).bit_length()),
    "brev": ("__brevll({x})", lambda x, y, z: int(f"{x:064b}"[::-1], 2)),
    "umulhi": ("__umul64hi({x}, {y})", lambda x, y, z: x * y >> 64), "mulhi": ("__mul64hi((long long){x}, (long "
    "long){y})", lambda x, y, z: _signed(x, 64) * _signed(y, 64) >> 64), "wide": ("(unsigned long long)(unsigned){x} * "
    "(unsigned){y} + {z}", lambda x, y, z: (x & 0xFFFFFFFF) * (y & 0xFFFFFFFF) + z),
    "swide": ("(long long)(int){x} * (int){y} - {z}", lambda x, y, z: _signed(x) * _signed(y) - z),
    "rot": ("{x} << 37 | {x} >> 27", lambda x, y, z: x << 37 | x >> 27),
    "field": ("{x} >> 23 & 0xfffffff", lambda x, y, z: x >> 23 & 0xFFFFFFF)}


def intrinsic(s: Lines, t: str, name: str) -> Value:
    x, y, z = s.pick(t), s.pick(t), s.pick(t)
    text, how = (BITS32 if t == "u32" else BITS64)[name]
    made = [how(int(a), int(b), int(c)) for a, b, c in zip(x.v, y.v, z.v, strict=True)]
    return s.let(t, text.format(x=x.text, y=y.text, z=z.text), wrapped(made, t))


# -- floats ------------------------------------------------------------------------------------------------------------

ARITHMETIC = {"add": lambda a, b, c: a + b, "sub": lambda a, b, c: a - b, "mul": lambda a, b, c: a * b, "div": lambda a,
    b, c: a / b, "fma": lambda a, b, c: a * b + c}  # fmt: skip
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def zero(op: str, mode: str, a: float, b: float, c: float) -> float:
    """The zero of an operation whose exact result is 0 (IEEE 754, section 6.3)."""
    if op in ("mul", "div"):
        return math.copysign(0.0, a) * math.copysign(1.0, b)
    first, second = (a * b, c) if op == "fma" else (a, -b if op == "sub" else b)
    if first == 0 and math.copysign(1, first) == math.copysign(1, second):
        return first
    return -0.0 if mode == "rd" else 0.0


def operated(op: str, t: str, mode: str, lane: list[float]) -> float:
    x = ARITHMETIC[op](*map(Fraction, lane))
    return rounded(x, t, mode) if x else zero(op, mode, *lane)


def spelled(s: Lines, t: str, op: str, mode: str, x: tuple[Value, ...]) -> str:
    a, b, c = (v.text for v in x)
    if t in ("f16", "bf16"):
        return f"__h{op}({a}, {b}, {c})" if op == "fma" else f"__h{op}({a}, {b})"
    if mode == "rn" and op != "fma" and s.below(2):
        return (f"sqrt{'f' if t == 'f32' else ''}(fabs{'f' if t == 'f32' else ''}({a}))" if op == "sqrt"
            else f"{a} {SIGNS[op]} {b}")
    name = (f"__{'fmaf' if t == 'f32' else 'fma'}_{mode}" if op == "fma"
        else f"__{'f' if t == 'f32' else 'd'}{op}_{mode}")
    if op == "sqrt":
        return f"{name}(fabs{'f' if t == 'f32' else ''}({a}))"
    return f"{name}({a}, {b}, {c})" if op == "fma" else f"{name}({a}, {b})"


def floating(s: Lines, t: str, op: str, mode: str) -> Value:
    """An operation with a rounding; float64 holds all results exactly."""
    x = s.pick(t), s.pick(t), s.pick(t)
    if op in ("min", "max"):
        text = (f"__h{op}({x[0].text}, {x[1].text})" if t in ("f16", "bf16")
            else f"f{op}{'f' if t == 'f32' else ''}({x[0].text}, {x[1].text})")
        return s.let(t, text, (np.minimum if op == "min" else np.maximum)(x[0].v, x[1].v))
    text = spelled(s, t, op, mode, x)
    if op == "sqrt":
        made = [root(abs(v), t, mode) for v in x[0].v]
    else:
        made = [operated(op, t, mode, [float(v) for v in lane]) for lane in zip(*(v.v for v in x), strict=True)]
    return s.let(t, text, np.array(made))
