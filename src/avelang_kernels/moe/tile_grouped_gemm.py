"""Rows in groups and a matrix for each group come in; each group's product goes out: the GEMM of a mixture of experts,
one source for both vendors.

The sizes of the groups are on the device, and nobody waits for them: a launch has as many blocks as there can be tiles,
or with the pipeline "tma" as many as run at once, and blocks find out there which tiles are theirs
(`avelang.tile.order.groups`)."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.tile import gather, order, vectorize
from avelang_kernels.arrays import DTYPES, ArrayLike, Count, Matrix, Vector, check, named, whole

# Columns of the gate, then as many of what it lets through: with stripes as wide, both are in one lane in all layouts
# of accumulators.
STRIPE = 32
FRAGMENT = 16  # rows of B that `preshuffle` keeps together
FAR = 1 << 31  # bytes that offsets of AMD's buffers reach
WORDS, FLOATS = al.Pointer(al.i32), al.Pointer(al.f32)


@functools.cache
def build(
    T: tile.Block, dtype: al.DType, out: al.DType, taken: bool = False, scaled: bool = False, gated: bool = False,
    whole: bool = True,
) -> Any:  # fmt: skip
    """The kernel for a block's tile and pipeline, the dtype of A and B, and that of C. `taken`: rows of A go through an
    index; `scaled`: rows of C have factors; `gated`: SwiGLU; `whole`: with "tma", TMA stores tiles of which all rows
    are the group's."""
    IN_A, IN_B, MAP = T.operands(dtype, out)
    BULK = T.pipeline == "tma" and whole
    WHOLE, AT, FACTORS = (
        MAP if BULK else al.constexpr,
        WORDS if taken else al.constexpr,
        FLOATS if scaled else al.constexpr,
    )

    @avelang.jit
    def grouped(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: al.Pointer[out], offsets: al.Pointer[al.i32],
        tokens: al.u32, rows: al.u32, n: al.u32, k: al.u32, E: al.constexpr, ENDS: al.constexpr = False,
        EACH: al.constexpr = 8, WIDE: al.constexpr = 4, bulk: Annotated[Any, WHOLE] = None,
        index: Annotated[Any, AT] = None, factors: Annotated[Any, FACTORS] = None,
    ):  # fmt: skip
        A = gather.gathered(a, (tokens, k), index, rows, EACH) if taken else tile.view(a, (rows, k), EACH)
        B, wide = tile.view(b, (E * n, k), EACH), n // 2 if gated else n
        C = tile.view(c, (rows, wide), WIDE)

        def finish(sums: Any, at: Any):
            row, col, end = at
            if gated:
                sums, col = swiglu(sums), col // 2
            if scaled:
                sums = times_rows(sums, tile.view(factors, (rows,)), row)
            if BULK and row + sums.shape[0] <= end:
                tile.view(bulk, (rows, wide)).store(sums, (row, col))
            else:
                C.cut((end, wide)).store(sums, (row, col))

        tile.multiply(T, A, B, order.groups(T, order.Bounds(offsets, rows, E, ENDS), n, k), finish)

    return grouped


@avelang.jit
def times_rows(sums: tile.DistributedTile, factors: Any, row: Any):
    """Each row of a tile times its factor."""
    F = vectorize.folding(sums.dist, 1)
    window = tile.Window(factors, F.dist.shape, (row,), F.dist, sums.thread)
    return sums.along(lambda x, f: x * f, window.load(), 1)


@avelang.jit
def swiglu(sums: Any):
    """gate / (1 + exp(-gate)) * up, half as wide; stripes of `STRIPE` columns of gates and of what they let through
    take turns."""
    P = pairs(sums.dist)
    out = al.make_local((len(P[1]),), sums.dtype)
    for i in range(len(P[1])):
        gate = sums.values[P[1][i]]
        out[i] = gate / (1.0 + al.exp(0.0 - gate)) * sums.values[P[2][i]]
    return tile.Tile(out, P[0], sums.thread, sums.groups)


@avelang.constant
def pairs(dist: tile.Distribution) -> tuple[tile.Distribution, tuple[int, ...], tuple[int, ...]]:
    """The distribution of gated sums, and of each of a lane's where its gate and its partner are. Raises ValueError
    where another lane has it."""
    rows, cols = dist.index
    gates = [e for e in range(dist.elements) if cols[0, e] // STRIPE % 2 == 0]
    found = {(r, c): e for e, (r, c) in enumerate(zip(rows[0].tolist(), cols[0].tolist(), strict=True))}
    ups = [found.get((int(rows[0, e]), int(cols[0, e]) + STRIPE), -1) for e in gates]
    if (
        min(ups, default=-1) < 0
        or (cols[:, ups] != cols[:, gates] + STRIPE).any()
        or (rows[:, ups] != rows[:, gates]).any()
    ):
        raise argument_error(
            f"SwiGLU: each wave's part of a tile has a multiple of {2 * STRIPE} columns; give the block a greater n"
        )
    flat = dist.waves, dist.wave, len(gates)
    index = [rows[:, gates].reshape(flat), (cols // (2 * STRIPE) * STRIPE + cols % STRIPE)[:, gates].reshape(flat)]
    shape = dist.shape[0], dist.shape[1] // 2
    return tile.Distribution.of_index(index, shape, "gated sums"), tuple(gates), tuple(ups)


# -- calls -------------------------------------------------------------------------------------------------------------


@takes()
def grouped_gemm(
    a: Matrix, b: Any, offsets: Vector, out: Matrix, T: tile.Block | None = None, target: str | None = None, *,
    index: Vector | None = None,
    factors: Vector | None = None, gated: bool = False, units: Count = 0, **options: Any,
) -> Any:  # fmt: skip
    """C[rows of g] = A[rows of g] @ B[g]^T for each group g, accumulated in f32.

    a: (rows, k), b: (E, n, k), both bf16 or f16; out: (rows, n), of their dtype or f32; contiguous. `offsets`: int32,
    on the device of the others: E + 1 bounds of the groups, or their E ends, the first beginning at 0. They ascend and
    end at `rows` at most; rows of no group are left as they are in `out`. (Offsets that do not ascend leave rows out,
    or have several groups write them, in no order: nothing outside of `out` is written.)

    `index`: int32, (rows,): row r of A is row index[r] of `a`, (tokens, k), of zeros where it has no such row; not with
    the pipeline "tma". `factors`: f32, (rows,): what rows of C are multiplied by in the end. `gated`: SwiGLU; n holds
    gates and what they let through, in stripes of 32 (`tile_moe.striped`), and out is (rows, n / 2).

    `T`: the block's tile and pipeline (None: `best_block`); with "preshuffled", offsets are bounds, and b is flat, what
    `T.on(target, dtype).preshuffle` made of (E * n, k). `target`, `units`: chip and compute units, by default those of
    the arrays' GPU; arrays on the CPU are multiplied there. `options`: of a launch. Returns `out`; raises ValueError
    and TypeError for what does not fit."""
    if T is None or T.pipeline != "preshuffled" or not hasattr(b, "shape"):
        check(b=(b, 3))
    if target is None and tile.on_cpu(a):
        options.setdefault("backend", "cpu")
    target, count = tile.device_of(a, target)
    forms = [None if x is None else ArrayLike(x.shape, x.dtype) for x in (a, b, offsets, out, index, factors)]
    found = _fitted(*forms, T, target, gated, units or count)
    if not whole(b):
        raise argument_error(f"b, {tuple(b.shape)}, is not contiguous: to copy it would take longer than the product")
    if found.launch is not None:
        flat = b if found.rows is None else b.reshape(found.rows)
        bulk = out if found.whole else None
        found.launch(
            a, flat, out, offsets, *found.numbers, bulk, index, factors, target=target, **found.options, **options
        )
    return out


class GroupedLaunch(NamedTuple):
    """Arguments of a launch: the kernel at its grid (None: there is nothing to do), B's shape where it is not flat,
    numbers among the arguments, whether TMA stores, options."""

    launch: Any
    rows: tuple[int, int] | None = None
    numbers: tuple[int, ...] = ()
    whole: bool = False
    options: dict[str, Any] = {}


@functools.lru_cache(1024)  # arrays of the same shapes come again and again
def _fitted(
    a: Any, b: Any, offsets: Any, out: Any, index: Any, factors: Any, T: tile.Block | None, target: str, gated: bool,
    units: int,
) -> GroupedLaunch:  # fmt: skip
    """The launch for arrays of such shapes and dtypes. Raises ValueError and TypeError for what does not fit."""
    dtype, to = _dtypes(a, b, out)
    block = T or best_block(target, out.shape[0], b.shape[0], index is not None)
    E, ends = _groups(b, offsets, block)
    (rows, wide), k = out.shape, a.shape[1]
    n = 2 * wide if gated else wide
    _check(a, b, out, index, factors, (E, n, block.pipeline))
    if block.pipeline == "tma" and (index is not None or k * dtype.bytes % 16):
        raise argument_error(
            'the pipeline "tma" takes rows one after another, not through an index, and of a multiple of 16 bytes; '
            f"k = {k}"
        )
    if index is not None and a.shape[0] * k * dtype.bytes >= FAR and target.startswith("gfx"):
        raise argument_error(f"a is {tuple(a.shape)}: rows are taken through an index out of {FAR >> 30} GiB at most")
    if not rows or not n:
        return GroupedLaunch(None)
    # TMA stores whole lines of 128 bytes of a tile, and rows that begin at multiples of 16.
    whole = (
        block.pipeline == "tma"
        and wide * to.bytes % 16 == 0
        and (block.n // 2 if gated else block.n) * to.bytes % 128 == 0
    )
    kernel = build(block, dtype, to, index is not None, factors is not None, gated, whole)
    return GroupedLaunch(
        kernel[grid(block, rows, E, n, units), block.on(target, dtype).threads],
        None if len(b.shape) == 1 else (E * n, k),
        (a.shape[0], rows, n, k, E, ends, math.gcd(k, 8), math.gcd(wide, 8)), whole,
        {"cluster": (math.prod(block.cluster), 1, 1)} if block.cluster != (1, 1) else {},
    )  # fmt: skip


@takes()
@functools.lru_cache(1024)
def best_block(target: str, rows: Count, E: Count, taken: bool = False) -> tile.Block:
    """A block for a chip, by the rows that a group has on average: low ones where groups are small, so that less of a
    tile is beyond its group. `taken`: rows go through an index. On an H200 low ones are 2 to 4 % faster with 16 rows a
    group, and 12 to 15 % slower with 128 and 512, however well they fit (DeepSeek-V3 in
    `benchmarks/results/tile_grouped_gemm.json`): they pay where most groups are no higher than one."""
    mean = rows / max(E, 1)
    if target == "sm_90a" and not taken:
        if mean <= 64:
            return tile.Block(64, 256, 64, pipeline="tma", stages=5)
        # What more groups need of shared memory leaves none for a fourth stage.
        return tile.Block(128, 256, 64, pipeline="tma", stages=4 if E <= 256 else 3)
    if target.startswith("gfx"):
        if mean <= 64:
            return tile.Block(64, 256, 64, (1, 4))
        return tile.Block(128, 128, 64) if mean <= 512 else tile.Block(256, 256, 64, (2, 4))
    return tile.Block(64, 128, 32, (2, 2), "cp-async") if mean <= 64 else tile.Block(128, 128, 32, (2, 2), "cp-async")


def grid(T: tile.Block, rows: int, E: int, n: int, units: int) -> int:
    """Blocks of a launch: enough for any sizes of the groups, each of which may end within a tile."""
    high = T.m * T.cluster[0]
    return T.grid((rows + min(E, rows) * (high - 1)) // high * high, n, units)


def _dtypes(a: Any, b: Any, out: Any) -> tuple[Any, Any]:
    names = [named(x) for x in (a, b, out)]
    if names[0] != names[1] or names[0] not in ("bfloat16", "float16") or names[2] not in (names[0], "float32"):
        raise argument_error(
            f"a is {names[0]}, b {names[1]}, out {names[2]}: a and b are both bfloat16 or float16, out is that or "
            f"float32"
        )
    return DTYPES[names[0]], DTYPES[names[2]]


def _groups(b: Any, offsets: Any, T: tile.Block) -> tuple[int, bool]:
    """How many groups there are, and whether the offsets are their ends alone."""
    if named(offsets) != "int32" or len(offsets.shape) != 1:
        raise argument_error(
            f"offsets are {named(offsets)} of shape {tuple(offsets.shape)}: they are int32, of one dimension"
        )
    length = offsets.shape[0]
    if T.pipeline == "preshuffled":
        return length - 1, False
    E = b.shape[0] if len(b.shape) == 3 else -1
    if E < 1 or length not in (E, E + 1):
        raise argument_error(
            f"b is {tuple(b.shape)}, and there are {length} offsets: b is (E, n, k), and offsets are E + 1 bounds or "
            f"E ends"
        )
    return E, length == E


def _check(a: Any, b: Any, out: Any, index: Any, factors: Any, of: tuple[int, int, str]) -> None:
    """Raises ValueError or TypeError where shapes, dtypes or devices do not fit one another."""
    (E, n, pipeline), rows, k = of, out.shape[0], a.shape[1]
    flat = pipeline == "preshuffled"
    if (not flat and tuple(b.shape) != (E, n, k)) or (
        flat and (len(b.shape) != 1 or n % FRAGMENT or b.shape[0] < E * n * k)
    ):
        flatly = ", preshuffled, with n a multiple of 16" if flat else ""
        said = f"a is {tuple(a.shape)}, b is {tuple(b.shape)}, out is {tuple(out.shape)}"
        raise argument_error(f"{said}: b should be {(E, n, k)}{flatly}")
    if not k:
        raise argument_error("k = 0: there is nothing to add up")
    if index is None and a.shape[0] != rows:
        raise argument_error(
            f"a has {a.shape[0]} rows, out has {rows}: as many, or the rows of a are taken through an index"
        )
    for name, x, want in (("index", index, "int32"), ("factors", factors, "float32")):
        if x is not None and (named(x) != want or tuple(x.shape) != (rows,)):
            raise argument_error(
                f"{name} is {named(x)} of shape {tuple(x.shape)}, and it should be {want} of shape {(rows,)}"
            )
    if n % (2 * STRIPE) and out.shape[1] != n:
        raise argument_error(
            f"out has {out.shape[1]} columns: gates and what they let through take turns in stripes of {STRIPE} columns"
        )
