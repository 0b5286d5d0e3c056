"""A program comes in; its loops of compare-and-swap go out: which loads only lead to the swap, and what of its word a
swap leaves alone.

Compilers make atomic operations that a chip lacks of a plain load, of which they compute the new value, and a
compare-and-swap that is repeated with what it has found until it succeeds. Such a load may come at any time: the swap
verifies it. So it is no access of its own where its value goes nowhere but into what the swap compares (and into the
new value, too, but then into both), and where nothing is decided by it but by comparing it with what the swap gave
back. That the swap is at the load's address is seen as the program runs (`native/amdgcn/swaps.c`).

What a register holds is followed along the ways of control: a value is lost where its register is written. In vector
registers that is so for lanes that are active. Those that are not keep what they had; they sleep from where EXEC loses
lanes to where it gains some. `asleep` has the registers that may hold the value in sleeping lanes.

An atomic operation on 16 bits swaps the word that they are in. What the swap leaves alone is said by the mask with
which the program takes the rest of that word out of what it has loaded.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence

from avelang.amdgcn import loops
from avelang.amdgcn.asm import EXEC, AsmProgram, MCInst, Name, Operand, PhysReg
from avelang.amdgcn.effects import DS, FILES, SALU, VALU, VMEM, Effects, Span, effects, span
from avelang.base.errors import AveError
from avelang.native.amdgcn import KEEPS, LOOP_LOAD, LOOP_LOADS, LOOP_SWAP

SCALARS = (1 << FILES["v"]) - 1  # the cells of scalar registers
SWAPS = ("atomic_cmpswap", "atomic_cmpswap_x2", "ds_cmpst_rtn_b32", "ds_cmpst_rtn_b64")
EQUALITY = tuple(f"v_cmp_{how}_{t}{bits}" for how in ("eq", "ne") for t in "iu" for bits in (32, 64))
LOST = -1  # of registers that hold sleeping lanes: nobody knows which


@dataclasses.dataclass(frozen=True, slots=True)
class SwapLoops:
    """`loads`: by index of an instruction the load's number, from 0. `swaps`: by index of a swap the numbers of loads
    that it verifies, as bits. `kept`: by index of a swap the operand that masks what it leaves alone."""

    loads: dict[int, int]
    swaps: dict[int, int]
    kept: dict[int, Operand]

    def bits(self, index: int) -> int:
        """Of an instruction, as the checker has it above the bits of an access."""
        if index in self.loads:
            return self.loads[index] + 1 << LOOP_LOAD
        return self.swaps.get(index, 0) << LOOP_SWAP | (KEEPS if index in self.kept else 0)


NONE = SwapLoops({}, {}, {})


def find(program: AsmProgram, start: int) -> SwapLoops:
    """The loops that the code from an instruction on has."""
    code = program.instructions
    swaps = [i for i in code if is_swap(i)]
    if not swaps or any(
        i.desc.classes & {"call", "jump", "fork"} or "gpr_idx" in i.name or "movrel" in i.name for i in code
    ):
        return NONE
    try:
        ways = _Ways(program, start)
    except AveError:  # a branch to where no instruction is
        return NONE
    swaps = [i for i in swaps if i.index in ways.reaches(i.index)]
    found = SwapLoops({}, {}, {})
    before = ways.before({i.index for i in swaps})
    for i in code:
        if len(found.loads) == LOOP_LOADS:
            break
        if i.index not in before or not _may_lead(i):
            continue
        led = _leads_to(ways, i, swaps)
        for s in led:
            found.swaps[s] = found.swaps.get(s, 0) | 1 << len(found.loads)
            if (mask := _mask(ways, i, code[s])) is not None:
                found.kept[s] = mask
        if led:
            found.loads[i.index] = len(found.loads)
    return found


def is_swap(i: MCInst) -> bool:
    """True for a compare-and-swap of integers that gives back what was there."""
    return i.name.removeprefix("global_").removeprefix("buffer_") in SWAPS and bool(
        i.desc.unit == DS or i.int("sc0") or i.int("glc")
    )


def operands(i: MCInst) -> tuple[Span, Span]:
    """Of a swap: the cells of the new value, and of what is compared."""
    if i.desc.unit == DS:
        compared, new = (o for o in i.operands[2:4] if isinstance(o, PhysReg))
        return span(new), span(compared)
    data = i.operands[0 if "mubuf" in i.desc.encodings else 2]
    assert isinstance(data, PhysReg)
    first, count = span(data)
    return (first, count // 2), (first + count // 2, count // 2)


def register(where: Span) -> tuple[str, int]:
    """The file and the number of a span's first register, a vector one."""
    file = "a" if where[0] >= FILES["a"] else "v"
    return file, where[0] - FILES[file]


def _bits(spans: Iterable[Span]) -> int:
    found = 0
    for first, count in spans:
        found |= (1 << count) - 1 << first
    return found


def _may_lead(i: MCInst) -> bool:
    return (
        i.desc.access == "load" and 0 < i.desc.nbytes <= 8 and i.desc.unit in (VMEM, DS)
        and i.desc.touches_global == (i.desc.unit == VMEM) and not i.int("sc1") and "lds" not in i.mods
    )  # fmt: skip


Sleepers = dict[int, int]  # by what holds lanes that have gone to sleep: the cells in which these may have the value


@dataclasses.dataclass(frozen=True, slots=True)
class _Held:
    """At a place of the program: the cells that may hold the loaded value, in active lanes (`awake`) and in sleeping
    ones (`sleepers`: by the scalar registers that hold those lanes, all that went to sleep since the load); cells that
    surely hold something made of what the swap gave back, and nothing of the value (`given`; `slept`: in lanes that
    sleep)."""

    awake: int
    given: int = 0
    slept: int = -1
    sleepers: Sleepers = dataclasses.field(default_factory=dict)

    @property
    def asleep(self) -> int:
        """The cells that may hold it in some sleeping lane."""
        return functools.reduce(int.__or__, self.sleepers.values(), 0)

    def met(self, other: _Held | None) -> _Held:
        """Where two ways meet."""
        if other is None:
            return self
        sleepers = dict(self.sleepers)
        for holder, cells in other.sleepers.items():
            sleepers[holder] = sleepers.get(holder, 0) | cells
        return _Held(self.awake | other.awake, self.given & other.given, self.slept & other.slept, sleepers)


class _Refused(Exception):
    """The value goes elsewhere."""


class _Ways:
    """Where control may go, by instruction."""

    def __init__(self, program: AsmProgram, start: int):
        self.code = program.instructions
        self.after: dict[int, tuple[int, ...]] = {}
        for b in loops.graph(program, start).values():
            self.after.update({n: (n + 1,) for n in range(b.start, b.stop - 1)})
            self.after[b.stop - 1] = b.follow
        self.prior: dict[int, list[int]] = {}
        for n, nexts in self.after.items():
            for m in nexts:
                self.prior.setdefault(m, []).append(n)
        self.effects: dict[int, tuple[Effects, int, int]] = {}

    def of(self, n: int) -> tuple[Effects, int, int]:
        """An instruction's effects, and the cells that it reads and writes."""
        if n not in self.effects:
            e = effects(self.code[n])
            self.effects[n] = e, _bits(e.reads), _bits(e.writes)
        return self.effects[n]

    def reaches(self, start: int, stop: int = -1) -> set[int]:
        """What comes behind an instruction, on ways that end where `stop` does."""
        return self._spread(self.after.get(start, ()), self.after, stop)

    def before(self, ends: Iterable[int], stop: int = -1) -> set[int]:
        """What comes before instructions, on ways that begin behind `stop`."""
        return self._spread([m for n in ends for m in self.prior.get(n, ())], self.prior, stop)

    @staticmethod
    def _spread(first: Iterable[int], to: dict[int, tuple[int, ...]] | dict[int, list[int]], stop: int) -> set[int]:
        seen: set[int] = set()
        work = [n for n in first if n != stop]
        while work:
            n = work.pop()
            if n not in seen:
                seen.add(n)
                work += [m for m in to.get(n, ()) if m != stop]
        return seen


def _leads_to(ways: _Ways, load: MCInst, swaps: Sequence[MCInst]) -> list[int]:
    """The swaps that a load's value goes to, none where it goes anywhere else too."""
    wanted = {i.index for i in swaps if i.desc.unit == load.desc.unit}
    while wanted:
        try:
            met = _Value(ways, load, wanted).follow()
        except _Refused:
            return []
        if met == wanted:
            return sorted(met)
        wanted = met  # what is compared must come from those that the value goes to
    return []


class _Value:
    """Follows the value of one load. `swaps`: those whose results it may be compared with."""

    def __init__(self, ways: _Ways, load: MCInst, swaps: set[int]):
        self.ways, self.load, self.swaps = ways, load, swaps
        self.met: set[int] = set()

    def follow(self) -> set[int]:
        """The swaps that it goes to. Raises _Refused where it goes elsewhere."""
        ways, held = self.ways, {}
        loaded = _Held(ways.of(self.load.index)[2])
        work = [(n, loaded) for n in ways.after[self.load.index]]
        while work:
            n, now = work.pop()
            now = now.met(held.get(n))
            if now == held.get(n):
                continue
            held[n] = now
            if now.awake or now.asleep:
                behind = self._step(ways.code[n], now)
                work += [(m, behind) for m in ways.after.get(n, ())]
        return self.met

    def _step(self, i: MCInst, now: _Held) -> _Held:
        e, reads, writes = self.ways.of(i.index)
        # What moves between lanes may leave some of its result as it was.
        touched, awake = reads & now.awake, now.awake if _crosses(i) else now.awake & ~writes
        given = now.given & ~writes
        if i.index in self.swaps:
            self._swap(i, now.awake, reads)
            given |= writes
        elif touched and not self._compared(i, now):
            if not _computes(i, e) or writes >> EXEC & 3:
                raise _Refused
            awake |= writes
        elif reads & now.given and not touched and e.unit in (VALU, SALU):
            given |= writes
        if _crosses(i) and reads & now.asleep:
            raise _Refused
        return _lanes(i, writes, dataclasses.replace(now, awake=awake, given=given))

    def _swap(self, i: MCInst, awake: int, reads: int) -> None:
        """The value may be compared, and be part of the new value if it is compared."""
        new, compared = (_bits([s]) for s in operands(i))
        if awake & reads & ~(new | compared) or (awake & new and not awake & compared):
            raise _Refused
        if awake & compared:
            self.met.add(i.index)

    @staticmethod
    def _compared(i: MCInst, now: _Held) -> bool:
        """Whether an instruction compares the value with what the swap gave back."""
        if i.name not in EQUALITY or "dpp" in i.form or "sdwa" in i.form:
            return False
        sides = [_bits([span(o)]) for o in i.operands[1:] if isinstance(o, PhysReg)]
        return len(sides) == 2 and any(
            now.awake & a and b & now.given == b and not b & now.awake for a, b in (sides, sides[::-1])
        )


def _computes(i: MCInst, e: Effects) -> bool:
    """Whether what an instruction makes of its operands is in its results alone, lane by lane."""
    return bool(e.writes) and e.unit in (VALU, SALU) and not _crosses(i) and not i.desc.ends_block


def _crosses(i: MCInst) -> bool:
    """Whether lanes may read those of other lanes."""
    return (
        "dpp" in i.form or "readlane" in i.desc.classes or "permlane" in i.name
        or (i.desc.unit == DS and not i.desc.access) or bool(i.desc.passes[0])
    )  # fmt: skip


def _lanes(i: MCInst, writes: int, now: _Held) -> _Held:
    """What an instruction does to sleeping lanes: it sends some to sleep, or may wake some."""
    sleepers = dict(now.sleepers)
    for first in [s for s in sleepers if s != LOST and writes >> s & 3]:
        # What holds sleeping lanes may gain some.
        if not (i.name == "s_or_b64" and any(isinstance(o, PhysReg) and o.first == first for o in _sources(i))):
            sleepers[LOST] = sleepers.get(LOST, 0) | sleepers.pop(first)
    if not writes >> EXEC & 3:
        return dataclasses.replace(now, sleepers=sleepers)
    holder, grows = _sent(i), i.name == "s_or_b64" and any(_is_exec(o) for o in _sources(i))
    slept, awake, given = now.slept, now.awake, now.given
    if not grows:
        where, slept = LOST if holder is None else holder, slept & given
        sleepers[where] = sleepers.get(where, 0) | awake & ~SCALARS
    if holder is None:  # lanes that wake may be of any holder: what holds them may hold those of others
        for cells in sleepers.values():
            awake |= cells
        given &= slept | SCALARS
    if grows:
        for o in _sources(i):
            if isinstance(o, PhysReg) and o.file == "s":
                sleepers.pop(o.first, None)
    # Where all are awake that were so at the load, no lane that sleeps holds its value.
    return _Held(awake, given, slept, sleepers) if sleepers else _Held(awake, given)


def _is_exec(o: Operand) -> bool:
    return isinstance(o, PhysReg) and o.file == "s" and o.first == EXEC


def _sources(i: MCInst) -> Iterator[Operand]:
    return (i.operands[n] for n in effects(i).sources)


def _sent(i: MCInst) -> int | None:
    """The first scalar register of those that hold the lanes which an instruction takes out of EXEC (LOST: none does);
    None where it may put some in."""
    if i.name == "s_and_saveexec_b64" and isinstance(o := i.operands[0], PhysReg):
        return o.first
    if i.name.startswith("v_cmpx_"):
        return LOST
    own = [_is_exec(o) for o in _sources(i)]
    if i.name == "s_andn2_b64" and own == [True, False]:
        o = i.operands[2]
        return o.first if isinstance(o, PhysReg) else LOST
    return LOST if i.name == "s_and_b64" and any(own) else None


# -- halves of a word --------------------------------------------------------------------------------------------------


def _mask(ways: _Ways, load: MCInst, swap: MCInst) -> Operand | None:
    """The operand that masks what a swap of a word leaves alone, if the program takes that out of what the load has
    given, and the operand is what it was when the swap comes."""
    if load.desc.nbytes != 4 or swap.desc.nbytes != 4:
        return None
    found: list[tuple[int, Operand]] = []
    behind = ways.reaches(load.index, load.index) & ways.before([swap.index], load.index)
    for n in sorted(behind):
        i = ways.code[n]
        if i.name not in ("v_and_b32", "v_and_or_b32") or "sdwa" in i.form or "dpp" in i.form:
            continue
        pair = i.operands[1:3]
        for value, mask in (pair, pair[::-1]):
            if isinstance(value, PhysReg) and _bits([span(value)]) & ways.of(load.index)[2]:
                found.append((n, mask))
    if not found or any(m != found[0][1] for _, m in found):
        return None
    first, mask = found[0]
    if isinstance(mask, Name):
        return None
    if isinstance(mask, PhysReg):
        between = ways.reaches(first, load.index) & ways.before([swap.index], load.index)
        if any(ways.of(n)[2] & _bits([span(mask)]) for n in between):
            return None
    return mask
