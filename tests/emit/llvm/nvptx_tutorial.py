"""The tutorial's three GEMM kernels for warps of 32 lanes: fixed shape, run-time shape, guarded edges. Golden files
hold their line numbers: append only.

A warp computes a 32 x 32 tile of C = A @ B^T: K goes through shared memory 16 at a time, fragments come by ldmatrix,
products by mma.sync (sm_80). """

import avelang
import avelang.language as al

TILE, DEPTH = 32, 16
CHUNK = 8  # bf16 numbers in 16 bytes


@avelang.jit
def multiply(a_tile, b_tile, acc):
    """One step of a tile's product: two fragments of A by four of B."""
    lane = al.thread_id(0)
    one = (1, 1, CHUNK)
    a = al.make_local((2, 4), al.i32)
    b = al.make_local((2, 4), al.i32)
    for i in range(2):
        a[i] = al.nvvm.ldmatrix_m8n8_x4_b16(al.subview(a_tile, (i * 16 + lane % 16, lane // 16, 0), one, (1, 1, 1)))
        b[i] = al.nvvm.ldmatrix_m8n8_x4_b16(
            al.subview(b_tile, (i * 16 + lane // 16 * 8 + lane % 8, lane // 8 % 2, 0), one, (1, 1, 1))
        )
    pairs = al.view(b, al.Tensor((4, 2), al.i32))
    for i in range(2):
        for j in range(4):
            acc[i, j] = al.nvvm.mma_16x8x16_bf16_f32(a[i], pairs[j], acc[i, j])


@avelang.jit
def fixed(A: al.Tensor((128, 128), al.bf16), B: al.Tensor((128, 128), al.bf16), C: al.Tensor((128, 128), al.f32)):
    lane = al.thread_id(0)
    top, left = al.block_id(1) * TILE, al.block_id(0) * TILE
    a_chunks = al.view(A, al.Tensor((128, 128 // CHUNK, CHUNK), al.bf16))
    b_chunks = al.view(B, al.Tensor((128, 128 // CHUNK, CHUNK), al.bf16))
    a_tile = al.make_shared((TILE, 2, CHUNK), al.bf16, 16)
    b_tile = al.make_shared((TILE, 2, CHUNK), al.bf16, 16)
    acc = al.full((2, 4, 4), 0.0, al.f32)
    for step in al.range(128 // DEPTH):
        for half in range(2):
            a_tile[lane, half] = a_chunks[top + lane, step * 2 + half]
            b_tile[lane, half] = b_chunks[left + lane, step * 2 + half]
        al.syncthreads()
        multiply(a_tile, b_tile, acc)
        al.syncthreads()
    for i in range(2):
        for j in range(4):
            for e in range(4):
                C[top + i * 16 + e // 2 * 8 + lane // 4, left + j * 8 + lane % 4 * 2 + e % 2] = acc[i, j, e]


@avelang.jit
def sized(a: al.Pointer(al.bf16), b: al.Pointer(al.bf16), c: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):
    """m and n are multiples of 32, k of 16."""
    lane = al.thread_id(0)
    top, left = al.block_id(1) * TILE, al.block_id(0) * TILE
    a_chunks = al.make_tensor(a, al.bf16, al.make_layout((m, k // CHUNK, CHUNK), (k, CHUNK, 1)))
    b_chunks = al.make_tensor(b, al.bf16, al.make_layout((n, k // CHUNK, CHUNK), (k, CHUNK, 1)))
    C = al.make_tensor(c, al.f32, al.make_layout((m, n // 2, 2), (n, 2, 1)))
    a_tile = al.make_shared((TILE, 2, CHUNK), al.bf16, 16)
    b_tile = al.make_shared((TILE, 2, CHUNK), al.bf16, 16)
    acc = al.full((2, 4, 4), 0.0, al.f32)
    for step in al.range(k // DEPTH):
        for half in range(2):
            a_tile[lane, half] = a_chunks[top + lane, step * 2 + half]
            b_tile[lane, half] = b_chunks[left + lane, step * 2 + half]
        al.syncthreads()
        multiply(a_tile, b_tile, acc)
        al.syncthreads()
    for i in range(2):
        for j in range(4):
            pairs = al.view(acc[i, j], al.Tensor((2, 2), al.f32))
            for half in range(2):
                C[top + i * 16 + half * 8 + lane // 4, left // 2 + j * 4 + lane % 4] = pairs[half]


@avelang.jit
def bring(tile, source, half, row, rows, at, chunks):
    """A chunk of a row, or zeros."""
    inside = row < rows and at < chunks
    place = al.subview(tile, (al.thread_id(0), half, 0), (1, 1, CHUNK), (1, 1, 1))
    al.nvvm.cp_async_x16(
        place, source[al.select(inside, row, 0), al.select(inside, at, 0)], al.select(inside, al.convert(16, al.u32), 0)
    )


@avelang.jit
def guarded(a: al.Pointer(al.bf16), b: al.Pointer(al.bf16), c: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):
    """Any m and n, k a multiple of 8: cp.async writes zeros for what is outside."""
    lane = al.thread_id(0)
    top, left = al.block_id(1) * TILE, al.block_id(0) * TILE
    chunks = k // CHUNK
    a_chunks = al.make_tensor(a, al.bf16, al.make_layout((m, chunks, CHUNK), (k, CHUNK, 1)))
    b_chunks = al.make_tensor(b, al.bf16, al.make_layout((n, chunks, CHUNK), (k, CHUNK, 1)))
    C = al.make_tensor(c, al.f32, al.make_layout((m, n), (n, 1)))
    a_tile = al.make_shared((TILE, 2, CHUNK), al.bf16, 16)
    b_tile = al.make_shared((TILE, 2, CHUNK), al.bf16, 16)
    acc = al.full((2, 4, 4), 0.0, al.f32)
    for step in al.range((k + DEPTH - 1) // DEPTH):
        for half in range(2):
            at = step * 2 + half
            bring(a_tile, a_chunks, half, top + lane, m, at, chunks)
            bring(b_tile, b_chunks, half, left + lane, n, at, chunks)
        al.nvvm.cp_async_wait_all()
        al.syncthreads()
        multiply(a_tile, b_tile, acc)
        al.syncthreads()
    for i in range(2):
        for j in range(4):
            for e in range(4):
                row, col = top + i * 16 + e // 2 * 8 + lane // 4, left + j * 8 + lane % 4 * 2 + e % 2
                if row < m and col < n:
                    C[row, col] = acc[i, j, e]
