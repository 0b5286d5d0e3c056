"""Two matrices of bf16 or f16 come in; C = A @ B^T in their type or in f32 goes out: the product for NVIDIA's Hopper,
an instruction at a time (sm_90a).

The plan is that of `hopper_gemm.py`: blocks stay on their multiprocessors and make one tile of C after another; one
thread has the copy engine bring steps of A and B into a ring of stages, and warpgroups multiply 64 rows each by
`wgmma`; the blocks of a cluster lie below one another in C, and each brings its share of B's columns for all. What is
written here, and not left to a compiler:

- sizes are known when the kernel is written, so that tiles are counted off by constants;
- each consumer has code of its own, in which whatever is the same for its 128 threads is provably so, and stays in
  uniform registers;
- descriptors advance by one addition to their low word, and barriers stand at a constant distance from one another;
- the first product of a tile does not read the sums, so that nobody sets them to zero.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Generator
from typing import Any, NamedTuple

import avelang_kernels.matmul.hopper_gemm as threads_level
from avelang import argument_error, takes
from avelang.pipelines.warp_specialized import GROUP, PATTERN, REGISTERS, ROWS
from avelang.ptx import Kernel, Reg, Tile, kernel, ptx, reg, smem
from avelang.ptx.types import Type, b16, b32, b64, bf16, f16, f32, u32, u64
from avelang_kernels.arrays import Matrix, Positive, multiprocessors
from avelang_kernels.matmul.hopper_rule import SMS
from avelang_kernels.matmul.hopper_tiles import STEP, clusters
from avelang_kernels.matmul.hopper_tiles import GemmTile as Plan
from avelang_kernels.ptx_common import checked, divided, mad, repeat, rounded, tile_of

INNER = 16  # elements of K that one wgmma multiplies
BARRIER = 8  # bytes of an mbarrier
PRODUCTS = STEP // INNER  # that a consumer does with a stage
# Tiles to choose from, and the part of the speed of the first that they reach where all multiprocessors are busy:
# smaller ones wait for L2 (on an H200, 2026-11-21).
TILES = {Plan(128, 256, 4, 2): 1.0, Plan(128, 128, 6, 2): 0.97, Plan(64, 128, 6): 0.56}


def best_tile(m: int, n: int, sms: int = SMS) -> Plan:
    """The tile with which a GPU of so many multiprocessors is through soonest: by rounds of its blocks, and the time
    that each tile takes."""

    def time(tile: Plan) -> float:
        return math.ceil(clusters(m, n, tile) / max(1, sms // tile.cluster)) * tile.m * tile.n / TILES[tile]

    return min(TILES, key=time)


class Shared(NamedTuple):
    """Addresses in shared memory, u32: of the first stage of A and of B, of the pieces of C that are on their way out,
    of the mbarriers of the stages (`full`: bytes have come; `empty`: all consumers are through)."""

    a: Reg
    b: Reg
    pieces: Reg
    full: Reg
    empty: Reg


class BlockTask(NamedTuple):
    """The task of a block. `tiles`: rows and columns of C in tiles of a cluster. `whole`: rows of C begin where the
    copy engine can write."""

    plan: Plan
    dtype: Type
    out: Type
    whole: bool
    size: tuple[int, int, int]
    tiles: tuple[int, int]
    running: int  # clusters

    @property
    def consumers(self) -> int:
        """Warpgroups that multiply."""
        return self.plan.m // ROWS

    @property
    def a_bytes(self) -> int:
        """Bytes of A in a stage."""
        return self.plan.m * STEP * self.dtype.bytes

    @property
    def b_bytes(self) -> int:
        """Bytes of B in a stage."""
        return self.plan.n * STEP * self.dtype.bytes

    @property
    def width(self) -> int:
        """Columns of a piece of C."""
        return PATTERN // self.out.bytes

    @property
    def buffers(self) -> int:
        """Pieces of C that a consumer has on their way. Each tile begins with the first buffer again: two, where it has
        an even number of them."""
        return 1 if self.plan.n // self.width % 2 else 2

    @property
    def steps(self) -> int:
        """Steps of the K loop."""
        return -(-self.size[2] // STEP)


# -- the two parts of a block ------------------------------------------------------------------------------------------


class RingState:
    """The stage that a thread is at, and the parity of its phase."""

    def __init__(self, stages: int, parity: int):
        self.stages = stages
        self.index, self.parity = reg.scalar(u32, 0), reg.scalar(u32, parity)

    def advance(self) -> None:
        """Goes to the next stage; behind the last one to the first, in the other phase."""
        last = self.index == self.stages - 1
        self.index += 1
        with ptx.when(last):
            self.index.set(0)
            self.parity ^= 1


@contextlib.contextmanager
def each_tile(job: BlockTask, name: str) -> Generator[tuple[Reg, Reg], None, None]:
    """The block for each tile of this cluster, with its row and column in tiles."""
    rows, cols = job.tiles
    cluster = job.plan.cluster
    index, _ = divided(reg.from_(ptx.special.ctaid.x()), cluster, job.running * cluster)
    ptx.label(name)
    yield tile_of(index, rows, cols, job.plan.group_m)
    index += job.running
    ptx.bra(name, index < rows * cols)


def produce(job: BlockTask, at: Shared, maps: list[Reg], rank: Reg) -> None:
    """One thread's part: fills stages, tile after tile. `rank`: of the block in its cluster."""
    plan, (a_map, b_map, *_) = job.plan, maps
    share = plan.n // plan.cluster_m
    slot = RingState(plan.stages, 1)
    mine = mad(rank, job.b_bytes // plan.cluster_m, at.b)
    mask = reg.scalar(b16, (1 << plan.cluster_m) - 1) if plan.cluster_m > 1 else None

    with each_tile(job, "$produce_tile") as (row, col):
        top, left = (row * plan.cluster_m + rank) * plan.m, col * plan.n + rank * share
        k = reg.scalar(u32, 0)
        with repeat("$produce", reg.scalar(u32, job.steps)):
            full = mad(slot.index, BARRIER, at.full)
            ptx.mbarrier.wait(mad(slot.index, BARRIER, at.empty), slot.parity)
            ptx.mbarrier.arrive_expect_tx(full, job.a_bytes + job.b_bytes)
            ptx.tma.load_2d(mad(slot.index, job.a_bytes, at.a), a_map, (top, k), full)
            ptx.tma.load_2d(mad(slot.index, job.b_bytes, mine), b_map, (left, k), full, mask=mask)
            slot.advance()
            k += STEP
    if plan.cluster > 1:
        # The other block says in this one's memory that it is through with its stages: it must be there until it has.
        for _ in range(plan.stages):
            ptx.mbarrier.wait(mad(slot.index, BARRIER, at.empty), slot.parity)
            slot.advance()


class Consumer:
    """A warpgroup's part: 64 rows of each tile. `t`: its thread."""

    def __init__(self, job: BlockTask, at: Shared, index: int, t: Reg, rank: Reg, output: ByEngine | ByThreads):
        self.job, self.at, self.index, self.rank, self.output = job, at, index, rank, output
        self.sums = reg.array(f32, job.plan.n // 2)
        self.slot = RingState(job.plan.stages, 0)
        # The low words of descriptors of the first stage; the high ones do not change.
        (self.a, _), (self.b, self.high) = (
            halves(ptx.wgmma.descriptor(start)) for start in (at.a + index * ROWS * STEP * job.dtype.bytes, at.b)
        )
        self.yes, self.no = reg.pred(True), reg.pred(False)
        self.given = reg.scalar(u32)  # where to say that the stage before this one is free
        self.releases, self.empty = t < job.plan.cluster_m, at.empty
        if job.plan.cluster_m > 1:
            self.empty = ptx.cluster.mapa(at.empty, t & (job.plan.cluster_m - 1))

    def multiply(self, first: bool = False) -> None:
        """Begins the products of a stage."""
        job, slot = self.job, self.slot
        a, b = (mad(slot.index, size // 16, low) for size, low in ((job.a_bytes, self.a), (job.b_bytes, self.b)))
        along = INNER * job.dtype.bytes // 16
        ptx.mbarrier.wait(mad(slot.index, BARRIER, self.at.full), slot.parity)
        ptx.wgmma.fence()
        for k in range(PRODUCTS):
            left, right = (joined(low + k * along if k else low, self.high) for low in (a, b))
            ptx.wgmma.mma_async(shape=(ROWS, job.plan.n, INNER), dtype_a=job.dtype, d=self.sums, a=left, b=right,
                                scale_d=self.no if first and not k else self.yes)  # fmt: skip
        ptx.wgmma.commit_group()

    def release(self) -> None:
        """Says to the producers of all blocks that bring something for the stage before this one that this consumer is
        through with it."""
        if self.job.plan.cluster_m > 1:
            # Released at cluster scope it would be a fence of the whole GPU. Nothing was written, and wgmma is through:
            # relaxed will do.
            ptx.inst["mbarrier.arrive.relaxed.cluster.shared::cluster.b64"](
                None, ptx.addr(self.given), pred=self.releases
            )
        else:
            ptx.mbarrier.arrive(self.given, pred=self.releases)

    def next(self) -> None:
        """Notes the stage to release, and goes to the next one."""
        ptx.inst.mad.lo.u32(self.given, self.slot.index, BARRIER, self.empty)
        self.slot.advance()

    def tile(self, row: Reg, col: Reg) -> None:
        """Multiplies and stores."""
        # The first step stands before the loop: then nothing but wgmma writes to the sums in it, and the steps may
        # overlap.
        self.multiply(first=True)
        self.next()
        if self.job.steps > 1:
            with repeat(f"$consume_{self.index}", reg.scalar(u32, self.job.steps - 1)):
                self.multiply()
                # One step stays under way while the one before it is given back.
                ptx.wgmma.wait_group(1)
                self.release()
                self.next()
        ptx.wgmma.wait_group(0)
        self.release()
        plan = self.job.plan
        top, left = (row * plan.cluster_m + self.rank) * plan.m + self.index * ROWS, col * plan.n
        self.output.store(self.sums, top, left)


class ByEngine:
    """Stores a consumer's sums by the copy engine, 128 bytes of each row at a time, out of shared memory. `to`: C's
    tensor map."""

    def __init__(self, job: BlockTask, at: Shared, index: int, t: Reg, to: Reg):
        self.job, self.index, self.to, self.one = job, index, to, t == 0
        self.size = ROWS * PATTERN  # of a piece
        self.pieces = at.pieces + index * job.buffers * self.size
        warp, lane = t >> 5, t & 31
        # As the engine's swizzle has it, chunk c of row r is at c ^ (r % 8). The places of chunks 2 i differ by a bit
        # of the address.
        if job.out is f32:
            row, chunk, inside = warp * 16 + (lane >> 2), (lane >> 1) & 1, (lane & 1) * 8
            first = (row * PATTERN + ((chunk ^ (row & 7)) << 4) + inside) + self.pieces
        else:
            row, chunk = warp * 16 + (lane & 15), lane >> 4
            first = (row * PATTERN + ((chunk ^ (row & 7)) << 4)) + self.pieces
        self.places = [first ^ (2 * i << 4) if i else first for i in range(4)]

    def store(self, sums: list[Reg], top: Reg, left: Reg) -> None:
        """Stores a tile, piece after piece: shared memory, then a TMA store."""
        barrier, each = 1 + self.index, self.job.width // 2
        for p in range(self.job.plan.n // self.job.width):
            buffer = p % self.job.buffers * self.size
            # Thread 0 has seen to it that the engine is through with the buffer.
            ptx.bar_sync(barrier, GROUP)
            self.keep(sums[p * each : (p + 1) * each], buffer)
            ptx.fence.proxy_async()
            ptx.bar_sync(barrier, GROUP)
            with ptx.if_(self.one):
                ptx.tma.store_2d(self.to, (top, left + p * self.job.width), ptx.addr(self.pieces, buffer))
                ptx.tma.commit_group()
                ptx.tma.wait_group(self.job.buffers - 1, read=True)

    def finish(self) -> None:
        """Shared memory must be there until the engine has read it."""
        with ptx.if_(self.one):
            ptx.tma.wait_group(0)

    def keep(self, sums: list[Reg], buffer: int) -> None:
        """Rounds and writes 64 rows of a piece."""
        each = len(sums) // 4
        for i, place in enumerate(self.places):
            values = sums[i * each : (i + 1) * each]
            if self.job.out is f32:
                for half in range(2):
                    ptx.inst.st.shared.v2.f32(
                        ptx.addr(place, buffer + half * 8 * PATTERN), values[2 * half : 2 * half + 2]
                    )
            else:
                ptx.stmatrix(
                    ptx.addr(place, buffer),
                    [rounded(low, high, self.job.out) for low, high in zip(values[::2], values[1::2], strict=True)],
                )


class ByThreads:
    """Stores a consumer's sums element by element, where rows of C do not begin at multiples of 16 bytes. `to`: C's
    address."""

    def __init__(self, job: BlockTask, t: Reg, to: Reg):
        self.job, self.to = job, to
        self.row, self.col = (t >> 5) * 16 + ((t & 31) >> 2), (t & 3) * 2

    def finish(self) -> None:
        """Nothing is under way."""

    def store(self, sums: list[Reg], top: Reg, left: Reg) -> None:
        """Stores the rows and columns of a tile that are inside of C."""
        m, n, _ = self.job.size
        for half in range(2):
            row, col = top + self.row + 8 * half, left + self.col
            start = reg.scalar(u64)
            ptx.inst.mad.wide.u32(start, row, n * self.job.out.bytes, self.to)
            start += col * self.job.out.bytes
            inside = row < m
            for at in range(self.job.plan.n // 4):
                right = at // 2 * 8 + at % 2
                if right >= n:
                    continue
                there = (col < n - right) & inside
                value, place = sums[at // 2 * 4 + 2 * half + at % 2], ptx.addr(start, right * self.job.out.bytes)
                if self.job.out is f32:
                    ptx.inst.st.global_.f32(place, value, pred=there)
                else:
                    ptx.inst.st.global_.b16(place, value.to(self.job.out), pred=there)


def halves(word: Reg) -> tuple[Reg, Reg]:
    """The low and the high word."""
    low, high = reg.array(b32, 2)
    ptx.inst.mov.b64([low, high], word)
    return low, high


def joined(low: Reg, high: Reg) -> Reg:
    """A 64-bit register of two words."""
    out = reg.scalar(b64)
    ptx.inst.mov.b64(out, [low, high])
    return out


# -- the kernel --------------------------------------------------------------------------------------------------------


@functools.cache
def build(plan: Plan, dtype: Type, out: Type, whole: bool = True, sms: int = SMS) -> Kernel:
    """The kernel of a plan: `k(a, b)` for a (M, K) and b (N, K) of `dtype`, K a multiple of 8, gives (M, N) of `out`.
    `whole`: N is a multiple of 16 bytes of it. `sms`: multiprocessors of the GPU."""
    if plan.cluster_n != 1 or plan.cluster_m & (plan.cluster_m - 1):
        raise argument_error(
            f"a cluster of {plan.cluster_m} x {plan.cluster_n} blocks; here its blocks are below one another, and a "
            f"power of 2"
        )

    def cluster_count(M: int, N: int) -> int:
        return min(clusters(M, N, plan), max(1, sms // plan.cluster))

    boxes = (plan.m, STEP), (plan.n // plan.cluster_m, STEP)

    @kernel(
        in_specs=tuple(Tile(rows, "K", dtype, box=box, swizzle=PATTERN) for rows, box in zip("MN", boxes, strict=True)),
        out_specs=Tile("M", "N", out, box=(ROWS, PATTERN // out.bytes), swizzle=PATTERN) if whole else Tile("M", "N",
            out),
        grid=lambda M, N: cluster_count(M, N) * plan.cluster, block=threads_level.threads(plan), cluster=plan.cluster,
        arch="sm_90a", min_blocks=1,
    )  # fmt: skip
    def hopper_gemm(A: Any, B: Any, C: Any, *, M: Any, N: Any, K: Any):
        tiles = -(-M // (plan.m * plan.cluster_m)), -(-N // plan.n)
        job = BlockTask(plan, dtype, out, whole, (M, N, K), tiles, cluster_count(M, N))
        a, b = (smem.alloc(dtype, (plan.stages, rows, STEP), align=1024, dynamic=True) for rows in (plan.m, plan.n))
        pieces = smem.alloc(out, (job.consumers * job.buffers, ROWS, job.width), align=1024, dynamic=True)
        bars = smem.barriers(2 * plan.stages, dynamic=True)
        start = a.pointer()

        def behind(tile: Any) -> Any:
            return start + (tile.place.offset - a.place.offset)

        full = behind(bars)
        at = Shared(start, behind(b), behind(pieces), full, full + plan.stages * BARRIER)
        maps = [ptx.tma.map(x) for x in ((A, B, C) if whole else (A, B))]
        t = reg.from_(ptx.special.tid.x())
        begin(job, at, maps, t)
        to = maps[2] if whole else ptx.global_ptr(C)
        work(job, at, maps, t, to)

    return hopper_gemm


def begin(job: BlockTask, at: Shared, maps: list[Reg], t: Reg) -> None:
    """Makes the barriers of the ring, for all blocks of the cluster to see."""
    with ptx.if_(t == 0):
        for place in maps:
            ptx.tma.prefetch_map(place)
        for s in range(job.plan.stages):
            ptx.mbarrier.init(ptx.addr(at.full, s * BARRIER), 1)
            ptx.mbarrier.init(ptx.addr(at.empty, s * BARRIER), job.consumers * job.plan.cluster_m)
        ptx.fence.mbarrier_init()
    meet(job)


def meet(job: BlockTask) -> None:
    """All threads of the cluster wait for one another. Relaxed: `fence.mbarrier_init` has published the barriers, and
    nothing else is handed over."""
    if job.plan.cluster > 1:
        ptx.cluster.arrive("relaxed", "aligned")
        ptx.cluster.wait("acquire", "aligned")
    else:
        ptx.syncthreads()


def work(job: BlockTask, at: Shared, maps: list[Reg], t: Reg, to: Reg) -> None:
    """Each warpgroup goes to its part."""
    producer, consumer = REGISTERS[job.consumers - 1]
    rank = reg.from_(ptx.special.cluster_ctarank())
    with ptx.if_(t < GROUP):
        ptx.inst.setmaxnreg.dec.sync.aligned.u32(producer)
        with ptx.if_(t == 0):
            produce(job, at, maps, rank)
    with ptx.else_():
        ptx.inst.setmaxnreg.inc.sync.aligned.u32(consumer)
        for i in range(job.consumers):
            with ptx.if_(t >> 7 == i + 1):
                mine = t & (GROUP - 1)
                output = ByEngine(job, at, i, mine, to) if job.whole else ByThreads(job, mine, to)
                part = Consumer(job, at, i, mine, rank, output)
                with each_tile(job, f"$tile_{i}") as (row, col):
                    part.tile(row, col)
                output.finish()
    ptx.ret()


# -- from arrays -------------------------------------------------------------------------------------------------------


@takes()
def gemm(
    a: Matrix, b: Matrix, out: Matrix | None = None, to: Type | None = None, plan: Plan | None = None,
    blocks: Positive | None = None
) -> Any:  # fmt: skip
    """C = A @ B^T, accumulated in f32.

    a: (m, k), b: (n, k), both bf16 or both f16, k a multiple of 8, row-major without gaps: torch's, JAX's or NumPy's,
    on a GPU of sm_90a or on the CPU. out: (m, n), of the type of a and b or f32; made when it is None, of the type
    `to`, that of a and b by default. `plan`: chosen by shape when it is None; `blocks`: as many as there are
    multiprocessors. Returns C. Raises ValueError for shapes that do not fit one another or the copy engine, TypeError
    for other types, and the errors of a launch."""
    dtype, to, (m, n, _) = checked(a, b, out, to, (bf16, f16))
    sms = blocks or multiprocessors(a)
    k = build(plan or best_tile(m, n, sms), dtype, to, n * to.bytes % 16 == 0, sms)
    return k(a, b) if out is None else k(a, b, out=out)


__all__ = ["TILES", "Plan", "build", "gemm"]
