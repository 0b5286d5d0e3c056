"""Rows of a matrix come in; each is in the registers of a group of threads, who find its sum or its maximum together,
and goes out again: what the kernels of `ptx_softmax.py` and `ptx_rms_norm.py` share.

A row is read once, 16 bytes a thread at a time where its length allows that. All loads of a row are under way together:
with those of the other rows of a multiprocessor they are what hides the way to memory. Rows that are short share a
warp, long ones have several, up to a whole block."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from avelang import argument_error
from avelang.ptx import Reg, ptx, reg, smem
from avelang.ptx.types import Type, b16, b32, bf16, f16, f32, u64
from avelang_kernels.arrays import named
from avelang_kernels.ptx_common import rounded

WIDEST = 16  # bytes of an access
VALUES = 32  # that a thread holds
THREADS = 1024  # of a block, at most
USUAL = 128  # threads of a block whose rows are short
LONGEST = VALUES * THREADS  # elements of a row
ALL = 0xFFFFFFFF  # lanes


class RowsPlan(NamedTuple):
    """Threads of a row, rows of a block, elements of an access, accesses of a thread, elements of a row."""

    threads: int
    rows: int
    vector: int
    loads: int
    n: int

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.threads * self.rows


def plan_of(n: int, dtype: Type, values: int = VALUES) -> RowsPlan:
    """The plan for rows of n elements, of which a thread shall hold about so many."""
    vector = math.gcd(n, WIDEST // dtype.bytes)
    vectors = n // vector
    wanted = max(min(vectors, 32), -(-vectors * vector // values))
    threads = min(THREADS, 1 << (wanted - 1).bit_length())
    return RowsPlan(threads, max(1, USUAL // threads), vector, -(-vectors // threads), n)


class Rows:
    """A thread's part of the kernel: `row` is its row, `t` its number among those of the row; `m` rows there are."""

    def __init__(self, plan: RowsPlan, dtype: Type, m: int):
        self.plan, self.dtype = plan, dtype
        self.tid = reg.from_(ptx.special.tid.x())
        block = reg.from_(ptx.special.ctaid.x())
        self.t = self.tid & (plan.threads - 1)
        self.row = block * plan.rows + (self.tid >> (plan.threads.bit_length() - 1)) if plan.rows > 1 else block
        self.inside = self.row < m if m % plan.rows else None  # None: all are
        vectors = plan.n // plan.vector
        self.last = (
            self.t < vectors - (plan.loads - 1) * plan.threads if vectors % plan.threads else None
        )  # whether the last access is inside
        self.both = self.last if self.inside is None else self.inside if self.last is None else self.inside & self.last

    def place(self, start: Reg, row: bool = True) -> Reg:
        """The address of the thread's first element, in the matrix that begins at `start`, or in a single row."""
        size, out = self.dtype.bytes, start
        if row:
            out = reg.scalar(u64)
            ptx.inst.mad.wide.u32(out, self.row, self.plan.n * size, start)
        there = reg.scalar(u64)
        ptx.inst.mad.wide.u32(there, self.t, self.plan.vector * size, out)
        return there

    def _accesses(self, row: bool) -> list[tuple[int, Reg | None]]:
        """The byte offset of each, and the predicate under which it is inside."""
        size = self.plan.threads * self.plan.vector * self.dtype.bytes
        usual, last = (self.inside, self.both) if row else (None, self.last)
        return [(i * size, last if i == self.plan.loads - 1 else usual) for i in range(self.plan.loads)]

    def load(self, start: Reg, fill: float = 0.0, row: bool = True) -> list[Reg]:
        """Words of the thread's elements, as they are in memory; `fill` where there are none. Of the matrix, which is
        read once and does not stay in L1, or of a single row (`row=False`), which does."""
        place = self.place(start, row)
        words: list[Any] = []
        size = self.plan.vector * self.dtype.bytes
        kind = ".".join(([f"v{size // 4}"] if size > 4 else []) + ["b16" if size == 2 else "b32"])
        for offset, inside in self._accesses(row):
            got = reg.array(b16 if size == 2 else b32, max(1, size // 4))
            for word in got if inside is not None else ():
                word.set(bits(fill, self.dtype, word.type))
            how = "ld.global.L1::no_allocate." if row else "ld.global.nc."  # not .nc: the output may be the same matrix
            ptx.inst[how + kind](got if len(got) > 1 else got[0], ptx.addr(place, offset), pred=inside)
            words += got
        return words

    def store(self, start: Reg, values: Sequence[Reg]) -> None:
        """Writes the thread's elements, rounded to nearest even."""
        place, each = self.place(start), self.plan.vector
        for i, (offset, inside) in enumerate(self._accesses(True)):
            part = values[i * each : (i + 1) * each]
            if self.dtype is f32:
                words, kind = list(part), "f32"
            elif each == 1:
                words, kind = [part[0].to(self.dtype)], "b16"
            else:
                words, kind = (
                    [rounded(low, high, self.dtype) for low, high in zip(part[::2], part[1::2], strict=True)],
                    "b32",
                )
            vector = f"v{len(words)}." if len(words) > 1 else ""
            ptx.inst[f"st.global.{vector}{kind}"](ptx.addr(place, offset), words if vector else words[0], pred=inside)

    def values(self, words: Sequence[Reg]) -> list[Reg]:
        """Words of memory as f32."""
        return [value for word in words for value in widened(word, self.dtype)]

    def among(self, values: list[Reg], count: int, step: Callable[[list[Reg], list[Reg]], list[Reg]]) -> list[Reg]:
        """Combines the values of `count` neighboring lanes, a power of 2: all get the result."""
        distance = count // 2
        while distance:
            others = reg.array(f32, len(values))
            for other, value in zip(others, values, strict=True):
                ptx.inst.shfl.sync.bfly.b32(other, value, distance, 31, ALL)
            values = step(values, others)
            distance //= 2
        return values

    def combined(self, values: list[Reg], step: Callable[[list[Reg], list[Reg]], list[Reg]]) -> list[Reg]:
        """Combines the values (one f32, or two) of all threads of a row: of each warp, and then by shared memory.
        Called once."""
        values = self.among(values, min(32, self.plan.threads), step)
        warps = self.plan.threads // 32
        if warps <= 1:
            return values
        held = smem.alloc(f32, (self.plan.block // 32, len(values)))
        warp, lane = self.tid >> 5, self.tid & 31
        kind = "v2.f32" if len(values) == 2 else "f32"

        def operand(x: Any) -> Any:
            return x if len(x) == 2 else x[0]

        ptx.inst[f"st.shared.{kind}"](ptx.addr(held.at(warp, 0)), operand(values), pred=lane == 0)
        ptx.syncthreads()
        # Each warp reads what all warps of its row have found.
        first = warp & (32 - warps) if self.plan.rows > 1 else 0
        got = reg.array(f32, len(values))
        ptx.inst[f"ld.shared.{kind}"](operand(got), ptx.addr(held.at((lane & (warps - 1)) + first, 0)))
        return self.among(got, warps, step)


def bits(value: float, dtype: Type, word: Type) -> Any:
    """A number's bits, in all of a word; 0.0 and -inf."""
    if value == 0:
        return 0
    one = {bf16: 0xFF80, f16: 0xFC00, f32: 0xFF800000}[dtype]
    return one if word.bits == dtype.bits else one << 16 | one


def widened(word: Reg, dtype: Type) -> list[Reg]:
    """The elements in a word, as f32."""
    if dtype is f32:
        return [word.as_(f32)]
    if dtype is bf16:
        if word.type.bits == 16:
            out = reg.scalar(b32)
            ptx.inst.mov.b32(out, [reg.scalar(b16, 0), word])
            return [out.as_(f32)]
        return [(word << 16).as_(f32), (word & 0xFFFF0000).as_(f32)]
    parts = [word]
    if word.type.bits == 32:
        parts = reg.array(b16, 2)
        ptx.inst.mov.b32(parts, word)
    out = reg.array(f32, len(parts))
    for value, part in zip(out, parts, strict=True):
        ptx.inst.cvt.f32.f16(value, part.as_(f16))
    return out


def larger(a: Reg, b: Reg) -> Reg:
    """The maximum; NaN where one is NaN (sm_80)."""
    out = reg.scalar(f32)
    ptx.inst.max.NaN.f32(out, a, b)
    return out


def checked(x: Any, out: Any) -> Type:
    """The type of a matrix's elements. Raises ValueError and TypeError for what the kernels do not take."""
    if not 1 <= x.shape[1] <= LONGEST:
        raise argument_error(
            f"x has rows of {x.shape[1]} elements; a row is held in the registers of a block, which takes 1 to "
            f"{LONGEST}"
        )
    found = {"bfloat16": bf16, "float16": f16, "float32": f32}.get(named(x))
    if found is None:
        raise argument_error(f"x is of {x.dtype}; here it must be of bf16, f16 or f32")
    if out is not None and tuple(out.shape) != tuple(x.shape):
        raise argument_error(f"out is {tuple(out.shape)}, x is {tuple(x.shape)}: both need the same shape")
    if out is not None and out.dtype != x.dtype:
        raise argument_error(f"out is of {out.dtype}, x is of {x.dtype}: both need the same type")
    return found


__all__ = ["LONGEST", "Rows", "RowsPlan", "checked", "larger", "plan_of"]
