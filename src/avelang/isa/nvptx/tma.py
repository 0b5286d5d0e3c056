"""Rows of the bulk copies of Hopper (TMA): boxes of arrays by tensor maps, straight runs of bytes; and the groups in
which a thread waits for stores.

Every active lane issues a copy of its own; usually one is elected. Coordinates count elements in the order of the
array's dimensions. """

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Block, Value
from avelang.ir.dtypes import BY_NAME, i32, i64, u1, u32
from avelang.ir.types import GLOBAL, SHARED, MapType, VecType
from avelang.isa.asm import HINTS, Asm, hinted
from avelang.isa.lowering_helpers import choose, peer, pointer, shared_offset
from avelang.isa.nvptx.copy_async import nothing
from avelang.isa.nvptx.mbarrier import BAR, EFFECTS, change, report, transactions
from avelang.isa.nvptx.swizzle import expand_swizzled, swizzled
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.isa.tensor_map import EXTENT, NAN, STRIDE, TensorMapValue, torn
from avelang.isa.wave_protocol import Machine

SM_90 = frozenset({"sm_90"})
BULK = "bulk"
PIECE = 16  # bytes
ALIGN = 128  # bytes: of a box in shared memory
COORDS = ("d0", "d1", "d2", "d3", "d4")
_MAP = Param("map", "map", "the tensor map, a parameter of the kernel")
_READ = dataclasses.replace(_MAP, source=True)
_HINT = Param("hint", "const", HINTS, range=(0, 3), default=0)
_MASK = Param("mask", u32, "one bit for each block of the cluster, by rank; 16 at most")


# -- meaning -----------------------------------------------------------------------------------------------------------


# Bit 24 of an address of shared memory in a cluster is the lowest of the block's rank (CUTLASS,
# cute/arch/copy_sm100_tma.hpp).
PAIR = 0xFEFFFFFF


def _place(wave: Machine, tile: TensorRef, map_: TensorMapValue, lane: int) -> np.ndarray:
    """Addresses in shared memory of the bytes of a box, flat int64."""
    start, pattern = int(tile.address[lane]), map_.type.swizzle
    if start % ALIGN:
        raise wave.wrong(lane, f"a box at address {start:#x} of shared memory, no multiple of {ALIGN}")
    return swizzled(start + np.arange(map_.type.box_bytes), pattern)


def _at(wave: Machine, map_: TensorMapValue, coords: Sequence[np.ndarray], lane: int, store: bool = False) -> tuple[int,
        ...]:
    """Where a box begins. Raises the error of what the engine traps on (as probed on an H200: "illegal
    instruction")."""
    at = tuple(int(c.view(np.int32)[lane]) for c in coords)
    if at[-1] * map_.type.dtype.bytes % PIECE:
        raise wave.wrong(lane, f"a box that begins at {at}: along the last dimension that must be a multiple of 16 "
            f"bytes")
    if store and min(at) < 0:
        raise wave.wrong(lane, f"a store of a box that begins at {at}: only loads may begin before the array")
    return at


def _fetched(wave: Machine, map_: TensorMapValue, at: tuple[int, ...]) -> np.ndarray:
    """uint8 (bytes,) of a box; what is outside of the array as the map says."""
    address, inside = map_.box(at)
    size = map_.type.dtype.bytes
    out = np.zeros((len(address), size), np.uint8)
    if map_.type.nan:
        out.reshape(-1).view(np.uint16)[:] = NAN
    if inside.any():
        out[inside] = wave.fetch(GLOBAL, address[inside], size)
    return out.reshape(-1)


def _load(rank: int, multicast: bool) -> Callable[..., None]:
    def semantics(wave: Machine, dst: TensorRef, map_: TensorMapValue, *rest: Any) -> None:
        coords, (bar, *more) = rest[:rank], rest[rank:]
        for lane in np.flatnonzero(wave.active).tolist():
            to, data = _place(wave, dst, map_, lane), _fetched(wave, map_, _at(wave, map_, coords, lane))
            blocks = [r for r in range(16) if int(more[0][lane]) >> r & 1] if multicast else [None]
            for block in blocks:
                flight = wave.begin(SHARED, np.array([lane]), to[None], data[None], rank=block)
                report(flight, wave.mbarrier(lane, int(bar.address[lane]), block), data.size, lane)

    return semantics


def _load_pair(wave: Machine, dst: TensorRef, map_: TensorMapValue, y: Any, x: Any, bar: TensorRef, hint: int) -> None:
    for lane in np.flatnonzero(wave.active).tolist():
        to, data = _place(wave, dst, map_, lane), _fetched(wave, map_, _at(wave, map_, (y, x), lane))
        flight = wave.begin(SHARED, np.array([lane]), to[None], data[None])
        report(flight, wave.mbarrier(lane, int(bar.address[lane]), wave.place()[3] & ~1), data.size, lane)


def _store(rank: int, add: bool) -> Callable[..., None]:
    def semantics(wave: Machine, map_: TensorMapValue, *rest: Any) -> None:
        coords, src = rest[:rank], rest[rank]
        size = map_.type.dtype.bytes
        for lane in np.flatnonzero(wave.active).tolist():
            wrong = torn(map_.type, map_.shape)
            if wrong:
                raise wave.wrong(lane, f"a store to an array: {wrong}")
            source = _place(wave, src, map_, lane)
            data = wave.fetch(SHARED, source, 1).reshape(-1, size)
            address, inside = map_.box(_at(wave, map_, coords, lane, store=True))
            at = (address[inside, None] + np.arange(size)).reshape(1, -1)
            values = data[inside].reshape(1, -1)
            wave.groups(BULK).add(wave.begin(GLOBAL, np.array([lane]), at, values, guard=source[None],
                add=map_.type.dtype.np if add else None))

    return semantics


def _run_load(wave: Machine, dst: TensorRef, src: TensorRef, count: np.ndarray, bar: TensorRef, hint: int) -> None:
    for lane in np.flatnonzero(wave.active).tolist():
        n, to, start = int(count[lane]), int(dst.address[lane]), int(src.address[lane])
        _whole(wave, lane, n, to, start)
        data = wave.fetch(GLOBAL, start + np.arange(n), 1).reshape(1, -1)
        flight = wave.begin(SHARED, np.array([lane]), to + np.arange(n)[None], data)
        report(flight, wave.mbarrier(lane, int(bar.address[lane])), n, lane)


def _run_store(wave: Machine, dst: TensorRef, src: TensorRef, count: np.ndarray, hint: int) -> None:
    for lane in np.flatnonzero(wave.active).tolist():
        n, to, start = int(count[lane]), int(dst.address[lane]), int(src.address[lane])
        _whole(wave, lane, n, to, start)
        source = start + np.arange(n)
        data = wave.fetch(SHARED, source, 1).reshape(1, -1)
        wave.groups(BULK).add(wave.begin(GLOBAL, np.array([lane]), to + np.arange(n)[None], data, guard=source[None]))


def _whole(wave: Machine, lane: int, *numbers: int) -> None:
    wrong = [n for n in numbers if n % PIECE]
    if wrong:
        raise wave.wrong(lane, f"{wrong[0]:#x} is no multiple of 16: addresses and sizes of bulk copies must be")


# -- expansion ---------------------------------------------------------------------------------------------------------


def _word(b: Builder, map_: Value, index: int) -> Value:
    return b.emit("map_word", (map_,), (i64,), index=index).result


class _Box:
    """Walks the pieces of 16 bytes of a box, or the elements of one that is narrower than its swizzle says: one loop
    over all of them."""

    def __init__(self, b: Builder, map_: Value, coords: Sequence[Value], tile: Value, rank: Value | None = None):
        t = map_.type
        assert isinstance(t, MapType)
        self.b, self.type, self.map = b, t, map_
        self.coords = [b.convert(b.bitcast(c, i32), i64) for c in coords]
        # In the block of that rank the tile stands, and is swizzled, as it would in this one.
        self.tile = pointer(b, tile) if rank is None else peer(b, tile, rank)
        self.base = shared_offset(b, pointer(b, tile))
        self.source = b.int_ptr(_word(b, map_, 0), t.dtype)
        self.extents = [_word(b, map_, EXTENT + i) for i in range(t.rank)]
        self.strides = [_word(b, map_, STRIDE + i) for i in range(t.rank)]

    def each(self, body: Callable[[Value, Value, Value, Value], None]) -> None:
        """`body(inside, offset, column, place)` for each piece: whether its row is in the array, the byte offset of its
        first element in it, that element's place along the last dimension, and where the piece stands in shared memory,
        from `tile` on."""
        b, t = self.b, self.type
        region = Block((("piece", u32),))
        b.emit("for", (b.const(0), b.const(t.box_bytes // PIECE), b.const(1)), (), (region,))
        with b.inside(region):
            piece = b.convert(region.args[0], i64)
            per, rest = t.box[-1] * t.dtype.bytes // PIECE, piece
            inside, offset = b.const(True, u1), b.const(0, i64)
            column = self.coords[-1]
            for d in reversed(range(t.rank)):
                n = per if d == t.rank - 1 else t.box[d]
                index, rest = b.same("rem", rest, b.const(n, i64)), b.same("div", rest, b.const(n, i64))
                if d == t.rank - 1:
                    column = b.add(column, b.mul(index, b.const(PIECE // t.dtype.bytes, i64)))
                    offset = b.mul(column, b.const(t.dtype.bytes, i64))
                    continue
                at = b.add(self.coords[d], index)
                inside = b.and_(inside, b.and_(b.cmp("ge", at, b.const(0, i64)), b.cmp("lt", at, self.extents[d])))
                offset = b.add(offset, b.mul(at, self.strides[d]))
            address = b.add(self.base, b.mul(piece, b.const(PIECE, i64)))
            body(inside, offset, column, b.sub(expand_swizzled(b, address, t.swizzle), self.base))
            b.yield_()

    def holds(self, column: Value, i: int) -> Value:
        """True if an element of a piece is in the array, along the last dimension."""
        b = self.b
        at = b.add(column, b.const(i, i64))
        return b.and_(b.cmp("ge", at, b.const(0, i64)), b.cmp("lt", at, self.extents[-1]))


def _expand_box(b: Builder, box: _Box, bar: Value) -> None:
    """Loads a box, and reports to the mbarrier."""
    d = box.type.dtype
    n = PIECE // d.bytes

    def body(inside: Value, offset: Value, column: Value, place: Value) -> None:
        def other() -> Value:
            whole = b.const(NAN * (((1 << d.bits) - 1) // 0xFFFF) if box.type.nan else 0, BY_NAME[f"u{d.bits}"])
            return b.bitcast(whole, d)

        def one(i: int) -> Value:
            there = b.and_(inside, box.holds(column, i))
            return choose(b, there, lambda: b.ld(box.source, b.add(offset, b.const(i * d.bytes, i64)), d, d.bytes),
                other)

        whole = b.and_(inside, b.and_(box.holds(column, 0), box.holds(column, n - 1)))
        value = choose(b, whole, lambda: b.ld(box.source, offset, VecType(d, n), d.bytes),
            lambda: b.vec([one(i) for i in range(n)]))
        b.st(value, box.tile, place, PIECE)

    box.each(body)
    change(b, bar, transactions(b, b.const(box.type.box_bytes), -1))


def _expand_load(rank: int, multicast: bool) -> Callable[..., None]:
    def lower(b: Builder, dst: Value, map_: Value, *rest: Any) -> None:
        coords, bar = rest[:rank], rest[rank]
        if not multicast:
            _expand_box(b, _Box(b, map_, coords, dst), bar)
            return
        region = Block((("rank", u32),))
        b.emit("for", (b.const(0), b.const(math.prod(b.cluster)), b.const(1)), (), (region,))
        with b.inside(region):
            to = region.args[0]
            with b.if_(b.cmp("ne", b.and_(b.shr(rest[rank + 1], to), b.const(1)), b.const(0))):
                _expand_box(b, _Box(b, map_, coords, dst, to), peer(b, bar, to))
            b.yield_()

    return lower


def _expand_store(rank: int, add: bool) -> Callable[..., None]:
    def lower(b: Builder, map_: Value, *rest: Any) -> None:
        box = _Box(b, map_, rest[:rank], rest[rank])
        d = box.type.dtype
        n = PIECE // d.bytes

        def body(inside: Value, offset: Value, column: Value, place: Value) -> None:
            value = b.ld(box.tile, place, VecType(d, n), PIECE)
            for i in range(n):
                with b.if_(b.and_(inside, box.holds(column, i))):
                    at, element = b.add(offset, b.const(i * d.bytes, i64)), b.extract(value, i)
                    b.st(b.add(b.ld(box.source, at, d, d.bytes), element) if add else element, box.source, at, d.bytes)

        box.each(body)

    return lower


def _expand_run(b: Builder, dst: Value, src: Value, count: Value) -> None:
    """A straight run of bytes, 16 at a time."""
    to, source, t = pointer(b, dst), pointer(b, src), VecType(i32, 4)
    region = Block((("at", u32),))
    b.emit("for", (b.const(0), count, b.const(PIECE)), (), (region,))
    with b.inside(region):
        at = b.convert(region.args[0], i64)
        b.st(b.ld(source, at, t, PIECE), to, at, PIECE)
        b.yield_()


def _expand_run_load(b: Builder, dst: Value, src: Value, count: Value, bar: Value, hint: int) -> None:
    _expand_run(b, dst, src, count)
    change(b, bar, transactions(b, count, -1))


# -- rows --------------------------------------------------------------------------------------------------------------


def _reversed(rank: int) -> str:
    """Coordinates as PTX has them: the contiguous dimension first."""
    return "{" + ", ".join(f"<{c}>" for c in reversed(COORDS[:rank])) + "}"


def _load_text(rank: int, multicast: bool) -> Callable[[Mapping[str, Any]], str]:
    def text(attrs: Mapping[str, Any]) -> str:
        how = ".multicast::cluster" if multicast else ""
        start = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{how} "
        end = f"[<dst>], [<map>, {_reversed(rank)}], [<bar>]"
        if not multicast:
            return hinted(start, end, attrs["hint"])
        return f"{{ .reg .b16 mask; cvt.u16.u32 mask, <mask>; {hinted(start, end + ', mask', attrs['hint'])} }}"

    return text


def _store_text(rank: int, add: bool) -> Callable[[Mapping[str, Any]], str]:
    name = "cp.reduce.async.bulk.tensor" if add else "cp.async.bulk.tensor"
    op = ".add.tile" if add else ".tile"
    return lambda attrs: hinted(f"{name}.{rank}d.global.shared::cta{op}.bulk_group ", f"[<map>, {_reversed(rank)}], "
        f"[<src>]", attrs["hint"])


_DST = Param("dst", "tensor", "in shared memory; begins where the box goes, a multiple of 128 bytes", spaces=(SHARED,))
_SRC = Param("src", "tensor", "in shared memory; begins where the box is, a multiple of 128 bytes", spaces=(SHARED,))
_RULE = ("It begins at a multiple of 16 bytes along the last dimension. A swizzled box should begin at a multiple of "
    "1024 bytes, so that its " "pattern begins there too.")


def _tensor_rows(rank: int) -> None:
    coords = tuple(Param(c, (i32, u32), f"the box's first element along dimension {i}") for i,
        c in enumerate(COORDS[:rank]))
    section = "PTX ISA 9.0, 9.7.9.27.1.2, cp.async.bulk.tensor"
    for multicast in (False, True):
        each = (", in every block of the cluster that `mask` names, at the same place in each, and reports to the "
            "mbarrier at the same place")
        what = each if multicast else ""
        register(Row(f"nvvm.tma_load_{rank}d{'_multicast' * multicast}",
            (_DST, _READ, *coords, BAR, *((_MASK,) if multicast else ()), _HINT), None, f"Begins a copy of a box of "
            f"{rank} dimension{'s' * (rank > 1)} into shared memory{what}. Its bytes count on the mbarrier, outside "
            f"the " f"array as zeros " f"(or NaN) too: expect them by mbarrier_arrive_expect_tx. {_RULE}", section,
            SM_90, _load(rank, multicast), EFFECTS, _expand_load(rank, multicast),
            llvm={"nvptx": Asm(_load_text(rank, multicast))}))  # fmt: skip
    for add in (False, True):
        does = "Begins a copy of a box from shared memory to the array"
        if add:
            does = "Begins an addition of a box in shared memory to the array's elements"
        register(Row(f"nvvm.tma_{'reduce_add' if add else 'store'}_{rank}d", (_MAP, *coords, _SRC, _HINT), None,
            f"{does}; what is outside the array is not written, but no coordinate may be negative, and its rows must "
            f"be multiples of " f"16 bytes long. Shared memory must not change before "
            f"cp_async_bulk_wait_group_read has said so. {_RULE}", section.replace("1.2, cp.", "1.3, cp.reduce.") if add
            else section, SM_90, _store(rank, add), EFFECTS, _expand_store(rank, add),
            llvm={"nvptx": Asm(_store_text(rank, add))}))  # fmt: skip
    register(Row(f"nvvm.tma_prefetch_{rank}d", (_READ, *coords), None, "Brings a box of the array into " "L2.",
        "PTX ISA 9.0, 9.7.9.27.1.4, cp.async.bulk.prefetch.tensor", SM_90, nothing, EFFECTS, nothing,
        llvm={"nvptx": Asm(f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [<map>, {_reversed(rank)}];")}))


def not_on_the_cpu(b: Builder, *rest: Any) -> None:
    """Raises V001: what waits for it uses tensor memory."""
    raise error("V001", op="nvvm.tma_load_2d_pair", why="is for pairs of blocks with tensor memory, "
        'which the CPU backend does not have: launch it with backend="reference"')  # fmt: skip


def _pair_rows() -> None:
    """Loads that report to the first block of a pair, whose products wait for both blocks' data."""
    start = ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 ",
        f"[<dst>], [<map>, {_reversed(2)}], [bar]")  # fmt: skip
    register(Row("nvvm.tma_load_2d_pair", (_DST, _READ, *(Param(c, (i32, u32), f"the box's first element along "
        f"dimension {i}") for i, c in enumerate(COORDS[:2])), BAR, _HINT), None, "Begins a copy of a box of 2 "
        "dimensions into shared memory, whose bytes count on the mbarrier at that place of the pair's first block, "
        f"the one with the even rank: the one that multiplies for both. {_RULE}", "PTX ISA 9.0, 9.7.9.27.1.2, "
        "cp.async.bulk.tensor, .cta_group",
        frozenset({"sm_100a", "sm_103a"}), _load_pair, EFFECTS,
        not_on_the_cpu, llvm={"nvptx": Asm(lambda a:
        f"{{ .reg .b32 bar; and.b32 bar, <bar>, {PAIR:#x}; {hinted(*start, a['hint'])} }}")}))  # fmt: skip


def _run_rows() -> None:
    size = Param("bytes", u32, "a multiple of 16")
    to, source = "begins where the bytes go, a multiple of 16 bytes", "begins where they are, a multiple of 16 bytes"
    section = "PTX ISA 9.0, 9.7.9.25.5.2, cp.async.bulk"
    register(Row("nvvm.cp_async_bulk_load", (Param("dst", "tensor", f"in shared memory; " f"{to}", spaces=(SHARED,)),
        Param("src", "tensor", f"in global memory; {source}", spaces=(GLOBAL,), source=True), size, BAR, _HINT), None,
        "Begins a copy of `bytes` consecutive bytes from global to shared memory. They count on the " "mbarrier.",
        section, SM_90, _run_load, EFFECTS, _expand_run_load,
        llvm={"nvptx": Asm(lambda a: hinted("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ",
        "[<dst>], [<src>], <bytes>, " "[<bar>]", a["hint"]))}))  # fmt: skip
    register(Row("nvvm.cp_async_bulk_store",
        (Param("dst", "tensor", f"in global memory; " f"{to}", spaces=(GLOBAL,)),
        Param("src", "tensor", f"in shared memory; {source}", spaces=(SHARED,)), size, _HINT), None,
        "Begins a copy of `bytes` consecutive bytes from shared to global memory, of the thread's open " "group.",
        section, SM_90, _run_store, EFFECTS, lambda b, dst, src, count, hint: _expand_run(b, dst, src, count),
        llvm={"nvptx": Asm(lambda a: hinted("cp.async.bulk.global.shared::cta.bulk_group ", "[<dst>], [<src>], <bytes>",
        a["hint"]))}))  # fmt: skip
    register(Row("nvvm.cp_async_bulk_prefetch",
        (Param("src", "tensor", f"in global memory; {source}", spaces=(GLOBAL,), source=True), size), None,
        "Brings `bytes` consecutive bytes into L2.", "PTX ISA 9.0, 9.7.9.25.5.4, cp.async.bulk.prefetch", SM_90,
        nothing, EFFECTS, nothing, llvm={"nvptx": Asm("cp.async.bulk.prefetch.L2.global [<src>], <bytes>;")}))
    register(Row(
        "nvvm.prefetch_tensormap", (_READ,), None, "Brings a tensor map to where copies will look for "
                                                  "it.", "PTX ISA 9.0, 9.7.9.15, prefetch", SM_90, nothing,
        EFFECTS, nothing, llvm={"nvptx": Asm("prefetch.tensormap [<map>];")},
    ))  # fmt: skip


def _group_rows() -> None:
    def commit(wave: Machine) -> None:
        wave.groups(BULK).commit(wave.active)

    def wait(wave: Machine, pending: int) -> None:
        wave.groups(BULK).wait(wave.active, pending)

    pending = Param("pending", "const", "how many of the newest groups need not be complete", range=(0, 64))
    register(Row("nvvm.cp_async_bulk_commit_group", (), None, "The bulk stores that the thread has begun since the "
        "last group make up one more group.", "PTX ISA 9.0, 9.7.9.25.6.1, cp.async.bulk.commit_group", SM_90, commit,
        EFFECTS, nothing, llvm={"nvptx": Asm("cp.async.bulk.commit_group;")}))  # fmt: skip
    for suffix, doc in (("", "are complete"),
            ("_read", "have read their shared memory, which may then be written again")):
        register(Row(f"nvvm.cp_async_bulk_wait_group{suffix}", (pending,), None, f"Waits until all of the thread's "
            f"groups of bulk stores but the newest " f"`pending` {doc}.", "PTX ISA 9.0, 9.7.9.25.6.2, "
            "cp.async.bulk.wait_group", SM_90, wait, EFFECTS, nothing,
            llvm={"nvptx": Asm(f"cp.async.bulk.wait_group{suffix.replace('_', '.')} " f"<pending>;")}))  # fmt: skip


_pair_rows()
for _rank in range(1, 6):
    _tensor_rows(_rank)
_run_rows()
_group_rows()
