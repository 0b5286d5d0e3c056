"""Layouts, distributions, fragments, swizzles, bank conflicts and pipelines come in; pictures of them go out."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from avelang.arch import chip as chip_of
from avelang.base.errors import counted
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.frontend.names import Layout
from avelang.frontend.shapes import as_tuple, leaves, row_major
from avelang.pipelines import scheduler
from avelang.tile.banks import Swizzle, TileAccesses, banks
from avelang.tile.distribution import Distribution, enumerate_layout
from avelang.tile.encoding import Encoding
from avelang.tile.mma_layout import SubgroupLayout
from avelang.tile.picture import HUES, PLAIN, Picture, PictureCell, heat, hue
from avelang.tile.pipelines import STAGES, Pipeline, timeline

MOST_CELLS = 64 * 1024
MOST_PANELS = 16
WIDTHS = (1, 2, 4, 8, 12, 16)  # bytes of a lane's access to shared memory
SIDE = 64  # cells of a grid that one can look at, along each side


def parse_layout(text: str) -> Layout:
    """The layout that "shape:strides" says, such as "((2,4),3):((1,6),2)"; without strides it is row-major. Raises
    T308, T030, T031."""
    shape, colon, strides = text.partition(":")
    try:
        parts = [ast.literal_eval(x.strip()) for x in ((shape, strides) if colon else (shape,))]
    except (ValueError, SyntaxError):
        raise wrong("T308", got=repr(text), why="it is no layout",
                    instead='a layout is "shape:strides", such as "((2,4),3):((1,6),2)"') from None
    if len(parts) == 2:
        return Layout(*parts)
    flat = Layout(parts[0], parts[0])  # checks the extents
    return Layout(flat.shape, row_major(as_tuple(flat.shape), lambda a, b: a * b))


def of_layout(layout: Layout) -> list[Picture]:
    """Picture of the place of each coordinate: rows are the first mode, columns the second; further modes make further
    grids."""
    _fits(math.prod(leaves(layout.shape)), repr(layout))
    place = enumerate_layout(layout)
    grid = place.reshape(1, -1) if place.ndim == 1 else place.reshape(*place.shape[:2], -1)
    panels = math.prod(grid.shape[2:])
    out = []
    for panel in range(min(panels, MOST_PANELS)):
        part = grid if grid.ndim == 2 else grid[:, :, panel]
        at = "" if place.ndim < 3 else ", " + ", ".join(str(int(x)) for x in np.unravel_index(panel, place.shape[2:]))
        cells = tuple(tuple(PictureCell(str(int(x)), hue(int(x))) for x in row) for row in part)
        distinct = len(np.unique(place))
        notes = (f"{place.size} coordinates, {distinct} places, from 0 to {int(place.max())}",) if panel == 0 else ()
        title = f"{layout!r}" + (f" at (row, column{at})" if at else "")
        out.append(Picture(title, _numbers(part.shape[0]), _numbers(part.shape[1]), cells, notes))
    return out


def _fits(count: int, what: str) -> None:
    if count > MOST_CELLS:
        raise wrong("T308", got=what, why=f"it has {count} cells, and {MOST_CELLS} can be drawn",
                    instead="draw a part of it")


def _numbers(n: int, step: int = 1) -> tuple[str, ...]:
    return tuple(str(i * step) for i in range(n))


def _two(d: Distribution) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """The dimensions that are drawn as grids of their own, and (extent, neighbors that one lane holds) of rows and
    columns."""
    shape = d.shape if len(d.shape) > 1 else (1, *d.shape)
    runs = [d.run(a) for a in range(len(d.shape))]
    runs = runs if len(d.shape) > 1 else [1, *runs]
    return shape[:-2], [(shape[-2], runs[-2]), (shape[-1], runs[-1])]


def of_distribution(d: Distribution, title: str, words: str = "T") -> list[Picture]:
    """Picture of the lane that holds each element, "T3 v1": thread 3, its element 1. Where a lane holds neighbors in a
    tile too large for single elements, they are one cell. Elements with replicas name the first lane and how many there
    are."""
    outer, (rows, cols) = _two(d)
    large = rows[0] * cols[0] > SIDE * SIDE
    step = (rows[1], cols[1]) if large else (1, 1)
    shape = (*outer, rows[0], cols[0])
    owner = np.full(math.prod(shape), -1, np.int64)
    # The first of replicas comes last, and stays.
    owner[d.linear[::-1].ravel()] = np.arange(d.linear.size).reshape(d.linear.shape)[::-1].ravel()
    owner = owner.reshape(-1, rows[0], cols[0])
    copies = f", each in {d.replication} lanes" if d.replication > 1 else ""
    notes = [f"{counted(d.waves, 'wave')} of {d.wave} lanes, {counted(d.elements, 'element')} a lane{copies}"]
    out = []
    if large and not outer and max(rows[0] // step[0], cols[0] // step[1]) > SIDE:
        out = _waves(owner[0] // (d.wave * d.elements), title, tuple(notes))
        if out:  # and in detail its corner
            corner = min(rows[0], SIDE // 2 * step[0]), min(cols[0], SIDE // 4 * step[1])
            owner, title, notes = (
                owner[:, : corner[0], : corner[1]], f"its first {corner[0]} x {corner[1]} elements", []
            )
    _fits(owner.size // (step[0] * step[1]), title)
    if large and step != (1, 1):
        notes.append(f"a cell is {step[0]} x {step[1]} elements, which one lane holds: its first is named")
    for panel in range(min(len(owner), MOST_PANELS)):
        part = owner[panel, :: step[0], :: step[1]]
        thread, element = np.divmod(part, d.elements)

        several = large and len(np.unique(thread // d.wave)) > 1

        def cell(t: int, e: int, by_wave: bool = several) -> PictureCell:
            who = f"{words}{t}" if d.waves == 1 else f"w{t // d.wave} {words}{t % d.wave}"
            return PictureCell(f"{who} v{e}", hue(t // d.wave if by_wave else t + t // len(HUES)))

        pairs = zip(thread, element, strict=True)
        cells = tuple(tuple(cell(int(t), int(e)) for t, e in zip(ts, es, strict=True)) for ts, es in pairs)
        at = f" at {tuple(int(x) for x in np.unravel_index(panel, outer))}" if outer else ""
        lines = tuple(notes) if panel == 0 else ()
        out.append(Picture(title + at, _numbers(len(part), step[0]), _numbers(part.shape[1], step[1]), cells, lines))
    return out


def _waves(owner: np.ndarray, title: str, notes: tuple[str, ...]) -> list[Picture]:
    """Picture of the wave that holds each part of a tile, in cells as large as can be; none where these were too many.
    `owner`: int (rows, columns)."""
    high, wide = (
        math.gcd(*map(int, np.flatnonzero((np.diff(owner, axis=a) != 0).any(axis=1 - a)) + 1), owner.shape[a])
        for a in range(2)
    )
    part = owner[::high, ::wide]
    if max(part.shape) > SIDE:
        return []
    cells = tuple(tuple(PictureCell(f"w{int(w)}", hue(int(w))) for w in row) for row in part)
    note = f"a cell is {high} x {wide} elements, which one wave holds"
    return [Picture(title, _numbers(len(part), high), _numbers(part.shape[1], wide), cells, (*notes, note), least=8)]


def of_swizzle(s: Swizzle, row_bytes: int = 128, width: int = 16, rows: int = 8) -> list[Picture]:
    """Picture of the places of accesses of `width` bytes of each row: the number in a cell is that of the access whose
    bytes are there."""
    if width < 1 or rows < 1:
        raise wrong("T308", got=f"{rows} rows of accesses of {width} bytes", why="there are none",
                    instead="choose rows and width from 1 on")
    if row_bytes % width or row_bytes < width:
        raise wrong("T308", got=f"rows of {row_bytes} bytes", why=f"they are no whole accesses of {width}",
                    instead="choose row_bytes as a multiple")
    across = row_bytes // width
    at = (np.arange(rows)[:, None] * row_bytes + np.arange(across)[None, :] * width).astype(np.int64)
    _fits(at.size, repr(s))
    to = s(at)
    grid = np.full(at.size, -1, np.int64)
    inside = to.ravel() // width < at.size
    grid[to.ravel()[inside] // width] = np.arange(at.size)[inside]
    cells = tuple(
        tuple(
            PictureCell("" if x < 0 else f"{x // across},{x % across}", PLAIN if x < 0 else hue(int(x) % across))
            for x in row
        )
        for row in grid.reshape(rows, across)
    )
    notes = (f"row,access of {width} bytes whose data are there; a column of equal color was one column of accesses",)
    title = f"Swizzle({s.bits}, {s.base}, {s.shift}), rows of {row_bytes} bytes"
    return [Picture(title, _numbers(rows), _numbers(across, width), cells, notes, "byte")]


def of_column(s: Swizzle, row_bytes: int = 128, width: int = 16, target: str = "gfx942") -> list[Picture]:
    """Pictures of how often banks are asked when the lanes of a wave read the first access of each row, one row a lane:
    without the swizzle and with it. None where lanes have no access of `width` bytes."""
    if width not in WIDTHS:
        return []
    lanes = np.arange(chip_of(target).wave) * row_bytes
    out = []
    for swizzle, how in ((Swizzle(), "without the swizzle"), (s, "with it")):
        at = swizzle(lanes)
        out += of_accesses(TileAccesses(at[None], width, (banks(at, width, target),)),
                           f"down the first {width} bytes of each row, {how}")
    return out


def of_order(
    m: int, n: int, block: tuple[int, int], units: int, target: str = "gfx942", group_m: int = 8
) -> list[Picture]:
    """Picture of the block of a launch that makes each tile of C (m x n), and how well one tile a block fills the
    chip's `units`. In the color of its die where a chip has several, else of its round. Raises T308 for extents below 1
    and for more tiles than can be drawn."""
    if min(m, n, *block, units, group_m) < 1:
        raise wrong("T308", got=f"C of {m} x {n} in tiles of {block[0]} x {block[1]}", why="an extent is below 1",
                    instead="choose positive extents")
    rows, cols = -(-m // block[0]), -(-n // block[1])
    count = rows * cols
    _fits(count, f"C of {m} x {n} in tiles of {block[0]} x {block[1]}")
    dies = chip_of(target).dies
    grid = [[PictureCell()] * cols for _ in range(rows)]
    for number in range(count):
        index = scheduler.xcd_remap.source.fn(number, count, dies)
        row, col = scheduler.tile_of.source.fn(index, rows, cols, group_m)
        grid[row][col] = PictureCell(str(number), hue(number % dies if dies > 1 else number // units))
    rounds = -(-count // units)
    notes = [
        f"{counted(count, 'tile')} for {units} units: {counted(rounds, 'round')}, "
        f"in which {count / (rounds * units):.1%} of the units have one"
    ]
    if dies > 1:
        notes.append(
            f"the number is that of the block; a color is one of {dies} dies, to which blocks are dealt in turn"
        )
    title = f"C, {m} x {n}, in tiles of {block[0]} x {block[1]}"
    return [
        Picture(title, _numbers(rows, block[0]), _numbers(cols, block[1]), tuple(map(tuple, grid)), tuple(notes),
                least=4)
    ]


def of_accesses(x: TileAccesses, title: str) -> list[Picture]:
    """Picture of how often each bank is asked, phase by phase, in each instruction of a wave."""
    out = []
    for number, cost in enumerate(x.costs[:MOST_PANELS]):
        cells = tuple(tuple(PictureCell(str(int(n)) if n else "", heat(int(n))) for n in row) for row in cost.turns)
        rows = tuple(f"lanes {_lanes(p)}: {counted(c, 'cycle')}" for p, c in zip(cost.phases, cost.cycles, strict=True))
        notes = (f"{sum(cost.cycles)} cycles, {cost.extra} of them lost to conflicts",)
        which = f", access {number} of {len(x.costs)}" if len(x.costs) > 1 else ""
        what = f"{title}{which}, {x.nbytes} bytes a lane"
        out.append(Picture(what, rows, _numbers(len(cost.turns[0])), cells, notes, "bank"))
    return out


def _lanes(phase: Sequence[int]) -> str:
    """ "0-3, 20-23"."""
    runs: list[list[int]] = []
    for lane in phase:
        if runs and lane == runs[-1][-1] + 1:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs)


def of_pipeline(p: Pipeline, tiles: int = 6) -> list[Picture]:
    """Timeline of the stages of each tile of K, in slots of time of equal length; a row for each stage and group of
    waves."""
    spans = timeline(p, tiles)
    slots = max(s.start + s.length for s in spans)
    groups = sorted({s.group for s in spans})
    rows, cells = [], []
    for g in groups:
        for stage in p.stages:
            line = [PictureCell()] * slots
            for s in spans:
                if s.group == g and s.stage == stage:
                    line[s.start : s.start + s.length] = [PictureCell(f"k{s.tile}", hue(s.tile))] * s.length
            rows.append((f"group {g} " if len(groups) > 1 else "") + f"{stage} ({STAGES[stage]})")
            cells.append(tuple(line))
    busy = sum(s.length for s in spans if s.stage == "mma") / slots
    notes = (
        p.about,
        f"{slots} slots for {tiles} tiles of K{' of each group' if len(groups) > 1 else ''}; "
        f"products run in {busy:.0%} of them",
    )
    return [Picture(f"pipeline {p.name}", tuple(rows), _numbers(slots), tuple(cells), notes, "slot", least=4)]


def of(value: Any, title: str = "") -> list[Picture]:
    """The pictures of a layout, an encoding, a distribution, a subgroup layout, a swizzle or a pipeline. Raises T308
    for anything else."""
    if isinstance(value, Encoding):
        value = Distribution(value, 32 if value.lengths_p[-1] == 32 else 64)
    if isinstance(value, SubgroupLayout):
        return of_distribution(value.distribution, title or _short(value))
    if isinstance(value, Distribution):
        return of_distribution(value, title or "distribution of " + " x ".join(map(str, value.shape)))
    if isinstance(value, Layout):
        return of_layout(value)
    if isinstance(value, Swizzle):
        return of_swizzle(value)
    if isinstance(value, Pipeline):
        return of_pipeline(value)
    instead = "layouts, encodings, distributions, subgroup layouts, swizzles and pipelines have pictures"
    raise wrong("T308", got=repr(value), why=f"objects of {type(value).__name__} have no picture", instead=instead)


def _short(s: SubgroupLayout) -> str:
    return f"outer {s.outer}, thread {s.thread}, tstrides {s.tstrides}, element {s.element}"


__all__ = [
    "of", "of_accesses", "of_column", "of_distribution", "of_layout", "of_order", "of_pipeline", "of_swizzle",
    "parse_layout"
]
