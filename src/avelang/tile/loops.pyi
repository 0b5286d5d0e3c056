"""Made by `./dev stubs` from src/avelang/tile/loops.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.lds import alternate_barrier as alternate_barrier
from avelang.pipelines.lds import lds_mainloop as lds_mainloop
from avelang.pipelines.ring import wait_loads as wait_loads
from avelang.pipelines.scheduling import DS_READ as DS_READ
from avelang.pipelines.scheduling import DS_WRITE as DS_WRITE
from avelang.pipelines.scheduling import VALU as VALU
from avelang.pipelines.scheduling import VMEM_READ as VMEM_READ
from avelang.pipelines.scheduling import sched_barrier as sched_barrier
from avelang.pipelines.scheduling import sched_interleave as sched_interleave
from avelang.pipelines.scheduling import setprio as setprio
from avelang.pipelines.scheduling import spread as spread
from avelang.tile.shared import shared as shared
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.transforms import as_preshuffled as as_preshuffled
from avelang.tile.transforms import expectation as expectation
from avelang.tile.views import TensorView as TensorView
from avelang.tile.windows import static_values as static_values

@avelang.jit
def product(G: Any, acc: Any, a: Any, b: Any, buffer: Any) -> None:
    """Adds the product of the tiles in a buffer."""
@avelang.jit
def alloc_shared(G: Any, buffers: Any) -> Any:
    """Shared memory for so many tiles of A and of B."""
@avelang.jit
def make_acc(G: Any) -> Any:
    """Registers for a block's C, zero, as the instruction's `lower` has accumulators."""
@avelang.jit
def acc_tile(G: Any, acc: Any) -> DistributedTile:
    """The accumulators as a tile of C."""
@avelang.jit
def one_buffer(G: Any, A: Any, B: Any, k: Any, AHEAD: Any) -> DistributedTile:
    """One buffer. `AHEAD`: the next tile comes into registers during the products; else load, store and products follow
    one another."""
@avelang.jit
def load_half(operands: Any, half: Any, depth: Any) -> None:
    """Asks global memory for the next half of a tile. `operands`: (window, registers) of each."""
def early_rows(I: Any) -> Any:
    """Count of the I rows of fragments that are multiplied before the barrier of a half. Behind it stand all other
    reads, stores and loads: spread over few products, they fill the queues of LDS and memory."""
@avelang.jit
def double_buffer(G: Any, A: Any, B: Any, k: Any) -> DistributedTile:
    """Two buffers, each of half a tile of K. While one is multiplied, the next one's fragments are read, the one after
    that is stored where all waves have read, and global memory is asked for the same half of the tile after the next: a
    whole tile before it is stored."""
@avelang.jit
def fragment_sets(H: Any) -> Any:
    """Registers for two sets of B's fragments: one to multiply, one to read into."""
def one_fragment(G: Any) -> Any:
    """The block's product with one fragment along K."""
@avelang.jit
def direct(G: Any, A: Any, B: Any, k: Any, STAGES: al.constexpr = ...) -> DistributedTile:
    """As `double_buffer`, but global memory is loaded straight into LDS, `STAGES` tiles of K in buffers one fragment
    deep. Each buffer is an allocation of its own: LLVM then sees that a read of one need not wait for loads to
    another."""
@avelang.jit
def copy(A: Any, B: Any, a: Any, b: Any, depth: Any) -> None:
    """Begins the copies of a tile of K to LDS."""
@avelang.jit
def ping_pong(G: Any, A: Any, B: Any, k: Any) -> DistributedTile:
    """Two buffers and two groups of waves, which take turns: while one group reads fragments and copies, the other
    multiplies, and asks global memory for what it will copy in its next turn. The second group is one barrier
    behind."""
@avelang.jit
def refill(G: Any, of_a: Any, of_b: Any, half: Any) -> None:
    """Reads the fragments of one buffer and fills the other one: (buffers, fragments, the tile that has come) of A and
    of B."""
@avelang.jit
def preshuffled_view(G: Any, B: Any) -> TensorView:
    """A view of B, of n x k, as `preshuffle` wrote it: a row for each row of units. Raises T313 for one that lies in
    another way."""
@avelang.jit
def preshuffled(G: Any, A: Any, B: Any, k: Any) -> DistributedTile:
    """Two buffers for A, each of half a tile of K, as of `double_buffer`; B lies in global memory as its fragments do
    (`preshuffle`) and goes straight into registers: half a tile ahead, or three halves where few registers hold the
    sums."""
new_sums: Any
tile_of_sums: Any
