"""What gfx90a does otherwise than gfx942: its own multiply-adds, products without denormals, spellings of caches, and
fewer hazards."""

import numpy as np
import pytest

from avelang import executor
from avelang.amdgcn.asm import parse
from avelang.amdgcn.hazards import find
from avelang.base.errors import AveError
from sim.amdgcn.programs import assemble, run_program, start

LANES = 64
TINY = np.float32(1e-40)


def bits(x) -> np.ndarray:
    return np.asarray(x, np.float32).view(np.uint32)


def flushed(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x).astype(np.float32)


def floats(rng: np.random.Generator) -> np.ndarray:
    x = rng.standard_normal(LANES).astype(np.float32)
    x[:8] = [0.0, -0.0, TINY, -TINY, 1e-20, -1e-20, 1e30, np.inf]
    return rng.permutation(x)


@pytest.mark.parametrize("seed", range(3))
def test_multiply_adds_round_twice_and_know_no_denormals(seed):
    rng = np.random.default_rng(seed)
    x, y, z = (floats(rng) for _ in range(3))
    body = (
        "v_mad_f32 v4, v1, -v2, |v3|\nv_mov_b32 v5, v3\nv_mac_f32 v5, v1, v2\nv_madmk_f32 v6, v1, 0x40490fdb, v2\n"
        "v_madak_f32 v7, v1, v2, 0x40490fdb"
    )
    got = run_program(
        body + "\nv_mad_legacy_f32 v8, v1, v2, v3", {"v1": bits(x), "v2": bits(y), "v3": bits(z)}, chip="gfx90a"
    )
    x, y, z, pi = flushed(x), flushed(y), flushed(z), np.float32(np.pi)

    def mad(a, b, c):
        with np.errstate(all="ignore"):
            return flushed(flushed(a * b) + c)

    legacy = mad(np.where((x == 0) | (y == 0), np.float32(0), x), np.where((x == 0) | (y == 0), np.float32(0), y), z)
    for name, want in (
        ("v4", mad(x, -y, np.abs(z))), ("v5", mad(x, y, z)), ("v6", mad(x, pi, y)), ("v7", mad(x, y, pi)),
        ("v8", legacy),
    ):  # fmt: skip
        have = got[name].view(np.float32)
        same = (have.view(np.uint32) == want.view(np.uint32)) | (np.isnan(have) & np.isnan(want))
        assert same.all(), name


@pytest.mark.parametrize(
    ("name", "kind"), [("v_mfma_f32_32x32x8f16", np.float16), ("v_mfma_f32_32x32x2f32", np.float32)]
)
def test_products_of_halves_take_denormals_for_zeros(name, kind):
    """2**-20 is a denormal in f16; with 2**10 it would add 2**-10 to each sum."""
    a = np.full((2, LANES), 2.0**-20 if kind is np.float16 else TINY, kind)
    b = np.full((2, LANES), 2.0**10 if kind is np.float16 else 2.0**30, kind)
    if kind is np.float16:
        a, b = (np.repeat(x, 2, axis=1).view(np.uint32) for x in (a, b))
        text = f"{name} v[8:23], v[2:3], v[4:5], 1.0"
    else:
        a, b, text = a.view(np.uint32), b.view(np.uint32), f"{name} v[8:23], v2, v4, 1.0"
    have = {
        c: run_program(text, {"v[2:3]": a, "v[4:5]": b}, chip=c)["v8"].view(np.float32) for c in ("gfx90a", "gfx942")
    }
    if kind is np.float16:
        assert (have["gfx90a"] == 1).all() and (have["gfx942"] > 1).all()
    else:
        assert (have["gfx90a"] == have["gfx942"]).all()


def test_old_products_have_two_elements_of_k_in_a_register():
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (32, 4)).astype(np.float32) for _ in range(2))
    lane = np.arange(LANES)

    def packed(x):  # lanes 0 to 31 hold k = 0, 1 of their row, the others k = 2, 3
        low, high = (x[lane % 32, 2 * (lane // 32) + k].view(np.uint32) >> 16 for k in (0, 1))
        return low | high << 16

    got = run_program("v_mfma_f32_32x32x4bf16 v[8:23], v2, v4, 0", {"v2": packed(a), "v4": packed(b)}, chip="gfx90a")
    have = got["v[8:23]"].view(np.float32)
    rows = np.array([8 * (s // 4) + s % 4 for s in range(16)])[:, None] + 4 * (lane // 32)
    assert (have == (a @ b.T)[rows, lane % 32]).all()


KERNEL = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.text
	.globl count
count:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_mov_b32 v1, 0
	v_mov_b32 v2, 1
	s_waitcnt lgkmcnt(0)
	global_atomic_add v3, v1, v2, s[2:3] glc
	s_waitcnt vmcnt(0)
	buffer_wbinvl1_vol
	v_lshlrev_b32 v4, 2, v3
	global_store_dword v4, v3, s[2:3] offset:4
	buffer_wbl2
	s_waitcnt vmcnt(0)
	buffer_invl2
	s_endpgm
	.amdhsa_kernel count
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .name:           count
    .end_amdgpu_metadata
"""


def test_a_kernel_with_the_spellings_of_its_caches():
    x = np.zeros(1 + 2 * 64, np.int32)
    executor.load(KERNEL, check="waits,races")[2, 64](x)
    assert x[0] == 128 and (x[1:] == np.arange(128)).all()
    with pytest.raises(AveError, match="X024"):
        executor.load(KERNEL.replace("s_waitcnt vmcnt(0)\n\tbuffer_wbinvl1_vol", "buffer_wbinvl1_vol"), check="waits")[
            1, 64
        ](x)


HAZARDS = [  # first, second, wait states in between that gfx90a and gfx942 need
    ("v_mov_b32 v4, 0", "v_readfirstlane_b32 s0, v4", 0, 1),
    ("v_exp_f32 v4, v5", "v_add_f32 v6, v4, v4", 0, 1),
    ("v_readfirstlane_b32 s4, v4", "v_add_u32 v6, s4, v4", 0, 2),
    ("v_cmpx_eq_u32 exec, v4, v5", "v_readfirstlane_b32 s0, v6", 0, 4),
    ("v_readfirstlane_b32 s4, v4", "v_readlane_b32 s0, v6, s4", 4, 4),
    (
        "v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], 0",
        "v_mfma_f32_32x32x8f16 a[8:23], v[2:3], v[4:5], a[8:23]",
        16,
        9,
    ),
    ("v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], 0", "v_accvgpr_read_b32 v0, a3", 19, 11),
    ("v_mfma_f32_4x4x4f16 a[0:3], v[2:3], v[4:5], 0", "v_mfma_f32_4x4x4f16 a[0:3], v[2:3], v[4:5], a[0:3]", 0, 2),
    ("v_mfma_f64_4x4x4f64 a[0:1], v[2:3], v[4:5], a[0:1]", "v_accvgpr_read_b32 v0, a1", 6, 6),
]


@pytest.mark.parametrize(("first", "second", "old", "new"), HAZARDS)
def test_hazards(first, second, old, new):
    for chip, need in (("gfx90a", old), ("gfx942", new)):
        for have in range(max(need, 1) + 1):
            lines = [
                first, *([f"s_nop {have - 1 if have <= 16 else 15}"] if have else []),
                *([f"s_nop {have - 17}"] if have > 16 else []), second,
            ]  # fmt: skip
            text = f'\t.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\nk:\n' + "\n".join(lines) + "\ns_endpgm\n"
            assert bool(find(parse(text, "hazards"))) == (have < need), (chip, have)


def test_exec_written_again_by_a_scalar_instruction_is_there():
    text = "k:\nv_cmpx_eq_u32 exec, v4, v5\ns_mov_b64 exec, -1\nv_readfirstlane_b32 s0, v6\ns_endpgm\n"
    for chip in ("gfx90a", "gfx942"):
        assert not find(parse(f'\t.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\n' + text, "hazards"))


JUMP = """
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, s6
	s_addc_u32 s5, s5, 0
	s_setpc_b64 s[4:5]
	v_mov_b32 v1, 1
	s_branch end
	v_mov_b32 v1, 2
	s_branch end
	v_mov_b32 v1, 3
end:
	v_mov_b32 v2, 7
"""


def test_computed_jumps_to_places_without_a_label():
    """As the calls of activation functions in AMD's kernels, which are disassembled without names."""
    machine = assemble(JUMP, chip="gfx90a", lazy=True)
    for at, want in ((24, 1), (40, 2), (56, 3)):  # text that is no disassembly has 8 bytes for each instruction
        got = start(machine, {"s6": at})
        assert (got["v1"] == want).all() and (got["v2"] == 7).all()
    with pytest.raises(AveError, match=r"\[X021\].*s_setpc_b64.*no instruction"):
        start(machine, {"s6": 42})


def test_places_of_flat_addresses():
    got = run_program(
        "s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES)\ns_mov_b64 s[2:3], src_shared_base\ns_getreg_b32 s4, "
        "hwreg(HW_REG_TRAPSTS)",
        chip="gfx90a",
    )
    assert got["s0"] >> 16 == got["s3"] >> 16 and got["s0"] & 0xFFFF == 2 and got["s4"] == 0


def test_barriers_and_races_in_memory_that_are_not_followed():
    """A crash once: events were told to a judge that is not there."""
    text = KERNEL.replace("\ts_endpgm", "\ts_barrier\n\ts_endpgm")
    x = np.zeros(1 + 2 * 64, np.int32)
    executor.load(text, check="all")[2, 64](x)
    assert x[0] == 128


STACK = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.text
	.globl turn
turn:
	s_add_u32 s0, s0, s9
	s_addc_u32 s1, s1, 0
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	s_movk_i32 s32, 0x200
	v_lshlrev_b32 v3, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v3, s[4:5]
	v_and_b32 v4, 4, v3
	s_waitcnt vmcnt(0)
	buffer_store_dword v1, v4, s[0:3], s32 offen offset:4
	v_xor_b32 v5, 4, v4
	buffer_store_byte v0, v5, s[0:3], s32 offen offset:5
	s_mov_b64 s[6:7], src_private_base
	v_add_u32 v6, 12, v4
	v_mov_b32 v7, s7
	s_waitcnt vmcnt(0)
	flat_load_dword v2, v[6:7]
	buffer_load_ubyte v8, v5, s[0:3], s32 offen offset:5
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v2, v2, v8
	global_store_dword v3, v2, s[4:5]
	s_endpgm
	.amdhsa_kernel turn
		.amdhsa_private_segment_fixed_size SIZE
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 40
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .name:           turn
    .end_amdgpu_metadata
"""


def test_a_stack_in_a_buffer():
    """Rows of a word for each lane, and the same bytes by flat addresses; a lane has its own."""
    x = np.arange(128, dtype=np.uint32) * 3
    executor.load(STACK.replace("SIZE", "24").replace("s9", "s11"), check="all")[1, 128](x)
    assert (x == np.arange(128) * 3 + np.arange(128)).all()
    with pytest.raises(AveError, match="X022"):
        executor.load(STACK.replace("SIZE", "12").replace("s9", "s11"))[1, 128](x)
