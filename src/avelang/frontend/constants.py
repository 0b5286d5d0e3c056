"""Python objects that a kernel may name: an object comes in, a compile-time value goes out, or MISSING."""

from __future__ import annotations

import enum
import math
import types
from typing import Any

from avelang.base.lazy import numpys
from avelang.frontend.frame import MISSING
from avelang.frontend.names import Builtin, Intrinsic, Layout, Namespace, Pointer, plain
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Method, Pure, StructClass, is_constant, values_of
from avelang.frontend.values import LocalFn, RuntimeRange
from avelang.ir.dtypes import DType

# Compile-time objects that a kernel may name. A number of NumPy's is taken as Python's.
PLAIN = (int, float, str, DType, Layout, Pointer, Builtin, Intrinsic, Namespace, Jitted, LocalFn, RuntimeRange,
         StructClass, Method, Pure, type(None),
         types.ModuleType, type, types.BuiltinFunctionType, types.FunctionType)  # fmt: skip
_SIMPLE = frozenset({int, float, bool, str, type(None)})  # of PLAIN, what most are
# What a lambda is called.
LAMBDA = "<lambda>"
MATH = {getattr(math, n) for n in dir(math) if callable(getattr(math, n)) and not n.startswith("_")}


def constant(value: Any) -> Any:
    """A Python object as a compile-time value; MISSING where a kernel may not capture it (it is mutable, or means
    nothing here)."""
    if type(value) in _SIMPLE:
        return value
    value = plain(value)
    if isinstance(value, numpys("generic")):
        value = value.item()
    if isinstance(value, tuple):
        if _SIMPLE.issuperset(map(type, value)):
            return value
        items = tuple(map(constant, value))
        return MISSING if any(i is MISSING for i in items) else value if all(a is b for a,
                                                                             b in zip(items, value,
                                                                                      strict=True)) else items
    if isinstance(value, enum.Enum) and not isinstance(value, PLAIN):
        return value if constant(value.value) is not MISSING else MISSING
    if is_constant(value):
        return MISSING if any(constant(v) is MISSING for v in values_of(value).values()) else value
    return value if isinstance(value, PLAIN) or value is Ellipsis else MISSING
