"""tcgen05 but for its products: allocation, loads, stores and copies of tensor memory, commits, waits and fences. Data
moves when an instruction is issued, in the order of the text; when it may be used is what `tensor_memory` watches.
Layouts are those of `isa.nvptx.tcgen05`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.clocks as clocks
import avelang.sim.ptx.tensor_memory as memory
from avelang.isa.nvptx import tcgen05 as t5
from avelang.nvptx import nodes as n
from avelang.sim.ptx.barriers import HostMisuse, phase
from avelang.sim.ptx.code import Mem, PtxReg, held_by
from avelang.sim.ptx.copies import Copy, check_read
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.state import LANES, RANK
from avelang.sim.ptx.tensor_memory import TensorOp

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView
    from avelang.sim.ptx.run import CtaState

Waiting = Iterator[Any]


def group_of(v: HostView) -> int:
    """1 or 2, of .cta_group; all of a kernel must say the same."""
    word = next(x for x in v.i.parts if x.startswith("cta_group::"))
    group = int(word[-1])
    found = v.run.program.tensor_group
    if found not in (0, group):
        raise HostMisuse(
            f"it has .{word}, and other instructions of the kernel .cta_group::{found}: all must have the same"
        )
    v.run.program.tensor_group = group
    return group


def pair_of(v: HostView, group: int) -> list[CtaState]:
    """The blocks of the pair, the one with the even rank first."""
    if group == 1:
        return [v.block]
    blocks = v.block.sync.cluster.blocks
    low = v.block.rank & ~1
    if low + 1 >= len(blocks):
        raise HostMisuse(f"cta_group::2 needs pairs of blocks, and the cluster has {len(blocks)}")
    return blocks[low : low + 2]


def _address(v: HostView, o: object) -> tuple[int, int]:
    """(lane, column) of an address of tensor memory, which is the same in all lanes that execute this."""
    at = v.address(o)
    value = int(at[v.lanes[0]])
    if (at[v.lanes] != value).any():
        raise HostMisuse("the address must be the same in all lanes")
    return value >> 16 & 0xFFFF, value & 0xFFFF


# -- allocation --------------------------------------------------------------------------------------------------------


def _columns(v: HostView, o: object) -> int:
    columns = v.one(o)
    if columns not in (32, 64, 128, 256, 512):
        raise HostMisuse(f"{columns} columns: 32, 64, 128, 256 or 512 are possible")
    return columns


class PairJoin:
    """The warps of the two blocks of a pair at an instruction that they do together."""

    def __init__(self) -> None:
        self.views: list[HostView] = []
        self.done = False


def _together(v: HostView, group: int, act: Callable[[list[HostView]], Waiting | None]) -> Waiting | None:
    """Does something for a warp, or, with cta_group::2, for one of each block of the pair when both have come."""
    if group == 1:
        return act([v])
    first = memory.of_block(pair_of(v, group)[0])
    join = first.joins.setdefault(v.i.entry.name, PairJoin())
    if join.views and join.views[0].block is v.block:
        raise HostMisuse("two warps of one block execute it with cta_group::2, and none of the other block of the pair")
    join.views.append(v)
    if len(join.views) < 2:
        return _until(lambda: join.done)
    del first.joins[v.i.entry.name]
    return _last(act(join.views), join)


def _until(ready: Callable[[], bool]) -> Waiting:
    yield ready


def _last(waits: Waiting | None, join: PairJoin) -> Waiting | None:
    if waits is None:
        join.done = True
        return None

    def go() -> Waiting:
        yield from waits
        join.done = True

    return go()


def _alloc(host: HostExecutor, v: HostView) -> Waiting | None:
    """tcgen05.alloc: waits until there is room."""
    group, columns = group_of(v), _columns(v, v.i.operands[1])
    pair_of(v, group)
    if not memory.of(v).permit:
        raise HostMisuse("the block has given up the permit to allocate (tcgen05.relinquish_alloc_permit)")
    return _together(v, group, lambda views: _room(views, columns, group))


def _room(views: list[HostView], columns: int, group: int) -> Waiting | None:
    memories = [memory.of(v) for v in views]

    def fits() -> bool:
        return memories[0].room(columns) is not None

    def give() -> None:
        at = memories[0].room(columns)
        assert at is not None
        for v, m in zip(views, memories, strict=True):
            m.allocate(at, columns, group, v)
            _tell(v, int(v.address(v.i.operands[0])[v.lanes[0]]), at)

    def wait() -> Waiting:
        yield fits
        give()

    if not fits():
        return wait()
    return give()


def _tell(v: HostView, address: int, column: int) -> None:
    """Writes the address of the columns to shared memory."""
    block, offset = v.shared(v.lanes[0], address)
    at = np.arange(offset, offset + 4)
    if offset % 4 or offset + 4 > block.size:
        raise HostMisuse(
            f"it writes an address to {offset:#x} of shared memory, no multiple of 4 within {block.size} bytes"
        )
    block.shared[at] = np.frombuffer(np.uint32(column).tobytes(), np.uint8)
    if block.far:
        block.undef[at] = 0
    if v.run.watch is not None:
        w = v.run.watch.warps[v.warp]
        v.run.watch.memory.flight(w, v.i.index, w.agent, w.count, (block, at), True, False)


def _dealloc(host: HostExecutor, v: HostView) -> Waiting | None:
    """tcgen05.dealloc."""
    group, columns = group_of(v), _columns(v, v.i.operands[1])
    lane, column = divmod(v.one(v.i.operands[0]), 1 << 16)
    if lane:
        raise HostMisuse(f"it frees columns at lane {lane}; give the address that tcgen05.alloc has given")

    def free(views: list[HostView]) -> None:
        for w in views:
            memory.of(w).free(column, columns, group)

    return _together(v, group, free)


def _relinquish(host: HostExecutor, v: HostView) -> None:
    group_of(v)
    memory.of(v).permit = False


# -- waits and fences --------------------------------------------------------------------------------------------------


def _fence(host: HostExecutor, v: HostView) -> None:
    clock = memory.of(v).clock
    (clock.before if "fence::before_thread_sync" in v.i.parts else clock.after)[v.warp] = clock.tick()


def _wait(host: HostExecutor, v: HostView) -> None:
    """tcgen05.wait::ld, wait::st: the loads or stores of the warp are done."""
    kind, clock = "ld" if "wait::ld" in v.i.parts else "st", memory.of(v).clock
    now = clock.tick()
    for op in v.warp.groups.pop(f"tcgen05.{kind}", ()):
        op.over = now
        if op.registers >= 0:
            v.warp.words[op.registers] = 0


# -- loads and stores --------------------------------------------------------------------------------------------------


def _cells(v: HostView, mem: Mem, vector: n.VectorOperand) -> tuple[np.ndarray, np.ndarray, bool]:
    """(lane, column) of each thread's registers, int64 (threads, registers); with two columns to a register, (threads,
    registers, 2)."""
    shape = next(x for x in v.i.parts if x in t5.MOVES)
    count = int(next(x for x in v.i.parts if x[0] == "x" and x[1:].isdigit())[1:])
    packed = "pack::16b" in v.i.parts or "unpack::16b" in v.i.parts
    split = next((int(o.value) for o in v.i.operands if isinstance(o, n.Int)), 0)
    lane, column = _address(v, mem)
    quarter = t5.QUARTER * (v.warp.index % 4)
    rows = t5.MOVES[shape][0]
    if lane not in ((quarter,) if rows == t5.QUARTER else (quarter, quarter + 16)):
        raise HostMisuse(
            f"it begins at lane {lane} of tensor memory; warp {v.warp.index} reaches lanes {quarter} to "
            f"{quarter + t5.QUARTER - 1}, and .{shape} begins at lane {quarter}"
            + (f" or {quarter + 16}" if rows == 16 else "")
        )
    if len(vector.items) != t5.MOVES[shape][2] * count:
        raise NotExecuted(f"{t5.MOVES[shape][2] * count} registers are needed")
    _, lanes, columns = t5.move_fragment(shape, count).index
    if packed:
        columns = 2 * columns[..., None] + np.arange(2)
        lanes = np.broadcast_to(lanes[..., None], columns.shape)
    if split:
        extra = split * (np.arange(LANES) // 16)
        columns = columns + extra.reshape(LANES, *[1] * (columns.ndim - 1))
    return lane + lanes, column + columns, packed


def _load(host: HostExecutor, v: HostView) -> None:
    vector, mem = v.i.operands[:2]
    assert isinstance(vector, n.VectorOperand) and isinstance(mem, Mem)
    lanes, columns, packed = _cells(v, mem, vector)
    m, op = memory.of(v), TensorOp("ld", v.warp, v.lanes[0], v.i.index)
    m.access(op, lanes.reshape(-1), columns.reshape(-1), False, "what it reads")
    data = m.cells[lanes, columns]
    if packed:
        data = data[..., 0] & 0xFFFF | data[..., 1] << np.uint32(16)
    for k, r in enumerate(vector.items):
        if isinstance(r, PtxReg):
            v.define(r)
            v.raw(r)[:] = data[:, k]
    count = v.run.program.code.running.get(held_by(vector))
    if count is not None:
        op.registers = count.place // 4
        v.warp.words[op.registers] = 1
    v.warp.groups.setdefault("tcgen05.ld", []).append(op)


def _store(host: HostExecutor, v: HostView) -> None:
    mem, vector = v.i.operands[0], v.i.operands[-1]
    assert isinstance(vector, n.VectorOperand) and isinstance(mem, Mem)
    lanes, columns, packed = _cells(v, mem, vector)
    m, op = memory.of(v), TensorOp("st", v.warp, v.lanes[0], v.i.index)
    m.access(op, lanes.reshape(-1), columns.reshape(-1), True, "what it writes")
    data = np.stack([v.get(r) for r in vector.items], axis=1)
    if packed:
        data = np.stack([data & 0xFFFF, data >> np.uint32(16)], axis=-1)
    m.cells[lanes, columns] = data
    v.warp.groups.setdefault("tcgen05.st", []).append(op)


# -- the tensor core ---------------------------------------------------------------------------------------------------


class Issue:
    """One product or copy of one thread: the operation, and what it reads of the shared memory of which block."""

    def __init__(self, host: HostExecutor, v: HostView, lane: int, what: str, group: int):
        self.host, self.v, self.lane = host, v, lane
        self.op = TensorOp(what, v.warp, lane, v.i.index, group)
        self.used: dict[CtaState, list[np.ndarray]] = {}

    def shared(self, block: CtaState, at: np.ndarray) -> np.ndarray:
        """Bytes of shared memory that it reads."""
        check_read(block, at, self.lane)
        self.used.setdefault(block, []).append(at)
        return block.shared[at]

    def done(self) -> None:
        """Keeps what it reads as it is until it is over."""
        v, none = self.v, np.zeros((1, 0), np.int64)
        for block, parts in self.used.items():
            at = np.unique(np.concatenate(parts))
            reads = Copy(self.host.copies, np.array([self.lane]), None, none, none.astype(np.uint8), block, at,
                origin=v.i.index)  # fmt: skip
            self.op.reads.append(reads)
            if v.run.watch is not None:
                v.run.watch.flight(v.warp, v.i.index, clocks.PRODUCTS, None, (block, at))
        v.warp.groups.setdefault("tcgen05", []).append(self.op)


@functools.lru_cache(512)
def bytes_at(word: int, rows: int, units: int, mn_major: bool, size: int) -> np.ndarray:
    """int64: the bytes of shared memory of an operand, (rows, units) of `size` bytes, by its descriptor."""
    i, j = np.meshgrid(np.arange(rows), np.arange(units), indexing="ij")
    at = t5.operand_addresses(word, i.reshape(-1), j.reshape(-1), mn_major, size)
    return (at[:, None] + np.arange(size)).reshape(-1)


def unpadded(raw: np.ndarray, bits: int) -> np.ndarray:
    """The 16 numbers of 4 or 6 bits in the first bytes of each 16 (PTX ISA 9.0, 9.7.16.10.4)."""
    flat = np.unpackbits(raw, axis=-1, bitorder="little")[..., : 16 * bits].reshape(*raw.shape[:-1], 16, bits)
    return (flat << np.arange(bits, dtype=np.uint8)).sum(axis=-1).astype(np.uint8)


def tensor_address(v: HostView, o: object, lane: int) -> tuple[int, int]:
    """(lane, column) of an address of tensor memory, as one lane has it."""
    value = int(v.address(o)[lane])
    return value >> 16 & 0xFFFF, value & 0xFFFF


def _commit(host: HostExecutor, v: HostView) -> None:
    """tcgen05.commit: an arrival on mbarriers when all that the thread has begun is over."""
    group, many = group_of(v), "multicast::cluster" in v.i.parts
    clock = memory.of(v).clock
    address = v.address(v.i.operands[0])
    masks = v.get(v.i.operands[1]) if many else None
    for lane in v.lanes:
        value = int(address[lane])
        block, offset = v.shared(lane, value, True)
        ranks = [block.rank] if masks is None else [r for r in range(16) if int(masks[lane]) >> r & 1]
        ops = [op for op in v.warp.groups.get("tcgen05", ()) if op.lane == lane and op.group == group]
        begun = None if v.run.watch is None else v.run.watch.state(v.warp, clocks.PRODUCTS)
        for rank in ranks:
            bar = phase(v, lane, rank << RANK | offset)

            def arrive(bar: Any = bar, ops: list[TensorOp] = ops, lane: int = lane, begun: Any = begun) -> None:
                _over(v, ops, clock)
                if v.run.watch is not None:
                    v.run.watch.copied(v.warp, bar, begun[0], begun[1], clocks.PRODUCTS)
                bar.arrive(1, lane)

            bar.coming.append(arrive)


def _over(v: HostView, ops: list[TensorOp], clock: memory.Clock) -> None:
    """Operations are over: what they have read may change."""
    now = 0
    for op in ops:
        if not op.over:
            op.over = now = now or clock.tick()
            for copy in op.reads:
                copy.land()
            op.reads = []
    if now:
        left = [op for op in v.warp.groups.get("tcgen05", ()) if not op.over]
        v.warp.groups["tcgen05"] = left


# Where the 32 rows (or both times 32 rows) of a copy go: the first lanes, for each time that they are copied.
COPIES = {"warpx4": ((0,), (32,), (64,), (96,)), "warpx2::02_13": ((0, 32), (64, 96)), "warpx2::01_23": ((0, 64), (32,
    96))}  # fmt: skip


def _copy(host: HostExecutor, v: HostView) -> None:
    """tcgen05.cp: from shared to tensor memory."""
    group, parts = group_of(v), v.i.parts
    shape = next(x for x in parts if x in ("128x256b", "4x256b", "128x128b", "64x128b", "32x128b"))
    rows, width = (int(x) for x in shape[:-1].split("x"))
    narrow = 6 if "b6x16_p32" in parts else 4 if "b4x16_p64" in parts else 0
    starts = next((COPIES[x] for x in parts if x in COPIES), ((0,),))
    for lane in v.lanes:
        at, word = tensor_address(v, v.i.operands[0], lane), int(v.get(v.i.operands[1], 64)[lane])
        fault = t5.descriptor_fault(word)
        if fault:
            raise HostMisuse(fault, lane)
        issue = Issue(host, v, lane, "cp", group)
        for block in pair_of(v, group):
            raw = issue.shared(block, bytes_at(word, rows, width // 8, False, 1)).reshape(rows, -1, 16)
            if narrow:
                raw = unpadded(raw, narrow) << np.uint8(2 if narrow == 4 else 0)
            data = np.ascontiguousarray(raw.reshape(rows, -1)).view(np.uint32)
            m = memory.of_block(block)
            for start in starts:
                here = np.concatenate([s + np.arange(rows // len(start)) for s in start])
                lanes, columns = np.broadcast_arrays(at[0] + here[:, None], at[1] + np.arange(data.shape[1]))
                m.access(issue.op, lanes.reshape(-1), columns.reshape(-1), True, "what it writes")
                m.cells[lanes, columns] = data
        issue.done()


def _shift(host: HostExecutor, v: HostView) -> None:
    """tcgen05.shift.down: 32 bytes of each of 32 lanes but the last move one lane on."""
    group = group_of(v)
    for lane in v.lanes:
        at = tensor_address(v, v.i.operands[0], lane)
        if at[0] % t5.QUARTER:
            raise HostMisuse(f"it begins at lane {at[0]}, no multiple of {t5.QUARTER}", lane)
        issue = Issue(host, v, lane, "shift", group)
        for block in pair_of(v, group):
            m = memory.of_block(block)
            lanes, columns = np.broadcast_arrays(at[0] + np.arange(t5.QUARTER)[:, None], at[1] + np.arange(8))
            m.access(issue.op, lanes.reshape(-1), columns.reshape(-1), True, "what it moves")
            m.cells[lanes[1:], columns[1:]] = m.cells[lanes[:-1], columns[:-1]].copy()
        issue.done()


TABLE: dict[str, Callable[[HostExecutor, HostView], Waiting | None]] = {
    "tcgen05.alloc": _alloc,
    "tcgen05.dealloc": _dealloc,
    "tcgen05.relinquish_alloc_permit": _relinquish,
    "tcgen05.fence": _fence,
    "tcgen05.wait": _wait,
    "tcgen05.ld": _load,
    "tcgen05.st": _store,
    "tcgen05.commit": _commit,
    "tcgen05.cp": _copy,
    "tcgen05.shift": _shift,
}
