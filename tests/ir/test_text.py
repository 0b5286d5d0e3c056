"""The IR as text: print and parse are inverse, parse errors name the line, and a broken printer is noticed."""

import pytest

from avelang.base.errors import VerifyError
from avelang.base.spans import Span
from avelang.ir import text
from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel
from avelang.ir.dtypes import f32, u32
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, PtrType, TensorType, VecType
from avelang.ir.verify import verify


def sample() -> Kernel:
    """A kernel with every syntactic form: nested regions, two regions, several results, odd attributes, foreign spans,
    name clashes."""
    body = Block((("a", PtrType(f32, GLOBAL)), ("n", u32)))
    kernel = Kernel("sample", body.args, body, {"wave": 64, "file": "x.py", "block": (64, 1, 1)}, Span("x.py", 1))
    b = Builder(body, Span("x.py", 3, 4, 3, 9))
    a, n = kernel.params
    inf, nan, one = b.const(float("inf"), f32), b.const(float("nan"), f32), b.const(1)
    tensor = b.emit("make_tensor", (a, n), (TensorType(f32, (None,), (1,), GLOBAL),), name="A,(x) {'").result
    i = b.emit("thread_id", (), (u32,), dim=0).result
    i.name = "n"
    loop = Block((("i", u32), ("x", f32), ("y", f32)))
    b.emit("for", (one, n, one, inf, nan), (f32, f32), (loop,), unroll=False)
    with b.inside(loop):
        value = b.emit("load", (tensor, loop.args[0]), (f32,)).result
        with b.if_(b.cmp("lt", i, n)):
            b.emit("store", (value, tensor, i))
        b.yield_(b.add(value, loop.args[1]), loop.args[2])
    test, again = Block((("w", u32),)), Block((("w", u32),))
    b.emit("while", (one,), (u32,), (test, again))
    with b.inside(test):
        b.emit("condition", (b.cmp("lt", test.args[0], n), test.args[0]))
    with b.inside(again):
        b.yield_(b.add(again.args[0], b.const(1)))
    b.span = Span("other.py", 7, 0, 8, 1)
    b.emit("printf", (i,), (), format="x = %d {} } : @1:2:3:4 \"'\n")
    b.span = None
    b.const((1, 2, -3.5), VecType(f32, 3)).uniform = True
    return kernel


def test_round_trip():
    kernel = sample()
    verify(kernel)
    printed = print_kernel(kernel)
    again = parse_kernel(printed)
    verify(again)
    assert print_kernel(again) == printed
    assert [op.span for op in again.body.ops] == [op.span for op in kernel.body.ops]


def test_nodes_keep_no_text(monkeypatch):
    """Negative control: with the printer broken, the round trip must fail, so nothing hands the source text through."""
    printed = print_kernel(sample())
    monkeypatch.setattr(text._Printer, "type", lambda self, v: "u1" if v.type == u32 else str(v.type))
    assert print_kernel(parse_kernel(printed)) != printed


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("store(", "stor(", "cannot read"),
        ("%n: u32", "%n: u33", "no type"),
        ("make_tensor(%a, %n)", "make_tensor(%a, %nope)", "not defined"),
        ("kernel @sample", "kernel sample", "expected"),
    ],
)
def test_errors_name_the_line(old, new, why):
    printed = print_kernel(sample())
    assert old in printed
    with pytest.raises(VerifyError, match=why) as caught:
        parse_kernel(printed.replace(old, new))
    assert caught.value.code == "V002"


def test_text_that_ends_early():
    with pytest.raises(VerifyError, match="ends too early"):
        parse_kernel("kernel @k() {} {\n")
