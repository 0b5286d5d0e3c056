"""Activations, and weights arranged once as a matrix instruction takes them, come in; f(A @ B^T + bias) goes out: the
GEMM of inference, one source for AMD's matrix cores and NVIDIA's `mma.sync`.

Weights do not change, so they are put in the order of fragments when a model is loaded (`preshuffle`). On AMD the
kernel then reads them straight into registers, 16 bytes a lane, a whole fragment of a wave side by side; only A passes
through shared memory, by two buffers in turn. On NVIDIA they come through a ring in shared memory, as they lie, and
where there are fewer tiles of C than multiprocessors several blocks share one, each with a part of K. Source of the
idea: ROCm, "A Block GEMM on MI300", "Variation of the GEMM in Inference"."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
import math
from typing import Annotated, Any

import numpy as np

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.pipelines.fixup import block_fixup
from avelang.tile.vectorize import folding
from avelang_kernels.activations import gelu_tanh, relu, silu
from avelang_kernels.arrays import DTYPES, Count, Matrix, Positive, Vector, is_torch, named
from avelang_kernels.matmul.tile_skinny import parts_of_k, work_of
from avelang_kernels.workspaces import workspace_for

FAR = 1 << 31  # bytes that offsets within a tile's rows reach
LARGE = tile.Block(256, 256, 64, (2, 4), "preshuffled")
SMALL = tile.Block(128, 128, 64, (2, 2), "preshuffled")
# NVIDIA's (`benchmarks/tile_inference.py --only tune`), with as many bytes under way as shared memory holds; `LEAN`:
# instead of those, where a block has less than LEAN_BYTES.
WIDE, WARPS = tile.Block(128, 256, 64, (2, 4), "preshuffled", 3), tile.Block(128, 128, 64, (2, 4), "preshuffled", 4)
NARROW = {16: tile.Block(16, 128, 64, (1, 4), "preshuffled", 6), 32: tile.Block(32, 128, 64, (1, 4), "preshuffled", 5),
          64: tile.Block(64, 128, 64, (1, 4), "preshuffled", 4), 128: tile.Block(128, 64, 64, (2, 2), "preshuffled",
              4)}  # fmt: skip
LEAN = {WIDE: tile.Block(128, 256, 32, (2, 4), "preshuffled", 4), WARPS: tile.Block(128, 128, 32, (2, 2),
    "preshuffled", 4),
        **{NARROW[m]: dataclasses.replace(NARROW[m], stages=4) for m in (16, 32)}}  # fmt: skip
LEAN_BYTES = 128 << 10
RESIDENT = {NARROW[128]: 2}  # blocks on a multiprocessor at once, where not one
LEAST = 512  # of K in a part: a shorter one would not pay for adding up
# For few rows: waves side by side, so that each piece of B is loaded by one wave only.
FEW = {rows: tile.Block(rows, 128, 64, (1, 4), "preshuffled") for rows in (16, 32, 64)}


# -- weights -----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Weights:
    """B (n, k) as `preshuffle` arranged it: `data`, flat, with zeros where n and k are no multiples of a fragment; the
    block and the chip for which that was done, and the order of a fragment's elements, which other blocks may have in
    common with that one."""

    data: Any
    n: int
    k: int
    dtype: al.DType
    block: tile.Block
    target: str

    @property
    def shape(self) -> tuple[int, int]:
        """Of B as it was."""
        return self.n, self.k

    @property
    def fragment(self) -> "WeightFragment":
        """The arrangement of its fragments."""
        return _fragment(self.block, self.target, self.dtype)


@dataclasses.dataclass(frozen=True)
class WeightFragment:
    """`rows` of B and `depth` of K that one read of a wave takes; `order`: which element (row * depth + k) is at each
    place."""

    rows: int
    depth: int
    order: tuple[int, ...]


@functools.cache
def _fragment(T: tile.Block, target: str, dtype: al.DType) -> WeightFragment:
    G = T.on(target, dtype)
    rows, depth = G.unit
    places = np.arange(rows * depth, dtype=np.int64).reshape(rows, depth)
    return WeightFragment(rows, depth, tuple(map(int, G.preshuffle(places))))


@takes()
def preshuffle(b: Matrix, block: tile.Block = SMALL, target: str = "gfx942") -> Weights:
    """The weights of a `gemm` with such blocks on such a chip. b: (n, k), bf16 or f16, of NumPy or torch: it is
    arranged where it lies, by its own library. Raises ValueError for a block of another pipeline and another shape,
    TypeError for another dtype."""
    dtype = _dtype(b)
    if dtype is None or dtype == al.f32:
        raise argument_error(f"weights of {b.dtype}: the inference GEMM takes bf16 and f16")
    if block.pipeline != "preshuffled":
        raise argument_error(f'the block has the pipeline {block.pipeline!r}: weights are arranged for "preshuffled"')
    (n, k), f = b.shape, _fragment(block, target, dtype)
    high, deep = -(-n // f.rows), -(-k // f.depth)
    if (high * f.rows, deep * f.depth) != (n, k):
        shape = high * f.rows, deep * f.depth
        whole: Any = b.new_zeros(shape) if is_torch(b) else np.zeros(shape, b.dtype)
        whole[:n, :k] = b
        b = whole
    axes: Any = b.reshape(high, f.rows, deep, f.depth)
    axes = axes.permute(0, 2, 1, 3) if is_torch(b) else axes.transpose(0, 2, 1, 3)
    data = axes.reshape(high, deep, f.rows * f.depth)[:, :, list(f.order)].reshape(-1)
    return Weights(data, int(n), int(k), dtype, block, target)


# -- kernel ------------------------------------------------------------------------------------------------------------


@functools.cache
def build(T: tile.Block, dtype: al.DType, out: al.DType, bias: al.DType | None = None, activation: Any = None) -> Any:
    """The kernel for a block, the dtype of A and B, and that of C. `bias`: the dtype of what is added to C's columns,
    if anything is; `activation`: a function of f32 vectors to the same, element by element."""
    BIAS = al.constexpr if bias is None else al.Pointer(bias)
    complete = epilogue(bias, activation)

    @avelang.jit
    def inference(
        a: al.Pointer[dtype], b: al.Pointer[dtype], c: al.Pointer[out], m: al.u32, n: al.u32,
        k: al.u32, added: Annotated[Any, BIAS] = None,
        EACH: al.constexpr = 8, WIDE: al.constexpr = 4,
    ):  # fmt: skip
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k)), tile.view(c, (m, n), WIDE)

        def finish(sums: Any, at: Any):
            complete(C, sums, at, added, WIDE)

        tile.multiply(T, A, B, (m, n, k), finish)

    return inference


@functools.cache
def build_parts(
    T: tile.Block, parts: int, dtype: al.DType, out: al.DType, bias: al.DType | None = None, activation: Any = None
) -> Any:
    """The same for so many parts of K, `each` long; `partials`, `counters`: a workspace of f32 sums and of counters, 0,
    one for each tile."""
    BIAS = al.constexpr if bias is None else al.Pointer(bias)
    complete = epilogue(bias, activation)

    @avelang.jit
    def inference(
        a: al.Pointer[dtype], b: al.Pointer[dtype], c: al.Pointer[out], partials: al.Pointer[al.f32],
        counters: al.Pointer[al.u32],
        m: al.u32, n: al.u32, k: al.u32, each: al.u32, added: Annotated[Any, BIAS] = None, EACH: al.constexpr = 8,
        WIDE: al.constexpr = 4,
    ):  # fmt: skip
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k)), tile.view(c, (m, n), WIDE)

        def finish(sums: Any, at: Any):
            row, col, peers = at
            if block_fixup(sums.values, sums.dist.threads, partials, counters, peers, parts):
                complete(C, sums, (row, col), added, WIDE)

        tile.multiply(T, A, B, parts_of_k(T, m, n, k, each, parts), finish)

    return inference


@functools.cache
def epilogue(bias: al.DType | None, activation: Any) -> Any:
    """The epilogue of a tile of C: (view of C, sums, where, pointer to the bias, neighbors of C that are aligned)."""

    @avelang.jit
    def complete(C: Any, sums: Any, at: Any, added: Any, WIDE: Any):
        if bias is not None or activation is not None:
            sums = finished(
                sums, tile.view(added, (C.shape[1],), WIDE) if bias is not None else None, activation, at[1]
            )
        C.store(sums, at)

    return complete


@avelang.jit
def finished(sums: Any, bias: Any, activation: Any, col: Any):
    """activation(sums + bias), two elements at a time: all at once would take as many registers again."""
    F, size = folding(sums.dist, 0), sums.dist.elements
    added: Any = None
    if bias is not None:
        added = tile.Window(bias, F.dist.shape, (col,), F.dist, sums.thread).load()
    pairs = al.view(sums.values, al.Tensor((size // 2, 2), sums.dtype))
    out = al.make_local((size // 2, 2), sums.dtype)
    for i in range(size // 2):
        pair = al.make_local((2,), sums.dtype)
        for e in range(2):
            pair[e] = (
                pairs[i, e] if bias is None else pairs[i, e] + al.convert(added.values[F.of[2 * i + e]], sums.dtype)
            )
        out[i] = pair if activation is None else activation(pair)
    return tile.Tile(al.view(out, al.Tensor((size,), sums.dtype)), sums.dist, sums.thread)


gelu = gelu_tanh
__all__ = ["Weights", "best_block", "best_parts", "build", "gelu", "gemm", "preshuffle", "relu", "silu"]


# -- calls -------------------------------------------------------------------------------------------------------------


@takes()
def best_block(m: Count, n: Count, target: str = "gfx942", units: Count = 304) -> tile.Block:
    """The block for a product of m rows: the smallest that takes all of them at once where they are few; else the large
    one, where its tiles keep all `units` busy."""
    amd = target.startswith("gfx")
    large, small = (LARGE, SMALL) if amd else (WIDE, WARPS)
    fits = [block for rows, block in (FEW if amd else NARROW).items() if m <= rows]
    found = fits[0] if fits else large if tiles_of(large, m, n) >= units else small
    return LEAN.get(found, found) if avelang.chip(target).lds_bytes < LEAN_BYTES else found


def tiles_of(T: tile.Block, m: int, n: int) -> int:
    """Tiles of C."""
    return -(-m // T.m) * -(-n // T.n)


def best_parts(T: tile.Block, m: int, n: int, k: int, units: int) -> int:
    """Parts of K, for NVIDIA: as many as give each of `units` multiprocessors no more blocks than it holds at once."""
    return max(1, min(RESIDENT.get(T, 1) * units // max(1, tiles_of(T, m, n)), k // LEAST))


@takes()
def gemm(
    a: Matrix, b: Weights, out: Matrix, bias: Vector | None = None, activation: Any = None,
    block: tile.Block | None = None,
    target: str | None = None, parts: Positive | None = None, **options: Any,
) -> Any:  # fmt: skip
    """activation(A @ B^T + bias), accumulated in f32.

    a: (m, k), bf16 or f16; b: what `preshuffle` made of (n, k), of the same dtype; out: (m, n), of that dtype or f32;
    bias: (n,), of any of the three dtypes; all contiguous. `activation`: `relu`, `silu`, `gelu` or a function of f32
    vectors, element by element; give the same object each time, since a kernel is built for it. `block`, `target`:
    others than b was arranged for may be used, where fragments are arranged alike. `parts` of K, of which different
    blocks make the products, are added up in their order: the same bits in every run. By default 1 on AMD, `best_parts`
    on NVIDIA. Launches of one stream share a workspace. `options`: those of a launch. Returns `out`. Raises ValueError
    and TypeError for what does not fit."""
    if activation is not None and not callable(activation) and not hasattr(activation, "source"):
        raise argument_error(
            f"activation must be relu, silu, gelu, or a jit function of f32 vectors, not {activation!r}"
        )
    T, chip = block or b.block, target or b.target
    to, added = _dtypes(a, b, out, bias)
    (n, k), m = b.shape, a.shape[0]
    if tuple(a.shape) != (m, k) or tuple(out.shape) != (m, n) or (bias is not None and tuple(bias.shape) != (n,)):
        said = "" if bias is None else f", bias is {tuple(bias.shape)}"
        raise argument_error(
            f"a is {tuple(a.shape)}, b was {b.shape}, out is {tuple(out.shape)}{said}: C = A @ B^T of (m, k) and (n, "
            f"k) is (m, n)"
        )
    _check(b, T, chip)
    if max(T.m, T.n) * max(k * b.dtype.bytes, n * to.bytes) >= FAR:
        raise argument_error(f"rows of {k} and {n} elements: {max(T.m, T.n)} of them must be less than {FAR >> 30} GiB")
    threads = T.on(chip, b.dtype).threads
    given = {
        "EACH": math.gcd(k, 8),
        "WIDE": math.gcd(n, 4),
        "target": chip,
        **({} if bias is None else {"added": bias}),
        **options,
    }
    if parts is None:
        parts = 1 if chip.startswith("gfx") else best_parts(T, m, n, k, tile.device_of(a, chip)[1])
    each, parts = work_of(max(k, 1), T.k, parts)
    if parts == 1:
        build(T, b.dtype, to, added, activation)[T.grid(m, n, 1), threads](a, b.data, out, m, n, k, **given)
        return out
    tiles = tiles_of(T, m, n)
    partials, counters = workspace_for(a, tiles, tiles * parts * T.m * T.n)
    kernel = build_parts(T, parts, b.dtype, to, added, activation)
    kernel[tiles * parts, threads](a, b.data, out, partials, counters, m, n, k, each, **given)
    return out


def _dtype(x: Any) -> al.DType | None:
    return DTYPES.get(named(x))


def _dtypes(a: Any, b: Weights, out: Any, bias: Any) -> tuple[al.DType, al.DType | None]:
    to, added = _dtype(out), None if bias is None else _dtype(bias)
    if _dtype(a) != b.dtype or to not in (b.dtype, al.f32) or (bias is not None and added is None):
        said = "" if bias is None else f", bias is {bias.dtype}"
        raise argument_error(
            f"a is {a.dtype}, b was {b.dtype}, out is {out.dtype}{said}: a and b are both bf16 or f16, out is of "
            f"their dtype or f32"
        )
    assert to is not None
    return to, added


def _check(b: Weights, T: tile.Block, chip: str) -> None:
    if T.pipeline != "preshuffled":
        raise argument_error(f'the block has the pipeline {T.pipeline!r}: this product is by "preshuffled"')
    has, takes = b.fragment, _fragment(T, chip, b.dtype)
    if has != takes:
        raise argument_error(
            f"b was arranged for {b.target}, in fragments of {has.rows} x {has.depth}, and this block takes such of "
            f"{takes.rows} x {takes.depth}, as {chip} has them: call preshuffle with the block and the chip of the "
            f"product"
        )
