"""Calls by XLA that the host code makes again without Python, on a stub of the driver: what is launched is what the host function launches on the same
memory. Frames are made here (frames.py)."""

from __future__ import annotations

import ctypes
import random
import threading

import ml_dtypes  # noqa: F401  (names of dtypes)
import numpy as np
import pytest
from tests.bridge.frames import Frames
from tests.bridge.stub_memory import StubMemory, machine_with

import avelang
import avelang.language as al
from avelang import ops
from avelang.base.errors import AveError
from avelang.base.words import CHOICES, WAITING
from avelang.bridge import replays, xla, xla_calls
from avelang.bridge.registry import OPERATIONS
from avelang.native.xla import XlaCalls
from avelang.runtime import interception, streams
from avelang.runtime.native import native

pytest.importorskip("torch")  # the stub's module wants it
STREAM = 0x4440
FACTOR = 3


@avelang.jit
def added(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f32, al.make_layout((n,), (1,))) for p in (x, y))
    if i < n:
        Y[i] = X[i] + 1.0


@avelang.jit
def scaled(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f32, al.make_layout((n,), (1,))) for p in (x, y))
    if i < n:
        Y[i] = X[i] * FACTOR


@pytest.fixture(scope="module")
def machine():
    """One for all tests: kernels stay loaded."""
    with machine_with(STREAM) as made:
        yield made


class Program(StubMemory):
    """A place of a program that XLA runs: calls of a host function on the stub's GPU. `given`, `made`: shapes of what comes in and goes out."""

    def __init__(self, machine, host, given, made, dtype="float32"):
        super().__init__(machine, host, STREAM, dtype)
        self.shapes, self.frames = (given, made), Frames(self.take, STREAM)
        self.text = ctypes.create_string_buffer(f"call {random.random()}".encode())
        self.handlers = xla._Handlers(self.serve, "cuda")
        self.calls = self.handlers.calls
        self.function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(self.calls.handler)

    def serve(self, text, given, made, driver, stream, room):
        with streams.entered(stream):
            return replays.call(text, given + made, stream, room, None, lambda room: self.run(given + made, room))

    def drawn(self):
        return [self.buffers(part) for part in self.shapes]

    def __call__(self, given=None, made=None):
        """Makes a call; whether the host code made it, and what was launched last."""
        drawn, before = self.drawn(), self.calls.served
        said = self.frames.call(self.function, self.text, *(drawn[i] if x is None else x for i, x in enumerate((given, made))))
        if said:
            raise RuntimeError(said)
        return self.calls.served > before, self.last()


@pytest.fixture
def program(machine):
    """Makes a `Program`; afterwards the host code has what it had before."""
    place, size, made = native().address("ave_xla_cuda"), ctypes.sizeof(XlaCalls), []
    before = ctypes.string_at(place, size)

    def make(*args, **kwargs):
        made.append(Program(machine, *args, **kwargs))
        return made[-1]

    yield make
    for one in made:
        one.calls.forget()
    ctypes.memmove(place, before, size)


def test_from_the_fifth_call_on_without_python(program):
    p = program(lambda x, y: added[4, 64](x, y, 200), ((200,),), ((200,),))
    seen = []
    for _ in range(9):
        given, made = p.drawn()
        quick, launched = p(given, made)
        assert launched[2] == [given[0].address, made[0].address, 200] and p.machine.last.stream == STREAM
        seen.append(quick)
    assert p.served == 3 and seen == [False] * 4 + [True] * 5 and p.calls.served == 5


def test_what_a_key_has(program):
    p = program(lambda x, y: added[4, 64](x, y, 100), ((100,),), ((100,),))
    assert [p()[0] for _ in range(6)][-1]
    given, made = p.drawn()
    assert p(given, made)[0]
    assert not p([given[0]._replace(shape=(50, 2))], made)[0]
    assert not p([given[0]._replace(address=given[0].address + 16)], made)[0]
    with pytest.raises(RuntimeError, match="L012"):
        p([given[0]._replace(dtype="int32")], made)
    assert not p(given, given)[0]  # in place
    p.frames.stream += 1
    p.machine.lib.stub_stream(p.frames.stream, 0)
    assert not p(given, made)[0]
    p.frames.stream -= 1
    assert p(given, made)[0]
    text = p.text
    p.text = ctypes.create_string_buffer(text.value + b"1")
    assert not p(given, made)[0]
    p.text = ctypes.create_string_buffer(text.value)  # elsewhere, the same
    assert p(given, made)[0]
    CHOICES.put(CHOICES.value + 1)
    assert not p(given, made)[0]


def test_new_memory_is_xlas(program):
    def host(x, y):
        first, second = (np.empty(x.shape, x.dtype, like=x) for _ in range(2))
        added[4, 64](x, first, 200)
        added[4, 64](first, second, 200)
        added[4, 64](second[8:], y, 192)

    p = program(host, ((200,),), ((200,),))
    for i in range(8):
        given, made = p.drawn()
        p.frames.taken.clear()
        p.frames.given.clear()
        quick, launched = p(given, made)
        (start, size), inside = p.frames.taken[-1], launched[2][0]
        assert quick == (i > 3) and start <= inside < start + size and inside % 128 == 32 and launched[2][1:] == [made[0].address, 192]
        assert sorted(p.frames.given) == sorted(p.frames.taken)
    assert p.served == 3
    p.frames.empty = True
    with pytest.raises(RuntimeError, match="MemoryError.*no memory"):
        p()


@pytest.mark.parametrize("shapes", [((256, 512), (512, 384), (256, 384)), ((72, 1000), (1000, 136), (72, 136))])
def test_tensor_maps_are_those_of_the_memory(program, shapes):
    assert ops.matmul
    operation = OPERATIONS["avelang::matrices"]
    p = program(lambda a, b, y: operation.host(a, b, None, y), shapes[:2], shapes[2:], dtype="bfloat16")
    for _ in range(5):
        p()
    places = [p.drawn() for _ in range(4)]
    for given, made in places:
        assert not p(given, made)[0]  # of new places Python makes the maps
    for given, made in places[::-1]:
        quick, again = p(given, made)
        assert quick
        plain = p.plainly(given + made)
        assert again[:2] == plain[:2] and again[3] == plain[3]
    assert p.served == 3


@pytest.mark.parametrize("seed", range(6))
def test_drawn_operations(program, seed):
    """Products and rows of drawn shapes launch what their host functions launch on the same memory."""
    assert ops.matmul and ops.softmax and ops.layer_norm
    rng = random.Random(seed)
    m, n, k = (rng.choice((1, 8, 24, 72, 200, 264)) * rng.choice((1, 1, 3)) for _ in range(3))
    product, softmax = OPERATIONS["avelang::matrices"].host, OPERATIONS["avelang::softmax_rows"].host
    host, given, made = rng.choice((
        (lambda a, b, y: product(a, b, None, y), ((m, k), (k, n)), ((m, n),)),
        (lambda a, b, bias, y: product(a, b, bias, y), ((m, k), (k, n), (n,)), ((m, n),)),
        (softmax, ((m, n),), ((m, n),)),
    ))  # fmt: skip
    p = program(host, given, made, dtype=rng.choice(("bfloat16", "float16")))
    places = [p.drawn() for _ in range(3)]
    for at in [*places[:2], *places, *places]:
        p(*at)
    seen = p.served
    p.frames.plainly(p.machine.lib, p.take(1 << 22))  # of memory that XLA gives the place is the same from here on
    p(*places[0])
    for given, made in places:
        p(given, made)
        quick, again = p(given, made)
        plain = p.plainly(given + made)
        mine = {b.address for b in given + made}  # other memory is scratch memory, here and there
        one, two = ([v if v in mine or not p.holds(v) else None for v in x[2]] for x in (again, plain))
        assert quick and again[:2] == plain[:2] and one == two, (seed, p.shapes)
    assert p.served == seen == 3


def test_who_looks_at_launches_sees_them(program, monkeypatch):
    p = program(lambda x, y: added[4, 64](x, y, 200), ((200,),), ((200,),))
    assert [p()[0] for _ in range(6)][-1]

    class Seen:
        def intercept(self, launch):
            seen.append(launch)
            return True

    seen, before = [], WAITING.value
    with interception.intercepting(Seen()):
        assert not p()[0] and len(seen) == 1 and WAITING.value == before + 1
    assert WAITING.value == before and p()[0]
    monkeypatch.setenv("AVE_CHECK", "launch")
    assert not p()[0]
    monkeypatch.delenv("AVE_CHECK")
    assert p()[0] and p.served == 5


def test_what_users_kernels_read_is_looked_at(program, monkeypatch):
    p = program(lambda x, y: scaled[4, 64](x, y, 200), ((200,),), ((200,),))
    assert [p()[0] for _ in range(7)] == [False] * 4 + [True] * 3 and p.served == 3
    monkeypatch.setitem(globals(), "OTHER", 4)
    assert p()[0]
    monkeypatch.setitem(globals(), "FACTOR", 4)
    assert not p()[0] and p.served == 4
    assert [p()[0] for _ in range(6)] == [False] * 3 + [True] * 3
    monkeypatch.setitem(globals(), "FACTOR", 2 + len("ab"))  # an equal one
    assert p()[0] and p.served == 6


def test_a_launch_that_the_driver_refuses(program):
    p = program(lambda x, y: added[4, 64](x, y, 200), ((200,),), ((200,),))
    for _ in range(5):
        p()
    given, made = p.drawn()
    p.machine.fail("launch", 719)
    with pytest.raises(AveError) as plain:
        p.plainly(given + made)
    p.machine.fail("launch", 719)
    with pytest.raises(RuntimeError) as caught:
        p(given, made)
    one, two = (str(e.value).partition("; the last launches")[0] for e in (plain, caught))
    assert "L032" in one and one == two
    assert p(given, made)[0]


@pytest.mark.parametrize(("launches", "quick"), [(64, True), (65, False)])
def test_a_call_of_many_launches(program, launches, quick):
    def host(x, y):
        for i in range(launches):
            added[4, 64](x, y, 200 - i)

    p = program(host, ((200,),), ((200,),))
    assert [p()[0] for _ in range(7)] == [False] * 4 + [quick] * 3 and p.served == 3
    assert p.last()[2][2] == 200 - launches + 1


def test_threads_at_once(program):
    """While entries come and go, each launch has its own memory."""
    p = program(lambda x, y: added[4, 64](x, y, 200), ((200,),), ((200,),))
    for _ in range(5):
        p()
    wrong, end = [], threading.Event()
    places = [p.drawn() for _ in range(8)]

    def many():
        while not end.is_set():
            said = p.frames.call(p.function, p.text, *random.choice(places))
            if said:
                wrong.append(said)

    threads = [threading.Thread(target=many) for _ in range(3)]
    for t in threads:
        t.start()
    for _ in range(40):
        p.calls.forget()
        p()
    end.set()
    for t in threads:
        t.join()
    assert not wrong and p()[0] and p.calls.state.inside == 0


def test_many_calls(program, monkeypatch):
    """More than the host code keeps: it forgets, and learns anew."""
    monkeypatch.setattr(xla_calls, "MOST", 12)
    p = program(lambda x, y: added[4, 64](x, y, 200), ((200,),), ((200,),))
    texts = [ctypes.create_string_buffer(f"call {i} {random.random()}".encode()) for i in range(40)]
    for text in texts:
        p.text = text
        assert [p()[0] for _ in range(6)] == [False] * 4 + [True] * 2
    assert len(p.calls._kept) <= 12
    p.text = texts[0]
    assert [p()[0] for _ in range(2)] == [False, True]  # it was forgotten, and Python knows it
