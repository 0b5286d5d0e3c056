"""Tensor memory of a block in the reference: cells, and who has allocated which columns. Products are computed when
they are begun; what still runs is known by the copies that stand for them, as for other asynchronous operations."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from avelang.sim.address_space import AccessFault

LANES, COLUMNS, STEP = 128, 512, 32


@dataclasses.dataclass(slots=True, eq=False)
class Written:
    """Cells that a product writes or reads while `flight` runs."""

    flight: Any
    lanes: np.ndarray
    columns: np.ndarray
    wrote: bool


class BlockTensorMemory:
    """128 lanes of 512 columns of 32 bits; `held`: columns by the first of an allocation; `coming`: the waves of a pair
    of blocks that have come to an instruction which both execute."""

    def __init__(self) -> None:
        self.cells = np.full((LANES, COLUMNS), 0xA5A5A5A5, np.uint32)
        self.held: dict[int, int] = {}
        self.running: list[Written] = []
        self.coming: dict[str, list[Any]] = {}
        self.permit = True
        self.last = 0  # what was allocated last

    def room(self, columns: int) -> int | None:
        """The first of so many free columns, or None."""
        free = np.ones(COLUMNS, bool)
        for first, count in self.held.items():
            free[first : first + count] = False
        return next((at for at in range(0, COLUMNS - columns + 1, STEP) if free[at : at + columns].all()), None)

    def reach(self, lane: int, lanes: np.ndarray, columns: np.ndarray) -> None:
        """Raises AccessFault where cells are not there, or not allocated."""
        if int(lanes.max()) >= LANES or int(columns.max()) >= COLUMNS:
            raise AccessFault(
                "sync",
                lane,
                other=f"tensor memory has {LANES} lanes and {COLUMNS} columns; this ends "
                f"at lane {int(lanes.max())}, column {int(columns.max())}",
            )
        there = np.zeros(COLUMNS, bool)
        for first, count in self.held.items():
            there[first : first + count] = True
        if not there[columns].all():
            raise AccessFault(
                "sync", lane, other=f"column {int(columns[~there[columns]].min())} of tensor memory is not allocated"
            )

    def access(self, lane: int, lanes: np.ndarray, columns: np.ndarray, write: bool, flight: Any = None) -> None:
        """Cells are accessed, by an operation that runs beside the wave (`flight`) or by a load or store. Raises
        AccessFault where another operation has to be waited for."""
        self.reach(lane, lanes, columns)
        self.running = [r for r in self.running if r.flight.live.any()]
        touched = np.zeros((LANES, COLUMNS), bool)
        touched[lanes, columns] = True
        for r in self.running:
            mine = flight is not None and (r.flight.wave, r.flight.lanes[0]) == (flight.wave, flight.lanes[0])
            if not mine and (write or r.wrote) and touched[r.lanes, r.columns].any():
                raise AccessFault(
                    "sync",
                    lane,
                    other="tensor memory that a product or copy still uses: wait for the "
                    "mbarrier of its tcgen05_commit first",
                )
        if flight is not None:
            self.running.append(Written(flight, lanes, columns, write))
