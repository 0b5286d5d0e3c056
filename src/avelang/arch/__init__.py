"""Chips: a name comes in, its descriptor goes out: wave size, features, limits, kind of fp8, and what models of time
and occupancy need.

A chip is one entry, in `avelang.arch.amd` or `avelang.arch.nvidia`, with the sources of its facts; nothing else in the
project states one."""

from __future__ import annotations

from collections.abc import Iterable

from avelang.arch.amd import AMD
from avelang.arch.facts import Chip, Needs, Sku
from avelang.arch.nvidia import NVIDIA
from avelang.base.errors import error
from avelang.base.places import users_line

__all__ = ["CHIPS", "PREFERENCE", "Chip", "Needs", "Sku", "chip", "infer", "product"]

CHIPS: dict[str, Chip] = {c.name: c for c in (*AMD, *NVIDIA)}

# Which chip is meant where a kernel's intrinsics leave a choice: what most people have, then the others from old to
# new.
_FIRST = ("gfx942", "gfx950", "gfx90a", "sm_80", "sm_90a")
PREFERENCE: tuple[str, ...] = (*_FIRST, *(name for name in CHIPS if name not in _FIRST))


def chip(name: str) -> Chip:
    """The chip of that name. Raises U101 with the known names."""
    if not isinstance(name, str) or name not in CHIPS:
        raise error("U101", users_line(), name=name, known=", ".join(CHIPS))
    return CHIPS[name]


def infer(rows: Iterable[Needs]) -> Chip | None:
    """The first chip of `PREFERENCE` that has all the rows; None where there are no rows. Raises U102 where no chip has
    them all."""
    rows = list(rows)
    if not rows:
        return None
    for name in PREFERENCE:
        if all(CHIPS[name].has(row) for row in rows):
            return CHIPS[name]
    raise error("U102", names=", ".join(sorted({getattr(row, "name", "?") for row in rows})))


def product(name: str, what: str = "a table of its units") -> Sku:
    """The counts, clocks and rates of a GPU with a chip. Raises U101 for one that is not known, U103 for one whose
    numbers are not here; `what` could not be made of them."""
    found = chip(name).product
    if found is None:
        raise error("U103", name=name, what=what,
                    instead=f"{', '.join(c.name for c in CHIPS.values() if c.product)} have one")
    return found
