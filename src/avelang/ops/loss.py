"""`cross_entropy` and `linear_cross_entropy`: logits, or what a linear layer makes logits of, and classes come in; a
loss goes out, with its gradients. One kernel for AMD, NVIDIA and the CPU."""

from __future__ import annotations

import sys
from typing import Any

from avelang import argument_error
from avelang.base.errors import error
from avelang.base.places import users_line
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.bridge.relaunched import relaunched
from avelang.ops.norm import floats, on
from avelang.ops.sharding import ROWS, WHOLE, along_rows, of_linear_losses, of_loss_gradients, of_losses
from avelang_kernels.loss import launches
from avelang_kernels.loss.linear import linear_losses, multiply_by
from avelang_kernels.norm.lines import through

REDUCTIONS = ("mean", "sum", "none")
PRODUCTS = ("bfloat16", "float16", "float32")


def check_target(rows: tuple[int, ...], target: Array, smoothing: float, reduction: str, softcap: float) -> None:
    """Checks the arguments that losses have in common. Raises L066."""
    if target.shape != rows:
        raise argument_error(f"target is {target.shape}: it must be {rows}, a class for each row",
                             "where classes are dimension 1, as in torch, pass logits.movedim(1, -1)")  # fmt: skip
    if target.dtype not in launches.INDICES:
        kinds = ", ".join(launches.INDICES)
        raise argument_error(f"target is of {target.dtype}: it holds numbers of classes, of {kinds}")
    if reduction not in REDUCTIONS:
        raise argument_error(f"reduction is {reduction!r}: it must be one of {', '.join(REDUCTIONS)}")
    if not 0 <= smoothing <= 1:
        raise argument_error(f"label_smoothing is {smoothing}: it must be from 0 to 1")
    if not 0 <= softcap < float("inf"):
        raise argument_error(f"softcap is {softcap}: it must be 0, for none, or a finite number above it")


def _shapes(logits: Array, target: Array, *, label_smoothing: float, reduction: str, softcap: float):
    acc = floats("logits", logits)
    if not logits.shape or logits.shape[-1] < 1:
        raise argument_error(f"logits is {logits.shape}: it needs a last dimension, of classes")
    rows = logits.shape[:-1]
    check_target(rows, target, label_smoothing, reduction, softcap)
    count = 1
    for n in rows:
        count *= n
    none = reduction == "none"
    losses = Array((0 if none else count,), acc)
    return Array(rows if none else (), acc), Array((count, 2), acc), Array((1,), acc), losses


@op(_shapes, autocast="float32", contiguous=("target",), sharding=of_losses, strided={"logits": "matrix"})
def cross_entropy_rows(
    logits: Any, target: Any, loss: Any, lse: Any, scale: Any, losses: Any, *, ignore_index: int = -100,
    label_smoothing: float = 0.0, reduction: str = "mean", z_loss: float = 0.0, softcap: float = 0.0,
    target_chip: str | None = None,
) -> None:  # fmt: skip
    """`cross_entropy`; for the backward rows' greatest logits and the logarithms of their sums of powers relative to
    these, and what losses are multiplied by."""
    target = flat(target)

    def make(each: Any) -> None:
        launches.make_losses(logits, target, each, lse, ignore=ignore_index, smoothing=label_smoothing, z=z_loss,
                             cap=softcap, **on(target_chip))  # fmt: skip

    through(make, loss if reduction == "none" else losses)
    if reduction == "none":
        scale[...] = 1
    else:
        launches.add_losses(losses, target, loss, scale, ignore=ignore_index, mean=reduction == "mean",
                            **on(target_chip))  # fmt: skip


def flat(x: Any) -> Any:
    """An array without gaps, of one dimension."""
    return x.reshape(-1)


def _gradient_shapes(logits: Array, target: Array, lse: Array, grad: Array, scale: Array) -> Array:
    return Array(logits.shape, logits.dtype)


@op(_gradient_shapes, contiguous=("target", "grad"), sharding=of_loss_gradients, strided={"logits": "matrix"})
def cross_entropy_gradient(
    logits: Any, target: Any, lse: Any, grad: Any, scale: Any, dx: Any, *, ignore_index: int, label_smoothing: float,
    z_loss: float, softcap: float, target_chip: str | None = None,
) -> None:  # fmt: skip
    """Gradients of logits, by those of losses: one for each row, or one for all."""
    launches.gradients(logits, flat(target), lse, flat(grad), scale, dx, ignore=ignore_index, smoothing=label_smoothing,
                       z=z_loss, cap=softcap, **on(target_chip))  # fmt: skip


@cross_entropy_rows.backward(saves=("logits", "target", "lse", "scale"))
def _(grads: Any, inputs: Any, outputs: Any, *, ignore_index: int, label_smoothing: float, z_loss: float,
      softcap: float, target_chip: str | None) -> Any:  # fmt: skip
    dx = cross_entropy_gradient(
        inputs[0], inputs[1], outputs[1], grads[0], outputs[2], ignore_index=ignore_index,
        label_smoothing=label_smoothing, z_loss=z_loss, softcap=softcap, target_chip=target_chip,
    )  # fmt: skip
    return dx, None


@relaunched
@counted
def cross_entropy(
    logits: Any, target: Any, *, ignore_index: int = -100, label_smoothing: float = 0.0, reduction: str = "mean",
    z_loss: float = 0.0, softcap: float = 0.0, out: Any = None, target_chip: str | None = None,
) -> Any:  # fmt: skip
    """The cross entropy of rows of logits, the last dimension, and a class for each; computed in f32 (f64 of f64).

    logits: (..., classes) of bf16, f16, f32 or f64, any strides. target: (...) of int64, int32, int16 or uint8. Rows
    whose class is `ignore_index` count for nothing; the loss of other classes that there are not is NaN. With
    label_smoothing s the loss of a row is (1 - s) (lse - l[t]) + s (lse - mean(l)), as in torch; z_loss z adds z lse^2;
    with softcap c logits are c tanh(logit / c) first. reduction: "mean" over rows that are not ignored, "sum", or
    "none". target_chip: of arrays on the CPU, the chip whose waves are meant.

    Returns a number, or with "none" (...), of f32, or f64 of f64. Differentiable in logits, which are kept for the
    backward beside two numbers for each row; sums have a fixed order. Raises L066 (a ValueError) for shapes that do not
    fit and dtypes without a kernel."""
    return cross_entropy_rows(
        logits, target, ignore_index=ignore_index, label_smoothing=float(label_smoothing), reduction=reduction,
        z_loss=float(z_loss), softcap=float(softcap), target_chip=target_chip, out=out,
    )  # fmt: skip


def _linear_shapes(x: Array, weight: Array, target: Array, bias: Array | None = None, *, label_smoothing: float,
                   reduction: str, softcap: float, wanted: tuple[bool, ...]) -> tuple[Array, ...]:  # fmt: skip
    if x.dtype not in PRODUCTS:
        raise no_kernel(f"x is of {x.dtype}: there are products of {', '.join(PRODUCTS)}")
    if len(x.shape) < 1 or len(weight.shape) != 2 or weight.shape[1] != x.shape[-1] or weight.dtype != x.dtype:
        raise argument_error(f"x is {x}, and weight is {weight}: they must be (..., n) and (classes, n), of one dtype")
    if 0 in weight.shape:
        raise argument_error(f"weight is {weight.shape}: it needs a class and a column or more")
    if bias is not None and (bias.shape != weight.shape[:1] or bias.dtype not in (x.dtype, "float32")):
        raise argument_error(f"bias is {bias}: it must be {weight.shape[:1]}, of {x.dtype} or float32")
    check_target(x.shape[:-1], target, label_smoothing, reduction, softcap)
    if reduction == "none" and any(wanted):
        raise argument_error('reduction is "none", but gradients are made with the loss, which must be one number',
                             'use "sum" or "mean", or cross_entropy of logits')  # fmt: skip
    count = 1
    for n in x.shape[:-1]:
        count *= n
    none, like = reduction == "none", (x, weight, x if bias is None else bias)
    grads = [Array(a.shape if w else (0,), a.dtype) for a, w in zip(like, wanted, strict=True)]
    first = Array(x.shape[:-1] if none else (), "float32"), Array((0,), "float32")
    return *first, *grads, Array((0 if none else count,), "float32")


@op(_linear_shapes, returns=2, autocast="lower", contiguous=("target", "bias"), sharding=of_linear_losses,
    strided={"x": "matrix", "weight": "rows"})  # fmt: skip
def linear_cross_entropy_step(
    x: Any, weight: Any, target: Any, bias: Any, loss: Any, source: Any, dx: Any, dw: Any, db: Any, losses: Any, *,
    ignore_index: int = -100, label_smoothing: float = 0.0, reduction: str = "mean", z_loss: float = 0.0,
    softcap: float = 0.0, chunk: int = 0, wanted: tuple[bool, ...] = (False, False, False),
    target_chip: str | None = None, invariant: bool | None = None,
) -> None:  # fmt: skip
    """`linear_cross_entropy`, with those of the gradients of x, weight and bias that are `wanted`. source: of no
    elements; by it the backward's results depend on x, weight and bias, which are not kept: see `multiplied`."""
    n, none = x.shape[-1], reduction == "none"
    rows, made = x.reshape(-1, n), (dx.reshape(-1, n) if wanted[0] else dx, dw, db)
    grads = tuple(g if w else None for g, w in zip(made, wanted, strict=True))
    linear_losses(
        rows, weight, flat(target), bias, loss, flat(loss) if none else losses, ignore=ignore_index,
        smoothing=label_smoothing, mean=None if none else reduction == "mean", z=z_loss, cap=softcap,
        # Parts of targets and losses begin at multiples of 16 bytes.
        gradients=grads if any(wanted) else None, chunk=min(-(-chunk // 16) * 16, rows.shape[0]),
        invariant=bool(invariant), target_chip=target_chip,
    )  # fmt: skip


def _multiplied_shapes(x: Array, factor: Array, source: Array) -> Array:
    return Array(x.shape, x.dtype)


@op(_multiplied_shapes, contiguous=True, sharding=along_rows([ROWS], [ROWS, WHOLE, WHOLE], last=True))
def multiplied(x: Any, factor: Any, source: Any, y: Any, *, target_chip: str | None = None) -> None:
    """x times a number that lies in memory. source: of no elements; what x was made of, as torch sees it, so that a
    second derivative is refused rather than 0."""
    multiply_by(x, factor, y, **on(target_chip))


@multiplied.backward(saves=())
def _(grads: Any, inputs: Any, outputs: Any) -> Any:
    why = "its gradients are made together with the loss, and what they were made of is not kept"
    raise error("L069", users_line(), name="linear_cross_entropy", what="second derivative", why=why)


def lies_here(torch: Any, x: Any, factor: Any) -> bool:
    """True for tensors of torch whose memory nobody watches and no transformation of torch.func may read again: its
    tensors are of torch's type too, and where its level has ended, only a mode of ours tells of them."""
    inside = torch._C._functorch
    if type(x) is not torch.Tensor or torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack():
        return False
    if inside.peek_interpreter_stack() is not None or inside.is_legacy_batchedtensor(factor):
        return False
    modes = torch.overrides._get_current_function_mode_stack()
    return all(type(mode).__name__ == "DeviceContext" for mode in modes)  # that of torch.set_default_device


def scaled(x: Any, factor: Any, source: Any, target_chip: str | None) -> Any:
    """x times a number in memory, for an x that nobody else will read: in its place where torch runs eagerly."""
    torch = sys.modules.get("torch")
    if torch is not None and not torch.is_grad_enabled() and lies_here(torch, x, factor):
        multiply_by(x, factor.reshape(1), x, **on(target_chip))
        return x
    return multiplied(x, factor, source, target_chip=target_chip)


linear_cross_entropy_step.spent = (
    "gradients are made with the loss, and the first backward multiplied them in their place: call it anew, or add up "
    "what goes backward, and do so once"
)


@linear_cross_entropy_step.backward(saves=("source", "dx", "dw", "db"))
def _(grads: Any, inputs: Any, outputs: Any, *, wanted: tuple[bool, ...], target_chip: str | None, needs: Any) -> Any:
    if any(n and not w for n, w in zip((needs[0], needs[1], needs[3]), wanted, strict=True)):
        why = 'gradients are made with the loss, and the call made none, as with the reduction "none"'
        raise error("L069", users_line(), name="linear_cross_entropy", what="gradient", why=why)
    source, made = outputs[1], zip(outputs[2:5], wanted, strict=True)
    dx, dw, db = (scaled(g, grads[0], source, target_chip) if w else None for g, w in made)
    return dx, dw, None, db


def mapped() -> bool:
    """True while `torch.compile` traces what stands inside of vmap. Of no arguments, so that it may be a constant."""
    stack = sys.modules["torch"]._C._functorch.get_interpreter_stack() or ()
    return any(i.key().name == "Vmap" for i in stack)


mapped._dynamo_marked_constant = True  # type: ignore[attr-defined]  (torch._dynamo.assume_constant_result)


def tracked(x: Any) -> bool:
    """True for a tensor of which a gradient is wanted, or that wraps such a one: vmap's do not say so themselves."""
    torch = sys.modules["torch"]
    inside = torch._C._functorch
    while isinstance(x, torch.Tensor) and not x.requires_grad:
        if not inside.is_functorch_wrapped_tensor(x):
            return False
        x = inside.get_unwrapped(x)
    return isinstance(x, torch.Tensor)


def wanted_of(given: tuple[Any, ...], reduction: str) -> tuple[bool, ...]:
    """The gradients of x, weight and bias that are to be made with the loss: in torch those that are wanted; under JAX,
    and inside of vmap that is compiled, which do not say, all that there are."""
    torch = sys.modules.get("torch")
    everything = tuple(a is not None and reduction != "none" for a in given)
    if torch is not None and isinstance(given[0], torch.Tensor):
        if not torch.is_grad_enabled():
            return (False,) * 3
        if not torch.compiler.is_compiling():
            return tuple(map(tracked, given))
        return everything if mapped() else tuple(bool(getattr(a, "requires_grad", False)) for a in given)
    return (False,) * 3 if type(given[0]).__module__.partition(".")[0] == "numpy" else everything


@counted
def linear_cross_entropy(
    x: Any, weight: Any, target: Any, bias: Any = None, *, ignore_index: int = -100, label_smoothing: float = 0.0,
    reduction: str = "mean", z_loss: float = 0.0, softcap: float = 0.0, chunk: int = 0, target_chip: str | None = None,
) -> Any:  # fmt: skip
    """`cross_entropy(x @ weight.T + bias, target)`, whose logits are never whole in memory.

    x: (..., n), weight: (classes, n), of bf16, f16 or f32, any strides; bias: (classes,), of that dtype or f32; target:
    (...) and the options as of `cross_entropy`. chunk: rows whose logits are made at a time; 0: as many as 272 MiB
    hold, and 128 at the least.

    Where gradients are wanted they are made together with the loss, three products in all, and multiplied by the
    gradient of the loss in the backward: in their place in eager torch, which so can go backward once. Those of the
    weight are rounded to its dtype once for each chunk. Under JAX they are made whether or not they are wanted. Returns
    a number of f32, or with "none", which has no gradients, (...). There are no second derivatives (L069). Raises L066
    (a ValueError) for shapes that do not fit and dtypes without a kernel."""
    if not hasattr(chunk, "__index__") or chunk < 0:
        raise argument_error(f"chunk is {chunk}: it must be a number of rows, or 0 for as many as fit")
    wanted = wanted_of((x, weight, bias), reduction)
    return linear_cross_entropy_step(
        x, weight, target, bias, ignore_index=ignore_index, label_smoothing=float(label_smoothing), reduction=reduction,
        z_loss=float(z_loss), softcap=float(softcap), chunk=int(chunk), wanted=wanted, target_chip=target_chip,
    )[0]  # fmt: skip
