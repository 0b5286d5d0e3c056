"""Blocks on an SM: against figures that NVIDIA prints, and where each resource is the scarce one.
`tests/gpu/cuda_check.py` asks a driver."""

import pytest

from avelang import arch
from avelang.arch.occupancy import residency
from avelang.base.errors import AveError


@pytest.mark.parametrize(("threads", "blocks", "share"), [(128, 12, 0.75), (320, 4, 0.625)])
def test_registers_as_the_best_practices_guide_counts_them(threads, blocks, share):
    """CUDA C++ Best Practices Guide, "Calculating Occupancy": 37 registers a thread, 64 K registers and 2048 threads on
    an SM."""
    r = residency("sm_80", threads, 37, 0)
    assert (r.blocks, r.share, r.limited_by) == (blocks, share, "registers")


def test_what_is_scarce():
    for chip, threads, registers, shared, blocks, by in (
        ("sm_90a", 384, 168, 227 << 10, 1, "registers"),  # a whole SM: 12 warps of 168 registers
        ("sm_90a", 128, 32, 100 << 10, 2, "shared memory"),
        ("sm_90a", 32, 16, 0, 32, "blocks"),
        ("sm_86", 512, 16, 0, 3, "threads"),
        ("sm_75", 512, 16, 64 << 10, 1, "shared memory"),
        ("sm_80", 1024, 80, 0, 0, "registers"),
    ):  # fmt: skip
        r = residency(chip, threads, registers, shared)
        assert (r.blocks, r.limited_by) == (blocks, by), (chip, r)


def test_each_block_has_a_kilobyte_for_the_system():
    """227 KiB are the most that a block may have of the 228 of an SM; two blocks of 113 fit, two of 114 do not."""
    assert [residency("sm_90", 128, 32, kib << 10).blocks for kib in (113, 114, 227, 228)] == [2, 1, 1, 0]
    # Turing takes nothing for itself: two blocks of 32 KiB fill its 64.
    assert residency("sm_75", 128, 32, 32 << 10).blocks == 2


def test_every_chip_has_a_row_that_holds_its_largest_block():
    for chip in arch.CHIPS.values():
        if chip.vendor == "nvidia":
            assert residency(chip.name, 128, 32, chip.lds_bytes).blocks == 1, chip.name
            assert residency(chip.name, chip.max_threads, 32, 0).blocks >= 1
    with pytest.raises(AveError) as e:
        residency("sm_999", 32, 32, 0)
    assert e.value.code == "U101" and "sm_90" in e.value.hint
