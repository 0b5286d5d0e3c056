"""`al.dynamic`: extents and strides that each launch takes from its arrays."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base import errors

ONE = (1, 1, 1)


@avelang.jit
def total(x: al.Tensor((al.dynamic, 4), al.f32), y: al.Tensor((al.dynamic,), al.f32)):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(4):
            s = s + x[i, j]
        y[i] = s


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_launch_fills_in_extents(backend):
    rng = np.random.default_rng(0)
    for n in (3, 7, 3, 1, 7):
        x, y = rng.random((n, 4)).astype(np.float32), np.zeros(n, np.float32)
        total[ONE, ONE](x, y, backend=backend)
        assert np.allclose(y, x.sum(1))


def test_what_is_not_open_is_checked():
    with pytest.raises(errors.LaunchError, match=r"L013.*the shape must be \(3, 4\)"):
        total[ONE, ONE](np.zeros((3, 5), np.float32), np.zeros(3, np.float32))
    with pytest.raises(errors.LaunchError, match="L013"):
        total[ONE, ONE](np.zeros(4, np.float32), np.zeros(3, np.float32))
    with pytest.raises(errors.LaunchError, match="L014"):
        total[ONE, ONE](np.zeros((3, 8), np.float32)[:, :4], np.zeros(3, np.float32))
    with pytest.raises(errors.AveTypeError, match="T030"):
        al.Tensor((0, 4), al.f32)
    with pytest.raises(errors.AveTypeError, match="T030"):
        al.Tensor((-2, 4), al.f32)


@pytest.mark.parametrize("backend", ["cpu", "reference", "gfx942-exec"])
def test_empty_arrays_go_with_empty_grids(backend):
    def go(grid, *shapes, dtype=np.float32):
        total[grid, ONE](*(np.zeros(shape, dtype) for shape in shapes), backend=backend)

    go((0, 1, 1), (0, 4), (0,))
    go((2, 0, 1), (3, 4), (0,))
    with pytest.raises(errors.LaunchError, match="(?s)L013.*any, 4.*nothing to do"):
        go(ONE, (0, 4), (0,))
    with pytest.raises(errors.LaunchError, match="L013"):
        go((0, 1, 1), (0, 5), (0,))
    with pytest.raises(errors.LaunchError, match="L013"):
        go((0, 1, 1), (0, 4, 1), (0,))
    with pytest.raises(errors.LaunchError, match="L012"):
        go((0, 1, 1), (0, 4), (0,), dtype=np.int32)


@avelang.jit
def strided(
    x: al.Tensor((al.dynamic, al.dynamic), (al.dynamic, 1), al.f32), y: al.Tensor((al.dynamic, al.dynamic), al.f32)
):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = twice(x)[i, j]


@avelang.jit
def twice(x: al.Tensor((al.dynamic, al.dynamic), al.f32)):
    return x


def test_strides_may_be_open_too():
    base = np.arange(40, dtype=np.float32).reshape(4, 10)
    for columns in (3, 5):
        y = np.zeros((4, columns), np.float32)
        strided[ONE, ONE](base[:, 2 : 2 + columns], y)
        assert (y == base[:, 2 : 2 + columns]).all()


def test_ahead_of_time_the_shape_is_given_by_the_name():
    from avelang.runtime.compile import compile_text

    assert "%x: tensor<f32, (8, 4):(4, 1)" in compile_text(total, {"x": (8, 4), "y": (8,)}, target="gfx942")
    with pytest.raises(errors.AveError, match=r"L006.*x"):
        compile_text(total, {"y": (8,)}, target="gfx942")


@avelang.jit
def viewed(x: al.Tensor((8,), al.f32)):
    y = al.view(x, al.Tensor((al.dynamic, 4), al.f32))
    y[0, 0] = 1.0


def test_a_view_says_its_extents():
    with pytest.raises(errors.AveTypeError, match="T030"):
        viewed[ONE, ONE](np.zeros(8, np.float32))
