"""Lowerings of matrix products: an intrinsic and tables of slots come in; device functions in Ave go out, which issue
it on a lane's fragments."""

from typing import Any

import avelang
import avelang.language as al

# Which two of each four along K a lane's stored elements are, for two slots after another: the first two, the last two.
# The manual's order: two bits each, the first slot lowest.
FIRST_TWO, LAST_TWO = 0x4, 0xE


def index_word(pair: int, slots: int) -> int:
    """The index word of a lane with that many stored elements: 0x44 and 0xEE for four of them."""
    return sum(pair << 4 * i for i in range(slots // 2))


@avelang.jit
def same(acc):
    """The accumulator as it is."""
    return acc


def single(intrinsic: Any) -> Any:
    """`lower` of a single instruction."""

    @avelang.jit
    def lower(a, b, acc):
        return intrinsic(a, b, acc)

    return lower


def single_tensor(intrinsic: Any) -> Any:
    """`lower` of an instruction that reads and writes memory alone: tcgen05."""

    @avelang.jit
    def lower(d, a, b, idesc, more, GROUP):
        intrinsic(d, a, b, idesc, more, GROUP)

    return lower


def swapped(intrinsic: Any) -> Any:
    """`lower` of a single instruction that computes the transposed product: B^T A^T."""

    @avelang.jit
    def lower(a, b, acc):
        return intrinsic(b, a, acc)

    return lower


@avelang.jit
def take(x, slots: al.constexpr):
    """A register tensor of these slots of another."""
    out = al.make_local((len(slots),), x.dtype)
    for i in range(len(slots)):
        out[i] = x[slots[i]]
    return out


def split(intrinsic: Any, parts: tuple[tuple[int, ...], ...]) -> Any:
    """`lower` of several instructions along K; `parts`: the slots of A, which are those of B, that each takes."""

    @avelang.jit
    def lower(a, b, acc):
        for i in range(len(parts)):
            acc = intrinsic(take(a, parts[i]), take(b, parts[i]), acc)
        return acc

    return lower


def paired(intrinsic: Any, left: tuple[tuple[int, ...], ...], right: tuple[tuple[int, ...], ...]) -> Any:
    """`lower` of sparse instructions whose rows 2 i and 2 i + 1 are one dense row i: even lanes store the first two of
    each four along K, odd ones the last two. `left`, `right`: the slots of A and of B that each instruction takes, in
    its order."""
    first, last = (index_word(pair, len(left[0])) for pair in (FIRST_TWO, LAST_TWO))

    @avelang.jit
    def lower(a, b, acc):
        index = last if al.lane_id() % 2 == 1 else first
        for i in range(len(left)):
            acc = intrinsic(take(a, left[i]), take(b, right[i]), acc, al.convert(index, al.i32))
        return acc

    return lower


@avelang.jit
def expand(acc):
    """Each number followed by the sum's neutral element: what sparse rows 2 i and 2 i + 1 start from. -0.0, not 0.0, so
    that a sum of nothing but negative zeros stays one."""
    out = al.full((2 * len(acc),), -0.0 if acc.dtype == al.f32 else 0, acc.dtype)
    for i in range(len(acc)):
        out[2 * i] = acc[i]
    return out


@avelang.jit
def collapse(acc):
    """The sums of neighbors."""
    out = al.make_local((len(acc) // 2,), acc.dtype)
    for i in range(len(acc) // 2):
        out[i] = acc[2 * i] + acc[2 * i + 1]
    return out
