"""A few rows A and a large matrix B come in; C = A @ B^T goes out: products of M = 1 to 64 at the speed of memory, for
NVIDIA's Hopper (sm_90a).

Nearly all time is reading B once. A tile of C has 64 or 128 rows of B, which take the side of `wgmma` that has 64 rows
at the least; the few rows of A, filled up with zeros to one of `WIDTHS`, take the other. A block has one warp that does
nothing but have TMA copy steps of B and A, as many stages ahead as shared memory holds, which is what
keeps memory busy, and a warpgroup that multiplies what has come. A stage has two mbarriers: `full` counts the bytes
that have come, `empty` the warps that are through with it.

The work is divided evenly, whatever the shape (stream-K): the steps along K of all tiles stand in one row, tile after
tile, and each block takes an equal run of them. A tile that lies within one run is written at once. Of a tile that
several blocks share, each leaves its sums in a workspace, and the last to come adds all up. Where equally many blocks
share each tile they may be a cluster: then they send their sums into the shared memory of the first of them, which
takes half the time. Either way sums are added in the sequence of the blocks: the same bits in every run.

A cluster may also make tiles beside one another: each block copies a part of A for all of them, since many rows of A,
read again for each tile, would make more traffic than B. Edges cost nothing: TMA reads zeros past the end
of a matrix."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes
from avelang.pipelines.fixup import ClusterReduction, Workspace
from avelang.pipelines.ring import mbarrier_ring, producer_load
from avelang.pipelines.scheduler import StreamKScheduler, TileScheduler
from avelang.pipelines.warp_specialized import GROUP, ROWS, UNIT
from avelang_kernels.arrays import Matrix, check, multiprocessors, new
from avelang_kernels.matmul.hopper_tiles import resident
from avelang_kernels.workspaces import workspace_for, workspace_of

M_MOST = 64
WIDTHS = (8, 16, 24, 32, 48, 64)  # rows of A as the matrix instruction takes them
STEP = 64  # elements of K: 128 bytes, a row of the swizzle's pattern
INNER = 16  # elements of K that one wgmma multiplies
WARP = 32  # threads
BYTES, F32 = 2, 4  # of an element of A and B; of a sum
SHARED = 227 * 1024  # bytes of shared memory that a block may have
EVICT_B, EVICT_A = 1, 2  # what L2 is told: to evict first, or last
READY, SUMMED = 1, 2  # named barriers
SMS_OF_CPU = 4  # blocks of a launch where there are no multiprocessors


class SkinnyPlan(NamedTuple):
    """Division of a product: `rows` of B that make a tile, pieces of 64 of K that make a step (`depth`), `stages` of
    the ring, `blocks` of the grid. `split_k`: blocks of a cluster that shares one tile; there are as many clusters as
    tiles then. `cluster_n`: blocks of a cluster that makes tiles side by side; each makes whole tiles then. One of both
    is 1. `whole`: blocks make whole tiles, whose numbers differ by one at the most, and nothing is brought together."""

    rows: int
    depth: int
    stages: int
    blocks: int
    split_k: int = 1
    cluster_n: int = 1
    whole: bool = False


Plan = SkinnyPlan


class SkinnyConfig(NamedTuple):
    """Compile-time parameters of a kernel: a plan without its grid, rows of A, and how many blocks share a tile by way
    of the workspace, at the most."""

    width: int
    rows: int
    depth: int
    stages: int
    split_k: int
    cluster_n: int
    most: int


@avelang.jit
def produce(a: Any, b: Any, a_ring: Any, b_ring: Any, ring: Any, scheduler: Any, rank: Any, F: Any):
    """One thread's part: fills stages, tile after tile."""
    state, span = ring.producer(), scheduler.span()
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, rank, 0)
        for step in al.range(work.steps(F.depth * STEP)):
            ring.acquire(state, (F.rows + F.width) * F.depth * STEP * BYTES)
            for d in range(F.depth):
                col, at = work.k[0] + (step * F.depth + d) * STEP, state.stage * F.depth + d
                al.nvvm.tma_load_2d(b_ring[at], b, work.a[0], col, ring.full[state.stage], EVICT_B)
                producer_load(ring, state, a_ring, at, a, 0, col, rank, F.cluster_n, 1, 0, EVICT_A)
            state.advance()
    ring.tail(state)


@avelang.jit
def multiply(acc: Any, a_ring: Any, b_ring: Any, stage: Any, F: Any):
    """Adds the products of a step."""
    for h in range(F.rows // ROWS):
        acc[h] = al.nvvm.wgmma_fence_acc(acc[h])
    for d in range(F.depth):
        a, b = (
            al.nvvm.wgmma_descriptor(a_ring[stage * F.depth + d]),
            al.nvvm.wgmma_descriptor(b_ring[stage * F.depth + d]),
        )
        for inner in range(STEP // INNER):
            at = inner * INNER * BYTES // UNIT
            for h in range(F.rows // ROWS):
                down = h * ROWS * STEP * BYTES // UNIT
                if a_ring.dtype == al.bf16:
                    acc[h] = al.nvvm.wgmma_bf16_f32(b + (down + at), a + at, acc[h])
                else:
                    acc[h] = al.nvvm.wgmma_f16_f32(b + (down + at), a + at, acc[h])
    al.nvvm.wgmma_commit_group()
    for h in range(F.rows // ROWS):
        acc[h] = al.nvvm.wgmma_wait_acc(acc[h], 0)


@avelang.jit
def write(c: Any, acc: Any, row: Any):
    """Writes a tile: `row` is its first of B, a column of C."""
    t = al.thread_id(0)
    lane, warp = t % WARP, t // WARP
    for h in range(acc.shape[0]):
        for i in range(acc.shape[1]):
            m = 8 * (i // 4) + 2 * (lane % 4) + i % 2
            n = row + h * ROWS + 16 * warp + 8 * (i // 2 % 2) + lane // 4
            if m < c.shape[0] and n < c.shape[1]:
                c[m, n] = al.convert(acc[h, i], c.dtype)


@avelang.jit
def consume(
    c: Any, a_ring: Any, b_ring: Any, ring: Any, scheduler: Any, reduction: Any, workspace: Any, rank: Any, F: Any
):
    """The warpgroup's part: the sums of each tile, or of a part of it, which are then brought together."""
    t, state, span = al.thread_id(0), ring.consumer(), scheduler.span()
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, rank, 0)
        acc = al.full((F.rows // ROWS, F.width // 2), 0.0, al.f32)
        for _ in al.range(work.steps(F.depth * STEP)):
            ring.wait(state)
            multiply(acc, a_ring, b_ring, state.stage, F)
            ring.release(state.stage, t % WARP)
            state.advance()
        vectors, complete = al.view(acc, al.Tensor((F.rows * F.width // GROUP // 4, 4), al.f32)), True
        if F.split_k > 1:
            complete = reduction.reduce(vectors, t)
        elif F.most > 1:
            complete = workspace.fixup(vectors, work, 0, t)
        if complete:
            write(c, acc, work.at[0])


@functools.cache
def kernel_of(dtype: Any, out: Any, F: SkinnyConfig) -> Any:
    """The kernel of a configuration. What TMA copies at once is part of its tensor map's type: hence a function for
    each."""
    VECTORS, CLUSTER = F.rows * F.width // GROUP // 4, F.split_k * F.cluster_n

    @avelang.jit
    def skinny(
        a: Annotated[Any, al.TensorMap(dtype, 2, (F.width // F.cluster_n, STEP), swizzle=128)],
        b: Annotated[Any, al.TensorMap(dtype, 2, (F.rows, STEP), swizzle=128)], c: al.Pointer[out],
        partials: al.Pointer[al.f32], counters: al.Pointer[al.u32], m: al.u32, n: al.u32, k: al.u32,
        steps: al.u32, total: al.u32,
    ):  # fmt: skip
        """`steps` of a tile, `total` of all. The blocks of a cluster that share A count as one here, and their tiles
        too."""
        t, rank = al.thread_id(0), al.block_id(0) % F.cluster_n
        b_ring = al.make_shared((F.stages * F.depth, F.rows * STEP), dtype, 1024)
        a_ring = al.make_shared((F.stages * F.depth, F.width * STEP), dtype, 1024)
        ring = mbarrier_ring(F.stages, GROUP // WARP, F.cluster_n)
        sent = al.make_shared((max(F.split_k - 1, 1), VECTORS if F.split_k > 1 else 1, GROUP, 4), al.f32, 16)
        reduction = ClusterReduction(sent, al.make_shared((1,), al.u64))
        # B takes the side of 64 rows: its tiles stand below one another.
        tiles = TileScheduler(n, F.width, k, F.rows, F.width, F.cluster_n, 1, 1)
        runs = al.grid_dim(0) // F.cluster_n
        # Where nothing goes by way of the workspace, runs end where tiles do.
        scheduler = StreamKScheduler(tiles, runs, steps, F.depth * STEP, F.split_k == 1 and F.most == 1, total)
        if t == 0:
            al.nvvm.prefetch_tensormap(b)
            al.nvvm.prefetch_tensormap(a)
        if t == GROUP:
            ring.init()
            if F.split_k > 1:
                reduction.init()
            al.nvvm.fence_mbarrier_init()
            if F.split_k > 1:
                reduction.expect()
        if CLUSTER > 1:
            al.nvvm.cluster_arrive(1)
        if F.cluster_n > 1:
            al.nvvm.cluster_wait()
        if t >= GROUP:
            al.nvvm.barrier_arrive(READY, GROUP + WARP)
            if t == GROUP:
                produce(a, b, a_ring, b_ring, ring, scheduler, rank, F)
            if F.split_k > 1:
                al.nvvm.cluster_wait()
        else:
            al.nvvm.barrier_sync(READY, GROUP + WARP)
            partial = al.make_tensor(partials, al.f32, al.make_layout((2 * runs, 1, VECTORS, GROUP, 4)))
            counter = al.make_tensor(counters, al.u32, al.make_layout((runs, 1, 1)))
            workspace = Workspace(partial, counter, al.make_shared((1,), al.u32), SUMMED, F.most)
            result = al.make_tensor(c, out, al.make_layout((m, n)))
            consume(result, a_ring, b_ring, ring, scheduler, reduction, workspace, rank, F)

    return skinny


# -- on the host -------------------------------------------------------------------------------------------------------


def width_of(m: int) -> int:
    """Rows of A as the matrix instruction takes them."""
    return next(w for w in WIDTHS if w >= m)


def stages_of(width: int, rows: int, depth: int, split_k: int = 1, blocks_each: int = 1) -> int:
    """As many as shared memory holds beside the rest, with `blocks_each` blocks on a multiprocessor (1 KB of each is
    the driver's)."""
    left = SHARED // blocks_each - 1024 - max(split_k - 1, 1) * (rows * width * F32 if split_k > 1 else GROUP * UNIT)
    return left // ((rows + width) * depth * STEP * BYTES + 16)


class Division(NamedTuple):
    """Numbers of a launch that follow from its plan: `steps` of a tile, `total` of all, and how many blocks share a
    tile at the most, or some more."""

    blocks: int
    steps: int
    total: int
    most: int


@functools.cache
def work_of(plan: SkinnyPlan, n: int, k: int) -> Division:
    """The division of a product with B of n x k. The tiles of a cluster that shares A count as one."""
    steps, tiles = -(-k // (plan.depth * STEP)), -(-n // (plan.rows * plan.cluster_n))
    total = steps * tiles
    if plan.split_k > 1:
        return Division(tiles * min(plan.split_k, steps), steps, total, 1)
    if plan.cluster_n > 1:
        return Division(min(plan.blocks // plan.cluster_n, tiles) * plan.cluster_n, steps, total, 1)
    blocks = min(plan.blocks, total)
    if plan.whole:
        return Division(min(blocks, tiles), steps, total, 1)
    most = max(
        ((t + steps) * blocks - 1) // total - ((t + 1) * blocks - 1) // total + 1 for t in range(0, total, steps)
    )
    # A power of two, so that few kernels do for all shapes.
    return Division(blocks, steps, total, 1 << (most - 1).bit_length())


BESIDE = 2048  # bytes of shared memory that are left for mbarriers
ENOUGH = 0.75  # of the multiprocessors: so many can take all that memory gives
# Depth, stages and cluster_n, by the width of A (`benchmarks/tune_hopper_skinny.py`): some 100 KB of B on their
# way to each multiprocessor. Fewer do not keep memory busy; more push out of L2 what is there.
RINGS = {8: (4, 3, 1), 16: (4, 3, 2), 24: (2, 6, 1), 32: (2, 6, 1), 48: (2, 6, 1), 64: (2, 6, 1)}


@functools.cache
def best_plan(m: int, n: int, k: int, sms: int) -> SkinnyPlan:
    """The plan for a GPU with so many multiprocessors: whole tiles where they keep enough of them busy, as nothing has
    to be brought together then. Else clusters that share a tile, else equal runs of steps."""
    depth, stages, cluster_n = RINGS[width_of(m)]
    shared, most = -(-n // (ROWS * cluster_n)), max(1, sms // cluster_n)
    blocks = -(-shared // -(-shared // most)) * cluster_n
    if blocks >= ENOUGH * sms:
        return SkinnyPlan(ROWS, depth, stages, blocks, 1, cluster_n, True)
    tiles, steps = -(-n // ROWS), -(-k // (depth * STEP))
    least = ENOUGH * sms
    split_k = next((s for s in range(2, min(8, steps) + 1) if least <= tiles * s and tiles <= resident(s, sms)), 1)
    if split_k > 1:
        # The first block of a cluster has room for the others' sums beside its stages.
        width = width_of(m)
        stage, sums = depth * (ROWS + width) * STEP * BYTES, (split_k - 1) * ROWS * width * 4
        stages = min(stages, (SHARED - BESIDE - sums) // stage)
        return SkinnyPlan(ROWS, depth, stages, tiles * split_k, split_k)
    return SkinnyPlan(ROWS, depth, stages, min(sms, 8 * tiles))


def name_of(dtype: Any) -> str:
    """ "bf16", "f16", "f32", or what it is called, of a dtype of NumPy, torch or Ave."""
    name = str(getattr(dtype, "name", getattr(dtype, "__name__", dtype))).rpartition(".")[2]
    return {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}.get(name, name)


DTYPES = {"bf16": al.bf16, "f16": al.f16, "f32": al.f32}


def checked(a: Any, b: Any, out: Any, dtype: Any) -> Any:
    """`out`, or a new one. Raises ValueError where the arguments do not fit one another."""
    if out is not None:
        check(out=(out, 2))
    if a.shape[1] != b.shape[1]:
        raise argument_error(
            f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need two dimensions and the same number of columns"
        )
    (m, k), n = a.shape, b.shape[0]
    if not 1 <= m <= M_MOST:
        raise argument_error(f"a has {m} rows; this product is for 1 to {M_MOST}: use hopper_gemm for more")
    if k % 8:
        raise argument_error(
            f"rows of {k} elements: TMA needs them to begin at multiples of 16 bytes",
            "fill up with zeros to a multiple of 8",
        )
    names = name_of(a.dtype), name_of(b.dtype)
    if names[0] != names[1] or names[0] not in ("bf16", "f16"):
        raise argument_error(f"a is {names[0]} and b is {names[1]}: both must be bf16, or both f16")
    if dtype is not None and name_of(dtype) not in DTYPES:
        raise argument_error(f"dtype is {dtype!r}: it may be bf16, f16 or f32")
    if out is None:
        out = new(a, (m, n), dtype)
    elif dtype is not None and name_of(dtype) != name_of(out.dtype):
        raise argument_error(f"out is {name_of(out.dtype)}, but dtype asks for {name_of(dtype)}")
    if tuple(out.shape) != (m, n):
        raise argument_error(f"out is {tuple(out.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    if name_of(out.dtype) not in DTYPES:
        raise argument_error(f"out is {name_of(out.dtype)}: it may be bf16, f16 or f32")
    return out


@takes()
def skinny_gemm(a: Matrix, b: Matrix, out: Any = None, *, dtype: Any = None, **options: Any) -> Any:
    """C = A @ B^T for A of few rows, accumulated in f32; the same bits in every run.

    a: (m, k) with m of 1 to 64, b: (n, k), both bf16 or both f16, rows contiguous, k a multiple of 8; torch tensors on
    a Hopper GPU (sm_90a), or on the CPU, or NumPy arrays (ml_dtypes.bfloat16). out: (m, n) of bf16, f16 or f32; a new
    one of `dtype` (A's where it is None) is made when it is None. `options` are those of a launch, such as
    `backend="reference"`. Returns `out`. Raises ValueError for arguments that do not fit.

    Launches of one stream share a workspace of some 10 MB; threads that launch on streams of their own do not disturb
    one another."""
    out = checked(a, b, out, dtype)
    (m, k), n = a.shape, b.shape[0]
    if not (n and k):
        out[...] = 0
        return out
    return launch(a, b, out, best_plan(m, n, k, multiprocessors(a, SMS_OF_CPU)), **options)


def launch(a: Any, b: Any, out: Any, plan: SkinnyPlan, **options: Any) -> Any:
    """The same with a plan, for what has been checked."""
    at, room, numbers, more = prepared(a, b, out, plan)
    partials, counters = workspace_for(a, *room)
    at(a, b, out, partials, counters, *numbers, **more, **options)
    return out


def again(a: Any, b: Any, out: Any, plan: SkinnyPlan, **options: Any) -> Any:
    """`run(a, b, out)` for torch's tensors like these."""
    at, room, numbers, more = prepared(a, b, out, plan)
    options = {**more, **options}

    def run(a: Any, b: Any, out: Any) -> None:
        at(a, b, out, *workspace_of(a, *room), *numbers, **options)

    return run


def prepared(
    a: Any, b: Any, out: Any, plan: SkinnyPlan
) -> tuple[Any, tuple[int, int], tuple[int, ...], dict[str, Any]]:
    """The kernel and its grid, counters and sums of its workspace, numbers behind the arrays, options of the launch."""
    (m, k), n = a.shape, b.shape[0]
    width, work = width_of(m), work_of(plan, n, k)
    split_k, cluster_n = min(plan.split_k, work.steps), plan.cluster_n
    config = SkinnyConfig(width, plan.rows, plan.depth, plan.stages, split_k, cluster_n, work.most)
    size = 2 * work.blocks * plan.rows * width if work.most > 1 else 1
    more = {"cluster": (split_k * cluster_n, 1, 1)} if split_k * cluster_n > 1 else {}
    kernel = kernel_of(DTYPES[name_of(a.dtype)], DTYPES[name_of(out.dtype)], config)
    return kernel[work.blocks, GROUP + WARP], (work.blocks, size), (m, n, k, work.steps, work.total), more
