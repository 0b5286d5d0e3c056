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
