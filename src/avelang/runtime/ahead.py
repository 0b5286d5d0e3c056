"""Launches come in that are not to run yet; what another process needs to compile their kernels goes out, and what it
made of them comes back: kernels compiled ahead of their launches, and beside one another.

Inside `collected()` a launch checks its arguments, builds the kernel's IR, and stops there (a launch like one before,
which the host code serves, runs). The IR can be pickled, so a kernel of any file, cell or closure can be compiled by a
process that has never seen it (`compiled`); passes, LLVM and ptxas, the greater part of a compilation, are left for it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from avelang.base.errors import AveError, error
from avelang.base.garbage import rarer_collections
from avelang.frontend.source import FunctionSource
from avelang.ir.core import Kernel
from avelang.isa import PACKAGES
from avelang.runtime import cache, compile, interception

if TYPE_CHECKING:
    from avelang.runtime.backend import Backend
    from avelang.runtime.launch import Launcher

@dataclasses.dataclass(slots=True)
class Job:
    """A kernel to compile: what `compiled` needs, all of it to be pickled. `place`: "cpu" or the kind of the driver;
    `tools`: versions of what makes the code, and the processor that it is for; `rows`: the packages of intrinsics
    that were imported where the kernel was built."""

    place: str
    kernel: Kernel
    name: str
    file: str
    options: dict[str, Any]
    block: tuple[int, int, int]
    tools: str = ""
    architecture: str = ""
    device: str = ""
    version: str = ""
    rows: tuple[str, ...] = dataclasses.field(default_factory=lambda: _rows())


@dataclasses.dataclass(slots=True)
class PtxJob:
    """PTX to assemble for a GPU; fields as of `Job`."""

    text: str
    chip: str
    entry: str
    tools: str
    architecture: str
    device: str
    version: str
    place: str = "cuda"


@dataclasses.dataclass(slots=True)
class PtxPending:
    """A launch of a kernel of the instruction level that was collected; fields as of `Pending`. `facts` makes what is
    known of the code of what the assembler says."""

    name: str
    job: PtxJob | None
    meta: dict[str, Any] | None
    facts: Callable[[dict[str, Any]], dict[str, Any]]
    launcher: Any = None
    writes: frozenset[str] = frozenset()

    def adopt(self, payload: bytes, said: dict[str, Any]) -> None:
        """Keeps the code in the cache on disk; without one it is assembled again by its launch."""
        self.meta = self.facts(said)
        cache.store(self.name, self.meta, payload)


@dataclasses.dataclass(slots=True)
class Pending:
    """A launch that was collected. `meta`: what is known of the code, where it was there already; else `job` is to be
    compiled and `adopt` takes what was made. `writes`: the
    parameters that the kernel stores to."""

    launcher: Launcher
    key: Any
    name: str
    backend: Backend
    job: Job | None
    meta: dict[str, Any] | None
    writes: frozenset[str] = frozenset()

    def adopt(self, payload: bytes, meta: dict[str, Any]) -> None:
        """Keeps the code where the launch finds it: in the cache on disk, or, where that cannot be, in this
        process."""
        self.meta = meta
        if not (self.name and cache.store(self.name, meta, payload)):
            self.launcher.adopt_program(self.key, self.backend.load(payload, meta))


class Collection:
    """Launches that are collected, in `found`: `Pending` and `PtxPending`."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    def intercept(self, launch: interception.CheckedLaunch) -> bool:
        """Notes a launch, which is not to run. Raises what the frontend finds."""
        launcher, call, backend = launch.launcher, launch.call, launch.backend
        key, kernel = launch.keyed()
        if any(p.launcher is launcher and p.key == key for p in self.found):
            return False
        program = launcher.ready(key)
        if program is not None:
            meta = getattr(program, "meta", None)
            writes = frozenset(getattr(program, "writes", ()))
            self.found.append(Pending(launcher, key, "", backend, None, meta, writes))
            return False
        on_disk = launch.name() if kernel is None and backend.on_disk else ""
        entry = cache.load(on_disk) if on_disk else None
        if entry is not None:
            writes = frozenset(entry.meta["writes"])
            self.found.append(Pending(launcher, key, on_disk, backend, None, entry.meta, writes))
            return False
        if kernel is None:
            with rarer_collections():
                kernel = compile.build(launcher.source_for(call.bound), call.bound.constexprs,
                                       call.bound.options.get("target"), call.at.block)
        job, place, writes = None, _place(backend), frozenset(compile.stored(kernel))
        if place:
            source = launcher.source
            options = {x: y for x, y in call.bound.options.items() if x in (*compile.HINTS, "target")}
            tools = _tools(place, getattr(backend, "driver", None))
            job = Job(place, kernel, source.name, source.file, options, call.at.block, tools, *_device(backend))
        self.found.append(Pending(launcher, key, on_disk, backend, job, None, writes))
        return False


def _collection() -> Collection | None:
    """The collection of this thread that was begun last."""
    return next((x for x in reversed(interception.waiting()) if isinstance(x, Collection)), None)


def collecting() -> bool:
    """True where this thread collects launches."""
    return _collection() is not None


@contextlib.contextmanager
def collected() -> Iterator[list[Any]]:
    """Collects the launches of this thread, instead of running them."""
    mine = Collection()
    with interception.intercepting(mine):
        yield mine.found


def collect_ptx(text: str, chip: str, entry: str, device: Any, name: str,
                facts: Callable[[dict[str, Any]], dict[str, Any]]) -> None:  # fmt: skip
    """Notes a launch of PTX on a GPU, whose code is kept in the cache on disk by a name."""
    mine = _collection()
    assert mine is not None
    pending = mine.found
    if any(p.name == name for p in pending):
        return
    entered = cache.load(name)
    if entered is not None:
        pending.append(PtxPending(name, None, entered.meta, facts))
        return
    job = PtxJob(text, chip, entry, _tools("cuda", device.driver), *_device(device))
    pending.append(PtxPending(name, job, None, facts))


def _place(backend: Backend) -> str:
    """The kind of place that code is for, where another process can make it; else ""."""
    driver = getattr(backend, "driver", None)
    return driver.kind if driver is not None else "cpu" if backend.name == "cpu" else ""


def _device(backend: Any) -> tuple[str, str, str]:
    """The architecture, the name and the driver's version of a GPU."""
    driver = getattr(backend, "driver", None)
    return ("", "", "") if driver is None else (backend.architecture, backend.name, driver.version()[0])


class _Shipped(FunctionSource):
    """What compiling needs of a source whose kernel was built elsewhere."""

    def __init__(self, job: Job):
        self.name, self.file, self.kernel, self.cache = job.name, job.file, job.kernel, {}


def _rows() -> tuple[str, ...]:
    return tuple(package for package in PACKAGES.values() if package in sys.modules)


def _tools(place: str, driver: Any) -> str:
    """The versions that code depends on, and for code of this machine its processor."""
    import llvmlite.binding as llvm

    from avelang.base.version import VERSION

    found = [VERSION, *llvm.llvm_version_info]
    if place == "cpu":
        from avelang.llvm.core import HostCompiler

        found += HostCompiler().key
    elif hasattr(driver, "_assembler"):
        found.append(str(driver._assembler()))
    return " ".join(map(str, found))


def compiled(job: Job | PtxJob) -> tuple[bytes, dict[str, Any]]:
    """The payload and the facts of a kernel that another process has built. No driver is opened. Raises what the
    compiler raises, D020 where there is no ptxas, D042 where the tools are others than those of the process that
    asks."""
    driver: Any = _away(job) if job.place != "cpu" else None
    have = _tools(job.place, driver)
    if job.tools not in ("", have):
        raise error("D042", why=f"it has other tools: {have}, not {job.tools}")
    if isinstance(job, PtxJob):
        return driver.machine_code(_gone(job), job.text, job.chip, job.entry)
    for package in job.rows:  # an intrinsic without its row would be taken for another op
        importlib.import_module(package)
    source: Any = compile.Built(_Shipped(job), job.kernel)
    if job.place == "cpu":
        return compile.cpu_object(source, {}, job.options.get("target"), job.block, job.options.get("cluster"))
    bound: Any = types.SimpleNamespace(constexprs={}, options=job.options)
    code, meta = driver.build(_gone(job), source, bound, job.block)
    return code, {**meta, **(_spilled(code) if job.place == "rocm" else {})}


def _spilled(code: bytes) -> dict[str, int]:
    """Registers that an AMD code object spills, of vectors; nothing where there is no reader of its files."""
    from avelang.amdgcn.code_object import read

    try:
        return {"vgpr_spills": read(code).kernel().count("vgpr_spill_count")}
    except AveError:  # D020: `pip install pyelftools msgpack`
        return {}


def _gone(job: Job | PtxJob) -> Any:
    """The device of a job, as far as compiling asks for it."""
    return types.SimpleNamespace(architecture=job.architecture, name=job.device)


def _away(job: Job | PtxJob) -> Any:
    """The tables of a driver that is not opened here. Raises D020 where code needs a ptxas that is not there."""
    if job.place != "cuda":
        from avelang.runtime.hip import Hip

        return Hip()
    from avelang.runtime import ptxas
    from avelang.runtime.cuda import Cuda

    class Away(Cuda):
        """A driver whose version is known."""

        def version(self) -> tuple[str, bool]:
            return job.version, True

    ptxas.need("compiling in a process without a driver")
    return Away()
