"""The table of loads, stores, atomics and what steers the caches. PTX ISA 9.0, 9.7.9 "Data movement", 9.7.13 "atom",
"red"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from avelang.nvptx.forms import PLAIN, TENSOR_MEMORY, TOGETHER, Env, WordRule, entries, form, implies, only
from avelang.nvptx.ptx_types import TYPES
from avelang.nvptx.table_async import GLOBAL_REDUCTIONS

_S = "9.7.9"
_TYPES = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
_SHARED = "shared shared::cta shared::cluster"
_MMIO_TYPES = {"b128": "8.4 sm_70"}
_PARAM = {"param::entry param::func": "8.3", "b128": "8.3 sm_70"}
_HINT = "s:b64 if L2::cache_hint"
_EVICT2 = "L2::evict_last L2::evict_normal L2::evict_first"
_VEC = "v2 v4 v8"


def _wide(env: Env) -> bool:
    return bool(env["vec"]) and int(env["vec"][1:]) * TYPES[env["t"]].bits == 256


def _fits(env: Env) -> bool:
    """A vector has 128 bits at most, or 256 in global memory, and then elements of 32 or 64 bits."""
    if not env["vec"]:
        return True
    bits = TYPES[env["t"]].bits
    total = int(env["vec"][1:]) * bits
    return ((total <= 128 and env["vec"] != "v8")
        or (total == 256 and bits in (32, 64) and env.get("space", env.get("global")) == "global"))


VECTOR = WordRule(_fits, "a vector has 128 bits at most; or 256, as .v8 of 32 or .v4 of 64 bits in .global")
_L2 = implies(lambda e: bool(e["evict2"]), _wide, ".L2::evict_* goes with vectors of 256 bits only")
_MMIO = only("mmio", "scope", "sys")
_256 = ((_wide, "8.8 sm_100"),)
_WIDE = {"v8": "8.8 sm_100", "L2::evict_last L2::evict_normal L2::evict_first": "8.8 sm_100"}


def _not_in(slot: str, words: str, why: str, *when: str) -> WordRule:
    excluded = frozenset(words.split())
    return implies(lambda e: any(e.get(w) for w in when), lambda e: e[slot] not in excluded, why)


entries("ld ldu", "read long braces")
entries("st", "write long braces")
entries("st.bulk", "write")
entries("st.async", "write async arrive", group="mbarrier")
entries("atom", "read write long discards")
entries("red", "read write long")
entries("red.async", "read write async arrive", group="mbarrier")
entries("multimem.ld_reduce", "read strong long")
entries("multimem.red", "read write strong long")
entries("multimem.st", "write strong long")
entries("multimem.cp.async.bulk multimem.cp.reduce.async.bulk", "read write async", group="bulk", proxy="async")
entries("prefetch prefetchu applypriority discard", "long")
entries("createpolicy")

# -- ld ----------------------------------------------------------------------------------------------------------------

_LOADS = f"const global local param param::entry param::func {_SHARED}"
_CACHED = _not_in("space", f"const local param param::entry param::func {_SHARED}", ".L2::cache_hint goes with .global "
    "or generic addresses only", "L2::cache_hint", "evict1", "prefetch")  # fmt: skip
form("ld{.weak}{.<space>}{.<cop>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>", f"d:<t>+*<vec>, [<space>], {_HINT}",
    "1.0", _S, space=_LOADS, cop="ca cg cs lu cv", vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR, _CACHED],
    words={**_PARAM, **_WIDE, "weak": "6.0 sm_70"})  # fmt: skip
form("ld{.weak}{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>",
    f"d:<t>+*<vec>, [<space>], {_HINT}", "1.0", _S, space="global", evict2=_EVICT2, vec=_VEC, t=_TYPES, cases=_256,
    rules=[VECTOR, _L2], words={**_PARAM, **_WIDE, "weak": "6.0 sm_70"})  # fmt: skip
form("ld.volatile{.<space>}{.<prefetch>}{.<vec>}.<t>", "d:<t>+*<vec>, [<space>]", "1.1", _S,
    space=f"global local {_SHARED}", vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR, _CACHED],
    words={**_PARAM, **_WIDE, "local": "9.1"})  # fmt: skip
for _sem in ("relaxed", "acquire"):
    form(f"ld.{_sem}.<scope>{{.<space>}}{{.<evict1>}}{{.<evict2>}}{{.L2::cache_hint}}{{.<prefetch>}}{{.<vec>}}.<t>",
        f"d:<t>+*<vec>, [<space>], {_HINT}", "6.0 sm_70", _S, space=f"global {_SHARED}", evict2=_EVICT2, vec=_VEC,
        t=_TYPES, cases=_256, rules=[VECTOR, _L2, _CACHED], words={**_PARAM, **_WIDE})  # fmt: skip
form("ld.mmio.relaxed.sys{.global}.<t>", "d:<t>+, [global]", "8.2 sm_70", _S, t=_TYPES, words=_MMIO_TYPES)
form("ld.global{.<cop>}.nc{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>", f"d:<t>+*<vec>, [global], {_HINT}", "3.1 sm_32",
    _S, cop="ca cg cs", vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR], words={**_PARAM, **_WIDE})  # fmt: skip
form("ld.global.nc{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>", f"d:<t>+*<vec>, [global], {_HINT}",
    "3.1 sm_32", _S, evict2=_EVICT2, vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR, _L2], words={**_PARAM, **_WIDE})
form("ldu{.global}{.<vec>}.<t>", "d:<t>+*<vec>, [global]", "2.0 sm_20", _S, vec="v2 v4", t=_TYPES, rules=[PLAIN],
    words=_PARAM)

# -- st ----------------------------------------------------------------------------------------------------------------

_STORES = f"global local param param::func {_SHARED}"
form("st{.weak}{.<space>}{.<cop>}{.L2::cache_hint}{.<vec>}.<t>", f"[<space>], s:<t>+*<vec>, {_HINT}", "1.0", _S,
    space=_STORES, cop="wb cg cs wt", vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR, _CACHED],
    words={**_PARAM, **_WIDE, "weak": "6.0 sm_70"})  # fmt: skip
form("st{.weak}{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<vec>}.<t>", f"[<space>], s:<t>+*<vec>, {_HINT}",
    "1.0", _S, space="global", evict2=_EVICT2, vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR, _L2],
    words={**_PARAM, **_WIDE, "weak": "6.0 sm_70"})  # fmt: skip
form("st.volatile{.<space>}{.<vec>}.<t>", "[<space>], s:<t>+*<vec>", "1.1", _S, space=f"global local {_SHARED}",
    vec=_VEC, t=_TYPES, cases=_256, rules=[VECTOR], words={**_PARAM, **_WIDE, "local": "9.1"})  # fmt: skip
for _sem in ("relaxed", "release"):
    form(f"st.{_sem}.<scope>{{.<space>}}{{.<evict1>}}{{.<evict2>}}{{.L2::cache_hint}}{{.<vec>}}.<t>",
        f"[<space>], s:<t>+*<vec>, {_HINT}", "6.0 sm_70", _S, space=f"global {_SHARED}", evict2=_EVICT2, vec=_VEC,
        t=_TYPES, cases=_256, rules=[VECTOR, _L2, _CACHED], words={**_PARAM, **_WIDE})  # fmt: skip
form("st.mmio.relaxed.sys{.global}.<t>", "[global], s:<t>+", "8.2 sm_70", _S, t=_TYPES, words=_MMIO_TYPES)
form("st.bulk{.weak}{.shared::cta}", "[shared::cta], s:u64, i=0", "8.6 sm_100", _S)
form("st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.<vec>}.<t>", "[], s:<t>*<vec>, []", "8.1 sm_90",
    _S, vec="v2 v4", t="b32 b64 u32 u64 s32 s64 f32 f64", rules=[PLAIN])  # fmt: skip
form("st.async{.mmio}.release.<scope>{.global}.<t>", "[global], s:<t>", "8.7 sm_100", _S, scope="gpu sys",
     rules=[_MMIO], t="b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64")  # fmt: skip

# -- caches ------------------------------------------------------------------------------------------------------------

form("prefetch{.<space>}.<level>", "[<space>]", "2.0 sm_20", _S, space="global local", level="L1 L2")
form("prefetch.global.<level>", "[global]", "7.4 sm_80", _S, level="L2::evict_last L2::evict_normal")
form("prefetchu.L1", "[]", "2.0 sm_20", _S)
form("prefetch{.<space>}.tensormap", "[<space>]", "8.0 sm_90", _S, space="const param")
form("applypriority{.global}.L2::evict_normal", "[global], i=128", "7.4 sm_80", _S)
form("discard{.global}.L2", "[global], i=128", "7.4 sm_80", _S)
_FIRST, _SECOND = ("L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged",
    "L2::evict_first L2::evict_unchanged")
form("createpolicy.range{.global}.<first>{.<second>}.b64", "d:b64, [global], s:u32, s:u32", "7.4 sm_80", _S,
    first=_FIRST, second=_SECOND)
form("createpolicy.fractional.<first>{.<second>}.b64", "d:u64, s:f32?", "7.4 sm_80", _S, first=_FIRST, second=_SECOND)
form("createpolicy.cvt.L2.b64", "d:b64, s:b64", "7.4 sm_80", _S)

# -- 9.7.13: atom, red -------------------------------------------------------------------------------------------------

_A = "9.7.13"
_ATOMIC = f"global {_SHARED}"
_OPS = (("and or xor", "b32 b64"), ("exch", "b32 b64"), ("add", "u32 u64 s32 f32 f64"), ("inc dec", "u32"),
    ("min max", "u32 u64 s32 s64"))
_ORDER = {"relaxed acquire release acq_rel": "6.0 sm_70", "cta gpu sys": "5.0 sm_60"}
_NOFTZ = (("f16", "6.3 sm_70"), ("f16x2", "6.2 sm_60"), ("bf16", "7.8 sm_90"), ("bf16x2", "7.8 sm_90"))
_B128 = ((lambda e: e["scope"] == "sys", "8.4 sm_90"),)


def _atomic(rest: str, operands: str, needs: str, space: str = _ATOMIC, red: bool = True, words: Mapping[str, str]
        | None = None, **more: Any) -> None:
    """atom, and red where there is one, in the order of the manual and in those of nvcc and Triton (`atom.global.gpu`,
    `atom.global.acq_rel.gpu`), which ptxas takes too. `operands` are those behind the address."""
    for places in ("{.<sem>}{.<scope>}{.<space>}", ".<space>.<scope>{.<sem>}", ".<space>.<sem>{.<scope>}"):
        result = operands.partition(",")[0].replace("s:", "d:").replace("r:", "d:")
        common: dict[str, Any] = {"space": space, "rules": [_CACHED], "words": {**_ORDER, **(words or {})}, **more}
        form(f"atom{places}{rest}", f"{result}, [<space>], {operands}", needs, _A,
            sem="relaxed acquire release acq_rel", **common)
        if red:
            form(f"red{places}{rest}", f"[<space>], {operands}", needs, _A, sem="relaxed release", **common)


for _op, _t in _OPS:
    _atomic(".<op>{.L2::cache_hint}.<t>", f"s:<t>, {_HINT}", "1.2", red=_op != "exch", op=_op, t=_t)
_atomic(".cas.<t>", "s:<t>, s:<t>", "1.1", red=False, t="b16 b32 b64", words={"b16": "6.3 sm_70"})
_atomic(".cas.b128", "r:b128, r:b128", "8.3 sm_90", red=False, cases=_B128)
_atomic(".exch{.L2::cache_hint}.b128", f"r:b128, {_HINT}", "8.3 sm_90", red=False, cases=_B128)
for _t, _needs in _NOFTZ:
    _atomic(f".add.noftz{{.L2::cache_hint}}.{_t}", f"s:{_t}, {_HINT}", _needs)
for _vec, _t in (("v2 v4", "f16x2 bf16x2"), ("v2 v4 v8", "f16 bf16")):
    _atomic(".<op>.noftz{.L2::cache_hint}.<vec>.<t>", f"r:<t>*<vec>, {_HINT}", "8.1 sm_90", "global", op="add min max",
        vec=_vec, t=_t)
_atomic(".add{.L2::cache_hint}.<vec>.f32", f"r:f32*<vec>, {_HINT}", "8.1 sm_90", "global", vec="v2 v4")
_DONE = ".mbarrier::complete_tx::bytes"
for _op, _t in (("inc dec", "u32"), ("min max", "u32 s32"), ("and or xor", "b32"), ("add", "u32 s32 u64")):
    form(f"red.async.relaxed.cluster{{.shared::cluster}}{_DONE}.<op>.<t>", "[], s:<t>, []", "8.1 sm_90", _A, op=_op,
        t=_t)
form("red.async{.mmio}.release.<scope>{.global}.add.<t>", "[global], s:<t>", "8.7 sm_100", _A, scope="gpu sys",
    t="u32 s32 u64 s64", rules=[_MMIO])

# -- multimem ----------------------------------------------------------------------------------------------------------

_MULTI = (("add", "u32 s32 u64"), ("and or xor", "b32 b64"), ("min max", "u32 s32 u64 s64"))
_LD: dict[str, Any]
_RED: dict[str, Any]
_LD, _RED = {"sem": "relaxed acquire", "rules": [TOGETHER]}, {"sem": "relaxed release", "rules": [TOGETHER]}
for _op, _t in _MULTI:
    form("multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>.<t>", "d:<t>, [global]", "8.1 sm_90", _S, op=_op, t=_t,
        **_LD)
    form("multimem.ld_reduce.weak{.global}.<op>.<t>", "d:<t>, [global]", "8.1 sm_90", _S, op=_op, t=_t)
    form("multimem.red{.<sem>}{.<scope>}{.global}.<op>.<t>", "[global], s:<t>", "8.1 sm_90", _S, op=_op, t=_t, **_RED)
_F8 = f"8.6 {TENSOR_MEMORY} sm_120a sm_121a"
for _t, _vec, _kind in (("f16 bf16", "v2 v4 v8", ".<vec>"), ("f16x2 bf16x2", "v2 v4", "{.<vec>}"),
        ("f32", "v2 v4", "{.<vec>}"), ("f64", "v2", "")):
    for _op in ("add", "min max") if "f16" in _t else ("add",):
        for _order, _more in (("{.<sem>}{.<scope>}", _LD), (".weak", {})):
            _acc = "{.acc::f32}" if _op == "add" and "f16" in _t else ""
            form(f"multimem.ld_reduce{_order}{{.global}}.<op>{_acc}{_kind}.<t>", f"d:<t>{'*<vec>' * bool(_kind)}, "
                f"[global]", "8.1 sm_90", _S, op=_op, t=_t, vec=_vec, words={"acc::f32": "8.2 sm_90"}, **_more)
    form(f"multimem.red{{.<sem>}}{{.<scope>}}{{.global}}.add{_kind}.<t>", f"[global], r:<t>{'*<vec>' * bool(_kind)}",
        "8.1 sm_90", _S, t=_t, vec=_vec, **_RED)  # fmt: skip
    if _t != "f64":
        form(f"multimem.st{{.<sem>}}{{.<scope>}}{{.global}}{_kind}.<t>", "[global], r:<t>*<vec>", "8.1 sm_90", _S, t=_t,
            vec=_vec, **_RED)
        form(f"multimem.st.weak{{.global}}{_kind}.<t>", "[global], r:<t>*<vec>", "8.1 sm_90", _S, t=_t, vec=_vec)
for _t, _vec, _kind in (("e4m3 e5m2", "v4 v8", ".<vec>"), ("e4m3x2 e5m2x2", "v2 v4 v8", ".<vec>"),
        ("e4m3x4 e5m2x4", "v2 v4", "{.<vec>}")):
    for _order, _more in (("{.<sem>}{.<scope>}", _LD), (".weak", {})):
        form(f"multimem.ld_reduce{_order}{{.global}}.<op>{{.acc::f16}}{_kind}.<t>", "d:<t>*<vec>, [global]", _F8, _S,
            op="add min max", t=_t, vec=_vec, rules=[*_more.get("rules", ()), only("acc::f16", "op", "add")],
            **{k: v for k, v in _more.items() if k != "rules"})  # fmt: skip
_STORED = "b32 b64 u32 u64 s32 s64 f64"
form("multimem.st{.<sem>}{.<scope>}{.global}.<t>", "[global], s:<t>", "8.1 sm_90", _S, t=_STORED, **_RED)
form("multimem.st.weak{.global}.<t>", "[global], s:<t>", "8.1 sm_90", _S, t=_STORED)
form("multimem.cp.async.bulk.global.shared::cta.bulk_group{.cp_mask}", "[global], [], s:u32, s:u16 if cp_mask",
    "9.1 sm_90", "9.7.9.25", words={"cp_mask": "9.1 sm_100"})  # fmt: skip
for _op, _t in GLOBAL_REDUCTIONS:
    form("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.<op>.<t>", "[global], [], s:u32", "9.1 sm_90",
        "9.7.9.25", op=_op, t=_t)
