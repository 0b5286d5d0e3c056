"""The log of watched code comes in; the shadows of shared and global memory say which accesses race, and `findings`
says it in words."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.findings as findings
import avelang.sim.ptx.watch_text as text
from avelang.sim.ptx.clocks import GPU, SCOPES, SYS, Shadow, Strong, VectorClock, WarpAccess
from avelang.sim.ptx.code import At, Instr, Mem
from avelang.sim.ptx.loads_stores import SPACES
from avelang.sim.ptx.state import LANES, LOCAL_BASE, RANK, SHARED_BASE

if TYPE_CHECKING:
    from avelang.sim.ptx.run import CtaGroup, CtaState, Warp
    from avelang.sim.ptx.watch import RaceWatch, WarpWatch

READ, WRITE, UPDATE = range(3)  # UPDATE: a strong write, as atomics are
STRONG = ("relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio")


def _unsaid(i: Instr) -> str:
    """The order of an access whose modifiers say none."""
    strong = i.entry.has("read") and i.entry.has("write") or i.entry.has("strong") and "weak" not in i.parts
    return "relaxed" if strong else ""


@dataclasses.dataclass(frozen=True, slots=True)
class What:
    """An instruction that accesses memory: whether it does so in shared memory (None: its addresses are generic), and
    what makes it strong."""

    shared: bool | None
    strong: Strong | None


def what(i: Instr) -> What:
    """The space and order of an access, by the modifiers of its instruction."""
    space = next((SPACES[x] for x in i.parts if x in SPACES), "generic")
    mem = next((o for o in i.operands if isinstance(o, Mem)), None)
    if space == "generic" and mem is not None and isinstance(mem.base, At):
        space = mem.base.variable.space
    shared = None if space == "generic" else space.startswith("shared")
    how = next((x for x in i.parts if x in STRONG), _unsaid(i))
    if not how:
        return What(shared, None)
    scope = SCOPES[next((x for x in i.parts if x in SCOPES), "gpu")] if how not in ("volatile", "mmio") else SYS
    strong = Strong(i.entry.has("read"), i.entry.has("write"), how in ("acquire", "acq_rel", "sc"),
        how in ("release", "acq_rel", "sc"), scope)
    return What(shared, strong)


@dataclasses.dataclass(slots=True)
class Bytes:
    """Bytes of one shadow that are accessed, and by which accesses (numbers)."""

    at: np.ndarray
    by: np.ndarray


class ShadowMemory:
    """The shadows of a launch."""

    def __init__(self, watch: RaceWatch):
        self.watch, self.table = watch, watch.table
        launch = watch.run.launch
        # Regions that overlap have one shadow. What nobody may write cannot race.
        spans: list[list[Any]] = []
        for start, end, name, writable in sorted([*launch.names, *launch.replicas()]):
            if spans and start < spans[-1][1]:
                spans[-1][1], spans[-1][3] = max(spans[-1][1], end), spans[-1][3] or writable
            elif end > start:
                spans.append([start, end, name, writable])
        self.starts, self.ends = (np.array([s[k] for s in spans], np.uint64) for k in (0, 1))
        self.regions = [Shadow(name, end - start) if writable else None for start, end, name, writable in spans]
        self.shared: dict[CtaState, Shadow] = {}
        self.last: tuple[Any, ...] = ()
        # A plain load before a loop of compare-and-swap, as compilers write it, is no fault: the loop finds out what it
        # may have missed. Races of a load with a strong write wait, by (agent, shadow, word), for the load's warp to
        # swap there.
        self.swaps = any(i.entry.has("write") and "cas" in i.parts for i in watch.run.program.code.instructions)
        self.apart = {i.index for i in watch.run.program.code.instructions if i.entry.has("read") and "nc" in i.parts}
        self.swapped: set[tuple[Any, ...]] = set()
        self.loads: set[int] = set()  # instructions that have turned out to be such loads
        self.deferred: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        self.touched: dict[Warp, np.ndarray] = {}  # by instruction: the lanes that have accessed memory with it

    def begin(self, group: CtaGroup) -> None:
        """Empty shadows for the blocks of a group that begins."""
        for w in group.warps:
            self.touched[w] = np.zeros(len(self.watch.run.program.code.instructions), np.uint32)
        for b in group.blocks:
            if b not in self.shared:
                self.shared[b] = Shadow("shared memory", b.size)
            else:
                s = self.shared[b]
                for x in (s.wrote, s.read, s.atomic):
                    x[:] = 0

    @functools.cache  # noqa: B019 (it lives as long as the launch)
    def what(self, index: int) -> What:
        """`what` of the instruction at an index."""
        return what(self.watch.run.program.code.instructions[index])

    # -- the log -------------------------------------------------------------------------------------------------------

    def flush(self, warp: Warp, records: np.ndarray) -> None:
        """Reads what a warp has written down: runs of plain accesses, and between them what orders them."""
        w = self.watch.warps[warp]
        whole = records.view(np.uint8).reshape(len(records), -1)
        again = np.append(False, (whole[1:] == whole[:-1]).all(1)) & (records["kind"] == text.LOAD)
        records = records[~again]  # loops that wait for somebody load the same again and again; nobody else has run
        kinds, first = records["kind"], 0
        instrs = records["instr"]
        self.watch.executed.update(np.unique(instrs).tolist())
        accesses = (kinds >= text.LOAD) & (kinds <= text.ATOM)
        np.bitwise_or.at(self.touched[warp], instrs[accesses], records["mask"][accesses])
        strong = {k: self.what(k).strong is not None
            for k in set(instrs[(kinds >= text.LOAD) & (kinds <= text.ATOM)].tolist())}
        special = (kinds == text.ENTER) | (kinds > text.ATOM)
        for r in records[(kinds == text.BLAME) | (kinds == text.RUNNING)]:
            findings.logged(self.watch.run, w, r)  # they say more than the race that is there too
        if any(strong.values()):
            special |= np.array([strong.get(k, False) for k in instrs.tolist()]) & (kinds <= text.ATOM)
        tested: set[bytes] = set()  # loads of a loop that waits: nobody else has run since
        for at in [*np.flatnonzero(special).tolist(), len(records)]:
            if at > first:
                self._plain(w, records[first:at])
                self.watch.busy = True
                tested.clear()
            first = at + 1
            if at < len(records):
                r = records[at]
                key = r.tobytes()
                if r["kind"] == text.LOAD and key in tested:
                    continue
                if r["kind"] != text.LOAD:
                    tested.clear()
                    self.watch.busy |= r["kind"] not in (text.ENTER, text.FENCE)
                tested.add(key)
                self._special(w, r)

    def _special(self, w: WarpWatch, r: np.ndarray) -> None:
        kind, index = int(r["kind"]), int(r["instr"])
        if kind == text.ENTER:
            if int(r["mask"]) != w.lanes.mask or not w.lanes.count:
                w.step()
                w.lanes.enter(int(r["mask"]), w.count)
        elif kind == text.FENCE:
            i = self.watch.run.program.code.instructions[index]
            if index != self.watch.run.program.skipped and i.entry.has("fence"):
                self.watch.fence(w, i.parts)
        elif kind <= text.ATOM:
            how = self.what(index).strong
            assert how is not None
            places = self._plain(w, r[None], how)
            self.watch.meet(w, places, how)
            if how.reads:
                found = {(s, word): set(self.table.sets[s.atomic[4 * word]]) for s, word in places}
                if how.acquires:
                    w.hold(found)
                else:
                    w.found.update(found)
            if "cas" in self.watch.run.program.code.instructions[index].parts:
                self._swapped(w, places)
        elif kind in (text.CLASH, text.ALONE, text.UNDEFINED, text.UNNAMED):
            findings.logged(self.watch.run, w, r)

    def _swapped(self, w: WarpWatch, places: list[tuple[Any, int]]) -> None:
        """A warp compares and swaps: its loads of these words before were the beginning of that, and so is every load
        by those instructions."""
        for shadow, word in places:
            for one in self.table.sets[shadow.read[4 * word]]:
                a = self.table.all[one]
                if a.agent == w.agent and not a.strong:
                    self.loads.add(a.instr)
            for found in self.deferred.pop((w.agent, shadow, word), ()):
                self.loads |= {a.instr for a in found[3:5] if a.agent == w.agent and not a.strong}
            self.swapped.add((w.agent, shadow, word))

    def _plain(self, w: WarpWatch, records: np.ndarray, how: Strong | None = None) -> list[tuple[Any, int]]:
        """Accesses between which nothing is ordered. Gives the words that they touch, where they are strong."""
        numbers = {k: self.number(w, k, w.agent, w.count, how) for k in set(records["instr"].tolist())}
        entry = np.array([numbers[k] for k in records["instr"].tolist()], np.int64)
        group = np.where(records["kind"] == text.LOAD, READ, UPDATE if how is not None else WRITE)
        shared = np.array([{None: 2, True: 1, False: 0}[self.what(k).shared] for k in records["instr"].tolist()])
        row, lane = np.nonzero((records["mask"][:, None] >> np.arange(LANES, dtype=np.uint32)) & 1)
        address, size = records["address"][row, lane], records["size"][row].astype(np.int64)
        row = np.repeat(row, size)
        inner = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
        at = np.repeat(address, size) + inner.astype(np.uint64)
        places: list[tuple[Any, int]] = []
        for shadow, which, offset in self.split(w.warp.block, at, shared[row]):
            by, sort = entry[row[which]], group[row[which]]
            reads, writes = sort == READ, sort != READ
            self.check(w, shadow, offset[reads], by[reads], READ, w.clock)
            self.check(w, shadow, offset[writes], by[writes], WRITE if how is None else UPDATE, w.clock)
            if self.apart:
                self._not_coherent(w, shadow, offset[reads], by[reads])
            self.update(shadow, offset, by, sort, w.clock)
            if how is not None:
                places += [(shadow, x) for x in np.unique(offset >> 2).tolist()]
        return places

    def _not_coherent(self, w: WarpWatch, shadow: Shadow, at: np.ndarray, by: np.ndarray) -> None:
        """X035 where a load by the cache that is not coherent (PTX ISA, 9.7.9.9, ld.global.nc) comes to what this
        launch has written: however well the two are ordered, it may give what stood there before."""
        apart = np.isin(by, [k for k in np.unique(by).tolist() if self.table.all[k].instr in self.apart])
        wrote = np.maximum(shadow.wrote[at], shadow.atomic[at] != 0) != 0
        for k in np.flatnonzero(apart & wrote)[:1].tolist():
            findings.not_coherent(self.watch.run, w, shadow, int(at[k]), self.table.all[int(by[k])],
                self.table.all[int(shadow.wrote[at[k]])])

    def object_(self, warp: Warp, instr: int, block: CtaState, offset: int, made: bool) -> int:
        """An mbarrier is made or removed, which is a write, or used, which counts as atomic. The number of the
        access."""
        w, at = self.watch.warps[warp], np.arange(offset, offset + 8)
        how = None if made else Strong(True, True, False, False, 2)
        number = self.number(w, instr, w.agent, w.count, how)
        key = (number, block, offset)
        if key == self.last:
            return number  # other lanes of the same instruction
        self.last = key
        by, sort = np.full(8, number, np.int64), np.full(8, WRITE if made else UPDATE)
        self.check(w, self.shared[block], at, by, int(sort[0]), w.clock)
        self.update(self.shared[block], at, by, sort, w.clock)
        return number

    def number(self, w: WarpWatch, instr: int, agent: int, count: int, how: Strong | None) -> int:
        """The number of a warp's access in the log."""
        strong, scope = how is not None, how.scope if how is not None else 2
        return self.table.number(WarpAccess(agent, count, instr, w.lanes.mask, strong, scope, w.cluster, w.rank,
            w.index, w.block, w.device))

    def split(self, block: CtaState, at: np.ndarray, shared: np.ndarray) -> list[tuple[Shadow, np.ndarray, np.ndarray]]:
        """(shadow, which of the addresses are its, their bytes in it); those outside of all memory, or the lane's own,
        are in none."""
        window = at >> np.uint64(60)
        own = (shared == 1) | (shared == 2) & (window == SHARED_BASE >> 60)
        out: list[tuple[Shadow, np.ndarray, np.ndarray]] = []
        if own.any():
            low = at & np.uint64(0xFFFFFFFF)
            rank = np.where(own, (low >> np.uint64(RANK)).astype(np.int64), -1)
            offset = (low & np.uint64((1 << RANK) - 1)).astype(np.int64)
            for b in block.sync.cluster.blocks:
                which = np.flatnonzero((rank == b.rank) & (offset < b.size))
                if len(which):
                    out.append((self.shared[b], which, offset[which]))
        if not own.all() and len(self.starts):
            k = np.searchsorted(self.starts, at, side="right").astype(np.int64) - 1
            there = ~own & (k >= 0) & ~((shared == 2) & (window == LOCAL_BASE >> 60))
            there &= at < self.ends[np.maximum(k, 0)]
            for region in np.unique(k[there]).tolist():
                shadow = self.regions[region]
                if shadow is not None:
                    which = np.flatnonzero(there & (k == region))
                    out.append((shadow, which, (at[which] - self.starts[region]).astype(np.int64)))
        return out

    # -- what runs beside warps ----------------------------------------------------------------------------------------

    def flight(self, w: WarpWatch, instr: int, agent: int, count: int, bytes_: Any, writes: bool, atomic: bool) -> None:
        """A copy that begins reads or writes these bytes: (block, offsets), or (None, addresses)."""
        block, at = bytes_
        at = np.asarray(at).reshape(-1)
        if not len(at):
            return
        a = WarpAccess(agent, count, instr, 0, atomic and writes, GPU, w.cluster, w.rank, w.index, w.block, w.device)
        by = np.full(len(at), self.table.number(a), np.int64)
        sort = np.full(len(at), (UPDATE if atomic else WRITE) if writes else READ)
        if block is not None:
            found = [(self.shared[block], np.arange(len(at)), at)]
        else:
            found = self.split(w.warp.block, at.astype(np.uint64), np.zeros(len(at), np.int64))
        for shadow, which, offset in found:
            self.check(w, shadow, offset, by[which], int(sort[0]), w.clock)
            self.update(shadow, offset, by[which], sort[which], w.clock)

    def access(self, w: WarpWatch, shadow: Shadow, instr: int, agent: int, count: int, at: np.ndarray, writes: bool,
            clock: VectorClock) -> None:  # fmt: skip
        """An agent reads or writes these cells, knowing what `clock` does."""
        a = WarpAccess(agent, count, instr, w.lanes.mask, False, 2, w.cluster, w.rank, w.index, w.block)
        by, sort = np.full(len(at), self.table.number(a), np.int64), WRITE if writes else READ
        self.check(w, shadow, at, by, sort, clock)
        self.update(shadow, at, by, np.full(len(at), sort), clock)

    def outlives(self, block: CtaState, known: VectorClock, own: set[int]) -> None:
        """Finds accesses to a block's shared memory that nobody in the block had learned of when it ended: those of
        other blocks, and of the agents `own`."""
        s = self.shared[block]
        names = ({int(k) for k in np.unique(s.wrote)}
            | {k for x in (s.read, s.atomic) for n in np.unique(x) for k in self.table.sets[n]})
        for k in sorted(names - {0}):
            a = self.table.all[k]
            late = ((a.agent in own or a.rank != block.rank)
                and not known.knows(self.table.agent[k : k + 1], self.table.count[k : k + 1])[0])
            if late and not self._counted(block, k, known):
                findings.outlived(self.watch.run, block, a)

    def _counted(self, block: CtaState, k: int, known: VectorClock) -> bool:
        """Whether an access is nothing but an arrival (or bytes of a copy that are told) at mbarriers of the block
        whose phases it has seen the end of: relaxed or not, what it has seen counted is done."""
        s, there = self.shared[block], np.zeros(block.size, bool)
        for names in (s.read, s.atomic):
            there |= np.isin(names, [n for n in np.unique(names).tolist() if k in self.table.sets[n]])
        there |= s.wrote == k
        for offset, p in block.sync.mbarriers.items():
            if k in p.uses and known.knows(np.array([p.agent_number]), np.array([p.uses[k]]))[0]:
                there[offset : offset + 8] = False
        return not there.any()

    # -- races ---------------------------------------------------------------------------------------------------------

    def check(self, w: WarpWatch, shadow: Shadow, at: np.ndarray, by: np.ndarray, sort: int,
            clock: VectorClock) -> None:
        """Finds accesses that `by` race with."""
        if not len(at):
            return
        wrote = shadow.wrote[at]
        self._against(w, shadow, at, by, sort, wrote, clock)
        strong = self.table.all[int(by[0])].strong
        for which in (shadow.atomic,) if sort == READ else (shadow.atomic, shadow.read):
            names = which[at]
            for s in np.unique(names[names > 0]).tolist():
                for one in self.table.sets[s]:
                    other = self.table.all[one]
                    if strong and other.strong and self._reaches(self.table.all[int(by[0])], other):
                        continue
                    self._against(w, shadow, at[names == s], by[names == s], sort,
                        np.full(int((names == s).sum()), one), clock)

    @staticmethod
    def _reaches(a: WarpAccess, b: WarpAccess) -> bool:
        """Whether the scopes of two strong accesses hold both."""
        least = min(a.scope, b.scope)
        if a.device != b.device:
            return least == SYS
        return least >= GPU or a.cluster == b.cluster and (least == 1 or a.rank == b.rank)

    def _against(self, w: WarpWatch, shadow: Shadow, at: np.ndarray, by: np.ndarray, sort: int, others: np.ndarray,
            clock: VectorClock) -> None:
        table = self.table
        some = others > 0
        if not some.any():
            return
        at, by, others = at[some], by[some], others[some]
        bad = ~clock.knows(table.agent[others], table.count[others])
        if w.lanes.apart:
            mine = np.unique(others[table.agent[others] == w.agent]).tolist()
            loose = [k for k in mine if not w.lanes.ordered(table.all[k])]
            bad |= np.isin(others, loose)
        if bad.any():
            seen: set[tuple[int, int]] = set()
            for k in np.flatnonzero(bad).tolist():
                pair = int(by[k]), int(others[k])
                if pair not in seen:
                    seen.add(pair)
                    many = at[bad & (by == by[k]) & (others == others[k])]
                    self._race(w, shadow, many, table.all[pair[0]], table.all[pair[1]], sort)

    def _race(self, w: WarpWatch, shadow: Shadow, at: np.ndarray, mine: WarpAccess, other: WarpAccess,
            sort: int) -> None:
        if w.held and other.strong and not mine.strong:
            number = self.table.number(other)
            if all(number in w.held.get((shadow, word), ()) for word in np.unique(at >> 2).tolist()):
                return  # a counter that the last one resets
        found = (w, shadow, at, mine, other, sort)
        if self.swaps and mine.strong != other.strong:
            reader = other if mine.strong else mine
            own = self.watch.run.program.code.instructions[reader.instr].entry
            if own.has("read") and not own.has("write", "across"):
                for word in np.unique(at >> 2).tolist():
                    place = (reader.agent, shadow, word)
                    if place not in self.swapped:
                        self.deferred.setdefault(place, []).append(found)
                return
        findings.race(self.watch.run, *found)

    def end(self) -> None:
        """The launch is over."""
        for found in self.deferred.values():
            for one in found:
                if not self.loads & {a.instr for a in one[3:5] if not a.strong}:
                    findings.race(self.watch.run, *one)

    def update(self, shadow: Shadow, at: np.ndarray, by: np.ndarray, sort: np.ndarray, clock: VectorClock) -> None:
        """The shadow knows of these accesses."""
        plain = sort == WRITE
        if plain.any():
            shadow.wrote[at[plain]] = by[plain]
            shadow.read[at[plain]] = 0
            shadow.atomic[at[plain]] = 0
        updates, reads = sort == UPDATE, sort == READ
        shadow.add(self.table, shadow.atomic, at[updates], by[updates], clock)
        shadow.add(self.table, shadow.read, at[reads], by[reads], clock)
