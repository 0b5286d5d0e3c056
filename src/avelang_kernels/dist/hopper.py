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
from avelang.pipelines.shards import PARTS, PeerEpilogue, ShardGate, ShardScheduler
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT, run
from avelang_kernels.dist.collectives import WORDS
from avelang_kernels.dist.rooms import counted
from avelang_kernels.matmul.hopper_gemm import begin, operands_of, threads
from avelang_kernels.matmul.hopper_rule import SMS, candidates, times_of
from avelang_kernels.matmul.hopper_tiles import STEP, GemmTile, resident
from avelang_kernels.matmul.hopper_types import products

DTYPES = ("bfloat16", "float16")
__all__ = ["PARTS", "blocks_of", "box_bytes", "build_gathered", "build_scattered", "choose", "fits", "pieces",
           "scattered_tiles", "split_k", "threads", "units_of"]  # fmt: skip


@functools.cache
def multiplied_by(dtype: al.DType, columns: bool) -> Any:
    """The `wgmma` of a dtype, for a B whose neighbors in memory lie along N where `columns`."""
    wgmma, TRANSPOSED = getattr(al.nvvm, f"wgmma_{products()[dtype, dtype].mma}"), int(columns)

    @avelang.jit
    def mma(rows: Any, cols: Any, acc: Any):
        return wgmma(rows, cols, acc, trans_a=0, trans_b=TRANSPOSED)

    return mma


@functools.cache
def build_gathered(
    tile: GemmTile, dtype: al.DType, ranks: int, to: al.DType | None = None, columns: bool = False,
    recorded: bool = False,
) -> Any:  # fmt: skip
    """C = A @ B^T, of the type `to` (A's where it is None), where A's rows come from ranks: the producer waits for
    those of a tile, and reads the own ones where they are. `box`: (ranks, rows, k), `x`: (rows, k), `C`: (ranks, rows,
    n); `B`: (n, k), or with `columns` (k, n). `recorded`: `want` is the place of what is waited for
    (`rooms.counted`)."""
    OUT: Any = to or dtype
    RECORDED = recorded
    G, (A_BOX, B_BOX), R = tile.block(dtype, False, columns), tile.boxes(STEP, False, columns), ranks
    mma = multiplied_by(dtype, columns)
    PIECE, BUFFERS = tile.piece(OUT.bytes), tile.buffers(OUT.bytes)
    BOX, SWIZZLE = (1, ROWS, PIECE), PIECE * OUT.bytes

    @avelang.jit
    def gathered_gemm(
        box: Annotated[Any, al.TensorMap(dtype, 3, (1, *A_BOX), swizzle=PATTERN)],
        x: Annotated[Any, al.TensorMap(dtype, 2, A_BOX, swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(dtype, 2, B_BOX, swizzle=PATTERN)],
        C: Annotated[Any, al.TensorMap(OUT, 3, BOX, swizzle=SWIZZLE)], counters: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, part: al.u32, want: al.u32, team: al.Ranks,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024, True)
        a, b = operands_of(G, stages, dtype)
        staged = al.make_shared((G.consumers, BUFFERS, ROWS, SWIZZLE // UNIT, UNIT // OUT.bytes), OUT, 1024)
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n)
        begin(G, (box, x, B, C), ring, None)
        words, me = al.Signals(counters, (R * PARTS,)), al.rank()
        walk = ShardScheduler(rows, n, k, me, R, tile.m, tile.n, tile.cluster_m, tile.cluster_n, tile.group_m)
        epilogue: Any = TmaEpilogue(C, staged, None, None, False, tile.pingpong)
        gate: Any = ShardGate(words, me, part, counted(counters, want, RECORDED), tile.m)
        zero = lambda: al.full((G.n // 2,), 0, al.f32)  # noqa: E731
        run(G, (box, x, me), B, a, b, ring, walk, zero, mma, epilogue, gate)

    return gathered_gemm


@functools.cache
def build_scattered(
    tile: GemmTile, dtype: al.DType, ranks: int, to: al.DType | None = None, wide: bool = True, columns: bool = False,
    recorded: bool = False,
) -> Any:  # fmt: skip
    """The own rows of the sum over ranks of A @ B^T, of the type `to` (A's where it is None): tiles of other ranks'
    rows go to the boxes of those ranks, and the own ones, last, are added up with what has come. `A`: (ranks, rows, k);
    `B`: (n, k), or with `columns` (k, n); `wide`: rows of `out` begin at multiples of 16 bytes;
    `recorded`: `epoch` is its place, as of `build_gathered`."""
    OUT: Any = to or dtype
    RECORDED = recorded
    G, (A_BOX, B_BOX), R = tile.block(dtype, False, columns), tile.boxes(STEP, False, columns), ranks
    mma = multiplied_by(dtype, columns)
    PIECE, BUFFERS, EACH = tile.piece(OUT.bytes), tile.buffers(OUT.bytes), UNIT // OUT.bytes
    CHUNK, WIDE = PIECE // EACH, wide

    @avelang.jit
    def scattered_gemm(
        A: Annotated[Any, al.TensorMap(dtype, 3, (1, *A_BOX), swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(dtype, 2, B_BOX, swizzle=PATTERN)], box: Annotated[Any, al.Pointer(OUT)],
        flags: Annotated[Any, WORDS], out: Annotated[Any, al.Pointer(OUT)], rows: al.u32, n: al.u32, k: al.u32,
        units: al.u32, epoch: al.u32, team: al.Ranks,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024, True)
        a, b = operands_of(G, stages, dtype)
        staged = al.make_shared((G.consumers, BUFFERS, ROWS, CHUNK, EACH), OUT, 1024)
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n)
        begin(G, (A, B), ring, None)
        me, count = al.rank(), (rows + (ROWS - 1)) // ROWS * ((n + (PIECE - 1)) // PIECE)
        boxes = al.make_tensor(box, OUT, al.make_layout((R, count, ROWS * CHUNK, EACH)))
        words = al.Signals(flags, (R * units,))
        made = al.make_tensor(out, OUT, al.make_layout((rows * n // EACH, EACH) if WIDE else (rows * n,)))
        walk = ShardScheduler(rows, n, k, (me + 1) % R, R, tile.m, tile.n, tile.cluster_m, tile.cluster_n,
                              tile.group_m)  # fmt: skip
        epilogue: Any = PeerEpilogue(boxes, staged, words, made, rows, n, me, counted(flags, epoch, RECORDED), R,
                                     tile.n, WIDE, tile.pingpong)  # fmt: skip
        zero = lambda: al.full((G.n // 2,), 0, al.f32)  # noqa: E731
        run(G, A, B, a, b, ring, walk, zero, mma, epilogue)
        if al.thread_id(0) >= GROUP:
            epilogue.tail(al.thread_id(0) % GROUP)

    return scattered_gemm


# -- the choice of tiles -----------------------------------------------------------------------------------------------


@functools.cache
def _tiles(size: int) -> tuple[GemmTile, ...]:
    """The tiles of fused products: those of `hopper_rule` that are whole, not of C^T and of sixteens, and some wider
    ones of whose like it has the transposed. Not ping-pong ones of fewer than 128 x 192: gates make blocks drift apart
    along K, and where such a tile was to read 28672 of it, it took 1.7 times the model's time (two H100,
    2026-11-27)."""
    found = [t for t in candidates(size) if t.split == 1 and t.cluster_k == 1 and not t.transposed and t.n % 16 == 0]
    found += [GemmTile(m, n, 0, *c, row_blocks=m // 256 + 1).fitted(size)
              for m, n in ((128, 256), (256, 128)) for c in ((2, 1), (1, 2))]  # fmt: skip
    return tuple(t for t in found if not (t.pingpong and t.m * t.n < 128 * 192 and t.m > ROWS))


@functools.lru_cache(1 << 12)
def choose(
    rows: int, ranks: int, n: int, k: int, sms: int, size: int, columns: bool = False
) -> tuple[GemmTile, float]:  # fmt: skip
    """The tile for ranks times `rows` rows, by the model of `hopper_rule`; and the seconds that it says. `size`: bytes
    of an element that is stored; `columns`: as of `build_gathered`."""
    sms = sms or SMS
    tiles, us = times_of(_tiles(size), ranks * rows, n, k, sms, size, math.gcd(2 * k, 128))
    found = ((float(t) * _wasted(rows, one), i) for i, (one, t) in enumerate(zip(tiles, us, strict=True))
             if sms >= one.cluster and not one.fault(size, False, columns))  # fmt: skip
    time, best = min(found)
    return tiles[best], time * 1e-6


def _wasted(rows: int, tile: GemmTile) -> float:
    """How many times the rows of a shard its tiles have, which end with it."""
    high = tile.m * tile.cluster_m
    return -(-rows // high) * high / rows


def fits(chip: str, dtype: str, k: int) -> bool:
    """True where these kernels run, and TMA reads such rows; those of f32 are split into bf16, whatever k is."""
    return chip == "sm_90a" and (dtype == "float32" or (dtype in DTYPES and k % (UNIT // 2) == 0))


def split_k(k: int) -> int:
    """K of the product of bf16 that a product of f32 becomes (`matmul.hopper_f32`)."""
    return 3 * -(-k // (UNIT // 2)) * (UNIT // 2)


def blocks_of(tiles: int, sms: int, tile: GemmTile) -> int:
    """Blocks of a launch for so many tiles of clusters."""
    return min(tiles, resident(tile.cluster, sms or SMS)) * tile.cluster


def scattered_tiles(rows: int, n: int, tile: GemmTile) -> int:
    """Tiles of clusters of one shard."""
    return -(-rows // (tile.m * tile.cluster_m)) * -(-n // (tile.n * tile.cluster_n))


def units_of(rows: int, n: int) -> int:
    """Units of a shard at most, whatever the tile: each has a flag."""
    return -(-rows // ROWS) * -(-n // 16)


def pieces(rows: int, n: int, width: int) -> int:
    """Pieces of 64 rows and `width` columns of a shard."""
    return -(-rows // ROWS) * -(-n // width)


def box_bytes(rows: int, n: int, ranks: int, size: int) -> int:
    """Of the parts that all ranks put into one box, of elements of `size` bytes, in pieces of 128 bytes or fewer."""
    return ranks * pieces(rows, n, PATTERN // size) * ROWS * PATTERN
