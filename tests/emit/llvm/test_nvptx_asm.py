"""Registers of matrix products in LLVM IR: they go from one instruction to the next by themselves; vectors are made of
them where one is read."""

import re

import pytest

from avelang import arch
from avelang.emit.llvm import simt_device
from emit.llvm.gpu import lowered
from isa import hopper_kernels, wgmma_kernels


def text(kernel, block, lines):
    k = lowered(kernel, "sm_90a", block)
    k.attrs["lines"] = lines
    return simt_device.program(k, arch.chip("sm_90a")).text


def unread(text):
    """Names that are given a value by `insertelement` and never read."""
    made = set(re.findall(r"(%v\d+) = insertelement", text))
    return made - set(re.findall(r"%v\d+(?! =)\b", re.sub(r"(?m)^\s+%v\d+ =", "", text)))


@pytest.mark.parametrize("lines", [False, True])
def test_sums_stay_in_registers(lines):
    """Four products, a fence before and a wait behind: six instructions, and one vector for the loop to carry."""
    found = text(hopper_kernels._gemm, (384, 1, 1), lines)
    slots = hopper_kernels.BN // 2
    assert found.count("wgmma.mma_async") == hopper_kernels.BK // 16 and not unread(found)
    # In: what the loop carries. Out: that, once, and what is stored behind the loop.
    assert (
        found.count(f"insertelement <{slots} x float>") <= 2 * slots
        and found.count(f"extractelement <{slots} x float>") <= 2 * slots
    )


def test_what_is_read_is_made():
    """One product whose result is stored as a vector: it is there, element by element, in order."""
    trial = wgmma_kernels.Trial("bf16", "bf16", "f32", 16)
    kernel, _, _ = wgmma_kernels.arguments(trial)
    found = text(kernel, (128, 1, 1), False)
    chain = re.findall(r"insertelement <8 x float> (\w+|%v\d+), float %v(\d+), i64 (\d)", found)
    assert [int(i) for _, _, i in chain] == list(range(8)) and chain[0][0] == "poison" and not unread(found)
    numbers = [int(n) for _, n, _ in chain]
    assert numbers == sorted(numbers), "the registers in their order"


def test_names_of_structs_are_shared():
    """Each call has as its type a name, not 32 times `float`."""
    found = text(hopper_kernels._gemm, (384, 1, 1), True)
    assert found.count("%regs32float = type {") == 1 and found.count("call %regs32float asm") == 6
