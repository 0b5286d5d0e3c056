"""Epilogues: accumulators of a work tile come in; they are converted, get bias and activation, and go to memory, staged
through shared memory where TMA stores them.

Source of the accumulators' layout: PTX ISA 9.0, 9.7.15.5.1.1, "Register fragments and shared memory matrix layouts", D
of `wgmma.m64nNk16`."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT

STORE_BARRIER = 1  # named barrier of the first consumer; the others' follow


@avelang.jit
def swizzled(chunk, row, CHUNKS):
    """The place of a chunk of 16 bytes in a row of so many, as TMA reads them: chunk c of row r is at c ^ (r % 8) where
    there are 8. Rows of 64 or 32 bytes have patterns of as many bytes: c ^ (r // 2 % 4), c ^ (r // 4 % 2). Rows of an
    odd number of chunks have none: eight of them fall on all banks as they are."""
    if CHUNKS % 2:
        return chunk
    return chunk ^ (row // (8 // CHUNKS) % CHUNKS)


@avelang.jit
def stage_epilogue(staged, acc, warp, lane):
    """Writes a warpgroup's 64 rows of 128 bytes or fewer, or of an odd number of chunks, to `staged` (rows, chunks,
    elements), as of `swizzled`."""
    CHUNKS = staged.shape[1]
    if staged.dtype.bytes == 4:
        for i in range(acc.shape[0] // 2):
            row, chunk = warp * 16 + lane // 4 + i % 2 * 8, i // 2 * 2 + lane % 4 // 2
            two = al.subview(staged, (row, swizzled(chunk, row, CHUNKS), lane % 2 * 2), (1, 1, 2), (1, 1, 1))
            al.view(two, al.Tensor((1, 2), staged.dtype))[0] = al.convert(
                al.subview(acc, (2 * i,), (2,), (1,)), staged.dtype
            )
    else:
        row = warp * 16 + lane % 16
        for i in range(acc.shape[0] // 8):
            words = al.convert(al.subview(acc, (8 * i,), (8,), (1,)), staged.dtype)
            chunk = swizzled(2 * i + lane // 16, row, CHUNKS)
            al.nvvm.stmatrix_m8n8_x4_b16(staged[row, chunk], al.view(words, al.Tensor((4,), al.i32)))
        if acc.shape[0] % 8:  # eight columns are left
            words = al.convert(al.subview(acc, (acc.shape[0] - 4,), (4,), (1,)), staged.dtype)
            al.nvvm.stmatrix_m8n8_x2_b16(staged[row, CHUNKS - 1], al.view(words, al.Tensor((2,), al.i32)))


@avelang.jit
def stage_transposed(staged, acc, warp, lane):
    """Writes a warpgroup's 64 rows, of 16-bit elements, to `staged` (columns, chunks, elements) as columns, swizzled as
    TMA reads them."""
    for i in range(acc.shape[0] // 8):
        words = al.convert(al.subview(acc, (8 * i,), (8,), (1,)), staged.dtype)
        row, chunk = 16 * i + lane // 16 * 8 + lane % 8, 2 * warp + lane // 8 % 2
        al.nvvm.stmatrix_m8n8_x4_b16_trans(staged[row, chunk ^ (row % 8)], al.view(words, al.Tensor((4,), al.i32)))
    if acc.shape[0] % 8:  # eight columns are left
        words = al.convert(al.subview(acc, (acc.shape[0] - 4,), (4,), (1,)), staged.dtype)
        row, chunk = acc.shape[0] * 2 - 8 + lane % 8, 2 * warp + lane // 8 % 2
        al.nvvm.stmatrix_m8n8_x2_b16_trans(staged[row, chunk ^ (row % 8)], al.view(words, al.Tensor((2,), al.i32)))


@avelang.jit
def staging(CONSUMERS, n, dtype):
    """Shared memory in which each consumer stages 128 bytes of its 64 rows: twice, where tiles of n columns have an
    even number of such parts, since each tile begins with the first buffer again."""
    BUFFERS = 1 if n * dtype.bytes // PATTERN % 2 else 2
    return al.make_shared((CONSUMERS, BUFFERS, ROWS, PATTERN // UNIT, UNIT // dtype.bytes), dtype, 1024)


@avelang.jit
def ends_of(work):
    """Behind the last row and column of C that a work tile has: the first ones of those that are past the end."""
    rows = al.select(work.a[1] > work.a[0], work.a[1] - work.a[0], 0)
    cols = al.select(work.b[1] > work.b[0], work.b[1] - work.b[0], 0)
    return work.at[0] + rows, work.at[1] + cols


@avelang.struct
class StagedScales:
    """Scales of the rows and columns of tiles, which a consumer's threads copy to shared memory when a tile begins:
    they are there when its sums are. `factor`: a number; `rows`, `cols`: f32, (count,), or None; `held`: (consumers,
    HIGH rows and the columns of a tile). PINGPONG: each consumer has a whole tile."""

    factor: ...
    rows: ...
    cols: ...
    held: ...
    HIGH: al.constexpr
    PINGPONG: al.constexpr = False

    def begin(self, stage, work, consumer, t):
        """Begins the copies of a tile, by all threads of a consumer: `ready` of `warp_specialized.run`. Those of the
        tile before have been read."""
        WIDE = self.held.shape[1] - self.HIGH
        first = work.at[0] if self.PINGPONG else work.at[0] + consumer * self.HIGH
        al.nvvm.cp_async_wait_all()  # of a tile whose sums others had
        if self.rows is not None:
            self.copy(self.rows, first, consumer, 0, self.HIGH, t)
        if self.cols is not None:
            self.copy(self.cols, work.at[1], consumer, self.HIGH, WIDE, t)

    def copy(self, scales, first, consumer, AT, COUNT, t):
        """Begins the copy of COUNT scales from `first` on to place AT; past the last one, that of the last one."""
        held = al.view(self.held, al.Tensor((self.held.shape[0] * self.held.shape[1], 1), al.f32))
        place = consumer * self.held.shape[1] + AT
        for i in range((COUNT + GROUP - 1) // GROUP):
            at = i * GROUP + t
            if COUNT % GROUP == 0 or at < COUNT:
                source = al.subview(scales, (min(first + at, scales.shape[0] - 1),), (1,), (1,))
                al.nvvm.cp_async_x4(held[place + at], source)

    def wait(self, consumer):
        """Waits for all copies of a tile."""
        al.nvvm.cp_async_wait_all()
        al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)

    def done(self, consumer):
        """Waits until all threads of a consumer have read: copies for the next tile may begin."""
        al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)

    def __call__(self, acc, consumer, block, first, t):
        """Sums of 64 rows, the `block`-th ones of a consumer, from column `first` on, in f32, times their scales."""
        out, two = al.make_local((acc.shape[0],), al.f32), al.make_local((2,), al.f32)
        pairs = al.view(self.held, al.Tensor((self.held.shape[0], self.held.shape[1] // 2, 2), al.f32))
        for h in range(2):
            two[h] = self.factor
            if self.rows is not None:
                two[h] = self.factor * self.held[consumer, block * ROWS + t // 32 * 16 + h * 8 + t % 32 // 4]
        for j in range(acc.shape[0] // 4):
            pair = al.full((2,), 1.0, al.f32)
            if self.cols is not None:
                pair = pairs[consumer, (self.HIGH + first) // 2 + j * 4 + t % 4]
            for i in range(4):
                x = al.convert(acc[4 * j + i], al.f32) * two[i // 2]
                out[4 * j + i] = x * pair[i % 2] if self.cols is not None else x
        return out


@avelang.struct
class TmaEpilogue:
    """Stores a warpgroup's rows by TMA, 128, 64 or 32 bytes of each at a time, or an odd number of times 16. `C`: a
    tensor map; `staged`: of `staging`, or with fewer chunks, or an odd number. `bias`: f32 or narrower, one number a
    column, or None; `activation`: a function of a vector of f32, or None. To be called as the epilogue of
    `warp_specialized.run`, with the accumulators of 64 rows, (n / 2,), or of several times 64, (row blocks, n / 2).

    TRANSPOSED: the work tile is one of C^T, of B A^T that is; `bias` has one number a row of it, `staged` has the
    columns of a piece for rows (consumers, buffers, columns, 8, 8), and elements have 16 bits. PINGPONG: each consumer
    has a whole tile. ADD: what is stored is added to what is there, rounded to the dtype of C first and then again.
    `c`: the memory of C, in vectors of 16 bytes, (rows, vectors, elements): rows past the end of a work tile are not
    written; threads store the 64 rows that have such. Or its elements, (rows, columns) or (batches, rows, columns),
    which begin anywhere: threads store all of them, one by one, and there is no `C`.
    `scales`: a number, and f32 for each row and for each column of the work tiles, (count,) or pairs (count / 2, 2), or
    None for either, by which sums are multiplied first; or None; or `StagedScales`."""

    C: ...
    staged: ...
    bias: ... = None
    activation: ... = None
    TRANSPOSED: al.constexpr = False
    PINGPONG: al.constexpr = False
    ADD: al.constexpr = False
    scales: ... = None
    c: ... = None

    def scaled(self, acc, row, col, t):
        """The sums in f32, times the scales of their rows and columns."""
        factor, rows, cols = self.scales
        out, two = al.make_local((acc.shape[0],), al.f32), al.make_local((2,), al.f32)
        for h in range(2):
            two[h] = factor
            if rows is not None:
                two[h] = factor * self.scale(rows, row + t // 32 * 16 + h * 8 + t % 32 // 4)
        for j in range(acc.shape[0] // 4):
            pair = al.full((2,), 1.0, al.f32)
            if cols is not None:
                if len(cols.shape) == 2:
                    pair = cols[min(col // 2 + j * 4 + t % 4, cols.shape[0] - 1)]
                else:
                    for e in range(2):
                        pair[e] = self.scale(cols, col + j * 8 + t % 4 * 2 + e)
            for i in range(4):
                x = al.convert(acc[4 * j + i], al.f32) * two[i // 2]
                out[4 * j + i] = x * pair[i % 2] if cols is not None else x
        return out

    def scale(self, scales, at):
        """The scale of a row or column; past the last that of the last one."""
        if len(scales.shape) == 2:
            at = min(at, scales.shape[0] * 2 - 1)
            return scales[at // 2, at % 2]
        return scales[min(at, scales.shape[0] - 1)]

    def apply(self, acc, row, col, t):
        """Multiplies by the scales, adds the bias, from column `col` on (TRANSPOSED: `row`), and applies the
        activation."""
        n = row if self.TRANSPOSED else col
        if isinstance(self.scales, tuple):
            acc = self.scaled(acc, row, col, t)
        if self.bias is not None:
            for i in range(acc.shape[0]):
                at = t // 32 * 16 + i // 2 % 2 * 8 + t % 32 // 4 if self.TRANSPOSED else i // 4 * 8 + t % 4 * 2 + i % 2
                acc[i] += al.convert(self.bias[min(n + at, self.bias.shape[0] - 1)], al.f32)
        return acc if self.activation is None else self.activation(acc)

    def __call__(self, acc, work, consumer, t):
        BLOCKS = 1 if len(acc.shape) == 1 else acc.shape[0]
        first = work.at[0] if self.PINGPONG else work.at[0] + consumer * (BLOCKS * ROWS)
        last = ends_of(work)
        if len(acc.shape) == 1:
            self.store(acc, first, work.at[1], consumer, t, 0, 0, 2 * acc.shape[0], work.batch, last)
        else:
            for r in range(BLOCKS):
                row = first + r * ROWS
                self.store(acc[r], row, work.at[1], consumer, t, r, 0, 2 * acc.shape[1], work.batch, last)

    def store_rows(self, buffer, row, col, end, t):
        """Stores the rows before `end` of what is staged in a buffer, of all consumers', 16 bytes a thread."""
        CHUNKS, EACH = self.staged.shape[3], self.staged.shape[4]
        BUFFERS = self.staged.shape[0] * self.staged.shape[1]
        chunks = al.view(self.staged, al.Tensor((BUFFERS * ROWS * CHUNKS, EACH), self.c.dtype))
        for i in range(ROWS * CHUNKS // GROUP):
            r, chunk = (i * GROUP + t) // CHUNKS, (i * GROUP + t) % CHUNKS
            if row + r < end and col // EACH + chunk < self.c.shape[1]:
                found = (buffer * ROWS + r) * CHUNKS + swizzled(chunk, r, CHUNKS)
                self.c[al.convert(row + r, al.u64), col // EACH + chunk] = chunks[found]

    def store_elements(self, buffer, row, col, t, batch):
        """Stores what is staged in a buffer, of all consumers', from `row` and `col` of C on: neighbors by neighboring
        threads."""
        CONSUMERS, BUFFERS, HIGH, CHUNKS, EACH = self.staged.shape
        elements = al.view(self.staged, al.Tensor((CONSUMERS * BUFFERS * HIGH * CHUNKS, EACH), self.c.dtype))
        for i in range(HIGH * CHUNKS * EACH // GROUP):
            r, e = (i * GROUP + t) // (CHUNKS * EACH), (i * GROUP + t) % (CHUNKS * EACH)
            if row + r < self.c.shape[-2] and col + e < self.c.shape[-1]:
                found = (buffer * HIGH + r) * CHUNKS + swizzled(e // EACH, r, CHUNKS)
                y, x = al.convert(row + r, al.u64), al.convert(col + e, al.u64)
                if batch is None:
                    self.c[y, x] = elements[found, e % EACH]
                else:
                    self.c[al.convert(batch[2], al.u64), y, x] = elements[found, e % EACH]

    def width(self):
        """Columns of a tile that are staged at a time."""
        return self.staged.shape[2] if self.TRANSPOSED else self.staged.shape[3] * self.staged.shape[4]

    def stage(self, part, consumer, t, BUFFER):
        """Puts a piece into a buffer, when that is free."""
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group_read(self.staged.shape[1] - 1)
        al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)
        if self.TRANSPOSED:
            stage_transposed(self.staged[consumer, BUFFER], part, t // 32, t % 32)
        else:
            stage_epilogue(self.staged[consumer, BUFFER], part, t // 32, t % 32)
        if self.C is not None:
            al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)

    def send(self, row, col, consumer, t, BUFFER, batch, ends):
        """Stores a piece to C, from `row` and `col` on."""
        first, second = (col, row) if self.TRANSPOSED else (row, col)
        own = consumer * self.staged.shape[1] + BUFFER
        whole = True if self.c is None or self.C is None else row + ROWS <= ends[0]
        if self.C is None:
            self.store_elements(own, first, second, t, batch)
        elif not whole:
            self.store_rows(own, row, col, ends[0], t)
        if t == 0 and self.C is not None:
            if batch is not None:
                al.nvvm.tma_store_3d(self.C, batch[2], first, second, self.staged[consumer, BUFFER])
            elif self.ADD:
                al.nvvm.tma_reduce_add_2d(self.C, first, second, self.staged[consumer, BUFFER])
            elif whole:
                al.nvvm.tma_store_2d(self.C, first, second, self.staged[consumer, BUFFER])

    def store(self, acc, row, col, consumer, t, NUMBER=0, FIRST=0, END=None, batch=None, ends=None):
        """Stores columns FIRST to END of 64 rows, from `row` and `col` of C on, the NUMBER-th ones of a tile. `batch`:
        as of `WorkTile`; `ends`: of rows and columns of C, from which on nothing is staged; with `c` they must be
        given."""
        BUFFERS, WIDTH = self.staged.shape[1], self.width()
        if END is None:
            END = 2 * acc.shape[0]
        STAGED = isinstance(self.scales, StagedScales)
        PARTS = STAGED and self.bias is None  # then only a part's sums in f32 are there at a time
        if STAGED and NUMBER == 0:
            self.scales.wait(consumer)
        if STAGED and not PARTS:
            acc = self.scales(acc, consumer, NUMBER, 0, t)
            if ends is not None:  # perhaps nothing is staged here, and no barrier follows
                self.scales.done(consumer)
        if not PARTS:
            acc = self.apply(acc, row, col, t)
        for p in range(FIRST // WIDTH, END // WIDTH):
            BUFFER = (NUMBER * ((END - FIRST) // WIDTH) + p - FIRST // WIDTH) % BUFFERS
            part = al.subview(acc, (p * WIDTH // 2,), (WIDTH // 2,), (1,))
            if ends is None or (row < ends[0] and col + p * WIDTH < ends[1]):
                if PARTS:
                    part = self.apply(self.scales(part, consumer, NUMBER, p * WIDTH, t), row, col + p * WIDTH, t)
                self.stage(part, consumer, t, BUFFER)
                self.send(row, col + p * WIDTH, consumer, t, BUFFER, batch, ends)
            if t == 0:
                al.nvvm.cp_async_bulk_commit_group()


@avelang.jit
def lane_anew():
    """The lane of its wave, such that LLVM takes it for another number each time: what is computed of it in a loop over
    tiles is not held in registers while a tile's loop over K runs."""
    lane = al.convert(al.thread_id(0) % 64, al.i32)
    return al.convert(al.amdgpu.ds_bpermute(lane * 4, lane), al.u32)


OUT_OF_RANGE = 1 << 31  # an offset, in bytes, that is out of the range of any buffer


@avelang.struct
class BufferEpilogue:
    """Stores a wave's rows by buffer stores of AMD, four neighbors of a row at a time. `c`: a tensor that begins at the
    tile's first row; WIDE: its rows begin where four elements may be stored at once. `bias`, `activation`: as of
    `TmaEpilogue`, of four neighbors."""

    c: ...
    WIDE: al.constexpr
    bias: ... = None
    activation: ... = None

    def apply(self, acc, col):
        """Adds the bias of four columns, and applies the activation."""
        if self.bias is not None:
            for e in range(4):
                acc[e] += al.convert(self.bias[min(col + e, self.bias.shape[0] - 1)], al.f32)
        return acc if self.activation is None else self.activation(acc)

    def store(self, acc, wave_row, wave_col, lane=None):
        """Stores accumulators of MFMA's 16 x 16 blocks (rows, columns, 4), of which a lane has four neighbors of a row.
        What is past the last row or column is out of the buffer's range, and is dropped. `lane`: of its wave, of a
        block that makes several tiles as `lane_anew` has it."""
        lane = al.thread_id(0) % 64 if lane is None else lane
        rows, n, SIZE = self.c.shape[0], self.c.shape[1], self.c.dtype.bytes
        stride = self.c.strides[0]
        buffer = al.amdgpu.make_rsrc(self.c, rows * stride * SIZE)
        zero = al.convert(0, al.i32)
        for i in range(acc.shape[0]):
            for j in range(acc.shape[1]):
                row, col = wave_row + i * 16 + lane % 16, wave_col + j * 16 + lane // 16 * 4
                four = al.convert(self.apply(acc[i, j], col), self.c.dtype)
                if self.WIDE:
                    at = al.convert(al.select(col < n, (row * stride + col) * SIZE, OUT_OF_RANGE), al.i32)
                    words = al.view(four, al.Tensor((SIZE,), al.i32))
                    if SIZE == 4:
                        al.amdgpu.raw_buffer_store_x4(words, buffer, at, zero, 0)
                    else:
                        al.amdgpu.raw_buffer_store_x2(words, buffer, at, zero, 0)
                else:
                    for e in range(4):
                        if row < rows and col + e < n:
                            self.c[row, col + e] = four[e]
