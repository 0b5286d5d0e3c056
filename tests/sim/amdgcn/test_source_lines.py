"""Which line of Python an instruction comes from: `.loc` in AMD's assembly, and what errors of the executed code
say."""

import re

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text


@avelang.jit
def shifted(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    v = X[i]  # the load
    Y[i] = v + 1.0  # the store


def line(words: str) -> int:
    with open(__file__) as file:
        return next(n for n, text in enumerate(file, 1) if text.rstrip().endswith(words))


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_assembly_names_lines(chip):
    text = compile_text(shifted, {}, (64, 1, 1), chip, "asm")
    assert re.search(r'\.file\s+1 ".*" "test_source_lines.py"', text)
    found = {i.name: i.source for i in parse(text).instructions if i.name.startswith("global_")}
    assert {name: where and where[1] for name, where in found.items()} == {
        "global_load_dword": line("# the load"),
        "global_store_dword": line("# the store"),
    }
    assert all(where and where[0] == __file__ for where in found.values())


def test_lines_change_no_instruction():
    """With line information the same instructions come out in the same order."""
    from avelang import arch, pipeline
    from avelang.emit.llvm import simt_device
    from avelang.runtime.compile import build

    def code(lines: bool) -> list[str]:
        kernel = build(shifted.source, {}, "gfx942")
        kernel.attrs["lines"] = lines
        made = simt_device.program(pipeline.gpu(kernel, (64, 1, 1)), arch.chip("gfx942"))
        return [i.text for i in parse(simt_device.DeviceCompiler(arch.chip("gfx942")).assembly(made.text)).instructions]

    assert code(True) == code(False) != []


@pytest.mark.parametrize(("short", "at"), [("x", "# the load"), ("y", "# the store")])
def test_errors_name_the_line(short, at):
    arrays = {name: np.ones(64 if name == short else 128, np.float32) for name in "xy"}
    with pytest.raises(AveError) as caught:
        shifted[2, 64](arrays["x"], arrays["y"], 128, target="gfx942")
    assert caught.value.code == "X022" and caught.value.span and caught.value.span.line == line(at)
    assert (
        f"from test_source_lines.py:{line(at)}" in str(caught.value)
        and at in str(caught.value)
        and "`global_" in str(caught.value)
    )


@avelang.jit
def raced(x: al.Pointer(al.f32)):
    X = al.make_tensor(x, al.f32, al.make_layout((256,), (1,)))
    X[al.thread_id(0)] = al.convert(al.block_id(0), al.f32)  # both blocks


def test_a_race_names_its_lines(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    with pytest.raises(AveError) as caught:
        raced[2, 64](np.zeros(256, np.float32), target="gfx942")
    assert caught.value.code == "X040" and str(caught.value).count(f"test_source_lines.py:{line('# both blocks')}") >= 3


def test_directives():
    """As other compilers write them: folders, whole names, no line, an unknown file."""
    text = """.text
.file 1 "/a/b" "c.py"
.file 2 "/d/e.cpp"
.file "alone.c"
s_nop 0
.loc 1 7 3 prologue_end
s_nop 1
.loc 2 8
s_nop 2
.loc 1 0 0
s_nop 3
.loc 9 1 1
s_nop 4
"""
    assert [i.source for i in parse(text).instructions] == [None, ("/a/b/c.py", 7, 3), ("/d/e.cpp", 8, 0), None, None]
