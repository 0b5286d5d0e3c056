"""Line information in PTX: the lines are those of the source, inlined functions keep theirs, and the code is the same
with it and without."""

import linecache
import re

import pytest

import avelang
import avelang.language as al
from avelang import arch
from avelang.emit.llvm import simt_device
from avelang.runtime import ptxas
from emit.llvm.gpu import assembly, device, lowered
from emit.llvm.test_nvptx import KERNELS


@avelang.jit
def scaled(x, y):
    z = x * y
    return z + 3.0


@avelang.jit
def caller(p: al.Pointer(al.f32), q: al.Pointer(al.i32), n: al.i32, flag: al.u1):
    X = al.make_tensor(p, al.f32, al.make_layout((n,), (1,)))
    Q = al.make_tensor(q, al.i32, al.make_layout((n,), (1,)))
    i = al.thread_id(0)
    if flag:
        X[i] = scaled(X[i], 2.0)
    Q[i] = Q[i] % 7


def with_lines(kernel, chip="sm_90a", block=(64, 1, 1), **constexprs):
    k = lowered(kernel, chip, block, **constexprs)
    k.attrs["lines"] = True
    return device(chip).assembly(simt_device.program(k, arch.chip(chip)).text)


def code(text):
    """Without directives of lines, the labels that belong to them, and comments."""
    keep = (line.partition("//")[0].rstrip() for line in text.splitlines())
    return [
        line
        for line in keep
        if line and not re.match(r"\s*\.(loc|file|section)|\$L__(tmp|func_begin|func_end)\d+:", line)
    ]


def instructions(text):
    """(line of the source, instruction) pairs."""
    line, out = 0, []
    for row in text.splitlines():
        found = re.match(r"\s*\.loc\s+(\d+) (\d+) (\d+)", row)
        if found:
            line = int(found[2])
        elif re.match(r"\t(@%p\d+ )?[a-z][\w.]+\s", row) and not row.startswith("\t."):
            out.append((line, row.strip()))
    return out


def test_each_instruction_has_the_line_that_it_comes_from():
    text = with_lines(caller)
    assert f'.file\t1 "{__file__}"' in text
    pairs = instructions(text)
    for pattern, source in (
        (r"ld\.global\.\w+ .*%r", "X[i] = scaled"),
        (r"(mul|add)\.rn\.f32", "z = x * y"),
        (r"st\.global", ""),
    ):
        hits = [n for n, row in pairs if re.match(pattern, row)]
        assert hits, (pattern, text)
        assert any(source in linecache.getline(__file__, n) for n in hits), (pattern, hits)
    # A device function's lines are its own, wherever it was inlined.
    assert any("return z + 3.0" in linecache.getline(__file__, n) for n, _ in pairs)
    stores = [
        linecache.getline(__file__, n).strip() for n, row in pairs if row.startswith("st.global") or " st.global" in row
    ]
    assert stores == ["X[i] = scaled(X[i], 2.0)", "Q[i] = Q[i] % 7"]


@pytest.mark.parametrize("name", KERNELS)
def test_the_code_is_the_same(name):
    kernel, block, constexprs = KERNELS[name]
    plain, text = assembly(kernel, "sm_90a", block, **constexprs), with_lines(kernel, block=block, **constexprs)
    assert code(text) == code(plain) and ".loc" in text and ".loc" not in plain


def test_names_that_metadata_must_quote():
    k = lowered(caller, "sm_90a")
    k.attrs["lines"] = True
    from avelang.base.spans import Span
    from avelang.ir.core import walk

    k.span = Span('/a folder/"odd" näme\\x.py', 10)
    for op in walk(k.body):
        op.span = Span(k.span.file, 12, 3)
    text = device("sm_90a").assembly(simt_device.program(k, arch.chip("sm_90a")).text)
    assert "odd" in text and ".loc\t1 12 4" in text


def test_the_assembler_keeps_them():
    tool = ptxas.find()
    if tool is None:
        pytest.skip(ptxas.GET)
    plain, _ = ptxas.assemble(tool, assembly(caller, "sm_90a"), "sm_90a", "caller")
    made, said = ptxas.assemble(tool, with_lines(caller), "sm_90a", "caller")
    assert b"test_nvptx_lines.py" in made and b"test_nvptx_lines.py" not in plain and said["spills"] == [0, 0]
