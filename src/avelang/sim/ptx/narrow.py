"""Modules whose addresses have 32 bits (`.address_size 32`, PTX ISA 9.0, 11.1.3): their memory is one piece of this
machine's, with a copy of all that the launch gives, which goes back at its end. Address NARROW_START is its first byte,
where the parameters stand; an argument that is an address in what was given becomes that of the copy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from avelang.base.errors import error
from avelang.sim.ptx.state import NARROW_START

ALIGN = 256  # as memory of CUDA is
LARGEST = (1 << 32) - NARROW_START
Span = tuple[int, int, str, bool]


def device_offset(param_bytes: int) -> int:
    """The offset of the module's variables, behind so many bytes of parameters."""
    return -(-max(param_bytes, 64) // ALIGN) * ALIGN


class DeviceMemory:
    """The memory of a launch whose addresses have 32 bits. `given`: spans of this machine's memory; `params` and
    `module`: what stands before them, of so many bytes. Raises X036 where it is too much."""

    def __init__(self, kernel: str, param_bytes: int, module: np.ndarray, given: Sequence[tuple[int, int, str, bool]]):
        wide: list[list[int]] = []  # spans that overlap, or touch, lie as they did
        for start, end in sorted((s, s + size) for s, size, _, _ in given):
            if wide and start <= wide[-1][1]:
                wide[-1][1] = max(wide[-1][1], end)
            else:
                wide.append([start, end])
        self.module_at = at = device_offset(param_bytes)
        at += -(-len(module) // ALIGN) * ALIGN
        self.places: list[tuple[int, int, int]] = []  # (start, end, offset in the copy)
        for start, end in wide:
            at = -(-at // ALIGN) * ALIGN + start % ALIGN
            self.places.append((start, end, at))
            at += end - start
        if at > LARGEST:
            raise error("X036", kernel=kernel, what=f"{at} bytes of memory",
                why=f"addresses of 32 bits reach {LARGEST} of them here")  # fmt: skip
        raw = np.zeros(at + ALIGN, np.uint8)
        first = -raw.ctypes.data % ALIGN
        self.bytes, self.own = raw[first : first + at], module
        self.params, self.module = self.bytes[: max(param_bytes, 64)], self.bytes[self.module_at :][: len(module)]
        self.module[:] = module
        for start, end, offset in self.places:
            ctypes.memmove(self.bytes.ctypes.data + offset, start, end - start)
        self.names: list[Span] = []
        self._back: list[tuple[int, int, int]] = []
        for start, size, name, writable in given:
            offset = self.offset(start)
            assert offset is not None
            here = self.bytes.ctypes.data + offset
            self.names.append((here, here + size, name, writable))
            if writable:
                self._back.append((start, here, size))

    def offset(self, address: int) -> int | None:
        """The place in the copy of a byte of this machine's memory; None if it was not given."""
        return next((offset + address - start for start, end, offset in self.places if start <= address < end), None)

    def narrow(self, address: int) -> int:
        """The address of 32 bits of an address in what was given; other numbers as they are."""
        offset = self.offset(address)
        return address if offset is None else NARROW_START + offset

    def back(self) -> None:
        """Copies all that the kernel has written to where it was given."""
        for start, here, size in self._back:
            ctypes.memmove(start, here, size)
        self.own[:] = self.module
