"""Kernels behind the tests of the GPU emitters: small, each with something of its own. Golden files hold their line
numbers: append only."""

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
def copy_words(A: al.Tensor((256, 4), al.i32), B: al.Tensor((256, 4), al.i32)):
    """Four words of a lane are one access."""
    i = al.block_id(0) * al.block_dim(0) + al.thread_id(0)
    B[i] = A[i]


@avelang.jit
def turn(A: al.Tensor((64, 64), al.i32), B: al.Tensor((64, 64), al.i32), TILE: al.constexpr):
    """A transposition through shared memory: several waves meet at a barrier."""
    tile = al.make_shared((TILE, TILE), al.i32)
    row = al.block_id(1) * TILE
    col = al.block_id(0) * TILE
    tx = al.thread_id(0)
    ty = al.thread_id(1)
    tile[ty, tx] = A[row + ty, col + tx]
    al.syncthreads()
    B[col + ty, row + tx] = tile[tx, ty]


@avelang.jit
def registers(A: al.Tensor((64, 16), al.f32), B: al.Tensor((64, 16), al.f32)):
    """An array of a lane, written and read by loops: no memory is left of it."""
    t = al.thread_id(0)
    mine = al.make_local((16,), al.f32)
    for i in al.range(16):
        mine[i] = A[t, i] * 2.0
    for i in al.range(16):
        B[t, i] = mine[15 - i] + mine[i]


@avelang.jit
def row_sums(A: al.Tensor((8, 1024), al.f32), S: al.Tensor((8,), al.f32), WAVE: al.constexpr):
    """Each block sums a row: lanes by shuffles, waves through shared memory."""
    parts = al.make_shared((16,), al.f32)
    t = al.thread_id(0)
    total = al.convert(0.0, al.f32)
    for i in al.range(t, 1024, al.block_dim(0)):
        total += A[al.block_id(0), i]
    for step in range(6):
        if (WAVE >> 1) >> step > 0:
            total += al.shuffle_xor(total, (WAVE >> 1) >> step, WAVE)
    if t % WAVE == 0:
        parts[t // WAVE] = total
    al.syncthreads()
    if t == 0:
        whole = al.convert(0.0, al.f32)
        for w in al.range(al.block_dim(0) // WAVE):
            whole += parts[w]
        S[al.block_id(0)] = whole


@avelang.jit
def softmax(A: al.Tensor((16, 128), al.bf16), B: al.Tensor((16, 128), al.bf16)):
    """bf16 in and out, f32 between; one wave a row."""
    row = al.block_id(0)
    t = al.thread_id(0)
    most = al.convert(-1.0e30, al.f32)
    for i in al.range(t, 128, al.block_dim(0)):
        most = al.max(most, al.convert(A[row, i], al.f32))
    for step in (16, 8, 4, 2, 1):
        most = al.max(most, al.shuffle_xor(most, step, 32))
    total = al.convert(0.0, al.f32)
    for i in al.range(t, 128, al.block_dim(0)):
        total += al.exp(al.convert(A[row, i], al.f32) - most)
    for step in (16, 8, 4, 2, 1):
        total += al.shuffle_xor(total, step, 32)
    for i in al.range(t, 128, al.block_dim(0)):
        B[row, i] = al.convert(al.exp(al.convert(A[row, i], al.f32) - most) / total, al.bf16)


@avelang.jit
def half_pairs(A: al.Tensor((64, 2), al.f16), B: al.Tensor((64, 2), al.f16)):
    """Pairs of f16: packed arithmetic."""
    t = al.thread_id(0)
    B[t] = al.fma(A[t], B[t], A[t]) + B[t] * A[t]


@avelang.jit
def wave_rows(A: al.Pointer(al.i32), B: al.Tensor((256, 4), al.i32), n: al.u32):
    """Each wave of a block has a row, and a resource of its own: it must stay in scalar registers."""
    wave = al.thread_id(0) // 64
    lane = al.thread_id(0) % 64
    flat = al.make_tensor(A, al.i32, al.make_layout((n,), (1,)))
    mine = al.subview(flat, (wave * 256,), (256,), (1,))
    rsrc = al.amdgpu.make_rsrc(mine, 1024)
    zero = al.convert(0, al.i32)
    B[al.thread_id(0)] = al.amdgpu.raw_buffer_load_x4(rsrc, al.convert(lane * 16, al.i32), zero, 0)


@avelang.jit
def split_offsets(A: al.Pointer(al.i32), B: al.Tensor((64,), al.i32), n: al.u32):
    """Both offsets differ from lane to lane."""
    t = al.thread_id(0)
    rsrc = al.amdgpu.make_rsrc(al.make_tensor(A, al.i32, al.make_layout((n,), (1,))), n * 4)
    B[t] = al.amdgpu.raw_buffer_load_x1(rsrc, al.convert(t * 4, al.i32), al.convert((t & 3) * 256, al.i32), 0)


@avelang.jit
def straight_to_lds(A: al.Pointer(al.i32), B: al.Tensor((256,), al.i32), WAIT: al.constexpr):
    """Direct loads into shared memory, and the barrier behind them."""
    stage = al.make_shared((256,), al.i32)
    t = al.thread_id(0)
    rsrc = al.amdgpu.make_rsrc(al.make_tensor(A, al.i32, al.make_layout((256,), (1,))), 1024)
    wave = al.subview(stage, ((t // 64) * 64,), (64,), (1,))
    al.amdgpu.raw_buffer_load_x1_lds(rsrc, wave, 4, al.convert(t * 4, al.i32), al.convert(0, al.i32), 0, 0)
    if WAIT:
        al.amdgpu.s_waitcnt(1, 7, 15)
    al.syncthreads()
    B[t] = stage[255 - t]


@avelang.jit
def scheduled(A: al.Tensor((64, 4), al.i32), B: al.Tensor((64, 4), al.i32)):
    """What speaks to the scheduler arrives as it is written."""
    t = al.thread_id(0)
    al.amdgpu.s_setprio(2)
    words = A[t]
    al.amdgpu.sched_group_barrier(0x20, 1, 0)
    al.amdgpu.s_waitcnt(3, 7, 15)
    al.amdgpu.sched_barrier(0)
    B[t] = words
    al.amdgpu.s_setprio(0)


@avelang.jit
def tensor_cores(A: al.Tensor((16, 16), al.f16), B: al.Tensor((8, 16), al.f16), C: al.Tensor((16, 8), al.f32)):
    """C = A @ B^T by one warp: ldmatrix, mma, and the fragment of C written out."""
    a_tile = al.make_shared((16, 16), al.f16)
    b_tile = al.make_shared((8, 16), al.f16)
    t = al.thread_id(0)
    for i in al.range(8):
        a_tile[(t * 8 + i) // 16, (t * 8 + i) % 16] = A[(t * 8 + i) // 16, (t * 8 + i) % 16]
    for i in al.range(4):
        b_tile[(t * 4 + i) // 16, (t * 4 + i) % 16] = B[(t * 4 + i) // 16, (t * 4 + i) % 16]
    al.syncthreads()
    a = al.nvvm.ldmatrix_m8n8_x4_b16(al.subview(a_tile, (t % 16, (t // 16) * 8), (1, 8), (16, 1)))
    b = al.nvvm.ldmatrix_m8n8_x2_b16(al.subview(b_tile, (t % 8, (t // 8) % 2 * 8), (1, 8), (16, 1)))
    acc = al.full((4,), 0.0, al.f32)
    acc = al.nvvm.mma_16x8x16_f16_f32(a, b, acc)
    for i in al.range(4):
        C[t // 4 + (i // 2) * 8, (t % 4) * 2 + i % 2] = acc[i]


@avelang.jit
def parted_sums(A: al.Tensor((64,), al.i32), B: al.Tensor((64,), al.i32)):
    """Shuffles among lanes that have parted: in a branch, and in a loop that lanes leave one by one."""
    t = al.thread_id(0)
    v = A[t]
    if t % 2 == 0:
        v += al.shuffle_xor(v, 2, 32)
    else:
        v -= al.shuffle_xor(v, 4, 32)
    n = al.convert(0, al.u32)
    while n < t % 4:
        v += al.shuffle(v, t % 32, 32)
        n += 1
    B[t] = v


@avelang.jit
def big_tile(A: al.Tensor((64, 256), al.f32), B: al.Tensor((64, 256), al.f32)):
    """64 KB of shared memory: more than an NVIDIA kernel may declare itself."""
    tile = al.make_shared((64, 256), al.f32)
    spare = al.make_shared((256,), al.f32)
    t = al.thread_id(0)
    for i in al.range(64):
        tile[i, t] = A[i, t]
    spare[t] = A[0, t]
    al.syncthreads()
    for i in al.range(64):
        B[i, t] = tile[i, 255 - t] + spare[t]


@avelang.jit
def speaks(A: al.Tensor((64,), al.i32)):
    al.printf("%d\n", A[al.thread_id(0)])


@avelang.jit
def too_much(A: al.Tensor((64,), al.f32)):
    tile = al.make_shared((256, 256), al.f32)
    tile[al.thread_id(0), 0] = A[al.thread_id(0)]
    al.syncthreads()
    A[al.thread_id(0)] = tile[al.thread_id(0), 0]


@avelang.jit
def double_tanh(A: al.Tensor((64,), al.f64)):
    A[al.thread_id(0)] = al.tanh(A[al.thread_id(0)])
