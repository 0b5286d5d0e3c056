"""The table of floating-point arithmetic, comparison and selection. PTX ISA 9.0, 9.7.3 to 9.7.7."""

from __future__ import annotations

import re
from typing import Any

from avelang.nvptx import forms
from avelang.nvptx.forms import ENTRIES, entries

entries("fadd fsub fmul fabs fneg fmin fmax", prefix="f")
entries("fmad fdiv", prefix="f")
entries("fma ex2 set")
entries("setp", "discards")
entries("testp copysign rcp sqrt rsqrt sin cos lg2 tanh selp slct")


def form(syntax: str, *args: Any, **more: Any) -> None:
    """A line of syntax of a float instruction, which has an entry of its own where integers have the opcode too."""
    opcode = re.match(r"\w+", syntax)
    own = f"f{opcode[0]}" if opcode else ""
    forms.form(syntax, *args, of=own if own in ENTRIES else "", **more)


HALVES, BHALVES = "f16 f16x2", "bf16 bf16x2"

# -- 9.7.3, f32 and f64 ------------------------------------------------------------------------------------------------

form("testp{.<kind>}.<t>", "d:pred, s:<t>", "2.0", "9.7.3", t="f32 f64",
    kind="finite infinite number notanumber normal subnormal")
form("copysign.<t>", "d:<t>, s:<t>, s:<t>", "2.0", "9.7.3", t="f32 f64")
for _op in ("add", "sub", "mul"):
    form(f"{_op}{{.<rnd>}}{{.ftz}}{{.sat}}.f32", "d:f32, s:f32, s:f32", section="9.7.3")
    form(f"{_op}{{.<rnd>}}.f64", "d:f64, s:f64, s:f64", section="9.7.3")
    form(f"{_op}{{.<rnd>}}{{.ftz}}.f32x2", "d:f32x2, r:f32x2, r:f32x2", "8.6 sm_100", "9.7.3")
for _op in ("fma", "mad"):
    form(f"{_op}.<rnd>{{.ftz}}{{.sat}}.f32", "d:f32, s:f32, s:f32, s:f32", "2.0 sm_20", "9.7.3")
    form(f"{_op}.<rnd>.f64", "d:f64, s:f64, s:f64, s:f64", "1.4 sm_13", "9.7.3")
form("fma.<rnd>{.ftz}.f32x2", "d:f32x2, r:f32x2, r:f32x2, r:f32x2", "8.6 sm_100", "9.7.3")
form("div.<how>{.ftz}.f32", "d:f32, s:f32, s:f32", how="approx rn rz rm rp", section="9.7.3")
form("div.full{.ftz}.f32", "d:f32, s:f32, s:f32", section="9.7.3")  # a form of its own: ptxas wants `full` first
form("div.<rnd>.f64", "d:f64, s:f64, s:f64", "1.4 sm_13", "9.7.3")
for _op in ("abs", "neg"):
    form(f"{_op}{{.ftz}}.f32", "d:f32, s:f32", section="9.7.3")
    form(f"{_op}.f64", "d:f64, s:f64", "1.0 sm_13", "9.7.3")
for _op in ("min", "max"):
    form(f"{_op}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.f32", "d:f32, s:f32, s:f32", section="9.7.3",
        words={"NaN": "7.0 sm_80", "xorsign.abs": "7.2 sm_86"})
    form(f"{_op}{{.ftz}}{{.NaN}}{{.abs}}.f32", "d:f32, s:f32, s:f32, s:f32", "8.8 sm_100", "9.7.3")
    form(f"{_op}.f64", "d:f64, s:f64, s:f64", "1.0 sm_13", "9.7.3")
for _op in ("rcp", "sqrt"):
    form(f"{_op}.<how>{{.ftz}}.f32", "d:f32, s:f32", how="approx rn rz rm rp", section="9.7.3")
    form(f"{_op}.<rnd>.f64", "d:f64, s:f64", "1.4 sm_13", "9.7.3")
form("rcp.approx.ftz.f64", "d:f64, s:f64", "2.1 sm_20", "9.7.3")
form("rsqrt.approx{.ftz}.f32", "d:f32, s:f32", section="9.7.3")
form("rsqrt.approx{.ftz}.f64", "d:f64, s:f64", section="9.7.3", words={"ftz": "4.0 sm_20"})
for _op in ("sin", "cos", "lg2", "ex2"):
    form(f"{_op}.approx{{.ftz}}.f32", "d:f32, s:f32", section="9.7.3")
form("tanh.approx.f32", "d:f32, s:f32", "7.0 sm_75", "9.7.3")

# -- 9.7.4, halves and bfloat16 ----------------------------------------------------------------------------------------

for _op in ("add", "sub", "mul"):
    form(f"{_op}{{.rn}}{{.ftz}}{{.sat}}.<t>", "d:<t>, s:<t>, s:<t>", "4.2 sm_53", "9.7.4", t=HALVES)
    form(f"{_op}{{.rn}}.<t>", "d:<t>, s:<t>, s:<t>", "7.8 sm_90", "9.7.4", t=BHALVES)
form("fma.rn{.ftz}{.sat}.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", "4.2 sm_53", "9.7.4", t=HALVES)
form("fma.rn{.ftz}.relu.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", "7.0 sm_80", "9.7.4", t=HALVES)
form("fma.rn{.relu}.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", "7.0 sm_80", "9.7.4", t=BHALVES)
form("fma.rn.oob{.relu}.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", "8.1 sm_90", "9.7.4", t=f"{HALVES} {BHALVES}")
for _op in ("abs", "neg"):
    form(f"{_op}{{.ftz}}.<t>", "d:<t>, s:<t>", "6.5 sm_53" if _op == "abs" else "6.0 sm_53", "9.7.4", t=HALVES)
    form(f"{_op}.<t>", "d:<t>, s:<t>", "7.0 sm_80", "9.7.4", t=BHALVES)
for _op in ("min", "max"):
    form(f"{_op}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.<t>", "d:<t>, s:<t>, s:<t>", "7.0 sm_80", "9.7.4", t=HALVES,
        words={"xorsign.abs": "7.2 sm_86"})
    form(f"{_op}{{.NaN}}{{.xorsign.abs}}.<t>", "d:<t>, s:<t>, s:<t>", "7.0 sm_80", "9.7.4", t=BHALVES,
        words={"xorsign.abs": "7.2 sm_86"})
form("tanh.approx.<t>", "d:<t>, s:<t>", "7.0 sm_75", "9.7.4", t=HALVES)
form("tanh.approx.<t>", "d:<t>, s:<t>", "7.8 sm_90", "9.7.4", t=BHALVES)
form("ex2.approx.<t>", "d:<t>, s:<t>", "7.0 sm_75", "9.7.4", t=HALVES)
form("ex2.approx.ftz.<t>", "d:<t>, s:<t>", "7.8 sm_90", "9.7.4", t=BHALVES)

# -- 9.7.5, mixed precision --------------------------------------------------------------------------------------------

for _op in ("add", "sub"):
    form(f"{_op}{{.<rnd>}}{{.sat}}.f32.<t>", "d:f32, s:<t>, s:f32", "8.6 sm_100", "9.7.5", t="f16 bf16")
form("fma.<rnd>{.sat}.f32.<t>", "d:f32, s:<t>, s:<t>, s:f32", "8.6 sm_100", "9.7.5", t="f16 bf16")

# -- 9.7.6, comparison and selection -----------------------------------------------------------------------------------

_ORDER = "eq ne lt le gt ge"
_FLOAT = f"{_ORDER} equ neu ltu leu gtu geu num nan"
_BOOL = "and or xor"
_KINDS = (("eq ne", "b16 b32 b64"), (f"{_ORDER} lo ls hi hs", "u16 u32 u64"), (_ORDER, "s16 s32 s64"), (_FLOAT, "f64"))
for _cmp, _t in _KINDS:
    form("set.<cmp>.<d>.<t>", "d:<d>, s:<t>, s:<t>", cmp=_cmp, d="u32 s32 f32", t=_t, section="9.7.6")
    form("set.<cmp>.<bool>.<d>.<t>", "d:<d>, s:<t>, s:<t>, p", cmp=_cmp, d="u32 s32 f32", t=_t, bool=_BOOL,
        section="9.7.6")
    form("setp.<cmp>.<t>", "d:pred|pred, s:<t>, s:<t>", cmp=_cmp, t=_t, section="9.7.6")
    form("setp.<cmp>.<bool>.<t>", "d:pred|pred, s:<t>, s:<t>, p", cmp=_cmp, t=_t, bool=_BOOL, section="9.7.6")
form("set.<cmp>{.ftz}.<d>.f32", "d:<d>, s:f32, s:f32", cmp=_FLOAT, d="u32 s32 f32", section="9.7.6")
form("set.<cmp>.<bool>{.ftz}.<d>.f32", "d:<d>, s:f32, s:f32, p", cmp=_FLOAT, d="u32 s32 f32", bool=_BOOL,
    section="9.7.6")
form("setp.<cmp>{.ftz}.f32", "d:pred|pred, s:f32, s:f32", cmp=_FLOAT, section="9.7.6")
form("setp.<cmp>.<bool>{.ftz}.f32", "d:pred|pred, s:f32, s:f32, p", cmp=_FLOAT, bool=_BOOL, section="9.7.6")
form("selp.<t>", "d:<t>, s:<t>, s:<t>, p", t="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", section="9.7.6")
_SELECTED = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"
form("slct.<t>.s32", "d:<t>, s:<t>, s:<t>, s:s32", t=_SELECTED, section="9.7.6")
form("slct{.ftz}.<t>.f32", "d:<t>, s:<t>, s:<t>, s:f32", t=_SELECTED, section="9.7.6")

# -- 9.7.7, comparison of halves ---------------------------------------------------------------------------------------

_WORDS = "u16 s16 u32 s32"
for _bool, _p in (("", ""), (".<bool>", ", p")):
    _slots: dict[str, Any] = {"bool": _BOOL} if _bool else {}
    form(f"set.<cmp>{_bool}{{.ftz}}.f16.<t>", f"d:f16, s:<t>, s:<t>{_p}", "4.2 sm_53", "9.7.7", cmp=_FLOAT, t="f16",
        **_slots)
    form(f"set.<cmp>{_bool}.bf16.<t>", f"d:bf16, s:<t>, s:<t>{_p}", "7.8 sm_90", "9.7.7", cmp=_FLOAT, t="bf16",
        **_slots)
    form(f"set.<cmp>{_bool}{{.ftz}}.<d>.f16", f"d:<d>, s:f16, s:f16{_p}", "6.5 sm_53", "9.7.7", cmp=_FLOAT, d=_WORDS,
        **_slots)
    form(f"set.<cmp>{_bool}.<d>.bf16", f"d:<d>, s:bf16, s:bf16{_p}", "7.8 sm_90", "9.7.7", cmp=_FLOAT, d=_WORDS,
        **_slots)
    form(f"set.<cmp>{_bool}{{.ftz}}.f16x2.f16x2", f"d:f16x2, s:f16x2, s:f16x2{_p}", "4.2 sm_53", "9.7.7", cmp=_FLOAT,
        **_slots)
    form(f"set.<cmp>{_bool}.bf16x2.bf16x2", f"d:bf16x2, s:bf16x2, s:bf16x2{_p}", "7.8 sm_90", "9.7.7", cmp=_FLOAT,
        **_slots)
    form(f"setp.<cmp>{_bool}{{.ftz}}.f16", f"d:pred, s:f16, s:f16{_p}", "4.2 sm_53", "9.7.7", cmp=_FLOAT, **_slots)
    form(f"setp.<cmp>{_bool}{{.ftz}}.f16x2", f"d:pred|pred, s:f16x2, s:f16x2{_p}", "4.2 sm_53", "9.7.7", cmp=_FLOAT,
        **_slots)
    form(f"setp.<cmp>{_bool}.bf16", f"d:pred, s:bf16, s:bf16{_p}", "7.8 sm_90", "9.7.7", cmp=_FLOAT, **_slots)
    form(f"setp.<cmp>{_bool}.bf16x2", f"d:pred|pred, s:bf16x2, s:bf16x2{_p}", "7.8 sm_90", "9.7.7", cmp=_FLOAT,
        **_slots)
