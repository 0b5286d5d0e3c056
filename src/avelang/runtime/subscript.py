"""A kernel comes in; the same kernel, whose subscription `kernel[provider]` runs no Python code, goes out.

The types are made by CPython's own `PyType_FromSpec`, with functions of `native/host/subscript.c` in their slots. Slot
numbers: typeslots.h (part of the stable ABI); kinds of members: descrobject.h."""

from __future__ import annotations

import ctypes
import functools
import gc
from typing import Any

from avelang.native.layouts import BoundKernel, Subscript
from avelang.runtime import stub
from avelang.runtime.native import native

P = ctypes.c_void_p

MP_SUBSCRIPT, TP_CALL, TP_DEALLOC, TP_TRAVERSE, TP_MEMBERS = 5, 50, 52, 71, 72
NOT_BY_CALL, BASETYPE, HAVE_VECTORCALL, HAVE_GC = 1 << 7, 1 << 10, 1 << 11, 1 << 14
_OBJECT, _SIZE, _READONLY = 16, 19, 1
_HEAD = 16  # bytes of an object's reference count and type


class TypeSlot(ctypes.Structure):
    """CPython's PyType_Slot."""

    _fields_ = [("slot", ctypes.c_int), ("function", P)]


class TypeSpec(ctypes.Structure):
    """CPython's PyType_Spec."""

    _fields_ = [("name", ctypes.c_char_p), ("basicsize", ctypes.c_int), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_uint), ("slots", P)]


class TypeMember(ctypes.Structure):
    """CPython's PyMemberDef."""

    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("offset", ctypes.c_ssize_t),
                ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_api = ctypes.pythonapi
_api.PyType_FromSpec.restype = ctypes.py_object
_api.PyType_FromSpec.argtypes = [P]
# What types point to: they live as long as the process.
_KEPT: list[Any] = []


def _type(name: str, size: int, flags: int, slots: list[tuple[int, int]]) -> type:
    table = (TypeSlot * (len(slots) + 1))(*(TypeSlot(*s) for s in slots))
    spec = TypeSpec(name.encode(), size, 0, flags, ctypes.addressof(table))
    _KEPT.extend((table, spec))
    return _api.PyType_FromSpec(ctypes.addressof(spec))


@functools.cache
def _base() -> type:
    """The class that has the subscription. What it gives is the builtin of the kernel, `func`, with a provider, and is
    called as it is."""
    code = native()
    members = (TypeMember * 4)(
        TypeMember(b"__vectorcalloffset__", _SIZE, BoundKernel.call.offset, _READONLY),
        TypeMember(b"func", _OBJECT, BoundKernel.builtin.offset, _READONLY),
        TypeMember(b"provider", _OBJECT, BoundKernel.provider.offset, _READONLY),
    )  # fmt: skip
    _KEPT.append(members)
    slots = [
        (TP_CALL, ctypes.cast(_api.PyVectorcall_Call, P).value or 0), (TP_DEALLOC, code.address("ave_bound_dealloc")),
        (TP_TRAVERSE, code.address("ave_bound_traverse")), (TP_MEMBERS, ctypes.addressof(members)),
    ]  # fmt: skip
    bound = _type("avelang.Bound", ctypes.sizeof(BoundKernel), NOT_BY_CALL | HAVE_VECTORCALL | HAVE_GC, slots)
    _KEPT.append(bound)
    Subscript.from_address(code.address("ave_subscripts")).type = id(bound)
    return _type("avelang.Subscripted", _HEAD, BASETYPE, [(MP_SUBSCRIPT, code.address("ave_subscript"))])


@functools.cache
def _subscripted(kind: type) -> type:
    base: Any = _base()
    # Behind the class, so that objects keep their layout and may change to it.
    made = type(kind.__name__, (kind, base),
                {"__module__": kind.__module__, "__doc__": kind.__doc__, "__getitem__": base.__getitem__})
    # torch.compile traces what the class says of `__getitem__`, which is Python's; Python itself goes by the slot. The
    # one referent of a class's `__dict__`, which is read-only, is the dictionary.
    names = gc.get_referents(made.__dict__)
    if len(names) == 1 and type(names[0]) is dict and names[0].get("__getitem__") is not None:
        names[0]["__getitem__"] = kind.__getitem__  # type: ignore[attr-defined]
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(made))
    return made


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def adopt(kernel: Any, launch: Any) -> None:
    """Makes the subscription of a kernel native: an instance of its class it stays. `launch` is its builtin, for which
    its class has the slot `_native`; anything else is left as it is."""
    if not isinstance(launch, type(len)):
        return
    kernel._native = launch
    size = type(kernel).__basicsize__
    offset = next((at for at in range(_HEAD, size, 8) if _word(id(kernel) + at) == id(launch)), 0)
    if offset and _word(id(launch) + _HEAD) in stub.methods():
        base = _subscripted(type(kernel))
        Subscript.from_address(native().address("ave_subscripts")).offset = offset
        kernel.__class__ = base
