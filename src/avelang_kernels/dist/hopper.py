"""The fused products of several ranks on Hopper: the warp-specialized product (`matmul.hopper_gemm`), whose producer
waits for the rows of other ranks, or whose epilogue stores at other ranks."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import TmaEpilogue
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.shards import (
    CHUNK,
    PIECE,
    GatherScheduler,
    PeerEpilogue,
    ScatterScheduler,
    ShardGate,
    piece_index,
)
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT, run
from avelang_kernels.dist.collectives import F32, THREADS, WORDS, chunk_of
from avelang_kernels.matmul.hopper_gemm import begin, operands_of, threads
from avelang_kernels.matmul.hopper_rule import SMS, times
from avelang_kernels.matmul.hopper_tiles import STEP, GemmTile
from avelang_kernels.matmul.hopper_types import products

DTYPES = ("bfloat16", "float16")
__all__ = ["blocks_of", "box_bytes", "build_gathered", "build_scattered", "build_sum", "choose", "fits",
           "scattered_tiles", "split_k", "threads", "told"]  # fmt: skip


@functools.cache
def build_gathered(tile: GemmTile, dtype: al.DType, ranks: int, to: al.DType | None = None) -> Any:
    """C = A @ B^T, of the type `to` (A's where it is None), where A's rows come from ranks: the producer waits for
    those of a tile."""
    OUT: Any = to or dtype
    G, (A_BOX, B_BOX), R = tile.block(dtype), tile.boxes(STEP, False, False), ranks
    wgmma = getattr(al.nvvm, f"wgmma_{products()[dtype, dtype].mma}")
    PIECE_OF_C, BUFFERS = tile.piece(OUT.bytes), tile.buffers(OUT.bytes)
    BOX, SWIZZLE = (ROWS, PIECE_OF_C), PIECE_OF_C * OUT.bytes

    @avelang.jit
    def gathered_gemm(
        A: Annotated[Any, al.TensorMap(dtype, 2, A_BOX, swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(dtype, 2, B_BOX, swizzle=PATTERN)],
        C: Annotated[Any, al.TensorMap(OUT, 2, BOX, swizzle=SWIZZLE)], counters: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, want: al.u32, team: al.Ranks,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024)
        a, b = operands_of(G, stages, dtype)
        staged = al.make_shared((G.consumers, BUFFERS, ROWS, SWIZZLE // UNIT, UNIT // OUT.bytes), OUT, 1024)
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n)
        begin(G, (A, B, C), ring, None)
        words = al.make_tensor(counters, al.u32, al.make_layout((R,)))
        walk = GatherScheduler(rows, n, k, al.rank(), R, tile.m, tile.n, tile.cluster_m, tile.cluster_n, tile.group_m)
        epilogue: Any = TmaEpilogue(C, staged, None, None, False, tile.pingpong)
        gate: Any = ShardGate(words, rows, want, tile.m)
        run(G, A, B, a, b, ring, walk, lambda: al.full((G.n // 2,), 0, al.f32), wgmma, epilogue, gate)

    return gathered_gemm


@functools.cache
def build_scattered(tile: GemmTile, dtype: al.DType, ranks: int) -> Any:
    """A @ B^T in f32, whose tiles go to the boxes of the ranks that own their rows."""
    G, (A_BOX, B_BOX), R = tile.block(dtype), tile.boxes(STEP, False, False), ranks
    wgmma = getattr(al.nvvm, f"wgmma_{products()[dtype, dtype].mma}")
    BUFFERS = tile.buffers(4)

    @avelang.jit
    def scattered_gemm(
        A: Annotated[Any, al.TensorMap(dtype, 2, A_BOX, swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(dtype, 2, B_BOX, swizzle=PATTERN)],
        box: Annotated[Any, al.Pointer(F32)], counters: Annotated[Any, WORDS], rows: al.u32, n: al.u32, k: al.u32,
        half: al.u32, team: al.Ranks,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024)
        a, b = operands_of(G, stages, dtype)
        staged = al.make_shared((G.consumers, BUFFERS, ROWS, CHUNK, PIECE // CHUNK), al.f32, 1024)
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n)
        begin(G, (A, B), ring, None)
        me, pieces = al.rank(), (rows + (ROWS - 1)) // ROWS * ((n + (PIECE - 1)) // PIECE)
        boxes = al.make_tensor(box, al.f32, al.make_layout((2 * R, pieces, ROWS * PIECE)))
        words = al.make_tensor(counters, al.u32, al.make_layout((R,)))
        walk = ScatterScheduler(rows, n, k, (me + 1) % R, R, tile.m, tile.n, tile.cluster_m, tile.cluster_n,
                                tile.group_m)  # fmt: skip
        epilogue: Any = PeerEpilogue(boxes, staged, words, half * R + me, rows, n, me, 0, tile.pingpong)
        zero = lambda: al.full((G.n // 2,), 0, al.f32)  # noqa: E731
        run(G, A, B, a, b, ring, walk, zero, wgmma, epilogue)
        if al.thread_id(0) >= GROUP:
            epilogue.tail(al.thread_id(0) % GROUP)

    return scattered_gemm


@functools.cache
def build_sum(dtype: al.DType, ranks: int) -> Any:
    """The sum of the parts of the own box, in the order of ranks, when all of them are there."""
    OUT: Any = al.Pointer(dtype)
    R = ranks

    @avelang.jit
    def sum_pieces(
        box: Annotated[Any, al.Pointer(F32)], out: Annotated[Any, OUT], counters: Annotated[Any, WORDS], rows: al.u32,
        n: al.u32, half: al.u32, want: al.u32, team: al.Ranks, WIDE: al.constexpr = True,
    ):  # fmt: skip
        t = al.thread_id(0)
        if t < R:
            words = al.make_tensor(counters, al.u32, al.make_layout((R,)))
            al.wait(al.subview(words, (t,), (1,)), want, t)
        al.syncthreads()
        wide, fours = (n + (PIECE - 1)) // PIECE, (n + 3) // 4
        vectors = (rows + (ROWS - 1)) // ROWS * wide * (ROWS * CHUNK)
        parts = al.make_tensor(box, al.f32, al.make_layout((2 * R * vectors, 4)))
        made = al.make_tensor(out, dtype, al.make_layout((rows * n,)))
        fast = al.make_tensor(out, dtype, al.make_layout((rows * fours, 4)))
        first, end = chunk_of(rows * fours, al.block_id(0), al.grid_dim(0))
        for i in al.range(first + t, end, THREADS):
            row, four = i // fours, i % fours
            at, acc = piece_index(row, four, wide), al.full((4,), 0.0, al.f32)
            for r in range(R):
                acc = acc + parts[(half * R + r) * vectors + at]
            if WIDE:
                fast[i] = al.convert(acc, dtype)
            else:
                for e in range(4):
                    if four * 4 + e < n:
                        made[row * n + four * 4 + e] = al.convert(acc[e], dtype)

    return sum_pieces


# -- the choice of tiles -----------------------------------------------------------------------------------------------


@functools.lru_cache(1 << 12)
def choose(rows: int, ranks: int, n: int, k: int, sms: int, size: int) -> tuple[GemmTile, float]:
    """The tile for ranks times `rows` rows, among those that are whole and not of C^T, by the model of `hopper_rule`;
    and the seconds that it says. `size`: bytes of an element that is stored."""
    tiles, us = times(ranks * rows, n, k, sms or SMS, size, math.gcd(2 * k, 128))
    found = ((float(t), i) for i, (one, t) in enumerate(zip(tiles, us, strict=True))
             if one.split == 1 and one.cluster_k == 1 and not one.transposed and one.piece(size) * size == PATTERN
             and (sms or SMS) >= one.cluster)  # fmt: skip
    time, best = min(found)
    tile, shard = tiles[best], max(1, rows // (tiles[best].m * tiles[best].cluster_m))
    # Rows that are gone through together are of one shard.
    return tile._replace(group_m=max(g for g in range(1, tile.group_m + 1) if shard % g == 0)), time * 1e-6


def fits(chip: str, dtype: str, k: int) -> bool:
    """True where these kernels run, and TMA reads such rows; those of f32 are split into bf16, whatever k is."""
    return chip == "sm_90a" and (dtype == "float32" or (dtype in DTYPES and k % (UNIT // 2) == 0))


def split_k(k: int) -> int:
    """K of the product of bf16 that a product of f32 becomes (`matmul.hopper_f32`)."""
    return 3 * -(-k // (UNIT // 2)) * (UNIT // 2)


def blocks_of(tiles: int, sms: int, tile: GemmTile) -> int:
    """Blocks of a launch for so many tiles of clusters."""
    return min(tiles, max(1, (sms or SMS) // tile.cluster)) * tile.cluster


def scattered_tiles(rows: int, n: int, tile: GemmTile) -> int:
    """Tiles of clusters of one shard."""
    return -(-rows // (tile.m * tile.cluster_m)) * -(-n // (tile.n * tile.cluster_n))


def told(rows: int, n: int, tile: GemmTile) -> int:
    """The times that another rank's product raises the counter of a rank."""
    return scattered_tiles(rows, n, tile) * tile.cluster * (1 if tile.pingpong else tile.consumers)


def box_bytes(rows: int, n: int, ranks: int) -> int:
    """Of the parts that all ranks put into one box."""
    return ranks * -(-rows // ROWS) * -(-n // PIECE) * ROWS * PIECE * 4
