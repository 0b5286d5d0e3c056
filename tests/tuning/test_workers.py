"""Processes that compile: one that ends or hangs costs its job, and no more."""

from __future__ import annotations

import os
import pickle
import threading
import time

import numpy as np
import pytest
from tests.tuning.kernels import double

from avelang.base.errors import AveError
from avelang.runtime import ahead, compile
from avelang.runtime.ahead import compiled
from avelang.tuning.workers import CompileWorkers, cores


class Calls:
    """A job that calls a function while it is read."""

    def __init__(self, fn, *args):
        self.fn, self.args = fn, args

    def __reduce__(self):
        return self.fn, self.args


def pending(block, per=2, n=1000, target=None):
    x = np.zeros(n, np.float32)
    with ahead.collected() as found:
        double.kernel._launcher._slow((-(-n // block), block), x, x, n, per=per, **({"target": target} if target else {}))
    return found


def answers(jobs, count=2, seconds=60.0):
    found = {}
    with CompileWorkers(count, seconds) as workers:
        for i, job in enumerate(jobs):
            workers.submit(job, lambda outcome, i=i: found.__setitem__(i, outcome))
        assert workers.wait(120)
    return [found[i] for i in range(len(jobs))]


def test_what_workers_make_is_what_the_launch_makes(monkeypatch, tmp_path):
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path))
    (one,) = pending(96)
    assert one.job is not None and one.meta is None and one.launcher.last is None or True
    (outcome,) = answers([one.job])
    assert outcome.failed is None
    payload, meta = outcome.made
    want, facts = compile.cpu_object(double.kernel.source, {"per": 2}, None, (96, 1, 1))
    assert payload == want and meta["writes"] == facts["writes"] == ["y"]
    one.adopt(payload, meta)
    (again,) = pending(96)
    assert again.job is None and again.meta["entry"] == meta["entry"], "it is in the cache"


def test_a_worker_that_ends_or_hangs_is_replaced():
    (one,) = pending(160)
    jobs = [Calls(os.abort), one.job, Calls(time.sleep, 60), Calls(int, "x"), one.job]
    found = answers(jobs, count=1, seconds=8.0)
    assert [o.made is not None for o in found] == [False, True, False, False, True]
    assert [getattr(o.failed, "code", "") for o in found[:3:2]] == ["D042", "D042"]
    assert "status" in found[0].failed.message and "over 8 s" in found[2].failed.message


def test_errors_come_back_as_they_are():
    (one,) = pending(192)
    one.job.tools += " of another machine"
    (o,) = answers([one.job])
    assert o.made is None and o.failed.code == "D042" and "other tools" in o.failed.message
    one.job.tools, one.job.kernel = "", None
    (o,) = answers([one.job])
    assert o.made is None and "NoneType" in str(o.failed)
    (unpicklable,) = answers([threading.Lock()])
    assert unpicklable.failed.code == "D042"
    e = pickle.loads(pickle.dumps(AveError("x")))
    assert isinstance(e, AveError)


@pytest.mark.parametrize("target, place", [("sm_90a", "cuda"), ("gfx942", "rocm")])
def test_code_for_a_gpu_needs_no_driver(target, place):
    """The kernel of a launch on a GPU that is not here; what a driver would load comes out."""
    kernel = compile.build(double.kernel.source, {"per": 2}, target)
    job = ahead.Job(place, kernel, "double", double.kernel.source.file, {"target": target}, (64, 1, 1), "", target, "gpu:0", "13.0")
    try:
        code, meta = compiled(pickle.loads(pickle.dumps(job)))
    except AveError as e:
        assert e.code == "D020"
        pytest.skip(str(e))
    assert code[:4] == b"\x7fELF" and meta["block"] == [64, 1, 1] and meta["writes"] == ["y"]
    if place == "cuda":
        assert meta["registers"] > 0 and meta["spills"] == [0, 0] and meta["assembler"].startswith("ptxas")


def test_cores():
    assert 1 <= cores() <= (os.cpu_count() or 1)
