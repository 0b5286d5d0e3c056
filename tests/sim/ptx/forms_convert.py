"""More forms: comparisons, selections, conversions, moves, and what the lanes of a warp do together."""

from __future__ import annotations

from collections.abc import Iterator

from sim.ptx import numbers as x
from sim.ptx.forms import BITS, MODES, Form, one
from sim.ptx.numbers import F, clamp, signed


def compares() -> Iterator[Form]:
    signs = {"lo", "ls", "hi", "hs"}
    for t in ("u16", "u32", "u64", "s16", "s32", "s64", "b32", "f32", "f64", "f16", "bf16"):
        f = F.get(t)
        ops = ["eq", "ne"] if t[0] == "b" and f is None else ["eq", "ne", "lt", "le", "gt", "ge"]
        ops += ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"] if f else sorted(signs) if t[0] == "u" else []
        for op in ops:
            def holds(a: int, b: int, op: str = op, t: str = t, f: x.Float | None = f) -> bool:
                if t[0] == "s":
                    a, b = signed(a, BITS[t]), signed(b, BITS[t])
                return x.compare(f, op, a, b)

            def both(a: int, b: int, holds=holds) -> tuple[int, int]:  # noqa: ANN001
                return int(holds(a, b)), int(not holds(a, b))

            if t in ("f16", "bf16"):
                yield Form(f"setp.{op}.{t}", f"setp.{op}.{t} {{d}}, {{a}}, {{b}};", ("pred",), (t, t), lambda a, b,
                    holds=holds: int(holds(a, b)))
            else:
                yield Form(f"setp.{op}.{t}", f"setp.{op}.{t} {{d}}|{{e}}, {{a}}, {{b}};", ("pred", "pred"), (t, t),
                    both)
            if t not in ("bf16", "f16"):
                yield Form(f"set.{op}.u32.{t}", f"set.{op}.u32.{t} {{d}}, {{a}}, {{b}};", ("u32",), (t, t),
                           lambda a, b, holds=holds: 0xFFFFFFFF if holds(a, b) else 0)  # fmt: skip
    for join, f2 in (("and", lambda p, q: p and q), ("or", lambda p, q: p or q), ("xor", lambda p, q: p != q)):
        for sign in ("", "!"):
            def joined(a: int, b: int, c: int, f2=f2, sign: str = sign) -> tuple[int, int]:  # noqa: ANN001
                third = bool(c) != bool(sign)
                return int(f2(a < b, third)), int(f2(a >= b, third))

            yield Form(f"setp.lt.{join}{sign}", f"setp.lt.{join}.u32 {{d}}|{{e}}, {{a}}, {{b}}, {sign}{{c}};",
                ("pred", "pred"), ("u32", "u32", "pred"), joined)
            yield Form(f"set.{join}{sign}.f32", f"set.lt.{join}.f32.u32 {{d}}, {{a}}, {{b}}, {sign}{{c}};", ("f32",),
                ("u32", "u32", "pred"), lambda a, b, c, joined=joined: 0x3F800000 if joined(a, b, c)[0] else 0)

    def pairs(a: int, b: int) -> tuple[int, int]:
        low, high = (int(x.compare(F["f16"], "lt", a >> s & 0xFFFF, b >> s & 0xFFFF)) for s in (0, 16))
        return low, high

    yield Form("setp.lt.f16x2", "setp.lt.f16x2 {d}|{e}, {a}, {b};", ("pred", "pred"), ("f16x2", "f16x2"), pairs)
    for t in ("b16", "b32", "b64", "f32", "f64"):
        yield Form(f"selp.{t}", f"selp.{t} {{d}}, {{a}}, {{b}}, {{c}};", (t,), (t, t, "pred"), lambda a, b, c: a if c
            else b)
    yield Form("slct.b32.s32", "slct.b32.s32 {d}, {a}, {b}, {c};", ("b32",), ("b32", "b32", "s32"), lambda a, b, c: a
        if signed(c, 32) >= 0 else b)
    yield Form("slct.u64.f32", "slct.u64.f32 {d}, {a}, {b}, {c};", ("u64",), ("u64", "u64", "f32"),
               lambda a, b, c: a if x.compare(F["f32"], "ge", c, 0) else b)  # fmt: skip


def conversions() -> Iterator[Form]:
    kinds = [k + str(n) for n in (8, 16, 32, 64) for k in "us"]
    reg = {"u8": "u16", "s8": "s16"}  # registers have 16 bits at least
    for a in kinds:
        for b in kinds:
            held = a[0] == b[0] and BITS[a] <= BITS[b] or (a[0], b[0]) == ("u", "s") and BITS[a] < BITS[b]
            for sat in ("",) if held else ("", ".sat"):  # what always fits cannot saturate
                def change(v: int, a: str = a, b: str = b, sat: str = sat) -> int:
                    v &= (1 << BITS[a]) - 1
                    v = signed(v, BITS[a]) if a[0] == "s" else v
                    v = clamp(v, BITS[b], b[0] == "s") if sat else v
                    v &= (1 << BITS[b]) - 1
                    return signed(v, BITS[b]) if b[0] == "s" else v

                yield one(f"cvt{sat}.{b}.{a}", b, 1, change, out=reg.get(b, b), ins=(reg.get(a, a),))
        for t in ("f16", "f32", "f64", "bf16") if BITS[a] > 8 else ("f16", "f32", "f64"):
            f, is_signed, n = F[t], a[0] == "s", BITS[a]
            for mode in MODES if t != "bf16" else ("rn",):
                def number(v: int, f: x.Float = f, mode: str = mode, is_signed: bool = is_signed, n: int = n) -> int:
                    v &= (1 << n) - 1
                    return f.round(x.Fraction(signed(v, n) if is_signed else v), mode)

                yield one(f"cvt.{mode}.{t}.{a}", t, 1, number, ins=(reg.get(a, a),))
            for how in ("rni", "rzi", "rmi", "rpi") if t != "bf16" else ("rzi",):
                def cut(v: int, f: x.Float = f, how: str = how, is_signed: bool = is_signed, n: int = n,
                        t: str = t) -> int:
                    out = x.to_integer(f, v, how, n, is_signed, t == "f64" or n == 64)
                    return signed(out, n) if is_signed else out

                yield one(f"cvt.{how}.{a}.{t}", a, 1, cut, out=reg.get(a, a), ins=(t,))
    yield from _between_floats()


def _between_floats() -> Iterator[Form]:
    f16, bf16, f32, f64 = (F[t] for t in ("f16", "bf16", "f32", "f64"))
    for a, b in (("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f32", "bf16")):
        for mode in MODES:
            yield one(f"cvt.{mode}.{b}.{a}", b, 1, lambda v, a=a, b=b, mode=mode: x.convert(F[a], F[b], v, mode),
                ins=(a,))
    for a, b in (("f16", "f32"), ("bf16", "f32"), ("f32", "f64"), ("f16", "f64")):
        yield one(f"cvt.{b}.{a}", b, 1, lambda v, a=a, b=b: x.convert(F[a], F[b], v), ins=(a,))
    yield one("cvt.ftz.f64.f32", "f64", 1, lambda v: x.convert(f32, f64, f32.flushed(v)), ins=("f32",))
    yield one("cvt.sat.f32.f32", "f32", 1, lambda v: x.saturate(f32, v))
    yield one("cvt.rn.relu.f16.f32", "f16", 1, lambda v: f16.nan if f32.is_nan(v) else 0 if f32.sign(v)
        else x.convert(f32, f16, v), ins=("f32",))
    for t in ("f32", "f64", "f16"):
        for how in ("rni", "rzi", "rmi", "rpi"):
            def to_whole(v: int, f: x.Float = F[t], how: str = how) -> int:
                if f.is_nan(v):
                    return f.nan
                return v if f.is_inf(v) else f.round(x.Fraction(x.whole(f.value(v), how)), zero=f.sign(v))

            yield one(f"cvt.{how}.{t}.{t}", t, 1, to_whole)
    for t, f in (("f16", f16), ("bf16", bf16)):
        for mode in ("rn", "rz"):
            def pair(a: int, b: int, f: x.Float = f, mode: str = mode) -> int:
                return x.convert(f32, f, a, mode) << 16 | x.convert(f32, f, b, mode)

            yield one(f"cvt.{mode}.{t}x2.f32", f"{t}x2", 2, pair, ins=("f32", "f32"))
    for t in ("e4m3", "e5m2"):
        def small(a: int, b: int, f: x.Float = F[t]) -> int:
            return x.convert(f32, f, a, finite=True) << 8 | x.convert(f32, f, b, finite=True)

        yield one(f"cvt.rn.satfinite.{t}x2.f32", "b16", 2, small, ins=("f32", "f32"))
        yield one(f"cvt.rn.f16x2.{t}x2", "f16x2", 1, lambda v, f=F[t]: x.convert(f, f16, v >> 8) << 16
            | x.convert(f, f16, v & 255), ins=("b16",))
        yield one(f"cvt.rn.satfinite.{t}x2.f16x2", "b16", 1, lambda v,
            f=F[t]: (x.convert(f16, f, v >> 16, finite=True) << 8 | x.convert(f16, f, v & 0xFFFF, finite=True)),
            ins=("f16x2",))  # fmt: skip
    for mode in ("rna", "rn", "rz"):
        def tf32(v: int, mode: str = mode) -> int:
            return 0x7FFFFFFF if f32.is_nan(v) else x.convert(f32, F["tf32"], v, mode) << 13

        yield one(f"cvt.{mode}.tf32.f32", "f32", 1, tf32)
    for t in ("u16", "s16", "u8", "s8"):
        def packed(a: int, b: int, c: int = 0, n: int = BITS[t], is_signed: bool = t[0] == "s") -> int:
            top, low = (clamp(signed(v, 32), n, is_signed) & (1 << n) - 1 for v in (a, b))
            return (c << 2 * n | top << n | low) & 0xFFFFFFFF

        more = t in ("u8", "s8")
        yield one(f"cvt.pack.sat.{t}.s32{'.b32' * more}", "b32", 2 + more, packed,
            ins=("s32", "s32", *(("b32",) * more)))


def moves() -> Iterator[Form]:
    yield Form("mov pack 2x16", "{{ .reg .b16 l, h; mov.b32 {{l, h}}, {a}; mov.b32 {d}, {{h, l}}; }}", ("b32",), ("b32",
        ), lambda a: a >> 16 | (a & 0xFFFF) << 16)
    yield Form("mov pack 2x32", "{{ .reg .b32 l, h; mov.b64 {{l, h}}, {a}; mov.b64 {d}, {{h, l}}; }}", ("b64",), ("b64",
        ), lambda a: a >> 32 | (a & 0xFFFFFFFF) << 32)  # fmt: skip
    yield Form("mov pack 4x16", "{{ .reg .b16 a<4>; mov.b64 {{a0, a1, a2, a3}}, {a}; mov.b64 {d}, {{a3, a2, a1, a0}}; "
        "}}", ("b64",), ("b64",), lambda a: sum((a >> 16 * k & 0xFFFF) << 48 - 16 * k for k in range(4)))  # fmt: skip
    yield Form("mov.pred", "mov.pred {d}, {a};", ("pred",), ("pred",), lambda a: a)
    for op, f in (("and", lambda p, q: p & q), ("or", lambda p, q: p | q), ("xor", lambda p, q: p ^ q)):
        yield Form(f"{op}.pred", f"{op}.pred {{d}}, {{a}}, {{b}};", ("pred",), ("pred", "pred"), f)
    yield Form("not.pred", "not.pred {d}, {a};", ("pred",), ("pred",), lambda a: 1 - a)


def lanes() -> Iterator[Form]:
    for mode in ("up", "down", "bfly", "idx"):
        for b in (0, 1, 5, 16, 31):
            for c in (0x0, 0x1F, 0x181F, 0x1807, 0x1C03):
                def moved(a: list[int], mode: str = mode, b: int = b, c: int = c, at: list[int]
                        | None = None) -> tuple[list[int], list[int]]:
                    out, inside = [], []
                    for lane in range(32):
                        by = at[lane] & 31 if at is not None else b
                        segment, limit = c >> 8 & 31, c & 31
                        last = lane & segment | limit & ~segment
                        j = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": lane & segment
                            | by & ~segment}[mode]
                        good = j >= last if mode == "up" else j <= last
                        inside.append(int(good))
                        out.append(a[j & 31 if good else lane])
                    return out, inside

                text = f"shfl.sync.{mode}.b32 {{d}}|{{e}}, {{a}}, {b}, {c:#x}, -1;"
                yield Form(f"shfl.{mode}.{b}.{c:#x}", text, ("b32", "pred"), ("b32",), moved, warp=True)
        text = f"shfl.sync.{mode}.b32 {{d}}|{{e}}, {{a}}, {{b}}, 0x1f, 0xffffffff;"
        limit = 0 if mode == "up" else 0x1F
        text = text.replace("0x1f", hex(limit))
        yield Form(f"shfl.{mode}.reg", text, ("b32", "pred"), ("b32", "n32"), lambda a, b, moved=moved,
            limit=limit: moved(a, c=limit, at=b), warp=True)
    yield Form("vote.ballot", "vote.sync.ballot.b32 {d}, {a}, -1;", ("b32",), ("pred",),
        lambda a: [sum(v << k for k, v in enumerate(a))] * 32, warp=True)
    yield Form("vote.all", "vote.sync.all.pred {d}, {a}, -1;", ("pred",), ("pred",), lambda a: [int(all(a))] * 32,
        warp=True)
    yield Form("vote.any", "vote.sync.any.pred {d}, !{a}, -1;", ("pred",), ("pred",), lambda a: [int(not all(a))] * 32,
        warp=True)
    yield Form("vote.uni", "vote.sync.uni.pred {d}, {a}, -1;", ("pred",), ("pred",),
        lambda a: [int(len(set(a)) == 1)] * 32, warp=True)
    for n in (32, 64):
        yield Form(f"match.any.b{n}",
            f"{{{{ .reg .b{n} t; and.b{n} t, {{a}}, 3; match.any.sync.b{n} {{d}}, t, -1; }}}}", ("b32",), (f"b{n}",),
            lambda a: [sum(1 << k for k in range(32) if a[k] & 3 == v & 3) for v in a], warp=True)  # fmt: skip
    yield Form("match.all.b32", "{{ .reg .b32 t; and.b32 t, {a}, 0; match.all.sync.b32 {d}|{e}, t, -1; }}",
        ("b32", "pred"), ("b32",), lambda a: ([0xFFFFFFFF] * 32, [1] * 32), warp=True)  # fmt: skip
    for t in ("u32", "s32"):
        for op, f in (("add", sum), ("min", min), ("max", max)):
            def reduced(a: list[int], f=f, t: str = t) -> list[int]:  # noqa: ANN001
                return [f(signed(v, 32) if t == "s32" else v for v in a) & 0xFFFFFFFF] * 32

            yield Form(f"redux.{op}.{t}", f"redux.sync.{op}.{t} {{d}}, {{a}}, -1;", (t,), (t,), reduced, warp=True)
