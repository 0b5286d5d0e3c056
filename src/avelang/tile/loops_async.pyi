"""Made by `./dev stubs` from src/avelang/tile/loops_async.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import copy_ring as copy_ring
from avelang.tile.banks import Swizzle as Swizzle
from avelang.tile.shared import SharedTile as SharedTile
from avelang.tile.shared import shared as shared
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.windows import Window as Window

NONE: Any
@avelang.jit
def fill(ring: Any, stage: Any, operands: Any, WHOLE: Any = ...) -> None:
    """Begins the copies of a tile of K to a stage. `operands`: (window, stages in shared memory, columns by which the
    window moves) of A and of B. `WHOLE`: no row of it is outside of its view."""
@avelang.jit
def asynchronous(G: Any, A: Any, B: Any, k: Any, STAGES: al.constexpr = ...) -> DistributedTile:
    """Tiles go straight into shared memory, `STAGES` - 1 of them in flight while one is multiplied."""
@avelang.jit
def preshuffled(G: Any, A: Any, B: Any, k: Any, STAGES: al.constexpr = ...) -> DistributedTile:
    """B lies in global memory as its fragments do (`preshuffle`). With a ring (NVIDIA) it is copied into shared memory
    as it lies, beside A, and each lane reads its 16 bytes of it: few warps have no registers for what must be in flight
    to keep memory busy. Else `loops.preshuffled`."""
@avelang.jit
def as_it_lies(shape: Any, dtype: Any, buffers: Any) -> SharedTile:
    """Room for tiles without a swizzle: lanes read neighbors."""
@avelang.jit
def edges_apart(G: Any, A: Any, B: Any, a: Any, b: Any, of_b: Any, k: Any, STAGES: Any) -> DistributedTile:
    """The tile of C. Tiles at the edges have a loop of their own: the others do not pay for the comparisons. `of_b`: as
    of `ahead`."""
@avelang.jit
def has_rows(window: Any) -> Any:
    """True where all rows of a window are inside of its view; False for windows that cannot tell."""
@avelang.jit
def simple(G: Any, A: Any, B: Any, k: Any, STAGES: Any) -> DistributedTile:
    """A tile's fragments are read and multiplied in one go."""
@avelang.jit
def ahead(G: Any, A: Any, B: Any, a: Any, b: Any, of_b: Any, acc: Any, k: Any, STAGES: Any, WHOLE: Any) -> None:
    """A fragment is one instruction deep; while one is multiplied, the next one is read. `of_b`: how fragments of B lie
    in its tile, in shared memory."""
