"""The distribution of a tile that names none."""

import pytest

from avelang.tile import placement


@pytest.mark.parametrize("shape, threads, elements", [((300,), 64, 75), ((12, 20), 64, 15), ((44, 6), 64, 33), ((256,), 64, 4), ((64, 48), 256, 12), ((5,), 64, 5)], ids=str)
def test_as_many_lanes_as_share_a_tile_do(shape, threads, elements):
    """Neighbors in one lane leave no lane without elements of its own."""
    assert placement.home(shape, threads, 64).elements == elements
    assert placement.home(shape, threads, 32).elements == elements
