"""The table of matrix instructions of warpgroups and of tensor memory. PTX ISA 9.0, 9.7.15 "wgmma", 9.7.16 "tcgen05".

The dense forms of wgmma come from `isa.nvptx.wgmma`; sparse ones follow from them: K is twice as large.
"""

from __future__ import annotations

from avelang.isa.nvptx.wgmma import FORMS, INT_SIZES, SIZES, WgmmaForm
from avelang.nvptx.forms import TENSOR_MEMORY, entries, form

_S = "9.7.15"
entries("wgmma.mma_async wgmma.mma_async.sp", "read async across", group="wgmma", proxy="async")
entries("wgmma.fence", "fence", group="wgmma")
entries("wgmma.commit_group", "commit", group="wgmma")
entries("wgmma.wait_group", "wait", group="wgmma")
entries("tcgen05.mma tcgen05.mma.sp tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.cp tcgen05.shift", "async",
    group="tcgen05", proxy="async")
entries("tcgen05.ld tcgen05.st", "async", group="tcgen05")
entries("tcgen05.wait", "wait", group="tcgen05")
entries("tcgen05.commit", "commit arrive", group="tcgen05")
entries("tcgen05.fence", "fence", group="tcgen05")
entries("tcgen05.alloc", "write wait")
entries("tcgen05.dealloc tcgen05.relinquish_alloc_permit")
_NEEDS = "8.0 sm_90a"
_HELD = {"f16": "b32@half*<shape/4>", "f32": "f32*<shape/2>", "i32": "s32*<shape/2>"}


def _wgmma() -> None:
    families: dict[tuple[str, str, int, bool], WgmmaForm] = {}  # by the types of D, of A and B, by K, and by where A is
    for f in FORMS:
        both = " ".join(dict.fromkeys(g.b.ptx for g in FORMS
            if (g.k, g.a.ptx, g.registers) == (f.k, f.a.ptx, f.registers)))
        families.setdefault((f.d.name, both, f.k, f.registers), f)
    for (name, both, k, registers), f in families.items():
        sizes = SIZES if f.signed else INT_SIZES
        for sparse in (False, True):
            shapes = " ".join(f"m64n{n}k{k * (1 + sparse)}" for n in sizes)
            a = f"r:b32{'@half' if f.signed else ''}*4" if registers else "s:b64"
            scales = ", i=1|-1, i=1|-1" if f.signed else ""
            turns = (", i=0|1" if registers else ", i=0|1, i=0|1") if f.turns else ""
            meta = ", r:b32, i:u32" if sparse else ""
            d, saturate = ("s32", "{.satfinite}") if name == "i32" else (name, "")
            form(f"wgmma.mma_async{'.sp' * sparse}.sync{{.aligned}}.<shape>{saturate}.{d}.<a>.<b>",
                f"d:{_HELD[name]}, {a}, s:b64{meta}, p{scales}{turns}", "8.2 sm_90a" if sparse else _NEEDS, _S,
                shape=shapes, a=both, b=both)  # fmt: skip
    for a in ("r:b32*4", "s:b64"):
        form("wgmma.mma_async.sync{.aligned}.<shape>.s32.b1.b1.and.popc", f"d:s32*<shape/2>, {a}, s:b64, p", _NEEDS, _S,
             shape=" ".join(f"m64n{n}k256" for n in INT_SIZES))  # fmt: skip


_wgmma()
form("wgmma.fence.sync.aligned", "", _NEEDS, _S)
form("wgmma.commit_group.sync.aligned", "", _NEEDS, _S)
form("wgmma.wait_group.sync.aligned", "i:u32", _NEEDS, _S)

# -- 9.7.16, tcgen05 ---------------------------------------------------------------------------------------------------

_T = "9.7.16"
_TMEM = f"8.6 {TENSOR_MEMORY}"
_A_ONLY, _SPARSE4 = "8.7 sm_100a sm_103a sm_110a", "8.6 sm_100a sm_103a sm_110a"
form("tcgen05.alloc.<group>.sync.aligned{.shared::cta}.b32", "[shared::cta], s:u32", _TMEM, _T)
form("tcgen05.dealloc.<group>.sync.aligned.b32", "s:b32, s:u32", _TMEM, _T)
form("tcgen05.relinquish_alloc_permit.<group>.sync.aligned", "", _TMEM, _T)
for _shape, _per, _most in (("32x32b", 1, 128), ("16x64b", 1, 128), ("16x128b", 2, 64), ("16x256b", 4, 32),
        ("16x32bx2", 1, 128)):
    _split = ", i:u32" if _shape == "16x32bx2" else ""
    for _x in (1, 2, 4, 8, 16, 32, 64, 128):
        if _x <= _most:
            form(f"tcgen05.ld.sync.aligned.{_shape}.x{_x}{{.pack::16b}}.b32", f"d:b32*{_x * _per}, [tmem]{_split}",
                _TMEM, _T)
            form(f"tcgen05.st.sync.aligned.{_shape}.x{_x}{{.unpack::16b}}.b32", f"[tmem]{_split}, r:b32*{_x * _per}",
                _TMEM, _T)
form("tcgen05.<what>.sync.aligned", "", _TMEM, _T, what="wait::ld wait::st", of="tcgen05.wait")
form("tcgen05.<what>", "", _TMEM, _T, what="fence::before_thread_sync fence::after_thread_sync",
     of="tcgen05.fence")  # fmt: skip
form("tcgen05.commit.<group>.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64",
    "[], s:u16 if multicast::cluster", _TMEM, _T)
form("tcgen05.shift.<group>.down", "[tmem]", "8.6 sm_100a sm_103a sm_110a", _T)
_FROM = "b8x16.b6x16_p32 b8x16.b4x16_p64"
form("tcgen05.cp.<group>.<shape>{.<src>}", "[tmem], s:b64", _TMEM, _T, shape="128x256b 4x256b 128x128b", src=_FROM)
form("tcgen05.cp.<group>.64x128b.<warps>{.<src>}", "[tmem], s:b64", _TMEM, _T, warps="warpx2::02_13 warpx2::01_23",
    src=_FROM)
form("tcgen05.cp.<group>.32x128b.warpx4{.<src>}", "[tmem], s:b64", _TMEM, _T, src=_FROM)
_A_OPS = " ".join(f"collector::a::{x}" for x in ("fill", "use", "lastuse", "discard"))
_B_OPS = " ".join(f"collector::b{i}::{x}" for i in range(4) for x in ("fill", "use", "lastuse", "discard"))
for _sparse, _meta in (("", ""), (".sp", ", [tmem]")):
    for _a in ("s:b64", "[tmem]"):
        _shift = "" if _a == "s:b64" else "{.ashift}"
        for _group, _lanes in ((1, 4), (2, 8)):
            _head = f"[tmem], {_a}, s:b64{_meta}, s:u32, s:b32*{_lanes}?, p"
            # The latter scales D by a power of two.
            for _kind, _tail in (("f16 tf32 f8f6f4 i8", ""), ("f16 tf32", ", i:u32")):
                _kinds = " ".join(f"kind::{x}" for x in _kind.split())
                form(f"tcgen05.mma{_sparse}.cta_group::{_group}.<kind>{_shift}{{.<collector>}}", _head + _tail,
                    "8.6 sm_100f" if _tail else _TMEM, _T, kind=_kinds, collector=_A_OPS,
                    words={"kind::i8": "8.6 sm_100a sm_110a"})  # fmt: skip
        for _kind, _scale in (("mxf8f6f4", "scale_vec::1X block32"), ("mxf4", "scale_vec::2X block32"), ("mxf4nvf4",
            "scale_vec::2X scale_vec::4X block16 block32")):
            _vector = ".<scale>" if _kind == "mxf4nvf4" else "{.<scale>}"
            form(f"tcgen05.mma{_sparse}.<group>.kind::{_kind}.block_scale{_vector}{{.<collector>}}",
                f"[tmem], {_a}, s:b64{_meta}, s:u32, [tmem], [tmem], p", _SPARSE4 if _sparse and _kind != "mxf8f6f4"
                else _TMEM, _T, scale=_scale, collector=_A_OPS,
                words={"block16 block32": f"8.8 {TENSOR_MEMORY}",
                **({"scale_vec::2X": _A_ONLY} if _kind == "mxf4nvf4" else {})})  # fmt: skip
        form(f"tcgen05.mma.ws{_sparse}.cta_group::1.<kind>{{.<collector>}}", f"[tmem], {_a}, s:b64{_meta}, s:u32, p, "
            f"s:b64?", _TMEM, _T, kind="kind::f16 kind::tf32 kind::f8f6f4 kind::i8", collector=_B_OPS,
            words={"kind::i8": "8.6 sm_100a sm_110a"})  # fmt: skip
