"""The table of texture and surface instructions, in the unified mode: samplers of their own are left out. PTX ISA 9.0,
9.7.10, 9.7.11."""

from __future__ import annotations

import itertools

from avelang.nvptx.forms import PLAIN, entries, form

_S = "9.7.10"
entries("tex tld4", "read")
entries("suld", "read braces")
entries("sust", "write braces")
entries("sured", "read write")
entries("txq suq istypep")
# an unused last one is ignored
_COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}
_OFFSETS = {"1d": 1, "2d": 2, "3d": 4, "a1d": 1, "a2d": 2, "2dms": 2, "a2dms": 2}
_DEPTH = frozenset({"1d", "2d", "a1d", "a2d", "cube", "acube"})  # those whose texels can be compared with a depth
_GRADIENT = {"1d": 1, "2d": 2, "3d": 4, "a1d": 1, "a2d": 2, "cube": 4, "acube": 4}
_NEW = {"a1d": "2.3", "a2d": "2.3", "cube": "3.0 sm_20", "acube": "3.0 sm_20", "2dms": "3.2 sm_30",
    "a2dms": "3.2 sm_30"}
_OUT = (("v4", "u32 s32 f32", 4, "1.0"), ("v4", "f16", 4, "4.2 sm_53"), ("v2", "f16x2", 2, "4.2 sm_53"))


def _newest(*needs: str) -> str:
    """The needs of the newest PTX among these."""
    return max(needs, key=lambda text: tuple(map(int, text.split()[0].split("."))))


def _tex(geometry: str, c: str, vec: str, d: str, registers: int, pair: str, needs: str) -> None:
    """tex with coordinates of type `c`, which gives `registers` of the types `d`; behind them offsets and a depth to
    compare with may stand."""
    offsets = f", s:s32*{_OFFSETS[geometry]}?" if geometry in _OFFSETS else ""
    rest = offsets + (", s:f32?" if geometry in _DEPTH and c == "f32" else "")
    head, tail = f"d:<d>*{registers}{pair}, [tex,{_COORDINATES[geometry]}]", f".{geometry}.{vec}.<d>.{c}"
    form(f"tex{tail}", head + rest, needs, _S, d=d)
    if "ms" in geometry:
        return
    newer = _newest(needs, "3.1")
    form(f"tex.base{tail}", head + rest, newer, _S, d=d)
    form(f"tex.level{tail}", f"{head}, s:{c}{rest}", newer, _S, d=d)
    if c == "f32":
        gradient = f"s:f32*{_GRADIENT[geometry]}"
        form(f"tex.grad{tail}", f"{head}, {gradient}, {gradient}{rest}", newer, _S, d=d)


# A destination for "is the texel there" came with PTX 7.1.
_PAIRS = (("", "1.0"), ("|pred", "7.1"))
for _geometry, (_pair, _pair_needs), (_vec, _d, _k, _old) in itertools.product(_COORDINATES, _PAIRS, _OUT):
    for _c in {"2dms": ("s32",), "a2dms": ("s32",), "cube": ("f32",), "acube": ("f32",)}.get(_geometry, ("s32", "f32")):
        _tex(_geometry, _c, _vec, _d, _k, _pair, _newest(_pair_needs, _NEW.get(_geometry, "1.0"), _old))
for _geometry, (_pair, _pair_needs) in itertools.product(("2d", "a2d", "cube", "acube"), _PAIRS):
    _offset = ", s:s32*2?" if _geometry in _OFFSETS else ""
    form(f"tld4.<part>.{_geometry}.v4.<d>.f32", f"d:<d>*4{_pair}, [tex,{_COORDINATES[_geometry]}]{_offset}, s:f32?",
         _newest(_pair_needs, "2.2 sm_20" if _geometry == "2d" else "4.3 sm_20"), _S,
         part="r g b a", d="u32 s32 f32")  # fmt: skip
form("txq.<what>.b32", "d:b32, [tex]", "1.5", _S, what="width height depth channel_data_type channel_order "
    "normalized_coords array_size " "num_mipmap_levels num_samples",
    words={"array_size": "4.1", "num_mipmap_levels": "4.1", "num_samples": "4.2"})  # fmt: skip
form("txq.level.<what>.b32", "d:b32, [tex], s:u32", "3.1 sm_20", _S, what="width height depth")
form("istypep.<what>", "d:pred, s:u64", "4.0 sm_30", _S, what="texref samplerref surfref")

_F = "9.7.11"
_MODES = "trap clamp zero"
for _geometry, _n in (("1d", 1), ("2d", 2), ("3d", 4), ("a1d", 2), ("a2d", 4)):
    form(f"suld.b.{_geometry}{{.<cop>}}{{.<vec>}}.<t>.<mode>", f"d:<t>+*<vec>, [surf,{_n}]", "1.5", _F,
        cop="ca cg cs cv", vec="v2 v4", t="b8 b16 b32 b64", mode=_MODES, rules=[PLAIN])  # fmt: skip
    form(f"sust.b.{_geometry}{{.<cop>}}{{.<vec>}}.<t>.<mode>", f"[surf,{_n}], s:<t>+*<vec>", "1.5", _F,
        cop="wb cg cs wt", vec="v2 v4", t="b8 b16 b32 b64", mode=_MODES, rules=[PLAIN])  # fmt: skip
    if _geometry[0] != "a":
        form(f"sust.p.{_geometry}{{.<vec>}}.b32.<mode>", f"[surf,{_n}], s:b32*<vec>", "2.0 sm_20", _F, vec="v2 v4",
            mode=_MODES)
        form(f"sured.b.<op>.{_geometry}.<t>.<mode>", f"[surf,{_n}], s:<t>", "2.0 sm_20", _F, op="add min max",
            t="u32 u64 s32", mode=_MODES)
        form(f"sured.b.<op>.{_geometry}.b32.<mode>", f"[surf,{_n}], s:b32", "2.0 sm_20", _F, op="and or", mode=_MODES)
        form(f"sured.p.<op>.{_geometry}.b32.<mode>", f"[surf,{_n}], s:b32", "2.0 sm_20", _F, op="add min max and or",
            mode=_MODES)
form("suq.<what>.b32", "d:b32, [surf]", "1.5", _F, what="width height depth channel_data_type channel_order array_size "
    "memory_layout", words={"array_size": "4.1", "memory_layout": "4.2"})  # fmt: skip
