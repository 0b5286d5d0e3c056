"""Registers that do not exist, and what else a hand that writes assembly gets wrong."""

from __future__ import annotations

import numpy as np
import pytest

from avelang import executor
from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError


@pytest.mark.parametrize("text", ["v256", "v[255:256]", "a300", "s102", "s[100:103]", "ttmp16", "v[3:2]"])
def test_registers_that_do_not_exist(text):
    with pytest.raises(
        AveError, match=rf"\[X020\] x\.s:2: cannot read `v_mov_b32 v0, .*there is no {text.replace('[', '.')[:3]}"
    ):
        parse(f"\nv_mov_b32 v0, {text}\n", "x.s")


@pytest.mark.parametrize("text", ["v255", "v[254:255]", "a255", "s101", "s[98:101]", "ttmp15", "vcc", "flat_scratch"])
def test_registers_that_do(text):
    assert str(parse(f"v_mov_b32 v0, {text}").instructions[0].operands[1]) in (text, "s123")


def test_data_that_cannot_be_read():
    with pytest.raises(AveError, match=r"\[X020\] x\.s:2"):
        parse('.data\n.ascii "\\x"\n', "x.s")


BROKEN = (
    "v_add_f32 v1", "v_add_f32", "ds_read_b32 v0, s1, v1", "v_mov_b32 v1, v2 v3", ".rept 4\ns_nop 0\n.endr",
    ".if 0\ns_nop 0\n.endif", ".macro m\nm\n.endm\nm",
    '.include "x"', ".long 0xbf800000", "k:", "v_mov_b32 v1, 08", "v_mov_b32 v1, (((", "nope v1", "s_branch nowhere",
    "global_store_dword v0",
    "v_mfma_f32_32x32x8_f16 a[0:3], v[0:1], v[2:3], a[0:15]", "v_mov_b32 v1, vcc:", "s_load_dwordx2 s[2:3]",
    "buffer_load_dword v1, off",
)  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_instructions(broken):
    """What an assembler would refuse or carry out is refused, where it is read or when a wave comes there; nothing is
    skipped in silence."""
    text = f"""
        .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
    k:
        {broken}
        s_endpgm
        .amdhsa_kernel k
            .amdhsa_kernarg_size 0
        .end_amdhsa_kernel
    """
    with pytest.raises(AveError, match="X02[019]") as caught:
        executor.load(text)[1, 64]()
    assert caught.value.code in ("X020", "X021", "X029")


@pytest.mark.parametrize("changed", [(".size:           8", ".size: x"), (".offset:         0", ".offset: -8"),
    ("kernarg_size 8", "kernarg_size 99999999999"),
                                     ("kernarg_size 8", "kernarg_size 8\n.amdhsa_private_segment_fixed_size 99999999"),
                                     ("kernarg_size 8",
                                         "kernarg_size 8\n.amdhsa_user_sgpr_count 99999999999")])  # fmt: skip
def test_broken_metadata(changed):
    text = """
        .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
    k:
        s_endpgm
        .amdhsa_kernel k
            .amdhsa_kernarg_size 8
        .end_amdhsa_kernel
        .amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .name:           k
        .end_amdgpu_metadata
    """
    assert executor.load(text)[1, 64](np.zeros(4)).instructions == 1
    with pytest.raises(AveError):
        executor.load(text.replace(*changed))[1, 64](np.zeros(4))


def test_misused_launches():
    kernel = executor.load(
        '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\nk:\ns_endpgm\n'
        ".amdhsa_kernel k\n.amdhsa_kernarg_size 0\n.end_amdhsa_kernel\n"
    )
    for wrong in (
        {"dynamic_lds": -1}, {"dynamic_lds": "a"}, {"threads": None}, {"foo": 1}, {"kernarg": b"", "memory": 5},
    ):  # fmt: skip
        with pytest.raises(AveError, match="`run`"):
            kernel[1, 64](**wrong)


def test_modifiers_of_what_has_no_operands():
    code = parse("buffer_wbl2 sc0 sc1\nbuffer_inv sc1\nbuffer_wbinvl1_vol\n", "caches").instructions
    assert [(i.operands, i.mods) for i in code] == [((), {"sc0": True, "sc1": True}), ((), {"sc1": True}), ((), {})]


def test_constants_that_are_literals_all_the_same():
    """What a disassembler writes where a constant has a short encoding, and the code has the long one."""
    text = "s_addc_u32 s1, s1, lit(0xffffffff)\nv_add_f32 v0, lit(1.0), v1\nv_add_f64 v[0:1], v[0:1], lit(0x3f800000)\n"
    found = [i.operands[n] for i, n in zip(parse(text).instructions, (2, 1, 2), strict=True)]
    assert [(x.value, x.inline) for x in found] == [(0xFFFFFFFF, False), (1.0, False), (0x3F800000, False)]


def test_strings_hold_what_begins_comments():
    text = '.data\n.ascii "a;b//c\\"//d"  ; e\n.byte 7 // "x"\n'
    assert parse(text).data.content == b'a;b//c"//d\x07'


@pytest.mark.parametrize("target, chip", [
    ("amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a"), ("amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-", "gfx950"),
    ("amdgcn-amd-amdhsa-unknown-gfx942:xnack+", "gfx942"), ("amdgcn-amd-amdhsa--gfx9-4-generic", "gfx942"),
])  # fmt: skip
def test_targets_with_features(target, chip):
    assert parse(f'.amdgcn_target "{target}"\ns_endpgm\n').chip == chip


def test_sections_that_no_kernel_reads():
    """What a debugger reads has numbers that only an assembler makes."""
    text = '.section .debug_info,"",@progbits\n.long .Lend-.Lstart\n.Lstart:\n.section .rodata.x,"aM",@progbits,4\nx:\n.long 5\n'
    data = parse(text).data
    assert data.content == b"\5\0\0\0" and data.labels == {"x": 0}
