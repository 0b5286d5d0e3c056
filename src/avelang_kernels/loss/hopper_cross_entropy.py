"""Rows of logits and the class of each come in; the cross entropy of each row goes out, and its gradient takes the
logits' place: as `cross_entropy` computes them, for NVIDIA's Hopper (sm_90a), whose clusters hold a row in their shared
memory. So logits are read once.

Each block of a cluster copies a part of the row, finds its maximum and sum, and hands these to the others."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import RELAXED
from avelang_kernels.loss.cross_entropy import capped, differentiate, joined, loss_of, statistics_of
from avelang_kernels.norm.norms import steps
from avelang_kernels.norm.row_plans import Lines, RowPlan, exchange

THREADS, LOADS = 256, 4
PART = 68 * 1024  # bytes of a block's part of a row, at the most: three blocks share a multiprocessor
MOST_BLOCKS = 8
LEAST = 32 * 1024  # bytes of rows that take clusters


@avelang.struct
class PartOfRow:
    """A part of a row: read from shared memory, (accesses, VEC), and written to `lines`, from access `first` on."""

    held: ...
    lines: ...
    first: ...
    vectors: ...
    VEC: al.constexpr

    def get(self, r: Any, c: Any):
        """Access c of the part."""
        return self.held[c]

    def put(self, r: Any, c: Any, values: Any):
        """Stores access c of the part, rounded."""
        self.lines.put(r, self.first + c, values)

    def load(self, r: Any, first: Any, P: Any):
        """The thread's accesses from `first` on, (loads, VEC); those past the end repeat the last."""
        out = al.make_local((P.loads, self.VEC), self.held.dtype)
        for i in range(P.loads):
            out[i] = self.held[min(first + al.thread_id(0) + i * P.threads, self.vectors - 1)]
        return out


@avelang.jit
def joined_in_cluster(found: Any, BLOCKS: Any, rank: Any, ACC: Any):
    """Joins what the blocks of a cluster have found of their parts, in their order: each gets the result. All of them
    have arrived at the cluster's barrier once, to say that they run."""
    if BLOCKS == 1:
        return found
    peers = al.make_shared((BLOCKS, 4), ACC)
    mine = al.make_local((4,), ACC)
    mine[0], mine[1], mine[2], mine[3] = found[0], found[1], found[2], 0.0
    al.nvvm.cluster_wait()
    if al.thread_id(0) < BLOCKS:
        al.nvvm.st_cluster_x4(peers[rank], al.thread_id(0), al.view(mine, al.Tensor((4,), al.i32)))
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    out = peers[0]
    for i in range(1, BLOCKS):
        out = joined(out, peers[i])
    return out


@functools.cache
def build_loss(P: RowPlan, blocks: int, each: int, CAP: float, dtype: Any, index: Any, *, smooth: bool,
    strided: bool) -> Any:  # fmt: skip
    """The kernel for clusters of so many blocks, each with `each` accesses of a row; the rest as of
    `cross_entropy.build_loss`."""
    acc: Any = al.f32
    S = steps(strided)

    @avelang.jit
    def cross_entropy(
        x: al.Pointer[dtype], chosen: al.Pointer[index], loss: al.Pointer[acc], lse_of: al.Pointer[acc],
        rows: al.u32, vectors: al.u32, ignore: al.i64, smoothing: Annotated[Any, acc], z: Annotated[Any, acc],
        scale: al.Pointer[acc], x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None,
        x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None,
    ):  # fmt: skip
        X = Lines(x, rows, vectors, P.vec, None, None, x0, x1, x2, x3)
        held, came = al.make_shared((each, P.vec), dtype, 128), al.make_shared((1,), al.u64)
        shared, rank, row = exchange(P, 3, acc), al.nvvm.cluster_rank(), al.block_id(0) // blocks
        if blocks > 1:
            al.nvvm.cluster_arrive(RELAXED)
        first = rank * each
        mine = min(vectors - first, each)
        if al.thread_id(0) == 0:
            al.nvvm.mbarrier_init(came, 1)
            al.nvvm.fence_mbarrier_init()
            al.nvvm.mbarrier_arrive_expect_tx(came, mine * (P.vec * dtype.bytes))
            al.nvvm.cp_async_bulk_load(held, X.tensor()[row, first], mine * (P.vec * dtype.bytes), came, 1)
        own = al.convert(al.make_tensor(chosen, index, al.make_layout((rows,)))[row], al.i64)
        al.syncthreads()
        al.nvvm.mbarrier_wait(came, 0)
        part = PartOfRow(held, X, first, mine, P.vec)
        found = statistics_of(part, row, P, mine, shared, al.convert(0, al.u32), CAP, smooth, acc)
        found = joined_in_cluster(found, blocks, rank, acc)
        known, n = (found[0], al.log(found[1])), al.convert(vectors * P.vec, acc)
        count = al.convert(vectors * P.vec, al.i64)
        ignored = own == ignore
        safe = al.convert(al.select(own < 0, 0 * own, al.select(own < count, own, count - 1)), al.u32)
        if al.thread_id(0) == 0 and safe // (P.vec * each) == rank:
            picked = capped(al.convert(part.get(row, safe // P.vec - first)[safe % P.vec], acc), CAP)
            value = loss_of(found, picked, n, smoothing, z)
            value = al.select(own >= 0 and own < count, value, value * 0.0 + float("nan"))
            al.make_tensor(loss, acc, al.make_layout((rows,)))[row] = al.select(ignored, 0.0, value)
            parts = al.make_tensor(lse_of, acc, al.make_layout((rows, 2), (2, 1)))
            parts[row, 0], parts[row, 1] = known[0], known[1]
        factor = al.select(ignored, 0.0, al.make_tensor(scale, acc, al.make_layout((1,)))[0])
        local = own - al.convert(first * P.vec, al.i64)
        differentiate(part, part, row, known, local, factor, smoothing, smoothing / n, z, P, mine, CAP, acc)

    return cross_entropy


def plan_clusters(n: int, vec: int, size: int) -> tuple[RowPlan, int, int] | None:
    """The plan of a block, blocks of a cluster, and accesses of each, for rows of n elements of `size` bytes in
    accesses of `vec`; None where there is none."""
    vectors = n // vec
    if vec * size != 16 or n * size < LEAST:
        return None
    blocks = 1
    while vectors * 16 > blocks * PART:
        blocks *= 2
    each = -(-vectors // blocks)
    if blocks > MOST_BLOCKS or (blocks - 1) * each >= vectors:
        return None
    return RowPlan(THREADS, 1, vec, LOADS, False, False), blocks, each
