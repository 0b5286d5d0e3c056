"""Fixup of tiles whose K is split: accumulators of each peer come in; the sums of all, in the order of K, go out at one
of them. Nobody waits: each peer leaves its sums in a workspace, and the last one to come adds all up. Peers that are
blocks of a cluster send theirs into the shared memory of the first of them instead, which takes half the time. Either
way the order of the additions is fixed: the same bits in every run."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import ends_of
from avelang.pipelines.scheduling import sched_barrier

ACQ_REL = 3
VECTORS_AT_ONCE = 8  # of a peer's sums that a block loads before it adds them
# Cache policies of AMD, for stores and loads of sums that go from one block to another: where there are several dies
# (gfx942, gfx950: sc1), through to where all of them look; where there is one L2 (gfx90a), only reads (glc) must pass
# by the caches above. Source: LLVM, "User Guide for AMDGPU Backend", memory models of gfx90a and gfx942.
SC1, GLC = 16, 1
# Fields of the counter of `SharedFixup`, and a bit of what `ask` gives: the counter knows that this owner is done.
CAME, LEFT, SAID = 255, 256, 1 << 31
MOST_OWNERS = 15  # bits for those that have gone, less the one that `SAID` takes
LOOKS = 64  # at a counter, each a way to L2 and back: blocks that run at a time and have as much to do come sooner
MOST_HELD = 32  # vectors of sums that a thread loads before it adds them


@avelang.struct
class Workspace:
    """Partial sums in global memory. `partials`: (slots, agents, vectors, threads, 4) of f32; `counters`: (runs,
    agents, 1) of u32, all 0 before and after a launch; `tickets`: (agents,) of u32 in shared memory. An agent is a
    warpgroup, whose threads meet at the named barrier BARRIER + agent. MOST: peers of a tile at the most, if all their
    sums are to be loaded at once; 0 for one after another, which takes fewer registers."""

    partials: ...
    counters: ...
    tickets: ...
    BARRIER: al.constexpr
    MOST: al.constexpr = 0

    def store_partial(self, acc, slot, agent, t):
        """Stores an agent's sums, (vectors, 4)."""
        for v in range(acc.shape[0]):
            self.partials[slot, agent, v, t] = acc[v]

    def arrive(self, peers, agent, t):
        """True for the agent that is the last of its peers to come here; what they have stored is visible then."""
        THREADS, others = self.partials.shape[3], peers.last - peers.first
        al.nvvm.barrier_sync(self.BARRIER + agent, THREADS)
        if t == 0:
            # The last one sets the counter to 0 again.
            self.tickets[agent] = al.nvvm.atomic_inc(self.counters[peers.first, agent], others, ACQ_REL)
        al.nvvm.barrier_sync(self.BARRIER + agent, THREADS)
        return self.tickets[agent] == others

    def reduce_partials(self, acc, peers, agent, t):
        """Adds up the sums of all peers, in the order of K."""
        if self.MOST == 0:
            for v in range(acc.shape[0]):
                acc[v] = self.partials[peers.slot(peers.first), agent, v, t]
            for peer in al.range(peers.first + 1, peers.last + 1):
                for v in range(acc.shape[0]):
                    acc[v] = acc[v] + self.partials[peers.slot(peer), agent, v, t]
        else:
            # Places past the last are read again, and count nothing.
            parts = al.make_local((self.MOST, acc.shape[0], 4), al.f32)
            for i in range(self.MOST):
                for v in range(acc.shape[0]):
                    parts[i, v] = self.partials[peers.slot_at(i), agent, v, t]
            for v in range(acc.shape[0]):
                acc[v] = parts[0, v]
            for i in range(1, self.MOST):
                for v in range(acc.shape[0]):
                    for e in range(4):
                        acc[v, e] += al.select(peers.first + i <= peers.last, parts[i, v, e], 0.0)

    def fixup(self, acc, work, agent, t):
        """Combines the sums of a work tile with those of its peers. True where `acc` is complete, and this agent's to
        store."""
        complete = work.whole
        if not complete:
            self.store_partial(acc, work.peers.slot(work.peers.own), agent, t)
            complete = self.arrive(work.peers, agent, t)
            if complete:
                self.reduce_partials(acc, work.peers, agent, t)
        return complete


@avelang.jit
def workspace(scheduler, partials, counters, sizes, BARRIER, MOST=0, DTYPE=al.f32):
    """The workspace of this block for a split scheduler. `partials`, `counters`: pointers to scheduler.slots() * blocks
    of a cluster * agents * vectors * 128 * 4 sums, and to as many counters as slots, blocks and agents; `sizes`: those
    three numbers: blocks of a cluster, agents of a block, vectors of an agent's thread. DTYPE: of the sums, of 4
    bytes."""
    CLUSTER, AGENTS, VECTORS = sizes
    slots, rank = scheduler.slots(), al.block_id(0) % CLUSTER
    sums = al.make_tensor(partials, DTYPE, al.make_layout((slots, CLUSTER * AGENTS, VECTORS, 128, 4)))
    counts = al.make_tensor(counters, al.u32, al.make_layout((slots, CLUSTER * AGENTS, 1)))
    own = al.subview(sums, (0, rank * AGENTS, 0, 0, 0), (slots, AGENTS, VECTORS, 128, 4), (1, 1, 1, 1, 1))
    counter = al.subview(counts, (0, rank * AGENTS, 0), (slots, AGENTS, 1), (1, 1, 1))
    return Workspace(own, counter, al.make_shared((AGENTS,), al.u32), BARRIER, MOST)


@avelang.struct
class FixupEpilogue:
    """The epilogue of a split product: brings the sums of a tile's peers together, and gives complete ones to another
    epilogue."""

    workspace: ...
    epilogue: ...

    def __call__(self, acc, work, consumer, t):
        SIZE = acc.shape[0] if len(acc.shape) == 1 else acc.shape[0] * acc.shape[1]
        vectors = al.view(acc, al.Tensor((SIZE // 4, 4), acc.dtype))
        if self.workspace.fixup(vectors, work, consumer, t):
            self.epilogue(acc, work, consumer, t)


@avelang.constant
def _owners(parts, slices):
    """How many of a tile's peers add up slices: as many as there are, at the most."""
    return min(parts, slices, MOST_OWNERS)


@avelang.jit
def peers_here(counter):
    """The number of peers that have come, by a look at their counter."""
    return al.nvvm.ld_acquire_u32(counter) & CAME


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

    workspace: ...
    epilogue: ...
    together: ...
    PARTS: al.constexpr
    n: al.constexpr

    def arrive(self, peers, agent, t, OWNERS):
        """The owners whose slices are this agent's to add up, a bit each; 0: none."""
        space = self.workspace
        THREADS = space.partials.shape[3]
        al.nvvm.barrier_sync(space.BARRIER + agent, THREADS)
        if t == 0:
            space.tickets[agent] = self.ask(space.counters[peers.first, agent], OWNERS)
        al.nvvm.barrier_sync(space.BARRIER + agent, THREADS)
        return space.tickets[agent]

    def ask(self, counter, OWNERS):
        """The same, by one thread. The last to come is owner 0, and those before it are the next."""
        PARTS = self.PARTS
        ticket = al.nvvm.atomic_add(counter, al.convert(1, al.u32), ACQ_REL)
        owner, mine = PARTS - 1 - (ticket & CAME), al.convert(0, al.u32)
        if owner == 0:
            mine = ticket >> 16 | 1
            if OWNERS == 1:
                al.nvvm.st_release(counter, al.convert(0, al.u32))
        elif owner < OWNERS:
            looks, here = al.select(self.together, LOOKS, 0), peers_here(counter)
            while here != PARTS and looks > 0:
                here = peers_here(counter)
                looks -= 1
            if here != PARTS:
                gone = al.nvvm.atomic_add(counter, (al.convert(LEFT * 256, al.u32) << owner) + LEFT, ACQ_REL)
                here = gone & CAME
                if here == PARTS:  # too late: the last one has not seen it
                    self.reset(counter, gone, OWNERS)
                    mine = al.convert(1, al.u32) << owner | SAID
            if here == PARTS and mine == 0:
                mine = al.convert(1, al.u32) << owner
        return mine

    def reset(self, counter, before, OWNERS):
        """Sets a counter to 0 if its word before this owner needed it no more says that all others did neither."""
        if before // LEFT % 256 == OWNERS - 1:
            al.nvvm.st_release(counter, al.convert(0, al.u32))

    def reduce_slice(self, acc, peers, agent, t, first):
        """Adds up vectors of a thread from `first` on, in the order of K."""
        VECTORS, space = acc.shape[0], self.workspace
        if self.PARTS * VECTORS <= MOST_HELD:
            parts = al.make_local((self.PARTS, VECTORS, 4), acc.dtype)
            for p in range(self.PARTS):
                for v in range(VECTORS):
                    parts[p, v] = space.partials[peers.slot(peers.first + p), agent, first + v, t]
            for v in range(VECTORS):
                acc[v] = parts[0, v]
                for p in range(1, self.PARTS):
                    acc[v] = acc[v] + parts[p, v]
        else:
            for v in range(VECTORS):
                acc[v] = space.partials[peers.slot(peers.first), agent, first + v, t]
            for peer in al.range(peers.first + 1, peers.last + 1):
                for v in range(VECTORS):
                    acc[v] = acc[v] + space.partials[peers.slot(peer), agent, first + v, t]

    def __call__(self, acc, work, consumer, t):
        BLOCKS = 1 if len(acc.shape) == 1 else acc.shape[0]
        WIDTH, space = self.epilogue.width(), self.workspace
        EACH = self.n // WIDTH
        OWNERS = _owners(self.PARTS, BLOCKS * EACH)
        vectors = al.view(acc, al.Tensor((BLOCKS * self.n // 8, 4), acc.dtype))
        space.store_partial(vectors, work.peers.slot(work.peers.own), consumer, t)
        mine = self.arrive(work.peers, consumer, t, OWNERS)
        before = al.convert(0, al.u32)
        if OWNERS > 1 and t == 0 and mine != 0 and mine < SAID:
            before = al.nvvm.atomic_add(space.counters[work.peers.first, consumer], al.convert(LEFT, al.u32), ACQ_REL)
        for number in al.range(BLOCKS * EACH):
            if mine >> (number % OWNERS) & 1 == 1:
                block, piece = number // EACH, number % EACH
                some = al.make_local((WIDTH // 8, 4), acc.dtype)
                self.reduce_slice(some, work.peers, consumer, t, block * (self.n // 8) + piece * (WIDTH // 8))
                sums = al.view(some, al.Tensor((WIDTH // 2,), acc.dtype))
                row, col = work.at[0] + (consumer * BLOCKS + block) * 64, work.at[1] + piece * WIDTH
                self.epilogue.store(sums, row, col, consumer, t, 0, 0, WIDTH, work.batch, ends_of(work))
        if OWNERS > 1 and t == 0 and mine != 0 and mine < SAID:
            self.reset(space.counters[work.peers.first, consumer], before, OWNERS)


@avelang.struct
class ClusterReduction:
    """Partial sums in the shared memory of the first block of a cluster whose blocks share a tile. `partials`: (peers -
    1, vectors, threads, 4) of f32; `barrier`: an mbarrier, which counts their bytes."""

    partials: ...
    barrier: ...

    def init(self):
        """Initializes the mbarrier, by one thread; `expect` must follow, behind the fence."""
        al.nvvm.mbarrier_init(self.barrier, 1)

    def expect(self):
        """Says how many bytes will come, by the same thread, before its arrival at the barrier of the cluster."""
        PEERS, VECTORS, THREADS, EACH = self.partials.shape
        al.nvvm.mbarrier_arrive_expect_tx(self.barrier, PEERS * VECTORS * THREADS * EACH * 4)

    def reduce(self, acc, t):
        """Sends a block's sums to the first of its cluster, which adds them up. True there. Each thread comes here
        behind an arrival at the barrier of the cluster, once."""
        rank = al.nvvm.cluster_rank()
        al.nvvm.cluster_wait()  # the first block has initialized its mbarrier
        if rank == 0:
            al.nvvm.mbarrier_wait(self.barrier, 0)
            for i in range(self.partials.shape[0]):
                for v in range(acc.shape[0]):
                    acc[v] = acc[v] + self.partials[i, v, t]
        else:
            for v in range(acc.shape[0]):
                al.nvvm.st_async_x4(self.partials[rank - 1, v, t], 0, acc[v], self.barrier)
        return rank == 0


# -- whole blocks, of either vendor


@avelang.constant
def _policies(dies):
    """The cache policies of stores and of loads."""
    return (0, GLC) if dies == 1 else (SC1, SC1)


@avelang.struct
class BlockPartials:
    """The workspace of one tile that whole blocks share: for each of its parts, vectors of WORDS words of all
    threads."""

    data: ...
    THREADS: al.constexpr
    VECTORS: al.constexpr
    WORDS: al.constexpr

    def place(self, part, vector):
        """Number of a thread's vector."""
        return (part * self.VECTORS + vector) * self.THREADS + al.thread_id(0)

    def offsets(self, part, vector):
        """The same in bytes, on AMD, where a wave's vectors are neighbors: what differs from thread to thread, which is
        one register for all vectors but for what an instruction adds itself (less than 4096), and what does not."""
        SIZE, t, LANES = self.WORDS * 4, al.thread_id(0), al.target().wave
        FEW = 4096 // (LANES * SIZE)
        mine = (t // LANES * (self.VECTORS * LANES) + t % LANES) * SIZE + vector % FEW * (LANES * SIZE)
        common = part * (self.VECTORS * self.THREADS * SIZE) + vector // FEW * (FEW * LANES * SIZE)
        return al.convert(mine, al.i32), al.convert(common, al.i32)

    def resource(self):
        """The buffer resource, on AMD."""
        return al.amdgpu.make_rsrc(self.data, len(self.data) * self.WORDS * 4)

    def store_partial(self, part, vector, some):
        """Stores a thread's vector for the block that comes last."""
        words = al.view(some, al.Tensor((self.WORDS,), al.i32))
        if al.target().vendor == "amd":
            POLICY, _ = _policies(al.target().dies)
            offset, scalar = self.offsets(part, vector)
            if self.WORDS == 4:
                al.amdgpu.raw_buffer_store_x4(words, self.resource(), offset, scalar, POLICY)
            elif self.WORDS == 2:
                al.amdgpu.raw_buffer_store_x2(words, self.resource(), offset, scalar, POLICY)
            else:
                al.amdgpu.raw_buffer_store_x1(words, self.resource(), offset, scalar, POLICY)
        else:
            self.data[self.place(part, vector)] = words

    def load_partial(self, part, vector):
        """A thread's vector of a part, as words."""
        if al.target().vendor == "amd":
            _, POLICY = _policies(al.target().dies)
            offset, scalar = self.offsets(part, vector)
            if self.WORDS == 4:
                return al.amdgpu.raw_buffer_load_x4(self.resource(), offset, scalar, POLICY)
            if self.WORDS == 2:
                return al.amdgpu.raw_buffer_load_x2(self.resource(), offset, scalar, POLICY)
            return al.amdgpu.raw_buffer_load_x1(self.resource(), offset, scalar, POLICY)
        return self.data[self.place(part, vector)]


@avelang.jit
def back_to_zero(count):
    """Addend by which a counter of u32 that stands at `count` becomes 0."""
    if isinstance(count, int):
        return al.convert((1 << 32) - count, al.u32)
    return al.convert(0, al.u32) - al.convert(count, al.u32)


@avelang.jit
def last_block(counters, tile, PARTS, ticket=None):
    """True in the block that is the last of those that share a tile; what they have stored is visible then. Behind it
    the tile's counter is 0 again. `ticket`: a u32 of shared memory that nobody uses any more, or one more is taken."""
    t = al.thread_id(0)
    if ticket is None:
        ticket = al.make_shared((1,), al.u32)
    counter = al.subview(al.make_tensor(counters, al.u32, al.make_layout((tile + 1,))), (tile,), (1,))
    if al.target().vendor == "amd":
        al.amdgpu.s_waitcnt(0, 7, 15)  # this wave's sums are where all blocks look
        al.syncthreads()
        if t == 0:
            ticket[0] = al.amdgpu.atomic_add(0, al.convert(1, al.u32), counter)
            if ticket[0] == PARTS - 1:
                al.amdgpu.atomic_add(0, back_to_zero(PARTS), counter)
    else:
        al.syncthreads()
        if t == 0:
            ticket[0] = al.nvvm.atomic_inc(counter, al.convert(PARTS - 1, al.u32), ACQ_REL)
    al.syncthreads()
    return ticket[0] == PARTS - 1


@avelang.struct
class BlockWorkspace:
    """A workspace for peers that are whole blocks, of either vendor and of any scheduler: each leaves its sums, and the
    last to come adds all up in the order of K. `partials`: a pointer to slots * THREADS * elements sums of 4 bytes;
    `counters`: to a u32 for each slot, 0 before and behind a launch; `ticket`: as of `last_block`."""

    partials: ...
    counters: ...
    THREADS: al.constexpr
    ticket: ... = None

    def slot(self, number, shape):
        """A slot, for vectors of such a shape a thread: (vectors, words)."""
        VECTORS, WORDS = shape
        SIZE = VECTORS * self.THREADS
        all = al.make_tensor(self.partials, al.i32, layout=al.make_layout(((number + 1) * SIZE, WORDS), (WORDS, 1)))
        return BlockPartials(al.subview(all, (number * SIZE, 0), (SIZE, WORDS), (1, 1)), self.THREADS, VECTORS, WORDS)

    def load_into(self, acc, number, add):
        """Loads, or adds to `acc`, what a slot has. A few vectors at a time: all at once would take as many registers
        again."""
        part, COUNT = self.slot(number, acc.shape), acc.shape[0]
        for first in range(0, COUNT, VECTORS_AT_ONCE):
            found = al.make_local((min(VECTORS_AT_ONCE, COUNT - first), acc.shape[1]), al.i32)
            for v in range(found.shape[0]):
                found[v] = part.load_partial(0, first + v)
            sums = al.view(found, al.Tensor(found.shape, acc.dtype))
            for v in range(found.shape[0]):
                acc[first + v] = acc[first + v] + sums[v] if add else sums[v]
            sched_barrier()

    def fixup(self, acc, peers):
        """Brings together the sums of a tile's peers, (vectors, words) a thread. All threads of the block come here.
        True in the last block to come, where `acc` is complete."""
        own = self.slot(peers.slot(peers.own), acc.shape)
        for v in range(acc.shape[0]):
            own.store_partial(0, v, acc[v])
        last = last_block(self.counters, peers.first, peers.last - peers.first + 1, self.ticket)
        if last:
            self.load_into(acc, peers.slot(peers.first), False)
            for peer in al.range(peers.first + 1, peers.last + 1):
                self.load_into(acc, peers.slot(peer), True)
        return last


@avelang.jit
def block_fixup(values, THREADS, partials, counters, peers, PARTS):
    """Brings together what the PARTS peers of a `SplitKScheduler` have of a tile, each a whole block. `values`: a
    thread's sums, of f32 or i32. True in the last block to come, which has the sums of all parts in `values`, added in
    the order of the parts."""
    COUNT = values.shape[0]
    WORDS = math.gcd(COUNT, 4)
    VECTORS = COUNT // WORDS
    SIZE, tile = PARTS * VECTORS * THREADS, peers.first // PARTS
    all = al.make_tensor(partials, al.i32, layout=al.make_layout(((tile + 1) * SIZE, WORDS), (WORDS, 1)))
    own = BlockPartials(al.subview(all, (tile * SIZE, 0), (SIZE, WORDS), (1, 1)), THREADS, VECTORS, WORDS)
    pieces = al.view(values, al.Tensor((VECTORS, WORDS), values.dtype))
    for v in range(VECTORS):
        own.store_partial(peers.own - peers.first, v, pieces[v])
    last = last_block(counters, tile, PARTS)
    if last:
        for v in range(VECTORS):
            found = al.make_local((PARTS, WORDS), al.i32)
            for p in range(PARTS):
                found[p] = own.load_partial(p, v)
            parts = al.view(found, al.Tensor((PARTS, WORDS), values.dtype))
            total = parts[0]
            for p in range(1, PARTS):
                total = total + parts[p]
            pieces[v] = total
    return last


@avelang.jit
def reduction_slices(n, WIDTH, PEERS):
    """For each of so many peers the first column, and the one behind the last, of the columns of a tile that it adds
    up: whole parts of WIDTH columns, as even as can be."""
    return [(p * (n // WIDTH) // PEERS * WIDTH, (p + 1) * (n // WIDTH) // PEERS * WIDTH) for p in range(PEERS)]


@avelang.struct
class ClusterScatter:
    """The epilogue where each of PEERS blocks of a cluster has multiplied a part of K of one tile
    (`ClusterKScheduler`): each adds up a slice of the tile's columns, which the others send into its shared memory, and
    stores it by `epilogue`, a `TmaEpilogue`. `partials`: (peers - 1, consumers, row blocks, vectors, threads, 4) of f32
    or i32, vectors of the widest slice: it may be memory that the mainloop used; `barrier`: an mbarrier, which counts
    their bytes. SHARERS: blocks of the cluster with one part of K. Sums are added in the order of K: the same bits in
    every run. `workspace`: where clusters, too, share a tile (`SplitKScheduler` below the other), each block brings its
    slice together there."""

    partials: ...
    barrier: ...
    epilogue: ...
    n: al.constexpr
    PEERS: al.constexpr
    SHARERS: al.constexpr = 1
    workspace: ... = None

    def init(self):
        """Initializes the mbarrier, by one thread; `expect` must follow, behind the fence."""
        al.nvvm.mbarrier_init(self.barrier, 1)

    def expect(self):
        """Says how many bytes will come, by the same thread, before its arrival at the barrier of the cluster."""
        OTHERS, CONSUMERS, BLOCKS, _, THREADS, EACH = self.partials.shape
        peer = al.nvvm.cluster_rank() // self.SHARERS
        slices = reduction_slices(self.n, self.epilogue.width(), self.PEERS)
        for p in range(self.PEERS):
            if peer == p:
                SIZE = (slices[p][1] - slices[p][0]) // 8 * THREADS * EACH * 4
                al.nvvm.mbarrier_arrive_expect_tx(self.barrier, OTHERS * CONSUMERS * BLOCKS * SIZE)

    def send(self, acc, consumer, t, peer, rank):
        """Sends to each other peer its slice."""
        slices = reduction_slices(self.n, self.epilogue.width(), self.PEERS)
        for p in range(self.PEERS):
            if peer != p:
                source = al.select(peer > p, peer - 1, peer)
                for r in range(acc.shape[0]):
                    for v in range(slices[p][0] // 8, slices[p][1] // 8):
                        al.nvvm.st_async_x4(
                            self.partials[source, consumer, r, v - slices[p][0] // 8, t],
                            p * self.SHARERS + rank % self.SHARERS,
                            acc[r, v],
                            self.barrier,
                        )

    def add(self, acc, consumer, t, PEER, r, v, first):
        """Adds up four sums, in the order of K."""
        total = al.full((4,), 0, acc.dtype)
        for p in range(self.PEERS):
            for e in range(4):
                if p == PEER:
                    total[e] += acc[r, v, e]
                else:
                    total[e] += self.partials[p - 1 if p > PEER else p, consumer, r, v - first, t, e]
        for e in range(4):
            acc[r, v, e] = total[e]

    def __call__(self, acc, work, consumer, t):
        # All blocks are done with their stages: what is sent may take their place.
        al.nvvm.cluster_arrive()
        al.nvvm.cluster_wait()
        BLOCKS = self.partials.shape[2]
        vectors = al.view(acc, al.Tensor((BLOCKS, self.n // 8, 4), acc.dtype))
        rows = al.view(acc, al.Tensor((BLOCKS, self.n // 2), acc.dtype))
        rank = al.nvvm.cluster_rank()
        peer = rank // self.SHARERS
        self.send(vectors, consumer, t, peer, rank)
        slices = reduction_slices(self.n, self.epilogue.width(), self.PEERS)
        for p in range(self.PEERS):
            if peer == p:
                FIRST, END = slices[p]
                al.nvvm.mbarrier_wait(self.barrier, 0)
                for r in range(BLOCKS):
                    for v in range(FIRST // 8, END // 8):
                        self.add(vectors, consumer, t, p, r, v, FIRST // 8)
                    own, complete = al.subview(vectors, (r, FIRST // 8, 0), (1, (END - FIRST) // 8, 4), (1, 1, 1)), True
                    if self.workspace is not None:
                        own = al.view(own, al.Tensor(((END - FIRST) // 8, 4), acc.dtype))
                        complete = self.workspace.fixup(own, work, consumer * BLOCKS + r, t)
                    if complete:
                        row = work.at[0] + (consumer * BLOCKS + r) * 64
                        self.epilogue.store(
                            rows[r], row, work.at[1], consumer, t, r, FIRST, END, work.batch, ends_of(work)
                        )
