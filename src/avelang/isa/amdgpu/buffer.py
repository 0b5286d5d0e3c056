"""Rows of the raw-buffer instructions: a resource of four words (base, range, flags), loads and stores whose range the
hardware checks."""

from __future__ import annotations

from collections.abc import Callable

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.base.spans import Span
from avelang.ir.build import Builder
from avelang.ir.core import Block, Op, Value
from avelang.ir.dtypes import i32, i64, u8, u16, u32
from avelang.ir.ops import bits_of
from avelang.ir.types import GLOBAL, SHARED, PtrType, Type, VecType
from avelang.isa.amdgpu.lane_rows import LANES
from avelang.isa.lowering import LOADS_TO_LDS, Emitter, Lowering, immediates
from avelang.isa.lowering_helpers import choose, expand_offset, expand_resource, first_active, lds_stride
from avelang.isa.row import Param, Row, TensorRef, Wave, register

RSRC = VecType(i32, 4)
DWORD = 4  # bytes
SOURCE = "AMD CDNA3 ISA, section 9.1 (Vector Memory Buffer Instructions), buffer resource descriptor and range checking"
GFX9 = frozenset({"gfx9"})
# Word 3 of a raw buffer on gfx9: DATA_FORMAT 32 (4 << 15) and NUM_FORMAT float (7 << 12), as LLVM's own lowerings write
# it (mlir/lib/Conversion/AMDGPUToROCDL, `makeBufferRsrc`). The same on gfx90a, gfx942 and gfx950.
FLAGS = 0x00027000
DIRECT_LOAD = "amdgpu.raw_buffer_load_x1_lds"
LDS_SIZES = (1, 2, 4, 12, 16)
LDS_WIDE = "lds-load-wide"  # the feature of chips that have sizes 12 and 16


def _too_wide(span: Span | None, size: int) -> Exception:
    return error(
        "U103", span, name=DIRECT_LOAD, what=f"size {size}", instead="sizes 12 and 16 need gfx950; use 1, 2 or 4"
    )


def words(n: int) -> Type:
    """The register type of n dwords."""
    return i32 if n == 1 else VecType(i32, n)


# -- meaning -----------------------------------------------------------------------------------------------------------


def resource(rsrc: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(base, range) uint64 (lanes,) of resource words: 48 bits of address, 32 of range in bytes."""
    w = np.ascontiguousarray(rsrc).view(np.uint32).astype(np.uint64)
    return w[:, 0] | ((w[:, 1] & np.uint64(0xFFFF)) << np.uint64(32)), w[:, 2]


def offset_of(*parts: np.ndarray) -> np.ndarray:
    """uint64 (lanes,): the sum of 32-bit offsets read as unsigned; it does not wrap."""
    return sum(
        (np.ascontiguousarray(p).view(np.uint32).astype(np.uint64) for p in parts), np.zeros(len(parts[0]), np.uint64)
    )


def _make_rsrc(wave: Wave, tensor: TensorRef, range_bytes: np.ndarray, flags: int) -> np.ndarray:
    out = np.empty((wave.lanes, 4), np.uint32)
    out[:, 0] = (tensor.address & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    out[:, 1] = ((tensor.address >> np.uint64(32)) & np.uint64(0xFFFF)).astype(np.uint32)
    out[:, 2] = range_bytes.view(np.uint32)
    out[:, 3] = flags
    return out.view(np.int32)


def load_dwords(wave: Wave, rsrc: np.ndarray, offset: np.ndarray, n: int) -> np.ndarray:
    """int32 (lanes, n): dword by dword, zero outside the range."""
    base, limit = resource(rsrc)
    full = wave.active & (offset + np.uint64(DWORD * n) <= limit)
    raw = np.where(full[:, None], wave.read(GLOBAL, base + offset, DWORD * n, full), np.uint8(0))
    if not np.array_equal(full, wave.active):
        for j in range(n - 1):  # the last dword is outside where not all are inside
            at = offset + np.uint64(DWORD * j)
            ok = wave.active & ~full & (at + np.uint64(DWORD) <= limit)
            raw[:, DWORD * j : DWORD * j + DWORD] |= np.where(
                ok[:, None], wave.read(GLOBAL, base + at, DWORD, ok), np.uint8(0)
            )
    return np.ascontiguousarray(raw).view(np.int32)


def _load(n: int) -> Callable[..., np.ndarray]:
    def semantics(wave: Wave, rsrc: np.ndarray, voffset: np.ndarray, soffset: np.ndarray, aux: int) -> np.ndarray:
        out = load_dwords(wave, rsrc, offset_of(voffset, soffset), n)
        return out[:, 0] if n == 1 else out

    return semantics


def _store(n: int) -> Callable[..., None]:
    def semantics(
        wave: Wave, data: np.ndarray, rsrc: np.ndarray, voffset: np.ndarray, soffset: np.ndarray, aux: int
    ) -> None:
        base, limit = resource(rsrc)
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(wave.lanes, n, DWORD)
        offset = offset_of(voffset, soffset)
        full = offset + np.uint64(DWORD * n) <= limit
        wave.write(GLOBAL, base + offset, raw.reshape(wave.lanes, -1), wave.active & full)
        for j in range(n - 1):  # the last dword is outside where not all are inside
            at = offset + np.uint64(DWORD * j)
            wave.write(GLOBAL, base + at, raw[:, j], wave.active & ~full & (at + np.uint64(DWORD) <= limit))

    return semantics


# -- expansion ---------------------------------------------------------------------------------------------------------


def inside(b: Builder, offset: Value, nbytes: int, limit: Value) -> Value:
    """u1: whether `nbytes` from `offset` on lie within the range."""
    return b.cmp("le", b.add(offset, b.const(nbytes, i64)), limit)


def dwords(
    b: Builder, n: int, carried: tuple[Value, ...], body: Callable[[Value, tuple[Value, ...]], tuple[Value, ...]]
) -> tuple[Value, ...]:
    """A loop over the dwords 0 .. n - 1 of an access, which is rarely run: rolled, so that it costs little to
    compile."""
    region = Block((("dword", u32), *(("", v.type) for v in carried)))
    op = b.emit("for", (b.const(0), b.const(n), b.const(1), *carried), tuple(v.type for v in carried), (region,))
    with b.inside(region):
        b.yield_(*body(region.args[0], tuple(region.args[1:])))
    return tuple(op.results)


def place_of(b: Builder, offset: Value, dword: Value) -> Value:
    """The byte offset of a dword of an access."""
    return b.add(offset, b.mul(b.convert(dword, i64), b.const(DWORD, i64)))


def expand_load(b: Builder, ptr: Value, offset: Value, limit: Value, n: int) -> Value:
    """n dwords with the range check. One wide load where all are inside, which is nearly always; else dword by
    dword."""

    def dword(at: Value) -> Value:
        return choose(b, inside(b, at, DWORD, limit), lambda: b.ld(ptr, at, i32, DWORD), lambda: b.const(0, i32))

    def one_by_one() -> Value:
        # The last dword is outside where not all are inside.
        return dwords(
            b, n - 1, (b.const(0, words(n)),), lambda j, v: (b.insert(v[0], dword(place_of(b, offset, j)), j),)
        )[0]

    if n == 1:
        return dword(offset)
    full = inside(b, offset, DWORD * n, limit)
    return choose(b, full, lambda: b.ld(ptr, offset, words(n), DWORD), one_by_one)


def _expand_make(b: Builder, tensor: Value, range_bytes: Value, flags: int) -> Value:
    ptr = tensor if isinstance(tensor.type, PtrType) else b.base(tensor)
    address = b.ptr_int(ptr)
    low = b.convert(address, i32)
    high = b.convert(b.and_(b.shr(address, b.const(32, i64)), b.const(0xFFFF, i64)), i32)
    return b.vec([low, high, b.bitcast(range_bytes, i32), b.const(flags, i32)])


def _expand_load(n: int) -> Callable[..., Value]:
    def lower(b: Builder, rsrc: Value, voffset: Value, soffset: Value, aux: int) -> Value:
        ptr, limit = expand_resource(b, rsrc)
        return expand_load(b, ptr, expand_offset(b, voffset, soffset), limit, n)

    return lower


def _expand_store(n: int) -> Callable[..., None]:
    def lower(b: Builder, data: Value, rsrc: Value, voffset: Value, soffset: Value, aux: int) -> None:
        ptr, limit = expand_resource(b, rsrc)
        offset = expand_offset(b, voffset, soffset)
        full = inside(b, offset, DWORD * n, limit)
        with b.if_(full):
            b.st(data, ptr, offset, DWORD)
        if n == 1:
            return

        def dword(j: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            at = place_of(b, offset, j)
            with b.if_(inside(b, at, DWORD, limit)):
                b.st(b.extract(data, j), ptr, at, DWORD)
            return ()

        with b.if_(b.same("not", full)):
            dwords(b, n - 1, (), dword)  # the last dword is outside where not all are inside

    return lower


# -- code --------------------------------------------------------------------------------------------------------------


def scalar_resource(w: Emitter, v: Value) -> tuple[str, str]:
    """A resource in scalar registers. It must be the same in all lanes, so where that is not proven the first lane's
    words are taken: LLVM would build a loop over the lanes."""
    if v.uniform:
        return "<4 x i32>", w.value(v)
    parts = [w.op(f"extractelement <4 x i32> {w.value(v)}, i64 {i}") for i in range(4)]
    return "<4 x i32>", w.vector([w.target.first(w, x) for x in parts], "i32")


def checked(
    w: Emitter, rsrc: Value, voffset: Value, soffset: Value
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The resource, and the vector and scalar offsets. LLVM says that the hardware leaves the scalar offset out of its
    range check (IntrinsicsAMDGPU.td, at the raw buffer intrinsics), AMD's measurements on gfx950 that it counts
    (ROCm/rocm-systems, pull request 10928). So none is left to it: a scalar offset moves the resource's beginning, and
    makes its range that much shorter. One that differs by lane goes to the vector offset; their sum stays at the top
    instead of wrapping, since what lies beyond 32 bits is outside of any range."""
    t, held = scalar_resource(w, rsrc)
    own, more = w.value(voffset), w.value(soffset)
    if not soffset.uniform:
        total = more if own == "0" else w.call("llvm.uadd.sat.i32", "i32", ("i32", own), ("i32", more))
        return [(t, held)], [("i32", total), ("i32", "0")]
    if more != "0":
        size = w.op(f"extractelement {t} {held}, i64 2")
        # The difference, or 0: in 64 bits, whose upper half is the borrow. LLVM makes a saturating subtraction of other
        # spellings, which only vector instructions have, and then takes the resource for one that differs by lane.
        more64 = w.op(f"zext i32 {more} to i64")
        wide = w.op(f"sub i64 {w.op(f'zext i32 {size} to i64')}, {more64}")
        borrow = w.op(f"trunc i64 {w.op(f'lshr i64 {wide}, 32')} to i32")
        left = w.op(f"and i32 {w.op(f'trunc i64 {wide} to i32')}, {w.op(f'xor i32 {borrow}, -1')}")
        # Its beginning: 48 bits of a word of 64, above which the sum never carries.
        pair = w.bitcast(held, t, "<2 x i64>")
        begin = w.op(f"add i64 {w.op(f'extractelement <2 x i64> {pair}, i64 0')}, {more64}")
        held = w.bitcast(w.op(f"insertelement <2 x i64> {pair}, i64 {begin}, i64 0"), "<2 x i64>", t)
        held = w.op(f"insertelement {t} {held}, i32 {left}, i64 2")
    return [(t, held)], [("i32", own), ("i32", "0")]


def _overload(bits: int) -> tuple[str, str]:
    """LLVM's type of so many bits, and the suffix of an intrinsic on it."""
    n = bits // 32
    return ("i32", "i32") if n == 1 else (f"<{n} x i32>", f"v{n}i32")


def _emit_load(w: Emitter, op: Op, name: str) -> str:
    rsrc, voffset, soffset = op.operands
    t, suffix = _overload(bits_of(op.result.type))
    held, offsets = checked(w, rsrc, voffset, soffset)
    return w.call(f"{name}.{suffix}", t, *held, *offsets, *immediates(op.attrs["aux"]))


def _emit_store(w: Emitter, op: Op, name: str) -> None:
    data, rsrc, voffset, soffset = op.operands
    t, suffix = _overload(bits_of(data.type))
    held, offsets = checked(w, rsrc, voffset, soffset)
    w.call(f"{name}.{suffix}", "void", (t, w.value(data)), *held, *offsets, *immediates(op.attrs["aux"]))


def _emit_load_lds(w: Emitter, op: Op, name: str) -> None:
    rsrc, lds, vindex, soffset = op.operands
    size = op.attrs["size"]
    if size > DWORD and LDS_WIDE not in w.target.chip.features:
        raise _too_wide(op.span, size)
    held, offsets = checked(w, rsrc, vindex, soffset)
    w.call(
        name, "void", *held, ("ptr addrspace(3)", w.value(lds)), ("i32", str(size)), *offsets,
        *immediates(op.attrs["offset"], op.attrs["aux"]),
    )  # fmt: skip


# -- rows --------------------------------------------------------------------------------------------------------------

_RSRC = Param(
    "rsrc", RSRC, "the resource, from `make_rsrc`; the same in all active lanes, or an error (T320, X044)",
    uniform="make the resource of memory that all lanes share, and put what differs into the offsets; of lanes that "
    "differ, code for a GPU takes the "
            "first one's",
)  # fmt: skip
_OFFSETS = (
    Param("voffset", (i32, u32), "byte offset, read as unsigned; may differ from lane to lane", also="vindex"),
    Param("soffset", (i32, u32), "byte offset that is added to it; may differ from lane to lane too"),
    Param(
        "aux",
        "const",
        "cache policy bits of the instruction (sc0 1, nt 2, sc1 16); no effect on the result",
        range=(0, 31),
        default=0,
    ),
)
_RULE = (
    "The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is checked dword "
    "by dword: a dword is "
    "inside "
    "when voffset + soffset + 4 times its number + 4 is at most the resource's range."
)

register(Row(
    "amdgpu.make_rsrc",
    (
        Param("tensor", "tensor", "its first element is the base", spaces=(GLOBAL,)),
        Param("range_bytes", (u32, i32), "how many bytes from the base on may be accessed"),
        Param("flags", "const", "the fourth word of the resource", range=(0, 0xFFFFFFFF), default=FLAGS),
    ),
    RSRC,
    "The raw-buffer resource of `range_bytes` bytes from a tensor's first element on: four words (low address, high "
    "16 bits of the "
    "address, range, "
    "flags). A buffer instruction takes it from scalar registers: base and range must be the same in all lanes that "
    "use it.",
    SOURCE, GFX9, _make_rsrc, lower=_expand_make,
))  # fmt: skip

for _n in (1, 2, 4):
    register(Row(
        f"amdgpu.raw_buffer_load_x{_n}", (_RSRC, *_OFFSETS), words(_n),
        f"Loads {_n} dword{'s' * (_n > 1)}. {_RULE} Outside it reads zero.",
        SOURCE, GFX9, _load(_n), frozenset({"read"}), _expand_load(_n),
        llvm={"amdgpu": Lowering("llvm.amdgcn.raw.buffer.load", emit=_emit_load)},
    ))  # fmt: skip
    register(Row(
        f"amdgpu.raw_buffer_store_x{_n}", (Param("data", words(_n), "what to store"), _RSRC, *_OFFSETS), None,
        f"Stores {_n} dword{'s' * (_n > 1)}. {_RULE} Outside nothing is written.",
        SOURCE, GFX9, _store(_n), frozenset({"write"}), _expand_store(_n),
        llvm={"amdgpu": Lowering("llvm.amdgcn.raw.buffer.store", emit=_emit_store)},
    ))  # fmt: skip

# -- direct to LDS -----------------------------------------------------------------------------------------------------


def _load_lds(
    wave: Wave, rsrc: np.ndarray, lds: TensorRef, size: int, vindex: np.ndarray, soffset: np.ndarray, offset: int,
    aux: int,
) -> None:  # fmt: skip
    at = offset_of(vindex, soffset) + np.uint64(offset)
    if size >= DWORD:
        raw = load_dwords(wave, rsrc, at, size // DWORD).view(np.uint8)
    else:
        base, limit = resource(rsrc)
        ok = wave.active & (at + np.uint64(size) <= limit)
        raw = np.zeros((wave.lanes, DWORD), np.uint8)
        raw[:, :size] = np.where(ok[:, None], wave.read(GLOBAL, base + at, size, ok), 0)
    lane = np.arange(wave.lanes, dtype=np.uint64)
    place = lds.address[np.argmax(wave.active)] + np.uint64(offset) + lane * np.uint64(lds_stride(size))
    wave.write(lds.space, place, raw, wave.active)


def _expand_load_lds(
    b: Builder, rsrc: Value, lds: Value, size: int, vindex: Value, soffset: Value, offset: int, aux: int
) -> None:
    if size > DWORD and LDS_WIDE not in b.features:
        raise _too_wide(b.span, size)
    ptr, limit = expand_resource(b, rsrc)
    at = b.add(expand_offset(b, vindex, soffset), b.const(offset, i64))
    if size >= DWORD:
        value = expand_load(b, ptr, at, limit, size // DWORD)
    else:
        narrow = u8 if size == 1 else u16
        got = choose(b, inside(b, at, size, limit), lambda: b.ld(ptr, at, narrow, size), lambda: b.const(0, narrow))
        value = b.convert(got, i32)
    target = lds if isinstance(lds.type, PtrType) else b.base(lds)
    # The base is the first active lane's. A shared pointer is not made from a number, so its distance from the lane's
    # own is added.
    own = b.ptr_int(target)
    base = b.shuffle("idx", own, first_active(b), LANES)
    place = b.mul(b.convert(b.lane_id(), i64), b.const(lds_stride(size), i64))
    b.st(value, target, b.add(b.sub(base, own), b.add(place, b.const(offset, i64))), DWORD)


register(Row(
    DIRECT_LOAD,
    (
        _RSRC,
        Param("lds", "tensor", "where lane 0's data goes; of lanes that differ the first active one counts",
            spaces=(SHARED,)),
        Param("size", "const", "bytes for each lane; 12 and 16 on gfx950 only", range=(LDS_SIZES[0], LDS_SIZES[-1]),
            choices=LDS_SIZES),
        Param("vindex", (i32, u32), "byte offset, read as unsigned; may differ from lane to lane"),
        Param("soffset", (i32, u32), "byte offset that is added to it"),
        Param("offset", "const", "bytes added to the address in memory and to that in shared memory", range=(0, 4095),
            default=0),
        _OFFSETS[2],
    ),
    None,
    "Loads from a buffer straight into shared memory: the data of lane l go to lds + offset + l times max(4, size). A "
    "byte or half is "
    "extended with zeros to a word. Memory is read at base + vindex + soffset + offset; outside the range zeros are "
    "written. Lanes that "
    "are not active "
    "write nothing.",
    "AMD CDNA3 ISA, section 9.1.9 (Memory Buffer Load to LDS); LLVM, IntrinsicsAMDGPU.td, "
    "int_amdgcn_raw_buffer_load_lds",
    GFX9, _load_lds, frozenset({"read", "write"}), _expand_load_lds,
    llvm={"amdgpu": Lowering("llvm.amdgcn.raw.buffer.load.lds", emit=_emit_load_lds, marks=frozenset({LOADS_TO_LDS}))},
))  # fmt: skip
