"""MkDocs events: configuration comes in with the navigation of mkdocs.yml; generated pages, rewritten links and the whole
navigation go out."""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Any

TOOLS = pathlib.Path(__file__).resolve().parents[1]
for folder in (TOOLS, TOOLS.parent / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from mkdocs.structure.files import File, Files  # noqa: E402

from avesite import api, instructions, outside  # noqa: E402

DOCS = outside.ROOT / "docs"


def generated() -> dict[str, str | bytes]:
    """All that the site has beside the files of docs/: text by its place in the site."""
    made: dict[str, str | bytes] = {**outside.examples(), **api.pages(), **instructions.pages()}
    used: set[str] = set(outside.PAGES)
    for file in sorted(DOCS.rglob("*.md")):
        path = file.relative_to(outside.ROOT).as_posix()
        outside.rewritten(file.read_text(), path, used)
    done: set[str] = set()
    while used - done:
        path = min(used - done)
        done.add(path)
        where = outside.place(path)
        if where in made or where == "index.md" or path.startswith("docs/"):  # those are pages already
            continue
        if path in outside.PAGES:
            made[where] = outside.rewritten((outside.ROOT / path).read_text(), path, used)
        elif path.endswith(".py"):
            made[where] = outside.source_page(path)
        else:
            made[where] = (outside.ROOT / path).read_bytes()
    return made


def _order(folder: str, names: list[str]) -> list[str]:
    """Pages of a folder: its index first, then in the order of the links there, then by name."""
    index = DOCS / folder / "index.md"
    links = re.findall(r"\]\((?:\./)?([\w-]+\.md)", index.read_text()) if index.exists() else []
    rank = {f"{folder}/{name}": i for i, name in enumerate(dict.fromkeys(links))}
    return sorted(names, key=lambda n: (n != f"{folder}/index.md", rank.get(n, len(rank)), n))


def _named(nav: Any) -> set[str]:
    """The pages that a navigation names."""
    if isinstance(nav, str):
        return {nav}
    values = nav if isinstance(nav, list) else nav.values()
    return set().union(*map(_named, values)) if values else set()


def expanded(nav: list[Any], pages: set[str], rest: list[str]) -> list[Any]:
    """The navigation with `folder/*` replaced by the pages of the folder, pages and sections that are not there
    left out, and `rest` where "*" stands."""
    out: list[Any] = []
    for item in nav:
        if item == "*":
            out += rest
        elif isinstance(item, str) and item.endswith("/*"):
            folder = item.removesuffix("/*")
            out += _order(folder, sorted(p for p in pages if p.rpartition("/")[0] == folder))
        elif isinstance(item, dict):
            for title, inner in item.items():
                inner = [inner] if isinstance(inner, str) and inner.endswith("/*") else inner
                found = expanded(inner, pages, rest) if isinstance(inner, list) else inner
                out += [{title: found}] if found and (isinstance(found, list) or found in pages) else []
        elif item in pages:
            out.append(item)
    return out


WORKER = re.compile(r"assets/javascripts/workers/(search\.\w+\.min\.js)")


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Names our worker of the search in the place of Material's, which it loads."""
    return WORKER.sub("assets/javascripts/workers/questions.js", output)


def on_post_build(config: Any) -> None:
    """Writes that worker beside Material's."""
    folder = pathlib.Path(config.site_dir) / "assets/javascripts/workers"
    (theirs,) = folder.glob("search.*.min.js")
    text = pathlib.Path(__file__).with_name("search_worker.js").read_text()
    (folder / "questions.js").write_text(text.replace("MATERIAL", theirs.name))


MADE: dict[str, str | bytes] = {}


def on_config(config: Any) -> Any:
    """Makes the generated pages, and the navigation of all pages."""
    MADE.clear()
    MADE.update(generated())
    pages = {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")} | {p for p in MADE if p.endswith(".md")}
    named = _named(expanded(config.nav, pages, []))
    rest = sorted(p for p in pages - named if not p.startswith(("reference/api/", "source/")))
    config.nav = expanded(config.nav, pages, rest)
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds what is generated."""
    for place, content in MADE.items():
        found = files.get_file_from_path(place)
        if found:
            files.remove(found)
        files.append(File.generated(config, place, content=content))
    return files


# How much a page counts in a search, by the beginning of its place: pages that explain before pages that list. The first that fits.
WEIGHTS = (
    ("reference/api/avelang_kernels", 0.15),
    (re.compile(r"reference/api/avelang\.\w+\."), 0.25),
    ("reference/api/", 0.8),
    ("reference/intrinsics/", 0.6),
    ("reference/errors", 1.5),
    ("reference/", 1.0),
    (("checks.md", "changelog.md", "benchmarks.md", "architecture.md", "examples/"), 0.4),
    ("developing.md", 0.7),
    (("faq.md", "install.md", "limitations.md", "stability.md", "contributing.md", "coming-from/", "tutorials/"), 2.0),
    ("", 1.5),
)


def weight(place: str) -> float:
    """How much a page counts in a search."""
    fits = (w for head, w in WEIGHTS if (head.match(place) if isinstance(head, re.Pattern) else place.startswith(head)))
    return next(fits)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links to files of the repository as the site has them."""
    uri = page.file.src_uri
    page.meta["search"] = {"boost": weight(uri), **page.meta.get("search", {})}
    return markdown if uri in MADE else outside.rewritten(markdown, f"docs/{uri}", set())
