"""Bank conflicts of shared memory: byte addresses of lanes come in, swizzled or not; the cycles that the banks take for
them go out.

The banks, and which lanes are served together, are the chip's: `avelang.arch.amd` and `avelang.arch.nvidia`, with their
sources."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

import avelang
from avelang.arch import chip as chip_of
from avelang.base.lazy import np
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import wrong
from avelang.base.takes import Want, takes
from avelang.isa.nvptx.swizzle import BITS, PIECE, ROW
from avelang.tile.distribution import WIDEST, Distribution


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Swizzle(DrawnInNotebooks):
    """The xor swizzle of CuTe's Swizzle<bits, base, shift>: `bits` bits of an offset, from bit `base` on, are xored
    with those `shift` higher.

    Offsets are in bytes unless whoever applies it says otherwise. 0 bits: none. Raises T301.
    """

    bits: int = 0
    base: int = 0
    shift: int = 0

    def __post_init__(self) -> None:
        for name in ("bits", "base", "shift"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise wrong("T301", what=name, want="an integer from 0", got=repr(value))
        if self.bits > self.shift:
            raise wrong("T301", what="shift", want=f"at least bits, {self.bits}, so that the swizzle is one to one",
                        got=self.shift)

    def __call__(self, offset: np.ndarray) -> np.ndarray:
        """The swizzled offsets, int64. It is its own inverse."""
        at = np.asarray(offset, np.int64)
        return at ^ (at >> self.shift & (1 << self.bits) - 1 << self.base)

    @classmethod
    def pattern(cls, nbytes: int) -> Swizzle:
        """NVIDIA's patterns of 32, 64 and 128 bytes, which TMA and wgmma have (0: none), on byte offsets. Raises
        T301."""
        if nbytes not in BITS:
            raise wrong("T301", what="a swizzle pattern", want=f"one of {', '.join(map(str, BITS))} bytes",
                        got=repr(nbytes))
        return cls(BITS[nbytes], PIECE, ROW - PIECE) if nbytes else cls()

    @classmethod
    def rows(cls, row_bytes: int, width: int = WIDEST) -> Swizzle:
        """The swizzle that spreads one column of accesses of `width` bytes over all banks, in a tile whose rows have
        `row_bytes`, a power of two: the number of the access in its row is xored with the row's number (in pairs,
        fours, ... of rows where a row is shorter than all banks)."""
        if row_bytes & (row_bytes - 1) or width & (width - 1) or not 0 < width <= row_bytes:
            raise wrong("T301", what="row_bytes", want=f"a power of two from {width}", got=repr(row_bytes))
        line = 128  # bytes that the banks give at once
        base, row = width.bit_length() - 1, max(row_bytes, line).bit_length() - 1
        bits = min(row_bytes, line).bit_length() - 1 - base
        return cls(bits, base, row - base) if bits else cls()


@dataclasses.dataclass(frozen=True)
class Banks:
    """Cost of one access of a wave. `phases`: the lanes served together; `cycles`: how many cycles each phase takes;
    `turns`: for each phase how many words each of the banks is asked for."""

    phases: tuple[tuple[int, ...], ...]
    cycles: tuple[int, ...]
    turns: np.ndarray

    @property
    def extra(self) -> int:
        """Cycles lost to conflicts: those beyond one for each phase."""
        return sum(self.cycles) - len(self.cycles)


def bank_count(target: str, nbytes: int, kind: str = "read") -> int:
    """Banks of 4 bytes that serve an access of `nbytes` a lane."""
    return chip_of(target).shared.phases(nbytes, kind).banks


def phases_of(target: str, nbytes: int, kind: str = "read") -> tuple[tuple[int, ...], ...]:
    """The lanes that one phase of an access of `nbytes` a lane serves."""
    return chip_of(target).shared.phases(nbytes, kind).groups


def _integers(x: Any) -> bool:
    try:
        return np.asarray(x).dtype.kind in "iu"
    except Exception:  # whatever is no array says in its own way
        return False


_ADDRESSES = Want(_integers, "byte addresses, integers")


@takes("T301")
def banks(addresses: Annotated[Any, _ADDRESSES], nbytes: int, target: str = "gfx942", kind: str = "read",
          active: Any = None) -> Banks:
    """The cost of one access: byte addresses in shared memory, one for each lane of the wave, `nbytes` a lane (1 to
    16); `kind`: "read" or "write"; `active`: a bool for each lane that takes part, all of them where it is left
    out."""
    at = np.asarray(addresses, np.int64)
    groups = phases_of(target, nbytes, kind)
    lanes = sum(map(len, groups))
    if at.shape != (lanes,) or kind not in ("read", "write") or nbytes not in (1, 2, 4, 8, 12, 16):
        want = f"{lanes} addresses, 1, 2, 4, 8, 12 or 16 bytes, and read or write"
        raise wrong("T301", what="an access", want=want, got=f"addresses of shape {at.shape}, {nbytes} bytes, {kind!r}")
    many = bank_count(target, nbytes, kind)
    turns = np.zeros((len(groups), many), np.int64)
    for row, group in zip(turns, groups, strict=True):
        those = group if active is None else [lane for lane in group if active[lane]]
        words = {int(w) for lane in those for w in range(at[lane] // 4, (at[lane] + nbytes - 1) // 4 + 1)}
        np.add.at(row, np.array(sorted(words), np.int64) % many, 1)
    return Banks(groups, tuple(map(int, turns.max(axis=1))), turns)


@dataclasses.dataclass(frozen=True)
class TileAccesses(DrawnInNotebooks):
    """A wave's accesses to a tile: byte `addresses` (instructions, lanes), `nbytes` of each, and what each costs."""

    addresses: np.ndarray
    nbytes: int
    costs: tuple[Banks, ...]

    @property
    def cycles(self) -> int:
        """Cycles of all accesses."""
        return sum(sum(c.cycles) for c in self.costs)

    @property
    def extra(self) -> int:
        """Cycles lost to bank conflicts."""
        return sum(c.extra for c in self.costs)


Accesses = TileAccesses  # the public name


@takes("T301")
def tile_accesses(
    tile: Distribution, strides: Sequence[int], element: int, *, width: int = 0, swizzle: Swizzle | None = None,
    target: str = "gfx942", kind: str = "read", wave: int = 0
) -> TileAccesses:
    """Accesses by which wave `wave` of a distribution loads, or stores, its elements of a tile in shared memory.

    `strides`: bytes from one element to the next along each dimension; `element`: bytes of one. `width`: bytes of an
    access; default: the widest that its runs allow. `swizzle`: applied to byte offsets. Raises T305 where a lane's
    elements are not in runs of `width` bytes, aligned to it."""
    lanes = slice(wave * tile.wave, (wave + 1) * tile.wave)
    at = sum(np.asarray(x[lanes], np.int64) * s for x, s in zip(tile.index, strides, strict=True))
    at = np.sort(at, axis=1)
    widths = [width] if width else [w for w in (16, 8, 4, 2, 1) if w >= element]
    for nbytes in widths:
        per = nbytes // element
        if per and at.shape[1] % per == 0:
            runs = at.reshape(len(at), -1, per)
            joined = (np.diff(runs, axis=2) == element).all() and (runs[:, :, 0] % nbytes == 0).all()
            if joined:
                first = (swizzle or Swizzle())(runs[:, :, 0].T)
                return TileAccesses(first, nbytes, tuple(banks(a, nbytes, target, kind) for a in first))
    raise wrong("T305", what=f"access to a tile with strides {tuple(strides)}",
                why=f"lanes hold no aligned runs of {width or element} bytes")
