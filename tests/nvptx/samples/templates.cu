// Templates with static shared memory, launch bounds, unrolled loops and constant memory.
__constant__ float weights[64];
__device__ int counters[3] = {1, -2, 3};
__device__ const char *names[2] = {"first", "second\n"};
struct Pair { float x; short y; char z[2]; };
__device__ Pair table[2] = {{1.5f, 2, {3, 4}}, {-0.0f, -7, {5, 6}}};
__device__ float *pointer_to_weights = nullptr;
__managed__ int managed = 5;

template <typename T, int N> struct Sum {
    static __device__ T of(const T *x) {
        T s = 0;
#pragma unroll
        for (int i = 0; i < N; ++i) s += x[i];
        return s;
    }
};

template <typename T, int TILE> __global__ void __launch_bounds__(256, 2) reduce(const T *in, T *out, int n) {
    __shared__ T tile[TILE][TILE + 1];
    T acc = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) acc += in[i] * (T)weights[i & 63];
    tile[threadIdx.y][threadIdx.x % TILE] = acc;
    __syncthreads();
#pragma unroll 1
    for (int step = TILE / 2; step; step >>= 1) {
        if (threadIdx.x < step) tile[0][threadIdx.x] += tile[0][threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0][0] + Sum<T, 4>::of(&tile[0][0]) + (T)counters[n % 3] + (T)names[n & 1][0] + (T)table[n & 1].y;
    if (threadIdx.x == 1) { out[n] = (T)(size_t)pointer_to_weights; managed++; }
}

template __global__ void reduce<float, 16>(const float *, float *, int);
template __global__ void reduce<double, 32>(const double *, double *, int);
template __global__ void reduce<int, 8>(const int *, int *, int);
