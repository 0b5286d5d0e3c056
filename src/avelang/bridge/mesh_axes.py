"""Operations of several ranks whose ranks are JAX's devices along an axis of a mesh: the name of such a group, what
XLA's program is told of it, and how a device's call joins those of the others.

The devices are of one process, and XLA runs a thread for each. A call gets its device's place on the axis as an
operand; which calls belong together say the number of the run, which XLA gives, and a number of the call's place in the
program. Who brings calls together is `JOIN`, and `JOIN_GPUS` those of GPUs: `avelang.dist.axes` sets them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from avelang.base.parsing import literal

AXIS = "mesh axis "  # begins the names of such groups
_PLACES = itertools.count()

# join(run, call, rank, ranks, color): what a call does between; None until `avelang.dist` is there.
Join = Callable[[int, Any, int, int, int], AbstractContextManager[Any]]
JOIN: list[Join] = []


class GpuCall(NamedTuple):
    """A call of a device of an axis: its run, its number and its place in the compiled program, which GPU it is, on
    what stream, and how many there are along the axis. `operand`: the address, on the GPU, of what `place` gives, which
    is the same in all runs of the compiled program."""

    run: int
    number: int
    site: int
    index: int
    stream: int
    ranks: int
    operand: int


JOIN_GPUS: list[Callable[[GpuCall], AbstractContextManager[Any]]] = []


class Axis(NamedTuple):
    """Names of axes of a mesh, and how many devices there are along them."""

    names: tuple[str, ...]
    ranks: int

    @property
    def group(self) -> str:
        """The name of the group, as an option of operations."""
        return AXIS + repr((self.names, self.ranks))


def axis_of(options: dict[str, Any]) -> Axis | None:
    """The axis that a call's option `group` names."""
    group = options.get("group")
    if not isinstance(group, str) or not group.startswith(AXIS):
        return None
    return Axis(*literal(group[len(AXIS) :]))


def bound(names: tuple[str, ...]) -> Axis | None:
    """The axis by its names, inside of `jax.shard_map`; None where it is not bound."""
    jax: Any = sys.modules.get("jax")
    try:
        return None if jax is None else Axis(names, int(jax.lax.psum(1, names)))
    except NameError:
        return None


def place(axis: Axis) -> Any:
    """The operand that tells a call its place: i32 (2,), the rank, and which of the groups along the axis it is in."""
    jax: Any = sys.modules["jax"]
    mesh = jax.sharding.get_abstract_mesh()
    others = tuple(n for n in getattr(mesh, "manual_axes", ()) if n not in axis.names)
    rank = jax.lax.axis_index(axis.names)
    color = jax.lax.axis_index(others) if others else jax.numpy.zeros_like(rank)
    return jax.numpy.stack([rank, color]).astype(jax.numpy.int32)


def row(axis: Axis, table: Any) -> Any:
    """The row of a table (ranks, ...) that is this device's: i32."""
    jax: Any = sys.modules["jax"]
    return jax.numpy.asarray(table, jax.numpy.int32)[jax.lax.axis_index(axis.names)]


def number() -> int:
    """The number of a call's place in a program."""
    return next(_PLACES)
