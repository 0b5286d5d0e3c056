"""Votes, matches and barriers that count, on all engines against NumPy: drawn predicates, lanes that took a branch, a last warp that is not full."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import arch
from avelang.base.errors import AveError
from avelang.frontend.build import build
from avelang.runtime.compile import compile_text
from sim.ptx.executed import Executed

ENGINES = ["reference", "cpu", "ptx"]
THREADS = 80  # two warps and a half
WARPS = [slice(0, 32), slice(32, 64), slice(64, 80)]
U32 = al.Pointer[al.u32]


def launch(kernel, engine: str, *args, check=()) -> None:
    if engine == "ptx":
        Executed(build(kernel.source, {}, arch.chip("sm_80")), (THREADS, 1, 1), "sm_80").run(args, check=check)
    else:
        kernel[1, THREADS](*args, target="sm_80", backend=engine)


def word(lanes: np.ndarray) -> int:
    return sum(1 << i for i in np.flatnonzero(lanes).tolist())


@avelang.jit
def votes(p: U32, took: U32, out: al.Tensor[(6, 80), al.u32]):
    t = al.thread_id(0)
    holds = p[t] != 0
    if took[t] != 0:
        out[0, t] = al.nvvm.vote_ballot(holds)
        out[1, t] = al.convert(al.nvvm.vote_any(holds), al.u32)
        out[2, t] = al.convert(al.nvvm.vote_all(holds), al.u32)
        out[3, t] = al.convert(al.nvvm.vote_uni(holds), al.u32)
        out[4, t] = al.nvvm.activemask()
    else:
        out[5, t] = al.nvvm.ballot(p[t] == 0)


def voted(p: np.ndarray, took: np.ndarray) -> np.ndarray:
    out = np.zeros((6, THREADS), np.uint32)
    for warp in WARPS:
        holds, here = p[warp] != 0, took[warp] != 0
        mine = holds[here]
        rows = word(holds & here), mine.any(), mine.all(), mine.all() or not mine.any(), word(here)
        for i, x in enumerate(rows):
            out[i, warp][here] = int(x)
        out[5, warp][~here] = word(~holds & ~here)
    return out


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Predicates of chance 0, 1 or something between in each warp, and who takes the branch."""
    rng = np.random.default_rng(seed)
    p, took = (np.concatenate([rng.random(32) < rng.choice([0, 0.1, 0.5, 0.9, 1]) for _ in WARPS])[:THREADS] for _ in range(2))
    return p.astype(np.uint32), took.astype(np.uint32)


@pytest.mark.parametrize("engine", ENGINES)
def test_votes(engine):
    for seed in range(4 if engine == "ptx" else 12):
        p, took = drawn(seed)
        out = np.zeros((6, THREADS), np.uint32)
        launch(votes, engine, p, took, out, **({"check": ("races", "init")} if engine == "ptx" else {}))
        np.testing.assert_array_equal(out, voted(p, took), str(seed))


@avelang.jit
def in_a_loop(p: U32, n: U32, out: U32):
    """Lanes leave the loop one after another: those that are still there vote."""
    t = al.thread_id(0)
    sum, left = p[t] * 0, n[t]
    while left > 0:
        sum = sum * 3 + al.popc(al.nvvm.activemask()) + al.nvvm.match_any(p[t])
        left -= 1
    out[t] = sum


@pytest.mark.parametrize("engine", ENGINES)
def test_in_a_loop_that_lanes_leave(engine):
    rng = np.random.default_rng(3)
    p, n = rng.integers(0, 3, THREADS, np.uint32), rng.integers(0, 6, THREADS, np.uint32)
    want, out = np.zeros(THREADS, np.uint32), np.zeros(THREADS, np.uint32)
    for trip in range(6):
        for warp in WARPS:
            here = n[warp] > trip
            for i in np.flatnonzero(here):
                k = warp.start + i
                want[k] = (int(want[k]) * 3 + int(here.sum()) + word(here & (p[warp] == p[k]))) & 0xFFFFFFFF
    launch(in_a_loop, engine, p, n, out)
    np.testing.assert_array_equal(out, want)


def matching(dtype):
    @avelang.jit
    def matches(x: al.Pointer[dtype], took: U32, out: al.Tensor[(2, 80), al.u32]):
        t = al.thread_id(0)
        if took[t] != 0:
            out[0, t] = al.nvvm.match_any(x[t])
            out[1, t] = al.nvvm.match_all(x[t])

    return matches


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", [al.u32, al.i32, al.f32, al.u64, al.i64, al.f64], ids=str)
def test_matches(dtype, engine):
    kernel = matching(dtype)
    for seed in range(2 if engine == "ptx" else 4):
        rng = np.random.default_rng(seed)
        # Bit by bit: a NaN is equal to itself, and -0.0 not to 0.0. Each byte of the value counts.
        bits = rng.integers(0, 1 << 8 * dtype.np.itemsize, 3, np.uint64, endpoint=False) if dtype.bits < 64 else rng.integers(0, 1 << 63, 3, np.uint64)
        bits = np.concatenate([bits, bits[:1] ^ np.uint64(1 << dtype.bits - 1), bits[:1] ^ np.uint64(256)]).astype(f"u{dtype.np.itemsize}")
        x = rng.choice(bits, THREADS)
        x[32:64] = bits[0]  # a warp in which all match
        _, took = drawn(seed)
        out, want = np.zeros((2, THREADS), np.uint32), np.zeros((2, THREADS), np.uint32)
        for warp in WARPS:
            here = took[warp] != 0
            for i in np.flatnonzero(here):
                same = here & (x[warp] == x[warp][i])
                want[:, warp.start + i] = word(same), word(here) if (same == here).all() else 0
        launch(kernel, engine, x.view(dtype.np), took, out)
        np.testing.assert_array_equal(out, want)


@avelang.jit
def meetings(p: U32, out: al.Tensor[(4, 80), al.u32]):
    t = al.thread_id(0)
    s = al.make_shared((80,), al.u32)
    s[t] = p[t]
    out[0, t] = al.convert(al.nvvm.syncthreads_or(p[t] != 0), al.u32)
    out[3, t] = s[79 - t]  # what others stored before the barrier
    out[1, t] = al.convert(al.nvvm.syncthreads_and(p[t] != 0), al.u32)
    for i in al.range(2):
        out[2, t] = al.nvvm.syncthreads_count(p[t] > i)


@pytest.mark.parametrize("engine", ENGINES)
def test_barriers_that_count(engine, monkeypatch):
    if engine == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    for seed in range(6):
        rng = np.random.default_rng(seed)
        p = (rng.integers(0, 3, THREADS, np.uint32), np.zeros(THREADS, np.uint32), np.full(THREADS, 2, np.uint32))[seed % 3]
        if seed == 5:
            p[77] = 0
        out = np.zeros((4, THREADS), np.uint32)
        launch(meetings, engine, p, out, **({"check": ("races", "init")} if engine == "ptx" else {}))
        np.testing.assert_array_equal(out, np.stack([np.full(THREADS, x) for x in ((p != 0).any(), (p != 0).all(), (p > 1).sum())] + [p[::-1]]))


@avelang.jit
def some_have_ended(p: U32, out: U32):
    t = al.thread_id(0)
    if t >= 64:
        return
    out[t] = al.nvvm.syncthreads_count(p[t] != 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_warps_that_have_ended_say_nothing(engine):
    p, out = np.ones(THREADS, np.uint32), np.zeros(THREADS, np.uint32)
    launch(some_have_ended, engine, p, out)
    np.testing.assert_array_equal(out, [64] * 64 + [0] * 16)


@avelang.jit
def parted(p: U32, out: U32):
    t = al.thread_id(0)
    if t % 2 == 0:
        out[t] = al.nvvm.syncthreads_count(p[t] != 0)


def test_a_barrier_that_half_a_warp_comes_to_is_found(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    with pytest.raises(AveError, match="X042"):
        launch(parted, "reference", np.ones(THREADS, np.uint32), np.zeros(THREADS, np.uint32))


def test_misuse():
    @avelang.jit
    def a_vector(out: U32):
        out[0] = al.nvvm.match_any(al.full((2,), 1, al.u32))

    @avelang.jit
    def a_narrow_one(out: U32):
        out[0] = al.nvvm.match_any(al.convert(out[0], al.u8))

    @avelang.jit
    def a_mask_as_in_cuda(out: U32):
        out[0] = al.nvvm.vote_ballot(0xFFFFFFFF, out[0] > 0)

    @avelang.jit
    def on_amd(out: U32):
        out[0] = al.nvvm.vote_ballot(out[0] > 0)

    for kernel, chip, code in ((a_vector, "sm_80", "T"), (a_narrow_one, "sm_80", "T"), (a_mask_as_in_cuda, "sm_80", "T"), (on_amd, "gfx942", "U110")):
        with pytest.raises(AveError) as e:
            kernel[1, 32](np.zeros(32, np.uint32), target=chip, backend="reference")
        assert e.value.code.startswith(code) and e.value.span.file == __file__, kernel.source.name


def test_code():
    """The lanes of a branch are counted before it, and named; outside of one it is the whole warp."""
    text = compile_text(votes, {}, (64, 1, 1), "sm_75", "asm")
    for mode in ("any.pred", "all.pred", "uni.pred", "ballot.b32"):
        assert f"vote.sync.{mode}" in text
    assert text.count("vote.sync.ballot.b32") == 4  # of them one before the branch
    text = compile_text(meetings, {}, (64, 1, 1), "sm_75", "asm")
    for mode in ("or.pred", "and.pred", "popc.u32"):
        assert f"barrier.red.{mode}" in text
    text = compile_text(matching(al.f64), {}, (64, 1, 1), "sm_75", "asm")
    assert "match.any.sync.b64" in text and "match.all.sync.b64" in text
