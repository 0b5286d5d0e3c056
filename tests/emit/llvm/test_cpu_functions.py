"""Ops that the CPU does by functions of the module, against NumPy: range-checked loads under masks, and functions of
f32 that a kernel uses often."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.runtime.compile import compile_text

LANES = 64


@avelang.jit
def gather(src: al.Pointer(al.i32), at: al.Pointer(al.i32), out: al.Pointer(al.i32), limit: al.u32, some: al.i32,
           times: al.constexpr):  # fmt: skip
    t = al.thread_id(0)
    words = al.make_tensor(src, al.i32, al.make_layout((1024,), (1,)))
    offsets = al.make_tensor(at, al.i32, al.make_layout((times, 64), (64, 1)))
    to = al.make_tensor(out, al.i32, al.make_layout((times, 64, 7), (448, 7, 1)))
    buffer = al.amdgpu.make_rsrc(words, limit)
    for i in range(times):
        if offsets[i, t] % 3 != some:
            four = al.amdgpu.raw_buffer_load_x4(buffer, offsets[i, t] * 4, 4, 0)
            two = al.amdgpu.raw_buffer_load_x2(buffer, offsets[i, t] * 4, 4, 0)
            for j in range(4):
                to[i, t, j] = four[j]
            for j in range(2):
                to[i, t, 4 + j] = two[j]
            to[i, t, 6] = al.amdgpu.raw_buffer_load_x1(buffer, offsets[i, t] * 4, 4, 0)


@pytest.mark.parametrize("times", [1, 5])
@pytest.mark.parametrize("some", [-1, 1])  # all lanes, or those of a condition
def test_range_checked_loads(times, some):
    rng = np.random.default_rng([times, some + 1])
    src = rng.integers(-(1 << 31), 1 << 31, 1024).astype(np.int32)
    at, limit = rng.integers(0, 1019, (times, LANES)).astype(np.int32), 4 * 601
    out = np.full((times, LANES, 7), 5, np.int32)
    gather[(1, 1, 1), (LANES, 1, 1)](src, at, out, limit, some, times)
    known = np.where(np.arange(1024) < limit // 4, src, 0)
    want = np.stack([known[at + 1 + j] for j in (0, 1, 2, 3, 0, 1, 0)], 2)
    np.testing.assert_array_equal(out, np.where((at % 3 != some)[..., None], want, 5))
    text = compile_text(gather, {"times": times}, (LANES, 1, 1), "gfx942", "ir")
    assert text.count("raw_buffer_load_x4") >= times


@avelang.jit
def waves(x: al.Pointer(al.f32), y: al.Pointer(al.f32), one: al.f32, times: al.constexpr):
    t = al.thread_id(0)
    a = al.make_tensor(x, al.f32, al.make_layout((times, 64), (64, 1)))
    b = al.make_tensor(y, al.f32, al.make_layout((times, 64), (64, 1)))
    for i in range(times):
        if t > 3:
            b[i, t] = al.exp(a[i, t]) + al.tanh(a[i, t]) + al.sin(a[i, t]) + al.exp(one + i)


@pytest.mark.parametrize("times", [1, 3])
def test_functions_of_f32(times):
    rng = np.random.default_rng(times)
    x, y = rng.uniform(-9, 9, (times, LANES)).astype(np.float32), np.zeros((times, LANES), np.float32)
    waves[(1, 1, 1), (LANES, 1, 1)](x, y, 0.5, times)
    wide, rows = x.astype(np.float64), np.arange(times)[:, None]
    want = np.exp(wide) + np.tanh(wide) + np.sin(wide) + np.exp(0.5 + rows)
    np.testing.assert_allclose(y[:, 4:], want[:, 4:], rtol=2e-6, atol=2e-6)
    assert not y[:, :4].any()
    text = compile_text(waves, {"times": times}, (LANES, 1, 1), "cpu", "llvm")
    calls = text.count("call <64 x float> @do.exp")
    assert calls == (times if times > 1 else 0)
    assert text.count("define internal <64 x float> @do.exp") == min(calls, 1)


CODES = (0x07060302, 0x05040100, 0x00000000, 0x01020304, 0x0C0D0E0F, 0x06070C00, 0x03020106, 0x0C0C0201, 0x070B0301)


@avelang.jit
def permuted(a: al.Pointer(al.u32), b: al.Pointer(al.u32), out: al.Pointer(al.u32), code: al.constexpr):
    t = al.thread_id(0)
    x, y = al.make_tensor(a, al.u32, al.make_layout((64,), (1,))), al.make_tensor(b, al.u32, al.make_layout((64,), (1,)))
    to = al.make_tensor(out, al.u32, al.make_layout((64,), (1,)))
    to[t] = al.amdgpu.perm(x[t], y[t], code)


@pytest.mark.parametrize("code", CODES)
def test_bytes_by_constant_selectors(code):
    rng = np.random.default_rng(code)
    x, y = (rng.integers(0, 1 << 32, LANES, dtype=np.uint32) for _ in range(2))
    out = np.zeros(LANES, np.uint32)
    permuted[(1, 1, 1), (LANES, 1, 1)](x, y, out, code)
    source = np.stack([y, x], 1).view(np.uint8)
    signs = np.where(source[:, 1::2] >= 128, 255, 0)
    table = np.concatenate([source, signs, np.zeros((LANES, 1)), np.full((LANES, 3), 255)], 1).astype(np.uint8)
    want = table[:, list(code.to_bytes(4, "little"))].copy().view(np.uint32)[:, 0]
    np.testing.assert_array_equal(out, want)
