"""Two matrices of fp8 and their scales come in; C = (A * scale_a) @ (B * scale_b)^T goes out, on the tile level: one
source for gfx942 (f8e4m3fnuz, f8e5m2fnuz), gfx950 and sm_89 and newer (f8e4m3fn, f8e5m2), and the CPU.

A scale is for one row or for 128, by all of K or by 128 elements of it. Those by all of K multiply the sums in the end;
those by blocks of K multiply each block's sums, which are then added to totals in f32."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile import loops, vectorize
from avelang_kernels.arrays import DTYPES, FLOATS, INTEGERS, address, named, spanned, strides_of

BLOCK = 128  # elements along K that share a scale, and rows or columns that do where a scale is for several
FLOAT: Any = al.Pointer(al.f32)


@avelang.struct
class TileScales:
    """The scales of an operand, of f32 in memory: one for EACH rows by `BLOCK` along K, `across` and `along` elements
    apart. `rows`: of the operand."""

    memory: ...
    across: ...
    along: ...
    rows: ...
    EACH: al.constexpr

    def tile(self, dist: Any, first: Any, block: Any):
        """The scales of the rows of a tile that begins at row `first`, in a distribution of rows."""

        def one(_: Any, where: Any):
            return self.memory[min(first + where[0], self.rows - 1) // self.EACH * self.across + block * self.along]

        return tile.full(dist, 0.0, al.f32).sweep(one)


@avelang.jit
def times(sums: Any, left: Any, right: Any, row: Any, col: Any, block: Any):
    """A tile of C times the scales of its rows and columns, for a block of K."""
    rows = left.tile(vectorize.folding(sums.dist, 1).dist, row, block)
    cols = right.tile(vectorize.folding(sums.dist, 0).dist, col, block)
    return sums.astype(al.f32).along(multiplied, rows, 1).along(multiplied, cols, 0)


@avelang.jit
def multiplied(x: Any, y: Any):
    """x * y."""
    return x * y


@avelang.jit
def added(x: Any, y: Any):
    """x + y."""
    return x + y


@avelang.jit
def scaled_product(G: Any, A: Any, B: Any, k: Any, left: Any, right: Any, row: Any, col: Any):
    """The tile of C, where each block of K has scales: the next tiles come into registers during the products."""
    left_tiles, right_tiles = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = loops.alloc_shared(G, 1)
    x, y = left_tiles.load(), right_tiles.load()
    total = tile.full(G.c, 0.0, al.f32)
    for step in al.range((k + G.k - 1) // G.k):
        a.store(x)
        b.store(y)
        left_tiles.move((0, G.k))
        right_tiles.move((0, G.k))
        left_tiles.load_into(x)
        right_tiles.load_into(y)
        al.syncthreads()
        acc = loops.make_acc(G)
        loops.product(G, acc, a, b, 0)
        al.syncthreads()
        total = total.map(added, (times(loops.acc_tile(G, acc), left, right, row, col, step),))
    return total


@functools.cache
def build(T: tile.Block, dtype: al.DType, other: al.DType, out: al.DType, each: tuple[int, int], blocks: bool,
    bias: al.DType | None = None) -> Any:  # fmt: skip
    """The kernel for a block's tile and the types of A, B and C. `each`: rows of A and of B that share a scale;
    `blocks`: each `BLOCK` of K has scales; `bias`: its dtype."""
    BIAS: Any = al.constexpr if bias is None else al.Pointer(bias)

    @avelang.jit
    def scaled(
        a: al.Pointer[dtype], b: al.Pointer[other], c: al.Pointer[out], m: al.u32, n: al.u32, k: al.u32,
        lda: al.u32, ldb: al.u32, of_a: Annotated[Any, FLOAT], a_across: al.u32, a_along: al.u32,
        of_b: Annotated[Any, FLOAT], b_across: al.u32, b_along: al.u32, EACH: al.constexpr, WIDE: al.constexpr,
        A_STEP: al.constexpr = 1, B_STEP: al.constexpr = 1,
        bias_of: Annotated[Any, BIAS] = None,
    ):  # fmt: skip
        A, B = tile.view(a, (m, k), EACH, (lda, A_STEP)), tile.view(b, (n, k), EACH, (ldb, B_STEP))
        C = tile.view(c, (m, n), WIDE)
        left, right = TileScales(of_a, a_across, a_along, m, each[0]), TileScales(of_b, b_across, b_along, n, each[1])

        def end(sums: Any, row: Any, col: Any):
            if bias is not None:
                F = vectorize.folding(sums.dist, 0)
                of_cols = tile.view(bias_of, (n,)).window(F.dist.shape, (col,), F.dist).load()
                sums = sums.along(added, of_cols.astype(al.f32), 0)
            C.store(sums, (row, col))

        if blocks:
            G = T.on(al.target(), dtype)
            al.expect_threads(G.threads, True)
            columns = (n + T.n - 1) // T.n
            row, col = al.block_id(0) // columns * T.m, al.block_id(0) % columns * T.n
            X, Y = A.window((T.m, T.k), (row, 0)), B.window((T.n, T.k), (col, 0))
            end(scaled_product(G, X, Y, k, left, right, row, col), row, col)
        else:

            def finish(sums: Any, at: Any):
                end(times(sums, left, right, at[0], at[1], 0), at[0], at[1])

            tile.multiply(T, A, B, (m, n, k), finish)

    return scaled


class ScaleOperand(NamedTuple):
    """The scales of an operand: memory of f32, elements from one to the next across rows and along K (0: the same), and
    how many rows share one, 1 or 128."""

    memory: Any
    across: int
    along: int
    each: int


@functools.lru_cache(maxsize=1024)
def block_of(chip: str, dtype: al.DType, other: al.DType, m: int, blocks: bool) -> tile.Block:
    """The block for a chip, by the rows of A. `blocks`: K has several scales."""
    mma = None
    if dtype != other:
        fits = [x for x in tile.mmas(chip) if x.dtypes[:3] == (dtype, other, al.f32) and x.a and x.b]
        mma = max((x for x in fits if x.m == 16 and not x.virtual), key=lambda x: x.k).name
    pipeline = "prefetch" if blocks or chip != "gfx942" else "double-buffer"
    return tile.Block(64, 64, 128, (2, 2), pipeline, mma=mma) if m <= 512 else tile.Block(128, 128, 128, (2, 2),
        pipeline, mma=mma)  # fmt: skip


def launch(a: Any, b: Any, out: Any, left: ScaleOperand, right: ScaleOperand, chip: str, *, blocks: bool,
    bias: Any = None, T: tile.Block | None = None, **options: Any) -> None:  # fmt: skip
    """The launch for a (m, k), b (n, k), both of any strides, and a whole out (m, n). `left`, `right`: scales;
    `blocks`: they differ along K."""
    (m, k), n = a.shape, b.shape[0]
    dtype, other = ((FLOATS | INTEGERS)[named(x)] for x in (a, b))
    block = T or block_of(chip, dtype, other, m, blocks)
    (lda, a_step), (ldb, b_step) = strides_of(a), strides_of(b)
    a_step, b_step = (1 if k == 1 else s for s in (a_step, b_step))
    wide = math.gcd(k, lda, ldb, address(a), address(b), 16) if a_step == b_step == 1 else 1
    added_dtype = None if bias is None else DTYPES[named(bias)]
    each = left.each, right.each
    kernel = build(block, dtype, other, DTYPES[named(out)], each, blocks, added_dtype)
    given = {} if bias is None else {"bias_of": bias}
    kernel[block.grid(m, n, 1), block.on(chip, dtype).threads](
        spanned(a), spanned(b), out, m, n, k, lda, ldb, *left[:3], *right[:3], wide, math.gcd(n, 4),
        a_step, b_step, target=chip, **given, **options,
    )  # fmt: skip
