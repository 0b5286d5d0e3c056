"""Any array that a user may pass comes in; where its memory is, with dtype, shape and strides, goes out. Nothing is
copied.

torch and JAX are recognized when the user has imported them, never imported from here. Sources: NumPy's array interface
protocol version 3; DLPack 1.1 (dlpack.h, DLManagedTensorVersioned) and the Python specification of the array API
standard, section "data interchange"; Numba's CUDA array interface version 3. """

from __future__ import annotations

import ctypes
import dataclasses
import operator
import sys
from typing import Any

import numpy as np

from avelang.ir import dtypes
from avelang.ir.dtypes import BY_NAME, DType

CPU = "cpu"
# Kinds of devices whose arrays are described in full, because Ave has a runtime for them; of others only the device is
# known.
GPUS = frozenset({"rocm", "cuda"})


@dataclasses.dataclass(slots=True)
class Array:
    """Memory that somebody else owns. `strides` are in bytes; `dtype` is None where Ave has no such type, `theirs` is
    the library's own.

    `device` is "cpu" for memory that the CPU can read, else "rocm:0" and the like; the CUDA array interface does not
    say whose GPU: "cuda". `keep` must live as long as the memory is used. `kind` says whose array it is, `via` how it
    was read: "numpy", "torch", "dlpack", "interface" or "cuda". `registered`: memory of the CPU that a GPU reaches at
    the same address (DLPack says so)."""

    kind: str
    address: int
    dtype: DType | None
    theirs: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: str
    keep: Any
    via: str = ""
    registered: bool = False

    @property
    def known(self) -> bool:
        """True where all of it is known: of memory that Ave has no runtime for, only the device is."""
        return _described(self.device)

    def pinned(self) -> bool:
        """True for memory of the CPU that GPUs reach too."""
        return self.registered or (self.via == "torch" and self.device == CPU and bool(self.keep.is_pinned()))

    @property
    def dtype_name(self) -> str:
        """The dtype in the library's words."""
        return str(self.theirs)

    @property
    def read_only(self) -> bool:
        """True for a NumPy array, or one of an array interface, that must not be written. (JAX calls all its arrays
        read-only; handing one over means to write into it.)"""
        if self.via in ("interface", "cuda"):
            return bool(self.keep[1]["data"][1])
        return self.kind == "NumPy" and isinstance(self.keep, np.ndarray) and not self.keep.flags.writeable

    @property
    def size(self) -> int:
        """The number of elements."""
        n = 1
        for extent in self.shape:
            n *= extent
        return n

    def contiguous(self) -> bool:
        """Row-major without gaps; the stride of an extent of 1 does not matter, and an array of no elements has no
        gaps."""
        if self.dtype is None or self.size == 0:
            return self.size == 0
        step = self.dtype.bytes
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != step:
                return False
            step *= extent
        return True

    def span(self) -> int:
        """Bytes from the first element to the end of the last, for strides that are not negative."""
        if self.dtype is None or self.size == 0:
            return 0
        return sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)) + self.dtype.bytes

    def numpy(self) -> np.ndarray:
        """The memory as a NumPy array: the user's own where it is one."""
        if isinstance(self.keep, np.ndarray):
            return self.keep
        kind, size = np.dtype(np.uint8) if self.dtype is None else self.dtype.np, self.span()
        if size == 0:
            return np.zeros(self.shape, kind)
        raw = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(self.address))
        return np.ndarray(self.shape, kind, raw, 0, self.strides)

    def __str__(self) -> str:
        where = "" if self.device == CPU else f" on {self.device}"
        return f"a {self.kind} array of {self.dtype_name} with shape {self.shape}{where}"


def _described(device: str) -> bool:
    """Whether an array on that device is described in full. What has no index is memory that no driver knows."""
    kind, index, _ = device.partition(":")
    return device == CPU or bool(index) and kind in GPUS


class Unreadable(Exception):
    """The object is an array, but its memory cannot be had; the message says why."""


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", _DLTensor),
    ]  # fmt: skip


# dlpack.h, DLDataTypeCode; a code below serves for every width that Ave has.
_CODES = {
    0: "i{bits}", 1: "u{bits}", 2: "f{bits}", 4: "bf{bits}", 6: "u1", 10: "f8e4m3fn", 11: "f8e4m3fnuz", 12: "f8e5m2",
    13: "f8e5m2fnuz",
}  # fmt: skip
# dlpack.h, DLDeviceType. Pinned memory (cuda_host, rocm_host) is the CPU's own, which the GPUs reach too; CUDA's
# managed memory moves by itself.
_PINNED = (3, 11)
_DEVICES = {1: CPU, 2: "cuda", 3: CPU, 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 11: CPU, 13: "cuda",
            14: "oneapi"}


def dlpack_dtype(code: int, bits: int, lanes: int = 1) -> DType | None:
    """The dtype that DLPack's triple means, or None."""
    if lanes != 1 or (code == 6 and bits != 8):
        return None
    return BY_NAME.get(_CODES.get(code, "").format(bits=bits))


def dlpack_triples(dtype: DType) -> list[tuple[int, int]]:
    """(code, bits) of the DLPack types that are this dtype."""
    bits = dtype.bytes * 8
    return [(code, bits) for code in _CODES if dlpack_dtype(code, bits) == dtype]


def _device(kind: int, index: int) -> str:
    name = _DEVICES.get(kind, f"device type {kind}")
    return CPU if name == CPU else f"{name}:{index}"


_api = ctypes.pythonapi
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_IsValid.restype = ctypes.c_int
_api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _from_dlpack(obj: Any, kind: str) -> Array:
    number, index = map(int, obj.__dlpack_device__())
    device = _device(number, index)
    if not _described(device):
        # Asking for the capsule might move or synchronize; the device is all that the caller needs to refuse.
        shape = tuple(map(int, getattr(obj, "shape", ())))
        return Array(kind, 0, None, str(getattr(obj, "dtype", "?")), shape, (0,) * len(shape), device, obj, "dlpack")
    # JAX takes any number for a stream's handle.
    capsule = dlpack_capsule(obj, None if device == CPU or kind == "JAX" else NO_SYNC)
    if _api.PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_api.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise Unreadable(f"it speaks DLPack {managed.major}.{managed.minor}")
        t = managed.tensor
    elif _api.PyCapsule_IsValid(capsule, b"dltensor"):
        t = _DLTensor.from_address(_api.PyCapsule_GetPointer(capsule, b"dltensor"))
    else:
        raise Unreadable("its __dlpack__ gave no DLPack capsule")
    dtype = dlpack_dtype(t.code, t.bits, t.lanes)
    if not 0 <= t.ndim <= MOST_DIMENSIONS or (t.ndim and not t.shape):
        raise Unreadable(
            f"its DLPack capsule speaks of {t.ndim} dimensions{'' if t.shape else ' and names no extents'}"
        )
    shape = tuple(t.shape[: t.ndim]) if t.ndim else ()
    item = (t.bits * t.lanes + 7) // 8
    if t.ndim and t.strides:
        strides = tuple(s * item for s in t.strides[: t.ndim])
    else:
        strides = _row_major(shape, item)
    name = dtype.name if dtype else f"DLPack type (code {t.code}, {t.bits} bits, {t.lanes} lanes)"
    address = t.data + t.byte_offset if t.data else 0
    return Array(kind, address, dtype, name, shape, strides, device, (obj, capsule), "dlpack", number in _PINNED)


MOST_DIMENSIONS = 64  # of an array that may be believed: as many as NumPy's can have

# The stream that asks a producer of DLPack not to wait for anything.
NO_SYNC = -1


def dlpack_capsule(obj: Any, stream: int | None) -> Any:
    """The capsule that `__dlpack__` gives. `stream` (for arrays on a GPU) is made to wait for the array, in DLPack's
    numbers: -1 for none."""
    asked: dict[str, Any] = {} if stream is None else {"stream": stream}
    try:
        return obj.__dlpack__(**asked, max_version=(1, 0))
    except TypeError:
        return obj.__dlpack__(**asked)


def _row_major(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    strides, step = [], item
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _from_numpy(obj: np.ndarray, kind: str = "NumPy") -> Array:
    # Not `obj.ctypes.data`, which builds an object for it.
    return Array(kind, obj.__array_interface__["data"][0], dtypes.from_numpy(obj.dtype), obj.dtype, obj.shape,
                 obj.strides, CPU, obj, "numpy")


def _torch_dtypes(torch: Any) -> dict[Any, DType]:
    names = {
        "bool": "u1", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8": "i8", "int16": "i16",
        "int32": "i32",
        "int64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
        "float8_e4m3fn": "f8e4m3fn",
        "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2fnuz": "f8e5m2fnuz",
    }  # fmt: skip
    return {getattr(torch, theirs): BY_NAME[ours] for theirs, ours in names.items() if hasattr(torch, theirs)}


_torch: dict[Any, DType] = {}


def _from_torch(obj: Any, torch: Any) -> Array:
    if not _torch:
        _torch.update(_torch_dtypes(torch))
    shape = tuple(obj.shape)
    if obj.layout is not torch.strided:
        raise Unreadable(f"its layout is {obj.layout}: only dense tensors have one memory (call .to_dense())")
    device = str(obj.device)
    if obj.device.type == "cuda" and torch.version.hip:
        device = f"rocm:{obj.device.index}"
    if not _described(device):
        return Array("torch", 0, _torch.get(obj.dtype), obj.dtype, shape, (0,) * len(shape), device, obj, "torch")
    if obj.is_neg() or obj.is_conj():
        raise Unreadable("it is a lazy view whose memory holds other values (call .resolve_neg() or .resolve_conj())")
    item = obj.element_size()
    strides = tuple(s * item for s in obj.stride())
    held = obj.untyped_storage().nbytes()
    need = (
        (obj.storage_offset() + 1 + sum((n - 1) * s for n, s in zip(shape, obj.stride(), strict=True))) * item
        if 0 not in shape
        else 0
    )
    if need > held:
        raise Unreadable(f"its elements need {need} bytes, and its storage has {held}: it was resized")
    return Array("torch", obj.data_ptr(), _torch.get(obj.dtype), obj.dtype, shape, strides, device, obj, "torch")


def _from_interface(obj: Any, fields: dict[str, Any], device: str, via: str) -> Array:
    dtype = np.dtype(fields["typestr"])
    shape = tuple(map(operator.index, fields["shape"]))
    data = fields.get("data")
    if not isinstance(data, tuple) or len(data) != 2 or not isinstance(data[0], int):
        raise Unreadable("its array interface gives no address")
    if fields.get("mask") is not None:
        raise Unreadable("it has a mask, which kernels do not see")
    strides = fields.get("strides")
    strides = tuple(map(operator.index, strides)) if strides is not None else _row_major(shape, dtype.itemsize)
    ave = dtypes.from_numpy(dtype)
    return Array(type(obj).__name__, int(fields["data"][0]), ave, str(dtype), shape, strides, device, (obj, fields),
                 via)


ADDRESSES = 1 << 63  # no memory of a process lies beyond


def _sound(a: Array) -> Array:
    """An array as its library describes it. Raises Unreadable where that cannot be true: there is no memory for such
    elements."""
    if len(a.shape) != len(a.strides):
        raise Unreadable(f"it has {len(a.shape)} extents and {len(a.strides)} strides")
    if any(n < 0 for n in a.shape):
        raise Unreadable(f"its shape is {a.shape}: an extent is below zero")
    if not a.known or a.size == 0:
        return a
    if a.address == 0:
        raise Unreadable("its address is null, and it has elements")
    steps = [(n - 1) * s for n, s in zip(a.shape, a.strides, strict=True)]
    item = a.dtype.bytes if a.dtype is not None else 1
    low, high = a.address + sum(s for s in steps if s < 0), a.address + sum(s for s in steps if s > 0) + item
    if low < 0 or high > ADDRESSES:
        raise Unreadable(
            f"its elements would lie from {low:#x} to {high:#x}, where no memory is: shape {a.shape}, strides "
            f"{a.strides} in bytes"
        )
    return a


def describe(obj: Any) -> Array | None:
    """The array that an object is, or None for what is none. Raises Unreadable, with the reason, for one whose memory
    cannot be had."""
    found = _described_by_its_library(obj)
    return None if found is None else _sound(found)


def _described_by_its_library(obj: Any) -> Array | None:
    if isinstance(obj, np.ndarray):
        return _from_numpy(obj)
    # A type is no array, though its attributes look like one's.
    if isinstance(obj, type):
        return None
    own = getattr(obj, "__ave_array__", None)
    if own is not None:
        return own()
    try:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(obj, getattr(torch, "Tensor", ())):
            return _from_torch(obj, torch)
        jax = sys.modules.get("jax")
        if jax is not None and isinstance(obj, getattr(jax, "Array", ())):
            return _from_dlpack(obj, "JAX")
        if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
            return _from_dlpack(obj, type(obj).__name__)
        if hasattr(obj, "__cuda_array_interface__"):
            return _from_interface(obj, obj.__cuda_array_interface__, "cuda", "cuda")
        # NumPy's scalars have an interface too; what it points to is a temporary.
        if hasattr(obj, "__array_interface__") and not isinstance(obj, np.generic):
            return _from_interface(obj, obj.__array_interface__, CPU, "interface")
    except Unreadable:
        raise
    except Exception as e:  # whatever the array's library raises: a tracer, a deleted buffer, a sharded array
        reason = next(iter(str(e).splitlines()), "")
        raise Unreadable(f"{type(e).__name__}: {reason}") from e
    return None
