"""Distributed tensors in kernels: elementwise functions, folds, masks, and moves to another distribution, against
NumPy."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile import shared
from checked import ask
from tile import drawn

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
    a: al.Tensor((32, 64), al.f32), r: al.Pointer(al.f32), c: al.Pointer(al.f32), o: al.Tensor((32, 64), al.f32),
    FROM: al.constexpr, TO: al.constexpr
):
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


@pytest.mark.parametrize(("target", "backend", "count"), drawn.RUNS)
def test_drawn_folds(target, backend, count, monkeypatch):
    """Sums, maxima, masks and elementwise functions, in two drawn distributions of a tile."""
    ask(monkeypatch, backend, target, "races", "waits")
    drawn.check("fold", target, backend, count)


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


@avelang.jit
def mistaken(a: al.Pointer(al.f32), o: al.Pointer(al.f32), KIND: al.constexpr, D: al.constexpr, E: al.constexpr):
    n = len(D.shape)
    t = tile.view(a, D.shape).window(D.shape[: n - 1] + (E.shape[n - 1],), (0,) * n, D).load()
    if KIND == "fold":
        t = t.sum(n)
    elif KIND == "line":
        t = t.max(0)
    elif KIND == "spread":
        t = shared.spread(t, E)
    else:
        t = t.map(lambda x, y: x + y, (tile.full(E, 1.0, al.f32),))
    tile.view(o, t.shape).store(t, (0,) * len(t.shape))


def rows(*shape, wave=64):
    return tile.Distribution.blocked(shape, al.f32, waves=1, wave=wave)


# What is done, in which distributions; the code and words of the error.
MISTAKES = {
    "another wave": (
        ("map", rows(8, 32, wave=32), rows(8, 32, wave=32)), "T304", "its waves have 32 lanes, but the chip's have 64"
    ),
    "another window": (
        ("map", rows(8, 32), rows(8, 64)), "T304", "its extents are (8, 64), but its distribution is one of (8, 32)"
    ),
    "no dimension": (("fold", rows(8, 32), rows(8, 32)), "T301", "axis must be a dimension of the tile, 0 to 1, not 2"),
    "one dimension": (
        ("line", rows(64), rows(64)), "T301", "a tile to fold must be of two dimensions or more, not one of (64,)"
    ),
    "three dimensions": (
        ("spread", rows(4, 4, 8), rows(4, 4, 8)), "T301",
        "a tile in shared memory must be of two dimensions, not one of (4, 4, 8)"
    ),
    "another tile": (
        ("spread", rows(8, 32), rows(16, 32)), "T304",
        "its extents are (8, 32), but its distribution is one of (16, 32)"
    ),
    "another order": (
        ("map", rows(8, 32), tile.Distribution.blocked((8, 32), al.f32, waves=1, order=(0, 1))), "T301",
        "the other tile must be in the"
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    (kind, d, e), code, words = MISTAKES[name]
    with pytest.raises(AveError) as found:
        mistaken[1, 64](np.zeros(d.shape, np.float32), np.zeros(d.shape, np.float32), kind, d, e, target="gfx942",
                        backend="reference")
    assert found.value.code == code and words in found.value.message and __file__ in str(found.value)


@avelang.jit
def of_a_number(x: al.f32):
    return x * 2


@avelang.jit
def of_anything(x):
    return x * 2


def test_map_with_a_function_of_a_number_says_that_it_gives_vectors():
    @avelang.jit
    def mapped(x: al.Pointer[al.f32], f: al.constexpr):
        t = tile.arange(64)
        tile.store(x, t, tile.load(x, t).map(f))

    @avelang.jit
    def called(x: al.Pointer[al.f32], given: al.constexpr):
        x[0] = of_a_number(given)

    x = np.ones(64, np.float32)
    with pytest.raises(AveError, match=r"\[T022\] argument `x` of of_a_number must be a value of type f32") as e:
        mapped[1, 64](x, of_a_number)
    assert "leave the annotation out: `map`" in e.value.hint and e.value.as_dict()["file"] == __file__
    mapped[1, 64](x, of_anything)
    assert (x == 2).all()
    with pytest.raises(AveError, match=r"\[T022\]") as e:  # no vector: another hint, or none
        called[1, 64](x, "text")
    assert "map" not in e.value.hint
