"""Registers of tiles in kernels: a tile and a distribution come in; what a lane holds of it there goes out, as it is,
in another order, or through shared memory."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.placement as placement
import avelang.tile.vectorize as vectorize
from avelang.base.places import wrong
from avelang.tile.numbers import as_vector, linear_place


@avelang.constant
def refuse(what: str, want: str, got: object) -> None:
    """Raises T301."""
    raise wrong("T301", what=what, want=want, got=got)


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


@avelang.jit
def place(x, dist, thread=None):
    """A lane's registers of a tile in another distribution, to whose shape it broadcasts: as they are, or in another
    order; where other lanes hold some, through shared memory, and all lanes of the block call it."""
    if x.formula is not None:
        return place_formula(x.formula, dist, thread)
    SLOTS = placement.slot_map(x.dist, dist)
    if SLOTS is None:
        return through_shared(x, dist, thread)
    if placement.in_order(SLOTS, x.dist.elements):
        return x.values
    out = al.make_local((dist.elements,), x.dtype)
    for i in range(dist.elements):
        out[i] = x.values[SLOTS[i]]
    return out


@avelang.jit
def place_formula(formula, dist, thread=None):
    """A lane's registers of a formula, of a shape that broadcasts to that of `dist`."""
    at, STEPS = thread_coord(dist, thread), vectorize.vectors(dist, len(dist.shape) - 1, 1)
    SKIP = len(dist.shape) - len(formula.shape)

    def element(v):
        where = tuple([al.convert(x + s, al.i32) for x, s in zip(at, v.at, strict=True)])
        return formula.at(where[SKIP:])

    first = as_vector(element(STEPS[0]))
    out = al.make_local((dist.elements,), first.dtype)
    out[STEPS[0].slots[0]] = first[0]
    for v in STEPS[1:]:
        out[v.slots[0]] = element(v)
    return out


@avelang.jit
def through_shared(x, dist, thread=None, places=None):
    """A lane's registers of a tile in another distribution, by way of shared memory. `places`: which element is which
    (`placement.TilePlaces`), where it is not the one at the same coordinates."""
    if x.groups > 1:
        refuse("a tile that several groups of waves have, each its own,", "in the distribution that it meets", x.dist)
    P = placement.same_places(x.shape, dist.shape) if places is None else places
    memory = al.make_scratch((math.prod(x.shape),), x.dtype)
    at = thread_coord(x.dist, x.thread)
    if is_first(x.dist, x.thread):
        for v in vectorize.vectors(x.dist, len(x.shape) - 1, 1):
            memory[linear_place(at, v.at, x.shape)] = x.values[v.slots[0]]
    al.syncthreads()
    to, out = thread_coord(dist, thread), al.make_local((dist.elements,), x.dtype)
    for v in vectorize.vectors(dist, len(dist.shape) - 1, 1):
        out[v.slots[0]] = memory[place_of(P, to, v.at)]
    al.syncthreads()  # the next one may use the same memory
    return out


@avelang.jit
def place_of(P, at, step):
    """Number of the element that is wanted at coordinates `at` + `step`."""
    found = al.convert(P.base, al.i32)
    for x, s, stride, limit in zip(at, step, P.strides, P.limits, strict=True):
        if stride != 0:
            c = al.convert(x + s, al.i32)
            found = found + (c if limit is None else al.min(c, limit)) * stride
    return al.convert(found, al.u32)
