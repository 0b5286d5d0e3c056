// Integer, float and double arithmetic with its odd cases: division, remainder, wide and high products, bit fields, fast and exact functions.
extern "C" __global__ void integers(const int *a, const unsigned *b, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i];
    unsigned y = b[i];
    long long wide = (long long)x * (int)y;
    unsigned long long high = __umul64hi((unsigned long long)wide, 0x123456789abcdefull);
    int quotient = x / (int)(y | 1), rest = x % (int)(y | 1);
    unsigned shifted = __funnelshift_l(y, (unsigned)x, 7) ^ __brev(y) ^ __popc(x) ^ __clz(x) ^ __byte_perm(x, y, 0x5140);
    out[i] = wide + (long long)high + quotient * 3 + rest + shifted + __mulhi(x, 77) + __sad(x, (int)y, y) + min(x, (int)y) + abs(x);
}

extern "C" __global__ void floats(const float *a, float *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float x = a[i];
        float y = sqrtf(fabsf(x)) + expf(x) + logf(x * x + 1.0f) + sinf(x) + tanhf(x) / (x + 2.5f) + rsqrtf(x * x + 1e-3f);
        out[i] = __fmaf_rz(x, y, 1.0f) + __fdividef(x, y) + __saturatef(y) + fmaxf(x, y) + copysignf(y, x) + (isnan(x) ? -INFINITY : floorf(y));
    }
}

extern "C" __global__ void doubles(const double *a, double *out, float *narrow, long long *rounded) {
    int i = threadIdx.x;
    double x = a[i];
    out[i] = fma(x, 3.141592653589793, -1.5) / (x + 1.0) + sqrt(x) + exp(x) * pow(x, 2.5);
    narrow[i] = __double2float_rd(x);
    rounded[i] = __double2ll_rn(x) + (long long)(unsigned char)x;
}
