"""Rows, the weight of a linear layer and a class for each row come in; the cross entropy of the layer's logits goes
out, and, if asked for, its gradients, made at the same time: logits are never whole in memory.

Rows are taken in chunks. Of each the logits are multiplied into a workspace, the loss is found there and its gradient
takes the logits' place; two more products make of that the rows' gradient, and a part of the weight's, which is added
to the weight's gradient where that lies: on Hopper by TMA as the product is stored, elsewhere in slabs. So there are
three products in all, and the sequence of additions is fixed: the same bits in every run. The weight's gradient is
rounded to its dtype once for each chunk."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import tile
from avelang_kernels.arrays import named, new
from avelang_kernels.loss.launches import add_losses, make_losses
from avelang_kernels.matmul import hopper_gemm
from avelang_kernels.matmul.aligned_rows import align_rows
from avelang_kernels.matmul.choice import matrix_product
from avelang_kernels.matmul.storage import misplaced
from avelang_kernels.norm.launches import accumulator, of, units
from avelang_kernels.norm.lines import whole
from avelang_kernels.norm.norms import maybe

WORKSPACE = 272 << 20  # bytes of logits, at the most
UNIT = 128  # rows of a chunk are a multiple of it
LINE = 8  # elements: rows of the workspace begin at multiples of 16 bytes
THREADS = 256


@functools.cache
def build_added(dtype: Any, acc: Any, scaled: bool) -> Any:
    """The kernel that adds `part` to an array, or, `scaled`, multiplies it by a number in memory; the latter does
    nothing where that is 1 and the result has the place of the array."""
    PART, SCALE = maybe(acc, not scaled), maybe(acc, scaled)

    @avelang.jit
    def add_part(
        x: al.Pointer[dtype], y: al.Pointer[dtype], n: al.u64, part: Annotated[Any, PART] = None,
        scale: Annotated[Any, SCALE] = None, INPLACE: al.constexpr = True,
    ):  # fmt: skip
        V = 16 // dtype.bytes
        here, made = (al.make_tensor(p, dtype, al.make_layout((n // V, V), (V, 1))) for p in (x, y))
        first = al.convert(al.block_id(0), al.u64) * THREADS + al.thread_id(0)
        by = al.make_tensor(scale, acc, al.make_layout((1,)))[0] if scaled else 0.0
        if not scaled or not INPLACE or by != 1.0:
            for c in al.range(first, n // V, al.convert(al.grid_dim(0), al.u64) * THREADS):
                value = al.convert(here[c], acc)
                if scaled:
                    value = value * by
                else:
                    value = value + al.make_tensor(part, acc, al.make_layout((n // V, V), (V, 1)))[c]
                made[c] = al.convert(value, dtype)
            rest = n // V * V + first
            if rest < n:
                value = al.convert(al.make_tensor(x, dtype, al.make_layout((n,)))[rest], acc)
                if scaled:
                    value = value * by
                else:
                    value = value + al.make_tensor(part, acc, al.make_layout((n,)))[rest]
                al.make_tensor(y, dtype, al.make_layout((n,)))[rest] = al.convert(value, dtype)

    return add_part


@functools.cache
def build_columns(dtype: Any, acc: Any) -> Any:
    """The kernel that adds the sums of columns, of rows `apart` elements from one another, to `out`, or makes them."""

    @avelang.jit
    def add_columns(
        x: al.Pointer[dtype], out: al.Pointer[acc], rows: al.u32, n: al.u32,
        apart: al.u32, fresh: al.u1,
    ):  # fmt: skip
        col = al.block_id(0) * THREADS + al.thread_id(0)
        if col < n:
            given = al.make_tensor(x, dtype, al.make_layout((rows, n), (apart, 1)))
            sums = al.make_tensor(out, acc, al.make_layout((n,)))
            total = al.full((1,), 0.0, acc)[0]
            for row in al.range(rows):
                total = total + al.convert(given[row, col], acc)
            if not fresh:
                total = total + sums[col]
            sums[col] = total

    return add_columns


# -- on the host -------------------------------------------------------------------------------------------------------


def multiply_by(x: Any, scale: Any, y: Any, **options: Any) -> None:
    """y = x * scale, arrays without gaps, by an array of one number; y may be x, which then is not read where the
    number is 1."""
    n, dtype = size_of(x), of(x)
    if n:
        blocks = max(1, min(-(-n // (THREADS * 16)), 8 * units(x)))
        kernel = build_added(dtype, accumulator(dtype), True)
        kernel[blocks, THREADS](x, y, n, scale=scale, INPLACE=y is x, **options)


def size_of(x: Any) -> int:
    """The number of elements."""
    n = 1
    for size in x.shape:
        n *= int(size)
    return n


def chunk_of(rows: int, classes: int, size: int, chunk: int = 0) -> int:
    """Rows of a chunk: as many as the workspace has room for, in chunks of about one size."""
    most = max(UNIT, WORKSPACE // (classes * size) // UNIT * UNIT)
    count = max(1, -(-rows // most))
    return chunk or max(1, -(-rows // (count * UNIT)) * UNIT if count > 1 else rows)


def linear_losses(x: Any, weight: Any, target: Any, bias: Any, loss: Any, losses: Any, *, mean: bool | None = True,
    ignore: int = -100, smoothing: float = 0.0, z: float = 0.0, cap: float = 0.0, gradients: Any = None,
    chunk: int = 0, invariant: bool = False, target_chip: str | None = None) -> None:  # fmt: skip
    """Fills losses (rows, f32) and, but where `mean` is None, loss, their mean or sum. x: (rows, n), weight: (classes,
    n), bias: (classes,) or None, target: (rows,). gradients: arrays like x, weight and bias to fill, or None for each
    that is not wanted. chunk: rows at a time; 0: as `WORKSPACE` has room for."""
    (rows, _), classes, size = x.shape, weight.shape[0], x.dtype.itemsize
    options: dict[str, Any] = {} if target_chip is None else {"target": target_chip}
    dx, dw, db = gradients or (None, None, None)
    said: dict[str, Any] = {"ignore": ignore, "smoothing": smoothing, "z": z, "cap": cap}
    each, wide = chunk_of(rows, classes, size, chunk), -(-classes // LINE) * LINE
    logits = new(x, (min(each, max(rows, 1)), wide))
    lse, scale = new(losses, (each, 2)), new(losses, (1, 1))
    sums = new(losses, (1, classes)) if db is not None else None
    if gradients:
        add_losses(losses, target, new(losses, (1, 1)), scale, ignore=ignore, mean=bool(mean), counted=True, **options)
    for first in range(0, rows, each):
        part = slice(first, min(first + each, rows))
        here = logits[: part.stop - first, :classes]
        matrix_product(x[part], weight, here, bias, None, target_chip, invariant)
        make_losses(here, target[part], losses[part], lse, **said, scale=scale if gradients else None, **options)
        if dx is not None:
            matrix_product(here, weight.T, dx[part], None, None, target_chip, invariant)
        if dw is not None:
            add_product(here.T, x[part].T, dw, first == 0, target_chip)
        if sums is not None:
            blocks = -(-classes // THREADS)
            add = build_columns(of(here), accumulator(of(here)))
            add[blocks, THREADS](logits, sums, part.stop - first, classes, wide, first == 0, **options)
    if sums is not None and db is not None:
        db[...] = sums[0]
    if not rows:
        for g in (dx, dw, db):
            if g is not None:
                g[...] = 0
    if mean is not None:
        add_losses(losses, target, loss, scale, ignore=ignore, mean=mean, **options)


def add_product(a: Any, b: Any, out: Any, fresh: bool, target: str | None) -> None:
    """out += A @ B^T, or, `fresh`, is that."""
    cpu = tile.on_cpu(a)
    chip = tile.device_of(a, target)[0]
    if fresh:
        matrix_product(a, b, out, None, None, target)
    elif chip.startswith("sm_90") and named(a) != "float32" and out.shape[1] % LINE == 0 and whole(out):
        options: dict[str, Any] = {"target": chip, "backend": "cpu"} if cpu else {}
        bad = [misplaced(x) != "" for x in (a, b)]
        if any(bad):
            made = iter(align_rows(*(x for x, wrong in zip((a, b), bad, strict=True) if wrong), **options))
            a, b = (next(made) if wrong else x for x, wrong in zip((a, b), bad, strict=True))
        hopper_gemm.gemm(a, b, out, accumulate=True, **options)
    else:
        added_in_slabs(a, b, out, target)


def added_in_slabs(a: Any, b: Any, out: Any, target: str | None) -> None:
    """The same by products in f32 of some rows of A at a time."""
    rows, n = out.shape
    slab = max(1, (WORKSPACE // 4) // (4 * n))
    options = {} if target is None else {"target": target}
    made = new(out, (min(slab, rows), n), "float32")
    kernel = build_added(of(out), al.f32, False)
    for first in range(0, rows, slab):
        part = slice(first, min(first + slab, rows))
        some = made[: part.stop - first]
        matrix_product(a[part], b, some, None, None, target)
        here, count = out[part], (part.stop - first) * n
        blocks = max(1, min(-(-count // (THREADS * 16)), 8 * units(out)))
        kernel[blocks, THREADS](here, here, count, part=some, **options)
