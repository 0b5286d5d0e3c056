"""Parser and printer: what nvcc, Triton and LLVM write goes in and comes out the same; errors show their place."""

from __future__ import annotations

import pickle
import re

import pytest

from avelang.base.errors import AveError
from avelang.nvptx import nodes as n
from avelang.nvptx import printer
from avelang.nvptx.parse import parse, parse_body
from nvptx.texts import NAMES, SAMPLES, bare, text_of


def test_there_are_samples():
    assert len(SAMPLES) >= 24
    assert {p.name.split(".")[1] for p in SAMPLES} >= {"sm_80", "sm_90a"}


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name):
    text = text_of(name)
    module = parse(text, name)
    out = printer.print_module(module)
    assert parse(out) == module
    assert bare(out) == bare(text)


def test_a_broken_printer_is_noticed(monkeypatch):
    text = text_of("warp.sm_80.ptx.gz")
    module = parse(text)
    for breaks in ((n.AddressOperand, lambda x: f"[{printer.operand(x.base)}]"), (n.Int, lambda x: str(abs(x.value))),
            (n.Register, lambda x: x.name.replace("5", "6")), (n.SpecialOperand, lambda x: x.name)):  # fmt: skip
        with monkeypatch.context() as m:
            m.setitem(printer._OPERANDS, *breaks)
            out = printer.print_module(module)
        assert bare(out) != bare(text)
        try:
            assert parse(out) != module
        except AveError:
            pass  # garbage that does not even read back
    assert bare(printer.print_module(module)) == bare(text)


def test_nodes_keep_no_text():
    """The printed text follows from the values alone: a changed node prints changed, and white space and comments leave
    no trace."""
    tight = parse(".version 8.0\n.target sm_90\n.address_size 64\n.entry k(){add.s32 %r1,%r2,0x1F;ret;}")
    loose = parse("// c\n.version 8.0 .target sm_90 .address_size 64 /* x\n y */ .entry k ( )\n{\n\n  add.s32  %r1 , "
        "%r2,\n 0x1F ;\n ret ; // end\n}\n")
    assert tight == loose and hash(tight) == hash(loose)
    assert printer.print_module(tight) == printer.print_module(loose)
    assert pickle.loads(pickle.dumps(tight)) == tight
    first = tight.function("k").body[0]
    assert (first.opcode, first.modifiers, first.name) == ("add", ("s32",), "add.s32")
    assert first.operands == (n.Register("%r1"), n.Register("%r2"), n.Int(31, 16, upper=True))
    assert first.operands[2] != n.Int(31)


STATEMENTS = [
    "mov.u32 %r1, %tid.x;",
    "@!%p1 bra.uni $L1;",
    "@p ld.global.v4.f32 {%f1, %f2, %f3, _}, [%rd1+16];",
    "st.shared.b32 [%r1+-8], 0x0000FFFF;",
    "setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;",
    "elect.sync _|%p1, 0xffffffff;",
    "mov.f64 %fd1, 0d3FF0000000000000;",
    "mov.f64 %fd1, 1.5;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [texture, sampler, {%f5, %f6}];",
    "call.uni (retval0), function, (param0, param1);",
    "call (retval0), %rd1, (param0), prototype_0;",
    "call function;",
    "mov.b64 %rd1, {%r1, %r2};",
    "mov.u64 %rd1, table+8;",
    "mov.u32 %r1, table[3];",
    "mov.f32 %f1, %v1.x;",
    "mov.u32 %r1, 017;",
    "mov.u32 %r1, 0b101U;",
    "mov.u32 %r1, (1 + 2) * 3 << 4;",
    "mov.u32 %r1, 1 ? -2 : ~3;",
    "mov.s64 %rd1, (.s64)-1;",
    "ret;",
    ".reg .v4 .f32 %v<4>, w;",
    ".local .align 16 .b8 stack[64];",
    ".loc 1 20 5, function_name $L__info_string0, inlined_at 1 30 7",
    "targets: .branchtargets $L1, $L2, $L3;",
    "prototype_0: .callprototype (.param .align 4 .b8 _[8]) _ (.param .b32 _, .param .b64 _) .noreturn;",
    '.pragma "nounroll";',
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_print_as_they_are_written(text):
    body = parse_body(text, registers=frozenset({"p"}))
    assert printer.body(body, "") == [text]
    assert parse_body("\n".join(printer.body(body)), registers=frozenset({"p"})) == body


ITEMS = [
    ".visible .global .align 4 .u32 x = 5;",
    ".weak .const .align 8 .b8 table[2][4] = {{1, 2, 3, 4}, {0xFF, -6, 7, 8}};",
    ".global .align 8 .u64 pointers[3] = {f, generic(x)+4, 0};",
    ".extern .shared .align 128 .b8 smem[];",
    ".global .attribute(.managed) .align 4 .u32 shared_with_host;",
    ".global .align 8 .b8 bytes[4] = {0xFF(x), 0xFF00(x), 0xFF0000(x), 0xFF000000(x)};",
    ".global .samplerref s = {filter_mode = linear, addr_mode_0 = wrap};",
    ".alias g, f;",
    '.file 1 "a b.cu", 1700000000, 99',
]


@pytest.mark.parametrize("text", ITEMS)
def test_items_print_as_they_are_written(text):
    head = ".version 8.7\n.target sm_90a, debug\n.address_size 64\n"
    assert printer.print_module(parse(head + text)) == f"{head}{text}\n"


def test_functions():
    text = """.version 8.7
.target sm_90a
.address_size 64

.extern .func (.param .b32 func_retval0) vprintf(
    .param .b64 vprintf_param_0,
    .param .b64 vprintf_param_1
);

.visible .entry k(
    .param .u64 .ptr .global .align 16 k_param_0,
    .param .align 64 .b8 k_param_1[128]
)
.maxntid 256, 1, 1
.minnctapersm 2
.reqnctapercluster 2, 1, 1
.pragma "nounroll";
{
    .reg .b32 %r<3>;
    {
        .reg .pred p;
        setp.eq.s32 p, %r1, 0;
    LAB_WAIT:
        @p bra LAB_WAIT;
    }
$L1:
    ret;
}
"""
    module = parse(text)
    assert printer.print_module(module) == text
    k = module.function("k")
    assert k.params[0].pointer == n.PointerAttribute("global", 16) and k.params[1].dims == (n.Int(128),)
    assert [d.name for d in k.directives] == ["maxntid", "minnctapersm", "reqnctapercluster", "pragma"]
    assert module.function("vprintf").body is None and module.function("nowhere") is None
    assert [x.name for x in n.instructions(k.body)] == ["setp.eq.s32", "bra", "ret"]
    guard = next(x.guard for x in n.instructions(k.body) if x.guard)
    assert guard == n.Guard(n.Register("p"))  # declared in the block, so that it is a register and not a symbol
    labels = [s for s in n.statements(k.body) if isinstance(s, n.LabelMark)]
    assert [(x.name, x.line, x.column) for x in labels] == [("LAB_WAIT", 23, 5), ("$L1", 26, 1)]


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("add.s32 %r1, %r2 %r3;", (1, 18), "expected `,` or `;` after an operand of add.s32, found `%r3`"),
        ("add.s32 %r1,\n  ;", (2, 3), "expected an operand, found `;`"),
        ("#define X 1", (1, 1), "a line of the C preprocessor"),
        ("ld.global.b32 %r1, [%rd1;", (1, 25), "expected `]`"),
        ("mov.b64 %rd1, {%r1, %r2;", (1, 24), "expected `,` or `}`"),
        ("mov.u32 %r1, `;", (1, 14), "'`' is not a token"),
        ("ret; /* no end", (1, 6), "a comment that is not closed"),
        ('.pragma "x;', (1, 9), "a string that is not closed"),
        (".reg %r1;", (1, 6), "the type of a register"),
        ("}", (1, 2), "expected the end of the text"),
        ("@5 ret;", (1, 2), "a predicate"),
        (".surprise;", (1, 1), "no such directive in a body"),
    ],
)
def test_errors_show_their_place(text, place, why):
    with pytest.raises(AveError) as caught:
        parse_body(text)
    exc = caught.value
    assert exc.code == "S201" and why in exc.message
    assert f"line {place[0]}, column {place[1]}:" in exc.message or why.startswith("expected the end")
    if not why.startswith("expected the end"):
        line, carets = re.search(r"\d \| (.*)\n *\| ( *\^+)", str(exc)).groups()
        assert line == text.splitlines()[place[0] - 1] and carets.index("^") == place[1] - 1


def test_decimals_without_a_digit_in_front():
    """ptxas takes them, and refuses a dot alone."""
    for text, value in ((".5", "0.5"), ("-.25e2", "-25.0"), ("1.e2", "100.0")):
        assert printer.body(parse_body(f"mov.f64 %fd1, {text};"), "") == [f"mov.f64 %fd1, {value};"]
    with pytest.raises(AveError, match="S201"):
        parse_body("mov.f64 %fd1, .;")


def test_the_head_of_a_module():
    for text, why in ((".target sm_90", "expected `.version`"), (".version 8", "a version such as 8.7"),
            (".version 8.0\n.target 90", "a target such as")):
        with pytest.raises(AveError, match="S201|PTX, line") as caught:
            parse(text)
        assert why in caught.value.message
    with pytest.raises(AveError) as caught:
        parse(".version 8.0\n.target sm_90\n.reg .b32 x;")
    assert "a directive of a module" in caught.value.message


def test_an_unknown_instruction_is_an_error():
    text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(){\n  ret;\n  frobnicate.b32 %r1;\n}"
    with pytest.raises(AveError, match=r"\[S202\] PTX has no instruction `frobnicate`") as caught:
        parse(text)
    assert caught.value.span is not None and (caught.value.span.line, caught.value.span.col) == (6, 2)
    (f,) = parse(text, known=False).functions()
    assert [i.opcode for i in n.instructions(f.body or ())] == ["ret", "frobnicate"]
