"""The decorator and what it makes."""

import functools
import inspect
import subprocess
import sys

import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError


@avelang.jit
def kernel(x: al.Pointer(al.f32), n: al.i32, B: al.constexpr = 3):
    """What it does."""


def test_it_looks_like_the_function():
    assert kernel.__name__ == "kernel"
    assert kernel.__doc__ == "What it does."
    assert kernel.__module__ == __name__
    assert kernel.__qualname__ == "kernel"
    assert kernel.__wrapped__ is kernel.source.fn
    assert list(inspect.signature(kernel).parameters) == ["x", "n", "B"]
    assert "kernel" in repr(kernel)
    assert __file__ in repr(kernel)


def test_a_kernel_is_not_called():
    with pytest.raises(AveError) as e:
        kernel(1, 2)
    assert e.value.code == "L001"
    assert "kernel[(gx, gy, gz), (bx, by, bz)](...), or short as kernel[4, 256](...)" in str(e.value)


@pytest.mark.parametrize("what", [lambda x: x, 3, print, str, functools.partial(print, 1)])
def test_only_plain_functions(what):
    with pytest.raises(AveError) as e:
        avelang.jit(what)
    assert e.value.code == "S003"


def test_a_function_whose_source_cannot_be_read():
    space = {}
    exec("def f(x: al.i32):\n    pass\n", {"al": al}, space)
    f = avelang.jit(space["f"])
    with pytest.raises(AveError) as e:
        f[((1,), (1,))](1)
    assert e.value.code == "S002"


def test_an_unknown_name_in_an_annotation_is_an_error_at_launch(tmp_path):
    program = """
from __future__ import annotations
import avelang, avelang.language as al
@avelang.jit
def f(x: al.Pointr(al.f32)):
    pass
try:
    f[((1,), (1,))](1)
except avelang.errors.AveError as e:
    print("Pointr" in str(e), e.code[0])
"""
    path = tmp_path / "f.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "True T\n", done.stderr


def test_importing_avelang_is_light():
    rows = ("avelang.isa.row", "avelang.isa.amdgpu", "avelang.isa.nvptx")
    heavy = ("numpy", "llvmlite", "torch", "jax", *rows, "avelang.sim", "avelang.runtime")
    program = f"import avelang, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "[]\n"
