"""The AMD backend: counted facts of the assembly of real kernels, golden assembly of two small ones, and what is
refused."""

from __future__ import annotations

import re

import llvmlite.binding as binding
import pytest

import golden
from avelang.base.errors import AveError
from avelang.emit.llvm import amdgpu, simt_kernel
from avelang.ir.text import parse_kernel
from avelang.isa.amdgpu import buffer
from emit.llvm import gpu_kernels, tutorial
from emit.llvm.gpu import assembly, code, counts, device, lane_loops, lowered, metadata, program

CHIPS = ("gfx90a", "gfx942", "gfx950")
MFMA = {"gfx90a": "v_mfma_f32_32x32x8bf16_1k", "gfx942": "v_mfma_f32_32x32x8_bf16", "gfx950": "v_mfma_f32_32x32x8_bf16"}


def in_registers(text: str) -> None:
    """No scratch memory, no spills, no loop over lanes."""
    assert metadata(text, "private_segment_fixed_size") == 0
    assert metadata(text, "vgpr_spill_count") == metadata(text, "sgpr_spill_count") == 0
    assert not re.search(r"^\tscratch_", text, re.M)
    assert not lane_loops(text)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", ["fixed", "runtime", "guarded"])
def test_the_tutorial(chip, name):
    """Packed words move in single instructions; the accumulator stays in registers."""
    text = assembly(getattr(tutorial, name), chip)
    n = counts(text)
    load = "buffer_load_dwordx4" if name == "guarded" else "global_load_dwordx4"
    store = "buffer_store_dwordx4" if name == "guarded" else "global_store_dwordx4"
    loads = {k: v for k, v in n.items() if k.startswith(("global_load", "buffer_load"))}
    assert loads == {load: 2} and n[store] == 1
    assert {k: v for k, v in n.items() if k.startswith("ds_")} == {"ds_read_b128": 3, "ds_write_b128": 6}
    assert n[MFMA[chip]] == 2
    assert n["v_readfirstlane_b32"] == 0 and n["s_set_gpr_idx_on"] == 0
    in_registers(text)
    assert metadata(text, "group_segment_fixed_size") == 6144 and metadata(text, "max_flat_workgroup_size") == 64
    assert metadata(text, "kernarg_segment_size") == (24 if name == "fixed" else 36)
    assert ".amdhsa_code_object_version 5" in text and f"amdgcn-amd-amdhsa--{chip}" in text


def test_the_main_loop_waits_for_what_it_uses_only():
    """The two loads of a step are waited for one by one."""
    loop = re.search(
        r"\n(\.LBB0_\d+):\n((?:(?!\.LBB0)[^\n]*\n)*?)\ts_cbranch_scc1 \1\n", assembly(tutorial.guarded, "gfx942")
    )
    assert loop and "v_mfma" in loop[2] and "vmcnt(1)" in loop[2]


def test_a_register_array_is_registers():
    text = assembly(gpu_kernels.registers, "gfx942")
    n = counts(text)
    in_registers(text)
    assert n["global_load_dwordx4"] == n["global_store_dwordx4"] == 4 and not any(k.startswith("s_cbranch") for k in n)


def test_an_array_without_unrolling_is_not(monkeypatch):
    """The negative control of the pass: without it the array has addresses, or is selected element by element."""
    from avelang import pipeline

    monkeypatch.setattr(pipeline, "unroll", lambda kernel: None)
    n = counts(assembly(gpu_kernels.registers, "gfx942"))
    assert n["global_load_dwordx4"] != 4


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_a_wave_of_a_block_has_its_own_resource(chip):
    """thread_id(0) // 64 differs from wave to wave and not within one: one scalar register, no loop over lanes."""
    text = assembly(gpu_kernels.wave_rows, chip, (256, 1, 1))
    n = counts(text)
    assert (
        n["buffer_load_dwordx4"] == 1
        and n["v_readfirstlane_b32"] == 1
        and not any(k.startswith("s_cbranch") for k in n)
    )
    in_registers(text)


def test_offsets_that_differ_by_lane_become_one_vector_offset():
    text = assembly(gpu_kernels.split_offsets, "gfx942")
    assert re.search(r"buffer_load_dword v\d+, v\d+, s\[\d+:\d+\], 0 offen\n", text)
    in_registers(text)


def test_a_scalar_offset_that_differs_by_lane_would_be_a_loop(monkeypatch):
    """The negative control: passed on as it is, LLVM builds a loop over the lanes."""
    plain = lambda w, r, v, s: ([buffer.scalar_resource(w, r)],
        [("i32", w.value(v)), ("i32", w.value(s))])  # noqa: E731
    monkeypatch.setattr(buffer, "checked", plain)
    assert lane_loops(assembly(gpu_kernels.split_offsets, "gfx942")) == 1


@pytest.mark.parametrize("chip", CHIPS)
def test_loads_straight_to_lds(chip):
    text = assembly(gpu_kernels.straight_to_lds, chip, (256, 1, 1), WAIT=0)
    assert re.search(r"buffer_load_dword v\d+, s\[\d+:\d+\], 0 offen lds", text)
    assert re.search(r"offen lds\n(.*\n)*?\ts_waitcnt vmcnt\(0\)\n\ts_barrier\n(.*\n)*?\tds_read_b32", text)


def test_a_wait_before_the_barrier_is_the_users():
    """Loads to LDS that a wait leaves under way stay under way across the barrier; the lane's own LDS accesses are
    waited for."""
    body = program(gpu_kernels.straight_to_lds, "gfx942", (256, 1, 1), WAIT=1).text
    waits = [int(x) for x in re.findall(r"s\.waitcnt\(i32 (\d+)\)", body)]
    assert len(waits) == 2 and waits[0] & 15 == 1 and waits[1] >> 8 & 15 == 0 and waits[1] & 0xC00F == 0xC00F
    assert 'syncscope("workgroup")' not in body
    assert 'syncscope("workgroup") release' in program(gpu_kernels.straight_to_lds, "gfx942", (256, 1, 1), WAIT=0).text


@pytest.mark.parametrize("chip", CHIPS)
def test_the_scheduler_is_told_what_was_written(chip):
    body = program(gpu_kernels.scheduled, chip).text
    order = re.findall(r"@llvm\.amdgcn\.(s\.setprio|sched[.\w]+|s\.waitcnt)\(([^)]*)\)$", body.split("define")[1], re.M)
    assert order == [
        ("s.setprio", "i16 2"), ("sched.group.barrier", "i32 32, i32 1, i32 0"), ("s.waitcnt", f"i32 {0x0F73}"),
        ("sched.barrier", "i32 0"),
        ("s.setprio", "i16 0"),
    ]  # fmt: skip
    text = assembly(gpu_kernels.scheduled, chip)
    assert (
        text.index("s_setprio 2") < text.index("global_load") < text.index("global_store") < text.index("s_setprio 0")
    )


PACKED = """kernel @k(%p: ptr<f32, global>) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
  %l = lane_id : u32
  %w = convert(%l) : i64
  %n = const {'value': SIZE} : i64
  %o = mul(%w, %n) : i64
  %far = const {'value': 4096} : i64
  %q = ptr_add(%p, %far) : ptr<f32, global>
  %a = ld(%p, %o) {'align': 4} : vec<4 x TYPE>
  %b = ld(%q, %o) {'align': 4} : vec<4 x TYPE>
  %f = fma(%a, %b, %a) : vec<4 x TYPE>
  %m = mul(%f, %b) : vec<4 x TYPE>
  %s = add(%m, %a) : vec<4 x TYPE>
  %x = max(%s, %b) : vec<4 x TYPE>
  %y = min(%x, %a) : vec<4 x TYPE>
  st(%y, %p, %o) {'align': 4}
}"""


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("d", ["f16", "f32"])
def test_packed_arithmetic(chip, d):
    """Two elements an instruction, without a detour to another type; LLVM knows no packed least and greatest of f32."""
    n = counts(assembly(parse_kernel(PACKED.replace("SIZE", "8" if d == "f16" else "16").replace("TYPE", d)), chip))
    assert n[f"v_pk_fma_{d}"] == n[f"v_pk_mul_{d}"] == n[f"v_pk_add_{d}"] == 2
    assert not any(k.startswith("v_cvt") for k in n)
    assert d == "f32" or (n["v_pk_min_f16"] >= 2 <= n["v_pk_max_f16"] and not any("sdwa" in k for k in n))


def test_packed_halves():
    n = counts(assembly(gpu_kernels.half_pairs, "gfx942"))
    assert n["v_pk_fma_f16"] == n["v_pk_add_f16"] == n["v_pk_mul_f16"] == 1 and n["v_cvt_f32_f16_e32"] == 0


def test_shuffles_of_a_sum():
    """Exchanges within 16 lanes by DPP where there is a pattern; without an address within 32; by address beyond."""
    text = assembly(gpu_kernels.row_sums, "gfx942", (256, 1, 1), WAVE=64)
    n = counts(text)
    assert n["ds_bpermute_b32"] == 1 and n["ds_swizzle_b32"] == 2 and len(re.findall("_dpp", text)) == 3
    assert n["s_barrier"] == 1 and metadata(text, "group_segment_fixed_size") == 64
    in_registers(text)


def test_bf16_is_rounded_by_the_machine_that_can():
    wide, own = (assembly(gpu_kernels.softmax, chip) for chip in ("gfx950", "gfx942"))
    assert counts(wide)["v_cvt_pk_bf16_f32"] == 1 and counts(own)["v_cvt_pk_bf16_f32"] == 0
    assert "0x7fff" in own


def test_num_warps_and_hints():
    def attributes(**options) -> str:
        kernel = lowered(gpu_kernels.axpy, "gfx942")
        kernel.attrs.update(options)
        return device("gfx942").assembly(amdgpu.emit(kernel, device_chip()).text)

    assert metadata(attributes(), "max_flat_workgroup_size") == 64
    assert metadata(attributes(num_warps=8), "max_flat_workgroup_size") == 512
    kernel = lowered(gpu_kernels.axpy, "gfx942")
    kernel.attrs["waves_per_eu"] = 2
    assert '"amdgpu-waves-per-eu"="2"' in amdgpu.emit(kernel, device_chip()).text


def device_chip():
    from avelang import arch

    return arch.chip("gfx942")


def test_ids_and_extents():
    text = """kernel @k(%p: ptr<u32, global>) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
      %t = thread_id {'dim': 1} : u32
      %b = block_id {'dim': 2} : u32
      %g = grid_dim {'dim': 1} : u32
      %d = block_dim {'dim': 0} : u32
      %l = lane_id : u32
      %v = vec(%t, %b, %g, %d, %l) : vec<5 x u32>
      %z = const {'value': 0} : i64
      st(%v, %p, %z) {'align': 4}
    }"""
    out = assembly(parse_kernel(text), "gfx942", (8, 16, 1))
    assert (
        "hidden_block_count_y" in out and "v_mbcnt_hi_u32_b32" in out and re.search(r"v_bfe_u32 v\d+, v0, 10, 10", out)
    )
    # Rows of whole waves: thread_id(1) is the same in a wave, and LLVM is told so.
    assert "v_readfirstlane" not in out and "v_readfirstlane" in assembly(parse_kernel(text), "gfx942", (64, 4, 1))


@pytest.mark.parametrize("name", ["copy_words", "axpy"])
def test_golden(name):
    golden.check(f"amdgpu/{name}.gfx942.s", code(assembly(getattr(gpu_kernels, name), "gfx942")))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_a_broken_emitter_is_noticed(monkeypatch):
    from avelang.emit.llvm import simt_ops

    real = simt_ops.RULES["add"]
    monkeypatch.setitem(
        simt_ops.RULES, "add", lambda w, op: simt_ops.arith(w, "sub", op.result.type, *map(w.value, op.operands))
    )
    assert real is not simt_ops.RULES["add"]
    with pytest.raises(AssertionError, match="differs"):
        golden.check("amdgpu/axpy.gfx942.s", code(assembly(gpu_kernels.axpy, "gfx942")))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_lost_alignment_is_noticed(monkeypatch):
    """Without the contract on pointers, LDS accesses and NVIDIA's go element by element; AMD's global memory does not
    mind."""
    from avelang import pipeline

    monkeypatch.setattr(pipeline, "alignment", lambda kernel: None)
    monkeypatch.setattr(simt_kernel, "POINTER_ALIGN", 4)
    assert "ld.global.v4" not in assembly(gpu_kernels.copy_words, "sm_90")


def test_too_much_shared_memory_is_refused():
    """At the user's line."""
    with pytest.raises(AveError) as e:
        program(gpu_kernels.too_much, "gfx942")
    assert e.value.code == "U203" and "262144 bytes" in str(e.value)
    assert e.value.span is not None and e.value.span.file.endswith("gpu_kernels.py")


def test_what_no_instruction_adds_is_refused():
    text = """kernel @k(%p: ptr<f16, global>, %x: f16) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
      %z = const {'value': 0} : i64
      %old = atomic_add(%x, %p, %z) : f16
      st(%old, %p, %z) {'align': 2}
    }"""
    with pytest.raises(AveError) as e:
        program(parse_kernel(text), "gfx942")
    assert e.value.code == "U202" and "32 and 64 bits" in e.value.message


def test_shared_memory_of_handmade_ir_is_counted_too():
    """The frontend refuses this at the allocation; IR from elsewhere must not reach LLVM, which would end the
    process."""
    text = """kernel @k() {'wave': 64, 'chip': 'gfx942', 'file': ''} {
      %a = alloc {'name': 'a', 'align': 16} : tensor<f32, (20000):(1), shared>
      %p = base(%a) : ptr<f32, shared>
      %z = const {'value': 0} : i64
      %x = const {'value': 1.0} : f32
      st(%x, %p, %z) {'align': 4}
    }"""
    with pytest.raises(AveError) as e:
        program(parse_kernel(text), "gfx942")
    assert e.value.code == "U203" and "80000 bytes" in e.value.message
    assert program(parse_kernel(text), "gfx950").shared_bytes == 80000


def test_a_kernel_of_another_wave_is_refused():
    text = "kernel @k() {'wave': 32, 'chip': 'gfx942', 'file': ''} {\n}"
    with pytest.raises(AveError) as e:
        program(parse_kernel(text), "gfx942")
    assert e.value.code == "U204"


def test_bf16_pairs_are_refused_on_gfx90a():
    from avelang.isa.row import ROWS
    from emit.llvm.gpu_rows import RowKernel

    with pytest.raises(AveError) as e:
        program(RowKernel(ROWS["amdgpu.atomic_add"], "gfx90a", pick=4).kernel, "gfx90a")
    assert e.value.code == "U103"


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("kernel", "block", "consts"), [
    (gpu_kernels.axpy, (64, 1, 1), {}), (gpu_kernels.turn, (16, 16, 1), {"TILE": 16}),
    (gpu_kernels.row_sums, (64, 1, 1), {"WAVE": 64}),
    (gpu_kernels.speaks, (64, 1, 1), {}), (tutorial.guarded, (64, 1, 1), {}),
])  # fmt: skip
def test_what_a_kernel_does_not_ask_for_is_what_llvm_deduces(chip, kernel, block, consts):
    """Against LLVM's own deduction, over the text without our words for it."""

    def said(text: str) -> set[str]:
        return {
            a
            for line in text.splitlines()
            if line.startswith("attributes")
            for a in re.findall(r'"amdgpu-(?:no|agpr)-[^"]*"(?:="\d+")?', line)
        }

    text = program(kernel, chip, block, **consts).text
    bare = re.sub(r' "amdgpu-(no|agpr)-[^"]*"(="0")?', "", text)
    assert said(text) and not said(bare)
    llvm = whole_pipeline(device(chip), bare)
    # LLVM never takes away the first dimension's number from a kernel, whatever it says here.
    assert {a for a in said(llvm) if not a.endswith('-id-x"') or "cluster" in a} == {
        a for a in said(text) if not a.endswith('-id-x"') or "cluster" in a
    }


def whole_pipeline(device, text: str) -> str:
    """A module behind LLVM's -O3, in which the attributes are deduced."""
    module = binding.parse_assembly(text, binding.create_context())
    module.triple, module.data_layout = device.triple, str(device.machine.target_data)
    builder = binding.create_pass_builder(device.machine, binding.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return str(module)
