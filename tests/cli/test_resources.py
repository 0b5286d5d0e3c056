"""`ave report` and `ave compile --emit ptx|cubin|report` for NVIDIA GPUs: the numbers of ptxas in words and as JSON,
warnings, what is refused."""

import json
import pathlib
import subprocess

import pytest

import tools

KERNELS = pathlib.Path(__file__).parents[1] / "runtime" / "nvidia_kernels.py"


def test_ptx_needs_no_tool(ave, axpy, monkeypatch):
    monkeypatch.setenv("AVE_PTXAS", "driver")
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--block", "128", "--emit", "ptx", "--target", "sm_89")
    assert result.exit_code == 0 and ".target sm_89" in result.stdout and f'"{axpy}"' in result.stdout, result.stderr


def test_a_cubin_into_a_file(ave, axpy, tmp_path):
    need = tools.need("ptxas")
    out = tmp_path / "axpy.cubin"
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--block", "128", "--emit", "cubin", "--target",
                 "sm_80", "-o", out)
    assert result.exit_code == 0 and result.stdout == "" and out.read_bytes()[:4] == b"\x7fELF", result.stderr
    same = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--block", "128", "--emit", "cubin", "--target", "sm_80")
    assert same.stdout_bytes[:4] == b"\x7fELF" and need


def test_a_report(ave):
    tools.need("ptxas")
    words = ave("compile", f"{KERNELS}:staged", "--block", "256", "--emit", "report", "--target", "sm_90").stdout
    assert (
        "staged on sm_90" in words
        and "65536 bytes" in words
        and "0 of the kernel's own, 65536 that come with the launch" in words
    )
    assert (
        "3 blocks an SM" in words
        and "limited by shared memory" in words
        and "0 bytes stored, 0 loaded" in words
        and "Nothing was run" in words
    )
    assert ave("report", f"{KERNELS}:staged", "--block", "256", "--target", "sm_90").stdout == words
    r = json.loads(
        ave(
            "report",
            f"{KERNELS}:staged",
            "--block",
            "256",
            "--target",
            "sm_90",
            "-D",
            "ROWS=4",
            "--lds",
            "512",
            "--json",
        ).stdout
    )
    assert (r["kernel"], r["shared"], r["dynamic"], r["threads"], r["barriers"]) == ("staged", 4096, 512, 256, 1)
    assert (
        r["residency"]["limits"]["shared memory"] == (228 << 10) // (4096 + 512 + 1024) and "time on a GPU" in r["note"]
    )


def test_warnings_show_the_line(ave):
    tools.need("ptxas")
    result = ave("report", f"{KERNELS}:crowded", "--block", "1024", "--target", "sm_90a")
    assert result.exit_code == 0 and "warning: `crowded` spills" in result.stderr and "# the crowd" in result.stderr
    assert "nvidia_kernels.py:" in result.stdout and "bytes stored" in result.stdout
    result = ave("report", f"{KERNELS}:serial", "--block", "128", "--target", "sm_90a")
    assert "serialized" in result.stderr and "# a wgmma" in result.stderr and "  --> " in result.stdout


def test_a_file_of_ptx(ave, tmp_path):
    tool = tools.need("ptxas")
    file = tmp_path / "k.ptx"
    file.write_text(
        ave(
            "compile", f"{KERNELS}:staged", "--block", "256", "--emit", "ptx", "--target", "sm_86", "-D", "ROWS=8"
        ).stdout
    )
    result = ave("report", file, "--lds", 1024)
    assert (
        result.exit_code == 0
        and "staged on sm_86" in result.stdout
        and "of 256 threads" in result.stdout
        and "9216 bytes" in result.stdout
    )
    said = subprocess.run([tool, "-v", "-arch=sm_86", file, "-o", tmp_path / "k.cubin"], capture_output=True,
                          text=True).stderr
    registers = next(line.split()[1] for line in result.stdout.splitlines() if line.startswith("registers"))
    assert f"Used {registers} registers" in said
    assert ave("report", file, "--kernel", "other").exit_code == 1


@pytest.mark.parametrize(("target", "emit", "said"),
        [("gfx942", "cubin", "a chip of NVIDIA"), ("cpu", "ptx", "a chip of NVIDIA"), ("sm_12", "report", "sm_90a")])
def test_refusals(ave, axpy, target, emit, said):
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--emit", emit, "--target", target, "-o",
                 axpy.parent / "x")
    usage = 2 if target == "sm_12" else 1  # there is no such chip
    assert result.exit_code == usage and said in result.stderr and not (axpy.parent / "x").exists()


def test_without_ptxas(ave, axpy, monkeypatch):
    monkeypatch.setenv("AVE_PTXAS", "driver")
    for command in (("compile", "--emit", "cubin"), ("compile", "--emit", "report"), ("report",)):
        result = ave(*command, f"{axpy}:axpy", "-D", "BLOCK=128", "--target", "sm_80")
        assert result.exit_code == 1 and "D020" in result.stderr and "pip install nvidia-cuda-nvcc" in result.stderr
