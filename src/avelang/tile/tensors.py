"""Distributed tensors in kernels: a distribution and a lane's elements in registers come in; arithmetic element by element, sums and maxima along
dimensions, and the same tensor in another distribution go out."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.tile import accesses


@avelang.jit
def place_of(dist):
    """Where a lane's first element stands in a tile: a coordinate (u32) for each dimension."""
    thread = al.thread_id(0)
    at = [al.convert(0, al.u32) for _ in dist.shape]
    for below, digit in accesses.lane_digits(dist):
        count = thread // below % digit.extent
        at = [x + count * s if s else x for x, s in zip(at, digit.strides)]
    return tuple(at)


@avelang.struct
class Tile:
    """A tile that the lanes of a block hold: `values`, a register tensor of `dist.elements` numbers in the order that `dist` says."""

    values: ...
    dist: al.constexpr

    @property
    def dtype(self):
        """Of the elements."""
        return self.values.dtype

    @property
    def shape(self):
        """Extents of the whole tile."""
        return self.dist.shape

    def map(self, fn, others=()):
        """fn(element, ...) of each element of this tile and of others in the same distribution, on vectors."""
        return Tile(fn(self.values, *[x.values for x in others]), self.dist)

    def astype(self, dtype):
        """The tile in another dtype."""
        return Tile(al.convert(self.values, dtype), self.dist)


@avelang.jit
def full(dist, value, dtype):
    """A tile with every element `value`."""
    return Tile(al.full((dist.elements,), value, dtype), dist)
