"""A kernel's metadata and the arguments of a launch come in; the kernel argument segment and the memory that it points
at go out.

Source: LLVM, "User Guide for AMDGPU Backend", Code Object V5 Metadata, kinds of arguments.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from avelang.amdgcn.asm import MOST_BYTES, AsmKernel, KernelArg
from avelang.base.errors import counted, error
from avelang.base.takes import at_least, takes
from avelang.sim.amdgcn.machine import AmdMachine, Dim3, DispatchParams, DispatchResult
from avelang.sim.amdgcn.modeled import launched

FLOATS = {2: "<e", 4: "<f", 8: "<d"}
ADDRESS = 8  # bytes


def hidden(kind: str, grid: Dim3, block: Dim3, dynamic_lds: int) -> int:
    """The value of an argument that the runtime gives. Whole workgroups are launched, so that no remainder is left;
    what is not modeled here, such as the buffers of host calls, is a null pointer."""
    name, _, axis = kind.removeprefix("hidden_").rpartition("_")
    if axis in ("x", "y", "z"):
        n = "xyz".index(axis)
        return {"block_count": grid[n], "group_size": block[n]}.get(name, 0)
    dims = max((n + 1 for n in range(3) if grid[n] * block[n] > 1), default=1)
    return {"hidden_grid_dims": dims, "hidden_dynamic_lds_size": dynamic_lds}.get(kind, 0)


def explicit(kernel: AsmKernel) -> list[KernelArg]:
    """The arguments that the caller gives."""
    return [a for a in kernel.arguments if not a.kind.startswith("hidden_")]


def pack(kernel: AsmKernel, values: Sequence[int], grid: Dim3, block: Dim3, dynamic_lds: int = 0) -> bytes:
    """The kernel argument segment. `values`: the bits of each explicit argument. Raises X027 where their number is not
    the kernel's."""
    wanted = explicit(kernel)
    if len(values) != len(wanted):
        raise error("X027", kernel=kernel.name, what=counted(len(values), "argument"), why=_wanted(wanted))
    size = max([kernel.get("kernarg_size"), *(a.offset + a.size for a in kernel.arguments)])
    out = bytearray(size)
    given = iter(values)
    for a in kernel.arguments:
        value = hidden(a.kind, grid, block, dynamic_lds) if a.kind.startswith("hidden_") else next(given)
        out[a.offset : a.offset + a.size] = (value & (1 << 8 * a.size) - 1).to_bytes(a.size, "little")
    return bytes(out)


def _named(a: KernelArg) -> str:
    return f"`{a.name}`" if a.name else f"at byte {a.offset}"


def _kind(a: KernelArg) -> str:
    return "an address" if a.kind == "global_buffer" else f"a value of {counted(a.size, 'byte')}"


def _wanted(arguments: list[KernelArg]) -> str:
    said = ", ".join(f"{_named(a)} ({_kind(a)})" for a in arguments)
    return f"its metadata names {len(arguments)}: {said}" if arguments else "its metadata names none"


def bits(kernel: AsmKernel, a: KernelArg, value: Any) -> int:
    """An argument's bits: an array's address, 0 for None; a NumPy scalar's own bytes; a Python float in the argument's
    size; an int. Raises X027 for what does not fit."""

    def wrong(got: str) -> Exception:
        return error("X027", kernel=kernel.name, what=f"argument {_named(a)} is {_kind(a)}", why=f"it got {got}")

    if isinstance(value, np.ndarray):
        if a.size != ADDRESS:
            raise wrong(f"an array of {value.dtype}")
        return value.ctypes.data
    if isinstance(value, np.generic):
        if value.nbytes != a.size:
            raise wrong(f"{value.dtype} {value}, which has {counted(value.nbytes, 'byte')}")
        return int.from_bytes(value.tobytes(), "little")
    if isinstance(value, float) and a.size in FLOATS:
        return int.from_bytes(struct.pack(FLOATS[a.size], value), "little")
    if isinstance(value, int):
        if not -(1 << 8 * a.size - 1) <= value < 1 << 8 * a.size:
            raise wrong(f"{value}, which does not fit")
        return value
    if value is None:
        return 0
    raise wrong(f"a {type(value).__name__}; a NumPy array, a number or None is taken")


def span(a: np.ndarray) -> tuple[int, int]:
    """First address and end of an array's memory."""
    low, high = np.lib.array_utils.byte_bounds(a) if hasattr(np.lib,
        "array_utils") else np.byte_bounds(a)  # type: ignore[attr-defined]
    return int(low), int(high)


def segment(kernel: AsmKernel, given: bytes, grid: Dim3, block: Dim3, dynamic_lds: int = 0) -> bytes:
    """A kernel argument segment whose bytes the caller gives. Where they end before what metadata and descriptor say,
    hidden arguments follow as the metadata has them; what is left between is 0."""
    hide = [a for a in kernel.arguments if a.kind.startswith("hidden_") and a.offset >= len(given)]
    out = bytearray(given) + bytes(
        max([0, kernel.get("kernarg_size") - len(given), *(a.offset + a.size - len(given) for a in hide)])
    )
    for a in hide:
        out[a.offset : a.offset + a.size] = (hidden(a.kind, grid, block, dynamic_lds) & (1 << 8 * a.size) - 1).to_bytes(
            a.size, "little"
        )
    return bytes(out)


def _raw(
    machine: AmdMachine, grid: Dim3, block: Dim3, given: Any, memory: Any, dynamic_lds: int, threads: int
) -> DispatchResult:
    """A launch on a segment of bytes; `memory` are the arrays that it points at."""
    kernel = machine.kernel
    if not isinstance(given, (bytes, bytearray, memoryview, np.ndarray)):
        raise error(
            "X027", kernel=kernel.name, what=f"kernarg is a {type(given).__name__}",
            why="it is bytes, or an array of NumPy that holds them",
        )  # fmt: skip
    named = memory if isinstance(memory, Mapping) else {f"memory[{n}]": a for n, a in enumerate(memory)}
    for name, a in named.items():
        if not isinstance(a, np.ndarray) or not a.flags.writeable:
            got = "a read-only array" if isinstance(a, np.ndarray) else f"a {type(a).__name__}"
            raise error(
                "X027", kernel=kernel.name, what=f"{name} is {got}",
                why="the segment points at writable arrays of NumPy",
            )  # fmt: skip
    held = given.tobytes() if isinstance(given, np.ndarray) else bytes(given)
    kernarg = segment(kernel, held, grid, block, dynamic_lds)
    launch = DispatchParams(grid, block, kernarg, [span(a) for a in named.values()], dynamic_lds, names=list(named))
    return launched(machine, launch, threads)


@takes()
def run(
    machine: AmdMachine, grid: Dim3, block: Dim3, *args: Any, dynamic_lds: Annotated[int, at_least(0)] = 0,
    threads: Annotated[int, at_least(0)] = 1, kernarg: Any = None, memory: Sequence[Any] | Mapping[str, Any] = (),
) -> DispatchResult:  # fmt: skip
    """Launches a kernel on NumPy arrays and numbers, as its metadata orders them. None stands for a null pointer. Or on
    the bytes of its argument segment, `kernarg`, and the arrays at which addresses in them point, `memory`.

    Raises X020 to X027 as `AmdMachine.launch`. An array that is read-only is lent as a copy, and it is an error if the
    kernel writes that.
    """
    kernel = machine.kernel
    if not 0 <= kernel.get("kernarg_size") <= MOST_BYTES:
        raise error(
            "X027", kernel=kernel.name, what=f"{kernel.get('kernarg_size')} bytes of arguments",
            why=f"there are {MOST_BYTES} at most",
        )  # fmt: skip
    if kernarg is not None:
        if args:
            raise error(
                "X027", kernel=kernel.name, what=f"{counted(len(args), 'argument')} and kernarg=",
                why="the segment holds all arguments",
            )  # fmt: skip
        return _raw(machine, grid, block, kernarg, memory, dynamic_lds, threads)
    if len(memory):
        raise error("X027", kernel=kernel.name, what="memory=", why="it says what the addresses in kernarg= point at")
    wanted = explicit(kernel)
    copies = {n: v.copy() for n, v in enumerate(args) if isinstance(v, np.ndarray) and not v.flags.writeable}
    lent = [copies.get(n, v) for n, v in enumerate(args)]
    values = [bits(kernel, a, v) for a, v in zip(wanted, lent, strict=False)] + [0] * (len(args) - len(wanted))
    packed = pack(kernel, values, grid, block, dynamic_lds)
    arrays = [(_named(a).strip("`"), span(v)) for a, v in zip(wanted, lent, strict=True) if isinstance(v, np.ndarray)]
    launch = DispatchParams(
        grid, block, packed, [r for _, r in arrays], dynamic_lds, names=[name for name, _ in arrays]
    )
    done = launched(machine, launch, threads)
    for n, copy in copies.items():
        if copy.tobytes() != args[n].tobytes():
            raise error(
                "X027", kernel=kernel.name, what=f"argument {_named(wanted[n])}",
                why="it is a read-only array, and the kernel writes it",
            )  # fmt: skip
    return done
