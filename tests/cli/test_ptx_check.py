"""`ave ptx check`: a run, and what each barrier is good for in it; `ave ptx diff`: two kernels by mix and schedule."""

from __future__ import annotations

import subprocess
import sys

import pytest

from avelang.base.errors import AveError
from avelang.nvptx.compare import kind, pairs, shape_of
from avelang.nvptx.nodes import instructions
from avelang.nvptx.parse import parse

REVERSED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry turned(.param .u64 p)
.reqntid 64, 1, 1
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %rd0, [p];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    ld.global.u32 %r1, [%rd2];
    shl.b32 %r2, %r0, 2;
    mov.u32 %r3, tile;
    add.u32 %r2, %r2, %r3;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    xor.b32 %r4, %r2, 252;
    ld.shared.u32 %r1, [%r4];
    bar.sync 0;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""


@pytest.fixture
def file(tmp_path):
    out = tmp_path / "turned.ptx"
    out.write_text(REVERSED)
    return out


def test_what_was_redundant(ave, file):
    run = ave("ptx", "check", file, "u32[64]=range")
    assert run.exit_code == 0, run.output
    assert "lint: nothing is wrong" in run.output and "(line 19): needed" in run.output
    assert "(line 22): redundant" in run.output and "2 barriers, waits and fences, 1 of them redundant" in run.output
    assert ave("ptx", "check", file).exit_code == 0  # random arguments
    assert "1 more were not tried" in ave("ptx", "check", file, "--most", "1").output


def test_what_is_wrong(ave, file):
    file.write_text(REVERSED.replace("    bar.sync 0;\n", "", 1))
    run = ave("ptx", "check", file)
    assert run.exit_code == 1 and "X050" in run.output
    file.write_text(REVERSED.replace("shl.b32", "shl.u17"))
    run = ave("ptx", "check", file)
    assert run.exit_code == 1 and "S203" in run.output + run.stderr


def test_two_files(ave, file, tmp_path):
    other = tmp_path / "other.ptx"
    other.write_text(REVERSED.replace("    bar.sync 0;\n    st.global", "    add.u32 %r1, %r1, 1;\n    st.global"))
    run = ave("ptx", "diff", file, other)
    assert run.exit_code == 1
    assert "turned: 15 instructions, the other: 15" in run.output and "-bar\n" in run.output
    assert any(x.split() == ["add.u32", "1", "2", "+1"] for x in run.output.split("\n"))
    assert (
        ave("ptx", "diff", file, file).exit_code == 0 and "the same schedule" in ave("ptx", "diff", file, file).output
    )
    assert ave("ptx", "diff", file, other, "--entry", "nothing").exit_code != 0


def test_shapes_of_kernels():
    (entry,) = parse(REVERSED).functions()
    found = shape_of(entry)
    assert (found.total, found.shared, found.loops, found.registers[32], found.uses) == (15, 256, 0, 5, (4, 2))
    assert found.schedule == (
        ("ld.global", 1),
        ("st.shared", 1),
        ("bar", 1),
        ("ld.shared", 1),
        ("bar", 1),
        ("st.global", 1),
    )
    assert kind(next(iter(instructions(entry.body)))) == "ld.param"
    other = parse(
        REVERSED.replace("turned", "else_where").replace("ret;\n}", "ret;\n}\n.visible .entry more() { ret; }")
    )
    with pytest.raises(AveError, match="S206"):
        pairs(parse(REVERSED), other)


def test_python_dash_m():
    done = subprocess.run([sys.executable, "-m", "avelang", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ave, version ")
