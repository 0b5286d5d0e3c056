"""GPUs of one process as ranks, without a GPU: the driver is a stub (tests/runtime/cuda_stub.c), on which nothing runs; and the host code of
operations on views of memory, as JAX's GPUs have it, on the CPU, where symmetric memory is views too."""

from __future__ import annotations

import ctypes
import pathlib
import random
import subprocess
import sys
import threading
import time

import ml_dtypes  # noqa: F401  (names of dtypes)
import numpy as np
import pytest
from tests.bridge.frames import Frames
from tests.runtime import cuda

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.bridge import replays, xla
from avelang.bridge.device_views import DeviceView
from avelang.bridge.mesh_axes import GpuCall
from avelang.bridge.registry import OPERATIONS
from avelang.bridge.xla import Buffer
from avelang.dist import axes, deadlines, gpus
from avelang.native.xla import XlaCalls
from avelang.ops import dist
from avelang.runtime import streams
from avelang.runtime.native import native
from avelang_kernels.dist import exchange

pytest.importorskip("torch")
ROOT = pathlib.Path(__file__).resolve().parents[2]
STREAMS = (0x1110, 0x2220)


@pytest.fixture(scope="module")
def driver():
    """One for all tests: kernels stay loaded."""
    with pytest.MonkeyPatch.context() as patch:
        made = cuda.Machine(patch)
        for index, stream in enumerate(STREAMS):
            made.lib.stub_stream(stream, index)
        yield made


def forget():
    gpus.gpu_of.cache_clear()
    for kept in (axes._TEAMS, axes._PLACES, axes._MEETINGS):
        kept.clear()


@pytest.fixture
def machine(driver, monkeypatch):
    driver.lib.stub_apart(0)
    forget()
    monkeypatch.setattr(axes, "LIMIT", 3.0)
    monkeypatch.setattr(gpus, "GPU_BYTES", 1 << 22)
    monkeypatch.setattr(gpus, "LEAST", 1 << 20)
    yield driver
    for one in list(deadlines._LOOKING):  # before the stub begins anew
        one.leave()
    forget()


class Room:
    def __init__(self, run, index):
        self.run, self.index, self.taken = run, index, []

    def take(self, size):
        memory = self.run.own(np.zeros(size + 128, np.uint8), self.index)
        self.run.kept.append(memory)
        self.taken.append(-(-memory.ctypes.data // 128) * 128)
        return self.taken[-1]


class Run:
    """Calls as XLA makes them, in a thread for each GPU. `order`: the rank of each GPU."""

    def __init__(self, machine, order=(0, 1), site=7):
        self.machine, self.site, self.runs, self.order, self.kept = machine, site, 0, order, []
        self.places = [self.own(np.array([rank, 0], np.int32), index) for index, rank in enumerate(order)]

    def own(self, array, index):
        return self.machine.own(np.ascontiguousarray(array), index)

    def __call__(self, program, gpus_that_come=(0, 1)):
        self.runs += 1
        found, failed = {}, {}

        def call(index):
            made = GpuCall(self.runs, 3, self.site, index, STREAMS[index], len(self.order), self.places[index].ctypes.data)
            try:
                with streams.entered(STREAMS[index]), axes.joined_gpus(made) as member:
                    found[index] = program(member)
            except BaseException as e:
                failed[index] = e

        threads = [threading.Thread(target=call, args=(i,)) for i in gpus_that_come]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return found, failed


def summed(run, dtype="float32"):
    """A program of a rank that launches a kernel of several ranks."""
    def program(member):
        x, out = (run.own(np.zeros(4096, dtype), member.device) for _ in range(2))
        views = [DeviceView(a.ctypes.data, a.shape, a.dtype, f"cuda:{member.device}") for a in (x, out)]
        exchange.all_reduce(member, *views, 0)
        return member, (x, out)
    return program


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_place_of_a_call_says_the_ranks(machine, order):
    run = Run(machine, order)
    found, failed = run(summed(run))
    assert not failed and [found[i][0].rank for i in (0, 1)] == list(order)
    team = axes._TEAMS[(0, 1) if order == (0, 1) else (1, 0)]
    assert [m.gpu.index for m in team.members] == [order.index(r) for r in (0, 1)]
    for index, rank in enumerate(order):  # the words of `al.Ranks`: who, of how many, and where the others' memory is
        words = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_int64 * 6).from_address(found[index][0].team.address))
        assert list(words[:2]) == [rank, 2] and list(words[4:6]) == [h - team.heaps[rank] for h in team.heaps]


def test_a_call_that_comes_again_meets_nobody(machine):
    run = Run(machine)
    first, _ = run(summed(run))
    assert not first[0][0].together
    launches = machine.launches
    again, failed = run(summed(run), (0,))  # the other one's host is late: its kernel waits on the GPU
    assert not failed and again[0][0] is first[0][0] and again[0][0].together and machine.launches == launches + 1
    assert machine.last.device == 0 and machine.last.stream == STREAMS[0]


def test_another_place_in_a_program_has_the_same_team(machine):
    one, two = Run(machine), Run(machine, site=8)
    assert one(summed(one))[0][0][0] is two(summed(two))[0][0][0]
    turned = Run(machine, (1, 0), site=9)
    assert turned(summed(turned))[0][0][0] is not one(summed(one))[0][0][0] and len(axes._TEAMS) == 2


def test_one_that_does_not_come_is_told(machine, monkeypatch):
    monkeypatch.setattr(axes, "LIMIT", 0.3)
    run = Run(machine)
    found, failed = run(summed(run), (1,))
    assert not found and failed[1].code == "L083" and "for rank 0" in str(failed[1])
    assert not run(summed(run))[1]  # the next call works


def test_what_failed_begins_anew(machine):
    run = Run(machine)
    before = run(summed(run))[0]

    def fails(member):
        if member.rank == 1:
            raise ValueError("of a user")
        return member

    found, failed = run(fails)
    assert type(failed[1]) is ValueError and list(found) == [0] and axes._TEAMS[0, 1].failed
    after, failed = run(summed(run))
    assert not failed and after[0][0] is not before[0][0] and not axes._TEAMS[0, 1].failed


def test_gpus_that_do_not_reach_each_other_are_no_ranks(machine):
    machine.lib.stub_apart(1)
    run = Run(machine)
    _, failed = run(summed(run))
    assert "L066" in {e.code for e in failed.values() if isinstance(e, AveError)}
    assert any("cuda:0 does not reach that of cuda:1" in str(e) for e in failed.values())


def test_an_axis_of_more_devices_than_this_process_has(machine):
    run = Run(machine, (0, 1, 2))
    _, failed = run(summed(run), (0, 1))
    assert {e.code for e in failed.values()} == {"L066"} and "an axis of 3 devices" in str(failed[0])


def test_peers_that_xla_has_let_meet(machine):
    one, two = Run(machine), Run(machine, (1, 0), site=9)
    assert not one(summed(one))[1] and not two(summed(two))[1]  # 704 the second time, which is no error


def test_less_memory_where_xla_has_taken_the_rest(machine):
    run = Run(machine)
    machine.fail("allocate", 2)
    found, failed = run(summed(run))
    assert not failed and axes._TEAMS[0, 1].size == 1 << 21 and found[0][0].left < 1 << 21


@pytest.mark.parametrize(("name", "shapes", "launches"), [
    ("reduced", ((64, 64), (64, 64)), 1),
    ("gathered_product", ((256, 128), (128, 256), (512, 256)), 3),
    ("scattered_product", ((256, 128), (128, 256), (128, 256)), 2),
])  # fmt: skip
def test_calls_are_repeated(machine, name, shapes, launches):
    """One rank's call launches the same as its host function does; that counts nothing on the host."""
    assert dist.all_gather_matmul and dist.all_reduce
    operation = OPERATIONS[f"avelang::{name}"]
    run, served = Run(machine), [0, 0]
    fuse = {"fuse": 1} if "product" in name else {}

    def program(member):
        index = member.device
        buffers = [Buffer(Room(run, index).take(2 * int(np.prod(s))), s, "bfloat16") for s in shapes]

        def host(room):
            served[index] += 1
            views = [DeviceView(b.address, b.shape, np.dtype("bfloat16"), f"cuda:{index}", None, room) for b in buffers]
            operation.host(*views, group="mesh axis (('tp',), 2)", **fuse)

        if member.together:
            replays.call(f"{name} of {id(run)}", buffers, STREAMS[index], Room(run, index), member, host)
        else:
            host(Room(run, index))

    for _ in range(4):
        assert not run(program)[1]
    before, seen = machine.launches, list(served)
    assert not run(program, (0,))[1] and machine.launches == before + launches and served == seen
    assert machine.last.device == 0 and machine.last.stream == STREAMS[0]


@avelang.jit
def twice(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f32, al.make_layout((n,), (1,))) for p in (x, y))
    if i < n:
        Y[i] = X[i] * 2


def between(member, x, y):
    made = np.empty((640,), "float32", like=x)
    with member.beside():
        twice[10, 64](x, made, 640)
    member.joined()
    with member.copying(lambda queue: queue.copy(y, made)):
        twice[10, 64](made, y, 640)


def test_what_stands_between_launches_is_repeated(machine, monkeypatch):
    """Orders of streams, and copies of new memory by a copy engine, as the host function has them."""
    monkeypatch.setattr(gpus.PeerMemory, "watch", lambda *_: None)  # whose thread records events too
    run, served = Run(machine), [0, 0]

    def program(member):
        index = member.device
        buffers = [Buffer(Room(run, index).take(4 * 640), (640,), "float32") for _ in range(2)]

        def host(room):
            served[index] += 1
            between(member, *(DeviceView(b.address, b.shape, np.dtype("float32"), f"cuda:{index}", None, room) for b in buffers))

        room = Room(run, index)
        if member.together:
            replays.call(f"between of {id(run)}", buffers, STREAMS[index], room, member, host)
        else:
            host(room)
        return [b.address for b in buffers], room.taken

    def seen():
        found = [line for line in machine.calls() if line.startswith(("cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernelEx", "cuMemcpyDtoDAsync"))]
        return [line.split(" ")[0] for line in found], [line for line in found if line.startswith("cuMemcpy")]

    for _ in range(4):
        assert not run(program)[1]
    machine.lib.stub_quiet(0)
    machine.calls()
    count = served[0]
    for _ in range(2):
        found, failed = run(program, (0,))
        assert not failed and served[0] == count, failed
        (x, y), taken = found[0]
        names, copies = seen()
        assert names == ["cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernelEx", "cuEventRecord", "cuStreamWaitEvent", "cuEventRecord", "cuStreamWaitEvent",
                         "cuMemcpyDtoDAsync_v2", "cuLaunchKernelEx", "cuEventRecord", "cuStreamWaitEvent"], names
        assert copies == [f"cuMemcpyDtoDAsync_v2 {y:#x} {taken[0]:#x} 2560"]
        assert machine.values()[:2] == [taken[0], y]


class Quick:
    """Calls of a place of XLA's program on all GPUs, by frames, which the host code serves when it knows them. `host`: of (room, member, arguments, results)."""

    def __init__(self, run, host):
        self.run, self.host, self.served, self.runs = run, host, [0, 0], 0
        self.rooms = [Room(run, i) for i in (0, 1)]
        self.frames = [Frames(room.take, stream) for room, stream in zip(self.rooms, STREAMS)]
        self.text = ctypes.create_string_buffer(f"place {id(run)} {random.random()}".encode())
        self.handlers = xla._Handlers(self.serve, "cuda")
        self.calls = self.handlers.calls
        self.function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(self.calls.handler)

    def serve(self, text, given, made, driver, stream, room):
        index = STREAMS.index(stream)
        call = GpuCall(xla.run_number(), 3, xla.site(), index, stream, 2, given[0].address)
        with streams.entered(stream), axes.joined_gpus(call) as member:
            def host(room):
                self.served[index] += 1
                views = [DeviceView(b.address, b.shape, np.dtype(b.dtype), f"cuda:{index}", None, room) for b in given[1:] + made]
                self.host(member, *views)

            if not member.together:
                host(room)
                return None
            done = replays.call(text, given[1:] + made, stream, room, member, host)
            return done and done._replace(shift=1, only_here=True)

    def __call__(self, given, made, come=(0, 1)):
        """The errors of ranks, and how many calls the host code made. given, made: of each rank, arrays by shape and dtype."""
        before, said, self.runs = self.calls.served, {}, self.runs + 1

        def call(index):
            place = Buffer(self.run.places[index].ctypes.data, (2,), "int32")
            buffers = [[Buffer(self.rooms[index].take(int(np.prod(s)) * np.dtype(d).itemsize), s, d) for s, d in part] for part in (given, made)]
            self.frames[index].run = self.runs
            self.last = buffers
            said[index] = self.frames[index].call(self.function, self.text, [place, *buffers[0]], buffers[1])

        threads = [threading.Thread(target=call, args=(i,)) for i in come]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return [w for w in said.values() if w], self.calls.served - before


def soon(there):
    """Whether it is so within some seconds."""
    end = time.monotonic() + 20
    while not there() and time.monotonic() < end:
        time.sleep(0.02)
    return there()


@pytest.fixture
def quick(machine, monkeypatch):
    monkeypatch.setattr(deadlines, "KEPT", 60.0)  # who looks for deadlines does so as long as a test takes
    place, size, made = native().address("ave_xla_cuda"), ctypes.sizeof(XlaCalls), []
    before = ctypes.string_at(place, size)
    yield lambda *args: made.append(Quick(Run(machine), *args)) or made[-1]
    for one in made:
        one.calls.forget()
    ctypes.memmove(place, before, size)


VECTOR = [((640,), "float32")]


def test_ranks_without_python(machine, quick, monkeypatch):
    """What is between launches, too: orders of streams and copies."""
    q = quick(between)
    assert [q(VECTOR, VECTOR) for _ in range(5)] == [([], 0)] * 5 and q.served == [4, 4]
    assert q(VECTOR, VECTOR) == ([], 2) and q.served == [4, 4]
    machine.lib.stub_quiet(0)
    monkeypatch.setattr(deadlines, "KEPT", 0.0)
    assert soon(lambda: not any(m.gate.words.looking for m in axes._TEAMS[0, 1].members))
    monkeypatch.setattr(deadlines, "KEPT", 60.0)
    assert q(VECTOR, VECTOR, (0,)) == ([], 0)  # nobody looked: Python begins to
    assert q(VECTOR, VECTOR, (0,)) == ([], 1)
    names = [line.split(" ")[0] for line in machine.calls()]
    names = [n for n in names if n in ("cuStreamWaitEvent", "cuLaunchKernelEx", "cuMemcpyDtoDAsync_v2")][-7:]
    assert names == ["cuStreamWaitEvent", "cuLaunchKernelEx", "cuStreamWaitEvent", "cuStreamWaitEvent", "cuMemcpyDtoDAsync_v2", "cuLaunchKernelEx", "cuStreamWaitEvent"]
    (x,), (y,) = q.last
    assert machine.values()[1] == y.address and machine.last.stream == STREAMS[0]


def test_a_place_is_known_by_where_its_text_is(quick):
    q = quick(between)
    for _ in range(6):
        assert not q(VECTOR, VECTOR)[0]
    q.text = ctypes.create_string_buffer(q.text.value)  # of another program
    assert q(VECTOR, VECTOR) == ([], 0) and q.served == [5, 5]


def test_a_member_that_failed_launches_no_more(machine, quick):
    q = quick(between)
    for _ in range(6):
        assert not q(VECTOR, VECTOR)[0]
    member = axes._TEAMS[0, 1].members[0]
    axes._TEAMS[0, 1].end()
    assert q(VECTOR, VECTOR) == ([], 0)  # all meet, and begin anew
    assert axes._TEAMS[0, 1].members[0] is not member
    for _ in range(4):
        assert not q(VECTOR, VECTOR)[0]
    assert q(VECTOR, VECTOR) == ([], 2)
    axes._TEAMS[0, 1].members[1]._memory.who.value = 5
    launches = machine.launches
    said, served = q(VECTOR, VECTOR, (1,))
    assert served == 0 and "L080" in said[0] and machine.launches == launches


def test_a_copy_that_the_driver_refuses(machine, quick):
    q = quick(between)
    for _ in range(6):
        assert not q(VECTOR, VECTOR)[0]
    machine.fail("cuMemcpyDtoDAsync_v2", 719)
    said, served = q(VECTOR, VECTOR, (0,))
    assert served == 1 and "D035" in said[0] and "copying between ranks" in said[0]


@pytest.mark.parametrize("kind", ["all_reduce"])
def test_a_collective_without_python(machine, quick, kind):
    assert dist.all_reduce
    operation = OPERATIONS["avelang::reduced"]
    q = quick(lambda member, x, y: operation.host(x, y, group="mesh axis (('tp',), 2)"))
    shapes = [((64, 64), "bfloat16")]
    for _ in range(5):
        assert q(shapes, shapes) == ([], 0)
    assert q(shapes, shapes) == ([], 2) and q.served == [4, 4]
    (x,), (y,) = q.last
    assert {x.address, y.address} <= set(machine.values())


def test_launches_without_python_have_their_deadline(machine, quick, monkeypatch):
    """Who looks records an event behind them, and ends their waits when it does not come."""
    monkeypatch.setattr(axes, "LIMIT", 0.4)
    q = quick(between)
    for _ in range(5):
        assert not q(VECTOR, VECTOR)[0]
    member = axes._TEAMS[0, 1].members[0]
    looks, ended = member._memory._deadlines, []
    assert soon(lambda: not looks._events and looks._touched is None and looks._counted == member.gate.look(True))
    monkeypatch.setattr(looks, "_end", lambda: ended.append(time.monotonic()))
    monkeypatch.setattr(gpus.Event, "query", lambda _: False)
    start = time.monotonic()
    assert q(VECTOR, VECTOR) == ([], 2)
    assert soon(lambda: bool(ended)) and ended[0] - start >= 0.4


def test_beside_and_copies_are_streams_of_their_own(machine):
    run = Run(machine)

    def program(member):
        with member.beside():
            side = streams.entered_now()
        member.joined()
        return side, streams.entered_now(), member.copies, member.recording

    found, failed = run(program)
    assert not failed
    for index in (0, 1):
        side, main, copies, recording = found[index]
        assert side not in (0, main) and main == STREAMS[index] and copies and recording
    assert found[0][0] != found[1][0]


@pytest.mark.parametrize("kind", ["collectives", "products", "experts", "ring"])
def test_ranks_whose_memory_is_views(kind):
    command = [sys.executable, str(ROOT / "tests" / "ops" / "views.py"), "--ranks", kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and not done.stdout, done.stdout + done.stderr
