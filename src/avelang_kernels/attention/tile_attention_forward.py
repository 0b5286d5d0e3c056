"""A `Problem` and its arrays come in; O and the logarithms of the rows' sums go out: `tile_attention`'s block for any
strides, windows, caps, biases, packed sequences, caches in pages, heads that share keys as rows of one block, and keys
that several blocks share. For AMD's matrix cores and NVIDIA's `mma.sync`."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.scheduler import xcd_remap
from avelang.tile import DistributedTile
from avelang_kernels.arrays import DTYPES, span_of, strided
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.tile_attention import AttentionBlock, forward
from avelang_kernels.attention.tile_attention_rows import LOG2E, above, joined_logarithm, sunk
from avelang_kernels.attention.tile_attention_views import (
    FEW,
    Features,
    Launch,
    bias_of,
    check_sizes,
    features,
    find_sequence,
    kind_of,
    layout_of,
    readable,
    readable_bias,
    seeds_of,
    sight_of,
    small_memory,
)
from avelang_kernels.workspaces import workspace_for

LEAST = 256  # keys that a block has at least where several share a head's
THREADS = 64  # of a block that combines parts


@avelang.jit
def with_sink(out: DistributedTile, found: DistributedTile, sink: Any):
    """O and the logarithms of rows that have one more score, whose value is 0."""
    by, more = sunk(found, sink)
    return out.along(lambda x, f: x * f, by, 1), more


@avelang.jit
def block(T: Any, F: Any, x: Any, arrays: Any, strides: Any, edits: Any, splits: Any):
    """A block's rows of O. `x`: a `Launch`; `arrays`: q, k, v, o, lse, bias, sinks; `strides` of q, k, v, o, bias;
    `edits`: factor, cap."""
    q, k, v, o, lse, bias, sinks = arrays
    C, slots = T.on(al.target(), q.dtype, F.d, F.dv), x.extents[7]
    heads = x.extents[2] if F.grouped else x.extents[1]
    index = xcd_remap(al.block_id(0), al.grid_dim(0), al.target().dies)
    slot, head, rest = index % slots, index // slots % heads, index // slots // heads
    share, part = 0, None
    if F.split:
        share, rest = rest % splits, rest // splits
        part = share, splits
    if F.packed_q:
        batch, slot = find_sequence(x.cu_q, x.extents[0], slot, x.extents[5], T.m)
    else:
        batch, slot = rest, slots - 1 - slot  # of causal rows the last have the most to do: they begin
    begin_q, queries, begin_k, keys = x.both(batch)
    rows = queries * x.group if F.grouped else queries
    first = slot * T.m
    if first < rows:
        own = head if F.grouped else head // x.group
        Q = x.rows(q, strides[0], batch, head, begin_q, queries, F.d)
        K = x.cache(k, strides[1], batch, own, begin_k, keys, F.d)
        V = x.cache(v, strides[2], batch, own, begin_k, keys, F.dv)
        there, dropout = None, None
        if F.bias:
            there = x.bias(bias, strides[4], batch, head, queries, keys)
        if F.dropout:
            dropout = x.dropout(batch, head)
        seen = x.scores(x.sees(queries, keys), first, edits[0], edits[1], there, dropout)
        out, found = forward(C, Q, K, V, seen, T.resident, part)
        if F.sinks and not F.split:
            out, found = with_sink(out, found, sinks[head])
        if F.split:  # parts: (split, batch, heads, queries)
            batch = share * x.extents[0] + batch
        x.rows(o, strides[3], batch, head, begin_q, queries, F.dv).store(out, (first, 0))
        x.logarithms(lse, batch, head, begin_q, queries).store(found, (first,))


@functools.cache
def build(T: AttentionBlock, dtype: al.DType, F: Features, bias_dtype: Any = None, seeds: Any = None) -> Any:
    """The kernel for a block, the dtype of Q, K and V, and features; O is of f32 where it is split."""
    IN: Any = al.Pointer(dtype)
    LOGS: Any = al.Pointer(al.f32)
    OUT: Any = LOGS if F.split else al.Pointer(dtype)
    N: Any = al.u32
    ONE: Any = al.constexpr

    def given(there: Any, of: Any) -> Any:
        return al.Pointer(of) if there else ONE

    BIAS, SINKS, TABLE = given(F.bias, bias_dtype), given(F.sinks and not F.split, al.f32), given(F.page, al.i32)
    SEED = given(F.dropout, seeds)
    CU_Q, CU_K, LENGTHS = given(F.packed_q, al.i32), given(F.packed_k, al.i32), given(F.lengths, al.i32)

    @avelang.jit
    def attention(
        q: Annotated[Any, IN], k: Annotated[Any, IN], v: Annotated[Any, IN], o: Annotated[Any, OUT],
        lse: Annotated[Any, LOGS], bias: Annotated[Any, BIAS], sinks: Annotated[Any, SINKS],
        cu_q: Annotated[Any, CU_Q], cu_k: Annotated[Any, CU_K], table: Annotated[Any, TABLE],
        lengths: Annotated[Any, LENGTHS], seed: Annotated[Any, SEED], batches: Annotated[Any, N],
        heads: Annotated[Any, N], kv_heads: Annotated[Any, N], queries: Annotated[Any, N], keys: Annotated[Any, N],
        tokens_q: Annotated[Any, N], tokens_k: Annotated[Any, N], slots: Annotated[Any, N], left: al.i32,
        right: al.i32, bottom: al.i32, factor: al.f32, cap: al.f32, splits: Annotated[Any, N],
        pages: Annotated[Any, N], qb: Annotated[Any, N], qh: Annotated[Any, N], ql: Annotated[Any, N],
        kb: Annotated[Any, N], kh: Annotated[Any, N], kl: Annotated[Any, N], vb: Annotated[Any, N],
        vh: Annotated[Any, N], vl: Annotated[Any, N], ob: Annotated[Any, N], oh: Annotated[Any, N],
        ol: Annotated[Any, N], bb: Annotated[Any, N], bh: Annotated[Any, N], bl: Annotated[Any, N],
    ):  # fmt: skip
        extents = batches, heads, kv_heads, queries, keys, tokens_q, tokens_k, slots
        x = Launch(F, extents, (left, right, bottom), cu_q, cu_k, table, pages, lengths, seed)
        strides = (qb, qh, ql), (kb, kh, kl), (vb, vh, vl), (ob, oh, ol), (bb, bh, bl)
        block(T, F, x, (q, k, v, o, lse, bias, sinks), strides, (factor, cap), splits)

    return attention


@functools.cache
def build_combined(dtype: al.DType, SINKS: bool) -> Any:
    """The kernel that combines parts, one row of O a block: in order, so that bits do not depend on who was first."""
    PARTS: Any = al.Pointer(al.f32)
    OUT: Any = al.Pointer(dtype)
    SINK: Any = PARTS if SINKS else al.constexpr
    N: Any = al.u32

    @avelang.jit
    def combined(
        parts: Annotated[Any, PARTS], logs: Annotated[Any, PARTS], o: Annotated[Any, OUT],
        lse: Annotated[Any, PARTS], sinks: Annotated[Any, SINK], rows: Annotated[Any, N], heads: Annotated[Any, N],
        queries: Annotated[Any, N], dv: Annotated[Any, N], splits: Annotated[Any, N], ob: Annotated[Any, N],
        oh: Annotated[Any, N], ol: Annotated[Any, N],
    ):  # fmt: skip
        row, t = al.block_id(0), al.thread_id(0)
        most = logs[row]
        for s in al.range(1, splits):
            most = max(most, logs[s * rows + row])
        shift = al.select(most == -math_inf, 0.0, most)
        total = 0.0
        for s in al.range(splits):
            total += al.exp(logs[s * rows + row] - shift)
        log = al.select(total == 0.0, -math_inf, shift + al.log(total))
        by = al.select(total == 0.0, 0.0, 1.0 / total)
        head, query = row // queries % heads, row % queries
        if SINKS:
            sink = sinks[head]
            by = by / (1.0 + al.exp(0.0 - above(log, sink)))
            log = joined_logarithm(log, sink)
        if t == 0:
            lse[row] = log
        at = (
            al.convert(row // queries // heads, al.u64) * ob
            + al.convert(head, al.u64) * oh
            + al.convert(query, al.u64) * ol
        )
        for i in al.range(t, dv, THREADS):
            sum = 0.0
            for s in al.range(splits):
                sum += al.exp(logs[s * rows + row] - shift) * parts[(al.convert(s, al.u64) * rows + row) * dv + i]
            o[at + i] = al.convert(sum * by, dtype)

    return combined


math_inf = float("inf")


@functools.lru_cache(256)
def block_for(target: str, dtype: str, d: int, dv: int, rows: int, cpu: bool) -> AttentionBlock:
    """A block for a chip. The keys at a time, on which bits depend, are the same for any number of rows."""
    wide, size = max(d, dv), 4 if dtype == "float32" else 2
    if target.startswith("gfx") and not cpu and size == 2 and rows > FEW:
        return AttentionBlock(256 if wide <= 128 else 128, 64 if wide <= 128 else 32, 8)
    n = 64 if wide <= 128 else 32
    if size == 4 or cpu:  # f32 takes twice the memory; for the CPU small blocks are made into code in less time
        n = 64 if wide * size <= 128 else 32 if wide * size <= 512 else 16
    most = 2 if size == 4 and wide > 128 and small_memory(target) else 4
    waves = min(most, 4 if rows > 32 else 2 if rows > 16 else 1)
    return AttentionBlock(16 * waves, n, waves, target.startswith("gfx") or 64 < wide <= 128 and size == 2)


def parts_of(p: Problem, blocks: int, n: int, units: int) -> int:
    """Count of blocks that share the keys of a head: as many as keep a GPU busy, twice over. One where bits must not
    depend on the batch."""
    if p.rows_alike or p.packed_q or blocks >= units or not units:
        return 1
    return max(1, min(2 * units // max(1, blocks), p.keys // max(LEAST, n), 64))


def launch(p: Problem, x: Operands, out: Any, lse: Any, *, target: str, units: int = 0, T: Any = None,
           splits: int | None = None, **options: Any) -> None:  # fmt: skip
    """Runs the forward kernels; see `problem.Entry`. `T`: a block that overrides the choice; `splits`: likewise."""
    check_sizes(p)
    q, k, v = (readable(a, name)[0] for a, name in ((x.q, "query"), (x.k, "key"), (x.v, "value")))
    x = Operands(q, k, v, readable_bias(x.bias), x.cu_q, x.cu_k, x.table, x.lengths, x.sinks, x.seed)
    prepared(p, x, out, target, units, T, splits, options)(
        q, k, v, bias_of(p, x)[0], x.cu_q, x.cu_k, x.table, x.lengths, x.sinks, x.seed, out, lse
    )


def prepared(p: Problem, x: Operands, out: Any, target: str, units: int, T: Any, splits: int | None,
             options: dict[str, Any]) -> Any:  # fmt: skip
    """`run(*inputs, out, lse)` for arrays that lie as these do, all of which kernels read, the bias as `bias_of` has
    it."""
    q, k, v = x.q, x.k, x.v
    grouped = p.group > 1 and not (p.sinks or p.dropout) and p.queries * p.group <= FEW and not p.packed_q
    rows = p.queries * (p.group if grouped else 1)
    block = T or block_for(target, p.dtype, p.d, p.dv, rows, options.get("backend") == "cpu")
    tokens_q = q.shape[0] if p.packed_q else p.queries
    slots = -(-tokens_q // block.m) + p.batch + 1 if p.packed_q else -(-rows // block.m)
    blocks = slots * (p.kv_heads if grouped else p.heads) * (1 if p.packed_q else p.batch)
    parts = splits or parts_of(p, blocks, block.n, units)
    F = features(p, x, (out,), grouped=grouped, split=parts > 1)
    dtype = DTYPES[p.dtype]
    kind = al.u8 if p.bias == "bool" else DTYPES.get(p.bias)
    kernel = build(block, dtype, F, kind, seeds_of(p, x))[blocks * parts, threads_of(block, target, dtype, p.d, p.dv)]
    q_kind, k_kind = kind_of(p, p.packed_q), kind_of(p, p.packed_k, p.page)
    o_strides, count = layout_of(out, q_kind), p.batch * p.heads * p.queries
    size = -(-parts * count * p.dv // 4) * 4  # logarithms begin at a multiple of 16 bytes
    combined, last = None, ()
    if parts > 1:
        combined = build_combined(dtype, p.sinks)[count, THREADS]
        last = count, p.heads, p.queries, p.dv, parts, *o_strides
        o_strides = p.heads * p.queries * p.dv, p.queries * p.dv, p.dv
    numbers = (
        p.batch, p.heads, p.kv_heads, p.queries, p.keys, tokens_q,
        k.shape[0] if p.packed_k or p.page else p.keys, slots, *sight_of(p), p.scale if F.edited else p.scale * LOG2E,
        p.softcap or 1.0, parts, x.table.shape[1] if p.page else 0, *layout_of(q, q_kind), *layout_of(k, k_kind),
        *layout_of(v, k_kind), *o_strides, *bias_of(p, x)[1],
    )  # fmt: skip
    spans = [span_of(a) for a in (q, k, v, out)]

    def run(q: Any, k: Any, v: Any, bias: Any, cu_q: Any, cu_k: Any, table: Any, lengths: Any, sinks: Any, seed: Any,
            out: Any, lse: Any) -> None:  # fmt: skip
        q, k, v, o = (a if n == 0 else strided(a, (n,), (1,)) for a, n in zip((q, k, v, out), spans, strict=True))
        seed = seed if p.dropout else None
        if combined is None:
            kernel(q, k, v, o, lse, bias, sinks, cu_q, cu_k, table, lengths, seed, *numbers, target=target, **options)
            return
        room, _ = workspace_for(out, 0, size + parts * count)
        made, logs = room[: parts * count * p.dv], room[size : size + parts * count]
        kernel(q, k, v, made, logs, bias, None, cu_q, cu_k, table, lengths, seed, *numbers, target=target, **options)
        combined(made, logs, o, lse, sinks, *last, target=target, **options)

    return run


@functools.lru_cache(64)
def threads_of(T: AttentionBlock, target: str, dtype: al.DType, d: int, dv: int) -> int:
    """Threads of a block on a chip."""
    return T.on(target, dtype, d, dv).first.threads
