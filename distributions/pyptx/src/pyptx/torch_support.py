"""PyTorch: calls with tensors, eager and under `torch.compile`, which sees one operator with fake tensors. torch is
never imported from here: it is there when a call has its tensors."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from avelang.ptx.outputs import torch_dtype
from pyptx.autograd import differentiable_kernel
from pyptx.jax_support import get_cubin_registry

if TYPE_CHECKING:
    from pyptx._call import Caller

__all__ = [
    "any_torch_tensors", "call_kernel_via_torch", "call_kernel_via_torch_compile", "differentiable_kernel",
    "extract_input_shapes", "get_or_register_torch_op", "is_torch_tensor",
]  # fmt: skip

NAME = "pyptx::launch"
SCHEMA = "(str kernel, Tensor[] inputs, str options) -> Tensor[]"
_callers: dict[str, Caller] = {}
_ops: dict[Any, Any] = {}


def is_torch_tensor(x: Any) -> bool:
    """True for a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def any_torch_tensors(args: Sequence[Any]) -> bool:
    """True where one of them is a tensor of torch."""
    return any(map(is_torch_tensor, args))


def extract_input_shapes(args: Sequence[Any]) -> list[tuple[int, ...]]:
    """The shapes of tensors."""
    return [tuple(int(x) for x in a.shape) for a in args]


def call_kernel_via_torch(kernel: Any, *inputs: Any, **kw: Any) -> Any:
    """A call of a kernel with tensors, at once."""
    return kernel._caller.run(inputs, kw)


def prepared(caller: Caller) -> Any:
    """A function of no arguments that registers the operator and gives the kernel's name in it, which `torch.compile`
    takes for a constant."""

    def name() -> str:
        _operator()
        key = f"{caller.kernel.name}_{id(caller)}"
        _callers[key] = caller
        return key

    name._dynamo_marked_constant = True  # type: ignore[attr-defined]  (what torch._dynamo.assume_constant_result sets)
    return name


def call_kernel_via_torch_compile(caller: Any, inputs: Sequence[Any], kw: Mapping[str, Any]) -> Any:
    """A call by the operator, which has fake tensors."""
    torch: Any = sys.modules["torch"]
    options = ", ".join([f"{k!r}: {v!r}" for k, v in kw.items()])
    name = caller.operator()  # registers the operator
    made = torch.ops.pyptx.launch(name, list(inputs), f"{{{options}}}")
    return made[0] if len(made) == 1 else tuple(made)


def _operator() -> Any:
    torch: Any = sys.modules["torch"]
    if NAME not in _ops:
        op = _ops[NAME] = torch.library.custom_op(NAME, _run, mutates_args=(), schema=SCHEMA)
        op.register_fake(_fake)
    return _ops[NAME]


def _run(kernel: str, inputs: Sequence[Any], options: str) -> list[Any]:
    made = _callers[kernel].run(inputs, ast.literal_eval(options))
    return list(made) if isinstance(made, tuple) else [made]


def _fake(kernel: str, inputs: Sequence[Any], options: str) -> list[Any]:
    torch: Any = sys.modules["torch"]
    special = _callers[kernel].specialized(extract_input_shapes(inputs), ast.literal_eval(options))
    return [inputs[0].new_empty(shape, dtype=torch_dtype(torch, dtype)) for shape, dtype in special.outputs]


def get_or_register_torch_op(handle: int) -> Any:
    """The operator `pyptx::kernel_HANDLE` of a kernel that has been called before: tensors to tensors. Raises KeyError
    for an unknown handle."""
    torch: Any = sys.modules["torch"]
    if handle not in _ops:
        record = get_cubin_registry().get(handle)
        if record is None:
            raise KeyError(handle)
        special = record.module

        def launch(inputs: Sequence[Any]) -> list[Any]:
            made = special.kernel._caller.run(inputs, special.kw)
            return list(made) if isinstance(made, tuple) else [made]

        def fake(inputs: Sequence[Any]) -> list[Any]:
            return [inputs[0].new_empty(shape, dtype=torch_dtype(torch, dtype)) for shape, dtype in special.outputs]

        op = torch.library.custom_op(
            f"pyptx::kernel_{handle}", launch, mutates_args=(), schema="(Tensor[] inputs) -> Tensor[]"
        )
        op.register_fake(fake)
        _ops[handle] = op
    return _ops[handle]
