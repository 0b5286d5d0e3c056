"""What Python asks of registers and arguments while a kernel is traced: an error of the catalogue at the user's line,
never Python's own."""

from __future__ import annotations

import linecache
import operator

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.ptx import Tile, kernel, ptx, reg, smem
from avelang.ptx.types import bf16, f16x2, f32, pred, u8, u32, u64

QUESTIONS = {
    "range": range, "int": int, "float": float, "len": len, "list": list, "item of a list": lambda r: [1, 2, 3][r],
    "an item": lambda r: r[0],
    "power": lambda r: r**2, "matrix product": lambda r: r @ r, "rounded": round, "in": lambda r: 1 in r,
    "NumPy's index": lambda r: np.zeros(4)[r : r + 1],
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


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bar", "ptx.bar_sync"),
        ("cp", "ptx.cp_async"),
        ("mbarier", "ptx.mbarrier"),
        ("shfl", "ptx.inst.shfl"),
        ("foo", "ptx.inst"),
    ],
)
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


# What was written into the PTX as it came, for the assembler to find: the call, the code of the refusal, words.
TAKEN_BEFORE = {
    "a label of a number": (lambda: ptx.label(3), "T224", "identifier"),
    "a label of nothing": (lambda: ptx.label(""), "T224", "identifier"),
    "targets of a number": (lambda: ptx.branch_targets("l", 3), "T222", "3"),
    "a target that stands nowhere": (lambda: ptx.branch_targets("l", "nowhere"), "T224", "nothing of this name"),
    "a target that is a register": (lambda: ptx.branch_targets("l", reg.scalar(u32)), "T222", "register"),
    "a register of a name": (lambda: reg.scalar(u32, "x"), "S206", "`x` is declared nowhere"),
    "registers of a name": (lambda: reg.array(u32, 2, "x"), "S206", "`x` is declared nowhere"),
    "no identifier": (lambda: reg.scalar(u32, ""), "T222", "''"),
    "an address by a name": (lambda: ptx.inst.ld.shared.b32(reg.scalar(u32), ptx.addr("x")), "S206",
                             "`x` is declared nowhere"),
    "an offset by a name": (lambda: ptx.inst.ld.shared.b32(reg.scalar(u32), ptx.addr(reg.scalar(u32), "x")), "S206",
                            "`x` is declared nowhere"),
    "an address that is a number": (lambda: ptx.ldmatrix(reg.array(u32, 4), ptx.operand("16")), "T202", "only .local"),
    "a number of 70 bits": (lambda: ptx.inst.add.u32(reg.scalar(u32), reg.scalar(u32), 1 << 70), "T229", "64 bits"),
    "a number in braces": (lambda: reg.scalar(u32, [1]), "T202", "braces"),
    "a million registers": (lambda: reg.array(u32, 1 << 70), "T221", "65535"),
    "a register's name": (lambda: reg.scalar(u32, name="3x"), "T223", "identifier"),
    "a register's number": (lambda: reg.scalar(u32, name=3), "T223", "identifier"),
    "a vector of eight": (lambda: reg.declare(f32, "v", vector="v8"), "T221", "v4"),
    "a tile's name": (lambda: smem.alloc(f32, 4, name=3), "T221", "identifier"),
    "a predicate in memory": (lambda: ptx.variable("shared", pred, "v"), "S212", "predicates are registers"),
    "an extent below 0": (lambda: ptx.variable("shared", f32, "v", -1), "S212", "below 0"),
    "no extent": (lambda: ptx.variable("shared", f32, "v", None), "S212", "no size"),
    "an alignment of 3": (lambda: ptx.variable("shared", f32, "v", align=3), "S212", "power of two"),
    "an alignment in text": (lambda: ptx.variable("shared", f32, "v", align="x"), "T033", "'x'"),
    "a variable's name": (lambda: ptx.variable("shared", f32, "", 4), "T221", "identifier"),
    "a policy that is a number": (lambda: ptx.tma.store(reg.scalar(u64), [0], smem.alloc(f32, 4), policy=2.5), "T202",
                                  "floating-point"),
    "u8 in arithmetic": (lambda: reg.scalar(u8) + reg.scalar(u8), "T231", "u8"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN_BEFORE)
def test_nothing_is_written_as_it_comes(name):
    act, code, words = TAKEN_BEFORE[name]

    @kernel(grid=1, block=32, arch="sm_90a")
    def k():
        act()

    with pytest.raises(AveError) as caught:
        k.ptx()
    assert (caught.value.code, caught.value.span.file) == (code, __file__) and words in str(caught.value)


SPECS = {
    "a number that calls cannot have": ({"in_specs": f16x2}, "T235"), "a predicate": ({"in_specs": pred}, "T221"),
    "no registers": ({"max_registers": 0}, "L009"), "registers in text": ({"max_registers": "64"}, "L009"),
    "half a block": ({"min_blocks": 0.5}, "L009"),
    "memory in text": ({"smem": "48K"}, "L009"), "memory below 0": ({"smem": -1}, "L009"),
    "a chip by number": ({"arch": 90}, "L009"),
    "threads in text": ({"block": "x"}, "L002"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECS)
def test_options_of_another_kind(name):
    options, code = SPECS[name]
    with pytest.raises(AveError) as caught:
        if "in_specs" in options:
            kernel(grid=1, block=32, **options)(of_one())
        else:
            kernel(**{"grid": 1, "block": 32, **options})(empty()).ptx()
    assert caught.value.code == code and caught.value.span is not None and caught.value.span.file == __file__


def of_one():
    def k(x):
        ptx.ret()

    return k


def empty():
    def k():
        ptx.ret()

    return k


@pytest.mark.parametrize("options", [{"box": 8}, {"box": (8,), "nan": 1}, {"box": (8,), "swizzle": "128"}])
def test_t221_tiles(options):
    with pytest.raises(AveError, match="T221"):
        Tile("M", f32, **options)


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
