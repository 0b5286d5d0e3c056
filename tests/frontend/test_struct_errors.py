"""What is refused of structs: at the decorator, where one is made, where a field is read or stored into, and where
control flow meets."""

from __future__ import annotations

import dataclasses

import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from frontend.building import refused

I = al.Tensor((8,), al.i32)


@avelang.struct
class Window:
    view: al.Tensor((8,), al.i32)
    row: al.u32 = 0
    EXTENTS: al.constexpr = (2, 2)

    def load(self, by: al.i32):
        return self.view[by + self.missing]

    def endless(self):
        return self.endless()

    def outward(self):
        return Pair(self, 0).a.outward()


@avelang.struct
class Pair:
    a: ...
    b: ... = 0
    TABLE = [1]

    def bump(self):
        self.b += 1
        return self.b


def _line(text):
    with open(__file__) as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


def test_classes_that_are_no_structs():
    def make(bases=(), **members):
        cls = type("Odd", bases, {"__annotations__": {"x": object}, **members})
        with pytest.raises(AveError) as caught:
            avelang.struct(cls)
        assert caught.value.code == "S004" and "`Odd`" in caught.value.message and caught.value.span.file == __file__
        return str(caught.value)

    assert "inherits from dict" in make((dict,))
    assert "no fields" in make(__annotations__={})
    assert "dataclasses.field" in make(x=dataclasses.field(default=1))

    def method(self):
        return self

    assert "setter" in make(y=property(method, method))
    assert "no plain Python function" in make(f=staticmethod(len))
    assert "cannot be called __x" in make(__annotations__={"__x": object})
    assert "sets __slots__" in make(__slots__=())
    assert "'x' has the annotation <class 'int'>" in make(__annotations__={"x": int})
    assert "'x' has the annotation" in make(__annotations__={"x": (al.i32, al.void)})
    method.__name__ = "__iter__"
    assert "defines __iter__" in make(__iter__=method)
    with pytest.raises(AveError, match=r"S004.*no class"):
        avelang.struct(lambda: 0)


def test_the_constructor_of_a_struct_is_its_own():
    with pytest.raises(AveError, match=r"defines __init__(.|\n)*__post_init__"):

        @avelang.struct
        class Odd:
            x: ...

            def __init__(self):
                pass


def test_annotations_are_evaluated_at_the_class():
    with pytest.raises(AveError) as caught:
        avelang.struct(type("Odd", (), {"__annotations__": {"x": "al.Tensor((4,), nothing)"}}))  # <- here
    assert caught.value.code == "T005" and caught.value.span.line == _line("nothing)\"}}))  # <- " + "here")
    with pytest.raises(AveError, match="T006"):
        avelang.struct(type("Odd", (), {"__annotations__": {"x": "1 / 0"}}))
    with pytest.raises(AveError, match="T032"):
        avelang.struct(type("Odd", (), {"__annotations__": {"x": "al.Pointer(3)"}}))


def test_constants_are_frozen_dataclasses_or_functions():
    @dataclasses.dataclass
    class Soft:
        n: int

    @avelang.constant
    @dataclasses.dataclass(frozen=True)
    class Hard:
        n: int

    for target, why in ((Soft, "not frozen"), (3, "neither"), (int, "neither"), (type("Sub", (Hard,), {}), "neither")):
        with pytest.raises(AveError, match="S005") as caught:
            avelang.constant(target)
        assert why in caught.value.message


def test_outside_of_kernels():
    with pytest.raises(AveError, match="T004.*Window"):
        Window(None)


def test_making():
    def short(x: I):
        Window()  # <-

    def long(x: I):
        Window(x, 0, 1, 2)  # <-

    def unknown(x: I):
        Window(x, column=1)  # <-

    def twice(x: I):
        Window(x, view=x)  # <-

    def run_time(x: I, n: al.i32):
        Window(x, EXTENTS=(n, 2))  # <-

    def tensor(x: I):
        Window(3)  # <-

    def floats(x: I, f: al.f32):
        Window(x, f)  # <-

    def other(x: I):
        def take(w: Window):
            return w

        take(Pair(1))  # <-

    refused(short, "T003", "Window takes 3 fields (view, row, EXTENTS)", marked="Window()")
    refused(long, "T003", "Window")
    refused(unknown, "T060", "'column'", "Window(view, row, EXTENTS)")
    refused(twice, "T061", "Window")
    refused(run_time, "T017", "`EXTENTS` of Window", "a tuple (a value of type i32, ")
    refused(tensor, "T022", "`view` of Window", "the constant 3")
    refused(floats, "T020", "`row` of Window", "f32")
    refused(other, "T022", "argument `w` of take", "a struct Window", "a struct Pair")


def test_reading_and_storing():
    def attribute(x: I):
        Window(x).rows  # <-

    def store(x: I):
        w = Window(x)
        w.rows = 1  # <-

    def method(x: I):
        w = Window(x)
        w.load += 1  # <-

    def number(x: I):
        x.row = 1  # <-

    def itself(x: I):
        p = Pair(1)
        p.b = (1, Pair(p))  # <-

    def mutable(x: I):
        Pair(1).TABLE  # <-

    def run_time(x: I, n: al.i32):
        w = Window(x)
        w.EXTENTS = (n, n)  # <-

    def vector(x: I, v: al.f32):
        w = Window(x)
        w.row = v  # <-

    refused(attribute, "T009", "the struct Window has no attribute 'rows'", "did you mean row", marked="Window(x).rows")
    refused(store, "T090", "Window", "'rows'", "view, row, EXTENTS", marked="w.rows")
    refused(method, "T090", "'load'")
    refused(number, "S001", "an assignment to an attribute", marked="x.row")
    refused(itself, "T092", "Pair", "'b'", marked="p.b")
    refused(mutable, "T008", "'Pair.TABLE'", "list")
    refused(run_time, "T017", "`EXTENTS` of Window", marked="w.EXTENTS")
    refused(vector, "T020", "`row` of Window", "f32")


def test_errors_in_methods_show_the_call():
    def k(x: I, n: al.i32):
        w = Window(x)
        x[0] = w.load(n)

    e = refused(k, "T009", "'missing'", line=_line("return self.view[by + self." + "missing]"))
    assert "in Window.load" in str(e) and "called from" in str(e) and "x[0] = w.load(n)" in str(e)

    def many(x: I):
        Window(x).load(1, 2)  # <-

    def kind(x: I, v: al.f32):
        Window(x).load(v)  # <-

    def what(x: I):
        Window(x).load(by=x)  # <-

    refused(many, "T003", "Window.load takes 1 argument (by), 2 given")
    refused(kind, "T020", "argument `by` of Window.load")
    refused(what, "T022", "argument `by` of Window.load")


def test_recursion():
    def direct(x: I):
        Window(x).endless()

    def anew(x: I):
        Window(x).outward()

    refused(direct, "T072", "Window.endless", line=_line("return self.endless" + "()"))
    refused(anew, "T072", "Window.outward", line=_line("return Pair(self, 0).a." + "outward()"))


def test_fields_that_do_not_meet():
    def constants(x: I, n: al.i32):
        if n > 1:
            w = Window(x, EXTENTS=(1, 1))
        else:
            w = Window(x)
        x[0] = w.row
        x[1] = w.EXTENTS[0]  # <-

    def classes(x: I, n: al.i32):
        w = Window(x) if n > 1 else Pair(1)  # <-  # noqa: F841

    def names(x: I, n: al.i32):
        if n > 1:
            w = Window(x)
        else:
            w = Pair(1)
        x[0] = w.row  # <-

    def types(x: I, n: al.i32):
        p = Pair(1)
        if n > 1:
            p.b = (1, 2)
        x[0] = p.a
        x[1] = p.b  # <-

    def returned(x: I, n: al.i32):
        def make():
            if n > 1:  # <-
                return Window(x)
            return Pair(1)

        make()

    refused(constants, "T012", "'Window.EXTENTS'", "compile-time field", marked="w.EXTENTS")
    refused(classes, "T013", "a struct Window on one path and a struct Pair on the other")
    refused(names, "T012", "'w'", "a struct Window", "a struct Pair")
    refused(types, "T012", "'Pair.b'", marked="p.b")
    refused(returned, "T075", "`make`", "a struct Pair")


def test_fields_that_change_in_loops():
    def kinds(x: I, n: al.i32, v: al.f32):
        p = Pair(n)
        for _ in al.range(n):
            p.a = p.a + v  # <-

    def constants(x: I, n: al.i32):
        w = Window(x)
        for i in al.range(n):
            w = Window(x, 1, w.EXTENTS + (1,))  # <-

    def tensors(x: I, y: I, n: al.i32):
        p = Pair(x)
        for i in al.range(n):
            p.a[i] = 1  # <-
            p.a = y

    def heads(x: I, n: al.i32):
        p = Pair(0)
        while p.bump() < n:  # <-
            x[p.b] = 1

    refused(kinds, "T014", "'Pair.a'", "i32 before the loop", "f32", marked="p.a")
    refused(constants, "T014", "'Window.EXTENTS'", "compile-time field", marked="w.EXTENTS")
    refused(tensors, "T014", "'Pair.a'", "another one", marked="p.a")
    refused(heads, "T093", "'Pair.b'", marked="p.bump() < n")


def test_objects_that_may_be_one():
    def branch(x: I, n: al.i32):
        a, b = Pair(1), Pair(2)
        c = a if n > 1 else b
        c.b = 5
        x[0] = a.a + c.b
        x[1] = b.b  # <-

    def loop(x: I, n: al.i32):
        a = Pair(1)
        first = a
        for i in al.range(n):
            a.b += 1
            a = Pair(i)
        x[0] = first.b  # <-

    def fresh(x: I, n: al.i32):
        a, b = Pair(1), Pair(2)
        c = a if n > 1 else b
        c.b = 5
        a.b = b.b = 3
        x[0] = a.b + b.b
        x[1] = c.b  # <-

    refused(branch, "T091", "'Pair.b' is not known here: line ", "a Pair that may be this one", marked="b.b")
    refused(loop, "T091", "'Pair.b'", marked="first.b")
    refused(fresh, "T091", "'Pair.b'", marked="c.b")


def test_operators_that_a_struct_does_not_define():
    def add(x: I):
        Pair(1) + 2  # <-

    def less(x: I):
        1 < Pair(1)  # <-  # noqa: SIM300

    def identity(x: I):
        Pair(1) is Pair(1)  # <-

    def call(x: I):
        Pair(1)(2)  # <-

    def index(x: I):
        Pair(1)[0] = 2  # <-

    def negated(x: I):
        -Pair(1)  # <-

    def condition(x: I):
        if not Pair(1):  # <-
            pass

    def kinds(x: I):
        isinstance(x, 3)  # <-

    refused(add, "T023", "`+` does not work on a struct Pair and the constant 2", "define Pair.__add__")
    refused(less, "T023", "define Pair.__lt__")
    refused(identity, "T023", "`is`")
    refused(call, "T095", "Pair has no method __call__")
    refused(index, "T095", "__setitem__")
    refused(negated, "T095", "__neg__")
    refused(condition, "T028", "a struct Pair")
    refused(kinds, "T022", "isinstance")
