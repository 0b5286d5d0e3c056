"""Functions of tiles in kernels: tiles and numbers come in; tiles element by element, reductions along dimensions, and
the positions of extremes go out. Given numbers alone, the functions of numbers give numbers."""

from __future__ import annotations

from typing import Any

import avelang
import avelang.language as al
import avelang.tile.placement as placement
import avelang.tile.vectorize as vectorize
from avelang.tile.formulas import Formula
from avelang.tile.numbers import as_vector, linear_place
from avelang.tile.tensors import (
    DistributedTile,
    apply,
    full,
    is_first,
    of_formula,
    refuse,
    thread_coord,
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
def check_function(fn):
    """Raises T301 for a word in place of a function, as other libraries take it."""
    if isinstance(fn, str):
        refuse("fn of tile.reduce", "a function of two numbers, such as lambda a, b: al.max(a, b), where there is no "
               "tile.sum(t, axis), tile.max(t, axis) or their like for it", fn)


@avelang.jit
def reduce(x, fn, axis=None, keepdims=False):
    """A dimension folded by fn(a, b), which must not mind the order: a tile of one dimension less, or with `keepdims`
    of extent 1 there; of a tile of one dimension, and with `axis` None, a number that every lane has. All lanes of the
    block call it."""
    check_function(fn)
    t = tile_of(x).held()
    if axis is None:
        for _ in range(len(t.shape) - 1):
            t = t.fold(fn, len(t.shape) - 1)
        return one_row(t, fn)
    AXIS = placement.whole_axis(axis, len(t.shape))
    if len(t.shape) == 1 and not keepdims:
        return one_row(t, fn)
    if len(t.shape) == 1:
        return t[None, :].fold(fn, 1)
    done = t.fold(fn, AXIS)
    if not keepdims:
        return done
    PLAN = placement.kept_shape(t.shape, AXIS)
    return DistributedTile(done.values, placement.indexed(done.dist, PLAN), done.thread, done.groups)


@avelang.jit
def one_row(t, fn):
    """A tile of one dimension folded to a number."""
    return t[None, :].fold(fn, 1).values[0]


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
    """Greatest elements, as `reduce`; of a number and NaN the number."""
    return reduce(x, lambda a, b: al.max(a, b), axis, keepdims)


@avelang.jit
def min(x, axis=None, keepdims=False):
    """Least elements, as `reduce`; of a number and NaN the number."""
    return reduce(x, lambda a, b: al.min(a, b), axis, keepdims)


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
def arg_extreme(x, greatest, axis):
    """Place of the first of the extremes, i32."""
    t = tile_of(x).held()
    AXIS = placement.whole_axis(axis, len(t.shape)) + (1 if len(t.shape) == 1 else 0)
    if len(t.shape) == 1:
        found = fold_pairs(t[None, :], greatest, 1)
        return found.values[0]
    return fold_pairs(t, greatest, AXIS)


@avelang.jit
def first_of(a, b, greatest):
    """Of two (value, place) the one that comes first."""
    mine = before(a[0], b[0], greatest) | ((a[1] < b[1]) & (before(b[0], a[0], greatest) == False))  # noqa: E712
    return al.select(mine, a[0], b[0]), al.select(mine, a[1], b[1])


@avelang.jit
def fold_pairs(t, greatest, axis):
    """Places of the extremes along a dimension, i32: as `DistributedTile.fold`, of values with their places."""
    F, at = vectorize.folding(t.dist, axis), thread_coord(t.dist, t.thread)
    values, places = al.make_local((F.results,), t.dtype), al.make_local((F.results,), al.i32)
    done = ()
    for v in vectorize.vectors(t.dist, len(t.shape) - 1, 1):
        i, place = v.slots[0], al.convert(at[axis] + v.at[axis], al.i32)
        r = F.of[i]
        if r in done:
            values[r], places[r] = first_of((values[r], places[r]), (t.values[i], place), greatest)
        else:
            values[r], places[r] = t.values[i], place
        done = done + (r,)
    for offset in F.exchanges:
        for r in range(F.results):
            other = al.shuffle_xor(values[r], offset), al.shuffle_xor(places[r], offset)
            values[r], places[r] = first_of((values[r], places[r]), other, greatest)
    if len(F.waves) > 0:
        pairs_between_waves(t, F, values, places, greatest)
    return DistributedTile(places, F.dist, t.thread, t.groups)


@avelang.jit
def pairs_between_waves(t, F, values, places, greatest):
    """Folds the pairs that waves have, through shared memory."""
    thread = al.thread_id(0) if t.thread is None else t.thread
    PARTS, SIZE, mine = 1, 1, al.convert(0, al.u32)
    for divisor, count in F.waves:
        mine = mine + thread // divisor % count * PARTS
        PARTS = PARTS * count
    for n in F.dist.shape:
        SIZE = SIZE * n
    held, named = al.make_scratch((PARTS, SIZE), values.dtype), al.make_scratch((PARTS, SIZE), al.i32, 1)
    at = thread_coord(F.dist, thread)
    where = tuple(
        [
            (v.slots[0], linear_place(at, v.at, F.dist.shape))
            for v in vectorize.vectors(F.dist, len(F.dist.shape) - 1, 1)
        ]
    )
    if is_first(t.dist, thread):
        for slot, place in where:
            held[mine, place], named[mine, place] = values[slot], places[slot]
    al.syncthreads()
    for slot, place in where:
        best = held[0, place], named[0, place]
        for p in range(1, PARTS):
            best = first_of(best, (held[p, place], named[p, place]), greatest)
        values[slot], places[slot] = best
    al.syncthreads()  # the next one may use the same memory


@avelang.jit
def argmax(x, axis=-1):
    """Places of the greatest elements along a dimension, i32, the first of equal ones; NaN is greater than numbers."""
    return arg_extreme(x, True, axis)


@avelang.jit
def argmin(x, axis=-1):
    """Places of the least elements along a dimension, i32, the first of equal ones; NaN is greater than numbers."""
    return arg_extreme(x, False, axis)
