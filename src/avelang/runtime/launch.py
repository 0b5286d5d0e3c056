"""A launch comes in (provider, arguments, options); the kernel is found, loaded or compiled, and run.

Python sees the first call of each kind and whatever is unusual; `stub.Stub` serves the calls that are like one before.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from avelang.base import knobs
from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.frontend.closure import closure
from avelang.frontend.pythons import forget
from avelang.frontend.reach import Watched
from avelang.frontend.signature import signature
from avelang.frontend.source import FunctionSource
from avelang.ir.core import Kernel
from avelang.runtime import (
    bundle,
    cache,
    checked,
    compile,
    expects,
    interception,
    keys,
    launch_log,
    progress,
    stub,
    subscript,
)  # fmt: skip
from avelang.runtime.arguments import BACKENDS, EXECUTORS, BoundArguments, Parameters
from avelang.runtime.arrays import CPU
from avelang.runtime.backend import Backend, LaunchCall
from avelang.runtime.cpu_backend import Cpu
from avelang.runtime.geometry import Geometry, check_cluster, geometry
from avelang.runtime.interned import interned


class LaunchResult(NamedTuple):
    """The outcome of a launch. `backend`, which ran it: "cpu", "reference", "gfx942-exec", "gfx950-exec" or a device's
    name. `how`: "compiled", "bundle", "disk" (out of the cache), "hot" (ready in this process) or "reference".
    `prepare` and `run` are seconds: compiling or loading, and running the blocks (0 on a GPU: it returns before)."""

    how: str
    prepare: float
    run: float
    backend: str = "cpu"


_CPU = Cpu()


LAUNCHERS: weakref.WeakSet[Launcher] = weakref.WeakSet()  # of all kernels that were launched and are alive


class Launcher:
    """The launches of one jit function."""

    def __init__(self, source: FunctionSource):
        if bundle.wanted():
            bundle.bundles()  # Ave's own launcher comes out of them too
        self.source = source
        LAUNCHERS.add(self)
        self._lock = threading.Lock()
        self._programs: dict[Any, Any] = {}
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

    def mark(self) -> object:
        """A mark of this moment, for `ran_since`."""
        self._stub.forget_latest()
        return self._last

    def ran_since(self, mark: object) -> bool:
        """True where the kernel was launched since `mark()`, by the host code or not."""
        return self._stub.served() or self._last is not mark

    # -- the slow path ---

    def _slow(self, provider: Any, /, *args: Any, **kwargs: Any) -> None:
        try:
            at, known = geometry(self.source.name, provider), interned(args, kwargs)
            if known is not None:
                self.call((at.grid, at.block), *known[0], **known[1])
                return
            self._launch(at, args, kwargs)
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
        bound = params.bind(args, kwargs, empty=0 in at.grid)
        if bound.idle:
            return
        if "target" not in bound.options and knobs.target():
            bound.options["target"] = knobs.target()
        if bound.options.get("cluster"):
            check_cluster(self.source.name, at.grid, bound.options["cluster"])
        call, backend = LaunchCall(self.source.name, at, params, bound, args, kwargs), self._backend(params, bound)
        backend.check(call)
        seen = interception.waiting()
        if seen:
            about = functools.partial(self._keyed, call, captured, backend), functools.partial(
                self._name, call, captured, backend)  # fmt: skip
            if not interception.admitted(interception.CheckedLaunch(self, call, backend, *about)):
                return
        key, program, how, seconds = self._program(call, captured, backend)
        backend.admit(call, program)
        broken = expects.unmet(call.kernel, program.meta.get("expects") or {}, call.names, bound.slots, at)
        if broken is not None:
            raise broken
        params.written(bound, program.writes)
        self._stub.forget_latest()
        ran = backend.run(call, program)
        log = launch_log.here()
        if log is not None:
            log.note(call, program, backend, self.source.fn.__module__, self._closure, captured)
        self._last = LaunchResult(backend.how or how, seconds, ran, backend.name)
        if how != "hot":
            self.prepared.append(self._last)
        words = backend.host_words(call, program)
        watched = self._watched(bound) if words is not None else None
        if words is None or watched is None or seen:  # what is recorded comes here each time
            return
        queue = None if bound.device == CPU else stub.Queue(call.stream, call.library,
                                                            functools.partial(self._refused, program))
        self._stub.install((key, len(args), tuple(kwargs), *words), program, watched, at.block, params.specs, args,
                           kwargs, bound, queue)

    def _watched(self, bound: BoundArguments) -> list[Watched] | None:
        """What must stay as it is for a call like this one to be the same; None where that cannot be watched."""
        if self._closure.loose or self._closure.trouble:
            return None
        if all(map(keys.plain, bound.constexprs.values())):
            return list(self._closure.watched())
        given = keys.reached(bound.constexprs)
        return None if given.loose or given.trouble else [*self._closure.watched(), *given.slots]

    def _parameters_for(self, captured: Any) -> Parameters:
        # Annotations are evaluated in the function's globals, which may change.
        found = self._parameters.get(captured) if not self._closure.trouble else None
        if found is None:
            found = Parameters(self.source.name, signature(self.source), self._where,
                               self.source.fn.__code__.co_argcount)
            if not self._closure.trouble:
                self._parameters[captured] = found
        return found

    def _where(self, param: str) -> Span:
        args = self.source.tree.args
        node = next((a for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg == param), None)
        return self.source.span(node) if node is not None else Span(self.source.file, self.source.tree.lineno)

    def _backend(self, params: Parameters, bound: BoundArguments) -> Backend:
        """The place where the arrays are. On the CPU a launch for gfx942 or gfx950 that names no backend runs the code
        that is made for it."""
        if bound.device != CPU:
            from avelang.runtime import devices

            return devices.device(bound.device)
        target = bound.options.get("target")
        default = knobs.backend() or next((b for b, chip in EXECUTORS.items() if chip == target), "cpu")
        choice = (bound.options.get("backend") or default).split(",")
        asked = next((b for b in choice if target in (None, EXECUTORS.get(b, target))), choice[0])
        if asked not in BACKENDS:
            raise params.fail("L009", name="AVE_BACKEND", want=f"{', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}",
                              got=repr(asked))
        if asked in EXECUTORS:
            from avelang.runtime.executed_code import Executor

            if target not in (None, EXECUTORS[asked]):
                named = "backend" in bound.options
                how, leave = (f"backend={asked!r}", "`backend=`") if named else (f"AVE_BACKEND={asked}", "AVE_BACKEND")
                raise params.fail("L026", how=how, chip=EXECUTORS[asked], target=target,
                                  leave=f"{leave}{'' if named else ' (--on of `ave run`)'}")
            return Executor(asked)
        if asked == "reference":
            from avelang.runtime.interpreted import Reference

            return Reference()
        return _CPU

    def _refused(self, program: Any, status: int, provider: Any, /, *args: Any, **kwargs: Any) -> None:
        """Raises what the driver said of a launch by the host code."""
        from avelang.runtime import streams

        params = self._parameters_for(self._closure.snapshot())
        bound, at = params.bind(args, kwargs), geometry(self.source.name, provider)
        # The host code does not look at clusters: the driver does.
        check_cluster(self.source.name, at.grid, bound.options.get("cluster", (1,)))
        stream = bound.stream if bound.stream is not None else streams.current(bound.arrays, program.device.index)[0]
        raise program.refused(status, at, bound, [spec.name for spec in params.runtime], stream)

    # -- kernels, ready to run ---

    def _program(self, call: LaunchCall, captured: tuple[Any, ...], backend: Backend) -> tuple[Any, Any, str, float]:
        """The key of the specialization, the program, how it was had, and the seconds that took."""
        start = time.perf_counter()
        key, kernel = self._keyed(call, captured, backend)
        found = self._programs.get(key)
        if found is not None:
            return key, found, "hot", time.perf_counter() - start if kernel is not None else 0.0
        with self._lock:
            found = self._programs.get(key)
            if found is not None:
                return key, found, "hot", 0.0
            ready = self._bundled(call, backend) if kernel is None else None
            if ready is not None:
                self._programs[key] = ready
                return key, ready, "bundle", time.perf_counter() - start
            name = self._name(call, captured, backend) if kernel is None and backend.on_disk else ""
            entry = cache.load(name) if name and not knobs.dump() and not knobs.check_ir() else None
            program = self._loaded(backend, entry, name) if entry is not None else None
            how = "disk" if program is not None else "compiled"
            if program is None:
                if knobs.strict() and backend.on_disk:
                    raise self._refused_by_strict(call, backend)
                source = self._fresh(call.bound) if kernel is None else compile.Built(self.source, kernel)
                with progress.shown(self.source.name, backend.name, call.bound.options.get("target", "")):
                    program, payload, meta = backend.make(source, call)
                if name:
                    cache.store(name, meta, payload)
            self._programs[key] = program
            return key, program, how, time.perf_counter() - start

    def prepare(self, provider: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Loads what a launch needs, which is found ready then, and launches nothing. Raises what a launch raises."""
        call = self.call_for(geometry(self.source.name, provider), args, kwargs)
        backend = self._backend(call.params, call.bound)
        backend.check(call)
        backend.admit(call, self.program_of(call, backend))

    def program_of(self, call: LaunchCall, backend: Backend) -> Any:
        """The program of a checked launch, found or made."""
        return self._program(call, self._closure.snapshot(), backend)[1]

    def ready(self, key: Any) -> Any:
        """The program of a specialization, where it is loaded; else None."""
        return self._programs.get(key)

    def adopt_program(self, key: Any, program: Any) -> None:
        """Keeps a program that was made elsewhere."""
        with self._lock:
            self._programs.setdefault(key, program)

    def call_for(self, at: Geometry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> LaunchCall:
        """A launch with its arguments checked, for those who run it otherwise (`runtime.ranked`)."""
        params = self._parameters_for(self._closure.snapshot())
        bound = params.bind(args, kwargs)
        if "target" not in bound.options and knobs.target():
            bound.options["target"] = knobs.target()
        return LaunchCall(self.source.name, at, params, bound, args, kwargs)

    def source_for(self, bound: BoundArguments) -> FunctionSource:
        """The source, for a build of a launch."""
        return self._fresh(bound)

    def _bundled(self, call: LaunchCall, backend: Backend) -> Any:
        """The program of a bundle's entry; None where there is none."""
        if not bundle.wanted() or knobs.dump() or knobs.check_ir():
            return None
        found = bundle.find(self.source, call.bound.constexprs, call.bound.options, call.at.block,
                            backend.bundled(call))  # fmt: skip
        return None if found is None else backend.load(found[1].payload, found[1].meta)

    def _refused_by_strict(self, call: LaunchCall, backend: Backend) -> Exception:
        return bundle.refuse(self.source, call.bound.constexprs, call.bound.options, call.at.block,
                             backend.bundled(call))  # fmt: skip

    def _loaded(self, backend: Backend, entry: cache.CacheEntry, name: str) -> Any:
        """The program of an entry of the cache; None, and it is dropped, where it does not load: its symbols or its
        data are not those that Ave wrote."""
        try:
            return backend.load(entry.payload, entry.meta)
        except (AveError, KeyError, TypeError, ValueError, RuntimeError):
            cache.drop(name)
            return None

    def _keyed(self, call: LaunchCall, captured: tuple[Any, ...], backend: Backend) -> tuple[Any, Kernel | None]:
        """The key of a specialization. Where something that is read has none, the kernel is built now, and its IR is
        the key."""
        bound = call.bound
        given = keys.reached(bound.constexprs) if not all(map(keys.plain, bound.constexprs.values())) else None
        why = self._closure.trouble or (given.trouble if given is not None else "")
        named = (*sorted(bound.constexprs.items()), *sorted(bound.options.items()))
        checks = checked.wanted(), knobs.check_ir(), knobs.check_ptxas()
        key = (captured, call.at.block, backend.where, *checks, *((name, keys.freeze(value)) for name, value in named))
        if not why:
            return key, None
        if not self._told:
            self._told = True
            hint = "pass what it gives as a constexpr parameter, or keep it in a global, and launches are fast again"
            said = f"`{self.source.name}` is built anew for each launch: it reads {why}, which has no key; {hint}"
            warnings.warn(said, RuntimeWarning, stacklevel=6)
        kernel = compile.build(self._fresh(bound), bound.constexprs, bound.options.get("target"), call.at.block)
        return (key, compile.said(kernel)), kernel

    def _fresh(self, bound: BoundArguments) -> FunctionSource:
        """The source, for a build: what remembers results for Python code that the build runs has forgotten them."""
        self._closure.forget()
        forget(keys.reached(bound.constexprs).memories)
        return self.source

    def _name(self, call: LaunchCall, captured: tuple[Any, ...], backend: Backend) -> str:
        """The name in the cache on disk; "" where a value has no text that another process would find again."""
        try:
            parts = {
                "kernel": self.source.name,
                # Spans in error messages and generated code are lines of this file.
                "file": self.source.file,
                "captured": list(captured),
                "python": sys.version,
                "parameters": [
                    str((s.name, s.kind, s.dtype, s.shape, s.strides, str(s.map))) for s in signature(self.source)
                ],
                "constexprs": keys.tokens(call.bound.constexprs),
                "options": keys.tokens(call.bound.options),
                "block": list(call.at.block),
                **backend.key,
            }
        except (keys.Unstable, ImportError):  # a bundle needs no LLVM, and the key of the cache does
            return ""
        return cache.key(parts)
