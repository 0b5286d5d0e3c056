"""Made by `./dev stubs` from src/avelang/pipelines/lds.py."""

from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.pipelines.scheduling import sched_barrier as sched_barrier
from avelang.pipelines.scheduling import sched_interleave as sched_interleave

@avelang.jit
def lds_mainloop(
    rounds: Any, STAGES: Any, I: Any, EARLY: Any, first: Function, second: Function, multiply: Function, sync: Function, BEFORE: Any, AFTER: Any
) -> None:
    """Multiplies `rounds` times STAGES stages, of which a wave has I fragments of A each.

    | of stage s | what runs | hints |
    | --- | --- | --- |
    | before the barrier | `first(round, s)`: reads the fragments of A from EARLY on. `multiply(s, 0, EARLY)` | BEFORE |
    | barrier | `sync()`: all waves have read stage s, and stage s + 1 is ready | |
    | behind it | `second(round, s)`: reads stage s + 1, EARLY of A; refills s. `multiply(s, EARLY, I)` | AFTER[s % 2] |

    A hint is (kind, count, products[, group]), as of `sched_interleave`. Before the loop stage 0 is ready, and its
    first fragments have been read."""
@avelang.jit
def alternate_barrier(THREADS: Any, late: Any) -> None:
    """A barrier of a block of so many threads at which its two groups of waves are in different places of the program;
    `late`: true for the group that is one barrier behind. On NVIDIA two named barriers, since compute-sanitizer takes a
    barrier of all threads to be in one place: the late group waits for the other and then answers, so that nobody
    comes to a barrier again before all have left it."""
