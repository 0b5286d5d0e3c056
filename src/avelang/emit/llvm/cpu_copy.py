"""Copies of whole lanes' data from place to place: where lanes lie in rows of a matrix, a function made once for each pattern moves them.

Sixty-four addresses written out at each access would cost more to compile than all else; as a function of the base and the row's stride
they are written once, and its pointers step from row to row.
"""

from __future__ import annotations

import hashlib

import numpy as np

from avelang.emit.llvm.cpu_memory_places import LaneAddress
from avelang.emit.llvm.cpu_values import Aos, Lin
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.dtypes import DType

LINE = 64  # bytes of a vector register
FEWEST = 16  # a pattern with fewer pieces is written out where it stands


def worthwhile(w: WaveWriter, at: LaneAddress, lanes: int) -> bool:
    """Whether a place with so many lanes to a piece is better reached through a function."""
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
    chunks = tuple(w.op(f"load {t}, ptr {staging.pointer(first)}, align {min(LINE, lanes * n * m.bytes)}") for first in range(0, w.W, lanes))
    return Aos(m.bits, n, 0, n, chunks, lanes)


def store_rows(w: WaveWriter, at: LaneAddress, more: int, value: Aos) -> None:
    """Writes n elements of each lane."""
    size = value.n * value.bits // 8
    staging = _staging(w, size)
    t = f"<{value.lanes * value.n} x i{value.bits}>"
    for i, chunk in enumerate(value.chunks):
        w.do(f"store {t} {chunk}, ptr {staging.pointer(i * value.lanes)}, align {min(LINE, value.lanes * size)}")
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
    return f"define internal void @{name}({', '.join(params)}) noinline #0 {{\nentry:\n" + "\n".join(lines) + "\n  ret void\n}"


# -- any addresses -----------------------------------------------------------------------------------------------------------------------


def scatter_rows(w: WaveWriter, pointers: str, value: Aos) -> None:
    """Writes n elements of each active lane at any addresses, lane after lane. (x86's scatter is slower, and writes element after element.)"""
    size = value.n * value.bits // 8
    staging = _staging(w, size)
    t = f"<{value.lanes * value.n} x i{value.bits}>"
    for i, chunk in enumerate(value.chunks):
        w.do(f"store {t} {chunk}, ptr {staging.pointer(i * value.lanes)}, align {min(LINE, value.lanes * size)}")
    each = f"""  %at = mul i64 %lane, {size}
  %v = getelementptr i8, ptr %values, i64 %at
  %x = load <{size} x i8>, ptr %v, align {size}
  store <{size} x i8> %x, ptr %p, align 1"""
    _call_lanes(w, f"scatter.rows.{size}.{w.W}", each, pointers, staging.base)


def gather_rows(w: WaveWriter, pointers: str, n: int, m: DType) -> Aos:
    """n elements of each active lane from any addresses; n * m fills at most a register."""
    size = n * m.bytes
    staging = _staging(w, size)
    each = f"""  %at = mul i64 %lane, {size}
  %v = getelementptr i8, ptr %values, i64 %at
  %x = load <{size} x i8>, ptr %p, align 1
  store <{size} x i8> %x, ptr %v, align {size}"""
    _call_lanes(w, f"gather.rows.{size}.{w.W}", each, pointers, staging.base)
    return _staged(w, staging, n, m)


def gather(w: WaveWriter, pointers: str, m: DType) -> str:
    """One element of each active lane, as a vector of a wave."""
    return gather_rows(w, pointers, 1, m).chunks[0]


def scatter_elements(w: WaveWriter, pointers: str, values: str, n: int, m: DType) -> None:
    """The same from elements that stand as in a `StackVector`."""
    each = "\n".join(
        f"""  %i{i} = add i64 %lane, {i * w.W}
  %v{i} = getelementptr i{m.bits}, ptr %values, i64 %i{i}
  %x{i} = load i{m.bits}, ptr %v{i}, align {m.bytes}
  %p{i} = getelementptr i{m.bits}, ptr %p, i64 {i}
  store i{m.bits} %x{i}, ptr %p{i}, align 1"""
        for i in range(n)
    )
    _call_lanes(w, f"scatter.elements.{m.bits}.{n}.{w.W}", each, pointers, values)


def _call_lanes(w: WaveWriter, name: str, each: str, pointers: str, values: str) -> None:
    """A function that runs `each` for the active lanes, lowest first: %lane is the lane, %p its address."""
    ps, mask, word = w.t("ptr"), w.t("i1"), f"i{w.W}"
    if name not in w.module.functions:
        w.module.declare(f"llvm.cttz.{word}", word, [word, "i1"])
        w.module.functions[name] = f"""define internal void @{name}(ptr nocapture %values, {ps} %ps, {mask} %mask) noinline #0 {{
entry:
  %P = alloca {ps}, align 64
  store {ps} %ps, ptr %P, align 64
  %bits = bitcast {mask} %mask to {word}
  %none = icmp eq {word} %bits, 0
  br i1 %none, label %done, label %loop
loop:
  %b = phi {word} [ %bits, %entry ], [ %rest, %loop ]
  %n = call {word} @llvm.cttz.{word}({word} %b, i1 true)
  %lane = {"or i64 %n, 0" if w.W == 64 else f"zext {word} %n to i64"}
  %less = sub {word} %b, 1
  %rest = and {word} %b, %less
  %pp = getelementptr ptr, ptr %P, i64 %lane
  %p = load ptr, ptr %pp
{each}
  %more = icmp ne {word} %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""
    w.do(f"call void @{name}(ptr {values}, {ps} {pointers}, {mask} {w.mask_text(w.mask)})")
