"""Two matrices of bf16, f16, fp8 or 8-bit integers come in; C = A @ B^T goes out: a persistent, warp-specialized
product for NVIDIA's Blackwell (sm_100a), by `tcgen05` with accumulators in tensor memory, of a block or of a pair of
blocks.

No such card was at hand: it is assembled by ptxas, executed by the reference and by the executor of PTX, and not
timed."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes
from avelang.pipelines import tensor_core
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.scheduler import TileScheduler
from avelang.pipelines.tensor_core import KINDS, PATTERN, ROWS, THREADS, TensorCoreProduct, TensorEpilogue, run
from avelang_kernels.activations import ACTIVATIONS
from avelang_kernels.arrays import Matrix, Positive, Vector, named, new
from avelang_kernels.matmul.hopper_types import NAMES, dtype_of_out, product_of
from avelang_kernels.matmul.storage import misplaced

UNIT = 16  # bytes of which TMA stores rows
SHARED = 227 * 1024  # bytes of a block


class BlackwellTile(NamedTuple):
    """A tile of C: `m` 128, or 256 by a pair of blocks; `n` a multiple of 32 to 256; `stages` of the ring; `group_m`
    rows of tiles that are gone through together."""

    m: int = 256
    n: int = 256
    stages: int = 4
    group_m: int = 8

    def fault(self, out: int) -> str:
        """The reason why there is no such tile with elements of `out` bytes in C, or ""."""
        if self.m not in (ROWS, 2 * ROWS):
            return f"m is {self.m}; it may be {ROWS} or {2 * ROWS}"
        unit = max(32, PATTERN // out)
        if self.n % unit or not unit <= self.n <= 256:
            return f"n is {self.n}; it may be {unit} to 256 in steps of {unit}"
        if self.stages < 1 or self.bytes(out) > SHARED:
            return f"{self.stages} stages take {self.bytes(out)} bytes of {SHARED}"
        return ""

    def buffers(self, out: int) -> int:
        """Pieces of C that are staged at once."""
        return 2 if self.n * out // PATTERN % 2 == 0 else 1

    def bytes(self, out: int) -> int:
        """Bytes of shared memory."""
        stage = (ROWS + self.n * ROWS // self.m) * PATTERN
        return self.stages * stage + self.buffers(out) * ROWS * PATTERN + 2048


@functools.cache
def build(
    tile: BlackwellTile,
    dtype: al.DType,
    other: al.DType,
    out: al.DType,
    sums: al.DType,
    bias: Any = None,
    activation: Any = None,
) -> Any:
    """The kernel for a tile and the types of A, B and C and of the sums. What TMA copies at once is part of its map's
    type: hence a function for each. `bias`: its dtype; `activation`: of `ACTIVATIONS`."""
    kind, a_type = KINDS[dtype.name]
    d = "s32" if sums == al.i32 else "f32"
    word = tensor_core.instruction(kind, tile.m, tile.n, a_type, KINDS[other.name][1], d)
    G = TensorCoreProduct(tile.n, tile.stages, dtype, word, tile.m > ROWS)
    WIDTH, BUFFERS, mma = PATTERN // out.bytes, tile.buffers(out.bytes), getattr(al.nvvm, f"tcgen05_mma_{kind}")
    BIAS: Any = al.constexpr if bias is None else al.Pointer(bias)
    ACTIVATION = ACTIVATIONS[activation]

    @avelang.jit
    def gemm(
        A: Annotated[Any, al.TensorMap(dtype, 2, (ROWS, G.k), swizzle=PATTERN)],
        B: Annotated[Any, al.TensorMap(other, 2, (G.own, G.k), swizzle=PATTERN)],
        C: Annotated[Any, al.TensorMap(out, 2, (ROWS, WIDTH), swizzle=PATTERN)],
        m: al.u32,
        n: al.u32,
        k: al.u32,
        bias_of: Annotated[Any, BIAS] = None,
    ):
        a = al.make_shared((G.stages, ROWS * G.k), dtype, 1024)
        b = al.make_shared((G.stages, G.own * G.k), other, 1024)
        staged = al.make_shared((BUFFERS, ROWS, 8, WIDTH // 8), out, 1024)
        added = None if bias is None else al.make_tensor(bias_of, bias, al.make_layout((n,)))
        scheduler = TileScheduler(m, n, k, ROWS, G.n, G.group, 1, tile.group_m)
        epilogue = TensorEpilogue(C, staged, added, ACTIVATION, sums)
        run(G, A, B, a, b, mbarrier_ring(G.stages, 1), scheduler, mma, epilogue)

    return gemm


def choose_tile(m: int, n: int, out: int) -> BlackwellTile:
    """The tile for an m x n product with elements of `out` bytes in C: as large as the product has use for. An
    estimate: no card was at hand to time it."""
    unit = max(32, PATTERN // out)
    wide = min(256, max(unit, -(-n // unit) * unit))
    rows = 2 * ROWS if m > ROWS else ROWS
    stages = next(s for s in range(8, 0, -1) if not BlackwellTile(rows, wide, s).fault(out))
    return BlackwellTile(rows, wide, stages)


@takes()
def gemm(
    a: Matrix,
    b: Matrix,
    out: Matrix | None = None,
    tile: BlackwellTile | None = None,
    blocks: Positive | None = None,
    *,
    dtype: Any = None,
    bias: Vector | None = None,
    activation: Any = None,
    **options: Any,
) -> Any:
    """C = activation(A @ B^T + bias), accumulated in f32, or in i32 where A and B are integers, and rounded once.

    a: (m, k), b: (n, k); elements of a row are neighbors, and rows a multiple of 16 bytes apart. Both are bf16, or f16;
    or of 8 bits: e4m3 and e5m2 in any pair, or i8 and u8 in any pair; or f32, multiplied as TF32. out: (m, n), of the
    types that `hopper_gemm.gemm` has; made when it is None. `bias`: (n,), f32 or of a's type; `activation`: "relu",
    "silu", "gelu", "gelu_tanh" or None; both with accumulators of f32. `tile`: chosen by shape when it is None;
    `blocks` of the grid, 148 when it is None (a B200's multiprocessors). `options` are those of a launch, such as
    `target="sm_100a"`, `backend="reference"`. Returns `out`. Raises ValueError and TypeError (L066)."""
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    product = product_of(a, b)
    to = dtype_of_out(product, out, dtype, product.outs[0])
    for name, x in (("a", a), ("b", b), *((("out", out),) if out is not None else ())):
        why = misplaced(x, False)
        if why:
            raise argument_error(f"{name}: {why} (pad the rows, and pass a view of the first {x.shape[1]} columns)")
    if out is not None and (tuple(out.shape) != (m, n) or n * to.bytes % UNIT):
        raise argument_error(f"out is {tuple(out.shape)}; it must be {(m, n)}, with rows of a multiple of {UNIT} bytes")
    if (bias is not None or activation is not None) and product.sums != al.f32:
        raise argument_error("bias and activation are for accumulators of f32")
    tile = tile or choose_tile(m, n, to.bytes)
    why = tile.fault(to.bytes)
    if why:
        raise argument_error(f"tile: {why}; it is {tuple(tile)}")
    wide = -(-n * to.bytes // UNIT) * UNIT // to.bytes
    result: Any = out if out is not None else new(a, (m, wide), NAMES[to])
    extra: dict[str, Any] = {}
    found = None
    if bias is not None:
        found, extra = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}.get(named(bias)), {"bias_of": bias}
        if found is None or tuple(bias.shape) != (n,):
            raise argument_error(f"bias is {tuple(bias.shape)} of {bias.dtype}; it must be {(n,)} of f32 or a's type")
    if 0 in (m, n, k):
        result[...] = 0
        return result[:, :n]
    group = tile.m // ROWS
    tiles = -(-m // tile.m) * -(-n // tile.n)
    kernel = build(tile, product.a, product.b, to, product.sums, found, activation)
    at = kernel[group * min(tiles, max(1, (blocks or 148) // group)), THREADS]
    at(a, b, result, m, n, k, cluster=(group, 1, 1), **extra, **options)
    return result[:, :n]
