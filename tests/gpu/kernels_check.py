"""The kernels of the package on a real NVIDIA GPU: fresh random inputs, odd shapes, poisoned outputs, every element held against float64.

    python3 tests/gpu/kernels_check.py [--only NAME] [--seed N] [--list]

Prints one line for each launch and writes kernels_check.json to the folder that the variable OUT names, or here. Exit status 1 when one fails.
Needs torch with CUDA. A kernel is one entry of `KERNELS`; `sanitize.py` runs its small shapes under compute-sanitizer. """

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import pathlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import own_cache  # noqa: E402

own_cache()

MARGIN = 1024  # elements around an output that must stay as they are
ROUNDING = {torch.float32: 0.0, torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}  # relative: half a unit in the last place of an output
ACCUMULATION = 2.0**-18  # of sums in f32, relative to the sum of the products' magnitudes


class Check(NamedTuple):
    """An output, what it must be in float64, and by how much each element may differ."""

    out: torch.Tensor
    want: torch.Tensor
    bound: torch.Tensor


class Guard(NamedTuple):
    """An output's memory: `margin` elements before and behind it, rows `wide` elements apart of which `n` are the output's."""

    whole: torch.Tensor
    margin: int
    wide: int
    n: int

    def kept(self) -> bool:
        """Whether all around the output is as it was."""
        end = len(self.whole) - self.margin
        rows = self.whole[self.margin : end].view(-1, self.wide)
        return all(bool(torch.isnan(part.float()).all()) for part in (self.whole[: self.margin], self.whole[end:], rows[:, self.n :]))


class Room:
    """Where a launch has its arrays. `exact`: without margins and without a kernel of torch's, for sanitizers, which shall see Ave's accesses
    alone."""

    def __init__(self, seed: int, exact: bool = False):
        self.exact = exact
        self.generator = torch.Generator(device="cpu" if exact else "cuda").manual_seed(seed)
        self.guards: list[Guard] = []

    def normal(self, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        """Random normal numbers, on the GPU."""
        return torch.randn(shape, generator=self.generator, device=self.generator.device).to(dtype).cuda()

    def output(self, m: int, n: int, dtype: torch.dtype, multiple: int = 1) -> torch.Tensor:
        """(m, n), filled with NaN; rows begin a multiple of so many elements apart."""
        wide, margin = -(-n // multiple) * multiple, 0 if self.exact else MARGIN
        whole = torch.full((2 * margin + m * wide,), float("nan"), dtype=dtype).cuda()
        self.guards.append(Guard(whole, margin, wide, n))
        return whole[margin : margin + m * wide].view(m, wide)[:, :n]

    def product(self, out: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Check:
        """What A @ B^T must be: float64, by torch's own product, on the CPU where no kernel of torch's shall run."""
        a, b = ((x.cpu() if self.exact else x).double() for x in (a, b))
        want = a @ b.T
        return Check(out, want, ACCUMULATION * (a.abs() @ b.abs().T) + ROUNDING[out.dtype] * want.abs())


Made = tuple[Callable[[], Any], list[Check]]


@dataclasses.dataclass(frozen=True)
class Kernel:
    """`make(room, *shape)` gives a launch and its checks. `shapes`: what is run on the GPU; `small`: what sanitizers run, one launch each. `needs`:
    the compute capability."""

    name: str
    make: Callable[..., Made]
    shapes: tuple[tuple[Any, ...], ...]
    small: tuple[tuple[Any, ...], ...]
    needs: tuple[int, int] = (9, 0)


# -- the kernels -----------------------------------------------------------------------------------------------------------------------------

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


def hopper_gemm(room: Room, m: int, n: int, k: int, dtype: torch.dtype = BF16, to: torch.dtype | None = None, tile: int | None = None) -> Made:
    from avelang_kernels.matmul import hopper_gemm as module

    a, b = room.normal((m, k), dtype), room.normal((n, k), dtype)
    c = room.output(m, n, to or dtype, 16 // (to or dtype).itemsize)
    chosen = None
    if tile is not None:
        T, size = module.GemmTile, c.dtype.itemsize
        kinds = (
            T(128, 256, 4, 2), T(128, 96, 4, 1, 2), T(64, 128, 6), T(128, 144, 4, 2, transposed=True), T(256, 128, 3, 2, row_blocks=2),
            T(64, 128, 5, pingpong=True), T(128, 112, 4, 2, row_blocks=2, pingpong=True, transposed=True), T(128, 128, 5, cluster_k=2),
            T(64, 64, 6, 2, cluster_k=3, transposed=True), T(192, 160, 3, split="stream"), T(128, 128, 4, split=3), T(64, 64, 6, cluster_k=2, split=2),
        )  # fmt: skip
        fit = [kind for kind in (x.fitted(size) for x in kinds) if not kind.fault(size) and kind.cluster_k * 64 <= k]
        chosen = fit[tile % len(fit)]
    return lambda: module.gemm(a, b, out=c, tile=chosen), [room.product(c, a, b)]


def matmul(room: Room, m: int, n: int, k: int, across_a: bool, across_b: bool) -> Made:
    """`ops.matmul`: A by rows or by columns, B (k, n) by rows or by columns."""
    from avelang import ops

    a = room.normal((k, m), BF16).T if across_a else room.normal((m, k), BF16)
    b = room.normal((k, n), BF16) if across_b else room.normal((n, k), BF16).T
    c = room.output(m, n, BF16)
    return lambda: ops.matmul(a, b, out=c), [room.product(c, a, b.T)]


def quantized(room: Room, m: int, n: int, k: int, group: int, dtype: torch.dtype) -> Made:
    """Weights of 4 bits with zero points for each group, or of e4m3 with a scale for each row (`group` 0)."""
    from avelang_kernels.matmul.skinny_quantized import pack_int4, skinny_quantized

    a, c = room.normal((m, k), dtype), room.output(m, n, dtype)
    if group == 0:
        w, scales = room.normal((n, k), dtype).to(torch.float8_e4m3fn), room.normal((n,), F32).abs() + 0.5
        return lambda: skinny_quantized(a, w, scales, None, c), [room.product(c, a, w.to(F32).double() * scales.double()[:, None])]
    q, zeros = ((room.normal(s, F32) * 4 + 8).clamp(0, 15).to(torch.uint8) for s in ((n, k), (n, k // group)))
    scales = (room.normal((n, k // group), F32).abs() + 0.1).to(dtype)
    less, by = (x.double().repeat_interleave(group, 1) for x in (zeros, scales))
    packed = pack_int4(q)
    return lambda: skinny_quantized(a, packed, scales, zeros, c), [room.product(c, a, (q.double() - less) * by)]


def hopper_skinny(room: Room, m: int, n: int, k: int, dtype: torch.dtype = BF16, to: torch.dtype | None = None) -> Made:
    from avelang_kernels.matmul import hopper_skinny as module

    a, b = room.normal((m, k), dtype), room.normal((n, k), dtype)
    c = room.output(m, n, to or dtype)
    return lambda: module.skinny_gemm(a, b, out=c), [room.product(c, a, b)]


def tutorial(room: Room, m: int, n: int, k: int) -> Made:
    """The tutorial's last GEMM, for warps of 32 lanes."""
    from emit.llvm.nvptx_tutorial import TILE, guarded

    a, b, c = room.normal((m, k), BF16), room.normal((n, k), BF16), room.output(m, n, F32)
    flat = room.guards[-1].whole[room.guards[-1].margin :]
    return lambda: guarded[lambda: ((-(-n // TILE), -(-m // TILE)), (32,))](a, b, flat, m, n, k), [room.product(c, a, b)]


def mma(room: Room, m: int, n: int, k: int) -> Made:
    """The kernel of benchmarks/cuda_compile.py."""
    from benchmarks.mma_gemm import THREADS, mma_gemm

    a, b, c = room.normal((m, k), BF16), room.normal((n, k), BF16), room.output(m, n, F32)
    flat = room.guards[-1].whole[room.guards[-1].margin :]
    return lambda: mma_gemm[lambda: ((-(-n // 128), -(-m // 128)), (THREADS,))](a, b, flat, m, n, k), [room.product(c, a, b)]


def ptx_hopper(room: Room, m: int, n: int, k: int, dtype: torch.dtype = BF16, to: torch.dtype | None = None, plan: int | None = None) -> Made:
    from avelang_kernels.matmul import ptx_hopper_gemm as module

    a, b = room.normal((m, k), dtype), room.normal((n, k), dtype)
    c = room.output(m, n, to or dtype)
    chosen = None if plan is None else list(module.TILES)[plan]
    return lambda: module.gemm(a, b, out=c, plan=chosen), [room.product(c, a, b)]


def ptx_ampere(room: Room, m: int, n: int, k: int, dtype: torch.dtype = BF16, to: torch.dtype | None = None, plan: int | None = None) -> Made:
    from avelang_kernels.matmul import ptx_ampere_gemm as module

    a, b = room.normal((m, k), dtype), room.normal((n, k), dtype)
    c = room.output(m, n, to or dtype)
    chosen = None if plan is None else list(module.PLANS)[plan]
    return lambda: module.gemm(a, b, out=c, plan=chosen), [room.product(c, a, b)]


def rows_check(out: torch.Tensor, want: torch.Tensor) -> Check:
    """A row's sum is that of 32 elements of each thread and a tree; powers and roots are the approximate ones, good to 2^-22. Numbers below the
    smallest normal one of f32 become zero."""
    smallest = 2.0**-25 if out.dtype == F16 else 2.0**-120
    return Check(out, want, (2.0**-17 + ROUNDING[out.dtype]) * want.abs() + smallest)


def ptx_softmax(room: Room, m: int, n: int, dtype: torch.dtype = BF16) -> Made:
    from avelang_kernels.norm.ptx_softmax import softmax

    x = room.normal((m, n), F32).mul_(4).to(dtype) if not room.exact else room.normal((m, n), dtype)
    out = room.output(m, n, dtype)
    return lambda: softmax(x, out), [rows_check(out, (x.cpu() if room.exact else x).double().softmax(1))]


def ptx_rms_norm(room: Room, m: int, n: int, dtype: torch.dtype = BF16) -> Made:
    from avelang_kernels.norm.ptx_rms_norm import rms_norm

    x, weight, eps = room.normal((m, n), dtype), room.normal((n,), dtype), 1e-5
    out = room.output(m, n, dtype)
    y, w = ((t.cpu() if room.exact else t).double() for t in (x, weight))
    return lambda: rms_norm(x, weight, eps, out), [rows_check(out, y * w / (y.square().mean(1, keepdim=True) + eps).sqrt())]


def tile_grouped(
    room: Room, E: int, rows: int, n: int, k: int, dtype: torch.dtype = BF16, to: torch.dtype | None = None, block: int = 0, gathered: bool = False,
) -> Made:  # fmt: skip
    """Groups of random sizes, some of them empty; every row is of one."""
    from avelang.tile import Block
    from avelang_kernels.moe.tile_grouped_gemm import grouped_gemm

    T = (
        Block(128, 256, 64, pipeline="tma"), Block(64, 256, 64, pipeline="tma", stages=5), Block(128, 256, 64, pipeline="tma", cluster=(2, 1)),
        Block(128, 128, 64, pipeline="tma", cluster=(1, 2)), Block(128, 128, 32, pipeline="cp-async"),
    )[block]  # fmt: skip
    draw = room.generator
    cuts = torch.randint(0, rows + 1, (E - 1,), generator=draw, device=draw.device).sort().values.cpu()
    bounds = torch.cat([torch.zeros(1, dtype=cuts.dtype), cuts, torch.full((1,), rows, dtype=cuts.dtype)])
    tokens = rows // 2 + 1 if gathered else rows
    a, b, c = room.normal((tokens, k), dtype), room.normal((E * n, k), dtype), room.output(rows, n, to or dtype)
    index = torch.randint(0, tokens, (rows,), generator=draw, device=draw.device).int().cuda() if gathered else None
    factors = room.normal((rows,), F32) if gathered else None
    parts = []
    for g, (begin, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        if begin < end:
            mine = a.cpu() if room.exact else a
            mine = mine[begin:end] if index is None else mine[index[begin:end].to(mine.device).long()]
            x = room.product(c[begin:end], mine, b[g * n : (g + 1) * n])
            scale = 1.0 if factors is None else factors[begin:end, None].to(x.want.device).double()
            # A factor is one more rounding in f32.
            parts.append(Check(x.out, x.want * scale, (x.bound + 2.0**-23 * x.want.abs()) * abs(scale)))
    offsets, units = bounds.int().cuda(), torch.cuda.get_device_properties(0).multi_processor_count
    chip = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"
    given = b.view(E, n, k)
    return lambda: grouped_gemm(a, given, offsets, c, T, chip, index=index, factors=factors, units=units), parts


PIPELINES = ("single", "prefetch", "double-buffer", "ping-pong", "preshuffled", "streamed", "cp-async", "tma")


def tile_gemm(room: Room, m: int, n: int, k: int, pipeline: str, dtype: torch.dtype = BF16, to: torch.dtype | None = None, i: int = 0) -> Made:
    """A pipeline of the tile level, with one of its blocks of `tile_check`."""
    from avelang_kernels.matmul.tile_gemm import gemm
    from gpu.tile_check import BLOCKS, CHIP, as_taken

    block = BLOCKS[pipeline][i]
    a, b, c = room.normal((m, k), dtype), room.normal((n, k), dtype), room.output(m, n, to or dtype)
    given = as_taken(block, b)
    return lambda: gemm(a, given, c, block, CHIP), [room.product(c, a, b)]


def tile_skinny(room: Room, m: int, n: int, k: int, dtype: torch.dtype = F16, to: torch.dtype | None = None) -> Made:
    from avelang_kernels.matmul.tile_skinny import gemm

    a, b, c = room.normal((m, k), dtype), room.normal((n, k), dtype), room.output(m, n, to or dtype)
    return lambda: gemm(a, b, c), [room.product(c, a, b)]


def tile_inference(room: Room, m: int, n: int, k: int, dtype: torch.dtype = BF16, to: torch.dtype | None = None, parts: int | None = None) -> Made:
    """With a bias; in the block that is best for so many rows."""
    from avelang_kernels.matmul.tile_inference import best_block, gemm, preshuffle

    a, b, c, bias = room.normal((m, k), dtype), room.normal((n, k), dtype), room.output(m, n, to or dtype), room.normal((n,), F32)
    target = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"
    block = best_block(m, n, target, torch.cuda.get_device_properties(0).multi_processor_count)
    weights = preshuffle(b.cpu(), block, target)
    weights = dataclasses.replace(weights, data=weights.data.cuda())
    plain = room.product(c, a, b)
    want = plain.want + bias.to(plain.want.device).double()
    check = Check(c, want, plain.bound + (ROUNDING[c.dtype] + ACCUMULATION) * (want.abs() + bias.to(want.device).double().abs()))
    return lambda: gemm(a, weights, c, bias, parts=parts, block=block), [check]


def tile_attention(
    room: Room, batch: int, heads: int, kv: int, queries: int, keys: int, d: int, causal: bool = False, dtype: torch.dtype = BF16, wgmma: bool = False,
) -> Made:  # fmt: skip
    """Weights are rounded to the dtype, and scores in f32: see `tests/avelang_kernels/attended.py`, whose bound is below this one."""
    from avelang_kernels.attention import tile_attention as common
    from avelang_kernels.attention import tile_attention_hopper as hopper

    q, k, v = room.normal((batch, queries, heads, d), dtype), *(room.normal((batch, keys, kv, d), dtype) for _ in "kv")
    flat, lse = room.output(batch * queries * heads, d, dtype), room.output(batch * heads, queries, F32)
    out, logs = flat.view(q.shape), lse.view(batch, heads, queries)
    x, y, z = ((t.cpu() if room.exact else t).double().transpose(1, 2) for t in (q, k, v))
    y, z = (t.repeat_interleave(heads // kv, 1) for t in (y, z))
    s = x @ y.mT * d**-0.5
    if causal:
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(keys - queries + 1), -torch.inf)
    p, unit = s.softmax(3), ROUNDING[dtype]
    want, size = ((p @ t).transpose(1, 2).reshape(flat.shape) for t in (z, z.abs()))
    checks = [Check(flat, want, (unit + 2.0**-14) * size + unit * want.abs() + 2.0**-20),
              Check(lse, s.logsumexp(3).view(lse.shape), torch.full(lse.shape, 2.0**-14, dtype=torch.float64, device=s.device))]  # fmt: skip
    if wgmma:
        return lambda: hopper.attention(q, k, v, out, lse=logs, causal=causal), checks
    target = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"
    return lambda: common.attention(q, k, v, out, target, lse=logs, causal=causal, T=common.block_for(target, d)), checks


ATTENDED = (
    (1, 1, 1, 1, 1, 64), (2, 3, 3, 100, 130, 64), (1, 4, 2, 333, 517, 128, True), (2, 2, 1, 1000, 1000, 72, True, F16), (1, 8, 8, 2048, 2048, 128, True),
    (3, 5, 1, 7, 1025, 128), (1, 2, 2, 129, 64, 96),
)  # fmt: skip

KERNELS = {kernel.name: kernel for kernel in (
    Kernel("hopper_gemm", hopper_gemm, (
        (128, 128, 64), (127, 129, 72), (333, 517, 328), (1, 1, 8), (1000, 1000, 1000), (64, 4096, 520), (4097, 33, 136), (5, 8191, 1024),
        (2048, 2048, 2048), (4864, 4096, 4096), (129, 257, 64, F16), (700, 300, 200, F16, F32), (700, 300, 200, BF16, F32),
        *((641, 777, 456, BF16, None, tile) for tile in range(12)), *((641, 777, 456, F16, F32, tile) for tile in range(8)),
    ), tuple((150, 280, 136, BF16, None, tile) for tile in (0, 3, 6))),
    Kernel("matmul", matmul, tuple((m, n, k, *order) for m, n, k in ((300, 520, 264), (77, 1000, 1031), (2048, 768, 640), (5, 4096, 1024))
           for order in ((False, False), (True, False), (False, True), (True, True))), ((150, 264, 136, True, True), (70, 136, 75, False, True))),
    Kernel("skinny_quantized", quantized, tuple((m, n, k, group, dtype) for m, n, k in ((1, 520, 1024), (16, 1111, 2048), (64, 257, 4096))
           for group, dtype in ((0, BF16), (128, F16), (32, BF16))), ((3, 130, 256, 32, BF16), (20, 200, 512, 0, BF16)), (8, 9)),
    Kernel("hopper_skinny", hopper_skinny, (
        (1, 8192, 8192), (8, 13312, 16384), (16, 28672, 8192), (64, 8192, 8192), (8, 2304, 8192), (1, 1, 8), (3, 37, 72), (7, 129, 1000), (17, 65, 264),
        (33, 1001, 136), (63, 127, 520), (64, 257, 4096), (5, 640, 2048, F16), (9, 1023, 776, BF16, F32), (40, 333, 1040, F16, F32),
    ), ((3, 130, 264), (20, 200, 136), (64, 257, 200))),
    Kernel("tutorial", tutorial, ((1, 1, 8), (50, 37, 40), (333, 129, 264), (1024, 1000, 512)), ((50, 37, 40),), (8, 0)),
    Kernel("mma_gemm", mma, ((1, 2, 8), (130, 70, 72), (333, 518, 328), (1024, 1000, 1024)), ((130, 150, 104),), (8, 0)),
    Kernel("ptx_hopper", ptx_hopper, (
        (128, 128, 64), (127, 136, 72), (333, 520, 328), (1, 8, 8), (1, 1, 8), (333, 517, 328), (1000, 1000, 1000), (64, 4096, 520), (4097, 40, 136),
        (5, 8192, 1024), (2048, 2048, 2048), (4864, 4096, 4096), (700, 300, 200, F16, F32), (700, 303, 200, F16), (129, 257, 64, BF16, F32),
        *((641, 776, 456, BF16, to, plan) for plan in range(3) for to in (None, F32)), *((641, 777, 456, BF16, None, plan) for plan in range(3)),
    ), tuple((150, n, 136, BF16, None, plan) for plan in range(3) for n in (280, 277))),
    Kernel("ptx_ampere", ptx_ampere, (
        (128, 256, 64), (127, 136, 72), (333, 517, 328), (1, 1, 8), (333, 518, 328), (1000, 1000, 1000), (64, 4096, 520), (2048, 2048, 2048),
        (700, 300, 200, F16, F32), (700, 303, 200, F16), (129, 257, 64, BF16, F32),
        *((641, n, 456, BF16, to, plan) for plan in range(4) for n, to in ((776, None), (776, F32), (777, None))),
    ), tuple((150, n, 136, BF16, None, plan) for plan in range(4) for n in (280, 277)), (8, 0)),
    Kernel("tile_gemm", tile_gemm, tuple((m, n, k, pipeline, *more) for pipeline in PIPELINES for m, n, k, *more in (
        (129, 264, 72), (641, 776, 456, F16, F32), (2048, 2048, 2048, BF16, None, 1),
    )), tuple((70, 136, 136, pipeline) for pipeline in PIPELINES)),
    Kernel("tile_grouped", tile_grouped, (
        (8, 1000, 512, 264), (8, 1000, 510, 264, BF16, F32), (8, 300, 136, 72, F16), (1, 333, 277, 136), (256, 4096, 256, 520), (64, 40, 128, 64),
        (128, 20000, 768, 2048), *((16, 2500, 776, 456, BF16, None, block) for block in range(5)), (16, 2500, 776, 456, BF16, F32, 4, True),
        (5, 1, 8, 8), (300, 4096, 264, 136, BF16, None, 1),
    ), tuple((4, 300, 280, 136, BF16, None, block) for block in range(4)) + ((4, 300, 280, 136, BF16, None, 4, True),)),
    Kernel("tile_skinny", tile_skinny, (
        (8, 13312, 16384), (8, 2304, 8192), (1, 1, 8), (3, 37, 72), (7, 129, 1000), (16, 1001, 264), (5, 640, 2048, BF16), (9, 1023, 776, BF16, F32),
        (8, 333, 101), (2, 64, 4096, F16, F32),
    ), ((3, 130, 264), (12, 200, 1032)), (8, 0)),
    Kernel("tile_inference", tile_inference, (
        (16, 4096, 4096), (128, 4096, 4096), (1, 1, 8), (7, 129, 1000), (33, 277, 136, F16, F32), (100, 1001, 520), (300, 1000, 2056, F16),
        (1000, 1000, 1000), (2048, 4096, 264), (90, 520, 2048, BF16, F32, 3),
    ), ((3, 130, 264), (70, 280, 1160), (150, 280, 136)), (8, 0)),
    Kernel("tile_attention", tile_attention, (*ATTENDED, (1, 2, 1, 200, 300, 256, True)), ((1, 2, 1, 70, 90, 64, True),), (8, 0)),
    Kernel("hopper_attention", functools.partial(tile_attention, wgmma=True), ATTENDED, ((1, 2, 1, 150, 170, 128, True),)),
    *(Kernel(name, make, (
        (1, 1), (3, 7, F32), (777, 64), (333, 18, F16), (1001, 1000), (129, 1001), (1000, 1024, F32), (77, 4096), (33, 5120, F16), (65, 16384),
        (65, 16384, F32), (19, 16383), (17, 32768), (9, 32768, F32), (40000, 128),
    ), ((37, 64), (3, 1001), (3, 4096), (2, 16384, F32)), (8, 0)) for name, make in (("ptx_softmax", ptx_softmax), ("ptx_rms_norm", ptx_rms_norm))),
)}  # fmt: skip


# -- running ---------------------------------------------------------------------------------------------------------------------------------


def worst(checks: list[Check]) -> float:
    """The largest difference of any element, in units of its bound; infinite where an element is NaN, as one is that nobody wrote."""
    most = 0.0
    for out, want, bound in checks:
        if out.numel():
            part = (out.to(want.device).double() - want).abs() / bound.clamp_min(1e-30)
            most = max(most, float(torch.nan_to_num(part, nan=float("inf")).max()))
    return most


def run(kernel: Kernel, shape: tuple[Any, ...], room: Room) -> float:
    """Launches twice (the second launch is the host code's own) and gives the worst difference. Raises AssertionError where memory around the
    outputs has changed."""
    launch, checks = kernel.make(room, *shape)
    most = 0.0
    for _ in range(1 if room.exact else 2):
        if not room.exact:
            for guard in room.guards:
                guard.whole.fill_(float("nan"))
        launch()
        torch.cuda.synchronize()
        most = max(most, worst(checks))
        assert room.exact or all(guard.kept() for guard in room.guards), "memory around the output has changed"
    return most


def words(shape: tuple[Any, ...]) -> str:
    return " ".join(str(x).removeprefix("torch.") for x in shape)


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--only", default="", help="this kernel alone")
    p.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"), help="of the random inputs; fresh where left out")
    p.add_argument("--list", action="store_true", help="the kernels' names")
    given = p.parse_args()
    if given.list:
        print("\n".join(KERNELS))
        return 0
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, seed {given.seed}")
    results = []
    for name, kernel in KERNELS.items():
        if given.only not in ("", name):
            continue
        for i, shape in enumerate(kernel.shapes):
            start = time.perf_counter()
            difference, error = float("inf"), ""
            if torch.cuda.get_device_capability() < kernel.needs:
                error = f"needs sm_{''.join(map(str, kernel.needs))}"
            else:
                try:
                    difference = run(kernel, shape, Room(given.seed + i))
                except Exception as e:
                    error = f"{type(e).__name__}: {e}"
                    traceback.print_exc()
            ok = difference <= 1
            seconds = round(time.perf_counter() - start, 2)
            results.append({"kernel": name, "shape": words(shape), "ok": ok, "difference": difference if ok else None, "error": error, "seconds": seconds})
            shown = error.splitlines()[0][:200] if error else f"{difference:.3f} of the bound"
            print(f"{'ok  ' if ok else 'FAIL'} {name:16} {words(shape):40} {seconds:6.2f} s  {shown}", flush=True)
    failed = sum(not r["ok"] for r in results)
    print(f"{len(results) - failed} of {len(results)} launches pass")
    record = {"device": torch.cuda.get_device_name(), "seed": given.seed, "launches": results}
    (pathlib.Path(os.environ.get("OUT", ".")) / "kernels_check.json").write_text(json.dumps(record, indent=1))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    raise SystemExit(main())
