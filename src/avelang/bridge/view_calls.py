"""Operations that a host function calls on views of a GPU's memory, as it calls them on arrays of NumPy: under JAX,
where a call is one of XLA's foreign functions, and what it calls runs within it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.places import argument_error
from avelang.bridge.alignment import UNIT
from avelang.bridge.descriptions import Array, ave_dtype
from avelang.bridge.device_views import DeviceView
from avelang.ir.dtypes import numpy_dtype

if TYPE_CHECKING:
    from avelang.bridge.operation import Operation


def call(operation: Operation, inputs: Sequence[Any], options: Sequence[Any], out: Any) -> Any:
    """The outputs, on XLA's memory: until the host function returns. Raises L066, L068, and NoKernel where there is
    none: what JAX has instead cannot be called here."""
    like = next(x for x in inputs if isinstance(x, DeviceView))
    if not all(x is None or isinstance(x, DeviceView) for x in inputs):
        raise argument_error("some arrays are the GPU's, and others NumPy's: make new ones with numpy.empty(like=)")
    wanted = operation.rule([None if x is None else _described(x) for x in inputs], options)
    given = () if out is None else operation.given(out)
    operation.check_out(given, wanted)
    read = tuple(
        x if x is None or _readable(x, i in operation.packed) else x.copy() for i, x in enumerate(inputs)
    )  # fmt: skip
    made = [
        given[i] if i < len(given) and _readable(given[i], True) and not _meet(given[i], inputs)
        else like.new_empty(a.shape, numpy_dtype(ave_dtype(a.dtype)))
        for i, a in enumerate(wanted)
    ]  # fmt: skip
    operation.host(*read, *made, **operation.signature.named(options))
    for y, z in zip(given, made, strict=False):
        if y is not z:
            y[...] = z
    return operation.returned(made) if out is None else out


def _described(x: DeviceView) -> Array:
    kind = x.device.partition(":")[0]
    if kind == "cpu":
        return Array(x.shape, x.dtype)
    from avelang.runtime import devices

    return Array(x.shape, x.dtype, kind, lambda: devices.device(x.device).chip.name)


def _readable(x: DeviceView, packed: bool) -> bool:
    """True where kernels take a view as it lies."""
    return not x.address & UNIT and (not packed or x.flags.c_contiguous)


def _meet(y: DeviceView, inputs: Sequence[Any]) -> bool:
    """True where the memory from an output's lowest to its highest address has some of an input's."""
    begin, end = y.reach()
    return any(first < end and begin < last for first, last in (x.reach() for x in inputs if x is not None))
