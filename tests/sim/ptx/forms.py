"""Instruction forms with what they compute, as rules on patterns (exact integers): the alphabet of generated
programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from sim.ptx import numbers as x
from sim.ptx.numbers import F, clamp, signed

BITS = {"pred": 1, **{k + str(b): b for k in "usb" for b in (8, 16, 32, 64)}, "f16": 16, "bf16": 16, "f32": 32,
    "f64": 64, "f16x2": 32, "bf16x2": 32}


@dataclasses.dataclass(frozen=True)
class Near:
    """How exact an approximate form must be: `value` of its operands' values, and the greatest error as `most` says of
    that and of the first operand. `rounded`: errors count from the value rounded to nearest, as those in ulp do."""

    value: Callable[..., x.Fraction]
    most: Callable[[x.Fraction, x.Fraction], x.Fraction]
    rounded: bool = False

    def share(self, f: x.Float, got: int, *operands: int) -> float:
        """The error of a finite result; 1.0 is the greatest that is allowed."""
        values = [f.value(a) for a in operands]
        exact = self.value(*values)
        off = abs(f.value(got) - (f.value(f.round(exact)) if self.rounded else exact))
        return float(off / self.most(exact, values[0])) if off else 0.0


@dataclasses.dataclass(frozen=True)
class Form:
    """`text` with {d}, {e} for results and {a}, {b}, {c}, {g} for operands of the types `ins`; `outs` are types of
    results. `rule` maps the operands' patterns to the results'; or, where `warp` is set, lists of 32 of them. `near`:
    what results may be besides that of the rule."""

    name: str
    text: str
    outs: tuple[str, ...]
    ins: tuple[str, ...]
    rule: Callable[..., object]
    warp: bool = False
    near: Near | None = None


def _masked(kind: str, f: Callable[..., int]) -> Callable[..., int]:
    return lambda *a: f(*a) & (1 << BITS[kind]) - 1


def one(name: str, kind: str, count: int, rule: Callable[..., int], out: str = "", ins: tuple[str, ...] = ()) -> Form:
    """An instruction with one result; operands of its type, unless `ins` says others."""
    letters = ["{a}", "{b}", "{c}", "{g}"][: len(ins) or count]
    return Form(name, f"{name} {{d}}, {', '.join(letters)};", (out or kind,), ins or (kind,) * count,
        _masked(out or kind, rule))


def _typed(kind: str, *values: int) -> list[int]:
    return [signed(v, BITS[kind]) if kind[0] == "s" else v for v in values]


INTS = ("u16", "u32", "u64", "s16", "s32", "s64")


def integers() -> Iterator[Form]:
    for t in INTS:
        n = BITS[t]

        def on(f: Callable[..., int], t: str = t) -> Callable[..., int]:
            return lambda *a: f(*_typed(t, *a))

        yield one(f"add.{t}", t, 2, lambda a, b: a + b)
        yield one(f"sub.{t}", t, 2, lambda a, b: a - b)
        yield one(f"mul.lo.{t}", t, 2, lambda a, b: a * b)
        yield one(f"mul.hi.{t}", t, 2, on(lambda a, b, n=n: a * b >> n))
        yield one(f"mad.lo.{t}", t, 3, lambda a, b, c: a * b + c)
        yield one(f"mad.hi.{t}", t, 3, on(lambda a, b, c, n=n: (a * b >> n) + c))
        yield one(f"min.{t}", t, 2, on(min))
        yield one(f"max.{t}", t, 2, on(max))
        yield one(f"sad.{t}", t, 3, on(lambda a, b, c: c + abs(a - b)))
        yield one(f"div.{t}", t, 2, on(lambda a, b: -1 if b == 0
            else abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)))
        yield one(f"rem.{t}", t, 2, on(lambda a, b: -1 if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)))
        yield one(f"shr.{t}", t, 2, lambda a, b, t=t, n=n: _typed(t, a)[0] >> min(b, n), ins=(t, "u32"))
        if n < 64:
            wide = t[0] + str(2 * n)
            yield one(f"mul.wide.{t}", t, 2, on(lambda a, b: a * b), out=wide, ins=(t, t))
            yield one(f"mad.wide.{t}", t, 3, lambda a, b, c, t=t: math.prod(_typed(t, a, b)) + c, out=wide,
                ins=(t, t, wide))
        if t[0] == "s":
            yield one(f"abs.{t}", t, 1, on(lambda a: abs(a)))
            yield one(f"neg.{t}", t, 1, lambda a: -a)
    yield one("add.sat.s32", "s32", 2, lambda a, b: clamp(signed(a, 32) + signed(b, 32), 32, True))
    yield one("sub.sat.s32", "s32", 2, lambda a, b: clamp(signed(a, 32) - signed(b, 32), 32, True))
    yield one("mad.hi.sat.s32", "s32", 3, lambda a, b,
        c: clamp((signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32), 32, True))
    for t in ("u32", "s32"):
        def low(v: int, t: str = t) -> int:
            return signed(v & 0xFFFFFF, 24) if t == "s32" else v & 0xFFFFFF

        yield one(f"mul24.lo.{t}", t, 2, lambda a, b, low=low: low(a) * low(b))
        yield one(f"mul24.hi.{t}", t, 2, lambda a, b, low=low: low(a) * low(b) >> 16)
        yield one(f"mad24.lo.{t}", t, 3, lambda a, b, c, low=low: low(a) * low(b) + c)
    for op in ("add", "min", "max"):
        for t in ("u16x2", "s16x2"):
            def pair(a: int, b: int, op: str = op, t: str = t) -> int:
                parts = [_typed(t[:3], v & 0xFFFF, w & 0xFFFF) for v, w in ((a, b), (a >> 16, b >> 16))]
                low, high = ({"add": sum, "min": min, "max": max}[op](p) & 0xFFFF for p in parts)
                return low | high << 16

            yield one(f"{op}.{t}", "b32", 2, pair)
    yield from _carries()
    yield from _dots()


def _carries() -> Iterator[Form]:
    def chain(n: int, minus: bool) -> Callable[[int, int, int, int], tuple[int, int]]:
        def rule(a: int, b: int, c: int, d: int) -> tuple[int, int]:
            left, right = a | c << n, b | d << n
            value = (left - right if minus else left + right) & (1 << 2 * n) - 1
            return value & (1 << n) - 1, value >> n

        return rule

    for n in (32, 64):
        for op in ("add", "sub"):
            text = f"{op}.cc.u{n} {{d}}, {{a}}, {{b}}; {op}c.u{n} {{e}}, {{c}}, {{g}};"
            yield Form(f"{op}.cc.u{n}", text, (f"u{n}",) * 2, (f"u{n}",) * 4, chain(n, op == "sub"))

    def product(a: int, b: int, c: int, d: int) -> tuple[int, int]:
        value = a * b + (c | d << 32)
        return value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF

    text = "mad.lo.cc.u32 {d}, {a}, {b}, {c}; madc.hi.u32 {e}, {a}, {b}, {g};"
    yield Form("mad.cc", text, ("u32",) * 2, ("u32",) * 4, product)


def _dots() -> Iterator[Form]:
    for ta in ("u32", "s32"):
        for tb in ("u32", "s32"):
            def dot(a: int, b: int, c: int, ta: str = ta, tb: str = tb) -> int:
                def part(v: int, k: int, t: str) -> int:
                    return signed(v >> 8 * k, 8) if t == "s32" else v >> 8 * k & 255

                return c + sum(part(a, k, ta) * part(b, k, tb) for k in range(4))

            yield one(f"dp4a.{ta}.{tb}", "u32", 3, dot)
            for half in ("lo", "hi"):
                def two(a: int, b: int, c: int, ta: str = ta, tb: str = tb, at: int = 16 * (half == "hi")) -> int:
                    total = c
                    for k in (0, 1):
                        left = signed(a >> 16 * k, 16) if ta == "s32" else a >> 16 * k & 0xFFFF
                        right = signed(b >> at + 8 * k, 8) if tb == "s32" else b >> at + 8 * k & 255
                        total += left * right
                    return total

                yield one(f"dp2a.{half}.{ta}.{tb}", "u32", 3, two)


def _bit_field(x_: int, pos: int, length: int, n: int, is_signed: bool) -> int:
    """Beyond 255, which the ISA excludes, an H200 takes the low 8 bits in 32-bit forms; the 64-bit ones get no such
    operands here."""
    pos, length, out = pos & 255, length & 255, 0
    sign = is_signed and length > 0 and x_ >> min(pos + length - 1, n - 1) & 1
    for k in range(n):
        bit = x_ >> pos + k & 1 if k < length and pos + k < n else sign
        out |= int(bit) << k
    return out


def _inserted(a: int, b: int, pos: int, length: int, n: int) -> int:
    pos, length = pos & 255, length & 255
    for k in range(length):
        if pos + k < n:
            b = b & ~(1 << pos + k) | (a >> k & 1) << pos + k
    return b


def _find(mask: int, base: int, offset: int) -> int:
    offset = signed(offset, 32)
    base = signed(base, 32)
    if offset == 0:
        return base if 0 <= base < 32 and mask >> base & 1 else -1
    left, pos = abs(offset), base
    while 0 <= pos < 32:
        left -= mask >> pos & 1
        if left == 0:
            return pos
        pos += 1 if offset > 0 else -1
    return -1


def bits() -> Iterator[Form]:
    for n in (32, 64):
        t, at = f"b{n}", {32: "n32", 64: "n8"}[n]
        yield one(f"popc.{t}", t, 1, lambda a: a.bit_count(), out="u32", ins=(t,))
        yield one(f"clz.{t}", t, 1, lambda a, n=n: n - a.bit_length(), out="u32", ins=(t,))
        yield one(f"brev.{t}", t, 1, lambda a, n=n: int(f"{a:0{n}b}"[::-1], 2))
        for k in "us":
            def find(a: int, shift: bool, n: int = n, k: str = k) -> int:
                if k == "s" and a >> n - 1:
                    a ^= (1 << n) - 1
                at = a.bit_length() - 1
                return -1 if at < 0 else n - 1 - at if shift else at

            yield one(f"bfind.{k}{n}", t, 1, lambda a, find=find: find(a, False), out="u32", ins=(k + str(n),))
            yield one(f"bfind.shiftamt.{k}{n}", t, 1, lambda a, find=find: find(a, True), out="u32", ins=(k + str(n),))
            yield one(f"bfe.{k}{n}", k + str(n), 3, lambda a, p, q, n=n, k=k: _bit_field(a, p, q, n, k == "s"),
                ins=(k + str(n), at, at))
        yield one(f"bfi.{t}", t, 4, lambda a, b, p, q, n=n: _inserted(a, b, p, q, n), ins=(t, t, at, at))
    for n in (16, 32, 64):
        t, full = f"b{n}", (1 << n) - 1
        for op, f in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
            yield one(f"{op}.{t}", t, 2, f)
        yield one(f"not.{t}", t, 1, lambda a, full=full: a ^ full)
        yield one(f"cnot.{t}", t, 1, lambda a: int(a == 0))
        yield one(f"shl.{t}", t, 2, lambda a, b, n=n: a << min(b, n), ins=(t, "u32"))
    yield one("fns.b32", "b32", 3, _find, ins=("b32", "n32", "n32"))
    for mode in ("clamp", "wrap"):
        def mask(a: int, b: int, mode: str = mode) -> int:
            if mode == "wrap":
                a, b = a & 31, b & 31
            return sum(1 << k for k in range(32) if a <= k < a + b)

        yield one(f"bmsk.{mode}.b32", "b32", 2, mask, ins=("n32", "n32"))
        for k in "us":
            def extend(a: int, b: int, mode: str = mode, k: str = k) -> int:
                b = b & 31 if mode == "wrap" else b
                if b >= 32:
                    return a
                return 0 if b == 0 else signed(a, b) if k == "s" else a & (1 << b) - 1

            yield one(f"szext.{mode}.{k}32", k + "32", 2, extend, ins=(k + "32", "n32"))
        for side in "lr":
            def funnel(a: int, b: int, c: int, mode: str = mode, side: str = side) -> int:
                c = c & 31 if mode == "wrap" else min(c, 32)
                both = b << 32 | a
                return both << c >> 32 if side == "l" else both >> c

            yield one(f"shf.{side}.{mode}.b32", "b32", 3, funnel, ins=("b32", "b32", "n32"))
    yield from _tables()


def _permuted(a: int, b: int, c: int, mode: str) -> int:
    data = [*a.to_bytes(4, "little"), *b.to_bytes(4, "little")]
    n = c & 3
    picks = {"": None, "f4e": [n, n + 1, n + 2, n + 3], "b4e": [n, n - 1, n - 2, n - 3], "rc8": [n] * 4,
        "ecl": [max(k, n) for k in range(4)], "ecr": [min(k, n) for k in range(4)],
        "rc16": [2 * (n & 1), 2 * (n & 1) + 1] * 2}[mode]  # fmt: skip
    if picks is not None:
        return int.from_bytes(bytes(data[k % 8] for k in picks), "little")
    out = []
    for k in range(4):
        s = c >> 4 * k & 15
        byte = data[s & 7]
        out.append((255 if byte >> 7 else 0) if s & 8 else byte)
    return int.from_bytes(bytes(out), "little")


def _tables() -> Iterator[Form]:
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield one(f"prmt.b32{'.' + mode if mode else ''}", "b32", 3, lambda a, b, c,
            mode=mode: _permuted(a, b, c, mode))
    for table in (0x96, 0xE8, 0x1B, 0xC5, 0x00, 0xFF):
        def look(a: int, b: int, c: int, table: int = table) -> int:
            return sum((table >> (4 * (a >> k & 1) + 2 * (b >> k & 1) + (c >> k & 1)) & 1) << k for k in range(32))

        yield Form(f"lop3 {table:#x}", f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table:#x};", ("b32",), ("b32",) * 3,
            look)


# -- floats ------------------------------------------------------------------------------------------------------------

MODES = ("rn", "rz", "rm", "rp")


def floats() -> Iterator[Form]:
    for t in ("f32", "f64"):
        f = F[t]
        for mode in MODES:
            yield one(f"add.{mode}.{t}", t, 2, lambda a, b, f=f, m=mode: x.add(f, a, b, m))
            yield one(f"sub.{mode}.{t}", t, 2, lambda a, b, f=f, m=mode: x.add(f, a, x.negated(f, b), m))
            yield one(f"mul.{mode}.{t}", t, 2, lambda a, b, f=f, m=mode: x.mul(f, a, b, m))
            yield one(f"fma.{mode}.{t}", t, 3, lambda a, b, c, f=f, m=mode: x.fma(f, a, b, c, m))
            yield one(f"div.{mode}.{t}", t, 2, lambda a, b, f=f, m=mode: x.div(f, a, b, m))
            yield one(f"sqrt.{mode}.{t}", t, 1, lambda a, f=f, m=mode: x.sqrt(f, a, m))
            yield one(f"rcp.{mode}.{t}", t, 1, lambda a, f=f, m=mode: x.div(f, f.bias << f.m, a, m))
        yield one(f"min.{t}", t, 2, lambda a, b, f=f: x.extreme(f, a, b, True))
        yield one(f"max.{t}", t, 2, lambda a, b, f=f: x.extreme(f, a, b, False))
        yield one(f"abs.{t}", t, 1, lambda a, f=f: a & (1 << f.bits - 1) - 1)
        yield one(f"neg.{t}", t, 1, lambda a, f=f: x.negated(f, a))
        yield one(f"copysign.{t}", t, 2, lambda a, b, f=f: b & (1 << f.bits - 1) - 1 | f.sign(a) << f.bits - 1)
        for test, rule in TESTS.items():
            yield Form(f"testp.{test}.{t}", f"testp.{test}.{t} {{d}}, {{a}};", ("pred",), (t,), lambda a, f=f,
                rule=rule: int(rule(f, a)))
    f = F["f32"]

    def ftz(rule: Callable[..., int]) -> Callable[..., int]:
        return lambda *a: f.flushed(rule(*map(f.flushed, a)))

    yield one("add.ftz.f32", "f32", 2, ftz(lambda a, b: x.add(f, a, b)))
    yield one("mul.rz.ftz.f32", "f32", 2, ftz(lambda a, b: x.mul(f, a, b, "rz")))
    yield one("fma.rn.ftz.f32", "f32", 3, ftz(lambda a, b, c: x.fma(f, a, b, c)))
    yield one("add.sat.f32", "f32", 2, lambda a, b: x.saturate(f, x.add(f, a, b)))
    yield one("fma.rn.ftz.sat.f32", "f32", 3, lambda *a: x.saturate(f, ftz(lambda a, b, c: x.fma(f, a, b, c))(*a)))
    yield one("min.NaN.f32", "f32", 2, lambda a, b: x.extreme(f, a, b, True, nan=True))
    yield one("max.ftz.f32", "f32", 2, lambda a, b: x.extreme(f, f.flushed(a), f.flushed(b), False))
    yield one("max.xorsign.abs.f32", "f32", 2, _xorsign)
    yield from _narrow_floats()


def _xorsign(a: int, b: int) -> int:
    f, low = F["f32"], 0x7FFFFFFF
    value = x.extreme(f, a & low, b & low, False)
    return value if f.is_nan(value) else value | (a ^ b) & 1 << 31


TESTS: dict[str, Callable[[x.Float, int], bool]] = {
    "finite": lambda f, a: not f.is_nan(a) and not f.is_inf(a), "infinite": lambda f, a: f.is_inf(a), "number": lambda f, a: not f.is_nan(a),
    "notanumber": lambda f, a: f.is_nan(a), "normal": lambda f, a: not f.is_nan(a) and not f.is_inf(a) and f.flushed(a) == a,  # zeros too (9.7.3.1)
    "subnormal": lambda f, a: f.flushed(a) != a,
}  # fmt: skip


def _narrow_floats() -> Iterator[Form]:
    for t in ("f16", "bf16"):
        f = F[t]
        rules: list[tuple[str, int, Callable[..., int]]] = [("fma.rn", 3, lambda a, b, c, f=f: x.fma(f, a, b, c)),
            ("fma.rn.relu", 3, lambda a, b, c, f=f: _relu(f, x.fma(f, a, b, c))),
            ("min", 2, lambda a, b, f=f: x.extreme(f, a, b, True)),
            ("max.NaN", 2, lambda a, b, f=f: x.extreme(f, a, b, False, True)),
            ("neg", 1, lambda a, f=f: x.negated(f, a)), ("abs", 1, lambda a, f=f: a & (1 << f.bits - 1) - 1),
            ("add.rn", 2, lambda a, b, f=f: x.add(f, a, b)), ("mul.rn", 2, lambda a, b, f=f: x.mul(f, a, b)),
            ("sub.rn", 2, lambda a, b, f=f: x.add(f, a, x.negated(f, b)))]  # fmt: skip
        if t == "f16":
            rules += [
                ("add.rn.sat", 2, lambda a, b, f=f: x.saturate(f, x.add(f, a, b))),
                ("fma.rn.ftz", 3, lambda a, b, c, f=f: f.flushed(x.fma(f, f.flushed(a), f.flushed(b), f.flushed(c)))),
            ]
        for name, count, rule in rules:
            yield one(f"{name}.{t}", t, count, rule)

            def both(*args: int, rule: Callable[..., int] = rule) -> int:
                low, high = (rule(*(a >> s & 0xFFFF for a in args)) for s in (0, 16))
                return low | high << 16

            yield one(f"{name}.{t}x2", f"{t}x2", count, both)


def _relu(f: x.Float, a: int) -> int:
    return a if f.is_nan(a) else 0 if f.sign(a) else a


