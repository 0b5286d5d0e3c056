"""Swizzles against CuTe's and NVIDIA's, bank conflicts against a count by definition and against the executor of gfx942
code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang.language as al
from avelang.base.errors import AveError
from avelang.isa.nvptx.swizzle import swizzled
from avelang.tile import Distribution, Swizzle, banks, mma, tile_accesses
from avelang.tile.banks import phases_of
from sim.amdgcn.programs import run_program


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 4), st.integers(0, 5), st.integers(0, 6))
def test_swizzles_are_cutes(bits, base, more):
    tl = pytest.importorskip("tensor_layouts")
    at = np.arange(1 << 13)
    ours = Swizzle(bits, base, bits + more)
    theirs = tl.Swizzle(bits, base, bits + more)
    assert [int(x) for x in ours(at[::97])] == [theirs(int(x)) for x in at[::97]]
    assert np.array_equal(ours(ours(at)), at)


@pytest.mark.parametrize("nbytes", [0, 32, 64, 128])
def test_patterns_are_nvidias(nbytes):
    at = np.arange(4096)
    assert np.array_equal(Swizzle.pattern(nbytes)(at), swizzled(at, nbytes))


def test_wrong_swizzles():
    for make, words in (
        (lambda: Swizzle(3, 4, 2), "shift must be at least bits, 3"),
        (lambda: Swizzle(-1), "bits must be an integer from 0, not -1"),
        (lambda: Swizzle.pattern(16), "one of 0, 32, 64, 128 bytes"),
        (lambda: Swizzle.rows(96), "a power of two from 16, not 96"),
    ):
        with pytest.raises(AveError, match=words) as e:
            make()
        assert e.value.code == "T301"


@pytest.mark.parametrize("row_bytes", [16, 32, 64, 128, 256, 512])
def test_a_column_of_accesses_meets_every_bank_once(row_bytes):
    """Eight rows, one access of 16 bytes in each (rows shorter than all banks: as many as give them all)."""
    s = Swizzle.rows(row_bytes)
    column = np.arange(8) * row_bytes
    for access in range(row_bytes // 16):
        to = s(column + access * 16)
        assert len({int(x) // 16 % 8 for x in to}) == 8
    tile = np.arange(0, 64 * row_bytes, 16)
    assert sorted(s(tile)) == list(tile)


# -- banks -------------------------------------------------------------------------------------------------------------

READS = {4: "ds_read_b32 v4, v2", 8: "ds_read_b64 v[4:5], v2", 16: "ds_read_b128 v[4:7], v2"}
WRITES = {4: "ds_write_b32 v2, v4", 8: "ds_write_b64 v2, v[4:5]", 16: "ds_write_b128 v2, v[4:7]"}


@pytest.mark.parametrize("nbytes", [4, 8, 16])
@pytest.mark.parametrize("kind", ["read", "write"])
def test_amds_conflicts_are_the_executors(nbytes, kind):
    rng = np.random.default_rng(3)
    text = (READS if kind == "read" else WRITES)[nbytes]
    for at in (
        np.arange(64) * nbytes, np.arange(64) * 128, rng.permutation(64) * nbytes, rng.integers(0, 250, 64) * 16,
        np.zeros(64, int)
    ):
        got = run_program(text, {"v2": at.astype(np.uint32)}, lds=16384, profile=True).run.conflicts.get(0, 0)
        assert banks(at, nbytes, "gfx942", kind).extra == got


def by_definition(at: np.ndarray, nbytes: int, lanes: int) -> int:
    """NVIDIA: of each group of lanes, the most words that one bank is asked for."""
    cycles = 0
    for group in np.split(at, len(at) // lanes):
        words = {int(w) for a in group for w in range(a // 4, (a + nbytes - 1) // 4 + 1)}
        cycles += max(sum(w % 32 == b for w in words) for b in range(32))
    return cycles


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([(1, 32), (2, 32), (4, 32), (8, 16), (16, 8)]), st.integers(0, 2**31))
def test_nvidias_conflicts_by_definition(width, seed):
    nbytes, lanes = width
    at = np.random.default_rng(seed).integers(0, 200, 32) * nbytes
    cost = banks(at, nbytes, "sm_90a")
    assert sum(cost.cycles) == by_definition(at, nbytes, lanes) and len(cost.cycles) == 32 // lanes
    assert cost.extra == sum(cost.cycles) - 32 // lanes


def test_known_conflicts():
    """Eight rows of 128 bytes read in a column by 16 bytes: eight-fold, and none under the pattern of 128 bytes, for
    which it was made."""
    rows = np.tile(np.arange(8) * 128, 4)
    assert banks(rows, 16, "sm_80").cycles == (8, 8, 8, 8)
    assert banks(Swizzle.pattern(128)(rows), 16, "sm_80").cycles == (1, 1, 1, 1)
    assert banks(np.zeros(32, int), 4, "sm_80").extra == 0  # one word for all
    assert (
        banks(np.arange(32) * 33 * 4, 4, "sm_80").extra == 0 and banks(np.arange(32) * 32 * 4, 4, "sm_80").extra == 31
    )


def test_fragments_in_shared_memory():
    """A of VMFMA 16x16x32 out of rows of 128 bytes: 16 bytes a lane; all conflicts of the plain layout go away."""
    a = mma("VMFMA_F32_16x16x32_BF16").a
    plain = tile_accesses(a, (128, 2), 2)
    assert (plain.nbytes, plain.addresses.shape, plain.cycles, plain.extra) == (16, (1, 64), 32, 24)
    assert tile_accesses(a, (128, 2), 2, swizzle=Swizzle.rows(128)).extra == 0
    assert tile_accesses(a, (128 + 16, 2), 2).extra == 8  # padding helps less, in the order in which LDS takes lanes
    narrow = tile_accesses(a, (128, 2), 2, width=4)
    assert (narrow.nbytes, len(narrow.costs)) == (4, 4)


def test_what_cannot_be_accessed():
    column = Distribution.blocked((64, 64), al.bf16, waves=1)
    with pytest.raises(AveError, match="no aligned runs of 16 bytes") as e:
        tile_accesses(column, (2, 128), 2, width=16)
    assert e.value.code == "T305"
    with pytest.raises(AveError, match="64 addresses"):
        banks(np.zeros(32, int), 4, "gfx942")


# nod-ai, "Empirical LDS Measurements", CDNA4: lanes of each phase of a read, as they were measured on an MI350X.
MI350 = {
    4: [range(64)],
    8: [range(32), range(32, 64)],
    16: [
        [*range(4), *range(12, 16), *range(20, 28)], [*range(32, 36), *range(44, 48), *range(52, 60)],
        [*range(4, 12), *range(16, 20), *range(28, 32)], [*range(36, 44), *range(48, 52), *range(60, 64)]
    ],
}


@pytest.mark.parametrize("nbytes", MI350)
def test_reads_of_gfx950(nbytes):
    """64 banks: lanes of one phase with addresses 256 bytes apart are in each other's way, those of different phases
    are not."""
    phases = phases_of("gfx950", nbytes)
    assert {frozenset(p) for p in phases} == {frozenset(p) for p in MI350[nbytes]}
    assert banks(np.arange(64) * nbytes, nbytes, "gfx950").extra == 0
    far = banks(np.arange(64) * 256, nbytes, "gfx950")
    assert far.cycles == (64 // len(phases),) * len(phases) and far.turns.shape == (len(phases), 64)
    # 128 bytes apart is half as bad as on gfx942's 32 banks.
    assert max(banks(np.arange(64) * 128, nbytes, "gfx950").cycles) == 32 // len(phases)


def test_what_gfx950_does_as_gfx942():
    """Writes, and reads of 12 bytes: 32 banks."""
    at = np.random.default_rng(5).permutation(64) * 16
    for nbytes, kind in ((4, "write"), (8, "write"), (16, "write"), (12, "read")):
        assert phases_of("gfx950", nbytes, kind) == phases_of("gfx942", nbytes, kind)
        assert banks(at, nbytes, "gfx950", kind).cycles == banks(at, nbytes, "gfx942", kind).cycles


def test_a_block_s_fragments_meet_all_banks_of_gfx950():
    from avelang.tile import Block
    from avelang.tile.vectorize import conflicts, swizzle_for

    H = Block(128, 128, 64).on("gfx950", al.bf16).half_k()
    found = swizzle_for((H.copy_a, H.a), (64, 2), "gfx950")
    assert conflicts(H.a, (64, 2), found, "gfx950") == 0 < conflicts(H.a, (64, 2), Swizzle(), "gfx950")
