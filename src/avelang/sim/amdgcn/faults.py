"""Codes of what stops a wave (`native/amdgcn.h` has them in words). And what stops a translation."""

from __future__ import annotations

from avelang.native.amdgcn import (
    HAZARD,
    IN_FLIGHT,
    INACTIVE,
    LANES_DIFFER,
    LDS_OUTSIDE,
    MEMORY_RACE,
    MISALIGNED,
    OUTSIDE,
    RACE,
    RESOURCE,
    TRAP,
    UNKNOWN,
    UNWRITTEN,
)  # fmt: skip

__all__ = [
    "HAZARD", "INACTIVE", "IN_FLIGHT", "LANES_DIFFER", "LDS_OUTSIDE", "MEMORY_RACE", "MISALIGNED", "OUTSIDE", "RACE",
    "RESOURCE",
    "TRAP", "UNKNOWN", "UNWRITTEN", "UnsupportedForm",
]  # fmt: skip


class UnsupportedForm(Exception):
    """Raised by a handler that meets a form of its instruction which it does not execute; the text says which."""
