"""Arguments for `al.TensorMap` parameters: a map's type and an array come in; what a backend takes for the map goes
out: words that code for the CPU reads, or the 128 bytes of the CUDA driver, encoded once for each array, layout and
type.

What was made is kept in tables that compiled host code reads too (`native/host/maps.c`): a launch with arrays that a
table knows runs no Python."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from avelang.ir.types import MapType
from avelang.isa.tensor_map import MOST_RANK, WORDS, torn
from avelang.native.layouts import Maps, TensorMapRecord, Wide
from avelang.runtime.arrays import CPU, Array
from avelang.runtime.native import native

if TYPE_CHECKING:
    from avelang.frontend.signature import ParamSpec
    from avelang.runtime.arguments import BoundArguments

ALIGN = 64
# CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion (CUDA driver API, cuda.h).
DTYPES = {
    "u8": 0, "i8": 0, "f8e4m3fn": 0, "f8e5m2": 0, "f8e4m3fnuz": 0, "f8e5m2fnuz": 0, "u16": 1, "i16": 1, "u32": 2,
    "i32": 3, "u64": 4, "i64": 5,
    "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}  # fmt: skip
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
PROMOTE_128, PROMOTE_256 = 2, 3
UNIT = 16  # bytes that strides are multiples of
FIRST_KEPT, MOST_KEPT = 64, 8192  # records of a table: 256 bytes each

Call = Callable[..., None]  # calls a function of the driver by its name; raises where it fails


class MapTable:
    """The descriptors that were encoded for one type of map, of arrays that are read or (`stored`) written. It grows
    with each new array, up to MOST_KEPT records; then new ones replace old ones."""

    def __init__(self, t: MapType, stored: bool = False):
        self.type, self.rank, self.stored = t, t.rank, stored
        self.maps = Maps()
        self.address = ctypes.addressof(self.maps)
        self.used = 0
        self._lock = threading.Lock()
        self._memory = self._replace(FIRST_KEPT, ())

    def _key(self, array: Array) -> Any:
        padding = (0,) * (MOST_RANK - self.rank)
        return (ctypes.c_int64 * 12)(array.address, *array.shape, *padding, *array.strides, *padding, 1)

    def find(self, array: Array) -> Wide | None:
        """A copy of what the table has for an array of the map's rank, or None."""
        wide = _wide(array.address)
        return wide if native().map_find(self.maps, self._key(array), self.rank, wide) else None

    def keep(self, array: Array, wide: Any) -> None:
        """Puts what was made of an array into the table. `wide`: memory that begins with the 128 bytes. Of arrays
        that are written, not of one that stores would write past the rows of: that is said by the slow path, each
        time."""
        if self.stored and torn(self.type, array.shape):
            return
        with self._lock:
            size = self.maps.mask + 1
            if 2 * self.used >= size and size < MOST_KEPT:
                self._memory = self._replace(2 * size, self.records())
            self.used += native().map_keep(self.maps, self._key(array), self.rank, wide)

    def records(self) -> Iterator[TensorMapRecord]:
        """The records in use."""
        every = (TensorMapRecord * (self.maps.mask + 1)).from_address(self.maps.records or 0)
        return (record for record in every if record.key[11])

    def _replace(self, size: int, records: Any) -> Any:
        memory = _aligned(TensorMapRecord * size)
        larger = Maps(ctypes.addressof(memory), size - 1)
        self.used = sum(native().map_keep(larger, record.key, self.rank, record.value) for record in records)
        # Another thread may launch between the two: the new memory has room for the old mask, and keys are compared in
        # full.
        self.maps.records = larger.records
        self.maps.mask = larger.mask
        return memory


_tables: dict[tuple[MapType, str, bool], MapTable] = {}


def table(t: MapType, place: str, stored: bool = False) -> MapTable:
    """The table for a type of map; `place`: "cpu", or the kind of a driver; `stored`: of maps that a kernel stores
    to. It lives as long as the process."""
    key = t, place, stored
    return _tables.get(key) or _tables.setdefault(key, MapTable(t, stored))


def _aligned(kind: Any) -> Any:
    raw = bytearray(ctypes.sizeof(kind) + ALIGN)
    start = ctypes.addressof(ctypes.c_char.from_buffer(raw))
    return kind.from_buffer(raw, -start % ALIGN)


def _wide(address: int) -> Wide:
    wide = _aligned(Wide)
    wide.word = address
    return wide


def words(t: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """The words that `map_word` of the IR reads, in memory that must live as long as the launch. `strides` in bytes."""
    padding = (0,) * (MOST_RANK - t.rank)
    return (ctypes.c_int64 * WORDS)(address, *shape, *padding, *strides, *padding)


def _maps(
    specs: Sequence[ParamSpec], bound: BoundArguments, written: frozenset[str], place: str
) -> list[tuple[int, MapTable, Array]]:
    """(place among the slots, table, array) of a launch's tensor maps."""
    return [
        (i, table(spec.map, place, spec.name in written), bound.values[i])
        for i, spec in enumerate(specs)
        if spec.map is not None
    ]


def keep_words(specs: Sequence[ParamSpec], bound: BoundArguments, written: frozenset[str]) -> None:
    """Makes launches on the CPU with the same arrays fast: `bound` is one that was checked. `written`: names of
    parameters that the kernel stores to."""
    for (_, known, array), made in zip(_maps(specs, bound, written, CPU), bound.maps, strict=True):
        known.keep(array, made)


def encode_all(driver: Any, specs: Sequence[ParamSpec], bound: BoundArguments, written: frozenset[str]) -> None:
    """Puts the addresses of the driver's descriptors into the slots of a launch's tensor maps. `written`: names of
    parameters that the kernel stores to. Raises D035."""

    for i, known, array in _maps(specs, bound, written, driver.kind):
        wide = known.find(array)
        if wide is None:
            wide = made(driver, known, array.address, array.shape, array.strides)
            known.keep(array, wide)
        # The table may have other arrays in its memory by the time the driver reads: the launch has a copy.
        bound.maps.append(wide)
        bound.slots[i] = ctypes.addressof(wide)


def made(driver: Any, known: MapTable, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Wide:
    """The driver's descriptor, on the thread's device, of an array like one that was checked. Raises D035."""

    def call(name: str, *args: Any) -> None:
        driver.must(f"encoding a tensor map by {name}", "encode", *args)

    return encode(call, known.type, address, shape, strides)


def _steps(t: MapType, shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """Strides as the driver takes them, in bytes: the last but one dimension first. Where an extent is 1 the array's
    own need not be legal."""
    steps, inner = [], shape[-1] * t.dtype.bytes
    for extent, stride in zip(reversed(shape[:-1]), reversed(strides[:-1]), strict=True):
        steps.append(stride if extent > 1 else -(-inner // UNIT) * UNIT)
        inner = extent * steps[-1]
    return steps


def encode(call: Call, t: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Wide:
    """Memory that begins with the driver's descriptor. Dimensions go to the driver with the contiguous one first,
    strides without it.

    `strides` in bytes. The array must be one that `isa.tensor_map.faults` has nothing against (CUDA driver API,
    cuTensorMapEncodeTiled)."""
    wide = _wide(address)
    extents = (ctypes.c_uint64 * t.rank)(*reversed(shape))
    steps = (ctypes.c_uint64 * max(1, t.rank - 1))(*_steps(t, shape, strides))
    box = (ctypes.c_uint32 * t.rank)(*reversed(t.box))
    every = (ctypes.c_uint32 * t.rank)(*(1,) * t.rank)
    call(
        "cuTensorMapEncodeTiled", ctypes.c_void_p(ctypes.addressof(wide)), DTYPES[t.dtype.name], t.rank,
        ctypes.c_void_p(address), extents, steps,
        box, every, 0, SWIZZLES[t.swizzle], PROMOTE_256 if t.box[-1] * t.dtype.bytes >= 256 else PROMOTE_128,
        int(t.nan),
    )  # fmt: skip
    return wide
