"""The loop over K for products of few rows: windows of A and B and a block's product come in; the tile of C goes out.

B is read once, by one wave, so shared memory would be a detour: its fragments go from global memory, where it lies as
it is, straight into the registers of the instruction, a whole tile of K ahead. Only A, which all waves of the block
need, passes through shared memory, and is stored there in the order of the instruction (that of B's registers is then
memory's). Facts: Hugging Face, "Creating custom kernels for the AMD MI300", shuffles A when it stores it to shared
memory; IREE, "Virtual Dense MFMAs for Skinny GEMM", shuffles B in registers."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.loops as loops
import avelang.tile.loops_async as loops_async
import avelang.tile.vectorize as vectorize
from avelang.pipelines.ring import wait_loads
from avelang.pipelines.scheduling import MFMA, VALU, VMEM_READ, sched_barrier, sched_group, sched_interleave
from avelang.tile.distribution import WORD
from avelang.tile.shared import shared
from avelang.tile.tensors import thread_coord
from avelang.tile.windows import load_vector, load_words


@avelang.struct
class StreamedVectors:
    """A lane's vectors of a window in global memory, for loads of whole tiles: `offsets`, one for each row of
    the plan: bytes from the resource's base, or rows of the tensor (then the last one for rows that are outside);
    `rows`: which of them each vector has."""

    window: ...
    plan: al.constexpr
    rows: al.constexpr
    offsets: ...

    def load(self, pieces, begin, end):
        """The vectors `begin` to before `end`, in the order of the lane's registers, into `pieces` (vectors, words). No
        column is outside."""
        W = self.window
        size, WIDTH = W.view.dtype.bytes, W.width()
        for i in range(begin, end):
            row, col = self.offsets[self.rows[i]], self.plan[i].at[1]
            if W.row_bounded():
                pieces[i] = load_words(W.resource, al.convert(row + col * size, al.i32), al.convert(0, al.i32),
                                       WIDTH * size // WORD)
            else:
                at = W.origin[1] + thread_coord(W.dist, W.thread)[1] + col
                pieces[i] = al.view(load_vector(W.view.data, (row, at), WIDTH),
                                    al.Tensor((pieces.shape[1],), pieces.dtype))

    def move(self, by):
        """Moves on by so many columns."""
        self.window.move((0, by))
        if self.window.row_bounded():
            self.offsets = tuple([x + by * self.window.view.dtype.bytes for x in self.offsets])


@avelang.constant
def rows_of(plan):
    """The rows at which vectors begin, each once, and for each vector which of them it is."""
    rows = tuple(dict.fromkeys(v.at[0] for v in plan))
    return rows, tuple(rows.index(v.at[0]) for v in plan)


@avelang.jit
def streamed_vectors(window):
    """The `StreamedVectors` of a window that has a distribution."""
    PLAN = vectorize.vectors(window.dist, 1, window.width())
    (ROWS, WHICH), at = rows_of(PLAN), thread_coord(window.dist, window.thread)
    data, size = window.view.data, window.view.dtype.bytes
    if window.row_bounded():
        return StreamedVectors(
            window, PLAN, WHICH,
            tuple([((at[0] + window.lead + r) * data.strides[0] + at[1] + window.origin[1]) * size for r in ROWS])
        )
    return StreamedVectors(window, PLAN, WHICH,
                           tuple([min(window.origin[0] + at[0] + r, window.view.shape[0] - 1) for r in ROWS]))


@avelang.struct
class OperandStages:
    """A's tiles of K in flight: `x` has the fragments of the tile that is multiplied (steps, fragments, words); the
    next one is in `held`, in flight from global memory, and goes through one of two buffers of shared memory into `x`,
    step by step as those become free."""

    window: ...
    memory: ...
    held: ...
    x: ...
    G: al.constexpr

    def store_shared(self, values, buffer):
        """Stores a tile to shared memory."""
        self.memory.store_values(values, self.G.stage_a, buffer)

    def fetch(self, values):
        """Begins the loads of a tile."""
        self.window.load_values(values)
        self.window.move((0, self.G.k))

    def read(self, buffer, begin, end):
        """Reads a tile's fragments of some steps."""
        G = self.G
        EACH = self.memory.reads(G.a) // G.steps
        self.memory.load_into(self.x, G.a, buffer, begin * EACH, end * EACH)

    def next_tile(self, buffer):
        """The next tile into `x`, when all of the one that is there has been multiplied."""
        self.store_shared(self.held, buffer)
        self.fetch(self.held)
        al.syncthreads()
        self.read(buffer, 0, self.G.steps)


@avelang.jit
def make_stages(G, window):
    """The first tile in flight into `first`, the second behind it."""
    window = window.spread(G.copy_a)
    memory = shared((G.m, G.k), window.view.dtype, 2, (G.stage_a, G.a))
    first, held = (
        al.make_local((G.copy_a.elements,), window.view.dtype), al.make_local((G.copy_a.elements,), window.view.dtype)
    )
    stages = OperandStages(window, memory, held, al.make_local((G.steps, G.count[0], G.a_words), al.i32), G)
    stages.fetch(first)
    stages.fetch(held)
    return stages, first


@avelang.jit
def begin(stages, first):
    """The first tile into `x`, by buffer 0."""
    stages.store_shared(first, 0)
    al.syncthreads()
    stages.read(0, 0, stages.G.steps)


@avelang.jit
def add(G, acc, stages, y):
    """Adds the products of a tile."""
    for step in range(G.steps):
        block_gemm.multiply(G, acc, stages.x[step], y[step], 0, G.count[0])


@avelang.jit
def tile_and_next(G, lanes, pieces, stages, acc, y, buffer):
    """The product of a tile; each fragment of B is asked for again as soon as it has been multiplied. A's next tile
    comes by a buffer: there is time for it to arrive there before half of the steps are done, and for its fragments
    afterwards."""
    PRODUCTS, MIDDLE = G.count[0] * G.count[1] * G.mma.unroll * len(G.parts), max(1, G.steps // 2)
    FETCHES, EACH = len(stages.window.plan()), len(lanes.plan) // G.steps
    lanes.move(G.k)
    for step in range(G.steps):
        # One wait for all that the step takes: what was asked for behind it may still be in flight.
        wait_loads(len(lanes.plan) - EACH + (FETCHES if step > 0 else 0))
        if step == 0:
            stages.store_shared(stages.held, buffer)
        if step == MIDDLE:
            al.syncthreads()
            stages.read(buffer, 0, step)
        block_gemm.multiply(G, acc, stages.x[step], y[step], 0, G.count[0])
        if step == 0:
            stages.fetch(stages.held)
        lanes.load(pieces, step * EACH, (step + 1) * EACH)
        if step >= MIDDLE:
            stages.read(buffer, step, step + 1)
        sched_group(MFMA, 1)
        if step == 0:
            sched_interleave(VALU, PRODUCTS, 1, 2)
        else:
            sched_interleave(VMEM_READ, EACH, 1)
        sched_barrier()
    if G.steps == 1:
        al.syncthreads()
        stages.read(buffer, 0, 1)


@avelang.jit
def whole_tiles(G, B, stages, first, acc, y, count):
    """The products of `count` tiles of K, all columns of which are inside; the last one is left to do."""
    lanes = streamed_vectors(B)
    pieces = al.view(y, al.Tensor((len(lanes.plan), B.width() * B.view.dtype.bytes // WORD), al.i32))
    lanes.load(pieces, 0, len(lanes.plan))
    begin(stages, first)
    for _ in al.range((count - 1) // 2):
        for buffer in (1, 0):
            tile_and_next(G, lanes, pieces, stages, acc, y, buffer)
    if count % 2 == 0:
        tile_and_next(G, lanes, pieces, stages, acc, y, 1)


@avelang.jit
def streamed(G, A, B, k, STAGES: al.constexpr = 4):
    """With cp.async both by a ring of `STAGES` tiles in shared memory: registers would not hold the bytes that must be
    in flight to keep memory busy. Else B straight into registers."""
    if al.target().has("sm_80"):
        return loops_async.asynchronous(G, A, B, k, STAGES)
    return register_stream(G, A, B, k)


@avelang.jit
def register_stream(G, A, B, k):
    """B straight into registers, one tile of K ahead; A by two buffers. The tile of K that is no whole one comes last,
    by itself."""
    G = G.packing()
    acc, (stages, first) = loops.make_acc(G), make_stages(G, A)
    B = B.spread(G.b)
    y = al.make_local((G.steps, G.count[1], G.b_words), al.i32)
    whole, all = k // G.k, (k + G.k - 1) // G.k
    if B.width() * B.view.dtype.bytes % WORD != 0:
        whole = 0 * k  # vectors that are no whole words: rows begin anywhere, and nothing is streamed
    elif whole > 0:
        whole_tiles(G, B, stages, first, acc, y, whole)
        B.move((0, G.k))  # `whole_tiles` has moved it by all but the last
        add(G, acc, stages, y)
        if whole < all:
            stages.next_tile(whole % 2)
    if whole == 0:
        begin(stages, first)
    any_tiles(G, B, stages, acc, y, whole, all)
    return loops.acc_tile(G, acc)


@avelang.jit
def any_tiles(G, B, stages, acc, y, done, all):
    """The products of the other tiles of K, of which columns may be outside; the first of A's is in `x`."""
    if B.width() * B.view.dtype.bytes % WORD == 0:
        if done < all:
            B.load_values(al.view(y, al.Tensor((G.b.elements,), B.view.dtype)))
            add(G, acc, stages, y)
    else:
        for t in al.range(all):
            B.load_values(al.view(y, al.Tensor((G.b.elements,), B.view.dtype)))
            B.move((0, G.k))
            add(G, acc, stages, y)
            stages.next_tile((t + 1) % 2)
