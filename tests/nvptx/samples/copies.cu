// cp.async with groups, predicated copies with zero fill, cache hints, and a two-stage pipeline.
#include <cuda_pipeline.h>
#include <cstdint>
extern "C" __global__ void copies(const float4 *in, float4 *out, int n) {
    __shared__ float4 stage[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], &in[t], 16);
    __pipeline_commit();
    for (int k = 1; k < n; ++k) {
        uint32_t to = (uint32_t)__cvta_generic_to_shared(&stage[k & 1][t]);
        int bytes = k * 128 + t < n ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" :: "r"(to), "l"(in + k * 128 + t), "r"(bytes));
        asm volatile(
            "{\n"
            "  .reg .pred p;\n"
            "  .reg .b64 policy;\n"
            "  setp.ne.b32 p, %2, 0;\n"
            "  createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
            "  @p cp.async.ca.shared.global.L2::cache_hint.L2::128B [%0], [%1], 4, policy;\n"
            "}\n" :: "r"(to), "l"(in + t), "r"(bytes));
        asm volatile("cp.async.commit_group;\n" ::);
        asm volatile("cp.async.wait_group %0;\n" :: "n"(1));
        __syncthreads();
        out[(k - 1) * 128 + t] = stage[(k - 1) & 1][t ^ 1];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
}
