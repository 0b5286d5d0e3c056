"""ptxas 13.0 on an H200: least integers of 16 bits that are negated, halves of pairs with a constant, products of a negative constant (13.5, too)."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_i16: al.Tensor((3, 64), al.i16), o_i16: al.Tensor((4, 64), al.i16), o_i32: al.Tensor((5, 64), al.i32)):
    t = al.thread_id(0)
    v = a_i16[2, t]
    o_i32[0, t] = al.abs(v)
    o_i32[1, t] = -v
    o_i16[0, t] = v - -v / v
    o_i16[1, t] = 1 if -v > v else 0
    r = al.full((2,), v, al.i16) - al.i16(15)
    w = r
    w[1] = v
    o_i16[2, t] = sum(r + v)
    q = al.full((2,), v, al.i16) * a_i16[1, t] + a_i16[1, t]
    o_i16[3, t] = q[v & 1]
    if al.target().vendor == "nvidia":
        a = al.full((4,), 2, al.f16)
        b = al.full((2,), -2, al.f16)
        d = al.nvvm.mma_16x8x8_f16_f16(a, b, al.full((4,), 1, al.f16))
        o_i32[2, t] = al.convert(d[3], al.i32)
        e = al.nvvm.mma_16x8x8_bf16_f32(al.full((4,), 3, al.bf16), al.full((2,), -0.5, al.bf16), al.full((4,), 1.0, al.f32))
        o_i32[3, t] = al.convert(e[1], al.i32)
        b[0] = al.f16(2.0)
        f = al.nvvm.mma_16x8x8_f16_f32(a, b, al.full((4,), 1.0, al.f32))
        o_i32[4, t] = al.convert(f[2], al.i32)

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_i16", "i16", 3], ["o_i16", "i16", 4], ["o_i32", "i32", 5]], "numbers": [], "seed": 2000612}
