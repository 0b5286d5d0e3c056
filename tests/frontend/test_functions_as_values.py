"""Functions as values: lambdas, functions and methods handed on, functions that call what they are given;
comprehensions and tuples of run-time values."""

from __future__ import annotations

import itertools

import numpy as np

import avelang
import avelang.language as al
from frontend.building import both, jit, refused

I = al.Tensor((8,), al.i32)
o = np.zeros(8, np.int32)


@jit
def sweep(values, fn):
    return tuple(fn(v) for v in values)


@jit
def twice(fn, v):
    return fn(fn(v))


@jit
def plus_one(v):
    return v + 1


@jit
def of_a_list(v, items=[1, 2]):  # noqa: B006
    return v + items[0]


@avelang.struct
class Box:
    v: ...

    def map(self, fn):
        return Box(fn(self.v))

    def plus(self, by):
        return self.v + by


def test_lambdas():
    def k(out: I, n: al.i32):
        scale = 2
        double = lambda v: v * scale  # noqa: E731
        scale = 3  # seen when it is called, as in Python
        out[0] = double(n)
        out[1], out[2] = sweep((n, 5), lambda v, by=10: v + by)
        out[3] = twice(lambda v: v * v, n)
        out[4] = twice(plus_one, n) + twice(double, n)
        out[5] = (lambda a, *, b: a - b)(n, b=1)
        store = lambda i, v: bump(out, i, v)  # noqa: E731
        store(6, n)
        fns = (plus_one, lambda v: v * 2)
        for i in al.range(n):
            for fn in fns:
                out[7] = fn(out[7]) + i

    def want(n):
        last = 0
        for i in range(n):
            last = (last + 1 + i) * 2 + i
        return [3 * n, n + 10, 15, n**4, n + 2 + 9 * n, n - 1, n, last]

    @jit
    def bump(x, i, v):
        x[i] = v

    for n in (0, 2, 5):
        assert both(k, o, n)[0].tolist() == want(n)


def test_what_a_lambda_reads_stays_alive():
    def k(out: I, n: al.i32):
        held = n
        get = lambda: held  # noqa: E731
        if n > 1:
            held = n * 2
        for _ in al.range(n):
            held += 1
        out[0] = get()

    for n in (0, 1, 3):
        assert both(k, o, n)[0].tolist()[0] == (2 * n if n > 1 else n) + max(n, 0)


def test_a_function_handed_in_may_call_its_caller():
    def k(out: I, n: al.i32):
        table = ((n, 2), (3, 4))
        grid = sweep(table, lambda row: sweep(row, lambda v: v * 10))
        out[0], out[1], out[2], out[3] = grid[0][0], grid[0][1], grid[1][0], grid[1][1]
        out[4] = twice(lambda v: twice(lambda w: w + v, v), n)
        out[5] = Box(Box(n)).map(lambda b: b.map(lambda v: v + 7)).v.v
        plus = Box(n).plus
        out[6] = twice(plus, 1)

    for n in (1, 4):
        v = 3 * n
        assert both(k, o, n)[0].tolist() == [10 * n, 20, 30, 40, 3 * v, n + 7, 2 * n + 1, 0]


def test_defaults_are_what_they_are_at_the_definition():
    def k(out: I, n: al.i32):
        scale = 5

        def scaled(v, by=scale, *, more=n):
            return v * by + more

        scale, n = 7, n * 2
        out[0] = scaled(1) * 100 + scaled(1, more=0)
        steps = [lambda v, i=i: v + i for i in range(3)]
        out[1] = steps[0](10) + steps[2](100)
        chain = lambda v: v + 1  # noqa: E731
        for i in range(3):
            chain = lambda v, before=chain, i=i: before(v) * 2 + i
        out[2] = chain(n)
        total = 0
        for i in al.range(4):

            def later(v, k=i, held=total):
                return v + k * held

            total = later(n) + 1
        out[3] = total
        sums = al.full((2,), 0, al.i32)

        def note(v, into=sums):
            into[0] += v

        note(5)
        note(n)
        out[4] = sums[0]

    def want(n):
        first, n = (5 + n) * 100 + 5, 2 * n
        chain, total = n + 1, 0
        for i in range(3):
            chain = chain * 2 + i
        for i in range(4):
            total = n + i * total + 1
        return [first, 112, chain, total, 5 + n, 0, 0, 0]

    for n in (1, 4):
        assert both(k, o, n)[0].tolist() == want(n)


def test_defaults_that_cannot_be():
    def escapes(out: I, n: al.i32):
        for i in al.range(3):
            late = lambda v, k=i: v + k  # noqa: E731
        out[0] = late(1)  # <-

    refused(escapes, "T012", "'late'")

    def counted(out: I, n: al.i32):
        def f(a, b, c=n, *, d, e=3):
            return a

        out[0] = f(1, 2)  # <-

    refused(counted, "T003", "`d` is missing")

    def mutable(out: I, n: al.i32):
        out[0] = of_a_list(n)

    refused(mutable, "T008", "'items' is a list", line=_line("def of_a_list(v, items=" + "[1, 2]):"))


def test_functions_of_one_text_are_functions_of_their_own():
    def k(out: I, n: al.i32):
        def after(f, g):
            return lambda v: g(f(v))

        out[0] = after(plus_one, after(lambda v: v * n, after(plus_one, plus_one)))(3)

        def fixed(fn):
            return lambda p: lambda q: fn(p, q)

        out[1] = fixed(lambda p, q: fixed(lambda r, s: r * 10 + s)(q)(p))(n)(7)

    for n in (2, 5):
        assert both(k, o, n)[0].tolist()[:2] == [4 * n + 2, 70 + n]

    def endless(out: I, n: al.i32):
        def made(v):
            return lambda w: made(v + 1)(w)  # <-

        out[0] = made(n)(2)

    refused(endless, "T072", "<lambda>")


def test_a_function_that_hands_itself_in_is_refused():
    def k(out: I, n: al.i32):
        def again(v):
            return twice(again, v)

        out[0] = again(n)

    refused(k, "T072", "`again`", line=_line("return fn(fn(" + "v))"))

    def lambdas(out: I, n: al.i32):
        f = lambda g, v: g(g, v)  # <-  # noqa: E731
        out[0] = f(f, n)

    refused(lambdas, "T072", "<lambda>", marked="g(g, v)")


def test_errors_in_a_lambda_are_at_its_line():
    def k(out: I, n: al.i32):
        sweep((n,), lambda v: v + nothing)  # noqa: F821  # <-

    e = refused(k, "T001", "'nothing'", marked="nothing")
    assert "in <lambda>" in str(e) and "in sweep" in str(e)

    def arguments(out: I, n: al.i32):
        twice(lambda a, b: a, n)  # <-

    e = refused(arguments, "T003", "<lambda> takes 2 arguments (a, b)", line=_line("return fn(fn(" + "v))"))


def _line(text):
    with open(__file__) as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


def test_compile_time_iteration():
    def k(out: I, n: al.i32):
        total = 0
        for i, j in itertools.product(range(2), (n, 10)):
            total += i * j
        out[0] = total
        out[1] = sum(a * b for a, b in itertools.pairwise((n, 2, 3)))
        parts = [n + i for i in range(4) if i % 2]
        out[2], out[3] = parts
        out[4] = list(itertools.chain(parts, (n,)))[2] + len([1, n])
        v = al.full((3,), n, al.i32)
        out[5] = sum(tuple(e * e for e in v))
        rows = tuple(al.full((2,), i, al.i32) for i in range(3))
        for i in al.range(n):
            rows = tuple(r + (i + k) for k, r in enumerate(rows))
        for k, r in zip(range(3), rows, strict=True):
            out[6] += r[0] * (k + 1)

    def want(n):
        rows = [i + sum(j + i for j in range(n)) for i in range(3)]
        return [n + 10, 2 * n + 6, n + 1, n + 3, n + 2, 3 * n * n, sum(r * (i + 1) for i, r in enumerate(rows)), 0]

    for n in (1, 4):
        assert both(k, o, n)[0].tolist() == want(n)


def test_isinstance():
    def k(out: I, n: al.i32):
        b = Box(n)
        assert isinstance(b, Box) and not isinstance(n, Box) and not isinstance(b, (int, tuple))
        assert isinstance(3, int) and not isinstance(n, int)
        assert isinstance((n, 1), tuple) and isinstance("x", (int, str))
        assert isinstance(out, al.Tensor) and isinstance(al.full((2,), 0, al.i32),
                                                         al.Tensor) and not isinstance(n, al.Tensor)
        assert isinstance(al.make_layout((2, 2)), al.Layout)
        out[0] = b.v if isinstance(b, Box) else 0

    assert both(k, o, 4)[0].tolist()[0] == 4
