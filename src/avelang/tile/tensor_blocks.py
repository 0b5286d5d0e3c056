"""The pipeline "tma" of NVIDIA's Blackwell (sm_100a): tensor maps of A, B and C and a block's product come in; tiles of
C go out, one after another, by `avelang.pipelines.tensor_core`.

The tensor maps are those of Hopper (`warpgroups.tensor_maps`), so that one kernel runs on both: a cluster of two blocks
along rows, each of which copies half of B, is Blackwell's pair."""

from __future__ import annotations

import dataclasses

import avelang
import avelang.language as al
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.isa.nvptx.tcgen05 import InstructionDescriptor
from avelang.pipelines import tensor_core, warp_specialized
from avelang.pipelines.epilogue import STORE_BARRIER, stage_epilogue
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.tensor_core import EPILOGUE, KINDS, PATTERN, ROWS, UNIT, WARP, TensorCoreProduct
from avelang.tile.order import place_in_c
from avelang.tile.products import MmaAtom
from avelang.tile.tensors import DistributedTile
from avelang.tile.virtual import tensor

NAME = "product in tensor memory"  # as errors call it
STRIP = 16  # lanes of tensor memory that a load by 16x256b reaches
LOAD_COLUMNS = 8  # columns of one of them
HIGH = 2 * ROWS  # rows of a block: what TMA copies at once has no more


@avelang.constant
@dataclasses.dataclass(frozen=True)
class TensorGemm(TensorCoreProduct):
    """A block that multiplies by `tcgen05`; `mma`: the product of its rows, or of 128 of them, and the tile's
    columns."""

    mma: MmaAtom | None = None


@avelang.constant
def tensor_gemm(
    dtype: DType, m: int, n: int, k: int, stages: int, cluster: tuple[int, int], target: str = "sm_100a"
) -> TensorGemm:
    """The product of a block with tcgen05: of 64, 128 or 256 rows, by itself, or of 128 or 256 with the other block of
    a cluster (2, 1). Raises T301 for a dtype that it does not have, T307 for extents and clusters."""
    if dtype.name not in KINDS:
        raise wrong("T301", what="the dtype", want=f"one of tcgen05: {', '.join(KINDS)}", got=repr(dtype))
    why = _fault(dtype, m, n, k, cluster)
    if why:
        raise wrong("T307", name=NAME, why=why)
    kind, name = KINDS[dtype.name]
    group, high = cluster[0], min(m, ROWS)
    found = InstructionDescriptor(kind, group * high, n, name, name, "s32" if dtype.is_int else "f32")
    why = found.fault(group)
    if why:
        raise wrong("T307", name=NAME, why=why)
    warps = EPILOGUE if m < ROWS else 2 * EPILOGUE
    return TensorGemm(n, stages, dtype, found.word(), group == 2, m, warps, mma=tensor(dtype, high, n, target))


def _fault(dtype: DType, m: int, n: int, k: int, cluster: tuple[int, int]) -> str:
    """The reason why a block has no such tile, before its instruction is asked; or ""."""
    row, pair = PATTERN // dtype.bytes, cluster == (2, 1)
    if cluster not in ((1, 1), (2, 1)):
        return f"its cluster is {cluster}; it may be (1, 1), or (2, 1), a pair of blocks"
    sizes = (ROWS, HIGH) if pair else (ROWS // 2, ROWS, HIGH)
    if m not in sizes:
        many = "a block of a pair" if pair else "a block"
        return f"m = {m}; {many} has {', '.join(map(str, sizes[:-1]))} or {sizes[-1]} rows"
    return f"k = {k} must be {row}: {PATTERN} bytes of each row" if k != row else ""


@avelang.constant
def loads(n: int) -> tuple[tuple[int, int], ...]:
    """Loads of so many columns of 16 lanes: (the first column, .x) of each."""
    found, at = [], 0
    while at < n:
        most = min(32, (n - at) // LOAD_COLUMNS)
        found.append((at, 1 << (most.bit_length() - 1)))
        at += found[-1][1] * LOAD_COLUMNS
    return tuple(found)


@avelang.jit
def load_strip(at, X):
    """Begins the load of 8 X columns of 16 lanes."""
    if X == 1:
        return al.nvvm.tcgen05_ld_16x256b_x1(at)
    if X == 2:
        return al.nvvm.tcgen05_ld_16x256b_x2(at)
    if X == 4:
        return al.nvvm.tcgen05_ld_16x256b_x4(at)
    if X == 8:
        return al.nvvm.tcgen05_ld_16x256b_x8(at)
    if X == 16:
        return al.nvvm.tcgen05_ld_16x256b_x16(at)
    return al.nvvm.tcgen05_ld_16x256b_x32(at)


@avelang.jit
def load_rows(at, n, dtype):
    """A warp's sums, (n / 2,): n columns of the 16 lanes from an address on."""
    out, LOADS = al.make_local((n // 2,), dtype), loads(n)
    words = [load_strip(at + first, x) for first, x in LOADS]
    for i in range(len(LOADS)):
        HELD = LOADS[i][1] * LOAD_COLUMNS // 2
        part = al.bitcast(al.nvvm.tcgen05_wait_ld(words[i]), dtype)
        for e in range(HELD):
            out[LOADS[i][0] // 2 + e] = part[e]
    return out


@avelang.struct
class TileEpilogue:
    """Gives each tile of a block to `finish(tile, at)`: 64 rows, held by four warps, or 128, held by eight, as often as
    the block has them. The first four warps hold the first 16 of the 32 rows that they reach."""

    finish: ...

    def __call__(self, G, here, work, held, stage):
        MMA = G.mma
        place, t = place_in_c(work), al.thread_id(0)
        upper = t // (EPILOGUE * WARP) * STRIP << 16
        for r in al.range(G.row_blocks):
            sums = load_rows(here + upper + r * G.n, G.n, MMA.dtypes[2])
            if r == G.row_blocks - 1:
                tensor_core.give_back(G, held, stage)
            self.finish(DistributedTile(sums, MMA.acc, t), (place[0] + r * ROWS,) + place[1:])

    def tail(self):
        """Waits for the stores by TMA."""
        if al.thread_id(0) == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


@avelang.jit
def run(G, A, B, scheduler, finish):
    """All tiles of a scheduler that are this block's, or its pair's; `A`, `B`: views of tensor maps; `finish(tile, at)`
    gets each tile of 64 or 128 rows."""
    dtype = G.dtype
    a, b = al.make_shared((G.stages, G.m * G.k), dtype, 1024), al.make_shared((G.stages, G.own * G.k), dtype, 1024)
    ring = mbarrier_ring(G.stages, 1)
    tensor_core.run(G, A.data, B.data, a, b, ring, scheduler, G.mma.lower, TileEpilogue(finish))


@avelang.jit
def store(C, tile, at):
    """Rounds a tile and has TMA store it, 128 bytes of each row at a time, 64 rows by each copy. `C`: a tensor map."""
    EACH, BOX_ROWS = UNIT // C.dtype.bytes, warp_specialized.ROWS
    WIDTH, ROWS_OF, THREADS = PATTERN // C.dtype.bytes, tile.shape[0], tile.dist.threads
    PIECES = tile.shape[1] // WIDTH
    BUFFERS = 1 if PIECES % 2 else 2
    staged = al.make_shared((BUFFERS, ROWS_OF, PATTERN // UNIT, EACH), C.dtype, 1024)
    t = al.thread_id(0)
    strip = (t // WARP) % EPILOGUE * (ROWS_OF // BOX_ROWS) + t // WARP // EPILOGUE
    for p in range(PIECES):
        part = al.subview(tile.values, (p * WIDTH // 2,), (WIDTH // 2,), (1,))
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group_read(BUFFERS - 1)
        al.nvvm.barrier_sync(STORE_BARRIER, THREADS)
        stage_epilogue(staged[p % BUFFERS], part, strip, t % WARP)
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(STORE_BARRIER, THREADS)
        if t == 0:
            for h in range(ROWS_OF // BOX_ROWS):
                SIZE = (1, BOX_ROWS, PATTERN // UNIT, EACH)
                half = al.subview(staged, (p % BUFFERS, h * BOX_ROWS, 0, 0), SIZE, (1, 1, 1, 1))
                al.nvvm.tma_store_2d(C, at[0] + h * BOX_ROWS, at[1] + p * WIDTH, half)
            al.nvvm.cp_async_bulk_commit_group()
