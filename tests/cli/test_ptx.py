"""`ave ptx to-python`: files in, a file of Python out that prints the same PTX; `ave ptx run`: arrays in, arrays out.
(`ave ptx lint` is tested in tests/nvptx/test_lint.py.)"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from avelang.nvptx.parse import parse
from nvptx.texts import text_of

TWO = """.version 8.0
.target sm_80
.address_size 64
.global .u32 counter;
.global .u32 other;
.entry first() { .reg .b32 %r<2>; atom.global.inc.u32 %r1, [counter], 5; ret; }
.entry second() { .reg .b32 %r<2>; frobnicate %r1; ret; }
"""


def test_the_output_prints_the_same(ave, tmp_path):
    text = text_of("ladder_shared_memory.sm_75.ptx")
    file, out = tmp_path / "a.ptx", tmp_path / "a.py"
    file.write_text(text)
    run = ave("ptx", "to-python", file, "--output", out)
    assert run.exit_code == 0 and run.output == ""
    done = subprocess.run([sys.executable, out], capture_output=True, text=True, check=True)
    assert parse(done.stdout) == parse(text)
    assert ave("ptx", "to-python", file).output == out.read_text()


def test_one_entry_and_warnings(ave, tmp_path):
    file = tmp_path / "two.ptx"
    file.write_text(TWO)
    run = ave("ptx", "to-python", file)
    assert run.exit_code == 0
    assert f"{file}:7: warning: kept as text, unchecked: [S202] PTX has no instruction `frobnicate`\n" in run.stderr
    assert 'ptx.raw("frobnicate %r1;")' in run.stdout and "warning" not in run.stdout
    run = ave("ptx", "to-python", file, "--entry", "first")
    assert run.exit_code == 0 and run.stderr == ""
    assert "counter = " in run.stdout and "other" not in run.stdout and "second" not in run.stdout


def test_errors(ave, tmp_path):
    file = tmp_path / "two.ptx"
    file.write_text(TWO)
    run = ave("ptx", "to-python", file, "--entry", "third")
    assert run.exit_code == 1 and "D023" in run.stderr and "first, second" in run.stderr and run.stdout == ""
    run = ave("ptx", "to-python", file, "-o", tmp_path / "none" / "x.py")
    assert run.exit_code == 1 and "cannot write" in run.stderr
    file.write_text(TWO.replace("ret;", "ret", 1))
    run = ave("ptx", "to-python", file)
    assert run.exit_code == 1 and "S201" in run.stderr and f"{file}:6" in run.stderr
    run = ave("ptx", "run", file)
    assert run.exit_code == 1 and "S201" in run.stderr and f"{file}:6" in run.stderr
    assert ave("ptx", "to-python", tmp_path / "nothing.ptx").exit_code == 2


SHIFT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry shift(.param .u64 x, .param .u64 y)
{
    .reg .b32 %i; .reg .f32 %v; .reg .b64 %at, %p, %q;
    ld.param.u64 %p, [x]; ld.param.u64 %q, [y];
    mov.u32 %i, %tid.x; mul.wide.u32 %at, %i, 4; add.u64 %p, %p, %at; add.u64 %q, %q, %at;
    ld.global.f32 %v, [%p+4];
    st.global.f32 [%q], %v;
    ret;
}
"""


def test_an_entry_runs(ave, tmp_path):
    file = tmp_path / "shift.ptx"
    file.write_text(SHIFT)
    run = ave("ptx", "run", file, "f32[65]=range", "f32[64]", "--block", "64", "--check", "races", "--save",
              tmp_path / "out")
    assert run.exit_code == 0 and "shift: 18 warp instructions" in run.output
    assert np.load(tmp_path / "out" / "arg1.npy").tolist() == [*range(1, 65)]
    run = ave("ptx", "run", file, "f32[64]=range", "f32[64]", "--block", "64")
    assert run.exit_code == 1 and "[X032]" in run.output + run.stderr
    run = ave("ptx", "run", file, "f32[64]=range", "f32[64]", "--block", "64", "--collect", "--save", tmp_path / "out")
    assert run.exit_code == 1 and "[X032]" in run.output
    assert np.load(tmp_path / "out" / "arg1.npy").tolist() == [*range(1, 64), 0]
