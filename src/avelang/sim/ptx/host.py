"""Instructions that translated code leaves to the host: barriers, mbarriers, copies, wgmma, prints. Registers come in
as arrays and go out."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.copies as copies
import avelang.sim.ptx.host_mma as host_mma
import avelang.sim.ptx.launch_control as launch_control
import avelang.sim.ptx.map_changes as map_changes
import avelang.sim.ptx.multimem as multimem
import avelang.sim.ptx.parts as parts
import avelang.sim.ptx.prints as prints
import avelang.sim.ptx.reports as reports
import avelang.sim.ptx.tensor_memory as tensor_memory
import avelang.sim.ptx.tensor_mma as tensor_mma
import avelang.sim.ptx.tensor_moves as tensor_moves
import avelang.sim.ptx.warpgroup_mma as warpgroup_mma
from avelang.nvptx import nodes as n
from avelang.sim.address_space import AccessFault
from avelang.sim.ptx.barriers import HostMisuse, Outside, Phase, phase
from avelang.sim.ptx.code import At, Callee, Instr, Mem, PtxReg
from avelang.sim.ptx.findings import report
from avelang.sim.ptx.modifiers import Mods, NotExecuted, by_the_table
from avelang.sim.ptx.state import BLOCK, LANES, LOCAL_BASE, RANK, SHARED_BASE, UNFENCED, WARP

if TYPE_CHECKING:
    from avelang.sim.ptx.run import CtaState, PtxRun, Warp

Waiting = Iterator[Any]
ARRIVALS = (1 << 20) - 1  # PTX ISA 9.0, 9.7.13.15.2


class HostView:
    """One instruction of one warp: its lanes, the values of operands, results."""

    def __init__(self, run: PtxRun, warp: Warp, i: Instr):
        self.run, self.warp, self.block, self.i = run, warp, warp.block, i
        bits = warp.get("active")
        active = (bits >> np.arange(LANES)) & 1 != 0
        if i.guard:
            active &= self._flags(i.guard[0]) != i.guard[1]
        self.active = active
        self.lanes = np.flatnonzero(active).tolist()

    # -- operands ------------------------------------------------------------------------------------------------------

    def _flags(self, reg: PtxReg) -> np.ndarray:
        word = int(self.warp.words[reg.place // 4])
        return (word >> np.arange(LANES)) & 1 != 0

    def raw(self, reg: PtxReg) -> np.ndarray:
        """The register's memory, an unsigned integer a lane."""
        return self.warp.memory[reg.place : reg.place + 4 * reg.bits].view(f"u{reg.bits // 8}")

    def get(self, o: object, bits: int = 32) -> np.ndarray:
        """An operand, an unsigned integer a lane."""
        if isinstance(o, PtxReg):
            if o.bits == 1:
                return self._flags(o)
            return self.raw(o).astype(f"u{bits // 8}")
        if isinstance(o, n.Int):
            return np.full(LANES, o.value & (1 << bits) - 1, f"u{bits // 8}")
        if isinstance(o, At):
            return np.full(LANES, self.address_of(o), np.uint64).astype(f"u{bits // 8}")
        raise HostMisuse(f"an operand of this kind ({type(o).__name__}) is not taken here")

    def one(self, o: object, bits: int = 32) -> int:
        """An operand that is the same in all lanes that execute this."""
        values = self.get(o, bits)
        first = int(values[self.lanes[0]]) if self.lanes else 0
        odd = np.flatnonzero(self.active & (values != first))
        if len(odd):
            raise HostMisuse("this operand must be the same in all lanes", int(odd[0]))
        return first

    def flags(self, o: object) -> np.ndarray:
        """A predicate operand, bool a lane."""
        if isinstance(o, n.Not):
            return ~self.flags(o.operand)
        return self.get(o) != 0

    def set(self, o: object, values: np.ndarray) -> None:
        """Writes a register in the lanes that execute this."""
        if isinstance(o, n.Sink):
            return
        assert isinstance(o, PtxReg)
        self.define(o)
        if o.bits == 1:
            bits = int(np.packbits(np.asarray(values, bool) & self.active, bitorder="little").view(np.uint32)[0])
            mask = int(np.packbits(self.active, bitorder="little").view(np.uint32)[0])
            at = o.place // 4
            self.warp.words[at] = int(self.warp.words[at]) & ~mask & 0xFFFFFFFF | bits
            return
        self.raw(o)[self.active] = np.asarray(values)[self.active].astype(f"u{o.bits // 8}")

    def define(self, o: PtxReg) -> None:
        """The lanes that execute this have written a register."""
        places = self.run.made.said.undef_places
        for part in range(parts.count(o.bits) if places else 0):
            place = places.get((o, part))
            if place is not None:
                mask = int(np.packbits(self.active, bitorder="little").view(np.uint32)[0])
                self.warp.words[place // 4] &= np.uint32(~mask & 0xFFFFFFFF)

    # -- addresses -----------------------------------------------------------------------------------------------------

    def address_of(self, o: At) -> int:
        """The address of a variable, in its space."""
        v, offset = o.variable, o.variable.offset + o.offset
        if v.space == "shared":
            return self.block.rank << RANK | offset
        if v.space == "local":
            return offset
        memory = self.run.launch.params if v.space == "param" else self.run.module
        return memory.ctypes.data + offset - self.run.launch.base()

    def address(self, o: object) -> np.ndarray:
        """Addresses int64 (lanes,) of a memory operand."""
        if not isinstance(o, Mem):
            raise HostMisuse("an address in brackets is needed")
        base = o.base
        at = self.get(base, base.bits if isinstance(base, PtxReg) else 64).astype(np.int64) + o.offset
        return at & 0xFFFFFFFF if isinstance(base, PtxReg) and base.bits == 32 else at

    def far(self, addresses: np.ndarray) -> np.ndarray:
        """Addresses of global memory as this machine has them."""
        return addresses + self.run.launch.base()

    def shared(self, lane: int, address: int, peers: bool = False) -> tuple[CtaState, int]:
        """(block, byte) of an address of shared memory, generic or not."""
        address = self._unwindowed(address)
        if address >> 60 == LOCAL_BASE >> 60:
            raise HostMisuse(f"address {address:#x} is in local memory, not in shared", lane)
        if address >> 60 not in (0, SHARED_BASE >> 60) or address >> 60 == 0 and address >> 32:
            raise HostMisuse(f"address {address:#x} is not in shared memory", lane)
        address &= 0xFFFFFFFF
        rank, offset = address >> RANK, address & (1 << RANK) - 1
        blocks = self.block.sync.cluster.blocks
        if rank != self.block.rank and not (peers and rank < len(blocks)):
            raise HostMisuse(f"address {address:#x} is in the shared memory of block {rank} of the cluster", lane)
        return blocks[rank], offset

    def _unwindowed(self, address: int) -> int:
        """A generic address of 64 bits, of one that may have fewer."""
        windows = self.run.program.code.windows
        for narrow, wide in ((windows.shared, SHARED_BASE), (windows.local, LOCAL_BASE)):
            if windows.bits == 32 and address >> 28 == narrow >> 28:
                return address ^ narrow ^ wide
        return address

    def place(self, lane: int, address: int, nbytes: int, write: bool) -> np.ndarray:
        """The bytes at a generic address, as a view of this machine's memory. Raises Outside where the kernel may not
        touch them."""
        address = self._unwindowed(address)
        if address >> 60 == SHARED_BASE >> 60:
            block, offset = self.shared(lane, address, True)
            if offset + nbytes > block.size:
                raise Outside(address, nbytes, lane)
            return block.shared[offset : offset + nbytes]
        if address >> 60 == LOCAL_BASE >> 60:
            size = self.run.program.code.local_bytes
            start = (self.warp.index * LANES + lane) * size + (address & 0xFFFFFFFF)
            return self.block.local[start : start + nbytes]
        return copies.host_bytes(self.run.launch, address + self.run.launch.base(), nbytes, write, lane)


class HostExecutor:
    """Executes the instructions of a run."""

    def __init__(self, run: PtxRun):
        self.run = run
        self.copies = copies.Copies(run)
        self.now: Warp | None = None  # whose instruction is executed

    @contextlib.contextmanager
    def at(self, warp: Warp) -> Iterator[None]:
        """Errors here are reported of the instruction that the warp executes."""
        i = self.run.program.code.instructions[warp.get("op")]
        try:
            with by_the_table(i):
                yield
        except NotExecuted as why:
            raise reports.unknown(self.run.program, i, str(why)) from None
        except HostMisuse as why:
            self._wrong(warp, why)
        except AccessFault as why:
            self._wrong(warp, HostMisuse(str(why.other), why.lane))

    def complain(self, why: HostMisuse) -> None:
        """Raises what is wrong with the instruction that is executed; where reports are collected, it is kept and the
        instruction goes on."""
        if not self.run.collects or self.now is None:
            raise why
        self._wrong(self.now, why)

    def _wrong(self, warp: Warp, why: HostMisuse) -> None:
        report(self.run, reports.misuse(self.run.program, warp, why), ("host", warp.get("op"), why.why.split(" ")[0]))

    def execute(self, warp: Warp, i: Instr) -> Waiting | None:
        """Executes an instruction; gives what it waits for."""
        if i.index == self.run.program.skipped:
            return self.left_out(warp, i)
        if self.run.watch is not None:
            self.run.watch.executed.add(i.index)
        self.now = warp
        with self.at(warp):
            view = HostView(self.run, warp, i)
            if not view.lanes:
                return None
            return TABLE.get(i.entry.name, host_mma.mma)(self, view)

    def left_out(self, warp: Warp, i: Instr) -> None:
        """An instruction that a mutant does without: a test of an mbarrier says that the phase is over."""
        if self.run.watch is not None:
            self.run.watch.executed.add(i.index)
        if i.entry.group == "mbarrier":
            view = HostView(self.run, warp, i)
            view.set(i.operands[0], np.ones(LANES, bool))

    def finish(self, warp: Warp) -> None:
        """A warp has ended."""
        self.copies.finish(warp)

    def ended(self, block: CtaState) -> None:
        """A block has ended."""
        tensor_memory.ended(self.run, block)


# -- barriers ----------------------------------------------------------------------------------------------------------


def _barrier(host: HostExecutor, v: HostView) -> Waiting | None:
    """bar and barrier: sync, arrive, red; whole warps arrive."""
    m = Mods(v.i)
    m.take("cta")
    m.take("aligned")
    how, op = m.take("sync", "arrive", "red"), m.take("popc", "and", "or")
    m.types()
    m.done()
    operands = list(v.i.operands)
    result = operands.pop(0) if how == "red" else None
    vote = v.flags(operands.pop()) if how == "red" else None
    number = v.one(operands.pop(0))
    threads = v.one(operands.pop(0)) if operands else 0
    if threads % LANES or (how == "arrive" and not threads):
        raise HostMisuse(f"a barrier for {threads} threads: whole warps take part" if threads
            else "the number of threads is needed")
    barrier = v.block.sync.barrier(number)
    count = None if vote is None else int((vote & v.active).sum()), int(v.active.sum())
    watch = v.run.watch
    if watch is not None:
        watch.arrive(v.warp, barrier)
        barrier.instr = v.i.index
        if not threads:
            watch.all_come(v.warp, v.i.index)
    before = barrier.arrive(LANES, threads, count if vote is not None else None)
    barrier.check(threads or LANES * v.block.sync.live)
    if how == "arrive":
        return None

    def wait() -> Waiting:
        if barrier.generation == before:
            yield lambda: barrier.generation != before
        if watch is not None:
            watch.leave(v.warp, barrier, before)
        if result is not None:
            yes, all_ = sum(x for x, _ in barrier.last), sum(x for _, x in barrier.last)
            value = {"popc": yes, "and": yes == all_, "or": yes > 0}[op]
            v.set(result, np.full(LANES, value, np.uint32))

    return wait()


def _cluster_arrive(host: HostExecutor, v: HostView) -> None:
    cluster, warp, watch = v.block.sync.cluster, v.warp, v.run.watch
    if warp.cluster_arrived is not None:
        raise HostMisuse("the warp has arrived at the barrier of its cluster already, and has not waited")
    if watch is not None:
        watch.arrive(warp, cluster.barrier, "relaxed" in v.i.parts)
    warp.cluster_arrived = cluster.barrier.arrive(1, 0)
    cluster.barrier.check(cluster.live)


def _cluster_wait(host: HostExecutor, v: HostView) -> Waiting | None:
    cluster, warp, watch = v.block.sync.cluster, v.warp, v.run.watch
    before, warp.cluster_arrived = warp.cluster_arrived, None
    if before is None:
        raise HostMisuse("the warp waits at the barrier of its cluster without having arrived")

    def wait() -> Waiting:
        if cluster.barrier.generation == before:
            yield lambda: cluster.barrier.generation != before
        if watch is not None:
            watch.leave(warp, cluster.barrier, before)

    return wait()


# -- mbarriers ---------------------------------------------------------------------------------------------------------


def _state(p: Phase) -> int:
    """The opaque state of a phase."""
    return p.phase & 0xFFFFFFFF | p.pending << 32


def _pending_count(host: HostExecutor, v: HostView) -> None:
    v.set(v.i.operands[0], (v.get(v.i.operands[1], 64) >> np.uint64(32)).astype(np.uint32))


def _made(host: HostExecutor, v: HostView) -> None:
    """mbarrier.init, mbarrier.inval."""
    o = v.i.operands
    address = v.address(o[0])
    counts = v.get(o[1]) if len(o) > 1 else None
    for lane in v.lanes:
        block, offset = v.shared(lane, int(address[lane]))
        if offset % 8 or offset + 8 > block.size:
            raise HostMisuse(f"an mbarrier at {offset:#x} of shared memory: it takes 8 bytes at a multiple of 8", lane)
        if v.run.watch is not None:
            v.run.watch.memory.object_(v.warp, v.i.index, block, offset, True)
        if counts is None:
            phase(v, lane, int(address[lane]), False)
            del block.sync.mbarriers[offset]
            continue
        if not 1 <= counts[lane] <= ARRIVALS:
            raise HostMisuse(f"an mbarrier for {counts[lane]} arrivals; 1 to {ARRIVALS} are possible", lane)
        block.sync.mbarriers[offset] = Phase(int(counts[lane]))


def _arrive(host: HostExecutor, v: HostView) -> None:
    """mbarrier.arrive, arrive_drop, expect_tx, complete_tx."""
    what, o = v.i.parts[1], list(v.i.operands)
    arrives, expects, relaxed = what in ("arrive", "arrive_drop"), "expect_tx" in v.i.parts, "relaxed" in v.i.parts
    state = o.pop(0) if not isinstance(o[0], Mem) else n.Sink()
    address = v.address(o[0])
    given = v.get(o[1]) if len(o) > 1 else np.ones(LANES, np.uint32)
    states = np.zeros(LANES, np.uint64)
    bars = {lane: phase(v, lane, int(address[lane])) for lane in v.lanes}
    if v.run.watch is not None and arrives:
        for p in {id(p): p for p in bars.values()}.values():
            v.run.watch.arrive_phase(v.warp, p, relaxed)
    for lane, p in bars.items():
        number = int(given[lane])
        states[lane] = _state(p)
        if what == "arrive_drop":
            p.expected -= 1 if expects else number
        if expects or not arrives:
            p.expect(number if expects else -number, lane)
        if arrives:
            p.arrive(1 if expects else number, lane)
    v.set(state, states)


def _test(host: HostExecutor, v: HostView) -> Waiting | None:
    """Whether a phase has ended: by its parity, or by the state that an arrival gave. try_wait waits where the whole
    warp would; where other lanes of the warp have something else to do, it says no and lets them."""
    o, waits = v.i.operands, "try_wait" in v.i.parts
    parity, relaxed = "parity" in v.i.parts, "relaxed" in v.i.parts
    address, which = v.address(o[1]), v.get(o[2], 32 if parity else 64)
    bars = {lane: phase(v, lane, int(address[lane])) for lane in v.lanes}

    def done(lane: int) -> bool:
        p, x = bars[lane], int(which[lane])
        return p.done(x & 1) if parity else p.phase & 0xFFFFFFFF != x & 0xFFFFFFFF

    def ready() -> bool:
        if all(map(done, v.lanes)):
            return True  # what reports there is as late as it may be
        for p in {id(p): p for p in bars.values()}.values():
            p.collect()
        return all(map(done, v.lanes))

    def tell(lanes: list[int]) -> None:
        if v.run.watch is not None and not relaxed:
            for p in {id(bars[lane]): bars[lane] for lane in lanes}.values():
                v.run.watch.told(warp, p)
        # A test of a phase may be made again and again; a wait for one that is over already is an error in counting
        # them.
        if parity and waits:
            for lane in lanes:
                again = bars[lane].told((id(warp), lane), lane)
                if again is not None:
                    v.run.host.complain(again)

    warp = v.warp
    over = ready()
    warp.polls = 0 if over else warp.polls
    others = warp.get("live") & ~warp.get("active")
    if over or not waits or others:
        if not over:
            warp.polls += 1
            if others:
                warp.put("blocked", warp.get("blocked") | warp.get("active"))
            warp.put("steps", 1)  # the others are to have a turn
        values = np.zeros(LANES, bool)
        for lane in v.lanes:
            values[lane] = done(lane)
        tell([lane for lane in v.lanes if values[lane]])
        v.set(o[0], values)
        return None

    def wait() -> Waiting:
        yield ready
        warp.polls = 0
        tell(v.lanes)
        v.set(o[0], np.ones(LANES, bool))

    return wait()


# -- the others --------------------------------------------------------------------------------------------------------


def _fence(host: HostExecutor, v: HostView) -> None:
    """fence.proxy.async: what has been written by ordinary stores is known to copies and matrix instructions from here
    on."""
    if v.run.made.said.checked:
        v.block.shadow &= np.uint8(~UNFENCED & 0xFF)


def _sleep(host: HostExecutor, v: HostView) -> Waiting:
    yield None


def _registers(host: HostExecutor, v: HostView) -> None:
    """setmaxnreg: registers are as many as the text names."""
    count = v.one(v.i.operands[0])
    if count % 8 or not 24 <= count <= 256:
        raise HostMisuse(f"{count} registers: 24 to 256 in steps of 8 are possible")


def _call(host: HostExecutor, v: HostView) -> None:
    callee = next(o for o in v.i.operands if isinstance(o, Callee))
    handler = prints.FUNCTIONS.get(callee.name)
    if handler is None:
        raise NotExecuted(f"`{callee.name}` has no body")
    handler(v)


def word(block: CtaState, name: str) -> int:
    """A number of the block's memory."""
    return struct.unpack_from("<I", block.state.data, BLOCK[name])[0]


def threads(v: HostView) -> np.ndarray:
    """%tid of the warp's lanes, uint32 (3, lanes)."""
    at = WARP["thread"] // 4
    return v.warp.words[at : at + 3 * LANES].reshape(3, LANES)


HostHandler = Callable[[HostExecutor, HostView], "Waiting | None"]
TABLE: dict[str, HostHandler] = {
    "bar": _barrier,
    "barrier": _barrier,
    "barrier.cluster.arrive": _cluster_arrive,
    "barrier.cluster.wait": _cluster_wait,
    "mbarrier.pending_count": _pending_count,
    **dict.fromkeys(("mbarrier.init", "mbarrier.inval"), _made),
    **dict.fromkeys(("mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect_tx", "mbarrier.complete_tx"), _arrive),
    **dict.fromkeys(("mbarrier.test_wait", "mbarrier.try_wait"), _test),
    **dict.fromkeys(("fence.proxy.async", "membar.proxy.async"), _fence),
    "nanosleep": _sleep,
    "setmaxnreg": _registers,
    "call": _call,
    **copies.TABLE,
    **warpgroup_mma.TABLE,
    **host_mma.TABLE,
    **launch_control.TABLE,
    **map_changes.TABLE,
    **multimem.TABLE,
    **tensor_mma.TABLE,
    **tensor_moves.TABLE,
}
