"""Rows that work lane by lane: byte permute, reciprocal and its relatives, conversions to and from 8-bit floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f32, i32, u8, u16, u32
from avelang.ir.types import VecType
from avelang.isa.define import row
from avelang.isa.lowering import Lowering
from avelang.isa.row import Param, Row, Wave, register

GFX9 = frozenset({"gfx9"})
INT = (i32, u32)
VOP = "AMD CDNA3 ISA, sections 12.9 and 12.12 (VOP1, VOP3A)"

# -- perm --------------------------------------------------------------------------------------------------------------

# Selectors that pick no byte: 8 to 11 repeat the sign of bytes 1, 3, 5, 7; 12 is zero; all above are ones.
SIGN_BYTES = {8: 1, 9: 3, 10: 5, 11: 7}


def _chosen(b: Builder, lhs: Value, rhs: Value, codes: Sequence[int]) -> Value:
    """The bytes that constant selectors name, none of them a sign: bytes that move together are moved as a word."""
    ones, groups = 0, dict[tuple[int, int], int]()  # (word, bytes up): the bits that come so
    for i, code in enumerate(codes):
        byte = 0xFF << 8 * i
        if code < 8:
            groups[code // 4, i - code % 4] = groups.get((code // 4, i - code % 4), 0) | byte
        elif code > 12:
            ones |= byte
    words, out = (b.bitcast(rhs, u32), b.bitcast(lhs, u32)), b.const(ones, u32) if ones or not groups else None
    for (word, up), bits in groups.items():
        moved = words[word] if not up else (b.shl if up > 0 else b.shr)(words[word], b.const(8 * abs(up), u32))
        reached = (0xFFFFFFFF << 8 * up if up > 0 else 0xFFFFFFFF >> -8 * up) & 0xFFFFFFFF
        part = moved if bits == reached else b.and_(moved, b.const(bits, u32))
        out = part if out is None else b.or_(out, part)
    assert out is not None
    return b.bitcast(out, lhs.type)


def _expand_perm(b: Builder, lhs: Value, rhs: Value, sel: Value) -> Value:
    if sel.op is not None and sel.op.name == "const":
        codes = (sel.op.attrs["value"] & 0xFFFFFFFF).to_bytes(4, "little")
        if not SIGN_BYTES.keys() & set(codes):
            return _chosen(b, lhs, rhs, codes)
    # The 64 bits (lhs, rhs) and, above them, what selectors 8 to 15 give, as 16 bytes: a selector is then only a byte
    # number.
    four = VecType(u8, 4)
    low, high, select = (b.bitcast(v, four) for v in (rhs, lhs, sel))
    own = [b.extract(v, i) for v in (low, high) for i in range(4)]
    ones, zero = b.const(255, u8), b.const(0, u8)
    extra = [b.select(b.cmp("ge", own[byte], b.const(128, u8)), ones, zero) for byte in SIGN_BYTES.values()]
    table = b.vec([*own, *extra, zero, ones, ones, ones])
    out = []
    for i in range(4):
        code = b.extract(select, i)
        out.append(b.extract(table, b.convert(b.same("min", code, b.const(15, u8)), u32)))
    return b.bitcast(b.vec(out), lhs.type)


@row(
    "amdgpu.perm(lhs: i32|u32, rhs: lhs, sel: i32|u32) -> lhs", f"{VOP}, V_PERM_B32", GFX9, llvm="llvm.amdgcn.perm",
    lower=_expand_perm,
)  # fmt: skip
def perm(wave: Wave, lhs: np.ndarray, rhs: np.ndarray, sel: np.ndarray) -> np.ndarray:
    """Each byte of the result is the byte of (lhs, rhs) that the same byte of `sel` names.

    lhs: bytes 4-7 of the source
    rhs: bytes 0-3 of the source
    sel: a selector a byte: 0-7 a byte of the source; 8-11 the sign of byte 1, 3, 5, 7, eight times; 12 zero; more: 0xff
    """
    source = np.stack([rhs, lhs], axis=1).view(np.uint8)  # (lanes, 8): bytes 0-3 of rhs, 4-7 of lhs
    select = np.ascontiguousarray(sel).view(np.uint8).reshape(-1, 4)
    out = np.take_along_axis(source, np.minimum(select, 7).astype(np.int64), axis=1)
    for code, byte in SIGN_BYTES.items():
        out = np.where(select == code, np.where(source[:, byte, None] >= 128, 255, 0), out)
    out = np.where(select == 12, 0, np.where(select > 12, 255, out)).astype(np.uint8)
    return np.ascontiguousarray(out).view(lhs.dtype)[:, 0]


# -- approximations ----------------------------------------------------------------------------------------------------


def _quiet(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[Wave, np.ndarray], np.ndarray]:
    def semantics(wave: Wave, x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return f(x.astype(np.float64)).astype(np.float32)

    return semantics


def _reciprocal(b: Builder, x: Value) -> Value:
    return b.same("div", b.const(1.0, f32), x)


# Public name, the exact function, its expansion, LLVM's name, the instruction, words.
_APPROXIMATIONS: tuple[tuple[str, Callable[[np.ndarray], np.ndarray], Callable[..., Value], str, str, str], ...] = (
    ("rcp", lambda x: 1.0 / x, _reciprocal, "rcp", "V_RCP_F32", "1 / x"),
    (
        "rsq",
        lambda x: 1.0 / np.sqrt(x),
        lambda b, x: b.same("rsqrt", x),
        "rsq",
        "V_RSQ_F32",
        "1 / the square root of x",
    ),
    ("exp2", lambda x: np.exp2(x), lambda b, x: b.same("exp2", x), "exp2", "V_EXP_F32", "2 to the x"),
    ("log2", lambda x: np.log2(x), lambda b, x: b.same("log2", x), "log", "V_LOG_F32", "the logarithm of x to base 2"),
)
for _name, _exact, _build, _llvm, _inst, _words in _APPROXIMATIONS:
    register(Row(
        f"amdgpu.{_name}", (Param("x", f32, "any number"),), f32,
        f"{_words}, in f32. The reference rounds the exact value; the instruction may be off by one unit in the last "
        f"place, and flushes "
        f"subnormals.",
        f"{VOP}, {_inst}", GFX9, _quiet(_exact), lower=_build, llvm={"amdgpu": f"llvm.amdgcn.{_llvm}.f32"},
    ))  # fmt: skip

# -- 8-bit floats ------------------------------------------------------------------------------------------------------

CVT = frozenset({"fp8-cvt"})
KINDS: dict[str, tuple[DType, DType]] = {"fp8": (f8e4m3fnuz, f8e4m3fn), "bf8": (f8e5m2fnuz, f8e5m2)}
CVT_SOURCE = (
    "AMD CDNA3 and CDNA4 ISA guides, V_CVT_PK_FP8_F32, V_CVT_PK_BF8_F32, V_CVT_F32_FP8, V_CVT_F32_BF8, "
    "with MODE.FP16_OVFL = 0, its default"
)


def kind_on(kind: str, features: frozenset[str]) -> DType:
    """The dtype that "fp8" or "bf8" names on a chip: the fnuz kind on gfx942, the OCP kind on gfx950."""
    return KINDS[kind]["fp8-ocp" in features]


def _pack(kind: str) -> tuple[Callable[..., np.ndarray], Callable[..., Value]]:
    def semantics(wave: Wave, a: np.ndarray, b: np.ndarray, old: np.ndarray, word_sel: int) -> np.ndarray:
        d = kind_on(kind, wave.features).np
        with np.errstate(all="ignore"):
            pair = np.stack([a.astype(d), b.astype(d)], axis=1)
        halves = old.copy().view(np.uint16).reshape(-1, 2)
        halves[:, word_sel] = pair.view(np.uint16)[:, 0]
        return halves.view(old.dtype)[:, 0]

    def lower(b: Builder, x: Value, y: Value, old: Value, word_sel: int) -> Value:
        d = kind_on(kind, b.features)
        pair = b.bitcast(b.vec([b.convert(x, d), b.convert(y, d)]), u16)
        return b.bitcast(b.insert(b.bitcast(old, VecType(u16, 2)), pair, word_sel), old.type)

    return semantics, lower


def _unpack(kind: str, n: int) -> tuple[Callable[..., np.ndarray], Callable[..., Value]]:
    def semantics(wave: Wave, v: np.ndarray, part: int) -> np.ndarray:
        d = kind_on(kind, wave.features).np
        out = np.ascontiguousarray(v).view(d).reshape(-1, 4)[:, n * part : n * part + n].astype(np.float32)
        return out[:, 0] if n == 1 else out

    def lower(b: Builder, v: Value, part: int) -> Value:
        four = b.bitcast(v, VecType(kind_on(kind, b.features), 4))
        return b.convert(b.extract(four, part) if n == 1 else b.slice(four, n * part, n), f32)

    return semantics, lower


for _kind in KINDS:
    _semantics, _lower = _pack(_kind)
    register(Row(
        f"amdgpu.cvt_pk_{_kind}_f32",
        (
            Param("a", f32, "becomes the low byte"), Param("b", f32, "becomes the high byte"),
            Param("old", INT, "gives the other half of the result"),
            Param("word_sel", "const", "which half of the word is written: 0 low, 1 high", range=(0, 1), default=0),
        ),
        "old",
        f"Two numbers as {_kind} in one half of `old`: {KINDS[_kind][0]} on gfx942, {KINDS[_kind][1]} on gfx950, "
        f"rounded to nearest even. "
        f"Out of range "
        "there is no saturation: infinity where the format has one, else NaN.",
        CVT_SOURCE, CVT, _semantics, lower=_lower,
        llvm={"amdgpu": Lowering(f"llvm.amdgcn.cvt.pk.{_kind}.f32", {"word_sel": "i1"})},
    ))  # fmt: skip
    for _public, _n, _part, _last in ((f"cvt_f32_{_kind}", 1, "byte", 3), (f"cvt_pk_f32_{_kind}", 2, "word_sel", 1)):
        _semantics, _lower = _unpack(_kind, _n)
        register(Row(
            f"amdgpu.{_public}",
            (Param("v", INT, "four numbers"), Param(_part, "const", "which part of the word, the lowest "
                                                                    "first", range=(0, _last), default=0)),
            f32 if _n == 1 else VecType(f32, 2),
            f"{'One number' if _n == 1 else 'Two numbers'} of {_kind} in a word, as f32: {KINDS[_kind][0]} on gfx942, "
            f"{KINDS[_kind][1]} on "
            f"gfx950.",
            CVT_SOURCE, CVT, _semantics, lower=_lower,
            llvm={"amdgpu": Lowering(f"llvm.amdgcn.{_public.replace('_', '.')}", {"word_sel": "i1"})},
        ))  # fmt: skip
