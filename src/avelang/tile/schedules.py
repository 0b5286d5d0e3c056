"""Pipelines as parts to choose: a block's tile, the name of a pipeline, and views of A and B come in; tiles of C go to whatever finishes them."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.loops as loops
import avelang.tile.pipelines as pipelines
import avelang.tile.warpgroups as warpgroups
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.tile.order import dealt, tile_of


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Block:
    """How a block multiplies: its tile of C, m x n, and how much of K at a time; the grid of its `waves` over C (of the "tma" pipeline: one
    warpgroup for each 64 rows, beside a producer); the pipeline by name, `stages` of its ring; blocks of a cluster along rows and columns of C; how
    many rows of tiles are gone through together. Raises T301 for the name of a pipeline."""

    m: int
    n: int
    k: int
    waves: tuple[int, int] = (2, 2)
    pipeline: str = "double-buffer"
    stages: int = 4
    cluster: tuple[int, int] = (1, 1)
    together: int = 8

    def __post_init__(self) -> None:
        pipelines.pipeline(self.pipeline)

    def on(self, target: Any, dtype: DType) -> Any:
        """The products of the block on a chip (`al.target()`, or its name). Raises T307, U103."""
        name = getattr(target, "name", target)
        why = pipelines.pipeline(self.pipeline).missing(name)
        if why:
            raise wrong("U103", name=name, what=f"the pipeline {self.pipeline!r}", instead=why)
        if self.pipeline == "tma":
            return warpgroups.group_gemm(dtype, self.m, self.n, self.k, self.stages, self.cluster, self.together, name)
        return block_gemm.block_gemm(name, dtype, self.m, self.n, self.k, self.waves)

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
        return loops.preshuffled(G, A, B, k)
    return loops.asynchronous(G, A, B, k, STAGES)


@avelang.jit
def run(T, A, B, sizes, finish):
    """All tiles of C = A @ B^T that are this block's. `T`: a `Block`; `A` (m, k), `B` (n, k): views; `sizes`: m, n, k; `finish(tile, at)` gets each
    tile of C, f32, and where it begins."""
    m, n, k = sizes
    G = T.on(al.target(), A.dtype)
    if T.pipeline == "tma":
        warpgroups.run(G, A, B, sizes, finish)
    else:
        rows, cols = (m + T.m - 1) // T.m, (n + T.n - 1) // T.n
        row, col = tile_of(dealt(al.block_id(0), rows * cols), rows, cols, T.together)
        top, left = row * T.m, col * T.n
        if T.pipeline == "preshuffled":
            B = loops.shuffled(G, B)
            first = left // G.fragment[1]
        else:
            first = left
        tile = piped(T.pipeline, T.stages, G, A.window((T.m, T.k), (top, 0)), B.window((T.n, T.k), (first, 0)), k)
        finish(tile, (top, left))
