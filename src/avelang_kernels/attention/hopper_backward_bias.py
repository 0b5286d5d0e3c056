"""A bias of 16 bits in the gradients of attention on Hopper: tiles of it come in by TMA, and a lane's part of one goes
out, in the order of its scores S^T; dS^T goes to memory from where the block has it, and is summed up and turned to the
bias's gradient. Where consumers share keys (d above 128) a tile lies where the weights go from one to the other: it is
read before they come, and the next one follows them."""

# No `from __future__ import annotations`, as in the kernels.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import PATTERN
from avelang_kernels.arrays import DTYPES, filled, flattened, named, new
from avelang_kernels.attention.hopper_arrays import staged_bias
from avelang_kernels.attention.hopper_backward_products import BYTES, CHUNK, WARP, HopperBackward
from avelang_kernels.attention.problem import Operands, Problem

EIGHT = 8  # elements of 16 bytes; as many such pieces has a row of a swizzle
SIDE, THREADS = 64, 256  # of a block that sums up


@avelang.struct
class BackwardBias:
    """Stages of a bias, tiles of (m queries, n keys) in pieces of 64 keys as the swizzle of TMA leaves them, which each
    warp releases. `map`: of (batches, queries, heads, keys); `steps`: 0 where all batches, or heads, have one bias,
    else 1. `out`: a map of dS^T, (batches, keys, heads, queries), or None."""

    data: ...
    ring: ...
    map: ...
    steps: ...
    out: ...

    def fill(self, F: Any, state: Any, work: Any, n: Any, m: Any, own: Any, batch: Any):
        """Fills the next stage, once it is free."""
        PIECES, SIZE = F.n // CHUNK, F.m * CHUNK
        self.ring.acquire(state, PIECES * SIZE * BYTES)
        for c in range(PIECES):
            place = al.subview(self.data, (state.stage, c * SIZE), (1, SIZE), (1, 1))
            at = batch * self.steps[0], m * F.m, own * self.steps[1], n * F.n + c * CHUNK
            al.nvvm.tma_load_4d(place, self.map, *at, self.ring.full[state.stage])
        state.advance()

    def take(self, F: Any, state: Any, consumer: Any, t: Any):
        """A lane's part of the next tile. Four 8 x 8 matrices at a time, each read the other way round: a lane gets two
        neighbors along queries, of the key lane // 4 (PTX ISA 9.0, 9.7.14.5.15)."""
        lane, out = t % WARP, al.make_local((F.m // 2,), self.data.dtype)
        PIECE = 0 if F.wide else F.m * CHUNK
        self.ring.wait(state)
        for j in range(F.m // 16):
            query = 16 * j + lane // 16 * 8 + lane % 8
            unit = (t // WARP * 2 + lane // 8 % 2) ^ (lane % 8)
            at = state.stage, consumer * PIECE + query * CHUNK + unit * EIGHT
            found = al.nvvm.ldmatrix_m8n8_x4_b16_trans(al.subview(self.data, at, (1, EIGHT), (1, 1)))
            held = al.view(found, al.Tensor((EIGHT,), self.data.dtype))
            for e in range(EIGHT):
                out[EIGHT * j + e] = held[e]
        if not F.wide:
            self.ring.release(state.stage, lane)
        state.advance()
        return out

    def release(self, state: Any, t: Any):
        """Gives memory in which weights were to the next tile; all of the consumer have read them, behind a barrier."""
        self.ring.release(state.stage, t)
        state.advance()

    def store(self, F: Any, ds: Any, buffer: Any, work: Any, n: Any, m: Any, own: Any, batch: Any):
        """Begins to bring a buffer of dS^T to memory: one thread's part."""
        for atom in range(F.atoms):
            place = al.subview(ds, (buffer, atom, 0), (1, 1, F.n * CHUNK), (1, 1, 1))
            al.nvvm.tma_store_4d(self.out, batch, n * F.n, own, m * F.m + atom * CHUNK, place)
        al.nvvm.cp_async_bulk_commit_group()


def bias_types(F: HopperBackward) -> tuple[Any, Any, Any]:
    """Types of a kernel's arguments: the maps of the bias and of dS^T, and steps."""
    none: Any = al.constexpr
    tiles = al.TensorMap(F.dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN) if F.bias else none
    made = al.TensorMap(F.dtype, 4, (1, F.n, 1, CHUNK), swizzle=PATTERN) if F.bias_gradient else none
    return tiles, made, al.u32 if F.bias else none


# -- on the host -------------------------------------------------------------------------------------------------------


def bias_for(p: Problem, bias: Any) -> Any:
    """`staged_bias`, of a copy where TMA does not reach it."""
    found = staged_bias(p, bias)
    if found is None:
        wide = -(-p.keys // EIGHT) * EIGHT
        made = new(bias, (*bias.shape[:2], p.queries, wide))[..., : p.keys]
        made[...] = bias
        found = staged_bias(p, made)
    assert found is not None
    return found


def bias_features(p: Problem, F: HopperBackward, x: Operands, dbias: Any) -> dict[str, Any]:
    """Arguments of a kernel for a bias. `dbias`: its gradient, or None."""
    bias = bias_for(p, x.bias)
    found = {"bias": bias, "bias_batch": int(bias.shape[0] > 1), "bias_head": int(bias.shape[2] > 1)}
    if dbias is not None:
        shape = p.batch, p.heads, p.keys, -(-p.queries // EIGHT) * EIGHT
        some = F.bounded or F.window or F.apart  # else each tile is written
        made = filled(x.q, shape, 0) if some else new(x.q, shape)
        found["dbias"] = made.swapaxes(1, 2)
    return found


@functools.cache
def build_sums(dtype: Any) -> Any:
    """The kernel that sums up planes of dS^T and turns them, one block for a square of a plane."""
    X: Any = al.Pointer(dtype)
    U: Any = al.u32
    L: Any = al.u64

    @avelang.jit
    def attention_bias_sums(
        source: Annotated[Any, X], out: Annotated[Any, X], queries: Annotated[Any, U], keys: Annotated[Any, U],
        heads: Annotated[Any, U], sizes: Annotated[Any, L], size: Annotated[Any, L], row: Annotated[Any, L],
        some: Annotated[Any, U], each: Annotated[Any, U], batches: Annotated[Any, U],
    ):  # fmt: skip
        """`source`: (planes, keys, row), `sizes` elements; `out`: (planes of its own, queries, keys), `size` elements.
        A plane of `out` is of `each` heads, one after another, of `batches` sequences; there are `some` a sequence."""
        t, square, plane = al.thread_id(0), al.block_id(0), al.block_id(1)
        S, OUT = (al.make_tensor(x, dtype, al.make_layout((n,))) for x, n in ((source, sizes), (out, size)))
        across = (keys + (SIDE - 1)) // SIDE
        key, query = square % across * SIDE, square // across * SIDE
        room = al.make_shared((SIDE, SIDE + 1), al.f32)
        PARTS = SIDE * SIDE // EIGHT // THREADS
        sums = al.full((PARTS, EIGHT), 0.0, al.f32)
        first = plane // some * heads * batches + plane % some * each
        for b in al.range(batches):
            for h in al.range(each):
                for i in range(PARTS):
                    at, column = key + (i * THREADS + t) // EIGHT, query + t % EIGHT * EIGHT
                    if at < keys and column < queries:
                        begin = (al.convert(first + b * heads + h, al.u64) * keys + at) * row + column
                        part = al.view(al.subview(S, (begin,), (EIGHT,), (1,)), dtype, al.make_layout((1, EIGHT)))[0]
                        sums[i] = sums[i] + al.convert(part, al.f32)
        for i in range(PARTS):
            for e in range(EIGHT):
                room[t % EIGHT * EIGHT + e, (i * THREADS + t) // EIGHT] = sums[i, e]
        al.syncthreads()
        for i in range(SIDE * SIDE // THREADS):
            mine, column = i * (THREADS // SIDE) + t // SIDE, t % SIDE
            if query + mine < queries and key + column < keys:
                at = (al.convert(plane, al.u64) * queries + (query + mine)) * keys + (key + column)
                OUT[at] = al.convert(room[mine, column], dtype)

    return attention_bias_sums


def sum_up(p: Problem, ds: Any, dbias: Any, **launch: Any) -> None:
    """The bias's gradient, (batches or 1, heads or 1, queries, keys), from dS^T, (batches, keys, heads, queries)."""
    source = flattened(ds.swapaxes(1, 2))
    out = new(dbias, tuple(dbias.shape))
    batches, heads = dbias.shape[:2]
    squares = -(-p.queries // SIDE) * -(-p.keys // SIDE)
    flat = flattened(out)
    build_sums(DTYPES[named(dbias)])[(squares, batches * heads), THREADS](
        source, flat, p.queries, p.keys, p.heads, len(source), len(flat), -(-p.queries // EIGHT) * EIGHT, heads,
        p.heads // heads, p.batch // batches, **launch,
    )  # fmt: skip
    dbias[...] = out


def takes_bias(p: Problem) -> bool:
    """True for a bias that the kernel takes: of the arrays' dtype, and dense."""
    return p.bias == p.dtype and not p.packed_q

