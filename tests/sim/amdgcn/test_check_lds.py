"""The checker of LDS: two waves, each of which writes its own part and uses the other's, with and without what orders
them; in three orders of waves."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.machine import DispatchParams
from sim.amdgcn.programs import assemble

DATA = np.zeros(256, np.uint32)
BASE = DATA.ctypes.data
# v4: a dword for each of 128 work-items; v5: the other wave's; v6: a value.
HEAD = "v_and_b32 v4, 0x3ff, v0; v_lshlrev_b32 v4, 2, v4; v_xor_b32 v5, 0x100, v4; v_mov_b32 v6, 7; "
WRITE, READ, WAIT, MEET = "ds_write_b32 v4, v6; ", "ds_read_b32 v7, v5; ", "s_waitcnt lgkmcnt(0); ", "s_barrier; "
ORDERS = ("forward", "reverse", "random")


def go(body: str, order: str = "forward", waves: int = 2):
    resource = BASE | (DATA.nbytes << 64) | (0x20000 << 96)
    text = "\n".join(x.strip() for x in (HEAD + body).split(";"))
    machine = assemble(text, lds=2048, check=True, order=order, seed=3)
    scalars = {8 + k: resource >> 32 * k & 0xFFFFFFFF for k in range(4)}
    return machine.launch(
        DispatchParams((2, 1, 1), (64 * waves, 1, 1), b"", [(BASE, BASE + DATA.nbytes)], scalars=scalars)
    )


# Program; whether it is right; words of the error.
CASES = {
    "ordered": (WRITE + WAIT + MEET + READ + WAIT, ""),
    "no barrier": (WRITE + WAIT + READ + WAIT, "there is no barrier between"),
    "not waited for": (WRITE + MEET + READ + WAIT, "it had not waited for that (lgkmcnt) when it came to the barrier"),
    "a wait for others": ("s_load_dword s4, s[8:9], 0x0; " + WRITE + "s_waitcnt lgkmcnt(1); " + MEET + READ + WAIT,
        "it had not waited for that"),
    "overwritten": (WRITE + WAIT + MEET + READ + WAIT + WRITE, "there is no barrier between"),
    "overwritten behind a barrier": (WRITE + WAIT + MEET + READ + WAIT + MEET + WRITE, ""),
    "read, not waited for, overwritten": (WRITE + WAIT + MEET + READ + MEET + WRITE,
        "it had not waited for that (lgkmcnt)"),
    "own part": (WRITE + "ds_read_b32 v7, v4; " + WAIT + "v_mov_b32 v8, v7", ""),
    "one of two reads is under way": (
        WRITE + WAIT + MEET + READ + "ds_read_b32 v8, v4; s_waitcnt lgkmcnt(1); " + MEET + WRITE, ""),
    "both write": ("ds_write_b32 v4, v6; ds_write_b32 v5, v6; ", "there is no barrier between"),
    "both add": ("ds_add_u32 v4, v6; ds_add_u32 v5, v6; ", ""),
    "add and read": ("ds_add_u32 v4, v6; " + READ, "there is no barrier between"),
    "cleared and added, the other adds": (WRITE + "ds_add_u32 v4, v6; ds_add_u32 v5, v6; ",
        "there is no barrier between"),
    "cleared, then both add": (WRITE + WAIT + MEET + "ds_add_u32 v4, v6; ds_add_u32 v5, v6; ", ""),
    "bytes of one dword": ("v_lshrrev_b32 v4, 2, v4; ds_write_b8 v4, v6; ", ""),
    "inactive lanes": ("s_mov_b64 exec, 0; " + WRITE + READ, ""),
    "far beyond LDS": (WRITE + WAIT + MEET, ""),
}  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_two_waves(name, order):
    body, says = CASES[name]
    if not says:
        go(body, order)
        return
    with pytest.raises(AveError) as caught:
        go(body, order)
    assert caught.value.code == "X025" and says in str(caught.value), str(caught.value)


def test_error_names_both():
    with pytest.raises(AveError) as caught:
        go(WRITE + WAIT + READ, "forward")
    assert "`ds_write_b32 v4, v6`" in str(
        caught.value
    ) and "which wave 0 read in `ds_read_b32 v7, v5` (line 15)" in str(caught.value)
    assert "writes address 256" in str(caught.value) and "wave 1, lane 0" in str(caught.value)


@pytest.mark.parametrize("order", ORDERS)
def test_a_wave_that_has_ended(order):
    """Wave 1 ends without coming to the second barrier: what it read before is over for those that pass it."""
    early = "v_readfirstlane_b32 s4, v4; s_cmp_eq_u32 s4, 0; s_cbranch_scc1 stay; s_endpgm; stay:; "
    go(WRITE + WAIT + MEET + READ + WAIT + early + MEET + WRITE, order)
    with pytest.raises(AveError, match="X025"):
        go(WRITE + WAIT + MEET + READ + WAIT + early + WRITE, order)


# -- loads that go to LDS ----------------------------------------------------------------------------------------------

# Each wave fetches 256 bytes to its own part: M0 holds where.
TO_LDS = (
    "v_readfirstlane_b32 s4, v4; s_mov_b32 m0, s4; v_and_b32 v9, 0xff, v4; buffer_load_dword v9, s[8:11], 0 offen lds; "
)
DIRECT = {
    "own, waited for": (TO_LDS + "s_waitcnt vmcnt(0); ds_read_b32 v7, v4", "", ""),
    "own, not waited for": (
        TO_LDS + "ds_read_b32 v7, v4",
        "X024",
        "reads address 0 of LDS before `buffer_load_dword v9, s[8:11], 0 offen lds`",
    ),
    "own, the wrong counter": (
        TO_LDS + "s_waitcnt lgkmcnt(0); ds_read_b32 v7, v4",
        "X024",
        "s_waitcnt vmcnt(0) is needed",
    ),
    "other's, ordered": (TO_LDS + "s_waitcnt vmcnt(0); s_barrier; ds_read_b32 v7, v5", "", ""),
    "other's, not waited for": (
        TO_LDS + "s_waitcnt lgkmcnt(0); s_barrier; ds_read_b32 v7, v5",
        "X025",
        "had not waited for that (vmcnt)",
    ),
    "other's, no barrier": (TO_LDS + "s_waitcnt vmcnt(0); ds_read_b32 v7, v5", "X025", "there is no barrier between"),
    "over an own read": ("ds_read_b32 v7, v4; " + TO_LDS, "X024", "s_waitcnt lgkmcnt(0) is needed"),
    "over an own read that has come": ("ds_read_b32 v7, v4; s_waitcnt lgkmcnt(0); " + TO_LDS, "", ""),
}


@pytest.mark.parametrize("name", DIRECT)
def test_direct_loads(name):
    body, code, says = DIRECT[name]
    if not code:
        go(body)
        return
    with pytest.raises(AveError) as caught:
        go(body)
    assert caught.value.code == code and says in str(caught.value), str(caught.value)
