"""Tile windows in kernels: a view, an origin and a distribution come in; tiles that lanes hold, and stores of such
tiles, go out.

Source: ROCm, Composable Kernel documentation, "Tile Window": a window is a tile of a view with an origin and a
distribution. Past the edges of a view loads give zeros and stores do nothing: by the range of a buffer resource on AMD
GPUs where rows are plain, by a predicate elsewhere."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.tile.distribution import WORD
from avelang.tile.tensors import DistributedTile, check_same, check_shape, is_first, refuse, thread_coord
from avelang.tile.transforms import expectation, in_reach, require_distribution

BEYOND = 1 << 31  # an offset, in bytes, that is out of every range; a row's number from here on is one before the first


@avelang.jit
def static_values(numbers):
    """Numbers that are known at compile time, None in place of the others."""
    return tuple([x if isinstance(x, int) else None for x in numbers])


@avelang.jit
def subvector(data, at, width):
    """`width` neighbors along the last dimension, from a multiple of `width` on."""
    at = at[: len(at) - 1] + (at[len(at) - 1] // width * width,)
    return al.subview(data, at, tuple([1 for _ in at[1:]]) + (width,), tuple([1 for _ in at]))


@avelang.struct
class Window:
    """A tile of a view: `lengths` (compile-time), `origin` (u32 each; from 2^31 on it stands for the negative number of
    the same bits), and how lanes share it (`thread`: as of `DistributedTile`). `early`: it may begin before the first
    row. Where loads and stores are AMD's of buffers: `resource`, of `have` rows, and how many rows the window begins
    behind the first of them, `lead`, modulo 2^32."""

    view: ...
    lengths: al.constexpr
    origin: ...
    dist: al.constexpr = None
    thread: ... = None
    early: al.constexpr = True
    resource: ... = None
    have: ... = None
    lead: ... = None

    def __post_init__(self):
        if self.dist is not None:
            check_shape(self.dist, self.lengths, al.target().wave)
            if self.width() > 1:
                al.expect(self.origin[len(self.origin) - 1] % self.width() == 0,
                          expectation("origin", self.view.vector), self.origin[len(self.origin) - 1])
            if self.uses_buffer():
                self.in_reach()
                self.bound()

    def spread(self, dist):
        """This window with a distribution; its extents are the distribution's."""
        return Window(self.view, dist.shape, self.origin, dist, None, self.early)

    def starts_inside(self):
        """This window, of which it is known that it never begins before the first row: AMD's offsets are then the
        same for all such windows."""
        return Window(self.view, self.lengths, self.origin, self.dist, self.thread, False)

    def move(self, by):
        """Moves the window on."""
        self.view._place("a step of a window", by)
        self.origin = tuple([x + d for x, d in zip(self.origin, by, strict=True)])
        if self.dist is not None and self.width() > 1:
            al.expect(by[len(by) - 1] % self.width() == 0, expectation("step", self.view.vector), by[len(by) - 1])
        if self.resource is not None and not (isinstance(by[0], int) and by[0] == 0):
            self.bound()

    def width(self):
        """Elements that a lane may access at once."""
        return vectorize.widest(self.dist, len(self.lengths) - 1, self.view.dtype.bytes, self.view.vector)

    def plan(self):
        """The lane's vectors, by compile-time steps from its first element."""
        return vectorize.vectors(self.dist, len(self.lengths) - 1, self.width())

    def uses_buffer(self):
        """True where loads and stores are AMD's of buffers, to which a place outside is an offset out of range:
        neighbors must be side by side, rows in reach, and vectors of whole words."""
        if al.target().vendor != "amd" or not self.view.lines() or self.width() * self.view.dtype.bytes % WORD != 0:
            return False
        if not self.in_global():
            return False
        return in_reach(self.lengths[0] * self.view.dtype.bytes, static_values(self.view.data.strides)[0])

    def in_global(self):
        """True for a view of global memory: buffers, and copies that are under way while the kernel goes on, have that
        as their source; windows of shared memory and of registers load and store under a predicate."""
        return self.view.data.space == "global"

    def in_reach(self):
        """Expects rows that offsets reach, where their distance is known at run time only."""
        stride, size, MOST = self.view.data.strides[0], self.view.dtype.bytes, (1 << 31) - 1
        if not self.view.rows_apart():
            MOST = MOST // 2
            if not isinstance(self.view.shape[1], int):
                al.expect(self.view.shape[1] < MOST // size, expectation("columns", MOST // size), self.view.shape[1])
        if not isinstance(stride, int):
            EACH = MOST // (self.lengths[0] * size)
            al.expect(stride < EACH, expectation("reach", self.lengths[0], EACH), stride)

    def row_bounded(self):
        """True where, besides, the end of the last row inside bounds all of them."""
        return self.uses_buffer() and self.view.rows_apart()

    def load(self):
        """The tile, zeros outside of the view. Raises T301 for a window without a distribution."""
        dist = require_distribution(self.dist)
        tile = DistributedTile(al.make_local((dist.elements,), self.view.dtype), dist)
        self.load_into(tile)
        return tile

    def load_into(self, tile):
        """Loads into the registers of a tile of this distribution. Raises T301 for another."""
        check_same(self.dist, tile.dist)
        self.load_values(tile.values)

    def load_values(self, values):
        """Loads into a lane's registers."""
        if self.uses_buffer():
            self._load_ranged(values)
        else:
            self._load_guarded(values)

    def store(self, tile):
        """Stores a tile in its distribution, converted to the view's dtype; nothing outside of the view. Raises T304
        for other extents."""
        if not isinstance(tile, DistributedTile):
            refuse("what a window stores", "a tile", "a number: tile.full(shape, x, dtype) makes a tile of it")
        check_shape(tile.dist, self.lengths, al.target().wave)
        out = Window(self.view, tile.dist.shape, self.origin, tile.dist, tile.thread)
        if is_first(tile.dist, tile.thread):
            if out.uses_buffer():
                out._store_ranged(tile.values)
            else:
                out._store_guarded(tile.values)

    # -- straight into shared memory -----------------------------------------------------------------------------------

    def load_async(self, memory, buffer=0, whole=False):
        """Begins a copy of the tile into a buffer of `memory` (`Shared`), zeros outside of the view. It is there once
        `wait_async` and a barrier say so. By cp.async, or by a buffer load to LDS on AMD, where a lane's vectors have 4
        bytes or more; else through registers, at once. `whole`: `has_rows` is known to be true."""
        if al.target().has("sm_80") and self.width() * self.view.dtype.bytes >= WORD and self.in_global():
            if is_first(self.dist, self.thread):
                self._copy_async(memory, buffer, whole)
        elif self.row_bounded() and self.direct_bytes(memory):
            self._copy_direct(memory, buffer)
        else:
            memory.store(self.load(), buffer)

    def _copy_async(self, memory, buffer, whole):
        at, WIDTH, PLAN = thread_coord(self.dist, self.thread), self.width(), self.plan()

        def source(i):
            return (
                self._rows_apart(at, PLAN[i].at, WIDTH, whole)
                if self.plain()
                else self._anywhere(at, PLAN[i].at, WIDTH)
            )

        copy_vectors(self.dist, PLAN, WIDTH, source, memory, buffer, self.thread)

    def plain(self):
        """True for rows of a matrix as it lies in memory."""
        return len(self.lengths) == 2 and len(self.view.steps) == 0

    def has_rows(self):
        """True where all rows of the window are inside of the view; False at compile time where it is transformed."""
        if not self.plain():
            return False
        return al.select(self.origin[0] < self.view.shape[0], self.origin[0] + self.lengths[0] <= self.view.shape[0],
                         False)

    def _rows_apart(self, at, step, width, whole):
        # What a lane adds for a row and what is the same for all are sums of their own, and comparisons are with what
        # is left of the view: then only the column changes as the window moves along rows.
        row, col = at[0] + self.origin[0], at[1] + self.origin[1]
        inside = col + step[1] < self.view.shape[1]
        if not whole:
            inside = inside & (row + step[0] < self.view.shape[0])
        data, reach = self.view.data, (step[0] + 1, step[1] + width)
        # Signed: the lane's first place may be before the first of the memory where this one is not. The window may be
        # greater than the memory: extents that are not known at compile time are not compared with it.
        line = al.subview(data, (al.convert(row, al.i32), 0), tuple([al.convert(x, al.u32) for x in reach]), (1, 1))
        mine = al.subview(line, (0, al.convert(col, al.i32)), reach, (1, 1))
        return al.subview(mine, (step[0], step[1]), (1, width), (1, 1)), inside

    def _anywhere(self, at, step, width):
        where, inside = self.memory_coords(at, step)
        return subvector(self.view.data, tuple([al.select(inside, x, 0) for x in where]), width), inside

    def direct_bytes(self, memory):
        """Bytes that a lane moves with one load to LDS; 0 where such loads cannot make a copy into a buffer of
        `memory`."""
        wide = al.target().has("lds-load-wide") and self.width() * self.view.dtype.bytes == 16
        return max([n for n in (0, WORD, 16 if wide else 0) if n == 0 or memory.nbytes % (self.dist.threads * n) == 0])

    def loads_into(self, memory):
        """Loads to LDS that a copy into a buffer of `memory` takes each wave."""
        EACH = self.direct_bytes(memory)
        return memory.nbytes // (self.dist.threads * EACH) if self.row_bounded() and EACH else 0

    def _copy_direct(self, memory, buffer):
        # LDS is written in the order of lanes: each fetches what belongs where its data will lie. Rows and swizzle
        # repeat every so many loads: what a lane fetches then is the same, some rows on, which takes one addition.
        t, EACH = al.thread_id(0) if self.thread is None else self.thread, self.direct_bytes(memory)
        SPAN, WAVE, S = self.dist.threads * EACH, al.target().wave, memory.swizzle
        KINDS = math.lcm(SPAN, memory.row, 1 << S.base + S.shift + S.bits if S.bits else 1) // SPAN
        size, stride, zero = self.view.dtype.bytes, self.view.data.strides[0], al.convert(0, al.i32)
        words = al.view(memory.data, al.Tensor((memory.data.shape[0] * memory.nbytes // EACH, EACH // WORD), al.i32))
        firsts = ()
        for i in range(min(KINDS, memory.nbytes // SPAN)):
            place = memory.swizzled(t * EACH + i * SPAN)
            row, col = place // memory.row + self.lead, place % memory.row // size + self.origin[1]
            rest = place % size if size > EACH else 0  # of an element of several words
            firsts = firsts + (
                (row, col, rest, al.select(col < self.view.shape[1], (row * stride + col) * size + rest, BEYOND)),
            )
        for i in range(memory.nbytes // SPAN):
            more = i // KINDS * (KINDS * SPAN // memory.row)
            row, col, rest, offset = firsts[i % KINDS]  # type: ignore
            if self.early:  # see `offset`
                there = al.select(row + more < self.have, col < self.view.shape[1], False)
                offset = al.select(there, ((row + more) * stride + col) * size + rest, BEYOND)
            else:
                offset = offset + more * stride * size
            first = (t // WAVE * WAVE + i * self.dist.threads) + buffer * (memory.nbytes // EACH)
            al.amdgpu.raw_buffer_load_x1_lds(self.resource, subvector(words, (first, 0), EACH // WORD), EACH,
                                             al.convert(offset, al.i32), zero, 0, 0)

    # -- by range ------------------------------------------------------------------------------------------------------

    def bound(self):
        """The resource of the window's rows that are inside of the view, to the end of the last one; of all that
        offsets reach where rows may overlap: then `offset` compares each."""
        data, rows, size = self.view.data, self.view.shape[0], self.view.dtype.bytes
        # As a difference of two that are no less than 0: LLVM would make of `rows - first` one that saturates, which
        # the scalar unit does not have.
        first = min(self.origin[0], BEYOND)
        top, end = min(first, rows), min(first + self.lengths[0], rows)
        if self.early:
            last = self.origin[0] + self.lengths[0]
            early = self.origin[0] > BEYOND
            top, end = al.select(early, 0, top), al.select(early, al.select(last < BEYOND, min(last, rows), 0), end)
            self.lead = self.origin[0] - top
        else:
            self.lead = 0
        self.have = end - top
        mine = al.subview(data, (top, 0), (self.have, data.shape[1]), (1, 1))
        if self.view.rows_apart():
            self.resource = al.amdgpu.make_rsrc(mine, self.have * data.strides[0] * size)
        else:
            self.resource = al.amdgpu.make_rsrc(mine, al.convert(BEYOND, al.u32))

    def offset(self, at, step):
        """Bytes from the resource's base to a vector: out of range where it is past the end of its row."""
        size, stride = self.view.dtype.bytes, self.view.data.strides[0]
        row, col = at[0] + self.lead, at[1] + self.origin[1] + step[1]
        # The range check adds an instruction's constant without wrapping round: of a lane whose first row is before the
        # view, all rows would be outside. So each row is compared there, as where rows may overlap; else the first of a
        # lane's rows, which are uniform steps apart.
        if self.early or not self.view.rows_apart():
            there = al.select(row + step[0] < self.have, col < self.view.shape[1], False)
            return al.convert(al.select(there, ((row + step[0]) * stride + col) * size, BEYOND), al.i32)
        return al.convert(
            al.select(col < self.view.shape[1], (row * stride + col) * size, BEYOND) + step[0] * stride * size, al.i32
        )

    def _load_ranged(self, values):
        at, WIDTH, zero = thread_coord(self.dist, self.thread), self.width(), al.convert(0, al.i32)
        WORDS = WIDTH * self.view.dtype.bytes // WORD
        pieces = al.view(values, al.Tensor((self.dist.elements // WIDTH, WORDS), al.i32))
        for v in self.plan():
            some = load_words(self.resource, self.offset(at, v.at), zero, WORDS)
            if v.contiguous:
                pieces[v.slots[0] // WIDTH] = some
            else:
                each = al.view(some, al.Tensor((WIDTH,), self.view.dtype))
                for i in range(WIDTH):
                    values[v.slots[i]] = each[i]

    def _store_ranged(self, values):
        at, WIDTH, zero = thread_coord(self.dist, self.thread), self.width(), al.convert(0, al.i32)
        WORDS = WIDTH * self.view.dtype.bytes // WORD
        for v in vectorize.vectors(self.dist, 1, WIDTH):
            some = al.convert(register_vector(values, v, WIDTH), self.view.dtype)
            store_words(al.view(some, al.Tensor((WORDS,), al.i32)), self.resource, self.offset(at, v.at), zero, WORDS)

    # -- by predicate --------------------------------------------------------------------------------------------------

    def memory_coords(self, at, step):
        """Coordinates in memory of a vector, and whether it is inside."""
        return self.view.locate(tuple([o + x + s for o, x, s in zip(self.origin, at, step, strict=True)]))

    def _load_guarded(self, values):
        at, WIDTH = thread_coord(self.dist, self.thread), self.width()
        for v in vectorize.vectors(self.dist, len(self.lengths) - 1, WIDTH):
            where, inside = self.memory_coords(at, v.at)
            some = al.full((WIDTH,), 0, self.view.dtype)
            if inside:
                some = load_vector(self.view.data, where, WIDTH)
            for i in range(WIDTH):
                values[v.slots[i]] = some[i]

    def _store_guarded(self, values):
        at, WIDTH = thread_coord(self.dist, self.thread), self.width()
        for v in vectorize.vectors(self.dist, len(self.lengths) - 1, WIDTH):
            some = al.convert(register_vector(values, v, WIDTH), self.view.dtype)
            where, inside = self.memory_coords(at, v.at)
            if inside:
                al.view(subvector(self.view.data, where, WIDTH), al.Tensor((1, WIDTH), self.view.dtype))[0] = some


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
    """Begins a lane's copies of its vectors by cp.async to where they lie in a buffer of `memory`. `source(i)`: the
    vector in global memory, and whether it is inside: else it is zeros."""
    at, NBYTES = thread_coord(dist, thread), WIDTH * memory.dtype.bytes
    PLACES, first = memory.plan_of(dist, WIDTH), memory.first(dist, thread)
    for i in range(len(PLAN)):
        found, inside = source(i)
        if len(PLACES) > 0:
            target = memory.piece(first, PLACES[i], NBYTES, buffer)
        else:
            step = PLAN[i].at
            target = memory.piece(memory.byte((at[0] + step[0], at[1] + step[1])), vectorize.AT_BASE, NBYTES, buffer)
        copy_async(target, found, al.select(inside, al.convert(NBYTES, al.u32), 0), NBYTES)


@avelang.jit
def commit_async():
    """Makes one group of the copies that `load_async` has begun since the last commit."""
    if al.target().has("sm_80"):
        al.nvvm.cp_async_commit_group()


@avelang.jit
def wait_async(pending):
    """Waits until all groups of this lane but the newest `pending` (compile-time) are there."""
    if al.target().has("sm_80"):
        al.nvvm.cp_async_wait_group(pending)


@avelang.jit
def load_vector(data, at, width):
    """`width` neighbors."""
    return al.view(subvector(data, at, width), al.Tensor((1, width), data.dtype))[0]


@avelang.jit
def register_vector(values, v, width):
    """A vector's elements out of a lane's registers."""
    if v.contiguous:
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


commit, arrived = commit_async, wait_async  # the public names
