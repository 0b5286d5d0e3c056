"""The handlers of all instructions that are translated, by opcode: those of floats, and the others."""

from __future__ import annotations

from avelang.sim.ptx import compares, control, converts, floats, integers, lanes, logic, matrix, memory
from avelang.sim.ptx.translator import Handler

FLOATS: dict[str, Handler] = dict(floats.TABLE)
OTHERS: dict[str, Handler] = {}
for _part in (integers, logic, compares, converts, control, memory, lanes, matrix):
    for _name, _handler in _part.TABLE.items():
        if _name in OTHERS:
            raise ValueError(f"two handlers for {_name}")
        OTHERS[_name] = _handler
