"""A traced kernel and a checked call on memory of the CPU come in; the PTX is executed (`sim.ptx`)."""

from __future__ import annotations

import math
import re
import weakref
from typing import Any

from avelang.base import engines
from avelang.base.errors import AveError
from avelang.ptx.build import Traced
from avelang.runtime.arguments import Bound, Parameters
from avelang.runtime.arrays import Array

_programs: weakref.WeakKeyDictionary[Traced, Any] = weakref.WeakKeyDictionary()


def run(traced: Traced, parameters: Parameters, bound: Bound) -> None:
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
            memory[value.address] = (value.address, value.span(), spec.name, spec.name in outputs or not value.read_only)
    geometry = traced.geometry
    try:
        program.launch(
            args, geometry.grid, geometry.block, shared_bytes=traced.dynamic_bytes, cluster=traced.cluster, memory=list(memory.values())
        )
    except AveError as e:
        said = re.search(r"\bline (\d+)", e.message)
        e.span = e.span or (traced.place(int(said[1])) if said is not None else None)
        raise


def tensor_map(kind: Any, array: Array) -> bytes:
    """The 128 bytes of a tensor map for the executor."""
    from avelang.sim.ptx import tensor_map as encode

    return encode(kind, array.address, array.shape, array.strides)
