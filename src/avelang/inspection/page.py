"""An `Inspection` comes in; one HTML page goes out that needs nothing else: no server, no other host, no other file.

Nothing of a kernel is ever HTML or script: the page's data is JSON in which what ends a script, or begins markup, is
escaped, the script puts it in as text, and the page's Content-Security-Policy permits the page's own script and style
by their digests and nothing else."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import pathlib
from typing import Any

from avelang.base.version import VERSION
from avelang.inspection.inspected import Inspection
from avelang.inspection.listings import Listing

_HERE = pathlib.Path(__file__).parent
# The stages that are shown first; the others are in each pane's list.
_OPEN = ("passes", "optimized", "asm", "ptx", "sass")


@functools.cache
def _part(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def script_json(values: Any) -> str:
    """JSON that can stand in a `<script>`: without `<`, `>`, `&`, and the line ends that only JavaScript knows."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class _Table:
    """Values by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def add(self, value: Any) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


class _Links:
    """The places and sites of a page. A site is an expression with the calls around it: (file, line, column)s,
    innermost first."""

    def __init__(self, files: list[str]):
        self.files = {name: n for n, name in enumerate(files)}
        self.places, self.sites = _Table(), _Table()
        self.chains: list[list[int]] = []
        self.homes: list[int] = []

    def site(self, chain: tuple[tuple[str, int, int], ...]) -> int:
        """The number of a site; -1 for one without a place in a file that is shown."""
        known = tuple(x for x in chain if x[0] in self.files)
        if not known:
            return -1
        n = self.sites.add(known)
        if n == len(self.chains):
            numbers = [self.places.add((self.files[file], line)) for file, line, _ in known]
            self.chains.append(numbers)
            # Its color, and the line that is the user's: the innermost one of the kernel's own file.
            self.homes.append(
                next((p for p, x in zip(numbers, known, strict=True) if self.files[x[0]] == 0), numbers[0])
            )
        return n

    def listing(self, x: Listing, of_op: dict[int, tuple[tuple[str, int, int], ...]]) -> dict[str, Any]:
        """A listing as the script takes it."""
        chains = [line.places or (of_op.get(line.op, ()) if x.numbered else ()) for line in x.lines]
        return {"key": x.key, "title": x.title, "lang": x.language, "numbered": x.numbered,
                "text": [line.text for line in x.lines], "op": [line.op for line in x.lines],
                "site": [self.site(chain) for chain in chains]}  # fmt: skip


def page_data(found: Inspection) -> dict[str, Any]:
    """The values that the page's script reads."""
    links = _Links(list(found.sources))
    of_op = found.places()
    listings = [links.listing(x, of_op) for x in found.listings]
    return {
        "files": _shortened(list(found.sources)), "sources": list(found.sources.values()), "line": found.line,
        "listings": listings, "places": list(links.places.numbers), "sites": links.chains, "home": links.homes,
        "open": [k for k in _OPEN if any(x.key == k for x in found.listings)],
        "facts": [[x.name, x.value, x.remark, x.warning] for x in found.facts],
        "missing": list(found.missing), "notes": list(found.notes), "sections": found.sections,
    }  # fmt: skip


def _shortened(files: list[str]) -> list[str]:
    """Names of files by their last parts, as many as tell them apart."""
    parts = [pathlib.PurePath(f).parts for f in files]
    for n in range(1, 6):
        short = ["/".join(p[-n:]) for p in parts]
        if len(set(short)) == len(files):
            return short
    return files


def page(found: Inspection) -> str:
    """The page's text."""
    css, js = _part("page.css"), _part("sections.js") + _part("page.js")
    policy = (f"default-src 'none'; script-src '{_digest(js)}'; style-src '{_digest(css)}' 'unsafe-hashes'; "
              "img-src data:; base-uri 'none'; form-action 'none'")  # fmt: skip
    title, subtitle = html.escape(found.title), html.escape(found.subtitle)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Ave {VERSION}, ave inspect">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<div class="subtitle">{subtitle}</div>
<div class="cards" id="cards"></div>
<nav role="tablist"><span class="hint" id="hint"></span></nav>
</header>
<noscript><p>This page shows code by a script that is in it: switch scripts on for it.</p></noscript>
<main><div class="tab code" id="code"></div></main>
<div id="tip"></div>
<script type="application/json" id="data">{script_json(page_data(found))}</script>
<script>{js}</script>
</body>
</html>
"""
