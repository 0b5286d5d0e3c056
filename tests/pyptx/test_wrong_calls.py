"""Wrong calls of both faces: a coded TypeError at the user's line, with the function's name as the user writes it and
what it takes; and hints that name nothing which the face has not."""

from __future__ import annotations

import ast
import inspect
import linecache
import pathlib
import re
import types

import numpy as np
import pytest

import avelang.ptx
import pyptx
from avelang.base.errors import AveError
from avelang.ptx import kernel as ave_kernel
from avelang.ptx.refusals import WORDS as TOPICS
from avelang.ptx.trace import WORDS
from pyptx import Tile, kernel, ptx, reg, smem
from pyptx._words import WORDS as PYPTX_WORDS
from pyptx.types import b32, bf16, f16, f32, pred, u32, u64


def functions(path, holder, names=(), seen=None):
    """(name, function) of all that a face's users call by a path."""
    seen = set() if seen is None else seen
    listed = names or getattr(holder, "__all__", None)
    for name in listed or [x for x in vars(holder) if x[:1] != "_"]:
        value, below = getattr(holder, name), f"{path}.{name}" if path else name
        if isinstance(value, types.FunctionType):
            if value.__module__.startswith(("avelang.ptx", "pyptx")) and (listed or value.__module__ == holder.__name__):
                yield below, value
        elif isinstance(value, types.ModuleType):
            if id(value) not in seen and value.__name__.startswith(f"{holder.__name__}."):
                seen.add(id(value))
                yield from functions(below, value, (), seen)
        elif not isinstance(value, type) and type(value).__module__.startswith(("avelang.ptx", "pyptx")):
            for method in dir(type(value)):
                if method[:1] != "_" and inspect.isroutine(getattr(type(value), method)):
                    yield f"{below}.{method}", getattr(value, method)


OURS = sorted({(f"pyptx: {p}", f) for part in ("ptx", "reg", "smem") for p, f in functions(part, getattr(pyptx, part))},
              key=lambda x: x[0])  # fmt: skip
THEIRS = sorted(
    {(f"avelang: {p}", f) for part in ("ptx", "reg", "smem") for p, f in functions(part, getattr(avelang.ptx, part))},
    key=lambda x: x[0],
)
NO_LIMIT = ("ptx.global_ptrs", "ptx.expr", "ptx.module")  # any arguments, or no arguments of their own


def raised(call) -> AveError:
    with pytest.raises(TypeError) as caught:
        call()
    assert isinstance(caught.value, AveError), f"{type(caught.value).__name__}: {caught.value}"
    return caught.value


def test_there_are_functions():
    assert len(OURS) > 120 and len(THEIRS) > 60
    assert {"pyptx: ptx.wgmma.mma_async", "pyptx: reg.scalar", "pyptx: ptx.bar.sync"} <= {name for name, _ in OURS}


@pytest.mark.parametrize(("name", "fn"), OURS + THEIRS, ids=[name for name, _ in OURS + THEIRS])
def test_an_unknown_name_is_coded(name, fn):
    face, _, said = name.replace("cp.async_bulk.", "cp.async_.bulk.").partition(": ")  # one object by two names
    parameters = inspect.signature(fn).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters) or said in NO_LIMIT:
        pytest.skip("it takes any names")
    e = raised(lambda: fn(no_such_name=1))
    assert e.code == ("T241" if face == "pyptx" else "T232") and e.message.startswith(f"{said}: "), str(e)
    assert "`no_such_name`" in e.message and e.hint.startswith("it takes (") and e.span is not None
    assert "no_such_name" in linecache.getline(e.span.file, e.span.line)
    for p in parameters:
        assert p.name in ("self", "cls") or p.name in e.hint


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (lambda: ptx.add(u32, 1, 2), "ptx.add: `b` is missing", "it takes (dtype, dst, a, b, *, pred=None)"),
        (lambda: reg.scalar(), "reg.scalar: `dtype` is missing", "it takes (dtype, init=None, name=None)"),
        (lambda: smem.alloc(f32), "smem.alloc: `shape` is missing", "it takes (dtype, shape, "),
        (lambda: ptx.bar.sync(0, 1, 2), "ptx.bar.sync: it takes at most 2 arguments by place, and 3 are given", ""),
        (lambda: ptx.fence.proxy_async(1), "it takes no arguments by place, and 1 is given", ""),
        (lambda: reg.scalar(u32, dtyp=f32), "it has no parameter `dtyp`", ""),
        (lambda: reg.scalar(u32, inti=1), "it has no parameter `inti` (did you mean `init`?)", ""),
        (lambda: reg.scalar(u32, dtype=f32), "`dtype` is given by place and by name", ""),
        (lambda: ptx.st(f32), "ptx.st: `dst` and `src` are missing", ""),
        (lambda: ptx.loop(), "ptx.loop: `label_name` is missing", "it takes (label_name, *, pred=None)"),
        (lambda: ptx.cp.async_.bulk.tensor_2d(), "ptx.cp.async_.bulk.tensor_2d: `dst` and `src` are missing", ""),
        (lambda: ptx.inst.add.u32(1, predicate=2), "ptx.inst.add.u32: it has no parameter `predicate`", ""),
        (lambda: kernel(blocks=1), "kernel: it has no parameter `blocks` (did you mean `block`?)", ""),
        (lambda: Tile(4, f32, tma_boxes=1), "Tile: it has no parameter `tma_boxes` (did you mean `tma_box`?)", ""),
        (lambda: ptx.mma.sync(shape=(16, 8, 16), dtype_a=bf16, dtype_b=bf16, d=0, a=0, b=0, c=0),
         "ptx.mma.sync: `dtype_d` and `dtype_c` are missing", "it takes (*, shape, dtype_d, dtype_a, dtype_b, dtype_c, d"),
    ],
)  # fmt: skip
def test_what_is_said(call, message, hint):
    e = raised(call)
    assert e.code == "T241" and message in e.message and e.hint.startswith(hint or "it takes ")


def test_the_other_face():
    e = raised(lambda: avelang.ptx.reg.scalar())
    assert (e.code, e.message) == ("T232", "reg.scalar: `dtype` is missing")
    e = raised(lambda: avelang.ptx.ptx.cp_async(1))
    assert e.message == "ptx.cp_async: `src` is missing"


def test_in_a_kernel_and_caught_there():
    def body():
        with pytest.raises(TypeError, match="T241.*ptx.mov"):
            ptx.mov(u32)
        ptx.inst.ret()

    assert "ret;" in kernel(body).ptx()


def test_a_helper_of_the_users_stays_pythons():
    """The user's own function is none of ours, whatever its name and whoever calls it."""

    def add(a, b):
        return a

    def body():
        add(1)

    with pytest.raises(TypeError) as caught:
        kernel(body).ptx()
    assert not isinstance(caught.value, AveError) and "missing 1 required positional argument: 'b'" in str(caught.value)

    def other():
        ptx.kloop(2, unroll=1, body=lambda: add(1))

    with pytest.raises(TypeError) as caught:
        kernel(other).ptx()
    assert not isinstance(caught.value, AveError)


def test_arguments_of_a_wrong_kind():
    def body():
        ptx.mma.sync(shape=3, dtype_d=f32, dtype_a=bf16, dtype_b=bf16, dtype_c=f32, d=1, a=1, b=1, c=1)

    e = raised(lambda: kernel(body).ptx())
    assert e.code == "T241" and e.message.startswith("ptx.mma.sync: an argument is none that it takes (TypeError")


# -- hints -------------------------------------------------------------------------------------------------------------

_NAMED = re.compile(r"\b((?:ptx|reg|smem)(?:\.[a-z_]\w*)+)")


def resolves(text: str, face) -> list[str]:
    """The names of a text that a face does not have."""
    out = []
    for path in _NAMED.findall(text):
        value, parts = face, path.split(".")
        try:
            for part in parts:
                value = getattr(value, part)
        except (AttributeError, AveError):
            if not path.startswith("ptx.inst."):
                out.append(path)
    return out


def test_hints_name_what_the_face_has():
    assert resolves("ptx.when(p) and reg.pred()", pyptx) == ["ptx.when", "reg.pred"]  # they would be found
    for words, face in ((PYPTX_WORDS, pyptx), ({**WORDS, **TOPICS}, avelang.ptx)):
        found = {key: resolves(text, face) for key, text in words.items() if key != "ended"}
        assert {k: v for k, v in found.items() if v} == {}


def test_texts_of_the_package_name_what_it_has():
    folder = pathlib.Path(pyptx.__file__).parent
    missing = {}
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "avelang" not in node.value:
                lacking = [x for x in resolves(node.value, pyptx) if not x.endswith("__")]
                if lacking:
                    missing[f"{file.name}:{node.lineno}"] = lacking
    assert missing == {}


def said(body) -> AveError:
    with pytest.raises(AveError) as caught:
        kernel(body, arch="sm_90a").ptx()
    return caught.value


def test_predicates():
    def guard():
        a = reg.scalar(u32)
        ptx.add(u32, a, a, 1, pred=a)

    def condition():
        with ptx.if_(reg.scalar(u32)):
            ptx.ret()

    def number():
        with ptx.if_(1):
            ptx.ret()

    for body in (guard, condition, number):
        e = said(body)
        assert e.code == "T225" and "NegPred" not in e.message and resolves(e.hint, pyptx) == []
        assert "ptx.setp" in e.hint

    def truth():
        if reg.scalar(u32) == 0:
            ptx.ret()

    e = said(truth)
    assert e.code == "T227" and resolves(e.hint, pyptx) == [] and "ptx.loop(label" in e.hint


@pytest.mark.parametrize("question", [len, int, float, list, lambda r: r[0], lambda r: 1 in r, round, lambda r: range(r)])
def test_questions_to_registers(question):
    e = said(lambda_body := lambda_of(question))
    assert e.code == "T110" and resolves(e.hint, pyptx) == [] and lambda_body is not None
    assert "x.to(" not in e.hint  # registers of this face have no such method


def lambda_of(question):
    def body():
        question(reg.scalar(u32))

    return body


# -- loops that Python leaves, products of two types -------------------------------------------------------------------


def test_a_loop_that_python_leaves():
    def by_break():
        for _ in ptx.range_(0, 10):
            break
        ptx.ret()

    def by_return():
        for _ in ptx.range_(0, 10):
            return

    def by_next():
        next(ptx.range_(0, 10))

    for body in (by_break, by_return, by_next):
        e = said(body)
        assert e.code == "T224" and "Python has left `for ... in ptx.range_(...)`" in e.message

    def whole():
        for _ in ptx.range_(0, 10):
            ptx.inst.nanosleep.u32(1)

    assert "$_endloop_1" in kernel(whole).ptx()


@pytest.mark.parametrize(
    ("types_", "shape", "words"),
    [
        ((f32, bf16, f16), (64, 64, 16), "A is of bf16 and B of f16"),
        ((f16, bf16, bf16), (64, 64, 16), "D is of f16; with A of bf16 and B of bf16 it can be of f32"),
        ((f32, bf16, bf16), (64, 64, 8), "k16 for A of bf16"),
        ((f32, f32, f32), (64, 64, 8), "there is no product of f32 and f32"),
    ],
)
def test_products_that_there_are_not(types_, shape, words):
    def body():
        a = reg.scalar(u64, init=0)
        d, x, y = types_
        ptx.wgmma.mma_async(shape=shape, dtype_d=d, dtype_a=x, dtype_b=y, d=reg.array(f32, 32), a=a, b=a)

    e = said(body)
    assert e.code == "T241" and words in e.message


# -- definitions and calls ---------------------------------------------------------------------------------------------


def plain():
    ptx.ret()


@pytest.mark.parametrize("version", [(8,), "8.5", 8.5, (8, "5"), (8, 5, 0)])
def test_versions_that_are_none(version):
    e = raised(lambda: kernel(plain, version=version))
    assert e.code == "T241" and "(major, minor)" in e.message


def test_versions_and_targets():
    for version, words in (((6, 0), "PTX 6.0 does not have sm_90a, which 8.0 does"), ((99, 0), "no PTX 99.0"),
                           ((8, 9), "no PTX 8.9")):  # fmt: skip
        with pytest.raises(ValueError, match=f"T241.*{re.escape(words)}"):
            kernel(plain, version=version)
    for arch in ("sm90", "foo", "sm_99", ""):
        with pytest.raises(AveError, match="U101"):
            kernel(plain, arch=arch)
    assert ".version 8.0\n.target sm_90a" in kernel(plain, version=(8, 0)).ptx()
    assert ".target sm_75" in kernel(plain, arch="sm_75").ptx()


def test_names_of_kernels():
    def körper():
        ptx.ret()

    def _():
        ptx.ret()

    def named(ärger):
        ptx.ret()

    for fn in (körper, _, lambda: ptx.ret(), named):
        with pytest.raises(ValueError, match="T241.*PTX takes no"):
            kernel(fn)
    for fn in (körper, _):
        with pytest.raises(AveError, match="T221"):
            ave_kernel(fn)


def test_raw_parameters():
    def k(x, o):
        ptx.ret()

    def called(kind, value):
        made = kernel(k, in_specs=(Tile("N", f32),), out_specs=(Tile("N", f32),), raw_params=[(kind, "h")])
        return made(np.ones(3, np.float32), h=value)

    for kind, value, words in (("f16", 1e9, "too large"), ("f32", 1e300, "too large"), ("f32", "x", "is no f32"),
                               ("f32", None, "is no f32"), ("u32", "x", "is no u32")):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=f"T241.*{words}"):
            called(kind, value)
    called("f16", 1.5)
    called("f32", float("inf"))


def test_boxes_and_grids():
    for box in ((4,), 4, (4, 4, 4), (4, "x"), (0, 4)):
        with pytest.raises(ValueError, match="T241.*tma_box"):
            Tile(64, 64, f32, tma_box=box)
    assert Tile(64, 64, f32, tma_box=[4, 32]).tma_box == (4, 32)

    def k(x, o):
        ptx.ret()

    made = kernel(k, in_specs=(Tile("N", f32),), out_specs=(Tile("N", f32),), grid=lambda N, Z: (1,))
    e = raised(lambda: made(np.ones(3, np.float32)))
    assert e.code == "T241" and "N=3" in e.message and "'Z'" in e.message


def test_variables():
    def var(*args, **kw):
        def body():
            ptx.var(*args, **kw)

        return body

    for args, code in ((("shared", b32, "a-b"), "T241"), (("moon", b32, "a"), "T241"), (("shared", pred, "a"), "S212")):
        assert said(var(*args)).code == code
    assert ".shared .align 16 .b32 a[4];" in kernel(var("shared", b32, "a", size=4, align=16)).ptx()
