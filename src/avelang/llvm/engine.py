"""Object files for this machine come in; loaded code with the addresses of its functions goes out."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

from avelang.llvm.core import Host


@functools.cache
def _context() -> llvm.ContextRef:
    """One LLVM context for all engines, never freed: in a garbage cycle a context of its own could be freed before the engine using it."""
    return llvm.create_context()


class Code:
    """Loaded machine code. It stays loaded as long as this object lives."""

    def __init__(self, payload: bytes):
        compiler = Host(0)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly("", _context()), compiler.machine)
        self.add(payload)

    def add(self, payload: bytes) -> None:
        """Loads another object file; it may use what the others define."""
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(payload))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        """The address of a function or a variable."""
        return self._engine.get_function_address(symbol) or self._engine.get_global_value_address(symbol)
