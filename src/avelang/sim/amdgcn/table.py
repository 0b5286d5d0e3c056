"""The handlers of all instructions in one table, by mnemonic."""

from __future__ import annotations

from avelang.sim.amdgcn import (
    control,
    cross_lane,
    memory_atomics,
    memory_buffer,
    memory_global,
    memory_lds,
    memory_scalar,
    memory_scalar_atomics,
    memory_transposed,
    mfma,
    mfma_scaled,
    scalar,
    vector,
    vector_compare,
    vector_convert,
    vector_float,
    vector_int,
    vector_packed,
    vector_scaled,
    vector_special,
)
from avelang.sim.amdgcn.translator import Handler

HANDLERS: dict[str, Handler] = {}
_VECTORS = (vector, vector_int, vector_float, vector_special, vector_compare, vector_convert, vector_packed, vector_scaled)
_MEMORY = (memory_atomics, memory_buffer, memory_global, memory_lds, memory_scalar, memory_scalar_atomics, memory_transposed)
for _part in (control, scalar, *_VECTORS, cross_lane, mfma, mfma_scaled, *_MEMORY):
    for _name, _handler in _part.TABLE.items():
        if _name in HANDLERS:
            raise ValueError(f"two handlers for {_name}")
        HANDLERS[_name] = _handler
