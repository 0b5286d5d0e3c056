// Warp intrinsics: shuffles, votes, matches, reductions, lane masks.
extern "C" __global__ void warp(int *in, float *out, unsigned *masks, unsigned long long *clocks) {
    int x = in[threadIdx.x];
    float y = out[threadIdx.x];
    unsigned live = __activemask();
    for (int step = 16; step; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    y += __shfl_down_sync(live, y, 1) + __shfl_up_sync(live, y, 2, 16) + __shfl_sync(live, y, x & 31);
    masks[0] = __ballot_sync(0xffffffff, x > 3);
    masks[1] = __any_sync(live, x) + __all_sync(live, x) + __match_any_sync(0xffffffff, x);
    int same;
    masks[2] = __match_all_sync(0xffffffff, x, &same);
    masks[3] = __reduce_add_sync(0xffffffff, (unsigned)x) + __reduce_max_sync(0xffffffff, (unsigned)same);
    unsigned below, smid;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    clocks[threadIdx.x] = clock64() + clock() + below + smid + __popc(below) + __ffs(x);
    __nanosleep(100);
    out[threadIdx.x] = y + (float)warpSize;
}
