"""Gradients of attention on Hopper where d is above 128: two consumers share a block's 64 keys. One makes weights and
dV, the other one dS and dK; each makes half of the columns of dQ.

Both operands of a product come from shared memory, which gives 128 bytes a clock. Products of 64 rows read B once for
all of them: 256 KB for a tile of queries where it was 336 KB with half of the queries of S^T, and half of d of all
else, to each consumer. Weights go from one consumer to the other one thread by thread, through shared memory; dS goes
back as an operand. Neither waits for the other before it has products under way."""

# No `from __future__ import annotations`, as in the kernels.

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import GROUP
from avelang_kernels.attention.hopper_backward_lengths import KEYS, VALUES, await_cleared, clear_own
from avelang_kernels.attention.hopper_backward_masks import mask_words
from avelang_kernels.attention.hopper_backward_products import (
    CONSUMERS,
    ENDED,
    SHARED_DS,
    WEIGHTS,
    accumulate,
    query_gradient,
    score_gradients,
    scores,
    share,
    weights_of,
)
from avelang_kernels.attention.hopper_backward_sums import add_keys, await_turn, end_turn, hand_over, store_keys

FOUR = 4  # numbers that a thread moves at once


@avelang.jit
def leave(F: Any, room: Any, p: Any, t: Any):
    """Leaves a thread's weights for its like of the other consumer."""
    for i in range(F.m // 2 // FOUR):
        place = al.subview(room, (i, t, 0), (1, 1, FOUR), (1, 1, 1))
        al.view(place, al.Tensor((1, FOUR), al.f32))[0] = al.subview(p, (FOUR * i,), (FOUR,), (1,))


@avelang.jit
def take(F: Any, room: Any, t: Any):
    """The weights of the thread's like."""
    p = al.make_local((F.m // 2 // FOUR, FOUR), al.f32)
    for i in range(F.m // 2 // FOUR):
        p[i] = room[i, t]
    return al.view(p, al.Tensor((F.m // 2,), al.f32))


@avelang.jit
def await_rows(F: Any, room: Any, ring: Any, state: Any, work: Any, m: Any, consumer: Any, t: Any):
    """Waits for a tile of queries, of Q or dO, of which this consumer is the first to make a product."""
    ring.wait(state)
    if F.packed:
        clear_own(F, room, state, work, m, consumer, t)


@avelang.jit
def value_step(
    F: Any, dv: Any, s: Any, x: Any, q: Any, do: Any, more: Any, work: Any, n: Any, i: Any, scale: Any, t: Any,
    MORE: Any,
):  # fmt: skip
    """One tile of queries of the consumer that makes dV. `s`: its scores; those of the next tile come out. `more`: the
    bias's stages. MORE: there is one."""
    m = work.tile(n, i)
    words = mask_words(F, scale, work, n, m, VALUES, t) if F.mask else None
    added = x.bias.take(F, more, VALUES, t) if F.bias else None
    p, moved = weights_of(F, s, x.lse, q.stage, scale, words, added, work, n, m, VALUES, t)
    x.q_ring.release(q.stage, t)
    q.advance()
    if F.bias:
        al.nvvm.barrier_sync(ENDED + VALUES, GROUP)  # all have read what lies where weights go
    leave(F, x.p, moved, t)
    if F.bias:
        al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_arrive(WEIGHTS, CONSUMERS * GROUP)
    x.do_ring.wait(do)
    if F.packed:
        await_cleared(F, work, m)
    dv = accumulate(F, al.convert(p, F.dtype), x.do, do.stage, dv)
    al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)
    dq = query_gradient(F, x.ds, i % 2, x.k, VALUES, 0)
    dv = al.nvvm.wgmma_wait_acc(dv, 1)
    x.do_ring.release(do.stage, t)
    do.advance()
    dq = al.nvvm.wgmma_wait_acc(dq, 0)
    hand_over(F, x, dq, i % 2, VALUES, t)
    dq = query_gradient(F, x.ds, i % 2, x.k, VALUES, 1)
    if MORE:  # before the other piece of dQ is there: some registers are spilled, and it is faster
        await_rows(F, x.q, x.q_ring, q, work, work.tile(n, i + 1), VALUES, t)
        s = scores(F, x.k, x.q, q.stage, VALUES)
    dq = al.nvvm.wgmma_wait_acc(dq, int(MORE))
    hand_over(F, x, dq, i % 2, VALUES, t)
    if MORE:
        s = al.nvvm.wgmma_wait_acc(s, 0)
    return dv, s


@avelang.jit
def key_step(
    F: Any, dk: Any, dp: Any, x: Any, q: Any, do: Any, more: Any, work: Any, place: Any, i: Any, t: Any, MORE: Any,
):  # fmt: skip
    """One tile of queries of the consumer that makes dK. `dp`: its dP, under way; that of the next tile comes out.
    `place`: the tile of keys, the head and the batch."""
    n, own, batch = place
    if F.bias_gradient and t == 0:
        al.nvvm.cp_async_bulk_wait_group_read(1)  # this tile's buffer, which is written behind this barrier
    al.nvvm.barrier_sync(WEIGHTS, CONSUMERS * GROUP)
    p = take(F, x.p, t)
    dp = al.nvvm.wgmma_wait_acc(dp, 0)
    held = score_gradients(F, p, dp, x.delta, do.stage, t)
    x.do_ring.release(do.stage, t)
    do.advance()
    share(F, x.ds, i % 2, held, KEYS, t)
    al.nvvm.barrier_sync(ENDED + KEYS, GROUP)
    al.nvvm.barrier_arrive(SHARED_DS, CONSUMERS * GROUP)
    if F.bias:
        x.bias.release(more, t)
    if F.bias_gradient and t == 0:
        x.bias.store(F, x.ds, i % 2, work, n, work.tile(n, i), own, batch)
    dq = query_gradient(F, x.ds, i % 2, x.k, KEYS, 0)
    x.q_ring.wait(q)
    dk = accumulate(F, held, x.q, q.stage, dk)
    dq = al.nvvm.wgmma_wait_acc(dq, 1)
    hand_over(F, x, dq, i % 2, KEYS, t)
    dk = al.nvvm.wgmma_wait_acc(dk, 0)
    x.q_ring.release(q.stage, t)
    q.advance()
    dq = query_gradient(F, x.ds, i % 2, x.k, KEYS, 1)
    if MORE:
        await_rows(F, x.do, x.do_ring, do, work, work.tile(n, i + 1), KEYS, t)
        dp = scores(F, x.v, x.do, do.stage, KEYS)
    dq = al.nvvm.wgmma_wait_acc(dq, int(MORE))
    hand_over(F, x, dq, i % 2, KEYS, t)
    return dk, dp


@avelang.jit
def make_values(F: Any, x: Any, work: Any, n: Any, scale: Any, t: Any):
    """dV of a block, by one consumer."""
    dv, steps = al.full((F.d // 2,), 0.0, al.f32), work.steps(n)
    q, do = x.q_ring.consumer(), x.do_ring.consumer()
    more = x.bias.ring.consumer() if F.bias else None
    if steps > 0:
        await_rows(F, x.q, x.q_ring, q, work, work.tile(n, 0), VALUES, t)
        s = scores(F, x.k, x.q, q.stage, VALUES)
        s = al.nvvm.wgmma_wait_acc(s, 0)
        for i in al.range(steps - 1):
            dv, s = value_step(F, dv, s, x, q, do, more, work, n, i, scale, t, True)
        dv, s = value_step(F, dv, s, x, q, do, more, work, n, steps - 1, scale, t, False)
    return dv


@avelang.jit
def make_keys(F: Any, x: Any, work: Any, place: Any, t: Any):
    """dK of a block, by the other one. `place`: the tile of keys, the head and the batch."""
    n = place[0]
    dk, steps = al.full((F.d // 2,), 0.0, al.f32), work.steps(n)
    q, do = x.q_ring.consumer(), x.do_ring.consumer()
    more = x.bias.ring.consumer() if F.bias else None
    if steps > 0:
        await_rows(F, x.do, x.do_ring, do, work, work.tile(n, 0), KEYS, t)
        dp = scores(F, x.v, x.do, do.stage, KEYS)
        for i in al.range(steps - 1):
            dk, dp = key_step(F, dk, dp, x, q, do, more, work, place, i, t, True)
        dk, dp = key_step(F, dk, dp, x, q, do, more, work, place, steps - 1, t, False)
    if F.bias_gradient and t == 0:
        al.nvvm.cp_async_bulk_wait_group(0)
    return dk


@avelang.jit
def finish(
    F: Any, OUT: Any, packed: Any, counters: Any, room: Any, sums: Any, work: Any, n: Any, head: Any, batch: Any,
    own: Any, consumer: Any, t: Any,
):  # fmt: skip
    """Brings a consumer's gradient to memory. `room`: memory of K or V, which nobody reads any more."""
    al.nvvm.barrier_sync(WEIGHTS, CONSUMERS * GROUP)
    if F.shared_keys:
        group = work.heads // work.kv_heads
        turn, mine = own % group, batch * work.kv_heads + head
        counter = al.subview(counters, ((mine * work.key_slots() + work.key_slot(n)) * 2 + consumer, 0), (1, 1), (1, 1))
        await_turn(counter, turn, t)
        add_keys(F, OUT, (room,), sums, mine, work.key_slot(n) * F.n, turn, consumer, t)
        end_turn(counter, turn, t)
    else:
        store_keys(F, OUT, packed, room, sums, work, batch, n * F.n, head, consumer, t)
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group(0)
