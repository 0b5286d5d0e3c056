"""Kernels that call: functions before and behind them, by distance and by addresses in data, that recurse; from assembly and from code objects."""

import dataclasses

import numpy as np
import pytest

from amdgcn.objects import assemble
from avelang import executor
from avelang.amdgcn.asm import parse
from avelang.amdgcn.code_object import read
from avelang.amdgcn.disassemble import assembly
from avelang.amdgcn.link import link
from avelang.base.errors import AveError
from tools import disassembler, lld

TEXT = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.p2align 2
	.type triple,@function
triple:
	v_mul_u32_u24_e32 v1, 3, v1
	s_setpc_b64 s[30:31]
.Lend_triple:
	.size triple, .Lend_triple-triple
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_mov_b32 s32, 0
	v_lshlrev_b32 v2, 2, v0
	v_mov_b32 v1, v0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, triple@rel32@lo+4
	s_addc_u32 s7, s7, triple@rel32@hi+12
	s_swappc_b64 s[30:31], s[6:7]
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, table@rel32@lo+4
	s_addc_u32 s7, s7, table@rel32@hi+12
	s_load_dwordx2 s[6:7], s[6:7], 0x0
	s_waitcnt lgkmcnt(0)
	s_movk_i32 s8, 20
	s_swappc_b64 s[30:31], s[6:7]
	global_store_dword v2, v1, s[4:5]
	s_endpgm
.Lend_k:
	.size k, .Lend_k-k
	.p2align 8
	.type down,@function
down:
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32 v3, s30
	scratch_store_dword off, v3, s32
	s_waitcnt vmcnt(0)
	s_add_i32 s32, s32, 16
	v_add_u32 v1, 2, v1
	s_add_i32 s8, s8, -1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .Lback
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, down@rel32@lo+4
	s_addc_u32 s7, s7, down@rel32@hi+12
	s_swappc_b64 s[30:31], s[6:7]
.Lback:
	s_add_i32 s32, s32, -16
	scratch_load_dword v3, off, s32
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s30, v3
	s_setpc_b64 s[30:31]
.Lend_down:
	.size down, .Lend_down-down
	.data
	.p2align 3
table:
	.quad down
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 40
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .name:           k
    .symbol:         k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 16
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
"""


def ran(source) -> bool:
    x = np.zeros(64, np.uint32)
    executor.load(source, check="all")[1, 64](x)
    return bool((x == 3 * np.arange(64) + 40).all())


def linked() -> bytes:
    lld()
    disassembler()
    return link(assemble(TEXT))


def test_from_assembly():
    assert ran(TEXT)


def test_from_a_code_object():
    assert ran(linked())


def test_without_symbols():
    """Code that no kernel has is read where nothing names functions."""
    found = read(linked())
    kept = {name: s for name, s in found.symbols.items() if name in ("k", "k.kd")}
    text = assembly(dataclasses.replace(found, symbols=kept), functions=True)
    assert "v_mul_u32_u24_e32 v1, 3, v1" in text and "scratch_load_dword v3, off, s32" in text
    assert parse(text).labels["k"] == text[: text.index("\nk:")].count("//")


def test_a_kernel_alone_stays_alone():
    disassembler()
    code = link(assemble(TEXT.replace("s_swappc_b64 s[30:31], s[6:7]\n", "s_nop 0\n")))
    text = assembly(read(code), functions=True)
    assert "triple" not in text and "s_setpc_b64" not in text


def test_stacks_end():
    """Of a kernel that says how much it takes."""
    with pytest.raises(AveError, match="X022.*scratch_store_dword"):
        ran(TEXT.replace(".amdhsa_uses_dynamic_stack 1", ".amdhsa_uses_dynamic_stack 0"))
