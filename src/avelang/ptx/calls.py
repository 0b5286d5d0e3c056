"""A call comes in (a kernel and arrays); outputs are made, the kernel is traced, assembled and launched, or executed;
outputs go out.

Calls like one before go through the compiled host code of the shared launcher (`runtime.stub`), where their arrays are
torch's on a GPU."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import avelang.ptx.cpu_run as cpu_run
import avelang.ptx.machine_code as machine_code
import avelang.ptx.operations as operations
import avelang.ptx.outputs as outputs
from avelang.base import engines, knobs
from avelang.base.errors import AveError, error
from avelang.base.places import users_line
from avelang.base.takes import at_users_line
from avelang.frontend.names import near
from avelang.frontend.signature import ParamSpec
from avelang.ptx.specs import TileSpec, row_major, sizes_of
from avelang.runtime import ahead, interception, stub
from avelang.runtime.arguments import BoundArguments, Parameters
from avelang.runtime.arrays import CPU
from avelang.runtime.geometry import Geometry

if TYPE_CHECKING:
    from avelang.ptx.kernel import PtxKernel

_CONTIGUOUS = (
    "a kernel of this level counts on row-major memory without gaps: "
    "pass a contiguous copy (x.contiguous(), np.ascontiguousarray(x))"
)


class Caller:
    """The calls of one kernel."""

    def __init__(self, kernel: PtxKernel):
        self.kernel = kernel
        self.definition = kernel.definition
        self.backward: Callable[..., Any] | None = None
        self.operation: Any = None
        self._sized: dict[tuple[int, ...], Specialization] = {}
        self._fixed: Specialization | None = None
        self._seen: dict[Any, Specialization] = {}
        self._number = len(self.definition.inputs)

    def call(self, *args: Any, out: Any = None, stream: Any = None, **others: Any) -> Any:
        """A call, of whatever kind. Raises L0 errors."""
        for name in others:
            raise error(
                "L007",
                users_line(),
                kernel=self.definition.name,
                name=name,
                near=near(name, ["out", "stream"]),
                options="out= and stream=",
            )
        if len(args) != self._number:
            names = ", ".join(self.definition.names[: self._number])
            raise error("L044", users_line(), kernel=self.definition.name, want=self._number, got=len(args),
                        params=names)  # fmt: skip
        try:
            found = operations.route(self, args)
            if found is not None:
                if out is not None or stream is not None:
                    why = "JAX and autograd make outputs themselves, and order them"
                    raise error(
                        "L047", kernel=self.definition.name, what="out=" if out is not None else "stream=", why=why
                    )
                return found(args)
            return self.run(args, out, stream)
        except AveError as e:
            at_users_line(e)
            raise e if knobs.full_traceback() else e.with_traceback(None) from None

    def run(self, args: Sequence[Any], out: Any = None, stream: Any = None) -> Any:
        """A call on arrays that are there. `out`: the arrays to write to, None for new ones."""
        sized = self._fixed
        if sized is None:
            # torch's shapes are tuples, too.
            shapes = tuple([getattr(a, "shape", None) for a in args])
            sized = self._seen.get(shapes)
            if sized is None:
                sized = self._seen[shapes] = self.sized([None if s is None else tuple(s) for s in shapes])
        made = outputs.like(args, sized.outputs) if out is None else sized.given(out)
        arrays = sized.expanded((*args, *made))
        if stream is None:
            sized.call(sized.extents, *arrays)
        else:
            sized.call(sized.extents, *arrays, stream=stream)
        return made[0] if len(made) == 1 else tuple(made)

    def sized(self, shapes: Sequence[tuple[int, ...] | None]) -> Specialization:
        """The kernel for inputs of these shapes. Raises L040 and L041."""
        d = self.definition
        sizes = sizes_of(d.name, d.names[: self._number], d.inputs, shapes)
        for symbol in d.symbols:
            if symbol not in sizes:
                name, spec = next(
                    (n, s)
                    for n, s in zip(d.names, d.inputs, strict=False)
                    if isinstance(s, TileSpec) and symbol in s.shape
                )
                raise error("L040", kernel=d.name, param=name, want=spec, got=None, why="it is no array")
        key = tuple(sizes[s] for s in d.symbols)
        found = self._sized.get(key)
        if found is None:
            found = self._sized.setdefault(key, Specialization(self, key))
            if not d.symbols:
                self._fixed = found
        return found


class Specialization:
    """A kernel for certain sizes: where it runs is said by the arrays. `call(extents, *arrays)` launches it."""

    def __init__(self, caller: Caller, sizes: tuple[int, ...]):
        self.caller, self.sizes = caller, sizes
        definition = self.definition = caller.definition
        named = dict(zip(definition.symbols, sizes, strict=True))
        self.outputs = [(t.at(named), t.type.in_memory) for t in definition.outputs]
        self.parameters = Parameters(
            definition.name, _specs(definition.names, definition.specs, named), lambda name: definition.span
        )
        self.mapped = frozenset(
            i for i, s in enumerate(definition.specs) if isinstance(s, TileSpec) and s.box is not None
        )
        self.geometry = self._geometry(named)
        self.extents = tuple(self.geometry)  # the host code takes plain tuples
        self._lock = threading.Lock()
        self._programs: dict[tuple[str, bool], Any] = {}
        self._stub = stub.Stub(definition.name, self._slow)
        self.call: Callable[..., None] = self._stub.call

    def _geometry(self, named: dict[str, int]) -> Geometry:
        from avelang.runtime.geometry import geometry

        d = self.definition
        if d.grid is None:
            raise error(
                "L002",
                d.span,
                kernel=d.name,
                got="no grid",
                why="@kernel(...) without grid= is there to be read, by ptx() and sass()",
            )
        found = geometry(d.name, (d.at("grid", d.grid, named), d.at("block", d.block, named)))
        if not math.prod(found.grid) and any(math.prod(shape) for shape, _ in self.outputs):
            why = "a grid of no blocks writes no outputs, and they have elements"
            raise error(
                "L002", d.span, "round up: -(-N // 128) blocks of 128", kernel=d.name, got=repr(tuple(found)), why=why
            )
        return found

    def expanded(self, args: Sequence[Any]) -> Sequence[Any]:
        """The arguments of `call`: one that has a tensor map stands twice."""
        return (
            args
            if not self.mapped
            else [x for i, value in enumerate(args) for x in ([value, value] if i in self.mapped else [value])]
        )

    def given(self, out: Any) -> list[Any]:
        """Arrays to write to, one for each output. Raises L044."""
        arrays = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(arrays) != len(self.outputs):
            names = ", ".join(self.definition.names[-len(self.outputs) :]) if self.outputs else "none"
            raise error(
                "L047", kernel=self.definition.name, what="out=", why=f"{len(arrays)} arrays for the outputs {names}"
            )
        return arrays

    # -- the slow path -------------------------------------------------------------------------------------------------

    def bind(self, args: Sequence[Any], options: dict[str, Any]) -> BoundArguments:
        """Checks a call. Raises L010 to L021."""
        try:
            return self.parameters.bind(args, options)
        except AveError as e:
            if e.code == "L014":
                e.hint = _CONTIGUOUS
            elif e.code == "L055":
                e.hint += "; or give the kernel a backward (@kernel.backward)"
            raise

    def _slow(self, provider: Any, /, *args: Any, **options: Any) -> None:
        bound = self.bind(args, options)
        outputs = frozenset(self.definition.names[len(self.definition.inputs) :])
        self.parameters.written(bound, outputs)
        if ahead.collecting():
            self._collect(bound)
            return
        seen = interception.PtxLaunch(self.caller.kernel, self.sizes, self.parameters, bound)
        if not interception.admitted_ptx(seen):
            return
        if bound.device == CPU:
            self.parameters.check_writable(bound, outputs)
            traced = self.caller.kernel.traced(self.sizes, None)
            cpu_run.run(traced, self.parameters, bound)
            return
        self._on_gpu(args, options, bound)

    def _collect(self, bound: BoundArguments) -> None:
        """Traces the kernel, and notes that it is to be assembled where it is to run on a GPU."""
        if bound.device == CPU:
            self.caller.kernel.traced(self.sizes, None)
            return
        device = self.device(bound.device)
        if (device.name, knobs.check_ptxas()) not in self._programs:
            traced = self.caller.kernel.traced(self.sizes, device.chip.name)
            machine_code.collect(traced, self.parameters, device)

    def program(self, device: Any) -> Any:
        """The kernel, loaded on a device. Raises L046, D03 errors, and what tracing raises."""
        key = device.name, knobs.check_ptxas()
        found = self._programs.get(key)
        if found is None:
            with self._lock:
                found = self._programs.get(key)
                if found is None:
                    arch = self.definition.arch
                    if arch != "auto" and arch not in device.targets:
                        raise self.definition.fail("L046", arch=arch, device=device.name, chip=device.chip.name)
                    traced = self.caller.kernel.traced(self.sizes, device.chip.name)
                    found = self._programs[key] = machine_code.load(traced, self.parameters, device)
        return found

    def device(self, name: str) -> Any:
        """The device of that name. Raises L045 for one that runs no PTX."""
        from avelang.runtime import devices

        if name.partition(":")[0] != "cuda":
            raise self.definition.fail("L045", device=name)
        return devices.device(name)

    def _on_gpu(self, args: Sequence[Any], options: dict[str, Any], bound: BoundArguments) -> None:
        from avelang.runtime import streams

        device = self.device(bound.device)
        program = self.program(device)
        self.parameters.check_aligned(bound, program.align, {}, {})
        engines.require(engines.GPU, self.definition.name, without=("bounds",))
        stream, library = (
            (bound.stream, "") if bound.stream is not None else streams.current(bound.arrays, device.index)
        )
        streams.order(bound.arrays, stream, library, device)
        self.launch(program, bound, stream, streams.unordered(bound.arrays))
        if not knobs.check_launches() and "ptx" not in program.meta and not options and math.prod(self.geometry.grid):
            queue = stub.Queue(stream, library, lambda status, provider, *a, **k: self._refused(program, status, a, k))
            self._stub.install(
                device.name, program, (), self.geometry.block, self.parameters.specs, tuple(args), {}, bound, queue
            )

    def launch(self, program: Any, bound: BoundArguments, stream: int, wait: bool = False) -> None:
        """Puts a checked call on a stream of the program's device. Raises L032, L033."""
        if not math.prod(self.geometry.grid):
            return
        device = program.device
        device.check_grid(self.definition.name, self.geometry)
        names = [s.name for s in self.parameters.specs]
        if bound.maps:
            from avelang.runtime import tensor_maps

            tensor_maps.encode_all(device.driver, self.parameters.runtime, bound, program.writes)
        if "ptx" in program.meta:
            from avelang.runtime import assembled

            assembled.compared(program, self.geometry, bound, self.parameters.runtime, stream, self.definition.span)
            return
        program.run(self.geometry, bound, names, stream)
        if wait or knobs.check_launches():
            program.finish(self.geometry, bound, names, stream)

    def _refused(self, program: Any, status: int, args: Sequence[Any], options: dict[str, Any]) -> None:
        """Raises what the driver said of a launch by the host code."""
        from avelang.runtime import streams

        bound = self.bind(args, options)
        stream = bound.stream if bound.stream is not None else streams.current(bound.arrays, program.device.index)[0]
        raise program.refused(status, self.geometry, bound, [s.name for s in self.parameters.specs], stream)


def _specs(names: Sequence[str], specs: Sequence[Any], named: dict[str, int]) -> list[ParamSpec]:
    """The kernel's parameters as the runtime checks them: each array a tensor; behind one with a box its map."""
    out = []
    for name, spec in zip(names, specs, strict=True):
        if not isinstance(spec, TileSpec):
            out.append(ParamSpec(name, "scalar", spec.in_memory))
            continue
        shape = spec.at(named)
        out.append(ParamSpec(name, "tensor", spec.type.in_memory, shape, row_major(shape)))
        if spec.map is not None:
            out.append(ParamSpec(f"{name} (its tensor map)", "map", spec.type.in_memory, map=spec.map))
    return out
