"""Two matrices of any size and storage order come in; C = A @ B^T goes out: a pipelined product for AMD's MI300
(gfx942) and its neighbors.

A workgroup makes a tile of C and goes along K in steps of 128 bytes (64 elements of 16 bits), each of two halves.
Shared memory has two slots, one for either half. While one half is multiplied, fragments of the next are read from the
other slot, the half after that is written to the slot that everybody has read, and global memory is asked for the same
half of the step after the next. One barrier a half keeps readers and writers of a slot apart. What reads, writes and
loads is spread over the products. Edges cost nothing: what is past the last row or column of a matrix is past the range
of a buffer, where loads give zeros and stores do nothing.

Where tiles do not fill the GPU, K is split or streamed: blocks that share a tile leave their sums in a workspace, and
the last to come adds them up in the order of K. Tile, split and order of tiles are chosen by a model (`mi300_rule`)."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import Want, argument_error, takes
from avelang.pipelines.epilogue import BufferEpilogue, lane_anew
from avelang.pipelines.fixup import BlockWorkspace
from avelang.pipelines.lds import lds_mainloop
from avelang.pipelines.scheduler import SplitKScheduler, StreamKScheduler, TileScheduler, xcd_remap
from avelang.pipelines.scheduling import DS_READ, DS_WRITE, VMEM_READ, spread
from avelang_kernels.activations import ACTIVATIONS, Activation
from avelang_kernels.arrays import Matrix, Vector, copied, new
from avelang_kernels.matmul.lines import line_up
from avelang_kernels.matmul.mi300_places import OUT_OF_RANGE, dtype_of_bias, dtypes, name_of, placed
from avelang_kernels.matmul.mi300_rule import choose
from avelang_kernels.matmul.mi300_tiles import (
    CHUNK_BYTES,
    CHUNKS,
    HALF_BYTES,
    LANES,
    LARGE,
    MFMA_SIDE,
    SMALL,
    STEP_BYTES,
    STREAM,
    GemmPlace,
    Mi300Tile,
    blocks_of,
    slots_of,
)
from avelang_kernels.workspaces import workspace_for

STEP, HALF, CHUNK = 64, 32, 8  # elements of K, of 16 bits: of a step, of a slot, of what a lane moves at once
WORD = 4  # bytes
TILES = SMALL, LARGE  # two that fill a compute unit
GROUP_M = 8  # rows of tiles that are gone through together
RUN = 8  # rows that a lane moves at once, of an operand whose rows are neighbors in memory
PAIRS = HALF // 2  # pairs along K in a half of such an operand
TOGETHER = LANES // PAIRS  # neighboring lanes that load neighbors
Tile = Mi300Tile


# -- places ------------------------------------------------------------------------------------------------------------


@avelang.jit
def swizzle(row: Any, chunk: Any):
    """Place of a chunk in its row of a slot. The eight lanes that LDS serves at once then meet all banks, be it along
    rows or down columns."""
    return chunk ^ ((row >> 1) & 3)


@avelang.jit
def place_in_slot(row: Any, chunk: Any):
    """Row and chunk of a slot in which a chunk of a row stands of which pairs along K are written one by one: 32 lanes
    write two chunks of four rows, each eight further; these stand in either half of the banks, and exchange chunks by
    two."""
    return row ^ ((row >> 3) & 1), swizzle(row, chunk) ^ ((row >> 3) & 2)


# -- operands ----------------------------------------------------------------------------------------------------------


@avelang.struct
class Operand:
    """A or B as the lanes of a block bring it: `x`, rows of the tile and their part of K; `buffer`, its resource;
    `stage`, what a lane has got: (halves, loads, words); `at`: (halves, loads, pieces), byte offsets of what it asks
    for next; `slots`: shared memory, (halves, rows, CHUNKS, words). EACH: elements that a lane may load at once.

    TURNED False: elements of a row are neighbors; a lane moves eight (of 16 bits) of a row at once. True: rows are
    neighbors; a lane loads eight rows of two neighbors along K and puts them in pairs, which it writes one by one."""

    x: ...
    buffer: ...
    stage: ...
    at: ...
    slots: ...
    t: ...
    THREADS: al.constexpr
    EACH: al.constexpr
    TURNED: al.constexpr

    def rows_a_pass(self):
        """Rows that all lanes load at once, in one load or two."""
        return self.THREADS // PAIRS * RUN if self.TURNED else self.THREADS // CHUNKS

    def place(self):
        """First row of a tile that this lane loads, and its place along K in a half."""
        t = self.t
        if self.TURNED:
            return t // LANES * (TOGETHER * RUN) + t % TOGETHER * RUN, t % LANES // TOGETHER * 2
        return t // CHUNKS, t % CHUNKS * (CHUNK_BYTES // self.x.dtype.bytes)

    def offsets(self, step: Any, half: Any):
        """Byte offsets of a lane's pieces of a half of a step, to be asked for one step after another. Past the end of
        a line the next one begins: a piece that would be there is sent out of range."""
        SIZE, (rows, k), EACH = self.x.dtype.bytes, self.x.shape, self.EACH
        HALF, STEP, (row, col) = HALF_BYTES // SIZE, STEP_BYTES // SIZE, self.place()
        for piece in range(self.at.shape[2]):
            for p in range(self.at.shape[1]):
                if not self.TURNED:
                    inside = step * STEP + half * HALF + col + piece * EACH < k
                    offset = ((row + p * self.rows_a_pass()) * self.x.strides[0] + col + step * STEP) * SIZE
                    self.at[half, p, piece] = al.select(inside, offset, OUT_OF_RANGE)
                elif isinstance(step, int):
                    line, ld = row + p // 2 * self.rows_a_pass(), self.x.strides[1]
                    offset = ((half * HALF + col + p % 2) * ld + line) * SIZE
                    self.at[half, p, piece] = al.select(line + piece * EACH < rows, offset, OUT_OF_RANGE)
                else:  # lines past the last one are past the range
                    self.at[half, p, piece] += self.x.strides[1] * (STEP * SIZE)

    def load(self, step: Any, half: Any):
        """Asks for what a lane brings of a half."""
        for p in range(self.stage.shape[1]):
            if self.EACH * self.x.dtype.bytes < WORD:
                self.load_elements(step, half, p)
            else:
                self.load_pieces(half, p)

    def load_pieces(self, half: Any, p: Any):
        """A chunk of a line, as four words."""
        SIZE, PIECES, EACH = self.x.dtype.bytes, self.at.shape[2], self.EACH
        pieces = al.view(self.stage, al.Tensor((2, self.stage.shape[1], PIECES, EACH * SIZE // WORD), al.i32))
        for piece in range(PIECES):
            inner = piece * EACH * SIZE + (0 if self.TURNED else half * HALF_BYTES)
            offset = al.convert(self.at[half, p, piece] + inner, al.i32)
            if EACH * SIZE == 16:
                pieces[half, p, piece] = al.amdgpu.raw_buffer_load_x4(self.buffer, offset, 0, 0)
            elif EACH * SIZE == 8:
                pieces[half, p, piece] = al.amdgpu.raw_buffer_load_x2(self.buffer, offset, 0, 0)
            else:
                pieces[half, p, piece] = al.amdgpu.raw_buffer_load_x1(self.buffer, offset, 0, 0)

    def load_elements(self, step: Any, half: Any, p: Any):
        """The same one by one, for lines that may begin in the middle of a word."""
        x, SIZE, (row, col) = self.x, self.x.dtype.bytes, self.place()
        COUNT = CHUNK_BYTES // SIZE
        elements = al.view(self.stage, al.Tensor((2, self.stage.shape[1], COUNT), x.dtype))
        col = step * (STEP_BYTES // SIZE) + half * (HALF_BYTES // SIZE) + col
        for e in range(COUNT):
            if self.TURNED:
                i, j = row + p // 2 * self.rows_a_pass() + e, col + p % 2
            else:
                i, j = row + p * self.rows_a_pass(), col + e
            element = al.convert(0.0, x.dtype) if x.dtype.is_float else al.convert(0, x.dtype)
            if i < x.shape[0] and j < x.shape[1]:
                element = x[i, j]
            elements[half, p, e] = element

    def store(self, half: Any):
        """Writes what a lane has got of a half to shared memory."""
        (row, col), ROWS = self.place(), self.rows_a_pass()
        if self.TURNED:
            WORDS, SLOT, PICKS = CHUNKS * 4, self.slots.shape[1] * CHUNKS * 4, (0x05040100, 0x07060302)
            words = al.view(self.slots, al.Tensor((2 * SLOT,), al.i32))
            for p in range(self.stage.shape[1] // 2):
                for pair in range(RUN // 2):
                    # Rows of a pair have chunks at the same places.
                    chunk = swizzle(2 * pair, col // (CHUNK_BYTES // 2)) ^ ((row >> 3) & 2)
                    first = (row + ((row >> 3) & 1)) * WORDS + chunk * 4 + col // 2 % 4
                    low, high = self.stage[half, 2 * p, pair], self.stage[half, 2 * p + 1, pair]
                    for j in range(2):
                        at = half * SLOT + (p * ROWS + 2 * pair) * WORDS
                        line = al.subview(words, (first ^ WORDS if j == 1 else first,), (at + 1,), (1,))
                        al.subview(line, (at,), (1,), (1,))[0] = al.amdgpu.perm(high, low, PICKS[j])
        else:
            place = swizzle(row, self.t % CHUNKS)
            for p in range(self.stage.shape[1]):
                self.slots[half, row + p * ROWS, place] = self.stage[half, p]

    def fragments(self, into: Any, half: Any, row: Any, first: Any, last: Any):
        """Reads fragments of a half, from a row of the tile on: of its row, a lane gets 16 neighboring bytes along
        K."""
        lane, chunk = self.t % MFMA_SIDE, self.t % LANES // MFMA_SIDE
        place = swizzle(lane, chunk)
        for i in range(first, last):
            if self.TURNED:  # every second fragment is 32 rows further, at the same places in its row
                line, at = place_in_slot(row + i % 2 * MFMA_SIDE + lane, chunk)
                into[i] = self.slots[half, line + i // 2 * (2 * MFMA_SIDE), at]
            else:
                into[i] = self.slots[half, row + lane + i * MFMA_SIDE, place]

    def writes(self):
        """Instructions that write a half to shared memory."""
        return self.stage.shape[1] * (RUN // 2 if self.TURNED else 1)


@avelang.jit
def operand(x: Any, t: Any, ROWS: Any, THREADS: Any, EACH: Any, TURNED: Any):
    """An operand of which a tile has so many rows; `t`: number of the thread."""
    SIZE, (rows, k) = x.dtype.bytes, x.shape
    A_PASS = THREADS // PAIRS * RUN if TURNED else THREADS // CHUNKS
    PASSES = (ROWS + A_PASS - 1) // A_PASS
    SLOT, LOADS = PASSES * A_PASS, PASSES * (2 if TURNED else 1)
    held = al.select(k > 0, k * x.strides[1] - (x.strides[1] - rows), 0) if TURNED else rows * x.strides[0]
    buffer = al.amdgpu.make_rsrc(x, held * SIZE)
    slots = al.make_shared((2, SLOT, CHUNKS, 4), al.i32)
    stage = al.make_local((2, LOADS, 4), al.i32)
    at = al.make_local((2, LOADS, CHUNK_BYTES // SIZE // EACH), al.u32)
    return Operand(x, buffer, stage, at, slots, t, THREADS, EACH, TURNED)


@avelang.jit
def ask(operands: Any, step: Any, half: Any):
    """Asks global memory for what a lane brings of a half of a step. Steps past the last one are asked for as well, in
    vain: nothing of them is inside."""
    for x in operands:
        x.offsets(step, half)
    for x in operands:
        x.load(step, half)


@avelang.constant
def mfma_parts(DTYPE: Any, target: Any):
    """Instructions that multiply 64 bytes of K: those of gfx950 take 16 bytes a lane, the others 8."""
    return 1 if target.has("mfma-gfx950") and (DTYPE.bytes == 2 or DTYPE.is_int) else 2


@avelang.jit
def mfma(b: Any, a: Any, acc: Any, DTYPE: Any, PARTS: Any):
    """acc + a @ b^T of fragments of 16 rows, by the instruction of a dtype. B comes first: a lane then has four
    neighbors of a row of C."""
    if al.bf16 == DTYPE:
        if PARTS == 1:
            return al.amdgpu.mfma_16x16x32_bf16_f32(b, a, acc)
        return al.amdgpu.mfma_16x16x16_bf16_f32(b, a, acc)
    if al.f16 == DTYPE:
        if PARTS == 1:
            return al.amdgpu.mfma_16x16x32_f16_f32(b, a, acc)
        return al.amdgpu.mfma_16x16x16_f16_f32(b, a, acc)
    if al.i8 == DTYPE:
        if PARTS == 1:
            return al.amdgpu.mfma_i32_16x16x64_i8(b, a, acc)
        return al.amdgpu.mfma_i32_16x16x32_i8(b, a, acc)
    if DTYPE in (al.f8e5m2, al.f8e5m2fnuz):
        return al.amdgpu.mfma_f32_16x16x32_bf8_bf8(b, a, acc)
    return al.amdgpu.mfma_f32_16x16x32_fp8_fp8(b, a, acc)


@avelang.jit
def multiply(acc: Any, a: Any, b: Any, first: Any, last: Any, DTYPE: Any):
    """Adds the products of some fragments of A with all of B."""
    PARTS = mfma_parts(DTYPE, al.target())
    a_parts = al.view(a, al.Tensor((a.shape[0], PARTS, 4 // PARTS), al.i32))
    b_parts = al.view(b, al.Tensor((b.shape[0], PARTS, 4 // PARTS), al.i32))
    for part in range(PARTS):
        for i in range(first, last):
            for j in range(b.shape[0]):
                acc[i, j] = mfma(b_parts[j, part], a_parts[i, part], acc[i, j], DTYPE, PARTS)


@avelang.jit
def product(acc: Any, a: Any, b: Any, t: Any, wave_row: Any, wave_col: Any, T: Any, EACH: Any, TURNED: Any):
    """Adds a wave's part of A @ B^T. `a`, `b`: the rows that make the tile. `EACH`, `TURNED`: of each, as of
    `Operand`. Returns the shared memory of A, which is free behind the next barrier."""
    M, N, WAVES_M, WAVES_N, EARLY = T
    I, J, SIZE, THREADS = acc.shape[0], acc.shape[1], a.dtype.bytes, LANES * WAVES_M * WAVES_N
    k, DTYPE = a.shape[1], a.dtype
    A, B = operand(a, t, M, THREADS, EACH[0], TURNED[0]), operand(b, t, N, THREADS, EACH[1], TURNED[1])
    a_part, b_sets = al.make_local((I, 4), al.i32), (al.make_local((J, 4), al.i32), al.make_local((J, 4), al.i32))
    first, last = al.convert(0, al.u32), (max(k, 1) - 1) // (STEP_BYTES // SIZE)

    for half in range(2):
        ask((A, B), 0, half)
    for half in range(2):
        A.store(half)
        B.store(half)
    for half in range(2):
        ask((A, B), first + 1, half)
    al.syncthreads()
    B.fragments(b_sets[0], 0, wave_col, 0, J)
    A.fragments(a_part, 0, wave_row, 0, EARLY)

    def first_part(step: Any, half: Any):
        A.fragments(a_part, half, wave_row, EARLY, I)

    def second_part(step: Any, half: Any):
        B.fragments(b_sets[1 - half], 1 - half, wave_col, 0, J)
        A.fragments(a_part, 1 - half, wave_row, 0, EARLY)
        A.store(half)
        B.store(half)
        ask((A, B), step + 2, half)  # a whole step before it is stored

    def products(half: Any, begin: Any, end: Any):
        multiply(acc, a_part, b_sets[half], begin, end, DTYPE)

    ROW, WIDE = mfma_parts(DTYPE, al.target()) * J, min(EACH[0], EACH[1]) * SIZE == CHUNK_BYTES
    LOADS = A.stage.shape[1] + B.stage.shape[1] if WIDE else 0
    BEFORE = spread(EARLY * ROW, (DS_READ, I - EARLY))
    AFTER = spread((I - EARLY) * ROW, (DS_READ, J + EARLY), (DS_WRITE, A.writes() + B.writes()), (VMEM_READ, LOADS))
    lds_mainloop(last + 1, 2, I, EARLY, first_part, second_part, products, al.syncthreads, BEFORE, (AFTER, AFTER))
    return A.slots


# -- blocks ------------------------------------------------------------------------------------------------------------


@avelang.struct
class Sizes:
    """Extents of a product, and how far lines of A, B and C are apart in memory."""

    m: ...
    n: ...
    k: ...
    lda: ...
    ldb: ...
    ldc: ...


@avelang.jit
def matrix(pointer: Any, rows: Any, k: Any, ld: Any, TURNED: Any):
    """An operand in memory."""
    return al.make_tensor(pointer, pointer.dtype, al.make_layout((rows, k), (1, ld) if TURNED else (ld, 1)))


@avelang.jit
def one_tile(
    operands: Any, c: Any, work: Any, T: Any, EACH: Any, WIDE: Any, TURNED: Any, workspace: Any, finish: Any,
    MANY: Any = False,
):  # fmt: skip
    """Makes a work tile, or this block's part of one, for which there is a workspace: pointers to sums and counters.
    `finish`: bias and activation. MANY: of several of the block's."""
    M, N, WAVES_M, WAVES_N, _ = T
    (top, left), (begin, end) = work.at, work.k
    if workspace is not None:  # LLVM computes them in vector registers, from which no resource may come
        begin, end = al.amdgpu.readfirstlane(begin), al.amdgpu.readfirstlane(end)
    a, b = operands
    rows, cols, n = min(c.shape[0] - top, M), min(c.shape[1] - left, N), c.shape[1]
    a, b = al.subview(a, (top, begin), (rows, end - begin)), al.subview(b, (left, begin), (cols, end - begin))
    wave, WAVE_M, WAVE_N = al.thread_id(0) // LANES, M // WAVES_M, N // WAVES_N
    lane = lane_anew() if MANY else al.thread_id(0) % LANES
    wave_row, wave_col = wave // WAVES_N * WAVE_M, wave % WAVES_N * WAVE_N
    KIND = al.i32 if a.dtype == al.i8 else al.f32
    acc = al.full((WAVE_M // MFMA_SIDE, WAVE_N // MFMA_SIDE, 4), 0 if al.i32 == KIND else 0.0, KIND)
    slots = product(acc, a, b, wave * LANES + lane, wave_row, wave_col, T, EACH, TURNED)
    complete = work.whole
    if workspace is not None:
        if not complete:
            # One more word of shared memory would be one block less on a unit.
            free = al.view(slots, al.Tensor((slots.shape[0] * slots.shape[1] * CHUNKS * 4,), al.u32))
            partials, counters = workspace
            shared = BlockWorkspace(partials, counters, LANES * WAVES_M * WAVES_N, al.subview(free, (0,), (1,), (1,)))
            vectors = al.view(acc, al.Tensor((acc.shape[0] * acc.shape[1], 4), KIND))
            complete = shared.fixup(vectors, work.peers)
    if complete:
        epilogue = BufferEpilogue(al.subview(c, (top, 0), (rows, n)), WIDE, finish[0], finish[1])
        epilogue.store(acc, wave_row, left + wave_col, lane_anew() if MANY else lane)


@avelang.jit
def tiles(
    operands: Any, c: Any, s: Any, T: Any, EACH: Any, WIDE: Any, TURNED: Any, SPLIT: Any, GROUP_M: Any, DIES: Any,
    partials: Any, counters: Any, finish: Any,
):  # fmt: skip
    """Makes the tile of this block, its part of one, or its run of a stream."""
    M, N, WAVES_M, WAVES_N, _ = T
    STEP, THREADS = STEP_BYTES // operands[0].dtype.bytes, LANES * WAVES_M * WAVES_N
    XCDS = al.target().dies if DIES == 0 else DIES
    al.expect_threads(THREADS, exact=True)
    for i in range(2):
        al.expect((operands[i].shape[0] if TURNED[i] else s.k) % EACH[i] == 0,
                  "lines of A and B to be multiples of EACH", s.k)
    al.expect(s.n % 4 == 0 if WIDE else True, "n to be a multiple of 4 where WIDE", s.n)
    scheduler = TileScheduler(s.m, s.n, s.k, M, N, GROUP_M=GROUP_M)
    block, TILES = al.block_id(0), scheduler.count()
    if SPLIT == STREAM:
        runs, workspace = al.grid_dim(0), (partials, counters)
        stream = StreamKScheduler(scheduler, runs, (s.k + STEP - 1) // STEP, STEP, number=xcd_remap(block, runs, XCDS))
        first, end, stride = stream.span()
        for index in al.range(first, end, stride):
            al.syncthreads()  # all have read what the tile before had in shared memory
            one_tile(operands, c, stream.work_tile(index, 0, 0), T, EACH, WIDE, TURNED, workspace, finish, True)
    else:
        al.expect(al.grid_dim(0) == TILES * SPLIT, "a block for each part of each tile of C, no more and no less",
                  TILES * SPLIT)
        unit = xcd_remap(block, TILES * SPLIT, XCDS)
        if SPLIT == 1:
            one_tile(operands, c, scheduler.work_tile(unit, 0, 0), T, EACH, WIDE, TURNED, None, finish)
        else:
            # Blocks that run at one time on one die have the same part of K, so far as that goes: they read the same
            # rows.
            unit = unit % TILES * SPLIT + unit // TILES
            work = SplitKScheduler(scheduler, SPLIT, STEP).work_tile(unit, 0, 0)
            one_tile(operands, c, work, T, EACH, WIDE, TURNED, (partials, counters), finish)


@avelang.constant
def both(x: tuple[Any, Any] | bool) -> tuple[Any, Any]:
    """One value for A and one for B."""
    return x if isinstance(x, tuple) else (x, x)


@functools.cache
def build(dtype: Any, out: Any, split: int | str = 1, strided: bool = False, bias: Any = None,
          activation: Any = None) -> Any:  # fmt: skip
    """The kernel for the type of A and B, that of C, and how K is split: in so many parts, or `STREAM`; `strided`:
    lines of A, B and C are `lda`, `ldb`, `ldc` elements apart. `bias`: its dtype; `activation`: of `ACTIVATIONS`. A
    split K takes a workspace: sums of 4 bytes and u32 counters, 0. It is launched with `threads(T)`."""
    SUMS: Any = al.Pointer(al.f32) if split != 1 else al.constexpr
    COUNTERS: Any = al.Pointer(al.u32) if split != 1 else al.constexpr
    LINE: Any = al.u32 if strided else al.constexpr
    BIAS: Any = al.constexpr if bias is None else al.Pointer(bias)
    LAST = ACTIVATIONS[activation]

    @avelang.jit
    def gemm(
        a: al.Pointer[dtype], b: al.Pointer[dtype], c: al.Pointer[out], m: al.u32, n: al.u32, k: al.u32,
        partials: Annotated[Any, SUMS] = None, counters: Annotated[Any, COUNTERS] = None,
        lda: Annotated[Any, LINE] = None, ldb: Annotated[Any, LINE] = None, ldc: Annotated[Any, LINE] = None,
        bias_of: Annotated[Any, BIAS] = None, T: al.constexpr = SMALL, EACH: al.constexpr = CHUNK,
        WIDE: al.constexpr = True, TURNED: al.constexpr = False, SPLIT: al.constexpr = split,
        GROUP: al.constexpr = GROUP_M, DIES: al.constexpr = 0,
    ):  # fmt: skip
        s, sides = Sizes(m, n, k, lda, ldb, ldc) if strided else Sizes(m, n, k, k, k, n), both(TURNED)
        operands = matrix(a, m, k, s.lda, sides[0]), matrix(b, n, k, s.ldb, sides[1])
        added: Any = None if bias is None else al.make_tensor(bias_of, bias, al.make_layout((n,)))
        tiles(operands, matrix(c, m, n, s.ldc, False), s, T, both(EACH), WIDE, sides, SPLIT, GROUP, DIES, partials,
              counters, (added, LAST))

    return gemm


gemm_f32, gemm_bf16 = build(al.bf16, al.f32), build(al.bf16, al.bf16)  # rows without gaps, K in one part


# -- calls -------------------------------------------------------------------------------------------------------------


def threads(tile: Mi300Tile) -> int:
    """Of a workgroup."""
    return LANES * tile.waves_m * tile.waves_n


def best_tile(m: int, n: int, k: int) -> Mi300Tile:
    """The tile that the model chooses for bf16 on an MI300X, whether K is then split or not."""
    return choose(m, n, k).tile


Split = Annotated[Any, Want(lambda x: x is None or x == STREAM or type(x) is int and x > 0,
                            f'None, an int from 1 on, or "{STREAM}"')]  # fmt: skip


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, tile: Tile | GemmPlace | None = None, split: Split = None,
         target: str | None = None, *, bias: Vector | None = None, activation: Activation | None = None,
         **options: Any) -> Any:  # fmt: skip
    """C = activation(A @ B^T + bias), accumulated in f32 (of int8: in i32).

    a: (m, k), b: (n, k), of any size and storage order: rows or columns may be what lies side by side, with any gaps
    between them; of what has neither a copy is made. Both bf16, f16, int8 or the chip's kinds of f8, of NumPy or torch.
    Fastest where what lies side by side comes in multiples of 16 bytes; slow where it does not even come in words.
    out: (m, n), f32, or of the type of a and b where that is bf16 or f16; i32 for int8; made when it is None: f32 or
    i32. `bias`: (n,), of the type of a or f32, without gaps; `activation`: "relu", "silu", "gelu" or "gelu_tanh"; both
    of floats only. `tile`, and `split`: parts of K that different blocks multiply, or "stream": every block gets an
    equal share of all steps along K (stream-K); by default all as `mi300_rule.choose` says, which gives a `GemmPlace`
    that may be given whole. Sums of parts are added in the order of K: the same bits in every run. Launches of one
    stream share a workspace. `target`: the chip, by default that of the arrays' GPU. `options` are those of a launch,
    such as `backend="reference"`. Returns `out`. Raises ValueError for shapes that do not fit one another, and for
    lines that are too long for offsets of 32 bits, TypeError for dtypes."""
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    dtype, to = dtypes(a, b, out)
    result: Any = new(a, (m, n), name_of(to)) if out is None else out
    if tuple(result.shape) != (m, n):
        raise argument_error(f"out is {tuple(result.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    said = dtype_of_bias(bias, dtype, n, activation)
    if 0 in (m, n):
        return result
    from avelang import tile as tiles_level  # takes longer to import than a kernel from the cache

    found = placed(a, b, result, tiles_level.device_of(a, target), tile, split)
    if found is None:
        return by_copies(a, b, result, tile=tile, split=split, target=target, bias=bias, activation=activation,
                         **options)  # fmt: skip
    A, B, C, each, *_, place, wide = found
    slots = slots_of(place, m, n)
    extra: dict[str, Any] = {}
    if slots:
        sums, counters = workspace_for(result, slots, slots * place.tile.m * place.tile.n)
        extra |= {"partials": sums, "counters": counters}
    strided = True in found.turned or not (A.whole and B.whole and C.whole)
    if strided:
        extra |= {"lda": A.ld, "ldb": B.ld, "ldc": C.ld}
    if bias is not None:
        extra["bias_of"] = bias
    kernel = build(dtype, to, place.split, strided, said, activation)[blocks_of(place, m, n), threads(place.tile)]
    kernel(A.data, B.data, C.data, m, n, k, **extra, T=place.tile, EACH=each, WIDE=wide, TURNED=found.turned,
           GROUP=place.group_m, DIES=place.dies, target=target, **options)  # fmt: skip
    return result


def by_copies(a: Any, b: Any, out: Any, **options: Any) -> Any:
    """The product of matrices of which neither rows nor columns lie side by side, or of one-byte elements of which rows
    do not, by copies of those."""

    def straight(x: Any) -> Any:
        lines = line_up(x)
        if lines and not (lines.turned and x.dtype.itemsize == 1):
            return x
        return copied(x)

    one, two = straight(a), straight(b)
    whole = line_up(out)
    made = out if whole and not whole.turned else new(out, tuple(out.shape))
    gemm(one, two, made, **options)
    if made is not out:
        out[...] = made
    return out
