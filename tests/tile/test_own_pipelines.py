"""Pipelines of a user's own: registered by name, chosen by a block, with a policy; against NumPy on all engines."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile import loops, pipelines
from tile.words import RUNS, launch


@avelang.jit
def one_barrier(G, A, B, k, stages):
    """Two buffers and one barrier a step: the next tile is on its way while one is multiplied."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = loops.alloc_shared(G, 2)
    acc, x, y = loops.make_acc(G), A.load(), B.load()
    for step in al.range((k + G.k - 1) // G.k):
        a.store(x, step % 2)
        b.store(y, step % 2)
        al.syncthreads()
        A.move((0, G.k))
        B.move((0, G.k))
        A.load_into(x)
        B.load_into(y)
        loops.product(G, acc, a, b, step % 2)
    return loops.acc_tile(G, acc)


@avelang.constant
def one_instruction(G, chip):
    """Fragments of a single instruction."""
    return G.single()


@pytest.fixture
def registered():
    before = dict(pipelines.PIPELINES)
    tile.register_pipeline("one-barrier", one_barrier, about="one barrier a step", ahead=1, buffers=2, held=2)
    tile.register_pipeline("one-instruction", one_barrier, ahead=1, buffers=2, policy=one_instruction)
    yield
    pipelines.PIPELINES.clear()
    pipelines.PIPELINES.update(before)


@avelang.jit
def product(
    a: al.Pointer(al.bf16), b: al.Pointer(al.bf16), c: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32,
    T: al.constexpr
):
    A, B, C = tile.view(a, (m, k)), tile.view(b, (n, k)), tile.view(c, (m, n))
    tile.multiply(T, A, B, (m, n, k), C.store)


@pytest.mark.parametrize(("run", "name"), [*((r, "one-barrier") for r in RUNS), (RUNS[0], "one-instruction")], ids=str)
def test_product(run, name, registered, monkeypatch):
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    T = tile.Block(32, 32, 32, (2, 2), name)
    G = T.on(run[0], al.bf16)
    assert name == "one-barrier" or G.times == 1
    rng = np.random.default_rng(len(run[1]))
    for _ in range(2):
        m, n, k = (int(v) for v in rng.integers(1, 90, 3))
        a, b = (rng.integers(-3, 4, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
        c = np.zeros((m, n), np.float32)
        launch(product, run, T.grid(m, n, 1), G.threads, (a, b, c, m, n, k), T=T)
        assert np.array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)


def test_a_block_keeps_its_pipeline(registered):
    """A name that is given anew means the new loop for blocks made from then on; the key of a kernel is the loop."""

    @avelang.jit
    def nothing(G, A, B, k, stages):
        return loops.acc_tile(G, loops.make_acc(G))

    old = tile.Block(32, 32, 32, (1, 1), "one-barrier")
    tile.register_pipeline("one-barrier", nothing)
    new = tile.Block(32, 32, 32, (1, 1), "one-barrier")
    assert old != new and "one-barrier" in repr(new)
    a = np.ones((32, 32), ml_dtypes.bfloat16)
    for T, want in ((old, 32), (new, 0), (old, 32)):
        c = np.full((32, 32), 7, np.float32)
        product[1, 64](a, a, c, 32, 32, 32, T, target="gfx942", backend="reference")
        assert (c == want).all()


@avelang.jit
def gives_a_number(G, A, B, k, stages):
    return 1.0


@avelang.constant
def another_tile(G, chip):
    return dataclasses.replace(G, m=2 * G.m)


def test_mistakes(registered):
    def refused(code, text, call):
        with pytest.raises(AveError) as e:
            call()
        assert e.value.code == code and text in str(e.value), e.value

    refused("T301", "none of", lambda: tile.register_pipeline("single", one_barrier))
    refused("T301", "@avelang.jit", lambda: tile.register_pipeline("mine", lambda G, A, B, k, stages: None))
    refused("T301", "@avelang.constant", lambda: tile.register_pipeline("mine", one_barrier, policy=lambda G, chip: G))
    refused("T301", "some of global", lambda: tile.register_pipeline("mine", one_barrier, stages=("loads",)))
    refused("T301", "one-barrier", lambda: tile.Block(32, 32, 32, pipeline="none"))
    tile.register_pipeline("number", gives_a_number, needs=("amd",))
    refused("U103", "has none of amd", lambda: tile.Block(32, 32, 32, (1, 1), "number").on("sm_80", al.bf16))
    a, c = np.ones((32, 32), ml_dtypes.bfloat16), np.zeros((32, 32), np.float32)
    T = tile.Block(32, 32, 32, (1, 1), "number")
    refused("T301", "acc_tile", lambda: product[1, 64](a, a, c, 32, 32, 32, T, target="gfx942", backend="reference"))
    tile.register_pipeline("large", one_barrier, policy=another_tile)
    refused("T301", "32 x 32", lambda: tile.Block(32, 32, 32, (1, 1), "large").on("gfx942", al.bf16))
