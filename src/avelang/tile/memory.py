"""Tiles from and to memory by index: a pointer or a tensor, tiles of indices and masks come in; loads, stores and
atomics of each element go out.

The index of a pointer is in elements; of a tensor there is an index for each of its dimensions. Windows of views
(`tile.view`) move vectors and know their edges; these here take any index, as of rows through a table."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.placement as placement
import avelang.tile.vectorize as vectorize
from avelang.tile.moves import through_shared
from avelang.tile.tensors import (
    DistributedTile,
    common_shape,
    is_first,
    meeting_place,
    place,
    refuse,
)
from avelang.tile.windows import load_vector, subvector

REACH = 1 << 40  # elements that the index of a pointer reaches


@avelang.jit
def indices_of(memory, index):
    """An index as a tuple, one of each dimension of the memory. Raises T301."""
    at = index if isinstance(index, tuple) else (index,)
    if not isinstance(memory, (al.Pointer, al.Tensor)):
        refuse("the memory of a load or a store", "a pointer or a tensor", "a number or a tile: the memory comes "
               "first, as in tile.load(x, index) and tile.store(x, index, value)")
    DIMS = 1 if isinstance(memory, al.Pointer) else len(memory.shape)
    if len(at) != DIMS:
        refuse("the index", "one for each dimension of the memory, of a pointer one", len(at))
    return at


@avelang.jit
def check_mask(mask):
    """Raises T301 for a mask that is no condition, such as `other` in its place."""
    if isinstance(mask, DistributedTile):
        placement.check_mask(mask.dtype)
    elif isinstance(mask, (int, float)):
        placement.check_mask(mask)


@avelang.jit
def registers(x, dist, thread):
    """A lane's registers of a tile; a number as it is."""
    return place(x, dist, thread) if isinstance(x, DistributedTile) else x


@avelang.jit
def element(x, i):
    """Element of a lane's registers; a number is each."""
    return x[i] if isinstance(x, al.Tensor) else x


@avelang.jit
def load(memory, index, mask=None, other=0, vector=1):
    """The elements at these indices, as a tile of the shape in which index, mask and `other` meet; `other` where the
    mask does not hold: nothing is read there. Indices are tiles of integers, numbers, or for a tensor a tuple of these.
    Of numbers alone it is a number. `vector`: a promise that so many neighbors along the tile's last dimension, from
    multiples of it on, are neighbors in memory, from a multiple of `vector` on and aligned, and have one mask: lanes
    then load up to 16 bytes at once. The reference finds what is moved at once and is not so (L050; T311 where it is
    known)."""
    at, other = indices_of(memory, index), 0 if other is None else other
    check_mask(mask)
    SHAPE = common_shape(at + (mask, other))
    if len(SHAPE) == 0:
        return load_scalar(memory, index) if mask is None else masked(memory, at, mask, other)
    dist, thread, groups = meeting_place(at + (mask, other), SHAPE)
    where = tuple([registers(x, dist, thread) for x in at])
    chosen = None if mask is None else registers(mask, dist, thread)
    rest = registers(other, dist, thread)
    out, WIDTH = al.make_local((dist.elements,), memory.dtype), vector_width(dist, vector, memory.dtype.bytes)
    for v in vectorize.vectors(dist, len(SHAPE) - 1, WIDTH):
        coords = tuple([element(x, v.slots[0]) for x in where])
        if WIDTH > 1:
            one_mask(chosen, v.slots)
            some = al.make_local((WIDTH,), memory.dtype)
            for e in range(WIDTH):
                some[e] = al.convert(element(rest, v.slots[e]), memory.dtype)
            if mask is None or element(chosen, v.slots[0]):
                follow(where, v.slots)
                some = load_vector(*neighbors(memory, coords, WIDTH), WIDTH)
            for e in range(WIDTH):
                out[v.slots[e]] = some[e]
        elif mask is None:
            out[v.slots[0]] = memory[coords]
        else:
            out[v.slots[0]] = masked(memory, coords, element(chosen, v.slots[0]), element(rest, v.slots[0]))
    return DistributedTile(out, dist, thread, groups)


@avelang.jit
def vector_width(dist, vector, nbytes):
    """Elements that a lane moves at once. Raises T301 for a `vector` that is no power of two."""
    return vectorize.widest(dist, len(dist.shape) - 1, nbytes, placement.promised(vector))


@avelang.jit
def neighbors(memory, coords, width):
    """(tensor, coordinates) of so many neighbors in memory."""
    last = coords[len(coords) - 1]
    al.expect(last % width == 0, "an index of vectors that begins at a multiple of them", last)
    if isinstance(memory, al.Pointer):
        return al.make_tensor(memory, memory.dtype, al.make_layout((REACH,), (1,))), coords
    return memory, coords


@avelang.jit
def follow(where, slots):
    """Expects that the elements of a vector are neighbors: of the last index each is one more, of others the same."""
    last = len(where) - 1
    for axis in range(last + 1):
        first = element(where[axis], slots[0])
        for e in range(1, len(slots)):
            here = element(where[axis], slots[e])
            if axis == last:
                al.expect(here == first + e, f"the indices of {len(slots)} neighbors of a vector to follow one another",
                          here)
            elif isinstance(where[axis], al.Tensor):
                al.expect(here == first, "the indices of a vector to be the same but for the last dimension", here)


@avelang.jit
def one_mask(chosen, slots):
    """Expects that the elements of a vector have one mask."""
    if isinstance(chosen, al.Tensor):
        for e in range(1, len(slots)):
            al.expect(chosen[slots[e]] == chosen[slots[0]], "one mask for all elements of a vector")


@avelang.jit
def masked(memory, at, mask, other):
    """An element, or `other` where the mask does not hold."""
    value = al.convert(other, memory.dtype)
    if mask:
        value = memory[at]
    return value


@avelang.jit
def load_scalar(memory, index):
    """One element, which every lane has."""
    return memory[indices_of(memory, index)]


@avelang.jit
def store(memory, index, value, mask=None, vector=1):
    """Stores the elements of a tile, or a number, at these indices, converted to the memory's dtype; nothing where the
    mask does not hold. Shapes meet as in `load`, and `vector` is its promise."""
    at = indices_of(memory, index)
    check_mask(mask)
    if isinstance(value, (tuple, str)) or value is None:
        refuse("the value of tile.store", "a tile or a number (tile.stack makes one of several)", "a tuple or a name")
    SHAPE = common_shape(at + (value, mask))
    if len(SHAPE) == 0:
        if al.thread_id(0) == 0 and (mask is None or mask):
            memory[at] = al.convert(value, memory.dtype)
    else:
        dist, thread, _ = meeting_place(at + (value, mask), SHAPE)
        WIDTH = vector_width(dist, vector, memory.dtype.bytes)
        if WIDTH == 1:
            each(memory, at, value, mask, dist, thread, put)
        elif is_first(dist, thread):
            put_vectors(memory, at, value, mask, dist, thread, WIDTH)


@avelang.jit
def put(memory, coords, value):
    """Stores one element."""
    memory[coords] = al.convert(value, memory.dtype)


@avelang.jit
def put_vectors(memory, at, value, mask, dist, thread, WIDTH):
    """Stores vectors of neighbors."""
    where = tuple([registers(x, dist, thread) for x in at])
    chosen = None if mask is None else registers(mask, dist, thread)
    values = registers(value, dist, thread)
    for v in vectorize.vectors(dist, len(dist.shape) - 1, WIDTH):
        some = al.make_local((WIDTH,), memory.dtype)
        for e in range(WIDTH):
            some[e] = al.convert(element(values, v.slots[e]), memory.dtype)
        one_mask(chosen, v.slots)
        if mask is None or element(chosen, v.slots[0]):
            follow(where, v.slots)
            data, coords = neighbors(memory, tuple([element(x, v.slots[0]) for x in where]), WIDTH)
            al.view(subvector(data, coords, WIDTH), al.Tensor((1, WIDTH), memory.dtype))[0] = some


@avelang.jit
def each(memory, at, value, mask, dist, thread, fn):
    """fn(memory, coordinates, value) of each element once, where the mask holds."""
    where = tuple([registers(x, dist, thread) for x in at])
    chosen = None if mask is None else registers(mask, dist, thread)
    values = registers(value, dist, thread)
    if is_first(dist, thread):
        for v in vectorize.vectors(dist, len(dist.shape) - 1, 1):
            i = v.slots[0]
            if mask is None or element(chosen, i):
                fn(memory, tuple([element(x, i) for x in where]), element(values, i))


# -- atomics -----------------------------------------------------------------------------------------------------------


@avelang.jit
def atomic(fn, memory, index, value, mask):
    """fn(memory, index, value) once for each element of the shape in which index, value and mask meet, where the mask
    holds; of numbers alone once for the block. What stood there before: a tile of that shape, or a number."""
    at = indices_of(memory, index)
    check_mask(mask)
    SHAPE = common_shape(at + (value, mask))

    def change(x, coords, v):
        return fn(x, coords[0] if len(coords) == 1 else coords, v)

    if len(SHAPE) == 0:
        return once(change, memory, at, value, mask)
    dist, thread, groups = meeting_place(at + (value, mask), SHAPE)
    where = tuple([registers(x, dist, thread) for x in at])
    chosen = None if mask is None else registers(mask, dist, thread)
    values, old = registers(value, dist, thread), al.full((dist.elements,), 0, memory.dtype)
    FIRST = is_first(dist, thread)
    if FIRST:
        for v in vectorize.vectors(dist, len(dist.shape) - 1, 1):
            i = v.slots[0]
            if mask is None or element(chosen, i):
                old[i] = change(memory, tuple([element(x, i) for x in where]), element(values, i))
    found = DistributedTile(old, dist, thread, groups)
    return found if FIRST is True else DistributedTile(through_shared(found, dist, thread), dist, thread)


@avelang.jit
def once(change, memory, at, value, mask):
    """One update for the block: the number that stood there, which every lane has."""
    told = al.make_scratch((1,), memory.dtype)
    if al.thread_id(0) == 0:
        told[0] = 0
        if mask is None or mask:
            told[0] = change(memory, at, value)
    al.syncthreads()
    old = told[0]
    al.syncthreads()  # the next one may use the same memory
    return old


@avelang.jit
def atomic_add(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Adds the elements of a tile, or a number, at these indices, one by one in steps that nothing comes between:
    `al.atomic_add`, whose dtypes, scopes and orders these are. `memory`: global or shared. Elements that lanes hold
    more than once are added once. Shapes and mask as of `store`. Gives what stood there before, as a tile, or of
    numbers alone a number; 0 where the mask does not hold. All lanes of the block call it."""
    return atomic(lambda x, i, v: al.atomic_add(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_max(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Makes what stands at these indices no less than the elements of a tile. See `atomic_add`."""
    return atomic(lambda x, i, v: al.atomic_max(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_min(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Makes what stands at these indices no more than the elements of a tile. See `atomic_add`."""
    return atomic(lambda x, i, v: al.atomic_min(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_and(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Bits that stand at these indices and are set in the elements of a tile. See `atomic_add`."""
    return atomic(lambda x, i, v: al.atomic_and_(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_or(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Sets the bits of the elements of a tile at these indices. See `atomic_add`."""
    return atomic(lambda x, i, v: al.atomic_or_(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_xor(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Turns the bits of the elements of a tile at these indices. See `atomic_add`."""
    return atomic(lambda x, i, v: al.atomic_xor(x, i, v, scope=scope, order=order), memory, index, value, mask)
