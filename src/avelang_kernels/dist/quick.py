"""All-reduce of few bytes: each rank stores all of its values at all others, in words that say themselves of which call
they are, and adds up what has come. There is no barrier, no fence and no signal between a store and its reader.

A word has 64 bits: 32 of the values, and above them the *mark* of the call, an odd number. It is stored and loaded in
one piece (`al.system.store_relaxed`, `load_relaxed_u64`), so whoever sees the mark sees the values. NCCL's protocol LL
does the same. It moves twice the bytes, and saves the times of a fence and of a signal.

Block b has to do with blocks b of the other ranks only, with two halves of an own part of the box by turns, and with
its own count of calls. Whoever stores in call e has seen a word of call e - 1 of each other rank; that rank stored it
when its call e - 2, before it in its stream, had ended; and so nothing is overwritten that is still read.

Marks go round after 2**31 calls of a block. A word that has been there for longer would be taken for a new one, so a
half is cleared every CLEARED calls: in call e that of call e - 1, and before the own stores, so that nobody stores
there yet.

A rank that does not come: after TRIES looks in vain a thread waits (`al.wait`, with its time limit) for the number that
each rank's block gives when it begins. It need not come behind the stores: once a rank is there, its stores will be."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.dist.collectives import THREADS, WORDS, parts

LONG: Any = al.Pointer(al.u64)
TRIES = 64
CLEARED = 1 << 28


def words_of(dtype: al.DType, vec: int) -> int:
    """Words of a vector of so many elements."""
    return max(1, vec * dtype.bytes // 4)


@functools.cache
def _packed(dtype: al.DType, vec: int) -> Any:
    """Two functions of kernels: a vector as numbers of 32 bits, and back."""
    VEC, EACH = vec, words_of(dtype, vec)
    SMALL = vec * dtype.bytes == 2

    @avelang.jit
    def pack(values: Any):
        if SMALL:
            return (al.convert(al.bitcast(values, al.Tensor((1,), al.u16))[0], al.u32),)
        words = al.bitcast(values, al.Tensor((EACH,), al.u32))
        return tuple(words[k] for k in range(EACH))

    @avelang.jit
    def unpack(numbers: Any):
        if SMALL:
            one = al.full((1,), al.convert(numbers[0], al.u16), al.u16)
            return al.bitcast(one, al.Tensor((1,), dtype))
        words = al.make_local((EACH,), al.u32)
        for k in range(EACH):
            words[k] = numbers[k]
        return al.bitcast(words, al.Tensor((VEC,), dtype))

    return pack, unpack


@functools.cache
def _arrival(ranks: int, each: int) -> Any:
    """The function that waits for the words at places `at + c * apart`, `each` of a slot, and gives them. Slots are
    those of the other ranks, in the order of ranks."""
    R, COUNT = ranks, (ranks - 1) * each

    @avelang.jit
    def all_begun(begun: Any, epoch: Any):
        """True when all ranks have begun; False where one does not, and the launch fails."""
        me, there = al.rank(), True
        for r in range(R):
            if me != r:
                place = al.subview(begun, (r,), (1,))
                al.wait(place, epoch, r)
                late = al.bitcast(al.system.load_relaxed_u32(place) - epoch, al.i32) < 0
                there = there and not late
        return there

    @avelang.jit
    def look(places: Any, mark: Any):
        seen, missing = tuple(al.system.load_relaxed_u64(place) for place in places), al.u32(0)
        for word in seen:
            missing = missing | al.convert(word >> 32, al.u32) ^ mark
        return seen, missing

    @avelang.jit
    def arrival(words: Any, at: Any, apart: Any, mark: Any, begun: Any, epoch: Any):
        places = tuple(al.subview(words, (at + c * apart,), (1,)) for c in range(COUNT))
        seen, missing, tries = tuple(al.u64(0) for _ in range(COUNT)), al.u32(1), 0
        while missing != 0 and tries < TRIES:
            seen, missing = look(places, mark)
            tries += 1
        if missing != 0:
            there = all_begun(begun, epoch)
            while missing != 0 and there:
                al.system.pause()
                seen, missing = look(places, mark)
        return seen

    return arrival


@functools.cache
def build(dtype: al.DType, ranks: int, vec: int) -> Any:
    """The kernel, of a dtype, a number of ranks (two or more) and vectors of so many elements. It takes x, out, the box
    of words, a signal for each block and rank, counts of calls (a word for each block), the vectors of x, those of a
    block, the words of a half of a block's box, and the team."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, EACH, (vectors, total) = ranks, words_of(dtype, vec), parts(dtype, ranks, vec)
    pack, unpack = _packed(dtype, vec)
    arrival = _arrival(ranks, EACH)

    @avelang.jit
    def quick_all_reduce(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, LONG],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32, each: al.u32, room: al.u32,
        team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        done = al.make_tensor(counts, al.u32, al.make_layout((blocks,)))
        epoch, first, end = done[b] + 1, b * each, min(b * each + each, n)
        mark, half = epoch * 2 + 1, (b * 2 + epoch % 2) * room
        X, OUT, whole = vectors(x, n), vectors(out, n), al.make_layout((blocks * 2 * room,))
        mine = al.make_tensor(box, al.u64, whole)
        begun = al.subview(al.make_tensor(signals, al.u32, al.make_layout((blocks * R,))), (b * R,), (R,))
        if t < R and t != me:
            al.system.store_relaxed(al.peer(al.subview(begun, (me,), (1,)), t), epoch)
        if epoch % CLEARED < 2:
            other = (b * 2 + (epoch + 1) % 2) * room
            for i in al.range(t, room, THREADS):
                al.system.store_relaxed(al.subview(mine, (other + i,), (1,)), al.u64(0))
            al.fence(scope="system")
            al.syncthreads()
        high = al.convert(mark, al.u64) << 32
        peers = tuple((me + 1 + s) % R for s in range(R - 1))
        boxes = tuple(al.make_tensor(al.peer(box, r), al.u64, whole) for r in peers)
        slots = tuple(al.select(me > r, me - 1, me) * EACH for r in peers)
        for i in al.range(first + t, end, THREADS):
            numbers = pack(X[i])
            for s in range(R - 1):
                for k in range(EACH):
                    place = half + (slots[s] + k) * each + i - first
                    al.system.store_relaxed(al.subview(boxes[s], (place,), (1,)), high | al.convert(numbers[k], al.u64))
        for i in al.range(first + t, end, THREADS):
            own = X[i]
            seen = arrival(mine, half + i - first, each, mark, begun, epoch)
            numbers = tuple(al.convert(word, al.u32) for word in seen)
            came = tuple(unpack(numbers[s * EACH : s * EACH + EACH]) for s in range(R - 1))
            # In the order of ranks: those before the own one, and those behind it, which are a slot further down.
            got = (own,) + tuple(al.select(me > r, came[min(r, R - 2)], came[max(r - 1, 0)]) for r in range(R))
            OUT[i] = total(got, me)
        al.syncthreads()
        if t == 0:
            done[b] = epoch

    return quick_all_reduce
