"""Two matrices of fp8 and their scales by blocks come in; C = (A * scale_a) @ (B * scale_b)^T goes out: a product for
NVIDIA's Hopper (sm_90a) whose sums are promoted to f32 every 128 elements along K.

A scale is for one row or for 128 of them, by 128 elements along K: one stage of the ring. Tensor cores add up a stage,
with the some 14 bits that fp8 sums have there; then each lane multiplies its sums by the scales of its rows and columns
and adds them to totals in f32, in registers of its own. While one warpgroup does so, another one's products run.
Three warps of the producers bring scales to the stages, by plain loads: they may lie anywhere, with any strides.

Sources: DeepSeek-V3 Technical Report, 3.3.2, "Increasing Accumulation Precision"; PTX ISA 9.0, 9.7.15.5.2
(wgmma.mma_async, scale-d)."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error
from avelang.pipelines.epilogue import STORE_BARRIER, TmaEpilogue
from avelang.pipelines.fixup import FixupEpilogue, workspace
from avelang.pipelines.ring import cluster_coords, mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, INNER, PATTERN, ROWS, UNIT, descriptor, produce
from avelang_kernels.arrays import DTYPES, multiprocessors, named
from avelang_kernels.matmul.hopper_gemm import begin, operands_of, scheduler_of, threads, units_of
from avelang_kernels.matmul.hopper_tiles import BESIDE, MOST_STAGES, SHARED, GemmTile
from avelang_kernels.matmul.hopper_types import product_of, products
from avelang_kernels.matmul.tile_scaled import ScaleOperand
from avelang_kernels.workspaces import workspace_for

BLOCK = 128  # elements along K that share a scale, and rows or columns that do where a scale is for several
LOADERS = 3  # warps that load scales, at the most
TURN_BARRIER = 8  # named barrier of the first consumer's turn; the others' follow


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
    COLUMNS = scales.shape[1] - G.m
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
def multiply_stage(G: Any, a: Any, b: Any, stage: Any, block: Any, acc: Any, mma: Any, TURNS: Any = False):
    """Begins the product of a stage for 64 rows, the `block`-th of the tile; what `acc` had is forgotten. TURNS: the
    last instruction is a group of its own."""
    rows, DOWN = descriptor(al.subview(a, (stage, block * (ROWS * G.k)), (1, ROWS * G.k), (1, 1)), False)
    cols, RIGHT = descriptor(b[stage], False)
    acc = al.nvvm.wgmma_fence_acc(acc)
    for i in range(PATTERN // INNER):
        acc = mma(rows + i * DOWN, cols + i * RIGHT, acc, 0 if i == 0 else 1)
        if TURNS and i == PATTERN // INNER - 2:
            al.nvvm.wgmma_commit_group()
    al.nvvm.wgmma_commit_group()
    return acc


@avelang.jit
def take_turn(TURNS: Any, CONSUMERS: Any, consumer: Any):
    """Waits for the warpgroup's turn to begin products."""
    if TURNS:
        al.nvvm.barrier_sync(TURN_BARRIER + consumer, 2 * GROUP)


@avelang.jit
def pass_turn(TURNS: Any, CONSUMERS: Any, consumer: Any):
    """Gives the turn to the next warpgroup, when the last instruction is left: it runs while the turn passes."""
    if TURNS:
        al.nvvm.wgmma_wait_group(1)
        al.nvvm.barrier_arrive(TURN_BARRIER + (consumer + 1) % CONSUMERS, 2 * GROUP)


@avelang.jit
def one_ahead(
    G: Any,
    WIDE: Any,
    a: Any,
    b: Any,
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
    acc = multiply_stage(G, a, b, state.stage, consumer, acc, mma)
    before = state.stage
    state.advance()
    for _ in al.range((steps - 1) // 2):
        x1, y1 = factors()
        other = multiply_stage(G, a, b, state.stage, consumer, other, mma)
        acc = al.nvvm.wgmma_wait_acc(acc, 1)
        ring.release(before, t % 32, True)
        before = state.stage
        state.advance()
        total = promote(total, acc, x, y)
        x, y = factors()
        acc = multiply_stage(G, a, b, state.stage, consumer, acc, mma)
        other = al.nvvm.wgmma_wait_acc(other, 1)
        ring.release(before, t % 32, True)
        before = state.stage
        state.advance()
        total = promote(total, other, x1, y1)
    if steps % 2 == 0:
        x1, y1 = factors()
        other = multiply_stage(G, a, b, state.stage, consumer, other, mma)
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
    TURNS: Any,
    a: Any,
    b: Any,
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
    upper = al.full((G.n // 2,), 0.0, al.f32)
    lower = al.full((G.n // 2,), 0.0, al.f32)
    for _ in al.range(work.steps(G.k)):
        ring.wait(state)
        x = scales_of_rows(scales, state.stage, row)
        y = scales_of_columns(G, WIDE, scales, state.stage, t % 32)
        x2 = scales_of_rows(scales, state.stage, row + ROWS) if G.row_blocks == 2 else None
        take_turn(TURNS, G.consumers, consumer)
        acc = multiply_stage(G, a, b, state.stage, consumer * G.row_blocks, acc, mma, TURNS)
        pass_turn(TURNS, G.consumers, consumer)
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
        if G.row_blocks == 2:
            upper = promote(upper, acc, x, y)
            take_turn(TURNS, G.consumers, consumer)
            acc = multiply_stage(G, a, b, state.stage, consumer * G.row_blocks + 1, acc, mma, TURNS)
            pass_turn(TURNS, G.consumers, consumer)
            acc = al.nvvm.wgmma_wait_acc(acc, 0)
            ring.release(state.stage, t % 32, True)
            lower = promote(lower, acc, x2, y)
        else:
            ring.release(state.stage, t % 32, True)
            upper = promote(upper, acc, x, y)
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
    TURNS: Any,
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
    state = ring.consumer()
    acc = al.full((G.n // 2,), 0.0, al.f32)
    other = al.full((G.n // 2,), 0.0, al.f32) if AHEAD else None
    if TURNS:
        if consumer == G.consumers - 1:
            al.nvvm.barrier_arrive(TURN_BARRIER, 2 * GROUP)
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, cluster_m, cluster_n)
        if AHEAD:
            total, acc, other = one_ahead(G, WIDE, a, b, ring, state, work, consumer, t, scales, acc, other, mma)
        else:
            total, acc = scaled_mainloop(G, WIDE, TURNS, a, b, ring, state, work, consumer, t, scales, acc, mma)
        epilogue(total, work, consumer, t)
    if TURNS:
        if consumer == 0:
            al.nvvm.barrier_sync(TURN_BARRIER, 2 * GROUP)


def width(tile: GemmTile, each: int) -> int:
    """Columns of a tile that share a scale: `each` of B's rows do, which tiles may begin within."""
    return 1 if each == 1 else BLOCK if tile.n % BLOCK == 0 else ROWS


def buffers(tile: GemmTile, size: int) -> int:
    """Pieces of a consumer that are on their way to memory at a time: one, where two would take a stage's place."""
    return 1 if tile.row_blocks == 2 else tile.buffers(size)


def fitted(tile: GemmTile, size: int, each: int) -> GemmTile:
    """The tile with as many stages as shared memory holds, for outputs of `size` bytes an element."""
    scales = 4 * (tile.m + max(tile.n // width(tile, each), 1))
    staged = tile.staged(size) // tile.buffers(size) * buffers(tile, size)
    stages = (SHARED - BESIDE - staged) // ((tile.m + tile.n) * PATTERN + scales)
    return tile._replace(stages=min(MOST_STAGES, stages))


@functools.cache
def build(tile: GemmTile, dtype: al.DType, other: al.DType, out: al.DType, each: tuple[int, int], bias: Any = None,
    ahead: bool = False, turns: bool = False) -> Any:  # fmt: skip
    """The kernel for a tile and the types of A, B and C. `each`: rows of A and of B that share a scale, 1 or `BLOCK`;
    `bias`: its dtype. `ahead`: two accumulators; `turns`: consumers begin products in turn."""
    product = products()[dtype, other]
    STEP, wgmma = product.step, getattr(al.nvvm, f"wgmma_{product.mma}")
    G, (A_BOX, B_BOX) = tile.block(dtype), tile.boxes(STEP, False, False)
    PIECE, BUFFERS = tile.piece(out.bytes), buffers(tile, out.bytes)
    f32: Any = al.f32
    split, WIDE = tile.split != 1, width(tile, each[1])
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
        scales = al.make_shared((G.stages, G.m + G.n // WIDE), f32)
        ring = mbarrier_ring(G.stages, 4 * G.sharers, G.cluster_m, G.cluster_n, PRODUCERS=33)
        begin(G, (A, B, C), ring, epilogue)
        scheduler = scheduler_of(tile, m, n, k, STEP)
        if split:
            sizes = G.cluster, G.consumers, G.row_blocks * G.n // 8
            epilogue = FixupEpilogue(workspace(scheduler, partials, counters, sizes, STORE_BARRIER, 0, f32), epilogue)
        left = BlockScales(of_a, a_across, a_along, m, each[0])
        right = BlockScales(of_b, b_across, b_along, n, each[1])
        t, span = al.thread_id(0), scheduler.span()
        if t < GROUP:
            al.nvvm.setmaxnreg_dec(G.registers[0])
            if t == 0:
                produce(G, A, B, a, b, ring, scheduler, span)
            elif t >= 32:
                produce_scales(G, WIDE, ring, scheduler, span, left, right, scales, t // 32 - 1, t % 32)
        else:
            al.nvvm.setmaxnreg_inc(G.registers[1])
            consumer, t = t // GROUP - 1, t % GROUP
            consume_scaled(G, WIDE, ahead, turns, a, b, ring, scheduler, span, consumer, t, scales, wgmma, epilogue)
            if t == 0:
                al.nvvm.cp_async_bulk_wait_group_read(0)  # as of `warp_specialized.run`

    return scaled


# Clocks of a stage of a tile, by (rows, columns): from figures of an H200 (`benchmarks/op_scaled.py`).
CLOCKS = {(256, 128): 1560, (128, 192): 1200, (128, 128): 750, (64, 128): 550, (128, 64): 550, (64, 64): 400}
CANDIDATES = ((128, 128, 2, 1), (128, 128, 1, 2), (128, 192, 1, 1), (128, 128, 1, 1), (64, 128, 1, 1), (64, 64, 1, 1))


@functools.lru_cache(maxsize=4096)
def scaled_tile(m: int, n: int, k: int, sms: int, size: int, each: tuple[int, int]) -> GemmTile:
    """The tile for a product with scales by blocks: the least time of rounds of tiles."""
    # Where each column has scales, a lane has some for all of its columns.
    shapes = ((128, 64, 1, 1), (64, 64, 1, 1)) if each[1] == 1 else CANDIDATES
    best: Any = None
    for high, wide, cluster_m, cluster_n in shapes:
        tile = fitted(GemmTile(high, wide, 0, cluster_m, cluster_n), size, each[1])
        tiles = -(-m // (tile.m * tile.cluster_m)) * -(-n // (tile.n * tile.cluster_n))
        steps, resident = -(-k // BLOCK), max(1, sms // tile.cluster)
        splits = max(1, min(resident // tiles, steps // 4, 8)) if tile.m == ROWS else 1
        rounds = -(-tiles * splits // resident)
        time = rounds * (-(-steps // splits) * CLOCKS[high, wide] + 2500 + (4000 if splits > 1 else 0))
        if best is None or time < best[0]:
            best = time, tile._replace(split=splits)
    return best[1]


def launch(a: Any, b: Any, out: Any, left: ScaleOperand, right: ScaleOperand, to: al.DType, *, bias: Any = None,
    added: al.DType | None = None, tile: GemmTile | None = None, ahead: bool | None = None, turns: bool = False,
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
    ahead = tile.n <= 128 and tile.row_blocks == 1 and not turns if ahead is None else ahead
    kernel = build(tile._replace(split=split), product.a, product.b, to, each, added, ahead, turns)
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
