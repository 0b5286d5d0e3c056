"""A of few rows and B come in; C = A @ B^T goes out: one source for AMD's matrix cores (sparse ones, where they
multiply fewer rows) and NVIDIA's.

B is read once, by the pipeline "streamed": straight into registers, on NVIDIA by a ring in shared memory. Where there
are fewer tiles of C than units, several blocks share one: each takes a part of K and leaves its sums in a workspace,
and the last to come adds them up, in the order of the parts: the same bits in every run.

Facts: IREE, "Virtual Dense MFMAs for Skinny GEMM"; Hugging Face, "Creating custom kernels for the AMD MI300"; LLVM,
User Guide for AMDGPU Backend, memory models of gfx90a and gfx942, for the cache policies by which blocks on different
dies see one another's sums."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.pipelines.fixup import block_fixup
from avelang.pipelines.scheduler import Peers, TileScheduler
from avelang.tile.pipelines import pipeline
from avelang_kernels.arrays import Matrix, Positive, product_dtypes
from avelang_kernels.workspaces import workspace_for

MOST_ROWS = 24
MMA_ROWS = 16  # of the instructions that have no fewer


@avelang.struct
class PartsOfK:
    """A walk over the tiles of C and, of each, over parts of K, `each` long, the fastest: blocks that share a tile run
    at one time and on one die."""

    tiles: ...
    each: ...
    PARTS: al.constexpr

    def count(self):
        """Blocks."""
        return self.tiles.count() * self.PARTS

    def job(self, index: Any, cluster_m: Any, cluster_n: Any):
        """The part of a block."""
        work, part = self.tiles.work_tile(index // self.PARTS, 0, 0), index % self.PARTS
        work.k = part * self.each, min((part + 1) * self.each, work.k[1])
        work.peers = Peers(index - part, index - part + (self.PARTS - 1), index)
        return work


@avelang.jit
def parts_of_k(T: Any, m: Any, n: Any, k: Any, each: Any, PARTS: Any):
    """The parts of K of a block's tiles."""
    return PartsOfK(TileScheduler(m, n, k, T.m, T.n, GROUP_M=1), each, PARTS)


@functools.cache
def build(T: tile.Block, parts: int, dtype: al.DType, out: al.DType) -> Any:
    """The kernel for a block's tile and MMA, for so many parts of K, the dtype of A and B, and that of C."""

    @avelang.jit
    def skinny(
        a: al.Pointer[dtype], b: al.Pointer[dtype], c: al.Pointer[out], partials: al.Pointer[al.f32],
        counters: al.Pointer[al.u32], m: al.u32, n: al.u32, k: al.u32, each: al.u32,
        RUN: al.constexpr = 8, WIDE: al.constexpr = 4,
    ):  # fmt: skip
        A, B, C = tile.view(a, (m, k), RUN), tile.view(b, (n, k), RUN), tile.view(c, (m, n), WIDE)

        def finish(sums: Any, at: Any):
            row, col, peers = at
            if parts == 1 or block_fixup(sums.values, sums.dist.threads, partials, counters, peers, parts):
                C.store(sums, (row, col))

        tile.multiply(T, A, B, parts_of_k(T, m, n, k, each, parts), finish)

    return skinny


# -- on the host -------------------------------------------------------------------------------------------------------


@takes()
@functools.cache
def plan_of(m: Positive, n: Positive, k: Positive, dtype: al.DType | str, target: str) -> tile.Plan:
    """The plan that `ave explain gemm` prints: the best one whose operands are in registers."""
    return next(
        v.plan for v in tile.choose(tile.gemm(m, n, k, dtype, target))[1] if v.kept and v.plan.mma.b is not None
    )


@functools.cache
def block_of(plan: tile.Plan) -> tile.Block:
    """The block of a plan."""
    return plan.block()


@functools.cache
def parts_of(m: int, n: int, k: int, dtype: Any, target: str, units: int = 0) -> tuple[tile.Block, int]:
    """The block and, at most, its parts of K: those of `tile.plan_for`, or `ring` where NVIDIA's chips have one.
    `units`: as of `ring`."""
    if not pipeline("cp-async").missing(target):
        return ring(m, n, k, dtype, target, units)
    block, parts = tile.split_for(m, n, k, dtype, target, units)
    return block, int(parts)


# What `ring` takes: columns of a block, bytes of a row in a step, stages, and blocks for each multiprocessor: all of
# them run at once, and have some 56 KB of B each on the way. Three, for which Hopper has room too, are slower
# (`benchmarks/tile_skinny.py --only tune`).
COLUMNS, ROW, STAGES, RESIDENT = 64, 128, 8, 2


def ring(m: int, n: int, k: int, dtype: Any, target: str, units: int) -> tuple[tile.Block, int]:
    """The block of a ring of cp.async, by the instruction that has 8 rows where A has no more, and parts of K. `units`:
    multiprocessors."""
    dtypes, step = (dtype, dtype, al.i32 if dtype.is_int else al.f32), ROW // dtype.bytes
    few = [x for x in tile.mmas(target) if x.name.startswith("VMMA_SYNC") and x.dtypes == dtypes and m <= x.m == 8]
    wide = max(few, key=lambda x: x.k, default=None)
    block = tile.Block(
        -(-m // MMA_ROWS) * MMA_ROWS if wide is None else wide.m,
        COLUMNS,
        step,
        (1, COLUMNS // 16),
        "streamed",
        STAGES,
        mma=wide and wide.name,
    )
    tiles, steps = -(-m // block.m) * -(-n // block.n), -(-k // step)
    return block, max(1, min(RESIDENT * units // tiles, steps // (2 * STAGES)))


def checked(a: Any, b: Any, out: Any) -> tuple[al.DType, al.DType]:
    """The dtypes of A and of C. Raises ValueError for shapes that do not fit one another, TypeError for dtypes."""
    return _checked(tuple(a.shape), tuple(b.shape), tuple(out.shape), a.dtype, b.dtype, out.dtype)


@functools.lru_cache(1024)  # arrays of the same shapes come again and again
def _checked(a: tuple[int, ...], b: tuple[int, ...], out: tuple[int, ...], *dtypes: Any) -> tuple[al.DType, al.DType]:
    if len(a) != 2 or len(b) != 2 or a[1] != b[1] or out != (a[0], b[0]):
        raise argument_error(f"a is {a}, b is {b}, out is {out}: C = A @ B^T of (m, k) and (n, k) is (m, n)")
    if not 1 <= a[0] <= MOST_ROWS:
        raise argument_error(f"a has {a[0]} rows; this product is for 1 to {MOST_ROWS}: use tile_gemm for more")
    one, two, three = (str(getattr(x, "name", x)).rpartition(".")[2] for x in dtypes)
    return product_dtypes(one, two, three)


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix, target: str | None = None, **options: Any) -> Any:
    """C = A @ B^T; the same bits in every run. a: (m, k) with m of 1 to 24, b: (n, k), of one dtype; out: (m, n);
    contiguous, NumPy's or torch's. bf16, f16 and the chip's kinds of f8 are summed up in f32, for an out of f32, bf16
    or f16; i8 in i32, as out. `target`: the chip, by default that of the arrays' GPU; arrays on the CPU are multiplied
    there. `options` are those of a launch. Returns `out`. Raises ValueError for shapes that do not fit, TypeError for
    dtypes, U103 for chips without a choice of plans.

    Launches of one stream share a workspace; threads that launch on streams of their own do not disturb one another.
    """
    dtype, _ = checked(a, b, out)
    (m, k), n = a.shape, b.shape[0]
    if not (n and k):
        out[...] = 0
        return out
    if target is None and tile.on_cpu(a):
        options.setdefault("backend", "cpu")
    target, units = tile.device_of(a, target)
    return launch(a, b, out, *parts_of(m, n, k, dtype, target, units), target, **options)


def work_of(k: int, step: int, parts: int) -> tuple[int, int]:
    """K of a part, whole steps of a block, and how many parts that makes: no more than `parts`, and none is empty."""
    steps = -(-k // step)
    each = -(-steps // parts)
    return each * step, -(-steps // each)


@takes()
def launch(a: Matrix, b: Matrix, out: Matrix, T: tile.Block, parts: Positive, target: str, **options: Any) -> Any:
    """The same with a block, and no more than so many parts of K."""
    dtype, to = checked(a, b, out)
    (m, k), n = a.shape, b.shape[0]
    tiles, (each, parts) = -(-m // T.m) * -(-n // T.n), work_of(k, T.k, parts)
    size = tiles * parts * T.m * T.n if parts > 1 else 1
    partials, counters = workspace_for(a, tiles, size)
    kernel = build(T, parts, dtype, to)
    grid = tiles * parts, T.on(target, dtype).threads
    kernel[grid](
        a,
        b,
        out,
        partials,
        counters,
        m,
        n,
        k,
        each,
        math.gcd(k, 16 // dtype.bytes),
        math.gcd(n, 4),
        target=target,
        **options,
    )
    return out
