"""Wait states: each rule of the manual with one state too few and with just enough; code of LLVM and of other
compilers, which keeps them all, and is caught when one state less is left in it."""

import dataclasses
import pathlib
import re

import pytest

from avelang import arch, pipeline
from avelang.amdgcn import hazards
from avelang.amdgcn.asm import AsmProgram, Imm, parse
from avelang.emit.llvm import simt_device
from emit.llvm.gpu_cases import benches, kernels

PEERS = sorted((pathlib.Path(__file__).parents[1] / "peers").glob("*.[as]*"))
PEERS = [f for f in PEERS if f.suffix != ".hsaco"]

# First instruction | second | wait states between them that are needed | register (MI300 ISA, sections 4.5 and 7.5).
RULES = """
v_readlane_b32 s4, v0, 0 | buffer_load_dword v1, v2, s[4:7], 0 offen | 5 | s4
v_cmp_eq_u32_e64 s[4:5], v0, v1 | global_load_dword v2, v3, s[4:5] | 5 | s4
v_readfirstlane_b32 s4, v0 | v_readlane_b32 s5, v1, s4 | 4 | s4
v_readfirstlane_b32 s4, v0 | v_writelane_b32 v1, 7, s4 | 4 | s4
v_cmpx_eq_u32_e64 s[0:1], v0, v1 | v_readfirstlane_b32 s5, v2 | 4 | exec_lo
v_cmp_eq_u32_e32 vcc, v0, v1 | v_div_fmas_f32 v2, v3, v4, v5 | 4 | vcc_lo
v_div_scale_f32 v0, vcc, v1, v2, v1 | v_div_fmas_f32 v2, v3, v4, v5 | 4 | vcc_lo
v_readfirstlane_b32 s4, v0 | v_add_u32_e32 v1, s4, v2 | 2 | s4
v_cmp_eq_u32_e32 vcc, v0, v1 | v_mov_b32_e32 v2, vcc_lo | 2 | vcc_lo
v_cmp_eq_u32_e32 vcc, v0, v1 | v_cndmask_b32_e32 v2, v3, v4, vcc | 0 |
v_add_co_u32_e32 v0, vcc, v1, v2 | v_addc_co_u32_e32 v3, vcc, v4, v5, vcc | 0 |
v_readfirstlane_b32 s4, v0 | s_add_u32 s5, s4, 1 | 0 |
s_mov_b32 s4, 0 | buffer_load_dword v1, v2, s[4:7], 0 offen | 0 |
v_cmpx_eq_u32_e64 s[0:1], v0, v1 | v_mov_b32_dpp v2, v3 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf | 5 | exec_lo
v_cmpx_eq_u32_e64 s[0:1], v0, v1 | v_mfma_f32_16x16x16_f16 v[2:5], v[6:7], v[8:9], v[2:5] | 4 | exec_lo
v_cmp_eq_u32_e32 vcc, v0, v1 | v_add_u32_e32 v2, src_vccz, v3 | 5 | vcc_lo
v_mov_b32_e32 v0, v1 | v_mov_b32_dpp v2, v0 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf | 2 | v0
v_mov_b32_e32 v0, v1 | v_readlane_b32 s0, v0, 3 | 1 | v0
v_mov_b32_e32 v0, v1 | v_add_f32_e32 v2, v0, v1 | 0 |
v_mov_b32_e32 v6, v1 | v_mfma_f32_16x16x16_f16 v[2:5], v[6:7], v[8:9], v[2:5] | 2 | v6
v_mov_b32_e32 v3, v1 | v_mfma_f32_16x16x16_f16 v[2:5], v[6:7], v[8:9], v[2:5] | 2 | v3
v_rcp_f32_e32 v0, v1 | v_mul_f32_e32 v2, v0, v1 | 1 | v0
v_rcp_f32_e32 v0, v1 | v_sqrt_f32_e32 v2, v0 | 0 |
v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD | v_add_f16_e32 v3, v0, v1 | 1 | v0
v_add_f16_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 | v_add_f16_e32 v3, v0, v1 | 0 |
v_mad_u16 v0, v1, v2, v3 op_sel:[0,0,0,1] | v_add_u16_e32 v3, v0, v1 | 1 | v0
global_store_dwordx4 v[0:1], v[4:7], off | v_mov_b32_e32 v5, v0 | 2 | v5
global_atomic_cmpswap_x2 v[0:1], v[2:3], v[4:7], off sc0 | v_mov_b32_e32 v5, v0 | 2 | v5
v_fma_mix_f32 v0, v1, v2, v3 op_sel:[0,0,1] op_sel_hi:[1,1,1] | v_add_f32_e32 v4, v0, v1 | 0 |
s_mov_b32 m0, 0 | buffer_load_dword v1, v2, s[4:7], m0 offen | 0 |
s_set_gpr_idx_on s4, gpr_idx(SRC0) | global_load_lds_dword v[0:1], off | 1 | m0
global_store_dwordx2 v[0:1], v[4:5], off | v_mov_b32_e32 v5, v0 | 0 |
buffer_store_dwordx3 v[4:6], v1, s[8:11], 0 offen | v_mov_b32_e32 v6, v0 | 2 | v6
buffer_store_dwordx3 v[4:6], v1, s[8:11], s12 offen | v_mov_b32_e32 v6, v0 | 0 |
s_mov_b32 m0, s0 | s_sendmsg sendmsg(MSG_INTERRUPT) | 1 | m0
s_mov_b32 m0, s0 | buffer_load_dword v1, s[4:7], 0 offen lds | 1 | m0
s_mov_b32 m0, s0 | ds_read_addtid_b32 v0 | 1 | m0
s_mov_b32 m0, s0 | ds_read_b32 v0, v1 | 0 |
s_setreg_b32 hwreg(HW_REG_MODE), s0 | s_getreg_b32 s1, hwreg(HW_REG_MODE) | 2 | the hardware register
s_setreg_b32 hwreg(HW_REG_MODE), s0 | s_getreg_b32 s1, hwreg(HW_REG_STATUS) | 0 |
v_dot4_i32_i8 v0, v1, v2, v3 | v_dot4_i32_i8 v4, v0, v2, v3 | 3 | v0
v_dot4_i32_i8 v0, v1, v2, v3 | v_dot4_i32_i8 v0, v1, v2, v0 | 0 |
v_dot4_i32_i8 v0, v1, v2, v3 | v_add_u32_e32 v5, v0, v1 | 3 | v0
v_dot4_i32_i8 v0, v1, v2, v3 | v_mov_b32_e32 v0, v1 | 3 | v0
v_dot4_i32_i8 v0, v1, v2, v3 | v_dot8_i32_i4 v5, v1, v2, v0 | 3 | v0
v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] | v_fma_f64 v[12:13], v[14:15], 2.0, 1.0 | 2 | the f64 pipeline
"""

# Matrix instructions by passes and kind; A, B and D are the same registers in all.
FIRST = {
    "xdl 2": "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[64:65], v[66:67], v[0:3]",
    "xdl 4": "v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[66:67], v[0:3]",
    "xdl 8": "v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[66:67], v[0:15]",
    "xdl 16": "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[64:65], v[66:67], v[0:31]",
    "sparse": "v_smfmac_f32_16x16x32_f16 v[0:3], v[64:65], v[66:69], v70",
    "sgemm 2": "v_mfma_f32_4x4x1_16b_f32 v[0:3], v64, v66, v[0:3]",
    "sgemm 8": "v_mfma_f32_16x16x4_f32 v[0:3], v64, v66, v[0:3]",
    "sgemm 16": "v_mfma_f32_32x32x2_f32 v[0:15], v64, v66, v[0:15]",
    "dgemm 4": "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[64:65], v[66:67], v[0:1]",
    "dgemm 8": "v_mfma_f64_16x16x4_f64 v[0:7], v[64:65], v[66:67], v[0:7]",
}
SECOND = {
    "same C": None,  # the first instruction again
    "xdl C": "v_mfma_f32_32x32x8_f16 v[80:95], v[64:65], v[66:67], v[1:16]",
    "sgemm C": "v_mfma_f32_32x32x2_f32 v[80:95], v64, v66, v[1:16]",
    "dgemm C": "v_mfma_f64_16x16x4_f64 v[80:87], v[64:65], v[66:67], v[1:8]",
    "A": "v_mfma_f32_16x16x16_f16 v[80:83], v[0:1], v[66:67], v[80:83]",
    "index": "v_smfmac_f32_16x16x32_f16 v[80:83], v[64:65], v[66:69], v1",
    "valu reads": "v_add_f32_e32 v80, v1, v81",
    "valu writes": "v_mov_b32_e32 v1, v81",
    "stores": "global_store_dword v[80:81], v1, off",
    "address": "ds_read_b32 v80, v1",
    "loads": "global_load_dword v1, v[80:81], off",
}
# MI300 ISA, section 7.5, table 37.
TABLE = {
    "xdl 2": (2, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5), "xdl 4": (0, 5, 5, 5, 7, 7, 7, 7, 7, 7, 7),
    "xdl 8": (0, 9, 9, 9, 11, 11, 11, 11, 11, 11, 11), "xdl 16": (0, 17, 17, 17, 19, 19, 19, 19, 19, 19, 19),
    "sparse": (0, 5, 5, 5, 7, 7, 7, 7, 7, 7, 7), "sgemm 2": (2, 0, 2, 2, 4, 4, 4, 4, 4, 4, 4),
    "sgemm 8": (0, 0, 8, 8, 10, 10, 10, 10, 10, 10, 10), "sgemm 16": (0, 0, 16, 16, 18, 18, 18, 18, 18, 18, 18),
    "dgemm 4": (4, 0, 4, 4, 6, 6, 6, 6, 9, 9, 6), "dgemm 8": (0, 0, 9, 9, 11, 11, 11, 11, 18, 18, 11),
}  # fmt: skip


def found(*lines: str, chip: str = "gfx942") -> tuple[hazards.Hazard, ...]:
    text = f'.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\n.text\n' + "\n".join(lines)
    return hazards.find(parse(text))


def least(first: str, second: str, chip: str = "gfx942") -> int:
    """How many states apart the two must be, by trying."""
    return next(n for n in range(25) if not found(first, *["s_nop 0"] * n, second, chip=chip))


@pytest.mark.parametrize("line", RULES.strip().splitlines())
def test_rule(line):
    first, second, need, register = (x.strip() for x in line.split("|"))
    assert least(first, second) == int(need)
    if int(need):
        (h,) = found(first, second)
        assert (h.have, h.need, h.register, h.certain) == (0, int(need), register, True)
        assert not found(first, f"s_nop {int(need) - 1}", second)


@pytest.mark.parametrize("first", FIRST)
def test_matrix_table(first):
    got = tuple(least(FIRST[first], second or FIRST[first]) for second in SECOND.values())
    assert got == TABLE[first]


def test_anti_dependence_of_accumulators():
    """A vector instruction may not overwrite what a matrix instruction still reads as C (MI300 ISA, section 7.5, table
    37, last row)."""
    texts = {
        "4x4x4_16b_f16": 1, "16x16x16_f16": 3, "32x32x8_f16": 7, "32x32x4_2b_f16": 15, "32x32x2_f32": 0,
        "16x16x4_f32": 0,
    }  # fmt: skip
    for name, need in texts.items():
        assert least(f"v_mfma_f32_{name} v[100:131], v[64:65], v[66:67], v[0:31]", "v_mov_b32_e32 v1, v81") == need
    (h,) = found("v_mfma_f32_16x16x16_f16 v[100:103], v[64:65], v[66:67], v[0:3]", "v_mov_b32_e32 v1, v81")
    assert h.did == "read" and h.register == "v1"


def test_gfx950_needs_more():
    """CDNA4 ISA, section 7.6, table 38."""
    names = {"4x4x4_16b_f16": (4, 5), "16x16x16_f16": (6, 8), "32x32x8_f16": (10, 12), "32x32x4_2b_f16": (18, 20)}
    for k, (name, (_, need)) in enumerate(names.items()):
        first = f"v_mfma_f32_{name} v[0:{(3, 3, 15, 31)[k]}], v[64:65], v[66:67], 0"
        assert least(first, SECOND["valu reads"], "gfx950") == need
        assert least(first, SECOND["A"], "gfx950") == need


def test_ways_through_branches():
    """Through a label the first instruction may not have been the one before: what is sure on one way is only possible
    on another."""
    (h,) = found("v_readfirstlane_b32 s4, v0", "s_cbranch_scc1 there", "s_nop 7", "there:", "v_add_u32_e32 v1, s4, v2")
    assert not h.certain and (h.have, h.need) == (1, 2)
    assert not found(
        "v_readfirstlane_b32 s4, v0", "s_branch there", "s_nop 0", "there:", "s_nop 0", "v_add_u32_e32 v1, s4, v2"
    )
    (h,) = found("loop:", "v_add_u32_e32 v1, s4, v2", "v_readfirstlane_b32 s4, v0", "s_cbranch_scc1 loop")
    assert h.second == 0 and not h.certain


# -- compilers ---------------------------------------------------------------------------------------------------------


def shortened(p: AsmProgram):
    """The program with one wait state less, at each s_nop in turn."""
    for n, i in enumerate(p.instructions):
        if i.name != "s_nop":
            continue
        left, code = int(i.operands[0].value), list(p.instructions)
        if left:
            code[n] = dataclasses.replace(i, operands=(Imm(left - 1),))
            yield n, dataclasses.replace(p, instructions=tuple(code))
        else:
            labels = {name: at - (at > n) for name, at in p.labels.items()}
            yield n, dataclasses.replace(p, instructions=tuple(code[:n] + code[n + 1 :]), labels=labels)


def extra(p: AsmProgram, n: int) -> bool:
    """States that LLVM inserts beyond the manual's: before a mask is read (the manual: 0 for carries, and AMD's own
    assembly keeps none), behind packed instructions, whose op_sel_hi it takes for a change of the result's place, and
    between loads of a clause that a page fault may replay."""
    before, after = p.instructions[n - 1].name, p.instructions[n + 1].name
    behind = " ".join(i.name for i in p.instructions[max(0, n - 2) : n])
    memory = re.compile(r"(global|buffer|flat|scratch)_load|s_load|s_buffer_load")
    masks = re.match(r"v_(cndmask|addc|subb|subbrev)", after)
    return bool(
        masks or re.search(r"v_pk_|v_fma_mix|v_mad_mix", behind) or (memory.match(before) and memory.match(after))
    )


def counted(p: AsmProgram, text: str = "") -> tuple[int, int]:
    """`text`: of the assembly. Behind inline assembly, be it empty, LLVM waits for what it may have been."""
    assert hazards.find(p) == ()
    caught, beyond, rows = 0, 0, text.splitlines()
    for n, less in shortened(p):
        unknown = any("#ASMEND" in row for row in rows[p.instructions[n - 1].line : p.instructions[n].line])
        if unknown or extra(p, n):
            beyond += 1
            continue
        assert hazards.find(less), (p.instructions[n].line, p.instructions[n - 1].text, p.instructions[n + 1].text)
        caught += 1
    return caught, beyond


@pytest.mark.parametrize("file", PEERS, ids=lambda f: f.stem[:8])
def test_foreign_kernels(file):
    caught, beyond = counted(parse(file.read_text()))
    assert (caught, beyond) == ((6, 0) if file.suffix == ".s" else (0, 3))


DEVICE = simt_device.DeviceCompiler(arch.chip("gfx942"))


def test_what_llvm_inserts():
    caught = 0
    for case in (*kernels(64), *list(benches())[::15]):
        kernel, _ = case.make("gfx942")
        made = simt_device.program(pipeline.gpu(kernel, case.block or (64, 1, 1)), arch.chip("gfx942"))
        text = DEVICE.assembly(made.text)
        caught += counted(parse(text), text)[0]
    assert caught > 10


MFMAS = {
    "f32.4x4x4f16": ("<4 x float>", "<4 x half>"), "f32.16x16x16f16": ("<4 x float>", "<4 x half>"),
    "f32.32x32x8f16": ("<16 x float>", "<4 x half>"),
    "f32.32x32x4f16": ("<32 x float>", "<4 x half>"), "f32.4x4x1f32": ("<4 x float>", "float"),
    "f32.16x16x4f32": ("<4 x float>", "float"),
    "f32.32x32x2f32": ("<16 x float>", "float"), "f64.16x16x4f64": ("<4 x double>", "double"),
    "f64.4x4x4f64": ("double", "double"),
}  # fmt: skip
USES = {
    "store": "store {d} %r, ptr addrspace(1) %out, align 8",
    "valu": "%s = fadd {d} %r, %c\n  store {d} %s, ptr addrspace(1) %out, align 8",
    "chain": "%s = call {d} {f}({a} %a, {a} %b, {d} %r, i32 0, i32 0, i32 0)\n"
             "  store {d} %s, ptr addrspace(1) %out, align 8",
    "A": "%e = {extract}\n  %x = {convert}\n  %s = call {d} {f}({a} %x, {a} %b, {d} %c, i32 0, i32 0, i32 0)\n"
         "  store {d} %s, ptr addrspace(1) %out, align 8",
}


def matrix_text(name: str, use: str) -> str:
    """LLVM IR of a product and something that uses it."""
    d, a = MFMAS[name]
    element = "double" if "double" in d else "float"
    extract = f"extractelement {d} %r, i32 1" if d != "double" else "fadd double %r, 0.0"
    convert = (
        f"bitcast {element} %e to {element}" if a in ("float", "double") else "bitcast <2 x float> %pair to <4 x half>"
    )
    if a == "<4 x half>":
        extract = f"shufflevector {d} %r, {d} %r, <2 x i32> <i32 0, i32 1>"
        convert = "bitcast <2 x float> %e to <4 x half>"
    f = f"@llvm.amdgcn.mfma.{name}"
    body = USES[use].format(d=d, a=a, f=f, extract=extract, convert=convert)
    return f"""
define amdgpu_kernel void @k(ptr addrspace(1) %pa, ptr addrspace(1) %out, {a} %b) {{
  %a = load {a}, ptr addrspace(1) %pa, align 8
  %c = load {d}, ptr addrspace(1) %out, align 8
  %r = call {d} {f}({a} %a, {a} %b, {d} %c, i32 0, i32 0, i32 0)
  {body}
  ret void
}}
declare {d} {f}({a}, {a}, {d}, i32 immarg, i32 immarg, i32 immarg)
"""


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", MFMAS)
def test_what_llvm_inserts_behind_products(name, use):
    """Every state that LLVM leaves between a product and its use is needed, and they are enough."""
    p = parse(DEVICE.assembly(matrix_text(name, use)))
    assert any(i.name.startswith("v_mfma") for i in p.instructions)
    caught, _ = counted(p)
    assert caught


def test_a_product_that_a_nearer_one_writes_over():
    """What LLVM puts out: the second reads what the nearer one wrote, in registers that the farther one wrote, too."""
    far, near = "v_mfma_f32_16x16x16_f16 v[2:5], v[6:7], v[14:15], v[2:5]", "v_mfma_f32_16x16x16_f16 v[0:3], v[16:17], v[20:21], v[2:5]"
    last = "v_mfma_f32_16x16x16_f16 v[0:3], v[18:19], v[22:23], v[0:3]"
    assert not found(far, "s_nop 0", near, last)
    assert found(far, "s_nop 0", last)
    assert found(far, near.replace("v[0:3]", "v[3:6]"), last)[-1].register == "v2"
    assert found(far, "s_cbranch_scc0 .Lx", near, ".Lx:", last)
