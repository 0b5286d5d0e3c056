"""`ave ptx lint`: nothing is found in what compilers write; what is wrong in a file is said with its place."""

from __future__ import annotations

import re
import subprocess

import pytest
from click.testing import CliRunner

from avelang.base.errors import AveError
from avelang.cli.main import main
from avelang.nvptx.lint import WARNINGS, lint
from nvptx.texts import NAMES, text_of
from tools import need

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


def test_labels_for_a_debugger_need_no_branch():
    """As nvcc -G and -lineinfo place them."""
    assert found("$L__func_begin0:\n$L__tmp3:\nret;\n$L__func_end0:\n$L__BB0_1:") == [("S205", 5, 1)]


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


# -- declarations, asked of ptxas --------------------------------------------------------------------------------------

TOP = ".version 8.7\n.target sm_90a\n.address_size 64\n"
DECLARED = {
    # What is wrong: (text behind the head, or a head of its own; the code).
    "a label twice": (".entry k()\n{\nL: bra L;\nL: ret;\n}", "S210"),
    "a kernel twice": (".entry k(){ret;}\n.entry k(){ret;}", "S210"),
    "a kernel and a function": (".func k(){ret;}\n.entry k(){ret;}", "S210"),
    "a variable twice": (".global .u32 a;\n.global .u32 a;", "S210"),
    "a parameter twice": (".entry k(.param .u32 a, .param .u32 a){ret;}", "S210"),
    "registers twice": (".entry k(){.reg .b32 %r<4>; .reg .b32 %r<8>; ret;}", "S210"),
    "one of the registers twice": (".entry k(){.reg .b32 %r<4>; .reg .b32 %r3; ret;}", "S210"),
    "one before all of them": (".entry k(){.reg .b32 %r3; .reg .b32 %r<4>; ret;}", "S210"),
    "a register and a parameter": (".entry k(.param .u32 a){.reg .b32 a; ret;}", "S210"),
    "a shared variable twice": (".entry k(){.shared .u32 a; .shared .u32 a; ret;}", "S210"),
    "much shared memory": (".entry k(){.shared .b8 a[300000]; ret;}", "S213"),
    "much shared memory of the module": (".shared .b8 a[300000];\n.entry k(){st.shared.b32 [a], 0; ret;}", "S213"),
    "much shared memory in a call": (".func f(){.shared .b8 a[300000]; ret;}\n.entry k(){call f; ret;}", "S213"),
    "many constants": (".const .b8 a[70000];\n.entry k(){ret;}", "S213"),
    "many parameters": (".entry k(.param .align 8 .b8 a[40000]){ret;}", "S213"),
    "an alignment of three": (".global .align 3 .b8 a[4];", "S212"),
    "no size": (".global .b8 a[];", "S212"),
    "too many initial values": (".global .u32 a[2] = {1, 2, 3};", "S212"),
    "an initial value in shared memory": (".shared .u32 a = 1;", "S212"),
    "local outside": (".local .b8 a[4];", "S212"),
    "a register of bf16": (".entry k(){.reg .bf16 a; ret;}", "S212"),
    "a predicate as a parameter": (".entry k(.param .pred a){ret;}", "S212"),
    "no threads": (".entry k() .maxntid 0 {ret;}", "S212"),
    "two counts of threads": (".entry k() .maxntid 32 .reqntid 32 {ret;}", "S212"),
    "a call with too few": (".func f(.param .u32 a){ret;}\n.entry k(){call f; ret;}", "S214"),
    "a call with the wrong size": (".func f(.param .u32 a){ret;}\n.entry k(){.param .u64 x; call f, (x); ret;}", "S214"),
    "a call of a kernel": (".entry e(){ret;}\n.entry k(){call e; ret;}", "S214"),
    "a guard that is a number": (".entry k(){.reg .u32 a; @a bra L; L: ret;}", "S215"),
    "a jump to a function": (".func f(){ret;}\n.entry k(){bra f;}", "S206"),
    "a parameter read as global": (".entry k(.param .u64 p){.reg .f32 f; ld.global.f32 f, [p]; ret;}", "T202"),
    "a parameter read by its address": (".entry k(.param .u64 p){.reg .f32 f; ld.f32 f, [p]; ret;}", "T202"),
    "shared memory read as global": (".shared .f32 s;\n.entry k(){.reg .f32 f; ld.global.f32 f, [s]; ret;}", "T202"),
    "a kernel's parameter written": (".entry k(.param .u32 p){st.param.u32 [p], 1; ret;}", "T202"),
    "an unknown chip": (".version 8.7\n.target sm_99\n.address_size 64\n.entry k(){ret;}", "S207"),
    "an old version": (".version 8.0\n.target sm_100\n.address_size 64\n.entry k(){ret;}", "S211"),
    "no such version": (".version 99.0\n.target sm_90\n.address_size 64\n.entry k(){ret;}", "S212"),
    "addresses of 16 bits": (".version 8.0\n.target sm_90\n.address_size 16\n.entry k(){ret;}", "S212"),
}
FINE = (".entry k();\n.entry k(){ret;}", ".entry k(){\nL: bra L;\n{L: ret;}\n}", ".entry k(){.reg .b32 a; {.reg .b64 "
    "a;} ret;}", ".global .u32 a;\n.entry k(){.reg .b32 a; ret;}", ".entry k(){.reg .b32 %r<4>; .reg .b32 %r4; ret;}",
    ".shared .b8 a[300000];\n.entry k(){ret;}", ".extern .shared .align 16 .b8 a[];\n.entry k(){ret;}",
    ".entry k(){.shared .b8 a[100000]; st.shared.b32 [a], 0; ret;}", ".entry k(.param .u64 p){.reg .b64 f; mov.b64 f, "
    "p; ret;}", ".entry k(){.reg .f32 %f1; .reg .b64 %d; ld.global.volatile.f32 {%f1}, [%d]; st.volatile.global.f32 "
    "[%d], {%f1}; ret;}", ".entry k(){.reg .u32 a; mov.u32 a, 5000000000; ret;}")  # fmt: skip


def head_on(text: str) -> str:
    return text if text.startswith(".version") else TOP + text


@pytest.mark.parametrize("name", DECLARED)
def test_declarations(name):
    text, code = DECLARED[name]
    assert code in [e.code for e in lint(head_on(text)) if e.code not in WARNINGS]


def test_what_is_fine():
    for text in FINE:
        assert [str(e) for e in lint(TOP + text) if e.code not in WARNINGS] == [], text
    (cut,) = [e for e in lint(TOP + FINE[-1])]
    assert cut.code == "S209" and "it becomes 705032704, its low 32 bits" in cut.message


def test_ptxas_says_the_same(tmp_path):
    """Of all that stands above."""
    tool = need("ptxas")
    for text, fine in [*((t, False) for t, _ in DECLARED.values()), *((t, True) for t in FINE)]:
        file = tmp_path / "x.ptx"
        file.write_text(head_on(text))
        chip = re.search(r"\.target (\w+)", head_on(text))[1]
        done = subprocess.run([tool, f"-arch={chip if chip != 'sm_99' else 'sm_90a'}", "-o", str(tmp_path / "x"),
            str(file)], capture_output=True, text=True)
        assert (done.returncode == 0) is fine, (text, done.stderr)


def test_addresses_are_as_long_as_said():
    body = ".entry k(){.reg .b32 a, b; .reg .b64 d; %s ret;}"
    assert [e.code for e in lint(TOP + body % "ld.global.b32 a, [b];")] == ["T202"]
    assert [e.code for e in lint(TOP + body % "ld.shared.b32 a, [b]; ld.global.b32 a, [d];")] == []


# What ptxas 13.0 says of each, which was asked of it. `sh` is a variable in shared memory.
REGISTERS = (".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .b16 %h<9>; .reg .s32 %s<5>; "
    ".reg .u32 %u<5>; .reg .f64 %d<4>;\n" ".shared .b32 sh;\n")
REFUSED = """\
add.s32 %r1, %r2, %tid.x;
setp.eq.u32 %p1, %tid.x, 0;
st.shared.u32 [sh], %tid.x;
mul.wide.u32 %rd1, %tid.x, 4;
shfl.sync.bfly.b32 %r1|%p1, %tid.x, 1, 31, -1;
and.b32 %r1, %laneid, 3;
add.u64 %rd1, %clock64, 1;
ld.global.u32 %r1, [%tid.x];
match.any.sync.b32 %f1, %r1, -1;
vote.sync.ballot.b32 %r1, %p1, %f1;
elect.sync %f4|%p1, -1;
redux.sync.and.b32 %r1, %f1, -1;
shfl.sync.idx.b32 %f1, %f2, 0, 31, %f1;
bar.warp.sync %f1;
ld.global.v2.f32 {%f1, %rd1}, [%rd1];
ld.global.v2.u16 {%r1, %h1}, [%rd1];
ld.global.v2.b32 {%f1, %u1}, [%rd1];
st.global.v2.b32 [%rd1], {%f1, 0};
mov.b64 %rd1, {%f1, 0};
mov.b64 {%f1, %u1}, %rd1;
st.shared.u32 [sh+1e5], %r1;
ld.shared.u32 %r1, [%r1-4];
ld.shared.u32 %r1, [sh-4];
.reg .v2 .v2 .b32 %q;
.reg .v8 .b32 %q;
.reg .b32 .v2 %q;
.reg .f16 .b32 %q;
.reg .b32 %q<99999999999999999999>;
.shared .b8 z[-4];
.shared .b8 .align 4 z[4];
.shared .f32 .v2 z;
.shared .b8 .b32 z;
.const .b8 z[70000];
mov.u32 %r1, 5/0;
mov.b32 %r1, 1.0;
selp.b32 %f1, 1.0, 0f00000000, %p1;
st.shared.b32 [sh], 1.0;
{ .param .b32 pa; @%p1 st.param.b32 [pa], %r2; }
.shared .align 4294967296 .b64 z;""".splitlines()
TAKEN = """\
mov.u32 %r1, %tid.x;
cvt.u64.u32 %rd1, %tid.x;
mov.b64 %rd1, {%tid.x, %r1};
@%p1 mov.u32 %r1, %lanemask_lt;
match.any.sync.b32 %s1, %u1, %s2;
match.any.sync.b32 %r1, %f1, %r1;
vote.sync.ballot.b32 %r1, %p1, 0xffffffff;
elect.sync _|%p1, -1;
ld.global.v2.u32 {%s1, %r1}, [%rd1];
ld.global.v2.b32 {%s1, %u1}, [%rd1];
ld.global.v2.f32 {%f1, %r1}, [%rd1];
ld.global.v2.u32 {%rd1, %rd2}, [%rd1];
ld.global.v2.b64 {%rd1, %d1}, [%rd1];
ld.global.v2.f32 {%f1, _}, [%rd1];
st.global.v2.b32 [%rd1], {%r1, 0};
st.global.v2.f32 [%rd1], {%f1, 0.0};
mov.b64 %rd1, {%s1, %u1};
ld.shared.u32 %r1, [sh+-4];
ld.shared.u32 %r1, [sh+4-8];
.reg .v2 .b32 %q;
.shared .align 8 .align 4 .b8 z[4];
.shared .v2 .f32 z;
barrier.cluster.arrive.aligned.release;
barrier.cluster.wait.aligned.acquire;
mov.b32 %r1, 0f3F800000;
mov.b64 %rd1, 1.0;
selp.b32 %f1, 1, 0, %p1;""".splitlines()


@pytest.mark.parametrize("lines,wrong", [(REFUSED, True), (TAKEN, False)], ids=["refused", "taken"])
def test_what_ptxas_says(lines, wrong):
    for line in lines:
        try:
            codes = [e.code for e in lint(HEAD + REGISTERS + line + "\nret;\n}\n") if e.code not in WARNINGS]
        except AveError as e:  # what cannot be read
            codes = [e.code]
        assert bool(codes) == wrong, (line, codes)


@pytest.mark.parametrize("directive", [".sat 128", ".u32 128", ".cg 1", ".target sm_80", ".loc 1 2 3", ".shared 4"])
def test_what_stands_before_a_body(directive):
    with pytest.raises(AveError, match="a directive of a function"):
        lint(f".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{directive}\n{{\nret;\n}}\n")


def test_initial_values_and_alignments():
    head = ".version 8.0\n.target sm_90\n.address_size 64\n"
    assert [e.code for e in lint(head + ".global .f32 t[2] = {1.0, 3};\n")] == ["S212"]
    assert [e.code for e in lint(head + ".entry k() .maxntid 128, 1, 0f3F800000 {ret;}")] == ["S212"]
    assert [e.code for e in lint(head + ".entry k() .reqntid 0x1ffffffff {ret;}")] == ["S212"]
    assert [e.code for e in lint(head + ".global .f32 t[2] = {1.0, 0f40400000};\n")] == []
    assert [e.code for e in lint(head + ".entry k(.param .u64 .ptr .global .align 1025 a)\n{\nret;\n}\n")] == ["S212"]
