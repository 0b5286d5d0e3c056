"""Arguments for `al.TensorMap` parameters: a map's type and an array come in; what a backend takes for the map goes out: words that code for the CPU
reads, or the 128 bytes of the CUDA driver, encoded once for each array, layout and type."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from avelang.ir.types import MapType
from avelang.isa.tensor_map import MOST_RANK, WORDS

if TYPE_CHECKING:
    from avelang.frontend.signature import ParamSpec
    from avelang.runtime.arguments import Bound

BYTES, ALIGN = 128, 64
# CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion (CUDA driver API, cuda.h).
DTYPES = {
    "u8": 0, "i8": 0, "f8e4m3fn": 0, "f8e5m2": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}  # fmt: skip
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
PROMOTE_128, PROMOTE_256 = 2, 3
MOST_KEPT = 4096

Call = Callable[..., None]  # calls a function of the driver by its name; raises where it fails
_encoded: dict[Any, Any] = {}


def words(t: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """What `map_word` of the IR reads, as memory that must live as long as the launch. `strides` in bytes."""
    padding = (0,) * (MOST_RANK - t.rank)
    return (ctypes.c_int64 * WORDS)(address, *shape, *padding, *strides, *padding)


def encode_all(driver: Any, specs: Sequence[ParamSpec], bound: Bound) -> None:
    """Puts the addresses of the driver's descriptors into the slots of a launch's tensor maps. Raises D035."""

    def call(name: str, *args: Any) -> None:
        driver.must(f"encoding a tensor map by {name}", "encode", *args)

    for i, (spec, array) in enumerate(zip(specs, bound.values, strict=True)):
        if spec.map is not None:
            bound.slots[i] = encoded(call, spec.map, array.address, array.shape, array.strides)


def encoded(call: Call, t: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The address of the driver's 128 bytes for an array on a GPU, aligned to 64; they stay where they are. `strides` in bytes."""
    key = (t, address, shape, strides)
    found = _encoded.get(key)
    if found is None:
        if len(_encoded) >= MOST_KEPT:
            del _encoded[next(iter(_encoded))]
        found = _encoded[key] = encode(call, t, address, shape, strides)
    return _aligned(found)


def _aligned(memory: Any) -> int:
    return -(-ctypes.addressof(memory) // ALIGN) * ALIGN


def encode(call: Call, t: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """Memory that holds the driver's descriptor. Dimensions go to the driver with the contiguous one first, strides without it."""
    memory = ctypes.create_string_buffer(BYTES + ALIGN)
    extents = (ctypes.c_uint64 * t.rank)(*reversed(shape))
    steps = (ctypes.c_uint64 * max(1, t.rank - 1))(*reversed(strides[:-1]))
    box = (ctypes.c_uint32 * t.rank)(*reversed(t.box))
    every = (ctypes.c_uint32 * t.rank)(*(1,) * t.rank)
    call(
        "cuTensorMapEncodeTiled", ctypes.c_void_p(_aligned(memory)), DTYPES[t.dtype.name], t.rank, ctypes.c_void_p(address), extents, steps, box,
        every, 0, SWIZZLES[t.swizzle], PROMOTE_256 if t.box[-1] * t.dtype.bytes >= 256 else PROMOTE_128, int(t.nan),
    )  # fmt: skip
    return memory
