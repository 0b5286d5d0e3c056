"""Arrays that lie backward: the open strides of a parameter are 0 or more, on all engines alike."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

ENGINES = [("reference", "gfx942"), ("cpu", "sm_80"), ("gfx942-exec", "gfx942")]


@avelang.jit
def copy(x: al.Tensor[(al.dynamic,), (al.dynamic,), al.f32], y: al.Tensor[(al.dynamic,), al.f32]):
    t = al.thread_id(0)
    if t < x.shape[0]:
        y[t] = x[t]


@avelang.jit
def rows(x: al.Tensor[(al.dynamic, al.dynamic), (al.dynamic, al.dynamic), al.f32], y: al.Tensor[(al.dynamic, al.dynamic), al.f32]):
    for i in al.range(x.shape[0]):
        if al.thread_id(0) < x.shape[1]:
            y[i, al.thread_id(0)] = x[i, al.thread_id(0)]


LINE, PLANE = np.arange(40, dtype=np.float32), np.arange(64, dtype=np.float32).reshape(8, 8)
BACKWARD = [(copy, LINE[::-1]), (copy, LINE[30:10:-2]), (rows, PLANE[::-1]), (rows, PLANE[:, ::-1]), (rows, PLANE[::-1, ::-1]), (rows, PLANE.T[::-1])]
FORWARD = [
    (copy, LINE[:10]), (copy, LINE[::3]), (copy, np.broadcast_to(np.float32(3), 10)), (copy, LINE[4:5][::-1]), (rows, PLANE.T), (rows, PLANE[::2, ::3]),
    (rows, PLANE[3:4][::-1]), (rows, PLANE[:, :1][:, ::-1])
]


@pytest.mark.parametrize("engine, target", ENGINES)
def test_they_are_refused_alike(engine, target):
    for kernel, x in BACKWARD:
        with pytest.raises(AveError) as e:
            kernel[1, 64](x, np.zeros(x.shape, np.float32), backend=engine, target=target)
        strides = tuple(s // 4 for s in x.strides)
        assert e.value.code == "L014" and f"`{kernel.source.name}`: parameter 'x'" in str(e.value)
        assert f"strides {strides}" in str(e.value) and "not 0 or more" in str(e.value) and "np.ascontiguousarray(x)" in e.value.hint


@pytest.mark.parametrize("engine, target", ENGINES)
def test_others_are_not(engine, target):
    """Negative control: strides of 0, steps, and extents of 1, whose stride is never taken and may be -1."""
    for kernel, x in FORWARD:
        for _ in range(2):  # the second launch is the host code's
            y = np.zeros(x.shape, np.float32)
            kernel[1, 64](x, y, backend=engine, target=target)
            np.testing.assert_array_equal(y, x)


def test_a_known_launch_does_not_let_them_in():
    """Compiled host code knows the array of before, of the same shape."""
    kernel, y = avelang.jit(copy.source.fn), np.zeros(10, np.float32)
    for _ in range(3):
        kernel[1, 64](LINE[:10], y)
        with pytest.raises(AveError, match="L014"):
            kernel[1, 64](LINE[9::-1], y)


def test_another_dtype_is_told_before_strides_which_are_in_its_bytes():
    for x in (np.zeros(10, ">f4"), np.zeros(10, np.complex64), np.zeros(10, np.float64)[::-1]):
        with pytest.raises(AveError, match=r"\[L012\].*wants Tensor\(\(dynamic,\), \(dynamic,\), f32\), got") as e:
            copy[1, 64](x, np.zeros(10, np.float32))
        assert str(x.dtype) in str(e.value)
