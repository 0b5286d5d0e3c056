"""Kernels in IR come in; they are compiled for gfx942 and executed, for tests that hold the machine code against the
reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from avelang import arch, pipeline
from avelang.amdgcn import asm
from avelang.emit.llvm import simt_device
from avelang.ir.core import Kernel
from avelang.ir.dtypes import DType
from avelang.sim.amdgcn.arguments import pack, span
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams, DispatchResult

Three = tuple[int, int, int]
DEVICES = {name: simt_device.DeviceCompiler(arch.chip(name)) for name in ("gfx942", "gfx950", "gfx90a")}


class Executed:
    """A kernel in phase "tensors", as machine code of a chip. `options` go to `AmdMachine`."""

    def __init__(self, kernel: Kernel, block: Three = (64, 1, 1), chip: str = "gfx942", **options: Any):
        self.params, self.block = list(kernel.params), block
        self.program = simt_device.program(pipeline.gpu(kernel, block), arch.chip(chip))
        self.text = DEVICES[chip].assembly(self.program.text)
        self.machine = AmdMachine(asm.parse(self.text, kernel.name), self.program.entry, **options)

    def run(self, args: Sequence[Any], grid: Three = (1, 1, 1), threads: int = 1) -> DispatchResult:
        """Runs a grid on arrays and numbers, in place."""
        values = []
        for p, a in zip(self.params, args, strict=True):
            values.append(
                int.from_bytes(np.array(a, p.type.np).tobytes(), "little")
                if isinstance(p.type, DType)
                else a.ctypes.data
            )
        kernarg = pack(self.machine.kernel, values, grid, self.block, self.program.dynamic_bytes)
        regions = [span(a) for a in args if isinstance(a, np.ndarray)]
        return self.machine.launch(
            DispatchParams(grid, self.block, kernarg, regions, self.program.dynamic_bytes), threads
        )
