"""Queries, keys and values come in; O = softmax(scale Q K^T) V goes out, on NVIDIA's Hopper (sm_90a):
`avelang_kernels.attention.tile_attention` with TMA and `wgmma`.

A block stays on its multiprocessor and makes one block of rows after another. One thread of its first warpgroup has
TMA copy rows of Q, and tiles of K and V into rings. The others are consumers, each with 64 rows: while a
consumer's product with V is under way, it softmaxes the scores of the next tile of keys. Weights never leave registers
(`avelang.tile.chained.join`): they are the operand A of the product with V, and V, which lies with d as its fast
dimension, is read the other way round by the instruction itself."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
import math
from typing import Annotated, Any

import numpy as np

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.pipelines.epilogue import stage_epilogue
from avelang.pipelines.ring import mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, PATTERN, REGISTERS, ROWS, UNIT
from avelang.tile.chained import Joint, join
from avelang.tile.running_softmax import inverse, narrow, scaled, softmax
from avelang.tile.tensors import Tile
from avelang_kernels.arrays import DTYPES, Batch, Count, Cube, named
from avelang_kernels.attention.hopper_arrays import dense, empty_beside, reachable
from avelang_kernels.attention.tile_attention_rows import (
    HOPPER,
    LOG2E,
    NEVER,
    WITH_WGMMA,
    checked,
    limits,
    masked,
    store_logarithms,
    tiles_of,
)

CHUNK = 64  # elements of d side by side: 128 bytes, one row of the swizzle
INNER = 16  # elements of K that one wgmma multiplies
BYTES = 2  # of an element
NEAR = 32 << 20  # bytes of K and V that blocks of rows share while they are worked on: what L2 keeps beside the rest
START = 1.0  # what a block of rows takes beside its tiles of keys, in tiles
SHARED = 227 * 1024  # bytes that a block may have
KEYS = ((128, 128), (192, 96), (256, 80))  # of a stage, for d up to the first number: what shared memory has room for
TURN, STORE = 1, 4  # first numbers of the barriers at which consumers take turns, and one's threads wait to store


@avelang.constant
@dataclasses.dataclass(frozen=True)
class HopperAttention:
    """Shape of a block: `m` rows, 64 a consumer, `n` keys at a time, `stages` of K and of V; `turns`: consumers begin
    their products in turn, so that one multiplies while the other softmaxes. `near`: so many heads of Q are worked on
    together, 0 for a number by extents. `dtype` of Q, K, V and O; `d`, as it is padded."""

    m: int = 128
    n: int = 128
    stages: int = 2
    turns: bool = True
    near: int = 0
    dtype: Any = al.bf16
    d: int = 128

    @property
    def consumers(self) -> int:
        """Warpgroups that multiply."""
        return self.m // ROWS

    @property
    def threads(self) -> int:
        """Of the block."""
        return GROUP * (1 + self.consumers)

    @property
    def takes_turns(self) -> bool:
        """True where there is another one to take turns with."""
        return self.turns and self.consumers > 1

    @property
    def chunks(self) -> int:
        """Pieces of d."""
        return self.d // CHUNK

    @property
    def shared(self) -> int:
        """Bytes of shared memory."""
        rows = self.m * (1 if self.shares else 2)
        return (rows + 2 * self.stages * self.n) * self.d * BYTES + (2 + 4 * self.stages) * 8

    @property
    def shares(self) -> bool:
        """True where rows of O are staged where those of Q were: there is no room for both."""
        return self.d > 2 * CHUNK

    @property
    def name(self) -> str:
        """Of the instruction."""
        return f"wgmma_{'bf16' if self.dtype == al.bf16 else 'f16'}_f32"

    @functools.cached_property
    def s(self) -> tile.Distribution:
        """Of a consumer's scores (64, n)."""
        return tile.Distribution.from_fragment(self.name, "c", n=self.n)

    @functools.cached_property
    def o(self) -> tile.Distribution:
        """Of a consumer's O (64, d)."""
        return tile.Distribution.from_fragment(self.name, "c", n=self.d)

    @functools.cached_property
    def joint(self) -> Joint:
        """The order in which scores are the operand A of the second product; keys in the order in which V has them."""
        found = join(self.s, tile.Distribution.from_fragment(f"{self.name}_rs", "a"))
        assert found.columns == tuple(tuple(range(INNER * t, INNER * t + INNER)) for t in range(self.n // INNER))
        return found


Form = HopperAttention


@avelang.struct
class StagedRows:
    """Stages of Q, K or V in shared memory, the ring of their mbarriers, and where its producer or a consumer is."""

    data: ...
    ring: ...
    state: ... = None

    def load(self, x: Any, batch: Any, row: Any, head: Any, ROWS: Any):
        """Fills the next stage, once it is free: rows of a head, in pieces of d."""
        PIECES, SIZE = self.data.shape[1] // (ROWS * CHUNK), ROWS * CHUNK
        self.ring.acquire(self.state, PIECES * SIZE * BYTES)
        for c in range(PIECES):
            piece = al.subview(self.data, (self.state.stage, c * SIZE), (1, SIZE), (1, 1))
            al.nvvm.tma_load_4d(piece, x, batch, row, head, c * CHUNK, self.ring.full[self.state.stage])
        self.state.advance()

    def wait(self):
        """Waits until the stage is full."""
        self.ring.wait(self.state)

    def release(self, t: Any):
        """Releases the stage for this consumer, and moves on to the next one."""
        self.ring.release(self.state.stage, t)
        self.state.advance()


@avelang.jit
def stages_of(dtype: Any, STAGES: Any, ROWS: Any, CHUNKS: Any):
    """Memory for stages of so many rows in so many pieces of d."""
    return al.make_shared((STAGES, CHUNKS * ROWS * CHUNK), dtype, 1024)


@avelang.jit
def staged_rows(data: Any, CONSUMERS: Any):
    """Stages with their mbarriers, which are ready behind a barrier of the block."""
    ring = mbarrier_ring(data.shape[0], CONSUMERS)
    if al.thread_id(0) == 0:
        ring.init()
    return StagedRows(data, ring)


@avelang.struct
class AttentionWork:
    """The work of a launch: extents, and which blocks of rows are whose."""

    batches: ...
    heads: ...
    queries: ...
    kv_heads: ...
    keys: ...
    near: ...
    scale: ...
    CAUSAL: al.constexpr

    def count(self, M: Any):
        """Blocks of rows."""
        return (self.queries + (M - 1)) // M * self.heads * self.batches

    def work_tile(self, index: Any, M: Any):
        """First row, head and batch. `near` heads at a time, first row by row, in each the heads: what is worked on at
        one time shares K and V. Of causal heads the last rows have the most to do: the last heads begin with those, the
        ones before them with the first rows, and so on by turns, so that a block that got long ones of some heads gets
        short ones of the next."""
        tiles, all = (self.queries + (M - 1)) // M, self.heads * self.batches
        group, inner = index // (self.near * tiles), index % (self.near * tiles)
        begin = group * self.near
        have = min(self.near, all - begin)
        row, head = inner // have, begin + inner % have
        if self.CAUSAL:
            last = (all + self.near - 1) // self.near - 1
            row = al.select((last - group) % 2 == 0, tiles - 1 - row, row)
        return row * M, head % self.heads, head // self.heads

    def tiles(self, first: Any, M: Any, N: Any):
        """Tiles of keys of a block of rows, one at least, and how many of them are seen whole."""
        end, whole = tiles_of(self.queries, self.keys, first, M, N, self.CAUSAL)
        return max(1, end), whole


@avelang.jit
def produce(F: Any, Q: Any, K: Any, V: Any, q: Any, k: Any, v: Any, work: Any):
    """One thread's part: fills stages, block of rows after block of rows."""
    q.state, k.state, v.state = q.ring.producer(), k.ring.producer(), v.ring.producer()
    for index in al.range(al.block_id(0), work.count(F.m), al.grid_dim(0)):
        first, head, batch = work.work_tile(index, F.m)
        end, _ = work.tiles(first, F.m, F.n)
        own = head // (work.heads // work.kv_heads)
        k.load(K, batch, 0, own, F.n)  # before Q, whose stage the rows before may still need
        q.load(Q, batch, first, head, F.m)
        v.load(V, batch, 0, own, F.n)
        for j in al.range(1, end):
            k.load(K, batch, j * F.n, own, F.n)
            v.load(V, batch, j * F.n, own, F.n)


@avelang.jit
def wgmma(F: Any, a: Any, b: Any, sums: Any, WEIGHTS: Any):
    """One instruction: A by descriptor or, of weights, from registers; then B lies the other way round."""
    if WEIGHTS:
        return (
            al.nvvm.wgmma_bf16_f32_rs(a, b, sums, trans_b=1)
            if F.dtype == al.bf16
            else al.nvvm.wgmma_f16_f32_rs(a, b, sums, trans_b=1)
        )
    return al.nvvm.wgmma_bf16_f32(a, b, sums) if F.dtype == al.bf16 else al.nvvm.wgmma_f16_f32(a, b, sums)


@avelang.jit
def score(F: Any, q: Any, k: Any, consumer: Any):
    """Begins a consumer's product of its rows of Q with the stage of K."""
    sums = al.nvvm.wgmma_fence_acc(al.full((F.s.elements,), 0.0, al.f32))
    for c in range(F.chunks):
        rows = al.nvvm.wgmma_descriptor(
            al.subview(q.data, (0, c * F.m * CHUNK + consumer * (ROWS * CHUNK)), (1, ROWS * CHUNK), (1, 1))
        )
        keys = al.nvvm.wgmma_descriptor(al.subview(k.data, (k.state.stage, c * F.n * CHUNK), (1, F.n * CHUNK), (1, 1)))
        for i in range(CHUNK // INNER):
            offset = i * INNER * BYTES // UNIT
            sums = wgmma(F, rows + offset, keys + offset, sums, False)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def fragments(F: Any, p: Any):
    """Weights as operands: a vector for each instruction."""
    held, out = narrow(p.values, F.dtype), ()
    for slots in F.joint.slots:
        one = al.make_local((len(slots),), F.dtype)
        for i in range(len(slots)):
            one[i] = held[slots[i]]
        out = out + (one,)
    return out


@avelang.jit
def multiply_values(F: Any, weights: Any, v: Any, sums: Any):
    """Begins the product of weights with the stage of V: sums of O."""
    sums, mine = al.nvvm.wgmma_fence_acc(sums), tuple([al.nvvm.wgmma_fence_acc(w) for w in weights])
    rows = al.nvvm.wgmma_descriptor(v.data[v.state.stage], leading=F.n * PATTERN, stride=8 * PATTERN)
    for t in range(len(mine)):
        sums = wgmma(F, mine[t], rows + t * INNER * PATTERN // UNIT, sums, True)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def await_turn(F: Any, consumer: Any):
    """Until it is this consumer's turn to begin products."""
    if F.takes_turns:
        al.nvvm.barrier_sync(TURN + consumer, 2 * GROUP)


@avelang.jit
def pass_turn(F: Any, consumer: Any):
    """It is the next one's."""
    if F.takes_turns:
        al.nvvm.barrier_arrive(TURN + al.select(consumer == F.consumers - 1, 0, consumer + 1), 2 * GROUP)


@avelang.jit
def overlap(
    F: Any, rows: Any, sums: Any, weights: Any, q: Any, k: Any, v: Any, key: Any, limit: Any, scale: Any,
    consumer: Any, t: Any, MASKED: Any,
):  # fmt: skip
    """The next tile of keys: its scores are softmaxed while the weights of the one before are multiplied. Returns sums
    of O, and the weights."""
    k.wait()
    await_turn(F, consumer)
    s = score(F, q, k, consumer)
    v.wait()
    sums = multiply_values(F, weights, v, sums)
    pass_turn(F, consumer)
    s = Tile(al.nvvm.wgmma_wait_acc(s, 1), F.s, t, F.consumers)
    k.release(t)
    if MASKED:
        s = masked(s, key, limit)
    p, shrink = rows.weigh(s, scale)
    sums = al.nvvm.wgmma_wait_acc(sums, 0)
    v.release(t)
    return scaled(Tile(sums, F.o, t, F.consumers), shrink).values, fragments(F, p)


@avelang.jit
def attend(F: Any, q: Any, k: Any, v: Any, work: Any, first: Any, consumer: Any, t: Any):
    """A consumer's 64 rows, from row `first` on: O, and the logarithms of the sums."""
    end, whole = work.tiles(first - consumer * ROWS, F.m, F.n)
    limit = limits(work.queries, work.keys, first, work.CAUSAL)
    rows, like = softmax(F.s, t, F.consumers), tile.full(F.s, 0.0, al.f32)
    q.wait()
    k.wait()
    await_turn(F, consumer)
    s = score(F, q, k, consumer)
    pass_turn(F, consumer)
    s = Tile(al.nvvm.wgmma_wait_acc(s, 0), F.s, t, F.consumers)
    k.release(t)
    if whole == 0:
        s = masked(s, 0, limit)
    p, _ = rows.weigh(s, work.scale)
    weights, sums = fragments(F, p), al.full((F.o.elements,), 0.0, al.f32)
    for _ in al.range(1, whole):
        sums, weights = overlap(F, rows, sums, weights, q, k, v, 0, limit, work.scale, consumer, t, False)
    for j in al.range(max(1, whole), end):
        sums, weights = overlap(
            F, rows, sums, weights, q, k, v, al.convert(j * F.n, al.u32), limit, work.scale, consumer, t, True
        )
    if not F.shares:
        q.release(t)
    v.wait()
    sums = al.nvvm.wgmma_wait_acc(multiply_values(F, weights, v, sums), 0)
    v.release(t)
    total = rows.sums(like)
    return scaled(Tile(sums, F.o, t, F.consumers), inverse(total)), rows.logarithms(total, work.scale)


@avelang.jit
def piece_of(F: Any, pieces: Any, q: Any, consumer: Any, c: Any):
    """Memory for 128 bytes of each of a consumer's rows of O."""
    if F.shares:
        mine = al.subview(q.data, (0, c * F.m * CHUNK + consumer * (ROWS * CHUNK)), (1, ROWS * CHUNK), (1, 1))
    else:
        mine = al.subview(pieces, (consumer, c, 0, 0, 0), (1, 1, ROWS, PATTERN // UNIT, UNIT // BYTES), (1, 1, 1, 1, 1))
    return al.view(mine, al.Tensor((ROWS, PATTERN // UNIT, UNIT // BYTES), F.dtype))


@avelang.jit
def store(F: Any, O: Any, pieces: Any, q: Any, out: Any, batch: Any, first: Any, head: Any, consumer: Any, t: Any):
    """Rounds a consumer's rows and hands them to TMA, 128 bytes of each row at a time."""
    if t == 0 and not F.shares:
        al.nvvm.cp_async_bulk_wait_group_read(0)
    al.nvvm.barrier_sync(STORE + consumer, GROUP)
    for c in range(F.chunks):
        stage_epilogue(
            piece_of(F, pieces, q, consumer, c),
            al.subview(out.values, (c * CHUNK // 2,), (CHUNK // 2,), (1,)), t // 32, t % 32,
        )
    al.nvvm.fence_proxy_async_shared()
    al.nvvm.barrier_sync(STORE + consumer, GROUP)
    if t == 0:
        for c in range(F.chunks):
            al.nvvm.tma_store_4d(O, batch, first, head, c * CHUNK, piece_of(F, pieces, q, consumer, c))
        al.nvvm.cp_async_bulk_commit_group()
        if F.shares:
            al.nvvm.cp_async_bulk_wait_group_read(0)
    if F.shares:
        q.release(t)


@avelang.jit
def run(F: Any, Q: Any, K: Any, V: Any, O: Any, lse: Any, work: Any):
    """All blocks of rows that are this block's."""
    t = al.thread_id(0)
    q = staged_rows(stages_of(F.dtype, 1, F.m, F.chunks), F.consumers)
    k, v = (staged_rows(stages_of(F.dtype, F.stages, F.n, F.chunks), F.consumers) for _ in range(2))
    pieces = None
    if not F.shares:
        pieces = al.make_shared((F.consumers, F.chunks, ROWS, PATTERN // UNIT, UNIT // BYTES), F.dtype, 1024)
    if t == 0:
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if t < GROUP:
        al.nvvm.setmaxnreg_dec(REGISTERS[F.consumers - 1][0])
        if t == 0:
            produce(F, Q, K, V, q, k, v, work)
    else:
        al.nvvm.setmaxnreg_inc(REGISTERS[F.consumers - 1][1])
        consumer = t // GROUP - 1
        q.state, k.state, v.state = q.ring.consumer(), k.ring.consumer(), v.ring.consumer()
        if F.takes_turns and consumer == F.consumers - 1:
            pass_turn(F, consumer)
        for index in al.range(al.block_id(0), work.count(F.m), al.grid_dim(0)):
            first, head, batch = work.work_tile(index, F.m)
            first = first + consumer * ROWS
            out, found = attend(F, q, k, v, work, first, consumer, t % GROUP)
            store(F, O, pieces, q, out, batch, first, head, consumer, t % GROUP)
            if lse is not None:
                store_logarithms(lse, found, work.batches, work.heads, work.queries, batch, head, first)
        if t % GROUP == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


@functools.cache
def build(F: HopperAttention, sums: bool = False) -> Any:
    """The kernel for a block; `sums`: with the logarithms of the rows' sums."""
    Q: Any = al.TensorMap(F.dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN)
    KV: Any = al.TensorMap(F.dtype, 4, (1, F.n, 1, CHUNK), swizzle=PATTERN)
    O: Any = al.TensorMap(F.dtype, 4, (1, ROWS, 1, CHUNK), swizzle=PATTERN)
    N: Any = al.u32

    @avelang.jit
    def attention(
        q: Annotated[Any, Q], k: Annotated[Any, KV], v: Annotated[Any, KV], o: Annotated[Any, O],
        batches: Annotated[Any, N], heads: Annotated[Any, N], queries: Annotated[Any, N],
        kv_heads: Annotated[Any, N], keys: Annotated[Any, N], near: Annotated[Any, N], scale: al.f32,
        CAUSAL: al.constexpr,
    ):  # fmt: skip
        run(F, q, k, v, o, None, AttentionWork(batches, heads, queries, kv_heads, keys, near, scale, CAUSAL))

    @avelang.jit
    def attention_and_sums(
        q: Annotated[Any, Q], k: Annotated[Any, KV], v: Annotated[Any, KV], o: Annotated[Any, O],
        lse: al.Pointer[al.f32], batches: Annotated[Any, N], heads: Annotated[Any, N], queries: Annotated[Any, N],
        kv_heads: Annotated[Any, N], keys: Annotated[Any, N], near: Annotated[Any, N], scale: al.f32,
        CAUSAL: al.constexpr,
    ):  # fmt: skip
        run(F, q, k, v, o, lse, AttentionWork(batches, heads, queries, kv_heads, keys, near, scale, CAUSAL))

    return attention_and_sums if sums else attention


@functools.lru_cache(64)
def form_of(form: HopperAttention | None, dtype: al.DType, d: int) -> HopperAttention:
    """The form for a dtype and a padded d, whatever its `near`, which code does not know; the one that was the fastest
    on an H200 if None: three consumers where d is small enough."""
    keys = next(n for most, n in KEYS if d <= most)
    F = dataclasses.replace(form or HopperAttention(m=192 if d <= CHUNK else 128, n=keys), near=0, dtype=dtype, d=d)
    if F.shared > SHARED:
        raise argument_error(
            f"T is {form}, and d is {d}: that takes {F.shared} bytes of shared memory, and a block has {SHARED}",
            f"n={keys} fits, or leave T out",
        )
    return F


def near_of(tiles: int, keys: int, shift: int, heads: int, group: int, F: Any, units: int) -> int:
    """Number of heads of a causal product that are worked on together: whole groups of those that share K and V, no
    more than L2 keeps K and V of (or one group), and of these numbers the one by which blocks of the grid have the most
    equal parts. `tiles` of rows; `shift`: keys - queries; `heads`: of all batches; `group`: heads that share K and V;
    `units`: blocks of the grid; `F`: a form, of Hopper or Blackwell."""
    fit = NEAR // max(1, 2 * keys * F.d * BYTES)
    ends = np.clip((np.arange(tiles) + 1) * F.m + shift, 1, keys)
    each, best, least = np.ceil(ends / F.n) + START, group, math.inf
    for near in sorted({min(heads, group << i) for i in range(heads.bit_length())}):
        if near > max(group, fit * group):
            break
        groups = -(-heads // near)
        parts = [
            np.repeat(each[:: -1 if (groups - 1 - g) % 2 == 0 else 1], min(near, heads - g * near))
            for g in range(groups)
        ]
        work = np.concatenate(parts)
        longest = np.concatenate([work, np.zeros(-len(work) % units)]).reshape(-1, units).sum(0).max()
        if longest < least * (1 - 2.0**-8):
            best, least = near, longest
    return best


@takes()
def attention(
    q: Batch, k: Batch, v: Batch, out: Batch, *, lse: Cube | None = None, causal: bool = False,
    scale: float | None = None, layout: str = "bshd",
    form: HopperAttention | None = None, units: Count = 0, **options: Any,
) -> Any:  # fmt: skip
    """out = softmax(scale q k^T) v: arguments, meaning and errors as of
    `avelang_kernels.attention.tile_attention.attention`, for sm_90a. d is at most 256, and neither batch, seq nor heads
    of an array need be contiguous. `form`: chosen by d if left out; `units`: multiprocessors, by default those of the
    arrays' GPU. Returns `out`."""
    batches, heads, queries, d, kv_heads, keys = checked(q, k, v, out, lse, scale, layout)
    if 0 in (batches, heads, queries, keys, d):
        out[...] = 0
        if lse is not None:
            lse[...] = NEVER
        return out
    sizes = batches, heads, queries, d, kv_heads, keys
    return launch(q, k, v, out, lse, sizes, causal, scale, layout, form, units or tile.device_of(q, HOPPER)[1], options)


@functools.lru_cache(1024)
def planned(
    form: HopperAttention | None, dtype: al.DType, sizes: tuple[int, ...], causal: bool, units: int, sums: bool
) -> tuple[Any, int, int, int]:
    """The kernel, grid, threads, and heads together, for sizes as `checked` has them."""
    batches, heads, queries, d, kv_heads, keys = sizes
    F = form_of(form, dtype, -(-d // CHUNK) * CHUNK)
    tiles, group, near = -(-queries // F.m), heads // kv_heads, form.near if form is not None else 0
    grid = min(units or tiles * heads * batches, tiles * heads * batches)
    near = near or (near_of(tiles, keys, keys - queries, batches * heads, group, F, grid) if causal else group)
    return build(F, sums), grid, F.threads, near


def launch(
    q: Any, k: Any, v: Any, out: Any, lse: Any, sizes: tuple[int, ...], causal: bool, scale: float | None, layout: str,
    form: HopperAttention | None, units: int,
    options: dict[str, Any],
) -> Any:  # fmt: skip
    """`attention` for arguments that have been checked, none of whose sizes is 0; `units`: 0 for as many as there are
    blocks of rows."""
    batches, heads, queries, d, kv_heads, keys = sizes
    kernel, grid, threads, near = planned(form, DTYPES[named(q)], sizes, causal, units, lse is not None)
    if layout == "bhsd":
        q, k, v, result = (x.swapaxes(1, 2) for x in (q, k, v, out))
    else:
        result = out
    outs = (result,) if lse is None else (result, lse)
    by = (d**-0.5 if scale is None else scale) * LOG2E
    kernel[grid, threads](
        q, k, v, *outs, batches, heads, queries, kv_heads, keys, near, by, causal, target=HOPPER, **options
    )
    return out


def fits(problem: Any) -> bool:
    """True for what this kernel takes: dense arrays, d up to 256 and the same of V, a causal mask by which the last
    query sees all keys, or none; no caps, biases or sinks."""
    p = problem
    return (
        p.plain
        and p.scale > 0
        and p.dtype in ("bfloat16", "float16")
        and p.d == p.dv
        and p.d % 8 == 0
        and p.d <= WITH_WGMMA
        and (p.left is None and p.right is None or p.causal and (p.bottom_right or p.queries == p.keys))
    )


def launch_problem(
    problem: Any, operands: Any, out: Any, lse: Any, *, target: str = HOPPER, units: int = 0, **options: Any
) -> Any:
    """O and the logarithms for a problem that `fits`: arrays (batch, heads, length, d) with any strides that keep d
    side by side; those that TMA cannot reach are copied first. `units`: multiprocessors."""
    p, (q, k, v) = problem, (dense(x) for x in (operands.q, operands.k, operands.v))
    result = out if reachable(out) else empty_beside(out, tuple(out.shape), p.dtype)
    sizes = p.batch, p.heads, p.queries, p.d, p.kv_heads, p.keys
    launch(q, k, v, result, lse, sizes, p.causal, p.scale, "bhsd", None, units, options)
    if result is not out:
        out[...] = result
    return out
