// Functions that stay functions: recursion, pointers to functions, virtual calls, structs by value, external ones, variadic printf.
#include <cstdio>
struct Big { int x[5]; double y; };
extern "C" __device__ int outside(int, Big);
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ Big make(int n, float f) {
    Big b;
    for (int i = 0; i < 5; ++i) b.x[i] = n * i;
    b.y = f;
    return b;
}
__device__ __noinline__ void store(char *p, char c, unsigned short s, bool f) { p[s] = f ? c : 0; }
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int (*const operations[2])(int) = {twice, square};

struct Shape { virtual __device__ float area() const = 0; virtual __device__ ~Shape() {} };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area() const override { return 3.14159f * r * r; } };
struct Square : Shape { float a; __device__ Square(float a) : a(a) {} __device__ float area() const override { return a * a; } };

extern "C" __global__ void calls(int *out, char *text, float *areas, int n) {
    int t = threadIdx.x;
    Big b = make(t, (float)n);
    out[t] = fibonacci(t) + operations[n & 1](t) + outside(t, b) + b.x[n % 5];
    store(text, (char)t, (unsigned short)n, n > 3);
    Shape *s = n & 2 ? (Shape *)new Circle(1.0f) : (Shape *)new Square(2.0f);
    areas[t] = s->area();
    delete s;
    if (t == 0) printf("thread %d of %d: %f %s\n", t, n, areas[0], "done");
    if (n < 0) __trap();
}
