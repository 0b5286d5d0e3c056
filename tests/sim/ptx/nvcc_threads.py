"""Families of programs in which threads work together or memory is more than arrays of numbers: shared, warps, atomics,
local, structs, calls."""

from __future__ import annotations

import functools

import numpy as np

from sim.ptx.nvcc_programs import Made, family
from sim.ptx.nvcc_values import CTYPES, DTYPES, N, bits, drawn, wrapped

W = N // 2  # threads of a block, and of a warp
FOLDS = {"+": np.add, "^": np.bitwise_xor, "&": np.bitwise_and, "|": np.bitwise_or, "max": np.maximum,
    "min": np.minimum, "*": np.multiply}  # fmt: skip


def one(rng: np.random.Generator, of):
    return of[int(rng.integers(0, len(of)))]


def folded(op: str, a: str, b: str) -> str:
    return f"({a} {'<' if op == 'min' else '>'} {b} ? {a} : {b})" if op in ("min", "max") else f"({a} {op} {b})"


# -- shared memory -----------------------------------------------------------------------------------------------------


def tree_in_shared(name: str, rng: np.random.Generator) -> Made:
    """A reduction of a block, in steps."""
    t, op = one(rng, ("u32", "u64", "u16", "u8")), one(rng, tuple(FOLDS))
    a, c = drawn(rng, t), CTYPES[t]
    body = [f"__shared__ {c} s[{N}];", "s[threadIdx.x] = a[i];", "__syncthreads();",
        f"for (int k = {W}; k; k >>= 1) {{", f"    if (threadIdx.x < k) s[threadIdx.x] = "
        f"({c}){folded(op, 's[threadIdx.x]', 's[threadIdx.x + k]')};", "    __syncthreads();", "}",
        "if (threadIdx.x == 0) o[0] = s[0];"]  # fmt: skip
    want = functools.reduce(FOLDS[op], list(a))
    return Made(name, body, [(c, a)], c, np.array([want], DTYPES[t]), grid=1, block=N)


def scan_in_shared(name: str, rng: np.random.Generator) -> Made:
    t, op = one(rng, ("u32", "u64")), one(rng, ("+", "^", "max", "|"))
    a, c = drawn(rng, t), CTYPES[t]
    body = [f"__shared__ {c} s[2][{N}];", "int at = 0;", "s[0][threadIdx.x] = a[i];", "__syncthreads();",
        f"for (int k = 1; k < {N}; k *= 2) {{", f"    {c} v = s[at][threadIdx.x];", "    if (threadIdx.x >= k) {",
        f"        {c} w = s[at][threadIdx.x - k];", f"        v = {folded(op, 'v', 'w')};", "    }", "    at ^= 1;",
        "    s[at][threadIdx.x] = v;", "    __syncthreads();", "}", "o[i] = s[at][threadIdx.x];"]  # fmt: skip
    return Made(name, body, [(c, a)], c, FOLDS[op].accumulate(a).astype(DTYPES[t]), grid=1, block=N)


def moved_in_shared(name: str, rng: np.random.Generator) -> Made:
    """A permutation through a tile with padding."""
    rows, odd = one(rng, (4, 8, 16)), 2 * int(rng.integers(0, 32)) + 1
    columns, a = N // rows, drawn(rng, "f32")
    body = [f"__shared__ float s[{rows}][{columns + 1}];", f"const unsigned j = i * {odd} & {N - 1};",
        f"s[j / {columns}][j % {columns}] = a[i];", "__syncthreads();", f"o[i] = s[i % {rows}][i / {rows}];"]
    i = np.arange(N)
    tile = np.empty(N, np.float32)
    tile[i * odd % N] = a
    return Made(name, body, [("float", a)], "float", tile.reshape(rows, columns)[i % rows, i // rows], grid=1, block=N)


def counted_in_shared(name: str, rng: np.random.Generator) -> Made:
    """A histogram with atomics of shared memory, and __syncthreads_count of a condition."""
    a, shift, limit = drawn(rng, "u32"), int(rng.integers(0, 5)), int(rng.integers(1, 1 << 31))
    body = [
        "__shared__ unsigned s[16];", "if (threadIdx.x < 16) s[threadIdx.x] = 0;", "__syncthreads();",
        f"atomicAdd(&s[a[i] >> {shift} & 15], 1 + (i & 3));",
        f"const unsigned n = __syncthreads_count(a[i] < {limit}u);",
        f"const int all = __syncthreads_and(a[i] != {int(a[5])}u), any = __syncthreads_or(a[i] > {limit}u);",
        "if (threadIdx.x < 16) o[threadIdx.x] = s[threadIdx.x];", "o[16 + i] = n * 4 + (all ? 2 : 0) + (any ? 1 : 0);",
    ]  # fmt: skip
    i = np.arange(N)
    bins = np.bincount(a >> np.uint32(shift) & np.uint32(15), 1 + (i & 3), 16)
    value = int((a < limit).sum()) * 4 + int((a > limit).any())
    return Made(name, body, [("unsigned", a)], "unsigned", np.concatenate([bins, np.full(N, value)]).astype(np.uint32),
        grid=1, block=N)


@family("shared", 14)
def shared(name: str, rng: np.random.Generator, k: int) -> Made:
    return (tree_in_shared, scan_in_shared, moved_in_shared, counted_in_shared)[k % 4](name, rng)


# -- warps -------------------------------------------------------------------------------------------------------------


def shuffled(name: str, rng: np.random.Generator) -> Made:
    """Shuffles in segments: CUDA C++ Programming Guide, "Warp Shuffle Functions"."""
    t = one(rng, ("u32", "i32", "f32", "u64", "f64"))
    a, lane, base = drawn(rng, t), np.arange(N) % 32, np.arange(N) // 32 * 32
    body, wants = [], []
    for k, how in enumerate(("", "_up", "_down", "_xor")):
        width, delta = one(rng, (4, 8, 16, 32)), int(rng.integers(1, 16))
        text = f"a[i], (i * {delta} + 3) & 31, {width}" if not how else f"a[i], {delta % width}, {width}"
        body.append(f"o[{k * N} + i] = __shfl{how}_sync(0xffffffff, {text});")
        d, start = delta % width, lane // width * width
        to = {"": start + (np.arange(N) * delta + 3 & 31) % width, "_up": lane - d, "_down": lane + d,
            "_xor": lane ^ d}[how]
        wants.append(a[base + np.where((to >= start) & (to < start + width), to, lane)])
    return Made(name, body, [(CTYPES[t], a)], CTYPES[t], np.concatenate(wants))


def voted(name: str, rng: np.random.Generator) -> Made:
    a, limit, few = drawn(rng, "u32"), int(rng.integers(1, 1 << 24)), one(rng, (1, 3, 7))
    body = [
        f"o[i] = __ballot_sync(0xffffffff, a[i] < {limit}u);",
        f"o[{N} + i] = __any_sync(0xffffffff, a[i] > {0xFFFFFFFF - limit}u) * 2 + __all_sync(0xffffffff, a[i] != 1);",
        f"o[{2 * N} + i] = __match_any_sync(0xffffffff, a[i] & {few});", "int p;",
        f"o[{3 * N} + i] = __match_all_sync(0xffffffff, i / 32 * (a[i] & {few}), &p) + p;",
        f"if (a[i] < {limit}u) o[{4 * N} + i] = __activemask() == __ballot_sync(__activemask(), 1);",
        f"o[{5 * N} + i] = __match_any_sync(0xffffffff, a[i] & 1ull << 33 | i % 5);",
    ]  # fmt: skip
    bit = np.uint64(1) << np.arange(32, dtype=np.uint64)

    def mask(same: np.ndarray) -> int:
        return int(bit[same].sum())

    wants = [[] for _ in range(6)]
    for j in range(N):
        warp, number = a[j // 32 * 32 : j // 32 * 32 + 32], np.arange(j // 32 * 32, j // 32 * 32 + 32)
        wants[0].append(mask(warp < limit))
        wants[1].append(int((warp > 0xFFFFFFFF - limit).any()) * 2 + int((warp != 1).all()))
        wants[2].append(mask(warp & few == a[j] & few))
        key = number // 32 * (warp & few)
        wants[3].append((0xFFFFFFFF + 1 if (key == key[0]).all() else 0) & 0xFFFFFFFF)
        wants[4].append(int(a[j] < limit))
        wants[5].append(mask(number % 5 == j % 5))
    return Made(name, body, [("unsigned", a)], "unsigned", np.array(wants, np.uint32).ravel())


def reduced(name: str, rng: np.random.Generator) -> Made:
    """redux, and the same in shuffles; half of the lanes in one program."""
    t, op = one(rng, ("u32", "i32")), one(rng, ("add", "min", "max"))
    a, limit = drawn(rng, t), int(rng.integers(3, 30))
    fold, logic = {"add": "+", "min": "min", "max": "max"}[op], one(rng, ("&", "|", "^"))
    word = {"&": "and", "|": "or", "^": "xor"}[logic]
    u, v = "unsigned", CTYPES[t]
    body = [f"o[i] = __reduce_{op}_sync(0xffffffff, a[i]);", f"const {u} on = (1u << {limit}) - 1;",
        f"if ((i & 31) < {limit}) o[{N} + i] = __reduce_{word}_sync(on, ({u})a[i] * 3u);", f"{v} w = a[i];",
        "for (int k = 16; k; k >>= 1) {", f"    {v} x = __shfl_xor_sync(0xffffffff, w, k);",
        f"    w = ({v}){folded(fold, f'({u})w' if fold == '+' else 'w', f'({u})x' if fold == '+' else 'x')};", "}",
        f"o[{2 * N} + i] = w;"]  # fmt: skip
    warps = a.reshape(2, 32)
    whole = np.repeat([functools.reduce(FOLDS[fold], list(w)) for w in warps], 32)
    some = np.repeat([functools.reduce(FOLDS[logic], list(w.view(np.uint32)[:limit] * np.uint32(3))) for w in warps],
        32)
    some = np.where(np.arange(N) % 32 < limit, some, 0).astype(np.uint32).view(a.dtype)
    return Made(name, body, [(v, a)], v, np.concatenate([whole, some, whole]).astype(a.dtype))


@family("warp", 18)
def warps(name: str, rng: np.random.Generator, k: int) -> Made:
    return (shuffled, voted, reduced)[k % 3](name, rng)


# -- atomics -----------------------------------------------------------------------------------------------------------


@family("atomic", 14)
def atomics(name: str, rng: np.random.Generator, k: int) -> Made:
    """What is left in memory does not depend on the order."""
    t = ("u32", "i32", "u64", "i64")[k // 2 % 4]
    ops = ("Add", "Min", "Max", "And", "Or", "Xor")
    c, a, cells = CTYPES[t], drawn(rng, t), 2 + int(rng.integers(0, 5))
    first = drawn(rng, t, 7 * cells)
    body, want, i = [f"{c}* p = o + i % {cells};"], first.copy(), np.arange(N)
    numpy = (np.add, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor)
    for j, (op, how) in enumerate(zip(ops, numpy, strict=True)):
        if op in ("Add", "And", "Or", "Xor") and t == "i64":
            text = f"atomic{op}((unsigned long long*)p + {j * cells}, (unsigned long long)a[i]);"
        else:
            text = f"atomic{op}(p + {j * cells}, a[i]);"
        body.append(text if j % 2 else f"if (a[i] & 1) {text}")
        on = np.flatnonzero((j % 2 != 0) | (a & a.dtype.type(1) != 0))
        how.at(want, j * cells + i[on] % cells, a[on])
    u = "unsigned long long" if bits(t) == 64 else "unsigned"
    body += [  # 3 * x + a[i] with a loop of compare and swap would depend on the order: x + 2 a[i] does not
        f"{u} *q = ({u}*)p + {6 * cells}, old = *q, seen;", "do {", "    seen = old;", f"    old = atomicCAS(q, seen, seen + 2 * ({u})a[i]);",
        "} while (old != seen);",
    ]  # fmt: skip
    np.add.at(want, 6 * cells + i % cells, a + a)
    return Made(name, body, [(c, a)], c, want, first)


@family("ticket", 4)
def tickets(name: str, rng: np.random.Generator, k: int) -> Made:
    """Values that atomics give: each one once; inc and dec wrap; exch chains."""
    most, step = int(rng.integers(5, 70)), 1 + int(rng.integers(0, 5))
    body = [f"const unsigned n = atomicAdd(o, {step}u) / {step}u;", "o[4 + n] = n * 7 + 1;",
        f"atomicInc(o + 1, {most}u);", f"atomicDec(o + 2, {most}u);", "const unsigned was = atomicExch(o + 3, i + 1);",
        f"atomicXor(o + {4 + N}, was);"]  # fmt: skip
    # What the exchanges gave and what they left are 0 and all of i + 1, whatever the order: their xor is known.
    body += ["__syncthreads();", f"if (i == 0) atomicXor(o + {4 + N}, atomicExch(o + 3, 0));"]
    low = 0
    for _ in range(N):
        low = most if low == 0 or low > most else low - 1
    every = functools.reduce(lambda x, y: x ^ y, range(1, N + 1))
    want = [N * step, N % (most + 1), low, 0, *(n * 7 + 1 for n in range(N)), every]
    return Made(name, body, [], "unsigned", np.array(want, np.uint32), grid=1, block=N)


# -- memory and calls --------------------------------------------------------------------------------------------------


def local_array(name: str, rng: np.random.Generator) -> Made:
    t, size, k = one(rng, ("u32", "u16", "u64", "u8")), one(rng, (8, 16)), int(rng.integers(1, 99))
    a, b, c = drawn(rng, t), drawn(rng, "u32"), CTYPES[t]
    body = [f"{c} s[{size}];", "#pragma unroll 1", f"for (int j = 0; j < {size}; ++j) s[j] = ({c})(a[i] * (j + "
        f"{k}ull));", "#pragma unroll 1", "for (unsigned j = b[i]; j; j >>= 4)", f"    s[j & {size - 1}] = ({c})(s[j "
        f">> 1 & {size - 1}] ^ s[j & {size - 1}] + j);", f"o[i] = s[b[i] % {size}];", f"o[{N} + i] = s[i & 7];"]
    last, sevens = [], []
    for i in range(N):
        s = [int(a[i]) * (j + k) & (1 << bits(t)) - 1 for j in range(size)]
        j = int(b[i])
        while j:
            s[j % size] = (s[(j >> 1) % size] ^ s[j % size] + j) & (1 << bits(t)) - 1
            j >>= 4
        last.append(s[int(b[i]) % size])
        sevens.append(s[i & 7])
    return Made(name, body, [(c, a), ("unsigned", b)], c, wrapped(last + sevens, t))


def vectors(name: str, rng: np.random.Generator) -> Made:
    c, t = one(rng, (
        ("int4", "i32"), ("uint2", "u32"), ("short4", "i16"), ("uchar4", "u8"), ("longlong2", "i64"),
        ("float4", "f32"), ("double2", "f64"), ("char2", "i8"),
    ))  # fmt: skip
    n = int(c[-1])
    a, turn = drawn(rng, t, N * n), [int(x) for x in rng.permutation(n)]
    turned = ", ".join("v." + "xyzw"[j] for j in turn)
    body = [f"const {c} v = a[i ^ 1];", f"o[i] = make_{c}({turned});", f"if (a[i].x == a[i].y) o[i].{'xyzw'[n - 1]} = "
        f"v.x;"]
    want = a.reshape(N, n)[np.arange(N) ^ 1][:, turn].copy()
    same = a.reshape(N, n)[:, 0] == a.reshape(N, n)[:, 1]
    want[same, n - 1] = a.reshape(N, n)[np.arange(N) ^ 1][same, 0]
    return Made(name, body, [(c, a)], c, want.ravel())


def records(name: str, rng: np.random.Generator) -> Made:
    """Structs with holes, passed by value to a function that is not inlined and given back."""
    dtype = np.dtype([("p", "i1"), ("q", "u2"), ("r", "i4"), ("s", "u8")], align=True)
    a, k = np.zeros(N, dtype), int(rng.integers(1, 1 << 16))
    for field, t in (("p", "i8"), ("q", "u16"), ("r", "i32"), ("s", "u64")):
        a[field] = drawn(rng, t)
    before = f"""struct S_{name} {{ signed char p; unsigned short q; int r; unsigned long long s; }};
__device__ __noinline__ S_{name} f_{name}(S_{name} v, unsigned k) {{
    S_{name} w;
    w.p = (signed char)v.q; w.q = (unsigned short)(v.r >> 5); w.r = (int)((unsigned)v.p * k); w.s = v.s * k + v.q;
    return w;
}}"""
    body = [f"const S_{name} w = f_{name}(a[i], {k}u + i);", "o[i] = w.p;", f"o[{N} + i] = w.q;",
        f"o[{2 * N} + i] = w.r;", f"o[{3 * N} + i] = w.s;"]
    rows = [(int(x["p"]), int(x["q"]), int(x["r"]), int(x["s"]), k + i) for i, x in enumerate(a)]
    wants = [wrapped([q for _, q, _, _, _ in rows], "i8"), wrapped([r >> 5 for _, _, r, _, _ in rows], "u16"),
        wrapped([p * n for p, _, _, _, n in rows], "i32"), wrapped([s * n + q for _, q, _, s, n in rows], "u64")]
    return Made(name, body, [(f"S_{name}", a)], "long long", np.concatenate([w.astype(np.int64) for w in wants]),
        before=before)


def tables(name: str, rng: np.random.Generator) -> Made:
    """Constant memory and variables of the module, by dynamic indices."""
    t = one(rng, ("u32", "i16", "u64"))
    table, more, a = drawn(rng, t, 16), drawn(rng, "u8", 8), drawn(rng, "u32")
    spelled = [", ".join(f"({CTYPES[t]}){int(x) & 0xFFFFFFFFFFFFFFFF}ull" for x in table),
        ", ".join(str(int(x)) for x in more)]
    before = (f"__constant__ {CTYPES[t]} c_{name}[16] = {{{spelled[0]}}};\n__device__ unsigned char g_{name}[8] = "
        f"{{{spelled[1]}}};")
    body = [f"o[i] = c_{name}[a[i] & 15];", f"o[{N} + i] = ({CTYPES[t]})(c_{name}[i % 16] ^ g_{name}[a[i] >> 3 & 7]);"]
    second = wrapped([int(table[i % 16]) ^ int(more[int(a[i]) >> 3 & 7]) for i in range(N)], t)
    return Made(name, body, [("unsigned", a)], CTYPES[t], np.concatenate([table[a & 15], second]), before=before)


def calls(name: str, rng: np.random.Generator) -> Made:
    """Functions that are not inlined and call each other, from several places and under a condition of each thread."""
    k, few, a = int(rng.integers(2, 99)), int(rng.integers(3, 7)), drawn(rng, "u32")
    before = f"""__device__ __noinline__ unsigned g_{name}(unsigned x, unsigned n) {{
    while (x & 4 && n--) x = x / 3 * {k} + n;
    return x ^ {k};
}}
__device__ __noinline__ unsigned f_{name}(unsigned x, unsigned long long* sum, unsigned n) {{
    *sum += (unsigned long long)x << (n & 31);
    if (x & 1) return g_{name}(x * {k} + 1, n) - g_{name}(x >> 2, n / 2);
    return g_{name}(x, n) * 5 + n;
}}"""
    body = ["unsigned long long sum = i;", f"unsigned v = f_{name}(a[i], &sum, i % {few});",
        f"if (v % 3 == 0) v = f_{name}(v + 1, &sum, {few});", "o[i] = v;", f"o[{N} + i] = sum;"]  # fmt: skip
    wants, sums, low = [], [], 0xFFFFFFFF

    def g(x: int, n: int) -> int:
        while x & 4 and n:
            n -= 1
            x = x // 3 * k + n & low
        return x ^ k

    def f(x: int, n: int) -> int:
        sums[-1] += x << n
        return (g(x * k + 1 & low, n) - g(x >> 2, n // 2) if x & 1 else g(x, n) * 5 + n) & low

    for i, x in enumerate(a):
        sums.append(i)
        v = f(int(x), i % few)
        wants.append(f(v + 1 & low, few) if v % 3 == 0 else v)
    return Made(name, body, [("unsigned", a)], "unsigned long long", wrapped(wants + sums, "u64"), before=before)


def chosen(name: str, rng: np.random.Generator) -> Made:
    """Functions of a table, chosen by data; stores under a condition."""
    k, limit, a = int(rng.integers(1, 1 << 20)), int(rng.integers(1, 1 << 24)), drawn(rng, "u32")
    texts = (f"x + {k}u", f"x * {k}u", f"x ^ x >> {k % 31 + 1}")
    before = "\n".join(f"__device__ __noinline__ unsigned f{j}_{name}(unsigned x) {{ return {x}; }}" for j,
        x in enumerate(texts))
    before += (f"\n__device__ unsigned (*const t_{name}[3])(unsigned) = "
        f"{{{', '.join(f'f{j}_{name}' for j in range(3))}}};")
    body = [f"const unsigned v = t_{name}[a[i] % 3](a[i]);", f"if (a[i] < {limit}u) o[i] = v;",
        f"if (v & 1) o[{N} + (i ^ 3)] = i;"]
    K, i = np.uint32(k), np.arange(N)
    v = np.select([a % 3 == 0, a % 3 == 1], [a + K, a * K], a ^ a >> np.uint32(k % 31 + 1)).astype(np.uint32)
    second = np.zeros(N, np.uint32)
    second[(i ^ 3)[v & 1 != 0]] = i[v & 1 != 0]
    return Made(name, body, [("unsigned", a)], "unsigned",
        np.concatenate([np.where(a < limit, v, 0).astype(np.uint32), second]), before=before)


@family("memory", 24)
def memories(name: str, rng: np.random.Generator, k: int) -> Made:
    return (local_array, vectors, records, tables, calls, chosen)[k % 6](name, rng)


# -- numbers of other kinds --------------------------------------------------------------------------------------------


@family("wide", 4)
def wide(name: str, rng: np.random.Generator, k: int) -> Made:
    """128 bits: carries and high products."""
    a, b, by, most = drawn(rng, "u64"), drawn(rng, "u64"), int(rng.integers(1, 1 << 62)), (1 << 128) - 1
    turn = int(rng.integers(1, 127))
    body = ["typedef unsigned __int128 W;", f"const W x = (W)a[i] << 64 | b[i], y = (W)b[i] << 64 | a[i] ^ {by}ull;",
        f"const W v[6] = {{x + y, x - y, x * y, x << {turn}, x >> {turn}, (W)((__int128)x >> {turn})}};",
        f"for (int k = 0; k < 6; ++k) o[k * {2 * N} + i] = (unsigned long long)v[k], o[k * {2 * N} + {N} + i] = "
        f"(unsigned long long)(v[k] >> 64);"]  # fmt: skip
    wants: list[list[int]] = [[] for _ in range(12)]
    for p, q in zip(map(int, a), map(int, b), strict=True):
        x, y = p << 64 | q, q << 64 | p ^ by
        signed = x - (x >> 127 << 128)
        for j, v in enumerate((x + y, x - y, x * y, x << turn, x >> turn, signed >> turn)):
            wants[2 * j].append(v & most)
            wants[2 * j + 1].append((v & most) >> 64)
    return Made(name, body, [("unsigned long long", a), ("unsigned long long", b)], "unsigned long long",
        wrapped(sum(wants, []), "u64"))


@family("compare", 8)
def comparisons(name: str, rng: np.random.Generator, k: int) -> Made:
    """Of floats, with NaN, infinities and zeros of both signs; signs and whole numbers of them."""
    t, f = (("f32", "f"), ("f64", ""))[k % 2]
    few = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, 2.5, -2.5, -0.5, 1e9], DTYPES[t])
    a, b = (np.where(rng.integers(0, 3, N) > 0, rng.choice(few, N), drawn(rng, t)) for _ in range(2))
    tests = {"<": a < b, "<=": a <= b, "==": a == b, "!=": a != b, ">": a > b, ">=": a >= b}
    order = [list(tests)[j] for j in rng.permutation(6)]
    word = " | ".join(f"(a[i] {sign} b[i] ? {1 << j} : 0)" for j, sign in enumerate(order))
    rest = " | ".join(f"(!(a[i] {sign} b[i] && b[i] > 0) ? {64 << j} : 0)" for j, sign in enumerate(order))
    body, size = [f"o[i] = {word} | {rest} | (isnan(a[i]) ? 4096 : 0) | (isinf(b[i]) ? 8192 : 0);"], bits(t) // 8
    numbers = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "fabs": np.abs}
    cast, safe = "longlong" if t == "f64" else "int", np.where(np.isnan(a), DTYPES[t].type(3), a)
    body.append(f"const {CTYPES[t]} s = isnan(a[i]) ? 3 : a[i];")
    want = sum(tests[sign].astype(int) << j | (~(tests[sign] & (b > 0))).astype(int) << 6 + j for j,
        sign in enumerate(order))
    wants = [want | np.isnan(a).astype(int) << 12 | np.isinf(b).astype(int) << 13]
    call = "double" if t == "f64" else "float"
    for j, (how, numpy) in enumerate(numbers.items()):
        body.append(f"o[{(j + 1) * N} + i] = __{call}_as_{cast}({how}{f}(s));")
        wants.append(numpy(safe).view(f"i{size}"))
    body.append(f"o[{6 * N} + i] = __{call}_as_{cast}(copysign{f}(s, b[i] == b[i] ? b[i] : -s));")
    wants.append(np.copysign(safe, np.where(np.isnan(b), -safe, b)).view(f"i{size}"))
    return Made(name, body, [(CTYPES[t], a), (CTYPES[t], b)], "long long", np.concatenate(wants).astype(np.int64))


@family("pairs", 4)
def pairs(name: str, rng: np.random.Generator, k: int) -> Made:
    """Two halves at once, and casts between halves, floats and integers."""
    a, b, x = drawn(rng, "f16", 2 * N), drawn(rng, "f16",
        2 * N), (drawn(rng, "f32") * np.float32(100)).astype(np.float32)
    ops = {"__hadd2": np.add, "__hsub2": np.subtract, "__hmul2": np.multiply}
    names = [list(ops)[j] for j in rng.permutation(3)]
    body = [f"const __half2 v = {names[0]}(a[i], b[i]);", f"o[i] = {names[1]}(v, a[i]);",
        f"o[{N} + i] = __lowhigh2highlow(v);"]
    body += [f"o[{2 * N} + i] = __halves2half2(__float2half_rn(c[i]), __int2half_rn(__half2int_rz(v.x)));"]
    body += [f"o[{3 * N} + i] = __float22half2_rn(__half22float2(__hneg2(v)));"]
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)  # float32 rounds nothing twice: 24 >= 2 * 11 + 2
    v = ops[names[0]](wide_a, wide_b).astype(np.float16)
    second = ops[names[1]](v.astype(np.float32), wide_a).astype(np.float16)
    mixed = np.stack([x.astype(np.float16), np.trunc(v[::2]) + np.float16(0)], 1).ravel()
    want = np.concatenate([second, v.reshape(N, 2)[:, ::-1].ravel(), mixed, -v])
    return Made(name, body, [("__half2", a), ("__half2", b), ("float", x)], "__half2", want)
