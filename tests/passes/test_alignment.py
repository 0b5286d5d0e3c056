"""Alignment: what is proven on IR written by hand, and that nothing proven is wrong on kernels that the reference
runs."""

from __future__ import annotations

import numpy as np
import pytest

from avelang import pipeline
from avelang.ir.build import Builder
from avelang.ir.core import Kernel, Op, walk
from avelang.ir.dtypes import i64, u64
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, PtrType
from avelang.ir.verify import verify
from avelang.passes.alignment import alignment
from avelang.passes.rewrite import rewrite
from avelang.sim import reference
from emit.llvm import gpu_kernels, tutorial
from emit.llvm.gpu import lowered
from emit.llvm.simt_host import aligned as aligned_array

HEAD = "{'wave': 64, 'chip': 'gfx942', 'file': ''}"


def aligned(body: str, params: str = "%p: ptr<i32, global>, %n: i64, %m: u32", pointers: int = 16) -> list[int]:
    """`align` of the accesses of a kernel, in order."""
    kernel = parse_kernel(f"kernel @k({params}) {HEAD} {{\n{body}\n}}")
    verify(kernel, "addresses")
    alignment(kernel, pointers)
    verify(kernel, "addresses")
    assert print_kernel(parse_kernel(print_kernel(kernel))) == print_kernel(kernel)
    return [op.attrs["align"] for op in walk(kernel.body) if op.name in ("ld", "st")]


def of(expression: str, **options) -> int:
    """Alignment of a load at the offset %o that the lines define."""
    return aligned(expression + "\n%v = ld(%p, %o) {'align': 4} : i32\nst(%v, %p, %o) {'align': 4}", **options)[0]


LOADS = "%z = const {'value': 0} : i64\n%v = ld(%p, %z) {'align': 4} : i32\nst(%v, %q, %z) {'align': 4}"


def narrow(body, said):
    kernel = parse_kernel(f"kernel @k(%p: ptr<i32, global>, %q: ptr<i32, global>) {{'wave': 64, 'chip': 'gfx942', 'file': '', 'narrow': '{said}'}} {{\n{body}\n}}")
    verify(kernel, "addresses")
    alignment(kernel)
    return kernel


def test_arguments_that_begin_anywhere():
    for said, want in (("p=4", [4, 16]), ("q=4", [16, 4]), ("p=4 q=8", [4, 8])):
        kernel = narrow(LOADS, said)
        assert [op.attrs["align"] for op in walk(kernel.body) if op.name in ("ld", "st")] == want
        assert kernel.attrs["aligned"] == {w[0]: int(w[2]) for w in said.split()} and not kernel.attrs["whole"]


def test_what_wants_all_of_it():
    kernel = narrow(LOADS + "\n%i = ptr_int(%p) : i64\nst(%i, %q, %z) {'align': 4}", "p=4 q=4")
    assert kernel.attrs["whole"] == {"p": "ptr_int"} and kernel.attrs["aligned"] == {"q": 4}
    kernel = narrow(LOADS + "\n%o = ptr_add(%p, %z) : ptr<i32, global>\n%i = ptr_int(%o) : i64\nst(%i, %q, %z) {'align': 4}", "p=4")
    assert kernel.attrs["whole"] == {"p": "ptr_int"}
    assert [op.attrs["align"] for op in walk(kernel.body) if op.name == "ld"] == [16]


C = "%c{0} = const {{'value': {0}}} : i64\n"
WIDE = "%w = convert(%m) : i64\n" + C.format(16) + C.format(4) + C.format(3) + C.format(48)


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        ("%o = mul(%w, %c16) : i64", 16),
        ("%o = mul(%w, %c4) : i64", 4),
        ("%o = mul(%n, %c48) : i64", 16),
        ("%a = mul(%w, %c16) : i64\n%b = mul(%n, %c48) : i64\n%o = add(%a, %b) : i64", 16),
        ("%a = mul(%w, %c16) : i64\n%o = add(%a, %c4) : i64", 4),
        ("%o = shl(%n, %c4) : i64", 16),
        ("%a = shl(%n, %c4) : i64\n%o = shr(%a, %c3) : i64", 4),
        ("%a = shl(%n, %c48) : i64\n%o = floordiv(%a, %c16) : i64", 16),
        ("%o = and(%n, %c48) : i64", 16),
        ("%a = mul(%w, %c16) : i64\n%o = mod(%a, %c48) : i64", 16),
        ("%a = mul(%n, %c16) : i64\n%t = cmp(%n, %w) {'pred': 'lt'} : u1\n%o = select(%t, %a, %c48) : i64", 16),
        ("%a = mul(%n, %c16) : i64\n%t = cmp(%n, %w) {'pred': 'lt'} : u1\n%o = select(%t, %a, %c4) : i64", 4),
        ("%o = neg(%c48) : i64", 16),
        ("%o = mul(%n, %w) : i64", 4),
    ],
)
def test_offsets(lines, want):
    assert of(WIDE + lines) == want


def test_nothing_is_lost():
    """An access that promises more than can be proven keeps its promise."""
    assert aligned("%v = ld(%p, %n) {'align': 8} : i32\nst(%v, %p, %n) {'align': 2}") == [8, 2]


def test_pointers():
    assert of(WIDE + "%o = mul(%w, %c16) : i64", pointers=4) == 4
    assert of(WIDE + "%o = mul(%w, %c16) : i64", params="%p: ptr<i32, global>, %n: i64, %m: u32", pointers=256) == 16
    moved = WIDE + "%o = mul(%w, %c16) : i64\n%q = ptr_add(%p, %cN) : ptr<i32, global>\n"
    moved += "%v = ld(%q, %o) {'align': 4} : i32\n"
    assert aligned(moved.replace("N", "4") + "st(%v, %p, %o) {'align': 4}") == [4, 16]
    assert aligned(moved.replace("N", "48") + "st(%v, %p, %o) {'align': 4}") == [16, 16]


def test_numbers_of_addresses():
    lines = WIDE + "%i = ptr_int(%p) : i64\n%j = add(%i, %cN) : i64\n%q = int_ptr(%j) : ptr<i32, global>\n"
    lines += "%v = ld(%q, %c16) {'align': 4} : i32"
    assert aligned(lines.replace("N", "16")) == [16] and aligned(lines.replace("N", "4")) == [4]


@pytest.mark.parametrize("align", [1, 4, 16, 64])
def test_allocations(align):
    lines = f"%a = alloc {{'name': 'a', 'align': {align}}} : tensor<i32, (64):(1), shared>\n"
    lines += "%q = base(%a) : ptr<i32, shared>\n"
    assert aligned(lines + C.format(16) + "%v = ld(%q, %c16) {'align': 1} : i32") == [min(align, 16)]


LOOP = """%c0 = const {'value': 0} : i64
%c9 = const {'value': 9} : i64
%c1 = const {'value': 1} : i64
%step = const {'value': STEP} : i64
%first = const {'value': FIRST} : i64
%end = for(%c0, %c9, %c1, %first) : i64 { ^(%i: i64, %at: i64):
  %x = ld(%p, %at) {'align': 4} : i32
  %next = add(%at, %step) : i64
  yield(%next)
}
%y = ld(%p, %end) {'align': 4} : i32"""


@pytest.mark.parametrize(("first", "step", "want"), [(0, 16, 16), (32, 48, 16), (4, 16, 4), (0, 4, 4), (16, 8, 8)])
def test_what_loops_carry(first, step, want):
    assert aligned(LOOP.replace("FIRST", str(first)).replace("STEP", str(step))) == [want, want]


def test_a_counter():
    lines = LOOP.replace("FIRST", "0").replace("STEP", "16").replace("for(%c0, %c9, %c1",
                                                                     "for(%c0, %c9, %step").replace("%p, %at", "%p, %i")
    assert aligned(lines)[0] == 16


def test_while_and_if():
    lines = """%c0 = const {'value': 0} : i64
%c16 = const {'value': 16} : i64
%c8 = const {'value': 8} : i64
%e = while(%c0) : i64 { ^(%a: i64):
  %t = cmp(%a, %n) {'pred': 'lt'} : u1
  condition(%t, %a)
} { ^(%b: i64):
  %s = if(%t2) : i64 { ^():
    yield(%c16)
  } { ^():
    yield(%OTHER)
  }
  %v = ld(%p, %b) {'align': 4} : i32
  %d = add(%b, %s) : i64
  yield(%d)
}
%w = ld(%p, %e) {'align': 4} : i32"""
    lines = "%z = const {'value': 1} : i64\n%t2 = cmp(%n, %z) {'pred': 'lt'} : u1\n" + lines
    assert aligned(lines.replace("%OTHER", "%c16")) == [16, 16] and aligned(lines.replace("%OTHER", "%c8")) == [8, 8]


def test_the_tutorial_moves_whole_words():
    """Every access of four words is proven to be aligned, but those whose row length is only known at run time."""

    def wide(kernel) -> list[int]:
        k = lowered(kernel, "gfx942")
        return [op.attrs["align"] for op in walk(k.body) if op.name in ("ld", "st")
                and "vec<4 x i32>" in str([*op.results, *op.operands])]

    assert set(wide(tutorial.fixed)) == {16}
    assert sorted(set(wide(tutorial.runtime))) == [4, 16]


def checked(kernel: Kernel) -> Kernel:
    """The kernel with one parameter more: a counter to which each access adds the bits of its address that must be
    zero."""
    counter = kernel.body.add_arg("counter", PtrType(u64, GLOBAL))

    def visit(op: Op, b: Builder) -> None:
        if op.name in ("ld", "st"):
            pointer, offset = op.operands[-2:]
            address = b.add(b.ptr_int(pointer), offset)
            wrong = b.bitcast(b.and_(address, b.const(op.attrs["align"] - 1, i64)), u64)
            b.emit("atomic_add", (wrong, counter, b.const(0, i64)), (u64,))

    rewrite(kernel.body, visit)
    return kernel


@pytest.mark.parametrize("proven", [True, False])
def test_proofs_hold(proven):
    """Every access that the reference makes lies where the pass says; and, as a negative control, not all lie on 16
    bytes."""
    kernel = checked(lowered(gpu_kernels.turn, "gfx942", (16, 16, 1), TILE=16))
    if not proven:
        for op in walk(kernel.body):
            if op.name in ("ld", "st"):
                op.attrs["align"] = 16
        kernel = checked(parse_kernel(print_kernel(kernel).replace("counter", "first")))
    arrays = [aligned_array((64, 64), np.int32), aligned_array((64, 64), np.int32)]
    arrays[0][:] = np.arange(4096).reshape(64, 64)
    counters = [np.zeros(1, np.uint64) for _ in range(1 if proven else 2)]
    reference.run(kernel, [*arrays, *counters], (1, 1, 1), (16, 16, 1))
    np.testing.assert_array_equal(arrays[1][:16, :16], arrays[0][:16, :16].T)
    assert (counters[-1][0] == 0) == proven


def test_the_pass_stands_in_the_pipeline():
    names = [name for name, _, _ in pipeline.amdgpu_passes(lowered(gpu_kernels.axpy, "gfx942"), (64, 1, 1))]
    assert names.index("addresses") < names.index("alignment")
