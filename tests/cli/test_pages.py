"""The generated pages and stubs that are committed are those that the rows and the catalogue give now."""

from __future__ import annotations

import pathlib

import pytest

from avelang.base.catalogue import CATALOGUE
from avelang.cli.pages import pages
from avelang.isa import PUBLIC

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("path", pages())
def test_page_is_up_to_date(path):
    assert (ROOT / path).read_text() == pages()[path], "run ./dev docs"


def test_pages_have_all_facts():
    intrinsics, errors = pages()["docs/reference/intrinsics.md"], pages()["docs/reference/errors.md"]
    for name in PUBLIC:
        assert f"`{name.partition('.')[2]}`" in intrinsics
    for code in CATALOGUE:
        assert f"| {code} |" in errors
