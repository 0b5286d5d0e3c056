"""Vectorized accesses of a distributed tile, at compile time: a distribution and the layout of the tile in memory come
in; vectors, with their offsets, go out.

A lane's place in a tile is that of its first element plus a step that is the same for all lanes: the first is computed
once, at run time, the steps are compile-time numbers. With an xor swizzle steps split in two: bits that the swizzle
mixes are xored, what is above them is added."""

from __future__ import annotations

import collections
import dataclasses
import functools
import math

import avelang
from avelang.arch import chip as chip_of
from avelang.base.errors import AveError
from avelang.base.lazy import np
from avelang.tile.banks import Swizzle, bank_count, phases_of
from avelang.tile.distribution import WIDEST, WORD, Distribution, split
from avelang.tile.encoding import Digit, Ints

FARTHEST = 7  # how far a swizzle may fetch its bits: every shift below is tried


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class LaneVector:
    """Some elements of a lane that lie side by side: `at`, the step from the lane's first element to the first of them,
    along each dimension; `slots`, where they are in the lane's registers; `contiguous`: whether those are neighbors in
    order, and aligned."""

    at: Ints
    slots: Ints
    contiguous: bool


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class SharedVector:
    """A vector in shared memory: at byte (first ^ `xor_offset`) + `add_offset` of the lane's first byte.
    `slots`, `contiguous`: as of `LaneVector`."""

    xor_offset: int
    add_offset: int
    slots: Ints
    contiguous: bool


AT_BASE = SharedVector(0, 0, (), True)  # at the lane's first byte


@functools.lru_cache(256)
def _vectors(dist: Distribution, axis: int, width: int) -> tuple[LaneVector, ...]:
    steps = np.stack([x[0] for x in dist.index], axis=1)  # thread 0 stands at the origin
    width = math.gcd(width, dist.run(axis))
    others = [a for a in range(steps.shape[1]) if a != axis]
    held: dict[tuple[int, ...], list[int]] = {}
    for slot, at in enumerate(steps.tolist()):
        held.setdefault((*(at[a] for a in others), at[axis] // width), []).append(slot)
    out = []
    for slots in held.values():
        slots = sorted(slots, key=lambda s: steps[s, axis])
        contiguous = slots == list(range(slots[0], slots[0] + width)) and slots[0] % width == 0
        out.append(LaneVector(tuple(map(int, steps[slots[0]])), tuple(slots), contiguous))
    return tuple(out)


@avelang.constant
def vectors(dist: Distribution, axis: int, width: int) -> tuple[LaneVector, ...]:
    """The elements of a lane in vectors of up to `width` neighbors along `axis`, in the order of their first slots."""
    return _vectors(dist, axis, width)


@avelang.constant
def lane_digits(dist: Distribution) -> tuple[tuple[int, Digit], ...]:
    """Digits of a thread's number by which its first element moves: (threads to one count of the digit, digit), for
    digits that count."""
    out, divisor = [], 1
    for digits in reversed(dist.encoding.steps().p):
        for d in reversed(digits):
            if d.extent > 1 and any(d.strides):
                out.append((divisor, d))
            divisor *= d.extent
    return tuple(out)


@avelang.constant
def replica_digits(dist: Distribution) -> tuple[tuple[int, int], ...]:
    """Digits of a thread's number that count replicas: (threads to one count, counts)."""
    out, divisor = [], 1
    for digits in reversed(dist.encoding.steps().p):
        for d in reversed(digits):
            if d.extent > 1 and not any(d.strides):
                out.append((divisor, d.extent))
            divisor *= d.extent
    return tuple(out)


@functools.lru_cache(256)
def _shared_vectors(
    dist: Distribution, axis: int, width: int, strides: Ints, swizzle: Swizzle
) -> tuple[SharedVector, ...]:
    found = _vectors(dist, axis, width)
    period = 1 << swizzle.base + swizzle.shift + swizzle.bits if swizzle.bits else 1
    first = np.sum([x[:, :1] * s for x, s in zip(dist.index, strides, strict=True)], axis=0)
    out = []
    for v in found:
        step = sum(a * s for a, s in zip(v.at, strides, strict=True))
        xor_offset = int(swizzle(np.asarray(step % period)))
        place = SharedVector(xor_offset, step - step % period, v.slots, v.contiguous)
        if ((swizzle(first) ^ place.xor_offset) + place.add_offset != swizzle(first + step)).any():
            return ()
        out.append(place)
    return tuple(out)


@avelang.constant
def shared_vectors(
    dist: Distribution, axis: int, width: int, strides: Ints, swizzle: Swizzle
) -> tuple[SharedVector, ...]:
    """The vectors of a lane in a tile in shared memory, with `strides` in bytes and a swizzle of byte offsets. Empty
    where lanes' steps do not split (then every address is computed from its coordinates)."""
    return _shared_vectors(dist, axis, width, strides, swizzle)


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class LdmatrixPlan:
    """A load of a lane's registers by NVIDIA's `ldmatrix`: by loads of `each` matrices of 8 rows of 16 bytes, a word of
    the lane from each, in the order of its registers. `rows`: the distribution of the rows that lanes name, one row a
    load; `turned`: whether elements come out transposed."""

    rows: Distribution
    each: int
    turned: bool


@functools.lru_cache(256)
def _matrices(dist: Distribution, axis: int, size: int, parts: int) -> LdmatrixPlan | None:
    per, wide = WORD // size if size <= WORD else 0, WIDEST // size
    if dist.wave != 32 or len(dist.shape) != 2 or not per or dist.elements % (per * parts):
        return None
    count = dist.elements // per
    # (dimension, wave, row of lanes, column of lanes, word, element of the word)
    at = np.stack(dist.index).reshape(2, dist.waves, 8, 4, count, per)
    fast, slow = at[axis], at[1 - axis]
    run = fast[:, :, :1, :, :1] + np.arange(4).reshape(4, 1, 1) * per + np.arange(per)
    down = fast[:, :1, :1, :, :1] + np.arange(8).reshape(8, 1, 1, 1)
    if (fast == run).all() and (slow == slow[:, :, :1, :, :1]).all():
        rows, cols, turned = slow[:, :, 0, :, 0], fast[:, :, 0, :, 0], False
    elif size == 2 and (fast == down).all() and (slow == slow[:, :1]).all():
        rows = slow[:, 0].transpose(0, 1, 3, 2).reshape(dist.waves, 8, count)
        cols, turned = np.broadcast_to(fast[:, 0, 0, :, 0][:, None], rows.shape), True
    else:
        return None
    if (cols % wide).any():
        return None
    each = math.gcd(count // parts, 4)
    # Lane l names row l % 8 of matrix l // 8, again and again where there are fewer than 4.
    by_lane = [
        x.reshape(dist.waves, 8, -1, each).transpose(0, 3, 1, 2).reshape(dist.waves, 8 * each, -1) for x in (rows, cols)
    ]
    named = [np.tile(x, (1, 4 // each, 1)) for x in by_lane]
    row = np.repeat(named[0], wide, axis=2)
    col = (named[1][..., None] + np.arange(wide)).reshape(row.shape)
    try:
        rows = Distribution.of_index([row, col] if axis else [col, row], dist.shape, "the rows that lanes name")
    except AveError:
        return None  # where no digits count the rows
    return LdmatrixPlan(rows, each, turned)


@avelang.constant
def matrices(dist: Distribution, axis: int, size: int, target: str, parts: int = 1) -> LdmatrixPlan | None:
    """Plan of the `ldmatrix` loads of a distributed tile of elements of `size` bytes that lie side by side along
    `axis`, each of `parts` equal parts of a lane's registers by loads of its own: None where the chip does not have it,
    or where the lanes' elements are no 8 x 8 matrices of 16 bits, as they are or transposed."""
    return _matrices(dist, axis, size, parts) if "sm_75" in chip_of(target).features else None


@functools.lru_cache(256)
def _conflicts(dist: Distribution, axis: int, strides: Ints, swizzle: Swizzle, target: str) -> int:
    size = strides[axis]
    found = matrices(dist, axis, size, target)
    dist = dist if found is None else found.rows
    width = widest(dist, axis, size, WIDEST // size)
    nbytes, total = width * size, 0
    phases, count = phases_of(target, nbytes), bank_count(target, nbytes)
    first = dist.index[0][: dist.wave, 0] * strides[0] + dist.index[1][: dist.wave, 0] * strides[1]
    for v in _vectors(dist, axis, width):
        at = np.asarray(swizzle(first + v.at[0] * strides[0] + v.at[1] * strides[1])).tolist()
        for lanes in phases:
            words = {w for lane in lanes for w in range(at[lane] // WORD, (at[lane] + nbytes + 3) // WORD)}
            total += max(collections.Counter([w % count for w in words]).values()) - 1
    return total


def conflicts(dist: Distribution, strides: Ints, swizzle: Swizzle, target: str, axis: int = 1) -> int:
    """Cycles that shared memory loses to bank conflicts in the first wave's accesses to a tile whose neighbors along
    `axis` are neighbors in memory, each access as wide as may be, loads by `ldmatrix` where they can be; phases as
    `avelang.tile.banks` has them."""
    return _conflicts(dist, axis, strides, swizzle, target)


@functools.lru_cache(256)
def _swizzle(dists: tuple[Distribution, ...], turned: tuple[Distribution, ...], strides: Ints, target: str) -> Swizzle:
    row = strides[0]
    if row & (row - 1) or row < WIDEST:
        return Swizzle()
    top = row.bit_length() - 1
    others = [
        (b, base, shift)
        for b in (1, 2, 3)
        for base in range(4, top - b + 1)
        for shift in range(b, FARTHEST)
        if base + shift >= top
    ]
    known = [Swizzle.rows(row), *(Swizzle(*s) for s in others)]
    best, least = known[0], -1
    for s in known:
        lost = sum(conflicts(d, strides, s, target) for d in dists) + sum(
            conflicts(d, strides[::-1], s, target, 0) for d in turned
        )
        if least < 0 or lost < least:
            best, least = s, lost
        if not lost:
            break
    return best


@avelang.constant
def swizzle_for(
    dists: tuple[Distribution, ...], strides: Ints, target: str, turned: tuple[Distribution, ...] = ()
) -> Swizzle:
    """The xor swizzle of a tile in shared memory, with `strides` in bytes, with which accesses in these distributions
    meet the fewest conflicts; none where rows are no power of two. `turned`: distributions of the tile with rows and
    columns exchanged."""
    return _swizzle(dists, turned, strides, target)


@avelang.constant
def widest(dist: Distribution, axis: int, size: int, limit: int) -> int:
    """Elements of `size` bytes in the widest access along `axis`, no more than `limit` of them and than 16 bytes."""
    return math.gcd(math.gcd(dist.run(axis), limit), 16 // size)


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Folding:
    """Fold of a dimension of a distributed tile. `of`: for each element of a lane which of the lane's results it
    goes into; `results`: how many a lane has; `exchanges`: offsets by which lanes are xored to meet the others that
    have a part; `waves`: (threads to one count, counts) of waves that have a part; `dist`: the distribution of what is
    left."""

    of: Ints
    results: int
    exchanges: Ints
    waves: tuple[tuple[int, int], ...]
    dist: Distribution


@functools.lru_cache(256)
def _folding(dist: Distribution, axis: int) -> Folding:
    others = [a for a in range(len(dist.shape)) if a != axis]
    steps = [tuple(int(dist.index[a][0, e]) for a in others) for e in range(dist.elements)]
    kept = list(dict.fromkeys(steps))
    first = [steps.index(k) for k in kept]
    index, shape = [dist.index[a][:, first] for a in others], tuple(dist.shape[a] for a in others)
    left = dist.remapped(index, shape, f"what is left of {dist.shape} without dimension {axis}")
    exchanges: list[int] = []
    waves: list[tuple[int, int]] = []
    threads = dist.encoding.steps().p
    of_waves, of_lanes = split(threads[0], dist.wave) if len(threads) == 1 else threads
    divisor = 1
    for d in reversed(of_lanes):  # extents of 64 or 32 lanes are powers of two
        if d.strides[axis]:
            exchanges += [divisor << i for i in range(d.extent.bit_length() - 1)]
        divisor *= d.extent
    for d in reversed(of_waves):
        if d.strides[axis] and d.extent > 1:
            waves.append((divisor, d.extent))
        divisor *= d.extent
    return Folding(tuple(kept.index(s) for s in steps), len(kept), tuple(exchanges), tuple(waves), left)


@avelang.constant
def folding(dist: Distribution, axis: int) -> Folding:
    """Fold of a dimension, by sums or maxima. Raises T305 where threads do not split into waves and lanes."""
    return _folding(dist, axis)
