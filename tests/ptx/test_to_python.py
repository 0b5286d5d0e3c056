"""`ave ptx to-python`: Python that is made of PTX, run, writes that PTX. Held against the parser's nodes and, apart
from them, against the text itself."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from types import SimpleNamespace

import numpy as np
import pytest

from avelang import arch, pipeline
from avelang.base.errors import AveError
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang.nvptx.examples import module
from avelang.nvptx.lint import WARNINGS, lint
from avelang.nvptx.parse import parse, parse_body
from avelang.nvptx.printer import print_module
from avelang.ptx import spelling
from avelang.ptx.to_python import to_python
from avelang.sim.ptx import Program
from isa.cluster_kernels import trials as clusters
from isa.hopper_kernels import trials
from nvptx.forms import kept
from nvptx.texts import GOLDEN, NAMES, bare, text_of
from ptx.programs import hopper_gemm, saxpy, tiled_gemm

HERE = pathlib.Path(__file__).parent
EVERYTHING = (HERE / "everything.ptx").read_text()
# Of nvcc's samples only one chip, except where what it writes for the other is something else.
TEXTS = [
    *(n for n in NAMES if ".sm_90a." in n),
    "halves.sm_80.ptx.gz",
    "triton_matmul.sm_80.ptx.gz",
    *(p.name for p in GOLDEN),
]


def executed(python: str) -> SimpleNamespace:
    """The names of a module of Python."""
    names = {"__name__": "made"}
    exec(compile(python, "made.py", "exec"), names)
    return SimpleNamespace(**names)


def again(text: str, entry: str | None = None) -> str:
    """PTX, to Python and back."""
    return executed(to_python(text, entry=entry).text).module.ptx()


def without_debug(text: str) -> str:
    """The text without what is for debuggers, cut out line by line."""
    text = re.sub(r"(?m)^\s*\.(loc|file)\b.*$", "", text)
    text = re.sub(r"(?m)^\s*\.section\s+\S+\s*\{[^}]*\}", "", text)
    return re.sub(r"(?m)^(\.target sm_\w+), debug", r"\1", text)


def same(text: str) -> bool:
    """Whether text is the same after its way through Python: as text without white space, and as nodes."""
    want, got = without_debug(text), again(text)
    return bare(got) == bare(want) and parse(got, known=False) == parse(want, known=False)


def llvm(trial) -> str:
    """What LLVM makes of a kernel of ours."""
    chip = arch.chip(trial.chip)
    return simt_device.DeviceCompiler(chip).assembly(
        simt_device.program(pipeline.gpu(build(trial.kernel.source, {}, chip), trial.block), chip).text
    )


# -- the way there and back --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_what_compilers_write(name):
    text = text_of(name)
    assert same(text)
    assert to_python(text).raw == ()


def test_what_compilers_write_is_of_all_kinds():
    whole = "".join(map(text_of, TEXTS))
    for needed in (
        ".func",
        "call",
        ".callprototype",
        "wgmma",
        "cp.async.bulk.tensor",
        "mbarrier",
        "mma.sync",
        ".section",
        ".loc",
        ", debug",
        ".pragma",
        ".weak",
    ):
        assert needed in whole
    left = "".join(without_debug(text_of(name)) for name in TEXTS)
    assert re.findall(r"\.section|\.loc\b|\.file|, debug", left) == []


TRIALS = {t.name: t for t in (*trials(), *clusters())}
OURS = ["cp_async_pipeline", "cp_async_mbarrier", "named_barriers", "cluster_multicast", "warp_specialized_gemm"]


@pytest.mark.parametrize("name", OURS)
def test_what_llvm_makes_of_our_kernels(name):
    assert same(llvm(TRIALS[name]))


TRACED = {
    "saxpy": (saxpy, (1000,)),
    "tiled_gemm": (tiled_gemm, (64, 32, 64)),
    "hopper_gemm": (hopper_gemm, (128, 128, 128)),
}


@pytest.mark.parametrize("name", TRACED)
def test_traced_kernels(name):
    make, sizes = TRACED[name]
    text = make().ptx(*sizes)
    assert again(text) == text  # to the last space: the same printer, the same nodes


def test_the_whole_syntax():
    """A text with each kind of statement, operand, declaration and directive, and with what the table refuses."""
    made = to_python(EVERYTHING)
    got = executed(made.text)
    assert got.module.nodes() == parse(EVERYTHING, known=False) and got.k.ptx() == print_module(
        parse(EVERYTHING, known=False)
    )
    assert bare(got.module.ptx()).replace(",", "") == bare(EVERYTHING).replace(",", "")
    lines = EVERYTHING.splitlines()
    assert [(lines[line - 1].split()[0], why[:6]) for line, why in made.raw] == [
        ("ld.global.b32", "[T202]"),
        ("wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16", "[T202]"), ("frobnicate.b32", "[S202]"),
        ("@class", "`class"), ("add.u32", "[S206]"), ("add.s32", "[T202]"), ("add.s32", "[T239]"),
        ("ld.param.b32.foo", "[S203]"),
        (".reg", "there "),
    ]  # fmt: skip
    assert made.text.count("ptx.raw(") == len(made.raw)


def test_braces_that_python_cannot_nest():
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n"
    text += f"{'{' * 30} .reg .b32 x; {'{' * 3} mov.b32 x, 1; {'}' * 33}\n"
    made = to_python(text)
    assert executed(made.text).module.nodes() == parse(text) and [why for _, why in made.raw] == [
        "braces deeper than 16"
    ]


def test_instructions_of_all_forms():
    """Each seventh of the forms that ptxas has assembled, as calls: none of them needs to be kept as text."""
    rows = kept()[::7]
    assert len(rows) > 1000
    for target in sorted({row.partition(" ")[0] for row in rows}):
        body = parse_body("\n".join(row.partition(" ")[2] for row in rows if row.startswith(f"{target} ")))
        text = print_module(module(body, target, (9, 1)))
        made = to_python(text)
        assert made.raw == () and "ptx.operand(" not in made.text
        assert executed(made.text).module.ptx() == text


BREAKS = {
    "_vector": lambda x, names, parts: f"r[0:{len(x.items)}]",
    "_address": lambda x, names, parts: f"ptx.addr({spelling.operand(x.base, names)})",
    "_float": lambda x, names, parts: "1.0",
    "_special": lambda x, names, parts: "ptx.special.tid.y()",
    "_register": lambda x, names, parts: spelling._register(
        dataclasses.replace(x, name=x.name.replace("%r1", "%r2")), names, parts
    ),
    "_sink": lambda x, names, parts: "0",
    "_not": lambda x, names, parts: spelling.operand(x.operand, names),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_transpiler_is_noticed(broken, monkeypatch):
    kind = next(k for k in spelling._OPERANDS if k.__name__.removesuffix("Operand").lower() == broken[1:])
    monkeypatch.setitem(spelling._OPERANDS, kind, BREAKS[broken])
    try:
        assert not same(EVERYTHING)
    except AveError:
        pass  # refused at its line, which is noticed as well


# -- what a person reads -----------------------------------------------------------------------------------------------


def test_the_python_is_what_a_person_would_write():
    text = to_python(text_of("hopper.sm_90a.ptx.gz"), "folder/hopper.ptx").text
    for line in (
        '"""The PTX of hopper.ptx, in Python: run, it prints it. Made by `ave ptx to-python`.',
        'module = ptx.module("sm_90a", version=(9, 5))',
        "def hopper(param_0, param_1, param_2):",
        '    f = reg.declare(f32, "%f<12>")',
        "    ptx.inst.ld.param.u64(rd[4], ptx.addr(param_1))",
        "    ptx.inst.mov.u32(r[1], ptx.special.tid.x())",
        '    ptx.inst.bra("$L__BB0_2", pred=p[1])',
        "    with ptx.scope():",
        '        ptx.label("LAB_WAIT")',
        "        ptx.inst.wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16(f[1:5], rd[3], rd[3], p_2, 1, 1, 0, 0)",
        "    ptx.inst.st.global_.f32(ptx.addr(rd[7], 12), f[4])",
    ):
        assert line in text.splitlines(), line
    assert "# triton_samples.py:16" in to_python(text_of("triton_add.sm_80.ptx.gz")).text  # of .loc
    assert 'init=b"thread %d of %d: %f %s\\n"' in to_python(text_of("calls.sm_80.ptx.gz")).text
    assert max(map(len, text.splitlines())) <= 150


def test_the_python_can_be_changed():
    """An instruction more, with a register of its own, and operators."""
    text = to_python(saxpy().ptx(1000)).text
    (name,) = re.findall(r"(\w+) = reg.declare\(f32", text)
    where = text.index("    ptx.inst.st.global_.f32(")
    changed = f"{text[:where]}    {name}[1] += reg.scalar(f32, 2.0)\n{text[where:]}"
    before, after = executed(text).module.ptx(), executed(changed).module.ptx()
    new = [line.strip() for line in after.splitlines() if line not in before.splitlines()]
    assert new == [".reg .f32 %f_<1>;", "mov.f32 %f_0, 0f40000000;", "add.f32 %f1, %f1, %f_0;"]


def test_each_instruction_is_checked_when_it_runs():
    text = to_python(saxpy().ptx(1000)).text
    changed = re.sub(r"(fma\.rn\.f32\(f\[\d\]), f\[", r"\1, u[", text)
    assert changed != text
    with pytest.raises(AveError) as caught:
        executed(changed)
    assert caught.value.code == "T202" and caught.value.span is not None and caught.value.span.file == "made.py"


def test_one_kernel_of_several():
    text = text_of("templates.sm_90a.ptx.gz")
    name = "_Z6reduceIdLi32EEvPKT_PS0_i"
    only = parse(again(text, name))
    whole = parse(without_debug(text))
    assert [f.name for f in only.functions() if f.kind == "entry"] == [name]
    assert only.function(name) == whole.function(name)
    assert 0 < len(only.items) < len(whole.items)
    assert [e for e in lint(print_module(only)) if e.code not in WARNINGS] == []  # what it uses is there
    with pytest.raises(AveError) as caught:
        to_python(text, "x.ptx", "reduce")
    assert caught.value.code == "D023" and name in caught.value.hint
    with pytest.raises(AveError) as caught:
        to_python(".version 8.0\n.target gfx942\n.address_size 64\n")
    assert caught.value.code == "S207"


# -- and executed ------------------------------------------------------------------------------------------------------


def softmax(program: Program, x: np.ndarray) -> np.ndarray:
    out = np.zeros_like(x)
    memory = [(a.ctypes.data, a.nbytes, name, a is out) for a, name in ((x, "x"), (out, "out"))]
    program.launch([x.ctypes.data, out.ctypes.data, 2000, 1900, 0, 0], (5, 1, 1), (256, 1, 1), 4096, memory=memory)
    return out


def test_it_computes_the_same():
    text = text_of("triton_softmax.sm_90a.ptx.gz")
    x = np.random.default_rng(1).standard_normal((5, 2000)).astype(np.float32)
    out = softmax(Program(executed(to_python(text).text).module.ptx()), x)
    e = np.exp(x[:, :1900].astype(np.float64))
    np.testing.assert_allclose(out[:, :1900], e / e.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(out, softmax(Program(text), x))
