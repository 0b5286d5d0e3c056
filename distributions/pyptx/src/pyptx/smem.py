"""`smem`: shared memory: allocations, tiles for `wgmma`, mbarriers; loads and stores; the swizzle.

A kernel's allocations are variables of their own, or (with over 48 KiB in all, or `smem=` above that) parts of one
dynamic array `dyn_smem`, in the order of the calls. A swizzle's pattern repeats every 8 rows and goes by absolute
addresses, so that what is allocated with one begins at such a multiple."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pyptx.types as t
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from pyptx._errors import PyptxIndexError, bad_type, bad_value, fail
from pyptx._operands import Address, addr, emit
from pyptx._registers import Reg, scalar
from pyptx._trace import get_ctx
from pyptx.types import PtxType, as_ptx_type
from pyptx.wgmma_layout import GmmaLayout, Major, pick_gmma_layout

PATTERNS = {None: 0, "NONE": 0, "32B": 32, "64B": 64, "128B": 128}


@dataclasses.dataclass(frozen=True)
class SharedPlace:
    """A place in shared memory: a symbol and bytes. As an operand it is its address."""

    symbol: str
    byte: int

    def node(self) -> n.Operand:
        """The symbol, or symbol + bytes."""
        name = n.SymbolOperand(self.symbol)
        return n.Binary("+", name, n.Int(self.byte)) if self.byte else name

    def text(self) -> str:
        """The place as PTX writes it."""
        return f"{self.symbol}+{self.byte}" if self.byte else self.symbol

    def further(self, count: Any) -> Any:
        """So many bytes further on: of an int a place, of a register its address in a register."""
        if isinstance(count, int):
            return SharedPlace(self.symbol, self.byte + count)
        base = scalar(t.u32)
        emit(("mov", "u32"), base, self)
        return base + count


@dataclasses.dataclass(frozen=True, eq=False)
class SharedSlice:
    """Stage `stage` of an allocation: its part behind the first index."""

    alloc: SharedAlloc
    stage: Any

    def where(self) -> Any:
        """The place, or with a register as the stage its address in a register."""
        a = self.alloc
        size = math.prod(a.shape[1:]) * a.dtype.bytes
        if isinstance(self.stage, int):
            return a.place.further(self.stage * size)
        return a.place.further(self.stage * size)

    def node(self) -> n.Operand:
        """The address as an operand."""
        return self.where().node()

    def address(self) -> Address:
        """The memory operand."""
        return Address(self.where())

    @property
    def name(self) -> str:
        """The place as PTX writes it; of a stage in a register the allocation's."""
        return self.where().text() if isinstance(self.stage, int) else self.alloc.name

    @property
    def dtype(self) -> PtxType:
        """That of the allocation."""
        return self.alloc.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """That of a matrix: the allocation's last two extents."""
        return self.alloc.shape[-2:]

    @property
    def gmma_layout(self) -> GmmaLayout | None:
        """That of the allocation."""
        return self.alloc.gmma_layout

    @property
    def gmma_major(self) -> str | None:
        """That of the allocation."""
        return self.alloc.gmma_major


@dataclasses.dataclass(frozen=True, eq=False)
class SharedAlloc:
    """Shared memory of a type and a shape, row-major. As an operand it is its address; `s[i]` is stage i of it,
    `s[r, c]` of a matrix loads an element, `s[r, c] = reg` stores one."""

    place: SharedPlace
    dtype: PtxType
    shape: tuple[int, ...]
    swizzle: str | None = None
    gmma_layout: GmmaLayout | None = None
    gmma_major: str | None = None
    byte_offset: int = 0

    @property
    def name(self) -> str:
        """The symbol; in dynamic mode with its offset, "dyn_smem+4096"."""
        return self.place.text()

    def node(self) -> n.Operand:
        """The address of its first byte as an operand."""
        return self.place.node()

    def address(self) -> Address:
        """The memory operand of its first byte."""
        return Address(self.place)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            where = self._element(index)
            out = scalar(self.dtype)
            emit(("ld", "shared", memory_type(self.dtype)), out, where)
            return out
        if not isinstance(index, (int, Reg)) or isinstance(index, bool):
            raise bad_type("SharedAlloc", f"the index {index!r} is no int and no register")
        if isinstance(index, int) and not 0 <= index < self.shape[0]:
            raise fail(PyptxIndexError, "SharedAlloc", f"stage {index} of the shape {self.shape}")
        return SharedSlice(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, tuple):
            raise bad_type("SharedAlloc", f"an element is named by two indices, not by {index!r}")
        if not isinstance(value, Reg):
            raise bad_type("SharedAlloc", f"a register is stored, not {value!r}")
        emit(("st", "shared", memory_type(self.dtype)), self._element(index), value)

    def _element(self, index: tuple[Any, ...]) -> Address:
        """The memory operand of an element; of registers, its address is computed."""
        if len(self.shape) != 2 or len(index) != 2:
            raise bad_type("SharedAlloc", f"{len(index)} indices of the shape {self.shape}; elements are for matrices")
        for i in index:
            if not isinstance(i, (int, Reg)) or isinstance(i, bool):
                raise bad_type("SharedAlloc", f"the index {i!r} is no int and no register")
        row, column = index
        if isinstance(row, int) and isinstance(column, int):
            if not (0 <= row < self.shape[0] and 0 <= column < self.shape[1]):
                raise fail(PyptxIndexError, "SharedAlloc", f"element {index} of the shape {self.shape}")
            return Address(self.place.further((row * self.shape[1] + column) * self.dtype.bytes))
        if isinstance(row, int):
            at = column.value() if row == 0 else _added(column.value(), row * self.shape[1])
        else:
            at = scalar(t.u32)
            emit(("mul", "lo", "u32"), at, row.value(), self.shape[1])
            at = at if isinstance(column, int) and column == 0 else _added(at, column)
        shift = self.dtype.bytes.bit_length() - 1
        if shift:
            bytes_ = scalar(t.u32)
            emit(("shl", "b32"), bytes_, at, shift)
            at = bytes_
        base = scalar(t.u32)
        emit(("mov", "b32"), base, self)
        return Address(_added(base, at))


def _added(a: Reg, b: Any) -> Reg:
    out = scalar(t.u32)
    emit(("add", "u32"), out, a, b.value() if isinstance(b, Reg) else b)
    return out


def memory_type(kind: PtxType) -> str:
    """The type of a load or store: untyped bits where PTX has no such type in memory."""
    return kind.name if kind.name == kind.held and kind.name not in ("f16", "f16x2") else f"b{kind.bits}"


# -- allocations -------------------------------------------------------------------------------------------------------


def _shape(given: Any, call: str) -> tuple[int, ...]:
    shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not shape or not all(isinstance(x, int) and not isinstance(x, bool) and x > 0 for x in shape):
        raise bad_value(call, f"the shape {given!r} is not made of positive ints")
    return shape


def alloc_with_layout(
    dtype: Any, shape: Any, swizzle: str | None = None, align: int | None = None, name: str | None = None, *,
    gmma_layout: GmmaLayout | None = None, gmma_major: str | None = None,
) -> SharedAlloc:  # fmt: skip
    """`alloc`, with the layout of a matrix operand, which `ptx.wgmma` reads. Raises ValueError (T241)."""
    kind, extents = as_ptx_type(dtype, "smem.alloc"), _shape(shape, "smem.alloc")
    if swizzle not in PATTERNS:
        raise bad_value("smem.alloc", f'the swizzle {swizzle!r} is none of "32B", "64B", "128B", None')
    least = max(8 * PATTERNS[swizzle], kind.bytes)
    align = max(128 if align is None else align, least)
    if align & (align - 1):
        raise wrong("T033", got=align)
    trace = get_ctx()
    symbol, start = trace.share(name or f"smem_{trace.number('smem')}", "b8", math.prod(extents) * kind.bytes, align)
    return SharedAlloc(SharedPlace(symbol, start), kind, extents, swizzle, gmma_layout, gmma_major, start)


def alloc(
    dtype: Any, shape: Any, swizzle: str | None = None, align: int | None = None, name: str | None = None
) -> SharedAlloc:
    """Shared memory of so many elements, aligned to 128 bytes if not said otherwise. `swizzle` ("32B", "64B", "128B")
    says how its data is arranged: it aligns the memory to the pattern and moves nothing. Raises ValueError (T241)."""
    return alloc_with_layout(dtype, shape, swizzle, align, name)


def wgmma_tile(
    dtype: Any, shape: Any, major: str = "K", *, align: int | None = None, name: str | None = None
) -> SharedAlloc:
    """Memory for an operand of `wgmma`: (M or N, K) with the major "K", (K, N) with "MN". Raises ValueError (T241) for
    a shape that no layout has."""
    kind, extents = as_ptx_type(dtype, "smem.wgmma_tile"), _shape(shape, "smem.wgmma_tile")
    if major not in ("K", "MN"):
        raise bad_value("smem.wgmma_tile", f'the major {major!r} is neither "K" nor "MN"')
    if len(extents) != 2:
        raise bad_value("smem.wgmma_tile", f"the shape {extents} is not that of a matrix")
    first, k = extents if major == "K" else extents[::-1]
    layout = pick_gmma_layout(elem_bytes=kind.bytes, m_or_n=first, k=k, major=Major.K if major == "K" else Major.MN)
    return alloc_with_layout(kind, extents, layout.smem_swizzle, align, name, gmma_layout=layout, gmma_major=major)


@dataclasses.dataclass(frozen=True, eq=False)
class MbarrierRef:
    """One mbarrier of an array."""

    array: MbarrierArray
    idx: int

    @property
    def place(self) -> SharedPlace:
        """Symbol and byte."""
        return self.array.place.further(8 * self.idx)

    @property
    def name(self) -> str:
        """The place as PTX writes it."""
        return self.place.text()

    @property
    def byte_offset(self) -> int:
        """Bytes from the beginning of the array; in dynamic mode from that of `dyn_smem`."""
        return self.array.byte_offset + 8 * self.idx

    def node(self) -> n.Operand:
        """The address as an operand."""
        return self.place.node()

    def address(self) -> Address:
        """The memory operand: [mbar_0+8]; in dynamic mode [%r], after the address has been computed."""
        trace = get_ctx()
        if not trace.dynamic_mode:
            return Address(self.array.place, 8 * self.idx) if self.idx else Address(self.array.place)
        base = scalar(t.b32)
        emit(("mov", "b32"), base, SharedPlace(self.place.symbol, 0))
        emit(("add", "s32"), base, base, self.place.byte)
        return Address(base)


@dataclasses.dataclass(frozen=True, eq=False)
class MbarrierArray:
    """`count` mbarriers, of 8 bytes each; `b[i]` is one of them."""

    place: SharedPlace
    count: int
    byte_offset: int = 0

    @property
    def name(self) -> str:
        """The symbol."""
        return self.place.text()

    def node(self) -> n.Operand:
        """The address of the first as an operand."""
        return self.place.node()

    def address(self) -> Address:
        """The memory operand of the first."""
        return self[0].address()

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> MbarrierRef:
        if not isinstance(index, int) or isinstance(index, bool):
            raise bad_type("MbarrierArray", f"the index {index!r} is no int; ptx.mbarrier.array(...).at(r) takes one")
        if not 0 <= index < self.count:
            raise fail(PyptxIndexError, "MbarrierArray", f"index {index} of {self.count} mbarriers")
        return MbarrierRef(self, index)


def mbarrier(count: int, name: str | None = None) -> MbarrierArray:
    """`count` mbarriers. Raises ValueError (T241) for a count under 1."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise bad_value("smem.mbarrier", f"{count!r} mbarriers; an int from 1 on is wanted")
    trace = get_ctx()
    symbol, start = trace.share(name or f"mbar_{trace.number('mbar')}", "b64", 8 * count, 8, count)
    return MbarrierArray(SharedPlace(symbol, start), count, start)


def base(name: str | None = None) -> Reg:
    """The address of a symbol of shared memory in a u32 register: the kernel's extern array if none is named."""
    out = scalar(t.u32)
    emit(("mov", "u32"), out, name or get_ctx().extern or "smem")
    return out


def load(dtype: Any, address: Any) -> Reg:
    """`ld.shared` into a new register; the address is what `ptx.addr` gives or takes."""
    kind = as_ptx_type(dtype, "smem.load")
    where = addr(address)
    out = scalar(kind)
    emit(("ld", "shared", memory_type(kind)), out, where)
    return out


def store(dtype: Any, address: Any, value: Reg) -> None:
    """`st.shared` of a register. Raises TypeError (T241) for another value."""
    kind = as_ptx_type(dtype, "smem.store")
    if not isinstance(value, Reg):
        raise bad_type("smem.store", f"a register is stored, not {value!r}")
    emit(("st", "shared", memory_type(kind)), addr(address), value.value())


_MASKS = {"32B": 0x80, "64B": 0x180, "128B": 0x380}


def apply_swizzle(logical_offset: Reg, swizzle: str | None) -> Reg:
    """The byte offset at which the copy engine and the matrix instructions have a byte of a swizzled tile: bits 7 on
    are xored into bits 4 on. The tile must begin at a multiple of the pattern. Raises ValueError (T241)."""
    if swizzle in (None, "NONE"):
        return logical_offset
    if swizzle not in _MASKS:
        raise bad_value("smem.apply_swizzle", f'{swizzle!r} is none of "32B", "64B", "128B", "NONE", None')
    bits, out = scalar(t.u32), scalar(t.u32)
    x = logical_offset.value()
    emit(("and", "b32"), bits, x, _MASKS[swizzle])
    emit(("shr", "u32"), bits, bits, 3)
    emit(("xor", "b32"), out, x, bits)
    return out


__all__ = [
    "MbarrierArray", "MbarrierRef", "SharedAlloc", "SharedPlace", "SharedSlice", "alloc", "alloc_with_layout",
    "apply_swizzle", "base", "load", "mbarrier", "store", "wgmma_tile",
]  # fmt: skip
