"""Descriptions of arrays: an array of NumPy, torch or JAX, or one that a framework only traces, comes in; its shape,
the name of its dtype and the kind of its device go out."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Iterable
from typing import Any

from avelang.base.errors import ArgumentError
from avelang.base.places import argument_error
from avelang.ir.dtypes import BY_NAME, DType

# Ave's names of dtypes, and the names that NumPy (with ml_dtypes) and torch have for them.
LIBRARY_NAMES = {
    "u1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
}  # fmt: skip
AVE_NAMES = {theirs: ours for ours, theirs in LIBRARY_NAMES.items()}
FLOATS = frozenset(name for name in AVE_NAMES if "float" in name)


@functools.cache
def dtype_name(dtype: Any) -> str:
    """The name that NumPy and torch have for a dtype: of Ave's or NumPy's name, or of a dtype of Ave, NumPy or torch.
    Raises L066 for what is none."""
    said = dtype.name if isinstance(dtype, DType) else dtype if isinstance(dtype, str) else ""
    if not said:
        # Classes such as np.float32 and jax.numpy.bfloat16, dtypes of NumPy, and torch.float32.
        said = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    said = str(said).split(".")[-1]
    said = LIBRARY_NAMES.get(said, said)
    if said not in AVE_NAMES:
        raise argument_error(f"dtype is {dtype!r}: it must be one of {', '.join(AVE_NAMES)}")
    return said


def ave_dtype(name: str) -> DType:
    """Ave's dtype by the name that NumPy and torch have for it."""
    return BY_NAME[AVE_NAMES[name]]


class Array:
    """Shape and dtype of an array that need not exist: what shape rules take and give.

    shape: a tuple of ints (under `torch.compile` of symbolic ones too). dtype: a name as NumPy and torch have it, such
    as "bfloat16"; Ave's own names ("bf16"), and dtypes of Ave, NumPy and torch, are taken too. device: "cpu", "cuda" or
    "rocm", for inputs; chip: its chip ("sm_90a"), and "cpu" for arrays in the CPU's memory."""

    __slots__ = ("_chip", "device", "dtype", "shape")

    def __init__(self, shape: Iterable[int], dtype: Any, device: str = "cpu", chip: Any = "cpu"):
        try:
            self.shape = tuple(shape)
        except TypeError:
            hint = f"of one dimension: ({shape},)"
            raise argument_error(f"shape is {shape!r}: it must be a tuple of extents", hint) from None
        self.dtype = dtype_name(dtype)
        self.device = device
        self._chip = chip

    @property
    def chip(self) -> str:
        """The name of the chip that the array is on, such as "sm_90a" and "gfx942"; "cpu"."""
        return str(self._chip() if callable(self._chip) else self._chip)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"Array({self.shape}, {self.dtype!r})"


class NoKernel(ArgumentError):
    """The error (L066) of an operation that has no kernel for a dtype or a chip. With `fallback=True` the framework's
    own function runs instead."""


def no_kernel(why: str, hint: str = "") -> NoKernel:
    """The error to raise where there is no kernel for a dtype or a chip, but the arguments make sense: with
    `fallback=True` the operation's fallback runs instead. `why` says what came and what there are kernels for."""
    found = argument_error(why, hint, 1)
    out = NoKernel(*found.args)
    out.code, out.message, out.hint, out.span, out.why = found.code, found.message, found.hint, found.span, why
    return out


def framework_of(values: Iterable[Any]) -> str:
    """ "torch", "jax" or "" (NumPy and others): whose arrays these are; None among them is skipped."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    for x in values:
        if torch is not None and isinstance(x, getattr(torch, "Tensor", ())):
            return "torch"
        if jax is not None and isinstance(x, getattr(jax, "Array", ())):
            return "jax"
    return ""
