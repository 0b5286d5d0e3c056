"""A matrix of f32 comes in; it goes out as bf16 numbers that make a product of f32 one of bf16, of three times its K.

Each element is hi + lo and what is left: hi the nearest number of bf16, lo the nearest to the rest. With a = hi + lo
for rows of A, b likewise, A becomes [hi, hi, lo] along K and B becomes [hi, lo, hi], so that one product of bf16 adds
up hi hi + hi lo + lo hi, in f32. What is missing is lo lo and what is left of each: 2^-16 |a| |b| each at the most,
since a number of bf16 is within 2^-8 of what it is rounded from. Source of the scheme: G. Henry, P. Tang, A. Heinecke,
"Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations" (2019), section 2.

Numbers past the greatest of bf16 get that for hi and the rest for lo; infinity is in lo, and NaN too. Numbers below
2^-110 lose bits of lo, which would be below the least number of bf16."""

# No `from __future__ import annotations`: the annotations of the kernel name values.

from typing import Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import copied, new
from avelang_kernels.matmul.lines import line_up

MOST = float.fromhex("0x1.fep127")  # of bf16
EACH = 4  # elements of a thread
THREADS = 256
GRID = 65535  # blocks along the second dimension of a grid, at the most


@avelang.jit
def split_rows(
    x: al.Pointer[al.f32], out: al.Pointer[al.bf16], rows: al.i64, k: al.i64, padded: al.i64,
    ld: al.i64, SECOND: al.constexpr, TURNED: al.constexpr, WHOLE: al.constexpr,
):  # fmt: skip
    """Splits four elements of a row with each thread; SECOND: as B. Threads follow memory: along a row, or, where x is
    TURNED, along a column. WHOLE: four elements of x are loaded at once."""
    X = al.make_tensor(x, al.f32, al.make_layout((rows, k), (1, ld) if TURNED else (ld, 1)))
    OUT = al.make_tensor(out, al.bf16, al.make_layout((rows, 3, padded)))
    thread = al.convert(al.block_id(0), al.i64) * al.block_dim(0) + al.thread_id(0)
    line, lines, count = al.convert(al.block_id(1), al.i64), rows, padded // EACH
    if TURNED:
        lines, count = padded // EACH, rows
    if thread < count:
        for other in al.range(line, lines, al.convert(al.grid_dim(1), al.i64)):
            row, col = (thread, other * EACH) if TURNED else (other, thread * EACH)
            values = al.full((EACH,), 0.0, al.f32)
            if WHOLE:
                values = al.subview(X, (row, col), (1, EACH), (1, 1))[0]
            else:
                for e in range(EACH):
                    if col + e < k:
                        values[e] = X[row, col + e]
            hi = al.convert(min(max(values, -MOST), MOST), al.bf16)
            lo = al.convert(values - al.convert(hi, al.f32), al.bf16)
            for part in range(3):
                to = al.subview(OUT, (row, part, col), (1, 1, EACH), (1, 1, 1))
                to[0, 0] = lo if part == (1 if SECOND else 2) else hi


def split_f32(a: Any, b: Any, **options: Any) -> tuple[Any, Any]:
    """A and B, of f32, as bf16 of three times as many columns, of which each third has columns of zeros up to a
    multiple of 8: their product is that of a and b."""
    return tuple(split_one(x, i == 1, **options) for i, x in enumerate((a, b)))


def split_one(x: Any, second: bool, **options: Any) -> Any:
    """The same of one of the two."""
    (rows, k), padded = x.shape, -(-x.shape[1] // 8) * 8
    lines = line_up(x)
    if lines is None:
        lines = line_up(copied(x))
    assert lines is not None
    out = new(x, (rows, 3 * padded), "bfloat16")
    count, others = (rows, padded // EACH) if lines.turned else (padded // EACH, rows)
    threads = min(THREADS, -(-count // 32) * 32)
    whole = not lines.turned and k == padded and lines.each(k, 4) == EACH
    split_rows[(-(-count // threads), min(others, GRID)), threads](
        lines.data, out, rows, k, padded, lines.ld, second, lines.turned, whole, **options
    )
    return out
