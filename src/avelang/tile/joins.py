"""Tiles put together: several come in; one comes out that has them side by side, along a new dimension or along one
that they have."""

from __future__ import annotations

import functools
from typing import Any

import avelang
import avelang.language as al
import avelang.tile.placement as placement
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Ints
from avelang.tile.functions import tile_of, together
from avelang.tile.tensors import DistributedTile, home_of, is_first, refuse, thread_coord
from avelang.tile.transforms import row_major
from avelang.tile.vectorize import vectors


@functools.lru_cache(256)
def _stacked(dist: Distribution, count: int, axis: int) -> Distribution:
    index = [np.concatenate([at] * count, 1) for at in dist.index]
    index.insert(axis, np.broadcast_to(np.repeat(np.arange(count), dist.elements), index[0].shape))
    return dist.remapped(index, (*dist.shape[:axis], count, *dist.shape[axis:]), "tiles side by side")


@avelang.constant
def stacked(dist: Distribution, count: int, axis: int) -> Distribution:
    """So many tiles of a distribution along a new dimension: a lane has its elements of all, one tile after another."""
    return _stacked(dist, count, axis)


@avelang.constant
def joined_shape(shapes: tuple[Ints, ...], axis: int) -> Ints:
    """The shape of tiles one after another along a dimension. Raises T301 where others differ."""
    first = shapes[0]
    if any(len(s) != len(first) or any(a != b for i, (a, b) in enumerate(zip(s, first, strict=True)) if i != axis)
           for s in shapes):
        raise wrong("T301", what="tiles of tile.concatenate", want=f"of one shape but along axis {axis}",
                    got=" and ".join(map(str, shapes)))
    return (*first[:axis], sum(s[axis] for s in shapes), *first[axis + 1 :])


@avelang.jit
def several(tiles: Any, NAME: Any) -> Any:
    """The tuple of tiles that a function puts together. Raises T301."""
    COUNT = len(tiles) if isinstance(tiles, tuple) else 0
    if COUNT == 0:
        refuse(f"the argument of tile.{NAME}", f"a tuple of tiles, as in tile.{NAME}((a, b), 0)", "something else")
    first = tile_of(tiles[0])
    for t in tiles:
        if tile_of(t).dtype != first.dtype:
            refuse(f"tiles of tile.{NAME}", "of one dtype (`astype` converts)", f"{first.dtype} and {t.dtype}")
    return tiles


@avelang.jit
def stack(tiles, axis=0):
    """Tiles of one shape and dtype, in a tuple, along a new dimension `axis`, as NumPy's. Nothing moves where they lie
    in the distribution of the first; others move there, and then all lanes of the block call it. Raises T301."""
    given = together(several(tiles, "stack"))
    first, COUNT = given[0], len(given)
    AXIS, EACH = placement.whole_axis(axis, len(first.shape) + 1), first.dist.elements
    values = al.make_local((COUNT * EACH,), first.dtype)
    for i in range(COUNT):
        for e in range(EACH):
            values[i * EACH + e] = given[i].values[e]
    return DistributedTile(values, stacked(first.dist, COUNT, AXIS), first.thread, first.groups)


@avelang.jit
def concatenate(tiles, axis=0):
    """Tiles of one dtype, and of one shape but along `axis`, in a tuple, one after another along it, as NumPy's. All
    lanes of the block call it. Raises T301."""
    given = several(tiles, "concatenate")
    AXIS = placement.whole_axis(axis, len(given[0].shape))
    SHAPES = tuple([t.shape for t in given])
    SHAPE = joined_shape(SHAPES, AXIS)
    if len(given) == 1:
        return given[0]
    if tuple([SHAPES[0] for _ in given]) == SHAPES:
        return stack(given, AXIS).reshape(SHAPE)
    return through_memory(tuple([t.held() for t in given]), AXIS, SHAPE)


@avelang.jit
def through_memory(tiles: Any, AXIS, SHAPE):
    """Tiles one after another along a dimension, by way of shared memory."""
    STRIDES, DIST = row_major(SHAPE), home_of(SHAPE)
    RANK, OFFSET = len(SHAPE), 0
    values = al.make_local((DIST.elements,), tiles[0].dtype)
    memory = al.make_scratch((STRIDES[0] * SHAPE[0],), values.dtype)
    for t in tiles:
        if is_first(t.dist, t.thread):
            at = thread_coord(t.dist, t.thread)
            for v in vectors(t.dist, RANK - 1, 1):
                memory[place_of(at, v.at, STRIDES) + OFFSET] = t.values[v.slots[0]]
        OFFSET = OFFSET + t.shape[AXIS] * STRIDES[AXIS]
    al.syncthreads()
    at = thread_coord(DIST)
    for v in vectors(DIST, RANK - 1, 1):
        values[v.slots[0]] = memory[place_of(at, v.at, STRIDES)]
    al.syncthreads()  # the next one may use the same memory
    return DistributedTile(values, DIST)


@avelang.jit
def place_of(first, step, STRIDES):
    """The place of an element in row-major memory."""
    place = 0
    for i in range(len(STRIDES)):
        place = place + (first[i] + step[i]) * STRIDES[i]
    return place
