"""Python objects that a kernel may name: an object comes in, a compile-time value goes out, or MISSING."""

from __future__ import annotations

import contextlib
import enum
import math
import types
import weakref
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
# Of PLAIN, what is it by its class, whatever it holds.
_KNOWN = frozenset({*_SIMPLE, DType, Builtin, Intrinsic, Namespace, StructClass, Method, Pure, types.ModuleType,
                    types.BuiltinFunctionType, types.FunctionType})  # fmt: skip
# Instances of `avelang.constant` whose fields were looked at, by their address: they are frozen.
_seen: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
# What a lambda is called.
LAMBDA = "<lambda>"
MATH = {getattr(math, n) for n in dir(math) if callable(getattr(math, n)) and not n.startswith("_")}


def constant(value: Any) -> Any:
    """A Python object as a compile-time value; MISSING where a kernel may not capture it (it is mutable, or means
    nothing here)."""
    if type(value) in _KNOWN:
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
        return value if _seen.get(id(value)) is value or _looked_at(value) else MISSING
    return value if isinstance(value, PLAIN) or value is Ellipsis else MISSING


def _looked_at(value: Any) -> bool:
    """True if the fields of an instance of `avelang.constant` are compile-time values."""
    if any(constant(v) is MISSING for v in values_of(value).values()):
        return False
    with contextlib.suppress(TypeError):  # of a class with slots
        _seen[id(value)] = value
    return True
