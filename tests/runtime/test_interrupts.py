"""Ctrl-C and other signals while a kernel runs on the CPU: processes of their own, in which each kind of loop is stopped."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent(
    """
    import signal, sys, threading, time
    import numpy as np
    import avelang, avelang.language as al

    @avelang.jit
    def uniform(x: al.Pointer(al.i32)):
        v = x[0]
        while v == 0:
            v = x[0] * 0
        x[al.thread_id(0)] = v

    @avelang.jit
    def lanes(x: al.Pointer(al.i32)):
        v = al.convert(al.thread_id(0), al.i32)
        while v >= 0:
            v = (v + 1) % 1000
        x[al.thread_id(0)] = v

    @avelang.jit
    def counted(x: al.Pointer(al.i32), n: al.i32):
        v = x[al.thread_id(0)]
        for j in al.range(n):
            for k in al.range(n):
                v = v * 3 + j + x[k % 4]
        x[al.thread_id(0)] = v

    @avelang.jit
    def waves(x: al.Pointer(al.i32)):
        v = x[0]
        stage = al.make_shared((4,), al.i32)
        while v == 0:
            stage[0] = 0
            al.syncthreads()
            v = stage[0]
            al.syncthreads()
        x[al.thread_id(0)] = v

    @avelang.jit
    def short(x: al.Pointer(al.i32)):
        x[al.thread_id(0)] = 5

    def stopped(launch, after=0.2):
        # The kernel is compiled before: what is measured is the launch.
        signal.setitimer(signal.ITIMER_REAL, after)
        start = time.monotonic()
        try:
            launch()
        except KeyboardInterrupt:
            return time.monotonic() - start - after
        raise SystemExit("the launch has returned")

    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGALRM, interrupt)
    x = np.zeros(256, np.int32)
    ready = x + 1
    ready[:4] = 1
    for grid in (1, 9):
        for kernel, args, block in ((uniform, (), 64), (lanes, (), 64), (counted, (1 << 30,), 64), (waves, (), 256)):
            if kernel is counted:
                kernel[grid, block](ready.copy(), 1)
            elif kernel is not lanes:
                kernel[grid, block](ready.copy())
            x[:] = 0
            stopped(lambda: kernel[grid, block](x, *args), 0.2 if kernel is not lanes else 1.5)
    short[1, 64](x)
    assert x[0] == 5
    # A handler that raises nothing runs, and the kernel goes on.
    seen = []
    def once(*_):
        seen.append(1)
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
    signal.signal(signal.SIGALRM, once)
    x[:] = 0
    stopped(lambda: uniform[1, 64](x), 0.1)
    assert seen == [1]
    # Of another thread.
    found = []
    def other():
        y = np.zeros(64, np.int32)
        try:
            uniform[1, 64](y)
        except KeyboardInterrupt:
            found.append(1)
    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    time.sleep(0.3)
    try:
        signal.raise_signal(signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        pass
    thread.join(10)
    assert found == [1]
    short[1, 64](x)
    print("usable")
    """
)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_kernels_of_every_kind_of_loop_are_stopped(tmp_path):
    program = tmp_path / "stops.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120, env={**os.environ, "AVE_THREADS": "2"})
    assert done.returncode == 0 and done.stdout == "usable\n", done.stderr
