"""The warp-specialized product of NVIDIA's Hopper: tensor maps of A and B, a ring, a tile scheduler and an epilogue
come in; every tile of C that is this block's goes to the epilogue.

The first warpgroup of a block is the producer: one thread of it has TMA fill a ring of stages. The others are
consumers: each multiplies 64 rows of a stage, or more, by `wgmma` and gives its accumulators to the epilogue, while the
producer is at the next tile already. Blocks of a cluster make tiles in rows and columns of C: what they share, each
copies a part of, for all; or each multiplies a part of K.

Cooperative consumers share a tile. Ping-pong consumers, two, take tiles in turn: while one is at its epilogue, the
other multiplies."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import cluster_coords, load_box, producer_load

PATTERN = 128  # bytes of a row of TMA's swizzle, and of a row of a stage
GROUP = 128  # threads of a warpgroup
ROWS = 64  # rows of a `wgmma`, and of a consumer
UNIT = 16  # bytes that a matrix descriptor counts in
INNER = 32  # bytes of a row that one `wgmma` multiplies
# Registers of a thread of the producer and of a consumer, for one consumer to four: no more in all than the block has
# from the start on.
REGISTERS = ((40, 216), (40, 232), (32, 160), (24, 112))
CLEAR_BARRIER = 6  # named barrier of consumers that clear rows of a stage; ping-pong consumers have one each
# Rows that TMA copies at once, at least. TMA writes zeros for rows past the end of a matrix at half the speed of copies
# or less, so a tile's copies are small enough to leave most of them out: 79.6 us to 55.0 at (4176, 264, 8192) with
# tiles of 128 x 96 on an H200. Of 16 rows, copies are too many (all shapes 5 % slower).
LEAST_BOX = 32
ORDER_BARRIER = 8  # named barrier of the first ping-pong consumer's turn; the other's follows


def box_of(rows: int) -> int:
    """The rows that TMA copies at once of those that a block copies of an operand: `LEAST_BOX` or more, so that there
    are few copies, and few rows past the end of a matrix among them."""
    return next((box for box in range(LEAST_BOX, rows, 8) if rows % box == 0), rows)


@avelang.constant
@dataclasses.dataclass(frozen=True)
class WarpSpecialized:
    """The work of a block: its tile is m x n, `row_blocks`, one or two, of 64 rows for each consumer, in steps of 128
    bytes along K; `stages` of the ring; `cluster_m`, `cluster_n`, `cluster_k`: blocks of its cluster along rows and
    columns of C and along K. `dtype`: of A and B. `pingpong`: two consumers take tiles in turn. `a_mn`, `b_mn`:
    neighbors in memory lie along M of A, along N of B, and not along K; of 16 bits, in atoms of 64 rows of the tile by
    `k`. `a_box`, `b_box`: rows that TMA copies at once of an operand whose neighbors lie along K; 0: as many as the
    block copies of it."""

    m: int
    n: int
    stages: int
    dtype: Any
    cluster_m: int = 1
    cluster_n: int = 1
    cluster_k: int = 1
    row_blocks: int = 1
    pingpong: bool = False
    a_mn: bool = False
    b_mn: bool = False
    a_box: int = 0
    b_box: int = 0

    @property
    def k(self) -> int:
        """Elements along K of a stage."""
        return PATTERN // self.dtype.bytes

    @property
    def consumers(self) -> int:
        """Warpgroups that multiply."""
        return 2 if self.pingpong else self.m // (ROWS * self.row_blocks)

    @property
    def sharers(self) -> int:
        """Consumers that read a stage."""
        return 1 if self.pingpong else self.consumers

    @property
    def cluster(self) -> int:
        """Blocks of a cluster."""
        return self.cluster_m * self.cluster_n * self.cluster_k

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return GROUP * (1 + self.consumers)

    @property
    def bytes(self) -> int:
        """Bytes of a stage."""
        return (self.m + self.n) * PATTERN

    @property
    def registers(self) -> tuple[int, int]:
        """Registers of a thread of the producer, and of a consumer."""
        return REGISTERS[self.consumers - 1]


@avelang.jit
def rows_loaded(work, ROWS_OF_TILE, EACH):
    """The count of a tile's rows that are copied, EACH at a time: those from `work[1]` on are not, but for what one
    copy has of them. All, where EACH is 0: then one copy has all."""
    if EACH == 0:
        return ROWS_OF_TILE
    left = al.select(work[1] > work[0], work[1] - work[0], 0)
    return min((left + (EACH - 1)) // EACH * EACH, ROWS_OF_TILE)


@avelang.jit
def load_operand(ring, state, stages, x, row, k, part, PARTS, APART, shift, MN, BOX=0, count=None):
    """Copies an operand's part of a stage. MN: `x` has K for rows; atoms of 64 columns of it follow one another, and
    blocks that want the same copy rows of each. BOX: rows of a copy, or 0; `count`: rows of the tile that are copied,
    of `rows_loaded`: TMA takes longer to write zeros for rows past the end of a matrix than to copy others, and what a
    stage has of rows that nobody stores does not matter. `x`: as of `producer_load`."""
    if MN:
        SIZE = ROWS * PATTERN // stages.dtype.bytes
        ATOMS = stages.shape[1] // SIZE
        atoms = al.view(stages, al.Tensor((stages.shape[0] * ATOMS, SIZE), stages.dtype))
        for i in range(ATOMS):
            if count is None or i * ROWS < count:
                index = state.stage * ATOMS + i
                producer_load(ring, state, atoms, index, x, k, row + i * ROWS, part, PARTS, APART, shift)
    elif BOX:
        SIZE = BOX * PATTERN // stages.dtype.bytes
        BOXES = stages.shape[1] // SIZE
        boxes = al.view(stages, al.Tensor((stages.shape[0] * BOXES, SIZE), stages.dtype))
        ranks = None if PARTS == 1 else sum([1 << (APART * i) for i in range(PARTS)]) << shift
        for i in range(BOXES // PARTS):
            first = part * (BOXES // PARTS) + i
            if count is None or first * BOX < count:
                own = al.subview(boxes, (state.stage * BOXES + first, 0), (1, SIZE), (1, 1))
                load_box(own, x, row + first * BOX, k, ring.full[state.stage], ranks, 0)
    else:
        producer_load(ring, state, stages, state.stage, x, row, k, part, PARTS, APART, shift)


@avelang.jit
def clear_first(G, operands, stage, count, consumer, t):
    """Writes zeros over the first `count` elements of K of a stage of each operand, whose neighbors do not lie along K:
    those of another group, whatever they are. All consumers that read the stage call it."""
    VECTOR, READERS = UNIT // G.dtype.bytes, GROUP * G.sharers
    me = t if G.pingpong else consumer * GROUP + t
    if count > 0:
        for x in operands:
            ATOMS = x.shape[1] // (ROWS * G.k)
            chunks = al.view(x, al.Tensor((x.shape[0] * ATOMS, ROWS * G.k // VECTOR, VECTOR), x.dtype))
            for i in al.range(ATOMS):
                for c in al.range(me, count * (PATTERN // UNIT), READERS):
                    chunks[stage * ATOMS + i, c] = al.full((VECTOR,), 0.0, x.dtype)
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(CLEAR_BARRIER + (consumer if G.pingpong else 0), READERS)


@avelang.jit
def descriptor(stage, MN):
    """The descriptor of an operand's rows, and how far the next `INNER` bytes' worth of K are."""
    if MN:
        found = al.nvvm.wgmma_descriptor(stage, PATTERN, ROWS * PATTERN, 8 * PATTERN)
        return found, INNER // stage.dtype.bytes * PATTERN // UNIT
    return al.nvvm.wgmma_descriptor(stage), INNER // UNIT


@avelang.jit
def operand_of(x, work, WHICH):
    """An operand of a unit, as `producer_load` takes it: `x` is a tensor map, of three dimensions where the unit says
    which matrix of it; or such a one, one of two dimensions, and the number of the matrix that is read by that."""
    if work.batch is None or work.batch[WHICH] is None:
        return x
    if isinstance(x, tuple):
        return x[0], work.batch[WHICH], x[1], work.batch[WHICH] == x[2]
    return x, work.batch[WHICH]


@avelang.jit
def produce(G, A, B, a, b, ring, scheduler, span, gate=None):
    """One thread's part: fills stages, unit after unit. `gate(work)` waits until the unit's operands are there."""
    cluster_m, cluster_n, cluster_k = cluster_coords(G.cluster_m, G.cluster_n, G.cluster_k)
    rank = cluster_k * (G.cluster_m * G.cluster_n)  # of the first block that shares something with this one
    state = ring.producer()
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        if gate is not None:
            gate(work)
        of_a, of_b = operand_of(A, work, 0), operand_of(B, work, 1)
        high = rows_loaded(work.a, G.m, ROWS if G.a_mn else G.a_box)
        wide = rows_loaded(work.b, G.n, ROWS if G.b_mn else G.b_box)
        for step in al.range(work.steps(G.k)):
            ring.acquire(state, (high + wide) * PATTERN)
            k = work.k[0] + step * G.k
            row, col = rank + cluster_m, rank + cluster_n * G.cluster_m
            down, right = (cluster_n, G.cluster_n, G.cluster_m, row), (cluster_m, G.cluster_m, 1, col)
            load_operand(ring, state, a, of_a, work.a[0], k, *down, G.a_mn, G.a_box, high)
            load_operand(ring, state, b, of_b, work.b[0], k + work.b_shift, *right, G.b_mn, G.b_box, wide)
            state.advance()
    ring.tail(state)


@avelang.jit
def multiply(G, a, b, stage, consumer, acc, mma):
    """Begins a consumer's products of a stage. `mma`: the instruction, of two descriptors and accumulators."""
    rows, DOWN = descriptor(al.subview(a, (stage, consumer * (ROWS * G.k)), (1, ROWS * G.k), (1, 1)), G.a_mn)
    cols, RIGHT = descriptor(b[stage], G.b_mn)
    acc = al.nvvm.wgmma_fence_acc(acc)
    for i in range(PATTERN // INNER):
        acc = mma(rows + i * DOWN, cols + i * RIGHT, acc)
    al.nvvm.wgmma_commit_group()
    return acc


@avelang.jit
def multiply_two(G, a, b, stage, consumer, upper, lower, mma):
    """The same for two blocks of 64 rows."""
    SIZE = ROWS * G.k
    rows, DOWN = descriptor(al.subview(a, (stage, consumer * (2 * SIZE)), (1, SIZE), (1, 1)), G.a_mn)
    cols, RIGHT = descriptor(b[stage], G.b_mn)
    upper, lower = al.nvvm.wgmma_fence_acc(upper), al.nvvm.wgmma_fence_acc(lower)
    for i in range(PATTERN // INNER):
        upper = mma(rows + i * DOWN, cols + i * RIGHT, upper)
        lower = mma(rows + ROWS * PATTERN // UNIT + i * DOWN, cols + i * RIGHT, lower)
    al.nvvm.wgmma_commit_group()
    return upper, lower


@avelang.jit
def mainloop(G, a, b, ring, state, steps, consumer, t, zero, mma, handoff=None, ready=None, unit=()):
    """The sums of a consumer's rows over so many steps: (n / 2,), or (2, n / 2) for two row blocks. `zero()`:
    accumulators of 64 rows to begin with. `handoff()` is called when the consumer needs no further stage,
    `ready(stage, *unit)` when the first one has come."""
    # The first step stands before the loop: then nothing but wgmma writes to the accumulators in it, and the steps may
    # overlap. Row blocks have a variable each: a loop hands on whole variables, and would read both with either.
    ring.wait(state)
    if ready is not None:
        ready(state.stage, *unit)
    if G.row_blocks == 1:
        acc = multiply(G, a, b, state.stage, consumer, zero(), mma)
    else:
        upper, lower = multiply_two(G, a, b, state.stage, consumer, zero(), zero(), mma)
    before = state.stage
    state.advance()
    for _ in al.range(steps - 1):
        ring.wait(state)
        # One step stays in flight while the stage of the one before it is released.
        if G.row_blocks == 1:
            acc = multiply(G, a, b, state.stage, consumer, acc, mma)
            acc = al.nvvm.wgmma_wait_acc(acc, 1)
        else:
            upper, lower = multiply_two(G, a, b, state.stage, consumer, upper, lower, mma)
            upper, lower = al.nvvm.wgmma_wait_acc(upper, 1), al.nvvm.wgmma_wait_acc(lower, 1)
        ring.release(before, t)
        before = state.stage
        state.advance()
    if handoff is not None:
        handoff()
    if G.row_blocks == 1:
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
    else:
        acc = al.make_local((2, G.n // 2), upper.dtype)
        acc[0], acc[1] = al.nvvm.wgmma_wait_acc(upper, 0), al.nvvm.wgmma_wait_acc(lower, 0)
    ring.release(before, t)
    return acc


@avelang.jit
def consume(G, a, b, ring, scheduler, span, consumer, t, zero, mma, epilogue, ready=None):
    """A warpgroup's part: its rows of each unit, given to `epilogue(acc, work, consumer, t)`."""
    cluster_m, cluster_n, _ = cluster_coords(G.cluster_m, G.cluster_n, G.cluster_k)
    state = ring.consumer()
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        first = (work, consumer, t) if ready is not None else ()
        acc = mainloop(G, a, b, ring, state, work.steps(G.k), consumer, t, zero, mma, None, ready, first)
        epilogue(acc, work, consumer, t)


@avelang.jit
def take_turns(G, a, b, ring, scheduler, span, consumer, t, zero, mma, epilogue, ready=None):
    """A ping-pong consumer's part: every second unit. It waits for its stages only when the other one has all of its
    own: the parity of an mbarrier tells neighboring phases apart, and no others."""
    cluster_m, cluster_n, _ = cluster_coords(G.cluster_m, G.cluster_n, G.cluster_k)
    state, turn = ring.consumer(), al.convert(0, al.u32)
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        if turn == consumer:
            if index != span[0]:
                al.nvvm.barrier_sync(ORDER_BARRIER + consumer, 2 * GROUP)

            def handoff(more=index + span[2] < span[1]):
                if more:
                    al.nvvm.barrier_arrive(ORDER_BARRIER + (consumer ^ 1), 2 * GROUP)

            first = (work, consumer, t) if ready is not None else ()
            acc = mainloop(G, a, b, ring, state, work.steps(G.k), 0, t, zero, mma, handoff, ready, first)
            epilogue(acc, work, consumer, t)
        else:
            state.skip(work.steps(G.k))
        turn = turn ^ 1


@avelang.jit
def run(G, A, B, a, b, ring, scheduler, zero, mma, epilogue, gate=None, ready=None):
    """All units of a scheduler that are this block's. `A`, `B`: tensor maps, or as of `operand_of`; `a`, `b`: stages in
    shared memory; `ring`: behind `init` and a barrier; `zero()`: accumulators of 64 rows, (n / 2,); `mma(rows, cols,
    acc)`: the `wgmma`; `epilogue(acc, work, consumer, t)` gets each unit's sums, `t`: number of the thread in the
    warpgroup. With `cluster_k` it waits for the cluster's other blocks once. `gate(work)`, by the producer, waits until
    a unit's operands are there; there is no code for it without one. `ready(stage, work, consumer, t)`, by consumers,
    may change the first stage of a unit before it is multiplied."""
    t, span = al.thread_id(0), scheduler.span()
    if t < GROUP:
        al.nvvm.setmaxnreg_dec(G.registers[0])
        if t == 0:
            produce(G, A, B, a, b, ring, scheduler, span, gate)
        if G.cluster_k > 1:
            al.nvvm.cluster_arrive()
            al.nvvm.cluster_wait()
    else:
        al.nvvm.setmaxnreg_inc(G.registers[1])
        if G.pingpong:
            take_turns(G, a, b, ring, scheduler, span, t // GROUP - 1, t % GROUP, zero, mma, epilogue, ready)
        else:
            consume(G, a, b, ring, scheduler, span, t // GROUP - 1, t % GROUP, zero, mma, epilogue, ready)
        if t % GROUP == 0:
            # What is stored has left shared memory; that it is in memory the launch's end says.
            al.nvvm.cp_async_bulk_wait_group_read(0)
