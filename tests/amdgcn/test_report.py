"""Reports: foreign kernels against the published table, made-up loops against counting by hand, text against code
object."""

from __future__ import annotations

import dataclasses

import pytest

from amdgcn.objects import assemble, gemm_assembly, gemm_object, text
from amdgcn.peers import IREE, KERNELS, TRITON, assembly, code_object
from avelang.amdgcn.asm import numbers, parse
from avelang.amdgcn.code_object import read
from avelang.amdgcn.link import link
from avelang.amdgcn.report import kind, loop_report, report
from avelang.base.errors import AveError
from avelang.isa.amdgpu.instructions import find
from tools import disassembler, lld

DYNAMIC = {TRITON: 32768, IREE: 0}  # bytes of LDS that the launch adds


@pytest.mark.parametrize(
    "peer,registers,lds,read_by,barriers",
    [(TRITON, (182, 0, 30), 32768, "ds_read2st64_b64", 2), (IREE, (180, 0, 22), 18432, "ds_read2_b64", 4)],
)
def test_foreign_kernels_against_the_published_table(peer, registers, lds, read_by, barriers):
    r = report(assembly(peer), dynamic_lds=DYNAMIC[peer])
    assert r.loop is not None and (r.kernel, r.chip, r.threads) == (KERNELS[peer], "gfx942", 256)
    assert (r.vgpr, r.agpr, r.sgpr) == registers and (r.vgpr_spills, r.sgpr_spills, r.scratch, r.lds) == (0, 0, 0, lds)
    c = r.loop.counts
    assert (
        c["matrix"] == {"v_mfma_f32_16x16x16_bf16": 64}
        and c["LDS read"] == {read_by: 16}
        and sum(c["LDS write"].values()) == 8
    )
    assert c["load"] == {"buffer_load_dwordx4": 8} and c["barrier"] == {"s_barrier": barriers}
    assert sum(n for group in c.values() for n in group.values()) == r.loop.instructions
    # 24 KiB a wave in 1024 clocks: 96 of 128 bytes a clock for four waves.
    assert (r.loop.passes, r.loop.matrix_clocks, r.loop.lds_read, r.loop.lds_written, r.loop.lds_ratio) == (
        256, 1024, 16384, 8192, 0.75,
    )  # fmt: skip
    assert (r.occupancy.waves, r.occupancy.limited_by) == (2, "VGPR") and r.code_bytes is None


@pytest.mark.parametrize("peer,code", [(TRITON, 5688), (IREE, 2828)])
def test_code_objects_of_foreign_kernels(peer, code):
    disassembler()
    r, same = (
        report(assembly(peer), dynamic_lds=DYNAMIC[peer]),
        report(read(code_object(peer)), dynamic_lds=DYNAMIC[peer]),
    )
    assert (
        same.code_bytes == code and r.loop is not None and same.loop is not None and same.loop.counts == r.loop.counts
    )
    skipped = {"loop": None, "code_bytes": None, "instructions": 0}
    assert dataclasses.replace(same, **skipped) == dataclasses.replace(r, **skipped)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_the_tutorial_kernel(chip):
    r = report(gemm_assembly(chip))
    assert (
        r.loop is not None
        and r.chip == chip
        and r.lds == 6144
        and r.threads == 64
        and (r.vgpr_spills, r.scratch) == (0, 0)
    )
    assert sum(r.loop.counts["matrix"].values()) == 2 and r.loop.counts["LDS read"] == {"ds_read_b128": 2}
    assert r.loop.passes == {"gfx90a": 32, "gfx942": 16, "gfx950": 16}[chip] and r.loop.lds_read == 2 * 16 * 64
    # gfx950 reads twice as many bytes of LDS in a clock.
    assert r.loop.lds_ratio == pytest.approx({"gfx90a": 1, "gfx942": 2, "gfx950": 1.5}[chip])


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_the_tutorial_kernel_as_a_code_object(chip):
    lld(), disassembler()
    r, same = report(gemm_assembly(chip)), report(read(link(gemm_object(chip))))
    assert r.loop is not None and same.loop is not None and same.loop.counts == r.loop.counts
    assert (same.vgpr, same.sgpr, same.vgpr_allocated, same.sgpr_allocated) == (
        r.vgpr, r.sgpr, r.vgpr_allocated, r.sgpr_allocated,
    )  # fmt: skip


WIDTHS = {
    "ds_read_b32": 4, "ds_read_b64": 8, "ds_read_b96": 12, "ds_read_b128": 16, "ds_read2_b32": 8, "ds_read2_b64": 16,
    "ds_read2st64_b64": 16,
    "ds_read_u8": 1, "ds_read_i8_d16_hi": 1, "ds_read_u16_d16": 2, "ds_read_b64_tr_b16": 8, "ds_write_b8": 1,
    "ds_write2st64_b32": 8,
    "buffer_load_dword": 4, "buffer_load_dwordx3": 12, "buffer_load_ubyte": 1, "buffer_load_short_d16": 2,
    "global_load_dwordx4": 16,
    "global_store_byte": 1, "global_load_lds_dwordx4": 16, "s_load_dwordx8": 32, "v_add_f32": 0,
}  # fmt: skip


def test_widths():
    assert {name: d.nbytes for name in WIDTHS if (d := find(name))} == WIDTHS


KINDS = {
    "v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]": "matrix",
    "v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[2:5], v6": "matrix",
    "ds_read_b128 v[0:3], v4": "LDS read", "ds_write_b64 v0, v[2:3]": "LDS write",
    "ds_bpermute_b32 v0, v1, v2": "LDS other",
    "ds_add_u32 v0, v1": "LDS other", "buffer_load_dword v0, v1, s[0:3], 0 offen": "load",
    "buffer_load_dword v1, s[0:3], 0 offen lds": "load to LDS", "global_load_lds_dwordx4 v[0:1], off": "load to LDS",
    "global_load_dwordx2 v[0:1], v[2:3], off": "load", "buffer_store_dwordx4 v[0:3], v4, s[0:3], 0 offen": "store",
    "global_atomic_add_f32 v[0:1], v2, off": "atomic", "buffer_atomic_add v0, v1, s[0:3], 0 offen": "atomic",
    "scratch_store_dword off, v0, s0": "scratch", "flat_load_dword v0, v[2:3]": "load",
    "s_load_dwordx2 s[0:1], s[2:3], 0x0": "scalar load",
    "s_buffer_load_dword s0, s[4:7], 0x0": "scalar load", "v_add_f32_e32 v0, v1, v2": "VALU",
    "v_accvgpr_read_b32 v0, a0": "VALU",
    "s_add_u32 s0, s1, s2": "SALU", "s_waitcnt vmcnt(0)": "wait", "s_barrier": "barrier", "s_nop 0": "no-op",
    "s_setprio 1": "priority",
    "s_cbranch_vccnz .Lx": "branch", "s_branch .Lx": "branch", "buffer_wbl2 sc1": "SALU",
}  # fmt: skip


def test_kinds():
    program = parse("\n".join(KINDS) + "\n.Lx:\ns_endpgm\n")
    assert {i.text: kind(i) for i in program.instructions[:-1]} == KINDS


def test_direct_loads_count_as_written():
    code = parse(
        "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]\nbuffer_load_dwordx4 v1, s[0:3], 0 offen lds\n"
    ).instructions
    got = loop_report(code, "gfx950")
    assert (got.lds_read, got.lds_written, got.passes) == (0, 1024, 4) and got.lds_ratio == 4 * 1024 / 128 / 16


def test_narrow_formats_are_seen():
    line = "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[4:7], a[0:3] cbsz:4 blgp:4\n"
    assert loop_report(parse(line).instructions, "gfx950").passes == 4
    assert (
        loop_report(parse(line.replace("blgp:4", "blgp:1").replace("v[4:7]", "v[4:11]")).instructions, "gfx950").passes
        == 8
    )


def test_metadata_of_the_right_kernel():
    two = "---\namdhsa.kernels:\n" + "".join(
        f"  - .agpr_count:     {n}\n    .args:\n      - .name:           {other}\n        .offset:         0\n        "
        f".size:           {n + 5}\n"
        f"    .name:           {name}\n    .vgpr_count:     {10 * n}\n" for n, name,
        other in ((1, "a", "b"), (2, "b", "a"))
    ) + "amdhsa.target:   amdgcn-amd-amdhsa--gfx942\n"  # fmt: skip
    assert (
        numbers(two, "a") == {"agpr_count": 1, "vgpr_count": 10}
        and numbers(two, "b")["vgpr_count"] == 20
        and numbers(two, "c") == {}
    )


def test_scratch_and_spills_and_agprs_without_metadata():
    more = "\t.set k.num_vgpr, 40\n\t.set k.num_agpr, 20\n"
    r = report(
        text(
            vgpr=60,
            directives="\t.amdhsa_private_segment_fixed_size 24\n\t.amdhsa_group_segment_fixed_size 512\n",
            more=more,
        )
    )
    assert (r.vgpr, r.agpr, r.vgpr_allocated, r.scratch, r.lds, r.loop, r.threads) == (40, 20, 64, 24, 512, None, 1024)


@pytest.mark.parametrize(
    "source,kernel,code,why",
    [
        ("s_endpgm\n", None, "D025", "amdhsa_kernel"),
        (text(chip="gfx1100"), None, "D025", "gfx1100; Ave knows gfx90a"),
        (text(), "other", "D023", "no kernel 'other'"),
        ("s_waitcnt nonsense\n", None, "X020", "nonsense"),
    ],
)
def test_refusals(source, kernel, code, why):
    with pytest.raises(AveError, match=why) as caught:
        report(source, kernel)
    assert caught.value.code == code


def test_a_code_object_without_metadata():
    lld(), disassembler()
    r = report(read(link(assemble(text(vgpr=60)))))
    assert (r.kernel, r.vgpr_allocated, r.code_bytes) == ("k", 64, 4)
