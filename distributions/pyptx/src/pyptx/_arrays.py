"""Which arrays a tile takes: a tile and an array's dtype come in; whether it fits goes out."""

from __future__ import annotations

from avelang.ir.dtypes import BY_NAME, DType
from pyptx.specs import Tile


def dtype_of(tile: Tile) -> DType:
    """The dtype of a tile's array. Raises T235."""
    return BY_NAME["u1"] if tile.dtype.name == "pred" else tile.dtype.ave.in_memory


def accepts(tile: Tile, have: DType) -> bool:
    """True for an array's dtype that a tile takes: its own; of integers and untyped bits any integer of that size, of
    untyped bits any dtype of it."""
    want, kind = dtype_of(tile), tile.dtype.name
    if have.name == want.name or (have.name, kind) in (("bool", "pred"), ("u8", "pred"), ("i8", "pred")):
        return True
    integers = have.name[0] in "ui" and have.name[1:].isdigit() and kind[0] in "usb"
    return have.bits == want.bits and (integers or kind[0] == "b" and kind[1:].isdigit())
