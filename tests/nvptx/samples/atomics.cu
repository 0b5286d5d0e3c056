// Atomics of all types and scopes, fences, and the barriers that count.
#include <cuda_fp16.h>
extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, __half2 *h) {
    __shared__ int local;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    int t = threadIdx.x;
    atomicAdd(&local, t);
    i[t] = atomicAdd(i, t) + atomicSub(i + 1, 3) + atomicExch(i + 2, t) + atomicMin(i + 3, t) + atomicMax(i + 4, t) + atomicAnd(i + 5, t)
        + atomicOr(i + 6, t) + atomicXor(i + 7, t) + atomicCAS(i + 8, 1, t) + atomicAdd_block(i + 9, 1) + atomicAdd_system(i + 10, 1);
    u[t] = atomicInc(u, 17u) + atomicDec(u + 1, 17u);
    l[t] = atomicAdd(l, 1ull) + atomicCAS(l + 1, 0ull, 5ull) + atomicMax(l + 2, 9ull);
    f[t] = atomicAdd(f, 1.0f) + atomicExch(f + 1, 2.0f);
    d[t] = atomicAdd(d, 1.0);
    h[t] = atomicAdd(h, __float2half2_rn(1.0f));
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    int all = __syncthreads_count(t & 1) + __syncthreads_and(t) + __syncthreads_or(t > 3);
    asm volatile("red.release.gpu.global.add.s32 [%0], %1;" :: "l"(i), "r"(all) : "memory");
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1+4];" : "=r"(all) : "l"(i) : "memory");
    i[t + 64] = all + local;
}
