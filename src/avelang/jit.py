"""`@avelang.jit`: a Python function comes in, a kernel that can be launched (or called by other kernels) goes out.

The runtime is imported at the first launch, so that importing a file with kernels stays cheap.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import sys
import types
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Generic, dataclass_transform

from avelang.base import knobs
from avelang.base.errors import OWN, AveError, error
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import argument_error, users_line
from avelang.base.spans import Span
from avelang.base.takes import at_least, takes
from avelang.frontend import structs
from avelang.frontend.source import FunctionSource, Jitted

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar

    from avelang.amdgcn.report import KernelReport
    from avelang.runtime.launch import Launcher, LaunchResult
    from avelang.runtime.resources import Resources

    P = ParamSpec("P", default=...)
    R = TypeVar("R", default=Any)
else:  # defaults are of Python 3.13
    from typing import ParamSpec, TypeVar

    P, R = ParamSpec("P"), TypeVar("R")
T = TypeVar("T")
# Attributes that kernels of Triton have, and what is meant.
_OTHERS = {
    "run": "a launch is kernel[grid, threads](...)",
    "warmup": "`ave build` compiles ahead; kernel.report(target, block) says what a kernel takes",
    "best_config": "avelang.tune chooses, and `ave tune` writes tables",
    "configs": "avelang.tune chooses, and `ave tune` writes tables",
    "fn": "the Python function is kernel.__wrapped__",
    "asm": "`ave compile FILE:NAME --emit asm` and `ave inspect FILE:NAME` show the code",
    "device_caches": "`ave cache` lists what is compiled",
}


class JitFunction(Jitted, DrawnInNotebooks, Generic[P, R]):
    """A kernel: `kernel[provider](*args, **kwargs)` launches it; called by another jit function, it is a device
    function.

    `provider` is a callable that returns `((gx, gy, gz), (bx, by, bz))`, or that tuple; extents left out at the end are
    1. Arguments go by position or by name, constexpr parameters among them. Options go by name: `num_warps` and
    `waves_per_eu` (hints, positive ints), `cluster` (blocks of a cluster along x, y, z, for chips of sm_90 and newer),
    `target` (the chip whose intrinsics the kernel uses; inferred where left out), `backend` ("cpu", "reference",
    "gfx942-exec" or "gfx950-exec"), `stream` (on a GPU, instead of the current one). Arrays are used where they are,
    never copied, and say where the kernel runs; the memory of a JAX array, which JAX takes as constant, is written too
    if the kernel writes to it. On the CPU a launch returns when the kernel has run, on a GPU when it is on the stream.
    A grid with an extent of 0 runs nothing.

    Raises LaunchError for arguments that do not fit, before anything runs, and what the compiler finds at the first
    launch."""

    # The builtin that launches it, where the native subscription finds it (`runtime.subscript`).
    __slots__ = ("_native",)

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]

    def __init__(self, fn: Callable[..., Any], span: Span | None = None, around: Mapping[str, Any] | None = None):
        self.source = FunctionSource(fn, span, around)
        functools.update_wrapper(self, fn)
        self._facts = _facts(self)
        self._own = f"{self.source.name} {next(_NUMBERS)}"

    @functools.cached_property
    def _launcher(self) -> Launcher:
        from avelang.runtime.launch import Launcher

        return Launcher(self.source)

    @functools.cached_property
    def _call(self) -> Callable[..., None]:
        return self._launcher.call

    def __getitem__(self, provider: Any, *_: Any) -> Callable[..., None]:
        # The first time only, where there is no builtin, or as torch.compile traces it. CPython puts a function of two
        # parameters in the place of a subscription (BINARY_SUBSCR_GETITEM), whatever the slot is; this has a third.
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            return functools.partial(_traced, self, provider)
        try:
            found = functools.partial(self._call, provider)
            self._launcher.adopt(self)
        except AveError as e:  # of a setting, or of a bundle that the environment names
            raise e if knobs.full_traceback() else e.with_traceback(None) from None
        return found

    def __get__(self, instance: Any, owner: Any = None) -> JitFunction[P, R]:
        """Itself, wherever it is read: a kernel in a class is no method (T007 names the first parameter)."""
        return self

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # What a kernel of Triton has: T009, an AttributeError too.
            if name not in _OTHERS or "source" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            from avelang.frontend.names import missing

            raise missing(f"the kernel `{self.source.name}`", name, (), _OTHERS[name])

    # `kernel[...]` is a launch, not an item: without this, Python would take a kernel for an endless sequence.
    __iter__ = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        at = users_line()
        if self.source.file.startswith(os.path.join(OWN, "tile", "")):  # a function of the tile level
            raise error("T004", at, name=f"tile.{self.source.name}")
        raise error("L001", at, kernel=self.source.name)

    @property
    def last(self) -> LaunchResult | None:
        """The outcome of the last launch: compiled, out of the cache or hot, and its seconds. None before the first."""
        return self._launcher.last if "_launcher" in self.__dict__ else None

    @property
    def prepared(self) -> tuple[LaunchResult, ...]:
        """The launches that had to compile or load their kernel first, in order; one for each kind of call."""
        return tuple(self._launcher.prepared) if "_launcher" in self.__dict__ else ()

    @takes()
    def report(
        self, target: str, block: tuple[int, int, int], dynamic: Annotated[int, at_least(0)] = 0, *,
        cluster: tuple[int, ...] | None = None,
        **constexprs: Any,
    ) -> Resources | KernelReport:  # fmt: skip
        """The resources of this kernel on a chip, in blocks of these extents, without running it and without a GPU:
        registers, spills with their lines, shared memory, occupancy. `target`: "sm_90a" and its like give a
        `runtime.resources.Resources`, and warnings at the lines where registers are spilled or ptxas sees speed lost;
        "gfx942" and its like an `amdgcn.report.KernelReport`. `dynamic`: bytes of shared memory that the launch adds.

        Raises what the compiler finds, L006 and L007 for constexprs, D020 where there is no ptxas, U101 for a chip that
        is not known."""
        from avelang.runtime import compile

        chip = compile.chip_of(target)
        if chip is None or chip.vendor == "nvidia":
            from avelang.runtime.resources import resources

            return resources(self, constexprs, block, target, dynamic, {"cluster": cluster} if cluster else {})
        from avelang.amdgcn.asm import parse
        from avelang.amdgcn.report import report_of

        return report_of(parse(compile.compile_text(self, constexprs, block, target, "asm")), chip.name,
                         dynamic_lds=dynamic)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.source.fn)

    def __repr__(self) -> str:
        return f"<jit function {self.source.name} at {self.source.file}:{self.source.fn.__code__.co_firstlineno}>"


_NUMBERS = itertools.count()  # of kernels


def _facts(kernel: JitFunction) -> Callable[[], Any]:
    """A function that torch.compile calls while it traces, for a constant: what the operator of bare launches has to
    know of a kernel."""
    of = weakref.ref(kernel)

    def facts() -> Any:
        from avelang.bridge.bare import known

        return known(of())

    facts._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return facts


def _traced(kernel: JitFunction, provider: Any, /, *args: Any, **named: Any) -> None:
    """A launch that torch.compile traces."""
    import avelang.bridge.bare as bare

    # Read here, so that what is traced asks each time whether it is this kernel, and not another in its place.
    if kernel._own:
        bare.launch(kernel._facts(), provider, args, named)


_NOTHING: Any = object()


def jit(fn: Callable[P, R] = _NOTHING, /, *more: Any, **options: Any) -> JitFunction[P, R]:
    """Makes a kernel of a function in a file. Raises S003 for what is no plain function, or is what another decorator
    has made of one, L066 for options, which belong to launches."""
    if fn is _NOTHING or more or options:
        given = (
            ", ".join(f"{name}=" for name in options) or f"{len(more) + 1} arguments"
            if fn is not _NOTHING or options
            else "nothing"
        )
        hint = (
            "write @avelang.jit with nothing behind it; options such as num_warps= go to a launch: kernel[grid, "
            "block](..., num_warps=4)"
        )
        raise argument_error(f"it takes a function and nothing else, {given} given", hint)
    caller = sys._getframe(1)
    try:
        return JitFunction(fn, _line(caller), _around(caller))
    except AveError as e:
        raise e if knobs.full_traceback() else e.with_traceback(None) from None


def _around(frame: types.FrameType) -> dict[str, Any]:
    """The names of the functions and classes in which a frame stands; none at the top of a module."""
    found: dict[str, Any] = {}
    at: types.FrameType | None = frame
    while at is not None and at.f_locals is not at.f_globals:
        found = {**at.f_locals, **found}
        # The body of a class sees the function around it; a function's frame has what it sees of those around it.
        at = None if at.f_code.co_flags & inspect.CO_OPTIMIZED else at.f_back
    return found


@dataclass_transform()
def struct(cls: type[T]) -> type[T]:
    """Makes a record type for kernels of a class: annotated names are fields, functions are methods, built in place of
    their calls.

    Annotations: a dtype, `al.Pointer`, `al.Tensor(...)` and another struct check and convert as of a device function's
    parameter, `al.constexpr` is a field known at compile time, `...` or `object` takes anything. Instances are made and
    used in kernels only.

    Raises S004 for what a struct cannot have, T005 and T006 for annotations that cannot be evaluated.
    """
    caller = sys._getframe(1)
    try:
        if not isinstance(cls, type):
            raise error("S004", _line(caller), "decorate a class", name=getattr(cls, "__name__", repr(cls)),
                        why="it is no class")
        return structs.StructClass(cls, _line(caller),
                {**caller.f_builtins, **caller.f_globals, **caller.f_locals})  # type: ignore[return-value]
    except AveError as e:
        raise e if knobs.full_traceback() else e.with_traceback(None) from None


def constant(target: T) -> T:
    """Makes compile-time values of the instances of a frozen dataclass, or a compile-time function of a plain one.

    A kernel reads fields and properties of such an object, and calls its methods, or the function, on compile-time
    arguments; Python runs them while the kernel is built. They must be pure: what they give depends on their arguments
    and their text alone. Fields hold compile-time values.

    Raises S005 for anything else.
    """
    try:
        return structs.constant(target, _line(sys._getframe(1)))
    except AveError as e:
        raise e if knobs.full_traceback() else e.with_traceback(None) from None


def _line(frame: Any) -> Span:
    return Span(frame.f_code.co_filename, frame.f_lineno)
