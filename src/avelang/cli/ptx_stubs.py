"""Stubs of `ptx.inst`, of Ave and of pyptx: the table of the instruction set comes in, a class for each beginning of a
name goes out, so that editors complete names and checkers know their operands.

A name is read word by word. What may follow is a state: the forms that are still possible, how far each was read, and
the words on which operands depend. States after which the same may stand are one class. Words in another order than
the manual's, which the table takes too, lead to a class of the opcode that knows all its words and any operands. A word
that begins with a digit is spelled with an underscore before it; `__getattr__` has those, since checkers take a
declared name of that kind for a private one."""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Iterable

from avelang.nvptx.forms import Form, OperandSpec
from avelang.nvptx.readings import FORMS
from avelang.nvptx.special_registers import SPECIAL

AVE = "src/avelang/ptx/instruction_names.pyi"
PYPTX = "distributions/pyptx/src/pyptx/ptx/inst.pyi"
HEADS = {
    AVE: '''"""Made by `./dev stubs` from the table of the instruction set."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, overload

from avelang.nvptx import nodes as n

class Node(Protocol):
    """A value that makes its own operand: a register, an address, a variable, an argument."""

    def node(self) -> n.Operand: ...

Operand: TypeAlias = Node | SupportsIndex | float | str | list[Any] | tuple[Any, Any] | None
Place: TypeAlias = Node | Sequence[Any] | None

class InstructionBuilder:
    """A name under way: attributes lengthen it, a call adds the instruction."""

    def __init__(self, parts: tuple[str, ...] = ...) -> None: ...
    def __getattr__(self, name: str) -> InstructionBuilder: ...
    def __getitem__(self, name: str) -> InstructionBuilder: ...
    def __call__(self, *operands: Operand, pred: Any = None) -> None: ...
''',
    PYPTX: '''"""Made by `./dev stubs` from the table of the instruction set."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypeAlias, overload

from avelang.nvptx import nodes as n

class Node(Protocol):
    """A value that makes its own operand: a register, an address, a variable, an argument."""

    def node(self) -> n.Operand: ...

Operand: TypeAlias = Node | SupportsIndex | SupportsFloat | str | list[Any] | tuple[Any, ...] | None
Place: TypeAlias = Node | Sequence[Any] | None

class InstructionName:
    """A name under way: attributes lengthen it, a call adds the instruction."""

    def __init__(self, parts: tuple[str, ...] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...
''',
}
ROOTS = {AVE: ("InstructionBuilder", "None"), PYPTX: ("InstructionName", "Any")}
# Of an operand, by its role in the table (`nvptx.forms`): its type and its name.
ROLES = {"d": ("Place", "d"), "m": ("Node", "address"), "t": ("Node", "tensor"), "p": ("Node", "p")}

Item = tuple[int, int, frozenset[str]]  # which form, how many of its slots were read, words that operands ask for
Rest = dict[tuple[str, ...], set[Item]]  # behind so many further words
Class = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]  # signatures, and of each word the class behind it


def spelled(word: str) -> str:
    """A word of a name in Python: `ptx.inst_names.part` undone."""
    word = word.replace("::", "__")
    return f"_{word}" if word[0].isdigit() else f"{word}_" if keyword.iskeyword(word) else word


def _words(choice: str) -> tuple[str, ...]:
    return tuple(choice.split("."))


def _order(item: Item) -> tuple[int, int, list[str]]:
    return item[0], item[1], sorted(item[2])


class _Opcode:
    """The classes of one opcode, numbered; the last one is that of the opcode itself."""

    def __init__(self, name: str, forms: list[Form]):
        self.name, self.forms = name, forms
        self.asked = [{w for o in f.operands for w in (o.when, o.unless) if w} for f in forms]
        self.classes: dict[Class, int] = {}
        self.numbers: dict[frozenset[Item], int] = {}
        self.root = self.number(self._closed((i, 0, frozenset()) for i in range(len(forms))))

    def _closed(self, items: Iterable[Item]) -> frozenset[Item]:
        """These, and what follows where slots that may be left out are."""
        found: set[Item] = set()
        left = list(items)
        while left:
            form, at, seen = item = left.pop()
            slots = self.forms[form].slots
            if item not in found and at < len(slots) and slots[at].optional:
                left.append((form, at + 1, seen))
            found.add(item)
        return frozenset(found)

    def number(self, items: frozenset[Item]) -> int:
        """The class of a state."""
        if items not in self.numbers:
            self.numbers[items] = self._made(items, {})
        return self.numbers[items]

    def _made(self, items: frozenset[Item], rest: Rest) -> int:
        """The class of a state. `rest`: what stands further behind words of choices that are under way."""
        following = {words: set(found) for words, found in rest.items()}
        for form, at, seen in sorted(items, key=_order):
            if at < len(self.forms[form].slots):
                slot = self.forms[form].slots[at]
                for choice in slot.choices:
                    now = seen | ({choice, slot.name} & self.asked[form])
                    following.setdefault(_words(choice), set()).add((form, at + 1, now))
        first: dict[str, Rest] = {}
        for words, found in following.items():
            first.setdefault(words[0], {})[words[1:]] = found
        edges: list[tuple[str, int]] = []
        for word, behind in first.items():
            here = self._closed(behind.pop((), ()))
            edges.append((word, self._made(here, behind) if behind else self.number(here)))
        ends = {i for i in items if i[1] == len(self.forms[i[0]].slots)}
        made = self._signatures(ends), tuple(sorted(edges))
        return self.classes.setdefault(made, len(self.classes))

    def _signatures(self, ends: set[Item]) -> tuple[str, ...]:
        """What a call takes, a line for each number of operands."""
        found: dict[int, list[list[OperandSpec]]] = {}
        for form, _, seen in sorted(ends, key=_order):
            said = dict.fromkeys(seen, "yes")
            specs = self.forms[form].present(said)
            for count in range(len([s for s in specs if not s.optional]), len(specs) + 1):
                found.setdefault(count, []).append(specs[:count])
        return tuple(", ".join(_parameters(found[count])) for count in sorted(found))


def _parameters(several: list[list[OperandSpec]]) -> list[str]:
    """The parameters of forms with one number of operands."""
    out, used = [], set[str]()
    for position in zip(*several, strict=True):
        kinds = {ROLES.get(s.role, ("Operand", "")) for s in position}
        if any(s.role in "mt" and s.optional for s in position) or len(kinds) > 1:
            kinds = {("Operand", "")}
        ((kind, name),) = kinds
        if not name or name in used:
            name = next(x for x in "abcefghijklmnoqrstuvwxyz" if x not in used)
        used.add(name)
        out.append(f"{name}: {kind}")
    return [*out, "/"] if out else []


def _literal(words: Iterable[str]) -> str:
    """`Literal[...]` of words, wrapped."""
    said = textwrap.fill(", ".join(f'"{spelled(w)}"' for w in words), 112)
    return f"Literal[{said}]" if "\n" not in said else "Literal[\n" + textwrap.indent(said, "    ") + "\n]"


def _class(name: str, opcode: str, of: Class, result: str) -> list[str]:
    signatures, edges = of
    lines = [f"class {name}(_{opcode}):"]
    digits: dict[int, list[str]] = {}
    for word, number in edges:
        if word[0].isdigit():
            digits.setdefault(number, []).append(word)
        else:
            lines.append(f"    {spelled(word)}: _{opcode}_{number}")
    for number, words in sorted(digits.items()):
        said = _literal(sorted(words))
        lines.append(f"    @overload\n    def __getattr__(self, name: {said}, /) -> _{opcode}_{number}: ...")
    if digits:
        lines.append(f"    @overload\n    def __getattr__(self, name: _{opcode}_word, /) -> _{opcode}_any: ...")
    for given in signatures:
        both = f"self, {given}, *" if given else "self, *"
        if len(both) > 48:
            both = textwrap.fill(both, 120, initial_indent="\n        ", subsequent_indent="        ")
        mark = "    @overload\n" if len(signatures) > 1 else ""
        lines.append(f"{mark}    def __call__({both}, pred: Any = None) -> {result}: ...")
    return lines if len(lines) > 1 else [f"{lines[0]} ..."]


def instruction_names(path: str) -> str:
    """The stub of `ptx.inst`: of Ave's, or of pyptx's."""
    base, result = ROOTS[path]
    lines, roots = [HEADS[path]], []
    for opcode, forms in sorted(FORMS.items()):
        made = _Opcode(opcode, forms)
        words = sorted({w for f in forms for s in f.slots for c in s.choices for w in _words(c)})
        lines.append(f"class _{opcode}:")
        if words:
            lines[-1:] = [f"_{opcode}_word: TypeAlias = {_literal(words)}\n", lines[-1]]
        syntax = "\n    ".join(dict.fromkeys(f.syntax for f in forms))
        lines.append(f'    """{forms[0].entry.source}\n\n    {syntax}\n    """\n')
        if words:
            lines.append(f"    def __getattr__(self, name: _{opcode}_word, /) -> _{opcode}_any: ...")
        lines.append(f"    def __getitem__(self, name: str, /) -> {base}: ...\n")
        if words:
            lines += [f"class _{opcode}_any(_{opcode}):",
                      f"    def __call__(self, *operands: Operand, pred: Any = None) -> {result}: ...\n"]  # fmt: skip
        for of, number in made.classes.items():
            lines += [*_class(f"_{opcode}_{number}", opcode, of, result), ""]
        roots.append(f"    {spelled(opcode)}: _{opcode}_{made.root}")
    lines += ["class Instructions:", '    """All instructions, by the words of their names."""\n', *roots]
    lines += [f"    def __getitem__(self, name: str, /) -> {base}: ...\n", "inst: Instructions"]
    return "\n".join(lines) + "\n"


SPECIALS = {
    "src/avelang/ptx/special_registers.pyi": '''"""Made by `./dev stubs` from the table of the special registers."""

from avelang.nvptx import nodes as n
from avelang.ptx.registers import Reg, ScalarOperand
from avelang.ptx.types import Type

AXES: tuple[str, ...]

class SpecialReg(ScalarOperand):
    """A special register as an operand; in an operator it is read first, by one `mov`."""

    name: str
    component: str
    type: Type
    def __init__(self, name: str, component: str = ...) -> None: ...
    def node(self) -> n.Operand: ...
    def value(self) -> Reg: ...

class _Axes:
    """A special register of several components."""

    def x(self) -> SpecialReg: ...
    def y(self) -> SpecialReg: ...
    def z(self) -> SpecialReg: ...
    def w(self) -> SpecialReg: ...

class Specials:
    """All special registers, as attributes."""

@NAMES@
special: Specials
''',
    "distributions/pyptx/src/pyptx/ptx/special.pyi": '''"""Made by `./dev stubs` from the special registers' table."""

from pyptx._registers import Reg

def sreg(name: str) -> Reg:
    """A special register by its name with the %: "%clusterid.x", "%cluster_ctarank"."""

class Axes:
    """A special register of several components: x(), y(), z()."""

    def __init__(self, name: str) -> None: ...
    def x(self) -> Reg: ...
    def y(self) -> Reg: ...
    def z(self) -> Reg: ...

@NAMES@
def ctaid_x() -> Reg: ...
def ctaid_y() -> Reg: ...
''',
}


def special_registers(path: str) -> str:
    """The stub of `ptx.special`: of Ave's, or of pyptx's, where it is a module."""
    ours = path.startswith("src/")
    names = []
    for name, register in SPECIAL.items():
        if register.vector:
            names.append(f"    {name[1:]}: _Axes" if ours else f"{name[1:]}: Axes")
        else:
            names.append(f"    def {name[1:]}(self) -> SpecialReg: ..." if ours else f"def {name[1:]}() -> Reg: ...")
    return SPECIALS[path].replace("@NAMES@", "\n".join(names) + "\n")


def ptx_stubs() -> dict[str, str]:
    """The stubs of the instruction level, by their path in the repository."""
    return {p: instruction_names(p) for p in HEADS} | {p: special_registers(p) for p in SPECIALS}
