"""Models for pruning: operations and bytes of a call come in; the least time that a chip needs goes out."""

from __future__ import annotations

from avelang.arch import product


def roofline(chip: str, bytes_moved: float, clocks: float = 0.0, busy: float = 1.0) -> float:
    """The seconds that a call needs at least on a chip: those of its bytes at the memory's rate, or those of its work,
    whichever are more.

    `bytes_moved`: from and to memory. `clocks`: of one matrix pipe, for the whole call, spread over all pipes of the
    product; `busy`: the part of the units that have work (waves that fill the last round only in part). Rates are
    those of `avelang.arch`, with their sources. Raises U101 and U103 for a chip that has no product there."""
    sku = product(chip, "a roofline")
    memory = bytes_moved / sku.memory
    work = clocks / (sku.count * sku.pipes * sku.clock * max(busy, 1e-9))
    return max(memory, work)
