// Dynamic shared memory, vector accesses, a struct passed by value, __restrict__ and cache operators.
struct Params { float4 scale; int extents[3]; const float *__restrict__ source; unsigned char flag; };
extern __shared__ __align__(128) unsigned char storage[];

extern "C" __global__ void transpose(Params p, float4 *__restrict__ out, const __grid_constant__ Params q) {
    float4 *tile = reinterpret_cast<float4 *>(storage);
    int i = threadIdx.x + p.extents[threadIdx.y] * q.extents[1];
    float4 v = reinterpret_cast<const float4 *>(p.source)[i];
    v.x *= p.scale.x; v.y *= p.scale.y; v.z *= q.scale.z; v.w *= p.scale.w;
    tile[threadIdx.y * 33 + threadIdx.x] = v;
    __syncthreads();
    out[i] = tile[threadIdx.x * 33 + threadIdx.y];
    short2 *small = reinterpret_cast<short2 *>(storage + 4096);
    small[threadIdx.x] = make_short2(i, i >> 16);
    __syncwarp();
    char4 c = reinterpret_cast<char4 *>(storage)[threadIdx.x ^ 1];
    if (p.flag) reinterpret_cast<double2 *>(out)[i] = make_double2(c.x + c.y, c.z - c.w);
    __stcs(reinterpret_cast<int *>(out) + i, __ldg(reinterpret_cast<const int *>(p.source) + i) + __ldcg(q.extents));
}
