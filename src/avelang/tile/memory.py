"""Tiles from and to memory by index: a pointer or a tensor, tiles of indices and masks come in; loads, stores and
atomics of each element go out.

The index of a pointer is in elements; of a tensor there is an index for each of its dimensions. Windows of views
(`tile.view`) move vectors and know their edges; these here take any index, as of rows through a table."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.tile.tensors import (
    DistributedTile,
    common_shape,
    is_first,
    meeting_place,
    place,
    refuse,
)


@avelang.jit
def indices_of(memory, index):
    """An index as a tuple, one of each dimension of the memory. Raises T301."""
    at = index if isinstance(index, tuple) else (index,)
    if not isinstance(memory, (al.Pointer, al.Tensor)):
        refuse("the memory of a load or a store", "a pointer or a tensor", "something else")
    DIMS = 1 if isinstance(memory, al.Pointer) else len(memory.shape)
    if len(at) != DIMS:
        refuse("the index", "one for each dimension of the memory, of a pointer one", len(at))
    return at


@avelang.jit
def registers(x, dist, thread):
    """A lane's registers of a tile; a number as it is."""
    return place(x, dist, thread) if isinstance(x, DistributedTile) else x


@avelang.jit
def element(x, i):
    """Element of a lane's registers; a number is each."""
    return x[i] if isinstance(x, al.Tensor) else x


@avelang.jit
def load(memory, index, mask=None, other=0):
    """The elements at these indices, as a tile of the shape in which index, mask and `other` meet; `other` where the
    mask does not hold: nothing is read there. Indices are tiles of integers, numbers, or for a tensor a tuple of these.
    Of numbers alone it is a number."""
    at = indices_of(memory, index)
    SHAPE = common_shape(at + (mask, other))
    if len(SHAPE) == 0:
        return load_scalar(memory, index) if mask is None else masked(memory, at, mask, other)
    dist, thread, groups = meeting_place(at + (mask, other), SHAPE)
    where = tuple([registers(x, dist, thread) for x in at])
    chosen = None if mask is None else registers(mask, dist, thread)
    rest = registers(other, dist, thread)
    out = al.make_local((dist.elements,), memory.dtype)
    for v in vectorize.vectors(dist, len(SHAPE) - 1, 1):
        i = v.slots[0]
        coords = tuple([element(x, i) for x in where])
        if mask is None:
            out[i] = memory[coords]
        else:
            out[i] = masked(memory, coords, element(chosen, i), element(rest, i))
    return DistributedTile(out, dist, thread, groups)


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
def store(memory, index, value, mask=None):
    """Stores the elements of a tile, or a number, at these indices, converted to the memory's dtype; nothing where the
    mask does not hold. Shapes meet as in `load`."""
    at = indices_of(memory, index)
    SHAPE = common_shape(at + (value, mask))
    if len(SHAPE) == 0:
        if al.thread_id(0) == 0 and (mask is None or mask):
            memory[at] = al.convert(value, memory.dtype)
    else:
        dist, thread, _ = meeting_place(at + (value, mask), SHAPE)
        each(memory, at, value, mask, dist, thread, put)


@avelang.jit
def put(memory, coords, value):
    """Stores one element."""
    memory[coords] = al.convert(value, memory.dtype)


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
    holds; of numbers alone once for the block."""
    at = indices_of(memory, index)
    SHAPE = common_shape(at + (value, mask))

    def change(x, coords, v):
        fn(x, coords[0] if len(coords) == 1 else coords, v)

    if len(SHAPE) == 0:
        if al.thread_id(0) == 0 and (mask is None or mask):
            change(memory, at, value)
    else:
        dist, thread, _ = meeting_place(at + (value, mask), SHAPE)
        each(memory, at, value, mask, dist, thread, change)


@avelang.jit
def atomic_add(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Adds the elements of a tile, or a number, at these indices, one by one in steps that nothing comes between:
    `al.atomic_add`, whose dtypes, scopes and orders these are. `memory`: global or shared. Elements that lanes hold
    more than once are added once. Shapes and mask as of `store`."""
    atomic(lambda x, i, v: al.atomic_add(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_max(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Makes what stands at these indices no less than the elements of a tile. See `atomic_add`."""
    atomic(lambda x, i, v: al.atomic_max(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_min(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Makes what stands at these indices no more than the elements of a tile. See `atomic_add`."""
    atomic(lambda x, i, v: al.atomic_min(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_and(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Bits that stand at these indices and are set in the elements of a tile. See `atomic_add`."""
    atomic(lambda x, i, v: al.atomic_and_(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_or(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Sets the bits of the elements of a tile at these indices. See `atomic_add`."""
    atomic(lambda x, i, v: al.atomic_or_(x, i, v, scope=scope, order=order), memory, index, value, mask)


@avelang.jit
def atomic_xor(memory, index, value, mask=None, scope="device", order="relaxed"):
    """Turns the bits of the elements of a tile at these indices. See `atomic_add`."""
    atomic(lambda x, i, v: al.atomic_xor(x, i, v, scope=scope, order=order), memory, index, value, mask)
