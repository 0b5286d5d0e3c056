"""What the kernels of the instruction level share: some arithmetic on registers, the order of tiles, checks of a
product's matrices."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from avelang import argument_error
from avelang.ptx import Reg, ptx, reg
from avelang.ptx.types import Type, b32, bf16, f16, f32, u32
from avelang_kernels.arrays import named


def mad(a: Reg, b: int, c: Any) -> Reg:
    """a * b + c, u32."""
    out = reg.scalar(u32)
    ptx.inst.mad.lo.u32(out, a, b, c)
    return out


def divided(x: Reg, by: int, below: int) -> tuple[Reg, Reg]:
    """Quotient and remainder of x < `below` by a constant: `ptxas` would divide."""
    if by & (by - 1) == 0:
        return x >> (by.bit_length() - 1), x & (by - 1)
    if by * below >= 1 << 32:
        return x // by, x % by
    quotient = reg.scalar(u32)
    ptx.inst.mul.hi.u32(quotient, x, -(-(1 << 32) // by))
    return quotient, x - quotient * by


@contextlib.contextmanager
def repeat(name: str, count: Reg) -> Generator[None, None, None]:
    """The block `count` times, at least once; the register counts down."""
    ptx.label(name)
    yield
    count -= 1
    ptx.bra(name, count != 0)


def rounded(low: Reg, high: Reg, to: Type) -> Reg:
    """Two f32 as bf16 or f16 in one register."""
    out = reg.scalar(b32)
    ptx.inst["cvt.rn.bf16x2.f32" if to is bf16 else "cvt.rn.f16x2.f32"](out, high, low)
    return out


def tile_of(index: Reg, rows: int, cols: int, together: int) -> tuple[Reg, Reg]:
    """Row and column of a tile. What runs at one time then is about as wide as high, and reads as little of A and B as
    can be."""
    together = min(together, rows)
    group, inner = divided(index, together * cols, rows * cols)
    if rows % together == 0:
        col, row = divided(inner, together, together * cols)
    else:
        height = reg.scalar(u32)
        ptx.inst.min.u32(height, rows - group * together, together)
        col, row = inner // height, inner % height
    return group * together + row, col


def checked(
    a: Any, b: Any, out: Any, to: Type | None, wanted: tuple[Type, ...]
) -> tuple[Type, Type, tuple[int, int, int]]:
    """The types of A and B, and of C, and the size of a product. Raises ValueError and TypeError."""
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    if 0 in (m, n, k):
        raise argument_error(f"the product of {m} x {k} and {n} x {k} has nothing to multiply")
    if k % 8:
        raise argument_error(
            f"a and b have {k} columns; rows are copied 16 bytes at a time, so it must be a multiple of 8 (pad them "
            f"with zeros)"
        )
    dtype = element("a", a, wanted)
    element("b", b, (dtype,))
    to = element("out", out, (dtype, f32)) if out is not None else to or dtype
    if to not in (dtype, f32):
        raise argument_error(f"to is {to}; here it must be {dtype} or f32")
    if out is not None and tuple(out.shape) != (m, n):
        raise argument_error(f"out is {tuple(out.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    return dtype, to, (m, n, k)


def element(name: str, x: Any, wanted: tuple[Type, ...]) -> Type:
    """The type of an array's elements. Raises TypeError where it is none of `wanted`."""
    found = {"bfloat16": bf16, "float16": f16, "float32": f32}.get(named(x))
    if found not in wanted:
        raise argument_error(f"{name} is of {x.dtype}; here it must be of {' or '.join(map(str, wanted))}")
    return found
