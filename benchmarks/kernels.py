"""The kernels that the CPU benchmarks measure; alone in a file, so that a fresh process imports nothing else."""

import avelang
import avelang.language as al


@avelang.jit
def gemm(
    A_ptr: al.Pointer(al.bf16), B_ptr: al.Pointer(al.bf16), C_ptr: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32,
    BLOCK_M: al.constexpr, BLOCK_N: al.constexpr, BLOCK_K: al.constexpr,
):  # fmt: skip
    """C = A @ B^T, a wave a 32 x 32 tile, as the tutorial's second kernel computes it."""
    A = al.make_tensor(A_ptr, al.bf16, al.make_layout((m, k), (k, 1)))
    B = al.make_tensor(B_ptr, al.bf16, al.make_layout((n, k), (k, 1)))
    C = al.make_tensor(C_ptr, al.f32, al.make_layout((m, n), (n, 1)))
    A_words = al.view(A, al.i32, al.make_layout((m, k >> 3, 4), (k >> 1, 4, 1)))
    B_words = al.view(B, al.i32, al.make_layout((n, k >> 3, 4), (k >> 1, 4, 1)))
    C_words = al.view(C, al.i32, al.make_layout((m, n >> 2, 4), (n, 4, 1)))
    lane = al.thread_id(0)
    column = lane & 31
    half = lane >> 5
    row0 = al.block_id(1) * BLOCK_M
    col0 = al.block_id(0) * BLOCK_N
    a_tile = al.make_shared((BLOCK_M * (BLOCK_K >> 3), BLOCK_K >> 2), al.i32)
    b_tile = al.make_shared((BLOCK_N * (BLOCK_K >> 3), BLOCK_K >> 2), al.i32)
    c_tile = al.make_shared((BLOCK_M, BLOCK_N), al.f32)
    c_words = al.view(c_tile, al.i32, al.make_layout((BLOCK_M, BLOCK_N >> 2, 4), (BLOCK_N, 4, 1)))
    acc = al.full((16,), 0.0, al.f32)
    for step in al.range(k // BLOCK_K):
        a_tile[lane] = A_words[row0 + column, step * 2 + half]
        b_tile[lane] = B_words[col0 + column, step * 2 + half]
        al.syncthreads()
        a = al.view(a_tile[lane], al.Tensor((2, 4, 1), al.bf16))
        b = al.view(b_tile[lane], al.Tensor((2, 4, 1), al.bf16))
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[0], a[0], acc)
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[1], a[1], acc)
        al.syncthreads()
    for r in al.range(16):
        c_tile[column, ((r >> 2) << 3) + half * 4 + (r & 3)] = acc[r]
    al.syncthreads()
    for v in al.range(BLOCK_N >> 3):
        word = (lane & 1) * (BLOCK_N >> 3) + v
        C_words[row0 + (lane >> 1), (col0 >> 2) + word] = c_words[lane >> 1, word]


@avelang.jit
def unrolled(A: al.Pointer(al.f32), n: al.u32, COPIES: al.constexpr):
    """A chain of COPIES loads, multiply-adds and stores: a program whose size is COPIES."""
    x = al.make_tensor(A, al.f32, al.make_layout((n,), (1,)))
    t = al.thread_id(0)
    for i in range(COPIES):
        x[t] = x[t] * (i + 0.5) + x[(t + i) & 63]


@avelang.jit
def tiny(A: al.Pointer(al.f32), B: al.Pointer(al.f32), C: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):
    """The sum of two arrays of one block: what a launch costs, and nothing else."""
    a = al.make_tensor(A, al.f32, al.make_layout((m,), (1,)))
    b = al.make_tensor(B, al.f32, al.make_layout((n,), (1,)))
    c = al.make_tensor(C, al.f32, al.make_layout((k,), (1,)))
    t = al.thread_id(0)
    c[t] = a[t] + b[t]
