"""Four ranks hand rows to their neighbors, round after round, with signals and epochs. No GPU is needed. The reference checks that nothing
races, and finds it when a wait is left out."""

from __future__ import annotations

import numpy as np

import avelang
import avelang.language as al
from avelang.dist import World

N, RANKS = 64, 4
ROW = al.Tensor[(N,), al.f32]


@avelang.jit
def push(x: ROW, box: ROW, out: ROW, signals: al.Signals[2], epoch: al.u32, team: al.Ranks, CAREFUL: al.constexpr):
    """Puts x into the box of the next rank; out is what came from the rank behind."""
    t, me, n = al.thread_id(0), al.rank(), al.ranks()
    ahead, behind = (me + 1) % n, (me + n - 1) % n
    pushed, read = signals[0], signals[1]
    if t == 0 and CAREFUL:
        read.wait(epoch - 1, ahead)  # it has read what came the last time
    al.syncthreads()
    al.peer(box, ahead)[t] = x[t]
    al.syncthreads()
    if t == 0:
        pushed.at(ahead).send(epoch)
        pushed.wait(epoch, behind)
    al.syncthreads()
    out[t] = box[t]
    al.syncthreads()
    if t == 0:
        read.at(behind).send(epoch)


def rounds(backend: str, count: int, careful: bool = True) -> bool:
    """Says whether each rank got its neighbor's row in each round."""
    world, rng, right = World(RANKS, backend=backend), np.random.default_rng(0), True
    box, signals = world.zeros(N, np.float32), world.zeros(2, np.uint32)
    for epoch in range(1, count + 1):
        x = [rng.standard_normal(N).astype(np.float32) for _ in range(RANKS)]
        out = [np.full(N, np.nan, np.float32) for _ in range(RANKS)]
        world.launch(push, 1, N, world.each(x), box, world.each(out), signals, epoch, world.team, careful)
        right = right and all((out[r] == x[r - 1]).all() for r in range(RANKS))
    return right


def race() -> str:
    """The code of the report where a rank does not wait until its neighbor has read."""
    try:
        rounds("reference", 3, careful=False)
    except avelang.errors.AveError as e:
        return e.code
    return "none"


for backend in ("cpu", "reference", "sm_90a"):
    print(f"{backend}: {RANKS} ranks, 3 rounds:", "agree" if rounds(backend, 3) else "differ")
print("without the wait for the reader the reference reports X040:", "agree" if race() == "X040" else "differ")
