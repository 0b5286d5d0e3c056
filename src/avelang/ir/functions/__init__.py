"""Functions of one number: one row each, from which come the op with its type rule, its meaning in the reference, the
compile-time value, the name in the language with its documentation, and the expansion for machines that lack it. A new
function is one new row."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.ir.core import Value
from avelang.ir.functions import formulas32, formulas64
from avelang.ir.functions.math_builder import MathBuilder

Formula = Callable[[MathBuilder, Value], Value]


@dataclasses.dataclass(frozen=True, slots=True)
class MathFunction:
    """A function of one number.

    `doc`: in words, of x. `python`: its value for a number of Python's, at compile time; ValueError and OverflowError
    become errors there. `numpy`: what it computes of an f64 array; the reference rounds that once. What a machine does
    comes from either `llvm`, the intrinsic of LLVM that every target has and that is exact, or from a formula, `f32`
    and `f64`: the first to two units in the last place, also for narrower floats, the second to one. A formula may call
    other functions (`MathBuilder.one`). `kinds`: of the dtypes that it takes."""

    name: str
    doc: str
    python: Callable[[Any], Any]
    numpy: Callable[[np.ndarray], np.ndarray]
    f32: Formula | None = None
    f64: Formula | None = None
    llvm: str = ""
    kinds: str = "float"


def _erf(x: np.ndarray) -> np.ndarray:
    """NumPy has none."""
    return np.array([math.erf(v) for v in x.ravel().tolist()], np.float64).reshape(x.shape)


def _round(x: np.ndarray) -> np.ndarray:
    return np.rint(x)


def _width(x: int) -> int:
    """The bits of the integer that a literal of this value would be."""
    return 32 if -(1 << 31) <= x < 1 << 31 else 64


def _literal(bits: Callable[[str], int]) -> Callable[[Any], int]:
    """A function of the digits of an integer as a literal, from the highest."""

    def of(x: Any) -> int:
        if isinstance(x, float):
            raise TypeError("takes an integer")
        n = _width(x)
        return bits(f"{x & (1 << n) - 1:0{n}b}")

    return of


def _digits(x: np.ndarray) -> np.ndarray:
    """Bits of integers, the lowest first, along one more dimension."""
    word = x.view(f"u{x.dtype.itemsize}")
    return (word[..., None] >> np.arange(8 * x.dtype.itemsize, dtype=word.dtype)) & word.dtype.type(1)


def _population(x: np.ndarray) -> np.ndarray:
    return _digits(x).sum(-1).astype(x.dtype)


def _leading(x: np.ndarray) -> np.ndarray:
    return np.cumprod(_digits(x)[..., ::-1] == 0, -1).sum(-1).astype(x.dtype)


def _reversed(x: np.ndarray) -> np.ndarray:
    bits = _digits(x)[..., ::-1]
    return (bits << np.arange(bits.shape[-1], dtype=bits.dtype)).sum(-1, dtype=bits.dtype).view(x.dtype)


def _sigmoid(x: Any) -> Any:
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def _signed(digits: str) -> int:
    value = int(digits[::-1], 2)
    return value - (1 << len(digits)) if digits[-1] == "1" and len(digits) == 32 else value


def _row(name: str, doc: str, python: Callable[[Any], Any], numpy: Callable[[np.ndarray], np.ndarray],
         **more: Any) -> MathFunction:
    if "llvm" not in more:
        more = {"f32": getattr(formulas32, name, None), "f64": getattr(formulas64, name, None)} | more
    return MathFunction(name, doc, python, numpy, **more)


FUNCTIONS: dict[str, MathFunction] = {
    f.name: f
    for f in (
        _row("abs", "|x|; of the least integer, itself", abs, lambda x: np.abs(x), llvm="fabs", kinds="int uint float"),
        _row("exp", "e to the x", math.exp, lambda x: np.exp(x)),
        _row("exp2", "2 to the x", lambda x: 2.0**x, lambda x: np.exp2(x)),
        _row("log", "natural logarithm", math.log, lambda x: np.log(x)),
        _row("log2", "logarithm to base 2", math.log2, lambda x: np.log2(x)),
        _row("tanh", "hyperbolic tangent", math.tanh, lambda x: np.tanh(x)),
        _row("erf", "error function", math.erf, _erf),
        _row("sqrt", "square root", math.sqrt, lambda x: np.sqrt(x), llvm="sqrt"),
        _row("rsqrt", "1 / sqrt(x)", lambda x: 1 / math.sqrt(x), lambda x: 1.0 / np.sqrt(x)),
        _row("sin", "sine", math.sin, lambda x: np.sin(x)),
        _row("cos", "cosine", math.cos, lambda x: np.cos(x)),
        _row("floor", "rounded toward minus infinity", lambda x: float(math.floor(x)), lambda x: np.floor(x),
             llvm="floor"),
        _row("ceil", "rounded toward infinity", lambda x: float(math.ceil(x)), lambda x: np.ceil(x), llvm="ceil"),
        _row("round", "rounded to the nearest whole number, ties to the even one", lambda x: float(round(x)), _round,
             llvm="roundeven"),
        _row("trunc", "rounded toward zero", lambda x: float(math.trunc(x)), lambda x: np.trunc(x), llvm="trunc"),
        _row("log1p", "natural logarithm of 1 + x, for small x too", math.log1p, lambda x: np.log1p(x)),
        _row("sigmoid", "1 / (1 + exp(-x))", lambda x: float(_sigmoid(x)), _sigmoid),
        _row("popc", "the number of bits that are set, of integers", _literal(lambda d: d.count("1")), _population,
             llvm="ctpop", kinds="int uint"),
        _row("clz", "the number of zeros before the highest bit that is set, of integers; the width of 0",
             _literal(lambda d: len(d) - len(d.lstrip("0"))), _leading, llvm="ctlz", kinds="int uint"),
        _row("brev", "the bits in reverse, of integers", _literal(_signed), _reversed, llvm="bitreverse",
             kinds="int uint"),
    )
}
# Those that every machine does by an instruction of its own, or LLVM does for it; the others have formulas.
EXACT = frozenset(f.name for f in FUNCTIONS.values() if f.llvm)
EXPANDED = frozenset(FUNCTIONS) - EXACT
