"""Tensor views in kernels: memory, a shape and strides come in; a view goes out, which maps coordinates through
transforms to memory and of which windows are cut.

Source: ROCm, Composable Kernel documentation, "Tensor Views" and "Transforms"."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.tensor_blocks as tensor_blocks
import avelang.tile.transforms as transforms
import avelang.tile.warpgroups as warpgroups
from avelang.tile.tensors import DistributedTile, refuse
from avelang.tile.windows import Window, static_values

PLACES = 1 << 32  # that a coordinate tells apart


@avelang.struct
class TensorView:
    """A tensor as tiles are cut from it: `data` (in memory), seen with `shape` through `steps`, the outermost last.
    `vector`: so many neighbors along the last dimension, from multiples of it on, are neighbors in memory, aligned, and
    all inside or all outside. `apart`: it is known that each row of a matrix ends before the next one begins."""

    data: ...
    shape: ...
    vector: al.constexpr = 1
    steps: ... = ()
    apart: al.constexpr = False

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self.data.dtype

    def __post_init__(self):
        if not isinstance(self.data, al.TensorMap) and len(self.steps) == 0:
            transforms.check_vector(self.vector, static_values(self.shape), static_values(self.data.strides))

    def _with(self, step, shape, vector):
        transforms.check_transformable(isinstance(self.data, al.TensorMap), "transformed")
        return TensorView(self.data, shape, vector, self.steps + (step,))

    def pad(self, axis, before, after):
        """This view with so many more places before and after, which read as zeros and are not written."""
        transforms.check_axis(axis, len(self.shape))
        transforms.check_padding(static_values((before, after)))
        n = self.shape[axis]
        inner = axis < len(self.shape) - 1 or (
            isinstance(before, int) and isinstance(after, int) and before % self.vector == 0
        )
        shape = self.shape[:axis] + (n + before + after,) + self.shape[axis + 1 :]
        return self._with(transforms.Pad(axis, al.convert(before, al.u32), n), shape, self.vector if inner else 1)

    def unmerge(self, axis, extents):
        """A dimension taken apart into several; their extents are compile-time ints, of which the product is that of
        the dimension."""
        transforms.check_axis(axis, len(self.shape))
        if isinstance(self.shape[axis], int):
            transforms.check_factors(extents, self.shape[axis])
        else:
            al.expect(self.shape[axis] == math.prod(extents), transforms.expectation("product", math.prod(extents)),
                      self.shape[axis])
        inner = axis < len(self.shape) - 1 or extents[len(extents) - 1] % self.vector == 0
        shape = self.shape[:axis] + extents + self.shape[axis + 1 :]
        return self._with(transforms.Embed(axis, transforms.row_major(extents)), shape, self.vector if inner else 1)

    def embed(self, axis, extents, strides):
        """A dimension as several, which may meet a place twice: rows of an image under a filter, for one."""
        transforms.check_axis(axis, len(self.shape))
        transforms.check_rank("the strides of `embed`", len(strides), len(extents))
        last = sum([(max(n, 1) - 1) * s for n, s in zip(extents, strides, strict=True)])
        al.expect(last < self.shape[axis], transforms.expectation("embed"), last)
        inner = axis < len(self.shape) - 1
        shape = self.shape[:axis] + extents + self.shape[axis + 1 :]
        return self._with(transforms.Embed(axis, strides), shape, self.vector if inner else 1)

    def merge(self, axis, count):
        """`count` dimensions from `axis` on as one, of less than 2^32 places (T311, L050)."""
        transforms.check_axis(axis, len(self.shape), count)
        inner = axis + count < len(self.shape)
        extents = self.shape[axis : axis + count]
        total = extents[0]
        for e in extents[1:]:
            if not (isinstance(total, int) and isinstance(e, int)):
                al.expect(al.convert(total, al.i64) * al.convert(e, al.i64) < PLACES, transforms.expectation("merge"))
            total = total * e
        if isinstance(total, int):
            al.expect(total < PLACES, transforms.expectation("merge"), total)
        shape = self.shape[:axis] + (total,) + self.shape[axis + count :]
        return self._with(transforms.Merge(axis, extents), shape, self.vector if inner else 1)

    def xor(self, axis, by, extent, unit=1):
        """This view with a dimension swizzled: coordinate `axis` ^ (coordinate `by` % extent) * unit."""
        transforms.check_axis(axis, len(self.shape))
        transforms.check_axis(by, len(self.shape))
        last = len(self.shape) - 1
        whole = unit % self.vector == 0 if axis == last else by < last  # neighbors stay neighbors
        end = None if transforms.xor_stays_inside(static_values(self.shape)[axis], extent, unit) else self.shape[axis]
        return self._with(transforms.Xor(axis, by, extent, unit, end), self.shape, self.vector if whole else 1)

    def cut(self, shape):
        """This view with smaller extents, where it was not transformed: what is past them is outside. `vector` divides
        the last."""
        transforms.check_transformable(isinstance(self.data, al.TensorMap), "cut")
        return TensorView(self.data, shape, self.vector, self.steps, self.apart)

    def lines(self):
        """True for a matrix as it lies in memory, with neighbors of a row side by side and rows that do not go
        backwards."""
        if len(self.steps) > 0 or len(self.shape) != 2 or len(self.data.strides) != 2 or not side_by_side(self.data):
            return False
        return self.apart or forward(self.data.strides[0])

    def rows_apart(self):
        """True where, besides, each row is known to end before the next one begins: then the end of the last one bounds
        them all."""
        return self.apart or transforms.rows_apart(static_values(self.data.strides), static_values(self.shape))

    def locate(self, at):
        """The coordinates in memory, and whether they are inside."""
        inside = at[0] < self.shape[0]
        for x, n in zip(at[1:], self.shape[1:], strict=True):
            inside = al.select(x < n, inside, False)
        for i in range(len(self.steps)):
            at, there = self.steps[len(self.steps) - 1 - i].lower_index(at)
            if there is not True:
                inside = al.select(there, inside, False)
        return at, inside

    def store(self, tile, origin):
        """Stores a tile at `origin`, converted to the view's dtype; nothing outside of the view. By TMA
        where this is a tensor map."""
        if not isinstance(tile, DistributedTile):
            refuse("what a view stores", "a tile", "a number: tile.full(shape, x, dtype) makes a tile of it")
        self._place("the origin of a store", origin)
        if isinstance(self.data, al.TensorMap):
            if al.target().has("sm_100a"):
                tensor_blocks.store(self.data, tile, origin)
            else:
                warpgroups.store(self.data, tile, origin)
        else:
            self.window(tile.dist.shape, origin).store(tile)

    def _place(self, what, at):
        transforms.check_rank(what, len(at) if isinstance(at, tuple) else 0, len(self.shape))

    def window(self, lengths, origin, dist=None):
        """A tile of these extents at `origin`. Raises T301 for as many as the view has not."""
        self._place("the extents of a window", lengths)
        self._place("the origin of a window", origin)
        return Window(self, lengths, tuple([al.convert(x, al.u32) for x in origin]), dist)


View = TensorView  # the public name


@avelang.jit
def side_by_side(data):
    """True where it is known that neighbors along the last dimension are neighbors in memory."""
    last = data.strides[len(data.strides) - 1]
    return isinstance(last, int) and last == 1


@avelang.jit
def forward(stride):
    """True for a stride that is a known one, or an unsigned number of no more than 32 bits."""
    if isinstance(stride, int):
        return True
    return (al.full((1,), 0, al.u1) + stride).dtype in (al.u8, al.u16, al.u32)


@avelang.jit
def expect_vector(vector, shape, strides):
    """Expects of the launch what `check_vector` cannot see at compile time (L050)."""
    if vector > 1:
        last = shape[len(shape) - 1]
        if not isinstance(last, int):
            al.expect(last % vector == 0, transforms.expectation("last", vector), last)
        for i in range(len(strides)):
            if not isinstance(strides[i], int):
                if i == len(strides) - 1:
                    al.expect(strides[i] == 1 or last == 1, transforms.expectation("side", vector), strides[i])
                else:
                    alone = shape[i] <= 1
                    al.expect(True if alone is True else (strides[i] % vector == 0) | alone,
                              transforms.expectation("rows", vector), strides[i])


@avelang.jit
def view(memory, shape, vector=1, strides=None):
    """A naive view of a pointer, a tensor or a tensor map. `vector`: see `TensorView`; rows must begin at multiples of
    it. `strides`: one for each dimension, in elements, from the memory's first element on: known ones from 0 (a row
    again and again), run-time ones of any sign; left out, rows follow one another, or lie as the tensor's do. Raises
    T301, T310 for a `vector` that strides and extents do not allow."""
    vector = transforms.check_vector_size(vector)
    if not isinstance(shape, tuple) and not isinstance(memory, al.Tensor):
        refuse("the shape of a view", "a tuple of extents, such as (rows, columns)", "a single number")
    if not isinstance(memory, (al.Pointer, al.Tensor, al.TensorMap)):
        refuse("the memory of a view", "a pointer, a tensor or a tensor map", "a number or a tile")
    if isinstance(memory, al.TensorMap):
        if strides is not None:
            refuse("the strides of a view of a tensor map", "left out: the map has those of its array", strides)
        return TensorView(memory, shape, vector)
    if strides is not None:
        if not isinstance(shape, tuple):
            refuse("the shape of a view with strides", "a tuple of extents, such as (rows, columns)",
                   "none" if shape is None else "a single number")
        count = len(strides) if isinstance(strides, tuple) else 0  # type: ignore
        transforms.check_rank("the strides of a view", count, len(shape))  # type: ignore
        transforms.check_vector(vector, static_values(shape), static_values(strides))
        expect_vector(vector, shape, strides)
        layout = al.make_layout(shape, strides)
        data = (
            al.view(memory, memory.dtype, layout)
            if isinstance(memory, al.Tensor)
            else al.make_tensor(memory, memory.dtype, layout)
        )
        return TensorView(data, shape, vector)
    if isinstance(memory, al.Tensor):
        if shape is None:
            shape = memory.shape
        count = len(shape) if isinstance(shape, tuple) else 0  # type: ignore
        transforms.check_rank("the shape of a view of a tensor", count, len(memory.shape))
        transforms.check_extents(static_values(shape), static_values(memory.shape))
        transforms.check_vector(vector, static_values(shape), static_values(memory.strides))
        expect_vector(vector, shape, memory.strides)
        for axis in range(len(shape)):
            if not (isinstance(shape[axis], int) and isinstance(memory.shape[axis], int)):
                al.expect(shape[axis] <= memory.shape[axis], transforms.expectation("extent", axis), shape[axis])
        return TensorView(memory, shape, vector)
    transforms.check_vector(vector, static_values(shape), ())
    expect_vector(vector, shape, ())
    # The last extent is a multiple of `vector`: said so, for the compiler to know how rows are aligned.
    strides, step = (1,), shape[len(shape) - 1] // vector * vector
    for i in range(len(shape) - 1):
        strides = (step,) + strides
        step = step * shape[len(shape) - 2 - i]
    return TensorView(al.make_tensor(memory, memory.dtype, al.make_layout(shape, strides)), shape, vector, (), True)
