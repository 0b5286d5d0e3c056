// Tensor cores by inline assembly and by wmma; ldmatrix.
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>
extern "C" __global__ void mma(const uint32_t *a, const uint32_t *b, float *d) {
    __shared__ __align__(16) __half tile[16 * 16];
    uint32_t A[4], B[2], at = (uint32_t)__cvta_generic_to_shared(tile + (threadIdx.x % 16) * 16 + threadIdx.x / 16 * 8);
    float D[4] = {0.f, 0.f, 0.f, 0.f};
    reinterpret_cast<uint4 *>(tile)[threadIdx.x] = reinterpret_cast<const uint4 *>(a)[threadIdx.x];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3]) : "r"(at));
    B[0] = b[threadIdx.x];
    B[1] = b[threadIdx.x + 32];
    for (int k = 0; k < 4; ++k)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
            : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3]) : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));
    for (int i = 0; i < 4; ++i) d[threadIdx.x * 4 + i] = D[i];
}

extern "C" __global__ void wmma(const __half *a, const __half *b, float *c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}
