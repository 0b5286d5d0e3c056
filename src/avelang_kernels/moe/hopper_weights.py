"""Two matrices and the ends of parts of their K come in; the product of each part goes out, by TMA and wgmma: gradients
of the weights of a mixture of experts, on NVIDIA's Hopper.

TMA cannot stop within a part of K. So both operands are copied first, turned such that K is what lies side by side,
with zeros behind each part up to a multiple of a stage; the copies are small beside the products."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import tile
from avelang.pipelines.scheduler import WorkTile, tile_of
from avelang_kernels.arrays import DTYPES, multiprocessors, named, new, strides_of

SIDE = 64  # elements of K that parts are padded to, and the side of what a block turns
THREADS = 256
WORDS: Any = al.Pointer(al.i32)


@functools.cache
def build_turn(dtype: al.DType) -> Any:
    """The kernel that turns rows of K into columns, padded; its first block of each row of blocks writes the bounds."""

    @avelang.jit
    def turn(
        x: al.Pointer[dtype], offsets: Annotated[Any, WORDS], out: al.Pointer[dtype], bounds: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, padded: al.u32, E: al.constexpr,
    ):  # fmt: skip
        X = al.make_tensor(x, dtype, al.make_layout((rows, n)))
        OUT = al.make_tensor(out, dtype, al.make_layout((n, padded)))
        first, t = al.block_id(0) * SIDE, al.thread_id(0)
        top, begin = al.convert(0, al.u32), al.convert(0, al.u32)
        source, end = al.convert(0, al.u32), al.convert(0, al.u32)
        for e in al.range(E):
            stop = max(min(al.convert(offsets[e], al.u32), rows), begin)
            size = max((stop - begin + SIDE - 1) // SIDE, 1) * SIDE
            inside = (first >= top) & (first < top + size)
            source, end = al.select(inside, begin + (first - top), source), al.select(inside, stop, end)
            if al.block_id(0) == 0 and al.block_id(1) == 0 and t == 0:
                bounds[e] = al.convert(top, al.i32)
                bounds[e + 1] = al.convert(top + size, al.i32)
            top, begin = top + size, stop
        kept = al.make_shared((SIDE, SIDE + 2), dtype)
        col = al.block_id(1) * SIDE
        if first < top:
            for i in range(SIDE * SIDE // THREADS):
                r, c = (i * THREADS + t) // SIDE, (i * THREADS + t) % SIDE
                value = al.convert(0.0, dtype)
                if source + r < end and col + c < n:
                    value = X[source + r, col + c]
                kept[r, c] = value
            al.syncthreads()
            for i in range(SIDE * SIDE // THREADS):
                c, r = (i * THREADS + t) // SIDE, (i * THREADS + t) % SIDE
                if col + c < n:
                    OUT[col + c, first + r] = kept[r, c]

    return turn


@avelang.struct
class PartsOfK:
    """The tiles of the products of all parts: `bounds`, E + 1 of them, multiples of a stage."""

    bounds: ...
    m: ...
    n: ...
    T: al.constexpr
    E: al.constexpr

    def tiles(self):
        """Rows and columns of tiles of a product."""
        return (self.m + self.T.m - 1) // self.T.m, (self.n + self.T.n - 1) // self.T.n

    def count(self):
        """Tiles of all products."""
        rows, cols = self.tiles()
        return rows * cols * self.E

    def job(self, index: Any, cluster_m: Any, cluster_n: Any):
        """One of them."""
        rows, cols = self.tiles()
        part = index // (rows * cols)
        row, col = tile_of(index % (rows * cols), rows, cols, 8)
        begin, end = al.convert(self.bounds[part], al.u32), al.convert(self.bounds[part + 1], al.u32)
        top, left = row * self.T.m, col * self.T.n
        return WorkTile((top, self.m), (left, self.n), (begin, end), (part * self.m + top, left, (part + 1) * self.m))


@functools.cache
def build(T: tile.Block, dtype: al.DType, out: al.DType) -> Any:
    """The kernel of the products."""
    IN_A, IN_B, _ = T.operands(dtype, out)

    @avelang.jit
    def weights(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: al.Pointer[out], bounds: Annotated[Any, WORDS],
        m: al.u32, n: al.u32, padded: al.u32, E: al.constexpr, WIDE: al.constexpr,
    ):  # fmt: skip
        A, B = tile.view(a, (m, padded), 8), tile.view(b, (n, padded), 8)
        C = tile.view(c, (E * m, n), WIDE)

        def finish(sums: Any, at: Any):
            C.cut((at[2], n)).store(sums, (at[0], at[1]))

        tile.multiply(T, A, B, PartsOfK(bounds, m, n, T, E), finish)

    return weights


def fits(a: Any, b: Any) -> bool:
    """True for a (m, K) and b (n, K) whose neighbors lie along M and N without gaps."""
    return len(b.shape) == 2 and all(strides_of(x) == (1, x.shape[0]) for x in (a, b)) and 0 not in (*a.shape, *b.shape)


def launch(a: Any, b: Any, offsets: Any, out: Any, chip: str, T: tile.Block | None = None, **options: Any) -> None:
    """C[g] = A[:, g] @ B[:, g]^T: a (m, K), b (n, K), both as `fits` says, offsets int32 (E,), out (E, m, n) whole."""
    (m, k), n, E = a.shape, b.shape[0], offsets.shape[0]
    dtype, to = DTYPES[named(a)], DTYPES[named(out)]
    block = T or tile.Block(128, 256 if n > 128 else 128, 64, pipeline="tma", stages=4)
    padded = -(-k // SIDE) * SIDE + SIDE * E
    bounds = new(offsets, (E + 1,))
    pair: list[Any] = []
    for x in (a, b):
        made = new(x, (x.shape[0], padded))
        grid = padded // SIDE, -(-x.shape[0] // SIDE)
        build_turn(dtype)[grid, THREADS](x.T, offsets, made, bounds, k, x.shape[0], padded, E, target=chip, **options)
        pair.append(made)
    blocks = min(multiprocessors(a), -(-m // block.m) * -(-n // block.n) * E)
    kernel = build(block, dtype, to)[blocks, block.on(chip, dtype).threads]
    kernel(*pair, out, bounds, m, n, padded, E, 4 if n % 4 == 0 else 1, target=chip, **options)
