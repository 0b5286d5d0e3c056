"""Tile distribution encodings, as in CK Tile: which digits of a tile's coordinates, and of replicas, number waves,
lanes and a lane's elements.

Source: ROCm, Composable Kernel documentation, "Tile Distribution" and "Encoding Internals": R are replicas, H the
tile's dimensions, each taken apart into factors (the first counts the largest steps), P what numbers the hardware, Y
what numbers the elements of a lane."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import avelang
from avelang.base.lazy import np
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import wrong

Ints = tuple[int, ...]


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Digit:
    """One digit of a mixed-radix number: it counts from 0 up to `extent`, and each count moves by `strides` elements
    along the tile's dimensions (all 0 for a replica)."""

    extent: int
    strides: Ints


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Steps:
    """The digits of each P and of each Y, the slowest first: all that code needs to compute coordinates at run time."""

    p: tuple[tuple[Digit, ...], ...]
    y: tuple[Digit, ...]


def _int(value: Any, what: str, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise wrong("T301", what=what, want=f"an integer from {least}", got=repr(value))
    return number


def _ints(value: Any, what: str, least: int) -> Ints:
    if not isinstance(value, (tuple, list)):
        raise wrong("T301", what=what, want="a tuple of integers", got=repr(value))
    return tuple(_int(v, f"{what}[{i}]", least) for i, v in enumerate(value))


def _nested(value: Any, what: str, least: int) -> tuple[Ints, ...]:
    if not isinstance(value, (tuple, list)):
        raise wrong("T301", what=what, want="a tuple of tuples of integers", got=repr(value))
    return tuple(_ints(v, f"{what}[{i}]", least) for i, v in enumerate(value))


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Encoding(DrawnInNotebooks):
    """A tile spread over waves, lanes and the elements of a lane.

    `Rs`: extents of replicas, (): none. `Hs`: for each dimension of the tile its factors, the first the slowest; their
    product is the extent. `Ps2RHs_major`, `Ps2RHs_minor`: for each P which factors it counts through, the first the
    slowest: major 0 is `Rs`, major i the dimension `Hs[i - 1]`; minor is the place in it. `Ys2RHs_major`,
    `Ys2RHs_minor`: the same for each Y, one factor each; Ys number a lane's elements, the last Y fastest. Of two Ps the
    first is the wave, the last the lane; a single P is the thread of the block. `tile`, where given, are the extents
    that `Hs` must have.

    Raises, at the caller's line, T301 for what is no number, T302 for an index out of range, T303 for a factor that two
    use, or none, T304 where the factors of a dimension do not give `tile`."""

    Rs: Ints
    Hs: tuple[Ints, ...]
    Ps2RHs_major: tuple[Ints, ...]
    Ps2RHs_minor: tuple[Ints, ...]
    Ys2RHs_major: Ints
    Ys2RHs_minor: Ints
    tile: dataclasses.InitVar[Sequence[int] | None] = None

    def __post_init__(self, tile: Sequence[int] | None) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        put("Rs", _ints(self.Rs, "Rs", 1))
        put("Hs", _nested(self.Hs, "Hs", 1))
        for name in ("Ps2RHs_major", "Ps2RHs_minor"):
            put(name, _nested(getattr(self, name), name, 0))
        for name in ("Ys2RHs_major", "Ys2RHs_minor"):
            put(name, _ints(getattr(self, name), name, 0))
        self._check_pairs()
        self._check_uses()
        if tile is not None:
            self._check_tile(_ints(tile, "tile", 1))

    def _check_pairs(self) -> None:
        if not 1 <= len(self.Ps2RHs_major) <= 2:
            raise wrong("T301", what="Ps2RHs_major", want="one tuple (threads) or two (waves, lanes)",
                        got=repr(self.Ps2RHs_major))
        groups = [
            ("Ps2RHs", "", self.Ps2RHs_major, self.Ps2RHs_minor), ("Ys2RHs", "", self.Ys2RHs_major, self.Ys2RHs_minor)
        ]
        if len(self.Ps2RHs_major) == len(self.Ps2RHs_minor):
            both = zip(self.Ps2RHs_major, self.Ps2RHs_minor, strict=True)
            groups += [("Ps2RHs", f"[{i}]", major, minor) for i, (major, minor) in enumerate(both)]
        for name, at, major, minor in groups:
            if len(major) != len(minor):
                want = f"as many entries as {name}_major{at}, {len(major)}"
                raise wrong("T301", what=f"{name}_minor{at}", want=want, got=f"{len(minor)}: {minor!r}")

    def _uses(self) -> Iterator[tuple[str, str, int, int]]:
        """(family, place, major, minor) of each factor that a P or a Y names."""
        for i, (major, minor) in enumerate(zip(self.Ps2RHs_major, self.Ps2RHs_minor, strict=True)):
            yield from (("Ps2RHs", f"[{i}][{j}]", a, b) for j, (a, b) in enumerate(zip(major, minor, strict=True)))
        yield from (
            ("Ys2RHs", f"[{i}]", a, b)
            for i, (a, b) in enumerate(zip(self.Ys2RHs_major, self.Ys2RHs_minor, strict=True))
        )

    def _check_uses(self) -> None:
        users: dict[tuple[int, int], list[str]] = {}
        for name, at, major, minor in self._uses():
            if major > len(self.Hs):
                why = f"Hs has {len(self.Hs)}, so it is at most {len(self.Hs)}"
                raise wrong("T302", what=f"{name}_major{at}", got=major, why=why)
            factors, of = self._factors(major), "Rs" if major == 0 else f"Hs[{major - 1}]"
            if minor >= len(factors):
                raise wrong("T302", what=f"{name}_minor{at}", got=minor,
                            why=f"{of} = {factors} has {len(factors)} entries, counted from 0")
            if major == 0 and name == "Ys2RHs":
                raise wrong("T302", what=f"{name}_major{at}", got=major,
                            why="a lane's elements are no replicas, so it is at least 1")
            users.setdefault((major, minor), []).append(name + at)
        for major in range(len(self.Hs) + 1):
            for minor, extent in enumerate(self._factors(major)):
                found = users.get((major, minor), [])
                if len(found) != 1:
                    how = (
                        f"is used {len(found)} times, by {' and '.join(found)}" if found else "is used by no P and no Y"
                    )
                    of = "Rs" if major == 0 else f"Hs[{major - 1}]"
                    raise wrong("T303", what=f"{of}[{minor}] (major {major}, minor {minor}, extent {extent})", how=how)

    def _check_tile(self, tile: Ints) -> None:
        if len(tile) != len(self.Hs):
            raise wrong("T301", what="tile", want=f"as many extents as Hs has dimensions, {len(self.Hs)}",
                        got=repr(tile))
        for i, (want, factors) in enumerate(zip(tile, self.Hs, strict=True)):
            if math.prod(factors) != want:
                shown = " * ".join(map(str, factors)) or "1"
                raise wrong("T304", what=f"Hs[{i}]", product=f"{shown} = {math.prod(factors)}",
                            want=f"the tile has {want}")

    def _factors(self, major: int) -> Ints:
        return self.Rs if major == 0 else self.Hs[major - 1]

    # -- derived -------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def shape(self) -> Ints:
        """Extents of the tile."""
        return tuple(map(math.prod, self.Hs))

    @functools.cached_property
    def lengths_p(self) -> Ints:
        """Extent of each P: (waves, lanes), or (threads,)."""
        return tuple(math.prod(d.extent for d in p) for p in self._steps.p)

    @functools.cached_property
    def lengths_y(self) -> Ints:
        """Extent of each Y."""
        return tuple(d.extent for d in self._steps.y)

    @property
    def threads(self) -> int:
        """Threads of all waves."""
        return math.prod(self.lengths_p)

    @property
    def elements(self) -> int:
        """Elements of each lane."""
        return math.prod(self.lengths_y)

    @property
    def replication(self) -> int:
        """Lanes that hold each element."""
        return math.prod(self.Rs)

    def steps(self) -> Steps:
        """The digits of each P and each Y, with the strides of their steps along the tile's dimensions."""
        return self._steps

    @functools.cached_property
    def _steps(self) -> Steps:
        return Steps(
            tuple(tuple(map(self._digit, *pair)) for pair in zip(self.Ps2RHs_major, self.Ps2RHs_minor, strict=True)),
            tuple(map(self._digit, self.Ys2RHs_major, self.Ys2RHs_minor)),
        )

    def _digit(self, major: int, minor: int) -> Digit:
        factors = self._factors(major)
        stride = math.prod(factors[minor + 1 :]) if major else 0
        return Digit(factors[minor], tuple(stride if d == major - 1 else 0 for d in range(len(self.Hs))))

    def coordinates(self, p: Sequence[Any], y: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """The coordinates in the tile of (p, y), one int array for each dimension. `p` has one array (or int) for each
        P, `y` one for each Y; they broadcast against one another."""
        steps = self._steps
        if len(p) != len(steps.p) or len(y) != len(steps.y):
            want = f"{len(steps.p)} and {len(steps.y)} numbers"
            raise wrong("T301", what="(p, y)", want=want, got=f"{len(p)} and {len(y)}")
        out: list[Any] = [np.zeros((), np.int64) for _ in self.Hs]
        moves = [m for q, digits in zip(p, steps.p, strict=True) for m in digits_of(np.asarray(q), digits)]
        moves += [(np.asarray(n), d) for n, d in zip(y, steps.y, strict=True)]
        for count, digit in moves:
            for axis, stride in enumerate(digit.strides):
                if stride:
                    out[axis] = out[axis] + count * stride
        shape = np.broadcast_shapes(*(np.shape(x) for x in (*p, *y)))
        return tuple(np.broadcast_to(x, shape) for x in out)

    @functools.cached_property
    def index(self) -> tuple[np.ndarray, ...]:
        """For each dimension of the tile an int array (threads, elements): where each thread's elements stand."""
        p = np.unravel_index(np.arange(self.threads), self.lengths_p)
        y = np.unravel_index(np.arange(self.elements), self.lengths_y) if self.lengths_y else ()
        at = self.coordinates([q[:, None] for q in p], [n[None, :] for n in y])
        return tuple(np.broadcast_to(x, (self.threads, self.elements)) for x in at)


def digits_of(number: np.ndarray, digits: Sequence[Digit]) -> list[tuple[np.ndarray, Digit]]:
    """A number taken apart into digits, the last of which is the fastest: (count of the digit, digit)."""
    out, rest = [], number
    for digit in reversed(digits):
        out.append((rest % digit.extent, digit))
        rest = rest // digit.extent
    return out[::-1]
