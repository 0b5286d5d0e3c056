"""The pipelined GEMM: its numbers against float64 on awkward shapes, on all backends; its machine code against what "
"it was written for, by counting."""

from __future__ import annotations

import functools
import itertools
import math
import re
import sys

import ml_dtypes
import numpy as np
import pytest

import avelang
from avelang import executor
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import KernelReport, report
from avelang.pipelines import scheduler
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul import mi300_gemm
from avelang_kernels.matmul.mi300_gemm import CHUNK, CHUNKS, HALF, LARGE, MFMA_SIDE, SMALL, Mi300Tile, gemm, threads
from tools import need

bf16 = ml_dtypes.bfloat16
TILES = pytest.mark.parametrize("tile", [SMALL, LARGE], ids=["small", "large"])
OUTS = pytest.mark.parametrize("out", ["gemm_f32", "gemm_bf16"])


def operands(m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((m, n, k))
    return rng.standard_normal((m, k)).astype(bf16), rng.standard_normal((n, k)).astype(bf16)


def right(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Every element against float64, relative to the sum of the terms' sizes: f32 sums lose some units in the last "
    "place of that; bf16 rounds once."""
    x, y = a.astype(np.float64), b.astype(np.float64).T
    want, terms = x @ y, np.abs(x) @ np.abs(y)
    error = np.abs(out.astype(np.float64) - want)
    assert (error <= 2e-6 * terms + (2.0**-8 * np.abs(want) if out.dtype == bf16 else 0)).all(), error.max()


def check(m: int, n: int, k: int, tile: Mi300Tile, dtype: type, **options: object) -> None:
    """`gemm` on a poisoned output."""
    a, b = operands(m, n, k)
    out = np.full((m, n), np.nan, dtype)
    assert gemm(a, b, out, tile, **options) is out
    right(a, b, out)


# -- numbers ----------------------------------------------------------------------------------------------------------

ODD = [
    # out, m, n, k: all widths of loads (8, 4, 2, 1 elements) and stores, one tile and several, one step and several,
    # tails of every kind
    (np.float32, 130, 140, 200), (np.float32, 1, 4, 8), (np.float32, 129, 131, 97), (np.float32, 3, 4, 0),
    (bf16, 37, 100, 68), (bf16, 3, 5, 66), (bf16, 1, 1, 1), (bf16, 128, 128, 192),
]  # fmt: skip


@pytest.mark.parametrize("dtype,m,n,k", ODD)
def test_small_in_the_reference(dtype, m, n, k, monkeypatch):
    """Every access within bounds and written before it is read; no two waves race."""
    monkeypatch.setenv("AVE_CHECK", "races,ir")
    check(m, n, k, SMALL, dtype, backend="reference")


def test_large_in_the_reference(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    check(257, 12, 136, LARGE, np.float32, backend="reference")


def test_on_the_cpu():
    check(130, 140, 328, SMALL, np.float32)


def test_a_row_that_is_no_number_stays_alone():
    """The tail of K reads zeros, not the next row; nor do rows past the last one come in."""
    a, b = operands(20, 20, 72)
    a[7], b[3] = np.nan, np.inf
    out = gemm(a, b, np.zeros((20, 20), np.float32), SMALL, backend="reference")
    bad = np.zeros((20, 20), bool)
    bad[7] = bad[:, 3] = True
    np.testing.assert_array_equal(~np.isfinite(out), bad)


# -- machine code -----------------------------------------------------------------------------------------------------


@functools.cache
def assembly(
    out: str, tile: Mi300Tile, chip: str = "gfx942", each: int = CHUNK, wide: bool = True, emit: str = "asm"
) -> str:
    return compile_text(
        getattr(mi300_gemm, out), {"T": tile, "EACH": each, "WIDE": wide}, (threads(tile), 1, 1), chip, emit
    )


def loop_lines(text: str, made: KernelReport) -> list[str]:
    assert made.loop is not None
    first, last = made.loop.lines
    return text.splitlines()[first - 1 : last]


@TILES
@OUTS
def test_main_loop(tile, out):
    """64 elements of K: wide accesses and no others, nothing moved between kinds of registers, no loops over lanes, "
    "no address arithmetic to speak of."""
    text = assembly(out, tile)
    made = report(text)
    assert (
        made.vgpr_spills == made.sgpr_spills == made.scratch == made.agpr == 0
        and made.lds == 4 * (tile.m + tile.n) * HALF
    )
    assert made.vgpr <= 256 and made.occupancy.waves == 2
    loop = made.loop
    assert loop is not None
    i, j = tile.m // tile.waves_m // MFMA_SIDE, tile.n // tile.waves_n // MFMA_SIDE
    moved = 2 * (tile.m + tile.n) * CHUNKS // threads(tile)
    counts = loop.counts
    assert counts["matrix"] == {"v_mfma_f32_16x16x16_bf16": 4 * i * j}
    assert counts["LDS read"] == {"ds_read_b128": 2 * (i + j)} and counts["LDS write"] == {"ds_write_b128": moved}
    assert counts["load"] == {"buffer_load_dwordx4": moved} and counts["barrier"] == {"s_barrier": 2}
    assert (
        sum(counts["VALU"].values()) <= 15
        and sum(counts["SALU"].values()) <= 2
        and "v_readfirstlane_b32" not in counts["VALU"]
    )
    assert loop.lds_ratio <= (0.75 if tile is SMALL else 0.5)
    lines = loop_lines(text, made)
    loads = [x for x in lines if "buffer_load" in x]
    assert all(
        re.search(r"v\[\d+:\d+\], v\d+, s\[\d+:\d+\], 0 offen", x) for x in loads
    )  # all of the offset is in the range check
    # A barrier waits for the wave's own LDS accesses only: what global memory has been asked for stays under way.
    barriers = [n for n, x in enumerate(lines) if "s_barrier" in x]
    assert all(lines[n - 1].split(";")[0].split() == ["s_waitcnt", "lgkmcnt(0)"] for n in barriers)


@TILES
@OUTS
def test_memory_hides_behind_matrix_instructions(tile, out):
    """In the loop no more than a few instructions stand between two matrix instructions, which take four issue "
    "slots each."""
    text = assembly(out, tile)
    code = [x.split()[0] for x in loop_lines(text, report(text)) if re.match(r"\t[a-z]", x)]
    at = [n for n, name in enumerate(code) if name.startswith("v_mfma")]
    gaps = [b - a - 1 for a, b in itertools.pairwise([*at, at[0] + len(code)])]
    assert max(gaps) <= 8 and sum(g > 4 for g in gaps) <= 3


@TILES
@OUTS
def test_utilization(tile, out):
    """The bar is 0.90, peers are between 0.79 and 0.86."""
    need("llvm-mca")
    got = utilization(assembly(out, tile), "gfx942")
    assert got is not None and got.ratio >= 0.96


def test_accumulators_are_filled_piece_by_piece():
    """One store of them all would be one register of 512 bytes to LLVM."""
    widths = re.findall(r"store <(\d+) x float>", assembly("gemm_f32", LARGE, emit="llvm"))
    assert widths and set(widths) == {"4"}


@pytest.mark.parametrize(
    "chip,name", [("gfx90a", "v_mfma_f32_16x16x16bf16_1k"), ("gfx950", "v_mfma_f32_16x16x32_bf16")]
)
@TILES
def test_neighbors_of_the_chip(tile, chip, name):
    made = report(assembly("gemm_f32", tile, chip))
    assert (
        made.vgpr_spills == made.scratch == 0 and made.loop is not None and list(made.loop.counts["matrix"]) == [name]
    )


@pytest.mark.parametrize("each,load", [(4, "buffer_load_dwordx2"), (2, "buffer_load_dword"), (1, "global_load_ushort")])
def test_rows_that_begin_anywhere(each, load):
    """As wide as the rows allow, without spills."""
    made = report(assembly("gemm_f32", SMALL, each=each))
    assert made.vgpr_spills == made.scratch == 0 and made.loop is not None
    loads = made.loop.counts["load"]
    assert {re.sub(r"_d16(_hi)?$", "", name) for name in loads} <= {load, "global_load_short"} and sum(
        loads.values()
    ) == 8 * CHUNK // each


# -- machine code, executed -------------------------------------------------------------------------------------------


def execute(
    out: str, tile: Mi300Tile, m: int, n: int, k: int, order: str = "forward", profile: bool = False
) -> executor.Run:
    """Runs the assembly with every wait and hazard checked; the numbers against float64."""
    a, b = operands(m, n, k)
    c = np.full((m, n), np.nan, np.float32 if out == "gemm_f32" else bf16)
    text = assembly(out, tile, each=math.gcd(k, CHUNK), wide=n % 4 == 0)
    tiles = -(-m // tile.m) * -(-n // tile.n)
    run = executor.load(text, check=True, order=order, seed=3, profile=profile)[tiles, threads(tile)](a, b, c, m, n, k)
    right(a, b, c)
    return run


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
@pytest.mark.parametrize("tile,m,n,k", [(SMALL, 130, 140, 200), (LARGE, 257, 252, 136)], ids=["small", "large"])
def test_executed(tile, m, n, k, order):
    execute("gemm_f32", tile, m, n, k, order)


def test_narrow_loads_executed():
    execute("gemm_bf16", SMALL, 37, 100, 68)


@TILES
def test_no_bank_conflicts(tile):
    """In none of all the kernel's accesses to LDS."""
    assert execute("gemm_f32", tile, tile.m, tile.n, 192, profile=True).conflicts == {}


def test_bank_conflicts_without_a_swizzle(monkeypatch):
    """The negative control: rows of 64 bytes, read sixteen at a time."""

    @avelang.jit
    def straight(row, chunk):
        return chunk

    monkeypatch.setattr(mi300_gemm, "swizzle", straight)
    monkeypatch.setattr(sys.modules[__name__], "assembly", assembly.__wrapped__)
    assert sum(execute("gemm_f32", SMALL, 128, 128, 64, profile=True).conflicts.values()) > 0


# -- the order of tiles -----------------------------------------------------------------------------------------------


XCDS = 8  # ROCm, "MI300 series microarchitecture"


def tile_of_block(block: int, tiles_m: int, tiles_n: int) -> tuple[int, int]:
    """As the kernel finds it, in Python."""
    return scheduler.tile_of.source.fn(
        scheduler.xcd_remap.source.fn(block, tiles_m * tiles_n, XCDS), tiles_m, tiles_n, mi300_gemm.GROUP_M
    )


@pytest.mark.parametrize("m,n", [(1, 1), (3, 5), (8, 8), (17, 9), (40, 3), (2, 301)])
def test_each_tile_has_one_block(m, n):
    """And the tiles of an XCD are a run of the order in which a single die would take them."""
    tiles = [tile_of_block(block, m, n) for block in range(m * n)]
    assert sorted(tiles) == [(i, j) for i in range(m) for j in range(n)]
    numbers = {t: p for p, t in enumerate(t for xcd in range(XCDS) for t in tiles[xcd::XCDS])}
    for xcd in range(XCDS):
        mine = [numbers[t] for t in tiles[xcd::XCDS]]
        assert mine == list(range(mine[0], mine[0] + len(mine))) if mine else True


def test_an_xcd_reads_little():
    """4096 cubed: the 32 large tiles of a die touch 8 rows of tiles and 4 columns, not 2 and 16."""
    tiles = [tile_of_block(block, 16, 16) for block in range(256)]
    for xcd in range(XCDS):
        mine = tiles[xcd::XCDS]
        assert len(mine) == 32 and len({i for i, _ in mine}) + len({j for _, j in mine}) == 12


# -- the function -----------------------------------------------------------------------------------------------------


def test_the_tile_is_chosen():
    """By the model: what fills 304 compute units."""
    assert mi300_gemm.best_tile(4096, 4096, 4096)[:2] == (256, 224)  # 304 of these, and 256 large ones
    assert math.prod(mi300_gemm.best_tile(8192, 8192, 8192)[:2]) >= 128 * 128
    assert math.prod(mi300_gemm.best_tile(1024, 1024, 4096)[:2]) <= 128 * 128


def test_refusals():
    a, b = operands(4, 4, 8)
    with pytest.raises(ValueError, match="same number of columns"):
        gemm(a, b[:, :4])
    with pytest.raises(ValueError, match=re.escape("is (4, 4)")):
        gemm(a, b, np.zeros((4, 5), np.float32))
    with pytest.raises(ValueError, match="must fit in 2 GiB"):
        gemm(np.broadcast_to(a[:, :1], (4, 5_000_000)), np.broadcast_to(b[:, :1], (4, 5_000_000)))
    made = gemm(a, b, backend="reference")
    assert made.dtype == np.float32 and made.shape == (4, 4)
