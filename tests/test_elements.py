"""Kernels that copy, fill and add up views, against NumPy."""

from __future__ import annotations

import random

import ml_dtypes  # noqa: F401  (names of dtypes)
import numpy as np
import pytest

import avelang.language as al
from avelang import elements
from bridge.viewed import drawn, read, viewed

FLOATS = ("float32", "float16", "bfloat16", "float64", "float8_e4m3fn")



@pytest.mark.parametrize("seed", range(40))
def test_copies_and_casts(seed):
    rng = random.Random(seed)
    a = drawn(rng)
    source = rng.choice((*FLOATS, "int32", "uint8", "int64", "bool"))
    target = rng.choice((*FLOATS, "int32", "int64", "bool"))
    a = np.asarray(a % 100).astype(source)
    v = viewed(a)
    assert read(v.copy()).tobytes() == a.tobytes()
    got, want = read(v.astype(target)), a.astype(target)
    assert got.dtype == want.dtype and np.array_equal(got.astype(float), want.astype(float))
    into = np.full([2 * n for n in a.shape], 7).astype(target)
    cut = (*(slice(0, None, 2) for _ in a.shape), ...)
    viewed(into)[cut] = v
    assert np.array_equal(into[cut].astype(float), want.astype(float))
    into[cut] = np.array(7).astype(target)
    assert (into.astype(float) == np.array(7).astype(target).astype(float)).all()  # nothing beside it was written


@pytest.mark.parametrize("seed", range(24))
def test_sums(seed):
    rng = random.Random(seed)
    a = drawn(rng).astype(rng.choice(("float32", "float64", "int32", "bfloat16")))
    axes = rng.choice((None, tuple(rng.sample(range(a.ndim), rng.randrange(a.ndim + 1)))))
    got, want = viewed(a).sum(axes), a.astype(np.float64).sum(axes)
    assert got.shape == want.shape and got.dtype == (np.int64 if a.dtype.kind == "i" else a.dtype)
    assert np.allclose(read(got).astype(float), want, rtol=2.0**-7 if a.dtype == "bfloat16" else 1e-6)
    assert viewed(a).sum(axes, keepdims=True).shape == a.sum(axes, keepdims=True).shape


def test_sums_by_threads_and_by_blocks():
    a = np.random.default_rng(3).standard_normal((3, 5000)).astype(np.float32)
    for x in (a, a.T, a[:, ::3], a.reshape(5, 3000)):
        for axis in (0, 1):
            assert np.allclose(read(viewed(x).sum(axis)), x.astype(float).sum(axis), atol=1e-4)
    assert (read(viewed(np.zeros((0, 4), np.float32)).sum(0)) == 0).all()


def test_memory_that_is_read_and_written():
    a = np.arange(40, dtype=np.float32)
    v = viewed(a)
    v[1:] = v[:-1]
    assert np.array_equal(a, np.maximum(np.arange(40) - 1, 0))
    v[...] = v[::-1]
    assert np.array_equal(a, np.maximum(np.arange(39, -1, -1) - 1, 0))


def test_more_dimensions_than_a_launch_has():
    a = np.random.default_rng(5).standard_normal((2,) * 9).astype(np.float32).transpose(8, 0, 6, 2, 4, 3, 5, 1, 7)[:, ::-1]
    assert np.array_equal(read(viewed(a).copy()), a)
    assert np.array_equal(read(viewed(a).astype(np.int32)), a.astype(np.int32))


def test_large_numbers_are_counted_in_64_bits(monkeypatch):
    monkeypatch.setattr(elements, "_numbers", lambda *_: (al.u64, al.i64))
    a = np.arange(60, dtype=np.int16).reshape(3, 4, 5).transpose(2, 0, 1)
    assert np.array_equal(read(viewed(a).copy()), a) and np.array_equal(read(viewed(a).sum(1)), a.sum(1))


def test_which_counts_take_64_bits():
    assert elements._numbers(5, (1 << 31) - 1) == (al.u32, al.i32) and elements._numbers(5, 1 << 31) == (al.u64, al.i64)


def test_wide_accesses_where_memory_allows_them():
    a = np.arange(96, dtype=np.int16)
    for cut, size in ((a, 8), (a[:94], 4), (a[1:95], 2), (a[::2], 2), (a.reshape(4, 24)[:, :20], 8)):
        one, two = elements._wide(viewed(cut), viewed(np.empty_like(a)[: cut.size].reshape(cut.shape)))
        assert one.itemsize == two.itemsize == min(size, 8), (cut.shape, one.itemsize)


@pytest.mark.parametrize("seed", range(20))
def test_launches_begin_where_gpus_take_memory(seed):
    """At multiples of 16 bytes, wherever a view begins (L015 on a GPU else)."""
    rng = random.Random(seed)
    v = viewed(np.atleast_1d(drawn(rng)).astype(rng.choice((*FLOATS, "int32", "uint8"))))
    for cut in (v, v[..., 1:], v[..., ::-1], v[-1:], v[:, 3:4] if v.ndim > 1 else v[2:]):
        if cut.size:
            memory, first = elements._reach(cut)
            assert memory.address % 16 == 0 and memory.address + first * v.itemsize == cut.address
            assert memory.address + memory.nbytes == cut.reach()[1]
