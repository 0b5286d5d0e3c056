"""LLVM's AMDGPU backend takes +0 - x for -x where it becomes an operand with a sign: +0 - +0 was -0 under a product, a root and a rounding."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_f32: al.Tensor((1, 64), al.f32), a_f64: al.Tensor((1, 64), al.f64), a_f16: al.Tensor((1, 64), al.f16), a_bf16: al.Tensor((1, 64), al.bf16),
           o_f32: al.Tensor((4, 64), al.f32), o_f64: al.Tensor((2, 64), al.f64), o_f16: al.Tensor((2, 64), al.f16), o_bf16: al.Tensor((2, 64), al.bf16)):
    t = al.thread_id(0)
    x, y, h, b = a_f32[0, t] * 0.0, a_f64[0, t] * 0.0, a_f16[0, t] * 0.0, a_bf16[0, t] * 0.0
    o_f32[0, t] = al.sqrt(0.0 - x)
    o_f32[1, t] = (al.u1(False) - x) * 3.0
    r = al.full((4,), 0.0, al.f32)
    for i in al.range(4):
        r[i] = r[3 - i] - x
    o_f32[2, t] = r[1] * 2.0
    o_f32[3, t] = al.fma(0.0 - x, 2.0, x)
    o_f64[0, t] = (0.0 - y) * 3.0
    o_f64[1, t] = al.sqrt(0.0 - y)
    o_f16[0, t] = al.sqrt(0.0 - h)
    o_f16[1, t] = al.convert(0.0 - x, al.f16)
    o_bf16[0, t] = 0.0 - b
    o_bf16[1, t] = al.convert(0.0 - x, al.bf16)

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_f32", "f32", 1], ["a_f64", "f64", 1], ["a_f16", "f16", 1], ["a_bf16", "bf16", 1], ["o_f32", "f32", 4], ["o_f64", "f64", 2], ["o_f16", "f16", 2], ["o_bf16", "bf16", 2]], "numbers": [], "seed": 3}
