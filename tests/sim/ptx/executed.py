"""Kernels in IR come in; they are compiled for an NVIDIA chip and their PTX is executed, for tests that hold it against
the reference."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from avelang import arch, pipeline
from avelang.emit.llvm import simt_device
from avelang.ir.core import Kernel
from avelang.ir.dtypes import DType
from avelang.ir.types import MapType
from avelang.sim.ptx import Program, tensor_map

Three = tuple[int, int, int]


@functools.cache
def device(chip: str) -> simt_device.DeviceCompiler:
    return simt_device.DeviceCompiler(arch.chip(chip))


def off(x, elements):
    """A copy that begins so many elements behind a multiple of 64 bytes."""
    memory = np.zeros(x.nbytes + 64 + elements * x.itemsize, np.uint8)
    first = -memory.ctypes.data % 64 + elements * x.itemsize
    made = memory[first : first + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


class Executed:
    """A kernel in phase "tensors", as PTX of a chip."""

    def __init__(self, kernel: Kernel, block: Three = (32, 1, 1), chip: str = "sm_80"):
        self.params, self.block = list(kernel.params), block
        self.program = simt_device.program(pipeline.gpu(kernel, block), arch.chip(chip))
        self.text = device(chip).assembly(self.program.text)
        self.machine = Program(self.text, self.program.entry)

    def run(self, args: Sequence[Any], grid: Three = (1, 1, 1), cluster: Three | None = None, **more: Any) -> int:
        """Runs a grid on arrays and numbers, in place. `more`: of `Program.launch`, such as `check`."""
        values, memory = [], []
        for p, a in zip(self.params, args, strict=True):
            if isinstance(p.type, DType):
                values.append(np.array(a, p.type.np).tobytes())
                continue
            if isinstance(p.type, MapType):
                values.append(tensor_map(p.type, a.ctypes.data, a.shape, a.strides))
            else:
                values.append(a.ctypes.data)
            memory.append((a.ctypes.data, a.nbytes, p.name, True))
        return self.machine.launch(values, grid, self.block, self.program.dynamic_bytes, cluster, memory, **more)
