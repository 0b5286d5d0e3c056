"""Vectors: element by element arithmetic, comparisons, fma, elements, wide loads and stores, broadcasting of
scalars."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al

N = 64


def vector_kernel(dtype):
    @avelang.jit
    def kernel(a: al.Tensor((N, 4), dtype), b: al.Tensor((N, 4), dtype), out: al.Tensor((N, 4, 4), dtype)):
        t = al.thread_id(0)
        x = a[t]
        y = b[t]
        out[t, 0] = x + y
        out[t, 1] = x - y
        out[t, 2] = x * y
        out[t, 3] = al.fma(x, y, x)

    return kernel


@pytest.mark.parametrize("name, d",
                         [("i32", np.int32), ("u8", np.uint8), ("f32", np.float32), ("f16", np.float16),
                          ("bf16", ml_dtypes.bfloat16), ("f64", np.float64)])  # fmt: skip  # noqa: E501
def test_vectors_compute_element_by_element(launch, name, d):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 8, (N, 4)).astype(d), rng.integers(0, 8, (N, 4)).astype(d)
    out = np.zeros((N, 4, 4), d)
    launch(vector_kernel(getattr(al, name)), a, b, out)
    np.testing.assert_array_equal(out, np.stack([a + b, a - b, a * b, a * b + a], 1))


@avelang.jit
def divides(a: al.Tensor((N, 4), al.f32), b: al.Tensor((N, 4), al.f32), out: al.Tensor((N, 4), al.f32)):
    t = al.thread_id(0)
    out[t] = a[t] / b[t]


def test_vector_division(launch):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((N, 4)).astype(np.float32), rng.integers(1, 9, (N, 4)).astype(np.float32)
    out = np.zeros_like(a)
    launch(divides, a, b, out)
    np.testing.assert_allclose(out, a / b, rtol=1e-6)


@avelang.jit
def unary(a: al.Tensor((N, 4), al.f32), out: al.Tensor((N, 6, 4), al.f32)):
    t = al.thread_id(0)
    v = a[t]
    out[t, 0] = -v
    out[t, 1] = al.abs(v)
    out[t, 2] = al.min(v, al.full((4,), 1.0, al.f32))
    out[t, 3] = al.exp(v)
    out[t, 4] = al.max(v, 0.0)
    out[t, 5] = v if t < 5 else v + v


def test_functions_on_vectors(launch):
    a = np.random.default_rng(6).integers(-9, 9, (N, 4)).astype(np.float32)
    out = np.zeros((N, 6, 4), np.float32)
    launch(unary, a, out)
    few = np.arange(N)[:, None] < 5
    want = [-a, abs(a), np.minimum(a, 1), np.exp(a), np.maximum(a, 0), np.where(few, a, 2 * a)]
    np.testing.assert_allclose(out, np.stack(want, 1), rtol=1e-6)


@avelang.jit
def compares(a: al.Tensor((N, 4), al.i32), b: al.Tensor((N, 4), al.i32), out: al.Tensor((N, 4), al.i32)):
    t = al.thread_id(0)
    x = a[t]
    y = b[t]
    out[t] = al.select(x < y, x, y)


def test_vector_comparison_chooses_by_element(launch):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 99, (N, 4)).astype(np.int32), rng.integers(0, 99, (N, 4)).astype(np.int32)
    out = np.zeros_like(a)
    launch(compares, a, b, out)
    np.testing.assert_array_equal(out, np.minimum(a, b))


@avelang.jit
def elements(a: al.Tensor((N, 4), al.i32), out: al.Tensor((N, 4), al.i32)):
    t = al.thread_id(0)
    v = a[t]
    v[1] = v[0] + v[3]
    v[t % 4] = -1
    out[t, 0] = v[3]
    out[t, 1] = v[2]
    out[t, 2] = v[1]
    out[t, 3] = v[(t + 1) % 4]


def test_elements_at_constant_and_runtime_indices(launch):
    a = np.random.default_rng(3).integers(0, 99, (N, 4)).astype(np.int32)
    out = np.zeros_like(a)
    launch(elements, a, out)
    v = a.copy()
    v[:, 1] = v[:, 0] + v[:, 3]
    t = np.arange(N)
    v[t, t % 4] = -1
    np.testing.assert_array_equal(out, np.stack([v[:, 3], v[:, 2], v[:, 1], v[t, (t + 1) % 4]], 1))


@avelang.jit
def scales(a: al.Tensor((N, 4), al.f32), s: al.f32, out: al.Tensor((N, 4), al.f32)):
    t = al.thread_id(0)
    out[t] = a[t] * s + 1.0


def test_scalars_meet_vectors(launch):
    a = np.random.default_rng(4).integers(-9, 9, (N, 4)).astype(np.float32)
    out = np.zeros_like(a)
    launch(scales, a, 0.5, out)
    np.testing.assert_array_equal(out, a * np.float32(0.5) + 1)


@avelang.jit
def converts(a: al.Tensor((N, 8), al.bf16), out: al.Tensor((N, 8), al.f32)):
    t = al.thread_id(0)
    out[t] = al.convert(a[t], al.f32)


def test_convert_of_vectors(launch):
    a = np.random.default_rng(5).standard_normal((N, 8)).astype(ml_dtypes.bfloat16)
    out = np.zeros((N, 8), np.float32)
    launch(converts, a, out)
    np.testing.assert_array_equal(out, a.astype(np.float32))


@avelang.jit
def unaligned(p: al.Pointer(al.i32), out: al.Tensor((16, 4), al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout((16, 4), (5, 1)))
    t = al.thread_id(0)
    out[t] = x[t]


def test_rows_that_are_not_aligned_to_their_size(launch):
    memory = np.arange(100, dtype=np.int32)[1:]
    out = np.zeros((16, 4), np.int32)
    launch(unaligned, memory, out, block=16)
    np.testing.assert_array_equal(out, [memory[5 * t : 5 * t + 4] for t in range(16)])


@avelang.jit
def strided_rows(p: al.Pointer(al.i32), out: al.Tensor((16, 4), al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout((16, 4), (1, 16)))
    t = al.thread_id(0)
    row = x[t]
    row[0] = row[0] + 1000
    out[t] = row


def test_rows_that_are_not_contiguous(launch):
    memory = np.arange(64, dtype=np.int32)
    before = memory.copy()
    out = np.zeros((16, 4), np.int32)
    launch(strided_rows, memory, out, block=16)
    want = memory.reshape(4, 16).T.copy()
    want[:, 0] += 1000
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(memory, before)


@avelang.jit
def lengths_differ(a: al.Tensor((N, 4), al.f32), b: al.Tensor((N, 2), al.f32), out: al.Tensor((N, 4), al.f32)):
    t = al.thread_id(0)
    out[t] = a[t] + b[t]


def test_vectors_of_different_lengths_are_refused(launch):
    with pytest.raises(Exception, match=r"a\[t\] \+ b\[t\]") as e:
        launch(lengths_differ, np.zeros((N, 4), np.float32), np.zeros((N, 2), np.float32), np.zeros((N, 4), np.float32))
    assert type(e.value).__module__.startswith("avelang")
