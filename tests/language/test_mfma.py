"""AMD matrix instructions and buffers in kernels: tutorial-like GEMMs on odd shapes, packed operands, range checks by
dword, helpers."""

import importlib.util
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al

BF16 = ml_dtypes.bfloat16
_SPEC = importlib.util.spec_from_file_location(
    "gemm_ladder", Path(__file__).resolve().parents[2] / "examples" / "gemm_ladder.py"
)
ladder = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(ladder)


def chain(a, b, c):
    """float32 C + A @ B.T by the rule of the language: k ascending, one rounding for each product added (products of
    bf16 are exact)."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    acc = c.astype(np.float32)
    for k in range(a.shape[1]):
        acc = acc + a[:, k : k + 1] * b[None, :, k]
    return acc


def operands(m, n, k, dtype=BF16, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((m, k)).astype(dtype),
        rng.standard_normal((n, k)).astype(dtype),
        np.zeros((m, n), np.float32),
    )


@pytest.mark.parametrize("m, n, k", [(32, 32, 8), (64, 32, 24), (96, 64, 72)])
def test_runtime_shape(launch, m, n, k):
    a, b, c = operands(m, n, k)
    launch(ladder.runtime_shape, a, b, c, m, n, k, grid=(n // 32, m // 32))
    np.testing.assert_array_equal(c, chain(a, b, np.zeros_like(c)))


@pytest.mark.parametrize("m, n, k", [(1, 1, 8), (33, 5, 32), (31, 65, 16), (117, 121, 40)])
def test_guarded(launch, m, n, k):
    a, b, _ = operands(m, n, k)
    memory = np.full(m * n + 64, 77, np.float32)  # what lies behind C must stay
    launch(ladder.guarded, a, b, memory, m, n, k, grid=(-(-n // 32), -(-m // 32)))
    np.testing.assert_array_equal(memory[: m * n].reshape(m, n), chain(a, b, np.zeros((m, n))))
    assert (memory[m * n :] == 77).all()


@avelang.jit
def staged(a: al.Tensor((32, 16), al.bf16), b: al.Tensor((32, 16), al.bf16), c: al.Tensor((32, 32), al.f32)):
    a_vec = al.view(a, al.Tensor((32, 2, 4), al.i32))
    b_vec = al.view(b, al.Tensor((32, 2, 4), al.i32))
    lane = al.thread_id(0)
    a_tile = al.make_shared((64, 4), al.i32)
    b_tile = al.make_shared((64, 4), al.i32)
    c_tile = al.make_shared((32, 32), al.f32)
    c_vec = al.view(c_tile, al.Tensor((32, 8, 4), al.i32))
    out_vec = al.view(c, al.Tensor((32, 8, 4), al.i32))
    a_tile[lane] = a_vec[lane & 31, lane >> 5]
    b_tile[lane] = b_vec[lane & 31, lane >> 5]
    al.syncthreads()
    a_words = a_tile[lane]
    b_words = b_tile[lane]
    a_frag = al.view(a_words, al.Tensor((2, 4, 1), al.bf16))
    b_frag = al.view(b_words, al.Tensor((2, 4, 1), al.bf16))
    acc = al.full((16,), 0.0, al.f32)
    acc = al.amdgpu.mfma_32x32x8_bf16_f32(b_frag[0], a_frag[0], acc)
    acc = al.amdgpu.mfma_f32_32x32x8_bf16(b_frag[1], a_frag[1], acc)
    for r in al.range(16):
        c_tile[lane & 31, ((r >> 2) << 3) + (lane >> 5) * 4 + (r & 3)] = acc[r]
    al.syncthreads()
    for v in al.range(4):
        out_vec[lane >> 1, (lane & 1) * 4 + v] = c_vec[lane >> 1, (lane & 1) * 4 + v]


def test_fragments_as_views_and_swapped_operands(launch):
    """Both halves of the wave bring eight columns each, so the order of the products is 0-3, 8-11, then 4-7, 12-15."""
    a, b, c = operands(32, 32, 16)
    launch(staged, a, b, c)
    order = [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15]
    np.testing.assert_array_equal(c, chain(a[:, order], b[:, order], np.zeros_like(c)))


def small_kernel(function, dtype):
    @avelang.jit
    def kernel(a: al.Tensor((16, 4, 4), dtype), b: al.Tensor((16, 4, 4), dtype), c: al.Tensor((16, 16), al.f32)):
        lane = al.thread_id(0)
        acc = al.full((4,), 0.0, al.f32)
        for r in range(4):
            acc[r] = c[4 * (lane // 16) + r, lane % 16]
        acc = function(a[lane % 16, lane // 16], b[lane % 16, lane // 16], acc)
        for r in range(4):
            c[4 * (lane // 16) + r, lane % 16] = acc[r]

    return kernel


@pytest.mark.parametrize("name, dtype, d", [
    ("mfma_16x16x16_f16_f32", "f16", np.float16), ("mfma_16x16x16_bf16_f32", "bf16", BF16),
    ("mfma_f32_16x16x16_bf16", "bf16", BF16),
])  # fmt: skip
def test_sixteen_by_sixteen(launch, name, dtype, d):
    a, b, _ = operands(16, 16, 16, d)
    c = np.random.default_rng(9).standard_normal((16, 16)).astype(np.float32)
    want = chain(a, b, c)
    launch(small_kernel(getattr(al.amdgpu, name), getattr(al, dtype)), a.reshape(16, 4, 4), b.reshape(16, 4, 4), c)
    np.testing.assert_array_equal(c, want)


@avelang.jit
def packed_words(a: al.Tensor((16, 4, 2), al.i32), b: al.Tensor((16, 4, 2), al.i32), c: al.Tensor((16, 16), al.f32)):
    lane = al.thread_id(0)
    acc = al.amdgpu.mfma_16x16x16_bf16_f32(
        a[lane % 16, lane // 16], b[lane % 16, lane // 16], al.full((4,), 0.0, al.f32)
    )
    for r in range(4):
        c[4 * (lane // 16) + r, lane % 16] = acc[r]


def test_operands_as_packed_words(launch):
    a, b, c = operands(16, 16, 16)
    launch(packed_words, a.view(np.int32).reshape(16, 4, 2), b.view(np.int32).reshape(16, 4, 2), c)
    np.testing.assert_array_equal(c, chain(a, b, np.zeros_like(c)))


# -- buffers -----------------------------------------------------------------------------------------------------------


def buffer_kernel(width):
    load = getattr(al.amdgpu, f"raw_buffer_load_x{width}")
    store = getattr(al.amdgpu, f"raw_buffer_store_x{width}")

    @avelang.jit
    def kernel(x: al.Tensor((96,), al.i32), y: al.Tensor((96,), al.i32), size: al.u32, shift: al.i32):
        source = al.amdgpu.make_rsrc(x, size)
        target = al.amdgpu.make_rsrc(y, size)
        at = al.convert(al.thread_id(0) * (4 * width), al.i32)
        store(load(source, at, shift, 0), target, shift, at, 0)

    return kernel


@pytest.mark.parametrize("size", [0, 4, 20, 56, 128, 384])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_ranges_are_checked_dword_by_dword(launch, width, size):
    """Offsets differ from lane to lane in the second argument of the load, and in the third of the store."""
    x = np.arange(1, 97, dtype=np.int32)
    for shift in (0, 8):
        y = np.full(96, -1, np.int32)
        launch(buffer_kernel(width), x, y, size, shift, block=16)
        want = np.full(96, -1, np.int32)
        inside = [i for i in range(shift // 4, shift // 4 + 16 * width) if 4 * i + 4 <= size]
        want[inside] = x[inside]
        np.testing.assert_array_equal(y, want)


def load_only(width):
    load = getattr(al.amdgpu, f"raw_buffer_load_x{width}")

    @avelang.jit
    def kernel(x: al.Tensor((64,), al.i32), out: al.Tensor((16, width), al.i32), size: al.u32):
        words = load(al.amdgpu.make_rsrc(x, size), al.convert(al.thread_id(0) * 12, al.i32), al.convert(0, al.i32), 0)
        if width == 1:
            out[al.thread_id(0), 0] = words
        else:
            out[al.thread_id(0)] = words

    return kernel


@pytest.mark.parametrize("width", [1, 2, 4])
def test_loads_that_straddle_the_end_read_zeros_outside(launch, width):
    x = np.arange(1, 65, dtype=np.int32)
    out = np.full((16, width), -1, np.int32)
    launch(load_only(width), x, out, 100, block=16)
    want = [[x[3 * t + j] if 3 * t + j < 25 else 0 for j in range(width)] for t in range(16)]
    np.testing.assert_array_equal(out, want)


@avelang.jit
def window(x: al.Tensor((64,), al.i32), out: al.Tensor((64,), al.i32)):
    part = al.subview(x, (16,), (8,), (1,))
    words = al.amdgpu.raw_buffer_load_x1(
        al.amdgpu.make_rsrc(part, 32), al.convert(al.thread_id(0) * 4, al.i32), al.convert(0, al.i32), 0
    )
    out[al.thread_id(0)] = words


def test_a_descriptor_begins_at_its_subview(launch):
    x = np.arange(64, dtype=np.int32)
    out = np.zeros_like(x)
    launch(window, x, out)
    np.testing.assert_array_equal(out, [16 + t if t < 8 else 0 for t in range(64)])


# -- helpers -----------------------------------------------------------------------------------------------------------


@avelang.jit
def helpers(
    x: al.Tensor((64,), al.f32),
    w: al.Tensor((64,), al.i32),
    out: al.Tensor((4, 64), al.i32),
    r: al.Tensor((64,), al.f32),
):
    t = al.thread_id(0)
    r[t] = al.amdgpu.rcp(x[t])
    out[0, t] = al.amdgpu.perm(w[t], w[63 - t], 0x07020500)
    out[1, t] = al.amdgpu.readfirstlane(w[t])
    if t > 20:
        out[2, t] = al.amdgpu.readfirstlane(w[t])
    # Row rotation by one lane within sixteen (dpp_ctrl 0x121: ROW_ROR 1).
    out[3, t] = al.amdgpu.get_dpp(w[t], w[t], 0x121, 0xF, 0xF, True)
    al.amdgpu.s_waitcnt(0, 7, 15)
    al.amdgpu.sched_group_barrier(2, 4, 1)
    al.amdgpu.sched_barrier(0)
    al.amdgpu.s_setprio(1)


def test_helpers(launch):
    rng = np.random.default_rng(7)
    x = rng.uniform(0.1, 9, 64).astype(np.float32)
    w = rng.integers(-(1 << 31), 1 << 31, 64).astype(np.int32)
    out, r = np.zeros((4, 64), np.int32), np.zeros(64, np.float32)
    launch(helpers, x, w, out, r)
    np.testing.assert_allclose(r, 1 / x, rtol=2e-7)
    # Selector bytes 0-3 name bytes of the second operand, 4-7 of the first.
    low, high = w[::-1].copy().view(np.uint8).reshape(64, 4), w.view(np.uint8).reshape(64, 4)
    both = np.concatenate([low, high], 1)
    np.testing.assert_array_equal(out[0].view(np.uint8).reshape(64, 4), both[:, [0, 5, 2, 7]])
    assert (out[1] == w[0]).all()
    np.testing.assert_array_equal(out[2], np.where(np.arange(64) > 20, w[21], 0))
    lane = np.arange(64)
    np.testing.assert_array_equal(out[3], w[lane // 16 * 16 + (lane % 16 - 1) % 16])


@avelang.jit
def histogram(x: al.Tensor((256,), al.i32), bins: al.Tensor((8,), al.i32)):
    t = al.block_id(0) * 64 + al.thread_id(0)
    al.amdgpu.atomic_add(x[t] * 4, al.convert(1, al.i32), bins, al.amdgpu.AtomicScope.AGENT)


def test_atomic_add(launch):
    x = np.random.default_rng(8).integers(0, 8, 256).astype(np.int32)
    bins = np.zeros(8, np.int32)
    launch(histogram, x, bins, grid=4)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=8))


@avelang.jit
def counts(out: al.Tensor((8,), al.i32)):
    t = al.convert(al.thread_id(0), al.i32)
    al.amdgpu.atomic_add((t % 8) * 4, al.convert(1, al.i32), out, al.AtomicScope.SYSTEM)


def test_atomics_of_blocks_that_run_side_by_side(launch, backend):
    blocks = 1000 if backend == "cpu" else 20
    out = np.zeros(8, np.int32)
    launch(counts, out, grid=(blocks // 2, 2))
    assert (out == 8 * blocks).all()


@avelang.jit
def atomic_f32(x: al.Tensor((256,), al.f32), out: al.Tensor((4,), al.f32)):
    t = al.thread_id(0)
    al.amdgpu.atomic_add(al.convert(t % 4 * 4, al.i32), x[t], out, al.amdgpu.AtomicScope.SYSTEM)


def test_atomic_add_of_floats(launch):
    x = np.random.default_rng(11).integers(-99, 99, 256).astype(np.float32)
    out = np.ones(4, np.float32)
    launch(atomic_f32, x, out, block=256)
    np.testing.assert_array_equal(out, 1 + x.reshape(64, 4).sum(0))


def atomic_pairs(dtype):
    @avelang.jit
    def kernel(x: al.Tensor((64, 2), dtype), out: al.Tensor((8,), dtype)):
        t = al.thread_id(0)
        al.amdgpu.atomic_add(al.convert(t % 4 * 4, al.i32), x[t], out, al.amdgpu.AtomicScope.WORKGROUP)

    return kernel


@pytest.mark.parametrize("name, d", [("f16", np.float16), ("bf16", BF16)])
def test_atomic_add_of_packed_pairs(launch, name, d):
    x = np.random.default_rng(12).integers(-4, 4, (64, 2)).astype(d)
    out = np.zeros(8, d)
    launch(atomic_pairs(getattr(al, name)), x, out)
    np.testing.assert_array_equal(out.astype(np.float32).reshape(4, 2), x.astype(np.float32).reshape(16, 4, 2).sum(0))


@avelang.jit
def bf8_pack(x: al.Tensor((64, 2), al.f32), out: al.Tensor((64,), al.i32)):
    t = al.thread_id(0)
    out[t] = al.amdgpu.cvt_pk_bf8_f32(x[t, 0], x[t, 1], al.convert(0x7FFF, al.i32), True)


def test_the_other_half_of_a_packed_conversion_is_kept(launch):
    x = np.random.default_rng(13).uniform(-200, 200, (64, 2)).astype(np.float32)
    out = np.zeros(64, np.int32)
    launch(bf8_pack, x, out, target="gfx942")
    want = x.astype(ml_dtypes.float8_e5m2fnuz).view(np.uint16).ravel().astype(np.uint32) << 16 | 0x7FFF
    np.testing.assert_array_equal(out.view(np.uint32), want)


@avelang.jit
def fp8_pack(x: al.Tensor((64, 4), al.f32), out: al.Tensor((64,), al.i32)):
    t = al.thread_id(0)
    low = al.amdgpu.cvt_pk_fp8_f32(x[t, 0], x[t, 1], al.convert(0, al.i32), False)
    out[t] = al.amdgpu.cvt_pk_fp8_f32(x[t, 2], x[t, 3], low, True)


@pytest.mark.parametrize("target, d", [("gfx942", ml_dtypes.float8_e4m3fnuz), ("gfx950", ml_dtypes.float8_e4m3fn)])
def test_packed_fp8_conversion_follows_the_chip(launch, target, d):
    x = np.random.default_rng(10).uniform(-200, 200, (64, 4)).astype(np.float32)
    out = np.zeros(64, np.int32)
    launch(fp8_pack, x, out, target=target)
    np.testing.assert_array_equal(out.view(np.uint8).reshape(64, 4), x.astype(d).view(np.uint8))


@avelang.jit
def straight_to_shared(x: al.Tensor((64,), al.i32), out: al.Tensor((64,), al.i32)):
    t = al.thread_id(0)
    tile = al.make_shared((64,), al.i32)
    rsrc = al.amdgpu.make_rsrc(x, 160)
    al.amdgpu.raw_buffer_load_x1_lds(rsrc, tile, 4, al.convert((63 - t) * 4, al.i32), al.convert(0, al.i32), 0, 0)
    al.amdgpu.s_waitcnt(0, 7, 15)
    al.syncthreads()
    out[t] = tile[t]


def test_loads_direct_to_lds(launch):
    x = np.arange(1, 65, dtype=np.int32)
    out = np.zeros_like(x)
    launch(straight_to_shared, x, out)
    np.testing.assert_array_equal(out, [x[63 - t] if 63 - t < 40 else 0 for t in range(64)])
