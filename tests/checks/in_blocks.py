"""Seeded bugs in what the waves of a block do to shared memory, in what nothing wrote, and in accesses outside."""

import numpy as np

import avelang
import avelang.language as al
from checks.cases import I64, I128, I256, case, ints

# -- shared memory and barriers ------------------------------------------------------------------------------------------------------------


@case("X006", "X003", args=ints(128, 128))
@avelang.jit
def no_barrier_before_the_other_waves_data(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((128,), al.i32), al.thread_id(0)
    s[t] = A[t]
    if not BUG:
        al.syncthreads()
    B[t] = s[127 - t]


@case("X006", args=ints(128, 128))
@avelang.jit
def overwritten_while_others_read(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((128,), al.i32), al.thread_id(0)
    for i in al.range(3):
        s[t] = A[t] + i
        al.syncthreads()
        B[t] = B[t] + s[127 - t]
        if not BUG:
            al.syncthreads()


@case("X006", args=ints(256, 128))
@avelang.jit
def two_buffers_with_a_distance_of_one(A: I256, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((2, 128), al.i32), al.thread_id(0)
    s[0, t] = A[t]
    al.syncthreads()
    for i in al.range(4):
        at = 0 if BUG else (i + 1) % 2
        s[at, t] = A[t + 128] + i
        B[t] = B[t] + s[i % 2, 127 - t]
        al.syncthreads()


@case("X006", args=ints(256, 4), block=256)
@avelang.jit
def tree_sum_without_its_barriers(A: I256, B: al.Tensor((4,), al.i32), BUG: al.constexpr):
    s, t = al.make_shared((256,), al.i32), al.thread_id(0)
    s[t] = A[t]
    al.syncthreads()
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < half:
            s[t] = s[t] + s[t + half]
        if not BUG:
            al.syncthreads()
    if t == 0:
        B[0] = s[0]


@case("X006", "X003", args=ints(256, 256), block=256)
@avelang.jit
def transposed_by_way_of_shared_memory(A: al.Tensor((256,), al.i32), B: al.Tensor((256,), al.i32), BUG: al.constexpr):
    s, t = al.make_shared((16, 17), al.i32), al.thread_id(0)
    s[t // 16, t % 16] = A[t]
    if not BUG:
        al.syncthreads()
    B[t] = s[t % 16, t // 16]


@case("X006", args=ints(128, 8))
@avelang.jit
def histogram_without_atomics(A: I128, B: al.Tensor((8,), al.i32), BUG: al.constexpr):
    s, t = al.make_shared((8, 1), al.u32), al.thread_id(0)
    if t < 8:
        s[t, 0] = 0
    al.syncthreads()
    if BUG:
        if t % 64 == 0:
            s[A[t], 0] = s[A[t], 0] + 1
            s[1, 0] = s[1, 0] + 1
    else:
        al.nvvm.atomic_add(s[A[t]], al.convert(1, al.u32))
    al.syncthreads()
    if t < 8:
        B[t] = al.convert(s[t, 0], al.i32)


@case("X006", "X003", args=ints(128, 128))
@avelang.jit
def one_wave_says_when_and_others_look_at_once(A: I128, B: I128, BUG: al.constexpr):
    s, ready, t = al.make_shared((64,), al.i32), al.make_shared((1,), al.i32), al.thread_id(0)
    if t < 64:
        s[t] = A[t]
        if t == 0:
            ready[0] = 1
    if not BUG:
        al.syncthreads()
    if t >= 64 and ready[0] == 1:
        B[t] = s[t - 64]


@case("X006", "X003", args=ints(64, 64), block=64)
@avelang.jit
def waits_at_another_barrier(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((32,), al.i32), al.thread_id(0)
    if t < 32:
        s[t] = A[t]
        al.nvvm.barrier_arrive(1, 64)
        al.nvvm.barrier_sync(2, 64)
    else:
        if BUG:
            al.nvvm.barrier_arrive(1, 64)
        else:
            al.nvvm.barrier_sync(1, 64)
        B[t] = s[t - 32]
        al.nvvm.barrier_sync(2, 64)


@case("X006", "X003", args=ints(64, 64), block=64)
@avelang.jit
def does_not_wait_for_the_mbarrier(A: I64, B: I64, BUG: al.constexpr):
    s, bar, t = al.make_shared((32,), al.i32), al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 32)
    al.syncthreads()
    if t < 32:
        s[t] = A[t]
        al.nvvm.mbarrier_arrive(bar)
    else:
        if not BUG:
            al.nvvm.mbarrier_wait(bar, 0)
        B[t] = s[t - 32]


@case("X006", args=lambda: (np.arange(256, dtype=np.int32).reshape(64, 4), np.zeros((64, 4), np.int32)), block=64)
@avelang.jit
def copies_of_other_warps_without_a_barrier(A: al.Tensor((64, 4), al.i32), B: al.Tensor((64, 4), al.i32), BUG: al.constexpr):
    s, t = al.make_shared((64, 4), al.i32, 16), al.thread_id(0)
    al.nvvm.cp_async_x16(s[t], A[t])
    al.nvvm.cp_async_wait_all()
    if not BUG:
        al.syncthreads()
    if BUG:
        if t < 32:
            s[t + 32] = A[t]
    B[t] = s[63 - t] if not BUG else s[t]


@case("X010", "X003", args=lambda: (np.arange(256, dtype=np.int32).reshape(64, 4), np.zeros((64, 4), np.int32)), block=64)
@avelang.jit
def copies_that_nobody_waits_for(A: al.Tensor((64, 4), al.i32), B: al.Tensor((64, 4), al.i32), BUG: al.constexpr):
    s, t = al.make_shared((64, 4), al.i32, 16), al.thread_id(0)
    al.nvvm.cp_async_x16(s[t], A[t])
    al.nvvm.cp_async_commit_group()
    al.nvvm.cp_async_wait_group(1 if BUG else 0)
    al.syncthreads()
    B[t] = s[63 - t]


# -- what nothing wrote, and what is not there ---------------------------------------------------------------------------------------------


@case("X003", args=ints(128, 128))
@avelang.jit
def tail_of_shared_memory_is_never_written(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((128,), al.i32), al.thread_id(0)
    if t < (127 if BUG else 128):
        s[t] = A[t]
    al.syncthreads()
    B[t] = s[127 - t]


@case("X003", args=ints(64, 64), block=64)
@avelang.jit
def sum_that_begins_with_nothing(A: I64, B: I64, BUG: al.constexpr):
    total, t = al.make_local((1,), al.i32), al.thread_id(0)
    if not BUG:
        total[0] = 0
    for i in al.range(4):
        total[0] = total[0] + A[(t + i) % 64]
    B[t] = total[0]


@case("X003", args=ints(64, 64), block=64)
@avelang.jit
def registers_written_by_some_lanes(A: I64, B: I64, BUG: al.constexpr):
    v, t = al.make_local((2,), al.i32), al.thread_id(0)
    v[0] = A[t]
    if t < (60 if BUG else 64):
        v[1] = A[63 - t]
    B[t] = v[0] + v[1]


@case("X003", args=ints(64, 64), block=64, grid=1)
@avelang.jit
def counters_that_are_not_cleared(A: I64, B: I64, BUG: al.constexpr):
    counts, t = al.make_shared((8, 1), al.u32), al.thread_id(0)
    if t < (7 if BUG else 8):
        counts[t, 0] = 0
    al.syncthreads()
    al.nvvm.atomic_add(counts[t % 8], al.convert(1, al.u32))
    al.syncthreads()
    B[t] = al.convert(counts[t % 8, 0], al.i32)


@case("X001", args=ints(128, 128))
@avelang.jit
def one_past_the_end(A: I128, B: I128, BUG: al.constexpr):
    t = al.thread_id(0)
    B[t] = A[t + 1] if BUG else A[min(t + 1, 127)]


@case("X001", args=ints(128, 128))
@avelang.jit
def left_of_the_first(A: I128, B: I128, BUG: al.constexpr):
    t = al.convert(al.thread_id(0), al.i32)
    if BUG:
        B[t] = A[t] + A[t - 1]
    else:
        B[t] = A[t] + (A[t - 1] if t > 0 else 0)


@case("X001", args=ints(128, 128), grid=2, block=128)
@avelang.jit
def more_threads_than_elements(A: I128, B: I128, BUG: al.constexpr):
    i = al.block_id(0) * 128 + al.thread_id(0)
    if BUG:
        B[i] = A[i]
    elif i < 128:
        B[i] = A[i]


@case("X002", args=ints(128, 128), grid=1, block=64)
@avelang.jit
def rows_longer_than_the_array_has(a: al.Pointer(al.i32), b: al.Pointer(al.i32), BUG: al.constexpr):
    A = al.make_tensor(a, al.i32, al.make_layout((4, 32), (33 if BUG else 32, 1)))
    B = al.make_tensor(b, al.i32, al.make_layout((4, 32), (32, 1)))
    t = al.thread_id(0)
    for i in al.range(2):
        B[i * 2 + t // 32, t % 32] = A[i * 2 + t // 32, t % 32]


@case("X001", "X005", args=ints(64, 64), block=64)
@avelang.jit
def index_of_registers_runs_on(A: I64, B: I64, BUG: al.constexpr):
    v, t = al.full((4,), 1, al.i32), al.thread_id(0)
    B[t] = v[A[t] % (5 if BUG else 4)]


@case("X001", args=ints(128, 128))
@avelang.jit
def halo_does_not_fit_shared_memory(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((129,), al.i32), al.thread_id(0)
    s[t + 1] = A[t]
    if t == 0:
        s[0] = 0
        if BUG:
            s[al.convert(A[2] * 65, al.i32)] = 0
    al.syncthreads()
    B[t] = s[t] + s[t + 1]
