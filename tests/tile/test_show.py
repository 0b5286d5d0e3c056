"""Pictures: cells against what they show, SVG as well-formed XML with a rectangle for each cell, tables of the
terminal."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.pipelines.scheduler import xcd_remap
from avelang.tile import Block, Distribution, Encoding, SubgroupLayout, Swizzle, mma, pipeline, show, tile_accesses
from avelang.tile.order import Rows
from avelang.tile.picture import HEAT, PLAIN, Picture, PictureCell, heat, hue, svg, terminal
from tile.test_encoding import SEED

NS = "{http://www.w3.org/2000/svg}"


def texts(p: Picture) -> list[list[str]]:
    return [[c.text for c in row] for row in p.cells]


def printed(p: Picture, width: int = 200) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(terminal(p, width))
    return out.getvalue()


def test_a_layout():
    (p,) = show.of_layout(show.parse_layout("((2,4),3):((1,6),2)"))
    # The first leaf is the fastest: 0, 1, then steps of 6.
    assert texts(p) == [[str(i % 2 + 6 * (i // 2) + 2 * j) for j in range(3)] for i in range(8)]
    assert p.notes == ("24 coordinates, 24 places, from 0 to 23",)
    (row,) = show.of_layout(show.parse_layout("8:2"))
    assert texts(row) == [[str(2 * i) for i in range(8)]]
    three = show.of_layout(show.parse_layout("(2,3,4)"))
    assert len(three) == 4 and texts(three[1]) == [[str(12 * i + 4 * j + 1) for j in range(3)] for i in range(2)]


@pytest.mark.parametrize(
    ("text", "code"),
    [("3:x", "T308"), ("hello", "T308"), ("(2,3):(1,(2,3))", "T031"), ("(2,0)", "T030"), ("(512,512)", "T308")],
)
def test_what_is_no_layout(text, code):
    with pytest.raises(AveError) as e:
        show.of_layout(show.parse_layout(text))
    assert e.value.code == code


def test_a_fragment():
    d = Distribution.from_fragment("mfma_16x16x16_bf16_f32", "a")
    (p,) = show.of_distribution(d, "A")
    assert texts(p) == [[f"T{row + 16 * (col // 4)} v{col % 4}" for col in range(16)] for row in range(16)]
    blocks = show.of_distribution(Distribution.from_fragment("mfma_f32_4x4x4_16b_f16", "a"), "A")
    assert len(blocks) == 16 and blocks[3].title == "A at (3,)"
    assert texts(show.of(SubgroupLayout((1, 1), (8, 4), (2, 16), (1, 16)))[0])[1][:9:8] == ["T2 v0", "T3 v0"]


def test_replicas_name_the_first_lane():
    (p,) = show.of(Distribution.blocked((8, 8), al.bf16, waves=1))
    assert texts(p)[1][0] == "T1 v0" and "each in 8 lanes" in p.notes[0]


def test_a_large_tile_is_drawn_in_the_runs_of_a_lane():
    (p,) = show.of(SEED)
    assert len(p.rows) == len(p.columns) == 64 and p.rows[1] == "4"
    owner = {
        (int(r), int(c)): (t, e)
        for t in range(256)
        for e, (r, c) in enumerate(zip(SEED.index[0][t], SEED.index[1][t], strict=True))
    }
    for i, j in ((0, 0), (5, 9), (63, 62)):
        thread, element = owner[4 * i, 4 * j]
        assert texts(p)[i][j] == f"w{thread // 64} T{thread % 64} v{element}"
    assert {c.color for row in p.cells for c in row} == {hue(w) for w in range(4)}


def test_a_swizzle():
    (p,) = show.of(Swizzle.pattern(128))
    assert texts(p) == [[f"{r},{c ^ r}" for c in range(8)] for r in range(8)]
    with pytest.raises(AveError, match="no whole accesses of 16"):
        show.of_swizzle(Swizzle(), 100)


def test_banks():
    a = mma("MFMA_F32_16x16x16_BF16").a
    (p,) = show.of_accesses(tile_accesses(a, (128, 2), 2), "A")
    # Sixteen rows of 128 bytes: lanes 0 to 15 all ask banks 0 and 1.
    assert texts(p)[0] == ["16", "16", *[""] * 30] and p.cells[0][0].color == HEAT[-1] and p.cells[0][2].color == PLAIN
    assert p.rows[0] == "lanes 0-15: 16 cycles" and p.notes == ("64 cycles, 60 of them lost to conflicts",)
    wide = show.of_accesses(tile_accesses(mma("VMFMA_F32_16x16x32_BF16").a, (128, 2), 2, swizzle=Swizzle.pattern(128)),
                            "A")[0]
    assert wide.rows[0] == "lanes 0-3, 20-23: 1 cycle" and {t for row in texts(wide) for t in row} == {"1"}


def test_a_pipeline():
    (p,) = show.of(pipeline("double-buffer"))
    assert texts(p)[3] == ["", "", "", "k0", "k1", "k2", "k3", "k4", "k5"] and p.rows[3] == "mma (matrix)"
    (two,) = show.of_pipeline(pipeline("ping-pong"), 3)
    lines = [row for name, row in zip(two.rows, texts(two), strict=True) if "mma" in name]
    assert all(not (a and b) for a, b in zip(*lines, strict=True)) and len(lines) == 2


def test_what_has_no_picture():
    with pytest.raises(AveError, match="objects of int have no picture") as e:
        show.of(3)
    assert e.value.code == "T308"


PICTURES = {
    "layout": lambda: show.of_layout(show.parse_layout("((2,4),3):((1,6),2)")),
    "fragment": lambda: show.of_distribution(Distribution.from_fragment("mma_16x8x16_f16_f32", "a"), "A <16 & 16>"),
    "pipeline": lambda: show.of_pipeline(pipeline("tma"), 4),
    "several": lambda: [*show.of(Swizzle.pattern(64)), *show.of_layout(show.parse_layout("4:1"))],
}


@pytest.mark.parametrize("name", PICTURES)
def test_svg(name):
    pictures = PICTURES[name]()
    root = ET.fromstring(svg(pictures))
    assert root.tag == NS + "svg" and len(root.findall(NS + "g")) == len(pictures)
    right, bottom = float(root.get("width")), float(root.get("height"))
    below = 0.0
    for p, group in zip(pictures, root.findall(NS + "g"), strict=True):
        assert group.find(NS + "title").text == p.title
        boxes = [tuple(float(r.get(k)) for k in ("x", "y", "width", "height")) for r in group.findall(NS + "rect")]
        assert len(boxes) == len(p.rows) * len(p.columns)
        cells = [c for row in p.cells for c in row]
        assert [r.get("fill") for r in group.findall(NS + "rect")] == [c.color for c in cells]
        # The text of a cell stands in its rectangle.
        words = [
            (float(t.get("x")), float(t.get("y")), t.text)
            for t in group.findall(NS + "text")
            if t.get("text-anchor") == "middle"
        ]
        for (x, y, w, h), c in zip(boxes, cells, strict=True):
            assert [text for a, b, text in words if x < a < x + w and y < b < y + h] == ([c.text] if c.text else [])
        assert all(0 <= x and x + w <= right and below <= y and y + h <= bottom for x, y, w, h in boxes)
        below = max((y + h for _, y, _, h in boxes), default=below)
        assert all(
            0 <= float(t.get("y")) <= bottom and 0 <= float(t.get("x")) <= right for t in group.findall(NS + "text")
        )
    assert "<script" not in svg(pictures) and "http" not in svg(pictures).replace("http://www.w3.org/2000/svg", "")


def test_the_terminal_splits_what_is_too_wide():
    p = Picture(
        "wide",
        ("row",),
        tuple(map(str, range(30))),
        (tuple(PictureCell(f"c{i}", hue(i)) for i in range(30)),),
        ("a note",),
    )
    whole, narrow = printed(p, 400), printed(p, 60)
    assert all(f" c{i} " in whole and f" c{i} " in narrow for i in range(30))
    assert narrow.count("row") > 1 == whole.count("row") and max(map(len, narrow.splitlines())) <= 60
    assert whole.rstrip().endswith("a note")
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=True, color_system="truecolor").print(terminal(p, 80))
    assert "\x1b[30;48;2;174;199;232m" in out.getvalue()  # black on the first hue


def test_colors():
    assert heat(0) == PLAIN and heat(99) == HEAT[-1] and len({hue(i) for i in range(16)}) == 16
    dark = [c for c in (*HEAT, *map(hue, range(16))) if np.mean([int(c[i : i + 2], 16) for i in (1, 3, 5)]) < 120]
    assert not dark, "black text must be readable on every color"


def test_a_tile_too_large_to_read_is_drawn_by_waves_and_its_corner():
    d = Block(256, 256, 64, (2, 4)).on("gfx942", al.bf16).c
    waves, corner = show.of(d)
    assert (
        texts(waves) == [["w0", "w1", "w2", "w3"], ["w4", "w5", "w6", "w7"]]
        and waves.rows == ("0", "128")
        and waves.columns[1] == "64"
    )
    assert (
        waves.notes[0] == "8 waves of 64 lanes, 128 elements a lane"
        and len({c.color for row in waves.cells for c in row}) == 8
    )
    assert len(corner.rows) == 32 and len(corner.columns) == 16 and corner.title == "its first 32 x 64 elements"
    owner = {
        (int(r), int(c)): (t, e)
        for t in range(64)
        for e, (r, c) in enumerate(zip(d.index[0][t], d.index[1][t], strict=True))
    }
    assert all(texts(corner)[i][j] == "w0 T{} v{}".format(*owner[i, 4 * j]) for i in range(32) for j in range(16))
    assert len({c.color for row in corner.cells for c in row}) > 8  # of one wave: by lane
    copies, _ = show.of(Block(128, 128, 64).on("gfx942", al.bf16).copy_a)
    assert [row[0] for row in texts(copies)] == [f"w{i % 4}" for i in range(16)]


def test_waves_in_turns_are_not_drawn_by_waves():
    """Neighboring columns are two waves' in turns: a grid of waves would be as wide as the tile."""
    (p,) = show.of(Distribution(Encoding((), ((64, 2), (2, 32, 2)), ((2,), (1, 2)), ((2,), (1, 1)), (1, 2), (0, 0))))
    assert len(p.rows) == len(p.columns) == 128 and texts(p)[0][:3] == ["w0 T0 v0", "w1 T0 v0", "w0 T1 v0"]


def test_the_column_of_a_swizzle():
    before, after = show.of_column(Swizzle.pattern(128))
    assert before.notes == ("64 cycles, 56 of them lost to conflicts",) and after.notes == (
        "8 cycles, 0 of them lost to conflicts",
    )
    assert texts(before)[0] == ["8"] * 4 + [""] * 28 and {t for row in texts(after) for t in row} == {"1"}
    assert show.of_column(Swizzle.pattern(128), width=32) == []


@avelang.jit
def places(out: al.Pointer(al.u32), m: al.u32, n: al.u32, M: al.constexpr, N: al.constexpr):
    walk = Rows(m, n, al.convert(1, al.u32), M, N)
    row, col = walk.work_tile(xcd_remap(al.block_id(0), walk.count(), al.target().dies), 0, 0).at
    o = al.make_tensor(out, al.u32, al.make_layout((walk.count(), 2), (2, 1)))
    o[al.block_id(0), 0], o[al.block_id(0), 1] = row, col


@pytest.mark.parametrize(("target", "units"), [("gfx942", 304), ("sm_90a", 7)])
@pytest.mark.parametrize(("m", "n", "block"), [(4864, 4096, (256, 256)), (130, 70, (16, 32)), (16, 16, (16, 16))])
def test_the_order_is_that_of_the_kernels(target, units, m, n, block):
    rows, cols = -(-m // block[0]), -(-n // block[1])
    out = np.zeros((rows * cols, 2), np.uint32)
    places[rows * cols, 1](out, m, n, *block, target=target, backend="cpu")
    (p,) = show.of_order(m, n, block, units, target)
    assert len(p.rows) == rows and p.columns == tuple(str(j * block[1]) for j in range(cols))
    for number, (row, col) in enumerate(out.tolist()):
        cell = p.cells[row // block[0]][col // block[1]]
        assert cell == PictureCell(str(number), hue(number % 8 if target == "gfx942" else number // units))


def test_what_the_order_says_of_the_chip():
    assert (
        show.of_order(4864, 4096, (256, 256), 304)[0].notes[0]
        == "304 tiles for 304 units: 1 round, in which 100.0% of the units have one"
    )
    assert (
        show.of_order(4096, 4096, (256, 256), 304)[0]
        .notes[0]
        .startswith("256 tiles for 304 units: 1 round, in which 84.2%")
    )
    for bad in ((0, 1, (1, 1), 1), (1, 1, (1, 0), 1), (1, 1, (1, 1), 0), (4096, 4096, (8, 8), 304)):
        with pytest.raises(AveError) as e:
            show.of_order(*bad)
        assert e.value.code == "T308"


def test_long_notes_are_wrapped():
    p = Picture("short", ("row",), ("0",), ((PictureCell("x"),),), ("word " * 60,))
    lines = [t.text for t in ET.fromstring(svg([p])).iter(NS + "text") if (t.text or "").startswith("word")]
    assert (
        len(lines) > 3
        and " ".join(lines) == ("word " * 60).strip()
        and float(ET.fromstring(svg([p])).get("width")) < 600
    )
