"""Numbers that compiled code may read where they stand: a number comes in; its address goes out."""

from __future__ import annotations

import ctypes


class Word:
    """A number of 64 bits, at `address` as long as the object lives."""

    __slots__ = ("_cell", "address")

    def __init__(self, value: int = 0):
        self._cell = ctypes.c_int64(value)
        self.address = ctypes.addressof(self._cell)

    @property
    def value(self) -> int:
        """The number."""
        return self._cell.value

    def put(self, value: int) -> None:
        """Changes the number."""
        self._cell.value = value


# Grows whenever a choice that was looked up before may be another one now (`tuning.epoch`).
CHOICES = Word()

# How many wait for launches, of any thread (`runtime.interception`).
WAITING = Word()
