"""8-bit floats on AMD: which chip converts which kind by instruction, how many it takes, and in which order bytes are
put together."""

from __future__ import annotations

import re

import pytest

import avelang
import avelang.language as al
from emit.llvm.gpu import assembly, code, counts, program


@avelang.jit
def eight(A: al.Tensor((64, 8), al.f32), B: al.Tensor((64, 8), al.f32), D: al.constexpr):
    """There and back."""
    t = al.thread_id(0)
    B[t] = al.convert(al.convert(A[t], D), al.f32)


@avelang.jit
def three(A: al.Tensor((64, 3), al.f64), B: al.Tensor((64, 3), al.f16), D: al.constexpr):
    """A number that does not fill a pair; by way of f32 both times."""
    t = al.thread_id(0)
    B[t] = al.convert(al.convert(A[t], D), al.f16)


@avelang.jit
def compared(A: al.Tensor((64,), al.f8e4m3fnuz), B: al.Tensor((64,), al.i32)):
    t = al.thread_id(0)
    B[t] = 1 if A[t] < A[63 - t] else 0


OWN = [
    ("gfx942", "f8e4m3fnuz", "fp8"),
    ("gfx942", "f8e5m2fnuz", "bf8"),
    ("gfx950", "f8e4m3fn", "fp8"),
    ("gfx950", "f8e5m2", "bf8"),
]


@pytest.mark.parametrize(("chip", "dtype", "name"), OWN)
def test_two_at_a_time(chip, dtype, name):
    text = assembly(eight, chip, D=getattr(al, dtype))
    assert len(re.findall(rf"v_cvt_pk_{name}_f32", text)) == len(re.findall(rf"v_cvt_pk_f32_{name}", text)) == 4
    assert len(code(text).splitlines()) < 30


@pytest.mark.parametrize(("chip", "dtype", "name"), OWN)
def test_an_odd_one(chip, dtype, name):
    text = assembly(three, chip, D=getattr(al, dtype))
    assert len(re.findall(rf"v_cvt_pk_{name}_f32", text)) == 2
    assert len(re.findall(rf"v_cvt_pk_f32_{name}", text)) == len(re.findall(rf"v_cvt_f32_{name}", text)) == 1


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("dtype", ["f8e4m3fnuz", "f8e4m3fn", "f8e5m2fnuz", "f8e5m2"])
def test_the_other_kind_is_computed(chip, dtype):
    own = any((chip, dtype) == o[:2] for o in OWN)
    assert ("llvm.amdgcn.cvt" in program(eight, chip, D=getattr(al, dtype)).text) == own


def test_comparisons_widen():
    assert counts(assembly(compared, "gfx942"))["v_cmp_lt_f32_e32"] == 1
    assert len(re.findall("v_cvt_f32_fp8", assembly(compared, "gfx942"))) == 2


def test_the_order_of_bytes():
    """Element 4 j + 2 h + i is byte 2 h + i of word j, both ways."""
    body = program(eight, "gfx942", D=al.f8e4m3fnuz).text
    taken = {v: int(i) for v, i in re.findall(r"(%v\d+) = extractelement <8 x float> %v\d+, i64 (\d)", body)}
    packs = re.findall(
        r"(%v\d+) = call i32 @llvm\.amdgcn\.cvt\.pk\.fp8\.f32\(float (%v\d+), float (%v\d+), i32 (\S+), i1 (\w+)\)",
        body,
    )
    assert [(taken[a], taken[b], old == "poison", half) for _, a, b, old, half in packs] == [
        (0, 1, True, "false"), (2, 3, False, "true"), (4, 5, True, "false"), (6, 7, False, "true"),
    ]  # fmt: skip
    assert packs[1][3] == packs[0][0] and packs[3][3] == packs[2][0]
    words = {v: int(i) for v, i in re.findall(r"(%v\d+) = extractelement <2 x i32> %v\d+, i64 (\d)", body)}
    unpacked = re.findall(r"cvt\.pk\.f32\.fp8\(i32 (%v\d+), i1 (\w+)\)", body)
    assert [(words[w], half) for w, half in unpacked] == [(0, "false"), (0, "true"), (1, "false"), (1, "true")]


@pytest.mark.parametrize(("chip", "hardware"), [("sm_80", False), ("sm_89", True), ("sm_90", True)])
def test_nvidia_widens_by_instruction(chip, hardware):
    """It narrows in integers: its instruction gives the greatest number where the language has NaN or infinity."""
    text = assembly(eight, chip, (32, 1, 1), D=al.f8e4m3fn)
    assert text.count("cvt.rn.f16x2.e4m3x2") == (4 if hardware else 0) and "satfinite" not in text
