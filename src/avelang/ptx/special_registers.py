"""`ptx.special`: the special registers, by the names that the manual has, without their %: `tid.x()`, `laneid()`,
`clock64()`."""

from __future__ import annotations

from typing import Any

from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.special_registers import SPECIAL
from avelang.ptx.registers import Reg, ScalarOperand, move, reg
from avelang.ptx.trace import current
from avelang.ptx.types import BY_PTX

AXES = ("x", "y", "z", "w")


class SpecialReg(ScalarOperand):
    """A special register as an operand; in an operator it is read first, by one `mov`."""

    def __init__(self, name: str, component: str = ""):
        self.name, self.component = name, component
        self.type = BY_PTX[SPECIAL[name].type]

    def node(self) -> n.Operand:
        """The operand."""
        return n.SpecialOperand(self.name, self.component)

    def value(self) -> Reg:
        """A new register with its value: one `mov`."""
        out = reg.scalar(self.type)
        move(out, self)
        return out

    def __repr__(self) -> str:
        return f"<special register {self.name}{'.' * bool(self.component)}{self.component}>"


class _Axes:
    """A special register of several components."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, axis: str) -> _Read:
        if axis not in AXES:
            raise wrong("T009", base=f"ptx.special.{self._name[1:]}", name=axis, hint="it has x, y, z and w")
        return _Read(self._name, axis)

    def __call__(self) -> SpecialReg:
        raise wrong(
            "T009",
            base=f"ptx.special.{self._name[1:]}",
            name="()",
            hint=f"one component of it: ptx.special.{self._name[1:]}.x()",
        )


class _Read:
    """What a call of makes a `SpecialReg`."""

    def __init__(self, name: str, component: str = ""):
        self._name, self._component = name, component

    def __call__(self) -> SpecialReg:
        current("ptx.special")
        return SpecialReg(self._name, self._component)

    def __repr__(self) -> str:
        return (
            f"ptx.special.{self._name[1:]}{'.' * bool(self._component)}{self._component}, which wants to be called: ()"
        )


class Specials:
    """All special registers, as attributes."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = SPECIAL.get(f"%{name}")
        if found is None:
            raise wrong(
                "T009",
                base="ptx.special",
                name=name,
                hint=f"it has {', '.join(s[1:] for s in SPECIAL if not s[-1].isdigit())}, ...",
            )
        return _Axes(f"%{name}") if found.vector else _Read(f"%{name}")


special = Specials()
