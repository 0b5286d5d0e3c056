"""The table of moves, conversions and address arithmetic. PTX ISA 9.0, 9.7.9, those instructions that access no
memory."""

from __future__ import annotations

from avelang.nvptx.forms import BLACKWELL, PLAIN, Env, WordRule, entries, form, implies
from avelang.nvptx.ptx_types import TYPES

_S = "9.7.9"
entries("mov", "special braces")
entries("cvt", "special")
entries("shfl", "across")
entries("cvt.pack")
entries("prmt isspacep cvta mapa getctarank")
form("mov.<t>", "d:<t>, a:<t>", section=_S, t="pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64")
form("mov.b128", "d:b128, s:b128", "8.3 sm_70", _S)
# Whole vectors, of which special registers are some. The manual has no such form; ptxas 13.0 and its PTX do.
form("mov.<vec>.<t>", "d:<t>*<vec>, a:<t>*<vec>", section=_S, vec="v2 v4",
    t="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", rules=[PLAIN])
# Packing and unpacking: the parts fill the whole.
for _t, _parts in (("b16", (("b8", 2),)), ("b32", (("b8", 4), ("b16", 2))), ("b64", (("b16", 4), ("b32", 2))),
        ("b128", (("b64", 2),))):
    for _part, _n in _parts:
        _needs = "8.3 sm_70" if _t == "b128" else "1.0"
        form(f"mov.{_t}", f"d:{_t}, s:{_part}*{_n}", _needs, _S)
        form(f"mov.{_t}", f"d:{_part}*{_n}, s:{_t}", _needs, _S)
form("shfl.sync.<way>.b32", "d:b32|pred, s:b32, s:b32, s:b32, s:u32", "6.0 sm_30", _S, way="up down bfly idx")
form("prmt.b32{.<mode>}", "d:b32, s:b32, s:b32, s:b32", "2.0 sm_20", _S, mode="f4e b4e rc8 ecl ecr rc16")
for _t in ("u64", "u32"):
    form("isspacep.<space>", f"d:pred, s:{_t}", "2.0 sm_20", _S, space="const global local shared shared::cta "
        "shared::cluster param param::entry", words={"const": "3.1 sm_20", "param": "7.7 sm_70",
        "param::entry": "8.3 sm_70"})  # fmt: skip
# Addresses of 32 bits went with CUDA 12: what is left of them is in shared memory, which mapa knows.
_SPACES = "const global local shared shared::cta shared::cluster param param::entry"
form("cvta.<space>.<t>", "d:<t>, a:<t>", "2.0 sm_20", _S, space=_SPACES, t="u64",
     words={"const": "3.1 sm_20", "param": "7.7 sm_70", "param::entry": "8.3 sm_70"})  # fmt: skip
form("cvta.to.<space>.<t>", "d:<t>, s:<t>", "2.0 sm_20", _S, space=_SPACES, t="u64",
     words={"const": "3.1 sm_20", "param": "7.7 sm_70", "param::entry": "8.3 sm_70"})  # fmt: skip
form("mapa{.shared::cluster}.<t>", "d:<t>, a:<t>, s:u32", "7.8 sm_90", _S, t="u32 u64")
form("getctarank{.shared::cluster}.<t>", "d:u32, a:<t>", "7.8 sm_90", _S, t="u32 u64")

# -- cvt ---------------------------------------------------------------------------------------------------------------

_INTEGERS = "u8 u16 u32 u64 s8 s16 s32 s64"
_WIDE = "u16 u32 u64 s16 s32 s64"
_FLOATS = "f16 f32 f64"
_ROUNDINGS = "rni rzi rmi rpi rn rz rm rp"
# Float to float, (to, from): where the result may be inexact, and where it never is.
_NARROWER = frozenset({("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("bf16", "f64"), ("bf16", "f16"),
    ("f16", "bf16")})
_WIDER = frozenset({("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("f32", "bf16"), ("f64", "bf16")})


def _float(word: str) -> bool:
    return word in ("bf16", "f16", "f32", "f64")


def _rounding(env: Env) -> bool:
    """Integer rounding (rni ...) from a float, to an integer or to the same float; rn ... to a narrower float or from
    an integer."""
    d, a, rnd = env.get("d", "bf16"), env.get("a", "bf16"), env["rnd"]
    if not rnd:
        return (d == a or (d, a) in _WIDER) if _float(d) else not _float(a)
    if rnd.endswith("i"):
        return _float(a) and (not _float(d) or d == a)
    return _float(d) and (not _float(a) or (d, a) in _NARROWER)


def _saturation(env: Env) -> bool:
    """Between integers only where values may not fit."""
    d, a = env["d"], env["a"]
    if _float(d) or _float(a):
        return True
    larger = TYPES[d].bits - TYPES[a].bits
    return larger < 0 or (larger == 0 and d != a) or (d[0] == "u" and a[0] == "s")


_ROUND = WordRule(_rounding, "a rounding stands where the result may be inexact: .rni .rzi .rmi .rpi to integers, .rn "
    ".rz .rm .rp to floats; nowhere else")
form("cvt{.<rnd>}{.ftz}{.sat}.<d>.<a>", "d:<d>+, s:<a>+", section=_S, rnd=_ROUNDINGS, d=f"{_INTEGERS} {_FLOATS}",
    a=f"{_INTEGERS} {_FLOATS}", rules=(_ROUND,
    implies(lambda e: bool(e["ftz"]), lambda e: "f32" in (e["d"], e["a"]), ".ftz goes with .f32 only"),
    implies(lambda e: bool(e["sat"]), _saturation, ".sat stands only where values may not fit")))  # fmt: skip
form("cvt.f32.bf16", "d:f32, s:bf16", "7.1 sm_80", _S)
form("cvt.ftz.f32.bf16", "d:f32, s:bf16", "7.8 sm_90", _S)
form("cvt.<rnd>{.ftz}.bf16.f32", "d:bf16, s:f32", "7.0 sm_80", _S)
# Bytes beside bf16 stand in registers of 8 bits alone (ptxas 13.0; cuda_bf16.hpp of CUDA 13.0 uses them so).
form("cvt.<rnd>.<d>.bf16", "d:<d>, s:bf16", "7.8 sm_90", _S, rnd="rni rzi rmi rpi", d="u8 s8")
form("cvt.<rnd>.bf16.<a>", "d:bf16, s:<a>", "7.8 sm_90", _S, a="u8 s8")
form("cvt{.<rnd>}.<d>.bf16", "d:<d>+, s:bf16", "7.8 sm_90", _S, rnd=_ROUNDINGS, d=f"{_WIDE} bf16 f16 f32 f64",
    rules=[_ROUND])
form("cvt{.<rnd>}.bf16.<a>", "d:bf16, s:<a>+", "7.8 sm_90", _S, rnd=_ROUNDINGS, a=f"{_WIDE} f16 f64", rules=[_ROUND])
_NEAR = "rn rz"
form("cvt.<rnd>{.relu}{.satfinite}.<d>.f32", "d:<d>, s:f32", "7.0 sm_80", _S, rnd=_NEAR, d="f16 bf16",
    words={"satfinite": "8.1 sm_80"})
form("cvt.<rnd>.satfinite.f16.f32", "d:f16, s:f32", "8.1", _S, rnd=_NEAR)
form("cvt.<rnd>{.relu}{.satfinite}.<d>.f32", "d:<d>, s:f32, s:f32", "7.0 sm_80", _S, rnd=_NEAR, d="f16x2 bf16x2",
    words={"satfinite": "8.1 sm_80"})
_RS = "8.7 sm_100a sm_103a"
form("cvt.rs{.relu}{.satfinite}.<d>.f32", "d:<d>, s:f32, s:f32, r:b32", _RS, _S, d="f16x2 bf16x2")
form("cvt.rna{.satfinite}.tf32.f32", "d:tf32, s:f32", "7.0 sm_80", _S, words={"satfinite": "8.1 sm_80"})
form("cvt.<rnd>{.satfinite}{.relu}.tf32.f32", "d:tf32, s:f32", "7.8 sm_90", _S, rnd=_NEAR,
    words={"satfinite": "8.6 sm_100"})
_FP8, _FP6, _FP4 = "e4m3x2 e5m2x2", "e2m3x2 e3m2x2", "e2m1x2"
_SMALL = f"8.6 {BLACKWELL}"
for _types, _needs in ((_FP8, "7.8 sm_90"), (_FP8, "8.1 sm_89"), (_FP6, _SMALL), (_FP4, _SMALL)):
    form("cvt.rn.satfinite{.relu}.<d>.f32", "d:<d>, s:f32, s:f32", _needs, _S, d=_types)
    form("cvt.rn{.relu}.f16x2.<a>", "d:f16x2, s:<a>", _needs, _S, a=_types)
for _needs in ("7.8 sm_90", "8.1 sm_89"):
    form("cvt.rn.satfinite{.relu}.<d>.f16x2", "d:<d>, s:f16x2", _needs, _S, d=_FP8)
form("cvt.rs{.relu}.satfinite.<d>.f32", "d:<d>, s:f32*4, r:b32", _RS, _S, d="e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4")
form("cvt.<rnd>{.satfinite}.ue8m0x2.f32", "d:ue8m0x2, s:f32, s:f32", _SMALL, _S, rnd="rz rp")
form("cvt.<rnd>{.satfinite}.ue8m0x2.bf16x2", "d:ue8m0x2, s:bf16x2", _SMALL, _S, rnd="rz rp")
form("cvt.rn.bf16x2.ue8m0x2", "d:bf16x2, s:ue8m0x2", _SMALL, _S)
form("cvt.pack.sat.<d>.s32", "d:b32, s:s32, s:s32", "6.5 sm_72", _S, d="u16 s16")
form("cvt.pack.sat.<d>.s32.b32", "d:b32, s:s32, s:s32, s:b32", "6.5 sm_72", _S, d="u8 s8 u4 s4 u2 s2",
    words={"u4 s4 u2 s2": "6.5 sm_75"})
