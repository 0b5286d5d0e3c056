"""Copies that run beside the warps: cp.async, bulk copies, and boxes of tensor maps. What they read comes in when they
begin; the memory changes when somebody has waited for them. The shadow of shared memory knows where data is still to
arrive, and what is still being read."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.clocks as clocks
import avelang.sim.ptx.maps as maps
import avelang.sim.ptx.multicast as multicast
from avelang.ir.dtypes import BY_NAME
from avelang.isa.nvptx.swizzle import swizzled
from avelang.isa.nvptx.tma import ALIGN, PIECE
from avelang.isa.tensor_map import NAN, TensorMapValue, box_fault, faults
from avelang.nvptx import nodes as n
from avelang.sim.async_copies import CommitGroups
from avelang.sim.ptx.barriers import HostMisuse, Outside, phase
from avelang.sim.ptx.code import Mem, items_of
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.state import ARRIVING, LANES, LOCAL_BASE, RANK, READ_LATER, SHARED_BASE, UNFENCED

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView
    from avelang.sim.ptx.run import CtaState, PtxLaunch, PtxRun, Warp

ASYNC, BULK = "cp.async", "bulk"


Regions = list[tuple[int, int, str, bool]]  # (start, end, name, whether it may be written)


def _region(names: Regions, low: int, high: int, write: bool, lane: int) -> tuple[np.ndarray, int]:
    """(the memory that holds [low, high), its first address). Raises Outside where the kernel may not touch it."""
    for start, end, _, writable in names:
        if start <= low and high <= end:
            if write and not writable:
                raise Outside(low, high - low, lane, readonly=True)
            return np.ctypeslib.as_array((ctypes.c_uint8 * (end - start)).from_address(start)), start
    raise Outside(low, high - low, lane)


def in_shared(block: CtaState, offset: int) -> int:
    """The generic address of a byte of a block's shared memory."""
    return SHARED_BASE | block.rank << RANK | offset


def host_bytes(launch: PtxLaunch, address: int, nbytes: int, write: bool, lane: int) -> np.ndarray:
    """A view of this machine's memory at an address. Raises Outside."""
    memory, start = _region(launch.names, address, address + nbytes, write, lane)
    return memory[address - start : address - start + nbytes]


class Copy:
    """Copies that one instruction has begun, one row for each lane: where each byte of `data` uint8 (rows, bytes) will
    arrive, `at` int64 (rows, bytes), in the shared memory of `block`, or (None) in global memory. `guard`: bytes of
    `source`'s shared memory that must stay as they are. It has what `sim.async_copies.CommitGroups` asks for. `done` is
    called when all is there. `names`: the global memory that it may reach, where that is not the launch's."""

    def __init__(self, copies: Copies, lanes: np.ndarray, block: CtaState | None, at: np.ndarray, data: np.ndarray,
            source: CtaState | None = None, guard: np.ndarray | None = None, add: Any = None, generic: bool = False,
            origin: int = -1, done: Callable[[], None] | None = None, names: Regions | None = None):  # fmt: skip
        self.copies, self.lanes, self.block, self.at, self.data = copies, lanes, block, at, data
        self.source, self.guard, self.add, self.generic, self.origin, self.done = (source, guard, add, generic, origin,
            done)
        self.names = copies.run.launch.names if names is None else names
        self.number = 0  # in a launch that is watched: which of its agent's this is
        self.live = np.ones(len(lanes), bool)
        self.open = np.ones(len(lanes), bool)
        self.reading = guard is not None
        if block is not None:
            self._expect(block)
        elif at.size:  # it must not get as far as the end of its warp, where nobody knows of this instruction
            _region(self.names, int(at.min()), int(at.max()) + 1, True, int(lanes[0]))
        if source is not None and guard is not None:
            source.shadow[guard] |= READ_LATER
            source.flights.append(self)

    def _expect(self, block: CtaState) -> None:
        beyond = ((self.at < 0) | (self.at >= block.size)).any(axis=1)
        if beyond.any():
            row = int(beyond.argmax())
            raise Outside(in_shared(block, int(self.at[row].min())), self.at.shape[1], int(self.lanes[row]))
        busy = block.shadow[self.at] & (ARRIVING | READ_LATER)
        if busy.any():
            row = int(busy.any(axis=1).argmax())
            at = int(self.at[row][busy[row].argmax()])
            self.copies.run.host.complain(self._clash(block, at, int(self.lanes[row])))
        block.shadow[self.at] |= ARRIVING
        block.flights.append(self)

    def _clash(self, block: CtaState, at: int, lane: int) -> HostMisuse:
        """The misuse: this copy goes to a byte to which another brings data, or which somebody still reads."""
        quoted = self.copies.run.program.quoted
        to = f"its data goes to {at:#x} of shared memory"
        other = next((c for c in block.flights if c.source is block and c.reading and (c.guard == at).any()), None)
        if other is not None:
            product = "wgmma" in quoted(other.origin)
            hint = "wgmma.wait_group" if product else "cp.async.bulk.wait_group.read"
            return HostMisuse(f"{to}, which {quoted(other.origin)} still reads", lane, f"wait first ({hint}), and "
                "let those who copy know by a barrier")
        other = next((c for c in block.flights if c.block is block and (c.at == at).any()), None)
        who = quoted(other.origin) if other is not None else "another copy"
        return HostMisuse(f"{to}, to which {who} still brings data", lane, "wait for the other copy first")

    def land(self, rows: np.ndarray | None = None) -> None:
        """The data of these rows (of all) is there."""
        now = self.live if rows is None else self.live & rows
        if not now.any():
            return
        self.live = self.live & ~now
        at, data = self.at[now], self.data[now]
        if self.block is not None:
            if self.add is not None:
                data = _added(self.block.shared[at], data, self.add)
            self.block.shared[at] = data
            if self.block.far:
                self.block.undef[at] = 0
            self.block.shadow[at] = UNFENCED if self.generic else 0
            if not self.live.any():
                self.block.flights.remove(self)
        elif at.size:
            low, high = int(at.min()), int(at.max()) + 1
            memory, start = _region(self.names, low, high, True, int(self.lanes[0]))
            for a, d in zip(at, data, strict=True):
                memory[a - start] = d if self.add is None else _added(memory[a - start], d, self.add)
        if not self.live.any():
            self.read()
            if self.done is not None:
                self.done()

    def read(self) -> None:
        """The memory that it reads may change from here on."""
        if not self.reading or self.source is None:
            return
        self.reading = False
        self.source.flights.remove(self)
        self.source.shadow[self.guard] &= np.uint8(~READ_LATER & 0xFF)
        for other in self.source.flights:
            if other.reading and other.source is self.source:
                self.source.shadow[other.guard] |= READ_LATER


def _added(there: np.ndarray, data: np.ndarray, how: tuple[str, Any]) -> np.ndarray:
    """The result of a reduction, element by element."""
    op, dtype = how
    a, b = np.ascontiguousarray(there).view(dtype), np.ascontiguousarray(data).view(dtype)
    with np.errstate(all="ignore"):
        return REDUCTIONS[op](a, b).astype(dtype).view(np.uint8)


# A NaN gives way to a number, as in `min` and `max` of registers. fmin and fmax of integers are minimum and maximum.
REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"add": np.add, "min": np.fmin, "max": np.fmax,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "inc": lambda x, y: np.where(x >= y, 0, x + 1),
    "dec": lambda x, y: np.where((x == 0) | (x > y), y, x - 1)}  # fmt: skip
DTYPES: dict[str, Any] = {"u32": "<u4", "s32": "<i4", "u64": "<u8", "s64": "<i8", "b32": "<u4", "b64": "<u8",
    "f16": "<f2", "f32": "<f4", "f64": "<f8", "bf16": BY_NAME["bf16"].np}  # fmt: skip
OPERATIONS = tuple(REDUCTIONS)


class Copies:
    """The copies of a run."""

    def __init__(self, run: PtxRun):
        self.run = run

    def groups(self, warp: Warp, kind: str) -> Any:
        """`sim.async_copies.CommitGroups` of copies of one kind."""
        return warp.groups.setdefault(kind, CommitGroups(LANES))

    def finish(self, warp: Warp) -> None:
        """Stores to global memory that nobody waited for arrive; they must not read shared memory that is gone."""
        for kind in (BULK, ASYNC):
            for copy in warp.groups[kind].left() if kind in warp.groups else ():
                copy.land()

    # -- groups --------------------------------------------------------------------------------------------------------

    def commit(self, v: HostView, kind: str) -> None:
        """The copies of a kind since the last group are one more."""
        self.groups(v.warp, kind).commit(v.active)

    def wait_async(self, v: HostView) -> None:
        """cp.async.wait_group N, or wait_all: the open group too."""
        groups, every = self.groups(v.warp, ASYNC), not v.i.operands
        if every:
            groups.commit(v.active)
        groups.wait(v.active, 0 if every else v.one(v.i.operands[0]))
        self.told(v.warp, groups, clocks.COPIES)

    def wait_bulk(self, v: HostView) -> None:
        """cp.async.bulk.wait_group N; with .read, until what the copies read may change."""
        read = "read" in v.i.parts
        groups, pending = self.groups(v.warp, BULK), v.one(v.i.operands[0])
        if not read:
            groups.wait(v.active, pending)
            self.told(v.warp, groups, clocks.WRITES)
            return self.told(v.warp, groups, clocks.READS)
        newer = np.zeros(LANES, np.int64)
        for mask, members in reversed(groups.committed):
            due = v.active & mask & (newer >= pending)
            for copy, rows in members:
                if (rows & due[copy.lanes]).all():
                    copy.read()
            newer += mask
        return self.told(v.warp, groups, clocks.READS)

    def told(self, warp: Warp, groups: Any, kind: int) -> None:
        """A warp has waited: in a launch that is watched, it knows what is done now."""
        if self.run.watch is None:
            return
        left = [c for c in groups.left() if kind != clocks.READS or c.reading]
        self.run.watch.landed(warp, kind, min((c.number for c in left), default=None))

    # -- cp.async ------------------------------------------------------------------------------------------------------

    def plain(self, v: HostView) -> None:
        """cp.async: 4, 8 or 16 bytes of each lane."""
        level, policy = "cg" if "cg" in v.i.parts else "ca", "L2::cache_hint" in v.i.parts
        o = list(v.i.operands[: -1 if policy else None])
        size = v.one(o[2])
        if size not in (4, 8, 16) or (level == "cg" and size != 16):
            raise HostMisuse(f"{size} bytes: cp.async copies 4, 8 or 16, with .cg 16")
        count = np.full(LANES, size, np.uint32)
        if len(o) > 3:
            values = v.get(o[3]) if not isinstance(o[3], n.Not) else v.flags(o[3])
            skipped = getattr(o[3], "bits", 0) == 1 or isinstance(o[3], n.Not)
            count = np.where(values != 0, 0, size).astype(np.uint32) if skipped else values
        self.groups(v.warp, ASYNC).add(self._begin_plain(v, v.address(o[0]), v.far(v.address(o[1])), size, count))

    def _begin_plain(self, v: HostView, to: np.ndarray, source: np.ndarray, size: int, count: np.ndarray) -> Copy:
        lanes = np.array(v.lanes)
        data = np.zeros((len(lanes), size), np.uint8)
        at = np.zeros((len(lanes), size), np.int64)
        for row, lane in enumerate(v.lanes):
            some = int(count[lane])
            if some > size:
                raise HostMisuse(f"{some} bytes of {size}", lane)
            if to[lane] % size or source[lane] % size:
                raise HostMisuse(f"from {int(source[lane]):#x} to {int(to[lane]):#x}: both must be multiples of {size}",
                    lane)
            if some:
                data[row, :some] = host_bytes(self.run.launch, int(source[lane]), some, False, lane)
            at[row] = v.shared(lane, int(to[lane]))[1] + np.arange(size)
        copy = Copy(self, lanes, v.block, at, data, generic=True, origin=v.i.index)
        if self.run.watch is not None:
            used = count[lanes].astype(np.int64)
            source = (np.repeat(source[lanes].astype(np.int64), used)
                + np.arange(used.sum()) - np.repeat(np.cumsum(used) - used, used))
            copy.number = self.run.watch.flight(v.warp, v.i.index, clocks.COPIES, None, (None, source), (v.block, at))
        return copy

    def report(self, v: HostView) -> None:
        """cp.async.mbarrier.arrive: an arrival for each lane when all that it has begun is there."""
        counted = "noinc" not in v.i.parts
        address = v.address(v.i.operands[0])
        for lane in v.lanes:
            bar = phase(v, lane, int(address[lane]), False)
            copies = self.groups(v.warp, ASYNC).so_far(np.arange(LANES) == lane)
            begun = None if self.run.watch is None else self.run.watch.state(v.warp, clocks.COPIES)
            bar.pending += counted

            def arrive(bar=bar, copies=copies, lane=lane, begun=begun) -> None:
                for copy, rows in copies:
                    copy.land(rows)
                if self.run.watch is not None and begun is not None:
                    self.run.watch.copied(v.warp, bar, *begun)
                bar.arrive(1, lane)

            bar.coming.append(arrive)

    # -- bulk copies ---------------------------------------------------------------------------------------------------

    def _used(self, v: HostView, block: CtaState, at: np.ndarray, lane: int) -> np.ndarray:
        """Bytes of shared memory that the async proxy reads now."""
        check_read(block, at, lane)
        return block.shared[at]

    def _arrives(self, v: HostView, lane: int, bar: Any, block: CtaState, to: np.ndarray, data: np.ndarray,
            add: Any = None, source: Any = None) -> None:  # fmt: skip
        """A copy to shared memory, which reports its bytes to an mbarrier. `source`: the bytes that it reads, as
        `RaceWatch.flight` takes them."""
        copy = Copy(self, np.array([lane]), block, to[None], data[None], add=add, origin=v.i.index)
        if self.run.watch is not None:
            self.run.watch.flight(v.warp, v.i.index, clocks.COPIES, bar, source, (block, to), add is not None)

        def act() -> None:
            copy.land()
            bar.expect(-data.size, lane)

        bar.coming.append(act)

    def _how(self, m: Mods) -> tuple[str, str, bool, bool]:
        """(destination, source, whether it goes to many blocks, whether there is a cache policy)."""
        to, source = (x for x in m.left if x in ("global", "shared::cta", "shared::cluster"))
        for word in ("cp", "reduce", "async", "bulk", "tensor", to, source, "mbarrier::complete_tx::bytes",
                "bulk_group"):
            m.take(word)
        return to, source, m.has("multicast::cluster"), m.has("L2::cache_hint")

    def run_of_bytes(self, v: HostView) -> None:
        """cp.async.bulk, cp.reduce.async.bulk: straight runs of bytes."""
        m = Mods(v.i)
        to, source, many, policy = self._how(m)
        m.take("noftz")
        add, op = None, m.take(*OPERATIONS)
        if op:
            kind = m.type()
            if kind not in DTYPES:
                raise NotExecuted(f"a reduction by .{op} of .{kind} is not executed here")
            add = (op, DTYPES[kind])
        masked = m.has("cp_mask")
        m.done()
        masks = v.get(v.i.operands[-1]) if masked else np.full(LANES, (1 << PIECE) - 1)
        o = list(v.i.operands[: -policy - masked or None])
        at, where, sizes = v.address(o[0]), v.address(o[1]), v.get(o[2])
        for lane in v.lanes:
            a, s, size = int(at[lane]), int(where[lane]), int(sizes[lane])
            wrong = [x for x in (a, s, size) if x % PIECE]
            if wrong:
                raise HostMisuse(f"{wrong[0]:#x} is no multiple of 16: addresses and sizes of bulk copies must be",
                    lane)
            here = np.arange(size)
            read: Any = (None, s + here)
            if source == "global":
                data, own, guard = host_bytes(self.run.launch, s, size, False, lane).copy(), None, None
            else:
                own, offset = v.shared(lane, s)
                guard = offset + here
                data, read = self._used(v, own, guard, lane).copy(), (own, guard)
            if to == "global":
                kept = here[int(masks[lane]) >> here % PIECE & 1 != 0]  # of each 16 bytes, those of the mask
                for start, names in self._replicas(v, a, size, lane):
                    copy = Copy(self, np.array([lane]), None, (start + kept)[None], data[None, kept], own, guard, add,
                        origin=v.i.index, names=names)
                    self._stored(v, copy, read, start + kept, add)
                continue
            for block, offset, bar in self._targets(v, lane, a, o[3], v.get(o[4]) if many else None):
                self._arrives(v, lane, bar, block, offset + here, data, add, read)

    def _replicas(self, v: HostView, address: int, size: int, lane: int) -> list[tuple[int, Regions]]:
        """(address, memory that may be reached) of each place to which a copy goes: one; all of `multimem`."""
        if v.i.parts[0] != "multimem":
            return [(address, self.run.launch.names)]
        m, offset = multicast.found(self.run.launch, address, size, True, lane)
        return [(span[0] + offset, [span]) for span in m.spans()]

    def _stored(self, v: HostView, copy: Copy, source: Any, to: np.ndarray, add: Any) -> None:
        """A copy to global memory begins."""
        self.groups(v.warp, BULK).add(copy)
        if self.run.watch is not None:
            copy.number = self.run.watch.flight(v.warp, v.i.index, clocks.READS, None, source, (None, to),
                add is not None)

    def _targets(self, v: HostView, lane: int, to: int, bar: object, ranks: np.ndarray
            | None) -> list[tuple[CtaState, int, Any]]:
        """(block, byte, mbarrier) of each block that gets the data: with a mask, at the same places in each."""
        address = int(v.address(bar)[lane])
        if ranks is None:
            block, offset = v.shared(lane, to, True)
            return [(block, offset, phase(v, lane, address))]
        offset, place = to & (1 << RANK) - 1, address & (1 << RANK) - 1
        found = []
        for rank in (r for r in range(16) if int(ranks[lane]) >> r & 1):
            block, _ = v.shared(lane, rank << RANK | offset, True)
            found.append((block, offset, phase(v, lane, rank << RANK | place)))
        return found

    # -- boxes of tensor maps ------------------------------------------------------------------------------------------

    def _map(self, v: HostView, lane: int, address: int) -> TensorMapValue:
        if address >> 60 in (SHARED_BASE >> 60, LOCAL_BASE >> 60):
            raise HostMisuse("a tensor map must be in global, const or parameter memory", lane)
        if address % 64:
            raise HostMisuse(f"a tensor map at {address:#x}, no multiple of 64", lane)
        found = maps.unpack(host_bytes(self.run.launch, address, maps.BYTES, False, lane))
        if found is None:
            raise HostMisuse(f"there is no tensor map at {address:#x}: pass a TensorMap as the argument", lane)
        wrong = box_fault(found.type) or faults(found.type, found.address, found.shape, found.strides)
        if wrong:
            raise HostMisuse(f"the copy engine has no such tensor map: {wrong}", lane)
        return found

    def tensor(self, v: HostView) -> None:
        """cp.async.bulk.tensor, cp.reduce.async.bulk.tensor: boxes of an array."""
        m = Mods(v.i)
        rank = next((k for k in range(1, 6) if m.take(f"{k}d")), 0)
        to, _, many, policy = self._how(m)
        op = m.take(*OPERATIONS)
        rows = 4 if m.take("tile::gather4", "tile::scatter4") else 0
        m.take("tile")
        m.take("cta_group::1", "cta_group::2")  # with pairs, the mbarrier may be the other block's
        m.done()
        o = list(v.i.operands[: -1 if policy else None])
        mem = o[1] if to != "global" else o[0]
        if (not isinstance(mem, Mem) or len(mem.rest) != 1 or not isinstance(mem.rest[0], n.VectorOperand)
                or len(mem.rest[0].items) != (rank if not rows else 5)):
            raise NotExecuted(f"a tensor map with {rank if not rows else 5} coordinates is needed")
        if rows:
            return self._rows(v, mem, o, to == "global", many)
        coords = [v.get(x).view(np.int32) for x in mem.rest[0].items][::-1]
        descriptors = v.address(mem)
        tiles = v.address(o[0] if to != "global" else o[1])
        for lane in v.lanes:
            found = self._map(v, lane, int(descriptors[lane]))
            if found.type.rank != rank:
                raise HostMisuse(f"the tensor map has {found.type.rank} dimensions, the instruction {rank}", lane)
            at = self._start(found, tuple(int(c[lane]) for c in coords), lane, to == "global")
            tile = int(tiles[lane])
            if tile % ALIGN:
                raise HostMisuse(f"a box at address {tile:#x} of shared memory, no multiple of {ALIGN}", lane)
            if to == "global":
                self._store_box(v, lane, found, at, tile, op)
                continue
            data = self._fetched(found, at, lane)
            address, inside = found.box(at)
            source = (None, address[inside][:, None] + np.arange(found.type.dtype.bytes))
            for block, offset, bar in self._targets(v, lane, tile, o[2], v.get(o[3]) if many else None):
                self._arrives(v, lane, bar, block, swizzled(offset + np.arange(data.size), found.type.swizzle), data,
                    None, source)

    def _rows(self, v: HostView, mem: Mem, o: list[Any], store: bool, many: bool) -> None:
        """tile::gather4 and scatter4: four rows of an array of two dimensions, each with its own number; the map's box
        is one row."""
        assert isinstance(mem.rest[0], n.VectorOperand)
        x, *ys = (v.get(c).view(np.int32) for c in mem.rest[0].items)
        descriptors, tiles = v.address(mem), v.address(o[1] if store else o[0])
        for lane in v.lanes:
            found, tile = self._map(v, lane, int(descriptors[lane])), int(tiles[lane])
            if found.type.rank != 2 or found.type.box[0] != 1:
                why = f"four rows need a map of two dimensions whose box is one row; it is {found.type.box}"
                raise HostMisuse(why, lane)
            if tile % ALIGN:
                raise HostMisuse(f"rows at address {tile:#x} of shared memory, no multiple of {ALIGN}", lane)
            size, width = found.type.dtype.bytes, found.type.box_bytes
            starts = [self._start(found, (int(y[lane]), int(x[lane])), lane, store) for y in ys]
            boxes = [found.box(at) for at in starts]
            address, inside = (np.concatenate([b[k] for b in boxes]) for k in (0, 1))
            places = np.arange(4 * width)
            if store:
                block, offset = v.shared(lane, tile)
                source = swizzled(offset + places, found.type.swizzle)
                data = self._used(v, block, source, lane).reshape(-1, size)
                to = (address[inside, None] + np.arange(size)).reshape(1, -1)
                row = np.array([lane])
                copy = Copy(self, row, None, to, data[inside].reshape(1, -1), block, source, origin=v.i.index)
                self._stored(v, copy, (block, source), to, None)
                continue
            data = np.concatenate([self._fetched(found, at, lane) for at in starts])
            read = (None, address[inside][:, None] + np.arange(size))
            for block, offset, bar in self._targets(v, lane, tile, o[2], v.get(o[3]) if many else None):
                self._arrives(v, lane, bar, block, swizzled(offset + places, found.type.swizzle), data, None, read)

    @staticmethod
    def _start(found: TensorMapValue, at: tuple[int, ...], lane: int, store: bool) -> tuple[int, ...]:
        """Where a box begins, as the copy engine allows it (see `isa.nvptx.tma`)."""
        if at[-1] * found.type.dtype.bytes % PIECE:
            raise HostMisuse(f"a box that begins at {at}: along the last dimension that must be a multiple of 16 bytes",
                lane)
        if store and min(at) < 0:
            raise HostMisuse(f"a store of a box that begins at {at}: only loads may begin before the array", lane)
        return at

    def _fetched(self, found: TensorMapValue, at: tuple[int, ...], lane: int) -> np.ndarray:
        """uint8 (bytes,) of a box; what is outside of the array as the map says."""
        address, inside = found.box(at)
        size = found.type.dtype.bytes
        out = np.zeros((len(address), size), np.uint8)
        if found.type.nan:
            out.reshape(-1).view(np.uint16)[:] = NAN
        if inside.any():
            low, high = int(address[inside].min()), int(address[inside].max()) + size
            memory, start = _region(self.run.launch.names, low, high, False, lane)
            out[inside] = memory[(address[inside] - start)[:, None] + np.arange(size)]
        return out.reshape(-1)

    def _store_box(self, v: HostView, lane: int, found: TensorMapValue, at: tuple[int, ...], tile: int,
            op: str) -> None:
        block, offset = v.shared(lane, tile)
        size = found.type.dtype.bytes
        source = swizzled(offset + np.arange(found.type.box_bytes), found.type.swizzle)
        data = self._used(v, block, source, lane).reshape(-1, size)
        address, inside = found.box(at)
        to = (address[inside, None] + np.arange(size)).reshape(1, -1)
        add = (op, found.type.dtype.np) if op else None
        copy = Copy(self, np.array([lane]), None, to, data[inside].reshape(1, -1), block, source, add, origin=v.i.index)
        self._stored(v, copy, (block, source), to, add)

    # -- st.async, red.async -------------------------------------------------------------------------------------------

    def store_async(self, v: HostView) -> None:
        """Stores of registers into another block's shared memory, which count on its mbarrier."""
        m = Mods(v.i)
        for hint in ("async", "weak", "relaxed", "cluster", "shared::cluster"):
            m.take(hint)
        if not m.has("mbarrier::complete_tx::bytes"):
            raise NotExecuted("it has .mbarrier::complete_tx::bytes")
        op = m.take(*OPERATIONS)
        count = {"v2": 2, "v4": 4}.get(m.take("v2", "v4"), 1)
        kind = m.type()
        m.done()
        bits = int(kind[1:])
        o = v.i.operands
        parts = items_of(o[1])
        if len(parts) != count:
            raise NotExecuted(f"{count} registers are needed")
        data = np.stack([v.get(x, bits) for x in parts], axis=1).view(np.uint8)
        at, bars = v.address(o[0]), v.address(o[2])
        for lane in v.lanes:
            block, offset = v.shared(lane, int(at[lane]), True)
            add = (op, DTYPES[kind]) if op else None
            self._arrives(v, lane, phase(v, lane, int(bars[lane])), block, offset + np.arange(data.shape[1]),
                data[lane], add)


def check_read(block: CtaState, at: np.ndarray, lane: int) -> None:
    """Raises Outside or Misuse where the async proxy reads shared memory that is not ready for it."""
    low, high = int(at.min(initial=0)), int(at.max(initial=-1)) + 1
    if low < 0 or high > block.size:
        raise Outside(in_shared(block, low), high - low, lane)
    shadow = block.shadow[at]
    if (shadow & ARRIVING).any():
        where = int(at[(shadow & ARRIVING != 0).argmax()])
        why = HostMisuse(f"it reads {where:#x} of shared memory, to which a copy still brings data", lane,
            "wait for the copy first")
        block.run.host.complain(why)
    if (shadow & UNFENCED).any():
        where = int(at[(shadow & UNFENCED != 0).argmax()])
        what = (f"it reads {where:#x} of shared memory, which ordinary stores have written, and no fence.proxy.async "
            f"stands between")
        block.run.host.complain(HostMisuse(what, lane, "those who write execute fence.proxy.async, then all meet at a "
            "barrier"))


def _nothing(host: HostExecutor, v: HostView) -> None:
    """A prefetch: memory is as near as it can be."""


TABLE: dict[str, Callable[[HostExecutor, HostView], None]] = {
    "cp.async": lambda host, v: host.copies.plain(v),
    "cp.async.commit_group": lambda host, v: host.copies.commit(v, ASYNC),
    **dict.fromkeys(("cp.async.wait_group", "cp.async.wait_all"), lambda host, v: host.copies.wait_async(v)),
    "cp.async.mbarrier.arrive": lambda host, v: host.copies.report(v),
    **dict.fromkeys(("cp.async.bulk", "cp.reduce.async.bulk", "multimem.cp.async.bulk",
        "multimem.cp.reduce.async.bulk"), lambda host, v: host.copies.run_of_bytes(v)),
    **dict.fromkeys(("cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor"), lambda host, v: host.copies.tensor(v)),
    **dict.fromkeys(("cp.async.bulk.prefetch", "cp.async.bulk.prefetch.tensor"), _nothing),
    "cp.async.bulk.commit_group": lambda host, v: host.copies.commit(v, BULK),
    "cp.async.bulk.wait_group": lambda host, v: host.copies.wait_bulk(v),
    **dict.fromkeys(("st.async", "red.async"), lambda host, v: host.copies.store_async(v)),
}
