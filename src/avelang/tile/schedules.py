"""Pipelines as parts to choose: a block's tile, the name of a pipeline, and views of A and B come in; tiles of C go to whatever finishes them."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.loops as loops
import avelang.tile.loops_async as loops_async
import avelang.tile.pipelines as pipelines
import avelang.tile.streams as streams
import avelang.tile.warpgroups as warpgroups
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.tile.order import Rows, dealt


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Block:
    """How a block multiplies: its tile of C, m x n, and how much of K at a time; the grid of its `waves` over C (of the "tma" pipeline: one
    warpgroup for each 64 rows, beside a producer); the pipeline by name, `stages` of its ring; blocks of a cluster along rows and columns of C; how
    many rows of tiles are gone through together; `mma`, the instruction: the name of an MMA of the chip (`avelang.tile.mmas`) or an `Mma`, virtual
    ones too, instead of the widest dense one. Raises T301 for the name of a pipeline."""

    m: int
    n: int
    k: int
    waves: tuple[int, int] = (2, 2)
    pipeline: str = "double-buffer"
    stages: int = 4
    cluster: tuple[int, int] = (1, 1)
    together: int = 8
    mma: Any = None

    def __post_init__(self) -> None:
        pipelines.pipeline(self.pipeline)

    def on(self, target: Any, dtype: DType) -> Any:
        """The products of the block on a chip (`al.target()`, or its name). Raises T301, T307, U103."""
        name = getattr(target, "name", target)
        why = pipelines.pipeline(self.pipeline).missing(name)
        if why:
            raise wrong("U103", name=name, what=f"the pipeline {self.pipeline!r}", instead=why)
        if self.pipeline == "tma" and self.mma is not None:
            raise wrong("T307", name="tma", why=f"its consumers multiply by the wgmma of their tile, and the block asks for {self.mma}")
        if self.pipeline == "tma":
            return warpgroups.group_gemm(dtype, self.m, self.n, self.k, self.stages, self.cluster, name)
        found = block_gemm.block_gemm(name, dtype, self.m, self.n, self.k, self.waves, self.mma)
        deep = pipelines.pipeline(self.pipeline).deep
        if deep and found.steps != deep and not (self.pipeline == "preshuffled" and found.ring):
            raise wrong("T307", name=self.pipeline, why=f"it wants k to be {deep} fragments of {found.depth}, and it is {self.k}")
        return found

    def operands(self, dtype: DType, out: DType) -> tuple[Any, Any, Any]:
        """The annotations of a kernel's A, B and C."""
        if self.pipeline == "tma":
            return warpgroups.maps(dtype, out, self.m, self.n, self.cluster)
        return al.Pointer(dtype), al.Pointer(dtype), al.Pointer(out)

    def grid(self, m: int, n: int, units: int) -> int:
        """Blocks of a launch on a chip with so many units: one a tile, or with "tma" no more than units."""
        below, beside = self.cluster
        clusters = -(-m // (self.m * below)) * -(-n // (self.n * beside))
        return (min(clusters, max(1, units // (below * beside))) if self.pipeline == "tma" else clusters) * below * beside


@avelang.jit
def piped(name, STAGES, G, A, B, k):
    """The tile of C by the pipeline of that name."""
    if name == "single":
        return loops.single(G, A, B, k)
    if name == "prefetch":
        return loops.prefetch(G, A, B, k)
    if name == "double-buffer":
        return loops.double_buffer(G, A, B, k)
    if name == "ping-pong":
        return loops.ping_pong(G, A, B, k)
    if name == "preshuffled":
        return loops_async.preshuffled(G, A, B, k, STAGES)
    if name == "direct-to-lds":
        return loops.direct(G, A, B, k, STAGES)
    if name == "streamed":
        return streams.streamed(G, A, B, k, STAGES)
    return loops_async.asynchronous(G, A, B, k, STAGES)


@avelang.jit
def run(T, A, B, sizes, finish):
    """All tiles of C = A @ B^T that are this block's. `T`: a `Block`; `A` (m, k), `B` (n, k): views; `sizes`: m, n, k, or a walk
    (`avelang.tile.order`), whose affair rows of A and B and parts of K then are. `finish(tile, at)` gets each tile of C, in f32, and where it
    begins (the job's `at`)."""
    G = T.on(al.target(), A.dtype)
    if isinstance(sizes, tuple):
        m, n, k = sizes
        walk = Rows(m, n, k, T.m, T.n, T.cluster[0], T.cluster[1], T.together)
    else:
        walk = sizes
    if T.pipeline == "tma":
        warpgroups.run(G, A, B, walk, finish)
    else:
        count = walk.count()
        if al.block_id(0) < count:
            job = walk.job(dealt(al.block_id(0), count), 0, 0)
            finish(one(T, G, A, B, job), job.at)


@avelang.jit
def one(T, G, A, B, job):
    """The tile of C of a job. All past the job's rows and past its part of K reads as zeros."""
    begin, end = job.k
    first, last = job.b
    if T.pipeline == "preshuffled":
        B, (HIGH, DEEP) = loops.shuffled(G, B), G.unit
        A, first, last = A.cut((job.a[1], end)), first // HIGH, (last + HIGH - 1) // HIGH
        W = B.cut((last, (end + DEEP - 1) // DEEP * (DEEP * HIGH))).window((T.n, T.k), (first, begin * HIGH))
    else:
        A, W = A.cut((job.a[1], end)), B.cut((last, end)).window((T.n, T.k), (first, begin))
    return piped(T.pipeline, T.stages, G, A.window((T.m, T.k), (job.a[0], begin)), W, end - begin)
