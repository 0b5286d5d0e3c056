"""LLVM for a GPU: the IR of a `Program` comes in; optimized IR, assembly (PTX for NVIDIA) or an object goes out."""

from __future__ import annotations

import llvmlite.binding as llvm

from avelang.emit.llvm.core import Host


class Device(Host):
    """LLVM for one chip. `level` is the optimization level (0 to 3)."""

    def __init__(self, triple: str, chip: str, features: str = "", level: int = 3):
        super().__init__(level, (triple, chip, features))

    def target_machine(self) -> llvm.TargetMachine:
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(cpu=self.cpu, features=self.features, opt=self.level, codemodel="default")
