"""LLVM makes v_max3 of two maxima; in IEEE mode a signaling NaN took the number with it."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_f16: al.Tensor((3, 512), al.f16), o_f16: al.Tensor((2, 512), al.f16), a_f32: al.Tensor((3, 512), al.f32), o_f32: al.Tensor((2, 512), al.f32)):
    t = al.thread_id(0)
    o_f16[0, t] = al.max(al.max(a_f16[0, t], a_f16[1, t]), a_f16[2, t])
    o_f16[1, t] = al.min(al.min(a_f16[0, t], a_f16[1, t]), a_f16[2, t])
    o_f32[0, t] = al.max(al.max(a_f32[0, t], a_f32[1, t]), a_f32[2, t])
    o_f32[1, t] = al.min(al.min(a_f32[0, t], a_f32[1, t]), a_f32[2, t])

# {"block": [512, 1, 1], "grid": [1, 1, 1], "arrays": [["a_f16", "f16", 3], ["o_f16", "f16", 2], ["a_f32", "f32", 3], ["o_f32", "f32", 2]], "numbers": [], "seed": 3}
