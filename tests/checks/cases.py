"""What seeded bugs are: one kernel for each and for its correct twin, whose constexpr `BUG` says which of the two it is.

A row of `CASES` has the name, the kernel, arguments that are made anew for each launch, grid and block, and the codes by which the bug may be found.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import avelang.language as al


@dataclasses.dataclass(frozen=True)
class Case:
    """A seeded bug. `codes`: of the reports that name it; `options`: of the launch; `on_ptx`: whether it runs there: the twin is right in waves of 32
    lanes too, and the bug has an end; `on_cpu`: no wave waits for one that has its turn later."""

    name: str
    kernel: Any
    args: Callable[[], tuple[Any, ...]]
    grid: int
    block: int
    codes: tuple[str, ...]
    options: tuple[tuple[str, Any], ...] = ()
    on_ptx: bool = True
    on_cpu: bool = True


CASES: list[Case] = []
TILES: list[Case] = []


def ints(*shapes: int) -> Callable[[], tuple[Any, ...]]:
    """Arguments: i32 arrays of these lengths, with numbers in them."""
    return lambda: tuple(np.arange(n, dtype=np.int32) % 7 for n in shapes)


def zeros(*shapes: int, dtype: Any = np.int32) -> Callable[[], tuple[Any, ...]]:
    """Arguments: arrays of zeros of these lengths."""
    return lambda: tuple(np.zeros(n, dtype) for n in shapes)


def case(
    *codes: str, args: Callable[[], tuple[Any, ...]], grid: int = 1, block: int = 128, on_ptx: bool = True, on_cpu: bool = True,
    tiles: bool = False, **options: Any,
) -> Callable[[Any], Any]:  # fmt: skip
    """Puts a kernel into the table."""

    def add(kernel: Any) -> Any:
        (TILES if tiles else CASES).append(Case(kernel.__name__, kernel, args, grid, block, codes, tuple(options.items()), on_ptx, on_cpu))
        return kernel

    return add


I64, I128, I256 = (al.Tensor((n,), al.i32) for n in (64, 128, 256))
U4 = al.Tensor((4,), al.u32)
ACQ_REL = 3
