"""Kernels that ptxas has something to say of: registers that do not suffice, wgmma that is serialized, register counts that are ignored."""

import avelang
import avelang.language as al


@avelang.jit
def crowded(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32):
    """More values at once than a thread of a block of 1024 has registers for."""
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    t = al.thread_id(0)
    acc = al.full((128,), 0.0, al.f32)
    for k in al.range(n):
        for i in al.range(128, unroll=True):
            acc[i] = acc[i] * X[k] + X[(t + i) % 1024]  # the crowd
    for i in al.range(128, unroll=True):
        Y[t * 128 + i] = acc[i]


@avelang.jit
def serial(A: al.Tensor((64, 128), al.u32), C: al.Tensor((128, 32), al.f32)):
    """Sums that are touched between two wgmma: neither can be in flight."""
    i = al.thread_id(0)
    a = al.make_shared((64, 128), al.u32, 1024)
    for r in range(64):
        a[r, i] = A[r, i]
    al.syncthreads()
    c = C[i]
    da = al.nvvm.wgmma_descriptor(a, 128, 16, 1024)
    c = al.nvvm.wgmma_fence_acc(c)
    c = al.nvvm.wgmma_bf16_f32(da, da, c)  # a wgmma
    c[3] = c[3] * 2.0
    c = al.nvvm.wgmma_bf16_f32(da, da, c)  # a wgmma
    al.nvvm.wgmma_commit_group()
    C[i] = al.nvvm.wgmma_wait_acc(c, 0)


@avelang.jit
def roles(C: al.Tensor((128, 32), al.f32)):
    t = al.thread_id(0)
    if t // 128 == 0:
        al.nvvm.setmaxnreg_dec(24)  # the first
    else:
        al.nvvm.setmaxnreg_inc(240)
    C[t % 128] = C[t % 128]


@avelang.jit
def staged(A: al.Tensor((256,), al.f32), B: al.Tensor((256,), al.f32), ROWS: al.constexpr = 64):
    """ROWS KiB of shared memory, one barrier."""
    tile = al.make_shared((ROWS, 256), al.f32)
    t = al.thread_id(0)
    for i in al.range(ROWS):
        tile[i, t] = A[t]
    al.syncthreads()
    B[t] = tile[ROWS - 1, 255 - t]
