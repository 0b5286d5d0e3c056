"""Branches, calls, computed jumps, MODE, VGPR indexing, traps."""

import re
import subprocess

import numpy as np
import pytest

from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.isa.amdgpu.instructions import find
from avelang.sim.amdgcn import control, cross_lane, mode
from sim.amdgcn.programs import assemble, run_program, start
from sim.amdgcn.test_scalar import CASES, EXEC_CASES, REGISTERS
from tools import assembler

LANE = np.arange(64, dtype=np.uint32)
KEEP = ".amdhsa_float_denorm_mode_32 3"


@pytest.mark.parametrize(
    "what,setup,taken",
    [
        ("scc0", {"scc": 0}, True), ("scc0", {"scc": 1}, False), ("scc1", {"scc": 1}, True),
        ("scc1", {"scc": 0}, False),
        ("vccz", {"vcc": 0}, True), ("vccz", {"vcc": 1 << 40}, False), ("vccnz", {"vcc": 1 << 40}, True),
        ("vccnz", {"vcc": 0}, False),
        ("execz", {"exec": 0}, True), ("execz", {"exec": 1 << 63}, False), ("execnz", {"exec": 1 << 63}, True),
        ("execnz", {"exec": 0}, False),
        ("cdbgsys", {}, False), ("cdbguser", {}, False), ("cdbgsys_or_user", {}, False),
        ("cdbgsys_and_user", {}, False),
    ],
)  # fmt: skip
def test_conditional_branches(what, setup, taken):
    body = f"s_mov_b32 s0, 0\ns_cbranch_{what} there\ns_or_b32 s0, s0, 1\nthere:\ns_or_b32 s0, s0, 2"
    inputs = {name: value for name, value in setup.items() if name != "exec"}
    assert run_program(body, inputs, exec_mask=setup.get("exec", (1 << 64) - 1))["s0"] == (2 if taken else 3)


CALLS = """
    s_mov_b32 s0, 1
    s_call_b64 s[30:31], double
    s_call_b64 s[30:31], double
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, {name}@rel32@lo+4
    s_addc_u32 s3, s3, {name}@rel32@hi+12
    s_swappc_b64 s[30:31], s[2:3]
    s_mov_b64 s[4:5], s[30:31]
    s_branch out
double:
    s_add_u32 s0, s0, s0
    s_setpc_b64 s[30:31]
triple:
    s_mul_i32 s0, s0, 3
    s_setpc_b64 s[30:31]
inside:
    s_nop 0
out:
"""


@pytest.mark.parametrize("name,want", [("double", 8), ("triple", 12)])
def test_calls(name, want):
    assert run_program(CALLS.format(name=name))["s0"] == want


FAR = """
    s_mov_b32 s0, {start}
    s_cmp_eq_u32 s0, 1
    s_cbranch_scc1 near
    s_getpc_b64 s[2:3]
post:
    s_add_u32 s2, s2, (there-post)&4294967295
    s_addc_u32 s3, s3, (there-post)>>32
    s_setpc_b64 s[2:3]
near:
    s_getpc_b64 s[4:5]
back:
    s_add_u32 s4, s4, (behind-back)&4294967295
    s_addc_u32 s5, s5, (behind-back)>>32
    s_nop 0
    s_setpc_b64 s[4:5]
behind:
    s_or_b32 s0, s0, 32
there:
    s_or_b32 s0, s0, 64
"""


@pytest.mark.parametrize(("start", "want"), [(0, 64), (1, 97)])
def test_branches_over_a_long_way(start, want):
    """As LLVM writes them, and with something between, which is a jump to a computed address."""
    assert run_program(FAR.format(start=start))["s0"] == want


def test_a_jump_to_nowhere_stops():
    with pytest.raises(AveError, match=r"\[X021\].*s_setpc_b64 s\[0:1\].*no instruction"):
        run_program("s_mov_b64 s[0:1], 0x123456\ns_setpc_b64 s[0:1]")


@pytest.mark.parametrize("text", ["s_trap 2", "s_sethalt 1", "s_sendmsghalt sendmsg(MSG_INTERRUPT)"])
def test_a_program_that_stops_itself(text):
    with pytest.raises(AveError, match=rf"\[X021\].*{re.escape(text.split()[0])}.*stops itself"):
        run_program(text)


def test_ends():
    assert (
        run_program("s_mov_b32 s0, 1\ns_setkill 0\ns_sethalt 0\ns_mov_b32 s0, 2\ns_setkill 1\ns_mov_b32 s0, 3")["s0"]
        == 2
    )
    assert run_program("s_mov_b32 s0, 1\ns_endpgm_saved\ns_mov_b32 s0, 3")["s0"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "s_cbranch_i_fork s[0:1], 3",
        "s_cbranch_g_fork s[0:1], s[2:3]",
        "s_cbranch_join s0",
        "s_setvskip s0, 1",
        "s_rfe_b64 s[0:1]",
    ],
)
def test_what_is_not_modeled_stops(text):
    with pytest.raises(AveError, match=r"\[X021\].*not modeled|no trap handler"):
        run_program(text)


def test_time_grows_with_instructions():
    nops = "s_nop 0\n" * 90
    r = run_program(f"s_memtime s[0:1]\n{nops}s_memrealtime s[2:3]\ns_memtime s[4:5]\n")
    assert [r["s[0:1]"], r["s[2:3]"], r["s[4:5]"]] == [0, 91, 92]


def test_hints_do_nothing():
    plain = [x for x in control.HINTS if not x.startswith("s_cbranch") and find(x, "gfx942")]
    operand = {"s_nop": "3", "s_waitcnt": "vmcnt(0)", "s_setprio": "1", "s_sleep": "2", "s_incperflevel": "1",
        "s_decperflevel": "1",
               "s_sendmsg": "sendmsg(MSG_INTERRUPT)"}  # fmt: skip
    lines = "\n".join(f"{x} {operand.get(x, '')}" for x in plain)
    assert run_program(f"s_mov_b32 s0, 5\n{lines}")["s0"] == 5


# -- MODE --------------------------------------------------------------------------------------------------------------


def test_mode_is_read():
    body = """
        s_getreg_b32 s0, hwreg(HW_REG_MODE)
        s_getreg_b32 s1, hwreg(HW_REG_MODE, 4, 2)
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        s_getreg_b32 s2, hwreg(1, 0, 10)
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 0
        s_getreg_b32 s3, 0x4801
    """
    r = run_program(body)
    assert [r[f"s{n}"] for n in range(4)] == [0x3F0, 3, 0x3C0, 0x2C0]
    assert (
        run_program("s_getreg_b32 s0, hwreg(HW_REG_MODE)", directives=".amdhsa_ieee_mode 0\n.amdhsa_fp16_overflow 1")[
            "s0"
        ]
        == 0x8001C0
    )


DENORMAL = np.full(64, 0x80123456, np.uint32)


def test_denormals_are_what_mode_says():
    add = "v_add_f32 v{}, v0, 0"
    body = f"""
        {add.format(1)}
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        {add.format(2)}
        s_cbranch_scc1 on
        s_nop 0
    on:
        {add.format(3)}
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
        {add.format(4)}
    """
    r = run_program(body, {"v0": DENORMAL})
    assert [int(r[f"v{n}"][0]) for n in (1, 2, 3, 4)] == [0x80123456, 0, 0, 0x80123456]
    assert int(run_program(add.format(1), {"v0": DENORMAL}, directives="")["v1"][0]) == 0  # the default of descriptors


@pytest.mark.parametrize(
    "denorm,sources,results", [(0, True, True), (1, False, True), (2, True, False), (3, False, False)]
)
def test_which_denormals_are_flushed(denorm, sources, results):
    # The denormal operand doubled twice is normal; a normal one halved is denormal.
    body = "v_mul_f32 v1, 4.0, v0\nv_mul_f32 v3, 0.5, v2"
    inputs = {"v0": np.full(64, 0x80600000, np.uint32), "v2": np.full(64, 0x80800000, np.uint32)}
    r = run_program(body, inputs, directives=f".amdhsa_float_denorm_mode_32 {denorm}")
    assert int(r["v1"][0]) == (0x80000000 if sources else 0x81400000)
    assert int(r["v3"][0]) == (0x80000000 if results else 0x80400000)


@pytest.mark.parametrize(
    "body,why",
    [
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1\nv_add_f32 v0, v0, v0", "rounds 32-bit floats up"),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 3\nv_add_f32 v0, v0, v0", "exceptions"),
        ("s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s0", "set from a register"),
        ("s_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0", "HW_REG_STATUS is not modeled"),
        ("s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC)", "HW_REG_LDS_ALLOC is not modeled"),
        ("s_mov_b32 s0, 0\ns_cbranch_scc1 on\non:\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s0", "set from a register"),
        ("s_getreg_b32 s0, hwreg(HW_REG_NONE)", "no hardware register"),
        (
            "s_cbranch_scc1 on\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\non:\nv_add_f32 v0, v0, v0",
            "differs by the way",
        ),
        (
            "s_getpc_b64 s[0:1]\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\ns_setpc_b64 s[0:1]",
            "MODE is not what it was",
        ),
    ],
)
def test_what_mode_cannot_be(body, why):
    with pytest.raises(AveError, match=rf"\[X021\].*{why}"):
        run_program(body, {"v0": LANE, "s0": 0})


def test_rounding_that_does_not_matter_goes_on():
    r = run_program("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\nv_add_u32 v1, v0, v0", {"v0": LANE})
    assert (r["v1"] == 2 * LANE).all()


# -- VGPR indexing -----------------------------------------------------------------------------------------------------


def test_indexed_moves():
    registers = {f"v{n}": LANE + 1000 * n for n in range(20)}
    body = """
        s_set_gpr_idx_on s0, gpr_idx(SRC0)
        v_mov_b32 v10, v1
        s_set_gpr_idx_idx s1
        v_mov_b32 v11, v1
        s_set_gpr_idx_mode gpr_idx(DST)
        v_mov_b32 v1, v2
        s_nop 0
        s_set_gpr_idx_mode gpr_idx(SRC0,DST)
        v_mov_b32 v3, v4
        s_set_gpr_idx_off
        v_mov_b32 v12, v1
        s_mov_b32 s5, m0
    """
    mask = 0xFFFF0000FFFF0000
    r = run_program(body, {**registers, "s0": 0x103, "s1": 5, "m0": 0xABCDEF00}, exec_mask=mask)
    on = np.array([bool(mask >> n & 1) for n in range(64)])
    want = dict(registers)
    for d, s in ((10, 4), (11, 6), (6, 2), (8, 9), (12, 1)):
        want[f"v{d}"] = np.where(on, want[f"v{s}"], want[f"v{d}"])
    for name, value in want.items():
        assert (r[name] == value).all(), name
    assert r["s5"] == 0xABCD9F05


@pytest.mark.parametrize(
    "body,why",
    [
        ("s_set_gpr_idx_on s0, gpr_idx(SRC0)\nv_mov_b32 v1, v2", "past the last register"),
        ("s_set_gpr_idx_on s1, gpr_idx(SRC0)\nv_swap_b32 v1, v2", "VGPR indexing of this instruction"),
        ("s_set_gpr_idx_on s1, s0", "not gpr_idx"),
    ],
)
def test_indexing_that_stops(body, why):
    with pytest.raises(AveError, match=rf"\[X021\].*{why}"):
        run_program(body, {"s0": 255, "s1": 1})


def test_blocks_know_mode():
    code = parse("s_nop 0\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\ns_nop 0\ns_nop 1\ns_nop 2").instructions
    start, flushing = mode.Mode(), mode.Mode(0x3C0)
    ranges = [(0, 2), (2, 3), (3, 4), (4, 5)]
    assert mode.at_blocks(code, ranges, [[1, 2], [2], [1], []], start) == [start, flushing, flushing, start]
    assert mode.at_blocks(code, ranges, [[1], [0], [3], []], start) == [None, None, start, start]


def test_our_mnemonics_are_those_of_the_assembler():
    """LLVM's assembler knows what the tables name (gfx950: gfx942 and the swaps of rows)."""
    texts = {
        "s_getpc_b64": "s[0:1]", "s_setpc_b64": "s[0:1]", "s_swappc_b64": "s[0:1], s[2:3]", "s_call_b64": "s[0:1], 4",
        "s_branch": "4", "s_barrier": "",
        "s_endpgm": "", "s_endpgm_saved": "", "s_trap": "2", "s_sendmsghalt": "sendmsg(MSG_INTERRUPT)",
        "s_sethalt": "1", "s_setkill": "1",
        "s_getreg_b32": "s0, hwreg(HW_REG_XCC_ID)", "s_setreg_b32": "hwreg(HW_REG_MODE), s0",
        "s_setreg_imm32_b32": "hwreg(HW_REG_MODE), 5",
        "s_set_gpr_idx_on": "s0, gpr_idx(SRC0)", "s_set_gpr_idx_off": "", "s_set_gpr_idx_idx": "s0",
        "s_set_gpr_idx_mode": "gpr_idx(DST)",
        "s_memtime": "s[0:1]", "s_memrealtime": "s[0:1]", "s_cbranch_g_fork": "s[0:1], s[2:3]",
        "s_cbranch_i_fork": "s[0:1], 4",
        "s_cbranch_join": "s0", "s_setvskip": "s0, s1", "s_rfe_b64": "s[0:1]", "s_nop": "0", "s_waitcnt": "0",
        "s_setprio": "0", "s_sleep": "0",
        "s_incperflevel": "0", "s_decperflevel": "0", "s_sendmsg": "sendmsg(MSG_INTERRUPT)",
        "ds_swizzle_b32": "v0, v1 offset:5",
        "v_readlane_b32": "s0, v0, s1", "v_readfirstlane_b32": "s0, v0", "v_writelane_b32": "v0, s0, 1",
        "v_mbcnt_lo_u32_b32": "v0, s0, v1",
        "v_mbcnt_hi_u32_b32": "v0, s0, v1", "ds_permute_b32": "v0, v1, v2", "ds_bpermute_b32": "v0, v1, v2",
        "v_permlane16_swap_b32": "v0, v1",
        "v_permlane32_swap_b32": "v0, v1", "v_accvgpr_read_b32": "v0, a0", "v_accvgpr_write_b32": "a0, v0",
        "v_accvgpr_mov_b32": "a0, a1",
        "s_atc_probe": "1, s[0:1], 0", "s_atc_probe_buffer": "1, s[0:3], 0", "s_rfe_restore_b64": "s[0:1], s2",
        "v_screen_partition_4se_b32": "v0, v1",
        **{f"ds_gws_{x}": "v0 gds" for x in ("init", "barrier", "sema_br")},
        **{f"ds_gws_{x}": "gds" for x in ("sema_v", "sema_p", "sema_release_all")},
    }  # fmt: skip
    names = [
        n
        for n in [*control.TABLE, *cross_lane.TABLE]
        if n not in ("buffer_invl2", "buffer_wbinvl1", "buffer_wbinvl1_vol")
    ]  # gfx90a's
    text = "\n".join(f"{x} {texts.get(x, '4' if x.startswith('s_cbranch') else '')}" for x in names)
    out = subprocess.run(assembler("gfx950"), input=text, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr


def test_our_programs_are_legal():
    """The texts of `test_scalar`, as LLVM's assembler reads them for gfx942."""
    text = "\n".join([t.format(**REGISTERS[n]) for t, n, _ in CASES] + [f"{x} s[0:1], s[2:3]" for x in EXEC_CASES])
    out = subprocess.run(assembler("gfx942"), input=text, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr


# -- hardware registers ------------------------------------------------------------------------------------------------


def test_where_waves_stand():
    """HW_ID tells the waves of a workgroup apart; there is one die, and no exception that could be cleared."""
    body = """
        s_getreg_b32 s0, hwreg(HW_REG_HW_ID)
        s_getreg_b32 s1, hwreg(HW_REG_HW_ID, 4, 2)
        s_getreg_b32 s2, hwreg(HW_REG_XCC_ID, 0, 4)
        s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0
        s_atc_probe 1, s[0:1], 0
    """
    machine = assemble(body)
    found = [start(machine, block=512).run.scalars[n] for n in range(8)]
    assert (
        len({int(s[0]) for s in found}) == 8
        and [int(s[1]) for s in found] == [0, 1, 2, 3] * 2
        and not any(int(s[2]) for s in found)
    )


def test_mode_from_a_register_that_is_known():
    """A constant moved there in the same block; the last one counts."""
    tiny = np.full(64, 1, np.uint32)
    body = "s_mov_b32 s3, 0\n{}\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s3\nv_add_f32 v1, v0, v0"
    for between, want in (("s_nop 0", 0), ("s_movk_i32 s3, 3", 2)):
        assert (run_program(body.format(between), {"v0": tiny})["v1"] == want).all()
    with pytest.raises(AveError, match=r"\[X021\].*set from a register"):
        run_program(body.format("s_add_u32 s3, s3, 0"), {"v0": tiny})
