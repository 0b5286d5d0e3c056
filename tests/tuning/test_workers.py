"""Processes that compile: one that ends or hangs costs its job, and no more."""

from __future__ import annotations

import os
import pickle
import threading
import time

import ml_dtypes
import numpy as np
import pytest
from tests.tuning.kernels import double

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime import ahead, compile
from avelang.runtime.ahead import compiled
from avelang.tuning.tuner import spilled_bytes
from avelang.tuning.workers import CompileWorkers, cores


class Calls:
    """A job that calls a function while it is read."""

    def __init__(self, fn, *args):
        self.fn, self.args = fn, args

    def __reduce__(self):
        return self.fn, self.args


def pending(block, per=2, n=1000, target=None):
    x = np.ones(n, np.float32)
    with ahead.collected() as found:
        double.kernel._launcher._slow((-(-n // block), block), x, x, n, per=per, **({"target": target} if target else {}))
    assert (x == 1).all(), "what is collected does not run"
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
    assert one.job is not None and one.meta is None
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
    else:
        assert meta["vgpr_spills"] == 0


@avelang.jit
def crowded(x: al.Pointer(al.f32), n: al.constexpr):
    """All of so many numbers live at once."""
    xs = al.make_tensor(x, al.f32, al.make_layout((1 << 20,), (1,)))
    kept = al.full((n,), 0.0, al.f32)
    for i in range(n):
        kept[i] = xs[al.thread_id(0) + 1024 * i]
    for i in range(n):
        xs[al.thread_id(0) + 1024 * (n - 1 - i)] = kept[i] * kept[(i * 7 + 3) % n]


@pytest.mark.parametrize("target, place", [("sm_90a", "cuda"), ("gfx942", "rocm")])
def test_spills_are_told(target, place):
    """By the assembler of NVIDIA, and by what AMD's code objects say of themselves."""
    found = []
    for n in (16, 700):
        kernel = compile.build(crowded.source, {"n": n}, target)
        job = ahead.Job(place, kernel, "crowded", crowded.source.file, {"target": target}, (1024, 1, 1), "", target, "gpu:0", "13.0")
        try:
            found.append(spilled_bytes(compiled(job)[1]))
        except AveError as e:
            assert e.code == "D020"
            pytest.skip(str(e))
    assert found[0] == 0 < found[1]


def test_cores():
    assert 1 <= cores() <= (os.cpu_count() or 1)


def run_mfma(place):
    from avelang_kernels.matmul import mfma_gemm

    a, b = (np.ones((64, 64), ml_dtypes.bfloat16) for _ in range(2))
    mfma_gemm.gemm(a, b, np.zeros((64, 64), np.float32))


def run_tile(target):
    from avelang import tile
    from avelang_kernels.matmul import tile_gemm

    a, b = (np.ones((64, 64), np.float16) for _ in range(2))
    T = tile.Block(32, 32, 64, (2, 2), "cp-async" if target == "sm_80" else "double-buffer")
    tile_gemm.gemm(a, b, np.zeros((64, 64), np.float32), T, target, backend="cpu")


def run_attention(place):
    from avelang_kernels.attention import tile_attention

    q, k, v = (np.ones((1, 1, 64, 64), np.float16) for _ in range(3))
    tile_attention.attention(q, k, v, np.zeros_like(q))


@pytest.mark.parametrize("run, given", [(run_mfma, ""), (run_tile, "sm_80"), (run_tile, "gfx942"), (run_attention, "")],
                         ids=["mfma", "tile sm_80", "tile gfx942", "attention"])
def test_a_process_of_its_own_makes_the_same_code(run, given, monkeypatch):
    """Kernels with intrinsics, functions of numbers and pipelines: byte for byte what is made here."""
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    with ahead.collected() as found:
        run(given)
    jobs = [p.job for p in found]
    assert jobs and all(job is not None and job.rows for job in jobs)
    want = [compiled(pickle.loads(pickle.dumps(job)))[0] for job in jobs]
    assert [o.made[0] for o in answers(jobs, count=1)] == want
