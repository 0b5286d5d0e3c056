"""Launch geometry: what a provider may give, and the limits."""

import numpy as np
import pytest

from avelang import arch
from avelang.base.errors import AveError
from avelang.runtime.geometry import check_block, geometry


@pytest.mark.parametrize(
    ("given", "grid", "block"),
    [
        (((4, 5, 6), (64, 2, 1)), (4, 5, 6), (64, 2, 1)),
        (((4,), (64,)), (4, 1, 1), (64, 1, 1)),
        ((4, 64), (4, 1, 1), (64, 1, 1)),
        ([[4, 2], [64]], (4, 2, 1), (64, 1, 1)),
        (((np.int64(4),), (64,)), (4, 1, 1), (64, 1, 1)),
        (((0, 1, 1), (64, 1, 1)), (0, 1, 1), (64, 1, 1)),
        (((2**31 - 1, 65535, 65535), (1,)), (2**31 - 1, 65535, 65535), (1, 1, 1)),
    ],
)
def test_forms(given, grid, block):
    assert geometry("k", given) == (grid, block)
    assert geometry("k", lambda: given) == (grid, block)


@pytest.mark.parametrize(
    "given",
    [None, 3, "ab", (), ((1,),), ((1,), (1,), (1,)), ((), (1,)), ((1, 1, 1, 1), (1,)), ((1.0,), (64,)), ((1,), ("x",)), ((-1,), (64,)),
     ((1,), (0,)), ((1,), (True,)), ((None,), (1,))],
)  # fmt: skip
def test_wrong_forms(given):
    with pytest.raises(AveError) as e:
        geometry("k", lambda: given)
    assert e.value.code == "L002"
    assert repr(given) in e.value.message


@pytest.mark.parametrize(("grid", "axis"), [((2**31, 1, 1), "x"), ((1, 65536, 1), "y"), ((1, 1, 65536), "z")])
def test_grid_limits(grid, axis):
    with pytest.raises(AveError) as e:
        geometry("k", (grid, (1,)))
    assert e.value.code == "L004"
    assert f"along {axis}" in e.value.message


def test_block_limits():
    check_block("k", (1024, 1, 1), None)
    for block in ((1025, 1, 1), (32, 32, 2), (1 << 40, 1, 1)):
        for chip in (None, arch.chip("gfx942")):
            with pytest.raises(AveError) as e:
                check_block("k", block, chip)
            assert e.value.code == "L003"


def test_what_a_provider_raises_comes_through():
    def provider():
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        geometry("k", provider)


@pytest.mark.parametrize("provider", [lambda meta: ((1,), (64,)), lambda grid, block: (grid, block), lambda *, n: (n, 64)])
def test_a_function_that_wants_arguments(provider):
    with pytest.raises(AveError, match="must take no arguments") as e:
        geometry("k", provider)
    assert e.value.code == "L065" and "k[lambda: " in e.value.hint
    assert geometry("k", lambda n=2, *rest: (n, 64)) == ((2, 1, 1), (64, 1, 1))
