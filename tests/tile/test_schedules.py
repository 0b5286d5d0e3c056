"""Blocks and walks: parts of K and tiles in an order of one's own, rounded results, clusters, stages, grids, what a
block cannot be. Every pipeline on every chip is in `test_loops.py`."""

import re

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.base.errors import AveError
from avelang.tile import Block
from avelang_kernels.matmul.tile_gemm import build, gemm
from checked import ask
from tile import walks
from tools import need

bf16 = ml_dtypes.bfloat16
# 2 x 2 waves of one fragment of AMD's each, and two of K.
BLOCKS = {
    "single": Block(32, 32, 32, pipeline="single"), "prefetch": Block(32, 32, 64, pipeline="prefetch"),
    "double-buffer": Block(32, 32, 64), "ping-pong": Block(32, 32, 32, pipeline="ping-pong"),
    "preshuffled": Block(32, 32, 64, pipeline="preshuffled"),
    "direct-to-lds": Block(32, 32, 64, pipeline="direct-to-lds", stages=2),
    "cp-async": Block(32, 32, 32, pipeline="cp-async", stages=3), "tma": Block(64, 32, 64, pipeline="tma", stages=2)
}


def product(block, target, backend, m, n, k, out=np.float32, dtype=bf16):
    """(what came out, what should), integers that f32 holds; C is surrounded by what nobody may write."""
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.integers(-3, 4, (rows, k)).astype(dtype) for rows in (m, n))
    al_dtype = al.bf16 if dtype == bf16 else al.f16
    given = block.on(target, al_dtype).preshuffle(b) if block.pipeline == "preshuffled" else b
    c = np.full((m, n), 7, out)
    gemm(a, given, c, block, target, units=2, backend=backend)
    return c.astype(np.float32), a.astype(np.float32) @ b.astype(np.float32).T


WALKS = [("gfx942", n, "gfx942-exec") for n in BLOCKS if n not in ("cp-async", "tma")]
WALKS += [
    ("sm_80", "cp-async", "reference"), ("sm_80", "double-buffer", "reference"), ("sm_90a", "tma", "reference"),
    ("sm_90a", "tma", "cpu"), ("sm_100a", "tma", "reference")
]


@pytest.mark.parametrize(("target", "name", "backend"), WALKS, ids=["-".join(w) for w in WALKS])
def test_walks(target, name, backend, monkeypatch):
    """K in three parts, the last of them short, tiles of C last first; rows and columns over the edge."""
    ask(monkeypatch, backend, target, "races", "waits")
    block = BLOCKS[name]
    m, n, k, each = block.m + 5, block.n + 3, 5 * block.k - 8, 2 * block.k
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(bf16) for rows in (m, n))
    want = np.stack(
        [
            x.astype(np.float32) @ y.astype(np.float32).T
            for x, y in ((a[:, i : i + each], b[:, i : i + each]) for i in range(0, k, each))
        ]
    )
    given, c = (
        block.on(target, al.bf16).preshuffle(b) if name == "preshuffled" else b, np.full((3, m, n), np.nan, np.float32)
    )
    walks.launch(block, al.bf16, target, 2, a, given, c, (m, n, k), backend=backend)
    assert np.array_equal(c, want)


@pytest.mark.parametrize(("target", "name"), [("gfx942", "double-buffer"), ("sm_80", "cp-async"), ("sm_90a", "tma"), ("sm_100a", "tma")])
def test_the_library_splits_k(target, name, monkeypatch):
    """By `SplitKScheduler`: steps 0, 1 and 2, 3 of the four of K, the last of them short; `finish` learns whose part it
    has."""
    monkeypatch.setenv("AVE_CHECK", "races")
    block = BLOCKS[name]
    m, n, k = block.m + 5, block.n + 3, 4 * block.k - 8
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(bf16) for rows in (m, n))
    c, half = np.full((2, m, n), np.nan, np.float32), 2 * block.k
    walks.launch(block, al.bf16, target, 0, a, b, c, (m, n, k), backend="reference")
    for got, (x, y) in zip(c, ((a[:, :half], b[:, :half]), (a[:, half:], b[:, half:])), strict=True):
        assert np.array_equal(got, x.astype(np.float32) @ y.astype(np.float32).T)


@pytest.mark.parametrize(
    ("target", "name"), [("gfx942", "double-buffer"), ("gfx942", "direct-to-lds"), ("sm_80", "cp-async")]
)
def test_odd_k_and_rounded_results(target, name):
    """Rows that begin in the middle of a word; C in bf16, rounded once."""
    got, want = product(BLOCKS[name], target, "reference", 33, 35, 37, out=bf16)
    assert np.array_equal(got, want.astype(bf16).astype(np.float32))


def test_clusters():
    got, want = product(Block(64, 32, 64, pipeline="tma", stages=2, cluster=(2, 1)), "sm_90a", "reference", 136, 48,
                        136)
    assert np.array_equal(got, want)


def test_stages_of_other_numbers():
    for stages in (2, 4):
        got, want = product(Block(32, 32, 32, pipeline="cp-async", stages=stages), "sm_80", "reference", 32, 32, 160)
        assert np.array_equal(got, want)


def test_direct_loads_are_direct():
    from avelang.runtime.compile import compile_text

    text = compile_text(build(BLOCKS["direct-to-lds"], al.bf16, al.f32), {}, (256, 1, 1), "gfx942", "asm")
    assert text.count("buffer_load_dword ") and text.count(" lds") and "ds_write" not in text
    text = compile_text(build(BLOCKS["cp-async"], al.bf16, al.f32), {}, (128, 1, 1), "sm_80", "asm")
    assert "cp.async.cg.shared.global" in text and "st.shared" not in text and "ldmatrix.sync.aligned.m8n8.x4" in text


def code(block, target):
    from avelang.runtime.compile import compile_text

    return compile_text(build(block, al.bf16, al.bf16), {}, (block.on(target, al.bf16).threads, 1, 1), target, "asm")


# The bar of 90 % for whatever has been arranged by hand (double-buffer: tests/avelang_kernels/test_tile_gemm.py).
@pytest.mark.parametrize(
    "block",
    [
        Block(256, 256, 64, (2, 4), "preshuffled"), Block(256, 256, 32, (2, 4), "direct-to-lds", 2),
        Block(128, 128, 64, (2, 2), "direct-to-lds", 2), Block(256, 256, 32, (2, 4), "ping-pong")
    ],
    ids=lambda b: f"{b.pipeline}-{b.m}",
)
def test_the_matrix_core_is_busy(block):
    need("llvm-mca")
    text = code(block, "gfx942")
    made, busy = report(text), utilization(text, "gfx942")
    assert made.vgpr_spills == made.sgpr_spills == 0 and busy is not None and busy.ratio >= 0.90


def test_direct_loads_stay_under_way():
    """Four buffers of half a tile: at a barrier a wave waits for the oldest of three halves, 16 loads each, and no read
    of LDS waits for more."""
    text = code(Block(128, 128, 64, pipeline="direct-to-lds", stages=2), "gfx942")
    loop = report(text).loop
    assert loop is not None
    body = "\n".join(text.splitlines()[loop.lines[0] - 1 : loop.lines[1]])
    assert loop.counts["load to LDS"] == {"buffer_load_dword": 4 * 16} and set(re.findall(r"vmcnt\((\d+)\)", body)) == {
        "32"
    }
    # A lane's address takes one addition a load, and comparisons with K's end one for each operand's half.
    assert sum(loop.counts["VALU"].values()) <= 64


def test_direct_loads_of_16_bytes():
    text = code(Block(128, 128, 64, pipeline="direct-to-lds", stages=2), "gfx950")
    loop = report(text).loop
    assert loop is not None and loop.counts["load to LDS"] == {"buffer_load_dwordx4": 4 * 4}


@pytest.mark.parametrize("pipeline", ["double-buffer", "preshuffled"])
def test_k_of_two_fragments(pipeline):
    with pytest.raises(AveError, match="it wants k to be 2 fragments of 32, and it is 32") as e:
        Block(64, 64, 32, pipeline=pipeline).on("gfx942", al.bf16)
    assert e.value.code == "T307" and e.value.span is not None and e.value.span.file == __file__


def test_names_and_chips():
    with pytest.raises(AveError, match="cp-async, tma") as e:
        Block(64, 64, 64, pipeline="quantum")
    assert e.value.code == "T301"
    for name, target in (("tma", "gfx942"), ("cp-async", "gfx942"), ("direct-to-lds", "sm_80"), ("tma", "sm_80")):
        with pytest.raises(AveError) as e:
            BLOCKS[name].on(target, al.bf16)
        assert e.value.code == "U103"


@pytest.mark.parametrize(
    "block",
    [
        Block(96, 64, 64, pipeline="tma"), Block(64, 64, 32, pipeline="tma"),
        Block(64, 24, 64, pipeline="tma", cluster=(2, 1))
    ],
)
def test_what_warpgroups_cannot(block):
    with pytest.raises(AveError) as e:
        block.on("sm_90a", al.bf16)
    assert e.value.code == "T307"
    with pytest.raises(AveError) as e:
        Block(64, 64, 64, pipeline="tma").on("sm_90a", al.f64)
    assert e.value.code == "T301"


def test_grids():
    assert Block(256, 256, 64).grid(4864, 4096, 304) == 304  # a tile for each compute unit of an MI300X
    assert Block(128, 256, 64, pipeline="tma", cluster=(2, 1)).grid(4864, 4096, 132) == 132
    assert Block(64, 64, 64, pipeline="tma").grid(65, 64, 132) == 2
