"""A compiled object comes in (`ave_run`, see `emit.llvm.cpu`); a program that runs grids of blocks on this machine's
cores goes out."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from avelang.base import knobs
from avelang.base.errors import error
from avelang.llvm.loader import load_code
from avelang.native.cpu import HALTED, STUCK
from avelang.native.layouts import CpuKernel
from avelang.runtime import checked, compile
from avelang.runtime.backend import Backend, LaunchCall
from avelang.runtime.native import native

if TYPE_CHECKING:
    from avelang.frontend.source import FunctionSource
    from avelang.runtime.arguments import BoundArguments

ENTRY = "ave_run"


class CpuProgram:
    """A kernel, loaded. `record` is what the host code reads; `meta` is what the cache keeps beside the object. Raises
    ValueError and KeyError where the two are no kernel."""

    def __init__(self, payload: bytes, meta: dict[str, Any]):
        self.meta = meta
        self.prints: bool = bool(meta.get("prints"))
        # Names of the array parameters that the kernel may write.
        self.writes: frozenset[str] = frozenset(meta.get("writes", ()))
        self._code = load_code(payload)
        run, scratch = self._code.address(meta.get("entry", ENTRY)), int(meta["scratch_bytes"])
        if not run or scratch < 0:
            raise ValueError("not a kernel")
        self.record = CpuKernel(run=run, scratch_bytes=scratch)
        self.address = ctypes.addressof(self.record)

    @property
    def last_ns(self) -> int:
        """Nanoseconds of the last launch, by the caller's clock."""
        return self.record.last_ns

    def checked(self, names: Sequence[str], bound: BoundArguments, grid: tuple[int, int, int]) -> None:
        """Runs a kernel that checks its accesses. Raises X001, X002 and X005 besides."""
        from avelang.runtime.checked import CheckRecord

        record = CheckRecord(self.meta, names, bound.values)
        try:
            self.run([*bound.slots, record.address], grid)
        finally:
            found = record.error()
            if found is not None:
                raise found

    def run(self, slots: Sequence[int], grid: tuple[int, int, int]) -> None:
        """Runs every block of the grid. `slots`: 8 bytes for each parameter, as unsigned integers. Raises L030, L031,
        and what a handler of a signal raises meanwhile."""
        values = (ctypes.c_uint64 * max(1, len(slots)))(*slots)
        status = native().run(self.address, values, (ctypes.c_uint32 * 3)(*grid))
        if status and not (status == HALTED and "sites" in self.meta):
            fail(status)


class Cpu(Backend):
    """This machine's cores."""

    @property
    def key(self) -> dict[str, Any]:
        """The host's processor, and the checks that code contains."""
        from avelang.llvm.core import HostCompiler

        return {"backend": "cpu", "host": list(HostCompiler().key), "bounds": knobs.check_bounds(),
                "uniform": knobs.check_uniform()}

    def bundled(self, call: LaunchCall) -> str:
        """The chip of entries for this machine."""
        return "cpu"

    def compile(self, source: FunctionSource, bound: BoundArguments,
                block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """An object file, and JSON values that the runtime must know of it."""
        return compile.cpu_object(source, bound.constexprs, bound.options.get("target"), block,
                                  bound.options.get("cluster"))

    def load(self, payload: bytes, meta: dict[str, Any]) -> CpuProgram:
        """The object file, loaded."""
        return CpuProgram(payload, meta)

    def admit(self, call: LaunchCall, program: CpuProgram) -> None:
        """Raises for arrays that are read-only, or tensor maps that the kernel stores to and that are none of an
        array."""
        super().admit(call, program)
        call.params.check_stored(call.bound, program.writes)

    def run(self, call: LaunchCall, program: CpuProgram) -> float:
        """Runs every block of the grid."""
        if program.prints:
            # The kernel prints through C's buffer, Python through its own.
            sys.stdout.flush()
        try:
            if "sites" in program.meta:
                program.checked(call.names, call.bound, call.at.grid)
            else:
                program.run(call.bound.slots, call.at.grid)
        finally:
            if program.prints:
                ctypes.CDLL(None).fflush(None)
        return program.last_ns / 1e9

    def host_words(self, call: LaunchCall, program: CpuProgram) -> tuple[Any, ...] | None:
        """The host code prints nothing, checks no accesses, and does not look at clusters."""
        if call.bound.maps:
            from avelang.runtime import tensor_maps

            tensor_maps.keep_words(call.params.runtime, call.bound, program.writes)
        return None if program.prints or call.bound.options.get("cluster") or checked.wanted() else ()


def fail(status: int) -> None:
    """Raises what the status of a launch means: -1 no memory, anything else what a block returned."""
    if status == -1:
        raise error("L030")
    if status == STUCK:
        raise error("L028")
    raise error("L031", status=status)
