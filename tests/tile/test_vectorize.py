"""Plans of accesses: every element once, steps that hold for every lane, swizzles that leave no bank conflict."""

import numpy as np
import pytest

import avelang.language as al
from avelang import tile
from avelang.tile import Swizzle, vectorize

SPREADS = {
    "rows": tile.Distribution.blocked((64, 64), al.bf16, waves=4),
    "columns": tile.Distribution.blocked((64, 64), al.bf16, waves=4, order=(0, 1)),
    **{
        f"{side} on {chip}": getattr(tile.Block(64, 64, 64, (2, 2), "single").on(chip, al.bf16), side)
        for chip in ("gfx942", "gfx950", "sm_80")
        for side in "abc"
    },
}


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("axis", [0, 1])
def test_vectors(name, axis):
    """For every lane: base + step is where the distribution says that the slots are; vectors are neighbors; every slot
    once."""
    d = SPREADS[name]
    found = vectorize.vectors(d, axis, 8)
    assert sorted(s for v in found for s in v.slots) == list(range(d.elements))
    for v in found:
        for a in (0, 1):
            want = d.index[a][:, [0]] + v.at[a] + np.arange(len(v.slots)) * (a == axis)
            assert np.array_equal(d.index[a][:, list(v.slots)], want)
        assert v.contiguous == (
            list(v.slots) == list(range(v.slots[0], v.slots[0] + len(v.slots))) and v.slots[0] % len(v.slots) == 0
        )


@pytest.mark.parametrize("name", SPREADS)
def test_first_elements(name):
    """The digits of a thread's number, as a kernel counts them."""
    d, thread = SPREADS[name], np.arange(SPREADS[name].threads)
    at = [np.zeros_like(thread) for _ in d.shape]
    for divisor, digit in vectorize.lane_digits(d):
        for a, s in enumerate(digit.strides):
            at[a] += thread // divisor % digit.extent * s
    assert all(np.array_equal(x, y[:, 0]) for x, y in zip(at, d.index, strict=True))


@pytest.mark.parametrize("name", [n for n in SPREADS if "c on" not in n])
def test_places(name):
    """One xor and one sum reach every vector of a swizzled tile."""
    d, swizzle = SPREADS[name], Swizzle.rows(128)
    width = vectorize.widest(d, 1, 2, 8)
    found = vectorize.shared_vectors(d, 1, width, (128, 2), swizzle)
    assert len(found) == d.elements // width
    first = swizzle(d.index[0][:, 0] * 128 + d.index[1][:, 0] * 2)
    for p in found:
        slots = list(p.slots)
        assert np.array_equal((first ^ p.xor_offset) + p.add_offset,
                              swizzle(d.index[0][:, slots[0]] * 128 + d.index[1][:, slots[0]] * 2))


@pytest.mark.parametrize(("target", "k"), [("gfx942", 32), ("gfx942", 64), ("sm_80", 32), ("sm_80", 64)])
def test_no_bank_conflicts(target, k):
    """Fragments are read 16 bytes at a time (by the rows that lanes name, on NVIDIA), copies written so, and each phase
    of a wave's access meets every bank once (by `tile.banks`)."""
    G = tile.Block(64, 64, k, (2, 2), "single").on(target, al.bf16)
    swizzle = vectorize.swizzle_for((G.copy_a, G.a), (2 * k, 2), target)
    for d, kind in ((G.a, "read"), (G.b, "read"), (G.copy_a, "write")):
        by_rows = vectorize.matrices(d, 1, 2, target)
        assert (by_rows is not None) == (kind == "read" and target == "sm_80")
        d = d if by_rows is None else by_rows.rows
        first = swizzle(d.index[0][:, 0] * 2 * k + d.index[1][:, 0] * 2)
        for p in vectorize.shared_vectors(d, 1, 8, (2 * k, 2), swizzle):
            at = ((first ^ p.xor_offset) + p.add_offset)[: d.wave]
            assert len(p.slots) == 8 and tile.banks(at, 16, target, kind).extra == 0


def test_without_a_swizzle_there_are_conflicts():
    G = tile.Block(64, 64, 64, (2, 2), "single").on("sm_80", al.bf16)
    for s, lost in (
        (Swizzle(), True), (Swizzle(1, 4, 3), True), (vectorize.swizzle_for((G.copy_a, G.a), (128, 2), "sm_80"), False)
    ):
        assert (vectorize.conflicts(G.a, (128, 2), s, "sm_80") > 0) == lost


def loaded(d, found, turned):
    """What lanes have after the loads of `found`, by PTX's words for `ldmatrix`, as numbers of the elements of the
    tile: (threads, elements)."""
    number = np.arange(d.shape[0] * d.shape[1]).reshape(d.shape)
    rows = found.rows.gather(number).reshape(d.waves, 32, -1,
                                             8)  # of 16-bit elements: wave, lane that names it, load, element
    out = np.zeros((d.waves, 32, rows.shape[2], found.each, 2), np.int64)
    for w, lane, load, j in np.ndindex(out.shape[:4]):
        matrix = rows[w, 8 * j : 8 * j + 8, load]
        out[w, lane, load, j] = (
            matrix[lane % 4 * 2 : lane % 4 * 2 + 2, lane // 4]
            if turned
            else matrix[lane // 4, lane % 4 * 2 : lane % 4 * 2 + 2]
        )
    return out.reshape(d.threads, -1)


@pytest.mark.parametrize("name", ["a on sm_80", "b on sm_80"])
@pytest.mark.parametrize("turned", [False, True])
def test_matrices_of_operands(name, turned):
    """`ldmatrix` of the rows that lanes name gives each lane what the distribution says, in its order."""
    d = SPREADS[name]
    found = vectorize.matrices(d, 0 if turned else 1, 2, "sm_80")
    assert found is not None and (found.turned, found.each) == (turned, 4)
    assert np.array_equal(loaded(d, found, turned), d.linear)
    assert vectorize.matrices(SPREADS["rows"], 1, 2, "sm_80") is vectorize.matrices(d, 1, 2, "gfx942") is None


def test_folding_counts():
    d = SPREADS["rows"]  # 8 elements a lane, 8 lanes a row, 8 rows a wave, 4 waves, twice
    f = vectorize.folding(d, 1)
    assert (f.results, f.exchanges, f.waves, f.dist.shape) == (2, (1, 2, 4), (), (64,))
    f = vectorize.folding(d, 0)
    assert (f.results, f.exchanges, f.waves, f.dist.shape) == (8, (8, 16, 32), ((64, 4),), (64,))
