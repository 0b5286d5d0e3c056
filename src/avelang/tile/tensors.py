"""Distributed tensors in kernels: a distribution and a lane's elements in registers come in, or a formula of the
place; operators element by element, sums and maxima along dimensions, and the same tensor in another distribution go
out."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.placement as placement
import avelang.tile.vectorize as vectorize
from avelang.base.places import wrong
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Ints
from avelang.tile.formulas import Formula, added, can_add, can_scale, formula_of, negated, scaled
from avelang.tile.moves import is_first, place, refuse, thread_coord, through_shared
from avelang.tile.numbers import linear_place


@avelang.constant
def check_shape(dist: Distribution, lengths: Ints, wave: int) -> Distribution:
    """A distribution that is one of a tile of these extents, over waves of so many lanes. Raises T301, T304."""
    if not isinstance(dist, Distribution):
        raise wrong("T301", "tile.Distribution.blocked(shape, dtype, waves=..., wave=...) makes one",
                    what="where a tile lies", want="a tile.Distribution", got=repr(dist))
    if tuple(lengths) != dist.shape:
        raise wrong("T304", what="the tile", product=f"its extents are {tuple(lengths)}",
                    want=f"its distribution is one of {dist.shape}")
    if dist.wave != wave:
        raise wrong("T304", what="the distribution", product=f"its waves have {dist.wave} lanes",
                    want=f"the chip's have {wave}")
    return dist


@avelang.constant
def with_axis(dist: Distribution, axis: int) -> Distribution:
    """A distribution of which a dimension can be folded. Raises T301."""
    if len(dist.shape) < 2:
        raise wrong("T301", what="a tile to fold", want="of two dimensions or more", got=f"one of {dist.shape}")
    if isinstance(axis, bool) or axis not in range(len(dist.shape)):
        raise wrong("T301", what="axis", want=f"a dimension of the tile, 0 to {len(dist.shape) - 1}", got=repr(axis))
    return dist


@avelang.constant
def flat(shape: Ints) -> Ints:
    """The extents of a tile with rows and columns, as shared memory has them. Raises T301."""
    if len(shape) != 2:
        raise wrong("T301", what="a tile in shared memory", want="of two dimensions", got=f"one of {tuple(shape)}")
    return shape


@avelang.constant
def check_same(dist: Distribution, other: Distribution) -> Distribution:
    """A distribution in which lanes hold the same elements in the same order as in another one. Raises T301."""
    if other is not dist and (
        other.shape != dist.shape or other.linear.shape != dist.linear.shape or (other.linear != dist.linear).any()
    ):
        got = (
            f"one of {other.shape}"
            if other.shape != dist.shape
            else "one whose lanes hold other elements (`avelang.tile.shared.spread` moves it)"
        )
        raise wrong("T301", what="the other tile", want=f"in the distribution of the first, of {dist.shape}", got=got)
    return other


@avelang.struct
class DistributedTile:
    """A tile that the lanes of a block hold: `values`, a register tensor of `dist.elements` numbers in the order that
    `dist` says. `thread`: the lane's number among those that `dist` is about, that of the block if None. `groups`: how
    many groups of lanes hold such a tile, each its own. Or, of what is known by a `formula` (`tile.arange`, and what is
    computed of that and of numbers): the formula alone, `values` and `dist` None, until it meets a tile in registers.

    Operators, comparisons and `t[:, None]` work element by element, with shapes as NumPy broadcasts them, and dtypes as
    numbers have them. Of operands in unlike distributions the others move to that of the first one of full shape."""

    values: ...
    dist: al.constexpr
    thread: ... = None
    groups: al.constexpr = 1
    formula: ... = None
    MERGE_HINT = (
        "a tile stays where it is and keeps its shape: begin with `tile.accumulator` or zeros of that distribution, "
        "let what stays be the first operand (`acc + t`, `tile.dot(a, b, acc)`), or move the new one back: "
        "`t = tile.where(c, a, t).held(t.dist)`"
    )
    NAME_HINTS = (
        ("mean", "tile.sum(t, axis) divided by the extent"),
        ("min", "tile.min(t, axis)"),
        ("view", "t.reshape(shape), t[:, None] and t.permute(order) give other dimensions of the same elements"),
        ("exp", "tile.exp(t)"),
        ("store", "tile.store(memory, index, t), or view.store(t, origin)"),
        ("size", "shape has the extents"),
        ("ndim", "len(t.shape)"),
        ("__len__", "t.shape[0]"),
        ("transpose", "t.T, or t.permute(order)"),
        ("trans", "t.T, or t.permute(order)"),
        ("t", "t.T, or t.permute(order)"),
        ("numel", "shape has the extents"),
        ("cast", "t.to(dtype)"),
        ("softmax", "p = tile.exp(t - tile.max(t, 1)[:, None]), then p / tile.sum(p, 1)[:, None]"),
        ("gather", "tile.load(memory, index), where index is a tile of places"),
        ("contiguous", "nothing: a tile has no strides"),
        ("float", "t.to(al.f32)"),
        ("half", "t.to(al.f16)"),
        ("int", "t.to(al.i32)"),
        ("type", "t.to(dtype)"),
        ("flatten", "t.reshape(-1)"),
        ("ravel", "t.reshape(-1)"),
        ("unsqueeze", "t[:, None], t[None, :]"),
        ("squeeze", "t.reshape(shape), or t[:, 0]"),
        ("expand", "nothing: tiles broadcast as arrays of NumPy do"),
        ("broadcast_to", "nothing: tiles broadcast as arrays of NumPy do"),
        ("item", "tile.load_scalar(memory, index), or t[i] with an i that is known at compile time"),
        ("abs", "tile.abs(t), or abs(t)"),
        ("argmax", "tile.argmax(t, axis)"),
        ("cumsum", "tile.cumsum(t, axis)"),
        ("__setitem__", "elements of a tile are spread over lanes: t = tile.where(mask, value, t) replaces some of "
                        "them, and tile.store(memory, index, t) writes to memory"),
    )  # fmt: skip

    @property
    def dtype(self):
        """Dtype of the elements."""
        if self.formula is not None:
            return self.formula.dtype
        return self.values.dtype

    @property
    def shape(self):
        """Extents of the whole tile."""
        return self.dist.shape if self.formula is None else self.formula.shape

    def __getitem__(self, index):
        for p in index if isinstance(index, tuple) else (index,):
            if not (p is None or isinstance(p, (int, float, slice)) or p is ...):
                refuse("an index of a tile", "known at compile time (elements of a tile are spread over lanes: "
                       "tile.where with a mask chooses among them)", "a number of the launch, or a tile")
        PLAN, CUTS = placement.index_plan(index, self.shape)
        t = self if CUTS is None else part(self, CUTS)
        if len(PLAN) == 0:
            return one_element(t)
        if t.formula is not None:
            return of_formula(t.formula.indexed(PLAN))
        return DistributedTile(t.values, placement.indexed(t.dist, PLAN), t.thread, t.groups)

    def __add__(self, other):
        return plus(self, other)

    def __radd__(self, other):
        return plus(other, self)

    def __sub__(self, other):
        return minus(self, other)

    def __rsub__(self, other):
        return minus(other, self)

    def __mul__(self, other):
        return times(self, other)

    def __rmul__(self, other):
        return times(other, self)

    def __truediv__(self, other):
        return apply(lambda a, b: a / b, (self, other))

    def __rtruediv__(self, other):
        return apply(lambda a, b: a / b, (other, self))

    def __floordiv__(self, other):
        return apply(lambda a, b: a // b, (self, other))

    def __rfloordiv__(self, other):
        return apply(lambda a, b: a // b, (other, self))

    def __mod__(self, other):
        return apply(lambda a, b: a % b, (self, other))

    def __rmod__(self, other):
        return apply(lambda a, b: a % b, (other, self))

    def __pow__(self, exponent):
        return apply(lambda a: a**exponent, (self,))

    def __lshift__(self, other):
        return apply(lambda a, b: a << b, (self, other))

    def __rlshift__(self, other):
        return apply(lambda a, b: a << b, (other, self))

    def __rshift__(self, other):
        return apply(lambda a, b: a >> b, (self, other))

    def __rrshift__(self, other):
        return apply(lambda a, b: a >> b, (other, self))

    def __and__(self, other):
        return apply(lambda a, b: a & b, (self, other))

    def __rand__(self, other):
        return apply(lambda a, b: a & b, (other, self))

    def __or__(self, other):
        return apply(lambda a, b: a | b, (self, other))

    def __ror__(self, other):
        return apply(lambda a, b: a | b, (other, self))

    def __xor__(self, other):
        return apply(lambda a, b: a ^ b, (self, other))

    def __rxor__(self, other):
        return apply(lambda a, b: a ^ b, (other, self))

    def __neg__(self):
        return apply(lambda a: -a, (self,))

    def __pos__(self):
        return self

    def __invert__(self):
        return apply(lambda a: ~a, (self,))

    def __lt__(self, other):
        return apply(lambda a, b: a < b, (self, other))

    def __le__(self, other):
        return apply(lambda a, b: a <= b, (self, other))

    def __gt__(self, other):
        return apply(lambda a, b: a > b, (self, other))

    def __ge__(self, other):
        return apply(lambda a, b: a >= b, (self, other))

    def __eq__(self, other):
        return apply(lambda a, b: a == b, (self, other))

    def __ne__(self, other):
        return apply(lambda a, b: a != b, (self, other))

    def __matmul__(self, other):
        refuse("a product of tiles", "tile.dot(a, b)", "a @ b")

    def elementwise(self, fn, args):
        """fn(values, ...) of `args`, of which this tile is one: so al.exp(t), al.select(t > 0, t, 0.0), abs(t) and
        max(t, u) are of tiles, too."""
        return apply(fn, args)

    def held(self, dist=None):
        """This tile in registers, in the distribution that it has, or in `dist`: moved there through shared memory
        where other lanes hold what a lane wants, for which all lanes of the block call it."""
        if dist is None and self.formula is None:
            return self
        to = home_of(self.shape) if dist is None else check_shape(dist, self.shape, al.target().wave)
        return DistributedTile(place(self, to, self.thread), to, self.thread, self.groups)

    def permute(self, order, n=None, o=None, p=None):
        """The tile with dimensions in another order, a tuple or up to four numbers: element (i, j) becomes (j, i) by
        (1, 0). Nothing moves."""
        ORDER = order if isinstance(order, tuple) else tuple([x for x in (order, n, o, p) if x is not None])
        t = self.held()
        return DistributedTile(t.values, placement.permuted(t.dist, ORDER), t.thread, t.groups)

    def reshape(self, shape, n=None, o=None, p=None):
        """The elements in row-major order, in another shape: a tuple, or up to four extents, of which one may be -1."""
        GIVEN = shape if isinstance(shape, tuple) else tuple([x for x in (shape, n, o, p) if x is not None])
        if not all(isinstance(x, (int, float)) for x in GIVEN):
            refuse("the extents of t.reshape", "known at compile time", "numbers of the launch")
        SHAPE, t = placement.reshaped_shape(self.shape, GIVEN), self.held()
        DIST = placement.reshaped(t.dist, SHAPE)
        if DIST is not None:
            return DistributedTile(t.values, DIST, t.thread, t.groups)
        return moved(t, SHAPE, placement.row_major(SHAPE))

    @property
    def T(self):
        """The transposed tile, of two dimensions."""
        return self.permute((1, 0))

    def to(self, dtype):
        """The tile in another dtype: `astype`."""
        return self.astype(dtype)

    def map(self, fn, others=()):
        """fn(values, ...) of this tile's elements and those of others in the same distribution: element by element, on
        vectors."""
        if self.formula is not None:
            return self.held().map(fn, others)
        for x in others:
            check_same(self.dist, x.dist)
        return DistributedTile(fn(self.values, *[x.values for x in others]), self.dist, self.thread, self.groups)

    def sweep(self, fn):
        """fn(element, (coordinate, ...)) of each element, in the tile's dtype: for masks, and whatever depends on the
        place in the tile."""
        if self.formula is not None:
            return self.held().sweep(fn)
        out = al.make_local((self.dist.elements,), self.dtype)
        at = thread_coord(self.dist, self.thread)
        for v in vectorize.vectors(self.dist, len(self.shape) - 1, 1):
            where = tuple([x + s for x, s in zip(at, v.at, strict=True)])
            out[v.slots[0]] = fn(self.values[v.slots[0]], where)
        return DistributedTile(out, self.dist, self.thread, self.groups)

    def astype(self, dtype):
        """The tile in another dtype."""
        return apply(lambda v: al.convert(v, dtype), (self,))

    def fold(self, fn, axis):
        """A dimension folded by fn(a, b), which must not mind the order: sums, maxima. Every lane that had a part has
        the result. All lanes of the block call it where several waves have parts."""
        if self.formula is not None:
            return self.held().fold(fn, axis)
        return fold_tiles((self,), lambda a, b: (fn(a[0], b[0]),), axis)[0]

    def sum(self, axis):
        """Sums along a dimension."""
        return self.fold(add, axis)

    def max(self, axis):
        """Maxima along a dimension."""
        return self.fold(greater, axis)

    def along(self, fn, folded, axis):
        """fn(values, values of `folded`), where `folded` is what `fold` left of such a tile: each element meets the one
        of its row or column."""
        F = vectorize.folding(with_axis(self.dist, axis), axis)
        check_same(F.dist, folded.dist)
        other = al.make_local((self.dist.elements,), folded.dtype)
        for i in range(len(F.of)):
            other[i] = folded.values[F.of[i]]
        return DistributedTile(fn(self.values, other), self.dist, self.thread, self.groups)


Tile = DistributedTile  # the public name


# -- operators ---------------------------------------------------------------------------------------------------------


@avelang.jit
def of_formula(formula):
    """The tile of a formula."""
    return DistributedTile(None, None, None, 1, formula)


@avelang.jit
def home_of(shape):
    """The distribution of a tile that names none, for this block."""
    if isinstance(shape, tuple) and not all(isinstance(n, (int, float)) for n in shape):
        refuse("extents of a tile", "known at compile time, as literals and al.constexpr are",
               "numbers of the launch")
    DIST = placement.home(shape, al.block_threads(), al.target().wave)
    al.expect_threads(DIST.threads, True)
    return DIST


@avelang.jit
def part(t, CUTS):
    """The part of a tile that slices name: where it is if every lane has as much of it, else in the block's own
    distribution."""
    if t.formula is not None:
        return of_formula(t.formula.cut(CUTS))
    HELD = placement.cut(t.dist, CUTS)
    if HELD is None:
        return moved(t, placement.cut_shape(t.shape, CUTS), placement.cut_places(t.shape, CUTS))
    SLOTS, DIST = HELD
    values = al.make_local((len(SLOTS),), t.dtype)
    for i in range(len(SLOTS)):
        values[i] = t.values[SLOTS[i]]
    return DistributedTile(values, DIST, t.thread, t.groups)


@avelang.jit
def moved(t, SHAPE, PLACES, dist=None):
    """Elements of a tile, at places of their own, as a tile of that shape, through shared memory: all lanes call it."""
    DIST = home_of(SHAPE) if dist is None else dist
    return DistributedTile(through_shared(t, DIST, t.thread, PLACES), DIST, t.thread)


@avelang.jit
def one_element(t):
    """The element of a tile that has one: a number that every lane has."""
    return t.formula.at(tuple([al.convert(0, al.i32) for _ in t.shape])) if t.formula is not None else t.values[0]


@avelang.jit
def is_formula(x):
    """True for a tile that is known by a formula."""
    return isinstance(x, DistributedTile) and x.formula is not None


@avelang.jit
def formula_or_number(x):
    """The formula of a tile, or a number: sums and products without registers are of these. None for anything else."""
    if isinstance(x, DistributedTile):
        return x.formula
    return None if isinstance(x, (al.Pointer, al.Tensor)) else x


@avelang.jit
def plus(a, b):
    """a + b."""
    if is_formula(a) or is_formula(b):
        p, q = formula_or_number(a), formula_or_number(b)
        if p is not None and q is not None and can_add(p, q):
            return of_formula(added(p, q, common_shape((a, b))))
    return apply(add, (a, b))


@avelang.jit
def minus(a, b):
    """a - b."""
    if is_formula(a) or is_formula(b):
        p, q = formula_or_number(a), formula_or_number(b)
        if p is not None and q is not None and can_add(p, q) and not (isinstance(q, Formula) and q.op is not None):
            return of_formula(added(p, negated(q), common_shape((a, b))))
    return apply(lambda x, y: x - y, (a, b))


@avelang.jit
def times(a, b):
    """a * b."""
    t, n = (a, b) if isinstance(a, DistributedTile) else (b, a)
    if is_formula(t) and not isinstance(n, (DistributedTile, al.Pointer, al.Tensor)) and can_scale(t.formula, n):
        return of_formula(scaled(t.formula, n))
    return apply(lambda x, y: x * y, (a, b))


@avelang.jit
def common_shape(args):
    """The shape in which tiles and numbers meet; () of numbers alone. Raises T301."""
    return placement.broadcast_shape(tuple([x.shape if isinstance(x, DistributedTile) else () for x in args]))


@avelang.jit
def in_registers(x):
    """True for a tile that lanes hold."""
    return isinstance(x, DistributedTile) and x.formula is None


@avelang.jit
def apply(fn, args):
    """fn(values, ...) of tiles and numbers, element by element: a tile of the shape in which they meet; of numbers a
    number. `fn` takes numbers and vectors alike. Where all tiles are known by formulas, so is the result."""
    SHAPE = common_shape(args)
    if len(SHAPE) == 0:
        return fn(*args)
    for x in args:
        if isinstance(x, (al.Pointer, al.Tensor)):
            refuse("an operand of a tile", "a tile or a number; an index goes beside the memory, tile.load(x, index)",
                   "a pointer or a tensor in memory")
    if not any(in_registers(x) for x in args):
        parts = tuple([
            x.formula.ranked(len(SHAPE)) if isinstance(x, DistributedTile) else x for x in args
        ])
        return of_formula(formula_of(SHAPE, fn, parts))
    dist, thread, groups = meeting_place(args, SHAPE)
    values = tuple([place(x, dist, thread) if isinstance(x, DistributedTile) else x for x in args])
    return DistributedTile(fn(*values), dist, thread, groups)


@avelang.jit
def meeting_place(args, SHAPE):
    """(distribution, thread, groups) of the first tile in registers that has the shape; the block's own for it where
    there is none."""
    found = [(x.dist, x.thread, x.groups) for x in args if in_registers(x) and x.shape == SHAPE]
    return found[0] if len(found) > 0 else (home_of(SHAPE), None, 1)


@avelang.jit
def add(a, b):
    """a + b."""
    return a + b


@avelang.jit
def greater(a, b):
    """The greater one."""
    return max(a, b)


@avelang.jit
def slots_of(values, slot):
    """Of each register tensor that number."""
    return tuple([v[slot] for v in values])


@avelang.jit
def set_slots(values, slot, numbers):
    """Writes that number of each register tensor."""
    for v, number in zip(values, numbers, strict=True):
        v[slot] = number


@avelang.jit
def fold_tiles(tiles, fn, axis):
    """A dimension of tiles in one distribution folded by fn(a, b), of a tuple of numbers each, one of each tile, which
    must not mind the order. Every lane that had a part has the result. All lanes of the block call it where several
    waves have parts."""
    t = tiles[0]
    F = vectorize.folding(with_axis(check_shape(t.dist, t.shape, al.target().wave), axis), axis)
    values, out = tuple([x.values for x in tiles]), tuple([al.make_local((F.results,), x.dtype) for x in tiles])
    done = ()
    for i in range(len(F.of)):
        r, mine = F.of[i], slots_of(values, i)
        set_slots(out, r, fn(slots_of(out, r), mine) if r in done else mine)
        done = done + (r,)
    for offset in F.exchanges:
        for r in range(F.results):
            mine = slots_of(out, r)
            set_slots(out, r, fn(mine, tuple([al.shuffle_xor(x, offset) for x in mine])))
    if len(F.waves) > 0:
        between_waves(out, F, fn, t.dist, t.thread)
    return tuple([DistributedTile(x, F.dist, t.thread, t.groups) for x in out])


@avelang.jit
def between_waves(out, F, fn, dist, thread):
    """Folds what waves have, through shared memory: each writes its part, all read all."""
    thread = al.thread_id(0) if thread is None else thread
    PARTS, mine = 1, al.convert(0, al.u32)
    for divisor, count in F.waves:
        mine = mine + thread // divisor % count * PARTS
        PARTS = PARTS * count
    SHAPE = F.dist.shape
    parts = tuple([al.make_scratch((PARTS, math.prod(SHAPE)), x.dtype, n) for n, x in enumerate(out)])
    at = thread_coord(F.dist, thread)
    places = tuple([(v.slots[0], linear_place(at, v.at, SHAPE)) for v in vectorize.vectors(F.dist, len(SHAPE) - 1, 1)])
    if is_first(dist, thread):
        for slot, place in places:
            for x, memory in zip(out, parts, strict=True):
                memory[mine, place] = x[slot]
    al.syncthreads()
    for slot, place in places:
        all = tuple([memory[0, place] for memory in parts])
        for p in range(1, PARTS):
            all = fn(all, tuple([memory[p, place] for memory in parts]))
        set_slots(out, slot, all)
    al.syncthreads()  # the next one may use the same memory


@avelang.jit
def full(shape, value, dtype):
    """A tile with every element `value`: of a shape, in the block's own distribution, or of a `Distribution`."""
    DIST = shape if isinstance(shape, Distribution) else home_of(shape)
    return DistributedTile(al.full((DIST.elements,), value, dtype), DIST)
