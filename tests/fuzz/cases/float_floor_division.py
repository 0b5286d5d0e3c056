"""The frontend made floor(a / b) of a // b on floats, which is another number where the quotient was rounded up, and -0 for -1 // infinity."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_f16: al.Tensor((2, 64), al.f16), o_f16: al.Tensor((1, 64), al.f16), a_f32: al.Tensor((2, 64), al.f32), o_f32: al.Tensor((1, 64), al.f32)):
    t = al.thread_id(0)
    o_f16[0, t] = a_f16[0, t] // a_f16[1, t]
    o_f32[0, t] = a_f32[0, t] // a_f32[1, t]

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_f16", "f16", 2], ["o_f16", "f16", 1], ["a_f32", "f32", 2], ["o_f32", "f32", 1]], "numbers": [], "seed": 1}
