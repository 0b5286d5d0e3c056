"""Races in global memory: drawn accesses, judged by who may come before whom; and what hands on between blocks, at which scope."""

import itertools

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import ExecutionError
from sim.kernels import launched, refused

BLOCKS, STEPS, WAVES, SIZE = 2, 3, 2, 40


@avelang.jit
def drawn(P: al.Tensor((2, 3, 64), al.i32), M: al.Tensor((2, 3, 2), al.i32), A: al.Tensor((40,), al.i32), OUT: al.Tensor((2, 64), al.i32)):
    b, t = al.block_id(0), al.thread_id(0)
    total = al.convert(0, al.i32)
    for s in al.range(3):
        i, how = P[b, s, t], M[b, s, t // 32]
        if how == 1:
            total += A[i]
        if how == 2:
            A[i] = i
        al.syncthreads()
    OUT[b, t] = total


def raced(places: np.ndarray, how: np.ndarray) -> bool:
    """Whether two accesses of one element, of which one writes, are of two blocks, or of two waves between the same barriers."""
    seen = [
        (set(places[b, s, 32 * w : 32 * w + 32].tolist()), b, s, w, how[b, s, w])
        for b, s, w in itertools.product(range(BLOCKS), range(STEPS), range(WAVES))
        if how[b, s, w]
    ]
    return any(
        x[0] & y[0] and 2 in (x[4], y[4]) and (x[1] != y[1] or (x[2] == y[2] and x[3] != y[3])) for x, y in itertools.combinations(seen, 2)
    )


@pytest.mark.parametrize("seed", range(24))
def test_drawn_accesses(seed):
    rng = np.random.default_rng(seed)
    low, span = rng.integers(0, SIZE - 5, (BLOCKS, STEPS, WAVES, 1)), int(rng.integers(1, 6))
    if seed % 2:
        low = rng.integers(0, 3) + 12 * np.arange(BLOCKS)[:, None, None, None] + 6 * np.arange(WAVES)[:, None] + 0 * low
    places = (low + rng.integers(0, span, (BLOCKS, STEPS, WAVES, 32))).astype(np.int32).reshape(BLOCKS, STEPS, 64)
    how = rng.choice(3, (BLOCKS, STEPS, WAVES), p=[0.4, 0.3, 0.3]).astype(np.int32)
    args = (places, how, np.zeros(SIZE, np.int32), np.zeros((BLOCKS, 64), np.int32))
    options = {"block": 64, "grid": BLOCKS, "chip": "sm_90", "races": True, "order": ("forward", "reverse", "random")[seed % 3]}
    if not raced(places, how):
        launched(drawn, *args, **options)
        return
    assert refused(drawn, *args, **options).code == "X040"


@avelang.jit
def chain(A: al.Tensor((4,), al.i32), flags: al.Tensor((4, 1), al.u32), B: al.Tensor((4,), al.i32), HOW: al.constexpr):
    """Each block adds to what the one before it has left."""
    b, t = al.block_id(0), al.thread_id(0)
    one = al.convert(1, al.u32)
    before = al.convert(0, al.i32)
    if t == 0:
        if b > 0:
            if HOW == "relaxed":
                al.nvvm.atomic_or(flags[b - 1], one, 0)
            elif HOW == "fences":
                al.nvvm.atomic_or(flags[b - 1], one, 0)
                al.nvvm.fence_gpu()
            else:
                al.nvvm.ld_acquire_u32(flags[b - 1])
            before = A[b - 1]
            if b > 1 and HOW != "first":
                before = before + A[b - 2]  # known by way of the block between
        A[b] = before + 1
        if HOW == "fences":
            al.nvvm.fence_gpu()
        al.nvvm.atomic_exch(flags[b], one, 0 if HOW in ("relaxed", "fences") else 2)
        B[b] = before


@pytest.mark.parametrize("how", ["release", "fences", "relaxed"])
def test_what_one_block_knows_goes_from_block_to_block(how):
    args = np.zeros(4, np.int32), np.zeros((4, 1), np.uint32), np.zeros(4, np.int32)
    if how == "relaxed":
        e = refused(chain, *args, block=32, grid=4, values={"HOW": how}, races=True)
        assert e.code == "X040" and "block (0, 0, 0)" in e.message and "`A` at index (0,)" in e.message
        return
    launched(chain, *args, block=32, grid=4, values={"HOW": how}, races=True)
    assert args[2].tolist() == [0, 1, 3, 6]


@avelang.jit
def scoped(A: al.Tensor((64,), al.i32), C: al.Tensor((4,), al.u32), SCOPE: al.constexpr, WAVES: al.constexpr):
    """Counts of one word by all blocks, or by the waves of each on a word of its own."""
    b = al.block_id(0)
    al.amdgpu.atomic_add((b * 4 if WAVES else b * 0), al.convert(1, al.u32), C, SCOPE)


@pytest.mark.parametrize(("scope", "own", "fine"), [(0, True, True), (0, False, False), (1, False, True), (2, False, True)])
def test_the_scope_of_an_atomic_holds_all_that_use_the_word(scope, own, fine):
    args = np.zeros(64, np.int32), np.zeros(4, np.uint32)
    options = {"block": 128, "grid": 4, "chip": "gfx942", "values": {"SCOPE": scope, "WAVES": own}, "races": True}
    if fine:
        launched(scoped, *args, **options)
        assert args[1].sum() == 512
    else:
        assert refused(scoped, *args, **options).code == "X040"


@avelang.jit
def guarded(A: al.Tensor((4, 64), al.i32), N: al.u32, DEEP: al.constexpr):
    """Lanes and waves leave early, at several depths; those that are left meet."""
    t = al.thread_id(0)
    if t >= N:
        return
    for i in al.range(3):
        if t % 32 == 31 - i:
            if DEEP:
                if A[0, t % 64] < 9:
                    return
        al.syncthreads()
        A[1 + t // 64, t % 64] = i


@pytest.mark.parametrize(("n", "deep"), [(40, True), (64, True), (70, False), (128, True)])
def test_lanes_that_have_returned_are_missed_by_nobody(n, deep):
    a = np.zeros((4, 64), np.int32)
    launched(guarded, a, n, block=128, chip="gfx942", values={"DEEP": deep}, races=True)
    with pytest.raises(ExecutionError) as e:
        launched(broken, a, block=64, chip="gfx942", races=True)
    assert e.value.code == "X042" and "2 lanes (31 to 63)" in e.value.message


@avelang.jit
def broken(A: al.Tensor((4, 64), al.i32)):
    t = al.thread_id(0)
    for i in al.range(3):
        if t % 32 == 31 - i:
            break
        al.syncthreads()
        A[1, t] = i
