"""Made by `./dev stubs` from src/avelang/tile/lowerings.py."""

from typing import Any

import avelang
import avelang.language as al

FIRST_TWO: Any
LAST_TWO: Any
def index_word(pair: int, slots: int) -> int:
    """The index word of a lane with that many stored elements: 0x44 and 0xEE for four of them."""
@avelang.jit
def same(acc: Any) -> Any:
    """The accumulator as it is."""
def single(intrinsic: Any) -> Any:
    """`lower` of a single instruction."""
def single_tensor(intrinsic: Any) -> Any:
    """`lower` of an instruction that reads and writes memory alone: tcgen05."""
def swapped(intrinsic: Any) -> Any:
    """`lower` of a single instruction that computes the transposed product: B^T A^T."""
@avelang.jit
def take(x: Any, slots: al.constexpr) -> Any:
    """A register tensor of these slots of another."""
def split(intrinsic: Any, parts: tuple[tuple[int, ...], ...]) -> Any:
    """`lower` of several instructions along K; `parts`: the slots of A, which are those of B, that each takes."""
def paired(intrinsic: Any, left: tuple[tuple[int, ...], ...], right: tuple[tuple[int, ...], ...]) -> Any:
    """`lower` of sparse instructions whose rows 2 i and 2 i + 1 are one dense row i: even lanes store the first two of
    each four along K, odd ones the last two. `left`, `right`: the slots of A and of B that each instruction takes, in
    its order."""
@avelang.jit
def expand(acc: Any) -> Any:
    """Each number followed by the sum's neutral element: what sparse rows 2 i and 2 i + 1 start from. -0.0, not 0.0, so
    that a sum of nothing but negative zeros stays one."""
@avelang.jit
def collapse(acc: Any) -> Any:
    """The sums of neighbors."""
