"""Sums of gradients of attention in memory: parts of dQ, dK and dV come in, from blocks that add to the same rows; they
are stored or added in a fixed order."""

# No `from __future__ import annotations`, as in the kernels.

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import stage_epilogue
from avelang.pipelines.warp_specialized import GROUP, ROWS
from avelang_kernels.attention.hopper_backward_products import BOX, CHUNK, CONSUMERS, EMPTY, ENDED, FULL, WARP, WRITERS


@avelang.jit
def spin(counter: Any, value: Any):
    """Waits until a counter in memory has a value; what was written before it is seen then, by copies too."""
    now = al.nvvm.ld_acquire_u32(counter)
    while now != value:
        now = al.nvvm.ld_acquire_u32(counter)
    al.nvvm.fence_proxy_async()


@avelang.jit
def add_queries(F: Any, DQ: Any, counters: Any, x: Any, work: Any, n: Any, head: Any, writer: Any, lane: Any):
    """A warp's part: brings dQ of every other tile of queries to memory, in its turn. While one warp waits until its
    sums have arrived, the other one sends the next."""
    if writer == 0:
        for piece in range(CONSUMERS):
            al.nvvm.barrier_arrive(EMPTY + piece, GROUP + WARP)
    for i in al.range(writer, work.steps(n), WRITERS):
        m = work.tile(n, i)
        turn, place = work.turn_at(n, i), head * work.query_slots() + work.query_slot(m)
        counter = al.subview(counters, (place, 0), (1, 1), (1, 1))
        if lane == 0 and turn > 0:
            spin(counter, turn)
        for r in range(F.rounds):
            for consumer in range(CONSUMERS):
                piece = CONSUMERS - 1 - consumer if F.wide else consumer  # the one that makes dS is the first
                al.nvvm.barrier_sync(FULL + CONSUMERS * writer + piece, GROUP + WARP)
                if lane == 0:
                    send_queries(F, DQ, x, work.query_slot(m), head, turn, piece, r)
                al.nvvm.barrier_arrive(EMPTY + piece, GROUP + WARP)
        if lane == 0:
            al.nvvm.cp_async_bulk_wait_group(0)
            al.nvvm.st_release(counter, turn + 1)


@avelang.jit
def send_queries(F: Any, DQ: Any, x: Any, m: Any, head: Any, turn: Any, piece: Any, r: Any):
    """Has TMA store a part of dQ, or add it to what is there, and waits until it has been read."""
    row = m * F.m + (piece * ROWS if F.atoms == 2 else 0)
    for i in range(CHUNK // BOX):
        column = i * BOX + (0 if F.atoms == 2 else (piece * F.rounds + r) * CHUNK)
        room = al.subview(x.dq, (piece, i, 0, 0, 0), (1, 1, ROWS, 8, 4), (1, 1, 1, 1, 1))
        if turn > 0:
            al.nvvm.tma_reduce_add_3d(DQ, head, row, column, room)
        else:
            al.nvvm.tma_store_3d(DQ, head, row, column, room)
    al.nvvm.cp_async_bulk_commit_group()
    al.nvvm.cp_async_bulk_wait_group_read(0)


@avelang.jit
def hand_over(F: Any, x: Any, dq: Any, buffer: Any, consumer: Any, t: Any):
    """Leaves a piece of dQ in shared memory, for a warp that brings it to memory."""
    al.nvvm.barrier_sync(EMPTY + consumer, GROUP + WARP)
    for i in range(CHUNK // BOX):
        room = al.subview(x.dq, (consumer, i, 0, 0, 0), (1, 1, ROWS, 8, 4), (1, 1, 1, 1, 1))
        mine = al.subview(dq, (i * BOX // 2,), (BOX // 2,), (1,))
        stage_epilogue(al.view(room, al.Tensor((ROWS, 8, 4), al.f32)), mine, t // WARP, t % WARP)
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_arrive(FULL + CONSUMERS * buffer + consumer, GROUP + WARP)


@avelang.jit
def own_rows(F: Any, room: Any, c: Any, consumer: Any):
    """Memory of a consumer's piece c of dK or dV in that of K or V."""
    return al.subview(room, (c, 0 if F.wide else consumer * (ROWS * CHUNK)), (1, ROWS * CHUNK), (1, 1))


@avelang.jit
def store_keys(
    F: Any, OUT: Any, packed: Any, room: Any, sums: Any, work: Any, batch: Any, row: Any, head: Any, consumer: Any,
    t: Any,
):  # fmt: skip
    """Rounds a consumer's dK or dV and hands it to TMA. `room`: memory of K or V. `row`: of the sequence; where rows
    behind its last one are those of another sequence, threads store to `packed`."""
    for c in range(F.chunks):
        mine = al.view(own_rows(F, room, c, consumer), al.Tensor((ROWS, 8, 8), F.dtype))
        stage_epilogue(mine, al.subview(sums, (c * CHUNK // 2,), (CHUNK // 2,), (1,)), t // WARP, t % WARP)
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_sync(ENDED + consumer, GROUP)
    if F.packed:
        have, at = work.keys - min(row, work.keys), work.k_row + row
        if have >= ROWS:
            if t == 0:
                send_keys(F, OUT, room, batch, at, head, consumer)
        else:
            for c in range(F.chunks):
                mine = al.view(own_rows(F, room, c, consumer), al.Tensor((ROWS, 8, 8), F.dtype))
                packed.store(mine, head, at, have, c * CHUNK, t)
    elif t == 0:
        send_keys(F, OUT, room, batch, row, head, consumer)


@avelang.jit
def send_keys(F: Any, OUT: Any, room: Any, batch: Any, row: Any, head: Any, consumer: Any):
    """Has TMA store what a consumer has left in `room`."""
    for c in range(F.chunks):
        al.nvvm.tma_store_4d(OUT, batch, row, head, c * CHUNK, own_rows(F, room, c, consumer))
    al.nvvm.cp_async_bulk_commit_group()


@avelang.jit
def add_keys(F: Any, OUT: Any, rooms: Any, sums: Any, head: Any, row: Any, turn: Any, consumer: Any, t: Any):
    """Hands a consumer's dK or dV in f32 to TMA, which stores that of the first head that shares the keys, and adds the
    others'. `rooms`: memory of K or V, or both."""
    ROOMS = len(rooms) * F.chunks
    for part in range(F.d // BOX // ROOMS):
        for i in range(ROOMS):
            mine = own_rows(F, rooms[i // F.chunks], i % F.chunks, consumer)
            stage_epilogue(
                al.view(mine, al.Tensor((ROWS, 8, 4), al.f32)),
                al.subview(sums, ((part * ROOMS + i) * BOX // 2,), (BOX // 2,), (1,)), t // WARP, t % WARP,
            )  # fmt: skip
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(ENDED + consumer, GROUP)
        if t == 0:
            for i in range(ROOMS):
                mine = own_rows(F, rooms[i // F.chunks], i % F.chunks, consumer)
                four, column = al.view(mine, al.Tensor((ROWS, BOX), al.f32)), (part * ROOMS + i) * BOX
                if turn > 0:
                    al.nvvm.tma_reduce_add_3d(OUT, head, row, column, four)
                else:
                    al.nvvm.tma_store_3d(OUT, head, row, column, four)
            al.nvvm.cp_async_bulk_commit_group()
            al.nvvm.cp_async_bulk_wait_group_read(0)
        al.nvvm.barrier_sync(ENDED + consumer, GROUP)


@avelang.jit
def await_turn(counter: Any, turn: Any, t: Any):
    """Waits until a consumer may add to dK and dV."""
    if t == 0 and turn > 0:
        spin(counter, turn)


@avelang.jit
def end_turn(counter: Any, turn: Any, t: Any):
    """Waits until what TMA stores has arrived, and lets the next block add."""
    if t == 0:
        al.nvvm.cp_async_bulk_wait_group(0)
        al.nvvm.st_release(counter, turn + 1)
