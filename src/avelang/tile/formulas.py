"""Tiles in kernels that are known by a formula of the place, and take no registers: numbers come in; an element at any
coordinates, sums and products of formulas, and formulas of parts go out."""

from __future__ import annotations

import avelang
import avelang.language as al
import avelang.tile.placement as placement
from avelang.tile.numbers import as_vector, product_of, sum_of


@avelang.struct
class Formula:
    """A tile that is known by a formula: base + coordinates * `steps`, in i32 unless base or steps are wider; with `op`
    plus that of `parts`, each a formula of as many dimensions or a number."""

    shape: al.constexpr
    base: ... = 0
    steps: ... = ()
    op: ... = None
    parts: ... = ()
    MERGE_HINT = (
        "what is computed of tile.arange and of numbers is a formula, and on other paths, or after a trip, this is "
        "another one (sums of integers stay one: `at += 32`): put it into registers first, as in `ok = (i < n).held()`"
    )

    def at(self, where):
        """The element at coordinates (i32 each)."""
        value = self.base
        if self.op is not None:
            value = sum_of(self.op(*[p.at(where) if isinstance(p, Formula) else p for p in self.parts]), value)
        for c, step in zip(where, self.steps, strict=True):
            value = sum_of(value, product_of(c, step))
        return value

    @property
    def dtype(self):
        """Dtype of the elements."""
        return as_vector(self.at(tuple([al.convert(0, al.i32) for _ in self.shape]))).dtype

    def cut(self, cuts):
        """The formula of a part: of each dimension the first element, the step and the count. Extents of 1 broadcast,
        and stay."""
        SHAPE = placement.cut_shape(self.shape, cuts)
        parts = tuple([
            p.cut(placement.broadcast_cuts(p.shape, cuts)) if isinstance(p, Formula) else p for p in self.parts
        ])
        base, steps = self.base, ()
        for (first, by, _), step in zip(cuts, self.steps, strict=True):
            base, steps = sum_of(base, product_of(step, first)), steps + (product_of(step, by),)
        return Formula(SHAPE, base, steps, self.op, parts)

    def indexed(self, plan):
        """The formula of a tile with dimensions of extent 1 put in, or left out."""
        parts = tuple([p.indexed(plan) if isinstance(p, Formula) else p for p in self.parts])
        steps = tuple([0 if p < 0 else self.steps[p] for p in plan])
        return Formula(placement.planned(plan, self.shape, 1), self.base, steps, self.op, parts)

    def ranked(self, rank):
        """The formula with so many dimensions, new ones in front."""
        return self.indexed(placement.rank_plan(len(self.shape), rank))


@avelang.jit
def formula_of(shape, fn, parts):
    """The formula of fn(parts)."""
    return Formula(shape, 0, tuple([0 for _ in shape]), fn, parts)


@avelang.jit
def is_whole(x):
    """True for integers that are at least as wide as coordinates are, or become so; and for formulas of such."""
    if isinstance(x, Formula):
        return x.op is None or (x.dtype.is_int and x.dtype.bytes >= 4)
    return isinstance(x, int) or as_vector(x).dtype.is_int


@avelang.jit
def wraps(a, b):
    """True where formula a wraps around at 32 bits, and b, wider, would not."""
    if not isinstance(a, Formula) or isinstance(b, int):
        return False
    return a.dtype == al.u32 and (b.dtype if isinstance(b, Formula) else as_vector(b).dtype).bytes == 8


@avelang.jit
def can_add(a, b):
    """True where the sum of two, formulas or numbers, is a formula that adds base and steps."""
    if not (is_whole(a) and is_whole(b)) or wraps(a, b) or wraps(b, a):
        return False
    return not (isinstance(a, Formula) and isinstance(b, Formula)) or a.op is None or b.op is None


@avelang.jit
def can_scale(f, n):
    """True where a formula times a number is one with base and steps times it."""
    return f.op is None and is_whole(n) and not wraps(f, n)


@avelang.jit
def widened(n, f):
    """A number that a formula meets, as wide as its elements are: literals of 32 bits stay."""
    WIDE = f.dtype.bytes == 8
    if isinstance(n, int):
        return al.convert(n, al.i64) if WIDE and n != 0 and abs(n) < 1 << 63 else n
    BYTES = as_vector(n).dtype.bytes
    return al.convert(n, al.i64) if WIDE and BYTES < 8 else al.convert(n, al.i32) if BYTES < 4 else n


@avelang.jit
def terms(x, f, rank):
    """A formula, or a number that formula f meets, as a formula of so many dimensions."""
    return x.ranked(rank) if isinstance(x, Formula) else Formula((), widened(x, f), tuple([0 for _ in range(rank)]))


@avelang.jit
def added(a, b, shape):
    """The sum of two that `can_add`, one of them a formula, of the shape in which they meet."""
    p, q = terms(a, b, len(shape)), terms(b, a, len(shape))
    op, parts = (p.op, p.parts) if q.op is None else (q.op, q.parts)
    return Formula(shape, sum_of(p.base, q.base), tuple([sum_of(x, y) for x, y in zip(p.steps, q.steps, strict=True)]),
                   op, parts)


@avelang.jit
def negated(x):
    """-x, of a number, or of a formula without `op`."""
    if isinstance(x, Formula):
        return Formula(x.shape, -x.base, tuple([-s for s in x.steps]))
    return -x


@avelang.jit
def scaled(f, n):
    """A formula times a number with which it `can_scale`."""
    by = n if isinstance(n, int) else widened(n, f)
    return Formula(f.shape, product_of(f.base, by), tuple([product_of(s, by) for s in f.steps]))
