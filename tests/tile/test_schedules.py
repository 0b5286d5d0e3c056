"""Pipelines: every one gives the product, on the reference with races checked, on the CPU, in executed gfx942 code with waits checked."""

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang.base.errors import AveError
from avelang.tile import Block
from avelang_kernels.tile_gemm import build, gemm

bf16 = ml_dtypes.bfloat16
# 2 x 2 waves of one fragment of AMD's each, and two of K.
BLOCKS = {
    "single": Block(32, 32, 32, pipeline="single"), "prefetch": Block(32, 32, 64, pipeline="prefetch"), "double-buffer": Block(32, 32, 64),
    "ping-pong": Block(32, 32, 32, pipeline="ping-pong"), "preshuffled": Block(32, 32, 32, pipeline="preshuffled"),
    "direct-to-lds": Block(32, 32, 64, pipeline="direct-to-lds", stages=2), "cp-async": Block(32, 32, 32, pipeline="cp-async", stages=3),
    "tma": Block(64, 32, 64, pipeline="tma", stages=2),
}  # fmt: skip
RUNS = [
    *(("gfx942", name, backend) for name in BLOCKS if name not in ("cp-async", "tma") for backend in ("reference", "gfx942-exec")),
    *(("sm_80", name, "reference") for name in BLOCKS if name not in ("direct-to-lds", "tma")),
    ("sm_90a", "tma", "reference"), ("gfx942", "double-buffer", "cpu"), ("sm_80", "cp-async", "cpu"), ("sm_90a", "tma", "cpu"),
    ("gfx950", "direct-to-lds", "reference"), ("sm_75", "double-buffer", "reference"),
]  # fmt: skip


def product(block, target, backend, m, n, k, out=np.float32, dtype=bf16):
    """(what came out, what should), integers that f32 holds; C is surrounded by what nobody may write."""
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.integers(-3, 4, (rows, k)).astype(dtype) for rows in (m, n))
    al_dtype = al.bf16 if dtype == bf16 else al.f16
    given = block.on(target, al_dtype).preshuffle(b) if block.pipeline == "preshuffled" else b
    c = np.full((m, n), 7, out)
    gemm(a, given, c, block, target, units=2, backend=backend)
    return c.astype(np.float32), a.astype(np.float32) @ b.astype(np.float32).T


@pytest.mark.parametrize(("target", "name", "backend"), RUNS, ids=["-".join(r) for r in RUNS])
def test_products(target, name, backend, monkeypatch):
    """More than one tile, edges along m, n and k."""
    monkeypatch.setenv("AVE_CHECK", "races,waits")
    dtype = np.float16 if target == "sm_75" else bf16
    got, want = product(BLOCKS[name], target, backend, 40, 40, 72, dtype=dtype)
    assert np.array_equal(got, want)


@pytest.mark.parametrize(("target", "name"), [("gfx942", "double-buffer"), ("gfx942", "direct-to-lds"), ("sm_80", "cp-async")])
def test_odd_k_and_rounded_results(target, name):
    """Rows that begin in the middle of a word; C in bf16, rounded once."""
    got, want = product(BLOCKS[name], target, "reference", 33, 35, 37, out=bf16)
    assert np.array_equal(got, want.astype(bf16).astype(np.float32))


def test_clusters():
    got, want = product(Block(64, 32, 64, pipeline="tma", stages=2, cluster=(2, 1)), "sm_90a", "reference", 136, 48, 136)
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
    assert "cp.async.cg.shared.global" in text and "st.shared" not in text and "ld.shared.v4" in text


def test_names_and_chips():
    with pytest.raises(AveError, match="cp-async, tma") as e:
        Block(64, 64, 64, pipeline="quantum")
    assert e.value.code == "T301"
    for name, target in (("tma", "gfx942"), ("cp-async", "gfx942"), ("direct-to-lds", "sm_80"), ("tma", "sm_80")):
        with pytest.raises(AveError) as e:
            BLOCKS[name].on(target, al.bf16)
        assert e.value.code == "U103"


@pytest.mark.parametrize("block", [Block(96, 64, 64, pipeline="tma"), Block(64, 64, 32, pipeline="tma"), Block(64, 24, 64, pipeline="tma", cluster=(2, 1))])
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
