"""Functions of tiles in kernels: tiles and numbers come in; tiles element by element, reductions along dimensions, and
the positions of extremes go out. Given numbers alone, the functions of numbers give numbers."""

from __future__ import annotations

from typing import Any

import avelang
import avelang.language as al
import avelang.tile.placement as placement
from avelang.base.places import wrong
from avelang.tile.formulas import Formula
from avelang.tile.numbers import as_vector
from avelang.tile.tensors import (
    DistributedTile,
    apply,
    fold_tiles,
    full,
    of_formula,
    refuse,
)

# -- tiles out of nothing ----------------------------------------------------------------------------------------------


@avelang.jit
def arange(start, stop=None):
    """The integers from `start` to before `stop` (compile-time; of one argument from 0), i32, as a tile of one
    dimension. It takes no registers: what is computed of it and of numbers stays a formula until it meets a tile that
    lanes hold."""
    FIRST, END = (0, start) if stop is None else (start, stop)
    if not (isinstance(FIRST, (int, float)) and isinstance(END, (int, float))):
        refuse("the bounds of tile.arange", "known at compile time, as literals and al.constexpr are",
               "numbers of the launch")
    COUNT = placement.range_extent(FIRST, END)
    return of_formula(Formula((COUNT,), FIRST, (0 if COUNT == 1 else 1,)))


@avelang.jit
def zeros(shape, dtype):
    """A tile of zeros."""
    return full(shape, 0, dtype)


_MEMORY: Any = (al.Pointer, al.Tensor)


@avelang.jit
def tile_of(x):
    """A tile. Raises T301 for a number."""
    if not isinstance(x, DistributedTile):
        refuse("the argument", "a tile", "a pointer or a tensor in memory: tile.load(x, index) makes a tile of it"
               if isinstance(x, _MEMORY) else "a number: tile.full(shape, x, dtype) makes a tile of it")
    return x


# -- element by element ------------------------------------------------------------------------------------------------


@avelang.jit
def cast(x, dtype):
    """Elements in another dtype, as `al.convert` has them."""
    return apply(lambda v: al.convert(v, dtype), (x,))


@avelang.jit
def where(condition, a, b):
    """a where the condition holds, else b; both are computed."""
    return apply(lambda c, x, y: al.select(c, x, y), (condition, a, b))


@avelang.jit
def exp(x):
    """e to the power of x."""
    return apply(lambda v: al.exp(v), (x,))


@avelang.jit
def exp2(x):
    """2 to the power of x."""
    return apply(lambda v: al.exp2(v), (x,))


@avelang.jit
def log(x):
    """Natural logarithm."""
    return apply(lambda v: al.log(v), (x,))


@avelang.jit
def log2(x):
    """Logarithm to base 2."""
    return apply(lambda v: al.log2(v), (x,))


@avelang.jit
def sqrt(x):
    """Square root, rounded to nearest."""
    return apply(lambda v: al.sqrt(v), (x,))


@avelang.jit
def rsqrt(x):
    """1 / square root."""
    return apply(lambda v: al.rsqrt(v), (x,))


@avelang.jit
def sin(x):
    """Sine, of radians."""
    return apply(lambda v: al.sin(v), (x,))


@avelang.jit
def cos(x):
    """Cosine, of radians."""
    return apply(lambda v: al.cos(v), (x,))


@avelang.jit
def tanh(x):
    """Hyperbolic tangent."""
    return apply(lambda v: al.tanh(v), (x,))


@avelang.jit
def erf(x):
    """Error function."""
    return apply(lambda v: al.erf(v), (x,))


@avelang.jit
def floor(x):
    """The greatest integer not above, as a float."""
    return apply(lambda v: al.floor(v), (x,))


@avelang.jit
def ceil(x):
    """The least integer not below, as a float."""
    return apply(lambda v: al.ceil(v), (x,))


@avelang.jit
def abs(x):
    """Absolute value."""
    return apply(lambda v: al.abs(v), (x,))


@avelang.jit
def maximum(a, b):
    """The greater one; of a number and NaN the number."""
    return apply(lambda x, y: al.max(x, y), (a, b))


@avelang.jit
def minimum(a, b):
    """The lesser one; of a number and NaN the number."""
    return apply(lambda x, y: al.min(x, y), (a, b))


@avelang.jit
def clamp(x, low, high):
    """x, but no less than `low` and no more than `high`."""
    return apply(lambda v, least, most: al.min(al.max(v, least), most), (x, low, high))


@avelang.jit
def fma(a, b, c):
    """a * b + c, rounded once."""
    return apply(lambda x, y, z: al.fma(x, y, z), (a, b, c))


@avelang.jit
def isnan(x):
    """True where a float is no number."""
    return apply(lambda v: al.isnan(v), (x,))


@avelang.jit
def isinf(x):
    """True where a float is infinite."""
    return apply(lambda v: al.isinf(v), (x,))


@avelang.jit
def isfinite(x):
    """True where a float is neither infinite nor NaN."""
    return apply(lambda v: al.isfinite(v), (x,))


@avelang.jit
def sign(x):
    """-1, 0 or 1, in the dtype of x; of NaN, NaN."""
    return apply(lambda v: al.sign(v), (x,))


@avelang.jit
def round(x):
    """The nearest whole number, of two the even one, as a float."""
    return apply(lambda v: al.round(v), (x,))


@avelang.jit
def trunc(x):
    """The whole number next toward zero, as a float."""
    return apply(lambda v: al.trunc(v), (x,))


@avelang.jit
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return apply(lambda v: al.sigmoid(v), (x,))


@avelang.jit
def log1p(x):
    """log(1 + x), right for small x too."""
    return apply(lambda v: al.log1p(v), (x,))


@avelang.jit
def popc(x):
    """Count of the bits of an integer that are set."""
    return apply(lambda v: al.popc(v), (x,))


@avelang.jit
def clz(x):
    """Count of zeros before the highest bit of an integer that is set; the width of 0."""
    return apply(lambda v: al.clz(v), (x,))


@avelang.jit
def cdiv(a, b):
    """a / b of integers, rounded up."""
    return apply(lambda x, y: al.cdiv(x, y), (a, b))


# -- random numbers ----------------------------------------------------------------------------------------------------


@avelang.jit
def held(offset):
    """A tile in registers; a number as it is."""
    return offset.held() if isinstance(offset, DistributedTile) else offset


@avelang.jit
def rand(seed, offset):
    """Random f32 in [0, 1), one for each offset, of the seed: `al.rand`, Philox 4x32-10, the same on every chip and
    engine, and the same again for the same seed and offset."""
    return apply(lambda i: al.rand(seed, i), (held(offset),))


@avelang.jit
def randn(seed, offset):
    """Random f32 of the normal distribution, one for each offset, of the seed: `al.randn`."""
    return apply(lambda i: al.randn(seed, i), (held(offset),))


@avelang.jit
def randint(seed, offset):
    """Random u32, one for each offset, of the seed: `al.randint`."""
    return apply(lambda i: al.randint(seed, i), (held(offset),))


# -- reductions --------------------------------------------------------------------------------------------------------


@avelang.jit
def check_function(fn, name):
    """Raises T301 for what is no function: a word, as other libraries take it, or an axis in its place."""
    if isinstance(fn, str):
        refuse("fn of " + name, "a function of two numbers, such as lambda a, b: al.max(a, b), where there is no "
               "tile.sum(t, axis), tile.max(t, axis) or their like for it", fn)
    if isinstance(fn, int) or fn is None:
        refuse("fn of " + name, "a function of two numbers, and the axis behind it: " + name + "(t, fn, axis)", fn)


@avelang.constant
def check_alike(what: str, want: str, first: object, got: object) -> None:
    """Raises T301 where a shape, or a count, is not that of the first."""
    if got != first:
        raise wrong("T301", what=what, want=f"{want}, {first}", got=str(got))


@avelang.jit
def together(x):
    """A tile, or a tuple of tiles, as a tuple of tiles of one shape, in registers, in the distribution of the first.
    Raises T301."""
    if isinstance(x, tuple) and len(x) == 0:
        refuse("the argument", "a tile, or a tuple of tiles", "an empty tuple")
    tiles = tuple([tile_of(t).held() for t in (x if isinstance(x, tuple) else (x,))])
    first = tiles[0]
    for t in tiles:
        check_alike("tiles that a function takes together", "of one shape", first.shape, t.shape)
    return (first,) + tuple([t.held(first.dist) for t in tiles[1:]])


@avelang.jit
def joining(x, fn):
    """fn(a, b) of numbers as one of tuples of one number; as it is for a tuple of tiles."""
    def of_numbers(a, b):
        found = fn(a[0], b[0])
        if isinstance(found, tuple):
            refuse("what fn(a, b) of a tile gives", "one number, as a and b are; for several, tiles come as a tuple",
                   "a tuple")
        return (found,)

    def of_tuples(a, b):
        found = fn(a, b)
        COUNT = len(found) if isinstance(found, tuple) else 1
        check_alike("fn(a, b) of a tuple of tiles", "a tuple of as many numbers as a and b are", len(a), COUNT)
        return found

    return of_tuples if isinstance(x, tuple) else of_numbers


@avelang.jit
def reduce(x, fn, axis=None, keepdims=False):
    """A dimension folded by fn(a, b), which must not mind the order: a tile of one dimension less, or with `keepdims`
    of extent 1 there; of a tile of one dimension, and with `axis` None, a number that every lane has. Of a tuple of
    tiles, a and b are tuples of numbers, and so is the result of fn: a tuple. All lanes of the block call it."""
    check_function(fn, "tile.reduce")
    found = reduce_tiles(together(x), joining(x, fn), axis, keepdims)
    return found if isinstance(x, tuple) else found[0]


@avelang.jit
def reduce_tiles(tiles, fn, axis, keepdims):
    """`reduce` of a tuple of tiles in one distribution, by a function of tuples."""
    RANK = len(tiles[0].shape)
    if axis is None:
        for _ in range(RANK - 1):
            tiles = fold_tiles(tiles, fn, len(tiles[0].shape) - 1)
        return one_row(tiles, fn)
    AXIS = placement.whole_axis(axis, RANK)
    if RANK == 1:
        return fold_tiles(tuple([t[None, :] for t in tiles]), fn, 1) if keepdims else one_row(tiles, fn)
    done = fold_tiles(tiles, fn, AXIS)
    if not keepdims:
        return done
    PLAN = placement.kept_shape(tiles[0].shape, AXIS)
    return tuple([DistributedTile(t.values, placement.indexed(t.dist, PLAN), t.thread, t.groups) for t in done])


@avelang.jit
def one_row(tiles, fn):
    """Tiles of one dimension folded to numbers."""
    return tuple([t.values[0] for t in fold_tiles(tuple([t[None, :] for t in tiles]), fn, 1)])


@avelang.jit
def summed(x):
    """A tile in the dtype in which it is summed: floats of less than 32 bits in f32, such integers and conditions in
    i32."""
    t = tile_of(x).held()
    if t.dtype.bytes >= 4:
        return t
    return t.astype(al.f32) if t.dtype.is_float else t.astype(al.i32)


@avelang.jit
def sum(x, axis=None, keepdims=False):
    """Sums, as `reduce`; of what has less than 32 bits in f32 or i32, of a condition: how often it holds."""
    return reduce(summed(x), lambda a, b: a + b, axis, keepdims)


@avelang.jit
def max(x, axis=None, keepdims=False):
    """Greatest elements, as `reduce`; of a number and NaN the number; of a condition: `any`."""
    t = tile_of(x)
    return any(t, axis, keepdims) if t.dtype == al.u1 else reduce(t, lambda a, b: al.max(a, b), axis, keepdims)


@avelang.jit
def min(x, axis=None, keepdims=False):
    """Least elements, as `reduce`; of a number and NaN the number; of a condition: `all`."""
    t = tile_of(x)
    return all(t, axis, keepdims) if t.dtype == al.u1 else reduce(t, lambda a, b: al.min(a, b), axis, keepdims)


@avelang.jit
def any(x, axis=None, keepdims=False):
    """True where some element of a condition is, as `reduce`."""
    return reduce(x, lambda a, b: a | b, axis, keepdims)


@avelang.jit
def all(x, axis=None, keepdims=False):
    """True where all elements of a condition are, as `reduce`."""
    return reduce(x, lambda a, b: a & b, axis, keepdims)


@avelang.jit
def before(a, b, descending):
    """True where a comes before b in order: NaN is greater than all numbers, as in NumPy."""
    less = (b < a) if descending else (a < b)
    if not as_vector(a).dtype.is_float:
        return less
    return less | ((a != a) & (b == b) if descending else (a == a) & (b != b))


@avelang.jit
def first_of(a, b, greatest):
    """Of two (value, place) the one that comes first."""
    mine = before(a[0], b[0], greatest) | ((a[1] < b[1]) & (before(b[0], a[0], greatest) == False))  # noqa: E712
    return al.select(mine, a[0], b[0]), al.select(mine, a[1], b[1])


@avelang.jit
def arg_extreme(x, greatest, axis):
    """Place of the first of the extremes, i32."""
    t = tile_of(x)
    AXIS = placement.whole_axis(axis, len(t.shape))
    steps = tuple([1 if a == AXIS else 0 for a in range(len(t.shape))])
    return reduce((t, of_formula(Formula(t.shape, 0, steps))), lambda a, b: first_of(a, b, greatest), AXIS)[1]


@avelang.jit
def argmax(x, axis=-1):
    """Places of the greatest elements along a dimension, i32, the first of equal ones; NaN is greater than numbers."""
    return arg_extreme(x, True, axis)


@avelang.jit
def argmin(x, axis=-1):
    """Places of the least elements along a dimension, i32, the first of equal ones; NaN is greater than numbers."""
    return arg_extreme(x, False, axis)
