"""The promise of `tile.load(..., vector=)` and `tile.store(..., vector=)`: the reference finds each vector that breaks it, at the user's line."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError

F32 = al.Pointer[al.f32]
WIDTH = 4
MASK, FOLLOW, SAME = "one mask for all elements", "to follow one another", "to be the same but for the last"


@avelang.jit
def loads_behind_a_mask(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    tile.store(y, t, tile.load(x, t, t < n, vector=WIDTH))  # here


@avelang.jit
def stores_behind_a_mask(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    tile.store(y, t, tile.load(x, t), t < n, vector=WIDTH)  # here


@avelang.jit
def loads_that_step(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    tile.store(y, t, tile.load(x, t * n, vector=WIDTH))  # here


@avelang.jit
def stores_that_step(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    tile.store(x, t * n, tile.load(y, t), vector=WIDTH)  # here


@avelang.jit
def loads_of_a_permutation(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    tile.store(y, t, tile.load(x, t ^ n, vector=WIDTH))  # here


@avelang.jit
def loads_of_rows_in_a_tensor(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    rows = al.make_tensor(x, al.f32, al.make_layout((8, 64)))
    tile.store(y, t, tile.load(rows, (t // n, t % 64), vector=WIDTH))  # here


@avelang.jit
def loads_of_one_place(x: F32, y: F32, n: al.i32):
    t = tile.arange(256)
    tile.store(y, t, tile.load(x, 4, t < n, vector=WIDTH))  # here


# By kernel: an n that keeps the promise, those that break it and the words for that.
KERNELS = [
    (loads_behind_a_mask, (252, 0, 256), (254, 255, 1), MASK), (stores_behind_a_mask, (252, 0, 256), (254, 253, 3), MASK),
    (loads_that_step, (1,), (2, 0, -1), FOLLOW), (stores_that_step, (1,), (2,), FOLLOW), (loads_of_a_permutation, (0, 4, 64), (1, 2, 3), FOLLOW),
    (loads_of_rows_in_a_tensor, (64, 32), (2, 63), SAME),
]


def run(kernel, n: int, backend: str, target: str = "gfx942", threads: int = 64) -> np.ndarray:
    x, y = np.arange(600, dtype=np.float32), np.full(256, -1, np.float32)
    kernel[1, threads](x, y, n, backend=backend, target=target)
    return np.concatenate([x, y])


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
@pytest.mark.parametrize("kernel, kept, broken, words", KERNELS, ids=lambda k: k.source.name if hasattr(k, "source") else "")
def test_the_reference_finds_a_broken_promise_and_no_kept_one(kernel, kept, broken, words, target):
    lines, first = inspect.getsourcelines(inspect.unwrap(kernel))
    here = first + next(i for i, text in enumerate(lines) if "# here" in text)
    for n in kept:
        np.testing.assert_array_equal(run(kernel, n, "reference", target), run(kernel, n, "cpu", target))
    for n in broken:
        with pytest.raises(AveError, match=r"\[L050\]") as e:
            run(kernel, n, "reference", target)
        text = str(e.value)
        assert words in text and re.search(r"thread|lane", text), text
        assert f"test_vector_promises.py:{here}" in text.splitlines()[1], text


def test_the_lane_that_is_named_is_the_first_that_breaks_it():
    with pytest.raises(AveError, match=r"thread \(63, 0, 0\)"):
        run(loads_behind_a_mask, 254, "reference")


def test_a_mask_that_holds_nowhere_asks_nothing_of_indices():
    @avelang.jit
    def none(x: F32, y: F32, n: al.i32):
        t = tile.arange(256)
        tile.store(y, t, tile.load(x, t * 2, t < n, 7.0, vector=WIDTH))

    assert (run(none, 0, "reference")[600:] == 7).all()
    with pytest.raises(AveError, match="L050"):
        run(none, 4, "reference")


def test_one_place_for_all_elements_is_refused_where_it_is_built():
    with pytest.raises(AveError, match=r"\[T311\].*to follow one another"):
        run(loads_of_one_place, 256, "reference")


def test_elements_one_by_one_promise_nothing():
    """Negative control: with vector=1, or a block that has an element a thread, nothing is moved together."""
    for threads in (256,):
        got = run(loads_behind_a_mask, 254, "reference", threads=threads)[600:]
        np.testing.assert_array_equal(got, np.where(np.arange(256) < 254, np.arange(256), 0))
