"""The name of a GPU ("rocm:0") or an address comes in; the device, with the driver that has it, goes out. All drivers
are listed here."""

from __future__ import annotations

from avelang.runtime.arrays import Array
from avelang.runtime.cuda import Cuda
from avelang.runtime.gpu import Driver, GpuDevice
from avelang.runtime.hip import Hip

# By the kind of device in an array's `device`.
DRIVERS: dict[str, Driver] = {driver.kind: driver for driver in (Hip(), Cuda())}


def device(name: str) -> GpuDevice:
    """The device of that name. Raises D030 to D036."""
    kind, _, index = name.partition(":")
    return DRIVERS[kind].device(int(index))


def locate(array: Array) -> str:
    """The device that an array of the CUDA array interface is on: ROCm's libraries offer that interface too, and it
    does not say whose memory it is. "cuda" where no driver here knows the address."""
    for driver in DRIVERS.values():
        index = driver.owner(array.address) if driver.found() else None
        if index is not None:
            return f"{driver.kind}:{index}"
    return array.device
