"""Tensor views and tile windows in kernels: memory, shapes and distributions come in; tiles that lanes hold, and stores of such tiles, go out.

Source: ROCm, Composable Kernel documentation, "Tensor Views", "Transforms" and "Tile Window": a view maps coordinates through transforms to memory, a
window is a tile of it with an origin and a distribution. Past the edges of a view loads give zeros and stores do nothing: by the range of a buffer
resource on AMD GPUs where rows are plain, by a predicate elsewhere.
"""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.accesses as accesses
import avelang.tile.warpgroups as warpgroups
from avelang.base.places import wrong
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Ints
from avelang.tile.tensors import Tile, fitting, is_first, matching, place_of, refuse

BEYOND = 1 << 31  # an offset, in bytes, that is out of every range
WORD = 4  # bytes


# -- views -----------------------------------------------------------------------------------------------------------------------------


@avelang.struct
class Embed:
    """Several coordinates, from `axis` on, as one below: their sum, each times its stride (unmerge: row-major strides)."""

    axis: al.constexpr
    strides: ...

    def below(self, at):
        """The coordinates below, and whether they exist."""
        n = len(self.strides)
        one = sum([x * s for x, s in zip(at[self.axis : self.axis + n], self.strides, strict=True)])
        return at[: self.axis] + (one,) + at[self.axis + n :], True


@avelang.struct
class Merge:
    """One coordinate as several below, from `axis` on: its digits, the last the fastest."""

    axis: al.constexpr
    extents: ...

    def below(self, at):
        """The coordinates below, and whether they exist."""
        rest, digits = at[self.axis], ()
        for i in range(len(self.extents)):
            e = self.extents[len(self.extents) - 1 - i]
            digits = ((rest % e) if i < len(self.extents) - 1 else rest,) + digits
            rest = rest // e
        return at[: self.axis] + digits + at[self.axis + 1 :], True


@avelang.struct
class Pad:
    """A coordinate that begins `before` places before the one below, whose extent is `extent`: places outside of that are padding."""

    axis: al.constexpr
    before: ...
    extent: ...

    def below(self, at):
        """The coordinates below, and whether they exist."""
        one = at[self.axis] - self.before  # wraps where it is before the first
        return at[: self.axis] + (one,) + at[self.axis + 1 :], one < self.extent


@avelang.struct
class Xor:
    """A coordinate that is xored with another one (modulo `extent`, times `unit`): a swizzle."""

    axis: al.constexpr
    by: al.constexpr
    extent: al.constexpr
    unit: al.constexpr

    def below(self, at):
        """The coordinates below, and whether they exist."""
        one = at[self.axis] ^ (at[self.by] % self.extent * self.unit)
        return at[: self.axis] + (one,) + at[self.axis + 1 :], True


@avelang.constant
def row_major(extents: Ints) -> Ints:
    """Strides of these extents."""
    out, step = [], 1
    for n in reversed(extents):
        out.insert(0, step)
        step *= n
    return tuple(out)


@avelang.constant
def along(axis: int, dimensions: int, count: int = 1) -> None:
    """Whether a view has dimensions `axis` to before `axis` + `count`. Raises T301."""
    if isinstance(axis, bool) or not isinstance(axis, int) or not 0 <= axis <= dimensions - count:
        raise wrong("T301", what="axis", want=f"a dimension of the view, 0 to {dimensions - count}", got=repr(axis))


@avelang.constant
def divided(extents: Ints, extent: int) -> None:
    """Whether a dimension can be taken apart so. Raises T301."""
    if math.prod(extents) != extent:
        raise wrong("T301", what=f"the product of the extents {extents}", want=f"the dimension's extent, {extent}", got=math.prod(extents))


@avelang.constant
def numbers(what: str, count: int, dimensions: int) -> None:
    """Whether there is one for each dimension; `count`: 0 for what is no tuple. Raises T301."""
    if count != dimensions:
        raise wrong("T301", what=what, want=f"a tuple of {dimensions}, one for each dimension", got=f"one of {count}" if count else "a single number")


@avelang.constant
def given(dist: Distribution | None) -> Distribution:
    """The distribution of a window. Raises T301 where it has none."""
    if dist is None:
        raise wrong("T301", what="a window that is loaded", want="one with a distribution: view.window(lengths, origin, dist)", got="one without")
    return dist


@avelang.constant
def promised(vector: int) -> int:
    """The vector of a view. Raises T301."""
    if isinstance(vector, bool) or not isinstance(vector, int) or vector < 1:
        raise wrong("T301", what="the vector of a view", want="an integer from 1: neighbors that lie side by side", got=repr(vector))
    return vector


@avelang.struct
class View:
    """A tensor as tiles are cut from it: `data` (in memory), seen with `shape` through `steps`, the outermost last. `vector`: so many neighbors along
    the last dimension, from multiples of it on, are neighbors in memory, aligned, and all inside or all outside."""

    data: ...
    shape: ...
    vector: al.constexpr = 1
    steps: ... = ()

    @property
    def dtype(self):
        """Of the elements."""
        return self.data.dtype

    def _with(self, step, shape, vector):
        return View(self.data, shape, vector, self.steps + (step,))

    def pad(self, axis, before, after):
        """The same with so many more places before and after, which read as zeros and are not written."""
        along(axis, len(self.shape))
        n = self.shape[axis]
        inner = axis < len(self.shape) - 1 or (isinstance(before, int) and isinstance(after, int) and before % self.vector == 0)
        shape = self.shape[:axis] + (n + before + after,) + self.shape[axis + 1 :]
        return self._with(Pad(axis, al.convert(before, al.u32), n), shape, self.vector if inner else 1)

    def unmerge(self, axis, extents):
        """A dimension taken apart into several; their extents are compile-time ints, of which the product is that of the dimension."""
        along(axis, len(self.shape))
        if isinstance(self.shape[axis], int):
            divided(extents, self.shape[axis])
        inner = axis < len(self.shape) - 1 or extents[len(extents) - 1] % self.vector == 0
        shape = self.shape[:axis] + extents + self.shape[axis + 1 :]
        return self._with(Embed(axis, row_major(extents)), shape, self.vector if inner else 1)

    def embed(self, axis, extents, strides):
        """A dimension as several, which may meet a place twice: rows of an image under a filter, for one."""
        along(axis, len(self.shape))
        numbers("the strides of `embed`", len(strides), len(extents))
        inner = axis < len(self.shape) - 1
        shape = self.shape[:axis] + extents + self.shape[axis + 1 :]
        return self._with(Embed(axis, strides), shape, self.vector if inner else 1)

    def merge(self, axis, count):
        """`count` dimensions from `axis` on as one."""
        along(axis, len(self.shape), count)
        inner = axis + count < len(self.shape)
        extents = self.shape[axis : axis + count]
        total = extents[0]
        for e in extents[1:]:
            total = total * e
        shape = self.shape[:axis] + (total,) + self.shape[axis + count :]
        return self._with(Merge(axis, extents), shape, self.vector if inner else 1)

    def xor(self, axis, by, extent, unit=1):
        """The same with a dimension swizzled: coordinate `axis` ^ (coordinate `by` % extent) * unit."""
        along(axis, len(self.shape))
        along(by, len(self.shape))
        last = len(self.shape) - 1
        whole = unit % self.vector == 0 if axis == last else by < last  # neighbors stay neighbors
        return self._with(Xor(axis, by, extent, unit), self.shape, self.vector if whole else 1)

    def cut(self, shape):
        """The same with smaller extents, where it was not transformed: what is past them is outside. `vector` divides the last."""
        return View(self.data, shape, self.vector, self.steps)

    def locate(self, at):
        """The coordinates in memory, and whether they are inside."""
        inside = at[0] < self.shape[0]
        for x, n in zip(at[1:], self.shape[1:], strict=True):
            inside = al.select(x < n, inside, False)
        for i in range(len(self.steps)):
            at, there = self.steps[len(self.steps) - 1 - i].below(at)
            if there is not True:
                inside = al.select(there, inside, False)
        return at, inside

    def store(self, tile, origin):
        """Stores a tile at `origin`, converted to the view's dtype; nothing outside of the view. By the copy engine where this is a tensor map."""
        self._place("the origin of a store", origin)
        if isinstance(self.data, al.TensorMap):
            warpgroups.store(self.data, tile, origin)
        else:
            self.window(tile.dist.shape, origin).store(tile)

    def _place(self, what, at):
        numbers(what, len(at) if isinstance(at, tuple) else 0, len(self.shape))

    def window(self, lengths, origin, dist=None):
        """A tile of these extents at `origin`. Raises T301 for as many as the view has not."""
        self._place("the extents of a window", lengths)
        self._place("the origin of a window", origin)
        return Window(self, lengths, tuple([al.convert(x, al.u32) for x in origin]), dist)


@avelang.jit
def view(memory, shape, vector=1, strides=None):
    """A naive view of a pointer, a tensor or a tensor map. `vector`: see `View`; rows must begin at multiples of it. Raises T301."""
    vector = promised(vector)
    if not isinstance(shape, tuple) and not isinstance(memory, al.Tensor):
        refuse("the shape of a view", "a tuple of extents, such as (rows, columns)", "a single number")
    if isinstance(memory, al.TensorMap):
        return View(memory, shape, vector)
    if isinstance(memory, al.Tensor):
        return View(memory, memory.shape if shape is None else shape, vector)
    if strides is None:
        # The last extent is a multiple of `vector`: said so, for the compiler to know how rows are aligned.
        strides, step = (1,), shape[len(shape) - 1] // vector * vector
        for i in range(len(shape) - 1):
            strides = (step,) + strides
            step = step * shape[len(shape) - 2 - i]
    return View(al.make_tensor(memory, memory.dtype, al.make_layout(shape, strides)), shape, vector)


# -- windows ---------------------------------------------------------------------------------------------------------------------------


@avelang.jit
def part(data, at, width):
    """`width` neighbors along the last dimension, from a multiple of `width` on."""
    at = at[: len(at) - 1] + (at[len(at) - 1] // width * width,)
    return al.subview(data, at, tuple([1 for _ in at[1:]]) + (width,), tuple([1 for _ in at]))


@avelang.struct
class Window:
    """A tile of a view: `lengths` (compile-time), `origin` (u32 each), and how lanes share it (`thread`: as of `Tile`). `resource`: of the rows,
    where the hardware checks ranges."""

    view: ...
    lengths: al.constexpr
    origin: ...
    dist: al.constexpr = None
    thread: ... = None
    resource: ... = None

    def __post_init__(self):
        if self.dist is not None and fitting(self.dist, self.lengths, al.target().wave) is not None and self.ranged():
            self.resource = self.buffer()

    def spread(self, dist):
        """The same window with a distribution; its extents are the distribution's."""
        return Window(self.view, dist.shape, self.origin, dist)

    def move(self, by):
        """Moves the window on."""
        self.view._place("a step of a window", by)
        self.origin = tuple([x + d for x, d in zip(self.origin, by, strict=True)])
        if self.resource is not None and not (isinstance(by[0], int) and by[0] == 0):
            self.resource = self.buffer()

    def width(self):
        """Elements that a lane may access at once."""
        return accesses.widest(self.dist, len(self.lengths) - 1, self.view.dtype.bytes, self.view.vector)

    def plan(self):
        """The lane's vectors, by compile-time steps from its first element."""
        return accesses.vectors(self.dist, len(self.lengths) - 1, self.width())

    def ranged(self):
        """Whether the edges are the hardware's affair: plain rows, on AMD."""
        if al.target().vendor != "amd" or len(self.lengths) != 2 or len(self.view.steps) > 0:
            return False
        return self.width() * self.view.dtype.bytes % WORD == 0

    def load(self):
        """The tile, zeros outside of the view. Raises T301 for a window without a distribution."""
        dist = given(self.dist)
        tile = Tile(al.make_local((dist.elements,), self.view.dtype), dist)
        self.load_into(tile)
        return tile

    def load_into(self, tile):
        """Loads into the registers of a tile of this distribution. Raises T301 for another."""
        matching(self.dist, tile.dist)
        self.load_values(tile.values)

    def load_values(self, values):
        """The same for a lane's registers."""
        if self.ranged():
            self._load_ranged(values)
        else:
            self._load_guarded(values)

    def store(self, tile):
        """Stores a tile in its distribution, converted to the view's dtype; nothing outside of the view. Raises T304 for other extents."""
        fitting(tile.dist, self.lengths, al.target().wave)
        out = Window(self.view, tile.dist.shape, self.origin, tile.dist, tile.thread)
        if is_first(tile.dist, tile.thread):
            if out.ranged():
                out._store_ranged(tile.values)
            else:
                out._store_guarded(tile.values)

    # -- straight into shared memory ---------------------------------------------------------------------------------------------------

    def load_async(self, memory, buffer=0, whole=False):
        """Begins a copy of the tile into a buffer of `memory` (`Shared`), zeros outside of the view. It is there once `arrived` and a barrier say so.
        By cp.async, or by a buffer load to LDS on AMD, where a lane's vectors have 4 bytes or more; else through registers, at once. `whole`:
        `has_rows` is known to be true."""
        if al.target().has("sm_80") and self.width() * self.view.dtype.bytes >= WORD:
            if is_first(self.dist, self.thread):
                self._copy_async(memory, buffer, whole)
        elif self.resource is not None and self.direct_bytes(memory):
            self._copy_direct(memory, buffer)
        else:
            memory.store(self.load(), buffer)

    def _copy_async(self, memory, buffer, whole):
        at, WIDTH, PLAN = place_of(self.dist, self.thread), self.width(), self.plan()

        def source(i):
            return self._rows_apart(at, PLAN[i].at, WIDTH, whole) if self.plain() else self._anywhere(at, PLAN[i].at, WIDTH)

        copy_vectors(self.dist, PLAN, WIDTH, source, memory, buffer, self.thread)

    def plain(self):
        """Whether these are rows of a matrix as it lies in memory."""
        return len(self.lengths) == 2 and len(self.view.steps) == 0

    def has_rows(self):
        """Whether all rows of the window are inside of the view; False at compile time where it is transformed."""
        return self.origin[0] + self.lengths[0] <= self.view.shape[0] if self.plain() else False

    def _rows_apart(self, at, step, width, whole):
        # What a lane adds for a row and what is the same for all are sums of their own, and comparisons are with what is left of the view: then only
        # the column changes as the window moves along rows.
        inside = at[1] + self.origin[1] + step[1] < self.view.shape[1]
        if not whole:
            have = max(self.view.shape[0], self.origin[0]) - self.origin[0]
            inside = inside & (at[0] < max(have, step[0]) - step[0])
        data, reach = self.view.data, (step[0] + 1, step[1] + width)
        # The window may be greater than the memory: extents that are not known at compile time are not compared with it.
        row = al.subview(data, (self.origin[0] + at[0], 0), tuple([al.convert(x, al.u32) for x in reach]), (1, 1))
        mine = al.subview(row, (0, self.origin[1] + at[1]), reach, (1, 1))
        return al.subview(mine, (step[0], step[1]), (1, width), (1, 1)), inside

    def _anywhere(self, at, step, width):
        where, inside = self.located(at, step)
        return part(self.view.data, tuple([al.select(inside, x, 0) for x in where]), width), inside

    def direct_bytes(self, memory):
        """What a lane moves with one load to LDS; 0 where such loads cannot make a copy into a buffer of `memory`."""
        wide = al.target().has("lds-load-wide") and self.width() * self.view.dtype.bytes == 16
        return max([n for n in (0, WORD, 16 if wide else 0) if n == 0 or memory.nbytes % (self.dist.threads * n) == 0])

    def loads_into(self, memory):
        """Loads to LDS that a copy into a buffer of `memory` takes each wave."""
        EACH = self.direct_bytes(memory)
        return memory.nbytes // (self.dist.threads * EACH) if self.ranged() and EACH else 0

    def _copy_direct(self, memory, buffer):
        # LDS is written in the order of lanes: each fetches what belongs where its data will lie. Rows and swizzle repeat every so many loads: what a
        # lane fetches then is the same, some rows on, which takes one addition.
        t, EACH = al.thread_id(0) if self.thread is None else self.thread, self.direct_bytes(memory)
        SPAN, WAVE, S = self.dist.threads * EACH, al.target().wave, memory.swizzle
        KINDS = math.lcm(SPAN, memory.row, 1 << S.base + S.shift + S.bits if S.bits else 1) // SPAN
        size, stride, zero = self.view.dtype.bytes, self.view.data.strides[0], al.convert(0, al.i32)
        words = al.view(memory.data, al.Tensor((memory.data.shape[0] * memory.nbytes // EACH, EACH // WORD), al.i32))
        firsts = ()
        for i in range(min(KINDS, memory.nbytes // SPAN)):
            place = memory.mixed(t * EACH + i * SPAN)
            col = place % memory.row // size + self.origin[1]
            firsts = firsts + (al.select(col < self.view.shape[1], (place // memory.row * stride + col) * size, BEYOND),)
        for i in range(memory.nbytes // SPAN):
            offset = firsts[i % KINDS] + i // KINDS * (KINDS * SPAN // memory.row) * stride * size
            first = (t // WAVE * WAVE + i * self.dist.threads) + buffer * (memory.nbytes // EACH)
            al.amdgpu.raw_buffer_load_x1_lds(
                self.resource, part(words, (first, 0), EACH // WORD), EACH, al.convert(offset, al.i32), zero, 0, 0
            )

    # -- by range ----------------------------------------------------------------------------------------------------------------------

    def buffer(self):
        """The resource of the window's rows, to the end of the last one inside of the view."""
        data, rows = self.view.data, self.view.shape[0]
        # As a difference of two that are no less than 0: LLVM would make of `rows - origin` one that saturates, which the scalar unit does not have.
        have = min(self.origin[0] + self.lengths[0], rows) - min(self.origin[0], rows)
        mine = al.subview(data, (self.origin[0], 0), (have, data.shape[1]), (1, 1))
        return al.amdgpu.make_rsrc(mine, have * data.strides[0] * self.view.dtype.bytes)

    def offset(self, at, step):
        """Bytes from the resource's base to a vector: out of range where it is past the end of its row."""
        size, stride = self.view.dtype.bytes, self.view.data.strides[0]
        col = at[1] + self.origin[1] + step[1]
        # Rows of a lane are uniform steps apart: the comparison is for the first of them.
        return al.convert(al.select(col < self.view.shape[1], (at[0] * stride + col) * size, BEYOND) + step[0] * stride * size, al.i32)

    def _load_ranged(self, values):
        at, WIDTH, zero = place_of(self.dist, self.thread), self.width(), al.convert(0, al.i32)
        WORDS = WIDTH * self.view.dtype.bytes // WORD
        pieces = al.view(values, al.Tensor((self.dist.elements // WIDTH, WORDS), al.i32))
        for v in self.plan():
            some = load_words(self.resource, self.offset(at, v.at), zero, WORDS)
            if v.solid:
                pieces[v.slots[0] // WIDTH] = some
            else:
                each = al.view(some, al.Tensor((WIDTH,), self.view.dtype))
                for i in range(WIDTH):
                    values[v.slots[i]] = each[i]

    def _store_ranged(self, values):
        at, WIDTH, zero = place_of(self.dist, self.thread), self.width(), al.convert(0, al.i32)
        WORDS = WIDTH * self.view.dtype.bytes // WORD
        for v in accesses.vectors(self.dist, 1, WIDTH):
            some = al.convert(taken(values, v, WIDTH), self.view.dtype)
            store_words(al.view(some, al.Tensor((WORDS,), al.i32)), self.resource, self.offset(at, v.at), zero, WORDS)

    # -- by predicate ------------------------------------------------------------------------------------------------------------------

    def located(self, at, step):
        """Coordinates in memory of a vector, and whether it is inside."""
        return self.view.locate(tuple([o + x + s for o, x, s in zip(self.origin, at, step, strict=True)]))

    def _load_guarded(self, values):
        at, WIDTH = place_of(self.dist, self.thread), self.width()
        for v in accesses.vectors(self.dist, len(self.lengths) - 1, WIDTH):
            where, inside = self.located(at, v.at)
            some = al.full((WIDTH,), 0, self.view.dtype)
            if inside:
                some = read(self.view.data, where, WIDTH)
            for i in range(WIDTH):
                values[v.slots[i]] = some[i]

    def _store_guarded(self, values):
        at, WIDTH = place_of(self.dist, self.thread), self.width()
        for v in accesses.vectors(self.dist, len(self.lengths) - 1, WIDTH):
            some = al.convert(taken(values, v, WIDTH), self.view.dtype)
            where, inside = self.located(at, v.at)
            if inside:
                al.view(part(self.view.data, where, WIDTH), al.Tensor((1, WIDTH), self.view.dtype))[0] = some


@avelang.jit
def copy_async(target, source, count, NBYTES):
    """Begins a copy of `NBYTES`, 4, 8 or 16, by cp.async; all but the first `count` are zeros, and not read."""
    if NBYTES == 16:
        al.nvvm.cp_async_x16(target, source, count)
    elif NBYTES == 8:
        al.nvvm.cp_async_x8(target, source, count)
    else:
        al.nvvm.cp_async_x4(target, source, count)


@avelang.jit
def copy_vectors(dist, PLAN, WIDTH, source, memory, buffer, thread=None):
    """Begins a lane's copies of its vectors by cp.async to where they lie in a buffer of `memory`. `source(i)`: the vector in global memory, and
    whether it is inside: else it is zeros."""
    at, NBYTES = place_of(dist, thread), WIDTH * memory.dtype.bytes
    PLACES, first = memory.plan_of(dist, WIDTH), memory.first(dist, thread)
    for i in range(len(PLAN)):
        found, inside = source(i)
        if len(PLACES) > 0:
            target = memory.piece(first, PLACES[i], NBYTES, buffer)
        else:
            step = PLAN[i].at
            target = memory.piece(memory.byte((at[0] + step[0], at[1] + step[1])), accesses.HERE, NBYTES, buffer)
        copy_async(target, found, al.select(inside, al.convert(NBYTES, al.u32), 0), NBYTES)


@avelang.jit
def commit():
    """What has been begun by `load_async` since the last commit is one group."""
    if al.target().has("sm_80"):
        al.nvvm.cp_async_commit_group()


@avelang.jit
def arrived(pending):
    """Waits until all groups of this lane but the newest `pending` (compile-time) are there."""
    if al.target().has("sm_80"):
        al.nvvm.cp_async_wait_group(pending)


@avelang.jit
def read(data, at, width):
    """`width` neighbors."""
    return al.view(part(data, at, width), al.Tensor((1, width), data.dtype))[0]


@avelang.jit
def taken(values, v, width):
    """A vector's elements out of a lane's registers."""
    if v.solid:
        return al.view(values, al.Tensor((len(values) // width, width), values.dtype))[v.slots[0] // width]
    out = al.make_local((width,), values.dtype)
    for i in range(width):
        out[i] = values[v.slots[i]]
    return out


@avelang.jit
def load_words(buffer, offset, base, words):
    """1, 2 or 4 dwords."""
    if words == 4:
        return al.amdgpu.raw_buffer_load_x4(buffer, offset, base, 0)
    if words == 2:
        return al.amdgpu.raw_buffer_load_x2(buffer, offset, base, 0)
    return al.amdgpu.raw_buffer_load_x1(buffer, offset, base, 0)


@avelang.jit
def store_words(some, buffer, offset, base, words):
    """1, 2 or 4 dwords."""
    if words == 4:
        al.amdgpu.raw_buffer_store_x4(some, buffer, offset, base, 0)
    elif words == 2:
        al.amdgpu.raw_buffer_store_x2(some, buffer, offset, base, 0)
    else:
        al.amdgpu.raw_buffer_store_x1(some, buffer, offset, base, 0)
