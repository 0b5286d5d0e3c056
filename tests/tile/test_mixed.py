"""Operators on tiles of unlike distributions, drawn: NumPy's numbers, wherever elements lie."""

import random

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from tile import drawn
from tile.words import RUNS, launch


@avelang.jit
def mixed(
    x: al.Pointer(al.f32), y: al.Pointer(al.f32), r: al.Pointer(al.f32), o: al.Pointer(al.f32), P: al.constexpr,
    Q: al.constexpr, S: al.constexpr
):
    X, Y = tile.view(x, P.shape), tile.view(y, P.shape)
    a, b = X.window(P.shape, (0, 0), P).load(), Y.window(P.shape, (0, 0), Q).load()
    c = tile.view(r, S.shape).window(S.shape, (0,), S).load()
    t = tile.where(a < b, a + b * c[:, None], c[:, None] - tile.max(b, 0))
    t -= tile.arange(P.shape[1]) * tile.sum(a, 1, keepdims=True)
    tile.view(o, P.shape).store(t, (0, 0))


DRAWN = [(RUNS[0], 3), (("sm_80", "reference"), 3), (RUNS[2], 1), (RUNS[3], 1)]


@pytest.mark.parametrize(("run", "count"), DRAWN, ids=str)
def test_drawn_operands(run, count, monkeypatch):
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    wave = 64 if run[0] == "gfx942" else 32
    for seed in range(count):
        r, waves = random.Random(seed), 2
        shape = r.choice((8, 16, 24, 32)), r.choice((4, 8, 12, 32))
        P, Q = (drawn.distribution(r, shape, waves, wave) for _ in range(2))
        S = drawn.distribution(r, shape[:1], waves, wave)
        rng = np.random.default_rng(seed)
        x, y, c = (rng.integers(-9, 10, s).astype(np.float32) for s in (shape, shape, shape[0]))
        o = np.zeros(shape, np.float32)
        launch(mixed, run, 1, waves * wave, (x, y, c, o), P=P, Q=Q, S=S)
        t = np.where(x < y, x + y * c[:, None], c[:, None] - y.max(0))
        assert np.array_equal(o, t - np.arange(shape[1]) * x.sum(1, keepdims=True)), seed
