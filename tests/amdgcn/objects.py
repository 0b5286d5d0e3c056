"""Objects and code objects that tests are about: made from assembly by llvm-mc, from kernels by Ave."""

from __future__ import annotations

import functools
import subprocess

import avelang.arch as arch
from avelang.emit.llvm.simt_device import DeviceCompiler
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul.mfma_gemm import mfma_gemm
from tools import assembler

KERNEL = """
	.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
	.amdhsa_code_object_version {version}
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
{body}
	s_endpgm
.Lend:
	.size k, .Lend-k
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
	.amdhsa_next_free_vgpr {vgpr}
	.amdhsa_next_free_sgpr 16
	.amdhsa_accum_offset 8
{directives}
	.end_amdhsa_kernel
{more}
"""


def text(
    body: str = "", chip: str = "gfx942", version: int = 5, vgpr: int = 8, directives: str = "", more: str = ""
) -> str:
    """Assembly of a kernel `k`."""
    return KERNEL.format(body=body, chip=chip, version=version, vgpr=vgpr, directives=directives, more=more)


def assemble(assembly: str, chip: str = "gfx942", features: str = "") -> bytes:
    """The relocatable object of an assembly text, by llvm-mc; `features` such as "+xnack,-sramecc"."""
    return subprocess.run(
        assembler(chip, features, "obj"), input=assembly.encode(), capture_output=True, check=True
    ).stdout


@functools.cache
def gemm_object(chip: str = "gfx942") -> bytes:
    """The tutorial's GEMM, by Ave."""
    return DeviceCompiler(arch.chip(chip)).object(compile_text(mfma_gemm, {}, (64, 1, 1), chip, "llvm"))


@functools.cache
def gemm_assembly(chip: str = "gfx942") -> str:
    """The same as assembly."""
    return compile_text(mfma_gemm, {}, (64, 1, 1), chip, "asm")
