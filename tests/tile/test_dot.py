"""Products of tiles of f32 in fewer bits: against NumPy on operands rounded by another formula, on all engines."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile.dot import to_tf32
from tile import dots
from tile.dots import product, rounded
from tile.words import RUNS, launch

M, N, K = 29, 31, 70


def drawn():
    rng = np.random.default_rng(0)
    return tuple(rng.standard_normal(s).astype(np.float32) for s in ((M, K), (K, N)))


@pytest.mark.parametrize("run", [r for r in RUNS if r[0] in ("sm_80", "gfx942")] + [("sm_90a", "reference")], ids=str)
def test_tf32(run):
    (a, b), c = drawn(), np.zeros((M, N), np.float32)
    launch(product, run, 1, 64, (a, b, c, M, N, K), HOW="tf32")
    assert np.allclose(c, rounded(a, 11) @ rounded(b, 11), atol=3e-5, rtol=0)
    assert np.abs(c - a.astype(np.float64) @ b).max() > 1e-4, "else it is no tf32"


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_three_products_of_bf16(run):
    (a, b), c, d = drawn(), np.zeros((M, N), np.float32), np.zeros((M, N), np.float32)
    launch(product, run, 1, 64, (a, b, c, M, N, K), HOW="bf16x3")
    most = np.abs(a).astype(np.float64) @ np.abs(b)
    exact = a.astype(np.float64) @ b
    assert (np.abs(c - exact) <= 2.0**-15 * most).all()
    launch(product, run, 1, 64, (a, b, d, M, N, K), HOW="ieee")
    assert np.abs(d - exact).max() < np.abs(c - exact).max() / 4, "else these are products of f32"


@avelang.jit
def rounds(x: al.Pointer[al.f32], n: al.u32):
    if al.thread_id(0) < n:
        x[al.thread_id(0)] = to_tf32(x[al.thread_id(0)])


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_rounding(run):
    """Ties go away from zero, what is no number stays none, and the greatest become infinite."""
    tie, nan = 1 + 2.0**-11, np.array([0x7FFFFFFF], np.uint32).view(np.float32)[0]
    x = np.array([tie, -tie, 1 + 2.0**-12, 0.0, -0.0, np.inf, -np.inf, nan, 3.4028235e38], np.float32)
    launch(rounds, run, 1, 64, (x, len(x)))
    want = np.array([1 + 2.0**-10, -1 - 2.0**-10, 1, 0, -0.0, np.inf, -np.inf, np.nan, np.inf], np.float32)
    assert np.array_equal(x, want, equal_nan=True) and np.signbit(x[4])


def test_cdna3_multiplies_by_xf32():
    text = compile_text(product, {"HOW": "tf32"}, (64, 1, 1), "gfx942", "asm")
    assert "v_mfma_f32_16x16x8_xf32" in text and "x4_f32" not in text
    (a, b), c, d = drawn(), np.zeros((M, N), np.float32), np.zeros((M, N), np.float32)
    product[1, 64](a, b, c, M, N, K, "tf32", target="gfx942", backend="cpu")
    product[1, 64](a, b, d, M, N, K, "tf32", target="gfx942")  # the executor of its code
    assert np.array_equal(c, d)


@avelang.jit
def halves(a: al.Pointer[al.f16]):
    x = tile.load(a, tile.arange(32)[:, None] * 32 + tile.arange(32))
    tile.dot(x, x, precision="tf32")


def test_where_it_is_not_meant():
    (a, b), c = drawn(), np.zeros((M, N), np.float32)
    for how, chip, words in (
        ("fast", "sm_80", '"ieee", "tf32" or "bf16x3"'), ("tf32", "gfx950", "for gfx942, sm_80 and newer"),
        ("tf32", "gfx90a", '"bf16x3" is for all chips'), ("tf32", "sm_75", "sm_80 and newer")
    ):
        with pytest.raises(AveError, match="T301") as e:
            product[1, 64](a, b, c, M, N, K, how, target=chip, backend="reference")
        assert words in e.value.message and e.value.span is not None
        assert dots.__file__ in [s.file for s in e.value.span.chain()]
    with pytest.raises(AveError, match="T301.*of f32, not f16"):
        halves[1, 64](np.zeros((32, 32), np.float16), target="sm_80", backend="reference")
