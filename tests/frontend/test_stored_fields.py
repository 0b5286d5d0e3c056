"""Loops whose bodies store to fields of objects: how often a body is built, and what comes out."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.frontend import loop_ops


@avelang.struct
class Counter:
    at: al.i32
    turns: al.i32
    step: al.i32

    def advance(self):
        self.at, self.turns = self.at + self.step, self.turns + 1


@avelang.jit
def twice(counter):
    counter.advance()
    counter.advance()


@avelang.jit
def sure(y: al.Pointer(al.i32), n: al.i32):
    counter = Counter(0, 0, 2)
    for _ in al.range(n):
        for _ in al.range(2):
            twice(counter)
        counter.at += 1
    y[0], y[1], y[2] = counter.at, counter.turns, counter.step


@avelang.jit
def maybe(y: al.Pointer(al.i32), n: al.i32):
    counter = Counter(0, 0, 2)
    for i in al.range(n):
        if i % 2 == 1:
            counter.advance()
    y[0], y[1], y[2] = counter.at, counter.turns, counter.step


@avelang.jit
def never(y: al.Pointer(al.i32), n: al.i32, DO: al.constexpr = False):
    counter = Counter(5, 6, 7)
    for _ in al.range(n):
        counter = counter if not DO else Counter(0, 0, 0)
        counter.step = counter.step
    y[0], y[1], y[2] = counter.at, counter.turns, counter.step


@pytest.mark.parametrize(
    ("kernel", "trips", "want"),
    [(sure, 2, [27, 12, 2]), (maybe, 1, [2, 1, 2]), (never, None, [5, 6, 7])],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_bodies_are_built_once_where_the_text_says_what_changes(kernel, trips, want, monkeypatch):
    built, trip = [], loop_ops._trip
    monkeypatch.setattr(loop_ops, "_trip", lambda *args: built.append(args[-1]) or trip(*args))
    y = np.zeros(3, np.int32)
    avelang.jit(kernel.source.fn)[1, 1](y, 3, backend="reference")
    assert y.tolist() == want
    assert trips is None or len(built) == trips
