"""Engines for programs that must bring no report: a name such as "ptx-exec sm_90a" comes in; inside `on`, a launch with `target` and `options` runs there
under AVE_CHECK=all. Compiled PTX is no backend of a launch: here one is put in its place."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest import mock

from avelang.base import engines
from avelang.runtime import compile, launch
from avelang.runtime.arrays import Array
from avelang.runtime.checked import CheckRecord, limits
from avelang.runtime.launch import Launcher, LaunchResult
from avelang.sim.ptx import Program, tensor_map


class Engine(NamedTuple):
    """What runs a program, and for which chip."""

    backend: str
    chip: str

    def __str__(self) -> str:
        return f"{self.backend} {self.chip}"

    @property
    def options(self) -> dict[str, str]:
        """Those of a launch, besides the target. Of the executors of AMD code the target says all."""
        return {"backend": self.backend} if self.backend in (engines.REFERENCE, engines.CPU) else {}


def engine(name: str) -> Engine:
    return Engine(*name.split())


def engines_of(chips: str) -> list[Engine]:
    """All that can run a program for these chips, with spaces between."""
    found = []
    for chip in chips.split():
        own = engines.PTX if chip.startswith("sm_") else f"{chip}-exec" if chip in ("gfx942", "gfx950") else ""
        found += [Engine(b, chip) for b in (engines.REFERENCE, engines.CPU, own) if b]
    return found


@functools.lru_cache(maxsize=16)
def _translated(text: str, entry: str) -> Program:
    return Program(text, entry=entry)


def _execute(self: Launcher, captured: Any, at: Any, params: Any, bound: Any, backend: str) -> None:
    """As `Launcher._execute`, for PTX."""
    text, meta = compile.device_assembly(self.source, bound.constexprs, bound.options["target"], at.block, bound.options)
    self._expected(meta.get("expects"), params, at, bound)
    program = _translated(text, meta["entry"])
    memory = [(limits(v)[0], limits(v)[1] - limits(v)[0], s.name, True) for s, v in zip(params.runtime, bound.values, strict=True) if isinstance(v, Array)]
    slots, record = list(bound.slots), None
    if "sites" in meta:
        record = CheckRecord(meta, [s.name for s in params.runtime], bound.values)
        slots.append(record.address)
        memory.append((record.address, record.words.nbytes, "the record", True))
    args: list[Any] = []
    for k, v in enumerate(program.code.params):
        spec = params.runtime[k] if k < len(params.runtime) else None
        if spec is not None and spec.kind == "map":
            x = bound.values[k]
            args.append(tensor_map(spec.map, x.address, x.shape, x.strides))
        else:
            args.append(slots[k] & (1 << 8 * v.bytes) - 1)
    cluster = bound.options.get("cluster")
    program.launch(args, at.grid, at.block, meta["dynamic_bytes"], tuple(cluster) if cluster else None, memory, ("races", "init"))
    found = record.error() if record is not None else None
    if found is not None:
        raise found
    self._last = LaunchResult("compiled", 0.0, 0.0, backend)


@contextlib.contextmanager
def on(where: Engine) -> Iterator[io.StringIO]:
    """What is said on standard error meanwhile comes out. Checks are AVE_CHECK's: to be set by whoever asks."""
    said = io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stderr(said))
        if where.backend == engines.PTX:
            stack.enter_context(mock.patch.object(Launcher, "_backend", lambda *_: engines.PTX))
            stack.enter_context(mock.patch.object(Launcher, "_execute", _execute))
            stack.enter_context(mock.patch.object(launch, "EXECUTORS", {**launch.EXECUTORS, engines.PTX: where.chip}))
        yield said
