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
from avelang.runtime import compile
from avelang.runtime.arrays import Array
from avelang.runtime.backend import Backend, LaunchCall
from avelang.runtime.checked import CheckRecord, limits
from avelang.runtime.launch import Launcher
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


class _PtxProgram:
    """A kernel's PTX, translated."""

    def __init__(self, text: str, meta: dict[str, Any]):
        self.meta, self.writes = meta, frozenset(meta.get("writes", ()))
        self.program = _translated(text, meta["entry"])


class _ExecutedPtx(Backend):
    """The executor of PTX as a place where kernels run."""

    name = how = engines.PTX
    on_disk = False

    def __init__(self, chip: str):
        self.chip = chip

    @property
    def where(self) -> str:
        return self.name

    def check(self, call: LaunchCall) -> None:
        super().check(call)
        call.bound.options = {**call.bound.options, "target": self.chip}

    def make(self, source: Any, call: LaunchCall) -> tuple[_PtxProgram, bytes, dict[str, Any]]:
        bound = call.bound
        text, meta = compile.device_assembly(source, bound.constexprs, self.chip, call.at.block, bound.options)
        return _PtxProgram(text, meta), b"", meta

    def run(self, call: LaunchCall, program: _PtxProgram) -> float:
        at, bound, params, meta = call.at, call.bound, call.params, program.meta
        memory = [
            (limits(v)[0], limits(v)[1] - limits(v)[0], s.name, True)
            for s, v in zip(params.runtime, bound.values, strict=True)
            if isinstance(v, Array)
        ]
        slots, record = list(bound.slots), None
        if "sites" in meta:
            record = CheckRecord(meta, [s.name for s in params.runtime], bound.values)
            slots.append(record.address)
            memory.append((record.address, record.words.nbytes, "the record", True))
        args: list[Any] = []
        for k, v in enumerate(program.program.code.params):
            spec = params.runtime[k] if k < len(params.runtime) else None
            if spec is not None and spec.kind == "map":
                x = bound.values[k]
                args.append(tensor_map(spec.map, x.address, x.shape, x.strides))
            else:
                args.append(slots[k] & (1 << 8 * v.bytes) - 1)
        cluster = bound.options.get("cluster")
        launched = tuple(cluster) if cluster else None
        program.program.launch(args, at.grid, at.block, meta["dynamic_bytes"], launched, memory, ("races", "init"))
        found = record.error() if record is not None else None
        if found is not None:
            raise found
        return 0.0


@contextlib.contextmanager
def on(where: Engine) -> Iterator[io.StringIO]:
    """What is said on standard error meanwhile comes out. Checks are AVE_CHECK's: to be set by whoever asks."""
    said = io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stderr(said))
        if where.backend == engines.PTX:
            stack.enter_context(mock.patch.object(Launcher, "_backend", lambda *_: _ExecutedPtx(where.chip)))
        yield said
