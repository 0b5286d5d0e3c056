"""Two operands and the ends of groups come in; the products of all groups go out, on the tile level, operands with any
strides: one source for AMD, `mma.sync` and the CPU.

Groups are rows of A, each with a matrix B of its own; or parts of K of both, each with a C of its own. Their sizes are
on the device, and nobody waits for them: a launch has as many blocks as there can be tiles."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import tile
from avelang.pipelines.scheduler import WorkTile, tile_of, xcd_remap
from avelang.tile import order, schedules, vectorize
from avelang_kernels.arrays import DTYPES, address, named, spanned, strides_of

WORDS: Any = al.Pointer(al.i32)


@avelang.jit
def part_of(memory: Any, dtype: Any, first: Any, rows: Any, cols: Any, vector: Any, down: Any, across: Any):
    """A view (rows, cols) of memory from element `first` on, with such strides."""
    span = first + al.convert(rows, al.u64) * down + al.convert(cols, al.u64) * across
    flat = al.make_tensor(memory, dtype, al.make_layout((span,)))
    return tile.view(al.subview(flat, (first,), (span - first,), (1,)), (rows, cols), vector, (down, across))


@avelang.jit
def vector_of(memory: Any, dtype: Any, first: Any, count: Any):
    """A view of so many numbers from element `first` on."""
    flat = al.make_tensor(memory, dtype, al.make_layout((first + count,)))
    return tile.view(al.subview(flat, (first,), (count,), (1,)), (count,))


@avelang.jit
def store_part(C: Any, sums: tile.DistributedTile, at: Any, bias: Any):
    """Stores a tile of C, behind the addition of a number for each column."""
    if bias is not None:
        F = vectorize.folding(sums.dist, 0)
        of_cols = bias.window(F.dist.shape, (at[1],), F.dist).load().astype(al.f32)
        sums = sums.along(lambda x, y: x + y, of_cols, 0)
    C.store(sums, at)


@functools.cache
def build(T: tile.Block, dtype: al.DType, out: al.DType, depth: bool, bias: al.DType | None = None) -> Any:
    """The kernel for a block's tile and pipeline, the dtype of A and B, and that of C. `depth`: groups are parts of K;
    `bias`: dtype of a number for each group and column."""
    BIAS: Any = al.constexpr if bias is None else al.Pointer(bias)

    @avelang.jit
    def grouped(
        a: al.Pointer[dtype], b: al.Pointer[dtype], c: al.Pointer[out], offsets: Annotated[Any, WORDS],
        m: al.u32, n: al.u32, k: al.u32, lda: al.u32, a_step: al.u32, b_group: al.u64, ldb: al.u32, b_step: al.u32,
        E: al.constexpr, EACH_A: al.constexpr, EACH_B: al.constexpr, WIDE: al.constexpr, A_SIDE: al.constexpr,
        B_SIDE: al.constexpr, bias_of: Annotated[Any, BIAS] = None,
    ):  # fmt: skip
        G = T.on(al.target(), dtype)
        al.expect_threads(G.threads, True)
        across_a, across_b = 1 if A_SIDE else a_step, 1 if B_SIDE else b_step
        A = tile.view(a, (m, k), EACH_A, (lda, across_a))
        zero = al.convert(0, al.u64)
        if depth:
            bounds = order.Bounds(offsets, k, E, True)
            rows, cols = (m + T.m - 1) // T.m, (n + T.n - 1) // T.n
            al.expect(al.grid_dim(0) == rows * cols * E, "a block for each tile of each group", rows * cols * E)
            index = xcd_remap(al.block_id(0), al.grid_dim(0), al.target().dies)
            group = index // (rows * cols)
            row, col = tile_of(index % (rows * cols), rows, cols, 8)
            begin, end = bounds.rows_of(group)
            B = part_of(b, dtype, zero, n, k, EACH_B, ldb, across_b)
            work = WorkTile((row * T.m, m), (col * T.n, n), (begin, end), (row * T.m, col * T.n))
            C = part_of(c, out, al.convert(group, al.u64) * m * n, m, n, WIDE, n, 1)
            store_part(C, schedules.one_tile(T, G, A, B, work), work.at, None)
        else:
            scheduler = order.groups(T, order.Bounds(offsets, m, E, True), n, k)
            count = scheduler.count()
            al.expect(al.grid_dim(0) >= count, "a block along x for each tile of C", count)
            if al.block_id(0) < count:
                work = scheduler.work_tile(xcd_remap(al.block_id(0), count, al.target().dies), 0, 0)
                group = work.b[0] // n
                matrix = part_of(b, dtype, al.convert(group, al.u64) * b_group, n, k, EACH_B, ldb, across_b)
                work.b = (work.b[0] - group * n, n)
                row, col, end = work.at
                added = None if bias is None else vector_of(bias_of, bias, al.convert(group, al.u64) * n, n)
                rows = tile.view(c, (m, n), WIDE).cut((end, n))
                store_part(rows, schedules.one_tile(T, G, A, matrix, work), (row, col), added)

    return grouped


@functools.cache
def build_clear(out: al.DType) -> Any:
    """The kernel that writes zeros to the rows behind the last group."""

    @avelang.jit
    def clear(c: al.Pointer[out], offsets: Annotated[Any, WORDS], rows: al.u32, n: al.u32, E: al.constexpr):
        C = al.make_tensor(c, out, al.make_layout((rows, n)))
        end = min(al.convert(offsets[E - 1], al.u32), rows)
        for row in al.range(end + al.block_id(0), rows, al.grid_dim(0)):
            for col in al.range(al.thread_id(0), n, al.block_dim(0)):
                C[row, col] = al.convert(0.0, out)

    return clear


class GroupedOperand(NamedTuple):
    """An operand as the kernel takes it: memory, elements from row to row and along K, and how many may be loaded at
    once."""

    memory: Any
    ld: int
    step: int
    each: int


def side(x: Any, steps: tuple[int, ...], k: int) -> GroupedOperand:
    """An operand whose rows and whose neighbors along K are so far apart."""
    down, across = steps[0], 1 if k == 1 else steps[1]
    size = x.dtype.itemsize
    each = math.gcd(k, down, *(s for s in strides_of(x)[:-2]), address(x) // size, 8) if across == 1 else 1
    each = each if each == 8 else 1  # few kernels: they are compiled
    return GroupedOperand(spanned(x), down, across, each)


@functools.lru_cache(maxsize=1024)
def best_block(chip: str, rows: int, groups: int, depth: bool = False, cpu: bool = False) -> tile.Block:
    """The block for a chip, by the rows of a group on average: low ones where groups are small. `depth`: groups are
    parts of K, of which loads are element by element: through registers. `cpu`: what is compiled soonest."""
    mean = rows / max(groups, 1)
    if cpu:
        return tile.Block(64, 64, 64 if chip.startswith("gfx") else 32, (2, 2), "single")
    if depth and not chip.startswith("gfx"):
        return tile.Block(64, 64, 32, (2, 2), "prefetch")
    if chip.startswith("gfx"):
        return tile.Block(64, 64, 64) if mean <= 64 else tile.Block(128, 128, 64)
    return tile.Block(64, 64, 32, (2, 2), "cp-async") if mean <= 64 else tile.Block(128, 128, 32, (2, 2), "cp-async")


def launch(a: Any, b: Any, offsets: Any, out: Any, chip: str, bias: Any = None, T: tile.Block | None = None,
    **options: Any) -> None:  # fmt: skip
    """C[rows of g] = A[rows of g] @ B[g]^T + bias[g]: a (m, k), b (E, n, k), offsets int32 (E,), the ends of groups,
    out (m, n). Or C[g] = A[:, g] @ B[:, g]^T: a (m, k), b (n, k), offsets along k, out (E, m, n). a and b of any
    strides;    out and bias without gaps; rows behind the last group are zeros."""
    (m, k), n, E, depth = a.shape, b.shape[-2], offsets.shape[0], len(b.shape) == 2
    dtype, to = DTYPES[named(a)], DTYPES[named(out)]
    if 0 in out.shape or not k:
        out[...] = 0
        return
    block = T or best_block(chip, m, 1 if depth else E, depth, options.get("backend") == "cpu")
    steps = strides_of(b)
    left, right = side(a, strides_of(a), k), side(b, steps[-2:], k)
    if depth:  # parts of K begin anywhere
        left, right = left._replace(each=1), right._replace(each=1)
    tiles = -(-n // block.n) * (-(-m // block.m) * E if depth else (m + min(E, m) * (block.m - 1)) // block.m)
    added = None if bias is None else DTYPES[named(bias)]
    given = {} if bias is None else {"bias_of": bias}
    wide = 4 if math.gcd(n, 4, address(out) // out.dtype.itemsize) == 4 else 1
    build(block, dtype, to, depth, added)[tiles, block.on(chip, dtype).threads](
        left.memory, right.memory, out, offsets, m, n, k, left.ld, left.step, 0 if depth else steps[0], right.ld,
        right.step, E, left.each, right.each, wide, left.step == 1,
        right.step == 1, target=chip, **given, **options,
    )  # fmt: skip
    if not depth:
        clear_behind(out, offsets, chip, **options)


def clear_behind(out: Any, offsets: Any, chip: str, **options: Any) -> None:
    """Writes zeros to the rows of out behind the last group."""
    m, n = out.shape
    clear = build_clear(DTYPES[named(out)])
    clear[min(m, 256), 256](out, offsets, m, n, offsets.shape[0], target=chip, **options)
