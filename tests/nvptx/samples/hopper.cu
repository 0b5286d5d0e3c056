// What only sm_90 has: clusters, mbarriers, TMA, wgmma, setmaxnreg (under sm_80 the kernel has the part that is older).
#include <cooperative_groups.h>
#include <cuda.h>
#include <cstdint>
namespace cg = cooperative_groups;
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1) hopper(const __grid_constant__ CUtensorMap map, float *out, uint64_t desc) {
    extern __shared__ __align__(1024) unsigned char smem[];
    __shared__ __align__(8) uint64_t bar[2];
    uint32_t at = (uint32_t)__cvta_generic_to_shared(smem), mbar = (uint32_t)__cvta_generic_to_shared(bar);
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(mbar), "r"(1));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("fence.proxy.async;");
    }
    cluster.sync();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(mbar), "r"(8192));
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;"
                         :: "r"(at), "l"(&map), "r"(mbar), "r"(0), "r"((int)blockIdx.x * 64), "h"((short)3) : "memory");
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        asm volatile(
            "{\n"
            ".reg .pred                P1;\n"
            "LAB_WAIT:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
            "@P1                       bra DONE;\n"
            "bra                   LAB_WAIT;\n"
            "DONE:\n"
            "}\n" :: "r"(mbar), "r"(0));
        float d[4] = {};
        asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %5, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, p, 1, 1, 0, 0;\n}\n"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(desc), "r"(1));
        asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned %0;\n" :: "n"(0) : "memory");
        for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
    }
    float *other = cluster.map_shared_rank(reinterpret_cast<float *>(smem), cluster.block_rank() ^ 1);
    out[threadIdx.x] += other[threadIdx.x];
    cluster.sync();
}
#else
extern "C" __global__ void hopper(float *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    float v = out[block.thread_rank()];
    for (int i = tile.size() / 2; i; i /= 2) v += tile.shfl_down(v, i);
    out[block.thread_rank()] = v;
}
#endif
