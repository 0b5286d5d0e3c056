"""The k greatest elements of each row, and where they are."""

from typing import Any

import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile

LEAST = float("-inf")


@avelang.jit
def topk_kernel(
    x: al.Pointer[al.f32], values: al.Pointer[al.f32], places: al.Pointer[al.i32], n: al.u32, K: al.constexpr,
    B: al.constexpr
):
    row, at, first = al.block_id(0), tile.arange(B), tile.arange(K)
    best, where = tile.topk(tile.load(x, row * n + at, at < n, LEAST), K)
    tile.store(values, row * K + first, best)
    tile.store(places, row * K + first, where)


def topk(x: npt.NDArray[np.float32], k: int, **options: Any) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    (rows, n) = x.shape
    values, places = np.empty((rows, k), np.float32), np.empty((rows, k), np.int32)
    topk_kernel[rows, 64](x, values, places, n, k, 1 << (n - 1).bit_length(), **options)
    return values, places


if __name__ == "__main__":
    x = np.random.default_rng(0).standard_normal((9, 100)).astype(np.float32)
    values, places = topk(x, 5)
    ok = np.array_equal(places, np.argsort(-x, 1, kind="stable")[:, :5])
    ok = ok and np.array_equal(values, np.take_along_axis(x, places, 1))
    print("topk: agrees" if ok else "topk: differs")
