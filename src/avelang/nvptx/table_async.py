"""The table of asynchronous copies and tensor maps. PTX ISA 9.0, 9.7.9.25 "Asynchronous copy", 9.7.9.27 "Tensor copy",
9.7.9.28 "tensormap"."""

from __future__ import annotations

from avelang.nvptx.forms import BLACKWELL, TENSOR_MEMORY, entries, form

_S = "9.7.9.25"
_HINT = "s:b64 if L2::cache_hint"
_MASK = "s:u16 if multicast::cluster"
_DONE = ".mbarrier::complete_tx::bytes"

entries("cp.async", "read write async", group="cp.async")
entries("cp.async.commit_group", "commit", group="cp.async")
entries("cp.async.wait_group cp.async.wait_all", "wait", group="cp.async")
entries("cp.async.mbarrier.arrive", "async arrive", group="cp.async")
entries("cp.async.bulk cp.reduce.async.bulk cp.async.bulk.tensor cp.reduce.async.bulk.tensor", "read write async",
    group="bulk", proxy="async")
entries("cp.async.bulk.prefetch cp.async.bulk.prefetch.tensor", group="bulk", proxy="async")
entries("cp.async.bulk.commit_group", "commit", group="bulk", proxy="async")
entries("cp.async.bulk.wait_group", "wait", group="bulk", proxy="async")
entries("tensormap.replace", "write")
entries("tensormap.cp_fenceproxy", "read write fence", proxy="tensormap")

# -- 9.7.9.25.3, cp.async ----------------------------------------------------------------------------------------------

_OLD = {"shared::cta": "7.0"}
for _to in ("shared", "shared::cta"):
    form(f"cp.async.ca.{_to}.global{{.L2::cache_hint}}{{.<prefetch>}}", f"[{_to}], [global], i=4|8|16, s:u32?, {_HINT}",
        "7.0 sm_80", _S, words=_OLD)
    form(f"cp.async.ca.{_to}.global{{.L2::cache_hint}}{{.<prefetch>}}", f"[{_to}], [global], i=4|8|16, p, {_HINT}",
        "7.5 sm_80", _S, words=_OLD)
    form(f"cp.async.cg.{_to}.global{{.L2::cache_hint}}{{.<prefetch>}}", f"[{_to}], [global], i=16, s:u32?, {_HINT}",
        "7.0 sm_80", _S, words=_OLD)
    form(f"cp.async.cg.{_to}.global{{.L2::cache_hint}}{{.<prefetch>}}", f"[{_to}], [global], i=16, p, {_HINT}",
        "7.5 sm_80", _S, words=_OLD)
form("cp.async.commit_group", "", "7.0 sm_80", _S)
form("cp.async.wait_group", "i:u32", "7.0 sm_80", _S)
form("cp.async.wait_all", "", "7.0 sm_80", _S)
form("cp.async.mbarrier.arrive{.noinc}{.<space>}.b64", "[<space>]", "7.0 sm_80", _S, space="shared shared::cta")

# -- 9.7.9.25.4, bulk --------------------------------------------------------------------------------------------------

form(f"cp.async.bulk.shared::cta.global{_DONE}{{.L2::cache_hint}}", f"[], [global], s:u32, [], {_HINT}", "8.6 sm_90",
    _S)
form(f"cp.async.bulk.shared::cluster.global{_DONE}{{.multicast::cluster}}{{.L2::cache_hint}}",
    f"[], [global], s:u32, [], {_MASK}, {_HINT}", "8.0 sm_90", _S)
form(f"cp.async.bulk.shared::cluster.shared::cta{_DONE}", "[], [], s:u32, []", "8.0 sm_90", _S)
form("cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}", f"[global], [], s:u32, {_HINT}, s:u16 "
    f"if cp_mask", "8.0 sm_90", _S, words={"cp_mask": "8.6 sm_100"})  # fmt: skip
form("cp.async.bulk.prefetch.L2.global{.L2::cache_hint}", f"[global], s:u32, {_HINT}", "8.0 sm_90", _S)
form("cp.async.bulk.commit_group", "", "8.0 sm_90", _S)
form("cp.async.bulk.wait_group{.read}", "i:u32", "8.0 sm_90", _S)
for _op, _t in (("and or xor", "b32"), ("add", "u32 s32 u64"), ("inc dec", "u32"), ("min max", "u32 s32")):
    form(f"cp.reduce.async.bulk.shared::cluster.shared::cta{_DONE}.<op>.<t>", "[], [], s:u32, []", "8.0 sm_90", _S,
        op=_op, t=_t)
# What bulk copies to global memory do to what stands there.
GLOBAL_REDUCTIONS = (("and or xor", "b32 b64"), ("add", "u32 s32 u64 f32 f64"), ("inc dec", "u32"),
    ("min max", "u32 s32 u64 s64 f16 bf16"), ("add.noftz", "f16 bf16"))  # fmt: skip
for _op, _t in GLOBAL_REDUCTIONS:
    form("cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.<op>.<t>",
        f"[global], [], s:u32, {_HINT}", "8.0 sm_90", _S, op=_op, t=_t)

# -- 9.7.9.27, tensors -------------------------------------------------------------------------------------------------

_T = "9.7.9.27"
_GROUP = {"cta_group::1 cta_group::2": f"8.6 {TENSOR_MEMORY}"}
_WIDE = f"8.6 {TENSOR_MEMORY}"
for _to, _mask, _needs in (("shared::cluster", "{.multicast::cluster}", "8.0 sm_90"), ("shared::cta", "", "8.6 sm_90")):
    _end = f"{_mask}{{.<group>}}{{.L2::cache_hint}}"
    _columns = _WIDE if _mask else "8.6 sm_100"  # into one's own block all of Blackwell copies
    _tail = f"{_MASK}, {_HINT}" if _mask else _HINT
    for _n in range(1, 6):
        _coords = f"[], [tensor,{_n}], []"
        form(f"cp.async.bulk.tensor.{_n}d.{_to}.global{{.tile}}{_DONE}{_end}", f"{_coords}, {_tail}", _needs, _T,
            words=_GROUP)
        if _n > 2:
            form(f"cp.async.bulk.tensor.{_n}d.{_to}.global.im2col{_DONE}{_end}", f"{_coords}, s:u16*{_n - 2}, {_tail}",
                _needs, _T, words=_GROUP)
            form(f"cp.async.bulk.tensor.{_n}d.{_to}.global.<mode>{_DONE}{_end}", f"{_coords}, s:u16*2, {_tail}",
                _columns, _T, mode="im2col::w im2col::w::128", words={**_GROUP, "im2col::w::128": _WIDE})  # fmt: skip
    form(f"cp.async.bulk.tensor.2d.{_to}.global.tile::gather4{_DONE}{_end}", f"[], [tensor,5], [], {_tail}", _columns,
        _T, words=_GROUP)
for _n in range(1, 6):
    form(f"cp.async.bulk.tensor.{_n}d.global.shared::cta{{.tile}}.bulk_group{{.L2::cache_hint}}",
        f"[tensor,{_n}], [], {_HINT}", "8.0 sm_90", _T)
    form(f"cp.reduce.async.bulk.tensor.{_n}d.global.shared::cta.<op>{{.tile}}.bulk_group{{.L2::cache_hint}}",
        f"[tensor,{_n}], [], {_HINT}", "8.0 sm_90", _T, op="add min max inc dec and or xor")  # fmt: skip
    form(f"cp.async.bulk.prefetch.tensor.{_n}d.L2.global{{.tile}}{{.L2::cache_hint}}", f"[tensor,{_n}], {_HINT}",
        "8.0 sm_90", _T)
    if _n > 2:
        form(f"cp.async.bulk.tensor.{_n}d.global.shared::cta.im2col_no_offs.bulk_group{{.L2::cache_hint}}",
            f"[tensor,{_n}], [], {_HINT}", "8.0 sm_90", _T)
        form(f"cp.reduce.async.bulk.tensor.{_n}d.global.shared::cta.<op>.im2col_no_offs.bulk_group{{.L2::cache_hint}}",
            f"[tensor,{_n}], [], {_HINT}", "8.0 sm_90", _T, op="add min max inc dec and or xor")  # fmt: skip
        form(f"cp.async.bulk.prefetch.tensor.{_n}d.L2.global.im2col{{.L2::cache_hint}}", f"[tensor,{_n}], "
            f"s:u16*{_n - 2}, {_HINT}", "8.0 sm_90", _T)
        form(f"cp.async.bulk.prefetch.tensor.{_n}d.L2.global.<mode>{{.L2::cache_hint}}", f"[tensor,{_n}], s:u16*2, "
            f"{_HINT}", _WIDE, _T, mode="im2col::w im2col::w::128")  # fmt: skip
form("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{.L2::cache_hint}",
    f"[tensor,5], [], {_HINT}", _WIDE, _T)
form("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4{.L2::cache_hint}", f"[tensor,5], {_HINT}", _WIDE, _T)

# -- 9.7.9.28, tensor maps ---------------------------------------------------------------------------------------------

_M = "9.7.9.28"
_SPACE = "global shared::cta"
_REPLACE = f"8.3 sm_90a {BLACKWELL}"
form("tensormap.replace.tile.global_address{.<space>}.b1024.b64", "[<space>], s:b64", _REPLACE, _M, space=_SPACE)
form("tensormap.replace.tile.rank{.<space>}.b1024.b32", "[<space>], s:b32", _REPLACE, _M, space=_SPACE)
form("tensormap.replace.tile.<field>{.<space>}.b1024.b32", "[<space>], i:u32, s:b32", _REPLACE, _M, space=_SPACE,
     field="box_dim global_dim element_stride")
form("tensormap.replace.tile.global_stride{.<space>}.b1024.b64", "[<space>], i:u32, s:b64", _REPLACE, _M, space=_SPACE)
form("tensormap.replace.tile.<field>{.<space>}.b1024.b32", "[<space>], i:u32", _REPLACE, _M, space=_SPACE,
     field="elemtype interleave_layout swizzle_mode fill_mode")  # fmt: skip
form("tensormap.replace.tile.swizzle_atomicity{.<space>}.b1024.b32", "[<space>], i:u32", f"8.6 {BLACKWELL}", _M,
    space=_SPACE)
form("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.<scope>.sync.aligned",
    "[global], [], i=128", "8.3 sm_90", _M)
