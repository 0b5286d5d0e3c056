"""A specialization and its arrays come in; the kernel runs: executed on the CPU, or assembled and launched on an NVIDIA
GPU. Tensor maps are made for the arrays."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.lazy import np
from avelang.frontend.signature import ParamSpec
from avelang.ir.dtypes import BY_NAME
from avelang.ir.types import MapType
from avelang.isa.tensor_map import box_fault, faults
from avelang.ptx import cpu_run, machine_code
from avelang.runtime import devices, streams, tensor_maps
from avelang.runtime.arguments import BoundArguments, Parameters
from avelang.runtime.arrays import Array
from pyptx._errors import PyptxUnsupportedError, bad_value, fail
from pyptx.specs import SWIZZLES, Layout, Tile
from pyptx.types import ALL

if TYPE_CHECKING:
    from pyptx._call import SizedKernel

COLUMNS, PADDED = 64, 72  # of a map of rank 3: columns that stand together; with those that only shared memory has
_BOX_ROWS, _PLAIN_BYTES = 128, 128  # of a box that nobody has named


def tensor_map(kernel: str, name: str, tile: Tile, array: Array) -> tuple[MapType, tuple[int, ...], tuple[int, ...]]:
    """(type, shape, strides in bytes) of an array's tensor map, the contiguous dimension last. Raises
    PyptxUnsupportedError and ValueError (T241) for one that there cannot be."""
    assert array.dtype is not None
    dtype, swizzle = array.dtype, SWIZZLES.get(tile.layout, 0)
    if len(array.shape) != 2:
        raise fail(PyptxUnsupportedError, kernel, f"a tensor map of {name!r}, which has rank {len(array.shape)}; "
                   "it is for matrices")  # fmt: skip
    rows, columns = array.shape
    if tile.tma_rank == 3:
        found = _columns(kernel, name, tile, dtype, rows, columns)
    else:
        box_rows, box_columns = tile.tma_box or (_BOX_ROWS, (swizzle or _PLAIN_BYTES) // dtype.bytes)
        box = (min(box_rows, rows), min(box_columns, columns)) if tile.tma_box is None else (box_rows, box_columns)
        found = MapType(dtype, box, swizzle), (rows, columns), (columns * dtype.bytes, dtype.bytes)
    why = box_fault(found[0]) or faults(found[0], array.address, found[1], found[2])
    if why:
        raise bad_value(kernel, f"the tensor map of {name!r}, {tile!r}: {why}")
    return found


def _columns(kernel: str, name: str, tile: Tile, dtype: Any, rows: int, columns: int) -> Any:
    """The map of rank 3: columns of 64 elements beside each other."""
    if tile.tma_box is None or columns % COLUMNS or tile.tma_box[1] % COLUMNS:
        why = f"rank 3 needs tma_box=(rows, columns), columns in multiples of {COLUMNS}"
        raise bad_value(kernel, f"the tensor map of {name!r}, {tile!r}: {why}")
    swizzle = 128 if tile.layout is Layout.TMA_128B else 0
    box = (tile.tma_box[1] // COLUMNS, tile.tma_box[0], PADDED if tile.tma_padding else COLUMNS)
    shape = (columns // COLUMNS, rows, COLUMNS)
    return MapType(dtype, box, swizzle), shape, (COLUMNS * dtype.bytes, columns * dtype.bytes, dtype.bytes)


def _maps(special: SizedKernel, arrays: Sequence[Array]) -> list[tuple[str, Array, tuple[Any, ...]]]:
    """(name, array, map) of the descriptors that the kernel takes."""
    kernel, out = special.kernel, []
    for use in special.traced.descriptors:
        if not 0 <= use.tensor < len(special.tiles):
            raise bad_value(kernel.name, f"{use.parameter}: its tensor has no Tile")
        name, array = kernel.names[use.tensor], arrays[use.tensor]
        out.append((name, array, tensor_map(kernel.name, name, special.tiles[use.tensor], array)))
    return out


# -- the CPU -----------------------------------------------------------------------------------------------------------


def on_cpu(special: SizedKernel, arrays: Sequence[Array]) -> None:
    """Executes the PTX. Raises X errors, at the user's lines."""
    from avelang.sim.ptx.maps import PtxTensorMap

    names, inputs = special.kernel.names, len(special.kernel.in_specs)
    args: list[int | bytes] = [a.address for a in arrays]
    memory = [
        (a.address, a.span(), name, i >= inputs or (a.kind != "JAX" and not a.read_only))
        for i, (a, name) in enumerate(zip(arrays, names, strict=True))
        if a.size
    ]
    args += [0] * (len(special.kernel.positional) - len(arrays))  # tensors without a spec
    args += special.raw
    kept = []
    for name, array, (kind, shape, strides) in _maps(special, arrays):
        raw = PtxTensorMap(array.address, shape, strides, kind.dtype, kind.box, kind.swizzle).pack()
        room = np.zeros(len(raw) + 64, np.uint8)
        start = -room.ctypes.data % 64
        room[start : start + len(raw)] = np.frombuffer(raw, np.uint8)
        kept.append(room)
        address = room.ctypes.data + start
        args.append(address)
        memory.append((address, len(raw), f"the tensor map of {name}", False))
    cpu_run.execute(special.traced, args, memory, special.geometry, special.dynamic)


# -- NVIDIA GPUs -------------------------------------------------------------------------------------------------------

_encoded: dict[Any, Any] = {}
_lock = threading.Lock()
_MOST = 4096  # descriptors that stay on a device, one for each array and map; they are never written again


def _descriptor(device: Any, array: Array, found: tuple[Any, ...]) -> int:
    """The address on the device of an array's tensor map. Raises D035."""
    kind, shape, strides = found
    key = device.name, array.address, kind, shape, strides
    with _lock:
        place = _encoded.get(key)
        if place is None:
            driver = device.driver
            doing = f"a tensor map on {device.name}"
            wide = tensor_maps.encode(lambda name, *args: driver.must(f"encoding {doing} by {name}", "encode", *args),
                                      kind, array.address, shape, strides)  # fmt: skip
            place = ctypes.c_void_p()
            with driver.on(device, doing):
                if len(_encoded) >= _MOST:
                    _forget(driver)
                driver.must(doing, "allocate", ctypes.byref(place), 128)
                driver.must(doing, "to", place, ctypes.addressof(wide), 128)
            _encoded[key] = place
        return int(place.value or 0)


def _forget(driver: Any) -> None:
    """Gives back all descriptors. Freeing waits for the launches that may read them."""
    for place in _encoded.values():
        driver.call("free", place)
    _encoded.clear()


def _parameters(special: SizedKernel) -> Parameters:
    """What the runtime must know of the kernel's parameters."""
    kernel = special.kernel
    specs = [ParamSpec(name, "pointer", BY_NAME["u8"]) for name in kernel.positional] if kernel.specs else []
    kinds = [(x.name, ALL[f"u{max(8, x.type.bits)}"].ave.in_memory) for x in kernel.raw]
    specs += [ParamSpec(name, "scalar", dtype) for name, dtype in kinds]
    specs += [ParamSpec(use.parameter, "scalar", BY_NAME["u64"]) for use in special.traced.descriptors]
    return Parameters(kernel.name, specs, lambda name: kernel.span)


def on_gpu(special: SizedKernel, arrays: Sequence[Array], place: str, stream: int | None) -> None:
    """Assembles the kernel once for the device and puts a launch on a stream (None: the current one of the arrays'
    library). Raises L045, L046, D03 errors, L032."""
    kernel, traced = special.kernel, special.traced
    if place.partition(":")[0] != "cuda":
        raise traced.definition.fail("L045", device=place)
    device = devices.device(place)
    parameters = _parameters(special)
    program = special.programs.get(place)
    if program is None:
        if kernel.arch not in device.targets and kernel.arch != device.chip.name:
            raise traced.definition.fail("L046", arch=kernel.arch, device=device.name, chip=device.chip.name)
        sized = special.launched()
        program = special.programs[place] = machine_code.load(sized, parameters, device)
    slots = [a.address for a in arrays] + [0] * (len(kernel.positional) - len(arrays))
    slots += [int.from_bytes(x, "little") for x in special.raw]
    slots += [_descriptor(device, array, found) for _, array, found in _maps(special, arrays)]
    bound = BoundArguments(slots, list(slots), {}, {}, device=place)
    library = ""
    if stream is None:
        stream, library = streams.current(list(arrays), device.index)
        streams.order(list(arrays), stream, library, device)
    device.check_grid(kernel.name, special.geometry)
    program.run(special.geometry, bound, [s.name for s in parameters.specs], stream)
