"""Waves that wait in a loop for what others write: blocks that wait for later ones go on beside them, and who waits for what nobody writes is named."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from sim.kernels import line_of

N = 4
WORD = al.Tensor((1, 1), al.u32)
FLAGS = al.Tensor((N, 1), al.u32)
DATA = al.Tensor((N, 32), al.i32)


@avelang.jit
def grid_barrier(A: DATA, B: DATA, count: WORD, expected: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    B[b, t] = A[b, t] + 1
    al.syncthreads()
    if t == 0:
        al.nvvm.atomic_add(count[0], al.convert(1, al.u32), 3)
        while al.nvvm.ld_acquire_u32(count[0]) < expected:  # here
            pass
    al.syncthreads()
    A[b, t] = B[N - 1 - b, 31 - t]


def test_a_barrier_of_the_grid(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    a, b = np.arange(N * 32, dtype=np.int32).reshape(N, 32), np.zeros((N, 32), np.int32)
    want = (a + 1)[::-1, ::-1]
    grid_barrier[N, 32](a, b, np.zeros((1, 1), np.uint32), N, backend="reference")
    assert (a == want).all()
    with pytest.raises(AveError) as e:
        grid_barrier[N, 32](a, b, np.zeros((1, 1), np.uint32), N + 1, backend="reference")
    assert e.value.code == "X011" and e.value.span is not None and e.value.span.line == line_of(grid_barrier, "# here")
    with pytest.raises(AveError, match="X040"):
        grid_barrier[N, 32](a, b, np.zeros((1, 1), np.uint32), N - 1, backend="reference")


@avelang.jit
def chain(A: DATA, flags: FLAGS, down: al.constexpr, last: al.constexpr):
    """Each block waits for the one above, or below."""
    b, t = al.block_id(0), al.thread_id(0)
    if b != last:
        other = b + 1 if down else b - 1
        while al.nvvm.ld_acquire_u32(flags[other]) == 0:
            pass
        A[b, t] = A[b, t] + A[other, t]
    al.syncthreads()
    if t == 0:
        al.nvvm.st_release(flags[b], al.convert(1, al.u32))


@pytest.mark.parametrize("down", [False, True])
def test_chains_of_blocks(down, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    a = np.ones((N, 32), np.int32)
    chain[N, 32](a, np.zeros((N, 1), np.uint32), down, N - 1 if down else 0, backend="reference")
    assert (a[::-1] if down else a).T.tolist() == [[1, 2, 3, 4]] * 32


@avelang.jit
def warps(A: al.Tensor((64,), al.i32), told: al.constexpr, count: al.constexpr):
    """The first warp waits for the second, by a word of shared memory; a lock that `count` lanes of each take in turn."""
    f, s, t = al.make_shared((2, 1), al.u32), al.make_shared((32,), al.i32), al.thread_id(0)
    if t < 2:
        f[t, 0] = 0
    al.syncthreads()
    if t < 32:
        if t == 0:
            while al.nvvm.atomic_or(f[0], al.convert(0, al.u32), 1) == 0:
                pass
        A[t] = s[t]
    else:
        s[t - 32] = t
        if t == 32 and told:
            al.nvvm.atomic_exch(f[0], al.convert(1, al.u32), 2)
    left = al.convert(t % 32 < count, al.i32)
    while left > 0:
        if al.nvvm.atomic_cas(f[1], al.convert(0, al.u32), al.convert(1, al.u32), 1) == 0:
            A[33] = A[33] + 1
            left -= 1
            al.nvvm.atomic_exch(f[1], al.convert(0, al.u32), 2)


def test_warps_of_a_block(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    a = np.zeros(64, np.int32)
    warps[1, 64](a, True, 2, backend="reference")
    assert (a[:32] == np.arange(32, 64)).all() and a[33] == 4
    with pytest.raises(AveError, match="X011"):
        warps[1, 64](a, False, 0, backend="reference")


@avelang.jit
def runs_on(A: al.Tensor((32,), al.i32), step: al.constexpr):
    n = al.convert(0, al.i32)
    while n < 9:
        n += step
    A[al.thread_id(0)] = n


def test_a_loop_that_changes_nothing():
    a = np.zeros(32, np.int32)
    runs_on[1, 32](a, 2, backend="reference")
    assert (a == 10).all()
    with pytest.raises(AveError, match="X011.*`while` in line"):
        runs_on[1, 32](a, 0, backend="reference")
