"""Products that overlap with the exchange around them: tiles of rows that have come are multiplied first, the rank's
own first of all; and tiles of sums go to the rank that adds them as they are made."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import contextlib
import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import argument_error, tile
from avelang.pipelines.scheduler import tile_of
from avelang.tile.order import WorkTile
from avelang_kernels.arrays import DTYPES, address, named
from avelang_kernels.dist import hopper
from avelang_kernels.dist.collectives import F32, THREADS, WORDS, chunk_of
from avelang_kernels.dist.exchange import RATE, copied
from avelang_kernels.dist.rooms import Room, counted, room_key, room_of
from avelang_kernels.matmul import hopper_rule
from avelang_kernels.matmul.hopper_f32 import split_f32
from avelang_kernels.workspaces import room_for

# The rule of `gathers` and `scatters`: what an overlap is worth. PEAK: operations a second of a product that waits for
# nothing; SLOWER: of the portable tile pipelines, against Hopper's TMA (both assumed); on Hopper both products' times
# are those of `hopper_rule`. Of two H100 (NVLink 4, 2026-11-27, benchmarks/dist.py): an exchange by itself takes some
# APART seconds and a second for each BYTES bytes (NCCL: 17 MB 94 us, 67 MB 314, 235 MB 975), and gates and signals cost
# a product up to OVERHEAD seconds.
PEAK, SLOWER, OVERHEAD, APART, BYTES = 700e12, 0.6, 15e-6, 20e-6, 240e9
PART = 4 << 20  # bytes of a part that is copied by itself, at least: a copy and its signal take some microseconds


@avelang.struct
class ShardWalk:
    """Tiles of a product whose rows come from ranks, or go to them, `rows` of each: those from row `first` on come
    first. GATED: they come in parts of `part` rows, and a tile begins when the counter of each part that it has rows of
    is at least `want`; `counters`: `hopper.PARTS` of each rank."""

    m: ...
    n: ...
    k: ...
    rows: ...
    first: ...
    counters: ...
    part: ...
    want: ...
    M: al.constexpr
    N: al.constexpr
    GROUP: al.constexpr
    GATED: al.constexpr

    def count(self):
        """Tiles."""
        return ((self.m + self.M - 1) // self.M) * ((self.n + self.N - 1) // self.N)

    def job(self, index: Any, cluster_m: Any, cluster_n: Any):
        """The tile of a number, when its rows are there."""
        high, wide = (self.m + self.M - 1) // self.M, (self.n + self.N - 1) // self.N
        row, col = tile_of(index, high, wide, self.GROUP)
        row = (row + self.first // self.M) % high * self.M
        if self.GATED:
            end = min(row + self.M, self.m)
            for shard in al.range(row // self.rows, (end - 1) // self.rows + 1):
                top = shard * self.rows
                first, last = max(row, top) - top, min(end, top + self.rows) - top - 1
                for i in al.range(first // self.part, last // self.part + 1):
                    self.counters[shard * hopper.PARTS + i].wait(self.want, shard)
        return WorkTile((row, self.m), (col * self.N, self.n), (0, self.k), (row, col * self.N))


@functools.cache
def build_push(dtype: al.DType, ranks: int, vec: int, step: int, own: bool) -> Any:
    """The kernel that puts a rank's rows into the boxes of all other ranks (`own`: and its own), the one that needs
    them first before the others, and counts there; the counters of a rank are `step` words apart."""
    ELEMENTS: Any = al.Pointer(dtype)
    R, VEC, FIRST = ranks, vec, 0 if own else 1

    @avelang.jit
    def push(
        x: Annotated[Any, ELEMENTS], box: Annotated[Any, ELEMENTS], counters: Annotated[Any, WORDS], n: al.u32,
        team: al.Ranks,
    ):  # fmt: skip
        t, b, me = al.thread_id(0), al.block_id(0), al.rank()
        first, end = chunk_of(n, b, al.grid_dim(0))
        X = al.make_tensor(x, dtype, al.make_layout((n, VEC)))
        for s in range(FIRST, R):
            theirs = al.make_tensor(al.peer(box, (me + (R - s)) % R), dtype, al.make_layout((R * n, VEC)))
            for i in al.range(first + t, end, THREADS):
                theirs[me * n + i] = X[i]
        al.syncthreads()
        if t < R:
            al.Signals(counters, (R * step,))[me * step].at(t).add()

    return push


@functools.cache
def build_gated(T: tile.Block, dtype: al.DType, ranks: int, recorded: bool = False) -> Any:
    """C = A @ B^T where A's rows come from ranks; a tile waits for those of its rows. `recorded`: `want` is the place
    of what is waited for (`rooms.counted`)."""
    IN_A, IN_B, OUT = T.operands(dtype, dtype)
    R, RECORDED = ranks, recorded

    @avelang.jit
    def gated_gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: Annotated[Any, OUT], counters: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, part: al.u32, want: al.u32, team: al.Ranks, EACH: al.constexpr = 8,
        WIDE: al.constexpr = 8,
    ):  # fmt: skip
        m = R * rows
        A, B, C = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH), tile.view(c, (m, n), WIDE)
        words = al.Signals(counters, (R * hopper.PARTS,))
        least = counted(counters, want, RECORDED)
        walk = ShardWalk(m, n, k, rows, al.rank() * rows, words, part, least, T.m, T.n, T.group_m, True)

        def finish(sums: Any, at: Any):
            C.store(sums, at)

        tile.multiply(T, A, B, walk, finish)

    return gated_gemm


@functools.cache
def build_scattered(T: tile.Block, dtype: al.DType, ranks: int) -> Any:
    """A @ B^T in f32, whose tiles go to the boxes of the ranks that own their rows: those of the next rank first, the
    own last."""
    IN_A, IN_B, SUMS = T.operands(dtype, F32)
    R = ranks

    @avelang.jit
    def scattered_gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], box: Annotated[Any, SUMS], counters: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, team: al.Ranks, EACH: al.constexpr = 8, WIDE: al.constexpr = 4,
    ):  # fmt: skip
        m, me = R * rows, al.rank()
        A, B = tile.view(a, (m, k), EACH), tile.view(b, (n, k), EACH)
        words = al.Signals(counters, (R,))
        walk = ShardWalk(m, n, k, rows, (me + 1) % R * rows, words, rows, 0, T.m, T.n, T.group_m, False)

        def finish(sums: Any, at: Any):
            row, col = at
            owner = row // rows
            C = tile.view(al.peer(box, owner), (R * rows, n), WIDE)
            C.store(sums, (me * rows + row - owner * rows, col))
            al.syncthreads()
            if al.thread_id(0) == 0:
                words[me].at(owner).add()

        tile.multiply(T, A, B, walk, finish)

    return scattered_gemm


@functools.cache
def build_sum(dtype: al.DType, ranks: int, vec: int, recorded: bool = False) -> Any:
    """The sum of what ranks have put into the own box, in the order of ranks, when all of it is there. `recorded`:
    as of `build_gated`."""
    OUT: Any = al.Pointer(dtype)
    SUMS: Any = al.Pointer(F32)
    R, VEC, RECORDED = ranks, vec, recorded

    @avelang.jit
    def sum_parts(
        box: Annotated[Any, SUMS], out: Annotated[Any, OUT], counters: Annotated[Any, WORDS], n: al.u32,
        want: al.u32, team: al.Ranks,
    ):  # fmt: skip
        t, b = al.thread_id(0), al.block_id(0)
        first, end = chunk_of(n, b, al.grid_dim(0))
        if t < R:
            al.Signals(counters, (R,))[t].wait(counted(counters, want, RECORDED), t)
        al.syncthreads()
        parts = al.make_tensor(box, al.f32, al.make_layout((R * n, VEC)))
        made = al.make_tensor(out, dtype, al.make_layout((n, VEC)))
        for i in al.range(first + t, end, THREADS):
            acc = al.full((VEC,), 0.0, al.f32)
            for r in range(R):
                acc = acc + parts[r * n + i]
            made[i] = al.convert(acc, dtype)

    return sum_parts


# -- launches ----------------------------------------------------------------------------------------------------------


def _why_not(member: Any, x: Any, w: Any, key: tuple[str, int, bool], target: str | None) -> str:
    """The reason why a product cannot be fused, or ""."""
    chip = tile.device_of(x, target)[0]
    if not hopper.fits(chip, named(x), x.shape[1]) and _block(x.shape[0], False, chip, DTYPES[named(x)]) is None:
        return f"there is no fused product of {named(x)} on {chip}"
    if not _contiguous(x) or not (_contiguous(w.T) or _by_columns(x, w, target)):
        return ("x must be contiguous, and w the transpose of a contiguous (n, k), as the weight of a linear layer is; "
                "on Hopper w of 16 bits may be contiguous itself, with n a multiple of 8")  # fmt: skip
    if 0 in (*x.shape, *w.shape):
        return "there is nothing to multiply"
    need = Room.bytes_of(key)
    if key not in member._kept and member.left < need:
        return f"it needs {need} bytes of symmetric memory, and {member.left} are left: connect(bytes=...)"
    return ""


def _by_columns(x: Any, w: Any, target: str | None) -> bool:
    """True for a w (k, n) that Hopper's products read as it lies: of gradients, and of matrices that are no weights."""
    return _on_hopper(x, target) and _size(x) == 2 and w.shape[1] % 8 == 0 and _contiguous(w)


def _contiguous(x: Any) -> bool:
    return x.is_contiguous() if hasattr(x, "is_contiguous") else bool(x.flags.c_contiguous)


def readable(x: Any, w: Any, target: str | None) -> Any:
    """w as a fused product with x reads it: itself, or the transpose of a copy without gaps."""
    return w if _contiguous(w.T) or _by_columns(x, w, target) else w.T.copy().T


def worth(product: float, exchange: float, fused: float, beside: float) -> float:
    """Seconds that the model says an overlap saves: of a product and an exchange one after the other, against a fused
    product that takes `fused` seconds by itself, and an exchange of `beside` seconds at the same time."""
    return product + exchange - (max(fused, beside) + OVERHEAD)


def seconds(rows: int, n: int, k: int) -> tuple[float, float]:
    """Of a product that waits for nothing, and of a fused one of the portable pipelines, by the model."""
    product = 2 * rows * n * k / PEAK
    return product, product / SLOWER


def _seconds(member: Any, x: Any, w: Any, rows: int, target: str | None) -> tuple[float, float]:
    """The same for a call; on Hopper by its own model."""
    (chip, units, _), (k, n) = _target(member, x, target), w.shape
    if not hopper.fits(chip, named(x), k):
        return seconds(member.ranks * rows, n, k)
    return _hopper_seconds(rows, member.ranks, n, hopper.split_k(k) if _size(x) == 4 else k, units, _size(x))


@functools.lru_cache(1 << 12)
def _hopper_seconds(rows: int, ranks: int, n: int, k: int, units: int, size: int) -> tuple[float, float]:
    """Of the product that waits for nothing and the fused one: the model takes longer than a launch."""
    sms = units or hopper_rule.SMS
    plain = float(hopper_rule.times(ranks * rows, n, k, sms, size)[1].min()) * 1e-6
    return plain, hopper.choose(rows, ranks, n, k, sms, size)[1]


def _decided(fuse: int, why: str, gain: float) -> bool:
    if fuse == 1 and why:
        raise argument_error(f"fuse=True: {why}")
    return bool(fuse) and not why and (fuse == 1 or gain > 0)


def _sent(x: Any, target: str | None) -> int:
    """Bytes of a rank's rows as they go to the others: of f32 on Hopper, two bytes for each of three numbers."""
    rows, k = x.shape
    return rows * (2 * hopper.split_k(k) if _split(x, target) else k * _size(x))


def _gather_key(member: Any, x: Any, target: str | None) -> tuple[str, int, bool]:
    kind = "gather" if _on_hopper(x, target) else "gather of tiles"  # which counts the own part, too
    return room_key(member, kind, member.ranks * _sent(x, target))


def _scatter_key(member: Any, x: Any, w: Any, target: str | None) -> tuple[str, int, bool]:
    rows, n = x.shape[0] // member.ranks, w.shape[1]
    if _on_hopper(x, target):
        return room_key(member, "scatter", hopper.box_bytes(rows, n, member.ranks, _size(x)))
    return room_key(member, "scatter in f32", member.ranks * rows * n * 4)


def _size(x: Any) -> int:
    return x.element_size() if hasattr(x, "element_size") else x.itemsize


def gathers(member: Any, x: Any, w: Any, fuse: int, target: str | None = None) -> bool:
    """The choice whether `all_gather_matmul` is one product with gates. `fuse`: 1 yes (raises L066 where it cannot be),
    0 no, -1 by the model."""
    if not fuse:
        return False
    why = _why_not(member, x, w, _gather_key(member, x, target), target)
    if why or fuse == 1:
        return _decided(fuse, why, 0)
    (m, k), sent = x.shape, _sent(x, target)
    exchange, beside = APART + (member.ranks - 1) * m * k * _size(x) / BYTES, (member.ranks - 1) * sent / RATE
    product, fused = _seconds(member, x, w, m, target)
    # What a kernel stores before the product begins is no overlap.
    return _decided(fuse, why, worth(product, exchange, fused if copied(member, sent) else fused + beside, beside))


def scatters(member: Any, x: Any, w: Any, fuse: int, target: str | None = None) -> bool:
    """The same choice for `matmul_reduce_scatter`; but for Hopper's, tiles must each be of one rank."""
    if not fuse:
        return False
    n, rows = w.shape[1], x.shape[0] // member.ranks
    why = _why_not(member, x, w, _scatter_key(member, x, w, target), target)
    if not why and rows % 16 and not _on_hopper(x, target):
        why = f"each rank must own a multiple of 16 rows, and it owns {rows}"
    if why or fuse == 1:
        return _decided(fuse, why, 0)
    product, fused = _seconds(member, x, w, rows, target)
    moved = (member.ranks - 1) * rows * n
    beside = moved * (_size(x) if _on_hopper(x, target) else 4) / RATE
    return _decided(fuse, why, worth(product, APART + moved * _size(x) / BYTES, fused, beside))


def _on_hopper(x: Any, target: str | None) -> bool:
    return hopper.fits(tile.device_of(x, target)[0], named(x), x.shape[1])


def _split(x: Any, target: str | None) -> bool:
    """True where f32 is multiplied as three products of bf16, as `ops.matmul` does there."""
    return named(x) == "float32" and _on_hopper(x, target)


def _factors(x: Any, w: Any, target: str | None) -> tuple[Any, Any]:
    """x (m, k) and w's transpose (n, k) as they are sent and multiplied."""
    return split_f32(x, w.T, target=tile.device_of(x, target)[0]) if _split(x, target) else (x, w.T)


@functools.cache
def _block(rows: int, whole: bool, chip: str, dtype: al.DType) -> tile.Block | None:
    """A block of a pipeline in which each tile is one block's, of two fragments along K; `whole`: its height must
    divide `rows`. None where a chip has no such product."""
    high = next(h for h in (64, 32, 16) if not whole or rows % h == 0)
    blocks = [tile.Block(high, 64, k, (1, 4) if high < 32 else (2, 2), "double-buffer") for k in (32, 64, 16)]
    for T in blocks:
        with contextlib.suppress(avelang.errors.AveError):
            T.on(chip, dtype)
            return T
    return None


def _vec(count: int, size: int) -> int:
    return 16 // size if count % (16 // size) == 0 else 1


def _target(member: Any, x: Any, target: str | None) -> tuple[Any, int, dict[str, Any]]:
    chip, units = tile.device_of(x, target)
    return chip, member.share(units), {"target": chip}


def all_gather_matmul(member: Any, x: Any, w: Any, out: Any, target: str | None) -> None:
    """out (R m, n) = rows x (m, k) of all ranks @ w (k, n)."""
    room, fast = room_of(member, _gather_key(member, x, target)), _on_hopper(x, target)
    beside = copied(member, _sent(x, target))
    x, b = _factors(x, w, target)
    (m, k), ranks, dtype, part = x.shape, member.ranks, DTYPES[named(x)], x.shape[0]
    count, box = m * k, member.at(room.turn(member.BLOCKS), ranks * m * k, named(x))
    if beside:
        part = _part_of(m, k * dtype.bytes)
    else:
        vec = _vec(count, dtype.bytes)
        push = build_push(dtype, ranks, vec, hopper.PARTS, not fast)
        member.launch(push, member.BLOCKS, THREADS, x.reshape(-1), box, room.words, count // vec, member.team)

    def send(queue: Any) -> None:
        me, rows = member.rank, x.reshape(-1)
        for peer in ((me - s) % ranks for s in range(1 if fast else 0, ranks)):
            for i, at in enumerate(range(0, m, part)):
                first, end = at * k, min(at + part, m) * k
                queue.copy(box[peer][me * count + first : me * count + end], rows[first:end])
                queue.signal(room.words[peer], me * hopper.PARTS + i, room.sent())

    a = member.own(box)
    with member.copying(send) if beside else contextlib.nullcontext():
        if fast:
            _gathered_hopper(member, a.reshape(ranks, m, k), x, b, out, room, part, target)
        else:
            _gathered(member, a.reshape(ranks * m, k), b, out, room, part, target)


def _part_of(rows: int, row: int) -> int:
    """Rows of a part of a shard that is copied by itself: of PART bytes or more, and so many that there are no more
    than `hopper.PARTS`."""
    return min(rows, max(-(-rows // hopper.PARTS), -(-PART // row)))


def _gathered(member: Any, a: Any, b: Any, out: Any, room: Room, part: int, target: str | None) -> None:
    """The gated product of the portable pipelines: a (R rows, k), b (n, k)."""
    (n, k), ranks, dtype = b.shape, member.ranks, DTYPES[named(a)]
    chip, units, options = _target(member, a, target)
    T, wide, rows = _block(a.shape[0] // ranks, False, chip, dtype), 16 // dtype.bytes, a.shape[0] // ranks
    assert T is not None
    member.launch(
        build_gated(T, dtype, ranks, room.recorded), T.grid(ranks * rows, n, units), T.on(chip, dtype).threads,
        a.reshape(-1), b.reshape(-1), out.reshape(-1), room.words, rows, n, k, part, room.want, member.team,
        math.gcd(k, wide), math.gcd(n, wide), **options,
    )  # fmt: skip


def _gathered_hopper(
    member: Any, box: Any, x: Any, b: Any, out: Any, room: Room, part: int, target: str | None
) -> None:  # fmt: skip
    """The same of Hopper's: box (R, rows, k), of which x (rows, k) is the own part. TMA stores rows of whole 16 bytes:
    others go by memory of their own."""
    (n, k), ranks, rows, dtype, to = b.shape, member.ranks, x.shape[0], DTYPES[named(x)], DTYPES[named(out)]
    _, units, options = _target(member, x, target)
    columns = not _contiguous(b)
    tile, _ = hopper.choose(rows, ranks, n, k, units, to.bytes, columns)
    padded = n * to.bytes % 16 != 0
    made = room_for(x, ranks * rows, -(-n // 8) * 8, out.dtype, "gathered") if padded else out
    tiles = ranks * hopper.scattered_tiles(rows, n, tile)
    member.launch(
        hopper.build_gathered(tile, dtype, ranks, to, columns, room.recorded), hopper.blocks_of(tiles, units, tile),
        hopper.threads(tile), box, x, b.T if columns else b, made.reshape(ranks, rows, made.shape[1]), room.words, rows,
        n, k, part, room.want, member.team, cluster=(tile.cluster, 1, 1), **options,
    )  # fmt: skip
    if padded:
        out[...] = made[:, :n]


def matmul_reduce_scatter(member: Any, x: Any, w: Any, out: Any, target: str | None) -> None:
    """out (m / R, n) = the rank's rows of the sum of x (m, k) @ w (k, n) over ranks."""
    room = room_of(member, _scatter_key(member, x, w, target))
    product = _scattered_hopper if _on_hopper(x, target) else _scattered
    product(member, *_factors(x, w, target), out, room, target)


def _scattered(member: Any, a: Any, b: Any, out: Any, room: Room, target: str | None) -> None:
    """By the portable pipelines: a (m, k), b (n, k)."""
    (m, k), n, ranks, dtype = a.shape, b.shape[0], member.ranks, DTYPES[named(a)]
    rows, (chip, units, options) = m // ranks, _target(member, a, target)
    T = _block(rows, True, chip, dtype)
    assert T is not None
    box = member.at(room.turn(rows // T.m * -(-n // T.n)), m * n, "float32")
    member.launch(
        build_scattered(T, dtype, ranks), T.grid(m, n, units), T.on(chip, dtype).threads, a.reshape(-1),
        b.reshape(-1), box, room.words, rows, n, k, member.team, math.gcd(k, 16 // dtype.bytes), math.gcd(n, 4),
        **options,
    )  # fmt: skip
    vec, made = _vec(rows * n, 4), out.reshape(-1)
    member.launch(
        build_sum(dtype, ranks, vec, room.recorded), member.BLOCKS, THREADS, box, made, room.words, rows * n // vec,
        room.want, member.team,
    )  # fmt: skip


def _scattered_hopper(member: Any, a: Any, b: Any, out: Any, room: Room, target: str | None) -> None:
    """By Hopper's, in one launch: what ranks send is added up where it was made last."""
    (m, k), n, ranks, dtype, to = a.shape, b.shape[0], member.ranks, DTYPES[named(a)], DTYPES[named(out)]
    _, units, options = _target(member, a, target)
    rows, wide, columns = m // ranks, n * to.bytes % 16 == 0 and address(out) % 16 == 0, not _contiguous(b)
    tile, _ = hopper.choose(rows, ranks, n, k, units, to.bytes, columns)
    box = member.at(room.turn(1), hopper.box_bytes(rows, n, ranks, to.bytes) // to.bytes, named(out))
    tiles = ranks * hopper.scattered_tiles(rows, n, tile)
    member.launch(
        hopper.build_scattered(tile, dtype, ranks, to, wide, columns, room.recorded),
        hopper.blocks_of(tiles, units, tile),
        hopper.threads(tile), a.reshape(ranks, rows, k), b.T if columns else b, box, room.words, out.reshape(-1), rows,
        n, k, hopper.units_of(rows, n), room.want, member.team, cluster=(tile.cluster, 1, 1), **options,
    )  # fmt: skip
