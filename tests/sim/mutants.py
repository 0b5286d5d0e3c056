"""Kernels with one fault each: the source of a kernel comes in; for every call and every number by which its waves synchronize, the source with that call
left out or that number changed goes out."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import itertools
import pathlib
import textwrap
from collections.abc import Iterator
from typing import Any

# By which argument of a call its meaning is changed without leaving it out, and how.
PARITIES = {"mbarrier_wait": 1}
COUNTS = {"mbarrier_init": 1, "mbarrier_arrive_expect_tx": 1, "wgmma_wait_acc": 1, "cp_async_bulk_wait_group_read": 0, "cp_async_bulk_wait_group": 0}
_NUMBER = itertools.count()


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`what` was done to which call, in line `line` of the source, and the source that is left."""

    what: str
    line: int
    text: str


def _calls(tree: ast.AST) -> Iterator[tuple[ast.stmt, ast.Call, str]]:
    """Statements that are one call into `al.nvvm`, or `al.syncthreads()`, or assign what such a call gives."""
    for node in ast.walk(tree):
        value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            name = value.func.attr
            if name == "syncthreads" or ast.unparse(value.func) == f"al.nvvm.{name}":
                assert isinstance(node, ast.stmt)
                yield node, value, name


def _replaced(source: str, node: ast.AST, text: str) -> str:
    """The source with a node's text replaced, in as many lines as before."""
    lines = source.splitlines()
    first, last = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
    before, behind = lines[first][: node.col_offset], lines[last][node.end_col_offset :]  # type: ignore[attr-defined]
    lines[first : last + 1] = [before + text + behind, *[""] * (last - first)]
    return "\n".join(lines)


def mutants(source: str) -> Iterator[Mutant]:
    """Every kernel that differs by one call. Descriptors and products themselves stay: without them the result is wrong, but nothing races."""
    for node, call, name in sorted(_calls(ast.parse(source)), key=lambda x: x[0].lineno):
        if name in ("wgmma_descriptor", "cluster_rank") or name.startswith("wgmma_bf16"):
            continue
        what = " ".join(ast.unparse(call).split())
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        left = f"{ast.unparse(target)} = {ast.unparse(call.args[0])}" if target is not None else "pass"
        yield Mutant(f"without {what}", node.lineno, _replaced(source, node, left))
        for table, changes in ((PARITIES, ("{} ^ 1",)), (COUNTS, ("{} + 1", "{} - 1"))):
            if name in table:
                argument = call.args[table[name]]
                for change in changes:
                    old = ast.unparse(argument)
                    new = change.format(f"({old})")
                    if old != "0" or "-" not in change:
                        yield Mutant(f"{what}: {new}", node.lineno, _replaced(source, argument, new))


def function(text: str, name: str) -> str:
    """A function of a module, with its decorator, its lines where they were."""
    (node,) = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return "\n" * (first - 1) + textwrap.dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]))


def imported(text: str, name: str, folder: pathlib.Path, values: dict[str, Any]) -> Any:
    """What a source calls `name`, as a module with these globals has it."""
    file = folder / f"mutant{next(_NUMBER)}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(values)
    spec.loader.exec_module(module)
    return getattr(module, name)
