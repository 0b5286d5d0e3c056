"""The kernels behind the golden files: each has something of its own. Their lines are in the files, so append only."""

import avelang
import avelang.language as al


@avelang.jit
def axpy(a: al.f32, X: al.Pointer(al.f32), Y: al.Pointer(al.f32), n: al.u32):
    x = al.make_tensor(X, al.f32, al.make_layout((n,), (1,)))
    y = al.make_tensor(Y, al.f32, al.make_layout((n,), (1,)))
    i = al.block_id(0) * al.block_dim(0) + al.thread_id(0)
    if i >= n:
        return
    y[i] = a * x[i] + y[i]


@avelang.jit
def transpose(A: al.Tensor((64, 64), al.i32), B: al.Tensor((64, 64), al.i32), TILE: al.constexpr):
    tile = al.make_shared((TILE, TILE), al.i32)
    row = al.block_id(1) * TILE
    col = al.block_id(0) * TILE
    tx = al.thread_id(0)
    ty = al.thread_id(1)
    tile[ty, tx] = A[row + ty, col + tx]
    al.syncthreads()
    B[col + ty, row + tx] = tile[tx, ty]


@avelang.jit
def mfma(A: al.Tensor((32, 8), al.bf16), B: al.Tensor((32, 8), al.bf16), C: al.Tensor((64, 16), al.f32), steps: al.u32):
    lane = al.thread_id(0)
    a_words = al.view(A, al.Tensor((32, 2, 2), al.i32))
    b_words = al.view(B, al.Tensor((32, 2, 2), al.i32))
    acc = al.full((16,), 0.0, al.f32)
    for _ in al.range(steps):
        a = a_words[lane & 31, lane >> 5]
        b = b_words[lane & 31, lane >> 5]
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(a, b, acc)
    C[lane] = acc
