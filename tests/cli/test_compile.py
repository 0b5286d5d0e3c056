"""`ave compile`: IR that reads back, LLVM IR that LLVM takes, assembly; and what is said when the kernel or its
constants are not there."""

from __future__ import annotations

import pytest


def test_ir_reads_back(ave, axpy):
    from avelang.ir.text import parse_kernel, print_kernel
    from avelang.ir.verify import verify

    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128")
    assert result.exit_code == 0, result.stderr
    kernel = parse_kernel(result.stdout)
    verify(kernel, "tensors")
    assert kernel.name == "axpy" and print_kernel(kernel).strip() == result.stdout.strip()


def test_llvm(ave, axpy):
    import llvmlite.binding as llvm

    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--emit", "llvm", "--block", "128")
    assert result.exit_code == 0, result.stderr
    assert "ave_run" in {f.name for f in llvm.parse_assembly(result.stdout, llvm.create_context()).functions}


def test_asm_into_a_file(ave, axpy, tmp_path):
    out = tmp_path / "axpy.s"
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--emit", "asm", "--block", "128", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert "ave_run:" in out.read_text() and result.stdout == ""


def test_gpu_assembly(ave, axpy):
    """No GPU and no other compiler is needed to see what becomes of a kernel there."""
    for chip, said in (("gfx942", ".amdhsa_kernel axpy"), ("gfx950", "gfx950"), ("sm_90", ".visible .entry axpy")):
        result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--emit", "asm", "--block", "128", "--target", chip)
        assert result.exit_code == 0 and said in result.stdout, result.stderr


def test_chip(ave, axpy):
    """A chip has its wave: 32 lanes on sm_80, 64 on gfx942."""
    for chip, wave in (("sm_80", 32), ("gfx942", 64)):
        result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128", "--target", chip)
        assert f'"wave": {wave}' in result.stdout or f"'wave': {wave}" in result.stdout


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("axpy:nothing", [], "has no @avelang.jit function `nothing`"),
        ("axpy:axpy", [], "BLOCK"),
        ("axpy:axpy", ["-D", "BLOCK=1", "-D", "OTHER=1"], "OTHER"),
        ("axpy:axpy", ["-D", "BLOCK=1", "--target", "gfx1"], "gfx942"),
        ("none:axpy", [], "there is no file"),
    ],
)
def test_refusals(ave, axpy, name, options, said):
    file, _, kernel = name.partition(":")
    result = ave("compile", f"{axpy.parent / file}.py:{kernel}", *options)
    meant = said in ("BLOCK", "OTHER")  # the kernel and the chip are there, and it does not compile
    assert result.exit_code == (1 if meant else 2) and said in result.stderr and result.stdout == ""


USAGE = ["a.py:b --block 32,33", "axpy.py", "a.py:b -D X", "a.py:b -D X=y", "a.py:b --block 1,2,3,4", "a.py:b --block 0", "a.py:b --emit sass"]


@pytest.mark.parametrize("args", USAGE)
def test_usage(ave, args):
    assert ave("compile", *args.split()).exit_code == 2


def test_a_missing_constant_names_the_option(ave, tmp_path):
    file = tmp_path / "scaled.py"
    file.write_text(
        "import avelang\nimport avelang.language as al\n\n@avelang.jit\n"
        "def scaled(x: al.Pointer(al.f32), BY: al.constexpr, MORE: al.constexpr, N: al.constexpr = 1):\n    x[0] = "
        "BY * MORE\n"
    )
    assert "hint: give it with -D BY=VALUE -D MORE=VALUE\n" in ave("compile", f"{file}:scaled").stderr
    assert "hint: give it with -D MORE=VALUE\n" in ave("compile", f"{file}:scaled", "-D", "BY=2").stderr


OPEN = """import avelang
import avelang.language as al


class Held:
    @staticmethod
    @avelang.tune({"BY": (1, 2)}, launch=lambda: (1, 64))
    @avelang.jit
    def kernel(x: al.Tensor[(al.dynamic, 3), (al.dynamic, 1), al.f32], y: al.Tensor[(al.dynamic,), al.f32], BY: al.constexpr):
        x[al.thread_id(0), 0] = BY
"""


@pytest.mark.parametrize("x, y", [("7", "(4,)"), ("(5, 3)", "(4,)"), ("(5, 4, 3, 1)", "(4,)"), ("(5, 3, 4, 1)", "4"), ("(5, 3, 4, 1)", "(4, 1)"),
                                  ("(5, 3, 'a', 1)", "(4,)")])  # fmt: skip
def test_extents_that_a_command_gives_are_those_of_the_annotation(ave, tmp_path, x, y):
    file = tmp_path / "held.py"
    file.write_text(OPEN)
    options = "-D", "BY=2", "-D", f"x={x}", "-D", f"y={y}"
    done = ave("compile", f"{file}:Held.kernel", *options)
    wrong = "y" if x.startswith("(5, 3, 4") else "x"
    want = {"x": "(n, 3, n, 1), strides behind the extents", "y": "(n,)"}[wrong]
    assert done.exit_code == 1 and f"[L013] `kernel`: parameter '{wrong}'" in done.stderr and want in done.stderr


def test_a_tuned_kernel_and_one_in_a_class(ave, tmp_path):
    file = tmp_path / "held.py"
    file.write_text(OPEN)
    done = ave("compile", f"{file}:Held.kernel", "-D", "BY=2", "-D", "x=(5, 3, 4, 1)", "-D", "y=[4]")
    assert done.exit_code == 0 and "(5, 3):(4, 1)" in done.stdout
    for command in ("compile", "inspect"):
        done = ave(command, f"{file}:Held.kernel", "-D", "x=(5, 3, 4, 1)", "--target", "gfx942")
        assert done.exit_code == 1 and "hint: give it with -D y=EXTENTS -D BY=VALUE\n" in done.stderr


def test_what_the_file_prints_is_no_part_of_the_result(ave, axpy):
    axpy.write_text("print('on import')\n" + axpy.read_text())
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=128")
    assert result.exit_code == 0 and "on import" in result.stderr and "on import" not in result.stdout


def test_a_file_that_cannot_be_written(ave, axpy, tmp_path):
    (tmp_path / "file").touch()
    result = ave("compile", f"{axpy}:axpy", "-D", "BLOCK=64", "-o", tmp_path / "file" / "x.ir")
    assert result.exit_code == 1 and "cannot write" in result.stderr and "Traceback" not in result.stderr
