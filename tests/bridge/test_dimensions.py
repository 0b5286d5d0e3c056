"""Dimensions and strides of the same memory, against NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from avelang.bridge.dimensions import extents_of, merged, strides_for
from bridge.viewed import drawn, split


@pytest.mark.parametrize("seed", range(200))
def test_a_reshape_is_a_view_where_numpy_has_one(seed):
    rng = random.Random(seed)
    a = drawn(rng)
    wanted = split(rng, a.size)
    found, shared = strides_for(a.shape, a.strides, wanted), np.shares_memory(a.reshape(wanted), a)
    assert (found is not None) == shared
    if found is not None:
        assert np.array_equal(np.lib.stride_tricks.as_strided(a, wanted, found), a.reshape(wanted))


@pytest.mark.parametrize("seed", range(40))
def test_merged_dimensions_have_the_same_elements_in_order(seed):
    rng = random.Random(seed)
    a = drawn(rng)
    lines = merged(a.shape, [a.strides, a.strides])
    assert all(one == two for _, (one, two) in lines) and all(n > 1 for n, _ in lines)
    b = np.lib.stride_tricks.as_strided(a, [n for n, _ in lines], [s for _, (s, _) in lines])
    assert np.array_equal(a.ravel(), b.ravel())
    assert all(s[0] != n * t[0] for (_, s), (n, t) in zip(lines, lines[1:]))


def test_extents():
    assert extents_of((-1, 4), 12) == (3, 4) and extents_of((0, 3), 0) == (0, 3)
    for wanted in ((5,), (-1, -1), (-1, 5), (7, -1)):
        with pytest.raises(ValueError, match="cannot reshape an array of 12 elements"):
            extents_of(wanted, 12)
