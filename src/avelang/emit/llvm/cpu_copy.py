"""Copies of whole lanes' data from place to place: where lanes lie in rows of a matrix, a function made once for each
pattern moves them.

Sixty-four addresses written out at each access would cost more to compile than all else; as a function of the base and
the row's stride they are written once, and its pointers step from row to row. """

from __future__ import annotations

import hashlib

import numpy as np

from avelang.emit.llvm.cpu_memory_places import LaneAddress
from avelang.emit.llvm.cpu_values import Aos, Elems, Lin, V
from avelang.emit.llvm.cpu_vectors import columns, rechunk, to_aos
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.dtypes import DType, word_of
from avelang.ir.types import VecType
from avelang.llvm.core import Body

LINE = 64  # bytes of a vector register
FEWEST = 16  # a pattern with fewer pieces is written out where it stands


def worthwhile(w: WaveWriter, at: LaneAddress, lanes: int) -> bool:
    """True where a place with so many lanes to a piece is better reached through a function."""
    return w.mask is None and bool(at.lin.terms) and w.W // lanes >= FEWEST


def _staging(w: WaveWriter, size: int) -> LaneAddress:
    """Stack memory for a wave's data, lane after lane; its contents last until the next use."""
    if size not in w.staging:
        w.staging[size] = w.body.alloca(f"[{size * w.W} x i8]")
    return LaneAddress(w, w.staging[size], Lin(64, None, (), np.arange(w.W) * size), True)


def load_rows(w: WaveWriter, at: LaneAddress, more: int, n: int, m: DType) -> Aos:
    """n elements of each lane."""
    size = n * m.bytes
    staging = _staging(w, size)
    copy(w, at, more, staging, 0, size)
    return _staged(w, staging, n, m)


def _staged(w: WaveWriter, staging: LaneAddress, n: int, m: DType) -> Aos:
    lanes = w.W if n == 1 else min(w.W, LINE // (n * m.bytes))
    t = f"<{lanes * n} x i{m.bits}>"
    chunks = tuple(
        w.op(f"load {t}, ptr {staging.pointer(first)}, align {min(LINE, lanes * n * m.bytes)}")
        for first in range(0, w.W, lanes)
    )
    return Aos(m.bits, n, 0, n, chunks, lanes)


def _stored(w: WaveWriter, value: Aos, size: int) -> LaneAddress:
    """Stack memory with a value of `size` bytes of each lane."""
    staging = _staging(w, size)
    t = f"<{value.lanes * value.n} x i{value.bits}>"
    for i, chunk in enumerate(value.chunks):
        w.do(f"store {t} {chunk}, ptr {staging.pointer(i * value.lanes)}, align {min(LINE, value.lanes * size)}")
    return staging


def store_rows(w: WaveWriter, at: LaneAddress, more: int, value: Aos) -> None:
    """Writes n elements of each lane."""
    size = value.n * value.bits // 8
    staging = _stored(w, value, size)
    copy(w, staging, 0, at, more, size)


def copy(w: WaveWriter, source: LaneAddress, more: int, target: LaneAddress, other: int, size: int) -> None:
    """Moves `size` bytes of each lane from `source` + `more` to `target` + `other`; the two must not overlap."""
    lanes = min(source.run(size, None), target.run(size, None), LINE // size)
    sides = [_CopyEnd(source), _CopyEnd(target)]
    key = hashlib.sha1(b"".join(s.key() for s in sides)).hexdigest()[:12]
    name = f"copy.{size}.{lanes}.{key}"
    if name not in w.module.functions:
        w.module.functions[name] = _function(name, sides, size, lanes, w.W)
    args = [f"ptr {source.pointer_at(more)}", f"ptr {target.pointer_at(other)}"]
    args += [f"i64 {s.text}" for side in (source, target) for s, _ in side.lin.terms]
    w.do(f"call void @{name}({', '.join(args)})")


class _CopyEnd:
    """Source or target within the function: pointers that step from the last group of lanes to the next."""

    def __init__(self, at: LaneAddress):
        self.columns = [c - c[0] for c in at.columns]
        self.k = at.lin.k - at.lin.k[0]

    def key(self) -> bytes:
        return b"|".join([self.k.tobytes(), *(c.tobytes() for c in self.columns)]) + b"#"

    def begin(self, letter: str, lines: list[str]) -> None:
        self.letter, self.lines = letter, lines
        self.last = tuple(0 for _ in self.columns)
        self.known = {self.last: f"%{letter}"}
        self.steps: dict[tuple[int, int], str] = {}

    def group(self, lane: int) -> tuple[int, ...]:
        return tuple(int(c[lane]) for c in self.columns)

    def _op(self, text: str) -> str:
        self.lines.append(f"  %x{len(self.lines)} = {text}")
        return f"%x{len(self.lines) - 1}"

    def _step(self, term: int, delta: int) -> str:
        """`delta` times the scalar of a term."""
        if delta == 1:
            return f"%{self.letter}{term}"
        if (term, delta) not in self.steps:
            self.steps[term, delta] = self._op(f"mul i64 %{self.letter}{term}, {delta}")
        return self.steps[term, delta]

    def pointer(self, lane: int) -> str:
        group = self.group(lane)
        if group not in self.known:
            p = self.known[self.last]
            for term, (new, old) in enumerate(zip(group, self.last, strict=True)):
                if new != old:
                    p = self._op(f"getelementptr i8, ptr {p}, i64 {self._step(term, new - old)}")
            self.known[group] = p
        self.last = group
        p = self.known[group]
        return self._op(f"getelementptr i8, ptr {p}, i64 {self.k[lane]}") if self.k[lane] else p


def _function(name: str, sides: list[_CopyEnd], size: int, lanes: int, wave: int) -> str:
    lines: list[str] = []
    source, target = sides
    source.begin("s", lines)
    target.begin("d", lines)
    pieces = list(range(0, wave, lanes))
    if not target.columns and min(np.diff(np.sort(target.k)).tolist()) >= size:
        # Nothing is written twice, so the order is free: row by row, which keeps few pointers alive.
        pieces.sort(key=source.group)
    total = size * lanes
    t = f"i{8 * total}" if total <= 8 else f"<{total} x i8>"
    for first in pieces:
        x = f"%y{first}"
        lines.append(f"  {x} = load {t}, ptr {source.pointer(first)}, align 1")
        lines.append(f"  store {t} {x}, ptr {target.pointer(first)}, align 1")
    params = ["ptr noalias nocapture readonly %s", "ptr noalias nocapture writeonly %d"]
    params += [f"i64 %{s.letter}{i}" for s in sides for i in range(len(s.columns))]
    return _defined(name, ", ".join(params), "\n".join(["entry:", *lines]))


def _defined(name: str, params: str, body: str) -> str:
    return f"define internal void @{name}({params}) noinline #0 {{\n{body}\n  ret void\n}}"


# -- any addresses -----------------------------------------------------------------------------------------------------


def scatter_rows(w: WaveWriter, pointers: str, value: Aos) -> None:
    """Writes n elements of each active lane at any addresses, lane after lane. (x86's scatter is slower, and writes
    element after element.)"""
    size = value.n * value.bits // 8
    staging = _stored(w, value, size)
    _each_lane(w, f"ave_scatter_rows_{size}", pointers, staging.base)


def gather_rows(w: WaveWriter, pointers: str, n: int, m: DType) -> Aos:
    """n elements of each active lane from any addresses; n * m fills at most a register."""
    size = n * m.bytes
    staging = _staging(w, size)
    _each_lane(w, f"ave_gather_rows_{size}", pointers, staging.base)
    return _staged(w, staging, n, m)


def has_words(size: int) -> bool:
    """True for as many bytes of a lane as `gather_words` and `scatter_words` move."""
    return size in (8, 16, 32, 64)


def gather_words(w: WaveWriter, pointers: str, size: int) -> list[str]:
    """The same as words of 32 bits, each a vector of a wave: lanes' rows become columns in a function that is made
    once, since that takes more code than all else here."""
    staging = _staging(w, size)
    _each_lane(w, f"ave_gather_rows_{size}", pointers, staging.base)
    return _columns_of(w, staging.base, size // 4)


def load_words(w: WaveWriter, at: LaneAddress, more: int, size: int) -> list[str]:
    """The same where it is known how lanes lie."""
    if at.run(size, None) == w.W:
        return _columns_of(w, at.pointer(0, more), size // 4)
    staging = _staging(w, size)
    copy(w, at, more, staging, 0, size)
    return _columns_of(w, staging.base, size // 4)


def _columns_of(w: WaveWriter, rows: str, count: int) -> list[str]:
    at, t = _words_slot(w, 4 * count), w.t("i32")
    w.do(f"call void @{_turned(w, 'columns', count)}(ptr {at}, ptr {rows})")
    return [w.op(f"load {t}, ptr {w.op(f'getelementptr {t}, ptr {at}, i64 {i}')}, align 64") for i in range(count)]


def scatter_words(w: WaveWriter, pointers: str, words: list[str]) -> None:
    """The inverse of `gather_words`."""
    count, t = len(words), w.t("i32")
    at, staging = _words_slot(w, 4 * count), _staging(w, 4 * count)
    for i, x in enumerate(words):
        w.do(f"store {t} {x}, ptr {w.op(f'getelementptr {t}, ptr {at}, i64 {i}')}, align 64")
    w.do(f"call void @{_turned(w, 'rows', count)}(ptr {staging.base}, ptr {at})")
    _each_lane(w, f"ave_scatter_rows_{4 * count}", pointers, staging.base)


def _words_slot(w: WaveWriter, size: int) -> str:
    key = -size
    if key not in w.staging:
        w.staging[key] = w.body.alloca(f"[{size * w.W} x i8]")
    return w.staging[key]


def _turned(w: WaveWriter, how: str, count: int) -> str:
    """The name of a function that turns a wave's rows of `count` words into columns, or the other way round: from its
    second pointer to its first."""
    name = f"{how}.{count}.{w.W}"
    if name in w.module.functions:
        return name
    outer, memo, w.body, w._memo = w.body, w._memo, Body(), [{}]
    lanes = min(w.W, LINE // 4 // count)
    chunk, column, align = f"<{lanes * count} x i32>", w.t("i32"), 1 if how == "columns" else 4 * lanes * count
    rows = [f"getelementptr i8, ptr {{}}, i64 {first * count * 4}" for first in range(0, w.W, lanes)]
    columns_ = [f"getelementptr {column}, ptr {{}}, i64 {i}" for i in range(count)]
    if how == "columns":
        chunks = tuple(w.op(f"load {chunk}, ptr {w.op(p.format('%s'))}, align {align}") for p in rows)
        found = columns(w, Aos(32, count, 0, count, chunks, lanes))
        kind, places = column, columns_
    else:
        items = tuple(V(w.op(f"load {column}, ptr {w.op(p.format('%s'))}, align 64")) for p in columns_)
        found = list(rechunk(w, to_aos(w, Elems(items), VecType(word_of(32), count)), lanes).chunks)
        kind, places = chunk, rows
    for x, p in zip(found, places, strict=True):
        w.do(f"store {kind} {x}, ptr {w.op(p.format('%d'))}, align {64 if kind == column else align}")
    text = w.body.text()
    w.body, w._memo = outer, memo
    params = "ptr noalias nocapture writeonly %d, ptr noalias nocapture readonly %s"
    w.module.functions[name] = _defined(name, params, text)
    return name


def gather(w: WaveWriter, pointers: str, m: DType) -> str:
    """One element of each active lane, as a vector of a wave."""
    return gather_rows(w, pointers, 1, m).chunks[0]


def scatter_elements(w: WaveWriter, pointers: str, values: str, n: int, m: DType) -> None:
    """The same from elements that stand as in a `StackVector`."""
    _each_lane(w, f"ave_scatter_elements_{m.bits}", pointers, values, n, w.W)


def _each_lane(w: WaveWriter, name: str, pointers: str, values: str, *numbers: int) -> None:
    """Calls a function of `native/cpu/lanes.c` for the active lanes, lowest first."""
    w.module.include("cpu", name)
    if w.lane_pointers is None:
        w.lane_pointers = w.body.alloca(w.t("ptr"))
    w.do(f"store {w.t('ptr')} {pointers}, ptr {w.lane_pointers}, align 64")
    word = w.op(f"bitcast {w.t('i1')} {w.mask_text(w.mask)} to i{w.W}")
    word = word if w.W == 64 else w.op(f"zext i{w.W} {word} to i64")
    w.do(f"call void @{name}(ptr {values}, ptr {w.lane_pointers}, i64 {word}{''.join(f', i64 {n}' for n in numbers)})")
