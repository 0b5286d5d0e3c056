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
from avelang.pipelines.warp_specialized import GROUP, PATTERN, REGISTERS, ROWS, UNIT
from avelang.tile.chained import Joint, join
from avelang.tile.running_softmax import inverse, narrow, scaled, softmax
from avelang.tile.tensors import Tile
from avelang_kernels.arrays import DTYPES, Batch, Count, Cube, named, new, strided, strides_of
from avelang_kernels.attention.hopper_arrays import dense, reachable, staged_bias
from avelang_kernels.attention.hopper_attention_memory import (
    BYTES,
    CHUNK,
    WARP,
    StagedBias,
    clean,
    staged_rows,
    stages_of,
    store,
)
from avelang_kernels.attention.hopper_attention_work import Added, AttentionWork, Bits, HopperWork, PackedWork
from avelang_kernels.attention.hopper_masks import WORDS, mask_bits
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.tile_attention_rows import (
    HOPPER,
    LOG2E,
    NEVER,
    WITH_WGMMA,
    checked,
    sunk,
)
from avelang_kernels.attention.tile_attention_views import Features, Launch, bias_of, features, readable_bias, sight_of

INNER = 16  # elements of K that one wgmma multiplies
NEAR = 32 << 20  # bytes of K and V that blocks of rows share while they are worked on: what L2 keeps beside the rest
START = 1.0  # what a block of rows takes beside its tiles of keys, in tiles
SHARED = 227 * 1024  # bytes that a block may have
KEYS = ((128, 128), (192, 96), (256, 80))  # of a stage, for d up to the first number: what shared memory has room for
TURN = 1  # the first number of the barriers at which consumers take turns


@avelang.constant
@dataclasses.dataclass(frozen=True)
class HopperAttention:
    """Shape of a block: `m` rows, 64 a consumer, `n` keys at a time, `stages` of K and of V; `turns`: consumers begin
    their products in turn, so that one multiplies while the other softmaxes. `near`: so many heads of Q are worked on
    together, 0 for a number by extents. `added`: stages of a bias of 16 bits, 0 where none is staged. `dtype` of Q, K,
    V and O; `d`, and `dv` of V and O, as they are padded."""

    m: int = 128
    n: int = 128
    stages: int = 2
    turns: bool = True
    near: int = 0
    added: int = 0
    dtype: Any = al.bf16
    d: int = 128
    dv: int = 128

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
    def value_chunks(self) -> int:
        """Pieces of dv."""
        return self.dv // CHUNK

    @property
    def shared(self) -> int:
        """Bytes of shared memory."""
        rows = self.m * (self.d if self.shares else self.d + self.dv)
        tiles = self.stages * self.n * (self.d + self.dv) + self.added * self.m * self.n
        return (rows + tiles) * BYTES + (2 + 4 * self.stages + 2 * self.added) * 8

    @property
    def shares(self) -> bool:
        """True where rows of O are staged where those of Q were: there is no room for both."""
        return self.d > 2 * CHUNK or self.added > 0

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
        """Of a consumer's O (64, dv)."""
        return tile.Distribution.from_fragment(self.name, "c", n=self.dv)

    @functools.cached_property
    def joint(self) -> Joint:
        """The order in which scores are the operand A of the second product; keys in the order in which V has them."""
        found = join(self.s, tile.Distribution.from_fragment(f"{self.name}_rs", "a"))
        assert found.columns == tuple(tuple(range(INNER * t, INNER * t + INNER)) for t in range(self.n // INNER))
        return found


Form = HopperAttention


@avelang.jit
def produce(F: Any, Q: Any, K: Any, V: Any, q: Any, k: Any, v: Any, work: Any, b: Any):
    """One thread's part: fills stages, block of rows after block of rows. `b`: a `StagedBias`, or None."""
    q.state, k.state, v.state = q.ring.producer(), k.ring.producer(), v.ring.producer()
    if b is not None:
        b.rows.state = b.rows.ring.producer()
    for index in al.range(al.block_id(0), work.order.count(F.m), al.grid_dim(0)):
        w = work.rows(index, F.m, F.n)
        if w.there:
            row = w.begin_k + w.tile(0) * F.n
            k.load(K, w.place, row, w.own, F.n)  # before Q, whose stage the rows before may still need
            q.load(Q, w.place, w.begin_q + w.first, w.head, F.m)
            if b is not None:
                b.fill(w, w.tile(0))
            v.load(V, w.place, row, w.own, F.n)
            for i in al.range(1, w.count):
                row = w.begin_k + w.tile(i) * F.n
                k.load(K, w.place, row, w.own, F.n)
                if b is not None:
                    b.fill(w, w.tile(i))
                v.load(V, w.place, row, w.own, F.n)


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
def added_to(F: Any, b: Any, w: Any, entry: Any, seen: Any, consumer: Any, t: Any):
    """The bias of a consumer's scores of a tile; None where there is none."""
    return b.take(consumer * ROWS, t) if b is not None else w.added(entry, F.n, seen, t)


@avelang.jit
def overlap(
    F: Any, rows: Any, sums: Any, weights: Any, q: Any, k: Any, v: Any, b: Any, w: Any, seen: Any, entry: Any,
    consumer: Any, t: Any, MASKED: Any,
):  # fmt: skip
    """The next tile of keys: its scores are softmaxed while the weights of the one before are multiplied. `w`: the
    block's rows, `seen`: edits of this consumer's scores. Returns sums of O, and the weights."""
    # There are registers for it.
    EARLY = b is not None or w.bias is not None and F.consumers < 3 and w.bias.data.dtype != al.f32
    k.wait()
    await_turn(F, consumer)
    s = score(F, q, k, consumer)
    v.wait()
    sums = multiply_values(F, weights, v, sums)
    pass_turn(F, consumer)
    added = added_to(F, b, w, entry, seen, consumer, t) if EARLY else None  # on its way while scores are made
    s = Tile(al.nvvm.wgmma_wait_acc(s, 1), F.s, t, F.consumers)
    k.release(t)
    if not EARLY:
        added = added_to(F, b, w, entry, seen, consumer, t)
    s = w.shown(s, entry, F.n, t, seen, added, MASKED)
    p, shrink = rows.weigh(s, seen.scale)
    sums = al.nvvm.wgmma_wait_acc(sums, 0)
    v.release(t)
    return scaled(Tile(sums, F.o, t, F.consumers), shrink).values, fragments(F, p)


@avelang.jit
def attend(F: Any, q: Any, k: Any, v: Any, b: Any, work: Any, w: Any, sinks: Any, consumer: Any, t: Any):
    """A consumer's 64 rows of a block of rows: O, and the logarithms of the sums."""
    seen = work.scores(w, w.first + consumer * ROWS)
    rows, like = softmax(F.s, t, F.consumers), tile.full(F.s, 0.0, al.f32)
    APART = work.bits is None and not work.x.F.left  # tiles that are seen whole come first, in a loop of their own
    whole, entry = w.ends[2], w.entry(0)
    q.wait()
    k.wait()
    await_turn(F, consumer)
    s = score(F, q, k, consumer)
    pass_turn(F, consumer)
    s = Tile(al.nvvm.wgmma_wait_acc(s, 0), F.s, t, F.consumers)
    k.release(t)
    s = w.shown(s, entry, F.n, t, seen, added_to(F, b, w, entry, seen, consumer, t), None)
    p, _ = rows.weigh(s, seen.scale)
    weights, sums = fragments(F, p), al.full((F.o.elements,), 0.0, al.f32)
    if APART:
        for i in al.range(1, whole):
            entry = w.entry(i)
            sums, weights = overlap(F, rows, sums, weights, q, k, v, b, w, seen, entry, consumer, t, False)
        for i in al.range(max(1, whole), w.count):
            entry = w.entry(i)
            sums, weights = overlap(F, rows, sums, weights, q, k, v, b, w, seen, entry, consumer, t, True)
    else:
        for i in al.range(1, w.count):
            entry = w.entry(i)
            sums, weights = overlap(F, rows, sums, weights, q, k, v, b, w, seen, entry, consumer, t, None)
    if not F.shares:
        q.release(t)
    v.wait()
    if work.x.F.packed_k or work.x.F.lengths:
        clean(F, v, al.convert(w.keys, al.i32) - al.convert(w.tile(w.count - 1) * F.n, al.i32), consumer, t)
    sums = al.nvvm.wgmma_wait_acc(multiply_values(F, weights, v, sums), 0)
    v.release(t)
    total = rows.sums(like)
    out, found = scaled(Tile(sums, F.o, t, F.consumers), inverse(total)), rows.logarithms(total, seen.scale)
    if work.x.F.sinks:
        by, found = sunk(found, sinks[w.head])
        out = scaled(out, by)
    return out, found


@avelang.jit
def run(F: Any, Q: Any, K: Any, V: Any, O: Any, lse: Any, o: Any, sinks: Any, work: Any, bias: Any):
    """All blocks of rows that are this block's. `bias`: a map, steps as of `StagedBias`, and the dtype, or None."""
    t = al.thread_id(0)
    rows, keys = stages_of(F.dtype, 1, F.m, F.chunks), stages_of(F.dtype, F.stages, F.n, F.chunks)
    values, tiles = stages_of(F.dtype, F.stages, F.n, F.value_chunks), None
    if F.added:  # before the mbarriers, as all that must begin at multiples of 1024
        tiles = stages_of(bias[2], F.added, F.m, F.n // CHUNK)
    q, k, v = (staged_rows(x, F.consumers) for x in (rows, keys, values))
    b, pieces = None, None
    if F.added:
        b = StagedBias(staged_rows(tiles, F.consumers * (GROUP // WARP)), bias[0], bias[1], F.m, F.n)
    if not F.shares:
        pieces = al.make_shared((F.consumers, F.value_chunks, ROWS, PATTERN // UNIT, UNIT // BYTES), F.dtype, 1024)
    if t == 0:
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if t < GROUP:
        al.nvvm.setmaxnreg_dec(REGISTERS[F.consumers - 1][0])
        if t == 0:
            produce(F, Q, K, V, q, k, v, work, b)
    else:
        al.nvvm.setmaxnreg_inc(REGISTERS[F.consumers - 1][1])
        consumer = t // GROUP - 1
        q.state, k.state, v.state = q.ring.consumer(), k.ring.consumer(), v.ring.consumer()
        if b is not None:
            b.rows.state = b.rows.ring.consumer()
        if F.takes_turns and consumer == F.consumers - 1:
            pass_turn(F, consumer)
        for index in al.range(al.block_id(0), work.order.count(F.m), al.grid_dim(0)):
            w = work.rows(index, F.m, F.n)
            if w.there:
                out, found = attend(F, q, k, v, b, work, w, sinks, consumer, t % GROUP)
                store(F, O, pieces, q, out, w, o, work, consumer, t % GROUP)
                if lse is not None:
                    logs = work.x.logarithms(lse, w.batch, w.head, w.begin_q, w.queries)
                    logs.store(found, (w.first + consumer * ROWS,))
        if t % GROUP == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


@functools.cache
def build(F: HopperAttention, A: Features, sums: bool = False, bias_dtype: Any = None) -> Any:
    """The kernel for a block and what is asked for; `sums`: with the logarithms of the rows' sums."""
    Q: Any = al.TensorMap(F.dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN)
    KV: Any = al.TensorMap(F.dtype, 4, (1, F.n, 1, CHUNK), swizzle=PATTERN)
    O: Any = al.TensorMap(F.dtype, 4, (1, ROWS, 1, CHUNK), swizzle=PATTERN)
    N: Any = al.u32

    def given(there: Any, of: Any) -> Any:
        return al.Pointer(of) if there else al.constexpr

    LOGS, SINKS, OUT = given(sums, al.f32), given(A.sinks, al.f32), given(A.packed_q, F.dtype)
    CU_Q, CU_K, LENGTHS = given(A.packed_q, al.i32), given(A.packed_k, al.i32), given(A.lengths, al.i32)
    BIAS, BITS = given(A.bias == "add" and not F.added, bias_dtype), given(A.bias == "bool", al.u32)
    TILES: Any = al.TensorMap(bias_dtype, 4, (1, F.m, 1, CHUNK), swizzle=PATTERN) if F.added else al.constexpr
    BALANCED = balanced(A)

    @avelang.jit
    def attention(
        q: Annotated[Any, Q], k: Annotated[Any, KV], v: Annotated[Any, KV], o: Annotated[Any, O],
        lse: Annotated[Any, LOGS], memory: Annotated[Any, OUT], sinks: Annotated[Any, SINKS],
        cu_q: Annotated[Any, CU_Q], cu_k: Annotated[Any, CU_K], lengths: Annotated[Any, LENGTHS],
        bias: Annotated[Any, BIAS], bits: Annotated[Any, BITS], lists: Annotated[Any, BITS],
        tiles: Annotated[Any, TILES],
        batches: Annotated[Any, N], heads: Annotated[Any, N], queries: Annotated[Any, N],
        kv_heads: Annotated[Any, N], keys: Annotated[Any, N], tokens_q: Annotated[Any, N],
        tokens_k: Annotated[Any, N], slots: Annotated[Any, N], near: Annotated[Any, N], left: al.i32, right: al.i32,
        bottom: al.i32, factor: al.f32, cap: al.f32, ob: Annotated[Any, N], oh: Annotated[Any, N],
        ol: Annotated[Any, N], bb: Annotated[Any, N], bh: Annotated[Any, N], bl: Annotated[Any, N],
        length: al.u64,
    ):  # fmt: skip
        extents = batches, heads, kv_heads, queries, keys, tokens_q, tokens_k, slots
        x = Launch(A, extents, (left, right, bottom), cu_q, cu_k, None, None, lengths, None)
        there = None
        if A.bias == "bool":  # `bb`, `bh`: planes
            columns, blocks = (keys + (F.n - 1)) // F.n, (queries + (F.m - 1)) // F.m
            planes = (batches - 1) * bb + (heads - 1) * bh + 1
            size = al.convert(planes, al.u64) * queries * columns * WORDS
            words = al.make_tensor(bits, al.u32, al.make_layout((size,)))
            listed = al.make_tensor(lists, al.u32, al.make_layout((planes * blocks * (columns + 1),)))
            there = Bits(words, listed, (bb, bh), columns, blocks)
        order: Any = AttentionWork(batches, heads, queries, kv_heads, keys, near, factor, BALANCED)
        if A.packed_q:
            order = PackedWork(batches, heads, tokens_q, slots, cu_q)
        more = None
        if A.bias == "add" and not F.added:
            more = Added(
                al.make_tensor(bias, bias_dtype, al.make_layout((length,))), (bb, bh, bl), A.bias_column,
                A.bias_vector > 1,
            )  # fmt: skip
        work = HopperWork(x, order, (factor, cap), more, there)
        run(F, q, k, v, o, lse, (memory, (ob, oh, ol)), sinks, work, (tiles, (bb, bh), bias_dtype))

    return attention


def balanced(A: Features) -> bool:
    """True where later rows have more to do, or may have: a mask is likely to be a causal one."""
    return (A.right and not A.left) or A.bias == "bool"


def added(d: int, size: int, staged: bool = False) -> HopperAttention:
    """The form for something of `size` bytes that is added to scores, of which lanes have registers for a tile;
    `staged`: TMA brings it."""
    return HopperAttention(m=128, n=128 if d * size <= 4 * CHUNK else 64, added=2 if staged else 0)


@functools.lru_cache(64)
def form_of(form: HopperAttention | None, dtype: al.DType, d: int, dv: int = 0) -> HopperAttention:
    """The form for a dtype and a padded d, and that of V if it is another, whatever its `near`, which code does not
    know; the one that was the fastest on an H200 if None: three consumers where d is small enough."""
    keys = next(n for most, n in KEYS if d <= most)
    made = form or HopperAttention(m=192 if d <= CHUNK else 128, n=keys)
    F = dataclasses.replace(made, near=0, dtype=dtype, d=d, dv=dv or d)
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
    p = Problem(
        batches, heads, kv_heads, queries, keys, d, d, named(q), d**-0.5 if scale is None else scale,
        right=0 if causal else None, bottom_right=True,
    )  # fmt: skip
    q, k, v, result = (x.swapaxes(1, 2) if layout == "bshd" else x for x in (q, k, v, out))
    launch(p, Operands(q, k, v), result, lse, form, units or tile.device_of(q, HOPPER)[1], options)
    return out


@functools.lru_cache(1024)
def planned(
    form: HopperAttention | None, p: Problem, units: int, sums: bool, A: Features, kind: Any, tokens: int,
    staged: bool,
) -> tuple[Any, int, HopperAttention, int, int]:
    """The kernel, the grid, the form, the heads together and the places of packed blocks, for a problem with such
    features. `tokens`: of packed sequences of Q. `staged`: TMA reaches the bias."""
    wide = -(-p.d // CHUNK) * CHUNK
    if form is None and A.bias == "add":
        form = added(wide, 4 if p.bias == "float32" else BYTES, staged)
    if form is not None and not staged:
        form = dataclasses.replace(form, added=0)
    F = form_of(form, DTYPES[p.dtype], wide, -(-p.dv // CHUNK) * CHUNK)
    tiles, slots, all = -(-p.queries // F.m), 0, p.heads * p.batch
    blocks = tiles * all
    if p.packed_q:
        slots = tokens // F.m + p.batch + 1
        blocks = slots * p.heads
    grid, near = min(units or blocks, blocks), form.near if form is not None else 0
    if not near:
        near = p.group
        if balanced(A) and not p.packed_q:
            near = near_of(tiles, p.keys, p.keys - p.queries, all, p.group, F, grid)
    return build(F, A, sums, kind), grid, F, near, slots


def launch(
    p: Problem, x: Operands, out: Any, lse: Any, form: HopperAttention | None, units: int, options: dict[str, Any]
) -> None:
    """O, and the logarithms if `lse` is not None, for a problem none of whose sizes is 0, of arrays that TMA reaches:
    (batch, heads, length, d), or packed. `units`: 0 for as many as there are blocks of rows."""
    bias = readable_bias(x.bias) if p.bias != "bool" else None
    found = features(dataclasses.replace(p, bias=p.bias.replace("bool", "")), Operands(x.q, x.k, x.v, bias), (out,))
    # Bits stand for a mask of bool.
    A = dataclasses.replace(found, bias=found.bias or p.bias, right=p.right is not None)
    kind, size = (DTYPES[p.bias], math.prod(bias.shape)) if bias is not None else (None, 0)
    tokens = x.q.shape[0] if p.packed_q else p.queries
    staged = staged_bias(p, bias)
    kernel, grid, F, near, slots = planned(form, p, units, lse is not None, A, kind, tokens, staged is not None)
    q, k, v, o = (a[None] if p.packed_q else a.swapaxes(1, 2) for a in (x.q, x.k, x.v, out))
    far, steps = sight_of(p), (0, 0, 0)
    memory, strides, bits, lists = None, (0, 0, 0), None, None
    if p.packed_q:
        memory, (ol, oh, _) = out, strides_of(out)
        strides = 0, oh, ol
    tiles = None
    if F.added:
        bias, tiles, steps = None, staged, (int(staged.shape[0] > 1), int(staged.shape[2] > 1), 0)
    elif bias is not None:
        bias, steps = bias_of(p, Operands(x.q, x.k, x.v, bias))
    if p.bias == "bool":
        shift = p.keys - p.queries if p.bottom_right else 0
        by_place = A.right, A.left, far[1] + shift, far[0] - shift
        made = mask_bits(x.bias, p.queries, p.keys, F.m, F.n, x.q, by_place, **options)
        bits, lists, steps = made.bits, made.lists, (made.batch_step, made.head_step, 0)
    kernel[grid, F.threads](
        q, k, v, o, lse, memory, x.sinks, x.cu_q, x.cu_k, x.lengths, bias, bits, lists, tiles, p.batch, p.heads,
        p.queries, p.kv_heads, p.keys, tokens, x.k.shape[0] if p.packed_k else p.keys, slots, near, *far,
        p.scale if A.edited else p.scale * LOG2E, p.softcap or 1.0, *strides, *steps, size, target=HOPPER,
        **options,
    )  # fmt: skip


def fits(problem: Any) -> bool:
    """True for what this kernel takes: arrays of one dtype of 16 bits, dense or packed, d up to 256 and that of V no
    more; all masks by place, of bool and added ones, caps and sinks; no pages and no dropout."""
    p = problem
    return (
        not (p.page or p.dropout)
        and p.packed_q == p.packed_k
        and p.dtype in ("bfloat16", "float16")
        and p.dv <= p.d
        and p.d % 8 == 0
        and p.dv % 8 == 0
        and p.d <= WITH_WGMMA
        and (p.bias != "bool" or not p.lengths)
    )


def one_head(p: Problem, x: Operands) -> tuple[Problem, Operands]:
    """The same with one head of K and V where theirs are one, expanded: all of Q share it, and nothing is copied."""
    if p.kv_heads == 1 or any(strides_of(a)[1] for a in (x.k, x.v)):
        return p, x

    def first(a: Any) -> Any:
        step, *steps = strides_of(a)
        wide = -(-a.shape[-1] // CHUNK) * CHUNK  # a stride that is never taken, of a size that TMA allows
        return strided(a, (a.shape[0], 1, *a.shape[2:]), (step, wide, *steps[1:]))

    return dataclasses.replace(p, kv_heads=1), dataclasses.replace(x, k=first(x.k), v=first(x.v))


def launch_problem(
    problem: Any, operands: Any, out: Any, lse: Any, *, target: str = HOPPER, units: int = 0, **options: Any
) -> Any:
    """O and the logarithms for a problem that `fits`: arrays (batch, heads, length, d), or packed, with any strides
    that keep d side by side; those that TMA cannot reach are copied first. `units`: multiprocessors."""
    p, x = one_head(problem, operands)
    arrays = dataclasses.replace(x, q=dense(x.q), k=dense(x.k), v=dense(x.v))
    result = out if reachable(out) else new(out, tuple(out.shape), p.dtype)
    launch(p, arrays, result, lse, None, units, options)
    if result is not out:
        out[...] = result
    return out
