"""A grid comes in; its blocks run, cluster by cluster, until all have ended. The memory of warps and blocks, and who
runs when.

A warp runs in translated code until it asks the host (barriers, copies, wgmma); what waits there is a generator, as the
meanings of rows are. """

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.reports as reports
from avelang.base.errors import AveError
from avelang.sim.ptx.barriers import ClusterSync, CtaSync
from avelang.sim.ptx.findings import report
from avelang.sim.ptx.state import (
    ASKS,
    BARRIER,
    BLOCK,
    BLOCK_BYTES,
    ENDED,
    EXITED,
    FAULT,
    LANES,
    NARROW_START,
    RANK,
    STEPS,
    STUCK,
    TURN,
    WARP,
)
from avelang.sim.ptx.watch import RaceWatch
from avelang.sim.ptx.watch_text import CAPACITY, DTYPE, HEADER, RECORD, SPARE

if TYPE_CHECKING:
    from avelang.sim.ptx.multicast import Multicast
    from avelang.sim.ptx.narrow import DeviceMemory
    from avelang.sim.ptx.program import PtxProgram

Dim3 = tuple[int, int, int]
PATIENCE = 4  # rounds in which nothing but turns happened, before the next cluster starts beside those that run
ORDERS = ("", "reverse", "random")
VAIN = 4096  # rounds in which all that happened were tests of mbarriers that failed


def aligned(count: int, align: int = 1024) -> np.ndarray:
    """`count` zero bytes at an aligned address."""
    raw = np.zeros(count + align, np.uint8)
    start = -raw.ctypes.data % align
    return raw[start : start + count]


@dataclasses.dataclass(slots=True)
class PtxLaunch:
    """One launch: extents in blocks and threads, bytes of shared memory, parameters, memory that may be touched."""

    grid: Dim3
    block: Dim3
    cluster: Dim3
    dynamic: int
    params: np.ndarray
    regions: np.ndarray
    names: list[tuple[int, int, str, bool]]
    maps: dict[int, Any]
    explicit: bool = False
    multicast: list[Multicast] = dataclasses.field(default_factory=list)
    module: np.ndarray | None = None  # the module's variables, where they are not the program's
    device: DeviceMemory | None = None  # where addresses have 32 bits

    def base(self) -> int:
        """The number that is added to an address of global memory of 32 bits."""
        return 0 if self.device is None else self.device.bytes.ctypes.data - NARROW_START

    def replicas(self) -> list[tuple[int, int, str, bool]]:
        """The memory of multicast objects, as `names` is."""
        return [span for m in self.multicast for span in m.spans()]


class Warp:
    """The memory of a warp, and what it waits for."""

    def __init__(self, block: CtaState, index: int, nbytes: int):
        self.block, self.index = block, index
        self.memory = aligned(nbytes, 64)
        self.words = self.memory.view(np.uint32)
        self.pcs = self.memory[:128].view(np.int32)
        self.address = self.memory.ctypes.data
        self.waits: Iterator[Any] | None = None
        self.ready: Any = None
        self.groups: dict[str, Any] = {}
        self.cluster_arrived: int | None = None
        self.polls = 0

    def get(self, name: str) -> int:
        """A number of the warp's memory."""
        return int(self.words[WARP[name] // 4])

    def put(self, name: str, value: int) -> None:
        """Writes a number of the warp's memory."""
        self.words[WARP[name] // 4] = value

    def begin(self, entry: int, mask: int) -> None:
        """All lanes of the mask stand at the entry."""
        lanes = (mask >> np.arange(LANES)) & 1
        self.pcs[:] = np.where(lanes, entry, EXITED)
        for name, value in (("live", mask), ("blocked", 0), ("index", self.index), ("turn", 0), ("seen", 0)):
            self.put(name, value)
        for count in self.block.run.program.code.running.values():
            self.words[count.place // 4] = 0
        said = self.block.run.made.said
        for place in (*(w.place for w in self.block.run.program.code.unfenced.values()), *said.undef_places.values()):
            self.words[place // 4] = 0xFFFFFFFF
        self.rest()

    def rest(self) -> None:
        """The warp waits for nothing."""
        self.waits, self.ready, self.cluster_arrived, self.polls = None, None, None, 0
        self.groups = {}


class CtaState:
    """The memory of one block: shared memory with its shadow, local memory, warps."""

    def __init__(self, run: PtxRun, rank: int):
        code, launch = run.program.code, run.launch
        self.run, self.rank = run, rank
        self.size = code.shared_bytes + launch.dynamic
        self.count = -(-launch.block[0] * launch.block[1] * launch.block[2] // LANES)
        lanes = max(16, code.local_bytes * LANES * self.count)
        # Where it is followed what nothing has written, the shadow of shared and local memory stands this far behind
        # them.
        self.far = -(-max(self.size, lanes) // 1024) * 1024 if "init" in run.check else 0
        self.shared_whole = aligned(max(self.size, 16) + 2 * self.far)
        self.shared = self.shared_whole[: max(self.size, 16)]
        self.shadow = aligned(max(self.size, 16)) if run.made.said.checked else self.shared
        self.state = aligned(BLOCK_BYTES, 64)
        threads = launch.block[0] * launch.block[1] * launch.block[2]
        self.local = aligned(lanes + 2 * self.far)
        self.warps = [Warp(self, k, code.warp_bytes + 4 * len(run.made.said.undef_places) + 64)
            for k in range(self.count)]
        self.masks = [(1 << min(LANES, threads - LANES * k)) - 1 for k in range(self.count)]
        flat = np.arange(self.count * LANES)
        x, y, _ = launch.block
        for k, w in enumerate(self.warps):
            t = flat[k * LANES : (k + 1) * LANES]
            w.words[WARP["thread"] // 4 :][: 3 * LANES] = np.concatenate([t % x, t // x % y, t // (x * y)])
            struct.pack_into("<Q", w.memory.data, WARP["local"], self.local.ctypes.data + k * LANES * code.local_bytes)
            w.put("index", k)
        self.index: Dim3 = (0, 0, 0)
        self.sync: CtaSync
        self.flights: list[Any] = []
        self.meetings: dict[int, Any] = {}  # of warpgroups, by their first warp
        self.pointers = np.array([w.address for w in self.warps], np.uint64), np.array(self.masks, np.uint32)
        self._constants()

    def _constants(self) -> None:
        """What does not change from block to block."""
        run, launch, code = self.run, self.run.launch, self.run.program.code
        for name, value in (("regions", launch.regions.ctypes.data), ("region_count", len(launch.regions)),
                ("params", launch.params.ctypes.data), ("module", run.module.ctypes.data),
                ("near_start", 1), ("near_end", 0), ("warps", self.pointers[0].ctypes.data),
                ("masks", self.pointers[1].ctypes.data), ("log", run.log.ctypes.data), ("undef", self.far)):
            struct.pack_into("<Q", self.state.data, BLOCK[name], value)
        for name, value in (("shared_bytes", self.size), ("rank", self.rank), ("ranks", run.ranks),
                ("local_bytes", code.local_bytes), ("dynamic", launch.dynamic), ("explicit", int(launch.explicit)),
                ("count", self.count), ("entry", run.made.said.entry), ("checked", int(run.made.said.checked)),
                ("watched", int(run.made.said.watched))):  # fmt: skip
            struct.pack_into("<I", self.state.data, BLOCK[name], value)
        for name, values in (("ntid", launch.block), ("nctaid", launch.grid), ("cluster_nctaid", launch.cluster),
                ("nclusterid", run.clusters)):
            struct.pack_into("<III", self.state.data, BLOCK[name], *values)

    @property
    def undef(self) -> np.ndarray:
        """The bytes of shared memory that nothing has written; none where that is not followed."""
        return self.shared_whole[self.far : self.far + self.size] if self.far else self.shared_whole[:0]

    def get(self, name: str, kind: str = "<I") -> int:
        """A number of the block's memory."""
        return struct.unpack_from(kind, self.state.data, BLOCK[name])[0]

    def begin(self, index: Dim3, clusterid: Dim3, within: Dim3, sync: CtaSync) -> None:
        """The block starts, as the one at `index` of the grid."""
        self.index, self.sync = index, sync
        self.flights, self.meetings = [], {}
        for name, values in (("ctaid", index), ("clusterid", clusterid), ("cluster_ctaid", within)):
            struct.pack_into("<III", self.state.data, BLOCK[name], *values)
        self.shared[:] = 0xA5  # what nothing wrote
        if self.far:
            self.undef[:] = 1
            self.local[self.far :] = 1
        if self.run.made.said.checked:
            self.shadow[:] = 0
        entry = self.run.made.said.entry
        for w, mask in zip(self.warps, self.masks, strict=True):
            w.begin(entry, mask)


SLICE = 64  # blocks that translated code runs before Python may see to signals


class CtaGroup:
    """The blocks of a cluster that is running."""

    def __init__(self, run: PtxRun):
        self.blocks = [CtaState(run, rank) for rank in range(run.ranks)]
        bases = np.array([b.shared.ctypes.data for b in self.blocks], np.uint64)
        shadows = np.array([b.shadow.ctypes.data for b in self.blocks], np.uint64)
        self.keep = (bases, shadows)
        for b in self.blocks:
            struct.pack_into("<Q", b.state.data, BLOCK["shared"], bases.ctypes.data)
            struct.pack_into("<Q", b.state.data, BLOCK["shadow"], shadows.ctypes.data)
        self.warps = [w for b in self.blocks for w in b.warps]
        self.left: list[Warp] = []
        self.done = True
        self.sync: ClusterSync

    def take_over(self, run: PtxRun, number: int) -> None:
        """A block that translated code has begun is gone on with here."""
        (b,), g = self.blocks, run.clusters
        self.sync = ClusterSync(self.blocks)
        b.index = (number % g[0], number // g[0] % g[1], number // (g[0] * g[1]))
        b.sync, b.flights = CtaSync(self.sync, b), []
        self.left, self.done = [], False
        for w in b.warps:
            w.rest()
            if w.get("live"):
                self.left.append(w)
            else:
                b.sync.live -= 1

    def begin(self, run: PtxRun, number: int) -> None:
        """The warps of the group begin."""
        c, g = run.launch.cluster, run.clusters
        place = (number % g[0], number // g[0] % g[1], number // (g[0] * g[1]))
        self.sync = ClusterSync(self.blocks)
        for b in self.blocks:
            within = (b.rank % c[0], b.rank // c[0] % c[1], b.rank // (c[0] * c[1]))
            index = tuple(p * e + w for p, e, w in zip(place, c, within, strict=True))
            b.begin(index, place, within, CtaSync(self.sync, b))  # type: ignore[arg-type]
        self.left = list(self.warps)
        self.done = False
        if run.watch is not None:
            run.watch.begin(self)


class PtxRun:
    """One launch while it runs. `check`: what it is watched for; `collects`: what is found is kept in `found`; `order`
    and `seed`: who runs first. `device`: its rank, where launches of several run beside one another (`ranked_runs`)."""

    device = -1

    def __init__(self, program: PtxProgram, launch: PtxLaunch, check: frozenset[str] = frozenset(),
            collects: bool = False, order: str = "", seed: int = 0):  # fmt: skip
        self.program, self.launch, self.check, self.collects = program, launch, check, collects
        self.made = program.defining if "init" in check else program.watched if check or collects else program.plain
        self.module = program.module_memory if launch.module is None else launch.module
        self.found: dict[tuple[object, ...], AveError] = {}
        self.order, self.random = order, np.random.default_rng(seed)
        self.log = aligned(HEADER + (CAPACITY + SPARE) * RECORD if self.made.said.watched else 64, 64)
        c = launch.cluster
        self.ranks = c[0] * c[1] * c[2]
        self.clusters: Dim3 = tuple(g // e for g, e in zip(launch.grid, c, strict=True))  # type: ignore[assignment]
        self.text: list[str] = []  # what the kernel printed
        self.instructions = 0
        self.watch = RaceWatch(self) if self.made.said.watched else None
        self.host = program.host(self)

    def watched(self) -> RaceWatch:
        """The race watch of a launch whose accesses are logged."""
        assert self.watch is not None
        return self.watch

    def all(self) -> None:
        """Runs all blocks to their ends."""
        for _ in self.rounds():
            pass

    def rounds(self) -> Iterator[None]:
        """Runs all blocks to their ends; between rounds, launches on other GPUs may have theirs."""
        total, at, idle = self.clusters[0] * self.clusters[1] * self.clusters[2], 0, 0
        self.started = 0  # clusters that have begun, or that others work on in their place
        running: list[CtaGroup] = []
        free: list[CtaGroup] = []
        quick = self.made.said.quick and self.ranks == 1 and not self.order
        patience = PATIENCE * STEPS // self.made.said.steps
        self.numbers = numbers = self.ordered(list(range(total)))
        while at < total or running:
            if quick and not running:
                at = self._quickly(free, running, at, total)
                yield
                continue
            if at < total and (not running or idle >= patience):
                group = free.pop() if free else CtaGroup(self)
                group.begin(self, numbers[at])
                running.append(group)
                at, idle = at + 1, 0
                self.started = at
            moved = False
            for group in list(running):
                moved |= self.round(group)
                if not group.left:
                    running.remove(group)
                    free.append(group)
                    self._finish(group)
                    moved = True
            if not quick:
                at = self.started
            idle = 0 if moved else idle + self._idle()
            if idle and self._stuck(running, idle if at >= total else 0):
                free += running
                break
            yield
        if self.watch is not None:
            self.watch.memory.end()
        self.instructions = sum(int(w.memory[WARP["count"] :][:8].view(np.uint64)[0]) for g in free for w in g.warps)

    def cancel(self) -> tuple[int, int, int] | None:
        """Takes a cluster that has not begun off the grid: its place among clusters; None where all have begun."""
        if self.started >= len(self.numbers):
            return None
        number, g = self.numbers[self.started], self.clusters
        self.started += 1
        return number % g[0], number // g[0] % g[1], number // (g[0] * g[1])

    def ordered(self, items: list[Any]) -> list[Any]:
        """Warps or blocks in the order in which they have their turns."""
        if self.order == "random":
            return [items[k] for k in self.random.permutation(len(items))]
        return items[::-1] if self.order == "reverse" else items

    def _quickly(self, free: list[CtaGroup], running: list[CtaGroup], at: int, total: int) -> int:
        """Runs blocks in translated code alone, from one on; gives how many have begun. One that needs the host is put
        among those that run."""
        group = free.pop() if free else CtaGroup(self)
        block = group.blocks[0]
        end = min(total, at + SLICE)
        stopped = self.made.run_grid(block.state.ctypes.data, at, end)
        if stopped == end:
            free.append(group)
            return end
        group.take_over(self, stopped)
        code, w = block.get("stopped", "<i"), block.warps[block.get("fault_warp")]
        if code in (FAULT, STUCK):
            raise reports.fault(self.program, w, self.launch) if code == FAULT else reports.stuck(self.program, w)
        for other in block.warps:
            if other.index > w.index and code != BARRIER:
                other.put("barrier", 0)  # it has opened for this one, whose turn had not come
            elif other.get("live") and other.get("barrier"):
                self._start(other)
        running.append(group)
        return stopped + 1

    def _idle(self) -> int:
        """Rounds that count as gone by: turns of watched code are short, and those that only test memory wait for
        somebody."""
        if self.watch is None:
            return 1
        busy, self.watch.busy = self.watch.busy, False
        return 1 if busy else STEPS // self.made.said.steps

    def _finish(self, group: CtaGroup) -> None:
        if self.watch is not None:
            self.watch.finish(group)
        for w in group.warps:
            self.host.finish(w)
        for b in group.blocks:
            self.host.ended(b)

    def _stuck(self, running: list[CtaGroup], idle: int) -> bool:
        """Raises X034 where nobody can go on; or says so, where reports are collected."""
        warps = [w for g in running for w in g.left]
        waiting = [w for w in warps if w.waits is not None and w.ready is not None]
        if len(waiting) == len(warps) or idle > VAIN and all(w.waits is not None or w.polls for w in warps):
            report(self, reports.deadlock(self.program, warps), ("X034",))
            return True
        return False

    def round(self, group: CtaGroup) -> bool:
        """Each warp runs until it waits, or has had its turn. Whether anything happened besides turns."""
        moved = False
        for w in self.ordered(group.left):
            if w.waits is not None:
                if w.ready is not None and not w.ready():
                    continue
                polled = w.polls
                self._advance(w)
                moved |= w.polls == polled
                if w.waits is not None:
                    continue
            moved |= self.turn(w)
        group.left = [w for w in group.left if w.waits is not None or w.get("live")]
        return moved

    def turn(self, w: Warp) -> bool:
        """Runs a warp. Whether it did more than use up its turn."""
        w.put("steps", self.made.said.steps)
        g, run, moved = w.block.state.ctypes.data, self.made.run_warp, False
        while True:
            polled = w.polls
            code = run(w.address, g)
            if self.watch is not None:
                self._read_log(w)
            if code in (ASKS, BARRIER):
                self._start(w)
                if w.waits is not None:
                    return moved
                moved |= w.polls == polled
                continue
            if code == TURN:
                return moved
            if code == ENDED:
                if self.watch is not None:
                    self.watch.gone(w)
                w.block.sync.gone()
                return True
            if code == FAULT:
                raise reports.fault(self.program, w, self.launch)
            assert code == STUCK
            if w.polls:  # those who test an mbarrier test it again when the other warps have had their turns
                w.put("blocked", 0)
                return moved
            return self._apart(w)

    def _apart(self, w: Warp) -> bool:
        """All lanes of a warp wait for others of it: raises X034, or gives the warp up where reports are collected."""
        report(self, reports.stuck(self.program, w), ("X034", w.index))
        w.put("live", 0)
        w.block.sync.gone()
        return True

    def _read_log(self, w: Warp) -> None:
        """What watched code has written down."""
        count = int(self.log[:8].view(np.uint64)[0])
        if count:
            assert self.watch is not None
            records = self.log[HEADER : HEADER + count * RECORD].view(DTYPE)
            self.log[:8] = 0
            self.watch.memory.flush(w, records)

    def _start(self, w: Warp) -> None:
        """An instruction of the host."""
        i = self.program.code.instructions[w.get("op")]
        made = self.host.execute(w, i)
        if made is not None:
            w.waits, w.ready = made, None
            self._advance(w)

    def _advance(self, w: Warp) -> None:
        """Goes on with what a warp waits for."""
        assert w.waits is not None
        with self.host.at(w):
            try:
                w.ready = next(w.waits)
            except StopIteration:
                w.waits = w.ready = None


def address_of(rank: int, offset: int) -> int:
    """A byte of a block's shared memory as the code knows it."""
    return rank << RANK | offset
