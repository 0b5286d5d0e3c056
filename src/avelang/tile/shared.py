"""Tiles in shared memory: extents, a dtype and a number of buffers come in; stores of distributed tiles, and loads in
any distribution, go out.

Rows are swizzled, so that lanes that read along rows and lanes that read down columns meet all banks. Loads are by
`ldmatrix` where the chip has it and lanes hold 8 x 8 matrices as it gives them, else by accesses as wide as the lanes'
neighbors reach."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.tile.distribution import WIDEST, WORD
from avelang.tile.tensors import DistributedTile, check_shape, flat, is_first, thread_coord


@avelang.struct
class SharedTile:
    """`buffers` tiles of `shape` in shared memory, rows swizzled by `swizzle` (byte offsets). `axis`: the dimension
    along which neighbors lie side by side."""

    data: ...
    shape: al.constexpr
    swizzle: al.constexpr
    axis: al.constexpr = 1

    @property
    def turned(self):
        """This memory with rows and columns exchanged: what was stored as (keys, d) is loaded as (d, keys)."""
        return SharedTile(self.data, (self.shape[1], self.shape[0]), self.swizzle, 1 - self.axis)

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self.data.dtype

    @property
    def row(self):
        """Bytes of a row, of what lies side by side."""
        return self.shape[self.axis] * self.data.dtype.bytes

    @property
    def strides(self):
        """Bytes to the next element, along each dimension."""
        return (self.row, self.dtype.bytes) if self.axis == 1 else (self.dtype.bytes, self.row)

    @property
    def nbytes(self):
        """Bytes of one buffer."""
        return self.shape[1 - self.axis] * self.row

    # -- where a lane's accesses go ------------------------------------------------------------------------------------

    def plan(self, dist):
        """Places of a lane's vectors here, for accesses of the widest kind; empty where each is to be
        computed for itself."""
        return self.plan_of(dist, self.width(dist))

    def plan_of(self, dist, width):
        """`plan` for accesses of so many elements."""
        return vectorize.shared_vectors(dist, self.axis, width, self.strides, self.swizzle)

    def width(self, dist):
        """Elements of a lane's widest access."""
        return vectorize.widest(dist, self.axis, self.dtype.bytes, WIDEST // self.dtype.bytes)

    def first(self, dist, thread=None):
        """The byte of a lane's first element in a buffer, swizzled."""
        return self.byte(thread_coord(dist, thread))

    def byte(self, at):
        """The byte of an element in a buffer, swizzled."""
        return self.swizzled(at[0] * self.strides[0] + at[1] * self.strides[1])

    def swizzled(self, offset):
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
        return (first // nbytes ^ place.xor_offset // nbytes) + (
            buffer * (self.nbytes // nbytes) + place.add_offset // nbytes
        )

    def piece(self, first, place, nbytes, buffer):
        """The bytes of an access, for what takes an address: sums of what changes, of what does not and of a constant,
        so that each is done once."""
        rows = al.view(self.data, al.Tensor((self.data.shape[0], self.nbytes), al.u8))
        mine = al.subview(rows, (buffer, first ^ place.xor_offset), (1, place.add_offset + nbytes), (1, 1))
        return al.subview(mine, (0, place.add_offset), (1, nbytes), (1, 1))

    def accesses(self, dist, thread=None, buffer=0):
        """A lane's accesses: (number of the access, slots, whether they are neighbors in registers) of each."""
        WIDTH, PLAN = self.width(dist), self.plan(dist)
        NBYTES = WIDTH * self.dtype.bytes
        if len(PLAN) > 0:
            first = self.first(dist, thread)
            return tuple([(self.index(first, p, WIDTH, buffer), p.slots, p.contiguous) for p in PLAN])
        at, found = thread_coord(dist, thread), ()
        for v in vectorize.vectors(dist, self.axis, WIDTH):
            offset = self.byte((at[0] + v.at[0], at[1] + v.at[1]))
            found = found + ((offset // NBYTES + buffer * (self.nbytes // NBYTES), v.slots, v.contiguous),)
        return found

    # -- stores --------------------------------------------------------------------------------------------------------

    def store(self, tile, buffer=0):
        """Stores a tile, in its distribution."""
        self.store_values(tile.values, tile.dist, buffer, tile.thread)

    def store_values(self, values, dist, buffer=0, thread=None):
        """Stores a lane's registers."""
        if is_first(dist, thread):
            self._put(values, dist, buffer, thread)

    def _put(self, values, dist, buffer, thread):
        WIDTH = self.width(dist)
        memory = self.words(WIDTH)
        pieces = al.view(values, al.Tensor((dist.elements // WIDTH, memory.shape[1]), memory.dtype))
        for index, slots, contiguous in self.accesses(dist, thread, buffer):
            if contiguous:
                memory[index] = pieces[slots[0] // WIDTH]
            else:
                some = al.make_local((WIDTH,), self.dtype)
                for i in range(WIDTH):
                    some[i] = values[slots[i]]
                memory[index] = al.view(some, al.Tensor((memory.shape[1],), memory.dtype))

    # -- loads ---------------------------------------------------------------------------------------------------------

    def reads(self, dist):
        """Count of accesses of a load of a distribution, the unit of `begin` and `end` of `load_into`."""
        M = vectorize.matrices(dist, self.axis, self.dtype.bytes, al.target().name)
        return dist.elements // self.width(dist) if M is None else M.rows.elements * self.dtype.bytes // WIDEST

    def load(self, dist, buffer=0, thread=None):
        """A tile in a distribution. All lanes of a wave call it together."""
        tile = DistributedTile(al.make_local((dist.elements,), self.dtype), dist, thread)
        self.load_into(tile.values, dist, buffer, 0, None, thread)
        return tile

    def load_into(self, values, dist, buffer=0, begin=0, end=None, thread=None):
        """Loads into registers; of the lane's accesses, in the order of its registers, those from `begin` to before
        `end` only, if given."""
        M, COUNT = vectorize.matrices(dist, self.axis, self.dtype.bytes, al.target().name), self.reads(dist)
        END = COUNT if end is None else end
        if M is None:
            self._get(values, (0, COUNT), dist, buffer, begin, END, thread)
        else:
            self._get_matrices(values, (0, COUNT), M, buffer, begin, END, thread)

    def load_part(self, values, dist, part, parts, buffer=0, thread=None):
        """Loads one of `parts` equal parts of a lane's registers into `values`, which holds just that."""
        M = vectorize.matrices(dist, self.axis, self.dtype.bytes, al.target().name, parts)
        if M is None:
            EACH = self.reads(dist) // parts
            self._get(values, (part * EACH, EACH), dist, buffer, part * EACH, part * EACH + EACH, thread)
        else:
            EACH = M.rows.elements * self.dtype.bytes // WIDEST // parts
            self._get_matrices(values, (part * EACH, EACH), M, buffer, part * EACH, part * EACH + EACH, thread)

    # `held`: the first access that `values` holds, and how many it holds.

    def _get(self, values, held, dist, buffer, begin, end, thread):
        WIDTH, found = self.width(dist), self.accesses(dist, thread, buffer)
        memory = self.words(WIDTH)
        flat = al.view(values, al.Tensor((held[1] * WIDTH,), self.dtype))
        pieces = al.view(values, al.Tensor((held[1], memory.shape[1]), memory.dtype))
        for index, slots, contiguous in found[begin:end]:
            if contiguous:
                pieces[slots[0] // WIDTH - held[0]] = memory[index]
            else:
                some = memory[index]
                each = al.view(some, al.Tensor((WIDTH,), self.dtype))
                for i in range(WIDTH):
                    flat[slots[i] - held[0] * WIDTH] = each[i]

    def _get_matrices(self, values, held, M, buffer, begin, end, thread):
        PLAN, VECTORS = self.plan(M.rows), vectorize.vectors(M.rows, self.axis, WIDEST // self.dtype.bytes)
        pieces, first, at = (
            al.view(values, al.Tensor((held[1], M.each), al.i32)), self.first(M.rows, thread),
            thread_coord(M.rows, thread)
        )
        for i in range(begin, end):
            if len(PLAN) > 0:
                row = self.piece(first, PLAN[i], WIDEST, buffer)
            else:
                step = VECTORS[i].at
                row = self.piece(self.byte((at[0] + step[0], at[1] + step[1])), vectorize.AT_BASE, WIDEST, buffer)
            pieces[i - held[0]] = load_matrices(row, M.each, M.turned)


Shared = SharedTile  # the public name


@avelang.jit
def load_matrices(row, each, turned):
    """Words of 1, 2 or 4 matrices of 8 rows of 16 bytes, of which each lane names one."""
    if each == 4:
        return al.nvvm.ldmatrix_m8n8_x4_b16_trans(row) if turned else al.nvvm.ldmatrix_m8n8_x4_b16(row)
    if each == 2:
        return al.nvvm.ldmatrix_m8n8_x2_b16_trans(row) if turned else al.nvvm.ldmatrix_m8n8_x2_b16(row)
    return al.nvvm.ldmatrix_m8n8_x1_b16_trans(row) if turned else al.nvvm.ldmatrix_m8n8_x1_b16(row)


@avelang.jit
def shared(shape, dtype, buffers=1, dists=(), turned=(), slot=None):
    """Shared memory for so many tiles, swizzled for accesses in these distributions. `turned`: distributions in which
    `turned` is accessed. `slot`: of scratch memory (`al.make_scratch`), if it is to be that."""
    STRIDES = (shape[1] * dtype.bytes, dtype.bytes)
    SWIZZLE = vectorize.swizzle_for(dists, STRIDES, al.target().name, turned)
    SIZE = (buffers, shape[0] * shape[1])
    memory = al.make_shared(SIZE, dtype, 128) if slot is None else al.make_scratch(SIZE, dtype, slot)
    return SharedTile(memory, shape, SWIZZLE)


@avelang.jit
def spread(tile, dist):
    """Moves a tile to another distribution, through shared memory. All lanes of the block call it."""
    dist = check_shape(dist, flat(tile.shape), al.target().wave)
    memory = shared(tile.shape, tile.dtype, 1, (tile.dist, dist))
    memory.store(tile)
    al.syncthreads()
    moved = memory.load(dist)
    al.syncthreads()  # the next one may use the same memory
    return moved
