"""A place where kernels run, as the launcher sees it: the cores of this machine (`cpu_backend.py`), a GPU (`gpu.py`),
the executor of AMD machine code (`executed_code.py`), the NumPy reference (`interpreted.py`).

The launcher goes through a launch in the order of the methods of `Backend`; a backend overrides those in which it
differs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from avelang.base import engines
from avelang.frontend.source import FunctionSource
from avelang.runtime import compile
from avelang.runtime.arrays import CPU
from avelang.runtime.geometry import Geometry, check_block

if TYPE_CHECKING:
    from avelang.runtime.arguments import BoundArguments, Parameters


@dataclasses.dataclass(slots=True)
class LaunchCall:
    """One launch of a kernel with its arguments checked. `stream` and `library`: where a GPU's backend has put it, and
    the library whose current stream that was ("": the launch names it)."""

    kernel: str
    at: Geometry
    params: Parameters
    bound: BoundArguments
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    stream: int = 0
    library: str = ""

    @property
    def names(self) -> list[str]:
        """Names of the run-time parameters."""
        return [spec.name for spec in self.params.runtime]


class Backend:
    """The defaults: arrays of this machine, a program that `compile` makes and `load` loads, kept in the cache on
    disk."""

    name = "cpu"  # in `LaunchResult` and in errors
    on_disk = True  # programs are kept in the cache on disk
    how = ""  # the word of a `LaunchResult` for all launches; "": compiled, disk or hot

    @property
    def where(self) -> str:
        """The part of a specialization's key in memory that tells this place from others."""
        return CPU

    @property
    def key(self) -> dict[str, Any]:
        """The part of a program's key in the cache on disk that tells code for this place from other code."""
        return {}

    def bundled(self, call: LaunchCall) -> str:
        """The chip by which bundles have the code of a launch here; "" where they have none."""
        return ""

    def check(self, call: LaunchCall) -> None:
        """Raises for a launch that cannot run here, whatever the kernel: L003, L004, L034; completes the options."""
        check_block(call.kernel, call.at.block, compile.chip_of(call.bound.options.get("target")))
        engines.require(self.name, call.kernel)

    def compile(self, source: FunctionSource, bound: BoundArguments,
                block: tuple[int, int, int]) -> tuple[bytes, dict[str, Any]]:
        """The payload that `load` loads, and JSON values that the runtime must know of it."""
        raise AssertionError(f"{self.name} makes no payload")

    def load(self, payload: bytes, meta: dict[str, Any]) -> Any:
        """The program. Raises ValueError and KeyError where the two are none."""
        raise AssertionError(f"{self.name} loads no payload")

    def make(self, source: FunctionSource, call: LaunchCall) -> tuple[Any, bytes, dict[str, Any]]:
        """The program, with what the cache keeps of it."""
        payload, meta = self.compile(source, call.bound, call.at.block)
        return self.load(payload, meta), payload, meta

    def admit(self, call: LaunchCall, program: Any) -> None:
        """Raises for arguments that the kernel, now known, cannot have."""
        call.params.check_writable(call.bound, program.writes)

    def run(self, call: LaunchCall, program: Any) -> float:
        """Runs the kernel, or puts it on its stream, and returns the seconds that its blocks took (0 where nothing
        waits)."""
        raise AssertionError(f"{self.name} runs nothing")

    def host_words(self, call: LaunchCall, program: Any) -> tuple[Any, ...] | None:
        """Further words of the key under which the host code serves calls like this one; None where it cannot."""
        return None
