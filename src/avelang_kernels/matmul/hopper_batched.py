"""Arrays of matrices of bf16 or f16 come in; the products of their pairs go out, by one launch of Hopper's GEMM.

Leading dimensions that lie at equal distances are one dimension of a tensor map; an operand that is the same matrix in
each product has none. The rule chooses the tile for the tiles of all products together. Matrices that TMA cannot read
are copied before, all in one launch."""

from __future__ import annotations

import functools
import math
from typing import Any

from avelang import tile as tiles
from avelang_kernels.arrays import copied, named, off_16, strided, strides_of
from avelang_kernels.matmul import hopper_gemm
from avelang_kernels.matmul.aligned_rows import align_rows
from avelang_kernels.matmul.hopper_rule import SMS, choose_tile, invariant_tile
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.matmul.hopper_types import dtype_of_out, product_of
from avelang_kernels.matmul.storage import alignment, crosswise, misplaced, stored_by
from avelang_kernels.workspaces import room_for

UNIT = 16  # bytes
HALF = ("bfloat16", "float16")


def stacked(x: Any, leading: tuple[int, ...]) -> tuple[Any, bool] | None:
    """(..., rows, columns), broadcast to leading dimensions, as (count, rows, columns) without a copy, and True; or as
    (1, rows, columns) and False, where all are the same matrix. None where matrices lie at no equal distances."""
    sizes, (*steps, row, col) = tuple(x.shape[:-2]), strides_of(x)
    missing = len(leading) - len(sizes)
    have = [(1, 0)] * missing + list(zip(sizes, steps, strict=True))
    found = [(want, step if n == want else 0) for want, (n, step) in zip(leading, have, strict=True) if want > 1]
    matrix = tuple(x.shape[-2:])
    if all(step == 0 for _, step in found):
        return strided(x, (1, *matrix), (0, row, col)), False
    count, apart = 1, found[-1][1]
    for n, step in reversed(found):
        if step != apart * count or step <= 0:
            return None
        count *= n
    return strided(x, (count, *matrix), (apart, row, col)), True


def wrong(x: Any, columns: bool = True) -> bool:
    """True where TMA cannot read matrices (count, rows, columns)."""
    return misplaced(x[0], columns) != "" or x.shape[0] > 1 and strides_of(x)[0] * x.dtype.itemsize % UNIT != 0


def as_one(x: Any) -> Any:
    """Matrices (count, rows, columns), by rows or columns at equal distances, as one; else None."""
    (count, rows, cols), (apart, row, col) = x.shape, strides_of(x)
    if row == 1 and col != 1 and rows > 1:
        return strided(x, (rows, count * cols), (1, col)) if count == 1 or apart == col * cols else None
    if rows == 1:
        row = apart
        if row == 1 and col != 1:  # a copy by columns would interleave them
            return None
    return strided(x, (count * rows, cols), (row, col)) if count == 1 or apart == row * rows else None


def from_one(made: Any, x: Any) -> Any:
    """The copy of what `as_one` gave, as matrices again."""
    (count, rows, cols), (row, col) = x.shape, strides_of(made)
    turned = row == 1 and col != 1 and rows > 1
    return strided(made, (count, rows, cols), (col * cols if turned else row * rows, row, col))


def tile_of(shape: tuple[int, int, int], size: int, sms: int, align: int, majors: tuple[bool, bool], count: int,
            invariant: bool) -> GemmTile:  # fmt: skip
    """The tile for so many products (m, n, k) in one launch. The rest: as of `hopper_rule.choose_tile`."""
    if invariant:
        return invariant_tile(*shape[1:], sms, size)
    return choose_tile(*shape, sms, size, align, majors, batch=count)


@functools.lru_cache(maxsize=1 << 12)
def launch_of(to: Any, product: Any, sms: int, shape: tuple[int, int, int], align: int,
              majors: tuple[bool, bool], count: int, own: tuple[bool, bool], ends: tuple[Any, Any],
              invariant: bool, loose: bool) -> hopper_gemm.Prepared:  # fmt: skip
    """The launch of so many products (m, n, k) without its arrays. `own`: which operand differs between them; `loose`:
    threads store the results."""
    tile = tile_of(shape, to.bytes, sms, align, majors, count, invariant)
    return hopper_gemm.prepared(product, to, tile, sms, None, shape, majors, (*ends, False), count, own, loose)


def batched_product(
    a: Any, b: Any, out: Any, leading: tuple[int, ...], bias: Any = None, activation: str | None = None,
    target: str | None = None, invariant: bool = False,
) -> bool:  # fmt: skip
    """out = activation(A @ B^T + bias) for each of the leading dimensions, in one launch: True; or False, and nothing
    is done: where the chip is no Hopper, the dtype f32, a product empty, or matrices lie at no equal distances.
    a: (..., m, k), b: (..., n, k), which broadcast; out: (*leading, m, n), of their dtype or f32."""
    count, (m, k), n = math.prod(leading), a.shape[-2:], b.shape[-2]
    if named(a) not in HALF or count < 2 or 0 in (m, n, k):
        return False
    chip, units = tiles.device_of(a, target)
    if chip != "sm_90a" or off_16(a, b, out):
        return False
    found: list[Any] = [stacked(x, leading) for x in (a, b, out)]
    if any(x is None for x in found):
        return False
    (x, own_a), (y, own_b), (result, own) = found
    if not own:
        return False
    cpu = tiles.on_cpu(a)
    options: dict[str, Any] = {"target": chip, "backend": "cpu"} if cpu else {}
    crooked = [wrong(z) for z in (x, y)]
    ones = [as_one(z) for z, bad in zip((x, y), crooked, strict=True) if bad]
    if any(z is None for z in ones):
        return False
    if ones:
        made = iter(align_rows(*ones, **options))
        x = from_one(next(made), x) if crooked[0] else x
        y = from_one(next(made), y) if crooked[1] else y
    product = product_of(a, b)
    to = dtype_of_out(product, out, None, product.outs[0])
    if bias is not None and strides_of(bias)[0] != 1:
        bias = copied(bias)
    said = None if bias is None else hopper_gemm.dtype_of_bias(bias, product)
    majors = crosswise(x[0]), crosswise(y[0])
    by = stored_by(result[0])
    if by == "tma" and wrong(result, False):  # a matrix that TMA stores, but not the next one
        by = "threads"
    way = launch_of(to, product, units or SMS, (m, n, k), alignment(x[0], y[0]), majors, count,
                    (own_a, own_b), (said, activation), invariant, by == "threads")  # fmt: skip
    wide = -(-n * to.bytes // UNIT) * UNIT // to.bytes
    space = result if by != "copy" else room_for(out, count * m, wide, None, "result").reshape(count, m, wide)
    hopper_gemm.again(way, x, y, space, bias, {**options, "batches": count})
    if by == "copy":
        result[...] = space[:, :, :n]
    return True
