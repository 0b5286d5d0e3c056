"""Builtins: ids and extents, shared memory between waves, shuffles, printf, mathematics, minimum, maximum, select,
fma."""

import math

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

N = 64


@avelang.jit
def ids(out: al.Tensor((4, 3, 2, 4, 2, 8, 12), al.u32)):
    x, y, z = al.thread_id(0), al.thread_id(1), al.thread_id(2)
    a, b, c = al.block_id(0), al.block_id(1), al.block_id(2)
    out[c, b, a, z, y, x, 0] = x
    out[c, b, a, z, y, x, 1] = y
    out[c, b, a, z, y, x, 2] = z
    out[c, b, a, z, y, x, 3] = a
    out[c, b, a, z, y, x, 4] = b
    out[c, b, a, z, y, x, 5] = c
    out[c, b, a, z, y, x, 6] = al.block_dim(0)
    out[c, b, a, z, y, x, 7] = al.block_dim(1)
    out[c, b, a, z, y, x, 8] = al.block_dim(2)
    out[c, b, a, z, y, x, 9] = al.grid_dim(0)
    out[c, b, a, z, y, x, 10] = al.grid_dim(1)
    out[c, b, a, z, y, x, 11] = al.grid_dim(2)


def test_ids_and_extents_in_three_dimensions(launch):
    out = np.zeros((4, 3, 2, 4, 2, 8, 12), np.uint32)
    launch(ids, out, grid=(2, 3, 4), block=(8, 2, 4))
    c, b, a, z, y, x = np.indices((4, 3, 2, 4, 2, 8))
    full = [np.full_like(x, v) for v in (8, 2, 4, 2, 3, 4)]
    np.testing.assert_array_equal(out, np.stack([x, y, z, a, b, c, *full], -1))


@avelang.jit
def reverse(x: al.Tensor((3, 500), al.i32), out: al.Tensor((3, 500), al.i32), SIZE: al.constexpr):
    b = al.block_id(0)
    t = al.thread_id(0)
    tile = al.make_shared((SIZE,), al.i32)
    tile[t] = x[b, t]
    al.syncthreads()
    out[b, t] = tile[SIZE - 1 - t]


@pytest.mark.parametrize("size", [1, 37, 64, 65, 130, 256, 500])
def test_waves_exchange_through_shared_memory(launch, size):
    """Blocks of several waves, and blocks that are no multiple of the wave."""
    x = np.random.default_rng(size).integers(0, 1000, (3, 500)).astype(np.int32)
    out = np.zeros_like(x)
    launch(reverse, x, out, size, grid=3, block=size)
    np.testing.assert_array_equal(out[:, :size], x[:, :size][:, ::-1])
    assert not out[:, size:].any()


@avelang.jit
def scan(x: al.Tensor((256,), al.i32), out: al.Tensor((256,), al.i32)):
    t = al.thread_id(0)
    tile = al.make_shared((256,), al.i32)
    tile[t] = x[t]
    al.syncthreads()
    step = al.convert(1, al.u32)
    while step < 256:
        v = tile[t]
        if t >= step:
            v = v + tile[t - step]
        al.syncthreads()
        tile[t] = v
        al.syncthreads()
        step = step * 2
    out[t] = tile[t]


def test_barriers_in_a_loop(launch):
    x = np.random.default_rng(1).integers(-50, 50, 256).astype(np.int32)
    out = np.zeros_like(x)
    launch(scan, x, out, block=256)
    np.testing.assert_array_equal(out, np.cumsum(x))


# -- shuffles ----------------------------------------------------------------------------------------------------------


def shuffle_kernel(function, width):
    @avelang.jit
    def kernel(x: al.Tensor((N,), al.i32), by: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
        t = al.thread_id(0)
        out[t] = function(x[t], by[t], width)

    return kernel


def plain_shuffle(kind, x, by, width):
    out = x.copy()
    for lane in range(len(x)):
        base, own, o = lane - lane % width, lane % width, int(by[lane])
        source = {"idx": o, "up": own - o, "down": own + o, "xor": own ^ o}[kind]
        if 0 <= source < width:
            out[lane] = x[base + source]
    return out


@pytest.mark.parametrize("width", [64, 32, 16, 8, 4, 2])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_shuffles(launch, kind, width):
    function = {"idx": al.shuffle, "up": al.shuffle_up, "down": al.shuffle_down, "xor": al.shuffle_xor}[kind]
    rng = np.random.default_rng(width)
    x = rng.integers(-1000, 1000, N).astype(np.int32)
    for by in (np.full(N, 1), np.full(N, width // 2), np.full(N, width), rng.integers(0, 2 * width, N)):
        by = by.astype(np.int32)
        out = np.zeros_like(x)
        launch(shuffle_kernel(function, width), x, by, out)
        np.testing.assert_array_equal(out, plain_shuffle(kind, x, by, width))


def typed_shuffle(dtype):
    @avelang.jit
    def kernel(x: al.Tensor((N,), dtype), out: al.Tensor((N,), dtype)):
        t = al.thread_id(0)
        out[t] = al.shuffle_xor(x[t], 5, 64)

    return kernel


@pytest.mark.parametrize("name, d",
                         [("f32", np.float32), ("f64", np.float64), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16),
                          ("i64", np.int64), ("u8", np.uint8)])  # fmt: skip  # noqa: E501
def test_shuffles_of_every_width(launch, name, d):
    x = np.random.default_rng(2).integers(0, 100, N).astype(d)
    out = np.zeros_like(x)
    launch(typed_shuffle(getattr(al, name)), x, out)
    np.testing.assert_array_equal(out, x[np.arange(N) ^ 5])


@avelang.jit
def sums_of_a_wave(x: al.Tensor((64,), al.i32), out: al.Tensor((8,), al.i32)):
    t = al.thread_id(0)
    s = al.make_shared((72,), al.i32)
    s[t] = x[t]
    if t < 8:
        s[t + 64] = 0
    for by in (4, 2, 1):
        al.fence(scope="block")
        other = s[t + by]
        al.fence(scope="block")
        s[t] += other
    if t % 8 == 0:
        out[t // 8] = s[t]


def test_lanes_exchange_through_memory_behind_fences(launch):
    x = np.arange(64, dtype=np.int32) ** 2
    out = np.zeros(8, np.int32)
    launch(sums_of_a_wave, x, out)
    np.testing.assert_array_equal(out, x.reshape(8, 8).sum(1))


@avelang.jit
def wave_sum(x: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
    t = al.thread_id(0)
    v = x[t]
    for i in range(6):
        v = v + al.shuffle_xor(v, 1 << i, 64)
    out[t] = v


def test_butterfly_reduction(launch):
    x = np.random.default_rng(3).integers(-100, 100, N).astype(np.float32)
    out = np.zeros_like(x)
    launch(wave_sum, x, out)
    np.testing.assert_array_equal(out, x.sum())


@pytest.mark.parametrize("target, wave", [("sm_80", 32), ("gfx942", 64)])
def test_the_target_says_how_many_lanes_a_wave_has(launch, target, wave):
    x = np.arange(N, dtype=np.int32)
    by = np.full(N, 1, np.int32)
    out = np.zeros_like(x)
    launch(shuffle_kernel(al.shuffle_down, 32), x, by, out, target=target)
    np.testing.assert_array_equal(out, plain_shuffle("down", x, by, 32))
    if wave == 32:
        with pytest.raises(AveError, match="64"):
            launch(shuffle_kernel(al.shuffle_down, 64), x, by, out, target=target)


@avelang.jit
def shuffles_in_three_dimensions(out: al.Tensor((3, 5, 7), al.i32)):
    x = al.thread_id(0)
    y = al.thread_id(1)
    z = al.thread_id(2)
    out[z, y, x] = al.shuffle_xor(al.convert((z * 5 + y) * 7 + x, al.i32), 1, 64)


def test_lanes_count_x_first_then_y_then_z(launch):
    out = np.zeros((3, 5, 7), np.int32)
    launch(shuffles_in_three_dimensions, out, block=(7, 5, 3))
    # Thread 104 is the last of a block of 105: its partner is no thread.
    np.testing.assert_array_equal(out.ravel()[:104], np.arange(104) ^ 1)


@avelang.jit
def divergent_shuffle(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    if t < 32:
        out[t] = al.shuffle_xor(x[t], 3, 32)
    else:
        out[t] = al.shuffle_xor(x[t], 12, 16)


def test_shuffles_among_the_lanes_that_are_active(launch):
    x = np.random.default_rng(9).integers(0, 999, N).astype(np.int32)
    out = np.zeros_like(x)
    launch(divergent_shuffle, x, out)
    t = np.arange(N)
    np.testing.assert_array_equal(out, np.where(t < 32, x[t ^ 3], x[t ^ 12]))


# -- printf ------------------------------------------------------------------------------------------------------------


@avelang.jit
def prints(n: al.i32, f: al.f32):
    t = al.thread_id(0)
    if t < 3:
        al.printf("thread %d of %d: %f 100%%\n", t, n, f)


def test_printf(launch, capfd):
    launch(prints, 42, 1.5, block=64)
    out = capfd.readouterr().out
    assert sorted(out.splitlines()) == [f"thread {t} of 42: 1.500000 100%" for t in range(3)]


@avelang.jit
def prints_formats(a: al.i64, b: al.u32, c: al.f64):
    al.printf("%lld|%u|%x|%5d|%-5d|%.2f|%g|%e\n", a, b, b, 7, 7, c, c, c)


def test_printf_formats(launch, capfd):
    launch(prints_formats, -(1 << 40), 0xFFFFFFFE, 12.345, block=1)
    assert capfd.readouterr().out == "-1099511627776|4294967294|fffffffe|    7|7    |12.35|12.345|1.234500e+01\n"


# -- mathematics -------------------------------------------------------------------------------------------------------

MATH = {
    "exp": (math.exp, -20, 20), "exp2": (lambda v: 2.0**v, -30, 30), "log": (math.log, 1e-3, 50),
    "log2": (math.log2, 1e-3, 50),
    "tanh": (math.tanh, -6, 6), "erf": (math.erf, -4, 4), "sqrt": (math.sqrt, 0, 100), "abs": (abs, -5, 5),
    "rsqrt": (lambda v: 1 / math.sqrt(v), 0.01, 100), "sin": (math.sin, -50, 50), "cos": (math.cos, -50, 50),
}  # fmt: skip


def math_kernel(function, dtype):
    @avelang.jit
    def kernel(x: al.Tensor((N,), dtype), out: al.Tensor((N,), dtype)):
        t = al.thread_id(0)
        out[t] = function(x[t])

    return kernel


def all_math(dtype):
    """A kernel with all functions of MATH: compiling takes longer than all else here."""

    @avelang.jit
    def kernel(x: al.Tensor((len(MATH), N), dtype), out: al.Tensor((len(MATH), N), dtype)):
        t = al.thread_id(0)
        out[0, t] = al.exp(x[0, t])
        out[1, t] = al.exp2(x[1, t])
        out[2, t] = al.log(x[2, t])
        out[3, t] = al.log2(x[3, t])
        out[4, t] = al.tanh(x[4, t])
        out[5, t] = al.erf(x[5, t])
        out[6, t] = al.sqrt(x[6, t])
        out[7, t] = al.abs(x[7, t])
        out[8, t] = al.rsqrt(x[8, t])
        out[9, t] = al.sin(x[9, t])
        out[10, t] = al.cos(x[10, t])

    return kernel


@pytest.mark.parametrize("name, d, tolerance",
                         [("f32", np.float32, 1e-6), ("f64", np.float64, 1e-15), ("f16", np.float16, 2e-3),
                          ("bf16", ml_dtypes.bfloat16, 1e-2)])  # fmt: skip  # noqa: E501
def test_math_functions(launch, name, d, tolerance):
    ranges = {
        f: (-5, 5) if name == "f16" and f in ("exp", "exp2") else (low, high) for f, (_, low, high) in MATH.items()
    }
    x = np.stack([np.linspace(*ranges[f], N).astype(d) for f in MATH])
    out = np.zeros_like(x)
    launch(all_math(getattr(al, name)), x, out)
    for n, (f, (model, _, _)) in enumerate(MATH.items()):
        want = np.array([model(float(v)) if f != "log" or v > 0 else -math.inf for v in x[n]])
        np.testing.assert_allclose(out[n].astype(np.float64), want, rtol=tolerance, atol=tolerance, err_msg=f)


def test_math_at_the_edges(launch):
    x = np.zeros(N, np.float32)
    x[:6] = np.inf, -np.inf, np.nan, 0, -1, 200
    with np.errstate(all="ignore"):
        for function in ("exp", "log", "sqrt", "tanh", "log2", "exp2"):
            out = np.zeros_like(x)
            launch(math_kernel(getattr(al, function), al.f32), x, out)
            np.testing.assert_allclose(out[:6], getattr(np, function)(x[:6]), rtol=1e-6, err_msg=function)


def test_abs_of_integers(launch):
    x = np.arange(-32, 32, dtype=np.int32)
    out = np.zeros_like(x)
    launch(math_kernel(al.abs, al.i32), x, out)
    np.testing.assert_array_equal(out, abs(x))


def pair_kernel(dtype):
    @avelang.jit
    def kernel(a: al.Tensor((N,), dtype), b: al.Tensor((N,), dtype), out: al.Tensor((3, N), dtype)):
        t = al.thread_id(0)
        out[0, t] = al.min(a[t], b[t])
        out[1, t] = al.max(a[t], b[t])
        out[2, t] = al.select(a[t] < b[t], a[t], b[t] + b[t])

    return kernel


@pytest.mark.parametrize("name, d", [
    ("i32", np.int32), ("u8", np.uint8), ("f32", np.float32), ("bf16", ml_dtypes.bfloat16), ("i64", np.int64),
])  # fmt: skip
def test_min_max_select(launch, name, d):
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 100, N).astype(d), rng.integers(0, 100, N).astype(d)
    out = np.zeros((3, N), d)
    launch(pair_kernel(getattr(al, name)), a, b, out)
    np.testing.assert_array_equal(out, np.stack([np.minimum(a, b), np.maximum(a, b), np.where(a < b, a, b + b)]))


def test_min_and_max_prefer_numbers_to_nan(launch):
    a, b = np.arange(N, dtype=np.float32), np.full(N, 10, np.float32)
    a[5], b[6] = np.nan, np.nan
    out = np.zeros((3, N), np.float32)
    launch(pair_kernel(al.f32), a, b, out)
    np.testing.assert_array_equal(out[:2], np.stack([np.fmin(a, b), np.fmax(a, b)]))


@avelang.jit
def fused(
    a: al.Tensor((N,), al.f32), b: al.Tensor((N,), al.f32), c: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)
):
    t = al.thread_id(0)
    out[t] = al.fma(a[t], b[t], c[t])


def test_fma_rounds_once(launch):
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, N)).astype(np.float32)
    c = -(a * b)  # what is left is the error of the product, which two roundings would lose
    out = np.zeros_like(a)
    launch(fused, a, b, c, out)
    want = (a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(out, want)
    assert out.any()


FUSED = {
    "what two roundings lose": (1 + 2.0**-30, 1 - 2.0**-30, -1.0, -(2.0**-60)),
    "a tenth": (0.1, 10.0, -1.0, 2.0**-54),
    "beyond f64 on its way": (1e200, 1e200, -math.inf, -math.inf),
    "beyond f64, back again": (2.0**600, 2.0**424, -(2.0**1023) * 1.5, 2.0**1022),
    "beyond f64 at its end": (-1e200, 1e200, 1.0, -math.inf),
    "below f64": (1e-200, -1e-200, 0.0, -0.0),
    "zeros": (0.0, -1.0, -0.0, -0.0),
    "zeros of both signs": (0, -1.5, 0.0, 0.0),
    "what cancels": (3.0, -2.0, 6, 0.0),
    "an integer that f64 has not": (2**53 + 1, 1.0, -(2**53), 1.0),
    "no number": (math.inf, 0.0, 1.0, math.nan),
}  # fmt: skip


@pytest.mark.parametrize("name", FUSED)
def test_fma_of_compile_time_numbers_rounds_once(name):
    *numbers, want = FUSED[name]

    @avelang.jit
    def kernel(out: al.Tensor((1,), al.f64), a: al.constexpr, b: al.constexpr, c: al.constexpr):
        out[0] = al.fma(a, b, c)

    out = np.ones(1)
    kernel[1, 1](out, *numbers)
    assert out.tobytes() == np.array([want]).tobytes() or np.isnan(out[0]) and np.isnan(want)


def test_fma_of_compile_time_integers_is_an_integer():
    @avelang.jit
    def kernel(out: al.Tensor((1,), al.i32)):
        out[0] = al.fma(3, 5, -1) // 4

    out = np.zeros(1, np.int32)
    kernel[1, 1](out)
    assert out[0] == 3


@avelang.jit
def products_are_not_contracted(a: al.Tensor((N,), al.f32), b: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
    t = al.thread_id(0)
    p = a[t] * b[t]
    out[t] = p - a[t] * b[t]


def test_products_and_sums_round_each(launch):
    a, b = np.random.default_rng(6).standard_normal((2, N)).astype(np.float32)
    out = np.ones_like(a)
    launch(products_are_not_contracted, a, b, out)
    np.testing.assert_array_equal(out, 0)


# -- threads of a launch -----------------------------------------------------------------------------------------------


@avelang.jit
def pairs(out: al.Tensor((N,), al.u32)):
    al.expect_threads(N)
    out[al.thread_id(0) % N] = al.thread_id(0) % N


@avelang.jit
def alone(out: al.Tensor((N,), al.u32)):
    al.expect_threads(N, exact=True)
    out[al.thread_id(0)] = al.thread_id(0)


def test_expected_threads(launch):
    """Those of x, or exactly so many in all; other launches fail before anything is written."""
    for kernel, block in ((pairs, (N,)), (pairs, (2 * N,)), (pairs, (N, 2)), (alone, (N,))):
        out = np.full(N, 7, np.uint32)
        launch(kernel, out, block=block)
        assert np.array_equal(out, np.arange(N))
    for kernel, block in ((pairs, (N - 1,)), (pairs, (N // 2, 2)), (alone, (2 * N,)), (alone, (N, 2))):
        out = np.full(N, 7, np.uint32)
        with pytest.raises(AveError, match="L024") as e:
            launch(kernel, out, block=block)
        assert (out == 7).all() and e.value.span is not None and "[" in e.value.span.text()  # the launch's line


@avelang.jit
def unknown_count(n: al.u32):
    al.expect_threads(n)


@avelang.jit
def exact_number():
    al.expect_threads(4, exact=1)


def test_what_is_expected_is_known_when_the_kernel_is_built():
    for kernel, args in ((unknown_count, (4,)), (exact_number, ())):
        with pytest.raises(AveError, match="T017"):
            kernel[1, 4](*args)
