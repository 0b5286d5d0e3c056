"""The loop over K of the pipelines whose copies go straight into shared memory ("cp-async"; on NVIDIA also
"preshuffled" and "streamed"): windows of A and B and a block's product come in; the tile of C goes out.

A ring of buffers: while one tile is multiplied, the `STAGES` - 1 after it are in flight. On NVIDIA fragments are
read one instruction's depth of K ahead of the products that take them, the first ones of the next tile too, so that the
matrix pipe does not wait for shared memory. Source of that: NVIDIA, CUTLASS documentation, "Efficient GEMM in CUDA",
software pipelining."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.block_gemm as block_gemm
import avelang.tile.loops as loops
from avelang.pipelines.ring import copy_ring
from avelang.tile.banks import Swizzle
from avelang.tile.shared import SharedTile, shared
from avelang.tile.windows import Window

NONE = Swizzle()


@avelang.jit
def fill(ring, stage, operands, WHOLE=False):
    """Begins the copies of a tile of K to a stage. `operands`: (window, stages in shared memory, columns by which the
    window moves) of A and of B. `WHOLE`: no row of it is outside of its view."""
    for window, memory, _ in operands:
        if WHOLE:
            window.load_async(memory, stage, True)
        else:
            window.load_async(memory, stage)
    ring.commit()
    for window, _, columns in operands:
        window.move((0, columns))


@avelang.jit
def asynchronous(G, A, B, k, STAGES: al.constexpr = 4):
    """Tiles go straight into shared memory, `STAGES` - 1 of them in flight while one is multiplied."""
    if not G.native_order:
        return simple(G, A, B, k, STAGES)
    G = G.single().interleave(al.target().name)
    a, b = loops.alloc_shared(G, STAGES)
    return edges_apart(G, A.spread(G.copy_a), B.spread(G.copy_b), a, b, G.b, k, STAGES)


@avelang.jit
def preshuffled(G, A, B, k, STAGES: al.constexpr = 4):
    """B lies in global memory as its fragments do (`preshuffle`). With a ring (NVIDIA) it is copied into shared memory
    as it lies, beside A, and each lane reads its 16 bytes of it: few warps have no registers for what must be in flight
    to keep memory busy. Else `loops.preshuffled`."""
    if G.ring is None:
        return loops.preshuffled(G, A, B, k)
    G = G.ring
    a = shared((G.m, G.k), A.view.dtype, STAGES, (G.copy_a, G.a))
    b = as_it_lies(G.preshuffled_b.shape, B.view.dtype, STAGES)
    return edges_apart(G, A.spread(G.copy_a), B.spread(G.copy_preshuffled), a, b, G.preshuffled_b, k, STAGES)


@avelang.jit
def as_it_lies(shape, dtype, buffers):
    """Room for tiles without a swizzle: lanes read neighbors."""
    return SharedTile(al.make_shared((buffers, shape[0] * shape[1]), dtype, 128), shape, NONE)


@avelang.jit
def edges_apart(G, A, B, a, b, of_b, k, STAGES):
    """The tile of C. Tiles at the edges have a loop of their own: the others do not pay for the comparisons. `of_b`: as
    of `ahead`."""
    acc = loops.make_acc(G)
    if has_rows(A) and has_rows(B):
        ahead(G, A, B, a, b, of_b, acc, k, STAGES, True)
    else:
        ahead(G, A, B, a, b, of_b, acc, k, STAGES, False)
    return loops.acc_tile(G, acc)


@avelang.jit
def has_rows(window):
    """True where all rows of a window are inside of its view; False for windows that cannot tell."""
    return window.has_rows() if isinstance(window, Window) else False


@avelang.jit
def simple(G, A, B, k, STAGES):
    """A tile's fragments are read and multiplied in one go."""
    A, B = A.spread(G.copy_a), B.spread(G.copy_b)
    a, b = loops.alloc_shared(G, STAGES)
    acc, ring, operands = loops.make_acc(G), copy_ring(STAGES), ((A, a, G.k), (B, b, G.k))
    for s in range(STAGES - 1):
        fill(ring, s, operands)
    for _ in al.range((k + G.k - 1) // G.k):
        ring.wait()
        fill(ring, ring.free, operands)
        loops.product(G, acc, a, b, ring.stage)
        ring.advance()
    ring.tail()
    return loops.acc_tile(G, acc)


@avelang.jit
def ahead(G, A, B, a, b, of_b, acc, k, STAGES, WHOLE):
    """A fragment is one instruction deep; while one is multiplied, the next one is read. `of_b`: how fragments of B lie
    in its tile, in shared memory."""
    (I, J), STEPS, ring = G.count, G.steps, copy_ring(STAGES)
    operands = (A, a, G.k), (B, b, of_b.shape[1] if of_b != G.b else G.k)
    x = al.make_local((I, G.a_words), al.i32), al.make_local((I, G.a_words), al.i32)
    y = al.make_local((J, G.b_words), al.i32), al.make_local((J, G.b_words), al.i32)
    # After an odd number of steps the next tile begins with the other registers.
    TURNS = 1 if STEPS % 2 == 0 else 2

    for s in range(STAGES - 1):
        fill(ring, s, operands, WHOLE)
    ring.wait()
    a.load_part(x[0], G.a, 0, STEPS, ring.stage)
    b.load_part(y[0], of_b, 0, STEPS, ring.stage)
    for _ in al.range((k + (TURNS * G.k - 1)) // (TURNS * G.k)):
        for n in range(TURNS * STEPS):
            step, half = n % STEPS, n % 2
            if step == 0 and STEPS == 1:
                fill(ring, ring.free, operands, WHOLE)
            if step == STEPS - 1:
                ring.wait()
                ring.advance()
            a.load_part(x[1 - half], G.a, (step + 1) % STEPS, STEPS, ring.stage)
            b.load_part(y[1 - half], of_b, (step + 1) % STEPS, STEPS, ring.stage)
            if step == 0 and STEPS > 1:
                fill(ring, ring.free, operands, WHOLE)  # after the reads: the compiler leaves them before it
            block_gemm.multiply(G, acc, x[half], y[half], 0, I)
    ring.tail()
