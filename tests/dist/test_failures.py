"""Ranks that die, that never come, that disagree; communicators beside one another; and what a copy engine is told."""

import glob
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import OneDevice, World
from avelang.dist.copies import EngineQueue
from avelang.dist.deadlines import Deadlines
from avelang.dist.group import SHARED_FILES
from avelang.ops import dist
from avelang.runtime import compile

PROGRAM = pathlib.Path(__file__).with_name("gloo_failures.py")
ROOT = PROGRAM.parents[2]


def test_processes_of_which_one_is_killed(tmp_path):
    pytest.importorskip("torch")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GLOO_SOCKET_IFNAME": "lo"}
    before, start = set(glob.glob(f"{SHARED_FILES}/avelang-ranks-*")), time.monotonic()
    args = [[sys.executable, str(PROGRAM), str(r), "3", str(tmp_path / "store")] for r in range(3)]
    running = [subprocess.Popen(a, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for a in args]
    said = [p.communicate(timeout=300) for p in running]
    assert [p.returncode for p in running] == [0, 0, -9], said
    assert time.monotonic() - start < 150
    for out, _ in said:
        lines = dict(line.split(" ", 1) for line in out.splitlines())
        assert lines["bytes"].startswith("L081") and "`bytes`" in lines["bytes"]
        for what in ("shape", "dtype"):
            assert lines[what].startswith("L081") and f"`{what}` is" in lines[what]
        assert lines["option"].startswith("L081") and "`shots` is" in lines["option"]
        assert lines["operation"].startswith("L081") and "calls `ops.dist.all_" in lines["operation"]
        assert lines["goes"] == "on True"
    for out, _ in said[:2]:
        lines = dict(line.split(" ", 1) for line in out.splitlines())
        for what in ("died", "again"):
            assert lines[what].startswith("L080") and "for rank 2" in lines[what], lines
    assert set(glob.glob(f"{SHARED_FILES}/avelang-ranks-*")) <= before


def test_a_copy_that_waits_for_a_rank_that_does_not_come_ends():
    def program(m):
        words = m.empty(8, np.uint32)
        if m.rank:
            return None
        with pytest.raises(Exception, match="for rank 1: its signal is 0, epoch 3"), m.copying(lambda q: q.wait(m.own(words), 1, 3, 1)):
            pass

    World(2, limit=0.3, bytes=1 << 14).run(program)


class Driver:
    """A driver that keeps what it is told."""

    def __init__(self):
        self.said = []

    def extra(self, symbol, args):
        def called(doing, *values):
            assert len(values) == len(args)
            self.said.append((symbol, *values))

        return called


class Tensor:
    """As much of torch's as is asked for."""

    def __init__(self, address, count=0):
        self.address, self.count = address, count

    def data_ptr(self):
        return self.address

    @property
    def nbytes(self):
        return 2 * self.count


class Stream:
    def __init__(self, cuda_stream):
        self.cuda_stream = cuda_stream


def test_what_the_driver_is_told():
    """By CUDA's driver API: cuStreamWaitValue32(stream, address, value, GEQ), cuMemcpyDtoDAsync(to, from, bytes, stream), cuStreamWriteValue32(..., 0); waits of a
    rank that does not come are ended from another stream."""
    driver = Driver()
    queue = EngineQueue(driver, Stream(7), Stream(9))
    queue.wait(Tensor(4096), 2, 2**32 + 5, 2)
    queue.copy(Tensor(8192), Tensor(12288, 64))
    queue.signal(Tensor(4096), 3, 6)
    queue.release()
    assert driver.said == [
        ("cuStreamWaitValue32_v2", 7, 4104, 5, 0), ("cuMemcpyDtoDAsync_v2", 8192, 12288, 128, 7),
        ("cuStreamWriteValue32_v2", 7, 4108, 6, 0), ("cuStreamWriteValue32_v2", 9, 4104, 5, 0),
    ]  # fmt: skip


class Event:
    """An event of a GPU that has come, or has not."""

    def __init__(self, there):
        self.there = there

    def query(self):
        return self.there


def test_what_has_not_come_by_its_time_is_ended_once():
    ended, made = [], []

    def recorded(there):
        made.append(there)
        return None if len(made) == 1 else Event(there)  # the first time the stream is captured

    deadlines = Deadlines(lambda: ended.append(time.monotonic()))
    for _ in range(100):
        deadlines.touch(0.0, lambda: recorded(True))
    time.sleep(0.7)
    assert not ended and 2 <= len(made) < 10  # all have come, by one event
    start = time.monotonic()
    deadlines.touch(0.1, lambda: recorded(False))
    while not ended and time.monotonic() < start + 5:
        time.sleep(0.02)
    assert ended and ended[0] - start >= 0.1
    deadlines.touch(60.0, lambda: recorded(True))
    time.sleep(0.6)
    assert len(ended) == 1
    deadlines.leave()


def test_one_device_is_refused_without_a_gpu():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(AveError) as e:
        OneDevice(2)
    assert e.value.code == "L066" and "NVIDIA GPU" in str(e.value)


class Died(Exception):
    """A rank's own error."""


def called(m, kind, n, dtype, seed):
    """One operation on drawn numbers, against the words of its docstring."""
    rng = np.random.default_rng(seed)
    xs = [rng.standard_normal((n * m.ranks, 3)).astype(dtype) for _ in range(m.ranks)]
    x, total = xs[m.rank], sum(xs[1:], xs[0])
    if kind == "all_gather":
        np.testing.assert_array_equal(dist.all_gather(x, m), np.concatenate(xs))
    elif kind == "reduce_scatter":
        np.testing.assert_array_equal(dist.reduce_scatter(x, m), total[m.rank * n :][:n])
    elif kind == "experts":
        ids = rng.integers(0, 2 * m.ranks, (m.ranks, len(x), 2)).astype(np.int32)[m.rank]
        got = dist.moe_dispatch(x, ids, m, experts=2 * m.ranks)
        np.testing.assert_array_equal(dist.moe_combine(got.rows, None, got.handle, m), (2 * x).astype(dtype))
    else:
        np.testing.assert_array_equal(dist.all_reduce(x, m, shots=kind), total)


class Counting:
    """A member's `launch` that fails when it is called for the nth time."""

    def __init__(self, member, left):
        self.launch, self.left = member.launch, left

    def __call__(self, *args, **kwargs):
        self.left -= 1
        if not self.left:
            raise Died
        self.launch(*args, **kwargs)


@pytest.mark.parametrize("backend", ["cpu", "reference", "sm_90a"])
def test_after_ranks_failed_at_drawn_places_the_world_computes_as_before(backend):
    """Ranks raise between calls and inside of them, go away, or have other sizes; each error is the one wanted, and what comes behind is right."""
    rng = random.Random()
    seed = rng.randrange(1 << 30)
    print("seed", seed)
    rng.seed(seed)
    ranks, cpu = rng.choice((2, 3, 4)) if backend == "cpu" else 2, backend == "cpu"
    w = World(ranks, backend=backend, bytes=1 << 18, limit=100)
    for how in rng.sample(("between", "inside", "size", "dtype", "late", "fine"), 6 if cpu else 3):
        kinds = (1, 2, "all_gather", "reduce_scatter", "experts")
        calls = [(rng.choice(kinds), rng.choice((1, 7, 40) if cpu else (1, 3)), np.float32, rng.randrange(1 << 30)) for _ in range(rng.randrange(1, 4))]
        bad, at = rng.randrange(ranks), rng.randrange(len(calls))

        def program(m, calls=calls, bad=bad, at=at, how=how):
            for i, (kind, n, dtype, number) in enumerate(calls):
                if m.rank == bad and i == at:
                    if how == "between":
                        raise Died
                    if how == "inside":
                        m.launch = Counting(m, 1)
                    time.sleep(0.1 * (how == "late"))
                    n, dtype = n + (how == "size"), np.float16 if how == "dtype" else dtype
                called(m, kind, n, dtype, number)

        if how in ("late", "fine"):
            w.run(program)
            continue
        with pytest.raises((Died, AveError)) as e:
            w.run(program)
        assert (e.type is Died) == (how in ("between", "inside")) and (e.type is Died or e.value.code == "L081"), (how, calls, e.value)
        w.run(lambda m: called(m, 1, 5, np.float32, 0))


def test_a_rank_that_goes_away_is_named_and_the_world_goes_on():
    w = World(3, bytes=1 << 16, limit=100)
    w.run(called, 1, 5, np.float32, 1)
    w.limit = 1
    with pytest.raises(AveError) as e:
        w.run(lambda m: m.rank == 1 or called(m, "all_gather", 5, np.float32, 2))
    assert e.value.code == "L083", e.value
    w.limit = 100
    w.run(called, 2, 5, np.float32, 3)


def test_a_compiler_that_takes_long_is_no_wait(monkeypatch):
    real, compiled = compile.cpu_object, threading.Event()

    def slow(*args, **options):
        time.sleep(1.5)
        made = real(*args, **options)
        compiled.set()
        return made

    monkeypatch.setattr(compile, "cpu_object", slow)
    amount = time.monotonic_ns() % 100003 + 1  # not in the cache

    @avelang.jit
    def handed(x: al.Tensor((4,), al.u32), team: al.Ranks):
        me = al.rank()
        if al.thread_id(0) == 0:
            al.signal(al.peer(al.subview(x, (0,), (1,)), 1 - me), amount)
            al.wait(al.subview(x, (0,), (1,)), amount, 1 - me)

    w = World(2, limit=1.2, bytes=1 << 14)
    x = w.zeros(4, np.uint32)

    def program(m):
        if m.rank:  # comes when the other one has compiled, and waits for this one
            compiled.wait()
            time.sleep(0.4)
        m.launch(handed, 1, 64, x, m.team)

    w.run(program)
    assert [int(words[0]) for words in x] == [amount, amount]
