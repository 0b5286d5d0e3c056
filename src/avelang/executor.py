"""Machine code of gfx942, ours or anyone's, comes in; kernels that run on NumPy arrays of this machine go out, their
waits verified where asked.

gemm = executor.load("gemm.hsaco", check=True)
run = gemm[4, 256](a, b, c, 128, 128, 64)
print(run.instructions)
"""

from __future__ import annotations

import contextlib
import functools
import pathlib
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from avelang.amdgcn.cu.stalls import CuReport
from avelang.base.takes import Want, takes
from avelang.frontend.source import Jitted
from avelang.runtime import cache
from avelang.runtime.geometry import geometry
from avelang.sim.amdgcn import arguments
from avelang.sim.amdgcn.checks import Check, CheckReport
from avelang.sim.amdgcn.lazy import Store
from avelang.sim.amdgcn.load import load as _load
from avelang.sim.amdgcn.machine import AmdMachine, DispatchResult
from avelang.sim.amdgcn.modeled import CuOptions, asking

__all__ = ["CuReport", "Kernel", "Report", "Run", "compiled", "compute_unit", "load"]

Report, Run = CheckReport, DispatchResult  # public names of long standing


_SOURCE = Want(lambda x: True, "anything")  # X028 says what a source is
_JITTED = Want(lambda x: isinstance(x, Jitted), "a function decorated with @avelang.jit")


def _kept(parts: Mapping[str, Any]) -> tuple[Mapping[str, Any], bytes] | None:
    return cache.load(cache.key(parts))


def _keep(parts: Mapping[str, Any], meta: Mapping[str, Any], payload: bytes) -> None:
    cache.store(cache.key(parts), meta, payload)


_STORE = Store(_kept, _keep)


class ExecutableKernel:
    """A kernel of a code object or of assembly. `kernel[grid, block](*args)` runs it and returns a `Run`; extents are
    ints or tuples of up to three.

    Arguments go by position, as the kernel's metadata orders them: NumPy arrays (used where they are), NumPy scalars
    and Python numbers, None for a null pointer. By name: `dynamic_lds` (bytes), `threads` (workgroups at a time).
    Instead of arguments, `kernarg`: the bytes of the argument segment, which may be fewer than the metadata says, and
    `memory`: the arrays (a list, or a mapping from names) that addresses in it point at, such as `x.ctypes.data`.
    Raises L002 and L004 for extents, X021 to X027 for the rest."""

    @takes()
    def __init__(self, machine: AmdMachine):
        self.machine = machine
        self.name = machine.kernel.name

    def __getitem__(
        self, extents: tuple[int | tuple[int, ...], int | tuple[int, ...]]
    ) -> Callable[..., DispatchResult]:
        grid, block = geometry(self.name, extents)
        return functools.partial(arguments.run, self.machine, grid, block)

    @property
    def reports(self) -> tuple[CheckReport, ...]:
        """The findings of the last launch behind which it went on, also where it then stopped."""
        return self.machine.reports

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.machine.program.chip}>"


Kernel = ExecutableKernel  # the public name


@takes()
def load(
    source: Annotated[str | bytes | pathlib.Path, _SOURCE], kernel: str = "", *, check: Check = False,
    profile: bool = False,
    order: str = "forward", seed: int = 1, chip: str | None = None, collect: bool = False,
) -> ExecutableKernel:  # fmt: skip
    """The kernel of a code object (bytes, or a file's name), or of assembly (a file's name, or the text itself).

    `kernel`: its name, where there are several. `check`: True, or words with commas or in a set: `waits` (a register
    that is used before its load was waited for, X024), `races` (memory that waves or lanes use with nothing between,
    X025, X040, X041), `hazards` (too few wait states, X026), `hazards-strict`, `init` (LDS that nothing wrote, X055),
    `uniform` (shuffles from lanes that are not active, X043), `all`; True is the first three. `collect`: the launch
    goes on behind what is found, and `Run.reports` lists it, each pair of instructions once. Advisories (hazard rows
    that shipped code ignores) never stop a launch and are always listed. `profile`: `Run.conflicts` counts LDS cycles
    lost to bank conflicts, by instruction, and `Run.traffic` the bytes that lanes asked for. `order`: which wave of a
    workgroup runs first between barriers: "forward", "reverse", or "random" from `seed`. `chip`: which code object of
    an offload bundle. Raises L034 for a word that there is not."""
    options = {"check": check, "profile": profile, "order": order, "seed": seed, "collect": collect, "lazy": True,
               "store": _STORE}
    return ExecutableKernel(AmdMachine(_load(source, kernel or None, chip), kernel, **options))


@takes()
def compiled(
    kernel: Annotated[Any, _JITTED], block: tuple[int, int, int], *, check: Check = False, profile: bool = False,
    collect: bool = False,
    target: str = "gfx942", **constexprs: Any,
) -> ExecutableKernel:  # fmt: skip
    """The code of a jit function for blocks of these extents, for gfx942 or another `target`. `check`, `profile`,
    `collect`: as of `load`; further names are the function's compile-time values. A launch takes the other arguments in
    order. Raises what the compiler finds."""
    from avelang.runtime.compile import compile_text

    found = load(compile_text(kernel, constexprs, block, target, "asm"), check=check, profile=profile, collect=collect)
    found.machine.alike = False
    return found


@contextlib.contextmanager
def compute_unit(
    *, group: int = 0, blocks: int = 0, stagger: int = 0, **clocks: int
) -> Iterator[list[CuReport]]:
    """A context in which a model of one compute unit runs each launch for an AMD chip (docs/cu_model.md): yields a
    list, to which each appends a `CuReport`.

    with executor.compute_unit() as found:
        kernel[grid, block](a, b, c, target="gfx942")
    print(found[0].text())

    Of each launch, of jit functions with `target=` and of kernels that were loaded, one workgroup is executed, `group`
    by its linear number (the last one where there are fewer), and the model runs the instruction streams of all its
    waves: outputs of the other workgroups stay as they were. `blocks`: how many of its kind share the CU, 0 for as many
    as fit; each starts `stagger` clocks behind the one before. `clocks`: others of `CuTimings`, such as
    memory_latency=500. On a GPU arrays begin at multiples of 256 bytes; those that do not here touch more pieces of
    memory. Raises X027 for a name that is no clock; a launch raises what it finds, and X027 where its grid
    is empty."""
    with asking(CuOptions(group, blocks, stagger, clocks)) as found:
        yield found
