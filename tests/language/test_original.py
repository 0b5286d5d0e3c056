"""Facts that kernels written for the original language rely on."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base import errors

BLOCK = al.constexpr(4)


@avelang.jit
def load(rsrc: al.Tensor((4,), al.u32), at: al.u32):
    return al.amdgpu.raw_buffer_load_x4(rsrc, vindex=at, soffset=0)


@avelang.jit
def add_in_place(words: al.Tensor((4,), al.u32)) -> al.u32:
    words[1] = words[1] + 1000
    return words[0] + words[3]


@avelang.jit
def buffers(x: al.Tensor((256,), al.u32), y: al.Tensor((64, 2), al.u32)):
    t = al.thread_id(0)
    words = load(al.amdgpu.make_rsrc(x, 1024), t * 16)
    y[t, 0] = add_in_place(words)
    y[t, 1] = al.convert(words[1], al.u32)


def test_a_resource_and_packed_words_are_tensors_of_u32():
    x, y = np.arange(256, dtype=np.uint32), np.zeros((64, 2), np.uint32)
    buffers[(1, 1, 1), (64, 1, 1)](x, y)
    four = x.reshape(64, 4)
    assert (y[:, 0] == four[:, 0] + four[:, 3]).all()
    assert (y[:, 1] == four[:, 1] + 1000).all()  # a store through the parameter shows in the caller


@avelang.jit
def floats(x: al.Tensor((4,), al.f32), y: al.Tensor((4,), al.u32)):
    z = al.full((4,), 1.0, al.f32)
    y[0] = add_in_place(z)


def test_floats_are_no_integers():
    with pytest.raises(errors.AveTypeError, match="T022"):
        floats[(1, 1, 1), (1, 1, 1)](np.zeros(4, np.float32), np.zeros(4, np.uint32))


@avelang.jit
def trailing(x: al.Tensor((1, 1, 1, 16, 16), al.f32), y: al.Tensor((8, 8), al.f32), row: al.u32, col: al.u32):
    t = al.thread_id(0)
    window = al.subview(x, (row, col), (8, 8), (1, 1))
    y[t // 8, t % 8] = window[t // 8, t % 8]
    window[t // 8, t % 8] = 0.0


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_offsets_of_a_subview_may_name_the_trailing_modes(backend):
    x, y = np.random.default_rng(0).random((1, 1, 1, 16, 16)).astype(np.float32), np.zeros((8, 8), np.float32)
    want = x[0, 0, 0, 3:11, 5:13].copy()
    trailing[(1, 1, 1), (64, 1, 1)](x, y, 3, 5, backend=backend)
    assert (y == want).all() and (x[0, 0, 0, 3:11, 5:13] == 0).all() and np.count_nonzero(x) == 256 - 64


@avelang.jit
def leading(x: al.Tensor((2, 16, 16), al.f32), y: al.Tensor((8, 8), al.f32)):
    y[0, 0] = al.subview(x, (0, 0), (8, 8), (1, 1))[0, 0]


def test_modes_of_more_than_one_must_be_named():
    with pytest.raises(errors.AveTypeError, match="T048"):
        leading[(1, 1, 1), (1, 1, 1)](np.zeros((2, 16, 16), np.float32), np.zeros((8, 8), np.float32))


@avelang.jit
def scaled(y: al.Tensor((4,), al.f32), n: al.constexpr):
    t = al.thread_id(0)
    if t < BLOCK.value:
        y[t] = n.value * BLOCK


def test_constexpr_has_a_value():
    assert al.constexpr(3).value == 3 == al.constexpr(3) and type(al.constexpr(3).value) is int
    assert al.constexpr(2.5).value == 2.5 and al.constexpr("x").value == "x" and al.constexpr(True) is True
    y = np.zeros(4, np.float32)
    scaled[(1, 1, 1), (4, 1, 1)](y, al.constexpr(3))
    assert (y == 12).all()
    scaled[(1, 1, 1), (4, 1, 1)](y, 0.5)
    assert (y == 2).all()


def test_names_and_classes():
    assert al.dynamic == -1 and isinstance(al.bf16, al.dtype)
    assert issubclass(errors.AveError, RuntimeError)
    assert al.amdgpu.mfma_16x16x32_fp8_fp8.row is al.amdgpu.mfma_f32_16x16x32_fp8_fp8.row
    assert al.amdgpu.mfma_16x16x32_fp8_bf8.row is al.amdgpu.mfma_f32_16x16x32_fp8_bf8.row


@avelang.jit
def unknown(x: al.Tensor((4,), Unknown)):  # noqa: F821
    pass


def test_refusals_are_runtime_errors():
    with pytest.raises(RuntimeError, match=r"\[T005\] unknown name 'Unknown' in the annotation of 'x'"):
        unknown[(1, 1, 1), (1, 1, 1)](np.zeros(4, np.float32))


def test_signatures_are_true():
    assert str(inspect.signature(al.subview)) == "(tensor, offsets, sizes, strides=None)"
    assert str(inspect.signature(al.printf)) == "(format, *args)"
    assert str(inspect.signature(al.amdgpu.raw_buffer_load_x4)) == "(rsrc, voffset, soffset, aux=0)"
    assert list(inspect.signature(buffers).parameters) == ["x", "y"]
