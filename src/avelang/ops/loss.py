"""`cross_entropy` and `linear_cross_entropy`: logits, or what a linear layer makes logits of, and classes come in; a
loss goes out, with its gradients. One kernel for AMD, NVIDIA and the CPU."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.bridge import Array, op
from avelang.ops.norm import floats, on
from avelang_kernels.loss import launches

REDUCTIONS = ("mean", "sum", "none")


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
    if softcap < 0:
        raise argument_error(f"softcap is {softcap}: it must be 0, for none, or more")


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
    return Array(rows if none else (), acc), Array((count,), acc), Array((1,), acc), Array((0 if none else count,), acc)


@op(_shapes, autocast="float32", contiguous=("target",))
def cross_entropy_rows(
    logits: Any, target: Any, loss: Any, lse: Any, scale: Any, losses: Any, *, ignore_index: int = -100,
    label_smoothing: float = 0.0, reduction: str = "mean", z_loss: float = 0.0, softcap: float = 0.0,
    target_chip: str | None = None,
) -> None:  # fmt: skip
    """`cross_entropy`; for the backward the logarithms of rows' sums of powers, and what losses are multiplied by."""
    each, target = loss if reduction == "none" else losses, flat(target)
    launches.make_losses(logits, target, each, lse, ignore=ignore_index, smoothing=label_smoothing, z=z_loss,
                         cap=softcap, **on(target_chip))  # fmt: skip
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


@op(_gradient_shapes, contiguous=("target", "grad"))
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
    backward beside one number for each row; sums have a fixed order. Raises L066 (a ValueError) for shapes that do not
    fit and dtypes without a kernel."""
    return cross_entropy_rows(
        logits, target, ignore_index=ignore_index, label_smoothing=float(label_smoothing), reduction=reduction,
        z_loss=float(z_loss), softcap=float(softcap), target_chip=target_chip, out=out,
    )  # fmt: skip
