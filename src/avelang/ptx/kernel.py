"""`@kernel`: a Python function that writes PTX comes in; a kernel that is called on arrays, and that shows its PTX and
its SASS, goes out."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import avelang.ptx.operations as operations
from avelang.base import knobs
from avelang.base.errors import AveError, error
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import users_line, wrong
from avelang.base.takes import placed
from avelang.frontend.source import Named
from avelang.ptx.build import Definition, Traced, sized, trace
from avelang.ptx.calls import Caller
from avelang.ptx.specs import TileSpec
from avelang.ptx.trace import is_identifier
from avelang.ptx.types import Type, as_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from avelang.base.functions import Function

    Extents: TypeAlias = Function | Sequence[Any] | int
F = TypeVar("F", bound=Callable[..., Any])


class PtxKernel(Named, DrawnInNotebooks):
    """A kernel of the instruction level. `k(A, B)` runs it and returns its outputs: one array, or a tuple of several,
    of the kind that the inputs have.

    Arrays of torch and JAX (eager, under `torch.compile` and `jax.jit`), NumPy and whatever speaks DLPack are taken,
    without a copy. On an NVIDIA GPU the PTX runs there, on the CPU it is executed. `out=`: arrays to write to, instead
    of new ones; `stream=`: on a GPU, instead of the current one. Raises L0 errors for arguments that do not fit, before
    anything runs, and what the body's calls raise, at their lines."""

    def __init__(self, definition: Definition):
        definition.check()
        self.definition = definition
        self._traced: dict[tuple[tuple[int, ...], str | None], Traced] = {}
        self._lock = threading.RLock()
        self._caller = Caller(self)
        self._operator = operations.prepared(self._caller)
        functools.update_wrapper(self, definition.fn)

    def __call__(self, *args: Any, **options: Any) -> Any:
        if operations.compiling():
            operations.refuse(self._caller, options)
            return operations.traced(self._caller, self._operator(), args)
        return self._caller.call(*args, **options)

    def __getitem__(self, geometry: Any) -> Any:
        """Raises T232: a kernel of this level has its geometry in the decorator."""
        hint = "kernel(x, y): arrays alone, without brackets"
        raise error("T232", users_line(), hint, name=f"{self.definition.name}[...]",
                    why="grid and block of a PTX kernel stand in @kernel(grid=..., block=...)")

    __iter__ = None  # no endless sequence

    def traced(self, sizes: tuple[int, ...], chip: str | None) -> Traced:
        """The kernel for these sizes, traced once. `chip` says more where `arch="auto"`; None: the oldest that will
        do."""
        key = sizes, chip if self.definition.arch == "auto" else self.definition.arch
        with self._lock:
            found = self._traced.get(key)
            if found is None:
                found = self._traced[key] = trace(self.definition, *key)
            return found

    def ptx(self, *sizes: int, **named: int) -> str:
        """The PTX, exactly as the body wrote it. Sizes of symbols go by position, in the order in which the specs have
        them, or by name."""
        return self._shown(sizes, named).text

    def sass(self, *sizes: int, **named: int) -> str:
        """The machine code that `ptxas` makes of it, disassembled. Raises D020 where there is no ptxas, nvdisasm or
        cuobjdump, D021 and D038."""
        from avelang.ptx.machine_code import disassembled

        return disassembled(self._shown(sizes, named))

    def _shown(self, sizes: tuple[int, ...], named: dict[str, int]) -> Traced:
        try:
            return self.traced(sized(self.definition, sizes, named), None)
        except AveError as e:
            raise e if knobs.full_traceback() else e.with_traceback(None) from None

    def backward(self, fn: F) -> F:
        """A decorator: `fn(inputs, outputs, gradients)` gives a gradient for each input (None for none), out of three
        tuples of tensors. PyTorch's autograd calls it, eager and under `torch.compile`."""
        self._caller.backward, self._caller.operation = fn, None
        self._operator = operations.prepared(self._caller)
        return fn

    def __repr__(self) -> str:
        d = self.definition
        return f"<PTX kernel {d.name} at {d.span.where()}>"


@overload
def kernel(fn: Callable[..., Any], /) -> PtxKernel: ...
@overload
def kernel(
    *, in_specs: Any = ..., out_specs: Any = ..., grid: Extents | None = ..., block: Extents = ..., arch: str = ...,
    cluster: Extents = ..., smem: Any = ..., max_registers: int | None = ..., min_blocks: int | None = ...,
) -> Callable[[Callable[..., Any]], PtxKernel]: ...  # fmt: skip
@placed
def kernel(
    fn: Callable[..., Any] | None = None, /, *, in_specs: Any = (), out_specs: Any = (), grid: Any = None,
    block: Any = (128, 1, 1),
    arch: str = "auto", cluster: Any = (1, 1, 1), smem: Any = 0, max_registers: int | None = None,
    min_blocks: int | None = None,
) -> Any:  # fmt: skip
    """Makes a kernel of a function whose calls write PTX. The function gets a parameter for each spec, inputs first,
    and, behind a star, the sizes that it names (`def f(A, D, *, M, K)`).

    `in_specs`, `out_specs`: `Tile`s; an input may be a type too, such as `f32`, for a number. `grid`, `block`
    (threads), `cluster` (blocks): tuples, ints, or functions of symbols (`grid=lambda M, N: (N // 8, M // 16)`).
    Without `grid`, and as `@kernel` alone, a kernel can be shown, not called. `smem`: bytes of dynamic shared memory,
    where that is more than the body allocates. `arch`: "sm_80", ...; "auto": the GPU's that the arrays are on, else the
    oldest that has the kernel's instructions. `max_registers` of a thread, `min_blocks` of a multiprocessor:
    `.maxnreg`, `.minnctapersm`. Raises S003, T237, T238, U101."""

    def made(fn: Callable[..., Any]) -> PtxKernel:
        try:
            if not isinstance(fn, types.FunctionType) or fn.__name__ == "<lambda>":
                raise wrong("S003", got=repr(fn))
            if not is_identifier(fn.__name__):
                raise wrong("T221", what="the name of a kernel", want="an identifier of PTX", got=repr(fn.__name__))
            inputs = tuple(x if isinstance(x, TileSpec) else _number(x) for x in _several(in_specs))
            outputs = _several(out_specs)
            for x in outputs:
                if not isinstance(x, TileSpec):
                    raise wrong("T221", what="an item of out_specs", want="a Tile", got=repr(x))
            return PtxKernel(
                Definition(
                    fn, fn.__name__, inputs, outputs, grid, block, cluster, smem, arch, max_registers, min_blocks
                )
            )
        except AveError as e:
            raise e if knobs.full_traceback() else e.with_traceback(None) from None

    return made if fn is None else made(fn)


def _several(specs: Any) -> tuple[Any, ...]:
    return tuple(specs) if isinstance(specs, (tuple, list)) else (specs,)


def _number(spec: Any) -> Type:
    kind = as_type(spec, "an item of in_specs")
    if kind.bits < 16 or kind.bits > 64:
        raise wrong("T221", what="the type of a number among in_specs", want="of 16, 32 or 64 bits", got=repr(spec))
    _ = kind.in_memory  # a type that numbers of a call can have
    return kind
