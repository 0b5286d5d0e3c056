"""AMD's driver API, the HIP runtime (libamdhip64), as tables for `gpu.Driver`: symbols, versions, architectures and
hints come out of here.

Sources: ROCm's HIP documentation, "Module management", "Execution control", "Device management", "Error handling";
hip_runtime_api.h of ROCm 6 for the layout of `hipDeviceProp_tR0600` and the numbers of enums. ABI only: no header and
no compiler is needed where it runs."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import avelang.arch as arch
from avelang.base import knobs
from avelang.runtime import compile
from avelang.runtime.gpu import I32, SIZE, U32, Call, Driver, GpuDevice, P, mapped

if TYPE_CHECKING:
    from avelang.runtime.arguments import BoundArguments

# hipDeviceProp_tR0600: `name` comes first; bytes of the struct, with room for versions that add fields behind.
_ARCH_NAME, _NAME_BYTES, _PROPERTIES = 1160, 256, 4096
_DEVICE_ORDINAL = 9  # HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_OLDEST = 6
_WRONG = "an earlier kernel went wrong: AVE_CHECK=launch waits for each launch and names it"
_STREAMS = "streams belong to devices: give the stream of the device that the arrays are on"


class Hip(Driver):
    """The HIP runtime of ROCm 6 and newer."""

    runtime = "the HIP runtime"
    kind = "rocm"
    library = "libamdhip64.so"
    needs = "ROCm 6.0 or newer"
    get = (
        "install ROCm, or a torch or JAX built for it; the user must be in the groups `render` and `video`; "
        "AVE_HIP=PATH names a libamdhip64.so"
    )
    hidden = "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES"
    calls = {
        "init": Call("hipInit", (U32,)),
        "count": Call("hipGetDeviceCount", (P,)),
        "get": Call("hipGetDevice", (P,)),
        "set": Call("hipSetDevice", (I32,)),
        "load": Call("hipModuleLoadData", (P, ctypes.c_char_p)),
        "function": Call("hipModuleGetFunction", (P, P, ctypes.c_char_p)),
        "launch": Call("hipModuleLaunchKernel", (P, *[U32] * 7, P, P, P)),
        "wait": Call("hipStreamSynchronize", (P,)),
        "capture": Call("hipThreadExchangeStreamCaptureMode", (P,)),
        "capturing": Call("hipStreamIsCapturing", (P, P)),
        "allocate": Call("hipMalloc", (P, SIZE)),
        "free": Call("hipFree", (P,)),
        "to": Call("hipMemcpyHtoD", (P, P, SIZE)),
        "from": Call("hipMemcpyDtoH", (P, P, SIZE)),
        "last": Call("hipGetLastError", ()),
        "name": Call("hipGetErrorName", (I32,), ctypes.c_char_p),
        "text": Call("hipGetErrorString", (I32,), ctypes.c_char_p),
        "version": Call("hipRuntimeGetVersion", (P,)),
        "properties": Call("hipGetDevicePropertiesR0600", (P, I32)),
        "pointer": Call("hipPointerGetAttribute", (P, I32, P)),
    }
    # By hipError_t.
    hints = {
        1: "the driver's own limits for this launch are in `rocminfo`",
        98: "the code was made for another GPU: `ave cache clear` removes what is stored",
        100: get,
        209: "the code was made for another GPU, or needs what this one has switched off; `rocminfo` shows its name "
             "with its features",
        400: _STREAMS,
        700: _WRONG,
        701: "the block asks for more registers or shared memory than the device has: use a smaller block or tile",
        719: _WRONG,
        900: 'a stream is under capture: launch the kernel once before, or capture in the mode "relaxed"',
        901: "the capture of this stream has failed before",
    }

    faults = frozenset(status for status, hint in hints.items() if hint == _WRONG)

    def places(self) -> Iterable[str]:
        """AVE_HIP, or libamdhip64.so as loaders find it, or in the folder of ROCm."""
        asked = knobs.hip_library()
        if asked:
            return [asked]
        names = [f"{self.library}{version}" for version in (".7", ".6", "")]
        return [*mapped(self.library), *names, f"{knobs.rocm_folder()}/lib/{self.library}"]

    def version(self) -> tuple[str, bool]:
        """As "6.2.0", and True from the oldest that will do."""
        number = I32()
        status = self.call("version", ctypes.byref(number))
        # hip_version.h: major * 10,000,000 + minor * 100,000 + patch
        major, rest = divmod(number.value, 10_000_000)
        minor, patch = divmod(rest, 100_000)
        return f"{major}.{minor}.{patch}", not status and major >= _OLDEST

    def architecture(self, index: int) -> tuple[str, str]:
        """As "gfx942:sramecc+:xnack-"."""
        room = ctypes.create_string_buffer(_PROPERTIES)
        self.must(f"asking for the properties of {self.kind}:{index}", "properties", room, index)
        name, what = (
            room.raw[at : at + _NAME_BYTES].partition(b"\0")[0].decode(errors="replace") for at in (0, _ARCH_NAME)
        )
        return name, what

    def chip(self, architecture: str) -> arch.Chip | None:
        """The chip of that name; code that names no features loads whatever they are set to."""
        # "gfx942:sramecc+:xnack-": code that names no features loads whatever they are set to.
        found = arch.CHIPS.get(architecture.partition(":")[0])
        return found if found is not None and found.vendor == "amd" else None

    def words(self, status: int) -> tuple[str, str]:
        """By hipGetErrorName and hipGetErrorString."""
        assert self._lib is not None
        name, text = (getattr(self._lib, self.calls[role].symbol)(status) or b"?" for role in ("name", "text"))
        return name.decode(), text.decode()

    def build(self, device: GpuDevice, source: Any, bound: BoundArguments,
              block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """A code object by LLVM."""
        return compile.device_object(source, bound.constexprs, bound.options["target"], block, bound.options)

    def word(self, index: int) -> int:
        """The index itself."""
        return index

    def most_x(self, block: Sequence[int]) -> int:
        """An AQL packet counts work-items along an axis in 32 bits (HSA, "kernel dispatch packet")."""
        # An AQL packet counts work-items along an axis in 32 bits (HSA, "kernel dispatch packet").
        return min(2**31 - 1, (2**32 - 1) // block[0])

    def dlpack_stream(self, stream: int) -> int:
        """The handle itself."""
        return stream

    def owner(self, address: int) -> int | None:
        """By the pointer attribute of the device."""
        index = I32()
        if self.call("pointer", ctypes.byref(index), _DEVICE_ORDINAL, address):
            self.call("last")
            return None
        return index.value
