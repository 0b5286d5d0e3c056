"""The handlers of the executor, each registered with its entry in the instruction table. See `translator` for what a
handler is."""

from __future__ import annotations

from avelang.isa.amdgpu.instructions import CHIPS, find
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
)  # fmt: skip
from avelang.sim.amdgcn.translator import Handler

HANDLERS: dict[str, Handler] = {}
_VECTORS = (
    vector, vector_int, vector_float, vector_special, vector_compare, vector_convert, vector_packed, vector_scaled,
)  # fmt: skip
_MEMORY = (
    memory_atomics, memory_buffer, memory_global, memory_lds, memory_scalar, memory_scalar_atomics, memory_transposed,
)  # fmt: skip


def register(name: str, handler: Handler) -> None:
    """Makes a function the handler of an instruction. Raises ValueError for a mnemonic that is not in the instruction
    table, or has a handler."""
    if name not in {found.name for chip in CHIPS if (found := find(name, chip))}:
        raise ValueError(f"a handler for {name}, of which the instruction table has no entry")
    if name in HANDLERS:
        raise ValueError(f"two handlers for {name}")
    HANDLERS[name] = handler


for _part in (control, scalar, *_VECTORS, cross_lane, mfma, mfma_scaled, *_MEMORY):
    for _name, _handler in _part.TABLE.items():
        register(_name, _handler)
