"""Places of tiles by default, at compile time: shapes, threads of a block and indices come in; the distribution of a
tile that names none, the common shape of operands, and which registers hold what another distribution wants go out."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NoReturn

import avelang
from avelang.base.errors import AveError
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.tile.distribution import WIDEST, WORD, Distribution
from avelang.tile.encoding import Ints

USUAL_THREADS = 256  # of a block, where a kernel is built without a launch
MOST = 4096  # elements of a lane, as of what a kernel reads whole: code is written out for each
Index = tuple[int, ...]


@functools.lru_cache(256)
def _home(shape: Ints, threads: int, wave: int) -> Distribution:
    each, waves = max(1, math.prod(shape) // threads), threads // wave
    wide = math.gcd(each, WIDEST // WORD)
    found = Distribution.blocked(shape, waves=waves, wave=wave, vector=wide)
    while wide > 1 and found.elements > each:  # neighbors take powers of two that lanes could share
        wide //= 2
        found = min(found, Distribution.blocked(shape, waves=waves, wave=wave, vector=wide), key=lambda d: d.elements)
    return found


@avelang.constant
def home(shape: Ints, threads: int, wave: int) -> Distribution:
    """The distribution of a tile of this shape that names none, over a block of so many threads (0: 256): neighboring
    lanes have neighbors along the last dimension, up to 4 each. Raises T301 for what is no shape, T304 where threads
    are no whole waves."""
    if (
        not isinstance(shape, tuple)
        or not shape
        or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in shape)
    ):
        raise wrong(
            "T301",
            what="the shape of a tile",
            want="a tuple of compile-time integers from 1, such as (64, 32)",
            got=repr(shape),
        )
    threads = threads or USUAL_THREADS
    if threads < wave:
        threads = wave
    if threads % wave:
        raise wrong(
            "T304",
            what="a block of tiles",
            product=f"it has {threads} threads",
            want=f"waves have {wave} lanes, and it takes whole ones",
        )
    least = math.prod(shape) // threads  # before the distribution is made, which takes as much memory
    found = None if least > MOST else _home(shape, threads, wave)
    if found is None or found.elements > MOST:
        raise wrong("T301", what="a tile", want=f"of at most {MOST} elements for each lane (loop over smaller tiles, "
                    "or launch more threads; of extents without powers of two, few lanes have all)",
                    got=f"{shape} over {threads} threads, {found.elements if found else least} for each")
    return found


@avelang.constant
def broadcast_shape(shapes: tuple[Ints, ...]) -> Ints:
    """The shape in which operands meet, by NumPy's rule: aligned at the last dimension, extents equal or 1. Raises
    T301."""
    try:
        return tuple(int(n) for n in np.broadcast_shapes(*shapes))
    except ValueError:
        got = " and ".join(str(s) for s in shapes if s)
        raise wrong(
            "T301",
            what="operands",
            want="tiles of shapes that broadcast: equal extents, or 1 (`t[:, None]` makes a column of a row)",
            got=got,
        ) from None


Cuts = tuple[tuple[int, int, int], ...]  # of each dimension: the first element, the step, the count


@avelang.constant
def index_plan(index: Any, shape: Ints) -> tuple[Index, Cuts | None]:
    """For each dimension that `t[index]` has, the dimension of `t` that it is, -1 for a new one of extent 1; and the
    part of each dimension of `t`, None for all of it. Raises T301 for an index that is not made of slices, None and
    compile-time integers."""
    parts = index if isinstance(index, tuple) else (index,)
    rank, given = len(shape), sum(p is not None and p is not ... for p in parts)
    if given > rank or sum(p is ... for p in parts) > 1:
        _refuse_index(index, shape)
    if any(p is ... for p in parts):
        at = next(i for i, p in enumerate(parts) if p is ...)
        parts = (*parts[:at], *[slice(None)] * (rank - given), *parts[at + 1 :])
    plan: list[int] = []
    cuts: list[tuple[int, int, int]] = []
    for p in parts:
        if p is None:
            plan.append(-1)
            continue
        if not isinstance(p, int):
            plan.append(len(cuts))
        cuts.append(_cut_of(p, shape[len(cuts)], index, shape))
    plan += range(len(cuts), rank)
    cuts += [(0, 1, n) for n in shape[len(cuts) :]]
    whole = all(c == (0, 1, n) for c, n in zip(cuts, shape, strict=True))
    return tuple(plan), None if whole and not any(isinstance(p, int) for p in parts) else tuple(cuts)


def _cut_of(p: Any, extent: int, index: Any, shape: Ints) -> tuple[int, int, int]:
    """The part of a dimension that a slice or an integer names. Raises T301."""
    numbers = (p.start, p.stop, p.step) if isinstance(p, slice) else (p,)
    whole = [isinstance(x, int) and not isinstance(x, bool) for x in numbers if x is not None]
    fits = all(whole) and (whole or isinstance(p, slice))
    if not fits or (isinstance(p, slice) and p.step == 0) or (isinstance(p, int) and not -extent <= p < extent):
        _refuse_index(index, shape)
    if isinstance(p, int):
        return p % extent, 1, 1
    found = range(*p.indices(extent))
    if not len(found):
        _refuse_index(index, shape)
    return found.start, found.step, len(found)


def _refuse_index(index: Any, shape: Ints) -> NoReturn:
    raise wrong(
        "T301",
        what="the index of a tile",
        want=f"for each of its extents {shape} `:`, a slice or an integer within, known at compile time and not empty, "
        "and None for new ones, as in t[:, None] (elements of a tile are spread over lanes; `tile.where` with a mask "
        "chooses among them)",
        got=shown(index),
    )


def shown(index: Any) -> str:
    """An index as it is written."""

    def number(x: Any) -> str:
        return "" if x is None else str(x) if isinstance(x, int) else "a run-time value"

    def one(p: Any) -> str:
        if isinstance(p, slice):
            return f"{number(p.start)}:{number(p.stop)}" + (f":{number(p.step)}" if p.step is not None else "")
        return "None" if p is None else "..." if p is ... else number(p)

    return f"[{', '.join(one(p) for p in (index if isinstance(index, tuple) else (index,)))}]"


# -- parts, and other shapes -------------------------------------------------------------------------------------------


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class TilePlaces:
    """The elements of a tile that are wanted, by their numbers in row-major order: at coordinates c base + sum of
    c * `strides`, where c counts no further than `limits`."""

    base: int
    strides: Ints
    limits: tuple[int | None, ...]


def _strides(shape: Ints) -> Ints:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


@avelang.constant
def row_major(shape: Ints) -> TilePlaces:
    """Elements in row-major order."""
    return TilePlaces(0, _strides(shape), (None,) * len(shape))


@avelang.constant
def same_places(source: Ints, shape: Ints) -> TilePlaces:
    """The element at the same coordinates, of a tile that broadcasts to `shape`."""
    skip = len(shape) - len(source)
    strides = [s if n > 1 else 0 for s, n in zip(_strides(source), source, strict=True)]
    return TilePlaces(0, (*[0] * skip, *strides), (None,) * len(shape))


@avelang.constant
def padded_places(shape: Ints, axis: int) -> TilePlaces:
    """The elements of a tile, and behind the last one of a dimension that one again."""
    return TilePlaces(0, _strides(shape), tuple(n - 1 if a == axis else None for a, n in enumerate(shape)))


@avelang.constant
def cut_places(shape: Ints, cuts: Cuts) -> TilePlaces:
    """The elements of a part."""
    strides = _strides(shape)
    base = sum(s * first for s, (first, _, _) in zip(strides, cuts, strict=True))
    return TilePlaces(base, tuple(s * c[1] for s, c in zip(strides, cuts, strict=True)), (None,) * len(shape))


@avelang.constant
def cut_shape(shape: Ints, cuts: Cuts) -> Ints:
    """The shape of a part."""
    return tuple(count for _, _, count in cuts)


@avelang.constant
def broadcast_cuts(shape: Ints, cuts: Cuts) -> Cuts:
    """The part of a tile that broadcasts to one of which a part is taken."""
    return tuple((0, 1, 1) if n == 1 else c for n, c in zip(shape, cuts, strict=True))


@functools.lru_cache(256)
def _cut(dist: Distribution, cuts: Cuts) -> tuple[Ints, Distribution] | None:
    kept, index = np.ones_like(dist.index[0], bool), []
    for at, (first, step, count) in zip(dist.index, cuts, strict=True):
        number = (at - first) // step
        kept &= ((at - first) % step == 0) & (number >= 0) & (number < count)
        index.append(number)
    if (kept != kept[:1]).any():
        return None
    slots = np.flatnonzero(kept[0])
    found = _remapped(dist, [x[:, slots] for x in index], tuple(count for _, _, count in cuts))
    return None if found is None else (tuple(int(s) for s in slots), found)


def _remapped(dist: Distribution, index: list[Any], shape: Ints) -> Distribution | None:
    """The same lanes' elements at other coordinates; None where no distribution says so."""
    try:
        return dist.remapped(index, shape)
    except AveError as e:
        if e.code != "T305":
            raise
        return None


@avelang.constant
def cut(dist: Distribution, cuts: Cuts) -> tuple[Ints, Distribution] | None:
    """The registers of a part, the same ones in each lane, and their distribution; None where lanes have unlike parts
    of it."""
    return _cut(dist, cuts)


@avelang.constant
def reshaped_shape(shape: Ints, given: Any) -> Ints:
    """The shape that is meant, with -1 filled in. Raises T301."""
    want = given if isinstance(given, (tuple, list)) else (given,)
    count, whole = math.prod(shape), all(isinstance(n, int) and not isinstance(n, bool) for n in want)
    if whole and sum(n == -1 for n in want) == 1:
        rest = -math.prod(want)
        want = tuple(count // rest if n == -1 and rest > 0 and count % rest == 0 else n for n in want)
    if not whole or not want or any(n < 1 for n in want) or math.prod(want) != count:
        raise wrong("T301", what="the shape of t.reshape", want="a tuple of compile-time extents of "
                    f"{count} elements in all, as {shape} has; one may be -1", got=repr(given))
    return tuple(want)


@functools.lru_cache(256)
def _reshaped(dist: Distribution, shape: Ints) -> Distribution | None:
    return _remapped(dist, list(np.unravel_index(dist.linear, shape)), shape)


@avelang.constant
def reshaped(dist: Distribution, shape: Ints) -> Distribution | None:
    """The same lanes' elements in another shape; None where no distribution says so."""
    return _reshaped(dist, shape)


@avelang.constant
def rank_plan(rank: int, wanted: int) -> Index:
    """The plan of an index that puts dimensions of extent 1 in front, up to `wanted` of them."""
    return (*[-1] * (wanted - rank), *range(rank))


@avelang.constant
def planned(plan: Index, values: tuple[Any, ...], new: Any) -> tuple[Any, ...]:
    """Values of the dimensions that an index has, `new` for new ones."""
    return tuple(new if p < 0 else values[p] for p in plan)


@functools.lru_cache(256)
def _indexed(dist: Distribution, plan: Index) -> Distribution:
    zero = np.zeros_like(dist.index[0])
    index = [zero if p < 0 else dist.index[p] for p in plan]
    shape = tuple(1 if p < 0 else dist.shape[p] for p in plan)
    return dist if shape == dist.shape else dist.remapped(index, shape, "a tile with new dimensions")


@avelang.constant
def indexed(dist: Distribution, plan: Index) -> Distribution:
    """The same lanes' elements with dimensions of extent 1 put in."""
    return _indexed(dist, plan)


@avelang.constant
def permuted(dist: Distribution, order: Ints) -> Distribution:
    """The same lanes' elements with dimensions in another order. Raises T301."""
    if not isinstance(order, (tuple, list)) or sorted(order) != list(range(len(dist.shape))):
        raise wrong(
            "T301",
            "t[:, None] and t[None, :] make a column and a row of a tile of one dimension"
            if len(dist.shape) == 1
            else None,
            what="the order of dimensions",
            want=f"a tuple of 0 to {len(dist.shape) - 1}, each once",
            got=repr(order),
        )
    return dist.remapped([dist.index[a] for a in order], tuple(dist.shape[a] for a in order), "the transposed tile")


@functools.lru_cache(1024)
def _slot_map(source: Distribution, dist: Distribution) -> Index | None:
    if source.threads != dist.threads or source.wave != dist.wave:
        return None
    skip = len(dist.shape) - len(source.shape)
    wanted = np.zeros((dist.threads, dist.elements), np.int64)
    for extent, at in zip(source.shape, dist.index[skip:], strict=True):
        wanted = wanted * extent + (at if extent > 1 else 0)
    have, found = source.linear, []
    for e in range(dist.elements):
        slots = [s for s in np.flatnonzero(have[0] == wanted[0, e]) if (have[:, s] == wanted[:, e]).all()]
        if not slots:
            return None
        found.append(int(slots[0]))
    return tuple(found)


@avelang.constant
def slot_map(source: Distribution, dist: Distribution) -> Index | None:
    """For each element of a lane in `dist` the register that holds it in `source`, whose shape broadcasts to that of
    `dist`; None where other lanes hold some."""
    return _slot_map(source, dist)


@avelang.constant
def in_order(slots: Index, count: int) -> bool:
    """True where registers serve as they are."""
    return slots == tuple(range(count))


@avelang.constant
def whole_axis(axis: Any, rank: int) -> int:
    """A dimension counted from 0; negative ones count from the end. Raises T301."""
    if isinstance(axis, bool) or not isinstance(axis, int) or not -rank <= axis < rank:
        raise wrong("T301", what="axis", want=f"a dimension of the tile, {-rank} to {rank - 1}", got=repr(axis))
    return axis % rank


@avelang.constant
def kept_shape(shape: Ints, axis: int) -> Index:
    """The plan of an index that puts a folded dimension back, with extent 1."""
    dims = list(range(len(shape) - 1))
    return (*dims[:axis], -1, *dims[axis:])


@avelang.constant
def range_extent(start: Any, stop: Any) -> int:
    """Count of the integers of `arange`. Raises T301."""
    numbers = all(isinstance(x, int) and not isinstance(x, bool) for x in (start, stop))
    if not numbers or stop <= start:
        raise wrong(
            "T301",
            what="the bounds of tile.arange",
            want="compile-time integers, the end beyond the start",
            got=f"{start!r} and {stop!r}",
        )
    return stop - start


# -- along a dimension -------------------------------------------------------------------------------------------------


@functools.lru_cache(256)
def _along(shape: Ints, axis: int, threads: int, wave: int, across: bool) -> Distribution:
    n, waves = shape[axis], threads // wave
    each = math.gcd(n, 1 << max(1, math.prod(shape) // threads).bit_length() - 1)
    lanes = math.gcd(wave, n // each)
    parts = lanes * (math.gcd(waves, n // each // lanes) if across else 1)
    order = (axis, *(a for a in reversed(range(len(shape))) if a != axis))
    return Distribution.blocked(shape, waves=waves, wave=wave, vector=n // parts, order=order)


@avelang.constant
def along(shape: Ints, axis: int, threads: int, wave: int, across: bool) -> Distribution:
    """The distribution in which a lane's elements along a dimension lie side by side, neighboring lanes have
    neighboring ones, and a row is in one wave, or `across` several."""
    return _along(shape, axis, threads, wave, across)


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class ScanPlan:
    """A distribution of `along` as scans see it. `rows`: registers of a lane, those of one row in order; `steps`: of
    each row, the step from the lane's first element to it; `lanes` and `waves` that share a row; `threads` to the next
    of those waves."""

    rows: tuple[Ints, ...]
    steps: tuple[Ints, ...]
    lanes: int
    waves: int
    threads: int


@functools.lru_cache(256)
def _scan_plan(dist: Distribution, axis: int) -> ScanPlan:
    index = [x - x[:, :1] for x in dist.index]
    rows: dict[tuple[int, ...], list[int]] = {}
    for slot in range(dist.elements):
        at = tuple(0 if a == axis else int(index[a][0, slot]) for a in range(len(index)))
        rows.setdefault(at, []).append(slot)
    ordered = [tuple(sorted(slots, key=lambda s: index[axis][0, s])) for slots in rows.values()]
    lanes = math.gcd(dist.wave, dist.shape[axis] // len(ordered[0]))
    return ScanPlan(tuple(ordered), tuple(rows), lanes, dist.shape[axis] // len(ordered[0]) // lanes, dist.wave)


@avelang.constant
def scan_plan(dist: Distribution, axis: int) -> ScanPlan:
    """The plan of a scan along a dimension."""
    return _scan_plan(dist, axis)


@avelang.constant
def doublings(n: int) -> Ints:
    """Powers of two below n."""
    return tuple(1 << i for i in range((n - 1).bit_length()))


@avelang.constant
def sorted_shape(shape: Ints, axis: int) -> Ints:
    """The shape in which a dimension is sorted: its extent as the next power of two."""
    return (*shape[:axis], 1 << (shape[axis] - 1).bit_length(), *shape[axis + 1 :])


@avelang.constant
def first_cuts(shape: Ints, axis: int, count: int) -> Cuts:
    """The first `count` elements along a dimension."""
    return tuple((0, 1, count if a == axis else n) for a, n in enumerate(shape))


@avelang.constant
def first_count(extent: int, k: Any) -> int:
    """The number of elements that `topk` gives. Raises T301."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= extent:
        raise wrong("T301", what="k of tile.topk", want=f"a compile-time integer from 1 to {extent}", got=repr(k))
    return k


@avelang.constant
def check_mask(mask: Any) -> None:
    """A mask's dtype, or the number that it is. Raises T301 for one that is no condition."""
    kind = mask.kind if isinstance(mask, DType) else "bool" if isinstance(mask, bool) else "number"
    if kind not in ("bool", "int", "uint"):
        raise wrong("T301", what="the mask of a load or a store", want="a condition, such as i < n (`other`, the "
                    "number for what is outside, stands behind it: tile.load(x, i, mask, other))",
                    got=f"of {mask}" if isinstance(mask, DType) else repr(mask))


@avelang.constant
def promised(vector: Any) -> int:
    """A promise of so many neighbors. Raises T301."""
    if isinstance(vector, bool) or not isinstance(vector, int) or vector < 1 or vector & (vector - 1):
        raise wrong("T301", what="vector", want="a compile-time power of two: how many neighbors are side by side",
                    got=repr(vector))
    return vector
