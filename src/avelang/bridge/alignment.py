"""Arrays that lie where kernels of this package cannot read them: tensors that begin where a GPU's widest accesses, and
TMA, must not, as x[1:] does; arrays of NumPy in another byte order, that run backwards, or whose elements do not lie at
multiples of their size, as a field of a record does. Operations of this package run on copies, those of users on what
was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from avelang.base.lazy import np
from avelang.base.places import argument_error

UNIT = 15  # bits of an address that a multiple of 16 bytes has not


def on_gpu(x: Any) -> bool:
    """True where kernels of a GPU read a tensor; the CPU reads elements at any of their own multiples."""
    return x.is_cuda


def aligned(x: Any) -> Any:
    """An input of torch, or where it begins off 16 bytes on a GPU a copy."""
    return x.clone() if x is not None and x.data_ptr() & UNIT and on_gpu(x) else x


def with_aligned(host: Callable[..., Any], inputs: Sequence[Any], made: Sequence[Any], named: dict[str, Any]) -> None:
    """Calls a host function with aligned copies of inputs, and with outputs from which those that begin off 16 bytes
    are copied."""
    given = [y.new_empty(y.shape) if y.data_ptr() & UNIT and on_gpu(y) else y for y in made]
    host(*(aligned(x) for x in inputs), *given, **named)
    for y, z in zip(made, given, strict=True):
        if z is not y:
            y.copy_(z)


def forward(name: str, x: Any) -> bool:
    """True where elements of an array of NumPy are in the machine's byte order and lie forward, at multiples of their
    size. Raises L066 for what has a mask, which a kernel would not see. name: the argument's."""
    if isinstance(x, np.ma.MaskedArray):
        raise argument_error(f"{name} has a mask: kernels read all elements", f"{name}.filled(value) is one without")
    size = x.dtype.itemsize
    return x.dtype.isnative and x.flags.aligned and not any(s < 0 or s % size for s in x.strides)


def elements(name: str, x: Any) -> Any:
    """An input, or of an array of NumPy that is not `forward` a copy."""
    return np.array(x, x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not forward(name, x) else x
