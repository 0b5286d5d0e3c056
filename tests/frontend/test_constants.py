"""Compile-time objects: instances of frozen dataclasses, their methods, and functions that Python runs while a kernel
is built."""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
import math

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.frontend.closure import closure, exact
from frontend.building import both, jit, refused

I = al.Tensor((8,), al.i32)
o = np.zeros(8, np.int32)


class Kind(enum.Enum):
    ROW = 1
    COLUMN = 2


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Axis:
    extents: tuple[int, ...]
    kind: Kind = Kind.ROW

    @property
    def elements(self):
        return math.prod(self.extents)


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Distribution:
    axes: tuple[Axis, ...]
    dtype: object = al.f32

    def length(self, i):
        return self.axes[i].elements

    @property
    def first(self):
        return self.axes[0]

    @functools.cached_property
    def total(self):
        return math.prod(a.elements for a in self.axes)

    @classmethod
    def square(cls, n):
        return cls((Axis((n,)), Axis((n,), Kind.COLUMN)))

    @staticmethod
    def half(n):
        return n // 2

    def __getitem__(self, i):
        return self.axes[i]

    def __len__(self):
        return len(self.axes)

    def bad(self):
        return [1, 2]

    def fails(self, n):
        raise ValueError(f"no {n}")


DIST = Distribution((Axis((2, 3)), Axis((4,), Kind.COLUMN)))


@avelang.constant
def next_power(n):
    return 1 << (n - 1).bit_length()


def test_fields_properties_and_methods():
    def k(out: I, n: al.i32):
        assert DIST.length(0) == 6 and DIST.total == 24 and DIST.first.extents == (2, 3) and DIST.dtype == al.f32
        assert DIST.axes[1].kind is Kind.COLUMN and DIST[1].elements == 4 and len(DIST) == 2
        assert DIST == Distribution((Axis((2, 3)),
                                     Axis(kind=Kind.COLUMN, extents=(4,)))) and DIST != Distribution.square(2)
        assert isinstance(DIST, Distribution) and not isinstance(DIST, Axis)
        length = DIST.length
        for i, axis in enumerate(DIST.axes):
            for j in range(axis.elements):
                out[i] += n + j * length(i)
        square = Distribution.square(next_power(5))
        held = al.full((square.axes[0].elements,), 1, al.i32)
        out[2] = sum(held) + Distribution.half(7) + next_power(n=3)

    def want(n):
        return [sum(n + j * 6 for j in range(6)), sum(n + j * 4 for j in range(4)), 8 + 3 + 4, 0, 0, 0, 0, 0]

    assert both(k, o, 3)[0].tolist() == want(3)
    assert next_power(9) == 16 and DIST.length(1) == 4, "outside of kernels they are what they were"


def test_as_parameters_and_in_structs():
    @avelang.struct
    class Tile:
        dist: al.constexpr
        data: ...

        def sum(self):
            return sum(self.data[i] for i in range(self.dist.total))

    @jit
    def k(out: I, n: al.i32, D: al.constexpr = DIST):
        t = Tile(D, al.full((D.total,), n, al.i32))
        for i in al.range(n):
            t = Tile(D, t.data + i)
        out[0] = t.sum()

    for backend in ("reference", "cpu"):
        for dist, total in ((DIST, 24), (Distribution.square(2), 4), (Distribution((Axis((1,)),)), 1)):
            out = o.copy()
            k[1, 1](out, 3, dist, backend=backend)
            assert out[0] == total * 6


def test_a_kernel_is_made_for_each_value():
    """Values that Python finds equal, but which are not the same to a kernel, have keys of their own; so has what they
    reach."""
    kinds = [Axis(extents) for extents in ((1,), (True,), (1.0,), (2,), ((1,),), (0.0,), (-0.0,))]
    assert len({exact(a) for a in kinds}) == len(kinds) and exact(Axis((1,))) == exact(Axis((1,)))
    assert exact(Distribution((kinds[0],))) != exact(Distribution((kinds[1],)))

    @jit
    def k(out: al.Tensor((1,), al.f32), A: al.constexpr):
        out[0] = 1.0 if A.extents[0] is True else A.extents[0] / 2

    out = np.zeros(1, np.float32)
    got = []
    for axis in (Axis((1,)), Axis((True,)), Axis((1,))):
        k[1, 1](out, axis)
        got.append(float(out[0]))
    assert got == [0.5, 1.0, 0.5]


def test_a_rebound_constant_compiles_anew():
    global DIST
    kept = DIST

    @jit
    def k(out: I):
        out[0] = DIST.total

    out = o.copy()
    try:
        k[1, 1](out)
        DIST = Distribution.square(5)
        k[1, 1](out)
    finally:
        DIST = kept
    assert out[0] == 25


def test_the_key_covers_the_text_of_methods_and_helpers():
    def make(helper, by):
        def scaled(n):
            return helper(n) * by

        @avelang.constant
        @dataclasses.dataclass(frozen=True)
        class Own:
            n: int

            def get(self):
                return scaled(self.n)

        return Own

    double, triple = (lambda n: n * 2), (lambda n: n * 3)
    keys = {exact(make(h, by)(1)) for h, by in itertools.product((double, triple), (1, 2))}
    assert len(keys) == 4 and exact(make(double, 1)(1)) in keys
    functions = {exact(avelang.constant(f)) for f in (double, triple, next_power.fn)}
    assert len(functions) == 3


def test_the_key_of_a_kernel_covers_what_its_structs_reach():
    scale = 2

    def make(body, default):
        @avelang.struct
        class Box:
            v: ...
            k: ... = default

            def get(self):
                return body(self.v) * scale

        @jit
        def k(out: I):
            out[0] = Box(3).get()

        return k

    @jit
    def one(v):
        return v + 1

    @jit
    def two(v):
        return v + 2

    kernel = make(one, 0)
    found = closure(kernel.source)
    assert any("def get" in t for t in found.texts) and any("def one" in t for t in found.texts)
    before = found.snapshot()
    scale = 5
    assert found.snapshot() != before
    assert len({(closure(k.source).texts, closure(k.source).snapshot())
                for k in (make(one, 0), make(two, 0), make(one, 1))}) == 3
    out = o.copy()
    kernel[1, 1](out)
    assert out[0] == 20
    scale = 7
    kernel[1, 1](out)
    assert out[0] == 28


def test_a_struct_as_a_parameter():
    def make(by):
        @avelang.struct
        class Adder:
            v: ...

            def get(self):
                return self.v + by

        return Adder

    @jit
    def k(out: I, T: al.constexpr):
        out[0] = T(1).get()

    out, got = o.copy(), []
    for cls in (make(1), make(2)):
        k[1, 1](out, cls)
        got.append(int(out[0]))
    assert got == [2, 3]


def test_refused():
    @dataclasses.dataclass(frozen=True)
    class Plain:
        n: int

    plain, mutable = Plain(1), Axis([1])  # type: ignore[arg-type]

    def unmarked(out: I):
        out[0] = plain.n  # <-

    def lists(out: I):
        out[0] = mutable.extents  # <-

    def name(out: I):
        out[0] = DIST.totals  # <-

    def run_time(out: I, n: al.i32):
        out[0] = DIST.length(n)  # <-

    def raises(out: I):
        out[0] = DIST.fails(3)  # <-

    def gives(out: I):
        out[0] = DIST.bad()[0]  # <-

    def function(out: I, n: al.i32):
        out[0] = next_power(n)  # <-

    def index(out: I):
        out[0] = Axis((1,))[0]  # <-

    def field(out: I):
        out[0] = Axis.extents  # <-

    def fields(out: I, n: al.i32):
        Axis((n,))  # <-

    refused(unmarked, "T008", "'plain'", "Plain")
    refused(lists, "T008", "'mutable'")
    refused(name, "T009", "'totals'", "did you mean total")
    refused(run_time, "T064", "`Distribution.length`", marked="DIST.length(n)")
    refused(raises, "T016", "Distribution.fails", "ValueError: no 3")
    refused(gives, "T094", "`Distribution.bad` gives a list")
    assert "parameters that are al.constexpr" in refused(function, "T064", "`next_power`").hint
    refused(index, "T029")
    refused(field, "T009", "an instance of Axis has it")
    refused(fields, "T064", "`Axis`")


def test_pages_of_code_do_not_change_the_key_of_others():
    @avelang.constant
    def plain(n):
        return n

    assert exact(plain) == exact(plain) and "0x" not in repr(exact(plain)) and "0x" not in repr(exact(DIST))
    with pytest.raises(TypeError):
        plain()
