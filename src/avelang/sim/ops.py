"""The pure ops in NumPy: an op comes in, the function that computes its result from the arrays of its operands goes
out.

A value is (lanes,) for a scalar type and (lanes, n) for a vector type. Functions never change their operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from avelang.ir.core import Op
from avelang.ir.dtypes import DType
from avelang.ir.elementwise import COMPARE, ELEMENTWISE, Elementwise
from avelang.ir.functions import FUNCTIONS
from avelang.ir.types import VecType, dtype_of
from avelang.sim import floats
from avelang.sim.floats import F64

Fn = Callable[..., np.ndarray]
unsigned = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


# -- factories: from an op to its function ---


def _numeric(on_int: Fn, on_float: Fn, wide: np.dtype = floats.F32) -> Callable[[Op], Fn]:
    def make(op: Op) -> Fn:
        d = dtype_of(op.result.type)
        return floats.widened(on_float, d, wide) if d.is_float else on_int

    return make


def _elementwise(row: Elementwise) -> Callable[[Op], Fn]:
    """A row's NumPy: floats computed in f32 or f64 and rounded once."""
    wide = F64 if row.wide else floats.F32

    def make(op: Op) -> Fn:
        d = dtype_of(op.result.type)
        return floats.widened(row.numpy(True), d, wide) if d.is_float else row.numpy(False)

    return make


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
    f = COMPARE[op.attrs["pred"]]
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
    **{row.name: _elementwise(row) for row in ELEMENTWISE.values()},
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
