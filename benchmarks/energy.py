"""Joules: a call that is repeated comes in; its time, the energy of one call and the mean power go out.

The counter is NVML's (`nvmlDeviceGetTotalEnergyConsumption`: millijoules since the driver was loaded, of the whole
board, renewed some 10 to 50 times a second), read through ctypes from the driver's own library: a run must be long
against that. Idle power is in it. Source: NVML API Reference, "Device Queries"."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Energy(NamedTuple):
    """Means over a run: microseconds and joules of a call, watts; `calls`: how many there were."""

    us: float
    joules: float
    watts: float
    calls: int


class EnergyCounter:
    """The counter of a GPU by its place on the PCI bus, such as torch's `pci_bus_id`; raises OSError where there is no
    NVML, or no counter."""

    def __init__(self, index: int = 0):
        import torch

        self.nvml: Any = ctypes.CDLL("libnvidia-ml.so.1")
        self._said("nvmlInit_v2", self.nvml.nvmlInit_v2())
        self.handle = ctypes.c_void_p()
        uuid = f"GPU-{torch.cuda.get_device_properties(index).uuid}".encode()
        found = self.nvml.nvmlDeviceGetHandleByUUID(uuid, ctypes.byref(self.handle))
        if found:
            found = self.nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self.handle))
        self._said("nvmlDeviceGetHandle", found)
        self.joules()

    def _said(self, what: str, status: int) -> None:
        if status:
            raise OSError(f"{what}: NVML says {status}")

    def joules(self) -> float:
        """Joules since the driver was loaded."""
        found = ctypes.c_ulonglong()
        status = self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.handle, ctypes.byref(found))
        self._said("nvmlDeviceGetTotalEnergyConsumption", status)
        return found.value / 1e3


def consumed(call: Callable[[], Any], counter: EnergyCounter, seconds: float = 1.0, burst: int = 8) -> Energy:
    """The energy of a call on torch's current GPU, repeated without pause for so many seconds; calls of half that time
    come before it, so that clocks and temperature are those of the run."""
    import torch

    def run(least: float) -> int:
        begin, count = time.perf_counter(), 0
        while time.perf_counter() - begin < least:
            for _ in range(burst):
                call()
            torch.cuda.synchronize()
            count += burst
        return count

    run(seconds / 2)
    start = time.perf_counter()
    begin, calls = counter.joules(), 0
    while time.perf_counter() - start < seconds:
        calls += run(seconds / 8)
    spent, whole = counter.joules() - begin, time.perf_counter() - start
    return Energy(1e6 * whole / calls, spent / calls, spent / whole, calls)
