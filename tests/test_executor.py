"""`avelang.executor`: machine code from text, files and bytes; what is refused, and in which words."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import executor
from avelang.base.errors import AveError

DOUBLE = """
    .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
double:
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[2:3]
    s_waitcnt vmcnt(0)
    v_add_f32_e32 v2, v2, v2
    global_store_dword v1, v2, s[2:3]
    s_endpgm
    .amdhsa_kernel double
        .amdhsa_kernarg_size 16
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .end_amdhsa_kernel
    .amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .name:           x
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           n
        .offset:         8
        .size:           4
        .value_kind:     by_value
    .max_flat_workgroup_size: 128
    .name:           double
    .end_amdgpu_metadata
"""


@pytest.fixture(scope="module")
def double() -> executor.Kernel:
    return executor.load(DOUBLE)


def test_a_kernel_of_text_of_bytes_and_of_a_file(tmp_path):
    (tmp_path / "double.s").write_text(DOUBLE)
    for source in (DOUBLE, DOUBLE.encode(), tmp_path / "double.s", str(tmp_path / "double.s")):
        x = np.arange(64, dtype=np.float32)
        executor.load(source)[1, 64](x, 64)
        assert (x == 2 * np.arange(64)).all()


@pytest.mark.parametrize(
    "source,said",
    [
        ("nothing.s", r"\[X028\] nothing\.s cannot be executed: No such file"),
        (pathlib.Path("/"), r"\[X028\] / cannot be executed: .*directory"),
        (None, r"\[X028\] None cannot be executed: it is a NoneType"),
        ("hello\n", r"\[X029\] assembly:1: `hello` is not an instruction of an AMD GPU"),
        ("s_nop 0\n", r"\[X028\] assembly cannot be executed: it has no `\.amdhsa_kernel`"),
        (DOUBLE.replace("gfx942", "gfx1100"), r"\[X028\].* code for gfx1100; .* gfx90a, gfx942, gfx950"),
        (DOUBLE.replace("gfx942", "gfx908"), r"\[X028\].* code for gfx908"),
        (b"\xff\xfe\xfd\xfc", r"\[X020\].*neither a code object nor text"),
        (b"\x7fELF garbage", r"\[D022\]"),
        (b"CCOB garbage", r"\[D022\]"),
    ],
)
def test_what_is_no_kernel_for_this_chip_is_refused(source, said):
    with pytest.raises(AveError, match=said):
        executor.load(source)


def test_an_unknown_kernel_is_told_which_there_are():
    with pytest.raises(AveError, match="D023.*'triple'") as caught:
        executor.load(DOUBLE, "triple")
    assert "double" in caught.value.hint


@pytest.mark.parametrize("extents", [1, (), (1, ()), ((1, 1, 1, 1), 64), (1.0, 64), (-1, 64), (1, 0)], ids=str)
def test_extents_that_are_none(double, extents):
    with pytest.raises(AveError, match="L002"):
        double[extents]


@pytest.mark.parametrize(
    "given,said",
    [
        ((), r"0 arguments: its metadata names 2: `x` \(an address\), `n` \(a value of 4 bytes\)"),
        ((np.zeros(64, np.float32), np.zeros(4)), "argument `n` is a value of 4 bytes: it got an array of float64"),
        ((np.zeros(64, np.float32), np.int64(4)), "argument `n` is a value of 4 bytes: it got int64 4, which has 8 bytes"),
        ((np.zeros(64, np.float32), 1 << 32), "it got 4294967296, which does not fit"),
        ((np.zeros(64, np.float32), -(1 << 31) - 1), "which does not fit"),
        ((np.uint32(7), 64), "argument `x` is an address: it got uint32 7"),
        (([1, 2], 64), "argument `x` is an address: it got a list"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(double, given, said):
    with pytest.raises(AveError, match=rf"\[X027\] kernel `double`: .*{said}"):
        double[1, 64](*given)


def test_numbers_of_both_signs_fit(double):
    for n in (-1, -(1 << 31), (1 << 32) - 1, 1.5, None):
        double[1, 64](np.zeros(64, np.float32), n)


def test_a_block_is_as_large_as_the_kernel_was_compiled_for(double):
    double[1, 128](np.zeros(128, np.float32), 0)
    with pytest.raises(AveError, match=r"X027.*block \(129, 1, 1\): the kernel was compiled for 128 work-items"):
        double[1, 129](np.zeros(129, np.float32), 0)


@pytest.mark.parametrize(
    "elements,said",
    [(64, "the nearest is `x` of 256 bytes, which ends just there"), (60, "the nearest is `x` of 240 bytes, which ends just there")],
)
def test_an_array_that_is_too_small_is_named(double, elements, said):
    with pytest.raises(AveError, match=rf"X022.*{said}.*lane {elements % 64}\)"):
        double[1, 128](np.zeros(elements, np.float32), 0)


@pytest.mark.parametrize(
    "descriptor", ["next_free_vgpr 3", "next_free_vgpr 1", "next_free_vgpr 0", "next_free_vgpr 16\n.amdhsa_accum_offset 4"], ids=repr
)
def test_registers_that_the_descriptor_asks_for_are_there(descriptor):
    text = DOUBLE.replace(".amdhsa_kernarg_size", f".amdhsa_{descriptor}\n.amdhsa_kernarg_size")
    executor.load(text)[1, 64](np.zeros(64, np.float32), 0)


@pytest.mark.parametrize(
    "descriptor,register,said",
    [
        ("next_free_vgpr 3", "v8", "v8 is not there: the kernel's descriptor asks for 8 registers v"),
        ("next_free_vgpr 16\n.amdhsa_accum_offset 4", "v16", "a12 is not there"),
        ("next_free_vgpr 16\n.amdhsa_accum_offset 4", "a12", "asks for 12 registers a"),
        ("next_free_vgpr 16", "a0", "asks for 0 registers a"),
    ],
)
def test_registers_that_it_does_not_ask_for_stop_the_wave(descriptor, register, said):
    move = "v_accvgpr_write_b32 a{}, v1" if register[0] == "a" else "v_mov_b32 v{}, v1"
    text = DOUBLE.replace(".amdhsa_kernarg_size", f".amdhsa_{descriptor}\n.amdhsa_kernarg_size")
    text = text.replace("s_endpgm", move.format(register[1:]) + "\ns_endpgm")
    with pytest.raises(AveError, match=rf"X021.*`v_.*{register}, v1`.*{said}"):
        executor.load(text)[1, 64](np.zeros(64, np.float32), 0)


def test_a_null_pointer_is_called_so(double):
    with pytest.raises(AveError, match=r"X022.*a null pointer"):
        double[1, 64](None, 0)


def test_read_only_arrays_may_be_read_and_are_never_written(double, tmp_path):
    reads = executor.load(DOUBLE.replace("global_store_dword v1, v2, s[2:3]", ""))
    np.save(tmp_path / "x.npy", np.ones(64, np.float32))
    x = np.load(tmp_path / "x.npy", mmap_mode="r")  # a store there would end the process
    reads[1, 64](x, 0)
    with pytest.raises(AveError, match="X027.*`x`: it is a read-only array, and the kernel writes it"):
        double[1, 64](x, 0)
    assert (x == 1).all()


@avelang.jit
def scaled(x: al.Pointer(al.f32), by: al.f32, EACH: al.constexpr):
    all = al.make_tensor(x, al.f32, al.make_layout((64 * EACH,), (1,)))
    for i in al.range(EACH):
        all[i * 64 + al.thread_id(0)] = all[i * 64 + al.thread_id(0)] * by


def test_a_kernel_of_ours_with_counters():
    x = np.ones(192, np.float32)
    run = executor.compiled(scaled, (64, 1, 1), check=True, profile=True, EACH=3)[1, 64](x, 2.0)
    assert (x == 2).all() and run.traffic.loaded == run.traffic.stored == x.nbytes and run.traffic.read == 0
    with pytest.raises(AveError, match="L006"):
        executor.compiled(scaled, (64, 1, 1))


# -- raw argument segments ---------------------------------------------------------------------------------------------------------------


def test_a_segment_of_bytes(double):
    """What a host in C packs: bytes, perhaps fewer than the metadata says, and the memory that they point at."""
    for given in (b"\0" * 8, b""):
        x = np.arange(64, dtype=np.float32)
        segment = x.ctypes.data.to_bytes(8, "little") + given
        for memory in ([x], {"x": x}):
            double[1, 64](kernarg=segment, memory=memory)
        assert (x == 4 * np.arange(64)).all()
    x = np.arange(64, dtype=np.float32)
    packed = np.array([x.ctypes.data], np.uint64)
    double[1, 64](kernarg=packed, memory=[x])
    assert (x == 2 * np.arange(64)).all()


def test_a_segment_without_metadata():
    bare = executor.load(DOUBLE.split("    .amdgpu_metadata")[0])
    x = np.arange(64, dtype=np.float32)
    bare[1, 64](kernarg=x.ctypes.data.to_bytes(8, "little"), memory=[x])
    assert (x == 2 * np.arange(64)).all()


def test_hidden_arguments_follow_a_short_segment():
    text = DOUBLE.replace("s_load_dwordx2 s[2:3], s[0:1], 0x0", "s_load_dwordx2 s[2:3], s[0:1], 0x0\n    s_load_dword s4, s[0:1], 0x10").replace(
        "v_add_f32_e32 v2, v2, v2", "v_cvt_f32_u32_e32 v2, s4").replace(
        "    .max_flat", "      - .offset:         16\n        .size:           4\n        .value_kind:     hidden_block_count_x\n    .max_flat")  # fmt: skip
    x = np.zeros(64, np.float32)
    executor.load(text)[7, 64](kernarg=x.ctypes.data.to_bytes(8, "little"), memory=[x])
    assert (x == 7).all()


def test_segments_that_cannot_be(double):
    x = np.arange(64, dtype=np.float32)
    segment = x.ctypes.data.to_bytes(8, "little")
    with pytest.raises(AveError, match=r"\[X022\]"):
        double[1, 64](kernarg=segment)
    frozen = x.copy()
    frozen.flags.writeable = False
    for words, kwargs in (
        ("1 argument and kernarg=", {"args": (x,), "kernarg": segment}),
        ("kernarg is a int", {"kernarg": 5}),
        (r"memory\[0\] is a list", {"kernarg": segment, "memory": [[1]]}),
        ("y is a read-only array", {"kernarg": segment, "memory": {"y": frozen}}),
        ("memory=", {"memory": [x]}),
    ):
        with pytest.raises(AveError, match=rf"\[X027\].*{words}"):
            double[1, 64](*kwargs.pop("args", ()), **kwargs)
