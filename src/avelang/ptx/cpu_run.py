"""A traced kernel and a checked call on memory of the CPU come in; the PTX is executed (`sim.ptx`)."""

from __future__ import annotations

import contextlib
import contextvars
import math
import re
import sys
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from avelang.base import engines, knobs
from avelang.base.errors import AveError
from avelang.ptx.build import Traced
from avelang.runtime.arguments import BoundArguments, Parameters
from avelang.runtime.arrays import Array
from avelang.runtime.geometry import Geometry

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
    execute(traced, args, list(memory.values()), traced.geometry, traced.dynamic_bytes)


def execute(
    traced: Traced, args: Sequence[int | bytes], memory: Sequence[tuple[int, int, str, bool]], at: Geometry,
    dynamic_bytes: int,
) -> None:  # fmt: skip
    """Executes a traced kernel on memory of this machine. `args`: a value for each parameter; `memory`: (address,
    bytes, name, whether it may be written). With `AVE_CHECK=report` what is found is printed, and the kernel runs on.
    Raises X errors, at the user's lines."""
    engines.require(engines.PTX, traced.entry)
    if not math.prod(at.grid):
        return
    from avelang.sim.ptx import Program

    program = _programs.get(traced)
    if program is None:
        program = _programs[traced] = Program(traced.numbered, entry=traced.entry)
    found, printed = _collected.get(), knobs.check_report()
    how = "raise" if found is None and not printed else "collect"
    check = sorted(knobs.checks() & {"races", "init"})
    try:
        ran = program.launch(args, at.grid, at.block, shared_bytes=dynamic_bytes, cluster=traced.cluster,
                             memory=memory, check=check, report=how)  # fmt: skip
    except AveError as e:
        _placed(traced, e)
        raise
    for e in ran.reports:
        _placed(traced, e)
        if printed:
            print(f"ave: {e}{_others(traced, e)}", file=sys.stderr)
    if found is not None:
        found += ran.reports


def _others(traced: Traced, e: AveError) -> str:
    """The user's lines of the other instructions that an error names."""
    lines = dict.fromkeys(int(x) for x in re.findall(r"\bline (\d+)", e.message)[1:])
    places = [(line, traced.place(line)) for line in lines]
    return "".join(f"\n  line {line} is {p.where()}\n      {p.text().strip()}" for line, p in places if p is not None)


def _placed(traced: Traced, e: AveError) -> None:
    """An error gets the user's line: that of the instruction, rather than that of the launch."""
    said = re.search(r"\bline (\d+)", e.message)
    e.span = (traced.place(int(said[1])) if said is not None else None) or e.span


def tensor_map(kind: Any, array: Array) -> bytes:
    """The 128 bytes of a tensor map for the executor."""
    from avelang.sim.ptx import tensor_map as encode

    return encode(kind, array.address, array.shape, array.strides)
