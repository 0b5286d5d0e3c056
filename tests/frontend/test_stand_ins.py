"""Loops whose bodies are built once: what stands in for what trips may change, and what is left of it."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.frontend import loop_ops
from avelang.frontend.build import build
from avelang.ir.core import walk
from frontend.building import refused


@avelang.struct
class Pair:
    x: ...
    y: ...
    name: al.constexpr = "pair"

    def step(self, by):
        self.x = self.x + by

    def turned(self):
        return Pair(self.y, self.x)


@avelang.struct
class Hold:
    pair: ...
    at: ...

    def move(self):
        self.at = (self.at[0], self.at[1] + 2)

    def next(self, by):
        self.pair = Pair(self.pair.x + by, self.pair.y)


@avelang.struct
class Tile:
    values: ...


def fields_by_ways_that_the_text_hides(y: al.Pointer(al.i32), n: al.i32):
    holds = (Hold(Pair(n, 2), (n, n)), Hold(Pair(n, 3), (n, n + 1)))
    for i in al.range(n):
        for h in holds:
            h.move()
            if i > 1:
                h.pair.step(h.at[1])
    y[0], y[1], y[2] = holds[0].pair.x, holds[1].pair.x, holds[1].at[1]


def objects_of_names(y: al.Pointer(al.i32), n: al.i32):
    acc, held = Tile(al.full((4,), 0, al.i32)), Tile(al.full((4,), 1, al.i32))
    registers = al.make_local((4,), al.i32)
    for k in range(4):
        registers[k] = k
    own = Tile(registers)
    for i in al.range(n):
        acc = Tile(acc.values + held.values * i)
        own = Tile(own.values + acc.values)
    y[0], y[1], y[2] = acc.values[0], own.values[3], registers[3]


def objects_of_fields(y: al.Pointer(al.i32), n: al.i32):
    h = Hold(Pair(al.full((2,), 1, al.i32), al.full((2,), 3, al.i32)), (n, n))
    for _ in al.range(n):
        h.next(2)
    y[0], y[1], y[2] = h.pair.x[0], h.pair.y[1], n


def loops_in_loops(y: al.Pointer(al.i32), n: al.i32):
    p = Pair(n, n + 1)
    for _ in al.range(n):
        for _ in al.range(2):
            p.step(p.y)
    y[0], y[1], y[2] = p.x, p.y, n


def heads(y: al.Pointer(al.i32), n: al.i32):
    p = Pair(n, n + 7)
    while p.x < p.y:
        p.step(2)
    y[0], y[1], y[2] = p.x, p.y, n


def turns(y: al.Pointer(al.i32), n: al.i32):
    p, q = Pair(n, n + 1), Pair(n + 2, n + 3)
    for _ in al.range(n):
        p, q = q, p.turned()
    y[0], y[1], y[2] = p.x, q.x, q.y


def types_that_change(y: al.Pointer(al.i32), n: al.i32):
    p = Pair(0, 0)
    for i in al.range(n):
        p.x = p.x + al.convert(i, al.u32)
    y[0], y[1], y[2] = al.convert(p.x, al.i32), p.y, n


def slices(y: al.Pointer(al.i32), n: al.i32):
    t = al.make_tensor(y, al.Tensor((8,), al.i32))
    p = Pair(n, n + 2)
    for _ in al.range(n):
        t[p.x : p.y] = al.full((2,), p.y, al.i32)  # two elements, which only what is behind the fields says
    y[0], y[1], y[2] = p.x, p.y, t[4]


@pytest.mark.parametrize(
    ("kernel", "trips", "want"),
    [(fields_by_ways_that_the_text_hides, 1, [12, 13, 10]), (objects_of_names, 1, [3, 7, 3]),
     (objects_of_fields, 1, [7, 3, 3]), (loops_in_loops, 2, [27, 4, 3]), (heads, 1, [11, 10, 3]), (turns, None, [6, 3, 4]),
     (types_that_change, 2, [3, 0, 3]), (slices, None, [3, 5, 5])],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_body_is_built_once(kernel, trips, want, backend, monkeypatch):
    built, trip = [], loop_ops._trip
    monkeypatch.setattr(loop_ops, "_trip", lambda *args: built.append(args[-1]) or trip(*args))
    y = np.zeros(8, np.int32)
    avelang.jit(kernel)[1, 1](y, 3, backend=backend)
    assert y[:3].tolist() == want
    assert trips is None or len(built) == trips


def carried(fn) -> list[int]:
    """How many values the loops of a kernel carry."""
    kernel = build(avelang.jit(fn).source, {})
    return [len(op.results) for op in walk(kernel.body) if op.name in ("for", "while")]


def test_what_does_not_change_is_not_carried():
    assert carried(fields_by_ways_that_the_text_hides) == [4]
    assert carried(objects_of_names) == [1]  # and registers in memory of the loop's own
    assert carried(heads) == [1]
    assert carried(loops_in_loops) == [1, 1]


def test_scratch_memory_of_a_loop_is_allocated_once():
    def scratch(y: al.Pointer(al.i32), n: al.i32):
        p = Pair(n, n)
        for _ in al.range(n):
            t = al.make_scratch((64,), al.i32, 0)
            t[0] = p.x
            for q in (p,):
                q.step(t[0])
        y[0] = p.x

    kernel = build(avelang.jit(scratch).source, {})
    assert len([op for op in walk(kernel.body) if op.name == "alloc"]) == 1


def test_errors_in_a_body_are_those_of_the_text():
    def wrong(y: al.Pointer(al.i32), n: al.i32):
        p = Pair(n, n)
        for _ in al.range(n):
            p.step(1)
            y[p.z] = 0  # <-

    refused(wrong, "T009", "z", marked="p.z")

    def constants(y: al.Pointer(al.i32), n: al.i32):
        p = Pair(n, n)
        for _ in al.range(n):
            y[0] = len(p.name)  # <-
            p = Pair(p.x, p.y, "other")

    refused(constants, "T014", "'Pair.name'", marked="p.name")
