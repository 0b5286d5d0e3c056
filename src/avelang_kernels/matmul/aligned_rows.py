"""Matrices that TMA cannot read come in; copies go out whose rows begin at multiples of 16 bytes: one launch for two
matrices, with stores of 16 bytes.

TMA wants rows a multiple of 16 bytes apart, and a matrix with an odd number of columns has none. Each thread writes 16
bytes of a row of the copy, of elements that it loads one by one: neighboring threads read neighboring memory, whatever
place rows begin at. Columns past the end become zeros. A matrix of which columns lie side by side is copied as
columns."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Any, NamedTuple

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, named, spanned, strided, strides_of
from avelang_kernels.workspaces import room_for

THREADS = 256
UNIT = 16  # bytes
BACK = 8  # elements that a thread copies back
LINE = 128  # bytes: L2 reads rows that begin at multiples of it once


@functools.cache
def build(dtype: Any) -> Any:
    """The kernel for matrices of a dtype."""
    EACH = UNIT // dtype.bytes

    @avelang.jit
    def place(unit: Any, pitch: Any):
        units = al.convert(pitch, al.u32) // EACH
        return al.convert(unit // units, al.u64), al.convert(unit % units * EACH, al.u64)

    @avelang.jit
    def copy_line(source: Any, target: Any, line: Any, first: Any, length: Any, apart: Any, step: Any, pitch: Any):
        if first < pitch:
            unit = al.make_local((EACH,), dtype)
            for e in range(EACH):
                unit[e] = al.convert(0.0, dtype)
                if first + e < length:
                    unit[e] = source[line * apart + (first + e) * step]
            target[(line * pitch + first) // EACH] = unit

    @avelang.jit
    def aligned_rows(
        x: al.Pointer[dtype], to_x: al.Pointer[dtype], x_length: al.u64, x_apart: al.u64,
        x_step: al.u64, x_pitch: al.u64, x_lines: al.u64,
        y: al.Pointer[dtype], to_y: al.Pointer[dtype], y_length: al.u64,
        y_apart: al.u64, y_step: al.u64, y_pitch: al.u64, y_lines: al.u64, x_blocks: al.u32,
    ):  # fmt: skip
        """Of both matrices: elements of a line, elements from line to line and from element to element, from line to
        line of the copy, lines. The first `x_blocks` blocks copy x."""
        block = al.block_id(0)
        if block < x_blocks:
            unit = block * THREADS + al.thread_id(0)
            line, first = place(unit, x_pitch)
            if line < x_lines:
                source = al.make_tensor(x, dtype, al.make_layout((x_lines * x_apart + x_length * x_step,)))
                target = al.make_tensor(to_x, dtype, al.make_layout((x_lines * x_pitch // EACH, EACH)))
                copy_line(source, target, line, first, x_length, x_apart, x_step, x_pitch)
        else:
            unit = (block - x_blocks) * THREADS + al.thread_id(0)
            line, first = place(unit, y_pitch)
            if line < y_lines:
                source = al.make_tensor(y, dtype, al.make_layout((y_lines * y_apart + y_length * y_step,)))
                target = al.make_tensor(to_y, dtype, al.make_layout((y_lines * y_pitch // EACH, EACH)))
                copy_line(source, target, line, first, y_length, y_apart, y_step, y_pitch)

    return aligned_rows


@functools.cache
def build_back(dtype: Any) -> Any:
    """The kernel that copies rows which begin at multiples of 16 bytes to a matrix of any strides, of a dtype."""

    @avelang.jit
    def rows_back(
        x: al.Pointer[dtype], to: al.Pointer[dtype], lines: al.u32, length: al.u32, pitch: al.u64, apart: al.u64,
        step: al.u64,
    ):  # fmt: skip
        source = al.make_tensor(x, dtype, al.make_layout((lines * pitch,)))
        target = al.make_tensor(to, dtype, al.make_layout((lines * apart + length * step,)))
        first = al.block_id(0) * (BACK * THREADS) + al.thread_id(0)
        for i in range(BACK):  # neighboring threads write neighboring elements
            place = first + i * THREADS
            line, column = place // length, place % length
            if line < lines:
                of, at = al.convert(line, al.u64), al.convert(column, al.u64)
                target[of * apart + at * step] = source[of * pitch + at]

    return rows_back


def put_back(made: Any, out: Any, options: dict[str, Any]) -> None:
    """Copies the first columns of rows, as many as `out` has, to `out`, a matrix of torch or NumPy. `options`: those of
    a launch."""
    (m, n), (apart, step) = out.shape, strides_of(out)
    if (m * n) >> 32 or not (step == 1 and apart >= n or apart == 1 and step >= m):
        out[...] = made[:, :n]  # of more than the kernel counts, or with lines that lie otherwise
        return
    blocks = -(-m * n // (BACK * THREADS))
    at = build_back(DTYPES[named(out)])[blocks, THREADS]
    at(made, spanned(out), m, n, made.shape[1], apart, step, **options)


class Copied(NamedTuple):
    """A matrix to copy and its copy: memory of both, elements of a line, from line to line and from element to element,
    from line to line of the copy, lines; `made`: the copy as a matrix."""

    data: Any
    to: Any
    length: int
    apart: int
    step: int
    pitch: int
    lines: int
    made: Any

    @property
    def blocks(self) -> int:
        """Blocks that copy it."""
        return -(-self.lines * self.pitch * self.to.itemsize // (UNIT * THREADS))


def pitch_of(length: int, size: int) -> int:
    """Elements from line to line of a copy: a multiple of 128 bytes, or of 16 where that would be much more."""
    unit = (LINE if length * size >= 8 * LINE else UNIT) // size
    return -(-length // unit) * unit


def copied(x: Any, slot: str) -> Copied:
    """A matrix of torch or NumPy, with room for its copy."""
    rows, cols = x.shape
    size = x.dtype.itemsize
    row, col = strides_of(x)
    turned = row == 1 and col != 1 and rows > 1
    lines, length, apart, step = (cols, rows, col, row) if turned else (rows, cols, row, col)
    pitch = pitch_of(length, size)
    to = room_for(x, lines, pitch, None, slot)
    made = to[:, :length].T if turned else to[:, :length]
    span = (lines - 1) * apart + (length - 1) * step + 1
    return Copied(strided(x, (span,), (1,)), to, length, apart, step, pitch, lines, made)


def align_rows(*matrices: Any, **options: Any) -> tuple[Any, ...]:
    """Copies of one or two matrices of bf16, f16 or f32, of one dtype, of NumPy or torch, with any strides from 0 on:
    rows (or columns, where these lie side by side) begin at multiples of 16 bytes, with zeros behind them. `options`:
    those of a launch. The copies are there until the next call on the same stream."""
    found = rooms(*matrices)
    launch(found, options)(*(x.data for x in found), *(x.to for x in found))
    return tuple(x.made for x in found)


def rooms(*matrices: Any) -> list[Copied]:
    """The matrices with room for their copies."""
    return [copied(x, f"operand {i}") for i, x in enumerate(matrices)]


def launch(found: list[Copied], options: dict[str, Any]) -> Any:
    """`run(*memory, *rooms)`, which copies matrices that lie as these do."""
    one, two = found[0], found[-1]
    blocks = [x.blocks for x in found]
    at = build(DTYPES[named(one.to)])[sum(blocks), THREADS]
    first, second = ((x.length, x.apart, x.step, x.pitch, x.lines) for x in (one, two))

    def run(*arrays: Any) -> None:
        to = arrays[len(found) :]
        at(arrays[0], to[0], *first, arrays[len(found) - 1], to[-1], *second, blocks[0], **options)

    return run
