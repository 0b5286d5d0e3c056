"""A of few rows and B come in; C = A @ B^T goes out, by the one of Hopper's two products that a model takes for the
faster: `hopper_skinny`, which reads B once at the speed of memory and has up to 64 rows, or `hopper_gemm`, whose
transposed tiles have 16 rows of A and more.

The model of the first is a line through the figures of `benchmarks/results/hopper_gemm.json` (part "skinny", us; one
H200, driver 580, 2026-11-21, L2 full of data that is to be written back): bytes at 4.1 TB/s and 6.75 us, within 2.5 %
at each of nine shapes. The model of the second is `hopper_rule.times`, which was fitted to products of 16 rows and
more, and is too fast where memory decides: no product is taken to be faster than its bytes, and this one is behind
them, up to some size. What that is, and what rows off lines of 128 bytes cost, comes from 63 drawn shapes (one H200,
2026-11-27); what it costs to bring a tile together, and how sizes of gigabytes are read, from 83 (three H200,
2026-11-28), which `tests/avelang_kernels/test_hopper_few.py` holds the choice against."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from avelang import takes
from avelang_kernels.arrays import Matrix, Positive, multiprocessors, new
from avelang_kernels.matmul.hopper_gemm import gemm
from avelang_kernels.matmul.hopper_rule import SMS, choose_tile, times
from avelang_kernels.matmul.hopper_skinny import M_MOST, SkinnyPlan, best_plan, name_of, skinny_gemm, work_of
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.matmul.storage import alignment

# Of the line: microseconds of an empty product; of what L2 writes back while B is read, from BACK bytes on in full;
# bytes a microsecond from memory, and what a byte of A costs that comes from L2 once more for each tile.
START, DIRTY, BACK, READ, AGAIN = 4.5, 2.25, 32e6, 4.1e6, 0.0101e-6
# Microseconds in which blocks bring a tile together in the workspace, and those of a cluster in shared memory: for
# each call, for each of the blocks, and for each row of A.
JOIN, BESIDE = (0.4, 0.25, 0.055), (0.75, 0.085, 0.02)
# By so many microseconds the other product is behind its bytes, from BACK on; less so up to LARGE. Bytes from there
# to the most that were measured are read sooner, so many microseconds for each: by the skinny product, and by it.
BEHIND, LARGE, SOONER, MEASURED = 4.5, 4e8, (0.012e-6, 0.025e-6), 1.2e9
# What rows that begin off lines of 128 bytes cost: the skinny product of up to 16 rows, of more, and the other one.
OFF_LINES = 1.1, 1.17, 1.06

NEAR = 0.02  # by so much the model cannot tell: the skinny product then, of fewer bytes than LARGE


class FewRowsPlan(NamedTuple):
    """A choice: `plan` for `hopper_skinny`, or `tile` for `hopper_gemm`, the other one None; `us`: modeled
    microseconds."""

    plan: SkinnyPlan | None
    tile: GemmTile | None
    us: float


def read_us(m: int, n: int, k: int, size: int = 2, off: float = 1.0) -> float:
    """Modeled microseconds in which A and B are read and C, of `size` bytes an element, is written, once. `off`: of
    `OFF_LINES`, or 1."""
    b = 2 * n * k
    return START + DIRTY * min(1.0, b / BACK) + off * (b + 2 * m * k + size * m * n) / READ


def _large(b: float) -> float:
    """Bytes of B that are read sooner."""
    return max(0.0, min(b, MEASURED) - LARGE)


def skinny_us(
    m: int, n: int, k: int, plan: SkinnyPlan, sms: int = SMS, size: int = 2, align: int = 128
) -> float:  # fmt: skip
    """Modeled microseconds of `hopper_skinny` with a plan on a GPU of so many multiprocessors of an H200's kind.
    `align`: as of `hopper_rule.choose_tile`."""
    tiles, off = -(-n // (plan.rows * plan.cluster_n)), OFF_LINES[m > 16] if align < 64 else 1.0
    most = work_of(plan, n, k).most
    call, block, row = JOIN if most > 1 else BESIDE if plan.split_k > 1 else (0.0, 0.0, 0.0)
    join = call + block * max(most, plan.split_k) + row * m
    read = read_us(m, n, k, size, off) - SOONER[0] * _large(2 * n * k)
    return read * max(1.0, SMS / sms) + AGAIN * 2 * m * k * tiles + join


def gemm_us(m: int, n: int, k: int, modeled: float, sms: int = SMS, size: int = 2, align: int = 128) -> float:
    """Modeled microseconds of `hopper_gemm` for few rows, of those that its own model says."""
    b = 2 * n * k
    behind = 0.0
    if m <= M_MOST:
        behind = BEHIND * min(1.0, b / BACK) * max(0.0, 1 - b / LARGE) - SOONER[1] * _large(b)
    read = read_us(m, n, k, size, OFF_LINES[2] if align < 64 else 1.0) + behind
    return max(modeled, read * max(1.0, SMS / sms))


@takes()
@functools.lru_cache(maxsize=1 << 16)
def few_rows_plan(
    m: Positive, n: Positive, k: Positive, sms: Positive = SMS, size: Positive = 2, align: Positive = 128
) -> FewRowsPlan:
    """The faster product for C of m x n, K of k, by the model, on a GPU of so many multiprocessors. `size`: bytes of an
    element of C; `align`: as of `hopper_rule.choose_tile`. Any m; above 64 it is `hopper_gemm`'s."""
    _, us = times(m, n, k, sms, size, align)
    best = int(us.argmin())
    time = gemm_us(m, n, k, float(us[best]), sms, size, align)
    choice = FewRowsPlan(None, choose_tile(m, n, k, sms, size, align), time)
    if m > M_MOST:
        return choice
    plan = best_plan(m, n, k, sms)
    skinny = skinny_us(m, n, k, plan, sms, size, align)
    near = NEAR if 2 * n * k < LARGE else 0.0
    return FewRowsPlan(plan, None, skinny) if skinny <= choice.us * (1 + near) else choice


@takes()
def few_rows_gemm(a: Matrix, b: Matrix, out: Any = None, *, dtype: Any = None, **options: Any) -> Any:
    """C = A @ B^T by the faster of the two products (`few_rows_plan`); the same bits in every run.

    a: (m, k) of any m, b: (n, k), both bf16 or both f16, elements of a row neighbors, rows a multiple of 16 bytes
    apart; out: (m, n) of their dtype or f32; a new one of `dtype` (A's where it is None) is made when it is None.
    `options` are those of a launch. Returns `out`. Raises ValueError and TypeError as `hopper_gemm.gemm` and
    `hopper_skinny.skinny_gemm` do."""
    (m, k), n = a.shape, b.shape[0]
    if not (m and n and k) or m > M_MOST or b.shape[1] != k:
        return gemm(a, b, _made(a, m, n, out, dtype), **options)
    made = dtype if out is None else out.dtype
    size = 4 if made is not None and name_of(made) == "f32" else 2
    chosen = few_rows_plan(m, n, k, multiprocessors(a), size, alignment(a, b))
    if chosen.plan is None:
        return gemm(a, b, _made(a, m, n, out, dtype), chosen.tile, **options)
    return skinny_gemm(a, b, out, dtype=dtype, **options)


def _made(a: Any, m: int, n: int, out: Any, dtype: Any) -> Any:
    """`out`, or a new one where another dtype than A's is asked for; None lets the product make it."""
    if out is not None or dtype is None or dtype == a.dtype:
        return out
    return new(a, (m, n), dtype)
