"""Bytes that lanes move, counted by the executor, against counts by hand."""

import numpy as np
import pytest

from avelang.sim.amdgcn.memory_traffic import Traffic
from sim.amdgcn import memory_model as model
from sim.amdgcn.memory_model import FULL, LANES, MASKS
from sim.amdgcn.programs import assemble, run_program, start

MEMORY = np.arange(4096, dtype=np.uint32)
LANE = np.arange(LANES, dtype=np.uint64)
INPUTS = {
    "v[2:3]": model.pair(MEMORY.ctypes.data + 16 * LANE),
    "v2": (16 * LANE).astype(np.uint32),
    "v10": (16 * LANE).astype(np.uint32),
}


def resource(nbytes: int) -> int:
    return MEMORY.ctypes.data | nbytes << 64 | 4 << 111


def count(text: str, mask: int = FULL, **inputs: object) -> Traffic:
    given = {"v[2:3]": INPUTS["v[2:3]"], "v10": INPUTS["v10"], "s[4:7]": resource(MEMORY.nbytes), "m0": 0, **inputs}
    return run_program(
        text, given, exec_mask=mask, lds=16384, profile=True, regions=(model.region(MEMORY),)
    ).run.traffic


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(
    ("text", "name", "nbytes"),
    [
        ("global_load_dwordx4 v[4:7], v[2:3], off", "loaded", 16),
        ("global_load_dwordx3 v[4:6], v[2:3], off", "loaded", 12),
        ("global_load_ushort v4, v[2:3], off", "loaded", 2), ("flat_load_dwordx2 v[4:5], v[2:3]", "loaded", 8),
        ("buffer_load_dwordx4 v[4:7], v10, s[4:7], 0 offen", "loaded", 16),
        ("buffer_load_ubyte v4, v10, s[4:7], 0 offen", "loaded", 1),
        ("global_store_dwordx2 v[2:3], v[4:5], off", "stored", 8), ("global_store_short v[2:3], v4, off", "stored", 2),
        ("buffer_store_dwordx3 v[4:6], v10, s[4:7], 0 offen", "stored", 12),
        ("flat_store_dword v[2:3], v4", "stored", 4),
        ("ds_read_b128 v[4:7], v10", "read", 16), ("ds_read_u16 v4, v10", "read", 2),
        ("ds_read2_b64 v[4:7], v10 offset1:1", "read", 16),
        ("ds_write_b64 v10, v[4:5]", "written", 8), ("ds_write_b8 v10, v4", "written", 1),
    ], ids=lambda x: str(x).split()[0],
)  # fmt: skip
def test_each_active_lane_counts(text, name, nbytes, mask):
    before = MEMORY.copy()
    assert count(text, MASKS[mask]) == Traffic(**{name: nbytes * MASKS[mask].bit_count()})
    MEMORY[:] = before


def test_lanes_out_of_a_buffers_range_load_and_store_nothing():
    """Each dword of a wide access is checked for itself: 16 lanes of 16 bytes are inside, and half of the next."""
    short = {"s[4:7]": resource(16 * 16 + 8)}
    assert count("buffer_load_dwordx4 v[4:7], v10, s[4:7], 0 offen", **short) == Traffic(loaded=16 * 16 + 8)
    assert count("buffer_load_dword v4, v10, s[4:7], 0 offen offset:8", **short) == Traffic(loaded=16 * 4)
    before = MEMORY.copy()
    assert count("buffer_store_dwordx4 v[4:7], v10, s[4:7], 0 offen", **short) == Traffic(stored=16 * 16 + 8)
    MEMORY[:] = before


def test_what_moves_between_memory_and_lds():
    text = "buffer_load_dword v10, s[4:7], 0 offen lds\ns_waitcnt vmcnt(0)"
    assert count(text) == Traffic(loaded=4 * LANES, written=4 * LANES)


def test_flat_addresses_are_told_apart():
    at = np.where(LANE % 4 == 0, (1 << 48) + 16 * LANE, MEMORY.ctypes.data + 16 * LANE)
    assert count("flat_load_dword v4, v[2:3]", **{"v[2:3]": model.pair(at)}) == Traffic(loaded=4 * 48, read=4 * 16)


def test_atomics_count_twice_and_scalars_apart():
    before = MEMORY.copy()
    assert count("global_atomic_add v[2:3], v4, off") == Traffic(loaded=4 * LANES, stored=4 * LANES)
    assert count("ds_add_u32 v10, v4") == Traffic(read=4 * LANES, written=4 * LANES)
    MEMORY[:] = before
    assert count("s_load_dwordx4 s[8:11], s[12:13], 0x0", **{"s[12:13]": MEMORY.ctypes.data}) == Traffic(scalar=16)
    assert count("s_buffer_load_dwordx2 s[8:9], s[4:7], 0x0") == Traffic(scalar=8)


def test_waves_workgroups_and_loops_add_up():
    text = """
	s_mov_b32 s0, 3
again:
	global_load_dword v4, v[2:3], off
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 again
"""
    machine = assemble(text, profile=True)
    run = start(
        machine, {"v[2:3]": INPUTS["v[2:3]"]}, regions=(model.region(MEMORY),), block=192, groups=5, threads=2
    ).run
    assert run.traffic == Traffic(loaded=3 * 5 * 3 * 4 * LANES)


def test_nothing_is_counted_unasked():
    run = run_program(
        "global_load_dword v4, v[2:3], off", {"v[2:3]": INPUTS["v[2:3]"]}, regions=(model.region(MEMORY),)
    ).run
    assert run.traffic == Traffic()
