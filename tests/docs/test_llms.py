"""docs/llms.txt: the form that llmstxt.org asks for, links that exist, commands that exist."""

from __future__ import annotations

import pathlib
import re

from avelang.cli.llms import KNOW, LINK, llms
from avelang.cli.main import main

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def test_it_has_the_form_and_is_small():
    text = (DOCS / "llms.txt").read_text()
    lines = text.splitlines()
    assert lines[0].startswith("# ") and lines[2].startswith("> ") and len(text) < 20_000
    for line in text.partition("\n## ")[2].splitlines():
        assert not line or line.startswith(("## ", "- [")) or "## " not in line


def test_its_links_are_pages_each_of_the_index():
    text = (DOCS / "llms.txt").read_text()
    targets = [t for _, t in LINK.findall(text.partition("\n## ")[2])]
    assert len(targets) > 20 and "debugging.md" in targets and "recipes.md" in targets
    for target in targets:
        assert (DOCS / target).is_file(), target
    index = {t for _, t in LINK.findall((DOCS / "index.md").read_text()) if not t.startswith("../")}
    assert set(targets) == index


def test_the_commands_it_names_exist():
    for command in re.findall(r"`ave (\w+)", KNOW):
        assert command in main.commands


def test_a_description_goes_with_the_first_link(tmp_path):
    index = tmp_path / "index.md"
    index.write_text("# T\n\nWords of\nit.\n\n## One\n\n- [a](a.md): what it is, and [b](b.md).\n- Others: [c](c.md).\n")
    assert llms(index).endswith("## One\n\n- [A](a.md): what it is, and b.\n- [B](b.md)\n- [C](c.md)\n")
    assert "> Words of it.\n" in llms(index)
