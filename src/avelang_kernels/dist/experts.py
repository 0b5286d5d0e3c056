"""Rows of tokens go to the ranks that have their experts, and back: counts first, by which every rank knows the place
of each row at the rank that gets it, then the rows, by stores into the peers' memory.

A token goes once to each rank, however many of its experts are there: its first row there is pushed, and of each row
the number of the row that has its values, by which whoever takes rows finds them (`build_take`, `build_spread`).

A *segment* is the rows of one rank for one expert. At home they lie in the order of experts (`ops.moe.moe_order`); at
the expert's rank they lie by expert, then by the rank that they are of, without gaps: `ends` of experts are what a
grouped product takes. Blocks are as many in every call; the number of a call is kept in memory, so that a launch can
be recorded once and run again."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import dataclasses
import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error
from avelang_kernels.arrays import DTYPES, address, named
from avelang_kernels.dist.collectives import THREADS, WORDS, begun, ended, publish

NUMBERS: Any = al.Pointer(al.i32)
FLOATS: Any = al.Pointer(al.f32)
LANES = 32  # threads that copy a row
MANY = 4  # loads of a thread that are under way
ALIGNED, BESIDE = 256, 8  # bytes: at which what is behind rows begins; of each row's number and factor
ASIDE = 1 << 14  # bytes that a first call takes for other things before it makes the box, at the most

# The tables of a layout, each (ranks, experts): rows of a segment, its first row at home, that at the expert's rank.
COUNT, HOME, AWAY = 0, 1, 2


@functools.cache
def build_layout(ranks: int, experts: int) -> Any:
    """The kernel that tells all ranks how many rows of this one each expert gets, and from what all have told makes the
    tables of a layout and the ends of this rank's experts. One block."""
    R, E, L = ranks, experts, experts // ranks

    @avelang.jit
    def expert_layout(
        ends: Annotated[Any, NUMBERS], layout: Annotated[Any, NUMBERS], here: Annotated[Any, NUMBERS],
        box: Annotated[Any, WORDS], signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], team: al.Ranks,
    ):  # fmt: skip
        t, me = al.thread_id(0), al.rank()
        epoch, _, _, words = begun(counts, signals, al.u32(E), R)
        half = epoch % 2
        told = al.make_tensor(box, al.u32, al.make_layout((2, R, E)))
        for i in al.range(t, R * E, THREADS):
            r, e = (i + me * E) // E % R, i % E
            before = al.i32(0)
            if e > 0:
                before = ends[e - 1]
            al.peer(told, r)[half, me, e] = al.convert(ends[e] - before, al.u32)
        publish(words, epoch, 0, R, t, al.u32(0), 1)
        rows, total = al.make_shared((R, E), al.u32), al.make_shared((E,), al.u32)
        for i in al.range(t, R * E, THREADS):
            rows[i // E, i % E] = told[half, i // E, i % E]
        al.syncthreads()
        tables = al.make_tensor(layout, al.i32, al.make_layout((3, R, E)))
        for e in al.range(t, E, THREADS):
            sum = al.u32(0)
            for r in range(R):
                tables[COUNT, r, e] = al.convert(rows[r, e], al.i32)
                sum += rows[r, e]
            total[e] = sum
        al.syncthreads()
        if t < R:  # rank t's rows at home, and first rows of its experts
            at, first = al.u32(0), al.u32(0)
            for e in al.range(E):
                tables[HOME, t, e] = al.convert(at, al.i32)
                at += rows[t, e]
            for e in al.range(L):
                held = total[t * L + e]
                total[t * L + e] = first
                first += held
                if t == me:
                    here[e] = al.convert(first, al.i32)
        al.syncthreads()
        for e in al.range(t, E, THREADS):
            at = total[e]
            for r in range(R):
                tables[AWAY, r, e] = al.convert(at, al.i32)
                at += rows[r, e]
        ended(counts, epoch)

    return expert_layout


@avelang.jit
def copy_row(X: Any, row: Any, Y: Any, to: Any, n: Any, lane: Any):
    """Y[to] = X[row], n vectors, by LANES threads; loads come before stores, which may be to a peer."""
    many = n // (LANES * MANY) * (LANES * MANY)
    for c in al.range(lane, many, LANES * MANY):
        a, b = X[row, c], X[row, c + LANES]
        d, e = X[row, c + 2 * LANES], X[row, c + 3 * LANES]
        Y[to, c], Y[to, c + LANES] = a, b
        Y[to, c + 2 * LANES], Y[to, c + 3 * LANES] = d, e
    for c in al.range(many + lane, n, LANES):
        Y[to, c] = X[row, c]


@avelang.jit
def share_of(low: Any, slot: Any, slots: Any):
    """The first number from `low` on that is slot's, of numbers dealt out to slots by turns."""
    return low + (slot + slots - low % slots) % slots


@avelang.jit
def first_copy(order: Any, places: Any, tables: Any, row: Any, top_k: Any, me: Any, low_e: Any, e: Any, to: Any):
    """The row at a rank, whose experts are from `low_e` on, to which the token of the own row `row`, of expert e, goes
    first; its values go there. `to`: where this row goes."""
    place = al.convert(order[row], al.u32)
    begin, lead = al.convert(tables[HOME, me, low_e], al.u32), row
    for j in al.range(top_k):
        other = al.convert(places[place // top_k * top_k + j], al.u32)
        if other >= begin:
            lead = min(lead, other)
    found = to
    if lead < row:
        for s in al.range(low_e, e + 1):
            home, length = al.convert(tables[HOME, me, s], al.u32), al.convert(tables[COUNT, me, s], al.u32)
            if home <= lead and lead < home + length:
                found = al.convert(tables[AWAY, me, s], al.u32) + lead - home
    return found, place


@functools.cache
def build_push(dtype: al.DType, ranks: int, vec: int, back: bool, taken: bool, weighted: bool = False) -> Any:
    """The kernel that pushes rows to their experts, or `back`: those that arrive at rows `low` to `low + most`. With
    `taken` x has a row for each token, which goes once to each rank, and for each of its rows there the number of the
    one that has the values, and (`weighted`) its weight; else x has the rows themselves."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, VEC, BACK, TAKEN, WEIGHTED = ranks, vec, back, taken, weighted

    @avelang.jit
    def push_rows(
        x: Annotated[Any, ELEMENTS], order: Annotated[Any, NUMBERS], places: Annotated[Any, NUMBERS],
        weights: Annotated[Any, FLOATS], layout: Annotated[Any, NUMBERS], box: Annotated[Any, ELEMENTS],
        follows: Annotated[Any, WORDS], factors: Annotated[Any, FLOATS], signals: Annotated[Any, WORDS],
        counts: Annotated[Any, WORDS], given: al.u32, top_k: al.u32, E: al.u32, n: al.u32, low: al.u32, most: al.u32,
        team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        epoch, _, _, words = begun(counts, signals, n, R)
        L, tables = E // R, al.make_tensor(layout, al.i32, al.make_layout((3, R, E)))
        X = al.make_tensor(x, dtype, al.make_layout((given, n, VEC)))
        MINE = al.make_tensor(box, dtype, al.make_layout((most, n, VEC)))
        lane, each = t % LANES, THREADS // LANES
        slot, slots = b * each + t // LANES, blocks * each
        publish(words, epoch, 0, R, t, b, blocks)  # all have taken what was in their boxes
        for j in al.range(E):
            i = (j + me * L) % E  # own experts first, then those of the next rank
            peer = i // L
            r, e = (peer, me * L + i % L) if BACK else (me, i)
            length = al.convert(tables[COUNT, r, e], al.u32)
            home, away = al.convert(tables[HOME, r, e], al.u32), al.convert(tables[AWAY, r, e], al.u32)
            source, goal = (away, home) if BACK else (home, away)
            theirs = al.peer(MINE, peer)
            for to in al.range(share_of(max(goal, low), slot, slots), min(goal + length, low + most), slots):
                row = source + to - goal
                if TAKEN:
                    found, place = first_copy(order, places, tables, row, top_k, me, peer * L, i, to)
                    if found < low:  # it went with rows before these
                        found = to
                    if lane == 0:
                        al.peer(follows, peer)[to - low] = found - low
                        if WEIGHTED:
                            al.peer(factors, peer)[to - low] = weights[place]
                    if found == to:
                        copy_row(X, place // top_k, theirs, to - low, n, lane)
                else:
                    copy_row(X, row, theirs, to - low, n, lane)
        al.syncthreads()
        if t < R:  # behind the blocks' signals, how many blocks of each rank have pushed, in all calls
            words[R * blocks + me].at(t).add()
        ended(counts, epoch)

    return push_rows


@functools.cache
def build_take(dtype: al.DType, ranks: int, vec: int, back: bool, taken: bool = False, weighted: bool = False) -> Any:
    """The kernel that waits for what all ranks push, and takes it out of the box; rows behind the last become zeros. A
    row may come from any block, so this is a launch of its own: blocks of a launch need not run beside one another."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, VEC, BACK, TAKEN, WEIGHTED = ranks, vec, back, taken, weighted

    @avelang.jit
    def take_rows(
        layout: Annotated[Any, NUMBERS], out: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS],
        follows: Annotated[Any, WORDS], factors: Annotated[Any, FLOATS], signals: Annotated[Any, WORDS],
        counts: Annotated[Any, WORDS], rows: al.u32, E: al.u32, n: al.u32, low: al.u32, most: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        epoch = al.make_tensor(counts, al.u32, al.make_layout((blocks,)))[b]
        if t < R:
            al.Signals(signals, (2 * R * blocks,))[R * blocks + t].wait(epoch * blocks, t)
        al.syncthreads()
        L, tables = E // R, al.make_tensor(layout, al.i32, al.make_layout((3, R, E)))
        OUT = al.make_tensor(out, dtype, al.make_layout((rows, n, VEC)))
        MINE = al.make_tensor(box, dtype, al.make_layout((most, n, VEC)))
        lane, each = t % LANES, THREADS // LANES
        slot, slots = b * each + t // LANES, blocks * each
        table, r, e = (HOME, me, E - 1) if BACK else (AWAY, R - 1, me * L + (L - 1))
        total = al.convert(tables[table, r, e] + tables[COUNT, r, e], al.u32)
        for row in al.range(share_of(low, slot, slots), min(rows, low + most), slots):
            if row < total:
                at = follows[row - low] if TAKEN else row - low
                if WEIGHTED:
                    factor = factors[row - low]
                    for c in al.range(lane, n, LANES):
                        OUT[row, c] = al.convert(al.convert(MINE[at, c], al.f32) * factor, dtype)
                else:
                    copy_row(MINE, at, OUT, row, n, lane)
            else:
                for c in al.range(lane, n, LANES):
                    OUT[row, c] = al.full((VEC,), 0.0, dtype)

    return take_rows


@functools.cache
def build_spread(dtype: al.DType, ranks: int, vec: int) -> Any:
    """The kernel that fills in the rows of the box that other rows have the values of, rank by rank as their rows come,
    own ones first; `ready` gets the number of the call when the rows of a rank are there."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, VEC = ranks, vec

    @avelang.jit
    def spread_rows(
        layout: Annotated[Any, NUMBERS], box: Annotated[Any, ELEMENTS], follows: Annotated[Any, WORDS],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], ready: Annotated[Any, WORDS],
        done: Annotated[Any, WORDS], E: al.u32, n: al.u32, most: al.u32, pushed: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks, me = al.thread_id(0), al.block_id(0), al.grid_dim(0), al.rank()
        call = al.make_tensor(counts, al.u32, al.make_layout((pushed,)))[0]
        words, READY = al.Signals(signals, (2 * R * pushed,)), al.Signals(ready, (R,))
        L, tables = E // R, al.make_tensor(layout, al.i32, al.make_layout((3, R, E)))
        DONE = al.make_tensor(done, al.u32, al.make_layout((R,)))
        MINE = al.make_tensor(box, dtype, al.make_layout((most, n, VEC)))
        lane, each = t % LANES, THREADS // LANES
        slot, slots = b * each + t // LANES, blocks * each
        for s in al.range(R):
            r = (me + s) % R
            if t == 0:
                words[R * pushed + r].wait(call * pushed, r)
            al.syncthreads()
            for e in al.range(me * L, me * L + L):
                begin, length = al.convert(tables[AWAY, r, e], al.u32), al.convert(tables[COUNT, r, e], al.u32)
                for row in al.range(share_of(begin, slot, slots), min(begin + length, most), slots):
                    if follows[row] != row:
                        copy_row(MINE, follows[row], MINE, row, n, lane)
            al.syncthreads()
            if t == 0 and al.atomic_add(DONE, r, 1, scope="system", order="acq_rel") % blocks == blocks - 1:
                READY[r].send(call)

    return spread_rows


# -- launches ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Boxes:
    """A member's symmetric memory for experts: the offset and bytes of the box for rows; signals, (ranks, blocks), and
    behind them a counter of each rank; and counts of calls; ready, done: of `build_spread`, for each rank."""

    rows: int
    room: int
    signals: Any
    counts: Any
    ready: Any
    done: Any


def blocks_of(member: Any) -> int:
    """Blocks of a launch that moves rows, the same in every call: more than those of a collective, since rows are
    found one by one."""
    return member.BLOCKS if member.device == "cpu" else 4 * member.BLOCKS


def boxes(member: Any) -> Boxes:
    """The boxes, made by the first call: half of the member's memory that is left."""

    def make() -> Boxes:
        room = max(4096, member.left // 2 // 4096 * 4096)
        rows, blocks = member.empty(room, "uint8").offset, blocks_of(member)
        signals = member.empty(2 * member.ranks * blocks, "uint32")
        ready, done = (member.empty(member.ranks, "uint32") for _ in range(2))
        return Boxes(rows, room, signals, member.empty(blocks, "uint32"), ready, done)

    return member.kept("experts", make)


def layout(member: Any, ends: Any, out: Any, here: Any) -> None:
    """out (3, R, experts) = the tables of a layout, here (experts / R,) = the ends of the rank's experts, by the ends
    of experts (experts,) in every rank's order."""
    experts, ranks = ends.shape[0], member.ranks
    box, signals, counts = member.kept(("layout", experts), lambda: (
        member.empty((2, ranks, experts), "uint32"), member.empty(2 * ranks, "uint32"), member.empty(1, "uint32"),
    ))  # fmt: skip
    member.launch(build_layout(ranks, experts), 1, THREADS, ends, out, here, box, signals, counts, member.team)


def move(
    member: Any, x: Any, order: Any, places: Any, weights: Any, tables: Any, out: Any, most: int, back: bool
) -> None:
    """Rows of x to their experts, or `back`; rows of out behind the last are zeros. With `order` and `places`, (tokens,
    top_k), x has a row for each token, which is multiplied by its `weights` on arrival, if there are any. `most`: rows
    that out has at the most on any rank: so many are provided for. Raises L066 where no row fits the member's
    memory."""
    (rows, n), experts, held = out.shape, tables.shape[2], boxes(member)
    if not n or not most:
        return
    each = min(most, fitting(member, x))
    if not each:
        raise argument_error(f"x has rows of {n * _bytes(x)} bytes, and there are {held.room} bytes of symmetric "
                             f"memory for rows of tokens: connect(bytes=...)")  # fmt: skip
    for low in range(0, most, each):
        box, follows, factors, vec = push(member, x, order, places, weights, tables, low, each, back, out)
        take = build_take(_dtype(x), member.ranks, vec, back, order is not None, weights is not None)
        member.launch(take, blocks_of(member), THREADS, tables, _memory(out), box, follows, factors, held.signals,
                      held.counts, rows, experts, n // vec, low, each, member.team)  # fmt: skip


def push(
    member: Any, x: Any, order: Any, places: Any, weights: Any, tables: Any, low: int, each: int, back: bool,
    out: Any = None,
) -> tuple[Any, Any, Any, int]:  # fmt: skip
    """Pushes the rows that arrive at `low` to `low + each`: the box, of each row the number of the one that has its
    values and its factor, and how many elements are moved at once, which `out`, where it is given, allows too."""
    n, dtype, held = x.shape[1], _dtype(x), boxes(member)
    wide = 16 // dtype.bytes
    vec = wide if n % wide == 0 and all(a is None or address(a) % 16 == 0 for a in (x, out)) else 1
    box, behind = member.at(held.rows, each * n, named(x)), held.rows + -(-each * n * _bytes(x) // ALIGNED) * ALIGNED
    follows, factors = (member.at(at, each, t) for at, t in (
        (behind, "uint32"), (behind + -(-4 * each // 16) * 16, "float32")))  # fmt: skip
    kernel = build_push(dtype, member.ranks, vec, back, order is not None, weights is not None)
    own = (tables if order is None else _some(order), tables if places is None else _some(places))
    member.launch(kernel, blocks_of(member), THREADS, _some(x), *own, factors if weights is None else _some(weights),
                  tables, box, follows, factors, held.signals, held.counts, x.shape[0],
                  1 if places is None else places.shape[1], tables.shape[2], n // vec, low, each,
                  member.team)  # fmt: skip
    return box, follows, factors, vec


def spread(member: Any, box: Any, follows: Any, tables: Any, x: Any, most: int, vec: int, blocks: int) -> None:
    """Fills in the rows of a box that others have the values of; `Boxes.ready` says which ranks' rows are there."""
    held, n = boxes(member), x.shape[1]
    member.launch(build_spread(_dtype(x), member.ranks, vec), blocks, THREADS, tables, box, follows, held.signals,
                  held.counts, held.ready, held.done, tables.shape[2], n // vec, most, blocks_of(member),
                  member.team)  # fmt: skip


def fitting(member: Any, x: Any) -> int:
    """Rows of x that the box of a member has room for, with what is said of each; before there is one, that it will
    have room for at least. It makes none: torch.compile traces this, and would make it a second time."""
    made = member._kept.get("experts")
    room = max(0, member.left // 2 - ASIDE) if made is None else made.room
    return max(0, room - ALIGNED - 16) // max(1, x.shape[1] * _bytes(x) + BESIDE)


def _dtype(x: Any) -> Any:
    return {**DTYPES, "float64": al.f64}[named(x)]


def _bytes(x: Any) -> int:
    return x.element_size() if hasattr(x, "element_size") else x.itemsize


def _some(x: Any) -> Any:
    """An array that kernels read: a copy where it begins off the 16 bytes that code for a GPU may read at once."""
    flat = _memory(x)
    return flat if address(flat) % 16 == 0 else flat.clone() if hasattr(flat, "clone") else flat.copy()


def _memory(x: Any) -> Any:
    """Memory that is there, where an array has no elements."""
    if 0 not in x.shape:
        return x.reshape(-1)
    if hasattr(x, "new_zeros"):
        return x.new_zeros((8,))
    import numpy as np

    return np.zeros(8, x.dtype)
