"""Seeded bugs at the thread level, each with its correct twin: one kernel whose constexpr `BUG` says which of the two it is.

A row of `CASES` has the name, the kernel, arguments that are made anew for each launch, grid and block, and the codes by which the bug may be found.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import avelang
import avelang.language as al


@dataclasses.dataclass(frozen=True)
class Case:
    """A seeded bug. `codes`: of the reports that name it; `options`: of the launch."""

    name: str
    kernel: Any
    args: Callable[[], tuple[Any, ...]]
    grid: int
    block: int
    codes: tuple[str, ...]
    options: tuple[tuple[str, Any], ...] = ()


CASES: list[Case] = []


def ints(*shapes: int) -> Callable[[], tuple[Any, ...]]:
    """Arguments: i32 arrays of these lengths, with numbers in them."""
    return lambda: tuple(np.arange(n, dtype=np.int32) % 7 for n in shapes)


def zeros(*shapes: int, dtype: Any = np.int32) -> Callable[[], tuple[Any, ...]]:
    """Arguments: arrays of zeros of these lengths."""
    return lambda: tuple(np.zeros(n, dtype) for n in shapes)


def case(*codes: str, args: Callable[[], tuple[Any, ...]], grid: int = 1, block: int = 128, **options: Any) -> Callable[[Any], Any]:
    """Puts a kernel into the table."""

    def add(kernel: Any) -> Any:
        CASES.append(Case(kernel.__name__, kernel, args, grid, block, codes, tuple(options.items())))
        return kernel

    return add


I64, I128, I256 = (al.Tensor((n,), al.i32) for n in (64, 128, 256))
U4 = al.Tensor((4,), al.u32)
ACQ_REL = 3


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
    was, b, t = al.make_shared((1,), al.u32), al.block_id(0), al.thread_id(0)
    parts[b * 64 + t] = A[b * 64 + t]
    if not BUG:
        al.amdgpu.s_waitcnt(0, 7, 15)
    al.syncthreads()
    if t == 0:
        was[0] = al.amdgpu.atomic_add(0, al.convert(1, al.u32), C)
    al.syncthreads()
    if was[0] == 3:
        out[t] = parts[t] + parts[64 + t] + parts[128 + t] + parts[192 + t]


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
