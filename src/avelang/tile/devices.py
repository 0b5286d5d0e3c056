"""An array comes in; the chip that it is on, and how many compute units that GPU has, go out: for kernels whose block is chosen for them."""

from __future__ import annotations

import functools
import sys
from typing import Any

from avelang import arch
from avelang.arch.units import UNITS
from avelang.base import knobs
from avelang.base.places import wrong
from avelang.runtime import devices
from avelang.runtime.arrays import CPU, describe


@functools.lru_cache(64)
def _torch_units(index: int) -> int:
    return sys.modules["torch"].cuda.get_device_properties(index).multi_processor_count


def device_of(x: Any, target: str | None = None) -> tuple[str, int]:
    """The name of the chip that an array is on, or `target`, and the count of its compute units. Of an array on the CPU: `target`, AVE_TARGET or else
    the chip that Ave means where a choice is left, gfx942, with the units of `avelang.arch.units` (0 where they are not known). Raises T301
    for what is no array, D030 to D036 where the driver does not answer."""
    found = describe(x)
    if found is None:
        raise wrong("T301", what="an operand", want="an array of NumPy, torch, JAX or DLPack", got=repr(x))
    device = devices.locate(found) if found.device == "cuda" else found.device
    name = target or (devices.device(device).chip.name if device != CPU else knobs.target() or arch.PREFERENCE[0])
    if found.via == "torch" and device != CPU:
        return name, _torch_units(x.device.index or 0)
    return name, UNITS[name].count if name in UNITS else 0


def on_cpu(x: Any) -> bool:
    """Whether the CPU reads an array."""
    found = describe(x)
    return found is not None and found.device == CPU
