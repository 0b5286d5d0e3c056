"""The nodes of a PTX module: what `parse` makes of text and `printer` makes text of. They are immutable and keep no
source text.

Names are those of NVIDIA's "Parallel Thread Execution ISA". Types, spaces and modifiers stand without their dot ("b32",
"shared::cta"). Lines and columns count from 1, are 0 in nodes that were made by a program, and take no part in
equality. """

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any


def _place() -> Any:
    return dataclasses.field(default=0, compare=False, repr=False)


# -- operands ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Register:
    """A register, its name as written ("%r1", "p"); `component` selects from a vector register ("x", "y", "z", "w",
    "r", ...)."""

    name: str
    component: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class SpecialOperand:
    """A special register: "%tid" with the component "x", "%clock64" with none."""

    name: str
    component: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class SymbolOperand:
    """A label, a variable, a function, or a named constant such as WARP_SZ; in debug data also a section
    (".debug_abbrev")."""

    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Int:
    """An integer constant. `base` (2, 8, 10, 16), `width` (digits at least, filled with zeros), `upper` (hex digits
    ABCDEF) and `unsigned` (suffix U) and `capital` (0X for 0x) say how it is written; two constants that differ in
    these alone are different nodes, of equal `value`."""

    value: int
    base: int = 10
    width: int = 0
    upper: bool = False
    unsigned: bool = False
    capital: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Float:
    """A floating-point constant by its bit pattern of `width` 32 (0f3F800000) or 64 bits (0d...); `decimal`: written as
    1.0, always f64."""

    bits: int
    width: int = 32
    upper: bool = True
    decimal: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Unary:
    """A constant expression: `op` is one of - + ! ~, or a cast, "(.s64)" or "(.u64)"."""

    op: str
    operand: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Binary:
    """A constant expression of two operands; also a symbol with an offset (`table+8`)."""

    op: str
    left: Operand
    right: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Ternary:
    """A constant expression `condition ? then : other`."""

    condition: Operand
    then: Operand
    other: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Apply:
    """An operator of initializers: generic(x), the generic address of x; 0xFF00(x), bits of its address, where `name`
    is an Int (the mask)."""

    name: str | Int
    operand: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class VectorOperand:
    """Operands in braces: {%r1, %r2}; an item may be the sink, a constant, or, in addresses of tensors, an
    expression."""

    items: tuple[Operand, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class AddressOperand:
    """A memory operand [base+offset]. `offset` is None where none is written. `rest` holds what follows a comma: the
    coordinates of a tensor map, a sampler and the coordinates of a texture."""

    base: Operand
    offset: Operand | None = None
    rest: tuple[Operand, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """An element of an array by a constant index: table[3]."""

    array: str
    index: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Not:
    """A negated predicate as an operand: !%p1."""

    operand: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two destinations p|q, of which `second` is a predicate (setp, vote, tex, elect, shfl)."""

    first: Operand
    second: Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Sink:
    """The destination that nothing keeps: `_`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Arguments:
    """A list in parentheses, of a call: (param0, param1)."""

    items: tuple[Operand, ...]


Operand = (
    Register | SpecialOperand | SymbolOperand | Int | Float | Unary | Binary | Ternary | Apply
    | VectorOperand | AddressOperand | Element | Not | Pair | Sink | Arguments
)  # fmt: skip


# -- statements --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Guard:
    """The predicate before an instruction: @%p1, @!%p1."""

    register: Register
    negated: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class PtxInstruction:
    """One instruction. `parts` is its name split at the dots: ("ld", "shared::cta", "b32"). `columns` are those of the
    operands."""

    parts: tuple[str, ...]
    operands: tuple[Operand, ...] = ()
    guard: Guard | None = None
    line: int = _place()
    column: int = _place()
    columns: tuple[int, ...] = dataclasses.field(default=(), compare=False, repr=False)

    @property
    def opcode(self) -> str:
        """"ld" of ld.global.b32."""
        return self.parts[0]

    @property
    def modifiers(self) -> tuple[str, ...]:
        """("global", "b32") of ld.global.b32."""
        return self.parts[1:]

    @property
    def name(self) -> str:
        """"ld.global.b32"."""
        return ".".join(self.parts)


@dataclasses.dataclass(frozen=True, slots=True)
class LabelMark:
    """`name:`"""

    name: str
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class RegisterName:
    """One name of a declaration; `count` registers name0 .. name(count-1) where it is written %r<count>."""

    name: str
    count: int | None = None

    def names(self) -> Iterator[str]:
        """The registers that this declares."""
        if self.count is None:
            yield self.name
        else:
            yield from (f"{self.name}{i}" for i in range(self.count))


def registers_named(name: str, count: int) -> tuple[RegisterName, ...]:
    """The declaration of `count` registers name0, name1, ...: as a family, or each by itself where the name ends in a
    digit, since ptxas (13.0) finds no member of such a family."""
    if name[-1:].isdigit():
        return tuple(RegisterName(f"{name}{i}") for i in range(count))
    return (RegisterName(name, count),)


@dataclasses.dataclass(frozen=True, slots=True)
class RegisterDecl:
    """`.reg .v4 .f32 a, b;`"""

    type: str
    names: tuple[RegisterName, ...]
    vector: str = ""
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class PointerAttribute:
    """The `.ptr` of a kernel's parameter: the space (or ""), the alignment in bytes (or None)."""

    space: str = ""
    align: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class PtxVariable:
    """A variable, in a module, in a body, or as a parameter. `space` is "global", "const", "shared", "local", "param"
    or "reg" (parameters of functions), "tex", or "global" with an opaque type ("texref"); `dims` are array extents,
    None where empty. `align` is in bytes, None where none is written. `init` is an operand, or a (nested) tuple of such
    for braces; (name, value) `FieldInit`s for opaque types."""

    space: str
    type: str
    name: str
    vector: str = ""
    align: int | None = None
    dims: tuple[Int | None, ...] = ()
    init: Initializer | None = None
    linkage: str = ""
    attributes: tuple[PtxAttribute, ...] = ()
    pointer: PointerAttribute | None = None
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class FieldInit:
    """`name = value` in the initializer of an opaque type."""

    name: str
    value: Operand


Initializer = Operand | FieldInit | tuple["Initializer", ...]


@dataclasses.dataclass(frozen=True, slots=True)
class PtxAttribute:
    """`.attribute(.managed)`, `.attribute(.unified(1, 2))`."""

    name: str
    values: tuple[Operand, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class PtxBlock:
    """Statements in braces, with names of their own."""

    body: tuple[Statement, ...]
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class Targets:
    """`label: .branchtargets a, b;` (`kind` "branchtargets") and `label: .calltargets f, g;` ("calltargets")."""

    label: str
    kind: str
    names: tuple[str, ...]
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class Prototype:
    """`label: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`. `returns` and `params` are None where
    nothing in parentheses stands."""

    label: str
    name: str
    returns: tuple[PtxVariable, ...] | None
    params: tuple[PtxVariable, ...] | None
    directives: tuple[Directive, ...] = ()
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class Loc:
    """`.loc file line column`, and `, function_name symbol, inlined_at file line column`."""

    file: int
    row: int
    col: int
    function: Operand | None = None
    inlined: tuple[int, int, int] | None = None
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class Pragma:
    """`.pragma "nounroll";`"""

    texts: tuple[str, ...]
    line: int = _place()
    column: int = _place()


Statement = PtxInstruction | LabelMark | RegisterDecl | PtxVariable | PtxBlock | Targets | Prototype | Loc | Pragma


# -- module ------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Directive:
    """A directive of a function's launch: `.maxntid 128, 1, 1` is ("maxntid", (Int(128), Int(1), Int(1))), `.noreturn`
    has no values. A pragma between header and body is ("pragma", texts)."""

    name: str
    values: tuple[Operand | str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class PtxFunction:
    """`.entry` or `.func` (`kind`). `params` is None where no parentheses are written, `body` None for a declaration.
    `linkage` is "visible", "extern", "weak" or ""."""

    kind: str
    name: str
    params: tuple[PtxVariable, ...] | None = None
    returns: tuple[PtxVariable, ...] | None = None
    body: tuple[Statement, ...] | None = None
    linkage: str = ""
    directives: tuple[Directive, ...] = ()
    attributes: tuple[PtxAttribute, ...] = ()
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class File:
    """`.file index "name"`, with time stamp and size where they are written."""

    index: int
    name: str
    stamp: tuple[int, int] | None = None
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class SectionData:
    """A line of a debug section: `.b8 1, 2`; `kind` is "b8", "b16", "b32", "b64"."""

    kind: str
    values: tuple[Operand, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """`.section .debug_info { ... }`; `name` keeps its dot."""

    name: str
    items: tuple[SectionData | LabelMark, ...]
    line: int = _place()
    column: int = _place()


@dataclasses.dataclass(frozen=True, slots=True)
class Alias:
    """`.alias name, of;`"""

    name: str
    of: str
    line: int = _place()
    column: int = _place()


Item = PtxFunction | PtxVariable | File | Section | Alias | Pragma | Loc


@dataclasses.dataclass(frozen=True, slots=True)
class PtxModule:
    """A PTX module. `version` is (8, 7), `target` ("sm_90a",) with options behind the chip, `address_size` 32, 64 or
    None."""

    version: tuple[int, int]
    target: tuple[str, ...]
    address_size: int | None
    items: tuple[Item, ...]

    def functions(self) -> Iterator[PtxFunction]:
        """The functions and kernels, declarations included."""
        return (item for item in self.items if isinstance(item, PtxFunction))

    def function(self, name: str) -> PtxFunction | None:
        """The function or kernel of this name that has a body, or its declaration, or None."""
        found = [f for f in self.functions() if f.name == name]
        return next((f for f in found if f.body is not None), found[0] if found else None)


def registers_of(x: PtxInstruction) -> Iterator[str]:
    """The registers that an instruction names, its guard's included."""
    for operand in (*x.operands, *((x.guard.register,) if x.guard is not None else ())):
        yield from (leaf.name for leaf in leaves(operand) if isinstance(leaf, Register))


def leaves(x: Operand) -> Iterator[Operand]:
    """The operands within an operand that have none within themselves: registers, symbols, constants."""
    if isinstance(x, (VectorOperand, Arguments)):
        for i in x.items:
            yield from leaves(i)
    elif isinstance(x, AddressOperand):
        for i in (x.base, *(() if x.offset is None else (x.offset,)), *x.rest):
            yield from leaves(i)
    elif isinstance(x, Pair):
        yield from leaves(x.first)
        yield from leaves(x.second)
    elif isinstance(x, Binary):
        yield from leaves(x.left)
        yield from leaves(x.right)
    elif isinstance(x, Ternary):
        for i in (x.condition, x.then, x.other):
            yield from leaves(i)
    elif isinstance(x, (Not, Unary, Apply)):
        yield from leaves(x.operand)
    elif isinstance(x, Element):
        yield SymbolOperand(x.array)
        yield from leaves(x.index)
    else:
        yield x


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements in order, those of nested blocks included (the `PtxBlock` itself comes before them)."""
    for s in body:
        yield s
        if isinstance(s, PtxBlock):
            yield from statements(s.body)


def instructions(body: tuple[Statement, ...]) -> Iterator[PtxInstruction]:
    """All instructions in order, those of nested blocks included."""
    return (s for s in statements(body) if isinstance(s, PtxInstruction))
