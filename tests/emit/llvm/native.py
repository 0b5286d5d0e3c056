"""Runs a kernel in phase "addresses" as native code, in this process, for the tests of the CPU emitter."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from avelang.emit.llvm.cpu import emit
from avelang.ir.core import Kernel
from avelang.ir.dtypes import DType
from avelang.llvm.core import Emitted, HostCompiler
from avelang.llvm.engine import LoadedCode

HOST = HostCompiler()


class Native:
    """A loaded kernel. `run` takes arrays for pointers and numbers for scalars."""

    def __init__(self, kernel: Kernel, emitted: Emitted | None = None):
        self.kernel = kernel
        self.emitted = emitted or emit(kernel)
        self.code = LoadedCode(HOST.object(self.emitted.text))
        signature = ctypes.CFUNCTYPE(
            ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
        )
        self.entry = signature(self.code.address(self.emitted.entry))
        self.scratch = np.zeros(self.emitted.scratch_bytes + 64, np.uint8)

    def run(self, args: Sequence[Any], grid: tuple[int, int, int] = (1, 1, 1), blocks: range | None = None) -> None:
        slots = np.zeros(max(1, len(args)), np.uint64)
        for i, (p, a) in enumerate(zip(self.kernel.params, args, strict=True)):
            if isinstance(p.type, DType):
                raw = np.array(a, p.type.np).tobytes()
                slots[i : i + 1].view(np.uint8)[: len(raw)] = np.frombuffer(raw, np.uint8)
            else:
                slots[i] = a.ctypes.data
        extents = np.array(
            (*grid, *[0] * 5), np.uint32
        )  # and the launch's word and function, of which nothing is asked
        blocks = blocks or range(grid[0] * grid[1] * grid[2])
        scratch = -(-self.scratch.ctypes.data // 64) * 64
        assert self.entry(slots.ctypes.data, extents.ctypes.data, blocks.start, blocks.stop, scratch) == 0
