"""Effects of instructions: cases of each class, from the manual's descriptions; and compilers' code, which reads no
register that nothing wrote."""

import pathlib

import pytest

from avelang.amdgcn.asm import parse, register
from avelang.amdgcn.effects import cell_name, effects, overlap, span

PEERS = pathlib.Path(__file__).parents[1] / "peers"

# Text; registers read, registers written; counter, with "+" where the results arrive with it; access to LDS.
CASES = """
s_add_u32 s0, s1, s2 | s1 s2 | s0 scc | |
s_addc_u32 s0, s1, 5 | s1 scc | s0 scc | |
s_mov_b64 s[0:1], exec | exec | s[0:1] | |
s_mul_i32 s0, s1, s2 | s1 s2 | s0 | |
s_cmp_lt_i32 s0, s1 | s0 s1 | scc | |
s_cmpk_lt_i32 s0, 7 | s0 | scc | |
s_addk_i32 s0, 7 | s0 | s0 scc | |
s_cselect_b32 s0, s1, s2 | s1 s2 scc | s0 | |
s_cmov_b32 s0, s1 | s0 s1 scc | s0 | |
s_and_saveexec_b64 s[0:1], vcc | vcc exec | s[0:1] scc exec | |
s_bitset1_b32 s0, s1 | s0 s1 | s0 | |
s_swappc_b64 s[0:1], s[2:3] | s[2:3] | s[0:1] | |
s_setpc_b64 s[2:3] | s[2:3] | | |
s_cbranch_vccnz somewhere | vcc | | |
s_cbranch_scc1 somewhere | scc | | |
s_sendmsg sendmsg(MSG_INTERRUPT) | m0 | | message |
s_setreg_b32 hwreg(HW_REG_MODE), s3 | s3 | | |
s_load_dwordx4 s[4:7], s[0:1], 0x10 | s[0:1] | s[4:7] | smem+ |
s_buffer_load_dword s4, s[8:11], s3 | s[8:11] s3 | s4 | smem+ |
s_memtime s[4:5] | | s[4:5] | smem+ |
v_add_f32_e32 v0, s1, v2 | s1 v2 | v0 | |
v_add_co_u32_e32 v0, vcc, v1, v2 | v1 v2 | v0 vcc | |
v_addc_co_u32_e32 v0, vcc, v1, v2, vcc | v1 v2 vcc | v0 vcc | |
v_mad_u64_u32 v[0:1], s[2:3], v4, v5, v[6:7] | v4 v5 v[6:7] | v[0:1] s[2:3] | |
v_cndmask_b32_e64 v0, v1, v2, s[4:5] | v1 v2 s[4:5] | v0 | |
v_cmp_lt_f32_e64 s[2:3], v0, v1 | v0 v1 | s[2:3] | |
v_cmpx_eq_u32_e64 s[2:3], v0, v1 | v0 v1 | s[2:3] exec | |
v_div_fmas_f32 v0, v1, v2, v3 | v1 v2 v3 vcc | v0 | |
v_fmac_f32_e32 v0, v1, v2 | v0 v1 v2 | v0 | |
v_fma_f32 v0, v1, v2, v3 | v1 v2 v3 | v0 | |
v_readlane_b32 s0, v1, s2 | v1 s2 | s0 | |
v_writelane_b32 v0, s1, s2 | v0 s1 s2 | v0 | |
v_fma_mixhi_f16 v0, v1, v2, v3 | v0 v1 v2 v3 | v0 | |
v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3 | v0 v1 v2 v3 | v0 | |
v_cvt_scalef32_sr_pk32_fp6_f16 v[0:5], v[8:23], v24, v25 | v[8:23] v24 v25 | v[0:5] | |
s_atomic_dec s0, s[2:3], 0x10 | s0 s[2:3] | | smem |
s_atomic_cmpswap s[4:5], s[2:3], 0x10 glc | s[4:5] s[2:3] | s[4:5] | smem+ |
ds_append v0 offset:8 | m0 | v0 | lds+ | atomic
ds_read_b64_tr_b16 v[0:1], v2 | v2 | v[0:1] | lds+ | read
v_swap_b32 v0, v1 | v0 v1 | v0 v1 | |
v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD | v0 v1 | v0 | |
v_accvgpr_write_b32 a0, v1 | v1 | a0 | |
v_dot2c_f32_f16_e32 v0, v1, v2 | v0 v1 v2 | v0 | |
v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3] | v[4:5] v[6:7] a[0:3] | a[0:3] | |
v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10 | v[0:3] v[4:5] v[6:9] v10 | v[0:3] | |
global_load_dwordx2 v[0:1], v[2:3], off | v[2:3] | v[0:1] | vm+ |
global_load_dword v0, v2, s[4:5] offset:16 | v2 s[4:5] | v0 | vm+ |
global_store_dwordx4 v[0:1], v[4:7], off | v[0:1] v[4:7] | | vm |
global_atomic_add v[0:1], v2, off | v[0:1] v2 | | vm |
global_atomic_add v3, v[0:1], v2, off sc0 | v[0:1] v2 | v3 | vm+ |
global_load_lds_dword v[0:1], off | v[0:1] m0 | | vm | write
buffer_load_dwordx4 v[0:3], v4, s[8:11], 0 offen | v4 s[8:11] | v[0:3] | vm+ |
buffer_load_dword v4, s[8:11], s5 offen lds | v4 s[8:11] s5 m0 | | vm | write
buffer_store_dword v0, v4, s[8:11], s5 offen | v0 v4 s[8:11] s5 | | vm |
buffer_atomic_add v0, v4, s[8:11], 0 offen sc0 | v0 v4 s[8:11] | v0 | vm+ |
buffer_atomic_cmpswap_x2 v[0:3], v4, s[8:11], 0 offen sc0 | v[0:3] v4 s[8:11] | v[0:1] | vm+ |
buffer_wbl2 sc1 | | | vm |
buffer_inv sc1 | | | |
scratch_load_dword v0, off, s1 | s1 | v0 | vm+ |
scratch_store_dword v0, v1, off | v0 v1 | | vm |
flat_load_dword v0, v[2:3] | v[2:3] | v0 | flat+ | read
flat_store_dword v[2:3], v0 | v[2:3] v0 | | flat | write
ds_read_b128 v[0:3], v4 offset:16 | v4 | v[0:3] | lds+ | read
ds_read2st64_b64 v[0:3], v4 offset1:8 | v4 | v[0:3] | lds+ | read
ds_write2_b64 v4, v[0:1], v[2:3] offset1:1 | v4 v[0:1] v[2:3] | | lds | write
ds_add_u32 v0, v1 | v0 v1 | | lds | atomic
ds_add_rtn_u32 v2, v0, v1 | v0 v1 | v2 | lds+ | atomic
ds_bpermute_b32 v0, v1, v2 | v1 v2 | v0 | lds+ |
ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1) | v1 | v0 | lds+ |
s_waitcnt vmcnt(0) | | | |
s_wakeup | | | |
s_set_gpr_idx_on s4, gpr_idx(SRC0) | s4 m0 | m0 | |
s_ttracedata | m0 | | |
s_scratch_store_dwordx2 s[4:5], s[6:7], s8 | s[4:5] s[6:7] s8 | | smem |
s_scratch_load_dwordx2 s[4:5], s[6:7], s8 | s[6:7] s8 | s[4:5] | smem+ |
v_mfma_ld_scale_b32 v4, v6 | v4 v6 | | |
buffer_store_lds_dword s[8:11], s4 lds | s[8:11] s4 m0 | | vm | read
buffer_load_short_d16_hi v0, v4, s[8:11], 0 offen | v4 s[8:11] | v0 | vm+ |
image_load v[0:1], v2, s[8:15] dmask:0x3 | v2 s[8:15] | v[0:1] | vm+ |
s_nop 3 | | | |
s_barrier | | | |
"""


def spans(text: str):
    return {span(register(name)) for name in text.split()}


@pytest.mark.parametrize("line", CASES.strip().splitlines())
def test_case(line):
    text, reads, writes, counter, *lds = (x.strip() for x in line.split("|"))
    found = effects(parse(f".text\n{text}").instructions[0])
    assert set(found.reads) == spans(reads)
    assert set(found.writes) == spans(writes)
    assert found.counter + "+" * found.late == counter
    assert found.lds == (lds[0] if lds else "")


@pytest.mark.parametrize("file", sorted(PEERS.glob("*.amdgcn")) + sorted(PEERS.glob("*.s")), ids=lambda f: f.stem[:8])
def test_compilers_read_what_they_wrote(file):
    """In the order of the text: a loop's registers have their first values before it. At the start there are v0 and the
    scalars of the descriptor. Of an operand of several registers some may be of no meaning: the upper half of an
    addend, where only the lower half of the sum is used."""
    written = {256, *range(18), 126, 127}
    for i in parse(file.read_text()).instructions:
        e = effects(i)
        for first, count in e.reads:
            assert written & set(range(first, first + count)), f"{i.text} (line {i.line}) reads {cell_name(first)}"
        written.update(c for first, count in e.writes for c in range(first, first + count))


def test_spans():
    assert cell_name(256) == "v0" and cell_name(515) == "a3" and cell_name(106) == "vcc_lo" and cell_name(7) == "s7"
    assert overlap((4, 4), (7, 1)) == 7 and overlap((4, 4), (2, 3)) == 4 and overlap((4, 4), (8, 4)) == -1
