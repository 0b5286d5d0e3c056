"""Queries, keys and values come in; O = softmax(scale Q K^T) V goes out, and the logarithm of each row's sum if wanted:
one source for AMD's matrix cores and NVIDIA's `mma.sync`, on the tile level. `attention` is the entry point for all
chips: on Hopper it takes `avelang_kernels.attention.tile_attention_hopper`, on Blackwell `tile_attention_blackwell`.

A block has `m` rows of Q, as operands in registers or in shared memory, and goes through K and V, `n` keys at a time.
Scores never leave registers: the accumulators of Q K^T are the operand of the product with V (`avelang.tile.chained`).
Rows are softmaxed as they come, in base 2 and f32: whenever a row's greatest score grows, what has been summed shrinks.
"""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error, takes, tile
from avelang.pipelines.scheduler import xcd_remap
from avelang.pipelines.scheduling import sched_barrier, setprio
from avelang.tile.block_gemm import block_gemm
from avelang.tile.chained import TF32, accumulate, chained, scores
from avelang.tile.running_softmax import NEVER, inverse, narrow, scaled, softmax
from avelang.tile.shared import Shared, shared
from avelang.tile.windows import commit_async, wait_async
from avelang_kernels.arrays import DTYPES, Batch, Count, Cube, Positive, named
from avelang_kernels.attention import tile_attention_blackwell as blackwell
from avelang_kernels.attention import tile_attention_hopper as hopper
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.tile_attention_rows import (
    HOPPER,
    LOG2E,
    UNIT,
    Scores,
    Sight,
    checked,
    store_logarithms,
)


@avelang.constant
@dataclasses.dataclass(frozen=True)
class AttentionBlock:
    """Shape of a block: rows of Q, keys at a time, waves, each of which has m / waves of the rows. `resident`: Q stays
    in registers; else in shared memory, and is read for each tile of keys, which leaves room for more rows to a wave,
    and more rows to a wave read less of K and V."""

    m: int = 128
    n: int = 64
    waves: int = 4
    resident: bool = True

    def on(self, target: Any, dtype: Any, d: int, dv: int | None = None) -> Any:
        """The two products on a chip (`al.target()`, or its name); `dv`: of V and O, if it is not d. Raises T307,
        U103."""
        name = getattr(target, "name", target)
        # cp.async brings V as it lies; through registers it is turned.
        turned = name.startswith("gfx") or name == "sm_75"
        # NVIDIA's products of f32 are three of tf32 (`chained.lower`).
        mma: Any = TF32 if dtype == al.f32 and name.startswith("sm") else None
        # All lanes have pieces of V of two keys and two columns, or more; in the backward K is such a V.
        threads = block_gemm(name, dtype, self.m, self.n, UNIT, (self.waves, 1), mma).threads
        unit = math.lcm(UNIT, max(1, 4 * threads // self.n)) if turned else UNIT
        deep, wide = (-(-x // unit) * unit for x in (d, d if dv is None else dv))
        first = block_gemm(name, dtype, self.m, self.n, deep, (self.waves, 1), mma)
        return chained(first.single() if first.native_order else first, wide, turned)


Block = AttentionBlock
BLACKWELL = blackwell.CHIP
FORMS = {HOPPER: hopper.Form, BLACKWELL: blackwell.Form}


@avelang.struct
class KeyValueStages:
    """Two buffers of K and of V in shared memory, what fills them, and registers on the way where copies go through
    those."""

    K: ...
    V: ...
    k: ...
    v: ...
    C: al.constexpr
    x: ... = None
    y: ... = None

    def load(self, buffer: Any):
        """Asks for the next tiles."""
        if self.x is None:
            self.K.load_async(self.k, buffer)
            self.V.load_async(self.v, buffer)
            commit_async()
            self.K.move((self.C.first.n, 0))
            self.V.move((self.C.first.n, 0))
        else:
            self.load_k()
            self.load_v()

    def load_k(self):
        """Asks for the next tile of K, into registers."""
        self.K.load_values(self.x)
        self.K.move((self.C.first.n, 0))

    def load_v(self):
        """The same of V."""
        self.V.load_values(self.y)
        self.V.move((self.C.first.n, 0))

    def store(self, buffer: Any):
        """Writes what has been asked for."""
        if self.x is not None:
            self.store_k(buffer)
            self.store_v(buffer)

    def store_k(self, buffer: Any):
        """Writes the tile of K that has been asked for."""
        self.k.store_values(self.x, self.C.first.copy_b, buffer)

    def store_v(self, buffer: Any):
        """The same of V, turned."""
        y, (_, PLACE) = al.make_local((len(self.y),), self.y.dtype), self.C.loaded_v(al.target().name)
        for e in range(len(PLACE)):
            y[e] = self.y[PLACE[e]]
        self.v.store_values(y, self.C.turned_v(al.target().name), buffer)


@avelang.jit
def key_value_stages(C: Any, K: Any, V: Any, key: Any):
    """For views of one head's K and V, from row `key` on."""
    dtype, TARGET = K.dtype, al.target().name
    COPY = C.copy_v(TARGET) if al.target().has("sm_80") else C.loaded_v(TARGET)[0]
    KEYS, WIDE, DEEP = C.first.n, C.width, C.first.k
    k = shared((KEYS, DEEP), dtype, 2, (C.first.copy_b, C.b))
    if C.turned:
        v = shared((WIDE, KEYS), dtype, 2, (C.turned_v(TARGET), C.v))
    else:
        v = shared((KEYS, WIDE), dtype, 2, (COPY,), (C.v,))
    key_tiles, value_tiles = (
        K.window((KEYS, DEEP), (key, 0), C.first.copy_b).starts_inside(),
        V.window((KEYS, WIDE), (key, 0), COPY).starts_inside(),
    )
    if al.target().has("sm_80"):
        return KeyValueStages(key_tiles, value_tiles, k, v, C)
    x, y = al.make_local((C.first.copy_b.elements,), dtype), al.make_local((COPY.elements,), dtype)
    return KeyValueStages(key_tiles, value_tiles, k, v, C, x, y)


@avelang.jit
def attend(C: Any, rows: Any, sums: Any, data: Any, q: Any, held: Any, now: Any, seen: Any, place: Any, MASKED: Any):
    """A tile of keys. `q`: the rows of Q as operands, or None, where `held` has them in shared memory; `seen`: a
    `Scores`, `place`: what its `masked` gets of the tile. Returns the sums of O."""
    wait_async(0)
    al.syncthreads()
    data.load(1 - now)
    sched_barrier()
    s = scores(C, q, data.k, now, held)
    p, shrink = rows.weigh(seen.masked(s, place, MASKED), seen.scale)
    weights = tile.Tile(narrow(seen.kept(p, place).values, data.k.dtype), p.dist)
    sums = accumulate(C, scaled(sums, shrink), weights, data.v if C.turned else data.v.turned, now)
    sched_barrier()
    data.store(1 - now)
    return sums


@avelang.constant
def takes_turns(C: Any, target: Any, RESIDENT: Any):
    """True where two groups of waves take turns: while one multiplies, the other, on the same SIMDs, softmaxes."""
    return target.vendor == "amd" and RESIDENT and C.first.waves[0] == 8


@avelang.jit
def attend_in_turns(C: Any, rows: Any, sums: Any, data: Any, q: Any, now: Any, seen: Any, place: Any, MASKED: Any):
    """As `attend`, in two turns, of which the other group of waves has the one when this group has the other: products,
    of weights with V and of Q with the next K, then softmax. In a turn of products this group's part of the next K and
    of this V is stored: the other group has read what stood there one turn ago, and reads this one turn later."""
    s = scores(C, q, data.k, now)
    data.store_k(1 - now)
    data.store_v(now)
    setprio(0)
    sched_barrier()
    al.syncthreads()
    data.load_k()
    data.load_v()
    sched_barrier()
    p, shrink = rows.weigh(seen.masked(s, place, MASKED), seen.scale)
    weights, sums = tile.Tile(narrow(seen.kept(p, place).values, data.k.dtype), p.dist), scaled(sums, shrink)
    sched_barrier()
    al.syncthreads()
    setprio(1)
    return accumulate(C, sums, weights, data.v if C.turned else data.v.turned, now)


@avelang.jit
def operands_of(C: Any, Q: Any, first: Any, k: Any):
    """The block's rows of Q as operands in registers. Where lanes hold neighbors, as they lie; else by way of the
    memory that K will have."""
    G, STAGED = C.first, al.target().has("sm_80") and C.first.m <= 2 * C.first.n
    if STAGED:
        room = Shared(al.view(k.data, al.Tensor((1, G.m * G.k), k.dtype)), (G.m, G.k), k.swizzle)
        Q.window((G.m, G.k), (first, 0), G.copy_a).load_async(room)
        commit_async()
        wait_async(0)
        al.syncthreads()
        held = room.load(G.a).values
        al.syncthreads()
    else:
        held = Q.window((G.m, G.k), (first, 0), G.a).load().values
    return al.view(held, al.Tensor((G.steps, G.count[0], G.a_words), al.i32))


@avelang.jit
def staged(C: Any, Q: Any, first: Any):
    """The block's rows of Q in shared memory, with room of their own: there after the next group of copies, and a
    barrier."""
    G = C.first
    room = shared((G.m, G.k), Q.dtype, 1, (G.copy_a, G.a))
    Q.window((G.m, G.k), (first, 0), G.copy_a).load_async(room)
    return room


@avelang.jit
def forward(C: Any, Q: Any, K: Any, V: Any, seen: Any, RESIDENT: Any, part: Any = None):
    """A block's rows of O, and the logarithms of their sums. Q, K, V: views of one head; `seen`: a `Scores`. `part`:
    (number, count) of the tiles of keys that are worked on, of so many equal parts; None for all."""
    M, N = C.first.m, C.first.n
    begin, clear, whole, end = seen.sight.tiles(seen.first, M, N)
    if part is not None:
        each = (end - begin + (part[1] - 1)) // part[1]
        begin = min(begin + part[0] * each, end)
        end = min(begin + each, end)
        whole = max(min(whole, end), begin)
    ALWAYS = isinstance(begin, int)  # and 0: nothing is masked but at the end
    data, now = key_value_stages(C, K, V, begin * N), al.convert(0, al.u32)
    q, held = (operands_of(C, Q, seen.first, data.k), None) if RESIDENT else (None, staged(C, Q, seen.first))
    rows, sums = softmax(C.c), tile.full(C.o, 0.0, al.f32)
    if takes_turns(C, al.target(), RESIDENT):
        late = al.thread_id(0) >= C.first.threads // 2
        data.load_k()
        data.store_k(0)
        data.load_k()
        data.load_v()
        al.syncthreads()
        if late:  # one turn behind the others, from here on
            al.syncthreads()
        if ALWAYS:
            for j in al.range(whole):
                sums = attend_in_turns(C, rows, sums, data, q, now, seen, (key_of(j, N), j, clear, whole), False)
                now = 1 - now
        for j in al.range(whole if ALWAYS else begin, end):
            place = key_of(j, N), j, clear, whole
            sums = attend_in_turns(C, rows, sums, data, q, now, seen, place, True if ALWAYS else None)
            now = 1 - now
        if not late:
            al.syncthreads()
    else:
        data.load(0)
        data.store(0)
        if ALWAYS:
            for j in al.range(whole):
                sums = attend(C, rows, sums, data, q, held, now, seen, (key_of(j, N), j, clear, whole), False)
                now = 1 - now
        for j in al.range(whole if ALWAYS else begin, end):
            place = key_of(j, N), j, clear, whole
            sums = attend(C, rows, sums, data, q, held, now, seen, place, True if ALWAYS else None)
            now = 1 - now
        wait_async(0)
    total = rows.sums(tile.full(C.c, 0.0, al.f32))
    return scaled(sums, inverse(total)), rows.logarithms(total, seen.scale)


@avelang.jit
def key_of(number: Any, N: Any):
    """The first key of a tile."""
    return al.convert(number * N, al.u32)


@avelang.jit
def thread_coord(index: Any, queries: Any, heads: Any, M: Any, CAUSAL: Any):
    """First row, head and batch of a block. The last rows of a causal head have the most to do: they begin first."""
    tiles = (queries + (M - 1)) // M
    at = tiles - 1 - index % tiles if CAUSAL else index % tiles
    return at * M, index // tiles % heads, index // tiles // heads


@avelang.jit
def head_of(x: Any, batch: Any, head: Any, count: Any, heads: Any, rows: Any, D: Any, SEQ_FIRST: Any):
    """A view of one head of an array (batch, rows, heads, d), or (batch, heads, rows, d)."""
    step = heads * D if SEQ_FIRST else al.convert(D, al.u32)
    apart = D if SEQ_FIRST else rows * D
    whole = al.make_tensor(x, x.dtype, al.make_layout((count, heads, rows, D), (heads * rows * D, apart, step, 1)))
    mine = al.subview(whole, (batch, head, 0, 0), (1, 1, rows, D), (1, 1, 1, 1))
    wide = al.convert(D, al.u32) if D % UNIT else D  # known at run time only: a block's tile reaches past it
    return tile.View(al.view(mine, x.dtype, al.make_layout((rows, wide), (step, 1))), (rows, wide), 8, (), True)


@avelang.jit
def block(
    T: Any,
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lse: Any,
    shape: Any,
    kv: Any,
    scale: Any,
    D: Any,
    SEQ_FIRST: Any,
    CAUSAL: Any,
):
    """A block's rows of O, stored, and the logarithms of their sums where `lse` is not None."""
    C, (batches, heads, queries), (kv_heads, keys) = T.on(al.target(), q.dtype, D), shape, kv
    count = batches * heads * ((queries + (T.m - 1)) // T.m)
    al.expect(
        al.grid_dim(0) == count, "a block for each tile of rows, of each head and batch, no more and no less", count
    )
    first, head, batch = thread_coord(
        xcd_remap(al.block_id(0), al.grid_dim(0), al.target().dies), queries, heads, T.m, CAUSAL
    )
    Q, O = (head_of(x, batch, head, batches, heads, queries, D, SEQ_FIRST) for x in (q, o))
    K, V = (head_of(x, batch, head // (heads // kv_heads), batches, kv_heads, keys, D, SEQ_FIRST) for x in (k, v))
    sight = Sight(keys, al.convert(keys, al.i32) - al.convert(queries, al.i32) if CAUSAL else None)
    out, found = forward(C, Q, K, V, Scores(sight, first, scale), T.resident)
    O.store(out, (first, 0))
    if lse is not None:
        store_logarithms(lse, found, batches, heads, queries, batch, head, first)


@functools.cache
def build(T: AttentionBlock, dtype: al.DType, d: int, sums: bool = False) -> Any:
    """The kernel for a block, the dtype of Q, K, V and O, and d; `sums`: with the logarithms of the rows' sums."""
    IN: Any = al.Pointer(dtype)
    N: Any = al.u32

    @avelang.jit
    def attention(
        q: Annotated[Any, IN], k: Annotated[Any, IN], v: Annotated[Any, IN], o: Annotated[Any, IN],
        batches: Annotated[Any, N], heads: Annotated[Any, N], queries: Annotated[Any, N],
        kv_heads: Annotated[Any, N], keys: Annotated[Any, N], scale: al.f32, SEQ_FIRST: al.constexpr,
        CAUSAL: al.constexpr,
    ):  # fmt: skip
        block(T, q, k, v, o, None, (batches, heads, queries), (kv_heads, keys), scale, d, SEQ_FIRST, CAUSAL)

    @avelang.jit
    def attention_and_sums(
        q: Annotated[Any, IN], k: Annotated[Any, IN], v: Annotated[Any, IN], o: Annotated[Any, IN],
        lse: al.Pointer[al.f32], batches: Annotated[Any, N], heads: Annotated[Any, N], queries: Annotated[Any, N],
        kv_heads: Annotated[Any, N], keys: Annotated[Any, N], scale: al.f32, SEQ_FIRST: al.constexpr,
        CAUSAL: al.constexpr,
    ):  # fmt: skip
        block(T, q, k, v, o, lse, (batches, heads, queries), (kv_heads, keys), scale, d, SEQ_FIRST, CAUSAL)

    return attention_and_sums if sums else attention


@takes()
@functools.lru_cache(64)
def block_for(target: str, d: Positive) -> AttentionBlock:
    """A block for a chip: as many rows as registers hold, as many keys as shared memory has room for, twice. On AMD a
    SIMD has two of the waves: one multiplies while the other softmaxes. NVIDIA's multiprocessor has two blocks of four
    warps, or more, which no barrier joins: products of one run beside the softmax of the other. Q is read from shared
    memory where registers would not hold it, or would hold it for fewer blocks."""
    if target.startswith("gfx"):
        return AttentionBlock(256 if d <= 128 else 128, 64 if d <= 128 else 32, 8)
    return AttentionBlock(64, 64 if d <= 128 else 32, 4, 64 < d <= 128)


def form_chip(T: Any, target: str) -> str:
    """The chip whose own source runs, or "" for the common one, by the form that was asked for. Raises ValueError."""
    if isinstance(T, AttentionBlock) or T is None and target not in FORMS:
        return ""
    chip = target if T is None else next((c for c, Form in FORMS.items() if isinstance(T, Form)), "")
    if not chip:
        raise argument_error(
            f"T is {T!r}: it must be a tile_attention.Block, a Form of tile_attention_hopper or "
            f"tile_attention_blackwell, or None"
        )
    if chip != target:
        raise argument_error(
            f"T is {T!r}, a form for {chip}, and the chip is {target}: a tile_attention.Block is what fits there"
        )
    return chip


@takes()
def attention(
    q: Batch, k: Batch, v: Batch, out: Batch, target: str | None = None, *, lse: Cube | None = None,
    causal: bool = False, scale: float | None = None,
    layout: str = "bshd", T: Any = None, units: Count = 0, **options: Any,
) -> Any:  # fmt: skip
    """out = softmax(scale q k^T) v, row by row of q, with scores, weights and sums in f32.

    q, out: (batch, seq, heads, d), or with layout "bhsd" (batch, heads, seq, d); k, v: the same with their own seq, and
    heads that divide those of q; all bf16 or f16, contiguous; d a multiple of 8, up to 256. `lse`: f32 (batch, heads,
    seq of q), gets the logarithms of the sums of exp(score). `causal`: the last query sees all keys, and each one
    before it one key less (bottom right: query i sees keys up to i + keys - queries). `scale`: above 0; 1 / sqrt(d) if
    left out. A row that sees nothing, or whose scores are all -inf, is 0, and its lse -inf; a row with a score of NaN,
    or one that overflows f32 to +inf, is NaN. `target`: the chip, by default that of the arrays' GPU; arrays on the CPU
    are worked on there, those for sm_100a by the reference. `T`: a `Block`, or for sm_90a a
    `tile_attention_hopper.Form`, for sm_100a a `tile_attention_blackwell.Form`; if left out, chosen by chip and d: a
    form on these two, elsewhere a block. A form takes arrays that are contiguous in d alone, and `units`, the
    multiprocessors, by default those of the arrays' GPU. `options` are those of a launch. Returns `out`.
    Raises ValueError for shapes and scales that do not fit, TypeError for dtypes."""
    batches, heads, queries, d, kv_heads, keys = checked(q, k, v, out, lse, scale, layout)
    if 0 in (batches, heads, queries, keys, d):
        out[...] = 0
        if lse is not None:
            lse[...] = NEVER
        return out
    if target is None and tile.on_cpu(q):
        options.setdefault("backend", "cpu")
    target, count = tile.device_of(q, target)
    chip = form_chip(T, target)
    if chip in (HOPPER, BLACKWELL):
        p = Problem(
            batches, heads, kv_heads, queries, keys, d, d, named(q), d**-0.5 if scale is None else scale, None,
            0 if causal else None, True,
        )  # fmt: skip
        q, k, v, o = (x.swapaxes(1, 2) if layout == "bshd" else x for x in (q, k, v, out))
        if chip == HOPPER:
            hopper.launch(p, Operands(q, k, v), o, lse, T, units or count, options)
        else:
            blackwell.launch(p, Operands(q, k, v), o, lse, target=target, units=units or count, T=T, **options)
        return out
    block, dtype = T or block_for(target, d), DTYPES[named(q)]
    outs = (out,) if lse is None else (out, lse)
    grid = batches * heads * -(-queries // block.m)
    by = (d**-0.5 if scale is None else scale) * LOG2E
    kernel, threads = build(block, dtype, d, lse is not None), threads_of(block, target, dtype, d)
    kernel[grid, threads](
        q, k, v, *outs, batches, heads, queries, kv_heads, keys, by, layout == "bshd", causal, target=target, **options
    )
    return out


@functools.lru_cache(64)
def threads_of(T: AttentionBlock, target: str, dtype: al.DType, d: int) -> int:
    """Threads of a block on a chip."""
    return T.on(target, dtype, d).first.threads
