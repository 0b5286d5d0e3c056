"""C = A @ B.T six times, each time a step closer to the hardware: from one thread per element to matrix instructions with guarded edges.

A is m x k and B is n x k, both row by row, so that a dot product reads two rows. Run with `python examples/gemm_ladder.py`.
"""

from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al

M, N, K = 64, 96, 128
TILE = 16


# 1. One thread computes one element and reads two whole rows for it.
@avelang.jit
def naive(a: al.Tensor[(M, K), al.f32], b: al.Tensor[(N, K), al.f32], c: al.Tensor[(M, N), al.f32]):
    row = al.block_id(1) * TILE + al.thread_id(1)
    col = al.block_id(0) * TILE + al.thread_id(0)
    total = al.convert(0, al.f32)
    for k in al.range(K):
        total = al.fma(a[row, k], b[col, k], total)
    c[row, col] = total


# 2. The block first brings a tile of A and a tile of B into shared memory; every element of them is then used sixteen times.
@avelang.jit
def shared_memory(a: al.Tensor[(M, K), al.f32], b: al.Tensor[(N, K), al.f32], c: al.Tensor[(M, N), al.f32]):
    a_tile = al.make_shared((TILE, TILE), al.f32)
    b_tile = al.make_shared((TILE, TILE), al.f32)
    x, y = al.thread_id(0), al.thread_id(1)
    row, col = al.block_id(1) * TILE, al.block_id(0) * TILE
    total = al.convert(0, al.f32)
    for step in al.range(K // TILE):
        a_tile[y, x] = a[row + y, step * TILE + x]
        b_tile[y, x] = b[col + y, step * TILE + x]
        al.syncthreads()  # all of the tile has arrived
        for k in al.range(TILE):
            total = al.fma(a_tile[y, k], b_tile[x, k], total)
        al.syncthreads()  # all have used it; the next round may overwrite it
    c[row + y, col + x] = total


# 3. Memory is widest when sixteen bytes move at once. Seen as (rows, K / 4, 4), two coordinates address a vector of four numbers.
@avelang.jit
def vectorized(a: al.Tensor[(M, K), al.f32], b: al.Tensor[(N, K), al.f32], c: al.Tensor[(M, N), al.f32]):
    a_quads = al.view(a, al.Tensor((M, K // 4, 4), al.f32))
    b_quads = al.view(b, al.Tensor((N, K // 4, 4), al.f32))
    row = al.block_id(1) * TILE + al.thread_id(1)
    col = al.block_id(0) * TILE + al.thread_id(0)
    sums = al.full((4,), 0.0, al.f32)
    for k in al.range(K // 4):
        sums = al.fma(a_quads[row, k], b_quads[col, k], sums)
    c[row, col] = sums[0] + sums[1] + sums[2] + sums[3]


# 4. A matrix instruction: the 64 lanes of a wave multiply 16 x 16 by 16 x 16 together. Lane l brings row l % 16 of A, and of it
#    the four numbers from column 4 (l / 16) on; likewise for B. It gets four elements of column l % 16 of the product.
@avelang.jit
def matrix_instruction(a: al.Tensor[(M, K), al.bf16], b: al.Tensor[(N, K), al.bf16], c: al.Tensor[(M, N), al.f32]):
    a_quads = al.view(a, al.Tensor((M, K // 4, 4), al.bf16))
    b_quads = al.view(b, al.Tensor((N, K // 4, 4), al.bf16))
    lane = al.thread_id(0)
    row, col = al.block_id(1) * 16, al.block_id(0) * 16
    acc = al.full((4,), 0.0, al.f32)
    for step in al.range(K // 16):
        quad = step * 4 + lane // 16
        acc = al.amdgpu.mfma_16x16x16_bf16_f32(a_quads[row + lane % 16, quad], b_quads[col + lane % 16, quad], acc)
    for r in range(4):
        c[row + 4 * (lane // 16) + r, col + lane % 16] = acc[r]


# 5. Sizes that are known only at run time: pointers and layouts take the place of tensors. One wave computes 32 x 32 with the larger
#    instruction, whose lanes hold sixteen results. m and n are multiples of 32, k of 8.
@avelang.jit
def runtime_shape(a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], c: al.Pointer[al.f32], m: al.u32, n: al.u32, k: al.u32):
    a_quads = al.make_tensor(a, al.bf16, al.make_layout((m, k >> 2, 4), (k, 4, 1)))
    b_quads = al.make_tensor(b, al.bf16, al.make_layout((n, k >> 2, 4), (k, 4, 1)))
    out = al.make_tensor(c, al.f32, al.make_layout((m, n), (n, 1)))
    lane = al.thread_id(0)
    row, col = al.block_id(1) * 32, al.block_id(0) * 32
    acc = al.full((16,), 0.0, al.f32)
    for step in al.range(k >> 3):
        quad = step * 2 + lane // 32
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(a_quads[row + lane % 32, quad], b_quads[col + lane % 32, quad], acc)
    for r in al.range(16):
        out[row + 8 * (r // 4) + 4 * (lane // 32) + r % 4, col + lane % 32] = acc[r]


# 6. Any m and n: raw-buffer loads and stores check each address against a range that travels with the pointer. What lies outside reads
#    as zero and is not stored, so the edges need no code of their own. k is a multiple of 8.
@avelang.jit
def guarded(a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], c: al.Pointer[al.f32], m: al.u32, n: al.u32, k: al.u32):
    a_all = al.make_tensor(a, al.bf16, al.make_layout((m * k,), (1,)))
    b_all = al.make_tensor(b, al.bf16, al.make_layout((n * k,), (1,)))
    c_all = al.make_tensor(c, al.f32, al.make_layout((m * n,), (1,)))
    a_buffer = al.amdgpu.make_rsrc(a_all, m * k * 2)
    b_buffer = al.amdgpu.make_rsrc(b_all, n * k * 2)
    c_buffer = al.amdgpu.make_rsrc(c_all, m * n * 4)
    zero = al.convert(0, al.i32)
    lane = al.thread_id(0)
    row = al.block_id(1) * 32 + lane % 32
    col = al.block_id(0) * 32 + lane % 32
    acc = al.full((16,), 0.0, al.f32)
    for step in al.range(k >> 3):
        at = step * 8 + 4 * (lane // 32)
        # Two words are the four bf16 numbers that the instruction wants; it takes them as they are.
        a_words = al.amdgpu.raw_buffer_load_x2(a_buffer, al.convert((row * k + at) * 2, al.i32), zero, 0)
        b_words = al.amdgpu.raw_buffer_load_x2(b_buffer, al.convert((col * k + at) * 2, al.i32), zero, 0)
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(a_words, b_words, acc)
    for r in al.range(16):
        i = al.block_id(1) * 32 + 8 * (r // 4) + 4 * (lane // 32) + r % 4
        # A column past the end would be the next row's first: it gets an offset that no range reaches.
        offset = (i * n + col) * 4 if col < n else 0x7FFFFFFC
        al.amdgpu.raw_buffer_store_x1(al.bitcast(acc[r], al.i32), c_buffer, al.convert(offset, al.i32), zero, 0)


def matrices(m: int, n: int, k: int, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A, B, an empty C and the product by NumPy."""
    rng = np.random.default_rng(m + n + k)
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((n, k)).astype(dtype)
    return a, b, np.zeros((m, n), np.float32), a.astype(np.float32) @ b.astype(np.float32).T


def check(name: str, c: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(c, expected, rtol=1e-3, atol=1e-3)
    print(f"{name:20} {c.shape[0]} x {c.shape[1]}: agrees with NumPy")


def main() -> None:
    for kernel in (naive, shared_memory, vectorized):
        a, b, c, expected = matrices(M, N, K, np.float32)
        kernel[lambda: ((N // TILE, M // TILE, 1), (TILE, TILE, 1))](a, b, c)
        check(kernel.__name__, c, expected)

    a, b, c, expected = matrices(M, N, K, ml_dtypes.bfloat16)
    matrix_instruction[lambda: ((N // 16, M // 16, 1), (64, 1, 1))](a, b, c)
    check("matrix_instruction", c, expected)

    for kernel, (m, n, k) in ((runtime_shape, (96, 64, 72)), (guarded, (117, 121, 128))):
        a, b, c, expected = matrices(m, n, k, ml_dtypes.bfloat16)
        kernel[lambda m=m, n=n: (((n + 31) // 32, (m + 31) // 32, 1), (64, 1, 1))](a, b, c, m, n, k)
        check(kernel.__name__, c, expected)


if __name__ == "__main__":
    main()
