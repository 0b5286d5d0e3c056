"""The inference GEMM: products, bias and activations against NumPy; how weights are arranged; what its code moves "
"through LDS, and what it takes."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import executor, tile
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.arch import chip as chip_of
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul import tile_gemm, tile_inference
from avelang_kernels.matmul.tile_inference import (
    FEW,
    LARGE,
    SMALL,
    WARPS,
    WIDE,
    best_block,
    best_parts,
    build,
    gelu,
    gemm,
    preshuffle,
    relu,
    silu,
)
from checked import ask
from tools import need

bf16 = ml_dtypes.bfloat16
NARROW = tile.Block(32, 64, 64, (1, 4), "preshuffled")
RUNS = [("gfx942", "reference"), ("gfx942", None), ("gfx942", "cpu"), ("gfx950", "reference"), ("sm_80", "reference")]


def matrices(m, n, k, dtype=bf16):
    """Integers, of which f32 holds all sums."""
    rng = np.random.default_rng((m, n, k))
    return (rng.integers(-3, 4, s).astype(dtype) for s in ((m, k), (n, k), n))


@pytest.mark.parametrize(("target", "backend"), RUNS, ids=[f"{t}-{b}" for t, b in RUNS])
def test_products(target, backend, monkeypatch):
    """More than one tile, edges along m, n and k, which are no multiples of a fragment; bias and activation."""
    ask(monkeypatch, backend, target, "races", "waits")
    a, b, bias = matrices(40, 77, 104)
    out = np.full((40, 77), np.nan, np.float32)
    options = {} if backend is None else {"backend": backend}
    assert gemm(a, preshuffle(b, NARROW, target), out, bias, relu, **options) is out
    assert np.array_equal(out, np.maximum(a.astype(np.float32) @ b.astype(np.float32).T + bias.astype(np.float32), 0))


@pytest.mark.parametrize("out_dtype", [np.float16, np.float32])
@pytest.mark.parametrize("k", [8, 37, 264])
def test_other_dtypes_and_any_k(k, out_dtype):
    """Rows of an odd length, K shorter than a fragment, K of several rounds; without an epilogue."""
    a, b, _ = matrices(33, 64, k, np.float16)
    out = np.zeros((33, 64), out_dtype)
    gemm(a, preshuffle(b, NARROW), out, backend="reference")
    assert np.array_equal(out, (a.astype(np.float32) @ b.astype(np.float32).T).astype(out_dtype))


def test_the_large_block():
    a, b, bias = matrices(200, 248, 40)
    out = np.zeros((200, 248), np.float32)
    gemm(a, preshuffle(b, LARGE), out, bias.astype(np.float32), backend="reference")
    assert np.array_equal(out, a.astype(np.float32) @ b.astype(np.float32).T + bias.astype(np.float32))


@pytest.mark.parametrize(("activation", "want"), [
    (silu, lambda x: x / (1 + np.exp(-x))), (gelu,
        lambda x: x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2),
], ids=["silu", "gelu"])  # fmt: skip
def test_activations(activation, want):
    """Against the formula in float64, from where they are all but 0 to where they are all but x."""
    x = np.linspace(-12, 12, 16 * 64, dtype=np.float32).reshape(16, 64)
    out = np.zeros((16, 64), np.float32)
    a, b = x.astype(np.float16), np.eye(64, dtype=np.float16)
    gemm(
        a, preshuffle(b, tile.Block(16, 64, 64, (1, 4), "preshuffled")), out, activation=activation, backend="reference"
    )
    assert np.allclose(out, want(a.astype(np.float64)), rtol=2e-5, atol=2e-6)


@avelang.jit
def doubled(x):
    return x * 2.0


def test_an_activation_of_one_s_own_and_one_preshuffle_for_all_blocks():
    """Blocks whose fragments are arranged alike take the same weights."""
    a, b, _ = matrices(20, 80, 64)
    weights = preshuffle(b, LARGE)
    for block in (NARROW, FEW[16]):
        out = np.zeros((20, 80), np.float32)
        gemm(a, weights, out, activation=doubled, block=block, backend="reference")
        assert np.array_equal(out, 2 * (a.astype(np.float32) @ b.astype(np.float32).T))


# -- weights ----------------------------------------------------------------------------------------------------------


def test_how_weights_are_arranged():
    """On gfx942 a read of 16 bytes a lane takes 16 rows by 32 of K; lane l has row l % 16 and eight neighbors from 8 *
    (l // 16) on."""
    b = np.arange(48 * 96).reshape(48, 96).astype(np.float16)
    weights = preshuffle(b, SMALL)
    held = weights.data.reshape(3, 3, 64, 8)
    for high, deep, lane in np.ndindex(3, 3, 64):
        first = deep * 32 + lane // 16 * 8
        assert np.array_equal(held[high, deep, lane], b[high * 16 + lane % 16, first : first + 8])
    assert weights.shape == (48, 96) and np.array_equal(weights.data, SMALL.on("gfx942", al.f16).preshuffle(b))


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
@pytest.mark.parametrize("shape", [(64, 64), (50, 70)])
def test_torch_s_weights_stay_torch_s(target, shape):
    torch = pytest.importorskip("torch")
    b = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float16)
    mine, theirs = preshuffle(b, SMALL, target), preshuffle(torch.from_numpy(b), SMALL, target)
    assert isinstance(theirs.data, torch.Tensor) and theirs.data.is_contiguous()
    assert np.array_equal(theirs.data.numpy(), mine.data)
    assert preshuffle(torch.zeros(shape, dtype=torch.bfloat16), SMALL, target).dtype == al.bf16


def test_what_cannot_be_weights():
    b = np.zeros((64, 64), np.float16)
    with pytest.raises(TypeError, match="float32: the inference GEMM takes bf16 and f16"):
        preshuffle(b.astype(np.float32))
    with pytest.raises(ValueError, match="b must be an array of 2 dimensions"):
        preshuffle(b[0])
    with pytest.raises(ValueError, match="pipeline 'double-buffer'"):
        preshuffle(b, tile.Block(64, 64, 64))


def test_what_does_not_fit():
    a, b, bias = matrices(16, 64, 64, np.float16)
    out, weights = np.zeros((16, 64), np.float32), preshuffle(b)
    with pytest.raises(TypeError, match="b must be a Weights, not a ndarray"):
        gemm(a, b, out)  # type: ignore
    with pytest.raises(ValueError, match=r"a is \(16, 32\), b was \(64, 64\)"):
        gemm(a[:, :32], weights, out)
    with pytest.raises(ValueError, match=r"bias is \(63,\)"):
        gemm(a, weights, out, bias[:63])
    with pytest.raises(TypeError, match="b was f16, out is int32"):
        gemm(a, weights, out.astype(np.int32))
    with pytest.raises(TypeError, match="bias is int64"):
        gemm(a, weights, out, bias.astype(np.int64))
    with pytest.raises(ValueError, match="pipeline 'single'"):
        gemm(a, weights, out, block=tile.Block(64, 64, 64, pipeline="single"))
    with pytest.raises(
        ValueError,
        match="arranged for gfx942, in fragments of 16 x 32, and this block takes such of 16 x 16, as sm_80 has them",
    ):
        gemm(a, weights, out, target="sm_80")


# -- code -------------------------------------------------------------------------------------------------------------


def test_weights_do_not_pass_lds():
    """Executed and counted, beside the plain double buffer of the same tile: B's part of the traffic of LDS is gone,
    all of it, and A's is the same. K takes 8 halves of 32; two more are kept before the loop, and fragments of one more
    are read after the last."""
    m, n, k = 64, 64, 256
    a, b, _ = matrices(m, n, k)
    want = a.astype(np.float32) @ b.astype(np.float32).T
    runs = []
    for block, given in ((tile.Block(m, n, 64), b), (tile.Block(m, n, 64, pipeline="preshuffled"), None)):
        given = preshuffle(b, block).data if given is None else given
        make = tile_gemm.build if block.pipeline == "double-buffer" else build
        out = np.zeros((m, n), np.float32)
        runs.append(
            executor.compiled(make(block, al.bf16, al.f32), (256, 1, 1), profile=True)[1, 256](
                a, given, out, m, n, k
            ).traffic
        )
        assert np.array_equal(out, want)
    plain, mine = runs
    half = 64 * 32 * bf16(0).nbytes
    assert mine.written == (8 + 2) * half and plain.written - mine.written == (8 + 2) * half
    assert plain.read - mine.read == 2 * (8 + 1) * half  # two waves read each row of B
    assert mine.stored == plain.stored == m * n * 4


@pytest.mark.parametrize(
    ("block", "epilogue"), [(LARGE, (al.bf16, silu)), (SMALL, (None, None))], ids=["256-bias-silu", "128"]
)
def test_the_matrix_core_is_busy(block, epilogue):
    """90 % by llvm-mca 22, one wave, nothing spilled, B by 16 bytes a lane."""
    need("llvm-mca")
    threads = block.on("gfx942", al.bf16).threads
    text = compile_text(build(block, al.bf16, al.bf16, *epilogue), {}, (threads, 1, 1), "gfx942", "asm")
    made = report(text)
    assert made.vgpr_spills == made.sgpr_spills == 0 and made.loop is not None
    busy = utilization(text, "gfx942")
    assert busy is not None and busy.ratio >= 0.90
    assert set(made.loop.counts["load"]) == {"buffer_load_dwordx4"} and set(made.loop.counts["LDS read"]) == {
        "ds_read_b128"
    }


@pytest.mark.parametrize("block", [WARPS, WIDE, tile_inference.NARROW[128]], ids=["128", "256", "few"])
def test_nothing_is_spilled(block):
    need("ptxas")
    found = build(block, al.bf16, al.bf16, al.bf16, silu).report("sm_90a", (block.on("sm_90a", al.bf16).threads, 1, 1))
    assert found.stored == found.loaded == 0


def test_best_blocks():
    assert [best_block(m, 4096) for m in (1, 16, 17, 64, 65)] == [FEW[16], FEW[16], FEW[32], FEW[64], SMALL]
    assert best_block(4864, 4096) == LARGE and best_block(4608, 4096) == SMALL
    few = tile_inference.NARROW
    assert [best_block(m, 4096, "sm_90a", 132) for m in (16, 64, 128, 512, 4096)] == [
        few[16],
        few[64],
        few[128],
        WARPS,
        WIDE,
    ]
    assert best_block(512, 4096, "sm_89", 142) == tile_inference.LEAN[WARPS]
    assert [
        best_parts(few[128], *s, 132) for s in ((128, 4096, 4096), (4096, 4096, 4096), (128, 4096, 700), (1, 1, 1))
    ] == [4, 1, 1, 1]
    for chip in ("sm_80", "sm_89", "sm_90a"):
        for block in (best_block(m, 4096, chip, 132) for m in (16, 64, 128, 512, 4096)):
            assert (block.m + block.n) * block.k * 2 * block.stages <= chip_of(chip).lds_bytes
    assert all(
        b.pipeline == "preshuffled" for b in (*FEW.values(), *tile_inference.NARROW.values(), SMALL, LARGE, WARPS, WIDE)
    )


@pytest.mark.parametrize("parts", [3])
def test_parts_of_k(parts, monkeypatch):
    """Several blocks to a tile, parts that are not even, edges; bias and activation once."""
    monkeypatch.setenv("AVE_CHECK", "races")
    a, b, bias = matrices(40, 77, 328)
    weights, want = (
        preshuffle(b, NARROW, "sm_80"),
        a.astype(np.float32) @ b.astype(np.float32).T + bias.astype(np.float32),
    )
    out = np.full((40, 77), np.nan, np.float32)
    gemm(a, weights, out, bias, relu, parts=parts, backend="reference")
    assert np.array_equal(out, np.maximum(want, 0))


def test_rings_on_nvidia():
    """A block that takes two parts of K by itself; a step of one fragment; more stages than steps; edges."""
    a, b, _ = matrices(16, 130, 1032)
    for block in (tile_inference.NARROW[16], tile.Block(16, 64, 16, (1, 2), "preshuffled", 2)):
        out = np.full((16, 130), np.nan, np.float32)
        gemm(a, preshuffle(b, block, "sm_90a"), out, backend="reference")
        assert np.array_equal(out, a.astype(np.float32) @ b.astype(np.float32).T)
