"""Tile schedulers of grouped products, whose extents only the device knows: offsets of groups of rows come in; the work
tiles of each block go out.

Each lane of a wave counts the tiles of some groups, a prefix sum over the lanes says how many there are up to each
group, and a search in it finds the group of a tile."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.pipelines.scheduler import WorkTile, persistent_span, tile_of


@avelang.struct
class GroupBounds:
    """Bounds of groups of rows: `offsets`, a pointer to i32: E + 1 bounds, or the E ends alone (`ENDS`),
    where the first group begins at 0. What lies outside of the rows, as no offset should, counts as their end."""

    offsets: ...
    rows: ...
    E: al.constexpr
    ENDS: al.constexpr = False

    def begin(self, group):
        """The first row of a group; of group E the end of all."""
        if self.ENDS:
            found = al.convert(self.offsets[max(group, 1) - 1], al.u32)
            return min(al.select(group == 0, 0, found), self.rows)
        return min(al.convert(self.offsets[group], al.u32), self.rows)

    def rows_of(self, group):
        """A group's first row and its end, which is not before it."""
        begin = make_uniform(self.begin(group))
        return begin, max(begin, make_uniform(self.begin(group + 1)))


@avelang.struct
class LanePrefixSums:
    """Sums of ascending groups, held by the lanes of every wave: `upto` (groups of a lane), how many rows of tiles
    there are up to the end of a group. All lanes of a wave ask at once."""

    upto: ...

    def total(self):
        """Of all groups."""
        return make_uniform(al.shuffle(self.upto[len(self.upto) - 1], al.target().wave - 1))

    def find(self, row):
        """The group that a row of tiles is of; how many rows of tiles come before the group, and up to its end."""
        group, before, end = al.convert(0, al.u32), al.convert(0, al.u32), al.convert(0xFFFFFFFF, al.u32)
        for x in self.upto:
            group += al.select(x <= row, al.convert(1, al.u32), 0)
            before, end = max(before, al.select(x <= row, x, 0)), min(end, al.select(x <= row, end, x))
        for d in powers(al.target().wave):
            group += al.shuffle_xor(group, d)
            before, end = max(before, al.shuffle_xor(before, d)), min(end, al.shuffle_xor(end, d))
        return make_uniform(group), make_uniform(before), make_uniform(end)


@avelang.struct
class SharedPrefixSums:
    """The same sums in shared memory, where any thread may look: `first`, how many rows of tiles come before a group;
    the last one is greater than any row of tiles that there is."""

    first: ...

    def total(self):
        """Of all groups."""
        return self.first[self.first.shape[0] - 1]

    def find(self, row):
        """As of `LanePrefixSums`."""
        LAST, at = self.first.shape[0] - 1, al.convert(0, al.u32)
        for d in reversed(powers(LAST)):
            next = min(at + d, LAST)
            at = al.select(self.first[next] <= row, next, at)
        return at, self.first[at], self.first[at + 1]


@avelang.struct
class GroupedScheduler:
    """The tiles of products one below another: C (rows, n), A (rows, k), B (E * n, k); the rows of a group g meet the
    rows g * n to g * n + n of B. `sums`: `LanePrefixSums` or `SharedPrefixSums`. `at` of a work tile is row, column and
    the end of the group's rows, beyond which a tile may reach.

    TURNED: B is (E * k, n). K of a tile then is a multiple of TURNED, the step, and begins before the group's; `at`
    also says by how many elements."""

    bounds: ...
    sums: ...
    n: ...
    k: ...
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    GROUP_M: al.constexpr = 8
    TURNED: al.constexpr = 0

    def columns(self):
        """Columns of clusters."""
        return (self.n + self.N * self.CLUSTER_N - 1) // (self.N * self.CLUSTER_N)

    def count(self):
        """Tiles of clusters."""
        return self.sums.total() * self.columns()

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER_M * self.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block."""
        columns = self.columns()
        group, before, end = self.sums.find(index // columns)
        row, col = tile_of(index - before * columns, end - before, columns, self.GROUP_M)
        first, last = self.bounds.rows_of(group)
        m, n = first + (row * self.CLUSTER_M + cluster_m) * self.M, (col * self.CLUSTER_N + cluster_n) * self.N
        if self.TURNED:
            whole = (self.k + self.TURNED - 1) // self.TURNED * self.TURNED
            at, shift = (m, n, last, whole - self.k), group * self.k
            return WorkTile((m, last), (n, self.n), (self.k - whole, self.k), at, b_shift=shift)
        return WorkTile((m, last), (group * self.n + n, group * self.n + self.n), (0, self.k), (m, n, last))


@avelang.struct
class GroupedDepthScheduler:
    """The tiles of products of groups of rows of A (rows, m) and B (rows, n), each with a C (m, n) of its own, one
    below another. `order`: groups as they are gone through. K of a tile is a multiple of STEP, one at least, and begins
    before the group: `at` of a work tile is row, column, the end of the group's rows of C, and by how many elements K
    begins too early."""

    bounds: ...
    order: ...
    m: ...
    n: ...
    M: al.constexpr
    N: al.constexpr
    STEP: al.constexpr
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    GROUP_M: al.constexpr = 8

    def tiles(self):
        """Rows and columns of clusters of a product."""
        high, wide = self.M * self.CLUSTER_M, self.N * self.CLUSTER_N
        return (self.m + high - 1) // high, (self.n + wide - 1) // wide

    def count(self):
        """Tiles of clusters of all products."""
        rows, cols = self.tiles()
        return rows * cols * self.order.shape[0]

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER_M * self.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block."""
        rows, cols = self.tiles()
        group = self.order[index // (rows * cols)]
        row, col = tile_of(index % (rows * cols), rows, cols, self.GROUP_M)
        begin, end = self.bounds.rows_of(group)
        whole = max((end - begin + self.STEP - 1) // self.STEP, 1) * self.STEP
        m, n = (row * self.CLUSTER_M + cluster_m) * self.M, (col * self.CLUSTER_N + cluster_n) * self.N
        at = group * self.m + m, n, group * self.m + self.m, whole - (end - begin)
        return WorkTile((m, self.m), (n, self.n), (end - whole, end), at)


@avelang.constant
def powers(end: int) -> tuple[int, ...]:
    """1, 2, 4 and so on, before `end`."""
    return tuple(1 << i for i in range((end - 1).bit_length()))


@avelang.jit
def make_uniform(x):
    """A number that is the same in all lanes, said so: addresses of buffers are made of such on AMD, and the compiler
    may not know."""
    return al.amdgpu.readfirstlane(x) if al.target().vendor == "amd" else x


@avelang.jit
def grouped_scheduler(bounds, n, k, M, N, CLUSTER_M=1, CLUSTER_N=1, GROUP_M=8, ANY_THREAD=False, TURNED=0):
    """The scheduler of groups of rows with these bounds. All threads of the block call it. `ANY_THREAD`: single threads
    will ask for work tiles, not whole waves: then the sums are in shared memory."""
    HIGH, EACH = M * CLUSTER_M, (bounds.E + al.target().wave - 1) // al.target().wave
    lane = al.lane_id()
    upto, total = al.make_local((EACH,), al.u32), al.convert(0, al.u32)
    begin = bounds.begin(min(lane * EACH, bounds.E))
    for i in range(EACH):
        end = bounds.begin(min(lane * EACH + i + 1, bounds.E))
        total += (max(begin, end) - begin + (HIGH - 1)) // HIGH
        upto[i], begin = total, end
    above = total
    for d in powers(al.target().wave):
        other = al.shuffle_up(above, d)
        above = al.select(lane >= d, above + other, above)
    for i in range(EACH):
        upto[i] = upto[i] + (above - total)
    sums = shared_sums(upto, lane) if ANY_THREAD else LanePrefixSums(upto)
    return GroupedScheduler(bounds, sums, n, k, M, N, CLUSTER_M, CLUSTER_N, GROUP_M, TURNED)


@avelang.jit
def shared_sums(upto, lane):
    """The sums of the first wave's lanes, in shared memory."""
    EACH = len(upto)
    first = al.make_shared((EACH * al.target().wave + 1,), al.u32)
    if al.thread_id(0) < al.target().wave:
        for i in range(EACH):
            first[lane * EACH + i + 1] = upto[i]
        if lane == 0:
            first[0] = 0
    al.syncthreads()
    return SharedPrefixSums(first)


@avelang.jit
def largest_first(bounds):
    """Groups by falling size, in shared memory: blocks that make every n-th tile then end at about the same time. All
    threads of the block call it."""
    sizes, order = al.make_shared((bounds.E,), al.u32), al.make_shared((bounds.E,), al.u32)
    for e in al.range(al.thread_id(0), bounds.E, al.block_dim(0)):
        begin, end = bounds.rows_of(e)
        sizes[e] = end - begin
    al.syncthreads()
    for e in al.range(al.thread_id(0), bounds.E, al.block_dim(0)):
        size, place = sizes[e], al.convert(0, al.u32)
        for i in al.range(bounds.E):
            ahead = (sizes[i] > size) | ((sizes[i] == size) & (i < e))
            place += al.select(ahead, al.convert(1, al.u32), 0)
        order[place] = e
    al.syncthreads()
    return order
