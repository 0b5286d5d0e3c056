"""The wait checker: for each rule a program that breaks it, whose error names register, load and missing wait, and one
that just keeps it."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.state import SHARED_BASE
from sim.amdgcn.programs import run_program

DATA = np.arange(4096, dtype=np.uint32)
BASE = DATA.ctypes.data
REGION = (BASE, BASE + DATA.nbytes)


def address() -> np.ndarray:
    """v[2:3]: a dword of DATA for each lane; v4: the same as an LDS address."""
    full = np.uint64(BASE) + 4 * np.arange(64, dtype=np.uint64)
    return np.stack([full & 0xFFFFFFFF, full >> np.uint64(32)]).astype(np.uint32)


def shared() -> np.ndarray:
    """v[10:11]: the same as v4, as flat addresses."""
    return np.stack([4 * np.arange(64, dtype=np.uint32), np.full(64, SHARED_BASE >> 32, np.uint32)])


def go(body: str, block: int = 64, **options):
    resource = BASE | (DATA.nbytes << 64) | (0x20000 << 96)
    inputs = {
        "s[2:3]": BASE, "s[8:11]": resource, "v[2:3]": address(), "v[10:11]": shared(),
        "v4": 4 * np.arange(64, dtype=np.uint32),
    }  # fmt: skip
    options = {"check": True, **options}
    return run_program(
        "\n".join(x.strip() for x in body.split(";")), inputs, lds=2048, regions=(REGION,), block=block, **options
    )


GLOBAL, BUFFER, DS = (
    "global_load_dword v{}, v[2:3], off",
    "buffer_load_dword v{}, v4, s[8:11], 0 offen",
    "ds_read_b32 v{}, v4",
)
G5, G6, G7 = (GLOBAL.format(n) for n in (5, 6, 7))
D5, D6 = DS.format(5), DS.format(6)

# Program; what the error says, or "" where it is right.
CASES = {
    "vector load": (f"{G5}; v_mov_b32 v9, v5", "reads v5 before `global_load_dword v5, v[2:3], off`", "vmcnt(0)"),
    "vector load waited for": (f"{G5}; s_waitcnt vmcnt(0); v_mov_b32 v9, v5", "", ""),
    "the first of three": (f"{G5}; {G6}; {G7}; s_waitcnt vmcnt(2); v_mov_b32 v9, v5", "", ""),
    "the second of three": (f"{G5}; {G6}; {G7}; s_waitcnt vmcnt(2); v_mov_b32 v9, v6",
        "reads v6 before `global_load_dword v6", "vmcnt(1)"),
    "overwritten": (f"{G5}; v_mov_b32 v5, v4", "overwrites v5 before `global_load_dword v5", "vmcnt(0)"),
    "overwritten by a load of the same kind": (f"{G5}; {G5}; s_waitcnt vmcnt(0); v_mov_b32 v9, v5", "", ""),
    "overwritten by a load of another kind": (f"{G5}; {D5}", "overwrites v5 before `global_load_dword v5", "vmcnt(0)"),
    "as an address": (f"{G5}; ds_read_b32 v6, v5", "reads v5 before", "vmcnt(0)"),
    "as data": (f"{G5}; global_store_dword v[2:3], v5, off", "reads v5 before", "vmcnt(0)"),
    "one of a wide load": ("global_load_dwordx2 v[6:7], v[2:3], off; v_mov_b32 v9, v7",
        "reads v7 before `global_load_dwordx2", "vmcnt(0)"),
    "beside a wide load": ("global_load_dwordx2 v[6:7], v[2:3], off; v_mov_b32 v9, v8", "", ""),
    "accumulation registers": ("global_load_dword a5, v[2:3], off; v_accvgpr_read_b32 v9, a5",
        "reads a5 before `global_load_dword a5", "vmcnt(0)"),
    "the same number in the other file": ("global_load_dword a5, v[2:3], off; v_mov_b32 v9, v5", "", ""),
    "buffer load": (f"{BUFFER.format(5)}; v_mov_b32 v9, v5", "reads v5 before `buffer_load_dword v5", "vmcnt(0)"),
    "stores count": (f"{G5}; global_store_dword v[2:3], v4, off; s_waitcnt vmcnt(1); v_mov_b32 v9, v5", "", ""),
    "stores count too": (f"{G5}; global_store_dword v[2:3], v4, off; s_waitcnt vmcnt(2); v_mov_b32 v9, v5",
        "reads v5 before", "vmcnt(1)"),
    "data of a store is free at once": ("global_store_dword v[2:3], v4, off; v_mov_b32 v4, 0", "", ""),
    "returned by an atomic": ("global_atomic_add v5, v[2:3], v4, off sc0; v_mov_b32 v9, v5",
        "reads v5 before `global_atomic_add v5", "vmcnt(0)"),
    "nothing returned": ("global_atomic_add v[2:3], v4, off; v_mov_b32 v4, v2", "", ""),
    "scalar load": ("s_load_dword s4, s[2:3], 0x0; s_mov_b32 s5, s4", "reads s4 before `s_load_dword s4", "lgkmcnt(0)"),
    "scalar load waited for": ("s_load_dword s4, s[2:3], 0x0; s_waitcnt lgkmcnt(0); s_mov_b32 s5, s4", "", ""),
    "scalar loads come in no order": (
        "s_load_dword s4, s[2:3], 0x0; s_load_dword s5, s[2:3], 0x4; s_waitcnt lgkmcnt(1); s_mov_b32 s6, s4",
        "reads s4 before", "lgkmcnt(0)"),
    "scalar load over a scalar load": ("s_load_dword s4, s[2:3], 0x0; s_load_dword s4, s[2:3], 0x4",
        "overwrites s4 before", "lgkmcnt(0)"),
    "in a vector instruction": ("s_load_dword s4, s[2:3], 0x0; v_mov_b32 v5, s4", "reads s4 before", "lgkmcnt(0)"),
    "into VCC": ("s_load_dwordx2 vcc, s[2:3], 0x0; v_cndmask_b32_e32 v5, v6, v7, vcc", "reads vcc_lo before",
        "lgkmcnt(0)"),
    "LDS read": (f"{D5}; v_mov_b32 v9, v5", "reads v5 before `ds_read_b32 v5, v4`", "lgkmcnt(0)"),
    "LDS reads come in order": (f"{D5}; {D6}; s_waitcnt lgkmcnt(1); v_mov_b32 v9, v5", "", ""),
    "the last LDS read": (f"{D5}; {D6}; s_waitcnt lgkmcnt(1); v_mov_b32 v9, v6", "reads v6 before", "lgkmcnt(0)"),
    "a count of both": (f"{D5}; s_load_dword s4, s[2:3], 0x0; s_waitcnt lgkmcnt(1); v_mov_b32 v9, v5",
        "reads v5 before", "lgkmcnt(0)"),
    "the wrong counter": (f"{G5}; s_waitcnt lgkmcnt(0); v_mov_b32 v9, v5", "reads v5 before", "vmcnt(0)"),
    "bpermute": ("ds_bpermute_b32 v5, v4, v4; v_mov_b32 v9, v5", "reads v5 before `ds_bpermute_b32", "lgkmcnt(0)"),
    "flat load": ("flat_load_dword v5, v[2:3]; s_waitcnt lgkmcnt(0); v_mov_b32 v9, v5",
        "reads v5 before `flat_load_dword", "vmcnt(0) lgkmcnt(0)"),
    "flat loads come in no order": (
        "flat_load_dword v5, v[2:3]; global_load_dword v6, v[2:3], off; s_waitcnt vmcnt(1) lgkmcnt(0); "
        "v_mov_b32 v9, v5",
        "reads v5 before",
        "vmcnt(0) lgkmcnt(0)"),
    "flat load waited for": ("flat_load_dword v5, v[2:3]; s_waitcnt vmcnt(0) lgkmcnt(0); v_mov_b32 v9, v5", "", ""),
    "flat load of memory needs one counter": ("flat_load_dword v5, v[2:3]; s_waitcnt vmcnt(0); v_mov_b32 v9, v5", "",
        ""),
    "flat load of LDS needs both": ("flat_load_dword v5, v[10:11]; s_waitcnt vmcnt(0); v_mov_b32 v9, v5",
        "reads v5 before", "vmcnt(0) lgkmcnt(0)"),
    "flat load of LDS waited for": ("flat_load_dword v5, v[10:11]; s_waitcnt vmcnt(0) lgkmcnt(0); v_mov_b32 v9, v5", "",
        ""),
    "flat access to LDS overtakes": (f"{D6}; flat_load_dword v5, v[10:11]; s_waitcnt lgkmcnt(1); v_mov_b32 v9, v6",
        "reads v6 before", "lgkmcnt(0)"),
    "never used": (f"{G5}; {D6}", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_in_flight(name):
    body, says, wait = CASES[name]
    if not says:
        go(body)
        return
    with pytest.raises(AveError) as caught:
        go(body)
    assert caught.value.code == "X024"
    assert says in str(caught.value) and f"s_waitcnt {wait} is needed" in str(caught.value)


def test_what_came_around_a_loop():
    """The load stands behind its use in the text."""
    body = (
        "s_mov_b32 s4, 2; v_mov_b32 v5, 0; loop:; {}v_add_u32 v6, v5, v4; {}; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; "
        "s_cbranch_scc1 loop"
    )
    go(body.format("s_waitcnt vmcnt(0); ", G5))
    with pytest.raises(AveError, match=r"\[X024\].*v_add_u32 v6, v5, v4.*reads v5 before `global_load_dword v5"):
        go(body.format("", G5))


def test_error_names_the_wave():
    with pytest.raises(
        AveError, match=r"line 10, address 0x8 reads v5 before.*\(line 9\).*workgroup \(0, 0, 0\), wave 1"
    ):
        go(f"{G5}; v_mov_b32 v9, v5", block=128, order="reverse")


# -- wait states -------------------------------------------------------------------------------------------------------


def test_wait_states():
    go("v_mov_b32 v5, v4; s_nop 0; v_readfirstlane_b32 s4, v5")
    with pytest.raises(
        AveError,
        match=r"\[X026\].*v_readfirstlane_b32 s4, v5.*uses v5 0 wait states after `v_mov_b32 v5, v4` wrote it.*needs 1",
    ):
        go("v_mov_b32 v5, v4; v_readfirstlane_b32 s4, v5")


@pytest.mark.parametrize("taken", [0, 1])
def test_wait_states_depend_on_the_way(taken):
    """Straight on there are enough; by the branch there are not. Only the way that is taken counts."""
    body = (
        f"s_cmp_eq_u32 s20, s20; s_cselect_b32 s20, {taken}, 0; s_cmp_eq_u32 s20, 1; v_cmp_eq_u32 s[4:5], v4, v4; "
        f"s_cbranch_scc1 there; s_nop 3; there:; v_mov_b32 v5, s4"
    )
    if not taken:
        go(body)
        return
    with pytest.raises(
        AveError, match=r"\[X026\].*uses s4 1 wait state after `v_cmp_eq_u32 s\[4:5\], v4, v4` wrote it.*needs 2"
    ):
        go(body)


def test_wait_states_that_are_not_reached():
    go("s_branch over; v_mov_b32 v5, v4; v_readfirstlane_b32 s4, v5; over:; s_nop 0")


# Family of rows that shipped code ignores; a program that breaks one of them.
ADVISORIES = {
    "M0 before an LDS load": "s_mov_b32 m0, 0; buffer_load_dword v4, s[8:11], 0 offen lds",
    "VALU before DPP": "v_mov_b32 v5, v4; v_mov_b32_dpp v6, v5 row_shr:1 row_mask:0xf bank_mask:0xf",
    "readlane before a constant": "v_readlane_b32 s4, v4, 3; v_mov_b32 v5, s4",
    "MFMA before VALU": "v_mfma_f32_4x4x4f16 v[20:23], v[4:5], v[4:5], v[20:23]; v_mov_b32 v9, v20",
}


@pytest.mark.parametrize("family", ADVISORIES)
def test_advisories(family):
    """They are listed and do not stop, unless that is asked for."""
    run = go(ADVISORIES[family]).run
    assert [(r.code, r.severity, r.times) for r in run.reports] == [("X026", "advisory", 1)]
    assert family in str(run.reports[0])
    with pytest.raises(AveError, match="X026"):
        go(ADVISORIES[family], check="hazards-strict")
    assert go(ADVISORIES[family], check={"waits", "races"}).run.reports == ()


def test_collected():
    """A launch that goes on lists everything once, errors first, with a count."""
    loop = "s_mov_b32 s4, 3; loop:; {}; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 loop"
    wrong = (
        f"v_readlane_b32 s5, v4, 3; v_mov_b32 v8, s5; {G5}; v_mov_b32 v9, v5; v_mov_b32 v6, v4; v_readfirstlane_b32 "
        f"s6, v6"
    )
    run = go(loop.format(wrong), collect=True).run
    assert [(r.code, r.severity, r.times) for r in run.reports] == [
        ("X024", "error", 3),
        ("X026", "error", 3),
        ("X026", "advisory", 3),
    ]
    assert "reads v5 before" in str(run.reports[0]) and "(3 times)" in str(run.reports[0])
    assert go(f"{G5}; s_waitcnt vmcnt(0); v_mov_b32 v9, v5", collect=True).run.reports == ()


def test_words():
    with pytest.raises(AveError, match=r"\[L034\].*'wait'"):
        go("s_nop 0", check="races,wait")
    go(f"{G5}; v_mov_b32 v9, v5", check="hazards")
    with pytest.raises(AveError, match="X024"):
        go(f"{G5}; v_mov_b32 v9, v5", check=["waits"])


def test_masks_strictly():
    """VCC that v_cndmask reads as a mask: the manual's table names constants, LLVM's tables name any vector
    instruction."""
    body = "v_cmp_eq_u32 vcc, v4, v4; v_cndmask_b32_e32 v5, v4, v4, vcc"
    assert go(body).run.reports == ()
    with pytest.raises(AveError, match="uses vcc_lo 0 wait states.*needs 2"):
        go(body, check="hazards-strict")
