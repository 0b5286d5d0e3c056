"""The kernels of docs/tutorial.md, C = A @ B^T step by step: matrices and the name of a step come in; C goes out.

From one thread for each element to tiles that the copy engine fetches. Each step has one source for all chips, and is
right for any m, n and k, but that the copy engine wants n and k to be multiples of 8."""

import dataclasses
from typing import Any

import avelang
import avelang.language as al
import avelang.tile.loops as loops
from avelang import argument_error, takes, tile
from avelang.tile.shared import Shared
from avelang_kernels.arrays import Count, Matrix
from avelang_kernels.matmul import tile_gemm

BF16: Any = al.bf16
T = 16  # rows and columns of C that a block of the first two steps makes


@avelang.jit
def naive(
    a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], c: al.Pointer[al.bf16], m: al.u32, n: al.u32,
    k: al.u32,
):  # fmt: skip
    """1. One thread, one element."""
    A = al.make_tensor(a, al.bf16, al.make_layout((m, k), (k, 1)))
    B = al.make_tensor(b, al.bf16, al.make_layout((n, k), (k, 1)))
    C = al.make_tensor(c, al.bf16, al.make_layout((m, n), (n, 1)))
    row, col = al.block_id(1) * T + al.thread_id(1), al.block_id(0) * T + al.thread_id(0)
    if row < m and col < n:
        sum = al.convert(0, al.f32)
        for i in al.range(k):
            sum = al.fma(al.convert(A[row, i], al.f32), al.convert(B[col, i], al.f32), sum)
        C[row, col] = al.convert(sum, al.bf16)


@avelang.jit
def tiled(
    a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], c: al.Pointer[al.bf16], m: al.u32, n: al.u32,
    k: al.u32,
):  # fmt: skip
    """2. The block has a tile of A and a tile of B in shared memory, and uses each element T times."""
    A = al.make_tensor(a, al.bf16, al.make_layout((m, k), (k, 1)))
    B = al.make_tensor(b, al.bf16, al.make_layout((n, k), (k, 1)))
    C = al.make_tensor(c, al.bf16, al.make_layout((m, n), (n, 1)))
    a_tile, b_tile = al.make_shared((T, T), al.bf16), al.make_shared((T, T), al.bf16)
    x, y = al.thread_id(0), al.thread_id(1)
    row, col = al.block_id(1) * T, al.block_id(0) * T
    sum = al.convert(0, al.f32)
    for first in al.range(0, k, T):
        a_tile[y, x] = A[row + y, first + x] if row + y < m and first + x < k else al.convert(0, al.bf16)
        b_tile[y, x] = B[col + y, first + x] if col + y < n and first + x < k else al.convert(0, al.bf16)
        al.syncthreads()  # all of both tiles is there
        for i in al.range(T):
            sum = al.fma(al.convert(a_tile[y, i], al.f32), al.convert(b_tile[x, i], al.f32), sum)
        al.syncthreads()  # all have used them
    if row + y < m and col + x < n:
        C[row + y, col + x] = al.convert(sum, al.bf16)


@avelang.constant
def narrow(G: Any, rows: int) -> tile.Distribution:
    """The distribution by which a block's lanes share a copy of (rows, G.k), one element after another."""
    return tile.Distribution.blocked(
        (rows, G.k), G.mma.dtypes[0], vector=1, waves=G.threads // G.mma.wave, wave=G.mma.wave
    )


@avelang.jit
def matrix(
    a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], c: al.Pointer[al.bf16], m: al.u32, n: al.u32,
    k: al.u32, S: al.constexpr,
):  # fmt: skip
    """3. Matrix instructions: waves multiply fragments, which lanes read from shared memory."""
    G = S.on(al.target(), al.bf16)
    A, B, C = tile.view(a, (m, k)), tile.view(b, (n, k)), tile.view(c, (m, n))
    row, col = al.block_id(1) * S.m, al.block_id(0) * S.n
    from_a = A.window((S.m, S.k), (row, 0), narrow(G, S.m))
    from_b = B.window((S.n, S.k), (col, 0), narrow(G, S.n))
    a_tile = Shared(al.make_shared((1, S.m * S.k), al.bf16, 16), (S.m, S.k), tile.Swizzle())
    b_tile = Shared(al.make_shared((1, S.n * S.k), al.bf16, 16), (S.n, S.k), tile.Swizzle())
    acc = loops.make_acc(G)
    for _ in al.range(0, k, S.k):
        a_tile.store(from_a.load())
        b_tile.store(from_b.load())
        al.syncthreads()
        loops.product(G, acc, a_tile, b_tile, 0)
        al.syncthreads()
        from_a.move((0, S.k))
        from_b.move((0, S.k))
    C.store(loops.acc_tile(G, acc), (row, col))


# 4 to 7: `tile_gemm.build(block, al.bf16, al.bf16)`, one source; the block says how.
STEPS: dict[str, tile.Block | None] = {
    "naive": None,
    "tiled": None,
    "matrix": tile.Block(128, 128, 64, (2, 2), "single"),
    "wide": tile.Block(128, 128, 64, (2, 2), "single"),
    "prefetch": tile.Block(128, 128, 64, (2, 2), "prefetch"),
    "double-buffer": tile.Block(128, 128, 64, (2, 2), "double-buffer"),
    "large": tile.Block(256, 256, 64, (2, 4), "double-buffer"),
    "tma": tile.Block(128, 256, 64, pipeline="tma", cluster=(2, 1)),
}
# A lane of NVIDIA's has half as many registers as one of AMD's, accumulation registers counted, and a block of 256 x
# 256 does not fit at all.
NVIDIA = {
    **{s: dataclasses.replace(b, waves=(2, 4)) for s, b in STEPS.items() if b and b.m == b.n == 128},
    "large": tile.Block(128, 256, 32, (2, 4), "cp-async"),
}


def steps(target: str) -> list[str]:
    """The steps that a chip has."""
    return [s for s in STEPS if s != "tma" or target == "sm_90a"]


@takes()
def block(step: str, target: str) -> tile.Block | None:
    """The tile and the pipeline of a step on a chip; None for the first two. Raises ValueError for the name of a
    step."""
    if step not in STEPS:
        raise argument_error(f"{step!r} is no step; there are {', '.join(STEPS)}")
    return NVIDIA.get(step, STEPS[step]) if target.startswith("sm_") else STEPS[step]


def loads_per_output(step: str, k: int, target: str = "gfx942") -> float:
    """Elements of A and B that a step loads from global memory for each element of C, by the arithmetic of the page: C
    is whole tiles. What TMA sends to several blocks of a cluster is loaded once."""
    S = block(step, target)
    if S is None:
        return 2 * k if step == "naive" else 2 * k / T
    return k * (1 / (S.n * S.cluster[1]) + 1 / (S.m * S.cluster[0]))


def launch(step: str, m: int, n: int, target: str) -> tuple[Any, tuple[int, int], tuple[int, int], dict[str, Any]]:
    """The kernel of a step but the last four's, grid, block and compile-time values."""
    S = block(step, target)
    if S is None:
        return (naive if step == "naive" else tiled), (-(-n // T), -(-m // T)), (T, T), {}
    return matrix, (-(-n // S.n), -(-m // S.m)), (S.on(target, BF16).threads, 1), {"S": S}


@takes()
def gemm(step: str, a: Matrix, b: Matrix, out: Matrix, target: str, units: Count = 132, **options: Any) -> Any:
    """C = A @ B^T by one of `STEPS`, accumulated in f32. a: (m, k), b: (n, k), out: (m, n), all bf16, contiguous; no
    extent is 0, and for "tma" n and k are multiples of 8. `target`: the chip; `units`: how many multiprocessors it has.
    `options` are those of a launch. Returns `out`; raises ValueError for shapes and dtypes that do not fit, and for the
    name of a step."""
    S, (m, k), n = block(step, target), a.shape, out.shape[-1]
    if tuple(b.shape) != (n, k) or tuple(out.shape) != (m, n):
        raise argument_error(
            f"a is {tuple(a.shape)}, b is {tuple(b.shape)}, out is {tuple(out.shape)}: C = A @ B^T of (m, k) and (n, "
            f"k) is (m, n)"
        )
    if any(not str(x.dtype).endswith("bfloat16") for x in (a, b, out)):
        raise argument_error(
            f"a is {a.dtype}, b is {b.dtype}, out is {out.dtype}: the steps of the tutorial are for bf16"
        )
    if step in ("naive", "tiled", "matrix"):
        kernel, grid, threads, values = launch(step, m, n, target)
        kernel[grid, threads](a, b, out, m, n, k, *values.values(), target=target, **options)
        return out
    assert S is not None
    return tile_gemm.gemm(a, b, out, S, target, units, **options)
