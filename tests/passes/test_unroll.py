"""Unroll: which loops it takes, and that kernels mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.frontend.build import build
from avelang.ir.core import walk
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.verify import verify
from avelang.passes.unroll import MOST_TRIPS, unroll
from avelang.sim import reference
from emit.llvm import gpu_kernels

HEAD = "{'wave': 64, 'chip': 'gfx942', 'file': ''}"
LOOP = """kernel @k(%p: ptr<i32, global>, %n: u32) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
  %a = const {'value': START} : u32
  %b = const {'value': STOP} : u32
  %s = const {'value': STEP} : u32
  %v = const {'value': (5, 6, 7, 8)} : vec<4 x i32>
  %z = const {'value': 0} : i32
  %r, %last = for(%a, %b, %s, %z, %z) ATTRS : i32, i32 { ^(%i: u32, %sum: i32, %old: i32):
    %three = const {'value': 3} : u32
    %at = and(%i, %three) : u32
    %x = extract(%v, %WHICH) : i32
    %more = add(%sum, %x) : i32
    yield(%more, %sum)
  }
  %both = add(%r, %last) : i32
  %o = const {'value': 0} : i64
  st(%both, %p, %o) {'align': 4}
}"""


def loop(start=0, stop=4, step=1, which="at", attrs="") -> tuple[list[str], int]:
    """The names of the ops behind the pass, and what the kernel computes; which must be what it computed before."""
    text = LOOP
    for name, value in (("START", start), ("STOP", stop), ("STEP", step), ("WHICH", which),
                        (" ATTRS", f" {attrs}" if attrs else "")):
        text = text.replace(name, str(value))
    results = []
    for run in (lambda k: None, unroll):
        kernel = parse_kernel(text)
        run(kernel)
        verify(kernel, "addresses")
        assert print_kernel(parse_kernel(print_kernel(kernel))) == print_kernel(kernel)
        out = np.zeros(1, np.int32)
        reference.run(kernel, [out, 2], (1, 1, 1), (1, 1, 1))
        results.append(int(out[0]))
    assert results[0] == results[1]
    return [op.name for op in walk(kernel.body)], results[0]


def test_an_index_of_registers():
    names, value = loop()
    assert "for" not in names and names.count("extract") == 4 and value == 26 + 18


@pytest.mark.parametrize(("start", "stop", "step", "trips"), [(0, 7, 2, 4), (3, 3, 1, 0), (1, 2, 9, 1)])
def test_bounds(start, stop, step, trips):
    names, _ = loop(start, stop, step)
    assert "for" not in names and names.count("extract") == trips


def test_what_stays():
    assert "for" in loop(which="n")[0]  # the counter picks nothing
    assert "for" in loop(step=0)[0]
    assert "for" in loop(stop=MOST_TRIPS + 1)[0]


def test_a_wish_of_the_user():
    assert "for" not in loop(which="n", attrs="{'unroll': True}")[0]


def test_local_memory_and_nested_loops():
    """Loops that fill and read an array of a lane; the inner of two, then the outer."""
    kernel = build(gpu_kernels.registers.source, {}, None)
    args = [np.arange(1024, dtype=np.float32).reshape(64, 16), np.zeros((64, 16), np.float32)]
    unroll(kernel)
    verify(kernel, "tensors")
    assert not any(op.name == "for" for op in walk(kernel.body))
    reference.run(kernel, args, (1, 1, 1), (64, 1, 1))
    np.testing.assert_array_equal(args[1], 2 * args[0] + 2 * args[0][:, ::-1])


def test_global_memory_is_no_reason():
    kernel = build(gpu_kernels.softmax.source, {}, None)
    before = sum(op.name == "for" for op in walk(kernel.body))
    unroll(kernel)
    assert sum(op.name == "for" for op in walk(kernel.body)) == before == 3


def test_copies_are_independent():
    """An allocation in the body is a new one in each trip."""
    text = f"""kernel @k(%p: ptr<i32, global>) {HEAD} {{
      %a = const {{'value': 0}} : u32
      %b = const {{'value': 3}} : u32
      %s = const {{'value': 1}} : u32
      for(%a, %b, %s) {{ ^(%i: u32):
        %t = alloc {{'name': 't', 'align': 4}} : tensor<i32, (4):(1), local>
        %x = const {{'value': 7}} : i32
        store(%x, %t, %i)
        yield
      }}
    }}"""
    kernel = parse_kernel(text)
    unroll(kernel)
    allocs = [op for op in walk(kernel.body) if op.name == "alloc"]
    assert len(allocs) == 3 and [op.operands[1].op for op in walk(kernel.body) if op.name == "store"] == allocs
