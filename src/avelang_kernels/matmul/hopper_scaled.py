"""Two matrices of fp8 and their scales by blocks come in; C = (A * scale_a) @ (B * scale_b)^T goes out: a product for
NVIDIA's Hopper (sm_90a) whose sums are promoted to f32 every 128 elements along K.

A scale is for one row or for 128 of them, by 128 elements along K: one stage of the ring. Tensor cores add up a stage,
with the some 14 bits that fp8 sums have there; then each lane multiplies its sums by the scales of its rows and columns
and adds them to totals in f32, in registers of its own. While one warpgroup does so, another one's products run: two
that have one accumulator each keep out of step by a barrier (`begin_products`), and what a step needs beside its
products, such as scales and the next stage, is there before they end.

Scales come to the stages by bulk copies where those of rows lie side by side, as cuBLASLt wants them, and by plain
loads of three warps of the producers anywhere else: with any strides.

Sources: DeepSeek-V3 Technical Report, 3.3.2, "Increasing Accumulation Precision"; PTX ISA 9.0, 9.7.15.5.2
(wgmma.mma_async, scale-d)."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error
from avelang.pipelines.epilogue import TmaEpilogue
from avelang.pipelines.ring import cluster_coords, mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, INNER, PATTERN, ROWS, UNIT, descriptor, produce
from avelang_kernels.arrays import DTYPES, address, multiprocessors, named
from avelang_kernels.matmul.hopper_gemm import begin, joined, operands_of, scheduler_of, threads, units_of
from avelang_kernels.matmul.hopper_tiles import BESIDE, MOST_STAGES, SHARED, GemmTile
from avelang_kernels.matmul.hopper_types import product_of, products
from avelang_kernels.matmul.tile_scaled import ScaleOperand
from avelang_kernels.workspaces import workspace_for

BLOCK = 128  # elements along K that share a scale, and rows or columns that do where a scale is for several
LOADERS = 3  # warps that load scales, at the most
TURN_BARRIER = 8  # named barrier of two consumers that begin products in turn


@avelang.struct
class BlockScales:
    """Scales of an operand in memory: one for `EACH` rows by `BLOCK` along K; `across`, `along`: elements from one to
    the next; `rows`: of the operand."""

    memory: ...
    across: ...
    along: ...
    rows: ...
    EACH: al.constexpr

    def at(self, row: Any, block: Any):
        """The scale of a row; past the last row that of the last one."""
        return self.memory[min(row, self.rows - 1) // self.EACH * self.across + block * self.along]


@avelang.jit
def produce_scales(
    G: Any, WIDE: Any, ring: Any, scheduler: Any, span: Any, left: Any, right: Any, scales: Any, warp: Any, lane: Any
):
    """The part of a warp of the producers: each loads the scales of every so many-th stage to shared memory. No more
    warps than stages: else one could ask for a phase of a stage two phases early. scales: (stages, rows and
    columns)."""
    cluster_m, cluster_n, _ = cluster_coords(G.cluster_m, G.cluster_n, 1)
    COLUMNS = G.n // WIDE
    state, turn = ring.producer(), al.convert(0, al.u32)
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        first = work.k[0] // BLOCK
        for step in al.range(work.steps(G.k)):
            if turn == warp:
                rows = al.make_local((G.m // 32,), al.f32)
                for i in range(G.m // 32):
                    rows[i] = left.at(work.a[0] + i * 32 + lane, first + step)
                cols = al.make_local(((COLUMNS + 31) // 32,), al.f32)
                for i in range((COLUMNS + 31) // 32):
                    cols[i] = right.at(work.b[0] + (i * 32 + lane) * WIDE, first + step)
                ring.acquire(state)
                for i in range(G.m // 32):
                    scales[state.stage, i * 32 + lane] = rows[i]
                for i in range((COLUMNS + 31) // 32):
                    if COLUMNS % 32 == 0 or i * 32 + lane < COLUMNS:
                        scales[state.stage, G.m + i * 32 + lane] = cols[i]
                ring.commit(state)
            state.advance()
            turn = al.select(turn == min(LOADERS, G.stages) - 1, 0, turn + 1)


@avelang.jit
def clear(scales: Any):
    """Zeros in all stages, by all threads: bulk copies leave out rows that a tile does not have."""
    flat, COUNT = al.view(scales, al.Tensor((scales.shape[0] * scales.shape[1], 1), al.f32)), al.block_dim(0)
    t = al.thread_id(0)
    for i in al.range(t, flat.shape[0], COUNT):
        flat[i, 0] = 0.0
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()  # the cluster's barrier behind this is relaxed


@avelang.jit
def copy_scales(
    G: Any, WIDE: Any, ring: Any, scheduler: Any, span: Any, left: Any, right: Any, k: Any, scales: Any, warp: Any
):
    """The same by one thread of each warp, where scales of rows lie side by side: a bulk copy brings those that the
    tile has; others are of no use, and stay as they are."""
    cluster_m, cluster_n, _ = cluster_coords(G.cluster_m, G.cluster_n, 1)
    rows = al.make_tensor(left.memory, al.f32, al.make_layout(((k + BLOCK - 1) // BLOCK, left.rows), (left.along, 1)))
    state, turn = ring.producer(), al.convert(0, al.u32)
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        first = work.k[0] // BLOCK
        size = al.select(work.a[0] < left.rows, min(left.rows - work.a[0], G.m), 0) * al.f32.bytes
        for step in al.range(work.steps(G.k)):
            if turn == warp:
                cols = al.make_local((G.n // WIDE,), al.f32)
                for i in range(G.n // WIDE):
                    cols[i] = right.at(work.b[0] + i * WIDE, first + step)
                ring.acquire(state)
                for i in range(G.n // WIDE):
                    scales[state.stage, G.m + i] = cols[i]
                al.nvvm.mbarrier_arrive_expect_tx(ring.full[state.stage], size)  # behind what it stored
                if size > 0:
                    source = al.subview(rows, (first + step, work.a[0]), (1, 1), (1, 1))
                    to = al.subview(scales, (state.stage, 0), (1, G.m), (1, 1))
                    al.nvvm.cp_async_bulk_load(to, source, size, ring.full[state.stage])
            state.advance()
            turn = al.select(turn == min(LOADERS, G.stages) - 1, 0, turn + 1)


@avelang.jit
def scales_of_rows(scales: Any, stage: Any, row: Any):
    """The scales of a lane's two rows of 64 in an accumulator, of which `row` is the first."""
    out = al.make_local((2,), al.f32)
    for i in range(2):
        out[i] = scales[stage, row + i * 8]
    return out


@avelang.jit
def scales_of_columns(G: Any, WIDE: Any, scales: Any, stage: Any, lane: Any):
    """The scales of a lane's columns of a tile: one for each WIDE of them."""
    COUNT = G.n // WIDE if WIDE > 1 else G.n // 4
    out = al.make_local((COUNT,), al.f32)
    for i in range(COUNT):
        at = i if WIDE > 1 else i // 2 * 8 + lane % 4 * 2 + i % 2
        out[i] = scales[stage, G.m + at]
    return out


@avelang.jit
def promote(total: Any, acc: Any, rows: Any, cols: Any):
    """total + acc * rows * cols, element by element of an accumulator of 64 rows."""
    SIZE, COUNT = acc.shape[0], cols.shape[0]
    PER = SIZE // COUNT  # elements that share a column's scale
    out = al.make_local((SIZE,), al.f32)
    if PER == 2:
        for i in range(SIZE):
            factor = rows[i // 2 % 2] * cols[i // 4 * 2 + i % 2]
            out[i] = al.fma(acc[i], factor, total[i])
    else:
        for j in range(COUNT):
            two = al.make_local((2,), al.f32)
            for h in range(2):
                two[h] = rows[h] * cols[j]
            for i in range(j * PER, (j + 1) * PER):
                out[i] = al.fma(acc[i], two[i // 2 % 2], total[i])
    # Before what follows: LLVM moves the additions behind the next products otherwise, with copies of what they need.
    return al.nvvm.wgmma_fence_acc(out)


@avelang.jit
def multiply_stage(G: Any, first: Any, stage: Any, BELOW: Any, acc: Any, mma: Any):
    """Begins the product of a stage for 64 rows; what `acc` had is forgotten. `first`: descriptors of the consumer's
    rows and of B in the first stage; BELOW: how many blocks of 64 rows lie between those rows and these."""
    at = al.convert(stage, al.u64)
    rows = first[0] + at * (G.m * PATTERN // UNIT) + BELOW * (ROWS * PATTERN // UNIT)
    cols = first[1] + at * (G.n * PATTERN // UNIT)
    acc = al.nvvm.wgmma_fence_acc(acc)
    for i in range(PATTERN // INNER):
        acc = mma(rows + i * (INNER // UNIT), cols + i * (INNER // UNIT), acc, 0 if i == 0 else 1)
    al.nvvm.wgmma_commit_group()
    return acc


@avelang.jit
def begin_products(G: Any, first: Any, stage: Any, BELOW: Any, consumer: Any, acc: Any, mma: Any):
    """The same in turn, where there are two consumers: the first one begins behind the second one, which goes on when
    the first one has. So one multiplies while the other one's sums are promoted; else both would do the same at a
    time."""
    if G.consumers == 2:
        if consumer == 0:
            al.nvvm.barrier_sync(TURN_BARRIER, 2 * GROUP)
    acc = multiply_stage(G, first, stage, BELOW, acc, mma)
    if G.consumers == 2:
        if consumer == 1:
            al.nvvm.barrier_sync(TURN_BARRIER, 2 * GROUP)
    return acc


@avelang.jit
def one_ahead(
    G: Any,
    WIDE: Any,
    first: Any,
    ring: Any,
    state: Any,
    work: Any,
    consumer: Any,
    t: Any,
    scales: Any,
    acc: Any,
    other: Any,
    mma: Any,
):
    """The totals of 64 rows, where the products of a stage run while those of the stage before are promoted. Two
    accumulators are used by turns."""
    steps, row = work.steps(G.k), consumer * ROWS + t // 32 * 16 + t % 32 // 4

    def factors():
        ring.wait(state)
        return scales_of_rows(scales, state.stage, row), scales_of_columns(G, WIDE, scales, state.stage, t % 32)

    total = al.full((G.n // 2,), 0.0, al.f32)
    x, y = factors()
    acc = multiply_stage(G, first, state.stage, 0, acc, mma)
    before = state.stage
    state.advance()
    for _ in al.range((steps - 1) // 2):
        x1, y1 = factors()
        other = multiply_stage(G, first, state.stage, 0, other, mma)
        acc = al.nvvm.wgmma_wait_acc(acc, 1)
        ring.release(before, t % 32, True)
        before = state.stage
        state.advance()
        total = promote(total, acc, x, y)
        x, y = factors()
        acc = multiply_stage(G, first, state.stage, 0, acc, mma)
        other = al.nvvm.wgmma_wait_acc(other, 1)
        ring.release(before, t % 32, True)
        before = state.stage
        state.advance()
        total = promote(total, other, x1, y1)
    if steps % 2 == 0:
        x1, y1 = factors()
        other = multiply_stage(G, first, state.stage, 0, other, mma)
        acc = al.nvvm.wgmma_wait_acc(acc, 1)
        ring.release(before, t % 32, True)
        before = state.stage
        state.advance()
        total = promote(total, acc, x, y)
        other = al.nvvm.wgmma_wait_acc(other, 0)
        ring.release(before, t % 32, True)
        total = promote(total, other, x1, y1)
    else:
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
        ring.release(before, t % 32, True)
        total = promote(total, acc, x, y)
    return total, acc, other


@avelang.jit
def scaled_mainloop(
    G: Any,
    WIDE: Any,
    first: Any,
    ring: Any,
    state: Any,
    work: Any,
    consumer: Any,
    t: Any,
    scales: Any,
    acc: Any,
    mma: Any,
):
    """The totals of a consumer's rows, (n / 2,) or (2, n / 2), and its accumulator, whose registers the next tile
    uses."""
    row = consumer * (ROWS * G.row_blocks) + t // 32 * 16 + t % 32 // 4
    upper, lower = al.full((G.n // 2,), 0.0, al.f32), al.full((G.n // 2,), 0.0, al.f32)

    def factors():
        x = scales_of_rows(scales, state.stage, row)
        y = scales_of_columns(G, WIDE, scales, state.stage, t % 32)
        return x, y, scales_of_rows(scales, state.stage, row + ROWS) if G.row_blocks == 2 else None

    ring.wait(state)
    acc = begin_products(G, first, state.stage, 0, consumer, acc, mma)
    for _ in al.range(work.steps(G.k) - 1):
        x, y, below = factors()
        if G.row_blocks == 2:
            acc = al.nvvm.wgmma_wait_acc(acc, 0)
            upper = promote(upper, acc, x, y)
            acc = begin_products(G, first, state.stage, 1, consumer, acc, mma)
        before = state.stage
        state.advance()
        ring.wait(state)
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
        if G.row_blocks == 2:
            lower = promote(lower, acc, below, y)
        else:
            upper = promote(upper, acc, x, y)
        ring.release(before, t % 32, True)
        acc = begin_products(G, first, state.stage, 0, consumer, acc, mma)
    x, y, below = factors()
    acc = al.nvvm.wgmma_wait_acc(acc, 0)
    if G.row_blocks == 2:
        upper = promote(upper, acc, x, y)
        acc = al.nvvm.wgmma_wait_acc(begin_products(G, first, state.stage, 1, consumer, acc, mma), 0)
        lower = promote(lower, acc, below, y)
    else:
        upper = promote(upper, acc, x, y)
    ring.release(state.stage, t % 32, True)
    state.advance()
    if G.row_blocks == 1:
        return upper, acc
    both = al.make_local((2, G.n // 2), al.f32)
    both[0], both[1] = upper, lower
    return both, acc


@avelang.jit
def consume_scaled(
    G: Any,
    WIDE: Any,
    AHEAD: Any,
    a: Any,
    b: Any,
    ring: Any,
    scheduler: Any,
    span: Any,
    consumer: Any,
    t: Any,
    scales: Any,
    mma: Any,
    epilogue: Any,
):
    """A warpgroup's part: its rows of each unit, given to the epilogue."""
    cluster_m, cluster_n, _ = cluster_coords(G.cluster_m, G.cluster_n, 1)
    own = al.subview(a, (0, consumer * (G.row_blocks * ROWS * G.k)), (1, ROWS * G.k), (1, 1))
    first = descriptor(own, False)[0], descriptor(b[0], False)[0]
    state = ring.consumer()
    acc = al.full((G.n // 2,), 0.0, al.f32)
    other = al.full((G.n // 2,), 0.0, al.f32) if AHEAD else None
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        if AHEAD:
            total, acc, other = one_ahead(G, WIDE, first, ring, state, work, consumer, t, scales, acc, other, mma)
        else:
            total, acc = scaled_mainloop(G, WIDE, first, ring, state, work, consumer, t, scales, acc, mma)
        epilogue(total, work, consumer, t)


def padded(count: int) -> int:
    """Scales of a stage in shared memory: a bulk copy writes to multiples of 16 bytes."""
    return -(-count // 4) * 4


def side_by_side(left: ScaleOperand, right: ScaleOperand, m: int) -> bool:
    """True where bulk copies can bring the scales of A's rows: they lie side by side, on multiples of 16 bytes."""
    runs = left.each == 1 and left.across == 1 and left.along % 4 == 0 and m % 4 == 0
    return runs and right.each != 1 and address(left.memory) % 16 == 0


def width(tile: GemmTile, each: int) -> int:
    """Columns of a tile that share a scale: `each` of B's rows do, which tiles may begin within."""
    return 1 if each == 1 else BLOCK if tile.n % BLOCK == 0 else ROWS


def buffers(tile: GemmTile, size: int) -> int:
    """Pieces of a consumer that are on their way to memory at a time: one, where two would take a stage's place."""
    return 1 if tile.row_blocks == 2 else tile.buffers(size)


def fitted(tile: GemmTile, size: int, each: int) -> GemmTile:
    """The tile with as many stages as shared memory holds, for outputs of `size` bytes an element."""
    scales = 4 * padded(tile.m + max(tile.n // width(tile, each), 1))
    staged = tile.staged(size) // tile.buffers(size) * buffers(tile, size)
    stages = (SHARED - BESIDE - staged) // ((tile.m + tile.n) * PATTERN + scales)
    return tile._replace(stages=min(MOST_STAGES, stages))


@functools.cache
def build(tile: GemmTile, dtype: al.DType, other: al.DType, out: al.DType, each: tuple[int, int], bias: Any = None,
    ahead: bool = False, side: bool = False) -> Any:  # fmt: skip
    """The kernel for a tile and the types of A, B and C. `each`: rows of A and of B that share a scale, 1 or `BLOCK`;
    `bias`: its dtype. `ahead`: two accumulators; `side`: scales of A's rows lie side by side (`side_by_side`)."""
    product = products()[dtype, other]
    STEP, wgmma = product.step, getattr(al.nvvm, f"wgmma_{product.mma}")
    G, (A_BOX, B_BOX) = tile.block(dtype), tile.boxes(STEP, False, False)
    PIECE, BUFFERS = tile.piece(out.bytes), buffers(tile, out.bytes)
    f32: Any = al.f32
    split, WIDE = tile.split != 1, width(tile, each[1])
    SCALES = padded(tile.m + tile.n // WIDE)
    SUMS, COUNTERS = (al.Pointer(f32), al.Pointer(al.u32)) if split else (al.constexpr, al.constexpr)
    BIAS: Any = al.constexpr if bias is None else al.Pointer(bias)

    @avelang.jit
    def scaled(
        A: Annotated[Any, al.TensorMap(dtype, 2, A_BOX, swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(other, 2, B_BOX, swizzle=PATTERN)],
        C: Annotated[Any, al.TensorMap(out, 2, (ROWS, PIECE), swizzle=tile.swizzle(out.bytes))], m: al.u32, n: al.u32,
        k: al.u32, of_a: al.Pointer[f32], a_across: al.u32, a_along: al.u32, of_b: al.Pointer[f32], b_across: al.u32,
        b_along: al.u32, partials: Annotated[Any, SUMS] = None, counters: Annotated[Any, COUNTERS] = None,
        bias_of: Annotated[Any, BIAS] = None,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024, True)
        a, b = operands_of(G, stages, other)
        staged = al.make_shared((G.consumers, BUFFERS, ROWS, PIECE * out.bytes // UNIT, UNIT // out.bytes), out, 1024)
        added = None if bias is None else al.make_tensor(bias_of, bias, al.make_layout((n,)))
        epilogue: Any = TmaEpilogue(C, staged, added)
        scales = al.make_shared((G.stages, SCALES), f32, 16)
        ring = mbarrier_ring(G.stages, 4 * G.sharers, G.cluster_m, G.cluster_n, PRODUCERS=2 if side else 33)
        if side:
            clear(scales)
        begin(G, (A, B, C), ring, epilogue)
        scheduler = scheduler_of(tile, m, n, k, STEP)
        epilogue = joined(G, epilogue, partials, counters, scheduler, tile.split, f32, None)
        left = BlockScales(of_a, a_across, a_along, m, each[0])
        right = BlockScales(of_b, b_across, b_along, n, each[1])
        t, span = al.thread_id(0), scheduler.span()
        if t < GROUP:
            al.nvvm.setmaxnreg_dec(G.registers[0])
            if t == 0:
                produce(G, A, B, a, b, ring, scheduler, span)
            elif side:
                if t % 32 == 0:
                    copy_scales(G, WIDE, ring, scheduler, span, left, right, k, scales, t // 32 - 1)
            elif t >= 32:
                produce_scales(G, WIDE, ring, scheduler, span, left, right, scales, t // 32 - 1, t % 32)
        else:
            al.nvvm.setmaxnreg_inc(G.registers[1])
            consumer, t = t // GROUP - 1, t % GROUP
            consume_scaled(G, WIDE, ahead, a, b, ring, scheduler, span, consumer, t, scales, wgmma, epilogue)
            if t == 0:
                al.nvvm.cp_async_bulk_wait_group_read(0)  # as of `warp_specialized.run`

    return scaled


# Microseconds of a stage and of an epilogue, by the rows and columns of a tile: fitted to 27 products on an H200 (the
# line "consumers out of step" of `benchmarks/NOTES.md`). A block that shares nothing with another takes longer.
TIMES = {(256, 128): (0.79, 2.3), (128, 192): (0.58, 1.7), (128, 128): (0.39, 1.3), (128, 64): (0.3, 0.7),
         (64, 128): (0.27, 0.5), (64, 64): (0.22, 0.2)}  # fmt: skip
ALONE, PARTS, START = 1.1, 2.4, 5.5  # and of K in parts, and of a launch
CANDIDATES = ((128, 128, 2, 1), (128, 128, 1, 2), (256, 128, 1, 2), (256, 128, 2, 1), (128, 192, 2, 1),
              (128, 192, 1, 2), (128, 192, 1, 1), (128, 128, 1, 1), (64, 128, 2, 1), (64, 128, 1, 1),
              (64, 64, 1, 1))  # fmt: skip


@functools.lru_cache(maxsize=4096)
def scaled_tile(m: int, n: int, k: int, sms: int, size: int, each: tuple[int, int]) -> GemmTile:
    """The tile for a product with scales by blocks: the least time of rounds of tiles."""
    # Where each column has scales, a lane has some for all of its columns.
    shapes = ((128, 64, 1, 1), (64, 64, 1, 1)) if each[1] == 1 else CANDIDATES
    best: Any = None
    for high, wide, cluster_m, cluster_n in shapes:
        bare = GemmTile(high, wide, 0, cluster_m, cluster_n, row_blocks=2 if high == 256 else 1)
        tile = fitted(bare, size, each[1])
        tiles = -(-m // (tile.m * tile.cluster_m)) * -(-n // (tile.n * tile.cluster_n))
        steps, resident = -(-k // BLOCK), max(1, sms // tile.cluster)
        parts = min(resident // tiles, steps // 4, 8) if (tile.m, tile.cluster) == (ROWS, 1) else 1
        splits = max(1, parts)
        rounds, (stage, rest) = -(-tiles * splits // resident), TIMES[high, wide]
        stage *= ALONE if tile.cluster == 1 else 1
        time = START + rounds * (-(-steps // splits) * stage + rest) + (PARTS if splits > 1 else 0)
        if best is None or time < best[0]:
            best = time, tile._replace(split=splits)
    return best[1]


def launch(a: Any, b: Any, out: Any, left: ScaleOperand, right: ScaleOperand, to: al.DType, *, bias: Any = None,
    added: al.DType | None = None, tile: GemmTile | None = None, ahead: bool | None = None,
    blocks: int | None = None, **options: Any) -> None:  # fmt: skip
    """The launch for a (m, k), b (n, k), both with rows as TMA reads them, and out (m, n), of the type `to`, with rows
    that it can store. `left`, `right`: scales; `added`: the dtype of the bias."""
    (m, k), n = a.shape, b.shape[0]
    product = product_of(a, b)
    sms = blocks or multiprocessors(a)
    tile = tile or scaled_tile(m, n, k, sms, to.bytes, (left.each, right.each))
    most = fitted(tile, to.bytes, right.each).stages
    why = tile._replace(stages=2).fault(to.bytes)
    why = why or ("" if 2 <= tile.stages <= most else f"there must be 2 to {most} stages")
    if why:
        raise argument_error(f"tile: {why}; it is {tuple(tile)}")
    split, units = units_of(m, n, -(-k // product.step), tile)
    runs = min(units, max(1, sms // tile.cluster))
    if split != 1:
        slots = units * tile.cluster
        pair = workspace_for(a, slots * tile.m // ROWS, slots * tile.m * tile.n)
        options |= {"partials": pair[0], "counters": pair[1]}
    if bias is not None:
        options |= {"bias_of": bias}
    each = left.each, right.each
    # Two accumulators, and the totals, where registers hold them.
    ahead = tile.n <= 128 and tile.row_blocks == 1 if ahead is None else ahead
    side = side_by_side(left, right, m)
    kernel = build(tile._replace(split=split), product.a, product.b, to, each, added, ahead, side)
    kernel[runs * tile.cluster, threads(tile)](
        a, b, out, m, n, k, *left[:3], *right[:3], cluster=(tile.cluster, 1, 1), **options
    )


def scaled_product(a: Any, b: Any, out: Any, left: ScaleOperand, right: ScaleOperand, *, bias: Any = None,
    whole: bool = False, **options: Any) -> None:  # fmt: skip
    """`launch` with the tile, and the types of out and bias, that the arrays ask for. `whole`: K is not split, so that
    the bits of a row do not depend on how many there are."""
    (m, k), n, to = a.shape, b.shape[0], DTYPES[named(out)]
    tile = scaled_tile(m, n, k, multiprocessors(a), to.bytes, (left.each, right.each))
    added = None if bias is None else DTYPES[named(bias)]
    launch(
        a, b, out, left, right, to, bias=bias, added=added, tile=tile._replace(split=1) if whole else tile, **options
    )
