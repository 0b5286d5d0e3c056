"""The NumPy reference as a place where kernels run: a kernel's IR comes in and is executed as it is, whole waves at a
time."""

from __future__ import annotations

import time
from typing import Any

from avelang.base import engines, knobs
from avelang.frontend.source import FunctionSource
from avelang.ir.core import Kernel
from avelang.passes.writes import written
from avelang.runtime import compile
from avelang.runtime.arrays import Array
from avelang.runtime.backend import Backend, LaunchCall
from avelang.runtime.geometry import check_block


class InterpretedKernel:
    """IR that is ready to run, with the attributes that the launcher asks of every program."""

    def __init__(self, kernel: Kernel):
        self.kernel, self.writes = kernel, written(kernel)
        self.meta = {"expects": kernel.attrs["expects"]}


class Reference(Backend):
    """The reference of `sim/`. Its programs are IR, and stay in this process."""

    name = how = "reference"
    on_disk = False

    @property
    def where(self) -> str:
        """Its own name: its programs are none that the CPU runs."""
        return self.name

    def check(self, call: LaunchCall) -> None:
        """The block's limits; `admit` asks which checks this kernel can have."""
        check_block(call.kernel, call.at.block, compile.chip_of(call.bound.options.get("target")))

    def make(self, source: FunctionSource, call: LaunchCall) -> tuple[InterpretedKernel, bytes, dict[str, Any]]:
        """The IR, with hints and what the kernel expects of a launch among its attributes."""
        options = call.bound.options
        kernel = compile.build(source, call.bound.constexprs, options.get("target"), call.at.block)
        kernel.attrs.update({name: options[name] for name in compile.HINTS if name in options})
        kernel.attrs["expects"] = compile.expected(kernel, call.at.block)
        return InterpretedKernel(kernel), b"", {}

    def admit(self, call: LaunchCall, program: InterpretedKernel) -> None:
        """Raises L034 for checks that this kernel cannot have here. `Array.numpy` refuses what is read-only."""
        from avelang.sim import reference

        engines.require(engines.REFERENCE, call.kernel,
                        without=("waits",) if reference.leaves_waits(program.kernel) else ())

    def run(self, call: LaunchCall, program: InterpretedKernel) -> float:
        """Executes every block of the grid."""
        from avelang.sim import reference

        start, kernel = time.perf_counter(), program.kernel
        values = [v.numpy() if isinstance(v, Array) else v for v in call.bound.values]
        outputs = program.writes if knobs.check_init() else ()
        reference.run(kernel, values, call.at.grid, call.at.block, races=knobs.check_races(), outputs=outputs)
        return time.perf_counter() - start
