"""Hopper's GEMM with no GPU: its numbers against float64 on awkward shapes, on the CPU and the reference; its code "
"by what ptxas says of it."""

from __future__ import annotations

import random
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from alarms.engines import Engine, on
from avelang.base import engines
from avelang.pipelines.warp_specialized import box_of
from avelang.runtime.compile import compile_text
from avelang.sim.ptx import Program
from avelang_kernels.matmul import hopper_gemm
from avelang_kernels.matmul.hopper_gemm import GemmTile, build, gemm, threads
from avelang_kernels.matmul.hopper_rule import table
from avelang_kernels.matmul.hopper_tiles import STREAM
from tools import need

bf16 = ml_dtypes.bfloat16


def check(
    m: int, n: int, k: int, tile: GemmTile, dtype: type, out: type, blocks: int, margin: int = 3, **options: object
) -> None:
    """`gemm` on fresh random numbers, into NaN, of which the part around the output stays."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal(s).astype(dtype) for s in ((m, k), (n, k)))
    whole = np.full((m + 2, n + margin), np.nan, out)
    c = whole[1:-1, :n]
    assert gemm(a, b, c, tile, blocks, **options) is c
    x, y = a.astype(np.float64), b.astype(np.float64).T
    error, want = np.abs(c.astype(np.float64) - x @ y), np.abs(x @ y)
    rounding = {np.float32: 0.0, np.float16: 2.0**-11, bf16: 2.0**-8}[out]
    assert (error <= 2e-6 * (np.abs(x) @ np.abs(y)) + rounding * want).all(), error.max()
    assert np.isnan(whole.astype(np.float32)).sum() == whole.size - m * n, "written around the output"


CASES = [
    # tile, dtype, out, blocks, m, n, k: more tiles than blocks, fewer, several steps of a ring, tails of everything
    (GemmTile(128, 64, 3), bf16, np.float32, 3, 300, 136, 200),
    (GemmTile(64, 128, 2), np.float16, np.float16, 4, 70, 37, 72),
    (GemmTile(64, 64, 2, group_m=2), bf16, bf16, 2, 130, 200, 8),
    (GemmTile(192, 64, 2), bf16, bf16, 1, 1, 1, 264),
]  # fmt: skip
CLUSTERS = [
    (GemmTile(64, 64, 3, 2), bf16, bf16, 4, 200, 90, 200),
    (GemmTile(64, 64, 2, 2, 2), np.float16, np.float32, 4, 130, 130, 72),
]


@pytest.mark.parametrize("tile,dtype,out,blocks,m,n,k", [*CASES, *CLUSTERS])
def test_on_the_cpu(tile, dtype, out, blocks, m, n, k):
    check(m, n, k, tile, dtype, out, blocks, margin=8 - n % 8, target="sm_90a")


@pytest.mark.parametrize("tile,dtype,out,blocks,m,n,k", [CASES[0], *CLUSTERS])
def test_on_the_reference(tile, dtype, out, blocks, m, n, k):
    check(m, n, k, tile, dtype, out, blocks, target="sm_90a", backend="reference")


def test_nothing_to_multiply():
    out = np.full((3, 8), np.nan, np.float32)
    assert not gemm(np.empty((3, 0), bf16), np.empty((8, 0), bf16), out).any()
    assert gemm(np.empty((0, 8), bf16), np.empty((8, 8), bf16)).shape == (0, 8)


def test_an_output_is_made():
    a = np.eye(16, dtype=bf16)
    c = gemm(a, a, tile=GemmTile(64, 64, 2), blocks=1, target="sm_90a")
    assert c.dtype == bf16
    np.testing.assert_array_equal(c, a)


# Every kind of tile: widths that are no power of two, tiles of C^T, several row blocks, ping-pong, K shared in a cluster.
KINDS = [
    (GemmTile(64, 80, 3), bf16, bf16, 3, 200, 136, 200),
    (GemmTile(128, 96, 3, 2), np.float16, np.float16, 4, 260, 200, 136),
    (GemmTile(64, 96, 3, transposed=True), bf16, bf16, 3, 200, 136, 200),
    (GemmTile(128, 48, 4, 2, row_blocks=2, pingpong=True, transposed=True), bf16, bf16, 4, 150, 300, 328),
    (GemmTile(64, 64, 4, pingpong=True), bf16, np.float32, 3, 300, 130, 200),
    (GemmTile(256, 64, 3, 1, 2, row_blocks=2), np.float16, np.float16, 2, 300, 200, 136),
    (GemmTile(64, 128, 4, cluster_k=2), bf16, bf16, 2, 70, 130, 328),
    (GemmTile(128, 112, 4, 1, 2, cluster_k=3, transposed=True), bf16, bf16, 6, 124, 200, 584),
    (GemmTile(128, 64, 4, cluster_k=2), bf16, np.float32, 2, 130, 72, 136),
    # widths that 16 does not divide: one piece, two row blocks in turns, K in parts
    (GemmTile(128, 88, 3, 1, 2, transposed=True), bf16, bf16, 4, 264, 520, 136),
    (GemmTile(128, 24, 4, row_blocks=2, pingpong=True, transposed=True), bf16, bf16, 3, 50, 300, 200),
    (GemmTile(192, 120, 3, transposed=True, split=2), np.float16, np.float16, 4, 130, 200, 264),
    (GemmTile(64, 72, 4, cluster_k=3, transposed=True), bf16, bf16, 6, 150, 130, 328),
    # clusters of four and eight
    (GemmTile(64, 32, 3, 4, transposed=True), bf16, bf16, 4, 70, 264, 200),
    (GemmTile(64, 48, 3, 2, 4), bf16, bf16, 8, 200, 200, 136),
    # widths that 16 does not divide, of C: rows of odd pieces without a swizzle
    (GemmTile(128, 88, 3, 1, 2), bf16, bf16, 4, 264, 520, 136),
    (GemmTile(256, 40, 3, row_blocks=2), np.float16, np.float16, 3, 300, 130, 200),
    (GemmTile(64, 120, 4, pingpong=True), bf16, bf16, 3, 130, 260, 200),
    (GemmTile(128, 72, 3, split=2), bf16, bf16, 4, 130, 136, 264),
]


@pytest.mark.parametrize("tile,dtype,out,blocks,m,n,k", KINDS, ids=str)
def test_every_kind_of_tile(tile, dtype, out, blocks, m, n, k):
    check(m, n, k, tile, dtype, out, blocks, margin=8 - n % 8, target="sm_90a")


@pytest.mark.parametrize("tile,dtype,out,blocks,m,n,k", [KINDS[3], KINDS[6], KINDS[7], KINDS[9], *KINDS[-4:-1]], ids=str)
def test_kinds_of_tiles_without_races(tile, dtype, out, blocks, m, n, k, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    check(m, n, k, tile, dtype, out, blocks, target="sm_90a", backend="reference")


@pytest.mark.parametrize("tile,dtype,out,blocks,m,n,k", [KINDS[3], KINDS[7], *KINDS[9:11], KINDS[14], *KINDS[-2:]], ids=str)
def test_kinds_of_tiles_in_executed_ptx(tile, dtype, out, blocks, m, n, k, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        check(m, n, k, tile, dtype, out, blocks, margin=8 - n % 8, target="sm_90a")
    assert "X0" not in said.getvalue()


def loose(tile: GemmTile, out: type, r: random.Random, **options: object) -> None:
    """`gemm` into a result whose rows begin anywhere, of drawn extents, with gaps that stay."""
    m, n, k = r.randint(1, 2 * tile.m), 2 * r.randint(0, tile.n) + 1, 8 * r.randint(tile.cluster_k * 8, 40)
    rng = np.random.default_rng(r.randrange(1 << 30))
    dtype = bf16 if out is np.float32 else out
    a, b = (rng.standard_normal(s).astype(dtype) for s in ((m, k), (n, k)))
    gap, first = r.choice((0, 1, 3, 8)), r.randint(0, 9)
    whole = np.full(first + m * (n + gap) + 9, np.nan, out)
    c = whole[first : first + m * (n + gap)].reshape(m, n + gap)[:, :n]
    gemm(a, b, c, tile, 2 * tile.cluster, target="sm_90a", **options)
    x, y = a.astype(np.float64), b.astype(np.float64).T
    error, rounding = np.abs(c.astype(np.float64) - x @ y), {np.float32: 0.0, np.float16: 2.0**-11, bf16: 2.0**-8}[out]
    assert (error <= 2e-6 * (np.abs(x) @ np.abs(y)) + rounding * np.abs(x @ y)).all(), (m, n, k, gap, first)
    assert np.isnan(whole.astype(np.float32)).sum() == whole.size - m * n, "written around the output"


@pytest.mark.parametrize("tile,out", [(kind[0], kind[2]) for kind in KINDS], ids=str)
def test_threads_store_rows_that_begin_anywhere(tile, out, monkeypatch):
    """And nothing is copied."""
    monkeypatch.setattr(hopper_gemm, "made_result", None)
    r = random.Random(f"{tile}")
    loose(tile, out, r)
    if tile.pingpong or tile.split != 1:
        loose(tile, out, r, backend="reference")


@pytest.mark.parametrize("tile,out", [(KINDS[i][0], KINDS[i][2]) for i in (3, 7, 15, 17)], ids=str)
def test_threads_store_rows_in_executed_ptx(tile, out, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        loose(tile, out, random.Random(f"ptx {tile}"))
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize("m,n", [(8, 8), (40, 264), (129, 8), (264, 33)])
@pytest.mark.parametrize("transposed", [False, True])
def test_rows_past_the_end_are_not_copied(m, n, transposed):
    """What a stage has of them is NaN on the reference, and in no row or column of C that there is."""
    tile = GemmTile(128, 128, 2, 1, 2, transposed=transposed)
    assert tile.boxes(64, False, False) == ((32, 64), (32, 64)) and box_of(136) == 136 and box_of(96) == 32
    check(m, n, 136, tile, bf16, bf16, 2, margin=8 - n % 8, target="sm_90a", backend="reference")


@pytest.mark.parametrize("order,seed", [("random", 1), ("random", 2), ("reverse", 0)])
def test_warps_in_any_order_in_executed_ptx(order, seed, monkeypatch):
    """One thread of a warpgroup gives a stage back, before the other warps have come to their wait."""
    launch = Program.launch
    monkeypatch.setattr(Program, "launch", lambda *x, **more: launch(*x, **{**more, "order": order, "seed": seed}))
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        check(300, 136, 200, GemmTile(128, 64, 3, 2), bf16, bf16, 4, target="sm_90a")
    assert "X0" not in said.getvalue()


# Storage orders: which operands have their neighbors off K; tiles of C and of C^T, clusters, two row blocks, tails of K.
ORDERS = [
    (GemmTile(64, 64, 3), (False, True), 200, 136, 200),
    (GemmTile(128, 80, 3, transposed=True), (False, True), 200, 136, 200),
    (GemmTile(128, 96, 3, 2), (True, False), 264, 200, 136),
    (GemmTile(128, 128, 3, 1, 2), (True, True), 200, 264, 136),
    (GemmTile(64, 64, 3, 2, transposed=True), (True, True), 200, 264, 72),
    (GemmTile(256, 64, 3, 2, row_blocks=2), (True, True), 520, 136, 200),
    (GemmTile(64, 64, 4, cluster_k=2, split=2), (True, True), 72, 136, 328),
]  # fmt: skip


def ordered(tile, majors, m, n, k, **options):
    """Against float64, of which the part around the output stays."""
    rng = np.random.default_rng((m, n, k))
    a, b = (
        np.asfortranarray(rng.standard_normal((r, k)).astype(bf16)) if mn else rng.standard_normal((r, k)).astype(bf16)
        for r, mn in zip((m, n), majors, strict=True)
    )
    c = gemm(a, b, np.full((m, n), np.nan, bf16), tile, 4, target="sm_90a", **options)
    x, y = a.astype(np.float64), b.astype(np.float64).T
    error = np.abs(c.astype(np.float64) - x @ y)
    assert (error <= 2e-6 * (np.abs(x) @ np.abs(y)) + 2.0**-8 * np.abs(x @ y)).all(), error.max()


@pytest.mark.parametrize("case", ORDERS, ids=str)
def test_storage_orders(case):
    ordered(*case)


@pytest.mark.parametrize("case", ORDERS[3:5], ids=str)
def test_storage_orders_without_races(case, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    ordered(*case, backend="reference")


@pytest.mark.parametrize("case", [ORDERS[3], ORDERS[5]], ids=str)
def test_storage_orders_in_executed_ptx(case, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        ordered(*case)
    assert "X0" not in said.getvalue()


def test_columns_of_an_operand_by_columns_are_whole_atoms():
    a = np.zeros((64, 64), bf16)
    with pytest.raises(ValueError, match="n must be a multiple of 64 where that operand's neighbors"):
        gemm(a, np.asfortranarray(a), tile=GemmTile(64, 80, 3, transposed=False))


SPLITS = [
    # tile, split, blocks, m, n, k: runs that end inside of tiles, more parts than steps, clusters, two consumers
    (GemmTile(64, 64, 3), "stream", 4, 130, 100, 328),
    (GemmTile(128, 64, 2, 2), "stream", 4, 140, 136, 584),
    (GemmTile(64, 64, 2), "stream", 9, 64, 64, 320),
    (GemmTile(128, 64, 2), 3, 4, 130, 72, 400),
    (GemmTile(64, 64, 2, 1, 2), 9, 4, 100, 200, 136),
    # Whole tiles behind streamed ones, two row blocks, C^T, clusters that share a part of K each.
    (GemmTile(64, 64, 3), "stream", 5, 300, 260, 200),
    (GemmTile(128, 64, 3, row_blocks=2), "stream", 3, 300, 100, 328),
    (GemmTile(64, 64, 3, cluster_k=2), 3, None, 70, 100, 584),
    (GemmTile(128, 64, 3, cluster_m=2, cluster_k=2), 2, None, 300, 72, 328),
]


def split(tile: GemmTile, parts: int | str, blocks: int | None, m: int, n: int, k: int, **options: object) -> None:
    """Against float64, twice: the same bits."""
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.standard_normal((r, k)).astype(bf16) for r in (m, n))
    x, y = a.astype(np.float64), b.astype(np.float64).T
    first, second = (
        gemm(a, b, np.full((m, n), np.nan, np.float32), tile, blocks, parts, target="sm_90a", **options)
        for _ in range(2)
    )
    assert (np.abs(first - x @ y) <= 2e-6 * (np.abs(x) @ np.abs(y))).all()
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("case", SPLITS, ids=str)
def test_k_is_split(case):
    split(*case)


@pytest.mark.parametrize("case", [SPLITS[0], SPLITS[3], SPLITS[5], SPLITS[7]], ids=str)
def test_k_is_split_without_races(case, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    split(*case, backend="reference")


@pytest.mark.parametrize("case", [SPLITS[1], SPLITS[3], SPLITS[7]], ids=str)
def test_k_is_split_in_executed_ptx(case, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        split(*case)
    assert "X0" not in said.getvalue()


def test_a_workspace_is_clean_behind_a_launch(monkeypatch):
    made = []

    def workspace(a, blocks, size):
        made.append((np.full(size, np.nan, np.float32), np.zeros(blocks, np.uint32)))
        return made[-1]

    monkeypatch.setattr(hopper_gemm, "workspace_for", workspace)
    split(*SPLITS[1])
    assert len(made) == 2
    for sums, counters in made:
        assert np.isfinite(sums).any() and not counters.any()


@pytest.mark.parametrize("parts", [0, "streams", True, 2.0])
def test_other_splits_are_refused(parts):
    with pytest.raises(ValueError, match="split must be an int from 1 on, or"):
        gemm(ONE, ONE, split=parts)


ONE = np.zeros((16, 16), bf16)


@pytest.mark.parametrize(
    ("a", "b", "out", "kind", "words"),
    [
        (ONE, ONE[:, :8], None, ValueError, "same number of columns"),
        (ONE, ONE, np.zeros((16, 8), bf16), ValueError, r"the product of 16 and 16 rows is \(16, 16\)"),
        (ONE.astype(np.float64), ONE, None, TypeError, "a is of float64; here it must be of bfloat16, float16, float32, "),
        (ONE, ONE.astype(np.float16), None, TypeError, "b is of float16; here it must be of bf16"),
        (ONE, ONE, np.zeros((16, 16), np.float64), TypeError, "out is of float64; here it must be of bf16 or f32"),
        (np.zeros((32, 32), bf16)[::2, ::2], ONE, None, ValueError, "a: elements of a row or of a column must be neighbors"),
        (np.zeros((16, 12), bf16).T, ONE, None, ValueError, "a: columns must be a multiple of 8 elements apart"),
        (np.zeros((4, 12), bf16), np.zeros((4, 12), bf16), None, ValueError,
            "rows must be a multiple of 8 elements apart, and are 12 apart"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(a, b, out, kind, words):
    with pytest.raises(kind, match=words):
        gemm(a, b, out)


# The largest of each kind; and one drawn from the rule's table, in the test, since workers must collect the same.
LARGEST = [
    GemmTile(128, 256, 4, 2), GemmTile(128, 256, 4, 2, split=4), GemmTile(128, 256, 4, 2, split=STREAM, transposed=True),
    GemmTile(256, 192, 3, 1, 2, row_blocks=2), GemmTile(192, 192, 3, 1, 2, transposed=True),
    GemmTile(64, 256, 4, pingpong=True), GemmTile(128, 128, 4, 2, row_blocks=2, pingpong=True, transposed=True),
    GemmTile(128, 256, 4, cluster_k=2, split=2), GemmTile(256, 176, 4, 1, 2, row_blocks=2), GemmTile(128, 216, 4, 1, 2, transposed=True),
]  # fmt: skip


@pytest.mark.parametrize("tile", [*LARGEST, "one"], ids=str)
def test_ptxas_keeps_the_sums_in_registers_and_the_products_under_way(tile, tmp_path):
    ptxas = need("ptxas")
    if isinstance(tile, str):
        tile = random.choice(table()).fitted(2)
    assert not tile.fault(2), tile
    text = compile_text(build(tile, al.bf16, al.bf16), {}, (threads(tile), 1, 1), "sm_90a", "asm")
    (tmp_path / "k.ptx").write_text(text)
    said = subprocess.run(
        [ptxas, "-v", "-arch=sm_90a", "k.ptx", "-o", "k.cubin"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in said
    assert "C75" not in said, said  # wgmma serialized, setmaxnreg ignored
    steps = re.findall(r"wgmma\.mma_async\S*m64n(\d+)k16", text)
    # The first step and the loop's, four products for each block of rows.
    assert steps == [str(tile.n)] * (8 * tile.row_blocks)
    # A block ends when its stores have read shared memory, and does not wait for memory.
    assert not re.search(r"cp\.async\.bulk\.wait_group\s", text)
