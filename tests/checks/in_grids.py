"""Seeded bugs in what blocks and waves do to global memory."""

import numpy as np

import avelang
import avelang.language as al
from checks.cases import ACQ_REL, I64, I128, I256, U4, case, ints, zeros

SC1 = 16  # of a cache policy: to where all dies see it

# -- global memory: blocks and waves -------------------------------------------------------------------------------------------------------


@case("X040", args=ints(128, 256), grid=2, block=64)
@avelang.jit
def tiles_that_overlap(A: I128, B: I256, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    B[b * (60 if BUG else 64) + t] = A[b * 64 + t]


@case("X040", args=ints(256), grid=4, block=64)
@avelang.jit
def neighbors_change_in_place(A: I256, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    i = b * 64 + t
    left = i - 1 if BUG else b * 64 + (t + 63) % 64
    before = A[left] if i > 0 else 0
    al.syncthreads()
    A[i] = A[i] + before


@case("X040", args=zeros(4, dtype=np.uint32), grid=4, block=64)
@avelang.jit
def counted_without_an_atomic(C: U4, BUG: al.constexpr):
    if al.thread_id(0) == 0:
        if BUG:
            C[0] = C[0] + 1
        else:
            al.amdgpu.atomic_add(0, al.convert(1, al.u32), C)


@case("X040", "X006", args=ints(128, 128))
@avelang.jit
def waves_by_way_of_global_memory(A: I128, B: I128, BUG: al.constexpr):
    t = al.thread_id(0)
    A[t] = t
    if not BUG:
        al.syncthreads()
    B[t] = A[127 - t]


@case("X040", args=ints(256, 64), grid=4, block=64)
@avelang.jit
def parts_of_a_sum_added_by_load_and_store(A: I256, B: I64, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    if BUG:
        B[t] = B[t] + A[b * 64 + t]
    else:
        al.amdgpu.atomic_add(t * 4, A[b * 64 + t], B)


@avelang.jit
def partial_sums(A, parts, counts, out, order, early, late):
    """Each block of two warps leaves a part of the sum; the last one adds them up."""
    was, b, t = al.make_shared((1,), al.u32), al.block_id(0), al.thread_id(0)
    parts[b * 64 + t] = A[b * 64 + t]
    if early:
        al.syncthreads()
    if t == 0:
        was[0] = al.nvvm.atomic_add(counts, al.convert(1, al.u32), order)
    if late:
        al.syncthreads()
    return was[0] == 3


@case("X040", args=lambda: (*ints(256, 256)(), np.zeros(1, np.uint32), np.zeros(64, np.int32)), grid=4, block=64)
@avelang.jit
def last_block_by_a_relaxed_counter(A: I256, parts: I256, counts: al.Tensor((1,), al.u32), out: I64, BUG: al.constexpr):
    if partial_sums(A, parts, counts, out, 0 if BUG else ACQ_REL, True, True):
        t = al.thread_id(0)
        out[t] = parts[t] + parts[64 + t] + parts[128 + t] + parts[192 + t]


@case("X040", args=lambda: (*ints(256, 256)(), np.zeros(1, np.uint32), np.zeros(64, np.int32)), grid=4, block=64)
@avelang.jit
def last_block_that_releases_and_does_not_acquire(A: I256, parts: I256, counts: al.Tensor((1,), al.u32), out: I64, BUG: al.constexpr):
    if partial_sums(A, parts, counts, out, 2 if BUG else ACQ_REL, True, True):
        t = al.thread_id(0)
        out[t] = parts[t] + parts[64 + t] + parts[128 + t] + parts[192 + t]


@case("X040", args=lambda: (*ints(256, 256)(), np.zeros(1, np.uint32), np.zeros(64, np.int32)), grid=4, block=64)
@avelang.jit
def counted_before_the_other_warp_has_stored(A: I256, parts: I256, counts: al.Tensor((1,), al.u32), out: I64, BUG: al.constexpr):
    if partial_sums(A, parts, counts, out, ACQ_REL, not BUG, True):
        t = al.thread_id(0)
        out[t] = parts[t] + parts[64 + t] + parts[128 + t] + parts[192 + t]


@case("X006", "X003", args=lambda: (*ints(256, 256)(), np.zeros(1, np.uint32), np.zeros(64, np.int32)), grid=4, block=64)
@avelang.jit
def told_to_one_warp_only(A: I256, parts: I256, counts: al.Tensor((1,), al.u32), out: I64, BUG: al.constexpr):
    if partial_sums(A, parts, counts, out, ACQ_REL, True, not BUG):
        t = al.thread_id(0)
        out[t] = parts[t] + parts[64 + t] + parts[128 + t] + parts[192 + t]


@case("X040", args=lambda: (np.arange(64, dtype=np.int32), np.zeros((2, 1), np.uint32), np.zeros(64, np.int32)), grid=2, block=32)
@avelang.jit
def flag_without_a_fence(A: I64, flag: al.Tensor((2, 1), al.u32), out: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if al.block_id(0) == 0:
        A[t] = 7
        if not BUG:
            al.nvvm.fence_gpu()
        if t == 0:
            al.nvvm.atomic_exch(flag[0], al.convert(1, al.u32))
    else:
        seen = al.nvvm.atomic_or(flag[0], al.convert(0, al.u32))
        al.nvvm.fence_gpu()
        if seen == 1:
            out[t] = A[t]


@case("X040", args=lambda: (np.arange(64, dtype=np.int32), np.zeros((2, 1), np.uint32), np.zeros(64, np.int32)), grid=2, block=32)
@avelang.jit
def flag_read_as_any_number(A: I64, flag: al.Tensor((2, 1), al.u32), out: I64, BUG: al.constexpr):
    t = al.thread_id(0)
    if al.block_id(0) == 0:
        A[t] = 7
        if t == 0:
            al.nvvm.st_release(flag[0], al.convert(1, al.u32))
    else:
        seen = flag[0, 0] if BUG else al.nvvm.ld_acquire_u32(flag[0])
        if seen == 1:
            out[t] = A[t]


@case("X040", args=zeros(4, dtype=np.uint32), grid=4, block=64)
@avelang.jit
def atomic_among_the_threads_of_a_block(C: U4, BUG: al.constexpr):
    al.amdgpu.atomic_add(0, al.convert(1, al.u32), C, 0 if BUG else 1)


@case("X040", args=lambda: (*ints(256)(), np.zeros(256, np.int32), np.zeros(4, np.uint32), np.zeros(64, np.int32)), grid=4, block=64)
@avelang.jit
def stores_not_waited_for_before_the_counter(A: I256, parts: I256, C: U4, out: I64, BUG: al.constexpr):
    """Written through all caches, and read past them (sc1): then a wait is a release."""
    was, b, t = al.make_shared((1,), al.u32), al.block_id(0), al.thread_id(0)
    room, zero = al.amdgpu.make_rsrc(parts, 256 * 4), al.convert(0, al.i32)
    mine = al.convert((b * 64 + t) * 4, al.i32)
    al.amdgpu.raw_buffer_store_x1(A[b * 64 + t], room, mine, zero, SC1)
    if not BUG:
        al.amdgpu.s_waitcnt(0, 7, 15)
    al.syncthreads()
    if t == 0:
        was[0] = al.amdgpu.atomic_add(0, al.convert(1, al.u32), C)
    al.syncthreads()
    if was[0] == 3:
        total = al.convert(0, al.i32)
        for k in range(4):
            total += al.amdgpu.raw_buffer_load_x1(room, al.convert((k * 64 + t) * 4, al.i32), zero, SC1)
        out[t] = total


@case("X040", args=ints(256), grid=4, block=64)
@avelang.jit
def transposed_in_place(A: I256, BUG: al.constexpr):
    i = al.block_id(0) * 64 + al.thread_id(0)
    row, column = i // 16, i % 16
    if BUG:
        A[i] = A[column * 16 + row]
    elif row < column:
        upper = A[i]
        A[i] = A[column * 16 + row]
        A[column * 16 + row] = upper


@case("X040", args=zeros(4, dtype=np.uint32), grid=4, block=64)
@avelang.jit
def cleared_by_one_block_and_counted_by_all(C: U4, BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    if b == 0 and t == 0:
        C[0 if BUG else 1] = 0
    al.amdgpu.atomic_add(0, al.convert(1, al.u32), C)


@case("X040", args=ints(512), grid=2, block=128)
@avelang.jit
def rows_shared_by_the_waves_of_two_blocks(A: al.Tensor((512,), al.i32), BUG: al.constexpr):
    b, t = al.block_id(0), al.thread_id(0)
    wave, lane = t // 64, t % 64
    row = b + wave if BUG else b * 2 + wave
    A[row * 64 + lane] = row


@case("X040", args=lambda: (np.zeros(64, np.uint8),), grid=1, block=128)
@avelang.jit
def bytes_written_as_words(A: al.Tensor((64,), al.u8), BUG: al.constexpr):
    t = al.thread_id(0)
    words = al.view(A, al.Tensor((16,), al.u32))
    if t < 8:
        words[t] = 1
    if not BUG:
        al.syncthreads()
    if t == 64:
        A[13] = 5


@case("X040", args=lambda: (np.arange(64, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.int32)), block=64)
@avelang.jit
def bulk_store_read_before_it_is_complete(A: I64, B: I64, C: I64, BUG: al.constexpr):
    s, t = al.make_shared((64,), al.i32, 128), al.thread_id(0)
    s[t] = A[t]
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.cp_async_bulk_store(B, s, 256)
        al.nvvm.cp_async_bulk_commit_group()
        if not BUG:
            al.nvvm.cp_async_bulk_wait_group(0)
    al.syncthreads()
    C[t] = B[63 - t]
    al.syncthreads()
    if t == 0:
        al.nvvm.cp_async_bulk_wait_group(0)
