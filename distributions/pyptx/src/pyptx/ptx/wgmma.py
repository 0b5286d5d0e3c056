"""`ptx.wgmma`: products of a warpgroup, 128 threads (sm_90a), and the descriptors that name their operands in shared
memory.

A descriptor has the address / 16 in bits 13:0, the leading offset / 16 in 29:16, the stride offset / 16 in 45:32, a
base offset in 51:49, the swizzle in 63:62 (PTX ISA, "Matrix descriptor format" of wgmma)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyptx.types as t
from avelang.nvptx.check import count_of
from avelang.ptx.form_queries import forms_of
from pyptx._errors import bad_value
from pyptx._operands import Parts, addr, emit
from pyptx._registers import NegPred, Reg, RegArray, scalar
from pyptx.smem import SharedAlloc, SharedSlice
from pyptx.spec import PtxValidationError, invalid
from pyptx.types import as_ptx_type
from pyptx.wgmma_layout import Major, pick_gmma_layout

SWIZZLE_NONE, SWIZZLE_128B, SWIZZLE_64B, SWIZZLE_32B = 0, 1, 2, 3
MASKED_DESC_B128 = 0x4000004000010000
FIELD = 0x3FFF


def fence(*, pred: Any = None) -> None:
    """`wgmma.fence`: before the first product, and when registers have changed."""
    emit(("wgmma", "fence", "sync", "aligned"), pred=pred)


def commit_group(*, pred: Any = None) -> None:
    """`wgmma.commit_group`: the products since the last make one group."""
    emit(("wgmma", "commit_group", "sync", "aligned"), pred=pred)


def wait_group(n: int = 0, *, pred: Any = None) -> None:
    """`wgmma.wait_group n`: all groups but the newest n are complete."""
    emit(("wgmma", "wait_group", "sync", "aligned"), n, pred=pred)


def flag(value: Any) -> Any:
    """A predicate of a bool or an int: one that is set here."""
    if isinstance(value, NegPred):
        return value
    if isinstance(value, Reg) and value.dtype == t.pred:
        return value
    out = scalar(t.pred)
    held = value.value() if isinstance(value, Reg) else scalar(t.u32, int(bool(value)))
    emit(("setp", "ne", "b32"), out, held, 0)
    return out


def mma_async(
    *, shape: Sequence[int], dtype_d: Any, dtype_a: Any, dtype_b: Any, d: Any, a: Any, b: Any, scale_d: Any = False,
    scale_a: int = 1, scale_b: int = 1, trans_a: int = 0, trans_b: int = 0, a_k_offset: int = 0, b_k_offset: int = 0,
    pred: Any = None,
) -> None:  # fmt: skip
    """`wgmma.mma_async`: D = A B, or D += A B where `scale_d` (a predicate, or a bool) holds. `d`: registers in the
    order in which the instruction takes them. `a`, `b`: a descriptor in a register, or a tile of `smem.wgmma_tile`,
    whose descriptor is made here, the offset in bytes added; `a` may be a list of registers too. `trans_b` 1: B is a
    (K, N) tile, row-major. Raises PtxValidationError for a shape or types that there are not."""
    m, n, k = shape
    types = [as_ptx_type(x, "ptx.wgmma.mma_async").name for x in (dtype_d, dtype_a, dtype_b)]
    parts = ("wgmma", "mma_async", "sync", "aligned", f"m{m}n{n}k{k}", *types)
    in_registers = isinstance(a, (list, RegArray))
    form = next(((f, e) for f, e in forms_of(parts) if bool(f.present(e)[1].count) == in_registers), None)
    if form is None:
        raise invalid(parts, _unknown(types, in_registers))
    specs = form[0].present(form[1])
    want = count_of(specs[0], form[1])
    if len(list(d)) != want:
        raise invalid(parts, f"d has {want} registers, {len(list(d))} are given")
    left = Parts(*a) if in_registers else _operand(a, a_k_offset)
    right = _operand(b, b_k_offset)
    scale = flag(scale_d)
    signs, turns = [scale_a, scale_b], [trans_b] if in_registers else [trans_a, trans_b]
    given = [(x.values, value) for x, value in zip(specs[4:], [*signs, *turns], strict=False)]
    if len(given) < 4 and (any(turns[max(0, len(specs) - 6) :]) or (len(specs) < 6 and signs != [1, 1])):
        raise invalid(parts, "these types have no transposed operands, and integers no signs")
    emit(parts, Parts(*d), left, right, scale, *(value for _, value in given), pred=pred)


def _unknown(types: list[str], in_registers: bool) -> str:
    """Why there is no product of these types (of D, A and B) in the shape that was asked for."""
    d, a, b = types
    every = {f"m64n8k{k}": k for k in (8, 16, 32, 64, 256)}

    def known(*names: str) -> list[int]:
        words = [("wgmma", "mma_async", "sync", "aligned", shape, *names) for shape in every]
        return [every[w[4]] for w in words if any(bool(f.present(e)[1].count) == in_registers for f, e in forms_of(w))]

    if k := known(d, a, b):
        return f"shapes are m64, n a multiple of 8 up to 256, k{k[0]} for A of {a}; of integers n is 8, 24, or 16 times"
    if known(d, a, a) and a != b:
        return f"A is of {a} and B of {b}: there is no such product; with A of {a}, B can be of {a}"
    kinds = [x for x in ("f32", "f16", "s32") if known(x, a, b)]
    return (f"D is of {d}; with A of {a} and B of {b} it can be of {' or '.join(kinds)}" if kinds
            else f"there is no product of {a} and {b}")  # fmt: skip


def _operand(x: Any, byte_offset: int) -> Any:
    """The descriptor of an operand of `mma_async`."""
    if not isinstance(x, (SharedAlloc, SharedSlice)):
        if byte_offset:
            moved = scalar(t.u64)
            emit(("add", "s64"), moved, x, byte_offset >> 4)
            return moved
        return x
    layout = x.gmma_layout
    if layout is None:
        raise bad_value("ptx.wgmma.mma_async", f"{x.name} has no layout: make it by smem.wgmma_tile")
    return make_descriptor(
        x, leading_byte_offset=layout.leading_byte_offset, stride_byte_offset=layout.stride_byte_offset,
        swizzle=layout.swizzle_code, addr_byte_offset=byte_offset,
    )  # fmt: skip


def make_descriptor(
    smem_base: Any, *, leading_byte_offset: int, stride_byte_offset: int, swizzle: int = 0, base_offset: int = 0,
    addr_byte_offset: int = 0,
) -> Reg:  # fmt: skip
    """A descriptor in a u64 register, of an address in a register, of an allocation or of a symbol. Raises ValueError
    (T241)."""
    if swizzle not in (0, 1, 2, 3):
        raise bad_value("ptx.wgmma.make_descriptor", f"the swizzle is 0 to 3, not {swizzle!r}")
    if not isinstance(base_offset, int) or not 0 <= base_offset <= 7:
        raise bad_value("ptx.wgmma.make_descriptor", f"base_offset is 0 to 7, not {base_offset!r}")
    bits = ((leading_byte_offset >> 4 & FIELD) << 16 | (stride_byte_offset >> 4 & FIELD) << 32 | base_offset << 49
            | swizzle << 62)  # fmt: skip
    start = _address64(smem_base)
    if addr_byte_offset:
        moved = scalar(t.u64)
        emit(("add", "s64"), moved, start, addr_byte_offset)
        start = moved
    out, constant = scalar(t.u64), scalar(t.u64)
    emit(("shr", "u64"), out, start, 4)
    emit(("and", "b64"), out, out, FIELD)
    emit(("mov", "b64"), constant, bits)
    emit(("or", "b64"), out, out, constant)
    return out


def _address64(place: Any) -> Reg:
    """The address of shared memory in a u64 register."""
    if isinstance(place, Reg):
        if place.dtype.bits == 64:
            return place
        wide = scalar(t.u64)
        emit(("cvt", "u64", "u32"), wide, place.value())
        return wide
    out = scalar(t.u64)
    found = addr(place)
    if isinstance(found.base, Reg):
        emit(("cvt", "u64", "u32"), out, found.base)
        if found.offset:
            emit(("add", "s64"), out, out, found.offset)
        return out
    emit(("mov", "u64"), out, found.base)
    if found.offset:
        emit(("add", "s64"), out, out, found.offset)
    return out


def auto_descriptor(smem_base: Any, *, dtype: Any, shape: Sequence[int], major: str) -> Reg:
    """The descriptor of a tile in the canonical layout: (M, K) with the major "K", (K, N) with "MN"."""
    kind = as_ptx_type(dtype, "ptx.wgmma.auto_descriptor")
    if major not in ("K", "MN"):
        raise bad_value("ptx.wgmma.auto_descriptor", f'the major {major!r} is neither "K" nor "MN"')
    first, k = shape if major == "K" else tuple(shape)[::-1]
    layout = pick_gmma_layout(elem_bytes=kind.bytes, m_or_n=first, k=k, major=Major.K if major == "K" else Major.MN)
    return make_descriptor(
        smem_base, leading_byte_offset=layout.leading_byte_offset, stride_byte_offset=layout.stride_byte_offset,
        swizzle=layout.swizzle_code,
    )  # fmt: skip


def masked(smem_addr: Any, byte_offset: Any, mask: int, const_bits: int) -> Reg:
    """A descriptor of a u32 address: its bits under a mask, / 16, and a constant."""
    start = smem_addr.value() if isinstance(smem_addr, Reg) else scalar(t.u32)
    if not isinstance(smem_addr, Reg):
        emit(("mov", "u32"), start, smem_addr)
    low, out = scalar(t.u32), scalar(t.u64)
    if isinstance(byte_offset, Reg) or byte_offset:
        emit(("add", "u32"), low, start, byte_offset)
        start = low
    emit(("and", "b32"), low, start, mask)
    emit(("shr", "u32"), low, low, 4)
    emit(("cvt", "u64", "u32"), out, low)
    emit(("or", "b64"), out, out, const_bits)
    return out


def masked_descriptor(
    smem_addr: Any, *, byte_offset: Any = 0, mask: int = 0x3FF80, const_bits: int = MASKED_DESC_B128
) -> Reg:
    """A descriptor of a u32 address; the constant says 128B swizzle, leading 16 and stride 1024 bytes if not said
    otherwise."""
    return masked(smem_addr, byte_offset, mask, const_bits)


__all__ = [
    "MASKED_DESC_B128",
    "SWIZZLE_32B",
    "SWIZZLE_64B",
    "SWIZZLE_128B",
    "SWIZZLE_NONE",
    "PtxValidationError",
    "auto_descriptor",
    "commit_group",
    "fence",
    "make_descriptor",
    "masked_descriptor",
    "mma_async",
    "wait_group",
]  # fmt: skip
