"""Bits of masks for attention on Hopper, and the lists of tiles that something is seen of, against NumPy."""

import numpy as np
import pytest

from avelang_kernels.attention.hopper_masks import PARTLY, WORD, mask_bits


def drawn(seed):
    """A mask, M and N: in any order of its dimensions in memory, from any byte on, with parts that are all alike."""
    rng = np.random.default_rng(seed)
    M, N = int(rng.choice((64, 128, 192))), int(rng.choice((32, 64, 80, 96, 128)))
    shape = [int(rng.integers(1, 3)), int(rng.integers(1, 3)), int(rng.integers(1, 200)), int(rng.integers(1, 300))]
    if seed % 3 == 0:
        shape[3] = -(-shape[3] // 16) * 16
    order = rng.permutation(4) if seed % 2 else np.arange(4)
    first = int(rng.choice((0, 0, 5)))
    memory = rng.random(first + int(np.prod(shape))) < rng.choice((0.1, 0.6))
    x = memory[first:].reshape([shape[i] for i in order]).transpose(np.argsort(order))
    x[:, :, :, : shape[3] // 3] = False
    x[:, :, : shape[2] // 2, shape[3] // 2 :] = True
    if rng.random() < 0.3:
        x = x[:, :, :1]
    if rng.random() < 0.2:
        x = x[..., :1]
    return x, shape[2], shape[3], M, N


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("seed", range(12))
def test_bits_and_lists(seed, backend):
    mask, rows, columns, M, N = drawn(seed)
    left, right = 40, 15
    found = mask_bits(mask, rows, columns, M, N, np.zeros(1, np.float32), (True, True, left, right), backend=backend)
    whole = np.broadcast_to(mask, (*mask.shape[:2], rows, columns)).reshape(-1, rows, columns)
    tiles, words = -(-columns // N), -(-N // WORD)
    padded = np.zeros((len(whole), rows, tiles, words * WORD), bool)
    for c in range(columns):
        padded[:, :, c // N, c % N] = whole[:, :, c]
    want = (padded.reshape(*padded.shape[:3], words, WORD) * (1 << np.arange(WORD, dtype=np.uint64))).sum(-1)
    np.testing.assert_array_equal(found.bits[..., :words], want)
    i, j = np.arange(rows)[:, None], np.arange(columns)[None]
    near = (j >= i - left) & (j <= i + right)
    for plane in range(len(whole)):
        for block in range(-(-rows // M)):
            own, row = slice(block * M, min(rows, block * M + M)), found.lists[plane, block]
            entries = [int(x) for x in row[1 : 1 + row[0]]]
            listed = [x % PARTLY for x in entries]
            tile = [slice(t * N, min(columns, t * N + N)) for t in range(tiles)]
            # Tiles by place are those that a block's first and last rows leave: a few more than needed.
            needed = [t for t in range(tiles) if (whole[plane, own, tile[t]] & near[own, tile[t]]).any()]
            assert listed == sorted(set(listed)) and set(needed) <= set(listed)
            assert all(whole[plane, own, tile[t]].any() for t in listed) or entries == [PARTLY]
            for t, entry in zip(listed, entries, strict=True):
                if entry < PARTLY:
                    assert (whole[plane, own, tile[t]] & near[own, tile[t]]).all()


def test_how_far_planes_are_apart():
    like = np.zeros(1, np.float32)
    steps = {}
    for batch, heads in ((1, 1), (1, 3), (2, 1), (2, 3)):
        found = mask_bits(np.ones((batch, heads, 4, 5), bool), 4, 5, 64, 32, like, backend="reference")
        steps[batch, heads] = found.batch_step, found.head_step
        assert found.lists is None and found.bits.shape == (batch * heads, 4, 1, 4)
    assert steps == {(1, 1): (0, 0), (1, 3): (0, 1), (2, 1): (1, 0), (2, 3): (3, 1)}
