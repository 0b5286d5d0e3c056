"""Jobs come in; kernels compiled by several processes at a time go out.

Each worker is a fresh Python (`worker.py`). One that ends while it compiles (LLVM may end a process) or that takes too
long costs its job and is replaced; the parent is not harmed."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import avelang.tuning.worker as worker
from avelang.base import knobs
from avelang.base.errors import error

SECONDS = 120.0  # that a compilation may take


class Outcome(NamedTuple):
    """The end of a job: `made`, its payload and facts, or None and the error in `failed`."""

    made: tuple[bytes, dict[str, Any]] | None
    failed: Exception | None


class CompileWorkers:
    """Up to `count` processes that compile; they start when there is work. Use it in a `with`: at the end they are
    ended. `seconds`: that a job may take."""

    def __init__(self, count: int | None = None, seconds: float = SECONDS):
        self.count = count if count is not None else max(1, min(16, cores()))
        self.seconds = seconds
        self._queue: queue.SimpleQueue[tuple[Any, Callable[[Outcome], None]] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._open = True
        self._waiting = 0
        self._done = threading.Condition()

    def __enter__(self) -> CompileWorkers:
        return self

    def __exit__(self, *what: object) -> None:
        self._open = False
        for _ in self._threads:
            self._queue.put(None)
        for process in list(self._processes):
            _end(process)
        for thread in self._threads:
            thread.join(5)

    def submit(self, job: Any, done: Callable[[Outcome], None]) -> None:
        """Has a job compiled; `done` is called with what became of it, on another thread."""
        with self._done:
            self._waiting += 1
        self._queue.put((job, done))
        if len(self._threads) < min(self.count, self._waiting):
            thread = threading.Thread(target=self._serve, daemon=True, name="ave-compile")
            self._threads.append(thread)
            thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until all jobs are answered, or so long; returns whether they are."""
        with self._done:
            return self._done.wait_for(lambda: self._waiting == 0, seconds)

    def _serve(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while (item := self._queue.get()) is not None:
            job, done = item
            outcome = Outcome(None, error("D042", why="the tuner has ended"))
            if self._open:
                if process is None or process.poll() is not None:
                    process = self._start()
                outcome = self._ask(process, job)
            try:
                done(outcome)
            finally:
                with self._done:
                    self._waiting -= 1
                    self._done.notify_all()
        if process is not None:
            self._processes.discard(process)
            _end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", f"from {worker.__name__} import main; main()"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=knobs.child_environment(sys.path))
        self._processes.add(process)
        return process

    def _ask(self, process: subprocess.Popen[bytes], job: Any) -> Outcome:
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(self.seconds, process.kill)
        timer.start()
        try:
            worker.send(process.stdin, job)
            kind, found = worker.receive(process.stdout)
        except (EOFError, OSError) as e:
            status = process.wait()
            self._processes.discard(process)
            late = not timer.is_alive() and not timer.finished.is_set()
            how = f"it took over {self.seconds:g} s" if late or status == -9 else f"status {status}"
            return Outcome(None, error("D042", why=f"{how} ({type(e).__name__})"))
        except Exception as e:  # what cannot be pickled
            return Outcome(None, error("D042", why=f"{type(e).__name__}: {e}"))
        finally:
            timer.cancel()
        return Outcome(found, None) if kind == "made" else Outcome(None, found)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        process.kill()
        process.wait(5)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
