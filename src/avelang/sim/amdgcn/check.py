"""Instructions and their operands come in; calls that record and verify waits, hazards and races go into the translated code."""

from __future__ import annotations

from avelang.amdgcn.asm import Instruction, Program
from avelang.sim.amdgcn.translator import Translator

CHECK_START = "define internal void @ave_check_start(ptr %g) { ret void }"


class Checker:
    """Writes the checks of a program's instructions through `t`."""

    def __init__(self, t: Translator, program: Program):
        self.t, self.program = t, program

    def before(self, i: Instruction) -> None:
        """Called before each instruction is translated."""

    def start(self) -> str:
        """The text of `void ave_check_start(ptr g)`, called when a workgroup begins."""
        return CHECK_START
