"""Launches of several ranks on the reference: a jit function and each rank's arguments come in; what is left of
`runtime.launch` there (checks of arguments, building) happens once for each rank, and `sim.ranks` runs all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from avelang.base.lazy import np
from avelang.runtime.arrays import Array
from avelang.runtime.geometry import geometry
from avelang.runtime.interpreted import Reference


def reference(kernel: Any, provider: Any, given: Sequence[tuple[list[Any], dict[str, Any]]], memory: Any,
              here: Sequence[int], seed: int, races: bool) -> None:  # fmt: skip
    """Runs a launch of the ranks `here`; `given`: arguments and keywords of every rank. `memory`: a
    `sim.ranks.RankedMemory`. Raises what a launch raises, and X011 where a rank waits for one that is not here."""
    from avelang.sim import ranks

    launcher, at, backend = kernel._launcher, geometry(kernel.source.name, provider), Reference()
    kernels, values = [], []
    for rank in range(len(given)):
        if rank not in here:
            continue
        args, kwargs = given[rank]
        call = launcher.call_for(at, tuple(args), {**kwargs, "backend": "reference"})
        backend.check(call)
        program = backend.make(launcher.source_for(call.bound), call)[0]
        kernels.append(program.kernel)
        values.append([v.numpy() if isinstance(v, Array) else v for v in call.bound.values])
    with np.errstate(all="ignore"):
        ranks.run(kernels, values, at.grid, at.block, memory, ranks=list(here), seed=seed, races=races)
