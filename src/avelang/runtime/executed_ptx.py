"""Launches of several ranks for an NVIDIA chip on arrays of this machine: each rank's arguments come in; the PTX of the
kernel is executed, of all ranks beside one another (`sim.ptx.ranked_runs`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from avelang.base import knobs
from avelang.base.lazy import np
from avelang.runtime import compile
from avelang.runtime.arrays import Array
from avelang.runtime.backend import LaunchCall
from avelang.runtime.geometry import check_block, geometry
from avelang.sim.ptx import initializers
from avelang.sim.ptx.maps import tensor_map
from avelang.sim.ptx.program import WORDS, PtxProgram
from avelang.sim.ptx.run import aligned

Region = tuple[int, int, str, bool]  # address, bytes, name, whether it may be written


@functools.lru_cache(maxsize=64)
def _program(text: str, entry: str) -> PtxProgram:
    return PtxProgram(text, entry)


def _spans(call: LaunchCall) -> list[Region]:
    """The arrays of a launch."""
    pairs = zip(call.params.runtime, call.bound.values, strict=True)
    return [(v.address, v.span(), spec.name, True) for spec, v in pairs if isinstance(v, Array)]


def _arguments(call: LaunchCall, program: PtxProgram) -> list[Any]:
    out: list[Any] = []
    bound = call.bound
    each = zip(call.params.runtime, bound.slots, bound.values, program.code.params, strict=True)
    for spec, slot, value, v in each:
        if spec.map is not None:
            out.append(tensor_map(spec.map, value.address, value.shape, value.strides))
        else:
            out.append(slot & (1 << 8 * v.bytes) - 1)
    return out


def ranked(kernel: Any, provider: Any, given: Sequence[tuple[list[Any], dict[str, Any]]], heaps: Sequence[Any],
           here: Sequence[int], chip: str, seed: int, races: bool, give_up: Callable[[], None]) -> None:  # fmt: skip
    """Runs a launch of the ranks `here`; `given`: arguments and keywords of every rank; `heaps`: the symmetric memory
    of each. Raises what a launch raises, X031 to X036, and with `races` X040 to X043 and X050."""
    from avelang.sim.ptx import ranked_runs

    launcher, at = kernel._launcher, geometry(kernel.source.name, provider)
    peers: list[Region] = [(h.ctypes.data, h.nbytes, f"symmetric memory of rank {r}", True)
                           for r, h in enumerate(heaps)]  # fmt: skip
    programs, launches = [], []
    for rank in here:
        args, kwargs = given[rank]
        call = launcher.call_for(at, tuple(args), {**kwargs, "target": chip})
        check_block(call.kernel, at.block, compile.chip_of(chip))
        call.params.narrow(call.bound)
        source, options = launcher.source_for(call.bound), call.bound.options
        text, meta = compile.device_assembly(source, call.bound.constexprs, chip, at.block, options)
        program = _program(text, meta["entry"])
        inside = [(a, a + n) for a, n, *_ in peers]
        own = [x for x in _spans(call) if not any(low <= x[0] < high for low, high in inside)]
        memory = [*peers, *((a, n, f"{name} of rank {rank}", w) for a, n, name, w in own)]
        cluster = tuple(options["cluster"]) if options.get("cluster") else None
        programs.append(program)
        slots, module = _arguments(call, program), aligned(len(program.module_memory))
        initializers.fill(program.code, module)
        shape = at.grid, at.block, int(meta["dynamic_bytes"]), cluster
        launches.append(program.prepared(slots, *shape, memory, module=module))
        call.params.written(call.bound, frozenset(meta.get("writes", ())))
    if None in launches:  # the grid is empty
        return
    words = WORDS[:1] if races or knobs.check_races() else ()
    with np.errstate(all="ignore"):
        ranked_runs.launch(programs, launches, here, heaps, check=words, seed=seed, give_up=give_up)
