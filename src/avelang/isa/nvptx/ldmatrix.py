"""Rows of `ldmatrix` and `stmatrix`: 8x8 matrices of 16-bit elements between shared memory and the registers of a warp.

Each group of eight lanes names the rows of one matrix: lane 8 j + r holds the address of row r of matrix j. In
registers every lane holds one 32-bit word, two elements, of each matrix; `WORD` says which. """

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import i32, i64, u16
from avelang.ir.types import SHARED, PtrType, Type, VecType
from avelang.isa.fragments import Fragment
from avelang.isa.lowering import Lowering
from avelang.isa.row import Param, Row, TensorRef, Wave, register

LANES = 32
ELEMENT = 2  # bytes

# The lane holds elements 2 (lane % 4) and the next one of row lane / 4. With .trans the same is said of the transposed
# matrix.
WORD = Fragment(LANES, 2, (1, 8, 8), lambda lane, slot: (0, lane // 4, 2 * (lane % 4) + slot))
WORD_TRANS = Fragment(LANES, 2, (1, 8, 8), lambda lane, slot: (0, 2 * (lane % 4) + slot, lane // 4))


@dataclasses.dataclass(frozen=True, slots=True)
class MatrixShape:
    """One form of the instructions: how many matrices, and whether they are transposed on the way."""

    count: int
    trans: bool

    @property
    def suffix(self) -> str:
        """The end of the row's name."""
        return f"m8n8_x{self.count}_b16" + ("_trans" if self.trans else "")

    @property
    def dotted(self) -> str:
        """The modifiers in PTX."""
        return f"sync.aligned.m8n8.x{self.count}" + (".trans" if self.trans else "")

    @property
    def registers(self) -> Type:
        """The type of a lane's words: one i32 for each matrix."""
        return i32 if self.count == 1 else VecType(i32, self.count)

    @property
    def word(self) -> Fragment:
        """The fragment map of one word of a lane."""
        return WORD_TRANS if self.trans else WORD


def _addresses(shape: MatrixShape, place: TensorRef, matrix: int, slot: int) -> np.ndarray:
    """uint64 (lanes,): where each lane's element of `slot` stands in memory; the row's address comes from another
    lane."""
    _, row, col = shape.word.index
    return place.address[8 * matrix + row[:, slot]] + (ELEMENT * col[:, slot]).astype(np.uint64)


def _load_semantics(shape: MatrixShape) -> Callable[[Wave, TensorRef], np.ndarray]:
    def semantics(wave: Wave, tile: TensorRef) -> np.ndarray:
        words = [np.concatenate([wave.read(tile.space, _addresses(shape, tile, j, s), ELEMENT, wave.active)
            for s in (0, 1)], axis=1) for j in range(shape.count)]
        out = np.ascontiguousarray(np.concatenate(words, axis=1)).view(np.int32)
        return out[:, 0] if shape.count == 1 else out

    return semantics


def _store_semantics(shape: MatrixShape) -> Callable[[Wave, TensorRef, np.ndarray], None]:
    def semantics(wave: Wave, tile: TensorRef, data: np.ndarray) -> None:
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(LANES, shape.count, 2, ELEMENT)
        for j in range(shape.count):
            for s in (0, 1):
                wave.write(tile.space, _addresses(shape, tile, j, s), raw[:, j, s], wave.active)

    return semantics


class _RowWalk:
    """Builds, for each matrix, the pointer offsets at which a lane's elements stand."""

    def __init__(self, b: Builder, shape: MatrixShape, tile: Value):
        self.b, self.shape = b, shape
        self.ptr = tile if isinstance(tile.type, PtrType) else b.base(tile)
        self.own = b.ptr_int(self.ptr)
        lane = b.lane_id()
        self.quad = b.shr(lane, b.const(2))  # lane / 4
        self.pair = b.shl(b.and_(lane, b.const(3)), b.const(1))  # 2 (lane % 4)

    def offset(self, matrix: int, slot: int) -> Value:
        """i64: bytes from the lane's own pointer to its element. A number cannot become a shared pointer, hence the
        difference."""
        b = self.b
        element = b.add(self.pair, b.const(slot)) if slot else self.pair
        row, col = (element, self.quad) if self.shape.trans else (self.quad, element)
        source = b.add(row, b.const(8 * matrix))
        start = b.shuffle("idx", self.own, source, LANES)
        return b.add(b.sub(start, self.own), b.convert(b.mul(col, b.const(ELEMENT)), i64))


def _load_lower(shape: MatrixShape) -> Callable[[Builder, Value], Value]:
    def lower(b: Builder, tile: Value) -> Value:
        walk = _RowWalk(b, shape, tile)

        def word(j: int) -> Value:
            if not shape.trans:
                return b.ld(walk.ptr, walk.offset(j, 0), i32, 4)
            halves = [b.ld(walk.ptr, walk.offset(j, s), u16, ELEMENT) for s in (0, 1)]
            return b.bitcast(b.vec(halves), i32)

        words = [word(j) for j in range(shape.count)]
        return words[0] if shape.count == 1 else b.vec(words)

    return lower


def _store_lower(shape: MatrixShape) -> Callable[[Builder, Value, Value], None]:
    def lower(b: Builder, tile: Value, data: Value) -> None:
        walk = _RowWalk(b, shape, tile)
        for j in range(shape.count):
            word = data if shape.count == 1 else b.extract(data, j)
            if not shape.trans:
                b.st(word, walk.ptr, walk.offset(j, 0), 4)
                continue
            halves = b.bitcast(word, VecType(u16, 2))
            for s in (0, 1):
                b.st(b.extract(halves, s), walk.ptr, walk.offset(j, s), ELEMENT)

    return lower


_TILE = Param("tile", "tensor", "in shared memory; begins at the row that this lane names: 16 bytes, aligned to 16",
    spaces=(SHARED,))
_WHERE = ("Lanes 0-7 name the rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one "
    "allocation.")


def _held(shape: MatrixShape) -> str:
    at = ("rows 2 (lane % 4) and the next one of column lane / 4" if shape.trans else "columns 2 (lane % 4) and the "
        "next one of row lane / 4")
    return f"Word j of a lane holds the elements at {at} of matrix j, the first in the low half."


def _rows(shape: MatrixShape) -> None:
    n = "one 8x8 matrix" if shape.count == 1 else f"{shape.count} 8x8 matrices"
    how = ", transposed" if shape.trans else ""
    register(Row(f"nvvm.ldmatrix_{shape.suffix}", (_TILE,), shape.registers, f"Loads {n} of 16-bit elements from "
        f"shared memory into the warp's registers{how}. {_WHERE} {_held(shape)} All lanes take part.",
        "PTX ISA 9.0, 9.7.14.5.15, ldmatrix", frozenset({"sm_75"}), _load_semantics(shape),
        frozenset({"read", "convergent"}), lower=_load_lower(shape),
        llvm={"nvptx": Lowering(f"llvm.nvvm.ldmatrix.{shape.dotted}.b16.p3", registers={"out": "i32"})},
        ptx=f"ldmatrix.{shape.dotted}.shared.b16"))  # fmt: skip
    register(Row(f"nvvm.stmatrix_{shape.suffix}",
        (_TILE, Param("data", shape.registers, "one word for each matrix", packed=True)), None,
        f"Stores {n} of 16-bit elements from the warp's registers into shared memory{how}. {_WHERE} {_held(shape)} All "
        f"lanes take part.", "PTX ISA 9.0, 9.7.14.5.16, stmatrix", frozenset({"sm_90"}), _store_semantics(shape),
        frozenset({"write", "convergent"}), lower=_store_lower(shape),
        llvm={"nvptx": Lowering(f"llvm.nvvm.stmatrix.{shape.dotted}.b16.p3", registers={"data": "i32"})},
        ptx=f"stmatrix.{shape.dotted}.shared.b16"))  # fmt: skip


for _count in (1, 2, 4):
    for _trans in (False, True):
        _rows(MatrixShape(_count, _trans))
