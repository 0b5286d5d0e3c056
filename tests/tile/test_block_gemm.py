"""The product of a block: its distributions against the instruction's own fragments, what does not fit, B as it is preshuffled."""

import numpy as np
import pytest

import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile.block_gemm import block_gemm, order, words


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "sm_80", "sm_90a"])
@pytest.mark.parametrize("dtype", [al.bf16, al.f16])
def test_every_product_is_made_once(target, dtype):
    """What instructions multiply, by the fragments of their rows, is A @ B^T."""
    G = block_gemm(target, dtype, 32, 64, 64, (1, 2))
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (32, 64)), rng.integers(-3, 4, (64, 64))
    c = np.zeros((32, 64), int)
    held_a, held_b = (d.gather(x).reshape(2, G.mma.wave, G.steps, n, -1) for d, x, n in ((G.a, a, G.count[0]), (G.b, b, G.count[1])))
    out = np.zeros((2, G.mma.wave, *G.count, G.mma.acc.elements), int)
    for w, step, i, j in np.ndindex(2, G.steps, *G.count):
        for part in G.parts:
            x, y = held_a[w, :, step, i].reshape(G.mma.wave, -1, 2), held_b[w, :, step, j].reshape(G.mma.wave, -1, 2)
            x, y = (v[:, list(p)].reshape(G.mma.wave, -1) for v, p in ((x, part.a), (y, part.b)))
            x, y = (y, x) if G.exchanged else (x, y)
            out[w, :, i, j] += G.mma.acc.gather(G.mma.a.scatter(x) @ G.mma.b.scatter(y))
    c = G.c.scatter(out.reshape(2 * G.mma.wave, -1))
    assert np.array_equal(c, a @ b.T)


def test_a_wide_read_feeds_several_instructions():
    """IREE's VMFMA: 16 bytes of each operand for two instructions of 16 x 16 x 16."""
    G, v = block_gemm("gfx942", al.f16, 64, 64, 32, (2, 2)), tile.mma("VMFMA_F32_16x16x32_F16")
    assert (G.depth, G.times, len(G.parts)) == (v.k, 2, 2) and G.a.run(1) == v.a.run(1) == 8
    assert block_gemm("gfx950", al.bf16, 64, 64, 32, (2, 2)).times == 1  # 16 bytes for one instruction
    assert block_gemm("sm_80", al.bf16, 64, 64, 32, (2, 2)).a.run(1) == 8


def test_order_puts_a_lane_s_k_side_by_side():
    new = order(tile.mma("MMA_SYNC_F32_16x8x16_BF16", "sm_80"))
    assert new[[0, 1, 8, 9]].tolist() == [0, 1, 2, 3] and sorted(new.tolist()) == list(range(16))
    assert words((4, 5, 0, 1), 2) == (2, 0)


@pytest.mark.parametrize(
    ("m", "n", "k", "waves", "said"),
    [(48, 64, 32, (2, 2), "m = 48 is no multiple of 32"), (64, 40, 32, (1, 2), "n = 40 is no multiple of 32"), (64, 64, 40, (2, 2), "k = 40 is no multiple")],
)  # fmt: skip
def test_what_does_not_fit(m, n, k, waves, said):
    with pytest.raises(AveError, match=said) as e:
        block_gemm("gfx942", al.bf16, m, n, k, waves)
    assert e.value.code == "T307"


def test_dtypes_without_a_product():
    with pytest.raises(AveError) as e:
        block_gemm("sm_75", al.bf16, 64, 64, 32, (2, 2))
    assert e.value.code == "U103"


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_preshuffled_fragments(target):
    """What a lane loads from the flat array, by `shuffled_b`, is what `b` says that it holds."""
    G = block_gemm(target, al.bf16, 32, 64, 64, (1, 2))
    b = np.arange(64 * 64).reshape(64, 64)
    flat = G.preshuffle(b)
    assert np.array_equal(G.shuffled_b.gather(flat.reshape(G.shuffled_b.shape)), G.b.gather(b))
    assert G.shuffled_b.run(1) == 8
    small = G.preshuffle(b[:50, :60])
    whole = np.zeros((64, 64), int)
    whole[:50, :60] = b[:50, :60]
    high = G.fragment[1]
    assert np.array_equal(small, G.preshuffle(whole[: -(-50 // high) * high]))
