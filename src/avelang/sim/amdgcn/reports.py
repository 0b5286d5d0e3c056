"""From a fault to an error: what a wave left in its workgroup's memory comes in; an error that names instruction, lane,
wave and cause goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from avelang.amdgcn.asm import MCInst
from avelang.amdgcn.effects import FLAT_COUNTERS, LDS_COUNTER, SMEM_COUNTER, VM_COUNTER, cell_name, effects
from avelang.base.errors import AveError, counted, error
from avelang.base.spans import Span
from avelang.native import amdgcn as native
from avelang.sim.amdgcn import check_found, check_global, check_text, faults
from avelang.sim.amdgcn.check import find_hazards
from avelang.sim.amdgcn.check_found import FaultRecord
from avelang.sim.amdgcn.checks import CheckReport

if TYPE_CHECKING:
    from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams

PAGE = 4096  # bytes at address 0, which no array has


def _nearest(address: int, launch: DispatchParams) -> str:
    """Which of the given pieces of memory is the closest, in words."""
    if address < PAGE:
        return ": it is a null pointer, or near one"
    best = min(
        range(len(launch.regions)),
        key=lambda n: max(launch.regions[n][0] - address, address - launch.regions[n][1], 0),
        default=None,
    )
    if best is None:
        return ""
    start, end = launch.regions[best]
    name = f"`{launch.names[best]}`" if best < len(launch.names) else "a piece"
    what = f"{name} of {counted(end - start, 'byte')}"
    if address < start:
        return f"; the nearest is {what}, which begins {counted(start - address, 'byte')} further on"
    if address < end:
        return f"; it runs past the end of {what}"
    where = counted(address - end, "byte") + " before" if address > end else "just there"
    return f"; the nearest is {what}, which ends {where}"


def _quote(machine: AmdMachine, index: int) -> str:
    """An instruction and where it stands, in words."""
    if index >= len(machine.program.instructions):
        return "an instruction"
    i = machine.instruction(index)
    return f"`{' '.join(i.text.split())}` (line {i.line}{_from(i)})"


def _from(i: MCInst) -> str:
    """The line of the source that an instruction was made from, where its text says that."""
    return f", from {i.source[0].rpartition('/')[2]}:{i.source[1]}" if i.source else ""


# What to write where a load of a class, and so many of its class since, are under way.
_MISSING = {
    VM_COUNTER: "vmcnt({})", LDS_COUNTER: "lgkmcnt({})", SMEM_COUNTER: "lgkmcnt(0)",
    FLAT_COUNTERS: "vmcnt(0) lgkmcnt(0)",
}  # fmt: skip
_MOST = {VM_COUNTER: 63, LDS_COUNTER: 15}


def _missing(kind: str, since: int) -> str:
    text = _MISSING[kind].format(min(since, _MOST.get(kind, 0)))
    return f"s_waitcnt {text} is needed before it"


def _in_flight(machine: AmdMachine, f: FaultRecord, common: dict[str, Any]) -> AveError:
    cell, since = f.extra & 0xFFFFFFFF, f.extra >> 32
    kind = check_text.CLASSES[f.address & 3]
    e = effects(machine.instruction(f.instruction))
    reads = any(first <= cell < first + count for first, count in e.reads)
    what = f"{cell_name(cell)} before {_quote(machine, f.address >> 2)} has written it"
    return error("X024", **common, does="reads" if reads else "overwrites", what=what, hint=_missing(kind, since))


def _race(machine: AmdMachine, f: FaultRecord, common: dict[str, Any]) -> AveError:
    extra = f.extra
    other, by = extra & 15, _quote(machine, extra >> 32)
    e = effects(machine.instruction(f.instruction))
    does = {"read": "reads", "write": "writes"}.get(e.lds, "updates")
    direct = bool(extra & native.BY_DIRECT)
    wrote = "wrote" if extra & native.BY_WRITE else "read"
    if other == f.wave:
        # Of its own accesses, only those that take different ways to LDS can meet.
        what = f"address {f.address} of LDS before {by} has {'written' if wrote == 'wrote' else 'read'} it"
        return error("X024", **common, does=does, what=what, hint=_missing(VM_COUNTER if direct else LDS_COUNTER, 0))
    wait = "vmcnt" if direct else "lgkmcnt"
    why = (
        f"it had not waited for that ({wait}) when it came to the barrier"
        if extra & native.BARRIER_PASSED
        else "there is no barrier between"
    )
    return error("X025", **common, does=does, address=f.address, other=other, did=f"{wrote} in {by}: {why}")


def _lanes_differ(f: FaultRecord, state: Any, common: dict[str, Any], launch: DispatchParams) -> AveError:
    """`address` is one of this machine: of LDS, or of memory that was given."""
    start = state.get("lds", "<Q")
    inside = start <= f.address < start + max(state.get("lds_bytes"), 1)
    place = f"address {f.address - start} of LDS" if inside else _within(f.address, launch)
    what, where = f"`{common['text']}` at {common['where']}", f"workgroup {f.group}, wave {f.wave}, lane {f.lane}"
    return error("X041", kernel=common["kernel"], what=what, place=place, other=f"lane {f.extra}", where=where)


def _memory_race(machine: AmdMachine, f: FaultRecord, common: dict[str, Any], launch: DispatchParams) -> AveError:
    """`extra`: the other access's instruction, whether it wrote, and who that was (see `check_global`)."""
    i, other = machine.instruction(f.instruction), (f.extra & 0xFFFFFFFF) - 1
    kind = check_global.bits(i)
    does = ("an update" if i.desc.access == "atomic" else "a write") if kind & check_global.WRITES else "a read"
    grid = launch.grid
    group = other >> 4
    where = group % grid[0], group // grid[0] % grid[1], group // (grid[0] * grid[1])
    mine, of, own = f.group, "", ""
    if beside := launch.ranked is not None and launch.ranked.order is not None:  # ranks are counted where planes are
        mine, where, of, own = (*mine[:2], 0), (*where[:2], 0), f" of rank {where[2]}", f"rank {launch.rank}, "
        beside = where[2] != launch.rank
    near = where == mine and not beside
    who = f"wave {other & 15}" if near else f"wave {other & 15} of workgroup {where}{of}"
    wrote = "write" if f.extra >> 39 & 1 else "read"
    what = f"`{common['text']}` at {common['where']}: {does}"
    by = f"the {wrote} of {who} in {_quote(machine, f.extra >> 40)}"
    lane = f"{own}workgroup {mine}, wave {f.wave}, lane {f.lane}"
    return error("X040", kernel=common["kernel"], what=what, place=_within(f.address, launch), other=by, where=lane)


def scopes(
    machine: AmdMachine, index: int, other: int, address: int, launch: DispatchParams, ranks: tuple[int, int]
) -> AveError:  # fmt: skip
    """The error of two ranks' atomic accesses to one place, one of which is atomic on its own GPU only."""
    what, by = (f"the atomic access {_quote(machine, n)}" for n in (index, other))
    named: dict[str, Any] = {"kernel": machine.kernel.name, "what": what, "place": _within(address, launch)}
    named |= {"other": f"{by} of rank {ranks[1]}", "where": f"rank {ranks[0]}"}
    e = error("X040", None, "make both of the system's scope", **named)
    if source := machine.instruction(index).source:
        file, line, column = source
        e.span = Span(file, line, max(column - 1, 0), line, max(column, 1))
    return e


def _within(address: int, launch: DispatchParams) -> str:
    """A place in memory that was given, in words."""
    for n, (start, end) in enumerate(launch.regions):
        if start <= address < end:
            return f"{f'`{launch.names[n]}`' if n < len(launch.names) else f'array {n}'}, byte {address - start}"
    return f"address {address:#x}"


def _hazard(machine: AmdMachine, f: FaultRecord, common: dict[str, Any]) -> AveError:
    h = find_hazards(machine.program, machine.options.check)[f.extra & 0xFFFFFFFF]
    first = " ".join(machine.instruction(h.first).text.split())
    hint = (
        f'{h.advisory}: shipped kernels ignore this row, and run; check="hazards-strict" makes it an error'
        if h.advisory
        else None
    )
    return error(
        "X026", hint=hint, **common, register=h.register, have=f.extra >> 32, first=first, did=h.did, need=h.need
    )


def _stopped(state: Any) -> FaultRecord:
    """What a workgroup's memory says of the wave that stopped."""
    x, y, z = (int(v) for v in state.group[80:92].view("<u4"))
    code, index, lane, wave = (state.get(f"fault_{name}") for name in ("code", "instruction", "lane", "wave"))
    return FaultRecord(
        code, index, lane, wave, state.get("fault_address", "<Q"), state.get("fault_extra", "<Q"), (x, y, z)
    )


def collected(machine: AmdMachine, states: Sequence[Any], launch: DispatchParams) -> tuple[CheckReport, ...]:
    """Reports of a launch that did not stop at them, errors first: the same pair of instructions once, whichever thread
    met it."""
    found: dict[tuple[int, int, str], CheckReport] = {}
    for state in states:
        for f in check_found.found(state.records[2]):
            e = _error(machine, f, state, launch)
            key = f.code, f.instruction, e.message.split(" (workgroup")[0]
            times = f.times + (found[key].times if key in found else 0)
            found[key] = CheckReport(
                found[key].error if key in found else e, "error" if f.severe else "advisory", times
            )
    return tuple(sorted(found.values(), key=lambda r: r.severity == "advisory"))


def fault(machine: AmdMachine, state: Any, launch: DispatchParams) -> AveError:
    """The error of a workgroup that stopped."""
    return _error(machine, _stopped(state), state, launch)


def _error(machine: AmdMachine, f: FaultRecord, state: Any, launch: DispatchParams) -> AveError:
    """The error of a fault; its span is the line of the source, where the code says which that is."""
    e = _of_code(machine, f, state, launch)
    if e.span is None and (source := machine.instruction(f.instruction).source):
        file, line, column = source
        e.span = Span(file, line, max(column - 1, 0), line, max(column, 1))
    return e


def _of_code(machine: AmdMachine, f: FaultRecord, state: Any, launch: DispatchParams) -> AveError:
    code, i = f.code, machine.instruction(f.instruction)
    wave = f"workgroup {f.group}, wave {f.wave}"
    lane = f"{wave}, lane {f.lane}"
    where = f"line {i.line}, address {i.address:#x}{_from(i)}"
    common: dict[str, Any] = {"kernel": machine.kernel.name, "text": " ".join(i.text.split()), "where": where}
    if code == faults.OUTSIDE:
        return error(
            "X022", **common, size=f.extra, address=f"{f.address:#x}", nearest=_nearest(f.address, launch), lane=lane
        )
    if code == faults.LDS_OUTSIDE:
        return error("X023", **common, size=f.extra, address=f.address, have=state.get("lds_bytes"), lane=lane)
    if code == faults.IN_FLIGHT:
        return _in_flight(machine, f, {**common, "lane": wave})
    if code == faults.RACE:
        return _race(machine, f, {**common, "lane": lane})
    if code == faults.LANES_DIFFER:
        return _lanes_differ(f, state, common, launch)
    if code == faults.INACTIVE:
        return error(
            "X043", kernel=common["kernel"], what=f"`{common['text']}` at {common['where']}", why=f.extra, where=lane
        )
    if code == faults.UNWRITTEN:
        return error("X055", **common, address=f.address, lane=lane)
    if code == faults.MEMORY_RACE:
        return _memory_race(machine, f, common, launch)
    if code == faults.HAZARD:
        return _hazard(machine, f, {**common, "lane": wave})
    if code == faults.RESOURCE:
        return error(
            "X021",
            **common,
            why=f"the manual does not say what its buffer resource {f.address:#018x} {f.extra:#018x} means here "
            f"({wave})",
        )
    if code == faults.MISALIGNED:
        needs = "a transposed load takes" if "_tr_b" in i.name else "an atomic operation takes"
        return error("X056", **common, lane=lane, address=f"{f.address:#x}", why=f"{needs} a multiple of {f.extra}")
    return error("X021", **common, why=machine.ready.unknown.get(f.instruction, f"the wave stopped with code {code}"))
