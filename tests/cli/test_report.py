"""`ave report` and `ave compile --emit hsaco`: kernels of Ave and foreign files, as words and as JSON; what is said
when something is missing."""

from __future__ import annotations

import json
import pathlib

import pytest

from amdgcn.peers import FILES, IREE, KERNELS, TRITON, folder
from avelang.amdgcn.code_object import read
from tools import disassembler, lld

GEMM = pathlib.Path(__file__).parents[2] / "src" / "avelang_kernels" / "matmul" / "mfma_gemm.py"


def test_a_code_object_into_a_file(ave, axpy, tmp_path):
    lld()
    out = tmp_path / "axpy.hsaco"
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--block", "128", "--emit", "hsaco", "--target",
                 "gfx950", "-o", out)
    assert result.exit_code == 0 and result.stdout == "", result.stderr
    c = read(out.read_bytes())
    assert (c.chip, c.version, list(c.kernels)) == ("gfx950", 5,
                                                    ["axpy"]) and c.kernel().count("max_flat_workgroup_size") == 128
    same = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--block", "128", "--emit", "hsaco", "--target", "gfx950")
    assert same.stdout_bytes == out.read_bytes()


@pytest.mark.parametrize("target", ["cpu", "sm_90"])
def test_code_objects_are_for_amd(ave, axpy, target):
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--emit", "hsaco", "--target", target, "-o",
                 axpy.parent / "x")
    assert result.exit_code == 1 and "which is for AMD GPUs" in result.stderr and not (axpy.parent / "x").exists()


def test_without_a_linker(ave, axpy, monkeypatch, tmp_path):
    monkeypatch.setenv("AVE_LLD", str(tmp_path / "none"))
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--emit", "hsaco", "--target", "gfx942", "-o",
                 tmp_path / "x")
    assert result.exit_code == 1 and "D020" in result.stderr and "apt-get install lld-22" in result.stderr
    result = ave("report", f"{axpy}:axpy", "-D", "BLOCK=128")
    assert result.exit_code == 0 and "not known: the size of the code" in result.stdout and "VGPR" in result.stdout, (
        result.stderr
    )


def test_a_kernel(ave):
    lld()
    result = ave("report", f"{GEMM}:mfma_gemm", "--json")
    assert result.exit_code == 0, result.stderr
    r = json.loads(result.stdout)
    assert (r["kernel"], r["chip"], r["lds"], r["vgpr_spills"], r["missing"]) == ("mfma_gemm", "gfx942", 6144, 0, [])
    assert (
        r["loop"]["counts"]["matrix"] == {"v_mfma_f32_32x32x8_bf16": 2}
        and r["loop"]["passes"] == 16
        and r["code_bytes"] % 4 == 0
    )
    assert 0 < r["cu"]["loop"] < 1 and r["cu"]["executed"] is False and r["cu"]["issued"]["matrix"] % 2 == 0
    assert "never" not in r["note"] and "time on a card" in r["note"]
    words = ave("report", f"{GEMM}:mfma_gemm").stdout
    assert (
        "v_mfma_f32_32x32x8_bf16 2" in words
        and f"{r['code_bytes']} bytes" in words
        and "none of this is a time on a card" in words
    )


@pytest.mark.parametrize("peer", [TRITON, IREE])
@pytest.mark.parametrize("which", [0, 1])
def test_foreign_files(ave, peer, which):
    disassembler()
    file = folder() / FILES[peer][which]
    result = ave("report", file, "--lds", 32768 if peer == TRITON else 0)
    assert result.exit_code == 0, result.stderr
    for word in (KERNELS[peer], "v_mfma_f32_16x16x16_bf16 64", "75.0% of the LDS", "% of the matrix pipes' time, 8 waves",
                 "model of a CU", "2 waves a SIMD", "32768" if peer == TRITON else "18432"):
        assert word in result.stdout
    assert ave("report", file, "--kernel", "other").exit_code == 1


def test_the_model_needs_no_tools(ave, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("AVE_LLVM", raising=False)
    result = ave("report", folder() / FILES[IREE][1])
    assert result.exit_code == 0 and "not known" not in result.stdout and "model of a CU" in result.stdout


def test_a_kernel_without_a_loop(ave, axpy):
    result = ave("report", f"{axpy}:axpy", "-D", "BLOCK=128", "--target", "gfx90a")
    assert result.exit_code == 0 and "no loop" in result.stdout and "model" not in result.stdout


@pytest.mark.parametrize(
    "source,options,said",
    [
        ("nothing.hsaco", [], "there is no file nothing.hsaco"),
        ("nothing.py:kernel", [], "there is no file nothing.py"),
        ("{axpy}:axpy", [], "-D BLOCK=VALUE"),
        ("{axpy}:axpy", ["--target", "cpu", "-D", "BLOCK=1"], "gfx942"),
        ("{axpy}:axpy", ["--target", "sm_90"], "-D BLOCK=VALUE"),
        ("{axpy}:axpy", ["--target", "gfx1", "-D", "BLOCK=1"], "gfx942"),
        ("{garbage}", [], "neither a code object nor text"),
        ("{elf}", [], "D022"),
    ],
)
def test_refusals(ave, axpy, tmp_path, source, options, said):
    (tmp_path / "x.hsaco").write_bytes(b"\x7fELF" + bytes(100))
    (tmp_path / "garbage").write_bytes(bytes(range(100, 200)))
    result = ave("report", source.format(axpy=axpy, elf=tmp_path / "x.hsaco", garbage=tmp_path / "garbage"), *options)
    usage = 2 if source.startswith("nothing") or "gfx1" in options else 1  # there is no such file, no such chip
    assert result.exit_code == usage and said in result.stderr and "Traceback" not in result.stderr


def test_a_python_file_needs_its_kernel_named(ave, axpy):
    result = ave("report", axpy)
    assert result.exit_code == 2 and f"{axpy}:KERNEL" in result.stderr
