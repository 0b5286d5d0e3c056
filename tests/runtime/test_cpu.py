"""The pool: every block runs once, whatever the grid, the threads and the processes; scratch is each thread's own."""

import ctypes
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.runtime import programs

from avelang.base.errors import AveError
from avelang.runtime import native as native_module
from avelang.runtime.native import native


@pytest.fixture(scope="module")
def count():
    return programs.program(programs.COUNT)


@pytest.fixture
def workers():
    """Sets the number of workers for one test."""
    pool = native().pool
    before = pool.workers
    yield lambda n: setattr(pool, "workers", n)
    pool.workers = before


@pytest.mark.parametrize("grid", [(0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 5, 7), (17, 1, 1), (1, 65535, 1), (100, 100, 10), (1, 1, 1)])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_every_block_runs_once(count, workers, grid, n):
    workers(n)
    for _ in range(3):
        out = np.zeros(max(1, np.prod(grid)), np.uint32)
        count.run([out.ctypes.data], grid)
        assert (out == (1 if np.prod(grid) else 0)).all()


def test_many_launches(count, workers):
    workers(2)
    out = np.zeros(64, np.uint32)
    for _ in range(3000):
        count.run([out.ctypes.data], (64, 1, 1))
    assert (out == 3000).all()


def test_many_shared_launches(workers):
    # A fresh record each time, so that no measure keeps the launch on one thread.
    workers(2)
    count = programs.program(programs.COUNT)
    out = np.zeros(64, np.uint32)
    for _ in range(2000):
        count.record.ns_per_block = 0.0
        count.run([out.ctypes.data], (64, 1, 1))
    assert (out == 2000).all()


def test_a_wrong_measure_is_made_good(workers):
    # Measured as nothing, the launch starts on one thread; the rest is shared when it takes longer.
    workers(1)
    slow = programs.program(programs.SCRATCH, 4096)
    slow.record.ns_per_block = 1e-3
    out = np.zeros((16, 2), np.uint64)
    slow.run([out.ctypes.data, 300_000], (16, 1, 1))
    assert (out[:, 1] == np.arange(16)).all()
    assert slow.record.ns_per_block > 1000


def test_several_python_threads_launch_at_once(count, workers):
    workers(2)
    outs = [np.zeros(5000, np.uint32) for _ in range(4)]

    def go(out):
        for _ in range(100):
            count.run([out.ctypes.data], (5000, 1, 1))

    threads = [threading.Thread(target=go, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((out == 100).all() for out in outs)


def test_scratch_is_aligned_and_each_threads_own(workers):
    workers(3)
    slow = programs.program(programs.SCRATCH, 4096)
    outs = [np.zeros((40, 2), np.uint64) for _ in range(3)]
    threads = [threading.Thread(target=slow.run, args=([out.ctypes.data, 20_000], (40, 1, 1))) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in outs:
        assert (out[:, 0] % 64 == 0).all()
        # What a block left in its scratch was still there at its end: nobody shared it.
        assert (out[:, 1] == np.arange(40)).all()


def test_a_block_that_fails(workers):
    workers(1)
    fail = programs.program(programs.FAIL)
    fail.run([7, 1000], (100, 1, 1))
    for _ in range(20):
        with pytest.raises(AveError) as e:
            fail.run([7, 33], (100, 1, 1))
        assert e.value.code == "L031"
        assert "status 7" in e.value.message
    fail.run([7, 1000], (100, 1, 1))


def test_no_memory_for_scratch():
    with pytest.raises(AveError) as e:
        programs.program(programs.COUNT, 1 << 60).run([0], (4, 1, 1))
    assert e.value.code == "L030"
    out = np.zeros(4, np.uint32)
    programs.program(programs.COUNT, 64).run([out.ctypes.data], (4, 1, 1))
    assert (out == 1).all()


def process(program):
    """Runs a program that can import `programs`; gives its output."""
    head = f"import sys\nsys.path.insert(0, {os.path.dirname(programs.__file__)!r})\n"
    done = subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_child_process_has_a_pool_of_its_own():
    # In a process without JAX, whose own threads a fork would leave behind.
    program = """
import os
import numpy as np, programs
from avelang.runtime.native import native
pool = native().pool
pool.workers = 2
count = programs.program(programs.COUNT)
out = np.zeros(1000, np.uint32)

def launch():
    count.record.ns_per_block = 0.0  # so that the launch is shared
    count.run([out.ctypes.data], (1000, 1, 1))

launch()
assert pool.started == 2
pid = os.fork()
if pid == 0:
    fresh = pool.started
    launch()
    os._exit(0 if (fresh, pool.started) == (0, 2) and (out == 2).all() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
launch()
print((out == 2).all(), pool.started)
"""
    assert process(program) == "True 2\n"


def test_ctrl_c_is_not_lost(workers):
    workers(1)
    slow = programs.program(programs.SCRATCH, 4096)
    out = np.zeros((8, 2), np.uint64)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(200):
            slow.run([out.ctypes.data, 5_000_000], (8, 1, 1))
    timer.join()


def test_the_process_ends_while_workers_sleep_and_kernels_run():
    program = """
import threading
import numpy as np, programs
from avelang.runtime.native import native
native().pool.workers = 2
p = programs.program(programs.SCRATCH, 4096)
out = np.zeros((64, 2), np.uint64)
p.run([out.ctypes.data, 100], (64, 1, 1))
t = threading.Thread(target=lambda: [p.run([out.ctypes.data, 100_000], (64, 1, 1)) for _ in range(1000)], daemon=True)
t.start()
print("end")
"""
    assert process(program) == "end\n"


def test_the_number_of_threads(monkeypatch):
    monkeypatch.setenv("AVE_THREADS", "3")
    assert native_module.threads() == 3
    monkeypatch.delenv("AVE_THREADS")
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5, 6, 7})
        assert native_module.threads() == 4


def test_a_system_without_posix_threads(monkeypatch):
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(AveError) as e:
        native_module.Native()
    assert e.value.code == "D010"


def test_the_host_code_comes_out_of_the_cache(monkeypatch):
    """The first process makes it in haste, the second with care, and it is made again where the entry does not load."""
    from avelang.llvm.core import HostCompiler
    from avelang.runtime import cache

    made, make, stored = [], HostCompiler.object, []
    monkeypatch.setattr(HostCompiler, "object", lambda host, text, ready=False: made.append(host.quick) or make(host, text, ready))
    monkeypatch.setattr(cache, "key", lambda parts, key=cache.key: stored.append(key(parts)) or stored[-1])
    text = "define i64 @f() {\n ret i64 7\n}\n"
    for want in ([True], [True, False], [True, False], [True, False, True], [True, False, True, False]):
        if len(stored) == 6:
            cache.store(stored[0], {"kind": "host"}, b"no object")
        code = native_module._code(text)
        assert ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("f"))() == 7 and made == want


def test_code_made_in_haste_does_where_nothing_may_be_compiled(monkeypatch):
    text = "define i64 @f() {\n ret i64 8\n}\n"
    native_module._code(text)
    monkeypatch.setenv("AVE_STRICT", "1")
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(native_module._code(text).address("f"))() == 8
