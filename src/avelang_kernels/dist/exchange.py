"""Arrays of a rank come in; a collective's launches on them go out, in pieces where symmetric memory is smaller. Few
bytes go in words with marks, all else by kernels that move pieces."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import avelang.language as al
from avelang_kernels.arrays import DTYPES, address, named
from avelang_kernels.dist import collectives, quick

# Bytes up to which all-reduce has one shot. Of two ranks PAIR: on two H200 one shot took 9.0 us and two 11.9 at 1 MB,
# 20 and 22 at 4 MB, 36 and 36 at 8 MB, 60 and 59 at 16 MB (2026-11-28, in CUDA graphs). Of more by a rule, and no
# measurement: with LATENCY seconds for a round of signals and RATE bytes a second from a peer, one shot takes LATENCY +
# (R - 1) S / RATE, two take 2 LATENCY + 2 (R - 1) / R S / RATE.
PAIR, LATENCY, RATE = 6 << 20, 4e-6, 350e9
# Seconds that words with marks save: a fence, a signal and a barrier. They move twice the bytes, so they are as fast
# as pieces where a rank sends QUICK * RATE bytes, 700 KB. Assumed, not measured. Not where ranks are threads or
# processes of a host (ON_HOSTS: for tests), where a fence is cheap and a look at a word is not: 32 ms with 8 ranks on
# 2 cores, where pieces took 2.
QUICK, ON_HOSTS = 2e-6, False
# Bytes of a rank's part from which it is copied beside a product by copy engines where there are some; below, a kernel
# moves it. Assumed, not measured: a copy and its signals take some 5 us of a stream for each peer, in which a kernel
# stores as much. Collectives alone are not copied: kernels moved 17 to 235 MB in 0.71 to 0.82 of NCCL's time on two
# H100, and copies that wait for a piece and for the one before had taken longer.
COPIED = 1 << 20
# Bytes of an area of a block, and the most that a block stores at others in a step, of one array; a call has PIECES
# steps, or as few as that allows, of LEAST bytes or more, where a thread has more than two groups of vectors, else one.
# Of 128 blocks 8 MB are under way at the most, which take a link 20 us, against some 2 us for a fence and a wait. Two
# H200, 2026-11-28, in two shots: 64 MB took 203 to 206 us in pieces of 64 to 256 KB, 210 to 225 with 64 blocks; 16 MB
# took 63 us in pieces of 32 KB, 67 in such of 16.
AREA, MOST, PIECES, LEAST = 1 << 17, 1 << 16, 4, 1 << 15
WHOLE = 16  # bytes of a vector
PLANS = 512  # calls of a kind that are remembered


def copied(member: Any, nbytes: int) -> bool:
    """True where a rank's part of so many bytes is copied by `member.copying`, and not moved by a kernel."""
    return member.copies and nbytes >= COPIED


def one_shot_limit(ranks: int) -> float:
    """Bytes up to which one shot is no slower than two, by the rule above."""
    return PAIR if ranks <= 2 else LATENCY * RATE / ((ranks - 1) * (1 - 2 / ranks))


# -- symmetric memory --------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Workspace:
    """A member's symmetric memory for kernels that read one another's boxes: the offset of two boxes by turns, of
    `room` bytes each, signals and counts."""

    box: int
    room: int
    signals: Any
    counts: Any


def workspace(member: Any) -> Workspace:
    """The workspace, made by the first call: a quarter of what the member has left."""

    def make() -> Workspace:
        room = max(4096, member.left // 8 // 4096 * 4096)
        box = member.empty(2 * room, "uint8").offset
        signals = member.empty(2 * member.ranks * member.BLOCKS, "uint32")
        return Workspace(box, room, signals, member.empty(member.BLOCKS, "uint32"))

    return member.kept("workspace", make)


class Plans(dict[Any, Any]):
    """Launches of calls, but for their arrays, by what the calls are: to find that out takes longer than a launch."""

    def keep(self, key: Any, plan: Any) -> Any:
        """Remembers one of the last."""
        if len(self) >= PLANS:
            self.clear()
        self[key] = plan
        return plan


class Areas:
    """A member's symmetric memory for pieces: of each block RING areas, of `room` bytes each; signals of each block and
    rank, and counts of steps. Half of what the member has left, if that is not more than needed."""

    def __init__(self, member: Any):
        blocks, ranks = member.PIECE_BLOCKS, member.ranks
        count = collectives.RING * blocks
        least = WHOLE * collectives.slots("two_shot", ranks)
        self.room, self.plans = max(least, min(AREA, member.left // 2 // count) // WHOLE * WHOLE), Plans()
        self.box = member.empty(count * self.room, "uint8").offset
        self.signals, self.counts = member.empty(blocks * ranks, "uint32"), member.empty(blocks, "uint32")


class Words:
    """A member's symmetric memory for words with marks: of each block two halves, of `room` words each; signals of each
    block and rank, and counts of calls."""

    def __init__(self, member: Any):
        blocks, ranks = member.BLOCKS, member.ranks
        most = int(QUICK * RATE) // blocks // 4 + 2 * ranks * (1 << 10)  # what blocks have more than their even share
        self.room, self.plans = min(most, member.left // 8 // (2 * blocks * 8)), Plans()
        self.box = member.empty(2 * blocks * max(1, self.room), "uint64")
        self.signals, self.counts = member.empty(blocks * ranks, "uint32"), member.empty(blocks, "uint32")


# -- kernels -----------------------------------------------------------------------------------------------------------


def _dtype(x: Any) -> Any:
    return {**DTYPES, "float64": al.f64}[named(x)]


def _bytes(x: Any) -> int:
    return x.element_size() if hasattr(x, "element_size") else x.itemsize


def _share(most: int, n: int, threads: int) -> tuple[int, int]:
    """Vectors of a block, and blocks, `most` at the most: none without vectors. Blocks begin at multiples of 32, as
    lines of memory do, and each of its `threads` has one at least."""
    blocks = max(1, min(most, n // threads))
    each = -(-n // blocks)
    each = -(-each // 32) * 32 if n > 32 * blocks else each
    return each, -(-n // each)


def _piece(kind: str, ranks: int, room: int, each: int, size: int) -> tuple[int, int, int]:
    """Of a block with `each` vectors of `size` bytes and areas of `room` bytes: the vectors of a piece, how much
    shorter first pieces become from block to block, and the lag."""
    sent, group = size * (ranks - 1), collectives.WIDE * collectives.at_once(ranks)
    most = min(room // (size * collectives.slots(kind, ranks)), max(1, MOST // sent))
    piece = min(most, each if each <= 2 * group else max(group, LEAST // sent, -(-each // PIECES)))
    if group < piece < each:  # what is no whole group is moved in loops of its own
        piece = piece // group * group
    many = -(-each // piece)
    return piece, piece // collectives.RING if many > 2 else 0, 1 if many == 1 else collectives.RING // 2


def _run(member: Any, kind: str, x: Any, out: Any, count: int) -> None:
    """One launch of a kind: x and out are flat, in parts of `count` elements."""
    areas = member.kept("areas", lambda: Areas(member))
    key = kind, count, x.dtype, MOST, PIECES, LEAST
    kernel, blocks, args = areas.plans.get(key) or areas.plans.keep(key, _planned(member, areas, kind, x, count))
    member.launch(kernel, blocks, collectives.WIDE, x, out, *args)


def _planned(member: Any, areas: Areas, kind: str, x: Any, count: int) -> tuple[Any, int, tuple[Any, ...]]:
    """The kernel, its blocks, and what it takes behind x and out."""
    dtype, ranks = _dtype(x), member.ranks
    vec = math.gcd(count, WHOLE // dtype.bytes)
    size, n = vec * dtype.bytes, count // vec
    each, blocks = _share(member.PIECE_BLOCKS, n, collectives.WIDE)
    piece, shorter, lag = _piece(kind, ranks, areas.room, each, size)
    box = member.at(areas.box, collectives.RING * member.PIECE_BLOCKS * areas.room // dtype.bytes, named(x))
    args = box, areas.signals, areas.counts, n, n, each, piece, areas.room // size, shorter, lag, member.team
    return collectives.build(kind, dtype, ranks, vec), blocks, args


def _quick(member: Any, x: Any, out: Any) -> bool:
    """An all-reduce in words with marks; False where that is not for the member, has too many bytes, or no room."""
    count, ranks = x.shape[0], member.ranks
    if member.device == "cpu" and not ON_HOSTS or count * _bytes(x) * (ranks - 1) > QUICK * RATE:
        return False
    words = member.kept("words", lambda: Words(member))
    key = count, x.dtype
    plan = words.plans.get(key)
    if plan is None:
        plan = words.plans.keep(key, _planned_quick(member, words, x, count))
    if not plan:
        return False
    kernel, blocks, args = plan
    member.launch(kernel, blocks, collectives.THREADS, x, out, *args)
    return True


def _planned_quick(member: Any, words: Words, x: Any, count: int) -> tuple[Any, ...]:
    """The same for words with marks; () where they have no room."""
    dtype, ranks = _dtype(x), member.ranks
    vec = math.gcd(count, WHOLE // dtype.bytes)
    each, blocks = _share(member.BLOCKS, count // vec, collectives.THREADS)
    if (ranks - 1) * each * quick.words_of(dtype, vec) > words.room:
        return ()
    args = words.box, words.signals, words.counts, count // vec, each, words.room, member.team
    return quick.build(dtype, ranks, vec), blocks, args


# -- collectives -------------------------------------------------------------------------------------------------------


def all_gather(member: Any, x: Any, out: Any) -> None:
    """out (R n,) = x (n,) of all ranks."""
    count = x.shape[0]
    if not count or _alone(member, x, out):
        return
    made = _aligned(out, False)
    _run(member, "all_gather", _aligned(x), made, count)
    _given(out, made)


def reduce_scatter(member: Any, x: Any, out: Any) -> None:
    """out (n,) = the rank's part of the sum of x (R n,) of all ranks."""
    count = out.shape[0]
    if not count or _alone(member, x, out):
        return
    made = _aligned(out, False)
    _run(member, "reduce_scatter", _aligned(x), made, count)
    _given(out, made)


def all_reduce(member: Any, x: Any, out: Any, shots: int = 0) -> None:
    """out (n,) = the sum of x (n,) of all ranks. `shots`: 1, 2, or 0 for the rule; the bits are the same."""
    count, ranks = x.shape[0], member.ranks
    if not count or _alone(member, x, out):
        return
    x, made = _aligned(x), _aligned(out, False)
    if shots == 2 or not _quick(member, x, made):
        if not shots:
            shots = 1 if count * _bytes(x) <= one_shot_limit(ranks) else 2
        # What is no whole vector, or no part of each rank, goes behind the rest: else all would be moved by elements.
        unit = WHOLE // _bytes(x) * (ranks if shots == 2 else 1)
        split = count // unit * unit
        if split:
            kind, parts = ("two_shot", ranks) if shots == 2 else ("one_shot", 1)
            whole = split == count
            _run(member, kind, x if whole else x[:split], made if whole else made[:split], split // parts)
        if count > split and not _quick(member, x[split:], made[split:]):
            _run(member, "one_shot", x[split:], made[split:], count - split)
    _given(out, made)


def _alone(member: Any, x: Any, out: Any) -> bool:
    """True for one rank, whose x is the result."""
    if member.ranks > 1:
        return False
    out[...] = x
    return True


def _aligned(x: Any, filled: bool = True) -> Any:
    """The array, or, where it begins off 16 bytes, another one, a copy if `filled`. How parts lie in boxes must not
    depend on where arrays lie on one rank."""
    if address(x) % WHOLE == 0:
        return x
    if hasattr(x, "data_ptr"):
        return x.clone() if filled else x.new_empty(x.shape)
    made = x.copy()
    assert address(made) % WHOLE == 0  # NumPy's own are
    return made


def _given(out: Any, made: Any) -> None:
    """Gives the caller what was made elsewhere."""
    if made is not out:
        out[...] = made
