"""Made by `./dev stubs` from src/avelang/pipelines/fixup.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import ends_of as ends_of
from avelang.pipelines.scheduling import sched_barrier as sched_barrier

ACQ_REL: int
VECTORS_AT_ONCE: int
SC1: Any
GLC: Any
CAME: Any
LEFT: Any
SAID: Any
MOST_OWNERS: int
LOOKS: int
MOST_HELD: int
@avelang.struct
class Workspace:
    """Partial sums in global memory. `partials`: (slots, agents, vectors, threads, 4) of f32; `counters`: (runs,
    agents, 1) of u32, all 0 before and after a launch; `tickets`: (agents,) of u32 in shared memory. An agent is a
    warpgroup, whose threads meet at the named barrier BARRIER + agent. MOST: peers of a tile at the most, if all their
    sums are to be loaded at once; 0 for one after another, which takes fewer registers."""
    partials: Any
    counters: Any
    tickets: Any
    BARRIER: al.constexpr
    MOST: al.constexpr = ...
    def store_partial(self, acc: Any, slot: Any, agent: Any, t: Any) -> None:
        """Stores an agent's sums, (vectors, 4)."""
    def arrive(self, peers: Any, agent: Any, t: Any) -> Any:
        """True for the agent that is the last of its peers to come here; what they have stored is visible then."""
    def reduce_partials(self, acc: Any, peers: Any, agent: Any, t: Any) -> None:
        """Adds up the sums of all peers, in the order of K."""
    def fixup(self, acc: Any, work: Any, agent: Any, t: Any) -> Any:
        """Combines the sums of a work tile with those of its peers. True where `acc` is complete, and this agent's to
        store."""
@avelang.jit
def workspace(
    scheduler: Any, partials: Any, counters: Any, sizes: Any, BARRIER: Any, MOST: Any = ..., DTYPE: Any = ...
) -> Workspace:
    """The workspace of this block for a split scheduler. `partials`, `counters`: pointers to scheduler.slots() * blocks
    of a cluster * agents * vectors * 128 * 4 sums, and to as many counters as slots, blocks and agents; `sizes`: those
    three numbers: blocks of a cluster, agents of a block, vectors of an agent's thread. DTYPE: of the sums, of 4
    bytes."""
@avelang.struct
class FixupEpilogue:
    """The epilogue of a split product: brings the sums of a tile's peers together, and gives complete ones to another
    epilogue."""
    workspace: Any
    epilogue: Any
    def __call__(self, acc: Any, work: Any, consumer: Any, t: Any) -> None: ...
def _owners(parts: Any, slices: Any) -> Any:
    """How many of a tile's peers add up slices: as many as there are, at the most."""
@avelang.jit
def peers_here(counter: Any) -> Any:
    """The number of peers that have come, by a look at their counter."""
@avelang.struct
class SharedFixup:
    """The epilogue of a product that a `SplitKScheduler` splits, where the peers of a tile add it up together: each
    adds up slices of it, which `epilogue`, a `TmaEpilogue` with one buffer and pieces of that width, stores. The last
    peer alone would read all parts while the others' multiprocessors have nothing to do.

    Peers that have left their sums look at the tile's counter for a while, where all of them run at a time (`together`,
    of run time). Nobody depends on it: who has looked in vain says so and goes, and the last one to come does what is
    left, as in `Workspace.fixup`. Sums are added in the order of K, whoever does it. PARTS: peers of a tile, 2 to
    CAME.

    A counter has three fields: bits 0 to 7, peers that have come; 8 to 15, owners of slices that need it no more; 16 +
    i, that owner i has gone. It is 0 before a launch; the last owner to need it sets it to 0 again."""
    workspace: Any
    epilogue: Any
    together: Any
    PARTS: al.constexpr
    n: al.constexpr
    def arrive(self, peers: Any, agent: Any, t: Any, OWNERS: Any) -> Any:
        """The owners whose slices are this agent's to add up, a bit each; 0: none."""
    def ask(self, counter: Any, OWNERS: Any) -> Any:
        """The same, by one thread. The last to come is owner 0, and those before it are the next."""
    def reset(self, counter: Any, before: Any, OWNERS: Any) -> None:
        """Sets a counter to 0 if its word before this owner needed it no more says that all others did neither."""
    def reduce_slice(self, acc: Any, peers: Any, agent: Any, t: Any, first: Any) -> None:
        """Adds up vectors of a thread from `first` on, in the order of K."""
    def __call__(self, acc: Any, work: Any, consumer: Any, t: Any) -> None: ...
@avelang.struct
class ClusterReduction:
    """Partial sums in the shared memory of the first block of a cluster whose blocks share a tile. `partials`: (peers -
    1, vectors, threads, 4) of f32; `barrier`: an mbarrier, which counts their bytes."""
    partials: Any
    barrier: Any
    def init(self) -> None:
        """Initializes the mbarrier, by one thread; `expect` must follow, behind the fence."""
    def expect(self) -> None:
        """Says how many bytes will come, by the same thread, before its arrival at the barrier of the cluster."""
    def reduce(self, acc: Any, t: Any) -> Any:
        """Sends a block's sums to the first of its cluster, which adds them up. True there. Each thread comes here
        behind an arrival at the barrier of the cluster, once."""
def _policies(dies: Any) -> Any:
    """The cache policies of stores and of loads."""
@avelang.struct
class BlockPartials:
    """The workspace of one tile that whole blocks share: for each of its parts, vectors of WORDS words of all
    threads."""
    data: Any
    THREADS: al.constexpr
    VECTORS: al.constexpr
    WORDS: al.constexpr
    def place(self, part: Any, vector: Any) -> Any:
        """Number of a thread's vector."""
    def offsets(self, part: Any, vector: Any) -> Any:
        """The same in bytes, on AMD, where a wave's vectors are neighbors: what differs from thread to thread, which is
        one register for all vectors but for what an instruction adds itself (less than 4096), and what does not."""
    def resource(self) -> Any:
        """The buffer resource, on AMD."""
    def store_partial(self, part: Any, vector: Any, some: Any) -> None:
        """Stores a thread's vector for the block that comes last."""
    def load_partial(self, part: Any, vector: Any) -> Any:
        """A thread's vector of a part, as words."""
@avelang.jit
def back_to_zero(count: Any) -> Any:
    """Addend by which a counter of u32 that stands at `count` becomes 0."""
@avelang.jit
def last_block(counters: Any, tile: Any, PARTS: Any, ticket: Any = ...) -> Any:
    """True in the block that is the last of those that share a tile; what they have stored is visible then. Behind it
    the tile's counter is 0 again. `ticket`: a u32 of shared memory that nobody uses any more, or one more is taken."""
@avelang.struct
class BlockWorkspace:
    """A workspace for peers that are whole blocks, of either vendor and of any scheduler: each leaves its sums, and the
    last to come adds all up in the order of K. `partials`: a pointer to slots * THREADS * elements sums of 4 bytes;
    `counters`: to a u32 for each slot, 0 before and behind a launch; `ticket`: as of `last_block`."""
    partials: Any
    counters: Any
    THREADS: al.constexpr
    ticket: Any = ...
    def slot(self, number: Any, shape: Any) -> BlockPartials:
        """A slot, for vectors of such a shape a thread: (vectors, words)."""
    def load_into(self, acc: Any, number: Any, add: Any) -> None:
        """Loads, or adds to `acc`, what a slot has. A few vectors at a time: all at once would take as many registers
        again."""
    def fixup(self, acc: Any, peers: Any) -> Any:
        """Brings together the sums of a tile's peers, (vectors, words) a thread. All threads of the block come here.
        True in the last block to come, where `acc` is complete."""
@avelang.jit
def block_fixup(values: Any, THREADS: Any, partials: Any, counters: Any, peers: Any, PARTS: Any) -> Any:
    """Brings together what the PARTS peers of a `SplitKScheduler` have of a tile, each a whole block. `values`: a
    thread's sums, of f32 or i32. True in the last block to come, which has the sums of all parts in `values`, added in
    the order of the parts."""
@avelang.jit
def reduction_slices(n: Any, WIDTH: Any, PEERS: Any) -> Any:
    """For each of so many peers the first column, and the one behind the last, of the columns of a tile that it adds
    up: whole parts of WIDTH columns, as even as can be."""
@avelang.struct
class ClusterScatter:
    """The epilogue where each of PEERS blocks of a cluster has multiplied a part of K of one tile
    (`ClusterKScheduler`): each adds up a slice of the tile's columns, which the others send into its shared memory, and
    stores it by `epilogue`, a `TmaEpilogue`. `partials`: (peers - 1, consumers, row blocks, vectors, threads, 4) of f32
    or i32, vectors of the widest slice: it may be memory that the mainloop used; `barrier`: an mbarrier, which counts
    their bytes. SHARERS: blocks of the cluster with one part of K. Sums are added in the order of K: the same bits in
    every run. `workspace`: where clusters, too, share a tile (`SplitKScheduler` below the other), each block brings its
    slice together there."""
    partials: Any
    barrier: Any
    epilogue: Any
    n: al.constexpr
    PEERS: al.constexpr
    SHARERS: al.constexpr = ...
    workspace: Any = ...
    def init(self) -> None:
        """Initializes the mbarrier, by one thread; `expect` must follow, behind the fence."""
    def expect(self) -> None:
        """Says how many bytes will come, by the same thread, before its arrival at the barrier of the cluster."""
    def send(self, acc: Any, consumer: Any, t: Any, peer: Any, rank: Any) -> None:
        """Sends to each other peer its slice."""
    def add(self, acc: Any, consumer: Any, t: Any, PEER: Any, r: Any, v: Any, first: Any) -> None:
        """Adds up four sums, in the order of K."""
    def __call__(self, acc: Any, work: Any, consumer: Any, t: Any) -> None: ...
