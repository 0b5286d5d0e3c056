"""Pipelines as parts to choose: a block's tile, the name of a pipeline, and views of A and B come in; tiles of C go to
whatever finishes them."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.loops as loops
import avelang.tile.loops_async as loops_async
import avelang.tile.pipelines as pipelines
import avelang.tile.streams as streams
import avelang.tile.tensor_blocks as tensor_blocks
import avelang.tile.warpgroups as warpgroups
from avelang.base.places import wrong
from avelang.base.takes import placed
from avelang.ir.dtypes import DType
from avelang.pipelines.scheduler import StreamKScheduler, TileScheduler, xcd_remap
from avelang.tile.order import SCHEDULERS, WalkScheduler, WorkTile, place_in_c
from avelang.tile.tensors import DistributedTile, refuse


def _whole(x: object, least: int) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and x >= least


@avelang.constant
@dataclasses.dataclass(frozen=True)
class BlockConfig:
    """The block of a product: its tile of C, m x n, and how much of K at a time; the grid of its `waves` over C (of the
    "tma" pipeline: one warpgroup for each 64 rows, beside a producer); the pipeline by name, `stages` of its ring;
    blocks of a cluster along rows and columns of C; how many rows of tiles are gone through together; `mma`, the
    instruction: the name of an MMA of the chip (`avelang.tile.mmas`) or an `Mma`, virtual ones too, instead of the
    widest dense one. Raises T301 for the name of a pipeline, for numbers that are none or too small, and for a cluster
    with a pipeline that has none."""

    m: int
    n: int
    k: int
    waves: tuple[int, int] = (2, 2)
    pipeline: str = "double-buffer"
    stages: int = 4
    cluster: tuple[int, int] = (1, 1)
    group_m: int = 8
    mma: Any = None
    together: dataclasses.InitVar[int | None] = None  # `group_m` by its former name
    # The pipeline that this name had when the block was made: kernels know it by the block, not by a table.
    own: pipelines.Pipeline = dataclasses.field(init=False, repr=False)

    def __post_init__(self, together: int | None) -> None:
        if together is not None:
            object.__setattr__(self, "group_m", together)
        object.__setattr__(self, "own", pipelines.pipeline(self.pipeline))
        for name in ("m", "n", "k", "stages", "group_m"):
            least = 2 if name == "stages" and self.pipeline in ("cp-async", "preshuffled", "streamed") else 1
            if not _whole(getattr(self, name), least):
                raise wrong("T301", what=f"{name} of a Block", want=f"an integer from {least}",
                            got=repr(getattr(self, name)))
        for name in ("waves", "cluster"):
            pair = getattr(self, name)
            if not isinstance(pair, tuple) or len(pair) != 2 or not all(_whole(x, 1) for x in pair):
                raise wrong("T301", what=f"{name} of a Block", want="two integers from 1, along rows and columns of C",
                            got=repr(pair))
        if self.cluster != (1, 1) and self.pipeline != "tma":
            raise wrong("T301", what="cluster of a Block",
                        want=f'(1, 1) with the pipeline {self.pipeline!r}: "tma" has clusters', got=self.cluster)

    @placed
    def on(self, target: Any, dtype: DType) -> Any:
        """The products of the block on a chip (`al.target()`, or its name). Raises T032, T301, T307, U103."""
        if not isinstance(dtype, DType):
            raise wrong("T032", what="the product of a Block", got=repr(dtype))
        return self._on(getattr(target, "name", target), dtype)

    @functools.lru_cache(256)  # noqa: B019 (each launch asks for its threads; blocks are few and small)
    def _on(self, name: str, dtype: DType) -> Any:
        why = self.own.missing(name)
        if why:
            have = ", ".join(p.name for p in pipelines.PIPELINES.values() if not p.missing(name))
            raise wrong("U103", name=name, what=f"the pipeline {self.pipeline!r}", instead=f"{why}; it has {have}")
        if math.prod(self.waves) % self.own.groups and self.pipeline != "tma":
            raise wrong(
                "T307",
                name=self.pipeline,
                why=f"its groups of waves take turns: it wants an even number of waves, and {self.waves} are "
                f"{math.prod(self.waves)}",
            )
        if self.pipeline == "tma" and self.mma is not None:
            raise wrong("T307", name="tma",
                        why=f"its tile has one instruction on each chip, and the block asks for {self.mma}")
        if self.pipeline == "tma":
            made = tensor_blocks.tensor_gemm if pipelines.in_tensor_memory(name) else warpgroups.tma_gemm
            return made(dtype, self.m, self.n, self.k, self.stages, self.cluster, name)
        found = block_gemm.block_gemm(name, dtype, self.m, self.n, self.k, self.waves, self.mma)
        if self.own.policy is not None:
            found = self._by_policy(found, name)
        deep = self.own.deep
        if deep and found.steps != deep and not (self.pipeline == "preshuffled" and found.ring):
            raise wrong("T307", name=self.pipeline,
                        why=f"it wants k to be {deep} fragments of {found.depth}, and it is {self.k}")
        return found

    def _by_policy(self, found: block_gemm.BlockGemm, name: str) -> block_gemm.BlockGemm:
        changed = self.own.policy(found, name)
        if not isinstance(changed, block_gemm.BlockGemm) or (changed.m, changed.n) != (found.m, found.n):
            raise wrong("T301", what=f"what the policy of the pipeline {self.pipeline!r} gives",
                        want=f"the product of a block of {found.m} x {found.n}", got=repr(changed))
        return changed

    @placed
    def operands(self, dtype: DType, out: DType) -> tuple[Any, Any, Any]:
        """The annotations of a kernel's A, B and C."""
        if self.pipeline == "tma":
            return warpgroups.tensor_maps(dtype, out, self.m, self.n, self.cluster)
        return al.Pointer(dtype), al.Pointer(dtype), al.Pointer(out)

    @placed
    def grid(self, m: int, n: int, units: int) -> int:
        """Blocks of a launch on a chip with so many units: one a tile, or with "tma" no more than units."""
        cluster_m, cluster_n = self.cluster
        clusters = -(-m // (self.m * cluster_m)) * -(-n // (self.n * cluster_n))
        return (
            (min(clusters, max(1, units // (cluster_m * cluster_n))) if self.pipeline == "tma" else clusters)
            * cluster_m
            * cluster_n
        )


BlockConfig.__init__ = placed(BlockConfig.__init__)  # type: ignore[method-assign]


Block = BlockConfig  # the public name


@avelang.jit
def mainloop(name, STAGES, G, A, B, k):
    """The tile of C by the pipeline of that name."""
    if name in ("single", "prefetch"):
        return loops.one_buffer(G, A, B, k, name == "prefetch")
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


@avelang.constant
def operand(name: str, dimensions: int, dtype: DType, mapped: bool, T: BlockConfig, want: DType) -> None:
    """Checks that A or B is a view that the product takes. Raises T301."""
    if dimensions != 2:
        raise wrong("T301", what=name, want="a view of two dimensions, rows and K", got=f"one of {dimensions}")
    if dtype != want:
        raise wrong("T301", what=name, want=f"of {want}, which the product takes", got=dtype)
    if mapped != (T.pipeline == "tma"):
        wanted, got = "a pointer or a tensor", "a tensor map"
        if T.pipeline == "tma":
            wanted, got = "a tensor map, a parameter with the annotation that `operands` of the block gives", wanted
        raise wrong("T301", what=f"the memory of {name}, with the pipeline {T.pipeline!r},", want=wanted, got=got)


@avelang.jit
def run(T, A, B, sizes, finish):
    """All tiles of C = A @ B^T that are this block's. `T`: a `BlockConfig`; `A` (m, k), `B` (n, k): views; `sizes`: m,
    n, k, a scheduler of `avelang.pipelines`, or a walk (`avelang.tile.order`), which say which rows of A and B and
    which part of K a tile takes. `finish(tile, at)` gets each tile of C, in f32, and `at` of its `WorkTile`, with its
    `Peers` as the last where a scheduler splits K. Raises T301 for what is no view of a matrix of the product's dtype,
    T307 and U103 as `BlockConfig.on`."""
    if not isinstance(T, BlockConfig):
        refuse("how a block multiplies", "a tile.Block", T)
    for name, x in (("A", A), ("B", B)):
        if isinstance(x, (al.Pointer, al.Tensor, al.TensorMap)):
            refuse(name, "a view: tile.view(memory, (rows, k), vector)", "memory without a shape")
    G = T.on(al.target(), A.dtype)
    operand("A", len(A.shape), A.dtype, isinstance(A.data, al.TensorMap), T, G.mma.dtypes[0])
    operand("B", len(B.shape), B.dtype, isinstance(B.data, al.TensorMap), T, G.mma.dtypes[1])
    al.expect_threads(G.threads, True)
    scheduler = scheduler_of(T, sizes)
    if T.pipeline == "tma":
        if isinstance(G, tensor_blocks.TensorGemm):
            tensor_blocks.run(G, A, B, scheduler, finish)
        else:
            warpgroups.run(G, A, B, scheduler, finish)
    else:
        if isinstance(scheduler, StreamKScheduler):
            run_stream(T, G, A, B, scheduler, finish)
            return
        count = scheduler.count()
        al.expect(al.grid_dim(0) >= count,
                  "a block along x for each tile of C, as many as T.grid(m, n, units) or the walk's count() says",
                  count)
        if al.block_id(0) < count:
            work = scheduler.work_tile(xcd_remap(al.block_id(0), count, al.target().dies), 0, 0)
            if not isinstance(work, WorkTile):
                refuse("what `job` of a walk gives", "an avelang.tile.order.WorkTile", "something else")
            finish(one_tile(T, G, A, B, work), place_in_c(work))


@avelang.jit
def run_stream(T, G, A, B, scheduler, finish):
    """The tiles of which some steps are in this block's run, one after another. For AMD: elsewhere copies to shared
    memory would still be under way when the next tile begins."""
    if al.target().vendor != "amd":
        refuse("the scheduler of a block that makes one tile", "one of whole units of work", "a StreamKScheduler")
    first, end, stride = scheduler.span()
    for index in al.range(first, end, stride):
        al.syncthreads()  # all have read what the tile before had in shared memory
        work = scheduler.work_tile(index, 0, 0)
        # LLVM computes them in vector registers, from which no resource may come.
        work.k = al.amdgpu.readfirstlane(work.k[0]), al.amdgpu.readfirstlane(work.k[1])
        finish(one_tile(T, G, A, B, work), place_in_c(work))


@avelang.jit
def scheduler_of(T, sizes):
    """The tile scheduler of a block: of m, n and k, of a walk, or the one that is given."""
    if isinstance(sizes, SCHEDULERS):
        return sizes
    if not isinstance(sizes, tuple):
        return WalkScheduler(sizes, T.cluster[0] * T.cluster[1])
    if len(sizes) != 3:
        refuse("the sizes of a product", "(m, n, k), or a walk", len(sizes))
    m, n, k = sizes
    return TileScheduler(m, n, k, T.m, T.n, T.cluster[0], T.cluster[1], T.group_m)


@avelang.jit
def one_tile(T, G, A, B, work):
    """The tile of C of a `WorkTile`. All past its rows and past its part of K reads as zeros."""
    begin, end = work.k
    first, last = work.b
    if T.pipeline == "preshuffled":
        B, (HIGH, DEEP) = loops.preshuffled_view(G, B), G.unit
        A, first, last = A.cut((work.a[1], end)), first // HIGH, (last + HIGH - 1) // HIGH
        W = (
            B.cut((last, (end + DEEP - 1) // DEEP * (DEEP * HIGH)))
            .window((T.n, T.k), (first, begin * HIGH))
            .starts_inside()
        )
    else:
        A, W = A.cut((work.a[1], end)), B.cut((last, end)).window((T.n, T.k), (first, begin)).starts_inside()
    V = A.window((T.m, T.k), (work.a[0], begin)).starts_inside()
    if T.own.loop is None:
        return mainloop(T.pipeline, T.stages, G, V, W, end - begin)
    found = T.own.loop(G, V, W, end - begin, T.stages)
    if not isinstance(found, DistributedTile):
        refuse("what the loop of a pipeline gives", "the tile of C: loops.acc_tile(G, acc)", "something else")
    return found
