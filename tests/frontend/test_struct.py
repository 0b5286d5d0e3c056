"""Structs: fields, methods, what control flow does to them, operators. Held against plain Python on the same classes,
or against NumPy."""

from __future__ import annotations

import numpy as np

import avelang
import avelang.language as al
from frontend.building import both, built, lanes, ops_of, refused, text_of

I = al.Tensor((8,), al.i32)
F = al.Tensor((64,), al.f32)


@avelang.struct
class Window:
    """A row of a matrix that moves."""

    view: ...
    row: al.u32
    EXTENTS: al.constexpr = (2, 2)
    STEP = 4

    def load(self):
        return self.view[self.row]

    def moved(self, by):
        return Window(self.view, self.row + by, self.EXTENTS)

    def move(self, by):
        self.row = self.row + by

    def clamp(self, limit):
        if self.row < limit:
            return
        self.row = limit

    @property
    def area(self):
        return self.EXTENTS[0] * self.EXTENTS[1]

    @classmethod
    def first(cls, view):
        return cls(view, 0)

    @staticmethod
    def twice(v):
        return v + v


@avelang.struct
class Pair:
    a: object
    b: object = 0

    def swap(self):
        self.a, self.b = self.b, self.a

    def find(self, n, limit):
        for i in al.range(n):
            self.a += 1
            if self.a > limit:
                return Pair(self.b, i)
        return self


@al.struct
class Vector:
    v: ...

    def __add__(self, other):
        return Vector(self.v + (other.v if isinstance(other, Vector) else other))

    def __radd__(self, other):
        return self + other

    def __mul__(self, k):
        return Vector(self.v * k)

    def __neg__(self):
        return self * -1

    def __getitem__(self, i):
        return self.v[i]

    def __setitem__(self, i, value):
        self.v[i] = value

    def __len__(self):
        return len(self.v)

    def __call__(self, f):
        return Vector(f(self.v))

    def __eq__(self, other):
        return self.v[0] == other.v[0]

    def __lt__(self, other):
        return self.v[0] < other.v[0]


x = np.arange(64, dtype=np.float32)
o = np.zeros(8, np.int32)


def test_methods_fields_defaults_and_loops():
    def k(x: F, out: al.Tensor((6,), al.f32), n: al.i32):
        w = Window(x, 0)
        assert w.EXTENTS == (2, 2) and w.area == 4 and w.STEP == Window.STEP == 4
        acc = 0.0
        for _ in al.range(n):
            acc += w.load()
            w.move(2)
        out[0] = acc
        v = Window(x, row=1, EXTENTS=(4, 4))
        for _ in al.range(n):
            v = v.moved(3)
        out[1] = v.load()
        s = 0.0
        while w.row < 60:
            w.row += 5
            if w.row % 2 == 0:
                continue
            s += w.load()
        out[2] = s
        w.clamp(al.convert(n, al.u32))
        out[3] = w.load()
        out[4] = Window.first(x).load() + Window.twice(Window.load(v)) + w.twice(1.0)
        out[5] = al.convert(al.convert(w.row - 7, al.i64), al.f32)  # u32: it wraps

    def want(n):
        loads = sum(2.0 * i for i in range(n))
        rows = [r for r in range(2 * n + 5, 65, 5)]
        end = min(n, rows[-1])
        return [loads, 1 + 3 * n, sum(r for r in rows if r % 2), end, 2 * (1 + 3 * n) + 2,
                np.float32((end - 7) % 2**32)]

    for n in (3, 5, 11):
        assert both(k, x, np.zeros(6, np.float32), n)[1].tolist() == want(n)


def test_two_names_of_one_object_see_its_changes():
    def k(out: I, n: al.i32):
        a = Pair(1, n)
        b = a

        def change(p):
            p.a += 10
            if n > 3:
                b.b = 7

        change(a)
        out[0], out[1] = b.a, b.b
        kept = (a, Pair(a, 5))
        kept[1].a.b += 1
        out[2], out[3] = a.b, kept[0].b
        a = Pair(0, 0)
        out[4], out[5] = a.a + b.a, kept[1].b

    for n in (2, 5):
        b = 7 if n > 3 else n
        assert both(k, o, n)[0].tolist() == [11, b, b + 1, b + 1, 11, 5, 0, 0]


def test_early_return_and_swaps_under_control_flow():
    class Plain:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def find(self, n, limit):
            for i in range(n):
                self.a += 1
                if self.a > limit:
                    return Plain(self.b, i)
            return self

    def k(out: I, n: al.i32, limit: al.i32):
        p, q = Pair(1, 20), Pair(2, n)
        for i in al.range(n):
            if i % 2 == 1:
                p, q = q, p
            p.a += i
        out[0], out[1], out[2], out[3] = p.a, p.b, q.a, q.b
        r = Pair(n, 50).find(n, limit)
        out[4], out[5] = r.a, r.b
        if limit > 4:
            r.swap()
        elif limit > 2:
            r = Pair(-1, r.a)
        out[6], out[7] = r.a, r.b

    def want(n, limit):
        p, q = Plain(1, 20), Plain(2, n)
        for i in range(n):
            if i % 2 == 1:
                p, q = q, p
            p.a += i
        r = Plain(n, 50).find(n, limit)
        s = (r.b, r.a) if limit > 4 else (-1, r.a) if limit > 2 else (r.a, r.b)
        return [p.a, p.b, q.a, q.b, r.a, r.b, *s]

    for n, limit in ((0, 5), (2, 3), (4, 4), (5, 7), (3, 0)):
        assert both(k, o, n, limit)[0].tolist() == want(n, limit)


def test_nested_objects_in_tuples_and_expressions():
    def k(out: I, n: al.i32):
        buffers = (Pair(Pair(1, 2), 3), Pair(Pair(4, 5), 6))
        for i in al.range(n):
            for b in buffers:
                b.a.a += i
                b.b += 1 if i > 1 else 2
        out[0], out[1], out[2] = buffers[0].a.a, buffers[1].a.a, buffers[1].b
        chosen = buffers[0] if n > 2 else buffers[1]
        out[3] = chosen.a.b

        def up(p):
            p.b += 1
            return p.b > 2

        p = Pair(0, 0)
        if n > 1 and up(p):
            p.b += 10
        out[4] = p.b
        out[5] = p.b if up(p) else -p.b
        out[6] = p.b

    def want(n):
        first, total = 1 + sum(range(n)), sum(1 if i > 1 else 2 for i in range(n))
        b = int(n > 1)
        return [first, first + 3, 6 + total, 2 if n > 2 else 5, b, (b + 1) * (1 if b + 1 > 2 else -1), b + 1, 0]

    for n in (1, 2, 4):
        assert both(k, o, n)[0].tolist() == want(n)


def test_compile_time_fields_stay_compile_time():
    def k(out: I, n: al.i32):
        p = Pair((1, n), 3)
        for i in al.range(n):
            p = Pair((p.a[0], p.a[1] + i), p.b)
            for j in range(p.b):  # needs a compile-time number
                out[j + p.a[0]] = p.a[1]

    assert both(k, o, 4)[0].tolist() == [0, 10, 10, 10, 0, 0, 0, 0]

    def switches(out: I, n: al.i32):
        w = Window(out, 0, EXTENTS=0)
        for i in range(4):
            out[w.EXTENTS] += n * i
            w.EXTENTS = 1 - w.EXTENTS

    assert both(switches, o, 3)[0].tolist()[:2] == [6, 12]


def test_operators():
    def k(out: I, n: al.i32):
        u = Vector(al.full((4,), 3, al.i32))
        v = u + 1 + u * n
        v = 10 + -v
        out[0], out[1] = v[2], len(v)
        w = v(lambda e: e * e)
        w[1] = 5
        w[1] += n
        out[2], out[3] = w[0], w[1]
        out[4] = 1 if w == v(lambda e: e * e) else 0
        out[5] = 1 if w != w else 0
        out[6] = 1 if v > u else 0
        total = Vector(al.full((4,), 0, al.i32))
        for i in al.range(n):
            total += u * i
        out[7] = total[3]

    for n in (1, 4):
        first = 10 - (4 + 3 * n)
        assert both(k, o, n)[0].tolist() == [first, 4, first**2, 5 + n, 1, 0, int(first > 3), 3 * sum(range(n))]


def test_register_tensors_in_fields_are_shared():
    @avelang.struct
    class Tile:
        acc: ...
        scale: al.i32 = 1

        def put(self, i, v):
            self.acc[i] = v * self.scale

        def fill(self, values):
            for i in range(4):
                values[i] = self.acc[i]

    def k(out: I, n: al.i32):
        held = al.full((4,), n, al.i32)
        t = Tile(held)
        t.put(1, 5)
        out[0], out[1] = held[1], t.acc[0]
        name = t.acc
        name[2] = 9
        out[2] = t.acc[2]
        for i in al.range(n):
            t.put(3, i)
        other = Tile(t.acc + 1, 2)
        other.acc[0] = 100
        out[3], out[4] = held[3], t.acc[0]
        copy = al.full((4,), 0, al.i32)
        other.fill(copy)
        out[5], out[6] = copy[0], copy[1]

    assert both(k, o, 3)[0].tolist() == [5, 3, 9, 2, 3, 100, 6, 0]


@avelang.jit
def views_of_a_field(o: al.Tensor((8,), al.f32), HOW: al.constexpr):
    held = Pair(al.full((8,), 1.0, al.f32) * 2.0)
    if HOW == "name":
        rows = al.view(held.a, al.Tensor((2, 4), al.f32))
        rows[1] = rows[1] + 5.0
    elif HOW == "at once":
        al.view(held.a, al.Tensor((2, 4), al.f32))[1] = al.full((4,), 7.0, al.f32)
    elif HOW == "view of a view":
        rows = al.view(al.view(held.a, al.Tensor((8,), al.i32)), al.Tensor((2, 4), al.f32))
        rows[1] = rows[1] + 5.0
    else:
        for _ in al.range(1):
            held.a = held.a * 1.0
            rows = al.view(held.a, al.Tensor((2, 4), al.f32))
            rows[1] += 5.0
    for i in range(8):
        o[i] = held.a[i]


def test_stores_through_a_view_of_a_field_reach_it():
    """A field that holds what arithmetic gave, which has no storage of its own until it is stored into."""
    for how in ("name", "at once", "view of a view", "loop"):
        for backend in ("reference", "cpu"):
            out = np.zeros(8, np.float32)
            views_of_a_field[1, 1](out, how, backend=backend)
            assert np.array_equal(out, [2, 2, 2, 2, 7, 7, 7, 7]), (how, backend, out)


def test_vectors_in_fields_stay_registers():
    def k(out: I, n: al.i32):
        v = Vector(al.full((4,), 0, al.i32))
        for i in al.range(n):
            v = v + i
        out[0] = v[1]

    assert both(k, o, 5)[0].tolist()[0] == 10
    kernel = built(k)
    assert "alloc" not in ops_of(kernel) and ops_of(kernel).count("for") == 1


def test_structs_vanish():
    def with_struct(x: F, out: al.Tensor((1,), al.f32), n: al.i32):
        w = Window(x, 0)
        acc = 0.0
        for i in al.range(n):
            acc += w.load()
            w.move(2)
        out[0] = acc

    def with_names(x: F, out: al.Tensor((1,), al.f32), n: al.i32):
        row: al.u32 = 0
        acc = 0.0
        for i in al.range(n):
            acc += x[row]
            row = row + 2
        out[0] = acc

    assert [line.replace("with_struct", "with_names") for line in text_of(with_struct)] == text_of(with_names)


def test_a_method_on_a_part_may_call_itself():
    @avelang.struct
    class Chain:
        add: ...
        rest: ... = None

        def apply(self, v):
            v = v + self.add
            return v if self.rest is None else self.rest.apply(v)

    def k(out: I, n: al.i32):
        out[0] = Chain(n, Chain(10, Chain(100))).apply(1)

    assert both(k, o, 2)[0].tolist()[0] == 113


def test_annotations_convert_and_check():
    def k(out: al.Tensor((3,), al.i64)):
        w = Window(out, al.convert(-1, al.i32))
        out[0] = w.row
        w.row = al.convert(5, al.u8)
        w.row -= 6
        out[1] = w.row
        p = Pair(3)
        out[2] = p.a + p.b

    assert both(k, np.zeros(3, np.int64))[0].tolist() == [2**32 - 1, 2**32 - 1, 3]


def test_any_tensor_or_a_struct_as_an_annotation():
    @avelang.struct
    class Held:
        data: al.Tensor
        pair: Pair
        next: Held = None
        coordinates: (al.i32, al.u32) = (0, 0)
        quoted: "Held" = None  # noqa: UP037

    def k(out: I, n: al.i32):
        first = Held(al.full((2,), n, al.i32), Pair(1, n))
        second = Held(out, first.pair, first)
        second.next.pair.a += second.next.data[1]
        out[0] = first.pair.a
        second.data[1] = first.pair.b
        second.coordinates = (n, 1)
        second.quoted = first
        out[2] = second.coordinates[0] + (1 if second.quoted.quoted is None else 0)

    assert both(k, o, 4)[0].tolist()[:3] == [5, 4, 5]
    refused(wrongly_made(Held), "T022", "`data` of Held", "a tensor", "the constant 3")


def wrongly_made(cls):
    def k(out: I):
        cls(3, Pair(1))  # <-

    return k


def test_per_lane_objects():
    def k(out: al.Tensor((64,), al.i32)):
        t = al.convert(al.thread_id(0), al.i32)
        p = Pair(0, t)
        while p.a < p.b:
            p.a += 7
            if p.a > 40:
                break
        out[t] = p.a

    def want(t):
        a = 0
        while a < t:
            a += 7
            if a > 40:
                break
        return a

    assert lanes(k).tolist() == [want(t) for t in range(64)]
