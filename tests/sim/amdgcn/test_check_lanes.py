"""Lanes of one instruction: stores of different values to one place, shuffles from inactive lanes; LDS that nothing
wrote, and poison."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.amdgcn.programs import assemble, start

X = np.zeros(256, np.uint32)
REGION = (X.ctypes.data, X.ctypes.data + X.nbytes)
LANE = np.arange(64, dtype=np.uint32)


def go(body: str, check: str = "races", lds: int = 1024, groups: int = 1, exec_mask: int = (1 << 64) - 1, **inputs):
    text = "\n".join(x.strip() for x in body.split(";"))
    resource = REGION[0] | (X.nbytes << 64) | (0x20000 << 96)
    machine = assemble(text, lds=lds, check=check)
    given = {
        "s[2:3]": REGION[0], "s[8:11]": resource, "v4": 4 * LANE, "v5": LANE, "v8": 4 * (LANE // 2), "v9": LANE // 2,
        **inputs,
    }  # fmt: skip
    return start(machine, given, regions=(REGION,), groups=groups, exec_mask=exec_mask)


# Program; code and words of the error where it is wrong. v4, v5: a place and a value for each lane; v8, v9: for each
# pair of lanes.
CASES = {
    "a place for each": ("ds_write_b32 v4, v5; global_store_dword v4, v5, s[2:3]", "", ""),
    "the same value": ("ds_write_b32 v8, v9; global_store_dword v8, v9, s[2:3]", "", ""),
    "LDS": ("ds_write_b32 v8, v5 offset:16", "X041", "to address 16 of LDS than lane 1 of its wave"),
    "memory": ("global_store_dword v8, v5, s[2:3]", "X041", "array 0, byte 0"),
    "a buffer": ("buffer_store_short v5, v8, s[8:11], 0 offen", "X041", "buffer_store_short"),
    "equal in the bytes that are stored": ("v_or_b32 v6, 7, v5; v_and_b32 v6, 0xffffff00, v6; ds_write_b8 v8, v6", "",
        ""),
    "one of two words": ("v_mov_b32 v12, v9; v_mov_b32 v13, v5; ds_write_b64 v8, v[12:13]", "X041", "ds_write_b64"),
    "one of two places": ("ds_write2_b32 v8, v9, v5 offset1:64", "X041", "address 256 of LDS"),
    "the two ends": ("v_mov_b32 v6, 0; v_cmp_gt_u32 vcc, 63, v5; v_cndmask_b32 v6, v6, v4, vcc; global_store_dword v6, "
                     "v5, s[2:3]", "X041", ""),
    "added": ("ds_add_u32 v8, v5; global_atomic_add v8, v5, s[2:3]", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_lanes(name):
    body, code, says = CASES[name]
    if not code:
        go(body)
        return
    with pytest.raises(AveError) as caught:
        go(body)
    assert caught.value.code == code and says in str(caught.value), str(caught.value)


def test_inactive_lanes_store_nothing():
    go("ds_write_b32 v8, v5; global_store_dword v8, v5, s[2:3]", exec_mask=0x5555555555555555)


def test_pairs_at_any_distance():
    for a, b in ((0, 32), (5, 63), (31, 32), (1, 34), (63, 0)):
        v4 = 4 * LANE.copy()
        v4[b] = v4[a]
        with pytest.raises(AveError, match="X041"):
            go("ds_write_b32 v4, v5", v4=v4)


def test_shuffles():
    low = (1 << 32) - 1
    down = {"v4": 4 * (LANE ^ 1), "v8": 4 * (LANE ^ 32)}
    go("ds_bpermute_b32 v6, v4, v5; ds_bpermute_b32 v7, v8, v5", "uniform", **down)
    go("ds_bpermute_b32 v6, v4, v5", "uniform", exec_mask=low, **down)
    go("ds_bpermute_b32 v7, v8, v5", "races", exec_mask=low, **down)
    with pytest.raises(AveError, match=r"\[X043\].*ds_bpermute_b32 v7.*reads from lane 32.*lane 0"):
        go("ds_bpermute_b32 v7, v8, v5", "uniform", exec_mask=low, **down)


def test_unwritten_lds():
    write, read = "ds_write_b32 v4, v5; s_waitcnt lgkmcnt(0)", "ds_read_b32 v6, v4"
    go(f"{write}; {read}", "init", groups=2)
    go(read, "races")
    with pytest.raises(AveError, match=r"\[X055\].*reads address 256 of LDS"):
        go(f"{write}; {read} offset:256", "init")
    # What the workgroup before wrote counts for nothing.
    first = f"s_cmp_lg_u32 s20, 0; s_cbranch_scc1 second; {write}; second:; {read}"
    directives = ".amdhsa_user_sgpr_count 20\n.amdhsa_system_sgpr_workgroup_id_x 1"
    machine = assemble("\n".join(first.split(";")), lds=1024, check="init", directives=directives)
    start(machine, {"v4": 4 * LANE, "v5": LANE})
    with pytest.raises(AveError, match=r"\[X055\].*workgroup \(1, 0, 0\)"):
        start(machine, {"v4": 4 * LANE, "v5": LANE}, groups=2)


def test_poison():
    """In checking runs LDS starts as NaN in every workgroup."""
    done = go("ds_read_b32 v6, v4; s_waitcnt lgkmcnt(0); ds_write_b32 v4, v5", groups=2)
    assert np.isnan(done["v6"].view(np.float32)).all() and np.isnan(done["v6"].view(np.float16)).all()
