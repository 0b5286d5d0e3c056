"""Tiles and the sizes that a call's arrays give to symbols."""

from __future__ import annotations

import pytest

import avelang.language as al
from avelang.base.errors import AveError
from avelang.ir.types import MapType
from avelang.ptx import Tile
from avelang.ptx.specs import sizes_of, symbols
from avelang.ptx.types import b32, bf16, f16x2, f32, pred, u32


def test_tiles_are_written_in_several_ways():
    assert Tile(3, 4, f32).shape == Tile((3, 4), f32).shape == Tile([3, 4], al.f32).shape == (3, 4)
    assert Tile("M", 4, bf16).at({"M": 7}) == (7, 4)
    assert repr(Tile("M", 64, bf16, box=(8, 64), swizzle=128)) == "Tile('M', 64, bf16, box=(8, 64), swizzle=128)"
    assert Tile("M", 64, bf16, box=(8, 64), swizzle=128).map == MapType(al.bf16, (8, 64), 128)
    assert Tile(4, f32).map is None


def test_symbols_stand_in_the_order_in_which_they_are_written():
    assert symbols((Tile("M", "K", f32), u32, Tile("N", "K", f32), Tile(3, f32))) == ("M", "K", "N")


def test_sizes_come_from_shapes():
    specs = (Tile("M", "K", f32), u32, Tile("N", "K", f32))
    assert sizes_of("k", "anb", specs, ((2, 3), None, (4, 3))) == {"M": 2, "K": 3, "N": 4}


@pytest.mark.parametrize(("code", "shapes", "words"), [
    ("L041", ((2, 3), None, (4, 5)), "K is 3 by dimension 1 of 'a', and 5 by dimension 1 of 'b'"),
    ("L040", ((2, 3, 1), None, (4, 3)), "it has 3 dimensions, not 2"),
    ("L040", ((2, 3), None, (4, 3), (5,)), "dimension 0 is 5, not 3"),
])  # fmt: skip
def test_shapes_that_do_not_fit(code, shapes, words):
    specs = (Tile("M", "K", f32), u32, Tile("N", "K", f32), Tile(3, f32))[: len(shapes)]
    with pytest.raises(AveError) as caught:
        sizes_of("k", "anbc"[: len(shapes)], specs, shapes)
    assert caught.value.code == code and words in str(caught.value)


@pytest.mark.parametrize(("code", "make"), [
    ("T221", lambda: Tile()),
    ("T221", lambda: Tile(3, 4)),
    ("T221", lambda: Tile(3, "4x", f32)),
    ("T221", lambda: Tile(-1, f32)),
    ("T235", lambda: Tile(3, f16x2)),
    ("T235", lambda: Tile(3, pred)),
    ("T036", lambda: Tile(8, 8, f32, box=(8,))),
    ("T036", lambda: Tile(8, 8, f32, box=(8, 512))),
    ("T036", lambda: Tile(8, 8, f32, box=(8, 3))),
    ("T036", lambda: Tile(8, 8, f32, box=(8, 8), swizzle=16)),
    ("T036", lambda: Tile(8, 64, b32, box=(8, 64), swizzle=128)),
])  # fmt: skip
def test_refusals(code, make):
    with pytest.raises(AveError) as caught:
        make()
    assert caught.value.code == code and caught.value.span.file == __file__


def test_dtype_is_another_name():
    tile = Tile("M", 8, dtype=f32)
    assert repr(tile) == repr(Tile("M", 8, f32)) and tile.dtype is tile.type is f32
