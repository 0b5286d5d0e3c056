"""Seeded bugs in what lanes of a wave do together, and waits that never end."""

import numpy as np

import avelang
import avelang.language as al
from checks.cases import I64, I128, I256, case, ints

# -- lanes of a wave -----------------------------------------------------------------------------------------------------------------------


@case("X041", args=ints(64, 64), block=64)
@avelang.jit
def two_lanes_at_one_word(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    B[t // 2 if BUG else t] = A[t]


@case("X041", args=ints(64, 64), block=64)
@avelang.jit
def two_lanes_at_one_shared_word(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32), al.thread_id(0)
    s[t] = 0
    s[t % (32 if BUG else 64)] = A[t]
    al.syncthreads()
    B[t] = s[t]


@case("X041", args=ints(64, 64), block=64)
@avelang.jit
def rows_of_lanes_that_overlap(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if t < 16:
        rows = al.view(B, al.Tensor((16, 4), (3 if BUG else 4, 1), al.i32))
        rows[t] = al.full((4,), A[t], al.i32)


@case("X006", args=ints(64, 64), block=32)
@avelang.jit
def neighbors_in_shared_memory_at_once(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32), al.thread_id(0)
    s[t] = A[t]
    if not BUG:
        al.fence(scope="block")
    B[t] = s[t ^ 1]


@case("X006", args=ints(64, 64), block=32)
@avelang.jit
def neighbors_that_write_what_others_read(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32), al.thread_id(0)
    s[t] = A[t]
    al.fence(scope="block")
    v = s[t ^ 1]
    if not BUG:
        al.fence(scope="block")
    s[t] = v + 1
    B[t] = s[t]


@case("X040", args=ints(64, 64), block=32)
@avelang.jit
def neighbors_in_global_memory_at_once(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    A[t] = A[t] + 1
    if not BUG:
        al.fence(scope="block")
    B[t] = A[t ^ 1]


@case("X041", args=ints(64, 64), block=64)
@avelang.jit
def every_lane_leaves_its_own_sum(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    v = A[t]
    if BUG:
        for by in (32, 16, 8, 4, 2, 1):
            v = v + al.shuffle_down(v, by, 64)
    else:
        for by in (32, 16, 8, 4, 2, 1):
            v = v + al.shuffle_xor(v, by, 64)
    B[0] = v


@case("X044", "T320", args=ints(256, 64), block=64)
@avelang.jit
def resource_of_a_lanes_own_part(A: I256, B: I64, BUG: al.constexpr):
    t, zero = al.convert(al.thread_id(0), al.i32), al.convert(0, al.i32)
    own = al.subview(A, (t * 4 if BUG else zero,), (4,), (1,))
    B[t] = al.amdgpu.raw_buffer_load_x1(al.amdgpu.make_rsrc(own, 16), t % 4 * 4, zero, 0)


@case("X044", args=ints(256, 64), block=64)
@avelang.jit
def resource_chosen_by_what_a_lane_has_loaded(A: I256, B: I64, BUG: al.constexpr):
    t, zero = al.convert(al.thread_id(0), al.i32), al.convert(0, al.i32)
    at = A[t] * 4
    if not BUG:
        at = al.amdgpu.readfirstlane(at)
    resource = al.amdgpu.make_rsrc(al.subview(A, (at,), (4,), (1,)), 16)
    B[t] = al.amdgpu.raw_buffer_load_x1(resource, zero, zero, 0)


@case("X044", "T320", args=ints(64, 64), block=64)
@avelang.jit
def barrier_number_by_lane(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    al.nvvm.barrier_sync(al.convert(1, al.u32) + (t % 2 if BUG else t // 32), 32)
    B[t] = A[t]


# -- barriers and shuffles that only some come to ------------------------------------------------------------------------------------------


@case("X042", args=ints(64, 64), block=64)
@avelang.jit
def barrier_in_a_branch_of_lanes(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32), al.thread_id(0)
    s[t] = A[t]
    if t < 32:
        s[t] = s[t] + 1
        if BUG:
            al.syncthreads()
    if not BUG:
        al.syncthreads()
    B[t] = s[t]


@case("X042", args=ints(128, 128))
@avelang.jit
def barrier_in_a_branch_of_waves(A: I128, B: I128, BUG: al.constexpr):
    s, t = al.make_shared((128,), al.i32), al.thread_id(0)
    s[t] = A[t]
    if BUG:
        if t < 64:
            al.syncthreads()
    else:
        al.syncthreads()
    B[t] = s[t]


@case("X042", args=ints(64, 64), block=64)
@avelang.jit
def barrier_in_a_loop_of_unequal_trips(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    for i in al.range(A[t] if BUG else 3):
        B[t] = B[t] + i
        al.syncthreads()


@case("X042", args=ints(64, 64), block=64)
@avelang.jit
def barrier_behind_a_break(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    n = al.convert(0, al.i32)
    while n < 8:
        if BUG and A[t] == n:
            break
        al.syncthreads()
        n += 1
    B[t] = n


@case("X042", args=ints(256, 4), block=256)
@avelang.jit
def tree_sum_with_the_barrier_inside(A: I256, B: al.Tensor((4,), al.i32), BUG: al.constexpr):
    s, t = al.make_shared((256,), al.i32), al.thread_id(0)
    s[t] = A[t]
    al.syncthreads()
    for half in (128, 64, 32):
        if t < half:
            s[t] = s[t] + s[t + half]
            if BUG:
                al.syncthreads()
        if not BUG:
            al.syncthreads()
    if t == 0:
        B[0] = s[0]


@case("X042", "X043", args=ints(128, 128))
@avelang.jit
def barrier_behind_continue(A: I128, B: I128, BUG: al.constexpr):
    t = al.thread_id(0)
    for i in al.range(3):
        if BUG and A[t] == i:
            continue
        al.syncthreads()
        B[t] = B[t] + i


@case("X043", args=ints(64, 64), block=64)
@avelang.jit
def shuffle_in_a_branch(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    v = A[t]
    if BUG:
        if t < 32:
            v = v + al.shuffle_down(v, 32, 64)
    else:
        other = al.shuffle_down(v, 32, 64)
        if t < 32:
            v = v + other
    B[t] = v


@case("X043", args=ints(64, 64), block=64)
@avelang.jit
def shuffle_behind_a_return(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if t >= (50 if BUG else 64):
        return
    v = A[t]
    for by in (32, 16, 8, 4, 2, 1):
        v = v + al.shuffle_xor(v, by, 64)
    B[t] = v


@case("X043", args=ints(64, 64), block=64)
@avelang.jit
def shuffle_in_a_loop_of_unequal_trips(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    v = A[t]
    for _ in al.range(A[t] if BUG else 2):
        v = v + al.shuffle(v, 0 if not BUG else 7, 64)
    B[t] = v


@case("X043", args=ints(64, 64), block=48)
@avelang.jit
def wave_that_is_not_full(A: I64, B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    v = A[t]
    if BUG:
        v = v + al.shuffle_xor(v, 32, 64)
    else:
        v = v + al.shuffle_xor(v, 8, 16)
    B[t] = v


# -- waiting for ever ----------------------------------------------------------------------------------------------------------------------


@case("X011", args=ints(64), block=64)
@avelang.jit
def barrier_for_more_than_come(B: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if t < 32:
        al.nvvm.barrier_sync(1, 64 if BUG else 32)
    B[t] = 1


@case("X011", args=ints(64), block=64)
@avelang.jit
def waits_for_the_wrong_parity(B: I64, BUG: al.constexpr):
    bar, t = al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 64)
    al.syncthreads()
    al.nvvm.mbarrier_arrive(bar)
    al.nvvm.mbarrier_wait(bar, 0)
    if BUG:
        al.nvvm.mbarrier_wait(bar, 1)
    B[t] = 1


@case("X014", args=lambda: (np.arange(64, dtype=np.int32), np.zeros(64, np.int32)), block=64)
@avelang.jit
def bulk_store_without_a_proxy_fence(A: I64, B: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32, 128), al.thread_id(0)
    s[t] = A[t]
    if not BUG:
        al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.cp_async_bulk_store(B, s, 256)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)
