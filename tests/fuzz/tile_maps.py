"""Functions of tiles' elements by their text, with what NumPy makes of them in the same dtype, and of which dtypes they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Rule = tuple[Callable[..., Any], str]


def shifted(x: np.ndarray, by: int) -> np.ndarray:
    return (x.astype(np.int64) << by).astype(x.dtype)


UNARY: dict[str, Rule] = {
    "x + x": (lambda x: x + x, "int float"), "x * 2 + 1": (lambda x: x * x.dtype.type(2) + x.dtype.type(1), "int float"),
    "-x": (lambda x: -x, "int float"), "x * -3": (lambda x: x * x.dtype.type(-3), "float"), "al.abs(x)": (lambda x: np.abs(x), "int float"),
    "al.max(x, 0)": (lambda x: np.maximum(x, x.dtype.type(0)), "int float"), "al.min(x, 2)": (lambda x: np.minimum(x, x.dtype.type(2)), "int float"),
    "al.select(x > 1, x, 3)": (lambda x: np.where(x > 1, x, x.dtype.type(3)), "int float"), "x * x": (lambda x: x * x, "int float"),
    "x & 5": (lambda x: x & x.dtype.type(5), "int"), "x ^ 3": (lambda x: x ^ x.dtype.type(3), "int"), "x << 2": (lambda x: shifted(x, 2), "int"),
    "x >> 1": (lambda x: x >> x.dtype.type(1), "int"), "~x": (lambda x: ~x, "int"), "al.fma(x, x, x)": (lambda x: x * x + x, "float"),
    "al.floor(x * 0.5)": (lambda x: np.floor(x * x.dtype.type(0.5)).astype(x.dtype), "float"), "al.sqrt(x * x)": (lambda x: np.sqrt(x * x).astype(x.dtype), "float"),
}  # fmt: skip
BINARY: dict[str, Rule] = {
    "x + y": (lambda x, y: x + y, "int float"), "x - y": (lambda x, y: x - y, "int float"), "x * y": (lambda x, y: x * y, "int float"),
    "x - 2 * y": (lambda x, y: x - x.dtype.type(2) * y, "int float"), "al.max(x, y)": (np.maximum, "int float"), "al.min(x, y)": (np.minimum, "int float"),
    "al.select(x < y, x + 1, y)": (lambda x, y: np.where(x < y, x + x.dtype.type(1), y), "int float"), "x & y": (lambda x, y: x & y, "int"),
    "x | y": (lambda x, y: x | y, "int"), "x ^ y": (lambda x, y: x ^ y, "int"), "al.fma(x, y, x)": (lambda x, y: x * y + x, "float"),
}  # fmt: skip
# What a fold's text is, and its rule (of wide numbers, along an axis).
FOLDS: dict[str, Callable[..., Any]] = {
    "sum({axis})": lambda v, a: v.sum(a), "max({axis})": lambda v, a: v.max(a), "fold(lambda x, y: al.min(x, y), {axis})": lambda v, a: v.min(a),
    "fold(lambda x, y: x + y, {axis})": lambda v, a: v.sum(a),
}  # fmt: skip
