"""Questions of `check_global` come in: is an earlier access to memory over for this wave? The answer goes out, from
releases and acquires.

A wave releases by an atomic operation (or a store with sc1): what other waves then read there tells them of all that it
had done, as far as that can be seen: what it had waited for (s_waitcnt vmcnt), and of plain stores what a `buffer_wbl2
sc1` had sent on that it had waited for too. A wave acquires by an atomic operation that returns a value, or a load with
sc1; plain loads see that behind a `buffer_inv sc1`, accesses with sc1 at once. What a wave knows passes to the others
of its workgroup at barriers (LLVM, "User Guide for AMDGPU Backend", Memory Model gfx942). One invalidation there is for
all of them, who have one cache; but a barrier is none, and what a wave has read of others passes as that. A write-back
sends on what the workgroup's other waves had issued before the last barrier, waited for or not: on one compute unit it
goes behind that, and to release for the others is what the model has it do. With tg_split only what they had waited
for, and plain loads see even that behind a `buffer_inv sc0` only. Workgroups run one after another here, so that each
atomic operation has seen all that came before it.

Two waves that store the same value at one place race in a kernel of Ave, as on every engine. In code that Ave has not
made they do not (`alike`): hand-written kernels do so, what a store leaves is whole, and nothing depends on who comes
last.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.amdgcn.asm import AsmKernel, AsmProgram, MCInst, PhysReg
from avelang.amdgcn.effects import VM_COUNTER
from avelang.sim.amdgcn import check_global as g
from avelang.sim.amdgcn import check_text as text
from avelang.sim.amdgcn.state import LANES, MAX_WAVES, REGISTER, VECTORS, WAVE, WAVE_BYTES

if TYPE_CHECKING:
    from avelang.sim.amdgcn.machine import DispatchParams

ACCESS, WRITE_BACK, INVALIDATE, BARRIER = range(4)  # what happens, where no earlier access is asked about
EVERYWHERE = 4  # with the two in the middle: at the scope of the system
JUDGE = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_uint64] * 5, ctypes.c_int32)

# Of a wave, by its number: what is done, and what of it others can see though it was written plainly: numbers of its
# memory instructions.
Known = dict[int, tuple[int, int]]


def split(kernel: AsmKernel) -> bool:
    """True if waves of a workgroup may run on several compute units (tg_split)."""
    return bool(kernel.get("tg_split"))


def event(i: MCInst, split: bool = False) -> int:
    """Release or acquire that an instruction performs besides its accesses, or 0."""
    words = i.text.split()
    if "sc1" not in words and not (
        split and i.name == "buffer_inv" and "sc0" in words
    ):  # scope of one workgroup: nothing that its waves do not see
        return 0
    found = {"buffer_wbl2": WRITE_BACK, "buffer_inv": INVALIDATE}.get(i.name, 0)
    return found | EVERYWHERE if found and {"sc0", "sc1"} <= set(words) else found


def followed(words: Collection[str], chip: str) -> bool:
    """True if these checks follow races in memory. gfx90a spells atomic stores of an agent's scope like any store, so
    that they cannot be told from races there (LLVM, "User Guide for AMDGPU Backend", Memory Model gfx90a)."""
    return "races" in words and chip != "gfx90a"


def acquires(program: AsmProgram) -> bool:
    """True if a wave may synchronize with others outside of barriers."""
    found = program.instructions
    return any(event(i) & ~EVERYWHERE == INVALIDATE or i.desc.touches_global and g.bits(i) & g.RETURNS for i in found)


def joined(into: Known, other: Known) -> None:
    """Adds what another one knows."""
    for who, (done, seen) in other.items():
        a, b = into.get(who, (0, 0))
        into[who] = max(a, done), max(b, seen)


@dataclasses.dataclass(slots=True)
class WaveOrder:
    """`known`: of others; `pending`: what it has read of them and does not hold for plain loads yet; `sent`:
    write-backs that are under way, each its number and what of this wave and of others it sends on; `seen`: of what has
    been sent on; `met`: barriers whose news it has."""

    known: Known = dataclasses.field(default_factory=dict)
    pending: Known = dataclasses.field(default_factory=dict)
    sent: list[tuple[int, dict[int, int]]] = dataclasses.field(default_factory=list)
    seen: dict[int, int] = dataclasses.field(default_factory=dict)
    met: int = 0


class Ordering:
    """Happens-before among the waves of one launch; its workgroups run in one thread, in `state`."""

    new_wave = WaveOrder

    def __init__(
        self, program: AsmProgram, accum: int, state: Any, launch: DispatchParams, split: bool = False,
        alike: bool = True,
    ):  # fmt: skip
        """`accum`: where a0 stands in the file of vector registers."""
        self.alike = alike
        self.program, self.accum, self.state, self.fine, self.split = program, accum, state, g.shift(program), split
        self.waves: dict[int, WaveOrder] = {}
        self.places: dict[Any, Known] = {}
        # By workgroup and epoch: what waves brought to the barrier before, known and pending.
        self.news: dict[tuple[int, int], tuple[Known, Known]] = {}
        self.call = JUDGE(self._answer)
        self.failed: Exception | None = None
        self.shadows = pieces_of(self.fine, launch.regions)
        rows = np.array([(s, e, a.ctypes.data) for s, e, a in self.shadows], np.uint64).reshape(-1, 3)
        self.table = np.ascontiguousarray(rows)

    # -- what the records say ------------------------------------------------------------------------------------------

    def _count(self, wave: int, name: str) -> int:
        """ "issued" or "done": how many memory instructions of a wave of this workgroup."""
        records = self.state.records[1]
        row = records[len(records) // (len(self.state.waves) // WAVE_BYTES) * wave :]
        at = text.OF_WAVE[name] + text.class_offset(VM_COUNTER)
        return int(row[at : at + 4].view(np.uint32)[0])

    def _field(self, wave: int, name: str) -> int:
        at = wave * WAVE_BYTES + WAVE[name]
        return int(self.state.waves[at : at + 4].view(np.uint32)[0])

    def _mates(self, me: int, of: str = "limit") -> dict[int, int]:
        """Of the other waves of its workgroup: what was done when they came to the last barrier, or ("seen") issued."""
        wave = (me - 1) % 16
        start = text.OF_GROUP[of] + (self._field(wave, "epoch") & 1) * text.SLOT + text.KIND
        limits = self.state.records[0][start : start + 4 * MAX_WAVES].view(np.uint32)
        first, count = me - wave, len(self.state.waves) // WAVE_BYTES
        return {first + n: int(limits[n]) for n in range(count) if n != wave}

    def _wave(self, me: int) -> WaveOrder:
        """The wave's state, with what barriers have brought it."""
        w = self.waves.get(me)
        if w is None:
            w = self.waves[me] = self.new_wave()
        epoch = self._field((me - 1) % 16, "epoch")
        while w.met < epoch:
            w.met += 1
            known, pending = self.news.get(((me - 1) >> 4, w.met), ({}, {}))
            joined(w.pending if self.split else w.known, known)
            joined(w.pending, pending)
        return w

    def _settle(self, me: int, w: WaveOrder) -> None:
        """Write-backs that have come by now."""
        done = self._count((me - 1) % 16, "done")
        for _, what in [s for s in w.sent if s[0] <= done]:
            for who, number in what.items():
                w.seen[who] = max(w.seen.get(who, 0), number)
        w.sent = [s for s in w.sent if s[0] > done]

    def _everything(self, me: int, w: WaveOrder) -> Known:
        """What others learn from this wave now: of itself, of its workgroup, of those that it has heard of."""
        out = self._holds(me, w)
        joined(out, w.pending)
        return out

    def _holds(self, me: int, w: WaveOrder) -> Known:
        """The same without what is pending."""
        self._settle(me, w)
        out = dict(w.known)
        for who, number in {**self._mates(me), me: self._count((me - 1) % 16, "done")}.items():
            joined(out, {who: (number, 0)})
        joined(out, {who: (number, number) for who, number in w.seen.items()})
        return out

    # -- what happens --------------------------------------------------------------------------------------------------

    def _happens(self, me: int, access: int, place: int, what: int) -> None:
        w, kind, what = self._wave(me), access >> 32, what & ~EVERYWHERE
        if what == WRITE_BACK:
            own = self._count((me - 1) % 16, "issued")  # its own number: the checker has counted it
            sent = {who: done for who, (done, _) in w.known.items()}
            sent |= {**self._mates(me, "limit" if self.split else "seen"), me: own - 1}
            w.sent.append((own, sent))
        elif what == INVALIDATE:
            joined(w.known, w.pending)
            w.pending.clear()
        elif what == BARRIER:
            key = (me - 1) >> 4, self._field((me - 1) % 16, "epoch") + 1
            known, pending = self.news.setdefault(key, ({}, {}))
            joined(known, self._holds(me, w))
            joined(pending, w.pending)
        else:
            here = self.places.setdefault(place, {})
            if kind & g.RETURNS:
                joined(w.pending, here)
            if kind & g.WRITES:
                joined(here, self._everything(me, w))

    def _over(self, me: int, other: int, number: int, kind: int, old_kind: int, old_writes: bool) -> bool:
        """Whether an earlier access of another wave is done and can be seen."""
        w = self._wave(me)
        done, seen = w.known.get(other, (0, 0))
        near = (other - 1) >> 4 == (me - 1) >> 4
        # What goes past the cache of a compute unit, or writes through it, wants no invalidation inside of a workgroup.
        if other in w.pending and kind & (g.COHERENT | (g.WRITES | g.GROUP_ATOMIC if near else 0)):
            a, b = w.pending[other]
            done, seen = max(done, a), max(seen, b)
        return number <= (done if near or old_kind & g.COHERENT or not old_writes else seen)

    def _same(self, i: MCInst, old: MCInst, place: int, at: int, me: int) -> bool:
        """Whether a plain store writes what is there already, over another plain store; `at`: the lane, and above, the
        byte of its data."""
        data = i.operands[0 if "mubuf" in i.desc.encodings else 1]
        if i.desc.access != "store" or old.desc.access != "store" or not isinstance(data, PhysReg) or data.file == "s":
            return False
        first = VECTORS + ((self.accum if data.file == "a" else 0) + data.first) * REGISTER + (me - 1) % 16 * WAVE_BYTES
        registers = (
            self.state.waves[first : first + data.count * REGISTER]
            .view(np.uint32)
            .reshape(data.count, LANES)[:, at & 0xFF]
        )
        value = (registers >> np.uint32(16 if i.name.endswith("_d16_hi") else 0)).tobytes()[at >> 8 : i.desc.nbytes]
        value = value[: 1 << self.fine]
        return value == ctypes.string_at(place, len(value))

    def _answer(self, me: int, access: int, place: int, mark: int, word: int, at: int) -> int:
        try:
            if not mark:
                self._happens(me, access, place, word)
                return 0
            kind, old_kind = access >> 32, word & 0xFFFF
            if self._over(me, mark >> 32, mark & 0xFFFFFFFF, kind, old_kind, bool(word & g.OLD_WRITE)):
                return 0
            code = self.program.instructions
            both = self.alike and kind & g.WRITES and word & g.OLD_WRITE
            return int(not (both and self._same(code[access & 0xFFFFFFFF], code[word >> 32], place, at, me)))
        except Exception as e:  # an exception cannot pass through the machine code that called
            self.failed = self.failed or e
            return 1


def pieces_of(fine: int, regions: Sequence[tuple[int, int]]) -> list[tuple[int, int, np.ndarray]]:
    """Pieces of memory that a launch was given, overlapping ones as one, and their records, one for each 2**fine bytes:
    memory that nothing touches costs nothing."""
    pieces: list[list[int]] = []
    for start, end in sorted((s & ~7, e) for s, e in regions if e > s):
        if pieces and start <= pieces[-1][1]:
            pieces[-1][1] = max(pieces[-1][1], end)
        else:
            pieces.append([start, end])
    return [(s, e, np.zeros(((e - s >> fine) + 1) * g.GRANULE, np.uint8)) for s, e in pieces]
