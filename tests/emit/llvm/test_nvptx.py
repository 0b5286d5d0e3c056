"""The NVIDIA backend: PTX of every row, assembled by ptxas where it is installed; what real kernels become
(test_nvptx_targets.py assembles them); what is refused."""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import re
import shutil
import subprocess

import pytest

import avelang.isa.nvptx  # noqa: F401  (registers the rows)
import golden
from avelang.arch import CHIPS
from avelang.base.errors import AveError
from avelang.ir.text import parse_kernel
from avelang.isa.row import ROWS
from emit.llvm import gpu_kernels
from emit.llvm.gpu import assembly, program
from emit.llvm.gpu_rows import RowKernel
from isa.row_kernels import needs_company

CHIPS_ = [c.name for c in CHIPS.values() if c.vendor == "nvidia"]
INSTALL = "no ptxas: pip install nvidia-cuda-nvcc"

KERNELS = {
    "axpy": (gpu_kernels.axpy, (64, 1, 1), {}),
    "copy_words": (gpu_kernels.copy_words, (64, 1, 1), {}),
    "turn": (gpu_kernels.turn, (16, 16, 1), {"TILE": 16}),
    "registers": (gpu_kernels.registers, (64, 1, 1), {}),
    "row_sums": (gpu_kernels.row_sums, (256, 1, 1), {"WAVE": 32}),
    "softmax": (gpu_kernels.softmax, (32, 1, 1), {}),
    "half_pairs": (gpu_kernels.half_pairs, (64, 1, 1), {}),
    "tensor_cores": (gpu_kernels.tensor_cores, (32, 1, 1), {}),
    "parted_sums": (gpu_kernels.parted_sums, (64, 1, 1), {}),
    "big_tile": (gpu_kernels.big_tile, (256, 1, 1), {}),
}


@functools.cache
def ptxas() -> str | None:
    """The assembler: on the path, or of the package nvidia-cuda-nvcc."""
    found = shutil.which("ptxas")
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations or [] if spec else []:
        found = found or next(map(str, pathlib.Path(folder).glob("*/bin/ptxas")), None)
    return found


def assemble(text: str, chip: str, tmp_path: pathlib.Path) -> str:
    """What ptxas -v says: registers, spills, shared memory. Skips where there is no ptxas."""
    tool = ptxas()
    if tool is None:
        pytest.skip(INSTALL)
    source = tmp_path / "k.ptx"
    source.write_text(text)
    done = subprocess.run(
        [tool, f"-arch={chip}", "-v", str(source), "-o", str(tmp_path / "k.cubin")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + text
    return done.stderr


def ptx(name: str, chip: str) -> str:
    kernel, block, constexprs = KERNELS[name]
    return assembly(kernel, chip, block, **constexprs)


def test_wide_accesses():
    """Four words of a lane are one access of 16 bytes; so is an array's row."""
    text = ptx("copy_words", "sm_75")
    assert text.count("ld.global.v4.b32") == text.count("st.global.v4.b32") == 1 and text.count("ld.global") == 1
    assert ptx("registers", "sm_90").count("ld.global.v4.b32") == 4
    assert ".local" not in ptx("registers", "sm_90")


def test_the_entry():
    text = ptx("axpy", "sm_90a")
    assert ".target sm_90a" in text and ".visible .entry axpy(" in text and ".reqntid 64, 1, 1" in text
    assert ".param .f32" in text and ".param .u64 .ptr .global .align 16" in text and ".param .u32" in text


def test_no_product_is_contracted():
    """a * x + y is two roundings unless the program says fma; `.rn` keeps ptxas from fusing them."""
    text = ptx("axpy", "sm_90")
    assert "mul.rn.f32" in text and "add.rn.f32" in text and "fma" not in text


def test_packed_halves():
    text = ptx("half_pairs", "sm_90")
    assert "fma.rn.f16x2" in text and "cvt.f32.f16" not in text


def test_narrow_floats_are_rounded_by_the_machine_that_can():
    assert "cvt.rn.bf16.f32" in ptx("softmax", "sm_80") and "cvt.rn.bf16.f32" not in ptx("softmax", "sm_75")


def test_tensor_cores():
    text = ptx("tensor_cores", "sm_80")
    assert len(re.findall(r"ldmatrix\.sync\.aligned\.m8n8\.x4\.shared\.b16", text)) == 1
    assert len(re.findall(r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32", text)) == 1
    assert ".local" not in text


def test_shuffles_name_the_lanes_that_are_there():
    """Among all lanes the mask is whole; in a branch it is what a vote before it has counted."""
    assert set(re.findall(r"shfl\.sync\.\w+\.b32 .*, ([^,]+);", ptx("row_sums", "sm_90"))) == {"-1"}
    text = ptx("parted_sums", "sm_90")
    masks = re.findall(r"shfl\.sync\.\w+\.b32 .*, ([^,]+);", text)
    assert len(masks) >= 3 and all(m.startswith("%r") for m in masks) and "vote.sync.ballot.b32" in text
    short = assembly(gpu_kernels.parted_sums, "sm_90", (40, 1, 1))
    assert re.search(r"selp\.b32 .*, 255, -1,", short)  # the second warp has eight lanes


def test_barriers():
    """Aligned where all lanes arrive together, else the form that each reaches by itself."""
    assert re.search(r"\tbar(rier)?\.(cta\.)?sync(\.aligned)? \t?0;", ptx("turn", "sm_90"))
    text = """kernel @k(%n: u32) {'wave': 32, 'chip': 'sm_90', 'file': ''} {
      %t = thread_id {'dim': 0} : u32
      %c = cmp(%t, %n) {'pred': 'lt'} : u1
      if(%c) { ^():
        barrier
        yield
      } { ^():
        yield
      }
    }"""
    assert re.search(r"\tbarrier\.(cta\.)?sync \t?0;", assembly(parse_kernel(text), "sm_90", (32, 1, 1)))


def test_much_shared_memory_comes_with_the_launch():
    kernel, block, _ = KERNELS["big_tile"]
    made = program(kernel, "sm_90", block)
    assert made.shared_bytes == made.dynamic_bytes == 66560
    assert ".extern .shared" in ptx("big_tile", "sm_90") and ".extern .shared" not in ptx("turn", "sm_90")
    small = program(gpu_kernels.turn, "sm_90", (16, 16, 1), TILE=16)
    assert (small.shared_bytes, small.dynamic_bytes) == (1024, 0)


@pytest.mark.parametrize("chip", CHIPS_)
def test_every_row_is_selected_and_assembles(chip, tmp_path):
    """One kernel for each row that stands alone (tests/isa/test_hopper.py has the others); all of them for one run of
    ptxas."""
    mnemonics, texts = [], []
    for row in ROWS.values():
        if CHIPS[chip].has(row) and not needs_company(row):
            text = assembly(RowKernel(row, chip).kernel, chip, (32, 1, 1))
            if row.namespace == "al":
                continue  # what their types and orders become: tests/isa/test_portable_atomics.py
            assert row.ptx and row.ptx in text, row.name
            mnemonics.append(row.ptx)
            n = len(texts)
            texts.append(text.replace(".entry row(", f".entry row{n}(").replace("row_param", f"row{n}_param"))
    assert mnemonics
    head, _, _ = texts[0].partition("\t// .globl")
    bodies = [t.partition("\t// .globl")[2].partition("\n")[2] for t in texts]
    bodies = [re.sub(r"\bshared_(\d)", rf"shared_{i}_\1", b) for i, b in enumerate(bodies)]
    assemble(head + "\n".join(bodies), chip, tmp_path)


def test_all_rows_have_a_chip():
    assert all(any(CHIPS[c].has(row) for c in CHIPS_) for name, row in ROWS.items() if name.startswith("nvvm."))


@pytest.mark.parametrize("name", ["copy_words", "turn"])
def test_golden(name):
    golden.check(f"nvptx/{name}.sm_90.ptx", ptx(name, "sm_90"))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_a_broken_emitter_is_noticed(monkeypatch):
    from avelang.emit.llvm import simt_memory

    real = simt_memory.at
    monkeypatch.setattr(simt_memory, "at", lambda w, pointer, offset: real(w, pointer, None))
    with pytest.raises(AssertionError, match="differs"):
        golden.check("nvptx/turn.sm_90.ptx", ptx("turn", "sm_90"))


@pytest.mark.parametrize(("kernel", "code"), [(gpu_kernels.scheduled, "U110")])
def test_refusals(kernel, code):
    with pytest.raises(AveError) as e:
        program(kernel, "sm_90", (32, 1, 1))
    assert e.value.code == code and e.value.span is not None


def test_a_64_lane_program_is_refused():
    with pytest.raises(AveError) as e:
        program(parse_kernel("kernel @k() {'wave': 64, 'chip': 'sm_90', 'file': ''} {\n}"), "sm_90")
    assert e.value.code == "U204" and "64 lanes" in e.value.message
