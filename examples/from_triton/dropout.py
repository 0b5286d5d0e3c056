"""Dropout from a seed: the same numbers forward and backward, and no mask in memory (Philox 4x32-10)."""

from typing import Any

import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile


@avelang.jit
def dropout_kernel(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32, p: al.f32, seed: al.u64, B: al.constexpr):
    at = al.block_id(0) * B + tile.arange(B)
    keep = tile.rand(seed, at) > p
    tile.store(y, at, tile.where(keep, tile.load(x, at, at < n) / (1.0 - p), 0.0), at < n)


def dropout(x: npt.NDArray[np.float32], p: float, seed: int, **options: Any) -> npt.NDArray[np.float32]:
    y = np.empty_like(x)
    dropout_kernel[-(-x.size // 1024), 256](x, y, x.size, p, seed, 1024, **options)
    return y


if __name__ == "__main__":
    x = np.ones(10000, np.float32)
    y = dropout(x, 0.25, 7)
    same = np.array_equal(y, dropout(x, 0.25, 7)) and not np.array_equal(y, dropout(x, 0.25, 8))
    ok = same and abs((y == 0).mean() - 0.25) < 0.02 and np.allclose(y[y > 0], 1 / 0.75)
    print("dropout: agrees" if ok else "dropout: differs")
