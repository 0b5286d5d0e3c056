"""Symmetric memory for fused products: boxes, counters or flags, and the number of a call.

The host counts the calls, and says it to the kernels: nothing is launched for that. It cannot count what is run again
from a CUDA graph. So calls that are recorded have rooms of their own, in which memory has the count: a kernel of one
block begins each call. It waits until all ranks have begun it as well, so that one box is enough."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.shards import PARTS
from avelang_kernels.dist.collectives import WORDS

LEAST = 1 << 15  # bytes of a box of the smallest room
FLAGGED = 2048  # bytes of a box for each word: a piece of 64 rows of 128 bytes may have the flags of four tiles' units
CALLS, TOTAL = 0, 1  # words behind those that ranks signal: of calls, and what is waited for
COUNTS = 2
WHOLE = 4  # words of 16 bytes, at a multiple of which what a kernel is given begins


@avelang.jit
def counted(words: Any, want: Any, RECORDED: al.constexpr):
    """The number that a call waits for: `want`, or where calls are recorded what stands at this place of the words."""
    if RECORDED:
        return al.make_tensor(words, al.u32, al.make_layout((want + 1,)))[want]
    return want


@functools.cache
def build_begin(ranks: int) -> Any:
    """The kernel that counts a call, when all ranks have begun it: what calls before have brought is read no more."""
    R = ranks

    @avelang.jit
    def begin_call(
        begun: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], by: al.u32, team: al.Ranks
    ):  # fmt: skip
        t, told = al.thread_id(0), al.Signals(begun, (R,))
        count = al.make_tensor(counts, al.u32, al.make_layout((COUNTS,)))
        call = count[CALLS] + 1
        if t < R:
            told[al.rank()].at(t).send(call)
            told[t].wait(call, t)
        al.syncthreads()
        if t == 0:
            count[CALLS] = call
            count[TOTAL] = count[TOTAL] + by

    return begin_call


class Room:
    """A member's symmetric memory for fused products of up to `nbytes` bytes, zeros at first.

    Where the host counts, two boxes take turns. What a call writes into a box of a peer, that peer reads no more: the
    own call before this one has waited for the peer's part, which began behind the peer's product of the call before
    that. `words`: counters, which have the sum of what calls add, or flags, which have the number of the call, so that
    sizes may differ between calls. `want`: what this call waits for, or where it is recorded the place of that."""

    def __init__(self, member: Any, nbytes: int, recorded: bool):
        self.member, self.nbytes, self.recorded, self.calls, self.want = member, nbytes, recorded, 0, 0
        self._boxes = member.empty((1 if recorded else 2) * nbytes, "uint8").offset
        self._begun = -(-max(nbytes // FLAGGED, member.ranks * PARTS) // WHOLE) * WHOLE
        self._counts = self._begun + -(-member.ranks // WHOLE) * WHOLE
        self.words = member.empty(self._counts + COUNTS if recorded else self._begun, "uint32")

    @staticmethod
    def bytes_of(key: tuple[str, int, bool]) -> int:
        """Symmetric memory that the room of a key needs."""
        _, nbytes, recorded = key
        return (1 if recorded else 2) * nbytes + 4 * nbytes // FLAGGED + 2048

    def turn(self, by: int) -> int:
        """The place of the box of one more call, for which words grow by `by`."""
        if not self.recorded:
            self.calls, self.want = self.calls + 1, self.want + by
            return self._boxes + self.calls % 2 * self.nbytes
        member, own = self.member, self.member.own(self.words)
        begin, counts = build_begin(member.ranks), own[self._counts :]
        member.launch(begin, 1, 32, own[self._begun : self._counts], counts, by, member.team)
        self.want = self._counts + TOTAL
        return self._boxes

    def sent(self) -> Any:
        """The epoch of a copy's signal: a number, or the word that has it."""
        return self.member.own(self.words)[self.want : self.want + 1] if self.recorded else self.want


def room_key(member: Any, kind: str, nbytes: int) -> tuple[str, int, bool]:
    """The room for a product of so many bytes: one for all of up to a power of two, whose calls are recorded or not."""
    return kind, max(LEAST, 1 << (nbytes - 1).bit_length()), member.recording


def room_of(member: Any, key: tuple[str, int, bool]) -> Room:
    """The room of a key."""
    return member.kept(key, lambda: Room(member, *key[1:]))
