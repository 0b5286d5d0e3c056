"""Pipelines as parts to choose: windows of A and B that go along K, and a block's product come in; the tile of C goes out.

Each is a device function (G, A, B, k) -> Tile. They differ in when tiles are fetched, kept in shared memory, read and multiplied
(`avelang.tile.pipelines` draws them).
"""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.tile import block_gemm
from avelang.tile.shared import shared
from avelang.tile.tensors import Tile


@avelang.jit
def fragments(G, data, memory, dist, count, words, buffer, step):
    """Reads all fragments of one step of K."""
    EACH = len(memory.plan(dist)) // G.steps
    memory.load_into(data, dist, buffer, step * EACH, step * EACH + EACH)


@avelang.jit
def product(G, sums, a, b, buffer):
    """Adds the product of the tiles in a buffer."""
    I, J = G.count
    x, y = al.make_local((G.steps * I, G.a_words), al.i32), al.make_local((G.steps * J, G.b_words), al.i32)
    for step in range(G.steps):
        fragments(G, x, a, G.a, I, G.a_words, buffer, step)
        fragments(G, y, b, G.b, J, G.b_words, buffer, step)
        mine = al.view(x, al.Tensor((G.steps, I, G.a_words), al.i32)), al.view(y, al.Tensor((G.steps, J, G.b_words), al.i32))
        block_gemm.multiply(G, sums, mine[0][step], mine[1][step], 0, I)


@avelang.jit
def new_sums(G):
    """Registers for a block's C, zero."""
    I, J = G.count
    return al.full((I, J, G.mma.acc.elements), 0.0, al.f32)


@avelang.jit
def tile_of_sums(G, sums):
    """The same as a tile."""
    return Tile(al.view(sums, al.Tensor((G.c.elements,), al.f32)), G.c)


@avelang.jit
def single(G, A, B, k):
    """One buffer: fetch, keep, multiply, one after the other."""
    a, b = shared((G.m, G.k), A.view.dtype), shared((G.n, G.k), B.view.dtype)
    sums = new_sums(G)
    for _ in al.range((k + G.k - 1) // G.k):
        x, y = A.load(), B.load()
        a.store(x)
        b.store(y)
        al.syncthreads()
        product(G, sums, a, b, 0)
        al.syncthreads()
        A.move((0, G.k))
        B.move((0, G.k))
    return tile_of_sums(G, sums)
