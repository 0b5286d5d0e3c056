"""A launch comes in (provider, arguments, options); the kernel is found, loaded or compiled, and run.

Python sees the first call of each kind and whatever is unusual; `stub.Stub` serves the calls that are like one before.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from avelang.base import engines, knobs
from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.frontend.closure import closure
from avelang.frontend.pythons import forget
from avelang.frontend.reach import Watched
from avelang.frontend.signature import signature
from avelang.frontend.source import FunctionSource
from avelang.ir.core import Kernel
from avelang.passes.writes import written
from avelang.runtime import cache, checked, compile, expects, keys, stub, subscript
from avelang.runtime.arguments import BACKENDS, EXECUTORS, BoundArguments, Parameters
from avelang.runtime.arrays import CPU, Array
from avelang.runtime.cpu import Cpu, CpuProgram
from avelang.runtime.geometry import Geometry, check_block, check_cluster, geometry


class LaunchResult(NamedTuple):
    """What became of a launch. `backend`: what ran it: "cpu", "reference", "gfx942-exec", "gfx950-exec" or a device's name. `how`: "compiled", "disk"
    (out of the cache), "hot" (ready in this process) or "reference". `prepare` and `run` are seconds: compiling or loading, and running the
    blocks (0 on a GPU: the launch returns before)."""

    how: str
    prepare: float
    run: float
    backend: str = "cpu"


class Place(Protocol):
    """Where kernels run: the cores of this machine (`cpu.Cpu`) or a GPU (`gpu.GpuDevice`). `key` goes into the name in the cache on disk."""

    @property
    def key(self) -> dict[str, Any]: ...
    def compile(self, source: FunctionSource, bound: BoundArguments, block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]: ...
    def load(self, payload: bytes, meta: dict[str, Any]) -> Any: ...


_CPU = Cpu()


class Launcher:
    """The launches of one jit function."""

    def __init__(self, source: FunctionSource):
        self.source = source
        self._lock = threading.Lock()
        self._programs: dict[Any, Any] = {}
        self._kernels: dict[Any, Any] = {}
        self._parameters: dict[Any, Parameters] = {}
        self._last: LaunchResult | None = None
        # Whether it was said that this kernel has no key.
        self._told = False
        # The launches that found their kernel not ready, in order: for the summary of `ave run`.
        self.prepared: list[LaunchResult] = []
        self._stub = stub.Stub(source.name, self._slow)
        self.call: Callable[..., None] = self._stub.call

    def adopt(self, kernel: Any) -> None:
        """Makes `kernel[provider]` as fast as a launch: `kernel` is the jit function of this launcher."""
        subscript.adopt(kernel, self.call)

    @functools.cached_property
    def _closure(self) -> Any:
        return closure(self.source)

    @property
    def last(self) -> LaunchResult | None:
        """The last launch of this kernel; None before the first."""
        program = self._stub.latest()
        if program is None:
            return self._last
        device = getattr(program, "device", None)
        return LaunchResult("hot", 0.0, program.last_ns / 1e9, "cpu" if device is None else device.name)

    # -- the slow path -----------------------------------------------------------------------------------------------------------

    def _slow(self, provider: Any, /, *args: Any, **kwargs: Any) -> None:
        try:
            self._launch(geometry(self.source.name, provider), args, kwargs)
        except AveError as e:
            full = knobs.full_traceback()
            stub.keep_tracebacks(full)
            if not full:
                e.__suppress_context__ = True
            raise
        except RecursionError:  # of a constexpr: what the frontend builds says so itself
            raise error("U002") from None

    def _launch(self, at: Geometry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        captured: tuple[Any, ...] = self._closure.snapshot()
        params = self._parameters_for(captured)
        bound = params.bind(args, kwargs)
        if "target" not in bound.options and knobs.target():
            bound.options["target"] = knobs.target()
        cluster = bound.options.get("cluster")
        if cluster:
            check_cluster(self.source.name, at.grid, cluster)
        if bound.device != CPU:
            self._on_gpu(captured, at, params, bound, args, kwargs)
            return
        backend = self._backend(params, bound)
        target = bound.options.get("target")
        check_block(self.source.name, at.block, compile.chip_of(target))
        if backend != engines.REFERENCE:
            engines.require(backend, self.source.name)
        if backend in EXECUTORS:
            self._execute(captured, at, params, bound, backend)
            return
        if backend == "reference":
            self._reference(captured, at, params, bound, target)
            return
        key, program, how, seconds = self._program(at, bound, captured, _CPU, CPU)
        params.check_writable(bound, program.writes)
        params.check_stored(bound, program.writes)
        self._expected(program.meta.get("expects"), params, at, bound)
        params.written(bound, program.writes)
        self._stub.forget_latest()
        self._run(program, at, params, bound)
        self._last = LaunchResult(how, seconds, program.last_ns / 1e9)
        if how != "hot":
            self.prepared.append(self._last)
        # The host code does not look at clusters: their grids are checked here.
        if bound.maps:
            from avelang.runtime import tensor_maps

            tensor_maps.keep_words(params.runtime, bound)
        watched = self._watched(bound)
        if watched is not None and not program.prints and not cluster and not checked.wanted():
            call = (key, len(args), tuple(kwargs))
            self._stub.install(call, program, watched, at.block, params.specs, args, kwargs, bound)

    def _watched(self, bound: BoundArguments) -> list[Watched] | None:
        """What must stay as it is for a call like this one to be the same; None where that cannot be watched."""
        if self._closure.loose or self._closure.trouble:
            return None
        if all(map(keys.plain, bound.constexprs.values())):
            return list(self._closure.watched())
        given = keys.reached(bound.constexprs)
        return None if given.loose or given.trouble else [*self._closure.watched(), *given.slots]

    def _key(self, captured: Any, at: Geometry, bound: BoundArguments, place: str) -> Any:
        named = (*sorted(bound.constexprs.items()), *sorted(bound.options.items()))
        checks = checked.wanted(), knobs.check_ir(), knobs.check_ptxas()
        return (captured, at.block, place, *checks, *((name, keys.freeze(value)) for name, value in named))

    def _parameters_for(self, captured: Any) -> Parameters:
        # Annotations are evaluated in the function's globals, which may change.
        found = self._parameters.get(captured) if not self._closure.trouble else None
        if found is None:
            found = Parameters(self.source.name, signature(self.source), self._where, self.source.fn.__code__.co_argcount)
            if not self._closure.trouble:
                self._parameters[captured] = found
        return found

    def _where(self, param: str) -> Span:
        args = self.source.tree.args
        node = next((a for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg == param), None)
        return self.source.span(node) if node is not None else Span(self.source.file, self.source.tree.lineno)

    def _backend(self, params: Parameters, bound: BoundArguments) -> str:
        """What runs a launch on CPU arrays. Where nothing is said of the backend, a launch for gfx942 or gfx950 runs the code that is made for it."""
        target = bound.options.get("target")
        asked = bound.options.get("backend") or knobs.backend() or next((b for b, chip in EXECUTORS.items() if chip == target), "cpu")
        if asked not in BACKENDS:
            raise params.fail("L009", name="AVE_BACKEND", want=f"{', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}", got=repr(asked))
        if asked in EXECUTORS and target not in (None, EXECUTORS[asked]):
            raise params.fail("L026", backend=asked, chip=EXECUTORS[asked], target=target)
        return asked

    def _run(self, program: CpuProgram, at: Geometry, params: Parameters, bound: BoundArguments) -> None:
        if program.prints:
            # The kernel prints through C's buffer, Python through its own.
            sys.stdout.flush()
        try:
            if "sites" in program.meta:
                program.checked([s.name for s in params.runtime], bound, at.grid)
            else:
                program.run(bound.slots, at.grid)
        finally:
            if program.prints:
                ctypes.CDLL(None).fflush(None)

    def _expected(self, found: Any, params: Parameters, at: Geometry, bound: BoundArguments) -> None:
        """Raises L050 where a launch breaks what the kernel expects of it."""
        broken = expects.unmet(self.source.name, found or {}, [spec.name for spec in params.runtime], bound.slots, at)
        if broken is not None:
            raise broken

    # -- on a GPU ----------------------------------------------------------------------------------------------------------------

    def _on_gpu(self, captured: Any, at: Geometry, params: Parameters, bound: BoundArguments, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        from avelang.runtime import devices, streams

        device, name = devices.device(bound.device), self.source.name
        target, backend = bound.options.get("target", device.chip.name), bound.options.pop("backend", None)
        if target not in device.targets:
            raise params.fail("L022", target=target, device=device.name, chip=device.chip.name)
        if backend is not None:
            raise params.fail("L023", backend=backend, device=device.name)
        bound.options["target"] = target
        check_block(name, at.block, device.chip)
        device.check(name, at)
        engines.require(engines.GPU, name, without=() if device.driver.kind == "cuda" else ("ptxas",))
        key, program, how, seconds = self._program(at, bound, captured, device, device.name)
        params.check_aligned(bound, program.align)
        self._expected(program.meta.get("expects"), params, at, bound)
        if bound.maps:
            from avelang.runtime import tensor_maps

            params.check_stored(bound, program.writes)
            tensor_maps.encode_all(device.driver, params.runtime, bound)
        stream, library = (bound.stream, "") if bound.stream is not None else streams.current(bound.arrays, device.index)
        streams.order(bound.arrays, stream, library, device)
        self._stub.forget_latest()
        params.written(bound, program.writes)
        names = [spec.name for spec in params.runtime]
        waits = knobs.check_launches()
        slow = program.prints or "sites" in program.meta or "ptx" in program.meta
        if "ptx" in program.meta:
            from avelang.runtime import assembled

            sys.stdout.write(assembled.compared(program, at, bound, params.runtime, stream))
        elif slow:
            sys.stdout.write(program.printed(at, bound, names, stream))
        else:
            program.run(at, bound, names, stream)
            if waits or streams.unordered(bound.arrays):
                program.finish(at, bound, names, stream)
        self._last = LaunchResult(how, seconds, 0.0, device.name)
        if how != "hot":
            self.prepared.append(self._last)
        watched = self._watched(bound)
        if watched is not None and not waits and not slow:
            said = kwargs.get("stream")
            # Handles are words of the call; another object is another call.
            call = (key, len(args), tuple(kwargs), "handle" if type(said) is int else id(said))
            queue = stub.Queue(stream, library, functools.partial(self._refused, program))
            self._stub.install(call, program, watched, at.block, params.specs, args, kwargs, bound, queue)

    def _refused(self, program: Any, status: int, provider: Any, /, *args: Any, **kwargs: Any) -> None:
        """Raises what the driver said of a launch by the host code."""
        from avelang.runtime import streams

        params = self._parameters_for(self._closure.snapshot())
        bound, at = params.bind(args, kwargs), geometry(self.source.name, provider)
        # The host code does not look at clusters: the driver does.
        check_cluster(self.source.name, at.grid, bound.options.get("cluster", (1,)))
        stream = bound.stream if bound.stream is not None else streams.current(bound.arrays, program.device.index)[0]
        raise program.refused(status, at, bound, [spec.name for spec in params.runtime], stream)

    # -- on the executor -----------------------------------------------------------------------------------------------------------

    def _execute(self, captured: Any, at: Geometry, params: Parameters, bound: BoundArguments, backend: str) -> None:
        """Runs the machine code of a chip on this machine."""
        from avelang.runtime.executed_code import Executor

        place = Executor(backend)
        bound.options = {**bound.options, "target": EXECUTORS[backend], "backend": backend}
        _, program, how, seconds = self._program(at, bound, captured, place, str(place.key["check"]))
        params.check_writable(bound, program.writes)
        self._expected(program.meta.get("expects"), params, at, bound)
        params.written(bound, program.writes)
        self._stub.forget_latest()
        program.run(at, bound)
        self._last = LaunchResult(how, seconds, program.last_ns / 1e9, backend)
        if how != "hot":
            self.prepared.append(self._last)

    # -- kernels, ready to run ---------------------------------------------------------------------------------------------------

    def _reference(self, captured: Any, at: Geometry, params: Parameters, bound: BoundArguments, target: str | None) -> None:
        from avelang.sim import reference

        start = time.perf_counter()
        key, found = self._keyed(captured, at, bound, CPU, target)
        with self._lock:
            kernel = self._kernels.get(key)
            if kernel is None:
                kernel = self._kernels[key] = found or compile.build(self._fresh(bound), bound.constexprs, target)
                kernel.attrs.update({name: bound.options[name] for name in compile.HINTS if name in bound.options})
                kernel.attrs["expects"] = compile.expected(kernel, at.block)
                self.prepared.append(LaunchResult("reference", time.perf_counter() - start, 0.0, "reference"))
        built = time.perf_counter()
        engines.require(engines.REFERENCE, self.source.name, without=() if reference.runs_beside(kernel) else ("waits",))
        self._expected(kernel.attrs.get("expects"), params, at, bound)
        self._stub.forget_latest()
        params.written(bound, written(kernel))
        values = [v.numpy() if isinstance(v, Array) else v for v in bound.values]
        reference.run(kernel, values, at.grid, at.block, races=knobs.check_races(), outputs=written(kernel) if knobs.check_init() else ())
        self._last = LaunchResult("reference", built - start, time.perf_counter() - built, "reference")

    def _program(self, at: Geometry, bound: BoundArguments, captured: tuple[Any, ...], place: Place, where: str) -> tuple[Any, Any, str, float]:
        """The key of the specialization, the program, how it was had, and the seconds that took."""
        start = time.perf_counter()
        key, kernel = self._keyed(captured, at, bound, where, bound.options.get("target"))
        found = self._programs.get(key)
        if found is not None:
            return key, found, "hot", time.perf_counter() - start if kernel is not None else 0.0
        with self._lock:
            found = self._programs.get(key)
            if found is not None:
                return key, found, "hot", 0.0
            name = self._name(at, bound, captured, place) if kernel is None else ""
            entry = cache.load(name) if name and not knobs.dump() and not knobs.check_ir() else None
            program = self._loaded(place, entry, name) if entry is not None else None
            how = "disk" if program is not None else "compiled"
            if program is None:
                source = self._fresh(bound) if kernel is None else compile.Built(self.source, kernel)
                payload, meta = place.compile(source, bound, at.block)
                program = place.load(payload, meta)
                if name:
                    cache.store(name, meta, payload)
            self._programs[key] = program
            return key, program, how, time.perf_counter() - start

    def _loaded(self, place: Place, entry: cache.CacheEntry, name: str) -> Any:
        """What an entry of the cache holds; None, and it is dropped, where it does not load: its symbols or its data are not what Ave wrote."""
        try:
            return place.load(entry.payload, entry.meta)
        except (AveError, KeyError, TypeError, ValueError, RuntimeError):
            cache.drop(name)
            return None

    def _keyed(self, captured: tuple[Any, ...], at: Geometry, bound: BoundArguments, where: str, target: str | None) -> tuple[Any, Kernel | None]:
        """The key of a specialization. Where something that is read has none, the kernel is built now, and its IR is the key."""
        given = keys.reached(bound.constexprs) if not all(map(keys.plain, bound.constexprs.values())) else None
        why = self._closure.trouble or (given.trouble if given is not None else "")
        key = self._key(captured, at, bound, where)
        if not why:
            return key, None
        if not self._told:
            self._told = True
            hint = "pass what it gives as a constexpr parameter, or keep it in a global, and launches are fast again"
            said = f"`{self.source.name}` is built anew for each launch: it reads {why}, which has no key; {hint}"
            warnings.warn(said, RuntimeWarning, stacklevel=6)
        kernel = compile.build(self._fresh(bound), bound.constexprs, target)
        return (key, compile.said(kernel)), kernel

    def _fresh(self, bound: BoundArguments) -> FunctionSource:
        """The source, for a build: what remembers results for Python code that the build runs has forgotten them."""
        self._closure.forget()
        forget(keys.reached(bound.constexprs).memories)
        return self.source

    def _name(self, at: Geometry, bound: BoundArguments, captured: tuple[Any, ...], place: Place) -> str:
        """The name in the cache on disk; "" where a value has no text that another process would find again."""
        try:
            parts = {
                "kernel": self.source.name,
                # Spans in error messages and generated code are lines of this file.
                "file": self.source.file,
                "captured": list(captured),
                "python": sys.version,
                "parameters": [str((s.name, s.kind, s.dtype, s.shape, s.strides, str(s.map))) for s in signature(self.source)],
                "constexprs": keys.tokens(bound.constexprs),
                "options": keys.tokens(bound.options),
                "block": list(at.block),
                **place.key,
            }
        except keys.Unstable:
            return ""
        return cache.key(parts)
