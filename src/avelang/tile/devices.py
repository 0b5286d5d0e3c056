"""An array comes in; the chip that it is on, and how many compute units that GPU has, go out: for kernels whose block
is chosen for them."""

from __future__ import annotations

import functools
import sys
from typing import Any

from avelang import arch
from avelang.base import knobs
from avelang.base.places import wrong
from avelang.runtime import devices
from avelang.runtime.arrays import CPU, describe


def _torch_device(x: Any) -> Any:
    """torch's own word for where a tensor is; None for what is no tensor."""
    torch = sys.modules.get("torch")
    return x.device if torch is not None and isinstance(x, torch.Tensor) else None


@functools.lru_cache(64)
def _torch_gpu(device: Any) -> tuple[str, int]:
    """The chip and the count of units of a GPU, by torch's word for it: each launch asks."""
    torch = sys.modules["torch"]
    name = f"{'rocm' if torch.version.hip else 'cuda'}:{device.index}"
    return devices.device(name).chip.name, torch.cuda.get_device_properties(device).multi_processor_count


def device_of(x: Any, target: str | None = None) -> tuple[str, int]:
    """The name of the chip that an array is on, or `target`, and the count of its compute units. Of an array on the
    CPU: `target`, AVE_TARGET or else the chip that Ave means where a choice is left, gfx942, with the units of its
    product (0 where they are not known). Raises T301 for what is no array, D030 to D036 where the driver does not
    answer."""
    there = _torch_device(x)
    if there is not None and there.type == "cuda":
        name, count = _torch_gpu(there)
        return target or name, count
    device = CPU if there is not None and there.type == CPU else _device(x)
    name = target or (devices.device(device).chip.name if device != CPU else knobs.target() or arch.PREFERENCE[0])
    made = arch.CHIPS[name].product if name in arch.CHIPS else None
    return name, made.count if made else 0


def _device(x: Any) -> str:
    found = describe(x)
    if found is None:
        raise wrong("T301", what="an operand", want="an array of NumPy, torch, JAX or DLPack", got=repr(x))
    return devices.locate(found) if found.device == "cuda" else found.device


def on_cpu(x: Any) -> bool:
    """True for an array that the CPU reads."""
    there = _torch_device(x)
    if there is not None:
        return there.type == CPU
    found = describe(x)
    return found is not None and found.device == CPU
