"""Arrays of a rank come in; a collective's launches and copies on them go out, in pieces where symmetric memory is
smaller. Large parts are copied by copy engines, where there are some, and small ones by kernels."""

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
# Bytes of a rank's part from which it is copied by copy engines where there are some (beside a product, or alone);
# below, a kernel moves it. Assumed, not measured: a copy and its signals take some 5 us of a stream for each peer, in
# which a kernel stores as much.
COPIED = 1 << 20


def copied(member: Any, nbytes: int) -> bool:
    """True where a rank's part of so many bytes is copied by `member.copying`, and not moved by a kernel."""
    return member.copies and nbytes >= COPIED


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


class Offers:
    """A member's symmetric memory for parts that others copy: two boxes by turns, of `room` bytes; `landed`, as many
    for what was copied; and a counter for each rank."""

    def __init__(self, member: Any):
        self.room = max(4096, member.left // 8 // 4096 * 4096)
        self.box, self.landed = member.empty(2 * self.room, "uint8").offset, member.empty(self.room, "uint8").offset
        self.ready, self.calls = member.empty(8, "uint32"), 0


def _engines(member: Any, nbytes: int) -> bool:
    """True where a collective's parts of so many bytes are copied, for which there is memory."""
    return copied(member, nbytes) and ("offers" in member._kept or member.left // 8 >= COPIED)


def _by_copies(member: Any, x: Any, out: Any, scattered: bool) -> None:
    """`all_gather`, or (`scattered`) `reduce_scatter`: each rank puts its parts into its own box and says so; then all
    copy what they need, the next rank's first."""
    ranks, me, offers = member.ranks, member.rank, member.kept("offers", lambda: Offers(member))
    count = (out if scattered else x).shape[0]
    dtype, vec = _sizes(x, out) if count % (16 // _bytes(x)) == 0 else (_sizes(x)[0], 1)
    held, room = ranks if scattered else 1, offers.room // dtype.bytes
    box, landed = (member.at(at, n, named(x)) for at, n in ((offers.box, 2 * room), (offers.landed, room)))
    offer, most = collectives.build_offer(dtype, ranks, vec, held), room // held // vec * vec
    for at in range(0, count, most):
        n, offers.calls = min(most, count - at), offers.calls + 1
        half, want = offers.calls % 2 * room, offers.calls * member.BLOCKS
        member.launch(offer, member.BLOCKS, collectives.THREADS, x[at:], box, offers.ready, n // vec, count // vec,
                      half // vec, member.team)  # fmt: skip
        to = [member.own(landed)[r * n : r * n + n] if scattered else out[r * count + at :][:n] for r in range(ranks)]
        first = half + (me * n if scattered else 0)

        def pull(queue: Any, n: int = n, first: int = first, want: int = want, to: Any = to) -> None:
            for peer in ((me + s) % ranks for s in range(ranks)):
                queue.wait(member.own(offers.ready), peer, want, peer)
                queue.copy(to[peer], box[peer][first : first + n])

        with member.copying(pull):
            pass
        if scattered:
            member.launch(collectives.build_sum(dtype, ranks, vec), member.BLOCKS, collectives.THREADS, landed,
                          out[at:], n // vec)  # fmt: skip


def all_gather(member: Any, x: Any, out: Any) -> None:
    """out (R n,) = x (n,) of all ranks."""
    if x.shape[0]:
        if _engines(member, x.shape[0] * _bytes(x)):
            _by_copies(member, x, out, False)
        else:
            _run(member, "all_gather", x, out, x.shape[0])


def reduce_scatter(member: Any, x: Any, out: Any) -> None:
    """out (n,) = the rank's part of the sum of x (R n,) of all ranks."""
    if out.shape[0]:
        if _engines(member, out.shape[0] * _bytes(x)):
            _by_copies(member, x, out, True)
        else:
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
