"""Attention over a sequence that ranks share: in step s a rank attends to the keys and values of the rank s behind it
while those of the next come, and what it has found so far is merged with what is new by the logarithms of the rows'
sums. Backward, gradients of keys and values go to the rank that owns them, which adds them in the order of steps."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import dataclasses
import functools
import math
from collections.abc import Iterator
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, copied, filled, named, new, on_16, whole
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.table import run_backward, run_forward
from avelang_kernels.dist.collectives import THREADS, WORDS, begun, ended, parts, publish
from avelang_kernels.dist.exchange import workspace

LAYOUTS = ("contiguous", "zigzag", "striped")
LOGS: Any = al.Pointer(al.f32)
BLOCKS = 256  # of kernels of rows, at the most


# -- who sees what -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Piece:
    """The attention of a rank in a step: rows `queries` of its own (first, end), rows `keys` of the shard; query i of
    these sees keys i - left to i + right, None without an end."""

    queries: tuple[int, int]
    keys: tuple[int, int]
    left: int | None = None
    right: int | None = None


def positions(layout: str, rank: int, ranks: int, length: int) -> list[int]:
    """The places in the whole sequence of a rank's rows."""
    if layout == "striped":
        return [i * ranks + rank for i in range(length)]
    if layout == "contiguous":
        return [rank * length + i for i in range(length)]
    half = length // 2
    return [c * half + i for c in (rank, 2 * ranks - 1 - rank) for i in range(half)]


def piece(layout: str, me: int, other: int, ranks: int, queries: int, keys: int, left: int | None,
          right: int | None) -> Piece | None:  # fmt: skip
    """The part of rank `other`'s keys that rank `me`'s queries see, where query i of the whole sequence sees keys i -
    left to i + right; None if they see none. A zigzag's mask is a causal one, or none."""
    rows, columns = (0, queries), (0, keys)
    if left is None and right is None:
        return Piece(rows, columns)
    if layout == "zigzag":
        if me == other:
            return Piece(rows, columns, None, 0)
        # The other's chunks are `other` and `2 ranks - 1 - other`: of a rank before, the first is before all of ours
        # and the second behind; of a rank behind, both lie between our two.
        return Piece(rows, (0, keys // 2)) if other < me else Piece((queries // 2, queries), columns)
    if layout == "striped":
        left = None if left is None else (left + other - me) // ranks
        right = None if right is None else (right + me - other) // ranks
    else:
        left = None if left is None else left - (me - other) * keys
        right = None if right is None else right + (me - other) * keys
    if any(x is not None and x <= -keys for x in (left, right)):
        return None
    far = keys - 1
    return Piece(rows, columns, None if left is None or left >= far else left,
                 None if right is None or right >= far else right)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Ring:
    """An attention over a split sequence: the problem of one shard, whose `left` and `right` are of the whole sequence,
    how that lies, and the chip."""

    shard: Problem
    layout: str
    target: str | None

    def piece(self, ranks: int, me: int, other: int) -> Piece | None:
        """The part of rank `other`'s keys that rank `me` sees; numbers go round."""
        p = self.shard
        return piece(self.layout, me % ranks, other % ranks, ranks, p.queries, p.keys, p.left, p.right)

    def problem(self, p: Piece) -> Problem:
        """The problem of a step."""
        queries, keys = (end - first for first, end in (p.queries, p.keys))
        return dataclasses.replace(self.shard, queries=queries, keys=keys, left=p.left, right=p.right)


# -- kernels -----------------------------------------------------------------------------------------------------------


@functools.cache
def build_shift(dtype: al.DType, ranks: int, vec: int, ADD: bool) -> Any:
    """The kernel that gives each rank what rank `whose` has put into its memory; with ADD it is added to f32."""
    ELEMENTS: Any = al.Pointer(dtype)
    MADE: Any = LOGS if ADD else ELEMENTS
    R, VEC, (vectors, _) = ranks, vec, parts(dtype, ranks, vec)

    @avelang.jit
    def shift(
        x: Annotated[Any, ELEMENTS], out: Annotated[Any, MADE], box: Annotated[Any, ELEMENTS],
        signals: Annotated[Any, WORDS], counts: Annotated[Any, WORDS], n: al.u32, room: al.u32, whose: al.u32,
        take: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b, blocks = al.thread_id(0), al.block_id(0), al.grid_dim(0)
        epoch, first, end, words = begun(counts, signals, n, R)
        half = (epoch % 2) * room
        X, MINE = vectors(x, n), vectors(box, 2 * room)
        for i in al.range(first + t, end, THREADS):
            MINE[half + i] = X[i]
        publish(words, epoch, 0, R, t, b, blocks)
        if take != 0:
            theirs = vectors(al.peer(box, whose), 2 * room)
            if ADD:
                SUMS = al.make_tensor(out, al.f32, al.make_layout((n, VEC)))
                for i in al.range(first + t, end, THREADS):
                    SUMS[i] = SUMS[i] + al.convert(theirs[half + i], al.f32)
            else:
                OUT = vectors(out, n)
                for i in al.range(first + t, end, THREADS):
                    OUT[i] = theirs[half + i]
        ended(counts, epoch)

    return shift


@functools.cache
def build_rows(part: al.DType, made: al.DType, vec: int, MERGE: bool) -> Any:
    """The kernel that joins rows of f32 with those that are new: weighed by the logarithms of both, or (not MERGE)
    added. Of each head's `n` rows the `m` from `first` on are new."""
    PART: Any = al.Pointer(part)
    MADE: Any = al.Pointer(made)
    V, MOST = vec, THREADS

    @avelang.jit
    def rows_joined(
        acc: Annotated[Any, LOGS], logs: Annotated[Any, LOGS], new: Annotated[Any, PART],
        new_logs: Annotated[Any, LOGS], out: Annotated[Any, MADE], out_logs: Annotated[Any, LOGS], rows: al.u32,
        n: al.u32, first: al.u32, m: al.u32, wide: al.u32, EACH: al.constexpr,
    ):  # fmt: skip
        t, b, blocks = al.thread_id(0), al.block_id(0), al.grid_dim(0)
        ACC = al.make_tensor(acc, al.f32, al.make_layout((rows, wide, V)))
        OUT = al.make_tensor(out, made, al.make_layout((rows, wide, V)))
        NEW = al.make_tensor(new, part, al.make_layout((rows // n * m, wide, V)))
        for row in al.range(b * (MOST // EACH) + t // EACH, rows, blocks * (MOST // EACH)):
            i, at = row % n, row // n * m
            mine, theirs, log = 1.0, 0.0, 0.0
            inside = i >= first and i < first + m
            at = al.select(inside, at + i - first, 0)
            if MERGE:
                one, two = logs[row], al.select(inside, new_logs[at], -math.inf)
                top = max(one, two)
                shift = al.select(top == -math.inf, 0.0, top)
                mine, theirs = al.exp(one - shift), al.exp(two - shift)
                total = mine + theirs
                log = al.select(total == 0.0, -math.inf, shift + al.log(total))
                by = al.select(total == 0.0, 0.0, 1.0 / total)
                mine, theirs = mine * by, theirs * by
                if t % EACH == 0:
                    out_logs[row] = log
            else:
                theirs = al.select(inside, 1.0, 0.0)
            for c in al.range(t % EACH, wide, EACH):
                OUT[row, c] = al.convert(ACC[row, c] * mine + al.convert(NEW[at, c], al.f32) * theirs, made)

    return rows_joined


# -- launches ----------------------------------------------------------------------------------------------------------


def _new(like: Any, shape: tuple[int, ...], dtype: str, fill: float | None = None) -> Any:
    """An array where `like` is, of a dtype by name."""
    return new(like, shape, dtype) if fill is None else filled(like, shape, fill, dtype)


def _joined(acc: Any, logs: Any, new: Any, new_logs: Any, out: Any, out_logs: Any, first: int) -> None:
    """Joins rows: acc and out are (batch, heads, n, d), new (batch, heads, m, d); logarithms, or None to add."""
    *lead, n, d = acc.shape
    rows, m, vec = math.prod(lead) * n, new.shape[-2], math.gcd(d, 4)
    if not rows:
        return
    wide = d // vec
    each = min(THREADS, 1 << (wide - 1).bit_length())
    kernel = build_rows(DTYPES[named(new)], DTYPES[named(out)], vec, logs is not None)
    flat = [None if x is None else x.reshape(-1) for x in (acc, logs, new, new_logs, out, out_logs)]
    spare = flat[0]
    grid = max(1, min(BLOCKS, -(-rows * each // THREADS)))
    kernel[grid, THREADS](*(spare if x is None else x for x in flat), rows, n, first, m, wide, each)


def shifted(member: Any, x: Any, out: Any, whose: int, take: bool, add: bool = False) -> None:
    """out (n,) = x (n,) of rank `whose`, or (add) the sum with it, in f32. All ranks call it; one that does not `take`
    only gives."""
    dtype, w = DTYPES[named(x)], workspace(member)
    vec = 16 // dtype.bytes
    kernel, size = build_shift(dtype, member.ranks, vec, add), vec * dtype.bytes
    box, count, most = member.at(w.box, 2 * w.room // dtype.bytes, named(x)), x.shape[0] // vec, w.room // size
    for at in range(0, count, most):
        n = min(most, count - at)
        member.launch(kernel, member.BLOCKS, THREADS, x[at * vec :], out[at * vec :], box, w.signals, w.counts, n,
                      w.room // size, whose % member.ranks, int(take), member.team)  # fmt: skip


class Pair:
    """Two arrays of one dtype, of the shapes of a rank's keys and values, one behind the other in memory: what travels.
    Each begins at a multiple of 16 bytes."""

    def __init__(self, k: Any, v: Any, dtype: str = "", fill: float | None = None):
        unit = 16 // (4 if named(k) == "float32" else 2)
        first, second = (-(-math.prod(x.shape) // unit) * unit for x in (k, v))
        self.flat = _new(k, (first + second,), dtype or named(k), fill)
        ends = math.prod(k.shape), first + math.prod(v.shape)
        self.k = self.flat[: ends[0]].reshape(tuple(k.shape))
        self.v = self.flat[first : ends[1]].reshape(tuple(v.shape))


def _four(x: Any) -> Any:
    """An array (..., heads, length, d) as (batch, heads, length, d)."""
    shape = tuple(x.shape)
    return x if len(shape) == 4 else x[None, None] if len(shape) == 2 else x.reshape(math.prod(shape[:-3]), *shape[-3:])


def _part(x: Any, rows: tuple[int, int], axis: int) -> Any:
    """Rows of an array, without gaps, and where kernels can read them, where they are not all."""
    if rows == (0, x.shape[axis]):
        return x
    some = x[:, :, rows[0] : rows[1]]
    return on_16(some) if whole(some) else copied(some)


def _steps(member: Any, ring: Ring, k: Any, v: Any) -> Iterator[tuple[int, Piece | None, Pair]]:
    """Of each step its number, what the rank sees in it, and the keys and values that it is of, while those of the next
    step come beside it. The caller says `member.joined()` before it goes on."""
    me, ranks = member.rank, member.ranks
    own, boxes = Pair(k, v), [Pair(k, v), Pair(k, v)]
    own.k[...], own.v[...] = k, v
    now = own
    for s in range(ranks):
        if s + 1 < ranks:
            takes = ring.piece(ranks, me, me - s - 1) is not None
            with member.beside():
                shifted(member, own.flat, boxes[s % 2].flat, me - s - 1, takes)
        yield s, ring.piece(ranks, me, me - s), now
        now = boxes[s % 2]


def forward(member: Any, ring: Ring, q: Any, k: Any, v: Any, out: Any, lse: Any) -> None:
    """Writes the rank's rows of O and the logarithms of the rows' sums: own keys first, then those of the ranks behind,
    one after another."""
    q, k, v, made = _four(q), _four(k), _four(v), _four(out)
    lead, n, dv = tuple(q.shape[:2]), q.shape[2], v.shape[3]
    acc = _new(q, (*lead, n, dv), "float32", 0.0)
    logs = [_new(q, (*lead, n), "float32", -math.inf) for _ in range(2)]
    for _, seen, now in _steps(member, ring, k, v):
        if seen is not None:
            one, two, three = _part(q, seen.queries, 2), _part(now.k, seen.keys, 2), _part(now.v, seen.keys, 2)
            new, new_logs = _new(q, (*one.shape[:3], dv), named(q)), _new(q, tuple(one.shape[:3]), "float32")
            run_forward(ring.problem(seen), Operands(one, two, three), new, new_logs, ring.target)
            _joined(acc, logs[0], new, new_logs, acc, logs[1], seen.queries[0])
            logs.reverse()
        member.joined()
    made[...], lse[...] = acc, logs[0].reshape(tuple(lse.shape))


def backward(member: Any, ring: Ring, q: Any, k: Any, v: Any, out: Any, lse: Any, grad: Any, grad_lse: Any, dq: Any,
             dk: Any, dv: Any) -> None:  # fmt: skip
    """Writes gradients of the rank's queries, keys and values. Each step's are those of one shard; sums are in f32, of
    keys and values at their owner in the order of steps."""
    shapes = tuple(dq.shape), tuple(dk.shape), tuple(dv.shape)
    q, k, v, out, grad = (_four(x) for x in (q, k, v, out, grad))
    lead, n, keys = tuple(q.shape[:2]), q.shape[2], k.shape[2]
    lse, grad_lse = (None if x is None else x.reshape((*lead, n)) for x in (lse, grad_lse))
    me, ranks = member.rank, member.ranks
    sent = [Pair(k, v), Pair(k, v)]
    acc, sums = _new(q, tuple(q.shape), "float32", 0.0), Pair(k, v, "float32", 0.0)
    for s, seen, now in _steps(member, ring, k, v):
        if seen is not None:
            rows, columns = seen.queries, seen.keys
            one, o, do, logs = (_part(x, rows, 2) for x in (q, out, grad, lse))
            dlogs = None if grad_lse is None else _part(grad_lse, rows, 2)
            two, three = _part(now.k, columns, 2), _part(now.v, columns, 2)
            new = [_new(q, tuple(x.shape), named(q)) for x in (one, two, three)]
            problem = ring.problem(seen)
            run_backward(problem, Operands(one, two, three), o, logs, do, dlogs, new[0], new[1], new[2], ring.target)
            _joined(acc, None, new[0], None, acc, None, rows[0])
            given = sent[s % 2]
            if columns != (0, keys):
                given.flat[...] = 0
            given.k[:, :, columns[0] : columns[1]], given.v[:, :, columns[0] : columns[1]] = new[1], new[2]
        member.joined()
        with member.beside():
            takes = ring.piece(ranks, me + s, me) is not None
            shifted(member, sent[s % 2].flat, sums.flat, me + s, takes, add=True)
    member.joined()
    for x, made, shape in zip((dq, dk, dv), (acc, sums.k, sums.v), shapes, strict=True):
        x[...] = made.reshape(shape)
