"""A layer of a mixture of experts against float64, and what it is made of: tokens sorted by expert, stripes of "
"gates, sums of a token's rows."""

import ml_dtypes
import numpy as np
import pytest

from avelang.tile import Block
from avelang_kernels.moe.tile_moe import add_up, moe, sort_by_expert, striped

BF16 = ml_dtypes.bfloat16
E, TOKENS, K, HIDDEN, INNER = 3, 15, 2, 64, 64
AMD, TMA = Block(64, 64, 64, (4, 1)), Block(64, 64, 64, pipeline="tma", stages=2)


def layer(seed):
    """x, gate, up, w2, ids with some of no expert, weights; what comes out, in float64 but for h, which is rounded."""
    rng = np.random.default_rng(seed)
    x, gate, up, w2 = (
        (rng.standard_normal(s) / 4).astype(BF16)
        for s in ((TOKENS, HIDDEN), (E, INNER, HIDDEN), (E, INNER, HIDDEN), (E, HIDDEN, INNER))
    )
    ids, weights = rng.integers(-1, E + 1, (TOKENS, K)).astype(np.int32), rng.random((TOKENS, K)).astype(np.float32)
    want = np.zeros((TOKENS, HIDDEN))
    for t, i in np.ndindex(ids.shape):
        e = ids[t, i]
        if 0 <= e < E:
            g, u = (w[e].astype(np.float64) @ x[t].astype(np.float64) for w in (gate, up))
            h = (g / (1 + np.exp(-g)) * u).astype(BF16).astype(np.float64)
            want[t] += weights[t, i] * (w2[e].astype(np.float64) @ h)
    return x, gate, up, w2, ids, weights, want


@pytest.mark.parametrize(
    ("target", "block", "options"),
    [("gfx942", AMD, {}), ("sm_90a", TMA, {"backend": "reference"})],
    ids=["executed", "tma"],
)
def test_layer(target, block, options):
    x, gate, up, w2, ids, weights, want = layer(1)
    out = np.full((TOKENS, HIDDEN), np.nan, BF16)
    assert moe(x, striped(gate, up), w2, ids, weights, out, (block, block), target, units=3, **options) is out
    assert (np.abs(out.astype(np.float64) - want) <= 2.0**-8 * (np.abs(want) + K)).all()


def test_layer_of_torch_tensors():
    torch = pytest.importorskip("torch")
    x, gate, up, w2, ids, weights, want = layer(2)
    given = [torch.from_numpy(v.astype(np.float32)).bfloat16() for v in (x, gate, up, w2)]
    out = torch.full((TOKENS, HIDDEN), float("nan"), dtype=torch.bfloat16)
    moe(
        given[0],
        striped(given[1], given[2]),
        given[3],
        torch.from_numpy(ids),
        torch.from_numpy(weights),
        out,
        (AMD, AMD),
        "gfx942",
    )
    assert (np.abs(out.double().numpy() - want) <= 2.0**-8 * (np.abs(want) + K)).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_sorted(dtype):
    ids = np.random.default_rng(3).integers(-1, E + 1, (TOKENS, K)).astype(dtype)
    order, offsets = sort_by_expert(ids, E)
    assert order.dtype == offsets.dtype == np.int32 and offsets.shape == (E + 1,)
    assert sorted(order.tolist()) == list(range(TOKENS * K))
    for e in range(E):
        mine = order[offsets[e] : offsets[e + 1]]
        assert (ids.reshape(-1)[mine] == e).all() and (np.diff(mine) > 0).all() and len(mine) == (ids == e).sum()
    torch = pytest.importorskip("torch")
    for got, want in zip(sort_by_expert(torch.from_numpy(ids), E), (order, offsets), strict=True):
        assert got.dtype == torch.int32 and np.array_equal(got.numpy(), want)


def test_stripes():
    gate, up = np.arange(2 * 64 * 3).reshape(2, 64, 3), -np.arange(2 * 64 * 3).reshape(2, 64, 3)
    both = striped(gate, up)
    assert np.array_equal(both[:, :32], gate[:, :32]) and np.array_equal(both[:, 32:64], up[:, :32])
    assert np.array_equal(both[:, 64:96], gate[:, 32:]) and np.array_equal(both[:, 96:], up[:, 32:])
    with pytest.raises(ValueError, match="multiple of 32"):
        striped(gate[:, :8], up[:, :8])


def test_rows_added_up():
    y, at = np.arange(40, dtype=np.float32).reshape(4, 10), np.array([[0, 3], [-1, 2], [4, -1]], np.int32)
    out = add_up(y, at, np.full((3, 10), np.nan, np.float32), "gfx942")
    assert np.array_equal(out, [y[0] + y[3], y[2], np.zeros(10)])


def test_what_does_not_fit():
    x, gate, up, w2, ids, weights, _ = layer(1)
    out = np.zeros((TOKENS, HIDDEN), BF16)
    with pytest.raises(ValueError, match="with w2 of"):
        moe(x, gate, w2, ids, weights, out, (AMD, AMD), "gfx942")
    with pytest.raises(ValueError, match="out should be"):
        add_up(x, ids, out[1:], "gfx942")
