"""A call's inputs and its outputs' shapes and dtypes come in; new arrays of the inputs' kind, where the inputs are, go
out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from avelang.base import knobs
from avelang.base.lazy import np
from avelang.ir.dtypes import DType

Wanted = Sequence[tuple[tuple[int, ...], DType]]

_TORCH = {
    "u1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}  # fmt: skip


def torch_dtype(torch: Any, dtype: DType) -> Any:
    """torch's dtype."""
    return getattr(torch, _TORCH[dtype.name])


def like(args: Sequence[Any], wanted: Wanted) -> list[Any]:
    """New arrays, whose memory holds anything: torch's, CuPy's or NumPy's, on the device of the first array among the
    inputs. With AVE_CHECK=init it holds bytes of ones, which are NaN in all floats but the fnuz kind: what a kernel
    leaves out is seen."""
    made = _empty(args, wanted)
    for array in made if knobs.check_init() else ():
        _poison(array)
    return made


def _poison(array: Any) -> None:
    if not hasattr(array, "untyped_storage"):
        array.reshape(-1).view("uint8")[:] = 0xFF
    elif array.numel():
        array.view(-1).view(sys.modules["torch"].uint8).fill_(0xFF)


def _empty(args: Sequence[Any], wanted: Wanted) -> list[Any]:
    for module in ("torch", "cupy"):
        library = sys.modules.get(module)
        if library is None:
            continue
        kind = library.Tensor if module == "torch" else library.ndarray
        first = next((a for a in args if isinstance(a, kind)), None)
        if first is None:
            continue
        if module == "torch":
            return [
                library.empty(shape, dtype=torch_dtype(library, dtype), device=first.device) for shape, dtype in wanted
            ]
        with first.device:
            return [library.empty(shape, dtype.np) for shape, dtype in wanted]
    return [np.empty(shape, dtype.np) for shape, dtype in wanted]
