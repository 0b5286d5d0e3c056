"""Seeded bugs in shared memory that waves use in turn, in atomics beside plain accesses, and in copies that run beside the waves."""

import numpy as np

import avelang
import avelang.language as al
from checks.cases import I64, I128, case, ints

C64, STAGES, ROWS = al.Tensor((64, 4), al.i32), al.Tensor((4, 64, 4), al.i32), al.Tensor((4, 64), al.i32)


def copied():
    return np.arange(256, dtype=np.int32).reshape(64, 4), np.zeros((64, 4), np.int32)


def staged():
    return np.arange(1024, dtype=np.int32).reshape(4, 64, 4), np.zeros((64, 4), np.int32)


def rows():
    return np.arange(256, dtype=np.int32).reshape(4, 64), np.zeros(64, np.int32)


@case("X006", args=ints(128, 128))
@avelang.jit
def prefix_sum_in_place(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((128,), al.i32), al.thread_id(0)
    s[t] = A[t]
    al.syncthreads()
    for d in (1, 2, 4, 8, 16, 32, 64):
        v = s[t]
        if t >= d:
            v = v + s[t - d]
        if not BUG:
            al.syncthreads()
        s[t] = v
        al.syncthreads()
    B[t] = s[t]


@case("X006", args=ints(128, 128))
@avelang.jit
def scratch_reused_by_a_second_sum(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((2,), al.i32), al.thread_id(0)
    v = A[t]
    for by in (32, 16, 8, 4, 2, 1):
        v = v + al.shuffle_xor(v, by, 64)
    if t % 64 == 0:
        s[t // 64] = v
    al.syncthreads()
    total = s[0] + s[1]
    if not BUG:
        al.syncthreads()
    w = A[t] * A[t]
    for by in (32, 16, 8, 4, 2, 1):
        w = w + al.shuffle_xor(w, by, 64)
    if t % 64 == 0:
        s[t // 64] = w
    al.syncthreads()
    B[t] = total + s[0] + s[1]


@case("X006", "X041", args=ints(128, 128))
@avelang.jit
def shared_atomic_and_plain_read(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((4,), al.i32), al.thread_id(0)
    if t < 4:
        s[t] = 0
    al.syncthreads()
    al.amdgpu.atomic_add(0, A[t], s, 0)
    if not BUG:
        al.syncthreads()
    B[t] = s[0]


@case("X006", args=ints(128, 128))
@avelang.jit
def nv_shared_atomic_and_plain_write(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((4, 1), al.i32), al.thread_id(0)
    if t < 4:
        s[t, 0] = 0
    if not BUG:
        al.syncthreads()
    al.nvvm.atomic_add(s[1], A[t])
    al.syncthreads()
    B[t] = s[1, 0]


@case("X006", args=ints(128, 128))
@avelang.jit
def shared_counter_cleared_too_early(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((4, 1), al.u32), al.thread_id(0)
    if t < 4:
        s[t, 0] = 0
    al.syncthreads()
    for i in al.range(2):
        al.nvvm.atomic_add(s[t % 4], al.convert(1, al.u32))
        al.syncthreads()
        B[t] = B[t] + al.convert(s[t % 4, 0], al.i32)
        if not BUG:
            al.syncthreads()
        if t < 4:
            s[t, 0] = 0
        al.syncthreads()


@case("X006", args=lambda: (np.zeros(64, np.int32),), grid=1, block=64, on_cpu=False)
@avelang.jit
def waits_for_a_later_warp(A: I64, BUG: al.constexpr):
    f, s, t = al.make_shared((1, 1), al.u32), al.make_shared((32,), al.i32), al.thread_id(0)
    if t == 0:
        f[0, 0] = 0
    al.syncthreads()
    if t < 32:
        while al.nvvm.atomic_or(f[0], al.convert(0, al.u32), 1) == 0:
            pass
        A[t] = s[t]
    else:
        s[t - 32] = t
        if t == 32:
            al.nvvm.atomic_exch(f[0], al.convert(1, al.u32), 0 if BUG else 2)


@case("X003", args=ints(128, 128), block=128)
@avelang.jit
def wave_returns_before_the_others_read(A: I128, B: I128, BUG: al.constexpr):
    t, s = al.thread_id(0), al.make_shared((128,), al.i32)
    if BUG and t >= 64:
        return
    s[t] = A[t]
    al.syncthreads()
    B[t] = s[127 - t]


@avelang.jit
def helper(v):
    al.syncthreads()
    return v + 1


@case("X042", args=ints(128, 128), block=128)
@avelang.jit
def barrier_in_a_function_in_a_branch(A: I128, B: I128, BUG: al.constexpr):
    t = al.thread_id(0)
    v = A[t]
    if BUG:
        if v > 3:
            v = helper(v)
    else:
        w = helper(v)
        if v > 3:
            v = w
    B[t] = v


@case("X006", "X010", args=copied, block=64)
@avelang.jit
def barrier_before_the_wait(A: C64, B: C64, BUG: al.constexpr):
    s, t = al.make_shared((64, 4), al.i32, 16), al.thread_id(0)
    al.nvvm.cp_async_x16(s[t], A[t])
    al.nvvm.cp_async_commit_group()
    if BUG:
        al.syncthreads()
        al.nvvm.cp_async_wait_group(0)
    else:
        al.nvvm.cp_async_wait_group(0)
        al.syncthreads()
    B[t] = s[63 - t]


@case("X010", "X006", args=staged, block=64)
@avelang.jit
def pipeline_waits_for_one_group_less(A: STAGES, B: C64, BUG: al.constexpr):
    s, t = al.make_shared((3, 64, 4), al.i32, 16), al.thread_id(0)
    for k in range(2):
        al.nvvm.cp_async_x16(s[k, t], A[k, t])
        al.nvvm.cp_async_commit_group()
    for k in al.range(4):
        al.nvvm.cp_async_wait_group(2 if BUG else 1)
        al.syncthreads()
        B[t] = B[t] + s[k % 3, 63 - t]
        if k < 2:
            al.nvvm.cp_async_x16(s[(k + 2) % 3, t], A[k + 2, t])
        al.nvvm.cp_async_commit_group()


@case("X040", args=copied, block=64)
@avelang.jit
def source_changes_under_the_copy(A: C64, B: C64, BUG: al.constexpr):
    s, t = al.make_shared((64, 4), al.i32, 16), al.thread_id(0)
    al.nvvm.cp_async_x16(s[t], A[t])
    al.nvvm.cp_async_commit_group()
    if not BUG:
        al.nvvm.cp_async_wait_group(0)
        al.syncthreads()
    A[63 - t] = al.full((4,), 7, al.i32)
    al.nvvm.cp_async_wait_group(0)
    al.syncthreads()
    B[t] = s[63 - t]


@case("X010", "X006", args=ints(64, 64), block=64)
@avelang.jit
def expects_no_bytes(A: I64, B: I64, BUG: al.constexpr):
    s, bar, t = al.make_shared((64,), al.i32, 128), al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if t == 0:
        if BUG:
            al.nvvm.mbarrier_arrive(bar)
        else:
            al.nvvm.mbarrier_arrive_expect_tx(bar, 256)
        al.nvvm.cp_async_bulk_load(s, A, 256, bar)
    al.nvvm.mbarrier_wait(bar, 0)
    B[t] = s[t]


@case("X006", "X012", args=ints(64, 64), block=64)
@avelang.jit
def arrives_twice(A: I64, B: I64, BUG: al.constexpr):
    s, bar, t = al.make_shared((64,), al.i32, 128), al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 64)
    al.syncthreads()
    if t < 32:
        al.nvvm.mbarrier_arrive(bar)
        if BUG:
            al.nvvm.mbarrier_arrive(bar)
        al.nvvm.mbarrier_wait(bar, 0)
        B[t] = s[t + 32] if BUG else 0
    else:
        s[t] = A[t]
        if not BUG:
            al.nvvm.mbarrier_arrive(bar)


@avelang.jit
def ring(A, B, early):
    s = al.make_shared((2, 64), al.i32, 128)
    full, empty, t = al.make_shared((2, 1), al.u64), al.make_shared((2, 1), al.u64), al.thread_id(0)
    if t == 0:
        for i in range(2):
            al.nvvm.mbarrier_init(full[i], 1)
            al.nvvm.mbarrier_init(empty[i], 32)
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if t < 32:
        if t == 0:
            for k in al.range(4):
                al.nvvm.mbarrier_wait(empty[k % 2], (k // 2 & 1) ^ 1)
                al.nvvm.mbarrier_arrive_expect_tx(full[k % 2], 256)
                al.nvvm.cp_async_bulk_load(s[k % 2], A[k], 256, full[k % 2])
    else:
        for k in al.range(4):
            al.nvvm.mbarrier_wait(full[k % 2], k // 2 & 1)
            if early:
                al.nvvm.mbarrier_arrive(empty[k % 2])
            B[t] = B[t] + s[k % 2, t]
            B[t - 32] = B[t - 32] + s[k % 2, t - 32]
            if not early:
                al.nvvm.mbarrier_arrive(empty[k % 2])


@case("X006", "X010", args=rows, block=64)
@avelang.jit
def ring_given_free_too_early(A: ROWS, B: I64, BUG: al.constexpr):
    ring(A, B, BUG)


@case("X010", "X006", args=lambda: (np.arange(64, dtype=np.int32), np.zeros((64,), np.int32)), block=64)
@avelang.jit
def another_thread_waits_for_the_store(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32, 128), al.thread_id(0)
    s[t] = A[t]
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.cp_async_bulk_store(B, s, 256)
        al.nvvm.cp_async_bulk_commit_group()
    if t == (1 if BUG else 0):
        al.nvvm.cp_async_bulk_wait_group_read(0)
    al.syncthreads()
    s[t] = 0
