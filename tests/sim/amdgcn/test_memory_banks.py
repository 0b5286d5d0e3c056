"""Bank conflicts against a count by definition, and against what is published of MI300X."""

import numpy as np
import pytest

from avelang.arch import chip
from sim.amdgcn import memory_model as model
from sim.amdgcn.memory_model import FULL, LANES, MASKS
from sim.amdgcn.programs import assemble, run_program, start

# nod-ai, "Empirical LDS Measurements", CDNA3: the lanes of a ds_read_b128's phases.
READ_B128 = [
    [*range(a, a + 4), *range(b, b + 4)] for a, b in ((0, 20), (32, 52), (4, 16), (36, 48), (8, 28), (40, 60), (12, 24),
        (44, 56))
]  # fmt: skip


def count(lanes: list[list[int]], at: np.ndarray, nbytes: int, mask: int) -> int:
    """Cycles beyond one for each phase."""
    extra = 0
    for phase in lanes:
        dwords = {d for n in phase if mask >> n & 1 for d in range(int(at[n]) // 4, (int(at[n]) + nbytes - 1) // 4 + 1)}
        turns = np.bincount([d % 32 for d in dwords], minlength=32).max() if dwords else 1
        extra += int(turns) - 1
    return extra


def consecutive(n: int) -> list[list[int]]:
    return [list(range(k, k + n)) for k in range(0, LANES, n)]


INSTRUCTIONS = {
    "ds_read_b32 v4, v2 offset:8": (consecutive(32), [8], 4), "ds_read_u16 v4, v2": (consecutive(32), [0], 2),
    "ds_write_b8 v2, v4": (consecutive(32), [0], 1), "ds_read_b64 v[4:5], v2": (consecutive(16), [0], 8),
    "ds_write_b64 v2, v[4:5]": (consecutive(16), [0], 8),
    "ds_read2_b64 v[4:7], v2 offset0:1 offset1:3": (consecutive(16), [8, 24], 8),
    "ds_write2st64_b32 v2, v4, v5 offset1:1": (consecutive(32), [0, 256], 4),
    "ds_read_b128 v[4:7], v2": (READ_B128, [0], 16), "ds_read_b96 v[4:6], v2": (READ_B128, [0], 12),
    "ds_write_b128 v2, v[4:7]": (consecutive(8), [0], 16), "ds_add_u64 v2, v[4:5]": (consecutive(16), [0], 8),
}  # fmt: skip


def test_the_phases_are_those_published():
    mine = [sorted(group) for group in chip("gfx942").shared.phases(16, "read").groups]
    assert sorted(mine) == sorted(sorted(p) for p in READ_B128)


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_counts(text):
    lanes, offsets, nbytes = INSTRUCTIONS[text]
    rng = np.random.default_rng(1)
    machine, step = assemble(text, lds=16384, profile=True), max(4, nbytes)
    for at in (
        np.arange(LANES) * step, np.arange(LANES) * 128, rng.permutation(LANES) * step, rng.integers(0, 500, LANES) * 8,
        np.zeros(LANES, int),
    ):  # fmt: skip
        for mask in (FULL, MASKS["some"]):
            got = start(machine, {"v2": at.astype(np.uint32)}, exec_mask=mask)
            want = sum(count(lanes, at + o, nbytes, mask) for o in offsets)
            assert got.run.conflicts == ({0: want} if want else {}), at


@pytest.mark.parametrize(("text", "nbytes", "at", "gfx942", "gfx950"), [
    ("ds_read_b32 v4, v2", 4, 128, 62, 31),  # 64 banks: half of the lanes' addresses, 128 bytes apart, meet each of two
    ("ds_read_b64 v[4:5], v2", 8, 256, 60, 62),  # phases of 16 lanes and of 32, all at one bank
    ("ds_read_b128 v[4:7], v2", 16, 16, 0, 0),
    ("ds_write_b32 v2, v4", 4, 128, 62, 62),  # writes go by 32 banks on both
])  # fmt: skip
def test_each_chip_has_its_own_banks(text, nbytes, at, gfx942, gfx950):
    for chip_name, want in (("gfx942", gfx942), ("gfx950", gfx950)):
        machine = assemble(text, chip=chip_name, lds=65536, profile=True)
        got = start(machine, {"v2": np.arange(LANES, dtype=np.uint32) * at})
        assert got.run.conflicts.get(0, 0) == want, chip_name


def test_conflicts_of_waves_and_workgroups_add_up():
    text = "s_nop 0\nds_read_b32 v4, v2"
    assert run_program(
        text, {"v2": np.arange(LANES, dtype=np.uint32) * 128}, block=192, lds=16384, profile=True
    ).run.conflicts == {1: 3 * 62}


def test_padding_of_a_dword_helps_columns():
    """A column of a tile of 32 x 32 dwords."""
    for pitch, want in ((32, 62), (33, 0)):
        at = np.arange(LANES, dtype=np.uint32) % 32 * pitch * 4 + np.arange(LANES, dtype=np.uint32) // 32 * 4
        assert run_program("ds_read_b32 v4, v2", {"v2": at}, lds=16384, profile=True).run.conflicts.get(0, 0) == want


def test_flat_accesses_count_their_lanes_in_lds():
    memory, lane = np.zeros(64, np.uint32), np.arange(LANES)
    at = np.where(lane % 2, (1 << 48) + lane * 128, memory.ctypes.data)
    got = run_program(
        "flat_load_dword v4, v[2:3]", {"v[2:3]": model.pair(at)}, lds=8192, regions=(model.region(memory),),
        profile=True,
    )  # fmt: skip
    assert got.run.conflicts == {0: 30}
