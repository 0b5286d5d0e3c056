"""A launch comes in; one workgroup of it is executed, its waves are traced, and what a model of a compute unit says of
them goes out (`amdgcn.cu`)."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import math
from collections.abc import Iterator

from avelang.amdgcn.cu.stalls import CuReport, report
from avelang.amdgcn.cu.timing import SIMDS, CuTimings, timings
from avelang.amdgcn.report import report_of
from avelang.base.errors import error
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams, DispatchResult
from avelang.sim.amdgcn.trace import streams

CLOCKS = frozenset(f.name for f in dataclasses.fields(CuTimings)) - {"chip", "hardware", "assumed"}


@dataclasses.dataclass(frozen=True, slots=True)
class CuOptions:
    """Options of a model. `group`: the workgroup that runs, by its linear number (the last one where there are
    fewer); `blocks` of its kind on the CU, 0 for as many as fit, each `stagger` clocks behind the one before; `clocks`
    of `CuTimings` that are others."""

    group: int = 0
    blocks: int = 0
    stagger: int = 0
    clocks: dict[str, int] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if wrong := sorted(self.clocks.keys() - CLOCKS):
            known = ", ".join(sorted(CLOCKS))
            raise error("X027", kernel="(any)", what=f"{wrong[0]}=", why=f"the model's clocks are {known}")


_Asked = tuple[CuOptions, list[CuReport]] | None
_ASKED: contextvars.ContextVar[_Asked] = contextvars.ContextVar("modeled", default=None)


def asked() -> tuple[CuOptions, list[CuReport]] | None:
    """The options of this context, and the list to which its reports go; None where nobody asked."""
    return _ASKED.get()


@contextlib.contextmanager
def asking(options: CuOptions) -> Iterator[list[CuReport]]:
    """Launches in this context are modeled; the reports are appended to the list."""
    found: list[CuReport] = []
    token = _ASKED.set((options, found))
    try:
        yield found
    finally:
        _ASKED.reset(token)


def launched(machine: AmdMachine, launch: DispatchParams, threads: int = 1) -> DispatchResult:
    """A launch, of one workgroup and with a report where this context asks for one. Raises as `AmdMachine.launch`."""
    wanted = asked()
    if wanted is None:
        return machine.launch(launch, threads)
    options, found = wanted
    total, name = math.prod(launch.grid), machine.kernel.name
    if not total:
        raise error("X027", kernel=name, what="a model", why="the grid has no workgroup")
    counting = machine.counting
    group = min(options.group, total - 1)
    run = counting.launch(dataclasses.replace(launch, groups=(group, group + 1), trace=True))
    assert run.trace is not None
    program = counting.program
    waves = streams(run.trace, counting.block_ranges, len(program.instructions))
    fit = report_of(program, machine.chip.name, name, launch.dynamic_lds).occupancy
    blocks = options.blocks or max(1, int(fit.waves * SIMDS) // max(1, len(waves[0])))
    clocks = timings(machine.chip.name, **options.clocks)
    found.append(report(program, name, waves * blocks, clocks, stagger=options.stagger))
    return run
