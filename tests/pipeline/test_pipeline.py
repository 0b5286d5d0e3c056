"""The whole way of a kernel at three cuts (after the frontend, after the passes, final assembly), as golden files with
negative controls; and the reference on both ends of the pipeline."""

import pathlib

import ml_dtypes
import numpy as np
import pytest

import golden
from avelang import pipeline
from avelang.emit.llvm import cpu, cpu_ops
from avelang.frontend.build import build
from avelang.ir import text
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.verify import verify
from avelang.llvm.core import HostCompiler
from avelang.sim import reference

from . import kernels

CASES = {
    "axpy": (kernels.axpy, {}, (64, 1, 1)),
    "transpose": (kernels.transpose, {"TILE": 16}, (16, 16, 1)),
    "mfma": (kernels.mfma, {}, (64, 1, 1)),
}


def front(name):
    """The kernel as the frontend leaves it, its file without folders."""
    function, constexprs, _ = CASES[name]
    kernel = build(function.source, constexprs)
    kernel.attrs["file"] = pathlib.Path(kernel.attrs["file"]).name
    return parse_kernel(print_kernel(kernel).replace(f'"{function.source.file}"', '"kernels.py"'))


def lowered(name):
    return pipeline.cpu(front(name), CASES[name][2])


def assembly(name):
    """For one fixed x86 chip, whatever machine the tests run on."""
    host = HostCompiler(target=("x86_64-unknown-linux-gnu", "skylake-avx512", ""))
    return host.assembly(cpu.emit(lowered(name)).text)


CUTS = {"frontend.ir": lambda n: print_kernel(front(n)), "passes.ir": lambda n: print_kernel(lowered(n))}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", CASES)
def test_ir(name, cut):
    golden.check(f"pipeline/{name}.{cut}", CUTS[cut](name))


@pytest.mark.parametrize("name", ["axpy", "transpose"])
def test_assembly(name):
    golden.check(f"pipeline/{name}.s", assembly(name))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
@pytest.mark.parametrize("cut", CUTS)
def test_a_broken_printer_is_noticed(cut, monkeypatch):
    real = text._Printer.type
    monkeypatch.setattr(text._Printer, "type", lambda self, v: real(self, v).replace("u32", "i32"))
    with pytest.raises(AssertionError, match="differs"):
        golden.check(f"pipeline/axpy.{cut}", print_kernel(front("axpy") if cut == "frontend.ir" else lowered("axpy")))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_a_broken_pass_is_noticed(monkeypatch):
    kept = [p for p in pipeline.cpu_passes(front("axpy"), (64, 1, 1)) if p[0] != "simplify"]
    monkeypatch.setattr(pipeline, "cpu_passes", lambda kernel, block: kept)
    kernel = front("axpy")
    for _, run, _ in kept:
        run(kernel)
    with pytest.raises(AssertionError, match="differs"):
        golden.check("pipeline/axpy.passes.ir", print_kernel(kernel))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_a_broken_emitter_is_noticed(monkeypatch):
    real = cpu_ops.RULES["add"]

    def subtracts(w, op):
        op.name = "sub"
        return real(w, op)

    monkeypatch.setitem(cpu_ops.RULES, "add", subtracts)
    with pytest.raises(AssertionError, match="differs"):
        golden.check("pipeline/axpy.s", assembly("axpy"))


def arguments(name):
    rng = np.random.default_rng(11)
    if name == "axpy":
        return [2.5, rng.random(100, np.float32), rng.random(100, np.float32), 100], (2, 1, 1)
    if name == "transpose":
        return [rng.integers(0, 99, (64, 64), np.int32), np.zeros((64, 64), np.int32)], (4, 4, 1)
    a, b = (rng.standard_normal((32, 8)).astype(ml_dtypes.bfloat16) for _ in range(2))
    return [a, b, np.zeros((64, 16), np.float32), 3], (1, 1, 1)


@pytest.mark.parametrize("name", CASES)
def test_every_pass_keeps_text_and_meaning(name):
    """After each pass the IR verifies, reads back, and means what it meant."""
    _, _, block = CASES[name]
    kernel = front(name)
    args, grid = arguments(name)
    want = [np.copy(a) for a in args]
    reference.run(kernel, want, grid, block)
    assert any(not np.array_equal(a, b) for a, b in zip(args, want, strict=True))
    for _, run, phase in pipeline.cpu_passes(kernel, block):
        run(kernel)
        verify(kernel, phase)
        printed = print_kernel(kernel)
        assert print_kernel(parse_kernel(printed)) == printed
        got = [np.copy(a) for a in args]
        reference.run(parse_kernel(printed), got, grid, block)
        for w, g in zip(want, got, strict=True):
            np.testing.assert_array_equal(g, w)
