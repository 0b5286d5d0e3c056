"""What is to be looked at: a kernel with its compile-time values, or a program or a function that launches kernels,
comes in; `Subject`s, each one specialization for one chip, go out."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from avelang.base import knobs
from avelang.runtime import compile
from avelang.runtime.interception import CheckedLaunch, PtxLaunch, intercepting
from avelang.runtime.kernel_block import block_of

if TYPE_CHECKING:
    from avelang.frontend.source import FunctionSource, Jitted
    from avelang.ptx.kernel import PtxKernel

Dim3 = tuple[int, int, int]
USUAL_CHIP = "gfx942"


@dataclasses.dataclass(frozen=True, slots=True)
class LaunchFacts:
    """Facts of a launch that was seen. `grid`: its blocks; `scalars`: numbers that were passed, by the name of
    the parameter; `arrays`: (name, bytes) of each array."""

    grid: Dim3
    scalars: dict[str, float]
    arrays: tuple[tuple[str, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """One specialization of a jit function. `constexprs`: compile-time values by name, `target`: a chip or "cpu",
    `options`: those of a launch that change code; `launch`: of the launch that it is from, None where only the kernel
    was named."""

    source: FunctionSource
    constexprs: dict[str, Any]
    block: Dim3
    target: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    launch: LaunchFacts | None = None

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.source.name


@dataclasses.dataclass(frozen=True, slots=True)
class PtxSubject:
    """A kernel of the instruction level, for these sizes of its symbols. `target`: None for the kernel's own choice."""

    kernel: PtxKernel
    sizes: tuple[int, ...]
    target: str | None = None

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.definition.name


def of_kernel(
    jitted: Jitted, constexprs: Mapping[str, Any], target: str | None = None, block: Dim3 | None = None
) -> Subject:
    """The subject of a kernel whose compile-time values are given. `target`: where it is left out, a chip that has the
    kernel's instructions, gfx942 where all have; `block`: where it is left out, as
    `runtime/kernel_block.py` finds it. Raises L006 and L007 for values, U101 for an unknown target, and, where target
    or block are left out, what the frontend raises."""
    values = compile.constants(jitted.source, constexprs)
    if target is None:
        target = str(compile.build(jitted.source, values, None, block).attrs.get("chip") or USUAL_CHIP)
    return Subject(jitted.source, values, block_of(jitted, values, target, block)[0], target)


def of_ptx_kernel(kernel: PtxKernel, sizes: Mapping[str, Any], target: str | None = None) -> PtxSubject:
    """The subject of a kernel of the instruction level. `sizes`: of its symbols. Raises L042."""
    from avelang.ptx.build import sized

    return PtxSubject(kernel, sized(kernel.definition, (), sizes), target)


class _Seen:
    """Launches, which are not run."""

    def __init__(self, target: str):
        self.target, self.found = target, list[Subject | PtxSubject]()

    def intercept_ptx(self, launch: PtxLaunch) -> bool:
        """Notes a call of the instruction level; it does not run."""
        chip = compile.chip_of(self.target)
        self.found.append(
            PtxSubject(launch.kernel, launch.sizes, chip.name if chip is not None and chip.vendor == "nvidia" else None)
        )
        return False

    def intercept(self, launch: CheckedLaunch) -> bool:
        """Notes a launch; it does not run."""
        call = launch.call
        options = {n: v for n, v in call.bound.options.items() if n not in ("backend", "stream", "target")}
        arrays, scalars = [], {}
        for name, value in zip(call.names, call.bound.values, strict=True):
            if hasattr(value, "shape"):
                size = 1
                for extent in value.shape:
                    size *= extent
                arrays.append((name, size * (value.dtype.bytes if value.dtype is not None else 1)))
            else:
                scalars[name] = value
        at = call.at
        self.found.append(
            Subject(
                launch.launcher.source,
                dict(call.bound.constexprs),
                at.block,
                self.target,
                options,
                LaunchFacts(at.grid, scalars, tuple(arrays)),
            )
        )
        return False


@contextlib.contextmanager
def launches(target: str) -> Iterator[list[Subject | PtxSubject]]:
    """Collects the kernels that are launched within, for `target`; none of them runs, so outputs stay as they are."""
    seen = _Seen(target)
    aimed = knobs.with_target(target) if target != "cpu" else contextlib.nullcontext()
    with intercepting(seen, everywhere=True), aimed:
        yield seen.found


def of_call(call: Callable[[], object], target: str) -> list[Subject | PtxSubject]:
    """The kernels that a call launches for `target`, in order."""
    with launches(target) as found:
        call()
    return found
