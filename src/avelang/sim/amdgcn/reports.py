"""From a fault to an error: what a wave left in its workgroup's memory comes in; an error that names instruction, lane, wave and cause goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from avelang.amdgcn import hazards
from avelang.amdgcn.effects import FLAT, LDS, SMEM, VM, cell_name, effects
from avelang.base.errors import AveError, counted, error
from avelang.sim.amdgcn import check_lds, check_text, faults
from avelang.sim.amdgcn.state import WAVE_BYTES

if TYPE_CHECKING:
    from avelang.sim.amdgcn.machine import Launch, Machine

PAGE = 4096  # bytes at address 0, which no array has


def _nearest(address: int, launch: Launch) -> str:
    """Which of the given pieces of memory is the closest, in words."""
    if address < PAGE:
        return ": it is a null pointer, or near one"
    best = min(range(len(launch.regions)), key=lambda n: max(launch.regions[n][0] - address, address - launch.regions[n][1], 0), default=None)
    if best is None:
        return ""
    start, end = launch.regions[best]
    name = f"`{launch.names[best]}`" if best < len(launch.names) else "a piece"
    what = f"{name} of {counted(end - start, 'byte')}"
    if address < start:
        return f"; the nearest is {what}, which begins {counted(start - address, 'byte')} further on"
    if address < end:
        return f"; it runs past the end of {what}"
    return f"; the nearest is {what}, which ends {counted(address - end, 'byte') + ' before' if address > end else 'just there'}"


def _quote(machine: Machine, index: int) -> str:
    """An instruction and where it stands, in words."""
    if index >= len(machine.program.instructions):
        return "an instruction"
    i = machine.instruction(index)
    return f"`{' '.join(i.text.split())}` (line {i.line})"


# What to write where a load of a class, and so many of its class since, are under way.
_MISSING = {VM: "vmcnt({})", LDS: "lgkmcnt({})", SMEM: "lgkmcnt(0)", FLAT: "vmcnt(0) lgkmcnt(0)"}
_MOST = {VM: 63, LDS: 15}


def _missing(kind: str, since: int) -> str:
    text = _MISSING[kind].format(min(since, _MOST.get(kind, 0)))
    return f"s_waitcnt {text} is needed before it"


def _overtaken(state: Any) -> bool:
    """Whether FLAT instructions of the wave that met LDS are under way: then a count of others says nothing."""
    waves = len(state.waves) // WAVE_BYTES
    record = state.records[1].reshape(waves, -1)[state.get("fault_wave")].view("<u4")
    return bool(record[check_text.OF_WAVE["touched"] // 4] > record[check_text.OF_WAVE["flat_lgkm"] // 4])


def _in_flight(machine: Machine, state: Any, index: int, common: dict[str, Any]) -> AveError:
    word, extra = state.get("fault_address", "<Q"), state.get("fault_extra", "<Q")
    cell, since = extra & 0xFFFFFFFF, extra >> 32
    kind = check_text.CLASSES[word & 3]
    if kind == LDS and _overtaken(state):
        since = 0
    e = effects(machine.instruction(index))
    reads = any(first <= cell < first + count for first, count in e.reads)
    what = f"{cell_name(cell)} before {_quote(machine, word >> 2)} has written it"
    return error("X024", **common, does="reads" if reads else "overwrites", what=what, hint=_missing(kind, since))


def _race(machine: Machine, state: Any, index: int, common: dict[str, Any]) -> AveError:
    address, extra = state.get("fault_address", "<Q"), state.get("fault_extra", "<Q")
    other, me, by = extra & 15, state.get("fault_wave"), _quote(machine, extra >> 32)
    e = effects(machine.instruction(index))
    does = {"read": "reads", "write": "writes"}.get(e.lds, "updates")
    direct = bool(extra & check_lds.BY_DIRECT)
    wrote = "wrote" if extra & check_lds.BY_WRITE else "read"
    if other == me:
        # Of its own accesses, only those that take different ways to LDS can meet.
        what = f"address {address} of LDS before {by} has {'written' if wrote == 'wrote' else 'read'} it"
        return error("X024", **common, does=does, what=what, hint=_missing(VM if direct else LDS, 0))
    wait = "vmcnt" if direct else "lgkmcnt"
    why = f"it had not waited for that ({wait}) when it came to the barrier" if extra & check_lds.BARRIER_PASSED else "there is no barrier between"
    return error("X025", **common, does=does, address=address, other=other, did=f"{wrote} in {by}: {why}")


def _hazard(machine: Machine, extra: int, common: dict[str, Any]) -> AveError:
    h = hazards.find(machine.program)[extra & 0xFFFFFFFF]
    first = " ".join(machine.instruction(h.first).text.split())
    return error("X026", **common, register=h.register, have=extra >> 32, first=first, did=h.did, need=h.need)


def fault(machine: Machine, state: Any, launch: Launch) -> AveError:
    """The error of a workgroup that stopped."""
    code, index = state.get("fault_code"), state.get("fault_instruction")
    i = machine.instruction(index)
    ids = tuple(int(x) for x in state.group[80:92].view("<u4"))
    wave = f"workgroup {ids}, wave {state.get('fault_wave')}"
    lane = f"{wave}, lane {state.get('fault_lane')}"
    common: dict[str, Any] = {"kernel": machine.kernel.name, "text": " ".join(i.text.split()), "where": f"line {i.line}, address {i.address:#x}"}
    address, extra = state.get("fault_address", "<Q"), state.get("fault_extra", "<Q")
    if code == faults.OUTSIDE:
        return error("X022", **common, size=extra, address=f"{address:#x}", nearest=_nearest(address, launch), lane=lane)
    if code == faults.LDS_OUTSIDE:
        return error("X023", **common, size=extra, address=address, have=state.get("lds_bytes"), lane=lane)
    if code == faults.IN_FLIGHT:
        return _in_flight(machine, state, index, {**common, "lane": wave})
    if code == faults.RACE:
        return _race(machine, state, index, {**common, "lane": lane})
    if code == faults.HAZARD:
        return _hazard(machine, extra, {**common, "lane": wave})
    if code == faults.RESOURCE:
        return error("X021", **common, why=f"the manual does not say what its buffer resource {address:#018x} {extra:#018x} means here ({wave})")
    if code == faults.MISALIGNED:
        return error("X021", **common, why=f"an atomic operation needs an address that is a multiple of {extra} ({lane})")
    return error("X021", **common, why=machine.ready.unknown.get(index, f"the wave stopped with code {code}"))
