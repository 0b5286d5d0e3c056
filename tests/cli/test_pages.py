"""The generated pages and stubs that are committed are those that the rows and the catalogue give now."""

from __future__ import annotations

import ast
import pathlib

import pytest

from avelang import language
from avelang.base.catalogue import CATALOGUE
from avelang.cli.pages import pages
from avelang.cli.stubs import stubs
from avelang.isa import PUBLIC

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("path", pages())
def test_page_is_up_to_date(path):
    assert (ROOT / path).read_text() == pages()[path], "run ./dev docs"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return stubs()


def test_stubs_are_up_to_date(made):
    stale = [path for path, text in made.items() if (ROOT / path).read_text() != text]
    assert not stale, "run ./dev stubs"


def test_stub_has_every_name(made):
    tree = ast.parse(made["src/avelang/language/__init__.pyi"])
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    names = {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    names |= {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")}
    names |= {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names if a.asname and not a.asname.startswith("_")}
    assert names - {"__all__"} == set(language.__all__)
    for namespace in ("amdgpu", "nvvm"):
        functions = {n.name for n in classes[f"_{namespace}"].body if isinstance(n, ast.FunctionDef)}
        assert functions == {full.partition(".")[2] for full in PUBLIC if full.startswith(namespace + ".")}


def test_pages_have_all_facts():
    intrinsics, errors = pages()["docs/reference/intrinsics.md"], pages()["docs/reference/errors.md"]
    for name in PUBLIC:
        assert f"`{name.partition('.')[2]}`" in intrinsics
    for code in CATALOGUE:
        assert f"### {code}\n" in errors
