"""Shape of a block that makes the gradients of attention on Hopper, and the products and numbers of one tile of
queries: scores, weights, dS, and sums of dQ, dK and dV."""

# No `from __future__ import annotations`, as in the kernels.

import dataclasses
from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, UNIT
from avelang_kernels.attention.hopper_backward_masks import is_set
from avelang_kernels.attention.tile_attention_rows import LOG2E

CHUNK = 64  # elements of d side by side: 128 bytes, one row of the swizzle
INNER = 16  # elements of K that one wgmma multiplies
BYTES, F32 = 2, 4  # of an element, of a sum
WARP = 32
BOX = PATTERN // F32  # columns of sums that TMA adds at once
CONSUMERS = 2
FEW, MANY = 24, 240  # registers of a thread of the producer, and of a consumer
WRITERS = 2  # warps that bring dQ to memory, in turns
# Named barriers: of EMPTY and ENDED one for each consumer, of FULL one for each consumer and writer.
SHARED_DS, ENDED, EMPTY, FULL, WEIGHTS, CLEARED = 1, 2, 4, 6, 10, 11


@avelang.constant
@dataclasses.dataclass(frozen=True)
class HopperBackward:
    """Shape of a block: `stages` of Q. `dtype` of arrays; `d`, as it is padded: 64, 128 or 256. `shared_keys`: heads of
    Q share keys, dK and dV are sums in f32. `window`: queries see no keys further back than `left`; `bounded`: nor such
    as are further ahead than `right`. `packed`: sequences lie one after another; `lengths`: each has its own count of
    keys. `cap`: scores are capped. `mask`: a boolean mask says what is seen. `bias`: one of `dtype` is added to scores,
    and `bias_gradient`: that has a gradient."""

    dtype: Any
    d: int
    shared_keys: bool = False
    bounded: bool = True
    window: bool = False
    packed: bool = False
    lengths: bool = False
    cap: bool = False
    mask: bool = False
    bias: bool = False
    bias_gradient: bool = False
    stages: int = 2

    @property
    def edited(self) -> bool:
        """True where scores are not only scaled and masked by place."""
        return self.cap or self.mask

    @property
    def listed(self) -> bool:
        """True where a block goes through a list of the tiles of queries that a mask leaves it."""
        return self.mask and not self.apart

    @property
    def apart(self) -> bool:
        """True where sequences have lengths of their own: rows behind the last one may hold anything."""
        return self.packed or self.lengths

    @property
    def m(self) -> int:
        """Queries at a time."""
        return 128 if self.d == 64 else 64

    @property
    def wide(self) -> bool:
        """True where consumers share the block's keys: one makes weights and dV, the other one dS and dK."""
        return self.d > 128

    @property
    def do_stages(self) -> int:
        """Stages of dO: where consumers share keys, one is done with it long before the other begins the next."""
        return 1 if self.wide else self.stages

    @property
    def bias_stages(self) -> int:
        """Stages of a bias: as many as there is room for; where consumers share keys one, in the room of weights."""
        return 2 if self.m == ROWS and not self.wide else 1

    @property
    def n(self) -> int:
        """Keys of a block."""
        return ROWS if self.wide else CONSUMERS * ROWS

    @property
    def rounds(self) -> int:
        """Pieces of a consumer's part of dQ, 64 columns each."""
        return self.chunks // CONSUMERS if self.wide else 1

    @property
    def atoms(self) -> int:
        """Pieces of them, 64 each."""
        return self.m // ROWS

    @property
    def chunks(self) -> int:
        """Pieces of d."""
        return self.d // CHUNK

    @property
    def threads(self) -> int:
        """Of the block."""
        return GROUP * (1 + CONSUMERS)


@avelang.jit
def wgmma(F: Any, a: Any, b: Any, sums: Any, ADD: Any, TRANS_A: Any = 0, TRANS_B: Any = 0):
    """One instruction, both operands by descriptors; ADD of 0: sums begin."""
    if F.dtype == al.bf16:
        return al.nvvm.wgmma_bf16_f32(a, b, sums, ADD, trans_a=TRANS_A, trans_b=TRANS_B)
    return al.nvvm.wgmma_f16_f32(a, b, sums, ADD, trans_a=TRANS_A, trans_b=TRANS_B)


@avelang.jit
def wgmma_rs(F: Any, a: Any, b: Any, sums: Any):
    """One instruction, A from registers, B the other way round."""
    return (
        al.nvvm.wgmma_bf16_f32_rs(a, b, sums, trans_b=1)
        if F.dtype == al.bf16
        else al.nvvm.wgmma_f16_f32_rs(a, b, sums, trans_b=1)
    )


@avelang.jit
def scores(F: Any, keys: Any, rows: Any, stage: Any, consumer: Any):
    """Begins a consumer's keys (64, d) times its rows of a stage, transposed."""
    sums = al.nvvm.wgmma_fence_acc(al.full((F.m // 2,), 0.0, al.f32))
    KEY = 0 if F.wide else ROWS * CHUNK
    for c in range(F.chunks):
        a = al.nvvm.wgmma_descriptor(al.subview(keys, (c, consumer * KEY), (1, ROWS * CHUNK), (1, 1)))
        b = al.nvvm.wgmma_descriptor(al.subview(rows, (stage, c * F.m * CHUNK), (1, F.m * CHUNK), (1, 1)))
        for i in range(CHUNK // INNER):
            offset = i * INNER * BYTES // UNIT
            sums = wgmma(F, a + offset, b + offset, sums, int(c + i > 0))
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def accumulate(F: Any, weights: Any, rows: Any, stage: Any, sums: Any):
    """Begins sums (64, d) += weights (64, m), in registers, times rows (m, d) of a stage."""
    sums = al.nvvm.wgmma_fence_acc(sums)
    held = ()
    for t in range(F.m // INNER):
        one = al.make_local((8,), F.dtype)
        for i in range(8):
            one[i] = weights[8 * t + i]
        held = held + (al.nvvm.wgmma_fence_acc(one),)
    b = al.nvvm.wgmma_descriptor(rows[stage], leading=F.m * PATTERN, stride=8 * PATTERN)
    for t in range(F.m // INNER):
        sums = wgmma_rs(F, held[t], b + t * INNER * PATTERN // UNIT, sums)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def query_gradient(F: Any, ds: Any, buffer: Any, keys: Any, consumer: Any, r: Any):
    """Begins a piece of a consumer's part of dQ: 64 queries, and 64 of d."""
    sums = al.nvvm.wgmma_fence_acc(al.full((CHUNK // 2,), 0.0, al.f32))
    ATOM, PIECE = (0, F.rounds) if F.atoms == 1 else (1, 0)
    a = al.nvvm.wgmma_descriptor(
        al.subview(ds, (buffer, consumer * ATOM, 0), (1, 1, F.n * CHUNK), (1, 1, 1)), stride=8 * PATTERN
    )
    b = al.nvvm.wgmma_descriptor(
        al.subview(keys, (consumer * PIECE + r, 0), (1, F.n * CHUNK), (1, 1)), leading=F.n * PATTERN,
        stride=8 * PATTERN,
    )  # fmt: skip
    for t in range(F.n // INNER):
        offset = t * INNER * PATTERN // UNIT
        sums = wgmma(F, a + offset, b + offset, sums, int(t > 0), 1, 1)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def capped(s: Any, edits: Any, less: Any):
    """The weight of a score whose value is c tanh(s / c), and the slope there. With r = 1 / (1 + e^(2 s / c)) these are
    c (1 - 2 r) and 4 r (1 - r). `edits`: `scale` is 2 / c in base 2, times that of scores; `top` is
    c in base 2."""
    r = al.nvvm.rcp(al.nvvm.exp2(s * edits.scale) + 1.0)
    four = 4.0 * r
    return al.nvvm.exp2(al.fma(r, -2.0 * edits.top, edits.top - less)), al.fma(0.0 - four, r, four)


@avelang.jit
def place_of(F: Any, work: Any, n: Any, m: Any, consumer: Any, warp: Any, lane: Any):
    """Of a thread's first key and query in a tile: keys from it on, and distances to the ends of what is seen. Each
    number is compared with a constant: what is the same for all tiles would take a register for each."""
    key = al.convert(n * F.n + (0 if F.wide else consumer * ROWS) + warp * 16 + lane // 4, al.i32)
    query = al.convert(m * F.m + lane % 4 * 2, al.i32) + work.shift
    return al.convert(work.keys, al.i32) - key, key - query - work.right, key - query + work.left


@avelang.jit
def is_seen(F: Any, place: Any, j: Any, e: Any):
    """True where a thread's score 4 j + e counts."""
    last, ahead, behind = place
    PLACE = j * 8 + e % 2 - e // 2 * 8
    seen = last > e // 2 * 8
    if F.bounded:
        seen = seen and ahead <= PLACE
    if F.window:
        seen = seen and behind >= PLACE
    return seen


@avelang.jit
def pair_of(x: Any, stage: Any, j: Any, lane: Any):
    """Numbers of a thread's queries 8 j and 8 j + 1."""
    two = al.subview(x, (stage, j * 4 + lane % 4, 0), (1, 1, 2), (1, 1, 1))
    return al.view(two, al.Tensor((1, 2), al.f32))[0]


@avelang.jit
def weights_of(
    F: Any, s: Any, lse: Any, stage: Any, edits: Any, words: Any, added: Any, work: Any, n: Any, m: Any, consumer: Any,
    t: Any,
):  # fmt: skip
    """Weights of scores: 2 to the score * scale - lse; 0 for what is not seen. Then what dP - delta is multiplied by:
    the same, or where scores are capped the weights times the slopes of that. `words`: of a mask; `added`: a bias."""
    scale = edits.scale if F.edited else edits
    if F.cap:
        p, moved = al.make_local((F.m // 2,), F.dtype), al.make_local((F.m // 2,), al.f32)
        if work.whole(n, m):
            weigh_edited(F, s, lse, stage, edits, words, added, work, n, m, consumer, t, p, moved, False)
        else:
            weigh_edited(F, s, lse, stage, edits, words, added, work, n, m, consumer, t, p, moved, True)
        return p, moved
    warp, lane = t // WARP, t % WARP
    p = al.make_local((F.m // 2,), al.f32)
    for j in range(F.m // 8):
        less = pair_of(lse, stage, j, lane)
        for e in range(4):
            by = 0.0 - less[e % 2]
            if added is not None:
                by = al.fma(al.convert(added[4 * j + e], al.f32), LOG2E, by)
            p[4 * j + e] = al.nvvm.exp2(al.fma(s[4 * j + e], scale, by))
    if not work.whole(n, m):
        place = place_of(F, work, n, m, consumer, warp, lane)
        for j in range(F.m // 8):
            for e in range(4):
                p[4 * j + e] = al.select(is_seen(F, place, j, e), p[4 * j + e], 0.0)
    if F.mask:
        for j in range(F.m // 8):
            for e in range(4):
                p[4 * j + e] = al.select(is_set(words, j, e), p[4 * j + e], 0.0)
    return p, p


@avelang.jit
def weigh_edited(
    F: Any, s: Any, lse: Any, stage: Any, edits: Any, words: Any, added: Any, work: Any, n: Any, m: Any, consumer: Any,
    t: Any, p: Any, moved: Any, MASKED: Any,
):  # fmt: skip
    """Fills `p` with weights and `moved` with their slopes. Weights become operands one by one: there are no registers
    for both in f32."""
    warp, lane = t // WARP, t % WARP
    place, four = place_of(F, work, n, m, consumer, warp, lane), al.make_local((4,), al.f32)
    for j in range(F.m // 8):
        less = pair_of(lse, stage, j, lane)
        for e in range(4):
            by = less[e % 2]
            if added is not None:
                by = al.fma(al.convert(added[4 * j + e], al.f32), -LOG2E, by)
            weight, slope = capped(s[4 * j + e], edits, by)
            if MASKED:
                weight = al.select(is_seen(F, place, j, e), weight, 0.0)
            if F.mask:
                weight = al.select(is_set(words, j, e), weight, 0.0)
            four[e], moved[4 * j + e] = weight, weight * slope
        narrow = al.convert(four, F.dtype)
        for e in range(4):
            p[4 * j + e] = narrow[e]


@avelang.jit
def score_gradients(F: Any, p: Any, dp: Any, delta: Any, stage: Any, t: Any):
    """dS = P * (dP - delta), in the dtype of operands."""
    lane, ds = t % WARP, al.make_local((F.m // 2,), al.f32)
    for j in range(F.m // 8):
        less = pair_of(delta, stage, j, lane)
        for e in range(4):
            ds[4 * j + e] = p[4 * j + e] * (dp[4 * j + e] - less[e % 2])
    return al.convert(ds, F.dtype)


@avelang.jit
def share(F: Any, room: Any, buffer: Any, held: Any, consumer: Any, t: Any):
    """Leaves dS^T of 64 keys in shared memory."""
    row = t // WARP * 16 + t % 16
    if not F.wide:
        row = consumer * ROWS + row
    for i in range(F.m // 16):
        chunk = 2 * (i % 4) + t % WARP // 16
        place = al.subview(room, (buffer, i // 4, row * CHUNK + (chunk ^ (row % 8)) * 8), (1, 1, 8), (1, 1, 1))
        words = al.view(al.subview(held, (8 * i,), (8,), (1,)), al.Tensor((4,), al.i32))
        al.nvvm.stmatrix_m8n8_x4_b16(place, words)
    al.nvvm.fence_proxy_async_shared()
