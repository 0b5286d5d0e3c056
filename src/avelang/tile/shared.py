"""Tiles in shared memory: extents, a dtype and a number of buffers come in; stores of distributed tiles, and loads in any distribution, go out.

Rows are swizzled, so that lanes that read along rows and lanes that read down columns meet all banks.
"""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.accesses as accesses
from avelang.tile.tensors import Tile, is_first, place_of

WORD = 4  # bytes


@avelang.struct
class Shared:
    """`buffers` tiles of `shape` in shared memory, rows swizzled by `swizzle` (byte offsets)."""

    data: ...
    shape: al.constexpr
    swizzle: al.constexpr

    @property
    def dtype(self):
        """Of the elements."""
        return self.data.dtype

    @property
    def row(self):
        """Bytes of a row."""
        return self.shape[1] * self.data.dtype.bytes

    @property
    def nbytes(self):
        """Of one buffer."""
        return self.shape[0] * self.row

    def plan(self, dist):
        """How a lane's elements lie here, for accesses of the widest kind: the places, empty where each is to be computed for itself."""
        return self.plan_of(dist, self.width(dist))

    def plan_of(self, dist, width):
        """The same for accesses of so many elements."""
        return accesses.places(dist, 1, width, (self.row, self.dtype.bytes), self.swizzle)

    def width(self, dist):
        """Elements of a lane's widest access."""
        return accesses.widest(dist, 1, self.dtype.bytes, 16 // self.dtype.bytes)

    def first(self, dist, thread=None):
        """The byte of a lane's first element in a buffer, swizzled."""
        at = place_of(dist, thread)
        return self.mixed(at[0] * self.row + at[1] * self.dtype.bytes)

    def mixed(self, offset):
        """A byte offset, swizzled."""
        S = self.swizzle
        return offset ^ ((offset >> S.shift) & ((1 << S.bits) - 1 << S.base)) if S.bits else offset

    def words(self, width):
        """The memory as accesses of `width` elements: i32 words where it is any, else elements."""
        nbytes = width * self.dtype.bytes
        count = self.data.shape[0] * self.nbytes // nbytes
        if nbytes % WORD == 0:
            return al.view(self.data, al.Tensor((count, nbytes // WORD), al.i32))
        return al.view(self.data, al.Tensor((count, width), self.dtype))

    def index(self, first, place, width, buffer):
        """The number of an access."""
        nbytes = width * self.dtype.bytes
        return (first // nbytes ^ place.mixed // nbytes) + (buffer * (self.nbytes // nbytes) + place.above // nbytes)

    def accesses(self, dist, thread=None, buffer=0):
        """A lane's accesses: (number of the access, slots, whether they are neighbors in registers) of each."""
        WIDTH, PLAN = self.width(dist), self.plan(dist)
        NBYTES = WIDTH * self.dtype.bytes
        if len(PLAN) > 0:
            first = self.first(dist, thread)
            return tuple([(self.index(first, p, WIDTH, buffer), p.slots, p.solid) for p in PLAN])
        at, found = place_of(dist, thread), ()
        for v in accesses.vectors(dist, 1, WIDTH):
            offset = self.mixed((at[0] + v.at[0]) * self.row + (at[1] + v.at[1]) * self.dtype.bytes)
            found = found + ((offset // NBYTES + buffer * (self.nbytes // NBYTES), v.slots, v.solid),)
        return found

    def store(self, tile, buffer=0):
        """Stores a tile, in its distribution."""
        self.store_values(tile.values, tile.dist, buffer, tile.thread)

    def store_values(self, values, dist, buffer=0, thread=None):
        """The same for a lane's registers."""
        if is_first(dist, thread):
            self._put(values, dist, buffer, thread)

    def _put(self, values, dist, buffer, thread):
        WIDTH = self.width(dist)
        memory = self.words(WIDTH)
        pieces = al.view(values, al.Tensor((dist.elements // WIDTH, memory.shape[1]), memory.dtype))
        for index, slots, solid in self.accesses(dist, thread, buffer):
            if solid:
                memory[index] = pieces[slots[0] // WIDTH]
            else:
                some = al.make_local((WIDTH,), self.dtype)
                for i in range(WIDTH):
                    some[i] = values[slots[i]]
                memory[index] = al.view(some, al.Tensor((memory.shape[1],), memory.dtype))

    def load(self, dist, buffer=0, thread=None):
        """A tile in a distribution."""
        tile = Tile(al.make_local((dist.elements,), self.dtype), dist, thread)
        self.load_into(tile.values, dist, buffer, 0, None, thread)
        return tile

    def load_into(self, values, dist, buffer=0, begin=0, end=None, thread=None):
        """The same into registers; of the lane's accesses those from `begin` to before `end` only, if given."""
        WIDTH, found = self.width(dist), self.accesses(dist, thread, buffer)
        memory = self.words(WIDTH)
        pieces = al.view(values, al.Tensor((dist.elements // WIDTH, memory.shape[1]), memory.dtype))
        for index, slots, solid in found[begin : len(found) if end is None else end]:
            if solid:
                pieces[slots[0] // WIDTH] = memory[index]
            else:
                some = memory[index]
                each = al.view(some, al.Tensor((WIDTH,), self.dtype))
                for i in range(WIDTH):
                    values[slots[i]] = each[i]


@avelang.jit
def shared(shape, dtype, buffers=1, dists=()):
    """Room for so many tiles, swizzled for accesses in these distributions."""
    SWIZZLE = accesses.swizzle_for(dists, (shape[1] * dtype.bytes, dtype.bytes), al.target().name)
    return Shared(al.make_shared((buffers, shape[0] * shape[1]), dtype, 128), shape, SWIZZLE)


@avelang.jit
def spread(tile, dist):
    """The same tile in another distribution, through shared memory. All lanes of the block call it."""
    room = shared(tile.shape, tile.dtype, 1, (tile.dist, dist))
    room.store(tile)
    al.syncthreads()
    moved = room.load(dist)
    al.syncthreads()  # the next one may use the same memory
    return moved
