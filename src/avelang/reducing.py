"""Makes a program smaller: a text and a test come in, the smallest text found that the test still holds of goes out
(delta debugging on the tree). `ave reduce` and the fuzzer use it."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

Test = Callable[[str], bool]
BODIES = ("body", "orelse")
OPAQUE = (ast.Tuple, ast.Slice)


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int]]:
    """Every statement, as (parent, field, index), the last ones first."""
    found = []
    for node in ast.walk(tree):
        for field in BODIES:
            body = getattr(node, field, None)
            if isinstance(body, list):
                found += [(node, field, i) for i in range(len(body))]
    return reversed(found)


def _fill(tree: ast.Module) -> ast.Module:
    """`pass` where nothing is left."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.For, ast.While, ast.FunctionDef, ast.ClassDef)) and not node.body:
            node.body.append(ast.Pass())
    return tree


def _without(tree: ast.Module, number: int, count: int) -> ast.Module | None:
    """A copy without `count` neighboring statements."""
    again = copy.deepcopy(tree)
    places = list(_places(again))
    if number >= len(places):
        return None
    parent, field, i = places[number]
    body = getattr(parent, field)
    if count > 1 and i + 1 < count:
        return None
    del body[max(0, i + 1 - count) : i + 1]
    return _fill(again)


def _opened(tree: ast.Module, number: int) -> list[ast.Module]:
    """Copies in which the body (or the else) of a compound statement stands in its place."""
    out = []
    for field in BODIES:
        again = copy.deepcopy(tree)
        places = list(_places(again))
        if number >= len(places):
            return out
        parent, where, i = places[number]
        node = getattr(parent, where)[i]
        inner = getattr(node, field, None)
        if isinstance(node, (ast.If, ast.For, ast.While)) and inner:
            getattr(parent, where)[i : i + 1] = inner
            out.append(again)
            if isinstance(node, ast.If) and field == "body" and node.orelse:
                bare = copy.deepcopy(tree)
                parent, where, i = list(_places(bare))[number]
                getattr(parent, where)[i].orelse = []
                out.append(bare)
    return out


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Every expression that may be another one: (parent, field, index in a list or None), the largest first."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.arguments, ast.arg, ast.ClassDef)):
            continue
        for field, value in ast.iter_fields(node):
            if field in ("func", "targets", "target", "annotation", "slice", "decorator_list", "returns", "keywords"):
                continue
            if isinstance(value, ast.expr) and not isinstance(value, OPAQUE):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [
                    (node, field, i)
                    for i, v in enumerate(value)
                    if isinstance(v, ast.expr) and not isinstance(v, (*OPAQUE, ast.Starred))
                ]
    found.sort(key=lambda at: -len(ast.dump(_get(at))))
    return found


def _get(at: tuple[ast.AST, str, int | None]) -> ast.expr:
    value = getattr(at[0], at[1])
    return value if at[2] is None else value[at[2]]


def _put(at: tuple[ast.AST, str, int | None], new: ast.expr) -> None:
    if at[2] is None:
        setattr(at[0], at[1], new)
    else:
        getattr(at[0], at[1])[at[2]] = new


def _simpler(node: ast.expr) -> list[ast.expr]:
    """What may stand instead: its parts, or a small number."""
    if (
        isinstance(node, (ast.Name, ast.Attribute, ast.Constant))
        or isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
    ):
        return []
    parts = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr) and not isinstance(c, OPAQUE)]
    parts = [
        c for c in parts if not (isinstance(node, ast.Call) and c is node.func) and not (isinstance(c, ast.Attribute))
    ]
    deeper = [
        c
        for p in parts
        for c in ast.iter_child_nodes(p)
        if isinstance(c, ast.expr) and not isinstance(c, (ast.Attribute, *OPAQUE))
    ]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and len(node.args) == 1
        and isinstance(node.args[0], (ast.Constant, ast.UnaryOp))
    ):
        return []
    return [*parts, *deeper, ast.Constant(1)]


def _swept(text: str, test: Test, late: Callable[[], bool]) -> str:
    """Without each statement, or run of them, that is not needed."""
    tree = ast.parse(text)
    for count in (16, 8, 4, 2, 1):
        number = 0
        while not late():
            if number >= sum(1 for _ in _places(tree)):
                break
            smaller = _without(tree, number, count)
            # A `pass` that is taken away comes back.
            if smaller is not None and (again := ast.unparse(smaller)) != ast.unparse(tree) and test(again):
                tree = ast.parse(again)
                continue
            number += 1
    number = 0
    while not late() and number < sum(1 for _ in _places(tree)):
        for smaller in _opened(tree, number):
            if test(ast.unparse(smaller)):
                tree = ast.parse(ast.unparse(smaller))
                break
        else:
            number += 1
    return ast.unparse(tree)


def _shortened(text: str, test: Test, late: Callable[[], bool]) -> str:
    """With expressions replaced by parts of themselves."""
    tree = ast.parse(text)
    number = 0
    while not late() and number < len(places := _expressions(tree)):
        options = _simpler(_get(places[number]))
        for n in range(len(options)):
            again = copy.deepcopy(tree)
            at = _expressions(again)[number]
            _put(at, _simpler(_get(at))[n])
            if test(ast.unparse(again)):
                tree = ast.parse(ast.unparse(again))
                break
        else:
            number += 1
    return ast.unparse(tree)


def reduce(text: str, test: Test, seconds: float = 60.0) -> str:
    """The smallest text found; the text itself where the test does not hold of it as `ast.unparse` prints it."""
    known: dict[str, bool] = {}
    start = time.monotonic()

    def late() -> bool:
        return time.monotonic() - start > seconds

    def tried(candidate: str) -> bool:
        if candidate not in known:
            known[candidate] = test(candidate)
        return known[candidate]

    text = ast.unparse(ast.parse(text))
    if not tried(text):
        return text
    while not late():
        smaller = _shortened(_swept(text, tried, late), tried, late)
        if smaller == text:
            break
        text = smaller
    return text
