"""Swizzles of shared memory: byte addresses as a tile's layout counts them come in; those where copies and matrix
instructions put the bytes go out.

Sources: PTX ISA 9.0, 5.5.6, "Swizzling modes"; CUTLASS, cute/swizzle.hpp. A pattern of 32, 64 or 128 bytes permutes
16-byte pieces within its rows: the bits of the piece are xored with those that count rows of 128 bytes. It repeats
every 256, 512 or 1024 bytes of absolute address. """

from __future__ import annotations

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.types import dtype_of

BITS = {0: 0, 32: 1, 64: 2, 128: 3}  # bytes of the pattern: how many bits of the piece are changed
PIECE, ROW = 4, 7  # the lowest bits of a piece's number and of a row's
DESCRIPTOR = {0: 0, 128: 1, 64: 2, 32: 3}  # bits 62-63 of a matrix descriptor (PTX ISA 9.0, 9.7.15.5.1.2.2)


def swizzled(address: np.ndarray, pattern: int) -> np.ndarray:
    """The addresses, int64, under a pattern of so many bytes (0: as they are)."""
    mask = (1 << BITS[pattern]) - 1
    return address ^ ((address >> ROW & mask) << PIECE)


def expand_swizzled(b: Builder, address: Value, pattern: int) -> Value:
    """The same in primitive ops."""
    if not pattern:
        return address
    t = dtype_of(address.type)
    row = b.and_(b.shr(address, b.const(ROW, t)), b.const((1 << BITS[pattern]) - 1, t))
    return b.xor(address, b.shl(row, b.const(PIECE, t)))
