"""`differentiable_kernel`: a kernel and the kernel of its gradients come in; a function that torch's autograd
differentiates goes out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any


def differentiable_kernel(
    forward_kernel: Any, backward_kernel: Any, *, save_for_backward: Sequence[int] | None = None,
    num_grad_inputs: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """A function of tensors that runs `forward_kernel`, and in backward `backward_kernel(*saved, *gradients)`.
    `save_for_backward`: indices of the inputs that it gets (all); what it gives are the gradients of the first inputs,
    `num_grad_inputs` of them (all). It has `forward_kernel`, `backward_kernel` and a `__name__`."""
    made: list[Any] = []

    def apply(*inputs: Any) -> Any:
        if not made:
            made.append(_function(forward_kernel, backward_kernel, save_for_backward, num_grad_inputs))
        return made[0].apply(*inputs)

    apply.forward_kernel, apply.backward_kernel = forward_kernel, backward_kernel  # type: ignore[attr-defined]
    name = getattr(forward_kernel, "__name__", "kernel")
    apply.__name__ = f"differentiable_{name}"
    return apply


def _function(forward_kernel: Any, backward_kernel: Any, saved: Sequence[int] | None, count: int | None) -> Any:
    torch: Any = sys.modules["torch"]

    class Differentiable(torch.autograd.Function):
        """The two kernels as torch's autograd wants them."""

        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            """Runs the kernel and keeps what its gradients need."""
            ctx.count = len(inputs)
            kept = inputs if saved is None else [inputs[i] for i in saved]
            ctx.save_for_backward(*kept)
            return forward_kernel(*inputs)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            """Runs the kernel of the gradients."""
            given = backward_kernel(*ctx.saved_tensors, *(g.contiguous() for g in grads))
            found = list(given) if isinstance(given, (tuple, list)) else [given]
            wanted = ctx.count if count is None else count
            found = (found + [None] * wanted)[:wanted]
            return tuple((found + [None] * ctx.count)[: ctx.count])

    return Differentiable
