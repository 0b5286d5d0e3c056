"""`ptx.special`: special registers, by the names that PTX has, without their %. They can be named outside of a kernel
too; `mov` and `cvt` read them, operators read them first."""

from __future__ import annotations

from typing import Any

from avelang.base.places import wrong
from avelang.nvptx.special_registers import SPECIAL
from pyptx._registers import Reg
from pyptx.types import ALL

_AXES = ("x", "y", "z", "w")


def sreg(name: str) -> Reg:
    """A special register by its name with the %: "%clusterid.x", "%cluster_ctarank". Raises T009."""
    base, _, axis = name.partition(".")
    found = SPECIAL.get(base)
    if found is None or (axis not in _AXES if found.vector else axis):
        raise wrong("T009", base="ptx.sreg", name=name, hint="special registers are %tid.x, %laneid, %clock64, ...")
    return Reg(name, ALL[found.type])


class Axes:
    """A special register of several components: x(), y(), z()."""

    def __init__(self, name: str):
        self._name = name

    def x(self) -> Reg:
        """The first component."""
        return sreg(f"{self._name}.x")

    def y(self) -> Reg:
        """The second component."""
        return sreg(f"{self._name}.y")

    def z(self) -> Reg:
        """The third component."""
        return sreg(f"{self._name}.z")


tid, ntid, ctaid, nctaid = Axes("%tid"), Axes("%ntid"), Axes("%ctaid"), Axes("%nctaid")


def __getattr__(name: str) -> Any:
    """The other special registers, as calls: `laneid()`, `clock64()`, `clusterid.x()`."""
    found = SPECIAL.get(f"%{name}")
    if name.startswith("_") or found is None:
        raise AttributeError(f"ptx.special has no {name}")
    return Axes(f"%{name}") if found.vector else lambda: sreg(f"%{name}")


def ctaid_x() -> Reg:
    """%ctaid.x."""
    return ctaid.x()


def ctaid_y() -> Reg:
    """%ctaid.y."""
    return ctaid.y()
