"""A function's tree is that of its whole file, though it is parsed alone: lines, columns, and what stands at odd
places."""

from __future__ import annotations

import ast

import pytest

from avelang.frontend import source

TEXT = '''"""A file."""
import functools


def plain(x):
    """Words."""
    return x + 1  # the end


@functools.wraps(
    plain,
)
def decorated(
    a,
    b=(1,
2),
):
    text = """
left of all
    """
    if a:
        return text
# a comment to the left

    else_where = [
        a
    ]
    return else_where


class Box:
    def method(self):
        def inner(y): return y
        return inner

    @staticmethod
    def other():
        return \\
1

if True:
\tdef tabbed(x):
\t\treturn x
def last(): return 2
'''


def trees():
    return [n for n in ast.walk(ast.parse(TEXT)) if isinstance(n, ast.FunctionDef)]


@pytest.mark.parametrize("node", trees(), ids=lambda n: n.name)
def test_the_tree_is_that_of_the_whole_file(node):
    lines = TEXT.splitlines(keepends=True)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    found = source._definition(f"<{node.name}>", lines, first, node.name)
    assert ast.dump(found, include_attributes=True) == ast.dump(node, include_attributes=True)


def test_a_function_is_parsed_without_the_rest_of_its_file(monkeypatch):
    lines, seen = TEXT.splitlines(keepends=True), []
    monkeypatch.setattr(source, "parse", lambda text: seen.append(text) or ast.parse(text))
    assert source._definition("<alone>", lines, 5, "plain").name == "plain"
    assert source._definition("<alone>", lines, 5, "plain") is source._definition("<alone>", lines, 5, "plain")
    assert len(seen) == 1 and "decorated" not in seen[0]
    assert source._definition("<alone>", lines, 6, "plain") is None
