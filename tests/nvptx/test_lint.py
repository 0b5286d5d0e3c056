"""`ave ptx lint`: nothing is found in what compilers write; what is wrong in a file is said with its place."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from avelang.cli.main import main
from avelang.nvptx.lint import WARNINGS, lint
from nvptx.texts import NAMES, text_of

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func f;\n.visible .entry k(.param .u64 k_param_0)\n{\n"


@pytest.mark.parametrize("name", NAMES)
def test_compilers_are_right(name):
    assert [str(e) for e in lint(text_of(name), name) if e.code not in WARNINGS] == []


def found(body: str) -> list[tuple[str, int, int]]:
    return [(e.code, e.span.line - 6, e.span.col + 1) for e in lint(HEAD + body + "\n}\n")]


def test_findings():
    assert found(".reg .b32 %r<4>;\nadd.s32 %r1, %r2, %r3;") == []
    assert found(".reg .b32 %r<4>;\nadd.s32 %r1, %r2, %r4;") == [("S206", 2, 19)]
    assert found(".reg .b32 %r<4>;\n@%p1 add.s32 %r1, %r2, %r03;") == [("S206", 2, 6), ("S206", 2, 24)]
    assert found(".reg .f32 a, b;\nadd.f32 a, b, c;") == [("S206", 2, 15), ("T202", 2, 15)]
    assert found(".reg .f32 a;\n.reg .f64 b;\nadd.f32 a, a, b;") == [("T202", 3, 15)]
    assert found("bra here;\n{\nhere:\n}") == [("S206", 1, 5), ("S205", 3, 1)]
    assert found("{\nbra here;\n}\nhere:\nret;") == []
    assert found("call f;\ncall g;") == [("S206", 2, 6)]
    assert found(".reg .u64 a;\nld.param.u64 a, [k_param_0];\nld.param.u64 a, [k_param_1];") == [("S206", 3, 17)]
    assert found("t: .branchtargets here, there;\nhere:\n.reg .b32 i;\nbrx.idx i, t;") == [("S206", 1, 1)]
    assert found("wgmma.fence.sync.aligned;") == [("U206", 1, 1)]
    assert found(".reg .v4 .f32 v;\n.reg .f32 x;\nmov.f32 x, v.y;\nadd.f32 x, v, x;") == [("T202", 4, 12)]


def test_target():
    (e,) = lint(".version 8.0\n.target gfx942\n.address_size 64\n")
    assert e.code == "S207" and e.span.line == 2


def test_the_command(tmp_path):
    bad, good, unread = tmp_path / "bad.ptx", tmp_path / "good.ptx", tmp_path / "unread.ptx"
    bad.write_text(HEAD + ".reg .b32 %r<4>;\n\tadd.s32 %r1, %r2, %rd3;\nmov.s23 %r1, 0;\nunused:\nret;\n}\n")
    good.write_text(HEAD + "unused:\nret;\n}\n")
    unread.write_text(HEAD + "add.s32 %r1 %r2;\n}\n")
    run = CliRunner().invoke(main, ["ptx", "lint", str(bad)])
    lines = run.output.splitlines()
    assert run.exit_code == 1 and len(lines) == 3
    assert lines[0].startswith(f"{bad}:8:20: [S206] `%rd3` is declared nowhere")
    assert lines[1].startswith(f"{bad}:9:1: [S203] `mov.s23`: `.s23` does not stand there (did you mean .s32")
    assert lines[2] == f"{bad}:10:1: [S205] warning: nothing goes to the label `unused`"
    run = CliRunner().invoke(main, ["ptx", "lint", str(good)])
    assert run.exit_code == 0 and "[S205] warning" in run.output
    assert CliRunner().invoke(main, ["ptx", "lint", "--no-warnings", str(good)]).output == ""
    run = CliRunner().invoke(main, ["ptx", "lint", str(good), str(unread)])
    assert run.exit_code == 1 and f"{unread}:7:13: [S201] PTX, line 7, column 13: expected `,` or `;`" in run.output
