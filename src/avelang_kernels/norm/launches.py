"""Host side of norms and of softmax: arrays come in and outputs are filled, on the arrays' chip."""

from __future__ import annotations

import functools
from typing import Any

import avelang.language as al
from avelang import tile
from avelang_kernels.arrays import address, multiprocessors, named, new
from avelang_kernels.norm import hopper_norm_backward, norm_backward, norms, softmax
from avelang_kernels.norm.lines import RowsOf, dense, dense_rows, rows_of
from avelang_kernels.norm.row_plans import BARRIERS, DTYPES, RowPlan, plan_rows

CPU_UNITS = 8  # blocks of a launch on the CPU: partial sums do not depend on how many cores there are
FIXED_UNITS = 128  # blocks, where they must not depend on the GPU
BUSY = 2048  # threads of a multiprocessor whose blocks read rows once
BACKWARD = 512  # threads of a multiprocessor, and of a row, where registers hold rows and sums
SHORT = 10  # elements of a thread's rows and sums with which it has 64 registers or fewer
FEW, FEW_THREADS = 8, 32  # registers of a thread for a row; threads that need no barrier
NAMES = ("0", "1", "2", "3")


def accumulator(dtype: Any) -> Any:
    """The dtype in which rows are computed."""
    return al.f64 if dtype == al.f64 else al.f32


def units(x: Any, fixed: bool = False) -> int:
    """Multiprocessors of an array's GPU; a fixed number on the CPU, or where asked for."""
    return FIXED_UNITS if fixed else multiprocessors(x, CPU_UNITS)


def places(R: RowsOf, *letters: str) -> dict[str, Any]:
    """The keyword arguments that say how arrays lie: strides by a letter for each array, extents as e1 and e2."""
    said: dict[str, Any] = {}
    for letter, strides in zip(letters, R.strides, strict=True):
        if strides is not None:
            said |= {letter + digit: step for digit, step in zip(NAMES, strides, strict=True)}
    if R.lead is not None:
        said |= {"e1": R.lead[0], "e2": R.lead[1]}
    return said


def of(x: Any) -> Any:
    """The language's dtype of an array, or None."""
    return None if x is None else DTYPES[named(x)]


def dtype_of(dtype: Any) -> Any:
    """The language's dtype of a dtype of torch, or None."""
    return None if dtype is None else DTYPES[str(dtype).rpartition(".")[2]]


def forward(x: Any, weight: Any, bias: Any, residual: Any, y: Any, total: Any, mean: Any, rstd: Any, *, eps: float,
    offset: int = 0, **options: Any) -> None:  # fmt: skip
    """Fills y (like x), rstd and, of layer norm, mean (numbers of rows, f32, or f64 of f64), and of a residual `total`,
    x + residual. weight, bias, residual, total, mean: None where there is none."""
    given = (x,) if residual is None else (x, residual)
    kinds = tuple(None if a is None else a.dtype for a in (weight, bias))
    if dense(*given):
        known = _dense_forward(x.shape, x.dtype, kinds, residual is not None, mean is not None, offset, units(x))
        data, more = x, {} if residual is None else {"r": residual}
    else:
        R = rows_of(*given)
        known = _forward(R, of(x), x.dtype.itemsize, (of(weight), of(bias)), mean is not None, offset, units(x))
        data, more = R.data[0], places(R, *("x", "r")[: len(given)])
        if residual is not None:
            more["r"] = R.data[1]
    if known is None:
        return
    launch, numbers = known
    for name, array in (("w", weight), ("b", bias), ("mean_of", mean), ("s", total)):
        if array is not None:
            more[name] = array
    launch(data, y, rstd, *numbers, eps, **more, **options)


def _forward(R: RowsOf, dtype: Any, size: int, kinds: tuple[Any, ...], center: bool, offset: int, units: int) -> Any:
    """The launch of a forward for rows of elements of `size` bytes, and its numbers behind the arrays; None where there
    is nothing to do. `kinds`: dtypes of weight and bias."""
    if R.rows == 0:
        return None
    P, several = plan_rows(R.n, R.vec, size), len(R.strides) > 1
    kernel = norms.build_forward(
        P, offset, dtype, *kinds, residual=several, center=center, acc=accumulator(dtype),
        strided=(R.strides[0] is not None, several and R.strides[1] is not None), lead=R.lead is not None,
    )  # fmt: skip
    return kernel[P.grid(R.rows, units * max(1, BUSY // P.block)), P.block], (R.rows, R.n // R.vec)


@functools.lru_cache(1024)
def _dense_forward(
    shape: Any, dtype: Any, kinds: tuple[Any, ...], residual: bool, center: bool, offset: int, units: int
) -> Any:
    """`_forward` for tensors that are `dense`, by dtypes of torch."""
    R, kinds = dense_rows(shape, *(dtype.itemsize,) * (1 + residual)), tuple(map(dtype_of, kinds))
    return _forward(R, dtype_of(dtype), dtype.itemsize, kinds, center, offset, units)


def sums_at_once(n: int, units: int, *sums: Any) -> int:
    """Neighbors that a thread adds up of partial sums of rows of n, into `sums`: as few as make a block for each
    multiprocessor, in one round; 4 at the most."""
    wide = 1
    while wide < 4 and n % (2 * wide) == 0 and n * len(sums) > units * norm_backward.COLUMNS * wide:
        wide *= 2
    return wide if all(address(s) % (wide * s.dtype.itemsize) == 0 for s in sums) else 1


def backward_plan(R: RowsOf, size: int, center: bool) -> RowPlan:
    """The plan of a backward: little for each thread, so that there are many of them, whose loads are under way while
    others compute; more where rows are longer."""
    # Layer norm has sums for two vectors.
    plans = ((FEW, BACKWARD),) if center else ((FEW, 2 * BACKWARD),)
    for registers, block in (*plans, (2 * FEW, BACKWARD)):
        P = plan_rows(R.n, R.vec, size, BACKWARD, registers, block)
        if P.held:
            return P._replace(rows=min(P.rows, BARRIERS)) if P.threads > FEW_THREADS else P
    return plan_rows(R.n, R.vec, size, BACKWARD, 2 * FEW, BACKWARD)


def blocks_at_a_time(P: RowPlan, center: bool) -> int:
    """Blocks of a multiprocessor in a backward: as many as have `BACKWARD` threads, and twice as many where registers
    hold them, which is where a thread has few accesses, or where rows are held in memory. On an H200, 2026-11-28: 207
    us to 130 at 8191 x 4097, of layer norm 96 to 69 at 16383 x 1025, 226 to 138 at 65535 x 515; 371 to 323 at 512 x
    131072."""
    twice = P.loads * P.vec * (1 + center) <= SHORT if P.held else P.vec > 1
    return max(1, BACKWARD // P.block) * (2 if twice and P.block <= BACKWARD else 1)


def ahead_plan(R: RowsOf, x: Any, center: bool, target: str | None) -> hopper_norm_backward.AheadPlan | None:
    """The plan of a backward whose rows come by bulk copies; None where they cannot, or for other chips."""
    if R.lead is not None or not tile.device_of(x, target)[0].startswith("sm_90"):
        return None
    return hopper_norm_backward.plan_ahead(R.n, R.vec, x.dtype.itemsize, center)


def backward(x: Any, dy: Any, more: Any, weight: Any, mean: Any, rstd: Any, dx: Any, dw: Any, db: Any, *,
    offset: int = 0, fixed: bool = False, **options: Any) -> None:  # fmt: skip
    """Fills dx (like x), dw and db (like the weight; None where there is none) by gradients dy of what `forward` made
    of x. more: a gradient that is added to dx, or None. `fixed`: blocks do not depend on the GPU."""
    given = (x, dy) if more is None else (x, dy, more)
    R, dtype = rows_of(*given), of(x)
    acc, vectors = accumulator(dtype), R.n // R.vec
    A = ahead_plan(R, x, mean is not None, options.get("target"))
    P = A.rows if A is not None else backward_plan(R, x.dtype.itemsize, mean is not None)
    grid = P.grid(R.rows, units(x, fixed) * (1 if A is not None else blocks_at_a_time(P, mean is not None)))
    sums = [s for s in (dw, db) if s is not None]
    if R.rows == 0:
        for s in sums:
            s[...] = 0
        return
    strided = tuple(s is not None for s in R.strides) + (False,) * (3 - len(given))
    what: dict[str, Any] = {"weighted": dw is not None, "bias": db is not None, "center": mean is not None,
                            "more": more is not None, "acc": acc, "strided": strided}  # fmt: skip
    if A is not None:
        kernel = hopper_norm_backward.build_backward(*A, offset, dtype, of(weight), **what)
    else:
        kernel = norm_backward.build_backward(P, offset, dtype, of(weight), **what, lead=R.lead is not None)
    said = places(R, *("x", "d", "m")[: len(given)])
    partials = None
    if sums:
        said["partials"] = partials = new(rstd, (len(sums), grid * R.n))
    for name, array in (("w", weight), ("mean_of", mean)):
        if array is not None:
            said[name] = array
    if more is not None:
        said["m"] = R.data[2]
    kernel[grid, P.block](R.data[0], R.data[1], dx, rstd, R.rows, vectors, **said, **options)
    if sums:
        wide = sums_at_once(R.n, units(x, fixed), *sums)
        blocks = -(-R.n // (norm_backward.COLUMNS * wide)), len(sums)
        add = norm_backward.build_sums(acc, of(sums[0]), of(sums[1]) if len(sums) > 1 else None, wide)
        at = add[blocks, norm_backward.COLUMNS * norm_backward.TEAMS]
        at(partials, sums[0], grid, R.n // wide, **({"b": sums[1]} if len(sums) > 1 else {}), **options)


def make_softmax(x: Any, y: Any, *, log: bool = False, **options: Any) -> None:
    """Fills y, of the shape of x and of any dtype, with the softmax of the rows of x, or its logarithm."""
    if 0 in x.shape:
        return
    if dense(x):
        known = _dense_softmax(x.shape, x.dtype, y.dtype, log, units(x))
        if known is not None:
            known[0](x, y, *known[1], **options)
        return
    R = rows_of(x)
    known = _softmax(R, x.dtype.itemsize, of(x), of(y), log, units(x))
    if known is not None:
        known[0](R.data[0], y, *known[1], **places(R, "x"), **options)


def _softmax(R: RowsOf, size: int, dtype: Any, to: Any, log: bool, units: int) -> tuple[Any, tuple[int, ...]] | None:
    """The launch for rows of elements of `size` bytes, and its numbers; None where there is nothing to do."""
    if R.rows == 0:
        return None
    P = plan_rows(R.n, R.vec, size)
    acc = accumulator(al.f64 if al.f64 in (dtype, to) else dtype)
    kernel = softmax.build_softmax(P, dtype, to, acc, log, R.strides[0] is not None, R.lead is not None)
    return kernel[P.grid(R.rows, units * max(1, BUSY // P.block)), P.block], (R.rows, R.n // R.vec)


@functools.lru_cache(1024)
def _dense_softmax(shape: Any, dtype: Any, to: Any, log: bool, units: int) -> tuple[Any, tuple[int, ...]] | None:
    """`_softmax` for a tensor that is `dense`, by dtypes of torch."""
    return _softmax(dense_rows(shape, dtype.itemsize), dtype.itemsize, dtype_of(dtype), dtype_of(to), log, units)


def softmax_gradient(y: Any, dy: Any, dx: Any, *, log: bool = False, **options: Any) -> None:
    """Fills dx by gradients dy of y, which `make_softmax` made; dy is of the dtype of y, dx of any."""
    if 0 in y.shape:
        return
    R, dtype = rows_of(y, dy), of(y)
    P = plan_rows(R.n, R.vec, y.dtype.itemsize)
    strided = R.strides[0] is not None, R.strides[1] is not None
    kernel = softmax.build_gradient(P, dtype, of(dx), accumulator(dtype), log, strided, R.lead is not None)
    grid = P.grid(R.rows, units(y) * max(1, BUSY // P.block))
    kernel[grid, P.block](*R.data, dx, R.rows, R.n // R.vec, **places(R, "x", "d"), **options)
