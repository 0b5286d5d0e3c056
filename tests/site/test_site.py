"""The built site, without a browser: links, anchors, pictures, nothing from other hosts, an entry for each public name."""

from __future__ import annotations

import ast
import functools
import html
import importlib
import json
import pathlib
import posixpath
import re
import types
import urllib.parse
import xml.etree.ElementTree as ET

import pytest
from tests.house import rules
from tests.site.questions import QUESTIONS

from avelang.base.catalogue import CATALOGUE
from avelang.isa import PUBLIC, ROWS

ROOT = pathlib.Path(__file__).resolve().parents[2]
ID = re.compile(r"""<[^<>]*?\s(?:id|name)=(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""")
LINK = re.compile(r"""<(a|img|script|link|source|iframe)\b[^<>]*?\s(?:href|src)=(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""")


@functools.cache
def _text(page: pathlib.Path) -> str:
    return page.read_text()


@functools.cache
def ids(page: pathlib.Path) -> frozenset[str]:
    """The anchors of a page."""
    return frozenset(html.unescape(a or b or c) for a, b, c in ID.findall(_text(page)))


def pages(site: pathlib.Path) -> list[pathlib.Path]:
    """All pages but the one that stands for those that are missing."""
    return sorted(p for p in site.rglob("*.html") if p.name != "404.html")


def faults(site: pathlib.Path, page: pathlib.Path) -> list[str]:
    """Links of a page that lead nowhere, and what it loads from other hosts."""
    out = []
    for tag, *values in LINK.findall(_text(page)):
        target = html.unescape(next(filter(None, values), ""))
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            local = parts.scheme in ("data", "mailto") or tag == "a" or 'rel="canonical"' in target
            out += [] if local else [f"{tag} loads {target}"]
            continue
        path = urllib.parse.unquote(parts.path)
        file = page if not path else pathlib.Path(posixpath.normpath((page.parent / path).as_posix()))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            out.append(f"no {target}")
        elif parts.fragment and file.suffix == ".html" and urllib.parse.unquote(parts.fragment) not in ids(file):
            out.append(f"no anchor {target}")
    return out


def test_links_anchors_and_pictures(site: pathlib.Path):
    found = {str(p.relative_to(site)): faults(site, p) for p in pages(site)}
    assert not {p: f for p, f in found.items() if f}
    assert len(found) > 100


def test_a_fault_is_noticed(tmp_path: pathlib.Path):
    (tmp_path / "b.html").write_text('<p id="here">')
    page = tmp_path / "a.html"
    page.write_text('<a href="b.html#here">x</a><a href="b.html#gone">x</a><img src=none.png><a href="https://example.org">x</a>'
                    '<script src="https://example.org/x.js"></script><a href="">x</a>')  # fmt: skip
    assert faults(tmp_path, page) == ["no anchor b.html#gone", "no none.png", "script loads https://example.org/x.js"]


def test_styles_and_scripts_name_no_other_host(site: pathlib.Path):
    for file in [*site.rglob("*.css"), site / "search" / "search_index.json"]:
        text = file.read_text()
        assert not re.search(r"url\(\s*['\"]?(https?:)?//", text), file
    assert "fonts.googleapis" not in _text(site / "index.html")


def test_pictures_are_pictures(site: pathlib.Path):
    drawn = sorted(site.rglob("*.svg"))
    assert len([p for p in drawn if p.name.startswith("lanes-")]) > 50
    for file in drawn:
        assert ET.parse(file).getroot().tag.endswith("svg"), file


def test_every_page_has_a_place(site: pathlib.Path):
    """Each page that is written by hand is reached from the home page by links in the navigation."""
    reached, left = set(), [site / "index.html"]
    while left:
        page = left.pop()
        reached.add(page)
        nav = "".join(re.findall(r"<nav.*?</nav>", _text(page), re.DOTALL))
        found = {(page.parent / html.unescape(t).partition("#")[0]).resolve() for t in re.findall(r'href="([^":]*\.html)', nav)}
        left += sorted(found - reached - set(left))
    written = {site / p.relative_to(ROOT / "docs").with_suffix(".html") for p in (ROOT / "docs").rglob("*.md")}
    assert not written - reached


# -- the reference is whole ----------------------------------------------------------------------------------------------------------


def entries(site: pathlib.Path) -> set[str]:
    """Anchors of the reference of Python names."""
    return set().union(*(ids(p) for p in (site / "reference" / "api").glob("*.html")))


LISTED = ("avelang", "avelang.language", "avelang.tile", "avelang.ops", "avelang.bridge", "avelang.tuning", "avelang.testing", "avelang.executor",
          "avelang.ptx", "avelang.ptx.language")  # fmt: skip


def test_every_listed_name_has_an_entry(site: pathlib.Path):
    found = entries(site)
    wanted = {f"{m}.{n}" for m in LISTED for n in importlib.import_module(m).__all__}
    assert len(wanted) > 250 and not {x for x in wanted - found if not _elsewhere(x, found)}


def _elsewhere(name: str, found: set[str]) -> bool:
    """True where the name's object has its entry under its defining module's name."""
    module, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    own = getattr(thing, "__qualname__", getattr(thing, "__name__", last))
    return f"{getattr(thing, '__module__', '')}.{own}" in found


def test_every_public_definition_has_an_entry(site: pathlib.Path):
    found = {(x.split(".")[-1], x) for x in entries(site)}
    found = {(last, ".".join(x.split(".")[:depth])) for last, x in found for depth in range(1, x.count(".") + 1)}
    public = (*rules.PUBLIC, "avelang.ops", "avelang.testing", "avelang.executor", "avelang.integrations", "avelang_kernels")
    names = ((".".join(p.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"), p) for p in (ROOT / "src").rglob("*.py"))
    trees = {n: ast.parse(p.read_text()) for n, p in names if n.startswith(public) and "._" not in n}
    wanted = list(rules.public_definitions(types.SimpleNamespace(ast=trees)))
    assert len(wanted) > 1000
    assert not [f"{m}:{line}: {n} has no entry" for m, line, n, _ in wanted if (n, m) not in found]


def test_intrinsics_and_errors_have_entries(site: pathlib.Path):
    found = set().union(*(ids(p) for p in (site / "reference" / "intrinsics").glob("*.html")))
    assert {r.name.partition(".")[2] for r in ROWS.values()} <= found
    text = "".join(_text(p) for p in (site / "reference" / "intrinsics").glob("*.html"))
    assert all(f">{name.partition('.')[2]}<" in text for name in PUBLIC)
    assert {c.lower() for c in CATALOGUE} <= ids(site / "reference" / "errors.html")


def test_matrix_instructions_are_drawn(site: pathlib.Path):
    text = "".join(_text(p) for p in (site / "reference" / "intrinsics").glob("*.html"))
    for row in ROWS.values():
        if row.mma:
            short = row.name.partition(".")[2]
            assert all(f'alt="Lanes that hold {x} of {short}"' in text for x in ("A", "B", "C and D")), short


# -- the search's index --------------------------------------------------------------------------------------------------------------


def test_the_index_has_pages_and_sections(site: pathlib.Path):
    index = json.loads((site / "search" / "search_index.json").read_text())
    places = {d["location"] for d in index["docs"]}
    assert {"faq.html", "reference/errors.html#t020", "reference/intrinsics/amdgpu-mfma.html#mfma_f32_16x16x16_bf16"} <= places
    assert not [p for p in places if p.startswith("source/")]


def test_questions_name_pages_that_there_are(site: pathlib.Path):
    assert len(QUESTIONS) >= 40 and len({q for q, _ in QUESTIONS}) == len(QUESTIONS)
    for question, accepted in QUESTIONS:
        folders = [a for a in accepted if a.endswith("/*") and not (ROOT / "docs" / a.removesuffix("/*")).exists()]
        assert folders or any(list(site.glob(f"{a}.html")) for a in accepted), question


@pytest.mark.parametrize("text", ["`a`_b <c> *d*", "- one\n- two"])
def test_docstrings_stay_words(text: str):
    import sys

    sys.path.insert(0, str(ROOT / "tools"))
    from avesite import api

    shown = api.prose(text)
    assert "<c>" not in shown and ("\\*d" in shown or "- one" in shown)
