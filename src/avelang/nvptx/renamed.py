"""Registers and labels under other names: statements of PTX with their names replaced, and two modules compared up to
such names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from avelang.nvptx import nodes as n

_DEBUG_ITEMS = (n.File, n.Section, n.Loc)


def with_names(x: Any, registers: Mapping[str, str], labels: Mapping[str, str]) -> Any:
    """A statement, an operand, or a tuple of them, with registers and labels renamed; names that braces declare anew
    are left alone within them."""
    if isinstance(x, tuple):
        return tuple(with_names(i, registers, labels) for i in x)
    if isinstance(x, n.Register):
        return dataclasses.replace(x, name=registers[x.name]) if x.name in registers else x
    if isinstance(x, (n.SymbolOperand, n.LabelMark)):
        return dataclasses.replace(x, name=labels[x.name]) if x.name in labels else x
    if isinstance(x, n.Targets):
        return dataclasses.replace(x, names=tuple(labels.get(i, i) for i in x.names))
    if isinstance(x, n.PtxBlock):
        own = set(declared(x.body))
        placed = {s.name for s in x.body if isinstance(s, n.LabelMark)}
        inner = {k: v for k, v in registers.items() if k not in own}
        body = with_names(x.body, inner, {k: v for k, v in labels.items() if k not in placed})
        return dataclasses.replace(x, body=body)
    if dataclasses.is_dataclass(x) and not isinstance(x, (n.RegisterDecl, n.PtxVariable, n.Prototype, type)):
        changes = {}
        for field in dataclasses.fields(x):
            value = getattr(x, field.name)
            if isinstance(value, tuple) or dataclasses.is_dataclass(value):
                changes[field.name] = with_names(value, registers, labels)
        return dataclasses.replace(x, **changes) if changes else x
    return x


def declared(body: tuple[n.Statement, ...]) -> dict[str, str]:
    """The registers that a body declares, those of braces within it left out, with their types (".v2.f32" for
    vectors)."""
    return {
        name: f"{s.vector}.{s.type}" if s.vector else s.type
        for s in body
        if isinstance(s, n.RegisterDecl)
        for each in s.names
        for name in each.names()
    }


# -- comparison --------------------------------------------------------------------------------------------------------


def difference(a: n.PtxModule, b: n.PtxModule) -> tuple[str, str] | None:
    """The first difference of two modules, as the name of its function ("" outside of functions) and a text; None
    where they are the same up to the names of registers and labels.

    Names correspond one to one, and registers that correspond have one type. What only a debugger reads does not count
    (`.file`, `.loc`, `.section`, labels that nothing of the code names, the option `debug`), nor how registers are
    grouped in declarations and which are declared and not used."""
    heads = [(m.version, tuple(t for t in m.target if t != "debug"), m.address_size) for m in (a, b)]
    if heads[0] != heads[1]:
        return "", f"{heads[0]} and {heads[1]}"
    left, right = ([i for i in m.items if not isinstance(i, _DEBUG_ITEMS)] for m in (a, b))
    if len(left) != len(right):
        return "", f"{len(left)} and {len(right)} items"
    for x, y in zip(left, right, strict=True):
        name = x.name if isinstance(x, n.PtxFunction) else ""
        if isinstance(x, n.PtxFunction) and isinstance(y, n.PtxFunction):
            if dataclasses.replace(x, body=None) != dataclasses.replace(y, body=None) or (x.body is None) != (
                y.body is None
            ):
                return name, "the head"
            found = _Bodies().compare(x, y)
            if found:
                return name, found
        elif x != y:
            return name, f"{x} and {y}"
    return None


def named_labels(body: tuple[n.Statement, ...]) -> set[str]:
    """The names that instructions and lists of targets mention, labels among them."""
    out: set[str] = set()
    for s in n.statements(body):
        if isinstance(s, n.Targets):
            out.update(s.names)
        elif isinstance(s, n.PtxInstruction):
            out.update(x.name for o in s.operands for x in n.leaves(o) if isinstance(x, n.SymbolOperand))
        elif isinstance(s, n.PtxVariable) and s.init is not None:
            out.update(_symbols(s.init))
    return out


def _symbols(x: Any) -> Iterator[str]:
    if isinstance(x, n.SymbolOperand):
        yield x.name
    elif isinstance(x, tuple):
        for i in x:
            yield from _symbols(i)
    elif dataclasses.is_dataclass(x):
        for field in dataclasses.fields(x):
            yield from _symbols(getattr(x, field.name))


class _Scope:
    """What a pair of bodies declares: the types of registers, and the labels."""

    def __init__(self, types: dict[str, str], labels: set[str], outer: _Scope | None):
        self.types, self.labels, self.outer = types, labels, outer
        self.partner: dict[str, str] = {}


class _Bodies:
    """A comparison of two functions."""

    def compare(self, x: n.PtxFunction, y: n.PtxFunction) -> str:
        """The first difference, "" where there is none."""
        self.scopes: tuple[list[_Scope], list[_Scope]] = ([], [])
        self.used = named_labels(x.body or ()), named_labels(y.body or ())
        return self.bodies(x.body or (), y.body or ())

    def bodies(self, a: tuple[n.Statement, ...], b: tuple[n.Statement, ...]) -> str:
        kept = []
        for side, body in enumerate((a, b)):
            labels = {s.name for s in body if isinstance(s, n.LabelMark)}
            self.scopes[side].append(_Scope(declared(body), labels, None))
            kept.append([s for s in body if not isinstance(s, (n.Loc, n.RegisterDecl))
                         and not (isinstance(s, n.LabelMark) and s.name not in self.used[side])])  # fmt: skip
        out = "" if len(kept[0]) == len(kept[1]) else f"{len(kept[0])} and {len(kept[1])} statements"
        for x, y in zip(*kept, strict=False):
            if isinstance(x, n.PtxBlock) and isinstance(y, n.PtxBlock):
                why = self.bodies(x.body, y.body)
            else:
                why = "" if self.same(x, y) else f"{x} and {y}"
            if why:
                out = why
                break
        for side in self.scopes:
            side.pop()
        return out

    def same(self, x: Any, y: Any) -> bool:
        if type(x) is not type(y):
            return False
        if isinstance(x, n.Register):
            return x.component == y.component and self.pair(x.name, y.name, "types")
        if isinstance(x, (n.SymbolOperand, n.LabelMark)):
            return self.pair(x.name, y.name, "labels")
        if isinstance(x, n.Targets):
            return (x.label, x.kind, len(x.names)) == (y.label, y.kind, len(y.names)) and all(
                self.pair(i, j, "labels") for i, j in zip(x.names, y.names, strict=True)
            )
        if isinstance(x, tuple):
            return len(x) == len(y) and all(map(self.same, x, y))
        if dataclasses.is_dataclass(x) and not isinstance(x, (n.PtxVariable, n.Prototype)):
            return all(self.same(getattr(x, f.name), getattr(y, f.name)) for f in dataclasses.fields(x) if f.compare)
        return bool(x == y)

    def pair(self, a: str, b: str, kind: str) -> bool:
        """True where the names may stand for each other, and from now on they do."""
        found = [next((s for s in reversed(side) if name in getattr(s, kind)), None)
                 for side, name in zip(self.scopes, (a, b), strict=True)]  # fmt: skip
        x, y = found
        if x is None or y is None:
            return x is y and a == b
        if self.scopes[0].index(x) != self.scopes[1].index(y):
            return False
        if kind == "types" and x.types[a] != y.types[b]:
            return False
        mark = f"{kind}:"
        return x.partner.setdefault(mark + a, b) == b and y.partner.setdefault(mark + b, a) == a


__all__ = ["declared", "difference", "named_labels", "with_names"]
