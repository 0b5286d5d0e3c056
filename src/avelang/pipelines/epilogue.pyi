"""Made by `./dev stubs` from src/avelang/pipelines/epilogue.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import GROUP as GROUP
from avelang.pipelines.warp_specialized import PATTERN as PATTERN
from avelang.pipelines.warp_specialized import ROWS as ROWS
from avelang.pipelines.warp_specialized import UNIT as UNIT

STORE_BARRIER: int
@avelang.jit
def swizzled(chunk: Any, row: Any, CHUNKS: Any) -> Any:
    """The place of a chunk of 16 bytes in a row of so many, as TMA reads them: chunk c of row r is at c ^ (r % 8) where
    there are 8. Rows of 64 or 32 bytes have patterns of as many bytes: c ^ (r // 2 % 4), c ^ (r // 4 % 2). Rows of an
    odd number of chunks have none: eight of them fall on all banks as they are."""
@avelang.jit
def stage_epilogue(staged: Any, acc: Any, warp: Any, lane: Any) -> None:
    """Writes a warpgroup's 64 rows of 128 bytes or fewer, or of an odd number of chunks, to `staged` (rows, chunks,
    elements), as of `swizzled`."""
@avelang.jit
def stage_transposed(staged: Any, acc: Any, warp: Any, lane: Any) -> None:
    """Writes a warpgroup's 64 rows, of 16-bit elements, to `staged` (columns, chunks, elements) as columns, swizzled as
    TMA reads them."""
@avelang.jit
def staging(CONSUMERS: Any, n: Any, dtype: Any) -> Any:
    """Shared memory in which each consumer stages 128 bytes of its 64 rows: twice, where tiles of n columns have an
    even number of such parts, since each tile begins with the first buffer again."""
@avelang.jit
def ends_of(work: Any) -> Any:
    """Behind the last row and column of C that a work tile has: the first ones of those that are past the end."""
@avelang.struct
class StagedScales:
    """Scales of the rows and columns of tiles, which a consumer's threads copy to shared memory when a tile begins:
    they are there when its sums are. `factor`: a number; `rows`, `cols`: f32, (count,), or None; `held`: (consumers,
    HIGH rows and the columns of a tile). PINGPONG: each consumer has a whole tile."""
    factor: Any
    rows: Any
    cols: Any
    held: Any
    HIGH: al.constexpr
    PINGPONG: al.constexpr = ...
    def begin(self, stage: Any, work: Any, consumer: Any, t: Any) -> None:
        """Begins the copies of a tile, by all threads of a consumer: `ready` of `warp_specialized.run`. Those of the
        tile before have been read."""
    def copy(self, scales: Any, first: Any, consumer: Any, AT: Any, COUNT: Any, t: Any) -> None:
        """Begins the copy of COUNT scales from `first` on to place AT; past the last one, that of the last one."""
    def wait(self, consumer: Any) -> None:
        """Waits for all copies of a tile."""
    def done(self, consumer: Any) -> None:
        """Waits until all threads of a consumer have read: copies for the next tile may begin."""
    def __call__(self, acc: Any, consumer: Any, block: Any, first: Any, t: Any) -> Any:
        """Sums of 64 rows, the `block`-th ones of a consumer, from column `first` on, in f32, times their scales."""
@avelang.struct
class TmaEpilogue:
    """Stores a warpgroup's rows by TMA, 128, 64 or 32 bytes of each at a time, or an odd number of times 16. `C`: a
    tensor map; `staged`: of `staging`, or with fewer chunks, or an odd number. `bias`: f32 or narrower, one number a
    column, or None; `activation`: a function of a vector of f32, or None. To be called as the epilogue of
    `warp_specialized.run`, with the accumulators of 64 rows, (n / 2,), or of several times 64, (row blocks, n / 2).

    TRANSPOSED: the work tile is one of C^T, of B A^T that is; `bias` has one number a row of it, `staged` has the
    columns of a piece for rows (consumers, buffers, columns, 8, 8), and elements have 16 bits. PINGPONG: each consumer
    has a whole tile. ADD: what is stored is added to what is there, rounded to the dtype of C first and then again.
    `c`: the memory of C, in vectors of 16 bytes, (rows, vectors, elements): rows past the end of a work tile are not
    written; threads store the 64 rows that have such. Or its elements, (rows, columns) or (batches, rows, columns),
    which begin anywhere: threads store all of them, one by one, and there is no `C`.
    `scales`: a number, and f32 for each row and for each column of the work tiles, (count,) or pairs (count / 2, 2), or
    None for either, by which sums are multiplied first; or None; or `StagedScales`."""
    C: Any
    staged: Any
    bias: Any = ...
    activation: Any = ...
    TRANSPOSED: al.constexpr = ...
    PINGPONG: al.constexpr = ...
    ADD: al.constexpr = ...
    scales: Any = ...
    c: Any = ...
    def scaled(self, acc: Any, row: Any, col: Any, t: Any) -> Any:
        """The sums in f32, times the scales of their rows and columns."""
    def scale(self, scales: Any, at: Any) -> Any:
        """The scale of a row or column; past the last that of the last one."""
    def apply(self, acc: Any, row: Any, col: Any, t: Any) -> Any:
        """Multiplies by the scales, adds the bias, from column `col` on (TRANSPOSED: `row`), and applies the
        activation."""
    def __call__(self, acc: Any, work: Any, consumer: Any, t: Any) -> None: ...
    def store_rows(self, buffer: Any, row: Any, col: Any, end: Any, t: Any) -> None:
        """Stores the rows before `end` of what is staged in a buffer, of all consumers', 16 bytes a thread."""
    def store_elements(self, buffer: Any, row: Any, col: Any, t: Any, batch: Any) -> None:
        """Stores what is staged in a buffer, of all consumers', from `row` and `col` of C on: neighbors by neighboring
        threads."""
    def width(self) -> Any:
        """Columns of a tile that are staged at a time."""
    def stage(self, part: Any, consumer: Any, t: Any, BUFFER: Any) -> None:
        """Puts a piece into a buffer, when that is free."""
    def send(self, row: Any, col: Any, consumer: Any, t: Any, BUFFER: Any, batch: Any, ends: Any) -> None:
        """Stores a piece to C, from `row` and `col` on."""
    def store(
        self, acc: Any, row: Any, col: Any, consumer: Any, t: Any, NUMBER: Any = ..., FIRST: Any = ..., END: Any = ..., batch: Any = ..., ends: Any =
        ...
    ) -> None:
        """Stores columns FIRST to END of 64 rows, from `row` and `col` of C on, the NUMBER-th ones of a tile. `batch`:
        as of `WorkTile`; `ends`: of rows and columns of C, from which on nothing is staged; with `c` they must be
        given."""
@avelang.jit
def lane_anew() -> Any:
    """The lane of its wave, such that LLVM takes it for another number each time: what is computed of it in a loop over
    tiles is not held in registers while a tile's loop over K runs."""
OUT_OF_RANGE: Any
@avelang.struct
class BufferEpilogue:
    """Stores a wave's rows by buffer stores of AMD, four neighbors of a row at a time. `c`: a tensor that begins at the
    tile's first row; WIDE: its rows begin where four elements may be stored at once. `bias`, `activation`: as of
    `TmaEpilogue`, of four neighbors."""
    c: Any
    WIDE: al.constexpr
    bias: Any = ...
    activation: Any = ...
    def apply(self, acc: Any, col: Any) -> Any:
        """Adds the bias of four columns, and applies the activation."""
    def store(self, acc: Any, wave_row: Any, wave_col: Any, lane: Any = ...) -> None:
        """Stores accumulators of MFMA's 16 x 16 blocks (rows, columns, 4), of which a lane has four neighbors of a row.
        What is past the last row or column is out of the buffer's range, and is dropped. `lane`: of its wave, of a
        block that makes several tiles as `lane_anew` has it."""
