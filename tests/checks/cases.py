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
    """A seeded bug. `codes`: of the reports that name it; `options`: of the launch."""

    name: str
    kernel: Any
    args: Callable[[], tuple[Any, ...]]
    grid: int
    block: int
    codes: tuple[str, ...]
    options: tuple[tuple[str, Any], ...] = ()


CASES: list[Case] = []


def ints(*shapes: int) -> Callable[[], tuple[Any, ...]]:
    """Arguments: i32 arrays of these lengths, with numbers in them."""
    return lambda: tuple(np.arange(n, dtype=np.int32) % 7 for n in shapes)


def zeros(*shapes: int, dtype: Any = np.int32) -> Callable[[], tuple[Any, ...]]:
    """Arguments: arrays of zeros of these lengths."""
    return lambda: tuple(np.zeros(n, dtype) for n in shapes)


def case(*codes: str, args: Callable[[], tuple[Any, ...]], grid: int = 1, block: int = 128, **options: Any) -> Callable[[Any], Any]:
    """Puts a kernel into the table."""

    def add(kernel: Any) -> Any:
        CASES.append(Case(kernel.__name__, kernel, args, grid, block, codes, tuple(options.items())))
        return kernel

    return add


I64, I128, I256 = (al.Tensor((n,), al.i32) for n in (64, 128, 256))
U4 = al.Tensor((4,), al.u32)
ACQ_REL = 3
