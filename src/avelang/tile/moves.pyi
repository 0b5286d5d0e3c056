"""Made by `./dev stubs` from src/avelang/tile/moves.py."""

from typing import Any

import avelang
from avelang.base.places import wrong as wrong
from avelang.tile.numbers import as_vector as as_vector
from avelang.tile.numbers import linear_place as linear_place

def refuse(what: str, want: str, got: Any) -> None:
    """Raises T301."""
@avelang.jit
def thread_coord(dist: Any, thread: Any = ...) -> Any:
    """Coordinates of a lane's first element in a tile: a coordinate (u32) for each dimension. `thread`: its number
    among those of the distribution, of the block if None."""
@avelang.jit
def is_first(dist: Any, thread: Any = ...) -> Any:
    """True for the first lane of those that hold the same elements: True at compile time where there are no
    others."""
@avelang.jit
def place(x: Any, dist: Any, thread: Any = ...) -> Any:
    """A lane's registers of a tile in another distribution, to whose shape it broadcasts: as they are, or in another
    order; where other lanes hold some, through shared memory, and all lanes of the block call it."""
@avelang.jit
def place_formula(formula: Any, dist: Any, thread: Any = ...) -> Any:
    """A lane's registers of a formula, of a shape that broadcasts to that of `dist`."""
@avelang.jit
def through_shared(x: Any, dist: Any, thread: Any = ..., places: Any = ...) -> Any:
    """A lane's registers of a tile in another distribution, by way of shared memory. `places`: which element is which
    (`placement.TilePlaces`), where it is not the one at the same coordinates."""
@avelang.jit
def place_of(P: Any, at: Any, step: Any) -> Any:
    """Number of the element that is wanted at coordinates `at` + `step`."""
