"""Statements of drawn PTX programs about matrices: `mma.sync` by the layouts of fragments that the PTX manual has ("Matrix Fragments for mma.m16n8k16 ..."), `ldmatrix`,
`stmatrix` and `movmatrix`. Elements are small whole numbers, so that sums are exact in any order."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from fuzz.drawn import numpy_of
from fuzz.scene_steps import MATRICES, get, put, scoped
from fuzz.scenes import THREADS, WARP, Draw, Mask, Plain, State, Statement

KINDS = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "f32": "f32", "f64": "f64", "s8": "i8", "u8": "u8", "s32": "i32", "e4m3": "f8e4m3fn", "e5m2": "f8e5m2"}


@dataclasses.dataclass(frozen=True)
class Shape:
    """m, n, k, the types of A, B and C, and what may stand behind `mma.sync.aligned`."""

    m: int
    k: int
    a: str
    b: str
    c: str

    def text(self) -> str:
        return f"mma.sync.aligned.m{self.m}n8k{self.k}.row.col.{self.c}.{self.a}.{self.b}.{self.c}"


SHAPES = (
    *(Shape(16, k, t, t, c) for k in (8, 16) for t, c in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32"))), Shape(16, 4, "tf32", "tf32", "f32"),
    Shape(16, 8, "tf32", "tf32", "f32"), Shape(8, 4, "f64", "f64", "f64"), Shape(16, 4, "f64", "f64", "f64"), Shape(16, 8, "f64", "f64", "f64"),
    Shape(16, 16, "f64", "f64", "f64"), *(Shape(m, k, a, b, "s32") for m, k in ((8, 16), (16, 16), (16, 32)) for a in ("s8", "u8") for b in ("s8", "u8")),
    *(Shape(16, 32, a, b, "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
)  # fmt: skip


def place(s: Shape, which: str, lane: int, i: int) -> tuple[int, int]:
    """Row and column of element i of a lane's fragment of A, B (k x n) or C."""
    g, t = lane >> 2, lane & 3
    if which == "c":
        return (g if i < 2 else g + 8), 2 * t + (i & 1)
    each = {"f16": 2, "bf16": 2, "tf32": 1, "f64": 1}.get(s.a, 4)  # side by side along k
    if which == "b":
        return each * t + i % each + 4 * each * (i // each), g
    low = s.m // 8  # rows of lanes: first those of g, then those of g + 8, then on along k
    return g + 8 * (i // each % low), each * t + i % each + 4 * each * (i // each // low)


def counts(s: Shape) -> dict[str, int]:
    """Elements of a lane."""
    return {"a": s.m * s.k // WARP, "b": 8 * s.k // WARP, "c": s.m * 8 // WARP}


def packed(values: list[float], kind: str) -> list[int]:
    """Elements as registers: words of 32 bits, of f64 each its own."""
    raw = np.array(values).astype(numpy_of(KINDS[kind])).tobytes()
    size = 8 if kind == "f64" else 4
    return [int.from_bytes(raw[k : k + size], "little") for k in range(0, len(raw), size)]


def product(d: Draw, uniform: bool) -> Statement:
    """D = A B + C of matrices from memory, of its own for each warp."""
    r = d.rng
    s = r.choice(SHAPES)
    size, many = 8 if s.a == "f64" else 4, counts(s)
    rng = np.random.default_rng(r.getrandbits(32))
    cls = {"f32": "f32", "f16": "f16x2", "f64": "f64", "s32": "i32"}[s.c]
    low = 0 if "u8" in (s.a, s.b) else -3
    data: list[dict[str, np.ndarray]] = []
    for _ in range(d.blocks * THREADS // WARP):
        data.append({"a": rng.integers(low, 4, (s.m, s.k)), "b": rng.integers(low, 4, (s.k, 8)), "c": rng.integers(-5, 6, (s.m, 8))})
    words: list[list[int]] = []
    for t in range(d.blocks * THREADS):
        mats = data[t // WARP]
        words.append([w for which, kind in (("a", s.a), ("b", s.b), ("c", s.c))
                      for w in packed([float(mats[which][place(s, which, t % WARP, i)]) for i in range(many[which])], kind)])  # fmt: skip
    first = d.memory.fragments(words, size)
    have = [len(packed([0.0] * many[w], kind)) for w, kind in (("a", s.a), ("b", s.b), ("c", s.c))]
    outs = d.regs(cls, have[2])
    letters, b = [[f"{w}{i}" for i in range(n)] for w, n in zip("mno", have, strict=True)], f"b{8 * size}"
    lines = [f"{{ .reg .{b} {', '.join(x for group in letters for x in group)}; .reg .b64 z;", f"mad.wide.u32 z, %gt, {sum(have) * size}, %frag;"]
    lines += [f"ld.global.{b} {x}, [z+{first + k * size}];" for k, x in enumerate(x for group in letters for x in group)]
    operands = ", ".join("{" + ", ".join(group) + "}" for group in letters)
    lines += [f"{s.text()} {{{', '.join(outs)}}}, {operands};", "}"]

    def does(st: State, mask: Mask) -> None:
        for w in range(st.threads // WARP):
            m = data[w]
            found = (m["a"].astype(np.int64) @ m["b"] + m["c"]).astype(np.float64)
            for lane in range(WARP):
                values = [float(found[place(s, "c", lane, i)]) for i in range(many["c"])]
                for reg, v in zip(outs, packed(values, s.c), strict=True):
                    st.regs[reg][w * WARP + lane] = v

    return Plain(lines, does)


def matrices(d: Draw, uniform: bool) -> Statement:
    """8 x 8 matrices of 16 bits in shared memory, written by lanes or by `stmatrix`, read by `ldmatrix`; or turned in registers."""
    r = d.rng
    if r.random() < 0.2:
        return turned(d)
    count, trans = r.choice((1, 2, 4)), r.random() < 0.5
    have, outs = [d.reg("i32") for _ in range(4)], d.regs("i32", count)
    odd, shift = r.choice((1, 3, 5, 11)), r.randrange(32)
    by_matrix = r.random() < 0.4
    row = f"mad.lo.u32 y, %lane, {odd}, {shift}; and.b32 y, y, 31; mad.lo.u32 y, y, 16, %mat; "
    name = f"sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.shared.b16"
    store = f"mad.lo.u32 x, %lane, 16, %mat; st.shared.v4.b32 [x], {{{', '.join(have)}}}"
    if by_matrix:
        store += f"; bar.warp.sync -1; {row}stmatrix.{name} [y], {{{', '.join(have[:count])}}}"
    other = "" if r.random() < 0.5 else ".trans"
    load = f"ldmatrix.sync.aligned.m8n8.x{count}{other}.shared.b16 {{{', '.join(outs)}}}, [y]"
    lines = scoped(f"bar.warp.sync -1; {store}; bar.warp.sync -1; {row}{load}; bar.warp.sync -1")

    def rows(w: int, k: int, at: int) -> int:
        """Where row `at` of matrix k is: its address comes from lane 8 k + at."""
        return MATRICES + w % (THREADS // WARP) * 512 + ((8 * k + at) * odd + shift) % 32 * 16

    def moved(memory: bytearray, w: int, k: int, t: int, turn: bool, value: Any = None) -> int:
        """What lane t holds of matrix k; with `value` it is written."""
        out = 0
        for j in range(2):
            row, col = (2 * (t % 4) + j, t // 4) if turn else (t // 4, 2 * (t % 4) + j)
            at = rows(w, k, row) + 2 * col
            if value is not None:
                put(memory, at, 2, value >> 16 * j)
            out |= get(memory, at, 2) << 16 * j
        return out

    def does(s: State, mask: Mask) -> None:
        for w in range(s.threads // WARP):
            memory = s.shared[w * WARP // THREADS]
            for t in range(WARP):
                for k, reg in enumerate(have):
                    put(memory, MATRICES + w % (THREADS // WARP) * 512 + t * 16 + 4 * k, 4, s.regs[reg][w * WARP + t])
            if by_matrix:
                for t in range(WARP):
                    for k in range(count):
                        moved(memory, w, k, t, trans, s.regs[have[k]][w * WARP + t])
            for t in range(WARP):
                for k, reg in enumerate(outs):
                    s.regs[reg][w * WARP + t] = moved(memory, w, k, t, bool(other))

    return Plain(lines, does)


def turned(d: Draw) -> Statement:
    """`movmatrix`."""
    a, out = d.reg("i32"), d.reg("i32")

    def does(s: State, mask: Mask) -> None:
        for w in range(0, s.threads, WARP):
            x = [[s.regs[a][w + 4 * row + col // 2] >> 16 * (col & 1) & 0xFFFF for col in range(8)] for row in range(8)]
            for t in range(WARP):
                s.regs[out][w + t] = x[2 * (t % 4)][t // 4] | x[2 * (t % 4) + 1][t // 4] << 16

    return Plain([f"movmatrix.sync.aligned.m8n8.trans.b16 {out}, {a};"], does)
