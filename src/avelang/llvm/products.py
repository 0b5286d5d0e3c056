"""Products of matrix instructions as LLVM functions: where the elements stand comes in, the name of a function `void(c,
a, b)` goes out.

Fragments stand in memory slot after slot, in the accumulator's type; C is overwritten by D. Where the accumulator's
lanes run along a row of D, and B's lanes run along with them, the function works on registers of neighboring columns
and broadcasts elements of A; elsewhere it gathers, lane by lane. Products are added in ascending k (see
`avelang.isa.mma_reference`). """

from __future__ import annotations

import dataclasses
import functools
import hashlib

import numpy as np

from avelang.isa.fragments import Fragment, Mma
from avelang.llvm.core import Body, IRModule
from avelang.llvm.writer import vector

REGISTER = 512  # bits of a vector register that code is written for; LLVM splits what the machine has not


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Positions of elements in the stored fragments (slot * lanes + lane): `a` (slots of C, k, lanes) is what each
    element of C multiplies, `b` likewise."""

    a: np.ndarray
    b: np.ndarray

    @property
    def key(self) -> str:
        """A digest of the places, for names of functions."""
        return hashlib.sha1(self.a.tobytes() + self.b.tobytes()).hexdigest()[:12]


def _stands(f: Fragment) -> np.ndarray:
    """The place in the stored fragment of each element of the matrix."""
    out = np.zeros(f.shape, np.int64)
    lane, slot = np.meshgrid(np.arange(f.lanes), np.arange(f.slots), indexing="ij")
    out[f.index] = slot * f.lanes + lane
    return out


@functools.cache
def places(mma: Mma) -> Places:
    """The places for a matrix instruction. Of a sparse one, `b` counts all k, `a` the stored ones."""
    block, row, col = (x.T for x in mma.c.index)
    a, b = _stands(mma.a), _stands(mma.b)
    return Places(np.moveaxis(a[block, row], 2, 1).copy(), np.moveaxis(np.moveaxis(b, 1, 2)[block, col], 2, 1).copy())


def function(m: IRModule, p: Places, e: str, sparse: bool) -> str:
    """The name of the function that does the products, making it if need be. `e`: "float", "double" or "i32". A sparse
    one has a fourth parameter: which of four neighbors each stored element of A is, stored like A, as i32."""
    name = f"mma.{'sparse.' if sparse else ''}{e}.{p.key}"
    if name not in m.functions:
        m.functions[name] = ""
        tiles = None if sparse else _tiles(p, REGISTER // {"float": 32, "i32": 32, "double": 64}[e])
        m.functions[name] = _rows(m, name, p, e, tiles) if tiles is not None else _lanes(m, name, p, e, sparse)
    return name


def _multiply_add(m: IRModule, f: Body, e: str, n: int, a: str, b: str, c: str) -> str:
    t = f"<{n} x {e}>"
    if e == "float":
        fma = m.declare(f"llvm.fma.v{n}f32", t, [t, t, t])
        return f.op(f"call {t} {fma}({t} {a}, {t} {b}, {t} {c})")
    letter = "f" if e == "double" else ""
    return f.op(f"{letter}add {t} {f.op(f'{letter}mul {t} {a}, {b}')}, {c}")


# -- along rows --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Tiles:
    """C as registers of `width` columns: register q of slot r multiplies A's element at a[r, q] + along_a[k] with B's
    register at b[r, q] + along_b[k]."""

    width: int
    a: np.ndarray
    b: np.ndarray
    along_a: list[int]
    along_b: list[int]


def _tiles(p: Places, width: int) -> Tiles | None:
    slots, k, lanes = p.a.shape
    if lanes % width:
        return None
    a = p.a.reshape(slots, k, lanes // width, width)
    b = p.b.reshape(slots, k, lanes // width, width)
    if (a != a[..., :1]).any() or (np.diff(b, axis=3) != 1).any():
        return None
    a, b = a[..., 0], b[..., 0]
    along_a, along_b = a - a[:, :1], b - b[:, :1]
    if (along_a != along_a[:1, :, :1]).any() or (along_b != along_b[:1, :, :1]).any():
        return None
    return Tiles(width, a[:, 0], b[:, 0], along_a[0, :, 0].tolist(), along_b[0, :, 0].tolist())


def _table(m: IRModule, values: np.ndarray) -> str:
    flat = values.ravel()
    return m.constant(f"[{flat.size} x i64]", "[" + ", ".join(f"i64 {x}" for x in flat) + "]")


def _rows(m: IRModule, name: str, p: Places, e: str, tiles: Tiles) -> str:
    """A loop over the slots of C; its body has all registers of the slot."""
    f, t, n = Body(), f"<{tiles.width} x {e}>", tiles.width
    slots, groups = tiles.a.shape
    ks = range(len(tiles.along_a))
    steady = not (tiles.b != tiles.b[:1]).any()
    columns = sorted(set(tiles.b[0].tolist())) if steady else []

    def at(base: str, offset: int | str) -> str:
        return f.op(f"getelementptr {e}, ptr {base}, i64 {offset}")

    # B's registers stay the same for all slots where they fit.
    held = {(c, k): f.op(f"load {t}, ptr {at('%b', c + tiles.along_b[k])}, align 4") for c in columns for k in ks}
    f.do("br label %loop")
    f.lines.append("loop:")
    f.do(f"%r = phi i64 [ 0, %entry ], [ %next, %loop ]")  # noqa: F541
    rows: dict[bytes, str] = {}

    def row(table: np.ndarray, q: int, base: str) -> str:
        key = base.encode() + table[:, q].tobytes()
        if key not in rows:
            place = f.op(f"getelementptr i64, ptr {_table(m, table[:, q])}, i64 %r")
            rows[key] = at(base, f.op(f"load i64, ptr {place}, align 8"))
        return rows[key]

    c = at("%c", f.op(f"mul i64 %r, {groups * n}"))
    spots = [at(c, q * n) for q in range(groups)]
    acc = [f.op(f"load {t}, ptr {s}, align {REGISTER // 8}") for s in spots]
    for k in ks:
        splats: dict[str, str] = {}
        for q in range(groups):
            left = row(tiles.a, q, "%a")
            if left not in splats:
                x = f.op(f"load {e}, ptr {at(left, tiles.along_a[k])}, align 4")
                one = f.op(f"insertelement {t} poison, {e} {x}, i64 0")
                splats[left] = f.op(f"shufflevector {t} {one}, {t} poison, <{n} x i32> zeroinitializer")
            if steady:
                right = held[int(tiles.b[0, q]), k]
            else:
                right = f.op(f"load {t}, ptr {at(row(tiles.b, q, '%b'), tiles.along_b[k])}, align 4")
            acc[q] = _multiply_add(m, f, e, n, splats[left], right, acc[q])
    for s, x in zip(spots, acc, strict=True):
        f.do(f"store {t} {x}, ptr {s}, align {REGISTER // 8}")
    f.do("%next = add i64 %r, 1")
    f.do(f"%more = icmp ult i64 %next, {slots}")
    f.do("br i1 %more, label %loop, label %done")
    f.lines.append("done:")
    f.do("ret void")
    return _define(name, False, f)


def wide(m: IRModule, p: Places) -> str:
    """The name of a function like `function`'s, with A and B in double and C in float. Products of numbers as narrow as
    theirs are exact in double, and each sum is but for its one rounding to float. Raises ValueError where C's lanes do
    not run along rows."""
    name = f"mma.wide.{p.key}"
    if name not in m.functions:
        tiles = _tiles(p, REGISTER // 64)
        if tiles is None:
            raise ValueError("the accumulator's lanes do not run along rows")
        m.functions[name] = _wide(m, name, tiles)
    return name


def _wide(m: IRModule, name: str, tiles: Tiles) -> str:
    """Two loops, over the slots of C and over k; the inner one's body has all registers of the slot."""
    f, n = Body(), tiles.width
    slots, groups = tiles.a.shape
    d, t = f"<{n} x double>", f"<{n} x float>"
    fma = m.declare(f"llvm.fma.v{n}f64", d, [d, d, d])

    def number(values: np.ndarray, index: str) -> str:
        return f.op(f"load i64, ptr {f.op(f'getelementptr i64, ptr {_table(m, values)}, i64 {index}')}, align 8")

    def at(base: str, offset: str, element: str = "double") -> str:
        return f.op(f"getelementptr {element}, ptr {base}, i64 {offset}")

    f.do("br label %loop")
    f.lines.append("loop:")
    f.do("%r = phi i64 [ 0, %entry ], [ %next, %end ]")
    lefts = [at("%a", number(tiles.a[:, q], "%r")) for q in range(groups)]
    rights = [at("%b", number(tiles.b[:, q], "%r")) for q in range(groups)]
    c = at("%c", f.op(f"mul i64 %r, {groups * n}"), "float")
    spots = [at(c, str(q * n), "float") for q in range(groups)]
    first = [f.op(f"load {t}, ptr {s}, align {REGISTER // 16}") for s in spots]
    f.do("br label %body")
    f.lines.append("body:")
    f.do("%k = phi i64 [ 0, %loop ], [ %k1, %body ]")
    acc = [f"%acc{q}" for q in range(groups)]
    for q in range(groups):
        f.do(f"{acc[q]} = phi {t} [ {first[q]}, %loop ], [ %sum{q}, %body ]")
    along = [number(np.array(x), "%k") for x in (tiles.along_a, tiles.along_b)]
    for q in range(groups):
        x = f.op(f"load double, ptr {at(lefts[q], along[0])}, align 8")
        one = f.op(f"insertelement {d} poison, double {x}, i64 0")
        left = f.op(f"shufflevector {d} {one}, {d} poison, <{n} x i32> zeroinitializer")
        right = f.op(f"load {d}, ptr {at(rights[q], along[1])}, align 8")
        total = f.op(f"call {d} {fma}({d} {left}, {d} {right}, {d} {f.op(f'fpext {t} {acc[q]} to {d}')})")
        f.do(f"%sum{q} = fptrunc {d} {total} to {t}")
    f.do("%k1 = add i64 %k, 1")
    f.do(f"br i1 {f.op(f'icmp ult i64 %k1, {len(tiles.along_a)}')}, label %body, label %end")
    f.lines.append("end:")
    for q, spot in enumerate(spots):
        f.do(f"store {t} %sum{q}, ptr {spot}, align {REGISTER // 16}")
    f.do("%next = add i64 %r, 1")
    f.do(f"br i1 {f.op(f'icmp ult i64 %next, {slots}')}, label %loop, label %done")
    f.lines.append("done:")
    f.do("ret void")
    return _define(name, False, f)


def _define(name: str, sparse: bool, f: Body) -> str:
    known = "noalias nocapture"
    params = [
        f"ptr {known} %c",
        f"ptr {known} readonly %a",
        f"ptr {known} readonly %b",
        *([f"ptr {known} readonly %w"] if sparse else []),
    ]
    return f"define internal void @{name}({', '.join(params)}) noinline #0 {{\n{f.text()}\n}}"


# -- lane by lane ------------------------------------------------------------------------------------------------------


def _lanes(m: IRModule, name: str, p: Places, e: str, sparse: bool) -> str:
    """Two loops, over the slots of C and over k; each lane gathers its elements of A and B by tables of places."""
    slots, stored, lanes = p.a.shape

    def vec(element: str) -> str:
        return f"<{lanes} x {element}>"

    f, t, idx = Body(), vec(e), vec("i64")
    per_row = bool((p.b != p.b[:1]).any())
    tab_a, tab_b = _table(m, p.a), _table(m, p.b if per_row else p.b[:1])
    ks_b = p.b.shape[1]
    gather = {
        g: m.declare(f"llvm.masked.gather.v{lanes}{s}.v{lanes}p0", vec(g), [vec("ptr"), vec("i1"), vec(g)])
        for g, s in ((e, {"float": "f32", "double": "f64"}.get(e, e)), ("i32", "i32"), ("i64", "i64"))
    }

    def fetch(kind: str, base: str, at: str) -> str:
        pointers = f.op(f"getelementptr {kind}, ptr {base}, {idx} {at}")
        return f.op(
            f"call {vec(kind)} {gather[kind]}({vec('ptr')} align 4 {pointers}, {vec('i1')} splat (i1 true), "
            f"{vec(kind)} zeroinitializer)"
        )

    def table(base: str, row: str) -> str:
        return f.op(f"load {idx}, ptr {f.op(f'getelementptr {idx}, ptr {base}, i64 {row}')}, align 8")

    def step(r: str, k: str, acc: str) -> str:
        """The sums behind one more product."""
        row_b = f.op(f"mul i64 {r if per_row else '0'}, {ks_b}")
        spot_a = table(tab_a, f.op(f"add i64 {f.op(f'mul i64 {r}, {stored}')}, {k}"))
        if not sparse:
            spot_b = table(tab_b, f.op(f"add i64 {row_b}, {k}"))
        else:
            # The element's place among its four neighbors decides which row of B it meets: that row's place comes from
            # the table, lane by lane.
            where = f.op(f"zext {vec('i32')} {fetch('i32', '%w', spot_a)} to {idx}")
            group = f.op(f"lshr i64 {k}, 1")
            first = f.op(f"add i64 {row_b}, {f.op(f'shl i64 {group}, 2')}")
            one = f.op(f"insertelement {idx} poison, i64 {first}, i64 0")
            all_lanes = f.op(f"shufflevector {idx} {one}, {idx} poison, <{lanes} x i32> zeroinitializer")
            row = f.op(f"mul {idx} {f.op(f'add {idx} {where}, {all_lanes}')}, splat (i64 {lanes})")
            spot_b = fetch("i64", tab_b, f.op(f"add {idx} {row}, {vector(np.arange(lanes), 'i64')}"))
        return _multiply_add(m, f, e, lanes, fetch(e, "%a", spot_a), fetch(e, "%b", spot_b), acc)

    sums = f.alloca(t)
    with f.each(slots) as r:
        place = f.op(f"getelementptr {t}, ptr %c, i64 {r}")
        f.do(f"store {t} {f.op(f'load {t}, ptr {place}, align 64')}, ptr {sums}, align 64")
        with f.each(stored) as k:
            f.do(f"store {t} {step(r, k, f.op(f'load {t}, ptr {sums}, align 64'))}, ptr {sums}, align 64")
        f.do(f"store {t} {f.op(f'load {t}, ptr {sums}, align 64')}, ptr {place}, align 64")
    f.do("ret void")
    return _define(name, sparse, f)
