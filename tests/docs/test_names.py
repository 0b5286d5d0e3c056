"""Names of Ave in the tutorials and in the tables of other languages' names are names that there are."""

from __future__ import annotations

import pathlib
import re

import pytest
from tests.docs import pages

import avelang.language as al
from avelang import tile

PAGES = sorted(p for part in ("tutorials", "coming-from") for p in (pages.ROOT / "docs" / part).glob("*.md"))
NAME = re.compile(r"(?<![\w.])(al\.amdgpu|al\.nvvm|al|tile)\.(\w+)(\.\.\.)?")


def missing(text: str) -> list[str]:
    """Names that are not there. `al.nvvm.mma_...` stands for all that begin so."""
    found = []
    for space, name, open_ended in NAME.findall(text):
        home = {"al": al, "tile": tile}.get(space) or getattr(al, space[3:])
        there = any(n.startswith(name) for n in dir(home)) if open_ended else hasattr(home, name)
        if not there and not hasattr(tile.tensors.DistributedTile, name):
            found.append(f"{space}.{name}{open_ended}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_names_exist(page: pathlib.Path):
    # Code in other fences is that of other languages; code of Ave runs.
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    quoted = " ".join(f" {q} " for q in re.findall(r"`([^`]+)`", text) if ".md" not in q)
    found = missing(quoted)
    assert not found, found


def test_a_name_that_is_not_there_is_found():
    assert missing(" al.arange tile.arange al.nvvm.mma_... al.nvvm.nothing_... al.amdgpu.perm") == [
        "al.arange",
        "al.nvvm.nothing_...",
    ]
