"""What a launch's provider gives comes in; the extents of grid and block go out, checked against the limits of the
chip.

A grid with an extent of 0 has no blocks: such a launch checks its arguments and does nothing.
"""

from __future__ import annotations

import inspect
import math
import operator
from typing import Any, NamedTuple

from avelang.arch.facts import MAX_BLOCKS, MAX_CLUSTER, MAX_THREADS, Chip
from avelang.base.errors import error
from avelang.base.places import users_line

Dim3 = tuple[int, int, int]
CLUSTERS = f"a tuple of one to three positive ints, of {MAX_CLUSTER} blocks at most"


class Geometry(NamedTuple):
    """Extents of a grid in blocks, and of a block in threads."""

    grid: Dim3
    block: Dim3


def geometry(kernel: str, provider: Any) -> Geometry:
    """Calls the provider, or takes the tuple that it is. Raises L065 for one that wants arguments, L002 for a wrong
    form and L004 for too large a grid."""
    if callable(provider):
        wanted = _wanted(provider)
        if wanted:
            raise error("L065", users_line(), kernel=kernel, want=", ".join(wanted))
        provider = provider()
    given = provider

    def wrong(why: str) -> Exception:
        return error("L002", users_line(), kernel=kernel, got=repr(given), why=why)

    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise wrong("it is no pair")
    grid, block = (_extents(part, what, least, wrong)
                   for part, what, least in zip(given, ("grid", "block"), (0, 1), strict=True))
    for axis, extent, limit in zip("xyz", grid, MAX_BLOCKS, strict=True):
        if extent > limit:
            raise error("L004", users_line(), kernel=kernel, grid=grid, limit=limit, axis=axis)
    return Geometry(grid, block)


def _wanted(provider: Any) -> list[str]:
    """The parameters without a default of a provider: Triton's grids take one."""
    try:
        parameters = inspect.signature(provider).parameters.values()
    except (TypeError, ValueError):  # of something built in: the call says what is wrong
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _extents(part: Any, what: str, least: int, wrong: Any) -> Dim3:
    numbers = part if isinstance(part, (tuple, list)) else (part,)
    if not 1 <= len(numbers) <= 3:
        raise wrong(f"the {what} has {len(numbers)} extents")
    extents = [1, 1, 1]
    for i, n in enumerate(numbers):
        try:
            extents[i] = operator.index(n)
        except TypeError:
            raise wrong(f"an extent of the {what} is no int") from None
        if isinstance(n, bool):
            raise wrong(f"an extent of the {what} is no int")
    x, y, z = extents
    if min(x, y, z) < least:
        raise wrong(f"an extent of the {what} is {min(x, y, z)}")
    return x, y, z


def cluster_of(given: Any) -> Dim3 | None:
    """The extents of a cluster, of a tuple or a list of one to three; None for what is none, in words `CLUSTERS`."""
    if (
        not isinstance(given, (tuple, list))
        or not 1 <= len(given) <= 3
        or not all(type(n) is int and n >= 1 for n in given)
    ):
        return None
    x, y, z = (*given, 1, 1)[:3]
    return (x, y, z) if x * y * z <= MAX_CLUSTER else None


def check_cluster(kernel: str, grid: Dim3, cluster: tuple[int, ...]) -> None:
    """Raises L029 for a grid that is no multiple of the cluster (CUDA C++ Programming Guide, "Thread Block
    Clusters")."""
    x, y, z = extents = (*cluster, 1, 1)[:3]
    if grid[0] % x or grid[1] % y or grid[2] % z:
        raise error("L029", users_line(), kernel=kernel, grid=grid, cluster=extents)


def check_block(kernel: str, block: Dim3, chip: Chip | None) -> None:
    """Raises L003 for more threads than the chip, or any chip, takes in a block."""
    limit = min(MAX_THREADS, chip.max_threads) if chip else MAX_THREADS
    threads = math.prod(block)
    if threads > limit:
        raise error("L003", users_line(), kernel=kernel, block=block, threads=threads,
                    chip=chip.name if chip else "every chip",
                    limit=limit)
