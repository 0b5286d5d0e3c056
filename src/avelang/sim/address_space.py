"""Memory by address: int64 addresses of whole waves come in, bytes go out; an `AccessFault` is raised where an access
is not allowed.

Global memory is a virtual address space in which each array argument has an address of its own. Shared and local memory
are byte arrays with a shadow that knows which bytes were written; their addresses are byte offsets from the start of
the block's or the lane's memory."""

from __future__ import annotations

import bisect
import ctypes
import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from avelang.ir.types import GLOBAL, LOCAL

# between the starts of two global allocations: no 32-bit index of 8-byte elements reaches from one to the other
APART = 1 << 38
RED_ZONE = 64  # unused bytes between two allocations of shared or local memory, so that a small overrun is seen
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class AccessFault(Exception):
    """An access that is not allowed.

    `kind`: "bounds" (outside every allocation), "extent" (an index outside a tensor's extents), "unwritten" (memory
    that nothing wrote), "readonly", "register" (an index outside a register vector), "race", "flight" and "guard"
    (bytes that a running copy will write, or reads), "proxy" (a proxy fence is missing), "registers" and "sync"
    (`other` says what is wrong). `lane` is the lowest active lane for which it holds; `byte` is the first offending
    byte among the bytes that the lane accesses; `address` is where that access begins."""

    def __init__(self, kind: str, lane: int, byte: int = 0, address: int = 0, size: int = 0,
                 space: AddressSpace | None = None, other: Any = None):
        super().__init__(kind)
        self.kind, self.lane, self.byte, self.address, self.size, self.space, self.other = (
            kind,
            lane,
            byte,
            address,
            size,
            space,
            other,
        )


class Mask:
    """The active lanes: `active` bool (lanes,), `count` of them, whether all (`full`), and the `first`."""

    __slots__ = ("active", "count", "first", "full")

    def __init__(self, active: np.ndarray):
        self.active = active
        self.count = int(np.count_nonzero(active))
        self.full = self.count == len(active)
        self.first = int(active.argmax())

    def real(self, lane: int) -> int:
        """The lane to name for a fault seen in `lane`: inactive lanes have done what the first active one did."""
        return lane if self.active[lane] else self.first


@dataclasses.dataclass(slots=True)
class Alloc:
    """A piece of memory: its address and size in bytes, and the name that messages give it. `undefined`: what nothing
    wrote may be read, and is NaN."""

    name: str
    start: int
    size: int
    writable: bool = True
    undefined: bool = False

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.start + self.size


class Buffer:
    """Bytes that are read and written as the widest words that offset and size allow. `shadow`: 1 for each byte that
    was written."""

    def __init__(self, data: np.ndarray, shadow: np.ndarray | None = None):
        self.words = {w: data[: len(data) // w * w].view(t) for w, t in _WORDS.items()}
        self.shadow = None if shadow is None else {w: shadow[: len(data) // w * w].view(t) for w, t in _WORDS.items()}

    @staticmethod
    def indices(offset: np.ndarray, size: int) -> tuple[int, np.ndarray, int]:
        """(word size, indices of words of shape offset.shape + (words,), words)"""
        low = (int(np.bitwise_or.reduce(offset, axis=None)) | size) & 7
        w = 8 if low == 0 else low & -low
        n = size // w
        index = (offset if w == 1 else offset // w)[..., None]
        return w, index if n == 1 else index + np.arange(n), n

    def gather(self, offset: np.ndarray, size: int) -> np.ndarray:
        """uint8, offset.shape + (size,): `size` bytes from each byte offset."""
        w, index, _ = self.indices(offset, size)
        return self.words[w].take(index).view(np.uint8)

    def unwritten(self, offset: np.ndarray, size: int) -> np.ndarray | None:
        """bool, offset.shape + (size,): which of those bytes nothing has written; None where all were, or where there
        is no shadow."""
        if self.shadow is None:
            return None
        w, index, _ = self.indices(offset, size)
        seen = self.shadow[w].take(index)
        if (seen == _WRITTEN[w]).all():
            return None
        return seen.view(np.uint8) == 0

    def scatter(self, offset: np.ndarray, data: np.ndarray) -> None:
        """Writes uint8, offset.shape + (size,), in order: the last of those that write one byte wins."""
        w, index, _ = self.indices(offset, data.shape[-1])
        # NumPy promises that of repeated indices the last assignment stays.
        self.words[w][index] = np.ascontiguousarray(data).view(_WORDS[w])
        if self.shadow is not None:
            self.shadow[w][index] = _WRITTEN[w]


class OutputBuffer(Buffer):
    """An array that the kernel writes: which bytes it has written, and whether it has read any. What stands there at
    first is the caller's."""

    def __init__(self, data: np.ndarray):
        super().__init__(data, np.zeros(len(data), np.uint8))
        self.read = False

    def gather(self, offset: np.ndarray, size: int) -> np.ndarray:
        """As `Buffer.gather`; remembers that the array was read."""
        self.read = True
        return super().gather(offset, size)

    def unwritten(self, offset: np.ndarray, size: int) -> np.ndarray | None:
        """None: at first its bytes are the caller's."""
        return None

    def missing(self, array: np.ndarray, start: int) -> np.ndarray:
        """bool, of the array's shape: elements of which nothing wrote the first byte. `start`: the address of the
        buffer's first byte in the host."""
        assert self.shadow is not None
        at = array.__array_interface__["data"][0] - start
        return np.ndarray(array.shape, np.uint8, self.shadow[1].data, at, array.strides) == 0


_WRITTEN = {w: t(int.from_bytes(b"\x01" * w, "little")) for w, t in _WORDS.items()}


class AddressSpace:
    """One address space: allocations in ascending order, and for each the buffer that holds it.

    `stride` is 0 except for local memory, where lane i's bytes begin at i * stride of the one buffer.
    """

    def __init__(self, name: str, allocs: Sequence[Alloc], buffers: Sequence[Buffer], stride: int = 0):
        self.name = name
        self.allocs = list(allocs)
        self.buffers = list(buffers)
        self.stride = stride
        self.starts = [a.start for a in self.allocs]
        self.ends = [a.end for a in self.allocs]
        self.origins = self.starts if name == GLOBAL else [0] * len(self.allocs)  # the address of a buffer's first byte
        self.flights: list[Any] = []  # of `sim.async_copies`: copies whose data will arrive here,
        self.guards: list[Any] = []  # and those that read here,
        self._reading: np.ndarray | None = None  # how many of them read each byte,
        self._due: np.ndarray | None = None  # and on which data will arrive
        self.disturbed: Any = None  # what raises the fault of an access to their bytes

    def _lookup(self, address: np.ndarray, size: int, mask: Mask) -> tuple[int, np.ndarray | None]:
        """(index of the allocation, None) where all lanes address one, else (-1, indices). Raises AccessFault."""
        low, high = int(np.minimum.reduce(address, axis=None)), int(np.maximum.reduce(address, axis=None)) + size
        at = bisect.bisect_right(self.starts, low) - 1
        if at >= 0 and high <= self.ends[at]:
            return at, None
        if not self.starts:
            raise AccessFault("bounds", mask.first, 0, low, size, self)
        which = np.searchsorted(self.starts, address, side="right") - 1
        wrong = (which < 0) | (address + size > np.array(self.ends)[which])
        if wrong.any():
            hit = tuple(int(i[0]) for i in np.nonzero(wrong))
            first = int(address[hit])
            inside = max(0, self.ends[which[hit]] - first) if which[hit] >= 0 else 0
            raise AccessFault("bounds", mask.real(hit[0]), (hit[1] * size if len(hit) == 2 else 0) + inside, first,
                              size, self)
        return -1, which

    def _prepare(self, address: np.ndarray, mask: Mask) -> np.ndarray:
        """Addresses in which inactive lanes do what the first active lane does."""
        if mask.full:
            return address
        active = mask.active if address.ndim == 1 else mask.active[:, None]
        return np.where(active, address, address[mask.first])

    def _lanes(self, address: np.ndarray, mask: Mask) -> np.ndarray:
        """Local addresses as offsets into the buffer of all lanes."""
        own = np.arange(len(address)) if mask.full else np.where(mask.active, np.arange(len(address)), mask.first)
        return address + (own if address.ndim == 1 else own[:, None]) * self.stride

    def load(self, address: np.ndarray, size: int, mask: Mask) -> np.ndarray:
        """uint8, address.shape + (size,), of int64 addresses (lanes,) or (lanes, n); anything in inactive lanes. Raises
        AccessFault."""
        address = self._prepare(address, mask)
        at, which = self._lookup(address, size, mask)
        if which is None or self.name != GLOBAL:
            offset = self._lanes(address, mask) if self.stride else address - self.origins[at]
            buffer = self.buffers[max(at, 0)]
            missing = buffer.unwritten(offset, size)
            if missing is not None:
                if self.flights:
                    self.disturbed(self, address, size, mask, False)
                *hit, byte = (int(i[0]) for i in np.nonzero(missing))
                element = hit[1] if len(hit) == 2 else 0
                raise AccessFault("unwritten", mask.real(hit[0]), element * size + byte, int(address[tuple(hit)]),
                                  size, self)
            return buffer.gather(offset, size)
        out = np.empty((*address.shape, size), np.uint8)
        for i in np.unique(which).tolist():
            here = which == i
            out[here] = self.buffers[i].gather(address[here] - self.origins[i], size)
        return out

    def store(self, address: np.ndarray, data: np.ndarray, mask: Mask) -> None:
        """Writes uint8, address.shape + (size,), lanes in order, active lanes only. Raises AccessFault."""
        size = data.shape[-1]
        at, which = self._lookup(self._prepare(address, mask), size, mask)
        if self.flights or self.guards:
            self.disturbed(self, address, size, mask, False)
            self.disturbed(self, address, size, mask, True)
        lanes = slice(None) if mask.full else mask.active
        if which is None or self.name != GLOBAL:
            if not self.allocs[at].writable:
                raise AccessFault("readonly", mask.first, 0, int(address[mask.first].min()), size, self)
            offset = self._lanes(address, mask) if self.stride else address - self.origins[at]
            self.buffers[max(at, 0)].scatter(offset[lanes], data[lanes])
            return
        which[~mask.active] = -1
        for i in np.unique(which[mask.active]).tolist():
            here = which == i
            if not self.allocs[i].writable:
                lane = int(np.nonzero(here)[0][0])
                raise AccessFault("readonly", lane, 0, int(address[lane].min()), size, self)
            self.buffers[i].scatter(address[here] - self.origins[i], data[here])

    def expect(self, address: np.ndarray, mask: Mask, flight: Any) -> None:
        """Data of `flight` will arrive at these byte addresses, (rows, bytes): until then they count as never written.
        Raises AccessFault."""
        at, which = self._lookup(address, 1, mask)
        if which is not None:
            at = int(which.flat[0])
        if not self.allocs[at].writable:
            raise AccessFault("readonly", 0, 0, int(address.min()), 1, self)
        if self.flights or self.guards:
            self.disturbed(self, address, 1, mask, False)
            self.disturbed(self, address, 1, mask, True)
        shadow = self.buffers[at].shadow if self.name != GLOBAL else None  # of an output it says what was written
        if shadow is not None:
            shadow[1][address - self.origins[at]] = 0
            self.flights.append(flight)
            if self._due is None:
                self._due = np.zeros(max(self.ends), bool)
            self._due[address] = True

    def arrive(self, address: np.ndarray, data: np.ndarray, mask: Mask) -> None:
        """Data that was expected is there: uint8 (rows, bytes)."""
        if self._due is not None:
            self._due[address] = False
        waiting, self.flights, reading, self.guards = self.flights, [], self.guards, []
        self.store(address, data[..., None], mask)
        self.flights, self.guards = waiting, reading

    def forget(self, at: int, size: int, mask: Mask) -> None:
        """Local memory: what active lanes wrote at `at` counts as never written."""
        shadow = self.buffers[0].shadow
        if shadow is not None:
            shadow[1].reshape(-1, self.stride)[mask.active, at : at + size] = 0

    def guard(self, flight: Any, at: np.ndarray) -> None:
        """Shared memory: these bytes must stay as they are, because `flight` reads them."""
        if self._reading is None:
            self._reading = np.zeros(max(self.ends), np.uint16)
        self._reading[at.reshape(-1)] += 1
        self.guards.append(flight)

    def unguard(self, flight: Any, at: np.ndarray) -> None:
        """Ends `guard` for that copy."""
        if flight in self.guards:
            assert self._reading is not None
            self._reading[at.reshape(-1)] -= 1
            self.guards.remove(flight)

    def guarded(self, at: np.ndarray) -> np.ndarray:
        """Shared memory: bool, which of these byte addresses must stay as they are."""
        return (
            self._reading[np.clip(at, 0, len(self._reading) - 1)] != 0
            if self._reading is not None
            else np.zeros(at.shape, bool)
        )

    def due(self, at: np.ndarray) -> np.ndarray:
        """Shared memory: bool, on which of these byte addresses data will arrive."""
        return self._due[np.clip(at, 0, len(self._due) - 1)] if self._due is not None else np.zeros(at.shape, bool)

    def nearest(self, address: int) -> Alloc | None:
        """The allocation whose bytes are closest to an address."""
        return min(self.allocs, key=lambda a: max(a.start - address, address - a.end, 0), default=None)

    def holder(self, address: int) -> Alloc | None:
        """The allocation that holds an address."""
        return next((a for a in self.allocs if a.start <= address < a.end), None)


def scratch(name: str, allocs: Sequence[Alloc], lanes: int = 1) -> AddressSpace:
    """Fresh memory for `allocs`: shared (one copy), or local (a copy for each of `lanes`)."""
    size = -(-max((a.end for a in allocs), default=0) // 8) * 8 or 8
    data, shadow = np.zeros(size * lanes, np.uint8), np.zeros(size * lanes, np.uint8)
    for a in allocs:
        if a.undefined:  # of shared memory
            data[a.start : a.end], shadow[a.start : a.end] = 0xFF, 1
    return AddressSpace(name, allocs, [Buffer(data, shadow)] * max(1, len(allocs)), size if name == LOCAL else 0)


def place(sizes: Sequence[tuple[str, int, int]]) -> list[Alloc]:
    """Offsets for (name, bytes, alignment), one after another with a red zone between."""
    out, at = [], 0
    for name, size, align in sizes:
        at = -(-at // align) * align
        out.append(Alloc(name, at, size))
        at += size + RED_ZONE
    return out


def bounds_of(array: np.ndarray) -> tuple[int, int]:
    """First and one-past-last address in host memory of an array's bytes, whatever its strides."""
    start = array.__array_interface__["data"][0]
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)] if array.size else []
    low = start + sum(s for s in steps if s < 0)
    return low, low if not array.size else start + sum(s for s in steps if s > 0) + array.itemsize


def map_arrays(arrays: Sequence[tuple[str, np.ndarray]],
               outputs: Collection[str] = ()) -> tuple[AddressSpace, list[int]]:
    """The global address space of named arrays, and the virtual address of each one's first element. `outputs`: arrays
    of which it is noted what is written.

    Arrays that overlap in host memory overlap at the same distance here; all others lie far apart, at multiples of 256
    bytes below 2**47 (a buffer resource holds 48 bits of base)."""
    # Empty arrays come last, so that none stands between two that overlap.
    order = sorted(range(len(arrays)), key=lambda i: (arrays[i][1].size == 0, *bounds_of(arrays[i][1])))
    groups: list[tuple[int, int, list[int]]] = []
    for i in order:
        low, high = bounds_of(arrays[i][1])
        if groups and low < groups[-1][1] and high > low:
            first, last, members = groups.pop()
            groups.append((first, max(last, high), [*members, i]))
        else:
            groups.append((low, high, [i]))
    allocs, buffers, addresses, at = [], [], [0] * len(arrays), APART
    for low, high, members in groups:
        for i in members:
            addresses[i] = at + arrays[i][1].__array_interface__["data"][0] - low
        name = "/".join(arrays[i][0] for i in sorted(members))
        allocs.append(Alloc(name, at, high - low, all(arrays[i][1].flags.writeable for i in members)))
        held = (ctypes.c_uint8 * (high - low)).from_address(low)
        kind = OutputBuffer if len(members) == 1 and high > low and name in outputs else Buffer
        buffers.append(kind(np.ctypeslib.as_array(held) if high > low else np.zeros(0, np.uint8)))
        at += APART * (1 + (high - low) // APART)
    return AddressSpace(GLOBAL, allocs, buffers), addresses
