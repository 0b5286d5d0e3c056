"""What comes out of the builder when a kernel is wrong: errors of the catalogue with a line, whatever stands where."""

import ast
import itertools
import linecache
import warnings

import pytest

import avelang.language as al
from avelang.base.errors import AveError, VerifyError
from avelang.frontend import tensor_access
from avelang.frontend.build import build
from avelang.frontend.source import FunctionSource
from frontend.building import refused

I = al.Tensor((64,), al.i32)

HEAD ="""
import math
import numpy as np
import avelang, avelang.language as al
LAYOUT = al.Layout((2, 2), (2, 1))
TENSOR = al.Tensor((4,), al.f32)
class Settings:
    N = 3
@avelang.jit
def device(a):
    return a
def plain(a):
    return a
def k(o: al.Tensor((64,), al.f32), p: al.Pointer(al.f32), n: al.u32, q: al.Tensor((4, 4), al.i32)):
    X = al.make_tensor(p, al.f32, al.make_layout((n, n)))
    L = al.make_layout((n, n))
    v = al.full((4,), 1.0, al.f32)
    m = al.make_local((4,), al.f32)
    m[0] = 1.0
    c = n > 3
    def local(a):
        return a
    """
OPERANDS = (
    "o p n q[0] X X[0] X[0][1] L LAYOUT TENSOR v m c al al.amdgpu math al.f32 al.void al.convert al.amdgpu.rcp "
    "'str' None -1 2.5 1<<70 (n,1) "
    "(v,v) () ... device plain local Settings len np.float32 al.range(n) range(3) float('nan') al.Tensor"
).split()
STATEMENTS = """-{a}; not {a}; {a}.shape; {a}.foo; len({a}); {a}(1); {a}[0]; {a}[n]; {a}[0,0]; {a}[None]; o[{a}];
X[0,{a}]; {a} + X; v * {a}; {a} ** 2; {a} < X; n == {a}; {a} in (1, 2); c and {a}; {a} if c else 1; 1 if {a} else 2;
al.convert({a}, al.i32); al.bitcast({a}, al.i32); al.exp({a}); abs({a}); max({a}, 1); max(v, {a}); sum({a});
tuple({a}); al.select({a}, 1, 2); al.select(c, {a}, 2); al.fma({a}, v, 2.0); al.make_shared({a}, al.f32);
al.full((2,), {a}, al.f32); al.make_tensor(p, al.f32, {a}); al.make_layout({a}); al.view({a}, TENSOR);
al.view(o, {a}, LAYOUT); al.subview({a}, (0,), (2,)); al.subview(o, {a}, (2,)); al.subview(o, (0,), {a});
al.shuffle({a}, 1); al.shuffle(n, {a}); al.printf('%d', {a}); al.range({a}); al.amdgpu.rcp({a}); al.f32({a});
device({a}); local(*{a}); al.Layout({a}, {a}); al.Tensor({a}, al.f32); [i for i in {a}]; math.exp({a}); o[0] = {a};
q[0] += {a}; X[0] = {a}; X[0] += {a}; v = {a}; m[0] = {a}; {a}[0] = 1; n += {a}; y: {a} = 1; a, b = {a}; return {a};
assert {a}; f = al.Pointer({a})""".replace("\n", " ").split("; ")
COMPOUND = (
    "if {a}: o[0] = 1.0", "while {a}: o[0] = 1.0", "for i in {a}: o[0] = 1.0", "for i, j in {a}: o[0] = 1.0",
    "y = {a}\n    for i in al.range(n): y = 1\n    z = y", "y = 1\n    for i in al.range(n): y = {a}\n    z = y",
    "y = {a}\n    if c: y = v\n    z = y",
    "y = {a}\n    y += 1", "y = X[0]\n    y[{a}] = 1",
)  # fmt: skip


@pytest.mark.parametrize("statement", [*STATEMENTS, *COMPOUND])
def test_only_errors_of_the_catalogue_come_out(statement, tmp_path):
    """Each statement with each operand, a kernel each: it is built, or refused at a line of the kernel by a code that
    blames the kernel."""
    bodies = []
    for operand in OPERANDS:
        try:
            ast.parse("def k():\n    " + statement.format(a=operand))
        except SyntaxError:
            continue
        bodies.append(statement.format(a=operand))
    assert bodies
    for i, body in enumerate(bodies):
        file = tmp_path / f"kernel{i}.py"
        file.write_text(HEAD + body + "\n")
        names: dict = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # Python sees that some cannot work
            exec(compile(file.read_text(), str(file), "exec"), names)  # noqa: S102 - made above
        try:
            build(FunctionSource(names["k"]), {}, None)
        except AveError as e:
            assert e.span is not None and e.span.file == str(file) and not e.code.startswith("V"), f"{body}: {e}"
        except Exception as e:
            raise AssertionError(body) from e
    linecache.clearcache()


def test_a_fault_of_the_frontend_has_the_users_line(monkeypatch):
    def k(out: I):
        out[0] = 1
        out[1] = 2  # <-

    stored = itertools.count()
    put = tensor_access.put

    def broken(*args):
        if next(stored):
            raise AttributeError("no such thing")
        put(*args)

    monkeypatch.setattr("avelang.frontend.tensor_access.put", broken)
    e = refused(k, "V003", "AttributeError: no such thing", "fault of Ave")
    assert isinstance(e, VerifyError) and isinstance(e.__cause__, AttributeError)


def test_what_is_nested_too_deeply_is_refused():
    def k(out: I):
        for i in range(3000):
            if out[i % 64] > 1:
                return
            out[0] = i

    refused(k, "U002", "al.range")
