"""LLVM saw through an f16 that was an integer or one of two constants, and added +0 to the product: -0 was lost on AMD."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_i8: al.Tensor((3, 64), al.i8), a_u1: al.Tensor((3, 64), al.u1), a_f16: al.Tensor((3, 64), al.f16), o_f16: al.Tensor((7, 64), al.f16)):
    t = al.thread_id(0)
    n = a_i8[0, t]
    c = a_u1[0, t]
    h = a_f16[1, t]
    o_f16[0, t] = h * n
    o_f16[1, t] = c * h
    o_f16[2, t] = al.convert(n, al.f16) / -2.0
    o_f16[3, t] = al.select(c, al.f16(0.0), al.f16(-1.5)) * h
    o_f16[4, t] = h / al.select(n > 0, al.f16(2.0), al.f16(-4.0))
    o_f16[5, t] = (n & 1) * al.convert(n >> 1, al.f16) * (-al.convert(n & 2, al.f16))
    r = al.full((2,), h, al.f16) * al.convert(n & 3, al.f16)
    o_f16[6, t] = r[n & 1]

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_i8", "i8", 3], ["a_u1", "u1", 3], ["a_f16", "f16", 3], ["o_f16", "f16", 7]], "numbers": [], "seed": 11}
