// 8- and 16-bit types, 64-bit shifts, 128-bit integers, SIMD within a word, bit fields, unions, volatile and ternaries.
#include <cstdint>
struct Fields { unsigned a : 3, b : 7; int c : 11; uint64_t d : 40; };
union Word { float f; uint32_t u; uint8_t b[4]; };
extern "C" __global__ void bits(const int8_t *a, const uint16_t *b, int64_t *c, Fields *f, volatile int *v, uint8_t *o) {
    int t = threadIdx.x;
    int8_t x = a[t];
    uint16_t y = b[t];
    o[t] = (uint8_t)(x * y + (x << 3)) ^ (uint8_t)(y >> 2);
    c[t] = (c[t] << (y & 63)) | (c[t + 1] >> (x & 63)) | (int64_t)((uint64_t)c[t + 2] >> 7);
    unsigned __int128 wide = (unsigned __int128)(uint64_t)c[t] * (uint64_t)c[t + 1] + 1;
    c[t + 2] = (int64_t)(wide >> 64) - (int64_t)wide;
    Fields g = f[t];
    g.a += g.b;
    g.c = x;
    g.d ^= (uint64_t)y << 20;
    f[t] = g;
    Word w;
    w.u = __vadd4((uint32_t)c[t], __vabsdiffu4(w.u = (uint32_t)y, 0x01020304u)) + __dp4a((int)y, (int)x, 5);
    v[t] = v[t + 1] + (w.f > 1.0f ? w.b[t & 3] : __vcmpgtu2(w.u, 0x00010001u));
}
