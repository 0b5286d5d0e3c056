"""The table of warp-level matrix instructions. PTX ISA 9.0, 9.7.14. Dense shapes of mma come from the rows of
`isa.nvptx.mma`."""

from __future__ import annotations

import re
from typing import Any

from avelang.isa.nvptx.mma import TABLE
from avelang.nvptx.forms import BLACKWELL, entries, form

_S = "9.7.14"
entries("mma mma.sp mma.sp::ordered_metadata wmma.mma movmatrix", "across")
entries("ldmatrix", "read across", space="shared")
entries("stmatrix", "write across", space="shared")
entries("wmma.load", "read across")
entries("wmma.store", "write across")
_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "f32": 32, "s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
    "b1": 1, "e4m3": 8, "e5m2": 8, "e3m2": 8, "e2m3": 8, "e2m1": 8}  # fmt: skip
_OLDEST = {"sm_70": "6.4 sm_70", "sm_75": "6.5 sm_75", "sm_80": "7.0 sm_80", "sm_89": "8.4 sm_89", "sm_90": "7.8 sm_90"}


def _registers(rows: int, columns: int, kind: str, held: str = "") -> str:
    """A lane's part of a fragment as an operand: multiplicands and packed halves in words, others as they are."""
    bits = rows * columns * _BITS[kind] // 32
    words = f"b32{f'@{held}' if held else ''}"
    return (f"{kind}*{bits // 64}" if kind == "f64"
        else f"{kind if kind in ('f32', 's32') else words}*{max(1, bits // 32)}")


def _mma(shape: str, a: str, b: str, acc: str, needs: str, kind: str = "", tail: str = "", words: str = "",
        sparse: str = "", half: int = 1) -> None:
    """One shape of mma with one type of accumulator; a and b may be several types. `half`: A is stored so many times
    smaller (sparse)."""
    m, n, k = map(int, re.findall(r"\d+", shape))
    kinds = set(a.split())
    # Which registers the words may be in is no rule that the manual has: so ptxas does.
    held = ("word" if "::mx" in kind else "<a>" if kinds <= {"f16", "bf16", "tf32"} and (not sparse or kinds == {"f16"})
        else "int" if shape == "m8n8k16" else "")
    ra, rb = _registers(m, k // half, a.split()[0], held), _registers(k, n, b.split()[0], held)
    rc = _registers(m, n, acc, "half" if acc == "f16" else "")
    saturate = "{.satfinite}" if acc == "s32" and "b1" not in a else ""
    form(f"mma{sparse}.sync.aligned.{shape}.row.col{kind}{saturate}.{acc}.<a>.<b>.{acc}{words}",
        f"d:{rc}, r:{ra}, r:{rb}, r:{rc}{tail}", needs, _S, a=a, b=b)  # fmt: skip


# -- mma ---------------------------------------------------------------------------------------------------------------

for (_m, _n, _k), _pairs, _accumulators, _feature in TABLE:
    _fp8 = _pairs[0][0].ptx in ("e4m3", "e5m2")
    for _acc in _accumulators:
        _d = "s32" if _acc.name == "i32" else _acc.name
        _needs = "8.7 sm_89" if _fp8 and (_d == "f16" or _k == 16) else _OLDEST[_feature]
        _one = " ".join(dict.fromkeys(p[0].ptx for p in _pairs))
        _mma(f"m{_m}n{_n}k{_k}", _one, " ".join(dict.fromkeys(p[1].ptx for p in _pairs)), _d, _needs)
for _acc, _other in (("f16", "f16"), ("f32", "f32"), ("f32", "f16")):
    _d, _c = ("f32*8" if x == "f32" else "b32@half*4" for x in (_acc, _other))
    form(f"mma.sync.aligned.m8n8k4.<la>.<lb>.{_acc}.f16.f16.{_other}", f"d:{_d}, r:b32@half*2, r:b32@half*2, r:{_c}",
        "6.4 sm_70", _S, la="row col", lb="row col")
for _shape, _needs in (("m8n8k32", "6.5 sm_75"), ("m16n8k32", "7.0 sm_80"), ("m16n8k64", "7.0 sm_80")):
    _mma(_shape, "u4 s4", "u4 s4", "s32", _needs)
for _shape, _needs in (("m8n8k128", "7.0 sm_75"), ("m16n8k128", "7.0 sm_80"), ("m16n8k256", "7.0 sm_80")):
    _mma(_shape, "b1", "b1", "s32", _needs, words=".xor.popc")
    _mma(_shape, "b1", "b1", "s32", "7.1 sm_80", words=".and.popc")

# Blackwell's small floats of sm_120: kinds, and blocks with scales of their own.
_ALL8 = "e4m3 e5m2 e3m2 e2m3 e2m1"
_SM120 = "8.7 sm_120f"
_SCALES = ", r:b32, s:u16*2, r:b32, s:u16*2"
for _acc in ("f16", "f32"):
    _mma("m16n8k32", _ALL8, _ALL8, _acc, _SM120, ".kind::f8f6f4")
_mma("m16n8k32", _ALL8, _ALL8, "f32", _SM120, ".kind::mxf8f6f4.block_scale{.scale_vec::1X}", _SCALES, ".ue8m0")


def _blocks(shape: str, sparse: str, tail: str, half: int) -> None:
    """Products of e2m1, two numbers to a byte."""
    m, n, k = map(int, re.findall(r"\d+", shape))
    needs = "8.7 sm_120a sm_121a" if sparse else _SM120
    a, b = m * k // half // 256, k * n // 256
    head = f"d:f32*4, r:b32@word*{a}, r:b32@word*{b}, r:f32*4{tail}{_SCALES}"
    form(f"mma{sparse}.sync.aligned.{shape}.row.col.kind::mxf4.block_scale{{.scale_vec::2X}}.f32.e2m1.e2m1.f32.ue8m0",
        head, needs, _S)
    form(f"mma{sparse}.sync.aligned.{shape}.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
        head, needs, _S)
    form(f"mma{sparse}.sync.aligned.{shape}.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.<s>",
        head, needs, _S, s="ue4m3 ue8m0", words={"ue8m0": "9.1"})


_blocks("m16n8k64", "", "", 1)

# -- mma.sp: A holds half of its columns, `e` says which ---------------------------------------------------------------

_META = ", r:b32, i:u32"
for _variant, _new in ((".sp", ""), (".sp::ordered_metadata", "8.5")):
    for _shape, _types, _accs, _needs in (("m16n8k16", "f16", ("f16", "f32"), "7.1 sm_80"),
            ("m16n8k32", "f16", ("f16", "f32"), "7.1 sm_80"), ("m16n8k16", "bf16", ("f32",), "7.1 sm_80"),
            ("m16n8k32", "bf16", ("f32",), "7.1 sm_80"), ("m16n8k8", "tf32", ("f32",), "7.1 sm_80"),
            ("m16n8k16", "tf32", ("f32",), "7.1 sm_80"), ("m16n8k64", "e4m3 e5m2", ("f32",), "8.4 sm_89"),
            ("m16n8k32", "u8 s8", ("s32",), "7.1 sm_80"), ("m16n8k64", "u8 s8", ("s32",), "7.1 sm_80"),
            ("m16n8k64", "u4 s4", ("s32",), "7.1 sm_80"), ("m16n8k128", "u4 s4", ("s32",), "7.1 sm_80")):  # fmt: skip
        for _acc in _accs:
            _version, _chip = _needs.split()
            _mma(_shape, _types, _types, _acc, f"{max(_version, _new)} {_chip}", "", _META, "", _variant, 2)
for _acc in ("f16", "f32"):
    _mma("m16n8k64", _ALL8, _ALL8, _acc, _SM120, ".kind::f8f6f4", _META, "", ".sp::ordered_metadata", 2)
_mma("m16n8k64", _ALL8, _ALL8, "f32", _SM120, ".kind::mxf8f6f4.block_scale{.scale_vec::1X}", _META + _SCALES, ".ue8m0",
    ".sp::ordered_metadata", 2)
_mma("m16n8k64", "e4m3 e5m2", "e4m3 e5m2", "f16", _SM120, "", _META, "", ".sp::ordered_metadata", 2)
_blocks("m16n8k128", ".sp::ordered_metadata", _META, 2)

# -- ldmatrix, stmatrix, movmatrix -------------------------------------------------------------------------------------

_CTA = "shared shared::cta"
_NUM = "x1 x2 x4"
_SMALL = f"8.6 {BLACKWELL}"
form("ldmatrix.sync.aligned.m8n8.<num>{.trans}{.<space>}.b16", "d:b32*<num>, [<space>]", "6.5 sm_75", _S, num=_NUM,
    space=_CTA)
form("ldmatrix.sync.aligned.m8n16.<num>{.<space>}.b8x16.<src>", "d:b32*<num>, [<space>]", _SMALL, _S, num=_NUM,
    space=_CTA, src="b6x16_p32 b4x16_p64")  # fmt: skip
for _num, _n in (("x1", 2), ("x2", 4)):
    form(f"ldmatrix.sync.aligned.m16n16.{_num}.trans{{.<space>}}.b8", f"d:b32*{_n}, [<space>]", _SMALL, _S, space=_CTA)
    form(f"ldmatrix.sync.aligned.m16n16.{_num}.trans{{.<space>}}.b8x16.<src>", f"d:b32*{_n}, [<space>]", _SMALL, _S,
        space=_CTA, src="b6x16_p32 b4x16_p64")  # fmt: skip
form("stmatrix.sync.aligned.m8n8.<num>{.trans}{.<space>}.b16", "[<space>], r:b32*<num>", "7.8 sm_90", _S, num=_NUM,
    space=_CTA)
form("stmatrix.sync.aligned.m16n8.<num>.trans{.<space>}.b8", "[<space>], r:b32*<num>", _SMALL, _S, num=_NUM, space=_CTA)
form("movmatrix.sync.aligned.m8n8.trans.b16", "d:b32, r:b32", "7.8 sm_75", _S)

# -- wmma --------------------------------------------------------------------------------------------------------------

# shape; types of A and B; registers of A and B; (type, registers) of C and D; what it needs.
_WMMA: tuple[tuple[str, str, str, str, tuple[tuple[str, str], ...], str], ...] = (
    *((s, "f16", "b32*8", "b32*8", (("f16", "b32*4"), ("f32", "f32*8")), v) for s, v in (
        ("m16n16k16", "6.0 sm_70"), ("m8n32k16", "6.1 sm_70"), ("m32n8k16", "6.1 sm_70"))),
    ("m16n16k16", "s8 u8", "b32*2", "b32*2", (("s32", "s32*8"),), "6.3 sm_72"),
    ("m8n32k16", "s8 u8", "b32*1", "b32*4", (("s32", "s32*8"),), "6.3 sm_72"),
    ("m32n8k16", "s8 u8", "b32*4", "b32*1", (("s32", "s32*8"),), "6.3 sm_72"),
    ("m16n16k16", "bf16", "b32*4", "b32*4", (("f32", "f32*8"),), "7.0 sm_80"),
    ("m8n32k16", "bf16", "b32*2", "b32*8", (("f32", "f32*8"),), "7.0 sm_80"),
    ("m32n8k16", "bf16", "b32*8", "b32*2", (("f32", "f32*8"),), "7.0 sm_80"),
    ("m16n16k8", "tf32", "b32*4", "b32*4", (("f32", "f32*8"),), "7.0 sm_80"),
    ("m8n8k4", "f64", "f64*1", "f64*1", (("f64", "f64*2"),), "7.0 sm_80"),
    ("m8n8k32", "s4 u4", "b32*1", "b32*1", (("s32", "s32*2"),), "6.3 sm_75"),
    ("m8n8k128", "b1", "b32*1", "b32*1", (("s32", "s32*2"),), "6.3 sm_75"),
)  # fmt: skip


def _held(operand: str, held: str) -> str:
    """An operand in words that hold this; f64 and f32 stand in registers of their own."""
    return operand.replace("b32", f"b32@{held}")


_SPACES = "global shared shared::cta"
for _shape, _t, _ra, _rb, _kinds, _needs in _WMMA:
    _bit = _t in ("s4 u4", "b1")
    _word = {"f16": "half", "bf16": "word", "tf32": "word"}.get(_t, "int")
    _ra, _rb = _held(_ra, _word), _held(_rb, _word)
    for _which, _which_registers, _only in (("a", _ra, "row"), ("b", _rb, "col")):
        _to = _which_registers.replace("@int", "") if _bit else _which_registers
        form(f"wmma.load.{_which}.sync.aligned.<layout>.{_shape}{{.<space>}}.<t>", f"d:{_to}, [<space>], s:u32?",
            _needs, _S, layout=_only if _bit else "row col", space=_SPACES, t=_t)  # fmt: skip
    _kinds = tuple((_c, _held(_rc, "half")) for _c, _rc in _kinds)
    for _c, _rc in _kinds:
        form(f"wmma.load.c.sync.aligned.<layout>.{_shape}{{.<space>}}.{_c}", f"d:{_rc}, [<space>], s:u32?", _needs, _S,
            layout="row col", space=_SPACES)
        form(f"wmma.store.d.sync.aligned.<layout>.{_shape}{{.<space>}}.{_c}", f"[<space>], r:{_rc}, s:u32?", _needs, _S,
            layout="row col", space=_SPACES)
        for _d, _rd in _kinds:
            _operands = f"d:{_rd}, r:{_ra}, r:{_rb}, r:{_rc}"
            if _t == "f16":
                form(f"wmma.mma.sync.aligned.<la>.<lb>.{_shape}.{_d}.{_c}", _operands, _needs, _S, la="row col",
                    lb="row col")
            elif _t == "b1":
                form(f"wmma.mma.<op>.popc.sync.aligned.row.col.{_shape}.s32.b1.b1.s32", _operands, _needs, _S,
                    op="xor and", words={"and": "7.1 sm_80"})
            elif _t == "f64":
                form(f"wmma.mma.sync.aligned.<la>.<lb>.{_shape}{{.<rnd>}}.f64.f64.f64.f64", _operands, _needs, _S,
                    la="row col", lb="row col")
            else:
                _layouts: dict[str, Any] = {"la": "row", "lb": "col"} if _bit else {"la": "row col", "lb": "row col"}
                _end = "{.satfinite}" if _c == "s32" else ""
                for _a in _t.split() if _t != "s8 u8" else ("s8", "u8"):
                    form(f"wmma.mma.sync.aligned.<la>.<lb>.{_shape}.{_d}.{_a}.{_a}.{_c}{_end}", _operands, _needs, _S,
                        **_layouts)
