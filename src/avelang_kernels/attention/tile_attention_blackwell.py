"""Queries, keys and values come in; O = softmax(scale Q K^T) V goes out, on NVIDIA's Blackwell (sm_100a):
`avelang_kernels.attention.tile_attention` with TMA and `tcgen05`, scores, weights and O in tensor memory.

A block stays on its multiprocessor and makes one block of rows after another, two tiles of 128 rows at a time. Warps
have roles. One thread has TMA copy rows of Q, and tiles of K and V into rings; one begins the products. A warpgroup
for each tile of rows softmaxes: each thread has one row, so rows need no shuffle. It reads scores from tensor memory
and writes weights over them, where they are the operand A of the product with V. One more warpgroup, the correction,
shrinks O in tensor memory when a row's greatest score has grown, and stores it in the end. While one tile is
softmaxed, the other one is multiplied.

The tensor core executes what one thread begins in order: so scores of the next tile of keys may be written over
weights whose product has begun. Sources: PTX ISA 9.0, 9.7.16; CUTLASS, examples/77_blackwell_fmha, for the roles and
that order.

No such card was at hand: it is assembled by ptxas, executed by the reference and by the executor of PTX, and not
timed.
"""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
from typing import Annotated, Any

import numpy as np

import avelang
import avelang.language as al
from avelang import argument_error, tile
from avelang.pipelines.tensor_core import COLUMNS, PATTERN, ROWS, UNIT, instruction
from avelang.pipelines.warp_specialized import GROUP
from avelang.tile.running_softmax import inverse, narrow, softmax
from avelang.tile.tensors import Tile
from avelang_kernels.arrays import DTYPES, new
from avelang_kernels.attention.hopper_arrays import dense, reachable
from avelang_kernels.attention.hopper_attention_memory import BYTES, CHUNK, staged_rows, stages_of
from avelang_kernels.attention.hopper_attention_work import AttentionWork
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.tile_attention_hopper import INNER, SHARED, near_of
from avelang_kernels.attention.tile_attention_rows import LOG2E, sunk
from avelang_kernels.attention.tile_attention_views import FEW, Features, Launch, sight_of

CHIP = "sm_100a"
WARP = 32
LANE = 16  # bits of a lane in an address of tensor memory
PART = 32  # columns that one instruction reads or writes
STORE = 1  # number of the barrier of the correction
# Registers of a thread that softmaxes, of the correction, and of the others, for one and for two tiles of rows: no more
# in all than the block has from the start on.
REGISTERS: Any = ((240, 136, 64), (176, 96, 64))


@avelang.constant
@dataclasses.dataclass(frozen=True)
class BlackwellAttention:
    """Shape of a block: `m` rows, 128 or 256, `n` keys at a time, 32, 64 or 128, `stages` of K and of V. `near`: so
    many heads of Q are worked on together, 0 for a number by extents. `dtype` of Q, K, V and O; `d` of Q and K, `dv` of
    V and O, as they are padded."""

    m: int = 256
    n: int = 128
    stages: int = 2
    near: int = 0
    dtype: Any = al.bf16
    d: int = 128
    dv: int = 128

    @property
    def tiles(self) -> int:
        """Tiles of rows."""
        return self.m // ROWS

    @property
    def threads(self) -> int:
        """Of the block."""
        return GROUP * (self.tiles + 2)

    @property
    def chunks(self) -> int:
        """Pieces of d."""
        return self.d // CHUNK

    @property
    def wide(self) -> int:
        """Pieces of dv."""
        return self.dv // CHUNK

    @property
    def columns(self) -> int:
        """Columns of tensor memory: scores of each tile, then O of each."""
        return self.tiles * (self.n + self.dv)

    @property
    def allocated(self) -> int:
        """As many as can be allocated."""
        return max(32, 1 << (self.columns - 1).bit_length())

    @property
    def pieces(self) -> int:
        """Pieces of O that are staged at once."""
        return min(2, self.wide)

    @property
    def shared(self) -> int:
        """Bytes of shared memory."""
        rows = self.m * self.d + self.stages * self.n * (self.d + self.dv) + self.pieces * ROWS * CHUNK
        return rows * BYTES + self.tiles * (ROWS * 4 + 6 * 8) + (2 + 4 * self.stages) * 8 + 16

    def fault(self) -> str:
        """The reason why there is no such block, or ""."""
        if self.m not in (ROWS, 2 * ROWS):
            return f"m is {self.m}; it may be {ROWS} or {2 * ROWS}"
        if self.n not in (32, 64, 128):
            return f"n is {self.n}; it may be 32, 64 or 128"
        if self.columns > COLUMNS:
            return f"that takes {self.columns} columns of tensor memory, and there are {COLUMNS}"
        if self.stages < 1 or self.shared > SHARED:
            return f"{self.stages} stages take {self.shared} bytes of shared memory, and a block has {SHARED}"
        return ""

    @property
    def of_scores(self) -> int:
        """The instruction descriptor of Q K^T."""
        return instruction("f16", ROWS, self.n, self.type, self.type)

    @property
    def of_values(self) -> int:
        """The instruction descriptor of the product with V, which lies with d as its fast dimension."""
        return instruction("f16", ROWS, self.dv, self.type, self.type, b_mn=True)

    @property
    def type(self) -> str:
        """PTX's name of the dtype."""
        return "bf16" if self.dtype == al.bf16 else "f16"

    @functools.cached_property
    def s(self) -> tile.Distribution:
        """Of a tile's scores (128, n): each thread has a row, as `tcgen05.ld` of the shape 32x32b gives it."""
        lane, column = np.arange(ROWS).reshape(-1, WARP, 1), np.arange(self.n).reshape(1, 1, -1)
        return tile.Distribution.of_index((lane, column), (ROWS, self.n))


Form = BlackwellAttention


@avelang.struct
class Handovers:
    """Mbarriers by which roles tell one another how far they are, one of each kind for each tile of rows.
    Each completes once for a tile of keys.

    | mbarrier | who arrives | who waits | says |
    | --- | --- | --- | --- |
    | `scores` | the products | softmax | scores are in tensor memory |
    | `weights` | softmax | who begins products | weights are there instead |
    | `sums` | the products | correction | weights are multiplied: O may be changed |
    | `room` | correction | who begins products | O has shrunk, or is read: it may be added to, or written |
    | `factors` | softmax | correction | by how much rows of O shrink; after the last tile, by what they are divided |
    | `taken` | correction | softmax | those factors are read |

    A `factor` for each row is in shared memory."""

    scores: ...
    weights: ...
    sums: ...
    room: ...
    factors: ...
    taken: ...
    factor: ...

    def init(self):
        """Initializes the mbarriers, by one thread."""
        for i in range(self.scores.shape[0]):
            for bar in (self.scores, self.sums):
                al.nvvm.mbarrier_init(bar[i], 1)
            for bar in (self.weights, self.room, self.factors, self.taken):
                al.nvvm.mbarrier_init(bar[i], ROWS)

    def hand(self, i: Any, t: Any, factor: Any, phase: Any):
        """Hands a row's factor to the correction, which has read the one before."""
        al.nvvm.mbarrier_wait(self.taken[i], phase)
        self.factor[i, t] = factor
        al.nvvm.mbarrier_arrive(self.factors[i])

    def take(self, i: Any, t: Any, phase: Any):
        """The factor of a row; O is as it was multiplied last."""
        al.nvvm.mbarrier_wait(self.factors[i], phase)
        factor = self.factor[i, t]
        al.nvvm.mbarrier_arrive(self.taken[i])
        al.nvvm.mbarrier_wait(self.sums[i], phase)
        al.nvvm.tcgen05_fence_after_thread_sync()
        return factor

    def pass_on(self, bar: Any):
        """Arrives, behind all that the thread has done in tensor memory."""
        al.nvvm.tcgen05_fence_before_thread_sync()
        al.nvvm.mbarrier_arrive(bar)


@avelang.jit
def handovers(TILES: Any):
    """Allocates the mbarriers and factors of so many tiles of rows."""
    scores, weights, sums, room, factors, taken = [al.make_shared((TILES, 1), al.u64) for _ in range(6)]
    return Handovers(scores, weights, sums, room, factors, taken, al.make_shared((TILES, ROWS), al.f32))


@avelang.jit
def tiles_of_rows(F: Any, sight: Any, first: Any):
    """The first tile of keys of a block of rows, and the end: one tile at least."""
    begin, _, _, end = sight.tiles(first, F.m, F.n)
    return begin, max(end, begin + 1)


@avelang.jit
def produce(F: Any, maps: Any, q: Any, k: Any, v: Any, work: Any, sight: Any):
    """One thread's part: fills stages, block of rows after block of rows."""
    Q, K, V = maps
    q.state, k.state, v.state = q.ring.producer(), k.ring.producer(), v.ring.producer()
    for index in al.range(al.block_id(0), work.count(F.m), al.grid_dim(0)):
        first, head, batch = work.work_tile(index, F.m)
        begin, end = tiles_of_rows(F, sight, first)
        own = head // (work.heads // work.kv_heads)
        q.load(Q, batch, first, head, F.m)
        for j in al.range(begin, end):
            row = al.convert(j * F.n, al.u32)
            k.load(K, batch, row, own, F.n)
            v.load(V, batch, row, own, F.n)


@avelang.jit
def score(F: Any, q: Any, k: Any, tensor: Any, i: Any, bar: Any):
    """Begins the product of a tile of rows of Q with the stage of K."""
    for c in range(F.chunks):
        place = c * F.m * CHUNK + i * (ROWS * CHUNK)
        rows = al.nvvm.tcgen05_descriptor(al.subview(q.data, (0, place), (1, ROWS * CHUNK), (1, 1)))
        keys = al.nvvm.tcgen05_descriptor(
            al.subview(k.data, (k.state.stage, c * F.n * CHUNK), (1, F.n * CHUNK), (1, 1))
        )
        for step in range(CHUNK // INNER):
            offset = step * INNER * BYTES // UNIT
            more = 0 if c == 0 and step == 0 else 1
            al.nvvm.tcgen05_mma_f16(tensor + i * F.n, rows + offset, keys + offset, F.of_scores, more, 1)
    al.nvvm.tcgen05_commit(bar, 1)


@avelang.jit
def multiply_values(F: Any, v: Any, tensor: Any, i: Any, more: Any, H: Any, phase: Any):
    """Begins the product of a tile's weights, once they are there and O may be added to, with the stage of V. `more`: 0
    where O begins."""
    al.nvvm.mbarrier_wait(H.weights[i], phase)
    al.nvvm.mbarrier_wait(H.room[i], phase ^ 1)
    al.nvvm.tcgen05_fence_after_thread_sync()
    rows = al.nvvm.tcgen05_descriptor(v.data[v.state.stage], leading=F.n * PATTERN, stride=8 * PATTERN)
    for step in range(F.n // INNER):
        weights = tensor + (i * F.n + step * INNER * BYTES // 4)
        values = rows + step * INNER * PATTERN // UNIT
        al.nvvm.tcgen05_mma_f16_ts(
            tensor + (F.tiles * F.n + i * F.dv), weights, values, F.of_values, more if step == 0 else 1, 1
        )
    al.nvvm.tcgen05_commit(H.sums[i], 1)


@avelang.jit
def arrived(x: Any):
    """Waits for a stage that products are to read."""
    x.wait()
    al.nvvm.tcgen05_fence_after_thread_sync()


@avelang.jit
def done(x: Any):
    """The stage is free when the products that have begun are done."""
    al.nvvm.tcgen05_commit(x.ring.empty[x.state.stage], 1)
    x.state.advance()


@avelang.jit
def issue(F: Any, q: Any, k: Any, v: Any, H: Any, work: Any, sight: Any, tensor: Any):
    """One thread's part: begins all products. Those of a tile of rows with V and with the next K follow one another;
    meanwhile the other tile is softmaxed."""
    q.state, k.state, v.state = q.ring.consumer(), k.ring.consumer(), v.ring.consumer()
    phase = al.convert(0, al.u32)
    for index in al.range(al.block_id(0), work.count(F.m), al.grid_dim(0)):
        first, _, _ = work.work_tile(index, F.m)
        begin, end = tiles_of_rows(F, sight, first)
        arrived(q)
        arrived(k)
        for i in al.range(F.tiles):
            score(F, q, k, tensor, i, H.scores[i])
        done(k)
        for j in al.range(begin + 1, end):
            arrived(v)
            for i in al.range(F.tiles):
                multiply_values(F, v, tensor, i, al.select(j > begin + 1, 1, 0), H, phase)
                if i == 0:
                    arrived(k)
                score(F, q, k, tensor, i, H.scores[i])
            done(v)
            done(k)
            phase ^= 1
        done(q)
        arrived(v)
        for i in al.range(F.tiles):
            multiply_values(F, v, tensor, i, al.select(end > begin + 1, 1, 0), H, phase)
        done(v)
        phase ^= 1


@avelang.jit
def load_columns(at: Any, COUNT: Any):
    """f32 of so many columns of a lane, by instructions of PART columns: ptxas has no room for wider ones in a block of
    four warpgroups."""
    parts = [al.nvvm.tcgen05_ld_32x32b_x32(at + i) for i in range(0, COUNT, PART)]
    out = al.make_local((COUNT,), al.f32)
    for i in range(COUNT // PART):
        held = al.bitcast(al.nvvm.tcgen05_wait_ld(parts[i]), al.f32)
        for e in range(PART):
            out[i * PART + e] = held[e]
    return out


@avelang.jit
def store_weights(at: Any, p: Any):
    """Writes weights to tensor memory, two to a column."""
    words = al.bitcast(p, al.u32)
    WIDE = min(PART, len(words))
    for i in range(0, len(words), WIDE):
        al.nvvm.tcgen05_st_32x32b(at + i, al.subview(words, (i,), (WIDE,), (1,)))
    al.nvvm.tcgen05_wait_st()


@avelang.jit
def weigh_rows(F: Any, H: Any, work: Any, x: Any, edits: Any, lse: Any, tensor: Any, group: Any, t: Any):
    """A softmax warpgroup's part: weights of all tiles of keys, of one row a thread, and the logarithms of the rows'
    sums. `edits`: factor, cap and sinks."""
    here = tensor + (group * F.n + (t // WARP << (LANE + 5)))
    sight, phase, sent = x.sees(work.queries, work.keys), al.convert(0, al.u32), al.convert(1, al.u32)
    for index in al.range(al.block_id(0), work.count(F.m), al.grid_dim(0)):
        first, head, batch = work.work_tile(index, F.m)
        begin, end = tiles_of_rows(F, sight, first)
        first = first + group * ROWS
        _, clear, whole, _ = sight.tiles(first, ROWS, F.n)
        seen = x.scores(sight, first, edits[0], edits[1], None, None)
        rows = softmax(F.s, t, F.tiles)
        for j in al.range(begin, end):
            al.nvvm.mbarrier_wait(H.scores[group], phase)
            al.nvvm.tcgen05_fence_after_thread_sync()
            s = Tile(load_columns(here, F.n), F.s, t, F.tiles)
            s = seen.masked(s, (al.convert(j * F.n, al.u32), j, clear, whole), None)
            shrink, by, shift = rows.grow(s, seen.scale)
            if j > begin:
                H.hand(group, t, shrink.values[0], sent)
                sent ^= 1
            p = rows.add(s, shrink, by, shift)
            store_weights(here, narrow(p.values, F.dtype))
            H.pass_on(H.weights[group])
            phase ^= 1
        total = rows.sums(tile.full(F.s, 0.0, al.f32))
        by, found = inverse(total), rows.logarithms(total, seen.scale)
        if x.F.sinks:
            share, found = sunk(found, edits[2][head])
            by = by * share
        H.hand(group, t, by.values[0], sent)
        sent ^= 1
        if lse is not None:
            x.logarithms(lse, batch, head, 0, work.queries).store(found, (first,))


@avelang.jit
def in_any_lane(x: Any):
    """True where it is true in any lane of the warp."""
    found = al.select(x, al.convert(1, al.u32), al.convert(0, al.u32))
    for i in range(5):
        found = found | al.shuffle_xor(found, 1 << i)
    return found != 0


@avelang.jit
def shrink_sums(F: Any, here: Any, factor: Any):
    """Multiplies a lane's row of O in tensor memory, unless it stays as it is in all lanes."""
    if in_any_lane(factor != 1.0):
        for c in range(F.dv // PART):
            sums = load_columns(here + c * PART, PART) * factor
            al.nvvm.tcgen05_st_32x32b(here + c * PART, sums)
        al.nvvm.tcgen05_wait_st()


@avelang.jit
def store_rows(F: Any, O: Any, staged: Any, here: Any, factor: Any, place: Any, t: Any, bar: Any, H: Any):
    """Divides and rounds a tile's rows of O and hands them to TMA, 128 bytes of each row at a time; O may be written
    again when it is read. `place`: batch, first row, head."""
    batch, first, head = place
    for c in range(F.wide):
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group_read(F.pieces - 1)
        al.nvvm.barrier_sync(STORE, GROUP)
        for p in range(CHUNK // PART):
            sums = load_columns(here + (c * CHUNK + p * PART), PART) * factor
            if c == F.wide - 1 and p == CHUNK // PART - 1:
                H.pass_on(bar)
            for e in range(PART // 8):
                part = al.convert(al.subview(sums, (e * 8,), (8,), (1,)), F.dtype)
                staged[c % F.pieces, t, (p * (PART // 8) + e) ^ (t % 8)] = part
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(STORE, GROUP)
        if t == 0:
            al.nvvm.tma_store_4d(O, batch, first, head, c * CHUNK, staged[c % F.pieces])
            al.nvvm.cp_async_bulk_commit_group()


@avelang.jit
def correct(F: Any, O: Any, staged: Any, H: Any, work: Any, sight: Any, tensor: Any, t: Any):
    """The correction's part: shrinks O, and stores it."""
    here, phase = tensor + (F.tiles * F.n + (t // WARP << (LANE + 5))), al.convert(0, al.u32)
    for index in al.range(al.block_id(0), work.count(F.m), al.grid_dim(0)):
        first, head, batch = work.work_tile(index, F.m)
        begin, end = tiles_of_rows(F, sight, first)
        for _ in al.range(begin + 1, end):
            for i in range(F.tiles):
                shrink_sums(F, here + i * F.dv, H.take(i, t, phase))
                H.pass_on(H.room[i])
            phase ^= 1
        for i in range(F.tiles):
            factor, place = H.take(i, t, phase), (batch, first + i * ROWS, head)
            store_rows(F, O, staged, here + i * F.dv, factor, place, t, H.room[i], H)
        phase ^= 1
    if t == 0:
        al.nvvm.cp_async_bulk_wait_group(0)


@avelang.jit
def run(F: Any, maps: Any, O: Any, lse: Any, work: Any, x: Any, edits: Any):
    """The body of a block: mbarriers, tensor memory, and the roles."""
    t = al.thread_id(0)
    group = t // GROUP
    rows, keys = stages_of(F.dtype, 1, F.m, F.chunks), stages_of(F.dtype, F.stages, F.n, F.chunks)
    values = stages_of(F.dtype, F.stages, F.n, F.wide)
    staged = al.make_shared((F.pieces, ROWS, PATTERN // UNIT, UNIT // BYTES), F.dtype, 1024)
    q, k, v = (staged_rows(data, 1) for data in (rows, keys, values))
    H, slot = handovers(F.tiles), al.make_shared((1,), al.u32)
    if t == 0:
        H.init()
        al.nvvm.fence_mbarrier_init()
    if t // WARP == 0:
        al.nvvm.tcgen05_alloc(slot, F.allocated, 1)
        al.nvvm.tcgen05_relinquish_alloc_permit(1)
    al.nvvm.tcgen05_fence_before_thread_sync()
    al.syncthreads()
    al.nvvm.tcgen05_fence_after_thread_sync()
    tensor = slot[0] if F.allocated < COLUMNS else al.convert(0, al.u32)  # all columns begin at 0
    sight = x.sees(work.queries, work.keys)
    if group < F.tiles:
        al.nvvm.setmaxnreg_inc(REGISTERS[F.tiles - 1][0])
        weigh_rows(F, H, work, x, edits, lse, tensor, group, t % GROUP)
    elif group == F.tiles:
        al.nvvm.setmaxnreg_dec(REGISTERS[F.tiles - 1][1])
        correct(F, O, staged, H, work, sight, tensor, t % GROUP)
    else:
        al.nvvm.setmaxnreg_dec(REGISTERS[F.tiles - 1][2])
        if t % GROUP == 0:
            produce(F, maps, q, k, v, work, sight)
        elif t % GROUP == WARP:
            issue(F, q, k, v, H, work, sight, tensor)
    al.nvvm.tcgen05_fence_before_thread_sync()
    al.syncthreads()
    al.nvvm.tcgen05_fence_after_thread_sync()
    if t // WARP == 0:
        al.nvvm.tcgen05_dealloc(tensor, F.allocated, 1)


@functools.cache
def build(F: BlackwellAttention, features: Features, sums: bool = True) -> Any:
    """The kernel for a block and features; `sums`: with the logarithms of the rows' sums. CAUSAL: later rows see more
    keys, so the order of blocks of rows is one in which all have as much to do."""
    Q: Any = al.TensorMap(F.dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN)
    KV: Any = al.TensorMap(F.dtype, 4, (1, F.n, 1, CHUNK), swizzle=PATTERN)
    O: Any = al.TensorMap(F.dtype, 4, (1, ROWS, 1, CHUNK), swizzle=PATTERN)
    LOGS: Any = al.Pointer(al.f32) if sums else al.constexpr
    SINKS: Any = al.Pointer(al.f32) if features.sinks else al.constexpr
    N: Any = al.u32

    @avelang.jit
    def attention(
        q: Annotated[Any, Q], k: Annotated[Any, KV], v: Annotated[Any, KV], o: Annotated[Any, O],
        lse: Annotated[Any, LOGS], sinks: Annotated[Any, SINKS],
        batches: Annotated[Any, N], heads: Annotated[Any, N], kv_heads: Annotated[Any, N],
        queries: Annotated[Any, N], keys: Annotated[Any, N], near: Annotated[Any, N],
        left: al.i32, right: al.i32, bottom: al.i32, factor: al.f32, cap: al.f32, CAUSAL: al.constexpr,
    ):  # fmt: skip
        work = AttentionWork(batches, heads, queries, kv_heads, keys, near, factor, CAUSAL)
        x = Launch(features, (batches, heads, kv_heads, queries, keys, queries, keys, 0), (left, right, bottom))
        run(F, (q, k, v), o, lse, work, x, (factor, cap, sinks))

    return attention


@functools.lru_cache(64)
def form_of(form: BlackwellAttention | None, dtype: al.DType, d: int, dv: int) -> BlackwellAttention:
    """The form for a dtype and for d and dv, which it pads; of those that there is room for the one with the most rows,
    then keys, then stages, if None: an estimate, since no card was at hand to time it. Raises L066."""
    deep, wide = (-(-n // CHUNK) * CHUNK for n in (d, dv))
    if form is not None:
        F = dataclasses.replace(form, near=0, dtype=dtype, d=deep, dv=wide)
        why = F.fault()
        if why:
            raise argument_error(f"T is {form}, and d is {d}: {why}", "leave T out, or give it less")
        return F
    every = (
        BlackwellAttention(m, n, stages, 0, dtype, deep, wide)
        for m in (256, 128)
        for n in (128, 64, 32)
        for stages in (3, 2)
    )
    return next(F for F in every if not F.fault())


@functools.lru_cache(1024)
def planned(p: Problem, form: BlackwellAttention | None, units: int, sums: bool) -> tuple[Any, int, int, int]:
    """The kernel, grid, threads, and heads together."""
    F = form_of(form, DTYPES[p.dtype], p.d, p.dv)
    tiles, near = -(-p.queries // F.m), form.near if form is not None else 0
    grid = min(units or tiles * p.heads * p.batch, tiles * p.heads * p.batch)
    if not near:
        near = p.group
        if p.right is not None:
            shift = min(p.right, p.keys) + (p.keys - p.queries if p.bottom_right else 0)
            near = near_of(tiles, p.keys, shift, p.batch * p.heads, p.group, F, grid)
    edited = bool(p.softcap) or not p.scale > 0
    features = Features(p.d, p.dv, 8, p.left is not None, edited, bool(p.softcap), sinks=p.sinks)
    return build(F, features, sums), grid, F.threads, near


def fits(p: Problem) -> bool:
    """True for what this kernel takes: dense arrays, d and dv up to 256, any window or causal mask, any scale and cap,
    sinks; no biases, dropout, lengths or pages, and no few rows, whose heads are better rows of one block."""
    return (
        p.queries * p.group > FEW
        and dataclasses.replace(p, softcap=0.0, sinks=False).plain
        and p.dtype in ("bfloat16", "float16")
        and p.d % 8 == 0
        and p.dv % 8 == 0
    )


def launch(
    p: Problem, x: Operands, out: Any, lse: Any, *, target: str = CHIP, units: int = 0,
    T: BlackwellAttention | None = None, **options: Any,
) -> None:  # fmt: skip
    """O and the logarithms (which may be None) for a problem that `fits`: see `problem.Entry`. Arrays that TMA cannot
    reach are copied first. Arrays on the CPU are worked on by the reference: the CPU backend has no tensor memory.
    `T`: a form that overrides the choice."""
    q, k, v = (dense(a) for a in (x.q, x.k, x.v))
    result = out if reachable(out) else new(out, tuple(out.shape), p.dtype)
    kernel, grid, threads, near = planned(p, T, units, lse is not None)
    if tile.on_cpu(q) and options.get("backend", "cpu") == "cpu":
        options["backend"] = "reference"
    factor = p.scale if p.softcap or not p.scale > 0 else p.scale * LOG2E
    kernel[grid, threads](
        *(a.swapaxes(1, 2) for a in (q, k, v, result)), lse, x.sinks if p.sinks else None, p.batch, p.heads, p.kv_heads,
        p.queries, p.keys, near,
        *sight_of(p), factor, p.softcap or 1.0, p.right is not None, target=target, **options,
    )  # fmt: skip
    if result is not out:
        out[...] = result
