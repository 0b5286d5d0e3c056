"""Pictures of the tutorials are those that `tools/pictures.py` draws, and each is shown by a page."""

from __future__ import annotations

import importlib.util
import pathlib
import re

import pytest
from tests.docs import pages

from avelang.tile import mma
from avelang.tile.mma_layout import SubgroupLayout

_SPEC = importlib.util.spec_from_file_location("pictures", pages.ROOT / "tools" / "pictures.py")
assert _SPEC and _SPEC.loader
pictures = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(pictures)


def test_pictures_are_those_that_are_drawn(tmp_path: pathlib.Path):
    made = pictures.draw(tmp_path)
    names = {f.name for f in made}
    assert len(names) == len(made) and names == {f.name for f in pictures.FOLDER.glob("*.svg")}
    for f in made:
        assert f.read_bytes() == (pictures.FOLDER / f.name).read_bytes(), f"{f.name}: run python tools/pictures.py"
    shown = {n for p in pictures.pages() for n in re.findall(r"\]\(\.\./pictures/learn/(\w+\.svg)\)", p.read_text())}
    assert shown == names


@pytest.mark.parametrize(
    ("number", "even", "odd", "b"),
    [
        (0, "K0 K1 - - K2 K3 - -", "- - K8 K9 - - K10 K11", "B0 B1 B8 B9 B2 B3 B10 B11"),
        (1, "K4 K5 - - K6 K7 - -", "- - K12 K13 - - K14 K15", "B4 B5 B12 B13 B6 B7 B14 B15"),
    ],
)
def test_selectors_of_the_skinny_product(number: int, even: str, odd: str, b: str):
    drawn = pictures.selectors("VDMFMA_F32_8x16x64x2_F16")
    assert len(drawn) == 2 and drawn[0].rows[:2] == ("lane 0, index 0x44", "lane 1, index 0xee")
    assert [" ".join(c.text or "-" for c in row) for row in drawn[number].cells] == [even, odd, b]


def test_lane_pairs_of_the_skinny_product():
    lanes = mma("VDMFMA_F32_8x16x64x2_F16").a
    assert lanes is not None
    layout = SubgroupLayout.of(lanes)
    (grid,) = pictures.thread_grid(layout, "", "", "")
    for row in range(8):
        for k in range(4):
            assert grid.cells[row][k].text == f"T{2 * row + 16 * k}, T{2 * row + 16 * k + 1}"
