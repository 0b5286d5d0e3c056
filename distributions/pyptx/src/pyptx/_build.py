"""A kernel's function with its template arguments and sizes comes in; the traced module of PTX goes out, with all that
a launch must know."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyptx.types as t
from avelang.base.errors import AveError
from avelang.base.places import misused, wrong
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget, check
from avelang.nvptx.printer import print_module
from avelang.nvptx.ptx_types import KNOWN
from avelang.nvptx.ptx_types import VERSIONS as LAST_MINOR
from avelang.ptx.build import Traced
from avelang.ptx.trace import tracing
from avelang.runtime.geometry import Geometry
from pyptx._errors import PyptxRuntimeError, as_ours, bad_type, bad_value, fail
from pyptx._operands import Address
from pyptx._registers import Reg
from pyptx._trace import STATIC_MOST, DescriptorUse, TraceContext
from pyptx.specs import Layout
from pyptx.types import PtxType, from_name

if TYPE_CHECKING:
    from pyptx.kernel import Kernel

NEWEST = (9, 9)  # of PTX: while a body runs and its kernel names no version
DEFAULT_VERSION = (8, 5)
VERSIONS = ((8, 5), (8, 6), (8, 7), (8, 8), (9, 0), (9, 1), (9, 2))
EXTERN = "global_smem"


def checked_version(version: Any, arch: str) -> tuple[int, int] | None:
    """The version of PTX that a kernel names. Raises U101 for an unknown target, TypeError and ValueError (T241)."""
    if not isinstance(arch, str) or arch not in KNOWN:
        raise wrong("U101", name=arch, known=", ".join(x for x in KNOWN if int(re.sub(r"\D", "", x)) >= 50))
    if version is None:
        return None
    given = tuple(version) if isinstance(version, (tuple, list)) else ()
    if len(given) != 2 or not all(isinstance(x, int) and not isinstance(x, bool) for x in given):
        raise bad_type("kernel(version=)", f"{version!r} is no (major, minor), such as (8, 5)")
    if not 0 <= given[1] <= LAST_MINOR.get(given[0], -1):
        raise bad_value("kernel(version=)", f"there is no PTX {given[0]}.{given[1]}")
    if given < KNOWN[arch]:
        raise bad_value("kernel(version=)", "PTX {}.{} does not have {}, which {}.{} does".format(
            *given, arch, *KNOWN[arch]))  # fmt: skip
    return given  # type: ignore[return-value]


def default_version(arch: str) -> tuple[int, int]:
    """The version of PTX of a kernel that names none."""
    if arch.startswith(("sm_100", "sm_101", "sm_103")):
        return 8, 8
    return (8, 7) if arch.startswith("sm_12") else max(DEFAULT_VERSION, KNOWN.get(arch, DEFAULT_VERSION))


# -- arguments ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class TmaDescriptorHandle:
    """The tensor map of a tensor, named outside of a kernel: `tensor`, `name` of its parameter."""

    tensor: TensorSpec
    name: str


@dataclasses.dataclass(frozen=True, eq=False)
class TensorSpec:
    """A tensor inside of a kernel: `name`, `shape` (None where sizes are not known), `dtype`, `layout`. As an operand
    it is its parameter's name."""

    name: str
    shape: tuple[int, ...] | None = None
    dtype: PtxType | None = None
    layout: Layout | None = None
    index: int = -1

    def node(self) -> n.Operand:
        """The parameter's name as an operand."""
        return n.SymbolOperand(self.name)

    def address(self) -> Address:
        """The memory operand of the parameter."""
        return Address(self.name)

    def tma_desc(self) -> Any:
        """The address of the tensor's map in a u64 register. It is loaded once, before the body, so that it is there on
        every path."""
        from avelang.ptx.trace import opened

        trace, name = opened(), f"{self.name}_tma_desc"
        if not isinstance(trace, TraceContext):
            return TmaDescriptorHandle(self, name)
        found = trace.descriptors.get(self.name)
        if found is None:
            register = Reg(trace.outermost(t.u64, "%rd"), t.u64, trace)
            trace.symbols[name] = "entry"
            found = trace.descriptors[self.name] = DescriptorUse(self.index, name), register
            load = n.PtxInstruction(("ld", "param", "u64"), (register.node(), Address(name).node()))
            trace.before(load)
        return found[1]

    def __repr__(self) -> str:
        return f"TensorSpec({self.name}, shape={self.shape}, dtype={self.dtype})"


@dataclasses.dataclass(frozen=True)
class RawParam:
    """A further parameter: its type text ("u64.ptr.global.palign16") and its name."""

    text: str
    name: str

    @property
    def type(self) -> PtxType:
        """The base type. Raises ValueError (T241)."""
        return from_name(self.text.lstrip(".").split(".")[0])

    @property
    def is_number(self) -> bool:
        """True for a scalar that is no pointer."""
        return not any(w == "ptr" or w.startswith("array") for w in self._words)

    @property
    def _words(self) -> list[str]:
        return self.text.lstrip(".").split(".")[1:]

    def variable(self) -> n.PtxVariable:
        """As the entry declares it. Raises ValueError (T241) for an unknown option."""
        align, pointer_align, count, space = None, 1, None, ""
        for word in self._words:
            number = re.fullmatch(r"(palign|align|array)(\d+)", word)
            if word in ("global", "shared", "local", "const", "param"):
                space = word
            elif number is not None:
                value = int(number[2])
                align = value if number[1] == "align" else align
                pointer_align = value if number[1] == "palign" else pointer_align
                count = value if number[1] == "array" else count
            elif word != "ptr":
                raise bad_value("kernel(raw_params=)", f"`{self.text}`: {word!r} is no option of a parameter")
        pointer = n.PointerAttribute(space, pointer_align) if "ptr" in self._words else None
        dims = () if count is None else (n.Int(count),)
        return n.PtxVariable("param", self.type.held, self.name, align=align, dims=dims, pointer=pointer)


# -- the traced kernel -------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class KernelFacts:
    """A kernel's definition, as errors and the runtime ask for it."""

    name: str
    span: Span
    names: tuple[str, ...]
    inputs: tuple[Any, ...]

    def fail(self, code: str, **fields: Any) -> AveError:
        """The error, at the kernel's definition."""
        from avelang.base.errors import error

        return error(code, self.span, kernel=self.name, **fields)


@dataclasses.dataclass(frozen=True, eq=False)
class TracedKernel(Traced):
    """A kernel for certain sizes and template arguments. `descriptors`: the tensors whose maps it takes, in the order
    of their parameters."""

    descriptors: tuple[DescriptorUse, ...] = ()
    comments: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def text(self) -> str:
        """The PTX: one tab of indentation, comments in their places."""
        return self._dressed(print_module(self.module))

    @functools.cached_property
    def with_lines(self) -> str:
        """The PTX with `.loc`s of the user's lines, where it has none of its own."""
        own = any(isinstance(x, n.File) for x in self.module.items)
        return self.text if own else super().with_lines

    def _dressed(self, text: str) -> str:
        lines = []
        for line in text.split("\n"):
            body = line.lstrip(" ")
            comment = self.comments.get(body[:-1]) if body.startswith("$_comment_") else None
            lines.append("\t" * ((len(line) - len(body)) // 4) + (f"// {comment}" if comment is not None else body))
        return "\n".join(lines)


def traced(kernel: Kernel, template: Mapping[str, Any], env: Mapping[str, int]) -> TracedKernel:
    """Runs the body, a second time with dynamic shared memory where static does not suffice. Raises what the body's
    calls raise."""
    dynamic = kernel.smem > STATIC_MOST and not kernel.extern
    log, tensors = _run(kernel, template, env, dynamic)
    if log.outgrown:
        log, tensors = _run(kernel, template, env, True)
    if kernel.extern and log.static_bytes > STATIC_MOST:
        raise fail(PyptxRuntimeError, f"kernel {kernel.name}", f"{log.static_bytes} bytes of static shared memory "
                   f"beside the extern array; {STATIC_MOST} are possible", "lay them out within the array")  # fmt: skip
    body = log.finish()
    version = kernel.version or _needed(kernel, body, log)
    return _module(kernel, log, body, version, tensors)


def _run(kernel: Kernel, template: Mapping[str, Any], env: Mapping[str, int], dynamic: bool) -> tuple[TraceContext,
        list[TensorSpec]]:  # fmt: skip
    known = kernel.arch in KNOWN
    target = PtxTarget(kernel.arch, kernel.version or NEWEST) if known else None
    log = TraceContext(kernel.name, target, dynamic_mode=dynamic, extern=kernel.extern,
                       version=kernel.version or default_version(kernel.arch))  # fmt: skip
    tensors = [_tensor(kernel, i, name, template, env) for i, name in enumerate(kernel.positional)]
    if kernel.specs:
        log.symbols.update((x.name, "entry") for x in tensors)
    log.symbols.update((x.name, "entry") for x in kernel.raw)
    log.raw_types.update((x.name, x.text) for x in kernel.raw)
    with tracing(log):
        try:
            kernel.fn(*tensors, **template)
        except (ArithmeticError, AttributeError, IndexError, KeyError, MemoryError, TypeError, ValueError) as e:
            found = e if isinstance(e, AveError) else misused(e)
            if found is e or not isinstance(found, AveError):
                raise
            raise as_ours(found, e) from None
    return log, tensors


def _tensor(kernel: Kernel, index: int, name: str, template: Mapping[str, Any], env: Mapping[str, int]) -> TensorSpec:
    tile = kernel.specs[index] if index < len(kernel.specs) else None
    if tile is None:
        return TensorSpec(name, index=index)
    sizes = {k: v for k, v in template.items() if isinstance(v, int) and not isinstance(v, bool)} | dict(env)
    known = all(x in sizes for x in tile.symbolic_dims)
    return TensorSpec(name, tile.resolve_shape(sizes) if known else None, tile.dtype, tile.layout, index)


def _needed(kernel: Kernel, body: tuple[n.Statement, ...], log: TraceContext) -> tuple[int, int]:
    """The version of PTX of a kernel that names none: the default, or the first that has all its instructions."""
    default = default_version(kernel.arch)
    if kernel.arch not in KNOWN:
        return default
    every = {i.parts: i for i in n.instructions(body)}.values()
    for version in (default, *(v for v in VERSIONS if v > default)):
        found = (check(i, PtxTarget(kernel.arch, version)) for i in every)
        if not any(e is not None and e.code == "U207" for e in found):
            return version
    return default


def _module(kernel: Kernel, log: TraceContext, body: tuple[n.Statement, ...], version: tuple[int, int],
            tensors: Sequence[TensorSpec]) -> TracedKernel:  # fmt: skip
    uses = tuple(use for use, _ in log.descriptors.values())
    params = [n.PtxVariable("param", "u64", x.name) for x in tensors] if kernel.specs else []
    params += [x.variable() for x in kernel.raw]
    params += [n.PtxVariable("param", "u64", x.parameter) for x in uses]
    entry = n.PtxFunction("entry", kernel.name, tuple(params), body=body, linkage="visible",
                          directives=kernel.directives())  # fmt: skip
    module = n.PtxModule(version, (kernel.arch,), 64, (*log.files, *log.module_variables(), entry))
    facts = KernelFacts(kernel.name, kernel.span, kernel.names, tuple(kernel.in_specs))
    at = Geometry((1, 1, 1), extents(kernel.block, "block"))
    cluster = extents(kernel.cluster, "cluster")
    definition: Any = facts  # what errors and the runtime ask of it
    return TracedKernel(definition, (), kernel.arch, module, kernel.name, (), at, cluster, log.dynamic,
                        tuple(log.lines), uses, log.comments)  # fmt: skip


def extents(given: Any, what: str) -> tuple[int, int, int]:
    """Three extents of one to three. Raises TypeError (T241)."""
    found = (given,) if isinstance(given, int) else tuple(given)
    if not 1 <= len(found) <= 3 or not all(hasattr(x, "__index__") for x in found):
        raise bad_type(f"kernel({what}=)", f"{given!r} is no tuple of one to three ints")
    found = tuple(x.__index__() for x in found)
    return (*found, *(1,) * (3 - len(found)))  # type: ignore[return-value]


def key_of(template: Mapping[str, Any]) -> Any:
    """Template arguments as a key: by value where they have a hash, else by what they print."""
    out = []
    for name, value in template.items():
        try:
            hash(value)
        except TypeError:
            value = repr(value)
        out.append((name, type(value).__name__, value))
    return tuple(out)
