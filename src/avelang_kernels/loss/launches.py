"""Host side of losses: logits and classes come in and outputs are filled, on the arrays' chip."""

from __future__ import annotations

from typing import Any

import avelang.language as al
from avelang import tile
from avelang_kernels.arrays import named
from avelang_kernels.loss import cross_entropy as kernels
from avelang_kernels.loss import hopper_cross_entropy
from avelang_kernels.norm.launches import BUSY, accumulator, of, places, units
from avelang_kernels.norm.lines import rows_of
from avelang_kernels.norm.row_plans import plan_rows

INDICES: dict[str, Any] = {"int64": al.i64, "int32": al.i32, "uint8": al.u8, "int16": al.i16}
MOST = 256  # threads of a row, which is gone through twice: other blocks load while some compute


def lined(x: Any) -> Any:
    """An array of one dimension at least: compiled host code leaves torch's tensors of none to the slow path, since a
    lazily negated view may be one (native/host/arguments.c)."""
    return x if len(x.shape) else x.reshape(1)


def cluster_plan(R: Any, logits: Any, target: str | None) -> Any:
    """The plan for rows that clusters hold; None where there is none, or for other chips."""
    if not tile.device_of(logits, target)[0].startswith("sm_90"):
        return None
    return hopper_cross_entropy.plan_clusters(R.n, R.vec, logits.dtype.itemsize)


def make_losses(logits: Any, classes: Any, losses: Any, lse: Any, *, ignore: int = -100, smoothing: float = 0.0,
    z: float = 0.0, cap: float = 0.0, scale: Any = None, **options: Any) -> None:  # fmt: skip
    """Fills losses, a number for each row of logits, and lse, two: the greatest logit, and the logarithm of the sum of
    powers relative to it; of f32, or f64 of f64. scale: an array of one number; where
    it is given, logits (without gaps) are overwritten by the gradients of the losses times that."""
    R, dtype, acc = rows_of(logits), of(logits), accumulator(of(logits))
    if R.rows == 0:
        return
    if scale is not None and acc == al.f32 and R.lead is None:  # what is read once anyway need not be held
        clusters = cluster_plan(R, logits, options.get("target"))
        if clusters is not None:
            what = {"smooth": smoothing != 0, "strided": R.strides[0] is not None}
            kernel = hopper_cross_entropy.build_loss(*clusters, float(cap), dtype, INDICES[named(classes)], **what)
            kernel[R.rows * clusters[1], clusters[0].block](
                R.data[0], classes, losses, lse, R.rows, R.n // R.vec, ignore, smoothing, z, lined(scale),
                cluster=(clusters[1], 1, 1), **places(R, "x"), **options,
            )  # fmt: skip
            return
    P = plan_rows(R.n, R.vec, logits.dtype.itemsize, MOST)
    kernel = kernels.build_loss(
        P, float(cap), dtype, INDICES[named(classes)], acc, smooth=smoothing != 0, strided=R.strides[0] is not None,
        lead=R.lead is not None, gradient=scale is not None,
    )  # fmt: skip
    said = places(R, "x") | ({} if scale is None else {"scale": lined(scale)})
    grid = P.grid(R.rows, units(logits) * max(1, BUSY // P.block))
    kernel[grid, P.block](R.data[0], classes, losses, lse, R.rows, R.n // R.vec, ignore, smoothing, z,
                          **said, **options)  # fmt: skip


def add_losses(losses: Any, classes: Any, out: Any, scale: Any, *, ignore: int = -100, mean: bool = True,
    counted: bool = False, **options: Any) -> None:  # fmt: skip
    """Fills out, one number, with the sum of losses, or their mean over classes that are not `ignore`, and scale with
    1, or 1 by the number of these. `counted`: scale alone counts, of classes."""
    rows = int(losses.shape[0])
    if rows == 0:
        out[...] = float("nan") if mean else 0
        scale[...] = 1
        return
    kernel = kernels.build_reduction(INDICES[named(classes)], accumulator(of(losses)), mean, counted)
    kernel[1, kernels.ADD_THREADS](losses, classes, lined(out), lined(scale), rows, ignore, **options)


def gradients(logits: Any, classes: Any, lse: Any, grad: Any, scale: Any, dx: Any, *, ignore: int = -100,
    smoothing: float = 0.0, z: float = 0.0, cap: float = 0.0, **options: Any) -> None:  # fmt: skip
    """Fills dx, like logits, by gradients of losses: `grad` has a number for each row, or one for all, and is
    multiplied by `scale`, one number."""
    R, dtype = rows_of(logits), of(logits)
    if R.rows == 0:
        return
    P = plan_rows(R.n, R.vec, logits.dtype.itemsize, MOST)
    each = R.rows > 1 and len(grad.shape) > 0 and grad.shape[0] == R.rows
    kernel = kernels.build_gradient(
        P, float(cap), dtype, INDICES[named(classes)], accumulator(dtype), strided=R.strides[0] is not None,
        lead=R.lead is not None, each=each,
    )  # fmt: skip
    kernel[-(-R.rows // P.rows), P.block](R.data[0], classes, lse, lined(grad), lined(scale), dx, R.rows,
                                          R.n // R.vec, ignore, smoothing, z, **places(R, "x"), **options)  # fmt: skip
