"""LLVM for a GPU: a kernel in phase "addresses" and a chip come in; the chip's `DeviceModule`, its assembly (PTX for
NVIDIA) or an object goes out."""

from __future__ import annotations

import importlib
import types

import llvmlite.binding as llvm

import avelang.arch as arch
from avelang.base.errors import error
from avelang.emit.llvm import amdgpu_faults, nvptx_faults
from avelang.emit.llvm.simt import DeviceModule
from avelang.ir.core import Kernel
from avelang.llvm import guard
from avelang.llvm.core import HostCompiler

_LEFT: list[tuple[llvm.TargetMachine, llvm.ModuleRef]] = []
EMITTERS = {"amd": "amdgpu", "nvidia": "nvptx"}


def _emitter(chip: arch.Chip) -> types.ModuleType:
    """The emitter of a chip's vendor. The other's, with its tables of intrinsics, is not imported."""
    return importlib.import_module(f"avelang.emit.llvm.{EMITTERS[chip.vendor]}")


class DeviceCompiler(HostCompiler):
    """LLVM for one chip: `optimized`, `assembly` and `object` as of `HostCompiler` (NVIDIA chips have no objects:
    `ptxas` or the driver makes them)."""

    def __init__(self, chip: arch.Chip):
        emitter = _emitter(chip)
        super().__init__(3, (emitter.TRIPLE, chip.name, "" if chip.vendor == "amd" else emitter.features(chip)))
        self.chip = chip
        self.passes: tuple[str, ...] = () if chip.vendor == "amd" else emitter.PASSES

    def target_machine(self) -> llvm.TargetMachine:
        """LLVM's target machine for the chip."""
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(cpu=self.cpu, features=self.features, opt=self.level, codemodel="default")

    def object(self, text: str) -> bytes:
        """A relocatable object. V004 where LLVM's backend would end the process."""
        return self._emitted(text, True)

    def assembly(self, text: str) -> str:
        """Assembly text; of PTX without what ptxas makes wrong code of. V004 where LLVM's backend would end the
        process."""
        made = self._emitted(text, False).decode()
        return made if self.chip.vendor == "amd" else nvptx_faults.without(made)

    def _emitted(self, text: str, binary: bool) -> bytes:
        module = self.module(text)
        try:
            return guard.emit(self.machine, module, binary)
        except guard.Ended as e:
            # LLVM was left in the middle of its work on these: they are never freed.
            self.machine.detach()
            module.detach()
            _LEFT.append((self.machine, module))
            self.machine = self.target_machine()
            raise error("V004", target=self.chip.name, why=str(e) or "it ended without a word") from None

    def module(self, text: str) -> llvm.ModuleRef:
        """The optimized module, without what LLVM's AMDGPU backend makes wrong code of."""
        module = super().module(text)
        if self.chip.vendor != "amd" or not ("fsub" in text or "fneg" in text):
            return module
        found = str(module)
        kept = amdgpu_faults.without(found)
        return module if kept is found else llvm.parse_assembly(kept, llvm.create_context())

    def _optimize(self, module: llvm.ModuleRef, coroutines: bool) -> None:
        """LLVM's passes over functions, with the backend's own in them: those of `HostCompiler` are chosen for CPU
        code. Loops that pick registers have been unrolled in the IR, others stay as the user wrote them.

        For NVIDIA those that the emitter names. For AMD those of -O1 on the kernel, which everything else is inlined
        into. The passes of higher levels and those over modules find next to nothing more in these texts, and take
        twice as long; of what they deduce, machine code takes what `Amdgpu.attributes` says by itself."""
        options = llvm.create_pipeline_tuning_options(speed_level=1)
        options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
        builder, whole = llvm.create_pass_builder(self.machine, options), llvm.create_new_module_pass_manager()
        for name in ("always_inliner", "global_dead_code_eliminate", *self.passes):
            getattr(whole, f"add_{name}_pass")()
        whole.run(module, builder)
        for function in () if self.passes else module.functions:
            if not function.is_declaration:
                builder.getFunctionPassManager().run(function, builder)


def program(kernel: Kernel, chip: arch.Chip) -> DeviceModule:
    """The module of a kernel, behind the passes of `pipeline.gpu`. Errors as `simt_kernel.emit`."""
    return _emitter(chip).emit(kernel, chip)
