"""`al.target()`: what a kernel knows of its chip while it is built, with a target and without one, and that it is part
of the kernel's key."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.arch import CHIPS


@avelang.jit
def facts(out: al.Tensor((5,), al.i32)):
    t = al.target()
    out[0] = t.wave
    out[1] = t.lds_bytes
    out[2] = t.max_threads
    if t.vendor == "amd":
        out[3] = 1
    else:
        out[3] = 2
    out[4] = 1 if t.has("sm_80") else 0


@pytest.mark.parametrize("name", CHIPS)
def test_facts(name):
    out = np.zeros(5, np.int32)
    facts[1, 1](out, target=name, backend="reference")
    chip = CHIPS[name]
    assert out.tolist() == [chip.wave, chip.lds_bytes, chip.max_threads, 1 if chip.vendor == "amd" else 2,
                            int("sm_80" in chip.features)]


def test_without_a_target_it_is_the_first_choice():
    out = np.zeros(5, np.int32)
    facts[1, 1](out)
    assert out[0] == 64 and out[3] == 1
    facts[1, 1](out, target="sm_90a")  # another kernel
    assert out[0] == 32 and out[3] == 2


@avelang.jit
def shuffled(out: al.Tensor((64,), al.i32)):
    if al.target().vendor == "nvidia":
        al.nvvm.cp_async_wait_all()
    out[al.thread_id(0)] = al.shuffle_xor(al.convert(al.thread_id(0), al.i32), 1)


def test_the_whole_kernel_is_for_that_chip():
    out = np.zeros(64, np.int32)
    for target in ("gfx942", "sm_80"):
        shuffled[1, 64](out, target=target, backend="reference")
        assert out.tolist() == [i ^ 1 for i in range(64)]


@avelang.jit
def late(out: al.Tensor((1,), al.i32)):
    al.nvvm.cp_async_wait_all()
    out[0] = al.target().wave


def test_intrinsics_before_it_count():
    out = np.zeros(1, np.int32)
    late[1, 32](out, backend="reference")
    assert out[0] == 32


@avelang.jit
def of_pointers(p: al.Pointer(al.f16), out: al.Tensor((2,), al.i32)):
    out[0] = 1 if p.dtype == al.f16 else 0
    out[1] = 1 if isinstance(p, al.Pointer) and not isinstance(p, al.TensorMap) and isinstance(out, al.Tensor) else 0


def test_what_a_pointer_is():
    out = np.zeros(2, np.int32)
    of_pointers[1, 1](np.zeros(1, np.float16), out, backend="reference")
    assert out.tolist() == [1, 1]
