"""`ptx.tcgen05`: tensor cores of the fifth generation (sm_100a): tensor memory, products whose accumulators stand
there, and what waits for them.

PTX ISA, "TensorCore 5th Generation Family Instructions": tensor memory, instruction descriptor, shared memory
descriptor. An address in tensor memory has the lane in bits 31:16, the column in 15:0; warp w of a warpgroup reaches
lanes 32 (w % 4) to 32 (w % 4) + 31."""

from __future__ import annotations

from typing import Any

import pyptx.types as t
from pyptx._errors import bad_type, bad_value
from pyptx._operands import Address, Parts, at, emit, emit_name
from pyptx._registers import Reg, scalar
from pyptx._trace import get_ctx
from pyptx.ptx.wgmma import flag, masked
from pyptx.smem import SharedAlloc, SharedSlice

BLACKWELL_MASKED_DESC_B128 = 0x4000404000010000
KINDS = ("tf32", "f16", "i8", "f8f6f4", "mxf8f6f4", "mxf4", "mxf4nvf4")
COLLECTORS = ("discard", "lastuse", "fill", "use")
LAYOUTS = {"NONE": 0, "128B_BASE32B": 1, "128B": 2, "64B": 4, "32B": 6}
MASK_VERSION = (8, 8)  # of PTX: from it on a dense product is written with its mask of lanes


def _group(call: str, cta_group: int) -> str:
    if cta_group not in (1, 2):
        raise bad_value(f"ptx.tcgen05.{call}", f"cta_group is 1 or 2, not {cta_group!r}")
    return f"cta_group::{cta_group}"


def _bare(place: Any) -> Any:
    """An operand whose value is an address in tensor memory."""
    return place.base if isinstance(place, Address) and place.offset is None else place


# -- tensor memory -----------------------------------------------------------------------------------------------------


def alloc(tmem_addr: Any, ncols: Any, *, cta_group: int = 1, pred: Any = None) -> None:
    """`tcgen05.alloc`: so many columns (a power of two from 32 to 512); their address is written to shared memory."""
    name = f"tcgen05.alloc.{_group('alloc', cta_group)}.sync.aligned.shared::cta.b32"
    emit_name(name, at(tmem_addr), ncols, pred=pred)


def dealloc(taddr: Any, ncols: Any, *, cta_group: int = 1, pred: Any = None) -> None:
    """`tcgen05.dealloc`."""
    emit_name(f"tcgen05.dealloc.{_group('dealloc', cta_group)}.sync.aligned.b32", _bare(taddr), ncols, pred=pred)


def relinquish_alloc_permit(*, cta_group: int = 1, pred: Any = None) -> None:
    """`tcgen05.relinquish_alloc_permit`: this block allocates no more."""
    group = _group("relinquish_alloc_permit", cta_group)
    emit_name(f"tcgen05.relinquish_alloc_permit.{group}.sync.aligned", pred=pred)


def ld(
    dst_regs: Any, taddr: Any, *, shape: str = "16x128b", count: int = 1, dtype: Any = "b32", pack: bool = False,
    pred: Any = None,
) -> None:  # fmt: skip
    """`tcgen05.ld`: from tensor memory into registers. `wait_ld` stands before their use."""
    _width("ld", dtype)
    name = f"tcgen05.ld.sync.aligned.{shape}.x{count}{'.pack::16b' * pack}.b32"
    emit_name(name, _registers(dst_regs), at(taddr), pred=pred)


def st(
    taddr: Any, src_regs: Any, *, shape: str = "16x128b", count: int = 1, dtype: Any = "b32", unpack: bool = False,
    pred: Any = None,
) -> None:  # fmt: skip
    """`tcgen05.st`: from registers into tensor memory."""
    _width("st", dtype)
    name = f"tcgen05.st.sync.aligned.{shape}.x{count}{'.unpack::16b' * unpack}.b32"
    emit_name(name, at(taddr), _registers(src_regs), pred=pred)


def _registers(given: Any) -> Parts:
    return Parts(given) if isinstance(given, Reg) else Parts(*given)


def _width(call: str, dtype: Any) -> None:
    if str(getattr(dtype, "name", dtype)) not in ("b32", "u32", "s32", "f32"):
        raise bad_value(f"ptx.tcgen05.{call}", f"registers have 32 bits: {dtype!r}")


def cp(
    taddr: Any, src: Any, *, cta_group: int = 1, size: str = "128x256b", src_is_addr: bool | None = None,
    pred: Any = None,
) -> None:  # fmt: skip
    """`tcgen05.cp`: from shared memory (a descriptor) into tensor memory."""
    bracketed = isinstance(src, (SharedAlloc, SharedSlice)) if src_is_addr is None else src_is_addr
    name = f"tcgen05.cp.{_group('cp', cta_group)}.{size}"
    emit_name(name, at(taddr), at(src) if bracketed else src, pred=pred)


def shift(taddr: Any, *, cta_group: int = 1, pred: Any = None) -> None:
    """`tcgen05.shift.down`: rows of tensor memory move down by one."""
    emit_name(f"tcgen05.shift.{_group('shift', cta_group)}.down", at(taddr), pred=pred)


# -- waits -------------------------------------------------------------------------------------------------------------


def commit(
    mbar: Any, *, cta_group: int = 1, multicast: bool = False, multicast_mask: Any = None, space: str = "cluster",
    pred: Any = None,
) -> None:  # fmt: skip
    """`tcgen05.commit`: an arrival on an mbarrier once all products and copies of this thread are complete. A mask
    means `.multicast::cluster`. Raises ValueError (T241); ptxas has the space "cluster" only, which reaches this
    block's barriers too, and so "cta" is written as that."""
    if space not in ("cta", "cluster"):
        raise bad_value("ptx.tcgen05.commit", f'the space is "cta" or "cluster", not {space!r}')
    many = multicast or multicast_mask is not None
    if many and multicast_mask is None:
        raise bad_value("ptx.tcgen05.commit", "multicast_mask is missing: the blocks whose barriers are meant")
    name = f"tcgen05.commit.{_group('commit', cta_group)}.mbarrier::arrive::one.shared::cluster"
    name += ".multicast::cluster" * many
    emit_name(f"{name}.b64", at(mbar), *([multicast_mask] if many else []), pred=pred)


def wait_ld(*, pred: Any = None) -> None:
    """`tcgen05.wait::ld`: the registers of all loads before are there."""
    emit_name("tcgen05.wait::ld.sync.aligned", pred=pred)


def wait_st(*, pred: Any = None) -> None:
    """`tcgen05.wait::st`: all stores before are done."""
    emit_name("tcgen05.wait::st.sync.aligned", pred=pred)


def fence_before_thread_sync(*, pred: Any = None) -> None:
    """`tcgen05.fence::before_thread_sync`."""
    emit_name("tcgen05.fence::before_thread_sync", pred=pred)


def fence_after_thread_sync(*, pred: Any = None) -> None:
    """`tcgen05.fence::after_thread_sync`."""
    emit_name("tcgen05.fence::after_thread_sync", pred=pred)


# -- products ----------------------------------------------------------------------------------------------------------

_NOT_GIVEN: Any = object()


def mma(
    d_tmem: Any, a_desc: Any, b_desc: Any, idesc: Any, *, cta_group: int = 1, kind: str = "f16",
    enable_input_d: Any = _NOT_GIVEN, scale_d: Any = None, sparse: bool = False, ashift: bool = False,
    collector_a: str | None = None, a_is_tmem: bool = False, sparse_metadata: Any = None, pred_operand: Any = None,
    scale_c: Any = None, pred: Any = None,
) -> None:  # fmt: skip
    """`tcgen05.mma`: D = A B, or D += A B where its predicate holds, which is the first given of `pred_operand`,
    `scale_d` and `enable_input_d`, and false where none is. `idesc`: the instruction descriptor, a register or an int.
    From PTX 8.8 on dense products are written with their mask of lanes, which disables none. Raises ValueError
    (T241)."""
    call = "ptx.tcgen05.mma"
    if kind not in KINDS:
        raise bad_value(call, f"the kind {kind!r} is none of {', '.join(KINDS)}")
    if collector_a is not None and collector_a not in COLLECTORS:
        raise bad_value(call, f"collector_a is one of {', '.join(COLLECTORS)}, not {collector_a!r}")
    if sparse and sparse_metadata is None:
        raise bad_value(call, "sparse_metadata is missing: its address in tensor memory")
    name = f"tcgen05.mma{'.sp' * sparse}.{_group('mma', cta_group)}.kind::{kind}{'.ashift' * ashift}"
    name += f".collector::a::{collector_a}" if collector_a else ""
    enabled = next((x for x in (pred_operand, scale_d) if x is not None), None)
    if enabled is None:
        enabled = False if enable_input_d is _NOT_GIVEN else enable_input_d
    if isinstance(idesc, int):
        idesc = scalar(t.b32, idesc)
    elif not isinstance(idesc, Reg):
        raise bad_type(call, f"idesc is a register or an int, not {idesc!r}")
    p = flag(enabled)
    operands = [at(d_tmem), at(a_desc) if a_is_tmem else a_desc, b_desc]
    operands += [at(sparse_metadata)] if sparse else []
    operands.append(idesc)
    if not sparse and (get_ctx().ptx_version or MASK_VERSION) >= MASK_VERSION and not kind.startswith("mx"):
        zero = scalar(t.u32, 0)
        operands.append(Parts(*[zero] * (4 * cta_group)))
    operands.append(p)
    emit_name(name, *operands, *([] if scale_c is None else [scale_c]), pred=pred)


def make_instr_desc_f16bf16_f32(
    *, m: int = 128, n: int = 256, ab_dtype: str = "bf16", a_major: str = "K", b_major: str = "K", scale_a: int = 1,
    scale_b: int = 1, saturate: bool = False, sparse: bool = False, max_shift: int = 0,
) -> int:  # fmt: skip
    """The instruction descriptor of a product of f16, bf16 or tf32 with an f32 accumulator: an int. Raises ValueError
    (T241)."""
    call = "ptx.tcgen05.make_instr_desc_f16bf16_f32"
    ab_dtype = str(getattr(ab_dtype, "name", ab_dtype))
    kinds = {"f16": 0, "bf16": 1, "tf32": 2}
    for what, right in (
        (f"m is 64, 128 or 256, not {m!r}", m in (64, 128, 256)),
        (f"n is a multiple of 8 from 8 to 256, not {n!r}", isinstance(n, int) and n % 8 == 0 and 8 <= n <= 256),
        (f"ab_dtype is one of {', '.join(kinds)}, not {ab_dtype!r}", ab_dtype in kinds),
        (f'majors are "K" and "MN", not {a_major!r} and {b_major!r}', {a_major, b_major} <= {"K", "MN"}),
        (f"scales are 1 and -1, not {scale_a!r} and {scale_b!r}", {scale_a, scale_b} <= {1, -1}),
        (f"max_shift is 0 to 3, not {max_shift!r}", max_shift in (0, 1, 2, 3)),
    ):
        if not right:
            raise bad_value(call, what)
    code = kinds[ab_dtype]
    return (int(sparse) << 2 | int(saturate) << 3 | 1 << 4 | code << 7 | code << 10 | (scale_a < 0) << 13
            | (scale_b < 0) << 14 | (a_major == "MN") << 15 | (b_major == "MN") << 16 | n >> 3 << 17 | m >> 4 << 24
            | max_shift << 30)  # fmt: skip


# -- descriptors of shared memory --------------------------------------------------------------------------------------


def descriptor(
    smem_addr: Any, *, byte_offset: int = 0, stride_bytes: int, leading_bytes: int = 16, swizzle: str = "128B",
    version: int = 1, base_offset: int = 0, lbo_mode: int = 0,
) -> Reg:  # fmt: skip
    """A descriptor of an operand in shared memory, in a b64 register; offsets in bytes. Raises ValueError (T241)."""
    call = "ptx.tcgen05.descriptor"
    if swizzle not in LAYOUTS:
        raise bad_value(call, f"the swizzle {swizzle!r} is none of {', '.join(LAYOUTS)}")
    for what, x in (("stride_bytes", stride_bytes), ("leading_bytes", leading_bytes)):
        if not isinstance(x, int) or x % 16 or not 0 <= x >> 4 <= 0x3FFF:
            raise bad_value(call, f"{what} is a multiple of 16 under 262144, not {x!r}")
    if isinstance(byte_offset, int) and byte_offset % 16:
        raise bad_value(call, f"byte_offset is a multiple of 16, not {byte_offset!r}")
    for what, x, most in (("version", version, 3), ("base_offset", base_offset, 7), ("lbo_mode", lbo_mode, 1)):
        if not isinstance(x, int) or not 0 <= x <= most:
            raise bad_value(call, f"{what} is 0 to {most}, not {x!r}")
    bits = (leading_bytes >> 4 << 16 | stride_bytes >> 4 << 32 | version << 46 | base_offset << 49 | lbo_mode << 52
            | LAYOUTS[swizzle] << 61)  # fmt: skip
    return masked_descriptor(smem_addr, byte_offset=byte_offset, const_bits=bits)


def masked_descriptor(
    smem_addr: Any, *, byte_offset: Any = 0, mask: int = 0x3FFF0, const_bits: int = BLACKWELL_MASKED_DESC_B128
) -> Reg:
    """A descriptor of a u32 address; the constant says 128B swizzle, leading 16 and stride 1024 bytes if not said
    otherwise. A step of 16 bf16 along K adds 2."""
    made = masked(smem_addr, byte_offset, mask, const_bits)
    out = scalar(t.b64)
    emit(("mov", "b64"), out, made)
    return out
