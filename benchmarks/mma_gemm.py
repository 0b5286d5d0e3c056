"""The kernel whose compilation `cuda_compile.py` measures; alone in a file, so that a fresh process imports nothing
else."""

import avelang
import avelang.language as al

THREADS = 128  # four warps, two by two
CHUNK = 8  # bf16 numbers in 16 bytes


@avelang.jit
def bring(tile, source, rows, chunk, bytes, BK):
    """Each thread's part of a tile: one chunk of each of its rows, where ldmatrix meets no bank twice."""
    t = al.thread_id(0)
    wide = BK // CHUNK
    place = t % wide ^ t // wide // 2 % wide
    for i in range(len(rows)):
        row = t // wide + i * (THREADS // wide)
        al.nvvm.cp_async_x16(al.subview(tile, (row, place, 0), (1, 1, CHUNK), (1, 1, 1)), source[rows[i], chunk], bytes)


@avelang.jit
def fragment(tile, row, chunk, BK):
    """Four 8 x 8 matrices of a tile."""
    wide = BK // CHUNK
    return al.nvvm.ldmatrix_m8n8_x4_b16(
        al.subview(tile, (row, chunk ^ al.thread_id(0) % 8 // 2 % wide, 0), (1, 1, CHUNK), (1, 1, 1))
    )


@avelang.jit
def mma_gemm(
    A_ptr: al.Pointer(al.bf16), B_ptr: al.Pointer(al.bf16), C_ptr: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32,
    BM: al.constexpr = 128, BN: al.constexpr = 128, BK: al.constexpr = 32, STAGES: al.constexpr = 3,
):  # fmt: skip
    """C = A @ B^T for sm_80 and newer: tiles in flight by cp.async, fragments by ldmatrix, products by mma.sync. Any m,
    n even, k a multiple of 8."""
    wide = BK // CHUNK
    chunks = k // CHUNK
    A = al.make_tensor(A_ptr, al.bf16, al.make_layout((m, chunks, CHUNK), (k, CHUNK, 1)))
    B = al.make_tensor(B_ptr, al.bf16, al.make_layout((n, chunks, CHUNK), (k, CHUNK, 1)))
    C = al.make_tensor(C_ptr, al.f32, al.make_layout((m, n // 2, 2), (n, 2, 1)))
    a_tiles = al.make_shared((STAGES, BM, wide, CHUNK), al.bf16, 128)
    b_tiles = al.make_shared((STAGES, BN, wide, CHUNK), al.bf16, 128)
    t = al.thread_id(0)
    lane, warp = t % 32, t // 32
    top, left = al.block_id(1) * BM, al.block_id(0) * BN
    # Rows past the end are the last one again: what they give is not stored. Past the end of K are zeros.
    a_rows = [al.min(top + t // wide + i * (THREADS // wide), m - 1) for i in range(BM * wide // THREADS)]
    b_rows = [al.min(left + t // wide + i * (THREADS // wide), n - 1) for i in range(BN * wide // THREADS)]

    def load(stage, step):
        at = step * wide + t % wide
        bytes = al.select(at < chunks, al.convert(16, al.u32), 0)
        bring(a_tiles[stage], A, a_rows, al.min(at, chunks - 1), bytes, BK)
        bring(b_tiles[stage], B, b_rows, al.min(at, chunks - 1), bytes, BK)
        al.nvvm.cp_async_commit_group()

    for s in range(STAGES - 1):
        load(al.convert(s, al.u32), al.convert(s, al.u32))
    M, N = BM // 2 // 16, BN // 2 // 8  # products of a warp
    acc = al.full((M, N, 4), 0.0, al.f32)
    a_row, b_row = warp // 2 * (BM // 2) + lane % 16, warp % 2 * (BN // 2) + lane % 8 + lane // 16 * 8
    for step in al.range((k + BK - 1) // BK):
        al.nvvm.cp_async_wait_group(STAGES - 2)
        al.syncthreads()
        load((step + STAGES - 1) % STAGES, step + STAGES - 1)
        stage = step % STAGES
        for part in range(BK // 16):
            a = [fragment(a_tiles[stage], a_row + i * 16, part * 2 + lane // 16, BK) for i in range(M)]
            b = [fragment(b_tiles[stage], b_row + j * 16, part * 2 + lane // 8 % 2, BK) for j in range(N // 2)]
            for i in range(M):
                for j in range(N):
                    acc[i, j] = al.nvvm.mma_16x8x16_bf16_f32(a[i],
                            al.view(b[j // 2], al.Tensor((2, 2), al.i32))[j % 2], acc[i, j])
    al.nvvm.cp_async_wait_all()
    pair = left // 2 + warp % 2 * (BN // 4) + lane % 4
    for i in range(M):
        for half in range(2):
            row = top + warp // 2 * (BM // 2) + i * 16 + half * 8 + lane // 4
            if row < m:
                for j in range(N):
                    if pair + j * 4 < n // 2:
                        C[row, pair + j * 4] = al.view(acc[i, j], al.Tensor((2, 2), al.f32))[half]
