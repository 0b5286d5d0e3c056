"""Annotations as strings, `from __future__ import annotations`, another alias of the language, and names that an
annotation cannot find."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as S

ROWS = 4


@avelang.jit
def kernel(p: S.Pointer(S.f32), x: S.Tensor((ROWS, 16), S.f32), n: S.u32, K: S.constexpr):
    y = S.make_tensor(p, S.f32, S.make_layout((n,), (1,)))
    t = S.thread_id(0)
    if t < n:
        y[t] = x[t // 16, t % 16] * K


def test_annotations_survive_the_future(launch):
    x = np.arange(64, dtype=np.float32).reshape(4, 16)
    out = np.zeros(64, np.float32)
    launch(kernel, out, x, 50, 3)
    np.testing.assert_array_equal(out, np.where(np.arange(64) < 50, 3 * x.ravel(), 0))


@avelang.jit
def device(x: S.f32) -> (S.f32, S.f32):
    return x + 1.0, x - 1.0


@avelang.jit
def calls(out: S.Tensor((2,), S.f32)):
    out[0], out[1] = device(5.0)


def test_return_annotations_survive_too(launch):
    out = np.zeros(2, np.float32)
    launch(calls, out, block=1)
    np.testing.assert_array_equal(out, [6, 4])


@avelang.jit
def unknown_name(x: S.Tensor((NOT_DEFINED_ANYWHERE,), S.f32)):  # noqa: F821
    pass


def test_an_unknown_name_in_an_annotation_is_named_at_launch(launch):
    with pytest.raises(Exception, match="NOT_DEFINED_ANYWHERE"):
        launch(unknown_name, np.zeros(4, np.float32), block=1)


def made(rows, dtype, wider):
    """A factory whose names its kernel has in annotations only: Python keeps none of them for the kernel."""
    cols = 2 * rows

    @avelang.jit
    def one_more(v: dtype) -> wider:
        return v + 1

    @avelang.struct
    class Doubled:
        v: dtype

        def get(self, by: dtype) -> wider:
            return self.v * by

    @avelang.jit
    def kernel(x: S.Tensor((rows, cols), dtype), out: "S.Tensor((rows,), wider)"):  # noqa: UP037 - quoted twice
        i = S.thread_id(0)
        out[i] = one_more(x[i, 1]) + Doubled(x[i, cols - 1]).get(2)

    return kernel


def test_names_of_the_place_of_definition(launch):
    for rows, dtype, wider, d in ((3, S.i16, S.i32, np.int16), (2, S.f32, S.f64, np.float32), (3, S.i8, S.i64, np.int8)):
        x = np.arange(2 * rows * rows, dtype=d).reshape(rows, 2 * rows)
        out = np.zeros(rows, wider.np)
        launch(made(rows, dtype, wider), x, out, block=rows)
        np.testing.assert_array_equal(out, x[:, 1] + 1 + x[:, -1] * 2)


def test_names_of_a_class_in_a_function(launch):
    def held(length):
        class Kernels:
            dtype = S.u16

            @staticmethod
            @avelang.jit
            def fill(x: S.Tensor((length,), dtype)):
                x[S.thread_id(0)] = 7

            def length(self):
                return length

        return Kernels

    x = np.zeros(5, np.uint16)
    launch(held(5).fill, x, block=5)
    np.testing.assert_array_equal(x, 7)


def test_names_that_nothing_keeps_are_explained(launch):
    def undecorated(size):
        def late(x: S.Tensor((size,), S.f32)):
            pass

        return late

    with pytest.raises(Exception, match="(?s)'size'.*where @avelang.jit stands"):
        launch(avelang.jit(undecorated(4)), np.zeros(4, np.float32), block=1)
