"""Ranks whose gfx942 code objects are executed: collectives bit by bit, a product and a layer of experts against float64, and what is seeded wrong."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist

BF16 = ml_dtypes.bfloat16
X, S = al.Tensor((64,), al.f32), al.Tensor((8,), al.u32)


def collectives(m, seed):
    rng = np.random.default_rng(seed)
    for dtype in (np.float32, BF16):
        shape = int(rng.integers(1, 20)) * m.ranks, int(rng.integers(1, 70))
        xs = [rng.standard_normal(shape).astype(dtype) for _ in range(m.ranks)]
        total = xs[0].astype(np.float32)
        for x in xs[1:]:
            total = total + x.astype(np.float32)
        total, rows, x = total.astype(dtype), shape[0] // m.ranks, xs[m.rank]
        for shots in (1, 2):
            assert dist.all_reduce(x, m, shots=shots).tobytes() == total.tobytes()
        assert dist.all_gather(x, m).tobytes() == np.concatenate(xs).tobytes()
        assert dist.reduce_scatter(x, m).tobytes() == total[m.rank * rows :][:rows].tobytes()


def test_collectives_on_drawn_shapes():
    for ranks, seed in ((2, 1), (3, 2), (4, 3)):
        World(ranks, backend="gfx942", bytes=1 << 18, limit=120).run(collectives, seed)


def products(m, seed):
    rng = np.random.default_rng(seed)
    rows, k, n = 32, 24, 40
    xs, ws = ([rng.standard_normal((r, k)).astype(BF16) for _ in range(m.ranks)] for r in (rows * m.ranks, n))
    wide = [x.astype(np.float64) for x in xs]
    want = np.concatenate([x[:rows] for x in wide]) @ ws[m.rank].T.astype(np.float64)
    got = dist.all_gather_matmul(xs[m.rank][:rows], ws[m.rank].T, m, fuse=True, target="gfx942")
    assert np.abs(got.astype(np.float64) - want).max() <= 2.0**-7 * np.abs(want).max()
    want = sum(x[m.rank * rows :][:rows] @ w.T.astype(np.float64) for x, w in zip(wide, ws, strict=True))
    got = dist.matmul_reduce_scatter(xs[m.rank], ws[m.rank].T, m, fuse=True, target="gfx942")
    assert np.abs(got.astype(np.float64) - want).max() <= 2.0**-7 * np.abs(want).max()


def test_fused_products():
    World(2, backend="gfx942", bytes=1 << 20, limit=240).run(products, 4)


def test_tokens_go_to_experts_and_back():
    def program(m):
        rng = np.random.default_rng(6)
        x = rng.standard_normal((m.ranks, 9, 20)).astype(np.float32)[m.rank]
        ids = rng.integers(-1, 7, (m.ranks, 9, 3)).astype(np.int32)[m.rank]
        got = dist.moe_dispatch(x, ids, m, experts=6)
        count = ((ids >= 0) & (ids < 6)).sum(1, keepdims=True)
        np.testing.assert_allclose(dist.moe_combine(got.rows, None, got.handle, m), x * count, rtol=1e-6)

    World(3, backend="gfx942", bytes=1 << 18, limit=120).run(program)


@avelang.jit
def passed(box: X, signals: S, out: X, epoch: al.u32, by: al.u32, kind: al.constexpr, team: al.Ranks):
    """Each rank tells the next one; `kind`: what is wrong with it."""
    t, me, n = al.thread_id(0), al.rank(), al.ranks()
    after = (me + 1) % n
    al.peer(box, after)[t + by] = al.convert(me, al.f32) + 1.0
    al.syncthreads()
    if t == 0:
        first = al.subview(signals, (0,), (1,))
        if kind != "silent" or me > 0:
            al.signal(al.peer(first, after), epoch)
        if kind != "no wait":
            al.wait(first, epoch, (me + n - 1) % n)
    al.syncthreads()
    out[t] = box[t]


@avelang.jit
def counted(words: S, team: al.Ranks):
    """All threads of all ranks add 1 to the word of rank 0, at system scope."""
    al.atomic_add(al.peer(words, 0), 0, 1, scope="system")


def world(ranks, kind="", by=0, **more):
    w = World(ranks, backend="gfx942", bytes=1 << 14, **more)
    box, signals, out = w.zeros(64, np.float32), w.zeros(8, np.uint32), w.zeros(64, np.float32)
    w.launch(passed, 1, 64, box, signals, out, 1, by, kind, w.team)
    return [float(out[r][5]) for r in range(ranks)]


def test_words_and_updates_are_of_all_ranks():
    assert world(4, limit=60) == [4.0, 1.0, 2.0, 3.0]
    w = World(4, backend="gfx942", bytes=1 << 14, limit=60)
    words = w.zeros(8, np.uint32)
    w.launch(counted, 8, 256, words, w.team)
    assert words[0][0] == 4 * 8 * 256 and not words[1].any()


def test_what_is_seeded_wrong_is_found():
    for turn in range(2):  # the first one may take its time to compile
        with pytest.raises(AveError) as e:
            world(3, "silent", limit=2)
        assert e.value.code == "L080" and (not turn or "rank 1 has waited 2 s for rank 0" in e.value.message), e.value
    with pytest.raises(AveError) as e:
        world(2, by=1 << 28, limit=60)
    assert e.value.code == "X022", e.value
    w = World(2, backend="gfx942", bytes=1 << 14, limit=2)
    box, signals, out = w.zeros(64, np.float32), w.zeros(8, np.uint32), w.zeros(64, np.float32)
    with pytest.raises(AveError) as e:
        w.launch(passed, 1, 64, box, signals, out, 1, 0, "", w.team, absent=(1,))
    assert e.value.code == "L080", e.value
    w.launch(passed, 1, 64, box, signals, out, 2, 0, "", w.team)  # and the world goes on
    assert out[0][0] == 2.0


def test_operations_without_races(monkeypatch):
    """Ranks take turns, and all that orders two of them has the scope for it."""
    monkeypatch.setenv("AVE_CHECK", "races")
    for seed in range(2):
        World(2, backend="gfx942", bytes=1 << 18, limit=120, seed=seed).run(collectives, seed)
        World(2, backend="gfx942", bytes=1 << 20, limit=240, seed=seed).run(products, seed)


@pytest.mark.parametrize("kind", ["silent", "no wait", ""])
def test_races_between_ranks_are_named(kind, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    if not kind:
        assert world(3, limit=60) == [3.0, 1.0, 2.0]
        return
    with pytest.raises(AveError) as e:
        world(3, kind, limit=2)
    assert e.value.code == ("L080" if kind == "silent" else "X040"), e.value
    if kind == "no wait":
        assert e.value.span.file == __file__ and e.value.message.count("of rank ") >= 1 and "(rank " in e.value.message
    assert world(3, kind, races=False, limit=2) if kind == "no wait" else True
