"""A of few rows and quantized weights come in; C = A @ dequantized(W)^T goes out, for NVIDIA's chips from sm_80 on.
Weights are fp8 (e4m3) or 4-bit integers with scales, in their natural rows; nothing is repacked.

Weights are read once and dequantized in registers. A block of eight warps has 128 or 256 rows of W; weights and A come
through a ring in shared memory by `cp.async`, 128 bytes of each row of W at a time. `ldmatrix` hands each lane a word
of a row: eight 4-bit weights or four of fp8, neighbors along K, where `mma.sync` wants pairs that are eight apart. The
order of K within a product is free, so A is read in the same order, and nothing moves.

A 4-bit weight becomes bf16 by one AND and one OR: 0x4300 | v is 128 + v (f16: 0x6400 | v is 1024 + v); from that
128 + zero is taken away, which is exact. A word gives the pairs (v0, v4), (v1, v5), (v2, v6), (v3, v7). fp8 becomes f16
by `cvt` (sm_89 and newer), exactly, and bf16 from that. Scales stay out of the products: sums of a group are multiplied
by its scale in f32. So a dequantized weight, (v - zero) * scale, is never rounded.

Where W has fewer rows than blocks are wanted, several share them: each takes a part of K, and the last to come adds the
sums up in the order of the parts (`fixup.block_fixup`): the same bits in every run. Sources: PTX ISA 9.0, 9.7.14.5,
mma, ldmatrix; Kim et al., "Who Says Elephants Can't Run: Bringing Large Scale MoE Models into Cloud Scale Production",
2022, for integers in the mantissa."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import collections
import functools
from typing import Annotated, Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.pipelines.fixup import block_fixup
from avelang.pipelines.ring import copy_ring
from avelang.pipelines.scheduler import Peers
from avelang_kernels.arrays import DTYPES, Matrix, check, named, new
from avelang_kernels.workspaces import workspace_for

M_MOST = 64
WARPS, LANES = 8, 32
THREADS = WARPS * LANES
CHUNK = 16  # bytes that a lane copies, and a row of a matrix that ldmatrix reads
CHUNKS = 8  # of a row of W in a step
FP8, INT4 = 8, 4  # bits of a weight
GROUPS = (32, 64, 128)  # of K, with a scale of their own
BLOCK = 128  # rows and columns of W that share a scale, in blocks
MOST_PARTS = 16
LEAST_STEPS = 4  # of a part of K
ZERO = 8  # of 4-bit weights without zero points
SPARE = 2048  # bytes of shared memory beside the ring, and what the driver has


class QuantizedConfig(NamedTuple):
    """Compile-time parameters of a kernel: `bits` of a weight; rows of A in eights; 16-row tiles of W that a warp has;
    stages of the ring; parts of K; elements of K with a scale, 0 for all; rows of W with a scale, 0 for all; `zeros`:
    whether groups have zero points."""

    bits: int
    eights: int
    tiles: int
    stages: int
    parts: int
    group: int
    rows_each: int
    zeros: bool


# A configuration with what follows from it, for the compiler: `rows` of W of a block; `step`, elements of K in a stage;
# `across`, 16-byte chunks of a row of A in a stage; `scales` of a row in a step, 0 where they do not change along K.
_namedtuple: Any = collections.namedtuple
Form: Any = _namedtuple("Form", (*QuantizedConfig._fields, "rows", "step", "across", "scales"))


def form_of(config: QuantizedConfig) -> Any:
    """The `Form` of a configuration."""
    step = CHUNK * CHUNKS * 8 // config.bits
    return Form(*config, WARPS * 16 * config.tiles, step, step // 8, step // config.group if config.group else 0)


@avelang.jit
def load_stage(
    a: Any, w: Any, a_ring: Any, w_ring: Any, stage: Any, step: Any, first: Any, rows: Any, limit: Any, F: Any
):
    """Begins the copies of a stage: `step` along K, rows of W from `first`, as far as `rows` of both and K go. `limit`:
    the step behind the last of this part."""
    t = al.thread_id(0)
    chunk, row, inside = t % CHUNKS, t // CHUNKS, step < limit
    at = step * CHUNKS + chunk
    count = al.select(inside and at < w.shape[1], al.convert(CHUNK, al.u32), 0)
    for i in range(F.rows * CHUNKS // THREADS):
        down = i * (THREADS // CHUNKS)
        target = al.subview(w_ring, (stage, row + down, chunk ^ row % 8, 0), (1, 1, 1, CHUNK), (1, 1, 1, 1))
        # No cache hint: with one, ptxas 13.0 makes of a copy of fewer bytes what an H200 calls an illegal instruction.
        al.nvvm.cp_async_x16(target, w[al.min(first + row + down, rows[1] - 1), al.min(at, w.shape[1] - 1)], count)
    HIGH = THREADS // F.across
    chunk, row = t % F.across, t // F.across
    at = step * F.across + chunk
    for i in range((F.eights * 8 + HIGH - 1) // HIGH):
        if F.eights * 8 >= HIGH or row < F.eights * 8:
            down = row + i * HIGH
            count = al.select(inside and at < a.shape[1] and down < rows[0], al.convert(CHUNK, al.u32), 0)
            target = al.subview(a_ring, (stage, down, chunk ^ a_swizzle(down, F), 0), (1, 1, 1, 8), (1, 1, 1, 1))
            al.nvvm.cp_async_x16(target, a[al.min(down, rows[0] - 1), al.min(at, a.shape[1] - 1)], count)


@avelang.jit
def a_swizzle(row: Any, F: Any):
    """Swizzle of A: the number with which a chunk's place in a row is XORed. A lane reads 16 bytes of a chunk with
    4-bit weights, two rows in a quarter of a warp; 8 bytes with fp8, four rows in a half."""
    return row % 2 * 4 if F.bits == INT4 else row % 4 * 2


@avelang.jit
def a_fragments(a_ring: Any, stage: Any, chunk: Any, row: Any, F: Any):
    """B operands of the products with one chunk of W: two with 4-bit weights, one with fp8; as words. `row` of A."""
    t = al.lane_id() % 4
    if F.bits == INT4:
        whole = al.view(a_ring[stage, row, (chunk * 4 + t) ^ a_swizzle(row, F)], al.Tensor((4,), al.u32))
        found = al.make_local((2, 2), al.u32)
        for j in range(2):
            # Elements 2 j and 2 j + 4 are a pair, and 2 j + 1 and 2 j + 5.
            found[j, 0] = whole[j] & 0xFFFF | whole[j + 2] << 16
            found[j, 1] = whole[j] >> 16 | whole[j + 2] & 0xFFFF0000
        return found
    halves = al.view(a_ring, al.Tensor((a_ring.shape[0], a_ring.shape[1], a_ring.shape[2], 2, 4), a_ring.dtype))
    return al.view(halves[stage, row, (chunk * 2 + t // 2) ^ a_swizzle(row, F), t % 2], al.Tensor((1, 2), al.u32))


@avelang.jit
def widened(word: Any, zero: Any, dtype: Any, F: Any):
    """The weights of a word as words of `dtype`, two each: 4-bit weights less their zero point (`zero`: that, and what
    the mantissa adds, as a pair), in the pairs (0, 4), (1, 5), (2, 6), (3, 7); fp8 in order."""
    if F.bits == INT4:
        MAGIC = 0x43004300 if dtype == al.bf16 else 0x64006400
        found = al.make_local((4,), al.u32)
        for i in range(4):
            found[i] = word >> (4 * i) & 0x000F000F | MAGIC
        pairs = al.view(found, al.Tensor((4, 2), dtype))
        less = al.make_local((4, 2), dtype)
        for i in range(4):
            less[i] = pairs[i] - zero
        return al.view(less, al.Tensor((4,), al.u32))
    one = al.full((1,), 0, al.u32)
    one[0] = word
    return al.view(al.convert(al.view(one, al.Tensor((4,), al.f8e4m3fn)), dtype), al.Tensor((2,), al.u32))


@avelang.jit
def group_scales(scales: Any, row: Any, step: Any, F: Any):
    """A lane's scales in a step, of its two rows of each tile: (tiles, 2, groups)."""
    found = al.full((F.tiles, 2, max(F.scales, 1)), 0, scales.dtype)
    for i in range(F.tiles):
        for h in range(2):
            for g in range(max(F.scales, 1)):
                down = al.min((row + i * 16 + h * 8) // max(F.rows_each, 1), scales.shape[0] - 1) if F.rows_each else 0
                col = al.min(step * F.scales + g, scales.shape[1] - 1) if F.scales else 0
                found[i, h, g] = scales[down, col]
    return found


@avelang.jit
def group_zeros(zeros: Any, row: Any, step: Any, dtype: Any, F: Any):
    """The same of zero points, in `dtype`, and what the mantissa adds to them."""
    some = group_scales(zeros, row, step, F)
    found = al.full((F.tiles, 2, max(F.scales, 1)), 0.0, dtype)
    for i in range(F.tiles):
        for h in range(2):
            for g in range(max(F.scales, 1)):
                found[i, h, g] = al.convert(al.convert(some[i, h, g], al.f32) + above(dtype), dtype)
    return found


@avelang.constant
def above(dtype: Any) -> int:
    """Offset of a 4-bit number in the low bits of a mantissa."""
    return 128 if dtype == al.bf16 else 1024


@avelang.jit
def add_group(acc: Any, part: Any, scale: Any, g: Any, F: Any):
    """Adds the sums of a group, times its scales."""
    for i in range(F.tiles):
        for j in range(F.eights):
            for e in range(4):
                acc[i, j, e] = al.fma(part[i, j, e], al.convert(scale[i, e // 2, g], al.f32), acc[i, j, e])


@avelang.jit
def multiply_step(acc: Any, a_ring: Any, w_ring: Any, stage: Any, scale: Any, zero: Any, warp_row: Any, F: Any):
    """Adds the products of a step. `scale`, `zero`: of its groups."""
    lane, dtype = al.lane_id(), a_ring.dtype
    EACH = CHUNK * 8 // F.bits  # elements of K in a chunk
    part = acc
    for c in range(CHUNKS // 2):
        words = al.make_local((F.tiles, 4), al.u32)
        for i in range(F.tiles):
            at = (stage, warp_row + i * 16 + lane % 16, (c * 2 + lane // 16) ^ lane % 8, 0)
            found = al.nvvm.ldmatrix_m8n8_x4_b16(al.subview(w_ring, at, (1, 1, 1, CHUNK), (1, 1, 1, 1)))
            words[i] = al.view(found, al.Tensor((4,), al.u32))
        for h in range(2):
            K = (2 * c + h) * EACH
            if F.scales > 0 and K % F.group == 0:
                part = al.full((F.tiles, F.eights, 4), 0.0, al.f32)
            g = K // F.group if F.scales > 0 else 0
            weights = [
                [widened(words[i, 2 * h + r], zero_pair(zero, i, r, g, dtype, F), dtype, F) for r in range(2)]
                for i in range(F.tiles)
            ]
            for j in range(F.eights):
                b = a_fragments(a_ring, stage, 2 * c + h, j * 8 + lane // 4, F)
                for p in range(b.shape[0]):
                    for i in range(F.tiles):
                        a = al.make_local((4,), al.u32)
                        for s in range(4):
                            a[s] = weights[i][s % 2][2 * p + s // 2]
                        if dtype == al.bf16:
                            part[i, j] = al.nvvm.mma_16x8x16_bf16_f32(a, b[p], part[i, j])
                        else:
                            part[i, j] = al.nvvm.mma_16x8x16_f16_f32(a, b[p], part[i, j])
            if F.scales > 0 and (K + EACH) % F.group == 0:
                add_group(acc, part, scale, g, F)


@avelang.jit
def zero_pair(zero: Any, i: Any, r: Any, g: Any, dtype: Any, F: Any):
    """Pair of equal numbers to be subtracted from a row's 4-bit weights in their mantissas."""
    if F.bits != INT4:
        return 0
    pair = al.full((2,), above(dtype) + ZERO, dtype)
    if F.zeros:
        for e in range(2):
            pair[e] = zero[i, r, g]
    return pair


@avelang.jit
def store(c: Any, acc: Any, first: Any, F: Any):
    """Stores a warp's rows of W, columns of C."""
    lane = al.lane_id()
    for i in range(F.tiles):
        for j in range(F.eights):
            for e in range(4):
                row, col = j * 8 + lane % 4 * 2 + e % 2, first + i * 16 + lane // 4 + e // 2 * 8
                if row < c.shape[0] and col < c.shape[1]:
                    c[row, col] = al.convert(acc[i, j, e], c.dtype)


@functools.cache
def kernel_of(dtype: Any, out: Any, scale: Any, config: QuantizedConfig) -> Any:
    """The kernel of a configuration, for the dtypes of A, C and the scales."""
    F = form_of(config)
    WEIGHT: Any = al.u8 if F.bits == INT4 else al.f8e4m3fn
    ZEROS: Any = al.Pointer(al.u8) if F.zeros else al.constexpr

    @avelang.jit
    def skinny_quantized(
        a: al.Pointer[dtype], w: al.Pointer[WEIGHT], s: al.Pointer[scale], c: al.Pointer[out],
        partials: al.Pointer[al.f32], counters: al.Pointer[al.u32], m: al.u32, n: al.u32, k: al.u32,
        s_rows: al.u32, s_cols: al.u32, z: Annotated[Any, ZEROS] = None,
    ):  # fmt: skip
        """`s_rows`, `s_cols`: shape of the scales, and of the zero points."""
        row_bytes = k * F.bits // 8
        A = al.make_tensor(a, dtype, al.make_layout((m, k // 8, 8), (k, 8, 1)))
        W = al.make_tensor(w, al.u8, al.make_layout((n, row_bytes // CHUNK, CHUNK), (row_bytes, CHUNK, 1)))
        S = al.make_tensor(s, scale, al.make_layout((s_rows, s_cols)))
        Z = al.make_tensor(z, al.u8, al.make_layout((s_rows, s_cols))) if F.zeros else None
        C = al.make_tensor(c, out, al.make_layout((m, n)))
        w_ring = al.make_shared((F.stages, F.rows, CHUNKS, CHUNK), al.u8, 128)
        a_ring = al.make_shared((F.stages, F.eights * 8, F.across, 8), dtype, 128)
        index, part = al.block_id(0) // F.parts, al.block_id(0) % F.parts
        steps = (k + F.step - 1) // F.step
        begin, end = part * steps // F.parts, (part + 1) * steps // F.parts
        first, warp_row = index * F.rows, al.thread_id(0) // LANES * 16 * F.tiles
        row = first + warp_row + al.lane_id() // 4
        for stage in range(F.stages - 1):
            load_stage(A, W, a_ring, w_ring, al.convert(stage, al.u32), begin + stage, first, (m, n), end, F)
            al.nvvm.cp_async_commit_group()
        acc, ring = al.full((F.tiles, F.eights, 4), 0.0, al.f32), copy_ring(F.stages)
        scales = group_scales(S, row, begin, F)
        zeros = group_zeros(Z, row, begin, dtype, F) if F.zeros else None
        for step in al.range(begin, end):
            ring.wait()
            load_stage(A, W, a_ring, w_ring, ring.free, step + (F.stages - 1), first, (m, n), end, F)
            ring.commit()
            scales_next, zeros_next = scales, zeros
            if F.scales > 0:  # of the next step, which are there by then
                scales_next = group_scales(S, row, step + 1, F)
                zeros_next = group_zeros(Z, row, step + 1, dtype, F) if F.zeros else None
            multiply_step(acc, a_ring, w_ring, ring.stage, scales, zeros, warp_row, F)
            if F.scales > 0:
                scales = scales_next
                if F.zeros:
                    zeros = zeros_next
            ring.advance()
        ring.tail()
        if F.scales == 0:
            sums = al.full((F.tiles, F.eights, 4), 0.0, al.f32)
            add_group(sums, acc, scales, 0, F)
            acc = sums
        complete = True
        if F.parts > 1:
            flat = al.view(acc, al.Tensor((F.tiles * F.eights * 4,), al.f32))
            peers = Peers(index * F.parts, index * F.parts + (F.parts - 1), al.block_id(0))
            complete = block_fixup(flat, THREADS, partials, counters, peers, F.parts)
        if complete:
            store(C, acc, first + warp_row, F)

    return skinny_quantized


# -- on the host -------------------------------------------------------------------------------------------------------


class _Weights(NamedTuple):
    """What of a launch the arrays say: n and k; bits; elements of K and rows of W with a scale, 0 for all."""

    n: int
    k: int
    bits: int
    group: int
    rows_each: int


def _described(a: Any, weights: Any, scales: Any, zeros: Any) -> _Weights:
    """The description of weights. Raises L066 for what does not fit."""
    kind, k, n = named(weights), a.shape[1], weights.shape[0]
    if kind not in ("float8_e4m3fn", "uint8"):
        raise argument_error(f"weights are {kind}: they may be float8_e4m3fn, or uint8 with two 4-bit weights each")
    bits = INT4 if kind == "uint8" else FP8
    if weights.shape[1] * 8 != k * bits:
        raise argument_error(
            f"a is {tuple(a.shape)} and weights are {tuple(weights.shape)} of {kind}: they need rows of {k * bits // 8}"
        )
    if k * bits // 8 % CHUNK:
        raise argument_error(
            f"rows of {k} weights: cp.async needs them to begin at multiples of {CHUNK} bytes",
            f"fill up with zeros to a multiple of {CHUNK * 8 // bits}",
        )
    shape = tuple(scales.shape) or (1,)
    rows, cols = shape if len(shape) == 2 else (shape[0], 1)
    high = next((e for e, count in ((0, 1), (1, n), (BLOCK, -(-n // BLOCK))) if rows == count), None)
    wide = next((g for g, count in ((0, 1), *((g, -(-k // g)) for g in GROUPS)) if cols == count), None)
    allowed = bits == INT4 and high != BLOCK or bits == FP8 and wide in (0, BLOCK)
    if len(shape) > 2 or high is None or wide is None or not allowed:
        said = (
            "(1,), (n,) or (n, ceil(k / group)) with groups of 32, 64 or 128" if bits == INT4 else
            "(1,), (n,), (n, ceil(k / 128)) or (ceil(n / 128), ceil(k / 128))"
        )  # fmt: skip
        raise argument_error(f"scales are {shape} for weights of {(n, k)}, {kind}: their shape may be {said}")
    if zeros is not None and (bits != INT4 or named(zeros) != "uint8" or tuple(zeros.shape) != tuple(scales.shape)):
        raise argument_error(
            f"zeros are {named(zeros)} of {tuple(zeros.shape)}: 4-bit weights have uint8 ones, as many as scales"
        )
    return _Weights(n, k, bits, wide, high)


def quantized_config(m: int, w: _Weights, zeros: bool, units: int, shared: int) -> QuantizedConfig:
    """The configuration for m rows on a chip with so many multiprocessors and bytes of shared memory of a block: with
    up to 16 rows of A two blocks for each multiprocessor, of 128 rows of W; else one, of 256, so that A is read half as
    often."""
    eights = next(e for e in (1, 2, 4, 8) if m <= 8 * e)
    # Sums of a group beside those of all of K: 64 rows of A leave registers for one tile.
    wide = eights > 2 and not (eights == 8 and w.bits == INT4 and w.group)
    choices = ((2, 1), (1, 1)) if wide else ((1, 2), (1, 1)) if eights <= 2 else ((1, 1),)
    for tiles, resident in choices:
        config = QuantizedConfig(w.bits, eights, tiles, 0, 1, w.group, w.rows_each, zeros)
        F = form_of(config)
        stages = (shared // resident - SPARE) // (F.rows * CHUNKS * CHUNK + eights * 8 * F.across * CHUNK)
        if stages > 2 or (tiles, resident) == choices[-1]:
            return _filled(config, F, w, resident, stages, units)
    raise AssertionError(choices)


def _filled(config: QuantizedConfig, F: Any, w: _Weights, resident: int, stages: int, units: int) -> QuantizedConfig:
    """The configuration with its stages and parts of K, where `resident` blocks share a multiprocessor."""
    blocks, steps = -(-w.n // F.rows), -(-w.k // F.step)
    parts = max(1, min(MOST_PARTS, resident * units // blocks, steps // LEAST_STEPS))
    most = 4 if resident == 2 else 5
    return config._replace(stages=min(most, stages), parts=parts)


@takes()
def skinny_quantized(
    a: Matrix, weights: Matrix, scales: Any, zeros: Any = None, out: Any = None, *, dtype: Any = None,
    target: str | None = None, config: QuantizedConfig | None = None, **options: Any,
) -> Any:  # fmt: skip
    """C = A @ W^T for A of few rows and quantized W, accumulated in f32; the same bits in every run.

    a: (m, k) with m of 1 to 64, bf16 or f16. weights: (n, k) of float8_e4m3fn, k a multiple of 16, or (n, k / 2) of
    uint8 with two 4-bit weights each, k a multiple of 32 (`pack_int4`). scales: bf16, f16 or f32; W is the weight times
    its scale. For 4 bits one scale, (n,) or (n, ceil(k / group)), with groups of 32, 64 or 128, which the shape tells;
    for fp8 one, (n,), (n, ceil(k / 128)), or (ceil(n / 128), ceil(k / 128)) for blocks of 128 x 128. zeros: uint8, as
    many as scales, subtracted from 4-bit weights, which are 0 to 15; 8 where it is None. out: (m, n) of bf16, f16 or
    f32; a new one of `dtype` (A's where it is None) is made when it is None. All contiguous; of torch on a GPU from
    sm_80 on, or on the CPU, or of NumPy. `target`: the chip, by default the GPU's; `config`: another configuration than
    that of `quantized_config`; `options`: those of a launch. Returns `out`. Raises L066 (ValueError) for what does not
    fit.

    Launches of one stream share a workspace."""
    w = _described(a, weights, scales, zeros)
    m = a.shape[0]
    if not 1 <= m <= M_MOST:
        raise argument_error(f"a has {m} rows; this product is for 1 to {M_MOST}")
    if named(a) not in ("bfloat16", "float16") or named(scales) not in DTYPES:
        raise argument_error(f"a is {a.dtype}, scales are {scales.dtype}: a is bf16 or f16, scales are that or f32")
    out = _made(a, m, w.n, out, dtype)
    if not (w.n and w.k):
        out[...] = 0
        return out
    if target is None and tile.on_cpu(a):
        target = "sm_90a"
        options.setdefault("backend", "cpu")
    chip, units = tile.device_of(a, target)
    config = config or quantized_config(m, w, zeros is not None, units, avelang.chip(chip).lds_bytes)
    F = form_of(config)
    blocks = -(-w.n // F.rows)
    partials, counters = workspace_for(a, blocks, blocks * F.parts * THREADS * F.tiles * F.eights * 4)
    shape = tuple(scales.shape) or (1,)
    s_rows, s_cols = shape if len(shape) == 2 else (shape[0], 1)
    kernel = kernel_of(DTYPES[named(a)], DTYPES[named(out)], DTYPES[named(scales)], config)
    given = {} if zeros is None else {"z": zeros}
    kernel[blocks * F.parts, THREADS](
        a, weights, scales, out, partials, counters, m, w.n, w.k, s_rows, s_cols, target=chip, **given, **options
    )
    return out


def _made(a: Any, m: int, n: int, out: Any, dtype: Any) -> Any:
    """`out`, or a new one. Raises L066 where it does not fit."""
    if out is None:
        out = new(a, (m, n), dtype)
    check(out=(out, 2))
    if tuple(out.shape) != (m, n) or named(out) not in DTYPES:
        raise argument_error(f"out is {tuple(out.shape)} of {named(out)}; it must be {(m, n)} of bf16, f16 or f32")
    return out


@takes()
def pack_int4(q: Matrix) -> Any:
    """4-bit weights as `skinny_quantized` takes them: two in a byte, along K, the first of them in the low four bits.

    q: (n, k) of integers from 0 to 15, of NumPy or torch, k even. Returns (n, k / 2) of uint8, of the same library.
    Symmetric weights of -8 to 7 are given as q + 8, and multiplied without zero points. Raises L066 for an odd k;
    numbers are taken modulo 16."""
    if q.shape[1] % 2:
        raise argument_error(f"q has {q.shape[1]} columns: two weights make a byte")
    pairs = q.reshape(q.shape[0], q.shape[1] // 2, 2)
    packed = (pairs[:, :, 0] & 15) | (pairs[:, :, 1] & 15) << 4
    if hasattr(packed, "astype"):
        return packed.astype("uint8")
    import sys

    return packed.to(sys.modules["torch"].uint8)
