"""Main loops whose stages pass through LDS of AMD's CDNA: what reads, refills and multiplies comes in; the order in
which these run, and the hints by which LLVM keeps it, go out.

There is one barrier a stage. Products stand on both sides of it, so that the matrix pipes are busy while LDS is read:
those of the first EARLY fragments of A before it, the others behind it. Source of the hints: `scheduling`."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.pipelines.scheduling import sched_barrier, sched_interleave


@avelang.jit
def lds_mainloop(rounds, STAGES, I, EARLY, first, second, multiply, sync, BEFORE, AFTER):
    """Multiplies `rounds` times STAGES stages, of which a wave has I fragments of A each.

    | of stage s | what runs | hints |
    | --- | --- | --- |
    | before the barrier | `first(round, s)`: reads the fragments of A from EARLY on. `multiply(s, 0, EARLY)` | BEFORE |
    | barrier | `sync()`: all waves have read stage s, and stage s + 1 is ready | |
    | behind it | `second(round, s)`: reads stage s + 1, EARLY of A; refills s. `multiply(s, EARLY, I)` | AFTER[s % 2] |

    A hint is (kind, count, products[, group]), as of `sched_interleave`. Before the loop stage 0 is ready, and its
    first fragments have been read."""
    for step in al.range(rounds):
        for s in range(STAGES):
            first(step, s)
            multiply(s, 0, EARLY)
            for hint in BEFORE:
                sched_interleave(*hint)
            sched_barrier()
            sync()
            second(step, s)
            multiply(s, EARLY, I)
            for hint in AFTER[s % 2]:
                sched_interleave(*hint)
            sched_barrier()


@avelang.jit
def alternate_barrier(THREADS, late):
    """A barrier of a block of so many threads at which its two groups of waves are in different places of the program;
    `late`: true for the group that is one barrier behind. On NVIDIA two named barriers, since compute-sanitizer takes a
    barrier of all threads to be in one place: the late group waits for the other and then answers, so that nobody
    comes to a barrier again before all have left it."""
    if al.target().vendor == "amd":
        al.syncthreads()
    elif late:
        al.nvvm.barrier_sync(1, THREADS)
        al.nvvm.barrier_arrive(2, THREADS)
    else:
        al.nvvm.barrier_arrive(1, THREADS)
        al.nvvm.barrier_sync(2, THREADS)
