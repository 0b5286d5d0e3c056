"""Rows of matrices: a plan says which threads hold which elements of a row; device functions load a row, combine what
its threads have found, and store it. The norms, softmax, the losses and the gated activations are made of these.

A group of `threads` has a row, in accesses of `vec` elements, 16 bytes where rows allow that. Rows that a group can
hold in registers are read once (`held`); longer ones chunk by chunk, as often as the operation goes through them, and
are then found in L2. The plan depends on the row alone, never on how many rows there are: so do the bits of a row."""

# No `from __future__ import annotations`: kernels of other files take these functions as they are.

import math
from typing import Any, NamedTuple

import avelang
import avelang.language as al

WIDEST = 16  # bytes of an access
REGISTERS = 16  # of 32 bits, of a thread, for a row
FEW = 32  # threads that a row has before its threads get a second access
BARRIERS = 15  # of a block on NVIDIA's chips, beside that of all its threads
BLOCK = 256  # threads of a block whose rows are short
DTYPES: dict[str, Any] = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32, "float64": al.f64}


class RowPlan(NamedTuple):
    """Threads of a row, rows of a block at a time, elements of an access, accesses of a thread at a time. `held`: these
    are the whole row; `full`: no access is past its end."""

    threads: int
    rows: int
    vec: int
    loads: int
    held: bool
    full: bool

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.threads * self.rows

    @property
    def chunk(self) -> int:
        """Accesses of all threads of a row at a time."""
        return self.threads * self.loads

    def grid(self, rows: int, most: int) -> int:
        """Blocks for so many rows: `most` at the most, each of which then takes several rows in turn."""
        return max(1, min(-(-rows // self.rows), most))


def plan_rows(n: int, vec: int, size: int, most: int = 1024, registers: int = REGISTERS,
              block: int = BLOCK) -> RowPlan:  # fmt: skip
    """The plan for rows of n elements of `size` bytes in accesses of `vec`: at most `most` threads a row, and so many
    registers of a thread for a row; blocks of about `block` threads."""
    vectors, each = n // vec, max(1, vec * size // 4)
    loads = max(1, registers // each)
    wanted = max(min(vectors, FEW), -(-vectors // loads))
    threads = min(most, 1 << (wanted - 1).bit_length())
    held = vectors <= threads * loads
    loads = -(-vectors // threads) if held else loads
    return RowPlan(threads, max(1, block // threads), vec, loads, held, vectors % (threads * loads) == 0)


# -- in kernels --------------------------------------------------------------------------------------------------------


@avelang.jit
def column(P: Any, i: Any):
    """The i-th access of a thread, counted in accesses of the row."""
    return al.thread_id(0) % P.threads + i * P.threads


@avelang.struct
class Lines:
    """Rows of an array, in accesses of VEC elements. `e1`, `e2`: extents of the second and third leading dimension;
    None where there is one. `s0`, `s1`, `s2`, `step`: strides of three leading dimensions and of the accesses of a row,
    counted in accesses; None where rows follow one another without gaps. `memory`: a pointer."""

    memory: ...
    rows: ...
    vectors: ...
    VEC: al.constexpr
    e1: ... = None
    e2: ... = None
    s0: ... = None
    s1: ... = None
    s2: ... = None
    step: ... = None

    def get(self, r: Any, c: Any):
        """Access c of row r: a vector."""
        if self.s0 is None or self.e1 is None:
            return self.tensor()[r, c]
        return self.tensor()[r // self.e2 // self.e1, r // self.e2 % self.e1, r % self.e2, c]

    def put(self, r: Any, c: Any, values: Any):
        """Stores an access, rounded to the dtype of the array."""
        whole, rounded = self.tensor(), al.convert(values, self.memory.dtype)
        if self.s0 is None or self.e1 is None:
            whole[r, c] = rounded
        else:
            whole[r // self.e2 // self.e1, r // self.e2 % self.e1, r % self.e2, c] = rounded

    def tensor(self):
        """The array as (leading dimensions, accesses, VEC)."""
        dtype = self.memory.dtype
        if self.s0 is None:
            shape, strides = (self.rows, self.vectors, self.VEC), (self.vectors * self.VEC, self.VEC, 1)
            return al.make_tensor(self.memory, dtype, al.make_layout(shape, strides))
        if self.e1 is None:
            shape, strides = (self.rows, self.vectors, self.VEC), (self.s2 * self.VEC, self.step * self.VEC, 1)
            return al.make_tensor(self.memory, dtype, al.make_layout(shape, strides))
        shape = self.rows // self.e2 // self.e1, self.e1, self.e2, self.vectors, self.VEC
        strides = self.s0 * self.VEC, self.s1 * self.VEC, self.s2 * self.VEC, self.step * self.VEC, 1
        return al.make_tensor(self.memory, dtype, al.make_layout(shape, strides))

    def load(self, r: Any, first: Any, P: Any):
        """The thread's accesses of row r, (loads, VEC), from `first` on; those past its end repeat the last."""
        out = al.make_local((P.loads, self.VEC), self.memory.dtype)
        for i in range(P.loads):
            c = first + column(P, i)
            out[i] = self.get(r, c if P.full else min(c, self.vectors - 1))
        return out

    def store(self, r: Any, first: Any, values: Any, P: Any):
        """Stores what a thread has of row r, (loads, VEC), from `first` on."""
        for i in range(P.loads):
            c = first + column(P, i)
            if P.full:
                self.put(r, c, values[i])
            else:
                if c < self.vectors:
                    self.put(r, c, values[i])
@avelang.jit
def over(P: Any, vectors: Any, state: Any, body: Any):
    """`state` after `body(state, first)` of each chunk of a row: one where the row is held."""
    if P.held:
        return body(state, 0)
    for first in al.range(0, vectors, P.threads * P.loads):
        state = body(state, first)
    return state


@avelang.jit
def inside(P: Any, vectors: Any, first: Any, i: Any):
    """True where the i-th access from `first` on is within the row."""
    return True if P.full else first + column(P, i) < vectors


@avelang.jit
def packed(values: Any, rows: Any):
    """The same elements of 16 bits, (loads, vec), such that the compiler takes them for others: what it has made of the
    first ones it makes again of these, instead of holding both halves of each word in a register of 32 bits. `rows`:
    a number below 2^31."""
    if values.dtype.bytes != 2:
        return values
    WORD = al.u32 if values.shape[1] % 2 == 0 else al.u16
    words = al.view(values, al.Tensor((values.shape[0], values.shape[1] * 2 // WORD.bytes), WORD))
    return al.view(words ^ al.convert(rows >> 31, WORD), al.Tensor((values.shape[0], values.shape[1]), values.dtype))


@avelang.jit
def plus(a: Any, b: Any):
    """Sums."""
    return a + b


@avelang.jit
def combined(values: Any, fn: Any, P: Any, shared: Any, turn: Any):
    """A vector of each thread of a row, combined by fn: all threads get the result. `shared`: of `exchange`; `turn`:
    0 or 1, another one than that of the call before."""
    WAVE = al.target().wave
    WIDTH = min(P.threads, WAVE)
    for i in range(round(math.log2(WIDTH))):
        values = fn(values, al.shuffle_xor(values, WIDTH >> (i + 1), WAVE))
    if P.threads > WAVE:
        wave = al.thread_id(0) // WAVE
        if al.thread_id(0) % WAVE == 0:
            shared[turn, wave] = values
        # Groups of a block wait for themselves alone, where a chip has barriers for that.
        if P.rows > 1 and P.rows <= BARRIERS and al.target().vendor == "nvidia":
            al.nvvm.barrier_sync(al.thread_id(0) // P.threads + 1, P.threads)
        else:
            al.syncthreads()
        begin = wave - wave % (P.threads // WAVE)
        values = shared[turn, begin]
        for i in range(1, P.threads // WAVE):
            values = fn(values, shared[turn, begin + i])
    return values


@avelang.jit
def exchange(P: Any, count: Any, dtype: Any):
    """Shared memory for `combined`, of vectors of `count`."""
    return al.make_shared((2, max(1, P.threads * P.rows // al.target().wave), count), dtype)


