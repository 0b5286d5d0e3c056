"""Seeded bugs in what several GPUs do to one another's memory: signals, fences, epochs, places. Each kernel's constexpr `BUG` says whether it is the
bug or its correct twin; a case launches it on two or three ranks of a `World`, in orders that seeds draw."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from checks.seeds import Column, Seed

ORDERS = 3  # orders of ranks that are tried
F64, S8 = al.Tensor((64,), al.f32), al.Tensor((8,), al.u32)
F128 = al.Tensor((128,), al.f32)
T8 = al.Signals((8,))


@dataclasses.dataclass(frozen=True)
class RankCase:
    """A seeded bug: kernel, codes by which it may be found, ranks, blocks, threads of a block, and the epochs of its launches, one after another, for
    the bug and for the twin."""

    kernel: Any
    codes: tuple[str, ...]
    ranks: int = 2
    grid: int = 1
    block: int = 64
    epochs: tuple[tuple[int, ...], tuple[int, ...]] = ((1,), (1,))
    size: int = 64
    later: bool = False  # whether a block waits for a later one of a peer: executed AMD code has them one after another

    @property
    def name(self) -> str:
        return self.kernel.__name__

    def run(self, bug: bool, races: bool = True, orders: int = ORDERS, backend: str = "reference") -> None:
        for seed in range(orders):
            w = World(self.ranks, backend=backend, bytes=1 << 13, seed=seed, races=races, limit=1.0 if bug else 60.0)
            x, signals, out = w.zeros(self.size, np.float32), w.zeros(8, np.uint32), w.each([np.zeros(self.size, np.float32) for _ in range(self.ranks)])
            for epoch in self.epochs[0 if bug else 1]:
                w.launch(self.kernel, self.grid, self.block, x, out, signals, epoch, w.team, BUG=bug)


CASES: list[RankCase] = []


def case(*codes: str, **more: Any) -> Callable[[Any], Any]:
    def add(kernel: Any) -> Any:
        CASES.append(RankCase(kernel, codes, **more))
        return kernel

    return add


def seeds() -> list[Seed]:
    """As `checks.seeds` has them; the reference and executed code run several ranks."""
    backends = {"reference": "reference", "gfx942-exec": "gfx942", "ptx-exec": "sm_90a"}

    def runner(c: RankCase) -> Callable[[Column, bool], str | None]:
        def run(column: Column, bug: bool) -> str | None:
            engine, word = column
            if engine not in backends or word not in ("", "races") or c.later and engine == "gfx942-exec":
                return None
            if engine != "reference" and not word:
                return None
            c.run(bug, races=bool(word), backend=backends[engine])
            return ""

        return run

    return [Seed(c.name, "ranks", runner(c)) for c in CASES]


def found(c: RankCase) -> AveError | None:
    """What the bug brings."""
    try:
        c.run(True)
    except AveError as e:
        return e
    return None


@avelang.jit
def at(signals: S8, i: al.constexpr):
    return al.subview(signals, (i,), (1,))


# -- data and its signal -------------------------------------------------------------------------------------------------------------------


@case("X040")
@avelang.jit
def reads_what_a_peer_pushed_without_waiting(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        if not BUG:
            al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040")
@avelang.jit
def signals_before_it_stores(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if BUG:
        if t == 0:
            al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        al.peer(x, 1 - me)[t] = 1.0
    else:
        al.peer(x, 1 - me)[t] = 1.0
        al.syncthreads()
        if t == 0:
            al.signal(al.peer(at(signals, 0), 1 - me), epoch)
    if t == 0:
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040", block=128, size=128)
@avelang.jit
def signals_while_other_waves_store(x: F128, out: F128, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    if not BUG:
        al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040", block=128, size=128)
@avelang.jit
def one_wave_waits_and_others_read_at_once(x: F128, out: F128, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        al.wait(at(signals, 0), epoch, 1 - me)
    if not BUG:
        al.syncthreads()
    out[t] = x[t]


@case("X040", grid=2)
@avelang.jit
def only_the_first_block_waits(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me, b = al.thread_id(0), al.rank(), al.block_id(0)
    if b == 0:
        al.peer(x, 1 - me)[t] = 1.0
        al.syncthreads()
        if t == 0:
            al.signal(al.peer(at(signals, 0), 1 - me), epoch)
    if t == 0 and (b == 0 or not BUG):
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    if b == 1:
        out[t] = x[t]


# -- scopes and fences ---------------------------------------------------------------------------------------------------------------------


@case("X040")
@avelang.jit
def releases_to_its_own_gpu_only(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        if BUG:
            al.atomic_exchange(al.peer(signals, 1 - me), 0, epoch, order="release")
        else:
            al.system.store_release(al.peer(at(signals, 0), 1 - me), epoch)
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040")
@avelang.jit
def no_fence_before_a_relaxed_signal(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        if not BUG:
            al.fence(scope="system")
        al.atomic_exchange(al.peer(signals, 1 - me), 0, epoch, scope="system")
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040")
@avelang.jit
def fence_of_the_gpu_before_a_relaxed_signal(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        if BUG:
            al.fence()
        else:
            al.fence(scope="system")
        al.atomic_exchange(al.peer(signals, 1 - me), 0, epoch, scope="system")
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040")
@avelang.jit
def looks_at_a_signal_without_acquire(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        while al.system.load_relaxed_u32(at(signals, 0)) < epoch:
            al.system.pause()
        if not BUG:
            al.fence(scope="system")
    al.syncthreads()
    out[t] = x[t]


@case("X040", ranks=3)
@avelang.jit
def sums_at_a_peer_by_atomics_of_one_gpu(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t = al.thread_id(0)
    if t == 0:
        if BUG:
            al.atomic_add(al.peer(x, 0), 0, 1.0)
        else:
            al.atomic_add(al.peer(x, 0), 0, 1.0, scope="system")


@case("X040", ranks=3)
@avelang.jit
def two_ranks_store_to_one_place(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if t < 8:
        al.peer(x, 0)[t if BUG else t + 8 * me] = 1.0


# -- epochs --------------------------------------------------------------------------------------------------------------------------------


@case("X040")
@avelang.jit
def waits_for_the_epoch_of_the_round_before(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    for i in al.range(2):
        if t < 32:
            al.peer(x, 1 - me)[al.convert(i, al.u32) * 32 + t] = 1.0
        al.syncthreads()
        if t == 0:
            al.signal(al.peer(at(signals, 0), 1 - me), epoch + al.convert(i, al.u32))
            al.wait(at(signals, 0), epoch if BUG else epoch + al.convert(i, al.u32), 1 - me)
        al.syncthreads()
        if t < 32:
            out[al.convert(i, al.u32) * 32 + t] = x[al.convert(i, al.u32) * 32 + t]


@case("X040", epochs=((1, 1), (1, 2)))
@avelang.jit
def second_launch_with_the_epoch_of_the_first(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if t == 0:  # the other has read what the last launch pushed
        al.signal(al.peer(at(signals, 1), 1 - me), epoch)
        al.wait(at(signals, 1), epoch, 1 - me)
    al.syncthreads()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]


@case("X040", epochs=((1, 2), (1, 2)))
@avelang.jit
def pushes_again_before_the_peer_has_read(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if t == 0 and not BUG:
        al.wait(at(signals, 1), epoch - 1, 1 - me)
    al.syncthreads()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        al.wait(at(signals, 0), epoch, 1 - me)
    al.syncthreads()
    out[t] = x[t]
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(at(signals, 1), 1 - me), epoch)


@case("X011", ranks=3, epochs=((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)))
@avelang.jit
def counter_begins_again_while_others_add(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, n = al.thread_id(0), al.ranks()
    if t == 0:
        for i in al.range(2):
            for r in range(3):
                al.atomic_add(al.peer(signals, r), 0, 1, scope="system", order="release")
            if BUG:
                al.wait(at(signals, 0), n, al.rank())
                al.system.store_release(at(signals, 0), al.u32(0))
            else:
                al.wait(at(signals, 0), n * (2 * epoch - 1 + al.convert(i, al.u32)), al.rank())


@case("X040", ranks=3)
@avelang.jit
def two_ranks_share_a_signal(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if me > 0:
        if t < 32:
            al.peer(x, 0)[t + 32 * (me - 1)] = 1.0
        al.syncthreads()
        if t == 0:
            place = al.subview(signals, (0 if BUG else me,), (1,))
            al.signal(al.peer(place, 0), epoch)
    else:
        if t == 0:
            for r in range(1, 3):
                al.wait(at(signals, 0 if BUG else r), epoch, r)
        al.syncthreads()
        out[t] = x[t]


@case("X012", epochs=((2, 1), (1, 2)))
@avelang.jit
def second_launch_with_an_epoch_before_the_first(x: F64, out: F64, signals: T8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if t == 0:
        signals[0].at(1 - me).send(epoch)
        signals[0].wait(epoch, 1 - me)


@case("X040", ranks=3)
@avelang.jit
def one_of_two_that_add_to_a_signal_is_waited_for(x: F64, out: F64, signals: T8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if me > 0:
        if t < 32:
            al.peer(x, 0)[t + 32 * (me - 1)] = 1.0
        al.syncthreads()
        if t == 0:
            signals[0].at(0).add()
    else:
        if t == 0:
            signals[0].wait(epoch if BUG else 2 * epoch, 1)
        al.syncthreads()
        out[t] = x[t]


@case("X040")
@avelang.jit
def looks_once_at_a_signal(x: F64, out: F64, signals: T8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        signals[0].at(1 - me).send(epoch)
        while signals[0].value() < (0 if BUG else epoch):
            al.system.pause()
    al.syncthreads()
    out[t] = x[t]


# -- waits without an end ------------------------------------------------------------------------------------------------------------------


@case("X011")
@avelang.jit
def all_wait_before_they_signal(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if t == 0:
        if BUG:
            al.wait(at(signals, 0), epoch, 1 - me)
            al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        else:
            al.signal(al.peer(at(signals, 0), 1 - me), epoch)
            al.wait(at(signals, 0), epoch, 1 - me)


@case("X011")
@avelang.jit
def waits_for_an_epoch_that_nobody_gives(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    if t == 0:
        al.signal(al.peer(at(signals, 0), 1 - me), epoch)
        al.wait(at(signals, 0), epoch + (1 if BUG else 0), 1 - me)


@case("X011", ranks=3)
@avelang.jit
def signals_its_own_memory(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me, n = al.thread_id(0), al.rank(), al.ranks()
    if t == 0:
        behind = (me + n - 1) % n
        place = al.subview(signals, (me,), (1,))
        al.signal(place if BUG else al.peer(place, (me + 1) % n), epoch)
        al.wait(al.subview(signals, (behind,), (1,)), epoch, behind)


# -- places --------------------------------------------------------------------------------------------------------------------------------


@case("X002", ranks=3)
@avelang.jit
def the_rank_behind_the_last(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me, n = al.thread_id(0), al.rank(), al.ranks()
    al.peer(x, me + 1 if BUG else (me + 1) % n)[t] = 1.0


@case("X001")
@avelang.jit
def outside_of_a_peers_tensor(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    al.peer(x, 1 - me)[t + (me if BUG else 0)] = 1.0


# -- rows that go to experts ---------------------------------------------------------------------------------------------------------------


@avelang.jit
def first_row(signals: S8, me: al.u32):
    """Where a rank's rows begin at rank 0: behind those of the ranks before it, of which words 4 and up of `signals` say how many there are."""
    first = al.u32(0)
    for r in range(3):
        if r < me:
            first += signals[4 + r]
    return first


@avelang.jit
def tell_counts(signals: S8, epoch: al.u32, wait: al.constexpr):
    """Rank r has r + 1 rows; all hear of it."""
    t, me = al.thread_id(0), al.rank()
    if t < 3:
        al.peer(signals, t)[4 + me] = me + 1
        al.signal(al.peer(al.subview(signals, (me,), (1,)), t), epoch)
        if wait:
            al.wait(al.subview(signals, (t,), (1,)), epoch, t)
    al.syncthreads()


@case("X040", ranks=3)
@avelang.jit
def places_rows_by_counts_that_have_not_come(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    tell_counts(signals, epoch, not BUG)
    if t <= me:
        al.peer(x, 0)[first_row(signals, me) + t] = 1.0


@case("X040", ranks=3)
@avelang.jit
def leaves_no_room_for_rows_of_the_ranks_before(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    tell_counts(signals, epoch, True)
    if t <= me:
        al.peer(x, 0)[(0 if BUG else first_row(signals, me)) + t] = 1.0


@case("X040", grid=2, later=True)
@avelang.jit
def takes_rows_when_one_of_the_pushing_blocks_is_done(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me, b = al.thread_id(0), al.rank(), al.block_id(0)
    if t % 2 == b:
        al.peer(x, 1 - me)[t] = 1.0
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(al.subview(signals, (b,), (1,)), 1 - me), epoch)
    if t < (1 if BUG else 2):
        al.wait(al.subview(signals, (t,), (1,)), epoch, 1 - me)
    al.syncthreads()
    if b == 0:
        out[t] = x[t]


@case("X040")
@avelang.jit
def brings_rows_back_into_a_box_that_is_still_read(x: F64, out: F64, signals: S8, epoch: al.u32, team: al.Ranks, BUG: al.constexpr):
    t, me = al.thread_id(0), al.rank()
    for i in range(2):  # there, and back
        al.peer(x, 1 - me)[t] = 1.0
        al.syncthreads()
        if t == 0:
            al.signal(al.peer(at(signals, i), 1 - me), epoch)
            al.wait(at(signals, i), epoch, 1 - me)
        al.syncthreads()
        out[t] = x[t]
        al.syncthreads()
        if t == 0 and i == 0 and not BUG:
            al.signal(al.peer(at(signals, 2), 1 - me), epoch)
            al.wait(at(signals, 2), epoch, 1 - me)
        al.syncthreads()
