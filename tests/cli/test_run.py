"""`ave run`: programs run as `python FILE` would, with the backend asked for; errors are the user's own, with status
1."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BAD = '''
import numpy as np
import avelang
import avelang.language as al


@avelang.jit
def kernel(x: al.Pointer(al.f32)):
    y = unknown_name + 1


kernel[lambda: ((1, 1, 1), (64, 1, 1))](np.zeros(4, np.float32))
'''


def process(*args: object, **env: str) -> subprocess.CompletedProcess[str]:
    """`ave` in a process of its own: what a file changes in `sys` stays there."""
    command = [sys.executable, "-m", "avelang.cli.main", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, timeout=120)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_program(axpy, backend):
    done = process("run", "--backend", backend, axpy)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["y[999] = 1999.0"]
    assert "axpy" in done.stderr and backend in done.stderr  # the summary does not mix with the program's own output


def test_quiet(axpy):
    done = process("run", "--quiet", axpy)
    assert done.returncode == 0 and done.stderr == ""


def test_arguments_and_neighbors(tmp_path):
    (tmp_path / "other.py").write_text("VALUE = 7\n")
    file = tmp_path / "program.py"
    file.write_text("import sys, other\nprint(sys.argv[1:], other.VALUE)\n")
    assert process("run", file, "a", "--b").stdout == "['a', '--b'] 7\n"


def test_error_of_a_kernel(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    done = process("run", file)
    assert done.returncode == 1
    assert "unknown_name" in done.stderr and f"{file}:9" in done.stderr and "^" in done.stderr
    assert "Traceback" not in done.stderr and "avelang/frontend" not in done.stderr
    assert "avelang/frontend" in process("run", file, AVE_TRACEBACK="full").stderr


def test_error_of_the_program(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text("def f():\n    return 1 / 0\n\n\nf()\n")
    done = process("run", file)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr and f'"{file}", line 2' in done.stderr
    assert "runpy" not in done.stderr and "avelang" not in done.stderr


def test_exit_status_is_the_programs(tmp_path):
    file = tmp_path / "exits.py"
    file.write_text("raise SystemExit(3)\n")
    assert process("run", file).returncode == 3


def test_unknown_chip(axpy):
    done = process("run", "--target", "gfx1", axpy)
    assert done.returncode == 2 and "gfx942" in done.stderr


def test_missing_file():
    assert process("run", "no-such-file.py").returncode == 2


@pytest.mark.parametrize("words", ["bounds,init", "bounds, init", "bounds,bounds"])
def test_checks_with_commas(axpy, words):
    done = process("run", "--check", words, axpy)
    assert done.returncode == 0 and "y[999] = 1999.0" in done.stdout, done.stderr
    wrong = process("run", "--check", f"{words},bonds", axpy)
    assert wrong.returncode == 2 and "'bonds' is not one of 'bounds'" in wrong.stderr
