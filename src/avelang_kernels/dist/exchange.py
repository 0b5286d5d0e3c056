"""Arrays of a rank come in; a collective's launches on them go out, in pieces where symmetric memory is smaller."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang.language as al
from avelang_kernels.arrays import DTYPES, named
from avelang_kernels.dist import collectives

# Bytes up to which all-reduce has one shot, for two ranks always. A rule, and no measurement: with LATENCY seconds for
# a round of signals and RATE bytes a second from a peer, one shot takes LATENCY + (R - 1) S / RATE, two take
# 2 LATENCY + 2 (R - 1) / R S / RATE. Both numbers are assumed (NVLink 4 gives 450e9 on paper), and not measured.
LATENCY, RATE = 4e-6, 350e9


def one_shot_limit(ranks: int) -> float:
    """Bytes up to which one shot is no slower than two, by the rule above."""
    return float("inf") if ranks <= 2 else LATENCY * RATE / ((ranks - 1) * (1 - 2 / ranks))


@dataclasses.dataclass(frozen=True)
class Workspace:
    """A member's symmetric memory for collectives: offsets of the two boxes and of those for sums, `room` bytes of one
    of them, signals and counts."""

    box: int
    sums: int
    room: int
    signals: Any
    counts: Any


def workspace(member: Any) -> Workspace:
    """The workspace, made by the first call: half of the member's memory."""

    def make() -> Workspace:
        room = max(4096, member.left // 8 // 4096 * 4096)
        box, sums = (member.empty(2 * room, "uint8").offset for _ in range(2))
        signals = member.empty(2 * member.ranks * member.BLOCKS, "uint32")
        return Workspace(box, sums, room, signals, member.empty(member.BLOCKS, "uint32"))

    return member.kept("collectives", make)


def _sizes(*arrays: Any) -> tuple[Any, int]:
    """The dtype, and how many elements a vector of 16 bytes may have, so that all arrays are made of whole ones."""
    dtype = {**DTYPES, "float64": al.f64}[named(arrays[0])]
    vec = 16 // dtype.bytes
    whole = all(x.shape[0] % vec == 0 and _address(x) % 16 == 0 for x in arrays)
    return dtype, vec if whole else 1


def _address(x: Any) -> int:
    return x.data_ptr() if hasattr(x, "data_ptr") else x.__array_interface__["data"][0]


def _run(member: Any, kind: str, x: Any, out: Any, count: int) -> None:
    """Launches of one kind: x and out are flat, in parts of `count` elements."""
    dtype, vec = _sizes(x, out) if count % (16 // _bytes(x)) == 0 else (_sizes(x)[0], 1)
    w, kernel = workspace(member), collectives.build(kind, dtype, member.ranks, vec)
    size = vec * dtype.bytes
    box, sums = (member.at(at, 2 * w.room // dtype.bytes, named(x)) for at in (w.box, w.sums))
    boxed = member.ranks if kind in ("reduce_scatter", "two_shot") else 1
    most = max(1, w.room // (size * boxed * (member.ranks if kind == "two_shot" else 1)))
    boxes = (box, sums) if kind == "two_shot" else (box,)
    for at in range(0, count // vec, most):
        n, first = min(most, count // vec - at), at * vec
        member.launch(kernel, member.BLOCKS, collectives.THREADS, x[first:], out[first:], *boxes, w.signals, w.counts,
                      n, count // vec, w.room // size, member.team)  # fmt: skip


def _bytes(x: Any) -> int:
    return x.element_size() if hasattr(x, "element_size") else x.itemsize


def all_gather(member: Any, x: Any, out: Any) -> None:
    """out (R n,) = x (n,) of all ranks."""
    if x.shape[0]:
        _run(member, "all_gather", x, out, x.shape[0])


def reduce_scatter(member: Any, x: Any, out: Any) -> None:
    """out (n,) = the rank's part of the sum of x (R n,) of all ranks."""
    if out.shape[0]:
        _run(member, "reduce_scatter", x, out, out.shape[0])


def all_reduce(member: Any, x: Any, out: Any, shots: int = 0) -> None:
    """out (n,) = the sum of x (n,) of all ranks. `shots`: 1, 2, or 0 for the rule; the bits are the same."""
    n, ranks = x.shape[0], member.ranks
    if not shots:
        shots = 1 if n * _bytes(x) <= one_shot_limit(ranks) else 2
    unit = ranks * (16 // _bytes(x))
    split = n // unit * unit if shots == 2 else 0
    if split:
        _run(member, "two_shot", x[:split], out[:split], split // ranks)
    if n > split:
        _run(member, "one_shot", x[split:], out[split:], n - split)
