"""Errors of races come in, raised or collected, by the reference or the executors; who touched what, and when, goes
out: as text, as an SVG picture, as HTML for notebooks."""

from __future__ import annotations

import dataclasses
import html
import linecache
import os
import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from avelang.base.errors import AveError

CODES = {
    "X006": "shared memory, two waves", "X010": "memory that a copy or wgmma still uses",
    "X014": "memory, without a proxy fence", "X025": "LDS, two waves", "X040": "global memory",
    "X041": "one place, two lanes of a wave", "X050": "shared memory, two warps",
}  # fmt: skip
_LANE = "another lane of its wave"  # begins what the reference says of it
_LINE = re.compile(r"from (?P<file>[^\s():]+):(?P<line>\d+)|in line (?P<own>\d+)")


@dataclasses.dataclass(frozen=True, slots=True)
class RaceTouch:
    """One of the two accesses. `who`: block, wave, lane, as far as known; `does`: the access in words; `file` and
    `line` of its source ("" and 0 where they are not known)."""

    who: str
    does: str
    file: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """The line of the source, without indentation; empty where it is not known."""
        return linecache.getline(self.file, self.line).strip() if self.line else ""

    @property
    def where(self) -> str:
        """File and line, the file without its folders."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else "line not known"


@dataclasses.dataclass(frozen=True, slots=True)
class RaceReport:
    """A race: `first` came, then `second`, in the run that found it, with nothing between that orders them. `place`:
    the memory that both touch; `kind`: what sort of a race; `why` says what is missing; `hint`: what to do; `times`:
    how often it was met."""

    code: str
    kind: str
    kernel: str
    place: str
    first: RaceTouch
    second: RaceTouch
    why: str
    hint: str
    times: int = 1

    def text(self) -> str:
        """Some lines for a terminal."""
        often = f", met {self.times} times" if self.times > 1 else ""
        rows = [f"[{self.code}] race in `{self.kernel}`: {self.kind}{often}", f"  what   {self.place}"]
        for when, x in (("first", self.first), ("then", self.second)):
            rows += [f"  {when:<6} {x.who}: {x.does}", f"         {x.where}" + (f" | {x.text}" if x.text else "")]
        return "\n".join([*rows, f"  order  {self.why}", f"  hint   {self.hint}"])

    def svg(self) -> str:
        """A picture: the two as columns, time downwards. Well-formed XML, no scripts."""
        return _svg(self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto">{self.svg()}<p>{html.escape(self.hint)}</p></div>'


def is_race(e: AveError) -> bool:
    """True for an error that tells of two accesses without an order."""
    return e.code in CODES and bool(e.fields)


def race_report(e: AveError, times: int = 1) -> RaceReport | None:
    """The report of an error; None for one that is no race."""
    if not is_race(e):
        return None
    f = {name: str(value) for name, value in e.fields.items()}
    file = e.span.file if e.span is not None else ""
    place = f.get("place") or (
        f"address {f['address']} of LDS"
        if e.code == "X025"
        else f"`{f.get('tensor', '')}`{f.get('index', '')}, byte {f.get('byte', '?')} of it"
    )
    mine, other = f.get("what", ""), f.get("other", "")
    why = "nothing orders the two: in another run they may come the other way round"
    if e.code == "X025":
        did, _, missing = f["did"].partition(": ")
        mine, other, why = f"{f['does']} it, `{f['text']}` at {f['where']}", f"{did} (wave {other})", missing or why
    who_second = f.get("lane" if e.code == "X025" else "where", "")
    who_first, does = _who(other, e.code)
    kind = CODES[e.code]
    if f.get("whose", "").startswith(_LANE):
        who_first, does, kind = _LANE, does.partition(" by ")[0], f"{kind.partition(',')[0]}, two lanes of a wave"
        why = "no barrier and no fence stands between, and lanes may drift apart"
    if e.code == "X010":
        who_first, does = f.get("who", "a copy"), f"{other}, which {f.get('does', 'uses')} it"
        why = "nobody has waited for it"
    if e.code == "X014":
        why = "no proxy fence stands between"
    row = e.span.line if e.span is not None else 0
    second = RaceTouch(who_second, mine, file, row)
    first = _touch(who_first, does, other, file)
    return RaceReport(e.code, kind, f.get("kernel", ""), place, first, second, why, e.hint or "", times)


def race_reports(found: Iterable[object]) -> list[RaceReport]:
    """The reports of errors, and of what executors collect (`Run.reports`), in order."""
    out = []
    for x in found:
        e = getattr(x, "error", x)
        if isinstance(e, AveError) and (made := race_report(e, int(getattr(x, "times", 1)))) is not None:
            out.append(made)
    return out


def _who(other: str, code: str) -> tuple[str, str]:
    """(who, what) of the words that executors have for the other access."""
    for pattern in (
        r"(?P<does>.*) by (?P<who>wave .*)", r"the (?P<does>\w+) of (?P<who>.*?) in (?P<rest>.*)",
        r"(?P<does>.*) \((?P<who>wave \d+)\)$", r"(?P<does>.*) of (?P<who>warp .*|its lanes .*)",
    ):  # fmt: skip
        if found := re.match(pattern, other):
            rest = found.groupdict().get("rest")
            return found["who"], found["does"] + (f" in {rest}" if rest else "")
    return ("another lane of the wave" if code == "X041" else "another wave"), other


def _touch(who: str, does: str, words: str, file: str) -> RaceTouch:
    found = _LINE.search(words)
    if found is None:
        return RaceTouch(who, does)
    if found["own"]:
        return RaceTouch(who, does, file, int(found["own"]))
    same = os.path.basename(file) == found["file"]
    return RaceTouch(who, does, file if same else found["file"], int(found["line"]))


_WIDE, _COLUMN, _HIGH = 860, 400, 17


def _lines(text: str, width: int = 58) -> list[str]:
    return textwrap.wrap(text, width) or [""]


def _svg(r: RaceReport) -> str:
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "font-family": "sans-serif", "font-size": "13"})
    ground = ET.SubElement(root, "rect", {"x": "0", "y": "0", "fill": "#ffffff", "width": str(_WIDE)})

    def text(x: float, y: float, words: str, **more: str) -> None:
        e = ET.SubElement(
            root, "text", {"x": f"{x:g}", "y": f"{y:g}", **{k.replace("_", "-"): v for k, v in more.items()}}
        )
        e.text = words

    y = 24.0
    text(16, y, f"{r.code}: race in {r.kernel}, {r.kind}", font_weight="bold", font_size="15")
    for line in _lines(f"both touch {r.place}", 110):
        y += _HIGH
        text(16, y, line)
    y += 16
    top = y
    for column, (when, x, color) in enumerate((("first", r.first, "#aec7e8"), ("then", r.second, "#ffbb78"))):
        left = 16 + column * (_COLUMN + 28)
        y = top + (96 if column else 0)
        words = [*_lines(x.does), x.where, *_lines(x.text, 50)] if x.text else [*_lines(x.does), x.where]
        height = _HIGH * (len(words) + 1) + 14
        ET.SubElement(root, "rect", {"x": f"{left}", "y": f"{y:g}", "width": str(_COLUMN), "height": f"{height}",
                                     "fill": color, "stroke": "#666666", "rx": "4"})  # fmt: skip
        text(left + 10, y + 19, textwrap.shorten(f"{when}: {x.who}", 52, placeholder=" ..."), font_weight="bold")
        for n, line in enumerate(words):
            code = n > words.index(x.where)
            text(
                left + 10,
                y + 19 + _HIGH * (n + 1),
                line,
                **({"font_family": "monospace", "font_size": "12"} if code else {}),
            )
        y += height
        bottom = y if column == 0 else max(bottom, y)  # noqa: F821 - of the first column
    for column in range(2):
        x = 16 + column * (_COLUMN + 28) + _COLUMN / 2
        ET.SubElement(root, "line", {"x1": f"{x:g}", "x2": f"{x:g}", "y1": f"{bottom:g}", "y2": f"{bottom + 18:g}",
                                     "stroke": "#999999", "stroke-dasharray": "4 3"})  # fmt: skip
    y = bottom + 38
    for line in _lines(f"Order: {r.why}", 110):
        text(16, y, line, fill="#b3261e")
        y += _HIGH
    high = f"{y:g}"
    ground.set("height", high)
    root.attrib |= {"width": str(_WIDE), "height": high, "viewBox": f"0 0 {_WIDE} {high}"}
    return ET.tostring(root, encoding="unicode") + "\n"
