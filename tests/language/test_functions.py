"""Device functions: each kind of return, by-reference register tensors, nested functions, recursion of calls, early
returns."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

N = 64
SCALE = 3


@avelang.jit
def square(x: al.f32) -> al.f32:
    return x * x


@avelang.jit
def hypot2(x: al.f32, y: al.f32) -> al.f32:
    return square(x) + square(y)


@avelang.jit
def uses_scalar(x: al.Tensor((N,), al.f32), y: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
    t = al.thread_id(0)
    out[t] = hypot2(x[t], y[t])


def test_a_scalar_comes_back(launch):
    x, y = np.arange(N, dtype=np.float32), np.arange(N, dtype=np.float32)[::-1].copy()
    out = np.zeros(N, np.float32)
    launch(uses_scalar, x, y, out)
    np.testing.assert_array_equal(out, x * x + y * y)


@avelang.jit
def split(t: al.u32) -> (al.u32, al.u32):
    return t // 8, t % 8


@avelang.jit
def uses_tuple(out: al.Tensor((8, 8), al.u32)):
    row, col = split(al.thread_id(0))
    out[row, col] = row * 100 + col


def test_a_tuple_comes_back(launch):
    out = np.zeros((8, 8), np.uint32)
    launch(uses_tuple, out)
    np.testing.assert_array_equal(out, np.arange(8)[:, None] * 100 + np.arange(8))


@avelang.jit
def powers(x: al.f32):
    r = al.make_local((4,), al.f32)
    r[0] = 1.0
    for i in range(1, 4):
        r[i] = r[i - 1] * x
    return r


@avelang.jit
def uses_register_tensor(x: al.Tensor((N,), al.f32), out: al.Tensor((N, 4), al.f32)):
    t = al.thread_id(0)
    p = powers(x[t])
    q = powers(2.0)
    p[0] = p[0] + q[3]
    out[t] = p


def test_a_register_tensor_comes_back(launch):
    x = np.linspace(-2, 2, N).astype(np.float32)
    out = np.zeros((N, 4), np.float32)
    launch(uses_register_tensor, x, out)
    np.testing.assert_array_equal(out, np.stack([np.full(N, 9, np.float32), x, x * x, x * x * x], 1))


@avelang.jit
def both(x: al.f32):
    return al.full((2,), x, al.f32), al.full((3,), -x, al.f32)


@avelang.jit
def uses_two_tensors(x: al.Tensor((N,), al.f32), out: al.Tensor((N, 2), al.f32)):
    t = al.thread_id(0)
    a, b = both(x[t])
    a[1] = 5.0
    out[t, 0] = a[0] + a[1]
    out[t, 1] = b[2]


def test_a_tuple_of_register_tensors_comes_back(launch):
    x = np.arange(N, dtype=np.float32)
    out = np.zeros((N, 2), np.float32)
    launch(uses_two_tensors, x, out)
    np.testing.assert_array_equal(out, np.stack([x + 5, -x], 1))


@avelang.jit
def bump(r: al.Tensor((4,), al.i32), by: al.i32):
    for i in range(4):
        r[i] = r[i] + by


@avelang.jit
def passes_by_reference(out: al.Tensor((N, 4), al.i32)):
    t = al.thread_id(0)
    r = al.full((4,), 10, al.i32)
    bump(r, 1)
    bump(r, al.convert(t, al.i32))
    out[t] = r


def test_register_tensors_are_passed_by_reference(launch):
    out = np.zeros((N, 4), np.int32)
    launch(passes_by_reference, out)
    np.testing.assert_array_equal(out, np.repeat(11 + np.arange(N), 4).reshape(N, 4))


@avelang.jit
def store_row(dst: al.Tensor((N, 4), al.i32), row: al.u32, value: al.i32):
    dst[row, 0] = value


@avelang.jit
def passes_global(out: al.Tensor((N, 4), al.i32)):
    store_row(out, al.thread_id(0), 9)


def test_global_tensors_are_passed_by_reference(launch):
    out = np.zeros((N, 4), np.int32)
    launch(passes_global, out)
    np.testing.assert_array_equal(out, np.tile([9, 0, 0, 0], (N, 1)))


@avelang.jit
def rebinding(x: al.i32) -> al.i32:
    x = x + 1
    return x


@avelang.jit
def does_not_rebind(out: al.Tensor((N, 2), al.i32)):
    t = al.convert(al.thread_id(0), al.i32)
    out[t, 0] = rebinding(t)
    out[t, 1] = t


def test_names_of_a_function_are_its_own(launch):
    out = np.zeros((N, 2), np.int32)
    launch(does_not_rebind, out)
    np.testing.assert_array_equal(out, np.stack([np.arange(N) + 1, np.arange(N)], 1))


@avelang.jit
def with_constexpr(x: al.i32, TIMES: al.constexpr) -> al.i32:
    total = x
    for _ in range(TIMES):
        total = total + x
    return total


@avelang.jit
def uses_constexpr(out: al.Tensor((N, 2), al.i32)):
    t = al.thread_id(0)
    v = al.convert(t, al.i32)
    out[t, 0] = with_constexpr(v, 2)
    out[t, 1] = with_constexpr(v, TIMES=4)


def test_constexpr_parameters_of_a_device_function(launch):
    out = np.zeros((N, 2), np.int32)
    launch(uses_constexpr, out)
    np.testing.assert_array_equal(out, np.arange(N)[:, None] * [3, 5])


@avelang.jit
def nested_function(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    def scale(v):
        return v * SCALE + offset

    offset = 7
    t = al.thread_id(0)
    out[t] = scale(x[t])


def test_nested_functions(launch):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(nested_function, x, out)
    np.testing.assert_array_equal(out, x * 3 + 7)


def helper(v):
    raise AssertionError("the global, which the nested function shadows")


@avelang.jit
def nested_shadows(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    def helper(v: al.i32) -> al.i32:
        return v - 1

    t = al.thread_id(0)
    out[t] = helper(helper(x[t]))


def test_a_nested_function_shadows_a_global(launch):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(nested_shadows, x, out)
    np.testing.assert_array_equal(out, x - 2)


@avelang.jit
def kernel_as_device_function(x: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
    uses_scalar(x, x, out)
    t = al.thread_id(0)
    out[t] = out[t] + 1.0


def test_a_kernel_is_a_device_function_too(launch):
    x = np.arange(N, dtype=np.float32)
    out = np.zeros(N, np.float32)
    launch(kernel_as_device_function, x, out)
    np.testing.assert_array_equal(out, 2 * x * x + 1)


@avelang.jit
def classify(v: al.i32) -> al.i32:
    if v < 10:
        return 1
    if v < 20:
        if v % 2 == 0:
            return 2
        return 3
    return 4


@avelang.jit
def uses_early_returns(out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    out[t] = classify(al.convert(t, al.i32)) * 10


def test_early_returns_of_a_device_function(launch):
    out = np.zeros(N, np.int32)
    launch(uses_early_returns, out)
    np.testing.assert_array_equal(
        out, [10 if v < 10 else 40 if v >= 20 else 20 if v % 2 == 0 else 30 for v in range(N)]
    )


@avelang.jit
def first_above(x: al.Tensor((N,), al.i32), limit: al.i32) -> al.i32:
    for i in al.range(N):
        if x[i] > limit:
            return al.convert(i, al.i32)
    return -1


@avelang.jit
def uses_return_in_loop(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    out[t] = first_above(x, al.convert(t, al.i32) * 4)


def test_a_return_inside_a_loop(launch):
    x = np.random.default_rng(0).integers(0, 200, N).astype(np.int32)
    out = np.zeros(N, np.int32)
    launch(uses_return_in_loop, x, out)
    np.testing.assert_array_equal(out, [next((i for i in range(N) if x[i] > 4 * t), -1) for t in range(N)])


@avelang.jit
def fill_window(window: al.Tensor((2, 2), (4, 1), al.i32), v: al.i32):
    window[0, 0] = v
    window[1, 1] = v + 1


@avelang.jit
def passes_a_subview(out: al.Tensor((4, 4), al.i32)):
    fill_window(al.subview(out, (1, 1), (2, 2), (1, 1)), 7)


def test_subviews_are_passed_by_reference(launch):
    out, want = np.zeros((4, 4), np.int32), np.zeros((4, 4), np.int32)
    launch(passes_a_subview, out, block=1)
    want[1, 1], want[2, 2] = 7, 8
    np.testing.assert_array_equal(out, want)


@avelang.jit
def inside(v: al.u32) -> al.u1:
    return v > 10 and v < 20


@avelang.jit
def uses_condition(out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    if inside(t):
        out[t] = 1


def test_a_condition_comes_back(launch):
    out = np.zeros(N, np.int32)
    launch(uses_condition, out)
    np.testing.assert_array_equal(out, [int(10 < t < 20) for t in range(N)])


@avelang.jit
def no_result(dst: al.Tensor((N,), al.i32), v: al.i32) -> al.void:
    if v > 40:
        return
    dst[v] = v


@avelang.jit
def uses_void(out: al.Tensor((N,), al.i32)):
    no_result(out, al.convert(al.thread_id(0), al.i32))


def test_void(launch):
    out = np.zeros(N, np.int32)
    launch(uses_void, out)
    np.testing.assert_array_equal(out, [t if t <= 40 else 0 for t in range(N)])


@avelang.jit
def fibonacci(n: al.i32) -> al.i32:
    return fibonacci(n - 1)


@avelang.jit
def recurses(out: al.Tensor((1,), al.i32)):
    out[0] = fibonacci(5)


def test_recursion_is_refused(launch):
    with pytest.raises(AveError, match="fibonacci"):
        launch(recurses, np.zeros(1, np.int32), block=1)


@avelang.jit
def with_default(x: al.i32, y: al.i32 = 5) -> al.i32:
    return x * y


@avelang.jit
def uses_defaults(out: al.Tensor((3,), al.i32)):
    out[0] = with_default(2)
    out[1] = with_default(2, 7)
    out[2] = with_default(y=3, x=4)


def test_defaults_and_keywords(launch):
    out = np.zeros(3, np.int32)
    launch(uses_defaults, out, block=1)
    np.testing.assert_array_equal(out, [10, 14, 12])
