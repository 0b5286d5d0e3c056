"""Distributed tensors in kernels: elementwise functions, folds, masks, and moves to another distribution, against NumPy."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile import shared

RUNS = [("gfx942", "reference"), ("gfx942", "gfx942-exec"), ("sm_80", "reference"), ("sm_80", "cpu")]
KINDS = ("rows", "columns", "products")


@avelang.constant
def spread(wave, kind, waves):
    """Three distributions of 32 x 64 over so many waves."""
    if kind == "rows":
        return tile.Distribution.blocked((32, 64), al.f32, waves=waves, wave=wave)
    if kind == "columns":
        return tile.Distribution.blocked((32, 64), al.f32, waves=waves, wave=wave, order=(0, 1))
    return tile.Block(32, 64, 32, (2, 2), "single").on("gfx942" if wave == 64 else "sm_80", al.bf16).c


@avelang.jit
def everything(
    a: al.Tensor((32, 64), al.f32), r: al.Pointer(al.f32), c: al.Pointer(al.f32), o: al.Tensor((32, 64), al.f32), FROM: al.constexpr, TO: al.constexpr,
):  # fmt: skip
    W = al.target().wave
    t = shared.spread(tile.view(a, (32, 64), 4).window((32, 64), (0, 0), spread(W, FROM, 4)).load(), spread(W, TO, 4))
    sums, most = t.sum(1), t.max(0)
    tile.view(r, (32,)).store(sums, (0,))
    tile.view(c, (64,)).store(most, (0,))
    low = t.along(lambda x, y: x - y, sums, 1).sweep(lambda x, at: al.select(at[0] >= at[1], x, 0.0))
    tile.view(o, (32, 64)).store(low.along(lambda x, y: x * y, most, 0), (0, 0))


@pytest.mark.parametrize(("target", "backend"), RUNS)
@pytest.mark.parametrize(("source", "to"), [("rows", "products"), ("products", "columns"), ("columns", "rows")])
def test_folds_and_moves(source, to, target, backend):
    a = np.random.default_rng(5).integers(-50, 50, (32, 64)).astype(np.float32)  # sums of which are exact
    r, c, o = np.zeros(32, np.float32), np.zeros(64, np.float32), np.zeros((32, 64), np.float32)
    everything[1, 4 * (64 if target == "gfx942" else 32)](a, r, c, o, source, to, target=target, backend=backend)
    assert np.array_equal(r, a.sum(1)) and np.array_equal(c, a.max(0))
    assert np.array_equal(o, np.tril(a - a.sum(1)[:, None]) * a.max(0))


def test_no_races(monkeypatch):
    """Folds over waves and moves write shared memory again and again."""
    monkeypatch.setenv("AVE_CHECK", "races")
    a = np.ones((32, 64), np.float32)
    r, c, o = np.zeros(32, np.float32), np.zeros(64, np.float32), np.zeros((32, 64), np.float32)
    everything[1, 256](a, r, c, o, "rows", "products", target="gfx942", backend="reference")
    assert (r == 64).all() and (c == 1).all()


@avelang.jit
def elementwise(a: al.Tensor((32, 64), al.f32), o: al.Tensor((32, 64), al.f16)):
    d = spread(64, "rows", 1)
    t = tile.view(a, (32, 64), 4).window((32, 64), (0, 0), d).load()
    one = tile.full(d, 1.0, al.f32)
    tile.view(o, (32, 64), 4).store(t.map(lambda x, y: al.exp(x) + y, (one,)).astype(al.f16), (0, 0))


def test_elementwise():
    a, o = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float32), np.zeros((32, 64), np.float16)
    elementwise[1, 64](a, o, target="gfx942")
    assert np.allclose(o, np.exp(a) + 1, rtol=1e-3)
