"""The rule of AMD's GEMM: what it chooses fits the chip and the product, for shapes drawn by lot on every product; it
fills units that single tiles leave idle; a choice that is known costs nothing."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import random

import ml_dtypes
import numpy as np
import pytest

from avelang import executor
from avelang.arch import CHIPS, chip, product
from avelang_kernels.matmul import mi300_rule as rule
from avelang_kernels.matmul.mi300_gemm import gemm
from avelang_kernels.matmul.mi300_tiles import LARGE, SMALL, STREAM, blocks_of, slots_of, tiles_of

RESULTS = pathlib.Path(__file__).parents[2] / "benchmarks" / "results"
GPUS = [("gfx90a", 104), ("gfx90a", 110), ("gfx942", 228), ("gfx942", 304), ("gfx942", 80), ("gfx950", 256)]


def drawn(r):
    """M 16 to 16384, N and K 256 to 32768, log-uniform."""
    ranges = (16, 1 << 14), (256, 1 << 15), (256, 1 << 15)
    return tuple(round(math.exp(r.uniform(math.log(low), math.log(high)))) for low, high in ranges)


@pytest.mark.parametrize("gpu", GPUS, ids=str)
def test_what_is_chosen_fits(gpu):
    r = random.Random(repr(gpu))
    name, units = gpu
    for _ in range(60):
        m, n, k = drawn(r)
        kind, size = r.choice([("bf16", 4), ("bf16", 2), ("f16", 2)] + ([("i8", 4), ("f8", 2)] if name != "gfx90a" else []))
        place = rule.choose(m, n, k, kind, name, units, size)
        steps = -(-k * (1 if kind in ("i8", "f8") else 2) // 128)
        assert place.tile in rule.candidates() and place.tile.lds <= chip(name).lds_bytes and place.tile.registers <= 256
        assert place.dies == rule.gpu(name, units).dies
        blocks = blocks_of(place, m, n)
        if place.split == STREAM:
            assert 0 < blocks == place.runs <= tiles_of(place.tile, m, n) * steps
        else:
            assert blocks == tiles_of(place.tile, m, n) * place.split and int(place.split) <= steps
        assert (slots_of(place, m, n) > 0) == (place.split != 1)


def share(shape, tile, split, runs):
    """Part of 304 units' time that has a product, where nothing but products takes time."""
    m, n, k = shape
    if split == STREAM:
        per = -(-tiles_of(tile, m, n) * -(-k // 64) // runs) * tile.m * tile.n * 64 * -(-runs // 304)
    else:
        per = -(-tiles_of(tile, m, n) * split // 304) * tile.m * tile.n * -(-k // (64 * split)) * 64
    return m * n * k / (per * 304)


@pytest.mark.parametrize("shape,least", [((4096, 4096, 4096), 0.94), ((512, 4096, 14336), 0.84), ((3072, 3072, 3072), 0.9)])
def test_units_are_filled(shape, least):
    """256 large tiles fill 84 % of the units, those of (512, 4096, 14336) 11 %."""
    place = rule.choose(*shape)
    assert share(shape, place.tile, place.split, place.runs) >= least
    assert share(shape, LARGE, 1, 0) < 0.85


def test_no_tile_is_much_better_than_the_old_two():
    """The model's own word on the ten shapes of sixty: never slower than one of the two tiles without a split."""
    r = random.Random(5)
    for _ in range(30):
        m, n, k = drawn(r)
        tiles, us = rule.times(m, n, k)
        old = min(us[tiles.index(t), 0] for t in (SMALL, LARGE))
        assert us.min() <= old and math.isfinite(us.min())


def test_registers_can_be_spared():
    assert rule.choose(4096, 4096, 4096).tile.registers > 192 >= rule.choose(4096, 4096, 4096, spare=64).tile.registers


def test_shares_are_those_of_the_model_of_a_unit():
    """SHARES stand as `benchmarks/amd_rule.py --only tiles` found them."""
    found = json.loads((RESULTS / "amd_rule_tiles.json").read_text())["tiles"]
    assert {tuple(x["tile"]): x["share"] for x in found} == {tuple(t): rule.share_of(t) for t in rule.candidates()}
    for tile in (SMALL, LARGE):
        assert rule.share(tile) == pytest.approx(rule.share_of(tile), abs=0.08)


@pytest.mark.parametrize("tile", [SMALL, LARGE], ids=str)
def test_the_model_of_a_unit_says_so_still(tile):
    """Run anew, with the code of today."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((rows, 1024)).astype(ml_dtypes.bfloat16) for rows in tile[:2])
    with executor.compute_unit(memory_latency=rule.LATENCY) as found:
        gemm(a, b, tile=tile, split=1, target="gfx942")
    assert found[0].loop == pytest.approx(rule.share_of(tile), abs=0.03)


def test_parts_at_the_least():
    assert rule.choose(8192, 8192, 8192, least=5).split in [p for p in rule.PARTS if p >= 5]


def test_a_known_choice_is_found_again():
    """Not timed: the second call computes nothing."""
    rule.choose.cache_clear()
    first = rule.choose(1000, 1000, 1000)
    assert rule.choose(1000, 1000, 1000) is first and rule.choose.cache_info().hits == 1


@pytest.mark.parametrize("kind,name,clocks", [("bf16", "gfx90a", 64), ("bf16", "gfx942", 32), ("f16", "gfx950", 16),
                                              ("i8", "gfx942", 32), ("f8", "gfx942", 32)])  # fmt: skip
def test_rates_of_matrix_instructions(kind, name, clocks):
    """Clocks for 16 x 16 x 64 bytes: at peak 1307.4 TFLOP/s of bf16 on an MI300X, twice that of 8 bits."""
    assert rule.mfma_clocks(kind, name) == clocks
    sku, elements = product(name), 64 // (1 if kind in ("i8", "f8") else 2)
    peak = 2 * 16 * 16 * elements / clocks * sku.pipes * sku.count * sku.clock / 1e12
    known = {"gfx90a": 383.0 / 2, "gfx942": 1307.4, "gfx950": 2516.6}
    assert peak == pytest.approx(known[name] * (1 if kind in ("bf16", "f16") else 2), rel=0.01)


def test_products_of_a_chip(monkeypatch):
    assert rule.gpu("gfx942", 228).name == "MI300A" and rule.gpu("gfx942", 228).dies == 6
    assert rule.gpu("gfx90a", 104).count == 104 and rule.gpu("gfx942", 304) is product("gfx942")
    odd = rule.gpu("gfx942", 80)
    assert odd.count == 80 and odd.dies == 8 and "80 units" in odd.name
    monkeypatch.setitem(CHIPS, "sm_86", dataclasses.replace(CHIPS["sm_86"], product=None))
    with pytest.raises(ValueError, match="has no numbers"):
        rule.gpu("sm_86", 80)
