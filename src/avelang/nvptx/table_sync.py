"""The table of synchronization, control flow and the rest. PTX ISA 9.0, 9.7.12 "Control flow", 9.7.13
"Synchronization", 9.7.17 to 9.7.20."""

from __future__ import annotations

from typing import Any

from avelang.nvptx.forms import BLACKWELL, TOGETHER, entries, form

_S = "9.7.13"

entries("bar", "barrier aligned")
entries("barrier", "barrier")
entries("bar.warp.sync", "barrier ordered")
entries("barrier.cluster.arrive", "barrier")
entries("barrier.cluster.wait", "barrier wait")
entries("membar fence membar.proxy fence.proxy", "fence")
entries("membar.proxy.async fence.proxy.async", "fence", proxy="async")
entries("mbarrier.init mbarrier.inval", "write long", group="mbarrier")
entries("mbarrier.expect_tx mbarrier.complete_tx", "read write arrive long", group="mbarrier")
entries("mbarrier.arrive mbarrier.arrive_drop", "read write arrive discards long", group="mbarrier")
entries("mbarrier.test_wait mbarrier.try_wait", "read wait long", group="mbarrier")
entries("mbarrier.pending_count")
entries("vote redux", "across")
entries("match", "across discards")
entries("activemask elect nanosleep brkpt pmevent stacksave stackrestore alloca clusterlaunchcontrol.query_cancel")
entries("clusterlaunchcontrol.try_cancel", "write async arrive", group="mbarrier", proxy="async")
entries("griddepcontrol.launch_dependents", group="grids")
entries("griddepcontrol.wait", "wait", group="grids")
entries("setmaxnreg")
entries("bra brx ret exit", "jump")
entries("call", "call")
entries("trap", "stop")

# -- barriers ----------------------------------------------------------------------------------------------------------

for _name, _aligned, _needs in (("bar", "", "1.0"), ("bar.cta", "", "7.8"), ("barrier", "{.aligned}", "6.0 sm_30"),
        ("barrier.cta", "{.aligned}", "7.8 sm_30")):
    form(f"{_name}.sync{_aligned}", "s:u32, s:u32?", _needs, _S)
    form(f"{_name}.arrive{_aligned}", "s:u32, s:u32", _needs, _S)
    form(f"{_name}.red.popc{_aligned}.u32", "d:u32, s:u32, s:u32?, p", _needs, _S)
    form(f"{_name}.red.<op>{_aligned}.pred", "d:pred, s:u32, s:u32?, p", _needs, _S, op="and or")
form("bar.warp.sync", "s:u32", "6.0 sm_30", _S)
form("barrier.cluster.arrive{.<sem>}{.aligned}", "", "7.8 sm_90", _S, sem="release relaxed",
    words={"release relaxed": "8.0 sm_90"})
form("barrier.cluster.wait{.acquire}{.aligned}", "", "7.8 sm_90", _S, words={"acquire": "8.0 sm_90"})

# -- fences ------------------------------------------------------------------------------------------------------------

form("membar.<level>", "", "1.4", _S, level="cta gl sys")
form("membar.proxy.alias", "", "7.5 sm_70", _S)
form("membar.proxy.async", "", "8.0 sm_90", _S)
form("fence{.<sem>}.<scope>", "", "6.0 sm_70", _S, sem="sc acq_rel acquire release",
    words={"acquire release": "8.6 sm_90"})
form("fence.acquire.sync_restrict::shared::cluster.cluster", "", "8.6 sm_90", _S)
form("fence.release.sync_restrict::shared::cta.cluster", "", "8.6 sm_90", _S)
form("fence.mbarrier_init.release.cluster", "", "8.0 sm_90", _S)
form("fence.proxy.alias", "", "7.5 sm_70", _S)
form("fence.proxy.async{.<space>}", "", "8.0 sm_90", _S, space="global shared::cta shared::cluster")
form("fence.proxy.tensormap::generic.release.<scope>", "", "8.3 sm_90", _S)
form("fence.proxy.tensormap::generic.acquire.<scope>", "[], i=128", "8.3 sm_90", _S)
form("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", "8.6 sm_90", _S,
    of="fence.proxy.async")
form("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", "8.6 sm_90", _S,
    of="fence.proxy.async")

# -- mbarrier ----------------------------------------------------------------------------------------------------------

_M = "9.7.13.15"
_CTA = "shared shared::cta"
_ORDER = {"release acquire cta": "8.0 sm_80", "relaxed": "8.6 sm_90"}
form("mbarrier.init{.<space>}.b64", "[<space>], s:u32", "7.0 sm_80", _M, space=_CTA)
form("mbarrier.inval{.<space>}.b64", "[<space>]", "7.0 sm_80", _M, space=_CTA)
for _op in ("expect_tx", "complete_tx"):
    form(f"mbarrier.{_op}{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", "[<space>], s:u32", "8.0 sm_90", _M, sem="relaxed",
        words={"relaxed": "8.0 sm_90"}, rules=[TOGETHER], scope="cta cluster", space=f"{_CTA} shared::cluster")
for _op in ("arrive", "arrive_drop"):
    for _sem in ("release", "relaxed"):
        _more: dict[str, Any] = {"scope": "cta cluster", "sem": _sem, "words": _ORDER, "rules": [TOGETHER]}
        form(f"mbarrier.{_op}{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", "d:b64, [<space>]", "7.0 sm_80", _M, space=_CTA,
            **_more)
        form(f"mbarrier.{_op}{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", "d:b64, [<space>], s:u32", "7.8 sm_90", _M,
            space=_CTA, **_more)
        form(f"mbarrier.{_op}{{.<sem>}}{{.<scope>}}.shared::cluster.b64", "d:b64=_, [shared::cluster], s:u32?",
            "8.0 sm_90", _M, **_more)
        form(f"mbarrier.{_op}.expect_tx{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", "d:b64, [<space>], s:u32", "8.0 sm_90",
            _M, space=_CTA, **_more)
        form(f"mbarrier.{_op}.expect_tx{{.<sem>}}{{.<scope>}}.shared::cluster.b64", "d:b64=_, [shared::cluster], s:u32",
            "8.0 sm_90", _M, **_more)
    form(f"mbarrier.{_op}.noComplete{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", "d:b64, [<space>], s:u32", "7.0 sm_80", _M,
        sem="release", scope="cta", rules=[TOGETHER], space=_CTA, words=_ORDER)
for _op, _hint, _needs in (("test_wait", "", "7.0 sm_80"), ("try_wait", ", s:u32?", "7.8 sm_90")):
    _more: dict[str, Any] = {"sem": "acquire relaxed", "scope": "cta cluster", "space": _CTA, "words": _ORDER,
        "rules": [TOGETHER]}
    form(f"mbarrier.{_op}{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", f"d:pred, [<space>], s:b64{_hint}", _needs, _M,
        **_more)
    form(f"mbarrier.{_op}.parity{{.<sem>}}{{.<scope>}}{{.<space>}}.b64", f"d:pred, [<space>], s:u32{_hint}",
         "7.1 sm_80" if _op[1] == "e" and not _hint else _needs, _M, **_more)
form("mbarrier.pending_count.b64", "d:u32, s:b64", "7.0 sm_80", _M)

# -- among the threads of a warp ---------------------------------------------------------------------------------------

form("vote.sync.<op>.pred", "d:pred, p, s:u32", "6.0 sm_30", _S, op="all any uni")
form("vote.sync.ballot.b32", "d:b32, p, s:u32", "6.0 sm_30", _S)
form("match.any.sync.<t>", "d:u32, s:<t>, s:u32", "6.0 sm_70", _S, t="b32 b64")
form("match.all.sync.<t>", "d:u32|pred, s:<t>, s:u32", "6.0 sm_70", _S, t="b32 b64")
form("activemask.b32", "d:b32", "6.2 sm_30", _S)
form("redux.sync.<op>.<t>", "d:<t>, s:<t>, s:u32", "7.0 sm_80", _S, op="add min max", t="u32 s32")
form("redux.sync.<op>.b32", "d:u32, s:u32, s:u32", "7.0 sm_80", _S, op="and or xor")
form("redux.sync.<op>{.abs}{.NaN}.f32", "d:f32, s:f32, s:u32", "8.6 sm_100a sm_100f", _S, op="min max")
form("elect.sync", "d:u32&pred, s:u32", "8.0 sm_90", _S)
form("griddepcontrol.launch_dependents", "", "7.8 sm_90", _S)
form("griddepcontrol.wait", "", "7.8 sm_90", _S)
form("clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128",
    "[], []", "8.6 sm_100", _S, words={"multicast::cluster::all": f"8.6 {BLACKWELL}"})  # fmt: skip
form("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", "d:pred, s:b128", "8.6 sm_100", _S)
form("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128", "d:b32*4, s:b128", "8.6 sm_100", _S)
form("clusterlaunchcontrol.query_cancel.<dim>.b32.b128", "d:b32, s:b128", "8.6 sm_100", _S,
     dim="get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z")  # fmt: skip

# -- control flow ------------------------------------------------------------------------------------------------------

_C = "9.7.12"
form("bra{.uni}", "l", "1.0", _C)
form("brx.idx{.uni}", "s:u32, l=targets", "6.0 sm_30", _C)
form("call{.uni}", "c", "1.0", _C)
form("ret{.uni}", "", "1.0", _C)
form("exit", "", "1.0", _C)

# -- stack, and the rest -----------------------------------------------------------------------------------------------

_R = "9.7.17"
form("stacksave.<t>", "d:<t>", "7.3 sm_52", _R, t="u32 u64")
form("stackrestore.<t>", "r:<t>", "7.3 sm_52", _R, t="u32 u64")
_POWERS = "|".join(str(1 << i) for i in (3, 0, 1, 2, *range(4, 32)))
form("alloca.<t>", f"d:<t>, s:<t>, i={_POWERS}?", "7.3 sm_52", _R, t="u32 u64")
form("brkpt", "", "1.0", "9.7.20")
form("nanosleep.u32", "s:u32", "6.3 sm_70", "9.7.20")
form("pmevent", "i:u32", "1.4", "9.7.20")
form("pmevent.mask", "i:u32", "3.0 sm_20", "9.7.20")
_COUNTS = "|".join(map(str, range(24, 257, 8)))
form("setmaxnreg.<how>.sync.aligned.u32", f"i={_COUNTS}", f"8.0 sm_90a {BLACKWELL}", "9.7.20", how="inc dec")
form("trap", "", "1.0", "9.7.20")
