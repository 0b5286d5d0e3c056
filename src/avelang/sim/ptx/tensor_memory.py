"""Tensor memory of a block: 128 lanes of 512 columns, who has allocated which, and who has last read or written which
cell. What tcgen05 instructions do to it comes in; accesses that nothing orders go out as misuses.

An operation of the tensor core (mma, cp, shift) is over when somebody has waited for the mbarrier of a later commit of
its thread; a load or store when its warp has waited. Between different threads the fences of tcgen05 must stand on both
sides of what they wait with. PTX ISA 9.0, 9.7.16.6, "Memory Consistency Model for 5th generation of TensorCore
operations"."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.isa.nvptx.tcgen05 import COLUMNS, FIRST_COLUMNS, LANES
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.clocks import Shadow

if TYPE_CHECKING:
    from avelang.sim.ptx.copies import Copy
    from avelang.sim.ptx.host import HostView
    from avelang.sim.ptx.run import CtaState, PtxRun, Warp

ENGINE = ("mma", "cp", "shift")
WAITS = {"ld": "tcgen05.wait::ld", "st": "tcgen05.wait::st"}


@dataclasses.dataclass(eq=False, slots=True)
class TensorOp:
    """One asynchronous access: `what` it is, whose, by which instruction; `over`: at which tick of the cluster's clock
    it was known to be done (0: not yet). `reads`: copies that stand for what it reads of shared memory."""

    what: str
    warp: Warp
    lane: int
    instr: int
    group: int = 0
    over: int = 0
    reads: list[Copy] = dataclasses.field(default_factory=list)
    registers: int = -1


@dataclasses.dataclass(eq=False, slots=True)
class Allocation:
    """Columns that a warp has allocated."""

    first: int
    columns: int
    group: int
    warp: Warp
    instr: int


class Clock:
    """The time of a cluster's blocks: each step of a tcgen05 instruction is a tick."""

    def __init__(self) -> None:
        self.now = 1
        self.ops: list[TensorOp | None] = [None]
        self.before: dict[Warp, int] = {}  # when a warp last executed the fence before, and the one behind, a
        self.after: dict[Warp, int] = {}  # synchronization of threads

    def tick(self) -> int:
        """The next moment."""
        self.now += 1
        return self.now


class TensorMemory:
    """The tensor memory of the SM on which a block runs, which is the block's alone here."""

    def __init__(self, block: CtaState, clock: Clock):
        self.block, self.clock = block, clock
        self.cells = np.full((LANES, COLUMNS), 0xA5A5A5A5, np.uint32)  # what nothing wrote
        self.owner = np.zeros(COLUMNS, np.int64)
        self.allocations: list[Allocation] = []
        self.wrote, self.read = np.zeros((LANES, COLUMNS), np.int32), np.zeros((LANES, COLUMNS), np.int32)
        self.filled = np.zeros((LANES, COLUMNS), bool)
        where = f"tensor memory of block {block.index}"  # a launch that is watched for races knows of each cell
        self.shadow = Shadow(where, LANES * COLUMNS) if block.run.watch is not None else None
        self.permit = True
        self.joins: dict[str, Any] = {}  # of pairs of blocks, by the instruction

    # -- allocation ----------------------------------------------------------------------------------------------------

    def room(self, columns: int) -> int | None:
        """The first of so many free columns side by side, or None."""
        for at in range(0, COLUMNS - columns + 1, FIRST_COLUMNS):
            if not self.owner[at : at + columns].any():
                return at
        return None

    def allocate(self, at: int, columns: int, group: int, v: HostView) -> None:
        """Gives columns to a warp. What stood there is lost."""
        self.allocations.append(Allocation(at, columns, group, v.warp, v.i.index))
        self.owner[at : at + columns] = 1 + len(self.allocations)
        span = np.s_[:, at : at + columns]
        self.cells[span], self.filled[span] = 0xA5A5A5A5, False
        if self.shadow is not None:
            for x in (self.shadow.wrote, self.shadow.read, self.shadow.atomic):
                x.reshape(LANES, COLUMNS)[span] = 0
        self.wrote[span] = self.read[span] = 0

    def free(self, at: int, columns: int, group: int) -> None:
        """Takes columns back. Raises HostMisuse where they have not been allocated so, or are still in use."""
        found = next((a for a in self.allocations if a.first == at), None)
        if found is None or found.columns != columns or found.group != group:
            there = ", ".join(
                f"{a.columns} from column {a.first} on with cta_group::{a.group}" for a in self.allocations
            )
            raise HostMisuse(f"it frees {columns} columns from column {at} on with cta_group::{group}; allocated are "
                f"{there or 'none'}")  # fmt: skip
        span = np.s_[:, at : at + columns]
        for number in {*np.unique(self.wrote[span]).tolist(), *np.unique(self.read[span]).tolist()} - {0}:
            op = self.clock.ops[number]
            assert op is not None
            if not op.over:
                self._running(op, "frees columns that")
        self.allocations.remove(found)
        self.owner[at : at + columns] = 0

    # -- accesses ------------------------------------------------------------------------------------------------------

    def reach(self, lanes: np.ndarray, columns: np.ndarray, what: str) -> None:
        """Raises HostMisuse where cells are not there, or not allocated."""
        if int(lanes.max(initial=0)) >= LANES or int(columns.max(initial=0)) >= COLUMNS:
            raise HostMisuse(f"{what} ends at lane {int(lanes.max())}, column {int(columns.max())}; tensor memory has "
                f"{LANES} lanes and {COLUMNS} columns")  # fmt: skip
        free = self.owner[columns] == 0
        if free.any():
            there = ", ".join(f"{a.first} to {a.first + a.columns - 1}" for a in self.allocations)
            raise HostMisuse(
                f"{what} is in column {int(columns[free].min())}, which is not allocated; allocated are columns {there}"
                if there
                else f"{what} is in tensor memory, of which nothing is allocated"
            )

    def access(self, op: TensorOp, lanes: np.ndarray, columns: np.ndarray, write: bool, what: str) -> None:
        """An operation touches cells (flat arrays of lanes and columns): finds what it must have waited for, and keeps
        it as the last one to do so."""
        clock = self.clock
        self.reach(lanes, columns, what)
        if self.shadow is not None and (write or what != "D"):  # D is written behind its reading
            watch = self.block.run.watched()
            watch.cells(self.shadow, op.warp, op.instr, lanes * COLUMNS + columns, write, op.what in ENGINE)
        number = self.number(op)
        names = np.unique(self.wrote[lanes, columns])
        if write:
            names = np.union1d(names, np.unique(self.read[lanes, columns]))
        for k in names.tolist():
            other = clock.ops[k]
            if other is not None and other is not op:
                self._ordered(op, other, what)
        if write:
            self.wrote[lanes, columns], self.read[lanes, columns] = number, 0
            self.filled[lanes, columns] = True
        else:
            self.read[lanes, columns] = number

    def number(self, op: TensorOp) -> int:
        """The number of an operation, a new one if it is new."""
        ops = self.clock.ops
        if ops[-1] is not op:
            if op in ops[-8:]:
                return len(ops) - 1 - ops[::-1].index(op)
            ops.append(op)
        return len(ops) - 1

    def _ordered(self, op: TensorOp, other: TensorOp, what: str) -> None:
        """Complains where `other` may not be over for `op`."""
        clock, engine = self.clock, op.what in ENGINE and other.what in ENGINE
        if engine and (op.warp, op.lane, op.group) == (other.warp, other.lane, other.group):
            return  # the tensor core does what one thread asks for in order
        if not other.over:
            self._running(other, f"has {what}, where")
            return
        if other.warp is op.warp and other.what not in ENGINE:
            return
        done = f"it has {what}, which {self._quoted(other)} of {_whose(other.warp)} has accessed, and no"
        if other.what not in ENGINE and clock.before.get(other.warp, 0) < other.over:
            self._wrong(
                op,
                f"{done} tcgen05.fence::before_thread_sync stands there behind its wait",
                "those who hand tensor memory on execute tcgen05.fence::before_thread_sync before they arrive",
            )
        if clock.after.get(op.warp, 0) < other.over:
            self._wrong(
                op,
                f"{done} tcgen05.fence::after_thread_sync stands between the wait for that and this",
                "execute tcgen05.fence::after_thread_sync behind the wait (for the mbarrier of a commit, at a barrier)",
            )

    def _running(self, other: TensorOp, what: str) -> None:
        hint = (
            f"execute {WAITS[other.what]} behind it"
            if other.what in WAITS
            else "commit it to an mbarrier (tcgen05.commit) and wait for that phase"
        )
        self._wrong(None, f"it {what} {self._quoted(other)} of {_whose(other.warp)} still runs", hint)

    def _wrong(self, op: TensorOp | None, why: str, hint: str) -> None:
        self.block.run.host.complain(HostMisuse(why, op.lane if op is not None else 0, hint))

    def _quoted(self, op: TensorOp) -> str:
        return self.block.run.program.quoted(op.instr)


def _whose(warp: Warp) -> str:
    return f"warp {warp.index} of block {warp.block.index}"


def of(v: HostView) -> TensorMemory:
    """The tensor memory of the block of a warp; made when it is first used."""
    return of_block(v.block)


def of_block(block: CtaState) -> TensorMemory:
    """The same, of a block."""
    cluster: Any = block.sync.cluster
    if block.sync.tensor is None:
        if cluster.tensor_clock is None:
            cluster.tensor_clock = Clock()
        block.sync.tensor = TensorMemory(block, cluster.tensor_clock)
    return block.sync.tensor


def ended(run: PtxRun, block: CtaState) -> None:
    """A block has ended: what it has not freed, and what still runs there, is complained about."""
    memory = block.sync.tensor
    if memory is None:
        return
    for a in memory.allocations:
        why = f"the block has ended, and the {a.columns} columns from column {a.first} on that this has allocated"
        _late(
            run,
            a.warp,
            a.instr,
            f"{why} are not freed",
            "one warp executes tcgen05.dealloc with the same columns before the block ends",
        )
    for op in memory.clock.ops:
        if op is not None and not op.over and op.warp.block is block and op.what in ENGINE:
            _late(
                run,
                op.warp,
                op.instr,
                "the block has ended, and nobody has waited for this",
                "commit it to an mbarrier and wait for that phase before the block ends",
            )
            break


def _late(run: PtxRun, warp: Warp, instr: int, why: str, hint: str) -> None:
    warp.put("op", instr)
    run.host.now = warp
    with run.host.at(warp):
        run.host.complain(HostMisuse(why, 0, hint))
