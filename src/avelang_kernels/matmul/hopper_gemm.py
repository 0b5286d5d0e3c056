"""Two matrices of bf16, f16, fp8, 8-bit integers or f32 come in; C = A @ B^T goes out: a persistent, warp-specialized
product for NVIDIA's Hopper (sm_90a). `hopper_types` has what is multiplied by what.

A block stays on its multiprocessor and makes one tile of C after another: `warp_specialized.run` with a ring of stages
filled by TMA, consumer warpgroups, and an epilogue that TMA stores. Blocks of a cluster make tiles below or beside one
another: what they share, each copies a part of, for all; or they share K of one tile. `hopper_tiles.GemmTile` has what
can be chosen. Edges cost nothing: TMA reads zeros past the end of a matrix, and does not write there."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any, Literal, NamedTuple

import avelang
import avelang.language as al
from avelang import Want, argument_error, takes
from avelang.pipelines.epilogue import STORE_BARRIER, StagedScales, TmaEpilogue
from avelang.pipelines.fixup import CAME, ClusterScatter, FixupEpilogue, SharedFixup, workspace
from avelang.pipelines.ring import cluster_sync, mbarrier_ring
from avelang.pipelines.scheduler import (
    BatchScheduler,
    ClusterKScheduler,
    SplitKScheduler,
    StreamKScheduler,
    TileScheduler,
)
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT, run
from avelang_kernels.activations import ACTIVATIONS, Activation
from avelang_kernels.arrays import Matrix, Positive, Vector, multiprocessors, named, new, spanned, strides_of
from avelang_kernels.matmul.aligned_rows import put_back
from avelang_kernels.matmul.hopper_epilogues import Scaling, scale_of, scale_vector
from avelang_kernels.matmul.hopper_f32 import split_f32
from avelang_kernels.matmul.hopper_rule import choose_tile
from avelang_kernels.matmul.hopper_tiles import SHARED, STREAM, GemmTile, clusters, resident
from avelang_kernels.matmul.hopper_types import (
    NAMES,
    Product,
    Scale,
    Scaled,
    dtype_of_out,
    odd_width,
    product_of,
    products,
    scales,
)
from avelang_kernels.matmul.storage import alignment, crosswise, misplaced, stored_by
from avelang_kernels.matmul.tuned_tiles import device_name, tuned_tile
from avelang_kernels.workspaces import room_for, workspace_for

Split = Annotated[Any, Want(lambda x: x == STREAM or type(x) is int and x > 0, f'an int from 1 on, or "{STREAM}"')]

Precision = Literal["bf16x3", "tf32"]


@avelang.jit
def scheduler_of(TILE: Any, m: Any, n: Any, k: Any, STEP: Any, batches: Any = None, BATCH: Any = None):
    """The scheduler of a tile's blocks for a product, or for several, as `build` says of `batch`. STEP: elements along
    K of a stage."""
    rows, cols = (n, m) if TILE.transposed else (m, n)
    scheduler = TileScheduler(rows, cols, k, TILE.m, TILE.n, TILE.cluster_m, TILE.cluster_n, TILE.group_m)
    if BATCH is not None:
        scheduler = BatchScheduler(scheduler, batches, TILE.cluster_m, TILE.cluster_n, BATCH[0], BATCH[1])
    if TILE.split == STREAM:
        runs = al.grid_dim(0) // (TILE.cluster_m * TILE.cluster_n)
        scheduler = StreamKScheduler(scheduler, runs, (k + STEP - 1) // STEP, STEP, HYBRID=True)
    elif TILE.split > 1:
        scheduler = SplitKScheduler(scheduler, TILE.split, STEP)
    if TILE.cluster_k > 1:
        scheduler = ClusterKScheduler(scheduler, TILE.cluster_k, STEP, TILE.cluster_m * TILE.cluster_n)
    return scheduler


@avelang.jit
def begin(G: Any, maps: Any, ring: Any, epilogue: Any):
    """Prefetches tensor maps and initializes mbarriers, which all blocks of the cluster see behind it."""
    if al.thread_id(0) == 0:
        for one in maps:
            al.nvvm.prefetch_tensormap(one)
        ring.init()
        if G.cluster_k > 1:
            epilogue.init()
        al.nvvm.fence_mbarrier_init()
        if G.cluster_k > 1:
            epilogue.expect()
    cluster_sync(G.cluster)


@avelang.jit
def operands_of(G: Any, stages: Any, OTHER: Any):
    """The stages of A, and behind them those of B, of the type OTHER: a row for each."""
    STEP = stages.shape[1]
    a = al.subview(stages, (0, 0), (G.stages * G.m, STEP), (1, 1))
    b = al.subview(stages, (G.stages * G.m, 0), (G.stages * G.n, STEP), (1, 1))
    a = al.view(a, al.Tensor((G.stages, G.m * STEP), stages.dtype))
    return a, al.view(b, al.Tensor((G.stages, G.n * STEP), OTHER))


@avelang.jit
def scattered(G: Any, stages: Any, epilogue: Any, SUMS: Any, PARTIALS: Any):
    """The epilogue as it is; or, of clusters whose blocks share K, one that adds up in the memory of the stages."""
    if G.cluster_k == 1:
        return epilogue
    exchange = al.view(stages, SUMS, al.make_layout(PARTIALS))
    came = al.make_shared((1,), al.u64)
    return ClusterScatter(exchange, came, epilogue, G.n, G.cluster_k, G.cluster_m * G.cluster_n)


@avelang.jit
def joined(
    G: Any, epilogue: Any, partials: Any, counters: Any, scheduler: Any, SPLIT: Any, SUMS: Any, PARTIALS: Any
):  # fmt: skip
    """The epilogue as it is, if K is whole; or behind a workspace: of blocks, which add up tiles together if their
    number is known, or of clusters whose blocks have added up their own parts."""
    if SPLIT == 1:
        return epilogue
    sizes = G.cluster, G.consumers, PARTIALS[3] if G.cluster_k > 1 else G.row_blocks * G.n // 8
    space = workspace(scheduler, partials, counters, sizes, STORE_BARRIER, 0, SUMS)
    if G.cluster_k > 1:
        epilogue.workspace = space
        return epilogue
    if SPLIT == STREAM or SPLIT > CAME:
        return FixupEpilogue(space, epilogue)
    return SharedFixup(space, epilogue, scheduler.count() * G.cluster <= al.grid_dim(0), SPLIT, G.n)


@avelang.jit
def end_of(activation: Any, factor: Any, one: Any, two: Any, one_step: Any, two_step: Any, sizes: Any, SCALED: Any):
    """The activation of an epilogue, and its scales of rows and columns, of which there are so many."""
    if isinstance(SCALED, tuple):
        rows = None if one is None else scale_vector(one, sizes[0], one_step, SCALED[0] == 2)
        cols = None if two is None else scale_vector(two, sizes[1], two_step, SCALED[1] == 2)
        return activation, (factor, rows, cols)
    return (activation if SCALED is None else Scaling(scale_of(factor, one, two))), None


@avelang.jit
def in_line(scales: Any):
    """Scales of rows or of columns as (count,), or None."""
    if scales is None or len(scales.shape) == 1:
        return scales
    return al.view(scales, al.Tensor((scales.shape[0] * 2,), al.f32))


@avelang.jit
def staged_scales(G: Any, scales: Any):
    """The scales of an epilogue, (number, rows, columns), as they come to shared memory."""
    HIGH = ROWS * G.row_blocks
    held = al.make_shared((G.consumers, HIGH + G.n), al.f32, 16)
    return StagedScales(scales[0], in_line(scales[1]), in_line(scales[2]), held, HIGH, G.pingpong)


def early_scales(tile: GemmTile, size: int, scaled: Scaled) -> bool:
    """True where the scales of rows and columns come to shared memory while a tile is multiplied: where there are such,
    one block makes a whole tile, and there is room beside its stages."""
    if not isinstance(scaled, tuple) or not any(scaled) or tile.split != 1 or tile.cluster_k > 1:
        return False
    beside = 4 * tile.consumers * (ROWS * tile.row_blocks + tile.n) + 16 * tile.stages + 128
    return tile.stages * (tile.m + tile.n) * PATTERN + tile.staged(size) + beside <= SHARED


def annotations(split: bool, bias: Any, scaled: Scaled) -> tuple[Any, ...]:
    """The annotations of sums, counters, bias, a factor, its two pointers and their strides; of what a kernel has not,
    that of a constexpr, None."""
    f32: Any = al.f32
    sums, counters = (al.Pointer(f32), al.Pointer(al.u32)) if split else (al.constexpr, al.constexpr)
    factor: Any = al.constexpr if scaled is None else f32
    has = scaled if isinstance(scaled, tuple) else tuple((scaled or 0) >= i for i in (1, 2))
    more = (al.Pointer(f32) if x else al.constexpr for x in has)
    steps = (al.u32 if isinstance(scaled, tuple) and x else al.constexpr for x in has)
    return sums, counters, al.constexpr if bias is None else al.Pointer(bias), factor, *more, *steps


@avelang.jit
def elements_of(C: Any, out: Any, m: Any, n: Any, apart: Any, batches: Any, further: Any):
    """C by its elements, (m, n) or (batches, m, n), of rows and products that begin so many elements apart."""
    plane = ((m, n), (apart, 1)) if further is None else ((batches, m, n), (further, apart, 1))
    return al.make_tensor(C, out, al.make_layout(plane[0], plane[1]))


def result_of(tile: GemmTile, out: al.DType, more: tuple[int, ...], loose: bool) -> tuple[Any, tuple[int, ...]]:
    """The type of C with so many dimensions of 1 more in what TMA copies at once, and the shape of the memory in which
    consumers put their parts."""
    piece = tile.piece(out.bytes)
    box, row = ((piece, ROWS), PATTERN) if tile.transposed else ((ROWS, piece), piece * out.bytes)
    shape = tile.consumers, tile.buffers(out.bytes), box[0], row // UNIT, UNIT // out.bytes
    if loose:
        return al.Pointer(out), shape
    return al.TensorMap(out, 2 + len(more), more + box, swizzle=tile.swizzle(out.bytes)), shape


@functools.cache
def build(tile: GemmTile, dtype: al.DType, out: al.DType, other: al.DType | None = None, scaled: Scaled = None,
    majors: tuple[bool, bool] = (False, False), bias: Any = None, activation: Any = None,
    accumulate: bool = False, batch: tuple[bool, bool] | None = None, early: bool = False,
    loose: bool = False) -> Any:  # fmt: skip
    """The kernel for a tile, the type of A and that of C; `other`: the type of B where it is not A's. What TMA copies
    at once is part of its map's type: hence a function for each. A split K takes a workspace: f32 sums and u32
    counters, 0. `scaled`: sums are multiplied by a number, and by so many more in memory; or by numbers in memory for
    rows of A and for rows of B, where the one and the other are not 0; 2: pairs side by side. None: they are not.
    `majors`: neighbors of A lie along M, of B along N: it comes as (k, m), (k, n). `bias`: its dtype; `activation`: of
    `ACTIVATIONS`; both where `scaled` is None or a tuple. `accumulate`: C is added to. `batch`: A, B and C have a
    dimension more, for several products; True for the operand of which each has its own. `early`: scales of rows and
    columns come to shared memory while their tile is multiplied. `loose`: rows of C begin where TMA does not store, so
    many elements apart, as products may, and threads store them."""
    other = dtype if other is None else other
    product, split = products()[dtype, other], tile.split
    STEP, sums, wgmma = product.step, product.sums, getattr(al.nvvm, f"wgmma_{product.mma}")
    SUMS, COUNTERS, BIAS, FACTOR, ONE, TWO, ONES, TWOS = annotations(split != 1, bias, scaled)
    ACTIVATION, G, (A_BOX, B_BOX) = ACTIVATIONS[activation], tile.block(dtype, *majors), tile.boxes(STEP, *majors)
    PARTIALS, ONES_MORE = tile.partials(out.bytes), () if batch is None else (1,)
    RANK, COUNT = 2 + len(ONES_MORE), al.constexpr if batch is None else al.u32
    TO, STAGED = result_of(tile, out, ONES_MORE, loose)
    APART, FURTHER = (al.u64 if x else al.constexpr for x in (loose, loose and batch is not None))

    @avelang.jit
    def gemm(
        A: Annotated[Any, al.TensorMap(dtype, RANK, ONES_MORE + A_BOX, swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(other, RANK, ONES_MORE + B_BOX, swizzle=PATTERN)],
        C: Annotated[Any, TO], m: al.u32, n: al.u32, k: al.u32,
        partials: Annotated[Any, SUMS] = None, counters: Annotated[Any, COUNTERS] = None,
        factor: Annotated[Any, FACTOR] = None, one: Annotated[Any, ONE] = None, two: Annotated[Any, TWO] = None,
        one_step: Annotated[Any, ONES] = None, two_step: Annotated[Any, TWOS] = None,
        bias_of: Annotated[Any, BIAS] = None, batches: Annotated[Any, COUNT] = None,
        apart: Annotated[Any, APART] = None, further: Annotated[Any, FURTHER] = None,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024, True)
        a, b = operands_of(G, stages, other)
        staged = al.make_shared(STAGED, out, 1024)
        sizes = (n, m) if tile.transposed else (m, n)
        last, of_rows = end_of(ACTIVATION, factor, one, two, one_step, two_step, sizes, scaled)
        added = None if bias is None else al.make_tensor(bias_of, bias, al.make_layout((n,)))
        staged_rows: Any = staged_scales(G, of_rows) if early else of_rows
        maps: Any = (A, B) if loose else (A, B, C)
        to: Any = (None, elements_of(C, out, m, n, apart, batches, further)) if loose else (C, None)
        ways = tile.transposed, tile.pingpong, accumulate
        epilogue: Any = TmaEpilogue(to[0], staged, added, last, *ways, staged_rows, to[1])
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n, CLUSTER_K=G.cluster_k)
        epilogue = scattered(G, stages, epilogue, sums, PARTIALS)
        begin(G, maps, ring, epilogue)
        scheduler = scheduler_of(tile, m, n, k, STEP, batches, batch)
        epilogue = joined(G, epilogue, partials, counters, scheduler, split, sums, PARTIALS)

        def mma(rows: Any, cols: Any, acc: Any):
            if dtype.bytes == 2:
                return wgmma(rows, cols, acc, trans_a=1 if G.a_mn else 0, trans_b=1 if G.b_mn else 0)
            return wgmma(rows, cols, acc)

        ready: Any = staged_rows.begin if early else None
        run(G, A, B, a, b, ring, scheduler, lambda: al.full((G.n // 2,), 0, sums), mma, epilogue, None, ready)

    return gemm


@functools.cache
def allowed(tile: GemmTile, k: int, out: al.DType, product: Product, majors: tuple[bool, bool]) -> bool:
    """True. Raises ValueError where there is no kernel for a tile, or none that shares so long a K."""
    why = tile.fault(out.bytes, *majors) or odd_width(tile, product)
    if not why and tile.cluster_k > max(1, -(-k // product.step)):
        why = f"K of {k} has fewer steps of {product.step} than cluster_k, {tile.cluster_k}"
    if why:
        raise argument_error(f"tile: {why}; it is {tuple(tile)}")
    return True


def threads(tile: GemmTile) -> int:
    """Of a block."""
    return GROUP * (1 + tile.consumers)


def units_of(m: int, n: int, steps: int, tile: GemmTile, batches: int = 1) -> tuple[int | str, int]:
    """The split, with no more parts than steps along K, and how many units of work for clusters that makes, for
    "stream" at the most."""
    tiles = clusters(m, n, tile) * batches
    if tile.split == STREAM:
        return STREAM, tiles * steps
    parts = max(1, min(int(tile.split), steps // tile.cluster_k))
    return parts, tiles * parts


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, tile: GemmTile | None = None, blocks: Positive | None = None,
    split: Split | None = None, *, scale_a: Scale = None, scale_b: Scale = None, dtype: Any = None,
    precision: Precision | None = None, bias: Vector | None = None, activation: Activation | None = None,
    accumulate: bool = False, **options: Any) -> Any:  # fmt: skip
    """C = activation(A @ B^T + bias), accumulated in f32, or in i32 where A and B are integers, and rounded once.
    a: (m, k), b: (n, k); elements of a row are neighbors, and rows a multiple of 16 bytes apart, as TMA wants them; of
    bf16 and f16 the same may hold of columns. Both are bf16, or f16; or of 8 bits: e4m3 and e5m2 in any pair, or i8 and
    u8 in any pair; or f32. out: (m, n), of the type of a and b or f32; of fp8 bf16, f16 or f32; of integers i32, f32,
    bf16 or f16; of f32 f32, bf16 or f16. It is made when it is None: of `dtype`, or the type of a and b, bf16 for fp8,
    i32 for integers. All are on a GPU of sm_90a, or on the CPU.

    `scale_a`, `scale_b`: numbers, or arrays of one f32 where a and b are, by which C is multiplied, in f32, before it
    is rounded; or of f32 for each row of a, (m,) or (m, 1), and of b, (n,), (n, 1) or (1, n). `precision`, of f32:
    "bf16x3", three products of bf16 with an error of some 2^-16 of |a| |b|, or "tf32", one product that ignores the low
    13 bits of a and b, with one of 2^-9; "bf16x3" when it is None. `bias`: (n,), of the type of a or f32; `activation`:
    "relu", "silu", "gelu" or "gelu_tanh"; for results of floats. `accumulate`: the product is added to `out`, of f32,
    bf16 or f16: rounded to its type, and the sum again. `tile`: by shape when it is None; `blocks`: as many as there
    are multiprocessors. `split`: in place of the tile's: parts of K that different blocks multiply, or "stream";
    sums of parts are added in the order of K, the same bits in every run. Launches of one stream share a workspace.
    `options` are those of a launch, such as `backend="reference"`. Returns `out`. An `out` whose rows are no multiple
    of 16 bytes, in length or apart, is stored by threads; one whose elements of a row are no neighbors is filled by a
    copy. Raises ValueError for shapes, TypeError for types (L066)."""
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    product = product_of(a, b)
    to = dtype_of_out(product, out, dtype, product.outs[0])
    if precision is not None and product.a != al.f32:
        raise argument_error(f"precision is for a and b of float32; a is of {a.dtype}")
    if out is not None and tuple(out.shape) != (m, n):
        raise argument_error(f"out is {tuple(out.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    if product.a == al.f32 and precision != "tf32" and 0 not in (m, n, k):
        a, b = split_f32(a, b, **options)
        k, product = a.shape[1], product_of(a, b)
    narrow, ended = product.a.bytes == 2, bias is not None or activation is not None
    factors = scales(scale_a, scale_b, product.sums == al.i32 != to or ended and not narrow, (m, n), ended)
    check_end(to, n, bias, activation)
    if 0 not in (m, n, k):
        check_places(a, b, narrow)
    sms, majors = blocks or multiprocessors(a), (crosswise(a), crosswise(b))
    if tile is None and narrow and blocks is None and getattr(a, "is_cuda", False):
        tile = tuned_tile(device_name(a), m, n, k, to.bytes, majors)
    tile = tile or ruled(a, b, to, sms, product, isinstance(factors[0], tuple))
    if split is not None:
        tile = tile._replace(split=split)
    assert allowed(tile, k, to, product, majors)
    by = "copy" if out is None else stored_by(out)
    # TMA stores whole pieces of 16 bytes of rows.
    wide = -(-n * to.bytes // UNIT) * UNIT // to.bytes
    result: Any = made_result(a, m, wide, to, out) if by == "copy" else out
    if k == 0 and m * n:  # nothing is added up: the product of zeros, whose end is that of any other
        (a, b), majors, k = map(nothing, (a, b)), (False, False), UNIT // a.dtype.itemsize
    if 0 not in (m, n):
        launch(product, a, b, result, to, tile, sms, factors, (m, n, k), options, majors,
               (bias, activation, check_sum(accumulate, by == "tma")), by == "threads")  # fmt: skip
    if out is None:
        return result[:, :n]
    if by == "copy":
        put_back(result, out, options)
    return out


def ruled(a: Any, b: Any, to: Any, sms: int, product: Product, scaled: bool) -> GemmTile:
    """The tile of the rule, which counts K in elements of 2 bytes, and takes no extent of 0."""
    (m, k), n, majors = a.shape, b.shape[0], (crosswise(a), crosswise(b))
    said = alignment(a, b), majors, product.a.bytes, 1, scaled, product.sums == al.i32
    return choose_tile(max(m, 1), max(n, 1), max(1, -(-k * product.a.bytes // 2)), sms, to.bytes, *said)


def check_sum(accumulate: bool, direct: bool) -> bool:
    """`accumulate`, where TMA stores to C itself. Raises L066 where it does not."""
    if accumulate and not direct:
        raise argument_error("accumulate: needs an out whose rows are multiples of 16 bytes, in length and apart")
    return accumulate


def made_result(a: Any, m: int, wide: int, to: Any, out: Any) -> Any:
    """Memory for C: new, or, where it is copied to `out`, that of the call before."""
    return new(a, (m, wide), NAMES[to]) if out is None else room_for(a, m, wide, NAMES[to], "result")


def nothing(x: Any) -> Any:
    """Rows of zeros, 16 bytes each, in the stead of rows of no elements."""
    made = new(x, (x.shape[0], UNIT // x.dtype.itemsize))
    made[...] = 0
    return made


def launch(product: Product, a: Any, b: Any, result: Any, to: Any, tile: GemmTile, sms: int, factors: Any,
    shape: tuple[int, int, int], options: dict[str, Any], majors: tuple[bool, bool], ends: tuple[Any, Any, bool],
    loose: bool = False,
) -> None:  # fmt: skip
    """The launch of what has been checked, on so many multiprocessors. `factors`: of `scales`; `ends`: bias,
    activation, and whether C is added to; `loose`: as of `build`."""
    (scaled, numbers), (bias, activation, accumulate) = factors, ends
    if scaled.__class__ is tuple and tile.transposed:
        scaled, numbers = scaled[::-1], (numbers[0], *numbers[2:0:-1], *numbers[4:2:-1])
    said = None if bias is None else dtype_of_bias(bias, product)
    way = prepared(product, to, tile, sms, scaled, shape, majors, (said, activation, accumulate), loose=loose)
    again(way, a, b, result, bias, options, () if scaled is None else numbers)


class Prepared(NamedTuple):
    """A launch without its arrays: `at`, the kernel and its grid; `room`, counters and sums of its workspace, or ();
    `majors`, which of A and B are read by columns; `swapped`, whether B comes first; m, n and k; `cluster`; `loose`,
    whether threads store C."""

    at: Any
    room: tuple[int, ...]
    majors: tuple[bool, bool]
    swapped: bool
    shape: tuple[int, int, int]
    cluster: tuple[int, int, int]
    loose: bool


def prepared(product: Product, to: Any, tile: GemmTile, sms: int, scaled: Scaled, shape: tuple[int, int, int],
             majors: tuple[bool, bool], ends: tuple[Any, Any, bool], batches: int = 1,
             batch: tuple[bool, bool] | None = None, loose: bool = False) -> Prepared:  # fmt: skip
    """The launch of what has been checked. `ends`: the dtype of the bias, activation, whether C is added to. `batches`:
    how many products it is of, where `batch` is not None: as of `build`; `loose`, too."""
    m, n, k = shape
    split, units = units_of(m, n, -(-k // product.step), tile, batches)
    runs = units if tile.cluster_k > 1 else min(units, resident(tile.cluster, sms))
    room: tuple[int, ...] = ()
    if split != 1:
        slots = (2 * runs if split == STREAM else units) * tile.cluster
        room = slots * tile.m // ROWS, slots * tile.m * tile.n
    form = product.swapped if tile.transposed else product
    turned = majors[::-1] if tile.transposed else majors
    kernel = build(tile._replace(split=split), form.a, to, form.b, scaled, turned, *ends,
                   batch[::-1] if batch is not None and tile.transposed else batch,
                   early_scales(tile, to.bytes, scaled), loose)  # fmt: skip
    at = kernel[runs * tile.cluster, threads(tile)]
    return Prepared(at, room, majors, tile.transposed, shape, (tile.cluster, 1, 1), loose)


def again(way: Prepared, a: Any, b: Any, result: Any, bias: Any, options: dict[str, Any],
          numbers: tuple[Any, ...] = ()) -> None:  # fmt: skip
    """The launch with its arrays: of those shapes, strides and dtypes for which it was prepared, and scales."""
    a_turned, b_turned = way.majors
    x, y = a.swapaxes(-1, -2) if a_turned else a, b.swapaxes(-1, -2) if b_turned else b
    launched(way, x, y, result, bias, options, numbers)


def launched(way: Prepared, x: Any, y: Any, result: Any, bias: Any, options: dict[str, Any],
             numbers: tuple[Any, ...] = ()) -> None:  # fmt: skip
    """As `again`, with operands as the kernel reads them: those by columns are turned."""
    at, room, _, swapped, (m, n, k), cluster, loose = way
    extra = workspace_for(x, *room) if room else ()
    if swapped:
        x, y = y, x
    if numbers:
        extra = *(extra or (None, None)), *numbers
    if bias is not None:
        options = {**options, "bias_of": bias}
    if loose:
        *further, apart, _ = strides_of(result)
        options = {**options, "apart": apart, **({"further": further[0]} if further else {})}
        result = spanned(result)
    at(x, y, result, m, n, k, *extra, cluster=cluster, **options)


def check_places(a: Any, b: Any, columns: bool) -> None:
    """Checks that TMA can read both matrices, by rows or, where `columns`, by columns. Raises ValueError (L066)."""
    for name, x in (("a", a), ("b", b)):
        why = misplaced(x, columns)
        if why:
            raise argument_error(f"{name}: {why} (pad the rows, and pass a view of the first {x.shape[1]} columns)")


def check_end(to: al.DType, n: int, bias: Any, activation: Any) -> None:
    """Checks that results of a type, of n columns, can have this bias and activation. Raises ValueError (L066)."""
    if bias is None and activation is None:
        return
    if to.is_int:
        raise argument_error(f"bias and activation are for results of floats; out is of {to}")
    if bias is not None and tuple(bias.shape) != (n,):
        raise argument_error(f"bias is {tuple(bias.shape)}, but the product has {n} columns: it must be {(n,)}")


def dtype_of_bias(bias: Any, product: Product) -> Any:
    """The dtype of a bias. Raises TypeError where it is neither f32 nor that of A."""
    found = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}.get(named(bias))
    if found is None or found not in (product.a, al.f32) and product.a.bytes != 1:
        raise argument_error(f"bias is of {bias.dtype}; here it must be of {product.a} or f32")
    return found
