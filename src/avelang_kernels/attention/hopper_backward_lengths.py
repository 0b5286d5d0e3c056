"""Sequences with lengths of their own in the gradients of attention on Hopper: what TMA brought of rows behind a
sequence's last one is set to 0, since 0 times whatever is there need not be 0; the last rows of packed dK and dV are
stored without touching those of the next sequence."""

# No `from __future__ import annotations`, as in the kernels.

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import swizzled
from avelang.pipelines.warp_specialized import GROUP, ROWS
from avelang_kernels.attention.hopper_attention_memory import EIGHT, clear
from avelang_kernels.attention.hopper_backward_products import CHUNK, CLEARED, CONSUMERS, ENDED, SHARED_DS

VALUES, KEYS = 0, 1  # consumers of which one makes dV, the other one dK


@avelang.struct
class PackedRows:
    """Memory of dK or dV of packed sequences as a line, how far heads and rows are apart in it, and the length of a
    row."""

    data: ...
    head: ...
    row: ...
    d: ...

    def store(self, mine: Any, head: Any, row: Any, have: Any, column: Any, t: Any):
        """A warpgroup's part: the first `have` rows of `mine` (64, 8, 8), 64 columns from `column` on."""
        for i in range(ROWS * EIGHT // GROUP):
            r, chunk = (i * GROUP + t) // EIGHT, t % EIGHT
            at = column + chunk * EIGHT
            if r < have and at < self.d:
                first = (
                    al.convert(head, al.u64) * self.head + al.convert(row + r, al.u64) * self.row
                    + al.convert(at, al.u64)
                )  # fmt: skip
                place = al.subview(self.data, (first,), (EIGHT,), (1,))
                al.view(place, self.data.dtype, al.make_layout((1, EIGHT)))[0] = mine[r, swizzled(chunk, r, EIGHT)]


@avelang.jit
def packed_rows(F: Any, place: Any, d: Any):
    """`place`: memory, its size, and how far heads and rows are apart."""
    memory, size, head, row = place
    return PackedRows(al.make_tensor(memory, F.dtype, al.make_layout((size,))), head, row, d)


@avelang.jit
def clear_keys(F: Any, x: Any, work: Any, n: Any, t: Any):
    """Sets rows of K and V behind the last key to 0, by all consumers."""
    if n * F.n + F.n > work.keys:
        first = work.keys - min(n * F.n, work.keys)
        for c in range(F.chunks):
            clear(x.k, (c, 0), first, F.n, t, CONSUMERS * GROUP)
            clear(x.v, (c, 0), first, F.n, t, CONSUMERS * GROUP)
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)


@avelang.jit
def ends_inside(F: Any, work: Any, m: Any):
    """True where a tile of queries has rows of the next sequence."""
    return m * F.m + F.m > work.queries


@avelang.jit
def clear_queries(F: Any, rooms: Any, stages: Any, work: Any, m: Any, t: Any, THREADS: Any):
    """Sets rows of stages of Q or dO, or both, behind the last query to 0."""
    first = work.queries - m * F.m
    for i in range(len(rooms)):
        for c in range(F.chunks):
            clear(rooms[i], (stages[i], c * F.m * CHUNK), first, F.m, t, THREADS)
    al.nvvm.fence_proxy_async_shared()


@avelang.jit
def clear_both(F: Any, x: Any, q: Any, do: Any, work: Any, m: Any, consumer: Any, t: Any):
    """Q and dO of a tile, by both consumers; Q is there, and dO is behind it."""
    if ends_inside(F, work, m):
        x.do_ring.wait(do)
        clear_queries(F, (x.q, x.do), (q.stage, do.stage), work, m, consumer * GROUP + t, CONSUMERS * GROUP)
        al.nvvm.barrier_sync(SHARED_DS, CONSUMERS * GROUP)


@avelang.jit
def await_other(F: Any, x: Any, do: Any, work: Any, m: Any):
    """Waits for dO, where `clear_both` has not."""
    if not ends_inside(F, work, m):
        x.do_ring.wait(do)


@avelang.jit
def clear_own(F: Any, room: Any, state: Any, work: Any, m: Any, consumer: Any, t: Any):
    """Q or dO of a tile, by the consumer that is the first to read it. The other one reads Q after it has got weights,
    but dO before it is told anything else."""
    if ends_inside(F, work, m):
        clear_queries(F, (room,), (state.stage,), work, m, t, GROUP)
        al.nvvm.barrier_sync(ENDED + consumer, GROUP)
        if consumer == KEYS:
            al.nvvm.barrier_arrive(CLEARED, CONSUMERS * GROUP)


@avelang.jit
def await_cleared(F: Any, work: Any, m: Any):
    """Waits for the consumer that tells."""
    if ends_inside(F, work, m):
        al.nvvm.barrier_sync(CLEARED, CONSUMERS * GROUP)
