"""The loops over K of the tile level's pipelines: windows of A and B and a block's product come in; the tile of C goes
out.

Each is a device function (G, A, B, k) -> Tile. They differ in when tiles are fetched, kept in shared memory, read and
multiplied (`avelang.tile.pipelines` draws them). Steps past the end of K are zeros: there, windows are outside of their
views."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.tensors as tensors
from avelang.pipelines.lds import alternate_barrier, lds_mainloop
from avelang.pipelines.ring import wait_loads
from avelang.pipelines.scheduling import (
    DS_READ,
    DS_WRITE,
    VALU,
    VMEM_READ,
    sched_barrier,
    sched_interleave,
    setprio,
    spread,
)
from avelang.tile.shared import shared
from avelang.tile.tensors import DistributedTile
from avelang.tile.transforms import as_preshuffled, expectation
from avelang.tile.views import TensorView
from avelang.tile.windows import static_values


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
def alloc_shared(G, buffers) -> Any:
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
    """The accumulators as a tile of C."""
    I, J = G.count
    out = al.make_local((I, J, G.mma.acc.elements), G.mma.dtypes[2])
    for i in range(I):
        for j in range(J):
            out[i, j] = G.mma.collapse(acc[i, j])
    return DistributedTile(al.view(out, al.Tensor((G.c.elements,), out.dtype)), G.c)


@avelang.jit
def one_buffer(G, A, B, k, AHEAD):
    """One buffer. `AHEAD`: the next tile comes into registers during the products; else load, store and products follow
    one another."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = alloc_shared(G, 1)
    if AHEAD:
        x, y = A.load(), B.load()
    acc = make_acc(G)
    for _ in al.range((k + G.k - 1) // G.k):
        if not AHEAD:
            x, y = A.load(), B.load()
        a.store(x)  # type: ignore
        b.store(y)  # type: ignore
        if AHEAD:
            A.move((0, G.k))
            B.move((0, G.k))
            A.load_into(x)  # type: ignore
            B.load_into(y)  # type: ignore
        al.syncthreads()
        product(G, acc, a, b, 0)
        al.syncthreads()
        if not AHEAD:
            A.move((0, G.k))
            B.move((0, G.k))
    return acc_tile(G, acc)


@avelang.jit
def load_half(operands, half, depth):
    """Asks global memory for the next half of a tile. `operands`: (window, registers) of each."""
    for window, values in operands:
        window.load_values(values[half])
    for window, _ in operands:
        window.move((0, depth))


@avelang.constant
def early_rows(I):
    """Count of the I rows of fragments that are multiplied before the barrier of a half. Behind it stand all other
    reads, stores and loads: spread over few products, they fill the queues of LDS and memory."""
    return max(1, I // 2) if I > 4 else 1


@avelang.jit
def double_buffer(G, A, B, k):
    """Two buffers, each of half a tile of K. While one is multiplied, the next one's fragments are read, the one after
    that is stored where all waves have read, and global memory is asked for the same half of the tile after the next: a
    whole tile before it is stored."""
    H = G.half_k()
    I, J = H.count
    EARLY = early_rows(I)
    A, B = A.spread(H.copy_a), B.spread(H.copy_b)
    a, b = alloc_shared(H, 2)
    x, y = al.make_local((2, H.copy_a.elements), A.view.dtype), al.make_local((2, H.copy_b.elements), B.view.dtype)
    part, sets = al.make_local((I, H.a_words), al.i32), fragment_sets(H)
    READS, COPIES = a.reads(H.a) // I, len(a.plan(H.copy_a)) + len(b.plan(H.copy_b))
    acc, last = make_acc(G), (max(k, 1) - 1) // G.k
    operands = ((A, x), (B, y))

    for half in range(2):
        load_half(operands, half, H.k)
    for half in range(2):
        a.store_values(x[half], H.copy_a, half)
        b.store_values(y[half], H.copy_b, half)
    for half in range(2):
        load_half(operands, half, H.k)
    al.syncthreads()
    b.load_into(sets[0], H.b, 0)
    a.load_into(part, H.a, 0, 0, EARLY * READS)

    def first(step, half):
        a.load_into(part, H.a, half, EARLY * READS, I * READS)

    def second(step, half):
        b.load_into(sets[1 - half], H.b, 1 - half)
        a.load_into(part, H.a, 1 - half, 0, EARLY * READS)
        a.store_values(x[half], H.copy_a, half)
        b.store_values(y[half], H.copy_b, half)
        load_half(operands, half, H.k)

    def multiply(half, begin, end):
        block_gemm.multiply(H, acc, part, sets[half], begin, end)

    ROW, LOADS = J * len(H.parts), len(A.plan()) + len(B.plan())
    BEFORE = spread(EARLY * ROW, (DS_READ, (I - EARLY) * READS))
    AFTER = spread((I - EARLY) * ROW, (DS_READ, b.reads(H.b) + EARLY * READS), (DS_WRITE, COPIES), (VMEM_READ, LOADS))
    lds_mainloop(last + 1, 2, I, EARLY, first, second, multiply, al.syncthreads, BEFORE, (AFTER, AFTER))
    return acc_tile(G, acc)


@avelang.jit
def fragment_sets(H):
    """Registers for two sets of B's fragments: one to multiply, one to read into."""
    J = H.count[1]
    return al.make_local((J, H.b_words), al.i32), al.make_local((J, H.b_words), al.i32)


@avelang.constant
def one_fragment(G):
    """The block's product with one fragment along K."""
    return dataclasses.replace(G, k=G.depth)


@avelang.jit
def direct(G, A, B, k, STAGES: al.constexpr = 2):
    """As `double_buffer`, but global memory is loaded straight into LDS, `STAGES` tiles of K in buffers one fragment
    deep. Each buffer is an allocation of its own: LLVM then sees that a read of one need not wait for loads to
    another."""
    H = one_fragment(G)
    I, J = H.count
    EARLY = max(1, I // 4)  # most products behind the barrier, with the loads: each takes three slots to issue
    A, B = A.spread(H.copy_a), B.spread(H.copy_b)
    BUFFERS = max(2, STAGES * G.steps) if A.row_bounded() else 2  # through registers nothing stays in flight
    buffers = tuple([alloc_shared(H, 1) for _ in range(BUFFERS)])
    part, sets = al.make_local((I, H.a_words), al.i32), fragment_sets(H)
    READS, LOADS = buffers[0][0].reads(H.a) // I, A.loads_into(buffers[0][0]) + B.loads_into(buffers[0][1])
    acc, ROUND = make_acc(G), math.lcm(2, BUFFERS)

    def sync():
        wait_loads(LOADS * (BUFFERS - 2))
        al.syncthreads()

    def read_next(phase):
        a, b = buffers[phase % BUFFERS]
        b.load_into(sets[phase % 2], H.b)
        a.load_into(part, H.a, 0, 0, EARLY * READS)

    def first(step, phase):
        buffers[phase % BUFFERS][0].load_into(part, H.a, 0, EARLY * READS, I * READS)

    def second(step, phase):
        read_next(phase + 1)
        copy(A, B, buffers[phase % BUFFERS][0], buffers[phase % BUFFERS][1], H.k)

    def multiply(phase, begin, end):
        block_gemm.multiply(H, acc, part, sets[phase % 2], begin, end)

    for a, b in buffers:
        copy(A, B, a, b, H.k)
    wait_loads(LOADS * (BUFFERS - 1))
    al.syncthreads()
    read_next(0)
    BEFORE = ((DS_READ, (I - EARLY) * READS, 2), (VALU, 12, 1))
    AFTER = ((DS_READ, (J + EARLY) // 2, 1, 2), (VMEM_READ, LOADS, 1))
    rounds = (k + ROUND * H.k - 1) // (ROUND * H.k)
    lds_mainloop(rounds, ROUND, I, EARLY, first, second, multiply, sync, BEFORE, (AFTER, AFTER))
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
    alternate_barrier(G.threads, late)
    if late:
        alternate_barrier(G.threads, late)
    refill(G, (a, u, x), (b, v, y), 0)
    for _ in al.range((k + 2 * G.k - 1) // (2 * G.k)):
        for half in range(2):
            alternate_barrier(G.threads, late)
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
            sched_interleave(VMEM_READ, COPIES, 1)
            sched_barrier()
            setprio(0)
            alternate_barrier(G.threads, late)
            refill(G, (a, u, x), (b, v, y), 1 - half)
    if not late:
        alternate_barrier(G.threads, late)
    return acc_tile(G, acc)


@avelang.jit
def refill(G, of_a, of_b, half):
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
    EARLY, SETS = early_rows(I), 4 if G.c.elements <= 64 else 2
    A, B = A.spread(H.copy_a), B.spread(H.preshuffled_b)
    a = shared((H.m, H.k), A.view.dtype, 2, (H.copy_a, H.a))
    x, part = al.make_local((2, H.copy_a.elements), A.view.dtype), al.make_local((I, H.a_words), al.i32)
    READS, COPIES, ALONG = a.reads(H.a) // I, len(a.plan(H.copy_a)), H.preshuffled_b.shape[1]
    acc, sets = make_acc(G), tuple([tensors.full(H.preshuffled_b, 0, B.view.dtype) for _ in range(SETS)])

    def load_b(n):
        B.load_into(sets[n])
        B.move((0, ALONG))

    def first(step, n):
        load_b((n + SETS - 1) % SETS)
        a.load_into(part, H.a, n % 2, EARLY * READS, I * READS)

    def second(step, n):
        a.load_into(part, H.a, 1 - n % 2, 0, EARLY * READS)
        a.store_values(x[n % 2], H.copy_a, n % 2)
        load_half(((A, x),), n % 2, H.k)

    def multiply(n, begin, end):
        fragments = al.view(sets[n].values, al.Tensor((J, H.b_words), al.i32))
        block_gemm.multiply(H, acc, part, fragments, begin, end)

    for half in range(2):
        load_half(((A, x),), half, H.k)
    for half in range(2):
        a.store_values(x[half], H.copy_a, half)
    for n in range(SETS - 1):
        load_b(n)
    sched_barrier()  # loads in the order of the loop: a wait for B's then leaves A's in flight
    for half in range(2):
        load_half(((A, x),), half, H.k)
    al.syncthreads()
    a.load_into(part, H.a, 0, 0, EARLY * READS)
    ROW = J * len(H.parts)
    BEFORE = spread(EARLY * ROW, (DS_READ, (I - EARLY) * READS), (VMEM_READ, len(B.plan())))
    AFTER = spread((I - EARLY) * ROW, (DS_READ, EARLY * READS), (DS_WRITE, COPIES), (VMEM_READ, len(A.plan())))
    rounds = (k + SETS * H.k - 1) // (SETS * H.k)
    lds_mainloop(rounds, SETS, I, EARLY, first, second, multiply, al.syncthreads, BEFORE, (AFTER, AFTER))
    return acc_tile(G, acc)


new_sums, tile_of_sums = make_acc, acc_tile  # the public names
