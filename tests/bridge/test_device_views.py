"""Views of a GPU's memory, here of the CPU's: what NumPy says of the same arrays is right."""

from __future__ import annotations

import random

import ml_dtypes  # noqa: F401  (names of dtypes)
import numpy as np
import pytest

from avelang.bridge.device_views import DeviceView
from bridge.viewed import drawn, read, split, viewed


def test_the_description_that_launches_read():
    view = DeviceView(4096, (4, 2), np.dtype(np.uint32), "cuda:0")[1].view("int64")
    assert (view.address, view.shape, view.dtype, view.strides) == (4104, (1,), np.int64, (8,))
    told = DeviceView(64, (3, 5), np.dtype("float32"), "cuda:1", (4, 12)).T.__ave_array__()
    assert (told.address, told.shape, told.strides, told.device) == (64, (5, 3), (12, 4), "cuda:1")


@pytest.mark.parametrize("seed", range(60))
def test_shapes_and_keys(seed):
    rng = random.Random(seed)
    a = drawn(rng)
    v = viewed(a)
    assert (v.shape, v.ndim, v.size, v.nbytes, v.itemsize) == (a.shape, a.ndim, a.size, a.nbytes, 4)
    assert v.flags.c_contiguous == a.flags.c_contiguous
    key = tuple(rng.choice((0, -1, slice(None), slice(None, None, -1), slice(1, 9), None)) for _ in a.shape[: rng.randrange(5)])
    assert key.count(None) or np.array_equal(read(v[key]), a[key])
    if a.ndim:
        assert np.array_equal(read(v[0]), a[0]) and np.array_equal(read(v[..., -1]), a[..., -1]) and len(v) == len(a)
        assert np.array_equal(read(v.swapaxes(0, -1)), a.swapaxes(0, -1))
    assert np.array_equal(read(v.T), a.T) and np.array_equal(read(v[None]), a[None])
    wanted = split(rng, a.size)
    assert np.array_equal(read(v.reshape(wanted)), a.reshape(wanted))
    assert np.array_equal(read(v.reshape(-1)), a.reshape(-1))
    assert np.array_equal(read(np.broadcast_to(v, (3, *v.shape))), np.broadcast_to(a, (3, *a.shape)))


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="cannot reshape an array of 12 elements"):
        viewed(np.zeros(12)).reshape(5, -1)


def test_functions_of_numpy():
    v = viewed(np.arange(6, dtype=np.float32).reshape(2, 3))
    made = {
        "zeros_like": np.zeros_like(v), "ones_like": np.ones_like(v), "full_like": np.full_like(v, 2.5, dtype="bfloat16"),
        "zeros": np.zeros((3, 2), like=v), "ones": np.ones(4, np.int32, like=v), "full": np.full((2,), 7, "uint8", like=v),
        "arange": np.arange(3, 12, 4, dtype=np.int32, like=v), "sum": np.sum(v, 0), "reshape": np.reshape(v, (3, 2)),
        "transpose": np.transpose(v), "ravel": np.ravel(v), "copy": np.copy(v), "empty": np.empty((0, 3), like=v),
    }  # fmt: skip
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    want = {
        "zeros_like": np.zeros_like(a), "ones_like": np.ones_like(a), "full_like": np.full_like(a, 2.5, dtype="bfloat16"),
        "zeros": np.zeros((3, 2)), "ones": np.ones(4, np.int32), "full": np.full((2,), 7, "uint8"),
        "arange": np.arange(3, 12, 4, dtype=np.int32), "sum": a.sum(0), "reshape": a.reshape(3, 2), "transpose": a.T,
        "ravel": a.ravel(), "copy": a, "empty": np.empty((0, 3)),
    }  # fmt: skip
    for name, x in made.items():
        assert isinstance(x, DeviceView) and x.dtype == want[name].dtype, name
        assert np.array_equal(read(x), want[name]), name
    empty = np.empty_like(v, dtype=np.int8)
    assert (empty.shape, empty.dtype, np.shape(empty)) == ((2, 3), np.int8, (2, 3))
    np.copyto(v, 4)
    assert (read(v) == 4).all()


def test_what_needs_values_is_refused():
    v = viewed(np.zeros((2, 3), np.float32))
    for use, words in (
        (lambda: bool(v), "cannot be read from the CPU"), (lambda: np.asarray(v), "cannot be read from the CPU"),
        (lambda: v[[0, 1]], "is indexed by"), (lambda: v + 1, "unsupported operand"), (lambda: np.sort(v), "numpy.sort"),
        (lambda: v.__setitem__(..., np.zeros(3)), "of the CPU"),
        (lambda: DeviceView(64, (2,), np.dtype("int32"), "cuda:0").copy(), "nobody to ask for more"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=words):
            use()
