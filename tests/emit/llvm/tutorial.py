"""The three GEMM kernels of the tutorial in the project's own words: fixed shape, runtime shape, guarded by buffer
ranges."""

import avelang
import avelang.language as al

BF16, F32 = 2, 4


@avelang.jit
def fixed(A: al.Tensor((128, 128), al.bf16), B: al.Tensor((128, 128), al.bf16), C: al.Tensor((128, 128), al.f32)):
    lane = al.thread_id(0)
    row, half = lane & 31, lane >> 5
    top = al.block_id(1) * 32
    left = al.block_id(0) * 32
    a_words = al.view(A, al.Tensor((128, 16, 4), al.i32))
    b_words = al.view(B, al.Tensor((128, 16, 4), al.i32))
    c_words = al.view(C, al.Tensor((128, 32, 4), al.i32))
    a_stage = al.make_shared((64, 4), al.i32)
    b_stage = al.make_shared((64, 4), al.i32)
    c_stage = al.make_shared((32, 32), al.f32)
    c_rows = al.view(c_stage, al.Tensor((32, 8, 4), al.i32))
    acc = al.full((16,), 0.0, al.f32)
    for step in al.range(8):
        a_stage[lane] = a_words[top + row, step * 2 + half]
        b_stage[lane] = b_words[left + row, step * 2 + half]
        al.syncthreads()
        a = al.view(a_stage[lane], al.Tensor((2, 4, 1), al.bf16))
        b = al.view(b_stage[lane], al.Tensor((2, 4, 1), al.bf16))
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[0], a[0], acc)
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[1], a[1], acc)
        al.syncthreads()
    for r in al.range(16):
        c_stage[row, ((r >> 2) << 3) + half * 4 + (r & 3)] = acc[r]
    al.syncthreads()
    for v in al.range(4):
        c_words[top + (lane >> 1), (left >> 2) + (lane & 1) * 4 + v] = c_rows[lane >> 1, (lane & 1) * 4 + v]


@avelang.jit
def runtime(A: al.Pointer(al.bf16), B: al.Pointer(al.bf16), C: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):
    a_words = al.view(
        al.make_tensor(A, al.bf16, al.make_layout((m, k), (k, 1))),
        al.i32,
        al.make_layout((m, k >> 3, 4), (k >> 1, 4, 1)),
    )
    b_words = al.view(
        al.make_tensor(B, al.bf16, al.make_layout((n, k), (k, 1))),
        al.i32,
        al.make_layout((n, k >> 3, 4), (k >> 1, 4, 1)),
    )
    c_words = al.view(
        al.make_tensor(C, al.f32, al.make_layout((m, n), (n, 1))), al.i32, al.make_layout((m, n >> 2, 4), (n, 4, 1))
    )
    lane = al.thread_id(0)
    row, half = lane & 31, lane >> 5
    top = al.block_id(1) * 32
    left = al.block_id(0) * 32
    a_stage = al.make_shared((64, 4), al.i32)
    b_stage = al.make_shared((64, 4), al.i32)
    c_stage = al.make_shared((32, 32), al.f32)
    c_rows = al.view(c_stage, al.i32, al.make_layout((32, 8, 4), (32, 4, 1)))
    acc = al.full((16,), 0.0, al.f32)
    for step in al.range(k // 16):
        a_stage[lane] = a_words[top + row, step * 2 + half]
        b_stage[lane] = b_words[left + row, step * 2 + half]
        al.syncthreads()
        a = al.view(a_stage[lane], al.Tensor((2, 4, 1), al.bf16))
        b = al.view(b_stage[lane], al.Tensor((2, 4, 1), al.bf16))
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[0], a[0], acc)
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[1], a[1], acc)
        al.syncthreads()
    for r in al.range(16):
        c_stage[row, ((r >> 2) << 3) + half * 4 + (r & 3)] = acc[r]
    al.syncthreads()
    for v in al.range(4):
        c_words[top + (lane >> 1), (left >> 2) + (lane & 1) * 4 + v] = c_rows[lane >> 1, (lane & 1) * 4 + v]


@avelang.jit
def guarded(A: al.Pointer(al.bf16), B: al.Pointer(al.bf16), C: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):
    lane = al.thread_id(0)
    row, half = lane & 31, lane >> 5
    top = al.block_id(1) * 32
    left = al.block_id(0) * 32
    a_flat = al.make_tensor(A, al.bf16, al.make_layout((m * k,), (1,)))
    b_flat = al.make_tensor(B, al.bf16, al.make_layout((n * k,), (1,)))
    c_flat = al.make_tensor(C, al.f32, al.make_layout((m * n,), (1,)))
    rows = al.min(m - top, 32)
    cols = al.min(n - left, 32)
    a_rsrc = al.amdgpu.make_rsrc(al.subview(a_flat, (top * k,), (rows * k,), (1,)), rows * k * BF16)
    b_rsrc = al.amdgpu.make_rsrc(al.subview(b_flat, (left * k,), (cols * k,), (1,)), cols * k * BF16)
    a_stage = al.make_shared((64, 4), al.i32)
    b_stage = al.make_shared((64, 4), al.i32)
    c_stage = al.make_shared((32, 32), al.f32)
    c_rows = al.view(c_stage, al.i32, al.make_layout((32, 8, 4), (32, 4, 1)))
    acc = al.full((16,), 0.0, al.f32)
    zero = al.convert(0, al.i32)
    for step in al.range(k // 16):
        offset = al.convert((row * k + step * 16 + half * 8) * BF16, al.i32)
        a_stage[lane] = al.amdgpu.raw_buffer_load_x4(a_rsrc, zero, offset, 0)
        b_stage[lane] = al.amdgpu.raw_buffer_load_x4(b_rsrc, zero, offset, 0)
        al.syncthreads()
        a = al.view(a_stage[lane], al.Tensor((2, 4, 1), al.bf16))
        b = al.view(b_stage[lane], al.Tensor((2, 4, 1), al.bf16))
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[0], a[0], acc)
        acc = al.amdgpu.mfma_32x32x8_bf16_f32(b[1], a[1], acc)
        al.syncthreads()
    for r in al.range(16):
        c_stage[row, ((r >> 2) << 3) + half * 4 + (r & 3)] = acc[r]
    al.syncthreads()
    for i in al.range(32):
        length = al.convert(0, al.u32)
        if i < rows:
            length = cols * F32
        c_row = al.subview(c_flat, ((top + i) * n + left,), (cols,), (1,))
        c_rsrc = al.amdgpu.make_rsrc(c_row, length)
        if lane < 8:
            al.amdgpu.raw_buffer_store_x4(c_rows[i, lane], c_rsrc, zero, al.convert(lane * 16, al.i32), 0)
