"""JAX's devices along an axis of a mesh as ranks: calls that belong together get a `World`, which is theirs until all
have made the call.

A world is used by one call at a time, so calls of different programs, or of one program in different orders on its
devices, never meet in its memory. It is kept for the next one; one in which a rank has failed is let go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from avelang.bridge import mesh_axes
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


mesh_axes.JOIN[:] = [joined]
