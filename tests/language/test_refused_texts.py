"""Short bodies that are refused, one after another: each with an error of Ave's own, a caret, and the line of the
offending statement."""

import importlib.util

import numpy as np
import pytest

from avelang.base.errors import AveError

HEAD = """import avelang
import avelang.language as al


@avelang.jit
def pair(a: al.f32, b: al.f32) -> al.f32:
    return a + b


@avelang.jit
def whole(a: al.i32) -> al.i32:
    return a


@avelang.jit
def mixed(a: al.f32):
    if a > 0.0:
        return 1.0
    return al.full((4,), 0.0, al.f32)


@avelang.jit
def kernel(x: al.Tensor((64,), al.f32), y: al.Tensor((16, 4), al.f32), w: al.Tensor((64,), al.i32)):
"""

# name: (body, what the message must say). The offending line is the last, unless it is marked.
BODIES = {
    "vector of another length": ("r = al.full((2,), 0.0, al.f32)\ny[0] = r", "(2,)"),
    "float into integers": ("w[0] = x[0]", "f32"),
    "argument missing": ("x[0] = pair(1.0)", "pair"),
    "argument surplus": ("x[0] = pair(1.0, 2.0, 3.0)", "pair"),
    "argument unknown": ("x[0] = pair(1.0, q=2.0)", "'q'"),
    "argument twice": ("x[0] = pair(1.0, 2.0, a=3.0)", "'a'"),
    "argument of another type": ("w[0] = whole(x[0])", "whole"),
    "unknown keyword of a builtin": ("r = al.full((4,), 1.0, al.f32, shade=3)", "shade"),
    "kernel returns a value": ("return 5", "kernel"),
    "returns that differ": ("x[0] = mixed(x[0])", "mixed"),
    "value of nothing": ("x[0] = al.syncthreads()", ""),
    "printf count": ('al.printf("%d %d", 1)', "2"),
    "printf type": ('al.printf("%d", x[0])', "%d"),
    "printf runtime format": ("al.printf(x[0])", "format"),
    "shuffle width": ("w[0] = al.shuffle(w[0], 1, 12)", "12"),
    "shuffle runtime width": ("w[0] = al.shuffle(w[0], 1, w[1])", "width"),
    "constant index outside": ("x[64] = 1.0", "64"),
    "constant index outside registers": ("r = al.full((4,), 0.0, al.f32)\nr[4] = 1.0", "4"),
    "index of a float": ("x[1.5] = 2.0", "1.5"),
    "index at run time of a float": ("x[x[0]] = 2.0", "f32"),
    "slice of unknown length": ("x[0:w[0]] = 1.0", "length"),
    "slice outside": ("x[60:68] = 1.0", "64"),
    "view larger than its memory": ("v = al.view(x, al.Tensor((65,), al.f32))", "65"),
    "subview outside": ("v = al.subview(x, (60,), (8,), (1,))", "64"),
    "subview of another rank": ("v = al.subview(x, (0, 0), (4, 4), (1, 1))", ""),
    "strides nested otherwise": ("v = al.view(x, al.f32, al.make_layout((4, 4), (4,)))", "(4,)"),
    "shape at run time": ("r = al.make_local((w[0],), al.f32)", ""),
    "shape negative": ("r = al.make_local((-4,), al.f32)", "-4"),
    "shape of floats": ("r = al.make_local((2.5,), al.f32)", "2.5"),
    "alignment": ("s = al.make_shared((4,), al.f32, 3)", "3"),
    "vector as condition": ("if y[0]:  # here\n    x[0] = 1.0", ""),
    "branches of different kinds": ("x[0] = 1.0 if w[0] > 0 else y[0]", ""),
    "first value in a loop": ("for i in al.range(w[0]):\n    q = 5\nw[0] = q", "'q'"),
    "step of zero": ("for i in al.range(0, 5, 0):  # here\n    x[0] = 1.0", "0"),
    "range of nothing": ("for i in al.range():  # here\n    x[0] = 1.0", "range"),
    "division by zero at compile time": ("x[0] = 1 // 0", "ero"),
    "bits of another width": ("v = al.bitcast(x[0], al.i64)", "64"),
    "bits of a float": ("x[0] = x[0] & 1", "f32"),
    "exponential of an integer": ("w[0] = al.exp(w[0])", "exp"),
    "literal outside u8": ("v = al.convert(3, al.u8) + 300", "300"),
    "literal outside i32": ("w[0] = 5000000000", "5000000000"),
    "tensor called": ("x(5)", "x"),
    "attribute assigned": ("x.a = 5", ""),
    "f-string": ("v = f'{x[0]}'", "f-string"),
    "dict": ("v = {1: 2}", "dict"),
    "global statement": ("global G  # here\nG = 5", "global"),
    "with": ("with open('x') as f:  # here\n    pass", "with"),
    "import": ("import os", "import"),
    "yield": ("yield 5", "yield"),
    "print": ("print(x[0])", "print"),
}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@pytest.mark.parametrize("name", BODIES)
def test_refused(name, tmp_path):
    body, said = BODIES[name]
    path = tmp_path / "refused.py"
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    path.write_text(text)
    lines = text.splitlines()
    line = next((i for i, s in enumerate(lines, 1) if s.endswith("# here")), len(lines))
    if name == "returns that differ":
        line = next(i for i, s in enumerate(lines, 1) if "if a > 0.0" in s)
    x, y, w = np.ones(64, np.float32), np.ones((16, 4), np.float32), np.ones(64, np.int32)
    with pytest.raises(AveError) as e:
        load(path)[lambda: ((1, 1, 1), (1, 1, 1))](x, y, w)
    shown = str(e.value)
    assert f"{path}:{line}" in shown, shown
    assert "^" in shown and said in e.value.message, shown
    assert e.value.code[0] in "STU"
    assert (x == 1).all() and (w == 1).all()
