"""The whole sweep: each program on each engine that can run it, under AVE_CHECK=all, in a process of its own with a limit; what is reported goes out."""

from __future__ import annotations

import fnmatch
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable

import alarms.operations  # noqa: F401  (adds programs)
from alarms.engines import Engine, engines_of, on
from alarms.kernels import ALONE, PROGRAMS, Work
from avelang.base import engines
from avelang.base.errors import AveError

# What the reference says of an output of which it has seen elements that nothing wrote.
UNWRITTEN = "has not written"


def cases(name: str) -> list[Engine | None]:
    """The engines of a program; None for what runs on one only."""
    work = PROGRAMS[name]
    return [None] if work.chips == ALONE else list(engines_of(work.chips))


def report(name: str, where: Engine | None) -> str:
    """Runs a program; what is said of it, "" where it is nothing."""
    work = PROGRAMS[name]
    try:
        said = _said(work, where)
    except AveError as e:
        return str(e)
    lines = [x for x in said.splitlines() if not x.startswith("ave: AVE_CHECK=all")]
    return "\n".join(x for x in lines if not (work.part and UNWRITTEN in x))


def _said(work: Work, where: Engine | None) -> str:
    with on(where or Engine(engines.PTX, "")) as out:
        if where is None:
            work.run()
        else:
            work.run(target=where.chip, **where.options)
    return out.getvalue()


def _child(name: str, where: Engine | None, limit: int, out: int) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit)
    try:
        said = report(name, where)
    except BaseException:
        said = traceback.format_exc()
    os.write(out, said.encode()[:4000])
    os._exit(0)


def sweep(say: Callable[[str], None], pattern: str = "*", engine: str = "*", limit: int = 300, words: str = "all") -> list[str]:
    """Runs what fits the patterns, one after another; a line for each and what was reported. The names of those that reported something."""
    os.environ["AVE_CHECK"] = words
    alarms = []
    for name in PROGRAMS:
        for where in cases(name) if fnmatch.fnmatch(name, pattern) else ():
            label = f"{name} on {where or 'ptx-exec'}"
            if not fnmatch.fnmatch(str(where or "ptx-exec"), engine):
                continue
            sys.stdout.flush()
            start, (ours, theirs) = time.perf_counter(), os.pipe()
            child = os.fork()
            if not child:
                os.close(ours)
                _child(name, where, limit, theirs)
            os.close(theirs)
            with os.fdopen(ours) as lines:
                said = lines.read()
            _, status = os.waitpid(child, 0)
            slow = status == signal.SIGALRM
            said = said or ("the limit was not enough: nothing is known" if slow else f"the process ended with status {status}" if status else "")
            say(f"{'SLOW' if slow else 'ALARM' if said else 'ok':6}{time.perf_counter() - start:6.1f} s  {label}{''.join(chr(10) + '    ' + x for x in said.splitlines())}")
            if said:
                alarms.append(f"{label} (slow)" if slow else label)
    return alarms
