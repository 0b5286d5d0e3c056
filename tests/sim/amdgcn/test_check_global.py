"""Races in global memory: waves and workgroups that use one another's elements, with and without what orders them."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.machine import DispatchParams
from sim.amdgcn.programs import assemble

# v4: the work-item's dword in its workgroup's part (s20: the workgroup), v5: the other wave's, v6: in the other
# workgroup's part; v7: who this is.
HEAD = """v_and_b32 v4, 0x3ff, v0; v_lshlrev_b32 v4, 2, v4; s_lshl_b32 s21, s20, 9
s_xor_b32 s22, s21, 0x200; v_xor_b32 v5, 0x100, v4; v_add_u32 v6, s22, v4; v_add_u32 v4, s21, v4; v_add_u32 v5, s21, v5
v_add_u32 v7, 1, v4; v_mov_b32 v8, 0; v_mov_b32 v9, 1"""
WAIT, MEET = "s_waitcnt vmcnt(0); ", "s_barrier; "
STORE, STORE_MATE, STORE_FAR = (f"global_store_dword {v}, v7, s[2:3]; " for v in ("v4", "v5", "v6"))
LOAD, LOAD_MATE, LOAD_FAR = (f"global_load_dword v10, {v}, s[2:3]; " for v in ("v4", "v5", "v6"))
# A ticket at s[4:5], as compilers write it: release, atomic, acquire.
RELEASE, INVALIDATE = "buffer_wbl2 sc1; s_waitcnt vmcnt(0); ", "s_waitcnt vmcnt(0); buffer_inv sc1; "
ADD, TICKET = "global_atomic_add v8, v9, s[4:5]; ", "global_atomic_add v11, v8, v9, s[4:5] sc0; "
# The second workgroup alone goes on: here it runs second.
SECOND = "s_cmp_eq_u32 s20, 0; s_cbranch_scc1 out; "
OUT = "out:; "


def go(body: str, order: str = "forward", waves: int = 2, groups: int = 2, collect: bool = False, split: bool = False):
    x, count = np.zeros(1024, np.uint32), np.zeros(16, np.uint32)
    text = "\n".join(x.strip() for x in (HEAD + ";" + body).replace("\n", ";").split(";"))
    directives = ".amdhsa_user_sgpr_count 20\n.amdhsa_system_sgpr_workgroup_id_x 1" + "\n.amdhsa_tg_split 1" * split
    machine = assemble(
        text, lds=0 if split else 2048, check={"races"}, order=order, seed=3, directives=directives, collect=collect
    )
    given = [(a.ctypes.data, a.ctypes.data + a.nbytes) for a in (x, count)]
    scalars = {2 * n + 2 + k: at >> 32 * k & 0xFFFFFFFF for n, (at, _) in enumerate(given) for k in range(2)}
    resource = x.ctypes.data | (x.nbytes << 64) | (0x20000 << 96)
    scalars |= {8 + k: resource >> 32 * k & 0xFFFFFFFF for k in range(4)}
    return machine.launch(
        DispatchParams((groups, 1, 1), (64 * waves, 1, 1), b"", given, scalars=scalars, names=["x", "count"])
    )


# Program; words of the error where it is wrong.
CASES = {
    "own elements": (STORE + WAIT + LOAD + STORE, ""),
    "all read": (LOAD + LOAD_MATE + LOAD_FAR, ""),
    "a mate's, ordered": (STORE + WAIT + MEET + LOAD_MATE, ""),
    "a mate's, no barrier": (STORE + WAIT + LOAD_MATE, "`x`, byte"),
    "a mate's, not waited for": (STORE + MEET + LOAD_MATE, ""),
    # one compute unit: its vector cache takes accesses in order
    "read, then the mate writes at once": (LOAD_MATE + MEET + STORE, ""),
    "scalar, not waited for": (STORE + MEET + "s_lshl_b32 s23, s20, 9; s_load_dword s23, s[2:3], s23; ",
        "s_load_dword"),
    "read, then the mate writes": (LOAD_MATE + WAIT + MEET + STORE, ""),
    "read, no barrier, the mate writes": (LOAD_MATE + WAIT + STORE, "wave"),
    "both write": (STORE + STORE_MATE, "a write of `x`"),
    "both write the same": (STORE.replace("v7", "v9") + STORE_MATE.replace("v7", "v9"), ""),
    "another workgroup's": (STORE + WAIT + MEET + LOAD_FAR, "of workgroup (0, 0, 0)"),
    "another workgroup's, written": (LOAD + STORE_FAR, "of workgroup (0, 0, 0)"),
    "all add": ("global_atomic_add v8, v9, s[4:5]; ", ""),
    "all add, one reads": (ADD + "global_load_dword v10, v8, s[4:5]; ", "`count`, byte 0"),
    "all add, one reads with sc1": (ADD + "global_load_dword v10, v8, s[4:5] sc1; ", ""),
    "one clears, all add": ("s_cmp_lg_u32 s20, 0; s_cbranch_scc1 skip; global_store_dword v8, v8, s[4:5]; skip:; "
                            + WAIT + MEET + ADD, "`count`, byte 0"),
    "one clears with sc1, all add": (
        "s_cmp_lg_u32 s20, 0; s_cbranch_scc1 skip; global_store_dword v8, v8, s[4:5] sc1; skip:; " + WAIT + MEET + ADD,
        ""),
    "load, add, store": ("global_load_dword v10, v8, s[4:5]; " + WAIT + "v_add_u32 v10, 1, v10; global_store_dword v8, "
        "v10, s[4:5]; ", "`count`"),
    "by a buffer": ("v_lshlrev_b32 v4, 1, v4; buffer_store_short v7, v4, s[8:11], 0 offen; ", ""),
    "by a buffer, both": ("buffer_store_short v7, v5, s[8:11], 0 offen; buffer_store_short v9, v4, s[8:11], 0 offen; ",
        "buffer_store_short"),
    "scalar": (STORE + WAIT + MEET + "s_load_dword s23, s[2:3], 0x0; ", "s_load_dword"),
    "bytes of one dword": ("v_lshrrev_b32 v12, 2, v4; global_store_byte v12, v7, s[2:3]; ", ""),
    "released and acquired": (STORE + RELEASE + MEET + TICKET + INVALIDATE + SECOND + LOAD_FAR + OUT, ""),
    "released, no write-back": (STORE + WAIT + MEET + TICKET + INVALIDATE + SECOND + LOAD_FAR + OUT, "`x`, byte"),
    "released, not waited for": (STORE + "buffer_wbl2 sc1; " + MEET + TICKET + INVALIDATE + SECOND + LOAD_FAR + OUT,
        "`x`, byte"),
    "acquired, no invalidate": (STORE + RELEASE + MEET + TICKET + WAIT + SECOND + LOAD_FAR + OUT, "`x`, byte"),
    "the ticket is not looked at": (STORE + RELEASE + MEET + ADD + INVALIDATE + SECOND + LOAD_FAR + OUT, "`x`, byte"),
    "relaxed reads behind a ticket": (STORE + RELEASE + MEET + TICKET + WAIT + SECOND + LOAD_FAR.replace("s[2:3]",
        "s[2:3] sc1") + OUT, ""),
    "written through": (STORE.replace("s[2:3]",
        "s[2:3] sc1") + WAIT + MEET + TICKET + INVALIDATE + SECOND + LOAD_FAR + OUT, ""),
    "a flag": (
        STORE + RELEASE + MEET + "global_store_dword v8, v9, s[4:5] sc1; " + SECOND + "global_load_dword v10, v8, "
            "s[4:5] sc1; " + INVALIDATE
        + LOAD_FAR + OUT, ""),
}  # fmt: skip
# One wave tells of all, and one wave learns for all: news pass at barriers.
FIRST = "v_readfirstlane_b32 s25, v0; s_cmp_lg_u32 s25, 0; s_cbranch_scc1 {0}; "
CASES["one wave for all"] = (
    STORE
    + WAIT
    + MEET
    + FIRST.format("skip")
    + RELEASE
    + TICKET
    + INVALIDATE
    + "skip:; "
    + MEET
    + SECOND
    + LOAD_FAR
    + OUT,
    "",
)
CASES["one wave for all, stores not waited for"] = (
    STORE + MEET + FIRST.format("skip") + RELEASE + TICKET + INVALIDATE + "skip:; " + MEET + SECOND + LOAD_FAR + OUT,
    "",
)
CASES["one wave for all, loads not waited for"] = (
    LOAD + MEET + FIRST.format("skip") + RELEASE + TICKET + INVALIDATE + "skip:; " + MEET + SECOND + STORE_FAR + OUT,
    "",
)
CASES["one wave for all, no write-back, stores not waited for"] = (
    STORE.replace("s[2:3]", "s[2:3] sc1")
    + MEET
    + FIRST.format("skip")
    + WAIT
    + TICKET
    + INVALIDATE
    + "skip:; "
    + MEET
    + SECOND
    + LOAD_FAR
    + OUT,
    "`x`, byte",
)
# A barrier is no invalidate; one by any wave of the workgroup is one for all, whose cache it is.
ASK = STORE + RELEASE + MEET + FIRST.format("skip") + TICKET + WAIT + "skip:; " + MEET + SECOND
CASES["one wave for all, no invalidate"] = (ASK + LOAD_FAR + OUT, "`x`, byte")
CASES["one wave for all, no invalidate, several barriers"] = (ASK + MEET + MEET + LOAD_FAR + OUT, "`x`, byte")
CASES["one wave for all, past the cache"] = (ASK + LOAD_FAR.replace("s[2:3]", "s[2:3] sc1") + OUT, "")
CASES["one wave for all, each invalidates"] = (ASK + INVALIDATE + LOAD_FAR + OUT, "")
CASES["one wave for all, the other one invalidates"] = (
    ASK
    + "v_readfirstlane_b32 s25, v0; s_cmp_eq_u32 s25, 0; s_cbranch_scc1 over; "
    + INVALIDATE
    + "over:; "
    + MEET
    + LOAD_FAR
    + OUT,
    "",
)
CASES["one wave for all, invalidated before"] = (ASK.replace(TICKET, INVALIDATE + TICKET) + LOAD_FAR + OUT, "`x`, byte")
CASES["one wave for all, no barrier before"] = (
    STORE + WAIT + FIRST.format("skip") + RELEASE + TICKET + INVALIDATE + "skip:; " + MEET + SECOND + LOAD_FAR + OUT,
    "`x`, byte",
)


@pytest.mark.parametrize("name", CASES)
def test_orders(name):
    body, says = CASES[name]
    for order in ("forward", "reverse"):
        if not says:
            go(body, order)
            continue
        with pytest.raises(AveError) as caught:
            go(body, order)
        assert caught.value.code == "X040" and says in str(caught.value), str(caught.value)


# With tg_split waves of a workgroup may be on several compute units: they wait, and drop what their caches hold.
INSIDE = "buffer_inv sc0; "
SPLIT = {
    "not waited for": (STORE + MEET + INSIDE + LOAD_MATE, "races with the write of wave"),
    "waited for": (STORE + WAIT + MEET + INSIDE + LOAD_MATE, ""),
    "not dropped": (STORE + WAIT + MEET + LOAD_MATE, "races with the write of wave"),
    "dropped before": (STORE + WAIT + INSIDE + MEET + LOAD_MATE, "races with the write of wave"),
    "past the cache": (STORE + WAIT + MEET + LOAD_MATE.replace("s[2:3]", "s[2:3] sc0"), ""),
    "read, then the mate writes": (LOAD_MATE + WAIT + MEET + STORE, ""),
    "one wave for all": (CASES["one wave for all"][0].replace(SECOND, INSIDE + SECOND), ""),
    "one wave for all, not dropped": (CASES["one wave for all"][0], "`x`, byte"),
    "one wave for all, stores not waited for": (
        CASES["one wave for all, stores not waited for"][0].replace(SECOND, INSIDE + SECOND),
        "`x`, byte",
    ),
}


@pytest.mark.parametrize("name", SPLIT)
def test_orders_on_several_compute_units(name):
    body, says = SPLIT[name]
    if not says:
        go(body, split=True)
        return
    with pytest.raises(AveError, match=says) as caught:
        go(body, split=True)
    assert caught.value.code == "X040"


def test_error_names_both():
    with pytest.raises(AveError) as caught:
        go(STORE + WAIT + LOAD_MATE)
    text = str(caught.value)
    assert "`global_store_dword v4, v7, s[2:3]` at line" in text and "a write of `x`, byte 256" in text
    assert (
        "the read of wave 0 in `global_load_dword v10, v5, s[2:3]` (line" in text
        and "workgroup (0, 0, 0), wave 1, lane 0" in text
    )


def test_collected():
    run = go(STORE + WAIT + LOAD_MATE + STORE_FAR, collect=True)
    assert {r.code for r in run.reports} == {"X040"} and len(run.reports) >= 3
