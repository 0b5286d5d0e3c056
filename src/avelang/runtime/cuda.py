"""NVIDIA's driver API (libcuda.so.1), as tables for `gpu.Driver`: symbols, versions, architectures, hints and machine
code come out of here.

Sources: CUDA Driver API, "Module Management", "Execution Control", "Primary Context Management", "Data types used by
CUDA driver" (numbers of enums, layouts of CUlaunchConfig and CUlaunchAttribute). ABI only: no header and no compiler is
needed where it runs."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import avelang.arch as arch
from avelang.arch.facts import PORTABLE_CLUSTER, STATIC_SHARED
from avelang.base import knobs
from avelang.base.errors import error
from avelang.runtime import compile, ptxas
from avelang.runtime.gpu import I32, RELAXED, SIZE, U32, Call, Driver, GpuDevice, P, mapped

if TYPE_CHECKING:
    from avelang.runtime.arguments import BoundArguments

# CUdevice_attribute: compute capability, major and minor. CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.
_MAJOR, _MINOR, _DEVICE_ORDINAL = 75, 76, 9
# CUfunction_attribute: the most dynamic shared memory; clusters of over 8 blocks.
_DYNAMIC_SHARED, _LARGE_CLUSTERS = 8, 14
# CUlaunchAttributeID, by the name in a program's "launch". Values are of one to three 32-bit words.
LAUNCH_ATTRIBUTES = {"cooperative": 2, "cluster": 4, "programmatic": 6}
# CUjit_option of the linker, and CU_JIT_INPUT_PTX.
_INFO, _INFO_BYTES, _ERRORS, _ERROR_BYTES, _LEVEL, _VERBOSE, _LINES = 3, 4, 5, 6, 7, 12, 13
_PTX = 1
_WAIT = "griddepcontrol.wait"
_LOG = 1 << 16
_OLDEST = 12
_WRONG = (
    "an earlier kernel went wrong: AVE_CHECK=launch waits for each launch and names it; this process can use "
    "the GPU no more"
)


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute: a number and 64 bytes for its value."""

    _fields_ = [("id", U32), ("padding", U32), ("value", U32 * 16)]


def _check_cluster(kernel: str, chip: arch.Chip, cluster: Any, device: str) -> None:
    """Raises L009 for a cluster on a chip that has none."""
    if cluster and "sm_90" not in chip.features:
        want = f"a GPU of sm_90 or newer, which {device} as {chip.name} is not"
        raise error("L009", kernel=kernel, name="cluster", want=want, got=cluster)


def _launch(cluster: Any, text: str) -> dict[str, Any]:
    """The attributes of a launch. A kernel that waits for those that it depends on may begin before they end."""
    made: dict[str, Any] = {"cluster": [*cluster, *(1,) * (3 - len(cluster))]} if cluster else {}
    return made | ({"programmatic": 1} if _WAIT in text else {})


def ahead(source: Any, constexprs: Mapping[str, Any], chip: str, block: tuple[int, int, int],
          options: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:  # fmt: skip
    """The code of a kernel for a chip that need not be here, and what the runtime must know of it. Raises D020 where
    there is no ptxas, D037, D038, L009 for a cluster that the chip does not have."""
    _check_cluster(source.name, arch.chip(chip), options.get("cluster"), "code")
    tool = ptxas.need(f"code of `{source.name}` for {chip}")
    text, meta = compile.device_assembly(source, constexprs, chip, block, options)
    code, said = ptxas.assemble(tool, text, chip, meta["entry"])
    kept = {"ptx": text, "chip": chip} if knobs.check_ptxas() else {}
    return code, {**meta, **said, "launch": _launch(options.get("cluster"), text), "assembler": str(tool), **kept}


class Cuda(Driver):
    """The CUDA driver, of CUDA 12 and newer."""

    runtime = "the CUDA driver"
    kind = "cuda"
    library = "libcuda.so"
    needs = "a driver for CUDA 12.0 or newer"
    get = (
        "install NVIDIA's driver; in a container, start it with the GPUs (docker run --gpus all); AVE_CUDA=PATH "
        "names a libcuda.so"
    )
    hidden = "CUDA_VISIBLE_DEVICES"
    calls = {
        "init": Call("cuInit", (U32,)),
        "count": Call("cuDeviceGetCount", (P,)),
        "get": Call("cuCtxGetCurrent", (P,)),
        "set": Call("cuCtxSetCurrent", (P,)),
        "load": Call("cuModuleLoadData", (P, ctypes.c_char_p)),
        "function": Call("cuModuleGetFunction", (P, P, ctypes.c_char_p)),
        "launch": Call("cuLaunchKernelEx", (P, P, P, P)),
        "wait": Call("cuStreamSynchronize", (P,)),
        "encode": Call("cuTensorMapEncodeTiled", (P, I32, U32, P, P, P, P, P, I32, I32, I32, I32)),
        "capture": Call("cuThreadExchangeStreamCaptureMode", (P,)),
        "capturing": Call("cuStreamIsCapturing", (P, P)),
        "allocate": Call("cuMemAlloc_v2", (P, SIZE)),
        "free": Call("cuMemFree_v2", (P,)),
        "to": Call("cuMemcpyHtoD_v2", (P, P, SIZE)),
        "from": Call("cuMemcpyDtoH_v2", (P, P, SIZE)),
        "name": Call("cuGetErrorName", (I32, P)),
        "text": Call("cuGetErrorString", (I32, P)),
        "version": Call("cuDriverGetVersion", (P,)),
        "device": Call("cuDeviceGet", (P, I32)),
        "title": Call("cuDeviceGetName", (P, I32, I32)),
        "ask": Call("cuDeviceGetAttribute", (P, I32, I32)),
        "retain": Call("cuDevicePrimaryCtxRetain", (P, I32)),
        "permit": Call("cuFuncSetAttribute", (P, I32, I32)),
        "pointer": Call("cuPointerGetAttribute", (P, I32, P)),
        "link": Call("cuLinkCreate_v2", (U32, P, P, P)),
        "add": Call("cuLinkAddData_v2", (P, I32, P, SIZE, ctypes.c_char_p, U32, P, P)),
        "complete": Call("cuLinkComplete", (P, P, P)),
        "unlink": Call("cuLinkDestroy", (P,)),
    }
    # By CUresult.
    hints = {
        1: "the driver takes no launch of this form: look at grid and block, at shared memory, at a grid that is no "
           "multiple of its cluster",
        100: get,
        200: "the code was made for another GPU: `ave cache clear` removes what is stored",
        209: "the code was made for another GPU: `ave cache clear` removes what is stored",
        218: "AVE_DUMP=asm shows the PTX; a ptxas of your own says more of it (AVE_PTXAS)",
        222: "the driver is too old for this PTX: update it, or install a ptxas (pip install nvidia-cuda-nvcc)",
        400: "streams belong to devices: give the stream of the device that the arrays are on",
        700: _WRONG,
        701: "the block asks for more registers or shared memory than the device has: use a smaller block or tile",
        715: _WRONG,
        716: _WRONG,
        717: _WRONG,
        718: _WRONG,
        719: _WRONG,
        900: 'a stream is under capture: launch the kernel once before, or capture in the mode "relaxed"',
        901: "the capture of this stream has failed before",
        912: "the grid must be a multiple of the cluster, and a cluster must fit the device with this block and its "
             "shared memory",
    }

    faults = frozenset(status for status, hint in hints.items() if hint == _WRONG)

    def places(self) -> Iterable[str]:
        """AVE_CUDA, or libcuda.so as loaders find it."""
        asked = knobs.cuda_library()
        return [asked] if asked else [*mapped(self.library), f"{self.library}.1", self.library]

    def version(self) -> tuple[str, bool]:
        """As "12.4", and True from the oldest that will do."""
        number = I32()
        status = self.call("version", ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}", not status and number.value >= 1000 * _OLDEST

    def architecture(self, index: int) -> tuple[str, str]:
        """As "sm_90"."""
        doing, device, name = f"asking what {self.kind}:{index} is", I32(), ctypes.create_string_buffer(256)
        self.must(doing, "device", ctypes.byref(device), index)
        self.must(doing, "title", name, len(name), device)
        parts = (I32(), I32())
        for part, which in zip(parts, (_MAJOR, _MINOR), strict=True):
            self.must(doing, "ask", ctypes.byref(part), which, device)
        return name.value.decode(errors="replace"), f"sm_{parts[0].value}{parts[1].value}"

    def chip(self, architecture: str) -> arch.Chip | None:
        """The newest chip whose code runs on that architecture."""
        fits = self.chips(architecture)
        return fits[-1] if fits else None

    def chips(self, architecture: str) -> list[arch.Chip]:
        """PTX for a chip runs on it and on all newer ones; that for an "a" target on this one alone, where it has all
        features."""
        if not architecture.startswith("sm_") or not architecture[3:].isdigit():
            return []
        have = int(architecture[3:])
        known = [c for c in arch.CHIPS.values() if c.vendor == "nvidia"]
        plain = [c for c in known if not c.name.endswith("a") and int(c.name[3:]) <= have]
        return sorted(plain, key=lambda c: int(c.name[3:])) + [c for c in known if c.name == f"{architecture}a"]

    def words(self, status: int) -> tuple[str, str]:
        """By cuGetErrorName and cuGetErrorString."""
        name, text = ctypes.c_char_p(), ctypes.c_char_p()
        self.call("name", status, ctypes.byref(name))
        self.call("text", status, ctypes.byref(text))
        return (name.value or b"?").decode(), (text.value or b"?").decode()

    def word(self, index: int) -> int:
        """The primary context, which torch, JAX and CuPy use too. It is kept for good."""
        doing, device, context = f"asking for the context of {self.kind}:{index}", I32(), P()
        self.must(doing, "device", ctypes.byref(device), index)
        self.must(doing, "retain", ctypes.byref(context), device)
        return int(context.value or 0)

    def most_x(self, block: Sequence[int]) -> int:
        """The most blocks along x."""
        return 2**31 - 1

    def dlpack_stream(self, stream: int) -> int:
        """The array API standard: 1 is the legacy default stream, 0 means nothing."""
        # The array API standard: 1 is the legacy default stream, 0 means nothing.
        return stream or 1

    def owner(self, address: int) -> int | None:
        """By the pointer attribute of the device."""
        index = I32()
        if self.call("pointer", ctypes.byref(index), _DEVICE_ORDINAL, address):
            return None
        return index.value if index.value >= 0 else None

    # -- code ---

    def _assembler(self) -> ptxas.Assembler | None:
        return ptxas.find(int(self.version()[0].partition(".")[0]))

    def tools(self, device: GpuDevice) -> dict[str, Any]:
        """The tool that makes the code, and the architecture: PTX for an older chip becomes code for the one that is
        there."""
        tool = self._assembler()
        return {"assembler": str(tool) if tool is not None else f"driver {self.version()[0]}",
                "architecture": device.architecture}

    def build(self, device: GpuDevice, source: Any, bound: BoundArguments,
              block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """PTX by LLVM, assembled by ptxas or by the driver."""
        chip, cluster = arch.chip(bound.options["target"]), bound.options.get("cluster")
        _check_cluster(source.name, chip, cluster, device.name)
        text, meta = compile.device_assembly(source, bound.constexprs, chip.name, block, bound.options)
        code, said = self.machine_code(device, text, chip.name, meta["entry"])
        kept = {"ptx": text, "chip": chip.name} if knobs.check_ptxas() else {}
        tool = self.tools(device)["assembler"]
        return code, {**meta, **said, "launch": _launch(cluster, text), "assembler": tool, **kept}

    def machine_code(self, device: GpuDevice, text: str, chip: str, entry: str,
                     level: int | None = None) -> tuple[bytes, dict[str, Any]]:
        """The code that a device runs, of PTX for a chip, and the `ptxas.report` of it; `level`: how far it is
        optimized, where not as far as usual. Raises D035, D037, D038."""
        # Features of an "a" target are kept only by assembling for it.
        architecture = chip if chip.endswith("a") else device.architecture
        tool = self._assembler()
        if tool is None:
            return self._linked(device, text, entry, level)
        return ptxas.assemble(tool, text, architecture, entry, level)

    def _linked(self, device: GpuDevice, text: str, entry: str,
                level: int | None = None) -> tuple[bytes, dict[str, Any]]:
        """The code that the driver's own compiler makes. Raises D035 and D038."""
        doing = f"compiling `{entry}` for {device.name}"
        logs = [ctypes.create_string_buffer(_LOG) for _ in range(2)]
        info, errors = map(ctypes.addressof, logs)
        options = {_INFO: info, _INFO_BYTES: _LOG, _ERRORS: errors, _ERROR_BYTES: _LOG, _VERBOSE: 1, _LINES: 1}
        if level is not None:
            options[_LEVEL] = level
        names, values = (I32 * len(options))(*options), (P * len(options))(*options.values())
        state, code, size, raw = P(), P(), ctypes.c_size_t(), text.encode() + b"\0"
        with self.on(device, doing, RELAXED):
            self.must(doing, "link", len(options), names, values, ctypes.byref(state))
            try:
                failed = self.call("add", state, _PTX, raw, len(raw), entry.encode(), 0, None, None)
                failed = failed or self.call("complete", state, ctypes.byref(code), ctypes.byref(size))
                if failed:
                    words = logs[1].value.decode(errors="replace").splitlines()[:3] or [" ".join(self.words(failed))]
                    tool = f"the compiler of {self.runtime} {self.version()[0]}"
                    raise error("D038", hint=self.hints.get(failed), kernel=entry, tool=tool,
                                why="; ".join(w.strip() for w in words))
                made = ctypes.string_at(code.value or 0, size.value)
                return made, ptxas.report(logs[0].value.decode(errors="replace"), entry, text, made)
            finally:
                self.call("unlink", state)

    # -- launches ---

    def permit(self, function: int, meta: Mapping[str, Any], doing: str) -> None:
        """Over 48 KiB of shared memory and clusters of over 8 blocks are had for the asking."""
        if meta["dynamic_bytes"] > STATIC_SHARED:
            self.must(doing, "permit", function, _DYNAMIC_SHARED, meta["dynamic_bytes"])
        x, y, z = meta.get("launch", {}).get("cluster", (1, 1, 1))
        if x * y * z > PORTABLE_CLUSTER:
            self.must(doing, "permit", function, _LARGE_CLUSTERS, 1)

    def attributes(self, meta: Mapping[str, Any]) -> Any:
        """As an array of CUlaunchAttribute."""
        launch: Mapping[str, Any] = meta.get("launch", {})
        table = (LaunchAttribute * len(launch))()
        for at, (name, value) in zip(table, launch.items(), strict=True):
            at.id = LAUNCH_ATTRIBUTES[name]
            for i, word in enumerate(value if isinstance(value, (list, tuple)) else [value]):
                at.value[i] = int(word)
        return table
