"""`@kernel`: a Python function that writes PTX comes in; a kernel that shows its PTX and is called on arrays goes
out."""

from __future__ import annotations

import functools
import inspect
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.base.places import wrong
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.ptx.operations import compiling
from avelang.ptx.trace import is_identifier
from pyptx._arch import detect_arch
from pyptx._build import (
    EXTERN,
    RawParam,
    TensorSpec,
    TmaDescriptorHandle,
    TracedKernel,
    checked_version,
    extents,
    key_of,
    traced,
)
from pyptx._call import Caller
from pyptx._errors import PyptxRuntimeError, PyptxUnsupportedError, bad_type, bad_value, fail
from pyptx.specs import Tile, unify_envs
from pyptx.torch_support import call_kernel_via_torch_compile

__all__ = ["Kernel", "TensorSpec", "TmaDescriptorHandle", "kernel"]


class Kernel:
    """A kernel. `k(*inputs)` runs it and gives new outputs, one array or a tuple of several: arrays of NumPy, torch and
    JAX; on the CPU its PTX is executed, on a GPU it is assembled and launched.

    `k.ptx()` is its text, for symbols and template arguments by their names. Attributes: in_specs, out_specs, grid,
    block, cluster, smem, arch, template_params."""

    def __init__(self, fn: Callable[..., Any], options: Mapping[str, Any]):
        self.fn, self.name = fn, fn.__name__
        code = fn.__code__
        self.span = Span(code.co_filename, code.co_firstlineno, function=fn.__name__)
        self.arch: str = detect_arch() if options["arch"] == "auto" else options["arch"]
        self.version: tuple[int, int] | None = checked_version(options["version"], self.arch)
        self.in_specs = _specs(options["in_specs"], "in_specs")
        self.out_specs = _specs(options["out_specs"], "out_specs")
        self.grid, self.block, self.cluster = options["grid"], options["block"], options["cluster"]
        self.smem: int = options["smem"] or 0
        named = options["extern_smem"]
        self.extern: str = named if isinstance(named, str) else EXTERN if named else ""
        self.raw = [RawParam(str(text), name) for text, name in options["raw_params"] or ()]
        self.reqntid, self.raw_directives = options["reqntid"], options["raw_directives"]
        parameters = list(inspect.signature(fn).parameters.values())
        self.positional = tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
        every = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        self.template_params = {p.name: p.default for p in every}
        self._required = {p.name for p in every if p.default is p.empty}
        self.specs: tuple[Tile, ...] = (*self.in_specs, *self.out_specs)
        self.symbols = tuple(dict.fromkeys(x for tile in self.specs for x in tile.symbolic_dims))
        self._cache: dict[Any, TracedKernel] = {}
        self._lock = threading.RLock()
        self._last_trace_smem = 0
        self._check()
        self._caller = Caller(self)
        functools.update_wrapper(self, fn)

    def _check(self) -> None:
        for what, name in (("kernel", self.name), *(("parameter", x) for x in (*self.positional, *(
                x.name for x in self.raw)))):  # fmt: skip
            if not is_identifier(name):
                raise bad_value(f"kernel {self.name}", f"PTX takes no {what} of the name {name!r}",
                                "names are ASCII letters, digits, _ and $, and more than _ alone")  # fmt: skip
        if len(self.specs) > len(self.positional):
            raise bad_type(f"kernel {self.name}", f"it has {len(self.specs)} specs and {len(self.positional)} "
                           f"positional parameters: {', '.join(self.positional) or 'none'}")  # fmt: skip
        if self.extern and not is_identifier(self.extern):
            raise bad_type("kernel(extern_smem=)", f"{self.extern!r} is no identifier of PTX")
        extents(self.block, "block")
        extents(self.cluster, "cluster")
        for x in self.raw:
            x.variable()

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that stand for specs: inputs, then outputs."""
        return self.positional[: len(self.specs)]

    @property
    def _in_specs(self) -> tuple[Tile, ...]:
        return self.in_specs

    @property
    def _out_specs(self) -> tuple[Tile, ...]:
        return self.out_specs

    @property
    def _grid(self) -> Any:
        return self.grid

    @property
    def _block(self) -> Any:
        return self.block

    @property
    def _cluster(self) -> Any:
        return self.cluster

    @property
    def _smem(self) -> int:
        return self.smem

    @property
    def _cubin_handles(self) -> dict[Any, int]:
        return self._caller.handles

    def directives(self) -> tuple[n.Directive, ...]:
        """The directives behind the parameter list."""
        if self.raw_directives is not None:
            pairs = [(x,) if isinstance(x, str) else tuple(x) for x in self.raw_directives]
            return tuple(
                n.Directive(name.lstrip("."), tuple(n.Int(int(v)) for v in _values(values))) for name, *values in pairs
            )
        return (n.Directive("reqntid", tuple(n.Int(x) for x in self.reqntid)),) if self.reqntid else ()

    def _resolve_grid(self, env: Mapping[str, int]) -> tuple[int, ...]:
        """The grid for these sizes: a callable gets all of them by name, else in order."""
        if not callable(self.grid):
            return (1, 1, 1) if self.grid is None else tuple(self.grid) if not isinstance(self.grid, int) else (
                self.grid, 1, 1)  # fmt: skip
        try:
            found = self.grid(**env)
        except TypeError as by_name:
            try:
                found = self.grid(*env.values())
            except TypeError:
                sizes = ", ".join(f"{k}={v}" for k, v in env.items()) or "none"
                why = f"the function of the grid does not take the sizes ({sizes}): {by_name}"
                raise bad_type(f"kernel {self.name}", why, "its parameters are called as the symbols of the specs are"
                               ) from None  # fmt: skip
        return extents(found, "grid")

    # -- showing it ----------------------------------------------------------------------------------------------------

    def ptx(self, **kw: Any) -> str:
        """The PTX. `kw`: template arguments, sizes of symbols."""
        return self._trace(**kw).text

    def module(self, **kw: Any) -> n.PtxModule:
        """The PTX as nodes of `avelang.nvptx.nodes`: one object for equal arguments."""
        return self._trace(**kw).module

    def sass(self, **kw: Any) -> str:
        """The machine code that ptxas makes of it, as text. Raises RuntimeError (T241) without the tools."""
        from avelang.ptx.machine_code import disassembled

        try:
            return disassembled(self._trace(**kw))
        except AveError as e:
            if e.code != "D020":
                raise
            why = f"the CUDA toolkit's ptxas and cuobjdump are needed: {e.message}"
            raise fail(PyptxRuntimeError, f"{self.name}.sass", why, e.hint) from None

    def _trace(self, **kw: Any) -> TracedKernel:
        try:
            template, env, _ = self.sorted(kw)
            return self.traced(template, env)
        except AveError as e:
            raise e if knobs.full_traceback() else e.with_traceback(None) from None

    def sorted(self, kw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int], dict[str, Any]]:
        """(template arguments, sizes, raw values) of keywords. Raises TypeError (T241) for unknown names, and for sizes
        that are no ints."""
        raw_names = [x.name for x in self.raw]
        unknown = [k for k in kw if k not in self.template_params and k not in self.symbols and k not in raw_names]
        if unknown:
            known = {"template parameters": self.template_params, "shape names": self.symbols, "raw names": raw_names}
            said = "; ".join(f"{what}: {', '.join(names) or 'none'}" for what, names in known.items())
            raise bad_type(self.name, f"no template parameter {', '.join(unknown)} ({said})")
        env = {k: v for k, v in kw.items() if k in self.symbols}
        for name, value in env.items():
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise bad_type(self.name, f"the size {name} is an int, not {value!r}")
            env[name] = value.__index__()
        template = {k: kw.get(k, env.get(k, default)) for k, default in self.template_params.items()}
        return template, env, {k: v for k, v in kw.items() if k in raw_names and k not in env}

    def traced(self, template: dict[str, Any], env: Mapping[str, int]) -> TracedKernel:
        """The kernel for these template arguments and sizes, traced once. Raises TypeError (T241) where one that has no
        default is missing."""
        template = {k: env.get(k, v) if v is inspect.Parameter.empty else v for k, v in template.items()}
        missing = [k for k, v in template.items() if v is inspect.Parameter.empty]
        if missing:
            raise bad_type(self.name, f"the template parameter {', '.join(missing)} has no value")
        key = key_of(template), tuple(sorted(env.items()))
        with self._lock:
            found = self._cache.get(key)
            if found is None:
                found = self._cache[key] = traced(self, template, env)
            self._last_trace_smem = found.dynamic_bytes
            return found

    # -- calling it ----------------------------------------------------------------------------------------------------

    def __call__(self, *arrays: Any, **kw: Any) -> Any:
        if compiling():
            return call_kernel_via_torch_compile(self._caller, arrays[: len(self.in_specs)], kw)
        if not self.in_specs:
            raise fail(PyptxUnsupportedError, self.name, "a kernel without in_specs is shown, not called")
        try:
            return self._caller(*arrays, **kw)
        except AveError as e:
            raise e if knobs.full_traceback() else e.with_traceback(None) from None

    def env(self, shapes: Sequence[Sequence[int]], sizes: Mapping[str, int]) -> dict[str, int]:
        """The sizes that the inputs' shapes give, and those that the call names. Raises ValueError (T241)."""
        found = unify_envs(tile.extract_env(shape) for tile, shape in zip(self.in_specs, shapes, strict=True))
        return unify_envs([found, {k: v for k, v in sizes.items() if k not in found or found[k] != v}])

    def __repr__(self) -> str:
        return f"Kernel({self.name}, arch={self.arch!r})"


def _values(given: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a directive: one tuple, or several numbers."""
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        return tuple(given[0])
    return tuple(x for x in given if x is not None)


def _specs(given: Any, what: str) -> tuple[Tile, ...]:
    found = () if given is None else (given,) if isinstance(given, Tile) else tuple(given)
    for x in found:
        if not isinstance(x, Tile):
            raise bad_type(f"kernel({what}=)", f"{x!r} is no Tile")
    return found


def kernel(
    fn: Callable[..., Any] | None = None, *, arch: str = "sm_90a", version: tuple[int, int] | None = None,
    in_specs: Any = None, out_specs: Any = None, grid: Any = None, block: Any = (1, 1, 1), cluster: Any = (1, 1, 1),
    smem: int = 0, raw_params: Any = None, extern_smem: bool | str = False, reqntid: Any = None,
    raw_directives: Any = None,
) -> Any:  # fmt: skip
    """Makes a kernel of a function whose calls write PTX. Its positional parameters are tensors: inputs, then outputs;
    those behind a star are template parameters, chosen by keywords of a call.

    `arch`: the target, "auto" that of this machine's card. `version` of PTX: (8, 5), if the target and the
    instructions need none newer. `in_specs`, `out_specs`: `Tile`s. `grid`: a tuple, or a function of the symbols;
    `block` in threads, `cluster` in blocks. `smem`: bytes of dynamic shared memory; `extern_smem`: an extern array that
    the kernel lays out itself, True or its name. `raw_params`: further parameters, (type text, name). `reqntid`,
    `raw_directives`: directives behind the parameters."""
    options = {k: v for k, v in locals().items() if k != "fn"}

    def made(fn: Callable[..., Any]) -> Kernel:
        if not isinstance(fn, types.FunctionType):
            raise wrong("S003", got=repr(fn))
        try:
            return Kernel(fn, options)
        except AveError as e:
            raise e if knobs.full_traceback() else e.with_traceback(None) from None

    return made if fn is None else made(fn)
