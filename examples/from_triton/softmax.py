"""Softmax of each row: a block has a row, in a tile of the next power of two."""

from typing import Any

import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile

LEAST = float("-inf")


@avelang.jit
def softmax_kernel(x: al.Pointer[al.f32], y: al.Pointer[al.f32], cols: al.u32, B: al.constexpr):
    at = tile.arange(B)
    where, inside = al.block_id(0) * cols + at, at < cols
    row = tile.load(x, where, inside, LEAST)
    powers = tile.exp(row - tile.max(row))
    tile.store(y, where, powers / tile.sum(powers), inside)


def softmax(x: npt.NDArray[np.float32], **options: Any) -> npt.NDArray[np.float32]:
    (rows, cols), y = x.shape, np.empty_like(x)
    softmax_kernel[rows, 256](x, y, cols, 1 << (cols - 1).bit_length(), **options)
    return y


if __name__ == "__main__":
    x = np.random.default_rng(0).standard_normal((37, 781)).astype(np.float32)
    want = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    ok = np.allclose(softmax(x), want / want.sum(1, keepdims=True), rtol=1e-5)
    print("softmax: agrees" if ok else "softmax: differs")
