"""The address spaces themselves: where arrays lie, and how bytes move."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.sim.address_space import AccessFault, Alloc, Buffer, Mask, map_arrays, place, scratch

ALL = Mask(np.ones(4, bool))


def test_arrays_lie_far_apart_and_low():
    arrays = [("a", np.zeros(10, np.int8)), ("b", np.zeros((3, 5))), ("empty", np.zeros(0)), ("c", np.zeros(1))]
    space, addresses = map_arrays(arrays)
    assert all(a % 256 == 0 and 0 < a < 2**47 for a in addresses)
    assert all(y - x >= 2**36 for x, y in zip(sorted(addresses), sorted(addresses)[1:]))
    assert {a.name: a.size for a in space.allocs} == {"a": 10, "b": 120, "empty": 0, "c": 8}


def test_arrays_that_overlap_keep_their_distance():
    whole = np.arange(20, dtype=np.int32)
    space, (a, b, c) = map_arrays([("a", whole[:12]), ("b", whole[8:]), ("c", whole[3:4])])
    assert (b - a, c - a) == (32, 12)
    assert [(x.name, x.size) for x in space.allocs] == [("a/b/c", 80)]
    space.store(np.full(4, b, np.int64), np.full((4, 4), 255, np.uint8), ALL)
    assert whole[8] == -1 and whole[7] == 7


def test_an_empty_array_does_not_part_two_that_overlap():
    whole = np.arange(20, dtype=np.int32)
    _, (a, b, _) = map_arrays([("a", whole[:12]), ("b", whole[8:]), ("none", whole[8:9][:0])])
    assert b - a == 32


def test_neighbors_in_memory_do_not_alias():
    whole = np.arange(8, dtype=np.int32)
    space, (a, b) = map_arrays([("a", whole[:4]), ("b", whole[4:])])
    with pytest.raises(AccessFault) as f:
        space.load(np.full(4, a + 16, np.int64), 4, ALL)
    assert f.value.kind == "bounds" and b != a + 16


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8, 12, 16, 20])
@pytest.mark.parametrize("step", [1, 2, 4, 8])
def test_words_of_any_width(size, step):
    data, shadow = np.random.default_rng(0).integers(0, 256, 101).astype(np.uint8), np.zeros(101, np.uint8)
    buffer, at = Buffer(data, shadow), np.arange(10) * step
    assert (buffer.gather(at, size) == np.stack([data[i : i + size] for i in at])).all()
    missing = buffer.unwritten(at, size)
    assert missing is not None and missing.all()
    new, want = np.arange(10 * size, dtype=np.uint8).reshape(10, size), data.copy()
    for i, row in zip(at, new):
        want[i : i + size] = row
    buffer.scatter(at, new)
    assert (data == want).all() and buffer.unwritten(at, size) is None
    assert shadow.sum() == len({i + j for i in at.tolist() for j in range(size)})


def test_lanes_may_address_different_arrays():
    a, b = np.arange(4, dtype=np.int32), np.arange(10, 14, dtype=np.int32)
    space, (x, y) = map_arrays([("a", a), ("b", b)])
    at = np.array([x, y + 4, x + 8, y + 12], np.int64)
    assert space.load(at, 4, ALL).view(np.int32)[:, 0].tolist() == [0, 11, 2, 13]
    space.store(at, np.full((4, 4), 255, np.uint8), Mask(np.array([True, True, False, True])))
    assert a.tolist() == [-1, 1, 2, 3] and b.tolist() == [10, -1, 12, -1]


def test_inactive_lanes_never_trap():
    space = scratch("shared", [Alloc("s", 0, 16)])
    mask = Mask(np.array([False, True, False, False]))
    at = np.array([-5, 8, 1 << 40, 99], np.int64)
    space.store(at, np.full((4, 4), 7, np.uint8), mask)
    assert space.load(at, 4, mask)[1].tolist() == [7] * 4
    with pytest.raises(AccessFault) as f:
        space.load(at, 4, Mask(np.array([False, True, True, True])))
    assert (f.value.kind, f.value.lane, f.value.address) == ("bounds", 2, 1 << 40)


def test_local_memory_is_one_for_each_lane():
    space = scratch("local", [Alloc("l", 0, 8)], 4)
    at = np.full(4, 4, np.int64)
    data = np.arange(16, dtype=np.uint8).reshape(4, 4)
    space.store(at, data, ALL)
    assert (space.load(at, 4, ALL) == data).all()
    space.forget(0, 8, Mask(np.array([False, False, True, False])))
    with pytest.raises(AccessFault) as f:
        space.load(at, 4, ALL)
    assert (f.value.kind, f.value.lane) == ("unwritten", 2)


def test_places_are_aligned_with_a_gap():
    a, b = place([("a", 10, 16), ("b", 4, 128)])
    assert (a.start, b.start % 128) == (0, 0) and b.start - a.end >= 64
