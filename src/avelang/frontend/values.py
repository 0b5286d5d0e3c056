"""What a name can hold while a kernel is built: Python values known at compile time, IR values, and the kinds defined
here."""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import Any

from avelang.frontend import shapes
from avelang.frontend.frame import Frame
from avelang.frontend.names import Builtin, Intrinsic, Layout, Namespace
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Method, Object, Pure, Snapshot, StructClass
from avelang.ir.core import Value
from avelang.ir.dtypes import DType
from avelang.ir.types import LOCAL, PtrType, TensorType


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Vec:
    """A register vector that is never changed in place: a flat IR vector, read with `shape` (nested ints, last leaf
    fastest)."""

    value: Value
    shape: tuple[Any, ...]
    # The field, as (struct, name), that it was read from.
    home: Any = None

    @property
    def dtype(self) -> DType:
        """The dtype of an element."""
        return self.value.type.dtype  # type: ignore[union-attr]

    @property
    def n(self) -> int:
        """The number of elements."""
        return self.value.type.n  # type: ignore[union-attr]

    def __repr__(self) -> str:
        return describe(self)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Ref:
    """A tensor: the IR tensor, and the layout of what is left of it after `coords` (one for each leaf taken away so
    far).

    With `coords` it stands for a sub-tensor that has not been read yet: reading it into a name copies it, storing goes
    through."""

    value: Value
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    coords: tuple[Any, ...] = ()
    # A sub-tensor that a name holds without a copy, as its extents are known only at run time: it is not stored
    # through.
    uncopied: bool = False
    # What a slice has made: read into a name it is copied, as with `coords`.
    sliced: bool = False

    @property
    def type(self) -> TensorType:
        """The type of the IR tensor."""
        assert isinstance(self.value.type, TensorType)
        return self.value.type

    @property
    def dtype(self) -> DType:
        """The dtype of an element."""
        return self.type.dtype

    @property
    def is_register(self) -> bool:
        """True if it is a whole register tensor."""
        return self.type.space == LOCAL

    def __repr__(self) -> str:
        return describe(self)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class SignalRef:
    """Signals (`al.Signals`): their words, the indices that say which of them is meant, and of which rank (None: this
    one). What they are is known to `signal_calls` alone, so that nothing else loads them or stores to them."""

    words: Ref
    index: tuple[Any, ...] = ()
    rank: Any = None

    @property
    def one(self) -> bool:
        """True if it is a single signal."""
        return len(self.index) == len(self.words.shape)

    @property
    def shape(self) -> tuple[Any, ...]:
        """Extents of what the indices have left."""
        return self.words.shape[len(self.index) :]

    def __repr__(self) -> str:
        return describe(self)


@dataclasses.dataclass(slots=True, frozen=True, eq=False)
class SignalMethod:
    """`signals[i].send` and its like, to be called."""

    signal: SignalRef
    name: str


@dataclasses.dataclass(slots=True, frozen=True)
class Poison:
    """A name that cannot be read here; `why` says what it is instead of a value."""

    code: str
    why: str = ""


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class LocalFn:
    """A function defined inside a jit function: one for each time that its definition is built, with the values that
    the defaults of its parameters had then."""

    node: ast.FunctionDef
    frame: Frame
    defaults: dict[str, Any]

    def __repr__(self) -> str:
        return describe(self)


@dataclasses.dataclass(slots=True, frozen=True)
class RuntimeRange:
    """`al.range(...)`, still to be looped over."""

    start: Any
    stop: Any
    step: Any
    unroll: bool = False


NUMBERS = (int, float)  # bool is an int


def is_number(v: Any) -> bool:
    """A number known at compile time."""
    return isinstance(v, NUMBERS)


def is_pointer(v: Any) -> bool:
    """True for an address with no shape: a parameter that is an `al.Pointer`."""
    return isinstance(v, Value) and isinstance(v.type, PtrType)


def is_scalar(v: Any) -> bool:
    """A scalar known at run time."""
    return isinstance(v, Value) and isinstance(v.type, DType)


def is_runtime(v: Any) -> bool:
    """True if a value, or any part of it, is known only at run time."""
    if isinstance(v, tuple):
        return any(map(is_runtime, v))
    if isinstance(v, Layout):
        return not (shapes.static(v.shape) and shapes.static(v.strides))
    return isinstance(v, (Value, Vec, Ref, Object, SignalRef))


def element(v: Any) -> DType | None:
    """The dtype of a run-time scalar, vector or tensor."""
    if isinstance(v, (Vec, Ref)):
        return v.dtype
    return v.type if is_scalar(v) else None


def describe(v: Any) -> str:
    """A value in the user's words, for messages."""
    if isinstance(v, Vec):
        return f"a register tensor {shapes.show(v.shape)} of {v.dtype}"
    if isinstance(v, Ref):
        return f"a tensor {shapes.show(v.shape)} of {v.dtype} in {v.type.space} memory"
    if isinstance(v, SignalRef):
        what = "a signal" if v.one else f"signals {shapes.show(v.shape)}"
        return what if v.rank is None else f"{what} of a peer"
    if isinstance(v, SignalMethod):
        return f"{v.name} of {describe(v.signal)}"
    if isinstance(v, Value):
        return f"a pointer to {v.type.dtype}" if isinstance(v.type, PtrType) else f"a value of type {v.type}"
    if isinstance(v, tuple):
        return f"a tuple ({', '.join(map(describe, v))})"
    if isinstance(v, LocalFn):
        return f"the function {v.node.name}"
    if isinstance(v, Jitted):
        return f"the function {v.source.name}"
    if isinstance(v, (Builtin, Intrinsic)):
        return f"al.{v.name}"
    if isinstance(v, StructClass):
        return f"the struct {v.name}"
    if isinstance(v, (Namespace, Object, Snapshot, Method, Pure)):
        return repr(v)
    if isinstance(v, Poison):
        return "nothing"
    if v is None:
        return "None"
    if isinstance(v, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)):
        kind = "module" if isinstance(v, types.ModuleType) else "class" if isinstance(v, type) else "function"
        return f"the {kind} {v.__name__}"
    if isinstance(v, RuntimeRange):
        return "a range of al.range"
    return f"the dtype {v}" if isinstance(v, DType) else f"the constant {v!r}" if isinstance(v, (int, float,
                                                                                                 str)) else repr(v)
