// Local arrays that are indexed at run time, a dense switch (brx), a sparse one, loops with early exit, goto.
extern "C" __global__ void local(const int *in, int *out, int n) {
    int stack[32];
    double doubles[4] = {1.0, 2.0, 3.0, -4.5};
    int top = 0, t = threadIdx.x, acc = 0;
    for (int i = 0; i < n; ++i) {
        int word = in[i * 32 + t];
        switch (word & 15) {
        case 0: stack[top++ & 31] = word >> 4; break;
        case 1: acc += stack[--top & 31]; break;
        case 2: acc *= 3; break;
        case 3: acc ^= stack[word >> 4 & 31]; break;
        case 4: acc = -acc; break;
        case 5: acc = acc << (word >> 4 & 7); break;
        case 6: acc = acc / ((word >> 4) | 1); break;
        case 7: acc += (int)doubles[word >> 4 & 3]; break;
        case 8: if (acc < 0) goto out; acc = (int)__fsqrt_rn((float)acc); break;
        case 9: acc += __popc(word); break;
        case 10: acc = max(acc, word); break;
        case 11: acc %= 1000; break;
        default: acc += word;
        }
        if (acc == 0x7fffffff) break;
    }
    switch (acc) {
    case -100: acc = 1; break;
    case 5: acc = 2; break;
    case 70000: acc = 3; break;
    }
out:
    out[t] = acc + stack[t & 31];
}
