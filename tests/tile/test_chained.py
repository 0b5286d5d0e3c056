"""Two products after one another: accumulators are operands as they lie, by the instructions' own fragments; what
cannot be joined; banks."""

import numpy as np
import pytest

import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile.block_gemm import block_gemm
from avelang.tile.chained import ChainedGemm, chained, join
from avelang.tile.vectorize import conflicts, swizzle_for


def held(dist, matrix, steps, count):
    """What lanes hold, as words of two: (waves, lanes, steps, fragments, words, 2)."""
    return dist.gather(matrix).reshape(dist.waves, dist.wave, steps, count, -1, 2)


@pytest.mark.parametrize("dtype", [al.bf16, al.f16])
@pytest.mark.parametrize(
    ("target", "turned"),
    [("gfx90a", True), ("gfx942", True), ("gfx942", False), ("gfx950", True), ("sm_80", False), ("sm_80", True)],
)
def test_every_product_is_made_once(target, turned, dtype):
    """S @ V by instructions that take S as the accumulators of the first product hold it; A and B come in no further
    than the first product's columns."""
    C = chained(block_gemm(target, dtype, 64, 64, 32, (2, 1)), 32, turned)
    rng = np.random.default_rng(0)
    s, v = rng.integers(-3, 4, (64, 64)), rng.integers(-3, 4, (64, 32))
    G, mma = C.second, C.second.mma
    left, right = held(C.c, s, 1, G.count[0]), held(C.v, v.T, G.steps, G.count[1])
    out = np.zeros((2, mma.wave, *G.count, mma.acc.elements), int)
    for w, step, i, j in np.ndindex(2, G.steps, *G.count):
        for part in C.parts[step]:
            x, y = (
                z[:, list(p)].reshape(mma.wave, -1)
                for z, p in ((left[w, :, 0, i], part.a), (right[w, :, step, j], part.b))
            )
            x, y = (y, x) if G.swapped else (x, y)
            out[w, :, i, j] += mma.acc.gather(mma.a.scatter(x) @ mma.b.scatter(y))
    assert np.array_equal(C.o.scatter(out.reshape(2 * mma.wave, -1)), s @ v)


@pytest.mark.parametrize(("target", "turned"), [("gfx942", True), ("gfx950", True), ("sm_80", False)])
def test_b_is_read_in_the_order_of_keys(target, turned):
    """The first product's columns are the keys that `c` says: B's rows as fragments, multiplied by the instruction's
    own maps."""
    C = chained(block_gemm(target, al.bf16, 32, 64, 32, (1, 1)), 64, turned)
    rng = np.random.default_rng(1)
    a, b = rng.integers(-3, 4, (32, 32)), rng.integers(-3, 4, (64, 32))
    G, mma = C.first, C.first.mma
    x, y = held(G.a, a, G.steps, G.count[0])[0], held(C.b, b, G.steps, G.count[1])[0]
    out = np.zeros((mma.wave, *G.count, mma.acc.elements), int)
    for step, i, j in np.ndindex(G.steps, *G.count):
        for part in G.parts:
            p, q = (z[:, step, at][:, list(s)].reshape(mma.wave, -1) for z, at, s in ((x, i, part.a), (y, j, part.b)))
            p, q = (q, p) if G.swapped else (p, q)
            out[:, i, j] += mma.acc.gather(mma.a.scatter(p) @ mma.b.scatter(q))
    assert np.array_equal(C.c.scatter(out.reshape(mma.wave, -1)), a @ b.T)


def test_a_warpgroup_s_sums_are_its_operand():
    """wgmma: accumulators 64 x 128 of a warpgroup, eight slots to an instruction that has A in registers, keys in their
    own order."""
    found = join(tile.Distribution.from_fragment("wgmma_bf16_f32", "c", n=128),
                 tile.Distribution.from_fragment("wgmma_bf16_f32_rs", "a"))
    assert found.slots == tuple(tuple(range(8 * t, 8 * t + 8)) for t in range(8))
    assert found.columns == tuple(tuple(range(16 * t, 16 * t + 16)) for t in range(8))


def test_what_cannot_be_joined():
    """AMD's accumulators have rows where its operand A has lanes: only the exchanged product fits. Others differ in
    extents or lanes."""
    mfma, mma = tile.mma("MFMA_F32_16x16x16_BF16"), tile.mma("MMA_SYNC_F32_16x8x16_BF16", "sm_80")
    for acc, operand, said in (
        (mfma.acc, mfma.a, "no order of K"), (mma.acc, mma.a, "are no operands"), (mfma.acc, mma.a, "over 64 lanes"),
        (tile.mma("MFMA_F32_32x32x8_BF16").acc, mfma.a, "are no operands")
    ):
        with pytest.raises(AveError, match=said) as e:
            join(acc, operand)
        assert e.value.code == "T307"
    with pytest.raises(AveError, match="needs whole rows") as e:
        chained(block_gemm("gfx942", al.bf16, 64, 64, 32, (2, 2)), 64, True)
    assert e.value.code == "T307"
    with pytest.raises(AveError, match="pieces of 2 x 2") as e:
        chained(block_gemm("gfx942", al.bf16, 256, 16, 32, (16, 1)), 32, True).copy_v("gfx942")
    assert e.value.code == "T307"


@pytest.mark.parametrize(("m", "waves", "d"), [(256, 8, 128), (256, 8, 64), (128, 4, 128)])
def test_wide_reads_without_conflicts(m, waves, d):
    """On gfx942 K and V are read 16 bytes at once, O's rows are stored so, and shared memory loses no cycle (stores:
    counted by the executor, in test_tile_attention)."""
    C: ChainedGemm = chained(block_gemm("gfx942", al.bf16, m, 64, d, (waves, 1)), d, True)
    assert C.b.run(1) == C.v.run(1) == 8 and C.o.run(1) >= 8
    for dists, row in (((C.first.copy_b, C.b), d), ((C.turned_v("gfx942"), C.v), 64)):
        swizzle = swizzle_for(dists, (2 * row, 2), "gfx942")
        assert conflicts(dists[1], (2 * row, 2), swizzle, "gfx942") == 0
    copy = C.copy_v("gfx942")
    assert sorted(copy.linear.ravel().tolist()) == list(range(64 * d)) and copy.run(0) >= 2 and copy.run(1) >= 4
