"""Gradients of attention: a `Problem`, its arrays, O, the logarithms of the rows' sums and dO come in; dQ, dK and dV go
out, the same bits in every run. For AMD's matrix cores and NVIDIA's `mma.sync`, from the source of the forward kernel.

Two kernels make the weights again from the logarithms. The first has a block of rows of Q and goes through K and V:
dQ, and on its way delta, the sum of dO O of each row. The second has a block of rows of K and V and goes through the
heads of Q that share them, and through Q and dO: dK and dV. No sum is shared by two blocks."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error, tile
from avelang.tile import DistributedTile
from avelang.tile.chained import accumulate, scores
from avelang.tile.running_softmax import fold_lane, fold_wave, narrow, power, rows_of
from avelang.tile.shared import shared
from avelang.tile.tensors import add
from avelang.tile.vectorize import folding
from avelang.tile.windows import commit_async, wait_async
from avelang_kernels.arrays import DTYPES, spanned
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.tile_attention import AttentionBlock, key_of, staged
from avelang_kernels.attention.tile_attention_rows import LOG2E, NEVER, all_saturated, tile_of, without_dropped
from avelang_kernels.attention.tile_attention_views import (
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
    strides_of,
)
from avelang_kernels.workspaces import workspace_for

FAR_AWAY = float("inf")  # the logarithm of a row that sees nothing: its weights are 0


@avelang.struct
class Streamed:
    """Tiles of rows that pass through shared memory, each an operand of one product as it lies (`straight`), and of
    another one with rows and columns exchanged (`turned`; None where it is none). Where copies go through registers it
    has two places, else two buffers."""

    straight: ...
    turned: ...
    C: al.constexpr
    D: al.constexpr
    window: ... = None
    other: ... = None
    x: ... = None
    y: ... = None

    def begin(self, view: Any, row: Any):
        """Tiles of a view from `row` on."""
        SHAPE = self.C.first.n, self.C.first.k
        self.window = view.window(SHAPE, (row, 0), self.C.first.copy_b).starts_inside()
        if self.y is not None:
            COPY = self.D.loaded_v(al.target().name)[0]
            self.other = view.window(SHAPE, (row, 0), COPY).starts_inside()

    def load(self, buffer: Any):
        """Asks for the next tile."""
        if self.x is None:
            self.window.load_async(self.straight, buffer)
        else:
            self.window.load_values(self.x)
            if self.y is not None:
                self.other.load_values(self.y)
                self.other.move((self.C.first.n, 0))
        self.window.move((self.C.first.n, 0))

    def store(self):
        """Writes what has come into registers."""
        if self.x is not None:
            self.straight.store_values(self.x, self.C.first.copy_b)
            if self.y is not None:
                y, (_, PLACE) = al.make_local((len(self.y),), self.y.dtype), self.D.loaded_v(al.target().name)
                for e in range(len(PLACE)):
                    y[e] = self.y[PLACE[e]]
                self.turned.store_values(y, self.D.turned_v(al.target().name))


@avelang.jit
def streamed(C: Any, D: Any, dtype: Any):
    """Room for tiles that are B of the first product of C and, if there is a D, V of its second one."""
    SHAPE, TARGET = (C.first.n, C.first.k), al.target().name
    if al.target().has("sm_80"):
        if D is None:
            return Streamed(shared(SHAPE, dtype, 2, (C.first.copy_b, C.b)), None, C, C)
        both = shared(SHAPE, dtype, 2, (C.first.copy_b, C.b), (D.v,))
        return Streamed(both, both.turned, C, D)
    straight, x = shared(SHAPE, dtype, 1, (C.first.copy_b, C.b)), al.make_local((C.first.copy_b.elements,), dtype)
    if D is None:
        return Streamed(straight, None, C, C, None, None, x)
    turned = shared((D.width, D.first.n), dtype, 1, (D.turned_v(TARGET), D.v))
    y = al.make_local((D.loaded_v(TARGET)[0].elements,), dtype)
    return Streamed(straight, turned, C, D, None, None, x, y)


@avelang.jit
def held_rows(C: Any, view: Any, first: Any):
    """Rows that a block keeps, as operands A: in registers on AMD, else in shared memory; there after the next group
    of copies, and a barrier."""
    G = C.first
    if al.target().has("sm_80"):
        return None, staged(C, view, first)
    held = view.window((G.m, G.k), (first, 0), G.a).load().values
    return al.view(held, al.Tensor((G.steps, G.count[0], G.a_words), al.i32)), None


@avelang.jit
def next_tile(one: Any, two: Any, now: Any, first: Any):
    """Waits for the tiles that have been asked for, and asks for the next ones. Returns the buffer."""
    if al.target().has("sm_80"):
        if not first:
            now = 1 - now
        wait_async(0)
        al.syncthreads()
        one.load(1 - now)
        two.load(1 - now)
        commit_async()
        return now
    al.syncthreads()
    one.store()
    two.store()
    al.syncthreads()
    one.load(0)
    two.load(0)
    return now


@avelang.jit
def edited(F: Any, s: DistributedTile, edits: Any, bias: Any):
    """Scores as they stand in the softmax, but for what rows do not see, and by how much a capped one moves with its
    own."""
    slope = None
    if F.cap:
        s = s.map(lambda x: all_saturated(x * (edits[0] / edits[1])))
        slope = s.map(lambda x: 1.0 - x * x)
        s = s.map(lambda x: x * edits[1])
    elif F.edited:
        s = s.map(lambda x: x * edits[0])
    if bias is not None:
        if bias.dtype == al.u8:
            s = s.map(lambda x, y: al.select(y != 0, x, NEVER), (bias,))
        else:
            s = s.map(lambda x, y: x + al.convert(y, al.f32), (bias,))
    return s, slope


@avelang.jit
def weights_of(F: Any, s: DistributedTile, logs: Any, axis: Any, factor: Any):
    """Weights of scores, by the logarithms of their rows' sums."""
    if F.bias == "add":  # the least number, in all of a row, is beyond f32 in base 2
        return s.along(lambda x, l: power((x - l) * LOG2E), logs, axis)
    scale = LOG2E if F.edited else factor * LOG2E
    return s.along(lambda x, l: power(al.fma(x, scale, l * (0.0 - LOG2E))), logs, axis)


@avelang.jit
def without_hidden(s: DistributedTile, sight: Any, query: Any, key: Any, AXIS: Any):
    """Scores without those of keys that queries do not see; queries lie along dimension AXIS of the tile."""
    return s.sweep(lambda x, at: al.select(
        sight.sees(at[AXIS] + query, al.convert(at[1 - AXIS] + key, al.i32)), x, NEVER))  # fmt: skip


@avelang.jit
def place_of(slots: Any, heads: Any):
    """Number of rows, head and sequence of a block."""
    index = al.block_id(0)
    return index % slots, index // slots % heads, index // slots // heads


@avelang.jit
def never(values: Any):
    """Logarithms of rows' sums, infinite where a row sees nothing."""
    return al.select(values == NEVER, FAR_AWAY, values)


@avelang.jit
def moves(p: DistributedTile, dp: DistributedTile, delta: Any, axis: Any):
    """Gradients of edited scores: p (dp - delta)."""
    less = dp.along(lambda x, d: x - d, delta, axis)
    return p.map(lambda x, y: al.select(x == 0.0, 0.0, x * y), (less,))


@avelang.jit
def operand(x: Any, dtype: Any):
    """A tile in the dtype of operands."""
    return tile_of(x, narrow(x.values, dtype))


# -- dQ ----------------------------------------------------------------------------------------------------------------


@avelang.jit
def rows_block(T: Any, F: Any, x: Any, arrays: Any, strides: Any, edits: Any):
    """A block's rows of dQ, and their delta. `arrays`: q, k, v, o, do, lse, dlse, delta, bias, dbias, dq; `strides` of
    q, k, v, o, do, bias, dbias, dq; `edits`: factor, cap."""
    q, k, v, o, do, lse, dlse, deltas, bias, dbias, dq = arrays
    A, B, C = (T.on(al.target(), q.dtype, i, j) for i, j in ((F.d, F.dv), (F.dv, F.d), (F.d, F.d)))
    M, N, slots = T.m, T.n, x.extents[7]
    slot, head, batch = place_of(slots, x.extents[1])
    if F.packed_q:
        batch, slot = find_sequence(x.cu_q, x.extents[0], slot, x.extents[5], M)
    begin_q, queries, begin_k, keys = x.both(batch)
    first = slot * M
    if first < queries:
        own, sight = head // x.group, x.sees(queries, keys)
        begin, clear, whole, end = sight.tiles(first, M, N)
        Q = x.rows(q, strides[0], batch, head, begin_q, queries, F.d)
        dO = x.rows(do, strides[4], batch, head, begin_q, queries, F.dv)
        ks, vs = streamed(A, C, q.dtype), streamed(B, None, q.dtype)
        ks.begin(x.cache(k, strides[1], batch, own, begin_k, keys, F.d), begin * N)
        vs.begin(x.cache(v, strides[2], batch, own, begin_k, keys, F.dv), begin * N)
        (a, held_a), (b, held_b) = held_rows(A, Q, first), held_rows(B, dO, first)
        ks.load(0)
        vs.load(0)
        commit_async()
        logs = x.logarithms(lse, batch, head, begin_q, queries).window((M,), (first,), rows_of(A.c)).load().map(never)
        O = x.rows(o, strides[3], batch, head, begin_q, queries, F.dv)
        made: DistributedTile = O.window((M, A.width), (first, 0), A.o).load().astype(al.f32)
        moved: DistributedTile = dO.window((M, A.width), (first, 0), A.o).load().astype(al.f32)
        product = made.map(lambda y, z: y * z, (moved,))
        delta = fold_wave(product, fold_lane(product, add), add)
        if dlse is not None:
            more = x.logarithms(dlse, batch, head, begin_q, queries).window((M,), (first,), rows_of(A.c)).load()
            delta = delta.map(lambda x, y: x - y, (more,))
        x.logarithms(deltas, batch, head, begin_q, queries).store(delta, (first,))
        sums, now = tile.full(C.o, 0.0, al.f32), al.convert(0, al.u32)
        for j in al.range(begin, end):
            now, key = next_tile(ks, vs, now, j == begin), key_of(j, N)
            there = None
            if F.bias:
                there = x.bias(bias, strides[5], batch, head, queries, keys).window((M, N), (first, key), A.c).load()
            s, slope = edited(F, scores(A, a, ks.straight, now, held_a), edits, there)
            if j < clear or j >= whole:
                s = tile_of(s, without_hidden(s, sight, first, key, 0).values)
            p = weights_of(F, s, logs, 1, edits[0])
            dp = scores(B, b, vs.straight, now, held_b)
            if F.dropout:
                dp = without_dropped(dp, x.dropout(batch, head).factors(dp, first, key, 0))
            ds = moves(p, dp, delta, 1)
            if dbias is not None:
                x.bias(dbias, strides[6], batch, head, queries, keys, 1).store(ds, (first, key))
            if slope is not None:
                ds = ds.map(lambda y, z: y * z, (slope,))
            sums = accumulate(C, sums, operand(ds, q.dtype), ks.turned, now)
        wait_async(0)
        factor = edits[0]
        x.rows(dq, strides[7], batch, head, begin_q, queries, F.d).store(sums.map(lambda y: y * factor), (first, 0))


@functools.cache
def build_rows(
    T: AttentionBlock, dtype: al.DType, F: Features, bias_dtype: Any, DLSE: bool, DBIAS: bool, seeds: Any
) -> Any:  # fmt: skip
    """The kernel that makes dQ and delta."""
    IN: Any = al.Pointer(dtype)
    LOGS: Any = al.Pointer(al.f32)
    N: Any = al.u32
    I: Any = al.i32
    BIAS: Any = al.Pointer(bias_dtype) if F.bias else al.constexpr
    DB, DL = (LOGS if there else al.constexpr for there in (DBIAS, DLSE))
    CU: Any = al.Pointer(al.i32) if F.packed_q else al.constexpr
    SEED: Any = al.Pointer(seeds) if F.dropout else al.constexpr
    LENGTHS: Any = al.Pointer(al.i32) if F.lengths else al.constexpr

    @avelang.jit
    def attention_dq(
        q: Annotated[Any, IN], k: Annotated[Any, IN], v: Annotated[Any, IN], o: Annotated[Any, IN],
        do: Annotated[Any, IN], lse: Annotated[Any, LOGS], dlse: Annotated[Any, DL], delta: Annotated[Any, LOGS],
        bias: Annotated[Any, BIAS], dbias: Annotated[Any, DB], dq: Annotated[Any, IN], cu_q: Annotated[Any, CU],
        cu_k: Annotated[Any, CU], seed: Annotated[Any, SEED], lengths: Annotated[Any, LENGTHS],
        batches: Annotated[Any, N], heads: Annotated[Any, N], kv_heads: Annotated[Any, N],
        queries: Annotated[Any, N], keys: Annotated[Any, N], tokens_q: Annotated[Any, N],
        tokens_k: Annotated[Any, N], slots: Annotated[Any, N], left: Annotated[Any, I], right: Annotated[Any, I],
        bottom: Annotated[Any, I], factor: al.f32, cap: al.f32, qb: Annotated[Any, N], qh: Annotated[Any, N],
        ql: Annotated[Any, N], kb: Annotated[Any, N], kh: Annotated[Any, N], kl: Annotated[Any, N],
        vb: Annotated[Any, N], vh: Annotated[Any, N], vl: Annotated[Any, N], ob: Annotated[Any, N],
        oh: Annotated[Any, N], ol: Annotated[Any, N], gb: Annotated[Any, N], gh: Annotated[Any, N],
        gl: Annotated[Any, N], bb: Annotated[Any, N], bh: Annotated[Any, N], bl: Annotated[Any, N],
        cb: Annotated[Any, N], ch: Annotated[Any, N], cl: Annotated[Any, N], rb: Annotated[Any, N],
        rh: Annotated[Any, N], rl: Annotated[Any, N],
    ):  # fmt: skip
        extents = batches, heads, kv_heads, queries, keys, tokens_q, tokens_k, slots
        x = Launch(F, extents, (left, right, bottom), cu_q, cu_k, lengths=lengths, seed=seed)
        strides = ((qb, qh, ql), (kb, kh, kl), (vb, vh, vl), (ob, oh, ol), (gb, gh, gl), (bb, bh, bl), (cb, ch, cl),
                   (rb, rh, rl))  # fmt: skip
        rows_block(T, F, x, (q, k, v, o, do, lse, dlse, delta, bias, dbias, dq), strides, (factor, cap))

    return attention_dq


# -- dK and dV ---------------------------------------------------------------------------------------------------------


@avelang.jit
def column_of(x: Any, values: Any, batch: Any, head: Any, begin: Any, queries: Any, first: Any, dist: Any):
    """Numbers of the queries of a tile of scores (keys, queries)."""
    numbers = x.logarithms(values, batch, head, begin, queries)
    return numbers.window((dist.shape[1],), (first,), folding(dist, 0).dist).load()


@avelang.jit
def queries_seen(sight: Any, queries: Any, first: Any, M: Any, N: Any):
    """Tiles of queries by which rows `first` to before `first` + M of K are seen, the first and the end."""
    begin, end = 0, al.convert(queries, al.i32)
    begin = max(0, al.convert(first, al.i32) - sight.right)
    if sight.left is not None:
        end = min(end, max(0, al.convert(first, al.i32) + (M - 1) + sight.left + 1))
    begin = min(begin // N, (end + (N - 1)) // N)
    return begin, (end + (N - 1)) // N


@avelang.jit
def ragged(sight: Any, query: Any, first: Any, M: Any, N: Any):
    """True where some of the queries of a tile from `query` on do not see all of rows `first` to before `first` + M."""
    low, key = al.convert(query, al.i32), al.convert(first, al.i32)
    found = low + sight.right < key + (M - 1)
    if sight.left is not None:
        found = al.select(found, True, low + (N - 1) - sight.left > key)
    return found


@avelang.jit
def columns_block(T: Any, F: Any, x: Any, arrays: Any, strides: Any, edits: Any, DK: Any, DV: Any):
    """A block's rows of dK and of dV. `arrays`: q, k, v, do, lse, delta, bias, dk, dv; `strides` of q, k, v, do, bias,
    dk, dv; `edits`: factor, cap. DK, DV: which of both are made."""
    q, k, v, do, lse, deltas, bias, dk, dv = arrays
    A, B = (T.on(al.target(), q.dtype, i, j) for i, j in ((F.d, F.dv), (F.dv, F.d)))
    M, N, slots = T.m, T.n, x.extents[7]
    slot, own, batch = place_of(slots, x.extents[2])
    if F.packed_k:
        batch, slot = find_sequence(x.cu_k, x.extents[0], slot, x.extents[6], M)
    begin_q, queries, begin_k, keys = x.both(batch, True)
    first = slot * M
    if first < keys:
        sight = x.sees(queries, keys)
        begin, end = queries_seen(sight, queries, first, M, N)
        K = x.cache(k, strides[1], batch, own, begin_k, keys, F.d)
        V = x.cache(v, strides[2], batch, own, begin_k, keys, F.dv)
        qs, gs = streamed(A, B if DK else None, q.dtype), streamed(B, A if DV else None, q.dtype)
        (a, held_a), (b, held_b) = held_rows(A, K, first), held_rows(B, V, first)
        sums_k, sums_v = tile.full(B.o, 0.0, al.f32), tile.full(A.o, 0.0, al.f32)
        for g in al.range(x.group):
            head, now = own * x.group + g, al.convert(0, al.u32)
            qs.begin(x.rows(q, strides[0], batch, head, begin_q, queries, F.d), begin * N)
            gs.begin(x.rows(do, strides[3], batch, head, begin_q, queries, F.dv), begin * N)
            qs.load(0)
            gs.load(0)
            commit_async()
            for j in al.range(begin, end):
                now, query = next_tile(qs, gs, now, j == begin), key_of(j, N)
                there = None
                if F.bias:
                    there = x.turned_bias(bias, strides[4], batch, head, queries, keys)
                    there = there.window((M, N), (first, query), A.c).load()
                s, slope = edited(F, scores(A, a, qs.straight, now, held_a), edits, there)
                if ragged(sight, query, first, M, N):
                    s = tile_of(s, without_hidden(s, sight, query, first, 1).values)
                logs = column_of(x, lse, batch, head, begin_q, queries, query, A.c).map(never)
                delta = column_of(x, deltas, batch, head, begin_q, queries, query, A.c)
                p = weights_of(F, s, logs, 0, edits[0])
                part, kept = p, None
                if F.dropout:
                    kept = x.dropout(batch, head).factors(p, query, first, 1)
                    part = without_dropped(p, kept)
                if DV:
                    sums_v = accumulate(A, sums_v, operand(part, q.dtype), gs.turned, now)
                if DK:
                    dp = scores(B, b, gs.straight, now, held_b)
                    if F.dropout:
                        dp = without_dropped(dp, kept)
                    ds = moves(p, dp, delta, 0)
                    if slope is not None:
                        ds = ds.map(lambda y, z: y * z, (slope,))
                    sums_k = accumulate(B, sums_k, operand(ds, q.dtype), qs.turned, now)
            wait_async(0)
            al.syncthreads()
        factor = edits[0]
        if DK:
            dK = x.cache(dk, strides[5], batch, own, begin_k, keys, F.d)
            dK.store(sums_k.map(lambda y: y * factor), (first, 0))
        if DV:
            x.cache(dv, strides[6], batch, own, begin_k, keys, F.dv).store(sums_v, (first, 0))


@functools.cache
def build_columns(
    T: AttentionBlock, dtype: al.DType, F: Features, bias_dtype: Any, DK: bool, DV: bool, seeds: Any
) -> Any:  # fmt: skip
    """The kernel that makes dK, dV, or both."""
    IN: Any = al.Pointer(dtype)
    LOGS: Any = al.Pointer(al.f32)
    N: Any = al.u32
    I: Any = al.i32
    BIAS: Any = al.Pointer(bias_dtype) if F.bias else al.constexpr
    CU: Any = al.Pointer(al.i32) if F.packed_q else al.constexpr
    SEED: Any = al.Pointer(seeds) if F.dropout else al.constexpr
    LENGTHS: Any = al.Pointer(al.i32) if F.lengths else al.constexpr

    @avelang.jit
    def attention_dk_dv(
        q: Annotated[Any, IN], k: Annotated[Any, IN], v: Annotated[Any, IN], do: Annotated[Any, IN],
        lse: Annotated[Any, LOGS], delta: Annotated[Any, LOGS], bias: Annotated[Any, BIAS], dk: Annotated[Any, IN],
        dv: Annotated[Any, IN], cu_q: Annotated[Any, CU], cu_k: Annotated[Any, CU], seed: Annotated[Any, SEED],
        lengths: Annotated[Any, LENGTHS], batches: Annotated[Any, N], heads: Annotated[Any, N],
        kv_heads: Annotated[Any, N], queries: Annotated[Any, N], keys: Annotated[Any, N],
        tokens_q: Annotated[Any, N], tokens_k: Annotated[Any, N], slots: Annotated[Any, N], left: Annotated[Any, I],
        right: Annotated[Any, I], bottom: Annotated[Any, I], factor: al.f32, cap: al.f32, qb: Annotated[Any, N],
        qh: Annotated[Any, N], ql: Annotated[Any, N], kb: Annotated[Any, N], kh: Annotated[Any, N],
        kl: Annotated[Any, N], vb: Annotated[Any, N], vh: Annotated[Any, N], vl: Annotated[Any, N],
        gb: Annotated[Any, N], gh: Annotated[Any, N], gl: Annotated[Any, N], bb: Annotated[Any, N],
        bh: Annotated[Any, N], bl: Annotated[Any, N], mb: Annotated[Any, N], mh: Annotated[Any, N],
        ml: Annotated[Any, N], nb: Annotated[Any, N], nh: Annotated[Any, N], nl: Annotated[Any, N],
    ):  # fmt: skip
        extents = batches, heads, kv_heads, queries, keys, tokens_q, tokens_k, slots
        x = Launch(F, extents, (left, right, bottom), cu_q, cu_k, lengths=lengths, seed=seed)
        strides = (qb, qh, ql), (kb, kh, kl), (vb, vh, vl), (gb, gh, gl), (bb, bh, bl), (mb, mh, ml), (nb, nh, nl)
        columns_block(T, F, x, (q, k, v, do, lse, delta, bias, dk, dv), strides, (factor, cap), DK, DV)

    return attention_dk_dv


# -- launches ----------------------------------------------------------------------------------------------------------


@functools.lru_cache(256)
def block_for(target: str, dtype: str, d: int, dv: int) -> AttentionBlock:
    """A block of the backward kernels for a chip. The order of sums, on which bits depend, is the same for any number
    of rows."""
    wide, size = max(d, dv), 4 if dtype == "float32" else 2
    if target.startswith("gfx"):
        return AttentionBlock(64, 32 if wide * size <= 512 else 16, 4)
    if size == 4:
        if small_memory(target) and wide > 64:
            return AttentionBlock(16, 16, 1) if wide > 128 else AttentionBlock(32, 16, 2)
        return AttentionBlock(64, 32, 4) if wide <= 128 else AttentionBlock(32, 16, 2)
    if wide > 128 and small_memory(target):
        return AttentionBlock(32, 16, 2)
    return AttentionBlock(64, 64 if wide <= 64 else 32, 4)


def launch(
    p: Problem, x: Operands, out: Any, lse: Any, dout: Any, dlse: Any, dq: Any, dk: Any, dv: Any, *, target: str,
    units: int = 0, dbias: Any = None, T: Any = None, **options: Any,
) -> None:  # fmt: skip
    """Runs the backward kernels; see `problem.Entry`. `dbias`: f32 (batch, heads, queries, keys), gets the gradient of
    the bias before it was broadcast, if given. `T`: a block that overrides the choice. Raises L066 for a cache."""
    check_sizes(p)
    if p.page or p.packed_q != p.packed_k:
        raise argument_error(
            "attention has no gradient with a block table, or with offsets of one side only: offsets of both, "
            "cache_lengths of dense keys, or attn_mask say how long sequences are where it has one"
        )
    q, k, v, o, do = (readable(a, name)[0] for a, name in (
        (x.q, "query"), (x.k, "key"), (x.v, "value"), (out, "out"), (dout, "the gradient of out")))  # fmt: skip
    x = Operands(q, k, v, readable_bias(x.bias), x.cu_q, x.cu_k, lengths=x.lengths, seed=x.seed if p.dropout else None)
    block, dtype = T or block_for(target, p.dtype, p.d, p.dv), DTYPES[p.dtype]
    F = features(p, x, (o, do, dq, dk, dv))
    rows, columns = (q.shape[0], k.shape[0]) if p.packed_q else (p.queries, p.keys)
    more = p.batch + 1 if p.packed_q else 0
    delta, _ = workspace_for(lse, 0, p.heads * rows * (1 if p.packed_q else p.batch))
    delta = delta[: p.heads * rows * (1 if p.packed_q else p.batch)]
    kind = kind_of(p, p.packed_q)
    bias, bias_strides = bias_of(p, x)
    bias_dtype = al.u8 if p.bias == "bool" else DTYPES.get(p.bias)
    extents = p.batch, p.heads, p.kv_heads, p.queries, p.keys, rows, columns
    edits, each = (*sight_of(p), p.scale, p.softcap or 1.0), 1 if p.packed_q else p.batch
    places = [(spanned(a), layout_of(a, kind)) for a in (q, k, v, o, do, dq, dk, dv)]
    memory, apart = [m for m, _ in places], [s for _, s in places]
    threads = block.on(target, dtype, p.d, p.dv).first.threads
    # What a sequence has not is written by no block.
    for g in (dbias, *((dk, dv) if p.lengths else ())):
        if g is not None:
            g[...] = 0
    slots = -(-rows // block.m) + more
    kernel = build_rows(block, dtype, F, bias_dtype, dlse is not None, dbias is not None, seeds_of(p, x))
    kernel[slots * p.heads * each, threads](
        *memory[:5], lse, dlse, delta, bias, dbias, memory[5], x.cu_q, x.cu_k, x.seed, x.lengths, *extents, slots,
        *edits,
        *apart[0], *apart[1], *apart[2], *apart[3], *apart[4], *bias_strides,
        *((0, 0, 0) if dbias is None else strides_of(dbias)[:3]), *apart[5], target=target, **options,
    )  # fmt: skip
    slots = -(-columns // block.m) + more
    one_by_one = not target.startswith("gfx") and max(p.d, p.dv) > 128  # registers do not hold sums of both
    for DK, DV in ((True, False), (False, True)) if one_by_one else ((True, True),):
        build_columns(block, dtype, F, bias_dtype, DK, DV, seeds_of(p, x))[slots * p.kv_heads * each, threads](
            *memory[:3], memory[4], lse, delta, bias, memory[6], memory[7], x.cu_q, x.cu_k, x.seed, x.lengths,
            *extents, slots,
            *edits, *apart[0], *apart[1], *apart[2], *apart[4], *bias_strides, *apart[6], *apart[7], target=target,
            **options,
        )  # fmt: skip
