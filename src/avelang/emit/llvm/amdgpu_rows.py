"""The rows of `al.amdgpu` as LLVM intrinsics: an op of a row comes in, the call goes out. Which intrinsic it is stands in the row."""

from __future__ import annotations

from collections.abc import Callable

from avelang.base.errors import error
from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op, Value
from avelang.ir.ops import bits_of
from avelang.ir.types import VecType, dtype_of
from avelang.isa.amdgpu.buffer import DWORD, LDS_WIDE
from avelang.isa.amdgpu.matrix import DENSE, F8F6F4, Dense
from avelang.isa.amdgpu.scaled import FORMATS, SCALED, Scaled
from avelang.isa.amdgpu.schedule import waitcnt_immediate
from avelang.isa.amdgpu.sparse import SPARSE, Sparse
from avelang.isa.row import ROWS

RowRule = Callable[[Simt, Op], "str | None"]
DIRECT_LOAD = "amdgpu.raw_buffer_load_x1_lds"


def intrinsic(op: Op) -> str:
    """LLVM's name of an op's row."""
    return ROWS[op.name].llvm["amdgpu"]


def packed(w: Simt, v: Value, t: str) -> tuple[str, str]:
    """An operand's bits as the LLVM type that an intrinsic takes: (type, value)."""
    return t, w.bitcast(w.value(v), w.type(v.type), t)


def _immediates(*values: int, t: str = "i32") -> list[tuple[str, str]]:
    return [(t, str(v)) for v in values]


# -- matrix instructions -----------------------------------------------------------------------------------------------------------------

_DENSE: dict[str, Dense] = {f"llvm.amdgcn.mfma.{d.llvm}/{d.name}": d for d in DENSE}
_SCALED: dict[str, Scaled] = {f"amdgpu.{d.name}": d for d in SCALED}
_SPARSE: dict[str, Sparse] = {f"llvm.amdgcn.smfmac.{d.llvm}": d for d in SPARSE}


def mma(w: Simt, op: Op) -> str:
    """MFMA and SMFMAC: operands in the types that LLVM wants for the same bits."""
    name, c = intrinsic(op), op.operands[2]
    acc = w.type(c.type)
    sparse = _SPARSE.get(name)
    if sparse is not None:
        a, b = (packed(w, v, t) for v, t in zip(op.operands[:2], sparse.words, strict=True))
        index = packed(w, op.operands[3], "i32")
        return w.call(name, acc, a, b, (acc, w.value(c)), index, *_immediates(op.attrs["cbsz"], op.attrs["abid"]))
    dense = _DENSE[f"{name}/{op.name.removeprefix('amdgpu.')}"]
    a, b = (packed(w, v, dense.words) for v in op.operands[:2])
    if dense.passes > 1:
        # The formats of A and B, then scales: none where both are zero.
        tail = _immediates(F8F6F4[dense.a], F8F6F4[dense.b], 0, 0, 0, 0)
    else:
        tail = _immediates(op.attrs["cbsz"], op.attrs["abid"], op.attrs["blgp"])
    return w.call(name, acc, a, b, (acc, w.value(c)), *tail)


def _scaled(w: Simt, op: Op) -> str:
    """Formats, then scales and which byte of them. Two scales of the number zero LLVM would take for none: the bytes that are not looked at are
    not zero then."""
    d = _SCALED[op.name]
    (a, fa), (b, fb) = ((packed(w, v, f"<{FORMATS[f].words} x i32>"), FORMATS[f].code) for v, f in zip(op.operands[:2], (d.a, d.b), strict=True))
    c, scales = op.operands[2], [w.value(v) for v in op.operands[3:]]
    part_a, part_b = op.attrs["part_a"], op.attrs["part_b"]
    if scales == ["0", "0"]:
        scales[0] = str(1 << 8 * (part_a ^ 1))
    tail = [*_immediates(fa, fb, part_a), ("i32", scales[0]), *_immediates(part_b), ("i32", scales[1])]
    return w.call(intrinsic(op), w.type(c.type), a, b, (w.type(c.type), w.value(c)), *tail)


# -- raw buffers -------------------------------------------------------------------------------------------------------------------------


def first_lane(w: Simt, word: str) -> str:
    """An i32 of the first active lane, in a scalar register."""
    return w.call("llvm.amdgcn.readfirstlane.i32", "i32", ("i32", word)) if word.startswith("%") else word


def resource(w: Simt, v: Value) -> tuple[str, str]:
    """A resource in scalar registers. It must be the same in all lanes, so where that is not proven the first lane's words are taken: LLVM
    would build a loop over the lanes."""
    if v.uniform:
        return "<4 x i32>", w.value(v)
    words = [w.op(f"extractelement <4 x i32> {w.value(v)}, i64 {i}") for i in range(4)]
    return "<4 x i32>", w.vector([first_lane(w, x) for x in words], "i32")


def buffer(w: Simt, rsrc: Value, voffset: Value, soffset: Value) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The resource, and the vector and scalar offsets. The hardware leaves the scalar offset out of its range check (LLVM, IntrinsicsAMDGPU.td, at
    the raw buffer intrinsics), the row does not: a scalar offset makes the range that much shorter. One that differs by lane goes to the vector
    offset; their sum stays at the top instead of wrapping, since what lies beyond 32 bits is outside of any range."""
    t, words = resource(w, rsrc)
    own, more = w.value(voffset), w.value(soffset)
    if not soffset.uniform:
        total = more if own == "0" else w.call("llvm.uadd.sat.i32", "i32", ("i32", own), ("i32", more))
        return [(t, words)], [("i32", total), ("i32", "0")]
    if more != "0":
        size = w.op(f"extractelement {t} {words}, i64 2")
        # The difference, or 0: in 64 bits, whose upper half is the borrow. LLVM makes a saturating subtraction of other spellings, which only vector
        # instructions have, and then takes the resource for one that differs by lane.
        wide = w.op(f"sub i64 {w.op(f'zext i32 {size} to i64')}, {w.op(f'zext i32 {more} to i64')}")
        borrow = w.op(f"trunc i64 {w.op(f'lshr i64 {wide}, 32')} to i32")
        left = w.op(f"and i32 {w.op(f'trunc i64 {wide} to i32')}, {w.op(f'xor i32 {borrow}, -1')}")
        words = w.op(f"insertelement {t} {words}, i32 {left}, i64 2")
    return [(t, words)], [("i32", own), ("i32", more)]


def _dwords(bits: int) -> tuple[str, str]:
    """LLVM's type of so many bits, and the suffix of an intrinsic on it."""
    n = bits // 32
    return ("i32", "i32") if n == 1 else (f"<{n} x i32>", f"v{n}i32")


def _buffer_load(w: Simt, op: Op) -> str:
    rsrc, voffset, soffset = op.operands
    t, suffix = _dwords(bits_of(op.result.type))
    words, offsets = buffer(w, rsrc, voffset, soffset)
    return w.call(f"{intrinsic(op)}.{suffix}", t, *words, *offsets, *_immediates(op.attrs["aux"]))


def _buffer_store(w: Simt, op: Op) -> None:
    data, rsrc, voffset, soffset = op.operands
    t, suffix = _dwords(bits_of(data.type))
    words, offsets = buffer(w, rsrc, voffset, soffset)
    w.call(f"{intrinsic(op)}.{suffix}", "void", (t, w.value(data)), *words, *offsets, *_immediates(op.attrs["aux"]))


def _buffer_load_lds(w: Simt, op: Op) -> None:
    rsrc, lds, vindex, soffset = op.operands
    size = op.attrs["size"]
    if size > DWORD and LDS_WIDE not in w.target.chip.features:
        raise error("U103", op.span, name=op.name, what=f"size {size}", instead="sizes 12 and 16 need gfx950; use 1, 2 or 4")
    words, offsets = buffer(w, rsrc, vindex, soffset)
    w.call(
        intrinsic(op), "void", *words, ("ptr addrspace(3)", w.value(lds)), ("i32", str(size)), *offsets,
        *_immediates(op.attrs["offset"], op.attrs["aux"]),
    )  # fmt: skip


# -- atomics -----------------------------------------------------------------------------------------------------------------------------


def _atomic(w: Simt, op: Op) -> str:
    offset, value, place = op.operands
    if dtype_of(value.type).name == "bf16" and "gfx90a" in w.target.chip.features:
        raise error("U103", op.span, name=op.name, what="a pair of bf16", instead="gfx942 and gfx950 have it")
    d = dtype_of(offset.type)
    wide = w.value(offset)
    if d.bits < 64:
        wide = w.op(f"{'sext' if d.kind == 'int' else 'zext'} i{d.bits} {wide} to i64")
    pointer = w.op(f"getelementptr i8, {w.typed(place)}, i64 {wide}")
    return w.target.atomic_add(w, value, place, pointer, op.attrs["scope"])


# -- between lanes, and lane by lane -------------------------------------------------------------------------------------------------------


def _by_words(name: str, more: tuple[int, ...] = ()) -> Callable[[Simt, Op], str]:
    """A move of whole words, done to each word of a value."""

    def rule(w: Simt, op: Op) -> str:
        t = op.result.type
        words = w.words(w.value(op.operands[0]), t)
        return w.from_words([w.call(name, "i32", ("i32", x), *_immediates(*more)) for x in words], t)

    return rule


def _dpp(w: Simt, op: Op) -> str:
    t, a = op.result.type, op.attrs
    old, src = (w.words(w.value(v), t)[0] for v in op.operands)
    bound = ("i1", "true" if a["bound_ctrl"] else "false")
    args = (("i32", old), ("i32", src), *_immediates(a["dpp_ctrl"], a["row_mask"], a["bank_mask"]), bound)
    return w.from_words([w.call(f"{intrinsic(op)}.i32", "i32", *args)], t)


def _swizzle(w: Simt, op: Op) -> str:
    return _by_words(intrinsic(op), (op.attrs["pattern"],))(w, op)


def _bpermute(w: Simt, op: Op) -> str:
    address, v = op.operands
    word = w.words(w.value(v), v.type)[0]
    return w.from_words([w.call(intrinsic(op), "i32", ("i32", w.value(address)), ("i32", word))], v.type)


def _ballot(w: Simt, op: Op) -> str:
    return w.target.ballot(w, w.value(op.operands[0]))


def _plain(*types: str, result: str = "i32") -> RowRule:
    """A call whose operands have these LLVM types."""

    def rule(w: Simt, op: Op) -> str:
        return w.call(intrinsic(op), result, *((t, w.value(v)) for t, v in zip(types, op.operands, strict=True)))

    return rule


def _pack_fp8(w: Simt, op: Op) -> str:
    a, b, old = (w.value(v) for v in op.operands)
    which = ("i1", "true" if op.attrs["word_sel"] else "false")
    return w.call(intrinsic(op), "i32", ("float", a), ("float", b), ("i32", old), which)


def _unpack_fp8(w: Simt, op: Op) -> str:
    word = ("i32", w.value(op.operands[0]))
    if isinstance(op.result.type, VecType):
        return w.call(intrinsic(op), "<2 x float>", word, ("i1", "true" if op.attrs["word_sel"] else "false"))
    return w.call(intrinsic(op), "float", word, *_immediates(op.attrs["byte"]))


# -- the scheduler -----------------------------------------------------------------------------------------------------------------------


def _waitcnt(w: Simt, op: Op) -> None:
    counts = (op.attrs[p.name] for p in ROWS[op.name].params)
    w.call(intrinsic(op), "void", *_immediates(waitcnt_immediate(*counts)))


def _scheduler(t: str) -> RowRule:
    def rule(w: Simt, op: Op) -> None:
        w.call(intrinsic(op), "void", *_immediates(*(op.attrs[p.name] for p in ROWS[op.name].params), t=t))

    return rule


_FP8 = ("fp8", "bf8")
ROW_RULES: dict[str, RowRule] = {
    **{f"amdgpu.raw_buffer_load_x{n}": _buffer_load for n in (1, 2, 4)},
    **{f"amdgpu.raw_buffer_store_x{n}": _buffer_store for n in (1, 2, 4)},
    DIRECT_LOAD: _buffer_load_lds,
    **dict.fromkeys(_SCALED, _scaled),
    "amdgpu.atomic_add": _atomic,
    "amdgpu.readfirstlane": _by_words("llvm.amdgcn.readfirstlane.i32"),
    "amdgpu.get_dpp": _dpp,
    "amdgpu.ds_swizzle": _swizzle,
    "amdgpu.ds_bpermute": _bpermute,
    "amdgpu.ballot": _ballot,
    **{f"amdgpu.mbcnt_{half}": _plain("i32", "i32") for half in ("lo", "hi")},
    "amdgpu.perm": _plain("i32", "i32", "i32"),
    **{f"amdgpu.{name}": _plain("float", result="float") for name in ("rcp", "rsq", "exp2", "log2")},
    **{f"amdgpu.cvt_pk_{kind}_f32": _pack_fp8 for kind in _FP8},
    **{f"amdgpu.{name}_{kind}": _unpack_fp8 for name in ("cvt_f32", "cvt_pk_f32") for kind in _FP8},
    "amdgpu.s_waitcnt": _waitcnt,
    **{f"amdgpu.{name}": _scheduler("i16") for name in ("s_setprio", "s_nop")},
    **{f"amdgpu.{name}": _scheduler("i32") for name in ("s_sleep", "sched_barrier", "sched_group_barrier")},
}
