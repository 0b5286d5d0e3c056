"""The unified vector file (v[n] is a[n - accum_offset]) and VGPR indexing, on drawn registers, against NumPy on the
rules of CDNA4 ISA, section 6.6."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sim.amdgcn.programs import LANES, Registers, assemble, run_program, start

from avelang.base.errors import AveError
from avelang.sim.amdgcn.machine import DispatchParams

LANE = np.arange(LANES, dtype=np.uint32)
MASK = 0xF0FFFF0FFFFF00FF
ON = np.array([bool(MASK >> n & 1) for n in range(LANES)])


def held(rng: np.random.Generator, names: str, count: int) -> dict[str, np.ndarray | int]:
    return {f"{names}{n}": rng.integers(0, 1 << 32, LANES, np.uint32) for n in range(count)}


# -- one file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [4, 64, 128, 252])
def test_v_beyond_accum_offset_is_a(offset):
    rng = np.random.default_rng(offset)
    directives = f".amdhsa_float_denorm_mode_32 3\n.amdhsa_accum_offset {offset}\n.amdhsa_next_free_vgpr 264"
    body = f"""
        v_mov_b32 v0, a0
        v_add_u32 v{offset}, v1, v{offset + 1}
        v_accvgpr_write_b32 a2, v2
        v_mov_b32 v3, v{offset + 2}
        v_mov_b64 v[{offset - 2}:{offset - 1}], v[{offset}:{offset + 1}]
        v_pk_add_f32 v[{offset + 2}:{offset + 3}], v[{offset}:{offset + 1}], 0
    """
    inputs = {f"v{n}": rng.integers(0, 1 << 30, LANES, np.uint32) for n in range(4)}
    inputs |= {f"a{n}": rng.integers(0x3F000000, 0x40000000, LANES, np.uint32) for n in range(4)}
    r = run_program(body, inputs, directives=directives, exec_mask=MASK)
    total = np.where(ON, inputs["v1"] + inputs["a1"], inputs["a0"])
    assert (r["v0"] == np.where(ON, inputs["a0"], inputs["v0"])).all()
    assert (r["a0"] == total).all() and (r["a1"] == inputs["a1"]).all()
    if offset > 4:
        assert (r["v3"] == np.where(ON, inputs["v2"], inputs["v3"])).all()
        assert (r[f"v{offset - 2}"][ON] == total[ON]).all() and (r[f"v{offset - 1}"][ON] == inputs["a1"][ON]).all()
    floats = np.stack([total, inputs["a1"]]).view(np.float32) + np.float32(0)
    assert (r["a[2:3]"][:, ON] == floats.view(np.uint32)[:, ON]).all()


def test_a_matrix_across_the_border():
    """C of a matrix instruction in v and in a: the same registers."""
    directives = ".amdhsa_accum_offset 8\n.amdhsa_next_free_vgpr 16"
    body = "v_mfma_f32_16x16x4_f32 v[6:9], v0, v1, 0\ns_nop 15\nv_mov_b32 v2, a0\nv_mov_b32 v3, a1"
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-8, 8, (16, 4)).astype(np.float32) for _ in range(2))
    lane = np.arange(64)
    inputs = {"v0": a[lane % 16, lane // 16].view(np.uint32), "v1": b[lane % 16, lane // 16].view(np.uint32)}
    r = run_program(body, inputs, directives=directives)
    want = (a @ b.T)[4 * (lane // 16)[None] + np.arange(4)[:, None], lane % 16]
    for k, name in enumerate(("v6", "v7", "a0", "a1")):
        assert (r[name].view(np.float32) == want[k]).all()
    assert (r["v2"] == r["a0"]).all() and (r["v3"] == r["a1"]).all()


def test_registers_that_the_descriptor_does_not_ask_for():
    with pytest.raises(AveError, match=r"\[X021\].*v24.*a16 is not there"):
        run_program("v_mov_b32 v24, 0", directives=".amdhsa_accum_offset 8\n.amdhsa_next_free_vgpr 24")


def test_loads_and_stores_name_either():
    directives = ".amdhsa_accum_offset 8\n.amdhsa_next_free_vgpr 16"
    body = """
        v_lshlrev_b32 v0, 4, v0
        global_load_dwordx4 v[8:11], v0, s[0:1]
        s_waitcnt vmcnt(0)
        ds_write_b64 v0, a[0:1]
        ds_write_b64 v0, v[10:11] offset:8
        s_waitcnt lgkmcnt(0)
        ds_read_b128 a[4:7], v0
        s_waitcnt lgkmcnt(0)
        global_store_dwordx4 v0, v[12:15], s[0:1] offset:1024
    """
    x = np.zeros(512, np.uint32)
    x[:256] = np.random.default_rng(1).integers(0, 1 << 32, 256)
    machine = assemble(body, directives=directives, lds=1024)
    span = (x.ctypes.data, x.ctypes.data + x.nbytes)
    start(machine, {"v0": LANE, "s[0:1]": x.ctypes.data}, regions=(span,))
    assert (x[:256] == x[256:]).all()


# -- indexing ----------------------------------------------------------------------------------------------------------

F32, F16, I32, U32 = np.float32, np.float16, np.int32, np.uint32


def _pair(regs: list[np.ndarray], n: int) -> np.ndarray:
    return np.stack([regs[n], regs[n + 1]]).view(F32)


# Name and operands {0} (destination) and {1} to {3}; what it computes from registers by number; how many registers it
# writes.
CASES = {
    "v_add_u32 v{0}, v{1}, v{2}": (lambda g, d, a, b, c: [g[a] + g[b]], 2),
    "v_sub_u32 v{0}, 77, v{2}": (lambda g, d, a, b, c: [U32(77) - g[b]], 2),
    "v_cvt_f32_i32 v{0}, v{1}": (lambda g, d, a, b, c: [g[a].view(I32).astype(F32).view(U32)], 1),
    "v_mul_lo_u32 v{0}, v{1}, v{2}": (lambda g, d, a, b, c: [g[a] * g[b]], 2),
    "v_fma_f32 v{0}, v{1}, -v{2}, v{3}": (
        lambda g, d, a, b,
        c: [(g[a].view(F32).astype(np.float64) * -g[b].view(F32) + g[c].view(F32)).astype(F32).view(U32)], 3),
    "v_pk_mul_f32 v[{0}:{0}+1], v[{1}:{1}+1], v[{2}:{2}+1]": (lambda g, d, a, b,
        c: list((_pair(g, a) * _pair(g, b)).view(U32)), 2),
    "v_fmac_f32 v{0}, v{1}, v{2}": (
        lambda g, d, a, b,
        c: [(g[a].view(F32).astype(np.float64) * g[b].view(F32) + g[d].view(F32)).astype(F32).view(U32)], 2),
    "v_lshlrev_b32 v{0}, v{1}, v{2}": (lambda g, d, a, b, c: [g[b] << (g[a] & 31)], 2),
    "v_mov_b32_sdwa v{0}, v{1} dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2": (
        lambda g, d, a, b, c: [g[d] & 0xFFFF | (g[a] >> 16 & 255) << 16], 1),
    "v_mov_b32_dpp v{0}, v{1} row_ror:3 row_mask:0xf bank_mask:0xf": (
        lambda g, d, a, b, c: [np.where(ON[LANE // 16 * 16 + (LANE - 3) % 16], g[a][LANE // 16 * 16 + (LANE - 3) % 16],
            g[d])], 1),
    "v_lshl_add_u64 v[{0}:{0}+1], v[{1}:{1}+1], 3, v[{3}:{3}+1]": (
        lambda g, d, a, b, c: _words((_long(g, a) << np.uint64(3)) + _long(g, c)), 3),
}  # fmt: skip


def _long(g, n):
    return g[n].astype(np.uint64) | g[n + 1].astype(np.uint64) << np.uint64(32)


def _words(x):
    return [x.astype(U32), (x >> np.uint64(32)).astype(U32)]


def spelled(text: str, *n: int) -> str:
    import re

    return re.sub(r"(\d+)\+1", lambda m: str(int(m[1]) + 1), text.format(*n))


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("how", ["on", "m0"])
def test_indexed_operands(text, how):
    """Each operand is shifted as its bit says, whether the bits are known when the code is translated or not."""
    rule, _ = CASES[text]
    rng = np.random.default_rng(len(text))
    for _ in range(2):
        mask, index = int(rng.integers(0, 16)), 2 * int(rng.integers(0, 12))
        d, a, b, c = (2 * int(x) for x in rng.choice(10, 4, replace=False))
        g = [x.view(U32) for x in (rng.standard_normal((48, LANES)) * 8).astype(F32)]
        turn_on = {
            "on": f"s_mov_b32 s0, {index}\ns_set_gpr_idx_on s0, {mask}",
            "m0": f"s_set_gpr_idx_on s9, 15\ns_mov_b32 m0, {mask << 12 | index}",
        }[how]
        moved = [x + index * (mask >> k & 1) for k, x in ((3, d), (0, a), (1, b), (2, c))]
        body = f"{turn_on}\n{spelled(text, d, a, b, c)}\ns_set_gpr_idx_off"
        r = run_program(body, {**{f"v{n}": x for n, x in enumerate(g)}, "s9": 0}, exec_mask=MASK)
        want = list(g)
        for k, value in enumerate(rule(g, *moved)):
            want[moved[0] + k] = np.where(ON, value, g[moved[0] + k])
        for n, x in enumerate(want):
            assert (r[f"v{n}"] == x).all(), (body, n)


def test_indexed_lanes():
    g = held(np.random.default_rng(3), "v", 16)
    body = """
        s_set_gpr_idx_on s0, 9
        v_writelane_b32 v1, s1, 5
        v_readlane_b32 s2, v2, 7
        v_readfirstlane_b32 s3, v3
        v_cmp_eq_u32 s[4:5], v4, v4
        s_set_gpr_idx_idx s6
        v_writelane_b32 v1, s1, s7
        s_set_gpr_idx_off
    """
    r = run_program(body, {**g, "s0": 4, "s1": 1234, "s6": 6, "s7": 63})
    want = {n: x.copy() for n, x in g.items()}
    want["v5"][5] = want["v7"][63] = 1234
    assert all((r[n] == x).all() for n, x in want.items())
    assert (r["s2"], r["s3"], r["s[4:5]"]) == (int(g["v6"][7]), int(g["v7"][0]), 0)


def test_indexed_accumulators():
    """Accumulation registers are shifted, too: so epilogues of others read slices of C."""
    g = held(np.random.default_rng(4), "a", 8)
    r = run_program(
        "s_set_gpr_idx_on s0, 1\nv_accvgpr_read_b32 v0, a1\nv_accvgpr_read_b32 v1, a2\ns_set_gpr_idx_off",
        {**g, "s0": 5},
    )
    assert (r["v0"] == g["a6"]).all() and (r["v1"] == g["a7"]).all()


def test_indexing_in_a_loop():
    """One body for all registers; MODE comes to the loop's head as it leaves it."""
    body = """
        s_mov_b32 s0, 0
        s_set_gpr_idx_on s0, 8
        again:
        v_mov_b32 v4, s0
        s_add_u32 s0, s0, 1
        s_set_gpr_idx_idx s0
        s_cmp_lt_u32 s0, 10
        s_cbranch_scc1 again
        s_set_gpr_idx_off
    """
    r = run_program(body)
    assert [int(r[f"v{4 + n}"][0]) for n in range(10)] == list(range(10)) and r["v14"][0] == 0xDEADBEEF


def test_an_index_may_reach_into_the_accumulators():
    directives = ".amdhsa_accum_offset 8\n.amdhsa_next_free_vgpr 16"
    g = held(np.random.default_rng(6), "a", 8)
    r = run_program(
        "s_set_gpr_idx_on s0, 1\nv_mov_b32 v0, v6\ns_set_gpr_idx_off", {**g, "s0": 5}, directives=directives
    )
    assert (r["v0"] == g["a3"]).all()
    with pytest.raises(AveError, match=r"\[X021\].*past the last register"):
        run_program(
            "s_set_gpr_idx_on s0, 1\nv_mov_b32 v0, v6\ns_set_gpr_idx_off", {**g, "s0": 10}, directives=directives
        )


def test_launch_vectors_of_a_small_file():
    machine = assemble("v_mov_b32 v0, a1", directives=".amdhsa_accum_offset 4\n.amdhsa_next_free_vgpr 8")
    given = np.zeros((1, 258, LANES), np.uint32)
    given[:, 257] = 7
    run = machine.launch(DispatchParams((1, 1, 1), (64, 1, 1), b"", [], vectors=given))
    assert (Registers(run)["v0"] == 7).all()
