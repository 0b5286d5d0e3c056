"""Made by `./dev stubs` from src/avelang/pipelines/warp_specialized.py."""

import dataclasses
from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.pipelines.ring import cluster_coords as cluster_coords
from avelang.pipelines.ring import load_box as load_box
from avelang.pipelines.ring import producer_load as producer_load

PATTERN: int
GROUP: int
ROWS: int
UNIT: int
INNER: int
REGISTERS: Any
CLEAR_BARRIER: int
LEAST_BOX: int
ORDER_BARRIER: int
def box_of(rows: int) -> int:
    """The rows that TMA copies at once of those that a block copies of an operand: `LEAST_BOX` or more, so that there
    are few copies, and few rows past the end of a matrix among them."""
@avelang.constant
@dataclasses.dataclass(frozen=True)
class WarpSpecialized:
    """The work of a block: its tile is m x n, `row_blocks`, one or two, of 64 rows for each consumer, in steps of 128
    bytes along K; `stages` of the ring; `cluster_m`, `cluster_n`, `cluster_k`: blocks of its cluster along rows and
    columns of C and along K. `dtype`: of A and B. `pingpong`: two consumers take tiles in turn. `a_mn`, `b_mn`:
    neighbors in memory lie along M of A, along N of B, and not along K; of 16 bits, in atoms of 64 rows of the tile by
    `k`. `a_box`, `b_box`: rows that TMA copies at once of an operand whose neighbors lie along K; 0: as many as the
    block copies of it."""
    m: int
    n: int
    stages: int
    dtype: Any
    cluster_m: int = ...
    cluster_n: int = ...
    cluster_k: int = ...
    row_blocks: int = ...
    pingpong: bool = ...
    a_mn: bool = ...
    b_mn: bool = ...
    a_box: int = ...
    b_box: int = ...
    @property
    def k(self) -> int:
        """Elements along K of a stage."""
    @property
    def consumers(self) -> int:
        """Warpgroups that multiply."""
    @property
    def sharers(self) -> int:
        """Consumers that read a stage."""
    @property
    def cluster(self) -> int:
        """Blocks of a cluster."""
    @property
    def threads(self) -> int:
        """Threads of the block."""
    @property
    def bytes(self) -> int:
        """Bytes of a stage."""
    @property
    def registers(self) -> tuple[int, int]:
        """Registers of a thread of the producer, and of a consumer."""
@avelang.jit
def rows_loaded(work: Any, ROWS_OF_TILE: Any, EACH: Any) -> Any:
    """The count of a tile's rows that are copied, EACH at a time: those from `work[1]` on are not, but for what one
    copy has of them. All, where EACH is 0: then one copy has all."""
@avelang.jit
def load_operand(
    ring: Any, state: Any, stages: Any, x: Any, row: Any, k: Any, part: Any, PARTS: Any, APART: Any, shift: Any, MN: Any, BOX: Any = ..., count: Any
    = ...
) -> None:
    """Copies an operand's part of a stage. MN: `x` has K for rows; atoms of 64 columns of it follow one another, and
    blocks that want the same copy rows of each. BOX: rows of a copy, or 0; `count`: rows of the tile that are copied,
    of `rows_loaded`: TMA takes longer to write zeros for rows past the end of a matrix than to copy others, and what a
    stage has of rows that nobody stores does not matter. `x`: as of `producer_load`."""
@avelang.jit
def clear_first(G: Any, operands: Any, stage: Any, count: Any, consumer: Any, t: Any) -> None:
    """Writes zeros over the first `count` elements of K of a stage of each operand, whose neighbors do not lie along K:
    those of another group, whatever they are. All consumers that read the stage call it."""
@avelang.jit
def descriptor(stage: Any, MN: Any) -> Any:
    """The descriptor of an operand's rows, and how far the next `INNER` bytes' worth of K are."""
@avelang.jit
def operand_of(x: Any, work: Any, WHICH: Any) -> Any:
    """An operand of a unit, as `producer_load` takes it: `x` is a tensor map, of three dimensions where the unit says
    which matrix of it; or such a one, one of two dimensions, and the number of the matrix that is read by that."""
@avelang.jit
def produce(
    G: Any, A: Any, B: Any, a: Any, b: Any, ring: Any, scheduler: Any, span: Any, gate: Function | None = ...
) -> None:
    """One thread's part: fills stages, unit after unit. `gate(work)` waits until the unit's operands are there."""
@avelang.jit
def multiply(G: Any, a: Any, b: Any, stage: Any, consumer: Any, acc: Any, mma: Function) -> Any:
    """Begins a consumer's products of a stage. `mma`: the instruction, of two descriptors and accumulators."""
@avelang.jit
def multiply_two(G: Any, a: Any, b: Any, stage: Any, consumer: Any, upper: Any, lower: Any, mma: Function) -> Any:
    """The same for two blocks of 64 rows."""
@avelang.jit
def mainloop(
    G: Any, a: Any, b: Any, ring: Any, state: Any, steps: Any, consumer: Any, t: Any, zero: Function, mma: Function, handoff: Function | None = ...,
    ready: Function | None = ..., unit: Any = ...
) -> Any:
    """The sums of a consumer's rows over so many steps: (n / 2,), or (2, n / 2) for two row blocks. `zero()`:
    accumulators of 64 rows to begin with. `handoff()` is called when the consumer needs no further stage,
    `ready(stage, *unit)` when the first one has come."""
@avelang.jit
def consume(
    G: Any, a: Any, b: Any, ring: Any, scheduler: Any, span: Any, consumer: Any, t: Any, zero: Function, mma: Function, epilogue: Function, ready:
    Function | None = ...
) -> None:
    """A warpgroup's part: its rows of each unit, given to `epilogue(acc, work, consumer, t)`."""
@avelang.jit
def take_turns(
    G: Any, a: Any, b: Any, ring: Any, scheduler: Any, span: Any, consumer: Any, t: Any, zero: Function, mma: Function, epilogue: Function, ready:
    Function | None = ...
) -> None:
    """A ping-pong consumer's part: every second unit. It waits for its stages only when the other one has all of its
    own: the parity of an mbarrier tells neighboring phases apart, and no others."""
@avelang.jit
def run(
    G: Any, A: Any, B: Any, a: Any, b: Any, ring: Any, scheduler: Any, zero: Function, mma: Function, epilogue: Function, gate: Function | None =
    ..., ready: Function | None = ...
) -> None:
    """All units of a scheduler that are this block's. `A`, `B`: tensor maps, or as of `operand_of`; `a`, `b`: stages in
    shared memory; `ring`: behind `init` and a barrier; `zero()`: accumulators of 64 rows, (n / 2,); `mma(rows, cols,
    acc)`: the `wgmma`; `epilogue(acc, work, consumer, t)` gets each unit's sums, `t`: number of the thread in the
    warpgroup. With `cluster_k` it waits for the cluster's other blocks once. `gate(work)`, by the producer, waits until
    a unit's operands are there; there is no code for it without one. `ready(stage, work, consumer, t)`, by consumers,
    may change the first stage of a unit before it is multiplied."""
