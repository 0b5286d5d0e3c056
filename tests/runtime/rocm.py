"""A ROCm machine for tests: a stub of libamdhip64 and tensors that say they are on its GPUs. Nothing runs on them: see hip_stub.c. `cuda.py` has one of
NVIDIA's.

`build` compiles the C files, `Machine` drives them. Tensors are torch's own, on the CPU, read through torch's own C exchange API with the device
replaced (rocm_torch.c); `Producer` speaks DLPack from Python, with capsules made by ctypes.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import pathlib
import tempfile
from typing import Any

import numpy as np
import pytest
from tests import tools

from avelang.runtime import arrays, devices
from avelang.runtime.hip import Hip

HERE = pathlib.Path(__file__).parent
VERSION = 60_342_134  # of ROCm 6.3
ARCH = "gfx942:sramecc+:xnack-"
PINNED = 1000  # the stub's name for memory of the CPU that every GPU reaches
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


@functools.cache
def build(name: str) -> str:
    """The path of the library made of a C file of this folder."""
    return str(tools.library(HERE / f"{name}.c", "-fvisibility=hidden"))


class Launch(ctypes.Structure):
    """`struct launch` of gpu_stub.h."""

    _fields_ = [
        ("kernel", ctypes.c_char * 128), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("shared", ctypes.c_uint32),
        ("device", ctypes.c_int32), ("stream", ctypes.c_uint64), ("count", ctypes.c_int32), ("padding", ctypes.c_int32),
        ("values", ctypes.c_uint64 * 64), ("sizes", ctypes.c_uint64 * 64), ("attributes", (ctypes.c_uint32 * 4) * 8),
        ("wide", (ctypes.c_uint64 * 16) * 16),
    ]  # fmt: skip


class Machine:
    """The stub's driver, freshly started, as the only one of its vendor that the runtime knows."""

    stub, knob, kind, dlpack = "hip_stub", "AVE_HIP", "rocm", 10  # `dlpack`: the device's type there
    make: Any = Hip
    ARCH, VERSION = ARCH, VERSION
    OTHER, CHIPS, ALIEN = "gfx950:sramecc+:xnack-", ("gfx942", "gfx950"), "gfx90a"  # another architecture, the chips of both, one that neither is

    def __init__(self, monkeypatch: Any, count: int = 2, arch: str | None = None, version: int = 0):
        self.path = build(self.stub)
        self.lib = ctypes.CDLL(self.path)
        self.lib.stub_log.restype = ctypes.c_char_p
        self.lib.stub_launch.restype = ctypes.POINTER(Launch)
        self.lib.stub_launches.restype = ctypes.c_uint64
        self.lib.stub_memory.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int]
        self.lib.stub_stream.argtypes = [ctypes.c_uint64, ctypes.c_int]
        self.lib.stub_reset(count, (self.ARCH if arch is None else arch).encode(), version or self.VERSION)
        monkeypatch.setenv(self.knob, self.path)
        self.driver = self.make()
        monkeypatch.setitem(devices.DRIVERS, self.kind, self.driver)

    def symbol(self, role: str) -> str:
        """The driver's name for a function."""
        return self.driver.calls[role].symbol

    def words(self, status: int) -> str:
        """A status as messages show it."""
        name, text = self.driver.words(status)
        return f"{name} ({status}: {text})"

    def calls(self) -> list[str]:
        """The driver's functions that were called since the last look, with what they noted."""
        text = self.lib.stub_log().decode().splitlines()
        self.lib.stub_forget()
        return text

    @property
    def launches(self) -> int:
        return self.lib.stub_launches()

    @property
    def last(self) -> Launch:
        return self.lib.stub_launch().contents

    def values(self) -> list[int]:
        """The arguments of the last launch as the driver copied them, by the sizes in the code object."""
        return list(self.last.values[: self.last.count])

    def own(self, array: Any, device: int = 0) -> Any:
        """Makes the memory of a NumPy array or a tensor that of a device."""
        address, size = (array.data_ptr(), array.untyped_storage().nbytes()) if hasattr(array, "data_ptr") else (array.ctypes.data, array.nbytes)
        self.lib.stub_memory(address, max(size, 1), device)
        return array

    def fail(self, role: str, status: int) -> None:
        """The next call of a function, by its role or its name, gives this status and does nothing."""
        self.lib.stub_fail((self.symbol(role) if role in self.driver.calls else role).encode(), status)

    def last_error(self) -> int:
        """The error that whoever asks next would find."""
        return self.lib.hipPeekAtLastError()


class _Place:
    """torch.device, as far as the runtime reads it."""

    def __init__(self, index: int):
        self.type, self.index = "cuda", index

    def __str__(self) -> str:
        return f"cuda:{self.index}"


class Torch:
    """A torch built for the machine's GPUs: `make(array, index)` gives a tensor on GPU `index`; `stream(index, handle)` sets its current stream."""

    def __init__(self, monkeypatch: Any, machine: Machine):
        import torch

        if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
            pytest.skip("this torch has no C exchange API; torch 2.10 and newer have it")
        self.lib = _exchange()
        self.machine = machine
        self.torch = torch
        for index in (0, 1):
            self.stream(index, 0)
        self.lib.rocm_break(0)
        self.lib.rocm_kind(machine.dlpack)
        monkeypatch.setattr(torch.version, "hip", "6.3.42134" if machine.kind == "rocm" else None, raising=False)
        monkeypatch.setattr(torch.cuda, "current_stream", self._current)

    def _current(self, device: int = 0) -> Any:
        stream = type("Stream", (), {})()
        stream.cuda_stream = self.lib.rocm_get(device)
        return stream

    def stream(self, index: int, handle: int) -> None:
        self.lib.rocm_set(index, ctypes.c_uint64(handle))
        if handle:
            self.machine.lib.stub_stream(handle, index)

    def make(self, array: Any, index: int = 0) -> Any:
        tensor = self.torch.from_numpy(array) if isinstance(array, np.ndarray) else array
        self.machine.own(tensor, index)
        return tensor.as_subclass(_types()[index])


@functools.cache
def _exchange() -> ctypes.CDLL:
    import torch

    lib = ctypes.CDLL(build("rocm_torch"))
    lib.rocm_get.restype = lib.rocm_asked.restype = lib.rocm_reads.restype = ctypes.c_uint64
    address = _api.PyCapsule_GetPointer(torch.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
    lib.rocm_own(ctypes.c_void_p((ctypes.c_uint64 * 7).from_address(address)[5]))
    return lib


@functools.cache
def _types() -> list[type]:
    """Types of tensors, one for each GPU. They live as long as the process: the runtime knows types by their address."""
    import torch

    start = ctypes.addressof((ctypes.c_uint64 * 14).in_dll(_exchange(), "rocm_api"))
    out = []
    for index in (0, 1):
        capsule = _api.PyCapsule_New(start + 56 * index, b"dlpack_exchange_api", None)
        fields = {"__module__": "torch", "device": property(lambda self, at=_Place(index): at), "__dlpack_c_exchange_api__": capsule}
        out.append(type(f"Rocm{index}", (torch.Tensor,), fields))
    return out


class Producer:
    """An array of a library that speaks DLPack: `asked` holds the streams that `__dlpack__` was given."""

    def __init__(self, array: np.ndarray, kind: int = 10, index: int = 0):
        self.array, self.kind, self.index = array, kind, index
        self.asked: list[int | None] = []
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        code = {"i": 0, "u": 1, "f": 2}[array.dtype.kind]
        tensor = arrays._DLTensor(
            array.ctypes.data, kind, index, array.ndim, code, array.itemsize * 8, 1,
            ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64)), ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64)), 0,
        )  # fmt: skip
        self.managed = arrays._Versioned(1, 0, None, None, 0, tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, self.index

    def __dlpack__(self, *, stream: int | None = None, max_version: Any = None) -> Any:
        self.asked.append(stream)
        return _api.PyCapsule_New(ctypes.addressof(self.managed), b"dltensor_versioned", None)


@contextlib.contextmanager
def standalone(kind: type[Machine] = Machine):
    """A machine and its torch outside of pytest: for benchmarks. Environment and modules are as before afterwards."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv("AVE_TEST_FOLDER", folder)
        machine = kind(patch, count=1)
        yield machine, Torch(patch, machine)
