"""Files of the repository that lie outside docs/ and that the site shows: pages, sources and data; links to them."""

from __future__ import annotations

import ast
import pathlib
import posixpath
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages at the root, by their place in the site.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
    "benchmarks/NOTES.md": "benchmarks.md",
}
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"
LINK = re.compile(r"(?P<head>\]\()(?P<target>[^)\s]+)(?P<tail>\))")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def place(path: str) -> str:
    """Place in the site of a file of the repository, by its path from the root; "" for one that the site does not show."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.rstrip("/") == "examples":
        return "examples/index.md"
    if path.startswith("examples/") and path.endswith(".py") and path.count("/") == 1:
        return path.removesuffix(".py") + ".md"
    if not (ROOT / path).is_file():
        return ""
    return f"source/{path}.md" if path.endswith(".py") else f"files/{path}"


def rewritten(text: str, path: str, used: set[str]) -> str:
    """The page at `path` (from the repository's root) with links to files as the site has them. Adds to `used` the files outside
    docs/ to which it links."""

    def one(m: re.Match[str]) -> str:
        target, sharp, anchor = m["target"].partition("#")
        if "://" in target or not target or target.startswith("mailto:"):
            return m[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        where = place(file)
        if not where or (file.startswith("docs/") and path.startswith("docs/")):
            return m[0]
        used.add(file)
        here = posixpath.dirname(place(path))
        return f"{m['head']}{posixpath.relpath(where, here or '.')}{sharp}{anchor}{m['tail']}"

    out, at = [], 0
    for fence in FENCE.finditer(text):  # code is left as it is
        out += [LINK.sub(one, text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join(out) + LINK.sub(one, text[at:])


def source_page(path: str) -> str:
    """A page that shows a Python file. Search leaves it out: what it says is in the reference."""
    text = (ROOT / path).read_text()
    return f'{HIDDEN}# `{path}`\n\n````python linenums="1"\n{text}````\n'


def example_page(path: str) -> str:
    """A page with an example: its docstring and its text."""
    text = (ROOT / path).read_text()
    doc = (ast.get_docstring(ast.parse(text)) or path).strip()
    name = pathlib.PurePath(path).stem.replace("_", " ").capitalize()
    return f"# {name}\n\n{doc}\n\n    ave run {path}\n\n````python\n{text}````\n"


def examples() -> dict[str, str]:
    """Pages of all examples, and their list."""
    files = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "examples").glob("*.py"))
    made = {place(f): example_page(f) for f in files}
    lines = [
        f"- [{p.splitlines()[0].removeprefix('# ')}]({name.removeprefix('examples/')}): {p.splitlines()[2]}"
        for name, p in made.items()
    ]
    intro = "Whole programs, each of which a test runs. `ave run examples/NAME.py` runs one in the checkout.\n\n"
    return {"examples/index.md": "# Examples\n\n" + intro + "\n".join(lines) + "\n", **made}
