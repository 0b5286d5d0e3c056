"""A walk of a user's own: K in parts, tiles of C last first; the same parts by the library's scheduler; the kernel that
goes either, and its launch, for tests on the CPU and on a GPU."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Any

import avelang
import avelang.language as al
from avelang import tile
from avelang.pipelines.scheduler import SplitKScheduler, TileScheduler
from avelang.tile.order import Job


@avelang.struct
class Backwards:
    """Tiles of M x N, the last first, each once for each of PARTS parts of K, EACH long but for the last; `at` has the
    part's number."""

    m: ...
    n: ...
    k: ...
    M: al.constexpr
    N: al.constexpr
    PARTS: al.constexpr
    EACH: al.constexpr

    def tiles(self):
        return (self.m + self.M - 1) // self.M, (self.n + self.N - 1) // self.N

    def count(self):
        rows, cols = self.tiles()
        return rows * cols * self.PARTS

    def job(self, index, below, beside):
        rows, cols = self.tiles()
        part, number = index % self.PARTS, rows * cols - 1 - index // self.PARTS
        top, left, begin = number // cols * self.M, number % cols * self.N, part * self.EACH
        return Job((top, self.m), (left, self.n), (begin, min(begin + self.EACH, self.k)), (top, left, part))


@functools.cache
def build(T: tile.Block, dtype: Any, PARTS: int, EACH: int) -> Any:
    """C (PARTS, m, n) in f32: a part of K each; EACH: 0 for equal parts, by the library's scheduler."""
    IN_A, IN_B, _ = T.operands(dtype, al.f32)

    @avelang.jit
    def split(a: IN_A, b: IN_B, c: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):  # type: ignore
        C = tile.view(c, (PARTS, m, n), 1)

        def finish(sums, at):
            part = at[2] if EACH else at[2].own - at[2].first
            # A window of rows of the part: past them begins the next part.
            mine = al.subview(C.data, (part, 0, 0), (1, m, n), (1, 1, 1))
            tile.view(al.view(mine, al.f32, al.make_layout((m, n), (n, 1))), (m, n), 1).store(sums, (at[0], at[1]))

        if EACH:
            tiles = Backwards(m, n, k, T.m, T.n, PARTS, EACH)
        else:
            tiles = SplitKScheduler(TileScheduler(m, n, k, T.m, T.n, T.cluster[0], T.cluster[1]), PARTS, T.k)
        tile.multiply(T, tile.view(a, (m, k), 8), tile.view(b, (n, k), 8), tiles, finish)

    return split


def launch(
    T: tile.Block,
    dtype: Any,
    target: str,
    steps: int,
    a: Any,
    b: Any,
    c: Any,
    sizes: tuple[int, int, int],
    units: int = 2,
    **options: Any,
) -> None:
    """`steps` of the block's k in each part, 0: as many as there are, shared out equally; `c`: (parts, m, n)."""
    m, n, _ = sizes
    G, parts = T.on(target, dtype), c.shape[0]
    count = -(-m // T.m) * -(-n // T.n) * parts
    build(T, dtype, parts, steps * T.k)[min(units, count) if T.pipeline == "tma" else count, G.threads](
        a, b, c, *sizes, target=target, **options
    )
