"""What Python asks of registers and arguments while a kernel is traced: an error of the catalogue at the user's line, never Python's own."""

from __future__ import annotations

import linecache
import operator

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.ptx import Tile, kernel, ptx, reg, smem
from avelang.ptx.types import bf16, f32, u32

QUESTIONS = {
    "range": range, "int": int, "float": float, "len": len, "list": list, "item of a list": lambda r: [1, 2, 3][r], "an item": lambda r: r[0],
    "power": lambda r: r**2, "matrix product": lambda r: r @ r, "rounded": round, "in": lambda r: 1 in r, "NumPy's index": lambda r: np.zeros(4)[r : r + 1],
    "index": operator.index, "unpacked": lambda r: (lambda *x: x)(*r),
}  # fmt: skip


def refused(question) -> AveError:
    def body(x, out):
        question(x, out)

    with pytest.raises(AveError) as caught:
        kernel(in_specs=(Tile("N", f32),), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_80")(body).ptx(32)
    return caught.value


@pytest.mark.parametrize("name", QUESTIONS)
def test_registers(name):
    exc = refused(lambda x, out: QUESTIONS[name](reg.scalar(u32)))
    assert exc.code == "T110" and "while the kernel is traced" in exc.message and exc.hint and exc.span is not None


def test_a_store_and_the_line():
    def body(x, out):
        out[0] = 1.0

    exc = refused(body)
    assert exc.code == "T110" and "ptx.inst.st" in exc.hint
    assert "out[0] = 1.0" in linecache.getline(exc.span.file, exc.span.line)


@pytest.mark.parametrize("sign", ["+", "-", "*", "<", "&"])
def test_arguments_are_not_numbers(sign):
    for text in (f"x {sign} 1", f"1 {sign} x"):
        exc = refused(lambda x, out, text=text: eval(text, {"x": x}))
        assert exc.code == "T110" and "ptx.param" in exc.hint


@pytest.mark.parametrize(("name", "hint"), [("bar", "ptx.bar_sync"), ("cp", "ptx.cp_async"), ("mbarier", "ptx.mbarrier"), ("shfl", "ptx.inst.shfl"), ("foo", "ptx.inst")])
def test_names(name, hint):
    with pytest.raises(AttributeError) as caught:
        getattr(ptx, name)
    assert isinstance(caught.value, AveError) and caught.value.code == "T111" and hint in caught.value.hint
    assert not hasattr(ptx, name)


MISUSED = {
    "addresses of a number": lambda: ptx.global_ptrs(3),
    "a parameter that is a number": lambda: ptx.param(3),
    "no instruction": lambda: ptx.inst(),
    "an array as a number": lambda: ptx.inst.mov.u32(reg.scalar(u32), np.arange(3)),
    "a place in text": lambda: smem.alloc(f32, (32, 32)).at("a", 1),
    "a shape in text": lambda: ptx.mma.sync(shape="x", dtype_a=bf16, d=[], a=[], b=[], c=[]),
}


@pytest.mark.parametrize("name", MISUSED)
def test_arguments_of_another_kind(name):
    """What no check of its own looks at is an error of the catalogue at the user's line all the same."""

    @kernel(grid=1, block=32, arch="sm_80")
    def k():
        MISUSED[name]()

    with pytest.raises(AveError) as caught:
        k.ptx()
    assert caught.value.span is not None and caught.value.span.file == __file__


def test_what_the_users_code_raises_is_its_own():
    @kernel(grid=1, block=32, arch="sm_80")
    def k():
        return {}["x"]

    with pytest.raises(KeyError):
        k.ptx()


def test_calls_with_what_is_no_array():
    @kernel(in_specs=(Tile("N", f32),), out_specs=Tile("N", f32), grid=1, block=32)
    def k(a, b, *, N):
        ptx.ret()

    for call, code in ((lambda: k("x"), "L040"), (lambda: k.ptx("a"), "L042"), (lambda: k.ptx(1.5), "L042")):
        with pytest.raises(AveError) as caught:
            call()
        assert caught.value.code == code
