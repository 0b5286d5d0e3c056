"""Attention's gradients on Hopper with boolean masks, on the reference, which checks races on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.avelang_kernels.attended_gradients import check

import avelang.language as al
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_masks import tile_lists
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.problem import Problem
from tools import need


def drawn(*shape: int, seed: int = 1) -> Any:
    """A mask; the first row sees nothing."""
    mask = np.random.default_rng(seed).random(shape) < 0.4
    mask[..., :1, :] = False
    return mask


@pytest.mark.parametrize(("d", "shape"), [(64, (2, 1, 140, 150)), (200, (1, 2, 70, 90))])
def test_a_mask_for_each_sequence_or_head(d: int, shape: tuple[int, ...]):
    heads, (queries, keys) = shape[1], shape[2:]
    check(Problem(shape[0], heads, 1, queries, keys, d, d, "float16", 2 / d, bias="bool"), bias=drawn(*shape))


def test_columns_apart_and_a_causal_mask_too():
    """Rows lie side by side; what both masks say counts. Scores are capped."""
    mask = drawn(1, 1, 70, 100)
    p = Problem(1, 1, 1, 70, 100, 72, 72, "float16", 0.2, right=0, bottom_right=True, softcap=1.0, bias="bool")
    check(p, bias=np.ascontiguousarray(mask.swapaxes(2, 3)).swapaxes(2, 3))


@pytest.mark.parametrize("shape", [(1, 1, 1, 150), (1, 1, 70, 1)])
def test_masks_that_are_broadcast(shape: tuple[int, ...]):
    """Of keys, as padding is; of queries."""
    mask = np.random.default_rng(2).random(shape) < 0.5
    check(Problem(1, 1, 1, 70, 150, 64, 64, "bfloat16", 0.1, bias="bool"), bias=mask)


def in_blocks(rng: Any, rows: int, columns: int, m: int, n: int, density: float) -> Any:
    """Blocks of a mask of which some have nothing, some all, and some a part."""
    tiles = rng.random((-(-rows // m), -(-columns // n)))
    mask = np.kron(tiles < density, np.ones((m, n), bool))[:rows, :columns]
    parts = np.kron(tiles < density / 2, np.ones((m, n), bool))[:rows, :columns]
    return mask & ~(parts & (rng.random((rows, columns)) < 0.5))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cyclic", [True, False])
def test_blocks_that_a_mask_leaves_out(seed: int, cyclic: bool):
    """Of queries and of keys, whole ones too; with masks by place, and heads that take turns."""
    rng = np.random.default_rng(seed)
    d, heads = int(rng.choice((64, 128))), int(rng.choice((1, 2, 4)))
    m, queries, keys = 128 if d == 64 else 64, int(rng.integers(1, 400)), int(rng.integers(1, 500))
    mask = np.stack([in_blocks(rng, queries, keys, m, 128, rng.choice((0.2, 0.6, 1.1))) for _ in range(rng.choice((1, heads)))])[None]
    mask[:, 0, : m * int(rng.integers(0, 2))] = False  # tiles of queries that see nothing
    right, left = (None, None) if cyclic else ((0, None), (0, 90), (None, 70), (150, 200))[seed]
    p = Problem(1, heads, 1 if heads < 4 else 2, queries, keys, d, d, "float16", 0.1, left=left, right=right, bottom_right=seed % 2 == 0, bias="bool")
    check(p, bias=mask, cyclic=cyclic, units=64, together=1 + seed % 2)


@pytest.mark.parametrize("seed", range(10))
def test_lists_have_each_tile_and_its_turn(seed: int):
    """Against a walk over all pairs in the order of blocks."""
    rng = np.random.default_rng(seed)
    planes, blocks, tiles = (int(rng.integers(1, n)) for n in (3, 9, 80))
    bounded, window, cycle = ((False, False, 0), (False, False, tiles // blocks), (True, False, 0), (True, True, 0), (False, True, 0))[seed % 5]
    F = HopperBackward(al.bf16, 128, bounded=bounded, window=window, mask=True)
    queries, keys = tiles * F.m - int(rng.integers(0, F.m)), blocks * F.n - int(rng.integers(0, F.n))
    left, right, shift = int(rng.integers(0, keys)), int(rng.integers(0, keys)), int(rng.integers(-50, 50))
    states = rng.integers(0, 3, (planes, blocks, tiles)).astype(np.uint32) * (rng.random((planes, 1, tiles)) < 0.8).astype(np.uint32)
    lists = tile_lists(F, states, queries, keys, (left, right, shift), cycle, backend="reference")
    at = np.arange(tiles * F.m)[:, None] + shift
    key = np.arange(blocks * F.n)[None]
    place = np.ones((tiles * F.m, blocks * F.n), bool)
    if bounded:
        place &= key <= at + right
    if window:
        place &= key >= at - left
    place = place.reshape(tiles, F.m, blocks, F.n).any((1, 3)).T
    for plane in range(planes):
        seen = (states[plane] != 0) & place
        counts = np.zeros(tiles, int)
        order = sorted(((i, m - n * cycle if m >= n * cycle else m - n * cycle + tiles, n, m) for i in (0,) for n in range(blocks) for m in range(tiles)),
                       key=lambda x: (x[1], -x[2]) if cycle else (-x[2], x[3]))  # fmt: skip
        turns = {}
        for *_, n, m in order:
            if seen[n, m]:
                turns[n, m] = counts[m]
                counts[m] += 1
        for m in np.flatnonzero((counts == 0) & place.any(0)):
            turns[int(np.flatnonzero(place[:, m])[-1]), int(m)] = 0
            counts[m] = 1
        for n in range(blocks):
            mine = [m for _, _, b, m in order if b == n and (n, m) in turns]
            got = lists[plane, n]
            count = int(got[0])
            assert count == len(mine) and got[1 : 1 + count].tolist() == mine
            assert got[1 + tiles : 1 + tiles + count].tolist() == [turns[n, m] for m in mine]
            assert got[1 + 2 * tiles : 1 + 2 * tiles + count].tolist() == [counts[m] for m in mine]


@pytest.mark.parametrize("d", [64, 128, 256])
def test_nothing_is_spilled(d: int):
    need("ptxas")
    F = HopperBackward(al.bf16, d, bounded=False, mask=True)
    found = build(F).report("sm_90a", (F.threads, 1, 1))
    assert found.stored + found.loaded <= (400 if d == 256 else 0) and found.remarks == ()
