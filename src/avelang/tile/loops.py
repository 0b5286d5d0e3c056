"""The loops over K of the tile level's pipelines: windows of A and B and a block's product come in; the tile of C goes out.

Each is a device function (G, A, B, k) -> Tile. They differ in when tiles are fetched, kept in shared memory, read and multiplied
(`avelang.tile.pipelines` draws them). Steps past the end of K are zeros: there, windows are outside of their views.
"""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
from avelang.tile.shared import shared
from avelang.tile.tensors import Tile
from avelang.tile.windows import View, arrived, commit

VALU, MFMA, LOAD, READ, WRITE = 0x2, 0x8, 0x20, 0x100, 0x200  # kinds of instructions, as AMD's `sched_group_barrier` knows them


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
def room(G, buffers):
    """Shared memory for so many tiles of A and of B."""
    a = shared((G.m, G.k), G.mma.dtypes[0], buffers, (G.copy_a, G.a))
    return a, shared((G.n, G.k), G.mma.dtypes[1], buffers, (G.copy_b, G.b))


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
def follow(kind, count, products, together=1):
    """Tells AMD's scheduler: `count` groups of instructions of a kind, `together` in each, each followed by so many matrix instructions."""
    if al.target().vendor == "amd":
        for _ in range(count):
            al.amdgpu.sched_group_barrier(kind, together, 0)
            al.amdgpu.sched_group_barrier(MFMA, products, 0)


@avelang.jit
def settle():
    """Nothing moves across here, on AMD."""
    if al.target().vendor == "amd":
        al.amdgpu.sched_barrier(0)


@avelang.jit
def single(G, A, B, k):
    """One buffer: fetch, keep, multiply, one after the other."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = room(G, 1)
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


@avelang.jit
def fetch(A, B, x, y, depth):
    """Asks global memory for the next two halves, in the order in which they are kept."""
    for half in range(2):
        A.load_values(x[half])
        B.load_values(y[half])
        A.move((0, depth))
        B.move((0, depth))


@avelang.jit
def double_buffer(G, A, B, k):
    """Two buffers, each of half a tile of K. While one is multiplied, the next one's fragments are read, the one after that is kept where everybody
    has read, and global memory is asked for the tile after the next. One barrier a half keeps readers and writers of a buffer apart."""
    H = G.halved()
    assert H.steps == 1, "double-buffer: k is two fragments deep"
    I, J = H.count
    EARLY = max(I // 2, I - 2)
    A, B = A.spread(H.copy_a), B.spread(H.copy_b)
    a, b = room(H, 2)
    x, y = al.make_local((2, H.copy_a.elements), A.view.dtype), al.make_local((2, H.copy_b.elements), B.view.dtype)
    part, even, odd = al.make_local((I, H.a_words), al.i32), al.make_local((J, H.b_words), al.i32), al.make_local((J, H.b_words), al.i32)
    READS, COPIES = len(a.plan(H.a)) // I, len(a.plan(H.copy_a)) + len(b.plan(H.copy_b))
    sums, last = new_sums(G), (max(k, 1) - 1) // G.k

    fetch(A, B, x, y, H.k)
    for half in range(2):
        a.store_values(x[half], H.copy_a, half)
        b.store_values(y[half], H.copy_b, half)
    fetch(A, B, x, y, H.k)
    al.syncthreads()
    b.load_into(even, H.b, 0)
    a.load_into(part, H.a, 0, 0, EARLY * READS)

    for _ in al.range(last + 1):
        for half, now, next in ((0, even, odd), (1, odd, even)):
            a.load_into(part, H.a, half, EARLY * READS, I * READS)
            block_gemm.multiply(H, sums, part, now, 0, EARLY)
            follow(READ, (I - EARLY) * READS, 2)
            follow(VALU, 12, 1)
            settle()

            al.syncthreads()
            b.load_into(next, H.b, 1 - half)
            a.load_into(part, H.a, 1 - half, 0, EARLY * READS)
            a.store_values(x[half], H.copy_a, half)
            b.store_values(y[half], H.copy_b, half)
            if half == 1:
                fetch(A, B, x, y, H.k)
            block_gemm.multiply(H, sums, part, now, EARLY, I)
            follow(READ, (J + EARLY) // 2, 1, 2)
            follow(WRITE, COPIES, 1)
            if half == 1:
                follow(LOAD, COPIES, 1, 2)
            settle()
    return tile_of_sums(G, sums)


@avelang.jit
def asynchronous(G, A, B, k, STAGES: al.constexpr = 4):
    """Tiles go straight into shared memory, `STAGES` - 1 of them under way while one is multiplied."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = room(G, STAGES)
    sums, now, next = new_sums(G), al.convert(0, al.u32), al.convert(STAGES - 1, al.u32)
    for s in range(STAGES - 1):
        begin(A, B, a, b, s, G.k)
    for _ in al.range((k + G.k - 1) // G.k):
        arrived(STAGES - 2)
        al.syncthreads()
        begin(A, B, a, b, next, G.k)
        product(G, sums, a, b, now)
        now, next = al.select(now == STAGES - 1, 0, now + 1), now
    arrived(0)
    return tile_of_sums(G, sums)


@avelang.jit
def begin(A, B, a, b, buffer, depth):
    """Begins the copies of a tile."""
    A.load_async(a, buffer)
    B.load_async(b, buffer)
    commit()
    A.move((0, depth))
    B.move((0, depth))


@avelang.jit
def prefetch(G, A, B, k):
    """One buffer; the next tile comes into registers during the products."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = room(G, 1)
    x, y = A.load(), B.load()
    sums = new_sums(G)
    for _ in al.range((k + G.k - 1) // G.k):
        a.store(x)
        b.store(y)
        A.move((0, G.k))
        B.move((0, G.k))
        A.load_into(x)
        B.load_into(y)
        al.syncthreads()
        product(G, sums, a, b, 0)
        al.syncthreads()
    return tile_of_sums(G, sums)


@avelang.jit
def ping_pong(G, A, B, k):
    """Two buffers and two groups of waves, which take turns: while one group reads fragments and copies, the other multiplies. The second group is
    one barrier behind."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = room(G, 2)
    (I, J), sums = G.count, new_sums(G)
    u, v = al.make_local((G.steps * I, G.a_words), al.i32), al.make_local((G.steps * J, G.b_words), al.i32)
    late = al.thread_id(0) >= G.threads // 2
    a.store(A.load())
    b.store(B.load())
    A.move((0, G.k))
    B.move((0, G.k))
    x, y = A.load(), B.load()
    al.syncthreads()
    if late:
        al.syncthreads()
    for _ in al.range((k + 2 * G.k - 1) // (2 * G.k)):
        for half in range(2):
            a.load_into(u, G.a, half)
            b.load_into(v, G.b, half)
            a.store(x, 1 - half)
            b.store(y, 1 - half)
            A.move((0, G.k))
            B.move((0, G.k))
            A.load_into(x)
            B.load_into(y)
            settle()
            al.syncthreads()
            urgent(1)
            mine = al.view(u, al.Tensor((G.steps, I, G.a_words), al.i32)), al.view(v, al.Tensor((G.steps, J, G.b_words), al.i32))
            for step in range(G.steps):
                block_gemm.multiply(G, sums, mine[0][step], mine[1][step], 0, I)
            urgent(0)
            settle()
            al.syncthreads()
    if not late:
        al.syncthreads()
    return tile_of_sums(G, sums)


@avelang.jit
def urgent(priority):
    """Which of its SIMD's waves goes first, on AMD."""
    if al.target().vendor == "amd":
        al.amdgpu.s_setprio(priority)


@avelang.jit
def shuffled(G, B):
    """A view of B, of n x k, as `preshuffle` wrote it: a row for each row of fragments."""
    rows = (B.shape[0] + G.fragment[1] - 1) // G.fragment[1]
    cols = (B.shape[1] + G.depth - 1) // G.depth * (G.depth * G.fragment[1])
    return View(al.view(B.data, B.dtype, al.make_layout((rows, cols), (cols, 1))), (rows, cols), 16 // B.dtype.bytes)


@avelang.jit
def preshuffled(G, A, B, k):
    """Two buffers for A; B lies in global memory as its fragments do (`preshuffle`) and goes straight into registers, one tile ahead."""
    A, B = A.spread(G.copy_a), B.spread(G.shuffled_b)
    a = shared((G.m, G.k), A.view.dtype, 2, (G.copy_a, G.a))
    (I, J), sums = G.count, new_sums(G)
    u, even, odd = al.make_local((G.steps * I, G.a_words), al.i32), B.load(), B.load()
    ALONG = G.shuffled_b.shape[1]
    a.store(A.load())
    A.move((0, G.k))
    x = A.load()
    for _ in al.range((k + 2 * G.k - 1) // (2 * G.k)):
        for half, now, next in ((0, even, odd), (1, odd, even)):
            al.syncthreads()
            a.load_into(u, G.a, half)
            B.move((0, ALONG))
            B.load_into(next)
            a.store(x, 1 - half)
            A.move((0, G.k))
            A.load_into(x)
            mine = (
                al.view(u, al.Tensor((G.steps, I, G.a_words), al.i32)),
                al.view(now.values, al.Tensor((G.steps, J, G.b_words), al.i32)),
            )
            for step in range(G.steps):
                block_gemm.multiply(G, sums, mine[0][step], mine[1][step], 0, I)
            follow(READ, len(a.plan(G.a)), 1)
            follow(VALU, 8, 1)
            follow(WRITE, len(a.plan(G.copy_a)), 1)
            follow(LOAD, len(a.plan(G.copy_a)) + len(B.plan()), 1)
            settle()
    return tile_of_sums(G, sums)
