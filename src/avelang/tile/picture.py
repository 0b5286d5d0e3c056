"""Grids of colored cells come in; SVG text, or a table for the terminal, goes out. All pictures of the tile level are
such grids."""

from __future__ import annotations

import dataclasses
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

# Light enough for black text. The first is for what is nobody's.
PLAIN = "#ffffff"
HUES = (
    "#aec7e8",
    "#ffbb78",
    "#98df8a",
    "#ff9896",
    "#c5b0d5",
    "#e0c29f",
    "#f7b6d2",
    "#c7c7c7",
    "#dbdb8d",
    "#9edae5",
    "#8fb8de",
    "#f5d76e",
    "#b5e2b4",
    "#e8a5a5",
    "#d5c8f0",
    "#cfe8ef",
)
HEAT = (PLAIN, "#c7ecc0", "#ffe08a", "#ffb870", "#ff8a6b", "#e85d5d")  # asked for so many times; the last for more


@dataclasses.dataclass(frozen=True, slots=True)
class PictureCell:
    """One cell: its text and its color, "#rrggbb"."""

    text: str = ""
    color: str = PLAIN


@dataclasses.dataclass(frozen=True)
class Picture:
    """A grid with headings. `rows` and `columns` are the headings, `cells` the rows of cells; `notes` are lines below;
    cells are `least` letters wide, or as wide as the longest text."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[PictureCell, ...], ...]
    notes: tuple[str, ...] = ()
    corner: str = ""
    least: int = 2

    def __post_init__(self) -> None:
        assert len(self.cells) == len(self.rows) and all(len(row) == len(self.columns) for row in self.cells), (
            self.title
        )


def hue(number: int) -> str:
    """The color of a number; neighbors differ."""
    return HUES[number % len(HUES)]


def heat(count: int) -> str:
    """The color of a count: white for none, green for one, then warmer."""
    return HEAT[min(count, len(HEAT) - 1)]


# Sizes in pixels: text, a letter of it, a cell's height, the margin, between grids.
FONT, CHAR, HIGH, EDGE, GAP = 11, 7.0, 20, 12, 26
LINE = 72  # letters of a note, where the grid is not wider


def svg(pictures: Sequence[Picture]) -> str:
    """One SVG document with the pictures below one another. Well-formed XML, no scripts, no fonts from elsewhere."""
    root = ET.Element("svg",
                      {"xmlns": "http://www.w3.org/2000/svg", "font-family": "monospace", "font-size": str(FONT)})
    y, right = float(EDGE), 0.0
    ground = ET.SubElement(root, "rect", {"x": "0", "y": "0", "fill": "#ffffff"})
    for p in pictures:
        wide, high = _draw(root, p, y)
        y, right = y + high + GAP, max(right, wide)
    size = {"width": _px(right + 2 * EDGE), "height": _px(y - GAP + EDGE)}
    ground.attrib |= size
    root.attrib |= size | {"viewBox": f"0 0 {size['width']} {size['height']}"}
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _px(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")


def _text(parent: ET.Element, x: float, y: float, text: str, **more: str) -> None:
    if text:
        ET.SubElement(parent, "text",
                      {"x": _px(x), "y": _px(y), **{k.replace("_", "-"): v for k, v in more.items()}}).text = text


def _draw(root: ET.Element, p: Picture, top: float) -> tuple[float, float]:
    """Draws one grid and returns its width and height."""
    group = ET.SubElement(root, "g")
    ET.SubElement(group, "title").text = p.title
    letters = max((len(c.text) for row in p.cells for c in row), default=0)
    wide = CHAR * max(letters, *map(len, p.columns), p.least) + 8 if p.columns else 20.0
    left = EDGE + CHAR * max(map(len, (*p.rows, p.corner)), default=0) + 8
    _text(group, EDGE, top + FONT, p.title, font_weight="bold")
    y = top + HIGH
    _text(group, EDGE, y + HIGH - 6, p.corner, fill="#666666")
    for j, name in enumerate(p.columns):
        _text(group, left + wide * (j + 0.5), y + HIGH - 6, name, text_anchor="middle", fill="#666666")
    y += HIGH
    for i, (name, row) in enumerate(zip(p.rows, p.cells, strict=True)):
        _text(group, left - 6, y + HIGH * (i + 1) - 6, name, text_anchor="end", fill="#666666")
        for j, cell in enumerate(row):
            at = {"x": _px(left + wide * j), "y": _px(y + HIGH * i), "width": _px(wide), "height": _px(HIGH)}
            ET.SubElement(group, "rect", {**at, "fill": cell.color, "stroke": "#888888", "stroke-width": "0.5"})
            _text(group, left + wide * (j + 0.5), y + HIGH * (i + 1) - 6, cell.text, text_anchor="middle")
    y += HIGH * len(p.rows)
    right = left + wide * len(p.columns)
    notes = [line for note in p.notes for line in textwrap.wrap(note, max(LINE, int((right - EDGE) / CHAR)))]
    for note in notes:
        y += HIGH
        _text(group, EDGE, y - 4, note)
    longest = max(map(len, (p.title, *notes)))
    return max(right, EDGE + CHAR * longest), y - top


def terminal(p: Picture, width: int) -> RenderableType:
    """The grid as rich tables, so many columns in each as fit into `width` letters."""
    from rich.console import Group
    from rich.text import Text

    letters = 3 + max((len(c.text) for row in p.cells for c in row), default=0)
    each = max(letters, *(len(name) + 1 for name in p.columns), 1) if p.columns else letters
    head = max((len(name) for name in (*p.rows, p.corner)), default=0) + 1
    most = max(1, (width - head) // each)
    tables = [_table(p, i, i + most) for i in range(0, max(len(p.columns), 1), most)]
    return Group(Text(p.title, "bold"), *tables, *map(Text, p.notes))


def _table(p: Picture, first: int, last: int) -> RenderableType:
    """Columns `first` to `last`, exclusive."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.MINIMAL, padding=0, show_edge=False, pad_edge=False)
    table.add_column(Text(p.corner), style="dim", no_wrap=True)
    for name in p.columns[first:last]:
        table.add_column(Text(name), justify="center", no_wrap=True)
    for name, row in zip(p.rows, p.cells, strict=True):
        colors = (f"black on {c.color}" if c.color != PLAIN else "" for c in row[first:last])
        table.add_row(
            Text(name),
            *(Text(f" {c.text} " if c.text else "", color) for c, color in zip(row[first:last], colors, strict=True)),
        )
    return table
