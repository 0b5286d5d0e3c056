"""Histogram: counts of the numbers 0 to BINS - 1, by atomics in shared memory of each block, then in global memory."""

from typing import Any

import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile


@avelang.jit
def histogram_kernel(x: al.Pointer[al.i32], counts: al.Pointer[al.i32], n: al.u32, BINS: al.constexpr, B: al.constexpr):
    at, bins = al.block_id(0) * B + tile.arange(B), tile.arange(BINS)
    mine = al.make_shared((BINS,), al.i32)
    tile.store(mine, bins, 0)
    al.syncthreads()
    tile.atomic_add(mine, tile.load(x, at, at < n), 1, at < n, scope="block")
    al.syncthreads()
    tile.atomic_add(counts, bins, tile.load(mine, bins))


def histogram(x: npt.NDArray[np.int32], bins: int, **options: Any) -> npt.NDArray[np.int32]:
    counts = np.zeros(bins, np.int32)
    histogram_kernel[-(-x.size // 1024), 256](x, counts, x.size, bins, 1024, **options)
    return counts


if __name__ == "__main__":
    x = np.random.default_rng(0).integers(0, 100, 5000).astype(np.int32)
    print("histogram: agrees" if np.array_equal(histogram(x, 100), np.bincount(x)) else "histogram: differs")
