"""A kernel comes in; the block to compile it for, and who says so, goes out: for commands and editors, where no launch
does."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

from avelang.base.parsing import parse
from avelang.runtime import compile as compiling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from avelang.frontend.source import Jitted

Dim3 = tuple[int, int, int]


def block_of(kernel: Jitted, defines: Mapping[str, Any], target: str | None,
             given: Dim3 | None = None) -> tuple[Dim3, str]:  # fmt: skip
    """The extents of a block for a kernel, and who says so: the command line (`given`), what the kernel expects
    (`al.expect_threads`, which tiles call too), the launches in its file, where all that can be read agree; else 64.
    Raises the errors of building the kernel."""
    if given is not None:
        return given, "--block"
    expected = compiling.build(kernel.source, defines, target).attrs.get("threads", ())
    if expected:
        exact = [count for count, whole in expected if whole]
        return (exact[0] if exact else max(count for count, _ in expected), 1, 1), "the kernel expects it"
    launched = _launched(kernel)
    return (launched, "its file launches it so") if launched else ((64, 1, 1), "nothing says it: 64 is taken")


def _launched(kernel: Jitted) -> Dim3 | None:
    """The block in `kernel[grid, block]` or `kernel[lambda: (grid, block)]` of the kernel's file, where it can be
    computed from the names of the module and is one for all launches."""
    names = getattr(kernel.source.fn, "__globals__", {})
    try:
        tree = parse("".join(linecache.getlines(kernel.source.file)))  # an editor's text stands there unsaved
    except SyntaxError:
        return None
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id == kernel.source.name:
                at = node.slice.body if isinstance(node.slice, ast.Lambda) else node.slice
                found.add(_evaluated(at.elts[1], names) if isinstance(at, ast.Tuple) and len(at.elts) == 2 else None)
    return found.pop() if len(found) == 1 else None


def _evaluated(node: ast.expr, names: dict[str, Any]) -> Dim3 | None:
    """Extents that are literals, names of the module and arithmetic; else None."""
    allowed = (ast.Constant, ast.Name, ast.Tuple, ast.BinOp, ast.operator, ast.expr_context)
    if not all(isinstance(x, allowed) for x in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "<block>", "eval"), {"__builtins__": {}}, dict(names))
    except Exception:  # a local name, a division by zero: not to be known from here
        return None
    x, y, z = (*(value if isinstance(value, tuple) else (value,)), 1, 1, 1)[:3]
    return (x, y, z) if all(isinstance(n, int) and n > 0 for n in (x, y, z)) else None
