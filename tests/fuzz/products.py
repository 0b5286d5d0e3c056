"""Matrix products as the judge knows them: which element of a matrix each lane holds, from the vendors' manuals and not from the compiler's rows.

NVIDIA: PTX ISA 9.0, 9.7.14.5 (matrix fragments for mma). AMD: CDNA3 ISA, section 7 (matrix arithmetic instructions). Elements are multiplied and added
exactly and the sum is rounded once, so that only sums which need no rounding mean anything.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fuzz import numbers
from fuzz.numbers import KINDS, Kind
from fuzz.values import Num, Tensor, Undefined, vector

Place = Callable[[int, int], tuple[int, int, int]]  # (lane, slot) -> (block, row, column)
TF32_BITS = 13


class Shape:
    """An instruction: extents, blocks, the kinds of A, B and C, and where each lane's elements stand."""

    def __init__(self, m: int, n: int, k: int, blocks: int, lanes: int, kinds: tuple[Kind, Kind, Kind], places: tuple[Place, Place, Place]):
        self.m, self.n, self.k, self.blocks, self.lanes, self.kinds = m, n, k, blocks, lanes, kinds
        self.a, self.b, self.c = places
        self.slots = (m * k * blocks // lanes, k * n * blocks // lanes, m * n * blocks // lanes)


def nvidia(name: str) -> Shape:
    """`mma_16x8x16_f16_f32`: the kind of A (and of B where it is another), and of C."""
    m, n, k, types = re.fullmatch(r"nvvm\.mma_(\d+)x(\d+)x(\d+)_(.*)", name).groups()  # type: ignore[union-attr]
    m, n, k, parts = int(m), int(n), int(k), types.replace("tf32", "f32").split("_")
    a, b, c = (KINDS[x] for x in (parts if len(parts) == 3 else (parts[0], *parts)))
    word = max(1, 32 // a.bits)  # elements of a 32-bit register, which are neighbors along K

    def place_a(lane: int, i: int) -> tuple[int, int, int]:
        register, part = divmod(i, word)
        low, along = (register % 2, register // 2) if m == 16 else (0, register)
        return 0, lane // 4 + 8 * low, word * (lane % 4) + part + 4 * word * along

    def place_b(lane: int, i: int) -> tuple[int, int, int]:
        register, part = divmod(i, word)
        return 0, word * (lane % 4) + part + 4 * word * register, lane // 4

    def place_c(lane: int, i: int) -> tuple[int, int, int]:
        return 0, lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2

    return Shape(m, n, k, 1, 32, (a, b, c), (place_a, place_b, place_c))


def amd(name: str) -> Shape:
    """`mfma_f32_32x32x8_f16`, `mfma_f32_4x4x4_16b_f16`."""
    acc, m, k, blocks, operand = re.fullmatch(r"amdgpu\.mfma_(\w+?)_(\d+)x\d+x(\d+)_(?:(\d+)b_)?(\w+)", name).groups()  # type: ignore[union-attr]
    m, k, blocks = int(m), int(k), int(blocks or 1)
    a, c = KINDS[operand], KINDS[acc]
    each = m * k * blocks // 64  # neighbors along K that a lane holds

    def place_a(lane: int, i: int) -> tuple[int, int, int]:
        group = lane // m
        return group % blocks, lane % m, each * (group // blocks) + i

    def place_b(lane: int, i: int) -> tuple[int, int, int]:
        block, row, along = place_a(lane, i)
        return block, along, row

    def place_c(lane: int, i: int) -> tuple[int, int, int]:
        run = 1 if c.bits == 64 else 4  # rows that follow one another in a lane
        if m == 4:
            return lane // 4 % blocks, i if run == 4 else lane // 16, lane % 4
        groups, per = 64 // m, m * m // 64
        block, i = divmod(i, per)
        return block, run * groups * (i // run) + run * (lane // m) + i % run, lane % m

    return Shape(m, m, k, blocks, 64, (a, a, c), (place_a, place_b, place_c))


@functools.cache
def shape(name: str) -> Shape:
    return nvidia(name) if name.startswith("nvvm") else amd(name)


def _moved(s: Shape, said: dict[str, Any]) -> tuple[list[int], list[int]]:
    """From which lanes A and B come: groups of 2**cbsz blocks share A's block number `abid` of the group; `blgp` names a pattern of B's lanes."""
    cbsz, abid, blgp = (int(said.get(x, 0)) for x in ("cbsz", "abid", "blgp"))
    lanes = range(s.lanes)
    size = 1 << cbsz
    a = [(lane // s.m // size * size + abid % size) * s.m + lane % s.m if cbsz else lane for lane in lanes]
    ways = (lambda x: x, lambda x: x % 32, lambda x: x % 32 + 32, lambda x: (x + 16) % 64, *(lambda x, q=q: x % 16 + 16 * q for q in range(4)))
    return a, [ways[blgp](lane) for lane in lanes]


def product(name: str, given: list[tuple[Any, ...]], said: dict[str, Any]) -> list[Any]:
    """D of each lane, from each lane's A, B and C."""
    s = shape(name)
    if len(given) != s.lanes:
        raise Undefined("a product of another wave")

    def elements(value: Any, kind: Kind, slots: int, cut: bool = False) -> list[Any]:
        items = value.items() if isinstance(value, Tensor) else [value]
        if len(items) != slots or any(not isinstance(x, Num) or x.k is not kind for x in items):
            raise Undefined("an operand of another kind")
        if kind.is_float and any(abs(x.v) > 2.0**20 or x.v != x.v for x in items):
            raise Undefined("a product that may be rounded")
        if cut and any(numbers.to_bits(x.v, kind) & (1 << TF32_BITS) - 1 for x in items):
            raise Undefined("bits that tf32 does not have")
        return [Fraction(x.v) if kind.is_float else x.v for x in items]

    lanes, (from_a, from_b) = range(s.lanes), _moved(s, said)
    held_a, held_b = ([elements(g[j], s.kinds[j], s.slots[j], "tf32" in name) for g in given] for j in (0, 1))
    held_c = [elements(g[2], s.kinds[2], s.slots[2]) for g in given]
    a = {s.a(lane, i): held_a[from_a[lane]][i] for lane in lanes for i in range(s.slots[0])}
    b = {s.b(lane, i): held_b[from_b[lane]][i] for lane in lanes for i in range(s.slots[1])}
    out = []
    for lane in lanes:
        row = []
        for i in range(s.slots[2]):
            block, m, n = s.c(lane, i)
            terms = [held_c[lane][i], *(a[block, m, k] * b[block, k, n] for k in range(s.k))]
            row.append(Num(s.kinds[2], _sum(terms, s.kinds[2])))
        out.append(vector(row, (len(row),)) if len(row) > 1 else row[0])
    return out


def _sum(terms: list[Any], k: Kind) -> Any:
    if not k.is_float:
        return numbers.wrap(sum(terms), k)
    total = sum(terms)
    most = sum(map(abs, terms))
    # Whatever the sequence, no partial sum is rounded: all are multiples of one unit, and small.
    unit = min((Fraction(1, x.denominator) for x in terms if x), default=Fraction(1))
    if most / unit >= 1 << min(k.digits, 24):
        raise Undefined("a product that may be rounded")
    return numbers.exactly(total, k)
