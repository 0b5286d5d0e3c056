"""Nodes of PTX come in; the Python expressions of `avelang.ptx` go out that make the same nodes. For `to_python`.

Expressions hold `BREAK` where a long line may be broken; `fill` breaks it or takes the marks out.
"""

from __future__ import annotations

import builtins
import dataclasses
import keyword
import re
import struct
from collections.abc import Sequence

from avelang.nvptx import nodes as n
from avelang.nvptx import printer
from avelang.nvptx.lint import Scope
from avelang.nvptx.special_registers import SPECIAL
from avelang.ptx import types
from avelang.ptx.inst import part
from avelang.ptx.operand_nodes import float_bits
from avelang.ptx.registers import COMPONENTS
from avelang.ptx.special_registers import AXES

BREAK = "\x00"
WIDTH = 140
_COMMA = f", {BREAK}"
RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *types.BY_PTX, "ptx", "reg", "module"})


def quoted(text: object) -> str:
    """A value as Python writes it: text in double quotes, where that needs no backslash."""
    if isinstance(text, tuple):
        return f"({', '.join(map(quoted, text))}{',' * (len(text) == 1)})"
    out = repr(text)
    return out if '"' in out or "\\'" in out else out.replace("'", '"')


class Unspellable(Exception):
    """No Python expression makes this node."""


# -- names -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class PythonNames:
    """The Python names of PTX's names in a module, a function, or braces. `registers`: name -> (variable, index in the
    list that it is, or None; whether it is a vector). `types` is what `nvptx.check` asks."""

    outer: PythonNames | None = None
    registers: dict[str, tuple[str, int | None, bool]] = dataclasses.field(default_factory=dict)
    symbols: dict[str, str] = dataclasses.field(default_factory=dict)
    taken: set[str] = dataclasses.field(default_factory=set)
    types: Scope = dataclasses.field(default_factory=Scope)

    def inner(self) -> PythonNames:
        """The names within a function or within braces."""
        return PythonNames(self, types=Scope(self.types))

    def _is_taken(self, name: str) -> bool:
        return name in self.taken or (self.outer is not None and self.outer._is_taken(name))

    def take(self, name: str) -> str:
        """A variable of Python for a name of PTX, one that nothing visible here has."""
        base = re.sub(r"\W", "_", name.lstrip("%"), flags=re.ASCII)
        base = base if base.isidentifier() else f"_{base}"
        out, number = base, 2
        while out in RESERVED or self._is_taken(out):
            out = f"{base}_{number}"
            number += 1
        self.taken.add(out)
        return out

    def symbol(self, name: str, shown: str = "") -> str:
        """Takes a variable of Python for a variable, a parameter or a function of PTX; one of the same name gets the
        same."""
        if name not in self.symbols:
            self.symbols[name] = self.take(shown or name)
        return self.symbols[name]

    def declare(self, x: n.RegisterDecl) -> list[str]:
        """The variables of Python for a declaration."""
        out = []
        for declared in x.names:
            variable = self.take(declared.name)
            out.append(variable)
            for i, name in enumerate(declared.names()):
                self.registers[name] = variable, None if declared.count is None else i, bool(x.vector)
        self.types.declare(x)
        return out

    def register(self, name: str) -> tuple[str, int | None, bool] | None:
        """The variable, index and kind of a register; None for one that is declared nowhere."""
        found = self.registers.get(name)
        return found if found is not None or self.outer is None else self.outer.register(name)

    def named(self, symbol: str) -> str:
        """The variable for a symbol, or its name as text."""
        if symbol in self.symbols:
            return self.symbols[symbol]
        return self.outer.named(symbol) if self.outer is not None else quoted(symbol)


# -- operands ----------------------------------------------------------------------------------------------------------


def operand(x: n.Operand, names: PythonNames, parts: tuple[str, ...] = ()) -> str:
    """The expression for an operand of an instruction of these parts."""
    spell = _OPERANDS.get(type(x))
    found = spell(x, names, parts) if spell is not None else None
    return found if found is not None else as_text(x)


def as_text(x: n.Operand) -> str:
    """The expression for an operand that has no other: its text."""
    return f"ptx.operand({quoted(printer.operand(x))})"


def _register(x: n.Register, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    found = names.register(x.name)
    if found is None:
        return None
    variable, index, vector = found
    if x.component and not (vector and x.component in COMPONENTS):
        return None
    at = "" if index is None else f"[{index}]"
    return f"{variable}{at}{'.' * bool(x.component)}{x.component}"


def _special(x: n.SpecialOperand, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    if (x.component in AXES) != SPECIAL[x.name].vector or (x.component and x.component not in AXES):
        return None
    return f"ptx.special.{x.name[1:]}{'.' * bool(x.component)}{x.component}()"


def _plain(x: n.Operand | None) -> bool:
    """Whether it is an integer as Python's are written."""
    return isinstance(x, n.Int) and x == n.Int(x.value)


def _int(x: n.Int, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    return str(x.value) if _plain(x) else None


def _float(x: n.Float, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    width = 64 if "f64" in parts else 32
    if x != n.Float(x.bits, width):
        return None
    (value,) = struct.unpack(">d" if width == 64 else ">f", x.bits.to_bytes(width // 8, "big"))
    if value != value or value in (float("inf"), float("-inf")):
        return None
    for digits in range(6, 18):
        text = repr(float(f"{value:.{digits}g}"))
        if float_bits(float(text), width) == x.bits:
            return text
    return None


def _vector(x: n.VectorOperand, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    """A list; of consecutive registers a slice."""
    runs: list[tuple[str, int, int]] = []  # variable, first, behind the last; or expression, -1
    for item in x.items:
        found = names.register(item.name) if isinstance(item, n.Register) and not item.component else None
        if found is None or found[1] is None:
            runs.append((operand(item, names, parts), -1, -1))
        elif runs and runs[-1][0] == found[0] and runs[-1][2] == found[1]:
            runs[-1] = found[0], runs[-1][1], found[1] + 1
        else:
            runs.append((found[0], found[1], found[1] + 1))
    if len(runs) == 1 and runs[0][2] - runs[0][1] > 1:
        return "{}[{}:{}]".format(*runs[0])
    out: list[str] = []
    for name, first, end in runs:
        if first < 0:
            out.append(name)
        else:
            out += [f"*{name}[{first}:{end}]"] if end - first > 2 else [f"{name}[{i}]" for i in range(first, end)]
    return f"[{_COMMA.join(out)}]"


def _address(x: n.AddressOperand, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    rest = x.rest
    if not isinstance(x.base, (n.Register, n.SymbolOperand)) or not (
        not rest or (len(rest) == 1 and isinstance(rest[0], n.VectorOperand) and rest[0].items)
    ):
        return None
    base = operand(x.base, names, parts)
    if isinstance(x.base, n.Register) and names.types.type(x.base.name) not in _ADDRESSES:
        return None
    args = [base]
    if x.offset is not None:
        args.append(
            operand(x.offset, names) if _plain(x.offset) and x.offset != n.Int(0) else quoted(printer.operand(x.offset))
        )
    if rest:
        args.append(f"coords={_vector(rest[0], names, ())}")  # type: ignore[arg-type]
    return f"ptx.addr({_COMMA.join(args)})"


_ADDRESSES = frozenset(f"{kind}{bits}" for kind in "bus" for bits in (32, 64))


def _binary(x: n.Binary, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    """A place in a variable."""
    if x.op != "+" or not isinstance(x.left, n.SymbolOperand) or not _plain(x.right) or x.right == n.Int(0):
        return None
    name = names.named(x.left.name)
    return f"{name} + {printer.operand(x.right)}" if name[0] not in "'\"" else None


def _pair(x: n.Pair, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    return f"({operand(x.first, names, parts)}, {operand(x.second, names, parts)})"


def _not(x: n.Not, names: PythonNames, parts: tuple[str, ...]) -> str | None:
    known = isinstance(x.operand, n.Register) and not x.operand.component and names.types.type(x.operand.name) == "pred"
    return f"ptx.not_({operand(x.operand, names)})" if known else None


_OPERANDS = {
    n.Register: _register, n.SpecialOperand: _special, n.Int: _int, n.Float: _float, n.VectorOperand: _vector,
    n.AddressOperand: _address,
    n.Binary: _binary,
    n.Pair: _pair, n.Not: _not, n.SymbolOperand: lambda x, names, parts: names.named(x.name), n.Sink: lambda x, names,
    parts: "None",
}  # fmt: skip


# -- instructions ------------------------------------------------------------------------------------------------------


def opcode(parts: tuple[str, ...]) -> str:
    """`ptx.inst.ld.global_.b32` of ld.global.b32."""
    words = []
    for word in parts:
        name = word.replace("::", "__")
        name = f"_{name}" if name[:1].isdigit() else f"{name}_" if keyword.iskeyword(name) else name
        if not name.isidentifier() or part(name) != word or name.startswith("__"):
            return f"ptx.inst[{quoted('.'.join(parts))}]"
        words.append(name)
    return f"ptx.inst.{'.'.join(words)}"


def _guard(x: n.Guard, names: PythonNames) -> str:
    if x.register.component or names.types.type(x.register.name) != "pred":
        raise Unspellable(f"`{x.register.name}` is no predicate")
    name = operand(x.register, names)
    return f"pred=ptx.not_({name})" if x.negated else f"pred={name}"


def instruction(x: n.PtxInstruction, names: PythonNames) -> str:
    """The call that adds an instruction. Raises Unspellable."""
    guard = [_guard(x.guard, names)] if x.guard is not None else []
    if x.opcode == "call":
        return _call(x, names, guard)
    if any(isinstance(o, n.Arguments) for o in x.operands):
        raise Unspellable("a list in parentheses outside of a call")
    args = [operand(o, names, x.parts) for o in x.operands]
    return f"{opcode(x.parts)}({_COMMA.join(args + guard)})"


def _call(x: n.PtxInstruction, names: PythonNames, guard: list[str]) -> str:
    rest = list(x.operands)

    def listed() -> list[str] | None:
        if not rest or not isinstance(rest[0], n.Arguments):
            return None
        return [operand(i, names) for i in rest.pop(0).items]  # type: ignore[union-attr]

    returns = listed()
    function = operand(rest.pop(0), names) if rest else ""
    arguments = listed()
    if (
        not function
        or x.parts[1:] not in ((), ("uni",))
        or len(rest) > 1
        or (rest and not isinstance(rest[0], n.SymbolOperand))
    ):
        raise Unspellable("no call of a function with arguments and a prototype")
    args = [function]
    if arguments is not None:
        args.append(f"[{_COMMA.join(arguments)}]")
    if returns is not None:
        args.append(f"returns=[{_COMMA.join(returns)}]")
    if rest:
        args.append(f"prototype={quoted(printer.operand(rest[0]))}")
    return f"ptx.call({_COMMA.join(args + ['uniform=True'] * (len(x.parts) > 1) + guard)})"


# -- lines -------------------------------------------------------------------------------------------------------------


def fill(text: str, indent: str) -> list[str]:
    """The lines of a statement: one, or where that is too long several, broken at marks."""
    whole = text.replace(BREAK, "")
    if len(indent) + len(whole) <= WIDTH or BREAK not in text:
        return [indent + whole]
    out, line = [], indent
    for piece in text.split(BREAK):
        if len(line) + len(piece.rstrip()) > WIDTH and line.strip():
            out.append(line.rstrip())
            line = f"{indent}    "
        line += piece
    return [*out, line.rstrip()]


def call(head: str, args: Sequence[str]) -> str:
    """A call, which may be broken behind each argument."""
    return f"{head}({_COMMA.join(a for a in args if a)})"
