"""How one operand of a wave's matrix product is spread over lanes, in IREE's words: four tuples come in, a tile
distribution goes out.

Source: IREE, "Virtual Dense MFMAs for Skinny GEMM" and its `MMASingleSubgroupLayout`: outer, thread, tstrides, element
for each dimension."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import avelang
from avelang.base.errors import AveError
from avelang.base.lazy import np
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import wrong
from avelang.base.takes import takes
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Encoding, Ints, _ints


@avelang.constant
@dataclasses.dataclass(frozen=True)
class SubgroupLayout(DrawnInNotebooks):
    """The spread of an operand with some dimensions, such as (M, K), over a wave. For each dimension:

    `outer`: how often element tiles are repeated in a lane; `thread`: the grid of lanes; `tstrides`: how many lanes
    further the next one of that grid is; `element`: neighbors that a lane holds. outer * thread * element is the tile's
    extent. A lane holds outer * element elements, outer counts before element.

    Where the grid is smaller than the `wave`, neighboring lanes (2 p and 2 p + 1, if it has half as many) stand at the
    same place of the grid, and each takes its part of the element tile, the lower lane the lower part: in the last
    dimension whose `element` they divide.

    Raises T301 and T306 at the caller's line.
    """

    outer: Ints
    thread: Ints
    tstrides: Ints
    element: Ints
    wave: int = 64

    def __post_init__(self) -> None:
        for name, least in (("outer", 1), ("thread", 1), ("tstrides", 0), ("element", 1)):
            value = _ints(getattr(self, name), name, least)
            if len(value) != len(self.outer):
                raise wrong("T301", what=name, want=f"as many entries as outer, {len(self.outer)}", got=repr(value))
            object.__setattr__(self, name, value)
        lanes = math.prod(self.thread)
        if self.wave % lanes:
            shown = " * ".join(map(str, self.thread))
            raise wrong("T306", what=f"thread {self.thread}",
                        why=f"{shown} = {lanes} does not divide the wave's {self.wave} lanes")
        if self.lanes_per_place > 1 and self.shared_axis is None:
            shared = f"{self.lanes_per_place} lanes share each place of the thread grid {self.thread}"
            why = f"{shared}, and divide none of its extents"
            raise wrong("T306", what=f"element {self.element}", why=why)
        self._digits()

    @property
    def shape(self) -> Ints:
        """The tile's extents."""
        return tuple(o * t * e for o, t, e in zip(self.outer, self.thread, self.element, strict=True))

    @property
    def lanes_per_place(self) -> int:
        """Lanes at one place of the thread grid."""
        return self.wave // math.prod(self.thread)

    @property
    def shared_axis(self) -> int | None:
        """The dimension whose element tile such lanes divide among themselves; None where there is one lane a place, or
        none divides."""
        if self.lanes_per_place == 1:
            return None
        fits = [i for i, e in enumerate(self.element) if e % self.lanes_per_place == 0]
        return fits[-1] if fits else None

    @property
    def own(self) -> Ints:
        """The part of the element tile that one lane holds."""
        return tuple(e // self.lanes_per_place if i == self.shared_axis else e for i, e in enumerate(self.element))

    @property
    def elements(self) -> int:
        """Elements of a lane."""
        return math.prod(self.outer) * math.prod(self.own)

    def _digits(self) -> list[tuple[int, int, int]]:
        """The digits of the lane number, the slowest first: (stride in lanes, extent, dimension; -1 for the lanes that
        share a place)."""
        found = [(s, t, i) for i, (s, t) in enumerate(zip(self.tstrides, self.thread, strict=True)) if t > 1]
        if self.lanes_per_place > 1:
            found.append((1, self.lanes_per_place, -1))
        found.sort()
        want = 1
        for stride, extent, axis in found:
            if stride != want:
                before = f"lanes up to {want - 1} are given away before it"
                why = f"dimension {axis} steps by {stride} lanes, and {before}: it must be {want}"
                raise wrong("T306", what=f"tstrides {self.tstrides}", why=why)
            want *= extent
        return found[::-1]

    @functools.cached_property
    def encoding(self) -> Encoding:
        """The layout as a tile distribution encoding: factors (outer, thread, sharing lanes, own elements) of each
        dimension."""
        dims = range(len(self.outer))
        share = [self.lanes_per_place if i == self.shared_axis else 1 for i in dims]
        factors = tuple((self.outer[i], self.thread[i], share[i], self.own[i]) for i in dims)
        lane = [(self.shared_axis if axis < 0 else axis, 2 if axis < 0 else 1) for _, _, axis in self._digits()]
        still = [(i, kind) for i in dims for kind in (1, 2) if (i, kind) not in lane]  # extents of 1
        pairs = [*still, *lane]
        return Encoding((), factors, ((), tuple((i or 0) + 1 for i, _ in pairs)),
                        ((), tuple(kind for _, kind in pairs)), (*(i + 1 for i in dims), *(i + 1 for i in dims)),
                        (*(0 for _ in dims), *(3 for _ in dims)))

    @property
    def distribution(self) -> Distribution:
        """The layout as a `Distribution` over one wave."""
        return Distribution(self.encoding, self.wave)

    def lanes_at(self, *place: int) -> tuple[int, ...]:
        """The lanes at a place of the thread grid."""
        first = sum(p * s for p, s in zip(place, self.tstrides, strict=True))
        return tuple(range(first, first + self.lanes_per_place))

    @property
    def transposed(self) -> SubgroupLayout:
        """The layout of the transposed operand."""
        return SubgroupLayout(self.outer[::-1], self.thread[::-1], self.tstrides[::-1], self.element[::-1], self.wave)

    @classmethod
    def of(cls, distribution: Distribution) -> SubgroupLayout | None:
        """The layout of a distribution over one wave, where four tuples can say it; else None."""
        steps, shape = distribution.encoding.steps(), distribution.shape
        thread, tstrides, element = [1] * len(shape), [0] * len(shape), [0] * len(shape)
        lanes = [
            (d, next((a for a, s in enumerate(d.strides) if s), None)) for d in reversed(steps.p[-1]) if d.extent > 1
        ]
        if distribution.waves != 1 or any(axis is None for _, axis in lanes):
            return None
        # Lanes that share a place count within the element tile: the fastest digit, where a slower one counts along the
        # same dimension.
        first, stride = 0, 1
        if lanes and any(axis == lanes[0][1] for _, axis in lanes[1:]):
            first, stride = 1, lanes[0][0].extent
        for d, axis in lanes[first:]:
            assert axis is not None
            thread[axis], tstrides[axis], element[axis] = d.extent, stride, d.strides[axis]
            stride *= d.extent
        # A dimension that no lanes count along may be all outer, all element, or some of both.
        inner = [{1, n, *(d.strides[a] for d in steps.y if d.strides[a])} for a, n in enumerate(shape)]
        free = [[e] if e else sorted(have) for e, have in zip(element, inner, strict=True)]
        for tile in itertools.product(*free):
            outer = tuple(n // (e * t) for n, e, t in zip(shape, tile, thread, strict=True))
            if any(o * t * e != n for o, t, e, n in zip(outer, thread, tile, shape, strict=True)):
                continue
            try:
                made = cls(outer, tuple(thread), tuple(tstrides), tile, distribution.wave)
            except AveError:  # a dimension with more digits than the four tuples have
                continue
            if same_places(made.distribution, distribution):
                return made
        return None


@takes("T301")
def same_places(a: Distribution, b: Distribution) -> bool:
    """True where two distributions give every lane the same elements in the same order."""
    return a.shape == b.shape and a.wave == b.wave and np.array_equal(a.linear, b.linear)


__all__ = ["SubgroupLayout", "same_places"]
