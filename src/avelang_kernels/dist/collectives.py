"""All-gather, reduce-scatter and all-reduce among ranks that reach one another's memory: each rank stores its part into
the boxes of the others, says so, and works on what they have stored into its own.

Sums are of all ranks' values in the order of ranks, in f32 (f64 of f64), rounded once: all ranks get the same bits, in
each run.

A block goes through its part of a call in *pieces*, one a *step*: in step j it stores piece j at the others while it
takes out of its box what they stored in step j - lag (lag: 1 or 2), in one loop, so that links and the own memory work
at the same time. Then it signals j. Before step j it waits for step j - lag of all others, and at the end of a call for
all steps. Steps are numbered from call to call, in memory, so that a launch can be recorded once and run again.

Why nothing is overwritten that is still read: block b has to do with blocks b of the other ranks only, and an own part
of the box, with RING = 4 areas, of which step j fills the one of j % 4. A block that stores in step j has waited for
step j - 2 of the rank that it stores at (or, at the beginning of a call, for all steps before). That rank gave the
signal of step j - 2 when it had taken out all that was stored in step j - 4, or before, which was the last in this
area. So it does not matter what the calls are, how long they are, and how their parts are laid out in an area. It does
matter that block b takes part in the same calls on all ranks, with as many steps: a call has as many blocks as have
something to do, by the sizes that all ranks have in common. A block that has nothing to do in a call is not launched,
counts no step, and need not know of it: in its part of the box nothing has happened."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al

THREADS = 256
F32: Any = al.f32
WORDS: Any = al.Pointer(al.u32)
RING = 4  # areas of a block's part of the box: twice the largest lag
WIDE = 512  # threads of a block that moves pieces
SIGNALER, WAITER = 0, 64  # first threads of those that signal and that wait: of different waves, so beside one another


@avelang.jit
def chunk_of(count: Any, block: Any, blocks: Any):
    """First and end of a block's part of `count` vectors."""
    each = (count + blocks - 1) // blocks
    return min(block * each, count), min(block * each + each, count)


def sums_of(dtype: al.DType) -> Any:
    """The dtype in which values are added up."""
    return al.f64 if dtype == al.f64 else al.f32


def at_once(ranks: int) -> int:
    """Vectors of a piece that a thread loads before it stores the first. A thread stores ranks - 1 vectors for each, so
    of 64 blocks 1 MB or more is under way, while the next loads come: twice what a link moves in the time that they
    take, some 1.5 us, all of it assumed."""
    return 2 if ranks == 2 else 1


@functools.cache
def parts(dtype: al.DType, ranks: int, vec: int) -> Any:
    """Two functions of kernels: memory as vectors; and the sum in the order of ranks of `got`, the own values, then
    those of all ranks (of two ranks: of the other one), with the own rank's undefined."""
    R, VEC, ACC = ranks, vec, sums_of(dtype)

    @avelang.jit
    def vectors(p: Any, count: Any):
        return al.make_tensor(p, dtype, al.make_layout((count, VEC)))

    @avelang.jit
    def total(got: Any, me: Any):
        own, others = got[0], got[1:]
        if R == 2:
            first, second = al.select(me == 0, own, others[0]), al.select(me == 0, others[0], own)
            acc = al.convert(first, ACC) + al.convert(second, ACC)
        else:
            acc = al.convert(al.select(me == 0, own, others[0]), ACC)
            for r in range(1, R):
                acc = acc + al.convert(al.select(me == r, own, others[r]), ACC)
        return al.convert(acc, dtype)

    return vectors, total


@avelang.struct
class Held:
    """The arrays of a rank as vectors: x, out, its box and those of the others, the next rank's first; `apart` vectors
    from a rank's part of x or out to the next; `slot`, vectors of a slot of an area.

    The rank s + 1 behind this one stores into slot s. `slots[r]`: where that of rank r begins, 0 of the own rank."""

    x: ...
    out: ...
    box: ...
    peers: ...
    slots: ...
    me: ...
    apart: ...
    slot: ...


# What a call is made of: moves, each a function that loads and one that stores. Move k of a piece is done k * lag steps
# behind its first. `i`: the vector's place in a rank's part, `at`: in the piece; `before` and `now`: the areas of the
# step before (by lag), and of this one.


@functools.cache
def _moves(kind: str, dtype: al.DType, ranks: int, vec: int) -> Any:
    R, (_, total) = ranks, parts(dtype, ranks, vec)
    SCATTERED = kind in ("reduce_scatter", "two_shot")
    GATHERED = kind in ("all_gather", "two_shot")
    SUMS = (R - 1) * (kind == "two_shot")  # slots in front of those for sums

    @avelang.jit
    def own_part(h: Any, i: Any, at: Any, before: Any):
        return (h.x[i],)

    @avelang.jit
    def own_parts(h: Any, i: Any, at: Any, before: Any):
        return tuple(h.x[(h.me + 1 + s) % R * h.apart + i] for s in range(R - 1))

    @avelang.jit
    def push(h: Any, got: Any, i: Any, at: Any, now: Any):
        for s in range(R - 1):
            h.peers[s][now + s * h.slot + at] = got[s if SCATTERED else 0]
        if kind == "all_gather":
            h.out[h.me * h.apart + i] = got[0]

    @avelang.jit
    def all_values(h: Any, i: Any, at: Any, before: Any):
        own = h.x[h.me * h.apart + i if SCATTERED else i]
        return (own,) + tuple(h.box[before + h.slots[r] + at] for r in range(len(h.slots)))

    @avelang.jit
    def add(h: Any, got: Any, i: Any, at: Any, now: Any):
        made = total(got, h.me)
        if kind == "two_shot":
            h.out[h.me * h.apart + i] = made
            for s in range(R - 1):
                h.peers[s][now + (SUMS + s) * h.slot + at] = made
        else:
            h.out[i] = made

    @avelang.jit
    def theirs(h: Any, i: Any, at: Any, before: Any):
        return tuple(h.box[before + (SUMS + s) * h.slot + at] for s in range(R - 1))

    @avelang.jit
    def gather(h: Any, got: Any, i: Any, at: Any, now: Any):
        for s in range(R - 1):
            h.out[(h.me + R - 1 - s) % R * h.apart + i] = got[s]

    first = ((own_parts if SCATTERED else own_part), push)
    summed = () if kind == "all_gather" else ((all_values, add),)
    return (first, *summed, *(((theirs, gather),) if GATHERED else ()))


def slots(kind: str, ranks: int) -> int:
    """Slots of an area: of the other ranks' parts, and of their sums."""
    return (ranks - 1) * (2 if kind == "two_shot" else 1)


@functools.cache
def _step(kind: str, dtype: al.DType, ranks: int, vec: int) -> Any:
    """The moves of one step, as a function: `lows` and `counts` of each move, where its vectors begin and how many they
    are."""
    MOVES, UNROLL = _moves(kind, dtype, ranks, vec), at_once(ranks)
    GROUP = WIDE * UNROLL
    TOGETHER = ranks <= 4  # whether loads of all moves come before their stores; else registers would not do

    @avelang.jit
    def load(k: Any, h: Any, low: Any, i: Any, last: Any, before: Any):
        ats = tuple(min(i + u * WIDE, last) for u in range(UNROLL))
        return tuple(MOVES[k][0](h, low + at, at, before) for at in ats)

    @avelang.jit
    def store(k: Any, h: Any, got: Any, low: Any, i: Any, end: Any, now: Any):
        for u in range(UNROLL):
            at = i + u * WIDE
            if at < end:
                MOVES[k][1](h, got[u], low + at, at, now)

    @avelang.jit
    def step(h: Any, lows: Any, counts: Any, before: Any, now: Any):
        t, common = al.thread_id(0), counts[0]
        for count in counts[1:]:
            common = min(common, count)
        common = common // GROUP * GROUP
        for i in al.range(t, common, GROUP):
            ats = tuple(i + u * WIDE for u in range(UNROLL))
            held: Any = ()
            for k in range(len(MOVES)):
                held = held + (tuple(MOVES[k][0](h, lows[k] + at, at, before) for at in ats),)
                if not TOGETHER:
                    for u in range(UNROLL):
                        MOVES[k][1](h, held[k][u], lows[k] + ats[u], ats[u], now)
            if TOGETHER:
                for k in range(len(MOVES)):
                    for u in range(UNROLL):
                        MOVES[k][1](h, held[k][u], lows[k] + ats[u], ats[u], now)
        for k in range(len(MOVES)):
            for i in al.range(common + t, counts[k], GROUP):
                got = load(k, h, lows[k], i, counts[k] - 1, before)
                store(k, h, got, lows[k], i, counts[k], now)

    return step


@avelang.struct
class Pieces:
    """The pieces of a block's part of a call: vectors `first` to `end`, `each` of a piece, but of the first piece
    `skew` less. Blocks have different ones: so they do not all signal, and wait, at the same time."""

    first: ...
    end: ...
    each: ...
    skew: ...

    def count(self):
        """Pieces."""
        return (self.end - self.first + self.skew + self.each - 1) // self.each

    def span(self, piece: Any):
        """The first vector of a piece, and how many they are: none of a piece that is none, such as -1 as u32."""
        low, some = 0 * piece, 0 * piece
        if piece < self.count():
            low = self.first + max(piece * self.each, self.skew) - self.skew
            some = min(self.first + (piece + 1) * self.each - self.skew, self.end) - low
        return low, some


@functools.cache
def build(kind: str, dtype: al.DType, ranks: int, vec: int) -> Any:
    """A kernel by its name (`all_gather`, `reduce_scatter`, `one_shot`, `two_shot`), for a dtype, a number of ranks
    (two or more) and vectors of so many elements. It takes x, out, the symmetric box, signals, counts of steps (a word
    for each block), the vectors of a rank's part, how many lie from one rank's part to the next in x or out, those of a
    block, of a piece, of an area, how much shorter first pieces become from block to block, the lag, and the team."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, (vectors, _), step = ranks, parts(dtype, ranks, vec), _step(kind, dtype, ranks, vec)
    LATER = len(_moves(kind, dtype, ranks, vec)) - 1

    @avelang.jit
    def collective(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32, apart: al.u32, each: al.u32,
        piece: al.u32, area: al.u32, shorter: al.u32, lag: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        whole = blocks * RING * area
        boxes = tuple(vectors(al.peer(box, (me + 1 + s) % R), whole) for s in range(R - 1))
        slots = tuple((max((me + R - r) % R, 1) - 1) * piece for r in range(R))
        if R == 2:
            slots = (al.u32(0),)
        h = Held(vectors(x, R * apart), vectors(out, R * apart), vectors(box, whole), boxes, slots, me, apart, piece)
        pieces = Pieces(b * each, min(b * each + each, n), piece, b % RING * shorter)
        done = al.make_tensor(counts, al.u32, al.make_layout((blocks,)))
        told = al.Signals(signals, (blocks, R))
        epoch, steps = done[b] + 1, pieces.count()
        said = steps + lag * (LATER - 1)
        for j in al.range(steps + lag * LATER):
            waiter = t - WAITER
            if waiter < R and waiter != me and j >= lag:
                told[b, waiter].wait(epoch + j - lag, waiter)
            al.syncthreads()
            spans = tuple(pieces.span(j - k * lag) for k in range(LATER + 1))
            before, now = (b * RING + (epoch + j - lag) % RING) * area, (b * RING + (epoch + j) % RING) * area
            step(h, tuple(s[0] for s in spans), tuple(s[1] for s in spans), before, now)
            al.syncthreads()
            signaler = t - SIGNALER
            if signaler < R and signaler != me and j < said:
                told[b, me].at(signaler).send(epoch + j)
        if t == 0:
            done[b] = epoch + said - 1

    return collective


# -- for kernels of others, whose ranks read one another's memory ------------------------------------------------------


@avelang.jit
def publish(signals: Any, epoch: Any, phase: Any, R: Any, t: Any, b: Any, blocks: Any):
    """The block's stores are there: it tells all ranks, and waits until all have told. All threads call it."""
    al.syncthreads()
    if t < R:
        me = al.rank()
        signals[(phase * R + me) * blocks + b].at(t).send(epoch)
        signals[(phase * R + t) * blocks + b].wait(epoch, t)
    al.syncthreads()


@avelang.jit
def begun(counts: Any, signals: Any, n: Any, R: Any):
    """The number of this call, first and end of the block's vectors, and the signals."""
    b, blocks = al.block_id(0), al.grid_dim(0)
    first, end = chunk_of(n, b, blocks)
    epoch = al.make_tensor(counts, al.u32, al.make_layout((blocks,)))[b] + 1
    return epoch, first, end, al.Signals(signals, (2 * R * blocks,))


@avelang.jit
def ended(counts: Any, epoch: Any):
    """Notes that the block has made this call."""
    b, blocks = al.block_id(0), al.grid_dim(0)
    al.syncthreads()
    if al.thread_id(0) == 0:
        al.make_tensor(counts, al.u32, al.make_layout((blocks,)))[b] = epoch
