"""Distributed tensors in kernels: a distribution and a lane's elements in registers come in; arithmetic element by
element, sums and maxima along dimensions, and the same tensor in another distribution go out."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.base.places import wrong
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Ints


@avelang.constant
def check_shape(dist: Distribution, lengths: Ints, wave: int) -> Distribution:
    """A distribution that is one of a tile of these extents, over waves of so many lanes. Raises T304."""
    if tuple(lengths) != dist.shape:
        raise wrong("T304", what="the tile", product=f"its extents are {tuple(lengths)}",
                    want=f"its distribution is one of {dist.shape}")
    if dist.wave != wave:
        raise wrong("T304", what="the distribution", product=f"its waves have {dist.wave} lanes",
                    want=f"the chip's have {wave}")
    return dist


@avelang.constant
def with_axis(dist: Distribution, axis: int) -> Distribution:
    """A distribution of which a dimension can be folded. Raises T301."""
    if len(dist.shape) < 2:
        raise wrong("T301", what="a tile to fold", want="of two dimensions or more", got=f"one of {dist.shape}")
    if isinstance(axis, bool) or axis not in range(len(dist.shape)):
        raise wrong("T301", what="axis", want=f"a dimension of the tile, 0 to {len(dist.shape) - 1}", got=repr(axis))
    return dist


@avelang.constant
def refuse(what: str, want: str, got: object) -> None:
    """Raises T301."""
    raise wrong("T301", what=what, want=want, got=got)


@avelang.constant
def flat(shape: Ints) -> Ints:
    """The extents of a tile with rows and columns, as shared memory has them. Raises T301."""
    if len(shape) != 2:
        raise wrong("T301", what="a tile in shared memory", want="of two dimensions", got=f"one of {tuple(shape)}")
    return shape


@avelang.constant
def check_same(dist: Distribution, other: Distribution) -> Distribution:
    """A distribution in which lanes hold the same elements in the same order as in another one. Raises T301."""
    if other is not dist and (
        other.shape != dist.shape or other.linear.shape != dist.linear.shape or (other.linear != dist.linear).any()
    ):
        got = (
            f"one of {other.shape}"
            if other.shape != dist.shape
            else "one whose lanes hold other elements (`avelang.tile.shared.spread` moves it)"
        )
        raise wrong("T301", what="the other tile", want=f"in the distribution of the first, of {dist.shape}", got=got)
    return other


@avelang.jit
def thread_coord(dist, thread=None):
    """Coordinates of a lane's first element in a tile: a coordinate (u32) for each dimension. `thread`: its number
    among those of the distribution, of the block if None."""
    if thread is None:
        al.expect_threads(dist.threads)
        thread = al.thread_id(0)
    at = [al.convert(0, al.u32) for _ in dist.shape]
    for divisor, digit in vectorize.lane_digits(dist):
        count = thread // divisor % digit.extent
        at = [x + count * s if s else x for x, s in zip(at, digit.strides, strict=True)]
    return tuple(at)


@avelang.jit
def is_first(dist, thread=None):
    """True for the first lane of those that hold the same elements: True at compile time where there are no
    others."""
    thread = al.thread_id(0) if thread is None else thread
    first = True
    for divisor, count in vectorize.replica_digits(dist):
        own = thread // divisor % count == 0
        first = own if first is True else al.select(own, first, False)
    return first


@avelang.struct
class DistributedTile:
    """A tile that the lanes of a block hold: `values`, a register tensor of `dist.elements` numbers in the order that
    `dist` says. `thread`: the lane's number among those that `dist` is about, that of the block if None. `groups`: how
    many groups of lanes hold such a tile, each its own."""

    values: ...
    dist: al.constexpr
    thread: ... = None
    groups: al.constexpr = 1

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self.values.dtype

    @property
    def shape(self):
        """Extents of the whole tile."""
        return self.dist.shape

    def map(self, fn, others=()):
        """fn(values, ...) of this tile's elements and those of others in the same distribution: element by element, on
        vectors."""
        for x in others:
            check_same(self.dist, x.dist)
        return DistributedTile(fn(self.values, *[x.values for x in others]), self.dist, self.thread, self.groups)

    def sweep(self, fn):
        """fn(element, (coordinate, ...)) of each element, in the tile's dtype: for masks, and whatever depends on the
        place in the tile."""
        out = al.make_local((self.dist.elements,), self.dtype)
        at = thread_coord(self.dist, self.thread)
        for v in vectorize.vectors(self.dist, len(self.shape) - 1, 1):
            where = tuple([x + s for x, s in zip(at, v.at, strict=True)])
            out[v.slots[0]] = fn(self.values[v.slots[0]], where)
        return DistributedTile(out, self.dist, self.thread, self.groups)

    def astype(self, dtype):
        """The tile in another dtype."""
        return DistributedTile(al.convert(self.values, dtype), self.dist, self.thread, self.groups)

    def fold(self, fn, axis):
        """A dimension folded by fn(a, b), which must not mind the order: sums, maxima. Every lane that had a part has
        the result. All lanes of the block call it where several waves have parts."""
        F = vectorize.folding(with_axis(check_shape(self.dist, self.shape, al.target().wave), axis), axis)
        out = al.make_local((F.results,), self.dtype)
        done = ()
        for i in range(len(F.of)):
            r = F.of[i]
            out[r] = fn(out[r], self.values[i]) if r in done else self.values[i]
            done = done + (r,)
        for offset in F.exchanges:
            for r in range(F.results):
                out[r] = fn(out[r], al.shuffle_xor(out[r], offset))
        if len(F.waves) > 0:
            between_waves(out, F, fn, self.dist, self.thread)
        return DistributedTile(out, F.dist, self.thread, self.groups)

    def sum(self, axis):
        """Sums along a dimension."""
        return self.fold(add, axis)

    def max(self, axis):
        """Maxima along a dimension."""
        return self.fold(greater, axis)

    def along(self, fn, folded, axis):
        """fn(values, values of `folded`), where `folded` is what `fold` left of such a tile: each element meets the one
        of its row or column."""
        F = vectorize.folding(with_axis(self.dist, axis), axis)
        check_same(F.dist, folded.dist)
        other = al.make_local((self.dist.elements,), folded.dtype)
        for i in range(len(F.of)):
            other[i] = folded.values[F.of[i]]
        return DistributedTile(fn(self.values, other), self.dist, self.thread, self.groups)


Tile = DistributedTile  # the public name


@avelang.jit
def add(a, b):
    """a + b."""
    return a + b


@avelang.jit
def greater(a, b):
    """The greater one."""
    return max(a, b)


@avelang.jit
def between_waves(out, F, fn, dist, thread):
    """Folds what waves have, through shared memory: each writes its part, all read all."""
    thread = al.thread_id(0) if thread is None else thread
    PARTS, mine = 1, al.convert(0, al.u32)
    for divisor, count in F.waves:
        mine = mine + thread // divisor % count * PARTS
        PARTS = PARTS * count
    SIZE = math.prod(F.dist.shape)
    shared_parts = al.make_shared((PARTS, SIZE), out.dtype)
    at = thread_coord(F.dist, thread)
    places = ()
    for v in vectorize.vectors(F.dist, len(F.dist.shape) - 1, 1):
        place = al.convert(0, al.u32)
        for x, s, n in zip(at, v.at, F.dist.shape, strict=True):
            place = place * n + (x + s)
        places = places + ((v.slots[0], place),)
    if is_first(dist, thread):
        for slot, place in places:
            shared_parts[mine, place] = out[slot]
    al.syncthreads()
    for slot, place in places:
        all = shared_parts[0, place]
        for p in range(1, PARTS):
            all = fn(all, shared_parts[p, place])
        out[slot] = all
    al.syncthreads()  # the next one may use the same memory


@avelang.jit
def full(dist, value, dtype):
    """A tile with every element `value`."""
    return DistributedTile(al.full((dist.elements,), value, dtype), dist)
