"""A traced kernel and a checked call on memory of the CPU come in; the PTX is executed (`sim.ptx`)."""

from __future__ import annotations

import contextlib
import contextvars
import math
import re
import weakref
from collections.abc import Iterator
from typing import Any

from avelang.base import engines, knobs
from avelang.base.errors import AveError
from avelang.ptx.build import Traced
from avelang.runtime.arguments import BoundArguments, Parameters
from avelang.runtime.arrays import Array

_collected: contextvars.ContextVar[list[AveError] | None] = contextvars.ContextVar("collected", default=None)


@contextlib.contextmanager
def collect() -> Iterator[list[AveError]]:
    """Calls on memory of the CPU go on behind what is wrong, and put the errors into the list, one for each kind and
    place:

        with ptx.collect() as reports:
            out = kernel(x)

    What is looked for is what AVE_CHECK says (`races`, `init`), and what stops a kernel otherwise: accesses outside of
    memory, missing waits. A load outside of memory gives zero there, a store does nothing. On a GPU nothing is
    collected."""
    found: list[AveError] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


_programs: weakref.WeakKeyDictionary[Traced, Any] = weakref.WeakKeyDictionary()


def run(traced: Traced, parameters: Parameters, bound: BoundArguments) -> None:
    """Runs the grid to its end. Raises X errors, which name the instruction."""
    engines.require(engines.PTX, traced.entry)
    if not math.prod(traced.geometry.grid):
        return
    from avelang.sim.ptx import Program

    program = _programs.get(traced)
    if program is None:
        program = _programs[traced] = Program(traced.numbered, entry=traced.entry)
    outputs = {a.name for a in traced.arguments[len(traced.definition.inputs) :]}
    args: list[int | bytes] = []
    memory: dict[int, tuple[int, int, str, bool]] = {}
    for spec, value, slot in zip(parameters.runtime, bound.values, bound.slots, strict=True):
        if spec.map is not None:
            args.append(tensor_map(spec.map, value))
            continue
        args.append(slot)
        if isinstance(value, Array) and value.size:
            memory[value.address] = (
                value.address,
                value.span(),
                spec.name,
                spec.name in outputs or not value.read_only,
            )
    geometry = traced.geometry
    found = _collected.get()
    how = "raise" if found is None else "collect"
    check = sorted(knobs.checks() & {"races", "init"})
    try:
        ran = program.launch(args, geometry.grid, geometry.block, shared_bytes=traced.dynamic_bytes,
                             cluster=traced.cluster,
                             memory=list(memory.values()), check=check, report=how)  # fmt: skip
    except AveError as e:
        _placed(traced, e)
        raise
    if found is not None:
        for e in ran.reports:
            _placed(traced, e)
        found += ran.reports


def _placed(traced: Traced, e: AveError) -> None:
    """An error gets the user's line: that of the instruction, rather than that of the launch."""
    said = re.search(r"\bline (\d+)", e.message)
    e.span = (traced.place(int(said[1])) if said is not None else None) or e.span


def tensor_map(kind: Any, array: Array) -> bytes:
    """The 128 bytes of a tensor map for the executor."""
    from avelang.sim.ptx import tensor_map as encode

    return encode(kind, array.address, array.shape, array.strides)
