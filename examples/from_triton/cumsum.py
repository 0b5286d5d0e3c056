"""Cumulative sums of each row, of any length: a block goes along its row, B elements at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile


@avelang.jit
def cumsum_kernel(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32, B: al.constexpr):
    at, sofar = tile.arange(B), 0.0
    for first in al.range(0, n, B):
        inside, where = first + at < n, al.block_id(0) * n + first + at
        part = tile.load(x, where, inside)
        tile.store(y, where, tile.cumsum(part) + sofar, inside)
        sofar += tile.sum(part)


def cumsum(x: npt.NDArray[np.float32], **options: Any) -> npt.NDArray[np.float32]:
    (rows, n), y = x.shape, np.empty_like(x)
    cumsum_kernel[rows, 256](x, y, n, 512, **options)
    return y


if __name__ == "__main__":
    x = np.random.default_rng(0).standard_normal((9, 1300)).astype(np.float32)
    ok = np.allclose(cumsum(x), x.astype(np.float64).cumsum(1), atol=1e-3)
    print("cumsum: agrees" if ok else "cumsum: differs")
