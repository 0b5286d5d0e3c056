"""Small C++ programs, drawn with seeds, that clang makes into kernels as HIP has them, and into code of this machine, which is their judge: integers of all widths,
floats of exactly rounded operations, branches and loops that lanes leave one by one, switches, private arrays, structs by value and by address, functions that are
not inlined, tables in constant memory, bytes at any address.

The compiler is the ziglang wheel's."""

from __future__ import annotations

import ctypes
import os
import pathlib
import random
import subprocess

import numpy as np

from tools import folder, missing, zig

BLOCK, GRID, WORDS, OUTPUTS = 64, 2, 256, 12
INTS = {f"{sign}{bits}": bits for bits in (8, 16, 32, 64) for sign in "iu"}
FLOATS = ("f32", "f64", "f16")
KINDS = (*INTS, "i32", "u32", "u32", "u64", *FLOATS)
FLAGS = ("-std=c++20", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-w")
HEAD = r"""
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16; typedef int i32; typedef unsigned u32;
typedef long long i64; typedef unsigned long long u64; typedef float f32; typedef double f64; typedef _Float16 f16;
typedef u8 u8x4 __attribute__((ext_vector_type(4))); typedef u32 u32x4 __attribute__((ext_vector_type(4)));
#ifdef __AMDGCN__
#define DEVICE static __attribute__((device))
#define TABLE static __attribute__((constant)) const
#define KERNEL extern "C" __attribute__((global))
#define LANE ((u32)__builtin_amdgcn_workitem_id_x())
#define GROUP ((u32)__builtin_amdgcn_workgroup_id_x())
#else
#define DEVICE static
#define TABLE static const
#define KERNEL extern "C"
extern "C" { u32 LANE, GROUP; }
#endif
#define APART DEVICE __attribute__((noinline))
template <class T> DEVICE T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a / b); }
template <class T> DEVICE T rest(T a, T b) { return b == 0 || b == (T)-1 ? (T)(a ^ 1) : (T)(a % b); }
template <class T> DEVICE T product(T a, T b) { T r; return __builtin_mul_overflow(a, b, &r) ? (T)(r ^ 5) : r; }
template <class T> DEVICE T sum(T a, T b) { T r; return __builtin_add_overflow(a, b, &r) ? (T)(r ^ 5) : r; }
template <class T> DEVICE u32 zeros(T x) { return x ? __builtin_clzll(x) + __builtin_ctzll(x) : 77; }
template <class T> DEVICE i64 whole(T x) { return x > (T)-30000 && x < (T)30000 ? (i64)x : 11; }
template <class T> DEVICE T some(T x) { return x == x && x != (T)0 ? x : (T)1; }
DEVICE u64 bits(f32 x) { return x != x ? 1 : __builtin_bit_cast(u32, x); }
DEVICE u64 bits(f64 x) { return x != x ? 1 : __builtin_bit_cast(u64, x); }
DEVICE u64 bits(f16 x) { return x != x ? 1 : __builtin_bit_cast(u16, x); }
struct Record { u8 a; i16 b; u32 c; u64 d; u8 e[5]; };
APART u64 taken(Record s, u32 x) { return s.a + s.b * 3 + s.c * (u64)x + s.d + s.e[x % 5]; }
APART void changed(Record *s) { s->c += s->a; s->d ^= s->c; s->b = s->b * s->a; s->e[s->a % 5] += 3; }
"""


class Program:
    """A program as it is drawn: `text`."""

    def __init__(self, seed: int):
        self.r, self.count, self.loops, self.functions = random.Random(seed), 0, 0, []
        out = [HEAD, *(f"TABLE {t} table_{t}[16] = {{{', '.join(self.number(t) for _ in range(16))}}};" for t in INTS)]
        for k in range(self.r.randint(0, 2)):
            out += self.function(f"f{k}")
        names = {"x": "u32", "y": "i32", "q": "f32", "l": "u64", "lane": "u32"}
        body = ["u32 lane = LANE, at = GROUP * 64 + lane; u32 x = in[at]; i32 y = in[lane * 7 + 3 & 255]; f32 q = floats[at]; u64 l = (u64)in[lane] << 20 ^ y;",
            "u32 some_words[8]; for (int z = 0; z < 8; z++) some_words[z] = z * 5 + (x & 7);"]  # fmt: skip
        for _ in range(self.r.randint(3, 6)):
            body += self.statement(names, 2)
        last = list(names.items())[-OUTPUTS + 1 :]
        body += [f"o[{k}] = {n if t in INTS else f'bits({n})'};" for k, (n, t) in enumerate(last)]
        body.append(f"u64 h = 0; for (int z = 0; z < 8; z++) h = h * 31 + some_words[z]; o[{OUTPUTS - 1}] = h;")
        out += ["KERNEL void k(const u32 *in, const f32 *floats, u64 *out) {", f"u64 *o = out + (GROUP * 64 + LANE) * {OUTPUTS};", *body, "}"]
        self.text = "\n".join(out) + "\n"

    def new(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def number(self, t: str) -> str:
        if t in FLOATS:
            return f"({t}){self.r.choice((0.0, 1.0, -0.5, 3.25, 1e-3, self.r.uniform(-9, 9)))!r}"
        bits = INTS[t]
        return f"({t}){self.r.choice((self.r.getrandbits(self.r.randint(1, bits)), 0, (1 << bits) - 1, 1 << bits - 1))}ull"

    def cast(self, text: str, old: str, new: str) -> str:
        if old in FLOATS and new in INTS:
            return f"({new})whole({text})"
        return f"({new})(i16)({text})" if new == "f16" and old in INTS else f"({new})({text})"

    def test(self, names: dict[str, str], depth: int) -> str:
        t = self.r.choice(KINDS)
        return f"({self.value(names, t, depth)} {self.r.choice(('<', '<=', '>', '==', '!='))} {self.value(names, t, depth)})"

    def value(self, names: dict[str, str], t: str, depth: int) -> str:
        """An expression of a type."""
        r = self.r
        if depth <= 0:
            name, old = r.choice(list(names.items()))
            return self.cast(name, old, t) if r.random() < 0.8 else self.number(t)
        a, b, n = (self.value(names, u, depth - 1) for u in (t, t, "u32"))
        other = r.choice(KINDS)
        ways = [f"({self.test(names, depth - 1)} ? {a} : {b})", self.cast(self.value(names, other, depth - 1), other, t)]
        if t in FLOATS:
            ways += [f"({a} {op} {b})" for op in "+-**/"] + [f"__builtin_elementwise_{f}({a})" for f in ("floor", "rint", "trunc", "abs", "ceil")]
            ways += [f"__builtin_elementwise_sqrt(__builtin_elementwise_abs({a}))", f"__builtin_elementwise_fma({a}, {b}, {self.value(names, t, 0)})"]
            ways += [f"__builtin_elementwise_{f}(some({a}), some({b}))" for f in ("maxnum", "copysign")]
            return f"({t})" + r.choice(ways)
        bits, u = INTS[t], "u" + t[1:]
        ways += [f"({a} {op} {b})" for op in "+-*&|^"] + [f"({a} {op} ({n} & {bits - 1}))" for op in ("<<", ">>")]
        ways += [f"{f}<{t}>({a}, {b})" for f in ("quotient", "rest", "product", "sum")] + [f"table_{t}[{n} & 15]", f"in[{n} & 255]", f"zeros(({u}){a})"]
        ways += [f"__builtin_bitreverse{bits}(({u}){a})", f"__builtin_popcountll(({u}){a})", f"__builtin_rotateleft{bits}(({u}){a}, ({u}){b})"]
        # LLVM 22 adds the carry that is asked for to the wrong sum where it saturates 64 bits.
        ways += [f"__builtin_elementwise_{f}({a}, {b})" for f in ("min", "max", *(("add_sat", "sub_sat") if bits < 64 else ()))]
        for name, result, takes in self.functions:
            if result == t:
                ways += [f"{name}(in, {', '.join(self.value(names, p, 0) for p in takes)})"] * 3
        return f"({t})" + r.choice(ways)

    def function(self, name: str) -> list[str]:
        t, takes = self.r.choice(list(INTS)), [self.r.choice(KINDS) for _ in range(self.r.choice((1, 3, 6, 36)))]
        names = {f"p{k}": p for k, p in enumerate(takes)}
        head = f"APART {t} {name}(const u32 *in, {', '.join(f'{p} {n}' for n, p in names.items())}) {{"
        body = ["u32 some_words[8]; for (int z = 0; z < 8; z++) some_words[z] = z;", *self.statement(names, 1), *self.statement(names, 1)]
        out = [head, *body, f"return {self.value(names, t, 2)};", "}"]
        self.functions.append((name, t, takes))
        return out

    def block(self, names: dict[str, str], depth: int) -> list[str]:
        inner = dict(names)
        return [line for _ in range(self.r.randint(1, 2)) for line in self.statement(inner, depth)]

    def statement(self, names: dict[str, str], depth: int) -> list[str]:
        r = self.r
        kind = r.choice(("let", "let", "set", "array", "record", "bytes", "vector", *(("if", "loop", "switch") * 2 if depth else ())))
        name, t = self.new(), r.choice(KINDS)
        index, word, test = self.value(names, "u32", 1), self.value(names, "u32", 2), self.test(names, 1)
        if kind == "set":
            name, t = r.choice(list(names.items()))
            return [f"{name} = {self.value(names, t, 3)};"]
        if kind == "let":
            out = [f"{t} {name} = {self.value(names, t, 3)};"]
        elif kind == "array":
            t, out = "u32", [f"some_words[{index} & 7] = {word};", f"u32 {name} = some_words[{self.value(names, 'u32', 1)} & 7];"]
        elif kind == "record":
            fields = f"{{{', '.join(self.value(names, u, 1) for u in ('u8', 'i16', 'u32', 'u64'))}, {{1, 2, 3, 4, 5}}}}"
            t, out = "u64", [f"Record s{name} = {fields}; s{name}.e[{index} % 5] = 9; changed(&s{name}); u64 {name} = taken(s{name}, {index});"]
        elif kind == "bytes":
            t = r.choice(("u16", "u32", "u64"))
            out = [f"{t} {name}; __builtin_memcpy(&{name}, (const u8 *)in + ({word} & 1000), sizeof({t}));"]
        elif kind == "vector":
            t = r.choice(("u8", "u32"))
            one, two = (f"({t}x4){{{', '.join(self.value(names, t, 1) for _ in range(4))}}}" for _ in range(2))
            out = [f"{t}x4 w{name} = {one}; w{name} = w{name} * {two} + (w{name} >> ({t})3); w{name}[{index} & 3] = 5; {t} {name} = w{name}[{word} & 3];"]
        elif kind == "if":
            return [f"if {test} {{", *self.block(names, depth - 1), "} else {", *self.block(names, depth - 1), "}"]
        elif kind == "switch":
            cases = [line for k in range(r.randint(3, 6)) for line in (f"case {k}: {{", *self.block(names, depth - 1), r.choice(("} break;", "} break;", "}")))]
            return [f"switch ({word} % 7) {{", *cases, "}"]
        else:
            inner = {**names}
            return [f"for (u32 {name} = 0, e{name} = {word} % 5; {name} < e{name}; {name}++) {{", *self.block(inner, depth - 1),
                f"if {test} {r.choice(('break', 'continue'))};", *self.block(inner, depth - 1), "}"]  # fmt: skip
        names[name] = t
        return out


def compiler() -> str:
    path = zig()
    if path is None:
        missing("zig", "pip install ziglang")
    assert path is not None
    return path


def assembly(text: str, chip: str, level: str) -> str:
    """What clang makes of a program for an AMD GPU."""
    command = [compiler(), "clang", "-x", "hip", "--cuda-device-only", f"--offload-arch={chip}", "-nogpuinc", "-nogpulib", f"-O{level}", "-S", *FLAGS, "-o", "-", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def inputs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    words = (rng.integers(0, 1 << 32, WORDS, dtype=np.uint64) >> rng.integers(0, 32, WORDS, dtype=np.uint64)).astype(np.uint32)
    return words, (rng.standard_normal(WORDS) * 10.0 ** rng.integers(-3, 5, WORDS)).astype(np.float32)


def judged(text: str, seed: int) -> np.ndarray:
    """What this machine computes, one thread after another."""
    source: pathlib.Path = folder() / f"clang-{os.getpid()}-{seed}.cpp"
    source.write_text(text)
    caches = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(folder() / "zig"), "ZIG_LOCAL_CACHE_DIR": str(folder() / "zig")}
    plain = ("-Xclang", "-ffloat16-excess-precision=none", "-fno-sanitize=all", "-nostdlib++")
    subprocess.run([compiler(), "c++", "-O1", "-shared", "-fPIC", *plain, *FLAGS, "-o", str(source.with_suffix(".so")), str(source)], check=True, env=caches)
    code = ctypes.CDLL(str(source.with_suffix(".so")))
    lane, group = (ctypes.c_uint32.in_dll(code, name) for name in ("LANE", "GROUP"))
    words, floats = inputs(seed)
    out = np.zeros((GRID * BLOCK, OUTPUTS), np.uint64)
    for thread in range(GRID * BLOCK):
        group.value, lane.value = divmod(thread, BLOCK)
        code.k(*(ctypes.c_void_p(x.ctypes.data) for x in (words, floats, out)))
    return out
