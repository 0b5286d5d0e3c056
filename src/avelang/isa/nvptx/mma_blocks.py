"""Rows of `mma.sync` for sm_120a: products of fp8, fp6 and fp4 in all pairs (`kind::f8f6f4`), and such whose rows and
columns have scale factors of their own along K (`kind::mxf8f6f4`, `mxf4`, `mxf4nvf4`). PTX ISA 9.0, 9.7.14.5.14, "mma",
and 9.7.14.3, "Block scaling".

Operands are 32-bit words, laid out as those of `mma` are (`isa.nvptx.mma`): of kind::f8f6f4 and mxf8f6f4 a number has a
byte, e3m2 and e2m3 its low six bits, e2m1 bits 5:2; of mxf4 and mxf4nvf4 two e2m1 share a byte. No such chip was at
hand: the rows are assembled by ptxas and executed by the reference and by the executor of PTX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.dtypes import DType, f16, f32, u8, u32
from avelang.ir.types import VecType
from avelang.isa.asm import Asm
from avelang.isa.fragments import Mma
from avelang.isa.mma_reference import matmul
from avelang.isa.nvptx.mma import LANES, MmaOperand, fragments
from avelang.isa.nvptx.tcgen05 import small_float
from avelang.isa.row import Param, Row, Wave, register

TYPES = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
CHIPS = frozenset({"sm_120a"})
_BYTES = MmaOperand("u8", u8, "u8")  # where the bytes of an operand stand


def not_executed(name: str) -> Callable[..., None]:
    """The expansion of a row that the CPU backend has none of: it raises V001."""

    def lower(b: Builder, *rest: Any) -> None:
        why = 'multiplies numbers of 4 and 6 bits, which the CPU backend does not: launch it with backend="reference", '
        raise error("V001", op=name, why=f"{why}or run its PTX by the executor (ave ptx run)")

    return lower


def _bytes(part: Any, words: np.ndarray) -> np.ndarray:
    """The bytes uint8 (rows, columns) of an operand, of the lanes' words."""
    _, row, col = part.index
    out = np.zeros(part.shape[1:], np.uint8)
    out[row, col] = np.ascontiguousarray(words.astype(np.uint32)).view(np.uint8).reshape(LANES, -1)
    return out


def _numbers(raw: np.ndarray, name: str, packed: bool, axis: int) -> np.ndarray:
    """float32 of the bytes of an operand; two numbers to a byte stand along K, which is `axis`."""
    if not packed:
        return small_float(name)[raw >> 2 & 15 if name == "e2m1" else raw & 63 if name in ("e3m2", "e2m3") else raw]
    pairs = np.stack([raw & 15, raw >> 4], axis=axis + 1)
    shape = [2 * n if k == axis else n for k, n in enumerate(raw.shape)]
    return small_float(name)[pairs.reshape(shape)]


def _factors(words: np.ndarray, rows: int, byte: int, thread: int, count: int, kind: str) -> np.ndarray:
    """float32 (rows, count): the scale factors of the rows of A or the columns of B. Of a quad, two threads from
    2 `thread` on hold those of A's rows r and r + 8, and thread `thread` those of B's column."""
    r = np.arange(rows)
    lane = 4 * (r % 8) + (2 * thread + r // 8 if rows == 16 else thread)
    codes = words[lane][:, None] >> (8 * (byte + np.arange(count))).astype(np.uint32) & np.uint32(0xFF)
    return small_float(kind)[codes]


def _meaning(mma: Mma, a_type: str, b_type: str, scales: int, kind: str, packed: bool) -> Callable[..., np.ndarray]:
    def meaning(wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray, *rest: Any) -> np.ndarray:
        left = _numbers(_bytes(mma.a, a), a_type, packed, 1)
        right = _numbers(_bytes(mma.b, b), b_type, packed, 0)
        if scales:
            words_a, words_b, byte_a, thread_a, byte_b, thread_b = rest
            own = _factors(words_a.astype(np.uint32), mma.m, byte_a, thread_a, scales, kind)
            other = _factors(words_b.astype(np.uint32), mma.n, byte_b, thread_b, scales, kind)
            left = left * np.repeat(own, left.shape[1] // scales, axis=1)
            right = right * np.repeat(other, right.shape[0] // scales, axis=1).T
        _, row, col = mma.c.index
        sums = np.zeros((mma.m, mma.n), np.asarray(c).dtype)
        sums[row, col] = c
        with np.errstate(all="ignore"):
            out = matmul(left[None], right[None], sums[None].astype(np.float32))[0]
        return out[row, col].astype(sums.dtype)

    return meaning


def _row(words: str, types: str, c: DType, kind: str, scales: int = 0, factor: str = "ue8m0") -> None:
    """Registers a row. `words` of the instruction behind its layouts; `types`: those of A and B, with a space between;
    `scales`: factors to a row of A along K."""
    packed = kind in ("mxf4", "mxf4nvf4")
    k, (a_type, b_type) = 64 if packed else 32, types.split()
    name = f"nvvm.mma_16x8x{k}_{kind}{f'_{scales}x_{factor}' if kind == 'mxf4nvf4' else ''}_{a_type}_{b_type}_{c}"
    mma = fragments(16, 8, 32, _BYTES)
    some = tuple(range(0, 4, scales)) if scales else ()
    more = () if not scales else (
        Param("scale_a", u32, "four factors of a row of A, a byte each"),
        Param("scale_b", u32, "four factors of a column of B"),
        Param("byte_a", "const", "the first of the bytes that count", choices=some, default=0),
        Param("thread_a", "const", "which pair of each four threads gives those of A", choices=(0, 1), default=0),
        Param("byte_b", "const", "the first of the bytes that count", choices=some, default=0),
        Param("thread_b", "const", "which of each four threads gives those of B", choices=(0, 1, 2, 3), default=0),
    )  # fmt: skip
    halves = c == f16
    text = f"mma.sync.aligned.m16n8k{k}.row.col.kind::{words}.{c}.{a_type}.{b_type}.{c}"
    places = ", <scale_a>, {<byte_a>, <thread_a>}, <scale_b>, {<byte_b>, <thread_b>}" if scales else ""
    end = f".{factor}" if scales else ""

    def lines(attrs: Mapping[str, Any]) -> str:
        return f"{text}{end} <out*>, <a*>, <b*>, <c*>{places};"

    scaled = f" Each {k // scales} elements along K have a scale factor, {factor}." if scales else ""
    register(
        Row(
            name,
            (
                Param("a", VecType(u32, 4), f"the lane's part of A, 16 x {k}", packed=True),
                Param("b", VecType(u32, 2), f"the lane's part of B, {k} x 8", packed=True),
                Param("c", VecType(c, 4), "the lane's part of C, 16 x 8", packed=halves),
                *more,
            ),
            "c",
            f"D = A B + C over a warp: A is 16 x {k} of {a_type}, B {k} x 8 of {b_type}, C and D 16 x 8 of {c}."
            f"{scaled} All lanes take part.",
            "PTX ISA 9.0, 9.7.14.5.14, mma",
            CHIPS,
            _meaning(mma, a_type, b_type, scales, factor, packed),
            frozenset({"convergent"}),
            not_executed(name),
            llvm={"nvptx": Asm(lines)},
        )
    )


for _a in TYPES:
    for _b in TYPES:
        for _c in (f16, f32):
            _row("f8f6f4", f"{_a} {_b}", _c, "f8f6f4")
        _row("mxf8f6f4.block_scale.scale_vec::1X", f"{_a} {_b}", f32, "mxf8f6f4", 1)
_row("mxf4.block_scale.scale_vec::2X", "e2m1 e2m1", f32, "mxf4", 2)
_row("mxf4nvf4.block_scale.scale_vec::2X", "e2m1 e2m1", f32, "mxf4nvf4", 2)
_row("mxf4nvf4.block_scale.scale_vec::4X", "e2m1 e2m1", f32, "mxf4nvf4", 4, "ue4m3")
