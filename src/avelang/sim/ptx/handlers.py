"""The function that executes an instruction, by its entry of the table: in translated code, or on the host.

A handler of what the table does not have is an error when this is imported. Instructions without one are refused
(X031). """

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import avelang.sim.ptx.compares as compares
import avelang.sim.ptx.control as control
import avelang.sim.ptx.converts as converts
import avelang.sim.ptx.floats as floats
import avelang.sim.ptx.host as host
import avelang.sim.ptx.integers as integers
import avelang.sim.ptx.loads_stores as loads_stores
import avelang.sim.ptx.logic as logic
import avelang.sim.ptx.video as video
import avelang.sim.ptx.warp_mma as warp_mma
import avelang.sim.ptx.warp_ops as warp_ops
from avelang.nvptx.forms import ENTRIES, Entry, entry
from avelang.sim.ptx.code import Callee, Instr
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.translator import Handler

T = TypeVar("T", bound=Callable)


def by_entry(*tables: Mapping[str, T]) -> dict[Entry, T]:
    """Tables of handlers by name as one by entry. Raises ValueError for a name that the instruction table does not
    have, or that stands twice."""
    out: dict[Entry, T] = {}
    for table in tables:
        for name, handler in table.items():
            if entry(name) in out:
                raise ValueError(f"two handlers for {name}")
            out[entry(name)] = handler
    return out


_PARTS = (integers, floats, logic, compares, converts, control, loads_stores, video, warp_ops, warp_mma)
TRANSLATED: dict[Entry, Handler] = by_entry(*(part.TABLE for part in _PARTS))
HOSTED: dict[Entry, host.HostHandler] = by_entry(host.TABLE)
_MMA = entry("mma")  # forms that translated code does not have are the host's
CALLS = tuple(entry(name) for name in control.CALLS)  # what executes them knows the functions of the code


def not_executed() -> list[str]:
    """The names of the instructions that have no handler."""
    return [x.name for x in ENTRIES.values() if x not in TRANSLATED and x not in HOSTED and x not in CALLS]


def asks_host(i: Instr) -> bool:
    """True if the host executes an instruction."""
    if i.entry.has("call"):
        return any(isinstance(o, Callee) and o.number < 0 for o in i.operands)
    return i.entry in HOSTED or i.entry is _MMA and i.name not in warp_mma.MMA


def translated(i: Instr) -> Handler:
    """The handler of an instruction that translated code executes. Raises NotExecuted."""
    handler = TRANSLATED.get(i.entry)
    if handler is None:
        raise NotExecuted(f"{i.entry.name} is not executed here")
    return handler
