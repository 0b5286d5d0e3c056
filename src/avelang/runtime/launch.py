"""A launch comes in (provider, arguments, options); the kernel is found, loaded or compiled, and run.

Python sees the first call of each kind and whatever is unusual; `stub.Stub` serves the calls that are like one before.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.base.spans import Span
from avelang.frontend.closure import closure
from avelang.frontend.signature import signature
from avelang.frontend.source import Source
from avelang.runtime import cache, compile, keys, stub
from avelang.runtime.arguments import Bound, Parameters
from avelang.runtime.arrays import Array
from avelang.runtime.cpu import Program
from avelang.runtime.geometry import Geometry, check_block, geometry


class Launch(NamedTuple):
    """What became of a launch. `how`: "compiled", "disk" (out of the cache), "hot" (ready in this process) or "reference".

    `prepare` and `run` are seconds: compiling or loading, and running the blocks.
    """

    how: str
    prepare: float
    run: float


class Launcher:
    """The launches of one jit function."""

    def __init__(self, source: Source):
        self.source = source
        self._lock = threading.Lock()
        self._programs: dict[Any, Program] = {}
        self._kernels: dict[Any, Any] = {}
        self._parameters: dict[Any, Parameters] = {}
        self._last: Launch | None = None
        # The launches that found their kernel not ready, in order: for the summary of `ave run`.
        self.prepared: list[Launch] = []
        self._stub = stub.Stub(source.name, self._slow)
        self.call: Callable[..., None] = self._stub.call

    @functools.cached_property
    def _closure(self) -> Any:
        return closure(self.source)

    @property
    def last(self) -> Launch | None:
        """The last launch of this kernel; None before the first."""
        program = self._stub.latest()
        return Launch("hot", 0.0, program.last_ns / 1e9) if program is not None else self._last

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

    def _launch(self, at: Geometry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        captured: tuple[Any, ...] = self._closure.snapshot()
        watched = self._closure.watched()
        params = self._parameters_for(captured)
        bound = params.bind(args, kwargs)
        if "target" not in bound.options and knobs.target():
            bound.options["target"] = knobs.target()
        target = bound.options.get("target")
        check_block(self.source.name, at.block, compile.chip_of(target))
        named = (*sorted(bound.constexprs.items()), *sorted(bound.options.items()))
        key = (captured, at.block, *((name, keys.freeze(value)) for name, value in named))
        if self._backend(params, bound) == "reference":
            self._reference(key, at, bound, target)
            return
        program, how, seconds = self._program(key, at, bound, target, captured)
        params.check_writable(bound, program.writes)
        self._stub.forget_latest()
        self._run(program, at, bound)
        self._last = Launch(how, seconds, program.last_ns / 1e9)
        if how != "hot":
            self.prepared.append(self._last)
        if not program.prints:
            call = (key, len(args), tuple(kwargs))
            self._stub.install(call, program, watched, at.block, params.specs, args, kwargs, bound)

    def _parameters_for(self, captured: Any) -> Parameters:
        # Annotations are evaluated in the function's globals, which may change.
        found = self._parameters.get(captured)
        if found is None:
            found = self._parameters[captured] = Parameters(
                self.source.name, signature(self.source), self._where, self.source.fn.__code__.co_argcount
            )
        return found

    def _where(self, param: str) -> Span:
        args = self.source.tree.args
        node = next((a for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg == param), None)
        return self.source.span(node) if node is not None else Span(self.source.file, self.source.tree.lineno)

    def _backend(self, params: Parameters, bound: Bound) -> str:
        asked = bound.options.get("backend") or knobs.backend() or "cpu"
        if asked not in ("cpu", "reference"):
            raise params.fail("L009", name="AVE_BACKEND", want="cpu or reference", got=repr(asked))
        return asked

    def _run(self, program: Program, at: Geometry, bound: Bound) -> None:
        if not program.prints:
            program.run(bound.slots, at.grid)
            return
        # The kernel prints through C's buffer, Python through its own.
        sys.stdout.flush()
        program.run(bound.slots, at.grid)
        ctypes.CDLL(None).fflush(None)

    # -- kernels, ready to run ---------------------------------------------------------------------------------------------------

    def _reference(self, key: Any, at: Geometry, bound: Bound, target: str | None) -> None:
        from avelang.sim import reference

        start = time.perf_counter()
        with self._lock:
            kernel = self._kernels.get(key)
            if kernel is None:
                kernel = self._kernels[key] = compile.build(self.source, bound.constexprs, target)
                self.prepared.append(Launch("reference", time.perf_counter() - start, 0.0))
        built = time.perf_counter()
        self._stub.forget_latest()
        values = [v.numpy() if isinstance(v, Array) else v for v in bound.values]
        reference.run(kernel, values, at.grid, at.block, races=knobs.check_races())
        self._last = Launch("reference", built - start, time.perf_counter() - built)

    def _program(self, key: Any, at: Geometry, bound: Bound, target: str | None, captured: tuple[Any, ...]) -> tuple[Program, str, float]:
        found = self._programs.get(key)
        if found is not None:
            return found, "hot", 0.0
        with self._lock:
            found = self._programs.get(key)
            if found is not None:
                return found, "hot", 0.0
            start = time.perf_counter()
            name = self._name(at, bound, captured)
            entry = cache.load(name) if name and not knobs.dump() else None
            how = "disk" if entry else "compiled"
            if entry is not None:
                program = Program(entry.payload, entry.meta)
            else:
                payload, meta = compile.cpu_object(self.source, bound.constexprs, target, at.block)
                program = Program(payload, meta)
                if name:
                    cache.store(name, meta, payload)
            self._programs[key] = program
            return program, how, time.perf_counter() - start

    def _name(self, at: Geometry, bound: Bound, captured: tuple[Any, ...]) -> str:
        """The name in the cache on disk; "" where a value has no text that another process would find again."""
        from avelang.llvm.core import Host

        try:
            parts = {
                "kernel": self.source.name,
                # Spans in error messages and generated code are lines of this file.
                "file": self.source.file,
                "texts": list(self._closure.texts),
                "globals": keys.token(captured),
                "parameters": [str((s.name, s.kind, s.dtype, s.shape, s.strides)) for s in signature(self.source)],
                "constexprs": keys.tokens(bound.constexprs),
                "options": keys.tokens(bound.options),
                "block": list(at.block),
                "backend": "cpu",
                "host": list(Host().key),
            }
        except keys.Unstable:
            return ""
        return cache.key(parts)
