"""Products of tiles in registers: two tiles come in, of any distributions; their matrix product goes out, by the chip's
matrix instruction, distributed as that leaves it.

A whole product of matrices is `tile.multiply`, whose pipelines overlap loads and products; `dot` is for what is
computed in between, as of attention."""

from __future__ import annotations

import itertools
import math

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.loops as loops
from avelang.base.errors import AveError
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.tile.encoding import Ints
from avelang.tile.functions import tile_of
from avelang.tile.products import named
from avelang.tile.shared import shared
from avelang.tile.tensors import DistributedTile, full, home_of, is_first, place, thread_coord
from avelang.tile.vectorize import vectors
from avelang.tile.virtual import mmas

PRECISIONS = ("ieee", "tf32", "bf16x3")
TF32 = ("MMA_SYNC_F32_16x8x8_TF32", "MFMA_F32_16x16x8_XF32")  # AMD's word is xf32: the same bits


@avelang.constant
def check_precision(precision: str, dtype: DType) -> None:
    """Raises T301 for other words, and for operands that are not f32."""
    if precision not in PRECISIONS:
        raise wrong("T301", what="the precision of tile.dot", want='"ieee", "tf32" or "bf16x3"', got=repr(precision))
    if precision != "ieee" and dtype != al.f32:
        raise wrong("T301", what=f'operands of tile.dot with precision="{precision}"', want="of f32", got=f"{dtype}")


@avelang.constant
def instruction(target: str, precision: str) -> str | None:
    """The name of the instruction of a precision; None: the chip's widest. Raises T301 where there is none."""
    if precision != "tf32":
        return None
    found = next((x.name for x in mmas(target) if x.name in TF32), None)
    if found is None:
        raise wrong("T301", what='precision="tf32" of tile.dot', want='for gfx942, sm_80 and newer ("bf16x3" is for '
                    "all chips with bf16)", got=f"for {target}")
    return found


@avelang.constant
def product_gemm(
    target: str, dtype: DType, m: int, n: int, k: int, waves: int, name: str | None = None
) -> block_gemm.BlockGemm | None:
    """The product of m x n x k, or of more along k where no instruction divides it, by a block of so many waves, by the
    instruction `name` if given: of the grids of waves that divide it the largest, of those the one with the squarest
    parts; where not all waves have a part, several have the same one. None where the chip has no instruction for the
    dtype. Raises T301 where m or n are no multiples of 16."""
    try:
        mma = block_gemm.usual_mma(target, dtype, k) if name is None else named(mmas(target), name)
    except AveError as e:
        if e.code != "U103":
            raise
        return None
    if m % 16 or n % 16:
        raise wrong("T301", what="a product of tiles", want="of rows and columns in multiples of 16",
                    got=f"{m} x {n}, by {mma.name}")
    fits = [
        (rows, cols)
        for rows, cols in itertools.product(range(1, waves + 1), repeat=2)
        if waves % (rows * cols) == 0 and m % (rows * 16) == 0 and n % (cols * 16) == 0
    ]
    grid = min(fits, key=lambda g: (-math.prod(g), abs(m // g[0] - n // g[1])))
    deep = -(-k // mma.k) * mma.k
    return block_gemm.block_gemm(target, dtype, m, n, deep, grid, name).replicated(waves // math.prod(grid))


@avelang.constant
def sums_dtype(dtype: DType) -> DType:
    """Dtype of the sums of products: i32 of integers, else f32, of f64 f64."""
    return dtype if dtype == al.f64 else block_gemm.acc_dtype(dtype)


@avelang.constant
def product_shape(a: Ints, b: Ints, of_a: DType, of_b: DType) -> tuple[int, int, int]:
    """m, n and k of a product. Raises T301."""
    if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
        raise wrong("T301", what="operands of tile.dot", want="tiles (m, k) and (k, n)", got=f"{a} and {b}")
    if of_a != of_b:
        raise wrong(
            "T301", what="operands of tile.dot", want="of one dtype (`astype` converts)", got=f"{of_a} and {of_b}"
        )
    return a[0], b[1], a[1]


@avelang.jit
def accumulator(shape, dtype, precision="ieee"):
    """A tile of zeros for the sums of `dot` of operands of `dtype`, in f32 (of integers in i32), distributed as `dot`
    with that `precision` leaves them: in a loop nothing then moves."""
    check_precision(precision, dtype)
    WAVES, OF = home_of(shape).threads // al.target().wave, al.bf16 if precision == "bf16x3" else dtype
    NAME = instruction(al.target().name, precision)
    M, N, _ = product_shape(shape, (shape[1], shape[1]), OF, OF)
    G = product_gemm(al.target().name, OF, M, N, 64, WAVES, NAME)
    return full(shape if G is None else G.c, 0, sums_dtype(OF))


@avelang.jit
def dot(a, b, acc=None, precision="ieee"):
    """a @ b, plus `acc` if given: tiles (m, k) and (k, n) of one dtype. Sums are in f32, of integers in i32, by the
    widest instruction of the chip; of a dtype for which it has none by multiplying and adding. The result is where
    `acc` is (`accumulator` is where sums need not move). All lanes of the block call it; operands pass through shared
    memory.

    `precision`, of f32: "ieee", products of f32; "tf32", operands rounded to 11 significant bits (to nearest, ties away
    from zero), on gfx942, sm_80 and newer; "bf16x3", each operand as two of bf16, three products of them, 16 bits or
    so: of finite numbers. Raises T301."""
    x, y = tile_of(a).held(), tile_of(b).held()
    check_precision(precision, x.dtype)
    if precision == "tf32":
        return product_of(x.map(to_tf32), y.map(to_tf32), acc, instruction(al.target().name, precision))
    if precision == "bf16x3":
        p, q = x.astype(al.bf16), y.astype(al.bf16)
        r, s = (x - p.astype(al.f32)).astype(al.bf16), (y - q.astype(al.f32)).astype(al.bf16)
        sums = product_of(p, s, product_of(r, q, acc, None), None)  # the small ones first
        return product_of(p, q, sums, None)
    return product_of(x, y, acc, None)


@avelang.jit
def to_tf32(x):
    """f32 rounded to the bits that tf32 has: 13 less, ties away from zero, as `cvt.rna.tf32.f32` does."""
    rounded = al.bitcast((al.bitcast(x, al.u32) + 0x1000) & 0xFFFFE000, al.f32)
    return al.select(al.isnan(x), x, rounded)


@avelang.jit
def product_of(x, y, acc, NAME):
    """`dot` of tiles in registers, by the instruction of that name, or by the chip's widest."""
    M, N, K = product_shape(x.shape, y.shape, x.dtype, y.dtype)
    WAVES = x.dist.threads // al.target().wave
    G = product_gemm(al.target().name, x.dtype, M, N, K, WAVES, NAME)
    if G is None:
        return dot_by_elements(x, y, acc, K)
    sums = loops.make_acc(G) if acc is None else acc_of(G, acc)
    A, B = shared((M, G.k), x.dtype, 1, (x.dist, G.a), (), 0), shared((G.k, N), x.dtype, 1, (y.dist,), (G.b,), 1)
    if G.k > K:  # zeros are beyond the tiles
        A.store(full((M, G.k), 0, x.dtype))
        B.store(full((G.k, N), 0, x.dtype))
        al.syncthreads()
    A.store(x)
    B.store(y)
    al.syncthreads()
    loops.product(G, sums, A, B.turned, 0)
    al.syncthreads()  # the next one may use the same memory
    found = loops.acc_tile(G, sums)
    return found if acc is None else found.held(acc.dist)


@avelang.jit
def acc_of(G, acc):
    """Accumulators with the elements of a tile."""
    (I, J), EACH = G.count, G.mma.acc.elements
    values = al.convert(place(tile_of(acc), G.c), G.mma.dtypes[2])
    pieces, out = al.view(values, al.Tensor((I, J, EACH), G.mma.dtypes[2])), loops.make_acc(G)
    for i in range(I):
        for j in range(J):
            out[i, j] = G.mma.expand(pieces[i, j])
    return out


@avelang.jit
def dot_by_elements(x, y, acc, K):
    """a @ b without a matrix instruction: a step of K at a time, of rows and columns in shared memory."""
    M, N, OUT = x.shape[0], y.shape[1], sums_dtype(x.dtype)
    start = full((M, N), 0, OUT) if acc is None else tile_of(acc).held()
    A, B = al.make_scratch((M, K), x.dtype), al.make_scratch((K, N), y.dtype, 1)
    for t, memory in ((x, A), (y, B)):
        at = thread_coord(t.dist, t.thread)
        if is_first(t.dist, t.thread):
            for v in vectors(t.dist, 1, 1):
                memory[at[0] + v.at[0], at[1] + v.at[1]] = t.values[v.slots[0]]
    al.syncthreads()
    D, sums, at = start.dist, start.values + 0, thread_coord(start.dist, start.thread)
    for k in al.range(K):
        for v in vectors(D, 1, 1):
            p, q = A[at[0] + v.at[0], k], B[k, at[1] + v.at[1]]
            sums[v.slots[0]] = sums[v.slots[0]] + al.convert(p, OUT) * al.convert(q, OUT)
    al.syncthreads()
    return DistributedTile(sums, D, start.thread, start.groups)
