"""Rows of a matrix taken through an array of their numbers: a view like others for the pipelines that load through
registers or by `cp.async`.

A lane asks for the numbers of its rows once for a window, and keeps them in registers while the window moves along
them. Hopper's TMA has no load of scattered rows (Blackwell's has, `tile::gather4`: PTX ISA,
cp.async.bulk.tensor), so the pipeline "tma" does not take such a view."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.tile.tensors import DistributedTile, is_first, thread_coord
from avelang.tile.views import expect_vector
from avelang.tile.windows import BEYOND, WORD, copy_vectors, load_vector, load_words

OUT_OF_REACH = "a matrix of 2 GiB at most where rows are taken through an index: AMD's offsets reach no further"
NOWHERE = 0xFFFFFFFF  # the number of no row


@avelang.struct
class Gathered:
    """Row r is row `index[r]` of `data`, (rows, columns); one of zeros where that is none of them. `shape`, `vector`:
    as of a `TensorView`."""

    data: ...
    index: ...
    shape: ...
    vector: al.constexpr = 1

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self.data.dtype

    def cut(self, shape):
        """This view with smaller extents."""
        return Gathered(self.data, self.index, shape, self.vector)

    def window(self, lengths, origin):
        """A tile of these extents at `origin`."""
        return GatheredWindow(self, lengths, tuple([al.convert(x, al.u32) for x in origin]))


@avelang.jit
def gathered(memory, shape, index, rows, vector=1):
    """A view (rows, columns) of a pointer to a matrix of this shape; `index`: a pointer to `rows` numbers of its rows,
    i32. `vector`: of `view`."""
    expect_vector(vector, (rows, shape[1]), ())
    layout = al.make_layout(shape, (shape[1] // vector * vector, 1))
    return Gathered(al.make_tensor(memory, memory.dtype, layout), index, (rows, shape[1]), vector)


@avelang.struct
class GatheredWindow:
    """A tile of it. `dist`: how lanes share it; `numbers`: in `data`, of the rows of a lane's vectors, u32; `resource`:
    of all rows, on AMD."""

    view: ...
    lengths: al.constexpr
    origin: ...
    dist: al.constexpr = None
    numbers: ... = None
    resource: ... = None

    def __post_init__(self):
        if self.dist is not None:
            self.numbers = self.look_up()
            if self.uses_buffer():
                data, size = self.view.data, self.view.dtype.bytes
                al.expect(data.shape[0] <= ((1 << 31) - 1) // size // max(data.strides[0], 1), OUT_OF_REACH,
                          data.shape[0])
                self.resource = al.amdgpu.make_rsrc(
                    self.view.data, self.view.data.shape[0] * self.view.data.strides[0] * self.view.dtype.bytes
                )

    def spread(self, dist):
        """The same window with a distribution; its extents are the distribution's."""
        return GatheredWindow(self.view, dist.shape, self.origin, dist)

    def starts_inside(self):
        """This window: its rows may lie anywhere, so that nothing is gained (see `Window.starts_inside`)."""
        return self

    def move(self, by):
        """Moves the window along its rows."""
        assert by[0] == 0, "a window of gathered rows moves along them"
        self.origin = self.origin[0], self.origin[1] + by[1]

    def width(self):
        """Elements that a lane may access at once."""
        return vectorize.widest(self.dist, 1, self.view.dtype.bytes, self.view.vector)

    def plan(self):
        """The lane's vectors, by compile-time steps from its first element."""
        return vectorize.vectors(self.dist, 1, self.width())

    def uses_buffer(self):
        """True where AMD's range check of buffers guards the edges."""
        return al.target().vendor == "amd" and self.width() * self.view.dtype.bytes % WORD == 0

    def row_bounded(self):
        """False: loads to LDS cannot gather rows (see `Window.row_bounded`)."""
        return False

    def look_up(self):
        """The numbers of the lane's rows, one for each of its vectors."""
        rows, PLAN = self.view.shape[0], self.plan()
        first, found = self.origin[0] + thread_coord(self.dist)[0], al.make_local((len(PLAN),), al.u32)
        for i in range(len(PLAN)):
            row = first + PLAN[i].at[0]
            number = al.convert(self.view.index[al.select(row < rows, row, 0)], al.u32)
            there = al.select(row < rows, number < self.view.data.shape[0], False)
            found[i] = al.select(there, number, NOWHERE)
        return found

    def load(self):
        """The tile, zeros outside of the view."""
        tile = DistributedTile(al.make_local((self.dist.elements,), self.view.dtype), self.dist)
        self.load_values(tile.values)
        return tile

    def load_into(self, tile):
        """Loads into the registers of a tile of this distribution."""
        self.load_values(tile.values)

    def load_values(self, values):
        """Loads into a lane's registers."""
        WIDTH, PLAN = self.width(), self.plan()
        for i in range(len(PLAN)):
            some = self.loaded(i)
            for e in range(WIDTH):
                values[PLAN[i].slots[e]] = some[e]

    def loaded(self, i):
        """One of the lane's vectors."""
        WIDTH, size = self.width(), self.view.dtype.bytes
        where, inside = self.memory_coords(i)
        if self.uses_buffer():
            # What the window does not move is apart: computed once.
            row = al.select(where[0] != NOWHERE, where[0] * self.view.data.strides[0] * size, BEYOND)
            offset = al.select(where[1] < self.view.shape[1], row + where[1] * size, BEYOND)
            words = load_words(self.resource, al.convert(offset, al.i32), al.convert(0, al.i32), WIDTH * size // WORD)
            return al.view(words, al.Tensor((WIDTH,), self.view.dtype))
        some = al.full((WIDTH,), 0, self.view.dtype)
        if inside:
            some = load_vector(self.view.data, where, WIDTH)
        return some

    def memory_coords(self, i):
        """Row and column in memory of one of the lane's vectors, and whether it is inside."""
        col, number = self.origin[1] + thread_coord(self.dist)[1] + self.plan()[i].at[1], self.numbers[i]
        return (number, col), al.select(col < self.view.shape[1], number != NOWHERE, False)

    def load_async(self, memory, buffer=0, whole=False):
        """Begins a copy of the tile into a buffer of `memory` (`Shared`), by cp.async where vectors have 4 bytes or
        more. Else at once, through registers: AMD's loads to LDS put what lanes ask for side by side, and those are
        rows of which a lane does not know the numbers."""
        if al.target().has("sm_80") and self.width() * self.view.dtype.bytes >= WORD:
            if is_first(self.dist):
                self._copy_async(memory, buffer)
        else:
            memory.store(self.load(), buffer)

    def loads_into(self, memory):
        """Loads to LDS that a copy takes each wave."""
        return 0

    def _copy_async(self, memory, buffer):
        WIDTH, PLAN, col = self.width(), self.plan(), self.origin[1] + thread_coord(self.dist)[1]

        def source(i):
            # A row of its own, and what all rows of the lane share of the column: only that changes as the window
            # moves.
            number, step = self.numbers[i], PLAN[i].at[1]
            there, reach = number != NOWHERE, al.convert(step + WIDTH, al.u32)
            row = al.subview(self.view.data, (al.select(there, number, 0), 0), (1, reach), (1, 1))
            mine = al.subview(row, (0, col), (1, reach), (1, 1))
            return al.subview(mine, (0, step), (1, WIDTH), (1, 1)), al.select(col + step < self.view.shape[1], there,
                                                                              False)

        copy_vectors(self.dist, PLAN, WIDTH, source, memory, buffer)
