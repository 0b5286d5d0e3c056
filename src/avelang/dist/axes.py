"""JAX's devices along an axis of a mesh as ranks. Of the CPU's, calls that belong together get a `World`, which is
theirs until all have made the call; GPUs get a `GpuTeam`, which is that of all calls of these GPUs.

A world is used by one call at a time, so calls of different programs, or of one program in different orders on its
devices, never meet in its memory. It is kept for the next one; one in which a rank has failed is let go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from avelang.base.places import argument_error
from avelang.bridge import mesh_axes
from avelang.dist.gpus import GpuMember, GpuTeam, gpu_of
from avelang.dist.memory import BYTES
from avelang.dist.world import Meeting, World, WorldMember

LIMIT = 60.0  # seconds that a call waits for the other devices
_LOCK = threading.Lock()
_HERE = threading.local()


class _Call:
    """One call of all ranks."""

    def __init__(self, world: World):
        self.world, self.meeting, self.here, self.left, self.failed = world, Meeting(world), set[int](), 0, False


_OPEN: dict[Any, _Call] = {}  # calls to which ranks are still to come
_FREE: dict[int, list[World]] = {}  # worlds that no call has, by their ranks


class OnAxis:
    """A group along an axis, as far as it is known while JAX traces: how many ranks there are."""

    def __init__(self, axis: mesh_axes.Axis):
        self.axis, self.ranks, self.name = axis, axis.ranks, axis.group

    def mine(self, table: Any) -> Any:
        """The row of a table that is this rank's, as an array of JAX of i32."""
        return mesh_axes.row(self.axis, table)

    def __repr__(self) -> str:
        return f"<ranks along {', '.join(self.axis.names)}, {self.ranks} of them>"


def here(group: str) -> Any:
    """The member of a group along an axis, in an operation that runs; `OnAxis` where JAX traces."""
    found = getattr(_HERE, "member", None)
    return found if found is not None else OnAxis(mesh_axes.axis_of({"group": group}))  # type: ignore[arg-type]


@contextmanager
def joined(run: int, call: Any, rank: int, ranks: int, color: int) -> Iterator[WorldMember]:
    """The context of a device's call: rank `rank` of the world that all devices' calls share. A rank that makes the
    same call once more before all have made it opens another one."""
    with _LOCK:
        key = run, call, ranks, color, 0
        while key in _OPEN and rank in _OPEN[key].here:
            key = (*key[:4], key[4] + 1)
        mine = _OPEN.get(key)
        if mine is None:
            free = _FREE.setdefault(ranks, [])
            mine = _OPEN[key] = _Call(free.pop() if free else World(ranks, bytes=BYTES, limit=LIMIT))
            mine.world.limit = LIMIT
        mine.here.add(rank)
        if len(mine.here) == ranks:
            del _OPEN[key]
        _HERE.member = mine.world._member(rank, mine.meeting)
        _HERE.member.limit = LIMIT
    try:
        yield _HERE.member
    except BaseException:
        mine.failed = True
        mine.world._give_up()
        mine.meeting.barrier.abort()
        raise
    finally:
        _HERE.member = None
        with _LOCK:
            mine.left += 1
            if mine.failed and _OPEN.get(key) is mine:
                del _OPEN[key]
            if mine.left == ranks and not mine.failed:
                _FREE[ranks].append(mine.world)


# -- GPUs --------------------------------------------------------------------------------------------------------------

_TEAMS: dict[tuple[int, ...], GpuTeam] = {}  # by the GPU of each rank
_PLACES: dict[tuple[int, int, int], tuple[int, GpuTeam]] = {}  # by a call's place and its GPU: rank, and whose
_MEETINGS: dict[Any, _Meeting] = {}  # of calls that come for the first time


class _Meeting:
    """Where the ranks of a call meet when it comes for the first time."""

    def __init__(self, ranks: int):
        self.ranks, self.limit, self.left = ranks, LIMIT, 0
        self.meeting = Meeting(self)


@contextmanager
def joined_gpus(call: mesh_axes.GpuCall) -> Iterator[GpuMember]:
    """The context of a GPU's call. Calls of one GPU follow one another on its stream, in the order of the program, so
    all ranks of a team use its memory in one order. The first time that a place in a program comes, its ranks meet."""
    key = call.site, call.number, call.index
    known = _PLACES.get(key)
    if known is None or known[1].failed:
        with _met(call) as (rank, team):
            _PLACES[key] = rank, team
            with _as_member(team.members[rank], team):
                yield _HERE.member
        return
    rank, team = known
    team.members[rank].together = True
    with _as_member(team.members[rank], team):
        yield _HERE.member


@contextmanager
def _as_member(member: GpuMember, team: GpuTeam) -> Iterator[None]:
    _HERE.member, member.limit = member, LIMIT
    try:
        yield
    except BaseException:
        team.end()
        raise
    finally:
        _HERE.member = None


@contextmanager
def _met(call: mesh_axes.GpuCall) -> Iterator[tuple[int, GpuTeam]]:
    """The rank of a call, and the team that its ranks are, which is made when these GPUs first meet. Raises L066,
    L083."""
    gpu, two = gpu_of(call.index), np.zeros(2, np.int32)
    if call.ranks > gpu.driver.count:
        raise argument_error(f"group is an axis of {call.ranks} devices, and this process has {gpu.driver.count} GPUs: "
                             f"all ranks are of one process", "take an axis of devices of one host")  # fmt: skip
    gpu.read(call.operand, two, call.stream)
    rank, color = (int(x) for x in two)
    key = call.run, call.number, call.ranks, color
    with _LOCK:
        mine = _MEETINGS.setdefault(key, _Meeting(call.ranks))
    try:
        indices = tuple(mine.meeting.exchange(rank, call.index))
        with _LOCK:
            team = _TEAMS.get(indices)
            if team is None:
                team = _TEAMS[indices] = GpuTeam(indices)
        team.idle(rank)
        mine.meeting.exchange(rank, None)
        with _LOCK:
            if team.failed:
                team.anew()
        mine.meeting.exchange(rank, None)
        member = team.members[rank]
        member.meeting, member.together = mine.meeting, False
        yield rank, team
    except BaseException:
        mine.meeting.barrier.abort()
        raise
    finally:
        with _LOCK:
            mine.left += 1
            if mine.left == call.ranks or mine.meeting.barrier.broken:
                _MEETINGS.pop(key, None)


mesh_axes.JOIN[:] = [joined]
mesh_axes.JOIN_GPUS[:] = [joined_gpus]
