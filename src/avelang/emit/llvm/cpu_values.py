"""Forms in which the CPU emitter holds an IR value of a whole wave: one per kind of regularity, from one scalar for all
lanes to memory.

Scalars are `S` (one LLVM scalar: the same in all active lanes), `Lin` (linear: scalars times lane constants), `Bools`
(conditions known per lane) or `V` (an LLVM vector with one element a lane). Vectors are `Elems`, `Aos` or
`StackVector`. Pointers are `Ptr`. bf16, f16 and fp8 are held as integers of their width; u1 as i1. """

from __future__ import annotations

import dataclasses

import numpy as np

from avelang.llvm.literals import elem as elem
from avelang.llvm.literals import signed


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class S:
    """One scalar for all active lanes. `tz`: the value is known to be a multiple of 2**tz. `const`: the value, of
    integers (signed) only."""

    text: str
    tz: int = 0
    const: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class V:
    """A vector with one element a lane."""

    text: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Ext:
    """A term of a 64-bit `Lin`: `scale` times the sign- or zero-extended value of a narrower `lin`."""

    signed: bool
    lin: Lin
    scale: S


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Lin:
    """In lane l: u + sum(s * c[l] for s, c in terms) + k[l] + exts, exact modulo 2**bits in every lane. `k` and `c` are
    int64 arrays of lanes."""

    bits: int
    u: S | None
    terms: tuple[tuple[S, np.ndarray], ...]
    k: np.ndarray
    exts: tuple[Ext, ...] = ()

    @property
    def is_const(self) -> bool:
        """True where every lane's value is known."""
        return self.u is None and not self.terms and not self.exts


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Bools:
    """A condition known in every lane."""

    lanes: np.ndarray


Scalar = S | V | Lin | Bools


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Elems:
    """A vector as one scalar form for each element."""

    items: tuple[Scalar, ...]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Aos:
    """A vector whose lanes stand one after another, as they do in memory: lane l holds elements l*n + start .. l*n +
    start + count of the concatenated chunks. A chunk is an LLVM vector of `lanes` lanes * n integers of `bits` bits."""

    bits: int
    n: int
    start: int
    count: int
    chunks: tuple[str, ...]
    lanes: int


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class StackVector:
    """A vector in stack memory: element e of lane l at index e*W + l. `owned`: its only user may overwrite it in
    place."""

    ptr: str
    n: int
    elem: str
    owned: bool = True


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A vector of elements narrower than 32 bits, as words of 32 bits of all lanes: LLVM vectors of i32, the first
    element in the lowest bits."""

    words: tuple[str, ...]


Vector = Elems | Aos | StackVector | Packed


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class LocalMemory:
    """The local memory of one `alloc`: word i (of `word` bytes, `words` in all) of lane l at index i*W + l from
    `ptr`."""

    ptr: str
    word: int
    words: int


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Ptr:
    """`off` bytes (an i64 form) from `base`: an LLVM pointer ("" is address 0), or the `LocalMemory` of a local
    tensor."""

    space: str
    base: str | LocalMemory
    off: Scalar


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """A load whose only use is a store close by, to which it is left: a copy from memory to memory needs no registers
    of ours."""

    ptr: Ptr
    off: Scalar
    align: int


Rep = Scalar | Vector | Ptr | Pending
Mask = None | np.ndarray | str  # all lanes; lanes known when the code is made; an LLVM vector of i1


def wrap(values: np.ndarray, bits: int) -> np.ndarray:
    """int64 values modulo 2**bits, as signed numbers."""
    if bits == 64:
        return values
    sign = np.int64(1 << (bits - 1))
    return ((values & np.int64((1 << bits) - 1)) ^ sign) - sign


def trailing_zeros(value: int, bits: int) -> int:
    """The number of low bits that are zero; all `bits` of zero."""
    return min(bits, (value & -value).bit_length() - 1) if value else bits


def const(value: int, bits: int) -> S:
    """The scalar constant."""
    value = signed(value, bits)
    return S(str(value), trailing_zeros(value, bits), value)


def lanes_of(values: list[int] | np.ndarray, bits: int) -> Lin:
    """The value that is known in every lane."""
    wrapped = [signed(int(x), bits) for x in values]
    return Lin(bits, None, (), np.array(wrapped, np.int64))
