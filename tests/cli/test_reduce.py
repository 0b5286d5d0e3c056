"""`ave reduce`: programs that fail become small, and fail as before."""

from __future__ import annotations

import ast

import pytest

TEXT = """
import numpy as np
import avelang
import avelang.language as al
from neighbor import SIZE


@avelang.jit
def helper(v):
    return v * 2.0 + 1.0


@avelang.jit
def kernel(x: al.Pointer(al.f32), n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    t = al.thread_id(0)
    total = al.convert(0, al.f32)
    for i in al.range(3):
        total = total + helper(xs[t % n])
    if t < n:
        xs[t] = total
    xs[t + n] = 3.0


x = np.arange(SIZE, dtype=np.float32)
y = np.zeros(7)
kernel[1, 64](x, SIZE)
print(x.sum(), y)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    for knob in ("AVE_BACKEND", "AVE_TARGET", "AVE_CHECK"):
        monkeypatch.setenv(knob, "")
    (tmp_path / "neighbor.py").write_text("SIZE = 8\n")
    file = tmp_path / "program.py"
    file.write_text(TEXT)
    return file


def test_an_error_keeps_its_code(ave, program, tmp_path):
    out = tmp_path / "small.py"
    done = ave("reduce", f"{program}:kernel", "--on", "reference", "--error", "X001", "-o", out, "--seconds", 5)
    assert done.exit_code == 0 and "keeping: X001" in done.stderr, done.output
    small = out.read_text()
    assert len(small.splitlines()) < len(TEXT.splitlines()) and "kernel[" in small
    done = ave("reduce", out, "--on", "reference", "--seconds", 1)
    assert "keeping: X001" in done.stderr


def test_a_wrong_result(ave, program):
    program.write_text(
        "import math\n\ndef f(a):\n    b = a + 1\n    c = math.sqrt(4)\n    return b\n\n"
        "z = [1, 2, 3]\nassert f(3) == 5, f'{z}'\n"
    )
    done = ave("reduce", program, "--wrong", "--seconds", 20)
    assert done.exit_code == 0 and "math" not in done.stdout and "assert" in done.stdout
    with pytest.raises(AssertionError):
        exec(compile(ast.parse(done.stdout), "small", "exec"), {})


def test_a_wrong_result_is_that_of_a_launch(ave, program, tmp_path):
    out = tmp_path / "small.py"
    text = TEXT.replace("    xs[t + n] = 3.0\n", "")
    program.write_text(text.replace("print(x.sum(), y)", "assert x.sum() == 1e6, y"))
    done = ave("reduce", program, "--on", "cpu", "--wrong", "-o", out, "--seconds", 8)
    assert done.exit_code == 0 and "keeping: AssertionError behind a launch" in done.stderr, done.output
    small = out.read_text()
    assert "kernel[" in small and "assert" in small and len(small.splitlines()) < len(TEXT.splitlines())
    assert "behind a launch" in ave("reduce", out, "--on", "cpu", "--wrong", "--seconds", 1).stderr


@pytest.mark.parametrize(("text", "kept"), [("import os\nx = 1\nos.abort()\n", "signal 6"),
                                            ("x = 2\nwhile True:\n    pass\n", "timeout"),
                                            ("import sys\nsys.exit(3)\n", "status 3")])  # fmt: skip
def test_other_ways_to_fail(ave, program, text, kept):
    program.write_text(text)
    done = ave("reduce", program, "--seconds", 2, "--limit", 0.5)
    assert done.exit_code == 0 and f"keeping: {kept}" in done.stderr and "x = " not in done.stdout


def test_what_does_not_fail_so(ave, program, tmp_path):
    good = tmp_path / "good.py"
    good.write_text("x = 1\n")
    done = ave("reduce", good)
    assert done.exit_code == 1 and "does not fail" in done.stderr
    good.write_text("1 / 0\n")
    done = ave("reduce", good, "--error", "X001")
    assert done.exit_code == 1 and "fails otherwise: ZeroDivisionError" in done.stderr
    good.write_text("if\n")
    assert "is no Python" in ave("reduce", good).stderr
    assert ave("reduce", "none.py").exit_code == 2
