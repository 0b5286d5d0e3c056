"""Random programs over mutable objects: a kernel gives what plain Python gives, or says which field it cannot know
(T091), and that not too often.

Each program runs as it is on a class that is a struct in one module and a plain class in the other; `al.range` is
`range` there."""

from __future__ import annotations

import collections
import pathlib
import random
import types

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.frontend.build import build
from avelang.frontend.source import FunctionSource
from avelang.sim import reference

HOLD ="""
class Hold:
    p: ...
    k: ... = 0

    def through(self, e):
        self.p.x += e
        return self.p
"""
CLASS ="""
class Pair:
    x: al.i32
    y: ...

    def moved(self, by):
        return Pair(self.x + by, self.y)

    def move(self, by):
        self.x = self.x + by

    def bump(self, n):
        if n > 2:
            return
        self.y += n

    def swap(self):
        self.x, self.y = self.y, self.x

    def pick(self, other, n):
        if n > 1:
            return other
        return self

    def find(self, n):
        for i in al.range(n):
            self.x += 1
            if self.x > 5:
                return Pair(self.y, i)
        return self
"""
PLAIN_HOLD ="""
    def __init__(self, p, k):
        self.p, self.k = p, k
"""
PLAIN_INIT ="""
    def __init__(self, x, y):
        self.x, self.y = x, y
"""
NAMES = "abc"
CALM = ("{a} = Pair({e}, {e2})", "{a}.x += {e}", "{a}.y = {e}", "{a} = {a}.moved({e})", "{a}.move({e})",
        "{a}.bump({e})", "{a}.swap()", "t = t + {e}",
        "{a}, {b} = {b}, {a}", "t = t if {c} else {a}.x")  # fmt: skip
WILD = ("{a} = {b}", "{a} = {b}.moved({e})", "{a} = {a} if {c} else {b}", "{a} = {a}.pick({b}, {e})",
        "{a} = {a}.find(n)")
HELD = ("h.p = {a}", "{a} = h.p", "h.p.x += {e}", "h = Hold({a}, {e})", "h.k += h.p.x", "{a} = h.through({e})",
        "{a}, h = h.p, Hold({a}, h.k)",
        "q = (q[1], q[0])", "q = ({a}, q[0])", "q[1].y += {e}", "{a}.x += q[0].y")  # fmt: skip


class Program:
    """The text of one function `k(out, n)`, drawn from a seed."""

    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.kinds = [*CALM, *self.r.sample(WILD, self.r.randint(0, 2)),
                      *self.r.sample(HELD, self.r.choice([0, 0, 3, 5]))]
        body = [line for depth in (3, 2, 1) for line in self.block(depth, 1, False)]
        start = ["t = n % 4", "a = Pair(1, n)", "b = Pair(n, 2)",
                 self.r.choice(["c = a", "c = Pair(3, 0)", "c = Pair(t, t)"]),
                 "h = Hold(Pair(4, t), 0)", "q = (Pair(n, 4), Pair(5, t))"]  # fmt: skip
        ends = [f"out[{i}] = {v}" for i,
                v in enumerate(("a.x", "a.y", "b.x", "b.y", "c.x", "c.y", "t", "h.p.x", "h.p.y", "h.k", "q[0].y",
                                "q[1].x"))]
        self.text = "\n".join(["def k(out: al.Tensor((12,), al.i32), n: al.i32):", *("    " + s for s in start), *body,
                               *("    " + s for s in ends), ""])

    def value(self) -> str:
        n = self.r.choice(NAMES)
        return self.r.choice([f"{n}.x", f"{n}.y", "n", str(self.r.randint(0, 5)), "t"])

    def condition(self) -> str:
        return f"({self.value()} + t) % 3 {self.r.choice(['==', '>', '<'])} {self.r.randint(0, 2)}"

    def block(self, depth: int, level: int, loop: bool) -> list[str]:
        return [line for _ in range(self.r.randint(1, 3)) for line in self.statement(depth, level, loop)]

    def statement(self, depth: int, level: int, loop: bool) -> list[str]:
        r, pad, kind = self.r, "    " * level, self.r.random()
        a, b = r.sample(NAMES, 2)
        if depth and kind < 0.18:
            other = [f"{pad}else:", *self.block(depth - 1, level + 1, loop)] if r.random() < 0.6 else []
            return [f"{pad}if {self.condition()}:", *self.block(depth - 1, level + 1, loop), *other]
        if depth and kind < 0.32:
            return [f"{pad}for i{level} in al.range({r.choice(['n', '3', 't % 4'])}):",
                    *self.block(depth - 1, level + 1, True)]
        if depth and kind < 0.38:
            w = f"w{level}"
            return [f"{pad}{w} = 0", f"{pad}while {w} < n and {a}.x < 9:", f"{pad}    {w} += 1",
                    *self.block(depth - 1, level + 1, True)]
        if loop and kind < 0.42:
            return [f"{pad}if {self.condition()}:", f"{pad}    {r.choice(['break', 'continue'])}"]
        return [pad + r.choice(self.kinds).format(a=a, b=b, c=self.condition(), e=self.value(), e2=self.value())]


def outcome(seed: int, folder: pathlib.Path) -> str:
    """ "same", or the code of the error."""
    program, file = Program(seed), folder / f"p{seed}.py"
    head = f"import avelang\nimport avelang.language as al\n\n\n@avelang.struct{CLASS}\n\n@avelang.struct{HOLD}\n\n"
    file.write_text(head + program.text)
    kernel = {}
    exec(compile(file.read_text(), str(file), "exec"), kernel)
    plain = {"al": types.SimpleNamespace(range=range, i32=None, Tensor=lambda *_: None)}
    exec(CLASS + PLAIN_INIT + HOLD + PLAIN_HOLD + program.text, plain)
    try:
        built = build(FunctionSource(kernel["k"]), {})
    except AveError as e:
        return e.code
    for n in (0, 1, 2, 5):
        got, want = np.zeros(12, np.int32), [0] * 12
        plain["k"](want, n)
        reference.run(built, [got, n], (1, 1, 1), (1, 1, 1))
        assert got.tolist() == [(w + 2**31) % 2**32 - 2**31 for w in want], f"seed {seed}, n = {n}:\n{program.text}"
    return "same"


@pytest.mark.parametrize("first", [0, 20, 40])
def test_as_in_python(first: int, tmp_path: pathlib.Path):
    found = collections.Counter(outcome(seed, tmp_path) for seed in range(first, first + 20))
    assert set(found) <= {"same", "T091"} and found["same"] >= 8, found


def test_the_names_used_here_exist():
    assert avelang.struct is al.struct
