"""Made by `./dev stubs` from src/avelang/tile/streams.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import wait_loads as wait_loads
from avelang.pipelines.scheduling import MFMA as MFMA
from avelang.pipelines.scheduling import VALU as VALU
from avelang.pipelines.scheduling import VMEM_READ as VMEM_READ
from avelang.pipelines.scheduling import sched_barrier as sched_barrier
from avelang.pipelines.scheduling import sched_group as sched_group
from avelang.pipelines.scheduling import sched_interleave as sched_interleave
from avelang.tile.distribution import WORD as WORD
from avelang.tile.shared import shared as shared
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import thread_coord as thread_coord
from avelang.tile.windows import load_vector as load_vector
from avelang.tile.windows import load_words as load_words

@avelang.struct
class StreamedVectors:
    """A lane's vectors of a window in global memory, for loads of whole tiles: `offsets`, one for each row of
    the plan: bytes from the resource's base, or rows of the tensor (then the last one for rows that are outside);
    `rows`: which of them each vector has."""
    window: Any
    plan: al.constexpr
    rows: al.constexpr
    offsets: Any
    def load(self, pieces: Any, begin: Any, end: Any) -> None:
        """The vectors `begin` to before `end`, in the order of the lane's registers, into `pieces` (vectors, words). No
        column is outside."""
    def move(self, by: Any) -> None:
        """Moves on by so many columns."""
def rows_of(plan: Any) -> Any:
    """The rows at which vectors begin, each once, and for each vector which of them it is."""
@avelang.jit
def streamed_vectors(window: Any) -> StreamedVectors:
    """The `StreamedVectors` of a window that has a distribution."""
@avelang.struct
class OperandStages:
    """A's tiles of K in flight: `x` has the fragments of the tile that is multiplied (steps, fragments, words); the
    next one is in `held`, in flight from global memory, and goes through one of two buffers of shared memory into `x`,
    step by step as those become free."""
    window: Any
    memory: Any
    held: Any
    x: Any
    G: al.constexpr
    def store_shared(self, values: Any, buffer: Any) -> None:
        """Stores a tile to shared memory."""
    def fetch(self, values: Any) -> None:
        """Begins the loads of a tile."""
    def read(self, buffer: Any, begin: Any, end: Any) -> None:
        """Reads a tile's fragments of some steps."""
    def next_tile(self, buffer: Any) -> None:
        """The next tile into `x`, when all of the one that is there has been multiplied."""
@avelang.jit
def make_stages(G: Any, window: Any) -> Any:
    """The first tile in flight into `first`, the second behind it."""
@avelang.jit
def begin(stages: Any, first: Any) -> None:
    """The first tile into `x`, by buffer 0."""
@avelang.jit
def add(G: Any, acc: Any, stages: Any, y: Any) -> None:
    """Adds the products of a tile."""
@avelang.jit
def tile_and_next(G: Any, lanes: Any, pieces: Any, stages: Any, acc: Any, y: Any, buffer: Any) -> None:
    """The product of a tile; each fragment of B is asked for again as soon as it has been multiplied. A's next tile
    comes by a buffer: there is time for it to arrive there before half of the steps are done, and for its fragments
    afterwards."""
@avelang.jit
def whole_tiles(G: Any, B: Any, stages: Any, first: Any, acc: Any, y: Any, count: Any) -> None:
    """The products of `count` tiles of K, all columns of which are inside; the last one is left to do."""
@avelang.jit
def streamed(G: Any, A: Any, B: Any, k: Any, STAGES: al.constexpr = ...) -> DistributedTile:
    """With cp.async both by a ring of `STAGES` tiles in shared memory: registers would not hold the bytes that must be
    in flight to keep memory busy. Else B straight into registers."""
@avelang.jit
def register_stream(G: Any, A: Any, B: Any, k: Any) -> DistributedTile:
    """B straight into registers, one tile of K ahead; A by two buffers. The tile of K that is no whole one comes last,
    by itself."""
@avelang.jit
def any_tiles(G: Any, B: Any, stages: Any, acc: Any, y: Any, done: Any, all: Any) -> None:
    """The products of the other tiles of K, of which columns may be outside; the first of A's is in `x`."""
