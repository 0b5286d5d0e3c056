"""The documentation is executed: each python block runs and prints what the page shows; tables and links are held against the code.

`AVE_ACCEPT_DOCS=1` writes what the blocks print into the pages instead; look at the diff before it is committed.
"""

from __future__ import annotations

import os
import pathlib
import re

import pytest
from tests.docs import pages

from avelang.arch import CHIPS
from avelang.base.catalogue import CATALOGUE
from avelang.frontend.names import BUILTINS
from avelang.ir.dtypes import BY_NAME
from avelang.runtime.arguments import OPTIONS

CASES = [(page, name) for page in pages.PAGES for name in pages.programs(page.read_text())]
ACCEPT = os.environ.get("AVE_ACCEPT_DOCS", "") not in ("", "0")
LANGUAGE = (pages.ROOT / "docs" / "language.md").read_text()
# Pages in docs/reference/ are made from the source, and tested with what makes them.
# These are made when the site is built, and tests/site has their links.
MADE_WITH_THE_SITE = ("reference/api/", "reference/intrinsics/", "../reference/api/", "../reference/intrinsics/")
WRITTEN = [pages.ROOT / "README.md", *sorted(p for p in (pages.ROOT / "docs").rglob("*.md") if p.parent.name != "reference")]


@pytest.mark.parametrize(("page", "name"), CASES, ids=[f"{p.stem}-{n}" for p, n in CASES])
def test_page(page: pathlib.Path, name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "cache"))  # pages show what a first run prints
    for knob in ("AVE_BACKEND", "AVE_TARGET", "AVE_DUMP", "AVE_NO_CACHE", "AVE_CHECK"):
        monkeypatch.delenv(knob, raising=False)
    blocks = pages.programs(page.read_text())[name]
    printed = pages.run(name, blocks, tmp_path)
    if ACCEPT:
        page.write_text(pages.renewed(page.read_text(), name, printed))
        return
    pages.compare(page, blocks, printed)


# -- what the pages say, against the code --------------------------------------------------------------------------------------------


def test_the_table_of_builtins_is_complete():
    table = LANGUAGE.partition("## Builtins")[2].partition("\n## ")[0]
    said = {}
    for name, params in re.findall(r"`al\.(\w+)\(([^`]*)\)`", "\n".join(line for line in table.splitlines() if line.startswith("| `al."))):
        said[name] = tuple(re.sub(r"=.*", "=", p) for p in params.split(", ") if p)
    assert said == {name: b.params for name, b in BUILTINS.items()}


def test_types_chips_and_options_are_those_there_are():
    types = LANGUAGE.partition("## Types")[2].partition("\n## ")[0]
    first = " ".join(re.findall(r"^\| (.*?) \|", types, re.MULTILINE))
    assert set(" ".join(re.findall(r"`(.*?)`", first)).split()) == set(BY_NAME)
    waves = LANGUAGE.partition("## Lanes")[2].partition("\n## ")[0]
    said = {chip: int(n) for n, names in re.findall(r"(\d+) on\s`(.*?)`", waves) for chip in names.split()}
    assert said == {c.name: c.wave for c in CHIPS.values()}
    assert set(re.findall(r"^\| `(\w+)=` \|", LANGUAGE, re.MULTILINE)) == set(OPTIONS)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda p: p.stem)
def test_codes_and_links_exist(page: pathlib.Path):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert not set(re.findall(r"\b[STULDVX]\d{3}\b", text)) - set(CATALOGUE)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        if path.startswith(MADE_WITH_THE_SITE):
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert not anchor or anchor in pages.anchors(file.read_text()), target


# -- the tests themselves can fail ---------------------------------------------------------------------------------------------------

PAGE = """# A page

```python
# first.py
x = 1
print(x)
```

```text
1
```

Words.

```python
print(x + 1)
```

```text
2
```

```python
# second.py
raise SystemExit(3)
```
"""


def test_blocks_share_a_file_until_one_is_named():
    found = pages.programs(PAGE)
    assert {name: [(b.line, b.shown) for b in blocks] for name, blocks in found.items()} == {
        "first.py": [(4, "1\n"), (16, "2\n")],
        "second.py": [(24, None)],
    }


def test_output_is_compared_block_by_block(tmp_path: pathlib.Path):
    blocks = pages.programs(PAGE)["first.py"]
    printed = pages.run("first.py", blocks, tmp_path)
    assert printed == ["1\n", "2\n"]
    pages.compare(tmp_path, blocks, printed)
    with pytest.raises(AssertionError, match=":16"):
        pages.compare(tmp_path, blocks, ["1\n", "2 \n"])


def test_a_program_that_fails_fails_the_page(tmp_path: pathlib.Path):
    with pytest.raises(AssertionError):
        pages.run("second.py", pages.programs(PAGE)["second.py"], tmp_path)


def test_accepting_writes_the_output_of_one_program():
    text = pages.renewed(PAGE, "first.py", ["one\n", "two\n"])
    assert text == PAGE.replace("\n1\n", "\none\n").replace("\n2\n", "\ntwo\n")
