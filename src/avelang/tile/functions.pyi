"""Made by `./dev stubs` from src/avelang/tile/functions.py."""

from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.base.places import wrong as wrong
from avelang.tile.formulas import Formula as Formula
from avelang.tile.numbers import as_vector as as_vector
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import apply as apply
from avelang.tile.tensors import fold_tiles as fold_tiles
from avelang.tile.tensors import full as full
from avelang.tile.tensors import of_formula as of_formula
from avelang.tile.tensors import refuse as refuse

@avelang.jit
def arange(start: Any, stop: Any = ...) -> Any:
    """The integers from `start` to before `stop` (compile-time; of one argument from 0), i32, as a tile of one
    dimension. It takes no registers: what is computed of it and of numbers stays a formula until it meets a tile that
    lanes hold."""
@avelang.jit
def zeros(shape: Any, dtype: Any) -> Any:
    """A tile of zeros."""
_MEMORY: Any
@avelang.jit
def tile_of(x: Any) -> Any:
    """A tile. Raises T301 for a number."""
@avelang.jit
def cast(x: Any, dtype: Any) -> Any:
    """Elements in another dtype, as `al.convert` has them."""
@avelang.jit
def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; both are computed."""
@avelang.jit
def exp(x: Any) -> Any:
    """e to the power of x."""
@avelang.jit
def exp2(x: Any) -> Any:
    """2 to the power of x."""
@avelang.jit
def log(x: Any) -> Any:
    """Natural logarithm."""
@avelang.jit
def log2(x: Any) -> Any:
    """Logarithm to base 2."""
@avelang.jit
def sqrt(x: Any) -> Any:
    """Square root, rounded to nearest."""
@avelang.jit
def rsqrt(x: Any) -> Any:
    """1 / square root."""
@avelang.jit
def sin(x: Any) -> Any:
    """Sine, of radians."""
@avelang.jit
def cos(x: Any) -> Any:
    """Cosine, of radians."""
@avelang.jit
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
@avelang.jit
def erf(x: Any) -> Any:
    """Error function."""
@avelang.jit
def floor(x: Any) -> Any:
    """The greatest integer not above, as a float."""
@avelang.jit
def ceil(x: Any) -> Any:
    """The least integer not below, as a float."""
@avelang.jit
def abs(x: Any) -> Any:
    """Absolute value."""
@avelang.jit
def maximum(a: Any, b: Any) -> Any:
    """The greater one; of a number and NaN the number."""
@avelang.jit
def minimum(a: Any, b: Any) -> Any:
    """The lesser one; of a number and NaN the number."""
@avelang.jit
def clamp(x: Any, low: Any, high: Any) -> Any:
    """x, but no less than `low` and no more than `high`."""
@avelang.jit
def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""
@avelang.jit
def isnan(x: Any) -> Any:
    """True where a float is no number."""
@avelang.jit
def isinf(x: Any) -> Any:
    """True where a float is infinite."""
@avelang.jit
def isfinite(x: Any) -> Any:
    """True where a float is neither infinite nor NaN."""
@avelang.jit
def sign(x: Any) -> Any:
    """-1, 0 or 1, in the dtype of x; of NaN, NaN."""
@avelang.jit
def round(x: Any) -> Any:
    """The nearest whole number, of two the even one, as a float."""
@avelang.jit
def trunc(x: Any) -> Any:
    """The whole number next toward zero, as a float."""
@avelang.jit
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
@avelang.jit
def log1p(x: Any) -> Any:
    """log(1 + x), right for small x too."""
@avelang.jit
def popc(x: Any) -> Any:
    """Count of the bits of an integer that are set."""
@avelang.jit
def clz(x: Any) -> Any:
    """Count of zeros before the highest bit of an integer that is set; the width of 0."""
@avelang.jit
def cdiv(a: Any, b: Any) -> Any:
    """a / b of integers, rounded up."""
@avelang.jit
def held(offset: Any) -> Any:
    """A tile in registers; a number as it is."""
@avelang.jit
def rand(seed: Any, offset: Any) -> Any:
    """Random f32 in [0, 1), one for each offset, of the seed: `al.rand`, Philox 4x32-10, the same on every chip and
    engine, and the same again for the same seed and offset."""
@avelang.jit
def randn(seed: Any, offset: Any) -> Any:
    """Random f32 of the normal distribution, one for each offset, of the seed: `al.randn`."""
@avelang.jit
def randint(seed: Any, offset: Any) -> Any:
    """Random u32, one for each offset, of the seed: `al.randint`."""
@avelang.jit
def check_function(fn: Function, name: Any) -> None:
    """Raises T301 for what is no function: a word, as other libraries take it, or an axis in its place."""
def check_alike(what: str, want: str, first: Any, got: Any) -> None:
    """Raises T301 where a shape, or a count, is not that of the first."""
@avelang.jit
def together(x: Any) -> Any:
    """A tile, or a tuple of tiles, as a tuple of tiles of one shape, in registers, in the distribution of the first.
    Raises T301."""
@avelang.jit
def joining(x: Any, fn: Function) -> Any:
    """fn(a, b) of numbers as one of tuples of one number; as it is for a tuple of tiles."""
@avelang.jit
def reduce(x: Any, fn: Function, axis: Any = ..., keepdims: Any = ...) -> Any:
    """A dimension folded by fn(a, b), which must not mind the order: a tile of one dimension less, or with `keepdims`
    of extent 1 there; of a tile of one dimension, and with `axis` None, a number that every lane has. Of a tuple of
    tiles, a and b are tuples of numbers, and so is the result of fn: a tuple. All lanes of the block call it."""
@avelang.jit
def reduce_tiles(tiles: Any, fn: Function, axis: Any, keepdims: Any) -> Any:
    """`reduce` of a tuple of tiles in one distribution, by a function of tuples."""
@avelang.jit
def one_row(tiles: Any, fn: Function) -> Any:
    """Tiles of one dimension folded to numbers."""
@avelang.jit
def summed(x: Any) -> Any:
    """A tile in the dtype in which it is summed: floats of less than 32 bits in f32, such integers and conditions in
    i32."""
@avelang.jit
def sum(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """Sums, as `reduce`; of what has less than 32 bits in f32 or i32, of a condition: how often it holds."""
@avelang.jit
def max(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """Greatest elements, as `reduce`; of a number and NaN the number; of a condition: `any`."""
@avelang.jit
def min(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """Least elements, as `reduce`; of a number and NaN the number; of a condition: `all`."""
@avelang.jit
def any(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """True where some element of a condition is, as `reduce`."""
@avelang.jit
def all(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """True where all elements of a condition are, as `reduce`."""
@avelang.jit
def before(a: Any, b: Any, descending: Any) -> Any:
    """True where a comes before b in order: NaN is greater than all numbers, as in NumPy."""
@avelang.jit
def first_of(a: Any, b: Any, greatest: Any) -> Any:
    """Of two (value, place) the one that comes first."""
@avelang.jit
def arg_extreme(x: Any, greatest: Any, axis: Any) -> Any:
    """Place of the first of the extremes, i32."""
@avelang.jit
def argmax(x: Any, axis: Any = ...) -> Any:
    """Places of the greatest elements along a dimension, i32, the first of equal ones; NaN is greater than numbers."""
@avelang.jit
def argmin(x: Any, axis: Any = ...) -> Any:
    """Places of the least elements along a dimension, i32, the first of equal ones; NaN is greater than numbers."""
