"""The handlers of all instructions that are translated, by opcode: those of floats, and the others."""

from __future__ import annotations

import avelang.sim.ptx.compares as compares
import avelang.sim.ptx.control as control
import avelang.sim.ptx.converts as converts
import avelang.sim.ptx.floats as floats
import avelang.sim.ptx.integers as integers
import avelang.sim.ptx.lanes as lanes
import avelang.sim.ptx.logic as logic
import avelang.sim.ptx.matrix as matrix
import avelang.sim.ptx.memory as memory
from avelang.sim.ptx.translator import Handler

FLOATS: dict[str, Handler] = dict(floats.TABLE)
OTHERS: dict[str, Handler] = {}
for _part in (integers, logic, compares, converts, control, memory, lanes, matrix):
    for _name, _handler in _part.TABLE.items():
        if _name in OTHERS:
            raise ValueError(f"two handlers for {_name}")
        OTHERS[_name] = _handler
