"""Product of matrices with an epilogue: leaky ReLU of A @ B + bias. The block names a pipeline; the chip decides the
instructions."""

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile

F32 = npt.NDArray[np.float32]
BLOCK = tile.Block(64, 64, 64, (2, 2), "double-buffer")


@avelang.jit
def matmul_kernel(
    a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], bias: al.Pointer[al.f32], c: al.Pointer[al.f32],
    m: al.u32, n: al.u32, k: al.u32, T: al.constexpr
):
    A, B, C = tile.view(a, (m, k)), tile.view(b, (n, k), strides=(1, n)), tile.view(c, (m, n))

    def finish(acc: tile.Tile, at: Any):
        col = at[1] + tile.arange(T.n)
        acc = acc + tile.load(bias, col, col < n)
        C.store(tile.where(acc > 0.0, acc, 0.01 * acc), at)

    tile.multiply(T, A, B, (m, n, k), finish)


def matmul(a: npt.NDArray[Any], b: npt.NDArray[Any], bias: F32, **options: Any) -> F32:
    (m, k), n = a.shape, b.shape[1]
    (chip, units), c = tile.device_of(a, options.get("target")), np.empty((m, n), np.float32)
    matmul_kernel[BLOCK.grid(m, n, units), BLOCK.on(chip, al.bf16).threads](a, b, bias, c, m, n, k, BLOCK, **options)
    return c


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((70, 90), (90, 100)))
    bias = rng.standard_normal(100).astype(np.float32)
    want = a.astype(np.float64) @ b.astype(np.float64) + bias
    ok = np.allclose(matmul(a, b, bias), np.where(want > 0, want, 0.01 * want), rtol=1e-3, atol=1e-3)
    print("matmul: agrees" if ok else "matmul: differs")
