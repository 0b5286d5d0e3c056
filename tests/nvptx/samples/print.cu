// printf, assert and the source lines of -lineinfo, with functions that are inlined.
#include <cassert>
#include <cstdio>
__device__ __forceinline__ float poly(float x, int n) {
    float y = 0.0f;
    for (int i = 0; i < n; ++i) y = y * x + (float)i;
    return y;
}
template <class F> __device__ __forceinline__ float apply(F f, float x) { return f(x) + poly(x, 3); }
extern "C" __global__ void print(float *x, int n) {
    int i = threadIdx.x;
    assert(i < n);
    x[i] = apply([=](float v) { return poly(v, n) * 2.0f; }, x[i]);
    if (x[i] > 1e9f) printf("%d: %g, %s, %lld %c\n", i, x[i], "text with \"quotes\" and \t tabs", 1ll << 40, 'x');
}
