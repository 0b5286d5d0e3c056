"""Which names of a function hold register tensors that are changed in place: they get storage; all others stay SSA
vectors.

A name is changed where it is stored through by a subscript, or handed to `subview`, to an intrinsic that takes a place,
or to a function that stores into that parameter; names that are bound to one another, or to views of one another, share
the fate of the group. A field of a struct is changed where a build finds that it is: then the build begins again
(`frame.BuildFacts`), and what goes into that field is changed too."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from avelang.frontend.frame import BuildFacts
from avelang.frontend.liveness import walk
from avelang.frontend.names import Builtin, Intrinsic
from avelang.frontend.signature import defaults, parameters
from avelang.frontend.source import FunctionSource, Jitted
from avelang.frontend.structs import StructClass, StructMember
from avelang.ir.dtypes import DType


class _StorageSearch:
    """One function being looked at. `active`: the definitions around it; `nested`: functions that it may call by a
    local name."""

    def __init__(self, source: FunctionSource, node: ast.FunctionDef, active: tuple[ast.AST, ...],
                 nested: dict[str, ast.FunctionDef],
                 known: BuildFacts):  # fmt: skip
        self.source, self.active, self.node, self.known = source, (*active, node), node, known
        self.changed: set[str] = set()
        # Where a name is changed, these are too.
        self.implied: dict[str, set[str]] = {}
        self.nodes = walk(node)
        self.nested = {**nested, **{n.name: n for n in self.nodes if type(n) is ast.FunctionDef and n is not node}}
        self.local = {n.id for n in self.nodes if type(n) is ast.Name and type(n.ctx) is ast.Store}
        self.local |= {n.arg for n in self.nodes if type(n) is ast.arg}
        # A method knows the methods of its object.
        self.owner = known.owners.get(node)
        self.receiver = next((a.arg for a in parameters(node, source.span)), None)

    def run(self) -> set[str]:
        """Looks at every node, then follows what implies what."""
        for n in self.nodes:
            visit = _VISIT.get(type(n))
            if visit is not None:
                visit(self, n)
        todo = list(self.changed)
        while todo:
            for other in self.implied.get(todo.pop(), ()):
                if other not in self.changed:
                    self.changed.add(other)
                    todo.append(other)
        return self.changed

    def resolve(self, func: ast.expr) -> Any:
        """What a call calls, as far as it can be told without building: a definition, an object, or None."""
        if isinstance(func, ast.Name):
            if func.id in self.nested:
                return self.nested[func.id]
            try:
                return None if func.id in self.local else self.source.lookup(func.id)
            except KeyError:
                return None
        if isinstance(func, ast.Attribute):
            if self.owner is not None and isinstance(func.value, ast.Name) and func.value.id == self.receiver:
                member = self.owner.members.get(func.attr)
                return member if member is not None and member.kind == "method" else None
            return getattr(self.resolve(func.value), func.attr, None)
        return None

    def roots(self, e: ast.expr) -> set[str]:
        """Names whose storage the value of an expression may share."""
        if isinstance(e, ast.Name):
            return {e.id}
        if isinstance(e, (ast.Subscript, ast.Starred)):
            return self.roots(e.value)
        if isinstance(e, ast.IfExp):
            return self.roots(e.body) | self.roots(e.orelse)
        if isinstance(e, (ast.Tuple, ast.List)):
            return set().union(*map(self.roots, e.elts))
        if isinstance(e, ast.Call):
            callee = self.resolve(e.func)
            if isinstance(callee, Builtin):
                return self.roots(e.args[0]) if callee.name in ("view", "subview") and e.args else set()
            if isinstance(callee, (Intrinsic, DType)):
                return set()
            return set().union(*map(self.roots, (*e.args, *(k.value for k in e.keywords))))
        return set()

    def change(self, e: ast.expr) -> None:
        self.changed |= self.roots(e)

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Attribute) and any(name == target.attr for _, name in self.known.stored):
            self.change(value)
        if isinstance(target, (ast.Tuple, ast.List)):
            paired = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
            values = value.elts if paired else [value] * len(target.elts)  # type: ignore[attr-defined]
            for t, v in zip(target.elts, values, strict=True):
                self.bind(t, v)
        elif isinstance(target, ast.Name):
            # What a subscript reads is a copy, except of an item of a tuple: then a change of it is a change of the
            # item.
            copied = isinstance(value, ast.Subscript)
            for root in self.roots(value):
                self.implied.setdefault(target.id, set()).add(root)
                if not copied:
                    self.implied.setdefault(root, set()).add(target.id)

    def assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.bind(target, node.value)
            self.bind(target, node.targets[0])

    def annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, node.value)

    def loop(self, node: ast.For) -> None:
        self.bind(node.target, node.iter)

    def subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store):
            self.change(node.value)

    def defaults(self, node: ast.FunctionDef | ast.Lambda) -> None:
        """The parameters of a nested function may be what their defaults are."""
        for arg, value in defaults(node.args) if node is not self.node else ():
            self.bind(ast.Name(arg.arg), value)

    def call(self, node: ast.Call) -> None:
        callee = self.resolve(node.func)
        if isinstance(callee, Builtin):
            if callee.name == "subview" and node.args:
                self.change(node.args[0])
        elif isinstance(callee, Intrinsic):
            # Where an instruction takes a place in memory, a copy is of no use.
            for param, arg in zip(callee.row.params, node.args):  # noqa: B905 - what does not fit is refused later
                if param.type == "tensor":
                    self.change(arg)
        elif isinstance(callee, StructClass):
            self.fields(node, callee)
        elif callee is None and isinstance(node.func, ast.Attribute) and node not in self.known.storing:
            # A method, as far as can be told. Most store into none of their arguments; where one does, the build finds
            # out.
            self.known.open.add(node)
        elif isinstance(callee, (ast.FunctionDef, Jitted, StructMember)) or callee is None:
            self.arguments(node, callee)

    def fields(self, node: ast.Call, callee: StructClass) -> None:
        """Marks what goes into fields that are changed in place."""
        placed = zip(callee.fields, node.args, strict=False)  # a wrong count is refused later
        given = [*placed, *((k.arg, k.value) for k in node.keywords)]
        for name, arg in given:
            if (callee, name) in self.known.stored:
                self.change(arg)

    def arguments(self, node: ast.Call, callee: Any) -> None:
        """Marks the arguments that a device function stores into; all of them where the function cannot be told."""
        definition = callee.source.tree if isinstance(callee, (Jitted, StructMember)) else callee
        if definition is not None and definition not in self.active:
            home = callee.source if isinstance(callee, (Jitted, StructMember)) else self.source
            if isinstance(callee, StructMember):
                self.known.owners[definition] = self.owner
            changed = changed_names(home, definition, self.known, self.active,
                                    self.nested if home is self.source else {})
            names = [a.arg for a in parameters(definition, home.span)][isinstance(callee, StructMember) :]
        else:
            changed, names = None, []
        for i, arg in enumerate(node.args):
            if changed is None or (i < len(names) and names[i] in changed):
                self.change(arg)
        for keyword in node.keywords:
            if changed is None or keyword.arg in changed:
                self.change(keyword.value)


_VISIT: dict[type[ast.AST], Callable[[_StorageSearch, Any], None]] = {
    ast.Assign: _StorageSearch.assign,
    ast.AnnAssign: _StorageSearch.annotated,
    ast.For: _StorageSearch.loop,
    ast.Subscript: _StorageSearch.subscript,
    ast.Call: _StorageSearch.call,
    ast.FunctionDef: _StorageSearch.defaults,
    ast.Lambda: _StorageSearch.defaults,
}


def changed_names(source: FunctionSource, node: ast.FunctionDef, known: BuildFacts, active: tuple[ast.AST, ...] = (),
                  nested: dict[str, ast.FunctionDef] | None = None) -> set[str]:  # fmt: skip
    """The names of a function whose register tensors need storage. `known`: what was found before, in the same
    build."""
    if node not in known.changed:
        known.changed[node] = _StorageSearch(source, node, active, nested or {}, known).run()
    return known.changed[node]
