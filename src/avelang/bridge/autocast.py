"""torch's autocast: arrays of an operation come in; the same in the dtype that it says go out.

An operation of the policy "lower" or "float32" casts what reaches it. A function in front of one, which holds dtypes
against one another, asks here first: under autocast x may be bf16 where the weight, a parameter, is f32."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

DEVICES = ("cpu", "cuda")  # kinds of devices whose autocast is known


def lowered(*arrays: Any) -> Sequence[Any]:
    """The arrays as a matrix product wants them: tensors of bf16, f16 and f32 in autocast's dtype where it is on, all
    others as they are. Casts are differentiable."""
    torch = sys.modules.get("torch")
    if torch is None:
        return arrays
    first = next((x for x in arrays if isinstance(x, torch.Tensor)), None)
    if first is None or first.device.type not in DEVICES or not torch.is_autocast_enabled(first.device.type):
        return arrays
    return cast(torch, torch.get_autocast_dtype(first.device.type), arrays)


def cast(torch: Any, dtype: Any, values: Sequence[Any]) -> list[Any]:
    """Tensors of bf16, f16 and f32 in a dtype; f64, integers and what is no tensor as they are."""
    floats = (torch.float16, torch.bfloat16, torch.float32)
    return [x.to(dtype) if isinstance(x, torch.Tensor) and x.dtype in floats else x for x in values]
