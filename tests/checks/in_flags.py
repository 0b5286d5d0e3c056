"""Seeded bugs in flags, locks and counters between blocks, in arrays that are one memory, and in indices."""

import numpy as np

import avelang
import avelang.language as al
from checks.cases import I64, I128, I256, U4, case, ints, zeros

WORD, FLAGS, FOUR = al.Tensor((1, 1), al.u32), al.Tensor((2, 1), al.u32), al.Tensor((4, 1), al.u32)
SQUARE, I512 = al.Tensor((8, 8), al.i32), al.Tensor((512,), al.i32)


def flagged():
    return np.arange(64, dtype=np.int32), np.zeros((2, 1), np.uint32), np.zeros(64, np.int32)


def counted():
    return np.arange(256, dtype=np.int32), np.zeros((1, 1), np.uint32), np.zeros(256, np.int32)


def same():
    x = np.arange(256, dtype=np.int32)
    return x, x


def shifted():
    x = np.arange(512, dtype=np.int32)
    return x[:256], x[64:320]


def squares():
    return np.arange(64, dtype=np.int32).reshape(8, 8), np.zeros((8, 8), np.int32)


@case("X040", args=flagged, grid=2, block=32)
@avelang.jit
def flag_before_the_data(A: I64, flag: FLAGS, out: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if al.block_id(0) == 0:
        if not BUG:
            A[t] = 7
        al.syncthreads()
        if t == 0:
            al.nvvm.st_release(flag[0], al.convert(1, al.u32))
        if BUG:
            A[t] = 7
    else:
        if al.nvvm.ld_acquire_u32(flag[0]) == 1:
            out[t] = A[t]


@case("X040", args=flagged, grid=2, block=32)
@avelang.jit
def data_written_again_after_the_flag(A: I64, flag: FLAGS, out: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if al.block_id(0) == 0:
        A[t] = 7
        al.syncthreads()
        if t == 0:
            al.nvvm.st_release(flag[0], al.convert(1, al.u32))
        if BUG:
            A[t] = A[t] + 1
    else:
        if al.nvvm.ld_acquire_u32(flag[0]) == 1:
            out[t] = A[t]


@case("X040", args=flagged, grid=2, block=32)
@avelang.jit
def flag_reset_by_its_reader(A: I64, flag: FLAGS, out: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if al.block_id(0) == 0:
        A[t] = 7
        if t == 0:
            al.nvvm.st_release(flag[0], al.convert(1, al.u32))
    else:
        if t == 0:
            if BUG:
                flag[0, 0] = 0
            else:
                if al.nvvm.ld_acquire_u32(flag[0]) == 1:
                    flag[0, 0] = 0


@case("X040", args=zeros((1, 1), (4, 1), dtype=np.uint32), grid=4, block=32)
@avelang.jit
def counter_read_plainly(count: WORD, B: FOUR, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    if t == 0:
        was = al.nvvm.atomic_add(count[0], al.convert(1, al.u32), 3)
        if BUG:
            B[b, 0] = count[0, 0]
        else:
            B[b, 0] = was


@case("X040", args=zeros((1, 1), (1, 1), dtype=np.uint32), grid=4, block=32)
@avelang.jit
def lock_without_release(lock: WORD, total: WORD, BUG: al.constexpr):
    t = al.thread_id(0)
    if t == 0:
        while al.nvvm.atomic_cas(lock[0], al.convert(0, al.u32), al.convert(1, al.u32), 1) != 0:
            pass
        total[0, 0] = total[0, 0] + 1
        al.nvvm.atomic_exch(lock[0], al.convert(0, al.u32), 0 if BUG else 2)


@case("X011", args=zeros((1, 1), (1, 1), dtype=np.uint32), grid=2, block=32, on_ptx=False)
@avelang.jit
def lock_never_given_back(lock: WORD, total: WORD, BUG: al.constexpr):
    t = al.thread_id(0)
    if t == 0:
        while al.nvvm.atomic_cas(lock[0], al.convert(0, al.u32), al.convert(1, al.u32), 1) != 0:
            pass
        total[0, 0] = total[0, 0] + 1
        if not BUG:
            al.nvvm.atomic_exch(lock[0], al.convert(0, al.u32), 2)


@case("X040", args=lambda: (np.arange(128, dtype=np.int32), np.zeros((4, 1), np.uint32)), grid=4, block=32)
@avelang.jit
def chain_of_blocks_that_skips_one(A: I128, flag: FOUR, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    if b > 0:
        while al.nvvm.ld_acquire_u32(flag[b - 1 if not BUG else b - 1 - b // 2]) == 0:
            pass
        A[b * 32 + t] = A[b * 32 + t] + A[b * 32 - 32 + t]
    al.syncthreads()
    if t == 0:
        al.nvvm.st_release(flag[b], al.convert(1, al.u32))


@case("X040", args=lambda: (np.arange(256, dtype=np.int32), np.zeros((1, 1), np.uint32), np.zeros(64, np.int32)), grid=4, block=64)
@avelang.jit
def fence_by_one_thread_before_the_barrier(A: I256, count: WORD, out: I64, BUG: al.constexpr):
    s, b, t = al.make_shared((1,), al.u32), al.block_id(0), al.thread_id(0)
    A[b * 64 + t] = b
    if BUG:
        if t == 0:
            al.nvvm.fence_gpu()
            s[0] = al.nvvm.atomic_add(count[0], al.convert(1, al.u32))
        al.syncthreads()
    else:
        al.nvvm.fence_gpu()
        al.syncthreads()
        if t == 0:
            s[0] = al.nvvm.atomic_add(count[0], al.convert(1, al.u32))
            al.nvvm.fence_gpu()
        al.syncthreads()
    if s[0] == 3:
        al.nvvm.fence_gpu()
        out[t] = A[t] + A[64 + t] + A[128 + t] + A[192 + t]


@avelang.jit
def meet(count, n):
    al.syncthreads()
    if al.thread_id(0) == 0:
        al.nvvm.atomic_add(count[0], al.convert(1, al.u32), 3)
        while al.nvvm.ld_acquire_u32(count[0]) < n:
            pass
    al.syncthreads()


@case("X040", args=counted, grid=4, block=64, on_cpu=False)
@avelang.jit
def grid_barrier_for_one_less(A: I256, count: WORD, B: I256, BUG: al.constexpr):
    i = al.block_id(0) * 64 + al.thread_id(0)
    B[i] = A[i] + 1
    meet(count, 3 if BUG else 4)
    A[i] = B[255 - i]


@case("X011", args=lambda: (np.zeros(64, np.int32), np.zeros((2, 1), np.uint32)), grid=2, block=32, on_ptx=False)
@avelang.jit
def each_waits_for_the_other(A: I64, f: FLAGS, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    if not BUG:
        if t == 0:
            al.nvvm.st_release(f[b], al.convert(1, al.u32))
    while al.nvvm.ld_acquire_u32(f[1 - b]) == 0:
        pass
    A[b * 32 + t] = 1
    if BUG:
        if t == 0:
            al.nvvm.st_release(f[b], al.convert(1, al.u32))


@case("X040", args=zeros(4, dtype=np.uint32), grid=4, block=64)
@avelang.jit
def cleared_by_one_block_and_barrier(C: U4, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    if b == 0 and t == 0:
        C[0 if BUG else 1] = 0
    al.syncthreads()
    al.amdgpu.atomic_add(0, al.convert(1, al.u32), C)


@case("X012", args=zeros(16), block=8)
@avelang.jit
def atomic_at_an_odd_byte(A: al.Tensor((16,), al.i32), BUG: al.constexpr):
    t = al.thread_id(0)
    al.amdgpu.atomic_add(t * 4 + (2 if BUG else 0), al.convert(1, al.i32), A)


@case("X040", args=same, grid=4, block=64)
@avelang.jit
def shifted_into_itself(A: I256, B: I256, BUG: al.constexpr):
    i = al.block_id(0) * 64 + al.thread_id(0)
    if BUG:
        B[i] = A[(i + 1) % 256]
    else:
        B[i] = A[i] + 1


@case("X040", args=shifted, grid=4, block=64)
@avelang.jit
def overlapping_arguments(A: I256, B: I256, BUG: al.constexpr):
    i = al.block_id(0) * 64 + al.thread_id(0)
    if BUG:
        B[i] = A[i]
    else:
        B[i] = i


@case("X001", args=ints(256, 64), block=64)
@avelang.jit
def beyond_a_subview(A: I256, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    w = al.subview(A, (64,), (63,), (1,))
    B[t] = w[t] if BUG else w[min(t, 62)]


@case("X001", args=squares, block=64)
@avelang.jit
def over_the_end_of_a_row(A: SQUARE, B: SQUARE, BUG: al.constexpr):
    t = al.thread_id(0)
    r, c = t // 8, t % 8
    B[r, c] = A[r, c + 1] if (r if BUG else c) < 7 else 0


@case("X001", "X041", "X040", args=ints(512, 512), block=512)
@avelang.jit
def index_of_eight_bits(A: I512, B: I512, BUG: al.constexpr):
    t = al.thread_id(0)
    i = al.convert(t, al.u8) if BUG else t
    B[i] = A[t]


@case("X001", args=ints(256, 256), block=64)
@avelang.jit
def prefetch_past_the_end(A: I256, B: I256, BUG: al.constexpr):
    t = al.thread_id(0)
    nxt = A[t]
    for i in al.range(4):
        now = nxt
        if BUG:
            nxt = A[(i + 1) * 64 + t]
        elif i < 3:
            nxt = A[(i + 1) * 64 + t]
        B[i * 64 + t] = now
