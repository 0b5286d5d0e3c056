"""Lists of statements: they come in with the names that matter afterwards; IR in the current block goes out, branches
and ways out included."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable
from typing import Any

from avelang.frontend import arith
from avelang.frontend.frame import Frame
from avelang.frontend.merge import FLAGS, RETURNED, branch
from avelang.ir.core import Value

_NOTHING = contextlib.nullcontext()


def block(f: Frame, body: list[ast.stmt], live: Any, tail: bool = False) -> None:
    """Builds statements one after another. `live`: names read after the last of them; `tail`: the function ends there.

    After a statement that may have returned or left a loop, the rest is built under a condition: nested into the other
    branch where a branch always leaves, else under a flag."""
    for i, stmt in enumerate(body):
        rest = body[i + 1 :] if f.flow.facts[stmt].exits else []
        if isinstance(stmt, ast.If):
            with f.entered(stmt) if f.build.scopes is not None else _NOTHING:
                over = _if(f, stmt, rest, live, tail, last=i + 1 == len(body))
            if over:
                return
        else:
            f.stmt(stmt)
        if not f.flow.facts[stmt].exits:
            continue
        flag = _flag(f)
        if flag is True:
            return
        if flag is not False:
            if rest:
                f.at(stmt)
                build = functools.partial(block, f, rest, live)
                unless(f, flag, build, live, bool(f.flow.exits(rest)), rest[0])
            return


def unless(f: Frame, flag: Value, build: Callable[[], None], live: Any, exits: bool, node: ast.AST) -> None:
    """Builds what runs only where a flag is down; inside, all flags are down."""

    def inside() -> None:
        for name in FLAGS if exits else ():
            if isinstance(f.env.get(name), Value):
                f.env.set(name, False)
        build()

    def outside() -> None:
        if f.env.get(RETURNED) is flag:
            f.env.set(RETURNED, True)

    branch(f, arith.negate(f, flag), inside, outside, live, node)


def _flag(f: Frame) -> bool | Value:
    """True if the statements that follow are skipped."""
    result: bool | Value = False
    for name in FLAGS:
        held = f.env.get(name)
        if held is True:
            return True
        if isinstance(held, Value):
            result = held if result is False else f.b.or_(result, held)  # type: ignore[arg-type]
    return result


def _if(f: Frame, node: ast.If, rest: list[ast.stmt], live: Any, tail: bool, last: bool) -> bool:
    """An `if` statement. True when it has taken the rest of its block into one of its branches."""
    f.b.span = f.span(node.test)
    cond = arith.condition(f, f.expr(node.test), node.test)
    after = f.flow.live[node]
    if isinstance(cond, bool):
        block(f, node.body if cond else node.orelse, after | live, tail and last)
        return False
    then, other = node.body, node.orelse
    nested = bool(rest) and (f.flow.ends(then) or f.flow.ends(other))
    if nested:
        then, other = (then if f.flow.ends(then) else then + rest), (other if f.flow.ends(other) else other + rest)
        after, last = frozenset(live), True
    tail = tail and last
    f.b.span = f.span(node.test)
    branch(f, cond, lambda: block(f, then, after, tail), lambda: block(f, other, after, tail), after, node, tail)
    return nested
