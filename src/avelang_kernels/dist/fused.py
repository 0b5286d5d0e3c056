"""Products that overlap with the exchange around them: tiles of rows that have come are multiplied first, the rank's
own first of all; and tiles of sums go to the rank that adds them as they are made."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import contextlib
import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error, tile
from avelang.pipelines.scheduler import tile_of
from avelang.tile.order import WorkTile
from avelang_kernels.arrays import DTYPES, named
from avelang_kernels.dist.collectives import F32, THREADS, WORDS, chunk_of
from avelang_kernels.dist.exchange import RATE

# The rule of `gathers` and `scatters`: what an overlap is worth by a model, and no measurement. PEAK: operations a
# second of a product that waits for nothing; SLOWER: of the portable tile pipelines that can be gated, against Hopper's
# TMA, which cannot yet; OVERHEAD: seconds that gates and signals cost.
PEAK, SLOWER, OVERHEAD = 700e12, 0.6, 8e-6


@avelang.struct
class ShardWalk:
    """Tiles of a product whose rows come from ranks, or go to them, ROWS of each: those from row `first` on come first.
    With `counters` a tile begins when the counter of each rank whose rows it has is at least `want`."""

    m: ...
    n: ...
    k: ...
    rows: ...
    first: ...
    counters: ...
    want: ...
    M: al.constexpr
    N: al.constexpr
    GROUP: al.constexpr
    GATED: al.constexpr

    def count(self):
        """Tiles."""
        return ((self.m + self.M - 1) // self.M) * ((self.n + self.N - 1) // self.N)

    def job(self, index: Any, cluster_m: Any, cluster_n: Any):
        """The tile of a number, when its rows are there."""
        high, wide = (self.m + self.M - 1) // self.M, (self.n + self.N - 1) // self.N
        row, col = tile_of(index, high, wide, self.GROUP)
        row = (row + self.first // self.M) % high * self.M
        if self.GATED:
            for shard in al.range(row // self.rows, (min(row + self.M, self.m) - 1) // self.rows + 1):
                al.wait(al.subview(self.counters, (shard,), (1,)), self.want, shard)
        return WorkTile((row, self.m), (col * self.N, self.n), (0, self.k), (row, col * self.N))


@functools.cache
def build_push(dtype: al.DType, ranks: int, vec: int) -> Any:
    """The kernel that puts a rank's rows into the boxes of all ranks, the nearest first, and counts there."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, VEC = ranks, vec

    @avelang.jit
    def push(
        x: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS], counters: Annotated[Any, WORDS], n: al.u32,
        start: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b, me = al.thread_id(0), al.block_id(0), al.rank()
        first, end = chunk_of(n, b, al.grid_dim(0))
        X = al.make_tensor(x, dtype, al.make_layout((n, VEC)))
        for s in range(R):
            theirs = al.make_tensor(al.peer(box, (me + s) % R), dtype, al.make_layout((start + R * n, VEC)))
            for i in al.range(first + t, end, THREADS):
                theirs[start + me * n + i] = X[i]
        al.syncthreads()
        if t < R:
            al.atomic_add(al.peer(al.make_tensor(counters, al.u32, al.make_layout((R,))), t), me, 1, scope="system",
                          order="release")  # fmt: skip

    return push


@functools.cache
def build_gated(T: tile.Block, dtype: al.DType, ranks: int) -> Any:
    """C = A @ B^T where A's rows come from ranks; a tile waits for those of its rows."""
    IN_A, IN_B, OUT = T.operands(dtype, dtype)
    R = ranks

    @avelang.jit
    def gated_gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: Annotated[Any, OUT], counters: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, want: al.u32, team: al.Ranks, EACH: al.constexpr = 8,
        WIDE: al.constexpr = 8,
    ):  # fmt: skip
        m = R * rows
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH), tile.view(c, (m, n), WIDE)
        words = al.make_tensor(counters, al.u32, al.make_layout((R,)))
        walk = ShardWalk(m, n, k, rows, al.rank() * rows, words, want, T.m, T.n, T.group_m, True)

        def finish(sums: Any, at: Any):
            C.store(sums, at)

        tile.multiply(T, A, B, walk, finish)

    return gated_gemm


@functools.cache
def build_scattered(T: tile.Block, dtype: al.DType, ranks: int) -> Any:
    """A @ B^T in f32, whose tiles go to the boxes of the ranks that own their rows: those of the next rank first, the
    own last."""
    IN_A, IN_B, SUMS = T.operands(dtype, F32)
    R = ranks

    @avelang.jit
    def scattered_gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], box: Annotated[Any, SUMS], counters: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, half: al.u32, team: al.Ranks, EACH: al.constexpr = 8,
        WIDE: al.constexpr = 4,
    ):  # fmt: skip
        m, me = R * rows, al.rank()
        A, B = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH)
        words = al.make_tensor(counters, al.u32, al.make_layout((R,)))
        walk = ShardWalk(m, n, k, rows, (me + 1) % R * rows, words, 0, T.m, T.n, T.group_m, False)

        def finish(sums: Any, at: Any):
            row, col = at
            owner = row // rows
            C = tile.view(al.peer(box, owner), (2 * R * rows, n), WIDE)
            C.store(sums, ((half * R + me) * rows + row - owner * rows, col))
            al.syncthreads()
            if al.thread_id(0) == 0:
                al.atomic_add(al.peer(words, owner), me, 1, scope="system", order="release")

        tile.multiply(T, A, B, walk, finish)

    return scattered_gemm


@functools.cache
def build_sum(dtype: al.DType, ranks: int, vec: int) -> Any:
    """The sum of what ranks have put into the own box, in the order of ranks, when all of it is there."""
    OUT: Any = al.Pointer(dtype)
    SUMS: Any = al.Pointer(F32)
    R, VEC = ranks, vec

    @avelang.jit
    def sum_parts(
        box: Annotated[Any, SUMS], out: Annotated[Any, OUT], counters: Annotated[Any, WORDS], n: al.u32,
        half: al.u32, want: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b = al.thread_id(0), al.block_id(0)
        first, end = chunk_of(n, b, al.grid_dim(0))
        if t < R:
            words = al.make_tensor(counters, al.u32, al.make_layout((R,)))
            al.wait(al.subview(words, (t,), (1,)), want, t)
        al.syncthreads()
        parts = al.make_tensor(box, al.f32, al.make_layout((2 * R * n, VEC)))
        made = al.make_tensor(out, dtype, al.make_layout((n, VEC)))
        for i in al.range(first + t, end, THREADS):
            acc = al.full((VEC,), 0.0, al.f32)
            for r in range(R):
                acc = acc + parts[(half * R + r) * n + i]
            made[i] = al.convert(acc, dtype)

    return sum_parts


# -- launches ----------------------------------------------------------------------------------------------------------


class Room:
    """A member's symmetric memory for one size of fused products: two halves by turns, and a counter for each rank."""

    def __init__(self, member: Any, nbytes: int):
        self.box, self.counters, self.calls = member.empty(2 * nbytes, "uint8").offset, member.empty(8, "uint32"), 0

    def turn(self) -> int:
        """The half of one more call."""
        self.calls += 1
        return self.calls % 2


def _why_not(member: Any, x: Any, w: Any, nbytes: int, key: Any) -> str:
    """The reason why a product cannot be fused, or ""."""
    if not _contiguous(x) or not _contiguous(w.T):
        return (
            "x must be contiguous, and w the transpose of a contiguous (n, k), as the weight of a linear layer is"
        )
    if 0 in (*x.shape, *w.shape):
        return "there is nothing to multiply"
    if key not in member._kept and member.left < 2 * nbytes + 4096:
        return f"it needs {2 * nbytes} bytes of symmetric memory, and {member.left} are left: connect(bytes=...)"
    return ""


def _contiguous(x: Any) -> bool:
    return x.is_contiguous() if hasattr(x, "is_contiguous") else bool(x.flags.c_contiguous)


def worth(rows: int, n: int, k: int, ranks: int, size: int, moved: int) -> float:
    """Seconds that the model says an overlap saves: of rows x k by k x n, of which `moved` elements of `size` bytes
    come from each other rank."""
    product, exchange = 2 * rows * n * k / PEAK, moved * size * (ranks - 1) / RATE
    return product + exchange - (max(product / SLOWER, exchange) + OVERHEAD)


def _decided(fuse: int, why: str, gain: float) -> bool:
    if fuse == 1 and why:
        raise argument_error(f"fuse=True: {why}")
    return bool(fuse) and not why and (fuse == 1 or gain > 0)


def _gather_key(member: Any, x: Any) -> tuple[Any, int]:
    nbytes = member.ranks * math.prod(x.shape) * _size(x)
    return ("gather", nbytes), nbytes


def _scatter_key(member: Any, x: Any, w: Any) -> tuple[Any, int]:
    nbytes = x.shape[0] * w.shape[1] * 4
    return ("scatter", nbytes), nbytes


def _size(x: Any) -> int:
    return x.element_size() if hasattr(x, "element_size") else x.itemsize


def gathers(member: Any, x: Any, w: Any, fuse: int) -> bool:
    """The choice whether `all_gather_matmul` is one product with gates. `fuse`: 1 yes (raises L066 where it cannot be),
    0 no, -1 by the model."""
    key, nbytes = _gather_key(member, x)
    (m, k), n, ranks = x.shape, w.shape[1], member.ranks
    return _decided(fuse, _why_not(member, x, w, nbytes, key), worth(ranks * m, n, k, ranks, _size(x), m * k))


def scatters(member: Any, x: Any, w: Any, fuse: int) -> bool:
    """The same choice for `matmul_reduce_scatter`, whose tiles must each be of one rank."""
    key, nbytes = _scatter_key(member, x, w)
    (m, k), n, rows = x.shape, w.shape[1], x.shape[0] // member.ranks
    why = _why_not(member, x, w, nbytes, key)
    if not why and rows % 16:
        why = f"each rank must own a multiple of 16 rows, and it owns {rows}"
    return _decided(fuse, why, worth(m, n, k, member.ranks, 4, rows * n))


def _block(rows: int, whole: bool, chip: str, dtype: al.DType) -> tile.Block:
    """A block of a pipeline in which each tile is one block's, of two fragments along K; `whole`: its height must
    divide `rows`. Raises T307 where a chip has no such product."""
    high = next(h for h in (64, 32, 16) if not whole or rows % h == 0)
    blocks = [tile.Block(high, 64, k, (1, 4) if high < 32 else (2, 2), "double-buffer") for k in (32, 64, 16)]
    for T in blocks:
        with contextlib.suppress(avelang.errors.AveError):
            T.on(chip, dtype)
            return T
    blocks[0].on(chip, dtype)
    return blocks[0]


def _vec(count: int, size: int) -> int:
    return 16 // size if count % (16 // size) == 0 else 1


def _target(x: Any, target: str | None) -> tuple[Any, int, dict[str, Any]]:
    chip, units = tile.device_of(x, target)
    return chip, units, {"target": chip}


def all_gather_matmul(member: Any, x: Any, w: Any, out: Any, target: str | None) -> None:
    """out (R m, n) = rows x (m, k) of all ranks @ w (k, n)."""
    (m, k), n, ranks, dtype = x.shape, w.shape[1], member.ranks, DTYPES[named(x)]
    key, nbytes = _gather_key(member, x)
    room, count, wide = member.kept(key, lambda: Room(member, nbytes)), m * k, 16 // dtype.bytes
    half, vec = room.turn(), _vec(count, dtype.bytes)
    box, first = member.at(room.box, 2 * ranks * count, named(x)), half * ranks * count
    push, (chip, units, options) = build_push(dtype, ranks, vec), _target(x, target)
    member.launch(
        push, member.BLOCKS, THREADS, x.reshape(-1), box, room.counters, count // vec, first // vec, member.team
    )
    T, a, b = _block(m, False, chip, dtype), member.own(box)[first : first + ranks * count], w.T.reshape(-1)
    member.launch(
        build_gated(T, dtype, ranks), T.grid(ranks * m, n, units), T.on(chip, dtype).threads, a, b, out.reshape(-1),
        room.counters, m, n, k, room.calls * member.BLOCKS, member.team, math.gcd(k, wide), math.gcd(n, wide),
        **options,
    )  # fmt: skip


def matmul_reduce_scatter(member: Any, x: Any, w: Any, out: Any, target: str | None) -> None:
    """out (m / R, n) = the rank's rows of the sum of x (m, k) @ w (k, n) over ranks."""
    (m, k), n, ranks, dtype = x.shape, w.shape[1], member.ranks, DTYPES[named(x)]
    key, nbytes = _scatter_key(member, x, w)
    room, rows = member.kept(key, lambda: Room(member, nbytes)), m // ranks
    half, box = room.turn(), member.at(room.box, 2 * m * n, "float32")
    chip, units, options = _target(x, target)
    T = _block(rows, True, chip, dtype)
    member.launch(
        build_scattered(T, dtype, ranks), T.grid(m, n, units), T.on(chip, dtype).threads, x.reshape(-1),
        w.T.reshape(-1), box, room.counters, rows, n, k, half, member.team, math.gcd(k, 16 // dtype.bytes),
        math.gcd(n, 4), **options,
    )  # fmt: skip
    tiles, vec, made = rows // T.m * -(-n // T.n), _vec(rows * n, 4), out.reshape(-1)
    member.launch(
        build_sum(dtype, ranks, vec), member.BLOCKS, THREADS, box, made, room.counters, rows * n // vec, half,
        room.calls * tiles, member.team,
    )  # fmt: skip
