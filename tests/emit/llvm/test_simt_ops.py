"""The emitter for lanes, run on this machine's processor: each op on each dtype against the reference, and random
programs against Python."""

from __future__ import annotations

import re

import numpy as np
import pytest

from avelang.ir.dtypes import DType, bf16, f16, f32, f64, i32, i64, u8, u32
from avelang.ir.text import parse_kernel
from emit.llvm import simt_bench
from emit.llvm.simt_bench import NUMBERS, Bench, same
from emit.llvm.simt_host import OnHost, aligned
from language.test_random_programs import N, Writer, load, plain_python

LANES = 64


def both(bench: Bench) -> list[tuple[np.ndarray, np.ndarray, DType]]:
    """(reference, ours, dtype) of each result."""
    want = bench.reference()
    OnHost(bench.kernel(), (LANES, 1, 1)).run(bench.args)
    return bench.pairs(want, bench.args)


def check(bench: Bench) -> None:
    for want, got, d in both(bench):
        same(want, got, d)


@pytest.mark.parametrize("d", NUMBERS, ids=str)
@pytest.mark.parametrize("count", [0, 3])
def test_arithmetic(d, count):
    check(simt_bench.arithmetic(Bench(), d, count))


@pytest.mark.parametrize("d", NUMBERS, ids=str)
@pytest.mark.parametrize("count", [0, 2])
def test_conversions(d, count):
    check(simt_bench.conversions(Bench(), d, count))


@pytest.mark.parametrize("d", [i32, u8, bf16, f16, f64, DType("f8e4m3fnuz", "float", 8)], ids=str)
def test_vectors_and_constants(d):
    check(simt_bench.vectors(Bench(), d))


def test_conditions_and_local_memory():
    check(simt_bench.conditions(Bench()))


@pytest.mark.parametrize("d", [i32, u32, i64], ids=str)
@pytest.mark.parametrize("known", [True, False], ids=["constant", "run time"])
def test_loops(d, known):
    check(simt_bench.loops(Bench(), d, known))


FUNCTIONS = ("exp", "exp2", "log", "log2", "tanh", "erf", "rsqrt", "sin", "cos")


@pytest.mark.parametrize("d", [f32, f16, bf16], ids=str)
def test_functions(d):
    """Expanded, hence to the last places only; the expansions have tests of their own."""
    bench = Bench()
    for name in FUNCTIONS:
        data = np.abs(np.random.default_rng(4).standard_normal(LANES)).astype(d.np)
        bench.keep(bench.b.same(name, bench.operand(d, data)))
    for want, got, _ in both(bench):
        rtol = {f32: 5e-7, f16: 2e-3, bf16: 1e-2}[d]
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed, tmp_path):
    """Control flow of every kind, lane by lane, against plain Python."""
    from avelang.frontend.build import build

    text = Writer(100 + seed).program()
    src, out = aligned((2, N), np.int32), aligned((4, N), np.int32)
    src[:] = np.random.default_rng(seed).integers(-50, 100, (2, N))
    kernel = load(text, tmp_path / f"lanes_{seed}.py")
    OnHost(build(kernel.source, {}, None), (N, 1, 1)).run([src, out])
    np.testing.assert_array_equal(out, plain_python(text, src), err_msg=text)


def test_a_broken_rule_is_noticed(monkeypatch):
    from avelang.emit.llvm import simt_ops

    monkeypatch.setitem(simt_ops.RULES, "sub", simt_ops.RULES["add"])
    real = simt_ops.arith
    monkeypatch.setattr(simt_ops, "arith", lambda w, name, t, *xs: real(w, "add" if name == "sub" else name, t, *xs))
    with pytest.raises(AssertionError):
        test_arithmetic(i32, 0)


def test_names_do_not_clash():
    """A parameter may be called as values and labels of the text are."""
    text = """\
kernel @k(%v1: ptr<i32, global>, %entry: i32, %loop3: u1, %fine: i32) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
      %z = const {'value': 0} : i64
      %s = add(%entry, %fine) : i32
      %t = select(%loop3, %s, %fine) : i32
      st(%t, %v1, %z) {'align': 4}
    }"""
    out = aligned(4, np.int32)
    on_host = OnHost(parse_kernel(text), (1, 1, 1))
    on_host.run([out, 5, True, 2])
    assert out[0] == 7 and re.search(r"i32 noundef %fine", on_host.text)
