"""Kernels on arrays of this machine come in with the target gfx942 or gfx950; they run as the machine code that LLVM
makes for it, on the executor.

A place where kernels run, like `cpu_backend.Cpu`: assembly is made, translated (`sim.amdgcn`), and kept in the cache on
disk beside the translation."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from avelang.amdgcn import asm
from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.ir import printf
from avelang.runtime import compile
from avelang.runtime.arguments import EXECUTORS
from avelang.runtime.arrays import Array
from avelang.runtime.backend import Backend, LaunchCall
from avelang.runtime.checked import CheckRecord, wanted
from avelang.runtime.native import threads
from avelang.sim.amdgcn.arguments import explicit, pack
from avelang.sim.amdgcn.checks import of_knob
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams, DispatchResult, Ready
from avelang.sim.amdgcn.modeled import launched

if TYPE_CHECKING:
    from avelang.frontend.source import FunctionSource
    from avelang.runtime.arguments import BoundArguments
    from avelang.runtime.geometry import Geometry

# How to see the lines of the code that the error names.
_CODE = "`ave compile FILE:{} --target {} --block {} --emit asm` prints the code"


_SHARED: contextvars.ContextVar[Sequence[tuple[int, int, str]]] = contextvars.ContextVar("shared", default=())
_BESIDE: contextvars.ContextVar[tuple[Any, int | None]] = contextvars.ContextVar("beside", default=(None, None))


@contextlib.contextmanager
def sharing(memory: Sequence[tuple[int, int, str]], ranked: Any = None, rank: int | None = None) -> Iterator[None]:
    """Launches of this context may touch more than their arrays: memory of ranks, by first address, end and name.
    `ranked`: the launches of others beside this one's (`sim.amdgcn.ranked`), which is that of `rank`."""
    tokens = _SHARED.set(memory), _BESIDE.set((ranked, rank))
    try:
        yield
    finally:
        _SHARED.reset(tokens[0])
        _BESIDE.reset(tokens[1])


class ExecutorProgram:
    """A kernel's machine code, ready to be executed. `run` keeps what it did in `last`; `meta` is what the cache keeps
    beside the object."""

    def __init__(self, payload: bytes, meta: dict[str, Any]):
        self.meta = meta
        self.writes: frozenset[str] = frozenset(meta.get("writes", ()))
        self.prints: bool = bool(meta.get("prints"))
        self.last_ns = 0
        self.last: DispatchResult | None = None
        ready = Ready(payload, {int(k): v for k, v in meta["unknown"].items()})
        program = asm.parse(meta["asm"], meta["kernel"])
        self.machine = AmdMachine(program, meta["entry"], check=meta["check"], ready=ready, alike=False)

    def run(self, at: Geometry, bound: BoundArguments) -> None:
        """Runs every block of the grid, on as many threads as the CPU backend would use. Raises X021 to X027, and what
        a kernel that checks its accesses reports."""
        grid, block = (at.grid[0], at.grid[1], at.grid[2]), (at.block[0], at.block[1], at.block[2])
        dynamic = int(self.meta["dynamic_bytes"])
        regions, slots = [(a.address, a.address + a.span()) for a in bound.arrays], list(bound.slots)
        names = [
            a.name for a, v in zip(explicit(self.machine.kernel), bound.values, strict=False) if isinstance(v, Array)
        ]
        if len(names) == len(regions):
            names += [name for *_, name in _SHARED.get()]
        regions += [(low, high) for low, high, _ in _SHARED.get()]
        record = None
        if "sites" in self.meta:
            record = CheckRecord(self.meta, [a.name for a in explicit(self.machine.kernel)][: len(bound.values)],
                                 bound.values)
            slots.append(record.address)
            regions.append((record.address, record.address + record.words.nbytes))
        paper = printf.buffer() if self.prints else None
        if paper is not None:
            slots.append(paper.ctypes.data)
            regions.append((paper.ctypes.data, paper.ctypes.data + paper.nbytes))
        start = time.perf_counter_ns()
        kernarg = pack(self.machine.kernel, slots, grid, block, dynamic)
        try:
            ranked, rank = _BESIDE.get()
            params = DispatchParams(grid, block, kernarg, regions, dynamic, names=names, rank=rank, ranked=ranked)
            self.last = launched(self.machine, params, threads())
        except AveError as e:
            code = _CODE.format(self.machine.kernel.name, self.machine.chip.name, ",".join(map(str, block)))
            e.hint = "; ".join(x for x in (e.hint, code) if x)
            raise
        finally:
            # What was printed before a fault helps to find it.
            if paper is not None:
                sys.stdout.write(printf.decode(paper, self.meta["prints"]))
        self.last_ns = time.perf_counter_ns() - start
        found = record.error() if record is not None else None
        if found is not None:
            raise found


class Executor(Backend):
    """The executor of a chip's machine code on this machine; `name`, as an option says it, tells the chip."""

    def __init__(self, name: str):
        self.name, self.chip = name, EXECUTORS[name]

    @property
    def where(self) -> str:
        """The checks that the translation contains."""
        return str(sorted(of_knob(knobs.checks())))

    @property
    def key(self) -> dict[str, Any]:
        """The backend, the host's processor, and the checks that the translation contains."""
        from avelang.llvm.core import HostCompiler

        return {"backend": self.name, "host": list(HostCompiler(1).key), "check": sorted(of_knob(knobs.checks())),
                "bounds": wanted()}

    def check(self, call: LaunchCall) -> None:
        """As of all backends; the options name the chip and the backend from here on."""
        super().check(call)
        call.bound.options = {**call.bound.options, "target": self.chip, "backend": self.name}
        call.params.narrow(call.bound)

    def compile(self, source: FunctionSource, bound: BoundArguments,
                block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """An object file of translated code, and JSON values that the runtime must know of it."""
        text, meta = compile.device_assembly(source, bound.constexprs, self.chip, block, bound.options)
        check = sorted(of_knob(knobs.checks()))
        machine = AmdMachine(asm.parse(text, source.name), meta["entry"], check=check)
        unknown = {str(k): v for k, v in machine.ready.unknown.items()}
        return machine.ready.payload, {**meta, "asm": text, "unknown": unknown, "check": check}

    def load(self, payload: bytes, meta: dict[str, Any]) -> ExecutorProgram:
        """The translated code, loaded."""
        return ExecutorProgram(payload, meta)

    def run(self, call: LaunchCall, program: ExecutorProgram) -> float:
        """Executes every workgroup of the grid."""
        program.run(call.at, call.bound)
        return program.last_ns / 1e9
