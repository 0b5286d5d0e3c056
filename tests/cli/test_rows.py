"""What the command line says of rows: formulas of fragment maps give the maps back when evaluated."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.cli import rows
from avelang.isa import ROWS
from avelang.isa.fragments import Fragment

MATRIX = [r for r in ROWS.values() if r.mma]


@pytest.mark.parametrize("row", MATRIX, ids=lambda r: r.name)
def test_formula_is_the_map(row):
    for _, _, fragment in rows.fragments(row):
        f = rows.formula(fragment)
        assert f is not None
        lane, slot = np.meshgrid(np.arange(fragment.lanes), np.arange(fragment.slots), indexing="ij")
        for text, want in zip(f, fragment.index, strict=True):
            got = eval(text, {"lane": lane, "slot": slot})
            assert (np.broadcast_to(got, lane.shape) == want).all(), (row.name, text)


def test_formula_of_the_known_map():
    """language.md's words for D of 32x32x8: j = lane % 32, i = 8 * (r / 4) + 4 * (lane / 32) + r % 4."""
    fragment = ROWS[
        "amdgpu.mfma_32x32x8_bf16_f32" if "amdgpu.mfma_32x32x8_bf16_f32" in ROWS else "amdgpu.mfma_f32_32x32x8_bf16"
    ].mma.c
    assert rows.formula(fragment) == rows.Formula("0", "4 * (lane // 32) + slot % 4 + 8 * (slot // 4)", "lane % 32")


@pytest.mark.parametrize(
    "fragment",
    [
        Fragment(4, 3, (1, 4, 3), lambda lane, slot: (0, lane, slot)),  # three slots are no power of two
        Fragment(4, 2, (1, 4, 2), lambda lane, slot: (0, lane ^ slot, slot)),  # a swizzle is no sum
        Fragment(4, 1, (1, 4, 1), lambda lane, slot: (0, lane * lane // 2, slot)),  # nor is a square
    ],
)
def test_no_formula_where_there_is_none(fragment):
    assert rows.formula(fragment) is None


def test_signature_and_types():
    for row in ROWS.values():
        assert rows.signature(row).startswith(f"al.{row.name.removeprefix('al.')}(")
        assert (
            all(rows.type_text(p) for p in row.params)
            and rows.result_text(row)
            and rows.chips(row).startswith(("gfx", "sm_"))
        )
