"""The pure ops in NumPy: an op comes in, the function that computes its result from the arrays of its operands goes out.

A value is (lanes,) for a scalar type and (lanes, n) for a vector type. Functions never change their operands.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from avelang.ir.core import Op
from avelang.ir.dtypes import DType
from avelang.ir.functions import FUNCTIONS
from avelang.ir.types import VecType, dtype_of
from avelang.sim import floats
from avelang.sim.floats import F64

Fn = Callable[..., np.ndarray]
unsigned = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


# -- integers ------------------------------------------------------------------------------------------------------------------------


def _by_zero(f: Fn, at_zero: Fn) -> Fn:
    """`f`, except where the divisor is zero."""

    def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        zero = b == 0
        return np.where(zero, at_zero(a), f(a, np.where(zero, b.dtype.type(1), b))) if zero.any() else f(a, b)

    return divide


def _ones(a: np.ndarray) -> np.ndarray:
    return np.invert(np.zeros_like(a))


def _truncated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Division rounded toward zero; NumPy's rounds down."""
    q = np.floor_divide(a, b)
    if a.dtype.kind == "u":
        return q
    inexact = q * b != a
    return q + (inexact & ((a < 0) != (b < 0))).astype(a.dtype)


_INT_DIV: dict[str, Fn] = {
    "div": _by_zero(_truncated, _ones),
    "rem": _by_zero(np.fmod, np.copy),
    "floordiv": _by_zero(np.floor_divide, _ones),
    "mod": _by_zero(np.mod, np.copy),
}


def _shl(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    width = a.dtype.itemsize * 8
    by = b.view(unsigned[b.dtype.itemsize])
    inside = by < width
    return np.where(inside, np.left_shift(a, np.where(inside, by, 0).astype(a.dtype)), a.dtype.type(0))


def _shr(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    width = a.dtype.itemsize * 8
    by = b.view(unsigned[b.dtype.itemsize])
    inside = by < width
    shifted = np.right_shift(a, np.where(inside, by, width - 1).astype(a.dtype))
    return shifted if a.dtype.kind == "i" else np.where(inside, shifted, a.dtype.type(0))


# -- factories: from an op to its function -------------------------------------------------------------------------------------------


def _numeric(on_int: Fn, on_float: Fn, wide: np.dtype = floats.F32) -> Callable[[Op], Fn]:
    def make(op: Op) -> Fn:
        d = dtype_of(op.result.type)
        return floats.widened(on_float, d, wide) if d.is_float else on_int

    return make


def _greatest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NumPy's fmax gives either zero of two; their sum is +0 unless both are -0."""
    return np.where((a == 0) & (b == 0), a + b, np.fmax(a, b))


def _least(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return -_greatest(-a, -b)


def _plain(f: Fn) -> Callable[[Op], Fn]:
    return lambda op: f


def _math(f: Fn) -> Callable[[Op], Fn]:
    """A function of one float: computed in f64 and rounded once."""
    return lambda op: floats.widened(f, dtype_of(op.result.type), F64)


def _fma(op: Op) -> Fn:
    d = dtype_of(op.result.type)
    if not d.is_float:
        return lambda a, b, c: a * b + c
    return {"f32": floats.fma32, "f64": floats.fma64}.get(d.name) or floats.fma_small(d)


def _cmp(op: Op) -> Fn:
    f = getattr(operator, op.attrs["pred"])
    if floats.is_small(dtype_of(op.operands[0].type)):
        return lambda a, b: f(a.astype(floats.F32), b.astype(floats.F32))
    return f


def _select(op: Op) -> Fn:
    if isinstance(op.result.type, VecType) and not isinstance(op.operands[0].type, VecType):
        return lambda c, a, b: np.where(c[:, None], a, b)
    return np.where


def _convert(op: Op) -> Fn:
    return converter(dtype_of(op.operands[0].type), dtype_of(op.result.type))


def converter(source: DType, target: DType) -> Fn:
    """The function of `convert` from one dtype to another."""
    if source == target:
        return np.copy
    if target.kind == "bool":
        return (lambda x: x.astype(floats.F32) != 0) if floats.is_small(source) else (lambda x: x != 0)
    if not source.is_float:
        return (lambda x: floats.from_int(x, target)) if target.is_float else (lambda x: x.astype(target.np))
    if not target.is_float:
        return lambda x: floats.to_int(x, target)
    if floats.is_small(source):
        return lambda x: floats.narrow(x.astype(floats.F32), target)
    return lambda x: floats.narrow(x, target)


def to_bits(x: np.ndarray, d: DType) -> np.ndarray:
    """A value as uint8 (lanes, bytes), element 0 lowest; 8 conditions a byte."""
    x = np.ascontiguousarray(x.reshape(len(x), -1))
    return np.packbits(x, axis=1, bitorder="little") if d.kind == "bool" else x.view(np.uint8)


def from_bits(raw: np.ndarray, d: DType, n: int | None) -> np.ndarray:
    """The inverse of `to_bits`: (lanes,) where `n` is None, else (lanes, n)."""
    if d.kind == "bool":
        x = np.unpackbits(raw, axis=1, count=n or 1, bitorder="little").astype(bool)
    else:
        x = np.ascontiguousarray(raw).view(d.np)
    return x[:, 0] if n is None else x


def _bitcast(op: Op) -> Fn:
    source, t = dtype_of(op.operands[0].type), op.result.type
    d, n = dtype_of(t), t.n if isinstance(t, VecType) else None
    return lambda x: from_bits(to_bits(x, source), d, n)


def _vec(op: Op) -> Fn:
    t = op.result.type

    def vec(*items: np.ndarray) -> np.ndarray:
        out = np.empty((len(items[0]), len(items)), dtype_of(t).np)
        for i, item in enumerate(items):
            out[:, i] = item
        return out

    return vec


def _extract(op: Op) -> Fn:
    if "index" in op.attrs:
        i = op.attrs["index"]
        return lambda v: v[:, i].copy()
    return lambda v, i: v[np.arange(len(v)), _clipped(i, v)]


def _insert(op: Op) -> Fn:
    fixed = op.attrs.get("index")

    def insert(v: np.ndarray, item: np.ndarray, i: np.ndarray | None = None) -> np.ndarray:
        out = v.copy()
        if i is None:
            out[:, fixed] = item
        else:
            out[np.arange(len(v)), _clipped(i, v)] = item
        return out

    return insert


def _clipped(i: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Indices into the vector, those outside brought inside: active lanes have been checked by then."""
    return np.clip(i, 0, v.shape[1] - 1).astype(np.intp)


def _slice(op: Op) -> Fn:
    start, t = op.attrs["start"], op.result.type
    stop = start + t.n if isinstance(t, VecType) else start + 1
    return lambda v: v[:, start:stop].copy()


def _identity(op: Op) -> Fn:
    return lambda x: x


FACTORIES: dict[str, Callable[[Op], Fn]] = {
    "add": _numeric(np.add, np.add),
    "sub": _numeric(np.subtract, np.subtract),
    "mul": _numeric(np.multiply, np.multiply),
    "div": _numeric(_INT_DIV["div"], np.true_divide),
    "rem": _numeric(_INT_DIV["rem"], np.fmod),
    "floordiv": _numeric(_INT_DIV["floordiv"], floats.floordiv, F64),
    "mod": _numeric(_INT_DIV["mod"], floats.mod, F64),
    "and": _plain(np.bitwise_and),
    "or": _plain(np.bitwise_or),
    "xor": _plain(np.bitwise_xor),
    "not": _plain(np.invert),
    "shl": _plain(_shl),
    "shr": _plain(_shr),
    "neg": _numeric(np.negative, np.negative),
    "min": _numeric(np.minimum, _least),
    "max": _numeric(np.maximum, _greatest),
    "fma": _fma,
    **{f.name: _numeric(f.numpy, f.numpy) if "int" in f.kinds else _math(f.numpy) for f in FUNCTIONS.values()},
    "cmp": _cmp,
    "select": _select,
    "convert": _convert,
    "bitcast": _bitcast,
    "vec": _vec,
    "extract": _extract,
    "insert": _insert,
    "slice": _slice,
    "ptr_add": _plain(np.add),
    "ptr_int": _identity,
    "int_ptr": _identity,
}


def from_const(value: Any, d: DType, lanes: int, n: int | None = None) -> np.ndarray:
    """A number (or one for each of `n` elements) as the value that all lanes hold; integers wrap, floats round once."""
    items = value if isinstance(value, tuple) else (value,)
    if d.is_float:
        row = floats.narrow(np.array([float(x) for x in items], F64), d)
    elif d.is_int:
        row = np.array([int(x) & ((1 << d.bits) - 1) for x in items], unsigned[d.bytes]).view(d.np)
    else:
        row = np.array([bool(x) for x in items])
    if n is None:
        return np.full(lanes, row[0], d.np)
    return np.ascontiguousarray(np.broadcast_to(row, (lanes, n)))
