"""Source, signature and closure: texts, annotations, snapshots of what is captured."""

import collections
import enum
import types

import pytest

import avelang.language as al
from avelang.base.errors import AveError
from avelang.frontend.closure import closure, exact
from avelang.frontend.names import constexpr
from avelang.frontend.signature import EMPTY, signature
from avelang.frontend.source import FunctionSource
from frontend.building import jit

N = 4
M = 5
UNUSED = 6
module = types.ModuleType("module")
module.DEEP = 1


@jit
def helper(x):
    return x * M


@jit
def kernel(out: al.Tensor((64,), al.i32), B: al.constexpr = 2):
    def nested(x):
        return helper(x) + N + module.DEEP

    out[0] = nested(B)


def other(x):
    return x + UNUSED


def test_texts_reach_device_functions():
    texts = closure(kernel.source).texts
    assert len(texts) == 2 and "def nested" in texts[0] and texts[1].startswith("@jit\ndef helper")


def test_the_text_is_the_definition():
    source = FunctionSource(other)
    assert source.text == "def other(x):\n    return x + UNUSED\n" and source.tree.name == "other"
    assert source.lookup("N") == N and source.lookup("len") is len
    with pytest.raises(KeyError):
        source.lookup("nowhere")


def test_a_snapshot_changes_with_what_is_captured(monkeypatch):
    c = closure(kernel.source)
    first = c.snapshot()
    hash(first)
    assert c.snapshot() is first
    seen = {first}
    here = globals()
    for name, value in (("N", 5), ("N", 5.0), ("N", True), ("M", 6)):
        monkeypatch.setitem(here, name, value)
        seen.add(c.snapshot())
        monkeypatch.undo()
    monkeypatch.setattr(module, "DEEP", 2)
    seen.add(c.snapshot())
    monkeypatch.undo()
    assert len(seen) == 6 and c.snapshot() == first
    monkeypatch.setitem(here, "UNUSED", 7)
    assert c.snapshot() == first


def test_another_function_under_the_name_is_another_text(monkeypatch):
    @jit
    def replacement(x):
        return x - UNUSED

    c = closure(kernel.source)
    first = c.snapshot()
    monkeypatch.setitem(globals(), "helper", replacement)
    second = c.snapshot()
    assert first != second and "def replacement" in c.texts[1]
    monkeypatch.setitem(globals(), "UNUSED", 8)
    assert c.snapshot() != second


def test_cells_are_captured():
    def make(step):
        @jit
        def k(out: al.Tensor((64,), al.i32)):
            out[0] = step

        def change(x):
            nonlocal step
            step = x

        return k, change

    k, change = make(1)
    c = closure(k.source)
    first = c.snapshot()
    change(2)
    assert c.snapshot() != first


def test_annotations_of_a_factory_tell_its_functions_apart():
    def make(dtype):
        @jit
        def k(out: al.Tensor((64,), dtype)):
            out[0] = 1

        return k

    a, b = make(al.i32), make(al.f32)
    assert closure(a.source).texts != closure(b.source).texts
    assert signature(b.source)[0].dtype == al.f32


def test_keys_are_exact():
    values = [1, 1.0, True, 0.0, -0.0, "1", (1,), (1.0,), al.f32, al.f16, None, float("nan"), helper, module]
    keys = list(map(exact, values))
    assert len(set(keys)) == len(values) and exact(float("nan")) == exact(float("nan"))


def test_signature():
    def f(a: al.Tensor((4, (2, 4)), al.f32), b: "al.Pointer(al.bf16)", c: al.u32, D: constexpr, *, e: al.f64 = 2.0):
        pass

    a, b, c, d, e = signature(FunctionSource(f))
    assert (a.kind, a.dtype, a.shape, a.strides, a.default) == ("tensor", al.f32, (4, (2, 4)), (8, (4, 1)), EMPTY)
    assert (b.kind, b.dtype) == ("pointer", al.bf16) and (c.kind, c.dtype) == ("scalar", al.u32)
    assert (d.kind, d.dtype) == ("constexpr", None) and (e.kind, e.default) == ("scalar", 2.0)


def test_annotations_that_fail():
    def unknown(x: "al.Tensor((ROWS,), al.f32)"):  # noqa: F821
        pass

    def fails(x: "al.Tensor((1 // 0,), al.f32)"):
        pass

    def wrong(x: "al.Tensor((4,), 5)"):
        pass

    for fn, code, part in ((unknown, "T005", "'ROWS'"), (fails, "T006", "ZeroDivisionError"), (wrong, "T032", "5")):
        with pytest.raises(AveError) as e:
            signature(FunctionSource(fn))
        assert e.value.code == code and part in e.value.message and e.value.span.line == fn.__code__.co_firstlineno


def test_functions_without_a_text():
    scope = {}
    exec("def f(x):\n    return x\n", scope)
    with pytest.raises(AveError) as e:
        _ = FunctionSource(scope["f"]).tree
    assert e.value.code == "S002" and "`f`" in e.value.message
    for thing in (lambda x: x, len, 5):
        with pytest.raises(AveError) as e:
            FunctionSource(thing)
        assert e.value.code == "S003"


def test_a_changed_file_is_read_anew(tmp_path):
    import importlib.util
    import os

    path = tmp_path / "changing.py"
    for i, text in enumerate(("def f(x):\n    return 1\n", "N = 2\n\ndef f(x):\n    return 222\n")):
        path.write_text(text)
        os.utime(path, (i + 1, i + 1))
        spec = importlib.util.spec_from_file_location("changing", path)
        loaded = importlib.util.module_from_spec(spec)
        exec(compile(text, str(path), "exec"), loaded.__dict__)
        assert FunctionSource(loaded.f).text in text and FunctionSource(loaded.f).text.startswith("def f")


def test_enums_and_named_tuples_are_told_apart_by_what_they_hold():
    def enum_of(value):
        return enum.Enum("Mode", {"FAST": value})

    assert exact(enum_of(1)) != exact(enum_of(2)) and exact(enum_of(1)) == exact(enum_of(1))
    assert exact(enum_of(1).FAST) != exact(enum_of(2).FAST)
    a, b = collections.namedtuple("C", "tile scale"), collections.namedtuple("C", "scale tile")
    assert exact(a(4, 2)) != exact(b(4, 2)) and exact(a(4, 2)) == exact(a(4, 2))
