"""The handlers of all instructions that are translated, by opcode: those of floats, and the others."""

from __future__ import annotations

import avelang.sim.ptx.compares as compares
import avelang.sim.ptx.control as control
import avelang.sim.ptx.converts as converts
import avelang.sim.ptx.floats as floats
import avelang.sim.ptx.integers as integers
import avelang.sim.ptx.loads_stores as loads_stores
import avelang.sim.ptx.logic as logic
import avelang.sim.ptx.warp_mma as warp_mma
import avelang.sim.ptx.warp_ops as warp_ops
from avelang.sim.ptx.translator import Handler

FLOATS: dict[str, Handler] = dict(floats.TABLE)
OTHERS: dict[str, Handler] = {}
for _part in (integers, logic, compares, converts, control, loads_stores, warp_ops, warp_mma):
    for _name, _handler in _part.TABLE.items():
        if _name in OTHERS:
            raise ValueError(f"two handlers for {_name}")
        OTHERS[_name] = _handler
