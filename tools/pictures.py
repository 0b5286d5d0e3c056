"""The pages of docs/tutorials and docs/coming-from come in; their pictures in docs/pictures/learn go out.

    python tools/pictures.py

A page says below each picture which `ave show` command draws it; this runs them all. What no command draws (the selectors of
a virtual product) is drawn here, from the tables by which its code is made."""

from __future__ import annotations

import pathlib
import re
import shlex
from typing import Any

from avelang.tile import SubgroupLayout, mma
from avelang.tile.distribution import row_of
from avelang.tile.lowerings import FIRST_TWO, LAST_TWO, index_word
from avelang.tile.picture import PLAIN, Picture, PictureCell, hue, svg
from avelang.tile.virtual import pair_slots

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures" / "learn"
LINE = re.compile(r"^    ave show (.* -o docs/pictures/learn/\w+\.svg)$", re.MULTILINE)


def pages() -> list[pathlib.Path]:
    """Pages whose pictures are kept here."""
    return sorted(p for part in ("tutorials", "coming-from") for p in (ROOT / "docs" / part).glob("*.md"))


def selectors(name: str) -> list[Picture]:
    """Pictures of what the sparse instructions of a VDMFMA take along K: places of A that a lane pair stores (K), places
    that are implied zeros (empty), and the slots of B in the order of the instruction. Numbers are those of the dense
    fragments: K 0 to 15 of a lane pair, B 0 to 15 of a lane."""
    product = mma(name)
    described = row_of(product.natives[0]).mma
    assert described is not None
    stored, times = described.a.slots, len(product.natives)
    left, right = pair_slots(stored, times)
    half = stored * times
    out = []
    for number in range(times):
        lines, names = [], []
        for parity, pair in enumerate((FIRST_TWO, LAST_TWO)):
            taken = [4 * (s // 2) + (pair >> 2 * (s % 2) & 3) for s in range(stored)]
            at = dict(zip(taken, left[number], strict=True))
            lines.append(
                tuple(
                    PictureCell(f"K{at[p] + parity * half}", hue(parity * 3)) if p in at else PictureCell("", PLAIN)
                    for p in range(2 * stored)
                )
            )
            names.append(f"lane {parity}, index {index_word(pair, stored):#04x}")
        lines.append(tuple(PictureCell(f"B{s}", hue(3 * (s >= half))) for s in right[number]))
        title = f"{product.name}: instruction {number + 1} of {times}"
        columns = tuple(str(p % 4) for p in range(2 * stored))
        out.append(Picture(title, (*names, "B, reordered"), columns, tuple(lines), ("place within each four along K",)))
    return out


def thread_grid(layout: Any, title: str, rows: str, columns: str) -> list[Picture]:
    """Picture of the lanes at each place of a `SubgroupLayout`'s grid of threads. `rows`, `columns`: what the places of
    its two dimensions are called."""
    down, across = layout.thread
    cells = tuple(
        tuple(PictureCell(", ".join(f"T{t}" for t in layout.lanes_at(i, j)), hue(i + j)) for j in range(across))
        for i in range(down)
    )
    names = tuple(f"{rows}{i}" for i in range(down)), tuple(f"{columns} {j}" for j in range(across))
    return [
        Picture(
            title,
            *names,
            cells,
            (f"outer {layout.outer}, thread {layout.thread}, tstrides {layout.tstrides}, element {layout.element}",),
        )
    ]


def draw(folder: pathlib.Path) -> list[pathlib.Path]:
    """Draws all pictures into `folder`. Their files."""
    from avelang.cli.show import show

    made = []
    for page in pages():
        for line in LINE.findall(page.read_text()):
            *args, flag, name = shlex.split(line)
            made.append(folder / pathlib.Path(name).name)
            show.main([*args, flag, str(made[-1])], standalone_mode=False)
    skinny = "VDMFMA_F32_8x16x64x2_F16"
    lanes = mma(skinny).a
    assert lanes is not None
    layout = SubgroupLayout.of(lanes)
    own = {
        "selectors": selectors(skinny),
        "pairs": thread_grid(layout, f"{skinny}, A: lanes at each place of the grid", "row ", "place along K"),
    }
    for name, drawn in own.items():
        made.append(folder / f"{name}.svg")
        made[-1].write_text(svg(drawn))
    return made


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    for file in draw(FOLDER):
        print(file.relative_to(ROOT))
