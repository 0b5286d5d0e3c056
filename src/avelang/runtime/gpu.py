"""Code for a GPU and the arguments of a launch come in; the vendor's driver has loaded the one and been handed the
other.

What the drivers of all vendors share is here: opening the library, devices, modules, the record that compiled host code
launches from (`native/host/gpu.c`), and errors. A vendor is a subclass of `Driver` of tables and a few short methods
(`hip.py`, `cuda.py`)."""

from __future__ import annotations

import abc
import contextlib
import ctypes
import hashlib
import os
import pathlib
import re
import struct
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

import avelang.arch as arch
from avelang.base import engines, knobs
from avelang.base.errors import AveError, error
from avelang.ir import printf
from avelang.ir.dtypes import BY_NAME
from avelang.native.layouts import KEPT, Gpu, Recent
from avelang.runtime import launch_log
from avelang.runtime.arrays import Array
from avelang.runtime.backend import Backend, LaunchCall
from avelang.runtime.geometry import Geometry, check_block
from avelang.runtime.native import native

if TYPE_CHECKING:
    from avelang.runtime.arguments import BoundArguments

P = ctypes.c_void_p
I32 = ctypes.c_int32
U32 = ctypes.c_uint32
SIZE = ctypes.c_size_t

# By what stands above the status that `native/host/gpu.c` returns: the role of the call that failed.
CALLS = ("launch", "get", "set")
EARLIER = 4  # launches that a message names
CAPTURED = 900  # the status of what a capture forbids: the same in both drivers
RELAXED = 2  # the capture mode in which a thread may allocate: the same in both drivers


class Call(NamedTuple):
    """A function of the driver: its symbol, the types of its arguments, and what it returns (a status, mostly)."""

    symbol: str
    args: tuple[Any, ...]
    result: Any = I32


class Survey(NamedTuple):
    """The findings of a driver, for `ave doctor`: its library, its version, and (name, architecture, Ave's chip or
    None) of each device."""

    path: str
    version: str
    devices: list[tuple[str, str, arch.Chip | None]]


class Driver(abc.ABC):
    """One vendor's driver. `calls` has these roles, with the same arguments and the same meaning for all vendors: init,
    count, get and set (of the thread's device, as one word), load, function, launch, wait (for a stream), capture
    (exchanges the thread's capture mode), capturing (whether a stream is under capture), last (takes the last error
    away; a vendor may have none), allocate, free, to and from (copies to a device and back)."""

    runtime: ClassVar[str]  # in messages
    kind: ClassVar[str]  # of devices, as in "rocm:0"
    library: ClassVar[str]  # its file name begins so
    needs: ClassVar[str]  # versions that will do
    get: ClassVar[str]  # how to get it
    hidden: ClassVar[str]  # the environment variables that hide devices
    calls: ClassVar[Mapping[str, Call]]
    hints: ClassVar[Mapping[int, str]]  # by status
    faults: ClassVar[frozenset[int]]  # statuses that an earlier kernel is to blame for
    captured: ClassVar[int] = CAPTURED

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._devices: dict[int, GpuDevice] = {}
        self._modules: dict[tuple[bytes, int, str], int] = {}
        self._records: weakref.WeakSet[GpuProgram] = weakref.WeakSet()
        self._lib: ctypes.CDLL | None = None
        self._forked = False
        self.path = ""
        self.count = 0

    # -- the vendor's part ---

    @abc.abstractmethod
    def places(self) -> Iterable[str]:
        """Paths of the library, best first. One that the process has loaded comes before others: a second copy of the
        library would have devices and streams of its own."""

    @abc.abstractmethod
    def version(self) -> tuple[str, bool]:
        """The library's version, and whether it is one that will do."""

    @abc.abstractmethod
    def architecture(self, index: int) -> tuple[str, str]:
        """A device's name and what the driver calls its architecture."""

    @abc.abstractmethod
    def chip(self, architecture: str) -> arch.Chip | None:
        """The chip that Ave makes code for, or None."""

    @abc.abstractmethod
    def words(self, status: int) -> tuple[str, str]:
        """The name of a status and what the driver says of it."""

    @abc.abstractmethod
    def build(self, device: GpuDevice, source: Any, bound: BoundArguments,
              block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """The image for the chip that the options call `target`, and JSON values that the runtime must know of it."""

    def chips(self, architecture: str) -> list[arch.Chip]:
        """The chips whose code runs on that architecture."""
        found = self.chip(architecture)
        return [found] if found is not None else []

    def tools(self, device: GpuDevice) -> dict[str, Any]:
        """The tools that make code for a device, beside LLVM: for the key in the cache on disk."""
        return {}

    def permit(self, function: int, meta: Mapping[str, Any], doing: str) -> None:  # noqa: B027  (most ask for nothing)
        """Asks for what a loaded kernel must be granted. Raises D035."""

    def attributes(self, meta: Mapping[str, Any]) -> Any:
        """The array of attributes that a kernel is launched with; None where `launch` is the function of eleven
        arguments, which takes none."""
        return None

    @abc.abstractmethod
    def word(self, index: int) -> int:
        """The word for a device that `set` takes and `get` gives."""

    @abc.abstractmethod
    def most_x(self, block: Sequence[int]) -> int:
        """The most blocks of these extents along x."""

    @abc.abstractmethod
    def dlpack_stream(self, stream: int) -> int:
        """The stream in the numbers of DLPack's `__dlpack__`."""

    @abc.abstractmethod
    def owner(self, address: int) -> int | None:
        """The index of the device that this memory belongs to, or None."""

    # -- the library ---

    def call(self, role: str, *args: Any) -> int:
        """Calls the driver and returns its status."""
        return int(getattr(self._lib, self.calls[role].symbol)(*args))

    def address(self, role: str) -> int:
        """The address of the driver's function."""
        return int(ctypes.cast(getattr(self._lib, self.calls[role].symbol), P).value or 0)

    def must(self, doing: str, role: str, *args: Any) -> None:
        """Calls the driver. Raises D035, which says what was being done."""
        status = self.call(role, *args)
        if status:
            raise error("D035", doing=doing, instead=self.hints.get(status, ""), **self.blame(role, status))

    def extra(self, symbol: str, args: tuple[Any, ...]) -> DriverFunction:
        """A function of the driver that launches do without, to be called with what is being done before its arguments.
        Raises D031 where the library has none; what it returns raises D035."""
        try:
            function = getattr(self._lib, symbol)
        except AttributeError:
            raise error("D031", path=self.path, why=f"it has no {symbol}", needs=self.needs) from None
        function.argtypes, function.restype = args, I32
        return DriverFunction(self, symbol, function)

    def blame(self, role: str, status: int) -> dict[str, Any]:
        """The fields of an error for a status. Takes the error away from the driver, which would report it again to the
        next who asks."""
        return self.blamed(self.calls[role].symbol, status)

    def blamed(self, symbol: str, status: int) -> dict[str, Any]:
        """As `blame`, of a function by its name."""
        name, text = self.words(status)
        if "last" in self.calls:
            self.call("last")
        return {"call": symbol, "name": name, "status": status, "text": text}

    def found(self) -> bool:
        """True where the library is there and works. Raises nothing."""
        try:
            self.open(self.kind)
        except AveError:
            return False
        return True

    def open(self, device: str) -> None:
        """Loads the library, once; `device` is for the message. Raises D030 to D032 and D036."""
        if self._forked:
            raise error("D036", runtime=self.runtime)
        with self._lock:
            if self.count:
                return
            self._lib, self.path = self._load(device)
            for symbol, args, result in self.calls.values():
                try:
                    function = getattr(self._lib, symbol)
                except AttributeError:
                    raise error("D031", path=self.path, why=f"it has no {symbol}", needs=self.needs) from None
                function.argtypes, function.restype = args, result
            version, enough = self.version()
            if not enough:
                raise error("D031", path=self.path, why=f"it is version {version}", needs=self.needs)
            count = I32()
            for role, args in (("init", (0,)), ("count", (ctypes.byref(count),))):
                status = self.call(role, *args)
                if status or (role == "count" and not count.value):
                    raise error("D032", runtime=self.runtime, path=self.path, get=self.get, **self.blame(role, status))
            self.count = count.value
            os.register_at_fork(after_in_child=self._after_fork)

    def _load(self, device: str) -> tuple[ctypes.CDLL, str]:
        absent, broken = [], []
        for place in self.places():
            try:
                return ctypes.CDLL(place), place
            except OSError as e:
                # The loader's own words for a file that is not there are long, and always the same.
                (absent if "No such file" in str(e) and place in str(e) else broken).append((place, str(e)))
        why = [f"there is no {', no '.join(place for place, _ in absent)}"] if absent else []
        raise error("D030", device=device, runtime=self.runtime, why="; ".join([*(text for _, text in broken), *why]),
                    get=self.get)

    def _after_fork(self) -> None:
        self._forked = True
        for program in self._records:
            program.record.most_x = -1

    def survey(self) -> Survey:
        """The library, its version and its devices. Raises as `open`."""
        self.open(self.kind)
        seen = [self.architecture(index) for index in range(self.count)]
        return Survey(self.path, self.version()[0], [(name, what, self.chip(what)) for name, what in seen])

    # -- devices and modules ---

    def device(self, index: int) -> GpuDevice:
        """The device. Raises D030 to D036."""
        found = self._devices.get(index)
        if found is not None and not self._forked:
            return found
        name = f"{self.kind}:{index}"
        self.open(name)
        with self._lock:
            if not 0 <= index < self.count:
                raise error("D033", device=name, runtime=self.runtime, count=self.count, hidden=self.hidden)
            title, what = self.architecture(index)
            chip = self.chip(what)
            if chip is None:
                known = ", ".join(c.name for c in arch.CHIPS.values() if self.chip(c.name) is c)
                raise error("D034", device=name, arch=what, name=title, known=known)
            return self._devices.setdefault(index, GpuDevice(self, index, chip, what, self.word(index)))

    def function(self, image: bytes, meta: Mapping[str, Any], device: GpuDevice) -> int:
        """The driver's function for a kernel, loaded on the device once. It stays loaded: a launch may be under way
        whenever Python lets go of it."""
        key = (hashlib.sha256(image).digest(), device.index, meta["entry"])
        with self._lock:
            if key not in self._modules:
                self._modules[key] = self._loaded(image, meta, device,
                                                  f"`{meta['kernel']}` cannot be loaded on {device.name}")
            return self._modules[key]

    def _loaded(self, image: bytes, meta: Mapping[str, Any], device: GpuDevice, doing: str) -> int:
        module, function = P(), P()
        # Loading allocates, which a capture under way on this thread would forbid.
        with self.on(device, doing, RELAXED):
            self.must(doing, "load", ctypes.byref(module), image)
            self.must(doing, "function", ctypes.byref(function), module, meta["entry"].encode())
            self.permit(int(function.value or 0), meta, doing)
        return int(function.value or 0)

    @contextlib.contextmanager
    def on(self, device: GpuDevice, doing: str, capture: int | None = None) -> Iterator[None]:
        """Makes the device this thread's as long as the block runs, and `capture` its mode of capture. Raises D035."""
        before, mode = ctypes.c_int64(), I32(capture or 0)
        self.must(doing, "get", ctypes.byref(before))
        if capture is not None:
            self.must(doing, "capture", ctypes.byref(mode))
        try:
            self.must(doing, "set", device.word)
            yield
        finally:
            if capture is not None:
                self.call("capture", ctypes.byref(mode))
            self.call("set", before.value)

    def capturing(self, stream: int) -> bool:
        """True where a stream of the thread's device is under capture."""
        state = I32()
        return self.call("capturing", stream, ctypes.byref(state)) == 0 and state.value != 0

    def remember(self, program: GpuProgram) -> None:
        """Programs are told when the process is forked, and named when one of them has faulted."""
        self._records.add(program)

    def earlier(self, device: GpuDevice) -> str:
        """The last launches on a device, newest first, in words: one of them has faulted, where the device says that an
        earlier kernel did."""
        programs = {program.address: program for program in self._records if program.device is device}
        seen = [programs[r.gpu].told(r) for r in native().recent() if r.gpu in programs]
        return f"; the last launches on {device.name}, newest first: {'; '.join(seen[:EARLIER])}" if seen else ""


class DriverFunction:
    """A function of the driver at `address`, to be called with what is being done before its arguments. Raises D035."""

    def __init__(self, driver: Driver, symbol: str, function: Any):
        self._driver, self.symbol, self._function = driver, symbol, function
        self.address = ctypes.cast(function, P).value or 0

    def __call__(self, doing: str, *values: Any) -> None:
        status = self._function(*values)
        if status:
            raise self.failed(doing, status)

    def failed(self, doing: str, status: int) -> AveError:
        """The error for a status that it has returned."""
        driver = self._driver
        return error("D035", doing=doing, instead=driver.hints.get(status, ""), **driver.blamed(self.symbol, status))


class GpuDevice(Backend):
    """One GPU. Code for it is told apart by its chip, what is loaded by its index."""

    def __init__(self, driver: Driver, index: int, chip: arch.Chip, architecture: str, word: int):
        self.driver, self.index, self.chip, self.architecture, self.word = driver, index, chip, architecture, word
        self.targets = frozenset(c.name for c in driver.chips(architecture))
        self.name = f"{driver.kind}:{index}"

    @property
    def where(self) -> str:
        """The device: a program is loaded on one."""
        return self.name

    @property
    def key(self) -> dict[str, Any]:
        """The driver, the chip, LLVM, the checks that code contains, and the vendor's own tools."""
        import llvmlite.binding as llvm

        checks = {"bounds": knobs.check_bounds(), "uniform": knobs.check_uniform(), "ptxas": knobs.check_ptxas()}
        said = {"backend": self.driver.kind, "chip": self.chip.name, "llvm": list(llvm.llvm_version_info), **checks}
        return {**said, **self.driver.tools(self)}

    def check(self, call: LaunchCall) -> None:
        """Raises L022 and L023 for another chip or backend, L003 and L004 for extents, L034 for checks that there are
        not; the options name the target from here on."""
        options, fail = call.bound.options, call.params.fail
        target, backend = options.get("target", self.chip.name), options.pop("backend", None)
        if target not in self.targets:
            raise fail("L022", target=target, device=self.name, chip=self.chip.name)
        if backend is not None:
            raise fail("L023", backend=backend, device=self.name)
        options["target"] = target
        call.params.narrow(call.bound)
        check_block(call.kernel, call.at.block, self.chip)
        self.check_grid(call.kernel, call.at)
        engines.require(engines.GPU, call.kernel, without=() if self.driver.kind == "cuda" else ("ptxas",))

    def bundled(self, call: LaunchCall) -> str:
        """The chip that the code is for, which `check` has found."""
        return call.bound.options["target"]

    def check_grid(self, kernel: str, at: Geometry) -> None:
        """Raises L004 for more blocks than the device takes."""
        most = self.driver.most_x(at.block)
        if at.grid[0] > most:
            hint = (
                f"{self.driver.runtime} counts threads along an axis in 32 bits: with {at.block[0]} in a block, "
                f"spread the blocks over y"
            )
            raise error("L004", hint=hint, kernel=kernel, grid=at.grid, limit=most, axis="x")

    def compile(self, source: Any, bound: BoundArguments, block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """The image that the driver loads, and JSON values that the runtime must know of it."""
        return self.driver.build(self, source, bound, block)

    def load(self, payload: bytes, meta: dict[str, Any]) -> GpuProgram:
        """The code, loaded on this device. Raises D035."""
        return GpuProgram(self, payload, meta)

    def admit(self, call: LaunchCall, program: GpuProgram) -> None:
        """Raises for arrays that are not aligned as the code wants them, or tensor maps that the kernel stores to and
        that are none of an array."""
        call.params.check_aligned(call.bound, program.align, program.aligned, program.meta.get("whole", {}))
        if call.bound.maps:
            call.params.check_stored(call.bound, program.writes)

    def run(self, call: LaunchCall, program: GpuProgram) -> float:
        """Puts the kernel on its stream, behind all that writes its arrays; waits for it where it prints or is
        checked."""
        from avelang.runtime import streams

        at, bound, specs = call.at, call.bound, call.params.runtime
        if bound.maps:
            from avelang.runtime import tensor_maps

            # A thread that has never used the device, such as that of torch's backward, has no context yet.
            with self.driver.on(self, f"encoding a tensor map on {self.name}"):
                tensor_maps.encode_all(self.driver, specs, bound, program.writes)
        call.stream, call.library = (bound.stream, "") if bound.stream is not None else streams.current(bound.arrays,
                self.index)
        streams.order(bound.arrays, call.stream, call.library, self)
        if "ptx" in program.meta:
            from avelang.runtime import assembled

            sys.stdout.write(assembled.compared(program, at, bound, specs, call.stream))
        elif program.waits:
            sys.stdout.write(program.printed(at, bound, call.names, call.stream))
        else:
            program.run(at, bound, call.names, call.stream)
            if knobs.check_launches() or streams.unordered(bound.arrays):
                program.finish(at, bound, call.names, call.stream)
        return 0.0

    def host_words(self, call: LaunchCall, program: GpuProgram) -> tuple[Any, ...] | None:
        """The stream that the launch names: handles are words of the call, another object is another call."""
        said = call.kwargs.get("stream")
        return None if program.waits or knobs.check_launches() else ("handle" if type(said) is int else id(said),)

    def dlpack_stream(self, stream: int) -> int:
        """The stream in the numbers of DLPack's `__dlpack__`."""
        return self.driver.dlpack_stream(stream)

    def wait(self, stream: int) -> None:
        """Waits until all that is on the stream has run. Raises D035."""
        doing = f"waiting for stream {stream:#x} of {self.name}"
        # The default stream is that of the thread's device.
        with self.driver.on(self, doing):
            self.driver.must(doing, "wait", stream)


class GpuProgram:
    """A kernel, loaded on a device. `record` is what the host code launches from; `meta` is what the cache keeps beside
    the code."""

    # A launch returns before its kernel has run.
    last_ns = 0

    def __init__(self, device: GpuDevice, payload: bytes, meta: dict[str, Any]):
        self.device, self.meta = device, meta
        self.kernel: str = meta["kernel"]
        self.prints: bool = bool(meta.get("prints"))
        self.writes: frozenset[str] = frozenset(meta.get("writes", ()))
        self.align: int = meta["pointer_align"]
        self.aligned: Mapping[str, int] = meta.get("aligned", {})
        # A launch prints, or says what its checks have found, before it returns.
        self.waits = self.prints or "sites" in meta or "ptx" in meta
        driver, block = device.driver, meta["block"]
        self._attributes = driver.attributes(meta)
        self.record = Gpu(
            launch=driver.address("launch"), function=driver.function(payload, meta, device),
            get=driver.address("get"), set=driver.address("set"), word=device.word, only=driver.count == 1,
            most_x=driver.most_x(block), params=meta["params"] + self.prints + ("sites" in meta), block=tuple(block),
            shared=meta["dynamic_bytes"],
            attributes=None if self._attributes is None else ctypes.addressof(self._attributes),
            many=-1 if self._attributes is None else len(self._attributes),
            wide=sum(1 << i for i in meta.get("wide", ())),
        )  # fmt: skip
        self.address = ctypes.addressof(self.record)
        driver.remember(self)
        self._warn()

    def _warn(self) -> None:
        """Warnings at the user's lines where registers do not suffice, or where ptxas sees speed lost."""
        if any(self.meta.get("spills", ())) or self.meta.get("remarks"):
            from avelang.runtime import resources

            resources.warn(self.meta)

    def run(self, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int, *hidden: int) -> None:
        """Puts a grid on a stream. `names`: of the run-time parameters; `hidden`: arguments behind them. Raises
        L032."""
        slots = (ctypes.c_uint64 * max(KEPT, len(bound.slots) + len(hidden) + 1))(*bound.slots, *hidden, stream)
        log = launch_log.here()
        if log is not None:
            log.runs += 1
        status = native().launch_gpu(self.address, slots, (ctypes.c_uint32 * 3)(*at.grid))
        if status:
            raise self.refused(status, at, bound, names, stream)

    def printed(self, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int) -> str:
        """Runs a grid of a kernel that prints or checks its accesses, to its end, and returns what it printed. Raises
        D035, L032, L033, and what the checks have found: X001, X002, X005."""
        papers = [printf.buffer()] if self.prints else []
        if "sites" not in self.meta:
            self.lending(at, bound, names, stream, papers)
            return printf.decode(papers[0], self.meta["prints"])
        from avelang.runtime.checked import CheckRecord

        record = CheckRecord(self.meta, names, bound.values)
        self.lending(at, bound, names, stream, [record.words, *papers])
        found = record.error()
        if found is not None:
            raise found
        return printf.decode(papers[0], self.meta["prints"]) if papers else ""

    def lending(self, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int,
                 papers: Sequence[np.ndarray]) -> None:
        """Runs a grid to its end, with memory on the device for what it writes besides its results."""
        driver, doing = self.device.driver, f"lending `{self.kernel}` memory on {self.device.name} for what it prints"
        places = [P() for _ in papers]
        with driver.on(self.device, doing):
            if driver.capturing(stream):
                # A graph would outlive the memory that is lent, and to try would spoil the capture.
                raise error("D035", doing=doing, instead=driver.hints[CAPTURED], **driver.blame("capturing", CAPTURED))
            try:
                for place, words in zip(places, papers, strict=True):
                    driver.must(doing, "allocate", ctypes.byref(place), words.nbytes)
                    driver.must(doing, "to", place, words.ctypes.data, words.nbytes)
                self.run(at, bound, names, stream, *(place.value or 0 for place in places))
                self.finish(at, bound, names, stream)
                for place, words in zip(places, papers, strict=True):
                    driver.must(doing, "from", words.ctypes.data, place, words.nbytes)
            finally:
                for place in places:
                    if place.value:
                        driver.call("free", place)

    def refused(self, status: int, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int) -> AveError:
        """The error for what `launch_gpu` returned."""
        role, code = CALLS[status >> 32], status & 0xFFFF_FFFF
        driver = self.device.driver
        instead = driver.hints.get(code, "") + (driver.earlier(self.device) if code in driver.faults else "")
        return error("L032", instead=instead, **driver.blame(role, code), **self._fields(at, bound, names, stream))

    def finish(self, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int) -> None:
        """Waits until the kernel has run; where the stream is under capture, it has not begun to. Raises L033."""
        driver = self.device.driver
        with driver.on(self.device, f"waiting for `{self.kernel}` on {self.device.name}"):
            if driver.capturing(stream):
                return
            status = driver.call("wait", stream)
        if status:
            raise error("L033", **driver.blame("wait", status), **self._fields(at, bound, names, stream))

    def told(self, launch: Recent) -> str:
        """A launch of this kernel, in words."""
        shown = [f"{name}={_decoded(kind, launch.slots[i])}"
                 for i, (name, kind) in enumerate(self.meta["arguments"][: len(launch.slots)])]
        return (
            f"`{self.kernel}` with grid {tuple(launch.grid)}, stream {launch.stream or 0:#x}, "
            f"{', '.join(shown) or 'no arguments'}"
        )

    def _fields(self, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int) -> dict[str, Any]:
        shown = [f"{name}={_shown(value)}" for name, value in zip(names, bound.values, strict=True)]
        arguments = ", ".join(shown) or "no arguments"
        return {
            "kernel": self.kernel, "device": self.device.name, "grid": at.grid, "block": at.block, "stream": stream,
            "arguments": arguments,
        }  # fmt: skip


def _decoded(kind: str, slot: int) -> str:
    """An argument out of its 8 bytes. `kind`: the name of its dtype, "pointer" for memory."""
    if kind not in BY_NAME:
        return f"{slot:#x}"
    return str(np.frombuffer(struct.pack("<Q", slot), BY_NAME[kind].np)[0])


def _shown(value: Any) -> str:
    if isinstance(value, Array):
        return f"{value.dtype_name}{list(value.shape)} at {value.address:#x}"
    return repr(value)


def mapped(stem: str) -> list[str]:
    """The files of this process's loaded libraries whose names begin so."""
    try:
        text = pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        return []
    return list(dict.fromkeys(re.findall(rf"(?m)(/\S.*/{re.escape(stem)}[^/\n]*)$", text)))
