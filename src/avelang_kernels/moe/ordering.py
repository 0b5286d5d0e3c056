"""The experts of tokens come in; the places of tokens in the order of their experts go out: a counting sort, stable, by
a block for each expert."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import copied, named, whole

THREADS = 256
STEPS = tuple(1 << i for i in range(8))  # of a sum over the threads of a block, each twice as far
WORDS: Any = al.Pointer(al.i32)
INDICES: dict[str, Any] = {"int32": al.i32, "int64": al.i64}


@functools.cache
def build(ids_of: al.DType) -> Any:
    """The kernel for a dtype of ids. Block e has expert e, the last block all ids that are none's: each of its threads
    counts in a run of ids what comes before e and what is e's; sums over threads say where its own begin."""

    @avelang.jit
    def expert_order(
        ids: al.Pointer[ids_of], order: Annotated[Any, WORDS], ends: Annotated[Any, WORDS],
        places: Annotated[Any, WORDS], count: al.u32, experts: al.u32, each: al.u32,
    ):  # fmt: skip
        own, thread = al.block_id(0), al.thread_id(0)
        first = thread * each
        last = min(first + each, count)

        def expert(i: Any):
            e = ids[i]
            return al.select((e < 0) | (e >= al.convert(experts, ids_of)), experts, al.convert(e, al.u32))

        before, mine = al.convert(0, al.u32), al.convert(0, al.u32)
        for i in al.range(first, last):
            e = expert(i)
            before += al.select(e < own, 1, 0)
            mine += al.select(e == own, 1, 0)
        shared = al.make_shared((2, THREADS), al.u32)
        shared[0, thread], shared[1, thread] = before, mine
        al.syncthreads()
        for step in STEPS:
            one, two = shared[0, thread], shared[1, thread]
            if thread >= step:
                one += shared[0, thread - step]
                two += shared[1, thread - step]
            al.syncthreads()
            shared[0, thread], shared[1, thread] = one, two
            al.syncthreads()
        start = shared[0, THREADS - 1]
        at = start + shared[1, thread] - mine
        if thread == 0 and own < experts:
            ends[own] = al.convert(start + shared[1, THREADS - 1], al.i32)
        for i in al.range(first, last):
            if expert(i) == own:
                order[at] = al.convert(i, al.i32)
                places[i] = al.convert(at, al.i32)
                at += 1

    return expert_order


def launch(ids: Any, order: Any, ends: Any, places: Any, **options: Any) -> None:
    """The places of ids, counted row by row, in the order of their experts, where experts end among them, and where
    each place stands in that order. ids: int32 or int64, with any strides, fewer than 2^31; the others: int32,
    without gaps, as many as ids, as experts, and as ids. Ids outside of the experts stand behind all."""
    ids = ids if whole(ids) else copied(ids)
    count, experts = math.prod(ids.shape), ends.shape[0]
    build(INDICES[named(ids)])[experts + 1, THREADS](
        ids.reshape(-1), order, ends, places.reshape(-1), count, experts, -(-count // THREADS), **options
    )
