"""The loops over K of the tile level's pipelines: windows of A and B and a block's product come in; the tile of C goes
out.

Each is a device function (G, A, B, k) -> Tile. They differ in when tiles are fetched, kept in shared memory, read and
multiplied (`avelang.tile.pipelines` draws them). Steps past the end of K are zeros: there, windows are outside of their
views."""

from __future__ import annotations

import dataclasses
import math

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.tensors as tensors
from avelang.tile.shared import shared
from avelang.tile.tensors import DistributedTile
from avelang.tile.transforms import as_preshuffled, expectation
from avelang.tile.views import TensorView
from avelang.tile.windows import static_values

VALU, MFMA, LOAD, READ, WRITE = (
    0x2,
    0x8,
    0x20,
    0x100,
    0x200,
)  # kinds of instructions, as AMD's `sched_group_barrier` knows them
MOST = 63  # loads that a wait of AMD's can leave under way


@avelang.jit
def product(G, acc, a, b, buffer):
    """Adds the product of the tiles in a buffer."""
    I, J = G.count
    for step in range(G.steps):
        x, y = al.make_local((I, G.a_words), al.i32), al.make_local((J, G.b_words), al.i32)
        a.load_part(x, G.a, step, G.steps, buffer)
        b.load_part(y, G.b, step, G.steps, buffer)
        block_gemm.multiply(G, acc, x, y, 0, I)


@avelang.jit
def alloc_shared(G, buffers):
    """Shared memory for so many tiles of A and of B."""
    a = shared((G.m, G.k), G.mma.dtypes[0], buffers, (G.copy_a, G.a))
    return a, shared((G.n, G.k), G.mma.dtypes[1], buffers, (G.copy_b, G.b))


@avelang.jit
def make_acc(G):
    """Registers for a block's C, zero, as the instruction's `lower` has accumulators."""
    I, J = G.count
    one = G.mma.expand(al.full((G.mma.acc.elements,), 0, G.mma.dtypes[2]))
    acc = al.make_local((I, J, len(one)), one.dtype)
    for i in range(I):
        for j in range(J):
            acc[i, j] = one
    return acc


@avelang.jit
def acc_tile(G, acc):
    """The same as a tile."""
    I, J = G.count
    out = al.make_local((I, J, G.mma.acc.elements), G.mma.dtypes[2])
    for i in range(I):
        for j in range(J):
            out[i, j] = G.mma.collapse(acc[i, j])
    return DistributedTile(al.view(out, al.Tensor((G.c.elements,), out.dtype)), G.c)


@avelang.jit
def sched_interleave(kind, count, products, together=1):
    """Tells AMD's scheduler: `count` groups of instructions of a kind, `together` in each, each followed by so many
    matrix instructions."""
    if al.target().vendor == "amd":
        for _ in range(count):
            al.amdgpu.sched_group_barrier(kind, together, 0)
            al.amdgpu.sched_group_barrier(MFMA, products, 0)


@avelang.jit
def sched_barrier():
    """Nothing moves across here, on AMD."""
    if al.target().vendor == "amd":
        al.amdgpu.sched_barrier(0)


@avelang.jit
def single(G, A, B, k):
    """One buffer: fetch, keep, multiply, one after the other."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = alloc_shared(G, 1)
    acc = make_acc(G)
    for _ in al.range((k + G.k - 1) // G.k):
        x, y = A.load(), B.load()
        a.store(x)
        b.store(y)
        al.syncthreads()
        product(G, acc, a, b, 0)
        al.syncthreads()
        A.move((0, G.k))
        B.move((0, G.k))
    return acc_tile(G, acc)


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
    """Two buffers, each of half a tile of K. While one is multiplied, the next one's fragments are read, the one after
    that is kept where everybody has read, and global memory is asked for the tile after the next. One barrier a half
    keeps readers and writers of a buffer apart."""
    H = G.half_k()
    I, J = H.count
    EARLY = max(I // 2, I - 2)
    A, B = A.spread(H.copy_a), B.spread(H.copy_b)
    a, b = alloc_shared(H, 2)
    x, y = al.make_local((2, H.copy_a.elements), A.view.dtype), al.make_local((2, H.copy_b.elements), B.view.dtype)
    part, even, odd = (
        al.make_local((I, H.a_words), al.i32),
        al.make_local((J, H.b_words), al.i32),
        al.make_local((J, H.b_words), al.i32),
    )
    READS, COPIES = a.reads(H.a) // I, len(a.plan(H.copy_a)) + len(b.plan(H.copy_b))
    acc, last = make_acc(G), (max(k, 1) - 1) // G.k

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
            block_gemm.multiply(H, acc, part, now, 0, EARLY)
            sched_interleave(READ, (I - EARLY) * READS, 2)
            sched_interleave(VALU, 12, 1)
            sched_barrier()

            al.syncthreads()
            b.load_into(next, H.b, 1 - half)
            a.load_into(part, H.a, 1 - half, 0, EARLY * READS)
            a.store_values(x[half], H.copy_a, half)
            b.store_values(y[half], H.copy_b, half)
            if half == 1:
                fetch(A, B, x, y, H.k)
            block_gemm.multiply(H, acc, part, now, EARLY, I)
            sched_interleave(READ, (J + EARLY) // 2, 1, 2)
            sched_interleave(WRITE, COPIES, 1)
            if half == 1:
                sched_interleave(LOAD, COPIES, 1, 2)
            sched_barrier()
    return acc_tile(G, acc)


@avelang.constant
def one_fragment(G):
    """The same product with one fragment along K."""
    return dataclasses.replace(G, k=G.depth)


@avelang.jit
def direct(G, A, B, k, STAGES: al.constexpr = 2):
    """As `double_buffer`, but global memory is loaded straight into LDS, `STAGES` tiles of K in buffers one fragment
    deep. Each buffer is an allocation of its own: LLVM then sees that a read of one need not wait for what is on its
    way to another."""
    H = one_fragment(G)
    I, J = H.count
    EARLY = max(1, I // 4)  # most products after the barrier, with the loads: each takes three slots to issue
    A, B = A.spread(H.copy_a), B.spread(H.copy_b)
    BUFFERS = max(2, STAGES * G.steps) if A.row_bounded() else 2  # through registers nothing stays under way
    rooms = tuple([alloc_shared(H, 1) for _ in range(BUFFERS)])
    part, even, odd = (
        al.make_local((I, H.a_words), al.i32),
        al.make_local((J, H.b_words), al.i32),
        al.make_local((J, H.b_words), al.i32),
    )
    READS, LOADS = rooms[0][0].reads(H.a) // I, A.loads_into(rooms[0][0]) + B.loads_into(rooms[0][1])
    acc, ROUND = make_acc(G), math.lcm(2, BUFFERS)

    for a, b in rooms:
        copy(A, B, a, b, H.k)
    wait_loads(LOADS * (BUFFERS - 1))
    al.syncthreads()
    rooms[0][1].load_into(even, H.b)
    rooms[0][0].load_into(part, H.a, 0, 0, EARLY * READS)

    for _ in al.range((k + ROUND * H.k - 1) // (ROUND * H.k)):
        for phase in range(ROUND):
            (a, b), (c, d) = rooms[phase % BUFFERS], rooms[(phase + 1) % BUFFERS]
            now, next = (even, odd) if phase % 2 == 0 else (odd, even)
            a.load_into(part, H.a, 0, EARLY * READS, I * READS)
            block_gemm.multiply(H, acc, part, now, 0, EARLY)
            sched_interleave(READ, (I - EARLY) * READS, 2)
            sched_interleave(VALU, 12, 1)
            sched_barrier()

            wait_loads(LOADS * (BUFFERS - 2))
            al.syncthreads()
            d.load_into(next, H.b)
            c.load_into(part, H.a, 0, 0, EARLY * READS)
            copy(A, B, a, b, H.k)
            block_gemm.multiply(H, acc, part, now, EARLY, I)
            sched_interleave(READ, (J + EARLY) // 2, 1, 2)
            sched_interleave(LOAD, LOADS, 1)
            sched_barrier()
    wait_loads(0)
    return acc_tile(G, acc)


@avelang.jit
def copy(A, B, a, b, depth):
    """Begins the copies of a tile of K to LDS."""
    A.load_async(a)
    B.load_async(b)
    A.move((0, depth))
    B.move((0, depth))


@avelang.jit
def wait_loads(pending):
    """Waits until all of the wave's loads but the newest `pending` are there, on AMD."""
    if al.target().vendor == "amd":
        al.amdgpu.s_waitcnt(min(pending, MOST), 7, 15)


@avelang.jit
def prefetch(G, A, B, k):
    """One buffer; the next tile comes into registers during the products."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = alloc_shared(G, 1)
    x, y = A.load(), B.load()
    acc = make_acc(G)
    for _ in al.range((k + G.k - 1) // G.k):
        a.store(x)
        b.store(y)
        A.move((0, G.k))
        B.move((0, G.k))
        A.load_into(x)
        B.load_into(y)
        al.syncthreads()
        product(G, acc, a, b, 0)
        al.syncthreads()
    return acc_tile(G, acc)


@avelang.jit
def alternate_barrier(G, late):
    """A barrier of the whole block at which its two groups of waves are in different places of the program. On NVIDIA
    two, since compute-sanitizer's synccheck takes a barrier of all threads to be in one place: the late group waits for
    the other and then answers, so that nobody comes to a barrier again before all have left it."""
    if al.target().vendor == "amd":
        al.syncthreads()
    elif late:
        al.nvvm.barrier_sync(1, G.threads)
        al.nvvm.barrier_arrive(2, G.threads)
    else:
        al.nvvm.barrier_arrive(1, G.threads)
        al.nvvm.barrier_sync(2, G.threads)


@avelang.jit
def ping_pong(G, A, B, k):
    """Two buffers and two groups of waves, which take turns: while one group reads fragments and copies, the other
    multiplies, and asks global memory for what it will copy in its next turn. The second group is one barrier
    behind."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = alloc_shared(G, 2)
    (I, J), acc = G.count, make_acc(G)
    u, v = al.make_local((G.steps * I, G.a_words), al.i32), al.make_local((G.steps * J, G.b_words), al.i32)
    COPIES, late = len(A.plan()) + len(B.plan()), al.thread_id(0) >= G.threads // 2
    a.store(A.load())
    b.store(B.load())
    A.move((0, G.k))
    B.move((0, G.k))
    x, y = A.load(), B.load()
    alternate_barrier(G, late)
    if late:
        alternate_barrier(G, late)
    turn(G, (a, u, x), (b, v, y), 0)
    for _ in al.range((k + 2 * G.k - 1) // (2 * G.k)):
        for half in range(2):
            alternate_barrier(G, late)
            setprio(1)
            A.move((0, G.k))
            B.move((0, G.k))
            A.load_into(x)
            B.load_into(y)
            mine = (
                al.view(u, al.Tensor((G.steps, I, G.a_words), al.i32)),
                al.view(v, al.Tensor((G.steps, J, G.b_words), al.i32)),
            )
            for step in range(G.steps):
                block_gemm.multiply(G, acc, mine[0][step], mine[1][step], 0, I)
            sched_interleave(VALU, 6, 1)
            sched_interleave(LOAD, COPIES, 1)
            sched_barrier()
            setprio(0)
            alternate_barrier(G, late)
            turn(G, (a, u, x), (b, v, y), 1 - half)
    if not late:
        alternate_barrier(G, late)
    return acc_tile(G, acc)


@avelang.jit
def turn(G, of_a, of_b, half):
    """Reads the fragments of one buffer and fills the other one: (buffers, fragments, the tile that has come) of A and
    of B."""
    (a, u, x), (b, v, y) = of_a, of_b
    a.load_into(u, G.a, half)
    b.load_into(v, G.b, half)
    wait_loads(0)  # asked for two turns ago: one wait, not one for each store
    a.store(x, 1 - half)
    b.store(y, 1 - half)
    sched_barrier()


@avelang.jit
def setprio(priority):
    """Which of its SIMD's waves goes first, on AMD."""
    if al.target().vendor == "amd":
        al.amdgpu.s_setprio(priority)


@avelang.jit
def preshuffled_view(G, B):
    """A view of B, of n x k, as `preshuffle` wrote it: a row for each row of units. Raises T313 for one that lies in
    another way."""
    HIGH, DEEP = G.unit
    (row, one), columns = B.data.strides, B.shape[1]
    as_preshuffled(len(B.steps), columns if isinstance(columns, int) else None, static_values((row, one)))
    if not isinstance(one, int):
        al.expect(one == 1, expectation("preshuffled"), one)
    if not (isinstance(row, int) and isinstance(columns, int)):
        al.expect(row == columns, expectation("preshuffled"), row)
    rows = (B.shape[0] + HIGH - 1) // HIGH
    cols = (B.shape[1] + DEEP - 1) // DEEP * (DEEP * HIGH)
    # The array has whole units, and so more than the n x k elements that B's view says: so many rows as a number of the
    # run.
    layout = al.make_layout((al.convert(rows, al.u32), cols), (cols, 1))
    return TensorView(al.view(B.data, B.dtype, layout), (rows, cols), 16 // B.dtype.bytes, (), True)


@avelang.jit
def preshuffled(G, A, B, k):
    """Two buffers for A, each of half a tile of K, as of `double_buffer`; B lies in global memory as its fragments do
    (`preshuffle`) and goes straight into registers: half a tile ahead, or three halves where few registers hold the
    sums."""
    H = G.half_k()
    I, J = H.count
    EARLY, SETS = max(1, I // 2, I - 2), 4 if G.c.elements <= 64 else 2
    A, B = A.spread(H.copy_a), B.spread(H.preshuffled_b)
    a = shared((H.m, H.k), A.view.dtype, 2, (H.copy_a, H.a))
    x, part = al.make_local((2, H.copy_a.elements), A.view.dtype), al.make_local((I, H.a_words), al.i32)
    READS, COPIES, ALONG = a.reads(H.a) // I, len(a.plan(H.copy_a)), H.preshuffled_b.shape[1]
    acc, sets = make_acc(G), tuple([tensors.full(H.preshuffled_b, 0, B.view.dtype) for _ in range(SETS)])

    fetch_one(A, x, H.k)
    for half in range(2):
        a.store_values(x[half], H.copy_a, half)
    for n in range(SETS - 1):
        B.load_into(sets[n])
        B.move((0, ALONG))
    sched_barrier()  # loads in the order of the loop: a wait for B's then leaves A's under way
    fetch_one(A, x, H.k)
    al.syncthreads()
    a.load_into(part, H.a, 0, 0, EARLY * READS)

    for _ in al.range((k + SETS * H.k - 1) // (SETS * H.k)):
        for n in range(SETS):
            half, now = n % 2, al.view(sets[n].values, al.Tensor((J, H.b_words), al.i32))
            B.load_into(sets[(n + SETS - 1) % SETS])
            B.move((0, ALONG))
            a.load_into(part, H.a, half, EARLY * READS, I * READS)
            block_gemm.multiply(H, acc, part, now, 0, EARLY)
            sched_interleave(READ, (I - EARLY) * READS, 2)
            sched_interleave(VALU, 4, 1)
            sched_interleave(LOAD, len(B.plan()), 2)
            sched_barrier()

            al.syncthreads()
            a.load_into(part, H.a, 1 - half, 0, EARLY * READS)
            a.store_values(x[half], H.copy_a, half)
            if half == 1:
                fetch_one(A, x, H.k)
            block_gemm.multiply(H, acc, part, now, EARLY, I)
            sched_interleave(READ, EARLY // 2, 1, 2)
            sched_interleave(WRITE, COPIES, 1)
            if half == 1:
                sched_interleave(LOAD, COPIES, 1, 2)
            sched_barrier()
    return acc_tile(G, acc)


@avelang.jit
def fetch_one(A, x, depth):
    """`fetch` of A alone."""
    for half in range(2):
        A.load_values(x[half])
        A.move((0, depth))
