"""The steps of the tutorial: right on every backend, and loading from global memory what the page derives, to the "
"element; the page itself."""

import functools
import inspect
import json

import ml_dtypes
import numpy as np
import pytest
from benchmarks import pages, tutorial

import avelang.language as al
from avelang import executor
from avelang.tile import Block, Distribution, Encoding, tile_accesses
from avelang_kernels.matmul import tile_gemm, tutorial_gemm
from avelang_kernels.matmul.tutorial_gemm import STEPS, T, block, gemm, launch, loads_per_output, matrix, naive, tiled
from tools import need

bf16 = ml_dtypes.bfloat16
SMALL = Block(32, 32, 32, (2, 2), "single")
BACKENDS = {
    "gfx942": {"target": "gfx942"}, "cpu as gfx942": {"target": "gfx942", "backend": "cpu"},
    "cpu as sm_80": {"target": "sm_80", "backend": "cpu"},
    "reference as sm_80": {"target": "sm_80", "backend": "reference"}, "reference as sm_90a": {"target": "sm_90a",
        "backend": "reference"},
}  # fmt: skip


def matrices(m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A, B, a C of NaN, and the product, exact and then rounded once."""
    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-3, 4, (rows, k)) for rows in (m, n))
    return a.astype(bf16), b.astype(bf16), np.full((m, n), np.nan, bf16), (a @ b.T).astype(np.float32).astype(bf16)


# -- right ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", [(32, 48, 32), (33, 17, 19), (1, 1, 1), (5, 70, 33)], ids=str)
def test_the_first_three(backend, shape):
    options = BACKENDS[backend]
    m, n, k = shape
    for kernel, tile, threads, values in (
        (naive, (T, T), (T, T), ()), (tiled, (T, T), (T, T), ()), (matrix, (32, 32), SMALL.on(options["target"],
            al.bf16).threads, (SMALL,)),
    ):  # fmt: skip
        a, b, c, want = matrices(m, n, k)
        kernel[(-(-n // tile[1]), -(-m // tile[0])), threads](a, b, c, m, n, k, *values, **options)
        assert np.array_equal(c, want), kernel.source.name


@pytest.mark.parametrize(
    ("step", "target"), [("naive", "gfx942"), ("tiled", "sm_80"), ("wide", "gfx942"), ("tma", "sm_90a")], ids=str
)
def test_steps_by_name(step, target):
    a, b, c, want = matrices(150, 144, 72)
    assert (
        gemm(
            step,
            a,
            b,
            c,
            target,
            4,
            **({} if target == "gfx942" else {"backend": "cpu" if target == "sm_80" else "reference"}),
        )
        is c
    )
    assert np.array_equal(c, want)


def test_what_does_not_fit():
    a, b, c, _ = matrices(8, 8, 16)
    for args, words in (
        (("naive", a, b[:, :8], c), r"A @ B\^T of"), (("tiled", a, b, c[:4]), r"A @ B\^T of"), (("matrix",
            a.astype(np.float32), b, c), "are for bf16"),
        (("fast", a, b, c), "'fast' is no step; there are naive, tiled,"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            gemm(*args, "gfx942")


def test_nothing_is_spilled_on_nvidia():
    need("ptxas")
    S = block("double-buffer", "sm_90a")
    found = tile_gemm.build(S, al.bf16, al.bf16).report("sm_90a", (S.on("sm_90a", al.bf16).threads, 1, 1))
    assert found.stored == found.loaded == 0


# -- loads, counted by the executor -----------------------------------------------------------------------------------


@functools.cache
def machine(kernel, threads, **values):
    return executor.compiled(kernel, threads, profile=True, **values)


def run(kernel, tile, threads, m, n, k, **values):
    a, b, c, want = matrices(m, n, k)
    done = machine(kernel, threads, **values)[(-(-n // tile[1]), -(-m // tile[0])), threads](a, b, c, m, n, k)
    assert np.array_equal(c, want)
    return done


SHAPES = [(16, 16, 16), (32, 48, 64), (16, 80, 256), (64, 16, 40)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_naive_loads_2k_an_output(shape):
    m, n, k = shape
    moved = run(naive, (T, T), (T, T, 1), m, n, k).traffic
    assert moved.loaded / 2 / (m * n) == 2 * k == loads_per_output("naive", k)
    assert moved.stored / 2 == m * n and moved.read == moved.written == 0


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tiled_loads_2k_over_t(shape):
    m, n, k = shape
    moved = run(tiled, (T, T), (T, T, 1), m, n, k).traffic
    assert moved.loaded / 2 / (m * n) == 2 * k / T == loads_per_output("tiled", k)
    assert moved.stored / 2 == m * n and moved.read / 2 == 2 * m * n * -(-k // T) * T


def test_a_block_of_16_by_16():
    """The page's sum: 512 K loads, or 32 K, and 256 stores."""
    k = 48
    one, other = (run(kernel, (T, T), (T, T, 1), 16, 16, k).traffic for kernel in (naive, tiled))
    assert (one.loaded // 2, one.stored // 2) == (512 * k, 256) and (other.loaded // 2, other.stored // 2) == (
        32 * k,
        256,
    )


@pytest.mark.parametrize("S", [SMALL, Block(32, 64, 32, (1, 2), "single")], ids=lambda s: f"{s.m}x{s.n}")
@pytest.mark.parametrize("blocks", [(1, 1), (2, 3)], ids=str)
def test_matrix_loads_by_the_tile(S, blocks):
    m, n, k = S.m * blocks[0], S.n * blocks[1], 96
    moved = run(matrix, (S.m, S.n), (S.on("gfx942", al.bf16).threads, 1, 1), m, n, k, S=S).traffic
    assert moved.loaded / 2 / (m * n) == k * (1 / S.m + 1 / S.n)
    assert moved.stored / 2 == m * n


@pytest.mark.parametrize("step", ["wide", "large"])
def test_the_tile_level_loads_by_the_tile(step):
    m, n, k = 256, 256, 128
    done = tutorial.counted(step, m, n, k)
    S = block(step, "gfx942")
    assert done.traffic.loaded / 2 / (m * n) == k * (1 / S.m + 1 / S.n) == loads_per_output(step, k)
    assert done.traffic.stored / 2 == m * n and not done.conflicts


def test_edges_load_no_more_than_there_is():
    m, n, k = 33, 17, 19
    assert run(naive, (T, T), (T, T, 1), m, n, k).traffic.loaded / 2 == 2 * k * m * n
    want = m * k * -(-n // T) + n * k * -(-m // T)  # A once for each column of blocks, B once for each row
    assert run(tiled, (T, T), (T, T, 1), m, n, k).traffic.loaded / 2 == want
    want = m * k * -(-n // 32) + n * k * -(-m // 32)
    moved = run(matrix, (32, 32), (256, 1, 1), m, n, k, S=SMALL).traffic
    assert moved.loaded / 2 == want and moved.stored / 2 == m * n


def test_the_large_tile_loads_256_times_less():
    assert loads_per_output("naive", 4096) / loads_per_output("large", 4096) == 256
    assert loads_per_output("tma", 4096, "sm_90a") == loads_per_output(
        "large", 4096
    )  # B goes to both blocks of a cluster


def test_conflicts_are_those_of_the_pictures():
    """The second step's reads of b_tile take 8 cycles where 2 would do; those of the third are 4 deep."""
    m = n = k = 32
    lost = sum(run(tiled, (T, T), (T, T, 1), m, n, k).conflicts.values())
    column = Distribution(Encoding((4,), ((16,), (1,)), ((), (0, 1)), ((), (0, 0)), (2,), (0,)))
    assert lost == tile_accesses(column, (32, 2), 2).extra * k * (m * n // 64) and lost > 0
    G = SMALL.on("gfx942", al.bf16)
    read = tile_accesses(G.a, (64, 2), 2).extra * 4 + tile_accesses(G.b, (64, 2), 2).extra * 4
    assert sum(run(matrix, (32, 32), (256, 1, 1), m, n, k, S=SMALL).conflicts.values()) == read > 0


# -- the page ---------------------------------------------------------------------------------------------------------

PAGE = tutorial.PAGE.read_text()


@pytest.mark.parametrize(
    "kernel", [naive, tiled, tutorial_gemm.narrow, matrix], ids=lambda k: getattr(k, "__name__", "narrow")
)
def test_the_page_shows_the_kernels(kernel):
    source = inspect.getsource(getattr(kernel, "source", kernel).fn if hasattr(kernel, "source") else kernel)
    assert source.replace("  # type: ignore", "").replace("  # fmt: skip", "") in PAGE


def test_the_tables_are_those_of_the_results():
    record = json.loads((pages.RESULTS / "tutorial_static.json").read_text())
    assert [f["step"] for f in record["figures"]] == tutorial_gemm.steps("gfx942")
    for f in record["figures"]:
        assert f["loads_per_output"] == loads_per_output(f["step"], record["shape"][2]) and f["stores_per_output"] == 1
        assert f"| {f['step']} |" in PAGE


def test_tables_by_hand():
    blocks = {"wide": [128, 128, 64, "single"]}
    record = {
        "shape": [1, 2, 3],
        "us": {"wide": 4.4, "cuBLAS": 2.0},
        "tflops": {"wide": 250.04, "cuBLAS": 500.0},
        "blocks": blocks,
    }
    rows = pages.tutorial_timed(record).splitlines()[2:]
    assert rows == ["| wide | 128 x 128 x 64 single | 4 | 250 | 0.500 |", "| cuBLAS | | 2 | 500 | 1.000 |"]


def test_the_pictures_are_those_that_ave_show_makes(tmp_path):
    made = tutorial.pictures(tmp_path)
    assert {f.name for f in made} == {f.name for f in tutorial.PICTURES.glob("*.svg")} and len(made) >= len(STEPS)
    for f in made:
        assert f.read_bytes() == (tutorial.PICTURES / f.name).read_bytes(), (
            f"{f.name}: run python benchmarks/tutorial.py --pictures"
        )
        assert f"](pictures/{f.name})" in PAGE, f.name


def test_launches_cover_c():
    for step in ("naive", "tiled", "matrix"):
        _, grid, threads, _ = launch(step, 4864, 4095, "gfx942")
        assert grid == ((256, 304) if step != "matrix" else (32, 38)) and threads == (
            (256, 1) if step == "matrix" else (16, 16)
        )
    assert block("large", "gfx942").grid(4864, 4096, 304) == 304  # a tile for each compute unit of an MI300X
