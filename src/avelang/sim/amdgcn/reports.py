"""From a fault to an error: what a wave left in its workgroup's memory comes in; an error that names instruction, lane, wave and cause goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from avelang.base.errors import AveError, error
from avelang.sim.amdgcn import faults

if TYPE_CHECKING:
    from avelang.sim.amdgcn.machine import Launch, Machine


def _nearest(address: int, launch: Launch) -> str:
    """Which of the given pieces of memory is the closest, in words."""
    best = min(launch.regions, key=lambda r: max(r[0] - address, address - r[1], 0), default=None)
    if best is None:
        return ""
    if address < best[0]:
        return f"; the nearest starts {best[0] - address} bytes above"
    return f"; the nearest ends {address - best[1]} bytes below" if address >= best[1] else "; it runs past the end of one"


def fault(machine: Machine, state: Any, launch: Launch) -> AveError:
    """The error of a workgroup that stopped."""
    code, index = state.get("fault_code"), state.get("fault_instruction")
    i = machine.instruction(index)
    ids = tuple(int(x) for x in state.group[80:92].view("<u4"))
    lane = f"workgroup {ids}, wave {state.get('fault_wave')}, lane {state.get('fault_lane')}"
    common = {"kernel": machine.kernel.name, "text": " ".join(i.text.split()), "where": f"line {i.line}, address {i.address:#x}"}
    address, extra = state.get("fault_address", "<Q"), state.get("fault_extra", "<Q")
    if code == faults.OUTSIDE:
        return error("X022", **common, size=extra, address=f"{address:#x}", nearest=_nearest(address, launch), lane=lane)
    if code == faults.LDS_OUTSIDE:
        return error("X023", **common, size=extra, address=address, have=state.get("lds_bytes"), lane=lane)
    return error("X021", **common, why=machine.ready.unknown.get(index, f"the wave stopped with code {code}"))
