"""Outputs that a caller gives, `out=`: may an operation write them while it reads its inputs? Where one shares memory
with an input, the operation makes its result apart, which is then copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from avelang.base.lazy import np
from avelang.base.places import argument_error

TRIES = 1 << 12  # steps of NumPy's exact search for an element that two arrays share; beyond them, they may share one

NO_GRADIENTS = "out= makes no gradients: leave it out, or call under torch.no_grad()"


def check_traced(torch: Any, given: Sequence[Any], made: Sequence[Any]) -> None:
    """Raises L066 for outputs, traced by `torch.compile`, that are not as what is made for them, or cannot be
    written."""
    for i, (x, y) in enumerate(zip(given, made, strict=False)):
        if not isinstance(x, torch.Tensor) or x.shape != y.shape or x.dtype != y.dtype or x.device != y.device:
            raise argument_error(f"out: it must be {tuple(y.shape)} of {y.dtype} on {y.device}")
        if torch.is_grad_enabled() and (x.requires_grad or y.requires_grad):
            raise argument_error(NO_GRADIENTS)
        if any(n > 1 and s == 0 for n, s in zip(x.shape, x.stride(), strict=True)):
            raise argument_error("out has a stride of 0: elements of an output must not share memory")
        if any(x is other for other in given[:i]):
            raise argument_error("the arrays of out share memory: give one of its own for each")


def check_outputs(given: Sequence[Any]) -> None:
    """Raises L066 for outputs that cannot be written, or of which two elements are one."""
    for i, y in enumerate(given):
        strides = y.strides if isinstance(y, np.ndarray) else y.stride()
        if any(n > 1 and s == 0 for n, s in zip(y.shape, strides, strict=True)):
            raise argument_error(
                f"out is {tuple(y.shape)} with a stride of 0: elements of an output must not share memory",
                "give an array that was made with this shape",
            )
        if isinstance(y, np.ndarray) and not y.flags.writeable:
            raise argument_error("out is read-only", "give an array that may be written, such as a copy")
        if i and shared(y, given[:i]):
            raise argument_error("the arrays of out share memory", "give one of its own for each")


def shared(y: Any, inputs: Sequence[Any], same: Sequence[int] = ()) -> bool:
    """True where an output shares memory with an input; but inputs whose numbers are in `same` may be the output
    itself."""
    if isinstance(y, np.ndarray):
        return any(
            isinstance(x, np.ndarray) and np.may_share_memory(x, y) and not (i in same and _alike(x, y)) and _meet(x, y)
            for i, x in enumerate(inputs)
        )
    return shared_tensors(y, inputs, same)


def shared_tensors(y: Any, inputs: Sequence[Any], same: Sequence[int] = ()) -> bool:
    """The same for tensors of torch: each call with `out=` pays for it."""
    first = y.data_ptr()
    for i, x in enumerate(inputs):
        if x is None:
            continue
        at = x.data_ptr()
        if (first < at + _bytes(x) if at <= first else at < first + _bytes(y)) and not (i in same and _alike(x, y)):
            if x.device == y.device and _meet(_places(x), _places(y)):
                return True
    return False


def _bytes(x: Any) -> int:
    """Bytes from the beginning of a tensor to its end."""
    if x.is_contiguous():
        return x.nbytes
    return (sum((n - 1) * s for n, s in zip(x.shape, x.stride(), strict=True)) + 1) * x.itemsize if x.numel() else 0


def _alike(x: Any, y: Any) -> bool:
    """True for arrays of the same elements in the same order."""
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if isinstance(x, np.ndarray):
        return x.strides == y.strides and x.ctypes.data == y.ctypes.data
    return x.stride() == y.stride() and x.data_ptr() == y.data_ptr()


def _meet(x: Any, y: Any) -> bool:
    """True where two arrays of NumPy share an element, or may after many tries to find one."""
    try:
        return bool(np.shares_memory(x, y, max_work=TRIES))  # type: ignore[arg-type] # its stubs know 0 and -1 alone
    except RuntimeError:  # TooHardError, whose place in NumPy differs between versions
        return True


class _Places:
    """Memory as NumPy's interface describes it. None of it is read."""

    def __init__(self, **described: Any):
        self.__array_interface__ = {"version": 3, **described}


def _places(x: Any) -> Any:
    """Where the elements of a tensor lie, as an array of NumPy of which none may be read."""
    size = x.itemsize
    strides = tuple(s * size for s in x.stride())
    return np.asarray(_Places(data=(x.data_ptr(), True), shape=tuple(x.shape), strides=strides, typestr=f"|V{size}"))
