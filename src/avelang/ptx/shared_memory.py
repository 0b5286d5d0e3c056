"""Memory: operands in brackets, the kernel's parameters, and shared memory, static and dynamic, swizzled or not.

A tile in shared memory is row-major. Its swizzle is that of the copy engine and of matrix descriptors
(`isa.nvptx.swizzle`): of 16-byte pieces, by absolute addresses, so that a swizzled tile begins at a multiple of 8 rows
of its pattern."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import avelang.ptx.types as t
from avelang.base.places import wrong
from avelang.isa.tensor_map import PATTERNS
from avelang.nvptx import nodes as n
from avelang.ptx.inst import emit
from avelang.ptx.operand_nodes import is_operand, operand, parsed
from avelang.ptx.registers import Reg, ScalarOperand, move, reg, typed
from avelang.ptx.trace import current
from avelang.ptx.types import Type, as_type

if TYPE_CHECKING:
    from avelang.ptx.specs import KernelArgument

DYNAMIC_ALIGN = 8 * max(PATTERNS)  # of dynamic shared memory: so the largest pattern of a swizzle repeats


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryOperand:
    """A memory operand, `[base+offset]`; `coords` are those of a tensor map. An offset that is a node is written as it
    is, even 0."""

    base: Any
    offset: int | n.Operand = 0
    coords: tuple[Any, ...] = ()

    def node(self) -> n.Operand:
        """The operand in brackets."""
        base = operand(self.base)
        offset = self.offset
        if isinstance(base, n.Binary):  # a place inside of a variable
            assert isinstance(base.right, n.Int) and isinstance(offset, int)
            base, offset = base.left, offset + base.right.value
        where = (operand(offset) if offset else None) if isinstance(offset, int) else offset
        rest = (n.VectorOperand(tuple(operand(c) for c in self.coords)),) if self.coords else ()
        return n.AddressOperand(base, where, rest)


def addr(base: Any, offset: int | str = 0, coords: Any = ()) -> MemoryOperand:
    """`[base+offset]`: memory at a register, a tile or a place in one, an argument (its parameter) or a symbol; the
    offset counts bytes. `coords`: of a tensor map, the contiguous dimension first, as PTX has them. An offset as text
    is written as it is: "0", "0x10". Raises T233."""
    if isinstance(base, MemoryOperand) and isinstance(base.offset, int) and isinstance(offset, int):
        return MemoryOperand(base.base, base.offset + offset, base.coords)
    if isinstance(base, Reg):
        fits = base.type.is_int and base.type.bits in (32, 64)
    else:
        fits = (is_operand(base) or isinstance(base, str)) and not isinstance(base, ScalarOperand)
    if not fits:
        raise wrong("T233", got=repr(base), why="an address is in a register of 32 or 64 bits, or a name")
    if isinstance(offset, str):
        if isinstance(base, MemoryOperand) or isinstance(operand(base), n.Binary):
            raise wrong("T233", got=repr(base), why="it has an offset, so that there can be none as text")
        return MemoryOperand(base, parsed(offset, "ptx.addr"), tuple(coords))
    if not isinstance(offset, int):
        raise wrong(
            "T233", got=repr(offset), why="the offset of an address is a compile-time int; add registers with +"
        )
    return MemoryOperand(base, offset, tuple(coords))


# -- parameters --------------------------------------------------------------------------------------------------------


def param(argument: KernelArgument) -> Reg:
    """Loads an argument: `ld.param`, the address of an array (u64, generic) or a number of its type."""
    kind = t.u64 if argument.tile is not None else argument.type
    out = reg.scalar(kind)
    emit(typed(("ld", "param"), kind), out, MemoryOperand(argument))
    return out


def global_ptr(argument: KernelArgument) -> Reg:
    """The address of an array in global memory: `ld.param.u64`, then `cvta.to.global.u64`."""
    pointer = param(argument)
    if argument.tile is None:
        raise wrong("T222", name="ptx.global_ptr", got=f"{argument!r}, which is no array")
    out = reg.scalar(t.u64)
    emit(("cvta", "to", "global", "u64"), out, pointer)
    return out


def global_ptrs(*arguments: KernelArgument) -> tuple[Reg, ...]:
    """`global_ptr` of each."""
    return tuple(global_ptr(a) for a in arguments)


# -- shared memory -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class SymbolOffset:
    """A place in a variable of shared memory: an operand, whose value is its address."""

    symbol: str
    offset: int = 0

    def node(self) -> n.Operand:
        """The operand: the name, or name + offset."""
        name = n.SymbolOperand(self.symbol)
        return n.Binary("+", name, n.Int(self.offset)) if self.offset else name

    def __add__(self, offset: Any) -> Any:
        """So many bytes further: of an int a place again, of a register its address plus that, in a register."""
        return SymbolOffset(self.symbol, self.offset + offset) if isinstance(offset, int) else self.pointer() + offset

    def pointer(self) -> Reg:
        """The address in a register (u32, `.shared`): one `mov`."""
        out = reg.scalar(t.u32)
        emit(("mov", "u32"), out, self)
        return out


@dataclasses.dataclass(frozen=True, slots=True)
class SharedTile:
    """Shared memory of a type and a shape, row-major; `swizzle` bytes of pattern (0: none). As an operand it is its
    address."""

    place: SymbolOffset
    type: Type
    shape: tuple[int, ...]
    swizzle: int = 0

    def node(self) -> n.Operand:
        """The address of its first byte as an operand."""
        return self.place.node()

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return tuple(math.prod(self.shape[i + 1 :]) * self.type.bytes for i in range(len(self.shape)))

    @property
    def bytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * self.type.bytes

    def pointer(self) -> Reg:
        """The address of its first byte in a register (u32, `.shared`): one `mov`."""
        return self.place.pointer()

    def __getitem__(self, index: int | tuple[int, ...]) -> SharedTile:
        """The part behind leading indices that are known (ints): a stage of a ring, a row."""
        index = index if isinstance(index, tuple) else (index,)
        if len(index) > len(self.shape) or not all(
            isinstance(i, int) and 0 <= i < x for i, x in zip(index, self.shape, strict=False)
        ):
            raise wrong("T234", got=index, shape=self.shape, why="indices of a part are ints inside of its extents")
        offset = sum(i * s for i, s in zip(index, self.strides, strict=False))
        return SharedTile(
            SymbolOffset(self.place.symbol, self.place.offset + offset),
            self.type,
            self.shape[len(index) :],
            self.swizzle,
        )

    def at(self, *index: Any) -> Any:
        """The address of an element. Of ints: a place, no instruction. With registers (u32): a register, computed as
        one writes it: `mad.lo` along each dimension, the base added, and for a swizzle `shr`, `and`, `shl`, `xor`.
        Raises T234."""
        from avelang.isa.nvptx.swizzle import swizzled

        if len(index) != len(self.shape):
            raise wrong("T234", got=index, shape=self.shape, why=f"it has {len(self.shape)} dimensions")
        if all(isinstance(i, int) for i in index):
            if not all(0 <= i < x for i, x in zip(index, self.shape, strict=True)):
                raise wrong("T234", got=index, shape=self.shape, why="an element is inside of its extents")
            offset = sum(i * s for i, s in zip(index, self.strides, strict=True))
            offset += self.place.offset  # the variable begins where a pattern does
            place: Any = swizzled(offset, self.swizzle) if self.swizzle else offset  # type: ignore[arg-type]
            return SymbolOffset(self.place.symbol, place)
        address = self.pointer()
        for i, stride in zip(index, self.strides, strict=True):
            if isinstance(i, int):
                address = address + i * stride if i else address
            else:
                out = reg.scalar(t.u32)
                emit(("mad", "lo", "u32"), out, i.value(), stride, address)
                address = out
        return swizzled(address, self.swizzle) if self.swizzle else address  # type: ignore[arg-type]


class SharedAllocator:
    """`smem`: allocations of shared memory."""

    @staticmethod
    def alloc(
        dtype: Any,
        shape: int | Sequence[int],
        *,
        swizzle: int = 0,
        align: int = 16,
        dynamic: bool = False,
        name: str = "",
    ) -> SharedTile:
        """A tile in shared memory. `swizzle`: bytes of the pattern, 0, 32, 64 or 128; `align`: in bytes. `dynamic`:
        behind what has been allocated so, in the memory that the launch brings (up to 227 KiB of a block on sm_90);
        else a variable of its own (48 KiB in all). Raises T234."""
        kind = as_type(dtype, "the type of a tile")
        extents: tuple[Any, ...] = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if not extents or not all(isinstance(x, int) and x > 0 for x in extents):
            raise wrong("T234", got=shape, shape="a tile", why="a shape is made of positive ints")
        if swizzle not in PATTERNS:
            raise wrong("T101", what="swizzle", allowed=", ".join(map(str, PATTERNS)), got=swizzle)
        align = max(align, 8 * swizzle, kind.bytes)
        if align & (align - 1) or align >> 32:
            raise wrong("T033", got=align)
        size = math.prod(extents) * kind.bytes
        place = _dynamic(size, align) if dynamic else _static(name, size, align)
        return SharedTile(place, kind, extents, swizzle)

    @staticmethod
    def barriers(count: int = 1, *, dynamic: bool = False, name: str = "mbar") -> SharedTile:
        """`count` mbarriers: 64 bits each."""
        return SharedAllocator.alloc(t.b64, count, align=8, dynamic=dynamic, name=name)


def _static(name: str, size: int, align: int) -> SymbolOffset:
    trace = current("smem.alloc")
    symbol = trace.symbol(name or "smem", "shared")
    trace.variables.append(n.PtxVariable("shared", "b8", symbol, align=align, dims=(n.Int(size),)))
    return SymbolOffset(symbol)


def _dynamic(size: int, align: int) -> SymbolOffset:
    trace = current("smem.alloc")
    if align > DYNAMIC_ALIGN:
        raise wrong("T033", got=align)
    start = -(-trace.dynamic // align) * align
    trace.dynamic = start + size
    return SymbolOffset(trace.dynamic_symbol(), start)


smem = SharedAllocator()

__all__ = ["MemoryOperand", "SharedTile", "SymbolOffset", "addr", "global_ptr", "global_ptrs", "move", "param", "smem"]
