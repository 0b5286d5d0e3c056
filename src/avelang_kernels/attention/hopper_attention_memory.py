"""Shared memory of a block of Hopper's attention: stages of rows of Q, K and V, which TMA fills, and rows of O, which
it brings out."""

# No `from __future__ import annotations`, as in the kernels.

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import stage_epilogue
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT

WARP = 32
CHUNK = 64  # elements of d side by side: 128 bytes, one row of the swizzle
BYTES = 2  # of an element
EIGHT = 8  # elements of 16 bytes; as many such pieces has a row of a chunk
# Numbers of barriers: the first of those at which one consumer's threads wait to store; that of all consumers before a
# stage of V that they have cleaned.
STORE, CLEAN = 4, 8


@avelang.struct
class StagedRows:
    """Stages of Q, K or V in shared memory, the ring of their mbarriers, and where its producer or a consumer is."""

    data: ...
    ring: ...
    state: ... = None

    def load(self, x: Any, batch: Any, row: Any, head: Any, ROWS: Any, column: Any = 0):
        """Fills the next stage, once it is free: rows of a head from a column on, in pieces of d."""
        PIECES, SIZE = self.data.shape[1] // (ROWS * CHUNK), ROWS * CHUNK
        self.ring.acquire(self.state, PIECES * SIZE * BYTES)
        for c in range(PIECES):
            piece = al.subview(self.data, (self.state.stage, c * SIZE), (1, SIZE), (1, 1))
            al.nvvm.tma_load_4d(piece, x, batch, row, head, column + c * CHUNK, self.ring.full[self.state.stage])
        self.state.advance()

    def wait(self):
        """Waits until the stage is full."""
        self.ring.wait(self.state)

    def release(self, t: Any):
        """Releases the stage for this consumer, and moves on to the next one."""
        self.ring.release(self.state.stage, t)
        self.state.advance()


@avelang.struct
class StagedBias:
    """Stages of a bias: tiles of (M rows, N keys) in pieces of 64 keys, as the swizzle of TMA leaves them. `map`: of
    (batches, queries, heads, keys); `steps`: 0 where all batches, or heads, have one bias, else 1."""

    rows: ...  # StagedRows, whose stages each warp releases
    map: ...
    steps: ...
    M: al.constexpr
    N: al.constexpr

    def fill(self, w: Any, number: Any):
        """Fills the next stage with a tile of a block of rows."""
        batch, head = w.batch * self.steps[0], w.head * self.steps[1]
        self.rows.load(self.map, batch, w.first, head, self.M, number * self.N)

    def take(self, row: Any, t: Any):
        """A lane's part of the next tile, in the order of its scores, and the stage is free for this warp. `row`: the
        first one of the warpgroup; `t`: the thread there.

        Four 8 x 8 matrices at a time: `ldmatrix` gives a lane two neighbors of row lane // 4 of each, as products have
        scores (PTX ISA 9.0, 9.7.14.5.15 and 9.7.15.5.1)."""
        lane, out = t % WARP, al.make_local((self.N // 2,), self.rows.data.dtype)
        stage, mine = self.rows.state.stage, row + t // WARP * 16 + lane % 16
        self.rows.wait()
        for j in range(self.N // 16):
            PIECE, FIRST = 2 * j // EIGHT, 2 * j % EIGHT
            unit = (FIRST + lane // 16) ^ (mine % EIGHT)
            place = stage, PIECE * (self.M * CHUNK) + mine * CHUNK + unit * EIGHT
            found = al.nvvm.ldmatrix_m8n8_x4_b16(al.subview(self.rows.data, place, (1, EIGHT), (1, 1)))
            held = al.view(found, al.Tensor((EIGHT,), self.rows.data.dtype))
            for e in range(EIGHT):
                out[EIGHT * j + e] = held[e]
        self.rows.release(lane)
        return out


@avelang.jit
def stages_of(dtype: Any, STAGES: Any, ROWS: Any, CHUNKS: Any):
    """Memory for stages of so many rows in so many pieces of d."""
    return al.make_shared((STAGES, CHUNKS * ROWS * CHUNK), dtype, 1024)


@avelang.jit
def staged_rows(data: Any, CONSUMERS: Any):
    """Stages with their mbarriers, which are ready behind a barrier of the block."""
    ring = mbarrier_ring(data.shape[0], CONSUMERS)
    if al.thread_id(0) == 0:
        ring.init()
    return StagedRows(data, ring)


@avelang.jit
def clear(room: Any, place: Any, first: Any, COUNT: Any, t: Any, THREADS: Any):
    """Sets rows from `first` on to 0, of COUNT that lie from element `place` on."""
    none = al.full((EIGHT // 2,), 0, al.u32)
    for i in al.range(first * EIGHT + t, COUNT * EIGHT, THREADS):
        piece = al.subview(room, (place[0], place[1] + i * EIGHT), (1, EIGHT), (1, 1))
        al.view(piece, al.Tensor((1, EIGHT // 2), al.u32))[0] = none


@avelang.jit
def clean(F: Any, v: Any, have: Any, consumer: Any, t: Any):
    """Sets rows of the stage of V to 0 from number `have` on: they are another sequence's, or nobody's, and a weight of
    0 times what lies there may be NaN. All consumers do so together."""
    if have < F.n:
        first = al.convert(max(0, have), al.u32)
        for c in range(F.value_chunks):
            place = v.state.stage, c * F.n * CHUNK
            clear(v.data, place, first, F.n, consumer * GROUP + t, F.consumers * GROUP)
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(CLEAN, F.consumers * GROUP)


@avelang.jit
def piece_of(F: Any, pieces: Any, q: Any, consumer: Any, c: Any):
    """Memory for 128 bytes of each of a consumer's rows of O."""
    if F.shares:
        mine = al.subview(q.data, (0, c * F.m * CHUNK + consumer * (ROWS * CHUNK)), (1, ROWS * CHUNK), (1, 1))
    else:
        mine = al.subview(pieces, (consumer, c, 0, 0, 0), (1, 1, ROWS, PATTERN // UNIT, UNIT // BYTES), (1, 1, 1, 1, 1))
    return al.view(mine, al.Tensor((ROWS, PATTERN // UNIT, UNIT // BYTES), F.dtype))


@avelang.jit
def store(F: Any, O: Any, pieces: Any, q: Any, out: Any, w: Any, o: Any, work: Any, consumer: Any, t: Any):
    """Rounds a consumer's rows and hands them to TMA, 128 bytes of each row at a time. `o`: of packed sequences the
    memory of O and its strides, where threads store rows whose neighbors are another sequence's."""
    if t == 0 and not F.shares:
        al.nvvm.cp_async_bulk_wait_group_read(0)
    al.nvvm.barrier_sync(STORE + consumer, GROUP)
    first, alone = w.first + consumer * ROWS, False
    if work.x.F.packed_q:
        alone = first + ROWS > w.queries
        if alone:
            rows = work.x.rows(o[0], o[1], w.batch, w.head, w.begin_q, w.queries, work.x.F.dv)
            rows.store(out, (first, 0))
    if not alone:
        for c in range(F.value_chunks):
            stage_epilogue(
                piece_of(F, pieces, q, consumer, c),
                al.subview(out.values, (c * CHUNK // 2,), (CHUNK // 2,), (1,)), t // 32, t % 32,
            )  # fmt: skip
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_sync(STORE + consumer, GROUP)
    if t == 0 and not alone:
        for c in range(F.value_chunks):
            place = w.place, w.begin_q + first, w.head, c * CHUNK
            al.nvvm.tma_store_4d(O, *place, piece_of(F, pieces, q, consumer, c))
        al.nvvm.cp_async_bulk_commit_group()
        if F.shares:
            al.nvvm.cp_async_bulk_wait_group_read(0)
    if F.shares:
        q.release(t)
