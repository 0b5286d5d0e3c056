"""Two matrices of bf16 or f16 come in; C = A @ B^T in their type or in f32 goes out: a product for NVIDIA's GPUs from
Ampere on (sm_80), an instruction at a time.

A block makes a tile of C. Its threads copy steps of A and B, 32 or 64 along K, into a ring of stages in shared memory
by `cp.async`, three stages ahead of what they multiply. Shared memory is swizzled: pieces of 16 bytes are permuted, so
that the eight rows that `ldmatrix` loads lie in different banks. A warp makes 64 x 64 of the tile by `mma.sync`; while
it multiplies 16 of a step, it loads the fragments of the next 16. Its sums go to memory from registers: four
neighboring threads first swap what they hold, so that each has 16 bytes that stand side by side.

Sizes are known when the kernel is written: where a tile divides them, there is no code for edges. Past an edge
`cp.async` reads nothing, and zeros come."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from avelang import takes
from avelang.ptx import Kernel, Reg, Tile, kernel, ptx, reg, smem
from avelang.ptx.types import Type, b32, bf16, f16, f32, s32, u32, u64
from avelang_kernels.arrays import Matrix, multiprocessors
from avelang_kernels.ptx_common import checked, repeat, rounded, tile_of

WARP = 64  # rows and columns of C that a warp makes
INNER = 16  # elements of K that one mma multiplies
PIECE = 16  # bytes that one cp.async copies
BYTES = 2  # of an element of A and B


class GemmPlan(NamedTuple):
    """The tile of a block: its rows and columns of C, elements of K in a stage, stages of its ring, and the rows of
    tiles that are gone through together."""

    m: int
    n: int
    step: int = 32
    stages: int = 4
    together: int = 8

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 32 * (self.m // WARP) * (self.n // WARP)

    @property
    def shared(self) -> int:
        """Bytes of shared memory."""
        return (self.m + self.n) * self.step * BYTES * self.stages


Plan = GemmPlan
# Plans to choose from, the part of the speed of the first that they may reach, and how many of their blocks a
# multiprocessor holds.
PLANS = {
    GemmPlan(128, 256): (1.0, 1),
    GemmPlan(128, 128): (0.95, 2),
    GemmPlan(64, 128): (0.75, 3),
    GemmPlan(64, 64): (0.55, 4),
}


def best_plan(m: int, n: int, sms: int) -> GemmPlan:
    """The plan with which a GPU of so many multiprocessors is through soonest: by rounds of its blocks, and the time
    that each tile takes."""

    def time(plan: GemmPlan) -> float:
        speed, blocks = PLANS[plan]
        tiles = math.ceil(m / plan.m) * math.ceil(n / plan.n)
        return math.ceil(tiles / (sms * blocks)) * blocks * plan.m * plan.n / speed

    return min(PLANS, key=time)


class Copies:
    """The copies of one operand: each thread brings the same 16 bytes of a row, of every so many rows. `ring`: (stages,
    rows, step), of which the operand has `rows` from row `begin` on. The operand is (`extent`, `depth`), from row
    `first` on."""

    def __init__(
        self, ring: Any, begin: int, rows: int, size: tuple[int, int], start: Reg, first: Reg, tid: Reg, threads: int
    ):
        (extent, self.depth), step = size, ring.shape[-1]
        across = step * BYTES // PIECE
        self.rows, self.bytes = threads // across, step * BYTES  # rows apart, bytes of one in shared memory
        row, col = tid // across, tid % across * (PIECE // BYTES)
        # Rows a multiple of 8 apart are swizzled alike: one address will do for them, and constants.
        self.to = [ring.at(0, row + begin + i, col) for i in range(0, 8, min(8, self.rows))]
        self.source = reg.scalar(u64)
        ptx.inst.mad.wide.u32(self.source, first + row, self.depth * BYTES, start)
        self.source += col * BYTES
        offsets = range(0, rows, self.rows)
        self.sizes = [either(first + row + i < extent) if extent % rows else None for i in offsets]
        self.left = (
            reg.scalar(s32, self.depth) - col.as_(s32) if self.depth % step else None
        )  # elements of K that are yet to come

    def copy(self, stage: Reg | int, more: Reg | None = None) -> None:
        """Begins the copies of a step into a stage, given as its offset in bytes, and goes on to the next. `more`:
        whether there is such a step."""
        to = [place + stage for place in self.to]
        tail = either(self.left > 0) if self.left is not None else None
        for i, size in enumerate(self.sizes):
            # Of 0 bytes nothing is read, wherever they are, and zeros are written.
            given = size & tail if size is not None and tail is not None else size if tail is None else tail
            row, which = i * self.rows, i % len(to)
            place = ptx.addr(to[which], (row - which * self.rows) * self.bytes)
            ptx.cp_async(place, ptx.addr(self.source, row * self.depth * BYTES), src_size=given, pred=more)
        self.source += self.bytes
        if self.left is not None:
            self.left -= self.bytes // BYTES


def either(there: Reg) -> Reg:
    """The bytes of a piece that are read: all or none."""
    out = reg.scalar(u32)
    ptx.inst.selp.u32(out, PIECE, 0, there)
    return out


class Fragments:
    """A warp's fragments of one operand: four groups of 16 rows, from `first` on in the ring. `row`, `piece`: the row
    of a group, and the piece of its 16 elements of K, that a lane names for `ldmatrix`."""

    def __init__(self, ring: Any, first: Reg, row: Reg, piece: Reg):
        step = ring.shape[-1]
        # The swizzle lets the pieces of a row lie anywhere in it: an address for each.
        self.places = [ring.at(0, first + row, piece * (PIECE // BYTES) + k) for k in range(0, step, INNER)]
        self.group = 16 * step * BYTES
        # Two sets: one is multiplied while the other is loaded.
        self.sets = [[reg.array(b32, 4) for _ in range(WARP // 16)] for _ in range(2)]

    def load(self, k: int, stage: Reg) -> None:
        """The k-th 16 elements of a stage, given as its offset in bytes."""
        place = self.places[k] + stage
        for i, registers in enumerate(self.sets[k % 2]):
            ptx.ldmatrix(registers, ptx.addr(place, i * self.group))


class Offset:
    """The offset of a stage in bytes."""

    def __init__(self, stage: int, ring: Any):
        self.size = ring[0].bytes
        self.end = ring.bytes
        self.value = reg.scalar(u32, stage * self.size)

    def advance(self) -> None:
        """Goes to the next stage; behind the last one to the first."""
        self.value += self.size
        with ptx.when(self.value == self.end):
            self.value.set(0)


# -- the product -------------------------------------------------------------------------------------------------------


class Product:
    """A block's tile while it is made: copies into the ring, fragments out of it, sums."""

    def __init__(
        self, plan: GemmPlan, dtype: Type, size: tuple[int, int, int], starts: list[Reg], corner: tuple[Reg, Reg],
        tid: Reg,
    ):  # fmt: skip
        self.dtype, self.steps, self.inner = dtype, -(-size[2] // plan.step), plan.step // INNER
        self.stages = plan.stages
        self.ring = smem.alloc(
            dtype, (plan.stages, plan.m + plan.n, plan.step), swizzle=plan.step * BYTES, dynamic=True
        )
        (m, n, k), lane, warp = size, tid & 31, tid >> 5
        self.copies = [
            Copies(self.ring, begin, rows, (extent, k), start, first, tid, plan.threads)
            for begin, rows, extent, start, first in zip(
                (0, plan.m), (plan.m, plan.n), (m, n), starts, corner, strict=True
            )
        ]
        across = plan.n // WARP
        self.row, self.col = warp // across * WARP, warp % across * WARP  # of the warp in the tile
        self.a = Fragments(self.ring, self.row, lane & 15, lane >> 4)
        self.b = Fragments(self.ring, self.col + plan.m, (lane & 7) + ((lane >> 4) << 3), (lane >> 3) & 1)
        self.sums = [[reg.array(f32, 4, 0.0) for _ in range(WARP // 8)] for _ in range(WARP // 16)]

    def run(self) -> None:
        """Fills the ring, and multiplies all steps."""
        ahead = self.stages - 1
        for step in range(ahead):
            if step < self.steps:
                for copies in self.copies:
                    copies.copy(step * self.ring[0].bytes)
            ptx.cp_async.commit_group()
        self.read, self.write = Offset(0, self.ring), Offset(ahead, self.ring)
        self.arrive()
        self.load(0)
        to_copy = reg.scalar(s32, self.steps - ahead) if self.steps > ahead else None
        if self.steps > 1:
            with repeat("$step", reg.scalar(u32, self.steps - 1)):
                self.step(to_copy)
        self.step(None, last=True)

    def arrive(self) -> None:
        """Waits until the next step's copies of all threads are there, and all are through with the step before this
        one."""
        ptx.cp_async.wait_group(self.stages - 2)
        ptx.syncthreads()

    def load(self, k: int) -> None:
        """Loads the fragments of the k-th 16 elements of the stage that is read."""
        self.a.load(k, self.read.value)
        self.b.load(k, self.read.value)

    def step(self, to_copy: Reg | None, last: bool = False) -> None:
        """Multiplies a stage; the fragments of its first 16 elements are there. `to_copy`: steps that nobody has begun
        to copy yet."""
        for k in range(self.inner):
            if k < self.inner - 1:
                self.load(k + 1)
            elif not last:
                self.arrive()
                self.read.advance()
                self.load(0)
            if k == 0 and not last:
                self.ahead(to_copy)
            self.multiply(k % 2)

    def ahead(self, to_copy: Reg | None) -> None:
        """Begins the copies of the step that takes the place of the one before this."""
        if to_copy is not None:
            more = to_copy > 0
            for copies in self.copies:
                copies.copy(self.write.value, more)
            to_copy -= 1
            self.write.advance()
        ptx.cp_async.commit_group()

    def multiply(self, which: int) -> None:
        """Multiplies one set of fragments."""
        a, b = self.a.sets[which], self.b.sets[which]
        for i, row in enumerate(self.sums):
            # To and fro: what two products in a row share stays in the operand cache.
            for j in range(len(row))[:: 1 if i % 2 == 0 else -1]:
                right = b[j // 2][j % 2 * 2 : j % 2 * 2 + 2]
                ptx.mma.sync(shape=(16, 8, INNER), dtype_a=self.dtype, d=row[j], a=a[i], b=right, c=row[j])


# -- what goes out -----------------------------------------------------------------------------------------------------


def swapped(words: list[Reg], lane: Reg) -> list[Reg]:
    """Four words of each of four neighboring threads, turned about: word s of thread q is what was word q of thread
    s."""
    words = list(words)
    for bit in (1, 2):
        high: Any = (lane & bit) != 0  # a predicate of PTX
        for i in (x for x in range(4) if not x & bit):
            low_word, high_word, given = words[i], words[i | bit], reg.scalar(b32)
            ptx.inst.selp.b32(given, low_word, high_word, high)
            got = reg.scalar(b32)
            ptx.inst.shfl.sync.bfly.b32(got, given, bit, 31, 0xFFFFFFFF)
            words[i], words[i | bit] = reg.array(b32, 2)
            ptx.inst.selp.b32(words[i], got, low_word, high)
            ptx.inst.selp.b32(words[i | bit], high_word, got, high)
    return words


class Output:
    """Stores a warp's sums. `m`, `n`: rows and columns of C, (`row`, `col`) where the warp's part begins."""

    def __init__(self, plan: GemmPlan, out: Type, m: int, n: int, start: Reg, row: Reg, col: Reg, lane: Reg):
        self.plan, self.out, self.m, self.n, self.lane = plan, out, m, n, lane
        self.row, self.quad = row + (lane >> 2), lane & 3
        self.pairs = out.bytes == 4 or n % 8 != 0  # a pair of neighbors at a time, or 16 bytes
        self.col = col + self.quad * (2 if self.pairs else 8)
        self.start = reg.scalar(u64)
        ptx.inst.mad.wide.u32(self.start, self.row, n * out.bytes, start)
        self.start += self.col * out.bytes

    def store(self, sums: list[list[list[Reg]]]) -> None:
        """Stores all sums: rows of the warp's part, 8 at a time."""
        for i, group in enumerate(sums):
            for half in range(2):
                down = 16 * i + 8 * half
                if down >= self.m:
                    continue
                inside = self.row < self.m - down if self.m % self.plan.m else None
                to = self.start + down * self.n * self.out.bytes
                values = [x for tile in group for x in tile[2 * half : 2 * half + 2]]
                (self.by_pairs if self.pairs else self.by_pieces)(to, values, inside)

    def there(self, inside: Reg | None, right: int) -> tuple[bool, Reg | None]:
        """(True where a column may be inside of C, the predicate under which it is, None where it always is)."""
        if self.n % self.plan.n == 0:
            return True, inside
        if right >= self.n:
            return False, None
        col = self.col < self.n - right
        return True, col if inside is None else col & inside

    def by_pieces(self, to: Reg, values: list[Reg], inside: Reg | None) -> None:
        """Stores one row, 16 bytes a thread at a time."""
        words = [rounded(low, high, self.out) for low, high in zip(values[::2], values[1::2], strict=True)]
        for first in range(0, len(words), 4):
            right = first * 8
            some, there = self.there(inside, right)
            piece = swapped(words[first : first + 4], self.lane)
            if some:
                ptx.inst.st.global_.v4.b32(ptx.addr(to, right * self.out.bytes), piece, pred=there)

    def by_pairs(self, to: Reg, values: list[Reg], inside: Reg | None) -> None:
        """Stores one row, a pair or a single element at a time."""
        whole = self.n % 2 == 0
        for first in range(0, len(values), 2):
            right, pair = first * 4, values[first : first + 2]
            for j in range(1 if whole else 2):
                some, there = self.there(inside, right + j)
                place = ptx.addr(to, (right + j) * self.out.bytes)
                if not some:
                    continue
                if self.out is f32:
                    ptx.inst["st.global.v2.f32" if whole else "st.global.f32"](
                        place, pair if whole else pair[j], pred=there
                    )
                elif whole:
                    ptx.inst.st.global_.b32(place, rounded(pair[0], pair[1], self.out), pred=there)
                else:
                    ptx.inst.st.global_.b16(place, pair[j].to(self.out), pred=there)


# -- the kernel --------------------------------------------------------------------------------------------------------


@functools.cache
def build(plan: GemmPlan, dtype: Type, out: Type) -> Kernel:
    """The kernel of a plan: `k(a, b)` for a (M, K) and b (N, K) of `dtype`, K a multiple of 8, gives (M, N) of
    `out`."""

    @kernel(
        in_specs=(Tile("M", "K", dtype), Tile("N", "K", dtype)), out_specs=Tile("M", "N", out), block=plan.threads,
        arch="auto",
        grid=lambda M, N: -(-M // plan.m) * -(-N // plan.n),
    )  # fmt: skip
    def ampere_gemm(A: Any, B: Any, C: Any, *, M: Any, N: Any, K: Any):
        pa, pb, pc = ptx.global_ptrs(A, B, C)
        tid = reg.from_(ptx.special.tid.x())
        row, col = tile_of(reg.from_(ptx.special.ctaid.x()), -(-M // plan.m), -(-N // plan.n), plan.together)
        top, left = row * plan.m, col * plan.n
        product = Product(plan, dtype, (M, N, K), [pa, pb], (top, left), tid)
        product.run()
        Output(plan, out, M, N, pc, top + product.row, left + product.col, tid & 31).store(product.sums)
        ptx.ret()

    return ampere_gemm


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, to: Type | None = None, plan: GemmPlan | None = None) -> Any:
    """C = A @ B^T, accumulated in f32.

    a: (m, k), b: (n, k), both bf16 or both f16, k a multiple of 8, row-major without gaps and beginning at a multiple
    of 16 bytes: torch's, JAX's or NumPy's, on a GPU of sm_80 or newer, or on the CPU. out: (m, n), of the type of a and
    b or f32; made when it is None, of the type `to`, that of a and b by default. `plan`: chosen by shape when it is
    None. Returns C. Raises ValueError for shapes that do not fit, TypeError for other types, and the errors of a
    launch."""
    dtype, to, (m, n, _) = checked(a, b, out, to, (bf16, f16))
    k = build(plan or best_plan(m, n, multiprocessors(a)), dtype, to)
    return k(a, b) if out is None else k(a, b, out=out)
