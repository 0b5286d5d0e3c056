"""A kernel's metadata and the arguments of a launch come in; the kernel argument segment and the memory that it points at go out.

Source: LLVM, "User Guide for AMDGPU Backend", Code Object V5 Metadata, kinds of arguments.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from avelang.amdgcn.asm import Argument, Kernel
from avelang.base.errors import error
from avelang.sim.amdgcn.machine import Dim3, Launch, Machine, Run

FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def hidden(kind: str, grid: Dim3, block: Dim3, dynamic_lds: int) -> int:
    """The value of an argument that the runtime gives. Whole workgroups are launched, so that no remainder is left; what is not modeled here,
    such as the buffers of host calls, is a null pointer."""
    name, _, axis = kind.removeprefix("hidden_").rpartition("_")
    if axis in ("x", "y", "z"):
        n = "xyz".index(axis)
        return {"block_count": grid[n], "group_size": block[n]}.get(name, 0)
    dims = max((n + 1 for n in range(3) if grid[n] * block[n] > 1), default=1)
    return {"hidden_grid_dims": dims, "hidden_dynamic_lds_size": dynamic_lds}.get(kind, 0)


def explicit(kernel: Kernel) -> list[Argument]:
    """The arguments that the caller gives."""
    return [a for a in kernel.arguments if not a.kind.startswith("hidden_")]


def pack(kernel: Kernel, values: Sequence[int], grid: Dim3, block: Dim3, dynamic_lds: int = 0) -> bytes:
    """The kernel argument segment. `values`: the bits of each explicit argument. Raises X027 where their number is not the kernel's."""
    wanted = explicit(kernel)
    if len(values) != len(wanted):
        raise error("X027", kernel=kernel.name, what=f"{len(values)} arguments", why=f"its metadata names {len(wanted)}")
    size = max([kernel.get("kernarg_size"), *(a.offset + a.size for a in kernel.arguments)])
    out = bytearray(size)
    given = iter(values)
    for a in kernel.arguments:
        value = hidden(a.kind, grid, block, dynamic_lds) if a.kind.startswith("hidden_") else next(given)
        out[a.offset : a.offset + a.size] = (value & (1 << 8 * a.size) - 1).to_bytes(a.size, "little")
    return bytes(out)


def bits(kernel: Kernel, a: Argument, value: Any) -> int:
    """An argument's bits: an array's address; a NumPy scalar's own bytes; a Python float in the argument's size; an int."""
    if isinstance(value, np.ndarray):
        if a.size != 8:
            raise error("X027", kernel=kernel.name, what=f"an array for argument {a.name or a.offset}", why=f"it is a number of {a.size} bytes")
        return value.ctypes.data
    if isinstance(value, np.generic):
        return int.from_bytes(value.tobytes(), "little")
    if isinstance(value, float):
        return int.from_bytes(struct.pack(FLOATS[a.size], value), "little")
    if isinstance(value, int):
        return value
    raise error("X027", kernel=kernel.name, what=f"argument {a.name or a.offset}", why=f"it is a NumPy array or a number, not {type(value).__name__}")


def span(a: np.ndarray) -> tuple[int, int]:
    """First address and end of an array's memory."""
    low, high = np.lib.array_utils.byte_bounds(a) if hasattr(np.lib, "array_utils") else np.byte_bounds(a)  # type: ignore[attr-defined]
    return int(low), int(high)


def run(machine: Machine, grid: Dim3, block: Dim3, *args: Any, dynamic_lds: int = 0, threads: int = 1) -> Run:
    """Launches a kernel on NumPy arrays and numbers, as its metadata orders them. None stands for a null pointer.

    Raises X020 to X027 as `Machine.launch`.
    """
    kernel = machine.kernel
    wanted = explicit(kernel)
    values = [0 if v is None else bits(kernel, a, v) for a, v in zip(wanted, args, strict=False)] + [0] * (len(args) - len(wanted))
    kernarg = pack(kernel, values, grid, block, dynamic_lds)
    regions = [span(v) for v in args if isinstance(v, np.ndarray)]
    return machine.launch(Launch(grid, block, kernarg, regions, dynamic_lds), threads)
