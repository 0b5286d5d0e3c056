"""Slices of tensors: reading, assigning, steps, open ends and bounds that count from the end, in global and shared
memory and in registers, against NumPy's slices of the same words; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from alarms.engines import engine, on
from avelang.base.errors import AveError

ENGINES = ["reference gfx942", "cpu gfx942", "gfx942-exec gfx942", "ptx-exec sm_80"]
WIDE = 4


@avelang.jit
def add_one(part):
    for k in range(len(part)):
        part[k] = part[k] + 1.0


@avelang.jit
def sliced(x: al.Tensor((8, 32), al.f32), out: al.Tensor((12, 8, 8), al.f32), N: al.constexpr):
    i = al.thread_id(0)
    j = i % 4
    out[0, i] = x[i, 8 * j : 8 * j + 8]
    start = N * j
    v = x[i, start : start + N]
    v[0] = 99.0  # a copy
    out[1, i, 0:N] = v
    out[1, i, N:] = x[i, N * j : N * (j + 1)]
    end = 4 + j
    out[2, i, :3] = x[i, end - 3 : end]
    out[2, i, -5:] = x[i, -5:]
    out[3, i] = x[i, 1:-1:4][0:8]
    out[4, i, ::2] = x[i, j : j + 7 : 2]
    out[4, i, 1::2] = -x[i, :4]
    s = al.make_shared((8, 8), al.f32)
    s[i] = x[i, :8]
    al.syncthreads()
    out[5, i] = s[:, i]
    out[6, i, 2:6] = s[7 - i, 2:6] * 2.0 + 1.0
    out[6, i, :2] += 5.0
    out[6, i, 6:] = 7.0
    add_one(out[7, i, 2:5])
    r = al.full((4, 4), 0.0, al.f32)
    for a in range(4):
        for b in range(4):
            r[a, b] = x[i, 4 * a + b]
    out[8, i, :4] = r[2, :]
    out[8, i, 4:] = r[:, 1]
    w = r + 0.0
    out[9, i, 0:4] = w[1:3, ::3]
    row = w[j, 1:3]
    out[9, i, 4:6] = row
    r[1:3, 1:3] = 8.0
    out[9, i, 6:] = r[2, 0:2]
    out[10, i] = x[i, al.subview(x, (0, 0), (1, 8)).shape[1] :][:8]


def judged(x: np.ndarray, N: int) -> np.ndarray:
    """The same in NumPy, thread after thread."""
    out = np.full((12, 8, 8), -3.0, np.float32)
    for i in range(8):
        j = i % 4
        out[0, i] = x[i, 8 * j : 8 * j + 8]
        v = x[i, N * j : N * j + N].copy()
        v[0] = 99
        out[1, i, 0:N] = v
        out[1, i, N:] = x[i, N * j : N * (j + 1)]
        out[2, i, :3] = x[i, 1 + j : 4 + j]
        out[2, i, -5:] = x[i, -5:]
        out[3, i] = x[i, 1:-1:4][0:8]
        out[4, i, ::2] = x[i, j : j + 7 : 2]
        out[4, i, 1::2] = -x[i, :4]
        out[5, i] = x[:, i]
        out[6, i, 2:6] = x[7 - i, 2:6] * 2 + 1
        out[6, i, :2] += 5
        out[6, i, 6:] = 7
        out[7, i, 2:5] += 1
        r = x[i, :16].reshape(4, 4).copy()
        out[8, i, :4] = r[2, :]
        out[8, i, 4:] = r[:, 1]
        out[9, i, 0:4] = r[1:3, ::3].ravel()
        out[9, i, 4:6] = r[j, 1:3]
        r[1:3, 1:3] = 8
        out[9, i, 6:] = r[2, 0:2]
        out[10, i] = x[i, 8:][:8]
    return out


@pytest.mark.parametrize("where", ENGINES)
def test_slices(where):
    rng, place = np.random.default_rng(4), engine(where)
    x, out = rng.integers(-50, 50, (8, 32)).astype(np.float32), np.full((12, 8, 8), -3.0, np.float32)
    want = judged(x, WIDE)
    with on(place):
        sliced[1, 8](x, out, WIDE, target=place.chip, **place.options)
    np.testing.assert_array_equal(out, want)


def test_pointers_and_memory_that_is_read_twice():
    @avelang.jit
    def pointed(p: al.Pointer(al.f32), at: al.Tensor((4,), al.i32), out: al.Tensor((4, 2), al.f32)):
        i = al.thread_id(0)
        first = at[i]
        out[i] = p[first : first + 2]

    p, at, out = np.arange(16, dtype=np.float32), np.array([3, 0, 9, 14], np.int32), np.zeros((4, 2), np.float32)
    pointed[1, 4](p, at, out)
    np.testing.assert_array_equal(out, np.stack([at, at + 1], 1))


@avelang.jit
def wrong(x: al.Tensor((8, 32), al.f32), n: al.i32, nested: al.Tensor(((2, 4), 3), al.f32), CASE: al.constexpr):
    i = al.thread_id(0)
    if CASE == 0:
        x[0, 0:n] = 0.0
    elif CASE == 1:
        x[0, 30:34] = 0.0
    elif CASE == 2:
        x[0, 4:4] = 0.0
    elif CASE == 3:
        x[0, ::-1] = 0.0
    elif CASE == 4:
        x[0, 0:2, 0:2] = 0.0
    elif CASE == 5:
        nested[0:2, 0] = 0.0
    elif CASE == 6:
        x[0, 0:4] = al.full((3,), 1.0, al.f32)
    elif CASE == 7:
        x[0, 0.5:4] = 0.0
    elif CASE == 8:
        x[0, -40:] = 0.0
    elif CASE == 9:
        x[0, i : i + 40] = 0.0
    elif CASE == 10:
        x[0, 8 * i + 28 : 8 * i + 36] = 0.0
    elif CASE == 11:
        v = x[0, 0:4]
        v[2:6] = 0.0


@pytest.mark.parametrize(("case", "code", "said"), [(0, "T017", "start : start + n"), (1, "T041", "33"),
    (2, "T030", "one element"), (3, "T101", "step"), (4, "T042", "shape"), (5, "T042", "nested"), (6, "T045", "(3,)"),
    (7, "T040", "integer"), (8, "T041", "-8"), (9, "T041", "40 elements"), (10, "X001", "x"), (11, "T041", "5")])
def test_misuse_is_named(case, code, said):  # fmt: skip
    with pytest.raises(AveError) as caught:
        wrong[1, 1](np.zeros((8, 32), np.float32), 4, np.zeros((8, 3), np.float32), case, backend="reference")
    assert caught.value.code == code and said in str(caught.value)
