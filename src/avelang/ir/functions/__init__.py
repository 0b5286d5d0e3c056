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
    )
}
# Those that every machine does by an instruction of its own, or LLVM does for it; the others have formulas.
EXACT = frozenset(f.name for f in FUNCTIONS.values() if f.llvm)
EXPANDED = frozenset(FUNCTIONS) - EXACT
