"""A few rows A and a large matrix B come in; C = A @ B^T goes out: products of M = 1 to 64 at the speed of memory, for NVIDIA's Hopper (sm_90a).

Nearly all time is reading B once. A tile of C has 64 or 128 rows of B, which take the side of `wgmma` that has 64 rows at the least; the few rows
of A, filled up with zeros to 8, 16, 32 or 64, take the other. A block has one warp that does nothing but ask the copy engine (TMA) for steps of B
and A, as many stages ahead as shared memory holds, which is what keeps memory busy, and a warpgroup that multiplies what has come. A stage has two
mbarriers: `full` counts the bytes that have come, `empty` the warps that are through with it.

The work is divided evenly, whatever the shape (stream-K): the steps along K of all tiles stand in one row, tile after tile, and each block takes an
equal run of them. A tile that lies within one run is written at once. Of a tile that several blocks share, each leaves its sums in a workspace, and
the last to come adds all up. Where equally many blocks share each tile they may be a cluster: then they send their sums into the shared memory of
the first of them, which takes half the time. Either way sums are added in the sequence of the blocks: the same bits in every run.

A cluster may also make tiles beside one another: each block brings a part of A for all of them, since many rows of A, read again for each tile, would
make more traffic than B. Edges cost nothing: the copy engine reads zeros past the end of a matrix.
"""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import sys
import threading
from typing import Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes
from avelang_kernels.arrays import Matrix, check

M_MOST = 64
WIDTHS = (8, 16, 32, 64)  # rows of A as the matrix instruction takes them
STEP = 64  # elements of K: 128 bytes, a row of the swizzle's pattern
INNER = 16  # elements of K that one wgmma multiplies
ROWS, GROUP, WARP = 64, 128, 32  # rows of a wgmma; threads
BYTES, F32 = 2, 4  # of an element of A and B; of a sum
UNIT = 16  # bytes: descriptors count them
SHARED = 227 * 1024  # bytes of shared memory that a block may have
ONCE, AGAIN = 1, 2  # what L2 is told: to evict first, or last
READY, SUMMED = 1, 2  # named barriers
ACQ_REL = 3
SMS_OF_CPU = 4  # blocks of a launch where there are no multiprocessors


class Plan(NamedTuple):
    """How a product is divided: `rows` of B that make a tile, pieces of 64 of K that make a step (`depth`), `stages` of the ring, `blocks` of the
    grid. `along`: blocks of a cluster that shares one tile; there are as many clusters as tiles then. `across`: blocks of a cluster that makes
    tiles beside one another; each makes whole tiles then. One of both is 1."""

    rows: int
    depth: int
    stages: int
    blocks: int
    along: int = 1
    across: int = 1


class Form(NamedTuple):
    """What a kernel is compiled for: a plan without its grid, rows of A, and how many blocks share a tile by way of the workspace, at the most."""

    width: int
    rows: int
    depth: int
    stages: int
    along: int
    across: int
    most: int


@avelang.jit
def prepare(full, empty, come, F):
    """Makes the barriers."""
    for i in range(F.stages):
        al.nvvm.mbarrier_init(full[i], 1)
        al.nvvm.mbarrier_init(empty[i], GROUP // WARP * F.across)
    if F.along > 1:
        al.nvvm.mbarrier_init(come, 1)
    al.nvvm.fence_mbarrier_init()
    if F.along > 1:
        al.nvvm.mbarrier_arrive_expect_tx(come, (F.along - 1) * F.rows * F.width * F32)


@avelang.jit
def run_of(block, blocks, steps, total, F):
    """The units of a block: the first, and the first of the next block."""
    first, end = block * total // blocks, (block + 1) * total // blocks
    if F.across > 1:  # whole tiles
        first, end = first // steps * steps, end // steps * steps
    return first, end


@avelang.jit
def following(slot, phase, F):
    """The next stage of the ring, and the parity of its phase."""
    last = slot == F.stages - 1
    return al.select(last, 0, slot + 1), al.select(last, phase ^ 1, phase)


@avelang.jit
def bring(a, b, a_ring, b_ring, full, empty, tile, step, count, steps, F):
    """Asks for `count` steps, from `step` of a tile on."""
    slot, phase = al.convert(0, al.u32), al.convert(0, al.u32)
    rank, PART = al.block_id(0) % F.across, F.width // F.across
    row = (tile * F.across + rank) * F.rows
    for _ in al.range(count):
        al.nvvm.mbarrier_wait(empty[slot], phase ^ 1)
        al.nvvm.mbarrier_arrive_expect_tx(full[slot], (F.rows + F.width) * F.depth * STEP * BYTES)
        for d in range(F.depth):
            col = (step * F.depth + d) * STEP
            al.nvvm.tma_load_2d(b_ring[slot, d], b, row, col, full[slot], ONCE)
            if F.across == 1:
                al.nvvm.tma_load_2d(a_ring[slot, d], a, 0, col, full[slot], AGAIN)
            else:
                part = al.subview(a_ring, (slot, d, rank * PART * STEP), (1, 1, PART * STEP), (1, 1, 1))
                al.nvvm.tma_load_2d_multicast(part, a, rank * PART, col, full[slot], (1 << F.across) - 1, AGAIN)
        slot, phase = following(slot, phase, F)
        step += 1
        if step == steps:
            step = al.convert(0, al.u32)
            row += F.rows * F.across
    if F.across > 1:
        # The other blocks say in this one's memory that they are through with its stages: it must be there until they have.
        for _ in al.range(F.stages):
            al.nvvm.mbarrier_wait(empty[slot], phase ^ 1)
            slot, phase = following(slot, phase, F)


@avelang.jit
def multiply(sums, a_ring, b_ring, slot, F):
    """Adds the products of a step."""
    for h in range(F.rows // ROWS):
        sums[h] = al.nvvm.wgmma_fence_acc(sums[h])
    for d in range(F.depth):
        a, b = al.nvvm.wgmma_descriptor(a_ring[slot, d]), al.nvvm.wgmma_descriptor(b_ring[slot, d])
        for inner in range(STEP // INNER):
            at = inner * INNER * BYTES // UNIT
            for h in range(F.rows // ROWS):
                down = h * ROWS * STEP * BYTES // UNIT
                if a_ring.dtype == al.bf16:
                    sums[h] = al.nvvm.wgmma_bf16_f32(b + (down + at), a + at, sums[h])
                else:
                    sums[h] = al.nvvm.wgmma_f16_f32(b + (down + at), a + at, sums[h])
    al.nvvm.wgmma_commit_group()
    for h in range(F.rows // ROWS):
        sums[h] = al.nvvm.wgmma_wait_acc(sums[h], 0)


@avelang.jit
def release(empty, slot, F):
    """Says that a warp is through with a stage, to all blocks that bring something for it."""
    lane = al.thread_id(0) % WARP
    if F.across == 1:
        if lane == 0:
            al.nvvm.mbarrier_arrive(empty[slot])
    elif lane < F.across:
        al.nvvm.mbarrier_arrive_cluster(empty[slot], lane, 1)


@avelang.jit
def write(c, sums, row):
    """Writes a tile: `row` is its first of B, a column of C."""
    t = al.thread_id(0)
    lane, warp = t % WARP, t // WARP
    for h in range(sums.shape[0]):
        for i in range(sums.shape[1]):
            m = 8 * (i // 4) + 2 * (lane % 4) + i % 2
            n = row + h * ROWS + 16 * warp + 8 * (i // 2 % 2) + lane // 4
            if m < c.shape[0] and n < c.shape[1]:
                c[m, n] = al.convert(sums[h, i], c.dtype)


@avelang.jit
def gather(quads, parts, come):
    """Sends a block's sums to the first of its cluster, which adds them up. Whether it is that one."""
    t, rank = al.thread_id(0), al.nvvm.cluster_rank()
    al.nvvm.cluster_wait()  # the first block has made its barrier
    if rank == 0:
        al.nvvm.mbarrier_wait(come, 0)
        for i in range(parts.shape[0]):
            for q in range(parts.shape[1]):
                quads[q] = quads[q] + parts[i, q, t]
    else:
        for q in range(parts.shape[1]):
            al.nvvm.st_async_x4(parts[rank - 1, q, t], 0, quads[q], come)
    return rank == 0


@avelang.jit
def leave(quads, kept, counts, was, first, last, begins):
    """Leaves the sums of a part of a tile, which blocks `first` to `last` share, in the workspace. Whether all have done so now. `begins`: the tile
    begins with this part. In a block's run at most one shared tile begins and one ends: so much room it has, and one counter."""
    t, others = al.thread_id(0), last - first
    for q in range(kept.shape[2]):
        kept[al.block_id(0), al.select(begins, 1, 0), q, t] = quads[q]
    al.nvvm.barrier_sync(SUMMED, GROUP)
    if t == 0:
        was[0] = al.nvvm.atomic_inc(counts[first], others, ACQ_REL)  # behind the last one it is 0 again
    al.nvvm.barrier_sync(SUMMED, GROUP)
    return was[0] == others


@avelang.jit
def add_up(quads, kept, first, last, MOST):
    """Adds up what blocks `first` to `last` have left. All of it is asked for at once: places past the last are read again, and count nothing."""
    QUADS, t = kept.shape[2], al.thread_id(0)
    parts = al.make_local((MOST, QUADS, 4), al.f32)
    for i in range(MOST):
        for q in range(QUADS):
            parts[i, q] = kept[min(first + i, last), 1 if i == 0 else 0, q, t]
    for q in range(QUADS):
        quads[q] = parts[0, q]
    for i in range(1, MOST):
        for q in range(QUADS):
            for e in range(4):
                quads[q, e] += al.select(first + i <= last, parts[i, q, e], 0.0)


@avelang.jit
def combine(sums, kept, counts, was, parts, come, unit, until, steps, total, F):
    """Brings the sums of a tile together, of which this block has the units up to `until`. Whether they are complete, and this block's to write."""
    quads = al.view(sums, al.Tensor((F.rows * F.width // GROUP // 4, 4), al.f32))
    whole = until - unit == steps
    if F.along > 1:
        whole = gather(quads, parts, come)
    elif F.most > 1:
        if not whole:
            blocks, top = al.grid_dim(0), (until - 1) // steps * steps
            # The run with a unit is the last that begins at it or before.
            first, last = ((top + 1) * blocks - 1) // total, ((top + steps) * blocks - 1) // total
            whole = leave(quads, kept, counts, was, first, last, unit == top)
            if whole:
                add_up(quads, kept, first, last, F.most)
    return whole


@avelang.jit
def add_steps(sums, a_ring, b_ring, full, empty, slot, phase, count, F):
    """Adds the products of the next `count` steps. Returns the stage behind them, and the parity of its phase."""
    for _ in al.range(count):
        al.nvvm.mbarrier_wait(full[slot], phase)
        multiply(sums, a_ring, b_ring, slot, F)
        release(empty, slot, F)
        slot, phase = following(slot, phase, F)
    return slot, phase


@functools.cache
def kernel_of(dtype: Any, out: Any, F: Form) -> Any:
    """The kernel of a form. What a copy brings at once is part of its tensor map's type: hence a function for each."""
    QUADS, CLUSTER = F.rows * F.width // GROUP // 4, F.along * F.across

    @avelang.jit
    def skinny(
        a: al.TensorMap(dtype, 2, (F.width // F.across, STEP), swizzle=128),  # type: ignore
        b: al.TensorMap(dtype, 2, (F.rows, STEP), swizzle=128),  # type: ignore
        c: al.Pointer(out),  # type: ignore
        kept: al.Pointer(al.f32),  # type: ignore
        counts: al.Pointer(al.u32),  # type: ignore
        m: al.u32,
        n: al.u32,
        steps: al.u32,
        total: al.u32,
    ):
        """`steps` of a tile, `total` of all. Blocks across count as one here, and their tiles too."""
        t, block, blocks = al.thread_id(0), al.block_id(0) // F.across, al.grid_dim(0) // F.across
        b_ring = al.make_shared((F.stages, F.depth, F.rows * STEP), dtype, 1024)
        a_ring = al.make_shared((F.stages, F.depth, F.width * STEP), dtype, 1024)
        full, empty = al.make_shared((F.stages, 1), al.u64), al.make_shared((F.stages, 1), al.u64)
        parts = al.make_shared((max(F.along - 1, 1), QUADS if F.along > 1 else 1, GROUP, 4), al.f32, 16)
        come, was = al.make_shared((1,), al.u64), al.make_shared((1,), al.u32)
        unit, end = run_of(block, blocks, steps, total, F)
        if t == 0:
            al.nvvm.prefetch_tensormap(b)
            al.nvvm.prefetch_tensormap(a)
        if t == GROUP:
            prepare(full, empty, come, F)
        if CLUSTER > 1:
            al.nvvm.cluster_arrive(1)
        if F.across > 1:
            al.nvvm.cluster_wait()
        if t >= GROUP:
            al.nvvm.barrier_arrive(READY, GROUP + WARP)
            if t == GROUP:
                bring(a, b, a_ring, b_ring, full, empty, unit // steps, unit % steps, end - unit, steps, F)
            if F.along > 1:
                al.nvvm.cluster_wait()
        else:
            al.nvvm.barrier_sync(READY, GROUP + WARP)
            slot, phase = al.convert(0, al.u32), al.convert(0, al.u32)
            tensor = al.make_tensor(c, out, al.make_layout((m, n)))
            room = al.make_tensor(kept, al.f32, al.make_layout((blocks, 2, QUADS, GROUP, 4)))
            counters = al.make_tensor(counts, al.u32, al.make_layout((blocks, 1)))
            while unit < end:
                tile = unit // steps
                until = min((tile + 1) * steps, end)
                sums = al.full((F.rows // ROWS, F.width // 2), 0.0, al.f32)
                slot, phase = add_steps(sums, a_ring, b_ring, full, empty, slot, phase, until - unit, F)
                if combine(sums, room, counters, was, parts, come, unit, until, steps, total, F):
                    write(tensor, sums, (tile * F.across + al.block_id(0) % F.across) * F.rows)
                unit = until

    return skinny


# -- on the host ---------------------------------------------------------------------------------------------------------------------------


def width_of(m: int) -> int:
    """Rows of A as the matrix instruction takes them."""
    return next(w for w in WIDTHS if w >= m)


def stages_of(width: int, rows: int, depth: int, along: int = 1, blocks_each: int = 1) -> int:
    """As many as shared memory holds beside the rest, with `blocks_each` blocks on a multiprocessor (1 KB of each is the driver's)."""
    left = SHARED // blocks_each - 1024 - max(along - 1, 1) * (rows * width * F32 if along > 1 else GROUP * UNIT)
    return left // ((rows + width) * depth * STEP * BYTES + 16)


class Work(NamedTuple):
    """What a launch needs to know of its plan: `steps` of a tile, `total` of all, and how many blocks share a tile at the most, or some more."""

    blocks: int
    steps: int
    total: int
    most: int


@functools.cache
def work_of(plan: Plan, n: int, k: int) -> Work:
    """The division of a product with B of n x k. Tiles across count as one."""
    steps, tiles = -(-k // (plan.depth * STEP)), -(-n // (plan.rows * plan.across))
    total = steps * tiles
    if plan.along > 1:
        return Work(tiles * min(plan.along, steps), steps, total, 1)
    if plan.across > 1:
        return Work(min(plan.blocks // plan.across, tiles) * plan.across, steps, total, 1)
    blocks = min(plan.blocks, total)
    most = max(((t + steps) * blocks - 1) // total - ((t + 1) * blocks - 1) // total + 1 for t in range(0, total, steps))
    return Work(blocks, steps, total, 1 << (most - 1).bit_length())  # a power of two, so that few kernels do for all shapes


ENOUGH = 0.75  # of the multiprocessors: so many can take all that memory gives
# Depth, stages and blocks across, by the width of A (`benchmarks/tune_hopper_skinny.py`): some 100 KB of B on their way to each multiprocessor. Fewer
# do not keep memory busy; more push out of L2 what is there.
RINGS = {8: (4, 3, 1), 16: (4, 3, 2), 32: (2, 6, 1), 64: (2, 6, 1)}


@functools.cache
def best_plan(m: int, n: int, k: int, sms: int) -> Plan:
    """The plan for a GPU with so many multiprocessors: whole tiles where they keep enough of them busy, as nothing has to be brought together then.
    Else clusters that share a tile, else equal runs of steps."""
    depth, stages, across = RINGS[width_of(m)]
    tiles = -(-n // ROWS)
    blocks = -(-tiles // -(-tiles // sms))
    if blocks >= ENOUGH * sms:
        return Plan(ROWS, depth, stages, blocks // across * across, 1, across)
    along = next((s for s in range(2, 9) if ENOUGH * sms <= tiles * s <= sms), 1)
    if along > 1:
        return Plan(ROWS, depth, stages, tiles * along, along)
    return Plan(ROWS, depth, stages, min(sms, 8 * tiles))


@functools.cache
def multiprocessors(device: Any) -> int:
    """Of torch's device."""
    return sys.modules["torch"].cuda.get_device_properties(device).multi_processor_count


_workspaces: dict[Any, tuple[Any, Any]] = {}
_retired: list[Any] = []


def workspace_of(a: Any, blocks: int = 1, size: int = 2) -> tuple[Any, Any]:
    """Room for `size` sums (f32) and a counter, 0, for each block, beside torch's `a`. It is kept for each stream, since launches of one stream run
    one after another, and never given back, so that a captured graph may go on using it: graphs captured on one stream must not run side by side.
    What uses no room (`size` 1) gets the same on all streams: asking for the current one takes time."""
    torch: Any = sys.modules["torch"]
    where = 0 if size == 1 else torch.cuda.current_stream(a.device).cuda_stream if a.is_cuda else threading.get_ident()
    key = a.device, size == 1, where
    found = _workspaces.get(key)
    if found is None or len(found[0]) < size or len(found[1]) < blocks:
        _retired.append(found)
        room = (max(n, len(x)) for n, x in zip((size, blocks), found or ((), ()), strict=True))
        found = torch.empty(next(room), device=a.device), torch.zeros(next(room), dtype=torch.int32, device=a.device)
        _workspaces[key] = found
    return found


def numpy_workspace(blocks: int, size: int) -> tuple[Any, Any]:
    """The same for one launch on the CPU."""
    import numpy as np  # takes longer to import than the kernel to compile

    return np.empty(size, np.float32), np.zeros(blocks, np.uint32)


def is_torch(x: Any) -> bool:
    return type(x).__module__.partition(".")[0] == "torch"


def name_of(dtype: Any) -> str:
    """ "bf16", "f16", "f32", or what it is called, of a dtype of NumPy, torch or Ave."""
    name = str(getattr(dtype, "name", getattr(dtype, "__name__", dtype))).rpartition(".")[2]
    return {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}.get(name, name)


DTYPES = {"bf16": al.bf16, "f16": al.f16, "f32": al.f32}


def empty(a: Any, m: int, n: int, dtype: Any) -> Any:
    """A new C of `dtype` beside `a`."""
    if is_torch(a):
        return a.new_empty((m, n), dtype=dtype)
    import numpy as np

    return np.empty((m, n), dtype)


def checked(a: Any, b: Any, out: Any, dtype: Any) -> Any:
    """`out`, or a new one. Raises ValueError where the arguments do not fit one another."""
    if out is not None:
        check(out=(out, 2))
    if a.shape[1] != b.shape[1]:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need two dimensions and the same number of columns")
    (m, k), n = a.shape, b.shape[0]
    if not 1 <= m <= M_MOST:
        raise argument_error(f"a has {m} rows; this product is for 1 to {M_MOST}: use hopper_gemm for more")
    if k % 8:
        raise argument_error(f"rows of {k} elements: TMA needs them to begin at multiples of 16 bytes", "fill up with zeros to a multiple of 8")
    names = name_of(a.dtype), name_of(b.dtype)
    if names[0] != names[1] or names[0] not in ("bf16", "f16"):
        raise argument_error(f"a is {names[0]} and b is {names[1]}: both must be bf16, or both f16")
    if dtype is not None and name_of(dtype) not in DTYPES:
        raise argument_error(f"dtype is {dtype!r}: it may be bf16, f16 or f32")
    if out is None:
        out = empty(a, m, n, a.dtype if dtype is None else dtype)
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

    a: (m, k) with m of 1 to 64, b: (n, k), both bf16 or both f16, rows contiguous, k a multiple of 8; torch tensors on a Hopper GPU (sm_90a), or on
    the CPU, or NumPy arrays (ml_dtypes.bfloat16). out: (m, n) of bf16, f16 or f32; a new one of `dtype` (A's where it is None) is made when it is
    None. `options` are those of a launch, such as `backend="reference"`. Returns `out`. Raises ValueError for arguments that do not fit.

    Launches of one stream share a workspace of some 10 MB; threads that launch on streams of their own do not disturb one another.
    """
    out = checked(a, b, out, dtype)
    (m, k), n = a.shape, b.shape[0]
    if not (n and k):
        out[...] = 0
        return out
    sms = multiprocessors(a.device) if is_torch(a) and a.is_cuda else SMS_OF_CPU
    return launch(a, b, out, best_plan(m, n, k, sms), **options)


def launch(a: Any, b: Any, out: Any, plan: Plan, **options: Any) -> Any:
    """The same with a plan, for what has been checked."""
    (m, k), n = a.shape, b.shape[0]
    width, work = width_of(m), work_of(plan, n, k)
    along, across = min(plan.along, work.steps), plan.across
    form = Form(width, plan.rows, plan.depth, plan.stages, along, across, work.most)
    size = 2 * work.blocks * plan.rows * width if work.most > 1 else 1
    kept, counts = workspace_of(a, work.blocks, size) if is_torch(a) else numpy_workspace(work.blocks, size)
    if along * across > 1:
        options["cluster"] = (along * across, 1, 1)
    kernel = kernel_of(DTYPES[name_of(a.dtype)], DTYPES[name_of(out.dtype)], form)
    kernel[work.blocks, GROUP + WARP](a, b, out, kept, counts, m, n, work.steps, work.total, **options)
    return out
