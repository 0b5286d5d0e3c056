"""The verifier: every op's rule is broken once, and the error names the op."""

import pytest

from avelang.base.errors import VerifyError
from avelang.ir.core import OPS, Op, OpDef, Value, define
from avelang.ir.dtypes import f32, i32, i64, u1, u32
from avelang.ir.ops import typed
from avelang.ir.text import parse_kernel
from avelang.ir.types import PtrType, VecType
from avelang.ir.verify import verify

PARAMS = "%p: ptr<f32, global>, %t: tensor<f32, (4, 8):(8, 1), global>, %n: u32, %x: f32, %c: u1, %o: i64"
HEAD = f"""kernel @k({PARAMS}) {{}} {{
  %v = vec(%x, %x, %x, %x) : vec<4 x f32>
"""


def kernel(body: str):
    return parse_kernel(HEAD + body + "\n}")


GOOD = [
    "%1 = add(%n, %n) : u32",
    "%1 = cmp(%v, %v) {'pred': 'lt'} : vec<4 x u1>",
    "%1 = select(%c, %v, %v) : vec<4 x f32>",
    "%1 = convert(%x) : i8",
    "%1 = bitcast(%v) : vec<8 x bf16>",
    "%1 = extract(%v, %n) : f32",
    "%1 = insert(%v, %x) {'index': 3} : vec<4 x f32>",
    "%1 = slice(%v) {'start': 2} : vec<2 x f32>",
    "%1 = load(%t, %n) : vec<8 x f32>",
    "%1 = subview(%t, %n, %n, %n) : tensor<f32, (?, 2):(8, 1), global>",
    "%1 = ld(%p, %o) {'align': 4} : vec<2 x u32>",
    "barrier",
]
BAD = [
    ("add", "%1 = add(%n, %x) : u32"),
    ("and", "%1 = and(%x, %x) : f32"),
    ("exp", "%1 = exp(%n) : u32"),
    ("const", "%1 = const {'value': (1, 2)} : vec<3 x u32>"),
    ("const", "%1 = const {'value': 'x'} : u32"),
    ("cmp", "%1 = cmp(%n, %n) {'pred': 'below'} : u1"),
    ("cmp", "%1 = cmp(%v, %v) {'pred': 'lt'} : u1"),
    ("select", "%1 = select(%n, %x, %x) : f32"),
    ("convert", "%1 = convert(%v) : i8"),
    ("bitcast", "%1 = bitcast(%v) : vec<4 x bf16>"),
    ("vec", "%1 = vec(%x, %n) : vec<2 x f32>"),
    ("extract", "%1 = extract(%v) {'index': 4} : f32"),
    ("insert", "%1 = insert(%v, %n) {'index': 0} : vec<4 x f32>"),
    ("slice", "%1 = slice(%v) {'start': 3} : vec<2 x f32>"),
    ("thread_id", "%1 = thread_id {'dim': 3} : u32"),
    ("thread_id", "%1 = thread_id {'dim': 0} : i32"),
    ("shuffle", "%1 = shuffle(%x, %n) {'kind': 'xor', 'width': 48} : f32"),
    ("shuffle", "%1 = shuffle(%x, %n) {'kind': 'across', 'width': 32} : f32"),
    ("alloc", "%1 = alloc {'name': 'a'} : tensor<f32, (4):(1), global>"),
    ("make_tensor", "%1 = make_tensor(%p) {'name': 'a'} : tensor<f32, (?):(1), global>"),
    ("view", "%1 = view(%p) : tensor<f32, (4):(1), global>"),
    ("subview", "%1 = subview(%t, %n) : tensor<f32, (2, 2):(8, 1), global>"),
    ("load", "%1 = load(%t, %n) : vec<4 x f32>"),
    ("load", "%1 = load(%t, %n, %n, %n) : f32"),
    ("store", "store(%v, %t, %n)"),
    ("base", "%1 = base(%t) : ptr<f32, shared>"),
    ("ld", "%1 = ld(%p, %n) {'align': 4} : f32"),
    ("st", "st(%p, %p, %o)"),
    ("ptr_add", "%1 = ptr_add(%p, %n) : ptr<f32, global>"),
    ("ptr_int", "%1 = ptr_int(%p) : u32"),
    ("int_ptr", "%1 = int_ptr(%o) : ptr<f32, shared>"),
    ("if", "if(%n) { ^():\n yield\n } { ^():\n yield\n }"),
    ("if", "%1 = if(%c) : f32 { ^():\n yield(%x)\n } { ^():\n yield\n }"),
    ("for", "for(%n, %n, %o) { ^(%i: u32):\n yield\n }"),
    ("for", "%1 = for(%n, %n, %n, %x) : f32 { ^(%i: u32, %a: f32):\n yield(%n)\n }"),
    ("while", "%1 = while(%x) : f32 { ^(%a: f32):\n condition(%c)\n } { ^(%b: f32):\n yield(%b)\n }"),
    ("printf", "printf(%v) {'format': '%d'}"),
]


@pytest.mark.parametrize("body", GOOD)
def test_good(body):
    verify(kernel(body))


@pytest.mark.parametrize(("op", "body"), BAD)
def test_bad(op, body):
    with pytest.raises(VerifyError) as caught:
        verify(kernel(body))
    assert caught.value.code == "V001"
    assert caught.value.message.startswith(op + ":")


def test_use_outside_of_its_region():
    k = kernel("if(%c) { ^():\n %1 = add(%x, %x) : f32\n yield\n } { ^():\n yield\n }\n%2 = neg(%1) : f32")
    with pytest.raises(VerifyError, match="outside its region"):
        verify(k)


def test_phase():
    k = kernel("%1 = load(%t, %n, %n) : f32")
    with pytest.raises(VerifyError, match="addresses"):
        verify(k, "addresses")


def test_an_op_is_defined_once():
    with pytest.raises(VerifyError, match="twice"):
        define(OpDef("add", lambda op: None))


def test_every_op_says_what_it_means():
    assert [name for name, d in OPS.items() if len(d.doc) < 2] == []


@pytest.mark.parametrize(
    ("signature", "operands", "results", "why"),
    [
        ("pointer i64 -> =0", (PtrType(f32, "global"), i64), (PtrType(f32, "global"),), None),
        ("pointer i64 -> =0", (PtrType(f32, "global"), i64), (PtrType(f32, "shared"),),
         "gives (that of the first operand)"),
        ("pointer i64 -> =0", (PtrType(f32, "global"), i32), (PtrType(f32, "global"),), "takes (a pointer, i64)"),
        ("shared ->", (PtrType(f32, "global"),), (), "takes (a shared pointer)"),
        ("memory ->", (PtrType(f32, "local"),), (), "a global or shared pointer"),
        ("number ->", (u1,), (), "a number, or a vector of them"),
        ("value ->", (VecType(u1, 4),), (), None),
        ("-> u32", (), (), "takes () and gives (u32)"),
        ("->", (i32,), (), "takes () and gives ()"),
    ],
)
def test_signatures(signature, operands, results, why):
    found = typed(signature)(Op("x", [Value(t) for t in operands], results))
    assert found is None if why is None else why in found


def test_attributes_of_signatures():
    check = typed("-> u32", lambda op: "no" if op.attrs["dim"] == 1 else None, dim=(0, 1))
    said = [check(Op("x", (), (u32,), attrs)) for attrs in ({"dim": 0}, {"dim": 1}, {"dim": 2}, {})]
    assert said == [None, "no", "`dim` is 2, not one of (0, 1)", "`dim` is None, not one of (0, 1)"]
