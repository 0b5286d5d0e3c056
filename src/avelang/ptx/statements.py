"""What a body has besides instructions: variables, braces, calls, lists of targets, pragmas, and text of PTX that is
taken as it is. Python values come in, nodes are added to the trace."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any

from avelang.base.errors import AveError
from avelang.base.places import wrong
from avelang.base.takes import whole
from avelang.nvptx import nodes as n
from avelang.nvptx.declarations import variable as variable_faults
from avelang.nvptx.parse import SPACES, TYPES, parse_body
from avelang.nvptx.ptx_types import TYPES as PTX_TYPES
from avelang.ptx.inst import emit
from avelang.ptx.operand_nodes import operand, parsed
from avelang.ptx.shared_memory import SymbolOffset
from avelang.ptx.trace import current, is_identifier, opened
from avelang.ptx.types import as_type


class TextOperand:
    """An operand that was given as text."""

    def __init__(self, node: n.Operand):
        self._node = node

    def node(self) -> n.Operand:
        """The operand that was read from the text."""
        return self._node


def text_operand(text: str) -> TextOperand:
    """An operand as PTX has it: `ptx.operand("0xFF")`, `ptx.operand("(1 << 4) - 1")`, `ptx.operand("[texture, {%f1,
    %f2}]")`. Raises T222."""
    trace = opened()
    return TextOperand(parsed(text, "ptx.operand", trace.held if trace is not None else ()))


# -- variables ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class DeclaredVariable:
    """A variable or a parameter: as an operand its name, which stands for its address. `v + 8` is a place in it."""

    declaration: n.PtxVariable

    @property
    def name(self) -> str:
        """The name as PTX has it."""
        return self.declaration.name

    def node(self) -> n.Operand:
        """The name as an operand."""
        return n.SymbolOperand(self.name)

    def __add__(self, offset: int) -> SymbolOffset:
        return SymbolOffset(self.name, offset)

    def __repr__(self) -> str:
        return f"<variable {self.name} in .{self.declaration.space}>"


Declarations = Sequence[DeclaredVariable] | None  # None: no parentheses at all


def declaration(
    space: str, dtype: Any, name: str, *dims: Any, align: int | None = None, vector: str = "", init: Any = None,
    linkage: str = "",
    attributes: Sequence[Any] = (), pointer: Sequence[Any] | None = None,
) -> DeclaredVariable:  # fmt: skip
    """A variable that is declared nowhere: `space` as PTX calls it ("global", "shared", ...), a type or the name of an
    opaque one ("texref"), its extents (None for one that is left open). `align` in bytes. `init`: a value, (nested)
    lists of values, bytes, or a dict for an opaque type. `pointer` of a kernel's parameter: () or a space and an
    alignment, for `.ptr`. Raises T221."""
    if isinstance(dtype, str) and f".{dtype}" in TYPES:
        kind = dtype
    else:
        given = as_type(dtype, "the type of a variable")
        kind = given.held if PTX_TYPES[given.name].kind == "x" else given.name  # ptxas takes no variables of bf16, e4m3
    if f".{space}" not in SPACES:
        raise wrong(
            "T221", what="the space of a variable", want=", ".join(s[1:] for s in sorted(SPACES)), got=repr(space)
        )
    if not is_identifier(name) and name != "_":
        raise wrong("T221", what="the name of a variable", want="an identifier of PTX", got=repr(name))
    if align is not None and not whole(align):
        raise wrong("T033", got=repr(align))
    extents = tuple(None if d is None else operand(d) for d in dims)
    if not all(d is None or isinstance(d, n.Int) for d in extents):
        raise wrong("T221", what="the extents of a variable", want="ints", got=repr(dims))
    at = n.PointerAttribute(*pointer) if pointer is not None else None
    value = None if init is None else _initializer(init, kind)
    fixed: Any = extents
    return DeclaredVariable(
        n.PtxVariable(space, kind, name, vector, align, fixed, value, linkage, _attributes(attributes), at)
    )


def parameter(dtype: Any, name: str, *dims: Any, space: str = "param", **options: Any) -> DeclaredVariable:
    """A parameter or a result of a function, for the lists of `module.entry`, `module.func` and `ptx.prototype`.
    Options as of `ptx.variable`; `space`: "param", or "reg"."""
    return declaration(space, dtype, name, *dims, **options)


def variable(space: str, dtype: Any, name: str, *dims: Any, **options: Any) -> DeclaredVariable:
    """Declares a variable here: `ptx.variable("shared", b8, "tile", 1024, align=16)`. Options: `align` (bytes), `init`,
    `vector`, `linkage`, `attributes`, as `module.variable` has them. Raises T221."""
    out = declaration(space, dtype, name, *dims, **options)
    for why in variable_faults(out.declaration, inside=True):
        raise wrong("S212", what="the variable", name=name, why=why)
    trace = current("ptx.variable")
    trace.symbols[name] = space
    trace.add(out.declaration)
    return out


def _initializer(value: Any, kind: str) -> Any:
    if isinstance(value, dict):
        return tuple(n.FieldInit(name, operand(x)) for name, x in value.items())
    if isinstance(value, (list, tuple, bytes)):
        return tuple(_initializer(x, kind) for x in value)
    return operand(value, (kind,))


def _attributes(given: Sequence[Any]) -> tuple[n.PtxAttribute, ...]:
    pairs = [(x,) if isinstance(x, str) else tuple(x) for x in given]
    return tuple(n.PtxAttribute(name, tuple(map(operand, values))) for name, *values in pairs)


def directive_nodes(given: Sequence[Any]) -> tuple[n.Directive, ...]:
    """`("maxntid", 128, 1, 1)`, `"noreturn"`, `("pragma", "nounroll")`: what a function says of its launch."""
    pairs = [(x,) if isinstance(x, str) else tuple(x) for x in given]
    return tuple(
        n.Directive(name, tuple(values if name == "pragma" else map(operand, values))) for name, *values in pairs
    )


# -- statements --------------------------------------------------------------------------------------------------------


def scope() -> contextlib.AbstractContextManager[None]:
    """`with ptx.scope():` is braces: registers that are declared and labels that are placed within them are known up to
    their end."""
    return current("ptx.scope").scope()


def pragma(*texts: str) -> None:
    """`.pragma "nounroll";`"""
    current("ptx.pragma").add(n.Pragma(texts))


def branch_targets(label: str, *names: str) -> None:
    """`label: .branchtargets a, b;`, for `brx.idx`."""
    _targets("branchtargets", label, names)


def call_targets(label: str, *names: Any) -> None:
    """`label: .calltargets f, g;`, for a call through a register."""
    _targets("calltargets", label, names)


def _targets(kind: str, label: str, names: Sequence[Any]) -> None:
    trace, targets = current(f"ptx.{kind}"), []
    for given in names:
        x = operand(given)
        if not isinstance(x, n.SymbolOperand):
            raise wrong("T222", name=f"ptx.{kind}", got=repr(given))
        targets.append(x.name)
        if kind == "branchtargets":
            trace.branch_to(x.name)
    trace.place(label, n.Targets(label, kind, tuple(targets)))


def prototype(
    label: str,
    params: Declarations = None,
    returns: Declarations = None,
    name: str = "_",
    directives: Sequence[Any] = (),
) -> None:
    """`label: .callprototype (returns) _ (params);`: what a function has that is called through a register. None: no
    parentheses."""
    node = n.Prototype(label, name, declared(returns), declared(params), directive_nodes(directives))
    current("ptx.prototype").place(label, node)


def declared(given: Declarations) -> tuple[n.PtxVariable, ...] | None:
    """The nodes of a list of parameters."""
    if given is None:
        return None
    if not all(isinstance(x, DeclaredVariable) for x in given):
        raise wrong("T221", what="parameters and results", want="a list of ptx.parameter(...)", got=repr(given))
    return tuple(x.declaration for x in given)


class CallArguments:
    """Operands of a call in parentheses."""

    def __init__(self, items: Sequence[Any]):
        self.items = items

    def node(self) -> n.Operand:
        """The list as an operand."""
        return n.Arguments(tuple(operand(x) for x in self.items))


def call(
    function: Any, arguments: Sequence[Any] | None = None, returns: Sequence[Any] | None = None, prototype: str = "", *,
    uniform: bool = False,
    pred: Any = None,
) -> None:  # fmt: skip
    """`call (returns), function, (arguments), prototype`: a function by itself or by its name, or a register with its
    address and the label of a prototype or of targets. Arguments and results are variables in `.param`, registers or
    numbers; None: no parentheses. Raises T203, T222."""
    before = [CallArguments(returns)] if returns is not None else []
    behind = [CallArguments(arguments)] if arguments is not None else []
    emit(
        ("call", "uni") if uniform else ("call",),
        *before,
        function,
        *behind,
        *([prototype] if prototype else []),
        pred=pred,
    )


def raw(text: str) -> None:
    """Statements as PTX has them, which are read but not checked against the table: for instructions that it does not
    have. Raises T203 for text that cannot be read."""
    trace = current("ptx.raw")
    if trace.guard is not None:
        raise wrong("T226", name="ptx.raw")
    try:
        statements = parse_body(text, registers=frozenset(trace.held))
    except AveError as e:
        raise wrong("T232", e.hint, name="ptx.raw", why=e.message) from None
    for s in statements:
        if isinstance(s, n.RegisterDecl):
            trace.declare(s)
        elif isinstance(s, n.LabelMark):
            trace.place(s.name)
        elif isinstance(s, n.PtxVariable):
            trace.symbols[s.name] = s.space
            trace.add(s)
        elif isinstance(s, (n.Targets, n.Prototype)):
            trace.place(s.label, s)
        else:
            trace.add(s)


__all__ = [
    "DeclaredVariable", "branch_targets", "call", "call_targets", "declaration", "declared", "directive_nodes",
    "parameter", "pragma", "prototype",
    "raw", "scope", "text_operand", "variable",
]  # fmt: skip
