"""Grouped products of which neighbors of an operand do not lie along K, on NVIDIA's Hopper, in one launch and with no
copy: the gradients of a mixture of experts, and weights as torch's `grouped_mm` takes them.

| form | A | B | C | |
| --- | --- | --- | --- | --- |
| rows | (m, k) | (E, k, n) | (m, n) | rows of a group meet its matrix: gradients of tokens |
| depth | (k, m) | (k, n) | (E, m, n) | rows of a group of A^T and of B: gradients of weights |

The sizes of groups are on the device. A group's K need not end at a step: it begins before the group by what is
missing, and consumers write zeros over that part of the first stage, so that nothing of a neighbor counts, NaN
neither. Groups of depth are gone through by falling size; one that is empty has zeros."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error
from avelang.pipelines.epilogue import TmaEpilogue
from avelang.pipelines.grouped import GroupBounds, GroupedDepthScheduler, grouped_scheduler, largest_first
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.warp_specialized import PATTERN, ROWS, UNIT, clear_first, run
from avelang_kernels.arrays import DTYPES, address, multiprocessors, named, strides_of
from avelang_kernels.matmul.hopper_gemm import begin, operands_of, threads
from avelang_kernels.matmul.hopper_tiles import BESIDE, SHARED, STEP, GemmTile
from avelang_kernels.matmul.hopper_types import products
from avelang_kernels.matmul.storage import placed

WORDS: Any = al.Pointer(al.i32)
MOST_GROUPS = 1024


@functools.cache
def build(tile: GemmTile, dtype: al.DType, out: al.DType, depth: bool) -> Any:
    """The kernel for a tile, the type of A and B, that of C, and the form."""
    wgmma = getattr(al.nvvm, f"wgmma_{products()[dtype, dtype].mma}")
    G, (A_BOX, B_BOX) = tile.block(dtype, depth, True), tile.boxes(STEP, depth, True)
    PIECE, BUFFERS = tile.piece(out.bytes), tile.buffers(out.bytes)
    ROW, EACH = PIECE * out.bytes, UNIT // out.bytes

    @avelang.jit
    def grouped(
        A: Annotated[Any, al.TensorMap(dtype, 2, A_BOX, swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(dtype, 2, B_BOX, swizzle=PATTERN)],
        C: Annotated[Any, al.TensorMap(out, 2, (ROWS, PIECE), swizzle=tile.swizzle(out.bytes))],
        c: al.Pointer[out], offsets: Annotated[Any, WORDS], m: al.u32, n: al.u32, k: al.u32, E: al.constexpr,
    ):  # fmt: skip
        stages = al.make_shared((G.stages * (G.m + G.n), STEP), dtype, 1024, True)
        a, b = operands_of(G, stages, dtype)
        staged = al.make_shared((G.consumers, BUFFERS, ROWS, ROW // UNIT, UNIT // out.bytes), out, 1024)
        rows = al.convert(m, al.u64) * E if depth else al.convert(m, al.u64)
        memory = al.make_tensor(c, out, al.make_layout((rows, al.convert(n // EACH, al.u64), EACH)))
        epilogue: Any = TmaEpilogue(C, staged, PINGPONG=tile.pingpong, c=memory)
        ring = mbarrier_ring(G.stages, G.sharers, G.cluster_m, G.cluster_n)
        begin(G, (A, B, C), ring, epilogue)
        bounds = GroupBounds(offsets, k if depth else m, E, True)
        sizes = tile.m, tile.n
        if depth:
            order = largest_first(bounds)
            scheduler: Any = GroupedDepthScheduler(bounds, order, m, n, *sizes, STEP, tile.cluster_m, tile.cluster_n)
        else:
            scheduler = grouped_scheduler(bounds, n, k, *sizes, tile.cluster_m, tile.cluster_n, 8, True, STEP)

        def mma(left: Any, right: Any, acc: Any):
            return wgmma(left, right, acc, trans_a=1 if depth else 0, trans_b=1)

        def ready(stage: Any, work: Any, consumer: Any, t: Any):
            clear_first(G, (a, b) if depth else (b,), stage, work.at[3], consumer, t)

        run(G, A, B, a, b, ring, scheduler, lambda: al.full((G.n // 2,), 0, al.f32), mma, epilogue, None, ready)

    return grouped


class GroupedPlan(NamedTuple):
    """A form, and the tile of a block: what is launched."""

    form: str
    tile: GemmTile


@functools.lru_cache(1024)
def plan(depth: bool, m: int, n: int, k: int, E: int, size: int = 2) -> GroupedPlan:
    """The plan of a product: for `depth` k is that of all groups, else m is. `size`: bytes of an element of C."""
    wide = 256 if n > 192 else 128 if n > 64 else 64
    high = 64 if (m if depth else m / max(E, 1)) <= 64 else 128
    tile = GemmTile(high, wide, 2)
    room = SHARED - BESIDE - tile.staged(size) - 8 * E  # the tables of groups
    return GroupedPlan("depth" if depth else "rows", tile._replace(stages=min(6, room // ((high + wide) * PATTERN))))


def fits_rows(a: Any, b: Any, out: Any) -> bool:
    """True for b (E, n, k) whose neighbors lie along n without gaps, and a (m, k) and out (m, n) as TMA takes them."""
    if len(b.shape) != 3 or 0 in (*a.shape, *b.shape) or b.shape[0] > MOST_GROUPS:
        return False
    _, n, k = b.shape
    whole = strides_of(b) == (n * k, 1, n) and strides_of(out) == (n, 1)
    return whole and n % 8 == 0 and placed(a)[0] and all(address(x) % UNIT == 0 for x in (b, out))


def fits_depth(a: Any, b: Any, offsets: Any, out: Any) -> bool:
    """True for a (m, K) and b (n, K) whose neighbors lie along m and n, as TMA takes them."""
    if len(b.shape) != 2 or 0 in (*a.shape, *b.shape) or b.shape[0] % 8 or offsets.shape[0] > MOST_GROUPS:
        return False
    return all(placed(x)[1] for x in (a, b)) and address(out) % UNIT == 0


def launch(a: Any, b: Any, offsets: Any, out: Any, chip: str, tile: GemmTile | None = None, units: int = 0,
    **options: Any) -> None:  # fmt: skip
    """C[rows of g] = A[rows of g] @ B[g]^T: a (m, k), b (E, n, k), out (m, n), as `fits_rows` says; rows of no group
    stay as they are. Or C[g] = A[:, g] @ B[:, g]^T: a (m, K), b (n, K), out (E, m, n), as `fits_depth` says. offsets:
    int32, (E,), the ends of groups."""
    (m, k), n, E, depth = a.shape, b.shape[-2], offsets.shape[0], len(b.shape) == 2
    dtype, to = DTYPES[named(a)], DTYPES[named(out)]
    tile = tile or plan(depth, m, n, k, E, to.bytes).tile
    if tile.cluster > 1:  # zeros over a stage that a neighbor fills by multicast would race with its next step
        raise argument_error(f"tile is {tile}: grouped products take no clusters")
    high = -(-m // tile.m) * E if depth else (m + min(E, m) * (tile.m - 1)) // tile.m
    blocks = min(units or multiprocessors(a), high * -(-n // tile.n))
    arrays = (a.T, b.T, out.reshape(E * m, n)) if depth else (a, b.swapaxes(-2, -1).reshape(E * k, n), out)
    kernel = build(tile, dtype, to, depth)[blocks, threads(tile)]
    kernel(*arrays, out, offsets, m, n, k, E, target=chip, **options)
