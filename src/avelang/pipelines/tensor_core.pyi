"""Made by `./dev stubs` from src/avelang/pipelines/tensor_core.py."""

import dataclasses
from typing import Any

import avelang
import avelang.language as al
from avelang.base.functions import Function
from avelang.isa.nvptx.tcgen05 import InstructionDescriptor as InstructionDescriptor
from avelang.pipelines.ring import cluster_sync as cluster_sync

PATTERN: int
ROWS: int
INNER: int
UNIT: int
COLUMNS: int
WARP: int
EPILOGUE: int
OTHERS: int
REGISTERS: Any
THREADS: Any
PART: int
STORE_BARRIER: int
KINDS: Any
def instruction(kind: str, m: int, n: int, a: str, b: str, d: str = ..., **more: Any) -> int:
    """The instruction descriptor of a product: the 32 bits that say what `tcgen05_mma_KIND` computes. `a`, `b`, `d`:
    PTX's names of types, such as "bf16", "e4m3", "f32"; `more`: fields of `isa.nvptx.tcgen05.InstructionDescriptor`,
    such as `a_mn=True`."""
@avelang.constant
@dataclasses.dataclass(frozen=True)
class TensorCoreProduct:
    """The work of a block: its tile is `m` x `n`, in steps of 128 bytes along K; `stages` of the ring; `pair`: two
    blocks of a cluster multiply twice as many rows together. `m` is 64 or, in products of 128 rows, a multiple of 128.
    `idesc`: the instruction descriptor, of `isa.nvptx.tcgen05`, of all rows of a product. `warps`: of the epilogue, 4
    or 8."""
    n: int
    stages: int
    dtype: Any
    idesc: int
    pair: bool = ...
    m: int = ...
    warps: int = ...
    @property
    def group(self) -> int:
        """Blocks that multiply together."""
    @property
    def k(self) -> int:
        """Elements along K of a stage."""
    @property
    def own(self) -> int:
        """Columns of B in a block's shared memory."""
    @property
    def bytes(self) -> int:
        """Bytes of a stage of a block."""
    @property
    def row_blocks(self) -> int:
        """Products of all columns that make up a block's tile."""
    @property
    def buffers(self) -> int:
        """Tiles of accumulators in tensor memory."""
    @property
    def columns(self) -> int:
        """Columns of tensor memory to allocate."""
    @property
    def lends(self) -> bool:
        """True where warps that copy and multiply give registers to eight of an epilogue, of which each thread has half
        of the sums of a row of more than 128 columns. Registers go from warpgroup to warpgroup."""
    @property
    def threads(self) -> int:
        """Threads of the block."""
@avelang.struct
class Accumulators:
    """Accumulators in tensor memory, `BUFFERS` of them: `full` when the products of a tile are done, `empty` when the
    epilogues of both blocks have read them."""
    full: Any
    empty: Any
    slot: Any
    BUFFERS: al.constexpr
    def init(self, THREADS: Any) -> None:
        """Initializes the mbarriers, by one thread; THREADS of the epilogues arrive at `empty`."""
@avelang.jit
def accumulators(BUFFERS: Any) -> Accumulators:
    """Allocates mbarriers and the place of the address of tensor memory."""
@avelang.jit
def copy_box(G: Any, stage: Any, x: Any, row: Any, k: Any, bar: Any) -> None:
    """Copies a box to a stage by TMA, which reports to the block that multiplies."""
@avelang.jit
def produce(G: Any, A: Any, B: Any, a: Any, b: Any, ring: Any, scheduler: Any, span: Any, rank: Any) -> None:
    """One thread's part: fills stages, unit after unit."""
@avelang.jit
def finish(G: Any, bar: Any) -> None:
    """One arrival when the thread's products are done, at an mbarrier of the block, or at those of both."""
@avelang.jit
def next_buffer(G: Any, buffer: Any) -> None:
    """The other accumulator of tensor memory, in turn."""
@avelang.jit
def issue(G: Any, a: Any, b: Any, ring: Any, held: Any, scheduler: Any, span: Any, tensor: Any, mma: Function) -> None:
    """One thread's part, for the block or the pair: the products of all tiles. `mma`: the instruction, of the place of
    D, two descriptors, the instruction descriptor and whether D is added to."""
@avelang.jit
def store_tiles(G: Any, held: Any, scheduler: Any, span: Any, tensor: Any, rank: Any, epilogue: Function) -> None:
    """The part of the epilogue's warps. `epilogue(G, here, work, held, stage)` gets the address of the first of the 32
    lanes that its warp reaches, reads them, and says `give_back`."""
@avelang.jit
def give_back(G: Any, held: Any, stage: Any) -> None:
    """The thread has read the accumulators: the block that multiplies may write them again."""
@avelang.jit
def load_sums(at: Any, SUMS: Any) -> Any:
    """The f32 (or other) accumulators of a lane, PART columns from an address on."""
@avelang.struct
class TensorEpilogue:
    """Stores a block's 128 rows by TMA, 128 bytes of each at a time. `C`: a tensor map of boxes of 128 rows of 128
    bytes, swizzled; `staged` (buffers, 128, 8, elements). `bias`: one number a column, or None; `activation`: a
    function of a vector of f32, or None."""
    C: Any
    staged: Any
    bias: Any = ...
    activation: Any = ...
    SUMS: al.constexpr = ...
    def __call__(self, G: Any, here: Any, work: Any, held: Any, stage: Any) -> None: ...
    def apply(self, sums: Any, n: Any) -> Any:
        """Adds the bias from column n on, and applies the activation."""
    def tail(self) -> None:
        """Waits for the stores."""
@avelang.jit
def run(G: Any, A: Any, B: Any, a: Any, b: Any, ring: Any, scheduler: Any, mma: Function, epilogue: Function) -> None:
    """The body of a kernel of `G.threads` threads: mbarriers, tensor memory, and the roles. `ring`: of
    `mbarrier_ring(stages, 1)`; the scheduler's clusters are of `G.group` blocks in a column."""
