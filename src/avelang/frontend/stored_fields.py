"""The fields of objects that a loop's body surely stores to, found in its text: the frontend then builds the body once,
with these fields carried, and not a second time when a trip has changed them. It matters for fields that hold objects
or literals; for others there are stand-ins (`stand_ins.py`). A field that is missed, or named for nothing, costs a
second build and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from avelang.frontend.frame import MISSING, Frame
from avelang.frontend.signature import parameters
from avelang.frontend.source import FunctionSource, Jitted
from avelang.frontend.structs import FieldCell, Object
from avelang.frontend.values import LocalFn

DEEPEST = 8  # calls within calls

Resolve = Callable[[str], Any]


def stored_fields(f: Frame, body: Iterable[ast.stmt]) -> list[FieldCell]:
    """The cells of objects that the statements store to, unless a condition keeps them from it."""
    found: dict[FieldCell, None] = {}
    _scan(f, body, lambda name: _named(f, name), found, 0)
    return list(found)


def _named(f: Frame | None, name: str) -> Any:
    """What a name stands for in a frame or around it."""
    source = f.source if f is not None else None
    while f is not None:
        held = f.env.get(name)
        if held is not MISSING:
            return held
        f = f.parent
    return _looked_up(source, name) if source is not None else None


def _looked_up(source: FunctionSource, name: str) -> Any:
    try:
        return source.lookup(name)
    except KeyError:
        return None


def _scan(f: Frame, body: Iterable[ast.stmt], resolve: Resolve, found: dict[FieldCell, None], depth: int) -> None:
    for n in _always(body):
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name):
            held = resolve(n.value.id)
            if isinstance(held, Object) and n.attr in held.cells:
                found[held.cells[n.attr]] = None
        elif isinstance(n, ast.Call) and depth < DEEPEST:
            _call(f, n, resolve, found, depth)


def _always(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes that are built whatever a condition says; not the bodies of functions that are only defined."""
    for n in body:
        if isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yield n
        inner = [n.test] if isinstance(n, (ast.If, ast.IfExp)) else ast.iter_child_nodes(n)
        yield from _always(inner)


def _call(f: Frame, node: ast.Call, resolve: Resolve, found: dict[FieldCell, None], depth: int) -> None:
    given: list[Any] = [resolve(a.id) if isinstance(a, ast.Name) else None for a in node.args]
    if isinstance(node.func, ast.Name):
        callee = resolve(node.func.id)
    elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        held = resolve(node.func.value.id)
        if not isinstance(held, Object):
            return
        callee = held
    else:
        return
    if isinstance(callee, Object):
        member = callee.cls.members.get(node.func.attr if isinstance(node.func, ast.Attribute) else "__call__")
        if member is None or member.kind != "method":
            return
        source, definition, given = member.source, member.source.tree, [callee, *given]
        around: Resolve = lambda name: _looked_up(source, name)  # noqa: E731
    elif isinstance(callee, Jitted):
        source, definition = callee.source, callee.source.tree
        around = lambda name: _looked_up(source, name)  # noqa: E731
    elif isinstance(callee, LocalFn):
        source, definition, home = callee.frame.source, callee.node, callee.frame
        around = lambda name: _named(home, name)  # noqa: E731
    else:
        return
    names = [a.arg for a in parameters(definition, source.span)]
    bound = dict(zip(names, given))  # noqa: B905 - what does not fit is refused later
    bound |= {k.arg: resolve(k.value.id) for k in node.keywords if k.arg and isinstance(k.value, ast.Name)}
    known = set(names)
    _scan(f, definition.body, lambda name: bound.get(name) if name in known else around(name), found, depth + 1)
