"""Static tile distributions: an encoding, or a layout, or the fragment of a matrix instruction comes in; the elements
of each lane go out."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any

import avelang
from avelang.base.lazy import np
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import wrong
from avelang.frontend import shapes
from avelang.frontend.names import Intrinsic, Layout
from avelang.ir.dtypes import DType
from avelang.isa.fragments import Fragment
from avelang.isa.row import Row
from avelang.tile.encoding import Digit, Encoding, Ints
from avelang.tile.solve import NoEncoding, solve

WORD = 4  # bytes of a register
WIDEST = 16  # bytes that a lane moves at once, on all chips
OPERANDS = {"a": "a", "b": "b", "c": "c", "d": "c", "acc": "c"}


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Distribution(DrawnInNotebooks):
    """A tile spread over `waves` waves of `wave` lanes: an encoding, checked against them (0 waves: as many as
    it has).

    Raises T304, at the caller's line, where the encoding counts to another number of lanes or waves.
    """

    encoding: Encoding
    wave: int = 64
    waves: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.encoding, Encoding):
            raise wrong("T301", what="encoding", want="an Encoding", got=repr(self.encoding))
        for name in ("wave", "waves"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < (name == "wave"):
                raise wrong("T301", what=name, want=f"an integer from {int(name == 'wave')}", got=repr(value))
        *first, last = self.encoding.lengths_p
        lanes = " * ".join(str(d.extent) for d in self.encoding.steps().p[-1]) or "1"
        if first:
            if last != self.wave:
                how = (
                    "more lanes than the wave has"
                    if last > self.wave
                    else "fewer lanes than the wave has; Rs makes replicas"
                )
                raise wrong("T304", what="the last P", product=f"{lanes} = {last}",
                            want=f"the wave has {self.wave} lanes: {how}")
            have = first[0]
        else:
            if last % self.wave and last > self.wave:
                raise wrong("T304", what="the only P", product=f"{lanes} = {last} threads",
                            want=f"waves have {self.wave} lanes")
            if last < self.wave:
                how = "fewer threads than the wave has lanes; Rs makes replicas"
                raise wrong("T304", what="the only P", product=f"{lanes} = {last}",
                            want=f"the wave has {self.wave} lanes: {how}")
            have = last // self.wave
        if self.waves not in (0, have):
            raise wrong("T304", what="waves", product=f"the encoding has {have}", want=f"{self.waves} are wanted")
        object.__setattr__(self, "waves", have)

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Ints:
        """Extents of the tile."""
        return self.encoding.shape

    @property
    def threads(self) -> int:
        """Threads of all waves."""
        return self.encoding.threads

    @property
    def elements(self) -> int:
        """Elements of each lane."""
        return self.encoding.elements

    @property
    def replication(self) -> int:
        """Lanes that hold each element."""
        return self.encoding.replication

    @property
    def index(self) -> tuple[np.ndarray, ...]:
        """For each dimension an int array (threads, elements); thread = wave number * lanes + lane."""
        return self.encoding.index

    @functools.cached_property
    def linear(self) -> np.ndarray:
        """int (threads, elements): the elements' numbers in the row-major tile."""
        out = np.zeros((self.threads, self.elements), np.int64)
        for extent, at in zip(self.shape, self.index, strict=True):
            out = out * extent + at
        return out

    def gather(self, matrix: np.ndarray) -> np.ndarray:
        """Elements of a tile that the lanes hold, (threads, elements)."""
        return matrix[self.index]

    def scatter(self, held: np.ndarray) -> np.ndarray:
        """The tile that lanes hold as (threads, elements)."""
        out = np.zeros(self.shape, held.dtype)
        out[self.index] = held
        return out

    def run(self, axis: int) -> int:
        """Count of neighbors along a dimension that each lane holds, whatever their order in its registers. They start
        at a multiple of their number."""
        have = {d.strides[axis]: d.extent for d in self.encoding.steps().y if d.strides[axis] and d.extent > 1}
        length = 1
        while have.get(length, 1) > 1:
            length *= have[length]
        return length

    def width(self, axis: int, dtype: DType) -> int:
        """Bytes of the widest access by which a lane can load or store its elements where `axis` is contiguous in
        memory."""
        nbytes = self.run(axis) * dtype.bytes
        return min(WIDEST, nbytes & -nbytes)

    # -- layouts -------------------------------------------------------------------------------------------------------

    def to_layout(self, strides: Sequence[int] | None = None) -> Layout:
        """The layout (wave, lane, element) -> place in a tile with these strides (default: row-major). Each mode has
        its fastest leaf first; replicas have stride 0."""
        if strides is None:
            strides = shapes.row_major(self.shape, lambda a, b: a * b)
        steps, step = self.encoding.steps(), tuple(strides or ())
        threads = list(steps.p)
        if len(threads) == 1:
            threads = list(split(threads[0], self.wave))
        modes = [_leaves(digits, step) for digits in (*threads, steps.y)]
        return Layout(tuple(m[0] for m in modes), tuple(m[1] for m in modes))

    @classmethod
    def from_layout(cls, layout: Layout, shape: Sequence[int], wave: int = 64) -> Distribution:
        """The distribution of a layout (wave, lane, element), or (thread, element), -> place in the row-major tile of
        `shape`. Modes nest as they like. Raises T305 where the layout leaves elements out, meets some twice in a way
        that is no replication, or moves across rows."""
        shape = tuple(shape)
        place = enumerate_layout(layout)
        if place.ndim not in (2, 3):
            raise wrong("T305", what=repr(layout),
                        why=f"it has {place.ndim} modes, and (wave, lane, element) or (thread, element) are wanted")
        if place.max() >= math.prod(shape):
            raise wrong("T305", what=repr(layout),
                        why=f"it reaches {int(place.max())}, and a tile of {shape} has {math.prod(shape)} elements")
        threads = math.prod(place.shape[:-1])
        if threads % wave or (place.ndim == 3 and place.shape[1] != wave):
            raise wrong("T304", what=repr(layout), product=f"{place.shape[-2]} lanes", want=f"waves have {wave}")
        place = place.reshape(threads // wave, wave, place.shape[-1])
        return cls.of_index(unravelled(place, shape), shape, repr(layout))

    @classmethod
    def of_index(cls, index: Sequence[np.ndarray], shape: Sequence[int], what: str = "the map") -> Distribution:
        """The distribution of a map given as int arrays (waves, lanes, elements), one for each dimension. They are
        broadcast against one another, and elements may have several axes. Raises T305."""
        index = [x.reshape(*x.shape[:2], -1) for x in np.broadcast_arrays(*index)]
        try:
            return cls(solve(index, shape), index[0].shape[1])
        except NoEncoding as e:
            raise wrong("T305", what=what, why=str(e)) from None

    def remapped(self, index: Sequence[np.ndarray], shape: Sequence[int], what: str = "the map") -> Distribution:
        """The same lanes' elements at other coordinates: int arrays (threads, elements), one for each dimension. Raises
        T305."""
        return self.of_index([x.reshape(self.waves, self.wave, -1) for x in index], shape, what)

    @functools.cached_property
    def transposed(self) -> Distribution:
        """The same lanes' elements of the transposed tile."""
        return self.remapped(self.index[::-1], self.shape[::-1], "the transposed tile")

    # -- made for a purpose --------------------------------------------------------------------------------------------

    @classmethod
    def blocked(
        cls, shape: Sequence[int], dtype: DType | None = None, *, waves: int = 4, wave: int = 64, vector: int = 0,
        order: Sequence[int] | None = None
    ) -> Distribution:
        """A distribution for coalesced accesses: each lane has `vector` neighbors along the fastest dimension (default:
        16 bytes of `dtype`), neighboring lanes have neighboring vectors, waves follow lanes, and what is left is
        repeated by each lane.

        `order`: the dimensions, the fastest first; default: the last is the fastest. Where a tile is too small for all
        lanes or waves, they hold replicas."""
        if not isinstance(shape, (tuple, list)):
            raise wrong("T301", what="the shape of a distribution", want="a tuple of extents, such as (16, 64)",
                        got=repr(shape))
        if dtype is not None and not isinstance(dtype, DType):
            raise wrong("T032", what="Distribution.blocked", got=repr(dtype))
        shape = tuple(shape)
        order = tuple(order) if order is not None else tuple(range(len(shape)))[::-1]
        if sorted(order) != list(range(len(shape))):
            raise wrong("T301", what="order", want=f"the dimensions 0 to {len(shape) - 1}, each once", got=repr(order))
        left = list(shape)
        want = vector or WIDEST // (dtype.bytes if dtype else 4)
        parts: dict[str, list[int]] = {name: [1] * len(shape) for name in ("vector", "lane", "wave")}
        parts["vector"][order[0]] = math.gcd(want, left[order[0]])
        left[order[0]] //= parts["vector"][order[0]]
        rest = {"lane": wave, "wave": waves}
        for name, total in rest.items():
            for axis in order:
                parts[name][axis] = math.gcd(total, left[axis])
                left[axis] //= parts[name][axis]
                total //= parts[name][axis]
            rest[name] = total
        encoding = Encoding(
            (rest["wave"], rest["lane"]),
            tuple((left[a], parts["wave"][a], parts["lane"][a], parts["vector"][a]) for a in range(len(shape))),
            tuple((0, *(a + 1 for a in order[::-1])) for _ in rest),
            ((0, *(1 for _ in order)), (1, *(2 for _ in order))),
            (*(a + 1 for a in order[::-1]), *(a + 1 for a in order[::-1])), (*(0 for _ in order), *(3 for _ in order))
        )
        return cls(encoding, wave)

    @classmethod
    def from_fragment(cls, row: Any, operand: str = "c", n: int = 0) -> Distribution:
        """The fragment of a matrix instruction: dimensions (row, column) of the operand, A m x k, B k x n, C m x n,
        with (block, ...) before them where there are several blocks.

        `row`: an intrinsic (`al.amdgpu.mfma_...`), its name, its row, or a `Fragment` itself. `operand`: "a", "b", "c"
        (D's is C's). `n`: columns of D, for wgmma. Raises T301 for what has no fragment, T305 for a map that no digits
        make."""
        fragment = row if isinstance(row, Fragment) else fragment_of(row, operand, n)
        wave = fragment.lanes if fragment.lanes in (32, 64) else 32  # a warpgroup has 128 threads
        index, shape = fragment.index, fragment.shape
        if shape[0] == 1:
            index, shape = index[1:], shape[1:]
        folded = [x.reshape(fragment.lanes // wave, wave, fragment.slots) for x in index]
        return cls.of_index(folded, shape, getattr(row, "name", str(row)))


def fragment_of(row: Any, operand: str, n: int = 0) -> Fragment:
    """The fragment of an operand of a row, an intrinsic or a name; see `Distribution.from_fragment`."""
    found = row_of(row)
    if operand not in OPERANDS:
        raise wrong("T301", what="operand", want='"a", "b" or "c"', got=repr(operand))
    part = OPERANDS[operand]
    if found.mma is not None:
        return getattr(found.mma, part)
    from avelang.isa.amdgpu.scaled import SCALED
    from avelang.isa.nvptx import wgmma

    scaled = next((s for s in SCALED if f"amdgpu.{s.name}" == found.name), None)
    if scaled is not None:
        return getattr(scaled.mma, part)
    form = next((f for f in wgmma.FORMS if f"nvvm.{f.name}" == found.name), None)
    if form is None or part == "b" or (part == "a" and not form.registers):
        why = (
            "an operand in registers of a matrix instruction"
            if form is None
            else f"one in registers: {operand.upper()} of it is in shared memory"
        )
        raise wrong("T301", what=f"{found.name}, operand {operand}", want=why, got="something without a fragment")
    return wgmma.d_fragment(n or 8) if part == "c" else wgmma.a_fragment(form)


def row_of(what: Any) -> Row:
    """The row of an intrinsic, of a name with or without its namespace, or the row itself. Raises T301."""
    if isinstance(what, Row):
        return what
    if isinstance(what, Intrinsic):
        return what.row
    found = _row_named(str(what).removeprefix("al."))
    if found is None:
        raise wrong("T301", what="a row", want="an intrinsic such as al.amdgpu.mfma_16x16x16_bf16_f32, or its name",
                    got=repr(what))
    return found


@functools.lru_cache(256)
def _row_named(name: str) -> Row | None:
    from avelang.isa import PUBLIC

    found = [name] if name in PUBLIC else [f for f in PUBLIC if f.partition(".")[2] == name]
    return PUBLIC[found[0]] if len(found) == 1 else None


def enumerate_layout(layout: Layout) -> np.ndarray:
    """int array with an axis for each mode: where each coordinate lies. A mode's first leaf is the fastest. Raises
    T035."""
    if not isinstance(layout, Layout):
        raise wrong("T035", callee="Distribution.from_layout", got=repr(layout))
    out = np.zeros((), np.int64)
    for shape, strides in zip(layout.shape, layout.strides, strict=True):
        mode = np.zeros(1, np.int64)
        for n, s in zip(shapes.leaves(shape), shapes.leaves(strides), strict=True):
            mode = (np.arange(n)[:, None] * s + mode[None, :]).ravel()
        out = out[..., None] + mode
    return out


def unravelled(place: np.ndarray, shape: Sequence[int]) -> list[np.ndarray]:
    """Row-major numbers as coordinates. (NumPy 2.4.6: `np.unravel_index` errs on an array of shape (9216, 1, 1).)"""
    out = []
    for n in reversed(shape):
        out.insert(0, place % n)
        place = place // n
    return out


def split(digits: Sequence[Digit], wave: int) -> tuple[tuple[Digit, ...], tuple[Digit, ...]]:
    """The digits of a thread number as those of the wave and those of the lane."""
    lanes: list[Digit] = []
    rest, left = wave, list(digits)
    while rest > 1:
        d = left.pop()
        n = math.gcd(d.extent, rest)
        if n < d.extent and n < rest:
            raise wrong("T305", what="the encoding",
                        why=f"its threads, by digits {[x.extent for x in digits]}, do not split into waves of {wave}")
        lanes.insert(0, Digit(n, d.strides))
        rest //= n
        if n < d.extent:
            left.append(Digit(d.extent // n, tuple(n * s for s in d.strides)))
    return tuple(left), tuple(lanes)


def _leaves(digits: Sequence[Digit], strides: Ints) -> tuple[Any, Any]:
    """A mode of a layout: (extents, strides), the fastest digit first."""
    found = [
        (d.extent, sum(a * b for a, b in zip(d.strides, strides, strict=True)))
        for d in reversed(digits)
        if d.extent > 1
    ]
    if len(found) < 2:
        return found[0] if found else (1, 0)
    return tuple(f[0] for f in found), tuple(f[1] for f in found)
