"""A kernel's function, its specs, sizes and a chip come in; the traced module of PTX goes out, with all that a launch
must know."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from avelang.arch.nvidia import NVIDIA
from avelang.base.errors import AveError, error
from avelang.base.places import misused
from avelang.base.spans import Span
from avelang.base.takes import whole
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget, check, in_words
from avelang.nvptx.printer import print_module
from avelang.nvptx.ptx_types import SHARED, Need
from avelang.ptx.form_queries import forms_of
from avelang.ptx.shared_memory import DYNAMIC_ALIGN
from avelang.ptx.specs import KernelArgument, Spec, TileSpec, symbols
from avelang.ptx.trace import Trace, height, tracing
from avelang.runtime.geometry import CLUSTERS, Geometry, check_block, check_cluster, cluster_of, geometry

if TYPE_CHECKING:
    from avelang.arch import Chip

VERSION = (8, 7)  # of PTX: what the oldest assembler that Ave takes knows (CUDA 12.8)
# By age: `arch="auto"` takes the first that has all instructions of a kernel, where no GPU says more.
CHIPS = tuple(c.name for c in NVIDIA)
_CLUSTERS = ("barrier", "cluster", "arrive")  # an instruction of all chips that have clusters


@dataclasses.dataclass(frozen=True, eq=False)
class Definition:
    """The arguments of `@kernel`. `grid`, `block`, `cluster` and `smem` are values, or functions of the symbols that
    they name."""

    fn: Callable[..., Any]
    name: str
    inputs: tuple[Spec, ...]
    outputs: tuple[TileSpec, ...]
    grid: Any
    block: Any
    cluster: Any
    smem: Any
    arch: str
    registers: int | None  # the most that a thread may have
    blocks: int | None  # the fewest that a multiprocessor shall hold

    @property
    def specs(self) -> tuple[Spec, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    @functools.cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the specs."""
        return symbols(self.specs)

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters that stand for specs."""
        return tuple(p.name for p in self._signature if p.kind is not p.KEYWORD_ONLY)

    @functools.cached_property
    def wanted(self) -> tuple[str, ...]:
        """The symbols whose sizes the function asks for, as keyword-only parameters."""
        return tuple(
            p.name
            for p in self._signature
            if p.kind is p.KEYWORD_ONLY and (p.name in self.symbols or p.default is p.empty)
        )

    @functools.cached_property
    def _signature(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.fn).parameters.values())

    @functools.cached_property
    def span(self) -> Span:
        """The line of the kernel's definition."""
        code = self.fn.__code__
        return Span(code.co_filename, code.co_firstlineno, function=self.name)

    def fail(self, code: str, **fields: Any) -> AveError:
        """The error, at the kernel's definition."""
        return error(code, self.span, kernel=self.name, **fields)

    def check(self) -> None:
        """Raises T237 where function and specs do not fit, T238 for symbols that no input has, U101 for an unknown
        chip."""
        if len(self.names) != len(self.specs) or any(p.kind is p.VAR_POSITIONAL for p in self._signature):
            raise self.fail(
                "T237",
                want=len(self.specs),
                inputs=len(self.inputs),
                outputs=len(self.outputs),
                got=", ".join(self.names) or "none",
            )
        bound = symbols(self.inputs)
        free = [s for s in (*self.symbols, *self.wanted) if s not in bound]
        if free:
            raise self.fail("T238", symbol=free[0], known=", ".join(bound) or "none")
        for name, given in (("max_registers", self.registers), ("min_blocks", self.blocks)):
            if given is not None and not (whole(given) and 0 < given < 1 << 31):
                raise self.fail("L009", name=name, want="an int from 1 on", got=repr(given))
        if not isinstance(self.arch, str):
            raise self.fail("L009", name="arch", want=f'"auto", or one of {", ".join(CHIPS)}', got=repr(self.arch))
        if self.arch != "auto":
            import avelang.arch as arch

            try:
                chip = arch.chip(self.arch)
            except AveError as e:
                e.span = self.span
                raise
            if chip.vendor != "nvidia":
                raise self.fail("L009", name="arch", want=f'"auto", or one of {", ".join(CHIPS)}', got=repr(self.arch))

    def at(self, what: str, given: Any, sizes: Mapping[str, int]) -> Any:
        """A value for these sizes. Raises T238 for a function that asks for other names."""
        if not callable(given):
            return given
        asked = list(inspect.signature(given).parameters)
        for name in asked:
            if name not in sizes:
                raise self.fail("T238", symbol=name, known=", ".join(sizes) or "none")
        return given(**{name: sizes[name] for name in asked})


@dataclasses.dataclass(frozen=True, eq=False)
class Traced:
    """A kernel for certain sizes and a chip: the module, its text, and its launch. `lines`: (file, line) of the user
    for the lines of the text."""

    definition: Definition
    sizes: tuple[int, ...]
    chip: str
    module: n.PtxModule
    entry: str
    arguments: tuple[KernelArgument, ...]
    geometry: Geometry
    cluster: tuple[int, int, int]
    dynamic_bytes: int
    places: tuple[tuple[str, int], ...]

    @functools.cached_property
    def text(self) -> str:
        """The PTX."""
        return print_module(self.module)

    @functools.cached_property
    def first_line(self) -> int:
        """The line of the text, counted from 1, on which the first statement stands that the body wrote."""
        return self.text.count("\n") - len(self.places)

    @functools.cached_property
    def numbered(self) -> n.PtxModule:
        """The module, its statements with their lines in the text."""
        function, head = self._function()
        lines = (*function.body[:head], *_numbered(function.body[head:], itertools.count(self.first_line)))
        items = tuple(dataclasses.replace(x, body=lines) if x is function else x for x in self.module.items)
        return dataclasses.replace(self.module, items=items)

    def place(self, line: int) -> Span | None:
        """The user's line that wrote a line of the text."""
        at = line - self.first_line
        file, row = self.places[at] if 0 <= at < len(self.places) else ("", 0)
        return Span(file, row, function=self.definition.name) if file else None

    def _function(self) -> tuple[Any, int]:
        """The entry, and how many declarations stand before what the body wrote."""
        function: Any = self.module.function(self.entry)
        return function, sum(map(height, function.body)) - len(self.places)

    @functools.cached_property
    def with_lines(self) -> str:
        """The PTX with `.loc`s, by which the assembler's remarks and the tools name lines of the user's file."""
        function, head = self._function()
        files = {name: i for i, name in enumerate(dict.fromkeys(file for file, _ in self.places if file), 1)}
        body = (*function.body[:head], *_located(function.body[head:], iter(self.places), files))
        named = tuple(n.File(i, name) for name, i in files.items())
        items = tuple(dataclasses.replace(x, body=body) if x is function else x for x in self.module.items)
        return print_module(dataclasses.replace(self.module, items=(*named, *items)))


def _numbered(statements: Sequence[n.Statement], lines: Iterator[int]) -> Iterator[n.Statement]:
    """The statements with their lines, of which braces have two."""
    for s in statements:
        line = next(lines)
        if isinstance(s, n.PtxBlock):
            yield dataclasses.replace(s, body=tuple(_numbered(s.body, lines)), line=line)
            next(lines)
        else:
            yield dataclasses.replace(s, line=line)


def _located(
    statements: Sequence[n.Statement], places: Iterator[tuple[str, int]], files: Mapping[str, int]
) -> Iterator[n.Statement]:
    """The statements, with a `.loc` before each that another line has written than the one before it."""
    last: tuple[str, int] = ("", 0)
    for s in statements:
        place = next(places)
        if place != last and place[0]:
            yield n.Loc(files[place[0]], place[1], 1)
            last = place
        if isinstance(s, n.PtxBlock):
            yield dataclasses.replace(s, body=tuple(_located(s.body, places, files)))
            next(places)
        else:
            yield s


def sized(definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[int, ...]:
    """The sizes that `k.ptx(64, 64)` or `k.ptx(M=64, N=64)` names, in the order of the symbols. Raises L042."""
    known = definition.symbols
    given = dict(zip(known, args, strict=False))
    given.update(kwargs)
    twice = any(name in kwargs for name in known[: len(args)])
    if len(args) > len(known) or set(given) != set(known) or twice or not all(map(whole, given.values())):
        got = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())]) or "nothing"
        raise error("L042", kernel=definition.name, want=", ".join(known) or "no sizes", got=got)
    return tuple(int(given[name]) for name in known)


def trace(definition: Definition, sizes: tuple[int, ...], chip: str | None) -> Traced:
    """Runs the body once. `chip` None: the oldest that has all its instructions. Raises what the body's calls raise,
    and L002, L003, L029, U203."""
    named = dict(zip(definition.symbols, sizes, strict=True))
    grid = 1 if definition.grid is None else definition.grid
    extents = tuple(definition.at(what, given, named) for what, given in (("grid", grid), ("block", definition.block)))
    cluster = _cluster(definition, definition.at("cluster", definition.cluster, named))
    try:
        at = geometry(definition.name, extents)
        check_cluster(definition.name, at.grid, cluster)
    except AveError as e:
        e.span = e.span or definition.span
        raise
    log = Trace(definition.name, PtxTarget(chip, VERSION) if chip is not None else None)
    arguments = tuple(
        KernelArgument(name, log.symbol(f"{definition.name}_{name}", "entry"),
                       spec.type if isinstance(spec, TileSpec) else spec,
                 spec if isinstance(spec, TileSpec) else None, spec.at(named) if isinstance(spec, TileSpec) else ())
        for name, spec in zip(definition.names, definition.specs, strict=True)
    )  # fmt: skip
    log.symbols.update((a.map.name, "entry") for a in arguments if a.map is not None)
    with tracing(log):
        try:
            returned = definition.fn(*arguments, **{name: named[name] for name in definition.wanted})
        except (ArithmeticError, AttributeError, IndexError, KeyError, MemoryError, TypeError, ValueError) as e:
            found = misused(e)
            if found is e:
                raise
            raise found from None
    if returned is not None:
        raise error("T054", definition.span, name=definition.name)
    body = log.finish()
    chip = chip or _needed(definition, body, math.prod(cluster) > 1)
    if math.prod(cluster) > 1 and not _clusters().met_by(chip):
        raise error("U206", definition.span, what=f"cluster={cluster}", chip=chip, have=in_words(_clusters().targets))
    dynamic = _shared(definition, log, named, chip)
    check_block(definition.name, at.block, _chip(chip))
    function = n.PtxFunction(
        "entry", definition.name, tuple(p for a in arguments for p in a.parameters()), body=body, linkage="visible",
        directives=_directives(definition, at, cluster),
    )  # fmt: skip
    module = n.PtxModule(VERSION, (chip,), 64, (*dynamic_shared(log), function))
    return Traced(definition, sizes, chip, module, definition.name, arguments, at, cluster, dynamic, tuple(log.lines))


def dynamic_shared(log: Trace) -> list[n.PtxVariable]:
    """The variable of dynamic shared memory, where a body has taken of it: it stands before the function."""
    name = f"{log.kernel}_smem"
    return (
        [n.PtxVariable("shared", "b8", name, align=DYNAMIC_ALIGN, dims=(None,), linkage="extern")]
        if name in log.symbols
        else []
    )


def _chip(name: str) -> Chip:
    import avelang.arch as arch

    return arch.chip(name)


def _clusters() -> Need:
    """The targets that have clusters."""
    return forms_of(_CLUSTERS)[0][0].needs


def _cluster(definition: Definition, given: Any) -> tuple[int, int, int]:
    """The extents of a cluster. Raises L009."""
    found = cluster_of(given if isinstance(given, (tuple, list)) else (given,))
    if found is None:
        raise definition.fail("L009", name="cluster", want=CLUSTERS, got=repr(given))
    return found


def _needed(definition: Definition, body: tuple[n.Statement, ...], clusters: bool) -> str:
    """The oldest chip that has all instructions, and clusters where they are asked for. Raises U208 where none has."""
    every = {i.parts: i for i in n.instructions(body)}
    names = {
        parts: i for parts, i in every.items() if check(i) is None
    }  # the table does not have what `ptx.raw` may say
    for chip in CHIPS:
        if (not clusters or _clusters().met_by(chip)) and all(
            check(i, PtxTarget(chip, VERSION)) is None for i in names.values()
        ):
            return chip
    last = {chip: [i.name for i in names.values() if check(i, PtxTarget(chip, VERSION)) is not None] for chip in CHIPS}
    best = min(CHIPS, key=lambda c: len(last[c]))
    raise definition.fail("U208", chip=best, names=", ".join(sorted(set(last[best]))))


def _shared(definition: Definition, log: Trace, sizes: Mapping[str, int], chip: str) -> int:
    """Bytes of dynamic shared memory of a launch. Raises L043 for less than is allocated, U203 for more than there
    is."""
    asked = definition.at("smem", definition.smem, sizes) or 0
    if not whole(asked) or asked < 0:
        raise definition.fail("L009", name="smem", want="bytes: an int from 0 on", got=repr(asked))
    if asked and asked < log.dynamic:
        raise definition.fail("L043", want=log.dynamic, got=asked)
    dynamic = int(asked or log.dynamic)
    static = sum(math.prod(d.value for d in v.dims if d is not None) for v in log.variables)
    limit = _chip(chip).lds_bytes
    if static > SHARED:
        hint = "smem.alloc(..., dynamic=True) takes memory that the launch brings"
        where = "every chip, in static shared memory,"
        raise error("U203", definition.span, hint, kernel=definition.name, have=static, target=where, limit=SHARED)
    if static + dynamic > limit:
        raise error("U203", definition.span, kernel=definition.name, have=static + dynamic, target=chip, limit=limit)
    return dynamic


def _directives(definition: Definition, at: Geometry, cluster: tuple[int, ...]) -> tuple[n.Directive, ...]:
    out = [n.Directive("reqntid", tuple(n.Int(x) for x in at.block))]
    if math.prod(cluster) > 1:
        out.append(n.Directive("reqnctapercluster", tuple(n.Int(x) for x in cluster)))
    if definition.registers is not None:
        out.append(n.Directive("maxnreg", (n.Int(definition.registers),)))
    if definition.blocks is not None:
        out.append(n.Directive("minnctapersm", (n.Int(definition.blocks),)))
    return tuple(out)
