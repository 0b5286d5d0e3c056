// Compiled with -G: all of the debug sections, and code that nobody has optimized.
struct Point { float x, y; };
__device__ Point mirrored(Point p) {
    Point q = {p.y, p.x};
    return q;
}
extern "C" __global__ void debug(Point *points, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Point p = mirrored(points[i]);
        for (int k = 0; k < 3; k++) p.x += p.y * k;
        points[i] = p;
    }
}
