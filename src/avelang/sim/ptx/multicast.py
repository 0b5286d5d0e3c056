"""Multicast objects: one range of addresses that stands for several replicas of memory, each on a GPU of its own; here
they are arrays of this process. PTX ISA 9.0, 9.7.9.14, "multimem": only its instructions reach such addresses; an
access by any other is undefined there, and an error here."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.base.errors import error
from avelang.base.takes import takes
from avelang.sim.ptx.barriers import HostMisuse, Outside

if TYPE_CHECKING:
    from avelang.sim.ptx.run import PtxLaunch


class Multicast:
    """A multicast object (CUDA's `cuMulticastCreate`): a range of addresses of which `multimem` instructions reach all
    replicas. `address`: where it begins, an argument for kernels; `nbytes`: its size in bytes.

    `replicas`: NumPy arrays of the same bytes, without gaps, the memory of one GPU each; they need not be given as
    `memory` of the launch, unless ordinary instructions are to reach them. `name` is for reports. Raises X036. """

    @takes()
    def __init__(self, replicas: Sequence[Any], name: str = "multicast"):
        sizes = {a.nbytes for a in replicas}
        if len(sizes) != 1 or not all(a.flags.c_contiguous for a in replicas) or 0 in sizes:
            raise error("X036", kernel=name, what=f"a multicast object of {len(replicas)} replicas",
                why="they are arrays without gaps, of the same number of bytes each")  # fmt: skip
        self.replicas, self.name, self.nbytes = list(replicas), name, sizes.pop()
        self._bytes = [a.reshape(-1).view(np.uint8) for a in self.replicas]
        # Addresses that nothing else in this process has, and that fault where somebody uses them.
        self._reserved = mmap.mmap(-1, self.nbytes, prot=0)
        self.address = int(np.frombuffer(self._reserved, np.uint8).ctypes.data)

    def at(self, offset: int, nbytes: int) -> list[np.ndarray]:
        """The bytes at an offset, a view of each replica."""
        return [b[offset : offset + nbytes] for b in self._bytes]

    def spans(self) -> list[tuple[int, int, str, bool]]:
        """(start, end, name, whether it may be written) of each replica."""
        return [(b.ctypes.data, b.ctypes.data + b.nbytes, f"replica {k} of {self.name}", bool(b.flags.writeable))
            for k, b in enumerate(self._bytes)]  # fmt: skip


def found(launch: PtxLaunch, address: int, nbytes: int, write: bool, lane: int) -> tuple[Multicast, int]:
    """(the multicast object, the offset in it) of an address. Raises HostMisuse, Outside."""
    for m in launch.multicast:
        if m.address <= address and address + nbytes <= m.address + m.nbytes:
            if write and not all(r.flags.writeable for r in m.replicas):
                raise Outside(address, nbytes, lane, readonly=True)
            return m, address - m.address
    known = ", ".join(f"`{m.name}` of {m.nbytes} bytes at {m.address:#x}" for m in launch.multicast)
    raise HostMisuse(f"{nbytes} bytes at {address & (1 << 64) - 1:#x} are not in a multicast object; the launch has "
        f"{known or 'none'}", lane)  # fmt: skip


def inside(launch: PtxLaunch, address: int) -> Multicast | None:
    """The multicast object that holds an address."""
    return next((m for m in launch.multicast if m.address <= address < m.address + m.nbytes), None)
