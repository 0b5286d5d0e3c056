"""Two bf16 matrices of any height come in; C = A @ B^T in f32 goes out: MFMA in blocks of 32 x 32, edges guarded by the
hardware.

One wave of 64 lanes owns one block of C. Rows past the end of A and B read as zeros and rows and columns past the end
of C are dropped, both by the byte range of the buffer resources, so that the kernel has no edge code but the length of
those ranges."""

from __future__ import annotations

from typing import Any

import avelang
import avelang.language as al
from avelang import argument_error, takes
from avelang_kernels.arrays import Matrix

ROWS, COLS, DEPTH = 32, 32, 16  # one block of C, and how much of K is staged at a time
BF16, F32 = 2, 4  # bytes


@avelang.jit
def clip(length: al.u32, limit: al.u32) -> al.u32:
    """The smaller of the two."""
    return limit if length > limit else length


@avelang.jit
def promises(m: Any, n: Any, k: Any):
    """The promises that a launch keeps."""
    wide, high = (n + COLS - 1) // COLS, (m + ROWS - 1) // ROWS
    al.expect_threads(64, exact=True)
    al.expect(k % DEPTH == 0, "k to be a multiple of 16", k)
    al.expect(al.grid_dim(0) == wide, "a block along x for each 32 columns of C, no more and no less", wide)
    al.expect(al.grid_dim(1) == high, "a block along y for each 32 rows of C, no more and no less", high)


@avelang.jit
def mfma_gemm(
    a_ptr: al.Pointer[al.bf16], b_ptr: al.Pointer[al.bf16], c_ptr: al.Pointer[al.f32], m: al.u32,
    n: al.u32, k: al.u32,
):  # fmt: skip
    """C = A @ B^T, f32 (m, n), of bf16 (m, k) and (n, k): a wave for each 32 x 32 of C."""
    promises(m, n, k)
    lane = al.thread_id(0)
    row_in_block = lane & 31  # the row of A or B that this lane stages
    half = lane >> 5  # which eight of the sixteen elements of K

    top = al.block_id(1) * ROWS
    left = al.block_id(0) * COLS
    rows = clip(m - top, ROWS)
    cols = clip(n - left, COLS)

    a = al.make_tensor(a_ptr, al.bf16, al.make_layout((m * k,), (1,)))
    b = al.make_tensor(b_ptr, al.bf16, al.make_layout((n * k,), (1,)))
    c = al.make_tensor(c_ptr, al.f32, al.make_layout((m * n,), (1,)))
    a_buffer = al.amdgpu.make_rsrc(al.subview(a, (top * k,), (rows * k,), (1,)), rows * k * BF16)
    b_buffer = al.amdgpu.make_rsrc(al.subview(b, (left * k,), (cols * k,), (1,)), cols * k * BF16)

    # Each lane stages 16 bytes of either matrix and reads the same 16 bytes back: the order in shared memory is the
    # order of the lanes.
    a_stage = al.make_shared((64, 4), al.i32)
    b_stage = al.make_shared((64, 4), al.i32)
    acc = al.full((16,), 0.0, al.f32)
    zero = al.convert(0, al.i32)

    for step in al.range(k // DEPTH):
        offset = al.convert((row_in_block * k + step * DEPTH + half * 8) * BF16, al.i32)
        a_stage[lane] = al.amdgpu.raw_buffer_load_x4(a_buffer, zero, offset, 0)
        b_stage[lane] = al.amdgpu.raw_buffer_load_x4(b_buffer, zero, offset, 0)
        al.syncthreads()
        a_words = a_stage[lane]
        b_words = b_stage[lane]
        a_part = al.view(a_words, al.Tensor((2, 4), al.bf16))
        b_part = al.view(b_words, al.Tensor((2, 4), al.bf16))
        # B comes first: the fragment of C then runs along a row of C in each lane's four consecutive elements.
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b_part[0], a_part[0], acc)
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b_part[1], a_part[1], acc)
        al.syncthreads()

    tile = al.make_shared((ROWS, COLS), al.f32)
    for i in al.range(16):
        tile[row_in_block, (i // 4) * 8 + half * 4 + i % 4] = acc[i]
    al.syncthreads()

    # Eight lanes write a row, four elements each; a row past the end of C gets a resource of length zero.
    words = al.view(tile, al.Tensor((ROWS, COLS // 4, 4), al.i32))
    for row in al.range(ROWS):
        length = al.convert(0, al.u32)
        if row < rows:
            length = cols * F32
        c_row = al.subview(c, ((top + row) * n + left,), (cols,), (1,))
        c_buffer = al.amdgpu.make_rsrc(c_row, length)
        if lane < COLS // 4:
            al.amdgpu.raw_buffer_store_x4(words[row, lane], c_buffer, zero, al.convert(lane * 4 * F32, al.i32), 0)


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, **options: Any) -> Any:
    """C = A @ B^T, accumulated in f32.

    a: bf16 (m, k), b: bf16 (n, k), both contiguous: NumPy (ml_dtypes.bfloat16) or anything else that Ave takes; k a
    multiple of 16. out: f32 (m, n); a NumPy array is made when it is None. `options` are those of a launch, such as
    `backend="reference"`. Returns `out`. Raises ValueError for shapes that do not fit."""
    m, k = a.shape
    n = b.shape[0]
    if b.shape[1] != k or k % DEPTH:
        raise argument_error(
            f"a is {a.shape} and b is {b.shape}: both need the same number of columns, a multiple of {DEPTH}"
        )
    if out is None:
        import numpy as np  # takes longer to import than the kernel to compile

        out = np.empty((m, n), np.float32)
    grid = (-(-n // COLS), -(-m // ROWS), 1)
    mfma_gemm[grid, (64, 1, 1)](a, b, out, m, n, k, **options)
    return out
