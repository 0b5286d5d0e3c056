"""`ptx.tma`: boxes of tensor maps of rank 3 (`Tile(..., tma_rank=3)`): an array's columns of 64 elements beside each
other, so that a tile of several such columns is one copy. Coordinates are (0, row, column / 64)."""

from __future__ import annotations

from typing import Any

import pyptx.ptx.clusters as cluster
import pyptx.types as t
from pyptx._errors import bad_type, bad_value
from pyptx._operands import at, emit
from pyptx._registers import Reg, scalar
from pyptx.ptx.cp import checked, load_box, store_box

COLUMNS = 64


def _coords(call: str, row: Any, col: Any, coords: Any) -> tuple[Any, ...]:
    """The coordinates. Raises TypeError and ValueError (T241)."""
    if coords is not None:
        return checked(call, coords, 3)
    if row is None or col is None:
        raise bad_type(call, "it takes row= and col=, or coords=")
    if isinstance(col, Reg):
        group = scalar(t.u32)
        emit(("shr", "u32"), group, col.value(), 6)
    else:
        group = col // COLUMNS
    return 0, row, group


def load_3d(
    dst: Any, src: Any, row: Any = None, col: Any = None, mbar: Any = None, coords: Any = None, *, pred: Any = None
) -> None:
    """Loads a box; its bytes count on an mbarrier."""
    place = at(src, _coords("ptx.tma.load_3d", row, col, coords))
    load_box("3d", dst, place, mbar, mode=".tile", pred=pred)


def load_3d_multicast(
    dst: Any, src: Any, row: Any = None, col: Any = None, mbar: Any = None, mask: Any = None, coords: Any = None, *,
    issuer: Any = None, pred: Any = None,
) -> None:  # fmt: skip
    """The same into each block of the cluster that `mask` (a b16 register) names. `issuer`: the rank of the block that
    does it, or a predicate that says so. Raises ValueError (T241) for `issuer` beside `pred`."""
    if issuer is not None and pred is not None:
        raise bad_value("ptx.tma.load_3d_multicast", "issuer= and pred= are both guards: give one")
    if mask is None:
        raise bad_value("ptx.tma.load_3d_multicast", "mask is missing: the blocks that get the data")
    if isinstance(issuer, int):
        pred = cluster.rank(issuer)
    elif issuer is not None:
        pred = issuer
    place = at(src, _coords("ptx.tma.load_3d_multicast", row, col, coords))
    load_box("3d", dst, place, mbar, mode=".tile", mask=mask, pred=pred)


def store_3d(dst: Any, src: Any, row: Any = None, col: Any = None, coords: Any = None, *, pred: Any = None) -> None:
    """Stores a box; `dst` is the tensor map."""
    store_box("3d", at(dst, _coords("ptx.tma.store_3d", row, col, coords)), src, mode=".tile", pred=pred)
