"""The handlers of all instructions in one table, by mnemonic."""

from __future__ import annotations

from avelang.sim.amdgcn import control, lanes, matrix, memory, scalar, vector
from avelang.sim.amdgcn.translator import Handler

HANDLERS: dict[str, Handler] = {}
for _part in (control, scalar, vector, lanes, memory, matrix):
    for _name, _handler in _part.TABLE.items():
        if _name in HANDLERS:
            raise ValueError(f"two handlers for {_name}")
        HANDLERS[_name] = _handler
