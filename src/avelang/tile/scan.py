"""Cumulative sums, sorts and the greatest elements along a dimension of a tile: a tile comes in; a tile goes out, in
which a lane's elements along that dimension lie side by side.

A lane goes through its own elements, lanes meet by shuffles, waves by shared memory (scans), or each wave has whole
rows (sorts, by a bitonic network: K. Batcher, "Sorting networks and their applications", 1968)."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.placement as placement
import avelang.tile.vectorize as vectorize
from avelang.tile.functions import before, check_function, joining, summed, tile_of, together
from avelang.tile.moves import is_first, place, refuse, thread_coord, through_shared
from avelang.tile.numbers import linear_place
from avelang.tile.tensors import DistributedTile, part, set_slots, slots_of


@avelang.jit
def scan(x, fn, axis=-1, reverse=False):
    """Inclusive scan along a dimension by an associative fn(a, b): element i is x[0] to x[i] by fn, or with `reverse`
    x[i] to the last, the last one first. Of a tuple of tiles, a and b are tuples of numbers, and so is the result of
    fn: a tuple. All lanes of the block call it."""
    check_function(fn, "tile.scan")
    found = scan_tiles(together(x), joining(x, fn), axis, reverse)
    return found if isinstance(x, tuple) else found[0]


@avelang.jit
def scan_tiles(tiles, fn, axis, reverse):
    """`scan` of a tuple of tiles in one distribution, by a function of tuples."""
    t = tiles[0]
    AXIS = placement.whole_axis(axis, len(t.shape))
    D = placement.along(t.shape, AXIS, t.dist.threads, al.target().wave, True)
    S = placement.scan_plan(D, AXIS)
    moved = tuple([registers_of(x, D) for x in tiles])
    rows, COUNT = (), len(S.rows)
    totals = tuple([al.make_local((COUNT,), x.dtype) for x in tiles])
    for r in range(COUNT):
        SLOTS = tuple(reversed(S.rows[r])) if reverse else S.rows[r]
        rows = rows + (SLOTS,)
        for k in range(1, len(SLOTS)):
            set_slots(moved, SLOTS[k], fn(slots_of(moved, SLOTS[k - 1]), slots_of(moved, SLOTS[k])))
        set_slots(totals, r, slots_of(moved, SLOTS[len(SLOTS) - 1]))
    thread = al.thread_id(0) if t.thread is None else t.thread
    if S.lanes > 1:
        lane = thread % S.lanes
        lane = S.lanes - 1 - lane if reverse else lane
        for distance in placement.doublings(S.lanes):
            sofar = lane_before(totals, distance, S.lanes, reverse)
            for r in range(COUNT):  # one by one: fn may be a function of numbers, with conditions of its own
                preceded(totals, r, slots_of(sofar, r), fn, lane >= distance)
        prefix = lane_before(totals, 1, S.lanes, reverse)
        for r in range(COUNT):
            for slot in rows[r]:
                preceded(moved, slot, slots_of(prefix, r), fn, lane > 0)
    if S.waves > 1:
        scan_waves(D, S, AXIS, rows, moved, totals, fn, thread, reverse)
    return tuple([DistributedTile(x, D, t.thread, t.groups) for x in moved])


@avelang.jit
def registers_of(t, dist):
    """A copy of a lane's registers of a tile in a distribution."""
    values, out = place(t, dist, t.thread), al.make_local((dist.elements,), t.dtype)
    for i in range(dist.elements):
        out[i] = values[i]
    return out


@avelang.jit
def preceded(values, slot, sofar, fn, condition):
    """Puts what came before in front of the numbers of a slot, where a condition holds."""
    mine = slots_of(values, slot)
    found = fn(sofar, mine)
    set_slots(values, slot, tuple([al.select(condition, x, y) for x, y in zip(found, mine, strict=True)]))


@avelang.jit
def lane_before(values, distance, lanes, reverse):
    """Values of the lane so far before this one in its row."""
    return tuple([
        al.shuffle_down(x, distance, lanes) if reverse else al.shuffle_up(x, distance, lanes) for x in values
    ])


@avelang.jit
def scan_waves(D, S, AXIS, rows, moved, totals, fn, thread, reverse):
    """Adds to each wave's part of a row what the waves before it have, through shared memory."""
    LAST = 0 if reverse else S.lanes - 1
    wave, at = thread // S.threads % S.waves, thread_coord(D, thread)
    SIZE = math.prod(D.shape) // D.shape[AXIS]
    parts = tuple([al.make_scratch((S.waves, SIZE), x.dtype, n) for n, x in enumerate(moved)])
    ORDER = tuple(reversed(range(S.waves))) if reverse else tuple(range(S.waves))
    OTHERS = D.shape[:AXIS] + (1,) + D.shape[AXIS + 1 :]
    named = tuple([linear_place(at, S.steps[r], OTHERS) for r in range(len(rows))])
    if is_first(D, thread):
        if thread % S.lanes == LAST:
            for r in range(len(rows)):
                for x, memory in zip(totals, parts, strict=True):
                    memory[wave, named[r]] = x[r]
    al.syncthreads()
    for r in range(len(rows)):
        sofar = tuple([memory[ORDER[0], named[r]] for memory in parts])
        for n in range(1, S.waves):
            mine = wave == ORDER[n]
            for slot in rows[r]:
                preceded(moved, slot, sofar, fn, mine)
            sofar = fn(sofar, tuple([memory[ORDER[n], named[r]] for memory in parts]))
    al.syncthreads()  # the next one may use the same memory


@avelang.jit
def cumsum(x, axis=-1, reverse=False):
    """Cumulative sums along a dimension, in the dtype of `sum`."""
    return scan(summed(x), lambda a, b: a + b, axis, reverse)


@avelang.jit
def cumprod(x, axis=-1, reverse=False):
    """Cumulative products along a dimension, in the dtype of `sum`."""
    return scan(summed(x), lambda a, b: a * b, axis, reverse)


# -- sorts -------------------------------------------------------------------------------------------------------------


@avelang.jit
def precedes(a, b, m, n, descending, COUNT):
    """True where element a, number m of its row, comes before b, number n. Numbers from `COUNT` on, if that is given,
    come behind all others."""
    first = before(a, b, descending) | ((before(b, a, descending) == False) & (m < n))  # noqa: E712
    return first if COUNT is None else al.select((m < COUNT) == (n < COUNT), first, m < COUNT)


@avelang.jit
def sort_pairs(x, axis, descending):
    """The tile in order along a dimension, and where each element was, i32: equal elements keep their order. Behind
    them stands what fills the dimension up to a power of two."""
    t = tile_of(x).held()
    AXIS = placement.whole_axis(axis, len(t.shape))
    SHAPE = placement.sorted_shape(t.shape, AXIS)
    COUNT = None if t.shape == SHAPE else t.shape[AXIS]
    D = placement.along(SHAPE, AXIS, t.dist.threads, al.target().wave, False)
    S = placement.scan_plan(D, AXIS)
    if COUNT is None:
        values = registers_of(t, D)
    else:
        values = through_shared(t, D, t.thread, placement.padded_places(t.shape, AXIS))
    places = own_places(D, AXIS, t.thread)
    E, N = len(S.rows[0]), D.shape[AXIS]
    lane = (al.thread_id(0) if t.thread is None else t.thread) % S.lanes
    for half in placement.doublings(N):
        K = 2 * half
        for J in reversed(placement.doublings(K)):
            if J >= E:
                exchange_lanes(values, places, lane, J // E, K // E, K == N, descending, COUNT)
            else:
                for row in S.rows:
                    for e in range(E):
                        if e & J == 0:
                            up = (e & K == 0) if K < E else True if K == N else (lane & K // E) == 0
                            order_two(values, places, row[e], row[e + J], up, descending, COUNT)
    return DistributedTile(values, D, t.thread, t.groups), DistributedTile(places, D, t.thread, t.groups)


@avelang.jit
def own_places(D, AXIS, thread):
    """Coordinates of a lane's elements along a dimension, i32."""
    out, at = al.make_local((D.elements,), al.i32), thread_coord(D, thread)
    for v in vectorize.vectors(D, len(D.shape) - 1, 1):
        out[v.slots[0]] = al.convert(at[AXIS] + v.at[AXIS], al.i32)
    return out


@avelang.jit
def exchange_lanes(values, places, lane, distance, size, whole, descending, COUNT):
    """A step of the network between lanes: all elements of a lane meet those of the lane `distance` away."""
    others, theirs = al.shuffle_xor(values, distance), al.shuffle_xor(places, distance)
    low = (lane & distance) == 0
    first = low if whole else low == ((lane & size) == 0)
    for i in range(len(values)):
        stays = precedes(values[i], others[i], places[i], theirs[i], descending, COUNT) == first
        values[i] = al.select(stays, values[i], others[i])
        places[i] = al.select(stays, places[i], theirs[i])


@avelang.jit
def order_two(values, places, i, j, up, descending, COUNT):
    """A step of the network within a lane."""
    a, b, m, n = values[i], values[j], places[i], places[j]
    stays = precedes(a, b, m, n, descending, COUNT)
    stays = stays == up if not isinstance(up, bool) else stays if up else stays == False  # noqa: E712
    values[i], values[j] = al.select(stays, a, b), al.select(stays, b, a)
    places[i], places[j] = al.select(stays, m, n), al.select(stays, n, m)


@avelang.jit
def firsts(t, x, axis, count):
    """The first `count` elements along a dimension of what `sort_pairs` made of x, all of them where that is None."""
    AXIS = placement.whole_axis(axis, len(t.shape))
    COUNT = x.shape[AXIS] if count is None else count
    return t if t.shape[AXIS] == COUNT else part(t, placement.first_cuts(t.shape, AXIS, COUNT))


@avelang.jit
def sort(x, axis=-1, descending=False):
    """The elements along a dimension in order; NaN is greater than numbers. A wave has whole rows in its registers, and
    an extent that is no power of two is sorted as the next one. All lanes of the block call it."""
    return firsts(sort_pairs(x, axis, descending)[0], tile_of(x), axis, None)


@avelang.jit
def argsort(x, axis=-1, descending=False):
    """Places of the elements along a dimension in order, i32; equal ones in the order in which they are. See `sort`."""
    return firsts(sort_pairs(x, axis, descending)[1], tile_of(x), axis, None)


@avelang.jit
def topk(x, k, axis=-1):
    """The k greatest elements along a dimension, the greatest first, and their places, i32: two tiles of extent k
    there. See `sort`."""
    if not isinstance(k, (int, float)):
        refuse("k of tile.topk", "known at compile time, as literals and al.constexpr are",
               "a number of the launch")
    t = tile_of(x)
    COUNT = placement.first_count(t.shape[placement.whole_axis(axis, len(t.shape))], k)
    values, places = sort_pairs(t, axis, True)
    return firsts(values, t, axis, COUNT), firsts(places, t, axis, COUNT)
